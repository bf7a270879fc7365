# CoreSight frames of two trace units, without a snapshot: each ID is a source and a hart of its
# own, and ran what the list of its addresses says; from a file and from a pipe.
needs: data/repro/ete/two-cores-raw-frames json cut cmp sed split
$ D=$DATA/repro/ete/two-cores-raw-frames; cp $D/frames.bin f.bin; R=trcconfigr=0x801,trcidr0=0x8000ea1,trcidr1=0x4100fff0,trcidr2=0x8,trcidr8=0x0,trcdevarch=0x47735a13; printf '%s\n' "D=$D; I='--image $D/code-0x400000.bin@0x400000 --image $D/code-0x500000.bin@0x500000'; R=$R" 'pcs() { cairn view --json "$@" | json pc | sed "s/^0x0*//"; }' > with
$ . ./with; for k in 0 1; do pcs --ete $R $I f.bin cpu$k | cmp - $D/pcs-id-0x1$k.txt; pcs --ete $R $I - cpu$k < f.bin | cmp - $D/pcs-id-0x1$k.txt; done
$ . ./with; cairn info --ete $R f.bin | grep -A1 ^sources | cut -c1-36
| sources        ETE 1.3 cpu0 id=0x10 
|                ETE 1.3 cpu1 id=0x11 
# Registers of each ID; and of one alone: the other is left out, and named.
$ . ./with; for k in 0 1; do pcs --ete 0x10:$R --ete 0x11:$R $I f.bin cpu$k | cmp - $D/pcs-id-0x1$k.txt; done
$ . ./with; pcs --ete 0x11:$R $I f.bin | cmp - $D/pcs-id-0x11.txt
! cairn: f.bin: byte 0x1a: no registers are given for trace ID 0x10 (--ete 0x10:trcidr0=0x…); its 5458 bytes are left out
$ . ./with; cairn count --ete trctraceidr=0x10,$R $I f.bin | head -1
| instructions                          4567
! cairn: f.bin: byte 0x1: no registers are given for trace ID 0x11 (--ete 0x11:trcidr0=0x…); its 5379 bytes are left out
$ . ./with; cairn info --ete 0x10:$R f.bin | grep ^left_out
| left_out       byte 0x1: no registers are given for trace ID 0x11 (--ete 0x11:trcidr0=0x…); its 5379 bytes are left out
$ cairn count --ete 0x70:trcidr0=0 f.bin; cairn count --ete 0x10:trctraceidr=0x11 f.bin
! cairn: a trace ID is a number from 1 to 0x6f, not '0x70'
! cairn: TRCTRACEIDR is said to be 0x11 for trace ID 0x10
= 2
# An index knows which ID is whose.
$ . ./with; cairn index --ete $R $I f.bin && cairn view --ete $R $I f.bin 9237 && rm f.bin.cai && cairn view --ete $R $I f.bin 9237
| f.bin.cai: 1 span, 9237 instructions, 2608 bytes; can be jumped in
| CONTEXT cpu=0 priv=el2 security=non-secure
|      9237  00000000004018f4                            5400ff02  b.hs 0x4038d4
| CONTEXT cpu=0 priv=el2 security=non-secure
|      9237  00000000004018f4                            5400ff02  b.hs 0x4038d4
# With synchronisation words before every eighth frame, in blocks of 504 bytes with 8 that are no
# trace behind each, it is the same: recognised, and said.
$ split -b 128 --filter='printf "\377\377\377\177"; cat' f.bin > sync.bin; split -b 504 --filter='cat > b; cat b; [ $(wc -c < b) -lt 504 ] || printf FOOTER%02d 7' sync.bin > dstream.bin
$ . ./with; for f in sync dstream; do cairn info --ete $R $f.bin | grep ^container; for k in 0 1; do pcs --ete $R $I $f.bin cpu$k | cmp - $D/pcs-id-0x1$k.txt; done; done
| container      dstream_coresight
| container      dstream_coresight in blocks of 512
$ . ./with; pcs --ete framing=dstream,$R $I dstream.bin cpu1 | cmp - $D/pcs-id-0x11.txt
$ . ./with; cairn count --ete framing=synced-frames,$R $I dstream.bin 2> err | head -1 | grep -v 9237 | wc -l; grep -c 'frames of less than 16 bytes' err
| 1
| 1
# A snapshot of such a file says no more than that it is from a DSTREAM.
$ . ./with; mkdir s && cp dstream.bin s/ && printf '[snapshot]\nversion=1.0\n[device_list]\na=c.ini\nb=d.ini\n[trace]\nmetadata=t.ini\n' > s/snapshot.ini && for k in 0 1; do f=c; [ $k = 1 ] && f=d; printf '[device]\nname=E%d\nclass=trace_source\ntype=ETE\n[regs]\nTRCTRACEIDR=0x1%d\nTRCCONFIGR=0x801\nTRCIDR0=0x8000ea1\nTRCIDR2=8\nTRCDEVARCH=0x47735a13\n' $k $k > s/$f.ini; done; printf '[trace_buffers]\nbuffers=b\n[b]\nname=B\nfile=dstream.bin\nformat=dstream_coresight\n[source_buffers]\nE0=B\nE1=B\n' > s/t.ini; cairn count $I s | head -1; cairn count --ete framing=dstream $I s | head -1
| instructions                          9237
| instructions                          9237
$ . ./with; cairn count --ete framing=synced-frames $I s 2>&1 | tail -1 | cut -d';' -f2; cairn count --ete framing=frames s
|  everything that can be read is in the output
! cairn: s/snapshot.ini: a snapshot describes its own frames; only synced-frames and dstream can be given
= 2

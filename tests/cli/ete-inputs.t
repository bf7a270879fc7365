# What a snapshot lacks, and what it has that is not decoded.
needs: sed cut ln
$ mkdir s && cd s && printf '[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=ete.ini\nc=stm.ini\n[trace]\nmetadata=trace.ini\n' > snapshot.ini && printf '[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n[dump]\nfile=code\naddress=0x1000\n' > cpu.ini && printf '[device]\nname=ETE_0\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=0x10\nTRCIDR0=0\nTRCIDR2=0\n' > ete.ini && printf '[device]\nname=STM_0\nclass=trace_source\ntype=STM\n' > stm.ini && printf '[trace_buffers]\nbuffers=a,b\n[a]\nname=A\nfile=a.bin\nformat=source_data\n[b]\nname=B\nfile=b.bin\nformat=coresight\n[source_buffers]\nETE_0=A\nSTM_0=B\n[core_trace_sources]\ncpu_0=ETE_0\n' > trace.ini && printf '\x1f\x20\x03\xd5\xc0\x03\x5f\xd6' > code && printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04\x85\0\x08\0\0\0\0\0\0\x31\x71\xf7\x95\0\xf7' > a.bin && printf '\xe3\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff' > b.bin
# Bytes of a source that is not decoded are none of its business, whatever they are.
$ cairn view -e s
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001000  d503201f  nop
|            EVT TRACE_ON 0x0
|            EVT EVENT 0x1
|         2  0000000000001004  d65f03c0  ret                               PC 0000000000001000
|         3  0000000000001000  d503201f  nop
|         4  0000000000001004  d65f03c0  ret                               PC ?
# One thing has one name, in every view.
$ cairn view -e --json s | grep -o '"name":"EVENT"'; cairn records s | grep -o ' EVENT '; cairn records --elements s | grep -o ' EVENT '
| "name":"EVENT"
|  EVENT 
|  EVENT 
# A core or a source that only the trace names, a device whose file is not there.
$ cp -r s odd && cd odd && sed -i 's/^cpu_0=.*/cpu_0=ETE_0,ETE_7\ncpu_9=ETE_0/; s/^STM_0=B/&\nPTM_3=B/' trace.ini && sed -i 's/^c=.*/&\nd=gone.ini/' snapshot.ini
$ cairn view odd 2..3
! cairn: odd: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: odd: trace.ini: line 14: no trace source is called 'PTM_3'
! cairn: odd: trace.ini: line 16: no trace source is called 'ETE_7'
! cairn: odd: trace.ini: line 17: no core is called 'cpu_9'
! cairn: odd: snapshot.ini: line 7: no device is read: gone.ini: No such file or directory
! cairn: odd: 1 damaged place; everything that can be read is in the output
= 2
$ sed -i 's/^cpu_9=.*/cpu_9=STM_0/' odd/trace.ini; cairn view odd 2..3; cairn info odd | sed -n '/^sources/,/^missing/p' | cut -c1-60
| CONTEXT cpu=0 priv=el1 security=non-secure
|         2  0000000000001004  d65f03c0  ret                               PC 0000000000001000
|         3  0000000000001000  d503201f  nop
| sources        ETE_0: ETE 1.0 cpu0 (cpu_0, ARM-AA64) id=0x10
|                STM_0: STM cpu1 (cpu_9): not ETE or ETMv4, no
| sessions       A: 30 bytes, source_data, 1 source
|                B: 17 bytes, coresight, 1 source
| missing        snapshot.ini: line 7: no device is read: gone
! cairn: odd: trace.ini: line 14: no trace source is called 'PTM_3'
! cairn: odd: trace.ini: line 16: no trace source is called 'ETE_7'
! cairn: odd: trace.ini: line 17: no core is called 'cpu_9'
! cairn: odd: trace.ini: line 17: what STM_0 (STM) traced of cpu_9 is not decoded
! cairn: odd: snapshot.ini: line 7: no device is read: gone.ini: No such file or directory
! cairn: odd: 1 damaged place; everything that can be read is in the output
# What is not decoded of a core is told by every verb, by check and with an index, too.
$ cp -r s pt && cat > pt/ptm.ini <<'END'
> [device]
> name=PTM_1
> class=trace_source
> type=PTM1.1
> END
$ sed -i 's/^c=.*/&\nd=ptm.ini\ne=cpu1.ini/' pt/snapshot.ini; sed 's/cpu_0/cpu_1/' pt/cpu.ini > pt/cpu1.ini; sed -i 's/^cpu_0=.*/&\ncpu_1=PTM_1/' pt/trace.ini; for v in "view pt 2" "count pt" "count pt 2..3" "records pt" "mix pt" "check pt"; do cairn $v; done 2>&1 > out | sort | uniq -c; cairn index -q pt; for v in "count pt" "count pt 2..3" "mix pt"; do cairn $v; done 2>&1 > out | sort | uniq -c; rm -r pt
|       6 cairn: pt: trace.ini: line 16: what PTM_1 (PTM1.1) traced of cpu_1 is not decoded
|       3 cairn: pt: trace.ini: line 16: what PTM_1 (PTM1.1) traced of cpu_1 is not decoded
# Registers that are missing: of this source nothing can be decoded.
$ cp -r s regs && sed -i '/^TRCIDR2/d' regs/ete.ini && cairn count regs
! cairn: regs/snapshot.ini: no trace source can be decoded: ete.ini: an ETE source needs its TRCIDR2 in [regs]; what it wrote cannot be decoded
= 2
# Sources that are not decoded: one sentence, from every verb.
$ cp -r s stm && sed -i 's/type=ETE/type=PTM1.1/' stm/ete.ini; for v in info view records count check index mix branches memory blocks calls deps overview report 'find stm pc==0' 'simpoints --every 10' 'convert -o x.stf' 'slice -o x.stf' 'split --every 2 -o x' 'diff s' 'merge -o x.stf' 'edit -o x.stf'; do set -- $v; [ $1 = find ] || set -- "$@" stm; cairn "$@" > out 2> err; echo "$1 $? $(wc -c < out) $(cat err)"; done; ls
| info 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| view 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| records 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| count 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| check 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| index 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| mix 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| branches 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| memory 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| blocks 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| calls 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| deps 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| overview 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| report 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| find 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| simpoints 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| convert 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| slice 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| split 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| diff 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| merge 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| edit 2 0 cairn: stm/snapshot.ini: none of its trace sources is ETE or ETMv4, which cairn decodes: ETE_0 (PTM1.1), STM_0 (STM)
| err
| odd
| out
| regs
| s
| stm
# Files that a snapshot names lie in its folder.
$ echo secret: 12345678 > secret; for n in ../secret $PWD/secret link 'x\..\..\secret'; do rm -rf out; cp -r s out; ln -s ../secret out/link; mkdir out/x; sed -i "s|^file=code|file=${n//\\/\\\\}|" out/cpu.ini; cairn view out 1 | tail -1; done
! cairn: out: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: out: cpu.ini: line 5: no program bytes from 0x1000: '../secret' lies outside the folder of the snapshot (--trust-paths opens it)
! cairn: out: 1 damaged place; everything that can be read is in the output
! cairn: out: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: out: cpu.ini: line 5: no program bytes from 0x1000: '$PWD/secret' lies outside the folder of the snapshot (--trust-paths opens it)
! cairn: out: 1 damaged place; everything that can be read is in the output
! cairn: out: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: out: cpu.ini: line 5: no program bytes from 0x1000: 'link' lies outside the folder of the snapshot (--trust-paths opens it)
! cairn: out: 1 damaged place; everything that can be read is in the output
! cairn: out: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: out: cpu.ini: line 5: no program bytes from 0x1000: 'x\..\..\secret' lies outside the folder of the snapshot (--trust-paths opens it)
! cairn: out: 1 damaged place; everything that can be read is in the output
$ rm -rf out; cp -r s out; sed -i 's|^file=code|file=../secret|' out/cpu.ini; cairn view --no-disasm --trust-paths out 1
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001000  72636573
$ sed -i 's|trace.ini|../secret|' out/snapshot.ini; cairn view out; cairn view --trust-paths out
! cairn: out/snapshot.ini: '../secret' lies outside the folder of the snapshot (--trust-paths opens it)
! cairn: out/../secret: line 1: neither [section] nor key=value: 'secret: 12345678'
= 2
# So does its first file, and none of them is a pipe, which would wait for ever.
$ for n in snapshot trace cpu; do rm -rf out; cp -r s out; rm out/$n.ini; mkfifo out/$n.ini; cairn count out; done
! cairn: out/snapshot.ini: is not a regular file
! cairn: out/trace.ini: is not a regular file
! cairn: out/cpu.ini: is not a regular file
= 2
$ rm -rf out; cp -r s out; ln -sf ../secret out/snapshot.ini; cairn info out; cairn info out --trust-paths
! cairn: out/snapshot.ini: lies outside the folder of the snapshot (--trust-paths opens it)
! cairn: out/snapshot.ini: not a trace of a known format (STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture); it begins with 73 65 63 72 65 74 3a 20
= 2
# Without the program there are no instructions to tell of.
$ cairn view s/a.bin 1..2; cairn find s/a.bin 'pc == 0'; cairn diff s/a.bin s/a.bin > x; cairn count s/a.bin | head -1; cairn mix s/a.bin | head -1; cairn slice s/a.bin 1..2 -o x.snapshot
| instructions                             0
! cairn: s/a.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: s/a.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: s/a.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: s/a.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: s/a.bin: which instructions ran takes the program (--image)
! cairn: s/a.bin: to slice an ETE trace, what ran is encoded again, and that is unknown without its program (--image)
= 2
# Nor is it known which instruction a record is of; records have numbers of their own.
$ cairn records s/a.bin 1..5 || cairn records s/a.bin 1 r1 || cairn records s/a.bin r2..r3 && cairn records s/a.bin r99
|         2  0x0000000c  TRACE_INFO         bytes=0100
|         3  0x0000000e  TRACE_ON           bytes=04
! cairn: s/a.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: s/a.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: s/a.bin: the selection is empty
= 1

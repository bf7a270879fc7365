# ETE written from a trace of another format: a snapshot with its program, and a stream.
$ cairn convert $EXAMPLES/sum.vixl -o sum.snapshot
! cairn: $EXAMPLES/sum.vixl: lost: register values (25, first at number 1)
! cairn: $EXAMPLES/sum.vixl: lost: memory accesses (6, first at number 1)
! cairn: $EXAMPLES/sum.vixl: lost: comments (at number 15)
! cairn: $EXAMPLES/sum.vixl: EL1, where the trace records no exception level (at number 1)
$ cairn view sum.snapshot
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000400000  39c00003  ldrsb w3, [x0]
|         2  0000000000400004  8b23c042  add x2, x2, w3, sxtw
|         3  0000000000400008  91000400  add x0, x0, #1
|         4  000000000040000c  f1000421  subs x1, x1, #1
|         5  0000000000400010  54ffff81  b.ne 0x400000                     PC 0000000000400000
|         6  0000000000400000  39c00003  ldrsb w3, [x0]
|         7  0000000000400004  8b23c042  add x2, x2, w3, sxtw
|         8  0000000000400008  91000400  add x0, x0, #1
|         9  000000000040000c  f1000421  subs x1, x1, #1
|        10  0000000000400010  54ffff81  b.ne 0x400000                     PC 0000000000400000
|        11  0000000000400000  39c00003  ldrsb w3, [x0]
|        12  0000000000400004  8b23c042  add x2, x2, w3, sxtw
|        13  0000000000400008  91000400  add x0, x0, #1
|        14  000000000040000c  f1000421  subs x1, x1, #1
|        15  0000000000400010  54ffff81  b.ne 0x400000
|        16  0000000000400014  4e080c40  dup v0.2d, x2
|        17  0000000000400018  0d008400  st1 { v0.d }[0], [x0]
|        18  000000000040001c  f8220017  ldadd x2, x23, [x0]
|        19  0000000000400020  d65f03c0  ret                               PC 0000000000000000
$ cat sum.snapshot/ete_0.ini sum.snapshot/trace.ini
| [device]
| name=ete_0
| class=trace_source
| type=ETE
|
| [regs]
| TRCCONFIGR=0x1811
| TRCTRACEIDR=0x10
| TRCIDR0=0x8000e81
| TRCIDR1=0x4100f403
| TRCIDR2=0x10001088
| TRCIDR8=0x0
| TRCDEVARCH=0x47735a13
| [trace_buffers]
| buffers=buffer0
|
| [buffer0]
| name=BUFFER_0
| file=trace.bin
| format=source_data
|
| [source_buffers]
| ete_0=BUFFER_0
|
| [core_trace_sources]
| cpu_0=ete_0
$ cairn records sum.snapshot
|         1  0x00000000  ASYNC              bytes=000000000000000000000080
|         2  0x0000000c  TRACE_INFO         bytes=01090100 info=0x01 threshold=0
|         3  0x00000010  TRACE_ON           bytes=04
|         4  0x00000011  ADDR_CTXT_32_IS0   bytes=820000400031 address=0x0000000000400000 is=IS0 el=1 security=non_secure state=AArch64
|         5  0x00000017  ATOM_F3            bytes=fb atoms="EEN"
|         6  0x00000018  ATOM_F1            bytes=f7 atoms="E"
|         7  0x00000019  ADDR_MATCH         bytes=91 entry=1 address=0x0000000000000000 is=IS0
# The same in another way, and from ETE to ETE.
$ cairn convert sum.snapshot -o other.snapshot --to ete:maxspec=4,noise=500,source=3,stack=0
$ cairn records other.snapshot
|         1  0x00000000  ASYNC              bytes=000000000000000000000080
|         2  0x0000000c  TRACE_INFO         bytes=010d010000 info=0x01 spec=0 threshold=0
|         3  0x00000011  TRACE_ON           bytes=04
|         4  0x00000012  ADDR_CTXT_32_IS0   bytes=820000400031 address=0x0000000000400000 is=IS0 el=1 security=non_secure state=AArch64
|         5  0x00000018  ATOM_F1            bytes=f7 atoms="E"
|         6  0x00000019  ATOM_F1            bytes=f6 atoms="N"
|         7  0x0000001a  MISPREDICT         bytes=30
|         8  0x0000001b  SRC_SHORT_IS0      bytes=b408 address=0x0000000000400020 is=IS0 bits=9
|         9  0x0000001d  ADDR_MATCH         bytes=92 entry=2 address=0x0000000000000000 is=IS0
|        10  0x0000001e  COMMIT             bytes=2d03 commit=3
$ cairn diff sum.snapshot other.snapshot
| --- A sum.snapshot
| +++ B other.snapshot
| differences   0
| equal         19
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
# A stream alone: what stands beside it is told.
$ cairn convert $EXAMPLES/sum.vixl -o sum.ete --to ete:stack=1
! cairn: $EXAMPLES/sum.vixl: lost: register values (25, first at number 1)
! cairn: $EXAMPLES/sum.vixl: lost: memory accesses (6, first at number 1)
! cairn: $EXAMPLES/sum.vixl: lost: comments (at number 15)
! cairn: $EXAMPLES/sum.vixl: lost: the program (a snapshot keeps it; else --image)
! cairn: $EXAMPLES/sum.vixl: lost: the registers (a snapshot keeps them; else --ete trcconfigr=0x1801,trcidr0=0x8000e81,trcidr2=0x10001088,trcidr8=0x0,trcdevarch=0x47735a13)
! cairn: $EXAMPLES/sum.vixl: EL1, where the trace records no exception level (at number 1)
$ cairn view --ete trcconfigr=0x1801,trcidr0=0x8000e81,trcidr2=0x10001088,trcdevarch=0x47735a13 --image sum.snapshot/program.bin@0x400000 sum.ete 1..6
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000400000                            39c00003  ldrsb w3, [x0]
|         2  0000000000400004                            8b23c042  add x2, x2, w3, sxtw
|         3  0000000000400008                            91000400  add x0, x0, #1
|         4  000000000040000c                            f1000421  subs x1, x1, #1
|         5  0000000000400010                            54ffff81  b.ne 0x400000                     PC 0000000000400000
|         6  0000000000400000                            39c00003  ldrsb w3, [x0]
# What cannot be.
$ cairn convert $EXAMPLES/sum.vixl -o sum.snapshot
! cairn: sum.snapshot: is there already; a snapshot is written to a new name
= 2
$ cairn convert $EXAMPLES/sum.vixl -o bad.ete --to ete:nothing=3
! cairn: writing ETE has no option 'nothing=3'; it has maxspec=N, commit=N, sync=BYTES, threshold=N, q=N, source=N, noise=N, seed=N, stack=0|1, cycles=0|1, commopt=0|1, timestamps=0|1|2, ids=0|1|2, waits=0|1, commtrans=0|1, atoms=N, addresses=0|1|2, apart=0|1, uncounted=0|1, drop=0|1, frames=0|1
= 2
$ cairn convert $EXAMPLES/sum.vixl -o bad.ete --to ete:atoms=7
! cairn: ete:atoms is a number from 0 to 6, not '7'
= 2
$ cairn convert $EXAMPLES/sum.vixl -o bad.ete --to ete:noise=3
! cairn: noise needs a speculation depth, and is at most 1000
= 2
$ ls
| other.snapshot
| sum.ete
| sum.snapshot

# --ete is for those of two traces that are ETE.
$ xz -dc $EXAMPLES/sort-a64.vixl.xz > v.vixl; cairn convert -q v.vixl -o raw.ete 2> told; ETE=$(grep -o 'trcconfigr=[^)]*' told); for pair in 'v.vixl raw.ete' 'raw.ete v.vixl' 'raw.ete raw.ete'; do cairn diff --ete $ETE --image $EXAMPLES/sort-a64.elf $pair | grep -E '^(equal|only)' | tr -s ' ' | paste -sd ' '; done
| equal 2191 only in A 0 only in B 0
| equal 2191 only in A 0 only in B 0
| equal 2191 only in A 0 only in B 0
$ ETE=$(grep -o 'trcconfigr=[^)]*' told); cat v.vixl | cairn diff --ete $ETE --image $EXAMPLES/sort-a64.elf - raw.ete | grep -E '^(equal|only)' | tr -s ' ' | paste -sd ' '; cairn diff --ete $ETE --image $EXAMPLES/sort-a64.elf <(cat raw.ete) v.vixl > x; echo $?
| equal 2191 only in A 0 only in B 0
| 0
# Neither trace is ETE.
$ cairn diff --ete core=Cortex-A53 $EXAMPLES/sort.zstf v.vixl
! cairn: --ete and --transactions say how ETE is read, and neither $EXAMPLES/sort.zstf nor v.vixl is ETE
= 2

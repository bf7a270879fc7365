# Real SPARC code: what the traces' README says of them. The sums are of all CPUs.
needs: data/rst/small_1k.rst zstd
$ for f in small_1k.rst small_300k.rst.zst value_shade.rst.zst v206_small.rst.zst allrec_45k.rst.zst rfs_snap.rst.zst; do
>   echo "$f $(cairn count $DATA/rst/$f | grep -E '^(instr|exec|events|records)' | tr -s ' ' | cut -d' ' -f2 | tr '\n' ' ')"
> done
| small_1k.rst 760 730 17 1000 
| small_300k.rst.zst 244320 239309 675 266057 
| value_shade.rst.zst 55523 53760 14 99802 
| v206_small.rst.zst 244320 239309 675 265437 
| allrec_45k.rst.zst 27233 26844 434 44992 
| rfs_snap.rst.zst 55713 53793 131 100004 
$ cairn count $DATA/rst/small_300k.rst.zst
| instructions                        244320
| executed                            239309
| loads                                34213
| stores                               12100
| branches                             45601
| branches_taken                       27433
| events                                 675
| records_total                       266057
|   RSTHEADER                              1
|   INSTR                             244320
|   TRACEINFO                              2
|   TLB                                  751
|   TRAP                                 675
|   REGVAL                              2618
|   STRDESC                                4
|   PREG                                 676
|   PAVADIFF                           16384
|   STRCONT                                4
|   HWINFO                                 2
|   TSB_ACCESS                           620
$ cairn info $DATA/rst/small_300k.rst.zst
| format         RST
| version        2.13
| kind           instructions
| container      none
| codec          zstd
| isa            sparc
| cpus           1
| max_cpu        0
| cputype        spitfire
| mmutype        spitfire iTLB=64, dTLB=64
| windows        8
| tlb_entries    131
| instructions   unknown
| records        unknown
| size           74564
| level          1
| specification  0.1.1
| created        2023-11-14 22:13:20 UTC
| modified       2023-11-14 22:13:20 UTC
| hardware       SIMULATED_HW numproc 0: 1 0
|                SIMULATED_HW nregwin 0: 8 0
| comments       synthetic RST trace: qemu-sparc64 user code + synthetic trap handlers
|                mmutype=spitfire iTLB=64, dTLB=64
|                cputype=spitfire
|                nwins=8
$ cairn info $DATA/rst/rfs_snap.rst.zst | head -n 3
| format         RST
| version        unknown
| kind           RFS snapshot
# 675 traps: each is a jump from outside the program, and there are no others.
$ cairn view -D $DATA/rst/small_300k.rst.zst | grep -c forced
| 675
$ cairn view -D $DATA/rst/v206_small.rst.zst | grep -c forced
| 675
$ cairn view -D $DATA/rst/value_shade.rst.zst | grep -c forced
| 0
= 1
# A trace in parts: the concatenation is the whole.
$ for i in 0 1 2; do zstd -dcq $DATA/rst/multi/part$i.rst.zst; done | cmp - <(zstd -dcq $DATA/rst/small_300k.rst.zst) && echo same
| same
$ for i in 0 1 2; do cairn count $DATA/rst/multi/part$i.rst.zst | head -n 1; done
| instructions                         81998
| instructions                         81546
| instructions                         80776
# The number of threads and the sizes of pieces change nothing.
$ zstd -dcq $DATA/rst/small_300k.rst.zst > a.rst
$ cairn view --json -j1 a.rst > one.json
$ cairn view --json -j4 --from rst:piece=70000 a.rst | cmp - one.json && echo same
| same
$ cairn count -j4 --from rst:piece=9999 a.rst | cmp - <(cairn count -j1 a.rst) && echo same
| same
$ zstd -dcq $DATA/rst/allrec_45k.rst.zst > b.rst
$ cairn view --json -j1 b.rst > one.json
$ cairn view --json -j4 --from rst:piece=5000 b.rst | cmp - one.json && echo same
| same
$ cairn view --json -j4 --from rst:piece=5000 - < b.rst | cmp - one.json && echo same
| same
# What is broken is read all the same; two of them are damaged.
$ for f in $DATA/rst/bad/*.zst; do cairn count -q $f > out || echo "${f##*/} $(head -n 1 out)"; done
| b22_unknown_rtype.rst.zst instructions                        244320
| b48_truncated.rst.zst instructions                        244319
! cairn: $DATA/rst/bad/b22_unknown_rtype.rst.zst: 1 damaged place; everything that can be read is in the output
! cairn: $DATA/rst/bad/b48_truncated.rst.zst: 1 damaged place; everything that can be read is in the output

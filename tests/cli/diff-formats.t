# Traces of two formats are compared by what executed: SPARC's annulled instructions are rows of
# an RST trace, STF has none, and a trap beside an instruction is a no-op in STF.
needs: xz
$ cairn convert -q $EXAMPLES/sort-v9.rst.xz -o a.stf; cairn diff $EXAMPLES/sort-v9.rst.xz a.stf
| --- A $EXAMPLES/sort-v9.rst.xz
| +++ B a.stf
| differences   0
| equal         2626
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context; of instructions that executed (-w true: of all)
! cairn: $EXAMPLES/sort-v9.rst.xz: lost: address space ids (at number 1)
! cairn: $EXAMPLES/sort-v9.rst.xz: lost: instruction fetches (at number 1)
! cairn: $EXAMPLES/sort-v9.rst.xz: lost: events that the target has no record for; view -a shows them (3, first at number 1)
! cairn: $EXAMPLES/sort-v9.rst.xz: lost: TLB events (2, first at number 1)
! cairn: $EXAMPLES/sort-v9.rst.xz: lost: instructions that did not execute (37, first at number 136)
$ cairn diff -w true -n 1 $EXAMPLES/sort-v9.rst.xz a.stf | grep -c annulled
| 1
$ cairn diff --json $EXAMPLES/sort-v9.rst.xz a.stf; cairn diff --json a.stf a.stf
| {"differences":0,"equal":2626,"changed":0,"only_a":0,"only_b":0,"compared":["pc","encoding","size","taken","target","flags","context"],"executed_only":true}
| {"differences":0,"equal":2626,"changed":0,"only_a":0,"only_b":0,"compared":["pc","encoding","size","taken","target","flags","context"],"executed_only":false}
$ cairn convert -q $EXAMPLES/sort-a64.vixl.xz -o v.stf; cairn diff -m $EXAMPLES/sort-a64.vixl.xz v.stf; cairn diff $EXAMPLES/sort-a64.snapshot v.stf
| --- A $EXAMPLES/sort-a64.vixl.xz
| +++ B v.stf
| differences   0
| equal         2191
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, mems, values; of instructions that executed (-w true: of all)
| --- A $EXAMPLES/sort-a64.snapshot
| +++ B v.stf
| differences   0
| equal         2191
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context; of instructions that executed (-w true: of all)
! cairn: $EXAMPLES/sort-a64.vixl.xz: lost: whether vector registers were recorded as V or Z (32, first at number 1)
# What was left out is found.
$ cairn slice -q a.stf 1..999 1001..1841 -o b.stf; cairn diff -D -n 1 $EXAMPLES/sort-v9.rst.xz b.stf
| --- A $EXAMPLES/sort-v9.rst.xz
| +++ B b.stf
| @@ A 1012, B before 1000 @@ 1 only in A
|       1009       997  0000000000100274  8528b002
|       1010       998  0000000000100278  83287002
|       1011       999  000000000010027c  d2060002
| -     1012            0000000000100280  9fc68000  PC 000000000010038c
|       1013      1000  0000000000100284  d0060001
|       1014      1001  000000000010038c  03000801
|       1015      1002  0000000000100390  84106320
| … 1 more difference (--limit 0 shows all)
| different     first at instruction 1012 of A, 1000 of B
| differences   2
| equal         1840
| changed       0
| only in A     786
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context; of instructions that executed (-w true: of all)
= 1
# So does find: the same places in both.
$ cairn find -D -w 'class==branch && taken' -a -n 2 $EXAMPLES/sort-v9.rst.xz; cairn find -D -w 'class==branch && taken' -a -n 2 a.stf
| CONTEXT cpu=0 asid=0 priv=user
|        28  00000000001001c8  fill+0x48                 126ffff9  PC 00000000001001ac
|        37  00000000001001c8  fill+0x48                 126ffff9  PC 00000000001001ac
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=user
|        28  00000000001001c8  126ffff9  PC 00000000001001ac
|        37  00000000001001c8  126ffff9  PC 00000000001001ac

# A log whose addresses are hidden, and what ETE can tell of that: nothing.
$ printf '0x~~~~~~~~~~~~~~~~  d503201f\t\tnop\n0x~~~~~~~~~~~~~~~~  d65f03c0\t\tret\n' > m.vixl && cairn convert -q m.vixl -o m.snapshot; cairn diff m.vixl m.snapshot
| --- A m.vixl
| +++ B m.snapshot
| @@ A 1..2, B before 1 @@ 2 only in A
| -        1                           -  d503201f  nop
| -        2                           -  d65f03c0  ret                               PC ?
| different     first at instruction 1 of A, 1 of B
| differences   1
| equal         0
| changed       0
| only in A     2
| only in B     0
| compared      nothing that both tell
! cairn: m.vixl: lost: instructions without a PC (2, first at number 1)
= 1

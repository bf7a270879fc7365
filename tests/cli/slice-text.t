# Formats whose records cannot be cut are sliced and merged by what their lines mean.
$ cairn slice -q $EXAMPLES/sum.vixl 5..9 -o a.vixl; cairn view -a a.vixl > x; cairn view -a $EXAMPLES/sum.vixl 5..9 | sed 's/^ *[0-9][0-9]*  /N  /' > y; sed 's/^ *[0-9][0-9]*  /N  /' x | diff - y
$ cairn slice $EXAMPLES/sum.vixl 3..4 8..9 -o b.zstf; cairn view -D b.zstf
| FORCE_PC 0000000000400008
|         1  0000000000400008  91000400  forced
|         2  000000000040000c  f1000421
| FORCE_PC 0000000000400008
|         3  0000000000400008  91000400  forced
|         4  000000000040000c  f1000421
! cairn: $EXAMPLES/sum.vixl: the registers at the beginning of a range are unknown (2, first at number 3)
$ cairn slice -q $EXAMPLES/sum.vixl 1..4 -o 1.vixl; cairn slice -q $EXAMPLES/sum.vixl 5.. -o 2.vixl; cairn merge -q 1.vixl 2.vixl -o c.vixl; cairn diff $EXAMPLES/sum.vixl c.vixl
| --- A $EXAMPLES/sum.vixl
| +++ B c.vixl
| differences   0
| equal         19
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags
$ cairn merge -q -R 3..4 -R 1 $EXAMPLES/sum.vixl $EXAMPLES/sum.vixl -o d.vixl; cairn view -D d.vixl
|         1  0000000000400008  91000400
|         2  000000000040000c  f1000421
|         3  0000000000400000  39c00003  forced
|         4  0000000000400008  91000400  forced
|         5  000000000040000c  f1000421
|         6  0000000000400000  39c00003  forced
$ cairn slice -q --windows 10:2 $EXAMPLES/sum.vixl -o e.vixl; cairn view -D e.vixl; cairn slice -q $EXAMPLES/sum.vixl 100.. -o f.vixl; ls f.vixl
|         1  0000000000400000  39c00003
|         2  0000000000400004  8b23c042
|         3  0000000000400000  39c00003  forced
|         4  0000000000400004  8b23c042
! cairn: $EXAMPLES/sum.vixl: the selection is empty
! ls: cannot access 'f.vixl': No such file or directory
= 2
# A pipe is read once, forwards.
$ cat $EXAMPLES/sum.vixl | cairn slice -q - 3..4 8..9 -o - --to vixl | cairn view -D -
|         1  0000000000400008  91000400
|         2  000000000040000c  f1000421
|         3  0000000000400008  91000400  forced
|         4  000000000040000c  f1000421
# What is only read becomes what is asked for.
$ printf 'core   0: 0x%016x (0x00000013) nop\n' 0x80000000 0x80000004 0x80000008 > s.log
$ cairn slice s.log 2..3 -o x.log; cairn slice s.log 2..3 -o x --to what; cairn slice -q s.log 2..3 -o x.stf; cairn view -D x.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| FORCE_PC 0000000080000004
|         1  0000000080000004  00000013  forced
|         2  0000000080000008  00000013
! cairn: x.log: Spike is only read: ask for a format that is written (-o NAME.zstf, or --to)
! cairn: no format that is written is called 'what'
# Registers as they were in the midst of a trace would be what the instruction before wrote: they are lost, and not that.
$ xz -dc $EXAMPLES/sort-a64.vixl.xz > l.vixl; cairn convert -q l.vixl -o l.stf; cairn slice -q l.stf 40..44 -o a.stf; cairn slice -q l.stf 45..50 -o b.stf; cairn merge -q a.stf b.stf -o ab.stf; cairn convert ab.stf -o ab.vixl 2>&1 | grep 'as they were'; cairn find --count --writes x2 ab.stf; cairn find --count --writes x2 ab.vixl; cairn convert -q --lossless ab.stf -o x.vixl
| cairn: ab.stf: lost: registers as they were between two instructions (64, first at number 6)
| 1
| 1
! cairn: l.vixl: lost: whether vector registers were recorded as V or Z (32, first at number 1)
! cairn: x.vixl: instruction 6 (record 160, byte 0xd4b of ab.stf): VIXL cannot carry registers as they were between two instructions
= 2

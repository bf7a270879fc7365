# What is written without being told is not known any more, whoever asks.
needs: data/repro/stf/stale.stf
$ for n in 2 3 6; do cairn view --state $DATA/repro/stf/stale.stf $n | grep '^  x'; done
|   x1 ra         0x0000000000000055  2
|   x5 t0         0x0000000000000066  2
|   x5 t0         0x0000000000000066  2
|   x5 t0         0x0000000000000009  5
$ cairn find --writes x1 --before 6 $DATA/repro/stf/stale.stf
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=42 priv=machine
|         3  0000000080000004  00108093  addi ra, ra, 1
$ cairn slice -q $DATA/repro/stf/stale.stf 4..6 -o s.stf && cairn records s.stf | grep STATE | cut -c24-
| INST_REG           reg=5 kind=INTEGER operand=STATE value=0x0000000000000066
$ cp $DATA/repro/stf/stale.stf . && cairn index -q stale.stf && cairn view --state stale.stf 6 | grep '^  x'
|   x5 t0         0x0000000000000009  5
$ for n in 3 4 5 6; do cairn view --state $DATA/repro/rst/stale.rst $n | grep -E '^  [goi][0-9]' | tr -s ' ' | tr '\n' ';'; echo; done
|  g1 0x0000000000000055 1; o0 0x0000000000000077 1;
|  o0 0x0000000000000077 1;
|  o0 0x0000000000000077 1;
|  i0 0x0000000000000077 1;
$ cairn find --writes g1 $DATA/repro/rst/stale.rst
| CONTEXT cpu=0 asid=677 priv=user
|         3  0000000000100008  82006001  add %g1, 1, %g1
$ cairn slice -q $DATA/repro/rst/stale.rst 4..7 -o s.rst && cairn records s.rst | grep REGVAL
|        16  0x00000168  REGVAL             cpuid=0 post=0 regtype0=INT regid0=8 value0=0x0000000000000077 regtype1=UNUSED regid1=0 value1=0x0000000000000000
$ cairn slice -q $DATA/repro/rst/stale.rst 6..7 -o s.rst && cairn records s.rst | grep REGVAL
|        16  0x00000168  REGVAL             cpuid=0 post=0 regtype0=INT regid0=24 value0=0x0000000000000077 regtype1=UNUSED regid1=0 value1=0x0000000000000000

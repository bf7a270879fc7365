# How much of registers and accesses a trace tells, and how much is known with what follows.
needs: json python3
$ cp $EXAMPLES/sort.zstf t.zstf; cairn edit -q --drop INST_REG t.zstf -o lean.zstf; cairn slice -q lean.zstf 1..2000 -o s.zstf
$ cairn info --coverage lean.zstf
| known of                    number        told     derived
| registers read               48438       0.0 %      98.8 %
|   integer                    47469       0.0 %      99.8 %
|   floating point               969       0.0 %      50.1 %
| registers written            26113       0.0 %      98.7 %
|   integer                    25335       0.0 %      99.8 %
|   floating point               778       0.0 %      62.4 %
| addresses                    12604     100.0 %     100.0 %
| contents                     12604     100.0 %     100.0 %
| instructions                 38617
# The whole trace tells more. JSON has the numbers.
$ cairn info --coverage --json t.zstf | json instructions without_operands read.number read.told written.told addresses.number
| 38617 0 48438 48438 26113 12604
# An index changes nothing.
$ cairn info --coverage lean.zstf > a; cairn index -q lean.zstf; cairn info --coverage lean.zstf | cmp - a
# From a pipe nothing is derived.
$ cat s.zstf | cairn info --coverage - | head -3
| known of                    number        told
| registers read                2635       0.0 %
|   integer                     2635       0.0 %
! cairn: -: standard input can be read only once: what follows is not derived
# The same, counted another way: of each instruction the rows of view.
$ cat > count.py <<'END'
> import json, sys
> n = rows = known = 0
> for o in map(json.loads, sys.stdin):
>     if "n" not in o: continue
>     n += 1
>     for m in o["mems"]:
>         rows += 1
>         known += m["value"] is not None
> print(n, rows, known)
> END
$ cairn view --json -m lean.zstf | python3 count.py; cairn info --coverage --json lean.zstf | json instructions addresses.number contents.told
| 38617 12604 12604
| 38617 12604 12604
# Of a program's flow alone something follows, too.
$ cp -r $EXAMPLES/sort-a64.snapshot f; cairn info --coverage f
| known of                    number        told     derived
| registers read                2682       0.0 %      45.4 %
|   integer                     2456       0.0 %      47.5 %
|   other                        226       0.0 %      22.1 %
| registers written             1640       0.0 %      39.1 %
|   integer                     1414       0.0 %      41.8 %
|   other                        226       0.0 %      22.1 %
| addresses                      571       0.0 %      41.5 %
| contents                       571       0.0 %       2.8 %
| instructions                  2191
|   without operands              86
# Without the program nothing is known to have run.
$ cp -r $EXAMPLES/sort-a64.snapshot bare; rm bare/program.bin; sed -i '/dump/,$d' bare/cpu_0.ini; cairn info --coverage bare
! cairn: bare: the trace only records branches; the program is needed to know which instructions ran: --image FILE
= 2
$ cairn overview bare
| 0 instructions
! cairn: bare: the trace only records branches; the program is needed to know which instructions ran: --image FILE
# What a log does not show, and follows from the rest of its instruction, is not told: the sum that ldadd stores.
$ cairn info --coverage $EXAMPLES/sum.vixl | tail -3; cairn view --json $EXAMPLES/sum.vixl | grep -c derived
| contents                         6      83.3 %     100.0 %
| instructions                    19
|   without operands               1
| 1

# The blocks of a sample that ran most.
$ cairn blocks --top 5 --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf
| instructions   38617
| blocks          8925
| static_blocks     72
| mean_length     4.33
|
| pc       end      function    executions  instructions  percent  length
| 0x102f6  0x1030a  ascending          602          3612     9.35     6.0
| 0x1023c  0x1024e  merge_sort         505          3535     9.15     7.0
| 0x102e2  0x102f6  descending         505          3030     7.85     6.0
| 0x10260  0x1026e  merge_sort         545          2725     7.06     5.0
| 0x103ba  0x103cc  quick_sort         338          2704     7.00     8.0
| … and 67 more

# Blocks that go on through branches not taken are longer.
$ cairn blocks --ends taken --top 2 $EXAMPLES/sort.zstf
| instructions   38617
| blocks          5766
| static_blocks     52
| mean_length     6.70
|
| pc       end      function  executions  instructions  percent  length
| 0x10260  0x10288  -                545          3960    10.25     7.3
| 0x10222  0x1024e  -                304          3945    10.22    13.0
| … and 50 more

# Vectors for SimPoint: the numbers of a line add up to the interval.
$ cairn blocks --every 10k -o s.bb $EXAMPLES/sort.zstf && cut -c1-30 s.bb
| T:1:4 :2:1 :3:17 :4:855 :5:1 :
| T:19:146 :20:777 :21:175 :22:2
| T:19:214 :20:1113 :21:270 :22:
| T:36:27 :37:45 :38:240 :39:27 
$ tr ' ' '\n' < s.bb | awk -F: '/^T/ {print s; s = 0} {s += $3} END {print s}'
|
| 10000
| 10000
| 10000
| 8617

# Intervals that stand for all, in trace order; the files of the SimPoint program.
$ cairn simpoints --every 1000 --table simpoints $EXAMPLES/sort.zstf
| simpoint  interval  first   last    weight
|        0         0      1   1000  0.025895
|        1         2   2001   3000  0.155372
|        2        13  13001  14000  0.181267
|        3        28  28001  29000  0.310744
|        4        31  31001  32000  0.233058
|        5        35  35001  36000  0.025895
|        6        36  36001  37000  0.025895
|        7        37  37001  38000  0.025895
|        8        38  38001  38617  0.015977
$ cairn simpoints --every 5000 --clusters 2 --to simpoints $EXAMPLES/sort.zstf
| 1 0
| 4 1
$ cairn simpoints --every 5000 --clusters 2 --to weights $EXAMPLES/sort.zstf
| 0.388429966 0
| 0.611570034 1

# Slices of them: each by itself, or all in one.
$ cairn simpoints --every 5000 --clusters 2 --csv --table simpoints $EXAMPLES/sort.zstf > points.csv
$ cairn slice -q --simpoints points.csv -o part-%.zstf $EXAMPLES/sort.zstf && for f in part-*; do cairn count $f | head -n 1; done
| instructions                          5000
| instructions                          5000
$ cairn slice -q --simpoints points.csv -o all.zstf $EXAMPLES/sort.zstf && cairn count all.zstf | head -n 1
| instructions                         10000

# What makes no sense.
$ cairn blocks --ends never $EXAMPLES/sort.zstf
! cairn: blocks end with a branch or a taken one, not with 'never'
= 2
$ cairn blocks --to bb $EXAMPLES/sort.zstf
! cairn: vectors are made for intervals of a length (--every)
= 2
$ cairn simpoints $EXAMPLES/sort.zstf
! cairn: simpoints needs the length of an interval, for example --every 10M
= 2
$ cairn slice --simpoints $EXAMPLES/sort.c -o x.zstf $EXAMPLES/sort.zstf
! cairn: $EXAMPLES/sort.c: not a table of simpoints; cairn simpoints --csv --table simpoints prints one
= 2
$ printf 'simpoint,first,last\n0,1\n' > bad.csv; cairn slice --simpoints bad.csv -o x.zstf $EXAMPLES/sort.zstf
! cairn: bad.csv: line 2 is not a simpoint
= 2
$ cairn slice --simpoints points.csv -o x.zstf $EXAMPLES/sort.zstf 1..5
! cairn: --simpoints cannot be combined with regions
= 2
# Great numbers of clusters: some are tried, and that is said.
$ cairn simpoints --every 100 --clusters 300 --table clustering -o k.csv $EXAMPLES/sort.zstf; echo $(cut -d, -f1 k.csv | tail -n 9)
| 63 64 80 100 125 156 195 243 300
! cairn: $EXAMPLES/sort.zstf: of more than 64 clusters only some numbers were tried, and those once

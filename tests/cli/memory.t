# The memory of a sample.
$ cairn memory --top 3 --cache 1K,2,32 --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf
| instructions     38617
| executed         38617
| with_access      11497
| accesses         12604
| reads             7581
| writes            5023
| read_bytes       40494
| written_bytes    30444
| prefetches           0
| others               0
| address_unknown      0
| unaligned            0
| cross_line           0
| cross_page           0
| lines               35
| pages                3
| lines_written       33
| new_lines           35
| new_pages            3
| lines_so_far        35
| pages_so_far         3
|
| kind  size  aligned  unaligned  percent
| read  1          78          0     0.62
| read  4        4902          0    38.89
| read  8        2601          0    20.64
| … and 3 more
|
| size  ways  line  accesses  read_misses  write_misses  miss_percent  per_1000
| 1024     2    32     12604           56            80         1.079     3.522
|
| lines_from  lines_to  accesses  percent  cumulative
|          0         0      5785    45.90       45.90
|          1         1      3578    28.39       74.29
|          2         3      2468    19.58       93.87
| … and 4 more
|
| instructions_from  instructions_to  whole  in_part  percent
|                 4                7     16        0     0.21
|                 8               15    433        0     5.71
|                16               31    936        0    12.35
| … and 9 more
|
| instructions_from  instructions_to  loads  percent
|                 1                1     98     1.29
|                 8               15   1456    19.21
|                16               31   1647    21.73
| … and 9 more
|
| address  symbol       reads  writes  cpus
| 0x11540  comparisons   1361    1214     1
| 0x11840  scratch        767     233     1
| 0x116c0  copy           483     466     1
| … and 32 more
|
| address       symbol  reads  writes  cpus
| 0x11000       -        6010    3507     1
| 0x4000800000  -        1513    1516     1
| 0x10000       -          58       0     1
|
| pc       function    reads  writes  bytes  pattern    stride  repeated_percent
| 0x10300  ascending     602     602   9632  constant        0            100.00
| 0x102ec  descending    505     505   8080  constant        0            100.00
| 0x1022c  merge_sort      0     640   2560  irregular       4             70.53
| … and 78 more

# The footprint over time, for a spreadsheet.
$ cairn memory --csv --every 10k --reuse none --table summary $EXAMPLES/sort.zstf | cut -d, -f1,2,6,17,20,22
| first,last,accesses,lines,new_lines,lines_so_far
| 1,10000,3654,28,28,28
| 10001,20000,3477,21,1,29
| 20001,30000,3185,20,2,31
| 30001,38617,2288,32,4,35

# An estimate says that it is one.
$ cairn memory --reuse sampled:4 --table reuse --top 2 $EXAMPLES/sort.zstf
| lines_from  lines_to  accesses  percent  cumulative
|          0         3     13836    60.08       60.08
|          4         7      7856    34.11       94.20
| … and 4 more
! cairn: $EXAMPLES/sort.zstf: distances are estimated from one line of 4

# All of it estimated, but for sums and sizes.
$ cairn memory --estimate --top 2 $EXAMPLES/sort.zstf
| instructions     38617
| executed         38617
| with_access      11497
| accesses         12604
| reads             7581
| writes            5023
| read_bytes       40494
| written_bytes    30444
| prefetches           0
| others               0
| address_unknown      0
| unaligned            0
| cross_line           0
| cross_page           0
| lines                -
| pages                -
| lines_written        -
| new_lines            -
| new_pages            -
| lines_so_far         -
| pages_so_far         -
|
| kind  size  aligned  unaligned  percent
| read  1          78          0     0.62
| read  4        4902          0    38.89
| … and 4 more
|
| address  symbol  reads  writes  cpus
| 0x11540  -        5632    6080     1
| 0x11840  -        8544    2336     1
| … and 16 more
|
| address       symbol  reads  writes  cpus
| 0x11000       -       25088   19968     1
| 0x4000800000  -           0     768     1
|
| pc       function  reads  writes  bytes  pattern   stride  repeated_percent
| 0x10300  -          5632    5632  90112  constant       0            100.00
| 0x103b2  -          5632       0  22528  constant       0            100.00
| … and 25 more
! cairn: $EXAMPLES/sort.zstf: numbers of lines, and distances, are estimated from one line of 64
! cairn: $EXAMPLES/sort.zstf: only 0 lines were sampled: so little is better counted exactly
! cairn: $EXAMPLES/sort.zstf: what is used most, and strides, are estimated from 4096 instructions of 131072; the number of pages from one of 32
$ cairn memory --estimate --reuse sampled:2 --table summary $EXAMPLES/sort.zstf | grep lines
| lines               36
| lines_written       36
| new_lines           36
| lines_so_far        36
! cairn: $EXAMPLES/sort.zstf: numbers of lines, and distances, are estimated from one line of 2
! cairn: $EXAMPLES/sort.zstf: only 18 lines were sampled: so little is better counted exactly
! cairn: $EXAMPLES/sort.zstf: what is used most, and strides, are estimated from 4096 instructions of 131072; the number of pages from one of 32
$ cairn memory --estimate --reuse exact $EXAMPLES/sort.zstf
! cairn: --estimate samples lines, and cannot be combined with --reuse exact
= 2
$ cairn memory --estimate --every 100 $EXAMPLES/sort.zstf
! cairn: --estimate is for the whole trace, and cannot be combined with --every
= 2

# JSON.
needs: json
$ cairn memory --json $EXAMPLES/sort.zstf | json summary.lines sizes.0.size instructions.0.pattern
| 35 1 constant

# One processor shares nothing.
$ cairn memory --table sharing $EXAMPLES/traps.rst
| lines_of  lines  percent

# What makes no sense.
$ cairn memory --cache 32K $EXAMPLES/sort.zstf
! cairn: --cache is SIZE,WAYS,LINE (32K,8,64), not '32K'
= 2
$ cairn memory --cache 32K,3,64 $EXAMPLES/sort.zstf
! cairn: a cache of 32768 bytes, 3 ways and lines of 64 bytes cannot be: a line is a power of two, and sets of whole lines fill it
= 2
$ cairn memory --line 60 $EXAMPLES/sort.zstf
! cairn: a line is a power of two up to 4096 bytes, not 60
= 2
$ cairn memory --reuse maybe $EXAMPLES/sort.zstf
! cairn: --reuse is exact, sampled, sampled:N or none, not 'maybe'
= 2

# Processors beyond those that a set of them can hold: that is said.
$ printf 'core %3d: 3 0x0000000080000000 (0x00b52023) mem 0x0000000080001000 0x00000001\n' 0 63 5 0 > near.log; cairn memory --csv --table sharing near.log
| lines_of,lines,percent
| one cpu,0,0
| "several, all reading",0,0
| "several, one writing",0,0
| several writing,1,100
$ printf 'core %3d: 3 0x0000000080000000 (0x00b52023) mem 0x0000000080001000 0x00000001\n' 0 64 > far.log; cairn memory --csv --table lines far.log; cairn memory --estimate far.log 2>&1 > /dev/null | grep processors
| address,symbol,reads,writes,cpus
| 0x80001000,,0,2,1
| cairn: far.log: processors from 64 on are counted as one of those below: there may be more sharing than is shown
! cairn: far.log: processors from 64 on are counted as one of those below: there may be more sharing than is shown
$ cairn memory --csv --table lines far.log cpu0
| address,symbol,reads,writes,cpus
| 0x80001000,,0,1,1

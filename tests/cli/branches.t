# The branches of a sample.
$ cairn branches --top 5 --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf
| instructions          38617
| executed              38617
| branches               8915
| static_branches          62
| taken                  5765
| conditional            5196
| conditional_taken      2046
| outcome_unknown           0
| transitions            1385
| indirect               2550
| calls                  1444
| returns                1443
| deepest_call             15
| returns_below_start       0
| bias_entropy         0.6132
| local_entropy        0.3237
| global_entropy       0.3711
|
| kind           static  executed  percent  taken_percent
| conditional        22      5196    58.28          39.38
| jump                4       832     9.33         100.00
| call               22       337     3.78         100.00
| indirect call       2      1107    12.42         100.00
| return             12      1443    16.19         100.00
|
| class      static  executed  percent  taken_percent
| never           7       111     2.14           0.00
| biased          4       480     9.24          98.96
| repeating       1        16     0.31          75.00
| hard           10      4589    88.32          33.97
|
| pc       function    kind         executed  taken_percent  targets  transitions  class  trip  local_entropy  global_entropy
| 0x10230  merge_sort  conditional       640          14.84        1          189  hard      -          0.277           0.191
| 0x10234  merge_sort  conditional       640          10.47        1           93  hard      -          0.356           0.252
| 0x1026a  merge_sort  conditional       640          85.16        1          189  hard      -          0.277           0.326
| 0x10308  ascending   return            602         100.00        1            -  -         -              -               -
| 0x103ae  quick_sort  conditional       602          10.47        1           93  hard      -          0.288           0.369
| … and 57 more

# Reference predictors, of a stated size.
$ cairn branches --table predictors --predictor bimodal:1K,tage:8K $EXAMPLES/sort.zstf
| predictor  bytes  predicted  missed  missed_percent  per_1000
| bimodal     1024       5196    1120          21.555    29.003
| tage        7168       5196     813          15.647    21.053
| targets    32896       2550       2           0.078     0.052

# A series of one table.
$ cairn branches --csv --table classes --every 10k $EXAMPLES/sort.zstf ..20000
| first,last,class,static,executed,percent,taken_percent
| 1,10000,never,1,1,0.0964320154,0
| 1,10000,biased,1,96,9.25747348,98.9583333
| 1,10000,hard,3,940,90.6460945,25.5319149
| 10001,20000,hard,9,1155,100,37.3160173

# JSON: figures are one object; what does not apply is null.
needs: json
$ cairn branches --json $EXAMPLES/sort.zstf | json summary.branches summary.calls branches.0.pc branches.0.trip
| 8915 1444 0x10230 null

# For championship predictors.
$ cairn branches -o s.bt9 $EXAMPLES/sort.zstf && grep -c EDGE s.bt9 && tail -n 1 s.bt9
| 96
| EOF
$ cairn branches --to bt9 $EXAMPLES/traps.rst | grep count
! cairn: BT9 holds the branches of one processor: choose one with a region (cpu0)
= 1

# What makes no sense.
$ cairn branches --predictor oracle $EXAMPLES/sort.zstf
! cairn: predictors are bimodal, gshare, tage or all, each may be followed by :BYTES; 'oracle' is none
= 2
$ cairn branches --predictor tage:1 $EXAMPLES/sort.zstf
! cairn: the size of a predictor is 64 bytes to 64M, not 'tage:1'
= 2
$ cairn branches --to elf $EXAMPLES/sort.zstf
! cairn: branches is written as tables, bt9, not as 'elf'
= 2

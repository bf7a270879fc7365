# Who called whom in a sample.
$ cairn calls --top 6 --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf
| instructions       38617
| calls               1444
| returns             1443
| tail_calls             0
| frames_unwound         0
| returns_unmatched      0
| traps                  0
| trap_returns           0
| stack_switches         0
| breaks                 0
| deepest               16
| beyond_depth           0
|
| function    address  calls   self  self_percent  total  total_percent
| merge_sort  0x101c6    191  18307         47.41  21337          55.25
| quick_sort  0x10360    127   9973         25.83  13585          35.18
| ascending   0x102f6    602   3612          9.35   3612           9.35
| descending  0x102e2    505   3030          7.85   3030           7.85
| mean        0x1028a      2    976          2.53    976           2.53
| fill        0x1018a      1    874          2.26    874           2.26
| … and 6 more
|
| depth  calls  self  total  percent  path
|     1      0     4  38617   100.00  _start
|     2      1    64  38613    99.99    start
|     3      1  2156  21337    55.25      merge_sort
|     4      2  2242  18641    48.27        merge_sort
|     5      4  2274  15835    41.01          merge_sort
|     6      8  2410  13045    33.78            merge_sort
| … and 46 more

# An image that has no symbols.
$ printf '\37 \3\325' > raw; cairn calls --table summary --image raw@0x50000 $EXAMPLES/sort.zstf | head -n 2
| instructions       38617
| calls               1444
# Without symbols: the addresses that were called.
$ cairn calls --table functions --top 3 $EXAMPLES/sort.zstf
| function  address  calls   self  self_percent  total  total_percent
| 0x101c6   0x101c6    191  18307         47.41  21337          55.25
| 0x10360   0x10360    127   9973         25.83  13585          35.18
| 0x102f6   0x102f6    602   3612          9.35   3612           9.35
| … and 9 more
! cairn: $EXAMPLES/sort.zstf: without symbols (--image) a function is the address that was called

# A region begins in the middle of a stack.
$ cairn calls --table tree --top 4 --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf 20000..21000
| depth  calls  self  total  percent  path
|     1      0   103   1001   100.00  merge_sort
|     2      1    28    898    89.71    merge_sort
|     3      2   190    870    86.91      merge_sort
|     4      3   316    656    65.53        merge_sort
| … and 5 more

# Pictures and stacks for other programs.
$ cairn calls --to folded --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf | sort | head -n 4
| _start 4
| _start;start 64
| _start;start;deviation 692
| _start;start;deviation;mean 488
$ cairn calls --image $EXAMPLES/sort.elf -o f.svg $EXAMPLES/sort.zstf && grep -c '<title>merge_sort' f.svg && tail -n 1 f.svg
| 8
| </svg>
needs: json
$ cairn calls --to speedscope $EXAMPLES/sort.zstf | json profiles.0.type profiles.0.endValue
| sampled 38617
$ cairn calls --to timeline --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf | json traceEvents.0.name traceEvents.3.ph traceEvents.3.ts
| _start E 888
$ cairn calls --json $EXAMPLES/sort.zstf | json summary.calls functions.0.address notes.0
| 1444 0x101c6 without symbols (--image) a function is the address that was called

# Traps of SPARC.
$ cairn calls --table summary $EXAMPLES/traps.rst
| instructions       10
| calls               0
| returns             0
| tail_calls          0
| frames_unwound      0
| returns_unmatched   0
| traps               1
| trap_returns        1
| stack_switches      0
| breaks              1
| deepest             2
| beyond_depth        0
! cairn: $EXAMPLES/traps.rst: without symbols (--image) a function is the address that was called

# What makes no sense.
$ cairn calls --to png $EXAMPLES/sort.zstf
! cairn: calls is written as tables, folded, speedscope, svg, timeline, not as 'png'
= 2
$ cairn calls --to svg --every 100 $EXAMPLES/sort.zstf
! cairn: a picture of calls shows one interval: choose a region instead of a series
= 2

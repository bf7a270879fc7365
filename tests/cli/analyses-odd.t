# Traces of which there is little to tell: every analysis says so, alike on 1 and 2 threads.
$ printf '%s\n' 'for v in mix branches "branches --predictor all" memory "memory --cache 1K,2,64" blocks calls "calls --to folded" "calls --to speedscope" "calls --to svg" deps overview "overview --every 7" "mix --every 7" "simpoints --every 1000" "blocks --to bb --every 1000"; do for j in 1 2; do cairn $v -q -j$j "$@" > $j 2>&1; echo "$? $v"; done | uniq; cmp 1 2; done' > all; chmod +x all

# One instruction.
$ cairn slice -q -o one.stf $EXAMPLES/sort.zstf 1..1; ./all one.stf | cut -c1 | sort | uniq -c | tr -s ' '
|  16 0
$ cairn blocks --csv one.stf; cairn branches --csv --table summary one.stf; cairn overview one.stf | head -n 4
| instructions,blocks,static_blocks,mean_length
| 1,1,1,1
|
| pc,end,function,executions,instructions,percent,length
| 0x10120,0x10124,,1,1,100,1
| instructions,executed,branches,static_branches,taken,conditional,conditional_taken,outcome_unknown,transitions,indirect,calls,returns,deepest_call,returns_below_start,bias_entropy,local_entropy,global_entropy
| 1,1,0,0,0,0,0,0,0,0,0,0,0,0,,,
| 1 instructions, 64 in a column
|                           |
| instruction               1
| int               100.0%  █

# None: nothing fits the expression, and nothing is in the region.
$ ./all -w 'pc == 1' $EXAMPLES/sort.zstf | cut -c1 | sort | uniq -c | tr -s ' '
|  16 0
$ cairn mix -w 'pc == 1' --csv --table class $EXAMPLES/sort.zstf
| class,count,percent
! cairn: $EXAMPLES/sort.zstf: no instruction is selected
$ cairn memory -w 'pc == 1' --csv --table summary $EXAMPLES/sort.zstf
| instructions,executed,with_access,accesses,reads,writes,read_bytes,written_bytes,prefetches,others,address_unknown,unaligned,cross_line,cross_page,lines,pages,lines_written,new_lines,new_pages,lines_so_far,pages_so_far
| 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
! cairn: $EXAMPLES/sort.zstf: no instruction is selected
$ ./all $EXAMPLES/sort.zstf 99999.. | cut -c1 | sort | uniq -c | tr -s ' '
|  16 0

# Intervals longer than any trace, and of one instruction.
$ cairn mix --every 18446744073709551615 --csv --table size $EXAMPLES/sort.zstf
| first,last,size,count,percent
| 1,38617,2,24220,62.7184919
| 1,38617,4,14397,37.2815081
$ cairn overview --every 18446744073709551615 --csv --table columns $EXAMPLES/sort.zstf | cut -d, -f 1-3
| first,last,instructions
| 1,38617,38617
$ cairn overview --every 1 --csv --table columns $EXAMPLES/sort.zstf 1..100 | wc -l
| 101

# A log of Spike's: what it does not hold is said, not counted as zero.
$ printf 'core   0: 0x%016x (0x%08x) %s\n' 4096 19 nop 4100 0x00c58533 'add a0, a1, a2' 4104 0x0005b503 'ld a0, 0(a1)' 4108 0xfe000ae3 'beqz zero, pc - 12' 4096 19 nop > spike.log; ./all spike.log | cut -c1 | sort | uniq -c | tr -s ' '
|  16 0
$ cairn memory --csv --table summary spike.log | cut -d, -f 1-6; cairn branches --csv --table kinds spike.log; cairn deps --csv --table summary spike.log
| instructions,executed,with_access,accesses,reads,writes
| 5,5,,,,
| kind,static,executed,percent,taken_percent
| conditional,1,1,100,100
| executed,registers_unknown,sources,sources_from_before
| 5,0,3,3
! cairn: spike.log: the trace does not record which memory was accessed

# A part of a table's numbers are that of the whole, and slices add up to it.
needs: awk
$ for r in 1..10000 10001..20000 20001..; do cairn mix --csv --table mnemonic --by mnemonic $EXAMPLES/sort.zstf $r | sed 1d; done | awk -F, '{ n[$1] += $2 } END { for (m in n) print m "," n[m] }' | sort > parts; cairn mix --csv --by mnemonic $EXAMPLES/sort.zstf | sed 1d | cut -d, -f1,2 | sort | cmp - parts && echo alike
| alike

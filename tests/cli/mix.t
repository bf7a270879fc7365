# What a program of the samples is made of.
$ cairn mix --top 4 $EXAMPLES/sort.zstf
| class   count  percent
| int     17287    44.77
| load     6474    16.76
| branch   5196    13.46
| store    3916    10.14
| … and 9 more
|
| mnemonic  count  percent
| c.lw       4166    10.79
| c.addi     3281     8.50
| c.sw       2400     6.21
| c.add      2370     6.14
| … and 49 more
|
| extension  count  percent
| c          24220    62.72
| i          12382    32.06
| a           1107     2.87
| d            780     2.02
| … and 1 more
|
| size  count  percent
|    2  24220    62.72
|    4  14397    37.28

# By function, of a region, executed only.
$ cairn mix --by function,class --image $EXAMPLES/sort.elf --where executed --top 5 $EXAMPLES/sort.zstf 1..5000
| function    class   count  percent
| ascending   int       884    17.68
| quick_sort  int       793    15.86
| quick_sort  load      783    15.66
| fill        int       488     9.76
| quick_sort  branch    446     8.92
| … and 14 more

# A series for a spreadsheet, one table of several.
$ cairn mix --csv --every 2000 --by "size class" --table size $EXAMPLES/sort.zstf ..6000
| first,last,size,count,percent
| 1,2000,2,1152,57.6
| 1,2000,4,848,42.4
| 2001,4000,2,1346,67.3
| 2001,4000,4,654,32.7
| 4001,6000,2,1383,69.15
| 4001,6000,4,617,30.85

# JSON: what the trace does not know is null.
needs: json
$ cairn mix --json --by process --top 1 $EXAMPLES/sort.zstf 1..1000 | json process.0.process process.0.count notes
| null 1000 []

# SPARC counts, too; its extensions are not known.
$ cairn mix --by "class extension" --top 3 $EXAMPLES/traps.rst
| class  count  percent
| nop        3    30.00
| int        2    20.00
| load       2    20.00
| … and 3 more
|
| extension  count  percent
| -             10   100.00

# What makes no sense.
$ cairn mix --by colour $EXAMPLES/sort.zstf
! cairn: instructions are counted by class, mnemonic, extension, size, isa, function, process, privilege or cpu, not by 'colour'
= 2
$ cairn mix --by function $EXAMPLES/sort.zstf
! cairn: counting by function needs symbols (--image)
= 2
$ cairn mix --json --csv $EXAMPLES/sort.zstf
! cairn: choose --json or --csv, not both
= 2
$ cairn mix --every 0 $EXAMPLES/sort.zstf
! cairn: --every is at least 1
= 2
$ cairn mix --top x $EXAMPLES/sort.zstf
! cairn: --top is a number, not 'x'
= 2
$ cairn mix --table size --by class $EXAMPLES/sort.zstf
! cairn: there is no table 'size'; there is class
= 2
# A table that there is not is known before the trace is read, so where it ends is not.
$ cairn convert $EXAMPLES/sort.zstf --to stf -o - | head -c 90000 > cut.stf
$ for verb in mix branches memory blocks calls deps overview "simpoints --every 100"; do
>   cairn $verb --table none cut.stf 2>&1 | sed 's/;.*//'; done
| cairn: there is no table 'none'
| cairn: there is no table 'none'
| cairn: there is no table 'none'
| cairn: there is no table 'none'
| cairn: there is no table 'none'
| cairn: there is no table 'none'
| cairn: there is no table 'none'
| cairn: there is no table 'none'
$ cairn simpoints --every 100 --csv --table summary $EXAMPLES/sort.zstf
| intervals,interval_length,clusters
| 387,100,21
$ cairn mix $EXAMPLES/sort.zstf 1000000000..
! cairn: $EXAMPLES/sort.zstf: no instruction is selected
# A region of records ends the reading, whatever other threads have begun by then.
$ cairn slice -q $EXAMPLES/sort.zstf 1..6000 -o u.stf; cairn convert -q u.stf -o u.zstf --to zstf:chunk=500; for verb in mix overview; do cairn $verb -j 1 u.zstf r85..r115 > one; for i in $(seq 60); do cairn $verb -j 2 u.zstf r85..r115 2>&1 | cmp - one; done; done

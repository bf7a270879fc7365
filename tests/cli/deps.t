# What a sample's instructions depend on.
$ cairn deps --top 10 $EXAMPLES/sort.zstf
| executed             38617
| registers_unknown        0
| sources              48438
| sources_from_before     23
|
| window  steps    ilp
|      8   9766   3.95
|     16   6991   5.52
|     32   4925   7.84
|     64   3587  10.77
|    128   2780  13.89
|    256   2163  17.85
|   1024   1277  30.24
|      -    417  92.61
|
| instructions_from  instructions_to    int   fp  vector  percent  cumulative
|                 1                1  11296  580       0    24.53       24.53
|                 2                3   8800    3       0    18.18       42.71
|                 4                7   7959  290       0    17.04       59.75
|                 8               15   2946    1       0     6.09       65.84
|                16               31   6003    3       0    12.41       78.24
|                32               63   2720    4       0     5.63       83.87
|                64              127   2808    9       0     5.82       89.69
|               128              255   1582   19       0     3.31       92.99
|               256              511   1470   36       0     3.11       96.10
|               512             1023   1078   24       0     2.28       98.38
| … and 5 more
|
| candidate    count  percent
| lui, addi        2     0.01
| auipc, addi   1116     2.89
| auipc, load      1     0.00
| slli, add     2051     5.31
| add, load      709     1.84
| load pair     1330     3.44
| store pair    1332     3.45
|
| first     second    dependent  count  percent
| slli      c.add     yes         1990     5.15
| c.lw      c.lw      no          1571     4.07
| c.sw      c.addi    no          1376     3.56
| c.sdsp    c.sdsp    no          1332     3.45
| c.ldsp    c.ldsp    no          1330     3.44
| c.addi    beq       yes         1242     3.22
| addi      c.li      no          1121     2.90
| auipc     addi      yes         1116     2.89
| amoadd.d  sltu      no          1107     2.87
| c.li      amoadd.d  yes         1107     2.87
| … and 129 more

# A series.
$ cairn deps --csv --every 20k --table fusion $EXAMPLES/sort.zstf
| first,last,candidate,count,percent
| 1,20000,"lui, addi",2,0.01
| 1,20000,"auipc, addi",711,3.555
| 1,20000,"slli, add",767,3.835
| 1,20000,"add, load",154,0.77
| 1,20000,load pair,708,3.54
| 1,20000,store pair,750,3.75
| 20001,38617,"auipc, addi",405,2.17543106
| 20001,38617,"auipc, load",1,0.00537143471
| 20001,38617,"slli, add",1284,6.89692217
| 20001,38617,"add, load",555,2.98114626
| 20001,38617,load pair,622,3.34103239
| 20001,38617,store pair,582,3.126175

# JSON: the row without a window has null.
needs: json
$ cairn deps --json $EXAMPLES/sort.zstf | json ilp.0.window ilp.7.window ilp.7.steps pairs.0.first
| 8 null 417 slli

# SPARC: only what the trace recorded is known.
$ cairn deps --table summary $EXAMPLES/traps.rst
| executed             9
| registers_unknown    0
| sources              5
| sources_from_before  4

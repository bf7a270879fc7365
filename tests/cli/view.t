# A trace of four instructions: two processes, a taken jump, a comment, a fault.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\01\010\0\0\0\0\0' >  a.stf
$ printf '%b' '\011\0\0\0\0200\0\0\0\0\023\010\0\0\0\0\052\0\0\0\07\0\0\0' >> a.stf
$ printf '%b' '\050\05\0\041\01\0\0\0\0\0\0\0\0360\023\0\0\0\037\020\0\0\0200\0\0\0\0\0361\061\0240' >> a.stf
$ printf '%b' '\03\05\0\0\0a\nb\033c\074\064\022\0\0\0\0\0\0\02\0\0\0\01\075\0357\0276\0\0\0\0\0\0' >> a.stf
$ printf '%b' '\0144\015\0\0\0\0\0\0\0\01\064\022\0\0\0\0\0\0\0145\0\01\0\0200\0\0\0\0\0360\03\043\0\0' >> a.stf
$ printf '%b' '\010\0\0\0\0\053\0\0\0\07\0\0\0\0360\023\0\0\0' >> a.stf
$ cairn view -D a.stf
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
|         2  0000000080000004  a031      PC 0000000080000010
|         3  0000000080000010  00002303  aborted
| CONTEXT cpu=0 hw_tid=0 pid=43 tid=7
|         4  0000000080000100  00000013
$ cairn view -Dr a.stf 1
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
|            src t0 = 0x0000000000000001
$ cairn view -Dr a.stf 1..1
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
|            src t0 = 0x0000000000000001
$ cairn view -Dm a.stf 3..3
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
|         3  0000000080000010  00002303  aborted
|            MEM READ  0x0000000000001234 2 = 0xbeef
$ cairn view -De a.stf 3..3
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
|         3  0000000080000010  00002303  aborted
|            COMMENT a\nb\x1bc
|            EVT LOAD_PAGE_FAULT 0x1234 PC 0000000080000100
$ cairn view -D --all a.stf -R 3.. -j 1
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
|         3  0000000080000010  00002303  aborted
|            COMMENT a\nb\x1bc
|            MEM READ  0x0000000000001234 2 = 0xbeef
|            EVT LOAD_PAGE_FAULT 0x1234 PC 0000000080000100
| CONTEXT cpu=0 hw_tid=0 pid=43 tid=7
|         4  0000000080000100  00000013
$ cairn view -D a.stf 2+2 pid43
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
|         2  0000000080000004  a031      PC 0000000080000010
|         3  0000000080000010  00002303  aborted
| CONTEXT cpu=0 hw_tid=0 pid=43 tid=7
|         4  0000000080000100  00000013
# The same from a pipe, and through a codec.
$ cairn view -D - < a.stf | tail -n 1
|         4  0000000080000100  00000013
$ cat a.stf | cairn view -D - 4..
| CONTEXT cpu=0 hw_tid=0 pid=43 tid=7
|         4  0000000080000100  00000013
$ gzip -k a.stf && cairn view -D a.stf.gz 4..
| CONTEXT cpu=0 hw_tid=0 pid=43 tid=7
|         4  0000000080000100  00000013
# Where nothing is selected the answer is no.
$ cairn view -D a.stf 5..
! cairn: a.stf: the selection is empty
= 1
$ cairn view -D a.stf -w 'class==store'
! cairn: a.stf: the selection is empty
= 1
$ cairn view -D a.stf -w 'class==load'
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
|         3  0000000080000010  00002303  aborted
# Colour only when asked for.
$ cairn view -D --color=always a.stf 2..3
| \x1b[2mCONTEXT cpu=0 hw_tid=0 pid=42 tid=7\x1b[0m
|         2  0000000080000004  a031    \x1b[36m  PC 0000000080000010\x1b[0m
|         3  0000000080000010  00002303\x1b[33m  aborted\x1b[0m
# Who reads our output may go away.
$ cairn view -D a.stf | head -n 1
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=7
$ cairn view -D a.stf | true

# What follows from what a trace tells, by executing it.
needs: json grep
$ cp $EXAMPLES/sort.zstf t.zstf; cairn edit -q --drop INST_REG t.zstf -o lean.zstf
$ cairn view -rmD --derive lean.zstf 6..7
| CONTEXT priv=user
|         6  000000000001040e  ec06
|            src sp = 0x0000004000800d80 (derived)
|            src ra = 0x0000000000010130 (derived)
|            MEM WRITE 0x0000004000800d98 8 = 0x0000000000010130
|         7  0000000000010410  e822
|            src sp = 0x0000004000800d80 (derived)
|            src s0 = 0x0000000000000000 (derived)
|            MEM WRITE 0x0000004000800d90 8 = 0x0000000000000000
$ cairn view -D --derive --json lean.zstf 6 | json regs.0.name regs.0.value regs.0.derived mems.0.derived
| x2 0x0000004000800d80 true -
# A region is as in the whole; any number of threads and a pipe give the same.
$ cairn view -rmD --derive lean.zstf > a; cairn view -rmD --derive -j 3 lean.zstf | cmp - a; cairn view -rmD --derive - < lean.zstf | cmp - a
$ cairn view -rmD --derive lean.zstf 20000..20500 | grep -v CONTEXT > b; sed -n '/^ *20000 /,/^ *20501 /p' a | sed '$d' | cmp - b
# The state.
$ cairn view --state -rD lean.zstf 20000 | grep sp; cairn view --state -rD --derive lean.zstf 20000 | grep sp
|   x2 sp         0x0000004000800c00  19774 (derived)
# Memory that follows is marked, too; in a log of VIXL the bytes that it does not show.
$ cairn edit -q --drop INST_MEM_ACCESS t.zstf -o bare.zstf; cairn view --state -mD --derive --memory 0x11540+16 --memory 0x4000800d9f+2 bare.zstf 5000
| STATE before 5000
| MEMORY
|   0x0000000000011540  ?? ?? ?? ?? ?? ?? ?? ?? 70 05 00 00 5d 0b 00 00 (derived)
| MEMORY
|   0x0000004000800d90                                               00 (derived)
|   0x0000004000800da0  ??
| CONTEXT priv=user
|      5000  00000000000103b2  408c
$ cairn view --state -mD --derive --json --memory 0x11540+16 bare.zstf 5000 | json memory.0.addr memory.0.bytes memory.0.derived
| 0x0000000000011548 700500005d0b0000 true
$ cairn view --state -mD $EXAMPLES/sum.vixl 19; cairn view --state -mD --json $EXAMPLES/sum.vixl 19 | json memory.0.bytes memory.0.derived memory.1.addr memory.1.bytes memory.1.derived
| STATE before 19
| MEMORY
|   0x0000000000010000  11 92 33 ac ff ff ff ff ff ff ff ?? ?? ?? ?? ?? (derived 3..a)
|        19  0000000000400020  d65f03c0  PC 0000000000000000
| 119233 - 0x0000000000010003 acffffffffffffff true
# Who wrote it?
$ cairn find -rD --derive lean.zstf --writes sp --before 20000
| CONTEXT priv=user
|     19774  0000000000010284  6125
|            src sp = 0x0000004000800ba0 (derived)
|            dst sp = 0x0000004000800c00 (derived)
$ cairn find --derive --count lean.zstf 'reg(name==x2 && value==0x4000800d80)'
| 17
# Written: the values and their number; twice is once.
$ cairn convert -q --derive lean.zstf -o d.zstf; cairn view -eD d.zstf | grep -c 'COMMENT cairn: derived in all: [0-9]* results, [0-9]* source values, 0 addresses of accesses, 0 loaded and 0 stored values'
| 1
$ cairn check -q --execute d.zstf; cairn view -rmD d.zstf | grep -v COMMENT > a; cairn convert -q --derive d.zstf -o e.zstf; cairn view -rmD e.zstf | cmp - a
# edit writes it, too, in the trace's own format, and nothing else in the same run.
$ cairn edit -q --derive lean.zstf -o edited.zstf; cairn convert -q --derive lean.zstf -o made.zstf; cairn view -r edited.zstf > a; cairn view -r made.zstf | cmp - a
$ cairn edit --derive --drop EVENT lean.zstf -o x.zstf; ls x.zstf
! cairn: --derive changes nothing else in the same run: edit its output in another one
! ls: cannot access 'x.zstf': No such file or directory
= 2

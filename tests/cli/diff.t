# A loop of three rounds, and of two; one register differs before it.
$ header() { printf '\1STF\2\1\0\0\0\5\0\0\0\4\1\0\5\2\0\x09\0\x10\0\0\0\0\0\0\x13'; }
> round() { printf '\x28\x0a\0\x31'"$1"'\0\0\0\0\0\0\0\xf1\x7d\x15'; }
> again() { printf '\x1f\0\x10\0\0\0\0\0\0\xf1\x7d\xfd'; }
> out() { printf '\xf1\x7d\xfd\xf1\x82\x80'; }
> { header; round '\3'; again; round '\2'; again; round '\1'; out; } > a.stf
> { header; round '\3'; again; round '\7'; out; } > b.stf
> { header; round '\3'; again; round '\2'; out; } > c.stf
$ cairn diff a.stf a.stf
| --- A a.stf
| +++ B a.stf
| differences   0
| equal         7
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
$ cairn diff -q a.stf a.stf
$ cairn diff --no-disasm a.stf c.stf
| --- A a.stf
| +++ B c.stf
| @@ A 4, B 4 @@ changed: taken
|  FORCE_PC 0000000000001000
|          1         1  0000000000001000  157d      forced
|          2         2  0000000000001002  fd7d      PC 0000000000001000
|          3         3  0000000000001000  157d
| -        4         4  0000000000001002  fd7d      PC 0000000000001000
| +        4         4  0000000000001002  fd7d
| @@ A 5..6, B before 5 @@ 2 only in A
| -        5            0000000000001000  157d
| -        6            0000000000001002  fd7d
|          7         5  0000000000001004  8082
| different     first at instruction 4 of A, 4 of B
| differences   2
| equal         4
| changed       1
| only in A     2
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
= 1
$ cairn diff --no-disasm -r b.stf c.stf
| --- A b.stf
| +++ B c.stf
| @@ A 3, B 3 @@ changed: regs
|  FORCE_PC 0000000000001000
|          1         1  0000000000001000  157d      forced
|                       dst a0 = 0x0000000000000003
|          2         2  0000000000001002  fd7d      PC 0000000000001000
| -        3         3  0000000000001000  157d
| -                     dst a0 = 0x0000000000000007
| +        3         3  0000000000001000  157d
| +                     dst a0 = 0x0000000000000002
|          4         4  0000000000001002  fd7d
|          5         5  0000000000001004  8082
| different     first at instruction 3 of A, 3 of B
| differences   1
| equal         4
| changed       1
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context, regs, values
= 1
$ cairn diff -r --ignore values b.stf c.stf
| --- A b.stf
| +++ B c.stf
| differences   0
| equal         5
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context, regs
$ cairn diff --ignore pcs b.stf c.stf
! cairn: --ignore knows pc, encoding, size, taken, target, flags, context, regs, mems, values, events and transaction, not 'pcs'
= 2
# Regions apply to both; a longer trace than its beginning.
$ cairn diff -R 1..2 a.stf c.stf
| --- A a.stf
| +++ B c.stf
| differences   0
| equal         2
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
$ cairn diff --limit 0 --window 8 --no-disasm $EXAMPLES/sort.zstf a.stf | head -3
| --- A $EXAMPLES/sort.zstf
| +++ B a.stf
| @@ A 1..38617, B 1..7 @@ 38617 only in A, 7 only in B; nothing alike within 8
# JSON lines: one for each difference, the sum last.
$ cairn diff --json --no-disasm -r b.stf c.stf
| {"difference":1,"kind":"changed","fields":["regs"],"within_window":true,"before":[{"n":1,"pc":"0x0000000000001000","encoding":"0x157d","size":2,"isa":"rv64","asm":null,"class":"int","flags":["forced"],"taken":false,"target":null,"context":null,"regs":[{"name":"x10","role":"dst","value":"0x0000000000000003"}],"mems":null,"events":[{"name":"FORCE_PC","phase":"before","code":null,"target":"0x0000000000001000","args":[]}]},{"n":2,"pc":"0x0000000000001002","encoding":"0xfd7d","size":2,"isa":"rv64","asm":null,"class":"branch","flags":[],"taken":true,"target":"0x0000000000001000","context":null,"regs":[],"mems":null,"events":[]}],"a":{"first":3,"count":1,"rows":[{"n":3,"pc":"0x0000000000001000","encoding":"0x157d","size":2,"isa":"rv64","asm":null,"class":"int","flags":[],"taken":false,"target":null,"context":null,"regs":[{"name":"x10","role":"dst","value":"0x0000000000000007"}],"mems":null,"events":[]}]},"b":{"first":3,"count":1,"rows":[{"n":3,"pc":"0x0000000000001000","encoding":"0x157d","size":2,"isa":"rv64","asm":null,"class":"int","flags":[],"taken":false,"target":null,"context":null,"regs":[{"name":"x10","role":"dst","value":"0x0000000000000002"}],"mems":null,"events":[]}]},"after":[{"n":4,"pc":"0x0000000000001002","encoding":"0xfd7d","size":2,"isa":"rv64","asm":null,"class":"branch","flags":[],"taken":false,"target":"0x0000000000001000","context":null,"regs":[],"mems":null,"events":[]},{"n":5,"pc":"0x0000000000001004","encoding":"0x8082","size":2,"isa":"rv64","asm":null,"class":"return","flags":[],"taken":null,"target":null,"context":null,"regs":[],"mems":null,"events":[]}]}
| {"differences":1,"equal":4,"changed":1,"only_a":0,"only_b":0,"compared":["pc","encoding","size","taken","target","flags","context","regs","values"],"executed_only":false}
= 1
$ cairn diff --json --no-disasm a.stf c.stf | head -1
| {"difference":1,"kind":"changed","fields":["taken"],"within_window":true,"before":[{"n":1,"pc":"0x0000000000001000","encoding":"0x157d","size":2,"isa":"rv64","asm":null,"class":"int","flags":["forced"],"taken":false,"target":null,"context":null,"regs":null,"mems":null,"events":[{"name":"FORCE_PC","phase":"before","code":null,"target":"0x0000000000001000","args":[]}]},{"n":2,"pc":"0x0000000000001002","encoding":"0xfd7d","size":2,"isa":"rv64","asm":null,"class":"branch","flags":[],"taken":true,"target":"0x0000000000001000","context":null,"regs":null,"mems":null,"events":[]},{"n":3,"pc":"0x0000000000001000","encoding":"0x157d","size":2,"isa":"rv64","asm":null,"class":"int","flags":[],"taken":false,"target":null,"context":null,"regs":null,"mems":null,"events":[]}],"a":{"first":4,"count":1,"rows":[{"n":4,"pc":"0x0000000000001002","encoding":"0xfd7d","size":2,"isa":"rv64","asm":null,"class":"branch","flags":[],"taken":true,"target":"0x0000000000001000","context":null,"regs":null,"mems":null,"events":[]}]},"b":{"first":4,"count":1,"rows":[{"n":4,"pc":"0x0000000000001002","encoding":"0xfd7d","size":2,"isa":"rv64","asm":null,"class":"branch","flags":[],"taken":false,"target":"0x0000000000001000","context":null,"regs":null,"mems":null,"events":[]}]},"after":[]}
# What cannot be done.
$ cairn diff a.stf
! cairn: diff compares two traces; usage: cairn diff [options] A B
= 2
$ cairn diff a.stf nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn diff --window 0 a.stf b.stf
! cairn: --window is at least 1
= 2
$ head -c 40 a.stf > cut.stf; cairn diff -qD a.stf cut.stf
| --- A a.stf
| +++ B cut.stf
| @@ A 1..7, B before 1 @@ 7 only in A
| -FORCE_PC 0000000000001000
| -        1            0000000000001000  157d      forced
| -        2            0000000000001002  fd7d      PC 0000000000001000
| -        3            0000000000001000  157d
| -        4            0000000000001002  fd7d      PC 0000000000001000
| -        5            0000000000001000  157d
| -        6            0000000000001002  fd7d
| -        7            0000000000001004  8082
| different     first at instruction 1 of A, 1 of B
| differences   1
| equal         0
| changed       0
| only in A     7
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
= 2

# Of nothing nothing is known to be equal; standard input is there once.
needs: cat tail
$ cairn diff -R 99.. a.stf a.stf | tail -n 5
| equal         0
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
! cairn: a.stf and a.stf: the selection is empty
$ cairn diff -R 99.. a.stf a.stf -q
! cairn: a.stf and a.stf: the selection is empty
= 1
$ cat a.stf | cairn diff - -
! cairn: standard input is named 2 times, but can be read only once
= 2

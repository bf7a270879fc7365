# A single source that contradicts is a finding, and nothing is concluded from it.
$ H='\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\0\010\0\0\0\0\0\011\0\0\0\0200\0\0\0\0\023'; printf '%b' "$H"'\050\01\0\061\0\01\0\0\0\0\0\0\0360\0223\0\0\020\050\01\0\041\01\01\0\0\0\0\0\0\050\01\0\061\01\01\0\0\0\0\0\0\0360\0223\0200\020\0\0360\023\0\0\0' > late.stf && cairn view -r late.stf && cairn view --state -r late.stf 2 | grep -w ra; cairn view --state -r --after late.stf 1 | grep -w ra; cairn check late.stf | grep reg.
| FORCE_PC 0000000080000000
|         1  0000000080000000  10000093  li ra, 256                        forced
|            dst ra = 0x0000000000000100
|         2  0000000080000004  00108093  addi ra, ra, 1
|            src ra = 0x0000000000000101
|            dst ra = 0x0000000000000101
|         3  0000000080000008  00000013  nop
|   x1 ra         0x0000000000000100  1
|         2  0000000080000004  00108093  addi ra, ra, 1
|         1  0000000080000000  10000093  li ra, 256                        forced
|   x1 ra         0x0000000000000100  1
| late.stf: byte 0x3e, record 11, instruction 2: warning: source ra is 0x101; the last value recorded was 0x100 [stf.reg.contradiction]
$ cairn info late.stf | grep -E '^(access|source|init)'
| access_sizes   bytes
| source_values  before
| initiators     library
$ cairn info --from stf:sizes=bits,sources=after,initiators=spec late.stf | grep -E '^(access|source|init|notes| )'
| access_sizes   bits
| source_values  after
| initiators     spec
| notes          access sizes are in bits, as --from says; everything but 'records' shows bytes
|                source values were read after the instruction, as --from says; those of registers that it writes are not believed
|                EVENT64
$ cairn info --from stf:sizes=words late.stf
! cairn: stf:sizes is bytes or bits, not 'words'
= 2
$ cairn info --from stf:words=1 late.stf
! cairn: reading STF has no option 'words=1'; it has events=32|64, ids=old|new, sizes=bytes|bits, sources=before|after, initiators=library|spec, version=1.2…1.6
= 2
$ cairn edit --to stf:sizes=bits -o x.stf late.stf
! cairn: stf:sizes is bytes, not 'bits'
= 2
$ cairn edit --from stf:sources=after --to stf:sources=before -o x.stf late.stf && cairn records x.stf | grep INST_REG | cut -c 22-
|   INST_REG           reg=1 kind=INTEGER operand=DEST value=0x0000000000000100
|   INST_REG           reg=1 kind=INTEGER operand=SOURCE value=0x0000000000000100
|   INST_REG           reg=1 kind=INTEGER operand=DEST value=0x0000000000000101
! cairn: late.stf: sources that got the value of before the instruction (at number 2)
# Of two values without a write between them the later one holds from the instruction that reads it,
# which the state names; check tells it, and no write is found where there was none.
$ H='\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\0\010\0\0\0\0\0\011\0\0\0\0200\0\0\0\0\023'; printf '%b' "$H"'\050\01\0\061\0\01\0\0\0\0\0\0\0360\0223\0\0\020\050\01\0\041\05\01\0\0\0\0\0\0\050\02\0\061\06\01\0\0\0\0\0\0\0360\0023\01\020\0\0360\023\0\0\0' > odd.stf && for at in '--after odd.stf 1' 'odd.stf 2' '--after odd.stf 2'; do cairn view --state -r $at | grep 'x1 ra'; done; cairn check odd.stf | grep reg.; cairn find odd.stf --writes ra --before 3 | tail -1; cairn slice -q -o rest.stf odd.stf 3.. && cairn view -r rest.stf | grep ra
|   x1 ra         0x0000000000000100  1
|   x1 ra         0x000000000000010?  2
|   x1 ra         0x0000000000000105  2
| odd.stf: byte 0x3e, record 11, instruction 2: warning: source ra is 0x105; the last value recorded was 0x100 [stf.reg.contradiction]
|         1  0000000080000000  10000093  li ra, 256                        forced
|            state ra = 0x0000000000000105
# What has no destination hides no contradiction: a nop, and a store whose distance looks like one.
$ H='\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\0\010\0\0\0\0\0\011\0\0\0\0200\0\0\0\0\023'; printf '%b' "$H"'\050\01\0\061\0\01\0\0\0\0\0\0\0360\0223\0\0\020\0360\023\0\0\0\0360\0243\040\021\0\050\01\0\041\05\01\0\0\0\0\0\0\050\02\0\061\06\01\0\0\0\0\0\0\0360\0023\01\020\0' > far.stf && cairn view far.stf && cairn check far.stf | grep reg.
| FORCE_PC 0000000080000000
|         1  0000000080000000  10000093  li ra, 256                        forced
|         2  0000000080000004  00000013  nop
|         3  0000000080000008  001120a3  sw ra, 1(sp)
|         4  000000008000000c  00100113  li sp, 1
| far.stf: byte 0x48, record 13, instruction 4: warning: source ra is 0x105; the last value recorded was 0x100 [stf.reg.contradiction]

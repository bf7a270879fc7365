# The format's own records, exactly.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\01\0x\07\040\01\010\0\0\0\0\0' >  a.stf
$ printf '%b' '\011\0\0\0\0200\0\0\0\0\023\050\05\0\041\01\0\0\0\0\0\0\0\0360\023\0\0\0' >> a.stf
$ printf '%b' '\03\05\0\0\0a\n"\033c\074\064\022\0\0\0\0\0\0\02\0\0\0\01\075\0357\0276\0\0\0\0\0\0\0360\03\043\0\0' >> a.stf
$ cairn records a.stf
|         1  0x00000000  IDENTIFIER         magic="STF"
|         2  0x00000004  VERSION            major=1 minor=6
|         3  0x0000000d  ISA                isa=RISCV
|         4  0x00000010  INST_IEM           iem=RV64
|         5  0x00000013  TRACE_INFO         generator=QEMU major=1 minor=2 minor_minor=3 comment="x"
|         6  0x0000001b  TRACE_INFO_FEATURE features=0x0000000000080120
|         7  0x00000024  FORCE_PC           pc=0x0000000080000000
|         8  0x0000002d  END_HEADER
|         9  0x0000002e  INST_REG           reg=5 kind=INTEGER operand=SOURCE value=0x0000000000000001
|        10  0x0000003a  INST_32            encoding=0x00000013
|        11  0x0000003f  COMMENT            text="a\n\"\x1bc"
|        12  0x00000049  INST_MEM_ACCESS    address=0x0000000000001234 bytes=2 attributes=0x0000 access=READ
|        13  0x00000057  INST_MEM_CONTENT   value=0x000000000000beef
|        14  0x00000060  INST_32            encoding=0x00002303
$ cairn records a.stf r11..r12
|        11  0x0000003f  COMMENT            text="a\n\"\x1bc"
|        12  0x00000049  INST_MEM_ACCESS    address=0x0000000000001234 bytes=2 attributes=0x0000 access=READ
$ cairn records a.stf 2..2
|        11  0x0000003f  COMMENT            text="a\n\"\x1bc"
|        12  0x00000049  INST_MEM_ACCESS    address=0x0000000000001234 bytes=2 attributes=0x0000 access=READ
|        13  0x00000057  INST_MEM_CONTENT   value=0x000000000000beef
|        14  0x00000060  INST_32            encoding=0x00002303
$ cairn records a.stf r100..
! cairn: a.stf: the selection is empty
= 1
# Records have no address and no context.
$ cairn records a.stf 0x80000000-0x80000fff
! cairn: records are chosen by number: 1000..2000 (instructions) or r100..r200 (records)
= 2
$ cairn records a.stf cpu0
! cairn: records are chosen by number: 1000..2000 (instructions) or r100..r200 (records)
= 2

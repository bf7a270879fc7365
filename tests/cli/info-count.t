# What a file is, and what is in it.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\03\05\0\0\0a\nb\033c\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\01\010\0\0\0\0\0' >  a.stf
$ printf '%b' '\011\0\0\0\0200\0\0\0\0\023\050\05\0\041\01\0\0\0\0\0\0\0\0360\023\0\0\0\0360\03\043\0\0' >> a.stf
$ cairn info a.stf
| format         STF
| version        1.6
| kind           instructions
| container      none
| codec          none
| isa            RISCV
| mode           RV64
| isa_extended   unknown
| vlen           unknown
| first_pc       0x80000000
| event_id_bits  64
| process_ids    hardware thread, PID, TID
| access_sizes   bytes
| source_values  before
| initiators     library
| instructions   2
| size           77
| generators     QEMU 1.2.3
| features       RV64
|                PTE
|                EVENT64
| comments       a\nb\x1bc
$ cairn count a.stf
| instructions                             2
| executed                                 2
| loads                                    1
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   0
| records_total                           12
|   IDENTIFIER                             1
|   VERSION                                1
|   COMMENT                                1
|   ISA                                    1
|   INST_IEM                               1
|   TRACE_INFO                             1
|   TRACE_INFO_FEATURE                     1
|   FORCE_PC                               1
|   END_HEADER                             1
|   INST_REG                               1
|   INST_32                                2
$ cairn count a.stf 2..
| instructions                             1
| executed                                 1
| loads                                    1
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   0
$ cairn count a.stf 3..
| instructions                             0
| executed                                 0
| loads                                    0
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   0
$ cairn info a.stf 1..2
! cairn: info takes one trace, and '1..2' is another
= 2
# A trace of transactions has no instructions; no program would tell more.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\06\01\01\02\03\0\0\07\0\0\020\0\0\0\0\0\013\01\014\01\01\0c\023' > x.stf
$ cairn count x.stf | head -n 3
| instructions                             0
| executed                                 0
| loads                                    0
$ cairn find x.stf 'pc==1'
= 1

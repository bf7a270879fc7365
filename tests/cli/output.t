# Output goes where it is told, whole or not at all, and never over the input.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\01\010\0\0\0\0\0' >  a.stf
$ printf '%b' '\011\0\0\0\0200\0\0\0\0\023\0360\023\0\0\0\0361\01\0' >> a.stf
$ cairn view -D a.stf -o out.txt && cat out.txt
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
|         2  0000000080000004  0001
$ cairn view -D a.stf -o a.stf
! cairn: a.stf: the output is the trace itself; it would be destroyed
= 2
$ ln a.stf b.stf; cairn count a.stf --output=b.stf
! cairn: a.stf: the output is the trace itself; it would be destroyed
= 2
$ cairn view -D - < a.stf -o a.stf
! cairn: -: the output is the trace itself; it would be destroyed
= 2
$ cairn view -D a.stf -o nowhere/out.txt
! cairn: nowhere/out.txt: No such file or directory
= 2
$ cairn view -D a.stf > /dev/full
! cairn: standard output: No space left on device
= 2
$ cairn info a.stf -o /dev/full
! cairn: /dev/full: No space left on device
= 2
$ cairn --help > /dev/full
! cairn: standard output: No space left on device
= 2
# Damaged: what could be read is delivered, the loss is told.
$ head -c 52 a.stf > cut.stf; cairn view -D cut.stf
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
| DAMAGE byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
! cairn: cut.stf: byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
= 2
$ cairn view -D cut.stf -o cut.txt; cat cut.txt
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
| DAMAGE byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
! cairn: cut.stf: byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
$ cairn count cut.stf -q
| instructions                             1
| executed                                 1
| loads                                    0
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   0
| records_total                            9
|   IDENTIFIER                             1
|   VERSION                                1
|   ISA                                    1
|   INST_IEM                               1
|   TRACE_INFO                             1
|   TRACE_INFO_FEATURE                     1
|   FORCE_PC                               1
|   END_HEADER                             1
|   INST_32                                1
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
= 2
# Strictly: no file.
$ cairn view -D --strict cut.stf -o strict.txt
! cairn: cut.stf: byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
= 2
$ cairn view -D --strict cut.stf
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
| DAMAGE byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
! cairn: cut.stf: byte 0x32, record 10, instruction 2: the input ends inside INST_16: 2 bytes of it are there
= 2
$ ls
| a.stf
| b.stf
| cut.stf
| cut.txt
| out.txt

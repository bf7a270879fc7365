# Spike: what is listed and what is committed are one instruction.
needs: gzip zstd
$ echo 'core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0' > both.log
$ echo 'core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000' >> both.log
$ echo 'core   0: 0x0000000080000004 (0x0002b203) ld      tp, 0(t0)' >> both.log
$ echo 'core   0: 3 0x0000000080000004 (0x0002b203) x4  0x0000000080002380 mem 0x0000000080000000' >> both.log
$ echo 'core   0: 0x0000000080000008 (0x00000073) ecall' >> both.log
$ echo 'core   0: exception trap_machine_ecall, epc 0x0000000080000008' >> both.log
$ echo 'core   0:           tval 0x0000000000000000' >> both.log
$ echo 'core   0: >>>>  handler' >> both.log
$ echo 'core   0: 0x0000000080000100 (0x00008282) jr      t0' >> both.log
$ echo 'core   0: 3 0x0000000080000100 (0x8282)' >> both.log
$ echo 'hello from the console' >> both.log
$ echo 'core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000 c768_mstatus 0x0000000a00000080' >> both.log
$ echo 'core   0: 3 0x0000000080000004 (0x00b50463)' >> both.log
$ echo 'core   0: 3 0x000000008000000c (0x0052b023) mem 0x0000000080002428 0x0000000000000012' >> both.log
$ cairn view -a both.log
| CONTEXT cpu=0 priv=machine
|         1  0000000080000000  00000297  auipc   t0, 0x0
|            dst t0 = 0x0000000080000000
|         2  0000000080000004  0002b203  ld      tp, 0(t0)
|            dst tp = 0x0000000080002380
|            MEM READ  0x0000000080000000 8 = 0x0000000080002380
| CONTEXT cpu=0
|         3  0000000080000008  00000073  ecall
|            EVT MACHINE_ECALL 0x0 PC 0000000080000100
| CONTEXT cpu=0 priv=machine
|         4  0000000080000100  8282      jr      t0                        PC 0000000080000000
|            COMMENT hello from the console
|         5  0000000080000000  00000297  auipc t0, 0
|            dst t0 = 0x0000000080000000
|            dst mstatus = 0x0000000a00000080
|         6  0000000080000004  00b50463  beq a0, a1, 0x8000000c            PC 000000008000000c
|         7  000000008000000c  0052b023  sd t0, 0(t0)
|            MEM WRITE 0x0000000080002428 8 = 0x0000000000000012
$ cairn info both.log
| format         Spike
| version        unknown
| container      none
| codec          none
| isa            rv64
| generators     Spike
| harts          1
| instructions   7
| foreign_lines  1
| unknown_lines  0
| records        14
| size           799
$ cairn count both.log
| instructions                             7
| executed                                 7
| loads                                    1
| stores                                   1
| branches                                 2
| branches_taken                           2
| events                                   1
| records_total                           14
|   TEXT                                   1
|   LIST                                   4
|   COMMIT                                 6
|   EXCEPTION                              1
|   TVAL                                   1
|   SYMBOL                                 1
$ cairn records both.log | head -n 8
|         1  0x00000000  LIST               hart=0 pc=0x0000000080000000 enc=0x00000297 asm="auipc   t0, 0x0"
|         2  0x0000003a  COMMIT             hart=0 priv=3 pc=0x0000000080000000 enc=0x00000297 reg="x5" value=0x0000000080000000
|         3  0x0000007d  LIST               hart=0 pc=0x0000000080000004 enc=0x0002b203 asm="ld      tp, 0(t0)"
|         4  0x000000b9  COMMIT             hart=0 priv=3 pc=0x0000000080000004 enc=0x0002b203 reg="x4" value=0x0000000080002380 read=0x0000000080000000
|         5  0x00000113  LIST               hart=0 pc=0x0000000080000008 enc=0x00000073 asm="ecall"
|         6  0x00000143  EXCEPTION          hart=0 pc=0x0000000080000008 name="trap_machine_ecall"
|         7  0x00000182  TVAL               hart=0 value=0x0000000000000000
|         8  0x000001ae  SYMBOL             hart=0 name="handler"
$ cairn find both.log 'class==load'
| CONTEXT cpu=0 priv=machine
|         2  0000000080000004  0002b203  ld      tp, 0(t0)
$ cairn mix both.log | head -n 6
| class   count  percent
| int         2    28.57
| branch      1    14.29
| load        1    14.29
| return      1    14.29
| store       1    14.29
# As STF: the same instructions, and no error.
$ cairn convert both.log -o both.zstf
! cairn: both.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (3, first at number 1)
$ cairn check both.zstf | grep -o "0 errors"
| 0 errors
$ cairn diff both.log both.zstf | grep differences
| differences   0
$ gzip -k both.log && cairn view -a both.log > a && cairn view -a both.log.gz > b && cairn view -a -j 3 --from spike:piece=100 both.log > c && cmp a b && cmp a c
$ cat both.log | cairn count - | head -n 1
| instructions                             7
# A damaged line is told by its number; it costs nothing else.
$ { head -n 4 both.log; echo 'core   0: 3 0x0000000080000008 (0x0000zz'; echo 'core   0: what'; tail -n 3 both.log; } > bad.log
$ cairn count bad.log
| instructions                             5
| executed                                 5
| loads                                    1
| stores                                   1
| branches                                 1
| branches_taken                           1
| events                                   0
| records_total                            9
|   UNKNOWN                                2
|   LIST                                   2
|   COMMIT                                 5
! cairn: bad.log: byte 0x113, line 5: the PC, the encoding or the mode of the instruction makes no sense; it is left out with its registers and accesses
! cairn: bad.log: byte 0x13c, line 6: the line names a core, but its kind is unknown
! cairn: bad.log: 2 damaged places; everything that can be read is in the output
= 2
$ cairn view -e bad.log
| CONTEXT cpu=0 priv=machine
|         1  0000000080000000  00000297  auipc   t0, 0x0
|         2  0000000080000004  0002b203  ld      tp, 0(t0)
| DAMAGE byte 0x113, line 5: the PC, the encoding or the mode of the instruction makes no sense; it is left out with its registers and accesses
| DAMAGE byte 0x13c, line 6: the line names a core, but its kind is unknown
|         3  0000000080000000  00000297  auipc t0, 0
|         4  0000000080000004  00b50463  beq a0, a1, 0x8000000c            PC 000000008000000c
|         5  000000008000000c  0052b023  sd t0, 0(t0)
! cairn: bad.log: byte 0x113, line 5: the PC, the encoding or the mode of the instruction makes no sense; it is left out with its registers and accesses
! cairn: bad.log: byte 0x13c, line 6: the line names a core, but its kind is unknown
! cairn: bad.log: 2 damaged places; everything that can be read is in the output
= 2
# The form of 2019, and RV32.
$ echo '3 0x80000000 (0x00000297) x 5 0x80000000' > old.log
$ cairn view -a old.log
| CONTEXT priv=machine
|         1  80000000  00000297  auipc t0, 0
|            dst t0 = 0x80000000
# Only listed: repetitions are counted there.
$ echo 'core   1: 0x0000000080000000 (0x0000a001) j       pc + 0x0' > list.log
$ echo 'core   1: Executed 3 times' >> list.log
$ cairn view -a list.log
| CONTEXT cpu=1
|         1  0000000080000000  a001      j       pc + 0x0                  PC 0000000080000000
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
# Tarmac of Fast Models.
$ echo '0 clk R X0 0000000000000007' > model.tarmac
$ echo '0 clk E 00000000:000000000000 00000000 CoreEvent_Reset' >> model.tarmac
$ echo '1 clk cpu0 IT (1) 0021074c:00000021074c_NS 340001a8 O EL3h_s : CBZ      w8,{pc}+0x34' >> model.tarmac
$ echo '2 clk cpu0 IS (2) 00210780 34ffffa8 O EL1t_ns : CBZ      w8,{pc}-0xc' >> model.tarmac
$ echo '3 clk cpu0 IT (3) 00210784 f81f0fe0 O EL1t_ns : STR x0,[sp,#-16]!' >> model.tarmac
$ echo '3 clk cpu0 MW8 000ffb68:0000000ffb68 00000000_00200167' >> model.tarmac
$ echo '3 clk cpu0 R q1 00000000000000010000000000000002' >> model.tarmac
$ echo '3 clk cpu0 R cpsr 600003cd' >> model.tarmac
$ echo '3 clk cpu0 R X1' >> model.tarmac
$ cairn view -a model.tarmac
| CONTEXT cpu=0 priv=el3 security=secure
|         1  000000000021074c  340001a8  CBZ      w8,{pc}+0x34             PC 0000000000210780
|            state x0 = 0x0000000000000007
|            EVT RESET 0x1000
| CONTEXT cpu=0 priv=el1 security=non-secure
|         2  0000000000210780  34ffffa8  CBZ      w8,{pc}-0xc
|         3  0000000000210784  f81f0fe0  STR x0,[sp,#-16]!
|            MEM WRITE 0x00000000000ffb68 8 = 0x0000000000200167 pa=0xffb68
|            dst v1 = 0x00000000000000010000000000000002
|            dst nzcv = 0x6
| DAMAGE byte 0x1b2, line 9: the register has no name or no whole value
! cairn: model.tarmac: byte 0x1b2, line 9: the register has no name or no whole value
! cairn: model.tarmac: 1 damaged place; everything that can be read is in the output
= 2
$ cairn records model.tarmac
|         1  0x00000000  REG                reg="X0" value=0x0000000000000007
|         2  0x0000001c  EVENT              name="00000000:000000000000 00000000 CoreEvent_Reset"
|         3  0x00000053  INSN               hart=0 priv=11 pc=0x000000000021074c enc=0x340001a8 asm="CBZ      w8,{pc}+0x34"
|         4  0x000000a8  INSN               hart=0 priv=9 pc=0x0000000000210780 enc=0x34ffffa8 asm="CBZ      w8,{pc}-0xc"
|         5  0x000000ed  INSN               hart=0 priv=9 pc=0x0000000000210784 enc=0xf81f0fe0 asm="STR x0,[sp,#-16]!"
|         6  0x0000012f  MEM                hart=0 write=0x00000000000ffb68 pa=0x00000000000ffb68 size=8 value=0x0000000000200167
|         7  0x00000166  REG                hart=0 reg="q1" value=0x00000000000000010000000000000002
|         8  0x00000197  REG                hart=0 reg="cpsr" value=0x600003cd
|         9  0x000001b2  UNKNOWN            text="3 clk cpu0 R X1"
! cairn: model.tarmac: byte 0x1b2, line 9: the register has no name or no whole value
! cairn: model.tarmac: 1 damaged place; everything that can be read is in the output
= 2
# Tarmac of RTL simulations.
$ echo 'Tarmac Text Rev 3t' > rtl.tarmac
$ echo '    0 tic ES  (00000000002105d4:a9be7bfd) O el3h_s:         STP      x29,x30,[sp,#-0x20]!' >> rtl.tarmac
$ echo '              ST 00000000000fffe0 00000000 002105e0 00000000 00000011    S:00000fffe0    nGnRnE OSH' >> rtl.tarmac
$ echo '              R SP_EL3 00000000000fffe0' >> rtl.tarmac
$ echo '    0 tic ES  (00000000002105d8:54000060) O el3h_s:         B.EQ     {pc}+0xc' >> rtl.tarmac
$ echo '              BR (00000000002105e4) O' >> rtl.tarmac
$ cairn view -a rtl.tarmac
| CONTEXT priv=el3 security=secure
|         1  00000000002105d4  a9be7bfd  STP      x29,x30,[sp,#-0x20]!
|            MEM WRITE 0x00000000000fffe0 8 = 0x0000000000000011 pa=0xfffe0
|            MEM WRITE 0x00000000000fffe8 8 = 0x00000000002105e0 pa=0xfffe8
|            dst sp = 0x00000000000fffe0
|         2  00000000002105d8  54000060  B.EQ     {pc}+0xc                 PC 00000000002105e4
# QEMU's execlog: the set follows from the encodings, or is stated.
$ echo '0, 0x10184, 0x2872703, "lw   a4,40(a4)", load, 0x000111ac, RAM, a4 -> 0x0000000000000007' > exec.txt
$ echo '0, 0x10188, 0x4798c398, "sw a4,0(a5)", store, 0x000111a8' >> exec.txt
$ cairn view -a exec.txt
| CONTEXT cpu=0
|         1  00010184  02872703  lw   a4,40(a4)
|            MEM READ  0x00000000000111ac 0
|            COMMENT a4 -> 0x0000000000000007
|         2  00010188  4798c398  sw a4,0(a5)
|            MEM WRITE 0x00000000000111a8 0
$ cairn view --from execlog:isa=a64 exec.txt
| CONTEXT cpu=0
|         1  0000000000010184  02872703  lw   a4,40(a4)
|         2  0000000000010188  4798c398  sw a4,0(a5)
$ cairn view --from execlog:isa=z80 exec.txt
! cairn: execlog:isa is rv32, rv64, a64, a32 or t32, not 'z80'
= 2
$ echo '0, 0x4006d0, 0xf94003e1, "ldr x1, [sp]", load, 0x55008007d0' > arm.txt
$ cairn view -a arm.txt
| CONTEXT cpu=0
|         1  00000000004006d0  f94003e1  ldr x1, [sp]
|            MEM READ  0x00000055008007d0 8
# They are read, not written.
$ cairn convert both.log -o x --to spike
! cairn: both.log: Spike traces cannot be packed otherwise
= 2
# Empty lines and CR LF change nothing: dialects are known all the same, with any beginning.
$ printf '0 clk R X%d 0000000000000007\n' 0 1 2 3 4 5 > first.log; printf '1 clk IT (1) 00001000 d503201f O EL1h_n : NOP\n1 clk R X1 0000000000000001\n' >> first.log
$ printf 'core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\ncore   0: 3 0x0000000080000004 (0x0052b023) mem 0x0000000080001008 0x0000000000000012\n' > second.log
$ printf '0, 0x400000, 0xd503201f, "nop"\n0, 0x400004, 0xf90003e1, "str x1, [sp]", store, 0x55008007d8\n' > third.log
$ for f in first second third; do sed 's/$/\r/' $f.log > crlf.log; sed G $f.log > empty.log; for x in crlf empty; do cairn diff -a $f.log $x.log | grep differences; done; done
| differences   0
| differences   0
| differences   0
| differences   0
| differences   0
| differences   0

# Where another core is says nothing about a branch that is the last of its core.
$ printf 'core   0: 3 0x0000000080000000 (0x00000463)\ncore   1: 3 0x0000000080000004 (0x00000013)\n' > two.log
$ cairn convert two.log -o two.stf && cairn view two.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000463  beqz zero, 0x80000008             forced
| CONTEXT cpu=1 hw_tid=1 pid=0 tid=0 priv=machine
|         2  0000000080000004  00000013  nop
! cairn: two.log: lost: outcomes of branches that are not known (at number 1)
! cairn: two.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (2, first at number 1)

# What stands where words should be and is none (CVA6 prints the encoding once more for a later
# tool) is no disassembly: the encoding is.
$ printf 'core   0: 0x0000000080000000 (0x00000297) DASM(00000297)\n3 0x0000000080000000 (0x00000297) x5 0x0000000080000000\ncore   0: 0x0000000080000004 (0x02028593) addi a1, t0, 32\ncore   0: 0x0000000080000008 (0x0000ffff) unknown\ncore   0: 0x000000008000000c (0x00b50533) .4byte 0xb50533\n' > cva6.log
$ cairn view cva6.log
| CONTEXT priv=machine
|         1  0000000080000000  00000297  auipc t0, 0
| CONTEXT cpu=0
|         2  0000000080000004  02028593  addi a1, t0, 32
|         3  0000000080000008  0000ffff  <unknown>
|         4  000000008000000c  00b50533  add a0, a0, a1
$ cairn records cva6.log | head -1
|         1  0x00000000  LIST               hart=0 pc=0x0000000080000000 enc=0x00000297
$ printf "0, 0x10000, 0x97, \"OBJD-T: 97000000\"\n0, 0x10004, 0x13, \"nop\"\n" > exec.log
$ cairn view --from execlog:isa=rv64 exec.log
| CONTEXT cpu=0
|         1  0000000000010000  00000097  auipc ra, 0
|         2  0000000000010004  00000013  nop

# An instruction of a core whose number has no room is told as lost.
$ printf 'Tarmac Text Rev 3t\n1 clk cluster3.cpu0 IT (1) 00001000 d503201f O EL1h_s : NOP\n2 clk cluster300.cpu0 IT (2) 00001004 d503201f O EL1h_s : NOP\n' > high.tarmac; cairn view high.tarmac
| CONTEXT cpu=768 priv=el1 security=secure
|         1  0000000000001000  d503201f  NOP
| DAMAGE byte 0x4f, line 3: the number of its core or cluster is above 255
! cairn: high.tarmac: byte 0x4f, line 3: the number of its core or cluster is above 255
! cairn: high.tarmac: 1 damaged place; everything that can be read is in the output
= 2
$ printf 'core   0: 0x0000000000001000 (0x00000013) nop\ncore   70000: 0x0000000000001004 (0x00000013) nop\n' > high.log; cairn view high.log
| CONTEXT cpu=0
|         1  0000000000001000  00000013  nop
| DAMAGE byte 0x2e, line 2: the number of its core is above 65534
! cairn: high.log: byte 0x2e, line 2: the number of its core is above 65534
! cairn: high.log: 1 damaged place; everything that can be read is in the output
= 2
$ printf '0, 0x10000, 0x13, "nop"\n65535, 0x10004, 0x13, "nop"\n' > high.exec; cairn view --from execlog:isa=rv64 high.exec
| CONTEXT cpu=0
|         1  0000000000010000  00000013  nop
| DAMAGE byte 0x18, line 2: the number of its core is above 65534
! cairn: high.exec: byte 0x18, line 2: the number of its core is above 65534
! cairn: high.exec: 1 damaged place; everything that can be read is in the output
= 2

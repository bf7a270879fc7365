# VIXL state traces: a small loop, with a line of its program's in between.
needs: gzip zstd
$ cairn info $EXAMPLES/sum.vixl
| format         VIXL
| version        unknown
| kind           instructions
| container      none
| codec          none
| isa            a64
| generators     VIXL AArch64 simulator
| dialect        since 2019-11
| vector_length  unknown
| logs           disasm
|                regs
|                vregs
|                sysregs
|                write
|                branch
| coloured       no
| addresses      as they were
| instructions   19
| runs           1
| foreign_lines  1
| unknown_lines  0
| records        52
| size           2355
$ cairn count $EXAMPLES/sum.vixl
| instructions                            19
| executed                                19
| loads                                    4
| stores                                   2
| branches                                 4
| branches_taken                           3
| events                                   0
| records_total                           52
|   TEXT                                   1
|   INSN                                  19
|   XREG                                  15
|   WREG                                   3
|   XPART                                  1
|   VREG                                   2
|   VPART                                  1
|   ACCESS                                 4
|   NZCV                                   3
|   BRANCH                                 3
$ cairn records $EXAMPLES/sum.vixl | sed -n '1,12p;41,52p'
|         1  0x00000000  XREG               reg=x0 value=0x0000000000010000
|         2  0x00000025  XREG               reg=x1 value=0x0000000000000003
|         3  0x0000004a  XREG               reg=x2 value=0x0000000000000000
|         4  0x0000006f  XREG               reg=lr value=0x0000000000000000
|         5  0x00000094  XREG               reg=sp value=0x0000000000007ff0
|         6  0x000000b9  VREG               reg=v0 value=0x00000000000000000000000000000000
|         7  0x000000ee  INSN               pc=0x0000000000400000 enc=0x39c00003 asm="ldrsb w3, [x0]"
|         8  0x0000011b  WREG               reg=w3 value=0x00000011
|         9  0x00000140  ACCESS             value=0x11 op=<- addr=0x0000000000010000
|        10  0x00000185  INSN               pc=0x0000000000400004 enc=0x8b23c042 asm="add x2, x2, w3, sxtw"
|        11  0x000001b8  XREG               reg=x2 value=0x0000000000000011
|        12  0x000001dd  INSN               pc=0x0000000000400008 enc=0x91000400 asm="add x0, x0, #0x1 (1)"
|        41  0x000006ca  INSN               pc=0x0000000000400010 enc=0x54ffff81 asm="b.ne #-0x10 (addr 0x400000)"
|        42  0x00000704  TEXT               text="the sum is -42"
|        43  0x00000713  INSN               pc=0x0000000000400014 enc=0x4e080c40 asm="dup v0.2d, x2"
|        44  0x0000073f  VREG               reg=v0 value=0xffffffffffffffd6ffffffffffffffd6
|        45  0x00000774  INSN               pc=0x0000000000400018 enc=0x0d008400 asm="st1 {v0.d}[0], [x0]"
|        46  0x000007a6  VPART              reg=v0<127:0> value=0xffffffffffffffd6ffffffffffffffd6 fp="..., nan"
|        47  0x000007e6  ACCESS             value=0xffffffffffffffd6 op=-> addr=0x0000000000010003
|        48  0x00000849  INSN               pc=0x000000000040001c enc=0xf8220017 asm="ldadd x2, x23, [x0]"
|        49  0x0000087b  XREG               reg=x23 value=0xffffffffffffffd6 op=<- addr=0x0000000000010003
|        50  0x000008b6  XPART              reg=x2<63:0> value=0xffffffffffffffd6 op=-> addr=0x0000000000010003
|        51  0x000008f1  INSN               pc=0x0000000000400020 enc=0xd65f03c0 asm="ret"
|        52  0x00000913  BRANCH             target=0x0000000000000000
$ cairn records --json $EXAMPLES/sum.vixl r9..r9
| {"record":9,"offset":320,"name":"ACCESS","type":9,"value":"0x11","op":"<-","addr":"0x0000000000010000"}
$ cairn view -a $EXAMPLES/sum.vixl 1..3
|         1  0000000000400000  39c00003  ldrsb w3, [x0]
|            state x0 = 0x0000000000010000
|            state x1 = 0x0000000000000003
|            state x2 = 0x0000000000000000
|            state lr = 0x0000000000000000
|            state sp = 0x0000000000007ff0
|            state v0 = 0x00000000000000000000000000000000
|            dst x3 = 0x00000011
|            MEM READ  0x0000000000010000 1 = 0x11
|         2  0000000000400004  8b23c042  add x2, x2, w3, sxtw
|            dst x2 = 0x0000000000000011
|         3  0000000000400008  91000400  add x0, x0, #0x1 (1)
|            dst x0 = 0x0000000000010001
$ cairn view $EXAMPLES/sum.vixl 14..19
|        14  000000000040000c  f1000421  subs x1, x1, #0x1 (1)
|        15  0000000000400010  54ffff81  b.ne #-0x10 (addr 0x400000)
|        16  0000000000400014  4e080c40  dup v0.2d, x2
|        17  0000000000400018  0d008400  st1 {v0.d}[0], [x0]
|        18  000000000040001c  f8220017  ldadd x2, x23, [x0]
|        19  0000000000400020  d65f03c0  ret                               PC 0000000000000000
$ cairn view --json $EXAMPLES/sum.vixl 18..18
| {"n":18,"pc":"0x000000000040001c","encoding":"0xf8220017","size":4,"isa":"a64","asm":"ldadd x2, x23, [x0]","class":"atomic","flags":[],"taken":false,"target":null,"context":null,"regs":[{"name":"x23","role":"dst","value":"0xffffffffffffffd6"},{"name":"x2","role":"src","value":"0xffffffffffffffd6"}],"mems":[{"kind":"read","addr":"0x0000000000010003","pa":null,"size":8,"value":"0xffffffffffffffd6"},{"kind":"write","addr":"0x0000000000010003","pa":null,"size":8,"value":"0xffffffffffffffac","derived":true}],"events":[]}
$ cairn check $EXAMPLES/sum.vixl
| $EXAMPLES/sum.vixl: byte 0x704, line 42, record 42, instruction 15: note: this is not a line of the simulator [vixl.text.foreign]
| $EXAMPLES/sum.vixl: byte 0x849, line 48, record 48, instruction 18: note: the value stored is the operand, not the result [vixl.defect.atomic]
| $EXAMPLES/sum.vixl: 0 errors, 0 warnings, 2 notes
# Colours, pipes, codecs: the same.
$ sed 's/^\(#  *\)x2:/# \x1b[1;36m           x2:/' $EXAMPLES/sum.vixl | cairn count - | head -1
| instructions                            19
$ gzip -c $EXAMPLES/sum.vixl | cairn view - 5..6
|         5  0000000000400010  54ffff81  b.ne #-0x10 (addr 0x400000)       PC 0000000000400000
|         6  0000000000400000  39c00003  ldrsb w3, [x0]
$ cairn convert $EXAMPLES/sum.vixl -o x.vixl.zst && zstd -dcq x.vixl.zst | cmp - $EXAMPLES/sum.vixl && cairn info x.vixl.zst | grep codec
| codec          zstd
$ cairn convert $EXAMPLES/sum.vixl --to vixl:colour -o y.vixl
! cairn: vixl:colour: lines are copied as they are: --to is vixl, without options
= 2
# What is known before an instruction: a W register clears the rest of its X register.
$ cairn view --state $EXAMPLES/sum.vixl 12 | grep ' x3 '
|   x3            0x0000000000000033  11
# Without instructions.
$ grep -v '^0x' $EXAMPLES/sum.vixl > state
$ cairn info state | grep -E 'kind|logs|instructions'
| kind           log of state
| logs           regs
| instructions   0
$ cairn view state r7..r12
|         7  dst x3 = 0x00000011
|         8  MEM READ  0x0000000000010000 1 = 0x11
|         9  dst x2 = 0x0000000000000011
|        10  dst x0 = 0x0000000000010001
|        11  dst nzcv = 0x2
|        12  dst x1 = 0x0000000000000002
$ cairn view --json state r12..r13
| {"record":12,"n":null,"pc":null,"encoding":null,"size":null,"isa":null,"asm":null,"class":null,"flags":[],"taken":null,"target":null,"context":null,"regs":[{"name":"x1","role":"dst","value":"0x0000000000000002"}],"mems":[],"events":[]}
| {"record":13,"n":null,"pc":null,"encoding":null,"size":null,"isa":null,"asm":null,"class":null,"flags":[],"taken":null,"target":null,"context":null,"regs":[],"mems":[],"events":[{"name":"BRANCH","phase":"before","code":"0x0","target":"0x0000000000400000","args":[]}]}
$ cairn view state 1..2
! cairn: state: the trace holds no instructions that a region could name: its regions are records, r100..r200
= 2
$ cairn count state
| instructions                             0
| executed                                 0
| loads                                    0
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   0
| records_total                           33
|   TEXT                                   1
|   XREG                                  15
|   WREG                                   3
|   XPART                                  1
|   VREG                                   2
|   VPART                                  1
|   ACCESS                                 4
|   NZCV                                   3
|   BRANCH                                 3
# What cannot be right is told where it is.
$ sed 's/ w3:/w33:/' $EXAMPLES/sum.vixl > bad
$ cairn count -q bad | head -1
| instructions                            19
! cairn: bad: 3 damaged places; everything that can be read is in the output
$ cairn check bad | grep error
| bad: byte 0x11b, line 8, record 8, instruction 1: error: no register has that name [vixl.register.name]
| bad: byte 0x32d, line 20, record 20, instruction 6: error: no register has that name [vixl.register.name]
| bad: byte 0x53f, line 32, record 32, instruction 11: error: no register has that name [vixl.register.name]
| bad: 3 errors, 0 warnings, 2 notes
$ cairn view bad 1..1
|         1  0000000000400000  39c00003  ldrsb w3, [x0]
| DAMAGE byte 0x11b, line 8: the line names a register that does not exist, or its value does not fit
! cairn: bad: byte 0x11b, line 8: the line names a register that does not exist, or its value does not fit
! cairn: bad: byte 0x32d, line 20: the line names a register that does not exist, or its value does not fit
! cairn: bad: byte 0x53f, line 32: the line names a register that does not exist, or its value does not fit
! cairn: bad: 3 damaged places; everything that can be read is in the output
= 2
# An index, and a jump.
$ cp $EXAMPLES/sum.vixl . && cairn index --from vixl:piece=100 sum.vixl | sed 's/[0-9]* bytes/N bytes/'
| sum.vixl.cai: 1 span, 19 instructions, N bytes; can be jumped in
$ cairn view --from vixl:piece=100 sum.vixl 18..18
|        18  000000000040001c  f8220017  ldadd x2, x23, [x0]
$ cairn diff $EXAMPLES/sum.vixl sum.vixl
| --- A $EXAMPLES/sum.vixl
| +++ B sum.vixl
| differences   0
| equal         19
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags
# A text that is none is none.
$ printf 'hello\nworld\n' | cairn info -
! cairn: -: not a trace of a known format (STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture); it begins with 68 65 6c 6c 6f 0a 77 6f
= 2
$ printf 'hello\nworld\n' | cairn info --from vixl - | head -3
| format         VIXL
| version        unknown
| kind           log of state
# Several CPUs take turns: a line says so, and which registers are another's stands before.
$ printf '%s\n' '1 clk cpu0 IT (1) 00210740:000000210740_NS d2800141 O EL3h_s : MOV x1,#10' '1 clk cpu0 R X1 000000000000000a' '2 clk cpu1 IT (1) 00310000:000000310000_NS d2800281 O EL3h_s : MOV x1,#20' '2 clk cpu1 R X1 0000000000000014' '3 clk cpu0 IT (2) 00210744:000000210744_NS 91000421 O EL3h_s : ADD x1,x1,#1' '3 clk cpu0 R X1 000000000000000b' '4 clk cpu0 IT (3) 00210800:000000210800_NS d503201f O EL3h_s : NOP' > two.tarmac
$ cairn convert two.tarmac -o two.vixl; cat two.vixl; cairn check two.vixl | grep -v foreign
| 0x0000000000210740  d2800141		MOV x1,#10
| #             x1: 0x000000000000000a
| ; cairn: goes on elsewhere, on CPU 1
| 0x0000000000310000  d2800281		MOV x1,#20
| #             x1: 0x0000000000000014
| ; cairn: goes on elsewhere, on CPU 0
| #             x1: 0x000000000000000a
| 0x0000000000210744  91000421		ADD x1,x1,#1
| #             x1: 0x000000000000000b
| ; cairn: goes on elsewhere
| 0x0000000000210800  d503201f		NOP
| two.vixl: 0 errors, 0 warnings, 0 notes
! cairn: two.tarmac: lost: privilege levels (at number 1)
! cairn: two.tarmac: lost: security states (at number 1)
! cairn: two.tarmac: lost: hart numbers (at number 2)
$ cairn convert -q two.vixl -o back.stf; cairn view -raD back.stf; cairn check back.stf
| FORCE_PC 0000000000210740
|         1  0000000000210740  d2800141  forced
|            dst x1 = 0x000000000000000a
| FORCE_PC 0000000000310000
|         2  0000000000310000  d2800281  forced
|            dst x1 = 0x0000000000000014
| FORCE_PC 0000000000210744
|         3  0000000000210744  91000421  forced
|            state x1 = 0x000000000000000a
|            dst x1 = 0x000000000000000b
| FORCE_PC 0000000000210800
|         4  0000000000210800  d503201f  forced
| back.stf: note: there is no PROCESS_ID_EXT; nearly all traces have none [stf.header.process-id]
| back.stf: byte 0x137, record 5: note: STF gives numbers to RISC-V only; these are cairn's: ISA 2, INST_IEM 8 is A64, INST_IEM 9 is A32, INST_IEM 10 is T32; registers, modes and events as in cairn's docs/formats/stf.md [stf.isa.assigned]
| back.stf: byte 0x16d, record 13, instruction 1: note: no MODE_CHANGE tells the mode of the first instruction; many traces have none [stf.mode.start]
| back.stf: 0 errors, 0 warnings, 3 notes
$ cairn slice -q two.vixl 1 4 -o part.vixl; cat part.vixl; cairn check part.vixl | tail -1
| 0x0000000000210740  d2800141		MOV x1,#10
| #             x1: 0x000000000000000a
| ; cairn: goes on elsewhere
| 0x0000000000210800  d503201f		NOP
| part.vixl: 0 errors, 0 warnings, 0 notes
# Lines that end in CR LF are the same lines, and stay as they are.
$ sed 's/$/\r/' $EXAMPLES/sum.vixl > crlf.vixl; cairn diff -a $EXAMPLES/sum.vixl crlf.vixl | grep differences; cairn check crlf.vixl | tail -n 1; cairn convert -q crlf.vixl -o again.vixl && cmp crlf.vixl again.vixl; cairn slice -q crlf.vixl 3..5 -o part.vixl; cairn diff -R 3..5 crlf.vixl crlf.vixl | grep equal
| differences   0
| crlf.vixl: 0 errors, 0 warnings, 2 notes
| equal         3
! cairn: crlf.vixl: lost: how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly (7, first at number 3)
# By way of STF: what was set byte by byte, vectors that are V, comments of ours, and no word is another.
$ printf '%s\n' '#             v0: 0x00000000000000000000000000000001' $'0x0000000000001000  19c24420\t\tsetm [x0]!, x1!, x2' '#        x2<7:0>:               0xab -> 0x0000000000002000' '#        x2<7:0>:               0xab -> 0x0000000000002001' $'0x0000000000001004  d2820090\t\tmov x16, #0x1004' '#            x16: 0x0000000000001004' $'0x0000000000001008  17fffffe\t\tb #-0x8 (addr 0x1000)' '# Branch to 0x0000000000001000.' > set.vixl; cairn convert --lossless set.vixl -o set.stf; cairn convert set.stf -o again.vixl; sed '/^; cairn: comment: cairn /d' again.vixl | diff set.vixl - && cairn check again.vixl
| again.vixl: 0 errors, 0 warnings, 0 notes
# A log of state holds nothing for ETE.
$ printf '%s\n' '#             x1: 0x0000000000000001' '#             x2: 0x0000000000000002' > state.vixl; cairn convert --from vixl state.vixl -o state.snapshot; ls -d state.snap*
! cairn: state.snapshot: the trace holds states of registers and memory and no instruction; ETE records which instructions ran, and nothing else
! ls: cannot access 'state.snap*': No such file or directory
= 2
# Accesses without a value become STF with a note, which is no loss.
$ echo '0, 0x400008, 0xf90003e1, "str x1, [sp]", store, 0x55008007d8' > bare.log; cairn convert --from execlog --lossless bare.log -o bare.stf; cairn check bare.stf | grep -o 'error.*'
| error: no INST_MEM_CONTENT follows the access [stf.content.missing]
| error, 0 warnings, 2 notes
! cairn: bare.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (at number 1)
! cairn: bare.log: accesses written without a value, which the trace does not tell; check finds each (stf.content.missing) (at number 1)

# How lines are drawn does not come back: each is counted, and lossless refuses.
$ printf '0x0000000000001000  d2800020\t\tmov x0, #0x1\n#             x0: 0x0000000000000001\r\n0x0000000000001004  d503201f\t\tnop' > drawn.txt
$ cairn convert drawn.txt -o drawn.stf
! cairn: drawn.txt: lost: how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly (2, first at number 1)
$ cairn slice drawn.txt 1.. -o drawn.vixl; cairn slice drawn.txt 2.. -o drawn2.vixl
! cairn: drawn.txt: lost: how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly (2, first at number 1)
! cairn: drawn.txt: lost: how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly (at number 2)
! cairn: drawn.txt: the registers at the beginning of a range are unknown (at number 2)
$ cairn convert --lossless drawn.txt -o lossless.stf; ls lossless.stf
! cairn: lossless.stf: instruction 1: STF cannot carry how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly
! ls: cannot access 'lossless.stf': No such file or directory
= 2
$ printf '0x0000000000001000  d2800020\t\tmov x0, #0x1\n#             x0: 0x0000000000000001\n0x0000000000001004  d503201f\t\tnop\n' > plain.txt
$ cairn convert --lossless plain.txt -o plain.stf && cairn convert -q plain.stf -o plain.vixl && grep -v comment plain.vixl | cmp plain.txt -
$ cairn slice plain.txt --to vixl:colour -o colour.vixl; cairn slice --lossless colour.vixl --to vixl:colour -o again.vixl && cmp colour.vixl again.vixl
$ cairn convert colour.vixl -o colour.stf
! cairn: colour.vixl: lost: how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly (at number 1)

# Widths that no encoding tells: what the host wrote.
$ printf '0x0000000000001000  d45bd680\t\thlt #0xdeb4\n#             d0:                 0x400e000000000000 (3.750)\n#             w1:         0x00000001\n0x0000000000001004  d503201f\t\tnop\n' > host.txt
$ cairn convert host.txt -o host.stf
! cairn: host.txt: lost: whether registers were told as W or X, D or V, where no encoding tells it (2, first at number 1)
# Whether the last branch of a log was taken, only its Branch line tells; the log may be cut off before it.
$ printf '%s\n' $'0x0000000000001000  f1000442\t\tsubs x2, x2, #0x1 (1)' $'0x0000000000001004  54ffffe1\t\tb.ne #-0x4 (addr 0x1000)' '# Branch to 0x0000000000001000.' $'0x0000000000001000  f1000442\t\tsubs x2, x2, #0x1 (1)' $'0x0000000000001004  54ffffe1\t\tb.ne #-0x4 (addr 0x1000)' '# Branch to 0x0000000000001000.' > loop.vixl; for cut in 33 32 12 2 1 0; do head -c -$cut loop.vixl > cut.vixl; cat cut.vixl | cairn branches -q - | grep -E '^(taken|outcome)'; cairn count cut.vixl | grep taken; done 2>&1 | sort | uniq -c
|       4 branches_taken                           1
|       2 branches_taken                           2
|       4 cairn: cut.vixl: the trace does not record which way some branches went
|       2 outcome_unknown           0
|       4 outcome_unknown           1
|       4 taken                     1
|       2 taken                     2
$ head -n 5 loop.vixl > cut.vixl; cairn convert cut.vixl -o cut.stf --lossless
! cairn: cut.stf: instruction 4: STF cannot carry outcomes of branches that are not known
= 2
# Nor can it be written.
$ { sed -n 1,5p loop.vixl; printf '%s\n' $'0x0000000000001008  d503201f\t\tnop'; } > stays.vixl; cairn slice stays.vixl 1..4 -o part.vixl --lossless; cairn convert -q stays.vixl -o stays.stf && cairn slice stays.stf 1..4 -o part.stf && cairn convert --lossless part.stf -o part.vixl
! cairn: part.vixl: instruction 4: VIXL cannot carry that the last instruction, a branch, was not taken
! cairn: part.vixl: instruction 4: VIXL cannot carry that the last instruction, a branch, was not taken
= 2
# Accesses that only the encoding implies are no sign that a log tells accesses: loads and stores go by class.
$ printf '0x0000000000400000  84408025\t\tld1rb {z5.b}, p0/z, [x1]\n0x0000000000400004  f9400020\t\tldr x0, [x1]\n0x0000000000400008  f9000020\t\tstr x0, [x1]\n' > implied.vixl; cairn count implied.vixl | sed -n 3,4p; cairn count implied.vixl 1..3 | sed -n 3,4p; cairn find --reads 0x7ff8 implied.vixl
| loads                                    2
| stores                                   1
| loads                                    2
| stores                                   1
! cairn: implied.vixl: the trace records no access that reads memory, so who read 0x7ff8 is unknown
= 1

# Where the addresses of some accesses are masked, who wrote a place is not sure.
$ printf '%s\n' $'0x0000000000001000  f9000020\t\tstr x0, [x1]' '#       x0<63:0>: 0x0000000000000055 -> 0x0000000000008000' $'0x0000000000001004  f9000440\t\tstr x0, [x2, #8]' '#       x0<63:0>: 0x0000000000000055 -> 0x~~~~~~~~~~~~~~~~' > masked.vixl; cairn find --no-disasm --writes 0x8000 masked.vixl; cairn find --writes 0x9000 masked.vixl; cairn find --count --json --writes 0x8000 masked.vixl; cairn find --no-disasm --writes 0x8000 --before 2 masked.vixl
|         1  0000000000001000  f9000020
| {
|   "count": 1,
|   "notes": [
|     "the addresses of some accesses are not known: they, too, may have written 0x8000"
|   ]
| }
|         1  0000000000001000  f9000020
! cairn: masked.vixl: the addresses of some accesses are not known: they, too, may have written 0x8000
! cairn: masked.vixl: the addresses of some accesses are not known: they, too, may have written 0x9000
! cairn: masked.vixl: the addresses of some accesses are not known: they, too, may have written 0x8000

# What the simulator prints wrongly, or not at all, is put right on the way to another format, so it does not come back as it was: that is counted.
$ printf '%s\n' $'0x0000000000001000  38bfc017\t\tldaprb w23, [x0]' '#            w23:         0x00000000' ' <- 0x00007f4f7e11d000' $'0x0000000000001004  f835001f\t\tstadd x21, [x0]' '#            xzr: 0x0000000000000000 <- 0x00007f9cf3af8000' '#      x21<63:0>: 0x0000000000000005 -> 0x00007f9cf3af8000' $'0x0000000000001008  d9408017\t\tldapur x23, [x0, #8]' '#            x23: 0x0000000000000004' '#            w23:         0x00000004 <- 0x00007f9cf3af8008' > wrongly.vixl; cairn convert wrongly.vixl -o wrongly.stf; cairn convert --lossless -q wrongly.vixl -o again.vixl && cmp again.vixl wrongly.vixl
! cairn: wrongly.vixl: lost: how lines are drawn: colours, blanks, line ends, names of registers, what is printed wrongly (4, first at number 1)
! cairn: wrongly.vixl: accesses written without a value, which the trace does not tell; check finds each (stf.content.missing) (2, first at number 2)

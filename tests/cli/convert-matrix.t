# The page shows what the command prints; after a change:
# cairn convert --matrix into the block of docs/formats/conversions.md.
needs: zstd
$ cairn convert --matrix > out.txt; sed -n '/^```matrix$/,/^```$/p' "$EXAMPLES/../docs/formats/conversions.md" | sed '1d;$d' | cmp - out.txt
$ cairn convert --matrix | grep '^hart '
| hart              STF      =    =    -    =    harts, cores
| hart              RST      =    =    !    !
| hart              ETE      =    !    -    =
| hart              Spike    =    !    !    !
| hart              Tarmac   =    !    -    =
| hart              execlog  =    !    -    =
| hart             to STF   = the hardware thread of PROCESS_ID_EXT
| hart             to VIXL  - lost: hart numbers
| hart             to ETE   = a stream for each, in a snapshot or with frames=1
$ cairn convert --matrix | grep '^Spike'
| Spike    to RST   ! RST holds SPARC only
| Spike    to VIXL  ! a state trace of VIXL holds A64 only
| Spike    to ETE   ! ETE holds Arm only
$ cairn convert --matrix --json | grep -c '"carried":"lost"'
| 184
$ cairn convert --matrix --json | grep 'kind":"hart.*STF","to":"ETE'
| {"kind":"hart","meaning":"harts, cores","from":"STF","to":"ETE","carried":"exactly","how":"a stream for each, in a snapshot or with frames=1"}
$ echo 'core   0: 3 0x0000000080000000 (0x00000013)' > a.log
$ echo 'core   0: exception interrupt #7, epc 0x0000000080000004' >> a.log
$ echo 'core   0: 3 0x0000000080000100 (0x00000013)' >> a.log
$ cairn convert a.log -o a.stf
! cairn: a.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (at number 1)
! cairn: a.log: traps between instructions, each written with an aborted no-op (at number 1)
$ cairn view -e a.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  nop                               forced
|            EVT MODE_CHANGE 0x3
|         2  0000000080000004  00000013  nop                               aborted
|            EVT INT_MACHINE_TIMER 0x0 PC 0000000080000100
|         3  0000000080000100  00000013  nop
$ cairn check a.stf
| a.stf: 0 errors, 0 warnings, 0 notes
$ cairn convert a.log -o a.vixl
! cairn: a.vixl: VIXL holds A64 instructions: as one of them, rv64's encoding 0x13 (instruction 1) would mean something else
= 2
$ cairn convert a.log -o a.snapshot
! cairn: a.snapshot: ETE holds Arm instructions: as one of them, rv64's encoding 0x13 (instruction 1) would mean something else
= 2
$ cairn convert a.log -o a.rst
! cairn: a.rst: RST holds SPARC instructions: as one of them, rv64's encoding 0x13 (instruction 1) would mean something else
= 2
$ ls a.*
| a.log
| a.stf
# What is lost: told, as JSON, or refused.
$ echo '1 clk cpu0 IT (1) 00210740:000000210740_NS f9400020 O EL3h_s : LDR x0,[x1]' > t.log
$ echo '1 clk cpu0 MR8 00001000:000000001000 00000000_00000007' >> t.log
$ cairn convert t.log -o t.stf
! cairn: t.log: lost: security states (at number 1)
! cairn: t.log: lost: physical addresses (at number 1)
! cairn: t.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (at number 1)
$ cairn convert --json t.log -o t.stf
| {"output":"t.stf","instructions":1,"lost":[{"what":"security states","count":1,"first":1},{"what":"physical addresses","count":1,"first":1}],"notes":[{"what":"ids of 0 where the trace records none (PROCESS_ID_EXT)","count":1,"first":1}]}
$ cairn convert --lossless t.log -o new.stf
! cairn: new.stf: instruction 1 (record 1, byte 0x0 of t.log): STF cannot carry security states
= 2
$ cairn convert --lossless t.log -o new.snapshot
! cairn: new.snapshot: instruction 1 (record 1, byte 0x0 of t.log): ETE cannot carry memory accesses
= 2
$ cairn convert --lossless t.log -o new.rst
! cairn: new.rst: RST holds SPARC instructions: as one of them, a64's encoding 0xf9400020 (instruction 1) would mean something else
= 2
$ ls -d new* 2> /dev/null
= 2
$ cairn check t.stf | sed 's/byte 0x[0-9a-f]*/byte N/'
| t.stf: byte N, record 5: note: STF gives numbers to RISC-V only; these are cairn's: ISA 2, INST_IEM 8 is A64, INST_IEM 9 is A32, INST_IEM 10 is T32; registers, modes and events as in cairn's docs/formats/stf.md [stf.isa.assigned]
| t.stf: 0 errors, 0 warnings, 1 note
$ cairn info t.stf | head -n 5
| format         STF
| version        1.6
| kind           instructions
| container      none
| codec          none
# What a trace says of itself comes along: as comments, in a snapshot as its description.
$ cairn convert -q $EXAMPLES/sort-a64.vixl.xz -o w.stf 2> /dev/null; cairn edit -q w.stf --comment 'who: me; #1' -o x.stf; cairn convert x.stf -o x.vixl 2> /dev/null; grep 'comment: who:' x.vixl
| ; cairn: comment: who: me; #1
$ cairn convert x.stf -o x.snapshot 2> /dev/null; grep -o 'who:[^|]*' x.snapshot/snapshot.ini | head -n 1; cairn convert x.snapshot -o y.stf 2> /dev/null; cairn info y.stf | grep -o 'who:.*' | head -n 1
| who: me   1 
| who: me   1
$ cairn convert x.stf -o x.ete 2>&1 | grep comments
| cairn: x.stf: lost: comments (6)
$ cairn convert $EXAMPLES/traps.rst -o v.stf 2> /dev/null; cairn edit -q v.stf --comment 'who: you' -o u.stf; cairn convert u.stf -o u.rst 2> /dev/null; cairn info u.rst | grep -o 'who:.*' | head -n 1
| who: you
# Two threads in a log that has one set of registers: each finds its own again.
$ { for k in 0 1; do echo "$k clk cpu$k IT ($k) 00001000 d2800021 O EL0t_n : MOV x1,#1"; echo "$k clk cpu$k R X1 000000000000000$k"; done; echo '3 clk cpu0 IT (3) 00001004 d503201f O EL0t_n : NOP'; echo '4 clk cpu1 IT (4) 00001004 d503201f O EL0t_n : NOP'; } > two.log
$ cairn convert two.log -o two.vixl 2> /dev/null; cat two.vixl
| 0x0000000000001000  d2800021		MOV x1,#1
| #             x1: 0x0000000000000000
| ; cairn: goes on elsewhere, on CPU 1
| 0x0000000000001000  d2800021		MOV x1,#1
| #             x1: 0x0000000000000001
| ; cairn: goes on elsewhere, on CPU 0
| #             x1: 0x0000000000000000
| 0x0000000000001004  d503201f		NOP
| ; cairn: goes on elsewhere, on CPU 1
| #             x1: 0x0000000000000001
| 0x0000000000001004  d503201f		NOP
# Whether a branch was taken no target can leave open: it becomes "not taken", and is told.
$ printf '0, 0x400000, 0xd503201f, "nop"\n0, 0x400004, 0x54000040, "b.eq #0x40000c"\n0, 0x500000, 0xd503201f, "nop"\n' > open.log
$ for x in open.stf open.vixl open.snapshot; do cairn convert open.log -o $x; cairn view --json $x 2..2 | grep -o '"taken":[a-z]*'; done
| "taken":false
| "taken":null
| "taken":false
! cairn: open.log: lost: outcomes of branches that are not known (at number 2)
! cairn: open.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (at number 1)
! cairn: open.log: lost: outcomes of branches that are not known (at number 2)
! cairn: open.log: lost: outcomes of branches that are not known (at number 2)
! cairn: open.log: lost: ends of runs that no branch ended (an exception of type 0x10 takes their place)
! cairn: open.log: EL1, where the trace records no exception level (at number 1)
$ cairn convert --lossless open.log -o sure.stf
! cairn: sure.stf: instruction 2 (record 2, byte 0x1f of open.log): STF cannot carry outcomes of branches that are not known
= 2
# Where an indirect branch went stays told when something else came next.
$ printf '0x0000000000400000  d61f0000\t\tbr x0\n# Branch to 0x0000000000600000.\n0x0000000000500000  d503201f\t\tnop\n' > br.vixl; cairn convert br.vixl -o br.stf; cairn convert br.stf -o br.snapshot; for x in br.vixl br.stf br.snapshot; do cairn view -D $x; done
|         1  0000000000400000  d61f0000  PC 0000000000600000
|         2  0000000000500000  d503201f  forced
| FORCE_PC 0000000000400000
|         1  0000000000400000  d61f0000  PC 0000000000600000  forced
| FORCE_PC 0000000000500000
|         2  0000000000500000  d503201f  forced
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000400000  d61f0000  PC 0000000000600000
|         2  0000000000500000  d503201f  forced
! cairn: br.stf: lost: ends of runs that no branch ended (an exception of type 0x10 takes their place) (2)
! cairn: br.stf: EL1, where the trace records no exception level (at number 1)
# An event that no format has a number for leaves no instruction in its place. An atomic whose
# lines do not fit the instruction is told as it stands, and that it will be read otherwise.
$ printf '1 clk cpu0 IT (1) 0000000000001000 d503201f O EL1h_n : NOP\n1 clk cpu0 E 0000000000001004 00000000 CoreEvent_Foo\n2 clk cpu0 IT (2) 0000000000002000 b8200041 O EL1h_n : LDADD w0,w1,[x2]\n2 clk cpu0 MW4 00008000 00000009\n' > foo.log; cairn convert -q foo.log -o foo.stf; cairn count foo.stf | head -n 1; cairn convert foo.stf -o foo.vixl
| instructions                             2
! cairn: foo.log: lost: events whose code does not fit (at number 1)
! cairn: foo.stf: lost: privilege levels (at number 1)
! cairn: foo.stf: lost: values that the simulator does not show (at number 2)

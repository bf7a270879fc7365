# An answer that rests on what the trace does not tell says so, in every verb that takes
# regions and expressions.
needs: json
$ cairn count -w 'priv == user' $EXAMPLES/sort.zstf | head -1
| instructions                         38617
$ cairn count $EXAMPLES/sort.zstf cpu1 pid42 | head -1
| instructions                             0
! cairn: $EXAMPLES/sort.zstf: the trace records no numbers of cpus here, and the selection depends on them
! cairn: $EXAMPLES/sort.zstf: the trace records no process ids here, and the selection depends on them
$ cairn count -w 'asid == 1 || tid == 1 || vmid == 1' $EXAMPLES/sort.zstf | head -1
| instructions                             0
! cairn: $EXAMPLES/sort.zstf: the trace records no thread ids here, and the selection depends on them
! cairn: $EXAMPLES/sort.zstf: the trace records no address space ids here, and the selection depends on them
! cairn: $EXAMPLES/sort.zstf: the trace records no virtual machine ids here, and the selection depends on them
$ printf 'core   0: 0x0000000080000000 (0x00000297) auipc t0, 0\ncore   0: 0x0000000080000004 (0x0002b303) ld t1, 0(t0)\n' > listed.log
$ cairn count -w 'priv == user' listed.log | head -1
| instructions                             0
! cairn: listed.log: the trace records no privilege modes here, and the selection depends on them
$ cairn count -w 'addr >= 0x1000' listed.log | head -1
| instructions                             0
! cairn: listed.log: the trace records no accesses to memory here, and the selection depends on them
$ cairn count -w 'pa == 5' listed.log | head -1
| instructions                             0
! cairn: listed.log: the trace records no accesses to memory here, and the selection depends on them
$ cairn count -w 'writes(x5)' listed.log | head -1
| instructions                             0
! cairn: listed.log: the trace records no registers here, and the selection depends on them
$ cairn count listed.log pid42 | head -1
| instructions                             0
! cairn: listed.log: the trace records no process ids here, and the selection depends on them
$ cairn view -w 'asid == 3' listed.log
! cairn: listed.log: the selection is empty
! cairn: listed.log: the trace records no address space ids here, and the selection depends on them
= 1
$ cairn find -w 'tid == 3' listed.log
! cairn: listed.log: the trace records no thread ids here, and the selection depends on them
= 1
$ cairn slice -o out.stf listed.log asid3
! cairn: listed.log: the selection is empty
! cairn: listed.log: the trace records no address space ids here, and the selection depends on them
= 1
$ cairn mix -w 'priv == user' listed.log
! cairn: listed.log: no instruction is selected
! cairn: listed.log: the trace records no privilege modes here, and the selection depends on them
$ cairn report -w 'priv == user' -o r.html listed.log
! cairn: listed.log: the trace records no privilege modes here, and the selection depends on them
# In a document it is a note.
$ cairn count --json -w 'priv == user' listed.log | json notes
| ["the trace records no privilege modes here, and the selection depends on them"]
$ cairn mix --json -w 'priv == user' listed.log | json notes
| ["no instruction is selected","the trace records no privilege modes here, and the selection depends on them"]
# Of some it is told. What is only asked for, and what nothing hangs on, is no note.
$ (cat listed.log; printf '3 0x0000000080000008 (0x00000013) \n') > both.log
$ cairn count -w 'priv == machine' both.log | head -1
| instructions                             1
! cairn: both.log: privilege modes, on which the selection depends, are unknown for 2 of 3 instructions
$ cairn count -w '!known(priv)' both.log | head -1
| instructions                             2
$ cairn count -w 'class == load && priv == machine' both.log | head -1
| instructions                             0
! cairn: both.log: privilege modes, on which the selection depends, are unknown for 1 of 3 instructions
$ cairn count -w 'class == store && priv == machine' both.log | head -1
| instructions                             0
$ cairn count -q -w 'priv == user' listed.log | head -1
| instructions                             0
# A program for another machine is not what ran.
$ printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0\0\0\1\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\70\0\1\0\100\0\0\0\0\0\1\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\170\0\0\0\0\0\0\0\170\0\0\0\0\0\0\0\0\20\0\0\0\0\0\0' > a64
$ cairn count --image a64 listed.log
! cairn: a64: is a program for a64, and listed.log is a trace of rv64: it is not what ran
= 2
$ cairn view --image a64 listed.log
! cairn: a64: is a program for a64, and listed.log is a trace of rv64: it is not what ran
= 2
$ cairn calls --image a64 - < listed.log
! cairn: a64: is a program for a64, and - is a trace of rv64: it is not what ran
= 2
$ cairn check --image a64 listed.log
! cairn: a64: is a program for a64, and listed.log is a trace of rv64: it is not what ran
= 2
$ cairn index --image a64 listed.log
! cairn: a64: is a program for a64, and listed.log is a trace of rv64: it is not what ran
= 2
$ cairn convert --image a64 -o out.stf listed.log
! cairn: a64: is a program for a64, and listed.log is a trace of rv64: it is not what ran
= 2
$ cairn merge --image a64 -o out.stf $EXAMPLES/sort.zstf $EXAMPLES/sort.zstf
! cairn: a64: is a program for a64, and $EXAMPLES/sort.zstf is a trace of RV64: it is not what ran
= 2
# Nor is one for the other width of RISC-V.
$ (printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0\1\0\0\0\0\0\0\200\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0'; printf '\1\0\0\0\0\0\0\0\254\377\377\177\254\377\377\177\134\0\0\0\134\0\0\0\5\0\0\0\0\20\0\0\227\2\0\0\3\243\2\0') > rv32
$ (printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0'; tail -c +21 a64) > rv64
$ cairn view --image rv32 $EXAMPLES/sort.zstf 1
! cairn: rv32: is a program for rv32, and $EXAMPLES/sort.zstf is a trace of RV64: it is not what ran
= 2
$ cairn count --image rv64 $EXAMPLES/sort.zstf | head -1
| instructions                         38617
$ printf 'core   0: 0x80000000 (0x00000297) auipc t0, 0\ncore   0: 0x80000004 (0x0002a303) lw t1, 0(t0)\n' > narrow.log
$ cairn count --image rv64 narrow.log
! cairn: rv64: is a program for rv64, and narrow.log is a trace of rv32: it is not what ran
= 2
$ cairn count --image rv32 narrow.log | head -1
| instructions                             2
# The width of an emulator's log is what was said of it.
$ printf '0, 0x80000000, 0x297, "auipc           t0,0"\n0, 0x80000004, 0x2a303, "lw              t1,0(t0)"\n' > qemu.log
$ cairn count --image rv32 qemu.log
! cairn: rv32: is a program for rv32, and qemu.log is a trace of rv64: it is not what ran; if it is, say --from execlog:isa=rv32
= 2
$ cairn count --image rv32 --from execlog:isa=rv32 qemu.log | head -1
| instructions                             2
$ cairn count --image rv64 --from execlog:isa=rv32 qemu.log | head -1
! cairn: rv64: is a program for rv64, and qemu.log is a trace of rv32: it is not what ran
# In lines of JSON the notes are the last line.
$ cairn view --json -w 'class == int || priv == user' listed.log | json n notes
| 1 -
| - ["privilege modes, on which the selection depends, are unknown for 1 of 2 instructions"]
$ cairn view --json -w 'priv == user' listed.log
| {"notes":["the trace records no privilege modes here, and the selection depends on them"]}
! cairn: listed.log: the selection is empty
= 1
$ cairn find --json listed.log 'priv == user'
| {"notes":["the trace records no privilege modes here, and the selection depends on them"]}
= 1
$ cairn find --json --last both.log 'priv == machine' | json n notes
| 3 -
| - ["privilege modes, on which the selection depends, are unknown for 2 of 3 instructions"]
$ cairn find --json --count listed.log 'priv == user'
| {
|   "count": 0,
|   "notes": [
|     "the trace records no privilege modes here, and the selection depends on them"
|   ]
| }
= 1
$ cairn find --json --writes x5 listed.log
| {"n":1,"pc":"0x0000000080000000","encoding":"0x00000297","size":4,"isa":"rv64","asm":"auipc t0, 0","class":"int","flags":[],"taken":false,"target":null,"context":{"cpu":0,"hw_tid":null,"pid":null,"tid":null,"asid":null,"vmid":null,"ctxid":null,"priv":null,"security":null},"regs":[],"mems":[],"events":[]}
$ cairn find --json --count --reads 0x1000 listed.log
| {
|   "count": 0,
|   "notes": [
|     "the trace records no access that reads memory, so who read 0x1000 is unknown"
|   ]
| }
= 1
$ cairn find --json --reads 0x1000 listed.log
| {"notes":["the trace records no access that reads memory, so who read 0x1000 is unknown"]}
= 1
$ cairn view --json listed.log 2 | json n
| 2
# A masked log tells no address: what names places by them leaves such branches out, and says so.
$ sed -E 's/^0x[0-9a-f]{16}/0x~~~~~~~~~~~~~~~~/; s/(Branch.* to )0x[0-9a-f]{16}/\10x~~~~~~~~~~~~~~~~/' $EXAMPLES/sum.vixl > masked.vixl
$ cairn branches masked.vixl | tail -n 2
| pc  function  kind    executed  taken_percent  targets  transitions  class  trip  local_entropy  global_entropy
| -   -         return         4          75.00        -            -  -         -              -               -
! cairn: masked.vixl: of some branches the address is not known: they are one row
$ cairn branches --to bt9 masked.vixl | grep -c '^NODE [1-9]'
| 0
! cairn: masked.vixl: the address of 4 branches is not known: they are left out
= 1
$ cairn blocks --to bb --every 10 masked.vixl
| T
| T
! cairn: masked.vixl: of some instructions the address is not known: they are in no block
$ cairn simpoints --to weights --every 10 masked.vixl > weights
! cairn: masked.vixl: of some instructions the address is not known: they are in no block
$ cairn calls --to folded masked.vixl > folded
! cairn: masked.vixl: of some instructions the address is not known: a function of which no address is known is "?"

# What RST asks for and another format does not tell is said: the registers of privilege with
# which a CPU begins, and numbers that stand for what is not known.
$ cairn convert -q $EXAMPLES/sort-v9.rst.xz -o made.stf 2>/dev/null; cairn slice -q made.stf 100..120 -o made2.stf; cairn convert made2.stf -o made.rst
! cairn: made2.stf: trap level 0, PSTATE and ASI as of a program, where the trace does not tell them (PREG) (at number 1)
! cairn: made2.stf: physical addresses are not known: PAVADIFF has PA = VA

# BT9 has a target and an outcome in each edge: branches of which one is not known are left out.
$ printf 'core   0: 0x0000000080000000 (0x00000463) beqz zero, pc + 8\ncore   0: 0x0000000080000008 (0x00000463) beqz zero, pc + 8\ncore   0: 0x000000008000000c (0x00008067) ret\n' > open.log; cairn branches --to bt9 open.log | grep -E '^(NODE [1-9]|EDGE|branch)'
| branch_instruction_count: 2
| NODE 1 0x80000000 - 0x463 4 class: JMP+DIR+CND behavior: AT+DIR taken_cnt: 1 not_taken_cnt: 0 tgt_cnt: 1
| NODE 2 0x80000008 - 0x463 4 class: JMP+DIR+CND behavior: NT+DIR taken_cnt: 0 not_taken_cnt: 1 tgt_cnt: 1
| EDGE 0 0 1 N 0x0 - 1 traverse_cnt: 1
| EDGE 1 1 2 T 0x80000008 - 1 traverse_cnt: 1
| EDGE 2 2 0 N 0x80000010 - 1 traverse_cnt: 1
! cairn: open.log: the target of 1 branches is not known: they are left out
$ printf 'core   0: 0x0000000080000000 (0x00000463) beqz zero, pc + 8\n' > open2.log; cairn branches --to bt9 open2.log | grep -E '^(NODE [1-9]|EDGE|branch)'
| branch_instruction_count: 0
! cairn: open2.log: the outcome of 1 branches is not known: they are left out
$ cairn overview --json open.log 2> err | json summary.taken_percent; cairn overview --json open2.log 2> err | json summary.taken_percent
| 50
| null

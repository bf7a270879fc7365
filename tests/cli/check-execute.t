# What a trace tells is compared with what its instructions make of what it told before.
needs: json grep dd printf
$ cairn check -q --execute $EXAMPLES/sort.zstf
$ cairn check --execute $EXAMPLES/sort.zstf | grep executed
| $EXAMPLES/sort.zstf: executed 38617 instructions; 59097 of 60236 values follow from earlier ones
$ cairn check --execute --json $EXAMPLES/sort.zstf | json errors executed not_modelled values determined | grep -v '^-'
| 0 38617 0 60236 59097
# The same on any number of threads, from a pipe, and however it is packed.
$ cairn check --execute -j 3 --json $EXAMPLES/sort.zstf > a && cairn check --execute --json $EXAMPLES/sort.zstf > b && cmp a b
$ cairn convert $EXAMPLES/sort.zstf -o s.stf && cairn check --execute s.stf | grep -c 'executed 38617 instructions'
| 1
$ cairn check --execute - < s.stf | grep -c 'executed 38617 instructions'
| 1
# A result, contents that are written and a target, changed by one bit each: one finding each.
$ cp s.stf a.stf && printf '\272' | dd of=a.stf bs=1 seek=2221 conv=notrunc 2> dd && cairn check -q --execute a.stf
| a.stf: byte 0x8b5, record 202, instruction 56: error: 0x11554 gets 0xa9ba; "sw a5, 0(a3)" stores 0xa9bb of a3 = 0x11554 (written by instruction 49) and a5 = 0xa9bb (written by instruction 54) [exec.store]
= 1
$ cp s.stf a.stf && printf '\131' | dd of=a.stf bs=1 seek=2236 conv=notrunc 2> dd && cairn check -q --execute a.stf
| a.stf: byte 0x8c4, record 204, instruction 57: error: a4 is 0x11859; "addi a4, a4, 4" makes 0x11858 of a4 = 0x11854 (written by instruction 48) [exec.register]
= 1
$ cp s.stf a.stf && printf '\125' | dd of=a.stf bs=1 seek=2207 conv=notrunc 2> dd && cairn check -q --execute a.stf
| a.stf: byte 0x8b5, record 202, instruction 56: error: the store address is 0x11555; "sw a5, 0(a3)" makes 0x11554 of a3 = 0x11554 (written by instruction 49) and a5 = 0xa9bb (written by instruction 54) [exec.address]
= 1
# What nothing models is said, and what no machine knows.
$ cairn check --execute $EXAMPLES/traps.rst | grep executed
| $EXAMPLES/traps.rst: executed 9 instructions (1 not modelled); 1 of 5 values follow from earlier ones
# Formats without rules of their own are judged by these alone.
$ printf 'core   0: 3 0x0000000080000000 (0x00150513) x10 0x0000000000000002\ncore   0: 3 0x0000000080000004 (0x00150513) x10 0x0000000000000004\n' > s.log
$ cairn check s.log
! cairn: s.log: there are no rules for Spike traces
= 2
$ cairn check --execute s.log
| s.log: byte 0x43, record 2, instruction 2: error: a0 is 0x4; "addi a0, a0, 1" makes 0x3 of a0 = 0x2 (written by instruction 1) [exec.register]
| s.log: executed 2 instructions; 1 of 2 values follow from earlier ones
| s.log: 1 error, 0 warnings, 0 notes
= 1
# Where traces of several harts meet, nothing is known of a hart that does not go on where it was,
# whether a FORCE_PC says so or not.
$ for c in 0 1; do printf '1 clk cpu%d IT (1) 000000000040000%d 91000400 O EL0t_n : ADD x0,x0,#1\n1 clk cpu%d R X0 0000000000000002\n' $c $((4 * c)) $c; done > t.tarmac
$ cairn convert -q t.tarmac -o t.stf && cairn merge -q t.stf t.stf -o tt.stf && cairn view -r -D tt.stf | grep -c FORCE_PC && cairn check -q --execute tt.stf
| 2

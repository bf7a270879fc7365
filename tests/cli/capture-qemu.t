# Programs recorded. The sample again: which instructions ran and where branches went must
# be the same under any QEMU.
needs: qemu-riscv64 qemu-aarch64 qemu-sparc64
$ cairn capture -o a.zstf -- $EXAMPLES/sort.elf && cairn diff $EXAMPLES/sort.zstf a.zstf
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| --- A $EXAMPLES/sort.zstf
| +++ B a.zstf
| differences   0
| equal         38617
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
$ cairn check a.zstf | tail -n 1
| a.zstf: 0 errors, 0 warnings, 1 note
$ cairn info a.zstf | grep -E '^(isa|mode|isa_extended|generators|process)'
| isa            RISCV
| mode           RV64
| isa_extended   rv64imafdc_zicsr_zifencei_zba_zbb_zbc_zbs
| process_ids    hardware thread, PID, TID
|~ generators +QEMU [0-9.]+: cairn 0.1.0 capture
$ cairn count a.zstf | head -n 8
| instructions                         38617
| executed                             38617
| loads                                 7581
| stores                                5023
| branches                              8915
| branches_taken                        5765
| events                                  11
| records_total                        96578
# Twice more, in two packings: the same by diff, and in all that view shows.
$ env -i PATH="$PATH" cairn capture -q -o b.stf.xz -- $EXAMPLES/sort.elf && env -i PATH="$PATH" cairn capture -q -o c.zstf -- $EXAMPLES/sort.elf && cairn diff b.stf.xz c.zstf | tail -n 6; cairn view -a c.zstf > c.txt; cairn view -a b.stf.xz | cmp - c.txt
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| differences   0
| equal         38617
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
# A64 in the two formats it has, and back.
$ cairn capture -q -o a.vixl -- $EXAMPLES/sort-a64.elf && cairn capture -q -o a.snapshot -- $EXAMPLES/sort-a64.elf && cairn diff a.vixl a.snapshot
| sorted 8 numbers with 30 comparisons: mean 26923, deviation 19663
| sorted 8 numbers with 30 comparisons: mean 26923, deviation 19663
| --- A a.vixl
| +++ B a.snapshot
| differences   0
| equal         2191
| changed       0
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags; of instructions that executed (-w true: of all)
! cairn: $EXAMPLES/sort-a64.elf: lost: privilege levels (at number 1)
! cairn: $EXAMPLES/sort-a64.elf: lost: registers a state trace does not have (74, first at number 1)
! cairn: $EXAMPLES/sort-a64.elf: lost: system calls (10, first at number 1577)
! cairn: $EXAMPLES/sort-a64.elf: lost: register values (2141, first at number 1)
! cairn: $EXAMPLES/sort-a64.elf: lost: memory accesses (695, first at number 2)
! cairn: $EXAMPLES/sort-a64.elf: lost: arguments of events (10, first at number 1577)
$ cairn check a.vixl | tail -n 1 | cut -d, -f1
| a.vixl: 0 errors
$ cairn diff $EXAMPLES/sort-a64.vixl.xz a.vixl | head -n 3
| --- A $EXAMPLES/sort-a64.vixl.xz
| +++ B a.vixl
| differences   0
# By way of STF, which does not say whose registers' the accesses are, the lines are the same.
$ cairn capture -q -o a.stf -- $EXAMPLES/sort-a64.elf > /dev/null 2>&1 && cairn convert -q a.stf -o b.vixl 2> lost; grep '^[#0]' a.vixl | cut -d'	' -f 1 > a.txt; grep '^[#0]' b.vixl | cut -d'	' -f 1 | cmp - a.txt && cairn check b.vixl | tail -n 1 | cut -d, -f1
| b.vixl: 0 errors
# SPARC: delay slots and those that are annulled.
$ cairn capture -q -o a.rst -- $EXAMPLES/sort-v9.elf && cairn diff $EXAMPLES/sort-v9.rst.xz a.rst | head -n 3
| sorted 8 numbers with 30 comparisons: mean 26923, deviation 19663
| --- A $EXAMPLES/sort-v9.rst.xz
| +++ B a.rst
| differences   0
$ cairn check a.rst | tail -n 1 | cut -d, -f1
| a.rst: 0 errors
$ cairn count a.rst | head -n 2
| instructions                          2663
| executed                              2626
# What a format cannot hold is refused, and no file is left.
$ cairn capture -o x.rst -- $EXAMPLES/sort.elf > /dev/null # how far it came varies
! cairn: x.rst: RST holds SPARC instructions: as one of them, rv64's encoding 0x2197 (instruction 1) would mean something else; nothing of it can be read, so nothing is kept
= 2
$ cairn capture -q -o x.nothing -- $EXAMPLES/sort.elf
! cairn: x.nothing: the name does not say which format to write; known: STF, zstf, RST, VIXL, ETE
= 2
$ cairn capture --lossless -o x.snapshot -- $EXAMPLES/sort-a64.elf > /dev/null
!~ cairn: x.snapshot: instruction 1 \(record 2, byte 0x[0-9a-f]+ of .*/sort-a64.elf\): ETE cannot carry register values; nothing of it can be read, so nothing is kept
= 2
$ ls -d x*
! ls: cannot access 'x*': No such file or directory
= 2
# Parts: by symbol, address and number.
$ cairn capture -o p.stf --start @quick_sort --stop +5 -- $EXAMPLES/sort.elf && cairn view p.stf --image $EXAMPLES/sort.elf
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| CONTEXT priv=user
| FORCE_PC 0000000000010360
|         1  0000000000010360  quick_sort                4785      li a5, 1                          forced
|         2  0000000000010362  quick_sort+0x2            0ab7d463  bge a5, a1, 0x1040a
|         3  0000000000010366  quick_sort+0x6            7139      addi sp, sp, -64
|         4  0000000000010368  quick_sort+0x8            fc06      sd ra, 56(sp)
|         5  000000000001036a  quick_sort+0xa            f822      sd s0, 48(sp)
$ cairn capture -o p.stf --start @mean --stop @deviation -- $EXAMPLES/sort.elf && cairn count p.stf | head -n 1
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| instructions                           626
$ cairn capture -o p.stf --start 0x1040c --stop @start+6 -- $EXAMPLES/sort.elf && cairn view -D p.stf
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| CONTEXT priv=user
| FORCE_PC 000000000001040c
|         1  000000000001040c  1101      forced
|         2  000000000001040e  ec06
|         3  0000000000010410  e822
$ cairn capture -o p.stf --start 101 --stop 200 -- $EXAMPLES/sort.elf && cairn slice a.zstf 101..200 -o q.stf && cairn diff p.stf q.stf | head -n 3
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| --- A p.stf
| +++ B q.stf
| differences   0
$ cairn capture -o p2.stf --start 1G -- $EXAMPLES/sort.elf; ls p2.stf
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
! cairn: $EXAMPLES/sort.elf: recording never began: what --start names was not reached in 38617 instructions
! ls: cannot access 'p2.stf': No such file or directory
= 2
$ cairn capture -o p2.stf --start @nothing -- $EXAMPLES/sort.elf
! cairn: --start @nothing: $EXAMPLES/sort.elf has no such symbol
= 2
$ cairn capture -o p2.stf --stop 5 --start 6 -- $EXAMPLES/sort.elf
! cairn: --stop 5 is before --start 6
= 2
$ cairn capture -o p2.stf --stop 1+2 -- $EXAMPLES/sort.elf
! cairn: --stop is @symbol, @symbol+0x10, 0xADDRESS or a number of an instruction from 1, not '1+2'
= 2
# Without registers, and through a pipe: the program's words are on standard error.
$ cairn capture --no-regs -o n.stf -- $EXAMPLES/sort.elf && cairn diff a.zstf n.stf --ignore values | head -n 3
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| --- A a.zstf
| +++ B n.stf
| differences   0
$ cairn capture -- $EXAMPLES/sort.elf | cairn count - | head -n 1
| instructions                         38617
! sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
# A full disk ends it, and leaves nothing.
$ cairn capture -q --to stf -o /dev/full -- $EXAMPLES/sort.elf > out
! cairn: /dev/full: No space left on device; nothing of it can be read, so nothing is kept
= 2
# A system call's number has room in RST; nothing is lost then.
$ cairn capture -q --lossless -o l.rst -- $EXAMPLES/sort-v9.elf && cairn check l.rst | grep -c syscall-number
| sorted 8 numbers with 30 comparisons: mean 26923, deviation 19663
| 0
= 1
# So many that ran, windows of registers spilled or not.
$ cairn capture -q --start @quick_sort --stop +300 -o n.rst -- $EXAMPLES/sort-v9.elf > /dev/null; cairn count n.rst | sed -n 2p
| executed                               300
# Addresses do not depend on which of the emulator's threads was first, and the program sees
# the environment that it was given.
$ for i in 1 2 3 4; do env -i PATH="$PATH" cairn capture -q -o d$i.stf -- $EXAMPLES/sort-a64.elf > /dev/null 2>&1; cairn diff -a d1.stf d$i.stf | grep differences; done
| differences   0
| differences   0
| differences   0
| differences   0

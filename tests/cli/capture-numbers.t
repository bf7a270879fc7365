# Programs full of floating point: what their captures tell of its modes and flags is what the instructions
# make of them, and every value is known.
needs: qemu-riscv64 qemu-aarch64 qemu-sparc64
$ for p in rv64:zstf a64:stf a64:vixl v9:rst; do cairn capture -q -o full.${p#*:} -- $CAIRN_SOURCE/tests/programs/numbers-${p%:*}.elf 2> /dev/null; cairn check --execute full.${p#*:} | grep -vE 'note: |executed'; cairn info --coverage full.${p#*:} | awk '/^ *(integer|floating|vector|other) / && $(NF - 3) != "100.0" { print }'; done
| full.zstf: 0 errors, 0 warnings, 1 note
| full.stf: 0 errors, 0 warnings, 2 notes
| full.vixl: 0 errors, 0 warnings, 0 notes
| full.rst: 0 errors, 0 warnings, 0 notes
# The modes before the last instruction, and the flags that it found.
$ for p in zstf:5564 stf:4560 rst:5952; do cairn view --state full.${p%:*} ${p#*:} | grep -iE '^ *(fflags|frm|fpcr|fpsr|fsr|fprs|asi) '; done
|   fflags        0x0000000000000011  5547
|   frm           0x0000000000000000  5392
|   fpcr          0x0000000000000000  4402
|   fpsr          0x0000000000000011  4539
|   asi           0x0000000000000082  1
|   fprs          0x000000000000000?  5941
|   fsr           0x0000003f00000e21  5949
# Without registers there is none of it.
$ for p in rv64 a64 v9; do cairn capture -q --no-regs -o lean.stf -- $CAIRN_SOURCE/tests/programs/numbers-$p.elf 2> /dev/null; cairn view -rm lean.stf | grep -E ' (dst|src|state) '; done
= 1

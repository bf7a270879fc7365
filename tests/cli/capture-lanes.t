# A program of SVE, on CPUs with vectors of other lengths: what its capture tells is what the instructions make of
# it. QEMU 7.2 does not tell what SVE accesses: that is said.
needs: qemu-aarch64
$ lanes() { cairn capture -q --cpu max,sme=off,sve-default-vector-length=$1 ${3:-} -o $2 -- $CAIRN_SOURCE/tests/programs/lanes-a64.elf; }; declare -f lanes > lanes.sh
$ . ./lanes.sh; for v in 32 64 256; do lanes $v $v.zstf 2> $v.log && cairn info $v.zstf | grep '^vlen ' && cairn check --execute $v.zstf | tail -n 1 && cairn info --coverage $v.zstf | grep -E '^  (integer|vector|other) '; done
| vlen           256
| 32.zstf: 0 errors, 0 warnings, 2 notes
|   integer                     1267     100.0 %     100.0 %
|   vector                       199     100.0 %     100.0 %
|   other                        547     100.0 %     100.0 %
|   integer                      381     100.0 %     100.0 %
|   vector                       122     100.0 %     100.0 %
|   other                        191     100.0 %     100.0 %
| vlen           512
| 64.zstf: 0 errors, 0 warnings, 2 notes
|   integer                      962     100.0 %     100.0 %
|   vector                       100     100.0 %     100.0 %
|   other                        372     100.0 %     100.0 %
|   integer                      336     100.0 %     100.0 %
|   vector                        65     100.0 %     100.0 %
|   other                        189     100.0 %     100.0 %
| vlen           2048
| 256.zstf: 0 errors, 0 warnings, 2 notes
|   integer                      765     100.0 %     100.0 %
|   vector                        44     100.0 %     100.0 %
|   other                        262      75.5 %     100.0 %
|   integer                      307     100.0 %     100.0 %
|   vector                        24     100.0 %     100.0 %
|   other                        188      99.4 %     100.0 %
$ grep -cv 'lost: memory accesses of SVE, which this QEMU does not tell of (271 instructions)' 32.log
| 0
= 1
# The state has whole vectors, predicates and the first-fault register.
$ cairn view --state 32.zstf 2100 | grep -E '^  (z31|p1|p15|ffr|fpcr|fpsr) '; cairn view --state 32.zstf 2100 | grep -cE '^  (z[0-9]+|p[0-9]+|ffr) '
|   z31           0x0000000000000000000000000000000000000000000000000000000000000000  1
|   fpcr          0x0000000000000000  1
|   fpsr          0x0000000000000010  2099
|   p1            0x00000111          2087
|   p15           0x01010101          625
|   ffr           0x00000000          1
| 49
# Vectors of 16 bytes are V's; of a length that is no power of 2 STF holds none, nor predicates of more than 64 bits.
$ . ./lanes.sh; for v in 16 48 256; do lanes $v $v.stf 2> $v.log && cairn check --execute $v.stf | tail -n 1; grep -o 'lost: bits of.*record holds' $v.log; done
| 16.stf: 0 errors, 0 warnings, 2 notes
| 48.stf: 0 errors, 0 warnings, 2 notes
| lost: bits of registers beyond what a record holds
| 256.stf: 0 errors, 0 warnings, 2 notes
| lost: bits of registers beyond what a record holds
# A log of VIXL's has vectors and predicates of any length in pieces.
$ . ./lanes.sh; for v in 32 48; do lanes $v $v.vixl 2> $v.log; cairn check --execute $v.vixl | tail -n 1 | cut -d, -f1; cairn info --coverage $v.vixl | awk '/^ *(integer|vector|other) / && $(NF - 3) < 99 { print }'; grep -c 'lost: vector' $v.log; done; grep -E '^# *(z31|p15)<' 48.vixl | head -n 6
| 32.vixl: 0 errors
| 0
| 48.vixl: 0 errors
| 0
| #     z31<127:0>: 0x00000000000000000000000000000000
| #   z31<255:128>: 0x00000000000000000000000000000000
| #   z31<383:256>: 0x00000000000000000000000000000000
| #      p15<15:0>: 0b 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
| #     p15<31:16>: 0b 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
| #     p15<47:32>: 0b 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
# Without registers.
$ . ./lanes.sh; lanes 32 lean.stf --no-regs 2> lean.log && cairn view -r lean.stf | grep -cE ' (dst|src|state) '
| 0
= 1
# By default the program finds no SVE.
$ cairn capture -q -o none.stf -- $CAIRN_SOURCE/tests/programs/lanes-a64.elf 2>&1 | grep -o 'ended by signal.*n)'
| ended by signal 4 (Illegal instruction)
# A program that asks for another length ends the recording: resize.elf calls prctl(PR_SVE_SET_VL, 16), and exit.
$ printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0\170\0\100\0\0\0\0\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\070\0\1\0\0\0\0\0\0\0\1\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0\100\0\0\0\0\0\220\0\0\0\0\0\0\0\220\0\0\0\0\0\0\0\0\020\0\0\0\0\0\0' > resize.elf
$ printf '\100\006\200\322\001\002\200\322\350\024\200\322\001\000\000\324\250\013\200\322\001\000\000\324' >> resize.elf; chmod +x resize.elf
$ cairn capture -o resize.stf --cpu max,sme=off,sve-default-vector-length=32 -- ./resize.elf; cairn count resize.stf | head -n 1
| instructions                             4
! cairn: ./resize.elf: chose another length of vectors; the trace holds the 4 instructions until then
! cairn: ./resize.elf: exited with 16

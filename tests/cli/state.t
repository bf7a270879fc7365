# Registers and memory as known before an instruction, and after it.
needs: json python3
$ cp $EXAMPLES/sort.zstf t.zstf
$ cairn view --state -rD t.zstf 29998 | sed -n '1,6p;$p'
| STATE before 29998
| REGISTERS
|   x1 ra         0x000000000001024e  29987
|   x2 sp         0x0000004000800ba0  29970
|   x3 gp         0x0000000000011d3a  2
|   x4 tp         0x0000000000000000  1
|     29998  000000000001022a  2a05
$ cairn view --state -rD t.zstf 29998 | grep s4; cairn view --state --after -rD t.zstf 29998 | grep s4
|   x20 s4        0x0000000000000000  29977
|   f20 fs4       0x0000000000000000  1
|   x20 s4        0x0000000000000001  29998
|   f20 fs4       0x0000000000000000  1
$ cairn view --state -mD t.zstf 5000 | head -n 4
| STATE before 5000
| MEMORY
|   0x0000000000011540  dd 00 00 00 00 00 00 00 70 05 00 00 5d 0b 00 00
|   0x0000000000011550  da 09 00 00 bb a9 00 00 0c a5 00 00 e9 7b 00 00
$ cairn view --state -D --memory 0x116c8+4 t.zstf 30000 | grep -A9 MEMORY
| MEMORY
|   0x00000000000116c0                          24 ee 00 00
| CONTEXT priv=user
|     30000  000000000001022e  0411
$ cairn view --state -mD --memory 0x116c0+8 --memory 0x1000-0x1003 t.zstf 30000
| STATE before 30000
| MEMORY
|   0x00000000000116c0  5e b0 00 00 ec 98 00 00
| MEMORY
|   0x0000000000001000  ?? ?? ?? ??
| CONTEXT priv=user
|     30000  000000000001022e  0411
# With an index the same.
$ cairn view --state -rD t.zstf 30000 > a; cairn view --state -mD --memory 0x11000+4096 t.zstf 30000 > b; cairn index -q t.zstf; cairn view --state -rD t.zstf 30000 | cmp - a; cairn view --state -mD --memory 0x11000+4096 t.zstf 30000 | cmp - b
$ cairn view --state --json t.zstf 30000 | json n when registers.1.name registers.1.value registers.1.known registers.1.told memory.0.space memory.0.addr
| 30000 before x2 0x0000004000800ba0 0xffffffffffffffff 29970 virtual 0x0000000000011540
# SPARC: the most significant byte comes first; each processor has its own registers.
$ cairn view --state -D $EXAMPLES/traps.rst 6
| STATE before 6
| CPU 0
|   asi           0x0000000000000082  1
|   mmu8          0x00000000000002a5  1
|   mmu16         0x0000000000000000  1
|   mmu48         0x00000000000202a5  5
| CPU 1
|   tt            0x0000000000000000  2
|   pstate        0x0000000000000012  2
|   tl            0x0000000000000000  2
|   asi           0x0000000000000082  2
|   mmu8          0x00000000000002a5  2
|   mmu16         0x0000000000000000  2
| CONTEXT cpu=1 asid=677 priv=user
|         6  0000000000010104  01000000
# What cannot be.
$ cairn view --state t.zstf
! cairn: --state takes the number of one instruction: cairn view --state TRACE 123456
= 2
$ cairn view --state t.zstf 1..2
! cairn: --state takes the number of one instruction: cairn view --state TRACE 123456
= 2
$ cairn view --state t.zstf @main
! cairn: region '@main', character 1: '@main' is a symbol, and there is no image to look it up in
= 2
$ cairn view --state -w 'pc==1' t.zstf 1
! cairn: --state takes the number of one instruction, and no expression
= 2
$ cairn view --state t.zstf 99999999
! cairn: t.zstf: number 99999999 is past the end of the trace
= 2
$ cairn view --after t.zstf 5
! cairn: --after needs --state
= 2
$ cairn view --state --memory x5 t.zstf 5
! cairn: place 'x5', character 1: a digit is missing
= 2

# A hardware thread whose number has no room is not another one, whose number is the same in 16 bits: its registers are nobody's.
$ printf 'core   0: 3 0x0000000000001000 (0x00100093) x1  0x0000000000000001\ncore   1: 3 0x0000000000002000 (0x00200093) x1  0x0000000000000002\ncore   0: 3 0x0000000000001004 (0x00000013)\n' > two.log; cairn convert -q two.log -o two.stf
$ cat > far.py <<'END'
> b = bytearray(open("two.stf", "rb").read())
> at = b.index(b"\x08\1\0\0\0", 1)
> b[at + 1:at + 5] = (65536).to_bytes(4, "little")
> open("far.stf", "wb").write(b)
> END
$ python3 far.py; cairn view --state far.stf 3; cairn view --state two.stf 3 | head -3
| STATE before 3
| REGISTERS
|   x1 ra         0x0000000000000002  2
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000000001004
|         3  0000000000001004  00000013  nop                               forced
| STATE before 3
| CPU 0
|   x1 ra         0x0000000000000001  1
# An instruction that changes a field of a status register leaves the others known: flags accumulate, the rounding mode stays.
$ printf 'core   0: 3 0x0000000080000000 (0x00351073) c3_fcsr 0x0000000000000041\ncore   0: 3 0x0000000080000004 (0x02c5f553) f10 0x3ff0000000000000\ncore   0: 3 0x0000000080000008 (0x00251073) c2_frm 0x0000000000000003\ncore   0: 3 0x000000008000000c (0x02c5f553) f10 0x3ff0000000000000\ncore   0: 3 0x0000000080000010 (0x00000013)\n' > fields.log
$ for n in 2 3 5; do cairn view --state -rD fields.log $n | grep 'fcsr\|frm'; done
|   fcsr          0x0000000000000041  1
|   fcsr          0x00000000000000??  2
|   frm           0x0000000000000003  3
|   fcsr          0x00000000000000??  4
$ cairn view --state --json -r fields.log 3 | json registers.1.name registers.1.known registers.1.partial
| fcsr 0xffffffffffffffe0 0x0000000000000040
# What others wrote may show behind cbo.inval; cbo.clean leaves memory as it is, and cbo.zero may have zeroed any of it.
$ for e in 0010200f 0000200f 0040200f; do printf "core   0: 3 0x0000000080000000 (0x0052b023) mem 0x0000000080001008 0x0000000000000012\ncore   0: 3 0x0000000080000004 (0x$e)\ncore   0: 3 0x0000000080000008 (0x00000013)\n" > block.log; cairn view --state -mD --memory 0x80001008+2 block.log 3 | grep 0x; done
|   0x0000000080001000                          12 00
|   0x0000000080001000                          ?? ??
|   0x0000000080001000                          ?? ??

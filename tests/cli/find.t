# Where an expression holds; nothing else is printed.
$ cp $EXAMPLES/sort.zstf t.zstf
$ cairn find -D t.zstf 'class==store && addr==0x116c8' | head -n 3
| CONTEXT priv=user
|     14691  000000000001022c  c01c
|     14757  000000000001022c  c01c
$ cairn find -D t.zstf 'class==store' 1000.. -n 2
| CONTEXT priv=user
|      1000  00000000000103c8  c018
|      1019  00000000000103c6  c394
$ cairn find -D t.zstf 'class==store' --last -n 2
|     38555  0000000000010172  00e50023
|     38562  0000000000010172  00e50023
$ cairn find -D t.zstf --first 'class==store'
| CONTEXT priv=user
|         6  000000000001040e  ec06
$ cairn find --count t.zstf 'class==store'
| 3916
$ cairn find --count --json t.zstf 'class==store' ..1000
| {
|   "count": 212
| }
$ cairn find t.zstf 'pc==1'
= 1
$ cairn find --count t.zstf 'pc==1'
| 0
= 1
# Who wrote it last, and who read it; with an index, the same.
$ cairn find -rD --writes s4 --before 30000 t.zstf
|     29998  000000000001022a  2a05
|            dst s4 = 0x0000000000000001
$ cairn find -mD --reads 0x11698+4 --before 29997 t.zstf | tee without; cairn index -q t.zstf
|     29985  0000000000010248  430c
|            MEM READ  0x0000000000011698 4 = 0x0000ee24
$ cairn find -mD --reads 0x11698+4 --before 29997 t.zstf | grep -v CONTEXT | cmp - without
$ cairn find -D --writes @copy --image $EXAMPLES/sort.elf t.zstf
| CONTEXT priv=user
|     35804  0000000000010264  merge_sort+0x9e           c398
$ cairn find -D --writes s5 --all -n 3 t.zstf
| CONTEXT priv=user
|       922  00000000000103a8  4a81
|       934  00000000000103ba  2a85
|       954  00000000000103ba  2a85
$ cairn find -D --writes s5 t.zstf 'cpu9'
! cairn: t.zstf: the trace records no numbers of cpus here, and the selection depends on them
= 1
$ cairn find -D --writes s5 --before 900 t.zstf
= 1
$ cairn find -D --writes s5 -w 'class==load' t.zstf
| CONTEXT priv=user
|     35814  000000000001027a  7aa2
$ cairn find --json --first t.zstf 'class==store' | sed 's/,"encoding.*//'
| {"n":6,"pc":"0x000000000001040e"
# The result does not depend on the number of threads, nor on a pipe.
$ for j in 1 3; do cairn find -Dj$j t.zstf 'class==branch && taken' | cksum; done | uniq | wc -l
| 1
$ cat t.zstf | cairn find -D - 'class==store' --first
| CONTEXT priv=user
|         6  000000000001040e  ec06
# Nobody did, or nobody tells.
$ cairn find --writes s4 $EXAMPLES/sort-a64.snapshot
= 1
$ cairn find --reads s4 t.zstf
| CONTEXT priv=user
|     35322  000000000001022a  2a05      addiw s4, s4, 1
$ cairn find --reads 0x10 --first $EXAMPLES/sort-a64.snapshot
! cairn: $EXAMPLES/sort-a64.snapshot: the trace records no access that reads memory, so who read 0x10 is unknown
= 1
$ cairn find -q --writes x5 $EXAMPLES/sort-a64.snapshot
| CONTEXT cpu=0 priv=el0 security=non-secure
|        21  0000000000400194  fill+0x24                 913fa0a5  add x5, x5, #4072
# What cannot be.
$ cairn find t.zstf
! cairn: find needs an expression, --writes or --reads; usage: cairn find [options] TRACE EXPR [REGION…]
= 2
$ cairn find --writes foo t.zstf
! cairn: place 'foo', character 1: is neither a register nor an address like 0x1000, 0x1000+8, 0x1000-0x1007, @symbol
= 2
$ cairn find --writes 0x10-0x8 t.zstf
! cairn: place '0x10-0x8', character 6: the range ends before it begins
= 2
$ cairn find --writes s4 --reads s4 t.zstf
! cairn: --writes and --reads cannot be combined
= 2
$ cairn find --first --last t.zstf 'pc==1'
! cairn: --first, --last and --all cannot be combined
= 2
$ cairn find --before x --writes s4 t.zstf
! cairn: --before is a number, not 'x'
= 2
$ cairn find --before 0 --writes s4 t.zstf
! cairn: instructions are numbered from 1, so there is none before 0
= 2
$ cat t.zstf | cairn find --writes s4 -
! cairn: standard input can be read only once, so the last ones cannot be printed: name a file, or ask for the first ones
= 2
# What is read twice has its damage once: from a file, and from a file that is standard input.
$ cairn convert -q $EXAMPLES/sort.zstf -o whole.stf; head -c 300000 whole.stf > damaged.stf
$ cairn find damaged.stf --writes x1 -D | tail -n 1; cairn find - --writes x1 -D < damaged.stf | tail -n 1
|     13794  00000000000103b6  9902      PC 00000000000102f6
|     13794  00000000000103b6  9902      PC 00000000000102f6
! cairn: damaged.stf: byte 0x493dc, record 35541, instruction 13795: the input ends inside INST_32: 4 bytes of it are there
! cairn: damaged.stf: 1 damaged place; everything that can be read is in the output
! cairn: -: byte 0x493dc, record 35541, instruction 13795: the input ends inside INST_32: 4 bytes of it are there
! cairn: -: 1 damaged place; everything that can be read is in the output
# fcsr is fflags and frm: who writes one by any name has written it.
$ printf 'core   0: 0x0000000080000000 (0x00301073) fscsr zero\ncore   0: 0x0000000080000004 (0x00259073) fsrm a1\ncore   0: 0x0000000080000008 (0x00000013) nop\n' > csr.log; for reg in fcsr fflags frm; do cairn find --writes $reg -a csr.log | grep -v CONTEXT; done
|         1  0000000080000000  00301073  fscsr zero
|         2  0000000080000004  00259073  fsrm a1
|         1  0000000080000000  00301073  fscsr zero
|         1  0000000080000000  00301073  fscsr zero
|         2  0000000080000004  00259073  fsrm a1

# A region as a trace of its own, with what is known where it begins.
$ cairn slice $EXAMPLES/sort.zstf 1000+3 -o a.stf && cairn view -D a.stf
| CONTEXT priv=user
| FORCE_PC 00000000000103c8
|         1  00000000000103c8  c018      forced
|         2  00000000000103ca  b7cd      PC 00000000000103ac
|         3  00000000000103ac  0411
$ cairn records a.stf | grep -vE 'COMMENT|STATE' | cut -c 22-
|   IDENTIFIER         magic="STF"
|   VERSION            major=1 minor=6
|   ISA                isa=RISCV
|   INST_IEM           iem=RV64
|   TRACE_INFO         generator=QEMU major=7 minor=2 minor_minor=22 comment="cairn 0.1.0 capture"
|   TRACE_INFO         generator=cairn major=0 minor=1 minor_minor=0 comment="cairn"
|   TRACE_INFO         generator=cairn major=0 minor=1 minor_minor=0 comment="cairn slice"
|   TRACE_INFO_FEATURE features=0x000000000008202c
|   FORCE_PC           pc=0x00000000000103c8
|   ISA_EXTENDED       isa="rv64imafdc_zicsr_zifencei"
|   END_HEADER
|   INST_MEM_ACCESS    address=0x0000000000011858 bytes=4 attributes=0x0000 access=WRITE
|   INST_MEM_CONTENT   value=0x000000000000a50c
|   EVENT              event=MODE_CHANGE count=1 data0=0x0000000000000000
|   INST_16            encoding=0xc018
|   INST_PC_TARGET     pc=0x00000000000103ac
|   INST_16            encoding=0xb7cd
|   INST_REG           reg=8 kind=INTEGER operand=DEST value=0x000000000001185c
|   INST_16            encoding=0x0411
$ cairn records a.stf | grep -c STATE
| 63
$ cairn records a.stf | grep COMMENT | tail -n 2 | cut -c 42- | sed 's/ [0-9.]*, git [^:]*:/ …:/'
|  text="cairn slice …: cairn slice $EXAMPLES/sort.zstf 1000+3 -o a.stf"
|  text="cairn: begins with instruction 1000 of $EXAMPLES/sort.zstf; known there: 31 of 32 integer and 32 of 32 floating-point registers, 0 vector registers, 0 CSRs; privilege mode user; process ids unknown"
$ cairn info a.stf | grep -A 2 generators
| generators     QEMU 7.2.22: cairn 0.1.0 capture
|                cairn 0.1.0: cairn
|                cairn 0.1.0: cairn slice
# Nothing is repeated that is known, and each seam is forced.
$ cairn slice $EXAMPLES/sort.zstf 1000..1001 1003..1004 2000+1 -o b.stf && cairn view -D b.stf
| CONTEXT priv=user
| FORCE_PC 00000000000103c8
|         1  00000000000103c8  c018      forced
|         2  00000000000103ca  b7cd      PC 00000000000103ac
| FORCE_PC 00000000000103ae
|         3  00000000000103ae  01340f63  forced
|         4  00000000000103b2  408c
| FORCE_PC 00000000000103c0
|         5  00000000000103c0  97a6      forced
$ cairn records b.stf | grep -c STATE
| 189
$ cairn slice $EXAMPLES/sort.zstf 1..3 -o c.stf && cairn records c.stf | grep -c MODE_CHANGE
| 1
# What comes out keeps the specification's rules.
$ cairn check b.stf
| b.stf: note: there is no PROCESS_ID_EXT; nearly all traces have none [stf.header.process-id]
| b.stf: 0 errors, 0 warnings, 1 note
# The rest of the trace is the same.
$ cairn slice $EXAMPLES/sort.zstf 1..20000 -o 1.zstf && cairn slice $EXAMPLES/sort.zstf 20001.. -o 2.zstf && cairn merge 1.zstf 2.zstf -o m.zstf
$ cp $EXAMPLES/sort.zstf s.zstf; cairn view -D s.zstf | grep -v forced > x; cairn view -D m.zstf | grep -vE 'forced|FORCE_PC 0000000000[^ ]*$' > y; diff x y | head -n 5
| 2d1
| < FORCE_PC 0000000000010120
| 20002d20000
| <     20001  000000000001022e  0411
# Windows are samples.
$ cairn slice $EXAMPLES/sort.zstf --windows 10k:2 -o w.stf && cairn view -D w.stf && cairn info w.stf | grep SAMPLING
| CONTEXT priv=user
| FORCE_PC 0000000000010120
|         1  0000000000010120  00002197  forced
|         2  0000000000010124  c1a18193
| FORCE_PC 00000000000103d8
|         3  00000000000103d8  c094      forced
|         4  00000000000103da  c398
| FORCE_PC 000000000001022e
|         5  000000000001022e  0411      forced
|         6  0000000000010230  03940663
| FORCE_PC 0000000000010230
|         7  0000000000010230  03940663  forced
|         8  0000000000010234  ff3a87e3
|                SAMPLING
# By symbol and address; from a pipe by number.
$ cairn slice $EXAMPLES/sort.zstf --image $EXAMPLES/sort.elf @mean -o s.stf; cairn count s.stf | head -n 1
| instructions                           976
$ cairn slice $EXAMPLES/sort.zstf 0x103c8 -o p.stf && cairn count p.stf | head -n 1
| instructions                           338
$ cat $EXAMPLES/sort.zstf | cairn slice - 1000+3 | cairn view -D -
| CONTEXT priv=user
| FORCE_PC 00000000000103c8
|         1  00000000000103c8  c018      forced
|         2  00000000000103ca  b7cd      PC 00000000000103ac
|         3  00000000000103ac  0411
# A short look back knows less, and says so.
$ cairn slice $EXAMPLES/sort.zstf 15000+1 --look-back 10 -o l.stf; cairn records l.stf | grep -c STATE
| 18
! cairn: $EXAMPLES/sort.zstf: state from before the look-back is not known (at number 15000)
! cairn: $EXAMPLES/sort.zstf: integer registers without a known value at the beginning (14)
# An index knows it all.
$ cp $EXAMPLES/sort.zstf i.zstf; cairn slice i.zstf 30000+9 -o k.stf; cairn index i.zstf > /dev/null; cairn slice i.zstf 30000+9 -o l.stf; cairn records k.stf | grep -v COMMENT | cut -c 22- > x; cairn records l.stf | grep -v COMMENT | cut -c 22- | cmp - x
# What cannot be is said.
$ cairn slice $EXAMPLES/sort.zstf 99999.. -o n.stf; echo $?; ls n.stf
| 1
! cairn: $EXAMPLES/sort.zstf: the selection is empty
! ls: cannot access 'n.stf': No such file or directory
= 2
$ cairn slice $EXAMPLES/sort.zstf 0xdead0000 -o n.stf
! cairn: $EXAMPLES/sort.zstf: the selection is empty
= 1
$ cairn slice $EXAMPLES/sort.zstf --windows 5 -o n.stf
! cairn: --windows is N:K, of every N instructions the first K, not '5'
= 2
$ cairn slice $EXAMPLES/sort.zstf --windows 5:6 -o n.stf
! cairn: a window holds 1 to 5 instructions, not 6
= 2
$ cairn slice $EXAMPLES/sort.zstf --look-back x -o n.stf
! cairn: --look-back is a number of instructions, or all, not 'x'
= 2
$ cairn slice a.stf -o a.stf
! cairn: a.stf: the output is the trace itself; it would be destroyed
= 2

# Of transactions: what one depends on may be cut off, and is told; the slice is whole.
$ { printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\03\07\0\0\0abcdef0\06\01\01\02\03\0\0\07\0\0\020\0\0\0\0\0\013\01\014\01\01\0c\023'; for i in 1 2 3 4; do [ $i = 1 ] || printf '%b' "\\0373\\0$((i - 1))\\0\\0\\0\\0\\0\\0\\0\\01\\0\\0\\0\\0\\0\\0\\0\\01"; printf '%b' "\\0372\\0$i\\0\\0\\0\\0\\0\\0\\0\\01\\0\\0\\0\\0\\0\\0\\0\\01\\0\\0\\05\\07\\0\\0\\0\\0\\0\\0\\0"; done; } > t.stf; cairn slice t.stf 2..2 4..4 -o u.stf; cairn check -q u.stf; cairn check u.stf | grep -c 'cut off'
| 2
! cairn: t.stf: dependencies on transactions that are not in the output (2, first at number 2)

# Damage behind the last instruction of a region that only reading finds is told.
$ cairn convert -q $EXAMPLES/sort.zstf -o whole.stf; head -c 300000 whole.stf > torn.stf; cairn slice -q torn.stf -w 'class == call' -o torn2.stf; cairn slice -q torn.stf -w 'pc == 0' -o torn3.stf
! cairn: torn.stf: 1 damaged place; everything that can be read is in the output
! cairn: torn.stf: the selection is empty
! cairn: torn.stf: 1 damaged place; everything that can be read is in the output
= 2
# The program that --image gives is needed to find what a region means, too.
$ cp -r $EXAMPLES/sort-a64.snapshot bare; rm bare/program.bin; sed -i '/dump/,$d' bare/cpu_0.ini; cairn slice -q --image $EXAMPLES/sort-a64.snapshot/program.bin@0x400000 bare 0x400120-0x400168 -o region.snapshot; cairn count -q region.snapshot | head -1; cairn count -q --image $EXAMPLES/sort-a64.snapshot/program.bin@0x400000 bare 0x400120-0x400168 | head -1
| instructions                           124
| instructions                           124

# Another header.
$ cairn slice $EXAMPLES/sort.zstf 1..3 -o a.stf
$ cairn edit a.stf -o b.stf --comment 'one thing' --comment 'another' --feature +SIMPOINT --isa-string rv64gc --generator Spike,1.1.0,mine
$ cairn info b.stf | grep -E -A 5 'isa_ext|^generators|^features' | grep -v -- --
| isa_extended   rv64gc
| vlen           unknown
| first_pc       0x10120
| event_id_bits  64
| process_ids    hardware thread, PID, TID
| access_sizes   bytes
| generators     Spike 1.1.0: mine
|                QEMU 7.2.22: cairn 0.1.0 capture
|                cairn 0.1.0: cairn
|                cairn 0.1.0: cairn slice
|                cairn 0.1.0: cairn edit
| features       OPERAND_VALUE
|                EVENT
|                RV64
|                SIMPOINT
|                REG_STATE
|                EVENT64
$ cairn records b.stf | grep COMMENT | cut -c 42- | sed 's/ [0-9.]*, git [^:]*:/ …:/'
|  text="recorded by cairn 0.1.0, git 7be60f60df26, in QEMU 7.2.22 user mode"
|  text="command: cairn capture -q -o examples/sort.zstf --to stf:container=zstf,chunk=10000 -- examples/sort.elf"
|  text="program: examples/sort.elf"
|  text="cairn 0.1.0, git 7be60f60df26, zstd 1.5.4, zlib 1.2.13, xz 5.4.1, bzip2 1.0.8, lz4 1.9.4, elf 0.188, dw 0.188"
|  text="cairn slice …: cairn slice $EXAMPLES/sort.zstf 1..3 -o a.stf"
|  text="one thing"
|  text="another"
|  text="cairn edit …: cairn edit a.stf -o b.stf --comment 'one thing' --comment another --feature +SIMPOINT --isa-string rv64gc --generator Spike,1.1.0,mine"
# The records decide what the features say.
$ cairn edit a.stf -o c.stf --drop inst_reg --drop STF_EVENT,INST_MEM_ACCESS && cairn info c.stf | sed -n '/^features/,/^comments/p' | sed '$d'
| features       RV64
|                EVENT64
! cairn: a.stf: records left out as asked (67)
$ cairn count c.stf | tail -n 3
|   ISA_EXTENDED                           1
|   END_HEADER                             1
|   INST_32                                3
# Another version, another width of ids.
$ cairn edit a.stf -o d.stf --to stf:version=1.4 && cairn info d.stf | grep -E '^(version|event_id|process|isa_ext)'
| version        1.4
| isa_extended   unknown
| event_id_bits  32
| process_ids    TGID, TID, ASID
! cairn: a.stf: lost: ISA_EXTENDED, which came with version 1.6
$ cairn records d.stf | grep MODE | cut -c 22-
|   EVENT              event=MODE_CHANGE count=1 data0=0x0000000000000000
$ cairn edit d.stf -o e.stf --to stf:version=1.6,events=64 && cairn records e.stf | grep MODE | cut -c 22-
|   EVENT              event=MODE_CHANGE count=1 data0=0x0000000000000000
$ cairn convert d.stf -o f.stf --to stf:events=64 && cairn records f.stf | grep MODE | cut -c 22-
! cairn: f.stf: version 1.4: event ids of 64 bits came with version 1.5
= 2
$ cairn view -D a.stf > x; cairn view -D e.stf | cmp - x
# What a loss is, is told; with --lossless it is refused.
$ cairn edit a.stf -o n.stf --to stf:version=1.4 --lossless
! cairn: n.stf: the output would lose ISA_EXTENDED, which came with version 1.6
= 2
# What the trace needs stays.
$ cairn edit a.stf -o n.stf --drop INST_OPCODE32
! cairn: INST_32 records cannot be left out: they are what the trace is about (cairn slice leaves out instructions)
= 2
$ cairn edit a.stf -o n.stf --drop INST_MEM_CONTENT
! cairn: INST_MEM_CONTENT records cannot be left out: a content belongs to its access: drop the access, and both go
= 2
$ cairn edit a.stf -o n.stf --drop FORCE_PC
! cairn: FORCE_PC records cannot be left out: without them the PCs behind would be wrong
= 2
$ cairn edit a.stf -o n.stf --drop NOTHING
! cairn: STF has no record 'NOTHING'
= 2
$ cairn edit a.stf -o n.stf --feature +PTE
! cairn: feature PTE is what the records make it: it cannot be set by hand
= 2
$ cairn edit a.stf -o n.stf --feature PTE
! cairn: features are set with +NAME and taken back with -NAME, not 'PTE'
= 2
$ cairn edit a.stf -o n.stf --feature +NOTHING
! cairn: STF has no feature 'NOTHING'
= 2
$ cairn edit a.stf -o n.stf --generator Nobody
! cairn: STF has no number for the generator 'Nobody'
= 2
$ cairn edit a.stf -o n.stf --generator Spike,x
! cairn: a generator's version is like 1.2.3 (each below 256), not 'x'
= 2
$ cairn edit a.stf -o n.stf --to stf:version=1.1
! cairn: stf:version is 1.2 to 1.6, not '1.1'
= 2
$ cairn edit a.stf -o a.stf --comment x
! cairn: a.stf: the output is the trace itself; it would be destroyed
= 2
$ ls n.stf
! ls: cannot access 'n.stf': No such file or directory
= 2

# Vectors of 64 bits, which nothing in the header of an old version tells of.
$ cairn edit d.stf -o o.stf --to stf:version=1.3 --quiet && at=$(($(cairn records o.stf | awk '/END_HEADER/ {print $2}') + 1)) && { head -c $at o.stf; printf '\050\005\000\063\210\167\146\125\104\063\042\021'; tail -c +$((at + 1)) o.stf; } > u.stf && cairn edit u.stf -o w.stf --to stf:version=1.6 && cairn records w.stf | grep -E 'VLEN|VECTOR' | cut -c 22-
|   VLEN_CONFIG        vlen=64
|   INST_REG           reg=5 kind=VECTOR operand=DEST value=0x1122334455667788

# An instruction set that cannot be this trace's.
$ cairn edit a.stf -o n.stf --isa-string rv32gc
! cairn: the instruction set of this trace begins with rv64, 'rv32gc' does not
= 2
$ ls n.stf*
! ls: cannot access 'n.stf*': No such file or directory
= 2

# A first PC that nobody tells is not invented.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\0\010\0\0\0\0\0\023\0360\023\0\0\0' > nopc.stf
$ cairn edit nopc.stf -o n.stf --comment x && cairn slice nopc.stf 1..1 -o s.stf && cairn merge nopc.stf nopc.stf -o m.stf; for f in n s m; do cairn records $f.stf | grep -c FORCE_PC; cairn check $f.stf | grep -c force-pc.first; done
| 0
| 1
| 0
| 1
| 0
| 1
!~ cairn: m.stf: PC not known where a part begins .*

# Traces one after another.
$ cairn slice $EXAMPLES/sort.zstf 1..3 -o a.stf && cairn slice $EXAMPLES/sort.zstf 100..101 -o b.stf
$ cairn merge a.stf b.stf a.stf -o m.stf && cairn view -D m.stf
| CONTEXT priv=user
| FORCE_PC 0000000000010120
|         1  0000000000010120  00002197  forced
|         2  0000000000010124  c1a18193
|         3  0000000000010128  ff017113
| FORCE_PC 00000000000101b8
|         4  00000000000101b8  c31c      forced
|         5  00000000000101ba  c29c
| FORCE_PC 0000000000010120
|         6  0000000000010120  00002197  forced
|         7  0000000000010124  c1a18193
|         8  0000000000010128  ff017113
! cairn: m.stf: features declared by some parts only: OPERAND_VALUE
$ cairn info m.stf | sed -n '/generators/,$p' | sed 's/ [0-9.]*, git [^:]*:/ …:/; s/cairn [0-9.]*: cairn/cairn …: cairn/'
| generators     QEMU 7.2.22: cairn 0.1.0 capture
|                cairn …: cairn
|                cairn …: cairn slice
|                cairn …: cairn merge
| features       OPERAND_VALUE
|                EVENT
|                RV64
|                REG_STATE
|                EVENT64
| comments       recorded by cairn 0.1.0, git 7be60f60df26, in QEMU 7.2.22 user mode
|                command: cairn capture -q -o examples/sort.zstf --to stf:container=zstf,chunk=10000 -- examples/sort.elf
|                program: examples/sort.elf
|                cairn 0.1.0, git 7be60f60df26, zstd 1.5.4, zlib 1.2.13, xz 5.4.1, bzip2 1.0.8, lz4 1.9.4, elf 0.188, dw 0.188
|                cairn slice …: cairn slice $EXAMPLES/sort.zstf 1..3 -o a.stf
|                cairn slice …: cairn slice $EXAMPLES/sort.zstf 100..101 -o b.stf
|                cairn: begins with instruction 100 of $EXAMPLES/sort.zstf; known there: 31 of 32 integer and 32 of 32 floating-point registers, 0 vector registers, 0 CSRs; privilege mode user; process ids unknown
|                cairn merge …: cairn merge a.stf b.stf a.stf -o m.stf
# Ranges in the order given, again if need be.
$ cairn merge -R 2..3 -R 1..2 a.stf -o r.stf && cairn view -D r.stf
| CONTEXT priv=user
| FORCE_PC 0000000000010124
|         1  0000000000010124  c1a18193  forced
|         2  0000000000010128  ff017113
| FORCE_PC 0000000000010120
|         3  0000000000010120  00002197  forced
|         4  0000000000010124  c1a18193
# What differs is converted …
$ cairn edit b.stf -o old.stf --to stf:version=1.3
! cairn: b.stf: lost: ISA_EXTENDED, which came with version 1.6
$ cairn info old.stf | grep -E '^(version|event_id|process)'
| version        1.3
| event_id_bits  32
| process_ids    TGID, TID, ASID
$ cairn merge a.stf old.stf -o m.stf && cairn info m.stf | grep -E '^(version|event_id|process)'
| version        1.6
| event_id_bits  64
| process_ids    hardware thread, PID, TID
! cairn: m.stf: lost: that a part has no ISA_EXTENDED: it gets that of another
! cairn: m.stf: features declared by some parts only: OPERAND_VALUE
# … or refused.
$ cairn edit b.stf -o other.stf --isa-string rv64gcv && cairn merge a.stf other.stf -o m2.stf
! cairn: a.stf and other.stf cannot become one trace: their instruction sets differ (rv64imafdc_zicsr_zifencei, rv64gcv); give both one with cairn edit --isa-string
= 2
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\06\01\01\02\03\0\0\07\0\0\020\0\0\0\0\0\013\01\014\01\01\0c\023' > x.stf
$ cairn merge a.stf x.stf -o m2.stf
! cairn: a.stf and x.stf cannot become one trace: one holds instructions, the other transactions
= 2
$ cairn merge a.stf nowhere.stf -o m2.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn merge a.stf b.stf -o b.stf
! cairn: b.stf: the output is one of the traces; it would be destroyed
= 2
$ cairn merge -o m2.stf
! cairn: no trace was named; usage: cairn merge [options] -o FILE TRACE…
= 2
$ cairn merge -R @main a.stf -o m2.stf
! cairn: region '@main', character 1: '@main' is a symbol, and there is no image to look it up in
= 2
$ ls m2.stf
! ls: cannot access 'm2.stf': No such file or directory
= 2
# Transactions that come again get new ids; what was cut off is told.
$ t() { printf '%b' "\\0372\\0$1\\0\\0\\0\\0\\0\\0\\0\\01\\0\\0\\0\\0\\0\\0\\0\\01\\0\\0\\05\\07\\0\\0\\0\\0\\0\\0\\0"; }; d() { printf '%b' "\\0373\\0$1\\0\\0\\0\\0\\0\\0\\0\\01\\0\\0\\0\\0\\0\\0\\0\\01"; }; { cat x.stf; t 1; d 1; t 2; d 2; t 3; } > y.stf; cairn view y.stf
|         1  id=1 clock=1 delta=1 channel=E sink=0x7
|         2  id=2 clock=1 delta=1 channel=E sink=0x7
|         3  id=3 clock=1 delta=1 channel=E sink=0x7
$ cairn slice y.stf 2.. -o z.stf; cairn merge y.stf z.stf -o w.stf; cairn records w.stf | grep -E 'TRANSACTION' | cut -c 22-60
|   TRANSACTION        id=1 delta=1 clock
|   TRANSACTION_DEPENDENCY id=1 delta=1 c
|   TRANSACTION        id=2 delta=1 clock
|   TRANSACTION_DEPENDENCY id=2 delta=1 c
|   TRANSACTION        id=3 delta=1 clock
|   TRANSACTION        id=4 delta=1 clock
|   TRANSACTION_DEPENDENCY id=4 delta=1 c
|   TRANSACTION        id=5 delta=1 clock
! cairn: y.stf: dependencies on transactions that are not in the output (at number 2)
! cairn: w.stf: lost: dependencies on transactions that were cut off (at number 1)

# Standard input is there once.
$ cat a.stf | cairn merge - - -o pipe.stf
! cairn: standard input is named 2 times, but can be read only once
= 2

# How long it took, as of every verb.
$ cairn merge -v a.stf a.stf -o m.stf; cairn merge -q -v a.stf a.stf -o m.stf; cairn check -v a.stf | tail -1; cairn check -v a.stf m.stf | tail -1
|~ a.stf: 0 errors.*
|~ m.stf: 0 errors.*
!~ cairn: m.stf: done in [0-9.]+ s
!~ cairn: a.stf: done in [0-9.]+ s
!~ cairn: check: done in [0-9.]+ s

# Thousands of small traces need no descriptor each.
$ cairn slice $EXAMPLES/sort.zstf 1..20 -o small.stf;
> for i in $(seq 1 60); do cp small.stf part-$i.stf; done;
> ulimit -n 40; cairn merge part-*.stf -o all.stf; cairn count all.stf | grep '^instructions'
|~ instructions +1200
# From a pipe ranges come in the order of the trace: each begins where the one before it ended, or behind.
$ xz -dc $EXAMPLES/sort-a64.vixl.xz > l.vixl && cairn merge l.vixl -R 1..20 -R 40..59 -R 2000..2010 -o file.vixl && cat l.vixl | cairn merge - -R 1..20 -R 40..59 -R 2000..2010 -o pipe.vixl && cmp file.vixl pipe.vixl && cairn count pipe.vixl | head -n 1
| instructions                            51
$ cat l.vixl | cairn merge - -R 40..59 -R 1..20 -o pipe2.vixl; test -e pipe2.vixl
! cairn: -: a stream cannot be read again
= 1
$ cat l.vixl | cairn merge - -R 1..20 -R 15..30 -o pipe2.vixl
! cairn: -: a stream cannot be read again
= 2
# A part of which no mode is known does not run in the mode of the part before it.
$ printf 'core   0: 3 0x0000000080000000 (0x00100093) x1  0x0000000000000001\n' > told.log; printf 'core   0: 0x0000000080000010 (0x00000013) nop\n' > untold.log
$ for f in told untold; do cairn convert -q $f.log -o $f.stf; done; cairn merge -q told.stf untold.stf -o both.stf; cairn view both.stf; cairn count -w 'priv==machine' both.stf | head -1
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000000
|         1  0000000080000000  00100093  li ra, 1                          forced
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| GAP an unknown number of instructions are missing: the mode is not known where a part begins
| FORCE_PC 0000000080000010
|         2  0000000080000010  00000013  nop                               forced
| instructions                             1
! cairn: both.stf: privilege modes, on which the selection depends, are unknown for 1 of 2 instructions

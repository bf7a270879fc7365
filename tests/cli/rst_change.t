# RST traces packed otherwise, cut, put together, edited (examples/write_rst.c made it).
needs: gzip
$ cp $EXAMPLES/traps.rst t.rst; cairn convert t.rst -o a.rz3.gz && cairn info a.rz3.gz | grep -E '^(container|codec)'
| container      rstzip3
| codec          gzip
$ cairn convert a.rz3.gz -o b.rst.zst && cairn convert b.rst.zst -o c.rst && cmp c.rst t.rst
$ cairn convert c.rst -o - --to rst:rstzip | cairn convert - -o - --to rst | cmp - t.rst
$ cairn convert t.rst -o x.rz2
! cairn: x.rz2: rstzip 2 is only read; version 3 (.rz3) is written
= 2
$ cairn convert t.rst -o x.rst --to rst:zip
! cairn: writing RST has no option 'zip'; it has rstzip, raw, lossy, version=MAJOR.MINOR, cputype=NAME, nwins=N
= 2
# What rstzip does not keep is refused with its place, or dropped and told.
$ { cat t.rst; printf '\5\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; } > r.rst; cairn convert r.rst -o r.rz3
! cairn: r.rz3: record 38: rstzip 3 does not keep reserved bits of this TLB (lossy packing drops it)
= 2
$ ls r.rz3*
! ls: cannot access 'r.rz3*': No such file or directory
= 2
$ cairn convert --lossy r.rst -o r.rz3; cairn convert r.rz3 -o - --to rst | tail -c 24 | od -An -tx1 | tr -d '\n'
|  05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
|\
! cairn: r.rst: lost: TLB.reserved bits, which rstzip 3 does not keep (first in record 38)
$ cairn convert r.rst -o r2.rz3 --to rst:rstzip,lossy
! cairn: r.rst: lost: TLB.reserved bits, which rstzip 3 does not keep (first in record 38)
$ cairn convert --lossy --lossless r.rst -o r.rz3
! cairn: an output is either lossy or lossless
= 2
# Another format.
$ cairn convert t.rst -o t.stf && cairn count t.stf | head -n 1
| instructions                            10
! cairn: t.rst: lost: address space ids (4, first at number 1)
! cairn: t.rst: lost: instruction fetches (5, first at number 1)
! cairn: t.rst: lost: events that the target has no record for; view -a shows them (3, first at number 1)
! cairn: t.rst: lost: TLB events (5, first at number 1)
! cairn: t.rst: lost: trap returns (at number 8)
! cairn: t.rst: lost: physical addresses (at number 9)
! cairn: t.rst: lost: accesses without an address (at number 10)
! cairn: t.rst: ids of 0 where the trace records none (PROCESS_ID_EXT) (7, first at number 1)
! cairn: t.rst: loads and stores whose accesses the trace does not record; check finds each (stf.mem.missing) (at number 7)
$ cairn convert $EXAMPLES/sort.zstf -o s.rst
! cairn: s.rst: RST holds SPARC instructions: as one of them, rv64's encoding 0x2197 (instruction 1) would mean something else
= 2
$ cairn slice t.rst -o s.stf 1..2
! cairn: s.stf: slice keeps the trace's format, RST, and STF is asked for: cairn convert changes it
= 2
$ ls s.*
! ls: cannot access 's.*': No such file or directory
= 2
# A region begins with what is known there.
$ cairn slice t.rst -o p.rst 4..6 && cairn records p.rst | cut -c 22- | sed -E 's/(date_modified|time)=[0-9]+/\1=…/'
|   RSTHEADER          major=2 minor=13 percent="%" magic="RST Header v2.13"
|   TRACEINFO          rtype2=NLEVEL level=2 val32=0 time=…
|   TRACEINFO          rtype2=3 max_cpu_id=1 total_num_cpus=2 spec_major=0 spec_minor=1 spec_sub_minor=1 date_created=1700000000 date_modified=…
|   STRCONT            text="mmutype=spitfire iTLB=1"
|   STRDESC            text=", dTLB=1"
|   STRDESC            text="cputype=spitfire"
|   STRDESC            text="nwins=8"
|   STRCONT            text="cairn slice: cairn slic"
|   STRDESC            text="e t.rst -o p.rst 4..6"
|   TLB                cpuid=1 op=add tlb=I tlb_no=0 tlb_index=0 tte_tag=0x00000000000102a5 tte_data=0x8000000000410032
|   TLB                cpuid=1 op=demap tlb=D tlb_no=0 tlb_index=0 tte_tag=0x0000000000000000 tte_data=0x0000000000000000
|   RECNUM             cpuid=0 is_recnum=1 level=2 rectype=3 incount=3 outcount=0
|   TLB                cpuid=0 op=add tlb=I tlb_no=0 tlb_index=0 tte_tag=0x00000000000102a5 tte_data=0x8000000000410032
|   TLB                cpuid=0 op=demap tlb=D tlb_no=0 tlb_index=0 tte_tag=0x0000000000000000 tte_data=0x0000000000000000
|   PREG               cpuid=0 traplevel=0 traptype=0x00 pstate=0x0012 asi=0x82 primA=0x02a5 secA=0x0000 primD=0x02a5 secD=0x0000
|   REGVAL             cpuid=0 post=0 regtype0=PRIV regid0=65 value0=0x0000000000010008 regtype1=PRIV regid1=73 value1=0x0000000000010020
|   PAVADIFF           cpuid=0 icontext=0x02a5 pc_pa_va=0x0000000000400000 ea_valid=0 dcontext=0x0000 ea_pa_va=0x0000000000000000
|   INSTR              cpuid=0 pc_va=0x0000000000010008 instr=0x92026001 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=0 bt=0 an=0
|   TRAP               cpuid=0 async=0 tl=0 ttype=0x0068 pstate=0x0012 syscall=0 pc=0x0000000000010020 npc=0x0000000000010024
|   REGVAL             cpuid=0 post=0 regtype0=MMU regid0=48 value0=0x00000000000202a5 regtype1=UNUSED regid1=0 value1=0x0000000000000000
|   INSTR              cpuid=0 pc_va=0x0000000000010020 instr=0xd25a2000 ea_valid=0 ea_va=0x0000000000000000 tr=1 hpriv=0 pr=0 bt=1 an=0
|   RECNUM             cpuid=1 is_recnum=1 level=2 rectype=3 incount=5 outcount=2
|   PREG               cpuid=1 traplevel=0 traptype=0x00 pstate=0x0012 asi=0x82 primA=0x02a5 secA=0x0000 primD=0x02a5 secD=0x0000
|   PAVADIFF           cpuid=1 icontext=0x02a5 pc_pa_va=0x0000000000400000 ea_valid=0 dcontext=0x0000 ea_pa_va=0x0000000000000000
|   INSTR              cpuid=1 pc_va=0x0000000000010104 instr=0x01000000 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=0 bt=0 an=0
$ cairn diff t.rst p.rst -R 4..6 | tail -n 1; cairn view -D p.rst; cairn view -D t.rst 4..6
| compared      pc, encoding, size, taken, target, flags, context
| CONTEXT cpu=0 asid=677 priv=user
|         1  0000000000010008  92026001
|         2  0000000000010020  d25a2000  aborted
| CONTEXT cpu=1 asid=677 priv=user
|         3  0000000000010104  01000000
| CONTEXT cpu=0 asid=677 priv=user
|         4  0000000000010008  92026001
|         5  0000000000010020  d25a2000  aborted
| CONTEXT cpu=1 asid=677 priv=user
|         6  0000000000010104  01000000
$ cairn slice t.rst -o c0.rst cpu0 && cairn count c0.rst | head -n 1; cairn records c0.rst | grep -c 'cpuid=1'
| instructions                             7
| 0
= 1
$ cairn slice t.rst -o none.rst cpu7
! cairn: t.rst: the selection is empty
= 1
# All of it is all of it.
$ cairn slice t.rst -o all.rst 1.. && cairn diff t.rst all.rst | head -n 4
| --- A t.rst
| +++ B all.rst
| differences   0
| equal         10
# Traces one after another: pieces of one, and runs of one machine.
$ head -c 480 t.rst > p0.rst; tail -c +481 t.rst > p1.rst; cairn merge p0.rst p1.rst -o m.rst && cmp m.rst t.rst
$ cairn merge t.rst t.rst -o twice.rst && cairn count twice.rst | head -n 1; cairn records twice.rst | grep -cE 'RSTHEADER|TRACEINFO|mmutype'
| instructions                            20
| 4
$ sed 's/nwins=8/nwins=7/' t.rst > w.rst; cairn merge t.rst w.rst -o x.rst
! cairn: t.rst and w.rst cannot become one trace: their machines differ (nwins=8, nwins=7)
= 2
# Edits.
$ cairn edit t.rst -o e.rst --comment 'recorded on a Sunday' --drop TLB,regval
! cairn: TLB records cannot be left out: they are what the TLBs hold (clause 2(g))
= 2
$ cairn edit t.rst -o e.rst --comment 'recorded on a Sunday' --drop regval && cairn info e.rst | grep Sunday; cairn records e.rst | grep -c REGVAL
|                recorded on a Sunday
|                cairn edit: cairn edit t.rst -o e.rst --comment 'recorded on a Sunday' --drop regval
| 1
! cairn: t.rst: records left out as asked
$ cairn edit t.rst -o e.rst --drop STRDESC && cairn records e.rst | grep -c STRDESC
| 4
$ cairn edit t.rst -o e.rst --to rst:version=2.06 && cairn info e.rst | grep -E '^(version|level)'
| version        2.06
| level          2
$ cairn edit t.rst -o e.rst --to rst:version=3.0
! cairn: rst:version is 1.0 to 2.13, not '3.0'
= 2
$ cairn edit t.rst -o e.rst --feature +SIMPOINT
! cairn: an RST trace has no features
= 2
$ cairn edit t.rst -o e.rst --drop NOTHING
! cairn: RST has no record 'NOTHING'
= 2
# Splits.
$ cairn split --by cpu t.rst -o 'c%s.rst' && cairn merge c0.rst c1.rst -o back.rst && cairn count back.rst | head -n 1
| c0.rst  7
| c1.rst  3
| instructions                            10
# The TLBs of all CPUs stand before the first instruction, whoever runs later; not of a pipe.
$ cairn check --json back.rst | tail -n 1; cairn records back.rst | grep -n -m 3 -E ' (TLB  .*cpuid=1|INSTR)' | cut -d: -f1 | tr '\n' ' '
| {"errors":0,"warnings":0,"notes":2,"by_rule":{"rst.exit.regval-before":1,"rst.exit.regval-after":1}}
| 14 15 20 
|\
$ cat c1.rst | cairn merge c0.rst - -o late.rst && cairn check late.rst | grep -c tlb-complete
| 1
$ cairn split --every 4 t.rst -o 'e%s.rz3' && cairn merge e000*.rz3 -o back.rst && cairn diff t.rst back.rst | head -n 3
| e0001.rz3  4
| e0002.rz3  4
| e0003.rz3  2
| --- A t.rst
| +++ B back.rst
| differences   0
$ cairn split -q --every 20k $EXAMPLES/sort.zstf -o 's%s.zstf' && ls s0*.zstf
| s0001.zstf
| s0002.zstf
$ cairn split --by pid t.rst -o 'c%s.rst'
! cairn: t.rst: the trace does not record which processes run
= 2
$ cairn split --by cpu t.rst -o c.rst
! cairn: c.rst: the name of the parts has one %s, where each one's own name goes
= 2
$ cairn split --by hart t.rst -o 'c%s.rst'
! cairn: --by is cpu, pid or tid, not 'hart'
= 2
$ cairn split t.rst -o 'c%s.rst'
! cairn: split needs either --by cpu, pid or tid, or --every N
= 2
$ cairn split --every 5 t.rst
! cairn: name the parts with -o: 'part-%s.rst'
= 2
$ cp t.rst k1.rst; cairn split --by cpu k1.rst -o 'k%s.rst'; ls k*
| k1.rst
! cairn: k1.rst: a part would be the trace itself; it would be destroyed
$ cat t.rst | cairn split --by cpu - -o 'k%s.rst'
! cairn: -: a pipe cannot be read a second time for its parts: split a file
= 2
# An index makes it jumpable, unless it is packed.
$ cairn index t.rst | sed 's/[0-9]* bytes/N bytes/'; cairn index a.rz3.gz | sed 's/[0-9]* bytes/N bytes/'
| t.rst.cai: 1 span, 10 instructions, N bytes; can be jumped in
| a.rz3.gz.cai: 1 span, 10 instructions, N bytes; summaries only: it is packed so that each part hangs on all before it; cairn convert a.rz3.gz -o NAME.rst makes a file that can be jumped in
$ cairn view -D t.rst 9
| CONTEXT cpu=0 asid=677 priv=user
|         9  0000000000010020  d25a2000
# Another version is an edit.
$ cairn convert t.rst -o old.rst --to rst:version=2.06 && cairn info old.rst | grep -E '^(version|level)'; cairn merge p0.rst p1.rst -o old.rst --to rst:version=2.06 && cairn info old.rst | grep ^version
| version        2.06
| level          2
| version        2.06
# Behind a record of an unknown type a slice does not repeat what CPUs were told before it.
$ { head -c 672 t.rst; head -c 24 /dev/zero | tr '\0' '\376'; tail -c +673 t.rst; } > unknown.rst; cairn slice unknown.rst -o behind.rst 9..10
! cairn: unknown.rst: lost: records of unknown types (at number 9)
! cairn: unknown.rst: lost: values of lost instructions (at number 9)
! cairn: unknown.rst: byte 0x2a0, record 29, instruction 9: no record has type 254
! cairn: unknown.rst: 1 damaged place; everything that can be read is in the output
= 2
$ cairn slice t.rst -o known.rst 9..10; for t in known behind; do cairn records $t.rst | grep -c ' PREG '; done
| 2
| 0
= 1
# Of a packed trace it is not known ahead who runs: what was told of the others is taken back.
$ cairn convert t.rst -o idle.rz3 && cairn slice idle.rz3 -o idle.rst 9..9 && cairn records idle.rst | grep -oE ' (NULLREC|TLB  .*cpuid=.)'
|  NULLREC
|  NULLREC
|  TLB                cpuid=0
|  TLB                cpuid=0
# A slice that is strict fails behind damage, and leaves nothing.
$ cairn slice --strict unknown.rst -o strict.rst 9..10; ls strict.rst
! cairn: unknown.rst: byte 0x2a0, record 29, instruction 9: no record has type 254
! ls: cannot access 'strict.rst': No such file or directory
= 2
$ cairn slice --strict unknown.rst -o strict.rst 9..10
! cairn: unknown.rst: byte 0x2a0, record 29, instruction 9: no record has type 254
= 2

# Every slice of a trace that went through STF becomes an RST without errors: the PREG that is made for a CPU agrees with what its next TRAP and PREG tell. (Of a CPU that begins in a handler, the level shows only later.)
$ cairn convert -q $EXAMPLES/traps.rst -o t.stf 2> /dev/null; for first in $(seq 10); do for last in $(seq $first 10); do cairn slice -q t.stf $first..$last -o p.stf; cairn convert -q p.stf -o p.rst 2> /dev/null; cairn check p.rst | grep -v ' note' | grep -o '[a-z]*: .*\[.*'; done; done | sort | uniq -c
|       2 rst: byte 0x378, record 38, instruction 2: warning: TL is 1, but was 0 without TRAP, done or retry since [rst.level.change]
|       1 rst: byte 0x3a8, record 40, instruction 2: warning: TL is 1, but was 0 without TRAP, done or retry since [rst.level.change]
|       3 rst: byte 0x468, record 48, instruction 3: warning: TL is 1, but was 0 without TRAP, done or retry since [rst.level.change]

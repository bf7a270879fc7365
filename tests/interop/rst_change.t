# Real RST traces packed otherwise and back: the same bytes.
needs: data/rst/mp_5m.rz3.gz zstd
$ for f in small_1k.rst small_300k.rst.zst v206_small.rst.zst allrec_45k.rst.zst value_shade.rz3.gz medium_5m.rz3.gz mp_5m.rz3.gz; do
>   cairn convert $DATA/rst/$f -o a.rst && cairn convert a.rst -o b.rz3.gz && cairn convert b.rz3.gz -o - --to rst | cmp - a.rst && echo "$f $(stat -c %s a.rst)"
> done
| small_1k.rst 24000
| small_300k.rst.zst 6385368
| v206_small.rst.zst 6370488
| allrec_45k.rst.zst 1079808
| value_shade.rz3.gz 2395248
| medium_5m.rz3.gz 120000000
| mp_5m.rz3.gz 120000000
# Where the original rstzip goes wrong: kept, or refused with the record.
$ for q in dblpava g0 pre212 lossy rfscw rfsbt0; do cairn convert $DATA/rst/quirks/q_$q.rst -o q.rz3 && cairn convert q.rz3 -o - --to rst | cmp - $DATA/rst/quirks/q_$q.rst && echo $q; done 2>&1 | cut -c 1-100
| dblpava
| g0
| pre212
| cairn: q.rz3: record 2: rstzip 3 does not keep ea_va of this INSTR (lossy packing drops it)
| rfscw
| cairn: q.rz3: record 3: RFS_BT cannot be packed: the original rstzip 3 does not read its own (lossy 
# The pieces of a trace are the trace.
$ cairn merge $DATA/rst/multi/part{0,1,2}.rst.zst -o m.rst && zstd -dqc $DATA/rst/small_300k.rst.zst | cmp - m.rst && echo same
| same
$ cairn merge $DATA/rst/small_1k.rst m.rst -o x.rst
! cairn: $DATA/rst/small_1k.rst and m.rst cannot become one trace: their machines differ (mmutype=spitfire iTLB=16, dTLB=16, mmutype=spitfire iTLB=64, dTLB=64)
= 2
# Each CPU of five as a trace of its own; together they are the whole.
$ cairn convert $DATA/rst/mp_5m.rz3.gz -o mp.rst; cairn split --by cpu mp.rst -o 'cpu%s.rst'; cairn count mp.rst | head -n 1
| cpu0.rst  36849
| cpu1.rst  1275502
| cpu2.rst  1343407
| cpu3.rst  1118504
| cpu4.rst  1176638
| instructions                       4950900
$ for i in 0 1 2 3 4; do cairn diff --ignore regs cpu$i.rst <(cairn slice mp.rst -o - cpu$i) | sed -n 3p; cairn info cpu$i.rst | grep -E '^(cpus|max_cpu)' | tr -s ' ' | tr '\n' ' '; done; echo
| differences   0
| cpus 1 max_cpu 0 differences   0
| cpus 1 max_cpu 1 differences   0
| cpus 1 max_cpu 2 differences   0
| cpus 1 max_cpu 3 differences   0
| cpus 1 max_cpu 4 
$ for i in 0 3; do cmp <(cairn view -D mp.rst cpu$i | cut -c 11- | sed 's/ *forced//') <(cairn view -D cpu$i.rst | cut -c 11- | sed 's/ *forced//') && echo cpu$i; done
| cpu0
| cpu3
# Slices are as conformant as the whole, wherever they begin; a slot's target is known.
$ for i in 0 2 4; do cairn check --json cpu$i.rst | tail -n 1; done
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
$ for n in 1000000 2000003 3000007; do cairn slice mp.rst -o s.rst $n..$((n + 30000)); cairn check --json s.rst | tail -n 1; cmp <(cairn view -D mp.rst $n..$((n + 30000)) | cut -c 11-) <(cairn view -D s.rst | cut -c 11-); done
| {"errors":0,"warnings":0,"notes":1,"by_rule":{"rst.trapexit.present":1}}
| {"errors":0,"warnings":0,"notes":0,"by_rule":{}}
| {"errors":0,"warnings":0,"notes":0,"by_rule":{}}
$ cairn slice $DATA/rst/mp_5m.rz3.gz -o s.rst 500000..500100; cairn check --json s.rst | tail -n 1; cairn records s.rst | grep -c NULLREC
| {"errors":0,"warnings":0,"notes":0,"by_rule":{}}
| 4736
$ for n in {660..750}; do cairn slice $DATA/rst/small_1k.rst -o s.rst $n..; cairn check --json s.rst | tail -n 1; cmp <(cairn view -D $DATA/rst/small_1k.rst $n.. | cut -c 11- | tail -n +3) <(cairn view -D s.rst | cut -c 11- | tail -n +3); cairn records s.rst | grep -c regid0=65; done | sort | uniq -c | sort -n
|       5 1
|       7 {"errors":0,"warnings":0,"notes":0,"by_rule":{}}
|      84 {"errors":0,"warnings":0,"notes":1,"by_rule":{"rst.trapexit.present":1}}
|      86 0
# From an index, and from the beginning: the same.
$ cairn slice mp.rst -o a.rst 4000000..4000100; cairn index -q mp.rst; cairn slice --look-back all mp.rst -o b.rst 4000000..4000100; cairn diff a.rst b.rst | sed -n 3p; cairn slice --look-back 1000 mp.rst -o c.rst 4000000..4000100 && cairn diff a.rst c.rst | sed -n 3p
| differences   0
| differences   0
! cairn: mp.rst: TLB entries and registers are known from the look-back only (--look-back all: from the beginning) (at number 4000000)
$ rm mp.rst.cai; cairn view mp.rst 4000000..4000100 | cmp - <(cairn index -q mp.rst; cairn view mp.rst 4000000..4000100)
# Equal parts.
$ cairn split --every 100k m.rst -o 'e%s.rz3'; cairn merge e000?.rz3 -o back.rst; cairn diff m.rst back.rst | sed -n 3,4p
| e0001.rz3  100000
| e0002.rz3  100000
| e0003.rz3  44320
| differences   0
| equal         244320
# Another version and back.
$ cairn edit m.rst -o old.rst --to rst:version=2.06; cairn diff old.rst $DATA/rst/v206_small.rst.zst | sed -n 3p; cairn edit old.rst -o new.rst --to rst:version=2.13; cairn diff new.rst m.rst | sed -n 3p
| differences   0
| differences   0
! cairn: m.rst: lost: TSB_ACCESS records, which RST 2.06 does not have (620)
# Into STF, what it can carry.
$ cairn convert $DATA/rst/small_1k.rst -o s.stf; cairn count s.stf | head -n 1
| instructions                           742
! cairn: $DATA/rst/small_1k.rst: lost: address space ids (33, first at number 1)
! cairn: $DATA/rst/small_1k.rst: lost: instruction fetches (64, first at number 1)
! cairn: $DATA/rst/small_1k.rst: lost: events that the target has no record for; view -a shows them (5, first at number 1)
! cairn: $DATA/rst/small_1k.rst: lost: TLB events (50, first at number 1)
! cairn: $DATA/rst/small_1k.rst: lost: physical addresses (211, first at number 3)
! cairn: $DATA/rst/small_1k.rst: lost: instructions that did not execute (18, first at number 170)
! cairn: $DATA/rst/small_1k.rst: ids of 0 where the trace records none (PROCESS_ID_EXT) (33, first at number 1)
! cairn: $DATA/rst/small_1k.rst: accesses written without a value, which the trace does not tell; check finds each (stf.content.missing) (196, first at number 3)
! cairn: $DATA/rst/small_1k.rst: accesses of others written without a value, which the trace does not tell; check finds each (stf.bus-content.missing) (15, first at number 8)
! cairn: $DATA/rst/small_1k.rst: loads and stores whose accesses the trace does not record; check finds each (stf.mem.missing) (45, first at number 1)
# And back: valid, with the traps, what STF cannot tell made (annulled instructions, returns,
# physical addresses), whole and from where a trap is being handled.
$ zstd -dqc $DATA/rst/small_300k.rst.zst > w.rst
$ for f in w.rst mp.rst; do cairn convert -q $f -o s.stf 2> /dev/null; cairn convert s.stf -o s.rst 2> /dev/null; cairn check --json s.rst | tail -n 1; cairn diff s.stf s.rst | sed -n 3p; cairn count s.rst | grep -E 'instr|events'; cairn records s.rst | grep -c ' an=1'; done
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| differences   0
| instructions                        244320
| events                                 675
| 4390
| {"errors":0,"warnings":5,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":5}}
| differences   0
| instructions                       4950900
| events                                 236
| 1546
$ cairn convert -q w.rst -o s.stf 2> /dev/null; for n in 8 12 170 178 20146; do cairn slice s.stf -o p.stf $n..$((n + 1500)); cairn convert -q p.stf -o p.rst 2> /dev/null; cairn check --json p.rst | tail -n 1; done
| {"errors":0,"warnings":0,"notes":1,"by_rule":{"rst.trapexit.present":1}}
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.level.change":1,"rst.trapexit.present":1}}
| {"errors":0,"warnings":0,"notes":1,"by_rule":{"rst.trapexit.present":1}}
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.level.change":1,"rst.trapexit.present":1}}
| {"errors":0,"warnings":0,"notes":1,"by_rule":{"rst.trapexit.present":1}}
! cairn: s.stf: integer registers without a known value at the beginning (32)
! cairn: s.stf: integer registers without a known value at the beginning (32)
! cairn: s.stf: integer registers without a known value at the beginning (32)
! cairn: s.stf: integer registers without a known value at the beginning (32)
! cairn: s.stf: integer registers without a known value at the beginning (32)
$ cairn convert s.stf -o s.rz3 2> /dev/null; cairn check --json s.rz3 | tail -n 1
| {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
# A snapshot is packed exactly or not at all; a region of it is a plain trace.
$ cairn convert $DATA/rst/rfs_snap.rz3.gz -o r.rst; cairn convert r.rst -o r.rz3
! cairn: r.rz3: record 20004: RFS_BT cannot be packed: the original rstzip 3 does not read its own (lossy packing writes it, for this program)
= 2
$ cairn slice r.rst -o p.rst 1..100 && cairn info p.rst | grep -E '^(kind|version)'
| version        2.13
| kind           instructions
! cairn: r.rst: lost: records of the snapshot around the trace (40004)
$ cairn edit r.rst -o p.rst --comment x
! cairn: p.rst: the trace is a snapshot, whose sections count their records; cairn slice makes a plain trace of it
= 2

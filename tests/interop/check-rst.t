# Real SPARC code. Conformant traces are free of errors; value_shade is of user level only
# and has neither MMU nor handlers. One `ta` did not trap: that is a warning.
needs: data/rst/small_1k.rst tail zstd grep sort uniq cksum cmp
$ for f in small_1k.rst small_300k.rst.zst v206_small.rst.zst rfs_snap.rst.zst medium_5m.rz3.gz mp_5m.rz3.gz value_shade.rst.zst; do
>   echo "$f $(cairn check --json $DATA/rst/$f | tail -n 1)"
> done
| small_1k.rst {"errors":0,"warnings":0,"notes":1,"by_rule":{"rst.trapexit.present":1}}
| small_300k.rst.zst {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| v206_small.rst.zst {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| rfs_snap.rst.zst {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| medium_5m.rz3.gz {"errors":0,"warnings":1,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":1}}
| mp_5m.rz3.gz {"errors":0,"warnings":5,"notes":1,"by_rule":{"rst.trapexit.present":1,"rst.tcc.fields":5}}
| value_shade.rst.zst {"errors":2,"warnings":15,"notes":0,"by_rule":{"rst.mmutype.present":1,"rst.initial.tlb":1,"rst.level.change":14,"rst.tcc.fields":1}}
# What each broken one breaks, beside the note and the warning above: the clauses of the traces' README.
$ for f in $DATA/rst/bad/*; do
>   echo "$(basename $f .rst.zst): $(cairn check -v $f 2> /dev/null | grep -v -e 'tcc.fields' -e 'trapexit.present' |
>     grep -o ' [a-z]*: [^[]*\[rst[^]]*\]' | sed 's/^ \([a-z]*\): .*\[/\1 [/' | sort | uniq -c | tr -s ' ' | tr '\n' ';')"
> done
| b01_no_header:  1 error [rst.header.first: 2(a)];
| b02_header_percent:  1 error [rst.header.percent: 2(a) rstf.h];
| b03_header_magic:  1 error [rst.header.magic: 2(a)];
| b04_second_header:  1 error [rst.header.once: 2(a)i];
| b06_no_traceinfo2:  1 warning [rst.traceinfo.second: 2(c) New];
| b08_dates:  1 error [rst.traceinfo.dates: 2(c)];
| b09_no_mmutype:  1 error [rst.mmutype.present: 2(d)];
| b10_mmutype_syntax:  1 error [rst.mmutype.form: 2(d)];
| b11_no_cputype:  1 warning [rst.cputype.present: 2(e) New];
| b12_no_nwins:  1 warning [rst.nwins.string: 2(f)];
| b13_no_initial_preg:  1 error [rst.initial.preg: 2(f)];
| b14_no_tlb:  1 error [rst.initial.tlb: 2(g)];
| b15_no_initial_pavadiff:  1 error [rst.initial.pavadiff: 2(h)];
| b16_strcont_broken:  1 error [rst.string.continued: 3(a)];
| b17_annulled_dropped:  1 error [rst.annul.present: 3(b)];
| b19_pavadiff_eavalid:  1 error [rst.pavadiff.ea-valid: 3(c)];
| b21_itlb_no_pavadiff:  1 error [rst.trap.itlb-pavadiff: 4(d) ITLB]; 1 warning [rst.pavadiff.context: 3(c) New];
| b22_unknown_rtype:  1 error [rst.record.known: 3(e)];
| b23_rtype_newer_than_header:  100 error [rst.record.version: 3(e)];
| b24_am_64bit_va:  100 error [rst.am.address: 3(g)]; 1 warning [rst.regval.current: 7(c)];
| b25_sync_trap_tr0:  1 error [rst.trap.dtlb-tr: 4(a) 4(e)];
| b26_async_tr0:  1 error [rst.trap.async-tr: 4(d) asynchronous];
| b28_trap_pstate:  1 error [rst.trap.pstate: 4(d)];
| b29_trap_ttype:  1 error [rst.trap.type: 4(d)];
| b30_trap_syscall:  1 error [rst.trap.syscall: 4(d)];
| b32_dtlb_no_regval:  1 warning [rst.trap.dtlb-regval: 7(a) ea_valid New];
| b33_retry_no_preg:  1 error [rst.exit.preg: 4(f)];
| b34_retry_preg_tl:  1 error [rst.exit.traplevel: 4(f)];
| b36_tr_without_trap:  1 error [rst.trap.stray-tr: 7(a) tr];
| b37_alu_eavalid:  1 error [rst.ea.unexpected: 7(a) ea_valid];
| b38_alu_eava_nonzero:  1 error [rst.ea.zero: 7(a) ea_va];
| b40_instr_reserved:  1 warning [rst.record.reserved: 1(a)];
| b41_cpuid_range:  1 error [rst.cpu.range: 7(a) cpuid]; 1 error [rst.flow.continuous: 3(b) SPARC];
| b42_pc_misaligned:  2 error [rst.flow.continuous: 3(b) SPARC]; 1 warning [rst.pc.aligned: 7(a) pc_va];
| b44_branch_eavalid0:  1 error [rst.ea.required: 7(a) ea_valid];
| b45_call_bt0:  1 error [rst.bt.always: 7(a) bt];
| b46_load_eavalid0:  1 error [rst.ea.required: 7(a) ea_valid];
| b48_truncated:  1 error [rst.record.complete: rstf.h];
| b50_hpriv_pr:  1 warning [rst.privilege.hpriv: rstf.h];
| b51_pavadiff_unaligned:  1 warning [rst.pavadiff.aligned: 3(c) SPARC];
| b52_pavadiff_stray:  6 warning [rst.pavadiff.page: 3(c)]; 1 warning [rst.pavadiff.place: 3(c)]; 1 warning [rst.record.reserved: 1(a)];
# How a trace is packed does not matter, but that rstzip 2 drops postInstr.
$ for t in small_1k small_300k value_shade v206_small allrec_45k rfs_snap; do
>   for f in $DATA/rst/$t.*; do
>     echo "$t $(cairn check --json $f | sed 's/"file":"[^"]*",//' | cksum)"
>   done
> done | sort | uniq -c
|       2 allrec_45k 3613203403 799184
|       2 rfs_snap 2059897215 547
|       4 small_1k 875423006 291
|       3 small_300k 1326556298 542
|       2 v206_small 3926616444 542
|       3 value_shade 1484878244 4205
# Nor do threads, or where spans end (but to the order of all findings).
$ for f in small_300k.rst.zst value_shade.rst.zst allrec_45k.rst.zst; do
>   cairn check -j1 --json $DATA/rst/$f > one
>   cairn check -j3 --json $DATA/rst/$f | cmp one -
>   cairn check -j2 --from rst:piece=7777 --json $DATA/rst/$f | cmp one -
>   cairn check -j1 --all-findings --json $DATA/rst/$f | sort > one
>   for how in "-j2 --from rst:piece=100000" "-j1 --from rst:piece=2400"; do
>     cairn check $how --all-findings --json $DATA/rst/$f | sort | cmp one -
>   done
> done
# A trace in three files, with one of them missing, and a part alone.
$ for i in 0 1 2; do zstd -dqc $DATA/rst/multi/part$i.rst.zst > part$i.rst; done
$ cairn check part0.rst part1.rst part2.rst
| part0.rst: byte 0xf48, record 164, instruction 8: note: no TRAPEXIT behind it (675 times in the trace) [rst.trapexit.present]
| part0.rst: byte 0xcc0c0, record 34825, instruction 32558: warning: a trap always, but there is no trap, and bt is 0 [rst.tcc.fields]
| part0.rst and 2 more: 0 errors, 1 warning, 1 note
$ cairn check -q $DATA/rst/multi/part*
| $DATA/rst/multi/part0.rst.zst: byte 0xcc0c0, record 34825, instruction 32558: warning: a trap always, but there is no trap, and bt is 0 [rst.tcc.fields]
$ cairn check -q part0.rst part2.rst
| part0.rst: byte 0xcc0c0, record 34825, instruction 32558: warning: a trap always, but there is no trap, and bt is 0 [rst.tcc.fields]
| part2.rst: byte 0x0, record 1, instruction 1: error: the CPU goes on at 0x136514; the file before ends where 0x106f10 follows [rst.parts.dropped]
= 1
$ cairn check -q part2.rst
| part2.rst: byte 0x0, record 1, instruction 1: error: the first record is INSTR, not RSTHEADER; a part of a trace is judged behind the parts before it [rst.header.first]
= 1

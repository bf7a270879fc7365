# What real ETE snapshots break. ete_ip: the model tells T32 of A32 branches, and no
# address behind them; q_elem: Q elements tell the target of a conditional branch that fell
# through; tme_test: registers that contradict RVVFQZ; event_test: its program is missing;
# infrastructure: an ETMv4 capture under the name of ETE, its kernel changed while it ran.
needs: data json
$ for s in $DATA/ete/snapshots*/*/; do
>   echo "$(basename $s) $(cairn check --json $s | tail -n 1 | json errors warnings notes)"
> done
| simpleperf_unformatted 0 0 0
| 001-ack_test 0 0 0
| 002-ack_test_scr 0 0 0
| ete-ite-instr 0 0 0
| ete-wfet 0 0 0
| ete_ip 4 0 0
| ete_mem 0 0 0
| ete_spec_1 0 0 1
| ete_spec_3 0 0 0
| event_test 2 0 0
| feat_cmpbr 0 0 0
| infrastructure 1372 613 4407
| maxspec0_commopt1 0 0 0
| pauth_lr 0 0 0
| q_elem 11 0 0
| rme_test 0 0 0
| s_9001 0 0 0
| src_addr 0 0 0
| tme_tcancel 0 0 0
| tme_test 0 1 0
| trace_file_cid_vmid 0 0 0
| ts_marker 0 0 0
! cairn: $DATA/ete/snapshots/event_test/: the trace only records branches; the program is needed to know which instructions ran: --image FILE
$ cairn check $DATA/ete/snapshots/ete_ip | sed 's/.*: byte/byte/;$d'
| byte 0xf6, instruction 5708: error: 0x1a86f8 is said to be T32, but a32 is executed [ete.flow.source-isa]
| byte 0xf8, instruction 5709: error: no address came since the indirect branch [ete.flow.target]
| byte 0xfd, instruction 5721: error: 0x1a8984 is said to be T32, but a32 is executed [ete.flow.source-isa]
| byte 0x119, instruction 5839: error: no address came since the indirect branch [ete.flow.target]
# Of a branch that was not taken, the model's Q elements (byte 0x187) tell the target: from there
# on the program is followed where it never went, to an address that nothing leads to.
$ cairn check $DATA/ete/snapshots/q_elem | sed 's/.*: byte/byte/;$d'
| byte 0x18b, instruction 386: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x19b, instruction 446: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x1ab, instruction 506: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x1bb, instruction 566: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x1cb, instruction 626: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x1db, instruction 686: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x1eb, instruction 746: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x1fb, instruction 806: error: ETE_0_s2: 4 instructions without a branch end at 0x6952c, but execution goes on at 0x63830 [ete.flow.q-straight]
| byte 0x238, instruction 957: error: ETE_0_s2: no address came since the indirect branch [ete.flow.target]
| byte 0x2bc, instruction 1192: error: ETE_0_s2: 0x26ff8 lies before 0x26ffc, where execution stands [ete.flow.return]
| byte 0x2d5, instruction 1211: error: ETE_0_s2: 0x270dc lies before 0x270e0, where execution stands [ete.flow.return]
# By one thread and by several.
$ for s in infrastructure ete_spec_1 q_elem; do
>   for j in 1 2 7; do
>     cairn check --all-findings --json -j $j $DATA/ete/snapshots/$s/ | cksum
>   done | uniq | wc -l
> done
| 1
| 1
| 1

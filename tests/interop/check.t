# What real traces break. Errors are theirs: one records accesses of instructions that
# make none, one ran away into 16-bit zeros that it calls 32-bit instructions, one is damaged.
needs: data json tail
$ for f in $DATA/stf/*.*stf; do
>   echo "${f##*/} $(cairn check --json "$f" | tail -n 1 | json errors warnings)"
> done
| baremetal-e81797a.zstf 0 1
| bmi_mm.bare-19933e3.zstf 0 4
| bmi_mm.bare-c0f235e.stf 0 1
| bmi_pmp.bare-7561447.stf 36 0
| bmi_towers.bare-02da50f.stf 0 1
| bmi_towers.bare-6873998.stf 0 4
| bmi_towers.bare-f361db3.zstf 0 1
| core_riscv-98d94d8.zstf 0 1
| dhry_riscv-95fc850.zstf 0 1
| dhry_riscv_1000-f0b4f80.stf 0 1
| dhrystone-13e1562.zstf 0 1
| dhrystone-24569d1.zstf 1483 4
| dhrystone_opt1-9d1748b.zstf 0 1
| dhrystone_opt1.bare.riscv-4ed76c5.zstf 0 1
| dhrystone_opt3.bare.riscv-a4259ab.zstf 0 1
| illegal-26a96bf.zstf 0 1
| illegal-ae77aca.zstf 0 3
| illegal-bbfb492.stf 0 3
| linux-487624e.zstf 0 0
| linux-f4bc5ed.zstf 0 1
| median-f813842.zstf 0 1
| qsort-836fba6.zstf 0 1
| sanity-f0dcb73.zstf 0 0
| stf_load_store-8da3d0d.zstf 0 1
| stf_load_store-991ad3a.zstf 0 1
| stf_load_store-d236c50.zstf 1 0
| stf_load_store-f2cbc41.zstf 0 0
| stf_write_test-0086a25.zstf 0 0
| stf_write_test-c97e6ac.zstf 0 0
| vvadd-beee64a.zstf 0 1
$ for f in $DATA/stf/*.*stf; do cairn check --json "$f" | tail -n 1 | json by_rule; done |
>   grep -o '"[^"]*"' | sort | uniq -c
|      10 "stf.comment.sha"
|       1 "stf.content.wide"
|       1 "stf.event.iem"
|       1 "stf.event.no-op"
|       5 "stf.feature.undeclared"
|      28 "stf.feature.unseen"
|       2 "stf.force-pc.twice"
|      14 "stf.header.comment"
|      29 "stf.header.process-id"
|       1 "stf.inst.length"
|       8 "stf.mem.bits"
|       1 "stf.mem.direction"
|       1 "stf.mem.unexpected"
|      29 "stf.mode.start"
|       1 "stf.record.complete"
|       4 "stf.reg.sources"
# Traces written by the public library with every record, and of transactions.
$ cairn check -q $DATA/stf/every-record/rv64_v128.stf
| $DATA/stf/every-record/rv64_v128.stf: byte 0xd, record 3: warning: no comment has a git SHA [stf.comment.sha]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x8f, record 15, instruction 1: warning: the trace has INST_REG of state, but TRACE_INFO_FEATURE lacks REG_STATE [stf.feature.undeclared]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x54f, record 114, instruction 2: warning: the trace has INST_REG of operands, but TRACE_INFO_FEATURE lacks OPERAND_VALUE [stf.feature.undeclared]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x584, record 119, instruction 3: error: the index is 3, this instruction's is 2 [stf.walk.index]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x584, record 119, instruction 3: error: PTE 1 is at 0x81001000, but the PTE before points to the table at 0x81000000 [stf.walk.table]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x5ca, record 120, instruction 3: warning: the trace has attributes of accesses, but TRACE_INFO_FEATURE lacks DATA_ATTRIBUTE [stf.feature.undeclared]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x68d, record 140, instruction 8: warning: the trace has PROCESS_ID_EXT, but TRACE_INFO_FEATURE lacks PROCESS_ID [stf.feature.undeclared]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x6a8, record 143, instruction 9: warning: field 1 is 0x3, the encoding is 0x2b303 [stf.event.encoding]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x6d3, record 145, instruction 9: warning: the mode falls from MACHINE to SUPERVISOR, but there is no trap return [stf.mode.cause]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x70a, record 150, instruction 11: warning: USER_ECALL while the trace says SUPERVISOR [stf.event.ecall-mode]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x73c, record 154, instruction 12: warning: no FORCE_PC tells where the return from the trap goes on [stf.flow.trap-return]
| $DATA/stf/every-record/rv64_v128.stf: byte 0x73c, record 154, instruction 12: warning: a return from a trap of machine mode while the trace says SUPERVISOR mode [stf.mode.privileged]
= 1
# Opcodes at random, and every message with data.
$ cairn check --json $DATA/stf/tilelink/first300.stf | tail -n 1 | json by_rule
| {"stf.header.comment":1,"stf.tilelink.opcode":24,"stf.tilelink.carries":117}
$ cairn check -q $DATA/stf/tilelink/example.zstf
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x47, record 8, transaction 1: warning: opcode 1 of channel A carries data, but there is none [stf.tilelink.carries]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x47, record 8, transaction 1: warning: address 0x5 of a message of 2^3 bytes [stf.tilelink.aligned]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x47, record 8, transaction 1: warning: the mask has 0 bits [stf.tilelink.mask-length]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x73, record 9, transaction 2: warning: opcode 6 of channel B carries no data, but there are 4 bytes [stf.tilelink.carries]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x73, record 9, transaction 2: warning: address 0xa of a message of 2^8 bytes [stf.tilelink.aligned]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0xa4, record 10, transaction 3: warning: the opcode is 11 [stf.tilelink.code]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0xa4, record 10, transaction 3: warning: the param is 12 [stf.tilelink.param]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0xd2, record 11, transaction 4: warning: the opcode is 16 [stf.tilelink.code]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0xd2, record 11, transaction 4: warning: the param is 17 [stf.tilelink.param]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x11b, record 13, transaction 6: warning: opcode 1 of channel A carries data, but there is none [stf.tilelink.carries]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x11b, record 13, transaction 6: warning: address 0x5 of a message of 2^3 bytes [stf.tilelink.aligned]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x11b, record 13, transaction 6: warning: the mask has 0 bits [stf.tilelink.mask-length]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x157, record 14, transaction 7: warning: opcode 1 of channel A carries data, but there is none [stf.tilelink.carries]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x157, record 14, transaction 7: warning: address 0x5 of a message of 2^3 bytes [stf.tilelink.aligned]
| $DATA/stf/tilelink/example.zstf: chunk 0: byte 0x157, record 14, transaction 7: warning: the mask has 0 bits [stf.tilelink.mask-length]
# The packing does not matter: the same trace, raw and as a container.
$ for f in $DATA/stf/every-record/rv64_v128.*stf; do
>   cairn check --json $f | sed 's/"file":"[^"]*",//; s/"chunk":[^,]*,//'
> done | sort | uniq -c | grep -vc ' 2 '
| 0
= 1
# Nor do threads.
$ for f in $DATA/stf/*.*stf; do
>   cairn check -j1 --json $f > one; cairn check -j3 --json $f > three; cmp one three
> done

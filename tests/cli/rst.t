# RST: two CPUs, a data-TLB miss and an interrupt (examples/write_rst.c).
needs: gzip
$ cairn info $EXAMPLES/traps.rst
| format         RST
| version        2.13
| kind           instructions
| container      none
| codec          none
| isa            sparc
| cpus           2
| max_cpu        1
| cputype        spitfire
| mmutype        spitfire iTLB=1, dTLB=1
| windows        8
| tlb_entries    4
| instructions   10
| records        37
| size           888
| level          1
| specification  0.1.1
| created        2023-11-14 22:13:20 UTC
| modified       2023-11-14 22:13:20 UTC
| hardware       none
| comments       mmutype=spitfire iTLB=1, dTLB=1
|                cputype=spitfire
|                nwins=8
$ cairn count $EXAMPLES/traps.rst
| instructions                            10
| executed                                 9
| loads                                    1
| stores                                   0
| branches                                 1
| branches_taken                           1
| events                                   2
| records_total                           37
|   RSTHEADER                              1
|   INSTR                                 10
|   TRACEINFO                              2
|   TLB                                    5
|   TRAP                                   2
|   TRAPEXIT                               1
|   REGVAL                                 2
|   DMA                                    1
|   STRDESC                                3
|   PREG                                   3
|   PAVADIFF                               5
|   STRCONT                                1
|   MEMVAL                                 1
$ cairn records $EXAMPLES/traps.rst
|         1  0x00000000  RSTHEADER          major=2 minor=13 percent="%" magic="RST Header v2.13"
|         2  0x00000018  TRACEINFO          rtype2=NLEVEL level=1 val32=0 time=1700000000
|         3  0x00000030  TRACEINFO          rtype2=3 max_cpu_id=1 total_num_cpus=2 spec_major=0 spec_minor=1 spec_sub_minor=1 date_created=1700000000 date_modified=1700000000
|         4  0x00000048  STRCONT            text="mmutype=spitfire iTLB=1"
|         5  0x00000060  STRDESC            text=", dTLB=1"
|         6  0x00000078  STRDESC            text="cputype=spitfire"
|         7  0x00000090  STRDESC            text="nwins=8"
|         8  0x000000a8  PREG               cpuid=0 traplevel=0 traptype=0x00 pstate=0x0012 asi=0x82 primA=0x02a5 secA=0x0000 primD=0x02a5 secD=0x0000
|         9  0x000000c0  TLB                cpuid=0 op=add tlb=I tlb_no=0 tlb_index=0 tte_tag=0x00000000000102a5 tte_data=0x8000000000410032
|        10  0x000000d8  TLB                cpuid=0 op=demap tlb=D tlb_no=0 tlb_index=0 tte_tag=0x0000000000000000 tte_data=0x0000000000000000
|        11  0x000000f0  PAVADIFF           cpuid=0 icontext=0x02a5 pc_pa_va=0x0000000000400000 ea_valid=0 dcontext=0x0000 ea_pa_va=0x0000000000000000
|        12  0x00000108  PREG               cpuid=1 traplevel=0 traptype=0x00 pstate=0x0012 asi=0x82 primA=0x02a5 secA=0x0000 primD=0x02a5 secD=0x0000
|        13  0x00000120  TLB                cpuid=1 op=add tlb=I tlb_no=0 tlb_index=0 tte_tag=0x00000000000102a5 tte_data=0x8000000000410032
|        14  0x00000138  TLB                cpuid=1 op=demap tlb=D tlb_no=0 tlb_index=0 tte_tag=0x0000000000000000 tte_data=0x0000000000000000
|        15  0x00000150  PAVADIFF           cpuid=1 icontext=0x02a5 pc_pa_va=0x0000000000400000 ea_valid=0 dcontext=0x0000 ea_pa_va=0x0000000000000000
|        16  0x00000168  INSTR              cpuid=0 pc_va=0x0000000000010000 instr=0x80a26001 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=0 bt=0 an=0
|        17  0x00000180  INSTR              cpuid=1 pc_va=0x0000000000010100 instr=0x01000000 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=0 bt=0 an=0
|        18  0x00000198  INSTR              cpuid=0 pc_va=0x0000000000010004 instr=0x12800007 ea_valid=1 ea_va=0x0000000000010020 tr=0 hpriv=0 pr=0 bt=1 an=0
|        19  0x000001b0  INSTR              cpuid=0 pc_va=0x0000000000010008 instr=0x92026001 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=0 bt=0 an=0
|        20  0x000001c8  TRAP               cpuid=0 async=0 tl=0 ttype=0x0068 pstate=0x0012 syscall=0 pc=0x0000000000010020 npc=0x0000000000010024
|        21  0x000001e0  REGVAL             cpuid=0 post=0 regtype0=MMU regid0=48 value0=0x00000000000202a5 regtype1=UNUSED regid1=0 value1=0x0000000000000000
|        22  0x000001f8  INSTR              cpuid=0 pc_va=0x0000000000010020 instr=0xd25a2000 ea_valid=0 ea_va=0x0000000000000000 tr=1 hpriv=0 pr=0 bt=1 an=0
|        23  0x00000210  INSTR              cpuid=1 pc_va=0x0000000000010104 instr=0x01000000 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=0 bt=0 an=0
|        24  0x00000228  PAVADIFF           cpuid=0 icontext=0x0000 pc_pa_va=0x0000007000000000 ea_valid=0 dcontext=0x0000 ea_pa_va=0x0000000000000000
|        25  0x00000240  INSTR              cpuid=0 pc_va=0x0000000001000d00 instr=0xf0f00b80 ea_valid=0 ea_va=0x0000000000000000 tr=0 hpriv=0 pr=1 bt=0 an=0
|        26  0x00000258  TLB                cpuid=0 op=add tlb=D tlb_no=0 tlb_index=0 tte_tag=0x00000000000202a5 tte_data=0x8000000000420032
|        27  0x00000270  PREG               cpuid=0 traplevel=1 traptype=0x68 pstate=0x0012 asi=0x82 primA=0x02a5 secA=0x0000 primD=0x02a5 secD=0x0000
|        28  0x00000288  INSTR              cpuid=0 pc_va=0x0000000001000d04 instr=0x83f00000 ea_valid=1 ea_va=0x0000000000010020 tr=0 hpriv=0 pr=1 bt=1 an=0
|        29  0x000002a0  TRAPEXIT           cpuid=0 tl=0 tstate=0x00000000
|        30  0x000002b8  PAVADIFF           cpuid=0 icontext=0x02a5 pc_pa_va=0x0000000000400000 ea_valid=1 dcontext=0x02a5 ea_pa_va=0x0000000000400000
|        31  0x000002d0  INSTR              cpuid=0 pc_va=0x0000000000010020 instr=0xd25a2000 ea_valid=1 ea_va=0x0000000000020008 tr=0 hpriv=0 pr=0 bt=0 an=0
|        32  0x000002e8  REGVAL             cpuid=0 post=1 regtype0=INT regid0=9 value0=0x000000000000002a regtype1=UNUSED regid1=0 value1=0x0000000000000000
|        33  0x00000300  MEMVAL             cpuid=0 is128=0 is_va=1 size=8 addr=0x0000000000020008 value=0x000000000000002a
|        34  0x00000318  DMA                iswrite=1 nbytes=512 start_pa=0x0000000000800000
|        35  0x00000330  TRAP               cpuid=1 async=1 tl=0 ttype=0x004e pstate=0x0012 syscall=0 pc=0x0000000000010108 npc=0x000000000001010c
|        36  0x00000348  PAVADIFF           cpuid=1 icontext=0x0000 pc_pa_va=0x0000007000000000 ea_valid=0 dcontext=0x0000 ea_pa_va=0x0000000000000000
|        37  0x00000360  INSTR              cpuid=1 pc_va=0x00000000010009c0 instr=0x01000000 ea_valid=0 ea_va=0x0000000000000000 tr=1 hpriv=0 pr=1 bt=0 an=0
$ cairn view -D $EXAMPLES/traps.rst
| CONTEXT cpu=0 asid=677 priv=user
|         1  0000000000010000  80a26001
| CONTEXT cpu=1 asid=677 priv=user
|         2  0000000000010100  01000000
| CONTEXT cpu=0 asid=677 priv=user
|         3  0000000000010004  12800007  PC 0000000000010020
|         4  0000000000010008  92026001
|         5  0000000000010020  d25a2000  aborted
| CONTEXT cpu=1 asid=677 priv=user
|         6  0000000000010104  01000000
| CONTEXT cpu=0 asid=0 priv=supervisor
|         7  0000000001000d00  f0f00b80  forced
|         8  0000000001000d04  83f00000  PC 0000000000010020
| CONTEXT cpu=0 asid=677 priv=user
|         9  0000000000010020  d25a2000
| CONTEXT cpu=1 asid=0 priv=supervisor
|        10  00000000010009c0  01000000  forced
$ cairn view -D $EXAMPLES/traps.rst cpu1
| CONTEXT cpu=1 asid=677 priv=user
|         2  0000000000010100  01000000
|         6  0000000000010104  01000000
| CONTEXT cpu=1 asid=0 priv=supervisor
|        10  00000000010009c0  01000000  forced
# What stands around an instruction: a stopped load, and the load that ran.
$ cairn view -Da $EXAMPLES/traps.rst 5 9
| CONTEXT cpu=0 asid=677 priv=user
|         5  0000000000010020  d25a2000  aborted
|            EVT FAST_DATA_MMU_MISS 0x0 0x0 0x0 0x68 0x12 0x0 0x10020 0x10024
|            state mmu48 = 0x00000000000202a5
|         9  0000000000010020  d25a2000
|            MEM FETCH 0x0000000000010020 4 pa=0x410020
|            MEM READ  0x0000000000020008 8 = 0x000000000000002a pa=0x420008
|            dst o1 = 0x000000000000002a
# From a pipe and compressed it is the same.
$ gzip -c $EXAMPLES/traps.rst | cairn view -D -j2 - | cksum; cairn view -D $EXAMPLES/traps.rst | cksum
| 2307192175 686
| 2307192175 686
# The version decides the layouts.
$ cairn records --from rst:version=2.11 $EXAMPLES/traps.rst | grep -m1 INSTR
|        16  0x00000168  INSTR              cpuid=0 pc_va=0x0000000000010000 instr=0x80a26001 ea_valid=0 ea_va=0x0000000000000000 tr=0 pr=0 bt=0 an=0 ihash=0x0000
$ cairn view --from rst:nonsense=1 $EXAMPLES/traps.rst
! cairn: reading RST has no option 'nonsense=1'; it has version=MAJOR.MINOR, piece=BYTES
= 2
# A part without a header, an unknown record, an end inside a record.
$ tail -c +97 $EXAMPLES/traps.rst | cairn count -q - | head -n 2
| instructions                            10
| executed                                 9
$ (head -c 600 $EXAMPLES/traps.rst; printf 'd%023d' 0; tail -c +601 $EXAMPLES/traps.rst; printf abc) > bad.rst
$ cairn count bad.rst | head -n 2
| instructions                            10
| executed                                 9
! cairn: bad.rst: byte 0x258, record 26, instruction 8: no record has type 100
! cairn: bad.rst: byte 0x390, record 39, instruction 11: the input ends inside a record: 3 of its 24 bytes are there
! cairn: bad.rst: 2 damaged places; everything that can be read is in the output
$ cairn view -D bad.rst 5..6
| CONTEXT cpu=0 asid=677 priv=user
|         5  0000000000010020  d25a2000  aborted
| CONTEXT cpu=1 asid=677 priv=user
|         6  0000000000010104  01000000
! cairn: bad.rst: byte 0x258, record 26, instruction 8: no record has type 100
! cairn: bad.rst: byte 0x390, record 39, instruction 11: the input ends inside a record: 3 of its 24 bytes are there
! cairn: bad.rst: 2 damaged places; everything that can be read is in the output
= 2
$ cairn view --strict -D bad.rst
| CONTEXT cpu=0 asid=677 priv=user
|         1  0000000000010000  80a26001
| CONTEXT cpu=1 asid=677 priv=user
|         2  0000000000010100  01000000
| CONTEXT cpu=0 asid=677 priv=user
|         3  0000000000010004  12800007  PC 0000000000010020
|         4  0000000000010008  92026001
|         5  0000000000010020  d25a2000  aborted
| CONTEXT cpu=1 asid=677 priv=user
|         6  0000000000010104  01000000
| CONTEXT cpu=0 asid=0 priv=supervisor
|         7  0000000001000d00  f0f00b80  forced
| CONTEXT cpu=0 priv=supervisor
| DAMAGE byte 0x258, record 26, instruction 8: no record has type 100
|         8  0000000001000d04  83f00000  PC 0000000000010020
| CONTEXT cpu=0 asid=677 priv=user
|         9  0000000000010020  d25a2000
| CONTEXT cpu=1 asid=0 priv=supervisor
|        10  00000000010009c0  01000000
| DAMAGE byte 0x390, record 39, instruction 11: the input ends inside a record: 3 of its 24 bytes are there
! cairn: bad.rst: byte 0x258, record 26, instruction 8: no record has type 100
= 2

# ETE: a snapshot made by hand, two sessions of one core. The program calls a loop, makes a
# system call and returns from it; the second session breaks off and goes on.
needs: json gzip
$ mkdir -p snap/bin && cd snap && cat > snapshot.ini <<'END' && cat > cpu.ini <<'END2' && cat > ete.ini <<'END3' && cat > trace.ini <<'END4'
> [snapshot]
> version=1.0
> description=by hand
> [device_list]
> device0=cpu.ini
> device1=ete.ini
> [trace]
> metadata=trace.ini
> END
> [device]
> name=cpu_0
> class=core
> type=ARM-AA64
> [dump1]
> file=bin\code
> address=0x1000
> END2
> [device]
> name=ETE_0
> class=trace_source
> type=ETE
> [regs]
> TRCCONFIGR(0x4)=0x1
> TRCTRACEIDR=0x10
> TRCIDR0=0x0
> TRCIDR2=0x0
> END3
> [trace_buffers]
> buffers=b0,b1
> [b0]
> name=ETB_0
> file=s0.bin
> format=source_data
> [b1]
> name=ETB_1
> file=s1.bin
> format=coresight
> [source_buffers]
> ETE_0=ETB_0,ETB_1
> [core_trace_sources]
> cpu_0=ETE_0
> END4
$ hex() { printf "$(tr -d ' \n' | sed 's/../\\x&/g')"; }; declare -f hex > hex.sh; hex > snap/bin/code <<END
> 1f2003d5 03000094 010000d4 fdffff17 210040f9 e1ffffb5 c0035fd6 e0039fd6
> END
$ . ./hex.sh; hex > snap/s0.bin <<END
> 0000000000000000000000 80 0100 04 85000800000000000031 fb f7 9502 0605 9503 9507 f7
> 85030800000000000030 0205 f7 71
> END
$ . ./hex.sh; hex > snap/s1.bin <<END
> 21000000000000000000000080010000 0485000800000000000030fbf605f6c0
> 000000000000000000000080000084c0 000800000000000030f7010000000001
> END
$ cairn info snap
| format         ETE
| version        1.0
| container      snapshot
| codec          none
| isa            arm
| instructions   unknown
| size           114
| description    by hand
| configuration  of the snapshot
| sources        ETE_0: ETE 1.0 cpu0 (cpu_0, ARM-AA64) id=0x10 trcconfigr=0x1 trcidr0=0x0 trcidr1=0x4100f403 trcidr2=0x0 trcidr8=0x0 trcdevarch=0x47705a13
| sessions       ETB_0: 50 bytes, source_data, 1 source
|                ETB_1: 64 bytes, coresight, 1 source
| missing        none
| packets        27
| sync_points    3
| packet_types   RESERVED 1
|                ASYNC 3
|                TRACE_INFO 3
|                TRACE_ON 2
|                TIMESTAMP 1
|                EXCEPTION 1
|                EVENT 1
|                ADDR_CTXT_64_IS0 4
|                ADDR_SHORT_IS0 3
|                ATOM_F1 6
|                ATOM_F3 2
| generators     none
# Packets are counted in a compressed file and a pipe, too.
$ gzip < snap/s0.bin > s0.gz; for f in snap/s0.bin s0.gz -; do cairn info $f < s0.gz | grep -A2 -e packets -e sync; done
| packets        15
| sync_points    1
| packet_types   ASYNC 1
|                TRACE_INFO 1
| packets        15
| sync_points    1
| packet_types   ASYNC 1
|                TRACE_INFO 1
| packets        15
| sync_points    1
| packet_types   ASYNC 1
|                TRACE_INFO 1
$ cairn view snap
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001000  d503201f  nop
|         2  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010
|         3  0000000000001010  f9400021  ldr x1, [x1]
|         4  0000000000001014  b5ffffe1  cbnz x1, 0x1010                   PC 0000000000001010
|         5  0000000000001010  f9400021  ldr x1, [x1]
|         6  0000000000001014  b5ffffe1  cbnz x1, 0x1010
|         7  0000000000001018  d65f03c0  ret                               PC 0000000000001008
|         8  0000000000001008  d4000001  svc #0
|         9  000000000000101c  d69f03e0  eret                              PC 000000000000100c  forced
| CONTEXT cpu=0 priv=el0 security=non-secure
|        10  000000000000100c  17fffffd  b 0x1000                          PC 0000000000001000
|        11  0000000000001000  d503201f  nop                               forced
|        12  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010
|        13  0000000000001010  f9400021  ldr x1, [x1]
|        14  0000000000001014  b5ffffe1  cbnz x1, 0x1010                   PC 0000000000001010
|        15  0000000000001010  f9400021  ldr x1, [x1]
|        16  0000000000001014  b5ffffe1  cbnz x1, 0x1010
|        17  0000000000001018  d65f03c0  ret                               PC ?
| DAMAGE ETB_1: byte 0x1d, instruction 18: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
|        18  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010  forced
! cairn: snap: ETB_1: byte 0x1d, instruction 18: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
! cairn: snap: 1 damaged place; everything that can be read is in the output
= 2
$ cairn view -e snap 1..9
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001000  d503201f  nop
|            EVT TRACE_ON 0x0
|         2  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010
|         3  0000000000001010  f9400021  ldr x1, [x1]
|         4  0000000000001014  b5ffffe1  cbnz x1, 0x1010                   PC 0000000000001010
|         5  0000000000001010  f9400021  ldr x1, [x1]
|         6  0000000000001014  b5ffffe1  cbnz x1, 0x1010
|         7  0000000000001018  d65f03c0  ret                               PC 0000000000001008
|         8  0000000000001008  d4000001  svc #0
|            EVT CALL 0x100c
|         9  000000000000101c  d69f03e0  eret                              PC 000000000000100c  forced
|            EVT TRAP_RETURN
$ cairn view --json snap 4 | json n pc encoding isa asm class taken target context.priv context.cpu
| 4 0x0000000000001014 0xb5ffffe1 a64 cbnz x1, 0x1010 branch true 0x0000000000001010 el1 0
$ cairn records snap
|         1  0x00000000  ASYNC              bytes=000000000000000000000080
|         2  0x0000000c  TRACE_INFO         bytes=0100
|         3  0x0000000e  TRACE_ON           bytes=04
|         4  0x0000000f  ADDR_CTXT_64_IS0   bytes=85000800000000000031 address=0x0000000000001000 is=IS0 el=1 security=non_secure state=AArch64
|         5  0x00000019  ATOM_F3            bytes=fb atoms="EEN"
|         6  0x0000001a  ATOM_F1            bytes=f7 atoms="E"
|         7  0x0000001b  ADDR_SHORT_IS0     bytes=9502 address=0x0000000000001008 is=IS0 bits=9
|         8  0x0000001d  EXCEPTION          bytes=0605 type=CALL e=1
|         9  0x0000001f  ADDR_SHORT_IS0     bytes=9503 address=0x000000000000100c is=IS0 bits=9
|        10  0x00000021  ADDR_SHORT_IS0     bytes=9507 address=0x000000000000101c is=IS0 bits=9
|        11  0x00000023  ATOM_F1            bytes=f7 atoms="E"
|        12  0x00000024  ADDR_CTXT_64_IS0   bytes=85030800000000000030 address=0x000000000000100c is=IS0 el=0 security=non_secure state=AArch64
|        13  0x0000002e  TIMESTAMP          bytes=0205 time=0x0000000000000005 bits=7
|        14  0x00000030  ATOM_F1            bytes=f7 atoms="E"
|        15  0x00000031  EVENT              bytes=71 events=0x01
|        16  0x00000033  ASYNC              bytes=000000000000000000000080
|        17  0x0000003f  TRACE_INFO         bytes=0100
|        18  0x00000042  TRACE_ON           bytes=04
|        19  0x00000043  ADDR_CTXT_64_IS0   bytes=85000800000000000030 address=0x0000000000001000 is=IS0 el=0 security=non_secure state=AArch64
|        20  0x0000004d  ATOM_F3            bytes=fb atoms="EEN"
|        21  0x0000004e  ATOM_F1            bytes=f7 atoms="E"
|        22  0x0000004f  RESERVED           bytes=05
|        23  0x00000050  ATOM_F1            bytes=f7 atoms="E"
|        24  0x00000052  ASYNC              bytes=000000000000000000000080
|        25  0x0000005e  TRACE_INFO         bytes=0100
|        26  0x00000060  ADDR_CTXT_64_IS0   bytes=85010800000000000030 address=0x0000000000001004 is=IS0 el=0 security=non_secure state=AArch64
|        27  0x0000006b  ATOM_F1            bytes=f7 atoms="E"
! cairn: snap: byte 0x4f, record 22: Reserved header (first byte 0x05)
! cairn: snap: 1 damaged place; everything that can be read is in the output
= 2
$ cairn records --elements snap
|         1  0x00000000  NO_SYNC            reason=start skipped=0 lost=0
|         2  0x0000000c  TRACE_INFO         info=0x00 spec=0 threshold=0
|         3  0x0000000e  TRACE_ON           reason=start
|         4  0x0000000f  CONTEXT            el=1 security=non_secure state=AArch64
|         5  0x0000000f  ADDRESS            address=0x0000000000001000 isa=a64
|         6  0x00000019  ATOMS              atoms="EEN"
|         7  0x0000001a  ATOMS              atoms="E"
|         8  0x0000001b  ADDRESS            address=0x0000000000001008 isa=a64
|         9  0x0000001d  EXCEPTION          type=CALL address=0x000000000000100c isa=a64
|        10  0x00000021  ADDRESS            address=0x000000000000101c isa=a64
|        11  0x00000023  ATOMS              atoms="E"
|        12  0x00000024  CONTEXT            el=0 security=non_secure state=AArch64
|        13  0x00000024  ADDRESS            address=0x000000000000100c isa=a64
|        14  0x0000002e  TIMESTAMP          time=0x0000000000000005
|        15  0x00000030  ATOMS              atoms="E"
|        16  0x00000031  EVENT              events=0x01
|        17  0x00000032  END                lost=0
|        18  0x00000033  NO_SYNC            reason=start skipped=0 lost=0
|        19  0x0000003f  TRACE_INFO         info=0x00 spec=0 threshold=0
|        20  0x00000042  TRACE_ON           reason=start
|        21  0x00000043  CONTEXT            el=0 security=non_secure state=AArch64
|        22  0x00000043  ADDRESS            address=0x0000000000001000 isa=a64
|        23  0x0000004d  ATOMS              atoms="EEN"
|        24  0x0000004e  ATOMS              atoms="E"
|        25  0x0000004f  NO_SYNC            reason=reserved or broken packet skipped=2 lost=0
|        26  0x0000005e  TRACE_INFO         info=0x00 spec=0 threshold=0
|        27  0x00000060  CONTEXT            el=0 security=non_secure state=AArch64
|        28  0x00000060  ADDRESS            address=0x0000000000001004 isa=a64
|        29  0x0000006b  ATOMS              atoms="E"
|        30  0x0000006c  END                lost=0
! cairn: snap: ETB_1: byte 0x1d, instruction 18: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
! cairn: snap: 1 damaged place; everything that can be read is in the output
= 2
$ cairn count snap
| instructions                            18
| executed                                18
| loads                                    4
| stores                                   0
| branches                                10
| branches_taken                           8
| events                                   1
| contexts                                 4
| records_total                           27
|   RESERVED                               1
|   ASYNC                                  3
|   TRACE_INFO                             3
|   TRACE_ON                               2
|   TIMESTAMP                              1
|   EXCEPTION                              1
|   EVENT                                  1
|   ADDR_CTXT_64_IS0                       4
|   ADDR_SHORT_IS0                         3
|   ATOM_F1                                6
|   ATOM_F3                                2
! cairn: snap: ETB_1: byte 0x1d, instruction 18: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
! cairn: snap: 1 damaged place; everything that can be read is in the output
= 2
# A raw stream, its registers and its program from the command line; and without either.
$ cairn view --ete trcconfigr=1,core=ARMv8-A --image snap/bin/code@0x1000 snap/s0.bin 1..3
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001000                            d503201f  nop
|         2  0000000000001004                            94000003  bl 0x1010                         PC 0000000000001010
|         3  0000000000001010                            f9400021  ldr x1, [x1]
$ cairn view --image snap/bin/code@EL3:0x1000 snap/s0.bin 1..3
! cairn: snap/s0.bin: the selection is empty
= 1
$ cat snap/s0.bin | cairn view -
|            EVT TRACE_ON 0x0
|            EVT BRANCH PC 0000000000001000
|            EVT ATOM 0x1
|            EVT ATOM 0x1
|            EVT ATOM 0x0
|            EVT ATOM 0x1
|            EVT BRANCH PC 0000000000001008
|            EVT CALL 0x100c
|            EVT BRANCH PC 000000000000101c
|            EVT ATOM 0x1
|            EVT BRANCH PC 000000000000100c
|            EVT TIMESTAMP 0x5
|            EVT ATOM 0x1
|            EVT EVENT 0x1
! cairn: -: the trace only records branches; the program is needed to know which instructions ran: --image FILE
$ cairn count --image snap/bin/code@EL1N:0x1000 - < snap/s0.bin
| instructions                            10
| executed                                10
| loads                                    2
| stores                                   0
| branches                                 5
| branches_taken                           4
| events                                   1
| contexts                                 2
| records_total                           15
|   ASYNC                                  1
|   TRACE_INFO                             1
|   TRACE_ON                               1
|   TIMESTAMP                              1
|   EXCEPTION                              1
|   EVENT                                  1
|   ADDR_CTXT_64_IS0                       2
|   ADDR_SHORT_IS0                         3
|   ATOM_F1                                3
|   ATOM_F3                                1
$ cairn info snap/s1.bin
| format         ETE
| version        1.0
| container      coresight
| codec          none
| isa            arm
| instructions   unknown
| size           64
| description    unknown
| configuration  assumed
| sources        ETE 1.0 cpu0 id=0x10 trcconfigr=0x0 trcidr0=0x0 trcidr1=0x4100f403 trcidr2=0x0 trcidr8=0x0 trcdevarch=0x47705a13
| sessions       none
| missing        none
| packets        12
| sync_points    2
| packet_types   RESERVED 1
|                ASYNC 2
|                TRACE_INFO 2
|                TRACE_ON 1
|                ADDR_CTXT_64_IS0 2
|                ATOM_F1 3
|                ATOM_F3 1
| generators     none
$ cairn view --image snap/bin/code@EL0N:0x1000 snap/s1.bin
| CONTEXT cpu=0 priv=el0 security=non-secure
|         1  0000000000001000                            d503201f  nop
|         2  0000000000001004                            94000003  bl 0x1010                         PC 0000000000001010
|         3  0000000000001010                            f9400021  ldr x1, [x1]
|         4  0000000000001014                            b5ffffe1  cbnz x1, 0x1010                   PC 0000000000001010
|         5  0000000000001010                            f9400021  ldr x1, [x1]
|         6  0000000000001014                            b5ffffe1  cbnz x1, 0x1010
|         7  0000000000001018                            d65f03c0  ret                               PC ?
| DAMAGE byte 0x1d, instruction 8: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
|         8  0000000000001004                            94000003  bl 0x1010                         PC 0000000000001010  forced
! cairn: snap/s1.bin: byte 0x1d, instruction 8: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
! cairn: snap/s1.bin: 1 damaged place; everything that can be read is in the output
= 2
$ cairn view --strict snap
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001000  d503201f  nop
|         2  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010
|         3  0000000000001010  f9400021  ldr x1, [x1]
|         4  0000000000001014  b5ffffe1  cbnz x1, 0x1010                   PC 0000000000001010
|         5  0000000000001010  f9400021  ldr x1, [x1]
|         6  0000000000001014  b5ffffe1  cbnz x1, 0x1010
|         7  0000000000001018  d65f03c0  ret                               PC 0000000000001008
|         8  0000000000001008  d4000001  svc #0
|         9  000000000000101c  d69f03e0  eret                              PC 000000000000100c  forced
| CONTEXT cpu=0 priv=el0 security=non-secure
|        10  000000000000100c  17fffffd  b 0x1000                          PC 0000000000001000
|        11  0000000000001000  d503201f  nop                               forced
|        12  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010
|        13  0000000000001010  f9400021  ldr x1, [x1]
|        14  0000000000001014  b5ffffe1  cbnz x1, 0x1010                   PC 0000000000001010
|        15  0000000000001010  f9400021  ldr x1, [x1]
|        16  0000000000001014  b5ffffe1  cbnz x1, 0x1010
|        17  0000000000001018  d65f03c0  ret                               PC ?
| DAMAGE ETB_1: byte 0x1d, instruction 18: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
|        18  0000000000001004  94000003  bl 0x1010                         PC 0000000000001010  forced
! cairn: snap/snapshot.ini: ETB_1: byte 0x1d, instruction 18: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
= 2
# What is missing is told; everything else is read.
$ rm snap/bin/code; cairn count snap
| instructions                             0
| executed                                 0
| loads                                    0
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   1
| contexts                                 4
| records_total                           27
|   RESERVED                               1
|   ASYNC                                  3
|   TRACE_INFO                             3
|   TRACE_ON                               2
|   TIMESTAMP                              1
|   EXCEPTION                              1
|   EVENT                                  1
|   ADDR_CTXT_64_IS0                       4
|   ADDR_SHORT_IS0                         3
|   ATOM_F1                                6
|   ATOM_F3                                2
! cairn: snap: the trace only records branches; the program is needed to know which instructions ran: --image FILE
! cairn: snap: cpu.ini: line 5: no program bytes from 0x1000: bin/code: No such file or directory
! cairn: snap: ETB_1: byte 0x1d, instruction 1: reserved or broken packet; 2 bytes up to the next synchronisation not decoded
! cairn: snap: 2 damaged places; everything that can be read is in the output
= 2
$ cairn view --image nothing snap
! cairn: nothing: No such file or directory
= 2
$ cairn view --image snap/bin/code@EL9:0x1000 snap
! cairn: snap/bin/code@EL9:0x1000 (a place is @0xADDRESS or @SPACE:0xADDRESS): No such file or directory
= 2
$ printf '[device]\nname=x\nname=y\n' > snap/cpu.ini; cairn info snap
! cairn: snap/cpu.ini: line 3: 'name' was given in line 2 already
= 2
$ rm snap/trace.ini; mkdir empty; cairn info empty; cairn info snap
! cairn: empty: is a directory without a snapshot.ini
! cairn: snap/cpu.ini: line 3: 'name' was given in line 2 already
= 2
# ETMv4, by its name or by a register.
$ . ./hex.sh; hex > v4.bin <<END
> 0000000000000000000000 80 0100 07 05
> END
$ cairn records --ete protocol=etmv4 v4.bin; cairn records --ete trcdevarch=0x47724a13,trcidr1=0x420,core=Cortex-M33 v4.bin
|         1  0x00000000  ASYNC              bytes=000000000000000000000080
|         2  0x0000000c  TRACE_INFO         bytes=0100
|         3  0x0000000e  EXCEPTION_RETURN   bytes=07
|         4  0x0000000f  RESERVED           bytes=05
|         1  0x00000000  ASYNC              bytes=000000000000000000000080
|         2  0x0000000c  TRACE_INFO         bytes=0100
|         3  0x0000000e  EXCEPTION_RETURN   bytes=07
|         4  0x0000000f  FUNCTION_RETURN    bytes=05
! cairn: v4.bin: byte 0xf, record 4: Reserved header (first byte 0x05)
! cairn: v4.bin: 1 damaged place; everything that can be read is in the output
$ cairn view --ete trcidr0=x snap/s0.bin
! cairn: ete:trcidr0 is a number from 0 to 4294967295, not 'x'
= 2
$ cairn view --ete what=1 snap/s0.bin
! cairn: reading ETE has no option 'what=1'; it has trcconfigr=0x…, trctraceidr=0x…, trcidr0=0x…, trcidr1=0x…, trcidr2=0x…, trcidr8=0x…, trcidr9=0x…, trcidr10=0x…, trcidr11=0x…, trcidr12=0x…, trcidr13=0x…, trcdevarch=0x…, core=TYPE, protocol=ete|etmv4, framing=raw|frames|synced-frames|dstream, transactions=discard|keep, records=packets|elements, piece=BYTES
= 2
$ cairn view --from stf --ete core=ARMv7-A snap/s0.bin
! cairn: --ete is for ETE traces, but --from says stf
= 2
$ cairn index snap/s0.bin
| snap/s0.bin.cai: 1 span, 0 instructions, 2504 bytes; can be jumped in
! cairn: snap/s0.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
# Conditional trace of ETMv4: elements of its own, in their places.
$ . ./hex.sh; hex > cond.bin <<END
> 0000000000000000000000 80 0100 04 85000800000000000031
> 6c05 f7 6d06 43 6805 1a 6e25 49 53aa 45 21 28 f6
> END
$ cairn records --elements --ete protocol=etmv4,trcconfigr=0x60701,trcidr0=0x40 cond.bin | cut -c 12-
| 0x00000000  NO_SYNC            reason=start skipped=0 lost=0
| 0x0000000c  TRACE_INFO         info=0x00 spec=0 threshold=0
| 0x0000000e  TRACE_ON           reason=start
| 0x0000000f  CONTEXT            el=1 security=non_secure state=AArch64
| 0x0000000f  ADDRESS            address=0x0000000000001000 isa=a64
| 0x00000019  CONDITIONAL        packet=COND_INST_F1 key=5
| 0x0000001b  ATOMS              atoms="E"
| 0x0000001c  CONDITIONAL        packet=COND_INST_F3 count=3 p=0
| 0x0000001e  CONDITIONAL        packet=COND_FLUSH
| 0x0000001f  CONDITIONAL        packet=COND_RESULT_F1 ci=0 key0=0 result0=0x05 key1=1 result1=0x0a
| 0x00000022  CONDITIONAL        packet=COND_RESULT_F1 ci=2 key0=2 result0=0x05
| 0x00000024  CONDITIONAL        packet=COND_RESULT_F2 number=1
| 0x00000025  CONDITIONAL        packet=COND_RESULT_F3 tokens=0x03aa
| 0x00000027  CONDITIONAL        packet=COND_RESULT_F4 number=1
| 0x00000028  DATA_SYNC          packet=NUM_DS_MARKER number=1
| 0x00000029  DATA_SYNC          packet=UNNUM_DS_MARKER number=0
| 0x0000002a  ATOMS              atoms="N"
| 0x0000002b  END                lost=0
$ cairn view -e --ete protocol=etmv4,trcconfigr=0x60701,trcidr0=0x40 cond.bin | tail -3
|            EVT DATA_SYNC 0x60 0x0
|            EVT DATA_SYNC 0x61 0x0
|            EVT ATOM 0x0
! cairn: cond.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
# What a failed transaction has done counts as instructions, but not as executed.
$ . ./hex.sh; hex > failed.bin <<END
> 0000000000000000000000 80 0100 04 85000800000000000031 0a f6 063170 9505 f7
> END
$ . ./hex.sh; hex > failed.code <<END
> 1f2003d5 40000054 1f2003d5 1f2003d5 c0035fd6 c0035fd6 c0035fd6
> END
$ for t in keep discard; do cairn count --ete trcidr2=0x80,transactions=$t --image failed.code@0x1000 failed.bin | head -n 2; done
| instructions                             2
| executed                                 0
| instructions                             0
| executed                                 0

# A trace of ETMv4 units (a Juno board) that the public decoder's authors relabelled as ETE:
# with its own names it decodes without damage (a session that another source wrote is left
# alone), and its exception returns are packets.
needs: data/ete/snapshots/infrastructure cp sed
$ cp -r $DATA/ete/snapshots/infrastructure v4 && chmod -R u+w v4 && sed -i 's/type=ETE/type=ETM4x/; s/0x4100FFF0/0x4100F403/; s/47705A13/47704A13/' v4/device_*.ini
$ cairn info v4 | sed -n '/^version/p; /^sources/,/^missing/p'
| version        4.0
| sources        ETM_0: ETMv4 4.0 cpu0 (cpu_0, Cortex-A53) id=0x10 trcconfigr=0xc1 trcidr0=0x28000ea1 trcidr1=0x4100f403 trcidr2=0x488 trcidr8=0x0 trcdevarch=0x47704a13
|                ETM_1: ETMv4 4.0 cpu1 (cpu_1, Cortex-A53) id=0x11 trcconfigr=0xc1 trcidr0=0x28000ea1 trcidr1=0x4100f403 trcidr2=0x488 trcidr8=0x0 trcdevarch=0x47704a13
|                ETM_2: ETMv4 4.0 cpu2 (cpu_2, Cortex-A53) id=0x12 trcconfigr=0xc1 trcidr0=0x28000ea1 trcidr1=0x4100f403 trcidr2=0x488 trcidr8=0x0 trcdevarch=0x47704a13
|                ETM_3: ETMv4 4.0 cpu3 (cpu_3, Cortex-A53) id=0x13 trcconfigr=0xc1 trcidr0=0x28000ea1 trcidr1=0x4100f403 trcidr2=0x488 trcidr8=0x0 trcdevarch=0x47704a13
|                ETM_4: ETMv4 4.0 cpu4 (cpu_4, Cortex-A57) id=0x14 trcconfigr=0xc1 trcidr0=0x28000ea1 trcidr1=0x4100f403 trcidr2=0x488 trcidr8=0x0 trcdevarch=0x47704a13
|                ETM_5: ETMv4 4.0 cpu5 (cpu_5, Cortex-A57) id=0x15 trcconfigr=0xc1 trcidr0=0x28000ea1 trcidr1=0x4100f403 trcidr2=0x488 trcidr8=0x0 trcdevarch=0x47704a13
|                STM_12: STM: not ETE or ETMv4, not decoded
| sessions       ETB_0: 65536 bytes, coresight, 6 sources
|                ETB_1: 1984 bytes, coresight, 1 source
| missing        none
$ cairn count v4
| instructions                         40246
| executed                             40246
| loads                                 7514
| stores                                5707
| branches                              6629
| branches_taken                        4328
| events                                  51
| contexts                                83
| records_total                        31054
|   NOT_SYNC                               4
|   ASYNC                                 40
|   TRACE_INFO                            40
|   TRACE_ON                              32
|   EXCEPTION                             51
|   EXCEPTION_RETURN                      54
|   ADDR_CTXT_64_IS0                      83
|   ADDR_MATCH                           658
|   ADDR_SHORT_IS0                      5989
|   ADDR_32_IS0                         3372
|   ADDR_64_IS0                          219
|   ATOM_F1                             4610
|   ATOM_F2                             3158
|   ATOM_F3                             8489
|   ATOM_F4                             1210
|   ATOM_F5                             1445
|   ATOM_F6                             1600
$ cairn view -e v4 | grep -c TRAP_RETURN
| 54
$ cairn view -j1 -a v4 | cksum > one && cairn view -j5 -a v4 | cksum | cmp - one

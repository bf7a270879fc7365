# ETE streams judged by their rules: what is wrong, where, and what it costs.
needs: json
$ begin='\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x05\0\0' here='\x82\0\x08\0\0\x31' && printf "$begin\x04$here\xf7\xf6\x2d\x02" >clean.ete && printf "$begin\x04$here\xf7\xf6\x2d\x02\xf7\x2d\x02\xf7\xf7\x9a$begin$here\xf7\x2e\x02" >broken.ete && printf "$begin\x04$here\xf7\xf6\x2d\x02\x02\x05\x72\x88\xf7" >odd.ete && printf "$begin\x04$here\xf6\xf6\x2d\x02" >flow.ete
# Clean: begins, two atoms, committed.
$ cairn check --ete trcconfigr=1,trcidr0=0x08000ea0,trcidr8=0x10,trcdevarch=0x47735a13 clean.ete
| clean.ete: 0 errors, 0 warnings, 0 notes
! cairn: clean.ete: the trace only records branches; the program is needed to know which instructions ran: --image FILE
# More is committed, and canceled, than is open; what comes up to the next synchronisation is lost.
$ cairn check -v --ete trcidr8=0x10 broken.ete 2> /dev/null
| broken.ete: byte 0x1c, record 9: error: a Commit of 2 P0 elements, but open are 1; 5 bytes up to the next synchronisation not decoded, 1 P0 element is lost whose fate was open [ete.spec.commit: IKQQML]
| broken.ete: byte 0x38, record 17: error: a Cancel of 2 P0 elements, but open are 1; 2 bytes up to the next synchronisation not decoded, 1 P0 element is lost whose fate was open [ete.spec.cancel: IMRGLC]
| broken.ete: 2 errors, 0 warnings, 0 notes
= 1
# Registers that were given count.
$ cairn check --ete trcconfigr=1,trcidr0=0x08000ea0,trcidr8=0x10,trcdevarch=0x47735a13 odd.ete
| odd.ete: byte 0x1b, record 8: error: a Timestamp, but TRCCONFIGR.TS is 0 [ete.time.enabled]
| odd.ete: byte 0x1e, record 10: error: a Timestamp Marker, but TRCIDR0.TSMARK is 0 [ete.time.marker]
| odd.ete: byte 0x20, instruction 1: note: the trace ends with 1 P0 element open [ete.spec.resolved]
| odd.ete: 2 errors, 0 warnings, 1 note
! cairn: odd.ete: the trace only records branches; the program is needed to know which instructions ran: --image FILE
= 1
$ cairn check --ete trcidr8=0x10,trcdevarch=0x47735a13 odd.ete
| odd.ete: byte 0x20, instruction 1: note: the trace ends with 1 P0 element open [ete.spec.resolved]
| odd.ete: 0 errors, 0 warnings, 1 note
! cairn: odd.ete: the trace only records branches; the program is needed to know which instructions ran: --image FILE
# With the program: b.eq at 0x1000 falls through to b at 0x1004, which must be taken.
$ printf '\x40\0\0\x54\xff\xff\xff\x17' >code && cairn check --ete trcidr8=0x10 --image code@0x1000 flow.ete
| flow.ete: byte 0x18, instruction 2: error: the branch before 0x1008 is unconditional, and not taken [ete.flow.atom]
| flow.ete: 1 error, 0 warnings, 0 notes
= 1
$ cairn check --json --ete trcidr8=0x10 --image code@0x1000 flow.ete | head -n 1 | json rule offset instruction cpu
| ete.flow.atom 24 2 0
$ cairn check --ete trcidr8=0x10 --image nothing@0x1000 flow.ete
! cairn: nothing: No such file or directory
= 2
# Bytes without any synchronisation.
$ printf '\x01\x02\x03' >none.ete && cairn check --from ete none.ete
| none.ete: byte 0x0, record 1: error: there is no Alignment Synchronization: none of 3 bytes can be decoded [ete.input.complete]
| none.ete: 1 error, 0 warnings, 0 notes
! cairn: none.ete: the trace only records branches; the program is needed to know which instructions ran: --image FILE
= 1

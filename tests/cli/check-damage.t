# Damage is a finding like others.
needs: head cat
$ printf '\001STF\002\001\000\000\000\006\000\000\000\004\001\000\005\002\000\006\006\000\000\001\000\000' > head
$ printf '\007\040\000\010\000\000\000\000\000\011\000\000\000\200\000\000\000\000\023' >> head
$ { cat head; printf '\360\023\000\000\000\360\023\000'; } > cut.stf
$ cairn check cut.stf
| cut.stf: note: there is no COMMENT; many traces have none [stf.header.comment]
| cut.stf: note: there is no PROCESS_ID_EXT; nearly all traces have none [stf.header.process-id]
| cut.stf: byte 0x2d, record 9, instruction 1: note: no MODE_CHANGE tells the mode of the first instruction; many traces have none [stf.mode.start]
| cut.stf: byte 0x32, record 10, instruction 2: error: the input ends inside INST_32: 3 bytes of it are there [stf.record.complete]
| cut.stf: 1 error, 0 warnings, 3 notes
= 1
$ { cat head; printf '\360\023\000\000\000\167\000\000'; } > unknown.stf
$ cairn check -q unknown.stf
| unknown.stf: byte 0x32, record 10, instruction 2: error: no record has descriptor 0x77; what follows cannot be read [stf.record.known]
= 1

# So is a container of which nothing can be read.
$ { printf 'ZSTF\001\000\000\000\000\000\000\000\034\000\000\000\000\000\000\000garbage!\000\000\000\000\000\000\000\000'; } > broken.zstf
$ cairn check broken.zstf
| broken.zstf: error: chunk 0: the zstd frame is damaged: Unknown frame descriptor [stf.record.complete]
| broken.zstf: 1 error, 0 warnings, 0 notes
= 1
$ cairn check --json broken.zstf
| {"file":"broken.zstf","rule":"stf.record.complete","clause":"1.3 STF File Anatomy","severity":"error","cpu":null,"chunk":null,"record":null,"offset":null,"line":null,"instruction":null,"transaction":null,"message":"chunk 0: the zstd frame is damaged: Unknown frame descriptor"}
| {"errors":1,"warnings":0,"notes":0,"by_rule":{"stf.record.complete":1}}
= 1

# A missing file is not: it could not be judged.
$ cairn check cut.stf nowhere.stf
| cut.stf: note: there is no COMMENT; many traces have none [stf.header.comment]
| cut.stf: note: there is no PROCESS_ID_EXT; nearly all traces have none [stf.header.process-id]
| cut.stf: byte 0x2d, record 9, instruction 1: note: no MODE_CHANGE tells the mode of the first instruction; many traces have none [stf.mode.start]
| cut.stf: byte 0x32, record 10, instruction 2: error: the input ends inside INST_32: 3 bytes of it are there [stf.record.complete]
| cut.stf: 1 error, 0 warnings, 3 notes
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn check
! cairn: no trace was named; usage: cairn check [options] TRACE… | --rules
= 2
$ cairn check -o cut.stf cut.stf
! cairn: cut.stf: the output is the trace itself; it would be destroyed
= 2

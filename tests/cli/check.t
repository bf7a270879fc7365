# The sample is clean but for what the machine cannot know.
$ cairn check $EXAMPLES/sort.zstf
| $EXAMPLES/sort.zstf: note: there is no PROCESS_ID_EXT; nearly all traces have none [stf.header.process-id]
| $EXAMPLES/sort.zstf: 0 errors, 0 warnings, 1 note

$ cairn check -q $EXAMPLES/sort.zstf

# Findings name their place, how bad they are, and the rule; -v names the clause.
$ printf '\001STF\002\001\000\000\000\006\000\000\000\004\001\000\005\002\000\006\006\000\000\001\000\000' > head
$ printf '\007\040\000\010\000\000\000\000\000\011\000\000\000\200\000\000\000\000\023' >> head
$ { cat head; printf '\360\157\000\200\000\360\023\000\000\000'; } > bad.stf
$ cairn check bad.stf
| bad.stf: note: there is no COMMENT; many traces have none [stf.header.comment]
| bad.stf: note: there is no PROCESS_ID_EXT; nearly all traces have none [stf.header.process-id]
| bad.stf: byte 0x2d, record 9, instruction 1: error: the jump has no INST_PC_TARGET [stf.pc-target.missing]
| bad.stf: byte 0x2d, record 9, instruction 1: note: no MODE_CHANGE tells the mode of the first instruction; many traces have none [stf.mode.start]
| bad.stf: 1 error, 0 warnings, 3 notes
= 1

$ cairn check -v -q bad.stf
| bad.stf: byte 0x2d, record 9, instruction 1: error: the jump has no INST_PC_TARGET [stf.pc-target.missing: 1.3 InstPCTargetRecord]
= 1

$ cairn check --json bad.stf
| {"file":"bad.stf","rule":"stf.header.comment","clause":"1.3 CommentRecord","severity":"note","cpu":null,"chunk":null,"record":null,"offset":null,"line":null,"instruction":null,"transaction":null,"message":"there is no COMMENT; many traces have none"}
| {"file":"bad.stf","rule":"stf.header.process-id","clause":"1.3 ProcessIDExtRecord","severity":"note","cpu":null,"chunk":null,"record":null,"offset":null,"line":null,"instruction":null,"transaction":null,"message":"there is no PROCESS_ID_EXT; nearly all traces have none"}
| {"file":"bad.stf","rule":"stf.pc-target.missing","clause":"1.3 InstPCTargetRecord","severity":"error","cpu":null,"chunk":null,"record":9,"offset":45,"line":null,"instruction":1,"transaction":null,"message":"the jump has no INST_PC_TARGET"}
| {"file":"bad.stf","rule":"stf.mode.start","clause":"1.3 EventRecord","severity":"note","cpu":null,"chunk":null,"record":9,"offset":45,"line":null,"instruction":1,"transaction":null,"message":"no MODE_CHANGE tells the mode of the first instruction; many traces have none"}
| {"errors":1,"warnings":0,"notes":3,"by_rule":{"stf.header.comment":1,"stf.header.process-id":1,"stf.pc-target.missing":1,"stf.mode.start":1}}
= 1

# A pipe, and several traces: the sums of JSON are of all of them.
needs: json tail cat
$ cat bad.stf | cairn check -q -
| -: byte 0x2d, record 9, instruction 1: error: the jump has no INST_PC_TARGET [stf.pc-target.missing]
= 1
$ cairn check --json bad.stf bad.stf | tail -n 1 | json errors by_rule
| 2 {"stf.header.comment":2,"stf.header.process-id":2,"stf.pc-target.missing":2,"stf.mode.start":2}

# What is no STF at first sight can be stated to be.
$ tail -c +5 bad.stf > headless.stf
$ cairn check headless.stf
! cairn: headless.stf: not a trace of a known format (STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture); it begins with 02 01 00 00 00 06 00 00
= 2
$ cairn check -q --from stf headless.stf
| headless.stf: byte 0x0, record 1: error: the first record is not the identifier "STF" [stf.header.identifier-first]
| headless.stf: byte 0x29, record 8, instruction 1: error: the jump has no INST_PC_TARGET [stf.pc-target.missing]
= 1

# A version nobody knows is a finding, not the end.
$ { printf '\001STF\002\001\000\000\000\011\000\000\000'; tail -c +14 bad.stf; } > future.stf
$ cairn check -q future.stf
| future.stf: byte 0x4, record 2: error: version 1.9 is not one of 1.2 to 1.6 [stf.header.version-known]
| future.stf: byte 0x2d, record 9, instruction 1: error: the jump has no INST_PC_TARGET [stf.pc-target.missing]
= 1

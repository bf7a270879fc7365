# RST is judged by its specification, for each CPU by itself.
needs: json grep head tail sort uniq
$ cairn check $EXAMPLES/traps.rst
| $EXAMPLES/traps.rst: byte 0x288, record 28, instruction 8: note: no REGVAL of %g7 and %sp before its PREG (1 time in the trace) [rst.exit.regval-before]
| $EXAMPLES/traps.rst: byte 0x288, record 28, instruction 8: note: no REGVAL of TL, TT, TPC and TNPC behind it (1 time in the trace) [rst.exit.regval-after]
| $EXAMPLES/traps.rst: 0 errors, 0 warnings, 2 notes
$ cairn check -q $EXAMPLES/traps.rst
$ cairn check --rules --json | grep -c '"format":"RST"'
| 118
$ cairn check --rules | grep 'rst.exit.preg '
| rst.exit.preg                      error    4(f)                                 a PREG of the CPU precedes done and retry
# A trace in several files is one: all rules go on, and findings name the file.
$ head -c 600 $EXAMPLES/traps.rst > a.rst; tail -c +601 $EXAMPLES/traps.rst > b.rst
$ cairn check a.rst b.rst
| b.rst: byte 0x30, record 3, instruction 1: note: no REGVAL of %g7 and %sp before its PREG (1 time in the trace) [rst.exit.regval-before]
| b.rst: byte 0x30, record 3, instruction 1: note: no REGVAL of TL, TT, TPC and TNPC behind it (1 time in the trace) [rst.exit.regval-after]
| a.rst and 1 more: 0 errors, 0 warnings, 2 notes
$ head -c 432 $EXAMPLES/traps.rst > c.rst; tail -c +457 $EXAMPLES/traps.rst > d.rst
$ cairn check -v -q c.rst d.rst
| d.rst: byte 0x0, record 1, instruction 1: error: the CPU goes on at 0x10020; the file before ends where 0x10008 follows [rst.parts.dropped: 6]
= 1
$ cairn check --json c.rst d.rst | grep parts.dropped | json file record offset instruction cpu rule
| d.rst 1 0 1 0 rst.parts.dropped
| - - - - - -
# A file without beginning, alone.
$ cairn check -q b.rst
| b.rst: byte 0x0, record 1, instruction 1: error: the first record is TLB, not RSTHEADER; a part of a trace is judged behind the parts before it [rst.header.first]
= 1
# Two traces, and what is none.
$ cairn check -q $EXAMPLES/traps.rst $EXAMPLES/traps.rst
$ printf 'this is a text, not a trace' > text
$ cairn check a.rst text b.rst
| a.rst: 0 errors, 0 warnings, 0 notes
| b.rst: byte 0x0, record 1, instruction 1: error: the first record is TLB, not RSTHEADER; a part of a trace is judged behind the parts before it [rst.header.first]
| b.rst: byte 0x30, record 3, instruction 1: note: no REGVAL of TL, TT, TPC and TNPC behind it (1 time in the trace) [rst.exit.regval-after]
| b.rst: 1 error, 0 warnings, 1 note
! cairn: text: not a trace of a known format (STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture); it begins with 74 68 69 73 20 69 73 20
= 2
$ cairn check a.rst nowhere.rst b.rst
| a.rst: 0 errors, 0 warnings, 0 notes
| b.rst: byte 0x0, record 1, instruction 1: error: the first record is TLB, not RSTHEADER; a part of a trace is judged behind the parts before it [rst.header.first]
| b.rst: byte 0x30, record 3, instruction 1: note: no REGVAL of TL, TT, TPC and TNPC behind it (1 time in the trace) [rst.exit.regval-after]
| b.rst: 1 error, 0 warnings, 1 note
! cairn: nowhere.rst: No such file or directory
= 2
# What breaks off, and an unknown record.
$ head -c 700 $EXAMPLES/traps.rst | cairn check -q -
| -: byte 0x2b8, record 30, instruction 9: error: the input ends inside a record: 4 of its 24 bytes are there [rst.record.complete]
= 1
$ (head -c 696 $EXAMPLES/traps.rst; printf 'd%023d' 0; tail -c +697 $EXAMPLES/traps.rst) | cairn check -q -
| -: byte 0x2b8, record 30, instruction 9: error: no record has type 100 [rst.record.known]
= 1
# The result does not depend on threads, or on the codec.
$ for j in 1 2 3; do cairn check -j $j --json $EXAMPLES/traps.rst; done | sort | uniq -c | grep -vc ' 3 '
| 0
= 1

# Of each rule the first 100 findings are shown, all are counted.
needs: json grep tail seq cksum uniq
$ printf '\001STF\002\001\000\000\000\006\000\000\000\004\001\000\005\002\000\006\006\000\000\001\000\000' > t.stf
$ printf '\007\040\000\010\000\000\000\000\000\011\000\000\000\200\000\000\000\000\023' >> t.stf
$ for i in $(seq 250); do printf '\360\157\000\200\000'; done >> t.stf
$ cairn check t.stf | grep -c 'no INST_PC_TARGET'
| 100
$ cairn check t.stf | tail -n 2
| t.stf: … and 150 more of stf.pc-target.missing
| t.stf: 250 errors, 0 warnings, 3 notes
$ cairn check --all-findings t.stf | grep -c 'no INST_PC_TARGET'
| 250
$ cairn check --json t.stf | tail -n 1 | json errors
| 250
$ for j in 1 2 3; do cairn check -j $j --json t.stf | cksum; done | uniq | grep -c .
| 1

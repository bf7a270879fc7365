# What says how ETE is read means nothing of another format: every verb that takes it says so, and does nothing.
$ cp $EXAMPLES/sort.zstf t.zstf; for v in 'view -o out' records info count check 'find -o out --writes sp' 'index' 'convert -o x.stf' 'slice -o x.stf -R 1..2' 'merge -o x.stf t.zstf' 'split --by cpu -o x-%s.stf' mix branches memory blocks calls deps overview 'report -o x.html' 'simpoints --every 1000'; do echo "$v: $(cairn $v --ete 0x10:trcidr0=1 t.zstf 2>&1), $?"; done; ls
| view -o out: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| records: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| info: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| count: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| check: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| find -o out --writes sp: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| index: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| convert -o x.stf: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| slice -o x.stf -R 1..2: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| merge -o x.stf t.zstf: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| split --by cpu -o x-%s.stf: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| mix: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| branches: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| memory: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| blocks: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| calls: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| deps: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| overview: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| report -o x.html: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| simpoints --every 1000: cairn: --ete says how ETE is read, and t.zstf is STF, 2
| t.zstf
$ cairn view --transactions keep t.zstf 1; cairn records --elements t.zstf r1..2; cairn view --state --ete core=Cortex-A53 t.zstf 5
! cairn: --transactions says how ETE is read, and t.zstf is STF
! cairn: --elements says how ETE is read, and t.zstf is STF
! cairn: --ete says how ETE is read, and t.zstf is STF
= 2
$ cairn view --ete core=Cortex-A53 - < t.zstf
! cairn: --ete says how ETE is read, and - is STF
= 2
$ cairn view --from stf --ete core=Cortex-A53 t.zstf 1
! cairn: --ete is for ETE traces, but --from says stf
= 2
# Of one of several traces that a verb takes it is enough to be ETE; a format that is named is the format.
$ xz -dc $EXAMPLES/sort-a64.vixl.xz > v.vixl; cairn convert -q v.vixl -o raw.ete 2> told; ETE=$(grep -o 'trcconfigr=[^)]*' told); cairn count --ete $ETE --image $EXAMPLES/sort-a64.elf raw.ete | head -1
| instructions                          2191
$ ETE=$(grep -o 'trcconfigr=[^)]*' told); cairn count --from ete --ete $ETE --image $EXAMPLES/sort-a64.elf raw.ete | head -1; cairn index -q --ete $ETE --image $EXAMPLES/sort-a64.elf raw.ete; cairn view -vD --ete $ETE --image $EXAMPLES/sort-a64.elf raw.ete 2000..2000 2>&1 | grep -v 'done in'
| instructions                          2191
| CONTEXT cpu=0 priv=el1 security=non-secure
|      2000  00000000004002c8  mean+0x1c                 1e612800

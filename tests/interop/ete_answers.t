# What ETE streams mean, and keep meaning when they are written anew.
needs: data/repro/ete/corrected-target data/ete/snapshots data/ete/snapshots-silicon awk cmp grep json python3 sed
$ printf '%s\n' 'R=$DATA/repro/ete; ALL="$DATA/ete/snapshots/* $DATA/ete/snapshots-silicon/*"' \
>   'clean() { cairn check $1 > found && tail -1 found | grep -q ": 0 errors, 0 warnings," || cat found; }' > with

# Of two Target Addresses in a row the second one counts: the return went there, and nothing is
# forced; so it is in what is made of the trace, too.
$ . ./with; cairn view --no-disasm $R/corrected-target
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000400018  d503201f
|         2  000000000040001c  d65f03c0  PC 0000000000400000
|         3  0000000000400000  d503201f
|         4  0000000000400004  d503201f
|         5  0000000000400008  54000040  PC 0000000000400010
$ . ./with; cairn convert --lossless -q $R/corrected-target -o c.snapshot
$ . ./with; cairn convert -q $R/corrected-target -o c.stf
! cairn: $DATA/repro/ete/corrected-target: lost: security states (at number 1)
! cairn: $DATA/repro/ete/corrected-target: lost: places where tracing began (at number 1)
$ . ./with; clean c.snapshot; clean c.stf; cairn view --json $R/corrected-target | json pc target > a
$ for f in c.snapshot c.stf; do cairn view --json $f | json pc target | cmp a -; done

# A failed transaction stays one: what ran in it is left out, or kept and marked.
$ . ./with; cairn convert --lossless -q $R/failed-transaction -o t.snapshot; clean t.snapshot
$ . ./with; for f in $R/failed-transaction t.snapshot; do for how in discard keep; do
>   cairn count --transactions=$how $f | grep -E '^(instructions|executed)'; done
>   cairn view --no-disasm --transactions=keep $f | grep -c discarded; done
| instructions                             4
| executed                                 4
| instructions                            10
| executed                                 4
| 6
| instructions                             4
| executed                                 4
| instructions                            10
| executed                                 4
| 6

# So do parts of one: what ran in it is thrown away in a slice, too, that has not its end, or not its beginning. Slices that begin and end around transactions, several regions in one, have the rows of the regions, and are clean.
$ cat > regions.py <<'END'
> import random
> random.seed(7)
> # places near the beginnings and ends of committed and failed transactions
> near = [933, 936, 2568, 52262, 52263, 52264, 53968, 55673, 57378, 83000]
> for _ in range(40):
>     at = sorted(set(random.choice(near) + random.randint(-3, 3) for _ in range(random.choice((2, 4, 6, 8)))))
>     print(*("%d..%d" % (first, min(last, first + 50)) for first, last in zip(at[::2], at[1::2])))
> END
$ . ./with; T=$DATA/ete/snapshots/tme_test; rows() { cairn view -q --no-disasm --transactions=keep "$@" | awk '$1 ~ /^[0-9]+$/ { print $2, $3, /discarded/ }'; }
> { python3 regions.py; echo 52262..52263; echo 52263..52263; echo 52000..52263; } | while read -r parts; do
> 	rm -rf part.snapshot; cairn slice -q --transactions=keep $T $parts -o part.snapshot; clean part.snapshot
> 	rows $T $parts > want; rows part.snapshot | cmp -s - want || echo $parts; cat want; done | sed 's/.* //' | sort | uniq -c
|    3222 0
|      27 1
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 936)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 936)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 2571)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 936)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 936)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 2571)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 2571)
! cairn: $DATA/ete/snapshots/tme_test: lost: ends of transactions that began before the part (at number 936)

# Where a return led that is the last of a failed transaction stays. And what is made of what was made says the same, or what is lost.
$ . ./with; rows() { cairn view -q -a --no-disasm --transactions=keep $1; }; rows $R/failed-transaction > want; rows t.snapshot | cmp - want
$ . ./with; rows() { cairn view -q -a --no-disasm --transactions=keep $1 2> /dev/null; }; for t in $ALL $R/*; do
> 	rm -rf 1.snapshot 2.snapshot; cairn convert -q $t -o 1.snapshot 2> /dev/null && cairn convert 1.snapshot -o 2.snapshot 2> told && rows 1.snapshot > want || continue
> 	grep -q lost told || rows 2.snapshot | cmp - want || echo $t; done

# A Transaction Start is no P0 element only where the trace unit speculates.
$ . ./with; rm -rf 1.snapshot; cairn convert -q $R/failed-transaction --to ete:commtrans=1 -o 1.snapshot; clean 1.snapshot; cairn view --transactions=keep 1.snapshot > a; cairn view --transactions=keep $R/failed-transaction | cmp - a

# By way of STF, system calls stay where they were, also those whose instruction is not in the trace, and returns from exceptions go where they went, also where nothing followed.
$ . ./with; ERET='(d69f03e0|d69f0bff|d69f0fff)'; events() { cairn view -q -a --no-disasm $1 2> /dev/null | grep -E "EVT CALL|  $ERET " | sed -E 's/^ +[0-9]+ //'; }; for t in $ALL; do rm -rf 1.stf 1.snapshot
> 	cairn convert -q $t -o 1.stf 2> /dev/null && cairn convert -q 1.stf -o 1.snapshot 2> /dev/null && events $t > want || continue
> 	events 1.snapshot | cmp - want || echo $t; cat want; done | grep -oE "CALL|$ERET" | sort | uniq -c
|     267 CALL
|     173 d69f03e0

# Two exceptions without an instruction between: nothing more ran in what is made of them.
$ . ./with; cairn convert --lossless -q $R/two-exceptions -o x.snapshot
$ . ./with; cairn convert -q $R/two-exceptions -o x.stf
! cairn: $DATA/repro/ete/two-exceptions: lost: security states (at number 1)
! cairn: $DATA/repro/ete/two-exceptions: lost: places where tracing began (at number 1)
$ . ./with; clean x.snapshot; clean x.stf
$ . ./with; for f in $R/two-exceptions x.snapshot x.stf; do cairn count $f | head -n 2; cairn view --events $f | grep -E ' (IRQ|FIQ) '; done
| instructions                             6
| executed                                 6
|            EVT IRQ 0x400010
|            EVT FIQ 0x400000
| instructions                             6
| executed                                 6
|            EVT IRQ 0x400010
|            EVT FIQ 0x400000
| instructions                             6
| executed                                 6
|            EVT IRQ 0x400010
|            EVT FIQ 0x400000

# All captures at hand, to STF: labelled as of Arm, and without an error but for jumps behind which
# something is missing, which is announced. But for `infrastructure`, whose image of the kernel holds
# zeros where other code ran.
$ . ./with; for s in $ALL; do f=${s##*/}.stf; cairn convert $s -o $f 2> err
>   cairn info $f | grep -q '^isa  *ARM$' || echo "$f is not labelled ARM"
>   [ $f = infrastructure.stf ] || cairn check $f > found || { grep -q 'stf.pc-target.missing' err && ! grep error: found | grep -qv 'stf.pc-target.missing'; } || cat found; done

# Written anew as ETE they mean the same: all that views tell of instructions and what stands
# between them, and all elements but those that tell the way, which can be told differently, and
# contexts and Trace Infos that only repeat. What is not the same is in the ledger, and refused
# with --lossless. Not known any more is only the program where none of it ran: tme_tcancel's
# addresses then are where branches went. event_test has no Trace Info, which an ETE stream needs.
$ printf '%s\n' 'view() { cairn view --json -a --no-disasm --transactions=keep $1 2> err |' \
>   '  sed -E "s/(\"CONTEXT\",\"phase\":\"[a-z]*\",\"code\":)\"0x[0-9a-f]*\"/\1/g"; }' \
>   'way="NO_SYNC|ADDRESS|ATOMS|SOURCE|Q|END"' \
>   'elements() { cairn records --from ete:records=elements $1 2> err |' \
>   '  sed -E "s/^ *[0-9]+ +0x[0-9a-f]+ +//; /^($way) /d; s/ (also_target|commit|depth|isa)=[^ ]*//g" |' \
>   '  awk "/^(CONTEXT|TRACE_INFO) / && last[\$1] == \$0 { next } { last[\$1] = \$0; print }"; }' > how
$ . ./with; . ./how; for s in $ALL; do n=${s##*/}
>   cairn convert $s -o $n.snapshot > ledger 2>&1; lost=$(grep -c ': lost: ' ledger)
>   if cairn convert -q --lossless $s -o l.snapshot > err 2>&1; then refused=; else refused=yes; fi; rm -rf l.snapshot
>   if [ $lost != 0 ]; then echo "$n: $lost lost, refused: $refused"; continue; fi
>   view $s > a; view $n.snapshot > b; cmp -s a b || echo "$n: instructions"
>   elements $s > a; elements $n.snapshot > b; cmp -s a b || echo "$n: elements"; test -s a || echo "$n: nothing"; done
| ete_ip: 2 lost, refused: yes
| ete_spec_1: 1 lost, refused: yes
| ete_spec_3: 1 lost, refused: yes
| event_test: elements
| infrastructure: 4 lost, refused: yes
| q_elem: 3 lost, refused: yes
| tme_tcancel: 1 lost, refused: yes

# Options mean the same everywhere; a slip is named.
needs: cmp head cut
$ cairn
! cairn: usage: cairn VERB [options] TRACE [REGION…]; see cairn --help
= 2
$ cairn view
! cairn: no trace was named; usage: cairn view [options] TRACE [REGION…]
= 2
$ cairn vew x.stf
! cairn: there is no verb 'vew'; did you mean view?
= 2
$ cairn rec x.stf
! cairn: there is no verb 'rec'; did you mean records?
= 2
$ cairn $EXAMPLES/sort.zstf
!~ cairn: a verb comes first: cairn view .*/sort.zstf, cairn info .*/sort.zstf; see cairn --help
= 2
$ cairn help | cmp - <(cairn --help) && cairn help count | cmp - <(cairn count --help); cairn version | head -n 1 | cut -d ' ' -f 1
| cairn
$ cairn help vew
! cairn: there is no verb 'vew'; did you mean view?
= 2
$ cairn --frob
! cairn: a verb comes first, not --frob; see cairn --help
= 2
$ cairn view --frob x.stf
! cairn: there is no option --frob; did you mean --from?
= 2
$ cairn view --regz x.stf
! cairn: there is no option --regz; did you mean --regs?
= 2
$ cairn view --re x.stf
! cairn: --re may be --region or --regs
= 2
$ cairn view -x x.stf
! cairn: there is no option -x; see cairn view --help
= 2
$ cairn count -r x.stf
! cairn: count does not take -r (--regs); see cairn count --help
= 2
$ cairn count --regs x.stf
! cairn: count does not take --regs; see cairn count --help
= 2
$ cairn view --json=3 x.stf
! cairn: --json takes no value
= 2
$ cairn view x.stf -o
! cairn: --output needs a value: FILE
= 2
$ cairn view --threads=0 x.stf
! cairn: --threads is a number from 1 to 4096, not '0'
= 2
$ cairn view -j x x.stf
! cairn: --threads is a number from 1 to 4096, not 'x'
= 2
$ cairn view --color=blue x.stf
! cairn: --color is auto, always or never, not 'blue'
= 2
$ cairn view --from=nothing /dev/null
! cairn: no format is called 'nothing'; known: STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture
= 2
# Help wins, wherever it stands.
$ cairn view x.stf --threads 2 --help | head -n 1
| cairn view: one line per instruction or transaction
$ cairn count -h | head -n 1
| cairn count: instructions, records by type, loads, branches, events
# Names may be shortened as long as only one begins so; -- ends the options.
$ cairn info --js -- -x.stf
! cairn: -x.stf: No such file or directory
= 2
# Not any name: a whole name is that option, taken or not.
$ cairn mix --to 3 x.stf
! cairn: mix does not take --to; see cairn mix --help
= 2
$ cairn mix --tabl classes --top=3 nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn memory --line 64 nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2

# Basic block vectors of real traces, against the public tool's (stf_bbv -w 10000). Its
# blocks end with a taken branch or an event, and what runs behind the last of these is in
# no vector of its; all else is. (The two longest traces are left to other tests.)
needs: data json
$ for f in $DATA/stf/expected/*.bbv-w10000.txt; do
>   t=$(basename $f .bbv-w10000.txt)
>   case $t in core_riscv* | dhrystone_opt3* | stf_load_store-d236c50*) continue ;; esac
>   theirs=$(grep T $f | tr ' T' '\n\n' | awk -F: '{n += $3} END {print n + 0}')
>   ours=$(cairn blocks --ends taken --json $DATA/stf/$t | json summary.instructions)
>   last=$(cairn view -q --json --no-disasm -w 'taken || event' $DATA/stf/$t 2> /dev/null | tail -n 1 | json n) 2> /dev/null
>   [ "$ours" -ge "$theirs" ] && [ "$theirs" = "${last:-0}" ] || echo $t $theirs $ours $last
>   n=$((n + 1))
> done; echo $n traces compared
| 26 traces compared

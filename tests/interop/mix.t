# The mix of every real trace, against the public tool's (stf_imix -s -m): the same
# instructions, the same counts. Differences are of names only: that tool calls an addi
# without a source li, or nop when it does nothing at all. One trace is of a program that
# ran away: the tool leaves its illegal instructions out, and an addiw among them.
needs: data zstd
$ for f in $DATA/stf/expected/*.imix-s-m.txt; do
>   t=$(basename $f .imix-s-m.txt)
>   [ -s $f ] || continue
>   cairn mix -q --csv --by mnemonic $DATA/stf/$t > ours.csv
>   awk -F, 'NR > 1 {print $1, $2}' ours.csv | LC_ALL=C sort > ours
>   awk 'NR > 1 {n = $1; if (n == "li" || n == "nop") n = "addi"; c[n] += $2}
>        END {for (n in c) print n, c[n]}' $f | LC_ALL=C sort > theirs
>   diff theirs ours > d || { echo $t; cat d; }
>   n=$((n + 1))
> done; echo $n traces compared
| dhrystone-24569d1.zstf
| 0a1,2
| > <illegal> 1483
| > addiw 1
| 29 traces compared

# A series of one table is written as it comes: rows are there before the trace is.
$ f=$DATA/stf/core_riscv-98d94d8.zstf; n=$(($(stat -L -c %s $f) * 3 / 4)); { head -c $n $f; for i in $(seq 600); do [ -s out.csv ] && break; sleep 0.1; done; [ -s out.csv ] && echo early > when; tail -c +$((n + 1)) $f; } | cairn mix --by class --csv --every 100 - > out.csv; cat when; cairn mix --by class --csv --every 100 $f | cmp - out.csv
| early
$ (grep -q -e __asan_init -e __tsan_init "$(command -v cairn)" || ulimit -v 400000; cairn memory --table summary --reuse none --csv --every 10 -o s.csv $DATA/stf/core_riscv-98d94d8.zstf); wc -l < s.csv
| 354682

# A process that only its context ID tells.
$ cairn mix -q --by process --csv $DATA/ete/snapshots/trace_file_cid_vmid
| process,count,percent
| ctxid 17152,29127,100

# A series of intervals of one instruction needs memory for its rows, not for what each interval could have held (it was 2 GB), on any number of threads.
needs: grep cmp
$ printf '%s\n' 'grep -q -e __asan_init -e __tsan_init "$(command -v cairn)" || ulimit -v 600000' > limit
$ for v in memory deps; do (. ./limit; for j in 1 2; do cairn $v --every 1 --csv --table summary -j $j $EXAMPLES/sort.zstf ..10000 > $j.csv; done; cmp 1.csv 2.csv; wc -l < 1.csv); done
| 10001
| 10001

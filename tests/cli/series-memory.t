# A series of intervals of one instruction needs memory for its rows, not for what each interval could have held (it was 2 GB), on any number of threads.
needs: grep cmp json
$ printf '%s\n' 'grep -q -e __asan_init -e __tsan_init "$(command -v cairn)" || ulimit -v $1' > limit
$ for v in memory deps; do (. ./limit 600000; for j in 1 2; do cairn $v --every 1 --csv --table summary -j $j $EXAMPLES/sort.zstf ..10000 > $j.csv; done; cmp 1.csv 2.csv; wc -l < 1.csv); done
| 10001
| 10001

# All tables in every form: rows that cannot be written yet are kept outside memory (it was 240 MB).
$ s=$EXAMPLES/sort.zstf; cairn merge -q $s $s $s $s -o long.zstf; for v in mix deps; do for f in "--top 20" --csv --json; do (. ./limit 100000; cairn $v --every 1 $f -j 1 long.zstf > 1.out) && cairn $v --every 1 $f -j 2 long.zstf | cmp 1.out - && wc -l < 1.out; done; done
| 617879
| 617879
| 4325115
| 1390215
| 1390221
| 9885962
$ (. ./limit 400000; cairn memory --every 1 --json -j 2 long.zstf > 1.out) && json summary.154467.last < 1.out; ls
| 154468
| 1.csv
| 1.out
| 2.csv
| limit
| long.zstf

# A temporary file that cannot grow: a sentence, and no output.
$ (ulimit -f 1000; cairn mix --every 1 -o no.txt long.zstf 2>&1; echo $?); ls
| cairn: no.txt: a temporary file: File too large
| 2
| 1.csv
| 1.out
| 2.csv
| limit
| long.zstf

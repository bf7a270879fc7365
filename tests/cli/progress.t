# Long work shows a bar on a terminal, with rate and remaining time, in as much room as there
# is; what is drawn is wiped when the work is done.
needs: script stty tr awk
$ cp $EXAMPLES/sort.zstf s.zstf; cairn merge -q -o big.zstf s.zstf s.zstf s.zstf s.zstf s.zstf s.zstf s.zstf s.zstf; cairn merge -q -o huge.zstf big.zstf big.zstf big.zstf big.zstf
$ for w in 100 50 20; do script -qec "stty cols $w; cairn calls -j1 --every 50 -o out huge.zstf" /dev/null < /dev/null > seen; tr '\r' '\n' < seen | awk -v w=$w '{ gsub(/\033\[K/, "") } /^cairn:/ { next } length($0) > most { most = length($0) } /^\[=*> *\] +[0-9]+ %  [0-9.]+ MB\/s  [0-9]+:[0-9][0-9] left$/ { bars++ } /^ *[0-9]+ %$/ { bare++ } END { print w " columns: " (most < w ? "fits" : most) (bars ? ", bars" : "") (bare ? ", bare" : "") }'; tail -c 200 seen | grep -c "$(printf '\r\033\\[K')"; done
| 100 columns: fits, bars
| 1
| 50 columns: fits, bars
| 1
| 20 columns: fits, bare
| 1
$ script -qec "cairn mix --no-progress --table size huge.zstf > out" /dev/null < /dev/null | wc -c
| 0

# From a pipe, whose end is not known: how much, and how fast.
$ script -qec "cat huge.zstf | cairn calls -j1 --every 50 -o out -" /dev/null < /dev/null > seen; tr '\r' '\n' < seen | awk '{ gsub(/\033\[K/, "") } /^[0-9.]+ MB read, [0-9.]+ MB\/s$/ { n++ } END { print n ? "told" : "not told" }'; tail -c 200 seen | grep -c "$(printf '\r\033\\[K')"
| told
| 1

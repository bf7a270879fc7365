# Other packings, of several pieces and of one.
needs: xz bzip2 lz4 zstd gzip split
$ cairn merge -q -o big.stf $(for i in $(seq 25); do echo $EXAMPLES/sort.zstf; done) > /dev/null; split -b 1M big.stf part.
$ for n in 2 400000 900000; do cairn view -a -D -R $n+3 big.stf; done > want; test -s want
$ try() { cairn index "$1" | sed 's/^[^;]*; //'; for n in 2 400000 900000; do cairn view -a -D -R $n+3 "$1"; done | cmp - want; }; declare -f try > try.sh
$ . ./try.sh; xz -0 -kc big.stf > a.stf.xz; try a.stf.xz
| summaries only: xz can only be decoded from the beginning of a piece, and one has 19 MiB; cairn convert a.stf.xz -o NAME.zstf makes a file that can be jumped in; all of memory is known at 9 places
$ . ./try.sh; xz -0 --block-size=1MiB -kc big.stf > b.stf.xz; try b.stf.xz
| jumps decode at most 2 MiB; all of memory is known at 9 places
$ . ./try.sh; for p in part.*; do xz -0 -c $p; done > c.stf.xz; try c.stf.xz
| jumps decode at most 2 MiB; all of memory is known at 9 places
$ . ./try.sh; for p in part.*; do zstd -qc $p; done > d.stf.zst; try d.stf.zst
| jumps decode at most 2 MiB; all of memory is known at 9 places
$ . ./try.sh; for p in part.*; do bzip2 -1c $p; done > e.stf.bz2; try e.stf.bz2
| jumps decode at most 2 MiB; all of memory is known at 9 places
$ . ./try.sh; bzip2 -1kc big.stf > f.stf.bz2; try f.stf.bz2
| summaries only: bzip2 can only be decoded from the beginning of a piece, and one has 19 MiB; cairn convert f.stf.bz2 -o NAME.zstf makes a file that can be jumped in; all of memory is known at 9 places
$ . ./try.sh; for p in part.*; do lz4 -qc $p; done > g.stf.lz4; try g.stf.lz4
| jumps decode at most 2 MiB; all of memory is known at 9 places
$ . ./try.sh; gzip -1c big.stf | gzip -1c > h.stf.gz; try h.stf.gz
| summaries only: gzip+gzip can only be decoded from the beginning of a piece, and one has 19 MiB; cairn convert h.stf.gz -o NAME.zstf makes a file that can be jumped in; all of memory is known at 9 places
# Other formats.
$ copies() { for i in $(seq $2); do echo $1; done; }; declare -f copies > copies.sh; cairn merge -q -o v1.vixl $(copies $EXAMPLES/sum.vixl 100) && cairn merge -q -o v.vixl $(copies v1.vixl 100) && cairn count v.vixl | head -1
| instructions                        190000
$ . ./copies.sh; cairn merge -q -o r1.rst $(copies $EXAMPLES/traps.rst 150) && cairn merge -q -o r.rst $(copies r1.rst 120) && cairn count r.rst | head -1
| instructions                        180000
$ for f in v.vixl r.rst; do for c in gzip zstd-seekable; do gzip -kc $f > $c.$f; test $c = gzip || cairn convert -q --codec $c $f -o $c.$f; cairn index $c.$f | sed 's/^[^;]*; //'; for n in 2 70000 140000; do cairn view -a -R $n+3 $f > x; cairn view -a -R $n+3 $c.$f | cmp - x; done; for w in x1 g1; do cairn find --writes $w --before 130000 $f > x; cairn find --writes $w --before 130000 $c.$f | cmp - x; done; done; done
| jumps decode at most 7 MiB; all of memory is known at 2 places
| jumps decode at most 2 MiB; all of memory is known at 2 places
| jumps decode at most 4 MiB; all of memory is known at 1 place
| jumps decode at most 2 MiB; all of memory is known at 1 place

# No signal leaves anything behind: every verb that writes, at places in time all over its run.
needs: timeout cmp
$ cairn merge $(yes $EXAMPLES/sort.zstf | head -n 40) -q -o big.zstf --to zstf:chunk=20000 && cairn convert big.zstf -q -o big.stf && cairn convert $EXAMPLES/sort.zstf -q -o small.stf && mkdir out
# A run is ended by the signal, as whoever waits for it must see; what it made is whole or not there.
$ cat > kill.sh <<'END'
> # kill.sh: each line of standard input is a run. All kinds of signal, from 1 ms on.
> n=0
> while read -r run; do
> 	for signal in INT TERM HUP QUIT USR1 ALRM; do
> 		n=$((n + 1))
> 		(cd out && rm -rf ./* && ulimit -c 0 && exec timeout --signal=$signal 0.0$((n * 7 % 90 + 10)) bash -c "exec cairn $run") > log 2>&1
> 		for left in out/*; do
> 			case $left in
> 			*.tmp) echo "$run, $signal: leaves $left" ;;
> 			*.zstf | *.stf | *.snapshot) cairn info -q "$left" > /dev/null || echo "$run, $signal: $left is not whole" ;;
> 			esac
> 		done
> 	done
> done
> END
$ bash kill.sh <<'END'
> convert ../big.stf -o a.zstf
> convert ../big.zstf -o a.stf.xz
> convert ../big.zstf -o a.rst --to stf
> slice ../big.zstf -o a.zstf 1000..1500000
> merge ../big.zstf ../big.stf -o a.zstf
> edit ../big.zstf --comment x -o a.zstf
> split ../big.stf --every 100000 -o 'part-%s.zstf'
> index ../big.stf -o a.index
> view ../big.zstf -o a.txt
> records ../big.zstf -o a.txt
> find ../big.zstf 'class==load' -a -o a.txt
> check ../big.zstf -o a.txt
> diff ../big.zstf ../big.stf -o a.txt
> memory ../big.zstf -o a.txt
> report ../big.zstf -o a.html
> calls ../big.zstf --to svg -o a.svg
> END
# In the middle of its work for certain: the input never ends. Signals that were ignored stay so.
$ cat > stall.sh <<'END'
> set -m
> for signal in INT TERM HUP; do
> 	mkfifo pipe
> 	cairn convert - --from stf -o x.zstf < pipe & run=$!
> 	exec 3> pipe
> 	cat small.stf >&3
> 	until ls | grep -q "^x.zstf.*tmp$"; do sleep 0.01; done
> 	kill -$signal $run
> 	wait $run
> 	echo $signal $?
> 	exec 3>&-
> 	ls | grep x.zstf
> 	rm pipe
> done
> END
$ bash stall.sh 2> /dev/null
| INT 130
| TERM 143
| HUP 129
$ (trap '' HUP; exec cairn count big.stf) | head -n 1
| instructions                       1544680
# Two runs of one output at once: each time one of them, whole.
$ mkdir a b both; (cd a && cairn slice ../small.stf -q -o x.zstf 1..20000); (cd b && cairn slice ../small.stf -q -o x.zstf 20001..38617); cd both; for i in 1 2 3 4 5 6 7 8; do cairn slice ../small.stf -q -o x.zstf 1..20000 & cairn slice ../small.stf -q -o x.zstf 20001..38617; wait; cmp -s x.zstf ../a/x.zstf || cmp -s x.zstf ../b/x.zstf || echo mixed; done; ls
| x.zstf
# Parts that were finished when a later one failed, or a signal came, go with it; what was there stays.
$ mkdir p; echo old > p/part-0001.stf; (ulimit -f 200; cairn split small.stf --every 10000 -o p/part-%s.stf 2>&1 | sed 's/part-.*: /part: /'); ls p; head -c 100 p/part-0001.stf
| cairn: p/part: File too large
| part-0001.stf
| old
# The intervals of one table, too, each a slice of its own; one that is not in the trace.
$ mkdir q; echo old > q/part-1.stf; printf 'simpoint,first,last\n0,1,10\n1,11,30000\n2,5,6\n' > points; (ulimit -f 200; cairn slice small.stf --simpoints points -o q/part-%.stf 2>&1); ls q; head -c 100 q/part-1.stf; printf '3,40000,50000\n' >> points; cairn slice -q small.stf --simpoints points -o q/part-%.stf; ls q
| cairn: q/part-1.stf: File too large
| part-1.stf
| old
| part-1.stf
! cairn: small.stf: the selection is empty
# Of a damaged trace all are made.
$ head -c 300000 small.stf > cut.stf; printf 'simpoint,first,last\n0,1,10\n1,9000,30000\n2,5,6\n' > points; cairn slice -q cut.stf --simpoints points -o q/part-%.stf; echo $?; ls q
| 2
| part-0.stf
| part-1.stf
| part-2.stf
! cairn: cut.stf: lost: bytes of records whose instruction is lost (12, first at number 13795)
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
$ mkdir r; mkfifo points.pipe; cairn slice small.stf -q --simpoints points.pipe -o r/%.stf 2> /dev/null & exec 3> points.pipe; printf 'simpoint,first,last\n0,1,10\n' >&3; until ls r | grep -q tmp; do sleep 0.01; done; kill $!; wait $!; echo $?; ls r
| 143
# A file that becomes shorter while it is read is an error like others.
$ mkfifo out.pipe; cp big.stf shrinks.stf; (cairn view shrinks.stf > out.pipe; echo $?) & { head -c 1000; truncate -s 100000 shrinks.stf; cat; } < out.pipe > /dev/null; wait
| 2
! cairn: shrinks.stf: became shorter while it was read
# The rest of its last page reads as zeros, and a conversion that copies bytes hands missing pages to the system.
$ for i in 1 2; do cp big.stf shrinks.stf; (cairn convert -q shrinks.stf -o - > out.pipe 2> err; echo $?) & { head -c 1000; truncate -s 100000 shrinks.stf; cat; } < out.pipe > /dev/null; wait; grep -o 'became.*' err; done; xz -dc $EXAMPLES/sort-a64.vixl.xz > v.vixl; cairn merge -q v.vixl{,,,,,,,,,,,,,,,,,,,,} -o big.vixl; (cairn view big.vixl > out.pipe; echo $?) & { head -c 1000; truncate -s -100 big.vixl; cat; } < out.pipe > /dev/null; wait
| 2
| became shorter while it was read
| 2
| became shorter while it was read
| 2
! cairn: big.vixl: became shorter while it was read
$ for v in "convert -q" "slice -q" "edit -q --comment x" view records; do to="--to stf -o -"; case $v in slice*) to="1..1500000 $to" ;; view|records) to= ;; esac; cp big.stf shrinks.stf; (cairn $v shrinks.stf $to > out.pipe 2> err; echo $?) & { head -c 1000; truncate -s -100 shrinks.stf; cat; } < out.pipe > /dev/null; wait; grep -o 'became.*' err; done
| 2
| became shorter while it was read
| 2
| became shorter while it was read
| 2
| became shorter while it was read
| 2
| became shorter while it was read
| 2
| became shorter while it was read
$ f=$'s\302\233\342\200\256\377.stf'; cp big.stf $f; (cairn view $f > out.pipe; echo $?) & { head -c 1000; truncate -s 100000 $f; cat; } < out.pipe > /dev/null; wait
| 2
! cairn: s??????.stf: became shorter while it was read
$ cat > shrink.sh <<'END'
> n=0
> while read -r run; do
> 	for i in 1 2 3 4 5 6; do
> 		n=$((n + 1))
> 		cp big.stf shrinks.stf; cp big.zstf shrinks.zstf; rm -rf out/*
> 		cairn $run > out/text 2> log & pid=$!
> 		sleep 0.0$((n * 13 % 90 + 10)); truncate -s 70000 shrinks.stf shrinks.zstf
> 		wait $pid; code=$?
> 		[[ $code -le 2 ]] || echo "$run: ends with $code"
> 		[[ $code != 2 || -s log ]] || echo "$run: not a word"
> 		if ls out | grep tmp; then echo "$run: left it"; fi
> 	done
> done
> END
$ bash shrink.sh <<'END'
> convert shrinks.stf -o out/a.zstf
> convert shrinks.zstf -o out/a.stf
> slice shrinks.stf -o out/a.zstf 1000..1500000
> check shrinks.stf
> count shrinks.zstf
> mix shrinks.stf -o out/a.txt
> index shrinks.stf -o out/a.index
> END

# A region that ends lets the reading end: of 31 MB through a pipe, 5 MB at most are read.
needs: head yes wc
$ cairn merge $(yes $EXAMPLES/sort.zstf | head -n 40) -q -o big.zstf; cairn convert big.zstf -q -o big.stf; cairn convert $EXAMPLES/sort-v9.rst.xz -q -o v9.rst; wc -c < big.stf
|~ 3203[0-9]{4}
$ cat > try.sh <<'END'
> # The reader takes what it wants of the pipe; wc counts what is left.
> whole=$(wc -c < big.stf)
> while read -r run; do
> 	for threads in 1 2; do
> 		left=$(cat big.stf | { eval "cairn $run -j $threads" > out 2>&1; wc -c; })
> 		[ $((whole - left)) -lt 5000000 ] || echo "$run, $threads threads: $((whole - left)) bytes read"
> 		[ -s out ] || echo "$run: nothing"
> 	done
> done
> END
$ bash try.sh <<'END'
> view - 1..10
> view - r100..r200
> view - -n 10
> view - -r -n 10 100..
> view - -n 5 -w 'class==load'
> view - --json -n 10
> view - 'r100..r200' 5..9
> view - 'r100..r200,cpu0'
> view - @missing,1..4
> records - r1..r10
> records - 1..10
> records - --json r100..r200
> records - 1..3 r100..r200
> count - 1..10
> count - r100..r200
> mix - 1..10
> mix - r100..r200
> memory - 100..200
> calls - r100..r200
> branches - 100+5
> deps - 1..1000
> blocks - 1..1000
> overview - r100..r900
> find -n 3 - 'class==load'
> find - 'class==store' r100..r900
> find - 'class==load' 1..1000
> find - 'class==load && n <= 1000'
> END
# And they are the same ones.
$ cairn records big.stf r100..r200 | cmp - <(cairn records big.stf | head -n 200 | tail -n 101); cairn view big.stf -n 7 | cmp - <(cairn view big.stf 1..7); cairn view -n 3 -w 'class==load' --json big.stf | cmp - <(cairn view --json -w 'class==load' big.stf | head -n 3); cairn view big.stf -n 0 5..6 | wc -l; cairn view -D -n 2 -a v9.rst | cmp - <(cairn view -D -a v9.rst 1..2)
| 3
$ cairn view -D -n 2 big.stf 100..200 400
| CONTEXT priv=user
|       100  00000000000101b8  c31c
|       101  00000000000101ba  c29c

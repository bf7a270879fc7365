# Traces without an instruction: a header of STF (raw and packed), RST, a log of VIXL's that ends
# before the first line; and regions and expressions that select nothing. Every analysis, in
# every form, alike on 1 and 2 threads, gives zeros, tables without rows and unknowns, says so,
# and is done: 0.
needs: json
$ cairn convert -q -o s.stf $EXAMPLES/sort.zstf; head -c $(($(cairn records s.stf | grep -m1 END_HEADER | tr -s ' ' | cut -d' ' -f3) + 1)) s.stf > e.stf; cairn convert -q -o e.zstf e.stf; head -c 24 $EXAMPLES/traps.rst > e.rst; head -n 6 $EXAMPLES/sum.vixl > e.vixl; for t in e.*; do echo $t $(cairn count --csv $t 2> /dev/null || cairn count $t | grep instructions); done
| e.rst instructions 0
| e.stf instructions 0
| e.vixl instructions 0
| e.zstf instructions 0
$ printf '%s\n' 'for v in mix "mix --by class,size" branches "branches --predictor all" memory "memory --cache 1K,2,64 --reuse sampled" "memory --table reuse" blocks calls deps overview "mix --every 7" "memory --every 7" "branches --every 7" "calls --every 7" "deps --every 7" "blocks --every 7" "overview --every 7" "simpoints --every 9"; do for f in "" --csv --json; do cairn $v $f -j2 "$@" > out$f 2> err$f || echo "$? $v $f"; grep -iwE -e "-?(nan|inf|infinity)" out$f err$f; case $f in --json) json notes < out--json > /dev/null || echo "no document: $v";; --csv) test -s out--csv || echo "no names of columns: $v";; esac; done; cairn $v -j1 "$@" 2> err2 | cmp - out; cmp err err2; done; for v in "calls --to folded" "calls --to speedscope" "calls --to timeline" "calls --to svg" "branches --to bt9" "blocks --to bb --every 5" report; do cairn $v "$@" > out 2> err || echo "$? $v"; grep -iwE -e "-?(nan|inf|infinity)" out err; done; cairn calls --to speedscope "$@" 2> err | json profiles.0.endValue > /dev/null; cairn calls --to timeline "$@" 2> err | json > /dev/null' > all; chmod +x all
$ for t in e.stf e.zstf; do ./all $t; ./all $t 5..10; ./all -w 'pc == 1' $t; done
$ ./all e.rst; ./all e.rst 5..10; ./all -w 'pc == 1' e.rst; ./all e.vixl
$ for t in s.stf $EXAMPLES/sort.zstf $EXAMPLES/sort-v9.rst.xz; do ./all $t 99999..; done
$ for t in $EXAMPLES/traps.rst $EXAMPLES/sum.vixl $EXAMPLES/sort-a64.snapshot; do ./all $t 99999..; ./all -w 'pc == 1' $t; done

# (A log without instructions is one of state alone, of which numbers select nothing.)
$ cairn mix e.vixl 5..10
! cairn: e.vixl: the trace holds no instructions that a region could name: its regions are records, r100..r200
= 2

# What that looks like.
$ cairn mix --json e.stf
| {
|   "class": [],
|   "mnemonic": [],
|   "extension": [],
|   "size": [],
|   "notes": [
|     "there are no instructions"
|   ]
| }
$ cairn mix --csv --every 10 --table class e.stf
| first,last,class,count,percent
! cairn: e.stf: there are no instructions
$ cairn overview e.rst
| 0 instructions
$ cairn calls -q --to folded e.zstf
$ cairn report e.stf | grep -c 'no instruction'
| 7
$ cairn mix $EXAMPLES/sort.zstf 99999..
! cairn: $EXAMPLES/sort.zstf: no instruction is selected
$ cairn mix e.stf --table nothing
! cairn: there is no table 'nothing'; there is class, mnemonic, extension, size
= 2

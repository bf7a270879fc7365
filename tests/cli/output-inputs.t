# No output is an input, whatever it is called and however it is reached.
needs: cmp
$ cp $EXAMPLES/sort.zstf t.zstf; cp t.zstf u-0001.zstf; cp $EXAMPLES/sort.elf prog; cp -r $EXAMPLES/sort-a64.snapshot s; ln t.zstf hard; ln -s t.zstf soft; cairn index -q t.zstf > /dev/null; ls
| hard
| prog
| s
| soft
| t.zstf
| t.zstf.cai
| u-0001.zstf
$ cat > try.sh <<'END'
> while read -r run; do
> 	eval "cairn $run" > log 2>&1
> 	echo "$? $(head -n 1 log)"
> done
> cat $(ls | grep -v -e before -e log -e sh$) s/* 2> /dev/null | cksum | cmp - before && echo unharmed
> END
$ cat $(ls | grep -v -e before -e log -e sh$) s/* 2> /dev/null | cksum > before; bash try.sh <<'END'
> view t.zstf -o t.zstf
> view t.zstf -o hard
> view t.zstf -o soft
> view t.zstf -o ./t.zstf
> view - -o t.zstf < t.zstf
> view t.zstf -o /dev/stdout >> t.zstf
> count t.zstf >> t.zstf
> view t.zstf -o t.zstf.cai
> view t.zstf --image prog -o prog
> view t.zstf --image prog@0x10000 -o prog
> slice t.zstf 1..3 --image prog -o prog
> convert t.zstf --image prog -o prog --to stf
> check t.zstf --image prog -o prog
> diff t.zstf soft --image prog -o prog
> diff t.zstf soft -o hard
> index t.zstf -o hard
> index s -o s/snapshot.ini
> memory t.zstf --image prog -o prog
> report t.zstf --image prog -o prog
> merge t.zstf t.zstf -o hard --to zstf
> split u-0001.zstf --every 20000 -o 'u-%s.zstf'
> view s -o s/snapshot.ini
> count s -o s/trace.bin
> view s/snapshot.ini -o s/trace.bin
> convert s -o s/cpu_0.ini --to stf
> capture prog -o prog
> END
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: -: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf.cai: the output is the trace's index; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: t.zstf: the output is the trace itself; it would be destroyed
| 2 cairn: s/snapshot.ini: the output is a file of the snapshot s; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| 2 cairn: t.zstf: the output is one of the traces; it would be destroyed
| 2 cairn: u-0001.zstf: a part would be the trace itself; it would be destroyed
| 2 cairn: s/snapshot.ini: the output is a file of the snapshot s; it would be destroyed
| 2 cairn: s/trace.bin: the output is a file of the snapshot s; it would be destroyed
| 2 cairn: s/trace.bin: the output is a file of the snapshot s/snapshot.ini; it would be destroyed
| 2 cairn: s/cpu_0.ini: the output is a file of the snapshot s; it would be destroyed
| 2 cairn: prog: the output is the program; it would be destroyed
| unharmed
# A table of simpoints, in whichever way it is named.
$ cairn simpoints t.zstf --every 5000 --csv --table simpoints -o points.csv; cp points.csv keep; cairn slice t.zstf --simpoints points.csv -o points.csv --to stf; cp points.csv p1; cairn slice t.zstf --simpoints p1 -o 'p%' --to stf; cmp keep points.csv && cmp keep p1
! cairn: points.csv: the output is the table of simpoints; it would be destroyed
! cairn: p1: the output is the table of simpoints; it would be destroyed
# Nor may standard output be a file of a snapshot, or a program that the trace names.
$ cp -r $EXAMPLES/sort-a64.snapshot own; cairn count own >> own/trace.bin
! cairn: standard output: the output is a file of the snapshot own; it would be destroyed
= 2
$ cairn view own >> own/snapshot.ini
! cairn: standard output: the output is a file of the snapshot own; it would be destroyed
= 2
$ (cd own; cairn count . > count.txt; head -1 count.txt)
| instructions                          2191
$ cmp own/trace.bin $EXAMPLES/sort-a64.snapshot/trace.bin; cmp own/snapshot.ini $EXAMPLES/sort-a64.snapshot/snapshot.ini

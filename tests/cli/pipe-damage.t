# A pipe tells of damage what a file tells: the same exit code, the same sentences, whatever region is asked for, also one that lies behind the end of a broken trace.
needs: python3 xz sed
$ cairn convert $EXAMPLES/sort.zstf -q -o s.stf; cairn convert s.stf -q -o c.zstf --to zstf:chunk=2000; xz -dc $EXAMPLES/sort-v9.rst.xz > r.rst; cairn convert r.rst -q -o p.rz --to rst:pack=rstzip2 2> /dev/null || cp $EXAMPLES/sort-v9.rst.xz p.rz; xz -dc $EXAMPLES/sort-a64.vixl.xz > v.vixl
# Cut off, overwritten and with bytes missing, at a tenth, the middle and the end; containers change bits only.
$ cat > break.py <<'END'
> for name in "s.stf", "c.zstf", "r.rst", "p.rz", "v.vixl":
>     b = open(name, "rb").read()
>     for i, part in enumerate((0.1, 0.5, 0.93)):
>         at = int(len(b) * part)
>         kinds = {"over": b[:at] + bytes(x ^ 0x5A for x in b[at:at + 48]) + b[at + 48:]}
>         if name != "c.zstf":
>             kinds["cut"] = b[:at]
>             kinds["gone"] = b[:at] + b[at + 5:]
>         for kind, data in kinds.items():
>             open("%s-%d-%s" % (kind, i, name), "wb").write(data)
> END
$ python3 break.py; ls over-* cut-* gone-* | wc -l
| 39
$ cat > both.sh <<'END'
> n=0
> for file; do
> 	while read -r verb region; do
> 		n=$((n + 1))
> 		cairn $verb $file $region > out.f 2> err.f; file_code=$?
> 		cat $file | cairn $verb - $region > out.p 2> err.p; pipe_code=$?
> 		[ $file_code = $pipe_code ] || echo "$verb $file $region: file $file_code, pipe $pipe_code"
> 		case $file in *zstf) continue ;; esac # its index, at the end, tells a file more
> 		cmp -s out.f out.p || echo "$verb $file $region: other text"
> 		sed "s/^cairn: $file/cairn: -/" err.f | cmp -s - err.p || echo "$verb $file $region: other findings"
> 	done <<- RUNS
> 	count
> 	count 1..5
> 	count 900..950
> 	count 2..
> 	count 40000..
> 	mix 1800..
> 	mix 40000..
> 	view -D
> 	view -D 900..950
> 	view -D 20000..20010
> 	view -D -j 1 20000..20010
> 	view -D -n 3
> 	records 900..950
> 	records 40000..
> 	memory 40000..
> 	RUNS
> done
> echo "$n runs"
> END
$ bash both.sh *-s.stf
| 135 runs
$ bash both.sh *-c.zstf
| 45 runs
$ bash both.sh *-r.rst
| 135 runs
$ bash both.sh *-p.rz
| 135 runs
$ bash both.sh *-v.vixl
| 135 runs

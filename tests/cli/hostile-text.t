# Text of a trace, of a program or of a name never reaches a terminal, a spreadsheet or a page raw: every field of every format holds hostile bytes, every verb prints it in every form.
needs: grep sed xz
$ mkdir t; cp $EXAMPLES/sort.zstf .; cp $EXAMPLES/sort.elf prog
# Bytes: title and clear of a terminal, 8-bit control, delete, turned text, not UTF-8, a page's and a spreadsheet's own.
$ printf '=1+1\033]0;owned\a\033[2J\302\233 31m\177\342\200\256<script>alert(1)</script>"'"'"'\377\b' > evil; printf '\033]0;owned\a\033[2Jx' > escape; wc -c < evil
| 57
# STF: comments, generator, instruction set; symbols of the program.
$ cairn edit sort.zstf -q --comment "$(cat evil)" --generator "Spike,1.2.3,$(cat evil)" -o t/stf.stf; LC_ALL=C sed -i 's/quick_sort/=1\x1b[2J\x9b\x7f\xff+/; s/merge_sort/@<script>"/; s/print_number/-\xc2\x9b\xe2\x80\xae<\/td>;/' prog; grep -c 'script' prog
| 1
# Logs: what a simulator prints is taken as it is.
$ printf 'core   0: 0x0000000080000000 (0x00000297) auipc   t0, %s\ncore   0: 0x0000000080000004 (0x0002b203) ld %s\n' "$(cat evil)" "$(cat escape)" > t/spike.log
$ printf '0 clk IT (0) 00001000 d503201f O EL1h_n : NOP %s\n0 clk R %s 0000000000000007\n1 clk IT (1) 00001004 d503201f O EL1h_n : %s\n1 clk E 00000000 %s\n' "$(cat evil)" "$(cat evil)" "$(cat escape)" "$(cat evil)" > t/tarmac.log
$ xz -dc $EXAMPLES/sort-a64.vixl.xz | head -n 200 | LC_ALL=C sed "s/\t\tbl.*/&$(sed 's/[&\/\\]/_/g' evil)/; s/\t\tmov.*/&$(sed 's/[&\/\\]/_/g' escape)/; 99a# $(sed 's/[&\/\\]/_/g' evil)" > t/vixl.log; printf '0, 0x10184, 0x2872703, "lw %s", load, 0x000111ac, RAM\n0, 0x10188, 0x4798c398, "sw %s", store, 0x000111a8\n' "$(sed 's/"//' evil)" "$(cat escape)" > t/execlog.log
# A snapshot's names; damage that quotes what was there; and a file's own name.
$ cp -r $EXAMPLES/sort-a64.snapshot t/snap; LC_ALL=C sed -i "s/description=.*/description=$(sed 's/[&\/\\]/_/g' evil)/" t/snap/snapshot.ini; cp -r t/snap t/odd; LC_ALL=C sed -i "s/name=.*/name=$(sed 's/[&\/\\]/_/g' evil)/" t/odd/cpu_0.ini; LC_ALL=C sed -i "s/^TRCIDR0=.*/TRCIDR0=$(sed 's/[&\/\\]/_/g' evil)/; s/type=.*/type=$(sed 's/[&\/\\]/_/g' evil)/" t/odd/ete_0.ini; cp sort.zstf "t/$(sed 's/[\/]/_/g' evil).zstf"
$ cat > all.sh <<'END'
> # Each verb on each file; what is printed, on both outputs, is looked through.
> bad=$'[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'
> look() { # what it is, file
> 	LC_ALL=C grep -qaP "$bad" "$2" && echo "$1: raw bytes"
> 	iconv -f UTF-8 "$2" > conv 2> /dev/null || echo "$1: not UTF-8"
> }
> n=0
> for file; do
> 	case $file in *snap | *odd) image= ;; *) image="--image prog" ;; esac
> 	while read -r run; do
> 		n=$((n + 1))
> 		eval "cairn $run" < /dev/null > out 2> err
> 		look "$run" out; look "$run" err
> 		case $run in
> 		*--csv*) LC_ALL=C grep -qaE '(^|,)"?[=+@-][^0-9,]' out && echo "$run: a formula" ;;
> 		*report* | *svg*) LC_ALL=C grep -qaE '<script>alert|</td>;' out && echo "$run: a page within the page" ;;
> 		esac
> 	done <<- RUNS
> 	view $image "\$file"
> 	view -a $image "\$file"
> 	view --color always $image "\$file" 1..0
> 	view --json -a $image "\$file"
> 	view --state $image "\$file" 3
> 	view --state --json $image "\$file" 3
> 	records "\$file"
> 	records --json "\$file"
> 	info "\$file"
> 	info --json "\$file"
> 	count "\$file"
> 	check "\$file"
> 	check --json -v "\$file"
> 	diff -n 3 "\$file" t/stf.stf
> 	diff -n 3 --json "\$file" t/tarmac.log
> 	find -a 'pc!=0' $image "\$file" 1..9
> 	find "\$file" 'pc!=0' 1..9
> 	mix $image "\$file"
> 	mix --csv --by function $image "\$file"
> 	mix --by mnemonic --csv "\$file"
> 	calls $image "\$file"
> 	calls --csv $image "\$file"
> 	calls --json $image "\$file"
> 	calls --to folded $image "\$file"
> 	calls --to svg $image "\$file"
> 	calls --to speedscope $image "\$file"
> 	calls --to timeline $image "\$file"
> 	branches --csv $image "\$file"
> 	blocks --every 1000 --csv $image "\$file"
> 	memory --csv $image "\$file"
> 	overview $image "\$file"
> 	overview --csv $image "\$file"
> 	report $image "\$file"
> 	index "\$file" -o x.cai
> 	index --json "\$file" -o x.cai
> 	convert "\$file" -o x.stf
> 	convert "\$file" -o x.rst
> 	slice "\$file" 1..3 -o x.stf --json
> 	view "\$file".no
> 	view "\$file" '\$(cat evil)'
> 	view "\$file" -w "\$(cat evil)"
> 	view "\$file" --"\$(cat evil)"
> 	view "\$file" --from "\$(cat evil)"
> 	view "\$file" --image "\$(cat evil)"
> 	mix "\$file" -o "x.\$(sed 's/[\/]/_/g' evil)"
> 	"\$(cat evil)" "\$file"
> 	RUNS
> done
> echo "$n runs"
> END
$ bash all.sh t/stf.stf
| 46 runs
$ bash all.sh t/spike.log t/execlog.log
| 92 runs
$ bash all.sh t/tarmac.log t/vixl.log
| 92 runs
$ bash all.sh t/snap t/odd
| 92 runs
$ bash all.sh t/=*
| 46 runs
# The Arabic letter mark turns the direction, too.
$ cairn slice -q $EXAMPLES/sort.zstf 1..3 -o mark.stf; cairn edit -q mark.stf --comment "a$(printf '\330\234')b" -o marked.stf; cairn info marked.stf | grep 'a.*b$' | tail -1
|                a\xd8\x9cb
# A comment that looks like lines of VIXL's simulator does not become instructions or registers.
$ cairn convert -q $EXAMPLES/sum.vixl -o sum.stf; cairn edit -q sum.stf --comment "$(printf 'evil\n0x0000000000400100  d503201f\t\tnop\n#             x0: 0x0000000000000bad')" -o evil.stf; cairn convert evil.stf -o evil.vixl; cairn count evil.vixl | head -1; cairn find --count --writes x0 sum.stf; cairn find --count --writes x0 evil.vixl; cairn convert -q --lossless evil.stf -o x.vixl
| instructions                            19
| 1
| 1
! cairn: evil.stf: lost: characters of text that looks like lines of the simulator (3)
! cairn: x.vixl: VIXL cannot carry characters of text that looks like lines of the simulator
= 2

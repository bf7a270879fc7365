# The output's name says its form; what nobody knows, or two contradict in, is refused.
needs: head cut
$ cp $EXAMPLES/sort.zstf s.zstf; cat > try.sh <<'END'
> while read -r run; do
> 	rm -f x x.*
> 	eval "cairn $run" > log 2>&1
> 	echo "$? $(head -n 1 log | cut -c 1-150) $(cat x x.* 2> /dev/null | head -c 1 | head -n 1)"
> done
> END
# 0 and how it begins, or 2 and why not.
$ bash try.sh <<'END'
> mix s.zstf -o x.csv
> mix s.zstf -o x.json
> mix s.zstf -o x.txt
> mix s.zstf -o x
> mix s.zstf -o ./x.JSON
> mix s.zstf --csv -o x.data
> mix s.zstf -o x.data
> mix s.zstf -o x.html
> mix s.zstf --json -o x.csv
> mix s.zstf --csv -o x.json
> mix s.zstf --json -o x.json
> deps s.zstf -o x.svg
> overview s.zstf -o x.json
> calls s.zstf -o x.svg
> calls s.zstf --to svg -o x.csv
> calls s.zstf --to speedscope -o x.json
> calls s.zstf --to timeline -o x.json
> calls s.zstf --to folded -o x.out
> calls s.zstf --to tables -o x.svg
> calls s.zstf --json --to svg -o x.svg
> calls s.zstf -o x.parquet
> blocks s.zstf --every 10k -o x.bb
> blocks s.zstf --every 10k -o x.csv
> report s.zstf -o x.html
> report s.zstf -o x.pdf
> view s.zstf 1..2 -o x.json
> view s.zstf 1..2 -o x.csv
> view s.zstf 1..2 -o x.log
> count s.zstf -o x.json
> check s.zstf --json -o x.html
> view s.zstf 1..2 -o x.zstf
> records s.zstf r1..r2 -o x.vixl
> count s.zstf -o x.gz
> count s.zstf --json -o x.rst
> check s.zstf -o x.cai
> find --writes x5 s.zstf -o x.rz3.gz
> info s.zstf -o x.snapshot
> mix s.zstf --csv -o x.csv.zst
> report s.zstf -o x.stf
> index s.zstf -o x.stf
> convert s.zstf -o x.html
> slice s.zstf 1..2 -o x.json
> slice s.zstf 1..2 --to stf -o x.json
> slice s.zstf 1..2 -o x.bt9
> view s.zstf 1..2 -o x.bb
> count s.zstf -o x.svg
> index s.zstf -o x.json
> overview s.zstf --top 2
> overview s.zstf --top 2 --csv
> convert --matrix -o x.zstf
> convert --matrix -o x.txt
> convert --matrix --json -o x
> convert --matrix --to rst
> convert --matrix s.zstf
> END
| 0  c
| 0  {
| 0  c
| 0  c
| 0  {
| 0  c
| 2 cairn: mix writes .txt, .json, .csv, and the ending .data is unknown (--json and --csv write to any name) 
| 2 cairn: mix writes .txt, .json, .csv, and the ending .html is unknown (--json and --csv write to any name) 
| 2 cairn: --json contradicts the name x.csv 
| 2 cairn: --csv contradicts the name x.json 
| 0  {
| 2 cairn: deps writes .txt, .json, .csv, and the ending .svg is unknown (--json and --csv write to any name) 
| 0  {
| 0  <
| 2 cairn: --to svg contradicts the name x.csv 
| 0  {
| 0  {
| 0  0
| 2 cairn: --to tables contradicts the name x.svg 
| 2 cairn: --json contradicts --to svg 
| 2 cairn: calls writes .txt, .json, .csv, .folded, .speedscope, .svg, .timeline, and the ending .parquet is unknown (--json and --csv write to any name) 
| 0  T
| 0  f
| 0  <
| 2 cairn: report writes .html, and the ending .pdf is unknown 
| 0  {
| 2 cairn: view writes .txt, .json, and the ending .csv is unknown (--json writes to any name) 
| 0  C
| 0  {
| 2 cairn: --json contradicts the name x.html 
| 2 cairn: view writes text, and x.zstf names a trace (zstf) 
| 2 cairn: records writes text, and x.vixl names a trace (VIXL) 
| 2 cairn: count writes text, and x.gz names a file that gzip has packed 
| 2 cairn: count writes text, and x.rst names a trace (RST) 
| 2 cairn: check writes text, and x.cai names an index 
| 2 cairn: find writes text, and x.rz3.gz names a trace (RST) 
| 2 cairn: info writes text, and x.snapshot names a trace (ETE) 
| 2 cairn: mix writes text, and x.csv.zst names a file that zstd has packed 
| 2 cairn: report writes text, and x.stf names a trace (STF) 
| 2 cairn: index writes an index, and x.stf names a trace (STF) 
| 2 cairn: convert writes a trace, and x.html does not end like one: .html is of text (--to writes to any name) 
| 2 cairn: slice writes a trace, and x.json does not end like one: .json is of text (--to writes to any name) 
| 0  \x01
| 2 cairn: slice writes a trace, and x.bt9 does not end like one: .bt9 is of text (--to writes to any name) 
| 2 cairn: view writes .txt, .json, and the ending .bb is unknown (--json writes to any name) 
| 2 cairn: count writes .txt, .json, and the ending .svg is unknown (--json writes to any name) 
| 2 cairn: index writes an index, and x.json does not end like one: .json is of text 
| 2 cairn: --top needs tables: --table, --json or --csv 
| 0 instructions,first,last,per_column,pages,taken_percent,events 
| 2 cairn: convert --matrix writes text, and x.zstf names a trace (zstf) 
| 0  #
| 0  {
| 2 cairn: --to cannot be combined with --matrix 
| 2 cairn: --matrix takes no trace, and s.zstf is one 
# Options of tables beside a --to that makes none, on standard output as well.
$ cairn calls --json --to folded s.zstf; cairn branches --csv --to bt9 s.zstf; cairn simpoints --every 9 --to weights --table summary s.zstf
! cairn: --json contradicts --to folded
! cairn: --csv contradicts --to bt9
! cairn: --table contradicts --to weights
= 2
# The same bytes as with the option.
$ cairn mix s.zstf -o m.csv; cairn mix s.zstf --csv | cmp - m.csv; cairn mix s.zstf -o m.json; cairn mix s.zstf --json | cmp - m.json

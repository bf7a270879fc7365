#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench-pair.sh OLD NEW [ROUNDS [TEXT]] : two builds of the command in turn, over the same
# traces: the median of CPU time of each, and of the ratio new to old, a row a task. A ratio
# does not mind other work on the machine as times do. TEXT: only rows with that text.
#
# With INSTRUCTIONS=1 in the environment, one round counts the instructions that valgrind sees, in
# millions, over traces of a sixteenth: no other work changes that, but what a run does once,
# however long its trace, weighs sixteen times as much.
set -eu
old=$1 new=$2 rounds=${3:-11} only=${4:-} part=1
[ -z "${INSTRUCTIONS:-}" ] || part=16 rounds=1
examples=$(cd "$(dirname "$0")/../examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Traces of a few million instructions, of each format.
mapfile -t copies < <(yes "$examples/sort.zstf" | head -n $((100 / part)))
"$old" merge -q "${copies[@]}" -o t.zstf
"$old" convert -q t.zstf -o t.stf
mapfile -t copies < <(yes "$examples/sort-v9.rst.xz" | head -n $((1000 / part)))
"$old" merge -q "${copies[@]}" -o t.rst
"$old" convert -q t.rst -o t.rz3.gz
for ((i = 0; i < 300 / part; i++)); do xz -dc "$examples/sort-a64.vixl.xz"; done > t.vixl
"$old" convert -q t.vixl -o t.snapshot 2> err

cat > rows <<'END'
count, STF	count -j1 t.stf
count, zstf	count -j1 t.zstf
count, RST	count -j1 t.rst
count, rstzip	count -j1 t.rz3.gz
count, VIXL	count -j1 t.vixl
count, ETE	count -j1 t.snapshot
count where	count -j1 -w class==load t.zstf
records, RST	records -j1 t.rst r1..r300000
view	view -j1 -D t.zstf 1..200000
view, disassembled	view -j1 t.zstf 1..30000
view JSON	view -j1 -D --json t.zstf 1..100000
check, STF	check -j1 t.stf
check, RST	check -j1 t.rst
check, VIXL	check -j1 t.vixl
check, ETE	check -j1 t.snapshot
index	index -q -j1 t.zstf -o x.cai
find writes	find -q -j1 --writes x5 --before 1900000 t.zstf
state	view -j1 -D --state t.zstf 1900000
mix	mix -j1 t.zstf
branches	branches -j1 t.zstf
memory	memory -j1 t.zstf
blocks	blocks -j1 t.zstf
calls	calls -j1 t.zstf
deps	deps -j1 t.zstf
overview	overview -j1 t.zstf
report	report -q -j1 t.zstf -o x.html
STF to zstf	convert -q -j1 t.stf -o x.zstf
zstf to STF	convert -q -j1 t.zstf -o x.stf
RST to STF	convert -q -j1 t.rst -o x.stf
RST to zstf	convert -q -j1 t.rst -o x.zstf
RST to rstzip	convert -q -j1 t.rst -o x.rz3.gz
VIXL to STF	convert -q -j1 t.vixl -o x.stf
VIXL to ETE	convert -q -j1 t.vixl -o x.snapshot
slice	slice -q -j1 t.zstf 500000..900000 -o x.zstf
edit	edit -q -j1 --drop COMMENT t.stf -o x.stf
merge	merge -q -j1 t.zstf t.zstf -o x.zstf
diff	diff -q -j1 t.zstf t.stf
END

cost() { # cost COMMAND…: milliseconds of CPU time, or millions of instructions
	rm -rf x.*
	if [ "$part" -gt 1 ]; then
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 > out < /dev/null |
			awk '/Collected/ { printf "%.1f\n", $NF / 1e6 }'
		return
	fi
	TIMEFORMAT='%U %S'
	{ time "$@" > out 2> err < /dev/null || true; } 2>&1 | awk '{ printf "%.0f\n", 1000 * ($1 + $2) }'
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Places in the traces are for the long ones.
if [ "$part" -gt 1 ]; then
	sed -i 's/500000\.\.900000/30000..56000/; s/1900000/118000/' rows
fi
unit=$([ "$part" -gt 1 ] && echo M || echo ms)
printf '%-20s %8s %8s %6s\n' row "old $unit" "new $unit" ratio
while IFS=$'\t' read -r name command; do
	case $name in *"$only"*) ;; *) continue ;; esac
	rm -f olds news ratios
	for ((i = 0; i < rounds; i++)); do
		a=$(cost "$old" $command) b=$(cost "$new" $command)
		echo "$a" >> olds; echo "$b" >> news
		awk -v a="$a" -v b="$b" 'BEGIN { print b / (a ? a : 1) }' >> ratios
	done
	printf '%-20s %8s %8s %6.2f\n' "$name" "$(median olds)" "$(median news)" "$(median ratios)"
done < rows

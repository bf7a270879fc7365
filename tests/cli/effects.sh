#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# effects.sh CAIRN PRELOAD : every option that a verb takes does something there. Each is given to a
# run, and the run with it must differ from the run without it: in what is printed or written, in its
# status, or in the number of threads (PRELOAD, effects.c, which also makes standard error a terminal).
# A row is "VERBS OPTION | RUN"; * is every verb that takes the option and has no row of its own.
# RUN is the rest of the command, "on TRACE" the verb's usual one with another trace, and without it
# the usual one; "same": every verb takes this option, and here it has nothing to do. An option without
# a row fails.
#
# What shows too little of itself: -v, for which the time taken stands on standard error in all verbs,
# and --from, --ete and --transactions, of which it is only seen that another format is refused.
set -u
. "$(dirname "$0")/../build/tap.sh"
cairn=$(realpath "$1") preload=$(realpath "$2")
examples=$(realpath "$EXAMPLES")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir without
unset NO_COLOR
export TERM=xterm

# ---- inputs ----

cp "$examples/sort.zstf" t.zstf
cp "$examples/traps.rst" .
mkdir programs && cp "$examples"/*.elf programs
# Long enough for several threads, another one that differs, a damaged one.
"$cairn" slice -q t.zstf 1..12000 --to zstf:chunk=1000 -o long.zstf
"$cairn" slice -q t.zstf 1..9000 9020..12019 -o other.zstf
"$cairn" convert -q t.zstf -o t.stf
head -c 300000 t.stf > damaged.stf
"$cairn" edit -q --drop INST_REG t.zstf -o lean.zstf
# Events that differ; bits that rstzip does not keep; more than a hundred findings of one rule.
"$cairn" slice -q traps.rst 1..9 -o traps2.rst
{
	cat traps.rst
	printf '\5\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
} > reserved.rst
{
	cat traps.rst
	for _ in {1..101}; do printf '\5\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; done
} > many.rst
# More damaged places than are named without -v.
{
	cat traps.rst
	for _ in {1..12}; do
		printf '\377\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
		tail -c 24 traps.rst
	done
} > places.rst
# A snapshot that names a file outside its folder, and one without its program.
cp -r "$examples/sort-a64.snapshot" whole
cp -r whole outside && mv outside/trace.bin outside.bin
sed -i 's,=trace.bin,=../outside.bin,' outside/*.ini
cp -r whole bare && rm bare/program.bin
sed -i '/dump/,$d' bare/cpu_0.ini
head -c 4096 /dev/zero > zeros

# ---- how each verb is run, if a row does not say otherwise ----

declare -A usual=(
	[view]='TRACE 1..30' [records]='TRACE r1..r60' [info]=TRACE [count]=TRACE [check]=TRACE
	[diff]='TRACE other.zstf' [find]='TRACE pc!=0 ..2000' [index]='TRACE -o out/x'
	[convert]='TRACE -o out/x.stf' [slice]='TRACE 1..8000 -o out/x.stf'
	[merge]='TRACE TRACE -o out/x.stf' [split]='TRACE --every 3000 -o out/%s.stf'
	[edit]='TRACE --comment x -o out/x.stf' [report]=TRACE [simpoints]='TRACE --every 500'
)
for verb in mix branches memory blocks calls deps overview; do
	usual[$verb]=TRACE
done

rows() {
	cat << 'END'
* -o=out/y |
* --from=rst |
* --ete=core=Cortex-A53 |
* --transactions=keep |
* --trust-paths | on outside
slice --trust-paths | outside 1..90 -o out/x.snapshot
merge --trust-paths | outside whole -o out/x.snapshot
split --trust-paths | outside --every 900 -o out/%s.snapshot
* --strict | on damaged.stf
view,records --strict | damaged.stf
slice --strict | damaged.stf 1.. -o out/x.stf
find --strict | damaged.stf pc!=0
* --json |
* --csv |
* -v |
convert,slice,merge,split,edit -v | on damaged.stf
merge -v | places.rst places.rst -o out/x.rst
* -q | on damaged.stf
* --no-progress |
index,merge --no-progress | same
* --color=always | same
view,find,diff,check --color=always |
* --threads=1 |
convert --threads=1 | long.zstf --to zstf -o out/x.zstf
merge --threads=1 | long.zstf long.zstf --to zstf:chunk=1000 -o out/x.zstf
split --threads=1 | long.zstf --every 6000 --to zstf:chunk=1000 -o out/%s.zstf
edit --threads=1 | long.zstf --comment x --to zstf:chunk=1000 -o out/x.zstf
slice --threads=1 | long.zstf 1..8000 --to zstf:chunk=1000 -o out/x.zstf
* --image=programs/sort.elf |
check --image=zeros@0x400000 | on bare
convert,index,count,mix,deps,simpoints --image=programs/sort-a64.elf | on bare
records --image=programs/sort-a64.elf | bare 1..5
info --image=programs/sort-a64.elf | bare --coverage
slice --image=programs/sort-a64.elf | bare 1..90 -o out/x.snapshot
merge --image=programs/sort-a64.elf | bare bare -o out/x.snapshot
split --image=programs/sort-a64.elf | bare --every 900 -o out/%s.snapshot
diff --image=programs/sort.elf | long.zstf other.zstf
* -R=1..100 |
find -R=1..100 | long.zstf pc!=0
slice -R=8500..8600 |
* -w=class==load |
* --to=zstf |
branches --to=bt9 | t.zstf
blocks --to=bb | t.zstf --every 5000
simpoints --to=simpoints | t.zstf --every 5000
calls --to=folded | t.zstf
* --codec=gzip |
* --lossless | on t.stf --to stf:version=1.4
* --lossy | reserved.rst --to rst:rstzip -o out/x.rz3
slice --lossy | reserved.rst 1..10 --to rst:rstzip -o out/x.rz3
split --lossy | reserved.rst --every 5 --to rst:rstzip -o out/%s.rz3
* --every=1000 |
* --top=1 |
* --table=summary |
* -r |
* -m |
* -e | traps.rst
diff -e | traps.rst traps2.rst
find -e | traps.rst event
* -a |
find -a | long.zstf --writes sp
diff -n=1 |
* -D |
* --lines | t.zstf --image programs/sort.elf 1..30
* -n=1 |
slice --look-back=10 | t.zstf 9000+1 -o out/x.stf
view --state | t.zstf 100
view --after | t.zstf 100 --state
view --derive | lean.zstf 6..7 -r
info --coverage | lean.zstf
find --derive | lean.zstf --writes sp --before 20000
convert --derive | on lean.zstf
edit --derive | lean.zstf -o out/x.zstf
view --memory=0x11698+4 | t.zstf 30000 --state
records --elements | whole
check --rules |
check --all-findings | many.rst
check --execute | t.zstf
diff --ignore=pc,encoding,values |
diff --window=1 |
find --writes=sp | t.zstf
find --reads=sp | t.zstf
find --before=100 |
find --first |
find --last |
find --count |
convert --matrix |
slice --windows=1000:10 |
slice --simpoints=points.csv |
split --by=cpu | traps.rst -o out/%s.rst
split --every=1000 | t.zstf -o out/%s.stf
edit --comment=other |
edit --feature=+SIMPOINT |
edit --isa-string=rv64gc |
edit --generator=Spike,1.1.0 |
edit --drop=INST_REG |
mix --by=size |
branches --predictor=gshare |
memory --cache=32K,8,64 |
memory --line=32 |
memory --reuse=none |
memory --estimate |
blocks --ends=taken |
simpoints --ends=taken |
simpoints --clusters=2 |
simpoints --every=1000 |
overview --width=20 |
END
}

# run LOG ARGUMENTS…: all that can be seen of it, in LOG.
run() {
	local log=$1
	shift
	rm -rf out threads ./*.cai
	mkdir out
	(
		LD_PRELOAD=$preload CAIRN_THREADS_STARTED=threads "$cairn" "$@" > out/stdout 2> out/stderr
		echo "status $?"
		sed -i 's/done in .* s$/done/' out/stderr
		cat threads
		# The history of a trace has the command, and so each option, and what follows lies elsewhere.
		for file in out/*; do
			echo "$file"
			case $1:$file in
			convert:*) cat "$file" ;;
			*.stf | *.zstf | *.vixl | *.snapshot | *.rz3)
				"$cairn" records "$file" | grep -v "cairn $1" | cut -c 22-
				head -c 5 "$file" ;;
			*) cat "$file" ;;
			esac 2>&1 | cksum
		done
		cat out/stderr
	) > "$log" 2>&1
}

# takes VERB: the options it takes, "--name" or "--name -x".
takes() {
	"$cairn" "$1" --help | sed -n '/^Options:/,/^$/p' |
		sed -n 's/^  -\(.\), \(--[a-z-]*\).*/\2 -\1/p; s/^ \{6\}\(--[a-z-]*\).*/\1 /p'
}

# differs VERB OPTION[=VALUE] RUN
differs() {
	local option=$2 with=("$2") run without
	read -ra run <<< "$3"
	case $option in
	'') echo "no row says how cairn $1 shows what it does"; return 1 ;;
	--*) ;;
	-?=*) with=("${option%%=*}" "${option#*=}") ;;
	esac
	without=without/$(cksum <<< "$1 $3" | tr ' ' -)
	[ -f "$without" ] || run "$without" "$1" "${run[@]}"
	run with "$1" "${run[@]}" "${with[@]}"
	! cmp -s "$without" with || { echo "cairn $1 ${run[*]} ${with[*]}: the same without it"; cat with; return 1; }
}

# same VERB OPTION RUN: it is taken, and changes nothing.
same() {
	local status
	differs "$@" > /dev/null
	status=$?
	"$cairn" "$1" --help | grep -q -e "${2%%=*}" && [ "$status" = 1 ]
}

# row VERB LONG SHORT: "OPTION[=VALUE] | RUN", its own or that of all verbs.
row() {
	rows | awk -v verb="$1" -v long="$2" -v short="$3" '
		{ option = $2; sub(/=.*/, "", option) }
		option != long && (short == "" || option != short) { next }
		$1 == "*" && !own { line = $0 }
		index("," $1 ",", "," verb ",") { line = $0; own = 1 }
		END { print line }'
}

# Without QEMU nothing is captured; its options are those of `capture` and `convert`.
verbs=$(sed -n 's/^VERB(.*, \([a-z]*\))$/\1/p' "$CAIRN_SOURCE/cmd/verbs.h" | grep -v capture)
for verb in $verbs; do
	[ $# -lt 3 ] || [ "$3" = "$verb" ] || continue
	while read -r long short; do
		[ "$long" != --help ] || continue # differs from any run
		line=$(row "$verb" "$long" "$short")
		option=$(awk '{ print $2 }' <<< "$line")
		case $line in
		*'| same') rest=${usual[$verb]//TRACE/long.zstf} ;;
		*'| on '*) rest=${usual[$verb]//TRACE/${line#*| on }} ;;
		*'| '*) rest=${line#*| } ;;
		*) rest=${usual[$verb]//TRACE/long.zstf} ;;
		esac
		if [[ $line = *'| same' ]]; then
			check "$verb $long changes nothing" same "$verb" "$option" "$rest"
		else
			check "$verb $long" differs "$verb" "$option" "$rest"
		fi
	done < <(takes "$verb")
done
done_testing

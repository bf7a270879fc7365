#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutants.sh FOLDER [N [SEED]]: would the tests notice? N times (100) one operator, constant or
# condition of the library is changed in a copy of the tree, which is made in FOLDER, and tests run
# until one fails. A mutant that passes all of them has survived: its line is printed, to be answered
# with a test or a reason. The same SEED chooses the same mutants of the same tree, the rooms in turn.
# mutants.sh FOLDER FILE: the mutants of FILE instead, which has lines like those of FOLDER/chosen.
#
# What `make coverage` counted says which tests run the line that is changed. No other test can
# notice, so only these run: first those named as the line's format or file, then the cheapest first.
# FOLDER/mutants keeps a line for each mutant. SUITES="unit cli": only their tests.
set -eu
# shellcheck source=scripts/single-tests.sh
. "$(dirname "$0")/single-tests.sh"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
counted=$root/build-coverage tree=$folder/tree build=$folder/tree/build
read -ra suites <<< "${SUITES:-unit cli fuzz interop}"

[ -f "$counted/libcairn.a" ] || { echo "mutants: run \`make coverage\` first"; exit 1; }
counted_runs "$counted" "${suites[@]}"

rm -rf "$tree"
mkdir -p "$tree"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$tree")
CC_LD=lld meson setup -Dtests=enabled -Doptimization=1 -Ddebug=false "$build" "$tree" > "$folder/log"
# The command and what golden files run; test programs when they are needed.
ninja -C "$build" -t targets all | sed -nE 's/^(cairn|tests\/cli\/[a-z-]+|recorder\/[^:/]*\.so): .*/\1/p' |
	xargs ninja -C "$build" >> "$folder/log"

# What a line may become, each on a line of its own: FILE LINE NEW OLD. Comments, preprocessor lines,
# tables of text and lines that only declare are left alone.
candidates() {
	cd "$tree"
	find src -name '*.c' | sort | xargs awk '
	function mutant(from, to, at) {
		at = index($0, from)
		if (at)
			print FILENAME "\t" FNR "\t" substr($0, 1, at - 1) to substr($0, at + length(from)) "\t" $0
	}
	/^[ \t]*(\/?\*|#|\/\/|case |static const|"|enum|_Static)/ || /\*\// || /^[^\t]/ || /[^\t]\t/ { next }
	{
		sub(/^\t+/, "")
		mutant(" == ", " != "); mutant(" != ", " == "); mutant(" < ", " <= "); mutant(" <= ", " < ")
		mutant(" > ", " >= "); mutant(" >= ", " > "); mutant(" && ", " || "); mutant(" || ", " && ")
		mutant(" + 1", " + 2"); mutant(" - 1", " - 2"); mutant("return true", "return false")
		mutant("return false", "return true"); mutant("if (!", "if ("); mutant("++;", ";")
		mutant(" |= ", " = "); mutant(" & ", " | "); mutant(" += ", " -= ")
		mutant("? ", "? 0 * "); mutant("break;", ";"); mutant("continue;", ";")
	}'
}

# In random order: the first of each room, then the second of each, and so on.
rooms_in_turn() {
	awk -v seed="$1" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' | sort -n |
		awk -F '\t' '{ room = $2; sub(/\/[^\/]*$/, "", room); print ++n[room] "\t" $0 }' | sort -s -n -k 1,1 |
		cut -f 3-
}

if [ -f "${2:-}" ]; then
	cp "$2" "$folder/chosen"
else
	candidates | rooms_in_turn "${3:-1}" | head -n "${2:-100}" > "$folder/chosen"
fi

# object FILE: of a source, within the build.
object() {
	printf 'libcairn.so.0.1.0.p/%s.o' "${1//\//_}"
}

# FOLDER/ran: FILE LINE TEST SECONDS, for the chosen lines that a test runs. A line without a count of
# its own goes with the one above it. Of a test that fails while it is counted (one limits the size of
# files) nothing is known: it may run every line.
who_runs_what() {
	local name run seconds status source notes
	for name in $(single_tests "$counted" "${suites[@]}"); do
		run=$counted/runs/$name
		read -r seconds status < "$run/cost"
		case $status in
		0) ;;
		77) continue ;;
		*)
			cut -f 1,2 "$folder/chosen" | sed "s|\$|\t$name\t$seconds|"
			continue
			;;
		esac
		[ -d "$run$counted/libcairn.so.0.1.0.p" ] || continue
		cut -f 1 "$folder/chosen" | sort -u | while read -r source; do
			notes=$(object "$source")
			notes=${notes%.o}
			ln -sf "$counted/$notes.gcno" "$run$counted/$notes.gcno"
			[ ! -f "$run$counted/$notes.gcda" ] || echo "$run$counted/$notes.gcda"
		done | (cd "$counted" && xargs -r gcov -t) 2> /dev/null |
			awk -v test="$name" -v seconds="$seconds" '
			BEGIN { FS = "\t" }
			FNR == NR { chosen[$1, $2] = 1; next }
			FNR == 1 { FS = ":" }
			{
				split($0, part, ":")
				count = part[1]
				gsub(/ /, "", count)
				line = part[2] + 0
			}
			line == 0 && part[3] == "Source" { file = part[4]; sub(/^(\.\.\/)*/, "", file); runs = 0; next }
			count != "-" { runs = count ~ /^[0-9]/ }
			runs && (file, line) in chosen { print file "\t" line "\t" test "\t" seconds }' "$folder/chosen" -
	done
}
who_runs_what > "$folder/ran"

# The tests that run a line, those first that probably notice.
tests_of() {
	awk -F '\t' -v file="$1" -v line="$2" '
		BEGIN {
			room = file
			sub(/src\/(formats\/)?/, "", room)
			sub(/\/.*/, "", room)
			topic = file
			gsub(/.*\/|\.c$|_.*/, "", topic)
		}
		$1 == file && $2 == line {
			likely = index($3, room) || index($3, topic)
			print $4 / (likely ? 8 : 1) "\t" $3 "\t" $4
		}' "$folder/ran" | sort -u | sort -n | cut -f 2-
}

# passes TEST SECONDS: False: it noticed. One that hangs or takes all memory has noticed, too.
passes() {
	local target=tests/$1 status=0
	ninja -C "$build" cairn "${target/%*.t/cairn}" >> "$folder/log" 2>&1 || return 1
	(
		ulimit -v 8000000 -f 8000000
		timeout "$((${2%.*} * 5 + 60))" bash -c '. "$0" && run_single "$@"' \
			"$root/scripts/single-tests.sh" "$tree" "$build" "$1"
	) > "$folder/output" 2>&1 < /dev/null || status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ]
}

# sound TEST SECONDS: does it pass without a mutant? Else it would notice every one.
sound() {
	local passed=1
	grep -qxF "$1" "$folder/sound" && return
	cp "$tree/$file" "$folder/mutant"
	cp "$folder/before" "$tree/$file"
	passes "$1" "$2" || passed=0
	cp "$folder/mutant" "$tree/$file"
	[ $passed = 1 ] && echo "$1" >> "$folder/sound"
}

try() {
	local name seconds n=0
	ninja -C "$build" "$(object "$file")" >> "$folder/log" 2>&1 || { echo "does not compile"; return; }
	cmp -s "$build/$(object "$file")" "$folder/object" && { echo "same code"; return; }
	while IFS=$'\t' read -r name seconds; do
		n=$((n + 1))
		passes "$name" "$seconds" || ! sound "$name" "$seconds" || { echo "noticed by $name, test $n"; return; }
	done < <(tests_of "$file" "$line")
	echo "SURVIVED $n tests"
}

: > "$folder/mutants"
: > "$folder/sound"
while IFS=$'\t' read -r file line new old; do
	cp "$tree/$file" "$folder/before"
	cp "$build/$(object "$file")" "$folder/object"
	NEW=$new OLD=$old awk -v at="$line" '
		NR == at {
			indent = $0
			sub(/[^\t].*/, "", indent)
			if ($0 != indent ENVIRON["OLD"])
				exit 1
			print indent ENVIRON["NEW"]
			next
		}
		{ print }' "$folder/before" > "$tree/$file" || { echo "$file:$line is another line now"; exit 1; }
	printf '%s:%s: %s: %s\n' "$file" "$line" "$(try)" "$new" | tee -a "$folder/mutants"
	cp "$folder/before" "$tree/$file"
	ninja -C "$build" "$(object "$file")" >> "$folder/log" 2>&1
done < "$folder/chosen"
awk -F ': ' '$2 !~ /^(does not compile|same code)/ { n++; survived += $2 ~ /^SURVIVED/ }
	END { printf "%d mutants, %d survived\n", n, survived }' "$folder/mutants"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# coverage.sh BUILD [SUITE…]: run the tests of the suites (unit cli fuzz) one by one in BUILD, which
# `make coverage` made, and print how much of each room they run, and of the files of which they run
# least: lines and branches, in per cent. BUILD/runs keeps what each test ran, for scripts/mutants.sh.
set -u
# shellcheck source=scripts/single-tests.sh
. "$(dirname "$0")/single-tests.sh"
cd "$root" || exit 1
build=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- unit cli fuzz
counted_runs "$build" "$@"

# What all of them ran together, put beside the notes of the compiler.
sum=$build/runs/sum
rm -rf "$sum"
for name in $(single_tests "$build" "$@"); do
	run=$build/runs/$name
	[ -f "$run/cost" ] || continue # added meanwhile
	read -r _ status < "$run/cost"
	[ "$status" = 0 ] || [ "$status" = 77 ] || echo "$name fails: see $run/output"
	[ -d "$run$build" ] || continue
	if [ -d "$sum" ]; then
		rm -rf "$sum.next"
		# What a killed process left half written cannot be added.
		gcov-tool merge -o "$sum.next" "$sum" "$run$build" 2> /dev/null ||
			{ echo "$name is left out: its counters cannot be read"; continue; }
		rm -rf "$sum" && mv "$sum.next" "$sum"
	else
		cp -r "$run$build" "$sum"
	fi
done
find "$build" -name '*.gcda' -not -path "$build/runs/*" -delete
cp -r "$sum/." "$build/"
gcovr --root . --object-directory "$build" --filter 'src/' --filter 'cmd/' --filter 'recorder/' \
	--exclude-directories "$build/runs" \
	--exclude-unreachable-branches --gcov-ignore-parse-errors --csv 2> /dev/null > "$build/coverage.csv"
awk -F, '
	# room: the folder, of a format its inner room.
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		room = $1
		sub(/\/[^\/]*$/, "", room)
		split("all " room " " $1, names, " ")
		for (i in names) {
			lines[names[i]] += $at["line_total"]
			line_run[names[i]] += $at["line_covered"]
			branches[names[i]] += $at["branch_total"]
			branch_run[names[i]] += $at["branch_covered"]
		}
	}
	END {
		printf "%-34s %7s %6s %6s\n", "room, file under 90 %", "lines", "run", "ways"
		for (name in lines)
			if (name !~ /\.[ch]$/ || line_run[name] < 0.9 * lines[name])
				printf "%-34s %7d %5.1f%% %5.1f%%\n", name, lines[name],
					100 * line_run[name] / lines[name],
					branches[name] ? 100 * branch_run[name] / branches[name] : 100
	}' "$build/coverage.csv" | sort

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# coverage.sh BUILD [SUITE…]: run the suites (unit cli fuzz) in BUILD, which `make coverage` made,
# and print how much of each room they run: lines and branches, in per cent.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift
[ $# -gt 0 ] || set -- unit cli fuzz
find "$build" -name '*.gcda' -delete
# Counters cost time, and a failing test is `make test`'s to tell.
CAIRN_TEST_TIMEOUT=600 bash scripts/run-tests.sh "$build" "$@" | tail -n 1
gcovr --root . --object-directory "$build" --filter 'src/' --filter 'cmd/' --filter 'recorder/' \
	--exclude-unreachable-branches --gcov-ignore-parse-errors --csv 2> /dev/null |
	awk -F, '
	# room: the folder, of a format its inner room.
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		room = $1
		sub(/\/[^\/]*$/, "", room)
		split("all " room, names, " ")
		for (i in names) {
			lines[names[i]] += $at["line_total"]
			line_run[names[i]] += $at["line_covered"]
			branches[names[i]] += $at["branch_total"]
			branch_run[names[i]] += $at["branch_covered"]
		}
	}
	END {
		printf "%-28s %7s %6s %6s\n", "room", "lines", "run", "ways"
		for (name in lines)
			printf "%-28s %7d %5.1f%% %5.1f%%\n", name, lines[name], 100 * line_run[name] / lines[name],
				branches[name] ? 100 * branch_run[name] / branches[name] : 100
	}' | sort

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh BUILD [NAME…] : run the fuzz targets, FUZZ_SECONDS each (60), or FUZZ_RUNS
# executions, with inputs of at most FUZZ_MAX_LEN bytes (4096: longer ones only make it slow).
# New inputs stay in BUILD/corpus; one that crashes is kept in BUILD/NAME-crash-* and belongs,
# once fixed, into tests/fuzz/corpus/NAME.
#
# BUILD/executions has a line for every run: target, executions, seconds, edges, and those
# of them that were first seen in the last tenth of the run. Sums over all runs come last.
set -u
build=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Else most of a short execution is the kernel giving and taking the same memory.
export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=4000000000 MALLOC_MMAP_THRESHOLD_=1000000000 MALLOC_TOP_PAD_=67108864
# shellcheck disable=SC2046 # the names are words
[ $# -gt 0 ] || set -- $(find "$build/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' | sed 's/.*fuzz_//' | sort)

# record NAME SECONDS: what libFuzzer's log of a run says, as a line of BUILD/executions. Edges are
# counted from when the corpus had been read.
record() {
	awk -v name="$1" -v seconds="$2" '
		/^#[0-9]+\t.* cov: / {
			for (i = 1; i < NF; i++)
				if ($i == "cov:") {
					at[++n] = substr($1, 2) + 0
					cov[n] = $(i + 1) + 0
				}
		}
		/^stat::number_of_executed_units:/ { runs = $2 }
		END {
			runs = runs > at[n] ? runs : at[n] + 0
			for (i = 1; i <= n && at[i] <= 0.9 * runs; i++)
				before = cov[i]
			print name, runs, seconds, cov[n] + 0, cov[n] - before
		}' "$build/fuzz-$1.log" >> "$build/executions"
	tail -n 1 "$build/executions" |
		awk '{ printf "%s: %d executions in %d s, %d edges, %d of them new in the last tenth\n", $1, $2, $3, $4, $5 }'
}

bad=0
for name; do
	seeds=$root/tests/fuzz/corpus/$name
	mkdir -p "$build/corpus/$name"
	[ -d "$seeds" ] || seeds=
	limit=-max_total_time=${FUZZ_SECONDS:-60}
	[ -z "${FUZZ_RUNS:-}" ] || limit=-runs=$FUZZ_RUNS
	SECONDS=0
	# libFuzzer's choice by rarity costs more than most executions.
	# shellcheck disable=SC2086
	"$build/tests/fuzz/fuzz_$name" "$limit" -timeout=10 -rss_limit_mb=2048 \
		-max_len="${FUZZ_MAX_LEN:-4096}" -entropic=0 -print_final_stats=1 -artifact_prefix="$build/$name-" \
		"$build/corpus/$name" $seeds > "$build/fuzz-$name.log" 2>&1
	rc=$?
	record "$name" $SECONDS
	[ $rc = 0 ] && continue
	bad=1
	tail -n 60 "$build/fuzz-$name.log"
done
awk '{ if ($1 == "command") command += $2; else library += $2 }
	END { printf "all runs so far: %d executions of the library, %d of the command\n", library, command }' \
	"$build/executions"
exit $bad

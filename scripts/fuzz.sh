#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh BUILD [NAME…] : run the fuzz targets, FUZZ_SECONDS each (60). New
# inputs stay in BUILD/corpus; one that crashes is kept in BUILD/NAME-crash-*
# and belongs, once fixed, into tests/fuzz/corpus/NAME.
set -u
build=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# shellcheck disable=SC2046 # the names are words
[ $# -gt 0 ] || set -- $(find "$build/tests/fuzz" -maxdepth 1 -type f -name 'fuzz_*' | sed 's/.*fuzz_//' | sort)
bad=0
for name; do
	seeds=$root/tests/fuzz/corpus/$name
	mkdir -p "$build/corpus/$name"
	[ -d "$seeds" ] || seeds=
	echo "== $name, ${FUZZ_SECONDS:-60} s"
	# shellcheck disable=SC2086
	"$build/tests/fuzz/fuzz_$name" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
		-max_len=65536 -print_final_stats=1 -artifact_prefix="$build/$name-" \
		"$build/corpus/$name" $seeds > "$build/fuzz-$name.log" 2>&1 &&
		grep -E '^(stat::|Done)' "$build/fuzz-$name.log" && continue
	bad=1
	tail -n 60 "$build/fuzz-$name.log"
done
exit $bad

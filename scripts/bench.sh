#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench.sh BUILD : run every benchmark program of a release build.
set -eu
found=0
for program in "$1"/tests/bench/bench_*; do
	[ -f "$program" ] && [ -x "$program" ] || continue
	found=1
	echo "== $(basename "$program")"
	"$program" "$1"
done
[ "$found" = 1 ] || { echo "bench: $1 has no benchmark programs" >&2; exit 1; }

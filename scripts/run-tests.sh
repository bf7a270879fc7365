#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run-tests.sh BUILD [[no-]SUITE…] : run the tests of a build folder and count their
# cases. The last line is `P passed, F failed, S skipped`; the exit status is 1
# when anything failed. VERBOSE=1 also names what was skipped; CAIRN_PATIENCE=4 gives
# each program four times as long.
set -u
build=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
# Meson would have every allocation filled, which takes most of the time of some tests; ubsan.sh does.
export MALLOC_PERTURB_=${MALLOC_PERTURB_:-0}
export CAIRN_TEST_DATA=${CAIRN_TEST_DATA:-$root/../shared/data}
args=()
for suite; do
	case $suite in
		no-*) args+=(--no-suite "${suite#no-}") ;;
		*) args+=(--suite "$suite") ;;
	esac
done

rm -f "$build/meson-logs/testlog.txt"
meson test -C "$build" --no-rebuild --num-processes "$(nproc)" \
	--timeout-multiplier "${CAIRN_PATIENCE:-1}" "${args[@]}" < /dev/null |
	sed -n 's/^ *\([0-9]*\/[0-9]*\) \(.*\)$/[\1] \2/p'
touch "$build/meson-logs/testlog.txt"
tally=$(awk -v showskips="${VERBOSE:-}" -f "$here/tally.awk" "$build/meson-logs/testlog.txt")
printf '%s\n' "$tally"
[[ "${tally##*$'\n'}" == *' 0 failed,'* ]]

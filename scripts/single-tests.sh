# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by coverage.sh and mutants.sh: the tests one by one, each a program or a golden file, named
# by its suite and file: unit/test_mix, cli/mix.t, interop/interop_rst, fuzz/replay_stf.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CAIRN_TEST_DATA=${CAIRN_TEST_DATA:-$root/../shared/data}
export CMOCKA_MESSAGE_OUTPUT=TAP
# An instrumented or a busy command may need longer than its 60 seconds.
export CAIRN_TEST_TIMEOUT=600

# single_tests BUILD SUITE…: their names.
single_tests() {
	local build=$1 suite
	shift
	for suite; do
		find "$build/tests/$suite" -maxdepth 1 -type f -executable \
			\( -name 'test_*' -o -name 'interop_*' -o -name 'replay_*' \) -printf "$suite/%f\n"
		find "$root/tests/$suite" -maxdepth 1 -name '*.t' -printf "$suite/%f\n"
	done | sort
}

# run_single SOURCE BUILD TEST: with the files of the tree SOURCE. Status 77: it skipped itself.
run_single() {
	export CAIRN_SOURCE=$1 CAIRN_BUILD=$2 EXAMPLES=$1/examples
	cd "$2" || return
	case $3 in
	*.t) bash "$1/tests/cli/run.sh" "$2/tests/cli/cli-runner" "$1/tests/$3" ;;
	fuzz/*) "tests/$3" "$1/tests/fuzz/corpus/${3#fuzz/replay_}" ;;
	*) "tests/$3" ;;
	esac
}

# counted_run BUILD TEST: of an instrumented build, what it ran into BUILD/runs/TEST, beside how many
# seconds it took and its exit status.
counted_run() {
	local begin=$EPOCHREALTIME folder=$1/runs/$2 status=0
	rm -rf "$folder"
	mkdir -p "$folder"
	GCOV_PREFIX=$folder timeout 3600 bash -c '. "$0" && run_single "$@"' "${BASH_SOURCE[0]}" \
		"$root" "$1" "$2" > "$folder/output" 2>&1 < /dev/null || status=$?
	awk -v begin="$begin" -v end="$EPOCHREALTIME" -v status="$status" \
		'BEGIN { printf "%.3f %d\n", end - begin, status }' > "$folder/cost"
}

# counted_runs BUILD SUITE…: of every test, unless nothing was built since it was run so. JOBS at a time.
counted_runs() {
	local build=$1 name cost
	single_tests "$@" | while read -r name; do
		cost=$build/runs/$name/cost
		if [ ! "$cost" -nt "$build/libcairn.a" ] || [ "$build/tests/$name" -nt "$cost" ] ||
			[ "$root/tests/$name" -nt "$cost" ]; then
			echo "$name"
		fi
	done | xargs -r -P "${JOBS:-$(nproc)}" -I '{}' bash -c '. "$0" && counted_run "$1" "$2"' "${BASH_SOURCE[0]}" "$build" '{}'
}

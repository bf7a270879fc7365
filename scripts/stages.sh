# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by .ci/run and test-long.sh: stages, each with its own count, and their sum.
#
# What failed is said again at the end, and the last line is the total, `P passed, F failed,
# S skipped`. A stage whose compiler cannot be had (exit status 77) counts as skipped.
set -o pipefail
passed=0 failed=0 skipped=0
log=$(mktemp) wrong=$(mktemp)
trap 'rm -f "$log" "$wrong"' EXIT

# stage NAME COMMAND…: run, show, and take the counts from its summary line. A
# stage without one counts as a single case by its exit status.
stage() {
	local name=$1 rc counts p f s
	shift
	printf '\n=== %s\n' "$name"
	SECONDS=0
	"$@" < /dev/null 2>&1 | tee "$log" | sed -E "s/^([0-9]+ passed, )/$name: \1/"
	rc=${PIPESTATUS[0]}
	counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
	if [ -n "$counts" ]; then
		read -r p _ f _ s _ <<< "$counts"
		[ "$rc" != 0 ] && [ "$f" = 0 ] && f=1
	elif [ "$rc" = 0 ]; then
		p=1 f=0 s=0
	elif [ "$rc" = 77 ]; then
		p=0 f=0 s=1 rc=0
	else
		p=0 f=1 s=0
	fi
	if [ "$rc" != 0 ]; then
		echo "$name: exit status $rc"
		# What the tests or the compiler said last, for the end.
		{ echo "--- $name"; grep -v '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 60; } >> "$wrong"
	fi
	echo "$name: $SECONDS s"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# The end of the script: false when anything failed.
stages_end() {
	cat "$wrong"
	echo
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}

fresh() { # fresh FOLDER OPTION…: a build folder with these options
	local folder=$1
	shift
	rm -rf "$folder"
	meson setup "$folder" -Dwerror=true -Dtests=enabled "$@" && ninja -C "$folder"
}

sanitized() { # sanitized [no-]SUITE…: these under AddressSanitizer and UndefinedBehaviorSanitizer
	# Optimised a little: the corpora are long. Leaks are errors.
	fresh build-asan -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 || return 1
	# A file that shrinks while it is mapped is the command's own to tell.
	export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1:handle_sigbus=0
	export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
	CAIRN_TEST_TIMEOUT=300 bash scripts/run-tests.sh build-asan "$@"
}

count_tap() { # the summary line of one program that writes TAP
	awk '{ print } /^ok .*# SKIP/ || /^not ok .*# SKIP/ { s++; next } /^ok/ { p++ } /^not ok|^Bail/ { f++ }
		/^1\.\./ { plan = substr($1, 4) + 0 }
		END { if (p + f + s < plan || !(p + f + s)) f++
			printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }'
}

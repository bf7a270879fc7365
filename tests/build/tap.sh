# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A few words for test scripts that report in TAP; read with `.`, not run.
# Run by hand, a script looks at the tree it lies in.
: "${CAIRN_SOURCE:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
tap_n=0
tap_bad=0

# check NAME COMMAND…: one test, passed when the command succeeds. What the
# command printed is shown when it fails.
check() {
	local name=$1 log
	shift
	tap_n=$((tap_n + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tap_n - $name"
	else
		tap_bad=$((tap_bad + 1))
		echo "not ok $tap_n - $name"
		printf '%s\n' "$log" | sed -n '1,40s/^/# /p'
	fi
}

# skip NAME REASON
skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

done_testing() {
	echo "1..$tap_n"
	[ "$tap_bad" = 0 ]
	exit
}

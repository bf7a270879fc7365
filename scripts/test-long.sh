#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test-long.sh [STAGE…]: what takes too long for every change, all of it or these stages.
# .ci/run has a part of each.
#
#   s390x i386 arm64 riscv64 armhf   all unit tests on other machines, emulated
#   sanitizers  AddressSanitizer and UndefinedBehaviorSanitizer, also over what takes long with them
#   clang       all of clang's checks of undefined behaviour over the unit tests
#   threads     ThreadSanitizer over what runs threads
#   faults      every allocation, system call and signal fails once (make faults)
#   own-output  more random traces through every changing verb
#   execution   2,000 encodings of each instruction against QEMU, and 10,000 changed bits of each
#               of five traces, which check --execute has to find
#   pipes       every verb and region of each damaged trace, from a file and from a pipe
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/stages.sh

threads() {
	[ -f build-tsan/build.ninja ] ||
		meson setup build-tsan -Dwerror=true -Dtests=enabled -Db_sanitize=thread -Db_lundef=false -Doptimization=1 ||
		return 1
	ninja -C build-tsan || return 1
	export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:handle_sigbus=0
	CAIRN_PATIENCE=8 CAIRN_TEST_TIMEOUT=600 bash scripts/run-tests.sh build-tsan threads cli
}

faults() {
	make --no-print-directory faults FAULTS_STRIDE=1 | count_tap
}

own_output() {
	CMOCKA_MESSAGE_OUTPUT=TAP EXAMPLES=$PWD/examples CAIRN_LONG=200 \
		build-test/tests/unit/test_own_output | count_tap
}

execution() {
	export CAIRN_SOURCE=$PWD CAIRN_BUILD=$PWD/build-test EXAMPLES=$PWD/examples
	export CAIRN_TEST_DATA=${CAIRN_TEST_DATA:-$PWD/../shared/data} CMOCKA_MESSAGE_OUTPUT=TAP
	for name in riscv riscv_vector arm64 arm64_sve sparc; do
		CAIRN_LONG=2000 "build-test/tests/unit/test_exec_$name"
	done | count_tap || return 1
	CAIRN_LONG=10000 build-test/tests/interop/interop_execute | count_tap
}

pipes() {
	export CAIRN_SOURCE=$PWD CAIRN_BUILD=$PWD/build-test EXAMPLES=$PWD/examples
	CAIRN_LONG=1 bash tests/cli/run.sh build-test/tests/cli/cli-runner tests/cli/pipe-damage.t | count_tap
}

all='s390x i386 arm64 riscv64 armhf sanitizers clang threads faults own-output execution pipes'
# shellcheck disable=SC2086 # the names are words
[ $# -gt 0 ] || set -- $all
for name; do
	case $name in
	s390x | i386 | arm64 | riscv64 | armhf) stage "$name" bash scripts/cross.sh "$name" ;;
	sanitizers) stage sanitizers sanitized unit cli interop fuzz ;;
	clang) stage clang bash scripts/ubsan.sh build-clang ;;
	threads) stage threads threads ;;
	faults) stage faults faults ;;
	own-output) stage own-output own_output ;;
	execution) stage execution execution ;;
	pipes) stage pipes pipes ;;
	*) echo "test-long.sh: no stage $name: $all" >&2; exit 2 ;;
	esac
done
stages_end

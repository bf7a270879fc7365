#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ubsan.sh BUILD [[no-]SUITE…] : build with clang and all of its undefined-behaviour checks, and run
# the unit tests, or these, with memory that is filled. A report is the end of a test. Without clang the exit status is 77.
set -u
build=$1
shift
cd "$(dirname "$0")/.." || exit 1
bash scripts/setup.sh build test clang || exit 77
checks=nullability,local-bounds,float-divide-by-zero
rm -rf "$build"
CC=clang meson setup "$build" -Dwerror=true -Dtests=enabled -Db_sanitize=undefined -Db_lundef=false \
	-Doptimization=1 -Dc_args="-fsanitize=$checks" -Dc_link_args="-fsanitize=$checks" &&
	ninja -C "$build" || exit 1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export CAIRN_TEST_TIMEOUT=300 MALLOC_PERTURB_=165 # what is not initialised is seen
bash scripts/run-tests.sh "$build" "${@:-unit}"

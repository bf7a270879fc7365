#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ubsan.sh BUILD : build with clang and all of its undefined-behaviour checks, and run the unit
# tests. A report is the end of a test.
set -u
build=$1
cd "$(dirname "$0")/.." || exit 1
checks=nullability,local-bounds,float-divide-by-zero
rm -rf "$build"
CC=clang meson setup "$build" -Dwerror=true -Dtests=enabled -Db_sanitize=undefined -Db_lundef=false \
	-Doptimization=1 -Dc_args="-fsanitize=$checks" -Dc_link_args="-fsanitize=$checks" &&
	ninja -C "$build" || exit 1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export CAIRN_TEST_TIMEOUT=300
bash scripts/run-tests.sh "$build" unit

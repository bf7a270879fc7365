#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tidy.sh BUILD : what clang-tidy finds in the sources of the library and the command; .clang-tidy
# says what is looked for. BUILD has been built. Without clang-tidy 14 the exit status is 77.
set -u
cd "$(dirname "$0")/.." || exit 1
bash scripts/setup.sh tidy || exit 77
tidy=$(command -v clang-tidy-14) || exit 77
find src cmd recorder -name '*.c' -print0 |
	xargs -0 -P "$(nproc)" -n 8 "$tidy" --quiet -p "$1" 2> /dev/null

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demo.sh COMMAND : three looks at a real trace from examples/, with the command
# lines that give them.
set -eu
cairn=$1
trace=$(find examples -maxdepth 1 -name '*.zstf' | sort | head -n 1)
if [ -z "$trace" ]; then
	echo "demo: there is no examples/*.zstf" >&2
	exit 1
fi

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}
show "$cairn" info "$trace"
show "$cairn" count "$trace"
show "$cairn" view "$trace" 1..20
printf '\nMore: %s --help\n' "$cairn"

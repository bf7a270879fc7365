#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs in examples/ compile, run, and leave what they say.
set -u
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
write_trace=$1 custom_codec=$2 write_rst=$3 ete_layers=$4 own_format=$5

check 'write_trace writes a .zstf' "$write_trace" "$work/t.zstf" 1000
check 'it begins as one' test "$(head -c 4 "$work/t.zstf")" = ZSTF
check 'write_trace writes raw STF' "$write_trace" "$work/t.stf" 1000
size() { wc -c < "$work/$1"; }
# a round has 60 bytes and, but for the last, a target of 9
"$write_trace" "$work/short.stf" 10
check 'with every record in it' test $(($(size t.stf) - $(size short.stf))) = $((990 * 69))
refused() { ! "$write_trace" "$work/none/t.zstf" 2> "$work/err" && grep -q none/t.zstf "$work/err"; }
check 'a folder that is not there is an error with its name' refused
check 'custom_codec writes and reads its own compression' \
	test "$("$custom_codec" "$work/t.stf.runs")" = '1024 instructions'
check 'which begins with its magic' test "$(head -c 4 "$work/t.stf.runs")" = RUNS
check 'write_rst writes an RST trace' "$write_rst" "$work/t.rst"
check 'which is the one the tests look at' cmp "$work/t.rst" "$CAIRN_SOURCE/examples/traps.rst"
layers() { "$ete_layers" "$work/code" | sed 's/^/# /' && return "${PIPESTATUS[0]}"; }
check 'ete_layers reads packets, elements, ranges and instructions, by the same verbs' layers
check 'and each layer tells the same run' test "$("$ete_layers" "$work/code" | tail -n 4 | paste -sd ' ')" = \
	'3000 atoms 5000 instructions in ranges 5000 instructions, one by one 5000 instructions, 2501 from the middle on'
printf '%s\n' 'pcs rv64' '# hello' '80000000 00000297' '80000004 8282' '80000000 00000297' 'nothing' \
	'80000004 8282' > "$work/t.pcs"
check 'own_format reads its own format' \
	test "$("$own_format" "$work/t.pcs")" = 'pcs: 4 instructions, 2 branches taken, 1 damaged places'
xz -k "$work/t.pcs"
check 'compressed, too, and converts it' \
	test "$("$own_format" "$work/t.pcs.xz" "$work/pcs.stf" | cut -d ' ' -f 2)" = 4
printf 'pcs x\n' > "$work/x.pcs"
no_set() { ! "$own_format" "$work/x.pcs" 2> "$work/err" && grep -q 'x.pcs: byte 0x0, record 1: "pcs" and' "$work/err"; }
check 'what breaks its rules is an error with its place' no_set
if [ -x "$CAIRN_BUILD/cairn" ]; then
	check 'cairn reads what it was converted to' \
		test "$("$CAIRN_BUILD/cairn" view "$work/pcs.stf" | grep -c 8282)" = 2
	check 'cairn reads it' "$CAIRN_BUILD/cairn" count "$work/t.zstf"
fi
done_testing

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# static.sh CAIRN STATIC : a command linked statically does what the ordinary one does. It has no
# disassembly, so encodings are compared.
set -u
ordinary=$1 static=$2
number=0 failed=0
same() {
	number=$((number + 1))
	if cmp -s <("$ordinary" "$@" 2>&1) <("$static" "$@" 2>&1); then
		echo "ok $number - $*"
	else
		echo "not ok $number - $*"
		diff <("$ordinary" "$@" 2>&1) <("$static" "$@" 2>&1) | head -n 5 | sed 's/^/# /'
		failed=1
	fi
}
[ "$("$static" --version | grep -c 'LLVM was not found')" = 1 ] || { echo "not ok - it has no LLVM"; exit 1; }
cd "$EXAMPLES" || exit 1
for trace in sort.zstf sort-v9.rst.xz sort-a64.vixl.xz sort-a64.snapshot; do
	same info "$trace"
	same count "$trace"
	same check "$trace"
	same view -D "$trace" 1..200
	same memory "$trace"
done
same calls --image sort.elf sort.zstf
same view -D --lines --image sort.elf sort.zstf 1..3
for codec in gzip xz zstd bzip2 lz4; do
	same convert sort.zstf --codec "$codec" -o -
done
echo "1..$number"
exit "$failed"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Record a RISC-V program with QEMU and the plugin in recorder/.
#
#   record.sh BUILD/cairn                      the sample traces in examples/ again
#   record.sh BUILD/cairn OUT PROGRAM [ARG…]   a program of yours: OUT is a .zstf, or
#                                              raw STF, compressed as its name ends
#   CHUNK=N   instructions in each chunk of a .zstf
#   MAX=N     stop recording after N instructions
set -euo pipefail

build=$(dirname "${1:?usage: record.sh BUILD/cairn [OUT PROGRAM [ARG…]]}")
shift
plugin=$build/recorder/cairn-recorder.so
cross=riscv64-linux-gnu-gcc

need() {
	command -v "$1" >/dev/null || {
		echo "record.sh: $1 is missing: apt-get install $2" >&2
		exit 1
	}
}
need qemu-riscv64 qemu-user
[ -f "$plugin" ] || { echo "record.sh: $plugin is missing: run make" >&2; exit 1; }

qemu=$(command -v qemu-riscv64)
version=$("$qemu" --version | sed -n 's/.*version \([0-9.]*\).*/\1/p' | head -n 1)
step=-singlestep # its name until QEMU 8.1
if "$qemu" -help | grep -q -- -one-insn-per-tb; then
	step=-one-insn-per-tb
fi

# record OUT PROGRAM [ARG…], in an empty environment so that the program's stack
# is where it was last time. A comma separates arguments of the plugin; doubled,
# it is a comma.
record() {
	local out=$1
	shift
	local args="$plugin,out=${out//,/,,},qemu=$version"
	args+=${CHUNK:+,chunk=$CHUNK}${MAX:+,max=$MAX}
	(exec -c -a qemu-riscv64 "$qemu" "$step" -plugin "$args" "$@")
}

if [ $# -gt 0 ]; then
	[ $# -ge 2 ] || { echo "record.sh: which program?" >&2; exit 1; }
	record "$@"
	exit
fi

need $cross gcc-riscv64-linux-gnu
$cross -std=gnu11 -O1 -Wall -Wextra -march=rv64gc -mabi=lp64d -mcmodel=medany \
	-ffreestanding -fno-math-errno -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fno-pie -no-pie -nostdlib -static -Wl,--build-id=none -Wl,-z,max-page-size=4096 \
	-o examples/sort.elf examples/sort.c
CHUNK=10000 record examples/sort.zstf examples/sort.elf
ls -l examples/sort.elf examples/sort.zstf

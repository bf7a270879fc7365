#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Record the traces in examples/ again: one small program, on three instruction sets, in
# every format. And build the programs in tests/programs/, which tests record.
#
#   record.sh BUILD/cairn
#
# The environment is empty so that the program's stack is where it was last time.
set -euo pipefail

cairn=${1:?usage: record.sh BUILD/cairn}
# shellcheck disable=SC2054 # the comma is the linker's
flags=(-std=gnu11 -O1 -Wall -Wextra -ffreestanding -fno-math-errno -fno-stack-protector
	-fno-asynchronous-unwind-tables -fno-pie -no-pie -nostdlib -static -Wl,--build-id=none)

# build MACHINE-OPTIONS… OUT, with the compiler for $1
build() {
	local cc=$1-linux-gnu-gcc
	shift
	command -v "$cc" > /dev/null || {
		echo "record.sh: $cc is missing: apt-get install gcc-${cc%-gcc}" >&2
		exit 1
	}
	"$cc" "${flags[@]}" "$@"
}
record() { env -i PATH="$PATH" "$cairn" capture -q "$@"; }

build riscv64 -march=rv64gc -mabi=lp64d -mcmodel=medany -Wl,-z,max-page-size=4096 \
	-o examples/sort.elf examples/sort.c
build aarch64 -mno-outline-atomics -Wl,-z,max-page-size=4096 -DCOUNT=8 \
	-o examples/sort-a64.elf examples/sort.c
build sparc64 -mcpu=v9 -DCOUNT=8 -o examples/sort-v9.elf examples/sort.c

record -o examples/sort.zstf --to stf:container=zstf,chunk=10000 -- examples/sort.elf
record -o examples/sort-a64.vixl.xz -- examples/sort-a64.elf
rm -rf examples/sort-a64.snapshot
record -o examples/sort-a64.snapshot -- examples/sort-a64.elf
record -o examples/sort-v9.rst.xz -- examples/sort-v9.elf
du -sb examples/sort*

numbers=(-O2 -frounding-math -ftrapping-math)
build riscv64 "${numbers[@]}" -march=rv64gc -mabi=lp64d -mcmodel=medany -Wl,-z,max-page-size=4096 \
	-o tests/programs/numbers-rv64.elf tests/programs/numbers.c
build aarch64 "${numbers[@]}" -Wl,-z,max-page-size=4096 \
	-o tests/programs/numbers-a64.elf tests/programs/numbers.c
build sparc64 "${numbers[@]}" -mcpu=v9 -o tests/programs/numbers-v9.elf tests/programs/numbers.c
build riscv64 -march=rv64gcv -mabi=lp64d -Wl,-z,max-page-size=4096 \
	-o tests/programs/vectors-rv64.elf tests/programs/vectors.S
build aarch64 -O3 -ffast-math -march=armv8-a+sve -Wl,-z,max-page-size=4096 \
	-o tests/programs/lanes-a64.elf tests/programs/lanes.c
du -sb tests/programs/*.elf

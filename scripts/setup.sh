#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh GROUP… : see that this machine has what the groups need.
#
# As root, installs what is missing with apt-get; otherwise prints the line to
# run. Without a required package it ends with status 1; without one that only
# adds something it says so and goes on. `setup.sh --list` prints the table.
set -u

# group  need      package            what for
table='
build    required  gcc                the compiler
build    required  libc6-dev          its headers
build    required  meson              describes the build
build    required  ninja-build        runs the build
build    required  pkg-config         finds the libraries below
build    required  libzstd-dev        zstd, and the chunks of .zstf
build    required  zlib1g-dev         gzip
build    required  liblzma-dev        xz
build    optional  libbz2-dev         bzip2
build    optional  liblz4-dev         lz4
build    optional  libelf-dev         program images and symbols from ELF files
build    optional  libdw-dev          source lines of program images (view --lines)
build    optional  libllvm19          disassembly; only the run-time library, loaded when first needed
build    optional  scdoc              manual pages
test     required  libcmocka-dev      unit tests
test     optional  libjansson-dev     reads back the JSON that cairn writes
test     optional  libssl-dev         ciphers and hashes to compare the execution model with
test     optional  g++                the headers must also be C++
test     optional  binutils           nm and readelf look at the installed library
test     optional  clang-format-14    holds the layout of the source
test     optional  codespell          finds misspelled words
test     optional  shellcheck         finds mistakes in scripts
test     optional  zstd               the codecs against their own tools
test     optional  gzip               the codecs against their own tools
test     optional  xz-utils           the codecs against their own tools
test     optional  bzip2              the codecs against their own tools
test     optional  lz4                the codecs against their own tools
clang    required  clang              the second compiler, and libFuzzer
clang    required  libclang-rt-dev    its sanitizers and libFuzzer
coverage required  gcovr              counts what the tests run
tidy     required  clang-tidy-14      looks for what is probably wrong
record   required  qemu-user          runs programs while cairn capture records them
record   required  gcc-riscv64-linux-gnu  builds the recorded programs
record   required  gcc-aarch64-linux-gnu  builds the recorded programs
record   required  gcc-sparc64-linux-gnu  builds the recorded programs
cross    required  qemu-user          runs the tests of other machines
cross-s390x    required  gcc-s390x-linux-gnu        builds for this machine
cross-s390x    required  libc6-dev-s390x-cross      its headers
cross-i386     required  gcc-i686-linux-gnu         builds for this machine
cross-i386     required  libc6-dev-i386-cross       its headers
cross-arm64    required  gcc-aarch64-linux-gnu      builds for this machine
cross-arm64    required  libc6-dev-arm64-cross      its headers
cross-armhf    required  gcc-arm-linux-gnueabihf    builds for this machine
cross-armhf    required  libc6-dev-armhf-cross      its headers
cross-riscv64  required  gcc-riscv64-linux-gnu      builds for this machine
cross-riscv64  required  libc6-dev-riscv64-cross    its headers
'

if [ "${1:-}" = --list ]; then
	printf '%s' "$table" | sed 1d
	exit 0
fi
if ! command -v dpkg-query > /dev/null; then
	echo "setup: not a Debian system; see scripts/setup.sh --list for what is needed" >&2
	exit 0
fi

# missing NEED GROUP… : the packages of these groups that are not installed
missing() {
	local need=$1 wanted
	shift
	wanted=$(printf '%s' "$table" | awk -v need="$need" -v groups=" $* " \
		'NF && $2 == need && index(groups, " " $1 " ") { print $3 }')
	[ -n "$wanted" ] || return 0
	# shellcheck disable=SC2086
	{ dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2> /dev/null; printf 'asked %s\n' $wanted; } |
		awk '$1 == "installed" { have[$2] = 1 } $1 == "asked" && !have[$2] { print $2 }'
}
words() { tr '\n' ' ' | sed 's/ $//'; }

required=$(missing required "$@" | words)
optional=$(missing optional "$@" | words)
[ -n "$required$optional" ] || exit 0

line="apt-get install -y --no-install-recommends $required${required:+${optional:+ }}$optional"
# What could not be had once is not asked for again at every run.
tried=$(cd "$(dirname "$0")/.." && pwd)/build/.setup-tried
if [ -z "$required" ] && [ "$(cat "$tried" 2> /dev/null)" = "$optional" ]; then
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	echo "setup: packages are missing; run this, then again what you ran:" >&2
	echo "    sudo apt-get update && sudo $line" >&2
	[ -z "$required" ] && echo "setup: going on without: $optional" >&2
	[ -z "$required" ]
	exit
fi

export DEBIAN_FRONTEND=noninteractive
install() {
	apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 "$@" < /dev/null
}
echo "setup: $line" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt-get update -qq < /dev/null > "$log" 2>&1 || { sed 's/^/setup: /' "$log" >&2; }
# shellcheck disable=SC2086
if ! install $required $optional > "$log" 2>&1; then
	# One package that this release does not have must not keep out the others.
	for package in $required $optional; do
		install "$package" > "$log" 2>&1 || { echo "setup: cannot install $package:"; tail -n 3 "$log"; } >&2
	done
fi

optional=$(missing optional "$@" | words)
if [ -n "$optional" ]; then
	echo "setup: going on without: $optional" >&2
	mkdir -p "${tried%/*}"
	echo "$optional" > "$tried"
fi
required=$(missing required "$@" | words)
if [ -n "$required" ]; then
	echo "setup: cannot go on without: $required" >&2
	exit 1
fi

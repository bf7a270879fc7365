#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cross.sh ARCH [SUITE] : build for another machine and run the unit tests there, all of them
# or a suite (quick: without those that take long in an emulator).
#
# The compiler and qemu-user are Debian's packages (setup.sh cross cross-ARCH). The libraries are
# unpacked below the build folder, so that this machine's own packages and its list of
# architectures stay as they are. What cannot be had is exit status 77 and a sentence.
# The given traces are left out, unless CAIRN_CROSS_DATA names their folder: some need more
# memory than a 32-bit machine has.
set -eu
cd "$(dirname "$0")/.."
arch=${1:?usage: cross.sh s390x|i386|arm64|armhf|riscv64 [SUITE]}
case $arch in
s390x) triplet=s390x-linux-gnu family=s390x endian=big qemu=qemu-s390x ;;
i386) triplet=i686-linux-gnu family=x86 endian=little qemu=qemu-i386 ;;
arm64) triplet=aarch64-linux-gnu family=aarch64 endian=little qemu=qemu-aarch64 ;;
armhf) triplet=arm-linux-gnueabihf family=arm endian=little qemu=qemu-arm ;;
riscv64) triplet=riscv64-linux-gnu family=riscv64 endian=little qemu=qemu-riscv64 ;;
*) echo "cross.sh: no recipe for $arch" >&2; exit 2 ;;
esac
folder=build-$arch
# The tests put 64-bit numbers into sizes freely; the library's own conversions are warnings.
lenient=
case $arch in i386 | armhf) lenient=", '-Wno-error=conversion'" ;; esac
root=$PWD/$folder/root
libs=$root/usr/lib/${triplet/i686/i386}

skip() {
	echo "cross.sh: $arch is skipped: $1"
	exit 77
}

# The libraries that meson.build asks for, and the one of the tests.
unpack_libraries() {
	local apt=$PWD/$folder/apt options
	rm -rf "$apt" "$root"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs" "$root"
	: > "$apt/status"
	options=(-o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State=$apt"
		-o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status"
		-o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
	# A list that could not be had matters only if a package is missing then.
	apt-get "${options[@]}" update -qq || true
	(cd "$apt/debs" && apt-get "${options[@]}" download -qq libzstd-dev libzstd1 zlib1g-dev \
		zlib1g liblzma-dev liblzma5 libbz2-dev libbz2-1.0 liblz4-dev liblz4-1 libelf-dev \
		libelf1 libdw-dev libdw1 libcmocka-dev libcmocka0 libjansson-dev libjansson4) ||
		skip "Debian's libraries for $arch cannot be had here"
	for package in "$apt"/debs/*.deb; do
		dpkg -x "$package" "$root"
	done
	# Some lie in /lib, and links between them are absolute: bring them together.
	if [ -d "$root/lib" ]; then
		cp -a "$root"/lib/*/. "$libs"
	fi
	find "$libs" -maxdepth 1 -type l | while read -r link; do
		ln -sfn "$(basename "$(readlink "$link")")" "$link"
	done
	rm -rf "$apt"
}

bash scripts/setup.sh cross "cross-$arch" || skip 'its compiler or its emulator cannot be installed here'
# A machine that runs these programs itself does so: qemu-i386 hangs where threads begin.
loader=/usr/$triplet/lib/ld-linux.so.2
wrapper="'$qemu', '-L', '/usr/$triplet', '-E', 'LD_LIBRARY_PATH=$libs'" own=
if [ "$arch" = i386 ] && "$loader" --version > /dev/null 2>&1; then
	wrapper="'env'"
	own=", '-Wl,--dynamic-linker=$loader,--disable-new-dtags,-rpath,$libs:${loader%/*}'"
fi
ccache=
command -v ccache > /dev/null && ccache="'ccache', "
if [ ! -f "$folder/cross.ini" ]; then
	unpack_libraries
	cat > "$folder/cross.ini" <<-END
		[binaries]
		c = [$ccache'$triplet-gcc']
		ar = '$triplet-ar'
		strip = '$triplet-strip'
		pkgconfig = 'pkg-config'
		exe_wrapper = [$wrapper]
		[built-in options]
		c_args = ['-I$root/usr/include', '-I$root/usr/include/${libs##*/}'$lenient]
		c_link_args = ['-L$libs', '-Wl,-rpath-link,$libs'$own]
		[properties]
		needs_exe_wrapper = true
		sys_root = '$root'
		pkg_config_libdir = '$libs/pkgconfig'
		[host_machine]
		system = 'linux'
		cpu_family = '$family'
		cpu = '$family'
		endian = '$endian'
	END
fi
[ -f "$folder/build.ninja" ] ||
	meson setup "$folder" --cross-file "$folder/cross.ini" -Dwerror=true -Dtests=enabled \
		-Doptimization=1 -Ddebug=false > "$folder/setup.log" || { tail "$folder/setup.log"; exit 1; }
ninja -C "$folder" > "$folder/build.log" 2>&1 || { grep -v '^\[' "$folder/build.log" | tail -n 60; exit 1; }
CAIRN_PATIENCE=8 CAIRN_TEST_DATA=${CAIRN_CROSS_DATA:-none} bash scripts/run-tests.sh "$folder" "${2:-unit}"

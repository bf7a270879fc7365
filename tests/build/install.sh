#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `make install` leaves behind: the command, the library and its name, the
# headers, cairn.pc, manual pages; and that a stranger's program compiles, links
# and runs against it, in C and in C++.
set -u
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dest=$work/dest

check 'install into a scratch folder' meson install -C "$CAIRN_BUILD" --no-rebuild --quiet --destdir "$dest"
pc=$(find "$dest" -name cairn.pc)
lib=$(dirname "$(dirname "${pc:-/none/none/none}")")
prefix=$(sed -n 's/^prefix=//p' "$pc" 2>/dev/null)
root=$dest$prefix

check 'cairn.pc is there' test -n "$pc"
so=$(find "$lib" -maxdepth 1 -name 'libcairn.so.*' -type f)
check 'the shared library is there' test -f "$so"
soname_is() { readelf -d "$1" | grep -q "SONAME.*\[$2\]"; }
check 'its soname is libcairn.so.0' soname_is "$so" libcairn.so.0
check 'the links to it are there' test -e "$lib/libcairn.so" -a -e "$lib/libcairn.so.0"
check 'the static library is there' test -f "$lib/libcairn.a"
for h in "$CAIRN_SOURCE"/include/cairn/*.h; do
	check "header $(basename "$h")" cmp "$h" "$root/include/cairn/$(basename "$h")"
done
check 'header version.h' cmp "$CAIRN_BUILD/include/cairn/version.h" "$root/include/cairn/version.h"

# What else leaks would be promised to everybody until the next soname.
# Its symbols without their version nodes, which are symbols, too.
exported() { nm -D --defined-only "$so" | awk '$2 != "A" {sub(/@.*/, "", $NF); print $NF}'; }
foreign() { exported | grep -v '^cairn_'; }
only_ours() {
	local names
	names=$(foreign)
	test -z "$names" || { echo "$names"; false; }
}
check 'the library shows only cairn_ symbols' only_ours

# Declared with CAIRN_API, yet not in the library: links for nobody.
absent() {
	local names
	sed -n 's/^CAIRN_API.*[ *]\(cairn_[a-z0-9_]*\)(.*/\1/p' "$CAIRN_SOURCE"/include/cairn/*.h | sort -u > "$work/declared"
	exported | sort -u > "$work/defined"
	names=$(comm -23 "$work/declared" "$work/defined")
	test -z "$names" || { echo "declared but not defined:"; echo "$names"; false; }
}
check 'every declared function is in it' absent
# Exported, yet declared nowhere: nobody could call it, and nobody may take it away.
undeclared() {
	local names
	names=$(comm -13 "$work/declared" "$work/defined" | grep '^cairn_')
	test -z "$names" || { echo "defined but not declared:"; echo "$names"; false; }
}
check 'and nothing else' undeclared
# A program says which node it was linked with, so that a later library can keep both.
versioned() {
	local names
	names=$(readelf --dyn-syms --wide "$so" | awk '$7 != "UND" && $8 ~ /^cairn_/ {print $8}' | grep -v '@@CAIRN_0$')
	test -z "$names" || { echo "without the version node CAIRN_0:"; echo "$names"; false; }
}
check 'each with its version node' versioned

if [ -x "$CAIRN_BUILD/cairn" ]; then
	check 'the command is there and runs' "$root/bin/cairn" --version
fi
if ls "$CAIRN_BUILD"/docs/*.1 > /dev/null 2>&1; then
	for page in "$CAIRN_BUILD"/docs/*.[13]; do
		name=$(basename "$page")
		check "manual page $name" test -f "$root/share/man/man${name##*.}/$name"
	done
else
	skip 'manual pages' 'built without scdoc'
fi

cat > "$work/t.c" <<'C'
#include <cairn/cairn.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	struct cairn *c = cairn_new(NULL);
	if (!c)
		return 1;
	printf("status %d\n", cairn_error_status(c));
	if (strcmp(cairn_version(), CAIRN_VERSION_TEXT) || CAIRN_VERSION < CAIRN_VERSION_MAJOR * 10000)
		return 1;
	cairn_free(c);
	return 0;
}
C
cp "$work/t.c" "$work/t.cc"
export PKG_CONFIG_PATH=$lib/pkgconfig
flags=$(pkg-config --define-variable=prefix="$root" --cflags --libs cairn)
check 'pkg-config knows it' test -n "$flags"
runs() { LD_LIBRARY_PATH=$lib "$1" | grep -q '^status 0$'; }
# shellcheck disable=SC2086
{
	check 'a C program compiles' ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror "$work/t.c" -o "$work/c" $flags
	check 'and runs' runs "$work/c"
	sed -n '/^```c$/,/^```$/{/^```/!p}' "$CAIRN_SOURCE/README.md" > "$work/readme.c"
	check 'the program in the README compiles' ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror "$work/readme.c" -o "$work/readme" $flags
	for trace in "$CAIRN_SOURCE"/examples/*.zstf; do
		[ -f "$trace" ] || continue
		counts() { LD_LIBRARY_PATH=$lib "$work/readme" "$trace" | grep -qE '^[1-9][0-9]* bytes stored$'; }
		check "and counts the stores of $(basename "$trace")" counts
	done
	static=$(pkg-config --static --define-variable=prefix="$root" --cflags --libs cairn)
	check 'it links with the static library' ${CC:-cc} "$work/t.c" -o "$work/s" ${static/-lcairn/$lib/libcairn.a}
	check 'and runs without the shared one' "$work/s"
	if command -v "${CXX:-c++}" > /dev/null; then
		check 'a C++ program compiles' "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror "$work/t.cc" -o "$work/cc" $flags
		check 'and runs, too' runs "$work/cc"
	else
		skip 'a C++ program compiles' 'no C++ compiler'
	fi
}
done_testing

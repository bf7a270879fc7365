#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The programs that docs/formats/new-format.md shows are those that the tests compile: a block of C
# behind a line with (`PATH.c` is that file. UPDATE=1 puts the files into the page.
set -u
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$CAIRN_SOURCE" || exit 1

# with_files PAGE: the page with the files as they are.
with_files() {
	awk '
	/\(`[^`]*\.c`/ { path = $0; sub(/.*\(`/, "", path); sub(/`.*/, "", path); named = NR }
	/^```$/ && inside { inside = 0 }
	!inside { print }
	/^```c$/ && path && NR - named <= 2 {
		inside = 1
		while ((getline line < path) > 0)
			print line
		close(path)
		path = ""
	}' "$1"
}

page=docs/formats/new-format.md
with_files "$page" > "$work/page"
[ -z "${UPDATE:-}" ] || cp "$work/page" "$page"
check 'the programs in new-format.md are the files' diff -u "$page" "$work/page"
check 'and there are two' test "$(grep -c '^#include <cairn/cairn.h>\|^#include "text/text.h"' "$page")" = 2

# A page that says something else is noticed.
sed 's/static int pcs_next/static int pcs_other/' "$page" > "$work/wrong.md"
with_files "$work/wrong.md" > "$work/page"
wrong() { ! cmp -s "$work/page" "$work/wrong.md"; }
check 'another program would be noticed' wrong
done_testing

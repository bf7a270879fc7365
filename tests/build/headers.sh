#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, twice in a row, as strict C11 and as C++17.
set -u
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warn='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'

for header; do
	name=cairn/$(basename "$header")
	printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' "$name" "$name" > "$work/t.c"
	cp "$work/t.c" "$work/t.cc"
	# shellcheck disable=SC2086
	check "$name in C11" ${CC:-cc} -std=c11 $warn -Wstrict-prototypes -I "$CAIRN_SOURCE/include" -I "$CAIRN_BUILD/include" "$work/t.c"
	if command -v "${CXX:-c++}" > /dev/null; then
		# shellcheck disable=SC2086
		check "$name in C++17" "${CXX:-c++}" -std=c++17 $warn -I "$CAIRN_SOURCE/include" -I "$CAIRN_BUILD/include" "$work/t.cc"
	else
		skip "$name in C++17" 'no C++ compiler'
	fi
done

# A header that nobody installs would be found by nobody.
missing=
for header in "$CAIRN_SOURCE"/include/cairn/*.h; do
	case " $* " in *"/$(basename "$header") "*) ;; *) missing="$missing $(basename "$header")" ;; esac
done
check "every public header is installed$missing" test -z "$missing"
done_testing

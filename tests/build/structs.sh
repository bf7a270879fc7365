#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every public struct is sized, made by the library, or of a fixed size, as cairn/cairn.h promises;
# and the fixed sizes are those it promises.
set -u
. "$(dirname "$0")/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
door=$CAIRN_SOURCE/include/cairn/cairn.h

# The lists of the comment: "cairn_x" under "Made by the library", "cairn_x 24" under "Fixed".
sed -n '/^ \* Made by/,/^ \*$/p' "$door" | grep -o '\bcairn_[a-z0-9_]*' | grep -v '^cairn_batch_new$' | sort > "$work/made"
sed -n '/^ \* Fixed/,/^ \*\//p' "$door" | grep -o '\bcairn_[a-z0-9_]* [0-9]*' | sort > "$work/fixed"
cut -d ' ' -f 1 "$work/fixed" > "$work/fixed_names"

# Each struct of a header, with its first member that is not a comment.
structs() {
	cat "$@" | awk '
		{
			code = ""
			for (;;) {
				at = index($0, inside ? "*/" : "/*")
				if (!inside)
					code = code (at ? substr($0, 1, at - 1) : $0)
				if (!at)
					break
				$0 = substr($0, at + 2)
				inside = !inside
			}
			$0 = code
		}
		/^struct cairn_[a-z0-9_]* \{/ { name = $2; next }
		name && NF { sub(/^[ \t]+/, ""); print name "\t" $0; name = "" }'
}
structs "$@" > "$work/all"
check 'there are structs to look at' test "$(wc -l < "$work/all")" -gt 50
grep -P '\tsize_t size;' "$work/all" | cut -f 1 | sort > "$work/sized"
cut -f 1 "$work/all" | sort > "$work/names"

is_empty() { test ! -s "$1" || { cat "$1"; false; }; }
cat "$work/sized" "$work/made" "$work/fixed_names" | sort > "$work/known"
comm -23 "$work/names" "$work/known" > "$work/neither"
check 'every struct is sized, made by the library, or fixed' is_empty "$work/neither"
comm -13 "$work/names" "$work/known" > "$work/gone"
check 'every struct that is listed is there' is_empty "$work/gone"
uniq -d "$work/known" > "$work/twice"
check 'and is of one kind' is_empty "$work/twice"

# A struct that nobody has classified is noticed.
printf 'struct cairn_new_thing {\n\tuint64_t number;\n};\n' > "$work/new.h"
structs "$work/new.h" | cut -f 1 | comm -23 - "$work/known" > "$work/noticed"
check 'a new struct without a size is noticed' test "$(cat "$work/noticed")" = cairn_new_thing

{
	echo '#include "cairn/cairn.h"'
	sed 's/\(.*\) \(.*\)/_Static_assert(sizeof(void *) != 8 || sizeof(struct \1) == \2, "\1");/' "$work/fixed"
} > "$work/t.c"
check 'fixed structs have the sizes promised' ${CC:-cc} -std=c11 -fsyntax-only -I "$CAIRN_SOURCE/include" -I "$CAIRN_BUILD/include" "$work/t.c"
sed 's/== \([0-9]*\)/== 1\1/' "$work/t.c" > "$work/wrong.c"
wrong() { ! ${CC:-cc} -std=c11 -fsyntax-only -I "$CAIRN_SOURCE/include" -I "$CAIRN_BUILD/include" "$work/wrong.c" 2> "$work/err"; }
check 'and others would be noticed' wrong
done_testing

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rooms.sh BUILD : arrows between rooms point downward only, by the symbols of the objects.
#
# And that the command stands on the public door alone: what a user of the library cannot do, it
# does not do either.
#
# The order of the rooms is the one of docs/architecture.md. A format's room knows no other
# format's, and its inner rooms have an order of their own.
set -u
. "$(dirname "$0")/tap.sh"
build=$1
cd "$CAIRN_SOURCE" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# object FILE: what the build calls the object of a source file.
find src cmd -name '*.c' | while read -r file; do
	name=${file//\//_}.o
	for folder in "$build"/libcairn.so.*.p "$build"/libcairn-verbs.a.p "$build"/cairn.p; do
		[ -f "$folder/$name" ] || continue
		nm "$folder/$name" | sed "s|^|$file |"
		break
	done
done > "$work/symbols"

# arrows: FROM TO SYMBOL, between files.
awk 'NF == 4 && $3 ~ /[A-Z]/ { at[$4] = $1 }
	NF == 3 && $2 == "U" { need[++n] = $1 " " $3 }
	END {
		for (i = 1; i <= n; i++) {
			split(need[i], u, " ")
			if (u[2] in at && at[u[2]] != u[1])
				print u[1], at[u[2]], u[2]
		}
	}' "$work/symbols" | sort -u > "$work/arrows"

check 'the objects have symbols' test "$(wc -l < "$work/arrows")" -gt 1000

# upward: arrows to a room that is not below, or to another format.
upward() {
	awk '
	BEGIN {
		n = split("cmd export analysis capture open formats text check lockstep kit model exec isa image io base", order, " ")
		for (i = 1; i <= n; i++)
			rank[order[i]] = i
		# Within a format; what lies in its folder itself knows all of it.
		n = split("check change write read packing stream line record", order, " ")
		for (i = 1; i <= n; i++)
			inner[order[i]] = i
	}
	# What lies in src itself knows all formats.
	function room(path, part, n) {
		n = split(path, part, "/")
		return part[1] == "cmd" ? "cmd" : n == 2 ? "open" : part[2]
	}
	function format(path, part) { return split(path, part, "/") > 3 ? part[3] : "" }
	function depth(path, part) { return split(path, part, "/") > 4 ? inner[part[4]] : 0 }
	{
		from = room($1); to = room($2)
		if (!(from in rank) || !(to in rank))
			print "no such room: " $0
		else if (rank[to] < rank[from] || (from == "formats" && to == from && format($1) != format($2)) ||
		    (from == "formats" && to == from && depth($2) < depth($1)))
			print $1 " needs " $3 " of " $2
	}' "$work/arrows" > "$work/upward"
	cat "$work/upward"
	[ ! -s "$work/upward" ]
}
check 'arrows between rooms point downward' upward

# behind_the_door: what the command uses of the library and include/cairn does not declare.
behind_the_door() {
	sed -n 's/^CAIRN_API.*[ *]\(cairn_[a-z0-9_]*\)(.*/\1/p' include/cairn/*.h | sort -u > "$work/declared"
	awk 'NR == FNR { public[$1] = 1; next }
		$1 ~ /^cmd\// && $2 ~ /^src\// && !($3 in public) { print $1 " uses " $3 " of " $2 }' \
		"$work/declared" "$work/arrows"
	grep -H '^#include "' cmd/*.c cmd/*.h | tr -d '"' | sed 's/:#include//' | while read -r file header; do
		[ -f "cmd/$header" ] || [ -f "include/$header" ] || echo "$file includes $header"
	done
}
check 'the command uses of the library' test "$(grep -c '^cmd/.* src/.* cairn_' "$work/arrows")" -gt 100
stays_outside() {
	behind_the_door > "$work/behind"
	cat "$work/behind"
	[ ! -s "$work/behind" ]
}
check 'the command uses only what include/cairn declares' stays_outside
done_testing

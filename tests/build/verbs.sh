#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# verbs.sh CAIRN : every verb has its manual page, which has all its options and no others, a line
# on cairn(1), and a golden test. What a verb takes is asked of the command itself.
set -u
. "$(dirname "$0")/tap.sh"
cairn=$(realpath "$1")
cd "$CAIRN_SOURCE" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
main=docs/man/cairn.1.scd

# options VERB: a line for each option it takes, "--name" or "--name -x".
options() {
	"$cairn" "$1" --help | sed -n '/^Options:/,/^$/p' |
		sed -n 's/^  -\(.\), \(--[a-z-]*\).*/\2 -\1/p; s/^      *\(--[a-z-]*\).*/\1/p'
}

# entries PAGE: the options at the head of its entries.
entries() { grep '^\*-' "$1" | grep -o -- '\*-[-A-Za-z]*' | tr -d '*'; }

undocumented() {
	options "$1" | while read -r long short; do
		grep -qE -- "\*${long}[* =]${short:+|\*$short\*}" "$2" "$main" || echo "$2 lacks $long"
	done
}

untaken() {
	options "$1" > "$work/takes"
	entries "$2" | sort -u | while read -r option; do
		case $option in
		--*) grep -q -- "^$option\( \|$\)" "$work/takes" || echo "$2 has $option, which $1 does not take" ;;
		*) # letters that stand together: -rm
			fold -w1 <<< "${option#-}" | while read -r letter; do
				grep -q -- " -$letter$" "$work/takes" || echo "$2 has -$letter, which $1 does not take"
			done ;;
		esac
	done
}

# verb NAME: what is wrong with its page.
verb() {
	local page=docs/man/cairn-$1.1.scd
	[ -f "$page" ] || { echo "$page is missing"; return; }
	[ -n "$(options "$1")" ] || echo "cairn $1 --help lists no option"
	grep -q "^cairn-$1 - " "$page" || echo "$page: no line cairn-$1 - …"
	grep -q "^\*cairn $1\b" "$page" || echo "$page: no synopsis"
	grep -qE "cairn-$1\*?\(1\)" "$main" || echo "$main does not name cairn-$1(1)"
	grep -lq "cairn $1 " tests/cli/*.t || echo "no golden test runs cairn $1"
	undocumented "$1" "$page"
	untaken "$1" "$page"
}
right() {
	verb "$1" > "$work/wrong"
	cat "$work/wrong"
	[ ! -s "$work/wrong" ]
}

names=$(sed -n 's/^VERB(.*, \([a-z]*\))$/\1/p' cmd/verbs.h)
check 'there are verbs' test "$(wc -w <<< "$names")" -gt 20
for name in $names; do
	check "verb $name" right "$name"
done
done_testing

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# verbs.sh CAIRN : every verb has its manual page, a golden test, and what follows from its struct and
# the table of options stands on the page as `cairn VERB --help` has it (page.awk). UPDATE=1 writes
# that into the pages, and begins the page of a new verb.
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
		sed -n 's/^  -\(.\), \(--[a-z-]*\).*/\2 -\1/p; s/^ \{6\}\(--[a-z-]*\).*/\1/p'
}

# A page of a verb that has none yet: an entry for each option that cairn(1) does not explain.
new_page() {
	printf '%s\n\n; SPDX-License-Identifier: Apache-2.0\n\n# NAME\n\n# SYNOPSIS\n\n# DESCRIPTION\n\n# OPTIONS\n\n' "cairn-$1(1)"
	options "$1" | while read -r long _; do
		grep -q -- "\*$long\*" "$main" || [ "$long" = --help ] || printf '*%s*\n\t.\n\n' "$long"
	done
	printf '# EXAMPLES\n\n# SEE ALSO\n\n*cairn*(1)\n'
}

# page VERB: its page (of no verb cairn(1)) is as --help wants it.
page() {
	local page=docs/man/cairn${1:+-$1}.1.scd
	"$cairn" ${1:+"$1"} --help > "$work/help"
	[ -f "$page" ] || [ -z "${UPDATE:-}" ] || new_page "$1" > "$page"
	[ -f "$page" ] || { echo "$page is missing: UPDATE=1 begins it"; return; }
	awk -f tests/build/page.awk "$work/help" "$main" "$page" 2>&1 > "$work/page" | sed "s,^,$page: ,"
	[ -z "${UPDATE:-}" ] || [ ! -s "$work/help" ] || cp "$work/page" "$page"
	diff "$page" "$work/page" > "$work/diff" || { echo "$page is not as --help wants it: UPDATE=1"; cat "$work/diff"; }
}

# verb NAME: what is wrong with it.
verb() {
	page "$1"
	[ -n "$(options "$1")" ] || echo "cairn $1 --help lists no option"
	grep -qE "cairn-$1\*?\(1\)" <(sed -n '/^# SEE ALSO/,$p' "$main") || echo "$main does not name cairn-$1(1)"
	grep -lq "cairn $1 " tests/cli/*.t || echo "no golden test runs cairn $1"
}
right() {
	"$@" > "$work/wrong"
	cat "$work/wrong"
	[ ! -s "$work/wrong" ]
}

names=$(sed -n 's/^VERB(.*, \([a-z]*\))$/\1/p' cmd/verbs.h)
check 'there are verbs' test "$(wc -w <<< "$names")" -gt 20
check 'cairn(1)' right page ''
for name in $names; do
	check "verb $name" right verb "$name"
done
done_testing

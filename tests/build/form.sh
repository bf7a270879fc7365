#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The form of the source: what tools decide, they hold. `clang-format -i FILE` mends layout.
set -u
. "$(dirname "$0")/tap.sh"
cd "$CAIRN_SOURCE" || exit 1

# What is ours and text: all but the inputs of tests, whose bytes are their meaning.
mapfile -t sources < <(find cmd examples include recorder src tests -name '*.[ch]')
mapfile -t texts < <(find . \( -path './build*' -o -path './.git' -o -path './tests/fuzz/corpus' \) -prune -o \
	-type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.md' -o -name '*.scd' -o -name '*.py' -o \
	-name meson.build -o -name Makefile -o -path ./.ci/run \) -print)
mapfile -t scripts < <(printf '%s\n' "${texts[@]}" | grep -E '\.sh$|^./.ci/run$')

# Other versions lay out otherwise, so another one says nothing.
format=
for name in clang-format-14 clang-format; do
	case $("$name" --version 2> /dev/null) in *' version 14.'*) format=$name && break ;; esac
done
if [ -n "$format" ]; then
	check 'clang-format would change nothing' "$format" --dry-run -Werror "${sources[@]}"
else
	skip 'clang-format would change nothing' 'no clang-format 14'
fi

if command -v codespell > /dev/null; then
	check 'codespell finds no misspelling' codespell "${texts[@]}"
else
	skip 'codespell finds no misspelling' 'no codespell'
fi

if command -v shellcheck > /dev/null; then
	check 'shellcheck finds nothing in scripts' shellcheck -x -S warning "${scripts[@]}"
else
	skip 'shellcheck finds nothing in scripts' 'no shellcheck'
fi

check 'no line ends in blanks' bash -c '! grep -n "[[:blank:]]\$" "$@"' _ "${texts[@]}"
# shellcheck disable=SC2016 # it is awk's
check 'every file ends with its line' bash -c 'for f; do [ -z "$(tail -c 1 "$f")" ] || { echo "$f"; exit 1; }; done' \
	_ "${texts[@]}"
done_testing

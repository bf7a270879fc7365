#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutants.sh FOLDER [N [SEED]]: would the tests notice? N times (100) one operator, constant or
# condition of the library is changed in a copy of the tree, which is made in FOLDER, and the tests
# of its room run, then all unit tests that are quick, then the golden ones. A mutant that passes all
# of them has survived: its line is printed, to be answered with a test or a reason.
# The same SEED chooses the same mutants of the same tree. FOLDER/mutants keeps a line for each.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 n=${2:-100} seed=${3:-1}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tree=$folder/tree build=$folder/tree/build
export CAIRN_TEST_DATA=${CAIRN_TEST_DATA:-$top/../shared/data}
[ -d "$CAIRN_TEST_DATA" ] || unset CAIRN_TEST_DATA
export CAIRN_SOURCE=$tree CAIRN_BUILD=$build EXAMPLES=$tree/examples

rm -rf "$tree"
git -C "$top" ls-files -z | (cd "$top" && xargs -0 cp --parents -t "$(mkdir -p "$tree" && echo "$tree")")
meson setup -Dtests=enabled -Dwerror=false -Doptimization=1 -Ddebug=false "$build" "$tree" > "$folder/log"
ninja -C "$build" >> "$folder/log"

# suite NAME: does it pass?
suite() {
	(cd "$tree" && timeout 3600 bash scripts/run-tests.sh "$build" "$1") > "$folder/suite" 2>&1 || true
	tail -n 1 "$folder/suite" | grep -q ' 0 failed'
}

# A test that fails or is too slow anyway would notice every mutant.
suites="unit cli ${CAIRN_TEST_DATA:+interop}"
for name in $suites; do
	suite "$name" || { echo "the suite $name fails without a mutant: see $folder/suite"; exit 1; }
done

# What a line may become, each on a line of its own: FILE LINE TEXT. Comments, preprocessor lines,
# tables of text and lines that only declare are left alone.
candidates() {
	cd "$tree"
	find src -name '*.c' | sort | xargs awk '
	function mutant(from, to, at, text) {
		at = index($0, from)
		if (!at)
			return
		text = substr($0, 1, at - 1) to substr($0, at + length(from))
		print FILENAME "\t" FNR "\t" text
	}
	/^[ \t]*(\/?\*|#|\/\/|case |static const|"|enum|_Static)/ || /\*\// || /^[^\t]/ { next }
	{
		mutant(" == ", " != "); mutant(" != ", " == "); mutant(" < ", " <= "); mutant(" <= ", " < ")
		mutant(" > ", " >= "); mutant(" >= ", " > "); mutant(" && ", " || "); mutant(" || ", " && ")
		mutant(" + 1", " + 2"); mutant(" - 1", " - 2"); mutant("return true", "return false")
		mutant("return false", "return true"); mutant("if (!", "if ("); mutant("++;", ";")
		mutant(" |= ", " = "); mutant(" & ", " | "); mutant(" += ", " -= ")
		mutant("? ", "? 0 * "); mutant("break;", ";"); mutant("continue;", ";")
	}'
}

# The unit tests whose names begin as the room is called, cheapest knowledge of who tests what.
tests_of() {
	local room=${1#src/}
	room=${room#formats/}
	find "$build/tests/unit" -maxdepth 1 -type f -executable -name "test_${room%%/*}*"
}

# False: a test noticed. A test that hangs has noticed, too.
passes() {
	ninja -C "$build" "${1#"$build/"}" >> "$folder/log" 2>&1 || return 2
	(cd "$build" && timeout 900 "$1") >> "$folder/log" 2>&1
}

try() {
	local file=$1 test name
	ninja -C "$build" libcairn.a >> "$folder/log" 2>&1 || { echo "does not compile"; return; }
	for test in $(tests_of "$file") "$build"/tests/unit/test_{convert,state,find,index,truth}; do
		passes "$test" || { echo "noticed by ${test##*/}"; return; }
	done
	ninja -C "$build" >> "$folder/log" 2>&1
	for name in $suites; do
		suite "$name" || { echo "noticed by the suite $name"; return; }
	done
	echo "SURVIVED"
}

candidates | shuf -n "$n" --random-source=<(yes "$seed") > "$folder/chosen"
: > "$folder/mutants"
while IFS=$'\t' read -r file line text; do
	cp "$tree/$file" "$folder/before"
	TEXT=$text awk -v at="$line" 'NR == at { print ENVIRON["TEXT"]; next } { print }' "$folder/before" > "$tree/$file"
	what=$(try "$file" < /dev/null)
	printf '%s:%s: %s:%s\n' "$file" "$line" "$what" "$(printf '%s' "$text" | tr -s '\t ' ' ')" |
		tee -a "$folder/mutants"
	cp "$folder/before" "$tree/$file"
done < "$folder/chosen"
grep -v 'does not compile' "$folder/mutants" | awk -F: '{ n++; survived += $3 ~ /SURVIVED/ }
	END { printf "%d mutants, %d survived\n", n, survived }'

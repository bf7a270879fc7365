#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The golden-test runner tested by itself: a runner that finds everything fine
# would hide every other failure.
set -u
. "$(dirname "$0")/tap.sh"
runner=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/examples"
printf '#!/bin/sh\ncat "$@"\n' > "$work/bin/fake"
chmod +x "$work/bin/fake"

# try NAME: run the runner over the test on standard input
try() {
	cat > "$work/$1.t"
	UPDATE=${2:-} "$runner" -b "$work/bin" -e "$work/examples" -d "$work/none" "$work/$1.t" > "$work/out" 2>&1
	echo "= $?" >> "$work/out"
}
same() { # same NAME FILE: the runner's file equals the expected one
	check "$1" cmp -s "$work/$2.t" "$work/want"
}
says() { check "$1" grep -qE -- "$2" "$work/out"; }

try pass <<'T'
# every kind of line
$ fake <<X
> one
>
> three
> X
| one
|
| three
$ printf 'a\nb'; echo 'oh 42 no' >&2; exit 3
| a
| b
|\
!~ oh [0-9]+ no
= 3
$ printf '\033[1m\n'; echo "$PWD/x $EXAMPLES"; pwd
| \x1b[1m
| $PWD/x $EXAMPLES
| $PWD
$ cat
T
says 'everything as expected passes' '^ok 1 - pass$'
says 'and the exit status is 0' '^= 0$'

try differ <<'T'
$ printf '1\n2\n3\n'
| 1
| 3
| 4
T
says 'a difference fails' '^not ok 1 - differ$'
says 'shows the line too many' '^#   \+\| 2$'
says 'shows the missing line' '^#   -\| 4$'
says 'the exit status is 1' '^= 1$'

try quiet <<'T'
$ echo unexpected >&2
T
says 'an unexpected message on standard error fails' '^not ok'

try status <<'T'
$ exit 1
T
says 'an unexpected exit status fails' '^#   \+= 1$'

try skip <<'T'
needs: data
$ exit 1
T
says 'a test without its data is skipped' '^ok 1 - skip # SKIP no data'
try program <<'T'
needs: sh no-such-program
$ exit 1
T
says 'a test without its program is skipped' '# SKIP no no-such-program'

try garbage <<'T'
$ true
surprise
T
says 'a line of no known kind fails' '^not ok'

try update 1 <<'T'
# kept

$ echo 17; echo new; echo same; echo err >&2; exit 2
|~ [0-9]+
| old
| same
T
cat > "$work/want" <<'T'
# kept

$ echo 17; echo new; echo same; echo err >&2; exit 2
|~ [0-9]+
| new
| same
! err
= 2
T
same 'UPDATE=1 rewrites what differs and keeps patterns and comments' update

CAIRN_TEST_TIMEOUT=1 try slow <<'T'
$ sleep 30
T
says 'a command that hangs is ended' 'ended after 1 s'
done_testing

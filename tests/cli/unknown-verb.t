# A verb that does not exist is named, and nothing goes to standard output.
$ cairn frobnicate x 2>&1 >/dev/null | grep -o frobnicate | head -n 1
| frobnicate
$ cairn frobnicate x 2>/dev/null
= 2

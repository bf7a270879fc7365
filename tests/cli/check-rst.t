# RST is judged by its specification, for each CPU by itself.
needs: json grep head tail sort uniq
$ cairn check $EXAMPLES/traps.rst
$ cairn check -q $EXAMPLES/traps.rst
$ cairn check --rules --json | grep -c '"format":"RST"'
$ cairn check --rules | grep 'rst.exit.preg '
# A trace in several files is one: all rules go on, and findings name the file.
$ head -c 600 $EXAMPLES/traps.rst > a.rst; tail -c +601 $EXAMPLES/traps.rst > b.rst
$ cairn check a.rst b.rst
$ tail -c +625 $EXAMPLES/traps.rst > c.rst
$ cairn check -v a.rst c.rst
$ cairn check --json a.rst c.rst | grep parts.dropped | json file record offset instruction cpu rule
# A file without beginning, alone.
$ cairn check -q b.rst
# Two traces, and what is none.
$ cairn check -q $EXAMPLES/traps.rst $EXAMPLES/traps.rst
$ printf 'this is a text, not a trace' > text
$ cairn check a.rst text b.rst
$ cairn check a.rst nowhere.rst b.rst
# What breaks off, and an unknown record.
$ head -c 700 $EXAMPLES/traps.rst | cairn check -q -
$ (head -c 696 $EXAMPLES/traps.rst; printf 'd%023d' 0; tail -c +697 $EXAMPLES/traps.rst) | cairn check -q -
# The result does not depend on threads, or on the codec.
$ for j in 1 2 3; do cairn check -j $j --json $EXAMPLES/traps.rst; done | sort | uniq -c | grep -vc ' 3 '

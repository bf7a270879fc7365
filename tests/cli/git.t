# What cairn writes names the commit it was built from.
needs: git
needs: $ git -C $EXAMPLES rev-parse HEAD > /dev/null
$ cairn slice $EXAMPLES/sort.zstf 1..1 -o a.stf && cairn records a.stf | grep -c "text=\"cairn slice.* git $(git -C $EXAMPLES rev-parse --short=12 HEAD),"
| 1

# A merge has one description. What a later trace says of itself as a whole is lost, by name, unless the first one says the same; --lossless refuses it.
needs: xz
$ xz -dc $EXAMPLES/sort-a64.vixl.xz | head -n 400 > v.vixl; cairn convert -q v.vixl -o e.snapshot 2> /dev/null; for k in one two; do cp -r e.snapshot $k.snapshot; sed -i "s/^version=.*/&\ndescription=$k/" $k.snapshot/snapshot.ini; done
$ cairn merge one.snapshot two.snapshot -o m.snapshot; grep description m.snapshot/snapshot.ini
| description=one
! cairn: m.snapshot: lost: comments
$ cairn merge --lossless one.snapshot two.snapshot -o l.snapshot; ls -d l.* 2> /dev/null
! cairn: l.snapshot: ETE cannot carry comments
= 2
$ cairn merge --lossless one.snapshot one.snapshot -o same.snapshot; grep description same.snapshot/snapshot.ini
| description=one
# Comments of logs stand in their places, so none is lost.
$ for k in FIRST SECOND; do { echo "; cairn: comment: $k"; cat $EXAMPLES/sum.vixl; } > $k.vixl; done; cairn merge --lossless FIRST.vixl SECOND.vixl -o m.vixl; grep -c comment: m.vixl
| 2

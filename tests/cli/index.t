# An index makes a trace jumpable, with contexts and places.
needs: gzip
$ cp $EXAMPLES/sort.zstf t.zstf
$ cairn view -D t.zstf 30000
|     30000  000000000001022e  0411
$ cairn index t.zstf
|~ t\.zstf\.cai: 1 span, 38617 instructions, [0-9]+ bytes; can be jumped in
$ cairn view -D t.zstf 30000
| CONTEXT priv=user
|     30000  000000000001022e  0411
$ cairn info t.zstf | sed -n 's/^index *//p'
| 1 span, can be jumped in
$ cairn index --json t.zstf | sed 's/"bytes": [0-9]*/"bytes": N/'
| {
|   "index": "t.zstf.cai",
|   "spans": 1,
|   "instructions": 38617,
|   "transactions": 0,
|   "bytes": N,
|   "jumps": true,
|   "damaged_places": 0
| }
# Counts come from it, and are the same.
$ cairn count t.zstf > with; mv t.zstf.cai aside; cairn count t.zstf | cmp - with; mv aside t.zstf.cai
# A stale one is left aside, and said so only when asked.
$ touch -d 2001-02-03 t.zstf; cairn view -D t.zstf 1
| CONTEXT priv=user
| FORCE_PC 0000000000010120
|         1  0000000000010120  00002197  forced
$ cairn view -Dv t.zstf 1 2>&1 | grep index
| cairn: the index is not used: t.zstf.cai: is stale: the trace has changed since it was made
$ cairn info t.zstf | grep -c ^index
| 0
= 1
# A damaged one, too.
$ cairn index -q t.zstf; printf x >> t.zstf.cai; cairn view -Dv t.zstf 1 2>&1 | grep index
| cairn: the index is not used: t.zstf.cai: is not whole
# What is compressed as one stream has summaries only.
$ header() { printf '\1STF\2\1\0\0\0\5\0\0\0\4\1\0\5\2\0\x09\0\x10\0\0\0\0\0\0\x13'; }
> { header; printf '\xf1\x7d\x15\xf1\x82\x80'; } > s.stf; gzip -k s.stf
$ cairn index s.stf.gz
| s.stf.gz.cai: 1 span, 2 instructions, 2480 bytes; summaries only, for what is compressed as one stream, or framed, is read from its beginning (cairn convert makes a file that can be jumped in)
$ cairn index -q s.stf; cairn info s.stf | sed -n 's/^instructions *//p'
| 2
# What has no index.
$ cairn index - < s.stf
! cairn: standard input cannot have an index: it is read only once
= 2
$ cairn index -o s.stf s.stf
! cairn: s.stf: an index is written to a file of its own
= 2
$ cairn index nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn index
! cairn: index takes one trace; usage: cairn index [options] TRACE
= 2

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
|   "decoded_for_a_jump": 0,
|   "why_not": null,
|   "memory_places": 0,
|   "damaged_places": 0
| }
# Counts come from it, and are the same.
$ cairn count t.zstf > with; mv t.zstf.cai aside; cairn count t.zstf | cmp - with; mv aside t.zstf.cai
# A trace of no instruction has an index that changes nothing.
$ printf '%b' '\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\01\010\0\0\0\0\0\011\0\0\0\0200\0\0\0\0\023' > none.stf; for i in 1 2; do cairn count none.stf 5.. | head -n 1; cairn view none.stf 5..; cairn view --state none.stf 5; cairn index -q none.stf; done
| instructions                             0
| instructions                             0
! cairn: none.stf: the selection is empty
! cairn: none.stf: number 5 is past the end of the trace
! cairn: none.stf: the selection is empty
! cairn: none.stf: number 5 is past the end of the trace
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
# What is compressed as one small stream is decoded from its beginning.
$ header() { printf '\1STF\2\1\0\0\0\5\0\0\0\4\1\0\5\2\0\x09\0\x10\0\0\0\0\0\0\x13'; }
> { header; printf '\xf1\x7d\x15\xf1\x82\x80'; } > s.stf; gzip -k s.stf
$ cairn index s.stf.gz
| s.stf.gz.cai: 1 span, 2 instructions, 2480 bytes; can be jumped in
$ cairn index -q s.stf; cairn info s.stf | sed -n 's/^instructions *//p'
| 2
# What has no index.
$ cairn index - < s.stf
! cairn: standard input cannot have an index: it is read only once
= 2
$ cairn index -o s.stf s.stf
! cairn: s.stf: the output is the trace itself; it would be destroyed
= 2
$ cairn index nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn index
! cairn: index takes one trace; usage: cairn index [options] TRACE
= 2
# Inside of a packing that can be begun again, it makes any place one block away, in every
# format: what is seen there is what the plain file shows.
$ cairn merge -q -o big.stf $(for i in $(seq 40); do echo $EXAMPLES/sort.zstf; done) > /dev/null && cairn index -q big.stf
$ show() { for n in 2 400000 1234567 1500000; do cairn view -a -D --region $n+3 "$1"; done; cairn find "$1" --writes a5 --before 700000; cairn view --state "$1" 900000 | head -20; }
> declare -f show > show.sh; . ./show.sh; show big.stf > want; wc -l < want
|~ [0-9]+
$ gzip -kc big.stf > a.stf.gz; cairn index a.stf.gz | sed 's/^[^;]*; //'; . ./show.sh; show a.stf.gz | cmp - want
| jumps decode at most 3 MiB; all of memory is known at 15 places
$ cairn index --json a.stf.gz | grep -c '"decoded_for_a_jump": [2-9][0-9]*'
| 1
$ cairn slice -q a.stf.gz 1234567+20 -o s.stf; cairn slice -q big.stf 1234567+20 -o t.stf; cairn diff -q s.stf t.stf
# A stale one is not used.
$ touch -d 2001-02-03 a.stf.gz; cairn view -Dv a.stf.gz 1 2>&1 | grep -o 'is stale.*'
| is stale: the trace has changed since it was made
$ cairn convert -q --codec zstd-seekable big.stf -o b.stf.zst; cairn index b.stf.zst | sed 's/^[^;]*; //'; . ./show.sh; show b.stf.zst | cmp - want
| jumps decode at most 2 MiB; all of memory is known at 15 places
# One long piece cannot be begun inside of.
$ cairn convert -q --codec zstd big.stf -o c.stf.zst; cairn index c.stf.zst | sed 's/^[^;]*; //'; . ./show.sh; show c.stf.zst | cmp - want
| summaries only: zstd can only be decoded from the beginning of a piece, and one has 30 MiB; cairn convert c.stf.zst -o NAME.zstf makes a file that can be jumped in; all of memory is known at 15 places

# A file, a pipe and a compressed file give the same, in as many pieces as may be; of frames
# with six sources, two million bytes long, and of one source alone (no part begins behind a
# zero, so an Ignore stands between).
needs: data/ete/snapshots/infrastructure data/ete/snapshots/001-ack_test cat gzip cmp
$ for i in {1..48}; do cat $DATA/ete/snapshots/infrastructure/cstrace.bin; done > f.bin; gzip -1 < f.bin > f.gz; for i in {1..60}; do cat $DATA/ete/snapshots/001-ack_test/session1.bin; printf '\x70'; done > s.bin; gzip -1 < s.bin > s.gz
$ E=ete:framing=frames,protocol=etmv4,trcidr2=0x488; cairn view -a -j1 --from $E f.bin > a 2> a2; for v in "-j1 -" "-j3 -" "-j3 f.bin" "-j3 f.gz"; do cairn view -a --from $E $v < f.bin > b 2> b2; cmp a b; cmp <(sed 's/^cairn: [^:]*: //' a2) <(sed 's/^cairn: [^:]*: //' b2); done; test -s a
$ cairn view -q -j1 s.bin > a; for v in "-j1 -" "-j3 -" "-j3 s.bin" "-j3 s.gz"; do cairn view -q $v < s.bin | cmp a -; done; test -s a
$ E=ete:framing=frames,protocol=etmv4,trcidr2=0x488; cairn records -j1 --from $E f.bin > a; cat f.bin | cairn records --from $E - | cmp a -; test -s a
# 100 million bytes by a pipe do not need 100 million bytes of memory (a sanitizer's shadow does).
$ printf '%s\n' 'grep -q __asan_init "$(command -v cairn)" || ulimit -v 80000' > limit
$ for i in {1..64}; do cat s.bin; done | (. ./limit; cairn count -j1 - | head -1)
| instructions                             0
! cairn: -: the trace only records branches; the program is needed to know which instructions ran: --image FILE
$ for i in {1..48}; do cat f.bin; done | (. ./limit; cairn count -j1 --from ete:framing=frames,protocol=etmv4,trcidr2=0x488 - | head -1)
| instructions                             0
! cairn: -: the trace only records branches; the program is needed to know which instructions ran: --image FILE

# What ran in a transaction that failed: left out, or kept and marked.
$ for how in discard keep; do cairn count $DATA/ete/snapshots/tme_test --transactions=$how | grep -E '^(instructions|executed)'; cairn view --no-disasm --transactions=$how $DATA/ete/snapshots/tme_test | grep -c discarded; done
| instructions                         83015
| executed                             83015
| 0
| instructions                         83033
| executed                             83015
| 18
$ cairn view -q --json --transactions=keep $DATA/ete/snapshots/tme_test | grep -o '"flags":\["[a-z"]*' | sort | uniq -c
|      18 "flags":["discarded"
|      21 "flags":["forced"
$ cairn convert -q $DATA/ete/snapshots/tme_test -o tme.snapshot && cairn count --transactions=keep tme.snapshot | grep -E '^(instructions|executed)'
| instructions                         83033
| executed                             83015
$ cairn count --transactions=mark $DATA/ete/snapshots/tme_test
! cairn: ete:transactions is discard or keep, not 'mark'
= 2
$ cairn count --transactions=keep --from stf $DATA/ete/snapshots/tme_test
! cairn: --transactions is for ETE traces, but --from says stf
= 2

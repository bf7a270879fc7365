# A .zstf whose index has lost a row: no chunk vanishes without a word. Other odd inputs.
needs: od tail head cat json gzip
$ cairn convert -q $EXAMPLES/sort.zstf -o a.stf; cairn convert -q a.stf -o a.zstf --to zstf:chunk=10000
$ cairn info a.zstf | grep ^chunk
| chunks         4
| chunk_size     10000
| chunk_index    whole

# Its last two rows: the frames are walked.
$ at=$(od -An -tu8 -j12 -N8 a.zstf); { head -c $at a.zstf; printf '\002\0\0\0\0\0\0\0'; tail -c +$((at + 9)) a.zstf | head -c 48; } > short.zstf
$ cairn count short.zstf | head -n 1
| instructions                         38617
!~ cairn: short.zstf: the index is not usable \(.*\): the chunks were found by walking them
! cairn: short.zstf: 1 damaged place; everything that can be read is in the output
$ cairn check -q short.zstf
|~ short.zstf: error: the index is not usable .* \[stf.record.complete\]
= 1

# One in the middle: what it told of is missed, and its place told.
$ at=$(od -An -tu8 -j12 -N8 a.zstf); { head -c $at a.zstf; printf '\003\0\0\0\0\0\0\0'; tail -c +$((at + 9)) a.zstf | head -c 24; tail -c 48 a.zstf; } > middle.zstf
$ cairn count middle.zstf > count.txt
! cairn: middle.zstf: the index is not usable (it should lie at byte 0x12bcd of 76829): the chunks were found by walking them
! cairn: middle.zstf: 1 damaged place; everything that can be read is in the output
= 2

# A length nothing can have is told as what it is.
$ { head -c 13 a.stf; printf '\003\377\377\377\377'; tail -c +14 a.stf; } > long.stf; cairn count long.stf > count.txt
! cairn: long.stf: byte 0xd, record 3, instruction 1: COMMENT says it is longer than 4 GiB; what follows cannot be read
! cairn: long.stf: 1 damaged place; everything that can be read is in the output
= 2
$ cairn check -q long.stf | grep COMMENT
| long.stf: byte 0xd, record 3, instruction 1: error: COMMENT says it is longer than 4 GiB; what follows cannot be read [stf.record.complete]
# A file that ends behind a record of its header, told by every verb and once.
$ head -c 13 a.stf > cut.stf; for v in count "count -j 1" view records info overview "convert --to stf -o x" "merge --to stf -o x" "edit --comment c --to stf -o x"; do for f in cut.stf -; do cairn $v $f < cut.stf 2>&1 > out; done; done | sort | uniq -c; cairn index cut.stf | wc -l; cairn check -q cut.stf | tail -n 1
|       9 cairn: -: 1 damaged place; everything that can be read is in the output
|       9 cairn: -: byte 0xd, record 3: the header breaks off
|       9 cairn: cut.stf: 1 damaged place; everything that can be read is in the output
|       9 cairn: cut.stf: byte 0xd, record 3: the header breaks off
| 1
| cut.stf: byte 0xd, record 3: error: the header ends here without END_HEADER [stf.header.end]
! cairn: cut.stf: byte 0xd, record 3: the header breaks off
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
# What a header does not say is not known.
$ cairn info long.stf | grep -E '^(isa|mode) '
| isa            unknown
| mode           unknown
! cairn: long.stf: byte 0xd, record 3: the header breaks off
! cairn: long.stf: 1 damaged place; everything that can be read is in the output

# A change of mode that does not say to which.
$ { cat a.stf; printf '\144\0\0\0\0\0\0\0\100\0\361\1\0'; } > mode.stf; cairn view -e mode.stf 38618
| CONTEXT priv=user
|     38618  00000000000104ec  0001      nop
|            EVT MODE_CHANGE
$ cairn view --json mode.stf 38618 | json events.0.name events.0.code context.priv
| MODE_CHANGE null user
$ cairn check -q mode.stf
| mode.stf: byte 0xc39ec, record 95800, instruction 38618: error: MODE_CHANGE has 0 metadata fields, by the table 1 [stf.event.fields]
= 1

# The header is lost with the first chunk: what can be read of the others is.
$ { head -c 60 a.zstf; printf 'no zstd'; tail -c +68 a.zstf; } > headless.zstf
$ cairn count headless.zstf | head -n 3
| instructions                         28617
| executed                             28617
| missing                              10000
! cairn: headless.zstf: the header is lost with chunk 0: the chunks after it are read as version 1.6, RV64, event ids of 64 bits
! cairn: headless.zstf: chunk 0: byte 0x0 of it, instruction 1: zstd: byte 9 of the compressed input: Data corruption detected
! cairn: headless.zstf: 2 damaged places; everything that can be read is in the output
$ cairn view headless.zstf ..10002
| GAP 10000 instructions are missing: a damaged chunk was skipped
|     10001  00000000000103d8  c094      sw a3, 0(s1)
|     10002  00000000000103da  c398      sw a4, 0(a5)
! cairn: headless.zstf: the header is lost with chunk 0: the chunks after it are read as version 1.6, RV64, event ids of 64 bits
! cairn: headless.zstf: chunk 0: byte 0x0 of it, instruction 1: zstd: byte 9 of the compressed input: Data corruption detected
! cairn: headless.zstf: 2 damaged places; everything that can be read is in the output
= 2
$ cairn view headless.zstf 20000; cat headless.zstf | cairn view -q - 20000
|     20000  000000000001022c  c01c      sw a5, 0(s0)
|     20000  000000000001022c  c01c      sw a5, 0(s0)
! cairn: headless.zstf: the header is lost with chunk 0: the chunks after it are read as version 1.6, RV64, event ids of 64 bits
! cairn: headless.zstf: 1 damaged place; everything that can be read is in the output
! cairn: -: 1 damaged place; everything that can be read is in the output
= 2
$ cairn info --json headless.zstf | json version isa instructions
| null null 38617
! cairn: headless.zstf: the header is lost with chunk 0: the chunks after it are read as version 1.6, RV64, event ids of 64 bits
! cairn: headless.zstf: 1 damaged place; everything that can be read is in the output
$ cairn convert headless.zstf -o whole.zstf; cairn check -q whole.zstf; cairn view whole.zstf 1
| FORCE_PC 00000000000103d8
|         1  00000000000103d8  c094      sw a3, 0(s1)                      forced
! cairn: headless.zstf: the header is lost with chunk 0: the chunks after it are read as version 1.6, RV64, event ids of 64 bits
! cairn: headless.zstf: chunk 0: byte 0x0 of it, instruction 1: zstd: byte 9 of the compressed input: Data corruption detected
! cairn: headless.zstf: 2 damaged places; everything that can be read is in the output
# A region behind the hole is a slice like any other.
$ cairn slice -q headless.zstf 15000+100 -o slice.zstf; cairn count slice.zstf | head -n 1
| instructions                           100
! cairn: headless.zstf: 2 damaged places; everything that can be read is in the output
# With one chunk alone there is nothing to go on with.
$ cairn convert -q a.stf -o one.zstf; { head -c 60 one.zstf; printf 'no zstd'; tail -c +68 one.zstf; } > none.zstf; cairn count none.zstf
! cairn: none.zstf: chunk 0: the zstd frame is damaged: Data corruption detected
= 2

# Nothing is there because the trace breaks off before: that is told, and 2. With nothing broken
# the answer is no; a count of nothing is an answer.
$ cairn convert -q $EXAMPLES/sort.zstf -o whole.stf; head -c 500000 whole.stf > cut.stf; gzip -c whole.stf | head -c 50000 > cut.gz
$ for t in whole.stf cut.stf cut.gz; do for v in view records count; do cairn $v $t 39000.. > out 2> err; echo "$? $v $t $(grep -c 'damaged place' err)"; done; cairn find $t 'class==load' 39000.. > out 2> err; echo "$? find $t $(grep -c 'damaged place' err)"; done
| 1 view whole.stf 0
| 1 records whole.stf 0
| 0 count whole.stf 0
| 1 find whole.stf 0
| 2 view cut.stf 1
| 2 records cut.stf 1
| 2 count cut.stf 1
| 2 find cut.stf 1
| 2 view cut.gz 1
| 2 records cut.gz 1
| 2 count cut.gz 1
| 2 find cut.gz 1
$ printf 'core   0: 3 0x0000000080000000 (0x00000013)\ncore   0: 3 what\n' > bad.log; cairn find --writes 0x1000 bad.log
! cairn: bad.log: the trace records no access that writes memory, so who wrote 0x1000 is unknown
! cairn: bad.log: byte 0x2c, line 2: the line names a core, but its kind is unknown
! cairn: bad.log: 1 damaged place; everything that can be read is in the output
= 2

# A .zstf whose index has lost a row: no chunk vanishes without a word. Other odd inputs.
needs: od tail head cat json
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
! cairn: short.zstf: 1 damaged place; everything else was delivered
$ cairn check -q short.zstf
|~ short.zstf: error: the index is not usable .* \[stf.record.complete\]
= 1

# One in the middle: what it told of is missed, and its place told.
$ at=$(od -An -tu8 -j12 -N8 a.zstf); { head -c $at a.zstf; printf '\003\0\0\0\0\0\0\0'; tail -c +$((at + 9)) a.zstf | head -c 24; tail -c 48 a.zstf; } > middle.zstf
$ cairn count middle.zstf > count.txt
!~ cairn: middle.zstf: chunk 0: byte 0x[0-9a-f]+, record [0-9]+, instruction 10001: [0-9]+ bytes behind the chunk's frame are in no chunk of the index
! cairn: middle.zstf: 1 damaged place; everything else was delivered
= 2

# A length nothing can have is told as what it is.
$ { head -c 13 a.stf; printf '\003\377\377\377\377'; tail -c +14 a.stf; } > long.stf; cairn count long.stf > count.txt
! cairn: long.stf: byte 0xd, record 3, instruction 1: COMMENT says it is longer than 4 GiB
! cairn: long.stf: 1 damaged place; everything else was delivered
= 2
$ cairn check -q long.stf | grep COMMENT
| long.stf: byte 0xd, record 3, instruction 1: error: COMMENT says it is longer than 4 GiB; what follows cannot be read [stf.record.complete]
# What a header does not say is not known.
$ cairn info long.stf | grep -E '^(isa|mode) '
| isa            unknown
| mode           unknown
! cairn: long.stf: byte 0xd, record 3: the header breaks off
! cairn: long.stf: 1 damaged place; everything else was delivered

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

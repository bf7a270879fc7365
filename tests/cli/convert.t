# Another packing of the same records.
$ cairn convert $EXAMPLES/sort.zstf -o a.stf && cairn count a.stf | head -n 1
| instructions                         38617
$ cairn convert a.stf -o b.zstf --to zstf:chunk=7 && cairn info b.zstf | grep -E '^(chunk|container)'
| container      zstf
| chunks         5517
| chunk_size     7
| chunk_index    whole
$ cairn convert b.zstf -o c.zstf && cairn info c.zstf | grep -E '^chunk'
| chunks         1
| chunk_size     100000
| chunk_index    whole
$ cairn convert c.zstf -o d.stf && cmp a.stf d.stf
$ for k in gzip xz zstd:19 none; do cairn convert a.stf -o - --codec $k > k && cairn convert k -o e.stf && cmp a.stf e.stf; done
$ cairn convert a.stf -o a.stf.xz && cairn info a.stf.xz | grep codec
| codec          xz
# A container goes through a pipe only one way.
$ cat b.zstf | cairn convert - -o - | cmp - a.stf
$ cairn convert a.stf --to zstf | wc -c
| 0
! cairn: standard output: a .zstf needs a seekable file: write to a file, or use --to stf --codec zstd
# Nothing is added, not even to what follows the last instruction.
$ cp a.stf t.stf; printf '\03\03\0\0\0end' >> t.stf; cairn convert t.stf -o t.zstf --to zstf:chunk=38617 && cairn convert t.zstf -o u.stf && cmp t.stf u.stf && cairn info t.zstf | grep chunks
| chunks         1
# What cannot be is said.
$ cairn convert a.stf -o a.stf
! cairn: a.stf: the output is the trace itself; it would be destroyed
= 2
# A file of any name beside it stays what it is.
$ cp a.stf n.stf.part; cp a.stf n.stf.tmp; cairn convert n.stf.part -o n.stf && cmp a.stf n.stf && cmp a.stf n.stf.part && cmp a.stf n.stf.tmp && ls n.*
| n.stf
| n.stf.part
| n.stf.tmp
$ cairn convert a.stf -o x.rst --to rst
! cairn: x.rst: RST holds SPARC instructions: as one of them, rv64's encoding 0x2197 (instruction 1) would mean something else
= 2
$ cairn convert a.stf -o x.stf --to stf:chunk=3
! cairn: x.stf: stf:chunk=3: raw STF has no chunks; zstf has
= 2
$ cairn convert a.stf -o x.zstf --codec xz
! cairn: x.zstf: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
= 2
$ cairn convert a.stf -o x.stf --codec zstd:1000
! cairn: zstd has the levels 1 to 22, not 1000
= 2
$ cairn convert a.stf -o x.stf --codec zstd:
! cairn: --codec is CODEC or CODEC:LEVEL, not 'zstd:'
= 2
$ cairn convert a.stf -o x.stf --codec nothing
! cairn: there is no codec 'nothing'; --version names those there are
= 2
$ cairn convert a.stf 1..5 -o x.stf
! cairn: convert takes one trace, and 1..5 is another (cairn slice takes regions)
= 2
$ cairn convert a.stf -o nowhere/x.stf
! cairn: nowhere/x.stf: No such file or directory
= 2
# A failure leaves no file, neither does a kill under the final name.
$ cairn convert a.stf -o /dev/full
! cairn: /dev/full: No space left on device
= 2
$ (ulimit -f 100; cairn convert a.stf -o full.stf); ls full*
! cairn: full.stf: File too large
! ls: cannot access 'full*': No such file or directory
= 2
$ { cat a.stf; sleep 5; } | cairn convert - -o killed.zstf --to zstf:chunk=100 & sleep 1; kill -9 $!; wait $! 2> err; ls killed.zstf
! ls: cannot access 'killed.zstf': No such file or directory
= 2
# Damaged: what can be read is written, the loss is told.
$ head -c 5000 a.stf > cut.stf; cairn convert cut.stf -o cut.zstf; cairn count cut.zstf | head -n 1; cairn count cut.stf 2>&1 | head -n 1
| instructions                           208
| instructions                           208
! cairn: cut.stf: byte 0x1382, record 540, instruction 209: the input ends inside INST_MEM_ACCESS: 6 bytes of it are there
! cairn: cut.stf: 1 damaged place; everything that can be read is in the output
$ cairn convert a.stf -o b.zstf --to zstf:chunk=1000; printf 'xxxx' | dd of=b.zstf bs=1 seek=20000 conv=notrunc 2> /dev/null; cairn convert b.zstf -o s.stf
! cairn: b.zstf: chunk 7: byte 0x0 of it, instruction 7001: zstd: byte 9 of the compressed input: Data corruption detected
! cairn: b.zstf: 1 damaged place; everything that can be read is in the output
= 2
$ cairn view -D s.stf | grep -c . ; cairn count s.stf | head -n 1; cairn records s.stf | grep -c FORCE_PC
| 37622
| instructions                         37617
| 2

# A trap behind the last instruction stands with it, for nothing follows that it could be before.
$ printf '%s\n' '1 clk cpu0 IT (1) 00210740:000000210740_NS d503201f O EL3h_s : NOP' '1 clk cpu0 E 00210744:000000210744_NS 00000084 CoreEvent_CURRENT_SPx_SYNC' '1 clk cpu0 IT (2) 00210000:000000210000_NS d503201f O EL3h_s : NOP' '1 clk cpu0 E 00210004:000000210004_NS 00000086 CoreEvent_CURRENT_SPx_IRQ' > last.log; cairn convert -q last.log -o last.stf; cairn view -D --events last.stf; cairn check last.stf | tail -n 1
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=el3
| FORCE_PC 0000000000210740
|         1  0000000000210740  d503201f  forced
|            EVT EXCEPTION PC 0000000000210000
|            EVT MODE_CHANGE 0x3
|         2  0000000000210000  d503201f
|            EVT INTERRUPT
| last.stf: 0 errors, 0 warnings, 1 note
! cairn: last.log: lost: security states (at number 1)

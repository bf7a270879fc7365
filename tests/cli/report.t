# One page with a section for each thing, and nothing from elsewhere.
$ cairn report --image $EXAMPLES/sort.elf -o r.html $EXAMPLES/sort.zstf && grep -o '<h2 id="[a-z]*"' r.html
| <h2 id="trace"
| <h2 id="overview"
| <h2 id="mix"
| <h2 id="branches"
| <h2 id="memory"
| <h2 id="calls"
| <h2 id="check"
$ grep -c -e 'src=' -e 'href="[^#]' -e 'url(' r.html
| 0
= 1
$ head -n 1 r.html; tail -n 1 r.html; grep -c '<svg' r.html; grep -o '<title>merge_sort ([0-9]*' r.html | head -n 2
| <!DOCTYPE html>
| </body></html>
| 20
| <title>merge_sort (21337
| <title>merge_sort (18641
$ grep -o '[0-9]* errors, [0-9]* warnings' r.html
| 0 errors, 0 warnings

# A region of it; a trace of SPARC.
$ cairn report $EXAMPLES/sort.zstf 1..1000 | grep -o '<td class="n">1000</td>' | head -n 1
| <td class="n">1000</td>
$ cairn report $EXAMPLES/traps.rst | grep -c '<h2'
| 7

# It is read once, so it may come from a pipe: what is told from the overview on is the same.
$ cairn report $EXAMPLES/sort.zstf | sed -n '/id="overview"/,$p' > file.html
$ cat $EXAMPLES/sort.zstf | cairn report - | sed -n '/id="overview"/,$p' > pipe.html
$ diff file.html pipe.html && wc -l < pipe.html
| 344
$ cat $EXAMPLES/sort.zstf | cairn report - | grep -c 'standard input'
| 2

# What is damaged is told on the page, of a region only by its check, and at the end.
$ head -c 70000 $EXAMPLES/sort.zstf > cut.zstf
$ cairn report cut.zstf | grep -o 'error</td>.*'
| error</td><td class="n"></td><td>the index is not usable (it should lie at byte 0x12c0e of 70000): the chunks were found by walking them</td><td>stf.record.complete</td></tr>
| error</td><td class="n">30001</td><td>zstd: byte 12956 of the compressed input: the input ends inside a compressed stream</td><td>stf.record.complete</td></tr>
! cairn: cut.zstf: chunk 3: byte 0x0 of it, instruction 30001: zstd: byte 12956 of the compressed input: the input ends inside a compressed stream
! cairn: cut.zstf: the index is not usable (it should lie at byte 0x12c0e of 70000): the chunks were found by walking them
! cairn: cut.zstf: 2 damaged places; everything that can be read is in the output
$ cairn report cut.zstf 1..1000 | grep -o -e 'error</td>.*' -e '<td class="n">1000</td>' | head -n 2
| <td class="n">1000</td>
| <td class="n">1000</td>
! cairn: cut.zstf: the index is not usable (it should lie at byte 0x12c0e of 70000): the chunks were found by walking them
! cairn: cut.zstf: 1 damaged place; everything that can be read is in the output

# What makes no sense.
$ cairn report nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn report
! cairn: no trace was named; usage: cairn report [options] -o FILE.html TRACE [REGION…]
= 2

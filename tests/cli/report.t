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

# What makes no sense.
$ cat $EXAMPLES/sort.zstf | cairn report -
! cairn: a report reads the trace twice: standard input can be read only once
= 2
$ cairn report nowhere.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn report
! cairn: no trace was named; usage: cairn report [options] -o FILE.html TRACE [REGION…]
= 2

# Packed traces are read as the traces they were packed from, by every verb.
needs: data/rst/small_1k.rz3.gz zstd
$ for f in small_1k.rz3 small_1k.rz3.gz small_1k.rz2.gz small_300k.rz3.gz value_shade.rz2.gz v206_small.rz3.gz allrec_45k.rz3.gz rfs_snap.rz3.gz medium_5m.rz3.gz mp_5m.rz2.gz mp_5m.rz3.gz; do
>   echo "$f $(cairn count $DATA/rst/$f | grep -E '^(instr|exec|events|records)' | tr -s ' ' | cut -d' ' -f2 | tr '\n' ' ')"
> done
| small_1k.rz3 760 730 17 1000 
| small_1k.rz3.gz 760 730 17 1000 
| small_1k.rz2.gz 760 730 17 1000 
| small_300k.rz3.gz 244320 239309 675 266057 
| value_shade.rz2.gz 55523 53760 14 99802 
| v206_small.rz3.gz 244320 239309 675 265437 
| allrec_45k.rz3.gz 27233 26844 434 44992 
| rfs_snap.rz3.gz 55713 53793 131 100004 
| medium_5m.rz3.gz 4594998 4519358 8462 5000000 
| mp_5m.rz2.gz 4950900 4949281 236 5000000 
| mp_5m.rz3.gz 4950900 4949281 236 5000000 
$ cairn info $DATA/rst/small_1k.rz3.gz | grep -E '^(format|version|container|codec)'
| format         RST
| version        2.13
| container      rstzip3
| codec          gzip
$ cairn info $DATA/rst/mp_5m.rz2.gz | grep -E '^(format|version|container|codec|cpus)'
| format         RST
| version        2.13
| container      rstzip2
| codec          gzip
| cpus           5
$ cairn info $DATA/rst/small_1k.rz3 | grep -E '^(container|codec)'
| container      rstzip3
| codec          none
$ for f in small_300k allrec_45k rfs_snap v206_small value_shade; do cmp <(cairn records $DATA/rst/$f.rst.zst) <(cairn records $DATA/rst/$f.rz3.gz) && echo $f; done
| small_300k
| allrec_45k
| rfs_snap
| v206_small
| value_shade
$ cmp <(cairn view $DATA/rst/small_300k.rst.zst) <(cairn view $DATA/rst/small_300k.rz2.gz) && echo the same
| the same
$ cat $DATA/rst/small_300k.rz3.gz | cairn view - 100000..100002
| CONTEXT cpu=0 asid=677 priv=user
|    100000  000000000011ac90  03000c1a  sethi 3098, %g1
|    100001  000000000011ac94  c20860d0  ldub [%g1+208], %g1
|    100002  000000000011ac98  80a06000  cmp %g1, 0

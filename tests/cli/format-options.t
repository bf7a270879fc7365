# The options of --to mean the same, and are refused with the same words, whatever is read.
needs: xz
$ cp $EXAMPLES/sum.vixl a.vixl; cairn convert -q a.vixl -o a.stf; cairn convert -q a.vixl -o a.zstf; xz -dc $EXAMPLES/sort-v9.rst.xz > a.rst
$ for f in a.vixl a.stf a.zstf a.rst; do rm -f x.*; for o in "--to zstf:chunk=7 -o x.zstf" "--to stf:chunk=7 -o x.zstf" "--to stf:container=zstf,chunk=7 -o x.out" "--to zstf:chunk=7 -o x.dat"; do cairn convert -q $f $o 2> err && cairn info x.* | grep -E '^(container|chunks)' | tr -s ' \n' ' ;'; rm -f x.*; done; echo; done
| container zstf;chunks 3;container zstf;chunks 3;container zstf;chunks 3;container zstf;chunks 3;
| container zstf;chunks 3;container zstf;chunks 3;container zstf;chunks 3;container zstf;chunks 3;
| container zstf;chunks 3;container zstf;chunks 3;container zstf;chunks 3;container zstf;chunks 3;
| container zstf;chunks 376;container zstf;chunks 376;container zstf;chunks 376;container zstf;chunks 376;
$ for o in "stf:events= 32" stf:chunk=0 stf:vlen=x stf:version=1.7 stf:container=xz stf:chunk stf:events=32x zstf:container=stf stf:what=1 stf:sizes=bits; do for f in a.vixl a.stf a.zstf a.rst; do cairn convert $f -o x.out --to "$o" 2>&1; done | uniq -c; done; ls x.* 2>/dev/null
|       4 cairn: stf:events is 32 or 64, not ' 32'
|       4 cairn: stf:chunk is a number from 1 to 4294967295, not '0'
|       4 cairn: stf:vlen is a number from 0 to 65536, not 'x'
|       4 cairn: stf:version is 1.2 to 1.6, not '1.7'
|       4 cairn: stf:container is stf or zstf, not 'xz'
|       4 cairn: stf:chunk needs a value: chunk=N
|       4 cairn: stf:events is 32 or 64, not '32x'
|       4 cairn: x.out: --to zstf contradicts container=stf
|       4 cairn: writing STF has no option 'what=1'; it has version=1.2…1.6, events=32|64, vlen=BITS, chunk=N, container=stf|zstf, sizes=bytes, sources=before, initiators=library|spec
|       4 cairn: stf:sizes is bytes, not 'bits'
= 2
# A name and an option that contradict each other are refused; an ending alone decides.
$ for f in a.vixl a.stf a.zstf; do for o in "--to zstf -o x.stf" "--to stf:container=stf -o x.zstf" "--to stf:chunk=5 -o x.stf" "-o x.zstf.xz" "-o x.stf.xz --to zstf" "-o x.zstf --codec xz"; do cairn convert $f $o 2>&1; done; done | uniq -c
|       1 cairn: x.stf: its name asks for raw STF, --to for zstf
|       1 cairn: x.zstf: its name asks for zstf, --to for raw STF
|       1 cairn: x.stf: stf:chunk=5: raw STF has no chunks; zstf has
|       1 cairn: x.zstf.xz: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
|       1 cairn: x.stf.xz: its name asks for raw STF, --to for zstf
|       1 cairn: x.zstf: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
|       1 cairn: x.stf: its name asks for raw STF, --to for zstf
|       1 cairn: x.zstf: its name asks for zstf, --to for raw STF
|       1 cairn: x.stf: stf:chunk=5: raw STF has no chunks; zstf has
|       1 cairn: x.zstf.xz: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
|       1 cairn: x.stf.xz: its name asks for raw STF, --to for zstf
|       1 cairn: x.zstf: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
|       1 cairn: x.stf: its name asks for raw STF, --to for zstf
|       1 cairn: x.zstf: its name asks for zstf, --to for raw STF
|       1 cairn: x.stf: stf:chunk=5: raw STF has no chunks; zstf has
|       1 cairn: x.zstf.xz: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
|       1 cairn: x.stf.xz: its name asks for raw STF, --to for zstf
|       1 cairn: x.zstf: a .zstf is compressed with zstd inside; xz goes around raw STF (NAME.stf)
$ for v in edit slice merge; do cairn $v -q a.stf -o x.zstf --to stf:version=1.5 && cairn info x.zstf | grep -E '^(container|version)' | tr -s ' '; done
| version 1.5
| container zstf
| version 1.5
| container zstf
| version 1.5
| container zstf
$ for v in edit slice; do cairn $v -q a.zstf -o x.zstf --to stf:vlen=128; cairn $v a.zstf -o y.zstf --to stf:vlen=4096; done; ls x.zstf y.zstf
| x.zstf
! cairn: stf:vlen=4096: the trace says itself that vectors have 128 bits
! cairn: stf:vlen=4096: the trace says itself that vectors have 128 bits
! ls: cannot access 'y.zstf': No such file or directory
= 2
# What is read has options, too.
$ for o in stf:ids=older rst:version=0.1 vixl:piece=0 ete:protocol=itm execlog:isa=z80 tarmac:x spike:piece; do cairn count --from $o a.vixl; done
! cairn: stf:ids is old or new, not 'older'
! cairn: rst:version is 1.0 to 255.255, not '0.1'
! cairn: vixl:piece is a number from 1 to 1073741824, not '0'
! cairn: ete:protocol is ete or etmv4, not 'itm'
! cairn: execlog:isa is rv32, rv64, a64, a32 or t32, not 'z80'
! cairn: reading Tarmac has no option 'x'; it has piece=BYTES
! cairn: spike:piece needs a value: piece=BYTES
= 2

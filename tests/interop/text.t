# Real logs. One program in three dialects of Tarmac: the same instructions, taken the same
# way, on any number of threads.
needs: data gzip zstd
$ for f in $DATA/text-traces/*.tarmac $DATA/text-traces/execlog*; do cairn count $f | sed -n '1p;5,6p'; cairn view -a -j 1 $f > a; cairn view -a -j 3 $f | cmp - a; cat $f | cairn view -a - | cmp - a; done
| instructions                          4783
| branches                               881
| branches_taken                         646
| instructions                          4783
| branches                               881
| branches_taken                         646
| instructions                          4783
| branches                               881
| branches_taken                         646
| instructions                          3000
| branches                               825
| branches_taken                         381
| instructions                            14
| branches                                 0
| branches_taken                           0
! cairn: $DATA/text-traces/execlog72-style.aarch64.txt: the trace does not record which way some branches went
$ cd $DATA/text-traces && for f in fastmodel gem5; do cairn diff calculator-aarch64-es-ld-st-style.tarmac calculator-aarch64-$f.tarmac | grep differences; done
| differences   0
| differences   0
# As STF they are the same instructions; what else STF lacks is told.
$ for f in es-ld-st-style fastmodel gem5; do cairn convert -q $DATA/text-traces/calculator-aarch64-$f.tarmac -o $f.zstf; cairn diff $DATA/text-traces/calculator-aarch64-$f.tarmac $f.zstf | grep differences; done
| differences   0
| differences   0
| differences   0
! cairn: $DATA/text-traces/calculator-aarch64-es-ld-st-style.tarmac: lost: security states (at number 1)
! cairn: $DATA/text-traces/calculator-aarch64-es-ld-st-style.tarmac: lost: events that the target has no record for; view -a shows them (at number 1)
! cairn: $DATA/text-traces/calculator-aarch64-es-ld-st-style.tarmac: lost: physical addresses (2832, first at number 4)
! cairn: $DATA/text-traces/calculator-aarch64-fastmodel.tarmac: lost: security states (at number 1)
! cairn: $DATA/text-traces/calculator-aarch64-fastmodel.tarmac: lost: parts of registers, for STF records whole ones (24, first at number 1)
! cairn: $DATA/text-traces/calculator-aarch64-fastmodel.tarmac: lost: events that the target has no record for; view -a shows them (at number 1)
! cairn: $DATA/text-traces/calculator-aarch64-fastmodel.tarmac: lost: physical addresses (2832, first at number 4)
! cairn: $DATA/text-traces/calculator-aarch64-gem5.tarmac: lost: security states (at number 1)
! cairn: $DATA/text-traces/calculator-aarch64-gem5.tarmac: lost: physical addresses (2689, first at number 4)
$ for f in aarch64 riscv64; do cairn convert -q $DATA/text-traces/execlog72-style.$f.txt -o $f.zstf; cairn diff $DATA/text-traces/execlog72-style.$f.txt $f.zstf | grep differences; done
| differences   0
| differences   0
! cairn: $DATA/text-traces/execlog72-style.aarch64.txt: lost: outcomes of branches that are not known (at number 3000)
# An index beside a copy: the same place.
$ cp $DATA/text-traces/calculator-aarch64-gem5.tarmac . && cairn view -a calculator-aarch64-gem5.tarmac 4000+2 > a && cairn index calculator-aarch64-gem5.tarmac && cairn view -a calculator-aarch64-gem5.tarmac 4000+2 | cmp - a
| calculator-aarch64-gem5.tarmac.cai: 1 span, 4783 instructions, 2736 bytes; can be jumped in
# As a state trace: registers of loads and stores are named by the encoding.
$ cairn convert -q $DATA/text-traces/calculator-aarch64-fastmodel.tarmac --to vixl -o t.vixl 2> lost; cairn check --json t.vixl | tail -1
| {"errors":0,"warnings":0,"notes":23,"by_rule":{"vixl.text.foreign":23}}
$ for f in calculator-aarch64-es-ld-st-style.tarmac calculator-aarch64-gem5.tarmac execlog72-style.aarch64.txt; do cairn convert -q $DATA/text-traces/$f -o u.vixl 2> lost; cairn check u.vixl | tail -1; cairn diff $DATA/text-traces/$f u.vixl | grep differences; done
| u.vixl: 0 errors, 0 warnings, 0 notes
| differences   0
| u.vixl: 0 errors, 0 warnings, 0 notes
| differences   0
| u.vixl: 0 errors, 0 warnings, 702 notes
| differences   0
$ grep -A1 -m1 'STUR     w9,' t.vixl; grep -A2 -m1 LDP t.vixl
| 0x0000000000210de0  b81f43a9		STUR     w9,[x29,#-0xc]
| #       x9<31:0>:         0x0000000a -> 0x00000000000ffb24
| 0x000000000021102c  a9437bfd		LDP      x29,x30,[sp,#0x30]
| #            x29: 0x00000000000ffb00 <- 0x00000000000ffae0
| #             lr: 0x0000000000210f58 <- 0x00000000000ffae8
# A log is what its lines are, whatever it is called.
$ cairn info $DATA/vixl/reference/log-branch | grep -A1 -E '^(dialect|logs)'; cairn info $DATA/vixl/reference/log-branch-colour | grep coloured
| dialect        since 2019-11
| vector_length  640
| logs           write
| coloured       no
| coloured       yes

# Every analysis on every format; each says what it cannot know.
needs: data
$ for t in rst/small_1k.rst rst/mp_5m.rz3.gz vixl/reference/log-all ete/snapshots/001-ack_test text-traces/calculator-aarch64-gem5.tarmac text-traces/calculator-aarch64-fastmodel.tarmac text-traces/calculator-aarch64-es-ld-st-style.tarmac text-traces/execlog72-style.aarch64.txt text-traces/execlog72-style.riscv64.txt stf/dhry_riscv-95fc850.zstf; do echo "$t"; for v in mix branches memory blocks calls deps; do echo "$v: $(cairn $v --csv --table $(case $v in mix) echo class;; *) echo summary;; esac) $DATA/$t ..20000 2> said | sed -n 2p)"; sed 's/^cairn: [^ ]*: /  /' said; done; done
| rst/small_1k.rst
| mix: int,319,41.9736842
| branches: 760,730,149,18,109,144,104,0,3,1,3,1,2,0,0.133314479,0.186802035,0.133652044
| memory: 760,730,196,196,108,88,961,696,0,79,0,0,0,0,33,8,16,33,8,33,8
| blocks: 760,307,46,2.47557003
| calls: 760,3,1,0,0,4,12,16,3,3,3,0
|   without symbols (--image) a function is the address that was called
| deps: 730,0,750,5
| rst/mp_5m.rz3.gz
| mix: int,13993,69.965
| branches: 20000,18871,3393,30,1409,3328,1344,0,473,1,3,1,2,0,0.330938305,0.104282429,0.293112217
| memory: 20000,18871,2535,2535,2449,86,3386,680,0,583,0,0,0,0,77,8,16,77,8,77,8
| blocks: 20000,5940,62,3.36700337
| calls: 20000,3,1,0,0,2,6,8,2,1,4,0
|   without symbols (--image) a function is the address that was called
| deps: 18871,0,20265,1
| vixl/reference/log-all
| mix: vector,1349,50.7715469
| branches: 2657,2657,5,1,4,0,0,0,0,5,0,4,0,1,,,
|   of some branches the address is not known: they are one row
| memory: 2657,2657,892,8975,4703,4272,11178,9841,0,0,8975,0,0,0,0,0,0,0,0,0,0
|   the trace does not record the address of some accesses
| blocks: 2657,0,0,
|   of some instructions the address is not known: they are in no block
| calls: 2657,0,0,0,0,0,0,0,0,0,1,0
|   of some instructions the address is not known: a function of which no address is known is "?"
|   without symbols (--image) a function is the address that was called
| deps: 2657,1,2458,443
|   of 0.0 % of the instructions the registers are not known: parallelism is too high
| ete/snapshots/001-ack_test
| mix: int,9459,47.295
| branches: 20000,20000,4987,320,2691,3882,1586,0,411,430,410,339,71,4,0.244009784,0.111621314,0.187956557
| memory: 20000,20000,,,,,,,,,,,,,,,,,,,
|   the trace does not record which memory was accessed
| blocks: 20000,5060,360,3.95256917
| calls: 20000,410,339,0,45,45,25,32,28,7,7,0
|   without symbols (--image) a function is the address that was called
| deps: 20000,65,21941,17
|   of 0.3 % of the instructions the registers are not known: parallelism is too high
| text-traces/calculator-aarch64-gem5.tarmac
| mix: load,1703,35.6052687
| branches: 4783,4783,881,118,646,484,249,0,94,158,160,158,17,0,0.443322438,0.159657823,0.174099306
| memory: 4783,4783,2541,2689,1560,1129,9600,8537,0,0,0,0,0,0,19,2,17,19,2,19,2
| blocks: 4783,882,128,5.42290249
| calls: 4783,160,158,0,0,0,0,0,0,0,18,0
|   without symbols (--image) a function is the address that was called
| deps: 4783,14,5418,2
|   of 0.3 % of the instructions the registers are not known: parallelism is too high
| text-traces/calculator-aarch64-fastmodel.tarmac
| mix: load,1703,35.6052687
| branches: 4783,4783,881,118,646,484,249,0,94,158,160,158,17,0,0.443322438,0.159657823,0.174099306
| memory: 4783,4783,2541,2832,1846,986,11888,6249,0,0,0,0,0,0,19,2,17,19,2,19,2
| blocks: 4783,882,128,5.42290249
| calls: 4783,160,158,0,0,0,0,0,0,0,18,0
|   without symbols (--image) a function is the address that was called
| deps: 4783,11,5418,2
|   of 0.2 % of the instructions the registers are not known: parallelism is too high
| text-traces/calculator-aarch64-es-ld-st-style.tarmac
| mix: load,1703,35.6052687
| branches: 4783,4783,881,118,646,484,249,0,94,158,160,158,17,0,0.443322438,0.159657823,0.174099306
| memory: 4783,4783,2541,2832,1846,986,11888,6249,0,0,0,0,0,0,19,2,17,19,2,19,2
| blocks: 4783,882,128,5.42290249
| calls: 4783,160,158,0,0,0,0,0,0,0,18,0
|   without symbols (--image) a function is the address that was called
| deps: 4783,11,5418,2
|   of 0.2 % of the instructions the registers are not known: parallelism is too high
| text-traces/execlog72-style.aarch64.txt
| mix: int,1478,49.2666667
| branches: 3000,3000,825,27,381,803,359,1,95,1,3,1,2,0,0.296467029,0.1144547,0.264302874
|   the trace does not record which way some branches went
| memory: 3000,3000,689,702,587,115,1260,908,0,0,0,0,0,0,59,8,16,59,8,59,8
| blocks: 3000,825,31,3.63636364
| calls: 3000,3,1,0,0,0,0,0,0,0,3,0
|   without symbols (--image) a function is the address that was called
| deps: 3000,0,3364,22
| text-traces/execlog72-style.riscv64.txt
| mix: int,6,42.8571429
| branches: 14,14,0,0,0,0,0,0,0,0,0,0,0,0,,,
| memory: 14,14,7,7,4,3,16,12,0,0,0,0,0,0,1,1,1,1,1,1,1
| blocks: 14,1,1,14
| calls: 14,0,0,0,0,0,0,0,0,0,1,0
|   without symbols (--image) a function is the address that was called
| deps: 14,0,13,0
| stf/dhry_riscv-95fc850.zstf
| mix: int,8534,42.67
| branches: 20000,20000,3508,36,2086,1922,500,0,165,751,752,751,2,0,0.0863683663,0,0
| memory: 20000,20000,7791,7791,4271,3520,25559,19179,0,0,0,0,0,0,14,5,10,14,5,14,5
| blocks: 20000,3509,38,5.69962952
| calls: 20000,752,751,0,0,0,0,0,0,0,3,0
|   without symbols (--image) a function is the address that was called
| deps: 20000,0,24193,1445

# Transactions are no instructions.
$ for v in mix branches memory blocks calls deps overview; do cairn $v $DATA/stf/tilelink/first300.stf; done
! cairn: a trace of transactions has no instructions to analyse
! cairn: a trace of transactions has no instructions to analyse
! cairn: a trace of transactions has no instructions to analyse
! cairn: a trace of transactions has no instructions to analyse
! cairn: a trace of transactions has no instructions to analyse
! cairn: a trace of transactions has no instructions to analyse
! cairn: a trace of transactions has no instructions to analyse
= 2
$ cairn report $DATA/stf/tilelink/first300.stf | grep -c 'no instructions to analyse'
| 5

# An estimate of memory looks at accesses where they lie, unless a selection has to be asked
# about each: both tell the same, also of prefetches, bus masters and unknown addresses.
$ for t in rst/mp_5m.rz3.gz rst/small_1k.rst vixl/reference/log-all stf/dhry_riscv-95fc850.zstf; do cairn memory --estimate $DATA/$t > one 2> /dev/null; cairn memory --estimate --where 'pc >= 0 || true' $DATA/$t 2> /dev/null | diff one - && wc -l < one; done
| 146
| 86
| 21
| 77

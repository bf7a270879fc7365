# Trace sources of CoreSight that are not decoded are named by the synchronisation they begin with.
$ (head -c 5 /dev/zero; printf '\200\10\1\2\3\4\101\102\103\206\204'; yes '~' | head -c 5000) > ptm.bin
$ (head -c 10 /dev/zero | tr '\0' '\377'; printf '\17'; yes 'x' | head -c 100) > stm.bin
$ for v in view records info count check mix branches blocks memory calls deps overview index "find -w taken"; do cairn $v ptm.bin; test $? = 2 || echo $v; done 2>&1 | sort | uniq -c
|      14 cairn: ptm.bin: a trace of ETMv3, PTM or ITM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
$ cairn view stm.bin
! cairn: stm.bin: a trace of STM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
= 2
$ cairn view - < stm.bin
! cairn: -: a trace of STM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
= 2
$ cairn convert -o x.stf ptm.bin
! cairn: ptm.bin: a trace of ETMv3, PTM or ITM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
= 2
$ cairn check ptm.bin stm.bin
! cairn: ptm.bin: a trace of ETMv3, PTM or ITM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
! cairn: stm.bin: a trace of STM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
= 2
$ cairn count --from ete ptm.bin
! cairn: ptm.bin: a trace of ETMv3, PTM or ITM, by the synchronisation it begins with; of CoreSight's trace sources ETE and ETMv4 are decoded
= 2
$ cairn view --from ete:framing=raw ptm.bin
| GAP an unknown number of instructions are missing: 5016 bytes before the first synchronisation
! cairn: ptm.bin: the trace only records branches; the program is needed to know which instructions ran: --image FILE
# What begins in the middle of a synchronisation of ETE is not one of these.
$ (head -c 9 /dev/zero; printf '\200\1\1\0\0'; head -c 11 /dev/zero; printf '\200\1\1\0\0') > cut.ete
$ cairn records cut.ete
|         1  0x00000000  NOT_SYNC           bytes=0000000000000000008001010000
|         2  0x0000000e  ASYNC              bytes=000000000000000000000080
|         3  0x0000001a  TRACE_INFO         bytes=010100 info=0x00
|         4  0x0000001d  PADDING            bytes=00

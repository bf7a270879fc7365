# PTE promises a walk for every page: it does not hold when a part has none.
needs: data
$ T=$DATA/stf/every-record/rv64_v128.stf
> cairn edit --drop PAGE_TABLE_WALK $T -o none.stf && cairn merge $T none.stf -o m.stf
> cairn info m.stf | grep -c PTE; cairn check m.stf | grep -c -e walk.first -e walk.required
| 0
| 0
! cairn: $DATA/stf/every-record/rv64_v128.stf: records left out as asked
! cairn: m.stf: features declared by some parts only: DATA_ATTRIBUTE OPERAND_VALUE PTE PROCESS_ID REG_STATE; not for the whole, and so not declared: PTE
= 1
$ cairn merge $DATA/stf/every-record/rv64_v128.stf $DATA/stf/every-record/rv64_v128.stf -o m.stf
> cairn info m.stf | grep -o PTE
| PTE

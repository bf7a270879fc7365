# Zcmp and Zcmt where the header names them and not C's doubles: pushes, pops, returns and
# table jumps, in every verb.
needs: data/repro/stf/zc.stf
$ cairn check $DATA/repro/stf/zc.stf
| $DATA/repro/stf/zc.stf: byte 0x136, record 28, instruction 4: warning: INST_PC_TARGET behind INST_MEM_CONTENT [stf.group.order]
| $DATA/repro/stf/zc.stf: byte 0x15e, record 33, instruction 6: warning: INST_PC_TARGET behind INST_MEM_CONTENT [stf.group.order]
| $DATA/repro/stf/zc.stf: 0 errors, 2 warnings, 0 notes
$ cairn mix --by mnemonic,extension,class $DATA/repro/stf/zc.stf
| mnemonic   extension  class   count  percent
| addi       i          int         2    25.00
| addi       i          nop         1    12.50
| cm.jt      zcmt       jump        1    12.50
| cm.mvsa01  zcmp       int         1    12.50
| cm.pop     zcmp       load        1    12.50
| cm.popret  zcmp       return      1    12.50
| cm.push    zcmp       store       1    12.50
$ cairn report $DATA/repro/stf/zc.stf | grep -o '<td>cm[.][a-z0-9]*</td>'
| <td>cm.jt</td>
| <td>cm.mvsa01</td>
| <td>cm.pop</td>
| <td>cm.popret</td>
| <td>cm.push</td>
$ cairn count $DATA/repro/stf/zc.stf | head -6
| instructions                             8
| executed                                 8
| loads                                    3
| stores                                   1
| branches                                 2
| branches_taken                           2
$ cairn view $DATA/repro/stf/zc.stf
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=42 priv=machine
| FORCE_PC 000000007ffffffc
|         1  000000007ffffffc  00000013  nop                               forced
|         2  0000000080000000  b852      cm.push {ra, s0}, -16
|         3  0000000080000002  ba52      cm.pop {ra, s0}, 16
|         4  0000000080000004  be52      cm.popret {ra, s0}, 16            PC 0000000080000400
|         5  0000000080000400  00108093  addi ra, ra, 1
|         6  0000000080000404  a002      cm.jt 0                           PC 0000000080000500
|         7  0000000080000500  ac22      cm.mvsa01 s0, s0
|         8  0000000080000502  00108093  addi ra, ra, 1
# A copy of it, and one whose header names C and D.
$ cairn convert -q -o a.zstf $DATA/repro/stf/zc.stf && cairn count -w branch a.zstf | head -1
| instructions                             2
$ cairn edit -q --isa-string rv64gc -o b.stf a.zstf && cairn mix --by mnemonic b.stf
| mnemonic  count  percent
| c.fsdsp       5    62.50
| addi          3    37.50

# Without ISA_EXTENDED the same encodings are loads and stores of doubles.
$ cairn edit $DATA/repro/stf/zc.stf --to stf:version=1.5 -o x.stf; cairn edit $DATA/repro/stf/zc.stf --drop ISA_EXTENDED -o x.stf; ls x.stf
! cairn: ISA_EXTENDED (of version 1.6) cannot be left out: without it, encodings of this trace would be other instructions (Zcmp, Zclsd, Zfinx)
! cairn: ISA_EXTENDED (of version 1.6) cannot be left out: without it, encodings of this trace would be other instructions (Zcmp, Zclsd, Zfinx)
! ls: cannot access 'x.stf': No such file or directory
= 2

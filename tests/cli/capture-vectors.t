# A program with every kind of vector instruction, on CPUs with vectors of other lengths: what its capture tells
# is what the instructions make of it.
needs: qemu-riscv64
$ vectors() { cairn capture -q --cpu rv64,v=true,vext_spec=v1.0,vlen=$1 ${3:-} -o $2 -- $CAIRN_SOURCE/tests/programs/vectors-rv64.elf; }; declare -f vectors > vectors.sh
$ . ./vectors.sh; for v in 128 256 1024; do vectors $v $v.zstf && cairn info $v.zstf | grep -E '^(isa_extended|vlen) ' && cairn check --execute $v.zstf | tail -n 1 && cairn info --coverage $v.zstf | grep -E '^  (integer|floating|vector) ' | sort -u; done
| isa_extended   rv64imafdcv_zicsr_zifencei_zba_zbb_zbc_zbs
| vlen           128
| 128.zstf: 0 errors, 0 warnings, 1 note
|   floating point                 4     100.0 %     100.0 %
|   floating point                24     100.0 %     100.0 %
|   integer                     2305     100.0 %     100.0 %
|   integer                     3436     100.0 %     100.0 %
|   vector                       464     100.0 %     100.0 %
|   vector                       636      98.7 %     100.0 %
| isa_extended   rv64imafdcv_zicsr_zifencei_zba_zbb_zbc_zbs
| vlen           256
| 256.zstf: 0 errors, 0 warnings, 1 note
|   floating point                 4     100.0 %     100.0 %
|   floating point                24     100.0 %     100.0 %
|   integer                     2305     100.0 %     100.0 %
|   integer                     3436     100.0 %     100.0 %
|   vector                       464     100.0 %     100.0 %
|   vector                       636      98.1 %      99.3 %
| isa_extended   rv64imafdcv_zicsr_zifencei_zba_zbb_zbc_zbs
| vlen           1024
| 1024.zstf: 0 errors, 0 warnings, 1 note
|   floating point                 4     100.0 %     100.0 %
|   floating point                24     100.0 %     100.0 %
|   integer                     2305     100.0 %     100.0 %
|   integer                     3436     100.0 %     100.0 %
|   vector                       464     100.0 %     100.0 %
|   vector                       636      98.1 %      99.3 %
# The state behind a vsetvli and what it was for, and a load of up to 300 elements.
$ cairn view --state 256.zstf 27 | grep -E '^  (v4|vl|vtype|vstart|vxrm|vxsat|frm) '; cairn view --state 256.zstf 200 | grep -cE '^  v[0-9]+ '
|   v4            0x0000000000000000000000000000000000000000e54dfd4c1f251927cd3ca58e  26
|   frm           0x0000000000000003  8
|   vstart        0x0000000000000000  26
|   vxsat         0x0000000000000000  1
|   vxrm          0x0000000000000003  7
|   vl            0x0000000000000003  25
|   vtype         0x00000000000000d7  25
| 26
$ for v in 128 256 1024; do cairn view -m $v.zstf 17 | grep -c 'MEM READ'; done
| 128
| 256
| 300
# Without registers the length is in the header all the same, and what loads tell can be followed.
$ . ./vectors.sh; vectors 512 lean.stf --no-regs && cairn info lean.stf | grep '^vlen ' && cairn info --coverage lean.stf | grep '^  vector ' && cairn view -r lean.stf | grep -cE ' (dst|src|state) '
| vlen           512
|   vector                       636       0.0 %       4.4 %
|   vector                       464       0.0 %       5.1 %
| 0
= 1
# By default the program finds no vectors, and the header says so.
$ cairn capture -q -o none.stf -- $CAIRN_SOURCE/tests/programs/vectors-rv64.elf 2> /dev/null; cairn info none.stf | grep -E '^(isa_extended|vlen) '
| isa_extended   rv64imafdc_zicsr_zifencei_zba_zbb_zbc_zbs
| vlen           unknown
# Of a CPU with other extensions the header does not say which it has.
$ cairn capture -q --cpu rv64,zbkb=true -o other.stf -- $EXAMPLES/sort.elf && cairn info other.stf | grep -E '^(isa_extended|vlen) '
| sorted 96 numbers with 1107 comparisons: mean 30970, deviation 19229
| isa_extended   unknown
| vlen           unknown
# A CPU that there is none of.
$ cairn capture -q --cpu nothing -o x.stf -- $EXAMPLES/sort.elf; ls x.stf
! qemu-riscv64: unable to find CPU model 'nothing'
! cairn: $EXAMPLES/sort.elf: no instruction was executed
! ls: cannot access 'x.stf': No such file or directory
= 2

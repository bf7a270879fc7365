# Small traces that were once judged wrongly: comments between an access and its content,
# accesses of micro-operations, traps within machine mode, metadata extended by its sign, and
# more CPUs than a byte can count.
needs: data/repro/stf/cm.stf data/repro/rst/cpus256.rst.xz
$ cd $DATA/repro && for f in stf/cm.stf stf/uo.stf stf/mm.stf stf/se.stf rst/cpus256.rst.xz; do
>   cairn check $f
> done
| stf/cm.stf: 0 errors, 0 warnings, 0 notes
| stf/uo.stf: 0 errors, 0 warnings, 0 notes
| stf/mm.stf: 0 errors, 0 warnings, 0 notes
| stf/se.stf: byte 0x84, record 12, instruction 1: error: field 1 is 0xffffffff00053783, which has 32 bits [stf.event.extended]
| stf/se.stf: 1 error, 0 warnings, 0 notes
| rst/cpus256.rst.xz: byte 0x6528, record 1080, instruction 49: note: CPU 48; MAX_INSTR_CPUID is 48 [rst.cpu.max-instr]
| rst/cpus256.rst.xz: 0 errors, 0 warnings, 1 note

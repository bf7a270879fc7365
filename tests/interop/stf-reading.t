# Sizes in bits, late source values, initiators: as real traces and small ones have them.
needs: data/stf/core_riscv-98d94d8.zstf data/repro/stf/bm.stf grep cut
$ cairn info $DATA/stf/core_riscv-98d94d8.zstf | grep -E '^(access_sizes|source_values|initiators|notes)'
| access_sizes   bits
| source_values  before
| initiators     library
| notes          access sizes are in bits, as 256 of the first 256 accesses show; everything but 'records' shows bytes
$ cairn info --json $DATA/stf/bmi_mm.bare-19933e3.zstf | grep -E 'access_sizes|source_values|initiators|access sizes|source values'
|   "access_sizes": "bits",
|   "source_values": "after",
|   "initiators": "library",
|     "access sizes are in bits, as 231 of the first 232 accesses show; everything but 'records' shows bytes",
|     "source values were read after the instruction, as 32 of the first 32 changed registers show; those of registers that it writes, and of floating-point registers, are not believed"
$ cairn count -v $DATA/stf/illegal-bbfb492.stf 2>&1 >count.txt | grep -v done
| cairn: $DATA/stf/illegal-bbfb492.stf: source values were read after the instruction, as 27 of the first 27 changed registers show; those of registers that it writes are not believed
$ for f in $DATA/stf/*stf; do printf '%s ' "${f##*/}"; cairn info --json "$f" 2>&1 | grep -E '"(access_sizes|source_values)"' | tr -d '\n'; echo; done | grep -E 'bits|after'
| bmi_mm.bare-19933e3.zstf   "access_sizes": "bits",  "source_values": "after",
| bmi_towers.bare-6873998.stf   "access_sizes": "bits",  "source_values": "after",
| core_riscv-98d94d8.zstf   "access_sizes": "bits",  "source_values": "before",
| dhry_riscv-95fc850.zstf   "access_sizes": "bits",  "source_values": "before",
| dhry_riscv_1000-f0b4f80.stf   "access_sizes": "bits",  "source_values": "before",
| illegal-ae77aca.zstf   "access_sizes": "bytes",  "source_values": "after",
| illegal-bbfb492.stf   "access_sizes": "bytes",  "source_values": "after",
| median-f813842.zstf   "access_sizes": "bits",  "source_values": "before",
| qsort-836fba6.zstf   "access_sizes": "bits",  "source_values": "before",
| vvadd-beee64a.zstf   "access_sizes": "bits",  "source_values": "before",
# Every consumer sees bytes.
$ cairn memory $DATA/stf/core_riscv-98d94d8.zstf | grep -E '^(accesses|read_bytes|written_bytes|unaligned|cross_line)'
| accesses          703141
| read_bytes       2527738
| written_bytes     944598
| unaligned              0
| cross_line             0
$ cairn memory --from stf:sizes=bytes $DATA/stf/core_riscv-98d94d8.zstf | grep -E '^(accesses|unaligned)'
| accesses           703141
| unaligned          593866
$ cairn find --writes 0x3fffbc4c60 --before 20000 $DATA/stf/core_riscv-98d94d8.zstf | cut -c 1-46
$ cairn find --from stf:sizes=bytes --writes 0x3fffbc4c60 --before 20000 $DATA/stf/core_riscv-98d94d8.zstf | cut -c 1-46
|        20  0000000000010afa  fc06      sd ra, 
$ cairn edit $DATA/stf/core_riscv-98d94d8.zstf -o a.zstf --to zstf:sizes=bytes && cairn check a.zstf | grep mem.bits; cairn memory a.zstf >a.txt; cairn memory $DATA/stf/core_riscv-98d94d8.zstf | diff - a.txt && echo same
| same
! cairn: $DATA/stf/core_riscv-98d94d8.zstf: sizes of accesses that were in bits (703141, first at number 4)
# Records stay as they are, and so does another packing.
$ cairn records $DATA/stf/core_riscv-98d94d8.zstf r13 | cut -c 22-
|   INST_MEM_ACCESS    address=0x0000003fffbc4c30 bytes=64 attributes=0x0000 access=WRITE
$ cairn convert $DATA/stf/core_riscv-98d94d8.zstf -o b.stf && cairn convert b.stf -o c.zstf && cairn convert c.zstf -o d.stf && cairn records b.stf r13 | cut -c 22- && cmp b.stf d.stf
|   INST_MEM_ACCESS    address=0x0000003fffbc4c30 bytes=64 attributes=0x0000 access=WRITE
# An index holds what the reading was, and is not used by another.
$ cairn index b.stf && cairn find -v --writes 0x3fffbc4c60 --before 20000 b.stf 2>&1 | grep -v done | cut -c 1-60
| b.stf.cai: 53 spans, 3546808 instructions, 34228 bytes; can be jumped in; all of memory is known at 52 places
| cairn: b.stf: access sizes are in bits, as 256 of the first 
$ cairn find -v --from stf:sizes=bytes --writes 0x3fffbc4c60 --before 20000 b.stf 2>&1 | grep -v done | cut -c 1-60
|        20  0000000000010afa  fc06      sd ra, 56(sp)
| cairn: the index is not used: b.stf.cai: was made with anoth
# The state before an instruction, and after the one before it.
$ cairn view --state -r $DATA/stf/bmi_mm.bare-19933e3.zstf 7 | grep -w sp
|   x2 sp         0x0000000080023d40  5
|         7  0000000080004ba2  9106      add sp, sp, ra
$ cairn view --state --after -r $DATA/stf/bmi_mm.bare-19933e3.zstf 6 | grep -w sp
|   x2 sp         0x0000000080023d40  5
$ cairn view -r $DATA/stf/bmi_mm.bare-19933e3.zstf 7 68
|         7  0000000080004ba2  9106      add sp, sp, ra
|            src sp = ?
|            src ra = 0xffffffffffffed40
|            dst sp = 0x0000000080022a80
|        68  0000000080004c8e  0015b027  fsd ft1, 0(a1)
|            src a1 = 0x0000000080023d50
|            src ft1 = ?
$ cairn edit $DATA/stf/bmi_mm.bare-19933e3.zstf -o d.stf --to stf:sizes=bytes,sources=before && cairn view -r d.stf 7 68; cairn check d.stf | tail -n 1
|         7  0000000080004ba2  9106      add sp, sp, ra
|            src sp = 0x0000000080023d40
|            src ra = 0xffffffffffffed40
|            dst sp = 0x0000000080022a80
|        68  0000000080004c8e  0015b027  fsd ft1, 0(a1)
|            src a1 = 0x0000000080023d50
|            src ft1 = 0x41dbd5b7ddc00000
| d.stf: 0 errors, 0 warnings, 3 notes
! cairn: $DATA/stf/bmi_mm.bare-19933e3.zstf: sources that got the value of before the instruction (360099, first at number 4)
! cairn: $DATA/stf/bmi_mm.bare-19933e3.zstf: sizes of accesses that were in bits (66168, first at number 68)
# Initiators.
$ cairn view --json $DATA/repro/stf/bm.stf 2 | grep -o '"by":"[a-z]*"' | tr '\n' ' '
| "by":"other" "by":"core" "by":"gpu" "by":"dma" "by":"pcie" "by":"srio" "by":"icn" "by":"other" 
|\
$ cairn view --json --from stf:initiators=spec $DATA/repro/stf/bm.stf 2 | grep -o '"by":"[a-z]*"' | tr '\n' ' '
| "by":"core" "by":"gpu" "by":"dma" "by":"pcie" "by":"srio" "by":"icn" "by":"accel" "by":"other" 
|\
$ cairn check $DATA/repro/stf/bm.stf; cairn check --from stf:initiators=spec $DATA/repro/stf/bm.stf
| $DATA/repro/stf/bm.stf: byte 0x89, record 13, instruction 2: note: the initiator is 0: Core by the specification (--from stf:initiators=spec), invalid in the public library, which counts from 1 [stf.bus.numbering]
| $DATA/repro/stf/bm.stf: byte 0x146, record 27, instruction 2: error: the initiator is 7, which is reserved [stf.bus.initiator]
| $DATA/repro/stf/bm.stf: 1 error, 0 warnings, 1 note
| $DATA/repro/stf/bm.stf: byte 0x146, record 27, instruction 2: error: the initiator is 7, which is reserved [stf.bus.initiator]
| $DATA/repro/stf/bm.stf: 1 error, 0 warnings, 0 notes
= 1
$ cairn edit --from stf:initiators=spec $DATA/repro/stf/bm.stf -o e.stf --to stf:initiators=library && cairn records e.stf | grep -o 'initiator=[A-Z0-9]*' | tr '\n' ' '
| initiator=CORE initiator=GPU initiator=DMA initiator=PCIE initiator=SRIO initiator=ICN initiator=INVALID initiator=7 
|\
! cairn: $DATA/repro/stf/bm.stf: lost: kinds of bus masters without a number (at number 2)
# Process ids in header and body alike.
$ cairn edit $DATA/repro/stf/pid.stf -o f.stf --to stf:version=1.4 && cairn records f.stf | grep PROCESS | cut -c 22-
|   PROCESS_ID_EXT     tgid=2 tid=3 asid=0
|   PROCESS_ID_EXT     tgid=5 tid=6 asid=0
! cairn: $DATA/repro/stf/pid.stf: lost: hardware thread ids (2)
$ cairn merge f.stf $DATA/repro/stf/pid.stf -o g.stf && cairn records g.stf | grep PROCESS | cut -c 22-
|   PROCESS_ID_EXT     hw_tid=0 pid=2 tid=3
|   PROCESS_ID_EXT     hw_tid=0 pid=5 tid=6
|   PROCESS_ID_EXT     hw_tid=1 pid=2 tid=3
|   PROCESS_ID_EXT     hw_tid=4 pid=5 tid=6

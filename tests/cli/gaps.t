# Where something is missing, what is made of a trace says so: nothing is known behind it.
needs: zstd python3
$ cat > lost.log <<'END'
> core   0: 0x0000000080000000 (0x00100093) li ra, 1
> core   0: 3 0x0000000080000000 (0x00100093) x1  0x0000000000000001
> core   0: 0x00000000800000zz (0x00200093) li ra, 2
> core   0: 0x0000000080000008 (0x00000013) nop
> core   0: Executed 3 times
> core   0: 0x000000008000000c (0x00000013) nop
> END
$ cairn view lost.log
| CONTEXT cpu=0 priv=machine
|         1  0000000080000000  00100093  li ra, 1
| DAMAGE byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
| CONTEXT cpu=0
|         2  0000000080000008  00000013  nop
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
|         3  000000008000000c  00000013  nop
! cairn: lost.log: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
! cairn: lost.log: 1 damaged place; everything that can be read is in the output
= 2
$ cairn convert lost.log -o lost.stf
! cairn: lost.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (2, first at number 1)
! cairn: lost.log: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
! cairn: lost.log: 1 damaged place; everything that can be read is in the output
= 2
$ cairn records lost.stf | grep "cairn: gap"
|        14  0x000000d4  COMMENT            text="cairn: gap: damage: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses"
|        17  0x00000176  COMMENT            text="cairn: gap of 2 instructions: the log counts repetitions instead of showing them"
$ cairn view lost.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000000
|         1  0000000080000000  00100093  li ra, 1                          forced
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| GAP an unknown number of instructions are missing: damage: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
| FORCE_PC 0000000080000008
|         2  0000000080000008  00000013  nop                               forced
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
| FORCE_PC 000000008000000c
|         3  000000008000000c  00000013  nop                               forced
$ cairn view --state lost.log 2; cairn view --state lost.stf 2
| STATE before 2
| CONTEXT cpu=0
|         2  0000000080000008  00000013  nop
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
| STATE before 2
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| GAP an unknown number of instructions are missing: damage: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
| FORCE_PC 0000000080000008
|         2  0000000080000008  00000013  nop                               forced
! cairn: lost.log: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
! cairn: lost.log: 1 damaged place; everything that can be read is in the output
$ cairn slice -q lost.stf 2.. -o rest.stf; cairn view rest.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000008
| GAP an unknown number of instructions are missing: damage: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
|         1  0000000080000008  00000013  nop                               forced
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
| FORCE_PC 000000008000000c
|         2  000000008000000c  00000013  nop                               forced
$ cairn edit -q lost.stf -o again.zstf; cairn view again.zstf | grep GAP; cairn convert -q again.zstf -o again.stf; cairn view again.stf | grep GAP
| GAP an unknown number of instructions are missing: damage: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
| GAP an unknown number of instructions are missing: damage: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
# The mode may have changed in what was lost: until the trace tells it, it is not known.
$ cat > modes.py <<'END'
> pc = 0x80000000
> def ran(word, mode):
>     global pc
>     print(f"core   0: 0x{pc:016x} (0x{word:08x}) x")
>     print(f"core   0: {mode} 0x{pc:016x} (0x{word:08x})")
>     pc += 4
> for i in range(20): ran(0x00100093, 3)
> ran(0x30200073, 3) # mret
> pc = 0x80001000
> for i in range(12): ran(0x00100093, 0)
> END
$ python3 modes.py > modes.log; cairn convert -q modes.log --to zstf:chunk=8 -o modes.zstf
$ cat > spoil.py <<'END'
> data = bytearray(open("modes.zstf", "rb").read())
> frames = [i for i in range(len(data)) if data[i:i + 4] == b"\x28\xb5\x2f\xfd"]
> for i in range(frames[2] + 6, frames[2] + 20): data[i] ^= 0x5a
> open("spoilt.zstf", "wb").write(data)
> END
$ python3 spoil.py; cairn count -w 'priv==machine' spoilt.zstf
| instructions                            16
| executed                                16
| loads                                    0
| stores                                   0
| branches                                 0
| branches_taken                           0
| events                                   1
! cairn: spoilt.zstf: privilege modes, on which the selection depends, are unknown for 9 of 25 instructions
! cairn: spoilt.zstf: chunk 2: byte 0x0 of it, instruction 17: zstd: byte 5 of the compressed input: Data corruption detected
! cairn: spoilt.zstf: 1 damaged place; everything that can be read is in the output
= 2
$ cairn convert -q spoilt.zstf -o kept.stf; cairn view kept.stf 15..18; cairn count -w 'priv==machine' kept.stf | head -1
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
|        15  0000000080000038  00100093  li ra, 1
|        16  000000008000003c  00100093  li ra, 1
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| GAP an unknown number of instructions are missing: cairn: bytes of the trace were lost here
| FORCE_PC 000000008000100c
|        17  000000008000100c  00100093  li ra, 1                          forced
|        18  0000000080001010  00100093  li ra, 1
| instructions                            16
! cairn: spoilt.zstf: 1 damaged place; everything that can be read is in the output
! cairn: kept.stf: privilege modes, on which the selection depends, are unknown for 9 of 25 instructions
$ cairn slice -q kept.stf 18.. -o rest.stf; cairn view rest.stf 1; cairn convert -q kept.stf --to zstf:chunk=4 -o kept.zstf; cairn count -w 'priv==machine' -j 4 kept.zstf | head -1
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
| FORCE_PC 0000000080001010
|         1  0000000080001010  00100093  li ra, 1                          forced
| instructions                            16
! cairn: kept.zstf: privilege modes, on which the selection depends, are unknown for 9 of 25 instructions
# A log tells the mode anew, and so does what is made of it.
$ sed '/zz/d; s/8000000c/800000zz/' lost.log > told.log; cat >> told.log <<'END'
> core   0: 0x0000000080000010 (0x00300093) li ra, 3
> core   0: 3 0x0000000080000010 (0x00300093) x1  0x0000000000000003
> END
$ cairn convert -q told.log -o told.stf; cairn view -r told.stf; cairn check told.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000000
|         1  0000000080000000  00100093  li ra, 1                          forced
|            dst ra = 0x0000000000000001
| FORCE_PC 0000000080000008
|         2  0000000080000008  00000013  nop                               forced
| GAP 2 instructions are missing: the log counts repetitions instead of showing them
| GAP an unknown number of instructions are missing: damage: byte 0xbf, line 5: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
| FORCE_PC 0000000080000010
|         3  0000000080000010  00300093  li ra, 3                          forced
|            dst ra = 0x0000000000000003
| told.stf: 0 errors, 0 warnings, 0 notes
! cairn: told.log: 1 damaged place; everything that can be read is in the output
# Behind the last instruction there is no place for it: STF lets a comment only stand before one.
$ sed -n '1,3p' lost.log > cut.log; cairn convert cut.log -o cut.stf; cairn view cut.stf
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0 priv=machine
| FORCE_PC 0000000080000000
|         1  0000000080000000  00100093  li ra, 1                          forced
! cairn: cut.log: lost: that something is missing behind the last instruction (at number 1)
! cairn: cut.log: ids of 0 where the trace records none (PROCESS_ID_EXT) (at number 1)
! cairn: cut.log: byte 0x76, line 3: the PC or the encoding of the instruction makes no sense; it is left out with its registers and accesses
! cairn: cut.log: 1 damaged place; everything that can be read is in the output
# A place that is read for two ranges is damaged once.
$ cairn merge -q lost.log lost.log -R 1..1 -R 2..3 -o twice.stf; cairn count twice.stf | head -1
| instructions                             6
! cairn: lost.log: 1 damaged place; everything that can be read is in the output
! cairn: lost.log: 1 damaged place; everything that can be read is in the output

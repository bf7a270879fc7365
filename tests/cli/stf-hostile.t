# Inputs on which tools have been seen to fail, each with a clean answer.
$ cairn convert $EXAMPLES/sort.zstf -o all.stf && head -c $(($(cairn records all.stf 41..41 | awk 'NR == 1 { print $2 }'))) all.stf > a.stf && cairn convert a.stf -o a.zstf --to zstf:chunk=10 && stat -c %s a.stf > size
# Records behind the last instruction are not lost in a container.
$ cp a.stf b.stf; printf '\03\03\0\0\0end' >> b.stf; cairn convert b.stf -o b.zstf --to zstf:chunk=10 && cairn count b.zstf | head -n 1 && cairn records b.zstf | tail -n 1 | cut -c 22-
| instructions                            40
|   COMMENT            text="end"
# A missing file, a folder, nothing at all.
$ cairn convert nowhere.stf -o x.stf
! cairn: nowhere.stf: No such file or directory
= 2
$ cairn convert . -o x.stf
! cairn: .: is a directory without a snapshot.ini
= 2
$ : > empty.stf; cairn slice empty.stf 1..2 -o x.stf
! cairn: empty.stf: the file is empty
= 2
# Noise.
$ seq 1000 > noise.stf; cairn edit noise.stf -o x.stf --comment x
! cairn: noise.stf: not a trace of a known format (STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture); it begins with 31 0a 32 0a 33 0a 34 0a
= 2
# An unknown record in the middle: what stands before it is written.
$ o=$(($(cairn records a.stf 20..20 | awk 'NR == 1 { print $2 }'))); head -c $o a.stf > u.stf; printf '\310' >> u.stf; tail -c +$((o + 1)) a.stf >> u.stf; cairn convert u.stf -o x.stf; cairn count x.stf | head -n 1
| instructions                            19
! cairn: u.stf: byte 0x610, record 121, instruction 20: no record has descriptor 0xc8; what follows cannot be read
! cairn: u.stf: 1 damaged place; everything that can be read is in the output
# A container by the name of a raw trace, and the other way round.
$ cp a.zstf z.stf; cairn slice z.stf 5..6 -o x.stf && cairn count x.stf | head -n 1
| instructions                             2
$ cp a.stf s.zstf; cairn convert s.zstf -o x.stf && cmp x.stf a.stf
# A flipped byte in a chunk; the other chunks are there.
$ n=$(od -An -tu8 -j12 -N8 a.zstf); cp a.zstf f.zstf; printf '\377\377\377' | dd of=f.zstf bs=1 seek=$((n - 30)) conv=notrunc 2> /dev/null; cairn convert f.zstf -o x.stf 2> err; echo $?; cairn count x.stf | head -n 1
| 2
| instructions                            30
# An index without entries, one that promises too much, chunks that hold other than said.
$ n=$(od -An -tu8 -j12 -N8 a.zstf); cp a.zstf i.zstf; printf '\0\0\0\0\0\0\0\0' | dd of=i.zstf bs=1 seek=$((n)) conv=notrunc 2> /dev/null; cairn convert i.zstf -o x.stf; cmp x.stf a.stf
!~ cairn: i.zstf: the index is not usable .*: the chunks were found by walking them
! cairn: i.zstf: 1 damaged place; everything that can be read is in the output
$ n=$(od -An -tu8 -j12 -N8 a.zstf); cp a.zstf i.zstf; printf '\0\0\0\0\0\0\0\020' | dd of=i.zstf bs=1 seek=$((n)) conv=notrunc 2> /dev/null; cairn convert i.zstf -o x.stf; cmp x.stf a.stf
!~ cairn: i.zstf: the index is not usable .*: the chunks were found by walking them
! cairn: i.zstf: 1 damaged place; everything that can be read is in the output
$ cp a.zstf h.zstf; printf '\05' | dd of=h.zstf bs=1 seek=4 conv=notrunc 2> /dev/null; cairn convert h.zstf -o x.stf 2> err; echo $?; cmp x.stf a.stf; sort -u err | tail -n 1
| 2
| cairn: h.zstf: chunk 3: begins with number 31 by the records, 16 by the container's chunk size of 5
# A change of mode without a mode, an access of no kind, an operand of no kind.
$ head='\01STF\02\01\0\0\0\06\0\0\0\04\01\0\05\02\0\06\01\01\02\03\0\0\07\040\0\010\0\0\0\0\0\011\0\0\0\0200\0\0\0\0'; echo "$head" > head; printf '%b' "$head\\023\\0144\\0\\0\\0\\0\\0\\0\\0\\0100\\0\\0360\\023\\0\\0\\0" > m.stf; cairn slice m.stf 1.. -o x.stf && cairn merge x.stf m.stf -o y.stf && cairn view -D y.stf
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
| FORCE_PC 0000000080000000
|         2  0000000080000000  00000013  forced
! cairn: y.stf: features declared by some parts only: EVENT
$ printf '%b' "$(cat head)\\023\\074\\064\\022\\0\\0\\0\\0\\0\\0\\02\\0\\0\\0\\011\\075\\0357\\0276\\0\\0\\0\\0\\0\\0\\050\\05\\0\\0161\\01\\0\\0\\0\\0\\0\\0\\0\\0360\\023\\0\\0\\0" > k.stf; cairn edit k.stf -o x.stf --comment x && cairn records x.stf | tail -n 4 | cut -c 22-
|   INST_MEM_ACCESS    address=0x0000000000001234 bytes=2 attributes=0x0000 access=9
|   INST_MEM_CONTENT   value=0x000000000000beef
|   INST_REG           reg=5 kind=INTEGER operand=7 value=0x0000000000000001
|   INST_32            encoding=0x00000013
# Cut off: anywhere, and inside an encoding, which is no instruction then.
$ head -c $(($(cat size) - 1)) a.stf > c.stf; cairn slice c.stf 39.. -o x.stf; cairn count x.stf | head -n 1
| instructions                             1
! cairn: c.stf: lost: bytes of records whose instruction is lost (12, first at number 40)
! cairn: c.stf: byte 0x78b, record 166, instruction 40: the input ends inside INST_16: 2 bytes of it are there
! cairn: c.stf: 1 damaged place; everything that can be read is in the output
# A version nobody knows; a comment without end; a length that cannot be.
$ cp a.stf v.stf; printf '\143' | dd of=v.stf bs=1 seek=9 conv=notrunc 2> /dev/null; cairn convert v.stf -o x.stf
! cairn: v.stf: STF version 1.99 is unknown to this cairn, which reads 1.2 to 1.6 (--from stf:version=1.6 tries it as the latest)
= 2
$ printf '\001STF\002\001\0\0\0\006\0\0\0\003\377\377\377\377hello' > l.stf; cairn edit l.stf -o x.stf
! cairn: l.stf: byte 0xd, record 3, instruction 1: COMMENT says it is longer than 4 GiB; what follows cannot be read
! cairn: l.stf: 1 damaged place; everything that can be read is in the output
= 2
$ cp a.stf a.sh; printf '#!/bin/sh\ntouch ran\n' > evil.sh; cairn convert evil.sh -o x.stf; ls ran; cairn convert a.sh -o x.stf && cmp x.stf a.stf
! cairn: evil.sh: not a trace of a known format (STF, RST, ETE, VIXL, Spike, Tarmac, execlog, capture); it begins with 23 21 2f 62 69 6e 2f 73
! ls: cannot access 'ran': No such file or directory
# Page walks in what is merged; vector registers of 64 and 96 bits.
$ printf '%b' "$(cat head)\\012\\0140\\0\\0\\0\\023\\050\\01\\0\\063\\01\\0\\0\\0\\0\\0\\0\\0\\02\\0\\0\\0\\0\\0\\0\\0\\062\\0\\0100\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\020\\0\\0\\01\\0\\020\\0\\0\\0\\0\\0\\0\\0317\\0\\0\\0\\0\\0\\0\\0\\0360\\023\\0\\0\\0\\0360\\023\\0\\0\\0\\074\\0\\0100\\0\\0\\0\\0\\0\\0\\010\\0\\0\\0\\01\\075\\0\\0\\0\\0\\0\\0\\0\\0\\0360\\023\\0\\0\\0" > w.stf; cairn merge w.stf w.stf -o x.stf && cairn records x.stf | grep -E 'WALK|VECTOR' | cut -c 22-110
|   INST_REG           reg=1 kind=VECTOR operand=DEST value=0x00000000000000020000000000000
|   PAGE_TABLE_WALK    va=0x0000000000004000 first_access=0 page_size=0x00001000 count=1 pa
|   INST_REG           reg=1 kind=VECTOR operand=DEST value=0x00000000000000020000000000000
|   PAGE_TABLE_WALK    va=0x0000000000004000 first_access=3 page_size=0x00001000 count=1 pa
$ cairn slice w.stf 3.. -o x.stf; cairn records x.stf | tail -n 5 | cut -c 22-110
|   INST_REG           reg=1 kind=VECTOR operand=STATE value=0x0000000000000002000000000000
|   PAGE_TABLE_WALK    va=0x0000000000004000 first_access=0 page_size=0x00001000 count=1 pa
|   INST_MEM_ACCESS    address=0x0000000000004000 bytes=8 attributes=0x0000 access=READ
|   INST_MEM_CONTENT   value=0x0000000000000000
|   INST_32            encoding=0x00000013
! cairn: w.stf: integer registers without a known value at the beginning (32)

# An interrupt of the platform, bytes that are no letters, ids of the header, an odd order.
$ printf '%b' "$(cat head)\\023\\0144\\025\\00\\00\\00\\00\\00\\00\\0200\\01\\03\\00\\00\\00\\00\\00\\00\\00\\0145\\00\\01\\00\\0200\\00\\00\\00\\00\\0360\\023\\00\\00\\00\\0360\\023\\00\\00\\00" > p.stf; cairn view -eD p.stf && cairn slice p.stf 1.. -o x.stf && cairn records x.stf | grep EVENT | cut -c 22-
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  aborted  forced
|            EVT INT_PLATFORM_5 0x3 PC 0000000080000100
|         2  0000000080000100  00000013
|   EVENT              event=0x8000000000000015 count=1 data0=0x0000000000000003
|   EVENT_PC_TARGET    pc=0x0000000080000100
$ printf '%b' "$(cat head)\\023\\076\\00\\0220\\00\\00\\00\\00\\00\\00\\010\\00\\03\\0101\\00\\00\\00\\00\\02\\077\\07\\00\\00\\00\\00\\00\\00\\00\\0346\\04\\0223\\0202\\022\\00\\0360\\023\\00\\00\\00" > b.stf; cairn view -aD b.stf && cairn records b.stf | grep -E 'BUS|MICRO' | cut -c 22-
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  forced
|            MEM WRITE 0x0000000000009000 8 = 0x0000000000000007 by dma 65
|            INST_MICROOP 0x00128293 size=4
|   BUS_MASTER_ACCESS  address=0x0000000000009000 bytes=8 initiator=DMA index=65 attributes=0x00000000 access=WRITE
|   BUS_MASTER_CONTENT value=0x0000000000000007
|   INST_MICROOP       bytes=4 micro_op=0x00128293
$ printf '%b' "\\01\\0123\\0124\\0106\\02\\01\\00\\00\\00\\06\\00\\00\\00\\010\\00\\00\\00\\00\\052\\00\\00\\00\\053\\00\\00\\00\\03\\03\\00\\00\\00\\0141\\0142\\0143\\04\\01\\00\\05\\02\\00\\06\\07\\01\\00\\00\\00\\00\\06\\06\\01\\00\\00\\00\\00\\07\\040\\04\\010\\00\\00\\00\\00\\00\\011\\00\\020\\00\\00\\00\\00\\00\\00\\023\\0360\\023\\00\\00\\00\\0360\\023\\00\\00\\00" > o.stf; cairn view -D o.stf && cairn slice o.stf 2.. -o x.stf && cairn records x.stf | grep PROCESS | cut -c 22- && cairn convert o.stf -o y.zstf && cairn convert y.zstf -o y.stf && cmp o.stf y.stf
| CONTEXT cpu=0 hw_tid=0 pid=42 tid=43
| FORCE_PC 0000000000001000
|         1  0000000000001000  00000013  forced
|         2  0000000000001004  00000013
|   PROCESS_ID_EXT     hw_tid=0 pid=42 tid=43
! cairn: o.stf: integer registers without a known value at the beginning (32)
# An instruction set with words nobody knows, and not closed under what they need.
$ printf '%b' "$(cat head)\\015\\026\\00\\00\\00\\0162\\0166\\066\\064\\0151\\0155\\0141\\0143\\0137\\0172\\0166\\0145\\063\\062\\0170\\0137\\0170\\0146\\0157\\0157\\0137\\0142\\023\\0360\\023\\00\\00\\00\\0360\\03\\0265\\0202\\00" > e.stf; cairn view e.stf; cairn mix e.stf | grep -c load; cairn check -q e.stf
| FORCE_PC 0000000080000000
|         1  0000000080000000  00000013  nop                               forced
|         2  0000000080000004  0082b503  ld a0, 8(t0)
| 1
# A generator nobody knows is kept; a version nobody knows; a name says nothing.
$ printf '%b' "\\01\\0123\\0124\\0106\\02\\01\\00\\00\\00\\06\\00\\00\\00\\010\\00\\00\\00\\00\\052\\00\\00\\00\\053\\00\\00\\00\\03\\03\\00\\00\\00\\0141\\0142\\0143\\04\\01\\00\\05\\02\\00\\06\\0143\\01\\00\\00\\00\\00\\07\\040\\04\\010\\00\\00\\00\\00\\00\\011\\00\\020\\00\\00\\00\\00\\00\\00\\023\\0360\\023\\00\\00\\00\\0360\\023\\00\\00\\00" > g.stf; cairn records g.stf | grep TRACE_INFO | head -n 1 | cut -c 22- && cairn edit g.stf -o x.stf --comment x && cairn info x.stf | grep -A 1 generators | sed 's/cairn [0-9.]*:/cairn …:/'
|   TRACE_INFO         generator=99 major=1 minor=0 minor_minor=0 comment=""
| generators     0x63 1.0.0
|                cairn …: cairn edit
$ printf '%b' "\\01\\0123\\0124\\0106\\02\\011\\00\\00\\00\\03\\00\\00\\00\\010\\00\\00\\00\\00\\052\\00\\00\\00\\053\\00\\00\\00\\03\\03\\00\\00\\00\\0141\\0142\\0143\\04\\01\\00\\05\\02\\00\\06\\07\\01\\00\\00\\00\\00\\06\\06\\01\\00\\00\\00\\00\\07\\040\\04\\010\\00\\00\\00\\00\\00\\011\\00\\020\\00\\00\\00\\00\\00\\00\\023\\0360\\023\\00\\00\\00\\0360\\023\\00\\00\\00" > v9.stf; cairn count v9.stf
! cairn: v9.stf: STF version 9.3 is unknown to this cairn, which reads 1.2 to 1.6 (--from stf:version=1.6 tries it as the latest)
= 2
$ cp a.stf a.zstf.bak; cp a.zstf a.stf.gz; cairn count a.zstf.bak | head -n 1; cairn count a.stf.gz | head -n 1
| instructions                            40
| instructions                            40
# Access and mode that nothing else counts.
$ cairn count m.stf | grep -E '^(instr|events)'; cairn count k.stf | grep -E '^(instr|loads|stores)'
| instructions                             1
| events                                   1
| instructions                             1
| loads                                    0
| stores                                   0
# Clocks of other names: ids of their own.
$ printf '%b' "\\01\\0123\\0124\\0106\\02\\01\\00\\00\\00\\06\\00\\00\\00\\06\\016\\01\\00\\00\\00\\00\\07\\00\\00\\020\\00\\00\\00\\00\\00\\013\\01\\014\\01\\04\\00\\0143\\0157\\0162\\0145\\023\\0372\\01\\00\\00\\00\\00\\00\\00\\00\\05\\00\\00\\00\\00\\00\\00\\00\\01\\00\\00\\04\\01\\00\\03\\0115\\00\\00\\00\\00\\00\\00\\00\\02\\00\\0141\\0142\\05\\00\\00\\00\\00\\00\\00\\00" > c1.stf; printf '%b' "\\01\\0123\\0124\\0106\\02\\01\\00\\00\\00\\06\\00\\00\\00\\06\\016\\01\\00\\00\\00\\00\\07\\00\\00\\020\\00\\00\\00\\00\\00\\013\\01\\014\\01\\03\\00\\0142\\0165\\0163\\023\\0372\\01\\00\\00\\00\\00\\00\\00\\00\\05\\00\\00\\00\\00\\00\\00\\00\\01\\00\\00\\04\\01\\00\\03\\0115\\00\\00\\00\\00\\00\\00\\00\\02\\00\\0141\\0142\\05\\00\\00\\00\\00\\00\\00\\00" > c2.stf; cairn merge c1.stf c2.stf -o x.stf && cairn view x.stf && cairn records x.stf | grep CLOCK_ID | cut -c 22-
|         1  id=1 clock=1 delta=5 channel=D code=1 param=0 size=3 source=0x4d sink=0x5
|         2  id=2 clock=2 delta=5 channel=D code=1 param=0 size=3 source=0x4d sink=0x5
|   CLOCK_ID           clock=1 clock_name="core"
|   CLOCK_ID           clock=2 clock_name="bus"

# A pipe tells of damage what a file tells: the same exit code, the same sentences, whatever region is asked for, also one that lies behind the end of a broken trace. A region that ends before the damage is answered without a word by both.
needs: python3 xz sed json
$ cairn convert $EXAMPLES/sort.zstf -q -o s.stf; cairn convert s.stf -q -o c.zstf --to zstf:chunk=2000; xz -dc $EXAMPLES/sort-v9.rst.xz > r.rst; cairn convert r.rst -q -o p.rz --to rst:rstzip; xz -dc $EXAMPLES/sort-a64.vixl.xz > v.vixl; cairn convert -q v.vixl -o e.ete --to ete:sync=8; cairn convert -q v.vixl -o f.ete --to ete:sync=8,frames=1
! cairn: v.vixl: lost: register values (2066, first at number 1)
! cairn: v.vixl: lost: memory accesses (695, first at number 2)
! cairn: v.vixl: lost: comments (3, first at number 1)
! cairn: v.vixl: lost: ends of runs that no branch ended (an exception of type 0x10 takes their place)
! cairn: v.vixl: lost: the program (a snapshot keeps it; else --image)
! cairn: v.vixl: lost: the registers (a snapshot keeps them; else --ete trcconfigr=0x801,trcidr0=0x8000e81,trcidr2=0x10001088,trcidr8=0x0,trcdevarch=0x47735a13)
! cairn: v.vixl: lost: register values (2066, first at number 1)
! cairn: v.vixl: lost: memory accesses (695, first at number 2)
! cairn: v.vixl: lost: comments (3, first at number 1)
! cairn: v.vixl: lost: ends of runs that no branch ended (an exception of type 0x10 takes their place)
! cairn: v.vixl: lost: the program (a snapshot keeps it; else --image)
! cairn: v.vixl: lost: the registers (a snapshot keeps them; else --ete trcconfigr=0x801,trcidr0=0x8000e81,trcidr2=0x10001088,trcidr8=0x0,trcdevarch=0x47735a13)
# Cut off, overwritten and with bytes missing, at a tenth, the middle and the end; of the container also in its index: behind its last chunk, in a PC it tells, in an offset, and cut.
$ cat > break.py <<'END'
> for name in "s.stf", "c.zstf", "r.rst", "p.rz", "v.vixl", "e.ete", "f.ete":
>     b = open(name, "rb").read()
>     places = [int(len(b) * part) for part in (0.1, 0.5, 0.93)]
>     if name == "c.zstf":
>         index = int.from_bytes(b[12:20], "little")
>         places += [index - 60, index, index + 8 + 24 * 7 + 10, index + 8 + 24 * 9, len(b) - 49]
>     for i, at in enumerate(places):
>         kinds = {"over": b[:at] + bytes(x ^ 0x5A for x in b[at:at + 48]) + b[at + 48:],
>                  "cut": b[:at], "gone": b[:at] + b[at + 5:]}
>         if name == "c.zstf":
>             kinds["bit"] = b[:at] + bytes([b[at] ^ 16]) + b[at + 1:]
>             if 12000 < at < index - 12000: # several chunks, of whose frames nothing is left, or the beginnings
>                 kinds["wide"] = b[:at - 6000] + bytes(x ^ 0x5A for x in b[at - 6000:at + 6000]) + b[at + 6000:]
>                 heads = bytearray(b)
>                 for row in range(4, 9):
>                     start = int.from_bytes(b[index + 8 + 24 * row:][:8], "little")
>                     heads[start:start + 6] = bytes(6)
>                 kinds["heads"] = bytes(heads)
>                 for row in 3, 9, 18: # a row is missing in the index, too
>                     cut = index + 8 + 24 * row
>                     count = (int.from_bytes(b[index:index + 8], "little") - 1).to_bytes(8, "little")
>                     kinds["row%d" % row] = b[:at] + bytes([b[at] ^ 16]) + b[at + 1:index] + count + b[index + 8:cut] + b[cut + 24:]
>         for kind, data in kinds.items():
>             open("%s-%d-%s" % (kind, i, name), "wb").write(data)
> END
$ python3 break.py; ls over-* cut-* gone-* bit-* wide-* heads-* | wc -l
| 88
# Each file is asked by every third of the verbs and regions, beginning with another one; CAIRN_LONG=1 takes all.
$ cat > both.sh <<'END'
> n=0 turn=0
> for file; do
> 	turn=$((turn + 1))
> 	case $file in *.ete) image="--image $EXAMPLES/sort-a64.elf" ;; *) image= ;; esac
> 	while read -r verb region; do
> 		n=$((n + 1))
> 		[ -n "${CAIRN_LONG:-}" ] || [ $(((n + turn) % 3)) = 0 ] || continue
> 		cairn $verb $image $file $region > out.f 2> err.f; file_code=$?
> 		cat $file | cairn $verb $image - $region > out.p 2> err.p; pipe_code=$?
> 		[ $file_code = $pipe_code ] || echo "$verb $file $region: file $file_code, pipe $pipe_code"
> 		case $file in
> 			*zstf) sed -i '/^CONTEXT/d' out.f out.p ;; # who jumps knows no modes
> 			*) [ $verb != info ] || sed -i -E '/^(size|instructions|records) /d' out.f out.p ;; # told of files
> 		esac
> 		sed "s/$file/-/" out.f | cmp -s - out.p || echo "$verb $file $region: other text"
> 		sed "s/^cairn: $file/cairn: -/" err.f | cmp -s - err.p || echo "$verb $file $region: other findings"
> 	done <<- RUNS
> 	count
> 	count 1..5
> 	count 900..950
> 	count 2..
> 	count 40000..
> 	mix 1800..
> 	mix 40000..
> 	view -D
> 	view -D 900..950
> 	view -D 20000..20010
> 	view -D -j 1 20000..20010
> 	view -D -n 3
> 	records 900..950
> 	records 40000..
> 	records -j 1 40000..
> 	memory 40000..
> 	overview 40000..
> 	check
> 	info
> 	RUNS
> done
> echo "$n runs"
> END
$ bash both.sh *-s.stf
| 171 runs
$ bash both.sh over-*-c.zstf
| 152 runs
$ bash both.sh cut-*-c.zstf
| 152 runs
$ bash both.sh gone-*-c.zstf
| 152 runs
$ bash both.sh bit-*-c.zstf
| 152 runs
$ bash both.sh wide-*-c.zstf heads-*-c.zstf
| 38 runs
# An index that has lost a row is used up to there, by a file and a pipe, on one thread and on several.
$ for f in row*; do cairn view -q -D -j 1 $f > f; for j in 1 2 5; do cat $f | cairn view -q -D -j $j - | cmp - f; done; grep -c ' -  ' f; done 2>&1 | sort -u; rm row*
| 0
| 4
| cairn: -: 2 damaged places; everything that can be read is in the output
| cairn: row18-1-c.zstf: 2 damaged places; everything that can be read is in the output
| cairn: row3-1-c.zstf: 2 damaged places; everything that can be read is in the output
| cairn: row9-1-c.zstf: 2 damaged places; everything that can be read is in the output
# As many instructions are missing, and those behind have their numbers.
$ for f in wide-1-c.zstf heads-1-c.zstf; do cairn count -q $f > f; cat $f | cairn count -q - | cmp - f; cairn view -q -D $f 30000 > f; cat $f | cairn view -q -D - 30000 | cmp - f; done; grep missing f; cairn count -q heads-1-c.zstf | grep missing
| missing                              10000
! cairn: wide-1-c.zstf: 4 damaged places; everything that can be read is in the output
! cairn: -: 4 damaged places; everything that can be read is in the output
! cairn: heads-1-c.zstf: 5 damaged places; everything that can be read is in the output
! cairn: -: 5 damaged places; everything that can be read is in the output
! cairn: heads-1-c.zstf: 5 damaged places; everything that can be read is in the output
# When the rest of the pipe cannot be saved, a sentence says so; nothing is guessed.
$ cat heads-1-c.zstf | (ulimit -f 4; cairn count -) | head -n 1
! cairn: -: the rest of the pipe cannot be saved to reach its index: File too large
$ bash both.sh *-r.rst
| 171 runs
$ bash both.sh *-p.rz
| 171 runs
$ bash both.sh *-v.vixl
| 171 runs
$ bash both.sh *-e.ete
| 171 runs
$ bash both.sh *-f.ete
| 171 runs
# Frames of two sources, of whom the second comes late, with bytes of an ID that no source can have and a frame cut short: what is said of the input as a whole is said wherever reading begins.
$ cat > frames.py <<'END'
> def frame(trace_id, data):
>     data, low = data.ljust(14, b"\0"), 0
>     out = [trace_id << 1 | 1]
>     for at, byte in enumerate(data, 1):
>         low |= (byte & 1) << at // 2 if at % 2 == 0 else 0
>         out.append(byte & 254 if at % 2 == 0 else byte)
>     return bytes(out + [low])
> b = open("e.ete", "rb").read()
> parts = [b[i:i + 14] for i in range(0, len(b) // 14 * 14, 14)]
> whole = b"".join(frame(0x10, x) for x in parts) + b"".join(frame(0x11, x) for x in parts)
> open("two-1-g.ete", "wb").write(whole + frame(0x7a, b"x" * 14) + whole[:5])
> END
$ python3 frames.py; bash both.sh two-1-g.ete; for v in count "view -q" mix memory; do cat two-1-g.ete | cairn $v - --image $EXAMPLES/sort-a64.elf 4000.. > two.out 2> two.p; echo $?; cairn $v two-1-g.ete --image $EXAMPLES/sort-a64.elf 4000.. 2>&1 > two.out2 | sed "s/two-1-g.ete/-/" | cmp - two.p; cmp two.out two.out2; done; cat two.p
| 19 runs
| 2
| 2
| 2
| 2
| cairn: -: the trace does not record which memory was accessed
| cairn: -: byte 0x1681: 14 bytes belong to IDs that no source can have
| cairn: -: byte 0x1690: 1 frame of less than 16 bytes
| cairn: -: byte 0x167e, instruction 4373: the trace ends within a packet; 1 byte up to the next synchronisation not decoded
| cairn: -: 3 damaged places; everything that can be read is in the output
# What the index of a container tells wrongly is one damaged place, told by who reads up to it.
$ cairn count bit-5-c.zstf | head -n 1; cat bit-5-c.zstf | cairn count - | head -n 1; cairn count cut-5-c.zstf 1..5 | head -n 1; cat cut-5-c.zstf | cairn count - 1..5 | head -n 1
| instructions                         38617
| instructions                         38617
| instructions                             5
| instructions                             5
! cairn: bit-5-c.zstf: chunk 7: begins at PC 0x10304 by the records, 0x110304 by the index
! cairn: bit-5-c.zstf: 1 damaged place; everything that can be read is in the output
! cairn: -: chunk 7: begins at PC 0x10304 by the records, 0x110304 by the index
! cairn: -: 1 damaged place; everything that can be read is in the output
# Behind a damaged chunk the index tells the address, to a file and to a pipe. Without an index it is not known: nothing is at 0 for that, and no target is made of it.
$ cairn slice $EXAMPLES/sort.zstf -q 1..3000 -o u.zstf --to zstf:chunk=500
$ cat > unknown.py <<'END'
> b = bytearray(open("u.zstf", "rb").read())
> index = int.from_bytes(b[12:20], "little")
> at = [int.from_bytes(b[index + 8 + 24 * i:][:8], "little") for i in range(5)]
> middle = (at[3] + at[4]) // 2
> b[middle:at[4]] = bytes(at[4] - middle)
> open("i.zstf", "wb").write(b)
> open("u.zstf", "wb").write(b[:index])
> END
$ python3 unknown.py; cairn view -q i.zstf 2004..2006; cat i.zstf | cairn view -q - 2004..2006
|      2004  00000000000103c8  c018      sw a4, 0(s0)
|      2005  00000000000103ca  b7cd      j 0x103ac                         PC 00000000000103ac
|      2006  00000000000103ac  0411      addi s0, s0, 4
|      2004  00000000000103c8  c018      sw a4, 0(s0)
|      2005  00000000000103ca  b7cd      j 0x103ac                         PC 00000000000103ac
|      2006  00000000000103ac  0411      addi s0, s0, 4
$ cairn view -q u.zstf 2004..2006; cat u.zstf | cairn view -q - 2004..2006
|      2004                 -  c018      sw a4, 0(s0)
|      2005                 -  b7cd      j ?                               PC 00000000000103ac
|      2006  00000000000103ac  0411      addi s0, s0, 4
|      2004                 -  c018      sw a4, 0(s0)
|      2005                 -  b7cd      j ?                               PC 00000000000103ac
|      2006  00000000000103ac  0411      addi s0, s0, 4
$ cat u.zstf | cairn view -q --json - 2005 | json asm pc
| j ? null
$ for v in "blocks --csv" "memory --csv --table instructions" "overview" "blocks --to bb --every 100"; do echo $v; cat u.zstf | cairn $v - 2>&1 | grep -E '^0x.{1,3}[ ,]|not known' || :; done
| blocks --csv
| cairn: -: of some instructions the address is not known: they are in no block
| memory --csv --table instructions
| overview
| blocks --to bb --every 100
| cairn: -: of some instructions the address is not known: they are in no block
# Branches and functions there are counted, and a note says what their addresses are worth.
$ for v in branches calls; do cat u.zstf | cairn $v - 2>&1 >/dev/null | grep 'not known'; done
| cairn: -: of some branches the address is not known: they are one row
| cairn: -: of some instructions the address is not known: a function of which no address is known is "?"
# What is made of a damaged trace has the instructions whose PC is known, each at its PC: none counts on from before a hole.
$ cat > placed.sh <<'END'
> lines() { cairn view -q -D "$@" 2> /dev/null | awk '$1 ~ /^[0-9]+$/ { print $2, $3 }'; }
> lines c.zstf > whole
> for file in *-?-c.zstf; do
> 	rm -f [xem].stf
> 	cairn convert -q $file -o x.stf 2> /dev/null; cairn edit -q $file --comment x -o e.stf 2> /dev/null
> 	cairn merge -q c.zstf $file -o m.stf 2> /dev/null
> 	lines -w 'known(pc)' $file > want
> 	lines x.stf | cmp - want; lines e.stf | cmp - want
> 	lines m.stf | cmp - <(cat whole want)
> 	cmp -s want whole || echo $file
> done | sed -E 's/-[0-9]-c.zstf$//' | sort | uniq -c
> END
$ bash placed.sh
|       2 bit
|       4 cut
|       4 gone
|       1 heads
|       4 over
|       1 wide
# So it is inside each packing, whatever pieces the bytes come in: 1,000 are no whole block of any.
$ cat > packed.sh <<'END'
> for codec in gzip bzip2 xz lz4 zstd zstd-seekable; do
> 	cairn convert -q s.stf --codec $codec -o s.$codec; sed -i "s/^for name in .*:/for name in 's.$codec',:/" break.py; python3 break.py
> done
> for file in *-?-s.{gzip,bzip2,xz,lz4,zstd,zstd-seekable}; do
> 	cairn count $file > out 2> err; code=$?; sed -i "s/^cairn: $file/cairn: -/" err
> 	for size in 1000 64k; do
> 		dd if=$file bs=$size status=none | cairn count - > out.p 2> err.p
> 		[ $? = $code ] && cmp -s out out.p && cmp -s err err.p || echo "$file in pieces of $size"
> 	done
> 	echo $code
> done | sort | uniq -c
> END
$ bash packed.sh
|      54 2

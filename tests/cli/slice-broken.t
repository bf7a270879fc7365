# A range behind the end of a trace selects nothing: no file is made, and the answer is no. Where the trace broke off before, the damage is told, from a file and from a pipe, by slice and by merge.
needs: xz python3
$ xz -dc $EXAMPLES/sort-a64.vixl.xz > v.vixl; cairn convert -q v.vixl -o e.snapshot --to ete:sync=12 2> /dev/null; { head -c 60000 v.vixl; printf '# w99: 0x00000000\n'; } > b.vixl
$ cp -r e.snapshot b.snapshot; python3 -c 'b = bytearray(open("b.snapshot/trace.bin", "rb").read()); m = len(b) * 2 // 3; b = b[:m]; b[m - 40:] = bytes([90] * 40); open("b.snapshot/trace.bin", "wb").write(b)'
$ cairn slice e.snapshot 5000..6000 -o x.snapshot; echo $?; cairn slice v.vixl 5000..6000 -o x.vixl; echo $?; ls -d x.* 2> /dev/null
| 1
| 1
! cairn: e.snapshot: the selection is empty
! cairn: v.vixl: the selection is empty
= 2
$ cairn slice b.vixl 5000..6000 -o x.vixl; echo $?; cat b.vixl | cairn slice - 5000..6000 -o x.vixl; echo $?; ls -d x.* 2> /dev/null
| 2
| 2
! cairn: b.vixl: the selection is empty
! cairn: b.vixl: byte 0xea43, line 1351: the line names a register that does not exist, or its value does not fit
! cairn: b.vixl: 1 damaged place; everything that can be read is in the output
! cairn: -: the selection is empty
! cairn: -: byte 0xea43, line 1351: the line names a register that does not exist, or its value does not fit
! cairn: -: 1 damaged place; everything that can be read is in the output
= 2
$ cairn merge b.vixl v.vixl -R 1700..1800 -o m.vixl; echo $?; cairn count m.vixl | head -n 1
| 2
| instructions                           101
! cairn: b.vixl: byte 0xea43, line 1351: the line names a register that does not exist, or its value does not fit
! cairn: b.vixl: 1 damaged place; everything that can be read is in the output
$ cairn slice b.snapshot 2100..2200 -o x.snapshot 2>&1 | sed 's/byte .*//'; cairn slice -q b.snapshot 10..20 2100..2200 -o y.snapshot 2> /dev/null; echo $?; cairn merge b.snapshot e.snapshot -R 2100..2110 -o m.snapshot 2> /dev/null; echo $?; cairn count m.snapshot | head -n 1
| cairn: b.snapshot: the selection is empty
| cairn: b.snapshot: 
| cairn: b.snapshot: 1 damaged place; everything that can be read is in the output
| 2
| 2
| instructions                            11
# Damage behind what is asked for is not looked for, by either.
$ cairn slice -q b.snapshot 10..20 -o z.snapshot; echo $?
| 0
# A merge of ranges in which nothing lies makes nothing either, whatever the formats.
$ xz -dc $EXAMPLES/sort-v9.rst.xz > r.rst; for p in $EXAMPLES/sort.zstf:stf v.vixl:vixl v.vixl:stf e.snapshot:snapshot r.rst:rst; do t=${p%:*}; cairn merge $t $t -R 900000.. -o n.${p#*:} 2>&1 | sed 's|.*: ||'; echo ${PIPESTATUS[0]}; done; ls -d n.* 2> /dev/null
| the selection is empty
| 2
| the selection is empty
| 2
| the selection is empty
| 2
| the selection is empty
| 2
| the selection is empty
| 2
= 2

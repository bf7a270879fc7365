# Two processes at one address: each gets the bytes of its own program, by its context ID. The
# trace changes from one to the other with a Target Address with Context.
needs: json sort sed
$ printf '\x1f\x20\x03\xd5\xc0\x03\x5f\xd6' > one; printf '\x21\x04\x00\x91\xc0\x03\x5f\xd6' > two; printf '\x00\x00\x80\xd2\xc0\x03\x5f\xd6' > any; to() { printf "\x85\0\x08\0\0\0\0\0\0\xb0\x0$1\0\0\0\xf7"; }; { printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04'; for p in 1 2 3 1 2; do to $p; done; } > t.bin
$ E='--ete trcidr2=0x80'; cairn view $E --image any@0x1000 --image one@ctxid=1:0x1000 --image two@CTXID=0x2:0x1000 t.bin
| CONTEXT cpu=0 ctxid=0x1 priv=el0 security=non-secure
|         1  0000000000001000                            d503201f  nop
|         2  0000000000001004                            d65f03c0  ret                               PC 0000000000001000
| CONTEXT cpu=0 ctxid=0x2 priv=el0 security=non-secure
|         3  0000000000001000                            91000421  add x1, x1, #1
|         4  0000000000001004                            d65f03c0  ret                               PC 0000000000001000
| CONTEXT cpu=0 ctxid=0x3 priv=el0 security=non-secure
|         5  0000000000001000                            d2800000  mov x0, #0
|         6  0000000000001004                            d65f03c0  ret                               PC 0000000000001000
| CONTEXT cpu=0 ctxid=0x1 priv=el0 security=non-secure
|         7  0000000000001000                            d503201f  nop
|         8  0000000000001004                            d65f03c0  ret                               PC 0000000000001000
| CONTEXT cpu=0 ctxid=0x2 priv=el0 security=non-secure
|         9  0000000000001000                            91000421  add x1, x1, #1
|        10  0000000000001004                            d65f03c0  ret                               PC ?
$ E='--ete trcidr2=0x80'; cairn index $E --image any@0x1000 --image one@ctxid=1:0x1000 t.bin; cairn count $E --image any@0x1000 --image one@ctxid=1:0x1000 t.bin | sed -n 1,3p; cairn view -v $E --image any@0x1000 --image one@ctxid=2:0x1000 t.bin 1 2>&1 | sed 's/in .* s$/in T s/'; rm t.bin.cai
| t.bin.cai: 1 span, 10 instructions, 2520 bytes; can be jumped in
| instructions                            10
| executed                                10
| loads                                    0
| CONTEXT cpu=0 ctxid=0x1 priv=el0 security=non-secure
|         1  0000000000001000                            d2800000  mov x0, #0
| cairn: the index is not used: t.bin.cai: was made with another program (--image), or files it names have changed
| cairn: t.bin: done in T s
# Where nothing is given for an address space, there is nothing.
$ E='--ete trcidr2=0x80'; cairn view $E --image one@ctxid=1,EL0N:0x1000 --image two@vmid=2:0x1000 t.bin
| CONTEXT cpu=0 ctxid=0x1 priv=el0 security=non-secure
|         1  0000000000001000                            d503201f  nop
|         2  0000000000001004                            d65f03c0  ret                               PC 0000000000001000
| GAP an unknown number of instructions are missing: no program bytes at 0x1000 (EL1N): 1 branch outcome not followed
| GAP an unknown number of instructions are missing: no program bytes at 0x1000 (EL1N): 1 branch outcome not followed
|         3  0000000000001000                            d503201f  nop                               forced
|         4  0000000000001004                            d65f03c0  ret                               PC 0000000000001000
| GAP an unknown number of instructions are missing: no program bytes at 0x1000 (EL1N): 1 branch outcome not followed
$ E='--ete trcidr2=0x80'; cairn check $E --image any@0x1000 --image one@ctxid=1:0x1000 --image two@ctxid=2:0x1000 t.bin
| t.bin: 0 errors, 0 warnings, 0 notes
# A dump of a snapshot, too.
$ mkdir s && cp one two any t.bin s && cd s && printf '[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=ete.ini\n[trace]\nmetadata=trace.ini\n' > snapshot.ini && printf '[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n[dump1]\nfile=any\naddress=0x1000\n[dump2]\nfile=one\naddress=0x1000\nspace=ctxid=1\n[dump3]\nfile=two\naddress=0x1000\nspace=EL0N,ctxid=2\n' > cpu.ini && printf '[device]\nname=ETE_0\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=0x41\nTRCTRACEIDR=0x10\nTRCIDR0=0\nTRCIDR2=0x80\n' > ete.ini && printf '[trace_buffers]\nbuffers=a\n[a]\nname=A\nfile=t.bin\nformat=source_data\n[source_buffers]\nETE_0=A\n[core_trace_sources]\ncpu_0=ETE_0\n' > trace.ini
$ cairn view --json s | json context.ctxid encoding > a; cairn view --json --ete trcidr2=0x80 --image any@0x1000 --image one@ctxid=1:0x1000 --image two@ctxid=2:0x1000 t.bin | json context.ctxid encoding | diff a - && sort -u a
| 0x1 0xd503201f
| 0x1 0xd65f03c0
| 0x2 0x91000421
| 0x2 0xd65f03c0
| 0x3 0xd2800000
| 0x3 0xd65f03c0
# What a user types wrongly.
$ cairn view --image one@ctxid=z:0x1000 t.bin; cairn view --image one@ctxid=1:1000 t.bin; cairn view --image one@ctxid=1 t.bin
! cairn: one@ctxid=z:0x1000 (a place is @0xADDRESS or @SPACE:0xADDRESS): No such file or directory
! cairn: one@ctxid=1:1000: '1000' is not a 64-bit address
! cairn: one: not an ELF file; say where raw bytes lie: one@0xADDRESS
= 2
# Two processes at one address have functions of their own: in calls, and where a region names one. What
# tables by address add up over both has no name.
$ z() { head -c $1 /dev/zero; }; { printf '\177ELF\2\1\1'; z 9; printf '\2\0\267\0\1\0\0\0\0\20\0\0\0\0\0\0@\0\0\0\0\0\0\0\330'; z 11; printf '@\0\70\0\1\0@\0\3\0\0\0\1\0\0\0\5\0\0\0x'; z 8; printf '\20\0\0\0\0\0\0\0\20\0\0\0\0\0\0\10\0\0\0\0\0\0\0\10'; z 8; printf '\20\0\0\0\0\0\0\37 \3\325\300\3_\326'; z 24; printf '\1\0\0\0\22\0\361\377\0\20\0\0\0\0\0\0\10'; z 8; printf 'one'; z 104; printf '\2'; z 19; printf '\200\0\0\0\0\0\0\000\60\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\10\0\0\0\0\0\0\0\30'; z 11; printf '\3'; z 19; printf '\260\0\0\0\0\0\0\0\5'; z 15; printf '\1'; z 15; } > one.elf; LC_ALL=C sed 's/one/two/; s/\x1f\x20\x03\xd5/\x21\x04\x00\x91/' one.elf > two.elf; printf -- '--ete trcidr2=0x80 --image one.elf@ctxid=1 --image two.elf@ctxid=2 t.bin' > args; to() { printf "\x85\0\x08\0\0\0\0\0\0\xb0\x0$1\0\0\0\xf7"; }; { printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04'; for p in 1 2 2 1 2; do to $p; done; } > t.bin
$ cairn calls --table functions $(cat args)
| function  address  calls  self  self_percent  total  total_percent
| two       0x1000       0     6         60.00      6          60.00
| one       0x1000       0     4         40.00      4          40.00
$ cairn mix --by function $(cat args)
| function  count  percent
| two           6    60.00
| one           4    40.00
$ cairn blocks --table blocks $(cat args)
| pc      end     function  executions  instructions  percent  length
| 0x1000  0x1008  -                  5            10   100.00     2.0
$ cairn count $(cat args) @one | head -1; cairn count $(cat args) @two | head -1; cairn view $(cat args) 1..8,@two+4
| instructions                             4
| instructions                             6
| CONTEXT cpu=0 ctxid=0x2 priv=el0 security=non-secure
|         4  0000000000001004  two+0x4                   d65f03c0  ret                               PC 0000000000001000
|         6  0000000000001004  two+0x4                   d65f03c0  ret                               PC 0000000000001000
$ cairn count $(cat args) @one,@two
! cairn: region '@one,@two', character 6: a second symbol, and address spaces have symbols of their own
= 2

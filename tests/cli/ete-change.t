# Parts of ETE traces, several of them as one, an index, and several harts: by the encoder.
# The program: a loop; what ran is written from a log of two harts.
needs: python3 cmp awk
$ python3 - > two.log <<'END'
> n = 0
> def insn(cpu, pc, enc, what):
>     global n
>     n += 1
>     print(f"{n} clk cpu{cpu} IT ({n}) {pc:016x} {enc:08x} O EL1h_n : {what}")
> for round in range(200):
>     for cpu in (0, 2):
>         base = 0x1000 if cpu == 0 else 0x9000
>         insn(cpu, base, 0xd503201f, "NOP")
>         for i in range(20):
>             insn(cpu, base + 4, 0xf9400021, "LDR x1,[x1]")
>             insn(cpu, base + 8, 0xb5ffffe1, f"CBNZ x1,{base + 4:#x}")
>         insn(cpu, base + 12, 0x17fffffd, f"B {base:#x}")
> END
$ cairn convert two.log -o two.snapshot
$ cairn info two.snapshot | sed -n '/^sources/,/^missing/p'
| sources        ete_0: ETE 1.3 cpu0 (cpu_0, ARM-AA64) id=0x10 trcconfigr=0x1811 trcidr0=0x8000e81 trcidr1=0x4100f403 trcidr2=0x10001088 trcidr8=0x0 trcdevarch=0x47735a13
|                ete_1: ETE 1.3 cpu2 (cpu_2, ARM-AA64) id=0x11 trcconfigr=0x1811 trcidr0=0x8000e81 trcidr1=0x4100f403 trcidr2=0x10001088 trcidr8=0x0 trcdevarch=0x47735a13
| sessions       BUFFER_0: 398 bytes, source_data, 1 source
|                BUFFER_1: 398 bytes, source_data, 1 source
| missing        none
$ for i in 0 2; do cairn view two.log cpu$i | awk '/^ /{print $2, $3}' > a; cairn view two.snapshot cpu$i | awk '/^ /{print $2, $3}' | cmp a - && wc -l < a; done
| 8400
| 8400
# Frames hold both, in a file or in a snapshot.
$ cairn convert -q two.log --to ete:frames=1,cycles=1,stack=1 -o two.ete && cairn convert two.log --to ete:frames=1 -o framed.snapshot && cmp two.ete framed.snapshot/trace.bin
! cairn: two.log: lost: the program (a snapshot keeps it; else --image)
! cairn: two.log: lost: the registers (a snapshot keeps them; else --ete trcconfigr=0x1811,trcidr0=0x8000e81,trcidr2=0x10001088,trcidr8=0x0,trcdevarch=0x47735a13)
$ for i in 0 2; do cairn view two.log cpu$i | awk '/^ /{print $2, $3}' > a; cairn view framed.snapshot cpu$i | awk '/^ /{print $2, $3}' | cmp a - && wc -l < a; done
| 8400
| 8400
$ cairn info two.ete | grep container; cairn records two.ete | wc -l
| container      coresight
| 758
$ cairn convert two.log -o one.ete
! cairn: two.log: lost: instructions of other harts than the first (frames=1, or a snapshot, keeps them) (8400, first at number 43)
! cairn: two.log: lost: the program (a snapshot keeps it; else --image)
! cairn: two.log: lost: the registers (a snapshot keeps them; else --ete trcconfigr=0x801,trcidr0=0x8000e81,trcidr2=0x10001088,trcidr8=0x0,trcdevarch=0x47735a13)
# A region, and two; a regions' beginning synchronises.
$ cairn slice two.snapshot 1000..1002 1050 -o part.snapshot && cairn view part.snapshot && cairn view two.snapshot 1000..1002 1050
| CONTEXT cpu=0 priv=el1 security=non-secure
|         1  0000000000001004  f9400021  ldr x1, [x1]
|         2  0000000000001008  b5ffffe1  cbnz x1, 0x1004                   PC 0000000000001004
|         3  0000000000001004  f9400021  ldr x1, [x1]
|         4  000000000000100c  17fffffd  b 0x1000                          PC 0000000000001000  forced
| CONTEXT cpu=0 priv=el1 security=non-secure
|      1000  0000000000001004  f9400021  ldr x1, [x1]
|      1001  0000000000001008  b5ffffe1  cbnz x1, 0x1004                   PC 0000000000001004
|      1002  0000000000001004  f9400021  ldr x1, [x1]
|      1050  000000000000100c  17fffffd  b 0x1000                          PC 0000000000001000
$ cairn records part.snapshot | head -4
|         1  0x00000000  ASYNC              bytes=000000000000000000000080
|         2  0x0000000c  TRACE_INFO         bytes=01090100 info=0x01 threshold=0
|         3  0x00000010  TRACE_ON           bytes=04
|         4  0x00000011  ADDR_CTXT_32_IS0   bytes=820108000031 address=0x0000000000001004 is=IS0 el=1 security=non_secure state=AArch64
$ cairn slice two.snapshot cpu2 -o cpu2.snapshot && cairn count cpu2.snapshot | head -1
| instructions                          8400
$ cairn merge part.snapshot cpu2.snapshot -o both.snapshot && cairn count both.snapshot | head -1
| instructions                          8404
$ cairn split --by cpu two.snapshot -o 'cpu-%s.snapshot'
| cpu-0.snapshot  8400
| cpu-2.snapshot  8400
$ cairn split --every 7000 two.snapshot -o 'part-%s.snapshot' && cairn merge part-*.snapshot -o whole.snapshot && cairn diff two.snapshot whole.snapshot | tail -3
| part-0001.snapshot  7000
| part-0002.snapshot  7000
| part-0003.snapshot  2800
| only in A     0
| only in B     0
| compared      pc, encoding, size, taken, target, flags, context
# Without the program nothing is known to be written.
$ cairn slice two.snapshot/trace.bin 1..2 -o no.ete
! cairn: two.snapshot/trace.bin: to slice an ETE trace, what ran is encoded again, and that is unknown without its program (--image)
= 2
$ cairn merge two.snapshot/trace.bin two.snapshot/trace.bin -o no.ete
! cairn: two.snapshot/trace.bin: to merge an ETE trace, what ran is encoded again, and that is unknown without its program (--image)
= 2
$ cairn convert two.snapshot/trace.bin --ete trcconfigr=0x1811,trcidr0=0x8000bc1 -o x.stf --image two.snapshot/program.bin@0x1000 -q && cairn count x.stf | head -1
| instructions                          8400
! cairn: two.snapshot/trace.bin: lost: security states (at number 1)
! cairn: two.snapshot/trace.bin: lost: places where tracing began (at number 1)
$ cairn edit two.snapshot -o no.snapshot
! cairn: two.snapshot/snapshot.ini: ETE traces cannot be edited
= 2
# An index is that of the trace and its program.
$ cairn index two.snapshot; cairn info two.snapshot | grep ^index; cairn view two.snapshot 9000+2 > a; cairn index --image two.snapshot/program.bin@0x1000 two.snapshot/trace.bin
| two.snapshot/snapshot.ini.cai: 1 span, 16800 instructions, 2504 bytes; can be jumped in
| index          1 span, can be jumped in
| two.snapshot/trace.bin.cai: 1 span, 8400 instructions, 2504 bytes; can be jumped in
$ cairn view --image two.snapshot/program.bin@0x1000 two.snapshot/trace.bin 5000; cairn view -v --image two.snapshot/program.bin@0x2000 two.snapshot/trace.bin 5000 2>&1 | sed 's/ in [0-9.]* s//'
| CONTEXT cpu=0 priv=el1 security=non-secure
|      5000  0000000000001004                            f9400021  ldr x1, [x1]
| cairn: two.snapshot/trace.bin: the selection is empty
| cairn: the index is not used: two.snapshot/trace.bin.cai: was made with another program (--image), or files it names have changed
| cairn: two.snapshot/trace.bin: done
$ cairn index framed.snapshot; cairn view two.snapshot 9000+2 | cmp a -
| framed.snapshot/snapshot.ini.cai: 1 span, 16800 instructions, 2504 bytes; can be jumped in
$ cairn find two.snapshot 'n > 8400 && class == load' --first 1; cairn diff two.snapshot framed.snapshot | tail -1
| compared      pc, encoding, size, taken, target, flags, context

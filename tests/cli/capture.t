# What needs no QEMU: everything that is wrong before a program runs.
$ cairn capture -o x.stf
! cairn: no program was named; usage: cairn capture [options] -o FILE -- PROGRAM [ARGUMENT…]
= 2
$ cairn capture -o x.stf -- ./nothing
! cairn: ./nothing: there is no such program
= 2
$ printf '#!/bin/sh\nexec true\n' > script; chmod +x script; cairn capture -o x.stf -- ./script
! cairn: ./script: is not an ELF file, so QEMU cannot run it (for a script, name the interpreter)
= 2
$ head -c 30 $EXAMPLES/sort.elf > cut; cairn capture -o x.stf -- ./cut
! cairn: ./cut: is not an ELF file, so QEMU cannot run it (for a script, name the interpreter)
= 2
# Of other machines: x86-64, and MIPS.
$ cp $EXAMPLES/sort.elf x86; printf '\x3e\x00' | dd of=x86 bs=1 seek=18 conv=notrunc status=none; cairn capture -o x.stf -- ./x86
! cairn: ./x86: an x86-64 program, and no format that cairn writes holds instructions of more than 4 bytes
= 2
$ cp $EXAMPLES/sort.elf mips; printf '\x08\x00' | dd of=mips bs=1 seek=18 conv=notrunc status=none; cairn capture -o x.stf -- ./mips
! cairn: ./mips: a program of ELF machine 8, which cairn cannot record; it can RISC-V, AArch64 and SPARC V9
= 2
$ PATH=/nowhere $(command -v cairn) capture -o x.stf -- $EXAMPLES/sort.elf
! cairn: qemu-riscv64, which runs the program, is missing: apt-get install qemu-user
= 2
$ cairn capture --qemu ./nothing -o x.stf -- $EXAMPLES/sort.elf
! cairn: ./nothing: there is no such QEMU
= 2
$ ls
| cut
| mips
| script
| x86
# A QEMU without plugins.
$ printf '#!/bin/sh\ncase $1 in --version) echo "qemu-riscv64 version 10.0.2 (Debian)";; *) echo usage;; esac\n' > qemu; chmod +x qemu; cairn capture --qemu ./qemu -o x.stf -- $EXAMPLES/sort.elf
! cairn: ./qemu: QEMU 10.0.2 was built without plugins, as Debian's are from 10 on: name one that was configured with --enable-plugins, --qemu FILE
= 2

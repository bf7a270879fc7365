# Source lines of instructions, from the image's DWARF. (What the machine's own compiler made is
# said to be for RISC-V, byte 18.)
needs: gcc json objcopy
needs: $ cairn --version | grep -q " dw "
$ printf '%s\n' '.file 1 "src/hello.c"' '.text' '.globl f' f: '.loc 1 10' nop '.balign 4' '.loc 1 12' nop '.balign 4' nop '.balign 4' > t.s
> gcc -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-N -Wl,-Ttext=0x400000 -Wl,-e,f -o t.elf t.s 2>&1; cp t.elf host.elf; printf '\363' | dd of=t.elf bs=1 seek=18 conv=notrunc status=none
| /usr/bin/ld: warning: t.elf has a LOAD segment with RWX permissions
$ log() { printf 'core   0: 0x%016x (0x00000013) nop\n' "$@"; }; log 0x400000 0x400004 0x400008 0x40000c > t.log; log 0x10000000 0x10000004 > moved.log
$ cairn view -D --image t.elf --lines t.log
| CONTEXT cpu=0
|         1  0000000000400000  f                         00000013  hello.c:10
|         2  0000000000400004  f+0x4                     00000013  hello.c:12
|         3  0000000000400008  f+0x8                     00000013  hello.c:12
|         4  000000000040000c                            00000013
$ cairn view -D --image t.elf@0x10000000 --lines moved.log
| CONTEXT cpu=0
|         1  0000000010000000  f                         00000013  hello.c:10
|         2  0000000010000004  f+0x4                     00000013  hello.c:12
$ cairn view --json --image t.elf --lines t.log 2 4 | json file line
| src/hello.c 12
| null null
$ cairn find --image t.elf --lines -D t.log 'pc==0x400008'
| CONTEXT cpu=0
|         3  0000000000400008  f+0x8                     00000013  hello.c:12
# What is missing.
$ cairn view --lines t.log
! cairn: --lines needs the program: --image FILE
= 2
$ cairn view --lines --image $EXAMPLES/sort.elf t.log
! cairn: $EXAMPLES/sort.elf: it has no source lines: compile it with -g
= 2
# What was stripped is found again beside the program, or in .debug there, if it is proven
# to be the program's.
$ objcopy --only-keep-debug host.elf t.debug && printf '\363' | dd of=t.debug bs=1 seek=18 conv=notrunc status=none && objcopy --strip-all --add-gnu-debuglink=t.debug host.elf s.elf && printf '\363' | dd of=s.elf bs=1 seek=18 conv=notrunc status=none && mkdir -p .debug && cairn view -D --image s.elf --lines t.log 1..2
| CONTEXT cpu=0
|         1  0000000000400000  f                         00000013  hello.c:10
|         2  0000000000400004  f+0x4                     00000013  hello.c:12
$ mv t.debug .debug; cairn view -D --image s.elf@0x10000000 --lines moved.log @f
| CONTEXT cpu=0
|         1  0000000010000000  f                         00000013  hello.c:10
|         2  0000000010000004  f+0x4                     00000013  hello.c:12
$ printf x >> .debug/t.debug; cairn view -D --image s.elf --lines t.log 1
! cairn: s.elf: it has no source lines: compile it with -g
= 2
$ cairn view -D --image s.elf t.log 1
| CONTEXT cpu=0
|         1  0000000000400000                            00000013

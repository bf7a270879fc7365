# A program that may lie anywhere is put where it ran, when what ran proves it. (What the machine's
# own compiler made is said to be for RISC-V, byte 18.)
needs: gcc
$ { echo .text; echo .globl f; echo f:; for i in $(seq 60); do echo ".long $((i * 65536 + 19))"; done; echo .balign 4096; echo .globl g; echo g:; for i in $(seq 30); do echo ".long $((i * 1048576 + 19))"; done; } > t.s
> gcc -nostdlib -shared -Wl,--build-id=none -Wl,-e,f -o t.so t.s; printf '\363' | dd of=t.so bs=1 seek=18 conv=notrunc status=none
$ at() { readelf -sW t.so | awk -v n="$1" '$8 == n { print "0x" $2; exit }'; }; base=$((0x7f1234560000)); f=$(($(at f) + base)); g=$(($(at g) + base))
> { for i in $(seq 60); do printf 'core   0: 0x%016x (0x%08x) x\n' $((f + 4 * i - 4)) $((i * 65536 + 19)); done; for i in $(seq 30); do printf 'core   0: 0x%016x (0x%08x) x\n' $((g + 4 * i - 4)) $((i * 1048576 + 19)); done; } > t.log
> printf 'core   0: 0x%016x (0x00000013) x\n' 0x10000 0x10004 >> t.log
$ cairn view -D --image t.so t.log 1..2 61..62 91
| CONTEXT cpu=0
|         1  00007f1234561000  f                         00010013
|         2  00007f1234561004  f+0x4                     00020013
|        61  00007f1234562000  g                         00100013  forced
|        62  00007f1234562004  g+0x4                     00200013
|        91  0000000000010000                            00000013  forced
! cairn: t.so: the trace shows that it was loaded at 0x7f1234560000
$ cairn view -Dq --image t.so t.log @g+0x8
| CONTEXT cpu=0
|        63  00007f1234562008  g+0x8                     00300013
# Too little to prove anything; the same code twice; another program.
$ head -5 t.log > few.log; cairn view -D --image t.so few.log
! cairn: t.so: is position-independent, and where it was loaded does not show from what the trace runs: name the address, --image t.so@0xADDRESS
= 2
$ { echo .text; for k in f g; do echo .globl $k; echo $k:; for i in $(seq 40); do echo ".long $((i * 65536 + 19))"; done; echo .balign 4096; done; } > u.s; gcc -nostdlib -shared -Wl,--build-id=none -Wl,-e,f -o u.so u.s; printf '\363' | dd of=u.so bs=1 seek=18 conv=notrunc status=none
> head -40 t.log > u.log; cairn view -D --image u.so u.log | wc -l
| 0
! cairn: u.so: is position-independent, and fits what the trace runs at 0x7f1234560000 and at 0x7f123455f000: name the address, --image u.so@0xADDRESS
$ cairn view -D --image $EXAMPLES/sort.elf t.log 1
| CONTEXT cpu=0
|         1  00007f1234561000                            00010013
! cairn: $EXAMPLES/sort.elf: not what ran: of 2 addresses that ran in it, 2 hold something else, the first 0x10000
# One that is elsewhere, and one of the same address that is not the one that ran.
$ cairn view -D --image $EXAMPLES/sort.elf@0x10002 $EXAMPLES/sort.zstf 1 2>&1 > /dev/null | grep -c 'not what ran'
| 1
$ cairn view -D --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf 1 2>&1 > /dev/null
# The program that a trace names is used when names are asked for, while it is what ran.
$ cairn view -D $EXAMPLES/sort.zstf @ascending+0x4 | head -2
| CONTEXT priv=user
|       928  00000000000102fa  ascending+0x4             24a78793
$ cp $EXAMPLES/sort.zstf .; cairn view -D sort.zstf @ascending+0x4
! cairn: region '@ascending+0x4', character 1: '@ascending' is a symbol, and there is no image to look it up in
= 2
$ tr '\023' '\063' < $EXAMPLES/sort.elf > sort.elf; cairn view -D sort.zstf @ascending+0x4
! cairn: region '@ascending+0x4', character 1: '@ascending' is a symbol, and there is no image to look it up in
= 2
$ cp $EXAMPLES/sort.elf .; cairn find -q -D sort.zstf 'pc==@ascending' | head -2
| CONTEXT priv=user
|       927  00000000000102f6  ascending                 00001797
$ cairn view -D --lines sort.zstf 1
! cairn: sort.elf: it has no source lines: compile it with -g
= 2
# By its build-id, wherever it now is beside the trace; another program of that name is not believed.
$ gcc -nostdlib -shared -Wl,--build-id=0x00112233445566778899aabbccddeeff -Wl,-e,f -o t.so t.s; printf '\363' | dd of=t.so bs=1 seek=18 conv=notrunc status=none; cairn convert -q t.log -o bare.stf
$ cairn edit -q bare.stf --comment 'program: somewhere/else/t.so' --comment 'build-id: 00112233445566778899aabbccddeeff' -o named.stf; cairn view -D named.stf 61 | tail -1
|        61  00007f1234562000  g                         00100013  forced
$ cairn view -D named.stf @g+0x8
| CONTEXT cpu=0 hw_tid=0 pid=0 tid=0
|        63  00007f1234562008  g+0x8                     00300013
$ gcc -nostdlib -shared -Wl,--build-id=0x00112233445566778899aabbccddee00 -Wl,-e,f -o t.so t.s; printf '\363' | dd of=t.so bs=1 seek=18 conv=notrunc status=none; cairn view -D named.stf 61 | tail -1
|        61  00007f1234562000  00100013  forced
# Without one, by what ran.
$ gcc -nostdlib -shared -Wl,--build-id=none -Wl,-e,f -o t.so t.s; printf '\363' | dd of=t.so bs=1 seek=18 conv=notrunc status=none; cairn edit -q bare.stf --comment 'program: t.so' -o named.stf; cairn view -D named.stf 62 | tail -1
|        62  00007f1234562004  g+0x4                     00200013
# In a log the comment is a line, in a snapshot its description.
$ cairn view -D $EXAMPLES/sort-a64.vixl.xz 927; cairn view -D $EXAMPLES/sort-a64.snapshot 927 | tail -1; cairn view -D $EXAMPLES/sort-v9.rst.xz 927 | tail -1
|       927  0000000000400284  merge_sort+0xcc           eb01031f
|       927  0000000000400284  merge_sort+0xcc           eb01031f
|       927  0000000000100220  merge_sort+0x48           ba176328

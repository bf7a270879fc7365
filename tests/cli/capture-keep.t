# What was recorded is not lost: QEMU killed, a disk that is full, nohup. The programs are the
# samples, but begin again where they would end.
needs: qemu-riscv64 qemu-aarch64
$ cp $EXAMPLES/sort.elf ever.elf; printf '\157\360\237\303' | dd of=ever.elf bs=1 seek=$((0x4e8)) conv=notrunc status=none
$ cp $EXAMPLES/sort-a64.elf ever-a64.elf; printf '\306\376\377\027' | dd of=ever-a64.elf bs=1 seek=$((0x5d0)) conv=notrunc status=none
$ printf '#!/bin/sh\necho $$ > pid\nexec qemu-riscv64 "$@"\n' > qemu; chmod +x qemu
# Killed: what ran is there, and even a quiet run says so. The first write is instruction 36,447.
$ cat > kill.sh <<'END'
> rm -f out pid
> cairn capture -q --qemu ./qemu -o k.zstf -- ./ever.elf > out 2> log & run=$!
> until [ -s out ]; do sleep 0.01; done
> kill -$1 $(cat pid)
> wait $run
> echo $?
> told=$(sed -n 's/.* the \([0-9]*\) instructions until then/\1/p' log)
> sed 's/the [0-9]* instr/the N instr/' log
> cairn count k.zstf | grep -q "^instructions *$told$" && [ $told -gt 36400 ] && cairn check -q k.zstf > /dev/null && echo whole
> END
$ bash kill.sh KILL 2> /dev/null
| 2
| cairn: ./ever.elf: QEMU was killed by signal 9 (Killed, perhaps for lack of memory); the trace holds the N instructions until then
| whole
$ bash kill.sh TERM 2> /dev/null | grep -v '^qemu:'
| 2
| cairn: ./ever.elf: QEMU was killed by signal 15 (Terminated); the trace holds the N instructions until then
| whole
# What is ignored stays so, for us and for the program; another signal ends both.
$ cat > nohup.sh <<'END'
> rm -f out pid
> (trap '' HUP; exec cairn capture -q --qemu ./qemu -o n.zstf -- ./ever.elf > out 2> log) & run=$!
> until [ -s out ]; do sleep 0.01; done
> kill -HUP $run $(cat pid)
> before=$(wc -c < out)
> until [ $(wc -c < out) -gt $((before + 1000)) ]; do sleep 0.01; done
> kill -TERM $run
> wait $run
> echo $?
> cairn check -q n.zstf > /dev/null && echo whole
> END
$ bash nohup.sh 2> /dev/null
| 0
| whole
# A disk that is full: what could be written can be read, as many instructions as is said.
$ cat > full.sh <<'END'
> # full.sh KIBIBYTES PROGRAM OUTPUT [OPTION…]
> rm -rf out*
> limit=$1 program=$2 out=$3
> shift 3
> (ulimit -f $limit; cairn capture -q -o $out "$@" -- ./$program > /dev/null 2> log; echo "exit code $?")
> grep -v ': lost: ' log | sed 's/first [0-9]* instr/first N instr/; s/tmp[^:]*: File/tmp: File/; s/out\.snapshot\.[a-z0-9]*\.tmp/out.snapshot.TMP/'
> told=$(sed -n 's/.* the first \([0-9]*\) instructions.*/\1/p' log)
> [ -n "$told" ] && [ "$(cairn count $out.damaged 2> /dev/null | sed -n '1s/.* //p')" = $told ] && echo counted
> ls -d out* | sort
> rm -rf out*
> END
$ bash full.sh 1000 ever.elf out.stf
| exit code 2
| cairn: out.stf: File too large
| cairn: out.stf.damaged: holds the first N instructions, all that could be written
| counted
| out.stf.damaged
$ bash full.sh 600 ever.elf out.zstf
| exit code 2
| cairn: out.zstf: File too large
| cairn: out.zstf.damaged: holds the first N instructions, all that could be written
| counted
| out.zstf.damaged
# Held back until the end, and more of it than memory is for.
$ bash full.sh 5000 ever.elf out.stf.zst
| exit code 2
| cairn: out.stf.zst: a temporary file: File too large
| cairn: out.stf.zst.damaged: holds the first N instructions, all that could be written
| counted
| out.stf.zst.damaged
$ bash full.sh 1000 ever-a64.elf out.vixl
| exit code 2
| cairn: out.vixl: File too large
| cairn: out.vixl.damaged: holds the first N instructions, all that could be written
| counted
| out.vixl.damaged
# Nobody's file is replaced.
$ echo mine > own.stf.damaged; (ulimit -f 1000; cairn capture -q -o own.stf -- ./ever.elf > /dev/null 2>&1); cat own.stf.damaged; cairn count -q own.stf.damaged-2 2> log | grep -c '^instructions' ; ls own*
| mine
| 1
| own.stf.damaged
| own.stf.damaged-2

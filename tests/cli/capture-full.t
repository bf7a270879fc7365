# A file system that is full, the files of cairn's own on it, too: what can be read of what was
# recorded is kept, whatever the form of the output.
needs: qemu-riscv64 qemu-aarch64 qemu-sparc64 unshare
needs: $ mkdir -p m && unshare -rm mount -t tmpfs tmpfs m
$ cp $EXAMPLES/sort.elf ever.elf; printf '\157\360\237\303' | dd of=ever.elf bs=1 seek=$((0x4e8)) conv=notrunc status=none
$ cp $EXAMPLES/sort-a64.elf ever-a64.elf; printf '\306\376\377\027' | dd of=ever-a64.elf bs=1 seek=$((0x5d0)) conv=notrunc status=none
$ cp $EXAMPLES/sort-v9.elf v9.elf
$ cat > inside.sh <<'END'
> # inside.sh SIZE PROGRAM OUTPUT [OPTION…], in a name space of its own
> mkdir -p m; mount -t tmpfs -o size=$1 tmpfs m
> program=$2 out=m/$3
> shift 3
> TMPDIR=$PWD/m cairn capture -q -o $out "$@" -- ./$program > /dev/null 2> log; echo "exit code $?"
> grep -v ': lost: ' log | sed 's/first [0-9]* instr/first N instr/'
> told=$(sed -n 's/.* the first \([0-9]*\) instructions.*/\1/p' log)
> [ -n "$told" ] && [ "$(cairn count $out.damaged 2> /dev/null | sed -n '1s/.* //p')" = $told ] && echo counted
> [ ! -e $out.damaged ] || cairn check -q $out.damaged > found 2>&1 || [ $? -lt 2 ] || cat found
> ls m
> END
$ printf 'unshare -rm bash inside.sh "$@"\n' > full.sh
$ bash full.sh 1m ever.elf out.stf; bash full.sh 300k ever.elf out.zstf
| exit code 2
| cairn: m/out.stf: No space left on device
| cairn: m/out.stf.damaged: holds the first N instructions, all that could be written
| counted
| out.stf.damaged
| exit code 2
| cairn: m/out.zstf: No space left on device
| cairn: m/out.zstf.damaged: holds the first N instructions, all that could be written
| counted
| out.zstf.damaged
# Not one chunk is whole.
$ bash full.sh 4k ever.elf out.zstf
| exit code 2
| cairn: m/out.zstf: No space left on device; nothing of it can be read, so nothing is kept
# Held back in memory and in a temporary file, which leaves its room to what is kept.
$ bash full.sh 100k ever.elf out.stf.zst; bash full.sh 200k ever.elf out.stf.gz
| exit code 2
| cairn: m/out.stf.zst: No space left on device
| cairn: m/out.stf.zst.damaged: holds the first N instructions, all that could be written
| counted
| out.stf.zst.damaged
| exit code 2
| cairn: m/out.stf.gz: No space left on device
| cairn: m/out.stf.gz.damaged: holds the first N instructions, all that could be written
| counted
| out.stf.gz.damaged
$ bash full.sh 1m ever-a64.elf out.vixl
| exit code 2
| cairn: m/out.vixl: No space left on device
| cairn: m/out.vixl.damaged: holds the first N instructions, all that could be written
| counted
| out.vixl.damaged
$ bash full.sh 40k v9.elf out.rst; bash full.sh 8k v9.elf out.rst.gz; bash full.sh 8k v9.elf out.rz3
| exit code 2
| cairn: m/out.rst: No space left on device
| cairn: m/out.rst.damaged: holds the first N instructions, all that could be written
| counted
| out.rst.damaged
| exit code 2
| cairn: m/out.rst.gz: No space left on device
| cairn: m/out.rst.gz.damaged: holds the first N instructions, all that could be written
| counted
| out.rst.gz.damaged
| exit code 2
| cairn: m/out.rz3: No space left on device; nothing of it can be read, so nothing is kept

# A dynamically linked program: where its image has no symbols, functions are those that
# were called, as many as without an image, and what stubs call has their names.
needs: riscv64-linux-gnu-gcc qemu-riscv64
$ printf '#include <stdlib.h>\n#include <stdio.h>\nstatic int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n__attribute__((noinline)) int work(int n) { int v[64]; for (int i = 0; i < 64; i++) v[i] = (i * 37 + n) %% 64; qsort(v, 64, sizeof *v, compare); return v[n & 63]; }\nint main(void) { int s = 0; for (int i = 0; i < 10; i++) s += work(i); return puts(s ? "some" : "none") < 0; }\n' > p.c
$ riscv64-linux-gnu-gcc -O1 -o p p.c && cp p stripped && riscv64-linux-gnu-strip stripped
$ cairn capture -q -o t.zstf ./p
| some
$ cairn calls -q --table functions --top 10000 --csv t.zstf | tail -n +2 | wc -l > without
$ cairn calls -q --table functions --top 10000 --csv --image stripped t.zstf | tail -n +2 | wc -l > with
$ cmp with without && echo as many
| as many
$ cairn calls -q --table functions --top 10000 --image stripped t.zstf | awk '/@plt/ { print $1, $3 }' | sort
| __libc_start_main@plt 1
| puts@plt 1
| qsort@plt 10
$ cairn calls -q --table functions --top 10000 --image p t.zstf | awk '$1 ~ /^(compare|main|work)$/ { print $1 }' | sort
| compare
| main
| work
# The work of the library's function is its stub's; the flame graph and the report have the name, too.
$ cairn calls -q --to folded --image p t.zstf | grep -o 'main;work;qsort@plt;.*compare ' | head -1 | cut -d';' -f1-3
| main;work;qsort@plt
$ cairn report -q --image p -o r.html t.zstf && grep -c 'qsort@plt' r.html | awk '{ print ($1 > 0) }'
| 1

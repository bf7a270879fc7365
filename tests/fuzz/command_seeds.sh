#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# command_seeds.sh BUILD : write the seeds of fuzz_command anew, tests/fuzz/corpus/command, from
# small traces of the examples and of the other targets.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
seed=$1/tests/fuzz/seed-command
corpus=$root/tests/fuzz/corpus
examples=$root/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$corpus/command"

tail -c +2 "$corpus/stf/instructions" > "$work/a.stf"
tail -c +2 "$corpus/stf/transactions" > "$work/x.stf"
tail -c +2 "$corpus/stf/cut-200" > "$work/cut.stf"
tail -c +2 "$corpus/stf/container-0" > "$work/a.zstf"
tail -c +3 "$corpus/capture/riscv" > "$work/stream"
printf '\0' >> "$work/stream"
head -c 1500 "$examples/sum.vixl" > "$work/a.vixl"
cat > "$work/a.spike" <<'LOG'
core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0
core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000
core   0: 3 0x0000000080000004 (0x0002b203) x4  0x0000000080002380 mem 0x0000000080002428
core   0: exception trap_user_ecall, epc 0x0000000080000008
core   0: >>>>  main
core   0: 3 0x0000000080000100 (0x00008282)
LOG
cat > "$work/a.tarmac" <<'LOG'
Tarmac Text Rev 3t
0 clk cpu0 IT (1) 002105d4 d2a00200 O EL3h_s :   MOVZ   X0, #16, #16
0 clk cpu0 R X0 0000000000100000
1 clk cpu0 IT (2) 002105d8 f9400001 O EL3h_s :   LDR   X1, [X0]
1 clk cpu0 MR8 00100000:000000100000 00000000_00000000
LOG
cat > "$work/a.execlog" <<'LOG'
0, 0x4006c0, 0xd503201f, "nop "
0, 0x4006d0, 0xf94003e1, "ldr x1, [sp]", load, 0x55008007d0
0, 0x4006d4, 0xb5ffffe1, "cbnz x1, #0x400958"
LOG

# make NAME COMMAND… -- NAME=FILE…
make() {
	local name=$1
	shift
	"$seed" "$corpus/command/$name" "$@"
}
stf=t.stf=$work/a.stf rst=t.rst=$examples/traps.rst vixl=t.vixl=$work/a.vixl
snapshot=(snapshot.ini="$examples/sort-a64.snapshot/snapshot.ini" trace.ini="$examples/sort-a64.snapshot/trace.ini"
	cpu_0.ini="$examples/sort-a64.snapshot/cpu_0.ini" ete_0.ini="$examples/sort-a64.snapshot/ete_0.ini"
	trace.bin="$examples/sort-a64.snapshot/trace.bin" program.bin="$examples/sort-a64.snapshot/program.bin")

make view 'view --all t.stf 2..5' 'view --json --where class==load t.stf' -- "$stf"
make view-pipe 'view --no-disasm - ..3' 'view --state --after --memory 0x5000+8 t.stf 3' -- "$stf"
make view-rst 'view --all --limit 20 t.rst' 'view --state t.rst 5' -- "$rst"
make view-vixl 'view --all --color always t.vixl' 'view --regs --json t.vixl' -- "$vixl"
make view-image 'view --image p.elf@0x80000000 --lines t.stf @main' -- p.elf="$examples/sort.elf" "$stf"
make view-snapshot 'view . 1..20' 'view --state snapshot.ini 5' -- "${snapshot[@]}"
make view-elements 'records --elements .' 'count --json --transactions keep .' -- "${snapshot[@]}"
make records 'records --json t.stf r2..r20' 'records t.stf 3..' -- "$stf"
make records-ete 'records --from ete --ete trcidr0=0x8000e81,trcconfigr=0x1811 trace.bin' \
	-- trace.bin="$examples/sort-a64.snapshot/trace.bin"
make info 'info --json t.zstf' 'info t.zstf' -- t.zstf="$work/a.zstf"
make info-pipe 'info -' 'count - 5..' -- t.stf="$work/cut.stf"
make count 'count --json t.stf cpu0' 'count --where pid==2&&n>2 t.stf' -- "$stf"
make count-transactions 'count t.stf' 'view --all t.stf' -- t.stf="$work/x.stf"
make check 'check --all-findings --json t.stf' 'check t.stf t.rst' -- "$stf" "$rst"
make check-rules 'check --rules' 'check --from ete:trcidr0=0x8000e81 trace.bin' \
	-- trace.bin="$examples/sort-a64.snapshot/trace.bin"
make diff 'diff --all t.stf u.stf' 'diff --json --ignore pc,values --window 5 t.stf u.stf' \
	-- "$stf" u.stf="$work/cut.stf"
make find 'find --all t.stf addr>=0x1000' 'find --writes x1 --last --before 5 t.stf' -- "$stf"
make find-count 'find --count --reads 0x5000+8 t.stf 2..' 'find --first --limit 2 t.rst taken' -- "$stf" "$rst"
make index 'index t.stf' 'find --writes x1 t.stf' -- "$stf"
make index-rst 'index t.rst' 'view t.rst 4..' -- "$rst"
make index-damaged 'view t.rst 4..' 'count t.rst 3..' -- "$rst" t.rst.cai="$corpus/index/$(ls "$corpus/index" | head -n 1)"
make convert 'convert --output o.rst t.stf' 'convert --output o.zstf --to zstf:chunk=2 t.stf' -- "$stf"
make convert-ete 'convert --output o.snapshot --to ete t.vixl' 'check o.snapshot' -- "$vixl"
make convert-vixl 'convert --output o.vixl t.rst' 'convert --output - --to stf --lossless t.rst' -- "$rst"
make convert-snapshot 'convert --output o.stf .' 'check o.stf' -- "${snapshot[@]}"
make convert-matrix 'convert --matrix' 'convert --matrix --json' -- "$stf"
make convert-packed 'convert --output o.rz --to rstzip --lossy t.rst' 'convert --output o.stf --codec zstd t.stf' -- "$rst" "$stf"
make slice 'slice --output o.stf --look-back all t.stf 3..5' 'view --all o.stf' -- "$stf"
make slice-windows 'slice --output o.rst --windows 4:2 t.rst' 'slice --output o.stf --simpoints s.csv t.stf' -- "$rst" "$stf"
make merge 'merge --output o.stf t.stf u.stf' 'merge --output o.rst t.rst t.stf' -- "$stf" u.stf="$work/cut.stf" "$rst"
make split 'split --by cpu --output o-%s.stf t.stf' 'split --every 2 --output o-%s.rst t.rst' -- "$stf" "$rst"
make edit 'edit --output o.stf --drop EVENT --feature +SIMPOINT --comment hello --isa-string rv64gc --generator Spike,1.1.0 t.stf' \
	'check o.stf' -- "$stf"
make capture 'capture --output o.stf t.bin' 'capture --output o.rst --no-regs --stop +2 t.bin' -- t.bin="$work/stream"
make mix 'mix --by class,size --json t.stf' 'mix --csv --every 3 --top 2 t.rst' -- "$stf" "$rst"
make branches 'branches --predictor all t.stf' 'branches --output o.bt9 t.rst' -- "$stf" "$rst"
make memory 'memory --cache 1K,1,16 --line 64 --reuse sampled:2 --json t.stf' 'memory --estimate --every 2 t.rst' -- "$stf" "$rst"
make blocks 'blocks --ends taken --json t.stf' 'blocks --to bb --every 2 --output o.bb t.rst' -- "$stf" "$rst"
make simpoints 'simpoints --every 2 --clusters 3 --csv --table simpoints --output s.csv t.stf' 'slice --simpoints s.csv --output o.stf t.stf' -- "$stf"
make calls 'calls --json t.stf' 'calls --to speedscope --output o.json t.stf' -- "$stf"
make calls-svg 'calls --output o.svg t.stf' 'calls --to folded --image p.elf t.rst' -- "$stf" "$rst"
make deps 'deps --json --every 3 t.stf' 'deps --table summary t.vixl' -- "$stf" "$vixl"
make overview 'overview --width 60 t.stf' 'overview --json --every 2 t.rst' -- "$stf" "$rst"
make report 'report --output o.html t.stf' 'report --output o.html .' -- "$stf"
make spike 'view --all t.log' 'convert --output o.stf t.log' -- t.log="$work/a.spike"
make tarmac 'view --all t.log' 'convert --output o.snapshot t.log' -- t.log="$work/a.tarmac"
make execlog 'view --all --from execlog t.log' 'check t.log' -- t.log="$work/a.execlog"
make help 'view --help' 'calls --to x t.stf' -- "$stf"

# What follows is marked in each format that is written, and read back it is marked as --derive marked it.
needs: json python3 xz
$ cp $EXAMPLES/sort.zstf t.zstf; xz -dc $EXAMPLES/sort-v9.rst.xz > t.rst; xz -dc $EXAMPLES/sort-a64.vixl.xz > t.vixl
$ cairn edit -q --drop INST_REG t.zstf -o regs.zstf; cairn edit -q --drop INST_MEM_ACCESS t.zstf -o mems.zstf; cairn edit -q --drop REGVAL t.rst -o regs.rst; cairn edit -q --drop MEMVAL t.rst -o mems.rst; awk '/^#.*:/ && !/<-|->/ && NR % 2 {next} {print}' t.vixl > regs.vixl
$ cat > same.py <<'EOF'
> # Rows of each instruction, those that are derived, and the numbers in the comment at the end. RST and VIXL do not say
> # which registers are operands, a log of VIXL has only those that are stored, and its lines are as the simulator's.
> import json, subprocess
> def run(*args):
>     return subprocess.run(["cairn", *args], capture_output=True, text=True).stdout
> def rows(*args):
>     out = {}
>     for line in run("view", "-q", "--json", "-rm", *args).splitlines():
>         j = json.loads(line)
>         r = [("dst" if r["role"] == "dst" else "src", r["name"], int(r["value"], 16)) for r in j["regs"] if r.get("derived")]
>         m = [(m["kind"], m["addr"], m["size"], m["value"]) for m in j["mems"] if m.get("derived")]
>         if j["pc"]: # the comment at the end stands behind the last instruction
>             out.setdefault(j["pc"], []).append(set(r + m))
>     return out
> def count(rows, kind, known=False):
>     return sum(x[0] == kind and not (known and x[-1] is None) for all in rows.values() for one in all for x in one)
> def marked(source, target):
>     run("convert", "-q", "--derive", source, "-o", target)
>     want, got = rows("--derive", source), rows(target)
>     if target.endswith("vixl"):
>         want, got = ({pc: [{x for x in s if x[0] == "dst"} for s in all] for pc, all in r.items()} for r in (want, got))
>     return want == got, sum(len(s) for all in got.values() for s in all)
> for source, *targets in ["regs.zstf", "stf", "zstf"], ["mems.zstf", "stf"], ["regs.rst", "rst", "rz3"], ["mems.rst", "rst"], ["regs.vixl", "vixl", "stf"]:
>     for target in targets:
>         print(source, target, *marked(source, "d." + target))
>     want = rows("--derive", source)
>     last = [line for line in run("view", "-eD", "d." + targets[0]).splitlines() if "COMMENT" in line][-1]
>     told = [int(word) for word in last.split() if word.isdigit()]
>     new = source.startswith("mems.z") # their addresses are not told either
>     print(source, told == [count(want, "dst"), count(want, "src"), new * (count(want, "read") + count(want, "write")),
>                            count(want, "read", True), count(want, "write", True)], *told)
> EOF
$ python3 same.py
| regs.zstf stf True 73666
| regs.zstf zstf True 73666
| regs.zstf True 25775 47891 0 0 0
| mems.zstf stf True 60946
| mems.zstf True 0 48342 12604 6123 3916
| regs.rst rst True 4921
| regs.rst rz3 True 4921
| regs.rst True 1930 2991 0 0 0
| mems.rst rst True 3592
| mems.rst True 0 3066 0 352 174
| regs.vixl vixl True 584
| regs.vixl stf True 2976
| regs.vixl True 584 2392 0 0 0

# A run recorded without registers, derived, claims nothing that the same run recorded with registers does not have.
needs: python3 qemu-riscv64 qemu-aarch64 qemu-sparc64
$ cat > claims.py <<'END'
> import json, sys
> def instructions(name):
>     return {o["n"]: o for o in map(json.loads, open(name)) if "n" in o}
> def number(text):
>     return None if text is None else int(text, 16)
> full, lean = instructions("full.json"), instructions("lean.json")
> assert len(full) == len(lean) > 1000
> claims = 0
> for n, insn in lean.items():
>     like = full[n]
>     assert insn["pc"] == like["pc"], n
>     regs = {(r["name"], r["role"]): number(r["value"]) for r in like["regs"]}
>     mems = {(m["kind"], m["addr"], m["size"]): number(m["value"]) for m in like["mems"]}
>     for r in insn["regs"]:
>         key = r["name"], r["role"]
>         if r.get("derived") and key in regs: # a source may stand in none of the two
>             claims += 1
>             assert regs[key] == number(r["value"]), (n, r, regs[key])
>     for m in insn["mems"]:
>         if m.get("derived"):
>             claims += 1
>             assert mems[m["kind"], m["addr"], m["size"]] == number(m["value"]), (n, m)
> print("as in the full one" if claims > int(sys.argv[1]) else claims)
> END
$ same() { cairn capture -q ${4:+--cpu $4} -o full.$2 -- $1 > /dev/null 2>&1; cairn capture -q ${4:+--cpu $4} --no-regs -o lean.$2 -- $1 > /dev/null 2>&1; cairn view -q --json -rm full.$2 > full.json; cairn view -q --json -rm --derive lean.$2 > lean.json; python3 claims.py $3; }; declare -f same > same.sh
$ . ./same.sh; same $EXAMPLES/sort.elf zstf 900; same $EXAMPLES/sort-a64.elf vixl 900; same $EXAMPLES/sort-v9.elf rst 900
| as in the full one
| as in the full one
| as in the full one
$ . ./same.sh; for p in rv64:zstf a64:stf v9:rst; do same $CAIRN_SOURCE/tests/programs/numbers-${p%:*}.elf ${p#*:} 500; done
| as in the full one
| as in the full one
| as in the full one
$ . ./same.sh; for v in 128 256; do same $CAIRN_SOURCE/tests/programs/vectors-rv64.elf stf 500 rv64,v=true,vlen=$v; done
| as in the full one
| as in the full one

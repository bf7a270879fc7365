# A line of a log that cannot be read may have been an instruction, or told where a branch went: no outcome is made of its absence. Each of many lines is spoilt in turn; what is then said of the instructions before and behind it is what was said of the whole log, or that it is not known.
needs: data python3 xz
$ cat > spoil.py <<'END'
> import json, subprocess, sys
> def view(text):
>     open("log", "w").write(text)
>     out = subprocess.run(["cairn", "view", "-D", "--json", "log"], capture_output=True, text=True).stdout
>     return [insn for insn in map(json.loads, out.splitlines()) if insn["n"]]
> def said(insn):
>     return insn["pc"], insn["taken"], insn["target"]
> def agree(a, b):
>     return a[0] == b[0] and all(x is None or x == y for x, y in zip(a[1:], b[1:]))
> def spoilt(line, how):
>     return (line[:len(line) // 2] + "zz" if how else line[:len(line) // 3] + "\n").rstrip("\n") + "\n"
> wrong = tried = lost = 0
> lines = open(sys.argv[1]).read().splitlines(True)[:int(sys.argv[2])]
> whole = [said(i) for i in view("".join(lines))]
> for at in range(4, len(lines), 3):
>     for how in 0, 1:
>         some = [said(i) for i in view("".join(lines[:at] + [spoilt(lines[at], how)] + lines[at + 1:]))]
>         tried += 1
>         front = 0
>         while front < len(some) and front < len(whole) and agree(some[front], whole[front]):
>             front += 1
>         # Behind the spoilt line what is said is what was said, but of as many instructions as were lost.
>         gone = len(whole) - len(some)
>         back = 0
>         while back < len(some) - front and agree(some[-1 - back], whole[-1 - back]):
>             back += 1
>         lost += gone != 0
>         if front + back < len(some):
>             wrong += 1
>             print("line", at + 1, "how", how, "instruction", front + 1, some[front], "not", whole[front])
> print(tried > 100, lost > 10, wrong)
> END
$ python3 spoil.py $DATA/text-traces/execlog72-style.aarch64.txt 300
| True True 0
$ python3 spoil.py $DATA/text-traces/calculator-aarch64-fastmodel.tarmac 400
| True True 0
$ python3 spoil.py $DATA/text-traces/calculator-aarch64-gem5.tarmac 400
| True True 0
$ xz -dc $EXAMPLES/sort-a64.vixl.xz > a64.vixl; python3 spoil.py a64.vixl 400
| True True 0
# Also where only the next address tells where a branch went.
$ grep -v '^# Branch' a64.vixl > unlogged.vixl; python3 spoil.py unlogged.vixl 400
| True True 0

# The report as a browser sees it: every section is there, nothing was cut off by a
# wrong tag, and the script of the flame graph ran (frames can be clicked).
needs: chromium
$ cairn report --image $EXAMPLES/sort.elf -o r.html $EXAMPLES/sort.zstf
$ chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/r.html" 2> /dev/null > dom; grep -o '<h2 id="[a-z]*"' dom | wc -l; grep -c 'cursor: pointer' dom | grep -qv '^0$' && echo clickable; grep -c 'made by cairn' dom
| 7
| clickable
| 1

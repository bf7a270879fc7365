# The report as a browser sees it: every section is there, nothing was cut off by a
# wrong tag, and the script of the flame graph ran (frames can be clicked).
needs: chromium awk
$ cairn report --image $EXAMPLES/sort.elf -o r.html $EXAMPLES/sort.zstf
$ printf '%s\n' '#!/bin/bash' 'page=$1' 'shift' 'exec timeout 50 chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --host-resolver-rules="MAP * ~NOTFOUND" --enable-logging=stderr "--log-net-log=$PWD/$page.net" "$@" "file://$PWD/$page" > "$page.dom" 2> "$page.err"' > browse; chmod +x browse
$ ./browse r.html --dump-dom; grep -o '<h2 id="[a-z]*"' r.html.dom | wc -l; grep -c 'cursor: pointer' r.html.dom | grep -qv '^0$' && echo clickable; grep -c 'made by cairn' r.html.dom
| 7
| clickable
| 1

# Nothing stands on its console, and it asks for nothing (but what the browser itself
# wants from its maker). A page that does both is noticed.
$ printf '<html><img src="http://nowhere.example/x.png"><script>none()</script></html>' > bad.html; ./browse bad.html --dump-dom
$ for page in r bad; do echo "$page: $(grep -c CONSOLE $page.html.err) on the console"; grep -o '"url":"[a-z]*://[^/"]*' $page.html.net | grep -v -e google -e gvt1 | sort -u; done
| r: 0 on the console
| bad: 1 on the console
| "url":"http://nowhere.example

# What it shows are the numbers of the verbs: rows of tables, and figures.
$ cells='{ s = ""; for (i = 1; i <= n; i++) s = s "<td" ($i ~ /^[0-9]+$/ ? " class=\"n\"" : "") ">" $i "</td>"; print s }'; for t in "mix class 2" "mix extension 2" "mix size 2" "branches kinds 2"; do set -- $t; cairn $1 --csv --table $2 $EXAMPLES/sort.zstf | sed 1d | head -n 15 | awk -F, -v n=$3 "$cells" > want; echo "$1 $2: $(wc -l < want) rows, missing: $(while read -r row; do grep -qF "$row" r.html.dom || echo "$row"; done < want)"; done
| mix class: 13 rows, missing: 
| mix extension: 5 rows, missing: 
| mix size: 2 rows, missing: 
| branches kinds: 5 rows, missing: 
$ for verb in branches memory calls; do cairn $verb --csv --table summary --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { gsub("_", " ", $i); name[i] = $i } } NR == 2 { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) print "<th>" name[i] "</th><td class=\"n\">" $i "</td>" }' > want; echo "$verb: $(test $(wc -l < want) -gt 5 && echo figures), missing: $(while read -r row; do grep -qF "$row" r.html.dom || echo "$row"; done < want)"; done
| branches: figures, missing: 
| memory: figures, missing: 
| calls: figures, missing: 

# It prints.
$ ./browse r.html --print-to-pdf=$PWD/r.pdf --no-pdf-header-footer; head -c 5 r.pdf; echo; test $(wc -c < r.pdf) -gt 20000 && echo pages
| %PDF-
| pages

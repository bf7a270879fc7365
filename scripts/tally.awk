# SPDX-License-Identifier: Apache-2.0
# Reads meson's testlog.txt and counts single cases. Every test program writes
# TAP; one that crashes, runs out of time or ends before its plan counts one
# more failure, one that writes no TAP counts as one case by its exit status.
# Prints what failed, then `P passed, F failed, S skipped`.
function last_words(    i) {
	for (i = words > 40 ? words - 40 : 0; i < words; i++)
		print "    " word[i]
}
function close_test(    bad) {
	if (name == "")
		return
	bad = result !~ /exit status (0|77)$/
	if (result ~ /exit status 77$/ && !cases) {
		skipped++
	} else if (plan == 0 && !cases && !bad) {
		skipped++
	} else if (!cases && plan < 0) {
		if (bad) { failed++; print name ": " result; last_words() } else passed++
	} else if (!mine && (bad || (plan >= 0 && cases < plan))) {
		failed++
		print name ": " result ", after " cases " of " (plan < 0 ? "?" : plan) " cases"
		last_words()
	}
	programs++
	name = ""
}
/^=+ [0-9]+\/[0-9]+ =+$/ { close_test(); plan = -1; cases = mine = words = 0; result = "?"; part = "head"; next }
part == "head" && /^test: / { name = $0; sub(/^test: +/, "", name); next }
part == "head" && /^result: / { result = $0; sub(/^result: +/, "", result); next }
/^=+$/ && length($0) > 70 { part = ""; next }
/^-+ stdout -+$/ { part = "stdout"; next }
/^-+ stderr -+$/ { part = "stderr"; next }
part == "stderr" { word[words++] = $0; next }
part == "stdout" && /^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; next }
part == "stdout" && /^(not )?ok [0-9]+/ {
	cases++
	if ($0 ~ /# SKIP/) {
		skipped++
		showing = 0
		if (showskips) print name ": skipped: " $0
	} else if ($1 == "ok") {
		passed++
		showing = 0
	} else {
		failed++
		mine++
		sub(/^not ok [0-9]+ -? ?/, "")
		print name ": FAILED: " $0
		showing = 1
	}
	next
}
part == "stdout" && /^#/ && showing { print "    " substr($0, 3); next }
END {
	close_test()
	if (!programs) { failed++; print "no test was run" }
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
}

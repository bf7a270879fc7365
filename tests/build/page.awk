# SPDX-License-Identifier: Apache-2.0
# page.awk HELP MAIN PAGE: the manual page of a verb with what follows from `cairn VERB --help` (HELP):
# NAME and SYNOPSIS; of each entry in OPTIONS its head and the line below it; a closing paragraph with
# the options that only cairn(1) (MAIN) explains; EXIT STATUS, if it has none. All else stays as it is
# written. With the HELP of `cairn --help`: of the page cairn(1) the lists of verbs, options and formats.

# In the words of a page: NAMES and 'names' in italics, --options in bold.
function marked(text,   out, token) {
	gsub(/…/, "...", text)
	while (match(text, /--?[a-z][-a-z]*|--|[A-Z][A-Za-z]*|'[^']*'/)) {
		token = substr(text, RSTART, RLENGTH)
		out = out substr(text, 1, RSTART - 1)
		text = substr(text, RSTART + RLENGTH)
		if (token ~ /^'/)
			token = substr(token, 2, length(token) - 2)
		out = out (token ~ /^-/ ? "*" token "*" : "_" token "_")
	}
	return out text
}

function escaped(text) {
	gsub(/…/, "...", text)
	gsub(/[_*]/, "\\\\&", text)
	return text
}

# A line of --help as a sentence.
function sentence(text) { return escaped(toupper(substr(text, 1, 1)) substr(text, 2)) "." }

function joined(first, more) {
	sub(/^ */, "", more)
	return first (first ? " " : "") more
}

function head(name) {
	return (letter[name] ? "*-" letter[name] "*, " : "") "*--" name "*" (arg[name] ? " " marked(arg[name]) : "")
}

# ---- HELP ----

# "  -o, --output FILE      what it does", or the latter below it
function take_option(   rest) {
	name = substr($0, 9)
	sub(/[^-a-z].*/, "", name)
	names[++n_names] = name
	letter[name] = substr($0, 4, 1) == " " ? "" : substr($0, 4, 1)
	rest = substr($0, 9 + length(name))
	if (rest ~ /^ [^ ]/) {
		arg[name] = substr(rest, 2)
		sub(/  .*/, "", arg[name])
		rest = substr(rest, 2 + length(arg[name]))
	}
	sub(/^ */, "", rest)
	help[name] = rest
}

# "  stf:events=32|64      what it does"
function take_format() {
	formats[direction, ++n_formats[direction]] = "*" escaped($1) "*"
	$1 = ""
	meanings[direction, n_formats[direction]] = joined("", $0)
}

# "  look      view      what it shows"
function take_verb(   rest) {
	rest = substr($0, 13)
	verbs[++n_verbs] = rest
	sub(/ .*/, "", verbs[n_verbs])
	sub(/^[^ ]* */, "", rest)
	summaries[n_verbs] = escaped(rest)
}

FNR == 1 { file++ }
file == 1 && FNR == 1 && /^cairn [a-z]*: / {
	verb = $2
	sub(/:/, "", verb)
	summary = substr($0, length("cairn " verb ": ") + 1)
}
file == 1 && FNR == 3 && verb { usage = substr($0, length("  cairn " verb " ") + 1) }
file == 1 && /^$/ { list = "" }
file == 1 && /^Options:$/ { list = "options" }
file == 1 && /^Options mean the same/ { list = "options"; getline }
file == 1 && /^Options of formats/ { list = "formats"; direction = /--from/ ? "from" : "to" }
file == 1 && list == "options" && /^  (-.,|   ) --/ { take_option(); next }
file == 1 && list == "options" && /^        / { help[name] = joined(help[name], $0) }
file == 1 && list == "formats" && /^  [a-z]/ { take_format(); next }
file == 1 && list == "formats" && /^        / {
	meanings[direction, n_formats[direction]] = joined(meanings[direction, n_formats[direction]], $0)
}
file == 1 && !verb && !list && !n_names && /^  ..........[a-z][a-z]* / { take_verb() }

# ---- MAIN: the options that are explained there ----

file == 2 && /^\*-/ && match($0, /\*--[-a-z]+\*/) { shared[substr($0, RSTART + 3, RLENGTH - 4)] = 1 }

# ---- PAGE ----

file < 3 { next }

# No two empty lines.
function put(line) {
	if (line != "" || last != "")
		print line
	last = line
}

# Words in lines of 90 characters.
function put_filled(text,   n, word, i, line) {
	n = split(text, word, / /)
	for (i = 1; i <= n; i++) {
		if (line && length(line) + length(word[i]) > 89) {
			put(line)
			line = ""
		}
		line = joined(line, word[i])
	}
	put(line)
}

function put_row(i, left, right) {
	put((i == 1 ? "|[ " : "|  ") left)
	put((i == 1 ? ":< " : ":  ") right)
}

function put_formats(title, direction,   i) {
	put(title)
	put("")
	for (i = 1; i <= n_formats[direction]; i++)
		put_row(i, formats[direction, i], meanings[direction, i])
	put("")
}

function put_synopsis(   n, way, i) {
	n = split(usage, way, / \| /)
	for (i = 1; i <= n; i++) {
		put("*cairn " verb "* " marked(way[i]))
		put("")
	}
}

# A section that is made as a whole.
function is_made() {
	return verb ? section == "NAME" || section == "SYNOPSIS" : section == "VERBS" || section == "FORMATS"
}

function make_section(   i) {
	put("")
	if (section == "NAME")
		put("cairn-" verb " - " escaped(summary))
	else if (section == "SYNOPSIS")
		put_synopsis()
	else if (section == "FORMATS") {
		put_formats("Options of formats that are read (*--from*):", "from")
		put_formats("Options of formats that are written (*--to*):", "to")
	} else
		for (i = 1; i <= n_verbs; i++)
			put_row(i, "*" verbs[i] "*", summaries[i] ": cairn-" verbs[i] "(1)")
	put("")
}

function close_options(   i, line) {
	for (i = 1; i <= n_names; i++) {
		name = names[i]
		if ((name in here) || name == "help")
			continue
		if (!(name in shared))
			missing = missing " --" name
		line = line (line ? ", " : "") (letter[name] ? "*-" letter[name] "*" : "*--" name "*")
	}
	if (line)
		put_filled((any ? "Also, as in *cairn*(1): " : "As in *cairn*(1): ") line ".")
	put("")
}

# What stands behind a section before the next begins.
function end_section(next_section) {
	if (verb && section == "OPTIONS")
		close_options()
	if (verb && (next_section == "EXAMPLES" || next_section == "SEE ALSO") && !had_status) {
		put("# EXIT STATUS")
		put("")
		put("As in *cairn*(1).")
		put("")
		had_status = 1
	}
}

/^# / {
	end_section(substr($0, 3))
	section = substr($0, 3)
	had_status = had_status || section == "EXIT STATUS"
	put($0)
	if (is_made())
		make_section()
	next
}
is_made() { next }
# The closing paragraph as it was.
section == "OPTIONS" && verb && /^(Also, as|As) in \*cairn\*\(1\): / { closing = 1 }
closing { closing = $0 != ""; next }
section == "OPTIONS" && /^\*-/ && match($0, /\*--[-a-z]+\*/) {
	name = substr($0, RSTART + 3, RLENGTH - 4)
	here[name] = any = 1
	if (!(name in help))
		stray = stray " --" name
	put(head(name))
	put("\t" sentence(help[name]))
	getline # the sentence as it was
	next
}
{ put($0) }
END {
	if (missing)
		print "neither this page nor cairn(1) explains" missing > "/dev/stderr"
	if (stray)
		print "this page explains what is not taken:" stray > "/dev/stderr"
	exit missing || stray
}

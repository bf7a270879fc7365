#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Where a record's fields are stands in its table only: elsewhere they are read and written by
# name, never at a number of bytes behind a pointer.
#
# Bytes that are no record say so at the end of their line: `/* no record: WHAT THEY ARE */`.
set -u
. "$(dirname "$0")/tap.sh"
cd "$CAIRN_SOURCE" || exit 1

# The rooms this holds for, and the files in them that say where fields are.
rooms='src/formats/stf src/formats/rst'
rooms+=' src/formats/capture src/capture recorder src/model/index.c src/model/index.h'
rooms+=' src/analysis/index.h src/analysis/index_build.c src/analysis/index_gather.c'
rooms+=' src/analysis/index_memory.c src/analysis/memory_pack.c src/io/restart.c'
tables='src/formats/stf/record/table.h src/formats/stf/record/table.c src/formats/stf/record/container.h'
tables+=' src/formats/rst/record/fields.h src/formats/rst/record/table.h src/formats/rst/record/table.c'

# offsets FILE…: lines with literal offsets: p[3], p + 3, p[at + 3], base_le64(record->p + 3) of
# byte pointers that the file declares (a member `p` is one everywhere, `data` are base_buf's);
# records of a literal length; and bits by their numbers.
# A number that is multiplied is the size of an element, not an offset.
offsets() {
	awk '
	# Byte pointers and arrays of bytes that a line declares.
	function declare(line, declared, name) {
		while (match(line, /uint8_t (const )?(\*(const )?)*[a-z_0-9]+/)) {
			declared = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			name = declared
			sub(/.*[ *]/, "", name)
			if (declared ~ /\*/ || line ~ /^\[/)
				local[name]
			while (match(line, /^(\[[^]]*\])?( = [^,;()]*)?, \*[a-z_0-9]+/)) { # uint8_t *p, *end
				name = substr(line, 1, RLENGTH)
				line = substr(line, RLENGTH + 1)
				sub(/.*\*/, "", name)
				local[name]
			}
		}
	}
	function is_offset(text, name) {
		gsub(/\/\*.*\*\//, "", text)
		gsub(/"[^"]*"/, "", text)
		if (text ~ /uint8_t [a-z_0-9]+\[[0-9]+\] = \{[A-Z_]*(STF|RST)_/)
			return 1
		if (text ~ /rst_(put_)?(bits|runs)\([^,]*, [0-9]/)
			return 1
		gsub(/[a-z0-9]+ [a-z_0-9]+\[[^]]*\]( =|;|,|\))/, "", text) # a declaration
		gsub(/[0-9]+u? \* /, "ELEMENT ", text)
		if (text ~ /base_(put_)?[lb]e[0-9]*\([^,]*[+] [1-9]/)
			return 1
		for (name in local)
			if (text ~ ("(^|[^a-z_0-9>.])" name behind))
				return 1
		for (name in member)
			if (text ~ ("[>.]" name behind))
				return 1
		return 0
	}
	BEGIN { behind = "(\\[([^]]* [+] |-)?[1-9][0-9]*u?\\]| [+] [1-9])"; member["data"]; member["p"] }
	{ declare($0) }
	!/\/\* no record: [a-z]/ && is_offset($0) { print FILENAME ":" FNR ": " $0 }
	/^}/ {
		for (name in local)
			if ($0 ~ /;/)
				member[name]
		split("", local)
	}' "$1"
}

all_offsets() {
	local file found=0
	for file in "$@"; do
		case " $tables " in *" $file "*) continue ;; esac
		offsets "$file" | grep . && found=1
	done
	return "$found"
}

# The rule itself: what it refuses, and what it lets pass.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
refuses() {
	printf 'static void f(const uint8_t *p, size_t at, unsigned n)\n\tstruct base_buf *buf;\n\tuint8_t rec[STF_LEN_EVENT], *end = p, *to;\n%s\n' "$1" > "$sample"
	[ -n "$(offsets "$sample")" ]
}
passes() { ! refuses "$1"; }
for line in 'id = base_le64(p + 1);' 'n = p[13];' 'n = p[at + 2];' 'memcpy(v, p + 4, n);' \
	'base_put_le32(rec + 1 + 4 * i, id);' 'buf->data[17] = clock;' 'x = to[-1];' 'to[2] = end[3];' \
	'uint8_t head[20] = {CAIRN_STF_TRANSACTION};' 'base_put_le16(out->p + at + 9, n);' \
	'if (p[1] & RST_I_BT)' 'cpu = base_be16(p + 2) >> 10;' 'tl = p[1] & 15;' 'p[1] |= 0x80;' \
	'memset(p + 16, 0, 8);' 'trapped = step->p[1] >> 7;' 'v = base_be64(p + 8 + 8 * i);' \
	'uint8_t rec[24] = {CAIRN_RST_RECNUM};' 'v = rst_bits(p, 24, 40);'; do
	check "refused: $line" refuses "$line"
done
for line in 'id = stf_INST_REG_reg(p);' 'if (p[0] == CAIRN_STF_EVENT)' 'v = base_le64(data + 8 * i);' \
	'pc = rst_INSTR_pc_va(p);' 'rst_put_REGVAL_post(p, 1);' 'if (p[0] == CAIRN_RST_INSTR)' \
	'word = base_be64(p + 8 * i);' 'mode = rst_INSTR_flags(step->p) & 3;' \
	'uint8_t rec[CAIRN_RST_SIZE] = {CAIRN_RST_RECNUM};' 'v = ids[2];' 'v = version.data_of[2];' 'last = p[n - 1];' 'uint8_t word[8];' 'p += 2;' 'memcpy(v, p + STF_LEN_INST_REG, n);' \
	'next = find(p + 1, end); /* no record: bytes searched */'; do
	check "passed: $line" passes "$line"
done

# shellcheck disable=SC2086 # several rooms
mapfile -t files < <(find $rooms -name '*.[ch]')
check 'the rooms have files' test "${#files[@]}" -gt 30
check 'records are read and written by the names of their fields' all_offsets "${files[@]}"
done_testing

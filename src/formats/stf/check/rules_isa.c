/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of extensions that ISA_EXTENDED does not name.
 *
 * An encoding is looked at when a worker first meets it. Workers take spans in trace order, so the
 * trace's first encoding of an extension is among what they leave, and fold reports only that one.
 * An extension counts as named if a name that includes it is.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "formats/stf/check/rules.h"

/* Names that include an extension, besides its own. */
static const struct {
	const char *ext;
	const char *within[10];
} includes[] = {
	{"i", {"e", "g"}},
	{"m", {"g", "zmmul"}},
	{"a", {"g", "zaamo", "zalrsc"}},
	{"f", {"g", "d", "q", "v", "zfinx", "zdinx"}},
	{"d", {"g", "q", "v", "zdinx"}},
	{"c", {"zca", "zcb", "zce", "zcf", "zcd"}},
	{"v", {"zve"}},
	{"zicsr", {"g", "f", "d", "q", "v", "zve", "zfinx", "zdinx", "zhinx", "h"}},
	{"zifencei", {"g"}},
	{"zba", {"b"}},
	{"zbb", {"b", "zbkb", "zk"}},
	{"zbs", {"b"}},
	{"zbc", {"zbkc", "zk"}},
	{"zbkb", {"zbb", "b", "zk"}},
	{"zbkx", {"zk"}},
	{"zknd", {"zk"}},
	{"zkne", {"zk"}},
	{"zknh", {"zk"}},
	{"zksed", {"zk"}},
	{"zksh", {"zk"}},
	{"zvk", {"zvk", "zvbb", "zvbc"}},
	{"zcb", {"zce"}},
	{"zcmp", {"zce"}},
	{"zcmt", {"zce"}},
	{"zfh", {"zfhmin", "zhinx", "zfbfmin"}},
	{"zfa", {"zfa"}},
	{"zfbfmin", {"zfh", "zfhmin"}},
	{"zcmop", {"zimop", "zicfi"}},
	{"zimop", {"zicfi"}},
};

/* Characters of "2", "2p1". */
static size_t rules_isa_version_length(const char *text)
{
	size_t n = strspn(text, "0123456789");
	return n && text[n] == 'p' ? n + 1 + strspn(text + n + 1, "0123456789") : n;
}

/* Does the text behind rv32 or rv64 have a name? Single letters stand in a row, perhaps with
 * versions; a longer name ends its word, and is also found by its beginning ("zve" in zve64x, "zk"
 * in zkn). */
static bool has_name(const char *text, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = text + 4; *p;) {
		bool is_long = strchr("zxZX", *p) || (strchr("sS", *p) && isalpha((unsigned char)p[1]));
		if (is_long && n > 1 && strncasecmp(p, name, n) == 0)
			return true;
		if (!is_long && n == 1 && tolower((unsigned char)*p) == *name)
			return true;
		p += is_long ? strcspn(p, "_") : 1;
		p += is_long ? 0 : rules_isa_version_length(p);
	}
	return false;
}

static bool rules_isa_is_named(const char *text, const char *ext)
{
	if (has_name(text, ext))
		return true;
	for (size_t i = 0; i < sizeof includes / sizeof *includes; i++) {
		if (strcmp(includes[i].ext, ext) != 0)
			continue;
		for (const char *const *within = includes[i].within; *within; within++)
			if (has_name(text, *within))
				return true;
	}
	return false;
}

/* Privileged instructions come with modes, which the text often leaves out; hints run everywhere.
 *  */
static bool is_judged(const struct cairn_op *op)
{
	const uint32_t beside = CAIRN_TRAIT_PRIVILEGED | CAIRN_TRAIT_XRET | CAIRN_TRAIT_HINT;
	return op->cls != CAIRN_CLASS_ILLEGAL && op->cls != CAIRN_CLASS_UNKNOWN &&
	       !(op->traits & beside);
}

void stf_rule_extension(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op)
{
	const char *name, *ext;
	if (!is_judged(op))
		return;
	cairn_isa_mnemonic((enum cairn_isa)op->isa, op->enc, op->size, &name, &ext);
	if (!ext || rules_isa_is_named(walk->named, ext))
		return;
	struct stf_ext_row row = {.name = name,
	                          .ext = ext,
	                          .enc = op->enc,
	                          .at = stf_spot_place(walk, stf_here(walk, p))};
	int rc = base_buf_put(&walk->sp->ext_rows, &row, sizeof row);
	if (rc < 0)
		walk->part->found.status = rc;
}

void stf_rules_fold_extensions(struct stf_judge *judge, const struct stf_part *sp,
                               struct check_part *part)
{
	const struct stf_ext_row *row = (const void *)sp->ext_rows.data;
	for (size_t n = sp->ext_rows.len / sizeof *row; n; n--, row++) {
		unsigned i = 0;
		while (i < judge->n_told_ext && strcmp(judge->told_ext[i], row->ext) != 0)
			i++;
		if (i < judge->n_told_ext || i == STF_TOLD_EXTS)
			continue;
		judge->told_ext[judge->n_told_ext++] = row->ext;
		check_add(part, STF_RULE_ISA_EXTENDED_INSN, &row->at,
		          "%s (0x%x) is the first instruction of %s, "
		          "which ISA_EXTENDED does not name",
		          row->name ? row->name : "this", row->enc, row->ext);
	}
}

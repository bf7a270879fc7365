/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the header record group, and of the features it declares.
 *
 * The header is judged from its bytes before the first span is read. What it says
 * of the whole trace (features) is judged at the end.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/rules.h"

struct head {
	struct cairn *c;
	int rc;
	const struct stf_impl *im;
	struct stf_judge *j;
	struct check_part *p;
	const uint8_t *rec; /* the record being judged */
	size_t len;
	struct check_place at;
	uint64_t index; /* its number, from 0 */
	bool has_sha;
	struct check_place first_comment;
};
#define TELL(h, rule, ...) check_add((h)->p, STF_RULE_##rule, &(h)->at, __VA_ARGS__)
static const struct check_place nowhere;

/* Seven hexadecimal digits or more in a row, a letter and a digit among them or at
 * least 32 of them: a git SHA, not a date or a word. */
static bool has_sha(const uint8_t *s, size_t n)
{
	size_t run = 0;
	bool digit = false, letter = false;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && isxdigit(s[i])) {
			run++;
			digit |= isdigit(s[i]) != 0;
			letter |= !isdigit(s[i]);
			continue;
		}
		bool word = i < n && (isalnum(s[i]) || s[i] == '_');
		if (!word && run <= 64 && ((run >= 7 && digit && letter) || run >= 32))
			return true;
		run = 0;
		digit = letter = false;
		while (word && i + 1 < n && (isalnum(s[i + 1]) || s[i + 1] == '_'))
			i++; /* the rest of a word that is no number */
	}
	return false;
}

static void rules_header_judge_text(struct head *h, const uint8_t *s, size_t n)
{
	if (has_sha(s, n))
		h->has_sha = true;
	if (n && s[n - 1] == 0)
		TELL(h, COMMENT_NUL, "the text of %zu bytes ends in a NUL", n);
}

static void judge_isa_extended(struct head *h)
{
	const char *s = (const char *)h->rec + 5;
	size_t n = h->len - 5;
	unsigned iem = h->im->header.cfg.iem;
	if (iem != 1 && iem != 2)
		return;
	if (n > 4 && strncmp(s, "rv", 2) == 0 && !h->j->isa_extended) {
		h->j->isa_extended = base_alloc(h->c, n + 1);
		if (!h->j->isa_extended)
			h->rc = CAIRN_E_NOMEM;
		else
			memcpy(h->j->isa_extended, s, n);
	}
	if (n < 4 || (strncmp(s, "rv32", 4) != 0 && strncmp(s, "rv64", 4) != 0))
		TELL(h, ISA_EXTENDED_XLEN, "the text does not begin with rv32 or rv64");
	else if (s[2] != (iem == 1 ? '3' : '6'))
		TELL(h, ISA_EXTENDED_XLEN, "the text begins with %.4s, but INST_IEM is %s", s,
		     iem == 1 ? "RV32" : "RV64");
}

static void judge_generator(struct head *h)
{
	unsigned id = h->rec[1];
	if (id == 0)
		TELL(h, GENERATOR_RESERVED, "the generator is 0, which is reserved");
	else if (!stf_name(stf_generators, id))
		TELL(h, GENERATOR_KNOWN, "the public tools abort on generator 0x%02x", id);
	rules_header_judge_text(h, h->rec + 7, h->len - 7);
}

static void judge_value(struct head *h)
{
	const uint8_t *p = h->rec;
	unsigned v;
	switch (*p) {
	case CAIRN_STF_VERSION:
		if (base_le32(p + 1) != 1 || base_le32(p + 5) < 2 || base_le32(p + 5) > 6)
			TELL(h, VERSION_KNOWN, "version %u.%u is not one of 1.2 to 1.6", base_le32(p + 1),
			     base_le32(p + 5));
		break;
	case CAIRN_STF_COMMENT:
		if (!h->j->has[CAIRN_STF_COMMENT])
			h->first_comment = h->at;
		rules_header_judge_text(h, p + 5, h->len - 5);
		break;
	case CAIRN_STF_ISA:
		v = base_le16(p + 1);
		if (stf_isa_is_ours(v) && stf_isa(&h->im->header.cfg, h->im->header.cfg.iem)) {
			char text[256];
			stf_set_comment(stf_isa(&h->im->header.cfg, h->im->header.cfg.iem), text, sizeof text);
			TELL(h, ISA_ASSIGNED, "%s", text);
		} else if (v < 1 || v > 4)
			TELL(h, ISA_VALUE, "ISA is %u, which is reserved", v);
		break;
	case CAIRN_STF_INST_IEM:
		v = base_le16(p + 1);
		if (v == 0 || v == 0xffff || (v > 2 && h->im->header.cfg.isa == 1))
			TELL(h, IEM_VALUE, "INST_IEM is 0x%x, which is reserved", v);
		if (!h->j->has[CAIRN_STF_ISA] && h->im->header.cfg.isa)
			TELL(h, ISA_BEFORE_IEM, "INST_IEM stands before ISA");
		break;
	case CAIRN_STF_TRACE_INFO:
		judge_generator(h);
		break;
	case CAIRN_STF_ISA_EXTENDED:
		judge_isa_extended(h);
		break;
	case CAIRN_STF_VLEN_CONFIG: {
		uint32_t vlen = base_le32(p + 1);
		if (vlen < 64 || (vlen & (vlen - 1)))
			TELL(h, VLEN_VALUE, "VLEN is %u", vlen);
		break;
	}
	case CAIRN_STF_PROTOCOL_ID:
		if (p[1] != 1)
			TELL(h, PROTOCOL_VALUE, "PROTOCOL_ID is %u, which is reserved", p[1]);
		break;
	case CAIRN_STF_CLOCK_ID:
		if (p[1] == 0)
			TELL(h, CLOCK_RESERVED, "a clock has the id 0");
		else if (h->j->clock[p[1]])
			TELL(h, CLOCK_ONCE, "clock %u is declared again", p[1]);
		h->j->clock[p[1]] = 1;
		h->j->any_clock = true;
		break;
	case CAIRN_STF_FORCE_PC:
		if (h->im->header.cfg.isa == 1 && (p[1] & 1))
			TELL(h, PC_ODD, "the first PC is 0x%llx", (unsigned long long)base_le64(p + 1));
		break;
	default:
		break;
	}
}

static void judge_record(struct head *h)
{
	const struct stf_type *t = stf_type(*h->rec);
	const struct cairn_stf_config *cfg = &h->im->header.cfg;
	bool once = (t->flags & STF_ONCE) || *h->rec == CAIRN_STF_INST_IEM ||
	            *h->rec == CAIRN_STF_FORCE_PC || *h->rec == CAIRN_STF_PROCESS_ID_EXT;
	if (once && h->j->has[*h->rec])
		TELL(h, HEADER_ONCE, "%s again", t->name);
	if (t->since > cfg->version_minor)
		TELL(h, RECORD_VERSION, "%s came with version 1.%u; the trace claims %u.%u", t->name,
		     t->since, cfg->version_major, cfg->version_minor);
	if ((t->flags & STF_INSN_ONLY) && !h->j->insn_trace)
		TELL(h, KIND_XACTS, "%s in a transaction trace", t->name);
	if ((t->flags & STF_XACT_ONLY) && h->j->insn_trace)
		TELL(h, KIND_INSNS, "%s in an instruction trace", t->name);
	if (*h->rec == CAIRN_STF_TRACE_INFO_FEATURE)
		h->j->feature = (struct stf_spot){h->at.offset, h->at.record};
	judge_value(h);
	if (h->j->has[*h->rec] < 255)
		h->j->has[*h->rec]++;
}

/* What is not there. */
static void judge_presence(struct head *h)
{
	const uint8_t *has = h->j->has;
	h->at = nowhere;
	if (!has[CAIRN_STF_TRACE_INFO])
		TELL(h, HEADER_TRACE_INFO, "there is no TRACE_INFO: nobody says who made the trace");
	if (!has[CAIRN_STF_TRACE_INFO_FEATURE])
		TELL(h, HEADER_FEATURE, "there is no TRACE_INFO_FEATURE");
	if (!has[CAIRN_STF_COMMENT])
		TELL(h, HEADER_COMMENT, "there is no COMMENT; many traces have none");
	if (!h->has_sha && has[CAIRN_STF_COMMENT]) {
		h->at = h->first_comment;
		TELL(h, COMMENT_SHA, "no comment has a git SHA");
		h->at = nowhere;
	}
	if (!h->j->insn_trace && !has[CAIRN_STF_CLOCK_ID])
		TELL(h, CLOCK_PRESENT, "there is no CLOCK_ID: the clocks of transactions have no names");
	if (!h->j->insn_trace)
		return;
	if (!has[CAIRN_STF_ISA])
		TELL(h, HEADER_ISA, "there is no ISA");
	if (!has[CAIRN_STF_PROCESS_ID_EXT])
		TELL(h, HEADER_PROCESS_ID, "there is no PROCESS_ID_EXT; nearly all traces have none");
}

static void rules_header_judge_order(struct head *h)
{
	const uint8_t *p = h->im->head.data;
	size_t n = h->im->header.size;
	h->at = (struct check_place){.record = 1, .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET};
	if (n < STF_LEN_IDENTIFIER || memcmp(p, "\001STF", 4) != 0)
		TELL(h, IDENTIFIER_FIRST, "the first record is not the identifier \"STF\"");
	size_t at = n && *p == CAIRN_STF_IDENTIFIER ? STF_LEN_IDENTIFIER : 0;
	h->at.record = at ? 2 : 1;
	h->at.offset = at;
	if (at >= n || p[at] != CAIRN_STF_VERSION)
		TELL(h, VERSION_SECOND, "%s",
		     h->im->header.has_version ? "the second record is not VERSION, which comes later"
		                               : "there is no VERSION");
	if (!h->im->header.ended) {
		h->at.record = h->im->header.records + 1;
		h->at.offset = n;
		TELL(h, HEADER_END, "the header ends here without END_HEADER");
	}
}

int stf_rules_header(struct cairn_reader *r, struct stf_judge *j, struct check_part *p)
{
	const struct stf_impl *im = r->impl;
	struct head h = {.c = r->c, .im = im, .j = j, .p = p};
	size_t at = 0;
	j->insn_trace = im->header.of_insns;
	rules_header_judge_order(&h);
	for (h.index = 0; at < im->header.size; h.index++) {
		h.rec = im->head.data + at;
		int64_t len = cairn_stf_record_length(&im->header.cfg, h.rec, im->header.size - at);
		if (len <= 0)
			break;
		h.len = (size_t)len;
		h.at = (struct check_place){.record = h.index + 1,
		                            .offset = at,
		                            .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET};
		judge_record(&h);
		at += h.len;
	}
	judge_presence(&h);
	if (im->header.has_ids) {
		struct stf_id_row row = {.id = {im->header.ids[0], im->header.ids[1], im->header.ids[2]}};
		int rc = stf_rules_take_ids(j, &row, im->header.cfg.new_ids);
		h.rc = rc < 0 ? rc : h.rc;
	}
	return h.rc;
}

/* ---- features, when the whole trace has been seen ---- */

static const struct {
	uint32_t bit;
	uint8_t seen;
	const char *what;
} features[] = {
	{CAIRN_STF_F_DATA_ATTRIBUTE, SEEN_ATTRIBUTE, "attributes of accesses"},
	{CAIRN_STF_F_OPERAND_VALUE, SEEN_OPERAND, "INST_REG of operands"},
	{CAIRN_STF_F_EVENT, SEEN_EVENT, "EVENT"},
	{CAIRN_STF_F_PTE, SEEN_WALK, "PAGE_TABLE_WALK"},
	{CAIRN_STF_F_PROCESS_ID, SEEN_PROCESS, "PROCESS_ID_EXT"},
	{CAIRN_STF_F_REG_STATE, SEEN_STATE, "INST_REG of state"},
	{CAIRN_STF_F_MICROOP, SEEN_MICRO_OP, "INST_MICROOP"},
	{CAIRN_STF_F_VEC, SEEN_VECTOR, "vector instructions"},
	{CAIRN_STF_F_TRANSACTIONS, SEEN_XACT, "TRANSACTION"},
	{CAIRN_STF_F_SYSTEMCALL_VALUE, SEEN_CALL_NUMBER, "system call with a number"},
	{CAIRN_STF_F_INT_DIV_OPERAND_VALUE, SEEN_DIV_OPERAND, "INST_REG of an integer division"},
	{CAIRN_STF_F_MULTI_THREAD, SEEN_THREADS, "second thread of a process"},
	{CAIRN_STF_F_MULTI_CORE, SEEN_CORES, "second hardware thread"},
};

static const char *feature_name(uint32_t bit)
{
	return stf_name(stf_features, (uint64_t)__builtin_ctz(bit));
}

static void judge_feature(const struct stf_judge *j, struct check_part *p, size_t i,
                          uint64_t declared, bool new_ids, const struct check_place *at)
{
	bool has = j->seen >> features[i].seen & 1, says = (declared & features[i].bit) != 0;
	const char *name = feature_name(features[i].bit);
	switch (features[i].bit) {
	case CAIRN_STF_F_OPERAND_VALUE: /* divisions may have a feature of their own */
		has |= says && (j->seen >> SEEN_DIV_OPERAND & 1);
		break;
	case CAIRN_STF_F_MULTI_CORE: /* hardware threads may be of one core; old ids tell none */
		says |= (declared & CAIRN_STF_F_MULTI_THREAD) != 0 && has;
		if (!new_ids)
			return;
		break;
	case CAIRN_STF_F_MULTI_THREAD: /* or of a core */
		has |= says && (j->seen >> SEEN_CORES & 1);
		break;
	default:
		break;
	}
	if (has && !says && features[i].bit == CAIRN_STF_F_PTE)
		check_add(p, STF_RULE_FEATURE_PARTIAL, &j->first[SEEN_WALK],
		          "a page walk, but "
		          "TRACE_INFO_FEATURE does not promise PTE");
	else if (has && !says && features[i].bit != CAIRN_STF_F_SYSTEMCALL_VALUE)
		check_add(p, STF_RULE_FEATURE_UNDECLARED, &j->first[features[i].seen],
		          "the trace has %s, but TRACE_INFO_FEATURE lacks %s", features[i].what, name);
	if (features[i].bit == CAIRN_STF_F_PROCESS_ID)
		has |= j->has[CAIRN_STF_PROCESS_ID_EXT] != 0;
	if (has || !says)
		return;
	if (features[i].bit == CAIRN_STF_F_PTE)
		check_add(p, STF_RULE_WALK_REQUIRED, at, "PTE is declared, but there is no page walk");
	else if (features[i].bit == CAIRN_STF_F_MICROOP)
		check_add(p, STF_RULE_MICRO_OP_REQUIRED, at,
		          "MICROOP is declared, but there is no micro-op");
	else
		check_add(p, STF_RULE_FEATURE_UNSEEN, at, "%s is declared, but there is no %s", name,
		          features[i].what);
}

void stf_rules_features(struct cairn_reader *r, const struct stf_judge *j, struct check_part *p)
{
	const struct stf_impl *im = r->impl;
	const struct cairn_stf_config *cfg = &im->header.cfg;
	struct check_place at = {.record = j->feature.rec,
	                         .offset = j->feature.off,
	                         .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET};
	if (!j->has[CAIRN_STF_TRACE_INFO_FEATURE])
		return;
	for (size_t i = 0; i < sizeof features / sizeof *features; i++)
		judge_feature(j, p, i, cfg->features, cfg->new_ids, &at);
	if (cfg->features & CAIRN_STF_F_PHYSICAL_ADDRESS)
		check_add(p, STF_RULE_FEATURE_UNSEEN, &at,
		          "PHYSICAL_ADDRESS is declared, but no record "
		          "of STF 1.2 to 1.6 has physical addresses of accesses");
	bool rv64 = cfg->features & CAIRN_STF_F_RV64;
	bool any = cfg->iem == 2 || (j->seen >> SEEN_RV64 & 1);
	if (j->insn_trace && cfg->isa == 1 && (cfg->iem == 1 || cfg->iem == 2) && rv64 != any)
		check_add(p, STF_RULE_FEATURE_RV64, &at, "RV64 is %sdeclared, but INST_IEM is %s",
		          rv64 ? "" : "not ", any ? "RV64" : "RV32");
	uint64_t unknown = cfg->features >> 21;
	if (unknown)
		check_add(p, STF_RULE_FEATURE_UNKNOWN, &at, "bit %d has no meaning",
		          21 + __builtin_ctzll(unknown));
}

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
#include "formats/stf/check/rules.h"

struct head {
	struct cairn *cairn;
	int rc;
	const struct stf_impl *im;
	struct stf_judge *judge;
	struct check_part *part;
	const uint8_t *rec; /* the record being judged */
	size_t len;
	struct check_place at;
	bool has_sha;
	struct check_place first_comment;
};
#define TELL(h, rule, ...) check_add((h)->part, STF_RULE_##rule, &(h)->at, __VA_ARGS__)
static const struct check_place nowhere;

static bool is_of_word(uint8_t letter)
{
	return isalnum(letter) || letter == '_';
}

/* Seven or more hexadecimal digits in a row, with a letter and a digit among them, or at least 32
 * of them: a git SHA, not a date or a word. */
static bool has_sha(const uint8_t *bytes, size_t n)
{
	size_t run = 0;
	bool digit = false, letter = false;
	for (size_t i = 0; i <= n; i++) {
		if (i < n && isxdigit(bytes[i])) {
			run++;
			digit |= isdigit(bytes[i]) != 0;
			letter |= !isdigit(bytes[i]);
			continue;
		}
		bool word = i < n && is_of_word(bytes[i]);
		if (!word && run <= 64 && ((run >= 7 && digit && letter) || run >= 32))
			return true;
		run = 0;
		digit = letter = false;
		while (word && i + 1 < n && is_of_word(bytes[i + 1])) /* no record: a text */
			i++; /* the rest of a word that is not a number */
	}
	return false;
}

static void rules_header_judge_text(struct head *head)
{
	size_t n;
	const uint8_t *bytes = (const uint8_t *)stf_text(head->rec, head->len, &n);
	if (has_sha(bytes, n))
		head->has_sha = true;
	if (n && bytes[n - 1] == 0)
		TELL(head, COMMENT_NUL, "the text of %zu bytes ends in a NUL", n);
}

static void judge_isa_extended(struct head *head)
{
	size_t n;
	const char *s = stf_text(head->rec, head->len, &n);
	unsigned iem = head->im->header.cfg.iem;
	if (iem != 1 && iem != 2)
		return;
	if (n > 4 && strncmp(s, "rv", 2) == 0 && !head->judge->isa_extended) {
		head->judge->isa_extended = base_alloc(head->cairn, n + 1);
		if (!head->judge->isa_extended)
			head->rc = CAIRN_E_NOMEM;
		else
			memcpy(head->judge->isa_extended, s, n);
	}
	if (n < 4 || (strncmp(s, "rv32", 4) != 0 && strncmp(s, "rv64", 4) != 0))
		TELL(head, ISA_EXTENDED_XLEN, "the text does not begin with rv32 or rv64");
	else if (s[2] != (iem == 1 ? '3' : '6'))
		TELL(head, ISA_EXTENDED_XLEN, "the text begins with %.4s, but INST_IEM is %s", s,
		     iem == 1 ? "RV32" : "RV64");
}

static void judge_generator(struct head *head)
{
	unsigned id = stf_TRACE_INFO_generator(head->rec);
	if (id == 0)
		TELL(head, GENERATOR_RESERVED, "the generator is 0, which is reserved");
	else if (!stf_name(stf_generators, id))
		TELL(head, GENERATOR_KNOWN, "the public tools abort on generator 0x%02x", id);
	rules_header_judge_text(head);
}

static void judge_value(struct head *head)
{
	const uint8_t *p = head->rec;
	unsigned v;
	switch (*p) {
	case CAIRN_STF_VERSION:
		if (stf_VERSION_major(p) != 1 || stf_VERSION_minor(p) < STF_MINOR_FIRST ||
		    stf_VERSION_minor(p) > STF_MINOR_LAST)
			TELL(head, VERSION_KNOWN, "version %u.%u is not one of 1.2 to 1.6",
			     stf_VERSION_major(p), stf_VERSION_minor(p));
		break;
	case CAIRN_STF_COMMENT:
		if (!head->judge->has[CAIRN_STF_COMMENT])
			head->first_comment = head->at;
		rules_header_judge_text(head);
		break;
	case CAIRN_STF_ISA:
		v = stf_ISA_isa(p);
		if (stf_isa_is_ours(v) && stf_isa(&head->im->header.cfg, head->im->header.cfg.iem)) {
			char text[256];
			stf_set_comment(stf_isa(&head->im->header.cfg, head->im->header.cfg.iem), text,
			                sizeof text);
			TELL(head, ISA_ASSIGNED, "%s", text);
		} else if (v < 1 || v > 4)
			TELL(head, ISA_VALUE, "ISA is %u, which is reserved", v);
		break;
	case CAIRN_STF_INST_IEM:
		v = stf_INST_IEM_iem(p);
		if (v == 0 || v == 0xffff || (v > 2 && head->im->header.cfg.isa == 1))
			TELL(head, IEM_VALUE, "INST_IEM is 0x%x, which is reserved", v);
		if (!head->judge->has[CAIRN_STF_ISA] && head->im->header.cfg.isa)
			TELL(head, ISA_BEFORE_IEM, "INST_IEM stands before ISA");
		break;
	case CAIRN_STF_TRACE_INFO:
		judge_generator(head);
		break;
	case CAIRN_STF_ISA_EXTENDED:
		judge_isa_extended(head);
		break;
	case CAIRN_STF_VLEN_CONFIG: {
		uint32_t vlen = stf_VLEN_CONFIG_vlen(p);
		if (vlen < 64 || (vlen & (vlen - 1)))
			TELL(head, VLEN_VALUE, "VLEN is %u", vlen);
		break;
	}
	case CAIRN_STF_PROTOCOL_ID:
		if (stf_PROTOCOL_ID_protocol(p) != 1)
			TELL(head, PROTOCOL_VALUE, "PROTOCOL_ID is %u, which is reserved",
			     stf_PROTOCOL_ID_protocol(p));
		break;
	case CAIRN_STF_CLOCK_ID:
		if (stf_CLOCK_ID_clock(p) == 0)
			TELL(head, CLOCK_RESERVED, "a clock has the id 0");
		else if (head->judge->clock[stf_CLOCK_ID_clock(p)])
			TELL(head, CLOCK_ONCE, "clock %u is declared again", stf_CLOCK_ID_clock(p));
		head->judge->clock[stf_CLOCK_ID_clock(p)] = 1;
		head->judge->any_clock = true;
		break;
	case CAIRN_STF_FORCE_PC:
		if (head->im->header.cfg.isa == 1 && (stf_FORCE_PC_pc(p) & 1))
			TELL(head, PC_ODD, "the first PC is 0x%llx", (unsigned long long)stf_FORCE_PC_pc(p));
		break;
	default:
		break;
	}
}

static void judge_record(struct head *head)
{
	const struct stf_type *type = stf_type(*head->rec);
	const struct cairn_stf_config *cfg = &head->im->header.cfg;
	bool once = (type->flags & STF_ONCE) || *head->rec == CAIRN_STF_INST_IEM ||
	            *head->rec == CAIRN_STF_FORCE_PC || *head->rec == CAIRN_STF_PROCESS_ID_EXT;
	if (once && head->judge->has[*head->rec])
		TELL(head, HEADER_ONCE, "%s again", type->name);
	if (type->since > cfg->version_minor)
		TELL(head, RECORD_VERSION, "%s came with version 1.%u; the trace claims %u.%u", type->name,
		     type->since, cfg->version_major, cfg->version_minor);
	if ((type->flags & STF_INSN_ONLY) && !head->judge->insn_trace)
		TELL(head, KIND_XACTS, "%s in a transaction trace", type->name);
	if ((type->flags & STF_XACT_ONLY) && head->judge->insn_trace)
		TELL(head, KIND_INSNS, "%s in an instruction trace", type->name);
	if (*head->rec == CAIRN_STF_TRACE_INFO_FEATURE)
		head->judge->feature = (struct stf_spot){head->at.offset, head->at.record};
	judge_value(head);
	if (head->judge->has[*head->rec] < 255)
		head->judge->has[*head->rec]++;
}

/* What is not there. */
static void judge_presence(struct head *head)
{
	const uint8_t *has = head->judge->has;
	head->at = nowhere;
	if (!has[CAIRN_STF_TRACE_INFO])
		TELL(head, HEADER_TRACE_INFO, "there is no TRACE_INFO that says who made the trace");
	if (!has[CAIRN_STF_TRACE_INFO_FEATURE])
		TELL(head, HEADER_FEATURE, "there is no TRACE_INFO_FEATURE");
	if (!has[CAIRN_STF_COMMENT])
		TELL(head, HEADER_COMMENT, "there is no COMMENT; many traces have none");
	if (!head->has_sha && has[CAIRN_STF_COMMENT]) {
		head->at = head->first_comment;
		TELL(head, COMMENT_SHA, "no comment has a git SHA");
		head->at = nowhere;
	}
	if (!head->judge->insn_trace && !has[CAIRN_STF_CLOCK_ID])
		TELL(head, CLOCK_PRESENT, "there is no CLOCK_ID: the clocks of transactions have no names");
	if (!head->judge->insn_trace)
		return;
	if (!has[CAIRN_STF_ISA])
		TELL(head, HEADER_ISA, "there is no ISA");
	if (!has[CAIRN_STF_PROCESS_ID_EXT])
		TELL(head, HEADER_PROCESS_ID, "there is no PROCESS_ID_EXT; nearly all traces have none");
}

static void rules_header_judge_order(struct head *head)
{
	const uint8_t *p = head->im->head.data;
	size_t n = head->im->header.size;
	head->at = (struct check_place){.record = 1, .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET};
	if (n < STF_LEN_IDENTIFIER || memcmp(p, "\001STF", STF_LEN_IDENTIFIER) != 0)
		TELL(head, IDENTIFIER_FIRST, "the first record is not the identifier \"STF\"");
	size_t at = n && *p == CAIRN_STF_IDENTIFIER ? STF_LEN_IDENTIFIER : 0;
	head->at.record = at ? 2 : 1;
	head->at.offset = at;
	if (at >= n || p[at] != CAIRN_STF_VERSION)
		TELL(head, VERSION_SECOND, "%s",
		     head->im->header.has_version ? "the second record is not VERSION, which comes later"
		                                  : "there is no VERSION");
	if (!head->im->header.ended) {
		head->at.record = head->im->header.records + 1;
		head->at.offset = n;
		TELL(head, HEADER_END, "the header ends here without END_HEADER");
	}
}

int stf_rules_header(struct cairn_reader *reader, struct stf_judge *judge, struct check_part *part)
{
	const struct stf_impl *im = reader->impl;
	struct head head = {.cairn = reader->cairn, .im = im, .judge = judge, .part = part};
	struct stf_records at = stf_header_records(im);
	judge->insn_trace = im->header.of_insns;
	rules_header_judge_order(&head);
	for (uint64_t number = 1; stf_next(&at); number++) {
		head.rec = at.p;
		head.len = at.len;
		head.at = (struct check_place){.record = number,
		                               .offset = im->header.size - at.left,
		                               .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET};
		judge_record(&head);
	}
	judge_presence(&head);
	if (im->header.has_ids) {
		struct stf_id_row row = {.id = {im->header.ids[0], im->header.ids[1], im->header.ids[2]}};
		int rc = stf_rules_take_ids(judge, &row, im->header.cfg.new_ids);
		head.rc = rc < 0 ? rc : head.rc;
	}
	return head.rc;
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

static void judge_feature(const struct stf_judge *judge, struct check_part *part, size_t index,
                          uint64_t declared, bool new_ids, const struct check_place *at)
{
	bool has = judge->seen >> features[index].seen & 1,
		 says = (declared & features[index].bit) != 0;
	const char *name = feature_name(features[index].bit);
	switch (features[index].bit) {
	case CAIRN_STF_F_OPERAND_VALUE: /* parts of the trace may have a feature of their own */
		has |= says && (judge->seen >> SEEN_DIV_OPERAND & 1);
		break;
	case CAIRN_STF_F_MULTI_CORE: /* hardware threads may belong to one core; old ids do not say */
		says |= (declared & CAIRN_STF_F_MULTI_THREAD) != 0 && has;
		if (!new_ids)
			return;
		break;
	case CAIRN_STF_F_MULTI_THREAD: /* or of a core */
		has |= says && (judge->seen >> SEEN_CORES & 1);
		break;
	default:
		break;
	}
	if (has && !says && features[index].bit == CAIRN_STF_F_PTE)
		check_add(part, STF_RULE_FEATURE_PARTIAL, &judge->first[SEEN_WALK],
		          "a page walk, but "
		          "TRACE_INFO_FEATURE does not promise PTE");
	else if (has && !says && features[index].bit != CAIRN_STF_F_SYSTEMCALL_VALUE)
		check_add(part, STF_RULE_FEATURE_UNDECLARED, &judge->first[features[index].seen],
		          "the trace has %s, but TRACE_INFO_FEATURE lacks %s", features[index].what, name);
	if (features[index].bit == CAIRN_STF_F_PROCESS_ID)
		has |= judge->has[CAIRN_STF_PROCESS_ID_EXT] != 0;
	if (has || !says)
		return;
	if (features[index].bit == CAIRN_STF_F_PTE)
		check_add(part, STF_RULE_WALK_REQUIRED, at, "PTE is declared, but there is no page walk");
	else if (features[index].bit == CAIRN_STF_F_MICROOP)
		check_add(part, STF_RULE_MICRO_OP_REQUIRED, at,
		          "MICROOP is declared, but there is no micro-op");
	else
		check_add(part, STF_RULE_FEATURE_UNSEEN, at, "%s is declared, but there is no %s", name,
		          features[index].what);
}

void stf_rules_features(struct cairn_reader *reader, const struct stf_judge *judge,
                        struct check_part *part)
{
	const struct stf_impl *im = reader->impl;
	const struct cairn_stf_config *cfg = &im->header.cfg;
	struct check_place at = {.record = judge->feature.rec,
	                         .offset = judge->feature.off,
	                         .known = CAIRN_PLACE_RECORD | CAIRN_PLACE_OFFSET};
	if (!judge->has[CAIRN_STF_TRACE_INFO_FEATURE])
		return;
	for (size_t i = 0; i < sizeof features / sizeof *features; i++)
		judge_feature(judge, part, i, cfg->features, cfg->new_ids, &at);
	if (cfg->features & CAIRN_STF_F_PHYSICAL_ADDRESS)
		check_add(part, STF_RULE_FEATURE_UNSEEN, &at,
		          "PHYSICAL_ADDRESS is declared, but no record "
		          "of STF 1.2 to 1.6 has physical addresses of accesses");
	bool rv64 = cfg->features & CAIRN_STF_F_RV64;
	bool any = cfg->iem == 2 || (judge->seen >> SEEN_RV64 & 1);
	if (judge->insn_trace && cfg->isa == 1 && (cfg->iem == 1 || cfg->iem == 2) && rv64 != any)
		check_add(part, STF_RULE_FEATURE_RV64, &at, "RV64 is %sdeclared, but INST_IEM is %s",
		          rv64 ? "" : "not ", any ? "RV64" : "RV32");
	uint64_t unknown = cfg->features >> 21;
	if (unknown)
		check_add(part, STF_RULE_FEATURE_UNKNOWN, &at, "bit %d has no meaning",
		          21 + __builtin_ctzll(unknown));
}

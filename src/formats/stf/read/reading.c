/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What records mean where their writers differ, and no record says which it is.
 *
 * - A writer (Dromajo 1.1) gives the sizes of accesses in bits; of accesses that took its
 *   slow path in bytes. So the encoding of each has the last word where it tells a size.
 * - The same one reads source operands when the instruction has been executed: of a register
 *   that the instruction changed they hold the result. Those of floating-point registers it
 *   reads from the integer registers of the same number.
 * - Initiators of a bus master's access: the specification counts from 0, the public library
 *   from 1. Nothing in a trace tells which.
 *
 * The first records of a trace are asked, never a single one. What the user says (--from)
 * holds before all, then a comment of the header, which traces cut out of such ones carry:
 * too little may be left in them to be asked.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"

enum { ENOUGH = 256, TWICE = 2, GROUP_REGS = 8, REGS = 32 };

static const char in_bits[] = "cairn: the sizes of accesses are in bits";
static const char read_after[] = "cairn: sources hold what registers held after the instruction";
static const char by_spec[] = "cairn: bus initiators are numbered from 0, as specified";

static const char *const sentences[] = {in_bits, read_after, by_spec};
enum { SENTENCES = sizeof sentences / sizeof *sentences };

bool stf_reading_comment(const char *text, size_t n)
{
	for (size_t i = 0; i < SENTENCES; i++)
		if (n == strlen(sentences[i]) && !memcmp(text, sentences[i], n))
			return true;
	return false;
}

/* ---- asking the first records ---- */

/* Of a register class: sources of registers that the instruction left alone, by whether they agree
 * with the value before. */
struct votes {
	uint32_t agree, differ;
};

struct survey {
	const struct cairn_stf_config *cfg;
	struct stf_reading *to;
	enum cairn_isa isa;
	struct votes plain[3];   /* by class */
	uint64_t value[3][REGS]; /* the last value, where `have` has the bit */
	uint32_t have[3];
	/* the group */
	struct {
		uint64_t value;
		uint8_t cls, num, role;
	} reg[GROUP_REGS];
	unsigned n_regs, reads, writes;
	uint32_t bytes; /* of the last access */
	bool stopped;   /* an event: what it did is not known */
};

static void reading_note_reg(struct survey *survey, const uint8_t *p)
{
	unsigned cls = stf_reg_class(p), num = stf_INST_REG_reg(p);
	survey->to->sources |= stf_reg_role(p) == CAIRN_ROLE_SRC;
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_FP || num >= REGS || (cls == CAIRN_REG_INT && !num))
		return;
	if (survey->n_regs < GROUP_REGS) {
		survey->reg[survey->n_regs].value = stf_reg_value(p);
		survey->reg[survey->n_regs].cls = (uint8_t)cls;
		survey->reg[survey->n_regs].num = (uint8_t)num;
		survey->reg[survey->n_regs].role = stf_reg_role(p);
	}
	/* Of a group of more (a state) the rest is taken for what holds. */
	if (survey->n_regs++ < GROUP_REGS)
		return;
	survey->value[cls][num] = stf_reg_value(p);
	survey->have[cls] |= 1u << num;
}

/* A source whose register has a result in the group; NULL: it has none. */
static const uint64_t *result_of(const struct survey *survey, unsigned n, unsigned source)
{
	for (unsigned i = 0; i < n; i++)
		if (survey->reg[i].role == CAIRN_ROLE_DST &&
		    survey->reg[i].cls == survey->reg[source].cls &&
		    survey->reg[i].num == survey->reg[source].num)
			return &survey->reg[i].value;
	return NULL;
}

static void ask_source(struct survey *survey, unsigned n, unsigned index)
{
	unsigned cls = survey->reg[index].cls, num = survey->reg[index].num;
	uint64_t told = survey->reg[index].value, before = survey->value[cls][num];
	const uint64_t *result = result_of(survey, n, index);
	if (!(survey->have[cls] >> num & 1))
		return;
	if (!result) {
		survey->plain[cls].agree += told == before;
		survey->plain[cls].differ += told != before;
	} else if (*result != before && cls == CAIRN_REG_INT) {
		survey->to->n_after += told == *result;
		survey->to->n_before += told == before;
	}
}

static void end_regs(struct survey *survey)
{
	unsigned n = survey->n_regs < GROUP_REGS ? survey->n_regs : GROUP_REGS;
	for (unsigned i = 0; i < n && !survey->stopped; i++)
		if (survey->reg[i].role == CAIRN_ROLE_SRC)
			ask_source(survey, n, i);
	/* Sources of a class that turns out to be wrong must not count as values. */
	for (unsigned i = 0; i < n; i++) {
		unsigned cls = survey->reg[i].cls, num = survey->reg[i].num;
		if (survey->reg[i].role == CAIRN_ROLE_SRC &&
		    (result_of(survey, n, i) || survey->have[cls] >> num & 1))
			continue;
		survey->value[cls][num] = survey->reg[i].value;
		survey->have[cls] |= 1u << num;
		if (survey->stopped && survey->reg[i].role == CAIRN_ROLE_DST)
			survey->have[cls] &= ~(1u << num);
	}
}

static void reading_end_group(struct survey *survey, uint32_t enc, unsigned size)
{
	struct cairn_op op;
	if (survey->n_regs)
		end_regs(survey);
	if (survey->reads + survey->writes == 1 && !survey->stopped &&
	    survey->to->n_bits + survey->to->n_bytes < ENOUGH) {
		cairn_isa_decode(stf_variant(survey->cfg, survey->isa), enc, size, &op);
		uint32_t way = survey->reads ? CAIRN_TRAIT_LOAD : CAIRN_TRAIT_STORE;
		bool tells = op.traits & way && op.mem_size && op.mem_count == 1 &&
		             !(op.traits & CAIRN_TRAIT_VECTOR);
		survey->to->n_bytes += tells && survey->bytes == op.mem_size;
		survey->to->n_bits += tells && survey->bytes == 8u * op.mem_size;
	}
	survey->n_regs = survey->reads = survey->writes = 0;
	survey->stopped = false;
}

/* Another hart has registers of its own, and code that is not in the trace may have changed them.
 *  */
static void reading_forget(struct survey *survey)
{
	memset(survey->have, 0, sizeof survey->have);
}

static void reading_take(struct survey *survey, const uint8_t *p)
{
	switch (*p) {
	case CAIRN_STF_INST_REG:
		reading_note_reg(survey, p);
		break;
	case CAIRN_STF_INST_MEM_ACCESS:
		survey->reads += stf_INST_MEM_ACCESS_access(p) == CAIRN_MEM_READ;
		survey->writes += stf_INST_MEM_ACCESS_access(p) != CAIRN_MEM_READ;
		survey->bytes = stf_INST_MEM_ACCESS_bytes(p);
		break;
	case CAIRN_STF_EVENT:
		survey->stopped = true;
		break;
	case CAIRN_STF_FORCE_PC:
	case CAIRN_STF_PROCESS_ID_EXT:
		reading_forget(survey);
		break;
	case CAIRN_STF_INST_IEM:
		survey->isa = stf_isa(survey->cfg, stf_INST_IEM_iem(p));
		break;
	case CAIRN_STF_INST_32:
		reading_end_group(survey, stf_INST_32_encoding(p), 4);
		break;
	case CAIRN_STF_INST_16:
		reading_end_group(survey, stf_INST_16_encoding(p), 2);
		break;
	default:
		break;
	}
}

/* Is it more than one, and more than what speaks against it? */
static bool most(uint32_t yes, uint32_t no)
{
	return yes >= TWICE && yes > no;
}

static void reading_ask(struct stf_impl *im, struct stf_reading *to, const uint8_t *p, size_t n)
{
	const struct cairn_stf_config *cfg = &im->header.cfg;
	struct survey survey = {.cfg = cfg, .to = to, .isa = stf_isa(cfg, cfg->iem)};
	struct stf_records at = stf_records_in(cfg, p, n);
	while (stf_next(&at))
		reading_take(&survey, at.p);
	to->bits = most(to->n_bits, to->n_bytes);
	to->after = most(to->n_after, to->n_before);
	to->sizes_by = to->n_bits + to->n_bytes >= TWICE ? STF_SAYS_TRACE : STF_SAYS_NOBODY;
	to->sources_by = to->n_after + to->n_before >= TWICE ? STF_SAYS_TRACE : STF_SAYS_NOBODY;
	for (unsigned cls = CAIRN_REG_INT; cls <= CAIRN_REG_FP; cls++)
		if (most(survey.plain[cls].differ, survey.plain[cls].agree))
			to->wrong |= (uint8_t)(1u << cls);
}

/* ---- what a comment says ---- */

static void listen(struct stf_impl *im, struct stf_reading *to)
{
	struct stf_records at = stf_header_records(im);
	while (stf_next(&at)) {
		size_t n;
		const char *text = stf_text(at.p, at.len, &n);
		if (*at.p != CAIRN_STF_COMMENT || !stf_reading_comment(text, n))
			continue;
		if (!memcmp(text, in_bits, sizeof in_bits - 1)) {
			to->bits = true;
			to->sizes_by = STF_SAYS_COMMENT;
		} else if (!memcmp(text, read_after, sizeof read_after - 1)) {
			to->after = true;
			to->sources_by = STF_SAYS_COMMENT;
			to->wrong = 1u << CAIRN_REG_FP; /* what is uncertain is not believed */
		} else {
			im->header.cfg.spec_initiators = 1;
		}
	}
}

void stf_reading_find(struct stf_impl *im, const uint8_t *p, size_t n)
{
	const struct stf_options *opt = &im->opt;
	struct stf_reading *to = &im->reading;
	*to = (struct stf_reading){0};
	if (!im->header.cfg.protocol)
		reading_ask(im, to, p, n);
	listen(im, to);
	if (opt->sizes) {
		to->bits = opt->sizes == 2;
		to->sizes_by = STF_SAYS_USER;
	}
	if (opt->sources) {
		to->after = opt->sources == 2;
		to->sources_by = STF_SAYS_USER;
	}
	/* If other sources are right, a class that contradicts is odd data, not a habit. */
	if (!to->after)
		to->wrong = 0;
	if (opt->initiators)
		im->header.cfg.spec_initiators = opt->initiators == 2;
}

bool stf_reading_open(const struct stf_impl *im)
{
	const struct stf_reading *to = &im->reading;
	return !im->header.cfg.protocol &&
	       (to->sizes_by == STF_SAYS_NOBODY || (to->sources && to->sources_by == STF_SAYS_NOBODY));
}

/* ---- telling ---- */

int stf_reading_tell(struct cairn_stf_header *header, const struct stf_reading *reading)
{
	const bool holds[SENTENCES] = {reading->bits, reading->after, header->cfg.spec_initiators};
	int rc = 0;
	for (size_t i = header->n_comments; i > 0 && rc >= 0; i--)
		if (stf_reading_comment(header->comments[i - 1].text, header->comments[i - 1].n))
			rc = cairn_stf_header_drop_comment(header, i - 1);
	for (size_t i = 0; i < SENTENCES && rc >= 0; i++)
		if (holds[i])
			rc = cairn_stf_header_comment(header, sentences[i], strlen(sentences[i]));
	return rc;
}

/* Add who says so. */
static void because(char *buf, size_t size, unsigned by, uint32_t yes, uint32_t no,
                    const char *what)
{
	if (by == STF_SAYS_USER)
		snprintf(buf, size, "as --from says");
	else if (by == STF_SAYS_COMMENT)
		snprintf(buf, size, "as a comment of the header says");
	else
		snprintf(buf, size, "as %u of the first %u %s", yes, yes + no, what);
}

int stf_reading_facts(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct stf_impl *im = reader->impl;
	char note[sizeof reader->reading];
	int rc = model_fact_text(facts, "access_sizes", "%s", im->reading.bits ? "bits" : "bytes");
	if (rc >= 0)
		rc = model_fact_text(facts, "source_values", "%s", im->reading.after ? "after" : "before");
	if (rc >= 0)
		rc = model_fact_text(facts, "initiators", "%s",
		                     im->header.cfg.spec_initiators ? "spec" : "library");
	for (size_t i = 0; rc >= 0 && stf_reads(reader, i, note, sizeof note); i++)
		rc = model_fact_list(facts, "notes", "%s", note);
	return rc;
}

bool stf_reads(const struct cairn_reader *reader, size_t index, char *buf, size_t size)
{
	const struct stf_impl *im = reader->impl;
	const struct stf_reading *rd = &im->reading;
	char why[64];
	if (rd->bits && index-- == 0) {
		because(why, sizeof why, rd->sizes_by, rd->n_bits, rd->n_bytes, "accesses show");
		snprintf(buf, size, "access sizes are in bits, %s; everything but 'records' shows bytes",
		         why);
		return true;
	}
	if (!rd->after || index)
		return false;
	because(why, sizeof why, rd->sources_by, rd->n_after, rd->n_before, "changed registers show");
	snprintf(buf, size,
	         "source values were read after the instruction, %s; those of registers that "
	         "it writes%s are not believed",
	         why, rd->wrong >> CAIRN_REG_FP & 1 ? ", and of floating-point registers," : "");
	return true;
}

/* An index holds what rows were read as. */
int stf_depends(struct cairn_reader *reader, struct base_buf *out)
{
	const struct stf_impl *im = reader->impl;
	const struct stf_reading *rd = &im->reading;
	if (!rd->bits && !rd->after)
		return 0;
	return base_buf_printf(out, ";bits=%d,after=%d,wrong=%u", rd->bits, rd->after, rd->wrong);
}

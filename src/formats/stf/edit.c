/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another header, another version, fewer kinds of records. What the trace needs to be
 * read at all cannot be left out, and neither can one half of a pair.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/stf/change.h"

/* ---- leaving out records ---- */

/* Why records of a type must stay; NULL: they need not. */
static const char *stf_edit_needed(unsigned type)
{
	switch (type) {
	case CAIRN_STF_INST_32:
	case CAIRN_STF_INST_16:
	case CAIRN_STF_TRANSACTION:
		return "they are what the trace is about (cairn slice leaves out instructions)";
	case CAIRN_STF_INST_PC_TARGET:
	case CAIRN_STF_EVENT_PC_TARGET:
	case CAIRN_STF_FORCE_PC:
		return "without them the PCs behind would be wrong";
	case CAIRN_STF_INST_IEM:
	case CAIRN_STF_ISA:
	case CAIRN_STF_VLEN_CONFIG:
	case CAIRN_STF_PROTOCOL_ID:
	case CAIRN_STF_CLOCK_ID:
	case CAIRN_STF_TRACE_INFO_FEATURE:
		return "without it other records cannot be read";
	case CAIRN_STF_IDENTIFIER:
	case CAIRN_STF_VERSION:
	case CAIRN_STF_END_HEADER:
		return "every trace has it";
	case CAIRN_STF_TRACE_INFO:
		return "who made and changed a trace is never forgotten";
	case CAIRN_STF_INST_MICROOP:
		return "accesses and targets beside them are theirs, not the instruction's";
	case CAIRN_STF_INST_MEM_CONTENT:
	case CAIRN_STF_BUS_MASTER_CONTENT:
		return "a content belongs to its access: drop the access, and both go";
	default:
		return NULL;
	}
}

/* "inst_reg", "STF_INST_REG", "INST_OPCODE32" */
static const struct stf_type *stf_edit_type_named(const char *name)
{
	const char *bare = strncasecmp(name, "STF_", 4) == 0 ? name + 4 : name;
	for (unsigned i = 0; i < 256; i++) {
		const struct stf_type *t = stf_type(i);
		if (t && (!strcasecmp(t->name, bare) || !strcasecmp(t->alias, name)))
			return t;
	}
	if (!strcasecmp(bare, "INST_OPCODE32") || !strcasecmp(bare, "INST_OPCODE16"))
		return stf_type(bare[11] == '3' ? CAIRN_STF_INST_32 : CAIRN_STF_INST_16);
	return NULL;
}

static int stf_edit_drop_type(struct stf_remake *m, const char *name)
{
	const struct stf_type *t = stf_edit_type_named(name);
	if (!t)
		return base_fail(m->c, CAIRN_E_INVAL, "STF has no record '%s'", name);
	const char *why = stf_edit_needed(t->number);
	if (why)
		return base_fail(m->c, CAIRN_E_INVAL, "%s records cannot be left out: %s", t->name, why);
	m->drop[t->number] = true;
	if (t->number == CAIRN_STF_INST_MEM_ACCESS)
		m->drop[CAIRN_STF_INST_MEM_CONTENT] = true;
	if (t->number == CAIRN_STF_BUS_MASTER_ACCESS)
		m->drop[CAIRN_STF_BUS_MASTER_CONTENT] = true;
	if (t->number == CAIRN_STF_EVENT) {
		m->drop[CAIRN_STF_EVENT_PC_TARGET] = true; /* FORCE_PC will say it */
		m->withheld |= CAIRN_STF_F_PTE; /* which accesses are translated is not told any more */
	}
	if (t->number == CAIRN_STF_PROCESS_ID_EXT)
		m->drop[CAIRN_STF_PAGE_TABLE_WALK] = true; /* whose pages would not be known */
	return 0;
}

/* Each of a list with commas. */
static int each(struct stf_remake *m, const char *list, int (*f)(struct stf_remake *, const char *))
{
	char word[64];
	int rc = 0;
	while (*list && rc >= 0) {
		size_t n = strcspn(list, ",");
		if (n >= sizeof word)
			return base_fail(m->c, CAIRN_E_INVAL, "'%.*s…' is no name STF knows", 60, list);
		memcpy(word, list, n);
		word[n] = 0;
		rc = f(m, word);
		list += n + (list[n] == ',');
	}
	return rc;
}

static int drop_from_header(struct stf_remake *m)
{
	struct cairn_stf_header *h = m->h;
	int rc = 0;
	if (m->drop[CAIRN_STF_COMMENT])
		while (h->n_comments && rc >= 0)
			rc = cairn_stf_header_drop_comment(h, 0);
	if (m->drop[CAIRN_STF_PROCESS_ID_EXT])
		h->has_ids = 0;
	if (rc >= 0 && m->drop[CAIRN_STF_ISA_EXTENDED])
		rc = cairn_stf_header_isa_extended(h, NULL);
	return rc;
}

/* ---- the header ---- */

static int one_feature(struct stf_remake *m, const char *text)
{
	uint64_t *f = &m->h->cfg.features;
	const char *name = text + 1;
	if (*text != '+' && *text != '-')
		return base_fail(m->c, CAIRN_E_INVAL,
		                 "features are set with +NAME and taken back with "
		                 "-NAME, not '%s'",
		                 text);
	if (!strncasecmp(name, "STF_CONTAIN_", 12))
		name += 12;
	else if (!strncasecmp(name, "STF_", 4))
		name += 4;
	for (const struct stf_name *x = stf_features; x->name; x++) {
		if (strcasecmp(x->name, name) != 0)
			continue;
		uint64_t bit = (uint64_t)1 << x->value;
		if (bit & CAIRN_STF_F_SEEN)
			return base_fail(m->c, CAIRN_E_INVAL,
			                 "feature %s is what the records make it: it "
			                 "cannot be set by hand",
			                 x->name);
		*f = *text == '+' ? *f | bit : *f & ~bit;
		return 0;
	}
	return base_fail(m->c, CAIRN_E_INVAL, "STF has no feature '%s'", text + 1);
}

/* "Spike,1.1.0,built by me": who made the trace comes first. */
static int set_generator(struct stf_remake *m, const char *text)
{
	struct cairn_stf_header *h = m->h;
	size_t n = strcspn(text, ",");
	unsigned v[3] = {0, 0, 0};
	char *end;
	unsigned long id = strtoul(text, &end, 0);
	const char *rest = text + n;
	if (end != text + n || n == 0) {
		const struct stf_name *x = stf_generators;
		while (x->name && (strlen(x->name) != n || strncasecmp(x->name, text, n) != 0))
			x++;
		if (!x->name)
			return base_fail(m->c, CAIRN_E_INVAL, "STF has no number for the generator '%.*s'",
			                 (int)(n > 60 ? 60 : n), text);
		id = (unsigned long)x->value;
	}
	if (id == 0 || id > 255)
		return base_fail(m->c, CAIRN_E_INVAL, "a generator's number is 1 to 255, not %lu", id);
	if (*rest == ',') {
		int used = 0;
		if (sscanf(rest, ",%3u.%3u.%3u%n", &v[0], &v[1], &v[2], &used) != 3 ||
		    (rest[used] && rest[used] != ',') || v[0] > 255 || v[1] > 255 || v[2] > 255)
			return base_fail(m->c, CAIRN_E_INVAL,
			                 "a generator's version is like 1.2.3 (each "
			                 "below 256), not '%.40s'",
			                 rest + 1);
		rest += used;
	}
	uint8_t version[3] = {(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2]};
	int rc = cairn_stf_header_generator(h, (uint8_t)id, version, *rest ? rest + 1 : "");
	if (rc >= 0) {
		struct cairn_stf_generator g = h->generators[h->n_generators - 1];
		memmove(h->generators + 1, h->generators, (h->n_generators - 1) * sizeof g);
		h->generators[0] = g;
	}
	return rc;
}

/* ---- version and width ---- */

static int set_version(struct stf_remake *m, unsigned minor, bool events_given)
{
	struct cairn_stf_header *h = m->h;
	struct cairn_stf_config *cfg = &h->cfg;
	int rc = 0;
	if (minor < 6 && h->isa_extended.text) {
		rc = stf_remake_lost(m, "ISA_EXTENDED, which came with version 1.6", 1, 0);
		if (rc >= 0)
			rc = cairn_stf_header_isa_extended(h, NULL);
	}
	if (rc >= 0 && minor < 5 && cfg->protocol)
		return base_fail(m->c, CAIRN_E_UNSUPPORTED,
		                 "transactions came with version 1.5: there is no 1.%u of this trace",
		                 minor);
	if (rc >= 0 && minor < 4 && cfg->vlen > 64)
		return base_fail(m->c, CAIRN_E_UNSUPPORTED,
		                 "vector registers of %u bits came with version 1.4: there is no 1.%u of "
		                 "this trace (--drop leaves out registers)",
		                 cfg->vlen, minor);
	if (rc >= 0 && minor < 4)
		cfg->vlen = 0;
	else if (rc >= 0 && cfg->version_minor < 4 && !cfg->vlen && !cfg->protocol)
		cfg->vlen = 64; /* what it was without saying so; there may be vectors without VEC */
	if (minor < 5 && !events_given)
		cfg->event_bits = 32;
	cfg->version_minor = (uint16_t)minor;
	cfg->new_ids = minor >= 5;
	const char *why = rc >= 0 ? cairn_stf_header_version_obstacle(h, minor) : NULL;
	return why ? base_fail(m->c, CAIRN_E_UNSUPPORTED, "there is no 1.%u of this trace: %s", minor,
	                       why)
	           : rc;
}

int stf_edit_version(struct stf_remake *m, const char *version, unsigned event_bits)
{
	struct cairn_stf_config *cfg = &m->h->cfg;
	const struct stf_output *output = &m->packing.output;
	unsigned minor = output->version & 0xff, bits = event_bits ? event_bits : output->event_bits;
	if (bits && bits != 32 && bits != 64)
		return base_fail(m->c, CAIRN_E_INVAL, "ids of events have 32 or 64 bits, not %u", bits);
	if (version && (strlen(version) != 3 || strncmp(version, "1.", 2) != 0 || version[2] < '2' ||
	                version[2] > '6'))
		return base_fail(m->c, CAIRN_E_INVAL, "STF is written as version 1.2 to 1.6, not '%s'",
		                 version);
	if (output->vlen && output->vlen != cfg->vlen)
		return base_fail(m->c, CAIRN_E_INVAL,
		                 "stf:vlen=%u: the trace says itself that vectors have "
		                 "%u bits",
		                 output->vlen, cfg->vlen);
	if (version)
		minor = (unsigned)(version[2] - '0');
	if (bits)
		cfg->event_bits = (uint8_t)bits;
	return minor ? set_version(m, minor, bits != 0) : 0;
}

/* ---- all ---- */

/* What an edit sets must be true of its output: the text names the width the header does. */
static int set_isa_string(struct stf_remake *m, const char *isa)
{
	unsigned iem = m->h->cfg.iem;
	const char *begin = iem == 1 ? "rv32" : iem == 2 ? "rv64" : "";
	if (*isa && strncmp(isa, begin, strlen(begin)) != 0)
		return base_fail(m->h->c, CAIRN_E_INVAL,
		                 "the instruction set of this trace begins with "
		                 "%s, '%s' does not",
		                 begin, isa);
	return cairn_stf_header_isa_extended(m->h, *isa ? isa : NULL);
}

static int stf_edit_prepare(struct stf_remake *m, const struct cairn_edit_opts *o)
{
	int rc = 0;
	for (size_t i = 0; i < o->n_drop && rc >= 0; i++)
		rc = each(m, o->drop[i], stf_edit_drop_type);
	if (rc >= 0)
		rc = drop_from_header(m);
	if (rc >= 0 && o->features)
		rc = each(m, o->features, one_feature);
	if (rc >= 0 && o->isa_string)
		rc = set_isa_string(m, o->isa_string);
	if (rc >= 0)
		rc = stf_edit_version(m, o->version, o->event_bits);
	if (rc >= 0 && o->generator)
		rc = set_generator(m, o->generator);
	for (size_t i = 0; i < o->n_comments && rc >= 0; i++)
		rc = cairn_stf_header_comment(m->h, o->comments[i], strlen(o->comments[i]));
	return rc < 0 ? rc : stf_remake_history(m, "cairn edit");
}

int stf_edit(struct cairn_reader *r, const struct cairn_edit_opts *o,
             const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	struct stf_segment *pc = NULL;
	int rc = stf_remake_new(r, out, done, &m);
	if (rc >= 0)
		rc = stf_edit_prepare(m, o);
	if (rc >= 0)
		rc = stf_segment_open(m, r, io_name(r->io), &pc);
	if (rc >= 0) {
		pc->last = true;
		rc = stf_segment_range(pc, 1, UINT64_MAX);
	}
	if (rc >= 0)
		rc = stf_segment_end(pc);
	if (rc >= 0 && m->dropped)
		rc = stf_remake_note(m, "records left out as asked", m->dropped, 0);
	stf_segment_close(pc);
	return stf_remake_finish(m, rc);
}

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

#include "formats/stf/change/change.h"

/* ---- leaving out records ---- */

/* Why records of a type must stay; NULL: they may be left out. */
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
		return "the record of who made and changed a trace always stays";
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
		const struct stf_type *type = stf_type(i);
		if (type && (!strcasecmp(type->name, bare) || !strcasecmp(type->alias, name)))
			return type;
	}
	if (!strcasecmp(bare, "INST_OPCODE32") || !strcasecmp(bare, "INST_OPCODE16"))
		return stf_type(bare[11] == '3' ? CAIRN_STF_INST_32 : CAIRN_STF_INST_16);
	return NULL;
}

static int stf_edit_drop_type(void *self, const char *name)
{
	struct stf_remake *remake = self;
	const struct stf_type *type = stf_edit_type_named(name);
	if (!type)
		return base_fail(remake->cairn, CAIRN_E_INVAL, "STF has no record '%s'", name);
	const char *why = stf_edit_needed(type->number);
	if (why)
		return base_fail(remake->cairn, CAIRN_E_INVAL, "%s records cannot be left out: %s",
		                 type->name, why);
	remake->drop[type->number] = true;
	if (type->number == CAIRN_STF_INST_MEM_ACCESS)
		remake->drop[CAIRN_STF_INST_MEM_CONTENT] = true;
	if (type->number == CAIRN_STF_BUS_MASTER_ACCESS)
		remake->drop[CAIRN_STF_BUS_MASTER_CONTENT] = true;
	if (type->number == CAIRN_STF_EVENT) {
		remake->drop[CAIRN_STF_EVENT_PC_TARGET] = true; /* FORCE_PC will say it */
		remake->withheld |= CAIRN_STF_F_PTE; /* which accesses are translated is unknown then */
	}
	if (type->number == CAIRN_STF_PROCESS_ID_EXT)
		remake->drop[CAIRN_STF_PAGE_TABLE_WALK] = true; /* whose pages would not be known */
	return 0;
}

static int drop_extensions(struct stf_remake *remake)
{
	struct cairn_stf_header *header = remake->header;
	if (header->cfg.variants & (CAIRN_ISA_ZCMP | CAIRN_ISA_ZCLSD | CAIRN_ISA_ZFINX))
		return base_fail(
			remake->cairn, CAIRN_E_UNSUPPORTED,
			"ISA_EXTENDED (of version 1.6) cannot be left out: without it, encodings of "
			"this trace would be other instructions (Zcmp, Zclsd, Zfinx)");
	return cairn_stf_header_isa_extended(header, NULL);
}

static int drop_from_header(struct stf_remake *remake)
{
	struct cairn_stf_header *header = remake->header;
	int rc = 0;
	if (remake->drop[CAIRN_STF_COMMENT])
		while (header->n_comments && rc >= 0)
			rc = cairn_stf_header_drop_comment(header, 0);
	if (remake->drop[CAIRN_STF_PROCESS_ID_EXT])
		header->has_ids = 0;
	if (rc >= 0 && remake->drop[CAIRN_STF_ISA_EXTENDED])
		rc = drop_extensions(remake);
	return rc;
}

/* ---- the header ---- */

static int one_feature(void *self, const char *text)
{
	struct stf_remake *remake = self;
	uint64_t *f = &remake->header->cfg.features;
	const char *name = text + 1;
	if (*text != '+' && *text != '-')
		return base_fail(remake->cairn, CAIRN_E_INVAL,
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
			return base_fail(remake->cairn, CAIRN_E_INVAL,
			                 "feature %s is what the records make it: it "
			                 "cannot be set by hand",
			                 x->name);
		*f = *text == '+' ? *f | bit : *f & ~bit;
		return 0;
	}
	return base_fail(remake->cairn, CAIRN_E_INVAL, "STF has no feature '%s'", text + 1);
}

/* "Spike,1.1.0,built by me": who made the trace comes first. */
static int set_generator(struct stf_remake *remake, const char *text)
{
	struct cairn_stf_header *header = remake->header;
	size_t n = strcspn(text, ",");
	unsigned v[3] = {0, 0, 0};
	char *end;
	unsigned long id = strtoul(text, &end, 0);
	const char *rest = text + n;
	if (end != text + n || n == 0) {
		const struct stf_name *name = stf_generators;
		while (name->name && (strlen(name->name) != n || strncasecmp(name->name, text, n) != 0))
			name++;
		if (!name->name)
			return base_fail(remake->cairn, CAIRN_E_INVAL,
			                 "STF has no number for the generator '%.*s'", (int)(n > 60 ? 60 : n),
			                 text);
		id = (unsigned long)name->value;
	}
	if (id == 0 || id > 255)
		return base_fail(remake->cairn, CAIRN_E_INVAL, "a generator's number is 1 to 255, not %lu",
		                 id);
	if (*rest == ',') {
		int used = 0;
		if (sscanf(rest, ",%3u.%3u.%3u%n", &v[0], &v[1], &v[2], &used) != 3 ||
		    (rest[used] && rest[used] != ',') || v[0] > 255 || v[1] > 255 || v[2] > 255)
			return base_fail(remake->cairn, CAIRN_E_INVAL,
			                 "a generator's version is like 1.2.3 (each "
			                 "below 256), not '%.40s'",
			                 rest + 1);
		rest += used;
	}
	uint8_t version[3] = {(uint8_t)v[0], (uint8_t)v[1], (uint8_t)v[2]};
	int rc = cairn_stf_header_generator(header, (uint8_t)id, version, *rest ? rest + 1 : "");
	if (rc >= 0) {
		struct cairn_stf_generator generator = header->generators[header->n_generators - 1];
		memmove(header->generators + 1, header->generators,
		        (header->n_generators - 1) * sizeof generator);
		header->generators[0] = generator;
	}
	return rc;
}

/* ---- version and width ---- */

static int set_version(struct stf_remake *remake, unsigned minor, bool events_given)
{
	struct cairn_stf_header *header = remake->header;
	struct cairn_stf_config *cfg = &header->cfg;
	int rc = 0;
	if (minor < 6 && header->isa_extended.text) {
		rc = stf_remake_lost(remake, "ISA_EXTENDED, which came with version 1.6", 1, 0);
		if (rc >= 0)
			rc = drop_extensions(remake);
	}
	if (rc >= 0 && minor < 5 && cfg->protocol)
		return base_fail(remake->cairn, CAIRN_E_UNSUPPORTED,
		                 "transactions came with version 1.5: there is no 1.%u of this trace",
		                 minor);
	if (rc >= 0 && minor < 4 && cfg->vlen > 64)
		return base_fail(remake->cairn, CAIRN_E_UNSUPPORTED,
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
	const char *why = rc >= 0 ? cairn_stf_header_version_obstacle(header, minor) : NULL;
	return why ? base_fail(remake->cairn, CAIRN_E_UNSUPPORTED, "there is no 1.%u of this trace: %s",
	                       minor, why)
	           : rc;
}

int stf_edit_version(struct stf_remake *remake, const char *version, unsigned event_bits)
{
	struct cairn_stf_config *cfg = &remake->header->cfg;
	const struct stf_output *output = &remake->packing.output;
	unsigned minor = output->version & 0xff, bits = event_bits ? event_bits : output->event_bits;
	if (bits && bits != 32 && bits != 64)
		return base_fail(remake->cairn, CAIRN_E_INVAL, "ids of events have 32 or 64 bits, not %u",
		                 bits);
	if (version && (strlen(version) != 3 || strncmp(version, "1.", 2) != 0 || version[2] < '2' ||
	                version[2] > '6'))
		return base_fail(remake->cairn, CAIRN_E_INVAL,
		                 "STF is written as version 1.2 to 1.6, not '%s'", version);
	if (output->vlen && output->vlen != cfg->vlen)
		return base_fail(remake->cairn, CAIRN_E_INVAL,
		                 "stf:vlen=%u: the trace says itself that vectors have "
		                 "%u bits",
		                 output->vlen, cfg->vlen);
	if (version)
		minor = (unsigned)(version[2] - '0');
	if (bits)
		cfg->event_bits = (uint8_t)bits;
	return minor ? set_version(remake, minor, bits != 0) : 0;
}

/* ---- all ---- */

/* What an edit sets must be true of its output: the text must name the same width as the header. */
static int set_isa_string(struct stf_remake *remake, const char *isa)
{
	unsigned iem = remake->header->cfg.iem;
	const char *begin = iem == 1 ? "rv32" : iem == 2 ? "rv64" : "";
	if (*isa && strncmp(isa, begin, strlen(begin)) != 0)
		return base_fail(remake->header->c, CAIRN_E_INVAL,
		                 "the instruction set of this trace begins with "
		                 "%s, '%s' does not",
		                 begin, isa);
	return cairn_stf_header_isa_extended(remake->header, *isa ? isa : NULL);
}

static int stf_edit_prepare(struct stf_remake *remake, const struct cairn_edit_opts *opts)
{
	int rc = 0;
	for (size_t i = 0; i < opts->n_drop && rc >= 0; i++)
		rc = model_each_word(remake->cairn, "STF", opts->drop[i], stf_edit_drop_type, remake);
	if (rc >= 0)
		rc = drop_from_header(remake);
	if (rc >= 0 && opts->features)
		rc = model_each_word(remake->cairn, "STF", opts->features, one_feature, remake);
	if (rc >= 0 && opts->isa_string)
		rc = set_isa_string(remake, opts->isa_string);
	if (rc >= 0)
		rc = stf_edit_version(remake, opts->version, opts->event_bits);
	if (rc >= 0 && opts->generator)
		rc = set_generator(remake, opts->generator);
	for (size_t i = 0; i < opts->n_comments && rc >= 0; i++)
		rc = cairn_stf_header_comment(remake->header, opts->comments[i], strlen(opts->comments[i]));
	return rc < 0 ? rc : stf_remake_history(remake, "cairn edit");
}

int stf_edit(struct cairn_reader *reader, const struct cairn_edit_opts *opts,
             const struct cairn_output *out, struct cairn_changed *done)
{
	struct stf_remake *remake = NULL;
	struct stf_segment *segment = NULL;
	int rc = stf_remake_new(reader, out, done, &remake);
	if (rc >= 0)
		rc = stf_edit_prepare(remake, opts);
	if (rc >= 0)
		rc = stf_segment_open(remake, reader, io_name(reader->io), &segment);
	if (rc >= 0) {
		segment->last = true;
		rc = stf_segment_range(segment, 1, UINT64_MAX);
	}
	if (rc >= 0)
		rc = stf_segment_end(segment);
	if (rc >= 0 && remake->dropped)
		rc = stf_remake_note(remake, "records left out as asked", remake->dropped, 0);
	stf_segment_close(segment);
	return stf_remake_finish(remake, rc);
}

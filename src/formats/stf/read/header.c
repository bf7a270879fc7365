/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header record group: what decides how the rest is read, and the facts
 * `info` tells.
 *
 * Real headers vary in order and leave records out, so only what makes the rest
 * unreadable is refused: no IDENTIFIER first, no VERSION second, a version whose
 * record numbers nobody published (1.0, 1.1) or that is yet to come. The
 * configuration is frozen where the header ends; header records met later in the
 * body are data and change nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"
#include "kit/options.h"

#define OPTION(member) KIT_AT(struct stf_options, member)
static const struct kit_option reading[] = {
	{"events", "32|64", "width of event ids", KIT_ONE_OF, OPTION(event_bits)},
	{"ids", "old|new", "process ids as before (old) or since (new) version 1.5", KIT_WORD,
     OPTION(ids), .least = 1},
	{"sizes", "bytes|bits", "unit of access sizes", KIT_WORD, OPTION(sizes), .least = 1},
	{"sources", "before|after", "source values before or after their instruction", KIT_WORD,
     OPTION(sources), .least = 1},
	{"initiators", "library|spec", "bus initiators numbered from 1 (library) or 0 (spec)", KIT_WORD,
     OPTION(initiators), .least = 1},
	{"version", "1.2…1.6", "read as this version", KIT_VERSION, OPTION(version),
     .least = 0x100 | STF_MINOR_FIRST, .most = 0x100 | STF_MINOR_LAST},
};
const struct kit_options stf_reading_options = {"stf", "reading STF", reading,
                                                sizeof reading / sizeof *reading};

static int header_take_version(struct cairn *cairn, const struct stf_options *opt, const uint8_t *p,
                               struct stf_header *header)
{
	uint32_t major = stf_VERSION_major(p), minor = stf_VERSION_minor(p);
	header->has_version = true;
	header->cfg.version_major = (uint16_t)(major > 0xffff ? 0xffff : major);
	header->cfg.version_minor = (uint16_t)(minor > 0xffff ? 0xffff : minor);
	if (opt->version)
		header->cfg.version_minor = opt->version & 0xff;
	else if (opt->lenient)
		header->cfg.version_minor =
			major == 1 && minor <= STF_MINOR_LAST ? (uint16_t)minor : STF_MINOR_LAST;
	else if (major != 1 || minor > STF_MINOR_LAST)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED,
		                 "STF version %u.%u is unknown to this cairn, which reads 1.%d to "
		                 "1.%d (--from stf:version=1.%d tries it as the latest)",
		                 major, minor, STF_MINOR_FIRST, STF_MINOR_LAST, STF_MINOR_LAST);
	else if (minor < STF_MINOR_FIRST)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED,
		                 "STF version %u.%u numbers its records in a way that was never "
		                 "published; cairn reads 1.%d to 1.%d",
		                 major, minor, STF_MINOR_FIRST, STF_MINOR_LAST);
	header->cfg.new_ids = opt->ids ? opt->ids == 2 : header->cfg.version_minor >= 5;
	return 0;
}

/* Find the variants that ISA_EXTENDED names. They are asked of RV32, which has all of them. */
static int header_take_variants(struct cairn *cairn, const char *text, size_t n,
                                struct stf_header *header)
{
	char *copy = base_alloc(cairn, n + 1);
	if (!copy)
		return CAIRN_E_NOMEM;
	memcpy(copy, text, n);
	header->cfg.variants = cairn_isa_of(CAIRN_ISA_RV32, copy) & CAIRN_ISA_VARIANTS;
	base_free(cairn, copy);
	return 0;
}

int stf_header_take(struct cairn *cairn, const struct stf_options *opt, const uint8_t *p,
                    size_t len, struct stf_header *header)
{
	struct cairn_stf_config *cfg = &header->cfg;
	size_t n;
	const char *text = stf_text(p, len, &n); /* of records that have one */
	switch (p[0]) {
	case CAIRN_STF_VERSION:
		return header_take_version(cairn, opt, p, header);
	case CAIRN_STF_ISA:
		cfg->isa = stf_ISA_isa(p);
		break;
	case CAIRN_STF_INST_IEM:
		cfg->iem = stf_INST_IEM_iem(p);
		break;
	case CAIRN_STF_TRACE_INFO_FEATURE:
		cfg->features = stf_TRACE_INFO_FEATURE_features(p);
		if (!opt->event_bits)
			cfg->event_bits = cfg->features & CAIRN_STF_F_EVENT64 ? 64 : 32;
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		stf_process_ids(p, header->ids);
		header->has_ids = true;
		break;
	case CAIRN_STF_FORCE_PC:
		header->pc = stf_FORCE_PC_pc(p);
		header->has_pc = true;
		break;
	case CAIRN_STF_ISA_EXTENDED: {
		int rc = header_take_variants(cairn, text, n, header);
		if (rc < 0)
			return rc;
		break;
	}
	case CAIRN_STF_END_HEADER:
		header->ended = true;
		break;
	case CAIRN_STF_VLEN_CONFIG:
		cfg->vlen = stf_VLEN_CONFIG_vlen(p);
		break;
	case CAIRN_STF_PROTOCOL_ID:
		cfg->protocol = stf_PROTOCOL_ID_protocol(p);
		break;
	default:
		break;
	}
	return header->object ? stf_header_keep(header->object, p, text, n) : 0;
}

int stf_header_parse(struct cairn *cairn, const struct stf_options *opt, const uint8_t *p, size_t n,
                     bool all, struct stf_header *header)
{
	*header = (struct stf_header){.object = header->object};
	header->cfg.event_bits = opt->event_bits ? opt->event_bits : 64;
	header->cfg.version_minor = opt->lenient ? STF_MINOR_LAST : 0;
	header->cfg.new_ids = opt->lenient && opt->ids != 1;
	if (n < STF_LEN_IDENTIFIER && !all)
		return 0;
	if (!opt->lenient && (n < STF_LEN_IDENTIFIER || memcmp(p, "\001STF", 4) != 0))
		return base_fail(cairn, CAIRN_E_FORMAT, "the stream does not begin with an STF identifier");
	bool any_protocol = false;
	while (!header->ended) {
		const uint8_t *q = p + header->size;
		size_t left = n - header->size;
		const struct stf_type *type = left ? stf_type(*q) : NULL;
		if (left && (!type || !(type->flags & STF_HEADER)))
			break;
		int64_t len = cairn_stf_record_length(&header->cfg, q, left);
		if (len == 0 && !all)
			return 0;
		if (len <= 0) {
			header->broken = true;
			header->cut = !left;
			break;
		}
		int rc = stf_header_take(cairn, opt, q, (size_t)len, header);
		if (rc < 0)
			return rc;
		any_protocol |= *q == CAIRN_STF_PROTOCOL_ID;
		header->size += (size_t)len;
		header->records++;
	}
	if (!header->has_version && !opt->lenient)
		return base_fail(cairn, CAIRN_E_DAMAGED,
		                 "byte 0x%zx, record %llu: the header ends before a VERSION record",
		                 header->size, (unsigned long long)header->records + 1);
	bool declared = header->cfg.features & CAIRN_STF_F_TRANSACTIONS;
	/* A PROTOCOL_ID in a trace that is otherwise of instructions is out of place, and decides
	 * nothing. A trace that is otherwise of transactions lacks it. */
	bool astray = header->cfg.isa && header->cfg.iem && header->has_pc && !declared;
	bool lacking = !header->cfg.isa && !header->cfg.iem && !header->has_pc && declared;
	header->of_insns = astray || !(any_protocol || lacking);
	if (astray)
		header->cfg.protocol = 0;
	return 1;
}

/* ---- facts ---- */

static int fact_generator(struct model_facts *facts, const uint8_t *p, const char *text, int n)
{
	const char *name = stf_name(stf_generators, stf_TRACE_INFO_generator(p));
	char number[16];
	if (!name) {
		snprintf(number, sizeof number, "0x%02x", stf_TRACE_INFO_generator(p));
		name = number;
	}
	return model_fact_list(facts, "generators", "%s %u.%u.%u%s%.*s", name, stf_TRACE_INFO_major(p),
	                       stf_TRACE_INFO_minor(p), stf_TRACE_INFO_minor_minor(p), n ? ": " : "", n,
	                       text);
}

/* The end of a record may hold anything: what is not text is shown as \x... */
static int fact_record(struct model_facts *facts, const char *key, const uint8_t *p, size_t len)
{
	size_t n;
	const char *text = stf_text(p, len, &n);
	int most = (int)(n > INT32_MAX ? INT32_MAX : n);
	switch (*p) {
	case CAIRN_STF_TRACE_INFO:
		return fact_generator(facts, p, text, most);
	case CAIRN_STF_CLOCK_ID:
		return model_fact_list(facts, key, "%u %.*s", stf_CLOCK_ID_clock(p), most, text);
	case CAIRN_STF_ISA_EXTENDED:
		return model_fact_text(facts, key, "%.*s", most, text);
	default:
		return model_fact_list(facts, key, "%.*s", most, text);
	}
}

/* One list at a time, so that the facts of a kind stand together. */
static int list_records(struct model_facts *facts, const struct stf_impl *im, unsigned type,
                        const char *key)
{
	struct stf_records at = stf_header_records(im);
	bool any = false;
	int rc = 0;
	while (rc >= 0 && stf_next(&at)) {
		if (*at.p != type)
			continue;
		any = true;
		rc = fact_record(facts, key, at.p, at.len);
	}
	if (!any && rc >= 0)
		rc = type == CAIRN_STF_ISA_EXTENDED ? model_fact_unknown(facts, key)
		                                    : model_fact_empty_list(facts, key);
	return rc;
}

bool stf_comment(const struct cairn_reader *reader, size_t index, const char **text, size_t *n)
{
	struct stf_records at = stf_header_records(reader->impl);
	while (stf_next(&at)) {
		if (*at.p != CAIRN_STF_COMMENT)
			continue;
		*text = stf_text(at.p, at.len, n);
		/* Say which numbers the file uses, not what ran. */
		bool own = stf_reading_comment(*text, *n) ||
		           (*n >= sizeof stf_assigned - 1 &&
		            !memcmp(*text, stf_assigned, sizeof stf_assigned - 1));
		if (!own && index-- == 0)
			return true;
	}
	return false;
}

static int fact_features(struct model_facts *facts, uint64_t features)
{
	int rc = 0;
	if (!features)
		return model_fact_empty_list(facts, "features");
	for (unsigned i = 0; i < 64 && rc >= 0; i++) {
		if (!(features >> i & 1))
			continue;
		const char *name = stf_name(stf_features, i);
		rc = name ? model_fact_list(facts, "features", "%s", name)
		          : model_fact_list(facts, "features", "bit %u", i);
	}
	return rc;
}

static int fact_name(struct model_facts *facts, const char *key, const struct stf_name *names,
                     unsigned value)
{
	const char *name = stf_name(names, value);
	return name ? model_fact_text(facts, key, "%s", name)
	            : model_fact_text(facts, key, "%u", value);
}

static int facts_of_cpu(struct model_facts *facts, const struct stf_impl *im)
{
	const struct cairn_stf_config *cfg = &im->header.cfg;
	bool told = !im->header.lost;
	int rc = cfg->isa && told ? fact_name(facts, "isa", stf_isas, cfg->isa)
	                          : model_fact_unknown(facts, "isa");
	if (rc >= 0)
		rc = cfg->iem && told ? fact_name(facts, "mode", stf_iems, cfg->iem)
		                      : model_fact_unknown(facts, "mode");
	if (rc >= 0)
		rc = list_records(facts, im, CAIRN_STF_ISA_EXTENDED, "isa_extended");
	if (rc >= 0)
		rc = cfg->vlen ? model_fact_number(facts, "vlen", cfg->vlen)
		               : model_fact_unknown(facts, "vlen");
	if (rc >= 0)
		rc = im->header.has_pc
		         ? model_fact_text(facts, "first_pc", "0x%llx", (unsigned long long)im->header.pc)
		         : model_fact_unknown(facts, "first_pc");
	if (rc >= 0)
		rc = model_fact_number(facts, "event_id_bits", cfg->event_bits);
	if (rc >= 0)
		rc = model_fact_text(facts, "process_ids", "%s",
		                     cfg->new_ids ? "hardware thread, PID, TID" : "TGID, TID, ASID");
	return rc;
}

static int header_facts_of_file(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct stf_impl *im = reader->impl;
	const struct cairn_stf_config *cfg = &im->header.cfg;
	int rc = model_fact_text(facts, "format", "STF");
	if (rc >= 0)
		rc = im->header.lost ? model_fact_unknown(facts, "version")
		                     : model_fact_text(facts, "version", "%u.%u", cfg->version_major,
		                                       cfg->version_minor);
	if (rc >= 0)
		rc = model_fact_text(facts, "kind", "%s", cfg->protocol ? "transactions" : "instructions");
	if (rc >= 0)
		rc = im->zstf ? model_fact_text(facts, "container", "zstf")
		              : model_fact_text(facts, "container", "none");
	if (rc >= 0)
		rc = model_fact_text(facts, "codec", "%s", io_codec(reader->io));
	if (rc >= 0 && im->zstf) {
		rc = im->chunks ? model_fact_number(facts, "chunks", im->n_chunks)
		                : model_fact_unknown(facts, "chunks");
		if (rc >= 0)
			rc = model_fact_number(facts, "chunk_size", im->per_chunk);
		if (rc >= 0)
			rc = model_fact_text(facts, "chunk_index", "%s",
			                     im->indexed  ? "whole"
			                     : im->chunks ? "damaged: the chunks were found by walking them"
			                                  : "out of reach in a pipe");
	}
	return rc;
}

/* How many instructions (or transactions), when that can be told by reading little. */
static int header_fact_total(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct stf_impl *im = reader->impl;
	const char *key = im->header.cfg.protocol ? "transactions" : "instructions";
	uint64_t total;
	int rc = 0;
	if (im->header.cfg.protocol)
		rc = model_fact_number(facts, "instructions", 0);
	if (rc < 0)
		return rc;
	return stf_total(reader, &total) ? model_fact_number(facts, key, total)
	                                 : model_fact_unknown(facts, key);
}

void stf_header_breaks_off(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	struct model_span none = {0};
	if (!im->header_told)
		model_damaged(reader, &none, "byte 0x%zx, record %llu: the header breaks off",
		              im->header.size, (unsigned long long)im->header.records + 1);
	model_damage_move(reader->cairn, &reader->damage, &none.damage);
	im->header_told = true;
}

/* Report what is wrong with the file, as far as facts show it. Reading on reports the rest, and
 * nothing of this again. */
static void report_trouble(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	struct model_span span = {0};
	if (reader->started)
		return;
	/* A reader of the trace finds out behind the last chunk. */
	if (reader->survey && im->chunks && !im->index_told) {
		stf_container_doubt(reader, &span, im->indexed, im->source.map_len);
		im->index_told = true;
	}
	model_damage_move(reader->cairn, &reader->damage, &span.damage);
	if (im->header.broken)
		stf_header_breaks_off(reader);
	reader->opened = reader->damage.kept;
}

int stf_info(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct stf_impl *im = reader->impl;
	const struct cairn_stf_config *cfg = &im->header.cfg;
	int rc = reader->survey ? stf_container_save(reader) : 0;
	if (rc >= 0)
		rc = header_facts_of_file(reader, facts);
	report_trouble(reader);
	if (rc >= 0)
		rc = cfg->protocol ? model_fact_unknown(facts, "isa") : facts_of_cpu(facts, im);
	if (rc >= 0 && !cfg->protocol)
		rc = stf_reading_facts(reader, facts);
	if (rc >= 0 && cfg->protocol) {
		rc = fact_name(facts, "protocol", stf_protocols, cfg->protocol);
		if (rc >= 0)
			rc = list_records(facts, im, CAIRN_STF_CLOCK_ID, "clocks");
	}
	if (rc >= 0)
		rc = header_fact_total(reader, facts);
	if (rc >= 0)
		rc = model_fact_size(facts,
		                     im->rest ? io_stored_tell(reader->io) : io_stored_size(reader->io));
	if (rc >= 0)
		rc = list_records(facts, im, CAIRN_STF_TRACE_INFO, "generators");
	if (rc >= 0)
		rc = fact_features(facts, cfg->features);
	if (rc >= 0)
		rc = list_records(facts, im, CAIRN_STF_COMMENT, "comments");
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces one after another as one. Their headers must come to one header (STF
 * specification, TRACE_INFO_FEATURE: "consistency checking … (e.g. trace stitching)"):
 * what differs is converted where that keeps its meaning (width of event ids, meaning of
 * process ids, mode of encoding, version, numbers of clocks), and refused with the
 * reason where it does not (instruction set, vector length, protocol).
 */
#include <stdio.h>
#include <string.h>

#include "formats/stf/change/change.h"
#include "formats/stf/write/write.h"

/* ---- one header from many ---- */

static int disagree(struct stf_remake *remake, const char *a, const char *b, const char *what)
{
	return base_fail(remake->cairn, CAIRN_E_INVAL, "%s and %s cannot become one trace: %s", a, b,
	                 what);
}

static bool same_text(const struct cairn_stf_text *left, const struct cairn_stf_text *right)
{
	return left->n == right->n && memcmp(left->text, right->text, left->n) == 0;
}

/* The output has one ISA_EXTENDED. With that of another part, encodings of a part that has none may mean
 * something else. */
static const char no_extensions[] = "that a part has no ISA_EXTENDED: it gets that of another";

static int join_isa(struct stf_remake *remake, const struct cairn_stf_header *header, const char *a,
                    const char *b)
{
	struct cairn_stf_text *x = &remake->header->isa_extended;
	const struct cairn_stf_text *y = &header->isa_extended;
	char text[512];
	if (!y->text || (x->text && same_text(x, y)))
		return x->text && !y->text ? stf_remake_lost(remake, no_extensions, 1, 0) : 0;
	if (x->text) {
		snprintf(text, sizeof text,
		         "their instruction sets differ (%.*s, %.*s); give both one "
		         "with cairn edit --isa-string",
		         (int)(x->n > 150 ? 150 : x->n), x->text, (int)(y->n > 150 ? 150 : y->n), y->text);
		return disagree(remake, a, b, text);
	}
	char *copy = base_alloc(remake->cairn, y->n + 1);
	if (!copy)
		return CAIRN_E_NOMEM;
	memcpy(copy, y->text, y->n);
	int rc = cairn_stf_header_isa_extended(remake->header, copy);
	base_free(remake->cairn, copy);
	return rc < 0 ? rc : stf_remake_lost(remake, no_extensions, 1, 0);
}

static int join_config(struct stf_remake *remake, const struct cairn_stf_config *y,
                       const struct stf_reading *reading, bool has_isa_text, const char *a,
                       const char *b)
{
	struct cairn_stf_config *x = &remake->header->cfg;
	char text[160];
	if (!x->protocol != !y->protocol)
		return disagree(remake, a, b, "one holds instructions, the other transactions");
	if (x->protocol != y->protocol)
		return disagree(remake, a, b, "their protocols differ");
	if (!x->protocol && x->isa != y->isa)
		return disagree(remake, a, b, "their instruction sets (ISA) differ");
	if (x->vlen && y->vlen && x->vlen != y->vlen) {
		snprintf(text, sizeof text, "their vector registers have %u and %u bits", x->vlen, y->vlen);
		return disagree(remake, a, b, text);
	}
	/* Until 1.3 a vector register is one word; later its length must be said. */
	if ((x->version_minor <= 3) != (y->version_minor <= 3) && (x->vlen > 64 || y->vlen > 64))
		return disagree(remake, a, b, "one is of a version whose vector registers have 64 bits");
	if ((x->version_minor <= 3) != (y->version_minor <= 3) && !x->vlen && !y->vlen)
		x->vlen = x->features & CAIRN_STF_F_VEC || y->features & CAIRN_STF_F_VEC ? 64 : 0;
	if (x->iem != y->iem && x->isa == 1 && (remake->header->isa_extended.text || has_isa_text))
		return disagree(remake, a, b,
		                "one is RV32, the other RV64, and ISA_EXTENDED names one of them; "
		                "take it out with cairn edit --isa-string ''");
	if (x->iem != y->iem && !x->protocol) {
		int rc = stf_remake_note(remake,
		                         "change of encoding mode between parts: an INST_IEM in the "
		                         "body, which the public tools refuse",
		                         1, 0);
		if (rc < 0)
			return rc;
	}
	/* Where the parts' records are to be understood differently, the output has them as specified.
	 *  */
	remake->reading.bits &= reading->bits;
	remake->reading.after &= reading->after;
	x->vlen = x->vlen ? x->vlen : y->vlen;
	if (y->version_minor > x->version_minor)
		x->version_minor = y->version_minor;
	x->new_ids = x->version_minor >= 5;
	if (y->event_bits > x->event_bits)
		x->event_bits = y->event_bits;
	return 0;
}

/* Report in one sentence what was declared, but not by all parts. The records decide what the
 * output declares; what only the maker knows holds if one part says so. PTE is a promise about
 * every access: it holds when all parts give it. */
static void note_features(struct stf_remake *remake, uint64_t y, uint64_t *differ)
{
	uint64_t *x = &remake->header->cfg.features;
	*differ |= (*x ^ y) & ~(uint64_t)CAIRN_STF_F_EVENT64;
	remake->withheld |= (*x ^ y) & CAIRN_STF_F_PTE;
	*x |= y;
}

static int report_features(struct stf_remake *remake, uint64_t differ)
{
	char text[512] = "features declared by some parts only:";
	size_t at = strlen(text);
	for (unsigned i = 0; i < 64 && at < sizeof text; i++) {
		const char *name = stf_name(stf_features, i);
		if (!(differ >> i & 1))
			continue;
		if (name)
			at += (size_t)snprintf(text + at, sizeof text - at, " %s", name);
		else
			at += (size_t)snprintf(text + at, sizeof text - at, " bit %u", i);
	}
	if (remake->withheld & differ && at < sizeof text)
		snprintf(text + at, sizeof text - at, "; not for the whole, and so not declared: PTE");
	return differ ? stf_remake_note(remake, text, 1, 0) : 0;
}

/* ---- clocks ---- */

static uint8_t free_clock(const struct cairn_stf_header *header)
{
	for (unsigned id = 1; id < 256; id++) {
		bool taken = false;
		for (size_t i = 0; i < header->n_clocks; i++)
			taken |= header->clocks[i].id == id;
		if (!taken)
			return (uint8_t)id;
	}
	return 0;
}

/* A clock of a part: the output's of that name, or a new one, if possible with its id. */
static int join_clock(struct stf_remake *remake, const struct cairn_stf_clock *clock, uint8_t *id)
{
	struct cairn_stf_header *header = remake->header;
	bool taken = false;
	for (size_t i = 0; i < header->n_clocks; i++) {
		if (same_text(&header->clocks[i].name, &clock->name)) {
			*id = header->clocks[i].id;
			return 0;
		}
		taken |= header->clocks[i].id == clock->id;
	}
	*id = taken ? free_clock(header) : clock->id;
	if (*id == 0)
		return base_fail(remake->cairn, CAIRN_E_LIMIT,
		                 "the traces have more than 255 clocks together");
	char *name = base_alloc(remake->cairn, clock->name.n + 1);
	if (!name)
		return CAIRN_E_NOMEM;
	memcpy(name, clock->name.text, clock->name.n);
	int rc = cairn_stf_header_clock(header, *id, name);
	base_free(remake->cairn, name);
	return rc;
}

/* ---- history ---- */

static bool has_comment(const struct cairn_stf_header *header, const struct cairn_stf_text *text)
{
	for (size_t i = 0; i < header->n_comments; i++)
		if (same_text(&header->comments[i], text))
			return true;
	return false;
}

static bool has_generator(const struct cairn_stf_header *header,
                          const struct cairn_stf_generator *generator)
{
	for (size_t i = 0; i < header->n_generators; i++)
		if (header->generators[i].id == generator->id &&
		    !memcmp(header->generators[i].version, generator->version, 3) &&
		    same_text(&header->generators[i].comment, &generator->comment))
			return true;
	return false;
}

/* Comments and makers of all parts, in order; what several parts say is written once. */
static int join_history(struct stf_remake *remake, const struct cairn_stf_header *header)
{
	int rc = 0;
	for (size_t i = 0; i < header->n_comments && rc >= 0; i++)
		if (!has_comment(remake->header, &header->comments[i]))
			rc =
				stf_header_comment(remake->header, header->comments[i].text, header->comments[i].n);
	for (size_t i = 0; i < header->n_generators && rc >= 0; i++) {
		if (!has_generator(remake->header, &header->generators[i]))
			rc = stf_header_generator(remake->header, &header->generators[i]);
	}
	return rc;
}

static int merge_join(struct stf_remake *remake, const struct cairn_merge_part *first,
                      const struct cairn_merge_part *part, uint64_t *differ)
{
	const struct stf_impl *im = part->reader->impl;
	struct cairn_stf_header *header = NULL;
	int rc = cairn_stf_header_of(part->reader, &header);
	if (rc >= 0)
		rc = join_config(remake, &im->header.cfg, &im->reading, header->isa_extended.text != NULL,
		                 first->name, part->name);
	if (rc >= 0)
		rc = join_isa(remake, header, first->name, part->name);
	if (rc >= 0) {
		note_features(remake, im->header.cfg.features, differ);
		rc = join_history(remake, header);
	}
	cairn_stf_header_free(header);
	return rc;
}

/* ---- parts ---- */

static int map_clocks(struct stf_remake *remake, struct stf_segment *segment)
{
	struct cairn_stf_header *header = NULL;
	int rc = cairn_stf_header_of(segment->reader, &header);
	for (size_t i = 0; rc >= 0 && i < header->n_clocks; i++)
		rc = join_clock(remake, &header->clocks[i], &segment->clocks[header->clocks[i].id]);
	cairn_stf_header_free(header);
	return rc;
}

static int stf_merge_put_part(struct stf_remake *remake, const struct cairn_merge_part *part,
                              bool last)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	struct stf_segment *segment = NULL;
	int rc = part->reader->started ? cairn_seek(part->reader, 1) : 0;
	size_t n = part->n_ranges ? part->n_ranges : 1;
	if (rc >= 0)
		rc = stf_segment_open(remake, part->reader, part->name, &segment);
	if (rc >= 0)
		rc = map_clocks(remake, segment);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct cairn_range *range = part->n_ranges ? &part->ranges[i] : &all;
		segment->track = n > 1;
		segment->last = last && i + 1 == n;
		if (i) { /* ids of a range that comes again are new ones */
			segment->id_chosen = false;
			segment->id_offset = 0;
			segment->ids0 = remake->xacts.len / sizeof(struct stf_id_range);
		}
		rc = stf_segment_range(segment, range->first, range->last);
		if (rc == 0)
			rc = stf_segment_end(segment);
	}
	stf_segment_close(segment);
	return rc;
}

/* All clocks have to be in the header before the first record. */
static int merge_join_all(struct stf_remake *remake, const struct cairn_merge_part *parts, size_t n)
{
	uint64_t differ = 0;
	int rc = 0;
	for (size_t i = 1; i < n && rc >= 0; i++) {
		if (parts[i].reader == parts[0].reader)
			continue;
		struct stf_segment *segment = NULL;
		rc = merge_join(remake, &parts[0], &parts[i], &differ);
		if (rc >= 0)
			rc = stf_segment_open(remake, parts[i].reader, parts[i].name, &segment);
		if (rc >= 0)
			rc = map_clocks(remake, segment);
		stf_segment_close(segment);
	}
	return rc < 0 ? rc : report_features(remake, differ);
}

int stf_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
              struct cairn_changed *done)
{
	struct stf_remake *remake = NULL;
	int rc = stf_remake_new(parts[0].reader, out, done, &remake);
	if (rc >= 0)
		rc = merge_join_all(remake, parts, n);
	if (rc >= 0)
		rc = stf_edit_version(remake, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(remake, "cairn merge");
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = stf_merge_put_part(remake, &parts[i], i + 1 == n);
	if (rc >= 0 && remake->n == 0)
		rc = model_fail_empty_parts(parts, n);
	return stf_remake_finish(remake, rc);
}

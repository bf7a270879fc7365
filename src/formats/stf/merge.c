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

#include "formats/stf/change.h"
#include "formats/stf/write.h"

/* ---- one header from many ---- */

static int disagree(struct stf_remake *m, const char *a, const char *b, const char *what)
{
	return base_fail(m->c, CAIRN_E_INVAL, "%s and %s cannot become one trace: %s", a, b, what);
}

static bool same_text(const struct cairn_stf_text *a, const struct cairn_stf_text *b)
{
	return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

/* The instruction set as a string: what only one part has holds for it alone. */
static int join_isa(struct stf_remake *m, const struct cairn_stf_header *h, const char *a,
                    const char *b)
{
	struct cairn_stf_text *x = &m->h->isa_extended;
	const struct cairn_stf_text *y = &h->isa_extended;
	char text[512];
	if (!y->text || (x->text && same_text(x, y)))
		return x->text && !y->text
		           ? stf_remake_note(m, "part without ISA_EXTENDED gets that of another", 1, 0)
		           : 0;
	if (x->text) {
		snprintf(text, sizeof text,
		         "their instruction sets differ (%.*s, %.*s); give both one "
		         "with cairn edit --isa-string",
		         (int)(x->n > 150 ? 150 : x->n), x->text, (int)(y->n > 150 ? 150 : y->n), y->text);
		return disagree(m, a, b, text);
	}
	char *copy = base_alloc(m->c, y->n + 1);
	if (!copy)
		return CAIRN_E_NOMEM;
	memcpy(copy, y->text, y->n);
	int rc = cairn_stf_header_isa_extended(m->h, copy);
	base_free(m->c, copy);
	return rc < 0 ? rc : stf_remake_note(m, "part without ISA_EXTENDED gets that of another", 1, 0);
}

static int join_config(struct stf_remake *m, const struct cairn_stf_config *y,
                       const struct stf_reading *reading, bool has_isa_text, const char *a,
                       const char *b)
{
	struct cairn_stf_config *x = &m->h->cfg;
	char text[160];
	if (!x->protocol != !y->protocol)
		return disagree(m, a, b, "one holds instructions, the other transactions");
	if (x->protocol != y->protocol)
		return disagree(m, a, b, "their protocols differ");
	if (!x->protocol && x->isa != y->isa)
		return disagree(m, a, b, "their instruction sets (ISA) differ");
	if (x->vlen && y->vlen && x->vlen != y->vlen) {
		snprintf(text, sizeof text, "their vector registers have %u and %u bits", x->vlen, y->vlen);
		return disagree(m, a, b, text);
	}
	/* Until 1.3 a vector register is one word; later its length must be said. */
	if ((x->version_minor <= 3) != (y->version_minor <= 3) && (x->vlen > 64 || y->vlen > 64))
		return disagree(m, a, b, "one is of a version whose vector registers have 64 bits");
	if ((x->version_minor <= 3) != (y->version_minor <= 3) && !x->vlen && !y->vlen)
		x->vlen = x->features & CAIRN_STF_F_VEC || y->features & CAIRN_STF_F_VEC ? 64 : 0;
	if (x->iem != y->iem && x->isa == 1 && (m->h->isa_extended.text || has_isa_text))
		return disagree(m, a, b,
		                "one is RV32, the other RV64, and ISA_EXTENDED names one of them; "
		                "take it out with cairn edit --isa-string ''");
	if (x->iem != y->iem && !x->protocol) {
		int rc = stf_remake_note(m,
		                         "change of encoding mode between parts: an INST_IEM in the "
		                         "body, which the public tools refuse",
		                         1, 0);
		if (rc < 0)
			return rc;
	}
	/* Where they differ in how they are to be understood, as specified. */
	m->reading.bits &= reading->bits;
	m->reading.after &= reading->after;
	x->vlen = x->vlen ? x->vlen : y->vlen;
	if (y->version_minor > x->version_minor)
		x->version_minor = y->version_minor;
	x->new_ids = x->version_minor >= 5;
	if (y->event_bits > x->event_bits)
		x->event_bits = y->event_bits;
	return 0;
}

/* What was declared and not by all is told in one sentence. The records decide what the
 * output declares, but what only the maker knows holds where one part says so. PTE is a
 * promise about every access: it holds when all parts give it. */
static void note_features(struct stf_remake *m, uint64_t y, uint64_t *differ)
{
	uint64_t *x = &m->h->cfg.features;
	*differ |= (*x ^ y) & ~(uint64_t)CAIRN_STF_F_EVENT64;
	m->withheld |= (*x ^ y) & CAIRN_STF_F_PTE;
	*x |= y;
}

static int report_features(struct stf_remake *m, uint64_t differ)
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
	if (m->withheld & differ && at < sizeof text)
		snprintf(text + at, sizeof text - at, "; not for the whole, and so not declared: PTE");
	return differ ? stf_remake_note(m, text, 1, 0) : 0;
}

/* ---- clocks ---- */

static uint8_t free_clock(const struct cairn_stf_header *h)
{
	for (unsigned id = 1; id < 256; id++) {
		bool taken = false;
		for (size_t i = 0; i < h->n_clocks; i++)
			taken |= h->clocks[i].id == id;
		if (!taken)
			return (uint8_t)id;
	}
	return 0;
}

/* A clock of a part: the output's of that name, or a new one, if possible with its id. */
static int join_clock(struct stf_remake *m, const struct cairn_stf_clock *y, uint8_t *id)
{
	struct cairn_stf_header *h = m->h;
	bool taken = false;
	for (size_t i = 0; i < h->n_clocks; i++) {
		if (same_text(&h->clocks[i].name, &y->name)) {
			*id = h->clocks[i].id;
			return 0;
		}
		taken |= h->clocks[i].id == y->id;
	}
	*id = taken ? free_clock(h) : y->id;
	if (*id == 0)
		return base_fail(m->c, CAIRN_E_LIMIT, "the traces have more than 255 clocks together");
	char *name = base_alloc(m->c, y->name.n + 1);
	if (!name)
		return CAIRN_E_NOMEM;
	memcpy(name, y->name.text, y->name.n);
	int rc = cairn_stf_header_clock(h, *id, name);
	base_free(m->c, name);
	return rc;
}

/* ---- history ---- */

static bool has_comment(const struct cairn_stf_header *h, const struct cairn_stf_text *c)
{
	for (size_t i = 0; i < h->n_comments; i++)
		if (same_text(&h->comments[i], c))
			return true;
	return false;
}

static bool has_generator(const struct cairn_stf_header *h, const struct cairn_stf_generator *g)
{
	for (size_t i = 0; i < h->n_generators; i++)
		if (h->generators[i].id == g->id && !memcmp(h->generators[i].version, g->version, 3) &&
		    same_text(&h->generators[i].comment, &g->comment))
			return true;
	return false;
}

/* Comments and makers of all parts, in order; what all parts say is said once. */
static int join_history(struct stf_remake *m, const struct cairn_stf_header *h)
{
	int rc = 0;
	for (size_t i = 0; i < h->n_comments && rc >= 0; i++)
		if (!has_comment(m->h, &h->comments[i]))
			rc = stf_header_comment(m->h, h->comments[i].text, h->comments[i].n);
	for (size_t i = 0; i < h->n_generators && rc >= 0; i++) {
		if (!has_generator(m->h, &h->generators[i]))
			rc = stf_header_generator(m->h, &h->generators[i]);
	}
	return rc;
}

static int merge_join(struct stf_remake *m, const struct cairn_merge_part *first,
                      const struct cairn_merge_part *part, uint64_t *differ)
{
	const struct stf_impl *im = part->r->impl;
	struct cairn_stf_header *h = NULL;
	int rc = cairn_stf_header_of(part->r, &h);
	if (rc >= 0)
		rc = join_config(m, &im->header.cfg, &im->reading, h->isa_extended.text != NULL,
		                 first->name, part->name);
	if (rc >= 0)
		rc = join_isa(m, h, first->name, part->name);
	if (rc >= 0) {
		note_features(m, im->header.cfg.features, differ);
		rc = join_history(m, h);
	}
	cairn_stf_header_free(h);
	return rc;
}

/* ---- parts ---- */

static int map_clocks(struct stf_remake *m, struct stf_segment *pc)
{
	struct cairn_stf_header *h = NULL;
	int rc = cairn_stf_header_of(pc->r, &h);
	for (size_t i = 0; rc >= 0 && i < h->n_clocks; i++)
		rc = join_clock(m, &h->clocks[i], &pc->clocks[h->clocks[i].id]);
	cairn_stf_header_free(h);
	return rc;
}

static int stf_merge_put_part(struct stf_remake *m, const struct cairn_merge_part *part, bool last)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	struct stf_segment *pc = NULL;
	int rc = part->r->started ? cairn_seek(part->r, 1) : 0;
	size_t n = part->n_ranges ? part->n_ranges : 1;
	if (rc >= 0)
		rc = stf_segment_open(m, part->r, part->name, &pc);
	if (rc >= 0)
		rc = map_clocks(m, pc);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct cairn_range *r = part->n_ranges ? &part->ranges[i] : &all;
		pc->track = n > 1;
		pc->last = last && i + 1 == n;
		if (i) { /* ids of a range that comes again are new ones */
			pc->id_chosen = false;
			pc->id_offset = 0;
			pc->ids0 = m->xacts.len / sizeof(struct stf_id_range);
		}
		rc = stf_segment_range(pc, r->first, r->last);
		if (rc == 0)
			rc = stf_segment_end(pc);
	}
	stf_segment_close(pc);
	return rc;
}

/* All clocks have to be in the header before the first record. */
static int merge_join_all(struct stf_remake *m, const struct cairn_merge_part *parts, size_t n)
{
	uint64_t differ = 0;
	int rc = 0;
	for (size_t i = 1; i < n && rc >= 0; i++) {
		if (parts[i].r == parts[0].r)
			continue;
		struct stf_segment *pc = NULL;
		rc = merge_join(m, &parts[0], &parts[i], &differ);
		if (rc >= 0)
			rc = stf_segment_open(m, parts[i].r, parts[i].name, &pc);
		if (rc >= 0)
			rc = map_clocks(m, pc);
		stf_segment_close(pc);
	}
	return rc < 0 ? rc : report_features(m, differ);
}

int stf_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
              struct cairn_changed *done)
{
	struct stf_remake *m = NULL;
	int rc = stf_remake_new(parts[0].r, out, done, &m);
	if (rc >= 0)
		rc = merge_join_all(m, parts, n);
	if (rc >= 0)
		rc = stf_edit_version(m, NULL, 0);
	if (rc >= 0)
		rc = stf_remake_history(m, "cairn merge");
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = stf_merge_put_part(m, &parts[i], i + 1 == n);
	return stf_remake_finish(m, rc);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of ETE traces, and several one after another, as ETE.
 *
 * A packet means what it does only behind those before it, so no part of a stream can be
 * copied: what ran is encoded anew (write.c). A part begins with a synchronisation of its
 * own, and a Trace On stands between two that did not follow one another. So a program is
 * needed, and the encoder's ledger tells what of the packets is not kept.
 */
#include "formats/ete/format.h"
#include "formats/ete/write.h"

static int need_program(const struct cairn_reader *r, const char *verb)
{
	if (r->can & CAIRN_PC)
		return 0;
	return base_fail(r->c, CAIRN_E_UNSUPPORTED,
	                 "%s: to %s an ETE trace is to encode what ran "
	                 "anew, and without its program (--image) that is not known",
	                 io_name(r->io), verb);
}

static int slice_open_writer(struct cairn_reader *r, const struct cairn_output *out,
                             struct cairn_writer **w)
{
	struct cairn_create_opts o = {.size = sizeof o,
	                              .codec = out->codec,
	                              .level = out->level,
	                              .threads = out->threads,
	                              .lossless = out->lossless,
	                              .lossy = out->lossy};
	const char *options = "";
	if (r->writer_for)
		(void)r->writer_for(r->c, out->path, out->to, &options);
	int rc = model_writer_new(r->c, &ete_writer_format, out->path, options, &o, w);
	if (rc < 0)
		return rc;
	((struct ete_out *)(*w)->impl)->pieces = true;
	return cairn_writer_from(*w, r);
}

static int close_writer(struct cairn *c, struct cairn_writer *w, struct cairn_changed *done, int rc)
{
	struct cairn_ledger *lost = NULL;
	if (rc < 0) {
		cairn_discard(w);
		return rc;
	}
	rc = cairn_finish(w, &lost);
	for (size_t i = 0; lost && i < lost->n && rc >= 0; i++) /* a split has several ledgers */
		rc = model_ledger_add(c, done->lost, lost->losses[i].what, lost->losses[i].count,
		                      lost->losses[i].first);
	cairn_ledger_free(c, lost);
	return rc;
}

/* The batch's part of a range. */
static int ete_slice_put_part(struct cairn_writer *w, const struct cairn_batch *b,
                              const struct cairn_range *range, struct cairn_changed *done)
{
	uint64_t end = b->n0 + b->n_insns; /* number behind it */
	uint32_t from = range->first > b->n0 ? (uint32_t)(range->first - b->n0) : 0;
	uint32_t to = range->last < end ? (uint32_t)(range->last - b->n0) + 1 : b->n_insns + 1;
	if (range->first > end || range->last < b->n0)
		return 0;
	done->instructions += (to < b->n_insns ? to : b->n_insns) - from;
	w->begun = true;
	return ete_write_slots(w, b, from, to);
}

static int ete_slice_put_range(struct cairn_reader *r, struct cairn_writer *w,
                               struct cairn_batch *b, const struct cairn_range *range,
                               struct cairn_changed *done)
{
	int rc = cairn_seek(r, range->first);
	if (rc == CAIRN_E_NOTFOUND)
		return 0; /* behind the end */
	if (rc >= 0)
		rc = ete_write_break(w);
	while (rc >= 0 && (rc = cairn_next(r, b)) > 0 && b->n0 <= range->last)
		rc = ete_slice_put_part(w, b, range, done);
	return rc < 0 ? rc : 1;
}

static int ete_slice(struct cairn_reader *r, const struct cairn_slice_opts *opts,
                     const struct cairn_output *out, struct cairn_changed *done)
{
	struct model_ranges ranges = {.o = opts};
	struct cairn_range range;
	struct cairn_writer *w = NULL;
	int rc = need_program(r, "slice");
	done->instructions = 0;
	struct cairn_batch *b = rc < 0 ? NULL : cairn_batch_new(r->c);
	if (rc >= 0)
		rc = b ? slice_open_writer(r, out, &w) : CAIRN_E_NOMEM;
	for (int more = 1; rc >= 0 && more > 0 && model_range_next(&ranges, &range);)
		rc = more = ete_slice_put_range(r, w, b, &range, done);
	cairn_batch_free(r->c, b);
	return w ? close_writer(r->c, w, done, rc) : rc;
}

static int ete_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
                     struct cairn_changed *done)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	struct cairn *c = parts[0].r->c;
	struct cairn_writer *w = NULL;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = need_program(parts[i].r, "merge");
	struct cairn_batch *b = rc < 0 ? NULL : cairn_batch_new(c);
	if (rc >= 0)
		rc = b ? slice_open_writer(parts[0].r, out, &w) : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct cairn_merge_part *p = &parts[i];
		for (size_t k = 0; k < (p->n_ranges ? p->n_ranges : 1) && rc >= 0; k++)
			rc = ete_slice_put_range(p->r, w, b, p->n_ranges ? &p->ranges[k] : &all, done);
	}
	cairn_batch_free(c, b);
	return w ? close_writer(c, w, done, rc) : rc;
}

/* ---- parts of so many instructions ---- */

struct parts {
	struct cairn_reader *r;
	const struct model_split *s;
	const struct cairn_output *out;
	struct cairn_changed *done;
	struct cairn_writer *w; /* of the part begun */
	uint64_t part, n;       /* its number, and instructions in it */
};

static int slice_open_part(struct parts *p)
{
	struct cairn_output to = *p->out;
	p->n = 0;
	int rc = p->s->name(p->s->user, ++p->part, &to.path);
	return rc < 0 ? rc : slice_open_writer(p->r, &to, &p->w);
}

static int close_part(struct parts *p, int rc)
{
	struct cairn_writer *w = p->w;
	p->w = NULL;
	rc = close_writer(p->r->c, w, p->done, rc);
	return rc < 0 ? rc : p->s->made(p->s->user, p->n);
}

static int put_batch(struct parts *p, const struct cairn_batch *b)
{
	uint32_t at = 0;
	int rc = 0;
	while (at < b->n_insns && rc >= 0) {
		uint64_t room = p->s->every - (p->w ? p->n : 0);
		uint32_t left = b->n_insns - at, n = left < room ? left : (uint32_t)room;
		rc = p->w ? 0 : slice_open_part(p);
		if (rc < 0)
			break;
		p->w->begun = true;
		rc = ete_write_slots(p->w, b, at, at + n);
		at += n;
		p->n += n;
		p->done->instructions += n;
		if (rc >= 0 && p->n == p->s->every)
			rc = close_part(p, rc);
	}
	/* what belongs to no instruction goes with those before it */
	return rc >= 0 && p->w ? ete_write_slots(p->w, b, b->n_insns, b->n_insns + 1) : rc;
}

static int ete_split(struct cairn_reader *r, const struct model_split *s,
                     const struct cairn_output *out, struct cairn_changed *done)
{
	struct parts p = {.r = r, .s = s, .out = out, .done = done};
	int rc = need_program(r, "split");
	struct cairn_batch *b = rc < 0 ? NULL : cairn_batch_new(r->c);
	rc = rc < 0 || b ? rc : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(r, b)) > 0)
		rc = put_batch(&p, b);
	cairn_batch_free(r->c, b);
	if (p.w)
		rc = close_part(&p, rc);
	if (rc >= 0 && !p.part)
		rc = base_fail(r->c, CAIRN_E_NOTFOUND, "%s: the trace is empty", io_name(r->io));
	return rc;
}

const struct model_change ete_change = {.slice = ete_slice, .merge = ete_merge, .split = ete_split};

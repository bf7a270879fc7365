/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces, or parts of them, through batches into a writer: where records cannot be copied,
 * because the output is of another format, or because the trace's own format has no way
 * to cut its records. A slice then tells who runs and where each range begins, for rows say
 * that; what registers held before is known to an index and to `cairn view --state`, not to
 * a batch, and the notes say so.
 */
#include "model/through.h"

#include <string.h>

struct through {
	struct cairn_writer *w;
	struct cairn_batch *b;
	bool have; /* `b` may hold more of what is wanted */
	struct cairn_changed *done;
	struct cairn_insn *insns; /* of a part of a batch */
};

/* Rows [from, to) of the batch, and what stands behind the last if that ends it, as a batch
 * that shares its arrays. No slot is given twice: its accesses name their registers' rows anew. */
static struct cairn_batch part_of(struct through *t, uint32_t from, uint32_t to, uint64_t n0)
{
	const struct cairn_batch *b = t->b;
	struct cairn_batch q = *b;
	const struct cairn_insn *a = &b->insns[from], *z = &b->insns[to == b->n_insns ? to + 1 : to];
	q.n0 = n0;
	q.n_insns = to - from;
	q.insns = t->insns;
	q.regs += a->reg0;
	q.mems += a->mem0;
	q.events += a->ev0;
	q.asms = q.asms ? q.asms + from : NULL;
	q.n_regs = (uint32_t)(z->reg0 - a->reg0);
	q.n_mems = (uint32_t)(z->mem0 - a->mem0);
	q.n_events = (uint32_t)(z->ev0 - a->ev0);
	for (uint32_t i = 0; i < q.n_mems; i++)
		if (q.mems[i].reg)
			q.mems[i].reg = (uint16_t)(q.mems[i].reg - a->reg0);
	memcpy(q.insns, a, (q.n_insns + 2) * sizeof *a);
	for (uint32_t i = 0; i < q.n_insns + 2; i++) {
		bool behind = i == q.n_insns && to < b->n_insns;
		struct cairn_insn *row = &q.insns[i];
		if (i > q.n_insns || behind) {
			row->reg0 = z->reg0;
			row->mem0 = z->mem0;
			row->ev0 = z->ev0;
		}
		row->reg0 = (uint16_t)(row->reg0 - a->reg0);
		row->mem0 = (uint16_t)(row->mem0 - a->mem0);
		row->ev0 = (uint16_t)(row->ev0 - a->ev0);
	}
	return q;
}

/* 1; 0 when the trace ends before the range does; < 0. */
static int through_put_range(struct through *t, struct cairn_reader *r, const struct cairn_range *g)
{
	struct cairn_batch *b = t->b;
	for (;;) {
		int rc = t->have ? 1 : cairn_next(r, b);
		t->have = rc > 0;
		if (rc <= 0)
			return rc;
		uint64_t end = b->n0 + b->n_insns;
		if (b->n0 > g->last)
			return 1;
		if (end > g->first || (b->n_insns == 0 && b->n0 >= g->first)) {
			uint32_t from = g->first > b->n0 ? (uint32_t)(g->first - b->n0) : 0;
			uint32_t to = g->last < end ? (uint32_t)(g->last - b->n0 + 1) : b->n_insns;
			if (to > b->n_insns)
				to = b->n_insns;
			struct cairn_batch q = part_of(t, from, to, t->done->instructions + 1);
			rc = cairn_put(t->w, &q);
			t->done->instructions += q.n_insns;
		}
		t->have = rc >= 0 && g->last < end - 1;
		if (rc < 0 || g->last < end)
			return rc < 0 ? rc : 1;
	}
}

/* Go to a range, unless reading on gets there: 1, 0 past the end. */
static int through_go(struct through *t, struct cairn_reader *r, const struct cairn_range *g)
{
	if (r->started && (!t->have || g->first >= t->b->n0) && !cairn_reader_jumps(r))
		return 1;
	if (!r->started && g->first == 1)
		return 1;
	t->have = false;
	int rc = cairn_seek(r, g->first);
	return rc == CAIRN_E_NOTFOUND ? 0 : rc < 0 ? rc : 1;
}

static int put_slice(struct through *t, struct cairn_reader *r, const struct cairn_slice_opts *o)
{
	struct model_ranges ranges = {.o = o};
	struct cairn_range g;
	int rc = 1;
	while (rc > 0 && model_range_next(&ranges, &g)) {
		rc = through_go(t, r, &g);
		if (rc > 0)
			rc = through_put_range(t, r, &g);
		if (rc >= 0 && g.first > 1 && t->done->instructions)
			rc = model_ledger_add(r->c, t->done->notes,
			                      "registers as they stood where a range "
			                      "begins are not told",
			                      1, g.first) < 0
			         ? CAIRN_E_NOMEM
			         : rc;
	}
	if (rc >= 0 && t->done->instructions == 0 && o->n_ranges)
		return base_fail(r->c, CAIRN_E_NOTFOUND, "%s: nothing in the trace is selected",
		                 io_name(r->io));
	return rc;
}

static int through_put_part(struct through *t, const struct cairn_merge_part *p)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	const struct cairn_range *ranges = p->n_ranges ? p->ranges : &all;
	int rc = 1;
	for (size_t i = 0; i < (p->n_ranges ? p->n_ranges : 1) && rc >= 0; i++) {
		t->have = false;
		rc = p->r->started || ranges[i].first > 1 ? cairn_seek(p->r, ranges[i].first) : 0;
		rc = rc == CAIRN_E_NOTFOUND ? 0 : rc < 0 ? rc : through_put_range(t, p->r, &ranges[i]);
	}
	return rc;
}

int through_writer(const struct cairn_reader *r, const struct cairn_output *out,
                   const struct model_writer_format **f, const char **options)
{
	*f = NULL;
	*options = "";
	if (r->writer_for)
		*f = r->writer_for(r->c, out->path, out->to, options);
	if (!*f && r->writer_for && !out->to)
		*f = r->writer_for(r->c, out->path, r->format->name, options);
	if (*f)
		return 0;
	if (out->to)
		return base_fail(r->c, CAIRN_E_UNSUPPORTED, "no format that is written is called '%s'",
		                 out->to);
	return base_fail(r->c, CAIRN_E_UNSUPPORTED,
	                 "%s: %s is only read: ask for a format that is "
	                 "written (-o NAME.zstf, or --to stf)",
	                 out->path, r->format->name);
}

int through_batches(const struct cairn_merge_part *parts, size_t n,
                    const struct cairn_slice_opts *slice, const struct model_writer_format *f,
                    const char *options, const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn *c = parts[0].r->c;
	struct cairn_create_opts o = {.size = sizeof o,
	                              .codec = out->codec,
	                              .level = out->level,
	                              .threads = out->threads,
	                              .lossless = out->lossless,
	                              .lossy = out->lossy};
	struct through t = {.done = done};
	struct cairn_ledger *lost = NULL;
	int rc = model_writer_new(c, f, out->path, options, &o, &t.w);
	if (rc < 0)
		return rc;
	t.b = cairn_batch_new(c);
	t.insns = base_alloc(c, (CAIRN_CAP_INSNS + 2) * sizeof *t.insns);
	rc = t.b && t.insns ? 0 : CAIRN_E_NOMEM;
	bool whole = !slice && n == 1 && !parts[0].n_ranges;
	if (rc >= 0)
		rc = whole ? model_pump(parts[0].r, t.w, out->threads, &done->instructions)
		           : cairn_writer_from(t.w, parts[0].r);
	if (slice && rc >= 0)
		rc = put_slice(&t, parts[0].r, slice);
	else if (!whole)
		for (size_t i = 0; i < n && rc >= 0; i++)
			rc = through_put_part(&t, &parts[i]);
	cairn_batch_free(c, t.b);
	base_free(c, t.insns);
	if (rc < 0) {
		cairn_discard(t.w);
		return rc;
	}
	struct cairn_ledger *notes = NULL;
	rc = model_writer_end(t.w, &lost, &notes);
	cairn_ledger_free(c, done->lost);
	done->lost = lost;
	for (size_t i = 0; notes && i < notes->n && rc >= 0; i++)
		rc = model_ledger_add(c, done->notes, notes->losses[i].what, notes->losses[i].count,
		                      notes->losses[i].first);
	cairn_ledger_free(c, notes);
	return rc;
}

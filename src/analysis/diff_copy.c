/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches that take only the room they need. What lies ahead or behind in a
 * trace is held as such copies, for a batch from the reader has room for
 * thousands of rows, whatever is in it. One block of memory each, freed as one.
 */
#include <string.h>

#include "analysis/diff.h"

enum { ARRAYS = 7, ALIGN = 16 };

/* Make an empty batch with room for so many rows: insns counts slots and
 * sentinels. */
static struct cairn_batch *batch_of(struct cairn *c, size_t insns, size_t regs, size_t mems,
                                    size_t events, size_t xacts, size_t ctxs, size_t bytes)
{
	const size_t sizes[ARRAYS] = {insns * sizeof(struct cairn_insn),
	                              regs * sizeof(struct cairn_reg),
	                              mems * sizeof(struct cairn_mem),
	                              events * sizeof(struct cairn_event),
	                              xacts * sizeof(struct cairn_xact),
	                              ctxs * sizeof(struct cairn_ctx),
	                              bytes};
	size_t at[ARRAYS], total = (sizeof(struct cairn_batch) + ALIGN - 1) / ALIGN * ALIGN;
	for (size_t i = 0; i < ARRAYS; i++) {
		at[i] = total;
		total += (sizes[i] + ALIGN - 1) / ALIGN * ALIGN;
	}
	uint8_t *p = base_realloc(c, NULL, total);
	if (!p)
		return NULL;
	struct cairn_batch *b = (struct cairn_batch *)(void *)p;
	*b = (struct cairn_batch){.insns = (void *)(p + at[0]),
	                          .regs = (void *)(p + at[1]),
	                          .mems = (void *)(p + at[2]),
	                          .events = (void *)(p + at[3]),
	                          .xacts = (void *)(p + at[4]),
	                          .ctxs = (void *)(p + at[5]),
	                          .bytes = p + at[6]};
	return b;
}

static void copy_rows(void *to, const void *from, size_t n, size_t size)
{
	if (n)
		memcpy(to, from, n * size);
}

struct cairn_batch *diff_copy(struct cairn *c, const struct cairn_batch *b)
{
	struct cairn_batch *q = batch_of(c, b->n_insns + 2, b->n_regs, b->n_mems, b->n_events,
	                                 b->n_xacts, b->n_ctxs, b->n_bytes);
	if (!q)
		return NULL;
	struct cairn_batch arrays = *q;
	*q = *b;
	q->insns = arrays.insns;
	q->regs = arrays.regs;
	q->mems = arrays.mems;
	q->events = arrays.events;
	q->xacts = arrays.xacts;
	q->ctxs = arrays.ctxs;
	q->bytes = arrays.bytes;
	copy_rows(q->insns, b->insns, b->n_insns + 2u, sizeof *q->insns);
	copy_rows(q->regs, b->regs, b->n_regs, sizeof *q->regs);
	copy_rows(q->mems, b->mems, b->n_mems, sizeof *q->mems);
	copy_rows(q->events, b->events, b->n_events, sizeof *q->events);
	copy_rows(q->xacts, b->xacts, b->n_xacts, sizeof *q->xacts);
	copy_rows(q->ctxs, b->ctxs, b->n_ctxs, sizeof *q->ctxs);
	copy_rows(q->bytes, b->bytes, b->n_bytes, 1);
	return q;
}

/* ---- one row ---- */

/* Bytes that the payloads of one row take, each rounded up to 8. */
struct payloads {
	const struct cairn_batch *from;
	struct cairn_batch *to; /* NULL: only add up */
	size_t n;
};

/* Copy `len` bytes at `at`; returns where they are now. */
static uint64_t diff_copy_carry(struct payloads *p, uint64_t at, uint64_t len)
{
	if (at > p->from->n_bytes || len > p->from->n_bytes - at)
		return UINT32_MAX; /* lies outside: whoever shows it sees that it does */
	size_t now = p->n;
	if (p->to && len)
		memcpy(p->to->bytes + now, p->from->bytes + at, (size_t)len);
	p->n += ((size_t)len + 7) & ~(size_t)7;
	return now;
}

static void carry_insn(struct payloads *p, const struct cairn_insn *i)
{
	const struct cairn_batch *f = p->from;
	struct cairn_batch *t = p->to;
	uint64_t at;
	if (i->flags & CAIRN_INSN_ENC_BYTES) {
		at = diff_copy_carry(p, i->enc, i->size);
		if (t)
			t->insns[0].enc = (uint32_t)at;
	}
	for (uint32_t k = i->reg0; k < i[1].reg0; k++) {
		const struct cairn_reg *r = &f->regs[k];
		at = r->flags & CAIRN_VALUE_WIDE ? diff_copy_carry(p, r->value, (r->bits + 7ull) / 8) : 0;
		if (t)
			t->regs[t->n_regs++] = *r;
		if (t && (r->flags & CAIRN_VALUE_WIDE))
			t->regs[t->n_regs - 1].value = at;
	}
	for (uint32_t k = i->mem0; k < i[1].mem0; k++) {
		const struct cairn_mem *m = &f->mems[k];
		at = m->flags & CAIRN_VALUE_WIDE ? diff_copy_carry(p, m->value, 8ull * m->words) : 0;
		if (t)
			t->mems[t->n_mems++] = *m;
		if (t && (m->flags & CAIRN_VALUE_WIDE))
			t->mems[t->n_mems - 1].value = at;
	}
	for (uint32_t k = i->ev0; k < i[1].ev0; k++) {
		const struct cairn_event *e = &f->events[k];
		at = diff_copy_carry(p, e->args, e->len);
		if (t) {
			t->events[t->n_events] = *e;
			t->events[t->n_events++].args = (uint32_t)at;
		}
	}
}

static void carry_xact(struct payloads *p, const struct cairn_xact *x)
{
	uint64_t data = diff_copy_carry(p, x->data, x->data_len);
	uint64_t mask = diff_copy_carry(p, x->mask, (x->mask_bits + 7ull) / 8);
	uint64_t meta = diff_copy_carry(p, x->meta, 16ull * x->n_meta);
	uint64_t deps = diff_copy_carry(p, x->deps, 24ull * x->n_deps);
	if (!p->to)
		return;
	struct cairn_xact *y = &p->to->xacts[p->to->n_xacts++];
	*y = *x;
	y->data = (uint32_t)data;
	y->mask = (uint32_t)mask;
	y->meta = (uint32_t)meta;
	y->deps = (uint32_t)deps;
}

static void diff_copy_begin_row(struct cairn_batch *q, const struct cairn_batch *b, uint32_t i,
                                bool xact)
{
	q->have = b->have;
	q->rec0 = b->rec0;
	q->off0 = b->off0;
	q->n0 = b->n0 + (xact ? 0 : i);
	q->x0 = b->x0 + (xact ? i : 0);
	memset(q->insns, 0, 3 * sizeof *q->insns);
	if (xact)
		return;
	q->n_insns = 1;
	q->insns[0] = b->insns[i];
	q->insns[0].reg0 = q->insns[0].mem0 = q->insns[0].ev0 = 0;
	q->insns[0].ctx = 0;
	if (b->insns[i].ctx < b->n_ctxs) {
		q->ctxs[0] = b->ctxs[b->insns[i].ctx];
		q->n_ctxs = 1;
	}
}

struct cairn_batch *diff_copy_row(struct cairn *c, struct diff_row row)
{
	const struct cairn_batch *b = row.b;
	bool xact = b->n_insns == 0;
	const struct cairn_insn *i = &b->insns[row.i];
	struct payloads p = {.from = b};
	if (xact)
		carry_xact(&p, &b->xacts[row.i]);
	else
		carry_insn(&p, i);
	size_t bytes = p.n;
	struct cairn_batch *q =
		xact ? batch_of(c, 3, 0, 0, 0, 1, 1, bytes)
			 : batch_of(c, 3, (size_t)(i[1].reg0 - i->reg0), (size_t)(i[1].mem0 - i->mem0),
	                    (size_t)(i[1].ev0 - i->ev0), 0, 1, bytes);
	if (!q)
		return NULL;
	diff_copy_begin_row(q, b, row.i, xact);
	p = (struct payloads){.from = b, .to = q};
	if (xact)
		carry_xact(&p, &b->xacts[row.i]);
	else
		carry_insn(&p, i);
	q->n_bytes = (uint32_t)bytes;
	if (!xact)
		model_batch_close(q, q->n_regs, q->n_mems, q->n_events, 0);
	return q;
}

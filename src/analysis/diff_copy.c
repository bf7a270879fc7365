/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of batches that are only as large as their contents: a reader's batch has room for
 * thousands of rows, too much for holding many of them. A copy is one block of memory.
 */
#include <string.h>

#include "analysis/diff.h"

enum { ARRAYS = 7, ALIGN = 16 };

/* Make an empty batch with room for this many rows; `insns` counts slots and sentinels. */
static struct cairn_batch *batch_of(struct cairn *cairn, size_t insns, size_t regs, size_t mems,
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
	uint8_t *p = base_realloc(cairn, NULL, total);
	if (!p)
		return NULL;
	struct cairn_batch *batch = (struct cairn_batch *)(void *)p;
	*batch = (struct cairn_batch){.insns = (void *)(p + at[0]),
	                              .regs = (void *)(p + at[1]),
	                              .mems = (void *)(p + at[2]),
	                              .events = (void *)(p + at[3]),
	                              .xacts = (void *)(p + at[4]),
	                              .ctxs = (void *)(p + at[5]),
	                              .bytes = p + at[6]};
	return batch;
}

static void copy_rows(void *to, const void *from, size_t n, size_t size)
{
	if (n)
		memcpy(to, from, n * size);
}

struct cairn_batch *diff_copy(struct cairn *cairn, const struct cairn_batch *batch)
{
	struct cairn_batch *q =
		batch_of(cairn, batch->n_insns + 2, batch->n_regs, batch->n_mems, batch->n_events,
	             batch->n_xacts, batch->n_ctxs, batch->n_bytes);
	if (!q)
		return NULL;
	struct cairn_batch arrays = *q;
	*q = *batch;
	q->insns = arrays.insns;
	q->regs = arrays.regs;
	q->mems = arrays.mems;
	q->events = arrays.events;
	q->xacts = arrays.xacts;
	q->ctxs = arrays.ctxs;
	q->bytes = arrays.bytes;
	copy_rows(q->insns, batch->insns, batch->n_insns + 2u, sizeof *q->insns);
	copy_rows(q->regs, batch->regs, batch->n_regs, sizeof *q->regs);
	copy_rows(q->mems, batch->mems, batch->n_mems, sizeof *q->mems);
	copy_rows(q->events, batch->events, batch->n_events, sizeof *q->events);
	copy_rows(q->xacts, batch->xacts, batch->n_xacts, sizeof *q->xacts);
	copy_rows(q->ctxs, batch->ctxs, batch->n_ctxs, sizeof *q->ctxs);
	copy_rows(q->bytes, batch->bytes, batch->n_bytes, 1);
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
static uint64_t diff_copy_carry(struct payloads *payloads, uint64_t at, uint64_t len)
{
	if (at > payloads->from->n_bytes || len > payloads->from->n_bytes - at)
		return UINT32_MAX; /* lies outside; printing it shows that */
	size_t now = payloads->n;
	if (payloads->to && len)
		memcpy(payloads->to->bytes + now, payloads->from->bytes + at, (size_t)len);
	payloads->n += ((size_t)len + 7) & ~(size_t)7;
	return now;
}

static void carry_insn(struct payloads *payloads, const struct cairn_insn *insn)
{
	const struct cairn_batch *batch = payloads->from;
	struct cairn_batch *t = payloads->to;
	uint64_t at;
	if (insn->flags & CAIRN_INSN_ENC_BYTES) {
		at = diff_copy_carry(payloads, insn->enc, insn->size);
		if (t)
			t->insns[0].enc = (uint32_t)at;
	}
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		at = reg->flags & CAIRN_VALUE_WIDE
		         ? diff_copy_carry(payloads, reg->value, (reg->bits + 7ull) / 8)
		         : 0;
		if (t)
			t->regs[t->n_regs++] = *reg;
		if (t && (reg->flags & CAIRN_VALUE_WIDE))
			t->regs[t->n_regs - 1].value = at;
	}
	for (uint32_t k = insn->mem0; k < insn[1].mem0; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		at = mem->flags & CAIRN_VALUE_WIDE
		         ? diff_copy_carry(payloads, mem->value, 8ull * mem->words)
		         : 0;
		if (t)
			t->mems[t->n_mems++] = *mem;
		if (t && (mem->flags & CAIRN_VALUE_WIDE))
			t->mems[t->n_mems - 1].value = at;
	}
	for (uint32_t k = insn->ev0; k < insn[1].ev0; k++) {
		const struct cairn_event *event = &batch->events[k];
		at = diff_copy_carry(payloads, event->args, event->len);
		if (t) {
			t->events[t->n_events] = *event;
			t->events[t->n_events++].args = (uint32_t)at;
		}
	}
}

static void carry_xact(struct payloads *payloads, const struct cairn_xact *xact)
{
	uint64_t data = diff_copy_carry(payloads, xact->data, xact->data_len);
	uint64_t mask = diff_copy_carry(payloads, xact->mask, (xact->mask_bits + 7ull) / 8);
	uint64_t meta = diff_copy_carry(payloads, xact->meta, 16ull * xact->n_meta);
	uint64_t deps = diff_copy_carry(payloads, xact->deps, 24ull * xact->n_deps);
	if (!payloads->to)
		return;
	struct cairn_xact *y = &payloads->to->xacts[payloads->to->n_xacts++];
	*y = *xact;
	y->data = (uint32_t)data;
	y->mask = (uint32_t)mask;
	y->meta = (uint32_t)meta;
	y->deps = (uint32_t)deps;
}

static void diff_copy_begin_row(struct cairn_batch *batch, const struct cairn_batch *b,
                                uint32_t index, bool xact)
{
	batch->have = b->have;
	batch->rec0 = b->rec0;
	batch->off0 = b->off0;
	batch->n0 = b->n0 + (xact ? 0 : index);
	batch->x0 = b->x0 + (xact ? index : 0);
	memset(batch->insns, 0, 3 * sizeof *batch->insns);
	if (xact)
		return;
	batch->n_insns = 1;
	batch->insns[0] = b->insns[index];
	batch->insns[0].reg0 = batch->insns[0].mem0 = batch->insns[0].ev0 = 0;
	batch->insns[0].ctx = 0;
	if (b->insns[index].ctx < b->n_ctxs) {
		batch->ctxs[0] = b->ctxs[b->insns[index].ctx];
		batch->n_ctxs = 1;
	}
}

struct cairn_batch *diff_copy_row(struct cairn *cairn, struct diff_row row)
{
	const struct cairn_batch *batch = row.batch;
	bool xact = batch->n_insns == 0;
	const struct cairn_insn *insn = &batch->insns[row.i];
	struct payloads payloads = {.from = batch};
	if (xact)
		carry_xact(&payloads, &batch->xacts[row.i]);
	else
		carry_insn(&payloads, insn);
	size_t bytes = payloads.n;
	struct cairn_batch *q = xact ? batch_of(cairn, 3, 0, 0, 0, 1, 1, bytes)
	                             : batch_of(cairn, 3, (size_t)(insn[1].reg0 - insn->reg0),
	                                        (size_t)(insn[1].mem0 - insn->mem0),
	                                        (size_t)(insn[1].ev0 - insn->ev0), 0, 1, bytes);
	if (!q)
		return NULL;
	diff_copy_begin_row(q, batch, row.i, xact);
	payloads = (struct payloads){.from = batch, .to = q};
	if (xact)
		carry_xact(&payloads, &batch->xacts[row.i]);
	else
		carry_insn(&payloads, insn);
	q->n_bytes = (uint32_t)bytes;
	if (!xact)
		model_batch_close(q, q->n_regs, q->n_mems, q->n_events, 0);
	return q;
}

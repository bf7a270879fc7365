/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are two rows alike? Twice over: diff_run, a loop without branches over what is
 * nearly always the same bits in both traces, and diff_fields, which knows what
 * "unknown matches anything" means, and is asked only where the bits differ.
 *
 * diff_run may say too little, never too much: rows with wide values, events or a
 * new context are left to diff_fields. Values wider than a row lie in `bytes`,
 * so equal bits in the row would prove nothing.
 */
#include <string.h>

#include "analysis/diff.h"

enum { BLOCK = 16, SORTED = 64, SHOWN = CAIRN_INSN_NOT_EXECUTED };

/* ---- payloads ---- */

static const uint8_t *diff_row_payload(const struct cairn_batch *batch, uint64_t at, uint64_t n)
{
	return at <= batch->n_bytes && n <= batch->n_bytes - at ? batch->bytes + at : NULL;
}

static bool same_bytes(const struct cairn_batch *left, uint64_t value,
                       const struct cairn_batch *right, uint64_t y, uint64_t n)
{
	const uint8_t *p = diff_row_payload(left, value, n), *q = diff_row_payload(right, y, n);
	return p && q ? memcmp(p, q, (size_t)n) == 0 : p == q;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t diff_row_encoding(const struct cairn_batch *batch, const struct cairn_insn *insn)
{
	uint64_t h = insn->size;
	if (!(insn->flags & CAIRN_INSN_ENC_BYTES))
		return insn->enc;
	const uint8_t *p = diff_row_payload(batch, insn->enc, insn->size);
	for (unsigned k = 0; p && k < insn->size; k++)
		h = mix(h, p[k]);
	return h;
}

/* ---- places ---- */

bool diff_same_place(const struct diff_what *what, struct diff_row left, struct diff_row right)
{
	if (what->xacts)
		return diff_key(what, left) == diff_key(what, right);
	const struct cairn_insn *x = &left.batch->insns[left.i], *y = &right.batch->insns[right.i];
	uint32_t either = x->flags | y->flags;
	if (what->by_pc && !(either & CAIRN_INSN_PC_UNKNOWN))
		return x->pc == y->pc;
	return (either & CAIRN_INSN_ENC_UNKNOWN) ||
	       diff_row_encoding(left.batch, x) == diff_row_encoding(right.batch, y);
}

uint64_t diff_key(const struct diff_what *what, struct diff_row row)
{
	if (what->xacts) {
		const struct cairn_xact *x = &row.batch->xacts[row.i];
		uint64_t h = mix(x->channel, x->known & CAIRN_XACT_OP ? x->code : UINT64_MAX);
		h = mix(h, x->known & CAIRN_XACT_OP ? x->source : 0);
		return mix(h, x->known & CAIRN_XACT_ADDRESS ? x->address : 0);
	}
	const struct cairn_insn *x = &row.batch->insns[row.i];
	if (what->by_pc)
		return x->flags & CAIRN_INSN_PC_UNKNOWN ? UINT64_MAX - 1 : x->pc;
	return x->flags & CAIRN_INSN_ENC_UNKNOWN ? UINT64_MAX - 1 : diff_row_encoding(row.batch, x);
}

/* ---- the quick look ---- */

static uint64_t regs_differ(const struct cairn_reg *left, const struct cairn_reg *right, uint32_t n,
                            uint64_t values)
{
	uint64_t acc = 0;
	for (uint32_t i = 0; i < n; i++, left++, right++)
		acc |= ((left->value ^ right->value) & values) | (left->bits ^ right->bits) |
		       (uint64_t)((left->num ^ right->num) | (left->lsb ^ right->lsb) |
		                  (left->cls ^ right->cls) | (left->role ^ right->role) |
		                  (left->flags ^ right->flags) | (left->flags & CAIRN_VALUE_WIDE));
	return acc;
}

static uint64_t mems_differ(const struct cairn_mem *left, const struct cairn_mem *right, uint32_t n,
                            uint64_t values)
{
	uint64_t acc = 0;
	for (uint32_t i = 0; i < n; i++, left++, right++)
		acc |= ((left->value ^ right->value) & values) | (left->addr ^ right->addr) |
		       (left->pa ^ right->pa) | (left->size ^ right->size) |
		       (uint64_t)((left->lane ^ right->lane) | (left->kind ^ right->kind) |
		                  (left->initiator ^ right->initiator) | (left->unit ^ right->unit) |
		                  (left->flags ^ right->flags) | (left->flags & CAIRN_VALUE_WIDE));
	return acc;
}

struct masks {
	uint64_t pc, target, enc, values;
	uint32_t flags, size, ctx, regs, mems, events;
};

static struct masks masks_of(const struct diff_what *what)
{
	uint32_t f = what->fields;
	return (struct masks){
		.pc = f & CAIRN_DIFF_PC ? UINT64_MAX : 0,
		.target = f & CAIRN_DIFF_TARGET ? UINT64_MAX : 0,
		.enc = f & CAIRN_DIFF_ENCODING ? UINT64_MAX : 0,
		.values = f & CAIRN_DIFF_VALUES ? UINT64_MAX : 0,
		.flags = (uint32_t)(CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_ENC_UNKNOWN) |
	             (f & CAIRN_DIFF_TAKEN ? (uint32_t)(CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN) : 0) |
	             (f & CAIRN_DIFF_TARGET ? (uint32_t)CAIRN_INSN_TARGET : 0) |
	             (f & CAIRN_DIFF_FLAGS ? (uint32_t)SHOWN : 0),
		.size = f & CAIRN_DIFF_SIZE ? UINT32_MAX : 0,
		.ctx = f & CAIRN_DIFF_CONTEXT ? UINT32_MAX : 0,
		.regs = f & CAIRN_DIFF_REGS ? UINT32_MAX : 0,
		.mems = f & CAIRN_DIFF_MEMS ? UINT32_MAX : 0,
		.events = f & CAIRN_DIFF_EVENTS ? UINT32_MAX : 0};
}

/* Non-zero when one of `n` pairs needs a second look. */
static inline uint64_t insns_differ(const struct masks *masks, const struct cairn_insn *left,
                                    const struct cairn_insn *right, uint32_t n, uint32_t ctx_x,
                                    uint32_t ctx_y)
{
	uint64_t acc = 0;
	for (uint32_t i = 0; i < n; i++, left++, right++) {
		uint32_t regs =
			((uint32_t)(left[1].reg0 - left->reg0) ^ (uint32_t)(right[1].reg0 - right->reg0));
		uint32_t mems =
			((uint32_t)(left[1].mem0 - left->mem0) ^ (uint32_t)(right[1].mem0 - right->mem0));
		uint32_t events = (uint32_t)((left[1].ev0 - left->ev0) | (right[1].ev0 - right->ev0));
		acc |= ((left->pc ^ right->pc) & masks->pc) |
		       ((left->target ^ right->target) & masks->target) |
		       ((uint64_t)((left->enc ^ right->enc) | (uint32_t)(left->isa ^ right->isa)) &
		        masks->enc) |
		       ((left->flags ^ right->flags) & masks->flags) |
		       (left->flags & CAIRN_INSN_ENC_BYTES) |
		       ((uint32_t)(left->size ^ right->size) & masks->size) |
		       (((left->ctx ^ ctx_x) | (right->ctx ^ ctx_y)) & masks->ctx) | (regs & masks->regs) |
		       (mems & masks->mems) | (events & masks->events);
	}
	return acc;
}

static bool block_is_same(const struct masks *masks, struct diff_row left, struct diff_row right,
                          uint32_t n, uint32_t ctx_a, uint32_t ctx_b)
{
	const struct cairn_insn *x = &left.batch->insns[left.i], *y = &right.batch->insns[right.i];
	if (insns_differ(masks, x, y, n, ctx_a, ctx_b))
		return false;
	if (masks->regs && regs_differ(left.batch->regs + x->reg0, right.batch->regs + y->reg0,
	                               (uint32_t)(x[n].reg0 - x->reg0), masks->values))
		return false;
	return !masks->mems || !mems_differ(left.batch->mems + x->mem0, right.batch->mems + y->mem0,
	                                    (uint32_t)(x[n].mem0 - x->mem0), masks->values);
}

static bool diff_row_same_ctx(const struct cairn_batch *left, uint32_t index,
                              const struct cairn_batch *right, uint32_t j)
{
	if (index >= left->n_ctxs || j >= right->n_ctxs)
		return true;
	const struct cairn_ctx *x = &left->ctxs[index], *y = &right->ctxs[j];
	uint32_t k = x->known & y->known;
	return (!(k & CAIRN_CTX_HART) || x->hart == y->hart) &&
	       (!(k & CAIRN_CTX_PRIV) || x->priv == y->priv) &&
	       (!(k & CAIRN_CTX_SECURITY) || x->security == y->security) &&
	       (!(k & CAIRN_CTX_HW_TID) || x->hw_tid == y->hw_tid) &&
	       (!(k & CAIRN_CTX_PID) || x->pid == y->pid) &&
	       (!(k & CAIRN_CTX_TID) || x->tid == y->tid) &&
	       (!(k & CAIRN_CTX_ASID) || x->asid == y->asid) &&
	       (!(k & CAIRN_CTX_VMID) || x->vmid == y->vmid) &&
	       (!(k & CAIRN_CTX_CTXID) || x->ctxid == y->ctxid);
}

uint32_t diff_run(const struct diff_what *what, struct diff_row left, struct diff_row right,
                  uint32_t n)
{
	if (what->xacts || n == 0)
		return 0;
	struct masks masks = masks_of(what);
	uint32_t ctx_a = left.batch->insns[left.i].ctx, ctx_b = right.batch->insns[right.i].ctx,
			 done = 0;
	if (masks.ctx && !diff_row_same_ctx(left.batch, ctx_a, right.batch, ctx_b))
		return 0;
	for (; n - done >= BLOCK; done += BLOCK, left.i += BLOCK, right.i += BLOCK)
		if (!block_is_same(&masks, left, right, BLOCK, ctx_a, ctx_b))
			break;
	for (; done < n; done++, left.i++, right.i++)
		if (!block_is_same(&masks, left, right, 1, ctx_a, ctx_b))
			break;
	return done;
}

/* ---- the second look ---- */

/* They differ if both know something, and know it differently. */
static bool reg_is_same(const struct diff_what *what, const struct cairn_batch *left,
                        const struct cairn_reg *x, const struct cairn_batch *right,
                        const struct cairn_reg *y)
{
	if (x->cls != y->cls || x->num != y->num || x->lsb != y->lsb)
		return false;
	if (x->role != y->role && x->role && y->role)
		return false;
	if (!(what->fields & CAIRN_DIFF_VALUES) || !(x->flags & y->flags & CAIRN_VALUE_KNOWN))
		return true;
	if (!((x->flags | y->flags) & CAIRN_VALUE_WIDE))
		return x->value == y->value;
	return (x->flags & y->flags & CAIRN_VALUE_WIDE) && x->bits == y->bits &&
	       same_bytes(left, x->value, right, y->value, (x->bits + 7ull) / 8);
}

static uint64_t reg_order(const struct cairn_reg *reg)
{
	return (uint64_t)reg->cls << 40 | (uint64_t)reg->num << 24 | (uint64_t)reg->lsb << 8 |
	       reg->role;
}

/* Formats write the registers of an instruction in orders of their own. */
static void sort_regs(const struct cairn_reg *reg, uint32_t n, uint8_t *order)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;
		for (; at && reg_order(&reg[order[at - 1]]) > reg_order(&reg[i]); at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
}

static bool regs_are_same(const struct diff_what *what, struct diff_row left, struct diff_row right)
{
	const struct cairn_insn *insn = &left.batch->insns[left.i], *k = &right.batch->insns[right.i];
	const struct cairn_reg *x = left.batch->regs + insn->reg0, *y = right.batch->regs + k->reg0;
	uint32_t n = (uint32_t)(insn[1].reg0 - insn->reg0), at = 0;
	uint8_t ox[SORTED], oy[SORTED];
	if (n != (uint32_t)(k[1].reg0 - k->reg0))
		return false;
	while (at < n && reg_is_same(what, left.batch, &x[at], right.batch, &y[at]))
		at++;
	if (at == n || n > SORTED)
		return at == n;
	sort_regs(x, n, ox);
	sort_regs(y, n, oy);
	for (at = 0; at < n; at++)
		if (!reg_is_same(what, left.batch, &x[ox[at]], right.batch, &y[oy[at]]))
			return false;
	return true;
}

static bool mem_is_same(const struct diff_what *what, const struct cairn_batch *left,
                        const struct cairn_mem *x, const struct cairn_batch *right,
                        const struct cairn_mem *y)
{
	uint8_t both = x->flags & y->flags, either = x->flags | y->flags;
	if (x->kind != y->kind && x->kind && y->kind)
		return false;
	if (x->initiator != y->initiator || x->unit != y->unit || x->size != y->size ||
	    ((x->flags ^ y->flags) & CAIRN_VALUE_NOT_WRITTEN))
		return false;
	if (!(either & CAIRN_VALUE_ADDR_UNKNOWN) && x->addr != y->addr)
		return false;
	if ((both & CAIRN_VALUE_PA) && x->pa != y->pa)
		return false;
	if (!(what->fields & CAIRN_DIFF_VALUES) || !(both & CAIRN_VALUE_KNOWN))
		return true;
	if (!(either & CAIRN_VALUE_WIDE))
		return x->value == y->value;
	return (both & CAIRN_VALUE_WIDE) && x->words == y->words &&
	       same_bytes(left, x->value, right, y->value, 8ull * x->words);
}

static bool mems_are_same(const struct diff_what *what, struct diff_row left, struct diff_row right)
{
	const struct cairn_insn *insn = &left.batch->insns[left.i], *k = &right.batch->insns[right.i];
	const struct cairn_mem *x = left.batch->mems + insn->mem0, *y = right.batch->mems + k->mem0;
	uint32_t n = (uint32_t)(insn[1].mem0 - insn->mem0), at = 0;
	if (n != (uint32_t)(k[1].mem0 - k->mem0))
		return false;
	while (at < n && mem_is_same(what, left.batch, &x[at], right.batch, &y[at]))
		at++;
	return at == n;
}

/* Damage is reported for each trace by itself, and contexts are compared on their own. */
static const struct cairn_event *next_event(const struct cairn_batch *batch, uint32_t *at,
                                            uint32_t end)
{
	while (*at < end) {
		const struct cairn_event *event = &batch->events[(*at)++];
		if (event->kind != CAIRN_EV_DAMAGE && event->kind != CAIRN_EV_CONTEXT)
			return event;
	}
	return NULL;
}

static bool event_is_same(const struct cairn_batch *left, const struct cairn_event *x,
                          const struct cairn_batch *right, const struct cairn_event *y)
{
	return x->kind == y->kind && x->phase == y->phase && x->code == y->code &&
	       (!(x->flags & y->flags & CAIRN_EVF_TARGET) || x->target == y->target) &&
	       ((x->flags ^ y->flags) & CAIRN_EVF_BYTES) == 0 && x->len == y->len &&
	       same_bytes(left, x->args, right, y->args, x->len);
}

static bool events_are_same(struct diff_row left, struct diff_row right)
{
	const struct cairn_insn *insn = &left.batch->insns[left.i], *k = &right.batch->insns[right.i];
	uint32_t at_a = insn->ev0, at_b = k->ev0;
	for (;;) {
		const struct cairn_event *x = next_event(left.batch, &at_a, insn[1].ev0);
		const struct cairn_event *y = next_event(right.batch, &at_b, k[1].ev0);
		if (!x || !y)
			return x == y;
		if (!event_is_same(left.batch, x, right.batch, y))
			return false;
	}
}

static bool xacts_are_same(const struct diff_what *what, struct diff_row left,
                           struct diff_row right)
{
	const struct cairn_xact *x = &left.batch->xacts[left.i], *y = &right.batch->xacts[right.i];
	uint8_t k = x->known & y->known;
	if (x->id != y->id || x->delta != y->delta || x->clock != y->clock ||
	    x->protocol != y->protocol || x->channel != y->channel)
		return false;
	if ((k & CAIRN_XACT_OP) && (x->code != y->code || x->param != y->param || x->size != y->size ||
	                            x->source != y->source))
		return false;
	if (((k & CAIRN_XACT_ADDRESS) && x->address != y->address) ||
	    ((k & CAIRN_XACT_SINK) && x->sink != y->sink))
		return false;
	if (x->n_meta != y->n_meta ||
	    !same_bytes(left.batch, x->meta, right.batch, y->meta, 16ull * x->n_meta) ||
	    x->n_deps != y->n_deps ||
	    !same_bytes(left.batch, x->deps, right.batch, y->deps, 24ull * x->n_deps))
		return false;
	if (!(what->fields & CAIRN_DIFF_VALUES))
		return true;
	if ((k & CAIRN_XACT_DATA) &&
	    (x->data_len != y->data_len ||
	     !same_bytes(left.batch, x->data, right.batch, y->data, x->data_len)))
		return false;
	return !(k & CAIRN_XACT_MASK) ||
	       (x->mask_bits == y->mask_bits &&
	        same_bytes(left.batch, x->mask, right.batch, y->mask, (x->mask_bits + 7ull) / 8));
}

static uint32_t flow_fields(const struct diff_what *what, const struct cairn_insn *left,
                            const struct cairn_insn *right)
{
	const uint32_t outcome = CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN;
	uint32_t d = 0;
	if ((what->fields & CAIRN_DIFF_TAKEN) && (left->flags & outcome) && (right->flags & outcome) &&
	    ((left->flags ^ right->flags) & CAIRN_INSN_TAKEN))
		d |= CAIRN_DIFF_TAKEN;
	if ((what->fields & CAIRN_DIFF_TARGET) && (left->flags & right->flags & CAIRN_INSN_TARGET) &&
	    left->target != right->target)
		d |= CAIRN_DIFF_TARGET;
	if ((what->fields & CAIRN_DIFF_FLAGS) && ((left->flags ^ right->flags) & SHOWN))
		d |= CAIRN_DIFF_FLAGS;
	return d;
}

uint32_t diff_fields(const struct diff_what *what, struct diff_row left, struct diff_row right)
{
	if (what->xacts)
		return !(what->fields & CAIRN_DIFF_TRANSACTION) || xacts_are_same(what, left, right)
		           ? 0u
		           : (uint32_t)CAIRN_DIFF_TRANSACTION;
	const struct cairn_insn *x = &left.batch->insns[left.i], *y = &right.batch->insns[right.i];
	uint32_t d = flow_fields(what, x, y), either = x->flags | y->flags;
	if ((what->fields & CAIRN_DIFF_PC) && !(either & CAIRN_INSN_PC_UNKNOWN) && x->pc != y->pc)
		d |= CAIRN_DIFF_PC;
	if ((what->fields & CAIRN_DIFF_ENCODING) && !(either & CAIRN_INSN_ENC_UNKNOWN) &&
	    (diff_row_encoding(left.batch, x) != diff_row_encoding(right.batch, y) ||
	     (x->isa != y->isa && x->isa && y->isa)))
		d |= CAIRN_DIFF_ENCODING;
	if ((what->fields & CAIRN_DIFF_SIZE) && x->size != y->size && x->size && y->size)
		d |= CAIRN_DIFF_SIZE;
	if ((what->fields & CAIRN_DIFF_CONTEXT) &&
	    !diff_row_same_ctx(left.batch, x->ctx, right.batch, y->ctx))
		d |= CAIRN_DIFF_CONTEXT;
	if ((what->fields & CAIRN_DIFF_REGS) && !regs_are_same(what, left, right))
		d |= CAIRN_DIFF_REGS;
	if ((what->fields & CAIRN_DIFF_MEMS) && !mems_are_same(what, left, right))
		d |= CAIRN_DIFF_MEMS;
	if ((what->fields & CAIRN_DIFF_EVENTS) && !events_are_same(left, right))
		d |= CAIRN_DIFF_EVENTS;
	return d;
}

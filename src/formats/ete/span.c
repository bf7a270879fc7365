/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: following one, scanning it, and sealing.
 *
 * A span begins where address and context are told anew, so following it needs nothing
 * of what went before; a scan follows it without making rows, and tells how many
 * instructions and packets it holds. It is also `count`: loads, stores and branches are
 * counted once for each block of the program.
 */
#include <stdio.h>
#include <string.h>

#include "formats/ete/format.h"

enum { AHEAD = 256 };

int ete_span_flow(struct cairn_reader *r, struct model_span *s)
{
	const struct ete_impl *im = r->impl;
	struct ete_span *sp = s->priv;
	struct ete_worker *w = s->worker;
	int rc = ete_flow_open(r->c, &sp->program->cfg, &w->codes[sp->unit], im->transactions, sp->p,
	                       sp->n, sp->from, &sp->flow);
	if (rc >= 0 && !sp->leads)
		rc = cairn_ete_flow_sync_set(sp->flow, sp->begin);
	if (rc >= 0 && !sp->last)
		cairn_ete_flow_limit(sp->flow, sp->end);
	if (rc >= 0 && sp->at && !sp->leads) { /* to tell a jump from going on */
		sp->flow->addr = ete_unit(sp)->addr;
		sp->flow->no_addr = ete_unit(sp)->no_addr;
		sp->flow->waiting = ete_unit(sp)->waiting;
		sp->flow->no_stack = ete_unit(sp)->no_stack;
		sp->flow->returned = ete_unit(sp)->returned;
		sp->flow->restarts = ete_unit(sp)->restarts;
	}
	return rc;
}

void ete_take_context(struct cairn_ctx *x, const struct cairn_ete_element *e)
{
	x->known |= CAIRN_CTX_PRIV | CAIRN_CTX_SECURITY;
	x->priv = (uint8_t)(CAIRN_PRIV_EL0 + (e->el & 3));
	x->security = e->security;
	if (e->flags & CAIRN_ETE_HAS_CTXID) {
		x->known |= CAIRN_CTX_CTXID;
		x->ctxid = e->ctxid;
	}
	if (e->flags & CAIRN_ETE_HAS_VMID) {
		x->known |= CAIRN_CTX_VMID;
		x->vmid = e->vmid;
	}
}

static void note_flow(struct ete_unit_state *u, const struct cairn_ete_flow *f)
{
	u->addr = f->addr;
	u->no_addr = f->no_addr;
	u->waiting = f->waiting;
	u->no_stack = f->no_stack;
	u->returned = f->returned;
	u->restarts = f->restarts;
}

void ete_span_leave(const struct cairn_reader *r, struct model_span *s)
{
	struct ete_span *sp = s->priv;
	if (sp->flow)
		note_flow(ete_unit(sp), sp->flow);
	sp->finished = true;
	if (!s->scanned)
		memcpy(s->exit, sp->at, r->state_size);
}

void ete_span_rewind(struct cairn_reader *r, struct ete_span *sp)
{
	cairn_ete_flow_close(sp->flow);
	cairn_ete_packets_close(sp->packets);
	base_free(r->c, sp->buffer);
	sp->flow = NULL;
	sp->packets = NULL;
	sp->buffer = NULL;
	sp->n_buffer = sp->at_buffer = 0;
}

int ete_span_packets(struct cairn_reader *r, struct ete_span *sp)
{
	int rc = 0;
	if (!sp->packets) {
		sp->buffer = base_realloc(r->c, NULL, AHEAD * sizeof *sp->buffer);
		if (!sp->buffer)
			return CAIRN_E_NOMEM;
		rc = cairn_ete_packets_open(r->c, &sp->program->cfg, sp->p, sp->n, sp->from, &sp->packets);
		if (rc >= 0 && !sp->leads)
			rc = cairn_ete_packets_sync_set(sp->packets, sp->begin);
		if (rc < 0)
			return rc;
	}
	size_t n = cairn_ete_packets_fill(sp->packets, sp->buffer, AHEAD);
	while (n && !sp->last && sp->buffer[n - 1].offset >= sp->end)
		n--;
	sp->n_buffer = n;
	sp->at_buffer = 0;
	return n > 0;
}

/* ---- damage ---- */

bool ete_is_damage(const struct cairn_ete_element *e)
{
	return e->kind == CAIRN_ETE_NO_SYNC && e->number >= CAIRN_ETE_BAD_PACKET;
}

void ete_bad_text(const struct ete_span *sp, char *buf, size_t size, uint64_t pos, uint64_t n,
                  unsigned reason, uint64_t bytes)
{
	const char *why = cairn_ete_reason_text(reason), *name = sp->of->name;
	snprintf(buf, size,
	         "%s%sbyte 0x%llx, instruction %llu: %s; %llu byte%s up to the next "
	         "synchronisation not decoded",
	         name ? name : "", name ? ": " : "",
	         (unsigned long long)(ete_place(sp, pos) - (name ? sp->of->base : 0)),
	         (unsigned long long)n, why ? why : "decoding starts anew", (unsigned long long)bytes,
	         bytes == 1 ? "" : "s");
}

static int span_note_bad(struct cairn_reader *r, struct ete_span *sp,
                         const struct cairn_ete_element *e)
{
	if (!sp->bad)
		sp->bad = base_alloc(r->c, MODEL_DAMAGE_KEPT * sizeof *sp->bad);
	if (!sp->bad)
		return CAIRN_E_NOMEM;
	if (sp->n_bad < MODEL_DAMAGE_KEPT)
		sp->bad[sp->n_bad] = (struct ete_bad){e->offset, sp->numbers, e->value, (uint8_t)e->number};
	sp->n_bad++;
	return 0;
}

/* ---- counting ---- */

static void span_count_insns(struct ete_worker *w, const struct ete_block *b, uint32_t n,
                             uint32_t *loads, uint32_t *stores, uint32_t *branches)
{
	const uint8_t *p = b->bytes;
	size_t left = (size_t)(b->end - b->addr);
	for (uint32_t i = 0; i < n; i++) {
		unsigned size;
		uint32_t enc = isa_arm_fetch(b->isa, p, left, &size);
		uint32_t traits = isa_memo_get(w->memo, b->isa, enc, size)->traits;
		*loads += (traits & CAIRN_TRAIT_LOAD) != 0;
		*stores += (traits & CAIRN_TRAIT_STORE) != 0;
		*branches += (traits & CAIRN_TRAIT_BRANCH) != 0;
		p += size;
		left -= size;
	}
}

static void count_range(struct ete_worker *w, struct ete_code *code, const struct cairn_ete_step *s,
                        struct ete_block *b, struct cairn_tally *t)
{
	uint64_t addr = s->start;
	for (uint32_t n = s->n; n; b = NULL) {
		b = b ? b : ete_code_block(code, addr, s->isa, s->view);
		if (!b)
			return;
		uint32_t take = b->n < n ? b->n : n, some[3] = {0};
		if (take == b->n && !b->counted) {
			span_count_insns(w, b, b->n, &b->loads, &b->stores, &b->branches);
			b->counted = true;
		}
		if (take < b->n)
			span_count_insns(w, b, take, &some[0], &some[1], &some[2]);
		bool all = take == b->n;
		t->class_loads += all ? b->loads : some[0];
		t->class_stores += all ? b->stores : some[1];
		t->branches += all ? b->branches : some[2];
		addr = b->end;
		n -= take;
	}
	t->branches_taken += (s->flags & CAIRN_ETE_R_TAKEN) != 0;
}

uint32_t ete_numbers(const struct cairn_ete_step *s)
{
	switch (s->kind) {
	case CAIRN_ETE_STEP_RANGE:
		return s->n;
	case CAIRN_ETE_STEP_GAP:
		return s->reason == CAIRN_ETE_GAP_COUNT ? s->n : 0;
	default:
		return s->element->kind == CAIRN_ETE_Q && s->element->flags & CAIRN_ETE_HAS_COUNT
		           ? s->element->count
		           : 0;
	}
}

static int scan_element(struct cairn_reader *r, struct ete_span *sp,
                        const struct cairn_ete_element *e, struct cairn_tally *t)
{
	if (e->kind == CAIRN_ETE_CONTEXT)
		ete_take_context(&sp->learnt.ctx, e);
	if (!t)
		return 0;
	t->events += e->kind == CAIRN_ETE_EXCEPTION || e->kind == CAIRN_ETE_PE_RESET;
	t->contexts += e->kind == CAIRN_ETE_CONTEXT;
	return ete_is_damage(e) ? span_note_bad(r, sp, e) : 0;
}

static int scan_packets(struct cairn_reader *r, struct ete_span *sp, struct cairn_tally *t)
{
	int rc;
	while ((rc = ete_span_packets(r, sp)) > 0) {
		sp->records += sp->n_buffer;
		for (size_t i = 0; t && i < sp->n_buffer; i++)
			t->by_record[sp->buffer[i].type]++;
	}
	ete_span_rewind(r, sp);
	return rc;
}

/* As records that are elements, for who wants those. */
static int scan_elements(struct cairn_reader *r, struct ete_span *sp, struct cairn_tally *t)
{
	struct cairn_ete_elements_opts opts = {.size = sizeof opts, .transactions = CAIRN_ETE_KEEP};
	struct cairn_ete_elements *in;
	struct cairn_ete_element e;
	int rc = cairn_ete_elements_open(r->c, &sp->program->cfg, &opts, sp->p, sp->n, sp->from, &in);
	if (rc >= 0 && !sp->leads)
		rc = cairn_ete_elements_sync_set(in, sp->begin);
	if (rc >= 0 && !sp->last)
		cairn_ete_elements_limit(in, sp->end);
	while (rc >= 0 && (rc = cairn_ete_elements_next(in, &e)) > 0) {
		sp->records++;
		if (t)
			t->by_record[e.kind]++;
	}
	cairn_ete_elements_close(in);
	return rc;
}

int ete_scan(struct cairn_reader *r, struct model_span *s, struct cairn_tally *t)
{
	const struct ete_impl *im = r->impl;
	struct ete_span *sp = s->priv;
	struct ete_worker *w = s->worker;
	struct cairn_ete_step step;
	uint64_t discarded = 0;
	if (sp->finished)
		return 0;
	int rc = ete_span_flow(r, s);
	while (rc >= 0 && (rc = cairn_ete_flow_next(sp->flow, &step)) > 0) {
		uint64_t before = sp->numbers;
		sp->numbers += ete_numbers(&step);
		if (step.kind == CAIRN_ETE_STEP_RANGE) {
			sp->insns += sp->numbers - before;
			discarded += step.flags & CAIRN_ETE_R_DISCARDED ? step.n : 0;
			if (t)
				count_range(w, sp->flow->code, &step, sp->flow->made, t);
		} else if (step.kind == CAIRN_ETE_STEP_ELEMENT) {
			rc = scan_element(r, sp, step.element, t);
		}
	}
	if (rc >= 0)
		note_flow(&sp->learnt, sp->flow);
	ete_span_rewind(r, sp);
	if (rc >= 0)
		rc = im->elements ? scan_elements(r, sp, t) : scan_packets(r, sp, t);
	if (rc >= 0 && t) {
		t->instructions = sp->insns;
		t->executed = sp->insns - discarded;
		t->records = sp->records;
	}
	return rc < 0 ? rc : 0;
}

/* ---- sealing ---- */

static void span_report_bad(struct cairn_reader *r, struct model_span *s)
{
	struct ete_span *sp = s->priv;
	char text[448];
	for (uint64_t i = 0; i < sp->n_bad; i++) {
		if (i >= MODEL_DAMAGE_KEPT) {
			s->damage.count += sp->n_bad - i;
			break;
		}
		const struct ete_bad *bad = &sp->bad[i];
		ete_bad_text(sp, text, sizeof text, bad->pos, sp->at->n + bad->numbers, bad->reason,
		             bad->bytes);
		model_damaged(r, s, "%s", text);
	}
}

/* What the span did to its unit. */
static void span_compose(struct ete_unit_state *u, const struct ete_span *sp)
{
	const struct cairn_ctx *x = &sp->learnt.ctx;
	u->addr = sp->learnt.addr;
	u->no_addr = sp->learnt.no_addr;
	u->waiting = sp->learnt.waiting;
	u->no_stack = sp->learnt.no_stack;
	u->returned = sp->learnt.returned;
	u->restarts = sp->learnt.restarts;
	u->any = u->any || sp->insns;
	if (x->known & CAIRN_CTX_PRIV) {
		u->ctx.priv = x->priv;
		u->ctx.security = x->security;
	}
	if (x->known & CAIRN_CTX_CTXID)
		u->ctx.ctxid = x->ctxid;
	if (x->known & CAIRN_CTX_VMID)
		u->ctx.vmid = x->vmid;
	u->ctx.known |= x->known;
}

int ete_seal(struct cairn_reader *r, const void *before, struct model_span *s)
{
	struct ete_span *sp = s->priv;
	sp->at = base_alloc(r->c, r->state_size);
	if (!sp->at)
		return CAIRN_E_NOMEM;
	memcpy(sp->at, before, r->state_size);
	if (s->seq == 0)
		sp->at->n = sp->at->rec = 1;
	s->n0 = sp->at->n;
	if (sp->program && !ete_unit(sp)->ctx.known)
		ete_unit(sp)->ctx = (struct cairn_ctx){.known = CAIRN_CTX_HART, .hart = sp->program->hart};
	if (!s->scanned)
		return 0;
	struct ete_state *out = (struct ete_state *)s->exit;
	memcpy(out, sp->at, r->state_size);
	out->n += sp->numbers;
	out->rec += sp->records;
	if (sp->program)
		span_compose(&out->units[sp->unit], sp);
	s->n1 = out->n;
	if (s->counting)
		span_report_bad(r, s);
	return 0;
}

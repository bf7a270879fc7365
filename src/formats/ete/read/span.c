/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: following one, scanning it, and sealing.
 *
 * A span begins where the trace repeats address and context, so it can be followed without
 * anything before it. A scan follows it without making rows and counts its instructions and
 * packets. cairn_count uses the scan, too: loads, stores and branches are counted once for each
 * block of the program.
 */
#include <stdio.h>
#include <string.h>

#include "formats/ete/format.h"

enum { AHEAD = 256 };

int ete_span_flow(struct cairn_reader *reader, struct model_span *span)
{
	const struct ete_impl *im = reader->impl;
	struct ete_span *sp = span->priv;
	struct ete_worker *worker = span->worker;
	int rc = ete_flow_open(reader->cairn, &sp->program->cfg, &worker->codes[sp->unit],
	                       im->transactions, sp->p, sp->n, sp->from, &sp->flow);
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

void ete_take_context(struct cairn_ctx *ctx, const struct cairn_ete_element *element)
{
	ctx->known |= CAIRN_CTX_PRIV | CAIRN_CTX_SECURITY;
	ctx->priv = (uint8_t)(CAIRN_PRIV_EL0 + (element->el & 3));
	ctx->security = element->security;
	if (element->flags & CAIRN_ETE_HAS_CTXID) {
		ctx->known |= CAIRN_CTX_CTXID;
		ctx->ctxid = element->ctxid;
	}
	if (element->flags & CAIRN_ETE_HAS_VMID) {
		ctx->known |= CAIRN_CTX_VMID;
		ctx->vmid = element->vmid;
	}
}

static void note_flow(struct ete_unit_state *state, const struct cairn_ete_flow *flow)
{
	state->addr = flow->addr;
	state->no_addr = flow->no_addr;
	state->waiting = flow->waiting;
	state->no_stack = flow->no_stack;
	state->returned = flow->returned;
	state->restarts = flow->restarts;
}

void ete_span_leave(const struct cairn_reader *reader, struct model_span *span)
{
	struct ete_span *sp = span->priv;
	if (sp->flow)
		note_flow(ete_unit(sp), sp->flow);
	sp->finished = true;
	if (!span->scanned)
		memcpy(span->exit, sp->at, reader->state_size);
}

void ete_span_rewind(struct cairn_reader *reader, struct ete_span *sp)
{
	cairn_ete_flow_close(sp->flow);
	cairn_ete_packets_close(sp->packets);
	base_free(reader->cairn, sp->buffer);
	sp->flow = NULL;
	sp->packets = NULL;
	sp->buffer = NULL;
	sp->n_buffer = sp->at_buffer = 0;
}

int ete_span_packets(struct cairn_reader *reader, struct ete_span *sp)
{
	int rc = 0;
	if (!sp->packets) {
		sp->buffer = base_realloc(reader->cairn, NULL, AHEAD * sizeof *sp->buffer);
		if (!sp->buffer)
			return CAIRN_E_NOMEM;
		rc = cairn_ete_packets_open(reader->cairn, &sp->program->cfg, sp->p, sp->n, sp->from,
		                            &sp->packets);
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

bool ete_is_damage(const struct cairn_ete_element *element)
{
	return element->kind == CAIRN_ETE_NO_SYNC && element->number >= CAIRN_ETE_BAD_PACKET;
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
	         (unsigned long long)n, why ? why : "decoding starts again", (unsigned long long)bytes,
	         bytes == 1 ? "" : "s");
}

static int span_note_bad(struct cairn_reader *reader, struct ete_span *sp,
                         const struct cairn_ete_element *element)
{
	if (!sp->bad)
		sp->bad = base_alloc(reader->cairn, MODEL_DAMAGE_KEPT * sizeof *sp->bad);
	if (!sp->bad)
		return CAIRN_E_NOMEM;
	if (sp->n_bad < MODEL_DAMAGE_KEPT)
		sp->bad[sp->n_bad] = (struct ete_bad){element->offset, sp->numbers, element->value,
		                                      (uint8_t)element->number};
	sp->n_bad++;
	return 0;
}

/* ---- counting ---- */

/* Is the last of them a branch? */
static bool span_count_insns(struct ete_worker *worker, const struct ete_block *block, uint32_t n,
                             uint32_t *loads, uint32_t *stores, uint32_t *branches)
{
	uint32_t traits = 0;
	const uint8_t *p = block->bytes;
	size_t left = (size_t)(block->end - block->addr);
	for (uint32_t i = 0; i < n; i++) {
		unsigned size;
		uint32_t enc = isa_arm_fetch(block->isa, p, left, &size);
		traits = isa_memo_get(worker->memo, block->isa, enc, size)->traits;
		*loads += (traits & CAIRN_TRAIT_LOAD) != 0;
		*stores += (traits & CAIRN_TRAIT_STORE) != 0;
		*branches += (traits & CAIRN_TRAIT_BRANCH) != 0;
		p += size;
		left -= size;
	}
	return traits & CAIRN_TRAIT_BRANCH;
}

static void count_range(struct ete_worker *worker, struct ete_code *code,
                        const struct cairn_ete_step *step, struct ete_block *block,
                        struct cairn_tally *tally)
{
	uint64_t addr = step->start;
	bool branch = false; /* and not an exception's return, which is taken as well */
	for (uint32_t n = step->n; n; block = NULL) {
		block = block ? block : ete_code_block(code, addr, step->isa, step->view);
		if (!block)
			return;
		uint32_t take = block->n < n ? block->n : n, some[3] = {0};
		if (take == block->n && !block->counted) {
			block->branch = span_count_insns(worker, block, block->n, &block->loads, &block->stores,
			                                 &block->branches);
			block->counted = true;
		}
		bool all = take == block->n;
		branch = all ? block->branch
		             : span_count_insns(worker, block, take, &some[0], &some[1], &some[2]);
		tally->class_loads += all ? block->loads : some[0];
		tally->class_stores += all ? block->stores : some[1];
		tally->branches += all ? block->branches : some[2];
		addr = block->end;
		n -= take;
	}
	tally->branches_taken += branch && (step->flags & CAIRN_ETE_R_TAKEN);
}

uint32_t ete_numbers(const struct cairn_ete_step *step)
{
	switch (step->kind) {
	case CAIRN_ETE_STEP_RANGE:
		return step->n;
	case CAIRN_ETE_STEP_GAP:
		return step->reason == CAIRN_ETE_GAP_COUNT ? step->n : 0;
	default:
		return step->element->kind == CAIRN_ETE_Q && step->element->flags & CAIRN_ETE_HAS_COUNT
		           ? step->element->count
		           : 0;
	}
}

static int scan_element(struct cairn_reader *reader, struct ete_span *sp,
                        const struct cairn_ete_element *element, struct cairn_tally *tally)
{
	if (element->kind == CAIRN_ETE_CONTEXT)
		ete_take_context(&sp->learnt.ctx, element);
	if (!tally)
		return 0;
	tally->events += element->kind == CAIRN_ETE_EXCEPTION || element->kind == CAIRN_ETE_PE_RESET;
	tally->contexts += element->kind == CAIRN_ETE_CONTEXT;
	return ete_is_damage(element) ? span_note_bad(reader, sp, element) : 0;
}

static int scan_packets(struct cairn_reader *reader, struct ete_span *sp, struct cairn_tally *tally)
{
	int rc;
	while ((rc = ete_span_packets(reader, sp)) > 0) {
		sp->records += sp->n_buffer;
		for (size_t i = 0; tally && i < sp->n_buffer; i++)
			tally->by_record[sp->buffer[i].type]++;
	}
	ete_span_rewind(reader, sp);
	return rc;
}

/* Count elements as records, if they were asked for. */
static int scan_elements(struct cairn_reader *reader, struct ete_span *sp,
                         struct cairn_tally *tally)
{
	struct cairn_ete_elements_opts opts = {.size = sizeof opts, .transactions = CAIRN_ETE_KEEP};
	struct cairn_ete_elements *in;
	struct cairn_ete_element element;
	int rc = cairn_ete_elements_open(reader->cairn, &sp->program->cfg, &opts, sp->p, sp->n,
	                                 sp->from, &in);
	if (rc >= 0 && !sp->leads)
		rc = cairn_ete_elements_sync_set(in, sp->begin);
	if (rc >= 0 && !sp->last)
		cairn_ete_elements_limit(in, sp->end);
	while (rc >= 0 && (rc = cairn_ete_elements_next(in, &element)) > 0) {
		sp->records++;
		if (tally)
			tally->by_record[element.kind]++;
	}
	cairn_ete_elements_close(in);
	return rc;
}

int ete_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	const struct ete_impl *im = reader->impl;
	struct ete_span *sp = span->priv;
	struct ete_worker *worker = span->worker;
	struct cairn_ete_step step;
	uint64_t discarded = 0;
	if (sp->finished)
		return 0;
	int rc = ete_span_flow(reader, span);
	while (rc >= 0 && (rc = cairn_ete_flow_next(sp->flow, &step)) > 0) {
		uint64_t before = sp->numbers;
		sp->numbers += ete_numbers(&step);
		if (step.kind == CAIRN_ETE_STEP_RANGE) {
			sp->insns += sp->numbers - before;
			discarded += step.flags & CAIRN_ETE_R_DISCARDED ? step.n : 0;
			if (tally)
				count_range(worker, sp->flow->code, &step, sp->flow->made, tally);
		} else if (step.kind == CAIRN_ETE_STEP_ELEMENT) {
			rc = scan_element(reader, sp, step.element, tally);
		}
	}
	if (rc >= 0)
		note_flow(&sp->learnt, sp->flow);
	ete_span_rewind(reader, sp);
	if (rc >= 0)
		rc = im->elements ? scan_elements(reader, sp, tally) : scan_packets(reader, sp, tally);
	if (rc >= 0 && tally) {
		tally->instructions = sp->insns;
		tally->executed = sp->insns - discarded;
		tally->records = sp->records;
	}
	return rc < 0 ? rc : 0;
}

/* ---- sealing ---- */

static void span_report_bad(struct cairn_reader *reader, struct model_span *span)
{
	struct ete_span *sp = span->priv;
	char text[448];
	for (uint64_t i = 0; i < sp->n_bad; i++) {
		if (i >= MODEL_DAMAGE_KEPT) {
			span->damage.count += sp->n_bad - i;
			break;
		}
		const struct ete_bad *bad = &sp->bad[i];
		ete_bad_text(sp, text, sizeof text, bad->pos, sp->at->n + bad->numbers, bad->reason,
		             bad->bytes);
		model_damaged(reader, span, "%s", text);
	}
}

/* Add what the span did to the state of its unit. */
static void span_compose(struct ete_unit_state *state, const struct ete_span *sp)
{
	const struct cairn_ctx *ctx = &sp->learnt.ctx;
	state->addr = sp->learnt.addr;
	state->no_addr = sp->learnt.no_addr;
	state->waiting = sp->learnt.waiting;
	state->no_stack = sp->learnt.no_stack;
	state->returned = sp->learnt.returned;
	state->restarts = sp->learnt.restarts;
	state->any = state->any || sp->insns;
	if (ctx->known & CAIRN_CTX_PRIV) {
		state->ctx.priv = ctx->priv;
		state->ctx.security = ctx->security;
	}
	if (ctx->known & CAIRN_CTX_CTXID)
		state->ctx.ctxid = ctx->ctxid;
	if (ctx->known & CAIRN_CTX_VMID)
		state->ctx.vmid = ctx->vmid;
	state->ctx.known |= ctx->known;
}

int ete_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	struct ete_span *sp = span->priv;
	sp->at = base_alloc(reader->cairn, reader->state_size);
	if (!sp->at)
		return CAIRN_E_NOMEM;
	memcpy(sp->at, before, reader->state_size);
	if (span->seq == 0)
		sp->at->n = sp->at->rec = 1;
	span->n0 = sp->at->n;
	if (sp->program && !ete_unit(sp)->ctx.known)
		ete_unit(sp)->ctx = (struct cairn_ctx){.known = CAIRN_CTX_HART, .hart = sp->program->hart};
	if (!span->scanned)
		return 0;
	struct ete_state *out = (struct ete_state *)span->exit;
	memcpy(out, sp->at, reader->state_size);
	out->n += sp->numbers;
	out->rec += sp->records;
	if (sp->program)
		span_compose(&out->units[sp->unit], sp);
	span->n1 = out->n;
	if (span->counting)
		span_report_bad(reader, span);
	return 0;
}

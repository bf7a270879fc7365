/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: from ranges to batches.
 *
 * Each instruction of a range is a row; only the last of them may have branched. What
 * stands between ranges (exceptions, times, contexts) goes into the slot of the next
 * instruction, before it, or into the last slot when none follows in the batch.
 *
 * - Where an indirect branch went is told by the address that comes later in the trace,
 *   or by the range that follows. So the last row of a batch may stay open for it, and
 *   the batch is not handed out before.
 * - A Q element tells of instructions whose way is not known: they take up numbers, so
 *   the batch ends there.
 * - Without a program there are no ranges: addresses are branch targets, atoms are what
 *   branches did.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/ete/format.h"

struct decoder {
	struct cairn_reader *r;
	const struct ete_impl *im;
	struct ete_worker *w;
	struct model_span *s;
	struct ete_span *sp;
	struct ete_code *code;
	struct cairn_batch *b;
	uint32_t ev0; /* where the slot's events begin */
	int open;     /* row whose target is to come, or may be corrected; -1 none */
	int branch;   /* without a program: the event of an address that may be, too */
	uint16_t seq, ctx;
	bool stop;         /* the batch ends here */
	bool calls;        /* the last row asks a higher level: its exception is to come */
	uint32_t rec, off; /* place, relative to the batch */
	uint64_t dropped;
};

/* ---- places ---- */

/* The packet at or behind `pos` becomes the place. */
static int move_place(struct decoder *u, uint64_t pos)
{
	struct ete_span *sp = u->sp;
	if (!(u->r->want & CAIRN_PLACES))
		return 0;
	for (;;) {
		while (sp->at_buffer < sp->n_buffer && sp->buffer[sp->at_buffer].offset < pos) {
			sp->at_buffer++;
			sp->at->rec++;
		}
		if (sp->at_buffer < sp->n_buffer)
			break;
		int rc = ete_span_packets(u->r, sp);
		if (rc <= 0)
			return rc;
	}
	u->rec = (uint32_t)(sp->at->rec - u->b->rec0);
	u->off = (uint32_t)(ete_place(sp, pos) - u->b->off0);
	return 0;
}

/* ---- events ---- */

static struct cairn_event *ete_decoder_event(struct decoder *u, uint8_t kind, uint8_t phase)
{
	struct cairn_batch *b = u->b;
	if (b->n_events == CAIRN_CAP_EVENTS) {
		u->dropped++;
		return NULL;
	}
	struct cairn_event *e = &b->events[b->n_events++];
	*e = (struct cairn_event){.kind = kind, .phase = phase, .seq = u->seq++};
	return e;
}

static void args(struct decoder *u, struct cairn_event *e, const uint64_t *values, unsigned n)
{
	if (!e || !n)
		return;
	uint32_t at = model_batch_bytes(u->b, 8 * (size_t)n);
	if (at == UINT32_MAX)
		return;
	memcpy(u->b->bytes + at, values, 8 * (size_t)n);
	e->args = at;
	e->len = 8 * n;
}

static void code_event(struct decoder *u, uint8_t kind, uint64_t code)
{
	struct cairn_event *e = ete_decoder_event(u, kind, CAIRN_BEFORE);
	if (e)
		e->code = code;
}

/* Named by the element. */
static struct cairn_event *format_event(struct decoder *u, const struct cairn_ete_element *from,
                                        const uint64_t *values, unsigned n)
{
	struct cairn_event *e = ete_decoder_event(u, CAIRN_EV_FORMAT, CAIRN_BEFORE);
	if (e)
		e->code = from->kind;
	args(u, e, values, n);
	return e;
}

static struct cairn_event *gap_event(struct decoder *u, uint64_t n, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);
static struct cairn_event *gap_event(struct decoder *u, uint64_t n, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	struct cairn_event *e =
		model_batch_text_event(u->b, CAIRN_EV_GAP, u->seq++, text, strlen(text));
	if (e)
		e->code = n;
	else
		u->dropped++;
	return e;
}

/* Where execution goes on behind it. */
static void goes_on_at(struct cairn_event *e, uint64_t target)
{
	if (!e)
		return;
	e->target = target;
	e->flags |= CAIRN_EVF_TARGET;
}

static void ete_decoder_report_dropped(struct decoder *u)
{
	if (u->dropped)
		model_damage_event(u->r, u->s, u->b, u->seq++, u->b->off0 + u->off, 0,
		                   "byte 0x%llx: %llu more events than a slot can hold",
		                   (unsigned long long)(u->b->off0 + u->off),
		                   (unsigned long long)u->dropped);
	u->dropped = 0;
}

/* Numbers of the M profile. */
static uint8_t m_exception_kind(unsigned number)
{
	enum { FIRST_FAULT = 3, SVC = 11, DEBUG = 12, LAZY_FP = 25, LOCKUP = 26 };
	if (number == SVC)
		return CAIRN_EV_SYSCALL;
	return (number >= FIRST_FAULT && number <= DEBUG) || number == LAZY_FP || number == LOCKUP
	           ? CAIRN_EV_EXCEPTION
	           : CAIRN_EV_INTERRUPT;
}

/* The trace says of a Call what called, and interrupts have numbers of their own. */
static uint8_t exception_kind(const struct cairn_ete_element *e)
{
	if (e->flags & CAIRN_ETE_M_PROFILE)
		return m_exception_kind(e->number);
	switch (e->number) {
	case 2:
		return CAIRN_EV_SYSCALL;
	case 1:
	case 4:
	case 14:
	case 15:
		return CAIRN_EV_INTERRUPT;
	default:
		return CAIRN_EV_EXCEPTION;
	}
}

/* Give the events put since the last instruction to it, numbered in their order. */
static void give_to_last(struct decoder *decoder)
{
	struct cairn_batch *b = decoder->b;
	uint32_t first = b->insns[b->n_insns - 1].ev0;
	for (uint32_t k = first; k < b->n_events; k++)
		b->events[k].seq = (uint16_t)(k - first);
	decoder->ev0 = b->n_events;
	decoder->seq = 0;
}

/* Is it that of the last row, which called? Then what was told between is behind that, too. */
static bool is_call(struct decoder *u, const struct cairn_ete_element *from)
{
	struct cairn_batch *b = u->b;
	const struct cairn_insn *row = &b->insns[b->n_insns - 1];
	if (!u->calls || from->address != row->pc + row->size)
		return false;
	for (uint32_t k = u->ev0; k < b->n_events; k++)
		if (b->events[k].kind == CAIRN_EV_CONTEXT)
			return false;
	for (uint32_t k = u->ev0; k < b->n_events; k++)
		b->events[k].phase = CAIRN_AFTER;
	return true;
}

static void decoder_exception(struct decoder *u, const struct cairn_ete_element *from)
{
	bool known = from->kind == CAIRN_ETE_EXCEPTION;
	uint8_t kind = known ? exception_kind(from) : CAIRN_EV_INTERRUPT;
	bool call = kind == CAIRN_EV_SYSCALL && is_call(u, from);
	struct cairn_event *e = ete_decoder_event(u, kind, call ? CAIRN_AFTER : CAIRN_BEFORE);
	if (e)
		e->code = from->number;
	if (known)
		args(u, e, &from->address, 1);
	if (call)
		give_to_last(u);
	u->calls = false;
}

static void lost_event(struct decoder *u, const struct cairn_ete_element *e)
{
	static const char *const whats[] = {
		[CAIRN_ETE_OVERFLOW] = ETE_OVERFLOW_TEXT,
		[CAIRN_ETE_DISCARD] = ETE_DISCARD_TEXT,
		[CAIRN_ETE_LOST] = "the trace does not tell in time what became of it",
		[CAIRN_ETE_END] = "the trace ends before it is told what became of it"};
	if (e->kind == CAIRN_ETE_END && !e->count)
		return;
	struct cairn_event *gap =
		gap_event(u, UINT64_MAX, "%s: %u branch%s or exception%s lost", whats[e->kind], e->count,
	              e->count == 1 ? "" : "es", e->count == 1 ? "" : "s");
	if (gap)
		gap->target = e->count; /* for who writes it again */
}

/* Did the span's hart, whichever trace unit told of it? */
static bool ran_before(const struct decoder *decoder)
{
	bool ran = false;
	for (size_t i = 0; i < decoder->im->n_programs; i++)
		ran |= decoder->im->programs[i].hart == decoder->sp->program->hart &&
		       decoder->sp->at->units[i].any;
	return ran;
}

static void no_sync(struct decoder *u, const struct cairn_ete_element *e)
{
	char text[448];
	if (ete_is_damage(e)) {
		ete_bad_text(u->sp, text, sizeof text, e->offset, u->sp->at->n, e->number, e->value);
		model_damage_event(u->r, u->s, u->b, u->seq++, ete_place(u->sp, e->offset), e->value, "%s",
		                   text);
	} else if (e->number == CAIRN_ETE_AT_START && e->value) {
		gap_event(u, UINT64_MAX, "%llu bytes before the first synchronisation",
		          (unsigned long long)e->value);
	}
	/* A new buffer: what comes need not follow what the hart did before. */
	struct cairn_event *start = NULL;
	if (e->number == CAIRN_ETE_AT_START && u->sp->leads && ran_before(u))
		start = format_event(u, e, NULL, 0);
	if (start)
		start->target = u->sp->unit; /* for who writes it again */
}

static void ete_decoder_context(struct decoder *u, const struct cairn_ete_element *e)
{
	struct cairn_batch *b = u->b;
	struct cairn_ctx *x = &ete_unit(u->sp)->ctx, old = *x;
	ete_take_context(x, e);
	if (!memcmp(x, &old, sizeof old))
		return;
	if (b->n_ctxs == CAIRN_CAP_CTXS) { /* the newest is right */
		b->n_ctxs--;
		u->dropped++;
	}
	b->ctxs[b->n_ctxs] = *x;
	u->ctx = (uint16_t)b->n_ctxs++;
	code_event(u, CAIRN_EV_CONTEXT, u->ctx);
}

static void set_target(struct decoder *u, uint64_t target)
{
	struct cairn_insn *row = &u->b->insns[u->open];
	row->target = target;
	row->flags |= CAIRN_INSN_TARGET;
}

/* Of several addresses before a P0 element the last one counts (IVTLTF). */
static void decoder_address(struct decoder *u, const struct cairn_ete_element *e)
{
	u->sp->aimed = u->open < 0 && u->code->image;
	u->sp->aim = e->address;
	if (u->open >= 0)
		set_target(u, e->address);
	if (u->code->image)
		return;
	struct cairn_event *to = u->branch >= 0 ? &u->b->events[u->branch]
	                                        : ete_decoder_event(u, CAIRN_EV_BRANCH, CAIRN_BEFORE);
	if (to) {
		to->target = e->address;
		to->flags = CAIRN_EVF_TARGET;
		u->branch = (int)(to - u->b->events);
	}
}

/* Where execution was said to be, if nothing ran there: what comes is somewhere else. */
static void report_aim(struct decoder *decoder)
{
	struct cairn_event *e =
		decoder->sp->aimed ? ete_decoder_event(decoder, CAIRN_EV_FORMAT, CAIRN_BEFORE) : NULL;
	if (e)
		e->code = CAIRN_ETE_ADDRESS;
	goes_on_at(e, decoder->sp->aim);
	decoder->sp->aimed = false;
}

/* Does an element say that execution is not, or need not be, where it was said to be? */
static bool moves(const struct decoder *decoder, const struct cairn_ete_element *element)
{
	switch (element->kind) {
	case CAIRN_ETE_EXCEPTION:
		return element->address != decoder->sp->aim;
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_TRACE_ON:
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
	case CAIRN_ETE_PE_RESET:
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		return true;
	default:
		return false;
	}
}

/* What was told of where execution goes is not corrected any more. */
static void settle_target(struct decoder *u)
{
	if (u->open >= 0 && u->b->insns[u->open].flags & CAIRN_INSN_TARGET)
		u->open = -1;
	u->branch = -1;
}

static void decoder_time_event(struct decoder *u, const struct cairn_ete_element *e)
{
	uint64_t cycles = e->cycles;
	if (e->kind == CAIRN_ETE_CYCLES && e->flags & CAIRN_ETE_UNKNOWN) {
		format_event(u, e, NULL, 0);
	} else if (e->kind == CAIRN_ETE_CYCLES) {
		code_event(u, CAIRN_EV_CYCLES, cycles);
	} else if (e->flags & CAIRN_ETE_UNKNOWN) {
		format_event(u, e, &cycles, e->flags & CAIRN_ETE_HAS_CYCLES ? 1 : 0);
	} else {
		struct cairn_event *time = ete_decoder_event(u, CAIRN_EV_TIMESTAMP, CAIRN_BEFORE);
		if (time)
			time->code = e->value;
		args(u, time, &cycles, e->flags & CAIRN_ETE_HAS_CYCLES ? 1 : 0);
	}
}

/* Rows of events that an element is. */
static void decoder_element(struct decoder *u, const struct cairn_ete_element *e)
{
	uint64_t values[2] = {e->el, e->value}, packet[2] = {e->number, e->value};
	if (ete_settles(e))
		settle_target(u);
	if (u->sp->aimed && moves(u, e))
		report_aim(u);
	switch (e->kind) {
	case CAIRN_ETE_NO_SYNC:
		no_sync(u, e);
		u->open = -1;
		break;
	case CAIRN_ETE_TRACE_ON:
		code_event(u, CAIRN_EV_TRACE_ON, e->number);
		u->open = -1;
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
		lost_event(u, e);
		u->open = -1;
		break;
	case CAIRN_ETE_ATOMS:
		for (unsigned i = 0; i < e->n_atoms; i++)
			code_event(u, CAIRN_EV_ATOM, e->atoms >> i & 1);
		break;
	case CAIRN_ETE_EXCEPTION:
		u->sp->aimed = false;
		if (u->open >= 0 && e->flags & CAIRN_ETE_ALSO_TARGET)
			set_target(u, e->address);
		else if (u->open >= 0 && u->sp->flow->stood_known) /* the return stack knew where to */
			set_target(u, u->sp->flow->stood);
		u->open = -1;
		decoder_exception(u, e);
		break;
	case CAIRN_ETE_PE_RESET:
		u->open = -1;
		decoder_exception(u, e);
		break;
	case CAIRN_ETE_SOURCE:
		format_event(u, e, &e->address, 1);
		break;
	case CAIRN_ETE_Q:
		gap_event(u, e->flags & CAIRN_ETE_HAS_COUNT ? e->count : UINT64_MAX,
		          "the trace tells only how many instructions ran");
		u->sp->at->n += e->flags & CAIRN_ETE_HAS_COUNT ? e->count : 0;
		u->stop = e->flags & CAIRN_ETE_HAS_COUNT && e->count;
		break;
	case CAIRN_ETE_EXCEPTION_RETURN:
		code_event(u, CAIRN_EV_TRAP_RETURN, 0);
		break;
	case CAIRN_ETE_TRANSACTION_START:
	case CAIRN_ETE_TRANSACTION_COMMIT:
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
	case CAIRN_ETE_FUNCTION_RETURN:
		format_event(u, e, NULL, 0);
		break;
	case CAIRN_ETE_ADDRESS:
		decoder_address(u, e);
		break;
	case CAIRN_ETE_CONTEXT:
		ete_decoder_context(u, e);
		break;
	case CAIRN_ETE_CYCLES:
	case CAIRN_ETE_TIMESTAMP:
		decoder_time_event(u, e);
		break;
	case CAIRN_ETE_MARKER:
		format_event(u, e, &e->value, !(e->flags & (CAIRN_ETE_UNKNOWN | CAIRN_ETE_IGNORED)));
		break;
	case CAIRN_ETE_EVENT:
		code_event(u, CAIRN_EV_MARKER, e->number);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		format_event(u, e, values, 2);
		break;
	case CAIRN_ETE_CONDITIONAL:
	case CAIRN_ETE_DATA_SYNC:
		format_event(u, e, packet, 2);
		break;
	default:
		break;
	}
}

static void ete_decoder_gap(struct decoder *u, const struct cairn_ete_step *s)
{
	unsigned space = image_space_of(s->el, s->security);
	const char *why = cairn_ete_gap_text(s->reason);
	unsigned long long at = s->start, to = s->end;
	char lost[64] = "";
	u->open = -1;
	if (s->reason == CAIRN_ETE_GAP_COUNT)
		report_aim(u);
	u->sp->aimed = false;
	if (s->n)
		snprintf(lost, sizeof lost, ": %u branch outcome%s not followed", s->n,
		         s->n == 1 ? "" : "s");
	if (s->reason == CAIRN_ETE_GAP_COUNT) {
		goes_on_at(gap_event(u, s->n ? s->n : UINT64_MAX, "%s from 0x%llx to 0x%llx", why, at, to),
		           to);
		u->sp->at->n += s->n;
		u->stop = s->n != 0;
	} else if (s->reason == CAIRN_ETE_GAP_NO_BYTES) {
		gap_event(u, UINT64_MAX, "%s at 0x%llx (%s)%s", why, at, cairn_image_space_name(space),
		          lost);
	} else if (s->reason == CAIRN_ETE_GAP_NO_RETURN || s->reason == CAIRN_ETE_GAP_NO_SOURCE) {
		gap_event(u, UINT64_MAX, "%s: 0x%llx from 0x%llx%s", why, to, at, lost);
	} else {
		gap_event(u, UINT64_MAX, "%s%s", why, lost);
	}
}

/* ---- instructions ---- */

/* Rows of `n` instructions of a block from its beginning; flags of the last come later. */
static void ete_decoder_rows(struct decoder *u, const struct ete_block *b, uint32_t n)
{
	struct cairn_batch *to = u->b;
	struct cairn_insn *row = &to->insns[to->n_insns];
	struct isa_memo *memo = u->w->memo;
	const uint8_t *p = b->bytes;
	uint64_t pc = b->addr;
	size_t left = (size_t)(b->end - b->addr);
	for (uint32_t i = 0; i < n; i++, row++) {
		unsigned size = 4;
		uint32_t enc =
			b->isa == CAIRN_ISA_T32 ? isa_arm_fetch(b->isa, p, left, &size) : base_le32(p);
		const struct cairn_op *op = isa_memo_get(memo, b->isa, enc, size);
		*row = (struct cairn_insn){.pc = pc,
		                           .enc = enc,
		                           .traits = op->traits,
		                           .rec = u->rec,
		                           .off = u->off,
		                           .ctx = u->ctx,
		                           .ev0 = (uint16_t)u->ev0,
		                           .size = (uint8_t)size,
		                           .isa = b->isa,
		                           .cls = op->cls};
		u->ev0 = to->n_events;
		pc += size;
		p += size;
		left -= size;
	}
	to->n_insns += n;
	u->seq = 0;
}

/* The last instruction of a range has been put. */
static void finish_range(struct decoder *u, const struct cairn_ete_step *s)
{
	struct cairn_batch *b = u->b;
	struct cairn_insn *row = &b->insns[b->n_insns - 1];
	u->calls = row->traits & CAIRN_TRAIT_SYSCALL;
	if (s->flags & CAIRN_ETE_R_TARGET) {
		row->target = s->target;
		row->flags |= CAIRN_INSN_TARGET;
	}
	if (s->flags & CAIRN_ETE_R_NOT_TAKEN)
		row->flags |= CAIRN_INSN_NOT_TAKEN;
	if (s->flags & CAIRN_ETE_R_TAKEN) {
		row->flags |= CAIRN_INSN_TAKEN;
		if (!(s->flags & CAIRN_ETE_R_TARGET))
			u->open = (int)b->n_insns - 1;
		if (s->flags & CAIRN_ETE_R_ERET) {
			ete_decoder_event(u, CAIRN_EV_TRAP_RETURN, CAIRN_AFTER);
			give_to_last(u);
		}
	}
}

/* Rows up to a return address: those from the first P0 instruction on, for which no P0 element
 * came, are inferred; all, where that address need not be exact. `p0`: the last is one. */
static void infer(struct ete_span *sp, struct cairn_insn *rows, uint32_t n, bool p0)
{
	for (uint32_t i = 0; i < n; i++)
		if (sp->inferred || (p0 && i + 1 == n))
			rows[i].flags |= CAIRN_INSN_INFERRED;
	sp->inferred |= p0;
}

/* As much of what is left of a range as the batch has room for. */
static int decoder_put_rows(struct decoder *u)
{
	struct ete_span *sp = u->sp;
	struct cairn_ete_step *s = &sp->rest;
	struct cairn_batch *b = u->b;
	uint32_t room = CAIRN_CAP_INSNS - b->n_insns, first = b->n_insns;
	struct ete_block *blk = sp->fresh ? sp->flow->made : NULL;
	if (sp->fresh)
		settle_target(u);
	if (u->open >= 0 && sp->fresh) { /* the return stack knew where to */
		set_target(u, s->start);
		u->open = -1;
	}
	sp->fresh = sp->aimed = false;
	while (sp->left && room) {
		if (!blk)
			blk = ete_code_block(u->code, s->start, s->isa, s->view);
		if (!blk)
			return CAIRN_E_NOMEM;
		uint32_t n = blk->n < sp->left ? blk->n : sp->left;
		n = n < room ? n : room;
		bool whole = n == blk->n;
		ete_decoder_rows(u, blk, n);
		if (s->flags & CAIRN_ETE_R_INEXACT && s->flags & CAIRN_ETE_R_OPEN)
			infer(sp, &b->insns[b->n_insns - n], n, whole && blk->kind != ISA_ARM_NONE);
		room -= n;
		sp->left -= n;
		s->start = b->insns[b->n_insns - 1].pc + b->insns[b->n_insns - 1].size;
		blk = NULL;
	}
	uint32_t flags = s->flags & CAIRN_ETE_R_DISCARDED ? CAIRN_INSN_DISCARDED : 0;
	for (uint32_t i = first; flags && i < b->n_insns; i++)
		b->insns[i].flags |= flags;
	if (s->flags & CAIRN_ETE_R_JUMPED && b->n_insns > first) {
		if (ete_unit(sp)->any)
			b->insns[first].flags |= CAIRN_INSN_DISCONTINUITY;
		s->flags &= (uint16_t)~CAIRN_ETE_R_JUMPED;
	}
	sp->at->n += b->n_insns - first;
	ete_unit(sp)->any = 1;
	if (!sp->left)
		finish_range(u, s);
	return 0;
}

/* ---- a batch ---- */

static bool full(const struct decoder *u)
{
	const struct cairn_batch *b = u->b;
	uint32_t most = u->branch < 0 ? CAIRN_CAP_EVENTS / 2 : CAIRN_CAP_EVENTS * 3 / 4;
	if (u->stop || b->n_events > most || b->n_bytes > CAIRN_CAP_BYTES / 2 ||
	    b->n_ctxs > CAIRN_CAP_CTXS / 2)
		return true;
	return b->n_insns == CAIRN_CAP_INSNS && u->open < 0 && !u->calls;
}

static int ete_decoder_take(struct decoder *u, const struct cairn_ete_step *s)
{
	int rc = move_place(u, s->offset);
	if (rc < 0)
		return rc;
	switch (s->kind) {
	case CAIRN_ETE_STEP_RANGE:
		u->sp->rest = *s;
		u->sp->left = s->n;
		u->sp->fresh = true;
		u->sp->inferred = s->flags & CAIRN_ETE_R_UNSURE;
		u->calls = false;
		return decoder_put_rows(u);
	case CAIRN_ETE_STEP_GAP:
		ete_decoder_gap(u, s);
		return 0;
	default:
		if (s->element->kind != CAIRN_ETE_EXCEPTION_RETURN || !(s->flags & CAIRN_ETE_R_ERET))
			decoder_element(u, s->element);
		return 0;
	}
}

static int finish_span(struct decoder *u)
{
	struct ete_span *sp = u->sp;
	settle_target(u);
	if (u->open >= 0 && sp->ahead_known)
		set_target(u, sp->ahead);
	int rc = move_place(u, UINT64_MAX);
	ete_span_leave(u->r, u->s);
	return rc;
}

static int ete_decoder_fill(struct decoder *u)
{
	struct cairn_ete_step step;
	while (!full(u)) {
		int rc = 1;
		if (!u->sp->left)
			rc = cairn_ete_flow_next(u->sp->flow, &step);
		if (rc == 0)
			rc = finish_span(u);
		else if (rc > 0)
			rc = u->sp->left ? decoder_put_rows(u) : ete_decoder_take(u, &step);
		if (rc < 0 || u->sp->finished)
			return rc;
	}
	return 0;
}

int ete_decode(struct cairn_reader *r, struct model_span *s, struct cairn_batch *b)
{
	struct ete_span *sp = s->priv;
	struct ete_worker *w = s->worker;
	if (sp->finished) {
		if (!sp->program)
			ete_span_leave(r, s);
		return 0;
	}
	struct decoder u =
		{.r = r, .im = r->impl, .w = w, .s = s, .sp = sp, .b = b, .open = -1, .branch = -1};
	int rc = sp->flow ? 0 : ete_span_flow(r, s);
	if (rc < 0)
		return rc;
	u.code = sp->flow->code;
	model_batch_clear(b);
	b->n0 = sp->at->n;
	b->x0 = 1;
	b->rec0 = sp->at->rec;
	b->off0 =
		ete_place(sp, sp->at_buffer < sp->n_buffer ? sp->buffer[sp->at_buffer].offset : sp->begin);
	b->have = r->can & r->want;
	b->ctxs[b->n_ctxs++] = ete_unit(sp)->ctx;
	rc = ete_decoder_fill(&u);
	if (rc < 0)
		return rc;
	ete_decoder_report_dropped(&u);
	model_batch_close(b, 0, 0, u.ev0, u.ctx);
	return !sp->finished || !model_batch_empty(b);
}

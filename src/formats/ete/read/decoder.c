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
#include "kit/rows.h"

struct decoder {
	struct cairn_reader *reader;
	const struct ete_impl *im;
	struct ete_worker *worker;
	struct model_span *span;
	struct ete_span *sp;
	struct ete_code *code;
	struct kit_rows rows;
	int open;   /* row of the branch whose target is still to come, or may be corrected; -1: none */
	int branch; /* without a program: the event of an address that may be corrected, too */
	uint16_t ctx;
	bool stop;         /* the batch ends here */
	bool calls;        /* the last row calls a higher level: its exception is still to come */
	uint32_t rec, off; /* place, relative to the batch */
};

/* ---- places ---- */

/* Make the packet at or behind `pos` the place. */
static int move_place(struct decoder *decoder, uint64_t pos)
{
	struct ete_span *sp = decoder->sp;
	if (!(decoder->reader->want & CAIRN_PLACES))
		return 0;
	for (;;) {
		while (sp->at_buffer < sp->n_buffer && sp->buffer[sp->at_buffer].offset < pos) {
			sp->at_buffer++;
			sp->at->rec++;
		}
		if (sp->at_buffer < sp->n_buffer)
			break;
		int rc = ete_span_packets(decoder->reader, sp);
		if (rc <= 0)
			return rc;
	}
	decoder->rec = (uint32_t)(sp->at->rec - decoder->rows.batch->rec0);
	decoder->off = (uint32_t)(ete_place(sp, pos) - decoder->rows.batch->off0);
	return 0;
}

/* ---- events ---- */

static void code_event(struct decoder *decoder, uint8_t kind, uint64_t code)
{
	struct cairn_event *event = kit_event(&decoder->rows, kind, CAIRN_BEFORE);
	if (event)
		event->code = code;
}

/* Named by the element. */
static struct cairn_event *format_event(struct decoder *decoder,
                                        const struct cairn_ete_element *from,
                                        const uint64_t *values, unsigned n)
{
	struct cairn_event *event = kit_event(&decoder->rows, CAIRN_EV_FORMAT, CAIRN_BEFORE);
	if (event)
		event->code = from->kind;
	kit_args(&decoder->rows, event, values, n);
	return event;
}

static struct cairn_event *gap_event(struct decoder *decoder, uint64_t n, const char *fmt, ...)
	CAIRN_PRINTF(3, 4);
static struct cairn_event *gap_event(struct decoder *decoder, uint64_t n, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	struct cairn_event *event =
		kit_text(&decoder->rows, CAIRN_EV_GAP, CAIRN_BEFORE, text, strlen(text));
	if (event)
		event->code = n;
	return event;
}

/* Where execution goes on behind it. */
static void goes_on_at(struct cairn_event *event, uint64_t target)
{
	if (!event)
		return;
	event->target = target;
	event->flags |= CAIRN_EVF_TARGET;
}

static void ete_decoder_report_dropped(struct decoder *decoder)
{
	uint64_t off = decoder->rows.batch->off0 + decoder->off;
	char place[64], why[192];
	snprintf(place, sizeof place, "byte 0x%llx", (unsigned long long)off);
	if (kit_dropped(&decoder->rows, why, sizeof why, place))
		model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
		                   CAIRN_AFTER, off, 0, "%s", why);
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

/* For a Call, the trace says what called; interrupts have numbers of their own. */
static uint8_t exception_kind(const struct cairn_ete_element *element)
{
	if (element->flags & CAIRN_ETE_M_PROFILE)
		return m_exception_kind(element->number);
	switch (element->number) {
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
	struct cairn_batch *batch = decoder->rows.batch;
	uint32_t first = batch->insns[batch->n_insns - 1].ev0;
	for (uint32_t k = first; k < batch->n_events; k++)
		batch->events[k].seq = (uint16_t)(k - first);
	decoder->rows.ev0 = batch->n_events;
	decoder->rows.seq = 0;
}

/* Is the exception that of the last row, which called? Then events in between are behind that row,
 * too. */
static bool is_call(struct decoder *decoder, const struct cairn_ete_element *from)
{
	struct cairn_batch *batch = decoder->rows.batch;
	const struct cairn_insn *row = &batch->insns[batch->n_insns - 1];
	if (!decoder->calls || from->address != row->pc + row->size)
		return false;
	for (uint32_t k = decoder->rows.ev0; k < batch->n_events; k++)
		if (batch->events[k].kind == CAIRN_EV_CONTEXT)
			return false;
	for (uint32_t k = decoder->rows.ev0; k < batch->n_events; k++)
		batch->events[k].phase = CAIRN_AFTER;
	return true;
}

static void decoder_exception(struct decoder *decoder, const struct cairn_ete_element *from)
{
	bool known = from->kind == CAIRN_ETE_EXCEPTION;
	uint8_t kind = known ? exception_kind(from) : CAIRN_EV_INTERRUPT;
	bool call = kind == CAIRN_EV_SYSCALL && is_call(decoder, from);
	struct cairn_event *event = kit_event(&decoder->rows, kind, call ? CAIRN_AFTER : CAIRN_BEFORE);
	if (event) {
		event->code = from->number;
		event->flags = CAIRN_EVF_RECORD;
	}
	if (known)
		kit_args(&decoder->rows, event, &from->address, 1);
	if (call)
		give_to_last(decoder);
	decoder->calls = false;
}

static void lost_event(struct decoder *decoder, const struct cairn_ete_element *element)
{
	static const struct {
		const char *before, *behind;
	} words[] = {[CAIRN_ETE_OVERFLOW] = {ETE_OVERFLOW_TEXT ": ", "lost"},
	             [CAIRN_ETE_DISCARD] = {ETE_DISCARD_TEXT ": ", "lost"},
	             [CAIRN_ETE_LOST] = {"the trace leaves ", "unresolved for too long"},
	             [CAIRN_ETE_END] = {"the trace ends with ", "unresolved"}};
	if (element->kind == CAIRN_ETE_END && !element->count)
		return;
	struct cairn_event *gap =
		gap_event(decoder, UINT64_MAX, "%s%u branch%s or exception%s %s",
	              words[element->kind].before, element->count, element->count == 1 ? "" : "es",
	              element->count == 1 ? "" : "s", words[element->kind].behind);
	if (gap)
		gap->target = element->count; /* for who writes it again */
}

/* Has the span's hart run before, whichever trace unit reported it? */
static bool ran_before(const struct decoder *decoder)
{
	bool ran = false;
	for (size_t i = 0; i < decoder->im->n_programs; i++)
		ran |= decoder->im->programs[i].hart == decoder->sp->program->hart &&
		       decoder->sp->at->units[i].any;
	return ran;
}

static void no_sync(struct decoder *decoder, const struct cairn_ete_element *element)
{
	char text[448];
	if (ete_is_damage(element)) {
		ete_bad_text(decoder->sp, text, sizeof text, element->offset, decoder->sp->at->n,
		             element->number, element->value);
		model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
		                   CAIRN_BEFORE, ete_place(decoder->sp, element->offset), element->value,
		                   "%s", text);
	} else if (element->number == CAIRN_ETE_AT_START && element->value) {
		gap_event(decoder, UINT64_MAX, "%llu bytes before the first synchronisation",
		          (unsigned long long)element->value);
	}
	/* A new buffer: what comes need not continue what the hart did before. */
	struct cairn_event *start = NULL;
	if (element->number == CAIRN_ETE_AT_START && decoder->sp->leads && ran_before(decoder))
		start = format_event(decoder, element, NULL, 0);
	if (start)
		start->target = decoder->sp->unit; /* for who writes it again */
}

static void ete_decoder_context(struct decoder *decoder, const struct cairn_ete_element *element)
{
	struct cairn_ctx *ctx = &ete_unit(decoder->sp)->ctx, old = *ctx;
	ete_take_context(ctx, element);
	if (!memcmp(ctx, &old, sizeof old))
		return;
	decoder->ctx = kit_context(&decoder->rows, ctx);
	code_event(decoder, CAIRN_EV_CONTEXT, decoder->ctx);
}

static void set_target(struct decoder *decoder, uint64_t target)
{
	struct cairn_insn *row = &decoder->rows.batch->insns[decoder->open];
	row->target = target;
	row->flags |= CAIRN_INSN_TARGET;
}

/* Of several addresses before a P0 element the last one counts (IVTLTF). */
static void decoder_address(struct decoder *decoder, const struct cairn_ete_element *element)
{
	decoder->sp->aimed = decoder->open < 0 && decoder->code->image;
	decoder->sp->aim = element->address;
	if (decoder->open >= 0)
		set_target(decoder, element->address);
	if (decoder->code->image)
		return;
	struct cairn_event *to = decoder->branch >= 0
	                             ? &decoder->rows.batch->events[decoder->branch]
	                             : kit_event(&decoder->rows, CAIRN_EV_BRANCH, CAIRN_BEFORE);
	if (to) {
		to->target = element->address;
		to->flags = CAIRN_EVF_TARGET;
		decoder->branch = (int)(to - decoder->rows.batch->events);
	}
}

/* Execution was said to be somewhere, and nothing ran there: what comes is somewhere else. */
static void report_aim(struct decoder *decoder)
{
	struct cairn_event *event =
		decoder->sp->aimed ? kit_event(&decoder->rows, CAIRN_EV_FORMAT, CAIRN_BEFORE) : NULL;
	if (event)
		event->code = CAIRN_ETE_ADDRESS;
	goes_on_at(event, decoder->sp->aim);
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

/* From here on, the place to which execution goes is not corrected any more. */
static void settle_target(struct decoder *decoder)
{
	if (decoder->open >= 0 && decoder->rows.batch->insns[decoder->open].flags & CAIRN_INSN_TARGET)
		decoder->open = -1;
	decoder->branch = -1;
}

static void decoder_time_event(struct decoder *decoder, const struct cairn_ete_element *element)
{
	uint64_t cycles = element->cycles;
	if (element->kind == CAIRN_ETE_CYCLES && element->flags & CAIRN_ETE_UNKNOWN) {
		format_event(decoder, element, NULL, 0);
	} else if (element->kind == CAIRN_ETE_CYCLES) {
		code_event(decoder, CAIRN_EV_CYCLES, cycles);
	} else if (element->flags & CAIRN_ETE_UNKNOWN) {
		format_event(decoder, element, &cycles, element->flags & CAIRN_ETE_HAS_CYCLES ? 1 : 0);
	} else {
		struct cairn_event *time = kit_event(&decoder->rows, CAIRN_EV_TIMESTAMP, CAIRN_BEFORE);
		if (time)
			time->code = element->value;
		kit_args(&decoder->rows, time, &cycles, element->flags & CAIRN_ETE_HAS_CYCLES ? 1 : 0);
	}
}

/* Put the events that stand for an element. */
static void decoder_element(struct decoder *decoder, const struct cairn_ete_element *element)
{
	uint64_t values[2] = {element->el, element->value},
			 packet[2] = {element->number, element->value};
	if (ete_settles(element))
		settle_target(decoder);
	if (decoder->sp->aimed && moves(decoder, element))
		report_aim(decoder);
	switch (element->kind) {
	case CAIRN_ETE_NO_SYNC:
		no_sync(decoder, element);
		decoder->open = -1;
		break;
	case CAIRN_ETE_TRACE_ON:
		code_event(decoder, CAIRN_EV_TRACE_ON, element->number);
		decoder->open = -1;
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
		lost_event(decoder, element);
		decoder->open = -1;
		break;
	case CAIRN_ETE_ATOMS:
		for (unsigned i = 0; i < element->n_atoms; i++)
			code_event(decoder, CAIRN_EV_ATOM, element->atoms >> i & 1);
		break;
	case CAIRN_ETE_EXCEPTION:
		decoder->sp->aimed = false;
		if (decoder->open >= 0 && element->flags & CAIRN_ETE_ALSO_TARGET)
			set_target(decoder, element->address);
		else if (decoder->open >= 0 &&
		         decoder->sp->flow->stood_known) /* the return stack knew where to */
			set_target(decoder, decoder->sp->flow->stood);
		decoder->open = -1;
		decoder_exception(decoder, element);
		break;
	case CAIRN_ETE_PE_RESET:
		decoder->open = -1;
		decoder_exception(decoder, element);
		break;
	case CAIRN_ETE_SOURCE:
		format_event(decoder, element, &element->address, 1);
		break;
	case CAIRN_ETE_Q:
		gap_event(decoder, element->flags & CAIRN_ETE_HAS_COUNT ? element->count : UINT64_MAX,
		          "the trace only says how many instructions ran");
		decoder->sp->at->n += element->flags & CAIRN_ETE_HAS_COUNT ? element->count : 0;
		decoder->stop = element->flags & CAIRN_ETE_HAS_COUNT && element->count;
		break;
	case CAIRN_ETE_EXCEPTION_RETURN:
		code_event(decoder, CAIRN_EV_TRAP_RETURN, 0);
		break;
	case CAIRN_ETE_TRANSACTION_START:
	case CAIRN_ETE_TRANSACTION_COMMIT:
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
	case CAIRN_ETE_FUNCTION_RETURN:
		format_event(decoder, element, NULL, 0);
		break;
	case CAIRN_ETE_ADDRESS:
		decoder_address(decoder, element);
		break;
	case CAIRN_ETE_CONTEXT:
		ete_decoder_context(decoder, element);
		break;
	case CAIRN_ETE_CYCLES:
	case CAIRN_ETE_TIMESTAMP:
		decoder_time_event(decoder, element);
		break;
	case CAIRN_ETE_MARKER:
		format_event(decoder, element, &element->value,
		             !(element->flags & (CAIRN_ETE_UNKNOWN | CAIRN_ETE_IGNORED)));
		break;
	case CAIRN_ETE_EVENT:
		code_event(decoder, CAIRN_EV_MARKER, element->number);
		break;
	case CAIRN_ETE_INSTRUMENTATION:
		format_event(decoder, element, values, 2);
		break;
	case CAIRN_ETE_CONDITIONAL:
	case CAIRN_ETE_DATA_SYNC:
		format_event(decoder, element, packet, 2);
		break;
	default:
		break;
	}
}

static void ete_decoder_gap(struct decoder *decoder, const struct cairn_ete_step *step)
{
	unsigned space = image_space_of(step->el, step->security);
	const char *why = cairn_ete_gap_text(step->reason);
	unsigned long long at = step->start, to = step->end;
	char lost[64] = "";
	decoder->open = -1;
	if (step->reason == CAIRN_ETE_GAP_COUNT)
		report_aim(decoder);
	decoder->sp->aimed = false;
	if (step->n)
		snprintf(lost, sizeof lost, ": %u branch outcome%s not followed", step->n,
		         step->n == 1 ? "" : "s");
	if (step->reason == CAIRN_ETE_GAP_COUNT) {
		goes_on_at(gap_event(decoder, step->n ? step->n : UINT64_MAX, "%s from 0x%llx to 0x%llx",
		                     why, at, to),
		           to);
		decoder->sp->at->n += step->n;
		decoder->stop = step->n != 0;
	} else if (step->reason == CAIRN_ETE_GAP_NO_BYTES) {
		gap_event(decoder, UINT64_MAX, "%s at 0x%llx (%s)%s", why, at,
		          cairn_image_space_name(space), lost);
	} else if (step->reason == CAIRN_ETE_GAP_NO_RETURN || step->reason == CAIRN_ETE_GAP_NO_SOURCE) {
		gap_event(decoder, UINT64_MAX, "%s: 0x%llx from 0x%llx%s", why, to, at, lost);
	} else {
		gap_event(decoder, UINT64_MAX, "%s%s", why, lost);
	}
}

/* ---- instructions ---- */

/* Put rows of the first `n` instructions of a block; flags of the last one come later. */
static void ete_decoder_rows(struct decoder *decoder, const struct ete_block *block, uint32_t n)
{
	struct cairn_batch *to = decoder->rows.batch;
	struct cairn_insn *row = &to->insns[to->n_insns];
	struct isa_memo *memo = decoder->worker->memo;
	const uint8_t *p = block->bytes;
	uint64_t pc = block->addr;
	size_t left = (size_t)(block->end - block->addr);
	for (uint32_t i = 0; i < n; i++, row++) {
		unsigned size = 4;
		uint32_t enc =
			block->isa == CAIRN_ISA_T32 ? isa_arm_fetch(block->isa, p, left, &size) : base_le32(p);
		const struct cairn_op *op = isa_memo_get(memo, block->isa, enc, size);
		*row = (struct cairn_insn){.pc = pc,
		                           .enc = enc,
		                           .traits = op->traits,
		                           .rec = decoder->rec,
		                           .off = decoder->off,
		                           .ctx = decoder->ctx,
		                           .ev0 = (uint16_t)decoder->rows.ev0,
		                           .size = (uint8_t)size,
		                           .isa = block->isa,
		                           .cls = op->cls};
		decoder->rows.ev0 = to->n_events;
		pc += size;
		p += size;
		left -= size;
	}
	to->n_insns += n;
	decoder->rows.seq = 0;
}

/* The last instruction of a range has been put. */
static void finish_range(struct decoder *decoder, const struct cairn_ete_step *step)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_insn *row = &batch->insns[batch->n_insns - 1];
	decoder->calls = row->traits & CAIRN_TRAIT_SYSCALL;
	if (step->flags & CAIRN_ETE_R_TARGET) {
		row->target = step->target;
		row->flags |= CAIRN_INSN_TARGET;
	}
	if (step->flags & CAIRN_ETE_R_NOT_TAKEN)
		row->flags |= CAIRN_INSN_NOT_TAKEN;
	if (step->flags & CAIRN_ETE_R_TAKEN) {
		row->flags |= CAIRN_INSN_TAKEN;
		if (!(step->flags & CAIRN_ETE_R_TARGET))
			decoder->open = (int)batch->n_insns - 1;
		if (step->flags & CAIRN_ETE_R_ERET) {
			kit_event(&decoder->rows, CAIRN_EV_TRAP_RETURN, CAIRN_AFTER);
			give_to_last(decoder);
		}
	}
}

/* Put rows up to a return address. From the first P0 instruction without a P0 element on they are
 * inferred; all are if that address need not be exact. `p0`: the last one is such an instruction.
 *  */
static void infer(struct ete_span *sp, struct cairn_insn *rows, uint32_t n, bool p0)
{
	for (uint32_t i = 0; i < n; i++)
		if (sp->inferred || (p0 && i + 1 == n))
			rows[i].flags |= CAIRN_INSN_INFERRED;
	sp->inferred |= p0;
}

/* Put as much of the rest of a range as the batch has room for. */
static int decoder_put_rows(struct decoder *decoder)
{
	struct ete_span *sp = decoder->sp;
	struct cairn_ete_step *step = &sp->rest;
	struct cairn_batch *batch = decoder->rows.batch;
	uint32_t room = CAIRN_CAP_INSNS - batch->n_insns, first = batch->n_insns;
	struct ete_block *blk = sp->fresh ? sp->flow->made : NULL;
	if (sp->fresh)
		settle_target(decoder);
	if (decoder->open >= 0 && sp->fresh) { /* the return stack knew where to */
		set_target(decoder, step->start);
		decoder->open = -1;
	}
	sp->fresh = sp->aimed = false;
	while (sp->left && room) {
		if (!blk)
			blk = ete_code_block(decoder->code, step->start, step->isa, step->view);
		if (!blk)
			return CAIRN_E_NOMEM;
		uint32_t n = blk->n < sp->left ? blk->n : sp->left;
		n = n < room ? n : room;
		bool whole = n == blk->n;
		ete_decoder_rows(decoder, blk, n);
		if (step->flags & CAIRN_ETE_R_INEXACT && step->flags & CAIRN_ETE_R_OPEN)
			infer(sp, &batch->insns[batch->n_insns - n], n, whole && blk->kind != ISA_ARM_NONE);
		room -= n;
		sp->left -= n;
		step->start = batch->insns[batch->n_insns - 1].pc + batch->insns[batch->n_insns - 1].size;
		blk = NULL;
	}
	uint32_t flags = step->flags & CAIRN_ETE_R_DISCARDED ? CAIRN_INSN_DISCARDED : 0;
	for (uint32_t i = first; flags && i < batch->n_insns; i++)
		batch->insns[i].flags |= flags;
	if (step->flags & CAIRN_ETE_R_JUMPED && batch->n_insns > first) {
		if (ete_unit(sp)->any)
			batch->insns[first].flags |= CAIRN_INSN_DISCONTINUITY;
		step->flags &= (uint16_t)~CAIRN_ETE_R_JUMPED;
	}
	sp->at->n += batch->n_insns - first;
	ete_unit(sp)->any = 1;
	if (!sp->left)
		finish_range(decoder, step);
	return 0;
}

/* ---- a batch ---- */

static bool full(const struct decoder *decoder)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	uint32_t most = decoder->branch < 0 ? CAIRN_CAP_EVENTS / 2 : CAIRN_CAP_EVENTS * 3 / 4;
	if (decoder->stop || batch->n_events > most || batch->n_bytes > CAIRN_CAP_BYTES / 2 ||
	    batch->n_ctxs > CAIRN_CAP_CTXS / 2)
		return true;
	return batch->n_insns == CAIRN_CAP_INSNS && decoder->open < 0 && !decoder->calls;
}

static int ete_decoder_take(struct decoder *decoder, const struct cairn_ete_step *step)
{
	int rc = move_place(decoder, step->offset);
	if (rc < 0)
		return rc;
	switch (step->kind) {
	case CAIRN_ETE_STEP_RANGE:
		decoder->sp->rest = *step;
		decoder->sp->left = step->n;
		decoder->sp->fresh = true;
		decoder->sp->inferred = step->flags & CAIRN_ETE_R_UNSURE;
		decoder->calls = false;
		return decoder_put_rows(decoder);
	case CAIRN_ETE_STEP_GAP:
		ete_decoder_gap(decoder, step);
		return 0;
	default:
		if (step->element->kind != CAIRN_ETE_EXCEPTION_RETURN || !(step->flags & CAIRN_ETE_R_ERET))
			decoder_element(decoder, step->element);
		return 0;
	}
}

static int finish_span(struct decoder *decoder)
{
	struct ete_span *sp = decoder->sp;
	settle_target(decoder);
	if (decoder->open >= 0 && sp->ahead_known)
		set_target(decoder, sp->ahead);
	int rc = move_place(decoder, UINT64_MAX);
	ete_span_leave(decoder->reader, decoder->span);
	return rc;
}

static int ete_decoder_fill(struct decoder *decoder)
{
	struct cairn_ete_step step;
	while (!full(decoder)) {
		int rc = 1;
		if (!decoder->sp->left)
			rc = cairn_ete_flow_next(decoder->sp->flow, &step);
		if (rc == 0)
			rc = finish_span(decoder);
		else if (rc > 0)
			rc = decoder->sp->left ? decoder_put_rows(decoder) : ete_decoder_take(decoder, &step);
		if (rc < 0 || decoder->sp->finished)
			return rc;
	}
	return 0;
}

int ete_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	struct ete_span *sp = span->priv;
	struct ete_worker *worker = span->worker;
	if (sp->finished) {
		if (!sp->program)
			ete_span_leave(reader, span);
		return 0;
	}
	struct decoder decoder = {.reader = reader,
	                          .im = reader->impl,
	                          .worker = worker,
	                          .span = span,
	                          .sp = sp,
	                          .rows = {.batch = batch, .want = reader->want | CAIRN_EVENTS},
	                          .open = -1,
	                          .branch = -1};
	int rc = sp->flow ? 0 : ete_span_flow(reader, span);
	if (rc < 0)
		return rc;
	decoder.code = sp->flow->code;
	model_batch_clear(batch);
	kit_rows_next(&decoder.rows, true);
	batch->n0 = sp->at->n;
	batch->x0 = 1;
	batch->rec0 = sp->at->rec;
	batch->off0 =
		ete_place(sp, sp->at_buffer < sp->n_buffer ? sp->buffer[sp->at_buffer].offset : sp->begin);
	batch->have = reader->can & reader->want;
	batch->ctxs[batch->n_ctxs++] = ete_unit(sp)->ctx;
	rc = ete_decoder_fill(&decoder);
	if (rc < 0)
		return rc;
	ete_decoder_report_dropped(&decoder);
	model_batch_close(batch, 0, 0, decoder.rows.ev0, decoder.ctx);
	return !sp->finished || !model_batch_empty(batch);
}

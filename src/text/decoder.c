/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding by rows: lines into batches.
 *
 * An instruction's slot holds the rows of its line and of those below it; what comes
 * before the first instruction of a span belongs to that one. Where a branch went is told
 * by the next line of the same hart that begins an instruction, within TEXT_LOOK bytes
 * and OTHERS_MAX instructions: limits by place, so that it does not matter how the log is cut or read.
 */
#include <string.h>

#include "isa/arm64.h"
#include "kit/rows.h"
#include "text/text.h"

enum {
	VALUE_MAX = 8192,
	PART_MAX = 64
};                         /* bytes of the longest register, of a divided access's part */
enum { OTHERS_MAX = 256 }; /* how many instructions of other harts a branch looks past */

struct text_decoder {
	struct cairn_reader *reader;
	const struct text_impl *im;
	struct text_worker *worker;
	struct model_span *span;
	struct text_span *ss;
	struct text_rows_span *rows_span; /* the same */
	struct kit_rows rows;
	struct cairn_tally *tally;
	bool scanning;
	int rc; /* of memory for what a scan notes */
	/* the slot's instruction */
	struct cairn_insn *cur; /* NULL: none yet */
	struct text_line line;
	struct cairn_op op;
	const char *from; /* where its line begins */
	uint32_t n_ctxs;  /* before it */
	bool said_again;  /* by the second line of two */
	bool trapped, branched;
	bool lost; /* a line behind it cannot be read */
	uint64_t went;
	uint32_t later; /* where an event's argument goes that is still to come, + 1; 0: nowhere */
};

/* ---- damage ---- */

/* Where rows stand that are neither register nor access: behind the instruction, or before it. */
static uint8_t phase_here(const struct text_decoder *decoder)
{
	return decoder->cur ? CAIRN_AFTER : CAIRN_BEFORE;
}

static void damage(struct text_decoder *decoder, const char *p, size_t n, const char *why)
{
	struct text_span *ss = decoder->ss;
	uint64_t off = kit_offset_of(&ss->bytes, p);
	if (!decoder->scanning)
		text_damage_event(decoder->reader, decoder->span, &decoder->rows, phase_here(decoder), off,
		                  n, why);
	else if (decoder->rc >= 0)
		decoder->rc = text_note_bad(decoder->reader, ss, ss->at.line, off, why);
}

/* ---- rows ---- */

static void decoder_comment(struct text_decoder *decoder, const char *p, size_t n)
{
	kit_text(&decoder->rows, CAIRN_EV_COMMENT, phase_here(decoder), p, n);
}

static void text_decoder_reg_row(struct text_decoder *decoder, const struct text_row *in)
{
	uint8_t bytes[VALUE_MAX];
	bool sp =
		in->sp_of && decoder->cur && decoder->line.has_priv && decoder->line.priv == in->sp_of;
	if (in->no_name && !sp) {
		decoder_comment(decoder, in->name, (size_t)(in->digits + in->n_digits - in->name));
		return;
	}
	struct cairn_reg *row = kit_reg(&decoder->rows);
	if (!row)
		return;
	size_t n = text_value(in->digits, in->n_digits, bytes, sizeof bytes);
	row->num = sp ? (uint16_t)ISA_ARM64_SP : in->num;
	row->cls = sp ? (uint8_t)CAIRN_REG_INT : in->cls;
	row->bits = in->bits ? in->bits : 8 * (uint32_t)n;
	row->flags = in->zeroes ? (uint8_t)CAIRN_VALUE_ZEROES : (uint8_t)0;
	row->role = in->role       ? in->role
	            : decoder->cur ? (uint8_t)CAIRN_ROLE_DST
	                           : (uint8_t)CAIRN_ROLE_STATE;
	kit_value(&decoder->rows, bytes, n < sizeof bytes ? n : sizeof bytes, &row->value, &row->flags);
	if (!(row->flags & CAIRN_VALUE_WIDE))
		row->value = row->value >> in->shift;
}

static void text_decoder_mem_row(struct text_decoder *decoder, const struct text_row *in)
{
	uint8_t bytes[VALUE_MAX];
	if (!(decoder->rows.want & CAIRN_MEMS))
		return;
	uint32_t said = decoder->cur ? decoder->op.mem_size : 0;
	uint32_t size = in->size ? in->size : said;
	bool split = in->split && said && said <= PART_MAX && said < size && size % said == 0;
	uint32_t piece = split ? said : size;
	size_t n = in->digits ? text_value(in->digits, in->n_digits, bytes, sizeof bytes) : 0;
	for (uint32_t at = 0; at == 0 || at < size; at += piece) {
		struct cairn_mem *mem = kit_mem(&decoder->rows);
		if (!mem)
			return;
		mem->addr = in->addr + at;
		mem->size = piece;
		mem->kind = in->kind;
		if (in->has_pa) {
			mem->pa = in->pa + at;
			mem->flags = CAIRN_VALUE_PA;
		}
		if (n == size && n && at + piece <= sizeof bytes) {
			uint8_t part[PART_MAX] = {0};
			if (split)
				memcpy(part, bytes + at, piece);
			mem->words = (uint16_t)((piece + 7) / 8);
			kit_value(&decoder->rows, split ? part : bytes, piece, &mem->value, &mem->flags);
		}
		if (piece == 0)
			break;
	}
}

static void text_decoder_rows(struct text_decoder *decoder, const struct text_line *line)
{
	struct text_row row;
	bool leave = decoder->rows_span->orphans || (decoder->scanning && !decoder->tally);
	const char *at = leave ? NULL : line->rows;
	while (at && decoder->im->d->next_row(decoder->im, line, &at, &row) > 0) {
		if (row.what == TEXT_ROW_REG)
			text_decoder_reg_row(decoder, &row);
		else if (row.what == TEXT_ROW_MEM)
			text_decoder_mem_row(decoder, &row);
	}
}

/* ---- events ---- */

/* The slot's last event, if it is a trap. */
static struct cairn_event *last_trap(struct text_decoder *decoder)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_event *event =
		batch->n_events > decoder->rows.ev0 ? &batch->events[batch->n_events - 1] : NULL;
	return event && kit_is_trap(event->kind) ? event : NULL;
}

/* The arguments of an event; returns where an ARGUMENT line puts its own, or 0. */
static uint32_t decoder_arguments(struct text_decoder *decoder, const struct text_line *line,
                                  struct cairn_event *event, bool stopped)
{
	uint32_t later = 0, n = (uint32_t)strlen(line->args), at = kit_payload(&decoder->rows, 8 * n);
	if (at == UINT32_MAX)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = line->args[i] == 'p'                  ? line->pc
		             : line->args[i] == 'e' && stopped     ? decoder->line.enc
		             : line->args[i] != 'i' || !stopped    ? 0
		             : decoder->line.isa == CAIRN_ISA_RV32 ? 1
		                                                   : 2;
		memcpy(decoder->rows.batch->bytes + at + 8 * i, &v, sizeof v);
		later = line->args[i] == 'v' ? at + 8 * i + 1 : later;
	}
	event->args = at;
	event->len = 8 * n;
	return later;
}

static void decoder_event_line(struct text_decoder *decoder, const struct text_line *line)
{
	bool stopped = decoder->cur && line->has_pc && line->pc == decoder->line.pc &&
	               line->hart == decoder->line.hart && !decoder->said_again;
	struct cairn_event *event = kit_event(&decoder->rows, line->event, phase_here(decoder));
	if (event) {
		event->code = line->code;
		event->target = line->target;
		event->flags = (uint8_t)(CAIRN_EVF_RECORD | (line->has_target ? CAIRN_EVF_TARGET : 0));
	}
	decoder->later = event && line->args ? decoder_arguments(decoder, line, event, stopped) : 0;
	if (line->code == UINT64_MAX) /* its name has no number */
		decoder_comment(decoder, line->text, line->text_len);
	/* A system call or breakpoint that stops here has done what it is for. */
	if (stopped && !(decoder->op.traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT)))
		decoder->cur->flags |= CAIRN_INSN_ABORTED;
	if (stopped && event)
		event->phase = CAIRN_ON;
	decoder->trapped |= decoder->cur != NULL;
	text_decoder_rows(decoder, line);
}

static void decoder_argument(struct text_decoder *decoder, const struct text_line *line)
{
	if (decoder->later)
		memcpy(decoder->rows.batch->bytes + decoder->later - 1, &line->target, sizeof line->target);
	decoder->later = 0;
}

static void repeated(struct text_decoder *decoder, const struct text_line *line)
{
	static const char why[] = "the log counts repetitions instead of showing them";
	if (!decoder->cur || decoder->said_again || line->code < 2)
		return;
	struct cairn_event *event =
		kit_text(&decoder->rows, CAIRN_EV_GAP, CAIRN_AFTER, why, sizeof why - 1);
	if (event)
		event->code = line->code - 1;
}

static void text_decoder_branch_line(struct text_decoder *decoder, const struct text_line *line)
{
	struct cairn_event *event = last_trap(decoder);
	if (!event && decoder->cur && !decoder->trapped && decoder->op.traits & CAIRN_TRAIT_BRANCH) {
		decoder->branched = true;
		decoder->went = line->target;
		return;
	}
	if (!event && !decoder->trapped)
		event = kit_event(&decoder->rows, CAIRN_EV_BRANCH, phase_here(decoder));
	if (event) {
		event->target = line->target;
		event->flags |= CAIRN_EVF_TARGET;
	}
}

/* ---- where the flow goes ---- */

/* The PC of the next instruction of the slot's hart; p: the next line. A line that cannot be read
 * may have been that instruction. */
static bool following(const struct text_decoder *decoder, const char *p, uint64_t *pc)
{
	const struct text_span *ss = decoder->ss;
	const char *see = ss->bytes.see;
	bool short_of = see - decoder->from > TEXT_LOOK;
	const char *limit = short_of ? decoder->from + TEXT_LOOK : see;
	for (unsigned others = 0; p < limit && others < OTHERS_MAX;) {
		struct text_line line;
		const char *e, *next = text_line_end(p, limit, &e);
		if (next == limit && limit[-1] != '\n' && (short_of || !ss->bytes.see_all))
			return false;
		text_parse(decoder->im, p, e, next, &line);
		if (line.role == TEXT_BAD)
			return false;
		if (line.role == TEXT_INSN && line.hart == decoder->line.hart) {
			*pc = line.pc;
			return true;
		}
		others += line.role == TEXT_INSN;
		p = next;
	}
	return false;
}

/* Was the branch taken, and where to? `next` NULL: not known. */
static void decoder_outcome(struct text_decoder *decoder, const uint64_t *next)
{
	struct cairn_insn *row = decoder->cur;
	if (!(decoder->op.traits & CAIRN_TRAIT_BRANCH) || row->flags & CAIRN_INSN_ABORTED)
		return;
	if (decoder->branched) {
		row->target = decoder->went;
		row->flags |= CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
	} else if (decoder->line.failed) {
		row->flags |= CAIRN_INSN_NOT_TAKEN;
	}
	kit_outcome(row, &decoder->op, decoder->trapped ? NULL : next);
}

/* Where its hart goes on, for the next instruction to be compared with. */
static void decoder_follow(struct text_decoder *decoder)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	unsigned hart = decoder->line.hart;
	bool broken = decoder->trapped || decoder->lost;
	for (uint32_t i = decoder->rows.ev0; !broken && i < batch->n_events; i++)
		broken = batch->events[i].kind == CAIRN_EV_GAP;
	kit_follow(&decoder->rows_span->flow, hart, decoder->cur, &decoder->op, broken);
	decoder->rows_span->touched |= hart < KIT_HARTS ? UINT64_C(1) << hart : 0;
}

/* ---- slots ---- */

/* What a load of one scalar register read is in that register, extended. */
static void decoder_loaded(struct text_decoder *decoder)
{
	struct cairn_batch *batch = decoder->rows.batch;
	const struct cairn_reg *reg = NULL;
	struct cairn_mem *mem = NULL;
	if (!(decoder->op.traits & CAIRN_TRAIT_LOAD) || decoder->op.traits & CAIRN_TRAIT_RESERVED_SC)
		return;
	for (uint32_t i = decoder->rows.reg0; i < batch->n_regs; i++)
		if (batch->regs[i].cls == CAIRN_REG_INT || batch->regs[i].cls == CAIRN_REG_FP) {
			if (reg)
				return;
			reg = &batch->regs[i];
		}
	for (uint32_t i = decoder->rows.mem0; i < batch->n_mems; i++)
		if (batch->mems[i].kind == CAIRN_MEM_READ) {
			if (mem)
				return;
			mem = &batch->mems[i];
		}
	if (!reg || !mem || mem->size == 0 || mem->size > 8 || mem->flags & CAIRN_VALUE_KNOWN ||
	    reg->flags & CAIRN_VALUE_WIDE || reg->bits < 8 * mem->size)
		return;
	mem->value = reg->value & (UINT64_MAX >> (64 - 8 * mem->size));
	mem->words = 1;
	mem->flags |= CAIRN_VALUE_KNOWN;
}

static void text_decoder_report_dropped(struct text_decoder *decoder, const char *p)
{
	if (decoder->rows.dropped)
		damage(decoder, p, 0, "the instruction has more values than a batch holds");
	decoder->rows.dropped = 0;
}

/* The slot of `cur` has everything that belongs to it; p: the next line. */
static void text_decoder_end_slot(struct text_decoder *decoder, const char *p)
{
	struct cairn_batch *batch = decoder->rows.batch;
	uint64_t pc;
	bool ask = decoder->trapped || decoder->op.traits & CAIRN_TRAIT_BRANCH;
	bool known = ask && !decoder->lost && following(decoder, p, &pc);
	decoder_outcome(decoder, known ? &pc : NULL);
	for (uint32_t i = decoder->rows.ev0; known && i < batch->n_events; i++)
		if (batch->events[i].phase != CAIRN_BEFORE && kit_is_trap(batch->events[i].kind) &&
		    !(batch->events[i].flags & CAIRN_EVF_TARGET)) {
			batch->events[i].target = pc;
			batch->events[i].flags |= CAIRN_EVF_TARGET;
		}
	decoder_follow(decoder);
	if (decoder->im->d->loads_fill)
		decoder_loaded(decoder);
	text_decoder_report_dropped(decoder, p);
	decoder->cur = NULL;
	kit_rows_next(&decoder->rows, true);
	decoder->trapped = decoder->branched = decoder->said_again = decoder->lost = false;
	decoder->later = 0;
}

static uint16_t text_decoder_context(struct text_decoder *decoder, const struct text_line *line)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_ctx ctx = {.hart = line->hart,
	                        .priv = line->priv,
	                        .security = line->security,
	                        .known = (line->has_hart ? (uint32_t)CAIRN_CTX_HART : 0) |
	                                 (line->has_priv ? (uint32_t)CAIRN_CTX_PRIV : 0) |
	                                 (line->has_security ? (uint32_t)CAIRN_CTX_SECURITY : 0)};
	if (batch->n_ctxs == 0 || (batch->n_insns == 0 && !decoder->cur))
		batch->n_ctxs = 0;
	for (uint32_t i = batch->n_ctxs; i-- > 0;)
		if (!memcmp(&batch->ctxs[i], &ctx, sizeof ctx))
			return (uint16_t)i;
	return kit_context(&decoder->rows, &ctx);
}

static void text_decoder_instruction(struct text_decoder *decoder, const struct text_line *line,
                                     const char *p)
{
	struct cairn_batch *batch = decoder->rows.batch;
	const struct text_place *at = &decoder->ss->at;
	const struct kit_flow *flow = &decoder->rows_span->flow;
	uint64_t off = kit_offset_of(&decoder->ss->bytes, p) + line->prefix;
	uint32_t flags = 0;
	decoder->op =
		*isa_memo_get(decoder->worker->memo, (enum cairn_isa)line->isa, line->enc, line->size);
	if (kit_jumped(flow, line->hart, line->pc))
		flags |= CAIRN_INSN_DISCONTINUITY;
	kit_rows_from(&decoder->rows, false);
	kit_asm(&decoder->rows, line->text, line->text_len);
	decoder->n_ctxs = batch->n_insns ? batch->n_ctxs : 0;
	uint16_t ctx = text_decoder_context(decoder, line);
	struct cairn_insn *row = &batch->insns[batch->n_insns++];
	*row = (struct cairn_insn){.pc = line->pc,
	                           .enc = line->enc,
	                           .traits = decoder->op.traits,
	                           .flags = flags,
	                           .rec = (uint32_t)(at->line - batch->rec0),
	                           .off = (uint32_t)(off - batch->off0),
	                           .ctx = ctx,
	                           .reg0 = (uint16_t)decoder->rows.reg0,
	                           .mem0 = (uint16_t)decoder->rows.mem0,
	                           .ev0 = (uint16_t)decoder->rows.ev0,
	                           .size = line->size,
	                           .isa = line->isa,
	                           .cls = decoder->op.cls};
	decoder->cur = row;
	decoder->line = *line;
	decoder->from = p;
	decoder->ss->at.n++;
}

/* A second line about the same instruction knows more of who runs. */
static void decoder_say_again(struct text_decoder *decoder, const struct text_line *line)
{
	decoder->said_again = true;
	if (decoder->rows.batch->n_ctxs >
	    decoder->n_ctxs) /* a context of its own, which no other row has */
		decoder->rows.batch->n_ctxs = decoder->n_ctxs;
	decoder->cur->ctx = text_decoder_context(decoder, line);
	text_decoder_rows(decoder, line);
}

static bool same_insn(const struct text_decoder *decoder, const struct text_line *line)
{
	return decoder->cur && !decoder->said_again && text_says_again(&decoder->line, line);
}

/* ---- the walk ---- */

/* What stands behind a line that cannot be read may belong to another instruction, of any hart:
 * where harts go on is not known. Registers and accesses of a lost instruction are left out,
 * because they are not those of the one before it. */
static void text_decoder_bad_line(struct text_decoder *decoder, const struct text_line *line,
                                  const char *p, size_t n)
{
	damage(decoder, p, n, line->why);
	decoder->lost = decoder->cur != NULL;
	decoder->rows_span->flow.known = 0;
	decoder->rows_span->touched = UINT64_MAX >> (64 - KIT_HARTS);
	decoder->rows_span->orphans |= line->lost_insn;
}

static void text_decoder_other_line(struct text_decoder *decoder, const struct text_line *line,
                                    const char *p, size_t n)
{
	bool strange = line->role == TEXT_ROWS && decoder->cur && line->has_hart &&
	               decoder->line.has_hart && line->hart != decoder->line.hart;
	if (decoder->rows_span->orphans && line->role > TEXT_ROWS && line->role != TEXT_NOTHING)
		return; /* it was the lost instruction's */
	switch (line->role) {
	case TEXT_FOREIGN:
		if (n)
			decoder_comment(decoder, p, n);
		return;
	case TEXT_BAD:
		text_decoder_bad_line(decoder, line, p, n);
		return;
	case TEXT_ROWS:
		if (strange)
			damage(decoder, p, n,
			       "the line belongs to another core than the instruction before it");
		else
			text_decoder_rows(decoder, line);
		return;
	case TEXT_EVENT:
		decoder_event_line(decoder, line);
		return;
	case TEXT_ARGUMENT:
		decoder_argument(decoder, line);
		return;
	case TEXT_REPEATED:
		repeated(decoder, line);
		return;
	case TEXT_BRANCH:
		text_decoder_branch_line(decoder, line);
		return;
	default:
		return;
	}
}

/* Take one line; false: it waits for the next batch. */
static bool text_decoder_line(struct text_decoder *decoder, const char *p, const char *end,
                              const char *next)
{
	struct text_line line;
	text_parse(decoder->im, p, end, next, &line);
	bool begins = line.role == TEXT_INSN && !same_insn(decoder, &line);
	if (begins && decoder->cur)
		text_decoder_end_slot(decoder, p);
	if (!decoder->cur && model_batch_full(decoder->rows.batch))
		return false;
	if (line.prefix)
		decoder_comment(decoder, p, line.prefix);
	if (begins) {
		decoder->rows_span->orphans = false;
		text_decoder_instruction(decoder, &line, p);
		text_decoder_rows(decoder, &line);
	} else if (line.role == TEXT_INSN) {
		decoder_say_again(decoder, &line);
	} else {
		text_decoder_other_line(decoder, &line, p, (size_t)(end - p));
	}
	if (decoder->tally)
		decoder->tally->by_record[line.kind]++;
	return true;
}

static void text_decoder_walk(struct text_decoder *decoder)
{
	struct text_span *ss = decoder->ss;
	const char *const end = ss->bytes.window.end;
	for (const char *p = ss->bytes.window.p, *e, *next; p < end; p = next) {
		next = text_line_end(p, end, &e);
		__builtin_prefetch(p + TEXT_AHEAD);
		if (!text_decoder_line(decoder, p, e, next))
			return;
		ss->at.line++;
		ss->at.off += (uint64_t)(next - p);
		ss->bytes.window.p = next;
	}
	if (decoder->cur)
		text_decoder_end_slot(decoder, end);
	else
		text_decoder_report_dropped(decoder, end);
	if (ss->bytes.broken)
		damage(decoder, end, 0, ss->bytes.why);
	decoder->rows_span->orphans = false;
	text_finish(decoder->reader, decoder->span);
}

int text_fill(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch,
              struct cairn_tally *tally, bool scanning)
{
	struct text_span *ss = span->priv;
	struct text_decoder decoder = {.reader = reader,
	                               .im = reader->impl,
	                               .worker = span->worker,
	                               .span = span,
	                               .ss = ss,
	                               .rows_span = span->priv,
	                               .rows = {.batch = batch},
	                               .tally = tally,
	                               .scanning = scanning,
	                               /* Only events change where the flow goes on. */
	                               .rows.want = tally      ? ~0u
	                                            : scanning ? (uint32_t)CAIRN_EVENTS
	                                                       : reader->want};
	text_batch_begin(ss, batch, reader->can & reader->want);
	kit_rows_next(&decoder.rows, true);
	text_decoder_walk(&decoder);
	uint16_t last = batch->n_insns ? batch->insns[batch->n_insns - 1].ctx : 0;
	model_batch_close(batch, decoder.rows.reg0, decoder.rows.mem0, decoder.rows.ev0, last);
	batch->insns[batch->n_insns].isa =
		batch->n_insns ? batch->insns[batch->n_insns - 1].isa : decoder.im->look.isa;
	return decoder.rc < 0 ? decoder.rc : !model_batch_empty(batch);
}

int text_rows_decode(struct cairn_reader *reader, struct model_span *span,
                     struct cairn_batch *batch)
{
	return text_fill(reader, span, batch, NULL, false);
}

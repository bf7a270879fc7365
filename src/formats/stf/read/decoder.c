/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: STF records into batches.
 *
 * All records since the last instruction belong to the next one (STF 1.3, "STF
 * File Anatomy"). The loop below is one switch over descriptors that appends
 * rows; what is frequent is in line, what is rare is a call. A record is only
 * looked at when it is known to lie within the window: far from its end by one
 * compare, near it by measuring.
 *
 * What records do to the PC, the mode and the context is in record/follow.h. Of that the loop
 * has the frequent part in registers: the next PC and the flags of the group.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/read/decoder.h"
#include "isa/arm.h"

enum stop {
	STOP_FULL,   /* a slot has ended and the batch should be handed out */
	STOP_WINDOW, /* the window's records are used up */
	STOP_DAMAGE
};

/* ---- the end of a slot ---- */

/* Rows of the slot that did not fit are reported by an event, for which room is kept. */
static void stf_decoder_report_dropped(struct decoder *decoder)
{
	char text[160], place[96];
	if (!decoder->rows.dropped)
		return;
	stf_place(decoder->ss, place, sizeof place);
	kit_dropped(&decoder->rows, text, sizeof text, place);
	model_damaged(decoder->reader, decoder->span, "%s", text);
	struct cairn_event *event = model_batch_text_event(decoder->rows.batch, CAIRN_EV_DAMAGE,
	                                                   decoder->rows.seq++, text, strlen(text));
	if (event)
		event->phase = CAIRN_AFTER;
}

/* Are arrays full that only rare records fill? Looked at behind those. */
static inline bool rare_rows_full(const struct cairn_batch *batch)
{
	return batch->n_xacts == CAIRN_CAP_XACTS || batch->n_events > CAIRN_CAP_EVENTS / 2 ||
	       batch->n_ctxs > CAIRN_CAP_CTXS / 2 || batch->n_bytes > CAIRN_CAP_BYTES / 2;
}

/* ---- the loop ---- */

/* What is rare stays out of line: in line it would take registers away from what is frequent, which
 * costs a fifth of the speed. */
#define RARE __attribute__((noinline))

/* Context and first child rows of an instruction, as four numbers of 16 bits side by side
 * in its row: one store for a slot. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { ROWS_CTX = 48, ROWS_REG = 32, ROWS_MEM = 16, ROWS_EV = 0, REG_NUM = 16, REG_SEQ = 48 };
#else
enum { ROWS_CTX = 0, ROWS_REG = 16, ROWS_MEM = 32, ROWS_EV = 48, REG_NUM = 32, REG_SEQ = 0 };
#endif
_Static_assert(offsetof(struct cairn_insn, reg0) == offsetof(struct cairn_insn, ctx) + 2 &&
                   offsetof(struct cairn_insn, mem0) == offsetof(struct cairn_insn, ctx) + 4 &&
                   offsetof(struct cairn_insn, ev0) == offsetof(struct cairn_insn, ctx) + 6,
               "the four stand side by side");
/* Number and order of a register's row within the words of struct stf_reg_kind. */
_Static_assert(sizeof(struct cairn_reg) == 24 && offsetof(struct cairn_reg, bits) == 8 &&
                   offsetof(struct cairn_reg, num) == 12 && offsetof(struct cairn_reg, seq) == 16,
               "two words behind the value");

/* What the loop keeps in registers; spilled around calls. Where the rows of a slot begin
 * is written into its row of `insns` before the slot is filled. */
struct hot {
	const uint8_t *p;
	struct cairn_insn *row; /* of the slot */
	struct cairn_mem *mem;  /* as u->mem */
	struct cairn_reg *next_reg;
	struct cairn_mem *next_mem;
	uint64_t pc;
	uint64_t rows; /* context and rows the next slot begins with */
	uint32_t rec;  /* as a place: relative to the batch */
	uint32_t seq;
	uint32_t flags;                /* of the group */
	const struct cairn_insn *stop; /* look when the next slot has this row or a later one */
};

static inline void begin_slot(const struct decoder *decoder, struct hot *hot)
{
	memcpy(&hot->row->ctx, &hot->rows, sizeof hot->rows);
	hot->seq = 0;
	hot->flags = decoder->fresh;
	hot->mem = NULL;
}

static inline void decoder_spill(struct decoder *decoder, const struct hot *hot)
{
	struct cairn_batch *batch = decoder->rows.batch;
	decoder->ss->bytes.window.p = hot->p;
	decoder->mem = hot->mem;
	decoder->at->now.pc = hot->pc;
	decoder->at->now.group = hot->flags;
	decoder->at->rec = batch->rec0 + hot->rec;
	batch->n_insns = (uint32_t)(hot->row - batch->insns);
	decoder->at->n = batch->n0 + batch->n_insns;
	decoder->at->now.begun |= batch->n_insns != 0;
	batch->n_regs = (uint32_t)(hot->next_reg - batch->regs);
	batch->n_mems = (uint32_t)(hot->next_mem - batch->mems);
	decoder->rows.seq = (uint16_t)hot->seq;
}

static inline void reload(const struct decoder *decoder, struct hot *hot)
{
	struct cairn_batch *batch = decoder->rows.batch;
	hot->p = decoder->ss->bytes.window.p;
	hot->mem = decoder->mem;
	hot->pc = decoder->at->now.pc;
	hot->rec = (uint32_t)(decoder->at->rec - batch->rec0);
	hot->row = batch->insns + batch->n_insns;
	hot->row->ctx = decoder->ctx;
	hot->next_reg = batch->regs + batch->n_regs;
	hot->next_mem = batch->mems + batch->n_mems;
	hot->rows = (uint64_t)decoder->ctx << ROWS_CTX | (uint64_t)batch->n_regs << ROWS_REG |
	            (uint64_t)batch->n_mems << ROWS_MEM | (uint64_t)batch->n_events << ROWS_EV;
	hot->seq = decoder->rows.seq;
	hot->flags = decoder->at->now.group;
	bool full = decoder->full || decoder->rows.dropped || batch->n_regs > CAIRN_CAP_REGS / 2 ||
	            batch->n_mems > CAIRN_CAP_MEMS / 2;
	hot->stop = full ? batch->insns : batch->insns + CAIRN_CAP_INSNS;
}

/* An instruction whose slot had more than a target, or whose place is not known: returns its flags,
 * and sets context and place behind it. */
static RARE uint32_t decode_odd(struct decoder *decoder, const struct cairn_insn *row,
                                uint32_t seen, uint32_t flags)
{
	struct stf_follower *now = &decoder->at->now;
	if (!now->pc_known)
		flags |= CAIRN_INSN_PC_UNKNOWN;
	if (!now->pc_known && !(seen & SLOT_TARGET))
		flags &= ~(uint32_t)CAIRN_INSN_TARGET;
	if (seen & SLOT_ABORTED)
		flags |= CAIRN_INSN_ABORTED;
	if (seen & STF_FORCED)
		flags |= CAIRN_INSN_DISCONTINUITY;
	now->pc = row->pc;
	now->group = seen;
	stf_follow_insn(now, row->size);
	if (seen & STF_MODE_LATER)
		decode_context(decoder);
	decoder->bus = NULL;
	decoder->fresh = now->pc_known & STF_PC_TOLD ? 0 : SLOT_ODD; /* who tells it may change */
	return flags;
}

/* An instruction encoding ends the slot. `off` is the place of its record. */
static inline void decode_insn(struct decoder *decoder, struct hot *hot, uint64_t key,
                               unsigned size, uint32_t off)
{
	struct cairn_insn *row = hot->row;
	const struct stf_code *code = stf_code_get(decoder->worker->code, key);
	uint32_t flags = code->flags;
	row->pc = hot->pc;
	/* Which instructions branch cannot be predicted: only these have an offset. */
	row->target = (hot->pc & -(uint64_t)(flags / CAIRN_INSN_TARGET & 1)) + code->offset;
	hot->pc += size;
	memcpy(&row->enc, &code->enc, sizeof code->enc + sizeof code->traits);
	memcpy(&row->size, &code->size, 4);
	if (hot->flags & SLOT_TARGET) {
		row->target = decoder->target;
		hot->pc = decoder->target; /* of an event, which wins, below */
		flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
	}
	if (__builtin_expect((hot->flags & ~(uint32_t)(SLOT_TARGET | STF_GOES)) != 0, 0)) {
		if (hot->flags & SLOT_SETTLE)
			decode_settle(decoder, row, decoder->rows.batch->regs + row->reg0, hot->next_reg,
			              decoder->rows.batch->mems + row->mem0, hot->next_mem);
		flags = decode_odd(decoder, row, hot->flags, flags);
		hot->pc = decoder->at->now.pc;
		hot->rows &= ~((uint64_t)UINT16_MAX << ROWS_CTX);
		hot->rows |= (uint64_t)decoder->ctx << ROWS_CTX;
	}
	row->flags = flags;
	row->rec = hot->rec;
	row->off = off;
	hot->row = row + 1;
	begin_slot(decoder, hot);
}

/* `kind` is the row without number, order and value. */
static inline void decode_reg(struct decoder *decoder, struct hot *hot,
                              const struct stf_reg_kind *kind)
{
	const uint8_t *p = hot->p;
	if (__builtin_expect(hot->next_reg >= decoder->many_regs, 0)) {
		hot->stop = decoder->rows.batch->insns;
		if (hot->next_reg - decoder->rows.batch->regs >= hot->row->reg0 + CAIRN_CAP_REGS / 2) {
			decoder->rows.dropped++;
			return;
		}
	}
	struct cairn_reg *row = hot->next_reg++;
	uint64_t word[] = {kind->word[0] | (uint64_t)stf_INST_REG_reg(p) << REG_NUM,
	                   kind->word[1] | (uint64_t)hot->seq++ << REG_SEQ};
	row->value = stf_reg_value(p);
	memcpy(&row->bits, word, sizeof word);
	hot->rows += (uint64_t)1 << ROWS_REG;
}

static inline void decode_target(struct decoder *decoder, struct hot *hot)
{
	decoder->target = decoder->at->now.target = stf_INST_PC_TARGET_pc(hot->p);
	hot->flags |= SLOT_TARGET | STF_GOES;
	hot->p += STF_LEN_INST_PC_TARGET;
	hot->rec++;
}

/* The value of the access before it. */
static inline void decode_first_content(struct hot *hot)
{
	hot->mem->value = stf_INST_MEM_CONTENT_value(hot->p);
	hot->mem->flags = CAIRN_VALUE_KNOWN;
	hot->mem->words = 1;
	hot->p += STF_LEN_INST_MEM_CONTENT;
	hot->rec++;
}

/* An access whose value is still to come. */
static inline void decode_access(struct decoder *decoder, struct hot *hot)
{
	static const struct cairn_mem kinds[] = {{.kind = CAIRN_MEM_UNKNOWN},
	                                         {.kind = CAIRN_MEM_READ},
	                                         {.kind = CAIRN_MEM_WRITE}};
	const uint8_t *p = hot->p;
	if (__builtin_expect(hot->next_mem >= decoder->many_mems, 0)) {
		hot->stop = decoder->rows.batch->insns;
		if (hot->next_mem - decoder->rows.batch->mems >= hot->row->mem0 + CAIRN_CAP_MEMS / 2) {
			hot->mem = NULL;
			decoder->rows.dropped++;
			return;
		}
	}
	struct cairn_mem *row = hot->mem = hot->next_mem++;
	*row = kinds[stf_INST_MEM_ACCESS_access(p) <= CAIRN_MEM_WRITE ? stf_INST_MEM_ACCESS_access(p)
	                                                              : CAIRN_MEM_UNKNOWN];
	row->addr = stf_INST_MEM_ACCESS_address(p);
	row->size = stf_INST_MEM_ACCESS_bytes(p);
	row->attr = stf_INST_MEM_ACCESS_attributes(p);
	row->seq = (uint16_t)hot->seq++;
	hot->flags |= decoder->access_flag;
	hot->rows += (uint64_t)1 << ROWS_MEM;
}

/* Rows that belong to no transaction come behind the batch's transactions: a group that begins
 * behind such rows begins the next batch. */
static bool ends_transactions(const struct decoder *decoder, uint8_t type)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	return (type == CAIRN_STF_TRANSACTION || type == CAIRN_STF_TRANSACTION_DEPENDENCY) &&
	       decoder->n_deps == 0 && (batch->n_events || batch->n_regs || batch->n_mems);
}

/* A record for which the loop has no case, at the window's place, or a vector register: 1 when it
 * ends the slot, 0 when the slot goes on, < 0 when the walk stops before it (*why says why). */
static RARE int walk_rare(struct decoder *decoder, int64_t *len, enum stop *why)
{
	const uint8_t *p = decoder->ss->bytes.window.p;
	*len = cairn_stf_record_length(decoder->cfg, p, kit_left(&decoder->ss->bytes));
	if (*len <= 0) {
		*why = *len < 0 ? STOP_DAMAGE : STOP_WINDOW;
		return -1;
	}
	if (ends_transactions(decoder, *p)) {
		*why = STOP_FULL;
		return -1;
	}
	const struct cairn_batch *batch = decoder->rows.batch;
	const struct cairn_insn *slot = &batch->insns[batch->n_insns];
	if (decoder->room_of != batch->n_insns + batch->n_xacts) {
		decoder->room_of = batch->n_insns + batch->n_xacts;
		kit_rows_room(&decoder->rows, slot->reg0, slot->mem0, slot->ev0, batch->n_bytes);
	}
	int ended = decode_rare(decoder, p, (size_t)*len);
	decoder->full = rare_rows_full(decoder->rows.batch);
	return ended;
}

/* The slot that has ended may be the batch's last. */
static RARE bool slot_ended(struct decoder *decoder)
{
	const struct cairn_batch *batch = decoder->rows.batch;
	stf_decoder_report_dropped(decoder);
	return decoder->full || batch->n_insns == CAIRN_CAP_INSNS ||
	       batch->n_regs > CAIRN_CAP_REGS / 2 || batch->n_mems > CAIRN_CAP_MEMS / 2;
}

static RARE enum stop stf_decoder_walk(struct decoder *decoder)
{
	const uint8_t *const end = decoder->ss->bytes.window.end;
	const uint64_t off = decoder->ss->bytes.abs - decoder->rows.batch->off0 -
	                     (uint64_t)(uintptr_t)decoder->ss->bytes.window.base;
	const bool regs = decoder->rows.want & CAIRN_REGS, mems = decoder->rows.want & CAIRN_MEMS;
	/* Up to here a record of fixed length lies within the window. */
	const uint8_t *const safe =
		kit_left(&decoder->ss->bytes) < STF_LEN_LONGEST_FIXED ? NULL : end - STF_LEN_LONGEST_FIXED;
	const struct stf_reg_kind *kind;
	enum stop why = STOP_WINDOW;
	struct hot hot;

	reload(decoder, &hot);
	for (;;) {
		int64_t len;
		int rc;
		if (__builtin_expect(hot.p > safe, 0)) {
			if (hot.p == end)
				break;
			if (cairn_stf_record_length(decoder->cfg, hot.p, (size_t)(end - hot.p)) <= 0)
				goto rare; /* which tells why */
		}
		switch (*hot.p) {
		case CAIRN_STF_INST_32:
			decode_insn(decoder, &hot, stf_INST_32_encoding(hot.p) | decoder->key[1], 4,
			            (uint32_t)(off + (uintptr_t)hot.p));
			hot.p += STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			decode_insn(decoder, &hot, stf_INST_16_encoding(hot.p) | decoder->key[0], 2,
			            (uint32_t)(off + (uintptr_t)hot.p));
			hot.p += STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_PC_TARGET:
			decode_target(decoder, &hot);
			continue;
		case CAIRN_STF_INST_REG:
			kind = &decoder->worker->reg[stf_INST_REG_kind(hot.p)];
			if (__builtin_expect(!kind->word[0], 0)) /* a vector, or of cairn's numbers */
				goto rare;
			if (regs)
				decode_reg(decoder, &hot, kind);
			hot.p += STF_LEN_INST_REG + 8;
			hot.rec++;
			continue;
		case CAIRN_STF_INST_MEM_ACCESS:
			if (mems)
				decode_access(decoder, &hot);
			hot.p += STF_LEN_INST_MEM_ACCESS;
			hot.rec++;
			/* Its content follows but rarely not. */
			if (__builtin_expect(hot.p > safe, 0) || *hot.p != CAIRN_STF_INST_MEM_CONTENT)
				continue;
			/* fallthrough */
		case CAIRN_STF_INST_MEM_CONTENT:
			if (!mems) {
				hot.p += STF_LEN_INST_MEM_CONTENT;
				hot.rec++;
				continue;
			}
			if (__builtin_expect(!hot.mem || hot.mem->words, 0))
				goto rare;
			decode_first_content(&hot);
			continue;
		default:
		rare:
			decoder_spill(decoder, &hot);
			rc = walk_rare(decoder, &len, &why);
			reload(decoder, &hot);
			switch (rc) {
			case 0:
				hot.p += len;
				hot.rec++;
				continue;
			case 1:
				hot.p += len;
				break;
			default:
				goto out;
			}
		}
		/* a slot has ended */
		hot.rec++;
		if (__builtin_expect(hot.row < hot.stop, 1))
			continue;
		decoder_spill(decoder, &hot);
		if (slot_ended(decoder))
			return STOP_FULL;
		reload(decoder, &hot);
	}
out:
	decoder_spill(decoder, &hot);
	return why;
}

/* ---- a batch ---- */

/* Put what stands before the first record of the trace, or behind a gap. */
static void greet(struct decoder *decoder)
{
	const struct stf_impl *im = decoder->reader->impl;
	struct stf_span *ss = decoder->ss;
	if (ss->greeted)
		return;
	ss->greeted = true;
	if (ss->header) {
		stf_pass_header(&im->header, ss, decoder->at);
		decoder->rows.batch->rec0 = decoder->at->rec;
		decoder->rows.batch->off0 = kit_offset(&ss->bytes);
		if (im->header.has_pc && !im->header.cfg.protocol)
			decode_forced(decoder, im->header.pc);
	}
	if (decoder->at->gap) {
		static const char why[] = "a damaged chunk was skipped";
		struct cairn_event *event =
			kit_text(&decoder->rows, CAIRN_EV_GAP, CAIRN_BEFORE, why, sizeof why - 1);
		if (event)
			event->code = decoder->at->gap;
		decoder->at->gap = 0;
	}
}

static void report_damage(struct decoder *decoder)
{
	const char *text = stf_damage_at(decoder->reader, decoder->span);
	struct cairn_event *event = model_batch_text_event(decoder->rows.batch, CAIRN_EV_DAMAGE,
	                                                   decoder->rows.seq++, text, strlen(text));
	if (event)
		event->code = kit_offset(&decoder->ss->bytes);
}

/* Walk until the batch is full or the span has ended. */
static int stf_decoder_fill(struct decoder *decoder)
{
	struct stf_span *ss = decoder->ss;
	for (;;) {
		enum stop why = stf_decoder_walk(decoder);
		if (why == STOP_FULL)
			return 0;
		int rc = 0;
		if (why == STOP_WINDOW && !ss->stopped) {
			rc = stf_window_fill(decoder->reader, decoder->span);
			if (rc < 0)
				return rc;
			if (rc > 0)
				continue;
		}
		/* A chunk that broke off has been reported; a record cut off by that is not reported as
		 * well. */
		if (kit_left(&ss->bytes) > 0 || ss->stopped) {
			report_damage(decoder);
			decoder->at->damaged = 1;
		}
		ss->finished = true;
		return 0;
	}
}

int stf_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	struct stf_worker *worker = span->worker;
	struct stf_state *at = &ss->at;

	if (ss->finished)
		return 0;
	if (stf_need_code(reader->cairn, worker) < 0)
		return CAIRN_E_NOMEM;
	if ((im->reading.bits || im->reading.after) && stf_need_memo(reader->cairn, worker) < 0)
		return CAIRN_E_NOMEM;
	model_batch_clear(batch);
	batch->n0 = at->n;
	batch->x0 = at->x;
	batch->rec0 = at->rec;
	batch->off0 = kit_offset(&ss->bytes);
	batch->have = reader->want & reader->can & ~(ss->places_unknown ? (uint32_t)CAIRN_PLACES : 0u);
	batch->ctxs[0] = at->now.ctx;
	batch->n_ctxs = 1;
	struct decoder decoder = {.reader = reader,
	                          .cfg = &im->header.cfg,
	                          .span = span,
	                          .ss = ss,
	                          .at = at,
	                          .rows = {.batch = batch, .want = reader->want | CAIRN_EVENTS},
	                          .worker = worker,
	                          .many_regs = batch->regs + CAIRN_CAP_REGS / 2,
	                          .many_mems = batch->mems + CAIRN_CAP_MEMS / 2,
	                          .ours = stf_isa_is_ours(im->header.cfg.isa)};
	decoder.reading = &im->reading;
	decoder.access_flag = decoder.reading->bits ? SLOT_SETTLE : 0;
	const struct stf_set *set = decoder.ours ? stf_set_of((enum cairn_isa)at->now.isa) : NULL;
	decoder.mode0 = set ? set->mode0 : 0;
	decode_know_isa(&decoder, at->now.isa);
	decode_begin_slot(&decoder);
	memset(batch->insns, 0, sizeof *batch->insns); /* no rows before the first slot's */
	kit_rows_next(&decoder.rows, false);
	greet(&decoder);
	int rc = stf_decoder_fill(&decoder);
	if (rc < 0 && model_batch_empty(batch))
		return rc;
	/* What was read before a failure comes first; the next call fails again. */
	stf_decoder_report_dropped(&decoder);
	const uint32_t seen = at->now.group; /* of the group within which the span ends */
	stf_follow_end(&at->now);
	if (seen & STF_MODE_LATER)
		decode_context(&decoder);
	for (uint32_t i = 0; decoder.mode0 && i < batch->n_ctxs;
	     i++) /* inside, modes are the records' */
		if (batch->ctxs[i].known & CAIRN_CTX_PRIV)
			batch->ctxs[i].priv = (uint8_t)(batch->ctxs[i].priv + decoder.mode0);
	const struct cairn_insn *slot = &batch->insns[batch->n_insns];
	if (seen & SLOT_SETTLE)
		decode_settle(&decoder, NULL, batch->regs + slot->reg0, batch->regs + batch->n_regs,
		              batch->mems + slot->mem0, batch->mems + batch->n_mems);
	model_batch_close(batch, slot->reg0, slot->mem0, slot->ev0, decoder.ctx);
	if (!ss->finished)
		return 1;
	at->off = kit_offset(&ss->bytes);
	memcpy(span->exit, at, sizeof *at);
	return !model_batch_empty(batch);
}

/* ---- names ---- */

/* For sets that STF does not number: Arm's are the types that trace units report; T32 without the
 * others may be a core of the M profile, whose numbers differ. */
static const char *our_name(const struct cairn_stf_config *cfg, const struct cairn_event *event)
{
	enum cairn_isa isa = stf_isa(cfg, cfg->iem);
	return isa == CAIRN_ISA_A64 || isa == CAIRN_ISA_A32 ? isa_arm_exception_name(event->code)
	                                                    : NULL;
}

const char *stf_ev_name(const struct cairn_reader *reader, const struct cairn_event *event,
                        char *buf)
{
	const struct cairn_stf_config *cfg = &((const struct stf_impl *)reader->impl)->header.cfg;
	bool ours = stf_isa_is_ours(cfg->isa);
	switch (event->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_SYSCALL:
		return ours ? our_name(cfg, event) : stf_event_name(event->code, buf);
	case CAIRN_EV_INTERRUPT:
		return ours ? our_name(cfg, event) : stf_event_name(event->code | STF_EVENT_INTERRUPT, buf);
	case CAIRN_EV_MODE:
		return "MODE_CHANGE";
	case CAIRN_EV_PAGE_WALK:
		return "PAGE_TABLE_WALK";
	case CAIRN_EV_MICRO_OP:
		return "INST_MICROOP";
	case CAIRN_EV_MODE_ISA:
		return "INST_IEM";
	case CAIRN_EV_FORMAT:
		if (event->code >> 32) {
			const struct stf_type *type = stf_type((unsigned)(event->code >> 32));
			return type ? type->name : NULL;
		}
		return stf_event_name(event->code | STF_EVENT_SPECIAL, buf);
	default:
		return NULL;
	}
}

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
 * PCs (sheet, "PC computation"): FORCE_PC moves this group's instruction; the
 * targets of INST_PC_TARGET and EVENT_PC_TARGET move the one after it, the last
 * one wins. PCs are never masked.
 *
 * A mode change holds for the instructions after its group, except at the start
 * of the trace and together with a FORCE_PC, where the specification has it
 * tell the mode of what follows at once.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/decoder.h"
#include "isa/arm.h"

enum stop {
	STOP_FULL,   /* a slot has ended and the batch should be handed out */
	STOP_WINDOW, /* the window's records are used up */
	STOP_DAMAGE
};

/* ---- the end of a slot ---- */

/* Rows of the slot that did not fit are told by an event, for which room is kept. */
static void stf_decoder_report_dropped(struct decoder *u)
{
	if (!u->dropped)
		return;
	struct cairn_batch *b = u->b;
	char text[160], place[96];
	stf_place(u->ss, place, sizeof place);
	int n =
		snprintf(text, sizeof text, "%s: the instruction has %llu more values than a batch holds",
	             place, (unsigned long long)u->dropped);
	model_damaged(u->r, u->s, "%s", text);
	u->dropped = 0;
	model_batch_text_event(b, CAIRN_EV_DAMAGE, u->seq++, text, (size_t)n);
}

/* Of the arrays that only rare records fill: looked at after those. */
static inline bool rare_rows_full(const struct cairn_batch *b)
{
	return b->n_xacts == CAIRN_CAP_XACTS || b->n_events > CAIRN_CAP_EVENTS / 2 ||
	       b->n_ctxs > CAIRN_CAP_CTXS / 2 || b->n_bytes > CAIRN_CAP_BYTES / 2;
}

/* ---- the loop ---- */

/* What is rare stays out of line: in line it would take the registers away from what is
 * frequent, which is a fifth of the speed. */
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
	uint32_t flags;                /* as u->flags */
	const struct cairn_insn *stop; /* when the next slot has this row or a later one, look */
};

static inline void begin_slot(const struct decoder *u, struct hot *h)
{
	memcpy(&h->row->ctx, &h->rows, sizeof h->rows);
	h->seq = 0;
	h->flags = u->fresh;
	h->mem = NULL;
}

static inline void decoder_spill(struct decoder *u, const struct hot *h)
{
	struct cairn_batch *b = u->b;
	u->ss->w.p = h->p;
	u->mem = h->mem;
	u->at->pc = h->pc;
	u->at->rec = b->rec0 + h->rec;
	b->n_insns = (uint32_t)(h->row - b->insns);
	u->at->n = b->n0 + b->n_insns;
	u->at->begun |= b->n_insns != 0;
	b->n_regs = (uint32_t)(h->next_reg - b->regs);
	b->n_mems = (uint32_t)(h->next_mem - b->mems);
	u->seq = (uint16_t)h->seq;
	u->flags = h->flags;
}

static inline void reload(const struct decoder *u, struct hot *h)
{
	struct cairn_batch *b = u->b;
	h->p = u->ss->w.p;
	h->mem = u->mem;
	h->pc = u->at->pc;
	h->rec = (uint32_t)(u->at->rec - b->rec0);
	h->row = b->insns + b->n_insns;
	h->row->ctx = u->ctx;
	h->next_reg = b->regs + b->n_regs;
	h->next_mem = b->mems + b->n_mems;
	h->rows = (uint64_t)u->ctx << ROWS_CTX | (uint64_t)b->n_regs << ROWS_REG |
	          (uint64_t)b->n_mems << ROWS_MEM | (uint64_t)b->n_events << ROWS_EV;
	h->seq = u->seq;
	h->flags = u->flags;
	bool full =
		u->full || u->dropped || b->n_regs > CAIRN_CAP_REGS / 2 || b->n_mems > CAIRN_CAP_MEMS / 2;
	h->stop = full ? b->insns : b->insns + CAIRN_CAP_INSNS;
}

/* An instruction whose slot had more than a target, or whose place is not known: what that
 * makes of its flags. Context and place behind it are set. */
static RARE uint32_t decode_odd(struct decoder *u, uint32_t seen, uint32_t flags)
{
	struct stf_state *at = u->at;
	if (!at->pc_known)
		flags |= CAIRN_INSN_PC_UNKNOWN;
	if (!at->pc_known && !(seen & SLOT_TARGET))
		flags &= ~(uint32_t)CAIRN_INSN_TARGET;
	if (seen & SLOT_ABORTED)
		flags |= CAIRN_INSN_ABORTED;
	if (seen & SLOT_FORCED)
		flags |= CAIRN_INSN_DISCONTINUITY;
	if (seen & SLOT_MODE_LATER)
		decode_set_priv(u, u->later_priv);
	u->bus = NULL;
	at->pc_known |= (seen & SLOT_TARGET) != 0;
	if (at->has_target) { /* the last one wins: an event's */
		at->pc = at->target;
		at->has_target = 0;
		at->pc_known = 1;
	}
	u->fresh = at->pc_known & STF_PC_TOLD ? 0 : SLOT_ODD; /* who tells it may change */
	return flags;
}

/* An instruction encoding ends the slot. `off` is the place of its record. */
static inline void decode_insn(struct decoder *u, struct hot *h, uint64_t key, unsigned size,
                               uint32_t off)
{
	struct cairn_insn *row = h->row;
	const struct stf_code *code = stf_code_get(u->w->code, key);
	uint32_t flags = code->flags;
	row->pc = h->pc;
	/* Which instructions branch cannot be predicted: only these have an offset. */
	row->target = (h->pc & -(uint64_t)(flags / CAIRN_INSN_TARGET & 1)) + code->offset;
	h->pc += size;
	memcpy(&row->enc, &code->enc, sizeof code->enc + sizeof code->traits);
	memcpy(&row->size, &code->size, 4);
	if (h->flags & SLOT_TARGET) {
		row->target = u->target;
		h->pc = u->target;
		flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
	}
	if (__builtin_expect((h->flags & ~(uint32_t)SLOT_TARGET) != 0, 0)) {
		if (h->flags & SLOT_SETTLE)
			decode_settle(u, row, u->b->regs + row->reg0, h->next_reg, u->b->mems + row->mem0,
			              h->next_mem);
		u->at->pc = h->pc;
		flags = decode_odd(u, h->flags, flags);
		h->pc = u->at->pc;
		h->rows &= ~((uint64_t)UINT16_MAX << ROWS_CTX);
		h->rows |= (uint64_t)u->ctx << ROWS_CTX;
	}
	row->flags = flags;
	row->rec = h->rec;
	row->off = off;
	h->row = row + 1;
	begin_slot(u, h);
}

/* `kind` is the row but for number, order and value. */
static inline void decode_reg(struct decoder *u, struct hot *h, const struct stf_reg_kind *kind)
{
	const uint8_t *p = h->p;
	if (__builtin_expect(h->next_reg >= u->many_regs, 0)) {
		h->stop = u->b->insns;
		if (h->next_reg == u->b->regs + CAIRN_CAP_REGS) {
			u->dropped++;
			return;
		}
	}
	struct cairn_reg *row = h->next_reg++;
	uint64_t word[] = {kind->word[0] | (uint64_t)base_le16(p + 1) << REG_NUM,
	                   kind->word[1] | (uint64_t)h->seq++ << REG_SEQ};
	row->value = base_le64(p + 4);
	memcpy(&row->bits, word, sizeof word);
	h->rows += (uint64_t)1 << ROWS_REG;
}

static inline void decode_target(struct decoder *u, struct hot *h)
{
	u->target = base_le64(h->p + 1);
	u->at->has_target = 0;
	h->flags |= SLOT_TARGET;
	h->p += STF_LEN_INST_PC_TARGET;
	h->rec++;
}

/* The value of the access it follows. */
static inline void decode_first_content(struct hot *h)
{
	h->mem->value = base_le64(h->p + 1);
	h->mem->flags = CAIRN_VALUE_KNOWN;
	h->mem->words = 1;
	h->p += STF_LEN_INST_MEM_CONTENT;
	h->rec++;
}

/* An access whose value has yet to come. */
static inline void decode_access(struct decoder *u, struct hot *h)
{
	static const struct cairn_mem kinds[] = {{.kind = CAIRN_MEM_UNKNOWN},
	                                         {.kind = CAIRN_MEM_READ},
	                                         {.kind = CAIRN_MEM_WRITE}};
	const uint8_t *p = h->p;
	if (__builtin_expect(h->next_mem >= u->many_mems, 0)) {
		h->stop = u->b->insns;
		if (h->next_mem == u->b->mems + CAIRN_CAP_MEMS) {
			h->mem = NULL;
			u->dropped++;
			return;
		}
	}
	struct cairn_mem *row = h->mem = h->next_mem++;
	*row = kinds[p[13] <= CAIRN_MEM_WRITE ? p[13] : CAIRN_MEM_UNKNOWN];
	row->addr = base_le64(p + 1);
	row->size = base_le16(p + 9);
	row->attr = base_le16(p + 11);
	row->seq = (uint16_t)h->seq++;
	h->flags |= u->access_flag;
	h->rows += (uint64_t)1 << ROWS_MEM;
}

/* Rows that belong to no transaction come after the batch's transactions: when a
 * group begins behind such rows, it begins the next batch. */
static bool ends_transactions(const struct decoder *u, uint8_t type)
{
	const struct cairn_batch *b = u->b;
	return (type == CAIRN_STF_TRANSACTION || type == CAIRN_STF_TRANSACTION_DEPENDENCY) &&
	       u->n_deps == 0 && (b->n_events || b->n_regs || b->n_mems);
}

/* The record at the window's place, for which the loop has no case, or a vector register:
 * 1 when it ends the slot, 0 when the slot goes on, < 0 when the walk stops before it (*why
 * says why). */
static RARE int walk_rare(struct decoder *u, int64_t *len, enum stop *why)
{
	const uint8_t *p = u->ss->w.p;
	*len = cairn_stf_record_length(u->cfg, p, (size_t)(u->ss->w.end - p));
	if (*len <= 0) {
		*why = *len < 0 ? STOP_DAMAGE : STOP_WINDOW;
		return -1;
	}
	if (ends_transactions(u, *p)) {
		*why = STOP_FULL;
		return -1;
	}
	int ended = decode_rare(u, p, (size_t)*len);
	u->full = rare_rows_full(u->b);
	return ended;
}

/* The slot that has ended may be the batch's last. */
static RARE bool slot_ended(struct decoder *u)
{
	const struct cairn_batch *b = u->b;
	stf_decoder_report_dropped(u);
	return u->full || b->n_insns == CAIRN_CAP_INSNS || b->n_regs > CAIRN_CAP_REGS / 2 ||
	       b->n_mems > CAIRN_CAP_MEMS / 2;
}

static RARE enum stop stf_decoder_walk(struct decoder *u)
{
	const uint8_t *const end = u->ss->w.end;
	const uint64_t off = u->ss->abs - u->b->off0 - (uint64_t)(uintptr_t)u->ss->w.base;
	const bool regs = u->want & CAIRN_REGS, mems = u->want & CAIRN_MEMS;
	/* Up to here a record of fixed length lies within the window. */
	const uint8_t *const safe =
		end - u->ss->w.p < STF_LEN_LONGEST_FIXED ? NULL : end - STF_LEN_LONGEST_FIXED;
	const struct stf_reg_kind *kind;
	enum stop why = STOP_WINDOW;
	struct hot h;

	reload(u, &h);
	for (;;) {
		int64_t len;
		int rc;
		if (__builtin_expect(h.p > safe, 0)) {
			if (h.p == end)
				break;
			if (cairn_stf_record_length(u->cfg, h.p, (size_t)(end - h.p)) <= 0)
				goto rare; /* which tells why */
		}
		switch (*h.p) {
		case CAIRN_STF_INST_32:
			decode_insn(u, &h, base_le32(h.p + 1) | u->key[1], 4, (uint32_t)(off + (uintptr_t)h.p));
			h.p += STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			decode_insn(u, &h, base_le16(h.p + 1) | u->key[0], 2, (uint32_t)(off + (uintptr_t)h.p));
			h.p += STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_PC_TARGET:
			decode_target(u, &h);
			continue;
		case CAIRN_STF_INST_REG:
			kind = &u->w->reg[h.p[3]];
			if (__builtin_expect(!kind->word[0], 0)) /* a vector, or of cairn's numbers */
				goto rare;
			if (regs)
				decode_reg(u, &h, kind);
			h.p += STF_LEN_INST_REG + 8;
			h.rec++;
			continue;
		case CAIRN_STF_INST_MEM_ACCESS:
			if (mems)
				decode_access(u, &h);
			h.p += STF_LEN_INST_MEM_ACCESS;
			h.rec++;
			/* Its content follows but rarely not. */
			if (__builtin_expect(h.p > safe, 0) || *h.p != CAIRN_STF_INST_MEM_CONTENT)
				continue;
			/* fallthrough */
		case CAIRN_STF_INST_MEM_CONTENT:
			if (!mems) {
				h.p += STF_LEN_INST_MEM_CONTENT;
				h.rec++;
				continue;
			}
			if (__builtin_expect(!h.mem || h.mem->words, 0))
				goto rare;
			decode_first_content(&h);
			continue;
		default:
		rare:
			decoder_spill(u, &h);
			rc = walk_rare(u, &len, &why);
			reload(u, &h);
			switch (rc) {
			case 0:
				h.p += len;
				h.rec++;
				continue;
			case 1:
				h.p += len;
				break;
			default:
				goto out;
			}
		}
		/* a slot has ended */
		h.rec++;
		if (__builtin_expect(h.row < h.stop, 1))
			continue;
		decoder_spill(u, &h);
		if (slot_ended(u))
			return STOP_FULL;
		reload(u, &h);
	}
out:
	decoder_spill(u, &h);
	return why;
}

/* ---- a batch ---- */

/* What stands before the first record of the trace, or of what follows a gap. */
static void greet(struct decoder *u)
{
	const struct stf_impl *im = u->r->impl;
	struct stf_span *ss = u->ss;
	if (ss->greeted)
		return;
	ss->greeted = true;
	if (ss->header) {
		size_t header = stf_header_bytes(ss, &im->header);
		ss->w.p += header;
		u->at->rec += im->header.records;
		u->b->rec0 = u->at->rec;
		u->b->off0 = ss->abs + header;
		if (im->header.has_pc && !im->header.cfg.protocol)
			decode_force_pc(u, im->header.pc);
	}
	if (u->at->gap) {
		static const char why[] = "a damaged chunk was skipped";
		struct cairn_event *e = decode_event_row(u, CAIRN_EV_GAP);
		if (e) {
			e->code = u->at->gap;
			e->phase = CAIRN_BEFORE;
			decode_event_bytes(u, e, (const uint8_t *)why, sizeof why - 1, true);
		}
		u->at->gap = 0;
	}
}

static void report_damage(struct decoder *u)
{
	const struct stf_window *w = &u->ss->w;
	const char *text = stf_damage_at(u->r, u->s);
	struct cairn_event *e =
		model_batch_text_event(u->b, CAIRN_EV_DAMAGE, u->seq++, text, strlen(text));
	if (e)
		e->code = u->ss->abs + (uint64_t)(w->p - w->base);
}

/* Walk until the batch is full or the span has ended. */
static int stf_decoder_fill(struct decoder *u)
{
	struct stf_span *ss = u->ss;
	for (;;) {
		enum stop why = stf_decoder_walk(u);
		if (why == STOP_FULL)
			return 0;
		int rc = 0;
		if (why == STOP_WINDOW && !ss->stopped) {
			rc = stf_window_fill(u->r, u->s);
			if (rc < 0)
				return rc;
			if (rc > 0)
				continue;
		}
		/* A chunk that broke off has told so; a record cut by that says no more. */
		if (ss->w.p < ss->w.end || ss->stopped) {
			report_damage(u);
			u->at->damaged = 1;
		}
		ss->finished = true;
		return 0;
	}
}

int stf_decode(struct cairn_reader *r, struct model_span *s, struct cairn_batch *b)
{
	struct stf_impl *im = r->impl;
	struct stf_span *ss = s->priv;
	struct stf_worker *worker = s->worker;
	struct stf_state *at = &ss->at;

	if (ss->finished)
		return 0;
	if (stf_need_code(r->c, worker) < 0)
		return CAIRN_E_NOMEM;
	if ((im->reading.bits || im->reading.after) && stf_need_memo(r->c, worker) < 0)
		return CAIRN_E_NOMEM;
	model_batch_clear(b);
	b->n0 = at->n;
	b->x0 = at->x;
	b->rec0 = at->rec;
	b->off0 = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	b->have = r->want & r->can & ~(ss->places_unknown ? (uint32_t)CAIRN_PLACES : 0u);
	b->ctxs[0] = at->ctx;
	b->n_ctxs = 1;
	struct decoder u = {.r = r,
	                    .cfg = &im->header.cfg,
	                    .s = s,
	                    .ss = ss,
	                    .at = at,
	                    .b = b,
	                    .want = r->want | CAIRN_EVENTS,
	                    .w = worker,
	                    .many_regs = b->regs + CAIRN_CAP_REGS / 2,
	                    .many_mems = b->mems + CAIRN_CAP_MEMS / 2,
	                    .ours = stf_isa_is_ours(im->header.cfg.isa)};
	u.reading = &im->reading;
	u.access_flag = u.reading->bits ? SLOT_SETTLE : 0;
	const struct stf_set *set = u.ours ? stf_set_of((enum cairn_isa)at->isa) : NULL;
	u.mode0 = set ? set->mode0 : 0;
	decode_know_isa(&u, at->isa);
	decode_keep_target(&u);
	u.flags = u.fresh;
	memset(b->insns, 0, sizeof *b->insns); /* no rows before the first slot's */
	greet(&u);
	int rc = stf_decoder_fill(&u);
	if (rc < 0 && model_batch_empty(b))
		return rc;
	/* What was read before a failure comes first; the next call fails again. */
	stf_decoder_report_dropped(&u);
	if (u.flags & SLOT_MODE_LATER) /* the span ends within a group */
		decode_set_priv(&u, u.later_priv);
	decode_keep_target(&u);
	at->ctx = b->ctxs[u.ctx];
	for (uint32_t i = 0; u.mode0 && i < b->n_ctxs; i++) /* inside, modes are the records' */
		if (b->ctxs[i].known & CAIRN_CTX_PRIV)
			b->ctxs[i].priv = (uint8_t)(b->ctxs[i].priv + u.mode0);
	const struct cairn_insn *slot = &b->insns[b->n_insns];
	if (u.flags & SLOT_SETTLE)
		decode_settle(&u, NULL, b->regs + slot->reg0, b->regs + b->n_regs, b->mems + slot->mem0,
		              b->mems + b->n_mems);
	model_batch_close(b, slot->reg0, slot->mem0, slot->ev0, u.ctx);
	if (!ss->finished)
		return 1;
	at->off = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	memcpy(s->exit, at, sizeof *at);
	return !model_batch_empty(b);
}

/* ---- names ---- */

/* Of sets that STF does not number: Arm's are the types that trace units tell; what T32 alone
 * runs may be a core of the M profile, whose numbers are others. */
static const char *our_name(const struct cairn_stf_config *cfg, const struct cairn_event *e)
{
	enum cairn_isa isa = stf_isa(cfg, cfg->iem);
	return isa == CAIRN_ISA_A64 || isa == CAIRN_ISA_A32 ? isa_arm_exception_name(e->code) : NULL;
}

const char *stf_ev_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf)
{
	const struct cairn_stf_config *cfg = &((const struct stf_impl *)r->impl)->header.cfg;
	bool ours = stf_isa_is_ours(cfg->isa);
	switch (e->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_SYSCALL:
		return ours ? our_name(cfg, e) : stf_event_name(e->code, buf);
	case CAIRN_EV_INTERRUPT:
		return ours ? our_name(cfg, e) : stf_event_name(e->code | STF_EVENT_INTERRUPT, buf);
	case CAIRN_EV_MODE:
		return "MODE_CHANGE";
	case CAIRN_EV_PAGE_WALK:
		return "PAGE_TABLE_WALK";
	case CAIRN_EV_MICRO_OP:
		return "INST_MICROOP";
	case CAIRN_EV_MODE_ISA:
		return "INST_IEM";
	case CAIRN_EV_FORMAT:
		if (e->code >> 32) {
			const struct stf_type *t = stf_type((unsigned)(e->code >> 32));
			return t ? t->name : NULL;
		}
		return stf_event_name(e->code | STF_EVENT_SPECIAL, buf);
	default:
		return NULL;
	}
}

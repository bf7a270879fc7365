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
#include "formats/stf/stf.h"

enum stop {
	STOP_FULL,   /* a slot has ended and the batch should be handed out */
	STOP_WINDOW, /* the window's records are used up */
	STOP_DAMAGE
};

enum { EVENTS_FOR_DAMAGE = 4 }; /* kept free to tell it */

enum slot_flag {
	SLOT_TARGET = 1,      /* INST_PC_TARGET seen */
	SLOT_ABORTED = 2,     /* an exception or interrupt stopped the instruction */
	SLOT_FORCED = 4,      /* FORCE_PC seen */
	SLOT_MODE_LATER = 8,  /* a mode that holds after this slot */
	SLOT_MODE_NOW = 16,   /* a mode that holds in it was told */
	SLOT_BUS = 32         /* accesses of bus masters seen */
};

struct up {
	struct cairn_reader *r;
	const struct cairn_stf_config *cfg;
	struct isa_memo *memo;
	struct model_span *s;
	struct stf_span *ss;
	struct stf_state *at;
	struct cairn_batch *b;
	uint32_t want;
	uint32_t flags;            /* enum slot_flag */
	uint64_t target;           /* of the slot's INST_PC_TARGET */
	uint16_t seq;
	uint16_t ctx;              /* row in force */
	struct cairn_mem *mem, *bus; /* last rows, for their contents */
	uint32_t deps, n_deps;
	uint64_t dropped;          /* rows one slot had beyond the caps */
	struct stf_worker *w;
	bool ours;                 /* the set's numbers are cairn's (sets.c) */
	uint8_t mode0;             /* enum cairn_priv of mode 0 */
	bool full;                 /* rare rows are many: end the batch after this slot */
	uint8_t later_priv;
};

/* ---- rare records ---- */

static struct cairn_event *event_row(struct up *u, uint8_t kind)
{
	struct cairn_batch *b = u->b;
	if (!(u->want & CAIRN_EVENTS))
		return NULL;
	if (b->n_events >= CAIRN_CAP_EVENTS - EVENTS_FOR_DAMAGE) {
		u->dropped++;
		return NULL;
	}
	struct cairn_event *e = &b->events[b->n_events++];
	*e = (struct cairn_event){.kind = kind, .seq = u->seq++, .phase = CAIRN_ON};
	return e;
}

static void event_bytes(struct up *u, struct cairn_event *e, const uint8_t *p, size_t n, bool text)
{
	uint32_t at = model_batch_bytes(u->b, n);
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	if (n)
		memcpy(u->b->bytes + at, p, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; !text && i + 8 <= n; i += 8) {
		uint64_t v = base_le64(p + i);
		memcpy(u->b->bytes + at + i, &v, 8);
	}
#endif
	e->args = at;
	e->len = (uint32_t)n;
	if (text)
		e->flags |= CAIRN_EVF_BYTES;
}

/* A new context row that begins as a copy of the one in force. */
static struct cairn_ctx *new_ctx(struct up *u)
{
	struct cairn_batch *b = u->b;
	if (b->n_ctxs == CAIRN_CAP_CTXS) {
		u->dropped++; /* the last row is overwritten: the newest context is right */
		return &b->ctxs[u->ctx];
	}
	b->ctxs[b->n_ctxs] = b->ctxs[u->ctx];
	u->ctx = (uint16_t)b->n_ctxs;
	return &b->ctxs[b->n_ctxs++];
}

static void set_priv(struct up *u, uint8_t priv)
{
	struct cairn_ctx *ctx = new_ctx(u);
	ctx->priv = priv;
	ctx->known |= CAIRN_CTX_PRIV;
}

static void up_mode_change(struct up *u, struct cairn_event *e, uint64_t mode)
{
	/* A second one in the slot is the instruction's own. */
	bool at_once = ((u->flags & SLOT_FORCED) || !u->at->begun) && !(u->flags & SLOT_MODE_NOW);
	u->flags |= at_once ? SLOT_MODE_NOW : 0;
	if (e) {
		e->code = mode + (mode <= CAIRN_PRIV_MACHINE ? u->mode0 : 0u);
		e->phase = at_once ? CAIRN_BEFORE : CAIRN_AFTER;
	}
	if (mode > CAIRN_PRIV_MACHINE)
		return; /* no such mode: the event shows it, the context stays */
	if (at_once) {
		set_priv(u, (uint8_t)mode);
	} else {
		u->flags |= SLOT_MODE_LATER;
		u->later_priv = (uint8_t)mode;
	}
}

static void up_event(struct up *u, const uint8_t *p)
{
	unsigned width = u->cfg->event_bits / 8u;
	uint64_t id = stf_event_id(width == 8 ? base_le64(p + 1) : base_le32(p + 1),
	                           u->cfg->event_bits);
	unsigned count = p[1 + width];
	const uint8_t *data = p + 2 + width;
	uint64_t code;
	uint8_t kind = stf_event_kind(u->ours, id, &code);
	struct cairn_event *e = event_row(u, kind);
	if (e) {
		e->code = code;
		event_bytes(u, e, data, (size_t)count * 8, false);
	}
	if (kind == CAIRN_EV_MODE)
		up_mode_change(u, e, count ? base_le64(data) : UINT64_MAX);
	else if (kind == CAIRN_EV_EXCEPTION || kind == CAIRN_EV_INTERRUPT)
		u->flags |= SLOT_ABORTED;
	if (stf_event_implausible(id) && !u->at->odd_event) {
		char place[128];
		u->at->odd_event = 1;
		stf_place(u->ss, place, sizeof place);
		stf_odd_event(u->r, u->s, place, id);
	}
}

static void up_event_target(struct up *u, uint64_t target)
{
	u->at->target = target;
	u->at->has_target = 1;
	struct cairn_batch *b = u->b;
	/* It belongs to the slot's last event; without one it is a branch nobody saw. */
	for (uint32_t i = b->n_events; i > b->insns[b->n_insns].ev0; i--) {
		struct cairn_event *e = &b->events[i - 1];
		if (e->kind == CAIRN_EV_EXCEPTION || e->kind == CAIRN_EV_INTERRUPT ||
		    e->kind == CAIRN_EV_SYSCALL || e->kind == CAIRN_EV_MODE) {
			e->target = target;
			e->flags |= CAIRN_EVF_TARGET;
			return;
		}
	}
	struct cairn_event *e = event_row(u, CAIRN_EV_BRANCH);
	if (e) {
		e->target = target;
		e->flags |= CAIRN_EVF_TARGET;
	}
}

static void up_force_pc(struct up *u, uint64_t pc)
{
	bool repeats_header = !u->at->begun && (u->flags & SLOT_FORCED) && u->at->pc == pc;
	u->at->pc = pc;
	u->at->pc_known = 1;
	u->flags |= SLOT_FORCED;
	if (repeats_header)
		return;
	struct cairn_event *e = event_row(u, CAIRN_EV_FORCE_PC);
	if (e) {
		e->target = pc;
		e->flags = CAIRN_EVF_TARGET;
		e->phase = CAIRN_BEFORE;
	}
}

static void up_page_walk(struct up *u, const uint8_t *p)
{
	struct cairn_event *e = event_row(u, CAIRN_EV_PAGE_WALK);
	if (!e)
		return;
	unsigned ptes = p[21];
	uint64_t args[2 + 2 * 255];
	args[0] = base_le64(p + 9);
	args[1] = base_le32(p + 17);
	for (unsigned i = 0; i < 2 * ptes; i++)
		args[2 + i] = base_le64(p + 22 + 8 * (size_t)i);
	size_t n = (2 + 2 * (size_t)ptes) * sizeof *args;
	uint32_t at = model_batch_bytes(u->b, n);
	e->code = base_le64(p + 1);
	e->phase = CAIRN_BEFORE;
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	memcpy(u->b->bytes + at, args, n);
	e->args = at;
	e->len = (uint32_t)n;
}

static void up_micro_op(struct up *u, const uint8_t *p)
{
	struct cairn_event *e = event_row(u, CAIRN_EV_MICRO_OP);
	if (!e)
		return;
	uint8_t size[8] = {p[1]};
	e->code = base_le32(p + 2);
	event_bytes(u, e, size, sizeof size, false);
}

/* Words of a value wider than 8 bytes, least significant first. */
static bool wide_value(struct up *u, const uint8_t *p, size_t words, uint64_t *value)
{
	uint32_t at = model_batch_bytes(u->b, 8 * words);
	if (at == UINT32_MAX) {
		u->dropped++;
		return false;
	}
	memcpy(u->b->bytes + at, p, 8 * words);
	*value = at;
	return true;
}

static void up_vector_reg(struct up *u, const uint8_t *p)
{
	struct cairn_batch *b = u->b;
	uint32_t words = stf_vector_words(u->cfg);
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	struct cairn_reg row = {.num = base_le16(p + 1), .cls = CAIRN_REG_VECTOR, .seq = u->seq++,
	                        .role = p[3] >> 4 <= 3 ? p[3] >> 4 : CAIRN_ROLE_UNKNOWN,
	                        .bits = u->cfg->vlen ? u->cfg->vlen : 64};
	if (words == 1) {
		row.value = base_le64(p + 4);
		row.flags = CAIRN_VALUE_KNOWN;
	} else if (wide_value(u, p + 4, words, &row.value)) {
		row.flags = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE;
	}
	b->regs[b->n_regs++] = row;
}

static void up_ready_reg(struct up *u, uint16_t num)
{
	struct cairn_batch *b = u->b;
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	b->regs[b->n_regs++] = (struct cairn_reg){.num = num, .cls = CAIRN_REG_INT,
	                                          .role = CAIRN_ROLE_READY, .seq = u->seq++};
}

/* A second and further content of one access: the value becomes wide. */
static void more_content(struct up *u, struct cairn_mem *m, uint64_t value)
{
	struct cairn_batch *b = u->b;
	if (m->words == UINT16_MAX) {
		u->dropped++;
		return;
	}
	bool grows = (m->flags & CAIRN_VALUE_WIDE) && m->value + 8u * m->words == b->n_bytes;
	uint32_t at = model_batch_bytes(b, grows ? 8 : 8 * ((size_t)m->words + 1));
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	if (!grows) {
		if (m->flags & CAIRN_VALUE_WIDE)
			memcpy(b->bytes + at, b->bytes + m->value, 8 * (size_t)m->words);
		else
			base_put_le64(b->bytes + at, m->value);
		m->value = at;
		m->flags |= CAIRN_VALUE_WIDE;
		at += 8 * (uint32_t)m->words;
	}
	base_put_le64(b->bytes + at, value);
	m->words++;
}

static struct cairn_mem *mem_row(struct up *u)
{
	struct cairn_batch *b = u->b;
	if (b->n_mems == CAIRN_CAP_MEMS) {
		u->dropped++;
		return NULL;
	}
	struct cairn_mem *m = &b->mems[b->n_mems++];
	*m = (struct cairn_mem){.seq = u->seq++};
	return m;
}

static void up_content(struct up *u, struct cairn_mem **last, uint8_t initiator, uint64_t value)
{
	if (!(u->want & CAIRN_MEMS))
		return;
	if (!*last) { /* a content without its access: kept, its address unknown */
		*last = mem_row(u);
		if (!*last)
			return;
		(*last)->initiator = initiator;
		(*last)->flags = CAIRN_VALUE_ADDR_UNKNOWN;
	}
	struct cairn_mem *m = *last;
	if (m->words == 0) {
		m->value = value;
		m->flags |= CAIRN_VALUE_KNOWN;
		m->words = 1;
	} else {
		more_content(u, m, value);
	}
}

static void up_bus_access(struct up *u, const uint8_t *p)
{
	u->bus = NULL;
	if (!(u->want & CAIRN_MEMS) || !(u->bus = mem_row(u)))
		return;
	struct cairn_mem *m = u->bus;
	m->addr = base_le64(p + 1);
	m->size = base_le16(p + 9);
	m->initiator = p[11] >= 1 && p[11] <= 6 ? p[11] : CAIRN_BY_OTHER;
	m->unit = p[12];
	m->attr = base_le32(p + 13);
	m->kind = p[17] <= 2 ? p[17] : CAIRN_MEM_UNKNOWN;
}

/* A record that is only known as itself: header records in the body. */
static void up_other(struct up *u, const uint8_t *p, size_t len)
{
	struct cairn_event *e = event_row(u, p[0] == CAIRN_STF_COMMENT ? CAIRN_EV_COMMENT
	                                                               : CAIRN_EV_FORMAT);
	if (!e)
		return;
	if (p[0] == CAIRN_STF_COMMENT) {
		event_bytes(u, e, p + 5, len - 5, true);
	} else {
		e->code = (uint64_t)p[0] << 32; /* apart from special events, which are below */
		event_bytes(u, e, p + 1, len - 1, true);
	}
}

/* The rows of registers depend on one byte of the record and the instruction set. */
static void know_registers(struct stf_worker *w, enum cairn_isa isa)
{
	uint32_t int_bits = isa == CAIRN_ISA_RV32 ? 32 : 64;
	if (w->int_bits == int_bits)
		return;
	w->int_bits = int_bits;
	for (unsigned i = 0; i < 256; i++) {
		uint8_t cls = i & 15, role = (uint8_t)(i >> 4);
		w->reg[i] = (struct cairn_reg){
			.bits = cls == CAIRN_REG_FP ? 64 : int_bits,
			.cls = cls <= CAIRN_REG_CSR ? cls : CAIRN_REG_UNKNOWN,
			.role = role <= CAIRN_ROLE_DST ? role : CAIRN_ROLE_UNKNOWN,
			.flags = cls == CAIRN_REG_VECTOR ? 0 : CAIRN_VALUE_KNOWN};
	}
}

static void up_iem(struct up *u, const uint8_t *p)
{
	enum cairn_isa isa = stf_isa(u->cfg, base_le16(p + 1));
	know_registers(u->w, isa);
	struct cairn_event *e = event_row(u, CAIRN_EV_MODE_ISA);
	if (e) {
		e->code = isa;
		e->phase = CAIRN_BEFORE;
	}
	/* "Shall precede the very first instruction encoding record and every change":
	 * it stands before the instruction that is the first of the new mode. */
	u->at->isa = (uint8_t)isa;
}

static void up_process(struct up *u, const uint8_t *p)
{
	uint32_t id[3] = {base_le32(p + 1), base_le32(p + 5), base_le32(p + 9)};
	stf_ids(u->cfg, id, new_ctx(u));
}

/* ---- transactions ---- */

static void up_dependency(struct up *u, const uint8_t *p)
{
	uint64_t row[3] = {base_le64(p + 1), base_le64(p + 9), p[17]};
	/* They stand side by side; what came between moves them to a new place. */
	size_t before = sizeof row * u->n_deps;
	bool grows = u->n_deps && u->deps + before == u->b->n_bytes;
	uint32_t at = model_batch_bytes(u->b, grows ? sizeof row : before + sizeof row);
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	if (!grows) {
		memcpy(u->b->bytes + at, u->b->bytes + u->deps, before);
		u->deps = at;
		at += (uint32_t)before;
	}
	memcpy(u->b->bytes + at, row, sizeof row);
	u->n_deps++;
}

static const uint8_t *up_metadata(struct up *u, const uint8_t *p, struct cairn_xact *x)
{
	unsigned n = base_le16(p);
	p += 2;
	uint32_t at = model_batch_bytes(u->b, (size_t)n * 16);
	x->meta = at == UINT32_MAX ? 0 : at;
	x->n_meta = at == UINT32_MAX ? 0 : n;
	u->dropped += at == UINT32_MAX && n;
	for (unsigned i = 0; i < n; i++) {
		uint64_t row[2] = {(uint64_t)1 << p[0], 0};
		row[1] = base_le(p + 1, (unsigned)row[0]);
		if (x->n_meta)
			memcpy(u->b->bytes + x->meta + 16 * (size_t)i, row, sizeof row);
		p += 1 + row[0];
	}
	return p;
}

static uint32_t copy_bytes(struct up *u, const uint8_t *p, uint32_t *n)
{
	uint32_t at = model_batch_bytes(u->b, *n);
	if (at == UINT32_MAX) {
		u->dropped++;
		*n = 0;
		return 0;
	}
	if (*n)
		memcpy(u->b->bytes + at, p, *n);
	return at;
}

static void up_tilelink(struct up *u, const uint8_t *p, struct cairn_xact *x)
{
	x->channel = *p++;
	for (const char *l = stf_tilelink_layout(x->channel); l && *l; l++) {
		switch (*l) {
		case 'c':
			x->known |= CAIRN_XACT_OP;
			x->code = *p++;
			break;
		case 'p':
			x->param = *p++;
			break;
		case 'z':
			x->size = *p++;
			break;
		case 's':
			x->source = base_le64(p);
			p += 8;
			break;
		case 'a':
			x->known |= CAIRN_XACT_ADDRESS;
			x->address = base_le64(p);
			p += 8;
			break;
		case 'k':
			x->known |= CAIRN_XACT_SINK;
			x->sink = base_le64(p);
			p += 8;
			break;
		case 'd':
			x->known |= CAIRN_XACT_DATA;
			x->data_len = base_le16(p);
			p += 2;
			{
				uint32_t stored = x->data_len;
				x->data = copy_bytes(u, p, &x->data_len);
				p += stored;
			}
			break;
		default:
			x->known |= CAIRN_XACT_MASK;
			x->mask_bits = base_le16(p);
			p += 2;
			{
				uint32_t n = (x->mask_bits + 7) / 8, stored = n;
				x->mask = copy_bytes(u, p, &n);
				x->mask_bits = n == stored ? x->mask_bits : 0;
				p += stored;
			}
			break;
		}
	}
}

static void up_transaction(struct up *u, const uint8_t *p)
{
	struct cairn_batch *b = u->b;
	struct cairn_xact *x = &b->xacts[b->n_xacts++];
	*x = (struct cairn_xact){.id = base_le64(p + 1), .delta = base_le64(p + 9), .clock = p[17],
	                         .protocol = u->cfg->protocol, .deps = u->deps,
	                         .n_deps = u->n_deps,
	                         .rec = (uint32_t)(u->at->rec - b->rec0),
	                         .off = (uint32_t)(u->ss->abs + (uint64_t)(p - u->ss->w.base) - b->off0)};
	p = up_metadata(u, p + 18, x);
	up_tilelink(u, p, x);
	u->deps = u->n_deps = 0;
	u->at->x++;
	u->at->begun = 1;
	if (u->flags & SLOT_MODE_LATER)
		set_priv(u, u->later_priv);
	u->flags = 0;
	u->mem = u->bus = NULL;
}

/* ---- the end of a slot ---- */

/* Rows of the slot that did not fit are told by an event, for which room is kept. */
static void tell_dropped(struct up *u)
{
	if (!u->dropped)
		return;
	struct cairn_batch *b = u->b;
	char text[160], place[96];
	stf_place(u->ss, place, sizeof place);
	int n = snprintf(text, sizeof text,
	                 "%s: the instruction has %llu more values than a batch holds", place,
	                 (unsigned long long)u->dropped);
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

/* What the loop keeps in registers; spilled around calls. Where the rows of a slot begin
 * is written into its row of `insns` before the slot is filled. */
struct hot {
	const uint8_t *p;
	struct cairn_insn *row; /* of the slot */
	struct cairn_mem *mem;  /* as u->mem */
	struct cairn_reg *reg;  /* the next row */
	uint64_t pc;
	uint32_t rec;           /* as a place: relative to the batch */
	uint32_t n_regs, n_mems;
	uint32_t seq;
	const struct cairn_insn *stop; /* when the next slot has this row or a later one, look */
};

static inline void begin_slot(const struct up *u, struct hot *h)
{
	h->row->reg0 = (uint16_t)h->n_regs;
	h->row->mem0 = (uint16_t)h->n_mems;
	h->row->ev0 = (uint16_t)u->b->n_events;
	h->seq = 0;
}

static inline void spill(struct up *u, const struct hot *h)
{
	struct cairn_batch *b = u->b;
	u->ss->w.p = h->p;
	u->mem = h->mem;
	u->at->pc = h->pc;
	u->at->rec = b->rec0 + h->rec;
	b->n_insns = (uint32_t)(h->row - b->insns);
	u->at->n = b->n0 + b->n_insns;
	u->at->begun |= b->n_insns != 0;
	b->n_regs = h->n_regs;
	b->n_mems = h->n_mems;
	u->seq = (uint16_t)h->seq;
}

static inline void reload(const struct up *u, struct hot *h)
{
	struct cairn_batch *b = u->b;
	h->p = u->ss->w.p;
	h->mem = u->mem;
	h->pc = u->at->pc;
	h->rec = (uint32_t)(u->at->rec - b->rec0);
	h->row = b->insns + b->n_insns;
	h->n_regs = b->n_regs;
	h->n_mems = b->n_mems;
	h->reg = b->regs + b->n_regs;
	h->seq = u->seq;
	bool full = u->full || u->dropped || h->n_regs > CAIRN_CAP_REGS / 2 ||
	            h->n_mems > CAIRN_CAP_MEMS / 2;
	h->stop = full ? b->insns : b->insns + CAIRN_CAP_INSNS;
}

/* What the slot had besides a target, as flags of its instruction, whose row has its
 * context; what holds behind it is set. */
static uint32_t up_odd(struct up *u, uint32_t seen)
{
	if (seen & SLOT_MODE_LATER)
		set_priv(u, u->later_priv);
	u->bus = NULL;
	return (seen & SLOT_ABORTED ? CAIRN_INSN_ABORTED : 0u) |
	       (seen & SLOT_FORCED ? CAIRN_INSN_DISCONTINUITY : 0u);
}

/* An instruction encoding ends the slot. `off` is the place of its record. */
static inline void up_insn(struct up *u, struct hot *h, uint32_t enc, unsigned size,
                           uint32_t off)
{
	struct stf_state *at = u->at;
	struct cairn_insn *row = h->row;
	const struct cairn_op *op = isa_memo_get(u->memo, at->isa, enc, size);
	const uint32_t seen = u->flags;
	uint32_t flags = 0;
	uint64_t target = 0, next = h->pc + size;
	if (op->traits & CAIRN_TRAIT_BRANCH) {
		if (!(op->traits & CAIRN_TRAIT_INDIRECT)) {
			target = h->pc + (uint64_t)op->offset;
			flags = at->pc_known ? CAIRN_INSN_TARGET : 0;
		}
		if (op->traits & CAIRN_TRAIT_CONDITIONAL)
			flags |= CAIRN_INSN_NOT_TAKEN;
	}
	if (seen & SLOT_TARGET) {
		target = u->target;
		flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
	}
	row->ctx = u->ctx;
	if (__builtin_expect(seen & ~(uint32_t)SLOT_TARGET, 0))
		flags |= up_odd(u, seen);
	if (__builtin_expect(!at->pc_known, 0))
		flags |= CAIRN_INSN_PC_UNKNOWN;
	row->pc = h->pc;
	row->target = target;
	row->enc = enc;
	row->traits = op->traits;
	row->flags = flags;
	row->rec = h->rec;
	row->off = off;
	row->size = (uint8_t)size;
	row->isa = at->isa;
	row->cls = op->cls;
	row->pad = 0;
	if (at->has_target) {
		next = at->target;
		at->has_target = 0;
		at->pc_known = 1;
	}
	h->pc = next;
	u->flags = 0;
	h->mem = NULL;
	h->row = row + 1;
	begin_slot(u, h);
}

/* A register of a set whose numbers are cairn's: the row has the record's. */
static void our_register(unsigned isa, struct cairn_reg *row)
{
	const struct stf_bank *k = stf_bank_at((enum cairn_isa)isa, row->cls, row->num);
	if (!k)
		return;
	row->cls = k->cls;
	row->num = (uint16_t)(k->first + (row->num - k->number));
	row->bits = k->bits ? k->bits : row->bits;
}

/* `kind` is the row but for number, order and value. */
static inline void up_reg(struct up *u, struct hot *h, const struct cairn_reg *kind)
{
	const uint8_t *p = h->p;
	if (__builtin_expect(h->n_regs >= CAIRN_CAP_REGS / 2, 0)) {
		h->stop = u->b->insns;
		if (h->n_regs == CAIRN_CAP_REGS) {
			u->dropped++;
			return;
		}
	}
	struct cairn_reg *row = h->reg++;
	*row = *kind;
	row->value = base_le64(p + 4);
	row->num = base_le16(p + 1);
	row->seq = (uint16_t)h->seq++;
	h->n_regs++;
	if (__builtin_expect(u->ours, 0))
		our_register(u->at->isa, row);
}

static inline void up_access(struct up *u, struct hot *h)
{
	const uint8_t *p = h->p;
	if (__builtin_expect(h->n_mems >= CAIRN_CAP_MEMS / 2, 0)) {
		h->stop = u->b->insns;
		if (h->n_mems == CAIRN_CAP_MEMS) {
			h->mem = NULL;
			u->dropped++;
			return;
		}
	}
	h->mem = &u->b->mems[h->n_mems++];
	*h->mem = (struct cairn_mem){
		.addr = base_le64(p + 1), .size = base_le16(p + 9), .attr = base_le16(p + 11),
		.kind = p[13] <= CAIRN_MEM_WRITE ? p[13] : CAIRN_MEM_UNKNOWN, .seq = (uint16_t)h->seq++};
}

/* Rows that belong to no transaction come after the batch's transactions: when a
 * group begins behind such rows, it begins the next batch. */
static bool ends_transactions(const struct up *u, uint8_t type)
{
	const struct cairn_batch *b = u->b;
	return (type == CAIRN_STF_TRANSACTION || type == CAIRN_STF_TRANSACTION_DEPENDENCY) &&
	       u->n_deps == 0 && (b->n_events || b->n_regs || b->n_mems);
}

/* What the switch has no case for. `len` is measured. 1: the slot has ended. */
static int up_rare(struct up *u, const uint8_t *p, size_t len)
{
	switch (*p) {
	case CAIRN_STF_INST_REG: /* vector */
		if (u->want & CAIRN_REGS)
			up_vector_reg(u, p);
		break;
	case CAIRN_STF_INST_READY_REG:
		if (u->want & CAIRN_REGS)
			up_ready_reg(u, base_le16(p + 1));
		break;
	case CAIRN_STF_INST_MEM_CONTENT:
		up_content(u, &u->mem, CAIRN_BY_INSN, base_le64(p + 1));
		break;
	case CAIRN_STF_BUS_MASTER_ACCESS:
		u->flags |= SLOT_BUS;
		up_bus_access(u, p);
		break;
	case CAIRN_STF_BUS_MASTER_CONTENT:
		u->flags |= SLOT_BUS;
		up_content(u, &u->bus, CAIRN_BY_OTHER, base_le64(p + 1));
		break;
	case CAIRN_STF_PAGE_TABLE_WALK:
		up_page_walk(u, p);
		break;
	case CAIRN_STF_EVENT:
		up_event(u, p);
		break;
	case CAIRN_STF_EVENT_PC_TARGET:
		up_event_target(u, base_le64(p + 1));
		break;
	case CAIRN_STF_FORCE_PC:
		up_force_pc(u, base_le64(p + 1));
		break;
	case CAIRN_STF_PROCESS_ID_EXT:
		up_process(u, p);
		break;
	case CAIRN_STF_INST_IEM:
		up_iem(u, p);
		break;
	case CAIRN_STF_INST_MICROOP:
		up_micro_op(u, p);
		break;
	case CAIRN_STF_TRANSACTION_DEPENDENCY:
		up_dependency(u, p);
		break;
	case CAIRN_STF_TRANSACTION:
		up_transaction(u, p);
		return 1;
	default:
		up_other(u, p, len);
		break;
	}
	return 0;
}

/* A record the loop has no case for, or a vector register: 1 when it ends the slot, 0
 * when the slot goes on, < 0 when the walk stops before it (*why says why). */
static int walk_rare(struct up *u, struct hot *h, int64_t *len, enum stop *why)
{
	*len = cairn_stf_record_length(u->cfg, h->p, (size_t)(u->ss->w.end - h->p));
	if (*len <= 0) {
		*why = *len < 0 ? STOP_DAMAGE : STOP_WINDOW;
		return -1;
	}
	spill(u, h);
	if (ends_transactions(u, *h->p)) {
		*why = STOP_FULL;
		return -1;
	}
	int ended = up_rare(u, h->p, (size_t)*len);
	u->full = rare_rows_full(u->b);
	reload(u, h);
	return ended;
}

/* The slot that has ended may be the batch's last. */
static bool slot_ended(struct up *u, struct hot *h)
{
	if (u->dropped) {
		spill(u, h);
		tell_dropped(u);
		reload(u, h);
	}
	return u->full || h->row == u->b->insns + CAIRN_CAP_INSNS ||
	       h->n_regs > CAIRN_CAP_REGS / 2 || h->n_mems > CAIRN_CAP_MEMS / 2;
}

static enum stop walk(struct up *u)
{
	const uint8_t *const end = u->ss->w.end;
	const uint64_t off = u->ss->abs - u->b->off0 - (uint64_t)(uintptr_t)u->ss->w.base;
	const bool regs = u->want & CAIRN_REGS, mems = u->want & CAIRN_MEMS;
	/* Up to here a record of fixed length lies within the window. */
	const uint8_t *const safe = end - u->ss->w.p < STF_LEN_LONGEST_FIXED
	                                    ? NULL : end - STF_LEN_LONGEST_FIXED;
	const struct cairn_reg *kind;
	enum stop why = STOP_WINDOW;
	struct hot h;

	reload(u, &h);
	for (;;) {
		int64_t len;
		if (__builtin_expect(h.p > safe, 0)) {
			if (h.p == end)
				break;
			if (cairn_stf_record_length(u->cfg, h.p, (size_t)(end - h.p)) <= 0)
				goto rare; /* which tells why */
		}
		switch (*h.p) {
		case CAIRN_STF_INST_32:
			up_insn(u, &h, base_le32(h.p + 1), 4, (uint32_t)(off + (uintptr_t)h.p));
			h.p += STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			up_insn(u, &h, base_le16(h.p + 1), 2, (uint32_t)(off + (uintptr_t)h.p));
			h.p += STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_PC_TARGET:
			u->target = u->at->target = base_le64(h.p + 1);
			u->at->has_target = 1;
			u->flags |= SLOT_TARGET;
			h.p += STF_LEN_INST_PC_TARGET;
			h.rec++;
			continue;
		case CAIRN_STF_INST_REG:
			kind = &u->w->reg[h.p[3]];
			if (__builtin_expect(!kind->flags, 0)) /* a vector: its length varies */
				goto rare;
			if (regs)
				up_reg(u, &h, kind);
			h.p += STF_LEN_INST_REG + 8;
			h.rec++;
			continue;
		case CAIRN_STF_INST_MEM_ACCESS:
			if (mems)
				up_access(u, &h);
			h.p += STF_LEN_INST_MEM_ACCESS;
			h.rec++;
			/* Its content follows but rarely not. */
			if (__builtin_expect(!h.mem || h.p > safe, 0) ||
			    *h.p != CAIRN_STF_INST_MEM_CONTENT)
				continue;
			/* fallthrough */
		case CAIRN_STF_INST_MEM_CONTENT:
			if (__builtin_expect(!h.mem || h.mem->words, 0))
				goto rare;
			h.mem->value = base_le64(h.p + 1);
			h.mem->flags = CAIRN_VALUE_KNOWN;
			h.mem->words = 1;
			h.p += STF_LEN_INST_MEM_CONTENT;
			h.rec++;
			continue;
		default:
		rare:
			switch (walk_rare(u, &h, &len, &why)) {
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
		if (__builtin_expect(h.row >= h.stop, 0) && slot_ended(u, &h)) {
			why = STOP_FULL;
			break;
		}
	}
out:
	spill(u, &h);
	return why;
}

/* ---- a batch ---- */

/* What stands before the first record of the trace, or of what follows a gap. */
static void greet(struct up *u)
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
			up_force_pc(u, im->header.pc);
	}
	if (u->at->gap) {
		static const char why[] = "a damaged chunk was skipped";
		struct cairn_event *e = event_row(u, CAIRN_EV_GAP);
		if (e) {
			e->code = u->at->gap;
			e->phase = CAIRN_BEFORE;
			event_bytes(u, e, (const uint8_t *)why, sizeof why - 1, true);
		}
		u->at->gap = 0;
	}
}

static void tell_damage(struct up *u)
{
	const struct stf_window *w = &u->ss->w;
	const char *text = stf_damage_at(u->r, u->s);
	struct cairn_event *e = model_batch_text_event(u->b, CAIRN_EV_DAMAGE, u->seq++, text,
	                                               strlen(text));
	if (e)
		e->code = u->ss->abs + (uint64_t)(w->p - w->base);
}

/* Walk until the batch is full or the span has ended. */
static int fill(struct up *u)
{
	struct stf_span *ss = u->ss;
	for (;;) {
		enum stop why = walk(u);
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
			tell_damage(u);
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
	model_batch_clear(b);
	b->n0 = at->n;
	b->x0 = at->x;
	b->rec0 = at->rec;
	b->off0 = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	b->have = r->want & r->can & ~(ss->places_unknown ? (uint32_t)CAIRN_PLACES : 0u);
	b->ctxs[0] = at->ctx;
	b->n_ctxs = 1;
	struct up u = {.r = r, .cfg = &im->header.cfg, .memo = worker->memo, .s = s, .ss = ss,
	               .at = at, .b = b, .want = r->want | CAIRN_EVENTS, .w = worker,
	               .ours = stf_isa_is_ours(im->header.cfg.isa)};
	const struct stf_set *set = u.ours ? stf_set_of((enum cairn_isa)at->isa) : NULL;
	u.mode0 = set ? set->mode0 : 0;
	know_registers(worker, at->isa);
	memset(b->insns, 0, sizeof *b->insns); /* no rows before the first slot's */
	greet(&u);
	int rc = fill(&u);
	if (rc < 0 && model_batch_empty(b))
		return rc;
	/* What was read before a failure comes first; the next call fails again. */
	tell_dropped(&u);
	if (u.flags & SLOT_MODE_LATER) /* the span ends within a group */
		set_priv(&u, u.later_priv);
	at->ctx = b->ctxs[u.ctx];
	for (uint32_t i = 0; u.mode0 && i < b->n_ctxs; i++) /* inside, modes are the records' */
		if (b->ctxs[i].known & CAIRN_CTX_PRIV)
			b->ctxs[i].priv = (uint8_t)(b->ctxs[i].priv + u.mode0);
	const struct cairn_insn *slot = &b->insns[b->n_insns];
	model_batch_close(b, slot->reg0, slot->mem0, slot->ev0, u.ctx);
	if (!ss->finished)
		return 1;
	at->off = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	memcpy(s->exit, at, sizeof *at);
	return !model_batch_empty(b);
}

/* ---- names ---- */

const char *stf_ev_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf)
{
	bool ours = stf_isa_is_ours(((const struct stf_impl *)r->impl)->header.cfg.isa);
	switch (e->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_SYSCALL:
		return ours ? NULL : stf_event_name(e->code, buf);
	case CAIRN_EV_INTERRUPT:
		return ours ? NULL : stf_event_name(e->code | STF_EVENT_INTERRUPT, buf);
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

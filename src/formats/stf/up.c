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
#include "formats/stf/code.h"
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
	SLOT_BUS = 32,        /* accesses of bus masters seen */
	SLOT_ODD = 64         /* the PC is not known, or an event leads elsewhere */
};

struct up {
	struct cairn_reader *r;
	const struct cairn_stf_config *cfg;
	struct model_span *s;
	struct stf_span *ss;
	struct stf_state *at;
	struct cairn_batch *b;
	uint32_t want;
	uint32_t flags;            /* enum slot_flag */
	uint32_t fresh;            /* as every slot begins: 0, or SLOT_ODD */
	uint64_t key[2];           /* of encodings of 16 and 32 bits (code.h) */
	uint64_t target;           /* of the slot's INST_PC_TARGET */
	const struct cairn_reg *many_regs; /* from these rows on a batch ends with its slot */
	const struct cairn_mem *many_mems;
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
	u->flags |= SLOT_ODD;
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

/* A row but for its number and value. `kind` is byte 3 of INST_REG. */
static struct cairn_reg reg_kind(unsigned kind, uint32_t int_bits)
{
	uint8_t cls = kind & 15, role = (uint8_t)(kind >> 4);
	return (struct cairn_reg){
		.bits = cls == CAIRN_REG_FP ? 64 : int_bits,
		.cls = cls <= CAIRN_REG_CSR ? cls : CAIRN_REG_UNKNOWN,
		.role = role <= CAIRN_ROLE_DST ? role : CAIRN_ROLE_UNKNOWN,
		.flags = CAIRN_VALUE_KNOWN};
}

/* A register of a set whose numbers are cairn's (sets.c). */
static void up_own_reg(struct up *u, const uint8_t *p)
{
	struct cairn_batch *b = u->b;
	struct cairn_reg row = reg_kind(p[3], u->w->int_bits);
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	row.value = base_le64(p + 4);
	row.num = base_le16(p + 1);
	row.seq = u->seq++;
	const struct stf_bank *k = stf_bank_at((enum cairn_isa)u->at->isa, row.cls, row.num);
	if (k) {
		row.cls = k->cls;
		row.num = (uint16_t)(k->first + (row.num - k->number));
		row.bits = k->bits ? k->bits : row.bits;
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

/* What rows are made of depends on the instruction set. */
static void know_isa(struct up *u, enum cairn_isa isa)
{
	struct stf_worker *w = u->w;
	uint32_t int_bits = isa == CAIRN_ISA_RV32 ? 32 : 64;
	u->key[0] = stf_code_key(isa, 2);
	u->key[1] = stf_code_key(isa, 4);
	if (w->int_bits == int_bits)
		return;
	w->int_bits = int_bits;
	for (unsigned i = 0; i < 256; i++) {
		struct cairn_reg row = reg_kind(i, int_bits);
		memcpy(w->reg[i].word, &row.bits, sizeof w->reg[i]);
		if ((i & 15) == CAIRN_REG_VECTOR || u->ours)
			w->reg[i].word[0] = 0;
	}
}

static void up_iem(struct up *u, const uint8_t *p)
{
	enum cairn_isa isa = stf_isa(u->cfg, base_le16(p + 1));
	know_isa(u, isa);
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

/* A target whose instruction has not come yet moves the one after that. */
static void keep_target(struct up *u)
{
	if ((u->flags & SLOT_TARGET) && !u->at->has_target) {
		u->at->target = u->target;
		u->at->has_target = 1;
	}
	u->fresh = u->at->pc_known && !u->at->has_target ? 0 : SLOT_ODD;
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
	keep_target(u);
	u->flags = u->fresh;
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
	struct cairn_insn *row;      /* of the slot */
	struct cairn_mem *mem;       /* as u->mem */
	struct cairn_reg *next_reg;
	struct cairn_mem *next_mem;
	uint64_t pc;
	uint64_t rows;               /* context and rows the next slot begins with */
	uint32_t rec;                /* as a place: relative to the batch */
	uint32_t seq;
	uint32_t flags;              /* as u->flags */
	const struct cairn_insn *stop; /* when the next slot has this row or a later one, look */
};

static inline void begin_slot(const struct up *u, struct hot *h)
{
	memcpy(&h->row->ctx, &h->rows, sizeof h->rows);
	h->seq = 0;
	h->flags = u->fresh;
	h->mem = NULL;
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
	b->n_regs = (uint32_t)(h->next_reg - b->regs);
	b->n_mems = (uint32_t)(h->next_mem - b->mems);
	u->seq = (uint16_t)h->seq;
	u->flags = h->flags;
}

static inline void reload(const struct up *u, struct hot *h)
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
	bool full = u->full || u->dropped || b->n_regs > CAIRN_CAP_REGS / 2 ||
	            b->n_mems > CAIRN_CAP_MEMS / 2;
	h->stop = full ? b->insns : b->insns + CAIRN_CAP_INSNS;
}

/* An instruction whose slot had more than a target, or whose place is not known: what that
 * makes of its flags. Context and place behind it are set. */
static RARE uint32_t up_odd(struct up *u, uint32_t seen, uint32_t flags)
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
		set_priv(u, u->later_priv);
	u->bus = NULL;
	at->pc_known |= (seen & SLOT_TARGET) != 0;
	if (at->has_target) { /* the last one wins: an event's */
		at->pc = at->target;
		at->has_target = 0;
		at->pc_known = 1;
	}
	u->fresh = at->pc_known ? 0 : SLOT_ODD;
	return flags;
}

/* An instruction encoding ends the slot. `off` is the place of its record. */
static inline void up_insn(struct up *u, struct hot *h, uint64_t key, unsigned size, uint32_t off)
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
	if (__builtin_expect(h->flags & ~(uint32_t)SLOT_TARGET, 0)) {
		u->at->pc = h->pc;
		flags = up_odd(u, h->flags, flags);
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
static inline void up_reg(struct up *u, struct hot *h, const struct stf_reg_kind *kind)
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

static inline void up_target(struct up *u, struct hot *h)
{
	u->target = base_le64(h->p + 1);
	u->at->has_target = 0;
	h->flags |= SLOT_TARGET;
	h->p += STF_LEN_INST_PC_TARGET;
	h->rec++;
}

/* The value of the access it follows. */
static inline void up_first_content(struct hot *h)
{
	h->mem->value = base_le64(h->p + 1);
	h->mem->flags = CAIRN_VALUE_KNOWN;
	h->mem->words = 1;
	h->p += STF_LEN_INST_MEM_CONTENT;
	h->rec++;
}

/* An access whose value has yet to come. */
static inline void up_access(struct up *u, struct hot *h)
{
	static const struct cairn_mem kinds[] = {
		{.kind = CAIRN_MEM_UNKNOWN}, {.kind = CAIRN_MEM_READ}, {.kind = CAIRN_MEM_WRITE}};
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
	h->rows += (uint64_t)1 << ROWS_MEM;
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
	case CAIRN_STF_INST_REG:
		if (!(u->want & CAIRN_REGS))
			break;
		if ((p[3] & 15) == CAIRN_REG_VECTOR)
			up_vector_reg(u, p);
		else
			up_own_reg(u, p);
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

/* The record at the window's place, for which the loop has no case, or a vector register:
 * 1 when it ends the slot, 0 when the slot goes on, < 0 when the walk stops before it (*why
 * says why). */
static RARE int walk_rare(struct up *u, int64_t *len, enum stop *why)
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
	int ended = up_rare(u, p, (size_t)*len);
	u->full = rare_rows_full(u->b);
	return ended;
}

/* The slot that has ended may be the batch's last. */
static RARE bool slot_ended(struct up *u)
{
	const struct cairn_batch *b = u->b;
	tell_dropped(u);
	return u->full || b->n_insns == CAIRN_CAP_INSNS || b->n_regs > CAIRN_CAP_REGS / 2 ||
	       b->n_mems > CAIRN_CAP_MEMS / 2;
}

static RARE enum stop walk(struct up *u)
{
	const uint8_t *const end = u->ss->w.end;
	const uint64_t off = u->ss->abs - u->b->off0 - (uint64_t)(uintptr_t)u->ss->w.base;
	const bool regs = u->want & CAIRN_REGS, mems = u->want & CAIRN_MEMS;
	/* Up to here a record of fixed length lies within the window. */
	const uint8_t *const safe = end - u->ss->w.p < STF_LEN_LONGEST_FIXED
	                                    ? NULL : end - STF_LEN_LONGEST_FIXED;
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
			up_insn(u, &h, base_le32(h.p + 1) | u->key[1], 4,
			        (uint32_t)(off + (uintptr_t)h.p));
			h.p += STF_LEN_INST_32;
			break;
		case CAIRN_STF_INST_16:
			up_insn(u, &h, base_le16(h.p + 1) | u->key[0], 2,
			        (uint32_t)(off + (uintptr_t)h.p));
			h.p += STF_LEN_INST_16;
			break;
		case CAIRN_STF_INST_PC_TARGET:
			up_target(u, &h);
			continue;
		case CAIRN_STF_INST_REG:
			kind = &u->w->reg[h.p[3]];
			if (__builtin_expect(!kind->word[0], 0)) /* a vector, or of cairn's numbers */
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
			up_first_content(&h);
			continue;
		default:
		rare:
			spill(u, &h);
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
		spill(u, &h);
		if (slot_ended(u))
			return STOP_FULL;
		reload(u, &h);
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
	if (stf_need_code(r->c, worker) < 0)
		return CAIRN_E_NOMEM;
	model_batch_clear(b);
	b->n0 = at->n;
	b->x0 = at->x;
	b->rec0 = at->rec;
	b->off0 = ss->abs + (uint64_t)(ss->w.p - ss->w.base);
	b->have = r->want & r->can & ~(ss->places_unknown ? (uint32_t)CAIRN_PLACES : 0u);
	b->ctxs[0] = at->ctx;
	b->n_ctxs = 1;
	struct up u = {.r = r, .cfg = &im->header.cfg, .s = s, .ss = ss,
	               .at = at, .b = b, .want = r->want | CAIRN_EVENTS, .w = worker,
	               .many_regs = b->regs + CAIRN_CAP_REGS / 2,
	               .many_mems = b->mems + CAIRN_CAP_MEMS / 2,
	               .ours = stf_isa_is_ours(im->header.cfg.isa)};
	const struct stf_set *set = u.ours ? stf_set_of((enum cairn_isa)at->isa) : NULL;
	u.mode0 = set ? set->mode0 : 0;
	know_isa(&u, at->isa);
	keep_target(&u);
	u.flags = u.fresh;
	memset(b->insns, 0, sizeof *b->insns); /* no rows before the first slot's */
	greet(&u);
	int rc = fill(&u);
	if (rc < 0 && model_batch_empty(b))
		return rc;
	/* What was read before a failure comes first; the next call fails again. */
	tell_dropped(&u);
	if (u.flags & SLOT_MODE_LATER) /* the span ends within a group */
		set_priv(&u, u.later_priv);
	keep_target(&u);
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

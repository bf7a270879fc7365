/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: lines into batches.
 *
 * An instruction's slot holds the rows of the lines below it. Lines before the first
 * instruction, and between the end of a run and the next one, are the state that an
 * instruction finds: they are in its slot, too. When a slot ends, what the text is known
 * to give wrongly is put right from the encoding (fix.c).
 *
 * The lines of accesses to vectors tell the lane by their drawing. A drawing may lack
 * everything beyond ASCII, so lanes are found from the number of spaces in it: each
 * line further down has one bar less to its left. How many lines belong to a drawing its
 * first one shows, if it has its bars: the log may end before the last.
 */
#include "formats/vixl/decoder.h"

#include <stdio.h>
#include <string.h>

enum stop { STOP_WINDOW, STOP_FULL };
enum { FAR = 1 << 30, LINES_IN_BATCH = 60000, LINES_MOST = 65000 };

/* ---- rows ---- */

static inline uint16_t next_seq(struct vixl_decoder *u)
{
	return u->states_only ? u->seq : u->seq++;
}

struct cairn_reg *vixl_reg(struct vixl_decoder *u, uint8_t cls, unsigned num, uint8_t role)
{
	struct cairn_batch *b = u->b;
	if (__builtin_expect(b->n_regs == CAIRN_CAP_REGS, 0)) {
		u->dropped++;
		return NULL;
	}
	struct cairn_reg *row = &b->regs[b->n_regs++];
	*row = (struct cairn_reg){.num = (uint16_t)num, .cls = cls, .role = role, .seq = next_seq(u)};
	return row;
}

struct cairn_mem *vixl_mem(struct vixl_decoder *u, uint8_t kind, uint64_t addr, uint32_t size)
{
	struct cairn_batch *b = u->b;
	if (__builtin_expect(b->n_mems == CAIRN_CAP_MEMS, 0)) {
		u->dropped++;
		return NULL;
	}
	struct cairn_mem *m = &b->mems[b->n_mems++];
	*m = (struct cairn_mem){.addr = addr, .size = size, .kind = kind, .seq = next_seq(u)};
	return m;
}

/* `bytes` of value, 16 or more as a payload. False: no room for it. */
static bool decoder_wide(struct vixl_decoder *u, const uint64_t *v, unsigned bytes, uint64_t *at)
{
	uint32_t k = model_batch_bytes(u->b, bytes);
	if (k == UINT32_MAX) {
		u->dropped++;
		return false;
	}
	for (unsigned i = 0; i < bytes / 8; i++)
		base_put_le64(u->b->bytes + k + 8 * i, v[i]);
	*at = k;
	return true;
}

void vixl_mem_value(struct vixl_decoder *u, struct cairn_mem *m, const uint64_t *v, unsigned bytes)
{
	m->flags |= CAIRN_VALUE_KNOWN;
	m->words = (uint16_t)((bytes + 7) / 8);
	m->value = v[0];
	if (bytes <= 8)
		return;
	if (decoder_wide(u, v, bytes, &m->value))
		m->flags |= CAIRN_VALUE_WIDE;
	else
		m->flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
}

static void decoder_reg_value(struct vixl_decoder *u, struct cairn_reg *row,
                              const struct vixl_line *l)
{
	if (l->masked & VIXL_MASKED_VALUE)
		return;
	row->flags |= CAIRN_VALUE_KNOWN;
	row->value = l->value[0];
	if (l->bytes <= 8)
		return;
	if (decoder_wide(u, l->value, l->bytes, &row->value))
		row->flags |= CAIRN_VALUE_WIDE;
	else
		row->flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
}

/* ---- lanes ---- */

/* The group of accesses is complete: which bytes of the registers were they? */
static void decoder_end_group(struct vixl_decoder *u)
{
	unsigned all = u->drawn > u->rows ? u->drawn : u->rows;
	for (unsigned j = 0; j < u->rows; j++) {
		unsigned below = all - 1 - j;
		/* "# ", the columns of a name, and the space before the value */
		unsigned in_cells = u->row_spaces[j] - 20;
		unsigned cell = (in_cells + below - 1) / 2;
		if (in_cells + below < 1 || cell >= u->cells || !u->cells)
			continue;
		struct cairn_mem *m = &u->b->mems[u->row_mem[j]];
		unsigned size = m->size ? m->size : 1, byte = u->cells - 1 - cell + u->chunk;
		for (unsigned i = 0; i < u->row_values[j]; i++)
			m[i].lane = (uint16_t)(byte / size);
	}
	u->rows = 0;
	u->group = 0;
}

/* ---- register lines ---- */

static uint8_t decoder_class_of(const struct vixl_line *l)
{
	return l->letter == 'x' || l->letter == 'w' ? CAIRN_REG_INT
	       : l->letter == 'p'                   ? CAIRN_REG_PREDICATE
	                                            : CAIRN_REG_VECTOR;
}

static unsigned decoder_number_of(const struct vixl_line *l)
{
	if (l->special == VIXL_FFR)
		return ISA_ARM64_FFR;
	return l->special == VIXL_ZR ? (unsigned)ISA_ARM64_XZR : l->num;
}

static struct cairn_reg *decoder_register_row(struct vixl_decoder *u, const struct vixl_line *l)
{
	bool part = l->kind == VIXL_XPART || l->kind == VIXL_VPART;
	uint8_t role = part || l->arrow == '>' ? (uint8_t)CAIRN_ROLE_SRC : u->role;
	struct cairn_reg *row = vixl_reg(u, decoder_class_of(l), decoder_number_of(l), role);
	if (!row)
		return NULL;
	row->bits = 8u * l->bytes;
	if (l->kind == VIXL_ZREG || l->kind == VIXL_PREG)
		row->lsb = l->lsb;
	else if (l->kind == VIXL_VREG && l->bytes < 16 && l->letter == 'v')
		row->lsb = (uint16_t)(8 * (16 - l->bytes) - 4 * l->pad_value); /* an old lane */
	else if (role != CAIRN_ROLE_SRC && (l->letter != 'x'))
		row->flags = CAIRN_VALUE_ZEROES;
	decoder_reg_value(u, row, l);
	return row;
}

/* Where a predicate's piece really lies: the simulator adds 16 for each, not 2. Pieces stand
 * one below another. */
static bool predicate_address(struct vixl_decoder *u, const struct vixl_line *l, uint64_t *addr)
{
	*addr = l->addr;
	if (l->lsb == 0) {
		u->p_base = l->addr;
		u->p_num = l->num;
		u->p_known = true;
		return true;
	}
	if (!u->p_known || u->p_num != l->num)
		return false;
	if (l->addr == u->p_base + l->lsb) /* 16 for each 16 bits */
		*addr = u->p_base + l->lsb / 8u;
	return l->addr == u->p_base + l->lsb || l->addr == u->p_base + l->lsb / 8u;
}

/* The access on a register's own line. `row`: the register's row + 1, or 0. */
static void register_access(struct vixl_decoder *u, const struct vixl_line *l, uint32_t row)
{
	bool store = l->arrow == '>', old = !store && !l->ranged && !vixl_is_today(l);
	uint64_t addr = l->addr;
	uint32_t size = l->bytes;
	bool where = !(l->masked & VIXL_MASKED_ADDR), value = !(l->masked & VIXL_MASKED_VALUE);
	if (l->kind == VIXL_PREG)
		where &= predicate_address(u, l, &addr);
	if (!store && l->special == VIXL_ZR)
		value = false; /* what the register reads as, not what was there */
	if (old) {         /* extended in the register: the encoding tells how much was read */
		size = u->cur && u->op.mem_size <= size ? u->op.mem_size : 0;
		value &= size != 0;
	}
	struct cairn_mem *m = vixl_mem(u, store ? CAIRN_MEM_WRITE : CAIRN_MEM_READ, addr, size);
	if (!m)
		return;
	m->reg = (uint16_t)row;
	if (!where)
		m->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
	if (!value)
		return;
	uint64_t v[2] = {l->value[0], l->value[1]};
	if (size < 8)
		v[0] &= (UINT64_C(1) << 8 * size) - 1;
	vixl_mem_value(u, m, v, size);
}

/* Without an encoding: "x1: …" and "w1: … <- …" may be one load of x1 (LDAPUR), whose
 * upper half the second line does not mean, or two instructions. */
static void unsure_half(struct vixl_decoder *u, const struct vixl_line *l, struct cairn_reg *row)
{
	if (!u->states_only || l->kind != VIXL_WREG || l->arrow != '<' || !u->old_x ||
	    u->last_num != l->num)
		return;
	row->flags &= (uint8_t)~CAIRN_VALUE_ZEROES;
	struct cairn_reg *half = vixl_reg(u, CAIRN_REG_INT, row->num, CAIRN_ROLE_DST);
	if (half) {
		half->lsb = 32;
		half->bits = 32;
	}
}

static inline void decoder_register_line(struct vixl_decoder *u, const struct vixl_line *l)
{
	uint32_t row_number = 0;
	if (u->rows)
		decoder_end_group(u);
	u->p_known &= l->kind == VIXL_PREG;
	if (u->want & CAIRN_REGS) {
		struct cairn_reg *row = decoder_register_row(u, l);
		row_number = row ? u->b->n_regs : 0;
		if (row)
			unsure_half(u, l, row);
	}
	if (l->arrow) {
		u->group = 0;
		if (u->want & CAIRN_MEMS)
			register_access(u, l, row_number);
	} else {
		u->group++;
		u->cells = l->kind <= VIXL_XPART ? 8 : 16;
		u->chunk = l->kind == VIXL_ZREG ? l->lsb / 8u : 0;
	}
	u->flow.rows |= l->kind <= VIXL_WREG && l->arrow != '>';
	u->old_x = l->kind == VIXL_XREG && !l->arrow;
	u->last_num = l->num;
}

/* ---- other lines ---- */

/* Lines of the drawing that begins with this one: a bar for each further down, and its own
 * corner. 0: what is beyond ASCII has been taken out of it. */
static unsigned lines_drawn(const struct vixl_line *l)
{
	unsigned n = 0;
	for (uint32_t i = 0; i + 2 < l->text_len; i++)
		n += !memcmp(l->text + i, "\xe2\x95\x91", 3);
	return l->text_len > l->spaces ? n + 1 : 0;
}

/* A structure of up to 4 values, contiguous in memory, of as many registers. */
static void access_line(struct vixl_decoder *u, const struct vixl_line *l)
{
	struct cairn_batch *b = u->b;
	unsigned k = l->n_values;
	bool store = l->arrow == '>';
	uint32_t base = u->want & CAIRN_REGS && u->group >= k && b->n_regs - u->reg0 >= k
	                    ? b->n_regs - k
	                    : UINT32_MAX;
	for (uint32_t i = base; store && i < b->n_regs; i++)
		b->regs[i].role = CAIRN_ROLE_SRC;
	if (!(u->want & CAIRN_MEMS))
		return;
	if (u->rows < VIXL_ROWS && b->n_mems + k <= CAIRN_CAP_MEMS) {
		if (u->rows == 0)
			u->drawn = lines_drawn(l);
		u->row_mem[u->rows] = b->n_mems;
		u->row_spaces[u->rows] = l->spaces;
		u->row_values[u->rows++] = k;
	}
	for (unsigned i = 0; i < k; i++) {
		struct cairn_mem *m = vixl_mem(u, store ? CAIRN_MEM_WRITE : CAIRN_MEM_READ,
		                               l->addr + (uint64_t)i * l->bytes, l->bytes);
		if (!m)
			break;
		if (base != UINT32_MAX)
			m->reg = (uint16_t)(base + i + 1);
		if (l->masked & VIXL_MASKED_ADDR)
			m->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
		vixl_mem_value(u, m, &l->value[i], l->bytes);
	}
}

static void plain_access(struct vixl_decoder *u, uint8_t kind, uint64_t addr, bool masked,
                         uint32_t size, const uint64_t *value)
{
	struct cairn_mem *m = u->want & CAIRN_MEMS ? vixl_mem(u, kind, addr, size) : NULL;
	if (!m)
		return;
	if (masked)
		m->flags |= CAIRN_VALUE_ADDR_UNKNOWN;
	if (value)
		vixl_mem_value(u, m, value, size);
}

static void flags_line(struct vixl_decoder *u, const struct vixl_line *l)
{
	bool fpcr = l->kind == VIXL_FPCR;
	struct cairn_reg *row = !(u->want & CAIRN_REGS) ? NULL
	                        : fpcr ? vixl_reg(u, CAIRN_REG_CSR, ISA_ARM64_FPCR, u->role)
	                               : vixl_reg(u, CAIRN_REG_FLAGS, 0, u->role);
	if (!row)
		return;
	row->bits = fpcr ? VIXL_FPCR_BITS : 4;
	row->lsb = fpcr ? VIXL_FPCR_LSB : 0;
	row->value = l->value[0];
	row->flags = CAIRN_VALUE_KNOWN;
}

static struct cairn_event *vixl_decoder_event(struct vixl_decoder *u, uint8_t kind)
{
	struct cairn_batch *b = u->b;
	if (!(u->want & CAIRN_EVENTS))
		return NULL;
	if (b->n_events == CAIRN_CAP_EVENTS) {
		u->dropped++;
		return NULL;
	}
	struct cairn_event *e = &b->events[b->n_events++];
	*e = (struct cairn_event){.kind = kind,
	                          .seq = next_seq(u),
	                          .phase = u->cur ? CAIRN_AFTER : CAIRN_BEFORE};
	return e;
}

static void stack_line(struct vixl_decoder *u, const struct vixl_line *l)
{
	uint64_t args[3] = {l->enc, l->index, l->addr};
	struct cairn_event *e = vixl_decoder_event(u, CAIRN_EV_FORMAT);
	uint32_t at = e ? model_batch_bytes(u->b, sizeof args) : UINT32_MAX;
	if (!e)
		return;
	e->code = l->arrow == '<' ? VIXL_EV_GCS_PUSH : VIXL_EV_GCS_POP;
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	memcpy(u->b->bytes + at, args, sizeof args);
	e->args = at;
	e->len = sizeof args;
}

static void text(struct vixl_decoder *u, const char *p, size_t n)
{
	if (!(u->want & CAIRN_EVENTS))
		return;
	struct cairn_event *e = model_batch_text_event(u->b, CAIRN_EV_COMMENT, next_seq(u), p, n);
	if (e)
		e->phase = u->cur ? CAIRN_AFTER : CAIRN_BEFORE;
	else
		u->dropped++;
}

static void vixl_decoder_branch_line(struct vixl_decoder *u, const struct vixl_line *l)
{
	if (u->cur) {
		u->flow.branched = true;
		u->flow.target = l->addr;
		u->flow.target_known = !l->masked;
		return;
	}
	struct cairn_event *e = vixl_decoder_event(u, CAIRN_EV_BRANCH);
	if (e && !l->masked) {
		e->target = l->addr;
		e->flags = CAIRN_EVF_TARGET;
	}
}

static void bad_line(struct vixl_decoder *u, unsigned kind, const char *p, size_t n)
{
	char sentence[192];
	uint64_t off = u->ss->abs + (uint64_t)(p - u->ss->w.base);
	vixl_bad_text(sentence, sizeof sentence, off, u->at->line, kind);
	model_damage_event(u->r, u->s, u->b, next_seq(u), off, n, "%s", sentence);
}

/* A line that is no instruction's. */
static void vixl_decoder_other_line(struct vixl_decoder *u, const struct vixl_line *l,
                                    const char *p, size_t n)
{
	if (u->rows && l->kind != VIXL_ACCESS)
		decoder_end_group(u);
	switch (l->kind) {
	case VIXL_ACCESS:
		access_line(u, l);
		return;
	case VIXL_NZCV:
	case VIXL_FPCR:
		flags_line(u, l);
		break;
	case VIXL_BRANCH:
		vixl_decoder_branch_line(u, l);
		break;
	case VIXL_GCS:
		stack_line(u, l);
		break;
	case VIXL_TRANSFER:
		plain_access(u, CAIRN_MEM_READ, l->source, l->masked & VIXL_MASKED_SOURCE, 1, l->value);
		plain_access(u, CAIRN_MEM_WRITE, l->addr, l->masked & VIXL_MASKED_ADDR, 1, l->value);
		break;
	case VIXL_WRITE64:
		plain_access(u, CAIRN_MEM_WRITE, l->addr, l->masked & VIXL_MASKED_ADDR, 8, l->value);
		break;
	case VIXL_BARE:
		plain_access(u, l->arrow == '<' ? CAIRN_MEM_READ : CAIRN_MEM_WRITE, l->addr,
		             l->masked & VIXL_MASKED_ADDR, 0, NULL);
		break;
	case VIXL_TEXT:
		if (u->cur && vixl_is_elsewhere(p, n))
			u->flow.elsewhere = true;
		else
			text(u, p, n);
		break;
	case VIXL_UNKNOWN:
	case VIXL_INSN: /* in a log of state */
		bad_line(u, l->kind, p, n);
		break;
	default:
		break;
	}
	u->group = 0;
	u->old_x = false;
	u->p_known = false;
}

/* ---- instructions ---- */

static void vixl_decoder_report_dropped(struct vixl_decoder *u)
{
	if (!u->dropped)
		return;
	uint64_t off = u->at->off;
	model_damage_event(u->r, u->s, u->b, u->seq, off, 0,
	                   "line %llu: an instruction has more lines than fit; %llu rows are left out",
	                   (unsigned long long)u->at->line, (unsigned long long)u->dropped);
	if (!u->states_only)
		u->seq++;
	u->dropped = 0;
}

/* The slot has all that belongs to it. `next`: address of the next instruction. */
static void vixl_decoder_end_slot(struct vixl_decoder *u, const uint64_t *next)
{
	struct cairn_batch *b = u->b;
	if (u->rows)
		decoder_end_group(u);
	if (u->cur) {
		uint64_t target;
		vixl_fix(u);
		u->cur->flags |= vixl_outcome(&u->flow, &u->op, u->logged, next, &target);
		u->cur->target = target;
		u->at->flags = vixl_follow(&u->flow, &u->op, u->logged, &u->at->next);
	}
	if (__builtin_expect(u->dropped != 0, 0))
		vixl_decoder_report_dropped(u);
	u->cur = NULL;
	u->reg0 = b->n_regs;
	u->mem0 = b->n_mems;
	u->ev0 = b->n_events;
	u->seq = 0;
	u->group = 0;
	u->role = CAIRN_ROLE_STATE;
	u->p_known = false;
}

static bool is_full(const struct vixl_decoder *u)
{
	return model_batch_full(u->b) ||
	       u->ss->abs + (uint64_t)(u->ss->w.p - u->ss->w.base) - u->b->off0 > FAR;
}

static void vixl_decoder_asm_text(struct vixl_decoder *u, const struct vixl_line *l)
{
	struct cairn_batch *b = u->b;
	uint32_t at = model_batch_bytes(b, l->text_len);
	struct cairn_asm *a = &b->asms[b->n_insns];
	*a = (struct cairn_asm){0};
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	memcpy(b->bytes + at, l->text, l->text_len);
	*a = (struct cairn_asm){at, l->text_len};
}

static void vixl_decoder_gap(struct vixl_decoder *u)
{
	static const char why[] = "the simulator's trace was switched off";
	if (!(u->want & CAIRN_EVENTS))
		return;
	struct cairn_event *e =
		model_batch_text_event(u->b, CAIRN_EV_GAP, next_seq(u), why, sizeof why - 1);
	if (e)
		e->code = UINT64_MAX;
}

static inline void vixl_decoder_instruction(struct vixl_decoder *u, const struct vixl_line *l,
                                            uint64_t off)
{
	struct cairn_batch *b = u->b;
	struct vixl_state *at = u->at;
	bool known = !(l->masked & VIXL_MASKED_ADDR);
	uint32_t flags = known ? 0 : (uint32_t)CAIRN_INSN_PC_UNKNOWN;
	u->op = *isa_memo_get(u->w->memo, CAIRN_ISA_A64, l->enc, 4);
	u->flow = (struct vixl_flow){.pc = l->addr, .enc = l->enc, .pc_known = known};
	if (__builtin_expect(at->flags & VIXL_F_GAP, 0))
		vixl_decoder_gap(u);
	if (known && ((at->flags & VIXL_F_END) || ((at->flags & VIXL_F_NEXT) && at->next != l->addr)))
		flags |= CAIRN_INSN_DISCONTINUITY;
	if (u->want & CAIRN_ASM)
		vixl_decoder_asm_text(u, l);
	struct cairn_insn *row = &b->insns[b->n_insns++];
	*row = (struct cairn_insn){.pc = l->addr,
	                           .enc = l->enc,
	                           .traits = u->op.traits,
	                           .flags = flags,
	                           .rec = (uint32_t)(at->line - b->rec0),
	                           .off = (uint32_t)(off - b->off0),
	                           .reg0 = (uint16_t)u->reg0,
	                           .mem0 = (uint16_t)u->mem0,
	                           .ev0 = (uint16_t)u->ev0,
	                           .size = 4,
	                           .isa = CAIRN_ISA_A64,
	                           .cls = u->op.cls};
	u->cur = row;
	u->role = vixl_is_hlt(l->enc) && (l->enc >> 5 & 0xffff) == VIXL_HLT_LOG ? CAIRN_ROLE_STATE
	                                                                        : CAIRN_ROLE_DST;
	u->group = 0;
	at->n++;
}

/* Lines without an instruction: enough of them, and no group of them divided? */
static bool may_stop(struct vixl_decoder *u, const char *p)
{
	const struct cairn_batch *b = u->b;
	bool many = u->states_only && u->seq >= LINES_IN_BATCH;
	if (!many && !is_full(u))
		return false;
	return u->seq >= LINES_MOST || b->n_regs > CAIRN_CAP_REGS / 4 * 3 ||
	       b->n_mems > CAIRN_CAP_MEMS / 4 * 3 || b->n_events > CAIRN_CAP_EVENTS / 4 * 3 ||
	       p == u->ss->w.base || vixl_may_begin(u->ss->w.base, p, u->ss->w.end);
}

/* ---- the walk ---- */

/* One line; the walk stops before it when the batch is full. */
static inline enum stop vixl_decoder_line(struct vixl_decoder *u, const char *p, size_t n)
{
	struct vixl_line l;
	uint64_t off = u->ss->abs + (uint64_t)(p - u->ss->w.base);
	vixl_parse(p, n, &l, &u->w->plain);
	if (l.kind == VIXL_INSN && !u->states_only) {
		if (u->cur) {
			vixl_decoder_end_slot(u, l.masked & VIXL_MASKED_ADDR ? NULL : &l.addr);
			if (is_full(u))
				return STOP_FULL;
		}
		if (__builtin_expect(l.prefix != 0, 0))
			text(u, p, l.prefix);
		vixl_decoder_instruction(u, &l, off + l.prefix);
		u->begun = off;
		return STOP_WINDOW;
	}
	if (!u->cur && may_stop(u, p))
		return STOP_FULL;
	if (__builtin_expect(l.prefix != 0, 0))
		text(u, p, l.prefix);
	if (vixl_is_register(l.kind))
		decoder_register_line(u, &l);
	else
		vixl_decoder_other_line(u, &l, p, n - l.returns);
	return STOP_WINDOW;
}

static enum stop vixl_decoder_walk(struct vixl_decoder *u)
{
	struct vixl_span *ss = u->ss;
	const char *const end = ss->w.end;
	while (ss->w.p < end) {
		const char *e, *next = vixl_line_end(ss->w.p, end, &e);
		if (u->states_only)
			u->seq = (uint16_t)(u->at->line - u->b->rec0);
		if (vixl_decoder_line(u, ss->w.p, (size_t)(e - ss->w.p)) == STOP_FULL)
			return STOP_FULL;
		u->at->line++;
		ss->w.p = next;
		u->at->off = ss->abs + (uint64_t)(next - ss->w.base);
		if (u->cur && (u->flow.elsewhere ||
		               (u->flow.branched && u->flow.target_known && u->flow.target == 0))) {
			vixl_decoder_end_slot(u, NULL); /* the run has ended */
			if (is_full(u))
				return STOP_FULL;
		}
	}
	return STOP_WINDOW;
}

static int vixl_decoder_fill(struct vixl_decoder *u)
{
	struct vixl_span *ss = u->ss;
	while (vixl_decoder_walk(u) != STOP_FULL) {
		if (ss->w.more) {
			int rc = vixl_window_fill(u->r, u->s);
			if (rc < 0)
				return rc;
			continue;
		}
		if (u->cur)
			vixl_decoder_end_slot(u, ss->peeked ? &ss->peek : NULL);
		if (ss->broken)
			model_damage_event(u->r, u->s, u->b, u->seq++, u->at->off, 0, "byte 0x%llx: %s",
			                   (unsigned long long)u->at->off, ss->why);
		ss->finished = true;
		break;
	}
	return 0;
}

int vixl_decode(struct cairn_reader *r, struct model_span *s, struct cairn_batch *b)
{
	struct vixl_span *ss = s->priv;
	const struct vixl_impl *im = r->impl;
	if (ss->finished)
		return 0;
	model_batch_clear(b);
	b->n0 = ss->at.n;
	b->x0 = 1;
	b->rec0 = ss->at.line;
	b->off0 = ss->at.off;
	b->have = r->can & (r->want | CAIRN_ROW_PLACES);
	b->ctxs[b->n_ctxs++] = (struct cairn_ctx){0};
	bool states = vixl_state_only(im);
	struct vixl_decoder u = {.r = r,
	                         .im = im,
	                         .w = s->worker,
	                         .s = s,
	                         .ss = ss,
	                         .at = &ss->at,
	                         .b = b,
	                         .want = r->want,
	                         .logged = (im->look.log & VIXL_LOG_BRANCH) != 0,
	                         .states_only = states,
	                         .role = states ? CAIRN_ROLE_DST : CAIRN_ROLE_STATE};
	int rc = vixl_decoder_fill(&u);
	if (rc < 0)
		return rc;
	if (u.rows)
		decoder_end_group(&u);
	vixl_decoder_report_dropped(&u);
	model_batch_close(b, u.reg0, u.mem0, u.ev0, 0);
	b->insns[b->n_insns].isa = CAIRN_ISA_A64;
	if (!ss->finished)
		return 1;
	if (!s->scanned)
		memcpy(s->exit, &ss->at, sizeof ss->at);
	return !model_batch_empty(b);
}

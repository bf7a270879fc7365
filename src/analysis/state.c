/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What slots tell of registers and memory. A slot is told in four steps: a gap before it,
 * what it reads, what it writes, damage in it. The first two are the state before it.
 *
 * Everything here may say "not known" too often, never too seldom. So what an instruction
 * that did not retire would have written becomes unknown, for nobody knows how far it came,
 * and so does what is written without its value.
 */
#include "analysis/state.h"

#include <string.h>

#include "base/bytes.h"

/* ---- one ---- */

int cairn_state_new(struct cairn *c, const struct cairn_state_opts *opts, struct cairn_state **out)
{
	*out = NULL;
	if (opts && opts->size > sizeof *opts)
		return base_fail(c, CAIRN_E_INVAL, "state options of a newer library");
	struct cairn_state *s = base_alloc(c, sizeof *s);
	if (!s)
		return CAIRN_E_NOMEM;
	if (opts)
		memcpy(&s->opts, opts, opts->size);
	s->c = s->regs.c = s->memory.c = c;
	s->big = s->opts.big_endian;
	s->memory.max_bytes = s->opts.max_bytes ? s->opts.max_bytes : (uint64_t)1 << 30;
	s->memory.remember = s->opts.memory == CAIRN_STATE_NEAR;
	s->batch = cairn_batch_new(c);
	if (!s->batch) {
		cairn_state_free(s);
		return CAIRN_E_NOMEM;
	}
	*out = s;
	return 0;
}

void cairn_state_free(struct cairn_state *s)
{
	if (!s)
		return;
	regs_free(&s->regs);
	memory_free(&s->memory);
	cairn_batch_free(s->c, s->batch);
	base_free(s->c, s);
}

void cairn_state_clear(struct cairn_state *s)
{
	regs_clear(&s->regs);
	memory_clear(&s->memory);
	s->r = NULL;
}

uint32_t cairn_state_parts(const struct cairn_state *s)
{
	uint32_t parts = CAIRN_PC | CAIRN_ENC | CAIRN_TARGET | CAIRN_CLASS | CAIRN_CONTEXT |
	                 CAIRN_EVENTS | CAIRN_BYTES | CAIRN_REGS | CAIRN_REG_VALUES;
	return s->opts.memory == CAIRN_STATE_NONE ? parts : parts | CAIRN_MEMS | CAIRN_MEM_VALUES;
}

struct cairn_space cairn_space_of(const struct cairn_ctx *ctx)
{
	struct cairn_space s = {.kind = CAIRN_SPACE_ONE};
	if (ctx->known & CAIRN_CTX_ASID) {
		s.kind = CAIRN_SPACE_ASID;
		s.id = ctx->asid;
		s.vmid = ctx->known & CAIRN_CTX_VMID ? ctx->vmid : 0;
	} else if (ctx->known & CAIRN_CTX_PID) {
		s.kind = CAIRN_SPACE_PID;
		s.id = ctx->pid;
	}
	return s;
}

/* ---- slots ---- */

static const struct cairn_ctx *ctx_of(const struct cairn_batch *b, uint32_t slot)
{
	static const struct cairn_ctx none;
	uint16_t i = b->insns[slot].ctx;
	return i < b->n_ctxs ? &b->ctxs[i] : &none;
}

static bool is_executed(const struct cairn_batch *b, uint32_t slot)
{
	return !(b->insns[slot].flags & CAIRN_INSN_NOT_EXECUTED);
}

/* The number of the instruction a slot belongs to, or comes before. */
static uint64_t number_of(const struct cairn_batch *b, uint32_t slot)
{
	return b->n0 + slot;
}

bool state_slot_has(const struct cairn_batch *b, uint32_t slot, enum cairn_event_kind kind)
{
	for (uint32_t k = b->insns[slot].ev0; k < b->insns[slot + 1].ev0; k++)
		if (b->events[k].kind == kind)
			return true;
	return false;
}

static bool is_written(const struct cairn_reg *r)
{
	return r->role == CAIRN_ROLE_DST || r->role == CAIRN_ROLE_UNKNOWN;
}

/* A source that equals the result in the same register may have been read after it was
 * written: some writers do that. Then it tells nothing of the time before. */
static bool may_be_late(const struct cairn_batch *b, uint32_t slot, const struct cairn_reg *source)
{
	for (uint32_t k = b->insns[slot].reg0; k < b->insns[slot + 1].reg0; k++) {
		const struct cairn_reg *r = &b->regs[k];
		if (r->role == CAIRN_ROLE_DST && r->cls == source->cls && r->num == source->num &&
		    (!(r->flags & CAIRN_VALUE_KNOWN) || (r->flags & CAIRN_VALUE_WIDE) ||
		     r->value == source->value))
			return true;
	}
	return false;
}

int state_slot_regs(struct regs *m, const struct cairn_batch *b, uint32_t slot, bool written)
{
	const struct cairn_insn *i = &b->insns[slot];
	const struct cairn_ctx *x = ctx_of(b, slot);
	uint16_t hart = x->known & CAIRN_CTX_HART ? x->hart : CAIRN_NO_HART;
	bool executed = is_executed(b, slot);
	int rc = 0;
	for (uint32_t k = i->reg0; k < i[1].reg0 && rc >= 0; k++) {
		const struct cairn_reg *r = &b->regs[k];
		bool known = r->flags & CAIRN_VALUE_KNOWN;
		if (r->role == CAIRN_ROLE_READY || is_written(r) != written || (!written && !known))
			continue;
		if (r->role == CAIRN_ROLE_SRC && may_be_late(b, slot, r))
			continue;
		rc = regs_put(m, regs_key(hart, r->cls, r->num), b, r,
		              known && (executed || !written), number_of(b, slot));
	}
	return rc;
}

/* ---- memory ---- */

enum { MOST_ACCESS = 1 << 16 };

/* The bytes of an access in the order they lie, as many as were recorded; 0: none. */
static size_t contents(const struct cairn_batch *b, const struct cairn_mem *m, bool big,
                       uint8_t buf[MOST_ACCESS])
{
	size_t has = m->flags & CAIRN_VALUE_WIDE ? 8 * (size_t)m->words : 8;
	uint8_t word[8];
	const uint8_t *src = word;
	if (!(m->flags & CAIRN_VALUE_KNOWN) || m->size == 0 || m->size > MOST_ACCESS)
		return 0;
	base_put_le64(word, m->value);
	if (m->flags & CAIRN_VALUE_WIDE) {
		if (m->value > b->n_bytes || has > b->n_bytes - m->value)
			return 0;
		src = b->bytes + m->value;
	}
	if (!big) {
		size_t n = has < m->size ? has : m->size;
		memcpy(buf, src, n);
		return n;
	}
	if (has < m->size) /* which end the number lies at is not told */
		return 0;
	for (size_t k = 0; k < m->size; k++)
		buf[k] = src[m->size - 1 - k];
	return m->size;
}

/* `n` bytes of it are known, the rest is not; reads tell nothing of that. */
static int put_access(struct memory *to, const struct cairn_space *space, uint64_t addr,
                      uint64_t size, const uint8_t *buf, size_t n, bool written)
{
	int rc = n ? memory_put(to, space, addr, n, buf) : 0;
	return rc < 0 || !written || n >= size ? rc : memory_forget(to, space, addr + n, size - n);
}

static int see_mem(struct memory *to, const struct cairn_batch *b, uint32_t slot,
                   const struct cairn_mem *m, bool big, bool written)
{
	static const struct cairn_space physical = {.kind = CAIRN_SPACE_PHYSICAL};
	enum { PAGE = 4096 };
	uint8_t buf[MOST_ACCESS];
	struct cairn_space space = cairn_space_of(ctx_of(b, slot));
	bool by_insn = m->initiator == CAIRN_BY_INSN;
	bool happened = !written || !by_insn || is_executed(b, slot);
	size_t n = happened ? contents(b, m, big, buf) : 0;
	int rc = 0;
	if (!(m->flags & CAIRN_VALUE_ADDR_UNKNOWN))
		rc = put_access(to, by_insn || (m->flags & CAIRN_VALUE_PA) ? &space : &physical, m->addr,
		                m->size, buf, n, written);
	if (rc < 0 || !(m->flags & CAIRN_VALUE_PA))
		return rc;
	/* Only as far as the page goes is it known what comes next. */
	uint64_t room = by_insn ? PAGE - m->pa % PAGE : UINT64_MAX;
	return put_access(to, &physical, m->pa, m->size < room ? m->size : room, buf,
	                  n < room ? n : (size_t)room, written);
}

/* What is read, or of unknown kind and with its value, tells what is there; what is written,
 * or of unknown kind without one, what is there afterwards. */
int state_slot_mems(struct memory *to, const struct cairn_batch *b, uint32_t slot, bool big,
                    bool written)
{
	int rc = 0;
	big = big || b->insns[slot].isa == CAIRN_ISA_SPARC;
	for (uint32_t k = b->insns[slot].mem0; k < b->insns[slot + 1].mem0 && rc >= 0; k++) {
		const struct cairn_mem *m = &b->mems[k];
		bool known = m->flags & CAIRN_VALUE_KNOWN;
		bool writes = m->kind == CAIRN_MEM_WRITE || (m->kind == CAIRN_MEM_UNKNOWN && !known);
		if (writes == written && (written || known) && !(m->flags & CAIRN_VALUE_NOT_WRITTEN))
			rc = see_mem(to, b, slot, m, big, written);
	}
	return rc;
}

/* ---- steps ---- */

static void lose(struct cairn_state *s)
{
	regs_clear(&s->regs);
	memory_clear(&s->memory);
}

int cairn_state_peek(struct cairn_state *s, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	int rc = 0;
	if (i[0].ev0 != i[1].ev0 && state_slot_has(b, slot, CAIRN_EV_GAP))
		lose(s);
	if (i[0].reg0 != i[1].reg0)
		rc = state_slot_regs(&s->regs, b, slot, false);
	if (rc >= 0 && i[0].mem0 != i[1].mem0 && s->opts.memory != CAIRN_STATE_NONE)
		rc = state_slot_mems(&s->memory, b, slot, s->big, false);
	return rc;
}

static int step(struct cairn_state *s, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	int rc = cairn_state_peek(s, b, slot);
	if (rc >= 0 && i[0].reg0 != i[1].reg0)
		rc = state_slot_regs(&s->regs, b, slot, true);
	if (rc >= 0 && i[0].mem0 != i[1].mem0 && s->opts.memory != CAIRN_STATE_NONE)
		rc = state_slot_mems(&s->memory, b, slot, s->big, true);
	if (i[0].ev0 != i[1].ev0 && state_slot_has(b, slot, CAIRN_EV_DAMAGE))
		lose(s);
	return rc;
}

int cairn_state_step(struct cairn_state *s, const struct cairn_batch *b, uint32_t from, uint32_t to)
{
	int rc = 0;
	for (uint32_t slot = from; slot < to && slot <= b->n_insns && rc >= 0; slot++)
		rc = step(s, b, slot);
	return rc;
}

/* ---- asking ---- */

int cairn_state_reg(const struct cairn_state *s, uint16_t hart, enum cairn_reg_class cls,
                    unsigned num, struct cairn_state_reg *reg)
{
	const struct regs_row *row = num > UINT16_MAX ? NULL
		: regs_find(&s->regs, regs_key(hart, (uint8_t)cls, (uint16_t)num));
	*reg = (struct cairn_state_reg){.hart = hart, .num = (uint16_t)num, .cls = (uint8_t)cls};
	if (!row)
		return 0;
	regs_tell(row, reg);
	return regs_any(row);
}

int64_t cairn_state_regs(const struct cairn_state *s, struct cairn_state_reg *regs, size_t max)
{
	const struct regs_row **rows;
	size_t n;
	int rc = regs_sorted(&s->regs, &rows, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && i < max; i++)
		regs_tell(rows[i], &regs[i]);
	base_free(s->c, rows);
	return (int64_t)n;
}

size_t cairn_state_memory(const struct cairn_state *s, struct cairn_space space, uint64_t addr,
                          size_t n, uint8_t *bytes, uint8_t *known)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = addr + i;
		const struct memory_piece *p = memory_find(&s->memory, &space, at / 64);
		known[i] = p && (p->known >> at % 64 & 1);
		bytes[i] = known[i] ? p->bytes[at % 64] : 0;
		count += known[i];
	}
	return count;
}

int64_t cairn_state_blocks(const struct cairn_state *s, struct cairn_state_block *blocks, size_t max)
{
	const struct memory_piece **order;
	size_t n;
	if (max == 0)
		return (int64_t)memory_known(&s->memory);
	int rc = memory_sorted(&s->memory, false, &order, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && i < max; i++) {
		blocks[i] = (struct cairn_state_block){.space = order[i]->space,
			.addr = order[i]->at * 64, .known = order[i]->known};
		memcpy(blocks[i].bytes, order[i]->bytes, sizeof blocks[i].bytes);
	}
	base_free(s->c, order);
	return (int64_t)n;
}

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
	s->telling.big = s->opts.big_endian;
	s->memory.max_bytes = s->opts.max_bytes ? s->opts.max_bytes : (uint64_t)1 << 30;
	s->memory.remember = s->opts.memory == CAIRN_STATE_NEAR;
	s->batch = cairn_batch_new(c);
	s->telling.memo = isa_written_memo_new(c);
	if (!s->batch || !s->telling.memo) {
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
	isa_written_memo_free(s->telling.memo);
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
static uint64_t state_number_of(const struct cairn_batch *b, uint32_t slot)
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

static uint16_t state_hart_of(const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_ctx *x = ctx_of(b, slot);
	return x->known & CAIRN_CTX_HART ? x->hart : CAIRN_NO_HART;
}

/* ---- what is written without being told ---- */

/* What the encoding of a slot's instruction writes; NULL when that is not asked. */
static const struct isa_written *written_by(const struct cairn_batch *b, uint32_t slot,
                                            const struct state_telling *t)
{
	static const struct isa_written anything;
	const struct cairn_insn *i = &b->insns[slot];
	if (!t->memo || !state_slot_runs(b, slot))
		return NULL;
	if (i->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES))
		return &anything;
	return isa_written_get(t->memo, (enum cairn_isa)(i->isa | i->variant), i->enc, i->size);
}

/* Does a row tell all of a register? Then nothing has to be forgotten first. */
static bool is_told(const struct cairn_batch *b, uint32_t slot, const struct isa_written_reg *w)
{
	for (uint32_t k = b->insns[slot].reg0; k < b->insns[slot + 1].reg0 && w->count == 1; k++) {
		const struct cairn_reg *r = &b->regs[k];
		if (r->num == w->num && r->cls == w->cls && is_written(r) && r->lsb == 0 &&
		    (r->bits == 64 || r->flags & CAIRN_VALUE_ZEROES))
			return true;
	}
	return false;
}

static bool has_results(const struct cairn_batch *b, uint32_t slot)
{
	for (uint32_t k = b->insns[slot].reg0; k < b->insns[slot + 1].reg0; k++)
		if (is_written(&b->regs[k]))
			return true;
	return false;
}

bool state_slot_jumps(const struct cairn_batch *b, uint32_t slot)
{
	if (slot >= b->n_insns || !(b->insns[slot].flags & CAIRN_INSN_DISCONTINUITY))
		return false;
	/* Where a PC is told because another hart comes, nothing is missing. */
	const struct cairn_ctx *before = &b->ctxs[slot ? b->insns[slot - 1].ctx : 0];
	const struct cairn_ctx *now = ctx_of(b, slot);
	return !state_slot_has(b, slot, CAIRN_EV_FORCE_PC) || !(now->known & CAIRN_CTX_HART) ||
	       !(before->known & CAIRN_CTX_HART) || before->hart == now->hart;
}

/* Somebody else ran before this instruction, or it is of another time: registers of its hart
 * may hold anything. */
static int forget_hart(struct regs *m, const struct cairn_batch *b, uint32_t slot)
{
	const struct isa_written_reg all = {.cls = ISA_ANY_CLASS, .count = ISA_ALL_NUMBERS};
	return regs_forget(m, state_hart_of(b, slot), &all, state_number_of(b, slot));
}

static int state_forget_written(struct regs *m, const struct cairn_batch *b, uint32_t slot,
                                const struct isa_written *w)
{
	uint16_t hart = state_hart_of(b, slot);
	int rc = w->window ? regs_turn(m, hart, w->window > 0) : 0;
	for (unsigned i = 0; i < w->n && rc >= 0; i++)
		if (!is_told(b, slot, &w->reg[i]))
			rc = regs_forget(m, hart, &w->reg[i], state_number_of(b, slot));
	/* Of an encoding that nobody knows the rows are believed, where there are any. */
	return rc >= 0 && !w->told && !has_results(b, slot) ? forget_hart(m, b, slot) : rc;
}

/* A register that is written under one name is not what it was under another. */
static int state_forget_aliases(struct regs *m, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	int rc = 0;
	for (uint32_t k = i->reg0; k < i[1].reg0 && rc >= 0; k++) {
		struct isa_written w; /* large: not zeroed for each row */
		if (b->regs[k].cls == CAIRN_REG_INT || !is_written(&b->regs[k]))
			continue;
		w.n = 0;
		isa_aliases((enum cairn_isa)i->isa, b->regs[k].cls, b->regs[k].num, &w);
		for (unsigned a = 0; a < w.n && rc >= 0; a++)
			if (!is_told(b, slot, &w.reg[a]))
				rc = regs_forget(m, state_hart_of(b, slot), &w.reg[a], state_number_of(b, slot));
	}
	return rc;
}

static int forget_events(struct regs *m, const struct cairn_batch *b, uint32_t slot, bool before)
{
	const struct cairn_insn *i = &b->insns[slot];
	int rc = 0;
	for (uint32_t k = i->ev0; k < i[1].ev0 && rc >= 0; k++) {
		const struct cairn_event *e = &b->events[k];
		struct isa_written w;
		if (e->kind < CAIRN_EV_EXCEPTION || e->kind > CAIRN_EV_TRAP_RETURN ||
		    (e->phase == CAIRN_BEFORE) != before)
			continue;
		isa_event_written((enum cairn_isa)i->isa, (enum cairn_event_kind)e->kind, &w);
		for (unsigned a = 0; a < w.n && rc >= 0; a++)
			rc = regs_forget(m, state_hart_of(b, slot), &w.reg[a], state_number_of(b, slot));
	}
	return rc;
}

/* Counters and their like go on by themselves. */
static int forget_volatile(struct regs *m, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	int rc = 0;
	for (uint32_t k = i->reg0; k < i[1].reg0 && rc >= 0; k++) {
		const struct cairn_reg *r = &b->regs[k];
		struct isa_written_reg one = {.cls = r->cls, .num = r->num, .count = 1};
		if (isa_is_volatile((enum cairn_isa)i->isa, r->cls, r->num))
			rc = regs_forget(m, state_hart_of(b, slot), &one, state_number_of(b, slot));
	}
	return rc;
}

/* Nearly all rows are of integer registers, which have one name and stay as they are; but for
 * those of a stated window of SPARC. */
static bool are_plain(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *i = &batch->insns[slot];
	for (uint32_t k = i->reg0; k < i[1].reg0; k++)
		if (batch->regs[k].cls != CAIRN_REG_INT)
			return false;
	return i->isa != CAIRN_ISA_SPARC;
}

/* Has this source register come before in the slot? An instruction may name one twice. */
static bool is_again(const struct cairn_batch *batch, uint32_t slot, uint32_t row)
{
	const struct cairn_reg *r = &batch->regs[row];
	for (uint32_t k = batch->insns[slot].reg0; k < row; k++)
		if (batch->regs[k].role == CAIRN_ROLE_SRC && batch->regs[k].flags & CAIRN_VALUE_KNOWN &&
		    batch->regs[k].num == r->num && batch->regs[k].cls == r->cls &&
		    batch->regs[k].lsb == r->lsb)
			return true;
	return false;
}

static int state_put_rows(struct regs *m, const struct cairn_batch *b, uint32_t slot,
                          enum state_part part)
{
	bool written = part == STATE_WRITTEN;
	const struct cairn_insn *i = &b->insns[slot];
	uint16_t hart = state_hart_of(b, slot);
	bool executed = is_executed(b, slot);
	int rc = 0;
	for (uint32_t k = i->reg0; k < i[1].reg0 && rc >= 0; k++) {
		const struct cairn_reg *r = &b->regs[k];
		bool known = r->flags & CAIRN_VALUE_KNOWN;
		if (r->role == CAIRN_ROLE_READY || is_written(r) != written || (!written && !known))
			continue;
		if (r->role == CAIRN_ROLE_SRC && may_be_late(b, slot, r))
			continue;
		uint64_t key = regs_key(hart, r->cls, r->num);
		bool doubted = part == STATE_DOUBTED && r->role == CAIRN_ROLE_SRC;
		if (doubted && is_again(b, slot, k))
			continue;
		rc = doubted ? regs_put_doubted(m, key, b, r, state_number_of(b, slot))
		             : regs_put(m, key, b, r, known && (executed || !written),
		                        state_number_of(b, slot));
	}
	return rc;
}

int state_slot_regs(struct regs *m, const struct cairn_batch *b, uint32_t slot,
                    enum state_part part, const struct state_telling *t)
{
	bool written = part == STATE_WRITTEN;
	const struct cairn_insn *i = &b->insns[slot];
	bool rows = i[0].reg0 != i[1].reg0, events = i[0].ev0 != i[1].ev0 && t->memo;
	bool odd = rows && written && t->memo && !are_plain(b, slot);
	const struct isa_written *w = written && !t->silent ? written_by(b, slot, t) : NULL;
	int rc = !written && state_slot_jumps(b, slot) ? forget_hart(m, b, slot) : 0;
	if (rc >= 0 && events && !written)
		rc = forget_events(m, b, slot, true);
	if (rc >= 0 && w)
		rc = state_forget_written(m, b, slot, w);
	if (rc >= 0 && odd)
		rc = state_forget_aliases(m, b, slot);
	if (rc >= 0 && rows)
		rc = state_put_rows(m, b, slot, part);
	if (rc >= 0 && odd)
		rc = forget_volatile(m, b, slot);
	return rc >= 0 && events && written ? forget_events(m, b, slot, false) : rc;
}

/* ---- memory ---- */

enum { MOST_ACCESS = 1 << 16 };

/* The bytes of an access in the order they lie, as many as were recorded; 0: none. */
static size_t state_contents(const struct cairn_batch *b, const struct cairn_mem *m, bool big,
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
static int state_put_access(struct memory *to, const struct cairn_space *space, uint64_t addr,
                            uint64_t size, const uint8_t *buf, size_t n, bool written)
{
	int rc = n ? memory_put(to, space, addr, n, buf) : 0;
	return rc < 0 || !written || n >= size ? rc : memory_forget(to, space, addr + n, size - n);
}

static int state_see_mem(struct memory *to, const struct cairn_batch *b, uint32_t slot,
                         const struct cairn_mem *m, bool big, bool written)
{
	static const struct cairn_space physical = {.kind = CAIRN_SPACE_PHYSICAL};
	enum { PAGE = 4096 };
	uint8_t buf[MOST_ACCESS];
	struct cairn_space space = cairn_space_of(ctx_of(b, slot));
	bool by_insn = m->initiator == CAIRN_BY_INSN;
	bool happened = !written || !by_insn || is_executed(b, slot);
	size_t n = happened ? state_contents(b, m, big, buf) : 0;
	int rc = 0;
	bool va = !(m->flags & CAIRN_VALUE_ADDR_UNKNOWN), pa = m->flags & CAIRN_VALUE_PA;
	if (!va && !pa && written) /* it may have been anywhere */
		memory_clear(to);
	if (va)
		rc = state_put_access(to, by_insn || pa ? &space : &physical, m->addr, m->size, buf, n,
		                      written);
	if (rc < 0 || !pa)
		return rc;
	/* Only as far as the page goes is it known what comes next. */
	uint64_t room = by_insn ? PAGE - m->pa % PAGE : UINT64_MAX;
	return state_put_access(to, &physical, m->pa, m->size < room ? m->size : room, buf,
	                        n < room ? n : (size_t)room, written);
}

/* What is read, or of unknown kind and with its value, tells what is there; what is written,
 * or of unknown kind without one, what is there afterwards. */
static int state_put_mems(struct memory *to, const struct cairn_batch *b, uint32_t slot, bool big,
                          bool written)
{
	int rc = 0;
	big = big || b->insns[slot].isa == CAIRN_ISA_SPARC;
	for (uint32_t k = b->insns[slot].mem0; k < b->insns[slot + 1].mem0 && rc >= 0; k++) {
		const struct cairn_mem *m = &b->mems[k];
		bool known = m->flags & CAIRN_VALUE_KNOWN;
		bool writes = m->kind == CAIRN_MEM_WRITE || (m->kind == CAIRN_MEM_UNKNOWN && !known);
		if (writes == written && (written || known) && !(m->flags & CAIRN_VALUE_NOT_WRITTEN))
			rc = state_see_mem(to, b, slot, m, big, written);
	}
	return rc;
}

/* A store-conditional that is told to have failed wrote nothing. */
static bool has_failed(const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	for (uint32_t k = i->reg0; k < i[1].reg0 && i->traits & CAIRN_TRAIT_RESERVED_SC; k++) {
		const struct cairn_reg *r = &b->regs[k];
		if (r->role == CAIRN_ROLE_DST && r->cls == CAIRN_REG_INT && r->flags & CAIRN_VALUE_KNOWN)
			return r->value != 0;
	}
	return false;
}

/* Did the slot's instruction write memory that no row tells of? */
static bool stores_untold(const struct cairn_batch *b, uint32_t slot, const struct isa_written *w)
{
	uint64_t bytes = 0;
	for (uint32_t k = b->insns[slot].mem0; k < b->insns[slot + 1].mem0; k++) {
		const struct cairn_mem *m = &b->mems[k];
		if (m->initiator != CAIRN_BY_INSN || m->kind == CAIRN_MEM_FETCH ||
		    m->kind == CAIRN_MEM_PREFETCH)
			continue;
		if (m->flags & CAIRN_VALUE_NOT_WRITTEN)
			return false;
		if (m->kind != CAIRN_MEM_READ)
			bytes += m->size ? m->size : w->bytes;
	}
	return bytes == 0 ? !has_failed(b, slot) : bytes < w->bytes;
}

int state_slot_mems(struct memory *to, const struct cairn_batch *b, uint32_t slot, bool written,
                    const struct state_telling *t)
{
	bool rows = b->insns[slot].mem0 != b->insns[slot + 1].mem0;
	bool stores = written && b->insns[slot].traits & CAIRN_TRAIT_STORE;
	const struct isa_written *w = stores && !memory_is_blank(to) ? written_by(b, slot, t) : NULL;
	if ((w && w->store != ISA_STORES_NOT && stores_untold(b, slot, w)) ||
	    (!written && state_slot_jumps(b, slot)))
		memory_clear(to);
	return rows ? state_put_mems(to, b, slot, t->big, written) : 0;
}

/* ---- steps ---- */

static void state_lose(struct cairn_state *s)
{
	regs_clear(&s->regs);
	memory_clear(&s->memory);
}

static int see_before(struct cairn_state *state, const struct cairn_batch *batch, uint32_t slot,
                      enum state_part part)
{
	const struct cairn_insn *i = &batch->insns[slot];
	int rc = 0;
	if (i[0].ev0 != i[1].ev0 && state_slot_has(batch, slot, CAIRN_EV_GAP))
		state_lose(state);
	bool jumps = state_slot_jumps(batch, slot);
	if (state_slot_reads(batch, slot))
		rc = state_slot_regs(&state->regs, batch, slot, part, &state->telling);
	if (rc >= 0 && (i[0].mem0 != i[1].mem0 || jumps) && state->opts.memory != CAIRN_STATE_NONE)
		rc = state_slot_mems(&state->memory, batch, slot, false, &state->telling);
	return rc;
}

int cairn_state_peek(struct cairn_state *s, const struct cairn_batch *b, uint32_t slot)
{
	return see_before(s, b, slot, STATE_DOUBTED);
}

static int state_step(struct cairn_state *s, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	int rc = see_before(s, b, slot, STATE_BEFORE);
	if (rc >= 0)
		rc = state_slot_regs(&s->regs, b, slot, STATE_WRITTEN, &s->telling);
	if (rc >= 0 && s->opts.memory != CAIRN_STATE_NONE)
		rc = state_slot_mems(&s->memory, b, slot, true, &s->telling);
	if (i[0].ev0 != i[1].ev0 && state_slot_has(b, slot, CAIRN_EV_DAMAGE))
		state_lose(s);
	return rc;
}

int cairn_state_step(struct cairn_state *s, const struct cairn_batch *b, uint32_t from, uint32_t to)
{
	int rc = 0;
	for (uint32_t slot = from; slot < to && slot <= b->n_insns && rc >= 0; slot++)
		rc = state_step(s, b, slot);
	return rc;
}

/* ---- asking ---- */

int cairn_state_reg(const struct cairn_state *s, uint16_t hart, enum cairn_reg_class cls,
                    unsigned num, struct cairn_state_reg *reg)
{
	const struct regs_row *row =
		num > UINT16_MAX ? NULL : regs_find(&s->regs, regs_key(hart, (uint8_t)cls, (uint16_t)num));
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

int64_t cairn_state_blocks(const struct cairn_state *s, struct cairn_state_block *blocks,
                           size_t max)
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
		                                       .addr = order[i]->at * 64,
		                                       .known = order[i]->known};
		memcpy(blocks[i].bytes, order[i]->bytes, sizeof blocks[i].bytes);
	}
	base_free(s->c, order);
	return (int64_t)n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What follows from a slot about registers and memory. A slot is added in four steps: what is lost
 * before it, what it reads, what it writes, what is lost in it. After the first two the state is the one before
 * its instruction.
 *
 * In doubt a value is unknown. So what an instruction that did not retire would have written
 * becomes unknown, because the trace does not tell how far it came, and so does what is written
 * without a value.
 */
#include "analysis/state.h"

#include <string.h>

#include "base/bytes.h"
#include "isa/arm64.h"

/* ---- one ---- */

int cairn_state_new(struct cairn *cairn, const struct cairn_state_opts *opts,
                    struct cairn_state **out)
{
	*out = NULL;
	if (opts && opts->size > sizeof *opts)
		return base_fail(cairn, CAIRN_E_INVAL, "state options of a newer library");
	struct cairn_state *state = base_alloc(cairn, sizeof *state);
	if (!state)
		return CAIRN_E_NOMEM;
	if (opts)
		memcpy(&state->opts, opts, opts->size);
	state->cairn = state->regs.cairn = state->memory.cairn = cairn;
	state->telling.big = state->opts.big_endian;
	state->memory.max_bytes = state->opts.max_bytes ? state->opts.max_bytes : (uint64_t)1 << 30;
	state->memory.remember = state->opts.memory == CAIRN_STATE_NEAR;
	state->telling.switches = true;
	state->batch = cairn_batch_new(cairn);
	state->telling.memo = isa_written_memo_new(cairn);
	if (!state->batch || !state->telling.memo) {
		cairn_state_free(state);
		return CAIRN_E_NOMEM;
	}
	*out = state;
	return 0;
}

void cairn_state_free(struct cairn_state *state)
{
	if (!state)
		return;
	regs_free(&state->regs);
	memory_free(&state->memory);
	isa_written_memo_free(state->telling.memo);
	cairn_batch_free(state->cairn, state->batch);
	base_free(state->cairn, state);
}

void cairn_state_clear(struct cairn_state *state)
{
	regs_clear(&state->regs);
	state->regs.lost = state->regs.named = false;
	memory_clear(&state->memory);
	state->reader = NULL;
}

uint32_t cairn_state_parts(const struct cairn_state *state)
{
	uint32_t parts = CAIRN_PC | CAIRN_ENC | CAIRN_TARGET | CAIRN_CLASS | CAIRN_CONTEXT |
	                 CAIRN_EVENTS | CAIRN_BYTES | CAIRN_REGS | CAIRN_REG_VALUES;
	return state->opts.memory == CAIRN_STATE_NONE ? parts : parts | CAIRN_MEMS | CAIRN_MEM_VALUES;
}

struct cairn_space cairn_space_of(const struct cairn_ctx *ctx)
{
	struct cairn_space space = {.kind = CAIRN_SPACE_ONE};
	if (ctx->known & CAIRN_CTX_ASID) {
		space.kind = CAIRN_SPACE_ASID;
		space.id = ctx->asid;
		space.vmid = ctx->known & CAIRN_CTX_VMID ? ctx->vmid : 0;
	} else if (ctx->known & CAIRN_CTX_PID) {
		space.kind = CAIRN_SPACE_PID;
		space.id = ctx->pid;
	}
	return space;
}

/* ---- slots ---- */

static bool is_executed(const struct cairn_batch *batch, uint32_t slot)
{
	return !(batch->insns[slot].flags & CAIRN_INSN_NOT_EXECUTED);
}

/* The number of the instruction that a slot belongs to, or that it comes before. */
static uint64_t state_number_of(const struct cairn_batch *batch, uint32_t slot)
{
	return batch->n0 + slot;
}

static bool is_written(const struct cairn_reg *reg)
{
	return reg->role == CAIRN_ROLE_DST || reg->role == CAIRN_ROLE_UNKNOWN;
}

/* A source that equals the result in the same register may have been read after it was written, as
 * some writers do. Then it says nothing about the value before. */
static bool may_be_late(const struct cairn_batch *batch, uint32_t slot,
                        const struct cairn_reg *source)
{
	for (uint32_t k = batch->insns[slot].reg0; k < batch->insns[slot + 1].reg0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (reg->role == CAIRN_ROLE_DST && reg->cls == source->cls && reg->num == source->num &&
		    (!(reg->flags & CAIRN_VALUE_KNOWN) || (reg->flags & CAIRN_VALUE_WIDE) ||
		     reg->value == source->value))
			return true;
	}
	return false;
}

static uint16_t state_hart_of(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_ctx *ctx = model_slot_ctx(batch, slot);
	return ctx->known & CAIRN_CTX_HART ? ctx->hart : CAIRN_NO_HART;
}

/* ---- what is written without being told ---- */

/* What the encoding of a slot's instruction writes; NULL when that is not asked. */
static const struct isa_written *written_by(const struct cairn_batch *batch, uint32_t slot,
                                            const struct state_telling *telling)
{
	static const struct isa_written anything;
	const struct cairn_insn *insn = &batch->insns[slot];
	if (!telling->memo || !model_slot_runs(batch, slot))
		return NULL;
	if (insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES))
		return &anything;
	return isa_written_get(telling->memo, (enum cairn_isa)(insn->isa | insn->variant), insn->enc,
	                       insn->size);
}

/* Does a row give all of a register? Then nothing has to be forgotten first. */
static bool is_told(const struct cairn_batch *batch, uint32_t slot,
                    const struct isa_written_reg *reg)
{
	for (uint32_t k = batch->insns[slot].reg0; k < batch->insns[slot + 1].reg0 && reg->count == 1;
	     k++) {
		const struct cairn_reg *r = &batch->regs[k];
		if (r->num == reg->num && r->cls == reg->cls && is_written(r) && r->lsb == 0 &&
		    (r->bits == 64 || r->flags & CAIRN_VALUE_ZEROES))
			return true;
	}
	return false;
}

static bool has_results(const struct cairn_batch *batch, uint32_t slot)
{
	for (uint32_t k = batch->insns[slot].reg0; k < batch->insns[slot + 1].reg0; k++)
		if (is_written(&batch->regs[k]))
			return true;
	return false;
}

/* Somebody else ran before this instruction, or it is of another time: registers of its hart
 * may hold anything. */
int state_forget_hart(struct regs *regs, const struct cairn_batch *batch, uint32_t slot)
{
	const struct isa_written_reg all = {.cls = ISA_ANY_CLASS, .count = ISA_ALL_NUMBERS};
	return regs_forget(regs, state_hart_of(batch, slot), &all, state_number_of(batch, slot));
}

static int forget_untold(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                         const struct isa_written *written)
{
	int rc = 0;
	for (unsigned i = 0; i < written->n && rc >= 0; i++)
		if (!is_told(batch, slot, &written->reg[i]))
			rc = regs_forget(regs, state_hart_of(batch, slot), &written->reg[i],
			                 state_number_of(batch, slot));
	return rc;
}

static int state_forget_written(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                                const struct isa_written *written)
{
	int rc = written->window ? regs_turn(regs, state_hart_of(batch, slot), written->window > 0) : 0;
	if (rc >= 0)
		rc = forget_untold(regs, batch, slot, written);
	/* Of an encoding that nobody knows the rows are believed, where there are any. */
	bool anything = !written->told && !has_results(batch, slot);
	return rc >= 0 && anything ? state_forget_hart(regs, batch, slot) : rc;
}

/* A register that is written under one name no longer holds what it had under another name. */
static int state_forget_aliases(struct regs *regs, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	int rc = 0;
	for (uint32_t k = insn->reg0; k < insn[1].reg0 && rc >= 0; k++) {
		struct isa_written written; /* large: not zeroed for each row */
		if (batch->regs[k].cls == CAIRN_REG_INT || !is_written(&batch->regs[k]))
			continue;
		written.n = 0;
		isa_aliases((enum cairn_isa)insn->isa, batch->regs[k].cls, batch->regs[k].num, &written);
		rc = forget_untold(regs, batch, slot, &written);
	}
	return rc;
}

static int forget_events(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                         bool before)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	int rc = 0;
	for (uint32_t k = insn->ev0; k < insn[1].ev0 && rc >= 0; k++) {
		const struct cairn_event *event = &batch->events[k];
		struct isa_written written;
		if (event->kind < CAIRN_EV_EXCEPTION || event->kind > CAIRN_EV_TRAP_RETURN ||
		    (event->phase == CAIRN_BEFORE) != before)
			continue;
		isa_event_written((enum cairn_isa)insn->isa, (enum cairn_event_kind)event->kind, &written);
		for (unsigned a = 0; a < written.n && rc >= 0; a++)
			rc = regs_forget(regs, state_hart_of(batch, slot), &written.reg[a],
			                 state_number_of(batch, slot));
	}
	return rc;
}

/* Counters and the like change by themselves. */
static int forget_volatile(struct regs *regs, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	int rc = 0;
	for (uint32_t k = insn->reg0; k < insn[1].reg0 && rc >= 0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		struct isa_written_reg one = {.cls = reg->cls, .num = reg->num, .count = 1};
		if (isa_is_volatile((enum cairn_isa)insn->isa, reg->cls, reg->num))
			rc = regs_forget(regs, state_hart_of(batch, slot), &one, state_number_of(batch, slot));
	}
	return rc;
}

/* Nearly all rows are of integer registers, which have one name and stay as they are, except those
 * of a stated window of SPARC. */
static bool are_plain(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++)
		if (batch->regs[k].cls != CAIRN_REG_INT)
			return false;
	return insn->isa != CAIRN_ISA_SPARC;
}

/* Has this source register come before in the slot? An instruction may name one twice. */
static bool is_again(const struct cairn_batch *batch, uint32_t slot, uint32_t row)
{
	const struct cairn_reg *reg = &batch->regs[row];
	for (uint32_t k = batch->insns[slot].reg0; k < row; k++)
		if (batch->regs[k].role == CAIRN_ROLE_SRC && batch->regs[k].flags & CAIRN_VALUE_KNOWN &&
		    batch->regs[k].num == reg->num && batch->regs[k].cls == reg->cls &&
		    batch->regs[k].lsb == reg->lsb)
			return true;
	return false;
}

static int state_put_rows(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                          enum state_part part)
{
	bool written = part == STATE_WRITTEN;
	const struct cairn_insn *insn = &batch->insns[slot];
	uint16_t hart = state_hart_of(batch, slot);
	bool executed = is_executed(batch, slot);
	int rc = 0;
	for (uint32_t k = insn->reg0; k < insn[1].reg0 && rc >= 0; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		bool known = reg->flags & CAIRN_VALUE_KNOWN;
		if (reg->role == CAIRN_ROLE_READY || is_written(reg) != written || (!written && !known))
			continue;
		if (reg->role == CAIRN_ROLE_SRC && may_be_late(batch, slot, reg))
			continue;
		uint64_t key = regs_key(hart, reg->cls, reg->num);
		bool doubted = part == STATE_DOUBTED && reg->role == CAIRN_ROLE_SRC;
		if (doubted && is_again(batch, slot, k))
			continue;
		rc = doubted ? regs_put_doubted(regs, key, batch, reg, state_number_of(batch, slot))
		             : regs_put(regs, key, batch, reg, known && (executed || !written),
		                        state_number_of(batch, slot));
	}
	return rc;
}

int state_slot_regs(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                    enum state_part part, const struct state_telling *telling)
{
	bool written = part == STATE_WRITTEN;
	const struct cairn_insn *insn = &batch->insns[slot];
	bool rows = insn[0].reg0 != insn[1].reg0, events = insn[0].ev0 != insn[1].ev0 && telling->memo;
	bool odd = rows && written && telling->memo && !are_plain(batch, slot);
	const struct isa_written *w =
		written && !telling->silent ? written_by(batch, slot, telling) : NULL;
	int rc = 0;
	if (written && slot < batch->n_insns)
		rc = regs_meet(regs, state_hart_of(batch, slot), state_number_of(batch, slot));
	if (rc >= 0 && events && !written)
		rc = forget_events(regs, batch, slot, true);
	if (rc >= 0 && w)
		rc = state_forget_written(regs, batch, slot, w);
	if (rc >= 0 && odd)
		rc = state_forget_aliases(regs, batch, slot);
	if (rc >= 0 && rows)
		rc = state_put_rows(regs, batch, slot, part);
	if (rc >= 0 && odd)
		rc = forget_volatile(regs, batch, slot);
	return rc >= 0 && events && written ? forget_events(regs, batch, slot, false) : rc;
}

/* ---- memory ---- */

enum { MOST_ACCESS = 1 << 16 };

/* The recorded bytes of an access in the order they lie; returns how many, or 0. */
static size_t state_contents(const struct cairn_batch *batch, const struct cairn_mem *mem, bool big,
                             uint8_t buf[MOST_ACCESS])
{
	size_t has = mem->flags & CAIRN_VALUE_WIDE ? 8 * (size_t)mem->words : 8;
	uint8_t word[8];
	const uint8_t *src = word;
	if (!(mem->flags & CAIRN_VALUE_KNOWN) || mem->size == 0 || mem->size > MOST_ACCESS)
		return 0;
	base_put_le64(word, mem->value);
	if (mem->flags & CAIRN_VALUE_WIDE) {
		if (mem->value > batch->n_bytes || has > batch->n_bytes - mem->value)
			return 0;
		src = batch->bytes + mem->value;
	}
	if (!big) {
		size_t n = has < mem->size ? has : mem->size;
		memcpy(buf, src, n);
		return n;
	}
	if (has < mem->size) /* the trace does not say at which end the number lies */
		return 0;
	for (size_t k = 0; k < mem->size; k++)
		buf[k] = src[mem->size - 1 - k];
	return mem->size;
}

/* What an access shows of memory. */
struct state_access {
	const uint8_t *bytes;
	size_t n;
	bool written, derived;
};

/* The first `n` bytes of an access are known, the others are not; for a read the others stay as
 * they were. */
static int state_put_access(struct memory *to, const struct cairn_space *space, uint64_t addr,
                            uint64_t size, const struct state_access *access)
{
	size_t n = access->n < size ? access->n : (size_t)size;
	int rc = n ? memory_put(to, space, addr, n, access->bytes, access->derived) : 0;
	return rc < 0 || !access->written || n >= size ? rc
	                                               : memory_forget(to, space, addr + n, size - n);
}

static int state_see_mem(struct memory *to, const struct cairn_batch *batch, uint32_t slot,
                         const struct cairn_mem *mem, bool big, bool written)
{
	static const struct cairn_space physical = {.kind = CAIRN_SPACE_PHYSICAL};
	enum { PAGE = 4096 };
	uint8_t buf[MOST_ACCESS];
	struct cairn_space space = cairn_space_of(model_slot_ctx(batch, slot));
	bool by_insn = mem->initiator == CAIRN_BY_INSN;
	bool happened = !written || !by_insn || is_executed(batch, slot);
	const struct state_access access = {.bytes = buf,
	                                    .n = happened ? state_contents(batch, mem, big, buf) : 0,
	                                    .written = written,
	                                    .derived = mem->flags & CAIRN_VALUE_DERIVED};
	int rc = 0;
	bool va = !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN), pa = mem->flags & CAIRN_VALUE_PA;
	if (!va && !pa && written) /* it may have been anywhere */
		memory_clear(to);
	if (va)
		rc =
			state_put_access(to, by_insn || pa ? &space : &physical, mem->addr, mem->size, &access);
	if (rc < 0 || !pa)
		return rc;
	/* What comes next is known only up to the end of the page. */
	uint64_t room = by_insn ? PAGE - mem->pa % PAGE : UINT64_MAX;
	return state_put_access(to, &physical, mem->pa, mem->size < room ? mem->size : room, &access);
}

/* A read, or an access of unknown kind with its value, shows what is there; a write, or an access
 * of unknown kind without a value, shows what is there afterwards. */
static int state_put_mems(struct memory *to, const struct cairn_batch *batch, uint32_t slot,
                          bool big, bool written)
{
	int rc = 0;
	big = big || batch->insns[slot].isa == CAIRN_ISA_SPARC;
	for (uint32_t k = batch->insns[slot].mem0; k < batch->insns[slot + 1].mem0 && rc >= 0; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		bool known = mem->flags & CAIRN_VALUE_KNOWN;
		bool writes = mem->kind == CAIRN_MEM_WRITE || (mem->kind == CAIRN_MEM_UNKNOWN && !known);
		if (writes == written && (written || known) && !(mem->flags & CAIRN_VALUE_NOT_WRITTEN))
			rc = state_see_mem(to, batch, slot, mem, big, written);
	}
	return rc;
}

/* A store-conditional that is recorded as failed wrote nothing. */
static bool has_failed(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	for (uint32_t k = insn->reg0; k < insn[1].reg0 && insn->traits & CAIRN_TRAIT_RESERVED_SC; k++) {
		const struct cairn_reg *reg = &batch->regs[k];
		if (reg->role == CAIRN_ROLE_DST && reg->cls == CAIRN_REG_INT &&
		    reg->flags & CAIRN_VALUE_KNOWN)
			return reg->value != 0;
	}
	return false;
}

/* Did the slot's instruction write memory without a row for it? */
static bool stores_untold(const struct cairn_batch *batch, uint32_t slot,
                          const struct isa_written *written)
{
	uint64_t bytes = 0;
	for (uint32_t k = batch->insns[slot].mem0; k < batch->insns[slot + 1].mem0; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		if (mem->initiator != CAIRN_BY_INSN || mem->kind == CAIRN_MEM_FETCH ||
		    mem->kind == CAIRN_MEM_PREFETCH)
			continue;
		if (mem->flags & CAIRN_VALUE_NOT_WRITTEN)
			return false;
		if (mem->kind != CAIRN_MEM_READ)
			bytes += mem->size ? mem->size : written->bytes;
	}
	return bytes == 0 ? !has_failed(batch, slot) : bytes < written->bytes;
}

int state_slot_mems(struct memory *to, const struct cairn_batch *batch, uint32_t slot, bool written,
                    const struct state_telling *telling)
{
	bool rows = batch->insns[slot].mem0 != batch->insns[slot + 1].mem0;
	bool stores = written && batch->insns[slot].traits & (CAIRN_TRAIT_STORE | CAIRN_TRAIT_CACHE);
	const struct isa_written *w =
		stores && !memory_is_blank(to) ? written_by(batch, slot, telling) : NULL;
	if (w && w->store != ISA_STORES_NOT && stores_untold(batch, slot, w))
		memory_clear(to);
	return rows ? state_put_mems(to, batch, slot, telling->big, written) : 0;
}

/* ---- where harts go on ---- */

/* Another one comes, or the batch ends: where will the one before go on? */
static int note_leaving(struct regs *regs, const struct cairn_batch *batch, uint32_t slot)
{
	uint64_t next;
	if (!slot || (slot < batch->n_insns && batch->insns[slot].ctx == batch->insns[slot - 1].ctx))
		return 0;
	uint16_t hart = state_hart_of(batch, slot - 1);
	if (hart == CAIRN_NO_HART || (slot < batch->n_insns && state_hart_of(batch, slot) == hart))
		return 0;
	bool known = model_slot_next(batch, slot - 1, &next);
	return regs_leave(regs, hart, known, next);
}

int state_arrive(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                 const struct state_telling *telling)
{
	int rc = telling->switches ? note_leaving(regs, batch, slot) : 0;
	enum model_arrival arrival = model_slot_arrival(batch, slot);
	if (rc < 0 || arrival != MODEL_SWITCHES)
		return rc < 0 ? rc : (int)arrival;
	int resumes = regs_resumes(regs, state_hart_of(batch, slot), batch->insns[slot].pc);
	return resumes < 0 ? MODEL_SWITCHES : resumes ? MODEL_GOES_ON : MODEL_JUMPS;
}

/* ---- steps ---- */

static void state_lose(struct cairn_state *state)
{
	regs_lose(&state->regs);
	memory_clear(&state->memory);
}

static int see_before(struct cairn_state *state, const struct cairn_batch *batch, uint32_t slot,
                      enum state_part part)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	if (insn[0].ev0 != insn[1].ev0 && model_slot_lacks(batch, slot, false))
		state_lose(state);
	int rc = state_arrive(&state->regs, batch, slot, &state->telling);
	if (rc == MODEL_JUMPS) {
		memory_clear(&state->memory);
		rc = state_forget_hart(&state->regs, batch, slot);
	}
	if (rc >= 0 && state_slot_reads(batch, slot))
		rc = state_slot_regs(&state->regs, batch, slot, part, &state->telling);
	if (rc >= 0 && insn[0].mem0 != insn[1].mem0 && state->opts.memory != CAIRN_STATE_NONE)
		rc = state_slot_mems(&state->memory, batch, slot, false, &state->telling);
	return rc;
}

int cairn_state_peek(struct cairn_state *state, const struct cairn_batch *batch, uint32_t slot)
{
	return see_before(state, batch, slot, STATE_DOUBTED);
}

static int state_step(struct cairn_state *state, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	int rc = see_before(state, batch, slot, STATE_BEFORE);
	if (rc >= 0)
		rc = state_slot_regs(&state->regs, batch, slot, STATE_WRITTEN, &state->telling);
	if (rc >= 0 && state->opts.memory != CAIRN_STATE_NONE)
		rc = state_slot_mems(&state->memory, batch, slot, true, &state->telling);
	if (insn[0].ev0 != insn[1].ev0 && model_slot_lacks(batch, slot, true))
		state_lose(state);
	return rc;
}

int cairn_state_step(struct cairn_state *state, const struct cairn_batch *batch, uint32_t from,
                     uint32_t to)
{
	int rc = 0;
	for (uint32_t slot = from; slot < to && slot <= batch->n_insns && rc >= 0; slot++)
		rc = state_step(state, batch, slot);
	return rc;
}

/* ---- asking ---- */

/* A64's V registers are the lowest bits of Z. */
static int state_lower(const struct cairn_state *state, uint16_t hart, unsigned num,
                       struct cairn_state_reg *reg)
{
	enum { BYTES = 16 };
	const struct regs_row *row =
		regs_find(&state->regs, regs_key(hart, CAIRN_REG_VECTOR, (uint16_t)(ISA_ARM64_Z0 + num)));
	if (!row || !regs_any(row))
		return 0;
	regs_tell(row, reg);
	reg->num = (uint16_t)num;
	if (reg->wide && reg->bits >= 8 * BYTES) {
		unsigned known = 0;
		for (unsigned i = 0; i < BYTES; i++)
			known += reg->wide_known[i] == UINT8_MAX;
		reg->bits = 8 * BYTES;
		reg->whole = known == BYTES;
	}
	return 1;
}

int cairn_state_reg(const struct cairn_state *state, uint16_t hart, enum cairn_reg_class cls,
                    unsigned num, struct cairn_state_reg *reg)
{
	const struct regs_row *row =
		num > UINT16_MAX ? NULL
						 : regs_find(&state->regs, regs_key(hart, (uint8_t)cls, (uint16_t)num));
	*reg = (struct cairn_state_reg){.hart = hart, .num = (uint16_t)num, .cls = (uint8_t)cls};
	if (row)
		regs_tell(row, reg);
	if (row && regs_any(row))
		return 1;
	return cls == CAIRN_REG_VECTOR && num < ISA_ARM64_Z0 ? state_lower(state, hart, num, reg) : 0;
}

int64_t cairn_state_regs(const struct cairn_state *state, struct cairn_state_reg *regs, size_t max)
{
	const struct regs_row **rows;
	size_t n;
	int rc = regs_sorted(&state->regs, false, &rows, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && i < max; i++)
		regs_tell(rows[i], &regs[i]);
	base_free(state->cairn, rows);
	return (int64_t)n;
}

size_t cairn_state_memory(const struct cairn_state *state, struct cairn_space space, uint64_t addr,
                          size_t n, uint8_t *bytes, uint8_t *known)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = addr + i;
		const struct memory_piece *piece = memory_find(&state->memory, &space, at / 64);
		known[i] = piece && (piece->known >> at % 64 & 1);
		bytes[i] = known[i] ? piece->bytes[at % 64] : 0;
		count += known[i];
	}
	return count;
}

size_t cairn_state_memory_derived(const struct cairn_state *state, struct cairn_space space,
                                  uint64_t addr, size_t n, uint8_t *derived)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = addr + i;
		const struct memory_piece *piece = memory_find(&state->memory, &space, at / 64);
		derived[i] = piece && (piece->derived >> at % 64 & 1);
		count += derived[i];
	}
	return count;
}

int64_t cairn_state_blocks(const struct cairn_state *state, struct cairn_state_block *blocks,
                           size_t max)
{
	const struct memory_piece **order;
	size_t n;
	if (max == 0)
		return (int64_t)memory_known(&state->memory);
	int rc = memory_sorted(&state->memory, false, &order, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && i < max; i++) {
		blocks[i] = (struct cairn_state_block){.space = order[i]->space,
		                                       .addr = order[i]->at * 64,
		                                       .known = order[i]->known};
		memcpy(blocks[i].bytes, order[i]->bytes, sizeof blocks[i].bytes);
	}
	base_free(state->cairn, order);
	return (int64_t)n;
}

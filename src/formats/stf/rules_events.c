/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of events. An event's own form is judged at its record; what it says about
 * the instruction (address, encoding, kind) when the encoding is there.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/rules.h"

/* Metadata fields by the table "STF Exception Event and Event Meta-Data"; -1: the
 * table does not know the event. */
static int rules_events_fields_of(uint64_t id)
{
	static const int8_t exceptions[24] = {1, 1, 3,  1, 3,  3,  3,  3,  1, 1, 1, 1,
	                                      2, 3, -1, 3, -1, -1, -1, -1, 2, 3, 3, 3};
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	if (id & STF_EVENT_SPECIAL)
		return code == STF_EVENT_MODE_CHANGE ? 1 : -1;
	if (id & STF_EVENT_INTERRUPT)
		return code <= 13 ? 1 : -1;
	return code < 24 ? exceptions[code] : -1;
}

static bool is_reserved(uint64_t id)
{
	uint64_t code = id & ~(STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL);
	if (id & STF_EVENT_SPECIAL)
		return code != STF_EVENT_MODE_CHANGE || (id & STF_EVENT_INTERRUPT);
	if (id & STF_EVENT_INTERRUPT)
		return code == 14 || code == 15;
	return code == 14 || code == 17 || (code >= 32 && code < 48) || code >= 64;
}

static void take_mode(struct stf_walk *w, const struct stf_group_event *e)
{
	struct stf_group *g = &w->g;
	/* The first one holds at once where the group begins anew, as decoding has it (decoder.c). */
	bool at_once = ((g->flags & G_FORCED) || !w->at.begun) && !(g->flags & G_MODE_NOW);
	g->flags |= at_once ? G_MODE | G_MODE_NOW : G_MODE;
	g->later_priv = 0xff;
	if (e->n == 0)
		return;
	if (e->field[0] > CAIRN_PRIV_MACHINE) {
		FIND(w, MODE_VALUE, e->at, "the mode is %llu", (unsigned long long)e->field[0]);
		return;
	}
	g->later_priv = (uint8_t)e->field[0];
	/* Of a program alone, traced in user mode, handlers are not told. */
	if (g->later_priv != CAIRN_PRIV_USER)
		check_meet(w->part, COND_MODE);
	if (!at_once) {
		g->flags |= G_MODE_LATER;
		g->mode_at = e->at;
	} else {
		w->at.ctx.priv = g->later_priv;
		w->at.ctx.known |= CAIRN_CTX_PRIV;
	}
}

/* Bits that a metadata field can have, by what the table says it holds. */
static unsigned field_bits(uint64_t id, unsigned i, bool rv32)
{
	bool encoding = id == 2 || id == 22 || id == 12 || id == 20 || (id >= 4 && id <= 7) ||
	                id == 13 || id == 15 || id == 21 || id == 23;
	if (encoding && i == 1)
		return 32;
	if ((id == 2 || id == 22) && i == 2)
		return 16; /* as INST_IEM */
	return rv32 ? 32 : 64;
}

static void judge_extension(struct stf_walk *w, const struct stf_group_event *e,
                            const uint8_t *data)
{
	bool rv32 = w->at.isa == CAIRN_ISA_RV32;
	for (unsigned i = 0; i < e->n; i++) {
		uint64_t v = base_le64(data + 8 * (size_t)i);
		unsigned bits = field_bits(e->id, i, rv32);
		if (bits == 64 || v >> bits == 0)
			continue;
		FIND(w, EVENT_EXTENDED, e->at, "field %u is 0x%llx, which has %u bits%s", i,
		     (unsigned long long)v, bits, rv32 ? " in RV32" : "");
		return;
	}
}

static void judge_form(struct stf_walk *w, const struct stf_group_event *e, const uint8_t *data)
{
	char buf[32];
	const char *name = stf_event_name(e->id, buf);
	int want = rules_events_fields_of(e->id);
	if (stf_event_implausible(e->id)) {
		FIND(w, EVENT_WIDTH, e->at,
		     "event id 0x%llx is implausible with ids of %u bits, which "
		     "is what EVENT64 says",
		     (unsigned long long)e->id, w->cfg->event_bits);
		return;
	}
	if (stf_isa_is_ours(w->cfg->isa) && !(e->id & STF_EVENT_SPECIAL))
		return; /* the table is RISC-V's */
	if (is_reserved(e->id))
		FIND(w, EVENT_ID, e->at, "%s is reserved", name);
	else if (want >= 0 && e->n != (unsigned)want)
		FIND(w, EVENT_FIELDS, e->at, "%s has %u metadata field%s, by the table %d", name, e->n,
		     e->n == 1 ? "" : "s", want);
	judge_extension(w, e, data);
}

void stf_rule_event(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	unsigned width = w->cfg->event_bits / 8u;
	const uint8_t *data = p + 2 + width;
	struct stf_group_event e = {.at = stf_here(w, p), .n = p[1 + width]};
	e.id = stf_event_id(width == 8 ? base_le64(p + 1) : base_le32(p + 1), w->cfg->event_bits);
	for (unsigned i = 0; i < 3 && i < e.n; i++)
		e.field[i] = base_le64(data + 8 * (size_t)i);
	stf_see(w, SEEN_EVENT, p);
	if (!(g->flags & G_EVENT))
		g->n_events = g->targets_due = 0;
	g->flags |= G_EVENT;
	enum cairn_phase phase = stf_event_phase(stf_isa_is_ours(w->cfg->isa), e.id);
	g->targets_due += phase != CAIRN_BEFORE;
	if (g->n_events < GROUP_EVENTS)
		g->event[g->n_events++] = e;
	judge_form(w, &e, data);
	uint64_t code;
	uint8_t kind = stf_event_kind(stf_isa_is_ours(w->cfg->isa), e.id, &code);
	if (e.id & STF_EVENT_SPECIAL) {
		if (code == STF_EVENT_MODE_CHANGE)
			take_mode(w, &e);
		return;
	}
	check_meet(w->part, COND_EVENT);
	if (kind == CAIRN_EV_SYSCALL && e.n && e.field[0])
		stf_see(w, SEEN_CALL_NUMBER, p);
	if (phase != CAIRN_ON)
		return;
	g->flags |= kind == CAIRN_EV_INTERRUPT ? G_INTERRUPT
	            : kind == CAIRN_EV_SYSCALL ? G_SYSCALL
	                                       : G_FAULT;
}

void stf_rule_event_target(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	uint64_t target = base_le64(p + 1);
	if (!(g->flags & G_EVENT) || g->targets_due == 0)
		FIND(w, EVENT_TARGET, stf_here(w, p), "there is no EVENT before it");
	else
		g->targets_due--;
	if (w->riscv && (target & 1))
		FIND(w, PC_ODD, stf_here(w, p), "EVENT_PC_TARGET is 0x%llx", (unsigned long long)target);
	g->flags |= G_EVENT_TARGET;
	w->at.target = target;
	w->at.has_target = 1;
}

/* ---- events and their instruction ---- */

static bool is_nop(const struct cairn_op *op)
{
	return op->enc == 0x13 || op->enc == 1;
}

static bool is_memory_fault(uint64_t id)
{
	return (id >= 4 && id <= 7) || id == 13 || id == 15 || id == 21 || id == 23;
}

static bool is_load_fault(uint64_t id)
{
	return id == 4 || id == 5 || id == 13 || id == 21;
}

static bool is_fetch_fault(uint64_t id)
{
	return id == 1 || id == 12 || id == 20;
}

static void judge_fault_fields(struct stf_walk *w, const struct stf_group_event *e,
                               const struct cairn_op *op, unsigned size)
{
	uint64_t mask = w->at.isa == CAIRN_ISA_RV32 ? 0xffffffff : UINT64_MAX;
	uint64_t id = e->id, pc = w->at.pc & mask, field = e->field[0] & mask;
	bool illegal = id == 2 || id == 22;
	uint32_t bits = size == 4 ? 0xffffffff : 0xffff;
	/* A fetch may fail in the instruction's second half; INST_ADDR_MISALIGN (0) is
	 * about an address no instruction has. */
	uint64_t room = is_fetch_fault(id) ? size : 1;
	bool of_pc = illegal || id == 3 || is_fetch_fault(id) || is_memory_fault(id);
	if (of_pc && e->n >= 1 && w->at.pc_known && (field < pc || field - pc >= room))
		FIND(w, EVENT_PC, e->at, "field 0 is 0x%llx, the instruction is at 0x%llx",
		     (unsigned long long)e->field[0], (unsigned long long)w->at.pc);
	if ((illegal || is_memory_fault(id)) && e->n >= 2 && !(illegal && is_nop(op)) &&
	    ((uint32_t)e->field[1] & bits) != (op->enc & bits))
		FIND(w, EVENT_ENCODING, e->at, "field 1 is 0x%llx, the encoding is 0x%x",
		     (unsigned long long)e->field[1], op->enc);
	if (id == 2 && e->n >= 3 && e->field[2] != (w->at.isa == CAIRN_ISA_RV32 ? 1 : 2))
		stf_see_at(w, SEEN_EVENT_IEM, e->at);
	if ((is_fetch_fault(id) || illegal) && !is_nop(op))
		stf_see_at(w, SEEN_KEPT, e->at);
}

static void judge_instruction(struct stf_walk *w, const struct stf_group_event *e,
                              const struct cairn_op *op)
{
	static const uint8_t modes[4] = {CAIRN_PRIV_USER, CAIRN_PRIV_SUPERVISOR, CAIRN_PRIV_HYPERVISOR,
	                                 CAIRN_PRIV_MACHINE};
	static const uint32_t store = CAIRN_TRAIT_STORE | CAIRN_TRAIT_ATOMIC | CAIRN_TRAIT_CACHE;
	char buf[32];
	uint64_t id = e->id;
	bool ecall = id >= 8 && id <= 11, fits = true;
	if (op->cls == CAIRN_CLASS_UNKNOWN || op->cls == CAIRN_CLASS_ILLEGAL)
		return;
	if (!ecall && (w->g.flags & G_MICRO))
		return; /* a micro-op may access memory in its stead */
	if (ecall)
		fits = op->traits & CAIRN_TRAIT_SYSCALL;
	else if (is_memory_fault(id))
		fits = op->traits & (is_load_fault(id) ? CAIRN_TRAIT_LOAD | CAIRN_TRAIT_CACHE : store);
	if (!fits)
		FIND(w, EVENT_INSN, e->at, "%s on an instruction that %s", stf_event_name(id, buf),
		     ecall               ? "is no environment call"
		     : is_load_fault(id) ? "does not load"
		                         : "does not store");
	else if (ecall && (w->at.ctx.known & CAIRN_CTX_PRIV) && w->at.ctx.priv != modes[id - 8])
		FIND(w, EVENT_ECALL, e->at, "%s while the trace says %s", stf_event_name(id, buf),
		     stf_name(stf_modes, w->at.ctx.priv));
}

void stf_rule_group_events(struct stf_walk *w, const struct cairn_op *op, unsigned size)
{
	if (!(w->g.flags & G_EVENT))
		return;
	for (unsigned i = 0; i < w->g.n_events; i++) {
		const struct stf_group_event *e = &w->g.event[i];
		if (e->id & (STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL))
			continue;
		if (stf_isa_is_ours(w->cfg->isa))
			continue;
		if (w->riscv)
			judge_fault_fields(w, e, op, size);
		judge_instruction(w, e, op);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of events. An event's own form is judged at its record; what it says about
 * the instruction (address, encoding, kind) when the encoding is there.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/check/rules.h"

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

static void take_mode(struct stf_walk *walk, const struct stf_group_event *event)
{
	bool at_once = stf_follow_mode(&walk->at.now, event->n ? event->field[0] : UINT64_MAX);
	walk->at.now.group |= G_MODE;
	if (event->n == 0)
		return;
	if (event->field[0] > CAIRN_PRIV_MACHINE) {
		FIND(walk, MODE_VALUE, event->at, "the mode is %llu", (unsigned long long)event->field[0]);
		return;
	}
	/* A trace of user mode alone does not have handlers. */
	if (event->field[0] != CAIRN_PRIV_USER)
		check_meet(walk->part, COND_MODE);
	if (!at_once)
		walk->group.mode_at = event->at;
}

/* Bits that a metadata field can have, by what the table says it holds. */
static unsigned field_bits(uint64_t id, unsigned index, bool rv32)
{
	bool encoding = id == 2 || id == 22 || id == 12 || id == 20 || (id >= 4 && id <= 7) ||
	                id == 13 || id == 15 || id == 21 || id == 23;
	if (encoding && index == 1)
		return 32;
	if ((id == 2 || id == 22) && index == 2)
		return 16; /* as INST_IEM */
	return rv32 ? 32 : 64;
}

static void judge_extension(struct stf_walk *walk, const struct stf_group_event *event,
                            const uint8_t *data)
{
	bool rv32 = walk->at.now.isa == CAIRN_ISA_RV32;
	for (unsigned i = 0; i < event->n; i++) {
		uint64_t v = base_le64(data + 8 * (size_t)i);
		unsigned bits = field_bits(event->id, i, rv32);
		if (bits == 64 || v >> bits == 0)
			continue;
		FIND(walk, EVENT_EXTENDED, event->at, "field %u is 0x%llx, which has %u bits%s", i,
		     (unsigned long long)v, bits, rv32 ? " in RV32" : "");
		return;
	}
}

static void judge_form(struct stf_walk *walk, const struct stf_group_event *event,
                       const uint8_t *data)
{
	char buf[32];
	const char *name = stf_event_name(event->id, buf);
	int want = rules_events_fields_of(event->id);
	if (stf_event_implausible(event->id)) {
		FIND(walk, EVENT_WIDTH, event->at,
		     "event id 0x%llx is implausible with ids of %u bits, which "
		     "is what EVENT64 says",
		     (unsigned long long)event->id, walk->cfg->event_bits);
		walk->at.odd_event = 1;
		return;
	}
	if (stf_isa_is_ours(walk->cfg->isa) && !(event->id & STF_EVENT_SPECIAL))
		return; /* the table is RISC-V's */
	if (is_reserved(event->id))
		FIND(walk, EVENT_ID, event->at, "%s is reserved", name);
	else if (want >= 0 && event->n != (unsigned)want)
		FIND(walk, EVENT_FIELDS, event->at, "%s has %u metadata field%s, by the table %d", name,
		     event->n, event->n == 1 ? "" : "s", want);
	judge_extension(walk, event, data);
}

void stf_rule_event(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	const uint8_t *data = stf_event_data(p, walk->cfg->event_bits);
	struct stf_group_event event = {.at = stf_here(walk, p),
	                                .n = stf_event_count(p, walk->cfg->event_bits)};
	event.id = stf_event_id_of(p, walk->cfg->event_bits);
	for (unsigned i = 0; i < 3 && i < event.n; i++)
		event.field[i] = base_le64(data + 8 * (size_t)i);
	stf_see(walk, SEEN_EVENT, p);
	if (!(walk->at.now.group & G_EVENT))
		group->n_events = group->targets_due = 0;
	walk->at.now.group |= G_EVENT;
	enum cairn_phase phase = stf_event_phase(stf_isa_is_ours(walk->cfg->isa), event.id);
	group->targets_due += phase != CAIRN_BEFORE;
	if (group->n_events < GROUP_EVENTS)
		group->event[group->n_events++] = event;
	judge_form(walk, &event, data);
	uint64_t code;
	uint8_t kind = stf_event_kind(stf_isa_is_ours(walk->cfg->isa), event.id, &code);
	if (event.id & STF_EVENT_SPECIAL) {
		if (code == STF_EVENT_MODE_CHANGE)
			take_mode(walk, &event);
		return;
	}
	check_meet(walk->part, COND_EVENT);
	if (kind == CAIRN_EV_SYSCALL && event.n && event.field[0])
		stf_see(walk, SEEN_CALL_NUMBER, p);
	if (phase != CAIRN_ON)
		return;
	walk->at.now.group |= kind == CAIRN_EV_INTERRUPT ? G_INTERRUPT
	                      : kind == CAIRN_EV_SYSCALL ? G_SYSCALL
	                                                 : G_FAULT;
}

void stf_rule_event_target(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	uint64_t target = stf_EVENT_PC_TARGET_pc(p);
	if (!(walk->at.now.group & G_EVENT) || group->targets_due == 0)
		FIND(walk, EVENT_TARGET, stf_here(walk, p), "there is no EVENT before it");
	else
		group->targets_due--;
	if (walk->riscv && (target & 1))
		FIND(walk, PC_ODD, stf_here(walk, p), "EVENT_PC_TARGET is 0x%llx",
		     (unsigned long long)target);
	walk->at.now.group |= G_EVENT_TARGET;
	stf_follow_target(&walk->at.now, target);
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

static void judge_fault_fields(struct stf_walk *walk, const struct stf_group_event *event,
                               const struct cairn_op *op, unsigned size)
{
	uint64_t mask = walk->at.now.isa == CAIRN_ISA_RV32 ? 0xffffffff : UINT64_MAX;
	uint64_t id = event->id, pc = walk->at.now.pc & mask, field = event->field[0] & mask;
	bool illegal = id == 2 || id == 22;
	uint32_t bits = size == 4 ? 0xffffffff : 0xffff;
	/* A fetch may fail in the instruction's second half; INST_ADDR_MISALIGN (0) is about an address
	 * at which no instruction can be. */
	uint64_t room = is_fetch_fault(id) ? size : 1;
	bool of_pc = illegal || id == 3 || is_fetch_fault(id) || is_memory_fault(id);
	if (of_pc && event->n >= 1 && walk->at.now.pc_known && (field < pc || field - pc >= room))
		FIND(walk, EVENT_PC, event->at, "field 0 is 0x%llx, the instruction is at 0x%llx",
		     (unsigned long long)event->field[0], (unsigned long long)walk->at.now.pc);
	if ((illegal || is_memory_fault(id)) && event->n >= 2 && !(illegal && is_nop(op)) &&
	    ((uint32_t)event->field[1] & bits) != (op->enc & bits))
		FIND(walk, EVENT_ENCODING, event->at, "field 1 is 0x%llx, the encoding is 0x%x",
		     (unsigned long long)event->field[1], op->enc);
	if (id == 2 && event->n >= 3 && event->field[2] != (walk->at.now.isa == CAIRN_ISA_RV32 ? 1 : 2))
		stf_see_at(walk, SEEN_EVENT_IEM, event->at);
	if ((is_fetch_fault(id) || illegal) && !is_nop(op))
		stf_see_at(walk, SEEN_KEPT, event->at);
}

static void judge_instruction(struct stf_walk *walk, const struct stf_group_event *event,
                              const struct cairn_op *op)
{
	static const uint8_t modes[4] = {CAIRN_PRIV_USER, CAIRN_PRIV_SUPERVISOR, CAIRN_PRIV_HYPERVISOR,
	                                 CAIRN_PRIV_MACHINE};
	static const uint32_t store = CAIRN_TRAIT_STORE | CAIRN_TRAIT_ATOMIC | CAIRN_TRAIT_CACHE;
	char buf[32];
	uint64_t id = event->id;
	bool ecall = id >= 8 && id <= 11, fits = true;
	if (op->cls == CAIRN_CLASS_UNKNOWN || op->cls == CAIRN_CLASS_ILLEGAL)
		return;
	if (!ecall && (walk->at.now.group & G_MICRO))
		return; /* a micro-op may access memory instead */
	if (ecall)
		fits = op->traits & CAIRN_TRAIT_SYSCALL;
	else if (is_memory_fault(id))
		fits = op->traits & (is_load_fault(id) ? CAIRN_TRAIT_LOAD | CAIRN_TRAIT_CACHE : store);
	if (!fits)
		FIND(walk, EVENT_INSN, event->at, "%s on an instruction that %s", stf_event_name(id, buf),
		     ecall               ? "is no environment call"
		     : is_load_fault(id) ? "does not load"
		                         : "does not store");
	else if (ecall && (walk->at.now.ctx.known & CAIRN_CTX_PRIV) &&
	         walk->at.now.ctx.priv != modes[id - 8])
		FIND(walk, EVENT_ECALL, event->at, "%s while the trace says %s", stf_event_name(id, buf),
		     stf_name(stf_modes, walk->at.now.ctx.priv));
}

void stf_rule_group_events(struct stf_walk *walk, const struct cairn_op *op, unsigned size)
{
	if (!(walk->at.now.group & G_EVENT))
		return;
	for (unsigned i = 0; i < walk->group.n_events; i++) {
		const struct stf_group_event *event = &walk->group.event[i];
		if (event->id & (STF_EVENT_INTERRUPT | STF_EVENT_SPECIAL))
			continue;
		if (stf_isa_is_ours(walk->cfg->isa))
			continue;
		if (walk->riscv)
			judge_fault_fields(walk, event, op, size);
		judge_instruction(walk, event, op);
	}
}

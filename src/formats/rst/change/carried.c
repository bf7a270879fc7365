/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of each CPU at a place of the trace: the registers of PREG, the trap stack,
 * differences of addresses, TLBs, who runs, and registers whose values were recorded.
 *
 * A value is known until an instruction changes it, whether the new value is recorded or not: most
 * traces record values only now and then, and an old one would be a lie (specification 7(c)).
 * isa/written.h says what instructions and traps change. Where a CPU's flow jumps, nothing is
 * known. Registers of stated windows are not kept at all: any save may come to them.
 */
#include "formats/rst/change/carried.h"

enum { SIZE = CAIRN_RST_SIZE };
enum { PRIV_TPC = 0, PRIV_TNPC = 1, PRIV_TT = 3, PRIV_PSTATE = 6, PRIV_TL = 7, PRIV_CWP = 9 };
enum { OTHER_ASI = 3 };

int rst_carried_new(struct cairn *cairn, bool wide, struct rst_carried **out)
{
	struct rst_carried *carried = base_alloc(cairn, sizeof *carried);
	*out = carried;
	if (!carried)
		return CAIRN_E_NOMEM;
	carried->cairn = cairn;
	carried->wide = wide;
	carried->memo = isa_written_memo_new(cairn);
	if (!carried->memo) {
		base_free(cairn, carried);
		*out = NULL;
		return CAIRN_E_NOMEM;
	}
	return 0;
}

void rst_carried_free(struct rst_carried *carried)
{
	if (!carried)
		return;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		if (carried->cpus[i])
			base_free(carried->cairn, carried->cpus[i]->regs);
		base_free(carried->cairn, carried->cpus[i]);
	}
	isa_written_memo_free(carried->memo);
	base_free(carried->cairn, carried->tlb);
	base_free(carried->cairn, carried->table);
	base_free(carried->cairn, carried);
}

struct rst_carried_cpu *rst_carried_cpu(struct rst_carried *carried, unsigned cpu)
{
	static const struct rst_told all = {{UINT64_MAX, UINT64_MAX}};
	struct rst_carried_cpu *made = NULL;
	if (!carried->cpus[cpu] && (made = base_alloc(carried->cairn, sizeof *made))) {
		/* Nothing is known of it yet, so no output lacks anything. */
		made->preg_told = made->level_told = made->tlb_told = all;
		carried->cpus[cpu] = made;
	}
	return carried->cpus[cpu];
}

void rst_carried_untell_regs(struct rst_carried_cpu *cpu)
{
	if (cpu && cpu->regs) {
		cpu->regs_untold = true;
		memset(cpu->regs->told, 0, sizeof cpu->regs->told);
	}
}

void rst_carried_lose(struct rst_carried *carried)
{
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		struct rst_carried_cpu *cpu = carried->cpus[i];
		if (!cpu)
			continue;
		if (cpu->regs)
			memset(cpu->regs, 0, sizeof *cpu->regs);
		memset(cpu->level, 0, sizeof cpu->level);
		cpu->tl = cpu->tt = 0;
		cpu->has_preg = cpu->has_slot = cpu->has_next = cpu->regs_untold = false;
		cpu->trapped = cpu->stopped = false;
	}
}

void rst_carried_untell(struct rst_carried *carried)
{
	static const struct rst_told none;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		struct rst_carried_cpu *cpu = carried->cpus[i];
		if (!cpu)
			continue;
		cpu->preg_told = cpu->level_told = cpu->pc_told = cpu->ea_told = none;
		cpu->in_output = cpu->slot_told = none;
		for (unsigned id = 0; id < RST_CARRIED_IDS; id++)
			cpu->id[id].told = none;
		cpu->regs_untold = false;
		rst_carried_untell_regs(cpu);
	}
	for (size_t i = 0; i < carried->n_tlb; i++) {
		carried->tlb[i].told = none;
		carried->cpus[rst_cpu_of(carried->tlb[i].rec, carried->wide)]->tlb_told = none;
	}
	for (unsigned i = 0; i < RST_CARRIED_IDS; i++)
		carried->id[i].told = false;
}

/* ---- registers ---- */

static void carried_forget(struct rst_carried_cpu *cpu, unsigned type, unsigned id)
{
	cpu->regs->have[type][id] = 0;
}

static void forget_ints(struct rst_carried_cpu *cpu, unsigned first, unsigned end)
{
	memset(cpu->regs->have[RST_R_INT] + first, 0, end - first);
}

static void rst_carried_turn_window(struct rst_carried_cpu *cpu, bool save, bool told)
{
	struct rst_carried_regs *regs = cpu->regs;
	unsigned to = save ? 24 : 8, from = save ? 8 : 24;
	for (unsigned i = 0; i < 8; i++) {
		regs->value[RST_R_INT][to + i] = regs->value[RST_R_INT][from + i];
		regs->have[RST_R_INT][to + i] = regs->have[RST_R_INT][from + i];
		regs->told[RST_R_INT][to + i] = regs->told[RST_R_INT][from + i] && told;
		cpu->regs_untold |= regs->have[RST_R_INT][to + i] && !regs->told[RST_R_INT][to + i];
	}
	forget_ints(cpu, save ? 8 : 16, save ? 24 : 32);
}

/* The place of a register in a REGVAL; false: it has none. */
static bool rst_carried_place_of(unsigned cls, unsigned num, unsigned *type, unsigned *id)
{
	*id = num;
	*type = cls == CAIRN_REG_INT ? RST_R_INT : cls == CAIRN_REG_FP ? RST_R_FLOAT : RST_R_PRIV;
	if (cls == CAIRN_REG_INT)
		return num < 32;
	if (cls == CAIRN_REG_CSR && num >= ISA_SPARC_ASR) {
		*type = num < ISA_SPARC_MMU ? RST_R_OTHER : RST_R_MMU;
		*id = num & 255;
	} else if (cls == CAIRN_REG_FLAGS) {
		*type = num ? RST_R_FCC : RST_R_CC;
		*id = 0;
	}
	return *id < 256 && (cls == CAIRN_REG_FP || cls == CAIRN_REG_CSR || cls == CAIRN_REG_FLAGS);
}

static void rst_carried_forget_pieces(struct rst_carried_cpu *cpu,
                                      const struct isa_written *written)
{
	for (unsigned i = 0; i < written->n && cpu->regs; i++)
		for (unsigned k = 0; k < written->reg[i].count; k++) {
			unsigned type, id;
			if (!rst_carried_place_of(written->reg[i].cls, written->reg[i].num + k, &type, &id))
				continue;
			carried_forget(cpu, type, id);
			if (type == RST_R_CC) /* %ccr goes by two names */
				carried_forget(cpu, RST_R_OTHER, 2);
		}
}

/* Forget what an instruction that ran leaves unknown. */
static void rst_carried_forget_written(struct rst_carried *carried, struct rst_carried_cpu *cpu,
                                       uint32_t enc, bool told)
{
	const struct isa_written *written = isa_written_get(carried->memo, CAIRN_ISA_SPARC, enc, 4);
	if (!written->told)
		memset(cpu->regs->have, 0, sizeof cpu->regs->have);
	if (written->window)
		rst_carried_turn_window(cpu, written->window > 0, told);
	rst_carried_forget_pieces(cpu, written);
}

static void forget_event(struct rst_carried_cpu *cpu, enum cairn_event_kind kind)
{
	struct isa_written written;
	isa_event_written(CAIRN_ISA_SPARC, kind, &written);
	rst_carried_forget_pieces(cpu, &written);
}

/* Instructions of this CPU are missing before the one at `pc`. */
static void rst_carried_jump(struct rst_carried_cpu *cpu, uint64_t pc)
{
	if (cpu->has_next && cpu->next != pc && cpu->regs)
		memset(cpu->regs->have, 0, sizeof cpu->regs->have);
}

/* Take registers that are kept apart: the trap stack, and what PREG has. */
static bool take_trap_state(struct rst_carried_cpu *cpu, unsigned type, unsigned id, uint64_t value,
                            unsigned output, bool told)
{
	unsigned kind = id >= ISA_SPARC_TPC_TL ? (id - ISA_SPARC_TPC_TL) / 8 : id;
	unsigned tl = id >= ISA_SPARC_TPC_TL ? id & 7 : cpu->tl;
	if (type != RST_R_PRIV)
		return false;
	if (id == PRIV_TL)
		cpu->tl = value <= RST_CARRIED_LEVELS ? (uint8_t)value : cpu->tl;
	if (id == PRIV_PSTATE) {
		cpu->pstate = (uint16_t)value;
		cpu->stale &= (uint8_t)~RST_STALE_PSTATE;
	}
	if (id == PRIV_TL || id == PRIV_PSTATE) {
		rst_tell_part(&cpu->preg_told, output, told);
		return true;
	}
	if (id >= ISA_SPARC_TT_TL + 8 || (id > PRIV_TT && id < ISA_SPARC_TPC_TL) ||
	    tl > RST_CARRIED_LEVELS)
		return false;
	struct rst_carried_level *level = &cpu->level[tl];
	if (kind == PRIV_TPC)
		level->tpc = value;
	else if (kind == PRIV_TNPC)
		level->tnpc = value;
	else if (kind == PRIV_TT)
		level->tt = (uint16_t)value;
	else
		return true; /* TSTATE: nobody asks for it */
	level->known = true;
	rst_tell_part(&cpu->level_told, output, told);
	return true;
}

static int take_regval(struct rst_carried *carried, struct rst_carried_cpu *cpu, const uint8_t *p,
                       bool told)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned type = rst_regtype(p, i), id = rst_regid(p, i);
		uint64_t v = rst_regvalue(p, i);
		if (type == 0 || type >= RST_CARRIED_TYPES || type == RST_R_UNUSED ||
		    type == RST_R_WININT || take_trap_state(cpu, type, id, v, carried->output, told))
			continue;
		if (type == RST_R_OTHER && id == OTHER_ASI) { /* PREG has it, too */
			cpu->asi = (uint8_t)v;
			cpu->stale &= (uint8_t)~RST_STALE_ASI;
			rst_tell_part(&cpu->preg_told, carried->output, told);
		}
		if (!cpu->regs && !(cpu->regs = base_alloc(carried->cairn, sizeof *cpu->regs)))
			return CAIRN_E_NOMEM;
		if (type == RST_R_CC || type == RST_R_FCC) {
			v = id;
			id = 0;
		}
		if (type == RST_R_FLOAT && id >= 64 && id < 96) {
			if (i == 1)
				continue; /* half of one */
			cpu->regs->low[id - 64] = rst_REGVAL_value1(p);
		}
		cpu->regs->value[type][id] = v;
		cpu->regs->have[type][id] = 1;
		cpu->regs->told[type][id] = told;
		cpu->regs_untold |= !told;
		if (type == RST_R_FLOAT && id >= 64)
			break;
	}
	return 0;
}

/* ---- traps ---- */

static void take_preg(struct rst_carried_cpu *cpu, const uint8_t *p, unsigned output, bool told)
{
	cpu->asi = rst_PREG_asi(p);
	cpu->stale = 0;
	cpu->tl =
		rst_PREG_traplevel(p) <= RST_CARRIED_LEVELS ? rst_PREG_traplevel(p) : RST_CARRIED_LEVELS;
	cpu->tt = rst_PREG_traptype(p);
	cpu->after = rst_PREG_pstate(p);
	if (!cpu->has_preg || cpu->tl == 0 || cpu->anew)
		cpu->pstate = cpu->after;
	cpu->anew = false;
	memcpy(cpu->preg, p, SIZE);
	cpu->has_preg = true;
	rst_tell_anew(&cpu->preg_told, output, told);
}

static void take_trap(struct rst_carried_cpu *cpu, const uint8_t *p, unsigned output, bool told)
{
	unsigned tl = rst_TRAP_tl(p) + 1u, tt = rst_TRAP_ttype(p);
	cpu->pstate = rst_TRAP_pstate(p);
	cpu->stale &= (uint8_t)~RST_STALE_PSTATE;
	cpu->tl = (uint8_t)(tl <= RST_CARRIED_LEVELS ? tl : RST_CARRIED_LEVELS);
	cpu->tt = (uint8_t)tt;
	cpu->level[cpu->tl] = (struct rst_carried_level){.tpc = rst_TRAP_pc(p),
	                                                 .tnpc = rst_TRAP_npc(p),
	                                                 .tt = (uint16_t)tt,
	                                                 .pstate = cpu->pstate,
	                                                 .known = true};
	cpu->trapped = !rst_TRAP_async(p);
	cpu->stopped = false; /* the level before is the one that this trap tells */
	/* Privileged, without interrupts, with 64-bit addresses, and with globals of its own: those of
	 * the MMU for its misses, of interrupts for their vector, else the alternate ones. */
	uint16_t globals = tt >= 0x64 && tt <= 0x6f ? 0x400 : tt == 0x60 ? 0x800 : 1;
	cpu->pstate = (uint16_t)((cpu->pstate & ~(PSTATE_IE | PSTATE_AM | PSTATE_GLOBALS)) |
	                         PSTATE_PRIV | globals);
	rst_tell_part(&cpu->preg_told, output, told);
	if (tl == 1) /* this is the whole stack */
		rst_tell_anew(&cpu->level_told, output, told);
	else
		rst_tell_part(&cpu->level_told, output, told);
	cpu->has_next = false;
	forget_event(cpu, CAIRN_EV_EXCEPTION);
}

/* A user's instruction right behind the one that a trap stopped: the handler ran but was not
 * traced, so the trap level ends here. The rules of check assume the same. */
void rst_carried_go_on(struct rst_carried *known, unsigned cpu, const uint8_t *p)
{
	struct rst_carried_cpu *carried_cpu = known->cpus[cpu];
	if (!carried_cpu || !carried_cpu->stopped || !carried_cpu->tl ||
	    rst_INSTR_flags(p) & (RST_I_PR | RST_I_HPRIV))
		return;
	carried_cpu->stopped = false;
	carried_cpu->pstate = carried_cpu->level[carried_cpu->tl].pstate;
	carried_cpu->level[carried_cpu->tl--].known = false;
	carried_cpu->tt = (uint8_t)carried_cpu->level[carried_cpu->tl].tt;
}

static void leave_trap(struct rst_carried_cpu *cpu, bool retry, unsigned output, bool told)
{
	const struct rst_carried_level *level = &cpu->level[cpu->tl];
	cpu->pstate = cpu->after;
	cpu->has_slot = retry && cpu->tl && level->known && level->tnpc != level->tpc + 4;
	cpu->slot = level->tpc;
	cpu->npc = level->tnpc;
	rst_tell_anew(&cpu->slot_told, output, told);
	if (cpu->tl)
		cpu->level[cpu->tl--].known = false;
	cpu->tt = (uint8_t)cpu->level[cpu->tl].tt;
	rst_tell_part(&cpu->preg_told, output, told);
	cpu->has_next = false;
}

/* Take where a transfer goes behind its delay slot. */
static void take_transfer(struct rst_carried_cpu *cpu, const uint8_t *p, unsigned output, bool told)
{
	uint32_t enc = rst_INSTR_instr(p);
	uint64_t ea = rst_INSTR_ea_va(p);
	bool ea_known = rst_INSTR_ea_valid(p) && !rst_bad_address(ea);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	if (!isa_sparc_is_dcti(flow) || (!ea_known && flow >= ISA_SPARC_JMPL))
		return;
	cpu->slot = rst_INSTR_pc_va(p) + 4;
	cpu->npc = ea_known ? ea : rst_INSTR_pc_va(p) + (uint64_t)isa_sparc_offset(enc);
	cpu->has_slot = true;
	rst_tell_anew(&cpu->slot_told, output, told);
}

static void take_instr(struct rst_carried *carried, unsigned cpu, const uint8_t *p, bool told)
{
	struct rst_carried_cpu *carried_cpu = carried->cpus[cpu];
	uint32_t enc = rst_INSTR_instr(p);
	for (unsigned i = 0; i < RST_CARRIED_IDS; i++) {
		struct rst_carried_id *id = &carried_cpu->id[i];
		if (!carried->id[i].pending)
			continue;
		memcpy(id->rec, carried->id[i].rec, SIZE);
		id->has = true;
		rst_tell_anew(&id->told, carried->output, told && carried->id[i].told);
		carried->id[i].pending = false;
	}
	uint64_t pc = rst_INSTR_pc_va(p);
	rst_carried_go_on(carried, cpu, p);
	carried_cpu->stopped = carried_cpu->trapped && carried_cpu->tl &&
	                       carried_cpu->level[carried_cpu->tl].known &&
	                       carried_cpu->level[carried_cpu->tl].tpc == pc;
	carried_cpu->trapped = false;
	rst_carried_jump(carried_cpu, pc);
	carried_cpu->next =
		carried_cpu->has_slot && carried_cpu->slot == pc ? carried_cpu->npc : pc + 4;
	carried_cpu->has_next = true;
	carried_cpu->has_slot = carried_cpu->anew = false;
	if (rst_INSTR_an(p))
		return;
	if (rst_INSTR_bt(p))
		take_transfer(carried_cpu, p, carried->output, told);
	if (carried_cpu->regs)
		rst_carried_forget_written(carried, carried_cpu, enc, told);
	if (isa_sparc_writes(enc, ISA_SPARC_ASR + OTHER_ASI))
		carried_cpu->stale |= RST_STALE_ASI;
	else if (isa_sparc_writes(enc, ISA_SPARC_PSTATE))
		carried_cpu->stale |= RST_STALE_PSTATE;
	if (enc >> 19 == (2u << 11 | 0x3e) || enc >> 19 == (2u << 11 | 1u << 6 | 0x3e))
		leave_trap(carried_cpu, enc >> 25 & 1, carried->output, told);
}

/* ---- TLBs ---- */

static size_t tlb_place(const struct rst_carried *carried, uint32_t key)
{
	size_t mask = carried->cap_table - 1, at = (key * UINT32_C(2654435761)) & mask;
	while (carried->table[at]) {
		const uint8_t *rec = carried->tlb[carried->table[at] - 1].rec;
		if (rst_tlb_entry(rec, (unsigned)rst_cpu_of(rec, carried->wide)) == key)
			break;
		at = (at + 1) & mask;
	}
	return at;
}

static int tlb_grow(struct rst_carried *carried)
{
	size_t cap = carried->cap_tlb ? 2 * carried->cap_tlb : 256;
	struct rst_carried_tlb *tlb = base_realloc(carried->cairn, carried->tlb, cap * sizeof *tlb);
	if (!tlb)
		return CAIRN_E_NOMEM;
	carried->tlb = tlb;
	carried->cap_tlb = cap;
	uint32_t *table = base_alloc(carried->cairn, 2 * cap * sizeof *table);
	if (!table)
		return CAIRN_E_NOMEM;
	base_free(carried->cairn, carried->table);
	carried->table = table;
	carried->cap_table = 2 * cap;
	for (size_t i = 0; i < carried->n_tlb; i++) {
		const uint8_t *rec = carried->tlb[i].rec;
		carried->table[tlb_place(carried,
		                         rst_tlb_entry(rec, (unsigned)rst_cpu_of(rec, carried->wide)))] =
			(uint32_t)i + 1;
	}
	return 0;
}

/* Keep the entry that a record gives. */
static int learn_tlb(struct rst_carried *carried, const uint8_t *p, struct rst_carried_tlb **out)
{
	int rc = carried->n_tlb == carried->cap_tlb ? tlb_grow(carried) : 0;
	if (rc < 0)
		return rc;
	size_t at = tlb_place(carried, rst_tlb_entry(p, (unsigned)rst_cpu_of(p, carried->wide)));
	if (!carried->table[at]) {
		carried->tlb[carried->n_tlb] = (struct rst_carried_tlb){.waiting = 0};
		carried->table[at] = (uint32_t)++carried->n_tlb;
	}
	*out = &carried->tlb[carried->table[at] - 1];
	memcpy((*out)->rec, p, SIZE);
	rst_tell_anew(&(*out)->told, 0, false);
	return 0;
}

/* An output without the entry lacks something of its CPU. */
static void note_tlb(struct rst_carried *carried, const struct rst_carried_tlb *tlb)
{
	struct rst_carried_cpu *cpu = carried->cpus[rst_cpu_of(tlb->rec, carried->wide)];
	for (unsigned i = 0; !tlb->waiting && i < sizeof cpu->tlb_told.to / sizeof cpu->tlb_told.to[0];
	     i++)
		cpu->tlb_told.to[i] &= tlb->told.to[i];
}

static int take_tlb(struct rst_carried *carried, const uint8_t *p, bool told)
{
	struct rst_carried_tlb *tlb;
	int rc = learn_tlb(carried, p, &tlb);
	if (rc < 0)
		return rc;
	if (told)
		rst_tell(&tlb->told, carried->output);
	note_tlb(carried, tlb);
	return 0;
}

int rst_carried_await_tlb(struct rst_carried *carried, const uint8_t *p)
{
	struct rst_carried_tlb *tlb;
	int cpu = rst_cpu_of(p, carried->wide);
	if (!rst_carried_cpu(carried, (unsigned)cpu))
		return CAIRN_E_NOMEM;
	int rc = learn_tlb(carried, p, &tlb);
	if (rc >= 0)
		tlb->waiting++;
	return rc;
}

bool rst_carried_settle_tlb(struct rst_carried *carried, const uint8_t *p, bool keep)
{
	size_t at = tlb_place(carried, rst_tlb_entry(p, (unsigned)rst_cpu_of(p, carried->wide)));
	struct rst_carried_tlb *tlb = &carried->tlb[carried->table[at] - 1];
	keep &= !rst_is_told(&tlb->told, carried->output);
	tlb->waiting--;
	if (keep && !tlb->waiting)
		rst_tell(&tlb->told, carried->output);
	note_tlb(carried, tlb);
	return keep;
}

/* ---- learning ---- */

static void take_diff(struct rst_carried_cpu *cpu, const uint8_t *p, unsigned output, bool told)
{
	cpu->pc_diff = rst_PAVADIFF_pc_pa_va(p);
	cpu->ictx = rst_PAVADIFF_icontext(p);
	if (rst_PAVADIFF_ea_valid(p) || !cpu->has_ea) /* else the field says nothing */
		cpu->dctx = rst_PAVADIFF_dcontext(p);
	cpu->has_pc = true;
	rst_tell_anew(&cpu->pc_told, output, told);
	if (told) {
		cpu->told_dctx[output] = cpu->dctx;
		rst_tell(&cpu->in_output, output);
	}
	if (rst_PAVADIFF_ea_valid(p)) {
		cpu->ea_diff = rst_PAVADIFF_ea_pa_va(p);
		cpu->has_ea = true;
		rst_tell_anew(&cpu->ea_told, output, told);
	}
}

/* Where a filter has left instructions out, the CPU goes on somewhere else. */
static void take_count(struct rst_carried_cpu *cpu, const uint8_t *p)
{
	if (!rst_counts_insns(p) || !rst_counts_gap(p, &cpu->left_out, &cpu->count_level))
		return;
	cpu->anew = true;
	cpu->has_slot = false;
}

int rst_carried_take(struct rst_carried *carried, const uint8_t *p, bool told)
{
	int cpu = p[0] == CAIRN_RST_INSTR ? (int)rst_instr_cpu(p, carried->wide)
	                                  : rst_cpu_of(p, carried->wide);
	struct rst_carried_cpu *carried_cpu = NULL;
	if (p[0] == CAIRN_RST_THREAD || p[0] == CAIRN_RST_PROCESS) {
		unsigned i = p[0] == CAIRN_RST_THREAD ? RST_CARRIED_THREAD : RST_CARRIED_PROCESS;
		memcpy(carried->id[i].rec, p, SIZE);
		carried->id[i].pending = true;
		carried->id[i].told = told;
		return 0;
	}
	if (cpu < 0)
		return 0;
	if (!(carried_cpu = rst_carried_cpu(carried, (unsigned)cpu)))
		return CAIRN_E_NOMEM;
	switch (p[0]) {
	case CAIRN_RST_INSTR:
		take_instr(carried, (unsigned)cpu, p, told);
		return 0;
	case CAIRN_RST_REGVAL:
		return take_regval(carried, carried_cpu, p, told);
	case CAIRN_RST_PREG:
		take_preg(carried_cpu, p, carried->output, told);
		return 0;
	case CAIRN_RST_TRAP:
		take_trap(carried_cpu, p, carried->output, told);
		return 0;
	case CAIRN_RST_TRAPEXIT:
		carried_cpu->has_next = false;
		forget_event(carried_cpu, CAIRN_EV_TRAP_RETURN);
		return 0;
	case CAIRN_RST_PAVADIFF:
		take_diff(carried_cpu, p, carried->output, told);
		return 0;
	case CAIRN_RST_RECNUM:
		take_count(carried_cpu, p);
		return 0;
	case CAIRN_RST_TLB:
		return take_tlb(carried, p, told);
	default:
		return 0;
	}
}

/* ---- telling ---- */

/* Does the INSTR stand in a delay slot, without the output knowing where that leads? */
static bool in_slot(const struct rst_carried *carried, unsigned of, const uint8_t *p)
{
	const struct rst_carried_cpu *cpu = carried->cpus[of];
	return cpu->has_slot && !rst_is_told(&cpu->slot_told, carried->output) &&
	       cpu->slot == rst_INSTR_pc_va(p) && cpu->tl < 7;
}

static bool id_untold(const struct rst_carried_id *id, unsigned output)
{
	return id->has && !rst_is_told(&id->told, output);
}

bool rst_carried_untold(const struct rst_carried *carried, unsigned of, const uint8_t *p)
{
	const struct rst_carried_cpu *cpu = carried->cpus[of];
	unsigned output = carried->output;
	return cpu &&
	       (in_slot(carried, of, p) || (cpu->has_preg && !rst_is_told(&cpu->preg_told, output)) ||
	        (cpu->tl && !rst_is_told(&cpu->level_told, output)) ||
	        !rst_is_told(&cpu->tlb_told, output) || cpu->regs_untold ||
	        id_untold(&cpu->id[RST_CARRIED_THREAD], output) ||
	        id_untold(&cpu->id[RST_CARRIED_PROCESS], output) ||
	        (cpu->has_pc && !rst_is_told(&cpu->pc_told, output)) ||
	        (cpu->has_ea && !rst_is_told(&cpu->ea_told, output) && rst_INSTR_ea_valid(p)));
}

bool rst_carried_any(const struct rst_carried *carried, unsigned of)
{
	static const uint8_t any[SIZE] = {CAIRN_RST_INSTR, RST_I_EA_VALID};
	const struct rst_carried_cpu *cpu = carried->cpus[of];
	return rst_carried_untold(carried, of, any) ||
	       (cpu && cpu->has_slot && !rst_is_told(&cpu->slot_told, carried->output));
}

static int report_regval(unsigned cpu, struct base_buf *out, unsigned type, unsigned id,
                         uint64_t value, bool pair)
{
	uint8_t p[SIZE], *last = out->len >= SIZE ? out->data + out->len - SIZE : NULL;
	if (pair && last && last[0] == CAIRN_RST_REGVAL && rst_REGVAL_regtype1(last) == RST_R_UNUSED &&
	    !(rst_REGVAL_regtype0(last) == RST_R_FLOAT && rst_REGVAL_regid0(last) >= 64)) {
		rst_put_reg(last, 1, type, id, value);
		return 0;
	}
	rst_make_regval(p, cpu, false, type, id, value);
	return base_buf_put(out, p, SIZE);
}

static int report_preg(const struct rst_carried_cpu *carried_cpu, unsigned cpu,
                       struct base_buf *out)
{
	uint8_t p[SIZE];
	const struct rst_preg preg = {.cpu = (uint16_t)cpu,
	                              .pstate = carried_cpu->pstate,
	                              .asi = carried_cpu->asi,
	                              .tl = carried_cpu->tl,
	                              .tt = carried_cpu->tl ? carried_cpu->tt : 0};
	rst_make_preg(p, &preg);
	rst_put_PREG_contexts(p, rst_PREG_contexts(carried_cpu->preg));
	return base_buf_put(out, p, SIZE);
}

/* Put the trap stack: the level in force by the plain registers, those below by their own. */
static int report_levels(const struct rst_carried_cpu *carried_cpu, unsigned cpu,
                         struct base_buf *out)
{
	int rc = 0;
	for (unsigned tl = 1; tl <= carried_cpu->tl && rc >= 0; tl++) {
		const struct rst_carried_level *level = &carried_cpu->level[tl];
		bool now = tl == carried_cpu->tl;
		if (!level->known || (!now && tl > 7))
			continue;
		rc = report_regval(cpu, out, RST_R_PRIV, now ? (unsigned)PRIV_TPC : ISA_SPARC_TPC_TL + tl,
		                   level->tpc, false);
		if (rc >= 0) /* one record: rst_tells_resume */
			rc = report_regval(cpu, out, RST_R_PRIV,
			                   now ? (unsigned)PRIV_TNPC : ISA_SPARC_TNPC_TL + tl, level->tnpc,
			                   true);
		if (rc >= 0)
			rc = report_regval(cpu, out, RST_R_PRIV, now ? (unsigned)PRIV_TT : ISA_SPARC_TT_TL + tl,
			                   level->tt, false);
	}
	return rc;
}

/* See rst_tells_npc. */
static int rst_carried_report_slot(struct rst_carried_cpu *carried_cpu, unsigned cpu,
                                   struct base_buf *out)
{
	uint8_t p[SIZE];
	rst_make_regval(p, cpu, false, RST_R_PRIV, ISA_SPARC_TPC_TL + carried_cpu->tl + 1u,
	                carried_cpu->slot);
	rst_put_reg(p, 1, RST_R_PRIV, ISA_SPARC_TNPC_TL + carried_cpu->tl + 1u, carried_cpu->npc);
	return base_buf_put(out, p, SIZE);
}

static int report_regs(struct rst_carried_cpu *carried_cpu, unsigned cpu, struct base_buf *out)
{
	struct rst_carried_regs *regs = carried_cpu->regs;
	int rc = 0;
	carried_cpu->regs_untold = false;
	for (unsigned type = 1; type < RST_CARRIED_TYPES && regs; type++)
		for (unsigned id = 0; id < 256 && rc >= 0; id++) {
			if (!regs->have[type][id] || regs->told[type][id])
				continue;
			regs->told[type][id] = 1;
			bool cc = type == RST_R_CC || type == RST_R_FCC;
			bool quad = type == RST_R_FLOAT && id >= 64 && id < 96;
			uint64_t v = regs->value[type][id];
			rc = report_regval(cpu, out, type, cc ? (unsigned)v : id, cc ? 0 : v, !quad);
			if (rc >= 0 && quad) {
				uint8_t *p = out->data + out->len - SIZE;
				rst_put_REGVAL_value1(p, regs->low[id - 64]);
			}
		}
	return rc;
}

int rst_carried_tell_tlb(struct rst_carried *carried, unsigned cpu, bool waiting,
                         struct base_buf *out)
{
	struct rst_carried_cpu *carried_cpu = carried->cpus[cpu];
	int rc = 0;
	if (!carried_cpu || (!waiting && rst_is_told(&carried_cpu->tlb_told, carried->output)))
		return 0;
	for (size_t i = 0; i < carried->n_tlb && rc >= 0; i++) {
		struct rst_carried_tlb *tlb = &carried->tlb[i];
		if ((unsigned)rst_cpu_of(tlb->rec, carried->wide) != cpu || (tlb->waiting && !waiting) ||
		    rst_is_told(&tlb->told, carried->output))
			continue;
		rst_tell(&tlb->told, carried->output);
		rc = base_buf_put(out, tlb->rec, SIZE);
	}
	rst_tell(&carried_cpu->tlb_told, carried->output);
	return rc;
}

int rst_carried_tell(struct rst_carried *carried, unsigned of, const uint8_t *p,
                     struct base_buf *out, struct base_buf *ids)
{
	struct rst_carried_cpu *cpu = carried->cpus[of];
	unsigned output = carried->output;
	int rc = rst_carried_tell_tlb(carried, of, false, out);
	if (rc < 0 || !cpu)
		return rc;
	if (cpu->has_preg && !rst_is_told(&cpu->preg_told, output)) {
		rc = report_preg(cpu, of, out);
		carried->stale += cpu->stale != 0;
	}
	if (rc >= 0 && cpu->tl && !rst_is_told(&cpu->level_told, output))
		rc = report_levels(cpu, of, out);
	if (rc >= 0 && cpu->regs_untold)
		rc = report_regs(cpu, of, out);
	if (rc >= 0 && in_slot(carried, of, p)) {
		rc = rst_carried_report_slot(cpu, of, out);
		rst_tell(&cpu->slot_told, output);
	}
	for (unsigned i = 0; i < RST_CARRIED_IDS; i++) {
		if (rc >= 0 && id_untold(&cpu->id[i], output))
			rc = base_buf_put(ids, cpu->id[i].rec, SIZE);
		rst_tell(&cpu->id[i].told, output);
	}
	rst_tell(&cpu->preg_told, output);
	rst_tell(&cpu->level_told, output);
	return rc;
}

int rst_carried_tell_diff(struct rst_carried *carried, unsigned of, bool ea_valid,
                          struct base_buf *out)
{
	struct rst_carried_cpu *cpu = carried->cpus[of];
	unsigned output = carried->output;
	uint8_t p[SIZE];
	bool ea = ea_valid && cpu && cpu->has_ea;
	if (!cpu || !cpu->has_pc ||
	    (rst_is_told(&cpu->pc_told, output) && (rst_is_told(&cpu->ea_told, output) || !ea)))
		return 0;
	/* The d context changes only with ea_valid (clause 3(c)). */
	if (ea || !rst_is_told(&cpu->in_output, output))
		cpu->told_dctx[output] = cpu->dctx;
	rst_make_pavadiff(p, of, cpu->ictx, cpu->pc_diff, ea, cpu->told_dctx[output], cpu->ea_diff);
	rst_tell(&cpu->pc_told, output);
	rst_tell(&cpu->in_output, output);
	if (ea)
		rst_tell(&cpu->ea_told, output);
	return base_buf_put(out, p, SIZE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What records do to the state: per CPU the differences between physical and
 * virtual addresses, the context, and where the next instruction should be; and the
 * queues of records that wait for their CPU's next instruction.
 *
 * The state after a span must not depend on how much of what came before is known.
 * So where the next instruction should be follows from the last two of the CPU and
 * from its last trap out of a delay slot, all of which a span can tell for itself.
 *
 * All waiting records lie in one ring in the order they came, linked per CPU. As one
 * waiting record is a tick, and none waits longer than RST_WAIT ticks, the ring never
 * overflows.
 */
#include <string.h>

#include "formats/rst/rst.h"
#include "isa/sparc.h"

static void forget_cpus(struct rst_state *at)
{
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		at->cpus[i] = (struct rst_cpu){.first = RST_NONE, .last = RST_NONE};
}

void rst_state_init(struct rst_state *at)
{
	memset(at, 0, sizeof *at);
	at->n = at->rec = 1;
	forget_cpus(at);
}

void rst_lose(struct rst_state *at)
{
	at->lost = 1;
	at->ids.told = at->n_waiting = 0;
	forget_cpus(at);
}

void rst_step_odd(struct rst_cpu *cpu, const uint8_t *p)
{
	uint32_t enc = rst_INSTR_instr(p);
	uint64_t pc = rst_INSTR_pc_va(p), ea = rst_INSTR_ea_va(p), npc = pc + 4;
	uint16_t flags = cpu->flags;
	bool ea_known = rst_INSTR_ea_valid(p) && !rst_bad_address(ea);
	if ((flags & RST_C_TARGET) && pc == cpu->pc + 4)
		npc = cpu->target; /* this was the delay slot */
	else if ((flags & (RST_C_XRET | RST_C_RESUME)) == (RST_C_XRET | RST_C_RESUME) &&
	         pc == cpu->resume_pc)
		npc = cpu->resume_npc; /* and this was one, too, before the trap */
	cpu->flags = (uint16_t)((flags & ~(RST_C_TARGET | RST_C_XRET | RST_C_FETCHED | RST_C_PC_PA |
	                                   RST_C_EA_PA)) |
	                        RST_C_NPC | RST_C_RAN);
	cpu->pc = pc;
	cpu->npc = npc;
	if (!rst_INSTR_bt(p) || rst_INSTR_an(p) || enc >> 30 == 3)
		return;
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	if (isa_sparc_is_dcti(flow)) {
		if (!ea_known && flow >= ISA_SPARC_JMPL)
			return;
		cpu->target = ea_known ? ea : pc + (uint64_t)isa_sparc_offset(enc);
		cpu->flags |= RST_C_TARGET;
	} else if (flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY) {
		cpu->flags |= RST_C_XRET;
		cpu->npc = ea;
		if (!ea_known)
			cpu->flags = (uint16_t)(cpu->flags & ~RST_C_NPC);
	}
}

static void state_resumes(struct rst_cpu *cpu, uint64_t pc, uint64_t npc)
{
	cpu->resume_pc = pc;
	cpu->resume_npc = npc;
	cpu->flags |= RST_C_RESUME;
}

void rst_note(struct rst_cpu *cpu, const uint8_t *p)
{
	switch (p[0]) {
	case CAIRN_RST_PAVADIFF:
		cpu->pc_diff = rst_PAVADIFF_pc_pa_va(p);
		cpu->asid = rst_PAVADIFF_icontext(p);
		cpu->flags |= RST_C_PC_DIFF | RST_C_ASID | RST_C_FETCHED;
		if (rst_PAVADIFF_ea_valid(p)) {
			cpu->ea_diff = rst_PAVADIFF_ea_pa_va(p);
			cpu->flags |= RST_C_EA_DIFF;
		}
		break;
	case CAIRN_RST_PHYSADDR:
		cpu->pc_pa = rst_PHYSADDR_pc_pa(p);
		cpu->ea_pa = rst_PHYSADDR_ea_pa(p);
		cpu->flags |= RST_C_PC_PA | (rst_PHYSADDR_ea_valid(p) ? RST_C_EA_PA : 0);
		break;
	case CAIRN_RST_TRAP:
		if (rst_TRAP_npc(p) != rst_TRAP_pc(p) + 4)
			state_resumes(cpu, rst_TRAP_pc(p), rst_TRAP_npc(p));
		break;
	case CAIRN_RST_REGVAL:
		if (rst_tells_npc(p)) { /* as behind the transfer */
			cpu->pc = rst_REGVAL_value0(p) - 4;
			cpu->target = rst_REGVAL_value1(p);
			cpu->flags |= RST_C_TARGET;
		} else if (rst_tells_resume(p)) {
			state_resumes(cpu, rst_REGVAL_value0(p), rst_REGVAL_value1(p));
		}
		break;
	default:
		break;
	}
}

/* ---- waiting ---- */

void rst_wait(struct rst_state *at, const uint8_t *p, unsigned cpu, uint32_t tick)
{
	uint16_t i = (uint16_t)((at->oldest + at->n_waiting) % RST_WAIT);
	struct rst_waiting *waiting = &at->waiting[i];
	struct rst_cpu *c = &at->cpus[cpu];
	memcpy(waiting->rec, p, CAIRN_RST_SIZE);
	waiting->tick = tick;
	waiting->cpu = (uint16_t)cpu;
	waiting->next = RST_NONE;
	if (c->first == RST_NONE)
		c->first = i;
	else
		at->waiting[c->last].next = i;
	c->last = i;
	at->n_waiting++;
}

const struct rst_waiting *rst_overdue(const struct rst_state *at, uint32_t tick)
{
	const struct rst_waiting *waiting = &at->waiting[at->oldest];
	return at->n_waiting && tick - waiting->tick >= RST_WAIT ? waiting : NULL;
}

void rst_waited(struct rst_state *at, unsigned cpu)
{
	struct rst_cpu *c = &at->cpus[cpu];
	struct rst_waiting *waiting = &at->waiting[c->first];
	waiting->cpu = RST_NONE;
	c->first = waiting->next;
	if (c->first == RST_NONE)
		c->last = RST_NONE;
	while (at->n_waiting && at->waiting[at->oldest].cpu == RST_NONE) {
		at->oldest = (uint16_t)((at->oldest + 1) % RST_WAIT);
		at->n_waiting--;
	}
}

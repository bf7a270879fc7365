/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine, record by record in trace order: what each CPU is known to have done,
 * and the rules that hang on it. Traps and their levels, PSTATE, contexts, the pages
 * that differences of addresses are known for.
 *
 * Everything may be unknown: at the beginning, behind instructions that write what
 * is followed here, or where the trace contradicts itself. Then it is learnt from the
 * next record that says it. After a finding the record is believed, so one mistake is
 * told once.
 *
 * A rule that would be broken again by every instruction until something changes
 * (mode, addresses above 32 bits, context) is told once until then.
 */
#include <string.h>

#include "formats/rst/check/rules_cpu.h"

enum { SIZE = CAIRN_RST_SIZE, MAX_INSTR_CPUID = 48, MOST_ENTRIES = 8192 };

/* The first INSTR or TRAP of a CPU. */
void rst_cpu_started(struct rst_step *step)
{
	struct rst_judge *judge = step->judge;
	struct rst_cpu_judge *cpu_judge = step->cpu_judge;
	const char *what = step->p[0] == CAIRN_RST_TRAP ? "TRAP" : "INSTR";
	if (cpu_judge->know & RST_STARTED)
		return;
	cpu_judge->know |= RST_STARTED;
	if (judge->middle || step->cpu > judge->max_cpu)
		return;
	if (!(cpu_judge->know & RST_SEEN_PREG))
		FIND(step->tell, FIRST_PREG,
		     "the first %s of CPU %u, but no PREG tells its trap level, PSTATE and ASI", what,
		     step->cpu);
	if (!(cpu_judge->know & RST_SEEN_PAVA))
		FIND(step->tell, FIRST_PAVADIFF, "the first %s of CPU %u, but it has had no PAVADIFF", what,
		     step->cpu);
	if ((cpu_judge->know & RST_KNOW_TL) && cpu_judge->tl &&
	    (cpu_judge->know & (RST_SEEN_TPC | RST_SEEN_TNPC)) != (RST_SEEN_TPC | RST_SEEN_TNPC))
		FIND(step->tell, FIRST_TRAP_REGS,
		     "CPU %u begins at trap level %u, but no REGVAL tells its %s", step->cpu, cpu_judge->tl,
		     cpu_judge->know & RST_SEEN_TPC ? "TNPC" : "TPC");
	if (judge->any_tlb && cpu_judge->tlb_entries < judge->tlb_size)
		FIND(step->tell, FIRST_TLB_ALL,
		     "%u entries of the TLBs of CPU %u are specified, of %u by mmutype",
		     cpu_judge->tlb_entries, step->cpu, judge->tlb_size);
}

/* ---- PAVADIFF and pages ---- */

static void pavadiff(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	bool ea_valid = rst_PAVADIFF_ea_valid(p);
	unsigned dcontext = rst_PAVADIFF_dcontext(p);
	uint64_t pc_diff = rst_PAVADIFF_pc_pa_va(p), ea_diff = rst_PAVADIFF_ea_pa_va(p);
	if (pc_diff & 0x1fff)
		FIND(step->tell, PAVA_ALIGNED, "pc_pa_va is 0x%llx", ULL(pc_diff));
	else if (ea_valid && (ea_diff & 0x1fff))
		FIND(step->tell, PAVA_ALIGNED, "ea_pa_va is 0x%llx", ULL(ea_diff));
	judge->pc_diff = pc_diff;
	judge->icontext = rst_PAVADIFF_icontext(p);
	judge->know |= RST_KNOW_ICTX | RST_KNOW_PC_DIFF | RST_SEEN_PAVA | RST_HELD_PAVA;
	judge->know &= ~(uint32_t)RST_TOLD_ICTX;
	if (ea_valid) {
		judge->ea_diff = ea_diff;
		judge->dcontext = (uint16_t)dcontext;
		judge->know |= RST_KNOW_DCTX | RST_KNOW_EA_DIFF | RST_HELD_EA;
	}
}

static void rules_cpu_learn(struct rst_step *step, struct rst_page page, uint64_t diff)
{
	int rc = rst_pages_learn(&step->judge->pages, page, diff);
	if (rc < 0)
		step->judge->failed = rc;
}

/* The pages of an INSTR and its access: the differences in force are theirs, or a
 * PAVADIFF is missing. */
static void judge_pages(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	uint64_t pc = rst_INSTR_pc_va(p), ea = rst_INSTR_ea_va(p), diff;
	unsigned kind = step->judge->kind[isa_sparc_key(rst_INSTR_instr(p))];
	struct rst_page code = {.va = pc, .cpu = step->cpu, .context = judge->icontext};
	struct rst_page data = {.va = ea, .cpu = step->cpu, .context = judge->dcontext, .data = true};
	if (judge->know & RST_KNOW_PC_DIFF) {
		if (!(judge->know & RST_HELD_PAVA) && rst_pages_know(&step->judge->pages, code, &diff) &&
		    diff != judge->pc_diff)
			FIND(step->tell, PAVA_PAGE,
			     "the page of 0x%llx has PA - VA 0x%llx, but the last PAVADIFF says 0x%llx",
			     ULL(pc), ULL(diff), ULL(judge->pc_diff));
		rules_cpu_learn(step, code, judge->pc_diff);
	}
	if (kind == RST_KIND_MEM && rst_INSTR_ea_valid(p) && !rst_INSTR_an(p) &&
	    (judge->know & RST_KNOW_EA_DIFF)) {
		if (!(judge->know & RST_HELD_EA) && rst_pages_know(&step->judge->pages, data, &diff) &&
		    diff != judge->ea_diff)
			FIND(step->tell, PAVA_DATA,
			     "the page of ea_va 0x%llx has PA - VA 0x%llx, but the last "
			     "PAVADIFF with ea_valid says 0x%llx",
			     ULL(ea), ULL(diff), ULL(judge->ea_diff));
		rules_cpu_learn(step, data, judge->ea_diff);
	}
}

/* The context that instructions are fetched with: the nucleus's in a trap, else the
 * primary one. */
static void judge_icontext(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	if ((judge->know & (RST_KNOW_TL | RST_KNOW_ICTX)) != (RST_KNOW_TL | RST_KNOW_ICTX) ||
	    (judge->know & RST_TOLD_ICTX) || (!judge->tl && !(judge->know & RST_KNOW_PRIM)) ||
	    (step->judge->wide && rst_INSTR_hpriv(step->p)))
		return;
	unsigned want = judge->tl ? 0 : judge->prim;
	if (judge->icontext == want)
		return;
	judge->know |= RST_TOLD_ICTX;
	FIND(step->tell, PAVA_ICTX,
	     "the i context is 0x%x at trap level %u, but the last PAVADIFF says 0x%x", want, judge->tl,
	     judge->icontext);
}

/* The context of accesses without an ASI is the nucleus's in a trap, else the primary one.
 * What a PAVADIFF without ea_valid has in that field says nothing. */
static void judge_dcontext(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	unsigned kind = step->judge->kind[isa_sparc_key(rst_INSTR_instr(p))];
	if (kind != RST_KIND_MEM || !rst_INSTR_ea_valid(p) || rst_INSTR_an(p) ||
	    (judge->know & (RST_KNOW_TL | RST_KNOW_DCTX)) != (RST_KNOW_TL | RST_KNOW_DCTX) ||
	    (!judge->tl && !(judge->know & RST_KNOW_PRIM)) || (step->judge->wide && rst_INSTR_hpriv(p)))
		return;
	unsigned want = judge->tl ? 0 : judge->prim;
	if (judge->dcontext == want)
		return;
	judge->know &= ~(uint32_t)RST_KNOW_DCTX; /* report it once, until a PAVADIFF says it again */
	FIND(step->tell, PAVA_DCTX,
	     "the d context is 0x%x at trap level %u, but the last PAVADIFF with ea_valid says 0x%x",
	     want, judge->tl, judge->dcontext);
}

/* ---- INSTR ---- */

static void judge_mode(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	uint64_t pc = rst_INSTR_pc_va(p), ea = rst_INSTR_ea_valid(p) ? rst_INSTR_ea_va(p) : 0;
	bool pr = rst_INSTR_pr(p);
	if (step->judge->wide && rst_INSTR_hpriv(p))
		judge->pstate_known &= (uint16_t)~PSTATE_PRIV; /* means something else there */
	if ((judge->pstate_known & PSTATE_PRIV) && pr != !!(judge->pstate & PSTATE_PRIV) &&
	    !(judge->know & RST_TOLD_PRIV)) {
		judge->know |= RST_TOLD_PRIV;
		FIND(step->tell, PRIV_PSTATE, "pr is %d, but PSTATE.PRIV is %d", pr, !pr);
	}
	if ((judge->pstate_known & judge->pstate & PSTATE_AM) && (pc | ea) >> 32 &&
	    !(judge->know & RST_TOLD_AM)) {
		judge->know |= RST_TOLD_AM;
		FIND(step->tell, AM_ADDRESS, "PSTATE.AM is 1, but %s is 0x%llx",
		     pc >> 32 ? "pc_va" : "ea_va", ULL(pc >> 32 ? pc : ea));
	}
}

static void first_of_all(struct rst_step *step)
{
	struct rst_judge *judge = step->judge;
	uint64_t bit = UINT64_C(1) << (step->cpu & 63);
	if (!judge->begun)
		rst_rule_begun(judge, step->tell);
	rst_cpu_started(step);
	judge->ran[step->cpu / 64] |= bit;
	if (step->cpu >= MAX_INSTR_CPUID && !judge->told_max) {
		judge->told_max = true;
		FIND(step->tell, CPU_MAX, "CPU %u; MAX_INSTR_CPUID is 48", step->cpu);
	}
}

/* Judge how the PC goes on, where the walk could not. */
static void judge_flow(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	if (step->flags & RST_EV_KNOWN)
		return;
	if ((judge->know & RST_TOLD_NPC) && !(judge->flow.flags & RST_FLOW_PC) &&
	    judge->told_pc == rst_INSTR_pc_va(p)) {
		judge->flow.pc = judge->told_pc;
		judge->flow.npc = judge->told_npc;
		judge->flow.flags = RST_FLOW_PC | RST_FLOW_NPC;
	}
	if (!(step->flags & RST_EV_SET)) {
		unsigned kind = step->judge->kind[isa_sparc_key(rst_INSTR_instr(p))];
		rst_flow_judge(step->tell, &judge->flow, p,
		               judge->file && judge->file != step->judge->file);
		if (rst_INSTR_an(p))
			rst_rule_annulled(step->tell, p);
		else if (!rst_INSTR_tr(p))
			rst_rule_fields(step->tell, p, kind,
			                (judge->flow.flags & (RST_FLOW_PC | RST_FLOW_NPC)) ==
			                    (RST_FLOW_PC | RST_FLOW_NPC));
	}
	rst_flow_step(&judge->flow, p);
}

static void rules_cpu_instr(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	uint32_t enc = rst_INSTR_instr(p);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	bool exits = (flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY) && !rst_INSTR_an(p);
	bool exiting = exits && !(judge->trap == RST_T_SYNC && judge->trap_pc == rst_INSTR_pc_va(p));
	if (!exiting && rst_trap_waits(judge) && judge->know & RST_HELD_PREG) {
		check_add(step->tell->part, RST_RULE_TRAP_BETWEEN, &judge->preg_at,
		          "PREG between a TRAP and its INSTR");
		judge->know &= ~(uint32_t)RST_HELD_PREG;
	}
	if (!exiting)
		rst_settle_preg(step);
	rst_settle_exit(step);
	first_of_all(step);
	bool handler = judge->trap != RST_T_NONE;
	bool stopped = rst_trap_entrance(step);
	if (handler)
		judge->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	if (!stopped) {
		judge_flow(step);
		judge_mode(step);
		judge_icontext(step);
		judge_dcontext(step);
	}
	judge_pages(step);
	if (!stopped && !rst_INSTR_an(p)) {
		if (exiting)
			rst_trap_leave(step);
		else
			rst_watch(step);
	}
	judge->file = step->judge->file;
	judge->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_HELD_G7 |
	                           RST_HELD_SP | RST_LOST | RST_TOLD_NPC);
}

/* ---- the rest ---- */

static void tlb(struct rst_step *step)
{
	struct rst_judge *judge = step->judge;
	const uint8_t *p = step->p;
	int rc = rst_pages_tlb(&judge->pages, p, step->cpu);
	rst_rule_tlb_entry(judge, step->tell, p);
	if (!judge->begun) {
		judge->any_tlb = true;
		if (rc >= 0 &&
		    step->cpu_judge->tlb_entries < (judge->has_mmu ? judge->tlb_size : MOST_ENTRIES))
			rc = check_set_add(&judge->tlb, rst_tlb_entry(p, step->cpu));
		step->cpu_judge->tlb_entries += rc > 0;
	}
	if (rc < 0)
		judge->failed = rc;
}

static void memval(struct rst_step *step)
{
	const struct rst_judge *judge = step->judge;
	const uint8_t *p = step->p, *q = judge->prev;
	bool continues = rst_MEMVAL128_is128(p) && rst_MEMVAL128_is_cont(p);
	bool base = judge->prev_rec == judge->rec_base + step->tell->rec - 1 &&
	            q[0] == CAIRN_RST_MEMVAL && rst_MEMVAL128_is128(q) &&
	            judge->prev_cpu == (int)step->cpu;
	if (continues && !base && !(step->cpu_judge->know & RST_LOST))
		FIND(step->tell, MEMVAL_CONT,
		     "it continues another, but the record before is no MEMVAL of 128 bits of its CPU");
}

/* Where a filter has left instructions out since the last such count, the CPU goes on somewhere
 * else, in a state that is not known. */
static void recnum(struct rst_step *step)
{
	if (!rst_counts_insns(step->p) ||
	    !rst_counts_gap(step->p, &step->cpu_judge->left_out, &step->cpu_judge->count_level))
		return;
	if (step->cpu_judge->know & RST_STARTED)
		rst_judge_forget_cpu(step->cpu_judge);
}

void rst_rule_cpu(struct rst_judge *judge, struct rst_tell *tell, const uint8_t *p, unsigned flags)
{
	unsigned cpu = (unsigned)tell->cpu, type = p[0];
	struct rst_step step = {.judge = judge,
	                        .tell = tell,
	                        .cpu_judge = &judge->cpus[cpu],
	                        .p = p,
	                        .cpu = cpu,
	                        .flags = flags};
	struct rst_cpu_judge *cpu_judge = step.cpu_judge;
	if (flags & RST_EV_SEEN)
		cpu_judge->know =
			(cpu_judge->know & ~(uint32_t)RST_BEHIND) | (flags & RST_EV_BEHIND ? RST_BEHIND : 0);
	/* A handler may begin with done or retry, which needs its PREG (clause 4(f)): that shows with
	 * its INSTR. */
	bool preg = type == CAIRN_RST_PREG && cpu_judge->trap == RST_T_SYNC;
	if (rst_trap_waits(cpu_judge) &&
	    (preg || type == CAIRN_RST_TRAPEXIT || type == CAIRN_RST_MEMVAL)) {
		FIND(tell, TRAP_BETWEEN, "%s between a TRAP and its INSTR", cairn_rst_type_name(type));
		type = 0;
	}
	switch (type) {
	case CAIRN_RST_INSTR:
		rules_cpu_instr(&step);
		cpu_judge->know |= RST_BEHIND;
		return;
	case CAIRN_RST_TRAP:
		rst_trap(&step);
		break;
	case CAIRN_RST_TRAPEXIT:
		rst_trapexit(&step);
		break;
	case CAIRN_RST_PAVADIFF:
		pavadiff(&step);
		break;
	case CAIRN_RST_REGVAL:
		rst_regval(&step);
		break;
	case CAIRN_RST_PREG:
		rst_settle_preg(&step);
		memcpy(cpu_judge->preg, p, SIZE);
		cpu_judge->preg_at = rst_place(tell);
		cpu_judge->know |= RST_HELD_PREG | RST_SEEN_PREG;
		break;
	case CAIRN_RST_TLB:
		tlb(&step);
		break;
	case CAIRN_RST_MEMVAL:
		memval(&step);
		break;
	case CAIRN_RST_RECNUM:
		recnum(&step);
		break;
	default:
		break;
	}
	if (!rst_follows(p))
		cpu_judge->know &= ~(uint32_t)RST_BEHIND;
}

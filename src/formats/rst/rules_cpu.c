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

#include "formats/rst/rules_cpu.h"

enum { SIZE = CAIRN_RST_SIZE, MAX_INSTR_CPUID = 48, MOST_ENTRIES = 8192 };

/* The first INSTR or TRAP of a CPU. */
void rst_cpu_started(struct rst_step *s)
{
	struct rst_judge *j = s->j;
	struct rst_cpu_judge *c = s->c;
	const char *what = s->p[0] == CAIRN_RST_TRAP ? "TRAP" : "INSTR";
	if (c->know & RST_STARTED)
		return;
	c->know |= RST_STARTED;
	if (j->middle || s->cpu > j->max_cpu)
		return;
	if (!(c->know & RST_SEEN_PREG))
		FIND(s->t, FIRST_PREG,
		     "the first %s of CPU %u, but no PREG tells its trap level, PSTATE "
		     "and ASI",
		     what, s->cpu);
	if (!(c->know & RST_SEEN_PAVA))
		FIND(s->t, FIRST_PAVADIFF, "the first %s of CPU %u, but it has had no PAVADIFF", what,
		     s->cpu);
	if ((c->know & RST_KNOW_TL) && c->tl &&
	    (c->know & (RST_SEEN_TPC | RST_SEEN_TNPC)) != (RST_SEEN_TPC | RST_SEEN_TNPC))
		FIND(s->t, FIRST_TRAP_REGS, "CPU %u begins at trap level %u, but no REGVAL tells its %s",
		     s->cpu, c->tl, c->know & RST_SEEN_TPC ? "TNPC" : "TPC");
	if (j->any_tlb && c->tlb_entries < j->tlb_size)
		FIND(s->t, FIRST_TLB_ALL,
		     "%u entries of the TLBs of CPU %u are specified, of %u by mmutype", c->tlb_entries,
		     s->cpu, j->tlb_size);
}

/* ---- PAVADIFF and pages ---- */

static void pavadiff(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	bool ea_valid = p[1] >> 7;
	unsigned dcontext = base_be16(p + 6);
	uint64_t pc_diff = base_be64(p + 8), ea_diff = base_be64(p + 16);
	if (pc_diff & 0x1fff)
		FIND(s->t, PAVA_ALIGNED, "pc_pa_va is 0x%llx", ULL(pc_diff));
	else if (ea_valid && (ea_diff & 0x1fff))
		FIND(s->t, PAVA_ALIGNED, "ea_pa_va is 0x%llx", ULL(ea_diff));
	c->pc_diff = pc_diff;
	c->icontext = base_be16(p + 4);
	c->know |= RST_KNOW_ICTX | RST_KNOW_PC_DIFF | RST_SEEN_PAVA | RST_HELD_PAVA;
	c->know &= ~(uint32_t)RST_TOLD_ICTX;
	if (ea_valid) {
		c->ea_diff = ea_diff;
		c->dcontext = (uint16_t)dcontext;
		c->know |= RST_KNOW_DCTX | RST_KNOW_EA_DIFF | RST_HELD_EA;
	}
}

static void rules_cpu_learn(struct rst_step *s, struct rst_page page, uint64_t diff)
{
	int rc = rst_pages_learn(&s->j->pages, page, diff);
	if (rc < 0)
		s->j->failed = rc;
}

/* The pages of an INSTR and its access: the differences in force are theirs, or a
 * PAVADIFF is missing. */
static void judge_pages(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	uint64_t pc = base_be64(p + 8), ea = base_be64(p + 16), diff;
	unsigned kind = s->j->kind[isa_sparc_key(base_be32(p + 4))];
	struct rst_page code = {.va = pc, .cpu = s->cpu, .context = c->icontext};
	struct rst_page data = {.va = ea, .cpu = s->cpu, .context = c->dcontext, .data = true};
	if (c->know & RST_KNOW_PC_DIFF) {
		if (!(c->know & RST_HELD_PAVA) && rst_pages_know(&s->j->pages, code, &diff) &&
		    diff != c->pc_diff)
			FIND(s->t, PAVA_PAGE,
			     "the page of 0x%llx has PA - VA 0x%llx, but the last PAVADIFF "
			     "says 0x%llx",
			     ULL(pc), ULL(diff), ULL(c->pc_diff));
		rules_cpu_learn(s, code, c->pc_diff);
	}
	if (kind == RST_CARRIED_MEM && (p[1] & RST_I_EA_VALID) && !(p[1] & RST_I_AN) &&
	    (c->know & RST_KNOW_EA_DIFF)) {
		if (!(c->know & RST_HELD_EA) && rst_pages_know(&s->j->pages, data, &diff) &&
		    diff != c->ea_diff)
			FIND(s->t, PAVA_DATA,
			     "the page of ea_va 0x%llx has PA - VA 0x%llx, but the last "
			     "PAVADIFF with ea_valid says 0x%llx",
			     ULL(ea), ULL(diff), ULL(c->ea_diff));
		rules_cpu_learn(s, data, c->ea_diff);
	}
}

/* The context that instructions are fetched with: the nucleus's in a trap, else the
 * primary one. */
static void judge_icontext(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	if ((c->know & (RST_KNOW_TL | RST_KNOW_ICTX)) != (RST_KNOW_TL | RST_KNOW_ICTX) ||
	    (c->know & RST_TOLD_ICTX) || (!c->tl && !(c->know & RST_KNOW_PRIM)) ||
	    (s->j->wide && (s->p[1] & RST_I_HPRIV)))
		return;
	unsigned want = c->tl ? 0 : c->prim;
	if (c->icontext == want)
		return;
	c->know |= RST_TOLD_ICTX;
	FIND(s->t, PAVA_ICTX, "the i context is 0x%x at trap level %u, but the last PAVADIFF says 0x%x",
	     want, c->tl, c->icontext);
}

/* The context of accesses without an ASI is the nucleus's in a trap, else the primary one.
 * What a PAVADIFF without ea_valid has in that field says nothing. */
static void judge_dcontext(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	unsigned kind = s->j->kind[isa_sparc_key(base_be32(p + 4))];
	if (kind != RST_CARRIED_MEM || !(p[1] & RST_I_EA_VALID) || (p[1] & RST_I_AN) ||
	    (c->know & (RST_KNOW_TL | RST_KNOW_DCTX)) != (RST_KNOW_TL | RST_KNOW_DCTX) ||
	    (!c->tl && !(c->know & RST_KNOW_PRIM)) || (s->j->wide && (p[1] & RST_I_HPRIV)))
		return;
	unsigned want = c->tl ? 0 : c->prim;
	if (c->dcontext == want)
		return;
	c->know &= ~(uint32_t)RST_KNOW_DCTX; /* told once, until a PAVADIFF says it again */
	FIND(s->t, PAVA_DCTX,
	     "the d context is 0x%x at trap level %u, but the last PAVADIFF with "
	     "ea_valid says 0x%x",
	     want, c->tl, c->dcontext);
}

/* ---- INSTR ---- */

static void judge_mode(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	uint64_t pc = base_be64(p + 8), ea = p[1] & RST_I_EA_VALID ? base_be64(p + 16) : 0;
	bool pr = p[1] & RST_I_PR;
	if (s->j->wide && (p[1] & RST_I_HPRIV))
		c->pstate_known &= (uint16_t)~PSTATE_PRIV; /* means something else there */
	if ((c->pstate_known & PSTATE_PRIV) && pr != !!(c->pstate & PSTATE_PRIV) &&
	    !(c->know & RST_TOLD_PRIV)) {
		c->know |= RST_TOLD_PRIV;
		FIND(s->t, PRIV_PSTATE, "pr is %d, but PSTATE.PRIV is %d", pr, !pr);
	}
	if ((c->pstate_known & c->pstate & PSTATE_AM) && (pc | ea) >> 32 && !(c->know & RST_TOLD_AM)) {
		c->know |= RST_TOLD_AM;
		FIND(s->t, AM_ADDRESS, "PSTATE.AM is 1, but %s is 0x%llx", pc >> 32 ? "pc_va" : "ea_va",
		     ULL(pc >> 32 ? pc : ea));
	}
}

static void first_of_all(struct rst_step *s)
{
	struct rst_judge *j = s->j;
	uint64_t bit = UINT64_C(1) << (s->cpu & 63);
	if (!j->begun)
		rst_rule_begun(j, s->t);
	rst_cpu_started(s);
	j->ran[s->cpu / 64] |= bit;
	if (s->cpu >= MAX_INSTR_CPUID && !j->told_max) {
		j->told_max = true;
		FIND(s->t, CPU_MAX, "CPU %u; MAX_INSTR_CPUID is 48", s->cpu);
	}
}

/* How the PC goes on, where the walk could not tell. */
static void judge_flow(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	if (s->flags & RST_EV_KNOWN)
		return;
	if ((c->know & RST_TOLD_NPC) && !(c->flow.flags & RST_FLOW_PC) &&
	    c->told_pc == base_be64(p + 8)) {
		c->flow.pc = c->told_pc;
		c->flow.npc = c->told_npc;
		c->flow.flags = RST_FLOW_PC | RST_FLOW_NPC;
	}
	if (!(s->flags & RST_EV_SET)) {
		unsigned kind = s->j->kind[isa_sparc_key(base_be32(p + 4))];
		rst_flow_judge(s->t, &c->flow, p, c->file && c->file != s->j->file);
		if (p[1] & RST_I_AN)
			rst_rule_annulled(s->t, p);
		else if (!(p[1] & RST_I_TR))
			rst_rule_fields(s->t, p, kind,
			                (c->flow.flags & (RST_FLOW_PC | RST_FLOW_NPC)) ==
			                    (RST_FLOW_PC | RST_FLOW_NPC));
	}
	rst_flow_step(&c->flow, p);
}

static void rules_cpu_instr(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	uint32_t enc = base_be32(p + 4);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	bool exits = (flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY) && !(p[1] & RST_I_AN);
	bool exiting = exits && !(c->trap == RST_T_SYNC && c->trap_pc == base_be64(p + 8));
	if (!exiting && rst_trap_waits(c) && c->know & RST_HELD_PREG) {
		check_add(s->t->part, RST_RULE_TRAP_BETWEEN, &c->preg_at,
		          "PREG between a TRAP and its INSTR");
		c->know &= ~(uint32_t)RST_HELD_PREG;
	}
	if (!exiting)
		rst_settle_preg(s);
	rst_settle_exit(s);
	first_of_all(s);
	bool handler = c->trap != RST_T_NONE;
	bool stopped = rst_trap_entrance(s);
	if (handler)
		c->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	if (!stopped) {
		judge_flow(s);
		judge_mode(s);
		judge_icontext(s);
		judge_dcontext(s);
	}
	judge_pages(s);
	if (!stopped && !(p[1] & RST_I_AN)) {
		if (exiting)
			rst_trap_leave(s);
		else
			rst_watch(s);
	}
	c->file = s->j->file;
	c->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_HELD_G7 |
	                       RST_HELD_SP | RST_LOST | RST_TOLD_NPC);
}

/* ---- the rest ---- */

static void tlb(struct rst_step *s)
{
	struct rst_judge *j = s->j;
	const uint8_t *p = s->p;
	int rc = rst_pages_tlb(&j->pages, p, s->cpu);
	rst_rule_tlb_entry(j, s->t, p);
	if (!j->begun) {
		uint64_t entry = (uint64_t)s->cpu << 19 | (uint64_t)(p[1] >> 6 & 1) << 18 |
		                 (uint64_t)(p[4] >> 6) << 16 | base_be16(p + 2);
		j->any_tlb = true;
		if (rc >= 0 && s->c->tlb_entries < (j->has_mmu ? j->tlb_size : MOST_ENTRIES))
			rc = check_set_add(&j->tlb, entry);
		s->c->tlb_entries += rc > 0;
	}
	if (rc < 0)
		j->failed = rc;
}

static void memval(struct rst_step *s)
{
	const struct rst_judge *j = s->j;
	const uint8_t *p = s->p, *q = j->prev;
	bool continues = (p[1] >> 7) && (p[1] >> 5 & 1);
	bool base = j->prev_rec == j->rec_base + s->t->rec - 1 && q[0] == CAIRN_RST_MEMVAL &&
	            q[1] >> 7 && j->prev_cpu == (int)s->cpu;
	if (continues && !base && !(s->c->know & RST_LOST))
		FIND(s->t, MEMVAL_CONT,
		     "it continues another, but the record before is no MEMVAL of 128 "
		     "bits of its CPU");
}

/* Where a filter has left instructions out since the last such count, the CPU goes on
 * elsewhere, with a state of its own. */
static void recnum(struct rst_step *s)
{
	if (!rst_counts_insns(s->p) || !rst_counts_gap(s->p, &s->c->left_out, &s->c->count_level))
		return;
	if (s->c->know & RST_STARTED)
		rst_judge_forget_cpu(s->c);
}

void rst_rule_cpu(struct rst_judge *j, struct rst_tell *t, const uint8_t *p, unsigned flags)
{
	unsigned cpu = (unsigned)t->cpu, type = p[0];
	struct rst_step s = {.j = j, .t = t, .c = &j->cpus[cpu], .p = p, .cpu = cpu, .flags = flags};
	struct rst_cpu_judge *c = s.c;
	if (flags & RST_EV_SEEN)
		c->know = (c->know & ~(uint32_t)RST_BEHIND) | (flags & RST_EV_BEHIND ? RST_BEHIND : 0);
	/* A handler may begin with done or retry, which wants its PREG (clause 4(f)): that shows
	 * with its INSTR. */
	bool preg = type == CAIRN_RST_PREG && c->trap == RST_T_SYNC;
	if (rst_trap_waits(c) && (preg || type == CAIRN_RST_TRAPEXIT || type == CAIRN_RST_MEMVAL)) {
		FIND(t, TRAP_BETWEEN, "%s between a TRAP and its INSTR", cairn_rst_type_name(type));
		type = 0;
	}
	switch (type) {
	case CAIRN_RST_INSTR:
		rules_cpu_instr(&s);
		c->know |= RST_BEHIND;
		return;
	case CAIRN_RST_TRAP:
		rst_trap(&s);
		break;
	case CAIRN_RST_TRAPEXIT:
		rst_trapexit(&s);
		break;
	case CAIRN_RST_PAVADIFF:
		pavadiff(&s);
		break;
	case CAIRN_RST_REGVAL:
		rst_regval(&s);
		break;
	case CAIRN_RST_PREG:
		rst_settle_preg(&s);
		memcpy(c->preg, p, SIZE);
		c->preg_at = rst_place(t);
		c->know |= RST_HELD_PREG | RST_SEEN_PREG;
		break;
	case CAIRN_RST_TLB:
		tlb(&s);
		break;
	case CAIRN_RST_MEMVAL:
		memval(&s);
		break;
	case CAIRN_RST_RECNUM:
		recnum(&s);
		break;
	default:
		break;
	}
	if (!rst_follows(p))
		c->know &= ~(uint32_t)RST_BEHIND;
}

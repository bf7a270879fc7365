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

#include "formats/rst/rules.h"

enum { SIZE = CAIRN_RST_SIZE, MAXTL = 5, MAX_INSTR_CPUID = 48 };
enum { PSTATE_IE = 2, PSTATE_PRIV = 4, PSTATE_AM = 8 };

struct step {
	struct rst_judge *j;
	struct rst_tell *t;
	struct rst_cpu_judge *c;
	const uint8_t *p;
	unsigned cpu, flags;
};

static void advise(struct rst_advice *a, const struct check_place *at)
{
	if (a->count++ == 0)
		a->at = *at;
}

/* What the current trap level was entered with; NULL at level 0 or an unknown one. */
static struct rst_level *level_of(struct rst_cpu_judge *c)
{
	return (c->know & RST_KNOW_TL) && c->tl && c->tl < RST_LEVELS ? &c->level[c->tl] : NULL;
}

static bool waits(const struct rst_cpu_judge *c)
{
	return c->trap == RST_T_SYNC || c->trap == RST_T_ASYNC || c->trap == RST_T_ITLB;
}

static void set_pstate(struct rst_cpu_judge *c, unsigned value, unsigned known)
{
	c->pstate = (uint16_t)value;
	c->pstate_known = (uint16_t)known;
	c->know &= ~(uint32_t)(RST_TOLD_PRIV | RST_TOLD_AM);
}

static void set_tl(struct rst_cpu_judge *c, unsigned tl)
{
	c->tl = (uint8_t)tl;
	c->know |= RST_KNOW_TL;
}

/* ---- what the CPU's last records left open ---- */

static void judge_context(struct rst_cpu_judge *c, struct check_part *part, unsigned rule)
{
	const uint8_t *p = c->preg;
	unsigned prim = base_be16(p + 20), sec = base_be16(p + 22);
	if ((c->know & RST_KNOW_PRIM) && prim != c->prim)
		check_add(part, rule, &c->preg_at, "the primary context is 0x%x, but was 0x%x", prim,
		          c->prim);
	else if ((c->know & RST_KNOW_SEC) && sec != c->sec)
		check_add(part, rule, &c->preg_at, "the secondary context is 0x%x, but was 0x%x", sec,
		          c->sec);
	c->prim = (uint16_t)prim;
	c->sec = (uint16_t)sec;
	c->know |= RST_KNOW_PRIM | RST_KNOW_SEC;
}

/* No done or retry came behind a PREG: it has current values. */
static void settle_preg(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = c->preg;
	struct check_part *part = s->t->part;
	unsigned pstate = base_be16(p + 6);
	if (!(c->know & RST_HELD_PREG))
		return;
	c->know &= ~(uint32_t)RST_HELD_PREG;
	if ((c->know & RST_KNOW_TL) && c->tl != p[4])
		check_add(part, RST_RULE_LEVEL_CHANGE, &c->preg_at, "the trap level is %u, but was %u "
		          "without TRAP, done or retry since", p[4], c->tl);
	unsigned differ = (c->pstate ^ pstate) & c->pstate_known;
	if (differ)
		check_add(part, RST_RULE_PREG_CURRENT, &c->preg_at, "PSTATE is 0x%x, but was 0x%x", pstate,
		          c->pstate);
	if ((c->know & RST_KNOW_ASI) && c->asi != p[1])
		check_add(part, RST_RULE_PREG_CURRENT, &c->preg_at, "the ASI is 0x%x, but was 0x%x", p[1],
		          c->asi);
	judge_context(c, part, RST_RULE_PREG_CURRENT);
	set_tl(c, p[4]);
	set_pstate(c, pstate, 0xffff & ~differ);
	c->asi = p[1];
	c->know |= RST_KNOW_ASI;
}

/* The next INSTR or TRAP behind done or retry: what has followed is all. */
static void settle_exit(struct step *s)
{
	const uint32_t all = RST_LEFT_TL | RST_LEFT_TT | RST_LEFT_TPC | RST_LEFT_TNPC;
	struct rst_cpu_judge *c = s->c;
	if (!(c->know & RST_LEFT))
		return;
	if ((c->know & all) != all)
		advise(&s->j->after, &c->left_at);
	if (!(c->know & RST_LEFT_TRAPEXIT))
		advise(&s->j->trapexit, &c->left_at);
	c->know &= ~(uint32_t)(RST_LEFT | RST_LEFT_TRAPEXIT | all);
}

/* The first INSTR or TRAP of a CPU. */
static void started(struct step *s)
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
		FIND(s->t, FIRST_PREG, "the first %s of CPU %u, but no PREG tells its trap level, PSTATE "
		     "and ASI", what, s->cpu);
	if (!(c->know & RST_SEEN_PAVA))
		FIND(s->t, FIRST_PAVADIFF, "the first %s of CPU %u, but it has had no PAVADIFF", what,
		     s->cpu);
	if ((c->know & RST_KNOW_TL) && c->tl &&
	    (c->know & (RST_SEEN_TPC | RST_SEEN_TNPC)) != (RST_SEEN_TPC | RST_SEEN_TNPC))
		FIND(s->t, FIRST_TRAP_REGS, "CPU %u begins at trap level %u, but no REGVAL tells its %s",
		     s->cpu, c->tl, c->know & RST_SEEN_TPC ? "TNPC" : "TPC");
	if (j->any_tlb && c->tlb_entries < j->tlb_size)
		FIND(s->t, FIRST_TLB_ALL, "%u entries of the TLBs of CPU %u are specified, of %u by mmutype",
		     c->tlb_entries, s->cpu, j->tlb_size);
}

/* ---- PAVADIFF and pages ---- */

static void pavadiff(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	bool ea_valid = p[1] >> 7;
	unsigned dcontext = base_be16(p + 6);
	uint64_t pc_diff = base_be64(p + 8), ea_diff = base_be64(p + 16);
	if (!ea_valid && (c->know & RST_KNOW_DCTX) && dcontext != c->dcontext)
		FIND(s->t, PAVA_DCTX, "the d context changes from 0x%x to 0x%x with ea_valid 0",
		     c->dcontext, dcontext);
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

static void learn(struct step *s, struct rst_page page, uint64_t diff)
{
	int rc = rst_pages_learn(&s->j->pages, page, diff);
	if (rc < 0)
		s->j->failed = rc;
}

/* The pages of an INSTR and its access: the differences in force are theirs, or a
 * PAVADIFF is missing. */
static void judge_pages(struct step *s)
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
			FIND(s->t, PAVA_PAGE, "the page of 0x%llx has PA - VA 0x%llx, but the last PAVADIFF "
			     "says 0x%llx", ULL(pc), ULL(diff), ULL(c->pc_diff));
		learn(s, code, c->pc_diff);
	}
	if (kind == RST_K_MEM && (p[1] & RST_I_EA_VALID) && !(p[1] & RST_I_AN) &&
	    (c->know & RST_KNOW_EA_DIFF)) {
		if (!(c->know & RST_HELD_EA) && rst_pages_know(&s->j->pages, data, &diff) &&
		    diff != c->ea_diff)
			FIND(s->t, PAVA_DATA, "the page of ea_va 0x%llx has PA - VA 0x%llx, but the last "
			     "PAVADIFF with ea_valid says 0x%llx", ULL(ea), ULL(diff), ULL(c->ea_diff));
		learn(s, data, c->ea_diff);
	}
}

/* The context that instructions are fetched with: the nucleus's in a trap, else the
 * primary one. */
static void judge_icontext(struct step *s)
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

/* ---- trap entrance ---- */

static bool is_dtlb(unsigned tt)
{
	return tt == 0x30 || tt == 0x31 || (tt >= 0x68 && tt <= 0x6f);
}

static bool is_itlb(unsigned tt)
{
	return tt == 8 || tt == 9 || (tt >= 0x64 && tt <= 0x67);
}

/* Trap types that operating systems call themselves by: SunOS and Solaris, Linux. */
static bool is_syscall(unsigned tt)
{
	return tt == 0x100 || tt == 0x108 || tt == 0x110 || tt == 0x140 || tt == 0x16d;
}

static void judge_trap_type(struct step *s)
{
	const uint8_t *p = s->p;
	unsigned tt = base_be16(p + 2) & 0x3ff, syscall = base_be16(p + 6) & 0xfff;
	bool async = p[1] >> 7, interrupt = tt >= 0x41 && tt <= 0x4f;
	bool caused = (tt >= 0x10 && tt <= 0x28) || is_dtlb(tt) || (tt >= 0x64 && tt <= 0x67) ||
	              (tt >= 0x80 && tt <= 0x17f);
	if (tt == 0 || tt > 0x1ff)
		FIND(s->t, TRAP_TYPE, "the trap type is 0x%x", tt);
	else if (async && caused)
		FIND(s->t, TRAP_ASYNC, "a trap of type 0x%x, which an instruction causes, with async 1", tt);
	else if (!async && interrupt)
		FIND(s->t, TRAP_ASYNC, "an interrupt (type 0x%x) with async 0", tt);
	if (syscall && (tt < 0x100 || tt > 0x17f))
		FIND(s->t, TRAP_SYSCALL, "the system call number is %u, but the type 0x%x is no system "
		     "call's", syscall, tt);
	else if (!syscall && is_syscall(tt))
		FIND(s->t, TRAP_SYSCALL_NR, "a system call (type 0x%x) without number", tt);
}

/* TRAP says where the CPU stands. */
static void judge_trap_pc(struct step *s)
{
	const struct rst_flow *f = &s->c->flow;
	uint64_t pc = base_be64(s->p + 8), npc = base_be64(s->p + 16);
	if (!(f->flags & RST_FLOW_PC) || (f->flags & RST_FLOW_ANNUL))
		return;
	uint64_t next = f->flags & RST_FLOW_SEQ ? f->pc + 4 : f->npc;
	if (pc != f->pc && s->c->file != s->j->file)
		FIND(s->t, PARTS_DROPPED, "the CPU goes on at 0x%llx; the file before ends where 0x%llx "
		     "follows", ULL(pc), ULL(f->pc));
	else if (pc != f->pc)
		FIND(s->t, TRAP_PC, "the pc is 0x%llx; the CPU stands at 0x%llx", ULL(pc), ULL(f->pc));
	else if ((f->flags & (RST_FLOW_SEQ | RST_FLOW_NPC)) && npc != next)
		FIND(s->t, TRAP_NPC, "the npc is 0x%llx; behind 0x%llx the CPU goes to 0x%llx", ULL(npc),
		     ULL(pc), ULL(next));
}

static void enter(struct step *s, bool pstate_known)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	unsigned tl = p[1] & 15, tt = base_be16(p + 2) & 0x3ff;
	bool annulled = (c->flow.flags & RST_FLOW_ANNUL) && c->flow.pc == base_be64(p + 8);
	c->level[tl + 1] = (struct rst_level){
		.pc = base_be64(p + 8), .npc = base_be64(p + 16), .tt = (uint16_t)tt,
		.pstate = base_be16(p + 4),
		.known = RST_L_PC_ | RST_L_NPC_ | RST_L_TT_ | (pstate_known ? RST_L_PSTATE_ : 0u) |
		         (annulled ? RST_L_ANNUL_ : 0u)};
	set_tl(c, tl + 1);
	set_pstate(c, PSTATE_PRIV, PSTATE_PRIV | PSTATE_AM | PSTATE_IE);
	c->trap = p[1] >> 7 ? RST_T_ASYNC : is_itlb(tt) ? RST_T_ITLB : RST_T_SYNC;
	c->trap_pc = base_be64(p + 8);
	c->trap_npc = base_be64(p + 16);
	c->trap_tt = (uint16_t)tt;
	c->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	c->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_TOLD_ICTX);
}

static void trap(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	unsigned tl = p[1] & 15, pstate = base_be16(p + 4);
	settle_preg(s);
	settle_exit(s);
	started(s);
	if (waits(c))
		FIND(s->t, TRAP_INSTR, "a TRAP behind a TRAP that no INSTR has followed");
	else
		judge_trap_pc(s);
	if ((c->know & RST_KNOW_TL) && c->tl != tl)
		FIND(s->t, TRAP_TL, "tl is %u; the trap level before is %u", tl, c->tl);
	if (tl >= MAXTL)
		FIND(s->t, TRAP_MAXTL, "a trap at level %u", tl);
	bool wrong = (c->pstate ^ pstate) & c->pstate_known;
	if (wrong)
		FIND(s->t, TRAP_PSTATE, "pstate is 0x%x; PSTATE before the trap is 0x%x%s", pstate,
		     c->pstate, c->pstate_known == 0xffff ? "" : " as far as known");
	if ((pstate & PSTATE_AM) && (base_be64(p + 8) | base_be64(p + 16)) >> 32)
		FIND(s->t, AM_ADDRESS, "pstate has AM, but pc is 0x%llx and npc 0x%llx",
		     ULL(base_be64(p + 8)), ULL(base_be64(p + 16)));
	judge_trap_type(s);
	enter(s, !wrong);
}

/* The INSTR behind a synchronous TRAP, of the PC that trapped. */
static void judge_stopped(struct step *s)
{
	const struct rst_cpu_judge *c = s->c;
	unsigned bits = s->p[1], tt = c->trap_tt;
	bool dtlb = is_dtlb(tt);
	if (!(bits & RST_I_TR) && dtlb)
		FIND(s->t, DTLB_TR, "the instruction misses in a DTLB (trap 0x%x), but tr is 0", tt);
	else if (!(bits & RST_I_TR))
		FIND(s->t, SYNC_TR, "the instruction traps (0x%x), but tr is 0", tt);
	if (!(bits & RST_I_BT))
		FIND(s->t, SYNC_BT, "the instruction traps (0x%x), but bt is 0", tt);
	if (dtlb && (bits & RST_I_EA_VALID))
		FIND(s->t, DTLB_EA, "the instruction misses in a DTLB (trap 0x%x), but ea_valid is 1", tt);
	else if (!dtlb && !(bits & RST_I_EA_VALID))
		FIND(s->t, SYNC_EA, "the instruction traps (0x%x), but ea_valid is 0", tt);
	if (dtlb && !(c->know & RST_HELD_REGVAL))
		FIND(s->t, DTLB_REGVAL, "no REGVAL between TRAP 0x%x and this tells the address", tt);
}

/* The INSTR behind another one: the first of a handler. */
static void judge_first(struct step *s)
{
	const struct rst_cpu_judge *c = s->c;
	bool itlb = c->trap == RST_T_ITLB, again = base_be64(s->p + 8) == c->trap_pc;
	if (!(s->p[1] & RST_I_TR) && itlb)
		FIND(s->t, ITLB_TR, "the handler of an ITLB miss begins here, but tr is 0");
	else if (!(s->p[1] & RST_I_TR))
		FIND(s->t, ASYNC_TR, "the handler of an interrupt begins here, but tr is 0");
	if (again && itlb)
		FIND(s->t, ITLB_PC, "an INSTR of the missed fetch behind the TRAP");
	else if (again)
		FIND(s->t, ASYNC_PC, "the interrupted instruction behind the TRAP");
	if (itlb && !(c->know & RST_HELD_PAVA))
		FIND(s->t, ITLB_PAVADIFF, "no PAVADIFF between the TRAP and this");
}

/* The program goes on where a trap stopped it: who handled that is not in the trace. */
static void unhandled(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	struct rst_level *l = level_of(c);
	if (!l)
		return;
	FIND(s->t, LEVEL_CHANGE, "the program goes on behind trap 0x%x, without done or retry",
	     c->trap_tt);
	set_pstate(c, l->pstate, l->known & RST_L_PSTATE_ ? 0xffff : 0);
	set_tl(c, c->tl - 1u);
	l->known = 0;
}

/* Returns whether the INSTR was stopped by its trap. */
static bool judge_entrance(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	uint64_t pc = base_be64(s->p + 8);
	unsigned was = c->trap;
	c->trap = RST_T_NONE;
	switch (was) {
	case RST_T_SYNC:
		if (pc == c->trap_pc) {
			judge_stopped(s);
			c->trap = RST_T_STOPPED;
			return true;
		}
		FIND(s->t, SYNC_PC, "a synchronous TRAP at 0x%llx, but the INSTR behind it is at 0x%llx",
		     ULL(c->trap_pc), ULL(pc));
		return false;
	case RST_T_ASYNC:
	case RST_T_ITLB:
		c->trap = (uint8_t)was;
		judge_first(s);
		c->trap = RST_T_NONE;
		return false;
	case RST_T_STOPPED: /* tr may say that a handler begins */
		if ((pc == c->trap_npc || pc == c->trap_pc) && !(s->p[1] & (RST_I_PR | RST_I_HPRIV)))
			unhandled(s);
		return false;
	default:
		if (s->p[1] & RST_I_TR)
			FIND(s->t, TR_STRAY, "tr is 1, but there is no TRAP");
		return false;
	}
}

/* ---- trap exit ---- */

static void judge_exit_preg(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = c->preg;
	struct check_part *part = s->t->part;
	const struct rst_level *l = level_of(c);
	unsigned pstate = base_be16(p + 6);
	if ((c->know & RST_KNOW_TL) && c->tl != p[4] && c->tl)
		check_add(part, RST_RULE_EXIT_TL, &c->preg_at, "traplevel is %u; the trap level before "
		          "%s is %u", p[4], "done or retry", c->tl);
	if (l && (l->known & RST_L_TT_) && (l->tt & 0xff) != p[5])
		check_add(part, RST_RULE_EXIT_TT, &c->preg_at, "traptype is 0x%x; the trap being left is "
		          "0x%x", p[5], l->tt);
	if (l && (l->known & RST_L_PSTATE_) && l->pstate != pstate)
		check_add(part, RST_RULE_EXIT_PSTATE, &c->preg_at, "pstate is 0x%x; before the trap it was "
		          "0x%x", pstate, l->pstate);
	if (p[1] == 0)
		check_add(part, RST_RULE_EXIT_ASI, &c->preg_at, "asiReg is 0");
	judge_context(c, part, RST_RULE_EXIT_CONTEXT);
	if (!(c->know & RST_KNOW_TL))
		set_tl(c, p[4]);
	c->asi = p[1];
	c->know |= RST_KNOW_ASI;
}

/* Where done or retry goes. */
static void leave_to(struct step *s, const struct rst_level *l)
{
	struct rst_flow *f = &s->c->flow;
	bool retry = base_be32(s->p + 4) >> 25 & 1;
	uint64_t ea = base_be64(s->p + 16);
	bool ea_known = (s->p[1] & RST_I_EA_VALID) && !rst_bad_address(ea);
	bool known = l && (l->known & (retry ? RST_L_PC_ : RST_L_NPC_));
	uint64_t to = !known ? ea : retry ? l->pc : l->npc;
	f->flags = 0;
	if (known && ea_known && ea != to) {
		FIND(s->t, EA_TARGET, "ea_va is 0x%llx; %s goes to 0x%llx", ULL(ea),
		     retry ? "retry" : "done", ULL(to));
		return;
	}
	if (!known && !ea_known)
		return;
	f->pc = to;
	f->flags = RST_FLOW_PC | RST_FLOW_PAST;
	if (!retry)
		f->flags |= RST_FLOW_SEQ;
	else if (l && (l->known & RST_L_NPC_)) {
		f->npc = l->npc;
		f->flags |= RST_FLOW_NPC | (l->known & RST_L_ANNUL_ ? RST_FLOW_ANNUL : 0u);
	}
}

static void leave(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint32_t both = RST_HELD_G7 | RST_HELD_SP;
	bool preg = c->know & RST_HELD_PREG;
	if (preg)
		judge_exit_preg(s);
	else
		FIND(s->t, EXIT_PREG, "done or retry, but the CPU's last record is no PREG");
	c->left_at = rst_place(s->t);
	if ((c->know & both) != both)
		advise(&s->j->before, &c->left_at);
	struct rst_level *l = level_of(c);
	leave_to(s, l);
	if (preg)
		set_pstate(c, base_be16(c->preg + 6), 0xffff);
	else
		set_pstate(c, l ? l->pstate : 0, l && (l->known & RST_L_PSTATE_) ? 0xffff : 0);
	if (l)
		l->known = 0;
	if ((c->know & RST_KNOW_TL) && c->tl)
		c->tl--;
	else if (c->know & RST_KNOW_TL)
		FIND(s->t, EXIT_TL, "done or retry at trap level 0");
	c->know |= RST_LEFT;
	c->know &= ~(uint32_t)(RST_HELD_PREG | RST_TOLD_ICTX);
}

static void trapexit(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	settle_preg(s);
	if (!(c->know & RST_LEFT))
		FIND(s->t, TRAPEXIT_TRIGGER, "a TRAPEXIT, but the CPU's last instruction is neither done "
		     "nor retry");
	else if ((c->know & RST_KNOW_TL) && s->p[1] != c->tl)
		FIND(s->t, TRAPEXIT_TL, "tl is %u; the trap level after done or retry is %u", s->p[1],
		     c->tl);
	c->know |= c->know & RST_LEFT ? RST_LEFT_TRAPEXIT : 0;
}

/* ---- instructions that write what is followed ---- */

static void write_privileged(struct step *s, unsigned rd, bool known, unsigned value)
{
	struct rst_cpu_judge *c = s->c;
	struct rst_level *l = level_of(c);
	static const uint8_t saved[] = {RST_L_PC_, RST_L_NPC_, RST_L_PSTATE_, RST_L_TT_};
	if (rd < 4 && l)
		l->known &= ~(uint32_t)(saved[rd] | (rd < 2 ? RST_L_ANNUL_ : 0));
	else if (rd < 4) /* of which level? */
		for (unsigned i = 0; i < RST_LEVELS; i++)
			c->level[i].known = 0;
	else if (rd == ISA_SPARC_PSTATE)
		set_pstate(c, value, known ? 0xffff : 0);
	else if (rd == ISA_SPARC_TL && known)
		set_tl(c, value & 7);
	else if (rd == ISA_SPARC_TL)
		c->know &= ~(uint32_t)RST_KNOW_TL;
}

static void writes(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	uint32_t enc = base_be32(s->p + 4);
	unsigned rd = enc >> 25 & 31, op3 = enc >> 19 & 63, asi = enc >> 5 & 0xff;
	bool immediate = enc >> 13 & 1, known = immediate && !(enc >> 14 & 31);
	unsigned value = enc & 0xfff; /* of what matters here, no bit is above */
	if (enc >> 30 == 2 && op3 == 0x32) {
		write_privileged(s, rd, known, value);
	} else if (enc >> 30 == 2 && op3 == 0x30 && rd == 3) {
		c->asi = (uint8_t)value;
		c->know = (c->know & ~(uint32_t)RST_KNOW_ASI) | (known ? RST_KNOW_ASI : 0);
	} else if (enc >> 30 == 3 && (op3 & 0x14) == 0x14 &&
	           (immediate || asi == 0x21 || asi == 0x50 || asi == 0x58)) {
		c->know &= ~(uint32_t)(RST_KNOW_PRIM | RST_KNOW_SEC); /* the MMU's registers */
	}
}

/* ---- INSTR ---- */

static void judge_mode(struct step *s)
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

static void first_of_all(struct step *s)
{
	struct rst_judge *j = s->j;
	uint64_t bit = UINT64_C(1) << (s->cpu & 63);
	if (!j->begun)
		rst_rule_begun(j, s->t);
	started(s);
	j->ran[s->cpu / 64] |= bit;
	if (s->cpu >= MAX_INSTR_CPUID && !j->told_max) {
		j->told_max = true;
		FIND(s->t, CPU_MAX, "CPU %u; MAX_INSTR_CPUID is 48", s->cpu);
	}
}

/* How the PC goes on, where the walk could not tell. */
static void judge_flow(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	if (s->flags & RST_EV_KNOWN)
		return;
	if (!(s->flags & RST_EV_SET)) {
		unsigned kind = s->j->kind[isa_sparc_key(base_be32(p + 4))];
		rst_flow_judge(s->t, &c->flow, p, c->file && c->file != s->j->file);
		if (p[1] & RST_I_AN)
			rst_rule_annulled(s->t, p);
		else if (!(p[1] & RST_I_TR))
			rst_rule_fields(s->t, p, kind, (c->flow.flags & (RST_FLOW_PC | RST_FLOW_NPC)) ==
			                               (RST_FLOW_PC | RST_FLOW_NPC));
	}
	rst_flow_step(&c->flow, p);
}

static void instr(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	uint32_t enc = base_be32(p + 4);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	bool exits = (flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY) && !(p[1] & RST_I_AN);
	bool exiting = exits && !(c->trap == RST_T_SYNC && c->trap_pc == base_be64(p + 8));
	if (!exiting)
		settle_preg(s);
	settle_exit(s);
	first_of_all(s);
	bool handler = c->trap != RST_T_NONE;
	bool stopped = judge_entrance(s);
	if (handler)
		c->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	if (!stopped) {
		judge_flow(s);
		judge_mode(s);
		judge_icontext(s);
	}
	judge_pages(s);
	if (!stopped && !(p[1] & RST_I_AN)) {
		if (exiting)
			leave(s);
		else
			writes(s);
	}
	c->file = s->j->file;
	c->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_HELD_G7 |
	                       RST_HELD_SP);
}

/* ---- REGVAL ---- */

static void saved_value(struct step *s, struct rst_level *l, unsigned what, uint64_t value)
{
	static const char *const names[] = {"TPC", "TNPC", "TSTATE", "TT"};
	static const uint8_t flags[] = {RST_L_PC_, RST_L_NPC_, RST_L_PSTATE_, RST_L_TT_};
	unsigned pstate = (unsigned)(value >> 8) & 0xfff;
	uint64_t had = what == 0 ? l->pc : what == 1 ? l->npc : what == 2 ? l->pstate : l->tt & 0xffu;
	uint64_t has = what == 2 ? pstate : what == 3 ? value & 0xff : value;
	if ((l->known & flags[what]) && had != has)
		FIND(s->t, REGVAL_CURRENT, "%s%s is 0x%llx, but was 0x%llx", names[what],
		     what == 2 ? "'s PSTATE" : "", ULL(has), ULL(had));
	if (what == 0)
		l->pc = value;
	else if (what == 1)
		l->npc = value;
	else if (what == 2)
		l->pstate = (uint16_t)pstate;
	else
		l->tt = (uint16_t)value;
	l->known |= flags[what];
	s->c->know |= what == 0 ? RST_SEEN_TPC : what == 1 ? RST_SEEN_TNPC : 0;
}

static void privileged_value(struct step *s, unsigned id, uint64_t value)
{
	struct rst_cpu_judge *c = s->c;
	struct rst_level *l = level_of(c);
	static const uint32_t left[] = {RST_LEFT_TPC, RST_LEFT_TNPC, 0, RST_LEFT_TT};
	if (id < 4) {
		c->know |= c->know & RST_LEFT ? left[id] : 0;
		if (l)
			saved_value(s, l, id, value);
	} else if (id == ISA_SPARC_TL) {
		c->know |= c->know & RST_LEFT ? RST_LEFT_TL : 0;
		if ((c->know & RST_KNOW_TL) && c->tl != value)
			FIND(s->t, LEVEL_CHANGE, "TL is %llu, but was %u without TRAP, done or retry since",
			     ULL(value), c->tl);
		set_tl(c, value < 255 ? (unsigned)value : 255);
	} else if (id == ISA_SPARC_PSTATE) {
		unsigned differ = (c->pstate ^ (unsigned)value) & c->pstate_known;
		if (differ) /* one of them is wrong: these bits are unknown */
			FIND(s->t, REGVAL_CURRENT, "PSTATE is 0x%llx, but was 0x%x", ULL(value), c->pstate);
		set_pstate(c, (unsigned)value & 0xffff, 0xffff & ~differ);
	} else if (id >= 64 && id < 96 && (id & 7)) {
		saved_value(s, &c->level[id & 7], id >> 3 & 3, value);
	}
}

static void value(struct step *s, unsigned type, unsigned id, uint64_t v)
{
	struct rst_cpu_judge *c = s->c;
	if (type == RST_R_INT && id == 7)
		c->know |= RST_HELD_G7;
	else if (type == RST_R_INT && id == 14)
		c->know |= RST_HELD_SP;
	else if (type == RST_R_PRIV)
		privileged_value(s, id, v);
	else if (type == RST_R_OTHER && id == 3) {
		if ((c->know & RST_KNOW_ASI) && c->asi != v)
			FIND(s->t, REGVAL_CURRENT, "the ASI is 0x%llx, but was 0x%x", ULL(v), c->asi);
		c->asi = (uint8_t)v;
		c->know |= RST_KNOW_ASI;
	} else if (type == RST_R_MMU && (id == 8 || id == 16)) {
		unsigned had = id == 8 ? c->prim : c->sec, flag = id == 8 ? RST_KNOW_PRIM : RST_KNOW_SEC;
		if ((c->know & flag) && had != v)
			FIND(s->t, REGVAL_CURRENT, "the %s context is 0x%llx, but was 0x%x",
			     id == 8 ? "primary" : "secondary", ULL(v), had);
		if (id == 8)
			c->prim = (uint16_t)v;
		else
			c->sec = (uint16_t)v;
		c->know |= flag;
	}
}

static void regval(struct step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	if (waits(c)) { /* the trap has begun or not: the values are of either */
		c->know |= RST_HELD_REGVAL;
		return;
	}
	settle_preg(s);
	bool post = (p[1] >> 7) && !s->j->no_post;
	if (post && !(c->know & RST_BEHIND))
		FIND(s->t, REGVAL_POST, "postInstr is 1, but the record stands behind no instruction of "
		     "its CPU");
	for (unsigned i = 0; i < 2; i++)
		if (!post || p[2 + i] != RST_R_INT)
			value(s, p[2 + i], p[4 + i], base_be64(p + 8 + 8 * i));
}

/* ---- the rest ---- */

static void tlb(struct step *s)
{
	struct rst_judge *j = s->j;
	const uint8_t *p = s->p;
	int rc = rst_pages_tlb(&j->pages, p, s->cpu);
	if (!j->begun) {
		uint64_t entry = (uint64_t)s->cpu << 19 | (uint64_t)(p[1] >> 6 & 1) << 18 |
		                 (uint64_t)(p[4] >> 6) << 16 | base_be16(p + 2);
		j->any_tlb = true;
		if (rc >= 0 && s->c->tlb_entries < j->tlb_size)
			rc = check_set_add(&j->tlb, entry);
		s->c->tlb_entries += rc > 0;
	}
	if (rc < 0)
		j->failed = rc;
}

static void memval(struct step *s)
{
	const struct rst_judge *j = s->j;
	const uint8_t *p = s->p, *q = j->prev;
	bool continues = (p[1] >> 7) && (p[1] >> 5 & 1);
	bool base = j->prev_rec == j->rec_base + s->t->rec - 1 && q[0] == CAIRN_RST_MEMVAL &&
	            q[1] >> 7 && j->prev_cpu == (int)s->cpu;
	if (continues && !base)
		FIND(s->t, MEMVAL_CONT, "it continues another, but the record before is no MEMVAL of 128 "
		     "bits of its CPU");
}

void rst_rule_cpu(struct rst_judge *j, struct rst_tell *t, const uint8_t *p, unsigned flags)
{
	unsigned cpu = (unsigned)t->cpu, type = p[0];
	struct step s = {.j = j, .t = t, .c = &j->cpus[cpu], .p = p, .cpu = cpu, .flags = flags};
	struct rst_cpu_judge *c = s.c;
	if (flags & RST_EV_SEEN)
		c->know = (c->know & ~(uint32_t)RST_BEHIND) | (flags & RST_EV_BEHIND ? RST_BEHIND : 0);
	if (waits(c) && (type == CAIRN_RST_PREG || type == CAIRN_RST_TRAPEXIT ||
	                 type == CAIRN_RST_MEMVAL)) {
		FIND(t, TRAP_BETWEEN, "%s between a TRAP and its INSTR", cairn_rst_type_name(type));
		type = 0;
	}
	switch (type) {
	case CAIRN_RST_INSTR:
		instr(&s);
		c->know |= RST_BEHIND;
		return;
	case CAIRN_RST_TRAP:
		trap(&s);
		break;
	case CAIRN_RST_TRAPEXIT:
		trapexit(&s);
		break;
	case CAIRN_RST_PAVADIFF:
		pavadiff(&s);
		break;
	case CAIRN_RST_REGVAL:
		regval(&s);
		break;
	case CAIRN_RST_PREG:
		settle_preg(&s);
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
	default:
		break;
	}
	if (!rst_follows(p))
		c->know &= ~(uint32_t)RST_BEHIND;
}

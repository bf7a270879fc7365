/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps: TRAP and the INSTR behind it, done and retry with what stands before and
 * behind them.
 *
 * What a trap saves is kept for its level, so that a return is judged by the trap it
 * leaves: where it goes, also back into a delay slot, and PSTATE.
 */
#include "formats/rst/rules_cpu.h"

enum { MAXTL = 5 };

/* ---- trap entrance ---- */

/* Trap types that operating systems call themselves by: SunOS and Solaris, Linux. */
static bool is_syscall(unsigned tt)
{
	return tt == 0x100 || tt == 0x108 || tt == 0x110 || tt == 0x140 || tt == 0x16d;
}

static void judge_trap_type(struct rst_step *s)
{
	const uint8_t *p = s->p;
	unsigned tt = base_be16(p + 2) & 0x3ff, syscall = base_be16(p + 6) & 0xfff;
	bool async = p[1] >> 7, interrupt = tt >= 0x41 && tt <= 0x4f;
	bool caused = (tt >= 0x10 && tt <= 0x28) || rst_misses_dtlb(tt) || (tt >= 0x64 && tt <= 0x67) ||
	              (tt >= 0x80 && tt <= 0x17f);
	if (tt == 0 || tt > 0x1ff)
		FIND(s->t, TRAP_TYPE, "the trap type is 0x%x", tt);
	else if (async && caused)
		FIND(s->t, TRAP_ASYNC, "a trap of type 0x%x, which an instruction causes, with async 1",
		     tt);
	else if (!async && interrupt)
		FIND(s->t, TRAP_ASYNC, "an interrupt (type 0x%x) with async 0", tt);
	if (syscall && (tt < 0x100 || tt > 0x17f))
		FIND(s->t, TRAP_SYSCALL,
		     "the system call number is %u, but the type 0x%x is no system "
		     "call's",
		     syscall, tt);
	else if (!syscall && is_syscall(tt))
		FIND(s->t, TRAP_SYSCALL_NR, "a system call (type 0x%x) without number", tt);
}

/* TRAP says where the CPU stands. */
static void judge_trap_pc(struct rst_step *s)
{
	const struct rst_flow *f = &s->c->flow;
	uint64_t pc = base_be64(s->p + 8), npc = base_be64(s->p + 16);
	if (!(f->flags & RST_FLOW_PC) || (f->flags & RST_FLOW_ANNUL))
		return;
	uint64_t next = f->flags & RST_FLOW_SEQ ? f->pc + 4 : f->npc;
	if (pc != f->pc && s->c->file != s->j->file)
		FIND(s->t, PARTS_DROPPED,
		     "the CPU goes on at 0x%llx; the file before ends where 0x%llx "
		     "follows",
		     ULL(pc), ULL(f->pc));
	else if (pc != f->pc)
		FIND(s->t, TRAP_PC, "the pc is 0x%llx; the CPU stands at 0x%llx", ULL(pc), ULL(f->pc));
	else if ((f->flags & (RST_FLOW_SEQ | RST_FLOW_NPC)) && npc != next)
		FIND(s->t, TRAP_NPC, "the npc is 0x%llx; behind 0x%llx the CPU goes to 0x%llx", ULL(npc),
		     ULL(pc), ULL(next));
}

static void rules_trap_enter(struct rst_step *s, bool pstate_known)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	unsigned tl = p[1] & 15, tt = base_be16(p + 2) & 0x3ff;
	bool annulled = (c->flow.flags & RST_FLOW_ANNUL) && c->flow.pc == base_be64(p + 8);
	c->level[tl + 1] = (struct rst_level){.pc = base_be64(p + 8),
	                                      .npc = base_be64(p + 16),
	                                      .tt = (uint16_t)tt,
	                                      .pstate = base_be16(p + 4),
	                                      .known = RST_SAVED_PC | RST_SAVED_NPC | RST_SAVED_TT |
	                                               (pstate_known ? RST_SAVED_PSTATE : 0u) |
	                                               (annulled ? RST_SAVED_ANNUL : 0u)};
	rst_set_tl(c, tl + 1);
	rst_set_pstate(c, PSTATE_PRIV, PSTATE_PRIV | PSTATE_AM | PSTATE_IE);
	c->trap = p[1] >> 7 ? RST_T_ASYNC : rst_misses_itlb(tt) ? RST_T_ITLB : RST_T_SYNC;
	c->trap_pc = base_be64(p + 8);
	c->trap_npc = base_be64(p + 16);
	c->trap_tt = (uint16_t)tt;
	c->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	c->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_TOLD_ICTX);
}

void rst_trap(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	unsigned tl = p[1] & 15, pstate = base_be16(p + 4);
	rst_settle_preg(s);
	rst_settle_exit(s);
	rst_cpu_started(s);
	if (rst_trap_waits(c))
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
	rules_trap_enter(s, !wrong);
}

/* The INSTR behind a synchronous TRAP, of the PC that trapped. */
static void judge_stopped(struct rst_step *s)
{
	const struct rst_cpu_judge *c = s->c;
	unsigned bits = s->p[1], tt = c->trap_tt;
	bool dtlb = rst_misses_dtlb(tt);
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
static void judge_first(struct rst_step *s)
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

/* The program goes on: who handled its trap is not in the trace. A handler is never a user's. */
static void unhandled(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	struct rst_level *l = rst_level_of(c);
	if (!l)
		return;
	FIND(s->t, LEVEL_CHANGE, "the program goes on behind trap 0x%x, without done or retry",
	     c->trap_tt);
	rst_set_pstate(c, l->pstate, l->known & RST_SAVED_PSTATE ? 0xffff : 0);
	rst_set_tl(c, c->tl - 1u);
	l->known = 0;
}

/* Returns whether the INSTR was stopped by its trap. */
bool rst_trap_entrance(struct rst_step *s)
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
		if (!(s->p[1] & (RST_I_PR | RST_I_HPRIV)))
			unhandled(s);
		return false;
	default:
		if ((s->p[1] & RST_I_TR) && !(c->know & RST_LOST))
			FIND(s->t, TR_STRAY, "tr is 1, but there is no TRAP");
		return false;
	}
}

/* ---- trap exit ---- */

/* The next INSTR or TRAP behind done or retry: what has followed is all. */
void rst_settle_exit(struct rst_step *s)
{
	const uint32_t all = RST_LEFT_TL | RST_LEFT_TT | RST_LEFT_TPC | RST_LEFT_TNPC;
	struct rst_cpu_judge *c = s->c;
	if (!(c->know & RST_LEFT))
		return;
	if ((c->know & all) != all)
		rst_advise(&s->j->after, &c->left_at);
	if (!(c->know & RST_LEFT_TRAPEXIT))
		rst_advise(&s->j->trapexit, &c->left_at);
	c->know &= ~(uint32_t)(RST_LEFT | RST_LEFT_TRAPEXIT | all);
}

static void judge_exit_preg(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = c->preg;
	struct check_part *part = s->t->part;
	const struct rst_level *l = rst_level_of(c);
	unsigned pstate = base_be16(p + 6);
	if ((c->know & RST_KNOW_TL) && c->tl != p[4] && c->tl)
		check_add(part, RST_RULE_EXIT_TL, &c->preg_at,
		          "traplevel is %u; the trap level before "
		          "%s is %u",
		          p[4], "done or retry", c->tl);
	if (l && (l->known & RST_SAVED_TT) && (l->tt & 0xff) != p[5])
		check_add(part, RST_RULE_EXIT_TT, &c->preg_at,
		          "traptype is 0x%x; the trap being left is "
		          "0x%x",
		          p[5], l->tt);
	if (l && (l->known & RST_SAVED_PSTATE) && l->pstate != pstate)
		check_add(part, RST_RULE_EXIT_PSTATE, &c->preg_at,
		          "pstate is 0x%x; before the trap it was "
		          "0x%x",
		          pstate, l->pstate);
	if (p[1] == 0)
		check_add(part, RST_RULE_EXIT_ASI, &c->preg_at, "asiReg is 0");
	rst_judge_context(c, part, RST_RULE_EXIT_CONTEXT);
	if (!(c->know & RST_KNOW_TL))
		rst_set_tl(c, p[4]);
	c->asi = p[1];
	c->know |= RST_KNOW_ASI;
}

/* Where done or retry goes. */
static void leave_to(struct rst_step *s, const struct rst_level *l)
{
	struct rst_flow *f = &s->c->flow;
	bool retry = base_be32(s->p + 4) >> 25 & 1;
	uint64_t ea = base_be64(s->p + 16);
	bool ea_known = (s->p[1] & RST_I_EA_VALID) && !rst_bad_address(ea);
	bool known = l && (l->known & (retry ? RST_SAVED_PC : RST_SAVED_NPC));
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
	else if (l && (l->known & RST_SAVED_NPC)) {
		f->npc = l->npc;
		f->flags |= RST_FLOW_NPC | (l->known & RST_SAVED_ANNUL ? RST_FLOW_ANNUL : 0u);
	}
}

void rst_trap_leave(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint32_t both = RST_HELD_G7 | RST_HELD_SP;
	bool preg = c->know & RST_HELD_PREG;
	if (preg)
		judge_exit_preg(s);
	else if (!(c->know & RST_LOST))
		FIND(s->t, EXIT_PREG, "done or retry, but the CPU's last record is no PREG");
	c->left_at = rst_place(s->t);
	if ((c->know & both) != both && !(c->know & RST_LOST))
		rst_advise(&s->j->before, &c->left_at);
	struct rst_level *l = rst_level_of(c);
	leave_to(s, l);
	if (preg)
		rst_set_pstate(c, base_be16(c->preg + 6), 0xffff);
	else
		rst_set_pstate(c, l ? l->pstate : 0, l && (l->known & RST_SAVED_PSTATE) ? 0xffff : 0);
	if (l)
		l->known = 0;
	if ((c->know & RST_KNOW_TL) && c->tl)
		c->tl--;
	else if (c->know & RST_KNOW_TL)
		FIND(s->t, EXIT_TL, "done or retry at trap level 0");
	c->know |= RST_LEFT;
	c->know &= ~(uint32_t)(RST_HELD_PREG | RST_TOLD_ICTX);
}

void rst_trapexit(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	rst_settle_preg(s);
	if (!(c->know & (RST_LEFT | RST_LOST)))
		FIND(s->t, TRAPEXIT_TRIGGER,
		     "a TRAPEXIT, but the CPU's last instruction is neither done "
		     "nor retry");
	else if ((c->know & RST_KNOW_TL) && s->p[1] != c->tl)
		FIND(s->t, TRAPEXIT_TL, "tl is %u; the trap level after done or retry is %u", s->p[1],
		     c->tl);
	c->know |= c->know & RST_LEFT ? RST_LEFT_TRAPEXIT : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps: TRAP and the INSTR behind it, done and retry with what stands before and
 * behind them.
 *
 * What a trap saves is kept for its level, so that a return is judged by the trap it
 * leaves: where it goes, also back into a delay slot, and PSTATE.
 */
#include "formats/rst/check/rules_cpu.h"

enum { MAXTL = 5 };

/* ---- trap entrance ---- */

/* Trap types that operating systems call themselves by: SunOS and Solaris, Linux. */
static bool is_syscall(unsigned tt)
{
	return tt == 0x100 || tt == 0x108 || tt == 0x110 || tt == 0x140 || tt == 0x16d;
}

static void judge_trap_type(struct rst_step *step)
{
	const uint8_t *p = step->p;
	unsigned tt = base_be16(p + 2) & 0x3ff, syscall = base_be16(p + 6) & 0xfff;
	bool async = p[1] >> 7, interrupt = tt >= 0x41 && tt <= 0x4f;
	bool caused = (tt >= 0x10 && tt <= 0x28) || rst_misses_dtlb(tt) || (tt >= 0x64 && tt <= 0x67) ||
	              (tt >= 0x80 && tt <= 0x17f);
	if (tt == 0 || tt > 0x1ff)
		FIND(step->tell, TRAP_TYPE, "the trap type is 0x%x", tt);
	else if (async && caused)
		FIND(step->tell, TRAP_ASYNC,
		     "a trap of type 0x%x, which an instruction causes, with async 1", tt);
	else if (!async && interrupt)
		FIND(step->tell, TRAP_ASYNC, "an interrupt (type 0x%x) with async 0", tt);
	if (syscall && (tt < 0x100 || tt > 0x17f))
		FIND(step->tell, TRAP_SYSCALL,
		     "the system call number is %u, but the type 0x%x is no system "
		     "call's",
		     syscall, tt);
	else if (!syscall && is_syscall(tt))
		FIND(step->tell, TRAP_SYSCALL_NR, "a system call (type 0x%x) without number", tt);
}

/* TRAP says where the CPU stands. */
static void judge_trap_pc(struct rst_step *step)
{
	const struct rst_flow *flow = &step->cpu_judge->flow;
	uint64_t pc = base_be64(step->p + 8), npc = base_be64(step->p + 16);
	if (!(flow->flags & RST_FLOW_PC) || (flow->flags & RST_FLOW_ANNUL))
		return;
	uint64_t next = flow->flags & RST_FLOW_SEQ ? flow->pc + 4 : flow->npc;
	if (pc != flow->pc && step->cpu_judge->file != step->judge->file)
		FIND(step->tell, PARTS_DROPPED,
		     "the CPU goes on at 0x%llx; the file before ends where 0x%llx "
		     "follows",
		     ULL(pc), ULL(flow->pc));
	else if (pc != flow->pc)
		FIND(step->tell, TRAP_PC, "the pc is 0x%llx; the CPU stands at 0x%llx", ULL(pc),
		     ULL(flow->pc));
	else if ((flow->flags & (RST_FLOW_SEQ | RST_FLOW_NPC)) && npc != next)
		FIND(step->tell, TRAP_NPC, "the npc is 0x%llx; behind 0x%llx the CPU goes to 0x%llx",
		     ULL(npc), ULL(pc), ULL(next));
}

static void rules_trap_enter(struct rst_step *step, bool pstate_known)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	unsigned tl = p[1] & 15, tt = base_be16(p + 2) & 0x3ff;
	bool annulled = (judge->flow.flags & RST_FLOW_ANNUL) && judge->flow.pc == base_be64(p + 8);
	judge->level[tl + 1] = (struct rst_level){.pc = base_be64(p + 8),
	                                          .npc = base_be64(p + 16),
	                                          .tt = (uint16_t)tt,
	                                          .pstate = base_be16(p + 4),
	                                          .known = RST_SAVED_PC | RST_SAVED_NPC | RST_SAVED_TT |
	                                                   (pstate_known ? RST_SAVED_PSTATE : 0u) |
	                                                   (annulled ? RST_SAVED_ANNUL : 0u)};
	rst_set_tl(judge, tl + 1);
	rst_set_pstate(judge, PSTATE_PRIV, PSTATE_PRIV | PSTATE_AM | PSTATE_IE);
	judge->trap = p[1] >> 7 ? RST_T_ASYNC : rst_misses_itlb(tt) ? RST_T_ITLB : RST_T_SYNC;
	judge->trap_pc = base_be64(p + 8);
	judge->trap_npc = base_be64(p + 16);
	judge->trap_tt = (uint16_t)tt;
	judge->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	judge->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_TOLD_ICTX);
}

void rst_trap(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	unsigned tl = p[1] & 15, pstate = base_be16(p + 4);
	rst_settle_preg(step);
	rst_settle_exit(step);
	rst_cpu_started(step);
	if (rst_trap_waits(judge))
		FIND(step->tell, TRAP_INSTR, "a TRAP behind a TRAP that no INSTR has followed");
	else
		judge_trap_pc(step);
	if ((judge->know & RST_KNOW_TL) && judge->tl != tl)
		FIND(step->tell, TRAP_TL, "tl is %u; the trap level before is %u", tl, judge->tl);
	if (tl >= MAXTL)
		FIND(step->tell, TRAP_MAXTL, "a trap at level %u", tl);
	bool wrong = (judge->pstate ^ pstate) & judge->pstate_known;
	if (wrong)
		FIND(step->tell, TRAP_PSTATE, "pstate is 0x%x; PSTATE before the trap is 0x%x%s", pstate,
		     judge->pstate, judge->pstate_known == 0xffff ? "" : " as far as known");
	if ((pstate & PSTATE_AM) && (base_be64(p + 8) | base_be64(p + 16)) >> 32)
		FIND(step->tell, AM_ADDRESS, "pstate has AM, but pc is 0x%llx and npc 0x%llx",
		     ULL(base_be64(p + 8)), ULL(base_be64(p + 16)));
	judge_trap_type(step);
	rules_trap_enter(step, !wrong);
}

/* The INSTR behind a synchronous TRAP, of the PC that trapped. */
static void judge_stopped(struct rst_step *step)
{
	const struct rst_cpu_judge *judge = step->cpu_judge;
	unsigned bits = step->p[1], tt = judge->trap_tt;
	bool dtlb = rst_misses_dtlb(tt);
	if (!(bits & RST_I_TR) && dtlb)
		FIND(step->tell, DTLB_TR, "the instruction misses in a DTLB (trap 0x%x), but tr is 0", tt);
	else if (!(bits & RST_I_TR))
		FIND(step->tell, SYNC_TR, "the instruction traps (0x%x), but tr is 0", tt);
	if (!(bits & RST_I_BT))
		FIND(step->tell, SYNC_BT, "the instruction traps (0x%x), but bt is 0", tt);
	if (dtlb && (bits & RST_I_EA_VALID))
		FIND(step->tell, DTLB_EA, "the instruction misses in a DTLB (trap 0x%x), but ea_valid is 1",
		     tt);
	else if (!dtlb && !(bits & RST_I_EA_VALID))
		FIND(step->tell, SYNC_EA, "the instruction traps (0x%x), but ea_valid is 0", tt);
	if (dtlb && !(judge->know & RST_HELD_REGVAL))
		FIND(step->tell, DTLB_REGVAL, "no REGVAL between TRAP 0x%x and this tells the address", tt);
}

/* The INSTR behind another one: the first of a handler. */
static void judge_first(struct rst_step *step)
{
	const struct rst_cpu_judge *judge = step->cpu_judge;
	bool itlb = judge->trap == RST_T_ITLB, again = base_be64(step->p + 8) == judge->trap_pc;
	if (!(step->p[1] & RST_I_TR) && itlb)
		FIND(step->tell, ITLB_TR, "the handler of an ITLB miss begins here, but tr is 0");
	else if (!(step->p[1] & RST_I_TR))
		FIND(step->tell, ASYNC_TR, "the handler of an interrupt begins here, but tr is 0");
	if (again && itlb)
		FIND(step->tell, ITLB_PC, "an INSTR of the missed fetch behind the TRAP");
	else if (again)
		FIND(step->tell, ASYNC_PC, "the interrupted instruction behind the TRAP");
	if (itlb && !(judge->know & RST_HELD_PAVA))
		FIND(step->tell, ITLB_PAVADIFF, "no PAVADIFF between the TRAP and this");
}

/* The program goes on: who handled its trap is not in the trace. A handler is never a user's. */
static void unhandled(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	struct rst_level *level = rst_level_of(judge);
	if (!level)
		return;
	FIND(step->tell, LEVEL_CHANGE, "the program goes on behind trap 0x%x, without done or retry",
	     judge->trap_tt);
	rst_set_pstate(judge, level->pstate, level->known & RST_SAVED_PSTATE ? 0xffff : 0);
	rst_set_tl(judge, judge->tl - 1u);
	level->known = 0;
}

/* Returns whether the INSTR was stopped by its trap. */
bool rst_trap_entrance(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	uint64_t pc = base_be64(step->p + 8);
	unsigned was = judge->trap;
	judge->trap = RST_T_NONE;
	switch (was) {
	case RST_T_SYNC:
		if (pc == judge->trap_pc) {
			judge_stopped(step);
			judge->trap = RST_T_STOPPED;
			return true;
		}
		FIND(step->tell, SYNC_PC,
		     "a synchronous TRAP at 0x%llx, but the INSTR behind it is at 0x%llx",
		     ULL(judge->trap_pc), ULL(pc));
		return false;
	case RST_T_ASYNC:
	case RST_T_ITLB:
		judge->trap = (uint8_t)was;
		judge_first(step);
		judge->trap = RST_T_NONE;
		return false;
	case RST_T_STOPPED: /* tr may say that a handler begins */
		if (!(step->p[1] & (RST_I_PR | RST_I_HPRIV)))
			unhandled(step);
		return false;
	default:
		if ((step->p[1] & RST_I_TR) && !(judge->know & RST_LOST))
			FIND(step->tell, TR_STRAY, "tr is 1, but there is no TRAP");
		return false;
	}
}

/* ---- trap exit ---- */

/* The next INSTR or TRAP behind done or retry: what has followed is all. */
void rst_settle_exit(struct rst_step *step)
{
	const uint32_t all = RST_LEFT_TL | RST_LEFT_TT | RST_LEFT_TPC | RST_LEFT_TNPC;
	struct rst_cpu_judge *judge = step->cpu_judge;
	if (!(judge->know & RST_LEFT))
		return;
	if ((judge->know & all) != all)
		rst_advise(&step->judge->after, &judge->left_at);
	if (!(judge->know & RST_LEFT_TRAPEXIT))
		rst_advise(&step->judge->trapexit, &judge->left_at);
	judge->know &= ~(uint32_t)(RST_LEFT | RST_LEFT_TRAPEXIT | all);
}

static void judge_exit_preg(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = judge->preg;
	struct check_part *part = step->tell->part;
	const struct rst_level *level = rst_level_of(judge);
	unsigned pstate = base_be16(p + 6);
	if ((judge->know & RST_KNOW_TL) && judge->tl != p[4] && judge->tl)
		check_add(part, RST_RULE_EXIT_TL, &judge->preg_at,
		          "traplevel is %u; the trap level before "
		          "%s is %u",
		          p[4], "done or retry", judge->tl);
	if (level && (level->known & RST_SAVED_TT) && (level->tt & 0xff) != p[5])
		check_add(part, RST_RULE_EXIT_TT, &judge->preg_at,
		          "traptype is 0x%x; the trap being left is "
		          "0x%x",
		          p[5], level->tt);
	if (level && (level->known & RST_SAVED_PSTATE) && level->pstate != pstate)
		check_add(part, RST_RULE_EXIT_PSTATE, &judge->preg_at,
		          "pstate is 0x%x; before the trap it was "
		          "0x%x",
		          pstate, level->pstate);
	if (p[1] == 0)
		check_add(part, RST_RULE_EXIT_ASI, &judge->preg_at, "asiReg is 0");
	rst_judge_context(judge, part, RST_RULE_EXIT_CONTEXT);
	if (!(judge->know & RST_KNOW_TL))
		rst_set_tl(judge, p[4]);
	judge->asi = p[1];
	judge->know |= RST_KNOW_ASI;
}

/* Where done or retry goes. */
static void leave_to(struct rst_step *step, const struct rst_level *level)
{
	struct rst_flow *flow = &step->cpu_judge->flow;
	bool retry = base_be32(step->p + 4) >> 25 & 1;
	uint64_t ea = base_be64(step->p + 16);
	bool ea_known = (step->p[1] & RST_I_EA_VALID) && !rst_bad_address(ea);
	bool known = level && (level->known & (retry ? RST_SAVED_PC : RST_SAVED_NPC));
	uint64_t to = !known ? ea : retry ? level->pc : level->npc;
	flow->flags = 0;
	if (known && ea_known && ea != to) {
		FIND(step->tell, EA_TARGET, "ea_va is 0x%llx; %s goes to 0x%llx", ULL(ea),
		     retry ? "retry" : "done", ULL(to));
		return;
	}
	if (!known && !ea_known)
		return;
	flow->pc = to;
	flow->flags = RST_FLOW_PC | RST_FLOW_PAST;
	if (!retry)
		flow->flags |= RST_FLOW_SEQ;
	else if (level && (level->known & RST_SAVED_NPC)) {
		flow->npc = level->npc;
		flow->flags |= RST_FLOW_NPC | (level->known & RST_SAVED_ANNUL ? RST_FLOW_ANNUL : 0u);
	}
}

void rst_trap_leave(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint32_t both = RST_HELD_G7 | RST_HELD_SP;
	bool preg = judge->know & RST_HELD_PREG;
	if (preg)
		judge_exit_preg(step);
	else if (!(judge->know & RST_LOST))
		FIND(step->tell, EXIT_PREG, "done or retry, but the CPU's last record is no PREG");
	judge->left_at = rst_place(step->tell);
	if ((judge->know & both) != both && !(judge->know & RST_LOST))
		rst_advise(&step->judge->before, &judge->left_at);
	struct rst_level *level = rst_level_of(judge);
	leave_to(step, level);
	if (preg)
		rst_set_pstate(judge, base_be16(judge->preg + 6), 0xffff);
	else
		rst_set_pstate(judge, level ? level->pstate : 0,
		               level && (level->known & RST_SAVED_PSTATE) ? 0xffff : 0);
	if (level)
		level->known = 0;
	if ((judge->know & RST_KNOW_TL) && judge->tl)
		judge->tl--;
	else if (judge->know & RST_KNOW_TL)
		FIND(step->tell, EXIT_TL, "done or retry at trap level 0");
	judge->know |= RST_LEFT;
	judge->know &= ~(uint32_t)(RST_HELD_PREG | RST_TOLD_ICTX);
}

void rst_trapexit(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	rst_settle_preg(step);
	if (!(judge->know & (RST_LEFT | RST_LOST)))
		FIND(step->tell, TRAPEXIT_TRIGGER,
		     "a TRAPEXIT, but the CPU's last instruction is neither done "
		     "nor retry");
	else if ((judge->know & RST_KNOW_TL) && step->p[1] != judge->tl)
		FIND(step->tell, TRAPEXIT_TL, "tl is %u; the trap level after done or retry is %u",
		     step->p[1], judge->tl);
	judge->know |= judge->know & RST_LEFT ? RST_LEFT_TRAPEXIT : 0;
}

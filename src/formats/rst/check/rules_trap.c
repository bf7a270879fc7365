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

/* Trap types of system calls: SunOS and Solaris, Linux. */
static bool is_syscall(unsigned tt)
{
	return tt == 0x100 || tt == 0x108 || tt == 0x110 || tt == 0x140 || tt == 0x16d;
}

static void judge_trap_type(struct rst_step *step)
{
	const uint8_t *p = step->p;
	unsigned tt = rst_TRAP_ttype(p), syscall = rst_TRAP_syscall(p);
	bool async = rst_TRAP_async(p), interrupt = tt >= 0x41 && tt <= 0x4f;
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
		     "the system call number is %u, but the type 0x%x is no system call's", syscall, tt);
	else if (!syscall && is_syscall(tt))
		FIND(step->tell, TRAP_SYSCALL_NR, "a system call (type 0x%x) without number", tt);
}

/* TRAP says where the CPU stands. */
static void judge_trap_pc(struct rst_step *step)
{
	const struct rst_flow *flow = &step->cpu_judge->flow;
	uint64_t pc = rst_TRAP_pc(step->p), npc = rst_TRAP_npc(step->p);
	if (!(flow->flags & RST_FLOW_PC) || (flow->flags & RST_FLOW_ANNUL))
		return;
	uint64_t next = flow->flags & RST_FLOW_SEQ ? flow->pc + 4 : flow->npc;
	if (pc != flow->pc && step->cpu_judge->file != step->judge->file)
		FIND(step->tell, PARTS_DROPPED,
		     "the CPU goes on at 0x%llx; the file before ends where 0x%llx follows", ULL(pc),
		     ULL(flow->pc));
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
	unsigned tl = rst_TRAP_tl(p), tt = rst_TRAP_ttype(p);
	bool annulled = (judge->flow.flags & RST_FLOW_ANNUL) && judge->flow.pc == rst_TRAP_pc(p);
	judge->level[tl + 1] = (struct rst_level){.pc = rst_TRAP_pc(p),
	                                          .npc = rst_TRAP_npc(p),
	                                          .tt = (uint16_t)tt,
	                                          .pstate = rst_TRAP_pstate(p),
	                                          .known = RST_SAVED_PC | RST_SAVED_NPC | RST_SAVED_TT |
	                                                   (pstate_known ? RST_SAVED_PSTATE : 0u) |
	                                                   (annulled ? RST_SAVED_ANNUL : 0u)};
	rst_set_tl(judge, tl + 1);
	rst_set_pstate(judge, PSTATE_PRIV, PSTATE_PRIV | PSTATE_AM | PSTATE_IE);
	judge->trap = rst_TRAP_async(p) ? RST_T_ASYNC : rst_misses_itlb(tt) ? RST_T_ITLB : RST_T_SYNC;
	judge->trap_pc = rst_TRAP_pc(p);
	judge->trap_tt = (uint16_t)tt;
	judge->flow.flags = RST_FLOW_PAST | RST_FLOW_SEQ;
	judge->know &= ~(uint32_t)(RST_HELD_REGVAL | RST_HELD_PAVA | RST_HELD_EA | RST_TOLD_ICTX);
}

void rst_trap(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	unsigned tl = rst_TRAP_tl(p), pstate = rst_TRAP_pstate(p);
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
	if ((pstate & PSTATE_AM) && (rst_TRAP_pc(p) | rst_TRAP_npc(p)) >> 32)
		FIND(step->tell, AM_ADDRESS, "pstate has AM, but pc is 0x%llx and npc 0x%llx",
		     ULL(rst_TRAP_pc(p)), ULL(rst_TRAP_npc(p)));
	judge_trap_type(step);
	rules_trap_enter(step, !wrong);
}

/* The INSTR behind a synchronous TRAP, of the PC that trapped. */
static void judge_stopped(struct rst_step *step)
{
	const struct rst_cpu_judge *judge = step->cpu_judge;
	unsigned bits = rst_INSTR_flags(step->p), tt = judge->trap_tt;
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
	bool itlb = judge->trap == RST_T_ITLB, again = rst_INSTR_pc_va(step->p) == judge->trap_pc;
	if (!rst_INSTR_tr(step->p) && itlb)
		FIND(step->tell, ITLB_TR, "the handler of an ITLB miss begins here, but tr is 0");
	else if (!rst_INSTR_tr(step->p))
		FIND(step->tell, ASYNC_TR, "the handler of an interrupt begins here, but tr is 0");
	if (again && itlb)
		FIND(step->tell, ITLB_PC, "an INSTR of the missed fetch behind the TRAP");
	else if (again)
		FIND(step->tell, ASYNC_PC, "the interrupted instruction behind the TRAP");
	if (itlb && !(judge->know & RST_HELD_PAVA))
		FIND(step->tell, ITLB_PAVADIFF, "no PAVADIFF between the TRAP and this");
}

/* The program goes on: the handler of its trap is not in the trace. A handler never runs in user
 * mode. */
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
	uint64_t pc = rst_INSTR_pc_va(step->p);
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
		if (!(rst_INSTR_flags(step->p) & (RST_I_PR | RST_I_HPRIV)))
			unhandled(step);
		return false;
	default:
		if (rst_INSTR_tr(step->p) && !(judge->know & RST_LOST))
			FIND(step->tell, TR_STRAY, "tr is 1, but there is no TRAP");
		return false;
	}
}

/* ---- trap exit ---- */

/* The next INSTR or TRAP behind done or retry has come: everything that belongs to the return has.
 *  */
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
	unsigned pstate = rst_PREG_pstate(p);
	if ((judge->know & RST_KNOW_TL) && judge->tl != rst_PREG_traplevel(p) && judge->tl)
		check_add(part, RST_RULE_EXIT_TL, &judge->preg_at,
		          "traplevel is %u; the trap level before %s is %u", rst_PREG_traplevel(p),
		          "done or retry", judge->tl);
	if (level && (level->known & RST_SAVED_TT) && (level->tt & 0xff) != rst_PREG_traptype(p))
		check_add(part, RST_RULE_EXIT_TT, &judge->preg_at,
		          "traptype is 0x%x; the trap being left is 0x%x", rst_PREG_traptype(p), level->tt);
	if (level && (level->known & RST_SAVED_PSTATE) && level->pstate != pstate)
		check_add(part, RST_RULE_EXIT_PSTATE, &judge->preg_at,
		          "pstate is 0x%x; before the trap it was 0x%x", pstate, level->pstate);
	if (rst_PREG_asi(p) == 0)
		check_add(part, RST_RULE_EXIT_ASI, &judge->preg_at, "asiReg is 0");
	rst_judge_context(judge, part, RST_RULE_EXIT_CONTEXT);
	if (!(judge->know & RST_KNOW_TL))
		rst_set_tl(judge, rst_PREG_traplevel(p));
	judge->asi = rst_PREG_asi(p);
	judge->know |= RST_KNOW_ASI;
}

/* Where done or retry goes. */
static void leave_to(struct rst_step *step, const struct rst_level *level)
{
	struct rst_flow *flow = &step->cpu_judge->flow;
	bool retry = rst_INSTR_instr(step->p) >> 25 & 1;
	uint64_t ea = rst_INSTR_ea_va(step->p);
	bool ea_known = rst_INSTR_ea_valid(step->p) && !rst_bad_address(ea);
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
		rst_set_pstate(judge, rst_PREG_pstate(judge->preg), 0xffff);
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
		     "a TRAPEXIT, but the CPU's last instruction is neither done nor retry");
	else if ((judge->know & RST_KNOW_TL) && rst_TRAPEXIT_tl(step->p) != judge->tl)
		FIND(step->tell, TRAPEXIT_TL, "tl is %u; the trap level after done or retry is %u",
		     rst_TRAPEXIT_tl(step->p), judge->tl);
	judge->know |= judge->know & RST_LEFT ? RST_LEFT_TRAPEXIT : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RST_RULES_CPU_H
#define RST_RULES_CPU_H
/*
 * What the files of the machine share: a record at hand with its CPU, and the few
 * things that all of them do to a CPU.
 */
#include "formats/rst/check/rules.h"

struct rst_step {
	struct rst_judge *judge;
	struct rst_tell *tell;
	struct rst_cpu_judge *cpu_judge;
	const uint8_t *p;
	unsigned cpu, flags;
};

static inline void rst_advise(struct rst_advice *advice, const struct check_place *at)
{
	if (advice->count++ == 0)
		advice->at = *at;
}

/* What the current trap level was entered with; NULL at level 0 or an unknown one. */
static inline struct rst_level *rst_level_of(struct rst_cpu_judge *judge)
{
	return (judge->know & RST_KNOW_TL) && judge->tl && judge->tl < RST_LEVELS
	           ? &judge->level[judge->tl]
	           : NULL;
}

static inline bool rst_trap_waits(const struct rst_cpu_judge *judge)
{
	return judge->trap == RST_T_SYNC || judge->trap == RST_T_ASYNC || judge->trap == RST_T_ITLB;
}

static inline void rst_set_pstate(struct rst_cpu_judge *judge, unsigned value, unsigned known)
{
	judge->pstate = (uint16_t)value;
	judge->pstate_known = (uint16_t)known;
	judge->know &= ~(uint32_t)(RST_TOLD_PRIV | RST_TOLD_AM);
}

static inline void rst_set_tl(struct rst_cpu_judge *judge, unsigned tl)
{
	judge->tl = (uint8_t)tl;
	judge->know |= RST_KNOW_TL;
}

/* rules_cpu.c: the first INSTR or TRAP of a CPU. */
void rst_cpu_started(struct rst_step *step);
/* rules_regs.c: no done or retry came behind a PREG, so it has current values. */
void rst_settle_preg(struct rst_step *step);
void rst_judge_context(struct rst_cpu_judge *judge, struct check_part *part, unsigned rule);
void rst_regval(struct rst_step *step);
/* An instruction that may write what is followed here. */
void rst_watch(struct rst_step *step);
/* rules_trap.c */
void rst_trap(struct rst_step *step);
/* The INSTR behind a TRAP. Returns whether it was stopped by its trap. */
bool rst_trap_entrance(struct rst_step *step);
/* done or retry. */
void rst_trap_leave(struct rst_step *step);
void rst_trapexit(struct rst_step *step);
/* The next INSTR or TRAP behind done or retry has come: everything that belongs to the return has.
 *  */
void rst_settle_exit(struct rst_step *step);

#endif

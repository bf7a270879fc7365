/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers: the values PREG and REGVAL say, and instructions behind which they are
 * not known. A value that contradicts what was known is told, and believed.
 */
#include "formats/rst/check/rules_cpu.h"

/* ---- PREG ---- */

void rst_judge_context(struct rst_cpu_judge *judge, struct check_part *part, unsigned rule)
{
	const uint8_t *p = judge->preg;
	unsigned prim = rst_PREG_primD(p), sec = rst_PREG_secD(p);
	if ((judge->know & RST_KNOW_PRIM) && prim != judge->prim)
		check_add(part, rule, &judge->preg_at, "the primary context is 0x%x, but was 0x%x", prim,
		          judge->prim);
	else if ((judge->know & RST_KNOW_SEC) && sec != judge->sec)
		check_add(part, rule, &judge->preg_at, "the secondary context is 0x%x, but was 0x%x", sec,
		          judge->sec);
	judge->prim = (uint16_t)prim;
	judge->sec = (uint16_t)sec;
	judge->know |= RST_KNOW_PRIM | RST_KNOW_SEC;
}

/* No done or retry came behind a PREG, so it has current values. */
void rst_settle_preg(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = judge->preg;
	struct check_part *part = step->tell->part;
	unsigned pstate = rst_PREG_pstate(p);
	if (!(judge->know & RST_HELD_PREG))
		return;
	judge->know &= ~(uint32_t)RST_HELD_PREG;
	if ((judge->know & RST_KNOW_TL) && judge->tl != rst_PREG_traplevel(p))
		check_add(part, RST_RULE_LEVEL_CHANGE, &judge->preg_at,
		          "the trap level is %u, but was %u without TRAP, done or retry since",
		          rst_PREG_traplevel(p), judge->tl);
	unsigned differ = (judge->pstate ^ pstate) & judge->pstate_known;
	if (differ)
		check_add(part, RST_RULE_PREG_CURRENT, &judge->preg_at, "PSTATE is 0x%x, but was 0x%x",
		          pstate, judge->pstate);
	if ((judge->know & RST_KNOW_ASI) && judge->asi != rst_PREG_asi(p))
		check_add(part, RST_RULE_PREG_CURRENT, &judge->preg_at, "the ASI is 0x%x, but was 0x%x",
		          rst_PREG_asi(p), judge->asi);
	rst_judge_context(judge, part, RST_RULE_PREG_CURRENT);
	rst_set_tl(judge, rst_PREG_traplevel(p));
	rst_set_pstate(judge, pstate, 0xffff & ~differ);
	judge->asi = rst_PREG_asi(p);
	judge->know |= RST_KNOW_ASI;
}

/* ---- instructions that write what is followed ---- */

static void write_privileged(struct rst_step *step, unsigned rd, bool known, unsigned value)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	struct rst_level *level = rst_level_of(judge);
	static const uint8_t saved[] = {RST_SAVED_PC, RST_SAVED_NPC, RST_SAVED_PSTATE, RST_SAVED_TT};
	if (rd < 4 && level)
		level->known &= ~(uint32_t)(saved[rd] | (rd < 2 ? RST_SAVED_ANNUL : 0));
	else if (rd < 4) /* of which level? */
		for (unsigned i = 0; i < RST_LEVELS; i++)
			judge->level[i].known = 0;
	else if (rd == ISA_SPARC_PSTATE)
		rst_set_pstate(judge, value, known ? 0xffff : 0);
	else if (rd == ISA_SPARC_TL && known)
		rst_set_tl(judge, value & 7);
	else if (rd == ISA_SPARC_TL)
		judge->know &= ~(uint32_t)RST_KNOW_TL;
}

void rst_watch(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	uint32_t enc = rst_INSTR_instr(step->p);
	unsigned rd = enc >> 25 & 31, op3 = enc >> 19 & 63, asi = enc >> 5 & 0xff;
	bool immediate = enc >> 13 & 1, known = immediate && !(enc >> 14 & 31);
	unsigned value = enc & 0xfff; /* of what matters here, no bit is above */
	if (enc >> 30 == 2 && op3 == 0x32) {
		write_privileged(step, rd, known, value);
	} else if (enc >> 30 == 2 && op3 == 0x30 && rd == 3) {
		judge->asi = (uint8_t)value;
		judge->know = (judge->know & ~(uint32_t)RST_KNOW_ASI) | (known ? RST_KNOW_ASI : 0);
	} else if (enc >> 30 == 3 && (op3 & 0x14) == 0x14 &&
	           (immediate || asi == 0x21 || asi == 0x50 || asi == 0x58)) {
		judge->know &= ~(uint32_t)(RST_KNOW_PRIM | RST_KNOW_SEC); /* the MMU's registers */
	}
}

/* ---- REGVAL ---- */

static void saved_value(struct rst_step *step, struct rst_level *level, unsigned what,
                        uint64_t value)
{
	static const char *const names[] = {"TPC", "TNPC", "TSTATE", "TT"};
	static const uint8_t flags[] = {RST_SAVED_PC, RST_SAVED_NPC, RST_SAVED_PSTATE, RST_SAVED_TT};
	unsigned pstate = (unsigned)(value >> 8) & 0xfff;
	uint64_t had = what == 0   ? level->pc
	               : what == 1 ? level->npc
	               : what == 2 ? level->pstate
	                           : level->tt & 0xffu;
	uint64_t has = what == 2 ? pstate : what == 3 ? value & 0xff : value;
	if ((level->known & flags[what]) && had != has)
		FIND(step->tell, REGVAL_CURRENT, "%s%s is 0x%llx, but was 0x%llx", names[what],
		     what == 2 ? "'s PSTATE" : "", ULL(has), ULL(had));
	if (what == 0)
		level->pc = value;
	else if (what == 1)
		level->npc = value;
	else if (what == 2)
		level->pstate = (uint16_t)pstate;
	else
		level->tt = (uint16_t)value;
	level->known |= flags[what];
	step->cpu_judge->know |= what == 0 ? RST_SEEN_TPC : what == 1 ? RST_SEEN_TNPC : 0;
}

static void privileged_value(struct rst_step *step, unsigned id, uint64_t value)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	struct rst_level *level = rst_level_of(judge);
	static const uint32_t left[] = {RST_LEFT_TPC, RST_LEFT_TNPC, 0, RST_LEFT_TT};
	if (id < 4) {
		judge->know |= judge->know & RST_LEFT ? left[id] : 0;
		if (level)
			saved_value(step, level, id, value);
	} else if (id == ISA_SPARC_TL) {
		judge->know |= judge->know & RST_LEFT ? RST_LEFT_TL : 0;
		if ((judge->know & RST_KNOW_TL) && judge->tl != value)
			FIND(step->tell, LEVEL_CHANGE,
			     "TL is %llu, but was %u without TRAP, done or retry since", ULL(value), judge->tl);
		rst_set_tl(judge, value < 255 ? (unsigned)value : 255);
	} else if (id == ISA_SPARC_PSTATE) {
		unsigned differ = (judge->pstate ^ (unsigned)value) & judge->pstate_known;
		if (differ) /* one of the two is wrong: these bits are unknown */
			FIND(step->tell, REGVAL_CURRENT, "PSTATE is 0x%llx, but was 0x%x", ULL(value),
			     judge->pstate);
		rst_set_pstate(judge, (unsigned)value & 0xffff, 0xffff & ~differ);
	} else if (id >= 64 && id < 96 && (id & 7)) {
		saved_value(step, &judge->level[id & 7], id >> 3 & 3, value);
	}
}

static void rules_regs_value(struct rst_step *step, unsigned type, unsigned id, uint64_t value)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	if (type == RST_R_INT && id == 7)
		judge->know |= RST_HELD_G7;
	else if (type == RST_R_INT && id == 14)
		judge->know |= RST_HELD_SP;
	else if (type == RST_R_PRIV)
		privileged_value(step, id, value);
	else if (type == RST_R_OTHER && id == 3) {
		if ((judge->know & RST_KNOW_ASI) && judge->asi != value)
			FIND(step->tell, REGVAL_CURRENT, "the ASI is 0x%llx, but was 0x%x", ULL(value),
			     judge->asi);
		judge->asi = (uint8_t)value;
		judge->know |= RST_KNOW_ASI;
	} else if (type == RST_R_MMU && (id == 8 || id == 16)) {
		unsigned had = id == 8 ? judge->prim : judge->sec,
				 flag = id == 8 ? RST_KNOW_PRIM : RST_KNOW_SEC;
		if ((judge->know & flag) && had != value)
			FIND(step->tell, REGVAL_CURRENT, "the %s context is 0x%llx, but was 0x%x",
			     id == 8 ? "primary" : "secondary", ULL(value), had);
		if (id == 8)
			judge->prim = (uint16_t)value;
		else
			judge->sec = (uint16_t)value;
		judge->know |= flag;
	}
}

void rst_regval(struct rst_step *step)
{
	struct rst_cpu_judge *judge = step->cpu_judge;
	const uint8_t *p = step->p;
	if (rst_trap_waits(
			judge)) { /* the trap may have begun or not: the values may be of either side */
		for (unsigned i = 0; i < 2; i++)
			if (rst_regtype(p, i) == RST_R_INT)
				rules_regs_value(step, RST_R_INT, rst_regid(p, i),
				                 0); /* forget what was given of %g7 and %sp */
		judge->know |= RST_HELD_REGVAL;
		return;
	}
	rst_settle_preg(step);
	if (rst_tells_npc(p) &&
	    !((judge->know & RST_KNOW_TL) && judge->tl >= (rst_REGVAL_regid0(p) & 7))) {
		judge->told_pc = rst_REGVAL_value0(p);
		judge->told_npc = rst_REGVAL_value1(p);
		judge->know |= RST_TOLD_NPC;
		return;
	}
	bool post = rst_REGVAL_post(p) && !step->judge->no_post;
	if (post && !(judge->know & (RST_BEHIND | RST_LOST)))
		FIND(step->tell, REGVAL_POST,
		     "postInstr is 1, but the record stands behind no instruction of its CPU");
	for (unsigned i = 0; i < 2; i++)
		if (!post || rst_regtype(p, i) != RST_R_INT)
			rules_regs_value(step, rst_regtype(p, i), rst_regid(p, i), rst_regvalue(p, i));
}

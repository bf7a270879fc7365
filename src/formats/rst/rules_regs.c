/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers: the values PREG and REGVAL say, and instructions behind which they are
 * not known. A value that contradicts what was known is told, and believed.
 */
#include "formats/rst/rules_cpu.h"

/* ---- PREG ---- */

void rst_judge_context(struct rst_cpu_judge *c, struct check_part *part, unsigned rule)
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
void rst_settle_preg(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = c->preg;
	struct check_part *part = s->t->part;
	unsigned pstate = base_be16(p + 6);
	if (!(c->know & RST_HELD_PREG))
		return;
	c->know &= ~(uint32_t)RST_HELD_PREG;
	if ((c->know & RST_KNOW_TL) && c->tl != p[4])
		check_add(part, RST_RULE_LEVEL_CHANGE, &c->preg_at,
		          "the trap level is %u, but was %u "
		          "without TRAP, done or retry since",
		          p[4], c->tl);
	unsigned differ = (c->pstate ^ pstate) & c->pstate_known;
	if (differ)
		check_add(part, RST_RULE_PREG_CURRENT, &c->preg_at, "PSTATE is 0x%x, but was 0x%x", pstate,
		          c->pstate);
	if ((c->know & RST_KNOW_ASI) && c->asi != p[1])
		check_add(part, RST_RULE_PREG_CURRENT, &c->preg_at, "the ASI is 0x%x, but was 0x%x", p[1],
		          c->asi);
	rst_judge_context(c, part, RST_RULE_PREG_CURRENT);
	rst_set_tl(c, p[4]);
	rst_set_pstate(c, pstate, 0xffff & ~differ);
	c->asi = p[1];
	c->know |= RST_KNOW_ASI;
}

/* ---- instructions that write what is followed ---- */

static void write_privileged(struct rst_step *s, unsigned rd, bool known, unsigned value)
{
	struct rst_cpu_judge *c = s->c;
	struct rst_level *l = rst_level_of(c);
	static const uint8_t saved[] = {RST_SAVED_PC, RST_SAVED_NPC, RST_SAVED_PSTATE, RST_SAVED_TT};
	if (rd < 4 && l)
		l->known &= ~(uint32_t)(saved[rd] | (rd < 2 ? RST_SAVED_ANNUL : 0));
	else if (rd < 4) /* of which level? */
		for (unsigned i = 0; i < RST_LEVELS; i++)
			c->level[i].known = 0;
	else if (rd == ISA_SPARC_PSTATE)
		rst_set_pstate(c, value, known ? 0xffff : 0);
	else if (rd == ISA_SPARC_TL && known)
		rst_set_tl(c, value & 7);
	else if (rd == ISA_SPARC_TL)
		c->know &= ~(uint32_t)RST_KNOW_TL;
}

void rst_watch(struct rst_step *s)
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

/* ---- REGVAL ---- */

static void saved_value(struct rst_step *s, struct rst_level *l, unsigned what, uint64_t value)
{
	static const char *const names[] = {"TPC", "TNPC", "TSTATE", "TT"};
	static const uint8_t flags[] = {RST_SAVED_PC, RST_SAVED_NPC, RST_SAVED_PSTATE, RST_SAVED_TT};
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

static void privileged_value(struct rst_step *s, unsigned id, uint64_t value)
{
	struct rst_cpu_judge *c = s->c;
	struct rst_level *l = rst_level_of(c);
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
		rst_set_tl(c, value < 255 ? (unsigned)value : 255);
	} else if (id == ISA_SPARC_PSTATE) {
		unsigned differ = (c->pstate ^ (unsigned)value) & c->pstate_known;
		if (differ) /* one of them is wrong: these bits are unknown */
			FIND(s->t, REGVAL_CURRENT, "PSTATE is 0x%llx, but was 0x%x", ULL(value), c->pstate);
		rst_set_pstate(c, (unsigned)value & 0xffff, 0xffff & ~differ);
	} else if (id >= 64 && id < 96 && (id & 7)) {
		saved_value(s, &c->level[id & 7], id >> 3 & 3, value);
	}
}

static void rules_regs_value(struct rst_step *s, unsigned type, unsigned id, uint64_t v)
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

void rst_regval(struct rst_step *s)
{
	struct rst_cpu_judge *c = s->c;
	const uint8_t *p = s->p;
	if (rst_trap_waits(c)) { /* the trap has begun or not: the values are of either */
		for (unsigned i = 0; i < 2; i++)
			if (p[2 + i] == RST_R_INT)
				rules_regs_value(s, RST_R_INT, p[4 + i], 0); /* that it was told, of %g7 and %sp */
		c->know |= RST_HELD_REGVAL;
		return;
	}
	rst_settle_preg(s);
	if (rst_tells_npc(p) && !((c->know & RST_KNOW_TL) && c->tl >= (p[4] & 7))) {
		c->told_pc = base_be64(p + 8);
		c->told_npc = base_be64(p + 16);
		c->know |= RST_TOLD_NPC;
		return;
	}
	bool post = (p[1] >> 7) && !s->j->no_post;
	if (post && !(c->know & (RST_BEHIND | RST_LOST)))
		FIND(s->t, REGVAL_POST,
		     "postInstr is 1, but the record stands behind no instruction of "
		     "its CPU");
	for (unsigned i = 0; i < 2; i++)
		if (!post || p[2 + i] != RST_R_INT)
			rules_regs_value(s, p[2 + i], p[4 + i], base_be64(p + 8 + 8 * i));
}

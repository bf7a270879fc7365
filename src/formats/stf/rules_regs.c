/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a source hold what its register was last told to hold? Integer and floating-point
 * registers of RISC-V are followed where the first records (reading.c) have sources that are
 * to be believed. What may have changed them unseen makes them unknown:
 * another hart or process, an event, a forced PC, and an encoding whose fields could name
 * them as written, so that nothing is found that may be right.
 *
 * A span does not know what the spans before it told: its first sources are compared when
 * it is folded.
 */
#include "base/bytes.h"
#include "formats/stf/rules.h"

void stf_regs_forget(struct stf_walk *w)
{
	w->sp->regs.have = 0;
	w->sp->regs.cut = UINT64_MAX;
}

void stf_rule_reg(struct stf_walk *w, const uint8_t *p)
{
	struct stf_group *g = &w->g;
	unsigned cls = p[3] & 15, num = base_le16(p + 1), role = p[3] >> 4;
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_FP || num >= 32 ||
	    (cls == CAIRN_REG_INT && num == 0))
		return;
	unsigned slot = num + (cls == CAIRN_REG_FP ? 32 : 0);
	if (role == CAIRN_ROLE_STATE) { /* new knowledge, wherever it comes from */
		w->sp->regs.value[slot] = base_le64(p + 4);
		w->sp->regs.have |= UINT64_C(1) << slot;
	} else if (g->n_regs < GROUP_REGS) {
		g->reg[g->n_regs++] = (struct stf_group_reg){.value = base_le64(p + 4),
		                                             .at = stf_here(w, p),
		                                             .slot = (uint8_t)slot,
		                                             .role = (uint8_t)role};
	}
}

static void rules_regs_differs(struct check_part *p, const struct check_place *at, unsigned slot,
                               uint64_t told, uint64_t last)
{
	char name[16];
	const char *reg = cairn_reg_abi_name(CAIRN_ISA_RV64, slot < 32 ? CAIRN_REG_INT : CAIRN_REG_FP,
	                                     slot % 32, name);
	check_add(p, STF_RULE_REG_CONTRADICTION, at, "source %s is 0x%llx; last told was 0x%llx", reg,
	          (unsigned long long)told, (unsigned long long)last);
}

static void judge_source(struct stf_walk *w, const struct stf_group_reg *r)
{
	struct stf_regs_seen *s = &w->sp->regs;
	uint64_t bit = UINT64_C(1) << r->slot;
	struct check_place at = stf_spot_place(w, r->at);
	if (s->have & bit) {
		if (s->value[r->slot] != r->value)
			rules_regs_differs(w->part, &at, r->slot, r->value, s->value[r->slot]);
	} else if (!((s->cut | s->asked) & bit)) {
		s->asked |= bit;
		s->first[r->slot] = r->value;
		s->first_at[r->slot] = at;
	}
	s->value[r->slot] = r->value;
	s->have |= bit;
}

/* Registers that an encoding could write, by any of its fields. */
static uint64_t may_write(uint32_t enc, unsigned size)
{
	unsigned rd = enc >> 7 & 31;
	uint64_t regs = UINT64_C(1) << rd | UINT64_C(1) << (rd | 1);
	if (size == 2) {
		if ((enc & 3) == 2 && (enc >> 13) == 5)
			return UINT64_MAX; /* Zcmp pops many */
		regs |= UINT64_C(1) << (8 + (enc >> 7 & 7)) | UINT64_C(1) << (8 + (enc >> 2 & 7)) | 2;
		regs |= UINT64_C(1) << (8 + ((enc >> 2 & 7) | 1));
	}
	return regs | regs << 32;
}

void stf_rule_regs(struct stf_walk *w, uint32_t enc, unsigned size)
{
	struct stf_group *g = &w->g;
	struct stf_regs_seen *s = &w->sp->regs;
	if (g->flags & G_FORCED)
		stf_regs_forget(w);
	for (unsigned i = 0; i < g->n_regs; i++)
		if (g->reg[i].role == CAIRN_ROLE_SRC)
			judge_source(w, &g->reg[i]);
	uint64_t written = may_write(enc, size);
	s->have &= ~written;
	s->cut |= written;
	if (g->n_regs == GROUP_REGS || (g->flags & G_EVENT)) /* rows may be missing; or what was done */
		stf_regs_forget(w);
	for (unsigned i = 0; i < g->n_regs && !(g->flags & G_EVENT); i++)
		if (g->reg[i].role == CAIRN_ROLE_DST) {
			s->value[g->reg[i].slot] = g->reg[i].value;
			s->have |= UINT64_C(1) << g->reg[i].slot;
		}
	g->n_regs = 0;
}

void stf_rules_fold_regs(struct stf_judge *j, const struct stf_part *sp, struct check_part *p)
{
	const struct stf_regs_seen *s = &sp->regs;
	for (unsigned slot = 0; slot < STF_FOLLOWED; slot++) {
		uint64_t bit = UINT64_C(1) << slot;
		if ((s->asked & j->regs_have & bit) && s->first[slot] != j->regs[slot])
			rules_regs_differs(p, &s->first_at[slot], slot, s->first[slot], j->regs[slot]);
		if (s->have & bit)
			j->regs[slot] = s->value[slot];
	}
	j->regs_have = sp->damaged ? 0 : (j->regs_have & ~s->cut) | s->have;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a source hold what its register was last said to hold? Integer and floating-point registers
 * of RISC-V are followed if the first records (reading.c) have sources that can be believed. What
 * may have changed registers unseen makes them unknown: another hart or process, an event, a forced
 * PC, and an encoding whose fields could name them as written. So nothing is reported that may be
 * right.
 *
 * A span does not know what the spans before it said: its first sources are compared when it is
 * folded.
 */
#include "base/bytes.h"
#include "formats/stf/check/rules.h"

void stf_regs_forget(struct stf_walk *walk)
{
	walk->sp->regs.have = 0;
	walk->sp->regs.cut = UINT64_MAX;
}

void stf_rule_reg(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_group *group = &walk->group;
	unsigned cls = stf_reg_class(p), num = stf_INST_REG_reg(p), role = stf_reg_role(p);
	if (cls < CAIRN_REG_INT || cls > CAIRN_REG_FP || num >= 32 ||
	    (cls == CAIRN_REG_INT && num == 0))
		return;
	unsigned slot = num + (cls == CAIRN_REG_FP ? 32 : 0);
	if (role == CAIRN_ROLE_STATE) { /* new knowledge, wherever it comes from */
		walk->sp->regs.value[slot] = stf_reg_value(p);
		walk->sp->regs.have |= UINT64_C(1) << slot;
	} else if (group->n_regs < GROUP_REGS) {
		group->reg[group->n_regs++] = (struct stf_group_reg){.value = stf_reg_value(p),
		                                                     .at = stf_here(walk, p),
		                                                     .slot = (uint8_t)slot,
		                                                     .role = (uint8_t)role};
	}
}

static void rules_regs_differs(struct check_part *part, const struct check_place *at, unsigned slot,
                               uint64_t told, uint64_t last)
{
	char name[16];
	const char *reg = cairn_reg_abi_name(CAIRN_ISA_RV64, slot < 32 ? CAIRN_REG_INT : CAIRN_REG_FP,
	                                     slot % 32, name);
	check_add(part, STF_RULE_REG_CONTRADICTION, at,
	          "source %s is 0x%llx; the last value recorded was 0x%llx", reg,
	          (unsigned long long)told, (unsigned long long)last);
}

static void judge_source(struct stf_walk *walk, const struct stf_group_reg *reg)
{
	struct stf_regs_seen *seen = &walk->sp->regs;
	uint64_t bit = UINT64_C(1) << reg->slot;
	struct check_place at = stf_spot_place(walk, reg->at);
	if (seen->have & bit) {
		if (seen->value[reg->slot] != reg->value)
			rules_regs_differs(walk->part, &at, reg->slot, reg->value, seen->value[reg->slot]);
	} else if (!((seen->cut | seen->asked) & bit)) {
		seen->asked |= bit;
		seen->first[reg->slot] = reg->value;
		seen->first_at[reg->slot] = at;
	}
	seen->value[reg->slot] = reg->value;
	seen->have |= bit;
}

/* Registers that any field of the encoding could name as a destination. This is quicker than asking
 * which one it writes. */
static uint64_t may_write(uint32_t enc, unsigned size)
{
	enum {
		LOAD = 0x03,
		FENCE = 0x0f,
		STORE = 0x23,
		FP_STORE = 0x27,
		AMO = 0x2f,
		FP = 0x53,
		BRANCH = 0x63
	};
	unsigned rd = enc >> 7 & 31, opcode = enc & 0x7f;
	bool pair = size == 2 || opcode == LOAD || opcode == AMO || opcode == FP;
	if (size == 4 && (opcode == FENCE || opcode == STORE || opcode == FP_STORE || opcode == BRANCH))
		return 0; /* there is no destination */
	uint64_t regs = UINT64_C(1) << rd | UINT64_C(1) << (pair && rd ? rd | 1 : rd);
	if (size == 2) {
		if ((enc & 3) == 2 && (enc >> 13) == 5)
			return UINT64_MAX; /* Zcmp pops many */
		regs |= UINT64_C(1) << (8 + (enc >> 7 & 7)) | UINT64_C(1) << (8 + (enc >> 2 & 7)) | 2;
		regs |= UINT64_C(1) << (8 + ((enc >> 2 & 7) | 1));
	}
	return regs | regs << 32;
}

void stf_rule_regs(struct stf_walk *walk, uint32_t enc, unsigned size)
{
	struct stf_group *group = &walk->group;
	struct stf_regs_seen *seen = &walk->sp->regs;
	if (walk->at.now.group & STF_FORCED)
		stf_regs_forget(walk);
	for (unsigned i = 0; i < group->n_regs; i++)
		if (group->reg[i].role == CAIRN_ROLE_SRC)
			judge_source(walk, &group->reg[i]);
	uint64_t written = may_write(enc, size);
	seen->have &= ~written;
	seen->cut |= written;
	if (group->n_regs == GROUP_REGS ||
	    (walk->at.now.group & G_EVENT)) /* rows may be missing, or an event's doing */
		stf_regs_forget(walk);
	for (unsigned i = 0; i < group->n_regs && !(walk->at.now.group & G_EVENT); i++)
		if (group->reg[i].role == CAIRN_ROLE_DST) {
			seen->value[group->reg[i].slot] = group->reg[i].value;
			seen->have |= UINT64_C(1) << group->reg[i].slot;
		}
	group->n_regs = 0;
}

void stf_rules_fold_regs(struct stf_judge *judge, const struct stf_part *sp,
                         struct check_part *part)
{
	const struct stf_regs_seen *seen = &sp->regs;
	for (unsigned slot = 0; slot < STF_FOLLOWED; slot++) {
		uint64_t bit = UINT64_C(1) << slot;
		if ((seen->asked & judge->regs_have & bit) && seen->first[slot] != judge->regs[slot])
			rules_regs_differs(part, &seen->first_at[slot], slot, seen->first[slot],
			                   judge->regs[slot]);
		if (seen->have & bit)
			judge->regs[slot] = seen->value[slot];
	}
	judge->regs_have = sp->damaged ? 0 : (judge->regs_have & ~seen->cut) | seen->have;
}

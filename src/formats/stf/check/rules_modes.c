/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of privilege modes: whether a MODE_CHANGE has a cause, and whether what runs may run in the
 * mode that is in force.
 *
 * The mode falls by a trap return, and rises by an exception, an interrupt or an environment call,
 * of the group's instruction or of the one before it. With a FORCE_PC the trace may begin anew
 * (another process, a cut), so no cause is needed there.
 */
#include "formats/stf/check/rules.h"

enum { MRET = 0x30200073, CSR_MODES = 3 };

static bool rules_modes_is_known(const struct stf_walk *walk)
{
	return walk->at.now.ctx.known & CAIRN_CTX_PRIV && walk->at.now.ctx.priv <= CAIRN_PRIV_MACHINE;
}

/* ---- causes ---- */

void stf_rule_mode_cause(struct check_part *part, const struct stf_mode_change *change,
                         unsigned causes)
{
	if (!change->cause || (causes & change->cause))
		return;
	check_add(part, STF_RULE_MODE_CAUSE, &change->at,
	          "the mode %s from %s to %s, but there is no %s",
	          change->to < change->from ? "falls" : "rises", stf_name(stf_modes, change->from),
	          stf_name(stf_modes, change->to),
	          change->cause == CAUSE_XRET ? "trap return" : "exception, interrupt or call");
}

static unsigned causes_of(const struct stf_walk *walk, const struct cairn_op *op)
{
	unsigned causes = op->traits & CAIRN_TRAIT_XRET ? CAUSE_XRET : 0;
	if (walk->at.now.group & (G_ABORTED | G_SYSCALL))
		causes |= CAUSE_EVENT;
	return causes;
}

static void judge_change(struct stf_walk *walk, unsigned causes)
{
	const struct stf_group *group = &walk->group;
	unsigned from = walk->at.now.ctx.priv, to = walk->at.now.mode;
	if (from == to) {
		FIND(walk, MODE_SAME, group->mode_at, "the mode is %s already", stf_name(stf_modes, to));
		return;
	}
	struct stf_mode_change change = {.cause = to < from ? CAUSE_XRET : CAUSE_EVENT,
	                                 .from = (uint8_t)from,
	                                 .to = (uint8_t)to,
	                                 .at = stf_spot_place(walk, group->mode_at)};
	if (walk->caused[0] + 1 == walk->at.n)
		causes |= CAUSE_XRET;
	if (walk->caused[1] + 1 == walk->at.n)
		causes |= CAUSE_EVENT;
	if (walk->sp->insns == 0 && !(causes & change.cause))
		walk->sp->head_change = change; /* fold knows what was before */
	else
		stf_rule_mode_cause(walk->part, &change, causes);
}

/* ---- what runs ---- */

/* An instruction that the mode forbids would have raised an exception. */
static void judge_privilege(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op)
{
	unsigned priv = walk->at.now.ctx.priv, csr = op->enc >> 20, wanted = csr >> 8 & CSR_MODES;
	const char *mode = stf_name(stf_modes, priv);
	if ((op->traits & CAIRN_TRAIT_XRET) &&
	    (priv == CAIRN_PRIV_USER || (op->enc == MRET && priv != CAIRN_PRIV_MACHINE)))
		FIND(walk, MODE_PRIVILEGED, stf_here(walk, p),
		     "a return from a trap of %s mode while the trace "
		     "says %s mode",
		     op->enc == MRET ? "machine" : "supervisor", mode);
	bool is_csr = (op->enc & 0x7f) == 0x73 && (op->enc >> 12 & 3) != 0;
	/* A supervisor may have the CSRs of a hypervisor. */
	if (is_csr && wanted > (priv == CAIRN_PRIV_SUPERVISOR ? CAIRN_PRIV_HYPERVISOR : priv))
		FIND(walk, MODE_CSR, stf_here(walk, p),
		     "CSR 0x%03x is of %s mode, but the trace says %s mode", csr,
		     stf_name(stf_modes, wanted), mode);
}

void stf_rule_modes(struct stf_walk *walk, const uint8_t *p, const struct cairn_op *op)
{
	const uint32_t flags = walk->at.now.group;
	unsigned causes = causes_of(walk, op);
	if (!walk->riscv)
		return;
	if (rules_modes_is_known(walk)) {
		if (!(flags & G_ABORTED))
			judge_privilege(walk, p, op);
		if ((flags & STF_MODE_LATER) && !(flags & (STF_FORCED | G_SWITCH)))
			judge_change(walk, causes);
	}
	if (causes & CAUSE_XRET)
		walk->caused[0] = walk->at.n;
	if (causes & CAUSE_EVENT)
		walk->caused[1] = walk->at.n;
}

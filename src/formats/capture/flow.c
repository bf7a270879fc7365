/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the instructions of a capture went. ¶ A branch was taken when its thread went where the
 * encoding, or a register, says. A branch without a condition went there even when something else
 * (a signal's handler) ran first. SPARC's branches are known when the instruction in their slot has
 * run; an annulled one becomes a row of its own.
 */
#include "formats/capture/decoder.h"
#include "isa/sparc.h"

static void taken(struct cairn_insn *row, uint64_t target)
{
	row->flags |= CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
	row->target = target;
}

static bool flow_reg_value(const struct decoder *decoder, unsigned num, uint64_t *values)
{
	bool zero = num == 0 && decoder->im->isa != CAIRN_ISA_A64;
	*values = zero ? 0 : *capture_value(decoder->im, decoder->thread, num);
	return zero || decoder->thread->has[num];
}

bool capture_points(const struct decoder *decoder, const struct capture_insn *in, uint64_t *target)
{
	uint32_t e = in->enc;
	uint64_t rest = 0;
	bool known = false;
	if (!(in->op.traits & CAIRN_TRAIT_INDIRECT))
		return false;
	if (in->op.isa == CAIRN_ISA_A64) {
		return (e & 0xff9ffc1f) == 0xd61f0000 && (e >> 5 & 31) != 31 &&
		       flow_reg_value(decoder, e >> 5 & 31, target);
	} else if (in->op.isa == CAIRN_ISA_SPARC) {
		known = e & 1 << 13 || flow_reg_value(decoder, e & 31, &rest);
		rest += e & 1 << 13 ? (uint64_t)(int64_t)((int32_t)(e << 19) >> 19) : 0;
		known = known && flow_reg_value(decoder, e >> 14 & 31, target);
	} else {
		known = in->size == 2 ? flow_reg_value(decoder, e >> 7 & 31, target)
		                      : (e & 0x7f) == 0x67 && flow_reg_value(decoder, e >> 15 & 31, target);
		rest = in->size == 2 ? 0 : (uint64_t)(int64_t)((int32_t)e >> 20);
	}
	*target += rest;
	*target &= in->op.isa == CAIRN_ISA_SPARC ? UINT64_MAX : ~(uint64_t)1;
	*target &= in->op.isa == CAIRN_ISA_RV32 ? UINT32_MAX : UINT64_MAX;
	return known;
}

/* Does it go somewhere else whatever happens next? */
static bool goes(const struct capture_insn *in)
{
	return in->op.traits & CAIRN_TRAIT_BRANCH &&
	       !(in->op.traits & (CAIRN_TRAIT_CONDITIONAL | CAIRN_TRAIT_INDIRECT)) &&
	       !(in->op.isa == CAIRN_ISA_SPARC && isa_sparc_flow(in->enc) == ISA_SPARC_NEVER);
}

bool capture_branch(const struct capture_insn *in, struct cairn_insn *row, uint64_t next,
                    bool falls, const uint64_t *points_to)
{
	const struct cairn_op *op = &in->op;
	bool conditional = op->traits & CAIRN_TRAIT_CONDITIONAL;
	if (conditional && falls)
		row->flags |= CAIRN_INSN_NOT_TAKEN;
	else if (op->traits & CAIRN_TRAIT_INDIRECT)
		taken(row, points_to ? *points_to : next);
	else if (next == cairn_op_target(op, in->pc))
		taken(row, next);
	else if (goes(in)) /* it went there, but something else ran first */
		taken(row, cairn_op_target(op, in->pc));
	else
		return false;
	return next == row->target || row->flags & CAIRN_INSN_NOT_TAKEN;
}

void capture_annulled(struct decoder *decoder, const struct capture_insn *in)
{
	struct cairn_batch *batch = decoder->rows.batch;
	struct cairn_insn *row = &batch->insns[batch->n_insns++];
	struct cairn_op op;
	cairn_isa_decode(CAIRN_ISA_SPARC, in->next, 4, &op);
	*row = (struct cairn_insn){.pc = in->pc + 4,
	                           .enc = in->next,
	                           .traits = op.traits,
	                           .cls = op.cls,
	                           .size = 4,
	                           .isa = CAIRN_ISA_SPARC,
	                           .flags = CAIRN_INSN_ANNULLED,
	                           .ctx = decoder->ctx,
	                           .reg0 = (uint16_t)batch->n_regs,
	                           .mem0 = (uint16_t)batch->n_mems,
	                           .ev0 = (uint16_t)batch->n_events,
	                           .rec = batch->insns[batch->n_insns - 2].rec,
	                           .off = batch->insns[batch->n_insns - 2].off};
	if (!in->next_known)
		row->flags |= CAIRN_INSN_ENC_UNKNOWN;
	decoder->im->n++;
}

static void leave_branch(struct decoder *decoder)
{
	decoder->im->n_open -= decoder->thread->branch_open;
	decoder->thread->branch_open = false;
}

/* SPARC: the slot of an open branch has run, and `next` is where its thread went on. False: the
 * branch could not go there; if it has but one way, that is the way it went. */
static bool close_branch(struct decoder *decoder, uint64_t next)
{
	struct capture_thread *thread = decoder->thread;
	struct cairn_insn *row = &decoder->rows.batch->insns[thread->branch];
	struct cairn_op op;
	leave_branch(decoder);
	cairn_isa_decode(CAIRN_ISA_SPARC, row->enc, 4, &op);
	bool conditional = row->traits & CAIRN_TRAIT_CONDITIONAL;
	/* The slot of an annulling branch runs only when the branch is taken. */
	bool must = !conditional || isa_sparc_annuls(row->enc, ISA_SPARC_COND, false);
	uint64_t target = !(row->traits & CAIRN_TRAIT_INDIRECT) ? cairn_op_target(&op, row->pc)
	                  : thread->branch_points               ? thread->branch_to
	                                                        : next;
	if (!must && next == thread->branch_pc + 8)
		row->flags |= CAIRN_INSN_NOT_TAKEN;
	else if (must || next == target)
		taken(row, target);
	return next == target || row->flags & CAIRN_INSN_NOT_TAKEN;
}

bool capture_delayed(struct decoder *decoder, const struct capture_insn *in, uint32_t row_at,
                     uint64_t next, bool falls, const uint64_t *points_to, bool *annulled)
{
	enum isa_sparc_flow f = isa_sparc_flow(in->enc);
	struct cairn_insn *row = &decoder->rows.batch->insns[row_at];
	struct capture_thread *thread = decoder->thread;
	bool in_slot = thread->branch_open && in->pc == thread->branch_pc + 4;
	bool known = in_slot && !isa_sparc_is_dcti(f) && close_branch(decoder, next);
	leave_branch(decoder); /* one of a couple, or with a handler between: no more is known */
	if (!isa_sparc_is_dcti(f))
		return falls || known;
	/* in case its slot does not come next */
	if (goes(in) || points_to)
		taken(row, points_to ? *points_to : cairn_op_target(&in->op, in->pc));
	if (falls && f != ISA_SPARC_NEVER) {
		thread->branch_open = true;
		decoder->im->n_open++;
		thread->branch = row_at;
		thread->branch_pc = in->pc;
		thread->branch_points = points_to != NULL;
		thread->branch_to = points_to ? *points_to : 0;
		return true;
	}
	if (f == ISA_SPARC_NEVER || (f == ISA_SPARC_COND && next == in->pc + 8)) {
		row->flags |= CAIRN_INSN_NOT_TAKEN;
		*annulled = !falls;
	} else if (isa_sparc_annuls(in->enc, f, true)) {
		*annulled = true;
		return next == row->target;
	}
	return *annulled || falls;
}

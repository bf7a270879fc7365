/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_SLOT_H
#define MODEL_SLOT_H
/* Questions about one slot of a batch, for whatever follows the state of a machine. */
#include <stdbool.h>

#include "cairn/trace.h"

/* Who runs it. */
static inline const struct cairn_ctx *model_slot_ctx(const struct cairn_batch *batch, uint32_t slot)
{
	static const struct cairn_ctx none;
	uint16_t i = batch->insns[slot].ctx;
	return i < batch->n_ctxs ? &batch->ctxs[i] : &none;
}

/* Is there an instruction that ran? */
static inline bool model_slot_runs(const struct cairn_batch *batch, uint32_t slot)
{
	return slot < batch->n_insns && !(batch->insns[slot].flags & CAIRN_INSN_NOT_EXECUTED);
}

/* Has it an event of this kind? */
static inline bool model_slot_has(const struct cairn_batch *batch, uint32_t slot,
                                  enum cairn_event_kind kind)
{
	for (uint32_t k = batch->insns[slot].ev0; k < batch->insns[slot + 1].ev0; k++)
		if (batch->events[k].kind == kind)
			return true;
	return false;
}

/* Is something missing before its instruction (a gap, or damage), or in it and behind it? */
static inline bool model_slot_lacks(const struct cairn_batch *batch, uint32_t slot, bool behind)
{
	for (uint32_t k = batch->insns[slot].ev0; k < batch->insns[slot + 1].ev0; k++) {
		const struct cairn_event *event = &batch->events[k];
		if ((event->kind == CAIRN_EV_GAP || event->kind == CAIRN_EV_DAMAGE) &&
		    behind == (event->phase != CAIRN_BEFORE))
			return true;
	}
	return false;
}

/* Does it come from elsewhere than the instruction before it leads to? */
enum model_arrival {
	MODEL_GOES_ON,
	MODEL_JUMPS,   /* what ran before it is missing, for a reason that the trace does not tell */
	MODEL_SWITCHES /* a PC is told because another hart comes: nothing is missing if that goes on
	                * where it was */
};
static inline enum model_arrival model_slot_arrival(const struct cairn_batch *batch, uint32_t slot)
{
	if (slot >= batch->n_insns || !(batch->insns[slot].flags & CAIRN_INSN_DISCONTINUITY))
		return MODEL_GOES_ON;
	const struct cairn_ctx *before = &batch->ctxs[slot ? batch->insns[slot - 1].ctx : 0];
	const struct cairn_ctx *now = model_slot_ctx(batch, slot);
	bool jumps = !model_slot_has(batch, slot, CAIRN_EV_FORCE_PC) ||
	             !(now->known & CAIRN_CTX_HART) || !(before->known & CAIRN_CTX_HART) ||
	             before->hart == now->hart;
	return jumps ? MODEL_JUMPS : MODEL_SWITCHES;
}

/* The address that its hart goes on at, in *next. False: it is not known. */
static inline bool model_slot_next(const struct cairn_batch *batch, uint32_t slot, uint64_t *next)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	bool known = !(insn->flags & (CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_NOT_EXECUTED));
	bool taken = insn->flags & CAIRN_INSN_TAKEN;
	*next = taken ? insn->target : insn->pc + insn->size;
	if (taken)
		known &= (insn->flags & CAIRN_INSN_TARGET) != 0;
	else if (insn->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET))
		known &= (insn->flags & CAIRN_INSN_NOT_TAKEN) != 0;
	for (uint32_t k = insn->ev0; k < insn[1].ev0; k++) {
		const struct cairn_event *event = &batch->events[k];
		if (event->phase == CAIRN_BEFORE)
			continue;
		if (event->flags & CAIRN_EVF_TARGET)
			*next = event->target;
		if (event->kind >= CAIRN_EV_EXCEPTION && event->kind <= CAIRN_EV_TRAP_RETURN)
			known = false;
		known |= (event->flags & CAIRN_EVF_TARGET) != 0;
	}
	return known;
}

#endif

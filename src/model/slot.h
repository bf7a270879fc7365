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
		if ((event->kind == CAIRN_EV_GAP && !behind) ||
		    (event->kind == CAIRN_EV_DAMAGE && behind == (event->phase != CAIRN_BEFORE)))
			return true;
	}
	return false;
}

/* Does it come without what ran before it, for a reason that the trace does not tell? Where a PC
 * is told because another hart comes, nothing is missing. */
static inline bool model_slot_jumps(const struct cairn_batch *batch, uint32_t slot)
{
	if (slot >= batch->n_insns || !(batch->insns[slot].flags & CAIRN_INSN_DISCONTINUITY))
		return false;
	const struct cairn_ctx *before = &batch->ctxs[slot ? batch->insns[slot - 1].ctx : 0];
	const struct cairn_ctx *now = model_slot_ctx(batch, slot);
	return !model_slot_has(batch, slot, CAIRN_EV_FORCE_PC) || !(now->known & CAIRN_CTX_HART) ||
	       !(before->known & CAIRN_CTX_HART) || before->hart == now->hart;
}

#endif

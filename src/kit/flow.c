/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the order of instructions: see flow.h. */
#include "kit/flow.h"

void kit_outcome(struct cairn_insn *row, const struct cairn_op *op, const uint64_t *next)
{
	bool direct = !(op->traits & CAIRN_TRAIT_INDIRECT) && !(row->flags & CAIRN_INSN_PC_UNKNOWN);
	uint64_t behind = row->pc + row->size;
	if (!(op->traits & CAIRN_TRAIT_BRANCH) || row->flags & CAIRN_INSN_ABORTED)
		return;
	if (op->traits & CAIRN_TRAIT_DELAY_SLOT) /* another instruction comes first */
		next = NULL;
	if (direct && !(row->flags & CAIRN_INSN_TARGET)) {
		row->target = cairn_op_target(op, row->pc);
		row->flags |= CAIRN_INSN_TARGET;
	}
	if (row->flags & CAIRN_INSN_NOT_TAKEN)
		return;
	if (op->traits & CAIRN_TRAIT_CONDITIONAL && !(row->flags & CAIRN_INSN_TAKEN)) {
		bool told = next && direct && row->target != behind;
		if (told && *next == row->target)
			row->flags |= CAIRN_INSN_TAKEN;
		else if (told && *next == behind)
			row->flags |= CAIRN_INSN_NOT_TAKEN;
		return;
	}
	row->flags |= CAIRN_INSN_TAKEN;
	if (next && !(row->flags & CAIRN_INSN_TARGET)) {
		row->target = *next;
		row->flags |= CAIRN_INSN_TARGET;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KIT_FLOW_H
#define KIT_FLOW_H
/*
 * What follows from the order of instructions in a trace that has all of them: which branches
 * were taken, and where the flow jumped for a reason outside the program.
 */
#include <stdbool.h>

#include "cairn/trace.h"

enum { KIT_HARTS = 16 }; /* harts whose flow is followed */

/* Where harts go on. All zero: nothing is known. */
struct kit_flow {
	uint64_t known; /* bit h: next[h] is where hart h goes on */
	uint64_t next[KIT_HARTS];
};

/* Is the instruction that a hart runs now somewhere else than where it was going? */
static inline bool kit_jumped(const struct kit_flow *flow, unsigned hart, uint64_t pc)
{
	return hart < KIT_HARTS && flow->known >> hart & 1 && flow->next[hart] != pc;
}

/* Was the branch taken, and where to? `next`: the PC behind it in its hart, NULL: not known. What
 * the row already says stays. */
void kit_outcome(struct cairn_insn *row, const struct cairn_op *op, const uint64_t *next);

/* Set where the row's hart goes on, once the row's outcome is found. `broken`: something other than
 * the instruction decides that. */
static inline void kit_follow(struct kit_flow *flow, unsigned hart, const struct cairn_insn *row,
                              const struct cairn_op *op, bool broken)
{
	enum { ELSEWHERE = CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT };
	uint64_t bit = UINT64_C(1) << (hart % KIT_HARTS), next = row->pc + row->size;
	bool known = row->size && !broken && !(op->traits & ELSEWHERE) &&
	             !(row->flags & (CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_NOT_EXECUTED)) &&
	             row->isa != CAIRN_ISA_SPARC; /* its branches take effect an instruction later */
	if (hart >= KIT_HARTS)
		return;
	if (op->traits & CAIRN_TRAIT_BRANCH && !(row->flags & CAIRN_INSN_NOT_TAKEN)) {
		known &= (row->flags & CAIRN_INSN_TAKEN) && (row->flags & CAIRN_INSN_TARGET);
		next = row->target;
	}
	flow->known = known ? flow->known | bit : flow->known & ~bit;
	flow->next[hart] = known ? next : 0;
}

/* Does such an event decide where its hart goes on? */
static inline bool kit_is_trap(unsigned kind)
{
	return kind == CAIRN_EV_EXCEPTION || kind == CAIRN_EV_INTERRUPT || kind == CAIRN_EV_SYSCALL ||
	       kind == CAIRN_EV_FORMAT; /* a reset */
}

#endif

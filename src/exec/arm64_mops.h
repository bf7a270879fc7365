/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_ARM64_MOPS_H
#define EXEC_ARM64_MOPS_H
/* Between arm64_mops.c, which follows registers, and arm64_mops_memory.c, which follows memory. */
#include "exec/arm64.h"

/* The manual's options, and directions. */
enum {
	MOPS_A_FORWARD = 1,
	MOPS_A_BACKWARD = 2,
	MOPS_B_FORWARD = 4,
	MOPS_B_BACKWARD = 8,
	MOPS_FORWARD = MOPS_A_FORWARD | MOPS_B_FORWARD,
	MOPS_BACKWARD = MOPS_A_BACKWARD | MOPS_B_BACKWARD
};

/* What numbers from `least` to `most` that lie a multiple of `unit`, a power of two, apart have in
 * common. */
static inline struct exec_bits mops_between(uint64_t least, uint64_t most, unsigned unit)
{
	uint64_t differ = least ^ most, known = unit - 1;
	if (least <= most)
		known |= differ ? ~(UINT64_MAX >> __builtin_clzll(differ)) : UINT64_MAX;
	return (struct exec_bits){least & known, known};
}

/* Make out what memory will hold, where something is known of it: `data` is what is set, or NULL. */
void mops_foresee(struct cairn_machine *machine, const struct exec_bits *data);
/* Memory has changed otherwise, before or behind writes of the sequence: nothing is known of what it will hold. */
void mops_forget(struct cairn_machine *machine);
/* The accesses that the trace tells of an instruction of the sequence: what they leave of ways and
 * numbers is all that may be. False: they contradict it. */
bool mops_accesses(struct cairn_machine *machine);
/* Write what the instruction has written, and may have written: before it `most` bytes remained at most. */
void mops_write(struct cairn_machine *machine, uint64_t most);
/* It is not known what has been written. */
void mops_doubt(struct cairn_machine *machine);
/* What is told of accesses is true, whatever else may be. */
void mops_believe(struct cairn_machine *machine);

#endif

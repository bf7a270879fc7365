/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_STATE_H
#define ANALYSIS_STATE_H
/* Inside view of a state: state.c tells it what slots say, state_go.c brings it to a place. */
#include "analysis/memory.h"
#include "analysis/regs.h"
#include "model/model.h"
#include "model/slot.h"

/* Where slots are added; see index_gather.c. */
struct state_telling {
	struct isa_written_memo *memo; /* NULL: only rows count */
	bool silent;                   /* as the format says: struct model_format */
	bool switches;                 /* likewise */
	bool big; /* the most significant byte of a value is at the lowest address */
};

struct cairn_state {
	struct cairn *cairn;
	struct cairn_state_opts opts;
	struct regs regs;
	struct memory memory;
	struct state_telling telling;
	/* where it is; nowhere when `r` is NULL */
	struct cairn_reader *reader;
	struct cairn_batch *batch; /* the one being told … */
	uint32_t slot;             /* … of which those before this slot have been added */
	uint32_t row;              /* of the instruction gone to */
	uint64_t from;             /* number where reading began */
	uint64_t at;               /* everything before this number has been added; 0: nothing yet */
	uint64_t peeked;           /* the number whose STATE_DOUBTED part has been added; 0: none */
};

/* Add what a slot tells of registers. STATE_BEFORE: the values before its instruction.
 * STATE_WRITTEN: what the instruction wrote. STATE_DOUBTED: as STATE_BEFORE, when the state
 * before this instruction is the one asked for. Where a source value contradicts an earlier
 * value, the trace does not tell which is wrong, so the bits that differ become unknown. On the
 * way to a later instruction the source is believed. */
enum state_part { STATE_BEFORE, STATE_DOUBTED, STATE_WRITTEN };
int state_slot_regs(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                    enum state_part part, const struct state_telling *telling);
/* Before a slot: note where the hart before it goes on, and say whether its own hart comes from
 * elsewhere (MODEL_JUMPS) than where it was: then what it and memory held is not known. In a part
 * MODEL_SWITCHES: what is known before the part decides. enum model_arrival, or CAIRN_E_NOMEM. */
int state_arrive(struct regs *regs, const struct cairn_batch *batch, uint32_t slot,
                 const struct state_telling *telling);
/* What the hart of a slot held is not known. CAIRN_E_NOMEM. */
int state_forget_hart(struct regs *regs, const struct cairn_batch *batch, uint32_t slot);
/* Does it tell anything of registers before it? */
static inline bool state_slot_reads(const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	bool reads = insn[0].ev0 != insn[1].ev0;
	for (uint32_t k = insn[0].reg0; k < insn[1].reg0 && !reads; k++)
		reads = batch->regs[k].role != CAIRN_ROLE_DST;
	return reads;
}
/* Memory likewise. */
int state_slot_mems(struct memory *to, const struct cairn_batch *batch, uint32_t slot, bool written,
                    const struct state_telling *telling);

#endif

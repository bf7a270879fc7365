/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_STATE_H
#define ANALYSIS_STATE_H
/* Inside view of a state: state.c tells it what slots say, state_go.c brings it to a place. */
#include "analysis/memory.h"
#include "analysis/regs.h"
#include "model/model.h"

struct cairn_state {
	struct cairn *c;
	struct cairn_state_opts opts;
	struct regs regs;
	struct memory memory;
	bool big;                  /* the order of bytes of what is read */
	/* where it is; nowhere when `r` is NULL */
	struct cairn_reader *r;
	struct cairn_batch *batch; /* the one being told … */
	uint32_t slot;             /* … of which slots before this one have been */
	uint32_t row;              /* of the instruction gone to */
	uint64_t from;             /* number where reading began */
	uint64_t at;               /* all before this number has been told; 0: nowhere yet */
};

/* Registers of a slot: those read, or those written; see index_gather.c. */
int state_slot_regs(struct regs *m, const struct cairn_batch *b, uint32_t slot, bool written);
/* Memory likewise; `big`: the most significant byte of a value is at the lowest address. */
int state_slot_mems(struct memory *to, const struct cairn_batch *b, uint32_t slot, bool big,
                    bool written);
/* Is something missing at a slot? GAP: before it; DAMAGE: in it. */
bool state_slot_has(const struct cairn_batch *b, uint32_t slot, enum cairn_event_kind kind);

#endif

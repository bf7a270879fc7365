/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_DECODER_H
#define STF_DECODER_H
/* What the files share that make batches of records. */
#include "formats/stf/read/code.h"
#include "formats/stf/stf.h"
#include "kit/rows.h"

enum slot_flag {                   /* beside enum stf_follow_flag */
	             SLOT_TARGET = 1,  /* INST_PC_TARGET seen */
	             SLOT_ABORTED = 2, /* an exception or interrupt stopped the instruction */
	             SLOT_BUS = 4,     /* accesses of bus masters seen */
	             SLOT_ODD = 8,     /* the PC is not known, or an event leads elsewhere */
	             SLOT_SETTLE = 16  /* rows that mean what reading.c says */
};

struct decoder {
	struct cairn_reader *reader;
	const struct cairn_stf_config *cfg;
	struct model_span *span;
	struct stf_span *ss;
	struct stf_state *at;
	struct kit_rows rows;
	uint32_t room_of;                  /* number of the slot for which `rows` has room */
	uint32_t fresh;                    /* flags with which every slot begins: 0, or SLOT_ODD */
	uint64_t key[2];                   /* of encodings of 16 and 32 bits (code.h) */
	uint64_t target;                   /* of the slot's INST_PC_TARGET */
	const struct cairn_reg *many_regs; /* a batch ends behind the slot that has this row */
	const struct cairn_mem *many_mems;
	uint16_t ctx;                /* row in force */
	struct cairn_mem *mem, *bus; /* last rows, for their contents */
	uint32_t deps, n_deps;
	struct stf_worker *worker;
	const struct stf_reading *reading;
	uint32_t access_flag; /* SLOT_SETTLE where sizes are in bits, else 0 */
	bool ours;            /* the set's numbers are cairn's (sets.c) */
	uint8_t mode0;        /* enum cairn_priv of mode 0 */
	bool full;            /* rare rows are many: end the batch after this slot */
};

/* ---- decoder_rare.c ---- */

/* A record for which the loop's switch has no case. `len` is measured. 1: the slot has ended. */
int decode_rare(struct decoder *decoder, const uint8_t *p, size_t len);
/* The event of a forced PC. */
void decode_forced(struct decoder *decoder, uint64_t pc);
/* Make rows of a slot what they mean by reading.c: `row` is its instruction, NULL when none came.
 *  */
void decode_settle(struct decoder *decoder, const struct cairn_insn *row, struct cairn_reg *reg,
                   const struct cairn_reg *reg_end, struct cairn_mem *mem,
                   const struct cairn_mem *mem_end);
/* The context has changed. */
void decode_context(struct decoder *decoder);
/* Let rows be made for this instruction set. */
void decode_know_isa(struct decoder *decoder, enum cairn_isa isa);
/* A slot begins outside the loop. */
void decode_begin_slot(struct decoder *decoder);

/* ---- decoder_xact.c ---- */

void decode_dependency(struct decoder *decoder, const uint8_t *p);
/* It ends a slot. */
void decode_transaction(struct decoder *decoder, const uint8_t *p);

#endif

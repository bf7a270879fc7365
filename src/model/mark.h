/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_MARK_H
#define MODEL_MARK_H
/*
 * Marks: comments by which a written trace says which values of an instruction were derived (docs/execution.md). No
 * format has a field for that, but each that has comments has these, and whoever does not know them reads comments.
 */
#include "model/model.h"

/* How a comment begins that marks rows of its slot; in logs of text "; " stands before it. */
#define MODEL_MARK_TEXT "cairn: derived: "

/* The marks of a batch while they are collected. */
struct model_marking {
	struct cairn *cairn;
	struct cairn_batch *batch;
	uint32_t slot;
	uint8_t what; /* which list the text is in */
	struct base_buf text;
	struct model_mark {
		uint32_t slot, at, len;
	} * marks;
	size_t n, cap;
	uint64_t lost; /* for want of room in the batch */
};

void model_marking_free(struct model_marking *marking);
/* Mark a row of a slot; slots come in their order. CAIRN_E_NOMEM. */
int model_mark_reg(struct model_marking *marking, struct cairn_batch *batch, uint32_t slot,
                   const struct cairn_reg *reg);
int model_mark_mem(struct model_marking *marking, struct cairn_batch *batch, uint32_t slot,
                   const struct cairn_mem *mem);
/* Put what was marked into the batch as comments. CAIRN_E_NOMEM. */
int model_marks_put(struct model_marking *marking, struct cairn_batch *batch,
                    enum model_marks where);
/* Flag the rows that a batch's comments mark. */
void model_marks_read(struct cairn_batch *batch);

#endif

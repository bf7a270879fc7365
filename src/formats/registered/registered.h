/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REGISTERED_REGISTERED_H
#define REGISTERED_REGISTERED_H
/*
 * A format of the program's own (cairn/format.h) as the others are.
 *
 * A slot is filled apart and then put into the batch. So a batch can end before it, what a call
 * gave that failed is dropped, and the instruction before it learns where the flow went.
 */
#include "cairn/format.h"
#include "isa/memo.h"
#include "kit/flow.h"
#include "kit/rows.h"
#include "kit/spans.h"

struct registered {
	struct model_format format; /* `own` is the other one */
	struct cairn_format given;
};

/* Make one of what the program lists; it may be of an older size. CAIRN_E_INVAL. */
int registered_init(struct cairn *cairn, const struct cairn_format *given, struct registered *out);

struct registered_place {
	uint64_t record, off;
};

struct cairn_input {
	struct cairn_reader *reader;
	struct kit_source source;
	struct kit_bytes bytes;
	struct registered_place at; /* of the last record */
	bool within;                /* more of it may be read */
	bool opening;               /* open is running … */
	bool again;                 /* … and has run before */
	struct base_buf comments;   /* of each its length, a size_t, and the text */
	int failed;                 /* reading cannot go on: the status, and why */
	char why[1024];
};

struct cairn_slot {
	struct cairn_input *input;
	struct model_span *span;
	struct cairn_batch *batch; /* the slot alone */
	struct kit_rows rows;
	struct cairn_ctx ctx;
	struct cairn_op op;                  /* of its instruction */
	struct registered_place first, insn; /* of its first row, and of its instruction */
	bool any;                            /* something was given, wanted or not */
	bool broken_before, broken_after;    /* the flow, by what stands there */
};

/* Note a failure; the first one stays. `said`: what failed has left a sentence. */
int registered_failed(struct cairn_input *input, int status, bool said);

struct registered_impl {
	const struct cairn_format *given;
	char *options;
	void *state;
	bool open;  /* `state` is to be closed */
	bool begun; /* a span was cut */
	bool ended;
	bool holds; /* the slot waits to be put into a batch */
	struct cairn_input input;
	struct cairn_slot slot;
	struct isa_memo *memo;
	uint64_t n; /* number of the next instruction */
	struct kit_flow flow;
	struct cairn_op op;               /* of the batch's last instruction … */
	bool follows;                     /* … whose successor is not known yet */
	bool broken;                      /* … and does not follow */
	uint32_t reg0, mem0, ev0, n_rows; /* where the batch's last slot begins, and how many it has */
	uint16_t ctx;                     /* its context */
};

#endif

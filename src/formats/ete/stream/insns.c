/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fourth layer: the ranges of a flow, instruction by instruction.
 *
 * The flow walks over blocks of the program. This file walks over the blocks of a range again and
 * takes the encodings out of their bytes. The blocks were there for the flow, so they are found
 * again, unless memory runs out.
 */
#include "formats/ete/stream/flow.h"

struct cairn_ete_insns {
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step; /* the range at work */
	uint64_t at;                /* its next instruction */
	uint32_t left;              /* instructions of it */
	uint64_t generation;
	const struct ete_block *block; /* that `at` lies in */
};

/* Flags that are true of the whole range. JUMPED is true of its first instruction, the others of
 * its last. */
enum {
	OF_ALL = CAIRN_ETE_R_INEXACT | CAIRN_ETE_R_UNSURE | CAIRN_ETE_R_DISCARDED |
	         CAIRN_ETE_R_OUTCOME_UNKNOWN
};

int cairn_ete_insns_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                         const struct cairn_ete_flow_opts *opts, const void *data, size_t n,
                         uint64_t base, struct cairn_ete_insns **out)
{
	struct cairn_ete_insns *insns = base_alloc(cairn, sizeof *insns);
	*out = NULL;
	if (!insns)
		return CAIRN_E_NOMEM;
	int rc = cairn_ete_flow_open(cairn, cfg, opts, data, n, base, &insns->flow);
	if (rc < 0) {
		base_free(cairn, insns);
		return rc;
	}
	*out = insns;
	return 0;
}

void cairn_ete_insns_close(struct cairn_ete_insns *insns)
{
	struct cairn *cairn = insns ? insns->flow->cairn : NULL;
	if (!insns)
		return;
	cairn_ete_flow_close(insns->flow);
	base_free(cairn, insns);
}

/* The block of the next instruction: it begins there, or still holds it. */
static const struct ete_block *insns_block_of(struct cairn_ete_insns *insns)
{
	struct ete_code *code = insns->flow->code;
	if (!insns->block || insns->at == insns->block->end || insns->generation != code->generation) {
		insns->block = ete_code_block(code, insns->at, insns->step.isa, insns->step.view);
		insns->generation = code->generation;
	}
	return insns->block;
}

static int insns_instruction(struct cairn_ete_insns *insns, struct cairn_ete_ran *ran)
{
	const struct cairn_ete_step *step = &insns->step;
	const struct ete_block *block = insns_block_of(insns);
	unsigned size = 0, flags = step->flags & OF_ALL;
	if (!block)
		return CAIRN_E_NOMEM;
	*ran = (struct cairn_ete_ran){.step = step, .pc = insns->at, .isa = step->isa};
	ran->enc = isa_arm_fetch(step->isa, block->bytes + (insns->at - block->addr),
	                         (size_t)(block->end - insns->at), &size);
	ran->size = (uint8_t)size;
	if (insns->at == step->start)
		flags |= step->flags & CAIRN_ETE_R_JUMPED;
	insns->at += size;
	if (--insns->left == 0) {
		flags |= step->flags & ~(unsigned)CAIRN_ETE_R_JUMPED;
		ran->target = step->target;
	}
	ran->flags = (uint16_t)flags;
	return 1;
}

int cairn_ete_insns_next(struct cairn_ete_insns *insns, struct cairn_ete_ran *ran)
{
	if (!insns->left) {
		int rc = cairn_ete_flow_next(insns->flow, &insns->step);
		if (rc <= 0)
			return rc;
		if (insns->step.kind != CAIRN_ETE_STEP_RANGE) {
			*ran = (struct cairn_ete_ran){.step = &insns->step};
			return 1;
		}
		insns->at = insns->step.start;
		insns->left = insns->step.n;
		insns->block = NULL;
	}
	return insns_instruction(insns, ran);
}

/* ---- places ---- */

/* The flow has gone elsewhere, or could not: then the present range goes on. */
static int insns_went(struct cairn_ete_insns *insns, int rc)
{
	if (rc >= 0) {
		insns->left = 0;
		insns->block = NULL;
	}
	return rc;
}

int cairn_ete_insns_sync_forward(struct cairn_ete_insns *insns)
{
	return insns_went(insns, cairn_ete_flow_sync_forward(insns->flow));
}

int cairn_ete_insns_sync_backward(struct cairn_ete_insns *insns)
{
	return insns_went(insns, cairn_ete_flow_sync_backward(insns->flow));
}

int cairn_ete_insns_sync_set(struct cairn_ete_insns *insns, uint64_t offset)
{
	return insns_went(insns, cairn_ete_flow_sync_set(insns->flow, offset));
}

void cairn_ete_insns_limit(struct cairn_ete_insns *insns, uint64_t offset)
{
	cairn_ete_flow_limit(insns->flow, offset);
}

uint64_t cairn_ete_insns_tell(const struct cairn_ete_insns *insns)
{
	return insns->left ? insns->step.offset : cairn_ete_flow_tell(insns->flow);
}

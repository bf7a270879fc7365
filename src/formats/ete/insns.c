/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fourth layer: the ranges of a flow, instruction by instruction.
 *
 * The flow walks over blocks; so does this, over those of the range it was given, and the
 * encodings come out of their bytes. A range was made of blocks that are there, so they are
 * found again, unless there is no memory.
 */
#include "formats/ete/flow.h"

struct cairn_ete_insns {
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step; /* the range at work */
	uint64_t at;                /* its next instruction */
	uint32_t left;              /* instructions of it */
	uint64_t generation;
	const struct ete_block *block; /* that `at` lies in */
};

/* What flags tell of the whole range. The others tell of its last instruction, JUMPED of its
 * first. */
enum {
	OF_ALL = CAIRN_ETE_R_INEXACT | CAIRN_ETE_R_UNSURE | CAIRN_ETE_R_DISCARDED |
	         CAIRN_ETE_R_OUTCOME_UNKNOWN
};

int cairn_ete_insns_open(struct cairn *c, const struct cairn_ete_config *cfg,
                         const struct cairn_ete_flow_opts *opts, const void *data, size_t n,
                         uint64_t base, struct cairn_ete_insns **out)
{
	struct cairn_ete_insns *d = base_alloc(c, sizeof *d);
	*out = NULL;
	if (!d)
		return CAIRN_E_NOMEM;
	int rc = cairn_ete_flow_open(c, cfg, opts, data, n, base, &d->flow);
	if (rc < 0) {
		base_free(c, d);
		return rc;
	}
	*out = d;
	return 0;
}

void cairn_ete_insns_close(struct cairn_ete_insns *d)
{
	struct cairn *c = d ? d->flow->c : NULL;
	if (!d)
		return;
	cairn_ete_flow_close(d->flow);
	base_free(c, d);
}

/* The block of the next instruction; it begins there, or holds it from before. */
static const struct ete_block *insns_block_of(struct cairn_ete_insns *d)
{
	struct ete_code *code = d->flow->code;
	if (!d->block || d->at == d->block->end || d->generation != code->generation) {
		d->block = ete_code_block(code, d->at, d->step.isa, d->step.view);
		d->generation = code->generation;
	}
	return d->block;
}

static int insns_instruction(struct cairn_ete_insns *d, struct cairn_ete_ran *r)
{
	const struct cairn_ete_step *s = &d->step;
	const struct ete_block *b = insns_block_of(d);
	unsigned size = 0, flags = s->flags & OF_ALL;
	if (!b)
		return CAIRN_E_NOMEM;
	*r = (struct cairn_ete_ran){.step = s, .pc = d->at, .isa = s->isa};
	r->enc = isa_arm_fetch(s->isa, b->bytes + (d->at - b->addr), (size_t)(b->end - d->at), &size);
	r->size = (uint8_t)size;
	if (d->at == s->start)
		flags |= s->flags & CAIRN_ETE_R_JUMPED;
	d->at += size;
	if (--d->left == 0) {
		flags |= s->flags & ~(unsigned)CAIRN_ETE_R_JUMPED;
		r->target = s->target;
	}
	r->flags = (uint16_t)flags;
	return 1;
}

int cairn_ete_insns_next(struct cairn_ete_insns *d, struct cairn_ete_ran *r)
{
	if (!d->left) {
		int rc = cairn_ete_flow_next(d->flow, &d->step);
		if (rc <= 0)
			return rc;
		if (d->step.kind != CAIRN_ETE_STEP_RANGE) {
			*r = (struct cairn_ete_ran){.step = &d->step};
			return 1;
		}
		d->at = d->step.start;
		d->left = d->step.n;
		d->block = NULL;
	}
	return insns_instruction(d, r);
}

/* ---- places ---- */

/* The flow has gone elsewhere, or could not: then the range at work goes on. */
static int insns_went(struct cairn_ete_insns *d, int rc)
{
	if (rc >= 0) {
		d->left = 0;
		d->block = NULL;
	}
	return rc;
}

int cairn_ete_insns_sync_forward(struct cairn_ete_insns *d)
{
	return insns_went(d, cairn_ete_flow_sync_forward(d->flow));
}

int cairn_ete_insns_sync_backward(struct cairn_ete_insns *d)
{
	return insns_went(d, cairn_ete_flow_sync_backward(d->flow));
}

int cairn_ete_insns_sync_set(struct cairn_ete_insns *d, uint64_t offset)
{
	return insns_went(d, cairn_ete_flow_sync_set(d->flow, offset));
}

void cairn_ete_insns_limit(struct cairn_ete_insns *d, uint64_t offset)
{
	cairn_ete_flow_limit(d->flow, offset);
}

uint64_t cairn_ete_insns_tell(const struct cairn_ete_insns *d)
{
	return d->left ? d->step.offset : cairn_ete_flow_tell(d->flow);
}

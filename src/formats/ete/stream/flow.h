/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_FLOW_H
#define ETE_FLOW_H
/*
 * Inside view of the flow: as cairn/ete_flow.h, over a program whose blocks outlive the flow.
 */
#include "cairn/ete_flow.h"
#include "formats/ete/stream/code.h"

enum { ETE_STACK = 16, ETE_AHEAD = 256 };

struct cairn_ete_flow {
	struct cairn *cairn;
	struct cairn_ete_elements *in;
	struct ete_code *code;
	struct ete_code own; /* when nobody lends one */
	bool stacked;        /* the trace unit has a return stack, and it is on */

	/* where execution is */
	uint64_t addr;
	struct ete_block *block; /* the block at addr, if it was looked up */
	uint64_t generation;     /* of the blocks when it was */
	struct ete_block *made;  /* the block that is the last range, if it is a whole one */
	uint16_t view;
	uint8_t isa, is1;
	uint8_t el, security, aarch64;
	bool has_vmid, has_ctxid;
	uint32_t vmid, ctxid;
	bool no_addr, no_ctxt;
	bool waiting; /* an indirect branch was taken: an address, or the return stack, says where to */
	bool no_stack; /* but not the stack: it returned from an exception (M profile) */
	bool returned; /* the last range ends with an exception return */
	bool m_profile;
	bool restarts; /* a transaction failed, and nothing ran since: that may be anywhere */
	bool jumped;   /* the next range does not follow the last one */
	/* an address came, which another may correct (IVTLTF); what was known before it */
	bool addressed, was_waiting, was_known, was_jumped;
	uint64_t was_at;
	uint64_t stood;   /* where execution was when the last exception came, */
	bool stood_known; /* if that was known */

	/* atoms not followed since the last step that was not about them */
	uint8_t lost_reason; /* enum cairn_ete_gap; 0 none */
	uint32_t lost;
	uint64_t lost_at, lost_offset;

	/* the return stack */
	struct {
		uint64_t addr;
		uint8_t isa;
	} stack[ETE_STACK];
	unsigned top, depth;
	bool no_push; /* since a Trace Info no address has come */

	/* elements read ahead, and how far the present one has been followed */
	struct cairn_ete_element ahead[ETE_AHEAD];
	size_t n_ahead, at;
	uint32_t atom;
	uint8_t stage;
	uint64_t walked; /* of a source address: how far the walk has come */
	bool ended;
};

/* Open a flow over blocks that the caller keeps. */
int ete_flow_open(struct cairn *cairn, const struct cairn_ete_config *cfg, struct ete_code *code,
                  unsigned transactions, const void *data, size_t n, uint64_t base,
                  struct cairn_ete_flow **out);
/* Set the instruction set and the memory by context and address. */
void ete_flow_set_isa(struct cairn_ete_flow *flow);
/* Does this element settle an address that came before it, so that none behind it corrects it? */
static inline bool ete_settles(const struct cairn_ete_element *element)
{
	return element->kind < CAIRN_ETE_CYCLES && element->kind != CAIRN_ETE_ADDRESS &&
	       element->kind != CAIRN_ETE_CONTEXT;
}
/* Has the trace unit a return stack, and is it on? */
static inline bool ete_stacked(const struct cairn_ete_config *cfg)
{
	return (cfg->configr >> 12 & 1) && (cfg->idr0 >> 9 & 1);
}
/* Which other instructions are P0 for this trace unit: enum ete_also. */
unsigned ete_also_p0(const struct cairn_ete_config *cfg);

#endif

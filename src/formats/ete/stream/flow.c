/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following the program: from elements to ranges of instructions.
 *
 * Between two atoms the program can only have gone straight on, so an atom stands for
 * all instructions up to the next P0 one, and says what that did. Where the trace does
 * not tell the way (an indirect branch without an address, a return the stack does not
 * know, missing bytes), nothing is guessed: atoms are counted until an address comes,
 * and a gap tells how many and why.
 *
 * The atoms of one element are the inner loop; blocks remember their successors, so a
 * loop of the program costs no look-up.
 */
#include "formats/ete/stream/flow.h"

#include "image/image.h"

/* Stages of an element: not begun; being walked to; to be delivered; not to be delivered, because
 * the walk stands for it. */
enum { BEGIN = 0, WALK, DELIVER, CONSUMED };

const char *cairn_ete_gap_text(unsigned reason)
{
	static const char *const texts[] = {
		[CAIRN_ETE_GAP_NO_BYTES] = "no program bytes",
		[CAIRN_ETE_GAP_NO_ADDRESS] = "the address is not known",
		[CAIRN_ETE_GAP_NO_CONTEXT] = "the context is not known",
		[CAIRN_ETE_GAP_STACK] = "the return stack is empty",
		[CAIRN_ETE_GAP_FAR] = "no branch within a million instructions",
		[CAIRN_ETE_GAP_COUNT] = "the trace does not say which way was taken",
		[CAIRN_ETE_GAP_NO_RETURN] = "the return address is not reached",
		[CAIRN_ETE_GAP_NO_SOURCE] = "the source address is not reached",
	};
	return reason < sizeof texts / sizeof *texts ? texts[reason] : NULL;
}

/* ---- where execution is ---- */

static inline struct ete_block *block_at(struct cairn_ete_flow *flow, uint64_t addr)
{
	return ete_code_block(flow->code, addr, flow->isa, flow->view);
}

static inline struct ete_block *block_here(struct cairn_ete_flow *flow)
{
	if (!flow->block || flow->generation != flow->code->generation) {
		flow->block = block_at(flow, flow->addr);
		flow->generation = flow->code->generation;
	}
	return flow->block;
}

void ete_flow_set_isa(struct cairn_ete_flow *flow)
{
	flow->isa = flow->is1 ? CAIRN_ISA_T32 : flow->aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
	flow->view = (uint16_t)ete_code_view(
		flow->code, &(struct image_seer){.space = image_space_of(flow->el, flow->security),
	                                     .has_vmid = flow->has_vmid,
	                                     .vmid = flow->vmid,
	                                     .has_ctxid = flow->has_ctxid,
	                                     .ctxid = flow->ctxid});
	flow->block = NULL;
}

static void flow_go(struct cairn_ete_flow *flow, uint64_t addr, unsigned isa)
{
	flow->addr = addr;
	flow->isa = (uint8_t)isa;
	flow->is1 = isa == CAIRN_ISA_T32;
	flow->block = NULL;
}

static void flow_lose_address(struct cairn_ete_flow *flow)
{
	flow->no_addr = true;
	flow->waiting = flow->no_stack = flow->addressed = false;
	flow->block = NULL;
}

static void lose_stack(struct cairn_ete_flow *flow)
{
	flow->depth = 0;
}

static inline void flow_push(struct cairn_ete_flow *flow, uint64_t addr, unsigned isa)
{
	if (!flow->stacked || flow->no_push)
		return;
	flow->top = (flow->top + 1) % ETE_STACK;
	flow->stack[flow->top].addr = addr;
	flow->stack[flow->top].isa = (uint8_t)isa;
	flow->depth += flow->depth < ETE_STACK;
}

/* Note that atoms are lost, and why; the first reason is the one that is reported. */
static void flow_lose(struct cairn_ete_flow *flow, uint64_t offset, unsigned reason, uint64_t at,
                      uint32_t n)
{
	if (!flow->code->image)
		return;
	if (!flow->lost_reason) {
		flow->lost_reason = (uint8_t)reason;
		flow->lost_at = at;
		flow->lost_offset = offset;
	}
	flow->lost += n;
}

/* There is no address behind an indirect branch: the return stack knows the target, or nothing
 * does. */
static void flow_resolve(struct cairn_ete_flow *flow, uint64_t offset)
{
	bool asked = flow->depth && !flow->no_stack;
	flow->waiting = flow->no_stack = false;
	if (asked) {
		flow->depth--;
		flow_go(flow, flow->stack[flow->top].addr, flow->stack[flow->top].isa);
		flow->top = (flow->top + ETE_STACK - 1) % ETE_STACK;
		return;
	}
	flow_lose_address(flow);
	flow_lose(flow, offset,
	          flow->stacked && !flow->depth ? CAIRN_ETE_GAP_STACK : CAIRN_ETE_GAP_NO_ADDRESS, 0, 0);
}

/* Can execution be followed from here? */
static inline bool ready(struct cairn_ete_flow *flow, uint64_t offset)
{
	if (flow->waiting)
		flow_resolve(flow, offset);
	return !flow->no_addr && !flow->no_ctxt;
}

/* ---- steps ---- */

static uint16_t fate(const struct cairn_ete_element *element)
{
	return (
		uint16_t)((element->flags & CAIRN_ETE_DISCARDED ? CAIRN_ETE_R_DISCARDED : 0) |
	              (element->flags & CAIRN_ETE_OUTCOME_UNKNOWN ? CAIRN_ETE_R_OUTCOME_UNKNOWN : 0));
}

static inline void flow_range(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                              struct cairn_ete_step *step, uint64_t start, uint64_t end, uint32_t n,
                              unsigned flags)
{
	*step = (struct cairn_ete_step){
		.offset = element->offset,
		.start = start,
		.end = end,
		.n = n,
		.flags = (uint16_t)(flags | fate(element) | (flow->jumped ? CAIRN_ETE_R_JUMPED : 0)),
		.kind = CAIRN_ETE_STEP_RANGE,
		.isa = flow->isa,
		.el = flow->el,
		.security = flow->security,
		.view = flow->view};
	flow->jumped = flow->returned = flow->addressed = flow->restarts = false;
	flow->made = NULL;
}

static inline void last(struct cairn_ete_step *step, const struct ete_block *block)
{
	step->last = block->kind;
	step->last_size = block->size;
	step->flags |= (uint16_t)((block->flags & ISA_ARM_LINK ? CAIRN_ETE_R_LINK : 0) |
	                          (block->flags & ISA_ARM_RETURN ? CAIRN_ETE_R_RETURN : 0) |
	                          (block->flags & ISA_ARM_ERET ? CAIRN_ETE_R_ERET : 0) |
	                          (block->flags & ISA_ARM_CONDITIONAL ? CAIRN_ETE_R_CONDITIONAL : 0));
	if (block->kind == ISA_ARM_DIRECT) {
		step->target = block->target;
		step->flags |= CAIRN_ETE_R_TARGET;
	}
}

static void flow_gap(const struct cairn_ete_flow *flow, struct cairn_ete_step *step,
                     uint64_t offset, unsigned reason, uint64_t start, uint64_t end, uint32_t n)
{
	*step = (struct cairn_ete_step){.offset = offset,
	                                .start = start,
	                                .end = end,
	                                .n = n,
	                                .kind = CAIRN_ETE_STEP_GAP,
	                                .reason = (uint8_t)reason,
	                                .isa = flow->isa,
	                                .el = flow->el,
	                                .security = flow->security,
	                                .view = flow->view};
}

static void flow_element(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                         struct cairn_ete_step *step)
{
	*step = (struct cairn_ete_step){.offset = element->offset,
	                                .element = element,
	                                .kind = CAIRN_ETE_STEP_ELEMENT,
	                                .flags = fate(element),
	                                .isa = flow->isa,
	                                .el = flow->el,
	                                .security = flow->security,
	                                .view = flow->view};
	if (element->kind == CAIRN_ETE_EXCEPTION_RETURN && flow->returned)
		step->flags |= CAIRN_ETE_R_ERET;
}

/* The P0 instruction at the end of a block did what an atom says. */
static inline void flow_outcome(struct cairn_ete_flow *flow, struct cairn_ete_step *step,
                                struct ete_block *block, bool taken)
{
	bool branch = block->kind == ISA_ARM_DIRECT || block->kind == ISA_ARM_INDIRECT;
	last(step, block);
	if (branch)
		step->flags |= taken ? CAIRN_ETE_R_TAKEN : CAIRN_ETE_R_NOT_TAKEN;
	if (branch && taken && block->flags & ISA_ARM_LINK)
		flow_push(flow, block->end, block->isa);
	if (branch && taken && block->kind == ISA_ARM_INDIRECT) {
		flow->waiting = true;
		flow->returned = block->flags & ISA_ARM_ERET;
		flow->block = NULL;
		return;
	}
	bool jumps = branch && taken;
	struct ete_block *next = jumps ? block->taken : block->falls;
	flow->addr = jumps ? block->target : block->end;
	if (jumps)
		flow->isa = block->target_isa;
	if (!next) {
		uint64_t generation = flow->code->generation;
		next = block_at(flow, flow->addr);
		if (generation == flow->code->generation) /* or `block` is gone */
			*(jumps ? &block->taken : &block->falls) = next;
		flow->generation = flow->code->generation;
	}
	flow->block = next;
}

/* ---- atoms ---- */

/* Lose the rest of an element of atoms, none of which can be followed. */
static void lose_atoms(struct cairn_ete_flow *flow, struct cairn_ete_element *element,
                       struct cairn_ete_step *step, unsigned reason)
{
	uint32_t n = element->n_atoms - flow->atom;
	flow_lose(flow, element->offset, reason, flow->addr, n);
	element->atoms >>= flow->atom;
	element->n_atoms = (uint8_t)n;
	flow->atom = n;
	flow->addressed = false;
	flow_element(flow, element, step);
}

/* The block with the next P0 instruction. NULL when the bytes end before it or it is too far; *end
 * is where that is. */
static struct ete_block *next_p0(struct cairn_ete_flow *flow, uint32_t *n, uint64_t *end)
{
	struct ete_block *block = block_here(flow);
	*n = 0;
	*end = flow->addr;
	while (block && block->kind == ISA_ARM_NONE && *n < ETE_CODE_FAR) {
		*n += block->n;
		*end = block->end;
		block = block_at(flow, block->end);
	}
	return block && block->kind != ISA_ARM_NONE ? block : NULL;
}

static int one_atom(struct cairn_ete_flow *flow, struct cairn_ete_element *element,
                    struct cairn_ete_step *step)
{
	bool taken = element->atoms >> flow->atom & 1;
	uint64_t start = flow->addr, end;
	uint32_t n = 0;
	struct ete_block *block = block_here(flow);
	uint64_t generation = flow->generation;
	if (__builtin_expect(!block || block->kind == ISA_ARM_NONE, 0))
		block = next_p0(flow, &n, &end);
	if (__builtin_expect(block != NULL, 1)) {
		flow_range(flow, element, step, start, block->end, n + block->n, 0);
		flow_outcome(flow, step, block, taken);
		flow->made = n || flow->generation != generation ? NULL : block;
		flow->atom++;
		return 1;
	}
	if (flow->code->failed)
		return CAIRN_E_NOMEM;
	if (n >= ETE_CODE_FAR) {
		flow_lose_address(flow);
		lose_atoms(flow, element, step, CAIRN_ETE_GAP_FAR);
	} else if (n) { /* instructions whose bytes are there did run */
		flow_range(flow, element, step, start, end, n, CAIRN_ETE_R_OPEN);
		flow_go(flow, end, flow->isa);
	} else {
		flow_lose_address(flow);
		lose_atoms(flow, element, step, CAIRN_ETE_GAP_NO_BYTES);
	}
	return 1;
}

static int follow_atoms(struct cairn_ete_flow *flow, struct cairn_ete_element *element,
                        struct cairn_ete_step *step)
{
	if (flow->atom == element->n_atoms)
		return 0;
	if (__builtin_expect(ready(flow, element->offset), 1) && flow->code->image)
		return one_atom(flow, element, step);
	lose_atoms(flow, element, step,
	           flow->no_addr ? CAIRN_ETE_GAP_NO_ADDRESS : CAIRN_ETE_GAP_NO_CONTEXT);
	return 1;
}

/* ---- walking to a place ---- */

/* How many instructions of a block lie before `to`, which is within it or at its end; 0 when none
 * begins there. */
static uint32_t count_to(const struct ete_block *block, uint64_t to)
{
	uint64_t at = block->addr;
	uint32_t n = 0;
	if (block->isa != CAIRN_ISA_T32)
		return (to - block->addr) % 4 ? 0 : (uint32_t)((to - block->addr) / 4);
	while (at < to) {
		unsigned size;
		isa_arm_fetch(block->isa, block->bytes + (at - block->addr), (size_t)(block->end - at),
		              &size);
		if (!size)
			return 0;
		at += size;
		n++;
	}
	return at == to ? n : 0;
}

/* Walk up to the return address of an exception, whatever stands between. 1: a step. */
static int walk_to_return(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                          struct cairn_ete_step *step)
{
	uint64_t start = flow->addr, at = start, to = element->address;
	uint32_t n = 0, more;
	unsigned flags =
		CAIRN_ETE_R_OPEN |
		(element->flags & CAIRN_ETE_INEXACT ? CAIRN_ETE_R_INEXACT | CAIRN_ETE_R_UNSURE : 0);
	const struct ete_block *block = NULL;
	for (block = block_here(flow); block && n < ETE_CODE_FAR; block = block_at(flow, at)) {
		bool here = to <= block->end;
		more = here ? count_to(block, to) : block->n;
		if (!more || (here && n + more > ETE_CODE_FAR)) {
			flow_gap(flow, step, element->offset, CAIRN_ETE_GAP_NO_RETURN, start, to, 0);
			return 1;
		}
		if (block->kind != ISA_ARM_NONE && to >= block->end)
			flags |= CAIRN_ETE_R_INEXACT;
		n += more;
		at = here ? to : block->end;
		if (here)
			break;
	}
	if (flow->code->failed)
		return CAIRN_E_NOMEM;
	if (at != to) /* bytes end, or it is too far */
		flow_lose(flow, element->offset,
		          n >= ETE_CODE_FAR ? CAIRN_ETE_GAP_NO_RETURN : CAIRN_ETE_GAP_NO_BYTES, at, 0);
	if (!n || n >= ETE_CODE_FAR)
		return 0;
	flow_range(flow, element, step, start, at, n, flags);
	if (at == to && to == block->end)
		last(step, block);
	return 1;
}

static int follow_exception(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                            struct cairn_ete_step *step)
{
	int rc = 0;
	flow->stage = DELIVER;
	if (element->flags & CAIRN_ETE_ALSO_TARGET) {
		flow_go(flow, element->address, element->isa);
		flow->waiting = flow->no_stack = flow->no_addr = false;
	}
	flow->stood_known = flow->code->image && ready(flow, element->offset);
	flow->stood = flow->addr;
	if (flow->stood_known && flow->addr < element->address)
		rc = walk_to_return(flow, element, step);
	flow_lose_address(flow);
	return rc;
}

/* Walk up to a source address: P0 instructions before it were not taken, it was. */
static int walk_to_source(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                          struct cairn_ete_step *step)
{
	uint64_t start = flow->walked, at = start, to = element->address;
	uint32_t n = 0;
	for (;;) {
		struct ete_block *block = block_at(flow, at);
		if (!block || n >= ETE_CODE_FAR) {
			flow->stage = DELIVER;
			flow_lose_address(flow);
			if (flow->code->failed)
				return CAIRN_E_NOMEM;
			flow_lose(flow, element->offset,
			          block ? CAIRN_ETE_GAP_NO_SOURCE : CAIRN_ETE_GAP_NO_BYTES, at, 1);
			if (!n || block)
				return 0;
			flow_range(flow, element, step, start, at, n, CAIRN_ETE_R_OPEN);
			return 1;
		}
		if (to < block->end) { /* it lies in this block, where it should be the last */
			if (block->kind != ISA_ARM_NONE && block->end - block->size == to) {
				flow->stage = CONSUMED;
				flow_range(flow, element, step, start, block->end, n + block->n, 0);
				flow_outcome(flow, step, block, true);
				return 1;
			}
			flow->stage = DELIVER;
			flow_gap(flow, step, element->offset, CAIRN_ETE_GAP_NO_SOURCE, start, to, 1);
			flow_lose_address(flow);
			return 1;
		}
		n += block->n;
		at = block->end;
		if (block->kind == ISA_ARM_NONE)
			continue;
		bool branch = block->kind == ISA_ARM_DIRECT || block->kind == ISA_ARM_INDIRECT;
		bool odd = branch && !(block->flags & ISA_ARM_CONDITIONAL);
		flow_range(flow, element, step, start, at, n, odd ? CAIRN_ETE_R_INEXACT : 0);
		last(step, block);
		step->flags |= branch ? CAIRN_ETE_R_NOT_TAKEN : 0;
		flow->walked = at;
		return 1;
	}
}

static int follow_source(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                         struct cairn_ete_step *step)
{
	if (flow->stage == BEGIN) {
		if (!flow->code->image)
			return 0;
		bool known = ready(flow, element->offset);
		if (flow->no_ctxt) {
			flow_lose(flow, element->offset, CAIRN_ETE_GAP_NO_CONTEXT, 0, 1);
			return 0;
		}
		if (!known || flow->addr > element->address) {
			flow->jumped = true;
			flow->no_addr = false;
			flow_go(flow, element->address, element->isa);
		}
		flow->lost_reason = 0; /* the return stack did not know it; now it is known */
		flow->walked = flow->addr;
		flow->stage = WALK;
	}
	return walk_to_source(flow, element, step);
}

/* ---- Q ---- */

/* Can `count` instructions have run straight on from here to the target? Then they are a range. */
static bool q_range(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                    struct cairn_ete_step *step)
{
	uint64_t start = flow->addr, at = start;
	uint32_t n = 0;
	bool target = element->flags & CAIRN_ETE_HAS_ADDRESS;
	while (n < element->count && n < ETE_CODE_FAR) {
		const struct ete_block *block = block_at(flow, at);
		if (!block)
			return false;
		if (n + block->n < element->count) {
			if (!ete_goes_on(block))
				return false;
			n += block->n;
			at = block->end;
			continue;
		}
		if (n + block->n == element->count && block->kind != ISA_ARM_NONE) {
			bool branch = block->kind == ISA_ARM_DIRECT || block->kind == ISA_ARM_INDIRECT;
			if (!branch && target && block->end != element->address)
				return false;
			flow_range(flow, element, step, start, block->end, element->count, 0);
			last(step, block);
			bool falls = block->flags & ISA_ARM_CONDITIONAL && element->address == block->end;
			if (branch && target)
				step->flags |= falls ? CAIRN_ETE_R_NOT_TAKEN : CAIRN_ETE_R_TAKEN;
			return true;
		}
		for (uint32_t i = n; i < element->count; i++) {
			unsigned size;
			isa_arm_fetch(block->isa, block->bytes + (at - block->addr), (size_t)(block->end - at),
			              &size);
			at += size;
		}
		if (target && at != element->address)
			return false;
		flow_range(flow, element, step, start, at, element->count, CAIRN_ETE_R_OPEN);
		return true;
	}
	return false;
}

static int follow_q(struct cairn_ete_flow *flow, const struct cairn_ete_element *element,
                    struct cairn_ete_step *step)
{
	if (!flow->code->image)
		return 0;
	flow->stage = CONSUMED;
	bool counted = element->flags & CAIRN_ETE_HAS_COUNT, known = ready(flow, element->offset);
	uint32_t count = counted ? element->count : 0;
	if (!known || !counted || !q_range(flow, element, step))
		flow_gap(flow, step, element->offset, CAIRN_ETE_GAP_COUNT, known ? flow->addr : 0,
		         element->address, count);
	flow->lost_reason = 0; /* this gap tells it all */
	if (flow->code->failed)
		return CAIRN_E_NOMEM;
	flow_lose_address(flow);
	if (element->flags & CAIRN_ETE_HAS_ADDRESS) {
		flow_go(flow, element->address, element->isa);
		flow->no_addr = false;
	} else {
		flow->waiting = false;
	}
	return 1;
}

/* ---- everything else ---- */

/* Of several addresses before a P0 element the last one counts; where execution stood is what was
 * known before the first. */
static void take_address(struct cairn_ete_flow *flow, const struct cairn_ete_element *element)
{
	if (!flow->addressed) {
		flow->addressed = true;
		flow->was_waiting = flow->waiting;
		flow->was_known = !flow->no_addr;
		flow->was_at = flow->addr;
		flow->was_jumped = flow->jumped;
	}
	flow->jumped = flow->was_jumped ||
	               (!flow->was_waiting && (!flow->was_known || flow->was_at != element->address));
	flow->waiting = flow->no_stack = flow->no_addr = flow->no_push = false;
	flow->addr = element->address;
	flow->is1 = element->is1;
	ete_flow_set_isa(flow);
}

static void take_context(struct cairn_ete_flow *flow, const struct cairn_ete_element *element)
{
	flow->el = element->el;
	flow->security = element->security;
	flow->aarch64 = element->aarch64;
	flow->has_vmid = element->flags & CAIRN_ETE_HAS_VMID;
	flow->vmid = element->vmid;
	flow->has_ctxid = element->flags & CAIRN_ETE_HAS_CTXID;
	flow->ctxid = element->ctxid;
	flow->no_ctxt = false;
	ete_flow_set_isa(flow);
}

/* Change the state by an element, when what had to be followed has been. */
static void flow_take(struct cairn_ete_flow *flow, const struct cairn_ete_element *element)
{
	switch (element->kind) {
	case CAIRN_ETE_ADDRESS:
		take_address(flow, element);
		break;
	case CAIRN_ETE_CONTEXT:
		take_context(flow, element);
		break;
	case CAIRN_ETE_TRACE_INFO: /* an address that it repeats is not a correction */
		lose_stack(flow);
		flow->no_push = true;
		flow->addressed = false;
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		flow->restarts = true;
		flow->addressed = false;
		break;
	case CAIRN_ETE_TRANSACTION_START:
	case CAIRN_ETE_TRANSACTION_COMMIT:
		flow->addressed = false;
		break;
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_PE_RESET:
		flow->no_ctxt = true;
		lose_stack(flow);
		flow_lose_address(flow);
		break;
	case CAIRN_ETE_TRACE_ON:
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
		lose_stack(flow);
		flow_lose_address(flow);
		break;
	case CAIRN_ETE_EXCEPTION_RETURN:
		if (!flow->m_profile)
			break;                  /* an ERET, which the program tells */
									/* fall through */
	case CAIRN_ETE_FUNCTION_RETURN: /* by an indirect branch whose atom came before */
		flow->no_stack = flow->waiting;
		if (!flow->waiting)
			flow_lose_address(flow);
		break;
	case CAIRN_ETE_EXCEPTION:
		flow_lose_address(flow);
		break;
	case CAIRN_ETE_Q:
		if (!(element->flags & CAIRN_ETE_HAS_ADDRESS))
			flow_lose_address(flow);
		break;
	default:
		break;
	}
}

static int read_ahead(struct cairn_ete_flow *flow)
{
	flow->at = flow->n_ahead = 0;
	if (flow->ended)
		return 0;
	int64_t n = cairn_ete_elements_fill(flow->in, flow->ahead, ETE_AHEAD);
	if (n < 0)
		return (int)n;
	flow->ended = n == 0;
	flow->n_ahead = (size_t)n;
	return n > 0;
}

static bool flow_report_lost(struct cairn_ete_flow *flow, struct cairn_ete_step *step)
{
	if (!flow->lost_reason)
		return false;
	flow_gap(flow, step, flow->lost_offset, flow->lost_reason, flow->lost_at, 0, flow->lost);
	flow->lost_reason = 0;
	flow->lost = 0;
	return true;
}

/* Follow an element as far as there is something to follow: 1 a step, 0 done. */
static int flow_follow(struct cairn_ete_flow *flow, struct cairn_ete_element *element,
                       struct cairn_ete_step *step)
{
	switch (element->kind) {
	case CAIRN_ETE_EXCEPTION:
		return follow_exception(flow, element, step);
	case CAIRN_ETE_SOURCE:
		return follow_source(flow, element, step);
	case CAIRN_ETE_Q:
		return follow_q(flow, element, step);
	default:
		return 0;
	}
}

int cairn_ete_flow_next(struct cairn_ete_flow *flow, struct cairn_ete_step *step)
{
	for (;;) {
		if (flow->at == flow->n_ahead) {
			int rc = read_ahead(flow);
			if (rc < 0)
				return rc;
			if (rc == 0)
				return flow_report_lost(flow, step);
		}
		struct cairn_ete_element *element = &flow->ahead[flow->at];
		if (__builtin_expect(element->kind == CAIRN_ETE_ATOMS, 1)) {
			int rc = follow_atoms(flow, element, step);
			if (rc)
				return rc;
			flow->at++;
			flow->atom = 0;
			continue;
		}
		if (flow_report_lost(flow, step))
			return 1;
		if (flow->stage < DELIVER) {
			int rc = flow_follow(flow, element, step);
			if (rc < 0)
				return rc;
			if (flow->stage == CONSUMED) {
				flow->stage = BEGIN;
				flow->at++;
				return 1;
			}
			if (rc)
				return 1;
			flow->stage = DELIVER;
			continue;
		}
		flow->stage = BEGIN;
		flow->at++;
		flow_take(flow, element);
		flow_element(flow, element, step);
		return 1;
	}
}

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
#include "formats/ete/flow.h"

#include <string.h>

#include "image/image.h"

/* Stages of an element: not begun, being walked to; to be delivered; or not, for what was
 * walked stands for it. */
enum { BEGIN = 0, WALK, DELIVER, CONSUMED };

const char *cairn_ete_gap_text(unsigned reason)
{
	static const char *const texts[] = {
		[CAIRN_ETE_GAP_NO_BYTES] = "no program bytes",
		[CAIRN_ETE_GAP_NO_ADDRESS] = "the address is not known",
		[CAIRN_ETE_GAP_NO_CONTEXT] = "the context is not known",
		[CAIRN_ETE_GAP_STACK] = "the return stack is empty",
		[CAIRN_ETE_GAP_FAR] = "no branch within a million instructions",
		[CAIRN_ETE_GAP_COUNT] = "the trace does not tell the way",
		[CAIRN_ETE_GAP_NO_RETURN] = "the return address is not reached",
		[CAIRN_ETE_GAP_NO_SOURCE] = "the source address is not reached",
	};
	return reason < sizeof texts / sizeof *texts ? texts[reason] : NULL;
}

/* ---- where execution is ---- */

static inline struct ete_block *block_at(struct cairn_ete_flow *f, uint64_t addr)
{
	return ete_code_block(f->code, addr, f->isa, f->view);
}

static inline struct ete_block *block_here(struct cairn_ete_flow *f)
{
	if (!f->block || f->generation != f->code->generation) {
		f->block = block_at(f, f->addr);
		f->generation = f->code->generation;
	}
	return f->block;
}

void ete_flow_set_isa(struct cairn_ete_flow *f)
{
	f->isa = f->is1 ? CAIRN_ISA_T32 : f->aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
	f->view = (uint16_t)ete_code_view(
		f->code, &(struct image_seer){.space = image_space_of(f->el, f->security),
	                                  .has_vmid = f->has_vmid,
	                                  .vmid = f->vmid,
	                                  .has_ctxid = f->has_ctxid,
	                                  .ctxid = f->ctxid});
	f->block = NULL;
}

static void flow_go(struct cairn_ete_flow *f, uint64_t addr, unsigned isa)
{
	f->addr = addr;
	f->isa = (uint8_t)isa;
	f->is1 = isa == CAIRN_ISA_T32;
	f->block = NULL;
}

static void flow_lose_address(struct cairn_ete_flow *f)
{
	f->no_addr = true;
	f->waiting = f->no_stack = f->addressed = false;
	f->block = NULL;
}

static void lose_stack(struct cairn_ete_flow *f)
{
	f->depth = 0;
}

static inline void flow_push(struct cairn_ete_flow *f, uint64_t addr, unsigned isa)
{
	if (!f->stacked || f->no_push)
		return;
	f->top = (f->top + 1) % ETE_STACK;
	f->stack[f->top].addr = addr;
	f->stack[f->top].isa = (uint8_t)isa;
	f->depth += f->depth < ETE_STACK;
}

/* Note that atoms are lost, and why; the first reason is the one to tell. */
static void flow_lose(struct cairn_ete_flow *f, uint64_t offset, unsigned reason, uint64_t at,
                      uint32_t n)
{
	if (!f->code->image)
		return;
	if (!f->lost_reason) {
		f->lost_reason = (uint8_t)reason;
		f->lost_at = at;
		f->lost_offset = offset;
	}
	f->lost += n;
}

/* An indirect branch without an address behind it: the stack knows, or nobody does. */
static void flow_resolve(struct cairn_ete_flow *f, uint64_t offset)
{
	bool asked = f->depth && !f->no_stack;
	f->waiting = f->no_stack = false;
	if (asked) {
		f->depth--;
		flow_go(f, f->stack[f->top].addr, f->stack[f->top].isa);
		f->top = (f->top + ETE_STACK - 1) % ETE_STACK;
		return;
	}
	flow_lose_address(f);
	flow_lose(f, offset, f->stacked && !f->depth ? CAIRN_ETE_GAP_STACK : CAIRN_ETE_GAP_NO_ADDRESS,
	          0, 0);
}

/* Can execution be followed from here? */
static inline bool ready(struct cairn_ete_flow *f, uint64_t offset)
{
	if (f->waiting)
		flow_resolve(f, offset);
	return !f->no_addr && !f->no_ctxt;
}

/* ---- steps ---- */

static uint16_t fate(const struct cairn_ete_element *e)
{
	return (uint16_t)((e->flags & CAIRN_ETE_DISCARDED ? CAIRN_ETE_R_DISCARDED : 0) |
	                  (e->flags & CAIRN_ETE_OUTCOME_UNKNOWN ? CAIRN_ETE_R_OUTCOME_UNKNOWN : 0));
}

static inline void flow_range(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                              struct cairn_ete_step *s, uint64_t start, uint64_t end, uint32_t n,
                              unsigned flags)
{
	*s = (struct cairn_ete_step){
		.offset = e->offset,
		.start = start,
		.end = end,
		.n = n,
		.flags = (uint16_t)(flags | fate(e) | (f->jumped ? CAIRN_ETE_R_JUMPED : 0)),
		.kind = CAIRN_ETE_STEP_RANGE,
		.isa = f->isa,
		.el = f->el,
		.security = f->security,
		.view = f->view};
	f->jumped = f->returned = f->addressed = f->restarts = false;
	f->made = NULL;
}

static inline void last(struct cairn_ete_step *s, const struct ete_block *b)
{
	s->last = b->kind;
	s->last_size = b->size;
	s->flags |= (uint16_t)((b->flags & ISA_ARM_LINK ? CAIRN_ETE_R_LINK : 0) |
	                       (b->flags & ISA_ARM_RETURN ? CAIRN_ETE_R_RETURN : 0) |
	                       (b->flags & ISA_ARM_ERET ? CAIRN_ETE_R_ERET : 0) |
	                       (b->flags & ISA_ARM_CONDITIONAL ? CAIRN_ETE_R_CONDITIONAL : 0));
	if (b->kind == ISA_ARM_DIRECT) {
		s->target = b->target;
		s->flags |= CAIRN_ETE_R_TARGET;
	}
}

static void flow_gap(const struct cairn_ete_flow *f, struct cairn_ete_step *s, uint64_t offset,
                     unsigned reason, uint64_t start, uint64_t end, uint32_t n)
{
	*s = (struct cairn_ete_step){.offset = offset,
	                             .start = start,
	                             .end = end,
	                             .n = n,
	                             .kind = CAIRN_ETE_STEP_GAP,
	                             .reason = (uint8_t)reason,
	                             .isa = f->isa,
	                             .el = f->el,
	                             .security = f->security,
	                             .view = f->view};
}

static void flow_element(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                         struct cairn_ete_step *s)
{
	*s = (struct cairn_ete_step){.offset = e->offset,
	                             .element = e,
	                             .kind = CAIRN_ETE_STEP_ELEMENT,
	                             .flags = fate(e),
	                             .isa = f->isa,
	                             .el = f->el,
	                             .security = f->security,
	                             .view = f->view};
	if (e->kind == CAIRN_ETE_EXCEPTION_RETURN && f->returned)
		s->flags |= CAIRN_ETE_R_ERET;
}

/* The P0 instruction at the end of a block did what an atom says. */
static inline void flow_outcome(struct cairn_ete_flow *f, struct cairn_ete_step *s,
                                struct ete_block *b, bool taken)
{
	bool branch = b->kind == ISA_ARM_DIRECT || b->kind == ISA_ARM_INDIRECT;
	last(s, b);
	if (branch)
		s->flags |= taken ? CAIRN_ETE_R_TAKEN : CAIRN_ETE_R_NOT_TAKEN;
	if (branch && taken && b->flags & ISA_ARM_LINK)
		flow_push(f, b->end, b->isa);
	if (branch && taken && b->kind == ISA_ARM_INDIRECT) {
		f->waiting = true;
		f->returned = b->flags & ISA_ARM_ERET;
		f->block = NULL;
		return;
	}
	bool jumps = branch && taken;
	struct ete_block *next = jumps ? b->taken : b->falls;
	f->addr = jumps ? b->target : b->end;
	if (jumps)
		f->isa = b->target_isa;
	if (!next) {
		uint64_t generation = f->code->generation;
		next = block_at(f, f->addr);
		if (generation == f->code->generation) /* or `b` is gone */
			*(jumps ? &b->taken : &b->falls) = next;
		f->generation = f->code->generation;
	}
	f->block = next;
}

/* ---- atoms ---- */

/* What is left of an element of atoms, none of which can be followed. */
static void lose_atoms(struct cairn_ete_flow *f, struct cairn_ete_element *e,
                       struct cairn_ete_step *s, unsigned reason)
{
	uint32_t n = e->n_atoms - f->atom;
	flow_lose(f, e->offset, reason, f->addr, n);
	e->atoms >>= f->atom;
	e->n_atoms = (uint8_t)n;
	f->atom = n;
	f->addressed = false;
	flow_element(f, e, s);
}

/* The block with the next P0 instruction; NULL when the bytes end before, or it is too
 * far: then *end is where that is. */
static struct ete_block *next_p0(struct cairn_ete_flow *f, uint32_t *n, uint64_t *end)
{
	struct ete_block *b = block_here(f);
	*n = 0;
	*end = f->addr;
	while (b && b->kind == ISA_ARM_NONE && *n < ETE_CODE_FAR) {
		*n += b->n;
		*end = b->end;
		b = block_at(f, b->end);
	}
	return b && b->kind != ISA_ARM_NONE ? b : NULL;
}

static int one_atom(struct cairn_ete_flow *f, struct cairn_ete_element *e, struct cairn_ete_step *s)
{
	bool taken = e->atoms >> f->atom & 1;
	uint64_t start = f->addr, end;
	uint32_t n = 0;
	struct ete_block *b = block_here(f);
	uint64_t generation = f->generation;
	if (__builtin_expect(!b || b->kind == ISA_ARM_NONE, 0))
		b = next_p0(f, &n, &end);
	if (__builtin_expect(b != NULL, 1)) {
		flow_range(f, e, s, start, b->end, n + b->n, 0);
		flow_outcome(f, s, b, taken);
		f->made = n || f->generation != generation ? NULL : b;
		f->atom++;
		return 1;
	}
	if (f->code->failed)
		return CAIRN_E_NOMEM;
	if (n >= ETE_CODE_FAR) {
		flow_lose_address(f);
		lose_atoms(f, e, s, CAIRN_ETE_GAP_FAR);
	} else if (n) { /* what there are bytes of did run */
		flow_range(f, e, s, start, end, n, CAIRN_ETE_R_OPEN);
		flow_go(f, end, f->isa);
	} else {
		flow_lose_address(f);
		lose_atoms(f, e, s, CAIRN_ETE_GAP_NO_BYTES);
	}
	return 1;
}

static int follow_atoms(struct cairn_ete_flow *f, struct cairn_ete_element *e,
                        struct cairn_ete_step *s)
{
	if (f->atom == e->n_atoms)
		return 0;
	if (__builtin_expect(ready(f, e->offset), 1) && f->code->image)
		return one_atom(f, e, s);
	lose_atoms(f, e, s, f->no_addr ? CAIRN_ETE_GAP_NO_ADDRESS : CAIRN_ETE_GAP_NO_CONTEXT);
	return 1;
}

/* ---- walking to a place ---- */

/* How many instructions of a block lie before `to`, which is within it or its end; 0 when
 * none begins there. */
static uint32_t count_to(const struct ete_block *b, uint64_t to)
{
	uint64_t at = b->addr;
	uint32_t n = 0;
	if (b->isa != CAIRN_ISA_T32)
		return (to - b->addr) % 4 ? 0 : (uint32_t)((to - b->addr) / 4);
	while (at < to) {
		unsigned size;
		isa_arm_fetch(b->isa, b->bytes + (at - b->addr), (size_t)(b->end - at), &size);
		if (!size)
			return 0;
		at += size;
		n++;
	}
	return at == to ? n : 0;
}

/* Up to the return address of an exception, whatever stands between. 1: a step. */
static int walk_to_return(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                          struct cairn_ete_step *s)
{
	uint64_t start = f->addr, at = start, to = e->address;
	uint32_t n = 0, more;
	unsigned flags = CAIRN_ETE_R_OPEN |
	                 (e->flags & CAIRN_ETE_INEXACT ? CAIRN_ETE_R_INEXACT | CAIRN_ETE_R_UNSURE : 0);
	const struct ete_block *b = NULL;
	for (b = block_here(f); b && n < ETE_CODE_FAR; b = block_at(f, at)) {
		bool here = to <= b->end;
		more = here ? count_to(b, to) : b->n;
		if (!more || (here && n + more > ETE_CODE_FAR)) {
			flow_gap(f, s, e->offset, CAIRN_ETE_GAP_NO_RETURN, start, to, 0);
			return 1;
		}
		if (b->kind != ISA_ARM_NONE && to >= b->end)
			flags |= CAIRN_ETE_R_INEXACT;
		n += more;
		at = here ? to : b->end;
		if (here)
			break;
	}
	if (f->code->failed)
		return CAIRN_E_NOMEM;
	if (at != to) /* bytes end, or it is too far */
		flow_lose(f, e->offset,
		          n >= ETE_CODE_FAR ? CAIRN_ETE_GAP_NO_RETURN : CAIRN_ETE_GAP_NO_BYTES, at, 0);
	if (!n || n >= ETE_CODE_FAR)
		return 0;
	flow_range(f, e, s, start, at, n, flags);
	if (at == to && to == b->end)
		last(s, b);
	return 1;
}

static int follow_exception(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                            struct cairn_ete_step *s)
{
	int rc = 0;
	f->stage = DELIVER;
	if (e->flags & CAIRN_ETE_ALSO_TARGET) {
		flow_go(f, e->address, e->isa);
		f->waiting = f->no_stack = f->no_addr = false;
	}
	f->stood_known = f->code->image && ready(f, e->offset);
	f->stood = f->addr;
	if (f->stood_known && f->addr < e->address)
		rc = walk_to_return(f, e, s);
	flow_lose_address(f);
	return rc;
}

/* Up to a source address: P0 instructions before it were not taken, it was. */
static int walk_to_source(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                          struct cairn_ete_step *s)
{
	uint64_t start = f->walked, at = start, to = e->address;
	uint32_t n = 0;
	for (;;) {
		struct ete_block *b = block_at(f, at);
		if (!b || n >= ETE_CODE_FAR) {
			f->stage = DELIVER;
			flow_lose_address(f);
			if (f->code->failed)
				return CAIRN_E_NOMEM;
			flow_lose(f, e->offset, b ? CAIRN_ETE_GAP_NO_SOURCE : CAIRN_ETE_GAP_NO_BYTES, at, 1);
			if (!n || b)
				return 0;
			flow_range(f, e, s, start, at, n, CAIRN_ETE_R_OPEN);
			return 1;
		}
		if (to < b->end) { /* in here: it should be the last */
			if (b->kind != ISA_ARM_NONE && b->end - b->size == to) {
				f->stage = CONSUMED;
				flow_range(f, e, s, start, b->end, n + b->n, 0);
				flow_outcome(f, s, b, true);
				return 1;
			}
			f->stage = DELIVER;
			flow_gap(f, s, e->offset, CAIRN_ETE_GAP_NO_SOURCE, start, to, 1);
			flow_lose_address(f);
			return 1;
		}
		n += b->n;
		at = b->end;
		if (b->kind == ISA_ARM_NONE)
			continue;
		bool branch = b->kind == ISA_ARM_DIRECT || b->kind == ISA_ARM_INDIRECT;
		bool odd = branch && !(b->flags & ISA_ARM_CONDITIONAL);
		flow_range(f, e, s, start, at, n, odd ? CAIRN_ETE_R_INEXACT : 0);
		last(s, b);
		s->flags |= branch ? CAIRN_ETE_R_NOT_TAKEN : 0;
		f->walked = at;
		return 1;
	}
}

static int follow_source(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                         struct cairn_ete_step *s)
{
	if (f->stage == BEGIN) {
		if (!f->code->image)
			return 0;
		bool known = ready(f, e->offset);
		if (f->no_ctxt) {
			flow_lose(f, e->offset, CAIRN_ETE_GAP_NO_CONTEXT, 0, 1);
			return 0;
		}
		if (!known || f->addr > e->address) {
			f->jumped = true;
			f->no_addr = false;
			flow_go(f, e->address, e->isa);
		}
		f->lost_reason = 0; /* if the stack did not know: now it is */
		f->walked = f->addr;
		f->stage = WALK;
	}
	return walk_to_source(f, e, s);
}

/* ---- Q ---- */

/* Can `count` instructions from here have run straight on, to the target? Then a range. */
static bool q_range(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                    struct cairn_ete_step *s)
{
	uint64_t start = f->addr, at = start;
	uint32_t n = 0;
	bool target = e->flags & CAIRN_ETE_HAS_ADDRESS;
	while (n < e->count && n < ETE_CODE_FAR) {
		const struct ete_block *b = block_at(f, at);
		if (!b)
			return false;
		if (n + b->n < e->count) {
			if (!ete_goes_on(b))
				return false;
			n += b->n;
			at = b->end;
			continue;
		}
		if (n + b->n == e->count && b->kind != ISA_ARM_NONE) {
			bool branch = b->kind == ISA_ARM_DIRECT || b->kind == ISA_ARM_INDIRECT;
			if (!branch && target && b->end != e->address)
				return false;
			flow_range(f, e, s, start, b->end, e->count, 0);
			last(s, b);
			bool falls = b->flags & ISA_ARM_CONDITIONAL && e->address == b->end;
			if (branch && target)
				s->flags |= falls ? CAIRN_ETE_R_NOT_TAKEN : CAIRN_ETE_R_TAKEN;
			return true;
		}
		for (uint32_t i = n; i < e->count; i++) {
			unsigned size;
			isa_arm_fetch(b->isa, b->bytes + (at - b->addr), (size_t)(b->end - at), &size);
			at += size;
		}
		if (target && at != e->address)
			return false;
		flow_range(f, e, s, start, at, e->count, CAIRN_ETE_R_OPEN);
		return true;
	}
	return false;
}

static int follow_q(struct cairn_ete_flow *f, const struct cairn_ete_element *e,
                    struct cairn_ete_step *s)
{
	if (!f->code->image)
		return 0;
	f->stage = CONSUMED;
	bool counted = e->flags & CAIRN_ETE_HAS_COUNT, known = ready(f, e->offset);
	uint32_t count = counted ? e->count : 0;
	if (!known || !counted || !q_range(f, e, s))
		flow_gap(f, s, e->offset, CAIRN_ETE_GAP_COUNT, known ? f->addr : 0, e->address, count);
	f->lost_reason = 0; /* this gap tells it all */
	if (f->code->failed)
		return CAIRN_E_NOMEM;
	flow_lose_address(f);
	if (e->flags & CAIRN_ETE_HAS_ADDRESS) {
		flow_go(f, e->address, e->isa);
		f->no_addr = false;
	} else {
		f->waiting = false;
	}
	return 1;
}

/* ---- everything else ---- */

/* Of several before a P0 element the last one counts: where execution stood is what was known
 * before the first. */
static void take_address(struct cairn_ete_flow *f, const struct cairn_ete_element *e)
{
	if (!f->addressed) {
		f->addressed = true;
		f->was_waiting = f->waiting;
		f->was_known = !f->no_addr;
		f->was_at = f->addr;
		f->was_jumped = f->jumped;
	}
	f->jumped = f->was_jumped || (!f->was_waiting && (!f->was_known || f->was_at != e->address));
	f->waiting = f->no_stack = f->no_addr = f->no_push = false;
	f->addr = e->address;
	f->is1 = e->is1;
	ete_flow_set_isa(f);
}

static void take_context(struct cairn_ete_flow *f, const struct cairn_ete_element *e)
{
	f->el = e->el;
	f->security = e->security;
	f->aarch64 = e->aarch64;
	f->has_vmid = e->flags & CAIRN_ETE_HAS_VMID;
	f->vmid = e->vmid;
	f->has_ctxid = e->flags & CAIRN_ETE_HAS_CTXID;
	f->ctxid = e->ctxid;
	f->no_ctxt = false;
	ete_flow_set_isa(f);
}

/* What an element does to the state, when what had to be followed has been. */
static void flow_take(struct cairn_ete_flow *f, const struct cairn_ete_element *e)
{
	switch (e->kind) {
	case CAIRN_ETE_ADDRESS:
		take_address(f, e);
		break;
	case CAIRN_ETE_CONTEXT:
		take_context(f, e);
		break;
	case CAIRN_ETE_TRACE_INFO: /* what it has told again is no correction */
		lose_stack(f);
		f->no_push = true;
		f->addressed = false;
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		f->restarts = true;
		f->addressed = false;
		break;
	case CAIRN_ETE_TRANSACTION_START:
	case CAIRN_ETE_TRANSACTION_COMMIT:
		f->addressed = false;
		break;
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_PE_RESET:
		f->no_ctxt = true;
		lose_stack(f);
		flow_lose_address(f);
		break;
	case CAIRN_ETE_TRACE_ON:
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_LOST:
		lose_stack(f);
		flow_lose_address(f);
		break;
	case CAIRN_ETE_EXCEPTION_RETURN:
		if (!f->m_profile)
			break;                  /* an ERET, which the program tells */
									/* fall through */
	case CAIRN_ETE_FUNCTION_RETURN: /* by an indirect branch whose atom came before */
		f->no_stack = f->waiting;
		if (!f->waiting)
			flow_lose_address(f);
		break;
	case CAIRN_ETE_EXCEPTION:
		flow_lose_address(f);
		break;
	case CAIRN_ETE_Q:
		if (!(e->flags & CAIRN_ETE_HAS_ADDRESS))
			flow_lose_address(f);
		break;
	default:
		break;
	}
}

static int read_ahead(struct cairn_ete_flow *f)
{
	f->at = f->n_ahead = 0;
	if (f->ended)
		return 0;
	int64_t n = cairn_ete_elements_fill(f->in, f->ahead, ETE_AHEAD);
	if (n < 0)
		return (int)n;
	f->ended = n == 0;
	f->n_ahead = (size_t)n;
	return n > 0;
}

static bool flow_report_lost(struct cairn_ete_flow *f, struct cairn_ete_step *s)
{
	if (!f->lost_reason)
		return false;
	flow_gap(f, s, f->lost_offset, f->lost_reason, f->lost_at, 0, f->lost);
	f->lost_reason = 0;
	f->lost = 0;
	return true;
}

/* Follow what has to be followed of an element: 1 a step, 0 done. */
static int flow_follow(struct cairn_ete_flow *f, struct cairn_ete_element *e,
                       struct cairn_ete_step *s)
{
	switch (e->kind) {
	case CAIRN_ETE_EXCEPTION:
		return follow_exception(f, e, s);
	case CAIRN_ETE_SOURCE:
		return follow_source(f, e, s);
	case CAIRN_ETE_Q:
		return follow_q(f, e, s);
	default:
		return 0;
	}
}

int cairn_ete_flow_next(struct cairn_ete_flow *f, struct cairn_ete_step *s)
{
	for (;;) {
		if (f->at == f->n_ahead) {
			int rc = read_ahead(f);
			if (rc < 0)
				return rc;
			if (rc == 0)
				return flow_report_lost(f, s);
		}
		struct cairn_ete_element *e = &f->ahead[f->at];
		if (__builtin_expect(e->kind == CAIRN_ETE_ATOMS, 1)) {
			int rc = follow_atoms(f, e, s);
			if (rc)
				return rc;
			f->at++;
			f->atom = 0;
			continue;
		}
		if (flow_report_lost(f, s))
			return 1;
		if (f->stage < DELIVER) {
			int rc = flow_follow(f, e, s);
			if (rc < 0)
				return rc;
			if (f->stage == CONSUMED) {
				f->stage = BEGIN;
				f->at++;
				return 1;
			}
			if (rc)
				return 1;
			f->stage = DELIVER;
			continue;
		}
		f->stage = BEGIN;
		f->at++;
		flow_take(f, e);
		flow_element(f, e, s);
		return 1;
	}
}

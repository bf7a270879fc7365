/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What packets mean, judged: the elements that happened, and whether the program can have run that
 * way. Without an image, only the elements.
 *
 * flow.c reports where it could not go on; this file decides whether the stream is to blame. An
 * error that follows from an earlier one (atoms behind a lost address) is not reported again.
 */
#include "base/bytes.h"
#include "formats/ete/check/rules.h"
#include "image/image.h"

/* Where execution stood before a step. */
struct stand {
	uint64_t addr;
	bool known; /* its address, and no indirect branch waits for one */
};

struct flow {
	struct ete_found found;
	struct cairn_reader *reader;
	struct ete_part *part;
	struct ete_span *sp;
	struct ete_worker *worker;
	struct check_place at;
	uint64_t numbers;
	bool program; /* there is an image */
	struct stand before;
	bool branched;     /* the last range ended in an indirect branch that was taken */
	bool synced;       /* a Trace Info came, and no P0 element since */
	bool addressed;    /* an address came, and no P0 element since: another may correct it */
	struct stand from; /* before it */
	bool restarts;     /* a transaction failed: execution goes on anywhere */
	bool excepted;     /* an exception was taken, and no address came since */
	bool owes_start;   /* a TSTART ran, and no Transaction Start nor P0 element came since */
	struct check_place start_at;
	bool whole;       /* all that ran since the Transaction Start is known: no TCOMMIT yet */
	bool owes_commit; /* a transaction is complete; its TCOMMIT can only be in the next range */
	struct check_place commit_at;
	uint8_t last; /* kind of the last P0 instruction, enum cairn_ete_last */
	bool last_known;
	/* an address whose state is not known yet */
	bool address_open, is1, context_known, aarch64;
	struct cairn_ete_element context;
	uint64_t address;
	struct check_place address_at;
	/* a return address was not reached; the kind of the exception that follows decides what that
	 * means */
	bool unreached;
	uint64_t unreached_from;
	bool q_isb; /* the last P0 element is a Q with an ISB in it, whose last instruction is none */
};

#define FOUND(k, rule, ...) ete_finding(&(k)->found, ETE_RULE_##rule, &(k)->at, __VA_ARGS__)
#define HEX(v) ((unsigned long long)(v))

/* ---- addresses and states ---- */

static void judge_state(struct flow *flow, uint64_t address, bool is1, const struct check_place *at)
{
	if (!flow->context_known)
		return;
	if (flow->aarch64 && is1)
		ete_finding(&flow->found, ETE_RULE_ADDRESS_STATE, at,
		            "0x%llx is an address of T32, but the state is AArch64", HEX(address));
	else if (!flow->aarch64 && address >> 32)
		ete_finding(&flow->found, ETE_RULE_ADDRESS_STATE, at,
		            "0x%llx has more than 32 bits, but the state is AArch32", HEX(address));
}

/* Of several addresses before a P0 element the last one counts (IVTLTF). */
static void judge_address(struct flow *flow)
{
	unsigned rule = flow->synced ? ETE_RULE_SYNC_TARGET : ETE_RULE_FLOW_JUMP;
	if (flow->addressed && flow->from.known && flow->from.addr != flow->address)
		ete_finding(&flow->found, rule, &flow->address_at,
		            "0x%llx is told, but execution stands at 0x%llx", HEX(flow->address),
		            HEX(flow->from.addr));
	flow->addressed = false;
}

static void rules_flow_p0_comes(struct flow *flow)
{
	judge_address(flow);
	if (flow->address_open)
		judge_state(flow, flow->address, flow->is1, &flow->address_at);
	if (flow->excepted)
		FOUND(flow, EXCEPTION_TARGET, "no address came since the exception");
	if (flow->owes_start)
		ete_finding(&flow->found, ETE_RULE_TX_MISSING, &flow->start_at,
		            "no Transaction Start came behind it");
	flow->owes_start = false;
	flow->address_open = flow->synced = flow->restarts = flow->excepted = flow->q_isb = false;
}

static void rules_flow_forget(struct flow *flow)
{
	judge_address(flow);
	flow->address_open = flow->branched = flow->last_known = flow->synced = flow->unreached = false;
	flow->restarts = flow->excepted = flow->owes_start = flow->whole = flow->owes_commit = false;
}

static void address_comes(struct flow *flow, const struct cairn_ete_element *element)
{
	if (!flow->addressed) {
		flow->from = flow->before;
		flow->from.known &= flow->program && !flow->restarts;
	}
	flow->branched = flow->excepted = false;
	flow->address_open = flow->addressed = true;
	flow->address = element->address;
	flow->is1 = element->is1;
	flow->address_at = flow->at;
}

static void context_comes(struct flow *flow, const struct cairn_ete_element *element)
{
	const struct cairn_ete_element *was = &flow->context;
	unsigned both = element->flags & was->flags;
	if (flow->q_isb && flow->context_known &&
	    (element->el != was->el || element->security != was->security ||
	     element->aarch64 != was->aarch64 ||
	     (both & CAIRN_ETE_HAS_CTXID && element->ctxid != was->ctxid) ||
	     (both & CAIRN_ETE_HAS_VMID && element->vmid != was->vmid)))
		FOUND(flow, Q_ISB,
		      "the context is new, but the ISB in the Q element before is not its last "
		      "instruction");
	flow->q_isb = false;
	flow->context_known = true;
	flow->aarch64 = element->aarch64;
	flow->context = *element;
}

/* ---- the program ---- */

/* The last instruction of a range; false when its bytes are not there. */
static bool last_traits(struct flow *flow, const struct cairn_ete_step *step, uint32_t *traits)
{
	struct ete_code *code = flow->sp->flow->code;
	uint64_t at = step->start;
	while (at < step->end) {
		const struct ete_block *block = ete_code_block(code, at, step->isa, step->view);
		if (!block)
			return false;
		for (const uint8_t *p = block->bytes; at < block->end && at < step->end;) {
			unsigned size;
			uint32_t enc = isa_arm_fetch(step->isa, p, (size_t)(block->end - at), &size);
			if (!size)
				return false;
			at += size;
			p += size;
			if (at >= step->end)
				*traits = isa_memo_get(flow->worker->memo, step->isa, enc, size)->traits;
		}
	}
	return true;
}

/* Does the instruction at an exception's return address do nothing that could fault on data?
 * Instructions that manage caches and the like may fault, and so may calls and returns of functions
 * (guarded control stacks) and accesses to system registers (nested virtualisation). */
static bool accesses_nothing(struct flow *flow, uint64_t address)
{
	const struct cairn_ete_flow *f = flow->sp->flow;
	const struct ete_block *block = ete_code_block(f->code, address, f->isa, f->view);
	unsigned size = 0;
	if (!block)
		return false;
	uint32_t enc =
		isa_arm_fetch(block->isa, block->bytes, (size_t)(block->end - block->addr), &size);
	const struct cairn_op *op = isa_memo_get(flow->worker->memo, block->isa, enc, size);
	const uint32_t touches = CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_ATOMIC |
	                         CAIRN_TRAIT_CACHE | CAIRN_TRAIT_PREFETCH;
	if (op->traits & touches)
		return false;
	switch (op->cls) {
	case CAIRN_CLASS_NOP:
	case CAIRN_CLASS_INT:
	case CAIRN_CLASS_MUL:
	case CAIRN_CLASS_DIV:
	case CAIRN_CLASS_BRANCH:
	case CAIRN_CLASS_JUMP:
	case CAIRN_CLASS_FP:
	case CAIRN_CLASS_FPDIV:
	case CAIRN_CLASS_FENCE:
		return true;
	default:
		return op->traits & CAIRN_TRAIT_SYSCALL;
	}
}

/* Judge an exception by the range that led to it, if there was one. */
static void judge_exception(struct flow *flow, const struct cairn_ete_element *element,
                            const struct cairn_ete_step *range)
{
	enum { CALL = 2, TRAP, DATA_DEBUG = 7, ALIGNMENT = 10, DATA_FAULT = 12, LAST_OF_ARM = 15 };
	bool on_data = element->number == DATA_DEBUG || element->number == ALIGNMENT ||
	               element->number == DATA_FAULT;
	uint32_t traits = 0;
	bool exact = !(element->flags & (CAIRN_ETE_INEXACT | CAIRN_ETE_SOFT | CAIRN_ETE_M_PROFILE));
	if (!flow->program || !exact)
		return;
	if (flow->unreached) {
		FOUND(flow, FLOW_RETURN, "0x%llx is not an instruction that execution reaches from 0x%llx",
		      HEX(element->address), HEX(flow->unreached_from));
		return;
	}
	if (!range && flow->before.known && !(element->flags & CAIRN_ETE_ALSO_TARGET) &&
	    flow->before.addr > element->address) {
		FOUND(flow, FLOW_RETURN, "0x%llx lies before 0x%llx, where execution stands",
		      HEX(element->address), HEX(flow->before.addr));
		return;
	}
	if (on_data && !flow->sp->flow->no_ctxt && accesses_nothing(flow, element->address))
		FOUND(flow, FLOW_ACCESS, "the instruction at 0x%llx accesses no memory",
		      HEX(element->address));
	if (element->number < CALL || element->number > LAST_OF_ARM)
		return;
	if (range && range->end == element->address && last_traits(flow, range, &traits)) {
		bool ran = traits & CAIRN_TRAIT_SYSCALL;
		if (element->number == CALL && !ran)
			FOUND(flow, FLOW_CALL, "the instruction before 0x%llx is not a call",
			      HEX(element->address));
		else if (element->number > TRAP && ran && range->isa == CAIRN_ISA_A64)
			FOUND(flow, FLOW_SVC, "the call before 0x%llx leads to neither Call nor Trap",
			      HEX(element->address));
	} else if (element->number != CALL) {
		return;
	} else if (!range && flow->before.known && flow->before.addr == element->address) {
		FOUND(flow, FLOW_CALL, "no instruction ran before 0x%llx", HEX(element->address));
	}
}

/* The element of a kind that this range stands for, if it is its last. */
static const struct cairn_ete_element *element_of(const struct flow *flow,
                                                  const struct cairn_ete_step *step, unsigned kind)
{
	const struct cairn_ete_flow *f = flow->sp->flow;
	const struct cairn_ete_element *element = f->at ? &f->ahead[f->at - 1] : NULL;
	return element && element->kind == kind && element->offset == step->offset && !f->stage
	           ? element
	           : NULL;
}

/* Judge the way of a Q element, as far as the program tells it: `count` instructions from the step's
 * start, which go on at `target` (0: not known). No exception is among them, so direct branches that
 * are always taken are followed. Is there an exception return in it? An exception behind it? An ISB,
 * which would explain a new context? */
static void judge_q(struct flow *flow, const struct cairn_ete_step *step, uint32_t count,
                    uint64_t target)
{
	struct ete_code *code = flow->sp->flow->code;
	uint64_t at = step->start;
	const struct ete_block *block;
	bool isb = false;
	flow->q_isb = false;
	for (uint32_t n = 0; at && n < count && n < ETE_CODE_FAR;) {
		block = ete_code_block(code, at, step->isa, step->view);
		if (!block)
			return;
		bool jumps = block->kind == ISA_ARM_DIRECT && block->isa == CAIRN_ISA_A64 &&
		             !(block->flags & ISA_ARM_CONDITIONAL);
		if (n + block->n >= count) { /* its last one is in here */
			bool whole = n + block->n == count;
			uint64_t end = block->end;
			if (!whole && block->isa == CAIRN_ISA_T32)
				return;
			if (!whole)
				end = at + 4 * (uint64_t)(count - n);
			bool leads = whole && block->kind == ISA_ARM_DIRECT && block->isa != CAIRN_ISA_T32;
			if (target && leads && target != block->target &&
			    !(block->flags & ISA_ARM_CONDITIONAL && target == end))
				FOUND(flow, Q_TARGET,
				      "the branch that ends %u instructions leads to 0x%llx, but "
				      "execution goes on at 0x%llx",
				      count, HEX(block->target), HEX(target));
			if (target && end != target && (!whole || ete_goes_on(block)))
				FOUND(flow, Q_STRAIGHT,
				      "%u instructions without a branch end at 0x%llx, but "
				      "execution goes on at 0x%llx",
				      count, HEX(end), HEX(target));
			flow->q_isb =
				isb && (!whole || block->kind == ISA_ARM_NONE || block->kind == ISA_ARM_MEMORY);
			return;
		}
		n += block->n;
		isb = isb || block->kind == ISA_ARM_ISB;
		at = jumps ? block->target : block->end;
		if (jumps || ete_goes_on(block))
			continue;
		if ((block->flags & ISA_ARM_ERET) && !(block->flags & ISA_ARM_CONDITIONAL))
			FOUND(flow, Q_LAST, "instruction %u of %u returns from an exception", n, count);
		return;
	}
}

/* SVC, HVC or SMC. Where one is not allowed, it has not run. */
static bool is_call(const uint8_t *p)
{
	uint32_t enc = base_le32(p);
	return (enc & 0xffe0001c) == 0xd4000000 && (enc & 3);
}

static bool has_calls(struct ete_block *block)
{
	for (uint32_t i = 0; block->calls == ETE_CALLS_UNKNOWN && i < block->n; i++)
		if (is_call(block->bytes + 4 * (size_t)i))
			block->calls = ETE_CALLS;
	if (block->calls == ETE_CALLS_UNKNOWN)
		block->calls = ETE_NO_CALLS;
	return block->calls == ETE_CALLS;
}

/* SVC, HVC and SMC are not P0 instructions: a range may end with one, at an exception, but not go on
 * behind it. */
static void judge_calls(struct flow *flow, const struct cairn_ete_step *step)
{
	struct ete_code *code = flow->sp->flow->code;
	struct ete_block *block = flow->sp->flow->made;
	if (step->isa != CAIRN_ISA_A64 || step->flags & CAIRN_ETE_R_INEXACT)
		return;
	for (uint64_t at = step->start; at < step->end; at = block->end, block = NULL) {
		block =
			block && block->addr == at ? block : ete_code_block(code, at, step->isa, step->view);
		if (!block)
			return;
		for (uint32_t i = 0;
		     has_calls(block) && i < block->n && at + 4 * (uint64_t)i + 4 < step->end; i++)
			if (is_call(block->bytes + 4 * (size_t)i))
				FOUND(flow, FLOW_SVC, "execution goes straight on behind the call at 0x%llx",
				      HEX(at + 4 * (uint64_t)i));
	}
}

/* TCOMMIT is not a P0 instruction: it may stand in the range that ends behind the Commit. */
static bool commits(struct flow *flow, const struct cairn_ete_step *step)
{
	const uint32_t tcommit = 0xd503307f;
	for (uint64_t at = step->start; at < step->end;) {
		const struct ete_block *block =
			ete_code_block(flow->sp->flow->code, at, step->isa, step->view);
		if (!block)
			return true;
		for (uint32_t i = 0; i < block->n && at + 4 * (uint64_t)i < step->end; i++)
			if (base_le32(block->bytes + 4 * (size_t)i) == tcommit)
				return true;
		at = block->end;
	}
	return false;
}

static void judge_commit(struct flow *flow, const struct cairn_ete_step *step)
{
	if (!flow->whole && !flow->owes_commit)
		return;
	bool may =
		step->isa != CAIRN_ISA_A64 || step->flags & CAIRN_ETE_R_INEXACT || commits(flow, step);
	if (flow->owes_commit && !may)
		ete_finding(&flow->found, ETE_RULE_TX_COMMIT, &flow->commit_at,
		            "no TCOMMIT ran since its start");
	flow->owes_commit = false;
	flow->whole &= !may;
}

static void range_comes(struct flow *flow, const struct cairn_ete_step *step)
{
	bool branch = step->last == CAIRN_ETE_LAST_DIRECT || step->last == CAIRN_ETE_LAST_INDIRECT;
	bool stays = (step->flags & CAIRN_ETE_R_NOT_TAKEN) && branch &&
	             !(step->flags & CAIRN_ETE_R_CONDITIONAL) && step->isa != CAIRN_ISA_T32;
	const struct cairn_ete_element *source = element_of(flow, step, CAIRN_ETE_SOURCE);
	if (stays && (step->flags & CAIRN_ETE_R_INEXACT))
		FOUND(flow, FLOW_SOURCE, "the way there passes the unconditional branch before 0x%llx",
		      HEX(step->end));
	else if (stays)
		FOUND(flow, FLOW_ATOM, "the branch before 0x%llx is unconditional, and not taken",
		      HEX(step->end));
	if (source && (step->isa == CAIRN_ISA_T32) != source->is1)
		FOUND(flow, SOURCE_ISA, "0x%llx is said to be %s, but %s is executed", HEX(source->address),
		      source->is1 ? "T32" : "A64 or A32", cairn_isa_name(step->isa));
	const struct cairn_ete_element *element = element_of(flow, step, CAIRN_ETE_Q);
	if (element)
		judge_q(flow, step, step->n, element->flags & CAIRN_ETE_HAS_ADDRESS ? element->address : 0);
	judge_calls(flow, step);
	judge_commit(flow, step);
	if (step->flags & CAIRN_ETE_R_OPEN) /* ends in no P0 instruction */
		return;
	if (step->last == CAIRN_ETE_LAST_TSTART && flow->part->tx == ETE_TX_CLOSED && !flow->restarts) {
		flow->owes_start = true;
		flow->start_at = flow->at;
	}
	flow->branched = step->last == CAIRN_ETE_LAST_INDIRECT && (step->flags & CAIRN_ETE_R_TAKEN);
	flow->last = step->last;
	flow->last_known = true;
}

static void gap_comes(struct flow *flow, const struct cairn_ete_step *step)
{
	flow->whole = flow->owes_commit = false;
	switch (step->reason) {
	case CAIRN_ETE_GAP_NO_BYTES:
		FOUND(flow, FLOW_PROGRAM, "no program bytes at 0x%llx", HEX(step->start));
		break;
	case CAIRN_ETE_GAP_NO_ADDRESS:
		if (flow->branched)
			FOUND(flow, FLOW_TARGET, "no address came since the indirect branch");
		break;
	case CAIRN_ETE_GAP_STACK:
		FOUND(flow, FLOW_STACK,
		      "no address came since the indirect branch, and the return stack is empty");
		break;
	case CAIRN_ETE_GAP_FAR:
		FOUND(flow, FLOW_FAR, "no P0 instruction within %u instructions from 0x%llx",
		      (unsigned)ETE_CODE_FAR, HEX(step->start));
		break;
	case CAIRN_ETE_GAP_NO_SOURCE:
		FOUND(flow, FLOW_SOURCE, "0x%llx is not the next P0 instruction from 0x%llx",
		      HEX(step->end), HEX(step->start));
		break;
	case CAIRN_ETE_GAP_NO_RETURN:
		flow->unreached = true;
		flow->unreached_from = step->start;
		return;
	case CAIRN_ETE_GAP_COUNT:
		rules_flow_p0_comes(flow);
		judge_q(flow, step, step->n, step->end);
		break;
	default:
		break;
	}
	flow->branched = flow->last_known = false;
}

/* ---- transactions ---- */

void ete_rules_info_transaction(const struct ete_found *found, enum ete_tx tx, bool told,
                                const struct check_place *at)
{
	if (tx != ETE_TX_UNKNOWN && told != (tx == ETE_TX_OPEN))
		ete_finding(found, ETE_RULE_INFO_TRANSACTION, at, "a transaction is said to be %s",
		            told ? "open, but none is" : "not open, but one is");
}

static void info_comes(struct flow *flow, const struct cairn_ete_element *element)
{
	bool told = element->number & CAIRN_ETE_INFO_TRANSACTION;
	bool restarts = flow->restarts;
	rules_flow_forget(flow); /* a span that begins here knows no more than that */
	flow->restarts = restarts;
	flow->context_known = false;
	flow->synced = true;
	if (!flow->part->leads && !flow->part->tx_at.known) {
		flow->part->tx_at = flow->at;
		flow->part->tx_told = told ? ETE_TX_OPEN : ETE_TX_CLOSED;
	} else {
		ete_rules_info_transaction(&flow->found, flow->part->tx, told, &flow->at);
	}
	flow->part->tx = told ? ETE_TX_OPEN : ETE_TX_CLOSED;
}

static void transaction_starts(struct flow *flow)
{
	if (flow->part->tx == ETE_TX_OPEN)
		FOUND(flow, TX_SINGLE, "a transaction is open already");
	if (flow->program && flow->last_known && flow->last != CAIRN_ETE_LAST_TSTART)
		FOUND(flow, TX_START, "the last P0 instruction is not a TSTART");
	flow->part->tx = ETE_TX_OPEN;
	flow->owes_start = flow->owes_commit = false;
	flow->whole = flow->program;
}

static void transaction_ends(struct flow *flow, const char *how)
{
	if (flow->part->tx == ETE_TX_CLOSED)
		FOUND(flow, TX_OPEN, "a transaction %s, but none was open", how);
	flow->part->tx = ETE_TX_CLOSED;
}

static void tracing_stops(struct flow *flow, bool told)
{
	if (told && flow->part->tx == ETE_TX_OPEN)
		FOUND(flow, TX_RESULT, "a transaction was open, and no Transaction Failure came");
	flow->part->tx = ETE_TX_UNKNOWN;
	flow->context_known = false;
	rules_flow_forget(flow);
}

/* ---- elements ---- */

/* What ends without being resolved. */
static void unresolved(struct flow *flow, const struct cairn_ete_element *element)
{
	if (!element->count)
		return;
	if (element->kind == CAIRN_ETE_END)
		FOUND(flow, SPEC_RESOLVED, "the trace ends with %u P0 element%s open", element->count,
		      element->count == 1 ? "" : "s");
	else if (flow->sp->from + flow->sp->n > CAIRN_ETE_WINDOW)
		FOUND(flow, SPEC_LATE, "%u P0 element%s not resolved within %u KiB, or lost",
		      element->count, element->count == 1 ? " is" : "s are", CAIRN_ETE_WINDOW / 1024);
}

static void element_comes(struct flow *flow, const struct cairn_ete_element *element,
                          const struct cairn_ete_step *range)
{
	switch (element->kind) {
	case CAIRN_ETE_NO_SYNC:
		tracing_stops(flow, false);
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
		tracing_stops(flow, true);
		break;
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
		if (element->kind == CAIRN_ETE_END && flow->part->tx == ETE_TX_OPEN)
			FOUND(flow, TX_END, "the trace ends while a transaction is open");
		unresolved(flow, element);
		rules_flow_forget(flow);
		break;
	case CAIRN_ETE_TRACE_INFO:
		info_comes(flow, element);
		break;
	case CAIRN_ETE_TRACE_ON:
		rules_flow_forget(flow);
		break;
	case CAIRN_ETE_ADDRESS:
		address_comes(flow, element);
		break;
	case CAIRN_ETE_CONTEXT:
		context_comes(flow, element);
		break;
	case CAIRN_ETE_EXCEPTION:
		judge_exception(flow, element, range);
		judge_state(flow, element->address, element->is1, &flow->at);
		flow->excepted &= !(element->flags & CAIRN_ETE_ALSO_TARGET);
		rules_flow_p0_comes(flow);
		rules_flow_forget(flow);
		flow->excepted = true;
		break;
	case CAIRN_ETE_TRANSACTION_START:
		transaction_starts(flow);
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		transaction_ends(flow, "is complete");
		flow->owes_commit = flow->whole;
		flow->whole = false;
		flow->commit_at = flow->at;
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		transaction_ends(flow, "failed");
		rules_flow_forget(flow);
		flow->restarts = true;
		break;
	case CAIRN_ETE_ATOMS:
	case CAIRN_ETE_SOURCE:
	case CAIRN_ETE_Q:
		rules_flow_p0_comes(flow);
		break;
	case CAIRN_ETE_PE_RESET:
		rules_flow_forget(flow);
		flow->excepted = true;
		break;
	case CAIRN_ETE_FUNCTION_RETURN:
		rules_flow_p0_comes(flow);
		rules_flow_forget(flow);
		break;
	default:
		break;
	}
}

static void rules_flow_step(struct flow *flow, const struct cairn_ete_step *step,
                            struct cairn_ete_step *range)
{
	flow->at.offset = ete_place(flow->sp, step->offset);
	flow->at.insn = flow->sp->at->n + flow->numbers;
	if (step->kind == CAIRN_ETE_STEP_RANGE) {
		rules_flow_p0_comes(flow);
		flow->at.insn += step->n - 1; /* findings about the step concern its last instruction */
		range_comes(flow, step);
		*range = *step;
	} else if (step->kind == CAIRN_ETE_STEP_GAP) {
		gap_comes(flow, step);
	} else {
		bool led =
			range->kind && (range->flags & CAIRN_ETE_R_OPEN) && range->offset == step->offset;
		element_comes(flow, step->element, led ? range : NULL);
	}
	flow->numbers += ete_numbers(step);
}

/* Without a program there are only elements, and no flow has to be made for them. */
static int elements_alone(struct flow *flow)
{
	struct cairn_ete_element element[64];
	struct cairn_ete_step range = {.kind = 0};
	int64_t n;
	while ((n = cairn_ete_elements_fill(flow->sp->flow->in, element, 64)) > 0)
		for (int64_t i = 0; i < n; i++) {
			struct cairn_ete_step step = {.offset = element[i].offset,
			                              .element = &element[i],
			                              .kind = CAIRN_ETE_STEP_ELEMENT};
			rules_flow_step(flow, &step, &range);
		}
	return (int)n;
}

int ete_rules_flow(struct cairn_reader *reader, struct model_span *span, struct check_part *part,
                   uint64_t *numbers)
{
	const struct ete_impl *im = reader->impl;
	struct ete_span *sp = span->priv;
	const struct cairn_image *image = sp->program->image;
	struct flow flow = {.found = {part, sp->program, im->n_programs > 1},
	                    .reader = reader,
	                    .part = part->priv,
	                    .sp = sp,
	                    .worker = span->worker,
	                    .program = image && !image_empty(image)};
	struct cairn_ete_step now, range = {.kind = 0};
	int rc = ete_span_flow(reader, span);
	flow.restarts = rc >= 0 && sp->flow->restarts; /* from the span before */
	flow.at =
		(struct check_place){.cpu = sp->program->hart,
	                         .part = part->part,
	                         .known = CAIRN_PLACE_OFFSET | CAIRN_PLACE_INSN | CAIRN_PLACE_CPU};
	if (rc >= 0 && !flow.program)
		rc = elements_alone(&flow);
	while (rc >= 0 && flow.program) {
		const struct cairn_ete_flow *f = sp->flow;
		flow.before = (struct stand){f->addr, !f->no_addr && !f->waiting};
		rc = cairn_ete_flow_next(sp->flow, &now);
		if (rc <= 0)
			break;
		rules_flow_step(&flow, &now, &range);
	}
	*numbers = flow.numbers;
	return rc;
}

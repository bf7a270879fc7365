/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What packets mean, judged: the elements that happened, and whether the program can have
 * run that way. Without an image only the former.
 *
 * The follower (flow.c) tells where it could not go on; this tells whether the stream is to
 * blame. What is wrong because of something before it (atoms behind a lost address) is
 * not told again.
 */
#include "base/bytes.h"
#include "formats/ete/rules.h"
#include "image/image.h"

/* Where execution stood before a step. */
struct stand {
	uint64_t addr;
	bool known; /* its address, and no indirect branch waits for one */
};

struct flow {
	struct ete_found f;
	struct cairn_reader *r;
	struct ete_part *k;
	struct ete_span *sp;
	struct ete_worker *w;
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
	/* a return address that was not reached: by which exception follows */
	bool unreached;
	uint64_t unreached_from;
	bool q_isb; /* the last P0 element is a Q with an ISB in it, whose last instruction is none */
};

#define FOUND(k, rule, ...) ete_finding(&(k)->f, ETE_RULE_##rule, &(k)->at, __VA_ARGS__)
#define HEX(v) ((unsigned long long)(v))

/* ---- addresses and states ---- */

static void judge_state(struct flow *k, uint64_t address, bool is1, const struct check_place *at)
{
	if (!k->context_known)
		return;
	if (k->aarch64 && is1)
		ete_finding(&k->f, ETE_RULE_ADDRESS_STATE, at,
		            "0x%llx is an address of T32, but the state is AArch64", HEX(address));
	else if (!k->aarch64 && address >> 32)
		ete_finding(&k->f, ETE_RULE_ADDRESS_STATE, at,
		            "0x%llx has more than 32 bits, but the state is AArch32", HEX(address));
}

/* Of several addresses before a P0 element the last one counts (IVTLTF). */
static void judge_address(struct flow *k)
{
	unsigned rule = k->synced ? ETE_RULE_SYNC_TARGET : ETE_RULE_FLOW_JUMP;
	if (k->addressed && k->from.known && k->from.addr != k->address)
		ete_finding(&k->f, rule, &k->address_at, "0x%llx is told, but execution stands at 0x%llx",
		            HEX(k->address), HEX(k->from.addr));
	k->addressed = false;
}

static void rules_flow_p0_comes(struct flow *k)
{
	judge_address(k);
	if (k->address_open)
		judge_state(k, k->address, k->is1, &k->address_at);
	if (k->excepted)
		FOUND(k, EXCEPTION_TARGET, "no address came since the exception");
	if (k->owes_start)
		ete_finding(&k->f, ETE_RULE_TX_MISSING, &k->start_at,
		            "no Transaction Start came behind it");
	k->owes_start = false;
	k->address_open = k->synced = k->restarts = k->excepted = k->q_isb = false;
}

static void rules_flow_forget(struct flow *k)
{
	judge_address(k);
	k->address_open = k->branched = k->last_known = k->synced = k->unreached = false;
	k->restarts = k->excepted = k->owes_start = k->whole = k->owes_commit = false;
}

static void address_comes(struct flow *k, const struct cairn_ete_element *e)
{
	if (!k->addressed) {
		k->from = k->before;
		k->from.known &= k->program && !k->restarts;
	}
	k->branched = k->excepted = false;
	k->address_open = k->addressed = true;
	k->address = e->address;
	k->is1 = e->is1;
	k->address_at = k->at;
}

static void context_comes(struct flow *k, const struct cairn_ete_element *e)
{
	const struct cairn_ete_element *was = &k->context;
	unsigned both = e->flags & was->flags;
	if (k->q_isb && k->context_known &&
	    (e->el != was->el || e->security != was->security || e->aarch64 != was->aarch64 ||
	     (both & CAIRN_ETE_HAS_CTXID && e->ctxid != was->ctxid) ||
	     (both & CAIRN_ETE_HAS_VMID && e->vmid != was->vmid)))
		FOUND(k, Q_ISB,
		      "the context is new, but the ISB in the Q element before is not its last "
		      "instruction");
	k->q_isb = false;
	k->context_known = true;
	k->aarch64 = e->aarch64;
	k->context = *e;
}

/* ---- the program ---- */

/* The last instruction of a range; false when its bytes are not there. */
static bool last_traits(struct flow *k, const struct cairn_ete_step *s, uint32_t *traits)
{
	struct ete_code *code = k->sp->flow->code;
	uint64_t at = s->start;
	while (at < s->end) {
		const struct ete_block *b = ete_code_block(code, at, s->isa, s->view);
		if (!b)
			return false;
		for (const uint8_t *p = b->bytes; at < b->end && at < s->end;) {
			unsigned size;
			uint32_t enc = isa_arm_fetch(s->isa, p, (size_t)(b->end - at), &size);
			if (!size)
				return false;
			at += size;
			p += size;
			if (at >= s->end)
				*traits = isa_memo_get(k->w->memo, s->isa, enc, size)->traits;
		}
	}
	return true;
}

/* Does the instruction at an exception's return address do nothing that could fault on data? What
 * manages caches and the like may. */
static bool accesses_nothing(struct flow *k, uint64_t address)
{
	const struct cairn_ete_flow *f = k->sp->flow;
	const struct ete_block *b = ete_code_block(f->code, address, f->isa, f->view);
	unsigned size = 0;
	if (!b)
		return false;
	uint32_t enc = isa_arm_fetch(b->isa, b->bytes, (size_t)(b->end - b->addr), &size);
	const struct cairn_op *op = isa_memo_get(k->w->memo, b->isa, enc, size);
	const uint32_t touches = CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_ATOMIC |
	                         CAIRN_TRAIT_CACHE | CAIRN_TRAIT_PREFETCH;
	return !(op->traits & touches) &&
	       (op->cls == CAIRN_CLASS_NOP || op->cls == CAIRN_CLASS_INT ||
	        op->cls == CAIRN_CLASS_MUL || op->cls == CAIRN_CLASS_DIV ||
	        op->cls == CAIRN_CLASS_BRANCH || op->cls == CAIRN_CLASS_JUMP);
}

/* What an exception has to do with the range that led to it, or with none. */
static void judge_exception(struct flow *k, const struct cairn_ete_element *e,
                            const struct cairn_ete_step *range)
{
	enum { CALL = 2, DATA_DEBUG = 7, ALIGNMENT = 10, DATA_FAULT = 12 };
	bool on_data = e->number == DATA_DEBUG || e->number == ALIGNMENT || e->number == DATA_FAULT;
	uint32_t traits = 0;
	bool exact = !(e->flags & (CAIRN_ETE_INEXACT | CAIRN_ETE_SOFT | CAIRN_ETE_M_PROFILE));
	if (!k->program || !exact)
		return;
	if (k->unreached) {
		FOUND(k, FLOW_RETURN, "0x%llx is no instruction that execution reaches from 0x%llx",
		      HEX(e->address), HEX(k->unreached_from));
		return;
	}
	if (!range && k->before.known && !(e->flags & CAIRN_ETE_ALSO_TARGET) &&
	    k->before.addr > e->address) {
		FOUND(k, FLOW_RETURN, "0x%llx lies before 0x%llx, where execution stands", HEX(e->address),
		      HEX(k->before.addr));
		return;
	}
	if (on_data && !k->sp->flow->no_ctxt && accesses_nothing(k, e->address))
		FOUND(k, FLOW_ACCESS, "the instruction at 0x%llx accesses no memory", HEX(e->address));
	if (e->number != CALL)
		return;
	if (range && range->end == e->address && last_traits(k, range, &traits)) {
		if (!(traits & CAIRN_TRAIT_SYSCALL))
			FOUND(k, FLOW_CALL, "the instruction before 0x%llx is no call", HEX(e->address));
	} else if (!range && k->before.known && k->before.addr == e->address) {
		FOUND(k, FLOW_CALL, "no instruction ran before 0x%llx", HEX(e->address));
	}
}

/* The element of a kind that this range stands for, if it is its last. */
static const struct cairn_ete_element *element_of(const struct flow *k,
                                                  const struct cairn_ete_step *s, unsigned kind)
{
	const struct cairn_ete_flow *f = k->sp->flow;
	const struct cairn_ete_element *e = f->at ? &f->ahead[f->at - 1] : NULL;
	return e && e->kind == kind && e->offset == s->offset && !f->stage ? e : NULL;
}

/* The way of a Q element, as far as it is straight: `n` instructions from `at`, that go on at
 * `target` (0: not known). Is an exception return within it? An exception behind it? And an
 * ISB, so that a new context would be no surprise? */
static void judge_q(struct flow *k, const struct cairn_ete_step *s, uint32_t count, uint64_t target)
{
	struct ete_code *code = k->sp->flow->code;
	uint64_t at = s->start;
	const struct ete_block *b;
	bool isb = false;
	k->q_isb = false;
	for (uint32_t n = 0; at && n < count && n < ETE_CODE_FAR; at = b->end) {
		b = ete_code_block(code, at, s->isa, s->view);
		if (!b)
			return;
		if (n + b->n >= count) { /* its last one is in here */
			bool whole = n + b->n == count;
			uint64_t end = b->end;
			if (!whole && b->isa == CAIRN_ISA_T32)
				return;
			if (!whole)
				end = at + 4 * (uint64_t)(count - n);
			bool leads = whole && b->kind == ISA_ARM_DIRECT && b->isa != CAIRN_ISA_T32;
			if (target && leads && target != b->target &&
			    !(b->flags & ISA_ARM_CONDITIONAL && target == end))
				FOUND(k, Q_TARGET,
				      "the branch that ends %u instructions leads to 0x%llx, but "
				      "execution goes on at 0x%llx",
				      count, HEX(b->target), HEX(target));
			if (target && end != target && (!whole || ete_goes_on(b)))
				FOUND(k, Q_STRAIGHT,
				      "%u instructions without a branch end at 0x%llx, but "
				      "execution goes on at 0x%llx",
				      count, HEX(end), HEX(target));
			k->q_isb = isb && (!whole || b->kind == ISA_ARM_NONE || b->kind == ISA_ARM_MEMORY);
			return;
		}
		n += b->n;
		isb = isb || b->kind == ISA_ARM_ISB;
		if (ete_goes_on(b))
			continue;
		if ((b->flags & ISA_ARM_ERET) && !(b->flags & ISA_ARM_CONDITIONAL))
			FOUND(k, Q_LAST, "instruction %u of %u returns from an exception", n, count);
		return;
	}
}

static bool is_svc(const uint8_t *p)
{
	return (base_le32(p) & 0xffe0001f) == 0xd4000001;
}

static bool has_calls(struct ete_block *b)
{
	for (uint32_t i = 0; b->calls == ETE_CALLS_UNKNOWN && i < b->n; i++)
		if (is_svc(b->bytes + 4 * (size_t)i))
			b->calls = ETE_CALLS;
	if (b->calls == ETE_CALLS_UNKNOWN)
		b->calls = ETE_NO_CALLS;
	return b->calls == ETE_CALLS;
}

/* An SVC is no P0 instruction: a range may end with one, at an exception, but not go on. */
static void judge_calls(struct flow *k, const struct cairn_ete_step *s)
{
	struct ete_code *code = k->sp->flow->code;
	struct ete_block *b = k->sp->flow->made;
	if (s->isa != CAIRN_ISA_A64 || s->flags & CAIRN_ETE_R_INEXACT)
		return;
	for (uint64_t at = s->start; at < s->end; at = b->end, b = NULL) {
		b = b && b->addr == at ? b : ete_code_block(code, at, s->isa, s->view);
		if (!b)
			return;
		for (uint32_t i = 0; has_calls(b) && i < b->n && at + 4 * (uint64_t)i + 4 < s->end; i++)
			if (is_svc(b->bytes + 4 * (size_t)i))
				FOUND(k, FLOW_SVC, "execution goes straight on behind the SVC at 0x%llx",
				      HEX(at + 4 * (uint64_t)i));
	}
}

/* TCOMMIT is no P0 instruction: it may stand in the range that ends behind the Commit. */
static bool commits(struct flow *flow, const struct cairn_ete_step *step)
{
	const uint32_t tcommit = 0xd503307f;
	for (uint64_t at = step->start; at < step->end;) {
		const struct ete_block *b = ete_code_block(flow->sp->flow->code, at, step->isa, step->view);
		if (!b)
			return true;
		for (uint32_t i = 0; i < b->n && at + 4 * (uint64_t)i < step->end; i++)
			if (base_le32(b->bytes + 4 * (size_t)i) == tcommit)
				return true;
		at = b->end;
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
		ete_finding(&flow->f, ETE_RULE_TX_COMMIT, &flow->commit_at,
		            "no TCOMMIT ran since its start");
	flow->owes_commit = false;
	flow->whole &= !may;
}

static void range_comes(struct flow *k, const struct cairn_ete_step *s)
{
	bool branch = s->last == CAIRN_ETE_LAST_DIRECT || s->last == CAIRN_ETE_LAST_INDIRECT;
	bool stays = (s->flags & CAIRN_ETE_R_NOT_TAKEN) && branch &&
	             !(s->flags & CAIRN_ETE_R_CONDITIONAL) && s->isa != CAIRN_ISA_T32;
	const struct cairn_ete_element *source = element_of(k, s, CAIRN_ETE_SOURCE);
	if (stays && (s->flags & CAIRN_ETE_R_INEXACT))
		FOUND(k, FLOW_SOURCE, "the way there passes the unconditional branch before 0x%llx",
		      HEX(s->end));
	else if (stays)
		FOUND(k, FLOW_ATOM, "the branch before 0x%llx is unconditional, and not taken",
		      HEX(s->end));
	if (source && (s->isa == CAIRN_ISA_T32) != source->is1)
		FOUND(k, SOURCE_ISA, "0x%llx is said to be %s, but %s is executed", HEX(source->address),
		      source->is1 ? "T32" : "A64 or A32", cairn_isa_name(s->isa));
	const struct cairn_ete_element *q = element_of(k, s, CAIRN_ETE_Q);
	if (q)
		judge_q(k, s, s->n, q->flags & CAIRN_ETE_HAS_ADDRESS ? q->address : 0);
	judge_calls(k, s);
	judge_commit(k, s);
	if (s->flags & CAIRN_ETE_R_OPEN) /* ends in no P0 instruction */
		return;
	if (s->last == CAIRN_ETE_LAST_TSTART && k->k->tx == ETE_TX_CLOSED && !k->restarts) {
		k->owes_start = true;
		k->start_at = k->at;
	}
	k->branched = s->last == CAIRN_ETE_LAST_INDIRECT && (s->flags & CAIRN_ETE_R_TAKEN);
	k->last = s->last;
	k->last_known = true;
}

static void gap_comes(struct flow *k, const struct cairn_ete_step *s)
{
	k->whole = k->owes_commit = false;
	switch (s->reason) {
	case CAIRN_ETE_GAP_NO_BYTES:
		FOUND(k, FLOW_PROGRAM, "no program bytes at 0x%llx", HEX(s->start));
		break;
	case CAIRN_ETE_GAP_NO_ADDRESS:
		if (k->branched)
			FOUND(k, FLOW_TARGET, "no address came since the indirect branch");
		break;
	case CAIRN_ETE_GAP_STACK:
		FOUND(k, FLOW_STACK,
		      "no address came since the indirect branch, and the return stack is "
		      "empty");
		break;
	case CAIRN_ETE_GAP_FAR:
		FOUND(k, FLOW_FAR, "no P0 instruction within %u instructions from 0x%llx",
		      (unsigned)ETE_CODE_FAR, HEX(s->start));
		break;
	case CAIRN_ETE_GAP_NO_SOURCE:
		FOUND(k, FLOW_SOURCE, "0x%llx is not the next P0 instruction from 0x%llx", HEX(s->end),
		      HEX(s->start));
		break;
	case CAIRN_ETE_GAP_NO_RETURN:
		k->unreached = true;
		k->unreached_from = s->start;
		return;
	case CAIRN_ETE_GAP_COUNT:
		rules_flow_p0_comes(k);
		judge_q(k, s, s->n, s->end);
		break;
	default:
		break;
	}
	k->branched = k->last_known = false;
}

/* ---- transactions ---- */

void ete_rules_info_transaction(const struct ete_found *f, enum ete_tx tx, bool told,
                                const struct check_place *at)
{
	if (tx != ETE_TX_UNKNOWN && told != (tx == ETE_TX_OPEN))
		ete_finding(f, ETE_RULE_INFO_TRANSACTION, at, "a transaction is said to be %s",
		            told ? "open, but none is" : "not open, but one is");
}

static void info_comes(struct flow *k, const struct cairn_ete_element *e)
{
	bool told = e->number & CAIRN_ETE_INFO_TRANSACTION;
	bool restarts = k->restarts;
	rules_flow_forget(k); /* a span that begins here knows no more */
	k->restarts = restarts;
	k->context_known = false;
	k->synced = true;
	if (!k->k->leads && !k->k->tx_at.known) {
		k->k->tx_at = k->at;
		k->k->tx_told = told ? ETE_TX_OPEN : ETE_TX_CLOSED;
	} else {
		ete_rules_info_transaction(&k->f, k->k->tx, told, &k->at);
	}
	k->k->tx = told ? ETE_TX_OPEN : ETE_TX_CLOSED;
}

static void transaction_starts(struct flow *k)
{
	if (k->k->tx == ETE_TX_OPEN)
		FOUND(k, TX_SINGLE, "a transaction is open already");
	if (k->program && k->last_known && k->last != CAIRN_ETE_LAST_TSTART)
		FOUND(k, TX_START, "the last P0 instruction is no TSTART");
	k->k->tx = ETE_TX_OPEN;
	k->owes_start = k->owes_commit = false;
	k->whole = k->program;
}

static void transaction_ends(struct flow *k, const char *how)
{
	if (k->k->tx == ETE_TX_CLOSED)
		FOUND(k, TX_OPEN, "a transaction %s, but none was open", how);
	k->k->tx = ETE_TX_CLOSED;
}

static void tracing_stops(struct flow *k, bool told)
{
	if (told && k->k->tx == ETE_TX_OPEN)
		FOUND(k, TX_RESULT, "a transaction was open, and no Transaction Failure came");
	k->k->tx = ETE_TX_UNKNOWN;
	k->context_known = false;
	rules_flow_forget(k);
}

/* ---- elements ---- */

/* What ends without being resolved. */
static void unresolved(struct flow *k, const struct cairn_ete_element *e)
{
	if (!e->count)
		return;
	if (e->kind == CAIRN_ETE_END)
		FOUND(k, SPEC_RESOLVED, "the trace ends with %u P0 element%s open", e->count,
		      e->count == 1 ? "" : "s");
	else if (k->sp->from + k->sp->n > CAIRN_ETE_WINDOW)
		FOUND(k, SPEC_LATE, "%u P0 element%s not resolved within %u KiB, or lost", e->count,
		      e->count == 1 ? " is" : "s are", CAIRN_ETE_WINDOW / 1024);
}

static void element_comes(struct flow *k, const struct cairn_ete_element *e,
                          const struct cairn_ete_step *range)
{
	switch (e->kind) {
	case CAIRN_ETE_NO_SYNC:
		tracing_stops(k, false);
		break;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
		tracing_stops(k, true);
		break;
	case CAIRN_ETE_LOST:
	case CAIRN_ETE_END:
		if (e->kind == CAIRN_ETE_END && k->k->tx == ETE_TX_OPEN)
			FOUND(k, TX_END, "the trace ends while a transaction is open");
		unresolved(k, e);
		rules_flow_forget(k);
		break;
	case CAIRN_ETE_TRACE_INFO:
		info_comes(k, e);
		break;
	case CAIRN_ETE_TRACE_ON:
		rules_flow_forget(k);
		break;
	case CAIRN_ETE_ADDRESS:
		address_comes(k, e);
		break;
	case CAIRN_ETE_CONTEXT:
		context_comes(k, e);
		break;
	case CAIRN_ETE_EXCEPTION:
		judge_exception(k, e, range);
		judge_state(k, e->address, e->is1, &k->at);
		k->excepted &= !(e->flags & CAIRN_ETE_ALSO_TARGET);
		rules_flow_p0_comes(k);
		rules_flow_forget(k);
		k->excepted = true;
		break;
	case CAIRN_ETE_TRANSACTION_START:
		transaction_starts(k);
		break;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		transaction_ends(k, "is complete");
		k->owes_commit = k->whole;
		k->whole = false;
		k->commit_at = k->at;
		break;
	case CAIRN_ETE_TRANSACTION_FAILED:
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		transaction_ends(k, "failed");
		rules_flow_forget(k);
		k->restarts = true;
		break;
	case CAIRN_ETE_ATOMS:
	case CAIRN_ETE_SOURCE:
	case CAIRN_ETE_Q:
		rules_flow_p0_comes(k);
		break;
	case CAIRN_ETE_PE_RESET:
		rules_flow_forget(k);
		k->excepted = true;
		break;
	case CAIRN_ETE_FUNCTION_RETURN:
		rules_flow_p0_comes(k);
		rules_flow_forget(k);
		break;
	default:
		break;
	}
}

static void rules_flow_step(struct flow *k, const struct cairn_ete_step *s,
                            struct cairn_ete_step *range)
{
	k->at.offset = ete_place(k->sp, s->offset);
	k->at.insn = k->sp->at->n + k->numbers;
	if (s->kind == CAIRN_ETE_STEP_RANGE) {
		rules_flow_p0_comes(k);
		k->at.insn += s->n - 1; /* what is to be said is said of its last */
		range_comes(k, s);
		*range = *s;
	} else if (s->kind == CAIRN_ETE_STEP_GAP) {
		gap_comes(k, s);
	} else {
		bool led = range->kind && (range->flags & CAIRN_ETE_R_OPEN) && range->offset == s->offset;
		element_comes(k, s->element, led ? range : NULL);
	}
	k->numbers += ete_numbers(s);
}

/* Without a program elements are all there is, and no flow need be asked for them. */
static int elements_alone(struct flow *k)
{
	struct cairn_ete_element e[64];
	struct cairn_ete_step range = {.kind = 0};
	int64_t n;
	while ((n = cairn_ete_elements_fill(k->sp->flow->in, e, 64)) > 0)
		for (int64_t i = 0; i < n; i++) {
			struct cairn_ete_step s = {.offset = e[i].offset,
			                           .element = &e[i],
			                           .kind = CAIRN_ETE_STEP_ELEMENT};
			rules_flow_step(k, &s, &range);
		}
	return (int)n;
}

int ete_rules_flow(struct cairn_reader *r, struct model_span *s, struct check_part *p,
                   uint64_t *numbers)
{
	const struct ete_impl *im = r->impl;
	struct ete_span *sp = s->priv;
	const struct cairn_image *image = sp->program->image;
	struct flow k = {.f = {p, sp->program, im->n_programs > 1},
	                 .r = r,
	                 .k = p->priv,
	                 .sp = sp,
	                 .w = s->worker,
	                 .program = image && !image_empty(image)};
	struct cairn_ete_step now, range = {.kind = 0};
	int rc = ete_span_flow(r, s);
	k.restarts = rc >= 0 && sp->flow->restarts; /* from the span before */
	k.at = (struct check_place){.cpu = sp->program->hart,
	                            .part = p->part,
	                            .known = CAIRN_PLACE_OFFSET | CAIRN_PLACE_INSN | CAIRN_PLACE_CPU};
	if (rc >= 0 && !k.program)
		rc = elements_alone(&k);
	while (rc >= 0 && k.program) {
		const struct cairn_ete_flow *f = sp->flow;
		k.before = (struct stand){f->addr, !f->no_addr && !f->waiting};
		rc = cairn_ete_flow_next(sp->flow, &now);
		if (rc <= 0)
			break;
		rules_flow_step(&k, &now, &range);
	}
	*numbers = k.numbers;
	return rc;
}

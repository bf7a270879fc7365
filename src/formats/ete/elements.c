/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements from packets: what each packet says, and keeping in step. Whether it happened
 * is resolve.c's.
 *
 * Out of step only Events and Instrumentation count (RHMDGL), and these only behind an
 * Async. In step again means: an Async and a Trace Info (after Overflow and Discard the
 * Trace Info is enough, no byte was lost). A Trace Info in step must agree with what is
 * known; if it does not, something was lost unseen, and decoding starts anew there.
 *
 * A decoder that begins at a Trace Info knows no more than it tells: the context is not
 * known, the address history is empty, of older P0 elements there is only the number. One
 * that has read on forgets the same there. So parts give what the whole gives; what a
 * Trace Info does not tell (that the flow was interrupted by an Overflow) parts avoid by
 * their beginning.
 */
#include <string.h>

#include "formats/ete/elements.h"

/* ---- in and out of step ---- */

static void elements_add(struct cairn_ete_elements *d, const struct cairn_ete_packet *p,
                         unsigned kind, unsigned number)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = (uint8_t)kind,
	                              .number = (uint16_t)number};
	ete_add(&d->r, &e);
}

/* The element that tells of a gap; it waits to learn how long. */
static void report_gap(struct cairn_ete_elements *d, uint64_t offset, unsigned reason,
                       uint32_t lost)
{
	struct cairn_ete_element e = {.offset = offset,
	                              .kind = CAIRN_ETE_NO_SYNC,
	                              .number = (uint16_t)reason,
	                              .count = lost,
	                              .pad = ETE_WAIT_SYNC};
	ete_give_sync(&d->r, offset);
	ete_add(&d->r, &e);
	d->told = true;
}

static void lose_step(struct cairn_ete_elements *d, const struct cairn_ete_packet *p,
                      unsigned reason, enum ete_step step)
{
	uint32_t lost = d->step == ETE_IN_STEP ? ete_drop_pending(&d->r) : 0;
	d->step = step;
	d->resume = CAIRN_ETE_AT_START;
	d->sync_at = ETE_NEVER;
	d->stopped = true;
	report_gap(d, p->offset, reason, lost);
}

/* Overflow and Discard: the trace unit says so itself. */
static void elements_stop(struct cairn_ete_elements *d, const struct cairn_ete_packet *p,
                          unsigned kind, unsigned reason)
{
	struct cairn_ete_element e = {.offset = p->offset, .kind = (uint8_t)kind};
	if (d->step == ETE_IN_STEP)
		e.count = ete_drop_pending(&d->r);
	else
		ete_give_time(&d->r, false, 0);
	ete_add(&d->r, &e);
	d->step = ETE_NO_INFO;
	d->sync_at = ETE_NEVER;
	d->stopped = true;
	d->resume = (uint8_t)reason;
}

static void elements_start(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_TRACE_INFO,
	                              .number = p->info,
	                              .cycles = p->cycles,
	                              .count = (uint32_t)p->value};
	uint64_t depth = p->value;
	if (depth > d->maxspec) {
		report_gap(d, p->offset, CAIRN_ETE_BAD_DEPTH, 0);
		depth = d->maxspec;
	}
	if (d->told)
		ete_give_sync(&d->r, d->sync_at < p->offset ? d->sync_at : p->offset);
	d->told = false;
	d->sync_at = ETE_NEVER;
	d->step = ETE_IN_STEP;
	d->r.unseen = depth;
	ete_add(&d->r, &e);
}

/* Synchronisation where the address of an exception should be: it was lost. */
static void lose_unseen(struct cairn_ete_elements *d)
{
	const struct cairn_ete_element *w = ete_waiting(&d->r);
	if (w && w->kind == CAIRN_ETE_EXCEPTION) {
		ete_lose_pending(&d->r);
		d->stopped = true;
		d->step = ETE_NO_INFO;
	}
	ete_give_address(&d->r, NULL);
}

static void forget_ids(struct cairn_ete_elements *d)
{
	d->ids = 0;
	d->vmid = d->ctxid = 0;
}

static void elements_trace_info(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_TRACE_INFO,
	                              .number = p->info,
	                              .cycles = p->cycles,
	                              .count = (uint32_t)p->value};
	forget_ids(d);
	if (d->step == ETE_IN_STEP)
		lose_unseen(d);
	if (d->step == ETE_IN_STEP && d->r.depth + d->r.unseen != p->value) {
		ete_lose_pending(&d->r);
		d->stopped = true;
		d->step = ETE_NO_INFO;
	}
	if (d->step == ETE_NO_INFO)
		elements_start(d, p);
	else if (d->step == ETE_IN_STEP)
		ete_add(&d->r, &e);
}

static void elements_async(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	if (d->step != ETE_NO_ASYNC && (p->flags & CAIRN_ETE_P_OVERLAP)) {
		/* it is the packet before this one that was cut off */
		struct cairn_ete_packet cut = {.offset = d->last};
		lose_step(d, &cut, CAIRN_ETE_BAD_PACKET, ETE_NO_INFO);
	} else if (d->step == ETE_IN_STEP) {
		lose_unseen(d);
		if (d->step == ETE_IN_STEP)
			return;
	}
	d->step = ETE_NO_INFO;
	d->sync_at = p->offset;
}

/* ---- packets in step ---- */

/* A P0 element comes: what waited for an address stays without. */
static bool elements_p0_comes(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	const struct cairn_ete_element *w = ete_waiting(&d->r);
	d->resume = CAIRN_ETE_AT_START;
	if (!w)
		return true;
	if (w->kind == CAIRN_ETE_EXCEPTION) {
		lose_step(d, p, CAIRN_ETE_NO_ADDRESS, ETE_NO_ASYNC);
		return false;
	}
	ete_give_address(&d->r, NULL);
	return true;
}

static void elements_atoms(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_ATOMS,
	                              .atoms = p->atoms,
	                              .n_atoms = p->n_atoms};
	if (elements_p0_comes(d, p))
		ete_add(&d->r, &e);
}

static void elements_commit(struct cairn_ete_elements *d, const struct cairn_ete_packet *p,
                            uint64_t n)
{
	if (ete_commit(&d->r, n) < 0)
		lose_step(d, p, CAIRN_ETE_BAD_COMMIT, ETE_NO_ASYNC);
}

static void cancel(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	if (p->n_atoms)
		elements_atoms(d, p);
	if (d->step != ETE_IN_STEP)
		return;
	if (ete_cancel(&d->r, p->count) < 0)
		lose_step(d, p, CAIRN_ETE_BAD_CANCEL, ETE_NO_ASYNC);
	else if (p->type != CAIRN_ETE_P_CANCEL_F1)
		ete_mispredict(&d->r);
}

/* Identifiers that a context does not tell are those told before, since the Trace Info. */
static void context_of(struct cairn_ete_elements *d, struct cairn_ete_element *e,
                       const struct cairn_ete_packet *p)
{
	if (p->flags & CAIRN_ETE_P_HAS_VMID) {
		d->ids |= CAIRN_ETE_HAS_VMID;
		d->vmid = p->vmid;
	}
	if (p->flags & CAIRN_ETE_P_HAS_CTXID) {
		d->ids |= CAIRN_ETE_HAS_CTXID;
		d->ctxid = p->ctxid;
	}
	*e = (struct cairn_ete_element){
		.offset = p->offset,
		.kind = CAIRN_ETE_CONTEXT,
		.el = p->context & 3,
		.aarch64 = p->context >> 4 & 1,
		.security = (uint8_t)((p->context >> 3 & 1) * 2 + (p->context >> 5 & 1)),
		.vmid = d->vmid,
		.ctxid = d->ctxid,
		.flags = d->ids};
}

static void elements_address(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	const struct cairn_ete_element *w = ete_waiting(&d->r);
	bool exception = w && w->kind == CAIRN_ETE_EXCEPTION;
	struct cairn_ete_element e;
	if (ete_rows[p->type].context) {
		context_of(d, &e, p);
		if (exception)
			ete_add_before_waiting(&d->r, &e);
		else
			ete_add(&d->r, &e);
	}
	if (p->type == CAIRN_ETE_P_CONTEXT)
		return;
	if (w) {
		ete_give_address(&d->r, p);
		return;
	}
	e = (struct cairn_ete_element){.offset = p->offset,
	                               .kind = CAIRN_ETE_ADDRESS,
	                               .address = p->address,
	                               .is1 = !!(p->flags & CAIRN_ETE_P_IS1),
	                               .flags = CAIRN_ETE_HAS_ADDRESS};
	ete_add(&d->r, &e);
}

/* Source addresses and Q elements. */
static void addressed(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_SOURCE,
	                              .address = p->address,
	                              .is1 = !!(p->flags & CAIRN_ETE_P_IS1),
	                              .count = p->count,
	                              .flags = CAIRN_ETE_HAS_ADDRESS};
	if (!elements_p0_comes(d, p))
		return;
	if (p->type >= CAIRN_ETE_P_Q_MATCH)
		e.kind = CAIRN_ETE_Q;
	if (p->flags & CAIRN_ETE_P_HAS_COUNT)
		e.flags |= CAIRN_ETE_HAS_COUNT;
	if (p->type == CAIRN_ETE_P_Q_COUNT || p->type == CAIRN_ETE_P_Q) {
		e.flags &= (uint16_t)~CAIRN_ETE_HAS_ADDRESS;
		e.pad = ETE_WAIT_ADDRESS;
		d->r.address_open = true;
	}
	ete_add(&d->r, &e);
}

static void elements_exception(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	enum { DEBUG_HALT = 1, SYSTEM_ERROR = 4 };
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_EXCEPTION,
	                              .number = p->number,
	                              .pad = ETE_WAIT_ADDRESS};
	if (!elements_p0_comes(d, p))
		return;
	if (d->cfg.profile != 'M') {
		if (p->number == DEBUG_HALT || p->number == SYSTEM_ERROR)
			e.flags |= CAIRN_ETE_INEXACT;
		if (ete_is_implementation_defined(p->number))
			e.flags |= CAIRN_ETE_SOFT;
	} else {
		e.flags |= CAIRN_ETE_M_PROFILE;
	}
	if (p->info == 2)
		e.flags |= CAIRN_ETE_ALSO_TARGET;
	if (p->flags & CAIRN_ETE_P_FAULT_PENDING)
		e.flags |= CAIRN_ETE_FAULT_PENDING;
	d->r.address_open = true;
	ete_add(&d->r, &e);
}

static void elements_cycle_count(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_CYCLES,
	                              .cycles = p->cycles,
	                              .count = p->count};
	if (p->flags & CAIRN_ETE_P_HAS_COUNT) {
		e.flags |= CAIRN_ETE_HAS_COUNT;
		elements_commit(d, p, p->count);
	}
	if (p->flags & CAIRN_ETE_P_CYCLES_UNKNOWN)
		e.flags |= CAIRN_ETE_UNKNOWN;
	e.depth = (uint32_t)(d->r.depth + d->r.unseen);
	if (d->step == ETE_IN_STEP)
		ete_add(&d->r, &e);
}

static void elements_timestamp(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_TIMESTAMP,
	                              .value = p->value,
	                              .flags = d->marked ? CAIRN_ETE_MARKED : 0};
	if (!p->value)
		e.flags |= CAIRN_ETE_UNKNOWN;
	if ((p->flags & CAIRN_ETE_P_HAS_CYCLES) && d->cycles_in_time) {
		e.flags |= CAIRN_ETE_HAS_CYCLES;
		e.cycles = p->cycles;
	}
	ete_give_time(&d->r, true, p->value);
	ete_add(&d->r, &e);
}

/* Of two markers without a time between them the older one is ignored (RVWJVC). */
static void elements_marker(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_MARKER,
	                              .pad = ETE_WAIT_TIME};
	ete_give_time(&d->r, false, 0);
	ete_add(&d->r, &e);
	d->r.time_open = true;
}

static void elements_trace_on(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	unsigned reason = d->resume;
	const struct cairn_ete_element *w = ete_waiting(&d->r);
	if (w && w->kind == CAIRN_ETE_EXCEPTION) {
		lose_step(d, p, CAIRN_ETE_NO_ADDRESS, ETE_NO_ASYNC);
		return;
	}
	ete_give_address(&d->r, NULL);
	elements_add(d, p, CAIRN_ETE_TRACE_ON, reason);
	d->resume = CAIRN_ETE_AT_START;
}

static void elements_instrumentation(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {.offset = p->offset,
	                              .kind = CAIRN_ETE_INSTRUMENTATION,
	                              .el = p->number & 3,
	                              .value = p->value};
	ete_add(&d->r, &e);
}

static void simple(struct cairn_ete_elements *d, const struct cairn_ete_packet *p, unsigned kind,
                   bool p0)
{
	if (!p0 || elements_p0_comes(d, p))
		elements_add(d, p, kind, 0);
}

/* ETMv4's packets of conditional and of data trace, which are for who follows those. */
static void elements_conditional(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	struct cairn_ete_element e = {
		.offset = p->offset,
		.kind = p->type < CAIRN_ETE_P_COND_INST_F1 ? CAIRN_ETE_DATA_SYNC : CAIRN_ETE_CONDITIONAL,
		.number = p->type,
		.value = p->value,
		.depth = p->key,
		.count = p->count,
		.atoms = p->number,
		.n_atoms = p->result};
	ete_add(&d->r, &e);
}

static void elements_in_step(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	switch (p->type) {
	case CAIRN_ETE_P_ATOM_F1:
	case CAIRN_ETE_P_ATOM_F2:
	case CAIRN_ETE_P_ATOM_F3:
	case CAIRN_ETE_P_ATOM_F4:
	case CAIRN_ETE_P_ATOM_F5:
	case CAIRN_ETE_P_ATOM_F6:
		elements_atoms(d, p);
		break;
	case CAIRN_ETE_P_TRACE_ON:
		elements_trace_on(d, p);
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		elements_timestamp(d, p);
		break;
	case CAIRN_ETE_P_TS_MARKER:
		elements_marker(d, p);
		break;
	case CAIRN_ETE_P_CCNT_F1:
	case CAIRN_ETE_P_CCNT_F2:
	case CAIRN_ETE_P_CCNT_F3:
		elements_cycle_count(d, p);
		break;
	case CAIRN_ETE_P_EXCEPTION:
		elements_exception(d, p);
		break;
	case CAIRN_ETE_P_EXCEPTION_RETURN:
		simple(d, p, CAIRN_ETE_EXCEPTION_RETURN, d->cfg.profile == 'M');
		break;
	case CAIRN_ETE_P_FUNCTION_RETURN:
		simple(d, p, CAIRN_ETE_FUNCTION_RETURN, true);
		break;
	case CAIRN_ETE_P_PE_RESET:
		simple(d, p, CAIRN_ETE_PE_RESET, true);
		break;
	case CAIRN_ETE_P_TRANSACTION_START:
		simple(d, p, CAIRN_ETE_TRANSACTION_START, d->r.start_is_p0);
		break;
	case CAIRN_ETE_P_TRANSACTION_COMMIT:
		simple(d, p, CAIRN_ETE_TRANSACTION_COMMIT, false);
		break;
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		simple(d, p, CAIRN_ETE_TRANSACTION_FAILED, false);
		break;
	case CAIRN_ETE_P_COMMIT:
		elements_commit(d, p, p->count);
		break;
	case CAIRN_ETE_P_CANCEL_F1:
	case CAIRN_ETE_P_CANCEL_F1_MISPREDICT:
	case CAIRN_ETE_P_CANCEL_F2:
	case CAIRN_ETE_P_CANCEL_F3:
	case CAIRN_ETE_P_MISPREDICT:
		cancel(d, p);
		break;
	default:
		if (p->type >= CAIRN_ETE_P_CONTEXT && p->type < CAIRN_ETE_P_SRC_MATCH)
			elements_address(d, p);
		else if (p->type >= CAIRN_ETE_P_SRC_MATCH && p->type <= CAIRN_ETE_P_Q)
			addressed(d, p);
		else if (p->type >= CAIRN_ETE_P_NUM_DS_MARKER)
			elements_conditional(d, p);
		break;
	}
	if (d->r.depth + d->r.unseen > d->maxspec)
		ete_commit(&d->r, d->r.depth + d->r.unseen - d->maxspec);
}

/* Behind an Async, before the Trace Info. */
static void elements_before_info(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	d->resume = CAIRN_ETE_AT_START;
	if (p->type == CAIRN_ETE_P_IGNORE)
		return;
	d->sync_at = ETE_NEVER;
	if (!d->told)
		report_gap(d, p->offset, CAIRN_ETE_NO_TRACE_INFO, 0);
}

static void elements_one(struct cairn_ete_elements *d, const struct cairn_ete_packet *p)
{
	d->r.now = p->offset;
	switch (p->type) {
	case CAIRN_ETE_P_ASYNC:
		elements_async(d, p);
		break;
	case CAIRN_ETE_P_TRACE_INFO:
		elements_trace_info(d, p);
		break;
	case CAIRN_ETE_P_OVERFLOW:
		if (d->step != ETE_NO_ASYNC)
			elements_stop(d, p, CAIRN_ETE_OVERFLOW, CAIRN_ETE_AFTER_OVERFLOW);
		break;
	case CAIRN_ETE_P_DISCARD:
		if (d->step != ETE_NO_ASYNC)
			elements_stop(d, p, CAIRN_ETE_DISCARD, CAIRN_ETE_AFTER_DISCARD);
		break;
	case CAIRN_ETE_P_BAD:
	case CAIRN_ETE_P_RESERVED:
		if (d->step != ETE_NO_ASYNC)
			lose_step(d, p, CAIRN_ETE_BAD_PACKET, ETE_NO_ASYNC);
		break;
	case CAIRN_ETE_P_INCOMPLETE:
		if (d->step != ETE_NO_ASYNC)
			lose_step(d, p, CAIRN_ETE_INCOMPLETE, ETE_NO_ASYNC);
		break;
	case CAIRN_ETE_P_PADDING:
		break;
	case CAIRN_ETE_P_EVENT:
		if (d->step != ETE_NO_ASYNC)
			elements_add(d, p, CAIRN_ETE_EVENT, p->number);
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		if (d->step == ETE_NO_INFO && d->sync_at == ETE_NEVER)
			d->resume = CAIRN_ETE_AT_START;
		if (d->step != ETE_NO_ASYNC)
			elements_instrumentation(d, p);
		break;
	default:
		if (d->step == ETE_IN_STEP)
			elements_in_step(d, p);
		else if (d->step == ETE_NO_INFO)
			elements_before_info(d, p);
		break;
	}
	if (ete_any_old(&d->r, &d->r.pending, d->r.pending.head) ||
	    ete_any_old(&d->r, &d->r.out, d->r.settled))
		ete_age(&d->r);
	d->last = p->offset;
}

/* ---- reading ---- */

uint64_t cairn_ete_elements_tell(const struct cairn_ete_elements *d)
{
	return d->at < d->have ? d->ahead[d->at].offset : cairn_ete_packets_tell(d->packets);
}

static void elements_finish(struct cairn_ete_elements *d)
{
	struct cairn_ete_element e = {.offset = d->base + d->n, .kind = CAIRN_ETE_END};
	d->ended = true;
	d->r.now = e.offset;
	ete_give_sync(&d->r, d->sync_at < e.offset ? d->sync_at : e.offset);
	e.count = ete_drop_pending(&d->r);
	ete_add(&d->r, &e); /* a part's limit keeps it back */
	ete_finish(&d->r);
}

/* Has a part all it needs? A packet cut off by the next part's beginning shows there. */
static bool elements_enough(const struct cairn_ete_elements *d)
{
	const struct cairn_ete_packet *p = &d->ahead[d->at];
	return p->offset >= d->limit && !(p->flags & CAIRN_ETE_P_OVERLAP) &&
	       ete_quiet_before(&d->r, d->limit);
}

/* Read on: false when there is nothing more to be read. */
bool ete_read_on(struct cairn_ete_elements *d)
{
	if (d->ended)
		return false;
	if (d->at == d->have) {
		d->at = 0;
		d->have = cairn_ete_packets_fill(d->packets, d->ahead, ETE_AHEAD_PACKETS);
	}
	if (!d->have || elements_enough(d))
		elements_finish(d);
	else
		elements_one(d, &d->ahead[d->at++]);
	return true;
}

/* Is nothing open, so that a packet's element happens at once, and to nobody's surprise? */
static inline bool calm(const struct cairn_ete_elements *d)
{
	return d->step == ETE_IN_STEP && d->r.pending.head == d->r.pending.tail && !d->r.unseen &&
	       d->r.out.head == d->r.out.tail && d->r.transaction == ETE_T_NONE;
}

/* Atoms that nobody can cancel, and addresses, are most of a stream: straight from the
 * packets to the caller, as one() would have it. How many. */
static size_t elements_hurry(struct cairn_ete_elements *d, struct cairn_ete_element *e, size_t n)
{
	size_t have = 0;
	bool at_once = !d->maxspec;
	while (have < n) {
		const struct cairn_ete_packet *p;
		if (d->at == d->have) {
			d->at = 0;
			d->have = cairn_ete_packets_fill(d->packets, d->ahead, ETE_AHEAD_PACKETS);
			if (!d->have)
				break;
		}
		p = &d->ahead[d->at];
		if (p->offset >= d->limit)
			break;
		if (p->type >= CAIRN_ETE_P_ATOM_F1 && p->type <= CAIRN_ETE_P_ATOM_F6 && at_once) {
			e[have] = (struct cairn_ete_element){.offset = p->offset,
			                                     .kind = CAIRN_ETE_ATOMS,
			                                     .atoms = p->atoms,
			                                     .n_atoms = p->n_atoms};
			d->resume = CAIRN_ETE_AT_START;
		} else if (p->type >= CAIRN_ETE_P_ADDR_MATCH && p->type <= CAIRN_ETE_P_ADDR_64_IS1) {
			e[have] = (struct cairn_ete_element){.offset = p->offset,
			                                     .kind = CAIRN_ETE_ADDRESS,
			                                     .address = p->address,
			                                     .is1 = p->flags & CAIRN_ETE_P_IS1,
			                                     .flags = CAIRN_ETE_HAS_ADDRESS};
			ete_set_isa(&d->r, &e[have]);
		} else {
			break;
		}
		d->last = p->offset;
		d->at++;
		have++;
	}
	return have;
}

int64_t cairn_ete_elements_fill(struct cairn_ete_elements *d, struct cairn_ete_element *e, size_t n)
{
	size_t have = 0, hurried;
	while (have < n) {
		if (ete_take(&d->r, &e[have])) {
			have += e[have].offset < d->limit;
			continue;
		}
		if (calm(d) && (hurried = elements_hurry(d, e + have, n - have))) {
			have += hurried;
			continue;
		}
		if (!ete_read_on(d))
			break;
		if (d->r.failed)
			return base_fail(d->c, CAIRN_E_NOMEM, "out of memory");
	}
	return (int64_t)have;
}

int cairn_ete_elements_next(struct cairn_ete_elements *d, struct cairn_ete_element *e)
{
	return (int)cairn_ete_elements_fill(d, e, 1);
}

void cairn_ete_elements_limit(struct cairn_ete_elements *d, uint64_t offset)
{
	d->limit = offset;
}

/* ---- opening ---- */

void ete_elements_reset(struct cairn_ete_elements *d)
{
	ete_resolver_clear(&d->r);
	forget_ids(d);
	d->at = d->have = 0;
	d->ended = d->told = d->stopped = false;
	d->resume = CAIRN_ETE_AT_START;
	d->sync_at = ETE_NEVER;
	d->step = ETE_NO_INFO;
}

void ete_elements_begin(struct cairn_ete_elements *d)
{
	ete_elements_reset(d);
	d->step = ETE_NO_ASYNC;
	if (d->n)
		report_gap(d, d->base, CAIRN_ETE_AT_START, 0);
}

int cairn_ete_elements_open(struct cairn *c, const struct cairn_ete_config *cfg,
                            const struct cairn_ete_elements_opts *opts, const void *data, size_t n,
                            uint64_t base, struct cairn_ete_elements **out)
{
	struct cairn_ete_elements *d;
	int rc;
	*out = NULL;
	if (opts && opts->size != sizeof *opts)
		return base_fail(c, CAIRN_E_INVAL, "options of another size");
	d = base_alloc(c, sizeof *d);
	if (!d)
		return CAIRN_E_NOMEM;
	*d = (struct cairn_ete_elements){.c = c,
	                                 .cfg = *cfg,
	                                 .data = data,
	                                 .n = n,
	                                 .base = base,
	                                 .limit = UINT64_MAX,
	                                 .maxspec = cfg->idr8,
	                                 .marked = cfg->idr0 >> 23 & 1,
	                                 .cycles_in_time = cfg->configr >> 4 & 1};
	rc = ete_resolver_init(&d->r, c, &d->cfg, opts && opts->transactions == CAIRN_ETE_KEEP);
	if (rc >= 0)
		rc = cairn_ete_packets_open(c, cfg, data, n, base, &d->packets);
	if (rc < 0) {
		cairn_ete_elements_close(d);
		return rc;
	}
	ete_elements_begin(d);
	*out = d;
	return 0;
}

void cairn_ete_elements_close(struct cairn_ete_elements *d)
{
	if (!d)
		return;
	cairn_ete_packets_close(d->packets);
	ete_resolver_free(&d->r);
	base_free(d->c, d);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements from packets: what each packet says, and synchronisation. resolve.c decides whether an
 * element happened.
 *
 * Out of step only Events and Instrumentation count (RHMDGL), and these only behind an
 * Async. In step again means: an Async and a Trace Info (after Overflow and Discard the
 * Trace Info is enough, no byte was lost). A Trace Info in step must agree with what is
 * known; if it does not, something was lost unseen, and decoding starts again there.
 *
 * A decoder that begins at a Trace Info knows only what is in it: the context is unknown, the
 * address history is empty, and of older P0 elements only the number is known. A decoder that
 * arrives there forgets the rest as well, so that reading in parts gives the same as reading the
 * whole. A Trace Info does not say that an Overflow interrupted the flow, so no part begins
 * there.
 */

#include "formats/ete/stream/elements.h"

/* ---- in and out of step ---- */

static void elements_add(struct cairn_ete_elements *elements, const struct cairn_ete_packet *packet,
                         unsigned kind, unsigned number)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = (uint8_t)kind,
	                                    .number = (uint16_t)number};
	ete_add(&elements->resolver, &element);
}

/* Begin the element that reports a gap; it waits until the gap's length is known. */
static void report_gap(struct cairn_ete_elements *elements, uint64_t offset, unsigned reason,
                       uint32_t lost)
{
	struct cairn_ete_element element = {.offset = offset,
	                                    .kind = CAIRN_ETE_NO_SYNC,
	                                    .number = (uint16_t)reason,
	                                    .count = lost,
	                                    .pad = ETE_WAIT_SYNC};
	ete_give_sync(&elements->resolver, offset);
	ete_add(&elements->resolver, &element);
	elements->told = true;
}

static void lose_step(struct cairn_ete_elements *elements, const struct cairn_ete_packet *packet,
                      unsigned reason, enum ete_step step)
{
	uint32_t lost = elements->step == ETE_IN_STEP ? ete_drop_pending(&elements->resolver) : 0;
	elements->step = step;
	elements->resume = CAIRN_ETE_AT_START;
	elements->sync_at = ETE_NEVER;
	elements->stopped = true;
	report_gap(elements, packet->offset, reason, lost);
}

/* Overflow and Discard: gaps that the trace unit itself reports. */
static void elements_stop(struct cairn_ete_elements *elements,
                          const struct cairn_ete_packet *packet, unsigned kind, unsigned reason)
{
	struct cairn_ete_element element = {.offset = packet->offset, .kind = (uint8_t)kind};
	if (elements->step == ETE_IN_STEP)
		element.count = ete_drop_pending(&elements->resolver);
	else
		ete_give_time(&elements->resolver, false, 0);
	ete_add(&elements->resolver, &element);
	elements->step = ETE_NO_INFO;
	elements->sync_at = ETE_NEVER;
	elements->stopped = true;
	elements->resume = (uint8_t)reason;
}

static void elements_start(struct cairn_ete_elements *elements,
                           const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_TRACE_INFO,
	                                    .number = packet->info,
	                                    .cycles = packet->cycles,
	                                    .count = (uint32_t)packet->value};
	uint64_t depth = packet->value;
	if (depth > elements->maxspec) {
		report_gap(elements, packet->offset, CAIRN_ETE_BAD_DEPTH, 0);
		depth = elements->maxspec;
	}
	if (elements->told)
		ete_give_sync(&elements->resolver,
		              elements->sync_at < packet->offset ? elements->sync_at : packet->offset);
	elements->told = false;
	elements->sync_at = ETE_NEVER;
	elements->step = ETE_IN_STEP;
	elements->resolver.unseen = depth;
	ete_add(&elements->resolver, &element);
}

/* A synchronisation came where the address of an exception should be: the address was lost. */
static void lose_unseen(struct cairn_ete_elements *elements)
{
	const struct cairn_ete_element *element = ete_waiting(&elements->resolver);
	if (element && element->kind == CAIRN_ETE_EXCEPTION) {
		ete_lose_pending(&elements->resolver);
		elements->stopped = true;
		elements->step = ETE_NO_INFO;
	}
	ete_give_address(&elements->resolver, NULL);
}

static void forget_ids(struct cairn_ete_elements *elements)
{
	elements->ids = 0;
	elements->vmid = elements->ctxid = 0;
}

static void elements_trace_info(struct cairn_ete_elements *elements,
                                const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_TRACE_INFO,
	                                    .number = packet->info,
	                                    .cycles = packet->cycles,
	                                    .count = (uint32_t)packet->value};
	forget_ids(elements);
	if (elements->step == ETE_IN_STEP)
		lose_unseen(elements);
	if (elements->step == ETE_IN_STEP &&
	    elements->resolver.depth + elements->resolver.unseen != packet->value) {
		ete_lose_pending(&elements->resolver);
		elements->stopped = true;
		elements->step = ETE_NO_INFO;
	}
	if (elements->step == ETE_NO_INFO)
		elements_start(elements, packet);
	else if (elements->step == ETE_IN_STEP)
		ete_add(&elements->resolver, &element);
}

static void elements_async(struct cairn_ete_elements *elements,
                           const struct cairn_ete_packet *packet)
{
	if (elements->step != ETE_NO_ASYNC && (packet->flags & CAIRN_ETE_P_OVERLAP)) {
		/* it was the packet before this one that was cut off */
		struct cairn_ete_packet cut = {.offset = elements->last};
		lose_step(elements, &cut, CAIRN_ETE_BAD_PACKET, ETE_NO_INFO);
	} else if (elements->step == ETE_IN_STEP) {
		lose_unseen(elements);
		if (elements->step == ETE_IN_STEP)
			return;
	}
	elements->step = ETE_NO_INFO;
	elements->sync_at = packet->offset;
}

/* ---- packets in step ---- */

/* A P0 element comes: whatever still waits for an address gets none. */
static bool elements_p0_comes(struct cairn_ete_elements *elements,
                              const struct cairn_ete_packet *packet)
{
	const struct cairn_ete_element *element = ete_waiting(&elements->resolver);
	elements->resume = CAIRN_ETE_AT_START;
	if (!element)
		return true;
	if (element->kind == CAIRN_ETE_EXCEPTION) {
		lose_step(elements, packet, CAIRN_ETE_NO_ADDRESS, ETE_NO_ASYNC);
		return false;
	}
	ete_give_address(&elements->resolver, NULL);
	return true;
}

static void elements_atoms(struct cairn_ete_elements *elements,
                           const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_ATOMS,
	                                    .atoms = packet->atoms,
	                                    .n_atoms = packet->n_atoms};
	if (elements_p0_comes(elements, packet))
		ete_add(&elements->resolver, &element);
}

static void elements_commit(struct cairn_ete_elements *elements,
                            const struct cairn_ete_packet *packet, uint64_t n)
{
	if (ete_commit(&elements->resolver, n) < 0)
		lose_step(elements, packet, CAIRN_ETE_BAD_COMMIT, ETE_NO_ASYNC);
}

static void cancel(struct cairn_ete_elements *elements, const struct cairn_ete_packet *packet)
{
	if (packet->n_atoms)
		elements_atoms(elements, packet);
	if (elements->step != ETE_IN_STEP)
		return;
	if (ete_cancel(&elements->resolver, packet->count) < 0)
		lose_step(elements, packet, CAIRN_ETE_BAD_CANCEL, ETE_NO_ASYNC);
	else if (packet->type != CAIRN_ETE_P_CANCEL_F1)
		ete_mispredict(&elements->resolver);
}

/* Identifiers that a context leaves out are those given before, since the Trace Info. */
static void context_of(struct cairn_ete_elements *elements, struct cairn_ete_element *element,
                       const struct cairn_ete_packet *packet)
{
	if (packet->flags & CAIRN_ETE_P_HAS_VMID) {
		elements->ids |= CAIRN_ETE_HAS_VMID;
		elements->vmid = packet->vmid;
	}
	if (packet->flags & CAIRN_ETE_P_HAS_CTXID) {
		elements->ids |= CAIRN_ETE_HAS_CTXID;
		elements->ctxid = packet->ctxid;
	}
	*element = (struct cairn_ete_element){
		.offset = packet->offset,
		.kind = CAIRN_ETE_CONTEXT,
		.el = packet->context & 3,
		.aarch64 = packet->context >> 4 & 1,
		.security = (uint8_t)((packet->context >> 3 & 1) * 2 + (packet->context >> 5 & 1)),
		.vmid = elements->vmid,
		.ctxid = elements->ctxid,
		.flags = elements->ids};
}

static void elements_address(struct cairn_ete_elements *elements,
                             const struct cairn_ete_packet *packet)
{
	const struct cairn_ete_element *element = ete_waiting(&elements->resolver);
	bool exception = element && element->kind == CAIRN_ETE_EXCEPTION;
	struct cairn_ete_element e;
	if (ete_rows[packet->type].context) {
		context_of(elements, &e, packet);
		if (exception)
			ete_add_before_waiting(&elements->resolver, &e);
		else
			ete_add(&elements->resolver, &e);
	}
	if (packet->type == CAIRN_ETE_P_CONTEXT)
		return;
	if (element) {
		ete_give_address(&elements->resolver, packet);
		return;
	}
	e = (struct cairn_ete_element){.offset = packet->offset,
	                               .kind = CAIRN_ETE_ADDRESS,
	                               .address = packet->address,
	                               .is1 = !!(packet->flags & CAIRN_ETE_P_IS1),
	                               .flags = CAIRN_ETE_HAS_ADDRESS};
	ete_add(&elements->resolver, &e);
}

/* Source addresses and Q elements. */
static void addressed(struct cairn_ete_elements *elements, const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_SOURCE,
	                                    .address = packet->address,
	                                    .is1 = !!(packet->flags & CAIRN_ETE_P_IS1),
	                                    .count = packet->count,
	                                    .flags = CAIRN_ETE_HAS_ADDRESS};
	if (!elements_p0_comes(elements, packet))
		return;
	if (packet->type >= CAIRN_ETE_P_Q_MATCH)
		element.kind = CAIRN_ETE_Q;
	if (packet->flags & CAIRN_ETE_P_HAS_COUNT)
		element.flags |= CAIRN_ETE_HAS_COUNT;
	if (packet->type == CAIRN_ETE_P_Q_COUNT || packet->type == CAIRN_ETE_P_Q) {
		element.flags &= (uint16_t)~CAIRN_ETE_HAS_ADDRESS;
		element.pad = ETE_WAIT_ADDRESS;
		elements->resolver.address_open = true;
	}
	ete_add(&elements->resolver, &element);
}

static void elements_exception(struct cairn_ete_elements *elements,
                               const struct cairn_ete_packet *packet)
{
	enum { DEBUG_HALT = 1, SYSTEM_ERROR = 4 };
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_EXCEPTION,
	                                    .number = packet->number,
	                                    .pad = ETE_WAIT_ADDRESS};
	if (!elements_p0_comes(elements, packet))
		return;
	if (elements->cfg.profile != 'M') {
		if (packet->number == DEBUG_HALT || packet->number == SYSTEM_ERROR)
			element.flags |= CAIRN_ETE_INEXACT;
		if (ete_is_implementation_defined(packet->number))
			element.flags |= CAIRN_ETE_SOFT;
	} else {
		element.flags |= CAIRN_ETE_M_PROFILE;
	}
	if (packet->info == 2)
		element.flags |= CAIRN_ETE_ALSO_TARGET;
	if (packet->flags & CAIRN_ETE_P_FAULT_PENDING)
		element.flags |= CAIRN_ETE_FAULT_PENDING;
	elements->resolver.address_open = true;
	ete_add(&elements->resolver, &element);
}

static void elements_cycle_count(struct cairn_ete_elements *elements,
                                 const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_CYCLES,
	                                    .cycles = packet->cycles,
	                                    .count = packet->count};
	if (packet->flags & CAIRN_ETE_P_HAS_COUNT) {
		element.flags |= CAIRN_ETE_HAS_COUNT;
		elements_commit(elements, packet, packet->count);
	}
	if (packet->flags & CAIRN_ETE_P_CYCLES_UNKNOWN)
		element.flags |= CAIRN_ETE_UNKNOWN;
	element.depth = (uint32_t)(elements->resolver.depth + elements->resolver.unseen);
	if (elements->step == ETE_IN_STEP)
		ete_add(&elements->resolver, &element);
}

static void elements_timestamp(struct cairn_ete_elements *elements,
                               const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_TIMESTAMP,
	                                    .value = packet->value,
	                                    .flags = elements->marked ? CAIRN_ETE_MARKED : 0};
	if (!packet->value)
		element.flags |= CAIRN_ETE_UNKNOWN;
	if ((packet->flags & CAIRN_ETE_P_HAS_CYCLES) && elements->cycles_in_time) {
		element.flags |= CAIRN_ETE_HAS_CYCLES;
		element.cycles = packet->cycles;
	}
	ete_give_time(&elements->resolver, true, packet->value);
	ete_add(&elements->resolver, &element);
}

/* Of two markers without a time between them the older one is ignored (RVWJVC). */
static void elements_marker(struct cairn_ete_elements *elements,
                            const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_MARKER,
	                                    .pad = ETE_WAIT_TIME};
	ete_give_time(&elements->resolver, false, 0);
	ete_add(&elements->resolver, &element);
	elements->resolver.time_open = true;
}

static void elements_trace_on(struct cairn_ete_elements *elements,
                              const struct cairn_ete_packet *packet)
{
	unsigned reason = elements->resume;
	const struct cairn_ete_element *element = ete_waiting(&elements->resolver);
	if (element && element->kind == CAIRN_ETE_EXCEPTION) {
		lose_step(elements, packet, CAIRN_ETE_NO_ADDRESS, ETE_NO_ASYNC);
		return;
	}
	ete_give_address(&elements->resolver, NULL);
	elements_add(elements, packet, CAIRN_ETE_TRACE_ON, reason);
	elements->resume = CAIRN_ETE_AT_START;
}

static void elements_instrumentation(struct cairn_ete_elements *elements,
                                     const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = CAIRN_ETE_INSTRUMENTATION,
	                                    .el = packet->number & 3,
	                                    .value = packet->value};
	ete_add(&elements->resolver, &element);
}

static void simple(struct cairn_ete_elements *elements, const struct cairn_ete_packet *packet,
                   unsigned kind, bool p0)
{
	if (!p0 || elements_p0_comes(elements, packet))
		elements_add(elements, packet, kind, 0);
}

/* ETMv4's packets of conditional and data trace, for callers that follow them. */
static void elements_conditional(struct cairn_ete_elements *elements,
                                 const struct cairn_ete_packet *packet)
{
	struct cairn_ete_element element = {.offset = packet->offset,
	                                    .kind = packet->type < CAIRN_ETE_P_COND_INST_F1
	                                                ? CAIRN_ETE_DATA_SYNC
	                                                : CAIRN_ETE_CONDITIONAL,
	                                    .number = packet->type,
	                                    .value = packet->value,
	                                    .depth = packet->key,
	                                    .count = packet->count,
	                                    .atoms = packet->number,
	                                    .n_atoms = packet->result};
	ete_add(&elements->resolver, &element);
}

static void elements_in_step(struct cairn_ete_elements *elements,
                             const struct cairn_ete_packet *packet)
{
	switch (packet->type) {
	case CAIRN_ETE_P_ATOM_F1:
	case CAIRN_ETE_P_ATOM_F2:
	case CAIRN_ETE_P_ATOM_F3:
	case CAIRN_ETE_P_ATOM_F4:
	case CAIRN_ETE_P_ATOM_F5:
	case CAIRN_ETE_P_ATOM_F6:
		elements_atoms(elements, packet);
		break;
	case CAIRN_ETE_P_TRACE_ON:
		elements_trace_on(elements, packet);
		break;
	case CAIRN_ETE_P_TIMESTAMP:
		elements_timestamp(elements, packet);
		break;
	case CAIRN_ETE_P_TS_MARKER:
		elements_marker(elements, packet);
		break;
	case CAIRN_ETE_P_CCNT_F1:
	case CAIRN_ETE_P_CCNT_F2:
	case CAIRN_ETE_P_CCNT_F3:
		elements_cycle_count(elements, packet);
		break;
	case CAIRN_ETE_P_EXCEPTION:
		elements_exception(elements, packet);
		break;
	case CAIRN_ETE_P_EXCEPTION_RETURN:
		simple(elements, packet, CAIRN_ETE_EXCEPTION_RETURN, elements->cfg.profile == 'M');
		break;
	case CAIRN_ETE_P_FUNCTION_RETURN:
		simple(elements, packet, CAIRN_ETE_FUNCTION_RETURN, true);
		break;
	case CAIRN_ETE_P_PE_RESET:
		simple(elements, packet, CAIRN_ETE_PE_RESET, true);
		break;
	case CAIRN_ETE_P_TRANSACTION_START:
		simple(elements, packet, CAIRN_ETE_TRANSACTION_START, elements->resolver.start_is_p0);
		break;
	case CAIRN_ETE_P_TRANSACTION_COMMIT:
		simple(elements, packet, CAIRN_ETE_TRANSACTION_COMMIT, false);
		break;
	case CAIRN_ETE_P_TRANSACTION_FAILURE:
		simple(elements, packet, CAIRN_ETE_TRANSACTION_FAILED, false);
		break;
	case CAIRN_ETE_P_COMMIT:
		elements_commit(elements, packet, packet->count);
		break;
	case CAIRN_ETE_P_CANCEL_F1:
	case CAIRN_ETE_P_CANCEL_F1_MISPREDICT:
	case CAIRN_ETE_P_CANCEL_F2:
	case CAIRN_ETE_P_CANCEL_F3:
	case CAIRN_ETE_P_MISPREDICT:
		cancel(elements, packet);
		break;
	default:
		if (packet->type >= CAIRN_ETE_P_CONTEXT && packet->type < CAIRN_ETE_P_SRC_MATCH)
			elements_address(elements, packet);
		else if (packet->type >= CAIRN_ETE_P_SRC_MATCH && packet->type <= CAIRN_ETE_P_Q)
			addressed(elements, packet);
		else if (packet->type >= CAIRN_ETE_P_NUM_DS_MARKER)
			elements_conditional(elements, packet);
		break;
	}
	if (elements->resolver.depth + elements->resolver.unseen > elements->maxspec)
		ete_commit(&elements->resolver,
		           elements->resolver.depth + elements->resolver.unseen - elements->maxspec);
}

/* Behind an Async, before the Trace Info. */
static void elements_before_info(struct cairn_ete_elements *elements,
                                 const struct cairn_ete_packet *packet)
{
	elements->resume = CAIRN_ETE_AT_START;
	if (packet->type == CAIRN_ETE_P_IGNORE)
		return;
	elements->sync_at = ETE_NEVER;
	if (!elements->told)
		report_gap(elements, packet->offset, CAIRN_ETE_NO_TRACE_INFO, 0);
}

static void elements_one(struct cairn_ete_elements *elements, const struct cairn_ete_packet *packet)
{
	elements->resolver.now = packet->offset;
	switch (packet->type) {
	case CAIRN_ETE_P_ASYNC:
		elements_async(elements, packet);
		break;
	case CAIRN_ETE_P_TRACE_INFO:
		elements_trace_info(elements, packet);
		break;
	case CAIRN_ETE_P_OVERFLOW:
		if (elements->step != ETE_NO_ASYNC)
			elements_stop(elements, packet, CAIRN_ETE_OVERFLOW, CAIRN_ETE_AFTER_OVERFLOW);
		break;
	case CAIRN_ETE_P_DISCARD:
		if (elements->step != ETE_NO_ASYNC)
			elements_stop(elements, packet, CAIRN_ETE_DISCARD, CAIRN_ETE_AFTER_DISCARD);
		break;
	case CAIRN_ETE_P_BAD:
	case CAIRN_ETE_P_RESERVED:
		if (elements->step != ETE_NO_ASYNC)
			lose_step(elements, packet, CAIRN_ETE_BAD_PACKET, ETE_NO_ASYNC);
		break;
	case CAIRN_ETE_P_INCOMPLETE:
		if (elements->step != ETE_NO_ASYNC)
			lose_step(elements, packet, CAIRN_ETE_INCOMPLETE, ETE_NO_ASYNC);
		break;
	case CAIRN_ETE_P_PADDING:
		break;
	case CAIRN_ETE_P_EVENT:
		if (elements->step != ETE_NO_ASYNC)
			elements_add(elements, packet, CAIRN_ETE_EVENT, packet->number);
		break;
	case CAIRN_ETE_P_INSTRUMENTATION:
		if (elements->step == ETE_NO_INFO && elements->sync_at == ETE_NEVER)
			elements->resume = CAIRN_ETE_AT_START;
		if (elements->step != ETE_NO_ASYNC)
			elements_instrumentation(elements, packet);
		break;
	default:
		if (elements->step == ETE_IN_STEP)
			elements_in_step(elements, packet);
		else if (elements->step == ETE_NO_INFO)
			elements_before_info(elements, packet);
		break;
	}
	if (ete_any_old(&elements->resolver, &elements->resolver.pending,
	                elements->resolver.pending.head) ||
	    ete_any_old(&elements->resolver, &elements->resolver.out, elements->resolver.settled))
		ete_age(&elements->resolver);
	elements->last = packet->offset;
}

/* ---- reading ---- */

uint64_t cairn_ete_elements_tell(const struct cairn_ete_elements *elements)
{
	return elements->at < elements->have ? elements->ahead[elements->at].offset
	                                     : cairn_ete_packets_tell(elements->packets);
}

static void elements_finish(struct cairn_ete_elements *elements)
{
	struct cairn_ete_element element = {.offset = elements->base + elements->n,
	                                    .kind = CAIRN_ETE_END};
	elements->ended = true;
	elements->resolver.now = element.offset;
	ete_give_sync(&elements->resolver,
	              elements->sync_at < element.offset ? elements->sync_at : element.offset);
	element.count = ete_drop_pending(&elements->resolver);
	ete_add(&elements->resolver, &element); /* a part's limit keeps it back */
	ete_finish(&elements->resolver);
}

/* Does the part have all it needs? That a packet was cut off by the next part's beginning shows
 * there. */
static bool elements_enough(const struct cairn_ete_elements *elements)
{
	const struct cairn_ete_packet *packet = &elements->ahead[elements->at];
	return packet->offset >= elements->limit && !(packet->flags & CAIRN_ETE_P_OVERLAP) &&
	       ete_quiet_before(&elements->resolver, elements->limit);
}

/* Read on; false when there is nothing more to read. */
bool ete_read_on(struct cairn_ete_elements *elements)
{
	if (elements->ended)
		return false;
	if (elements->at == elements->have) {
		elements->at = 0;
		elements->have =
			cairn_ete_packets_fill(elements->packets, elements->ahead, ETE_AHEAD_PACKETS);
	}
	if (!elements->have || elements_enough(elements))
		elements_finish(elements);
	else
		elements_one(elements, &elements->ahead[elements->at++]);
	return true;
}

/* Is nothing open, so that a packet's element happens at once and changes nothing else? */
static inline bool calm(const struct cairn_ete_elements *elements)
{
	return elements->step == ETE_IN_STEP &&
	       elements->resolver.pending.head == elements->resolver.pending.tail &&
	       !elements->resolver.unseen &&
	       elements->resolver.out.head == elements->resolver.out.tail &&
	       elements->resolver.transaction == ETE_T_NONE;
}

/* Atoms that cannot be canceled, and addresses, are most of a stream. They go straight from the
 * packets to the caller, with the same result as one(). Returns how many. */
static size_t elements_hurry(struct cairn_ete_elements *elements, struct cairn_ete_element *element,
                             size_t n)
{
	size_t have = 0;
	bool at_once = !elements->maxspec;
	while (have < n) {
		const struct cairn_ete_packet *packet;
		if (elements->at == elements->have) {
			elements->at = 0;
			elements->have =
				cairn_ete_packets_fill(elements->packets, elements->ahead, ETE_AHEAD_PACKETS);
			if (!elements->have)
				break;
		}
		packet = &elements->ahead[elements->at];
		if (packet->offset >= elements->limit)
			break;
		if (packet->type >= CAIRN_ETE_P_ATOM_F1 && packet->type <= CAIRN_ETE_P_ATOM_F6 && at_once) {
			element[have] = (struct cairn_ete_element){.offset = packet->offset,
			                                           .kind = CAIRN_ETE_ATOMS,
			                                           .atoms = packet->atoms,
			                                           .n_atoms = packet->n_atoms};
			elements->resume = CAIRN_ETE_AT_START;
		} else if (packet->type >= CAIRN_ETE_P_ADDR_MATCH &&
		           packet->type <= CAIRN_ETE_P_ADDR_64_IS1) {
			element[have] = (struct cairn_ete_element){.offset = packet->offset,
			                                           .kind = CAIRN_ETE_ADDRESS,
			                                           .address = packet->address,
			                                           .is1 = packet->flags & CAIRN_ETE_P_IS1,
			                                           .flags = CAIRN_ETE_HAS_ADDRESS};
			ete_set_isa(&elements->resolver, &element[have]);
		} else {
			break;
		}
		elements->last = packet->offset;
		elements->at++;
		have++;
	}
	return have;
}

int64_t cairn_ete_elements_fill(struct cairn_ete_elements *elements,
                                struct cairn_ete_element *element, size_t n)
{
	size_t have = 0, hurried;
	while (have < n) {
		if (ete_take(&elements->resolver, &element[have])) {
			have += element[have].offset < elements->limit;
			continue;
		}
		if (calm(elements) && (hurried = elements_hurry(elements, element + have, n - have))) {
			have += hurried;
			continue;
		}
		if (!ete_read_on(elements))
			break;
		if (elements->resolver.failed)
			return base_fail(elements->cairn, CAIRN_E_NOMEM, "out of memory");
	}
	return (int64_t)have;
}

int cairn_ete_elements_next(struct cairn_ete_elements *elements, struct cairn_ete_element *element)
{
	return (int)cairn_ete_elements_fill(elements, element, 1);
}

void cairn_ete_elements_limit(struct cairn_ete_elements *elements, uint64_t offset)
{
	elements->limit = offset;
}

/* ---- opening ---- */

void ete_elements_reset(struct cairn_ete_elements *elements)
{
	ete_resolver_clear(&elements->resolver);
	forget_ids(elements);
	elements->at = elements->have = 0;
	elements->ended = elements->told = elements->stopped = false;
	elements->resume = CAIRN_ETE_AT_START;
	elements->sync_at = ETE_NEVER;
	elements->step = ETE_NO_INFO;
}

void ete_elements_begin(struct cairn_ete_elements *elements)
{
	ete_elements_reset(elements);
	elements->step = ETE_NO_ASYNC;
	if (elements->n)
		report_gap(elements, elements->base, CAIRN_ETE_AT_START, 0);
}

int cairn_ete_elements_open(struct cairn *cairn, const struct cairn_ete_config *cfg,
                            const struct cairn_ete_elements_opts *opts, const void *data, size_t n,
                            uint64_t base, struct cairn_ete_elements **out)
{
	struct cairn_ete_elements *elements;
	int rc;
	*out = NULL;
	if (opts && opts->size != sizeof *opts)
		return base_fail(cairn, CAIRN_E_INVAL, "options of another size");
	elements = base_alloc(cairn, sizeof *elements);
	if (!elements)
		return CAIRN_E_NOMEM;
	*elements = (struct cairn_ete_elements){.cairn = cairn,
	                                        .cfg = *cfg,
	                                        .data = data,
	                                        .n = n,
	                                        .base = base,
	                                        .limit = UINT64_MAX,
	                                        .maxspec = cfg->idr8,
	                                        .marked = cfg->idr0 >> 23 & 1,
	                                        .cycles_in_time = cfg->configr >> 4 & 1};
	rc = ete_resolver_init(&elements->resolver, cairn, &elements->cfg,
	                       opts && opts->transactions == CAIRN_ETE_KEEP);
	if (rc >= 0)
		rc = cairn_ete_packets_open(cairn, cfg, data, n, base, &elements->packets);
	if (rc < 0) {
		cairn_ete_elements_close(elements);
		return rc;
	}
	ete_elements_begin(elements);
	*out = elements;
	return 0;
}

void cairn_ete_elements_close(struct cairn_ete_elements *elements)
{
	if (!elements)
		return;
	cairn_ete_packets_close(elements->packets);
	ete_resolver_free(&elements->resolver);
	base_free(elements->cairn, elements);
}

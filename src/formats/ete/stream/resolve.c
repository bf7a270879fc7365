/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which elements happened: speculation, transactions, and facts about a marker, an exception or a
 * gap that come later in the stream. Arm ARM D4.3.3, D4.3.7, D4.3.8, D4.3.11.
 *
 * Pending holds everything from the oldest unresolved P0 element on; elements that are no
 * P0 elements happened as soon as all P0 elements before them did. Commit moves from the
 * old end of pending to out, Cancel takes from the young end. Events, instrumentation,
 * times and markers are never taken away (RCJRNL, RDCRVK), only moved on.
 *
 * Out delivers in order, so an element that waits delays those behind it. An element that waits
 * too long is given up. The limit is a number of bytes of the stream from the element itself, so
 * that the result depends neither on where a decoder began nor on when the caller asks.
 */
#include "formats/ete/stream/elements.h"

#include <string.h>

enum { FIRST_ROWS = 64 };

/* ---- queues ---- */

static bool resolve_reserve(struct ete_resolver *resolver, struct ete_queue *queue, uint64_t n)
{
	struct cairn_ete_element *element;
	uint64_t rows = queue->element ? queue->mask + 1 : 0, want = rows ? rows : FIRST_ROWS;
	if (queue->tail - queue->head + n <= rows)
		return true;
	while (want < queue->tail - queue->head + n)
		want *= 2;
	element = base_alloc(resolver->cairn, want * sizeof *element);
	if (!element) {
		resolver->failed = true;
		return false;
	}
	for (uint64_t i = queue->head; i < queue->tail; i++)
		element[i & (want - 1)] = queue->element[i & queue->mask];
	base_free(resolver->cairn, queue->element);
	queue->element = element;
	queue->mask = want - 1;
	return true;
}

static void resolve_insert(struct ete_resolver *resolver, struct ete_queue *queue, uint64_t at,
                           const struct cairn_ete_element *element)
{
	if (!resolve_reserve(resolver, queue, 1))
		return;
	for (uint64_t i = queue->tail++; i > at; i--)
		*ete_row_at(queue, i) = *ete_row_at(queue, i - 1);
	*ete_row_at(queue, at) = *element;
}

int ete_resolver_init(struct ete_resolver *resolver, struct cairn *cairn,
                      const struct cairn_ete_config *cfg, bool keep)
{
	memset(resolver, 0, sizeof *resolver);
	resolver->cairn = cairn;
	resolver->cfg = cfg;
	resolver->keep = keep;
	resolver->start_is_p0 = !(cfg->idr0 >> 30 & 1);
	resolver->m_profile = cfg->profile == 'M';
	return resolve_reserve(resolver, &resolver->pending, 1) &&
	               resolve_reserve(resolver, &resolver->out, 1)
	           ? 0
	           : CAIRN_E_NOMEM;
}

void ete_resolver_clear(struct ete_resolver *resolver)
{
	resolver->pending.head = resolver->pending.tail = resolver->out.head = resolver->out.tail =
		resolver->settled = 0;
	resolver->depth = resolver->unseen = resolver->now = 0;
	resolver->address_open = resolver->time_open = resolver->aarch64 = resolver->context_known =
		false;
	resolver->transaction = ETE_T_NONE;
}

void ete_resolver_free(struct ete_resolver *resolver)
{
	base_free(resolver->cairn, resolver->pending.element);
	base_free(resolver->cairn, resolver->out.element);
}

/* ---- kinds ---- */

static bool p0_kind(bool start_is_p0, bool m_profile, unsigned kind)
{
	if (kind < CAIRN_ETE_ATOMS || kind > CAIRN_ETE_TRANSACTION_START)
		return false;
	if (kind == CAIRN_ETE_TRANSACTION_START)
		return start_is_p0;
	if (kind == CAIRN_ETE_EXCEPTION_RETURN)
		return m_profile;
	return true;
}

int cairn_ete_is_p0(const struct cairn_ete_config *cfg, unsigned kind)
{
	return p0_kind(!(cfg->idr0 >> 30 & 1), cfg->profile == 'M', kind);
}

static bool is_p0(const struct ete_resolver *resolver, const struct cairn_ete_element *element)
{
	return p0_kind(resolver->start_is_p0, resolver->m_profile, element->kind);
}

static uint64_t p0_count(const struct cairn_ete_element *element)
{
	return element->kind == CAIRN_ETE_ATOMS ? element->n_atoms : 1;
}

/* Does neither a Cancel nor the end of the trace take it away? */
static bool survives(const struct cairn_ete_element *element)
{
	return element->kind >= CAIRN_ETE_CYCLES;
}

/* Did it not happen when its transaction failed? That is so for execution, but not for contexts. */
static bool is_execution(const struct cairn_ete_element *element)
{
	return (element->kind >= CAIRN_ETE_ATOMS && element->kind < CAIRN_ETE_TRANSACTION_START) ||
	       element->kind == CAIRN_ETE_ADDRESS;
}

/* ---- what happened ---- */

static void resolve_settle(struct ete_resolver *resolver)
{
	while (resolver->settled < resolver->out.tail) {
		const struct cairn_ete_element *element = ete_row_at(&resolver->out, resolver->settled);
		if (element->pad & (ETE_WAIT_ADDRESS | ETE_WAIT_TIME | ETE_WAIT_SYNC | ETE_WAIT_OUTCOME))
			return;
		resolver->settled++;
	}
}

/* A transaction's outcome, for its rows up to `to`. 0: it succeeded; else a flag. */
static void resolve_decide(struct ete_resolver *resolver, uint64_t to, unsigned flag)
{
	uint64_t i = resolver->transaction_row > resolver->settled ? resolver->transaction_row
	                                                           : resolver->settled;
	for (; i < to; i++) {
		struct cairn_ete_element *element = ete_row_at(&resolver->out, i);
		if (!(element->pad & ETE_WAIT_OUTCOME))
			continue;
		element->pad &= (uint8_t)~ETE_WAIT_OUTCOME;
		if (flag == CAIRN_ETE_DISCARDED && is_execution(element))
			element->pad |= resolver->keep ? 0 : ETE_DEAD;
		if (flag == CAIRN_ETE_OUTCOME_UNKNOWN || is_execution(element))
			element->flags |= (uint16_t)flag;
	}
	resolver->transaction = ETE_T_NONE;
	resolve_settle(resolver);
}

static void decide_failure(struct ete_resolver *resolver, bool known)
{
	struct cairn_ete_element *element = ete_row_at(&resolver->out, resolver->failure_row);
	if (resolver->failure_row >= resolver->settled) {
		element->pad &= (uint8_t)~ETE_WAIT_OUTCOME;
		if (!known)
			element->kind = CAIRN_ETE_TRANSACTION_UNKNOWN;
	}
	resolve_decide(resolver, resolver->failure_row,
	               known ? CAIRN_ETE_DISCARDED : CAIRN_ETE_OUTCOME_UNKNOWN);
}

/* A failure is believed when execution goes on; if tracing stopped, it was reported because of that
 * (RNMWFJ). A Trace Info that says that a transaction is open may mean this one. */
static void weigh_failure(struct ete_resolver *resolver, const struct cairn_ete_element *element)
{
	switch (element->kind) {
	case CAIRN_ETE_TRACE_ON:
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_END:
		decide_failure(resolver, false);
		break;
	case CAIRN_ETE_LOST:
		break;
	case CAIRN_ETE_TRACE_INFO:
		if (element->number & CAIRN_ETE_INFO_TRANSACTION)
			decide_failure(resolver, false);
		break;
	default:
		if (element->kind < CAIRN_ETE_CYCLES)
			decide_failure(resolver, true);
		break;
	}
}

static void open_transaction(struct ete_resolver *resolver)
{
	resolver->transaction = ETE_T_OPEN;
	resolver->transaction_row = resolver->out.tail + 1; /* behind the element that opens it */
}

/* Follow transactions by `element`, which is about to be put at the end of out. */
static void follow_transaction(struct ete_resolver *resolver, struct cairn_ete_element *element)
{
	bool open;
	if (resolver->transaction == ETE_T_FAILING)
		weigh_failure(resolver, element);
	open = resolver->transaction == ETE_T_OPEN;
	switch (element->kind) {
	case CAIRN_ETE_TRANSACTION_START:
		if (open)
			resolve_decide(resolver, resolver->out.tail, CAIRN_ETE_OUTCOME_UNKNOWN);
		open_transaction(resolver);
		return;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		if (open)
			resolve_decide(resolver, resolver->out.tail, 0);
		return;
	case CAIRN_ETE_TRANSACTION_FAILED:
		if (!open)
			resolver->transaction_row = resolver->out.tail;
		resolver->transaction = ETE_T_FAILING;
		resolver->failure_row = resolver->out.tail;
		element->pad |= ETE_WAIT_OUTCOME;
		return;
	case CAIRN_ETE_TRACE_INFO:
		if (open && !(element->number & CAIRN_ETE_INFO_TRANSACTION))
			resolve_decide(resolver, resolver->out.tail, CAIRN_ETE_OUTCOME_UNKNOWN);
		else if (resolver->transaction == ETE_T_NONE &&
		         (element->number & CAIRN_ETE_INFO_TRANSACTION))
			open_transaction(resolver);
		return;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_END:
		if (open)
			resolve_decide(resolver, resolver->out.tail, CAIRN_ETE_OUTCOME_UNKNOWN);
		return;
	default:
		break;
	}
	if (open) {
		element->flags |= CAIRN_ETE_IN_TRANSACTION;
		element->pad |= ETE_WAIT_OUTCOME;
	}
}

static bool has_address(const struct cairn_ete_element *element)
{
	return element->flags & CAIRN_ETE_HAS_ADDRESS;
}

/* It happened. */
static void happen(struct ete_resolver *resolver, const struct cairn_ete_element *what)
{
	struct cairn_ete_element *element;
	if (resolver->out.tail - resolver->out.head > resolver->out.mask &&
	    !resolve_reserve(resolver, &resolver->out, 1))
		return;
	element = ete_row_at(&resolver->out, resolver->out.tail);
	*element = *what;
	element->pad &= (uint8_t)~ETE_WITH_NEXT;
	if (element->kind >= CAIRN_ETE_EXCEPTION || element->kind < CAIRN_ETE_ATOMS ||
	    resolver->transaction != ETE_T_NONE)
		follow_transaction(resolver, element);
	if (element->kind == CAIRN_ETE_CONTEXT) {
		resolver->aarch64 = element->aarch64;
		resolver->context_known = true;
	} else if (element->kind == CAIRN_ETE_TRACE_INFO) {
		resolver->context_known = false;
	} else if (has_address(element) || (element->pad & ETE_WAIT_ADDRESS)) {
		ete_set_isa(resolver, element);
	}
	resolver->out.tail++;
	if (resolver->settled == resolver->out.tail - 1)
		resolve_settle(resolver);
}

/* ---- adding ---- */

void ete_add(struct ete_resolver *resolver, const struct cairn_ete_element *element)
{
	const bool p0 = is_p0(resolver, element);
	if (!p0 && resolver->pending.head == resolver->pending.tail && !resolver->unseen) {
		happen(resolver, element);
		return;
	}
	if (resolver->pending.tail - resolver->pending.head > resolver->pending.mask &&
	    !resolve_reserve(resolver, &resolver->pending, 1))
		return;
	*ete_row_at(&resolver->pending, resolver->pending.tail++) = *element;
	if (p0)
		resolver->depth += p0_count(element);
}

/* The newest row of pending or out that waits for this. */
static struct cairn_ete_element *newest_waiting(const struct ete_resolver *resolver, unsigned wait,
                                                const struct ete_queue **queue, uint64_t *row)
{
	const struct ete_queue *const queues[] = {&resolver->pending, &resolver->out};
	for (unsigned k = 0; k < 2; k++) {
		const struct ete_queue *q = queues[k];
		uint64_t first = k ? resolver->settled : q->head;
		for (uint64_t i = q->tail; i-- > first;) {
			struct cairn_ete_element *element = ete_row_at(q, i);
			if (!(element->pad & wait) || (element->pad & ETE_DEAD))
				continue;
			*queue = q;
			*row = i;
			return element;
		}
	}
	return NULL;
}

const struct cairn_ete_element *ete_waiting(const struct ete_resolver *resolver)
{
	const struct ete_queue *queue;
	uint64_t row;
	return resolver->address_open ? newest_waiting(resolver, ETE_WAIT_ADDRESS, &queue, &row) : NULL;
}

void ete_give_address(struct ete_resolver *resolver, const struct cairn_ete_packet *packet)
{
	const struct ete_queue *queue;
	uint64_t row;
	struct cairn_ete_element *element =
		resolver->address_open ? newest_waiting(resolver, ETE_WAIT_ADDRESS, &queue, &row) : NULL;
	resolver->address_open = false;
	if (!element)
		return;
	element->pad &= (uint8_t)~ETE_WAIT_ADDRESS;
	if (packet) {
		element->address = packet->address;
		element->is1 = !!(packet->flags & CAIRN_ETE_P_IS1);
		element->flags |= CAIRN_ETE_HAS_ADDRESS;
	}
	if (!packet || element->is1) /* otherwise as it was when the element happened */
		element->isa = packet ? CAIRN_ISA_T32 : CAIRN_ISA_UNKNOWN;
	resolve_settle(resolver);
}

void ete_add_before_waiting(struct ete_resolver *resolver, const struct cairn_ete_element *ctx)
{
	const struct ete_queue *queue;
	uint64_t row;
	struct cairn_ete_element element = *ctx;
	if (!resolver->address_open || !newest_waiting(resolver, ETE_WAIT_ADDRESS, &queue, &row)) {
		ete_add(resolver, ctx);
		return;
	}
	if (queue == &resolver->pending) {
		element.pad = ETE_WITH_NEXT;
		resolve_insert(resolver, &resolver->pending, row, &element);
		return;
	}
	resolver->aarch64 = element.aarch64;
	resolver->context_known = true;
	ete_set_isa(resolver, ete_row_at(queue, row));
	/* The exception may have come before the transaction began. */
	if (row >= resolver->transaction_row &&
	    (resolver->transaction == ETE_T_OPEN ||
	     (resolver->transaction == ETE_T_FAILING && row < resolver->failure_row))) {
		element.flags |= CAIRN_ETE_IN_TRANSACTION;
		element.pad |= ETE_WAIT_OUTCOME;
	}
	/* the rows that a transaction remembers move, too */
	resolver->transaction_row += resolver->transaction_row > row;
	resolver->failure_row += resolver->failure_row >= row;
	resolve_insert(resolver, &resolver->out, row, &element);
}

void ete_give_time(struct ete_resolver *resolver, bool known, uint64_t time)
{
	const struct ete_queue *queue;
	uint64_t row;
	struct cairn_ete_element *element =
		resolver->time_open ? newest_waiting(resolver, ETE_WAIT_TIME, &queue, &row) : NULL;
	resolver->time_open = false;
	if (!element)
		return;
	element->pad &= (uint8_t)~ETE_WAIT_TIME;
	if (!known)
		element->flags |= CAIRN_ETE_IGNORED;
	else if (!time)
		element->flags |= CAIRN_ETE_UNKNOWN;
	element->value = time;
	resolve_settle(resolver);
}

void ete_give_sync(struct ete_resolver *resolver, uint64_t offset)
{
	const struct ete_queue *queue;
	uint64_t row;
	struct cairn_ete_element *element = newest_waiting(resolver, ETE_WAIT_SYNC, &queue, &row);
	if (!element)
		return;
	element->pad &= (uint8_t)~ETE_WAIT_SYNC;
	element->value = offset > element->offset ? offset - element->offset : 0;
	resolve_settle(resolver);
}

/* ---- resolving ---- */

/* Move on what stands before the oldest pending P0 element: it happened. */
static void move_on(struct ete_resolver *resolver)
{
	while (!resolver->unseen && resolver->pending.head < resolver->pending.tail) {
		const struct cairn_ete_element *element =
			ete_row_at(&resolver->pending, resolver->pending.head);
		if (is_p0(resolver, element) || (element->pad & ETE_WITH_NEXT))
			return;
		resolver->pending.head++;
		happen(resolver, element);
	}
}

int ete_commit(struct ete_resolver *resolver, uint64_t n)
{
	uint64_t unseen = n < resolver->unseen ? n : resolver->unseen;
	if (n > resolver->unseen + resolver->depth)
		return -1;
	resolver->unseen -= unseen;
	n -= unseen;
	resolver->depth -= n;
	while (n) {
		struct cairn_ete_element *element = ete_row_at(&resolver->pending, resolver->pending.head);
		uint64_t count = is_p0(resolver, element) ? p0_count(element) : 0;
		if (count > n) { /* the older atoms of a packet */
			struct cairn_ete_element part = *element;
			part.n_atoms = (uint8_t)n;
			part.atoms &= (1u << n) - 1;
			happen(resolver, &part);
			element->n_atoms = (uint8_t)(element->n_atoms - n);
			element->atoms >>= n;
			return 0;
		}
		resolver->pending.head++;
		happen(resolver, element);
		n -= count;
	}
	move_on(resolver);
	return 0;
}

/* Remove dead elements from pending, from row `index` on. */
static void compact(struct ete_resolver *resolver, uint64_t index)
{
	uint64_t to = index;
	for (; index < resolver->pending.tail; index++) {
		const struct cairn_ete_element *element = ete_row_at(&resolver->pending, index);
		if (!(element->pad & ETE_DEAD))
			*ete_row_at(&resolver->pending, to++) = *element;
	}
	resolver->pending.tail = to;
}

int ete_cancel(struct ete_resolver *resolver, uint64_t n)
{
	uint64_t i = resolver->pending.tail;
	if (n > resolver->unseen + resolver->depth)
		return -1;
	while (n && i > resolver->pending.head) {
		struct cairn_ete_element *element = ete_row_at(&resolver->pending, --i);
		uint64_t count = is_p0(resolver, element) ? p0_count(element) : 0;
		if (count > n) {
			element->n_atoms = (uint8_t)(element->n_atoms - n);
			element->atoms &= (1u << element->n_atoms) - 1;
			count = n;
		} else if (!survives(element)) {
			if (element->pad & ETE_WAIT_ADDRESS)
				resolver->address_open = false;
			element->pad |= ETE_DEAD;
		}
		resolver->depth -= count;
		n -= count;
	}
	while (!n && i > resolver->pending.head &&
	       (ete_row_at(&resolver->pending, i - 1)->pad & ETE_WITH_NEXT))
		ete_row_at(&resolver->pending, --i)->pad |= ETE_DEAD;
	resolver->unseen -= n;
	resolver->unseen_gone |= n > 0;
	compact(resolver, i);
	move_on(resolver);
	return 0;
}

void ete_mispredict(struct ete_resolver *resolver)
{
	uint64_t i = resolver->pending.tail;
	while (i > resolver->pending.head) {
		struct cairn_ete_element *element = ete_row_at(&resolver->pending, --i);
		if (element->kind == CAIRN_ETE_ATOMS) {
			element->atoms ^= 1u << (element->n_atoms - 1);
			break;
		}
		if (element->kind == CAIRN_ETE_ADDRESS)
			element->pad |= ETE_DEAD;
	}
	compact(resolver, i);
}

uint32_t ete_drop_pending(struct ete_resolver *resolver)
{
	uint64_t lost = resolver->depth + resolver->unseen;
	for (uint64_t i = resolver->pending.head; i < resolver->pending.tail; i++) {
		const struct cairn_ete_element *element = ete_row_at(&resolver->pending, i);
		if (survives(element))
			happen(resolver, element);
	}
	resolver->pending.head = resolver->pending.tail;
	resolver->depth = resolver->unseen = 0;
	ete_give_address(resolver, NULL);
	ete_give_time(resolver, false, 0);
	return lost > UINT32_MAX ? UINT32_MAX : (uint32_t)lost;
}

void ete_lose_pending(struct ete_resolver *resolver)
{
	ete_give_address(resolver, NULL);
	for (uint64_t i = resolver->pending.head; i < resolver->pending.tail; i++) {
		const struct cairn_ete_element *element = ete_row_at(&resolver->pending, i);
		struct cairn_ete_element lost = {.offset = element->offset, .kind = CAIRN_ETE_LOST};
		if (survives(element)) {
			happen(resolver, element);
		} else if (is_p0(resolver, element)) {
			lost.count = (uint32_t)p0_count(element);
			happen(resolver, &lost);
		}
	}
	resolver->pending.head = resolver->pending.tail;
	resolver->depth = resolver->unseen = 0;
}

/* ---- giving up ---- */

static void resolve_give_up(struct ete_resolver *resolver, struct cairn_ete_element *element)
{
	if (element->pad & (ETE_WAIT_TIME | ETE_WAIT_SYNC))
		element->flags |= CAIRN_ETE_UNKNOWN;
	if (element->pad & ETE_WAIT_TIME)
		resolver->time_open = false;
	if (element->pad & ETE_WAIT_ADDRESS) {
		resolver->address_open = false;
		element->isa = CAIRN_ISA_UNKNOWN;
	}
	if ((element->pad & ETE_WAIT_OUTCOME) && element->kind == CAIRN_ETE_TRANSACTION_FAILED)
		decide_failure(resolver, false);
	else if (element->pad & ETE_WAIT_OUTCOME)
		element->flags |= CAIRN_ETE_OUTCOME_UNKNOWN;
	element->pad &= ETE_DEAD;
}

/* Give up the oldest pending row when it has waited for too long. */
static void give_up_pending(struct ete_resolver *resolver, const struct cairn_ete_element *element)
{
	struct cairn_ete_element lost = {.offset = element->offset, .kind = CAIRN_ETE_LOST};
	resolver->pending.head++;
	if (!is_p0(resolver, element)) {
		happen(resolver, element);
		return;
	}
	lost.count = (uint32_t)p0_count(element);
	resolver->depth -= lost.count;
	resolver->unseen += lost.count;
	if (element->pad & ETE_WAIT_ADDRESS)
		resolver->address_open = false;
	happen(resolver, &lost);
}

void ete_age(struct ete_resolver *resolver)
{
	while (resolver->pending.head < resolver->pending.tail) {
		const struct cairn_ete_element *element =
			ete_row_at(&resolver->pending, resolver->pending.head);
		if (!ete_too_old(resolver, element))
			break;
		give_up_pending(resolver, element);
	}
	for (resolve_settle(resolver); resolver->settled < resolver->out.tail;
	     resolve_settle(resolver)) {
		struct cairn_ete_element *element = ete_row_at(&resolver->out, resolver->settled);
		if (!ete_too_old(resolver, element))
			break;
		resolve_give_up(resolver, element);
	}
}

void ete_finish(struct ete_resolver *resolver)
{
	ete_give_address(resolver, NULL);
	ete_give_time(resolver, false, 0);
	resolve_settle(resolver);
}

static bool queue_quiet(const struct ete_queue *queue, uint64_t offset)
{
	return queue->head == queue->tail || ete_row_at(queue, queue->head)->offset >= offset;
}

bool ete_quiet_before(const struct ete_resolver *resolver, uint64_t offset)
{
	return queue_quiet(&resolver->pending, offset) && queue_quiet(&resolver->out, offset);
}

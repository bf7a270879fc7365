/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which elements happened: speculation, transactions, and what a marker, an exception or
 * a gap learns only later. Arm ARM D4.3.3, D4.3.7, D4.3.8, D4.3.11.
 *
 * Pending holds everything from the oldest unresolved P0 element on; elements that are no
 * P0 elements happened as soon as all P0 elements before them did. Commit moves from the
 * old end of pending to out, Cancel takes from the young end. Events, instrumentation,
 * times and markers are never taken away (RCJRNL, RDCRVK), only moved on.
 *
 * Out delivers in order, so an element that waits holds up those behind it. What waits too
 * long is given up; "too long" is counted in bytes of the stream from the element itself,
 * so that it does not depend on where a decoder began. Nothing here depends on when the
 * caller asks.
 */
#include "formats/ete/elements.h"

#include <string.h>

enum { FIRST_ROWS = 64 };

/* ---- queues ---- */

static bool resolve_reserve(struct ete_resolver *r, struct ete_queue *q, uint64_t n)
{
	struct cairn_ete_element *e;
	uint64_t rows = q->e ? q->mask + 1 : 0, want = rows ? rows : FIRST_ROWS;
	if (q->tail - q->head + n <= rows)
		return true;
	while (want < q->tail - q->head + n)
		want *= 2;
	e = base_alloc(r->c, want * sizeof *e);
	if (!e) {
		r->failed = true;
		return false;
	}
	for (uint64_t i = q->head; i < q->tail; i++)
		e[i & (want - 1)] = q->e[i & q->mask];
	base_free(r->c, q->e);
	q->e = e;
	q->mask = want - 1;
	return true;
}

static void resolve_insert(struct ete_resolver *r, struct ete_queue *q, uint64_t at,
                           const struct cairn_ete_element *e)
{
	if (!resolve_reserve(r, q, 1))
		return;
	for (uint64_t i = q->tail++; i > at; i--)
		*ete_row_at(q, i) = *ete_row_at(q, i - 1);
	*ete_row_at(q, at) = *e;
}

int ete_resolver_init(struct ete_resolver *r, struct cairn *c, const struct cairn_ete_config *cfg,
                      bool keep)
{
	memset(r, 0, sizeof *r);
	r->c = c;
	r->cfg = cfg;
	r->keep = keep;
	r->start_is_p0 = !(cfg->idr0 >> 30 & 1);
	r->m_profile = cfg->profile == 'M';
	return resolve_reserve(r, &r->pending, 1) && resolve_reserve(r, &r->out, 1) ? 0 : CAIRN_E_NOMEM;
}

void ete_resolver_clear(struct ete_resolver *r)
{
	r->pending.head = r->pending.tail = r->out.head = r->out.tail = r->settled = 0;
	r->depth = r->unseen = r->now = 0;
	r->address_open = r->time_open = r->aarch64 = r->context_known = false;
	r->transaction = ETE_T_NONE;
}

void ete_resolver_free(struct ete_resolver *r)
{
	base_free(r->c, r->pending.e);
	base_free(r->c, r->out.e);
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

static bool is_p0(const struct ete_resolver *r, const struct cairn_ete_element *e)
{
	return p0_kind(r->start_is_p0, r->m_profile, e->kind);
}

static uint64_t p0_count(const struct cairn_ete_element *e)
{
	return e->kind == CAIRN_ETE_ATOMS ? e->n_atoms : 1;
}

/* What no Cancel and no end of trace takes away. */
static bool survives(const struct cairn_ete_element *e)
{
	return e->kind >= CAIRN_ETE_CYCLES;
}

/* What did not happen when its transaction failed: execution, not who executes. */
static bool is_execution(const struct cairn_ete_element *e)
{
	return (e->kind >= CAIRN_ETE_ATOMS && e->kind < CAIRN_ETE_TRANSACTION_START) ||
	       e->kind == CAIRN_ETE_ADDRESS;
}

/* ---- what happened ---- */

static void resolve_settle(struct ete_resolver *r)
{
	while (r->settled < r->out.tail) {
		const struct cairn_ete_element *e = ete_row_at(&r->out, r->settled);
		if (e->pad & (ETE_WAIT_ADDRESS | ETE_WAIT_TIME | ETE_WAIT_SYNC | ETE_WAIT_OUTCOME))
			return;
		r->settled++;
	}
}

/* The transaction's outcome: rows up to `to`. 0: it went well, else a flag. */
static void resolve_decide(struct ete_resolver *r, uint64_t to, unsigned flag)
{
	uint64_t i = r->transaction_row > r->settled ? r->transaction_row : r->settled;
	for (; i < to; i++) {
		struct cairn_ete_element *e = ete_row_at(&r->out, i);
		if (!(e->pad & ETE_WAIT_OUTCOME))
			continue;
		e->pad &= (uint8_t)~ETE_WAIT_OUTCOME;
		if (flag == CAIRN_ETE_DISCARDED && is_execution(e))
			e->pad |= r->keep ? 0 : ETE_DEAD;
		if (flag == CAIRN_ETE_OUTCOME_UNKNOWN || is_execution(e))
			e->flags |= (uint16_t)flag;
	}
	r->transaction = ETE_T_NONE;
	resolve_settle(r);
}

static void decide_failure(struct ete_resolver *r, bool known)
{
	struct cairn_ete_element *f = ete_row_at(&r->out, r->failure_row);
	if (r->failure_row >= r->settled) {
		f->pad &= (uint8_t)~ETE_WAIT_OUTCOME;
		if (!known)
			f->kind = CAIRN_ETE_TRANSACTION_UNKNOWN;
	}
	resolve_decide(r, r->failure_row, known ? CAIRN_ETE_DISCARDED : CAIRN_ETE_OUTCOME_UNKNOWN);
}

/* A failure is believed when execution goes on; where tracing stopped, it was traced
 * because it stopped (RNMWFJ). A Trace Info that says a transaction is open may mean this one. */
static void weigh_failure(struct ete_resolver *r, const struct cairn_ete_element *e)
{
	switch (e->kind) {
	case CAIRN_ETE_TRACE_ON:
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_END:
		decide_failure(r, false);
		break;
	case CAIRN_ETE_LOST:
		break;
	case CAIRN_ETE_TRACE_INFO:
		if (e->number & CAIRN_ETE_INFO_TRANSACTION)
			decide_failure(r, false);
		break;
	default:
		if (e->kind < CAIRN_ETE_CYCLES)
			decide_failure(r, true);
		break;
	}
}

static void open_transaction(struct ete_resolver *r)
{
	r->transaction = ETE_T_OPEN;
	r->transaction_row = r->out.tail + 1; /* behind the element that opens it */
}

/* What `e`, about to be put at the end of out, means to transactions. */
static void follow_transaction(struct ete_resolver *r, struct cairn_ete_element *e)
{
	bool open;
	if (r->transaction == ETE_T_FAILING)
		weigh_failure(r, e);
	open = r->transaction == ETE_T_OPEN;
	switch (e->kind) {
	case CAIRN_ETE_TRANSACTION_START:
		if (open)
			resolve_decide(r, r->out.tail, CAIRN_ETE_OUTCOME_UNKNOWN);
		open_transaction(r);
		return;
	case CAIRN_ETE_TRANSACTION_COMMIT:
		if (open)
			resolve_decide(r, r->out.tail, 0);
		return;
	case CAIRN_ETE_TRANSACTION_FAILED:
		if (!open)
			r->transaction_row = r->out.tail;
		r->transaction = ETE_T_FAILING;
		r->failure_row = r->out.tail;
		e->pad |= ETE_WAIT_OUTCOME;
		return;
	case CAIRN_ETE_TRACE_INFO:
		if (open && !(e->number & CAIRN_ETE_INFO_TRANSACTION))
			resolve_decide(r, r->out.tail, CAIRN_ETE_OUTCOME_UNKNOWN);
		else if (r->transaction == ETE_T_NONE && (e->number & CAIRN_ETE_INFO_TRANSACTION))
			open_transaction(r);
		return;
	case CAIRN_ETE_OVERFLOW:
	case CAIRN_ETE_DISCARD:
	case CAIRN_ETE_NO_SYNC:
	case CAIRN_ETE_END:
		if (open)
			resolve_decide(r, r->out.tail, CAIRN_ETE_OUTCOME_UNKNOWN);
		return;
	default:
		break;
	}
	if (open) {
		e->flags |= CAIRN_ETE_IN_TRANSACTION;
		e->pad |= ETE_WAIT_OUTCOME;
	}
}

static bool has_address(const struct cairn_ete_element *e)
{
	return e->flags & CAIRN_ETE_HAS_ADDRESS;
}

/* It happened. */
static void happen(struct ete_resolver *r, const struct cairn_ete_element *what)
{
	struct cairn_ete_element *e;
	if (r->out.tail - r->out.head > r->out.mask && !resolve_reserve(r, &r->out, 1))
		return;
	e = ete_row_at(&r->out, r->out.tail);
	*e = *what;
	e->pad &= (uint8_t)~ETE_WITH_NEXT;
	if (e->kind >= CAIRN_ETE_EXCEPTION || e->kind < CAIRN_ETE_ATOMS || r->transaction != ETE_T_NONE)
		follow_transaction(r, e);
	if (e->kind == CAIRN_ETE_CONTEXT) {
		r->aarch64 = e->aarch64;
		r->context_known = true;
	} else if (e->kind == CAIRN_ETE_TRACE_INFO) {
		r->context_known = false;
	} else if (has_address(e) || (e->pad & ETE_WAIT_ADDRESS)) {
		ete_set_isa(r, e);
	}
	r->out.tail++;
	if (r->settled == r->out.tail - 1)
		resolve_settle(r);
}

/* ---- adding ---- */

void ete_add(struct ete_resolver *r, const struct cairn_ete_element *e)
{
	const bool p0 = is_p0(r, e);
	if (!p0 && r->pending.head == r->pending.tail && !r->unseen) {
		happen(r, e);
		return;
	}
	if (r->pending.tail - r->pending.head > r->pending.mask && !resolve_reserve(r, &r->pending, 1))
		return;
	*ete_row_at(&r->pending, r->pending.tail++) = *e;
	if (p0)
		r->depth += p0_count(e);
}

/* The newest row of pending or out that waits for this. */
static struct cairn_ete_element *newest_waiting(const struct ete_resolver *r, unsigned wait,
                                                const struct ete_queue **queue, uint64_t *row)
{
	const struct ete_queue *const queues[] = {&r->pending, &r->out};
	for (unsigned k = 0; k < 2; k++) {
		const struct ete_queue *q = queues[k];
		uint64_t first = k ? r->settled : q->head;
		for (uint64_t i = q->tail; i-- > first;) {
			struct cairn_ete_element *e = ete_row_at(q, i);
			if (!(e->pad & wait) || (e->pad & ETE_DEAD))
				continue;
			*queue = q;
			*row = i;
			return e;
		}
	}
	return NULL;
}

const struct cairn_ete_element *ete_waiting(const struct ete_resolver *r)
{
	const struct ete_queue *q;
	uint64_t row;
	return r->address_open ? newest_waiting(r, ETE_WAIT_ADDRESS, &q, &row) : NULL;
}

void ete_give_address(struct ete_resolver *r, const struct cairn_ete_packet *p)
{
	const struct ete_queue *q;
	uint64_t row;
	struct cairn_ete_element *e =
		r->address_open ? newest_waiting(r, ETE_WAIT_ADDRESS, &q, &row) : NULL;
	r->address_open = false;
	if (!e)
		return;
	e->pad &= (uint8_t)~ETE_WAIT_ADDRESS;
	if (p) {
		e->address = p->address;
		e->is1 = !!(p->flags & CAIRN_ETE_P_IS1);
		e->flags |= CAIRN_ETE_HAS_ADDRESS;
	}
	if (!p || e->is1) /* else as it was when the element happened */
		e->isa = p ? CAIRN_ISA_T32 : CAIRN_ISA_UNKNOWN;
	resolve_settle(r);
}

void ete_add_before_waiting(struct ete_resolver *r, const struct cairn_ete_element *ctx)
{
	const struct ete_queue *q;
	uint64_t row;
	struct cairn_ete_element e = *ctx;
	if (!r->address_open || !newest_waiting(r, ETE_WAIT_ADDRESS, &q, &row)) {
		ete_add(r, ctx);
		return;
	}
	if (q == &r->pending) {
		e.pad = ETE_WITH_NEXT;
		resolve_insert(r, &r->pending, row, &e);
		return;
	}
	r->aarch64 = e.aarch64;
	r->context_known = true;
	ete_set_isa(r, ete_row_at(q, row));
	/* The exception may have come before the transaction began. */
	if (row >= r->transaction_row && (r->transaction == ETE_T_OPEN ||
	                                  (r->transaction == ETE_T_FAILING && row < r->failure_row))) {
		e.flags |= CAIRN_ETE_IN_TRANSACTION;
		e.pad |= ETE_WAIT_OUTCOME;
	}
	/* the rows a transaction remembers move along */
	r->transaction_row += r->transaction_row > row;
	r->failure_row += r->failure_row >= row;
	resolve_insert(r, &r->out, row, &e);
}

void ete_give_time(struct ete_resolver *r, bool known, uint64_t time)
{
	const struct ete_queue *q;
	uint64_t row;
	struct cairn_ete_element *e = r->time_open ? newest_waiting(r, ETE_WAIT_TIME, &q, &row) : NULL;
	r->time_open = false;
	if (!e)
		return;
	e->pad &= (uint8_t)~ETE_WAIT_TIME;
	if (!known)
		e->flags |= CAIRN_ETE_IGNORED;
	else if (!time)
		e->flags |= CAIRN_ETE_UNKNOWN;
	e->value = time;
	resolve_settle(r);
}

void ete_give_sync(struct ete_resolver *r, uint64_t offset)
{
	const struct ete_queue *q;
	uint64_t row;
	struct cairn_ete_element *e = newest_waiting(r, ETE_WAIT_SYNC, &q, &row);
	if (!e)
		return;
	e->pad &= (uint8_t)~ETE_WAIT_SYNC;
	e->value = offset > e->offset ? offset - e->offset : 0;
	resolve_settle(r);
}

/* ---- resolving ---- */

/* What stands before the oldest pending P0 element happened. */
static void move_on(struct ete_resolver *r)
{
	while (!r->unseen && r->pending.head < r->pending.tail) {
		const struct cairn_ete_element *e = ete_row_at(&r->pending, r->pending.head);
		if (is_p0(r, e) || (e->pad & ETE_WITH_NEXT))
			return;
		r->pending.head++;
		happen(r, e);
	}
}

int ete_commit(struct ete_resolver *r, uint64_t n)
{
	uint64_t unseen = n < r->unseen ? n : r->unseen;
	if (n > r->unseen + r->depth)
		return -1;
	r->unseen -= unseen;
	n -= unseen;
	r->depth -= n;
	while (n) {
		struct cairn_ete_element *e = ete_row_at(&r->pending, r->pending.head);
		uint64_t count = is_p0(r, e) ? p0_count(e) : 0;
		if (count > n) { /* the older atoms of a packet */
			struct cairn_ete_element part = *e;
			part.n_atoms = (uint8_t)n;
			part.atoms &= (1u << n) - 1;
			happen(r, &part);
			e->n_atoms = (uint8_t)(e->n_atoms - n);
			e->atoms >>= n;
			return 0;
		}
		r->pending.head++;
		happen(r, e);
		n -= count;
	}
	move_on(r);
	return 0;
}

/* Take the dead out of pending, from row `i` on. */
static void compact(struct ete_resolver *r, uint64_t i)
{
	uint64_t to = i;
	for (; i < r->pending.tail; i++) {
		const struct cairn_ete_element *e = ete_row_at(&r->pending, i);
		if (!(e->pad & ETE_DEAD))
			*ete_row_at(&r->pending, to++) = *e;
	}
	r->pending.tail = to;
}

int ete_cancel(struct ete_resolver *r, uint64_t n)
{
	uint64_t i = r->pending.tail;
	if (n > r->unseen + r->depth)
		return -1;
	while (n && i > r->pending.head) {
		struct cairn_ete_element *e = ete_row_at(&r->pending, --i);
		uint64_t count = is_p0(r, e) ? p0_count(e) : 0;
		if (count > n) {
			e->n_atoms = (uint8_t)(e->n_atoms - n);
			e->atoms &= (1u << e->n_atoms) - 1;
			count = n;
		} else if (!survives(e)) {
			if (e->pad & ETE_WAIT_ADDRESS)
				r->address_open = false;
			e->pad |= ETE_DEAD;
		}
		r->depth -= count;
		n -= count;
	}
	while (!n && i > r->pending.head && (ete_row_at(&r->pending, i - 1)->pad & ETE_WITH_NEXT))
		ete_row_at(&r->pending, --i)->pad |= ETE_DEAD;
	r->unseen -= n;
	r->unseen_gone |= n > 0;
	compact(r, i);
	move_on(r);
	return 0;
}

void ete_mispredict(struct ete_resolver *r)
{
	uint64_t i = r->pending.tail;
	while (i > r->pending.head) {
		struct cairn_ete_element *e = ete_row_at(&r->pending, --i);
		if (e->kind == CAIRN_ETE_ATOMS) {
			e->atoms ^= 1u << (e->n_atoms - 1);
			break;
		}
		if (e->kind == CAIRN_ETE_ADDRESS)
			e->pad |= ETE_DEAD;
	}
	compact(r, i);
}

uint32_t ete_drop_pending(struct ete_resolver *r)
{
	uint64_t lost = r->depth + r->unseen;
	for (uint64_t i = r->pending.head; i < r->pending.tail; i++) {
		const struct cairn_ete_element *e = ete_row_at(&r->pending, i);
		if (survives(e))
			happen(r, e);
	}
	r->pending.head = r->pending.tail;
	r->depth = r->unseen = 0;
	ete_give_address(r, NULL);
	ete_give_time(r, false, 0);
	return lost > UINT32_MAX ? UINT32_MAX : (uint32_t)lost;
}

void ete_lose_pending(struct ete_resolver *r)
{
	ete_give_address(r, NULL);
	for (uint64_t i = r->pending.head; i < r->pending.tail; i++) {
		const struct cairn_ete_element *e = ete_row_at(&r->pending, i);
		struct cairn_ete_element lost = {.offset = e->offset, .kind = CAIRN_ETE_LOST};
		if (survives(e)) {
			happen(r, e);
		} else if (is_p0(r, e)) {
			lost.count = (uint32_t)p0_count(e);
			happen(r, &lost);
		}
	}
	r->pending.head = r->pending.tail;
	r->depth = r->unseen = 0;
}

/* ---- giving up ---- */

static void resolve_give_up(struct ete_resolver *r, struct cairn_ete_element *e)
{
	if (e->pad & (ETE_WAIT_TIME | ETE_WAIT_SYNC))
		e->flags |= CAIRN_ETE_UNKNOWN;
	if (e->pad & ETE_WAIT_TIME)
		r->time_open = false;
	if (e->pad & ETE_WAIT_ADDRESS) {
		r->address_open = false;
		e->isa = CAIRN_ISA_UNKNOWN;
	}
	if ((e->pad & ETE_WAIT_OUTCOME) && e->kind == CAIRN_ETE_TRANSACTION_FAILED)
		decide_failure(r, false);
	else if (e->pad & ETE_WAIT_OUTCOME)
		e->flags |= CAIRN_ETE_OUTCOME_UNKNOWN;
	e->pad &= ETE_DEAD;
}

/* The oldest pending row, when it has waited for too long. */
static void give_up_pending(struct ete_resolver *r, const struct cairn_ete_element *e)
{
	struct cairn_ete_element lost = {.offset = e->offset, .kind = CAIRN_ETE_LOST};
	r->pending.head++;
	if (!is_p0(r, e)) {
		happen(r, e);
		return;
	}
	lost.count = (uint32_t)p0_count(e);
	r->depth -= lost.count;
	r->unseen += lost.count;
	if (e->pad & ETE_WAIT_ADDRESS)
		r->address_open = false;
	happen(r, &lost);
}

void ete_age(struct ete_resolver *r)
{
	while (r->pending.head < r->pending.tail) {
		const struct cairn_ete_element *e = ete_row_at(&r->pending, r->pending.head);
		if (!ete_too_old(r, e))
			break;
		give_up_pending(r, e);
	}
	for (resolve_settle(r); r->settled < r->out.tail; resolve_settle(r)) {
		struct cairn_ete_element *e = ete_row_at(&r->out, r->settled);
		if (!ete_too_old(r, e))
			break;
		resolve_give_up(r, e);
	}
}

void ete_finish(struct ete_resolver *r)
{
	ete_give_address(r, NULL);
	ete_give_time(r, false, 0);
	resolve_settle(r);
}

static bool queue_quiet(const struct ete_queue *q, uint64_t offset)
{
	return q->head == q->tail || ete_row_at(q, q->head)->offset >= offset;
}

bool ete_quiet_before(const struct ete_resolver *r, uint64_t offset)
{
	return queue_quiet(&r->pending, offset) && queue_quiet(&r->out, offset);
}

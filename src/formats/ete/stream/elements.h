/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETE_ELEMENTS_H
#define ETE_ELEMENTS_H
/*
 * What the parts of the element decoder share: elements.c turns packets into elements and
 * keeps in step, resolve.c decides which of them happened, places.c finds where to begin.
 *
 * An element goes `pending` (some P0 element before it, or itself, may still be canceled)
 * → `out` (happened; its flags, or its time, may still be open) → the caller. Both are
 * queues in the order of packets.
 */
#include "formats/ete/stream/table.h"

/* What an element in a queue still waits for, in its `pad`. */
enum ete_wait {
	ETE_WAIT_ADDRESS = 1, /* exception, Q */
	ETE_WAIT_TIME = 2,    /* marker */
	ETE_WAIT_SYNC = 4,    /* NO_SYNC: where decoding goes on */
	ETE_WAIT_OUTCOME = 8, /* in a transaction */
	ETE_WITH_NEXT = 32,   /* the context of the exception behind it: it happens if that happens */
	ETE_DEAD = 16         /* dropped: not to be delivered */
};

struct ete_queue {
	struct cairn_ete_element *element;
	uint64_t head, tail; /* they only grow; row i is e[i & mask] */
	uint64_t mask;
};
static inline struct cairn_ete_element *ete_row_at(const struct ete_queue *queue, uint64_t index)
{
	return &queue->element[index & queue->mask];
}

enum ete_transaction { ETE_T_NONE, ETE_T_OPEN, ETE_T_FAILING };

struct ete_resolver {
	struct cairn *cairn;
	const struct cairn_ete_config *cfg;
	struct ete_queue pending, out;
	uint64_t settled; /* rows of out before this one wait for nothing any more */
	uint64_t now;     /* offset of the packet at work */
	uint64_t depth;   /* P0 elements in pending */
	uint64_t unseen;  /* older ones, of which only the number is known (Trace Info) */
	bool unseen_gone; /* some of them were canceled */
	bool keep;        /* transactions that failed */
	bool start_is_p0, m_profile;
	bool address_open, time_open; /* an element waits for it (the newest that can) */
	/* at the end of out */
	bool aarch64, context_known;
	enum ete_transaction transaction;
	uint64_t transaction_row; /* the first row of out that belongs to it */
	uint64_t failure_row;
	bool failed; /* out of memory */
};

int ete_resolver_init(struct ete_resolver *resolver, struct cairn *cairn,
                      const struct cairn_ete_config *cfg, bool keep);
void ete_resolver_clear(struct ete_resolver *resolver);
void ete_resolver_free(struct ete_resolver *resolver);

/* Add an element: behind what is pending, or straight to what has happened when nothing is. Its
 * kind says whether it is a P0 element. */
void ete_add(struct ete_resolver *resolver, const struct cairn_ete_element *element);
/* Give its address to the newest exception or Q that waits for one (NULL: it gets none). */
void ete_give_address(struct ete_resolver *resolver, const struct cairn_ete_packet *packet);
/* The exception that waits for its address; NULL: none does. */
const struct cairn_ete_element *ete_waiting(const struct ete_resolver *resolver);
/* Add a context that belongs to the waiting exception, in front of it. */
void ete_add_before_waiting(struct ete_resolver *resolver, const struct cairn_ete_element *ctx);
/* Give the waiting marker its time; without one it is ignored. */
void ete_give_time(struct ete_resolver *resolver, bool known, uint64_t time);
/* The NO_SYNC element that waits: decoding goes on at `offset`. */
void ete_give_sync(struct ete_resolver *resolver, uint64_t offset);

/* Commit the oldest `n`. 0, or -1 when there are not as many. */
int ete_commit(struct ete_resolver *resolver, uint64_t n);
int ete_cancel(struct ete_resolver *resolver, uint64_t n);
void ete_mispredict(struct ete_resolver *resolver);
/* The pending P0 elements will never be resolved: drop them, and what depends on them; events and
 * times happened. Returns how many, unseen ones included. */
uint32_t ete_drop_pending(struct ete_resolver *resolver);
/* Something was lost unseen, so nothing will say whether they happened. Each becomes LOST in its
 * place, so that a part that ends before this is known reports it, too. */
void ete_lose_pending(struct ete_resolver *resolver);
/* Nothing comes any more: what waits in out gets nothing. */
void ete_finish(struct ete_resolver *resolver);
/* Give up what has waited for longer than CAIRN_ETE_WINDOW. */
void ete_age(struct ete_resolver *resolver);
static inline bool ete_too_old(const struct ete_resolver *resolver,
                               const struct cairn_ete_element *element)
{
	return resolver->now > element->offset && resolver->now - element->offset > CAIRN_ETE_WINDOW;
}
static inline bool ete_any_old(const struct ete_resolver *resolver, const struct ete_queue *queue,
                               uint64_t row)
{
	return row != queue->tail && ete_too_old(resolver, ete_row_at(queue, row));
}
/* Set the instruction set by the context known at the end of out. */
static inline void ete_set_isa(const struct ete_resolver *resolver,
                               struct cairn_ete_element *element)
{
	if (element->is1)
		element->isa = CAIRN_ISA_T32;
	else if (!resolver->context_known)
		element->isa = CAIRN_ISA_UNKNOWN;
	else
		element->isa = resolver->aarch64 ? CAIRN_ISA_A64 : CAIRN_ISA_A32;
}

/* Take the next settled element: 1, 0. */
static inline bool ete_take(struct ete_resolver *resolver, struct cairn_ete_element *element)
{
	while (resolver->out.head < resolver->settled) {
		const struct cairn_ete_element *row = ete_row_at(&resolver->out, resolver->out.head++);
		if (row->pad & ETE_DEAD)
			continue;
		*element = *row;
		element->pad = 0;
		return true;
	}
	return false;
}
/* Does nothing that began before `offset` wait any more? */
bool ete_quiet_before(const struct ete_resolver *resolver, uint64_t offset);

/* ---- the decoder ---- */

enum { ETE_AHEAD_PACKETS = 64 };
#define ETE_NEVER UINT64_MAX
/* Waiting for an Async; for a Trace Info; decoding. */
enum ete_step { ETE_NO_ASYNC, ETE_NO_INFO, ETE_IN_STEP };

struct cairn_ete_elements {
	struct cairn *cairn;
	struct cairn_ete_config cfg;
	struct cairn_ete_packets *packets;
	const uint8_t *data;
	size_t n;
	uint64_t base, limit;
	uint64_t last; /* offset of the packet before */
	uint64_t maxspec;
	bool marked, cycles_in_time;
	enum ete_step step;
	uint64_t sync_at; /* the Async behind which a Trace Info may come */
	bool told;        /* being out of step was reported: a NO_SYNC waits or was given */
	bool ended;
	bool stopped; /* out of step again since the beginning */
	uint16_t ids; /* known: HAS_VMID, HAS_CTXID */
	uint32_t vmid, ctxid;
	uint8_t resume; /* why the next Trace On: enum cairn_ete_reason */
	struct ete_resolver resolver;
	struct cairn_ete_packet ahead[ETE_AHEAD_PACKETS];
	size_t at, have;
};

/* Begin anew, in front of a Trace Info; begin at the first byte. */
void ete_elements_reset(struct cairn_ete_elements *elements);
void ete_elements_begin(struct cairn_ete_elements *elements);
/* Work on one more packet; false when there is none. */
bool ete_read_on(struct cairn_ete_elements *elements);

#endif

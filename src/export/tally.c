/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting a part of a trace, from batches. What it counts agrees with
 * cairn_count over the same instructions, records apart: a batch has none.
 */
#include "cairn/export.h"

#include <string.h>

/* The format's own event or trap records; comments, damage, page walks are not. */
static int is_event(const struct cairn_event *e)
{
	return (e->kind >= CAIRN_EV_EXCEPTION && e->kind <= CAIRN_EV_MODE) ||
	       (e->kind == CAIRN_EV_FORMAT && !(e->flags & CAIRN_EVF_BYTES));
}

static void tally_events(struct cairn_tally *t, const struct cairn_batch *b, uint32_t row)
{
	for (uint32_t i = b->insns[row].ev0; i < b->insns[row + 1].ev0; i++) {
		const struct cairn_event *e = &b->events[i];
		t->events += (uint64_t)is_event(e);
		t->missing += e->kind == CAIRN_EV_GAP && e->code != UINT64_MAX ? e->code : 0;
	}
}

static void tally_insn(struct cairn_tally *t, const struct cairn_batch *b, uint32_t row)
{
	const struct cairn_insn *i = &b->insns[row];
	unsigned kinds = 0;
	for (uint32_t m = i[0].mem0; m < i[1].mem0; m++) {
		if (b->mems[m].initiator != CAIRN_BY_INSN)
			continue;
		t->accesses++;
		kinds |= 1u << b->mems[m].kind;
	}
	t->instructions++;
	t->executed += !(i->flags & CAIRN_INSN_NOT_EXECUTED);
	t->loads += kinds >> CAIRN_MEM_READ & 1;
	t->stores += kinds >> CAIRN_MEM_WRITE & 1;
	t->class_loads += (i->traits & CAIRN_TRAIT_LOAD) != 0;
	t->class_stores += (i->traits & CAIRN_TRAIT_STORE) != 0;
	if (i->traits & CAIRN_TRAIT_BRANCH) {
		t->branches++;
		t->branches_taken += (i->flags & CAIRN_INSN_TAKEN) != 0;
	}
}

void cairn_tally_batch(struct cairn_tally *t, const struct cairn_batch *b, const uint8_t *keep)
{
	for (uint32_t i = 0; i < b->n_insns; i++) {
		if (keep && !keep[i])
			continue;
		tally_insn(t, b, i);
		if (b->insns[i].ev0 != b->insns[i + 1].ev0)
			tally_events(t, b, i);
	}
	for (uint32_t i = 0; i < b->n_xacts; i++)
		t->transactions += !keep || keep[i];
	if (!keep)
		tally_events(t, b, b->n_insns);
}

void cairn_tally_add(struct cairn_tally *sum, const struct cairn_tally *part)
{
	_Static_assert(sizeof *sum % sizeof(uint64_t) == 0, "all members are counts");
	uint64_t a[sizeof *sum / sizeof(uint64_t)], b[sizeof *sum / sizeof(uint64_t)];
	memcpy(a, sum, sizeof a);
	memcpy(b, part, sizeof b);
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		a[i] += b[i];
	memcpy(sum, a, sizeof a);
}

void cairn_tally_end(struct cairn_tally *sum)
{
	if (sum->accesses == 0) {
		sum->loads = sum->class_loads;
		sum->stores = sum->class_stores;
	}
}

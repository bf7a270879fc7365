/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting a part of a trace, from batches. What it counts agrees with
 * cairn_count over the same instructions, records apart: a batch has none.
 */
#include "cairn/export.h"

#include <string.h>

/* The format's own event or trap records; comments, damage, page walks are not. */
static int is_event(const struct cairn_event *event)
{
	return (event->kind >= CAIRN_EV_EXCEPTION && event->kind <= CAIRN_EV_MODE) ||
	       (event->kind == CAIRN_EV_FORMAT && !(event->flags & CAIRN_EVF_BYTES));
}

static void tally_events(struct cairn_tally *tally, const struct cairn_batch *batch, uint32_t row)
{
	for (uint32_t i = batch->insns[row].ev0; i < batch->insns[row + 1].ev0; i++) {
		const struct cairn_event *event = &batch->events[i];
		tally->events += (uint64_t)is_event(event);
		tally->missing +=
			event->kind == CAIRN_EV_GAP && event->code != UINT64_MAX ? event->code : 0;
	}
}

static void tally_insn(struct cairn_tally *tally, const struct cairn_batch *batch, uint32_t row)
{
	const struct cairn_insn *insn = &batch->insns[row];
	unsigned kinds = 0;
	for (uint32_t m = insn[0].mem0; m < insn[1].mem0; m++) {
		if (batch->mems[m].initiator != CAIRN_BY_INSN)
			continue;
		tally->accesses++;
		kinds |= 1u << batch->mems[m].kind;
	}
	tally->instructions++;
	tally->executed += !(insn->flags & CAIRN_INSN_NOT_EXECUTED);
	tally->loads += kinds >> CAIRN_MEM_READ & 1;
	tally->stores += kinds >> CAIRN_MEM_WRITE & 1;
	tally->class_loads += (insn->traits & CAIRN_TRAIT_LOAD) != 0;
	tally->class_stores += (insn->traits & CAIRN_TRAIT_STORE) != 0;
	if (insn->traits & CAIRN_TRAIT_BRANCH) {
		tally->branches++;
		tally->branches_taken += (insn->flags & CAIRN_INSN_TAKEN) != 0;
	}
}

void cairn_tally_batch(struct cairn_tally *tally, const struct cairn_batch *batch,
                       const uint8_t *keep)
{
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		if (keep && !keep[i])
			continue;
		tally_insn(tally, batch, i);
		if (batch->insns[i].ev0 != batch->insns[i + 1].ev0)
			tally_events(tally, batch, i);
	}
	for (uint32_t i = 0; i < batch->n_xacts; i++)
		tally->transactions += !keep || keep[i];
	if (!keep)
		tally_events(tally, batch, batch->n_insns);
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

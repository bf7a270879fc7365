/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counting a part of a trace, from batches. What it counts agrees with
 * cairn_count over the same instructions, records apart: a batch has none.
 */
#include "cairn/export.h"

#include "model/model.h"

static void tally_events(struct cairn_tally *tally, const struct cairn_batch *batch, uint32_t row)
{
	for (uint32_t i = batch->insns[row].ev0; i < batch->insns[row + 1].ev0; i++) {
		const struct cairn_event *event = &batch->events[i];
		tally->events += (event->flags & CAIRN_EVF_RECORD) != 0;
		tally->missing +=
			event->kind == CAIRN_EV_GAP && event->code != UINT64_MAX ? event->code : 0;
	}
}

static void tally_insn(struct cairn_tally *tally, const struct cairn_batch *batch, uint32_t row)
{
	const struct cairn_insn *insn = &batch->insns[row];
	unsigned kinds = 0;
	for (uint32_t m = insn[0].mem0; m < insn[1].mem0; m++) {
		const struct cairn_mem *mem = &batch->mems[m];
		if (mem->initiator != CAIRN_BY_INSN)
			continue;
		/* One that only follows from the encoding is no sign that the trace tells accesses. */
		bool told = !(mem->flags & CAIRN_VALUE_DERIVED) || mem->flags & CAIRN_VALUE_MARKED;
		tally->accesses += told && (mem->kind == CAIRN_MEM_READ || mem->kind == CAIRN_MEM_WRITE);
		kinds |= 1u << mem->kind;
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
		tally->outcomes_unknown += model_outcome_unknown(insn->traits, insn->flags);
	}
}

void model_tally_batch(struct cairn_tally *tally, const struct cairn_batch *batch,
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

void model_tally_add(struct cairn_tally *sum, const struct cairn_tally *part)
{
	enum { FIRST = offsetof(struct cairn_tally, instructions), BYTES = sizeof *sum - FIRST };
	_Static_assert(BYTES % sizeof(uint64_t) == 0, "all members behind the size are counts");
	uint64_t a[BYTES / sizeof(uint64_t)], b[BYTES / sizeof(uint64_t)];
	memcpy(a, (char *)sum + FIRST, sizeof a);
	memcpy(b, (const char *)part + FIRST, sizeof b);
	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		a[i] += b[i];
	memcpy((char *)sum + FIRST, a, sizeof a);
}

void model_tally_end(struct cairn_tally *sum)
{
	if (sum->accesses == 0) {
		sum->loads = sum->class_loads;
		sum->stores = sum->class_stores;
	}
}

/* ---- the public door: tallies of any size ---- */

int cairn_tally_batch(struct cairn_tally *tally, const struct cairn_batch *batch,
                      const uint8_t *keep)
{
	struct cairn_tally own;
	int rc = base_sized(NULL, tally, "cairn_tally");
	if (rc < 0)
		return rc;
	if (tally->size >= sizeof own) {
		model_tally_batch(tally, batch, keep);
		return 0;
	}
	base_take(&own, tally, sizeof own);
	model_tally_batch(&own, batch, keep);
	base_give(tally, &own, sizeof own);
	return 0;
}

int cairn_tally_add(struct cairn_tally *sum, const struct cairn_tally *part)
{
	struct cairn_tally own, other;
	int rc = base_sized(NULL, sum, "cairn_tally");
	if (rc >= 0)
		rc = base_sized(NULL, part, "cairn_tally");
	if (rc < 0)
		return rc;
	base_take(&own, sum, sizeof own);
	base_take(&other, part, sizeof other);
	model_tally_add(&own, &other);
	base_give(sum, &own, sizeof own);
	return 0;
}

int cairn_tally_end(struct cairn_tally *sum)
{
	struct cairn_tally own;
	int rc = base_sized(NULL, sum, "cairn_tally");
	if (rc < 0)
		return rc;
	base_take(&own, sum, sizeof own);
	model_tally_end(&own);
	base_give(sum, &own, sizeof own);
	return 0;
}

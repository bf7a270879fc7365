/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scanning by rows: a span is decoded as if it were the first one, and the batch is thrown away;
 * what is kept is what the span adds to numbers, and where each of its harts goes on. So a scan
 * cannot disagree with decoding, and costs as much, except for the rows of registers and accesses
 * where nothing is counted.
 */

#include "text/text.h"

static void count_insn(const struct cairn_batch *batch, uint32_t index, struct cairn_tally *tally)
{
	const struct cairn_insn *row = &batch->insns[index];
	unsigned kinds = 0;
	for (uint32_t m = row->mem0; m < row[1].mem0; m++)
		kinds |= 1u << batch->mems[m].kind;
	tally->instructions++;
	tally->executed += !(row->flags & CAIRN_INSN_NOT_EXECUTED);
	tally->accesses += kinds != 0;
	tally->loads += (kinds >> CAIRN_MEM_READ & 1);
	tally->stores += (kinds >> CAIRN_MEM_WRITE & 1);
	tally->branches += (row->traits & CAIRN_TRAIT_BRANCH) != 0;
	tally->branches_taken += (row->flags & CAIRN_INSN_TAKEN) != 0;
	tally->outcomes_unknown += model_outcome_unknown(row->traits, row->flags);
	tally->class_loads += (row->traits & CAIRN_TRAIT_LOAD) != 0;
	tally->class_stores += (row->traits & CAIRN_TRAIT_STORE) != 0;
}

static void scan_count(const struct cairn_batch *batch, struct cairn_tally *tally)
{
	for (uint32_t i = 0; i < batch->n_insns; i++)
		count_insn(batch, i, tally);
	for (uint32_t i = 0; i < batch->n_events; i++)
		tally->events += (batch->events[i].flags & CAIRN_EVF_RECORD) != 0;
}

int text_rows_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	struct text_span *ss = span->priv;
	struct text_worker *worker = span->worker;
	int rc = 0;
	ss->length = kit_left(&ss->bytes);
	ss->at = (struct text_place){0};
	while (!ss->finished && rc >= 0) {
		rc = text_fill(reader, span, worker->scratch, tally, true);
		if (tally)
			scan_count(worker->scratch, tally);
	}
	ss->insns = ss->at.n;
	ss->lines = ss->at.line;
	if (tally)
		tally->records += ss->lines;
	return rc < 0 ? rc : 0;
}

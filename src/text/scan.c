/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scanning: a span is decoded as if it were the first and thrown away; what is kept is
 * what it adds to numbers, and where each hart it has goes on. That costs what decoding
 * costs, and cannot disagree with it.
 */
#include <string.h>

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
	tally->class_loads += (row->traits & CAIRN_TRAIT_LOAD) != 0;
	tally->class_stores += (row->traits & CAIRN_TRAIT_STORE) != 0;
}

static void scan_count(const struct cairn_batch *batch, struct cairn_tally *tally)
{
	for (uint32_t i = 0; i < batch->n_insns; i++)
		count_insn(batch, i, tally);
	for (uint32_t i = 0; i < batch->n_events; i++) {
		uint8_t kind = batch->events[i].kind;
		tally->events +=
			(kind >= CAIRN_EV_EXCEPTION && kind <= CAIRN_EV_MODE) || kind == CAIRN_EV_FORMAT;
	}
}

int text_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	struct text_span *ss = span->priv;
	struct text_worker *worker = span->worker;
	const struct kit_window from = ss->bytes.window;
	ss->at = (struct text_state){0};
	while (!ss->finished) {
		text_fill(reader, span, worker->scratch, tally, true);
		if (tally)
			scan_count(worker->scratch, tally);
	}
	ss->insns = ss->at.n;
	ss->lines = ss->at.line;
	if (tally)
		tally->records += ss->lines;
	ss->bytes.window = from;
	ss->finished = false;
	return 0;
}

/* Damage met while counting, now that its line is known. */
static void text_scan_report_bad(struct cairn_reader *reader, struct model_span *span,
                                 uint64_t line)
{
	const struct text_span *ss = span->priv;
	for (uint64_t i = 0; ss->bad && i < ss->n_bad && i < MODEL_DAMAGE_KEPT; i++)
		model_damaged(reader, span, "byte 0x%llx, line %llu: %s",
		              (unsigned long long)ss->bad[i].off,
		              (unsigned long long)(line + ss->bad[i].line), ss->bad[i].why);
	if (ss->n_bad > MODEL_DAMAGE_KEPT)
		span->damage.count += ss->n_bad - MODEL_DAMAGE_KEPT;
}

int text_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	struct text_span *ss = span->priv;
	struct text_state in = {.n = 1, .line = 1}, out, learnt = ss->at;
	if (span->seq != 0)
		memcpy(&in, before, sizeof in);
	ss->at = in;
	span->n0 = in.n;
	if (!span->scanned)
		return 0;
	out = in;
	out.n += ss->insns;
	out.line += ss->lines;
	out.off = kit_offset_of(&ss->bytes, ss->bytes.window.end);
	out.known = (in.known & ~ss->touched) | (learnt.known & ss->touched);
	for (unsigned h = 0; h < TEXT_HARTS; h++)
		if (ss->touched >> h & 1)
			out.next[h] = learnt.next[h];
	memcpy(span->exit, &out, sizeof out);
	span->n1 = out.n;
	if (span->counting)
		text_scan_report_bad(reader, span, in.line);
	return 0;
}

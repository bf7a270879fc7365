/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scanning: a span is decoded as if it were the first and thrown away; what is kept is
 * what it adds to numbers, and where each hart it has goes on. That costs what decoding
 * costs, and cannot disagree with it.
 */
#include <string.h>

#include "text/text.h"

static void count_insn(const struct cairn_batch *b, uint32_t i, struct cairn_tally *t)
{
	const struct cairn_insn *row = &b->insns[i];
	unsigned kinds = 0;
	for (uint32_t m = row->mem0; m < row[1].mem0; m++)
		kinds |= 1u << b->mems[m].kind;
	t->instructions++;
	t->executed += !(row->flags & CAIRN_INSN_NOT_EXECUTED);
	t->accesses += kinds != 0;
	t->loads += (kinds >> CAIRN_MEM_READ & 1);
	t->stores += (kinds >> CAIRN_MEM_WRITE & 1);
	t->branches += (row->traits & CAIRN_TRAIT_BRANCH) != 0;
	t->branches_taken += (row->flags & CAIRN_INSN_TAKEN) != 0;
	t->class_loads += (row->traits & CAIRN_TRAIT_LOAD) != 0;
	t->class_stores += (row->traits & CAIRN_TRAIT_STORE) != 0;
}

static void scan_count(const struct cairn_batch *b, struct cairn_tally *t)
{
	for (uint32_t i = 0; i < b->n_insns; i++)
		count_insn(b, i, t);
	for (uint32_t i = 0; i < b->n_events; i++) {
		uint8_t kind = b->events[i].kind;
		t->events +=
			(kind >= CAIRN_EV_EXCEPTION && kind <= CAIRN_EV_MODE) || kind == CAIRN_EV_FORMAT;
	}
}

int text_scan(struct cairn_reader *r, struct model_span *s, struct cairn_tally *t)
{
	struct text_span *ss = s->priv;
	struct text_worker *w = s->worker;
	const char *from = ss->p;
	ss->at = (struct text_state){0};
	while (!ss->finished) {
		text_fill(r, s, w->scratch, t, true);
		if (t)
			scan_count(w->scratch, t);
	}
	ss->insns = ss->at.n;
	ss->lines = ss->at.line;
	if (t)
		t->records += ss->lines;
	ss->p = from;
	ss->finished = false;
	return 0;
}

/* Damage met while counting, now that its line is known. */
static void text_scan_report_bad(struct cairn_reader *r, struct model_span *s, uint64_t line)
{
	const struct text_span *ss = s->priv;
	for (uint64_t i = 0; ss->bad && i < ss->n_bad && i < MODEL_DAMAGE_KEPT; i++)
		model_damaged(r, s, "byte 0x%llx, line %llu: %s", (unsigned long long)ss->bad[i].off,
		              (unsigned long long)(line + ss->bad[i].line), ss->bad[i].why);
	if (ss->n_bad > MODEL_DAMAGE_KEPT)
		s->damage.count += ss->n_bad - MODEL_DAMAGE_KEPT;
}

int text_seal(struct cairn_reader *r, const void *before, struct model_span *s)
{
	struct text_span *ss = s->priv;
	struct text_state in = {.n = 1, .line = 1}, out, learnt = ss->at;
	if (s->seq != 0)
		memcpy(&in, before, sizeof in);
	ss->at = in;
	s->n0 = in.n;
	if (!s->scanned)
		return 0;
	out = in;
	out.n += ss->insns;
	out.line += ss->lines;
	out.off = ss->begin + (uint64_t)(ss->end - ss->base);
	out.known = (in.known & ~ss->touched) | (learnt.known & ss->touched);
	for (unsigned h = 0; h < TEXT_HARTS; h++)
		if (ss->touched >> h & 1)
			out.next[h] = learnt.next[h];
	memcpy(s->exit, &out, sizeof out);
	s->n1 = out.n;
	if (s->counting)
		text_scan_report_bad(r, s, in.line);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "together.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

enum { MOST_PARTS = 150000 }; /* instructions of a trace that is read in parts, too */

/* What a pass told. */
struct told {
	struct cairn *cairn;
	int checked, fed;
	struct base_buf findings, damage;
	struct cairn_check_result sum;
	uint64_t first, last; /* only instructions with these numbers are counted */
	uint64_t insns, xacts, hash, end;
};

static void is(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "not so: %s\n", what);
	abort();
}

static int on_finding(void *user, const struct cairn_finding *finding)
{
	struct told *told = user;
	return base_buf_printf(&told->findings,
	                       "%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
	                       finding->rule->id, finding->known, finding->offset, finding->record,
	                       finding->insn, finding->chunk, finding->message);
}

/* ---- what is fed: instructions in any order ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *in = &batch->insns[index];
	uint64_t h = mix(batch->n0 + index, in->pc);
	h = mix(h, in->enc);
	h = mix(h, (uint64_t)in->flags << 32 | in->traits);
	h = mix(h, in->target);
	for (uint32_t k = in[0].reg0; k < in[1].reg0; k++)
		h = mix(h, (uint64_t)batch->regs[k].num << 8 | batch->regs[k].cls);
	for (uint32_t k = in[0].mem0; k < in[1].mem0; k++)
		h = mix(h, batch->mems[k].addr ^ (uint64_t)batch->mems[k].kind << 56);
	return h;
}

static int begin(void *user, void **partial)
{
	const struct told *told = user;
	*partial = base_alloc(told->cairn, sizeof *told);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int feed(void *user, void *partial, const struct cairn_batch *batch)
{
	const struct told *told = user;
	struct told *p = partial;
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		if (batch->n0 + i < told->first || batch->n0 + i > told->last)
			continue;
		p->hash += hash_of(batch, i);
		p->insns++;
		p->end = batch->n0 + i;
	}
	p->xacts += batch->n_xacts;
	return 0;
}

static int fold(void *user, void *partial)
{
	struct told *told = user, *p = partial;
	told->hash += p->hash;
	told->insns += p->insns;
	told->xacts += p->xacts;
	told->end = p->end > told->end ? p->end : told->end;
	base_free(told->cairn, p);
	return 0;
}

static void drop(void *user, void *partial)
{
	base_free(((struct told *)user)->cairn, partial);
}

static const struct cairn_reducer reducer = {.size = sizeof reducer,
                                             .begin = begin,
                                             .feed = feed,
                                             .fold = fold,
                                             .drop = drop};

/* ---- passes ---- */

static void begin_told(struct cairn *cairn, struct told *told, uint64_t first, uint64_t last)
{
	*told = (struct told){.cairn = cairn, .first = first, .last = last};
	base_buf_init(&told->findings, cairn);
	base_buf_init(&told->damage, cairn);
}

static void end_told(struct told *told, struct cairn_reader *reader)
{
	for (uint64_t i = 0; i < cairn_damage_count(reader); i++) {
		const char *text = cairn_damage_text(reader, (size_t)i);
		is(base_buf_printf(&told->damage, "%s\n", text ? text : "more") >= 0, "memory");
	}
	is(base_buf_put(&told->damage, "", 1) >= 0 && base_buf_put(&told->findings, "", 1) >= 0,
	   "memory");
	cairn_close(reader);
}

static void free_told(struct told *told)
{
	base_buf_free(&told->findings);
	base_buf_free(&told->damage);
}

static int open_trace(struct cairn *cairn, const struct together *how, struct cairn_reader **reader)
{
	struct cairn_open_opts opts = {.size = sizeof opts,
	                               .from = how->from,
	                               .lenient = 1,
	                               .no_index = 1,
	                               .image = how->image};
	return how->path ? cairn_open(cairn, how->path, &opts, reader)
	                 : cairn_open_memory(cairn, how->p, how->n, &opts, reader);
}

static void pass(struct cairn *cairn, const struct together *how, bool checks, bool feeds,
                 uint64_t first, uint64_t last, struct told *told)
{
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = how->threads,
	                                .finding = on_finding,
	                                .user = told};
	struct cairn_checking *checking = NULL;
	struct cairn_reader *reader;
	begin_told(cairn, told, first, last);
	told->sum.size = sizeof told->sum;
	is(open_trace(cairn, how, &reader) >= 0, "it opens again");
	if (checks)
		is(cairn_check_begin(cairn, &opts, &told->sum, &checking) >= 0, "a check begins");
	if (checks && feeds)
		told->fed = told->checked = check_feeding(checking, reader, &reducer, told, first, last);
	else if (checks)
		told->checked = cairn_check_part(checking, reader);
	else
		told->fed = cairn_run(reader, &reducer, told, UINT64_MAX, how->threads);
	int rc = cairn_check_end(checking);
	told->checked = told->checked < 0 ? told->checked : rc;
	end_told(told, reader);
}

/* What is fed may be a part of the trace; it is checked whole all the same. */
static void part_is_as_apart(struct cairn *cairn, const struct together *how,
                             const struct told *checked, uint64_t end)
{
	const uint64_t ends[][2] = {{end / 3 + 1, 2 * end / 3}, {end - end / 8, end}, {1, end / 8 + 1}};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct told both, fed;
		pass(cairn, how, true, true, ends[i][0], ends[i][1], &both);
		pass(cairn, how, false, true, ends[i][0], ends[i][1], &fed);
		is(!strcmp((char *)both.findings.data, (char *)checked->findings.data),
		   "the findings are those of all, whatever part is fed");
		is(both.insns == fed.insns && both.hash == fed.hash, "the part is fed whole");
		free_told(&both);
		free_told(&fed);
	}
}

int together_is_as_apart(struct cairn *cairn, const struct together *how)
{
	struct cairn_reader *reader;
	struct told both, checked, fed;
	if (open_trace(cairn, how, &reader) < 0)
		return 0;
	bool judged = reader->format->rules && reader->broken >= 0;
	bool transactions = cairn_reader_can(reader) & CAIRN_XACTS; /* which regions count */
	cairn_close(reader);
	if (!judged)
		return 0;
	pass(cairn, how, true, true, 1, UINT64_MAX, &both);
	pass(cairn, how, true, false, 1, UINT64_MAX, &checked);
	pass(cairn, how, false, true, 1, UINT64_MAX, &fed);
	if (fed.fed >= 0 && checked.checked >= 0) {
		is(both.checked >= 0, "together they come to their end");
		is(!strcmp((char *)both.findings.data, (char *)checked.findings.data),
		   "the findings are those of a check");
		is(!memcmp(both.sum.by_rule, checked.sum.by_rule, sizeof both.sum.by_rule),
		   "and so are their numbers");
		is(both.insns == fed.insns && both.xacts == fed.xacts && both.hash == fed.hash,
		   "the batches are those of a run");
		is(!strcmp((char *)both.damage.data, (char *)fed.damage.data),
		   "the damage is that of a run");
		if (fed.insns && !transactions && fed.insns < MOST_PARTS)
			part_is_as_apart(cairn, how, &checked, fed.end);
	} else {
		is(both.checked < 0, "together they fail, too");
	}
	free_told(&both);
	free_told(&checked);
	free_told(&fed);
	return 1;
}

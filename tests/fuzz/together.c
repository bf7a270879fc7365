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
	struct cairn *c;
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

static int on_finding(void *user, const struct cairn_finding *f)
{
	struct told *t = user;
	return base_buf_printf(
		&t->findings, "%s %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
		f->rule->id, f->known, f->offset, f->record, f->insn, f->chunk, f->message);
}

/* ---- what is fed: instructions in any order ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_of(const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *in = &b->insns[i];
	uint64_t h = mix(b->n0 + i, in->pc);
	h = mix(h, in->enc);
	h = mix(h, (uint64_t)in->flags << 32 | in->traits);
	h = mix(h, in->target);
	for (uint32_t k = in[0].reg0; k < in[1].reg0; k++)
		h = mix(h, (uint64_t)b->regs[k].num << 8 | b->regs[k].cls);
	for (uint32_t k = in[0].mem0; k < in[1].mem0; k++)
		h = mix(h, b->mems[k].addr ^ (uint64_t)b->mems[k].kind << 56);
	return h;
}

static int begin(void *user, void **partial)
{
	const struct told *t = user;
	*partial = base_alloc(t->c, sizeof *t);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int feed(void *user, void *partial, const struct cairn_batch *b)
{
	const struct told *t = user;
	struct told *p = partial;
	for (uint32_t i = 0; i < b->n_insns; i++) {
		if (b->n0 + i < t->first || b->n0 + i > t->last)
			continue;
		p->hash += hash_of(b, i);
		p->insns++;
		p->end = b->n0 + i;
	}
	p->xacts += b->n_xacts;
	return 0;
}

static int fold(void *user, void *partial)
{
	struct told *t = user, *p = partial;
	t->hash += p->hash;
	t->insns += p->insns;
	t->xacts += p->xacts;
	t->end = p->end > t->end ? p->end : t->end;
	base_free(t->c, p);
	return 0;
}

static void drop(void *user, void *partial)
{
	base_free(((struct told *)user)->c, partial);
}

static const struct cairn_reducer reducer = {.size = sizeof reducer,
                                             .begin = begin,
                                             .feed = feed,
                                             .fold = fold,
                                             .drop = drop};

/* ---- passes ---- */

static void begin_told(struct cairn *c, struct told *t, uint64_t first, uint64_t last)
{
	*t = (struct told){.c = c, .first = first, .last = last};
	base_buf_init(&t->findings, c);
	base_buf_init(&t->damage, c);
}

static void end_told(struct told *t, struct cairn_reader *r)
{
	for (uint64_t i = 0; i < cairn_damage_count(r); i++) {
		const char *text = cairn_damage_text(r, (size_t)i);
		is(base_buf_printf(&t->damage, "%s\n", text ? text : "more") >= 0, "memory");
	}
	is(base_buf_put(&t->damage, "", 1) >= 0 && base_buf_put(&t->findings, "", 1) >= 0, "memory");
	cairn_close(r);
}

static void free_told(struct told *t)
{
	base_buf_free(&t->findings);
	base_buf_free(&t->damage);
}

static int open_trace(struct cairn *c, const struct together *how, struct cairn_reader **r)
{
	struct cairn_open_opts o = {.size = sizeof o,
	                            .from = how->from,
	                            .lenient = 1,
	                            .no_index = 1,
	                            .image = how->image};
	return how->path ? cairn_open(c, how->path, &o, r)
	                 : cairn_open_memory(c, how->p, how->n, &o, r);
}

static void pass(struct cairn *c, const struct together *how, bool checks, bool feeds,
                 uint64_t first, uint64_t last, struct told *t)
{
	struct cairn_check_opts o = {.size = sizeof o,
	                             .threads = how->threads,
	                             .finding = on_finding,
	                             .user = t};
	struct cairn_checking *k = NULL;
	struct cairn_reader *r;
	begin_told(c, t, first, last);
	is(open_trace(c, how, &r) >= 0, "it opens again");
	if (checks)
		is(cairn_check_begin(c, &o, &t->sum, &k) >= 0, "a check begins");
	if (checks && feeds)
		t->fed = t->checked = check_feeding(k, r, &reducer, t, first, last);
	else if (checks)
		t->checked = cairn_check_part(k, r);
	else
		t->fed = cairn_run(r, &reducer, t, UINT64_MAX, how->threads);
	int rc = cairn_check_end(k);
	t->checked = t->checked < 0 ? t->checked : rc;
	end_told(t, r);
}

/* What is fed may be a part of the trace; it is checked whole all the same. */
static void part_is_as_apart(struct cairn *c, const struct together *how,
                             const struct told *checked, uint64_t end)
{
	const uint64_t ends[][2] = {{end / 3 + 1, 2 * end / 3}, {end - end / 8, end}, {1, end / 8 + 1}};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct told both, fed;
		pass(c, how, true, true, ends[i][0], ends[i][1], &both);
		pass(c, how, false, true, ends[i][0], ends[i][1], &fed);
		is(!strcmp((char *)both.findings.data, (char *)checked->findings.data),
		   "the findings are those of all, whatever part is fed");
		is(both.insns == fed.insns && both.hash == fed.hash, "the part is fed whole");
		free_told(&both);
		free_told(&fed);
	}
}

int together_is_as_apart(struct cairn *c, const struct together *how)
{
	struct cairn_reader *r;
	struct told both, checked, fed;
	if (open_trace(c, how, &r) < 0)
		return 0;
	bool judged = r->format->rules && r->broken >= 0;
	bool transactions = cairn_reader_can(r) & CAIRN_XACTS; /* which regions count */
	cairn_close(r);
	if (!judged)
		return 0;
	pass(c, how, true, true, 1, UINT64_MAX, &both);
	pass(c, how, true, false, 1, UINT64_MAX, &checked);
	pass(c, how, false, true, 1, UINT64_MAX, &fed);
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
			part_is_as_apart(c, how, &checked, fed.end);
	} else {
		is(both.checked < 0, "together they fail, too");
	}
	free_told(&both);
	free_told(&checked);
	free_told(&fed);
	return 1;
}

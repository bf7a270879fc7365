/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule engine: runs a format's rules over the spans of a trace and delivers
 * what they find.
 *
 * Findings are the same for every number of threads because the spans are: also
 * one thread reads the trace cut into spans. With a limit a rule, the first
 * findings of each in trace order are held and delivered sorted at the end, so the
 * order does not depend on how the trace is packed, either. Without one they are
 * delivered as the spans are folded, for there may be any number of them.
 *
 * Damage told by the reader (a container's index, a chunk) is a finding; what the
 * format's own walk cannot read it tells itself, with its place.
 */
#include <string.h>

#include "check/list.h"

enum { DEFAULT_MOST = 100, HELD_MOST = 10000 };

struct engine {
	struct cairn_reader *r;
	const struct check_rules *rules;
	struct cairn_check_opts opts;
	struct cairn_check_result *result;
	void *state;
	struct check_list held[CHECK_CONDITIONS]; /* of conditions not yet met */
	uint32_t met;
	struct check_list all; /* with a limit */
	bool streams;
	uint64_t damage; /* reader's damage already told */
};

/* ---- parts ---- */

static struct check_part *part_new(struct engine *e)
{
	struct cairn *c = e->r->c;
	struct check_part *p = base_alloc(c, sizeof *p);
	if (!p)
		return NULL;
	p->c = c;
	check_list_init(&p->found, c, e->opts.most);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&p->held[i], c, e->opts.most);
	return p;
}

static void part_free(struct engine *e, struct check_part *p)
{
	if (!p)
		return;
	if (e->rules->drop)
		e->rules->drop(e->r, p);
	check_list_free(&p->found);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_free(&p->held[i]);
	base_free(p->c, p);
}

/* ---- delivering ---- */

static int deliver(struct engine *e, const struct check_list *l)
{
	for (size_t i = 0; i < check_list_size(l) && e->opts.finding; i++) {
		const struct check_row *row = check_list_row(l, i);
		const struct check_place *at = &row->at;
		struct cairn_finding f = {
			.rule = &e->rules->rules[row->rule], .message = check_list_text(l, row),
			.record = at->record, .offset = at->offset, .insn = at->insn,
			.line = at->line, .chunk = at->chunk, .cpu = at->cpu, .known = at->known};
		int rc = e->opts.finding(e->opts.user, &f);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void count(struct engine *e, const struct check_list *l)
{
	struct cairn_check_result *res = e->result;
	for (size_t i = 0; i < e->rules->n; i++) {
		uint64_t n = l->count[i];
		res->by_rule[i] += n;
		if (e->rules->rules[i].severity == CAIRN_ERROR)
			res->errors += n;
		else if (e->rules->rules[i].severity == CAIRN_WARNING)
			res->warnings += n;
		else
			res->notes += n;
	}
}

/* What the reader told since the last span. */
static void take_damage(struct engine *e, struct check_part *p)
{
	struct cairn_reader *r = e->r;
	static const struct check_place nowhere;
	for (; e->damage < cairn_damage_count(r); e->damage++) {
		const char *text = cairn_damage_text(r, (size_t)e->damage);
		check_add(p, e->rules->damage, &nowhere, "%s",
		          text ? text : "more damage than is told in words");
	}
}

static void take_held(struct engine *e, struct check_part *p)
{
	e->met |= p->met;
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++) {
		check_list_move(&e->held[i], &p->held[i]);
		if (e->met >> i & 1)
			check_list_move(&p->found, &e->held[i]);
		if (e->held[i].status < 0)
			p->found.status = e->held[i].status;
	}
}

/* A part is complete: count it, deliver it or add it to the rest. */
static int take_part(struct engine *e, struct check_part *p)
{
	take_damage(e, p);
	take_held(e, p);
	count(e, &p->found);
	int rc = p->found.status;
	if (rc >= 0 && e->streams) {
		check_list_sort(&p->found);
		rc = deliver(e, &p->found);
		check_list_clear(&p->found);
	} else if (rc >= 0) {
		check_list_sort(&p->found); /* so that the first of each rule are kept */
		check_list_move(&e->all, &p->found);
		rc = e->all.status;
	}
	return rc;
}

/* ---- the reducer ---- */

static int on_begin(void *user, void **partial)
{
	struct engine *e = user;
	struct check_part *p = part_new(e);
	if (!p)
		return CAIRN_E_NOMEM;
	int rc = e->rules->begin ? e->rules->begin(e->r, e->state, p) : 0;
	if (rc < 0)
		part_free(e, p);
	else
		*partial = p;
	return rc;
}

static int on_span(void *user, void *partial, struct model_span *s)
{
	struct engine *e = user;
	return e->rules->span(e->r, e->state, s, partial);
}

static int on_record(void *user, void *partial, const struct cairn_record *rec)
{
	struct engine *e = user;
	return e->rules->record(e->r, e->state, partial, rec);
}

static int on_batch(void *user, void *partial, const struct cairn_batch *b)
{
	struct engine *e = user;
	return e->rules->batch(e->r, e->state, partial, b);
}

static void on_drop(void *user, void *partial)
{
	part_free(user, partial);
}

static int on_fold(void *user, void *partial)
{
	struct engine *e = user;
	struct check_part *p = partial;
	int rc = e->rules->fold ? e->rules->fold(e->r, e->state, p) : 0;
	if (rc >= 0)
		rc = take_part(e, p);
	part_free(e, p);
	return rc;
}

static int run(struct engine *e)
{
	const struct check_rules *rules = e->rules;
	struct cairn_reducer red = {.size = sizeof red, .begin = on_begin, .fold = on_fold,
	                            .drop = on_drop};
	if (rules->batch)
		red.feed = on_batch;
	if (rules->record)
		red.feed_record = on_record;
	struct check_part *first = part_new(e), *last = part_new(e);
	int rc = first && last ? 0 : CAIRN_E_NOMEM;
	if (rc >= 0 && rules->start)
		rc = rules->start(e->r, &e->state, first);
	if (rc >= 0)
		rc = take_part(e, first);
	if (rc >= 0)
		rc = model_run_spans(e->r, &red, NULL, rules->span ? on_span : NULL, e,
		                     e->opts.threads ? e->opts.threads : 1);
	if (rc >= 0 && rules->end)
		rc = rules->end(e->r, e->state, last);
	if (rc >= 0)
		rc = take_part(e, last);
	/* These have no priv: it was not they that `begin` saw. */
	for (int i = 0; i < 2; i++) {
		struct check_part *p = i ? last : first;
		if (p) {
			check_list_free(&p->found);
			for (unsigned k = 0; k < CHECK_CONDITIONS; k++)
				check_list_free(&p->held[k]);
			base_free(e->r->c, p);
		}
	}
	if (rc >= 0 && !e->streams) {
		check_list_sort(&e->all);
		rc = deliver(e, &e->all);
	}
	return rc < 0 ? rc : 0;
}

/* Nothing of the trace can be read: that is what there is to tell. */
static int judge_broken(struct engine *e)
{
	static const struct check_place nowhere;
	const char *why = e->r->why, *name = io_name(e->r->io);
	size_t n = strlen(name);
	if (!strncmp(why, name, n) && !strncmp(why + n, ": ", 2))
		why += n + 2;
	check_list_put(&e->all, e->rules->damage, &nowhere, why, strlen(why));
	count(e, &e->all);
	return e->all.status < 0 ? e->all.status : deliver(e, &e->all);
}

int cairn_check(struct cairn_reader *r, const struct cairn_check_opts *opts,
                struct cairn_check_result *result)
{
	memset(result, 0, sizeof *result);
	struct engine *e = base_alloc(r->c, sizeof *e);
	if (!e)
		return CAIRN_E_NOMEM;
	int rc = 0;
	e->r = r;
	e->rules = r->format->rules;
	e->result = result;
	if (opts->size > sizeof e->opts)
		rc = base_fail(r->c, CAIRN_E_INVAL, "check options of a newer library");
	else if (!e->rules)
		rc = base_fail(r->c, CAIRN_E_UNSUPPORTED, "there are no rules for %s traces",
		               r->format->name);
	if (rc < 0) {
		base_free(r->c, e);
		return rc;
	}
	memcpy(&e->opts, opts, opts->size);
	e->opts.most = e->opts.most ? e->opts.most : DEFAULT_MOST;
	e->streams = e->opts.most == UINT64_MAX;
	result->rules = e->rules->rules;
	result->n_rules = e->rules->n;
	check_list_init(&e->all, r->c, e->opts.most);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&e->held[i], r->c, e->streams ? HELD_MOST : e->opts.most);
	rc = r->broken < 0 ? judge_broken(e) : run(e);
	if (e->rules->state_free)
		e->rules->state_free(r, e->state);
	check_list_free(&e->all);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_free(&e->held[i]);
	base_free(r->c, e);
	return rc;
}

const char *cairn_severity_name(enum cairn_severity s)
{
	return s == CAIRN_ERROR ? "error" : s == CAIRN_WARNING ? "warning" : "note";
}

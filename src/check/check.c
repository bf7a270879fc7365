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

struct cairn_checking {
	struct cairn *c;
	struct cairn_reader *r; /* of the part being read, or the last one */
	const struct check_rules *rules;
	struct cairn_check_opts opts;
	struct cairn_check_result *result;
	uint32_t parts; /* so far */
	bool begun;     /* `start` was called */
	int failed;
	void *state;
	struct check_list held[CHECK_CONDITIONS]; /* of conditions not yet met */
	uint32_t met;
	struct check_list all; /* with a limit */
	bool streams;
	uint64_t damage;                  /* reader's damage already told */
	const struct cairn_reducer *also; /* fed in the same pass, NULL none … */
	void *also_user;
	uint64_t first, last; /* … with what is in here */
};

/* ---- parts ---- */

static struct check_part *check_part_new(struct cairn_checking *e)
{
	struct cairn *c = e->r->c;
	struct check_part *p = base_alloc(c, sizeof *p);
	if (!p)
		return NULL;
	p->c = c;
	p->part = e->parts - 1;
	check_list_init(&p->found, c, e->opts.most);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&p->held[i], c, e->opts.most);
	return p;
}

static void check_part_free(struct cairn_checking *e, struct check_part *p)
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

static int deliver(struct cairn_checking *e, const struct check_list *l)
{
	for (size_t i = 0; i < check_list_size(l) && e->opts.finding; i++) {
		const struct check_row *row = check_list_row(l, i);
		const struct check_place *at = &row->at;
		struct cairn_finding f = {.rule = &e->rules->rules[row->rule],
		                          .message = check_list_text(l, row),
		                          .record = at->record,
		                          .offset = at->offset,
		                          .insn = at->insn,
		                          .line = at->line,
		                          .chunk = at->chunk,
		                          .cpu = at->cpu,
		                          .known = at->known,
		                          .part = at->part};
		int rc = e->opts.finding(e->opts.user, &f);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void check_count(struct cairn_checking *e, const struct check_list *l)
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

static void add_damage(struct cairn_checking *e, struct check_part *p, const struct model_damage *d,
                       uint64_t from)
{
	const struct check_place nowhere = {.part = p->part};
	for (; from < d->count; from++)
		check_add(p, e->rules->damage, &nowhere, "%s",
		          from < d->kept ? d->text[from] : "more damage than is told in words");
}

/* What the reader told since the last span. */
static void check_take_damage(struct cairn_checking *e, struct check_part *p)
{
	add_damage(e, p, &e->r->damage, e->damage);
	e->damage = e->r->damage.count;
}

static void take_held(struct cairn_checking *e, struct check_part *p)
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
static int take_part(struct cairn_checking *e, struct check_part *p)
{
	check_take_damage(e, p);
	take_held(e, p);
	check_count(e, &p->found);
	int rc = p->found.status;
	if (rc >= 0 && e->streams) {
		check_list_sort(&p->found);
		rc = deliver(e, &p->found);
		check_list_clear(&p->found);
	} else if (rc >= 0) {
		check_list_move(&e->all, &p->found);
		rc = e->all.status;
	}
	return rc;
}

/* ---- the reducer ---- */

static int on_begin(void *user, void **partial)
{
	struct cairn_checking *e = user;
	struct check_part *p = check_part_new(e);
	if (!p)
		return CAIRN_E_NOMEM;
	int rc = e->rules->begin ? e->rules->begin(e->r, e->state, p) : 0;
	if (rc >= 0 && e->also && e->also->begin)
		rc = e->also->begin(e->also_user, &p->also);
	if (rc < 0)
		check_part_free(e, p);
	else
		*partial = p;
	return rc;
}

static int on_span(void *user, void *partial, struct model_span *s)
{
	struct cairn_checking *e = user;
	return e->rules->span(e->r, e->state, s, partial);
}

/* The same before the span is decoded, which tells once more what is damaged in it: what was
 * told until then is what a check tells. */
static int on_span_first(void *user, void *partial, struct model_span *s)
{
	struct cairn_checking *e = user;
	s->again = true;
	int rc = on_span(user, partial, s);
	add_damage(e, partial, &s->damage, 0);
	return rc < 0 ? rc : s->n0 > e->last || (e->first > 1 && s->n1 <= e->first);
}

static int on_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct cairn_checking *e = user;
	return e->also->feed(e->also_user, ((struct check_part *)partial)->also, b);
}

static size_t on_held(void *user, const void *partial)
{
	const struct cairn_checking *e = user;
	return e->also->held(e->also_user, ((const struct check_part *)partial)->also);
}

static int on_flush(void *user, void *partial)
{
	struct cairn_checking *e = user;
	return e->also->flush(e->also_user, ((struct check_part *)partial)->also);
}

static void on_drop(void *user, void *partial)
{
	struct cairn_checking *e = user;
	struct check_part *p = partial;
	if (p->also && e->also->drop)
		e->also->drop(e->also_user, p->also);
	check_part_free(e, p);
}

static int on_fold(void *user, void *partial)
{
	struct cairn_checking *e = user;
	struct check_part *p = partial;
	int rc = e->rules->fold ? e->rules->fold(e->r, e->state, p) : 0;
	if (e->also)
		e->damage = e->r->damage.count;
	if (rc >= 0)
		rc = take_part(e, p);
	if (rc >= 0 && e->also) {
		rc = e->also->fold(e->also_user, p->also);
		p->also = NULL;
	}
	on_drop(e, p);
	return rc;
}

/* A part that no span fills: `begin` does not see it, and it has no priv. */
static void bare_free(struct check_part *p)
{
	if (!p)
		return;
	check_list_free(&p->found);
	for (unsigned k = 0; k < CHECK_CONDITIONS; k++)
		check_list_free(&p->held[k]);
	base_free(p->c, p);
}

/* What the rules judge before the first span, or after the last one. */
static int judge_whole(struct cairn_checking *e, bool first)
{
	const struct check_rules *rules = e->rules;
	struct check_part *p = check_part_new(e);
	int rc = p ? 0 : CAIRN_E_NOMEM;
	if (rc >= 0 && first && rules->start)
		rc = rules->start(e->r, &e->state, p);
	else if (rc >= 0 && !first && rules->end)
		rc = rules->end(e->r, e->state, p);
	if (rc >= 0)
		rc = take_part(e, p);
	bare_free(p);
	return rc;
}

static int check_check_run(struct cairn_checking *e)
{
	const struct check_rules *rules = e->rules;
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = on_begin,
	                            .fold = on_fold,
	                            .drop = on_drop};
	unsigned threads = e->opts.threads ? e->opts.threads : 1;
	int rc = e->begun ? rules->join(e->r, e->state) : judge_whole(e, true);
	e->begun = true;
	if (rc < 0 || !e->also)
		return rc < 0 ? rc : model_run_spans(e->r, &red, NULL, on_span, rules->leaves, e, threads);
	red.feed = on_feed;
	red.held = e->also->held ? on_held : NULL;
	red.flush = e->also->flush ? on_flush : NULL;
	return model_run_spans(e->r, &red, on_span_first, NULL, false, e, threads);
}

/* Nothing of the file can be read: that is what there is to tell. */
static int judge_broken(struct cairn_checking *e)
{
	const struct check_place nowhere = {.part = e->parts - 1};
	const char *why = e->r->why, *name = io_name(e->r->io);
	size_t n = strlen(name);
	if (!strncmp(why, name, n) && !strncmp(why + n, ": ", 2))
		why += n + 2;
	struct check_part *p = check_part_new(e);
	if (!p)
		return CAIRN_E_NOMEM;
	check_add(p, e->rules->damage, &nowhere, "%s", why);
	int rc = take_part(e, p);
	bare_free(p);
	return rc;
}

int cairn_check_begin(struct cairn *c, const struct cairn_check_opts *opts,
                      struct cairn_check_result *result, struct cairn_checking **out)
{
	*out = NULL;
	memset(result, 0, sizeof *result);
	struct cairn_checking *e = base_alloc(c, sizeof *e);
	if (!e)
		return CAIRN_E_NOMEM;
	if (opts->size > sizeof e->opts) {
		base_free(c, e);
		return base_fail(c, CAIRN_E_INVAL, "check options of a newer library");
	}
	memcpy(&e->opts, opts, opts->size);
	e->c = c;
	e->result = result;
	e->opts.most = e->opts.most ? e->opts.most : DEFAULT_MOST;
	e->streams = e->opts.most == UINT64_MAX;
	check_list_init(&e->all, c, e->opts.most);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&e->held[i], c, e->streams ? HELD_MOST : e->opts.most);
	*out = e;
	return 0;
}

int check_may(const struct cairn_checking *e, const struct cairn_reader *r)
{
	if (!r->format->rules)
		return base_fail(e->c, CAIRN_E_UNSUPPORTED, "%s: there are no rules for %s traces",
		                 io_name(r->io), r->format->name);
	if (e->parts && (r->format->rules != e->rules || !e->rules->join || !cairn_reader_is_part(r)))
		return base_fail(e->c, CAIRN_E_INVAL, "%s: does not continue the trace before",
		                 io_name(r->io));
	return 0;
}

int cairn_check_part(struct cairn_checking *e, struct cairn_reader *r)
{
	int rc = e->failed;
	if (rc >= 0)
		rc = check_may(e, r);
	if (rc < 0)
		return rc;
	e->r = r;
	e->rules = r->format->rules;
	e->result->rules = e->rules->rules;
	e->result->n_rules = e->rules->n;
	e->parts++;
	e->damage = 0;
	rc = r->broken < 0 ? judge_broken(e) : check_check_run(e);
	e->failed = rc < 0 ? rc : 0;
	return e->failed;
}

int check_feeding(struct cairn_checking *e, struct cairn_reader *r, const struct cairn_reducer *red,
                  void *user, uint64_t first, uint64_t last)
{
	e->also = red;
	e->also_user = user;
	e->first = first;
	e->last = last;
	int rc = cairn_check_part(e, r);
	e->also = NULL;
	return rc;
}

int cairn_check_end(struct cairn_checking *e)
{
	if (!e)
		return 0;
	int rc = e->failed;
	if (rc >= 0 && e->begun)
		rc = judge_whole(e, false);
	if (rc >= 0 && !e->streams) {
		check_list_trim(&e->all);
		check_list_sort(&e->all);
		rc = e->all.status < 0 ? e->all.status : deliver(e, &e->all);
	}
	if (e->rules && e->rules->state_free)
		e->rules->state_free(e->r, e->state);
	check_list_free(&e->all);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_free(&e->held[i]);
	base_free(e->c, e);
	return rc < 0 ? rc : 0;
}

int cairn_check(struct cairn_reader *r, const struct cairn_check_opts *opts,
                struct cairn_check_result *result)
{
	struct cairn_checking *e;
	int rc = cairn_check_begin(r->c, opts, result, &e);
	if (rc < 0)
		return rc;
	rc = cairn_check_part(e, r);
	int last = cairn_check_end(e);
	return rc < 0 ? rc : last;
}

const char *cairn_severity_name(enum cairn_severity s)
{
	return s == CAIRN_ERROR ? "error" : s == CAIRN_WARNING ? "warning" : "note";
}

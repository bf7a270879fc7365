/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running an analysis.
 *
 * A span's partial is a list of parts, one for each interval it touches: one part
 * when there are no intervals. Fold joins them to the sum of the interval that is
 * open, and reports an interval when the next one begins. So a series costs memory
 * for its result, not for its parts.
 *
 * Of a commutative analysis without intervals the parts are not joined span by span:
 * a part goes back to a pool and is fed again with whatever span comes next, until all
 * are joined at the end.
 *
 * A sequential analysis would hold a whole span of what it extracted, and one thread
 * may read a file as one span; its parts are joined early, while the span is the first
 * in line.
 *
 * Several analyses run side by side over the same batches, each with its own partial of a
 * span.
 */
#include "analysis/run.h"

#include <pthread.h>
#include <string.h>

#include "cairn/select.h"

const char analysis_none[] = "no instruction is selected";

/* Of a series, PIECE_BYTES are reckoned for each part, and so many are fed at a time. */
enum { JOIN_BYTES = 1 << 18, PIECE_BYTES = 1 << 16, PIECES_AT_ONCE = 32 };

struct piece {
	uint64_t interval;
	uint64_t last; /* number of the last instruction it was given */
	void *part;
};

struct partial {
	struct partial *next; /* in the pool */
	struct piece *pieces;
	size_t n, cap;
	uint32_t from; /* rows of the batch that were fed already */
	uint8_t keep[CAIRN_CAP_INSNS];
};

struct run {
	struct cairn *c;
	const struct analysis_kind *kind;
	const struct cairn_analysis_opts *opts;
	const struct cairn_select *select; /* NULL: all */
	void *user;
	struct cairn_result *res;
	void *sum; /* of the interval that is open; NULL: none yet */
	uint64_t interval, last;
	bool pooled;
	bool in_steps;        /* a batch with many intervals is not fed at once */
	bool unknown;         /* the trace cannot tell of instructions */
	pthread_mutex_t lock; /* of the pool */
	struct partial *pool;
};

/* ---- parts ---- */

static void *run_part_new(struct run *u)
{
	void *part = base_alloc(u->c, u->kind->part);
	if (part && u->kind->begin && u->kind->begin(u->user, part) < 0) {
		u->kind->end(u->user, part);
		base_free(u->c, part);
		part = NULL;
	}
	return part;
}

static void run_part_free(struct run *u, void *part)
{
	if (!part)
		return;
	u->kind->end(u->user, part);
	base_free(u->c, part);
}

static void partial_free(struct run *u, struct partial *p)
{
	for (size_t i = 0; i < p->n; i++)
		run_part_free(u, p->pieces[i].part);
	base_free(u->c, p->pieces);
	base_free(u->c, p);
}

/* The piece of an interval, which is the last one or a new one. */
static struct piece *piece_of(struct run *u, struct partial *p, uint64_t interval)
{
	if (p->n && p->pieces[p->n - 1].interval == interval)
		return &p->pieces[p->n - 1];
	if (p->n == p->cap) {
		size_t cap = p->cap ? 2 * p->cap : 4;
		struct piece *more = base_realloc(u->c, p->pieces, cap * sizeof *more);
		if (!more)
			return NULL;
		p->pieces = more;
		p->cap = cap;
	}
	void *part = run_part_new(u);
	if (!part)
		return NULL;
	p->pieces[p->n] = (struct piece){.interval = interval, .part = part};
	return &p->pieces[p->n++];
}

/* ---- the reducer ---- */

static int run_begin(void *user, void **partial)
{
	struct run *u = user;
	struct partial *p = NULL;
	if (u->pooled) {
		pthread_mutex_lock(&u->lock);
		p = u->pool;
		u->pool = p ? p->next : NULL;
		pthread_mutex_unlock(&u->lock);
	}
	*partial = p ? p : base_alloc(u->c, sizeof *p);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int analysis_run_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct run *u = user;
	struct partial *p = partial;
	uint64_t every = u->opts->every;
	struct analysis_rows rows = {.b = b, .from = p->from};
	size_t most = u->in_steps ? p->n + PIECES_AT_ONCE : SIZE_MAX;
	if (u->select && b->n_insns) {
		if (!rows.from && !cairn_select_batch(u->select, b, p->keep))
			return 0;
		rows.keep = p->keep;
	}
	p->from = 0;
	while (rows.from < b->n_insns) {
		if (p->n >= most) {
			p->from = rows.from;
			return MODEL_FEED_AGAIN;
		}
		uint64_t n = b->n0 + rows.from - 1, interval = every ? n / every : 0;
		uint64_t left = every ? every - n % every : UINT64_MAX;
		rows.to = left < b->n_insns - rows.from ? rows.from + (uint32_t)left : b->n_insns;
		struct piece *piece = piece_of(u, p, interval);
		int rc = piece ? u->kind->feed(u->user, piece->part, &rows) : CAIRN_E_NOMEM;
		if (rc < 0)
			return rc;
		piece->last = b->n0 + rows.to - 1;
		rows.from = rows.to;
	}
	return 0;
}

static int run_report(struct run *u)
{
	if (!u->sum)
		return 0;
	uint64_t every = u->opts->every;
	if (every)
		result_interval(u->res, u->interval * every + 1, u->last);
	int rc = u->kind->report(u->user, u->sum, u->res);
	run_part_free(u, u->sum);
	u->sum = NULL;
	if (rc >= 0)
		rc = result_status(u->res);
	if (rc >= 0 && every && u->opts->interval) {
		rc = u->opts->interval(u->opts->user, u->res);
		if (rc > 0)
			result_forget(u->res);
	}
	return rc < 0 ? rc : 0;
}

static int run_join_all(struct run *u, struct partial *p)
{
	int rc = 0;
	for (size_t i = 0; i < p->n && rc >= 0; i++) {
		if (u->sum && u->interval != p->pieces[i].interval)
			rc = run_report(u);
		u->interval = p->pieces[i].interval;
		if (rc >= 0 && !u->sum) {
			u->sum = run_part_new(u);
			rc = u->sum ? 0 : CAIRN_E_NOMEM;
		}
		if (rc >= 0)
			rc = u->kind->join(u->user, u->sum, p->pieces[i].part);
		u->last = p->pieces[i].last;
	}
	return rc;
}

static int run_fold(void *user, void *partial)
{
	struct run *u = user;
	struct partial *p = partial;
	if (u->pooled) {
		pthread_mutex_lock(&u->lock);
		p->next = u->pool;
		u->pool = p;
		pthread_mutex_unlock(&u->lock);
		return 0;
	}
	int rc = run_join_all(u, p);
	partial_free(u, p);
	return rc;
}

static void run_drop(void *user, void *partial)
{
	partial_free(user, partial);
}

/* A part costs something however little it was fed: an interval may be a single instruction. */
static size_t run_held(void *user, const void *partial)
{
	const struct run *u = user;
	const struct partial *p = partial;
	size_t n = p->n > 1 ? p->n * PIECE_BYTES : 0;
	for (size_t i = 0; i < p->n && u->kind->held; i++)
		n += u->kind->held(p->pieces[i].part);
	return n;
}

static int run_flush(void *user, void *partial)
{
	struct run *u = user;
	struct partial *p = partial;
	if (run_held(user, partial) < JOIN_BYTES)
		return 0;
	int rc = run_join_all(u, p);
	for (size_t i = 0; i < p->n; i++)
		run_part_free(u, p->pieces[i].part);
	p->n = 0;
	return rc;
}

/* A span may hold much of what is in order, and a series may have many intervals in it. */
static bool joins_early(const struct run *run)
{
	return run->kind->order == ANALYSIS_SEQUENTIAL || run->opts->every;
}

/* ---- several at once ---- */

struct all {
	struct cairn *c;
	unsigned n;
	struct run run[];
};

static void all_drop(void *user, void *partial)
{
	struct all *u = user;
	void **each = partial;
	for (unsigned i = 0; i < u->n; i++)
		if (each[i])
			run_drop(&u->run[i], each[i]);
	base_free(u->c, each);
}

static int all_begin(void *user, void **partial)
{
	struct all *u = user;
	void **each = base_alloc(u->c, u->n * sizeof *each);
	int rc = each ? 0 : CAIRN_E_NOMEM;
	for (unsigned i = 0; i < u->n && rc >= 0; i++)
		rc = run_begin(&u->run[i], &each[i]);
	if (rc < 0 && each)
		all_drop(u, each);
	*partial = rc < 0 ? NULL : each;
	return rc;
}

static int all_feed(void *user, void *partial, const struct cairn_batch *b)
{
	struct all *u = user;
	void **each = partial;
	int rc = 0;
	for (unsigned i = 0; i < u->n && rc >= 0; i++)
		rc = analysis_run_feed(&u->run[i], each[i], b);
	return rc;
}

static int all_fold(void *user, void *partial)
{
	struct all *u = user;
	void **each = partial;
	int rc = 0;
	for (unsigned i = 0; i < u->n; i++) {
		if (rc >= 0)
			rc = run_fold(&u->run[i], each[i]);
		else
			run_drop(&u->run[i], each[i]);
	}
	base_free(u->c, each);
	return rc;
}

static size_t all_held(void *user, const void *partial)
{
	struct all *u = user;
	void *const *each = partial;
	size_t n = 0;
	for (unsigned i = 0; i < u->n; i++)
		n += joins_early(&u->run[i]) ? run_held(&u->run[i], each[i]) : 0;
	return n;
}

static int all_flush(void *user, void *partial)
{
	struct all *u = user;
	void **each = partial;
	int rc = 0;
	for (unsigned i = 0; i < u->n && rc >= 0; i++)
		if (joins_early(&u->run[i]))
			rc = run_flush(&u->run[i], each[i]);
	return rc;
}

/* ---- all of it ---- */

int analysis_opts(struct cairn_reader *r, const struct cairn_analysis_opts *given,
                  struct cairn_analysis_opts *own)
{
	*own = (struct cairn_analysis_opts){.size = sizeof *own};
	if (given && given->size > sizeof *own)
		return base_fail(r->c, CAIRN_E_INVAL, "options of a newer library");
	if (given)
		memcpy(own, given, given->size);
	own->threads = own->threads ? own->threads : 1;
	if (cairn_reader_can(r) & CAIRN_XACTS)
		return base_fail(r->c, CAIRN_E_UNSUPPORTED,
		                 "a trace of transactions has no instructions "
		                 "to analyse");
	return 0;
}

static int analysis_run_finish(struct run *u)
{
	int rc = 0;
	for (struct partial *p; (p = u->pool) != NULL;) {
		u->pool = p->next;
		if (rc >= 0)
			rc = run_join_all(u, p);
		partial_free(u, p);
	}
	if (rc < 0 || u->sum)
		return rc < 0 ? rc : run_report(u);
	/* Nothing was fed: figures of nothing, or a series of no intervals, whose tables are there
	 * all the same. */
	result_note(u->res, u->unknown  ? "which instructions ran takes the program (--image)"
	                    : u->select ? analysis_none
	                                : "there are no instructions");
	u->sum = run_part_new(u);
	rc = u->sum ? run_report(u) : CAIRN_E_NOMEM;
	if (u->opts->every)
		result_no_rows(u->res);
	return rc;
}

static int run_prepare(struct cairn_reader *r, struct analysis_job *job,
                       const struct cairn_select *select, struct run *u)
{
	*u = (struct run){.c = r->c,
	                  .kind = &job->kind,
	                  .opts = &job->opts,
	                  .user = job->user,
	                  .select = select,
	                  .res = result_new(r->c, job->opts.table),
	                  .unknown = model_lacks_program(r),
	                  .pooled = job->kind.order == ANALYSIS_COMMUTATIVE && !job->opts.every};
	job->res = u->res;
	pthread_mutex_init(&u->lock, NULL);
	return u->res ? 0 : CAIRN_E_NOMEM;
}

static void clean_up(struct run *u)
{
	for (struct partial *p; (p = u->pool) != NULL;) {
		u->pool = p->next;
		partial_free(u, p);
	}
	run_part_free(u, u->sum);
	pthread_mutex_destroy(&u->lock);
}

int analysis_run(struct cairn_reader *r, struct analysis_job *jobs, unsigned n,
                 struct cairn_checking *checking)
{
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = all_begin,
	                            .feed = all_feed,
	                            .fold = all_fold,
	                            .drop = all_drop};
	const struct cairn_select *select = jobs[0].opts.select;
	struct all *u = base_alloc(r->c, sizeof *u + n * sizeof *u->run);
	uint64_t first = 1, last = UINT64_MAX;
	uint32_t want = 0;
	int rc = 0;
	if (!u)
		return CAIRN_E_NOMEM;
	u->c = r->c;
	select = select && !cairn_select_all(select) ? select : NULL;
	for (; u->n < n; u->n++) {
		int ready = run_prepare(r, &jobs[u->n], select, &u->run[u->n]);
		rc = rc < 0 ? rc : ready;
		u->run[u->n].in_steps = n == 1 && !checking && jobs[0].opts.every;
		want |= jobs[u->n].kind.parts;
		if (joins_early(&u->run[u->n])) {
			red.held = all_held;
			red.flush = all_flush;
		}
	}
	if (select)
		cairn_select_bounds(select, &first, &last);
	if (select)
		model_bound(r, select);
	cairn_reader_want(r, want | (select ? cairn_select_parts(select) : 0));
	if (rc >= 0)
		rc = checking ? check_feeding(checking, r, &red, u, first, last)
		              : cairn_run(r, &red, u, last, jobs[0].opts.threads);
	for (unsigned i = 0; i < n && rc >= 0; i++)
		rc = analysis_run_finish(&u->run[i]);
	char note[160];
	for (size_t k = 0; rc >= 0 && select && cairn_select_note(select, k, note, sizeof note); k++)
		result_note(jobs[0].res, "%s", note);
	for (unsigned i = 0; i < n; i++) {
		clean_up(&u->run[i]);
		if (rc < 0) {
			cairn_result_free(jobs[i].res);
			jobs[i].res = NULL;
		}
	}
	base_free(r->c, u);
	return rc;
}

int analysis_job(struct cairn_reader *r, const struct cairn_analysis_opts *given,
                 const struct analysis_kind *kind, size_t user, void (*done)(void *user),
                 struct analysis_job *job)
{
	*job = (struct analysis_job){.kind = *kind};
	int rc = analysis_opts(r, given, &job->opts);
	if (rc < 0)
		return rc;
	job->user = base_alloc(r->c, user);
	job->done = job->user ? done : NULL;
	return job->user ? 0 : CAIRN_E_NOMEM;
}

void analysis_done(struct analysis_job *job)
{
	if (job->done)
		job->done(job->user);
	*job = (struct analysis_job){.res = NULL};
}

int analysis_do(struct cairn_reader *r, struct analysis_job *job, int rc, struct cairn_result **res)
{
	if (rc >= 0)
		rc = analysis_run(r, job, 1, NULL);
	*res = rc < 0 ? NULL : job->res;
	analysis_done(job);
	return rc;
}

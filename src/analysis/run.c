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
 * An analysis that depends on the order would have to hold what it extracted from a whole span,
 * which may be the whole file. So its parts are joined early, while all spans before theirs have
 * been folded.
 *
 * Several analyses run side by side over the same batches, each with its own partial of a
 * span.
 */
#include "analysis/run.h"

#include <pthread.h>
#include <string.h>

#include "cairn/select.h"

/* The note of a result when nothing was fed of a selection. */
static const char analysis_none[] = "no instruction is selected";

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
	struct cairn *cairn;
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

static struct base_buf *stream_of(const struct run *run, void *part)
{
	return run->kind->stream ? (void *)((char *)part + run->kind->stream) : NULL;
}

static void *run_part_new(struct run *run)
{
	char *part = base_alloc(run->cairn, run->kind->part);
	if (!part)
		return NULL;
	for (unsigned i = 0; i < run->kind->n_maps; i++)
		base_map_init((void *)(part + run->kind->maps[i].at), run->cairn, run->kind->maps[i].width);
	if (run->kind->stream)
		base_buf_init(stream_of(run, part), run->cairn);
	return part;
}

static void run_part_free(struct run *run, void *part)
{
	if (!part)
		return;
	if (run->kind->end)
		run->kind->end(run->user, part);
	for (unsigned i = 0; i < run->kind->n_maps; i++)
		base_map_free((void *)((char *)part + run->kind->maps[i].at));
	if (run->kind->stream)
		base_buf_free(stream_of(run, part));
	base_free(run->cairn, part);
}

static void partial_free(struct run *run, struct partial *partial)
{
	for (size_t i = 0; i < partial->n; i++)
		run_part_free(run, partial->pieces[i].part);
	base_free(run->cairn, partial->pieces);
	base_free(run->cairn, partial);
}

/* The piece of an interval, which is the last one or a new one. */
static struct piece *piece_of(struct run *run, struct partial *partial, uint64_t interval)
{
	if (partial->n && partial->pieces[partial->n - 1].interval == interval)
		return &partial->pieces[partial->n - 1];
	if (base_grow(run->cairn, &partial->pieces, &partial->cap, partial->n, sizeof(struct piece),
	              4) < 0)
		return NULL;
	void *part = run_part_new(run);
	if (!part)
		return NULL;
	partial->pieces[partial->n] = (struct piece){.interval = interval, .part = part};
	return &partial->pieces[partial->n++];
}

/* ---- the reducer ---- */

static int run_begin(void *user, void **partial)
{
	struct run *run = user;
	struct partial *p = NULL;
	if (run->pooled) {
		pthread_mutex_lock(&run->lock);
		p = run->pool;
		run->pool = p ? p->next : NULL;
		pthread_mutex_unlock(&run->lock);
	}
	*partial = p ? p : base_alloc(run->cairn, sizeof *p);
	return *partial ? 0 : CAIRN_E_NOMEM;
}

static int analysis_run_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct run *run = user;
	struct partial *p = partial;
	uint64_t every = run->opts->every;
	struct analysis_rows rows = {.batch = batch, .from = p->from};
	size_t most = run->in_steps ? p->n + PIECES_AT_ONCE : SIZE_MAX;
	if (run->select && batch->n_insns) {
		if (!rows.from && !cairn_select_batch(run->select, batch, p->keep))
			return 0;
		rows.keep = p->keep;
	}
	p->from = 0;
	while (rows.from < batch->n_insns) {
		if (p->n >= most) {
			p->from = rows.from;
			return MODEL_FEED_AGAIN;
		}
		uint64_t n = batch->n0 + rows.from - 1, interval = every ? n / every : 0;
		uint64_t left = every ? every - n % every : UINT64_MAX;
		rows.to = left < batch->n_insns - rows.from ? rows.from + (uint32_t)left : batch->n_insns;
		struct piece *piece = piece_of(run, p, interval);
		int rc = piece ? run->kind->feed(run->user, piece->part, &rows) : CAIRN_E_NOMEM;
		if (rc < 0)
			return rc;
		piece->last = batch->n0 + rows.to - 1;
		rows.from = rows.to;
	}
	return 0;
}

/* Put what the sum says into the result. */
static int run_rows(struct run *run)
{
	uint64_t every = run->opts->every;
	if (every)
		result_interval(run->res, run->interval * every + 1, run->last);
	int rc = run->kind->report(run->user, run->sum, run->res);
	run_part_free(run, run->sum);
	run->sum = NULL;
	return rc < 0 ? rc : result_status(run->res);
}

/* The interval that is open is complete. */
static int run_report(struct run *run)
{
	if (!run->sum)
		return 0;
	int rc = run_rows(run);
	if (rc >= 0 && run->opts->every && run->opts->interval) {
		rc = run->opts->interval(run->opts->user, run->res);
		if (rc > 0)
			result_forget(run->res);
	}
	return rc < 0 ? rc : 0;
}

static int run_join_all(struct run *run, struct partial *partial)
{
	int rc = 0;
	for (size_t i = 0; i < partial->n && rc >= 0; i++) {
		if (run->sum && run->interval != partial->pieces[i].interval)
			rc = run_report(run);
		run->interval = partial->pieces[i].interval;
		if (rc >= 0 && !run->sum) {
			run->sum = run_part_new(run);
			rc = run->sum ? 0 : CAIRN_E_NOMEM;
		}
		if (rc >= 0)
			rc = run->kind->join(run->user, run->sum, partial->pieces[i].part);
		run->last = partial->pieces[i].last;
	}
	return rc;
}

static int run_fold(void *user, void *partial)
{
	struct run *run = user;
	struct partial *p = partial;
	if (run->pooled) {
		pthread_mutex_lock(&run->lock);
		p->next = run->pool;
		run->pool = p;
		pthread_mutex_unlock(&run->lock);
		return 0;
	}
	int rc = run_join_all(run, p);
	partial_free(run, p);
	return rc;
}

static void run_drop(void *user, void *partial)
{
	partial_free(user, partial);
}

/* A part costs something however little it was fed: an interval may be a single instruction. */
static size_t run_held(void *user, const void *partial)
{
	const struct run *run = user;
	const struct partial *p = partial;
	size_t n = p->n > 1 ? p->n * PIECE_BYTES : 0;
	for (size_t i = 0; i < p->n && (run->kind->held || run->kind->stream); i++)
		n += run->kind->held ? run->kind->held(p->pieces[i].part)
		                     : stream_of(run, p->pieces[i].part)->len;
	return n;
}

static int run_flush(void *user, void *partial)
{
	struct run *run = user;
	struct partial *p = partial;
	if (run_held(user, partial) < JOIN_BYTES)
		return 0;
	int rc = run_join_all(run, p);
	for (size_t i = 0; i < p->n; i++)
		run_part_free(run, p->pieces[i].part);
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
	struct cairn *cairn;
	unsigned n;
	struct run run[];
};

static void all_drop(void *user, void *partial)
{
	struct all *all = user;
	void **each = partial;
	for (unsigned i = 0; i < all->n; i++)
		if (each[i])
			run_drop(&all->run[i], each[i]);
	base_free(all->cairn, each);
}

static int all_begin(void *user, void **partial)
{
	struct all *all = user;
	void **each = base_alloc(all->cairn, all->n * sizeof *each);
	int rc = each ? 0 : CAIRN_E_NOMEM;
	for (unsigned i = 0; i < all->n && rc >= 0; i++)
		rc = run_begin(&all->run[i], &each[i]);
	if (rc < 0 && each)
		all_drop(all, each);
	*partial = rc < 0 ? NULL : each;
	return rc;
}

static int all_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct all *all = user;
	void **each = partial;
	int rc = 0;
	for (unsigned i = 0; i < all->n && rc >= 0; i++)
		rc = analysis_run_feed(&all->run[i], each[i], batch);
	return rc;
}

static int all_fold(void *user, void *partial)
{
	struct all *all = user;
	void **each = partial;
	int rc = 0;
	for (unsigned i = 0; i < all->n; i++) {
		if (rc >= 0)
			rc = run_fold(&all->run[i], each[i]);
		else
			run_drop(&all->run[i], each[i]);
	}
	base_free(all->cairn, each);
	return rc;
}

static size_t all_held(void *user, const void *partial)
{
	struct all *all = user;
	void *const *each = partial;
	size_t n = 0;
	for (unsigned i = 0; i < all->n; i++)
		n += joins_early(&all->run[i]) ? run_held(&all->run[i], each[i]) : 0;
	return n;
}

static int all_flush(void *user, void *partial)
{
	struct all *all = user;
	void **each = partial;
	int rc = 0;
	for (unsigned i = 0; i < all->n && rc >= 0; i++)
		if (joins_early(&all->run[i]))
			rc = run_flush(&all->run[i], each[i]);
	return rc;
}

/* ---- all of it ---- */

int analysis_refuse_xacts(const struct cairn_reader *reader)
{
	return cairn_reader_can(reader) & CAIRN_XACTS
	           ? base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
	                       "a trace of transactions has no instructions to analyse")
	           : 0;
}

int analysis_opts(struct cairn_reader *reader, const struct cairn_analysis_opts *given,
                  struct cairn_analysis_opts *own)
{
	*own = (struct cairn_analysis_opts){.size = sizeof *own};
	int rc = base_options(reader->cairn, own, sizeof *own, given, "analysis options");
	if (rc < 0)
		return rc;
	own->threads = own->threads ? own->threads : 1;
	return analysis_refuse_xacts(reader);
}

static int analysis_run_finish(struct run *run)
{
	int rc = 0;
	for (struct partial *partial; (partial = run->pool) != NULL;) {
		run->pool = partial->next;
		if (rc >= 0)
			rc = run_join_all(run, partial);
		partial_free(run, partial);
	}
	if (rc < 0 || run->sum)
		return rc < 0 ? rc : run_report(run);
	/* Nothing was fed: figures of nothing, or a series of no intervals, whose tables are there
	 * all the same. */
	result_note(run->res, run->unknown  ? "which instructions ran takes the program (--image)"
	                      : run->select ? analysis_none
	                                    : "there are no instructions");
	run->sum = run_part_new(run);
	rc = run->sum ? run_rows(run) : CAIRN_E_NOMEM;
	if (run->opts->every)
		result_no_rows(run->res);
	return rc;
}

int cairn_result_is_of_none(const struct cairn_result *res)
{
	const char *note = cairn_result_note(res, 0);
	return note && !strcmp(note, analysis_none);
}

/* A table that is asked for and there is not: what is reported of nothing has the same tables, so
 * that is known before the trace is read. */
static int run_asked(const struct run *all)
{
	struct run run = *all;
	if (!run.opts->table)
		return 0;
	run.res = result_new(run.cairn, run.opts->table);
	run.sum = run.res ? run_part_new(&run) : NULL;
	int rc = run.sum ? run.kind->report(run.user, run.sum, run.res) : CAIRN_E_NOMEM;
	run_part_free(&run, run.sum);
	if (rc >= 0 && cairn_result_table(run.res, 0)) /* a report may make no tables at all */
		rc = result_asked(run.res, run.opts->table);
	cairn_result_free(run.res);
	return rc;
}

/* Can reading stop before the end of the trace? Then spans that other threads have begun are dropped. A
 * part from the pool also holds what earlier spans counted, and that would be lost with it. */
static bool run_may_end_early(const struct cairn_reader *reader, const struct cairn_select *select)
{
	uint64_t first, last = UINT64_MAX;
	if (select)
		cairn_select_bounds(select, &first, &last);
	return reader->strict || last != UINT64_MAX || (select && cairn_select_needs_records(select));
}

static int run_prepare(struct cairn_reader *reader, struct analysis_job *job,
                       const struct cairn_select *select, struct run *run)
{
	*run = (struct run){.cairn = reader->cairn,
	                    .kind = &job->kind,
	                    .opts = &job->opts,
	                    .user = job->user,
	                    .select = select,
	                    .res = result_new(reader->cairn, job->opts.table),
	                    .unknown = cairn_reader_lacks_program(reader),
	                    .pooled = job->kind.order == ANALYSIS_COMMUTATIVE && !job->opts.every &&
	                              !run_may_end_early(reader, select)};
	job->res = run->res;
	pthread_mutex_init(&run->lock, NULL);
	return run->res ? run_asked(run) : CAIRN_E_NOMEM;
}

static void clean_up(struct run *run)
{
	for (struct partial *partial; (partial = run->pool) != NULL;) {
		run->pool = partial->next;
		partial_free(run, partial);
	}
	run_part_free(run, run->sum);
	pthread_mutex_destroy(&run->lock);
}

int analysis_run(struct cairn_reader *reader, struct analysis_job *jobs, unsigned n,
                 struct cairn_checking *checking)
{
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = all_begin,
	                            .feed = all_feed,
	                            .fold = all_fold,
	                            .drop = all_drop};
	const struct cairn_select *select = jobs[0].opts.select;
	struct all *all = base_alloc(reader->cairn, sizeof *all + n * sizeof *all->run);
	uint64_t first = 1, last = UINT64_MAX;
	uint32_t want = 0;
	int rc = 0;
	if (!all)
		return CAIRN_E_NOMEM;
	all->cairn = reader->cairn;
	select = select && !cairn_select_all(select) ? select : NULL;
	for (; all->n < n; all->n++) {
		int ready = run_prepare(reader, &jobs[all->n], select, &all->run[all->n]);
		rc = rc < 0 ? rc : ready;
		all->run[all->n].in_steps = n == 1 && !checking && jobs[0].opts.every;
		want |= jobs[all->n].kind.parts;
		if (joins_early(&all->run[all->n])) {
			red.held = all_held;
			red.flush = all_flush;
		}
	}
	if (select)
		cairn_select_bounds(select, &first, &last);
	if (select)
		cairn_select_bound(select, reader);
	cairn_reader_want(reader, want | (select ? cairn_select_parts(select) : 0));
	if (rc >= 0)
		rc = checking ? check_feeding(checking, reader, &red, all, first, last)
		              : cairn_run(reader, &red, all, last, jobs[0].opts.threads);
	for (unsigned i = 0; i < n && rc >= 0; i++)
		rc = analysis_run_finish(&all->run[i]);
	char note[160];
	for (size_t k = 0; rc >= 0 && select && cairn_select_note(select, k, note, sizeof note); k++)
		result_note(jobs[0].res, "%s", note);
	for (unsigned i = 0; i < n; i++) {
		clean_up(&all->run[i]);
		if (rc < 0) {
			cairn_result_free(jobs[i].res);
			jobs[i].res = NULL;
		}
	}
	base_free(reader->cairn, all);
	return rc;
}

int analysis_job(struct cairn_reader *reader, const struct cairn_analysis_opts *given,
                 const struct analysis_kind *kind, size_t user, void (*done)(void *user),
                 struct analysis_job *job)
{
	*job = (struct analysis_job){.kind = *kind};
	int rc = analysis_opts(reader, given, &job->opts);
	if (rc < 0)
		return rc;
	job->user = base_alloc(reader->cairn, user);
	job->done = job->user ? done : NULL;
	return job->user ? 0 : CAIRN_E_NOMEM;
}

void analysis_done(struct analysis_job *job)
{
	if (job->done)
		job->done(job->user);
	*job = (struct analysis_job){.res = NULL};
}

int analysis_do(struct cairn_reader *reader, struct analysis_job *job, int rc,
                struct cairn_result **res)
{
	if (rc >= 0)
		rc = analysis_run(reader, job, 1, NULL);
	*res = rc < 0 ? NULL : job->res;
	analysis_done(job);
	return rc;
}

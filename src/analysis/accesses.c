/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: what was touched, how, and how soon again.
 *
 * A part counts what it can alone: sizes, lines, strides, the reuse distance of lines it has
 * touched before, and the store that a load reads from, if the part holds that store. Lines it
 * touches for the first time, and loads of bytes it did not store, are left to join, which knows
 * everything before the part (reuse.h, touched.h and strides.h say how two parts become one).
 * Only reference caches need every access in order, so accesses are kept only for them.
 *
 * Each interval starts with zero counts, but keeps the state (caches, last touches).
 *
 * When distances are sampled, some lines stand for all. The address decides whether a line is
 * in the sample, so that all touches of it are seen (Waldspurger and others, SHARDS, 2015); no
 * distances are computed for the other lines.
 *
 * An access that spans several lines touches each of them. Only accesses of instructions are
 * counted, not those of bus masters; of prefetches and fetches only the number. Addresses are
 * virtual.
 */
#include "analysis/accesses.h"

#include <string.h>

enum {
	TOUCH_BYTES = 12, /* bytes that a part holds for each touch of a line, roughly */
	SOON = 6,
	LATER = 14
};

/* ---- parts ---- */

static void near_free(struct mem_near *near)
{
	base_map_free(&near->lines);
	base_map_free(&near->sites);
	base_map_free(&near->pages);
	reuse_free(&near->order);
	touch_free(&near->touched);
	base_buf_free(&near->pending);
	base_buf_free(&near->steps);
	base_free(near->lines.cairn, near->tally);
	base_free(near->lines.cairn, near);
}

static void near_clear(struct mem_near *near)
{
	base_map_clear(&near->lines);
	base_map_clear(&near->sites);
	base_map_clear(&near->pages);
	reuse_clear(&near->order);
	touch_clear(&near->touched);
	near->pending.len = near->steps.len = 0;
	near->counted = near->kept = 0;
}

static struct mem_near *near_take(struct mem_run *run)
{
	pthread_mutex_lock(&run->lock);
	struct mem_near *near = run->pool;
	run->pool = near ? near->next : NULL;
	pthread_mutex_unlock(&run->lock);
	if (near || !(near = base_alloc(run->cairn, sizeof *near)))
		return near;
	if (run->together && !(near->tally = base_alloc(run->cairn, sizeof *near->tally))) {
		base_free(run->cairn, near);
		return NULL;
	}
	base_map_init(&near->lines, run->cairn, LINE_WORDS + 1);
	base_map_init(&near->sites, run->cairn, STRIDE_WORDS);
	base_map_init(&near->pages, run->cairn, 0);
	reuse_init(&near->order, &near->lines, LINE_SLOT);
	touch_init(&near->touched, run->cairn);
	base_buf_init(&near->pending, run->cairn);
	base_buf_init(&near->steps, run->cairn);
	return near;
}

static void accesses_end(void *user, void *part)
{
	struct mem_run *run = user;
	struct mem_part *p = part;
	if (!p->near)
		return;
	near_clear(p->near);
	pthread_mutex_lock(&run->lock);
	p->near->next = run->pool;
	run->pool = p->near;
	pthread_mutex_unlock(&run->lock);
}

static size_t accesses_held(const void *part)
{
	const struct mem_part *p = part;
	return p->near ? (size_t)p->near->kept * TOUCH_BYTES + p->near->steps.len : 0;
}

static int accesses_feed(void *user, void *part, const struct analysis_rows *rows)
{
	struct mem_run *run = user;
	struct mem_part *p = part;
	if (!p->near && !(p->near = near_take(run)))
		return CAIRN_E_NOMEM;
	return mem_feed(run, p, rows);
}

/* ---- joining ---- */

/* A batch tells rows ahead of their turn, so they can be prefetched. */
static inline void expect(const struct base_map *map, const struct base_map *rows, size_t index)
{
	if (index + LATER >= rows->n)
		return;
	base_map_expect(map, base_map_row(rows, index + LATER)[0], 0);
	base_map_expect_row(map, base_map_row(rows, index + SOON)[0], 0);
}

static inline void add_line(uint64_t *to, const uint64_t *from)
{
	struct mem_line *line = (void *)to;
	const struct mem_line *more = (const void *)from;
	line->reads += more->reads;
	line->writes += more->writes;
	line->readers |= more->readers;
	line->writers |= more->writers;
}

/* Of a series: count the interval's lines, and those that are new to the trace. */
static int join_interval(struct mem_run *run, struct mem_part *sum, const struct base_map *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		const uint64_t *row = base_map_row(lines, i);
		size_t known = sum->lines.n;
		uint64_t *to = base_map_at(&sum->lines, row[0], 0);
		if (!to)
			return CAIRN_E_NOMEM;
		add_line(to, row + 2);
		if (sum->lines.n == known)
			continue;
		size_t pages = run->seen_pages.n;
		if (!base_map_at(&run->seen_pages, (row[0] << run->line_shift) / MEM_PAGE, 0))
			return CAIRN_E_NOMEM;
		sum->new_lines += !base_map_find(&run->lines, row[0], 0);
		sum->new_pages += run->seen_pages.n - pages;
	}
	return 0;
}

/* The lines a part touches first leave the order of the past one by one: what is left
 * behind a line was touched since, and so was what left before it. Then all come back, in
 * the order of their last touch. */
static int join_lines(struct mem_run *run, struct mem_part *sum, struct mem_near *near)
{
	uint64_t before = 0;
	for (size_t i = 0; i < near->lines.n; i++) {
		uint64_t *row = base_map_row(&near->lines, i);
		expect(&run->lines, &near->lines, i);
		uint64_t *to = base_map_at(&run->lines, row[0], 0);
		if (!to)
			return CAIRN_E_NOMEM;
		add_line(to, row + 2);
		if (!row[2 + LINE_SLOT])
			continue;
		size_t past = base_map_index(&run->lines, to);
		uint64_t distance = reuse_leave(&run->order, past);
		mem_distance(run, &sum->count, distance == REUSE_COLD ? REUSE_COLD : distance + before);
		before++;
		row[2] = past; /* its counters have been taken */
	}
	for (size_t at = 0, row; (row = reuse_next(&near->order, &at)) != SIZE_MAX;)
		if (reuse_arrive(&run->order, (size_t)base_map_row(&near->lines, row)[2]) < 0)
			return CAIRN_E_NOMEM;
	return 0;
}

static int join_touched(struct mem_run *run, struct mem_part *sum, struct mem_near *near)
{
	const struct mem_pending *ask = (const void *)near->pending.data;
	for (size_t left = near->pending.len / sizeof *ask; left; left--, ask++) {
		struct touch_answer answer;
		touch_ask(&run->touched, ask->n, ask->addr, ask->size, &answer);
		if (ask->store)
			mem_stored(&sum->count, &answer);
		if (ask->load)
			mem_loaded(&sum->count, &answer);
	}
	return touch_join(&run->touched, &near->touched);
}

static int join_sites(struct mem_part *sum, const struct base_map *sites)
{
	for (size_t i = 0; i < sites->n; i++) {
		const uint64_t *row = base_map_row(sites, i);
		struct stride_site *site = (void *)base_map_at(&sum->sites, row[0], 0);
		if (!site)
			return CAIRN_E_NOMEM;
		stride_join(site, (const void *)(row + 2));
	}
	return 0;
}

static int accesses_join(void *user, void *sum, void *part)
{
	struct mem_run *run = user;
	struct mem_part *a = sum, *b = part;
	struct mem_near *near = b->near;
	uint64_t *to = (void *)&a->count, *from = (void *)&b->count;
	for (size_t i = 0; i < sizeof a->count / sizeof *to; i++)
		to[i] += from[i];
	if (!near)
		return 0;
	int rc = run->opts->every && !run->only_reuse ? join_interval(run, a, &near->lines) : 0;
	if (rc >= 0)
		rc = join_lines(run, a, near);
	if (rc >= 0)
		rc = join_sites(a, &near->sites);
	if (rc >= 0)
		rc = join_touched(run, a, near);
	if (rc >= 0)
		rc = base_map_add(&run->pages, &near->pages);
	const struct mem_step *step = (const void *)near->steps.data;
	for (size_t left = near->steps.len / sizeof *step; left && rc >= 0; left--, step++)
		rc = mem_caches_take(run, a, step);
	return rc;
}

/* What threads have counted together. A series never does that, since it reports while others are
 * still fed. */
static int accesses_report(void *user, void *sum, struct cairn_result *res)
{
	struct mem_run *run = user;
	for (struct mem_near *near = run->together ? run->pool : NULL; near; near = near->next)
		if (tally_give_all(&run->tally, near->tally) < 0)
			return CAIRN_E_NOMEM;
	return memory_report(run, sum, res);
}

/* ---- what is asked for ---- */

static int understand(struct mem_run *run, const struct cairn_memory_opts *given)
{
	struct cairn_memory_opts opts = {.size = sizeof opts};
	int rc = base_options(run->cairn, &opts, sizeof opts, given, "memory options");
	if (rc < 0)
		return rc;
	uint64_t line = opts.line ? opts.line : 64;
	if (line & (line - 1) || line > MEM_PAGE)
		return base_fail(run->cairn, CAIRN_E_INVAL,
		                 "a line is a power of two up to %d bytes, not %llu", MEM_PAGE,
		                 (unsigned long long)line);
	if (opts.n_caches > MEM_CACHES)
		return base_fail(run->cairn, CAIRN_E_INVAL, "at most %d caches", MEM_CACHES);
	run->line_shift = (unsigned)__builtin_ctzll(line);
	run->sample = opts.no_reuse ? 0 : opts.sample ? opts.sample : 1;
	run->sampled_below = run->sample ? (UINT64_C(1) << 32) / run->sample : 0;
	run->only_reuse = opts.only_reuse && run->sample;
	run->estimate = opts.estimate && !run->only_reuse;
	if (opts.estimate && (run->sample < 2 || run->opts->every))
		return base_fail(run->cairn, CAIRN_E_INVAL,
		                 "an estimate is made from sampled lines, of the whole and "
		                 "not by intervals");
	run->together = run->sample != 1 && !run->only_reuse && !run->opts->every;
	if (run->sample > 1 << 20)
		return base_fail(run->cairn, CAIRN_E_INVAL, "one line of at most a million");
	for (unsigned i = 0; i < opts.n_caches; i++)
		if (mem_caches_add(run, &opts.caches[i]) < 0)
			return CAIRN_E_INVAL;
	return 0;
}

static void accesses_done(void *user)
{
	struct mem_run *run = user;
	for (struct mem_near *near; (near = run->pool) != NULL;) {
		run->pool = near->next;
		near_free(near);
	}
	for (size_t i = 0; i < run->cache_state.n; i++)
		base_free(run->cairn, (void *)(uintptr_t)base_map_row(&run->cache_state, i)[2]);
	base_map_free(&run->cache_state);
	base_map_free(&run->seen_pages);
	base_map_free(&run->pages);
	reuse_free(&run->order);
	base_map_free(&run->lines);
	tally_free(&run->tally);
	touch_free(&run->touched);
	pthread_mutex_destroy(&run->lock);
	base_free(run->cairn, run);
}

int memory_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               const struct cairn_memory_opts *how, struct analysis_job *job)
{
	static const struct analysis_kind kind = {
		.name = "memory",
		.order = ANALYSIS_SEQUENTIAL,
		.parts = CAIRN_PC | CAIRN_CLASS | CAIRN_CONTEXT | CAIRN_MEMS,
		.part = sizeof(struct mem_part),
		.maps = {{offsetof(struct mem_part, lines), LINE_WORDS},
	             {offsetof(struct mem_part, sites), STRIDE_WORDS}},
		.n_maps = 2,
		.feed = accesses_feed,
		.join = accesses_join,
		.report = accesses_report,
		.end = accesses_end,
		.held = accesses_held};
	struct mem_run *run;
	int rc = analysis_job(reader, opts, &kind, sizeof *run, accesses_done, job);
	if (rc < 0)
		return rc;
	run = job->user;
	run->cairn = reader->cairn;
	run->opts = &job->opts;
	run->has_accesses = cairn_reader_can(reader) & CAIRN_MEMS;
	base_map_init(&run->seen_pages, reader->cairn, 0);
	base_map_init(&run->pages, reader->cairn, 0);
	base_map_init(&run->lines, reader->cairn, LINE_WORDS + 1);
	base_map_init(&run->cache_state, reader->cairn, 1);
	reuse_init(&run->order, &run->lines, LINE_SLOT);
	touch_init(&run->touched, reader->cairn);
	tally_init(&run->tally, reader->cairn);
	pthread_mutex_init(&run->lock, NULL);
	rc = understand(run, how);
	if (run->only_reuse)
		job->kind.parts = CAIRN_MEMS;
	return rc;
}

int cairn_memory(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 const struct cairn_memory_opts *how, struct cairn_result **out)
{
	struct analysis_job job;
	return analysis_do(reader, &job, memory_job(reader, opts, how, &job), out);
}

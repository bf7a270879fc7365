/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: what was touched, how, and how soon again.
 *
 * A part does what it can by itself: sizes, lines, strides, the reuse distance of what it
 * touched before, the store a load reads from if the part has it. What it touches first,
 * and loads of bytes it did not store, wait for join, which knows all that was before
 * (reuse.h, touched.h, strides.h say how two parts become one). Only reference caches
 * need every access in order, and only for them the accesses are written down.
 *
 * With intervals the numbers begin anew, the state they come from goes on.
 *
 * Where distances are sampled, a part of the lines stands for all: whether a line is one of
 * them its address decides, so that all touches of it are seen (Waldspurger and others,
 * SHARDS, 2015), and nothing else is done for the distances of others.
 *
 * An access that spans several lines touches each of them. Counted are the accesses of
 * instructions; those of bus masters are not, and neither are prefetches and fetches
 * but for their number. Addresses are virtual.
 */
#include "analysis/accesses.h"

#include <stdio.h>
#include <string.h>

enum {
	TOUCH_BYTES = 12, /* a part holds about, for each touch of a line */
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
	base_free(near->lines.c, near->tally);
	base_free(near->lines.c, near);
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

static struct mem_near *near_take(struct mem_run *u)
{
	pthread_mutex_lock(&u->lock);
	struct mem_near *near = u->pool;
	u->pool = near ? near->next : NULL;
	pthread_mutex_unlock(&u->lock);
	if (near || !(near = base_alloc(u->c, sizeof *near)))
		return near;
	if (u->together && !(near->tally = base_alloc(u->c, sizeof *near->tally))) {
		base_free(u->c, near);
		return NULL;
	}
	base_map_init(&near->lines, u->c, LINE_WORDS + 1);
	base_map_init(&near->sites, u->c, STRIDE_WORDS);
	base_map_init(&near->pages, u->c, 0);
	reuse_init(&near->order, &near->lines, LINE_SLOT);
	touch_init(&near->touched, u->c);
	base_buf_init(&near->pending, u->c);
	base_buf_init(&near->steps, u->c);
	return near;
}

static int accesses_begin(void *user, void *part)
{
	struct mem_run *u = user;
	struct mem_part *p = part;
	base_map_init(&p->lines, u->c, LINE_WORDS);
	base_map_init(&p->sites, u->c, STRIDE_WORDS);
	return 0;
}

static void accesses_end(void *user, void *part)
{
	struct mem_run *u = user;
	struct mem_part *p = part;
	base_map_free(&p->lines);
	base_map_free(&p->sites);
	if (!p->near)
		return;
	near_clear(p->near);
	pthread_mutex_lock(&u->lock);
	p->near->next = u->pool;
	u->pool = p->near;
	pthread_mutex_unlock(&u->lock);
	p->near = NULL;
}

static size_t accesses_held(const void *part)
{
	const struct mem_part *p = part;
	return p->near ? (size_t)p->near->kept * TOUCH_BYTES + p->near->steps.len : 0;
}

static int accesses_feed(void *user, void *part, const struct analysis_rows *r)
{
	struct mem_run *u = user;
	struct mem_part *p = part;
	if (!p->near && !(p->near = near_take(u)))
		return CAIRN_E_NOMEM;
	return mem_feed(u, p, r);
}

/* ---- joining ---- */

/* Rows are known before their turn comes, too. */
static inline void expect(const struct base_map *m, const struct base_map *rows, size_t i)
{
	if (i + LATER >= rows->n)
		return;
	base_map_expect(m, base_map_row(rows, i + LATER)[0], 0);
	base_map_expect_row(m, base_map_row(rows, i + SOON)[0], 0);
}

static inline void add_line(uint64_t *to, const uint64_t *from)
{
	struct mem_line *l = (void *)to;
	const struct mem_line *more = (const void *)from;
	l->reads += more->reads;
	l->writes += more->writes;
	l->readers |= more->readers;
	l->writers |= more->writers;
}

/* Of a series: lines of the interval, and which of them are new to the trace. */
static int join_interval(struct mem_run *u, struct mem_part *sum, const struct base_map *lines)
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
		size_t pages = u->seen_pages.n;
		if (!base_map_at(&u->seen_pages, (row[0] << u->line_shift) / MEM_PAGE, 0))
			return CAIRN_E_NOMEM;
		sum->new_lines += !base_map_find(&u->lines, row[0], 0);
		sum->new_pages += u->seen_pages.n - pages;
	}
	return 0;
}

/* The lines a part touches first leave the order of the past one by one: what is left
 * behind a line was touched since, and so was what left before it. Then all come back, in
 * the order of their last touch. */
static int join_lines(struct mem_run *u, struct mem_part *sum, struct mem_near *near)
{
	uint64_t before = 0;
	for (size_t i = 0; i < near->lines.n; i++) {
		uint64_t *row = base_map_row(&near->lines, i);
		expect(&u->lines, &near->lines, i);
		uint64_t *to = base_map_at(&u->lines, row[0], 0);
		if (!to)
			return CAIRN_E_NOMEM;
		add_line(to, row + 2);
		if (!row[2 + LINE_SLOT])
			continue;
		size_t past = base_map_index(&u->lines, to);
		uint64_t distance = reuse_leave(&u->order, past);
		mem_distance(u, &sum->count, distance == REUSE_COLD ? REUSE_COLD : distance + before);
		before++;
		row[2] = past; /* its counters have been taken */
	}
	for (size_t at = 0, row; (row = reuse_next(&near->order, &at)) != SIZE_MAX;)
		if (reuse_arrive(&u->order, (size_t)base_map_row(&near->lines, row)[2]) < 0)
			return CAIRN_E_NOMEM;
	return 0;
}

static int join_touched(struct mem_run *u, struct mem_part *sum, struct mem_near *near)
{
	const struct mem_pending *ask = (const void *)near->pending.data;
	for (size_t left = near->pending.len / sizeof *ask; left; left--, ask++) {
		struct touch_answer a;
		touch_ask(&u->touched, ask->n, ask->addr, ask->size, &a);
		if (ask->store)
			mem_stored(&sum->count, &a);
		if (ask->load)
			mem_loaded(&sum->count, &a);
	}
	return touch_join(&u->touched, &near->touched);
}

static int join_sites(struct mem_part *sum, const struct base_map *sites)
{
	for (size_t i = 0; i < sites->n; i++) {
		const uint64_t *row = base_map_row(sites, i);
		struct stride_site *s = (void *)base_map_at(&sum->sites, row[0], 0);
		if (!s)
			return CAIRN_E_NOMEM;
		stride_join(s, (const void *)(row + 2));
	}
	return 0;
}

static int accesses_join(void *user, void *sum, void *part)
{
	struct mem_run *u = user;
	struct mem_part *a = sum, *b = part;
	struct mem_near *near = b->near;
	uint64_t *to = (void *)&a->count, *from = (void *)&b->count;
	for (size_t i = 0; i < sizeof a->count / sizeof *to; i++)
		to[i] += from[i];
	memset(&b->count, 0, sizeof b->count);
	if (!near)
		return 0;
	int rc = u->opts->every && !u->only_reuse ? join_interval(u, a, &near->lines) : 0;
	if (rc >= 0)
		rc = join_lines(u, a, near);
	if (rc >= 0)
		rc = join_sites(a, &near->sites);
	if (rc >= 0)
		rc = join_touched(u, a, near);
	if (rc >= 0)
		rc = base_map_add(&u->pages, &near->pages);
	const struct mem_step *step = (const void *)near->steps.data;
	for (size_t left = near->steps.len / sizeof *step; left && rc >= 0; left--, step++)
		rc = mem_caches_take(u, a, step);
	near_clear(near);
	return rc;
}

/* Nothing is fed any more: what threads have counted. */
static int accesses_report(void *user, void *sum, struct cairn_result *res)
{
	struct mem_run *u = user;
	for (struct mem_near *near = u->pool; near && u->together; near = near->next)
		if (tally_give_all(&u->tally, near->tally) < 0)
			return CAIRN_E_NOMEM;
	return memory_report(u, sum, res);
}

/* ---- what is asked for ---- */

static int understand(struct mem_run *u, const struct cairn_memory_opts *given)
{
	struct cairn_memory_opts o = {.size = sizeof o};
	if (given && given->size > sizeof o)
		return base_fail(u->c, CAIRN_E_INVAL, "options of a newer library");
	if (given)
		memcpy(&o, given, given->size);
	uint64_t line = o.line ? o.line : 64;
	if (line & (line - 1) || line > MEM_PAGE)
		return base_fail(u->c, CAIRN_E_INVAL, "a line is a power of two up to %d bytes, not %llu",
		                 MEM_PAGE, (unsigned long long)line);
	if (o.n_caches > MEM_CACHES)
		return base_fail(u->c, CAIRN_E_INVAL, "at most %d caches", MEM_CACHES);
	u->line_shift = (unsigned)__builtin_ctzll(line);
	u->sample = o.no_reuse ? 0 : o.sample ? o.sample : 1;
	u->sampled_below = u->sample ? (UINT64_C(1) << 32) / u->sample : 0;
	u->only_reuse = o.only_reuse && u->sample;
	u->estimate = o.estimate && !u->only_reuse;
	if (o.estimate && (u->sample < 2 || u->opts->every))
		return base_fail(u->c, CAIRN_E_INVAL,
		                 "an estimate is made from sampled lines, of the whole and "
		                 "not by intervals");
	u->together = u->sample != 1 && !u->only_reuse && !u->opts->every;
	if (u->sample > 1 << 20)
		return base_fail(u->c, CAIRN_E_INVAL, "one line of at most a million");
	for (unsigned i = 0; i < o.n_caches; i++)
		if (mem_caches_add(u, &o.caches[i]) < 0)
			return CAIRN_E_INVAL;
	return 0;
}

static void accesses_done(void *user)
{
	struct mem_run *u = user;
	for (struct mem_near *near; (near = u->pool) != NULL;) {
		u->pool = near->next;
		near_free(near);
	}
	for (size_t i = 0; i < u->cache_state.n; i++)
		base_free(u->c, (void *)(uintptr_t)base_map_row(&u->cache_state, i)[2]);
	base_map_free(&u->cache_state);
	base_map_free(&u->seen_pages);
	base_map_free(&u->pages);
	reuse_free(&u->order);
	base_map_free(&u->lines);
	tally_free(&u->tally);
	touch_free(&u->touched);
	pthread_mutex_destroy(&u->lock);
	base_free(u->c, u);
}

int memory_job(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
               const struct cairn_memory_opts *how, struct analysis_job *job)
{
	static const struct analysis_kind kind = {.name = "memory",
	                                          .order = ANALYSIS_SEQUENTIAL,
	                                          .parts = CAIRN_PC | CAIRN_CLASS | CAIRN_CONTEXT |
	                                                   CAIRN_MEMS,
	                                          .part = sizeof(struct mem_part),
	                                          .begin = accesses_begin,
	                                          .feed = accesses_feed,
	                                          .join = accesses_join,
	                                          .report = accesses_report,
	                                          .end = accesses_end,
	                                          .held = accesses_held};
	struct mem_run *u;
	int rc = analysis_job(r, opts, &kind, sizeof *u, accesses_done, job);
	if (rc < 0)
		return rc;
	u = job->user;
	u->c = r->c;
	u->opts = &job->opts;
	u->has_accesses = cairn_reader_can(r) & CAIRN_MEMS;
	base_map_init(&u->seen_pages, r->c, 0);
	base_map_init(&u->pages, r->c, 0);
	base_map_init(&u->lines, r->c, LINE_WORDS + 1);
	base_map_init(&u->cache_state, r->c, 1);
	reuse_init(&u->order, &u->lines, LINE_SLOT);
	touch_init(&u->touched, r->c);
	tally_init(&u->tally, r->c);
	pthread_mutex_init(&u->lock, NULL);
	rc = understand(u, how);
	if (u->only_reuse)
		job->kind.parts = CAIRN_MEMS;
	return rc;
}

int cairn_memory(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                 const struct cairn_memory_opts *how, struct cairn_result **out)
{
	struct analysis_job job;
	return analysis_do(r, &job, memory_job(r, opts, how, &job), out);
}

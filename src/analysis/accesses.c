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
	MOST_BYTES = 1 << 16, /* of an access: what lies beyond is not walked */
	TOUCH_BYTES = 12      /* a part holds about, for each touch of a line */
};

/* ---- parts ---- */

static void near_free(struct mem_near *near)
{
	base_map_free(&near->lines);
	base_map_free(&near->sites);
	reuse_free(&near->order);
	touch_free(&near->touched);
	base_buf_free(&near->pending);
	base_buf_free(&near->steps);
	base_free(near->lines.c, near);
}

static void near_clear(struct mem_near *near)
{
	base_map_clear(&near->lines);
	base_map_clear(&near->sites);
	reuse_clear(&near->order);
	touch_clear(&near->touched);
	near->pending.len = near->steps.len = 0;
}

static struct mem_near *near_take(struct mem_run *u)
{
	pthread_mutex_lock(&u->lock);
	struct mem_near *near = u->pool;
	u->pool = near ? near->next : NULL;
	pthread_mutex_unlock(&u->lock);
	if (near || !(near = base_alloc(u->c, sizeof *near)))
		return near;
	base_map_init(&near->lines, u->c, LINE_WORDS + 1);
	base_map_init(&near->sites, u->c, STRIDE_WORDS + 1);
	reuse_init(&near->order, &near->lines, LINE_SLOT);
	touch_init(&near->touched, u->c);
	base_buf_init(&near->pending, u->c);
	base_buf_init(&near->steps, u->c);
	return near;
}

static int begin(void *user, void *part)
{
	struct mem_run *u = user;
	struct mem_part *p = part;
	base_map_init(&p->lines, u->c, LINE_WORDS);
	base_map_init(&p->sites, u->c, STRIDE_WORDS);
	return 0;
}

static void end(void *user, void *part)
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

static size_t held(const void *part)
{
	const struct mem_part *p = part;
	return (p->count.reads + p->count.writes) * TOUCH_BYTES + (p->near ? p->near->steps.len : 0);
}

/* ---- feeding ---- */

static void count_access(const struct mem_run *u, struct mem_count *n, const struct cairn_mem *m)
{
	bool write = m->kind == CAIRN_MEM_WRITE;
	uint64_t size = m->size;
	*(write ? &n->writes : &n->reads) += 1;
	*(write ? &n->written_bytes : &n->read_bytes) += size;
	if (!size)
		n->no_size++;
	if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN) {
		n->no_address++;
		return;
	}
	bool power = size && !(size & (size - 1));
	unsigned at = power ? (unsigned)__builtin_ctzll(size) : MEM_SIZES - 1;
	at = at < MEM_SIZES - 1 ? at : MEM_SIZES - 1;
	bool unaligned = power && m->addr & (size - 1);
	uint64_t last = m->addr + (size ? size - 1 : 0);
	n->sizes[write][at][unaligned]++;
	n->unaligned += unaligned;
	n->cross_line += m->addr >> u->line_shift != last >> u->line_shift;
	n->cross_page += m->addr / MEM_PAGE != last / MEM_PAGE;
}

static inline bool sampled(const struct mem_run *u, uint64_t line)
{
	return u->sample == 1 ||
	       (line * UINT64_C(0x9e3779b97f4a7c15) ^ line >> 13) * UINT64_C(0xbf58476d1ce4e5b9) >> 32 <
	       (UINT64_C(1) << 32) / u->sample;
}

static inline void take_distance(const struct mem_run *u, struct mem_count *n, uint64_t distance)
{
	n->sampled++;
	if (distance == REUSE_COLD)
		n->cold++;
	else
		n->reuse[mem_bucket(distance * u->sample)]++;
}

/* The row of a line. Most instructions touch the line they touched before: `memo` is the
 * number of its row + 1. */
static inline uint64_t *line_row(struct mem_near *near, uint64_t line, uint64_t *memo)
{
	if (*memo) {
		uint64_t *row = base_map_row(&near->lines, *memo - 1);
		if (row[0] == line)
			return row + 2;
	}
	uint64_t *row = base_map_at(&near->lines, line, 0);
	*memo = row ? base_map_index(&near->lines, row) + 1 : 0;
	return row;
}

/* A line of an access. What the part touches first has its distance when it is joined. */
static inline int take_line(const struct mem_run *u, struct mem_part *p, uint64_t line, bool write,
                            uint64_t who, uint64_t *memo)
{
	struct mem_near *near = p->near;
	uint64_t *row = line_row(near, line, memo);
	if (!row)
		return CAIRN_E_NOMEM;
	struct mem_line *l = (void *)row;
	*(write ? &l->writes : &l->reads) += 1;
	*(write ? &l->writers : &l->readers) |= who;
	if (!u->sample || !sampled(u, line))
		return 0;
	uint64_t distance = reuse_touch(&near->order, *memo - 1);
	if (distance == REUSE_FAILED)
		return CAIRN_E_NOMEM;
	if (distance != REUSE_COLD)
		take_distance(u, &p->count, distance);
	return 0;
}

static void take_stored(struct mem_count *n, const struct touch_answer *a)
{
	if (a->stored == TOUCH_NEVER)
		n->not_forwarded++;
	else
		n->forward[mem_bucket(a->stored)][!a->whole]++;
}

static void take_loaded(struct mem_count *n, const struct touch_answer *a)
{
	if (a->loaded == TOUCH_NEVER)
		n->not_again++;
	else
		n->again[mem_bucket(a->loaded)]++;
}

static int take_load(struct mem_part *p, uint64_t n, uint64_t addr, uint32_t size)
{
	struct mem_near *near = p->near;
	struct touch_answer a;
	if (touch_load(&near->touched, n, addr, size, &a) < 0)
		return CAIRN_E_NOMEM;
	if (!size)
		return 0;
	/* Nothing before the part is within the window any more? */
	bool late = n - near->touched.first >= TOUCH_WINDOW;
	struct mem_pending ask = {.addr = addr, .n = n, .size = size, .store = !late && !a.knows_store,
	                          .load = !late && !a.knows_load};
	if (!ask.store)
		take_stored(&p->count, &a);
	if (!ask.load)
		take_loaded(&p->count, &a);
	return ask.store || ask.load ? base_buf_put(&near->pending, &ask, sizeof ask) : 0;
}

/* Stores into lines that are sampled count, and loads all of whose bytes are of such. */
static bool touches_sampled(const struct mem_run *u, uint64_t first, uint64_t last, bool any)
{
	for (uint64_t line = first; line <= last; line++)
		if (sampled(u, line) == any)
			return any;
	return !any;
}

/* The last line of an access; one that wraps around the address space ends in its first. */
static inline uint64_t last_line(const struct mem_run *u, const struct cairn_mem *m)
{
	uint32_t size = m->size < MOST_BYTES ? m->size : MOST_BYTES;
	uint64_t end = m->addr + (size ? size - 1 : 0);
	return (m->addr + size < m->addr ? m->addr : end) >> u->line_shift;
}

static int take_access(const struct mem_run *u, struct mem_part *p, const struct cairn_mem *m,
                       uint64_t pc, uint64_t n, uint16_t hart)
{
	struct mem_near *near = p->near;
	bool write = m->kind == CAIRN_MEM_WRITE;
	uint32_t size = m->size < MOST_BYTES ? m->size : MOST_BYTES;
	uint64_t first = m->addr >> u->line_shift, last = last_line(u, m);
	uint64_t *site = base_map_at(&near->sites, pc, 0);
	if (!site)
		return CAIRN_E_NOMEM;
	stride_take((void *)site, m->addr, size, write);
	for (uint64_t line = first; line <= last; line++)
		if (take_line(u, p, line, write, (uint64_t)1 << hart % 64, site + STRIDE_WORDS) < 0)
			return CAIRN_E_NOMEM;
	struct mem_step step = {m->addr, size, hart, write, 0};
	if (u->n_caches && base_buf_put(&near->steps, &step, sizeof step) < 0)
		return CAIRN_E_NOMEM;
	if (u->sample > 1 && !touches_sampled(u, first, last, write))
		return 0;
	return write ? touch_store(&near->touched, n, m->addr, size) : take_load(p, n, m->addr, size);
}

enum { SOON = 6, LATER = 14 };

/* Accesses are known before their turn comes, so the processor's cache can be told. */
static inline void look_ahead(const struct mem_run *u, const struct mem_near *near,
                              const struct cairn_batch *b, uint32_t k)
{
	if (k + LATER >= b->n_mems)
		return;
	uint64_t later = b->mems[k + LATER].addr, soon = b->mems[k + SOON].addr;
	base_map_expect(&near->lines, later >> u->line_shift, 0);
	base_map_expect_row(&near->lines, soon >> u->line_shift, 0);
	if (u->sample <= 1 && !u->only_reuse)
		touch_expect(&near->touched, later, soon);
}

static int feed_accesses(const struct mem_run *u, struct mem_part *p, const struct cairn_batch *b,
                         uint32_t i)
{
	const struct cairn_insn *in = &b->insns[i];
	const struct cairn_ctx *x = &b->ctxs[in->ctx];
	uint16_t hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
	bool any = false;
	for (uint32_t k = in->mem0; k < in[1].mem0; k++) {
		const struct cairn_mem *m = &b->mems[k];
		look_ahead(u, p->near, b, k);
		if (m->initiator != CAIRN_BY_INSN || m->flags & CAIRN_VALUE_NOT_WRITTEN) {
			p->count.others++;
			continue;
		}
		if (m->kind != CAIRN_MEM_READ && m->kind != CAIRN_MEM_WRITE) {
			*(m->kind == CAIRN_MEM_PREFETCH ? &p->count.prefetches
			  : m->kind == CAIRN_MEM_FETCH  ? &p->count.fetches : &p->count.others) += 1;
			continue;
		}
		any = true;
		count_access(u, &p->count, m);
		if (!(m->flags & CAIRN_VALUE_ADDR_UNKNOWN) &&
		    take_access(u, p, m, in->pc, b->n0 + i, hart) < 0)
			return CAIRN_E_NOMEM;
	}
	p->count.with_access += any;
	return 0;
}

/* Only reuse distances are wanted: accesses [k, end) without the lines that have none. */
static int feed_reuse(const struct mem_run *u, struct mem_part *p, const struct cairn_batch *b,
                      uint32_t k, uint32_t end)
{
	uint64_t memo = 0;
	for (; k < end; k++) {
		const struct cairn_mem *m = &b->mems[k];
		bool unknown = m->flags & CAIRN_VALUE_ADDR_UNKNOWN;
		if (m->initiator != CAIRN_BY_INSN || m->flags & CAIRN_VALUE_NOT_WRITTEN ||
		    (m->kind != CAIRN_MEM_READ && m->kind != CAIRN_MEM_WRITE))
			continue;
		p->count.no_address += unknown;
		if (u->sample == 1)
			look_ahead(u, p->near, b, k);
		for (uint64_t line = m->addr >> u->line_shift; line <= last_line(u, m) && !unknown; line++) {
			if (!sampled(u, line))
				continue;
			p->count.reads++; /* for held */
			if (take_line(u, p, line, false, 0, &memo) < 0)
				return CAIRN_E_NOMEM;
		}
	}
	return 0;
}

static int feed(void *user, void *part, const struct analysis_rows *r)
{
	struct mem_run *u = user;
	struct mem_part *p = part;
	const struct cairn_batch *b = r->b;
	if (!p->near && !(p->near = near_take(u)))
		return CAIRN_E_NOMEM;
	if (u->only_reuse && !r->keep)
		return feed_reuse(u, p, b, b->insns[r->from].mem0, b->insns[r->to].mem0);
	for (uint32_t i = r->from; i < r->to && u->only_reuse; i++)
		if (r->keep[i] && feed_reuse(u, p, b, b->insns[i].mem0, b->insns[i + 1].mem0) < 0)
			return CAIRN_E_NOMEM;
	if (u->only_reuse)
		return 0;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct cairn_insn *in = &b->insns[i];
		if (r->keep && !r->keep[i])
			continue;
		p->count.instructions++;
		p->count.executed += !(in->flags & CAIRN_INSN_NOT_EXECUTED);
		if (in->mem0 == in[1].mem0)
			p->count.silent += in->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE) &&
			                   !(in->flags & CAIRN_INSN_NOT_EXECUTED);
		else if (feed_accesses(u, p, b, i) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
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
		take_distance(u, &sum->count, distance == REUSE_COLD ? REUSE_COLD : distance + before);
		before++;
		row[2] = past; /* its counters have been taken */
	}
	for (size_t at = 0, row; (row = reuse_next(&near->order, &at)) != SIZE_MAX;)
		if (reuse_arrive(&u->order, base_map_row(&near->lines, row)[2]) < 0)
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
			take_stored(&sum->count, &a);
		if (ask->load)
			take_loaded(&sum->count, &a);
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

static int join(void *user, void *sum, void *part)
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
	const struct mem_step *step = (const void *)near->steps.data;
	for (size_t left = near->steps.len / sizeof *step; left && rc >= 0; left--, step++)
		rc = mem_caches_take(u, a, step);
	near_clear(near);
	return rc;
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
	u->only_reuse = o.only_reuse && u->sample;
	if (u->sample > 1 << 20)
		return base_fail(u->c, CAIRN_E_INVAL, "one line of at most a million");
	for (unsigned i = 0; i < o.n_caches; i++)
		if (mem_caches_add(u, &o.caches[i]) < 0)
			return CAIRN_E_INVAL;
	return 0;
}

static void done(void *user)
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
	reuse_free(&u->order);
	base_map_free(&u->lines);
	touch_free(&u->touched);
	pthread_mutex_destroy(&u->lock);
	base_free(u->c, u);
}

int memory_job(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
               const struct cairn_memory_opts *how, struct analysis_job *job)
{
	static const struct analysis_kind kind = {.name = "memory", .order = ANALYSIS_SEQUENTIAL,
		.parts = CAIRN_PC | CAIRN_CLASS | CAIRN_CONTEXT | CAIRN_MEMS, .part = sizeof(struct mem_part),
		.begin = begin, .feed = feed, .join = join, .report = memory_report, .end = end,
		.held = held};
	struct mem_run *u;
	int rc = analysis_job(r, opts, &kind, sizeof *u, done, job);
	if (rc < 0)
		return rc;
	u = job->user;
	u->c = r->c;
	u->opts = &job->opts;
	u->has_accesses = cairn_reader_can(r) & CAIRN_MEMS;
	base_map_init(&u->seen_pages, r->c, 0);
	base_map_init(&u->lines, r->c, LINE_WORDS + 1);
	base_map_init(&u->cache_state, r->c, 1);
	reuse_init(&u->order, &u->lines, LINE_SLOT);
	touch_init(&u->touched, r->c);
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

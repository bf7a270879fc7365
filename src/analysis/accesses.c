/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: what was touched, how, and how soon again.
 *
 * Nearly all of it depends on the order of accesses, so feeding counts sizes and
 * alignment and writes down the accesses in a compact form, and join walks those:
 * lines, strides, reuse distances, caches, and which store a load reads from. With
 * intervals the numbers begin anew, the state they come from goes on.
 *
 * An access that spans several lines touches each of them. Counted are the accesses of
 * instructions; those of bus masters are not, and neither are prefetches and fetches
 * but for their number. Addresses are virtual.
 *
 * Which store a load reads from is looked up byte by byte in the last 16384 to 32768
 * instructions: two generations of a table, the older one forgotten when the younger is
 * full of age, so that it never grows with the trace.
 */
#include "analysis/accesses.h"

#include <stdio.h>
#include <string.h>

enum {
	WHERE = 8,          /* bytes a row of the table of last touches covers */
	MOST_BYTES = 1 << 16 /* of an access: what lies beyond is not walked */
};

/* Instruction of the last store and the last load of each byte, from the generation's
 * beginning, + 1. */
struct touched {
	uint16_t store[WHERE], load[WHERE];
};
enum { TOUCHED_WORDS = sizeof(struct touched) / 8 };

/* ---- parts ---- */

static int begin(void *user, void *part)
{
	struct mem_run *u = user;
	struct mem_part *p = part;
	base_buf_init(&p->stream, u->c);
	base_map_init(&p->lines, u->c, LINE_WORDS);
	base_map_init(&p->sites, u->c, SITE_WORDS);
	return 0;
}

static void end(void *user, void *part)
{
	struct mem_part *p = part;
	(void)user;
	base_buf_free(&p->stream);
	base_map_free(&p->lines);
	base_map_free(&p->sites);
}

static size_t held(const void *part)
{
	return ((const struct mem_part *)part)->stream.len;
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

static int feed_accesses(const struct mem_run *u, struct mem_part *p, const struct cairn_batch *b,
                         uint32_t i)
{
	const struct cairn_insn *in = &b->insns[i];
	const struct cairn_ctx *x = &b->ctxs[in->ctx];
	uint16_t hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
	bool any = false;
	size_t most = (size_t)(in[1].mem0 - in->mem0) * sizeof(struct mem_step);
	if (p->stream.cap - p->stream.len < most && base_buf_reserve(&p->stream, most) < 0)
		return CAIRN_E_NOMEM;
	for (uint32_t k = in->mem0; k < in[1].mem0; k++) {
		const struct cairn_mem *m = &b->mems[k];
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
		if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN)
			continue;
		struct mem_step s = {.addr = m->addr, .pc = in->pc, .n = b->n0 + i,
			.size = m->size < MOST_BYTES ? m->size : MOST_BYTES,
			.hart = hart, .write = m->kind == CAIRN_MEM_WRITE};
		memcpy(p->stream.data + p->stream.len, &s, sizeof s);
		p->stream.len += sizeof s;
	}
	p->count.with_access += any;
	return 0;
}

static int feed(void *user, void *part, const struct analysis_rows *r)
{
	const struct mem_run *u = user;
	struct mem_part *p = part;
	const struct cairn_batch *b = r->b;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct cairn_insn *in = &b->insns[i];
		if (r->keep && !r->keep[i])
			continue;
		p->count.instructions++;
		p->count.executed += !(in->flags & CAIRN_INSN_NOT_EXECUTED);
		if (in->mem0 != in[1].mem0 && feed_accesses(u, p, b, i) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

/* ---- walking the accesses ---- */

static void learn_stride(struct mem_site *s, int64_t stride)
{
	s->repeats += s->strides && stride == s->last_stride;
	s->strides++;
	s->last_stride = stride;
	unsigned empty = MEM_STRIDES;
	for (unsigned k = 0; k < MEM_STRIDES; k++) {
		if (s->weight[k] && s->stride[k] == stride) {
			s->weight[k]++;
			return;
		}
		if (!s->weight[k])
			empty = k;
	}
	if (empty < MEM_STRIDES) {
		s->stride[empty] = stride;
		s->weight[empty] = 1;
		return;
	}
	for (unsigned k = 0; k < MEM_STRIDES; k++)
		s->weight[k]--;
}

static int take_site(struct mem_part *sum, const struct mem_step *a)
{
	struct mem_site *s = (void *)base_map_at(&sum->sites, a->pc, 0);
	if (!s)
		return CAIRN_E_NOMEM;
	if (s->reads + s->writes)
		learn_stride(s, (int64_t)(a->addr - s->last));
	s->last = a->addr;
	s->bytes += a->size;
	*(a->write ? &s->writes : &s->reads) += 1;
	return 0;
}

/* One set of ways, the most recently used first. */
static bool cache_touch(uint64_t *set, uint64_t ways, uint64_t tag)
{
	uint64_t k = 0;
	while (k < ways && set[k] != tag)
		k++;
	bool hit = k < ways;
	memmove(set + 1, set, (hit ? k : ways - 1) * sizeof *set);
	set[0] = tag;
	return hit;
}

static uint64_t *cache_of(struct mem_run *u, unsigned which, uint16_t hart)
{
	uint64_t *at = base_map_at(&u->cache_state, hart, which);
	if (at && !*at) {
		const struct mem_cache_model *c = &u->cache[which];
		*at = (uintptr_t)base_alloc(u->c, c->size / c->line * sizeof(uint64_t));
	}
	return at ? (uint64_t *)(uintptr_t)*at : NULL;
}

static int take_caches(struct mem_run *u, struct mem_part *sum, const struct mem_step *a)
{
	for (unsigned k = 0; k < u->n_caches; k++) {
		const struct mem_cache_model *c = &u->cache[k];
		uint64_t *sets = cache_of(u, k, a->hart), n = c->size / c->line / c->ways;
		if (!sets)
			return CAIRN_E_NOMEM;
		uint64_t first = a->addr / c->line, lines = (a->addr + (a->size ? a->size - 1 : 0)) / c->line
		                                            - first + 1;
		for (uint64_t i = 0; i < lines; i++) {
			uint64_t line = first + i;
			sum->probes[k][a->write]++;
			/* tags begin at 1: an empty way holds 0 */
			sum->misses[k][a->write] += !cache_touch(sets + line % n * c->ways, c->ways, line + 1);
		}
	}
	return 0;
}

static bool sampled(const struct mem_run *u, uint64_t line)
{
	return u->sample == 1 ||
	       (line * UINT64_C(0x9e3779b97f4a7c15) ^ line >> 13) * UINT64_C(0xbf58476d1ce4e5b9) >> 32 <
	       (UINT64_C(1) << 32) / u->sample;
}

static int take_line(struct mem_run *u, struct mem_part *sum, const struct mem_step *a,
                     uint64_t line)
{
	struct mem_line *l = (void *)base_map_at(&sum->lines, line, 0);
	if (!l)
		return CAIRN_E_NOMEM;
	uint64_t who = (uint64_t)1 << a->hart % 64;
	*(a->write ? &l->writes : &l->reads) += 1;
	*(a->write ? &l->writers : &l->readers) |= who;
	if (u->opts->every && l->reads + l->writes == 1) { /* new to this interval */
		size_t lines = u->seen_lines.n, pages = u->seen_pages.n;
		if (!base_map_at(&u->seen_lines, line, 0) ||
		    !base_map_at(&u->seen_pages, (line << u->line_shift) / MEM_PAGE, 0))
			return CAIRN_E_NOMEM;
		sum->new_lines += u->seen_lines.n - lines;
		sum->new_pages += u->seen_pages.n - pages;
	}
	if (!u->reuse || !sampled(u, line))
		return 0;
	uint64_t d = reuse_touch(u->reuse, line);
	sum->sampled++;
	if (d == REUSE_FAILED)
		return CAIRN_E_NOMEM;
	if (d == REUSE_COLD)
		sum->cold++;
	else
		sum->reuse[mem_bucket(d * u->sample)]++;
	return 0;
}

/* ---- which store a load reads from ---- */

static void next_generation(struct mem_run *u, uint64_t n)
{
	uint64_t epoch = n / MEM_WINDOW;
	if (epoch == u->epoch)
		return;
	struct base_map older = u->old;
	u->old = u->young;
	u->young = older;
	base_map_clear(&u->young);
	if (epoch != u->epoch + 1) /* what was young is too old as well */
		base_map_clear(&u->old);
	u->epoch = epoch;
}

/* The number of the last store (load) of a byte, 0 when it was too long ago. */
static uint64_t last_touch(const struct mem_run *u, const struct touched *young,
                           const struct touched *old, unsigned byte, bool load)
{
	uint16_t y = young ? (load ? young->load : young->store)[byte] : 0;
	uint16_t o = old ? (load ? old->load : old->store)[byte] : 0;
	if (y)
		return u->epoch * MEM_WINDOW + y - 1u;
	return o ? (u->epoch - 1) * MEM_WINDOW + o - 1u : 0;
}

struct reads_from {
	uint64_t newest, oldest; /* stores */
	uint64_t load;           /* the last load of any byte */
};

/* Bytes [from, to) of a row, read or written by instruction n. */
static int touch_row(struct mem_run *u, uint64_t row, unsigned from, unsigned to, uint64_t n,
                     bool write, struct reads_from *r)
{
	const struct touched *old = write ? NULL : (const void *)base_map_find(&u->old, row, 0);
	struct touched *young = (void *)base_map_at(&u->young, row, 0);
	if (!young)
		return CAIRN_E_NOMEM;
	uint16_t now = (uint16_t)(n % MEM_WINDOW + 1);
	for (unsigned k = from; k < to; k++) {
		if (write) {
			young->store[k] = now;
			continue;
		}
		uint64_t store = last_touch(u, young, old, k, false);
		uint64_t load = last_touch(u, young, old, k, true);
		r->newest = store > r->newest ? store : r->newest;
		r->oldest = store < r->oldest ? store : r->oldest;
		r->load = load > r->load ? load : r->load;
		young->load[k] = now;
	}
	return 0;
}

static int take_bytes(struct mem_run *u, struct mem_part *sum, const struct mem_step *a)
{
	struct reads_from r = {.oldest = UINT64_MAX};
	uint64_t at = a->addr, left = a->size;
	next_generation(u, a->n);
	while (left) {
		unsigned from = at % WHERE, n = left < WHERE - from ? (unsigned)left : WHERE - from;
		if (touch_row(u, at / WHERE, from, from + n, a->n, a->write, &r) < 0)
			return CAIRN_E_NOMEM;
		at += n;
		left -= n;
	}
	if (a->write || !a->size)
		return 0;
	if (r.newest && a->n - r.newest < MEM_WINDOW)
		sum->forward[mem_bucket(a->n - r.newest)][r.oldest != r.newest]++;
	else
		sum->not_forwarded++;
	if (r.load && a->n - r.load < MEM_WINDOW)
		sum->again[mem_bucket(a->n - r.load)]++;
	else
		sum->not_again++;
	return 0;
}

/* Accesses are known before their turn comes, so the cache can be told. */
static void look_ahead(const struct mem_run *u, const struct mem_part *sum,
                       const struct mem_step *a, size_t left)
{
	enum { SOON = 6, LATER = 14 };
	if (left <= LATER)
		return;
	uint64_t later = a[LATER].addr >> u->line_shift, soon = a[SOON].addr >> u->line_shift;
	base_map_expect(&sum->lines, later, 0);
	base_map_expect_row(&sum->lines, soon, 0);
	base_map_expect(&u->young, a[LATER].addr / WHERE, 0);
	base_map_expect_row(&u->young, a[SOON].addr / WHERE, 0);
	if (u->sample == 1) {
		reuse_expect(u->reuse, later, false);
		reuse_expect(u->reuse, soon, true);
	}
}

static int walk(struct mem_run *u, struct mem_part *sum, const struct base_buf *stream)
{
	const struct mem_step *a = (const void *)stream->data;
	int rc = 0;
	for (size_t left = stream->len / sizeof *a; left && rc >= 0; left--, a++) {
		uint64_t first = a->addr >> u->line_shift;
		uint64_t lines = ((a->addr + (a->size ? a->size - 1 : 0)) >> u->line_shift) - first + 1;
		/* An access that wraps around the address space ends there. */
		lines = a->addr + a->size < a->addr ? 1 : lines;
		look_ahead(u, sum, a, left);
		for (uint64_t k = 0; k < lines && rc >= 0; k++)
			rc = take_line(u, sum, a, first + k);
		if (rc >= 0)
			rc = take_site(sum, a);
		if (rc >= 0)
			rc = take_bytes(u, sum, a);
		if (rc >= 0 && u->n_caches)
			rc = take_caches(u, sum, a);
	}
	return rc;
}

static int join(void *user, void *sum, void *part)
{
	struct mem_part *a = sum, *b = part;
	uint64_t *to = (void *)&a->count, *from = (void *)&b->count;
	for (size_t i = 0; i < sizeof a->count / sizeof *to; i++)
		to[i] += from[i];
	memset(&b->count, 0, sizeof b->count);
	int rc = walk(user, a, &b->stream);
	b->stream.len = 0;
	return rc;
}

/* ---- what is asked for ---- */

static int check_cache(struct mem_run *u, const struct cairn_cache *c)
{
	struct mem_cache_model *m = &u->cache[u->n_caches];
	*m = (struct mem_cache_model){c->size, c->ways, c->line};
	if (!m->line || m->line & (m->line - 1) || !m->ways || m->size > (uint64_t)1 << 32 ||
	    m->ways > m->size || m->line > m->size || m->size % (m->ways * m->line) || !m->size)
		return base_fail(u->c, CAIRN_E_INVAL, "a cache of %llu bytes, %llu ways and lines of %llu bytes "
		                 "cannot be: a line is a power of two, and sets of whole lines fill it",
		                 (unsigned long long)c->size, (unsigned long long)c->ways,
		                 (unsigned long long)c->line);
	u->n_caches++;
	return 0;
}

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
	if (u->sample > 1 << 20)
		return base_fail(u->c, CAIRN_E_INVAL, "one line of at most a million");
	for (unsigned i = 0; i < o.n_caches; i++)
		if (check_cache(u, &o.caches[i]) < 0)
			return CAIRN_E_INVAL;
	if (u->sample && !(u->reuse = reuse_new(u->c)))
		return CAIRN_E_NOMEM;
	return 0;
}

int cairn_memory(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                 const struct cairn_memory_opts *how, struct cairn_result **out)
{
	static const struct analysis_kind kind = {.name = "memory", .order = ANALYSIS_SEQUENTIAL,
		.parts = CAIRN_PC | CAIRN_CLASS | CAIRN_CONTEXT | CAIRN_MEMS, .part = sizeof(struct mem_part),
		.begin = begin, .feed = feed, .join = join, .report = memory_report, .end = end,
		.held = held};
	struct cairn_analysis_opts own;
	struct mem_run u = {.c = r->c, .opts = &own,
	                    .has_accesses = cairn_reader_can(r) & CAIRN_MEMS};
	*out = NULL;
	int rc = analysis_opts(r, opts, &own);
	if (rc >= 0)
		rc = understand(&u, how);
	base_map_init(&u.seen_lines, r->c, 0);
	base_map_init(&u.seen_pages, r->c, 0);
	base_map_init(&u.young, r->c, TOUCHED_WORDS);
	base_map_init(&u.old, r->c, TOUCHED_WORDS);
	base_map_init(&u.cache_state, r->c, 1);
	if (rc >= 0)
		rc = analysis_run(r, &own, &kind, &u, out);
	for (size_t i = 0; i < u.cache_state.n; i++)
		base_free(r->c, (void *)(uintptr_t)base_map_row(&u.cache_state, i)[2]);
	base_map_free(&u.cache_state);
	base_map_free(&u.seen_lines);
	base_map_free(&u.seen_pages);
	base_map_free(&u.young);
	base_map_free(&u.old);
	reuse_free(u.reuse);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: a part looks at accesses.
 *
 * What is done for an access is little, so what matters is that the processor need not
 * guess. Accesses are gathered first, a few hundred at a time, by loops that do the same for
 * an instruction with an access and without; then each table takes all of them in turn, and
 * they are known long enough before for what a table has of them to be fetched.
 *
 * Where distances are sampled, or not wanted, nothing else depends on the order in which
 * lines are touched, and all threads count them together (tally.h).
 */
#include "analysis/accesses.h"

#include <string.h>

enum { SOON = 6, LATER = 14 };

/* ---- lines ---- */

/* The distance of a line. What the part touches first has it when it is joined. */
static inline int take_reuse(const struct mem_run *u, struct mem_part *p, const uint64_t *row)
{
	uint64_t distance = reuse_touch(&p->near->order, base_map_index(&p->near->lines, row));
	if (distance == REUSE_FAILED)
		return CAIRN_E_NOMEM;
	if (distance != REUSE_COLD)
		mem_distance(u, &p->count, distance);
	return 0;
}

static int accesses_feed_take_line(const struct mem_run *u, struct mem_part *p, uint64_t line,
                                   const struct mem_access *a)
{
	uint64_t *row = base_map_at(&p->near->lines, line, 0);
	if (!row)
		return CAIRN_E_NOMEM;
	struct mem_line *l = (void *)row;
	*(a->write ? &l->writes : &l->reads) += 1;
	*(a->write ? &l->writers : &l->readers) |= (uint64_t)1 << a->hart % MEM_HARTS;
	return u->sample && mem_sampled(u, line) ? take_reuse(u, p, row) : 0;
}

static int take_lines(const struct mem_run *u, struct mem_part *p, const struct mem_access *a,
                      size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i + LATER < n) {
			base_map_expect(&p->near->lines, a[i + LATER].addr >> u->line_shift, 0);
			base_map_expect_row(&p->near->lines, a[i + SOON].addr >> u->line_shift, 0);
		}
		uint64_t last = mem_last_line(u, &a[i]);
		for (uint64_t line = a[i].addr >> u->line_shift; line <= last; line++)
			if (accesses_feed_take_line(u, p, line, &a[i]) < 0)
				return CAIRN_E_NOMEM;
	}
	return 0;
}

/* The same where lines are counted together: only those sampled are the part's own. */
static int tally_lines(struct mem_run *u, struct mem_part *p, const struct mem_access *a, size_t n)
{
	struct tally_near *t = p->near->tally;
	t->taken += n;
	for (size_t i = 0; i < n; i++) {
		uint64_t last = mem_last_line(u, &a[i]);
		for (uint64_t line = a[i].addr >> u->line_shift; line <= last; line++) {
			if (tally_take(&u->tally, t, line, a[i].write, a[i].hart) < 0)
				return CAIRN_E_NOMEM;
			if (__builtin_expect(!mem_sampled(u, line), 1))
				continue;
			const uint64_t *row = base_map_at(&p->near->lines, line, 0);
			if (!row || take_reuse(u, p, row) < 0)
				return CAIRN_E_NOMEM;
		}
	}
	return 0;
}

/* ---- instructions, and who touched the bytes ---- */

/* The row of an instruction. Code is dense, so the low bits of its address say where it was
 * looked up last better than a hash does. */
static inline uint64_t *site_of(struct mem_near *near, uint64_t pc)
{
	uint32_t *at = &near->site_at[pc / 2 % MEM_SITES];
	uint64_t *row = *at < near->sites.n ? base_map_row(&near->sites, *at) : NULL;
	if (__builtin_expect(row && row[0] == pc, 1))
		return row + 2;
	row = base_map_at(&near->sites, pc, 0);
	*at = row ? (uint32_t)base_map_index(&near->sites, row) : 0;
	return row;
}

int mem_take_sites(struct mem_near *near, const struct mem_access *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *site = site_of(near, a[i].pc);
		if (!site)
			return CAIRN_E_NOMEM;
		stride_take((void *)site, a[i].addr, a[i].size, a[i].write, near->stretch);
	}
	return 0;
}

static int take_load(struct mem_part *p, const struct mem_access *load)
{
	struct mem_near *near = p->near;
	struct touch_answer a;
	if (touch_load(&near->touched, load->n, load->addr, load->size, &a) < 0)
		return CAIRN_E_NOMEM;
	if (!load->size)
		return 0;
	/* Nothing before the part is within the window any more? */
	bool late = load->n - near->touched.first >= TOUCH_WINDOW;
	struct mem_pending ask = {.addr = load->addr,
	                          .n = load->n,
	                          .size = load->size,
	                          .store = !late && !a.knows_store,
	                          .load = !late && !a.knows_load};
	if (!ask.store)
		mem_stored(&p->count, &a);
	if (!ask.load)
		mem_loaded(&p->count, &a);
	return ask.store || ask.load ? base_buf_put(&near->pending, &ask, sizeof ask) : 0;
}

/* Stores into lines that are sampled count, and loads all of whose bytes are of such. */
static inline bool touches_sampled(const struct mem_run *u, const struct mem_access *a)
{
	uint64_t line = a->addr >> u->line_shift, last = mem_last_line(u, a);
	for (; line < last; line++)
		if (mem_sampled(u, line) == a->write)
			return a->write;
	return line > last ? !a->write : mem_sampled(u, line);
}

static int take_touched(const struct mem_run *u, struct mem_part *p, const struct mem_access *a,
                        size_t n)
{
	struct touch_table *t = &p->near->touched;
	for (size_t i = 0; i < n; i++) {
		if (u->sample > 1 && __builtin_expect(!touches_sampled(u, &a[i]), 1))
			continue;
		if (u->sample <= 1 && i + LATER < n)
			touch_expect(t, a[i + LATER].addr, a[i + SOON].addr);
		int rc = a[i].write ? touch_store(t, a[i].n, a[i].addr, a[i].size) : take_load(p, &a[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mem_take_samples(struct mem_run *u, struct mem_part *p, const struct mem_access *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t last = mem_last_line(u, &a[i]);
		for (uint64_t line = a[i].addr >> u->line_shift; line <= last; line++)
			if (mem_sampled(u, line) && accesses_feed_take_line(u, p, line, &a[i]) < 0)
				return CAIRN_E_NOMEM;
	}
	p->near->kept += n;
	return take_touched(u, p, a, n);
}

int mem_take_steps(struct mem_run *u, struct mem_part *p, const struct mem_access *a, size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n && u->n_caches && rc >= 0; i++) {
		struct mem_step step = {a[i].addr, a[i].size, a[i].hart, a[i].write, 0};
		rc = base_buf_put(&p->near->steps, &step, sizeof step);
	}
	return rc;
}

static int take_all(void *user, struct mem_run *u, const struct mem_access *a, size_t n)
{
	struct mem_part *p = user;
	p->near->kept += n;
	int rc = mem_take_sites(p->near, a, n);
	if (rc >= 0)
		rc = p->near->tally ? tally_lines(u, p, a, n) : take_lines(u, p, a, n);
	if (rc >= 0)
		rc = take_touched(u, p, a, n);
	return rc < 0 ? rc : mem_take_steps(u, p, a, n);
}

/* ---- gathering ---- */

/* Whose the accesses are: the last instruction whose accesses begin there, 0 within those of
 * one. (Writing it for each instruction costs less than asking which has any.) */
static void accesses_feed_count_insns(struct mem_count *n, const struct analysis_rows *r,
                                      uint16_t *owner)
{
	const struct cairn_insn *in = r->b->insns;
	uint32_t first = in[r->from].mem0;
	uint64_t kept = 0, executed = 0, silent = 0;
	memset(owner, 0, (in[r->to].mem0 - first + 1u) * sizeof *owner);
	for (uint32_t i = r->from; i < r->to; i++) {
		bool keep = !r->keep || r->keep[i], ran = !(in[i].flags & CAIRN_INSN_NOT_EXECUTED);
		bool data = in[i].traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
		owner[in[i].mem0 - first] = (uint16_t)i;
		kept += keep;
		executed += keep & ran;
		silent += keep & ran & data & (in[i].mem0 == in[i + 1].mem0);
	}
	n->instructions += kept;
	n->executed += executed;
	n->silent += silent;
}

/* What is no access of an instruction. */
static void count_other(struct mem_count *n, const struct cairn_mem *m)
{
	bool other = m->initiator != CAIRN_BY_INSN || m->flags & CAIRN_VALUE_NOT_WRITTEN;
	*(other                           ? &n->others
	  : m->kind == CAIRN_MEM_PREFETCH ? &n->prefetches
	  : m->kind == CAIRN_MEM_FETCH    ? &n->fetches
	                                  : &n->others) += 1;
}

static void count_size(const struct mem_run *u, struct mem_count *n, const struct cairn_mem *m)
{
	bool write = m->kind == CAIRN_MEM_WRITE;
	uint64_t size = m->size, last = m->addr + (size ? size - 1 : 0);
	bool power = size && !(size & (size - 1)), unaligned = power && m->addr & (size - 1);
	unsigned at = power ? (unsigned)__builtin_ctzll(size) : MEM_SIZES - 1;
	at = at < MEM_SIZES - 1 ? at : MEM_SIZES - 1;
	n->sizes[write][at][unaligned]++;
	n->unaligned += unaligned;
	n->cross_line += m->addr >> u->line_shift != last >> u->line_shift;
	n->cross_page += m->addr / MEM_PAGE != last / MEM_PAGE;
}

bool mem_count_access(const struct mem_run *u, struct mem_count *n, const struct cairn_mem *m)
{
	bool write = m->kind == CAIRN_MEM_WRITE;
	uint64_t size = m->size;
	*(write ? &n->writes : &n->reads) += 1;
	*(write ? &n->written_bytes : &n->read_bytes) += size;
	if (!size)
		n->no_size++;
	if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN) {
		n->no_address++;
		return false;
	}
	/* One of eight bytes at an even address and the like, as most are, crosses nothing. */
	if (__builtin_expect(size - 1 < 16 && !(m->addr & (size - 1)) && !(size & (size - 1)), 1) &&
	    u->line_shift >= 4)
		n->sizes[write][__builtin_ctzll(size)][0]++;
	else
		count_size(u, n, m);
	return true;
}

/* Accesses [k, end) of a batch, from the place `k` on; stops when enough are gathered. */
static uint32_t accesses_feed_gather(const struct mem_run *u, struct mem_near *near,
                                     struct mem_count *count, const struct analysis_rows *r,
                                     uint32_t k, uint32_t *at, size_t *n)
{
	const struct cairn_batch *b = r->b;
	uint32_t first = b->insns[r->from].mem0, end = b->insns[r->to].mem0;
	const uint16_t *owner = near->owner;
	struct mem_access *a = near->gathered;
	uint64_t with = 0;
	for (*n = 0; k < end && *n < MEM_GATHERED; k++) {
		const struct cairn_mem *m = &b->mems[k];
		uint32_t i = owner[k - first] > *at ? owner[k - first] : *at;
		*at = i;
		if (r->keep && !r->keep[i])
			continue;
		if (__builtin_expect(!analysis_is_access(m), 0)) {
			count_other(count, m);
			continue;
		}
		with += near->counted != b->n0 + i;
		near->counted = b->n0 + i;
		if (mem_count_access(u, count, m))
			a[(*n)++] = mem_access_of(b, i, m);
	}
	count->with_access += with;
	return k;
}

int mem_gather(struct mem_run *u, struct mem_near *near, struct mem_count *n,
               const struct analysis_rows *r, mem_take_fn *take, void *user)
{
	const struct cairn_insn *in = r->b->insns;
	uint32_t k = in[r->from].mem0, end = in[r->to].mem0, at = r->from;
	accesses_feed_count_insns(n, r, near->owner);
	while (k < end) {
		size_t gathered;
		k = accesses_feed_gather(u, near, n, r, k, &at, &gathered);
		if (take(user, u, near->gathered, gathered) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

/* Only reuse distances are wanted: accesses [k, end) without the lines that have none. */
static int feed_reuse(const struct mem_run *u, struct mem_part *p, const struct cairn_batch *b,
                      uint32_t k, uint32_t end)
{
	struct base_map *lines = &p->near->lines;
	for (; k < end; k++) {
		const struct cairn_mem *m = &b->mems[k];
		bool unknown = m->flags & CAIRN_VALUE_ADDR_UNKNOWN;
		if (!analysis_is_access(m))
			continue;
		p->count.no_address += unknown;
		if (u->sample == 1 && k + LATER < b->n_mems) {
			base_map_expect(lines, b->mems[k + LATER].addr >> u->line_shift, 0);
			base_map_expect_row(lines, b->mems[k + SOON].addr >> u->line_shift, 0);
		}
		uint64_t last = analysis_last_byte(m->addr, m->size) >> u->line_shift;
		for (uint64_t line = m->addr >> u->line_shift; line <= last && !unknown; line++) {
			if (!mem_sampled(u, line))
				continue;
			p->near->kept++;
			const uint64_t *row = base_map_at(lines, line, 0);
			if (!row || take_reuse(u, p, row) < 0)
				return CAIRN_E_NOMEM;
		}
	}
	return 0;
}

/* Few traces have such harts, and then few batches name none of them. */
static void count_far(struct mem_count *n, const struct analysis_rows *r)
{
	const struct cairn_batch *b = r->b;
	bool any = false;
	for (uint32_t k = 0; k < b->n_ctxs; k++)
		any |= b->ctxs[k].known & CAIRN_CTX_HART && b->ctxs[k].hart >= MEM_HARTS;
	for (uint32_t i = r->from; i < r->to && any; i++) {
		const struct cairn_ctx *x = &b->ctxs[b->insns[i].ctx];
		n->far += x->known & CAIRN_CTX_HART && x->hart >= MEM_HARTS &&
		          b->insns[i].mem0 != b->insns[i + 1].mem0 && (!r->keep || r->keep[i]);
	}
}

int mem_feed(struct mem_run *u, struct mem_part *p, const struct analysis_rows *r)
{
	const struct cairn_batch *b = r->b;
	count_far(&p->count, r);
	if (u->only_reuse && !r->keep)
		return feed_reuse(u, p, b, b->insns[r->from].mem0, b->insns[r->to].mem0);
	for (uint32_t i = r->from; i < r->to && u->only_reuse; i++)
		if (r->keep[i] && feed_reuse(u, p, b, b->insns[i].mem0, b->insns[i + 1].mem0) < 0)
			return CAIRN_E_NOMEM;
	if (u->only_reuse)
		return 0;
	if ((u->estimate ? mem_feed_samples(u, p, r)
	                 : mem_gather(u, p->near, &p->count, r, take_all, p)) < 0)
		return CAIRN_E_NOMEM;
	if (p->near->tally && p->near->tally->taken >> (TALLY_COUNT - 1))
		return tally_give_all(&u->tally, p->near->tally);
	return 0;
}

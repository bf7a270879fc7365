/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bringing a state to a place: from the nearest place of which the index tells what
 * registers hold (and memory, where all of it is asked for), or from the trace's
 * beginning, and then slot by slot. What lies in single bytes is looked for in older and
 * older parts, in those only whose filters do not say that they never touch it, until
 * reading what memory held at a place of the index costs less.
 */
#include "analysis/state.h"
#include "cairn/index.h"
#include "model/index.h"

enum { FEW_SPANS = 4 }; /* read to recall bytes, before memory is asked for as a whole */

/* ---- where to begin ---- */

/* Does the index tell all of memory as this state understands it? */
static bool has_memory(const struct cairn_state *s, const struct cairn_reader *r)
{
	const struct cairn_index *x = cairn_reader_index(r);
	return x && index_points(x) && s->opts.memory != CAIRN_STATE_NONE &&
	       (!s->opts.big_endian || r->format->big_endian);
}

/* The span at whose beginning to begin for number `n`, -1 for the trace's beginning. What
 * is recalled later must be jumped to. */
static int64_t nearest(const struct cairn_state *s, const struct cairn_reader *r, uint64_t n,
                       uint64_t *first)
{
	const struct cairn_index *x = cairn_reader_index(r);
	struct cairn_index_span span;
	*first = 1;
	bool all = s->opts.memory == CAIRN_STATE_ALL;
	if (!x || (all && !has_memory(s, r)) ||
	    (s->opts.memory == CAIRN_STATE_NEAR && !cairn_reader_jumps(r)))
		return -1;
	int64_t i = cairn_index_find(x, n), point;
	while (i > 0 && cairn_index_span(x, (size_t)i, &span) >= 0 && cairn_reader_jumps(r) &&
	       !span.jumps)
		i--;
	if (all && i > 0)
		i = (point = index_point_before(x, (uint64_t)i)) < 0
		        ? -1
		        : (int64_t)index_point(x, (size_t)point).span;
	if (i <= 0 || cairn_index_span(x, (size_t)i, &span) < 0)
		return -1;
	*first = span.first;
	return i;
}

static int load_regs(struct cairn_state *s, const struct cairn_index *x, size_t span)
{
	size_t n = cairn_index_regs(x, span, NULL, 0);
	struct cairn_state_reg *regs = base_alloc(s->c, (n + 1) * sizeof *regs);
	int rc = regs ? 0 : CAIRN_E_NOMEM;
	if (regs)
		cairn_index_regs(x, span, regs, n);
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = regs_load(&s->regs, &regs[i]);
	base_free(s->c, regs);
	return rc;
}

/* What memory held at point `k`: the last whole one, and what changed from there. */
static int load_memory(struct cairn_state *s, const struct cairn_index *x, size_t k)
{
	size_t from = k;
	int rc = 0;
	while (!index_point(x, from).whole)
		from--;
	for (; from <= k && rc >= 0; from++) {
		struct index_point p = index_point(x, from);
		rc = index_hash(p.packed, p.n) == p.hash ? memory_unpack(&s->memory, p.packed, p.n)
		                                         : CAIRN_E_DAMAGED;
	}
	return rc;
}

static int state_go_load(struct cairn_state *s, const struct cairn_index *x, size_t span)
{
	int rc = load_regs(s, x, span);
	if (rc >= 0 && s->opts.memory == CAIRN_STATE_ALL)
		rc = load_memory(s, x, (size_t)index_point_before(x, span));
	return rc;
}

static void forget_all(struct cairn_state *s)
{
	cairn_state_clear(s);
	s->memory.closed = false;
	s->at = 0;
	s->slot = 0;
	model_batch_clear(s->batch);
	model_batch_close(s->batch, 0, 0, 0, 0);
}

static int state_go_start(struct cairn_state *s, struct cairn_reader *r, uint64_t n)
{
	uint64_t first;
	int64_t span = nearest(s, r, n, &first);
	int rc = 0;
	forget_all(s);
	if (span > 0 &&
	    (rc = state_go_load(s, cairn_reader_index(r), (size_t)span)) == CAIRN_E_DAMAGED) {
		index_distrust(r);
		return state_go_start(s, r, n); /* without its memory */
	}
	if (rc >= 0 && (first > 1 || r->started || r->skip_to || r->jumped))
		rc = cairn_seek(r, first);
	if (rc < 0)
		return rc;
	s->from = first;
	s->peeked = 0;
	s->telling.big = s->opts.big_endian || r->format->big_endian;
	s->telling.silent = r->format->silent;
	s->r = r;
	return 0;
}

/* Is going on from here as near as beginning anew? */
static bool state_go_may_go_on(const struct cairn_state *s, const struct cairn_reader *r,
                               uint64_t n)
{
	uint64_t first;
	if (s->r != r || n < s->at)
		return false;
	nearest(s, r, n, &first);
	return first <= s->at;
}

/* ---- going ---- */

static int not_there(const struct cairn_state *s, uint64_t n, const char *why)
{
	return base_fail(s->c, CAIRN_E_NOTFOUND, "%s: number %llu %s", io_name(s->r->io),
	                 (unsigned long long)n, why);
}

/* The next batch, without what lies before the place where reading began. */
static int next_batch(struct cairn_state *s)
{
	struct cairn_batch *b = s->batch;
	int rc = cairn_next(s->r, b);
	if (rc <= 0) {
		model_batch_clear(b);
		model_batch_close(b, 0, 0, 0, 0);
		s->slot = 0;
		return rc;
	}
	uint64_t before = s->from > b->n0 ? s->from - b->n0 : 0;
	s->slot = before < b->n_insns ? (uint32_t)before : b->n_insns;
	return 1;
}

/* Tell all before number `n`: the batch then holds it at s->slot. */
static int walk_to(struct cairn_state *s, uint64_t n)
{
	for (;;) {
		struct cairn_batch *b = s->batch;
		bool here = b->n_insns && n < b->n0 + b->n_insns;
		if (here && n < b->n0)
			return not_there(s, n, "is missing from the trace");
		uint32_t to = here ? (uint32_t)(n - b->n0) : b->n_insns + 1;
		int rc = cairn_state_step(s, b, s->slot, to);
		s->slot = to;
		if (rc >= 0 && !here)
			rc = next_batch(s);
		if (rc == 0 && !here)
			return not_there(s, n, "is past the end of the trace");
		if (rc < 0 || here)
			return rc;
	}
}

static int may_go(struct cairn_state *s, const struct cairn_reader *r, uint64_t n)
{
	uint32_t can = cairn_reader_can(r);
	if (n == 0)
		return base_fail(s->c, CAIRN_E_INVAL, "instructions are numbered from 1");
	if (can & CAIRN_XACTS)
		return base_fail(s->c, CAIRN_E_UNSUPPORTED,
		                 "%s: bus transactions have no state of "
		                 "registers and memory",
		                 io_name(r->io));
	if (!(can & (CAIRN_REG_VALUES | CAIRN_MEM_VALUES)))
		return base_fail(s->c, CAIRN_E_UNSUPPORTED, "%s: %s traces hold no values", io_name(r->io),
		                 r->format->name);
	return 0;
}

int cairn_state_go(struct cairn_state *s, struct cairn_reader *r, uint64_t n)
{
	int rc = may_go(s, r, n);
	if (rc >= 0 && !state_go_may_go_on(s, r, n))
		rc = state_go_start(s, r, n);
	if (rc >= 0)
		rc = walk_to(s, n);
	if (rc >= 0 && s->peeked != n)
		rc = cairn_state_peek(s, s->batch, s->slot);
	if (rc < 0) {
		s->r = NULL; /* where it is, is not known */
		return rc;
	}
	s->at = s->peeked = n;
	s->row = s->slot;
	return 0;
}

int cairn_state_go_after(struct cairn_state *s, struct cairn_reader *r, uint64_t n)
{
	int rc = cairn_state_go(s, r, n);
	if (rc >= 0)
		rc = cairn_state_step(s, s->batch, s->slot, s->slot + 1);
	if (rc < 0) {
		s->r = NULL;
		return rc;
	}
	s->slot++;
	s->at = n + 1;
	return 0;
}

const struct cairn_batch *cairn_state_batch(const struct cairn_state *s, uint32_t *row)
{
	const struct cairn_batch *b = s->batch;
	*row = s->row;
	return s->at ? b : NULL;
}

/* ---- looking further back ---- */

/* What a span tells, on its own. */
static int report_span(struct cairn_state *old, struct cairn_reader *r,
                       const struct cairn_index_span *span)
{
	uint64_t end = span->first + span->count;
	forget_all(old);
	int rc = cairn_seek(r, span->first);
	old->r = r;
	old->telling.silent = r->format->silent;
	old->from = span->first;
	while (rc >= 0 && (rc = next_batch(old)) > 0) {
		const struct cairn_batch *b = old->batch;
		uint64_t left = end > b->n0 ? end - b->n0 : 0;
		rc = cairn_state_step(old, b, old->slot,
		                      left < b->n_insns ? (uint32_t)left : b->n_insns + 1);
		if (b->n_insns && left <= b->n_insns)
			break;
	}
	return rc;
}

static int state_go_fill(struct cairn_state *s, const struct cairn_state *old,
                         const struct cairn_space *space, uint64_t addr, uint64_t size)
{
	int rc = 0;
	while (size && rc >= 0) {
		uint64_t k = 64 - addr % 64 < size ? 64 - addr % 64 : size;
		rc = memory_fill(&s->memory, space, addr, k, &old->memory);
		addr += k;
		size -= k;
	}
	return rc;
}

static bool may_tell(const struct cairn_index *x, size_t i, uint64_t addr, uint64_t size)
{
	return cairn_index_reads(x, i, addr, size) || cairn_index_writes(x, i, addr, size);
}

/* What the index tells of memory where span `i` begins is all that is older: 1; 0 when it does
 * not tell. */
static int recall_point(struct cairn_state *s, struct cairn_state *old, struct cairn_reader *r,
                        int64_t i, const struct cairn_space *space, uint64_t addr, uint64_t size)
{
	const struct cairn_index *x = cairn_reader_index(r);
	int64_t point = has_memory(s, r) ? index_point_before(x, (uint64_t)i) : -1;
	if (point < 0 || index_point(x, (size_t)point).span != (uint64_t)i)
		return 0;
	forget_all(old);
	int rc = load_memory(old, x, (size_t)point);
	if (rc == CAIRN_E_DAMAGED) {
		index_distrust(r);
		return 0;
	}
	if (rc >= 0)
		rc = state_go_fill(s, old, space, addr, size);
	return rc < 0 ? rc : 1;
}

int cairn_state_recall(struct cairn_state *s, struct cairn_reader *r, struct cairn_space space,
                       uint64_t addr, uint64_t size)
{
	const struct cairn_index *x = cairn_reader_index(r);
	int64_t i =
		x && s->from > 1 && s->opts.memory == CAIRN_STATE_NEAR ? cairn_index_find(x, s->from) : 0;
	struct cairn_state_opts opts = s->opts;
	struct cairn_state *old;
	struct cairn_index_span span;
	unsigned read = 0;
	if (i <= 0 || memory_all_set(&s->memory, &space, addr, size))
		return 0;
	int rc = cairn_state_new(s->c, &opts, &old);
	s->r = NULL; /* the reader goes elsewhere */
	while (rc >= 0 && i-- > 0 && !memory_all_set(&s->memory, &space, addr, size)) {
		if (!may_tell(x, (size_t)i, addr, size))
			continue;
		rc = ++read > FEW_SPANS ? recall_point(s, old, r, i + 1, &space, addr, size) : 0;
		if (rc)
			break;
		rc = cairn_index_span(x, (size_t)i, &span);
		if (rc >= 0)
			rc = report_span(old, r, &span);
		if (rc >= 0)
			rc = state_go_fill(s, old, &space, addr, size);
		if (old->memory.closed) /* what is older counts for none of these bytes */
			break;
	}
	cairn_state_free(old);
	return rc < 0 ? rc : 0;
}

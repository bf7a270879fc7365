/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selections: a union of regions, cut with an expression.
 *
 * Regions that are nothing but instruction numbers, by far the most common, are
 * kept apart as sorted, disjoint ranges: judging a batch by them is a binary
 * search and a memset. The others are tried row by row, and the expression only
 * looks at rows that the regions let through.
 *
 * Nothing but counters changes after setup, so judging takes no lock. What a row does not
 * know (no context yet, PC missing) matches no region that asks for it.
 */
#include <stdio.h>
#include <string.h>

#include "image/image.h"
#include "model/model.h"
#include "model/select_internal.h"

struct cairn_select {
	struct cairn *c;
	const struct cairn_image *image;
	struct base_buf ranges; /* struct select_range: number-only regions, sorted, disjoint */
	struct base_buf others; /* struct select_region: the rest, as given */
	struct expr *where;
	struct select_untold *untold; /* added to while judging, by any thread */
};

static const struct select_range *ranges(const struct cairn_select *s, size_t *n)
{
	*n = s->ranges.len / sizeof(struct select_range);
	return (const void *)s->ranges.data;
}

static const struct select_region *others(const struct cairn_select *s, size_t *n)
{
	*n = s->others.len / sizeof(struct select_region);
	return (const void *)s->others.data;
}

static bool any_region(const struct cairn_select *s)
{
	return s->ranges.len || s->others.len;
}

struct cairn_select *cairn_select_new(struct cairn *c, const struct cairn_image *image)
{
	struct cairn_select *s = base_alloc(c, sizeof *s);
	if (!s)
		return NULL;
	s->c = c;
	s->image = image;
	base_buf_init(&s->ranges, c);
	base_buf_init(&s->others, c);
	s->untold = base_alloc(c, sizeof *s->untold);
	if (!s->untold) {
		base_free(c, s);
		return NULL;
	}
	return s;
}

void cairn_select_free(struct cairn_select *s)
{
	if (!s)
		return;
	base_buf_free(&s->ranges);
	base_buf_free(&s->others);
	expr_free(s->where);
	base_free(s->c, s->untold);
	base_free(s->c, s);
}

/* Index of the first range that ends at or after `n`. */
static size_t range_reaching(const struct select_range *r, size_t count, uint64_t n)
{
	size_t lo = 0, hi = count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r[mid].last < n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Put a range where it belongs, swallowing those it overlaps or touches. */
static int select_add_range(struct cairn_select *s, struct select_range add)
{
	int rc = base_buf_reserve(&s->ranges, sizeof add);
	if (rc < 0)
		return rc;
	size_t n = s->ranges.len / sizeof add;
	struct select_range *r = (void *)s->ranges.data;
	size_t from = range_reaching(r, n, add.first - 1); /* numbers begin at 1 */
	size_t to = from;
	while (to < n && (add.last == UINT64_MAX || r[to].first <= add.last + 1)) {
		add.first = r[to].first < add.first ? r[to].first : add.first;
		add.last = r[to].last > add.last ? r[to].last : add.last;
		to++;
	}
	memmove(r + from + 1, r + to, (n - to) * sizeof *r);
	r[from] = add;
	s->ranges.len = (n - (to - from) + 1) * sizeof *r;
	return 0;
}

int cairn_select_region(struct cairn_select *s, const char *text)
{
	struct select_region r;
	int rc = select_parse_region(s->c, s->image, text, &r);
	if (rc < 0)
		return rc;
	return r.has == SELECT_HAS_INSN ? select_add_range(s, r.insn)
	                                : base_buf_put(&s->others, &r, sizeof r);
}

int cairn_select_where(struct cairn_select *s, const char *text)
{
	if (s->where)
		return base_fail(s->c, CAIRN_E_STATE, "a selection takes one expression");
	return expr_new(s->c, s->image, text, &s->where);
}

int cairn_select_all(const struct cairn_select *s)
{
	return !any_region(s) && !s->where;
}

void cairn_select_bounds(const struct cairn_select *s, uint64_t *first, uint64_t *last)
{
	size_t n, m;
	const struct select_range *r = ranges(s, &n);
	const struct select_region *o = others(s, &m);
	uint64_t lo = n ? r[0].first : UINT64_MAX, hi = n ? r[n - 1].last : 0;
	bool open = !any_region(s);
	for (size_t i = 0; i < m && !open; i++) {
		open = !(o[i].has & SELECT_HAS_INSN);
		lo = o[i].insn.first < lo ? o[i].insn.first : lo;
		hi = o[i].insn.last > hi ? o[i].insn.last : hi;
	}
	*first = open ? 1 : lo;
	*last = open ? UINT64_MAX : hi;
	if (s->where) {
		uint64_t e0 = 1, e1 = UINT64_MAX;
		expr_bounds(s->where, &e0, &e1);
		lo = e0 > *first ? e0 : *first;
		hi = e1 < *last ? e1 : *last;
		if (lo <= hi) { /* else nothing can match: any bounds will do */
			*first = lo;
			*last = hi;
		}
	}
}

void model_bound(struct cairn_reader *r, const struct cairn_select *s)
{
	size_t n, m;
	const struct select_range *a = ranges(s, &n);
	const struct select_region *o = others(s, &m);
	r->last_insn = n ? a[n - 1].last : 0;
	r->last_record = 0;
	for (size_t i = 0; i < m; i++) {
		uint64_t *last = o[i].has & SELECT_HAS_REC ? &r->last_record : &r->last_insn;
		uint64_t to = o[i].has & SELECT_HAS_REC    ? o[i].rec.last
		              : o[i].has & SELECT_HAS_INSN ? o[i].insn.last
		                                           : UINT64_MAX;
		*last = to > *last ? to : *last;
	}
}

int cairn_select_numbers(const struct cairn_select *s, size_t i, uint64_t *first, uint64_t *last)
{
	size_t n;
	const struct select_range *r = ranges(s, &n);
	if (s->others.len || s->where)
		return CAIRN_E_STATE;
	if (!n && i == 0) { /* everything */
		*first = 1;
		*last = UINT64_MAX;
		return 1;
	}
	if (i >= n)
		return 0;
	*first = r[i].first;
	*last = r[i].last;
	return 1;
}

int cairn_select_needs_context(const struct cairn_select *s)
{
	size_t n;
	const struct select_region *o = others(s, &n);
	for (size_t i = 0; i < n; i++)
		if (select_region_has_ctx(&o[i]))
			return 1;
	return s->where && s->where->context;
}

int cairn_select_needs_records(const struct cairn_select *s)
{
	size_t n;
	const struct select_region *o = others(s, &n);
	for (size_t i = 0; i < n; i++)
		if (o[i].has & SELECT_HAS_REC)
			return 1;
	return s->where && s->where->records;
}

int cairn_select_records_ok(const struct cairn_select *s)
{
	size_t n;
	const struct select_region *o = others(s, &n);
	for (size_t i = 0; i < n; i++)
		if (o[i].has & ~(uint32_t)(SELECT_HAS_INSN | SELECT_HAS_REC))
			return 0;
	return !s->where;
}

int cairn_select_only_records(const struct cairn_select *s)
{
	size_t n;
	const struct select_region *o = others(s, &n);
	for (size_t i = 0; i < n; i++)
		if (o[i].has != SELECT_HAS_REC)
			return 0;
	return !s->ranges.len && !s->where;
}

uint32_t cairn_select_parts(const struct cairn_select *s)
{
	size_t n;
	const struct select_region *o = others(s, &n);
	uint32_t parts = s->where ? s->where->parts : 0;
	for (size_t i = 0; i < n; i++) {
		parts |= o[i].has & SELECT_HAS_REC ? CAIRN_PLACES : 0;
		parts |= o[i].has & SELECT_HAS_PC ? CAIRN_PC : 0;
		parts |= select_region_has_ctx(&o[i]) ? CAIRN_CONTEXT : 0;
	}
	return parts;
}

static bool within(const struct select_range *r, uint64_t v)
{
	return v >= r->first && v <= r->last;
}

static const uint16_t ctx_fields[SELECT_CTX_COUNT] = {
	[SELECT_CTX_HART] = F_HART, [SELECT_CTX_HW_TID] = F_HW_TID, [SELECT_CTX_PID] = F_PID,
	[SELECT_CTX_TID] = F_TID,   [SELECT_CTX_ASID] = F_ASID,     [SELECT_CTX_VMID] = F_VMID};

/* Adds to `untold` the fields that decide and are not told. */
static bool ctx_matches(const struct select_region *r, const struct cairn_batch *b,
                        const struct cairn_insn *in, uint64_t *untold)
{
	bool contexts = b->have & CAIRN_CONTEXT && in->ctx < b->n_ctxs;
	for (uint32_t f = 0; f < SELECT_CTX_COUNT; f++) {
		uint32_t v;
		if (!(r->has >> SELECT_HAS_CTX >> f & 1))
			continue;
		if (!contexts || !select_ctx_value(&b->ctxs[in->ctx], (enum select_ctx_field)f, &v)) {
			*untold |= UINT64_C(1) << ctx_fields[f];
			return false;
		}
		if (v != r->ctx[f])
			return false;
	}
	return true;
}

/* Is it in what its own address space has by the name? */
static bool in_symbol(const struct select_region *region, const struct cairn_ctx *ctx, uint64_t pc)
{
	const struct cairn_symbol *sym = image_named_in(region->spaces, ctx, region->symbol);
	if (!sym)
		return false;
	return region->plus == UINT64_MAX ? pc >= sym->addr && pc <= image_symbol_last(sym)
	                                  : pc - sym->addr == region->plus;
}

static bool insn_matches(const struct select_region *r, const struct cairn_batch *b, uint32_t i,
                         uint64_t *untold)
{
	const struct cairn_insn *in = &b->insns[i];
	if (r->has & SELECT_HAS_INSN && !within(&r->insn, b->n0 + i))
		return false;
	if (r->has & SELECT_HAS_REC && !(b->have & CAIRN_PLACES && within(&r->rec, b->rec0 + in->rec)))
		return false;
	if (r->has & SELECT_HAS_PC &&
	    (!(b->have & CAIRN_PC) || in->flags & CAIRN_INSN_PC_UNKNOWN || !within(&r->pc, in->pc)))
		return false;
	if (r->spaces && !in_symbol(r, &b->ctxs[in->ctx], in->pc))
		return false;
	return !select_region_has_ctx(r) || ctx_matches(r, b, in, untold);
}

/* A transaction has a number and a place, but neither PC nor context. */
static bool xact_matches(const struct select_region *r, const struct cairn_batch *b, uint32_t i)
{
	if (r->has & ~(uint32_t)(SELECT_HAS_INSN | SELECT_HAS_REC))
		return false;
	if (r->has & SELECT_HAS_INSN && !within(&r->insn, b->x0 + i))
		return false;
	return !(r->has & SELECT_HAS_REC) ||
	       (b->have & CAIRN_PLACES && within(&r->rec, b->rec0 + b->xacts[i].rec));
}

/* Set keep of the rows n0 … n0+n-1 that lie in the number-only regions. */
static void keep_ranges(const struct cairn_select *s, uint64_t n0, uint32_t n, uint8_t *keep)
{
	size_t count;
	const struct select_range *r = ranges(s, &count);
	uint64_t end = n0 + (n - 1);
	for (size_t i = range_reaching(r, count, n0); i < count && r[i].first <= end; i++) {
		uint64_t a = r[i].first > n0 ? r[i].first : n0;
		uint64_t z = r[i].last < end ? r[i].last : end;
		memset(keep + (a - n0), 1, (size_t)(z - a + 1));
	}
}

static void keep_others(const struct cairn_select *s, const struct cairn_batch *b, uint32_t n,
                        uint8_t *keep, struct select_untold *out)
{
	size_t count;
	const struct select_region *o = others(s, &count);
	bool xacts = b->n_insns == 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t untold = 0;
		for (size_t k = 0; k < count && !keep[i]; k++)
			keep[i] = xacts ? xact_matches(&o[k], b, i) : insn_matches(&o[k], b, i, &untold);
		out->judged += !s->where; /* else those that the expression judges */
		if (untold && !keep[i])
			select_note_untold(out, untold);
	}
}

/* ---- what was asked for and is not told ---- */

void select_note_untold(struct select_untold *u, uint64_t fields)
{
	for (; fields; fields &= fields - 1)
		u->fields[__builtin_ctzll(fields)]++;
}

static void add_untold(struct select_untold *sum, const struct select_untold *u)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)u;
	for (size_t i = 0; i < sizeof *u / sizeof *to; i++)
		if (from[i])
			__atomic_fetch_add(&to[i], from[i], __ATOMIC_RELAXED);
}

/* The i-th of what was not told: 1; 0 past the last. */
static int untold(const struct cairn_select *s, size_t i, const char **what, uint64_t *rows,
                  uint64_t *judged)
{
	static const struct {
		uint16_t id;
		const char *what;
	} words[] = {{F_PRIV, "privilege modes"},
	             {F_SECURITY, "security states"},
	             {F_HART, "numbers of cpus"},
	             {F_HW_TID, "hardware threads"},
	             {F_PID, "process ids"},
	             {F_TID, "thread ids"},
	             {F_ASID, "address space ids"},
	             {F_VMID, "virtual machine ids"},
	             {F_CTXID, "context ids"},
	             {F_PC, "addresses of instructions"},
	             {F_ENC, "encodings"},
	             {F_ISA, "instruction sets"},
	             {F_CLASS, "classes of instructions"},
	             {F_TRAIT, "classes of instructions"},
	             {F_TARGET, "targets of branches"},
	             {F_TAKEN, "outcomes of branches"},
	             {F_RECORD, "places of records"},
	             {F_OFFSET, "places of records"},
	             {F_ADDR, "addresses of accesses"},
	             {F_PA, "physical addresses"},
	             {F_MVALUE, "values of accesses"},
	             {F_RVALUE, "values of registers"}};
	const struct select_untold *u = s->untold;
	uint32_t parts = s->where ? s->where->parts : 0;
	size_t n = 0;
	*judged = u->judged;
	*rows = u->judged;
	*what = "registers";
	if (parts & CAIRN_REGS && u->judged && !u->with_regs && n++ == i)
		return 1;
	*what = "accesses to memory";
	if (parts & CAIRN_MEMS && u->accessing && !u->with_mems && n++ == i)
		return 1;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		*what = words[k].what;
		*rows = u->fields[words[k].id];
		if (*rows && n++ == i)
			return 1;
	}
	return 0;
}

int cairn_select_note(const struct cairn_select *s, size_t i, char *text, size_t size)
{
	const char *what;
	uint64_t rows, judged;
	if (!untold(s, i, &what, &rows, &judged))
		return 0;
	if (rows >= judged)
		snprintf(text, size, "the trace tells no %s here, and what is selected depends on them",
		         what);
	else
		snprintf(text, size,
		         "%s, on which the selection depends, are not told for %llu of %llu "
		         "instructions",
		         what, (unsigned long long)rows, (unsigned long long)judged);
	return 1;
}

/* ---- judging ---- */

uint32_t cairn_select_batch(const struct cairn_select *s, const struct cairn_batch *b,
                            uint8_t *keep)
{
	uint32_t n = b->n_insns ? b->n_insns : b->n_xacts, kept = 0;
	if (n == 0)
		return 0;
	memset(keep, !any_region(s), n);
	if (cairn_select_all(s))
		return n;
	keep_ranges(s, b->n_insns ? b->n0 : b->x0, n, keep);
	struct select_untold now = {0};
	if (s->others.len)
		keep_others(s, b, n, keep, &now);
	if (s->where)
		expr_filter(s->where, b, keep, &now);
	if (s->others.len || s->where)
		add_untold(s->untold, &now);
	for (uint32_t i = 0; i < n; i++)
		kept += keep[i];
	return kept;
}

int cairn_select_record(const struct cairn_select *s, const struct cairn_record *rec)
{
	size_t n, m;
	const struct select_range *r = ranges(s, &n);
	const struct select_region *o = others(s, &m);
	if (!any_region(s))
		return 1;
	size_t i = range_reaching(r, n, rec->insn);
	if (i < n && within(&r[i], rec->insn))
		return 1;
	for (i = 0; i < m; i++) {
		if (o[i].has & ~(uint32_t)(SELECT_HAS_INSN | SELECT_HAS_REC))
			continue;
		if ((!(o[i].has & SELECT_HAS_INSN) || within(&o[i].insn, rec->insn)) &&
		    (!(o[i].has & SELECT_HAS_REC) || within(&o[i].rec, rec->number)))
			return 1;
	}
	return 0;
}

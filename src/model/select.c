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
	struct cairn *cairn;
	const struct cairn_image *image;
	struct base_buf ranges; /* struct select_range: number-only regions, sorted, disjoint */
	struct base_buf others; /* struct select_region: the rest, as given */
	struct expr *where;
	struct select_untold *untold; /* added to while judging, by any thread */
};

static const struct select_range *ranges(const struct cairn_select *select, size_t *n)
{
	*n = select->ranges.len / sizeof(struct select_range);
	return (const void *)select->ranges.data;
}

static const struct select_region *others(const struct cairn_select *select, size_t *n)
{
	*n = select->others.len / sizeof(struct select_region);
	return (const void *)select->others.data;
}

static bool any_region(const struct cairn_select *select)
{
	return select->ranges.len || select->others.len;
}

struct cairn_select *cairn_select_new(struct cairn *cairn, const struct cairn_image *image)
{
	struct cairn_select *select = base_alloc(cairn, sizeof *select);
	if (!select)
		return NULL;
	select->cairn = cairn;
	select->image = image;
	base_buf_init(&select->ranges, cairn);
	base_buf_init(&select->others, cairn);
	select->untold = base_alloc(cairn, sizeof *select->untold);
	if (!select->untold) {
		base_free(cairn, select);
		return NULL;
	}
	return select;
}

void cairn_select_free(struct cairn_select *select)
{
	if (!select)
		return;
	base_buf_free(&select->ranges);
	base_buf_free(&select->others);
	expr_free(select->where);
	base_free(select->cairn, select->untold);
	base_free(select->cairn, select);
}

/* Index of the first range that ends at or after `n`. */
static size_t range_reaching(const struct select_range *range, size_t count, uint64_t n)
{
	size_t lo = 0, hi = count;
	while (lo < hi)
		base_halve(&lo, &hi, range[base_half(lo, hi)].last < n);
	return lo;
}

/* Put a range where it belongs, swallowing those it overlaps or touches. */
static int select_add_range(struct cairn_select *select, struct select_range add)
{
	int rc = base_buf_reserve(&select->ranges, sizeof add);
	if (rc < 0)
		return rc;
	size_t n = select->ranges.len / sizeof add;
	struct select_range *range = (void *)select->ranges.data;
	size_t from = range_reaching(range, n, add.first - 1); /* numbers begin at 1 */
	size_t to = from;
	while (to < n && (add.last == UINT64_MAX || range[to].first <= add.last + 1)) {
		add.first = range[to].first < add.first ? range[to].first : add.first;
		add.last = range[to].last > add.last ? range[to].last : add.last;
		to++;
	}
	memmove(range + from + 1, range + to, (n - to) * sizeof *range);
	range[from] = add;
	select->ranges.len = (n - (to - from) + 1) * sizeof *range;
	return 0;
}

int cairn_select_region(struct cairn_select *select, const char *text)
{
	struct select_region region;
	int rc = select_parse_region(select->cairn, select->image, text, &region);
	if (rc < 0)
		return rc;
	return region.has == SELECT_HAS_INSN ? select_add_range(select, region.insn)
	                                     : base_buf_put(&select->others, &region, sizeof region);
}

int cairn_select_where(struct cairn_select *select, const char *text)
{
	if (select->where)
		return base_fail(select->cairn, CAIRN_E_STATE, "a selection takes one expression");
	return expr_new(select->cairn, select->image, text, &select->where);
}

int cairn_select_all(const struct cairn_select *select)
{
	return !any_region(select) && !select->where;
}

void cairn_select_bounds(const struct cairn_select *select, uint64_t *first, uint64_t *last)
{
	size_t n, m;
	const struct select_range *range = ranges(select, &n);
	const struct select_region *region = others(select, &m);
	uint64_t lo = n ? range[0].first : UINT64_MAX, hi = n ? range[n - 1].last : 0;
	bool open = !any_region(select);
	for (size_t i = 0; i < m && !open; i++) {
		open = !(region[i].has & SELECT_HAS_INSN);
		lo = region[i].insn.first < lo ? region[i].insn.first : lo;
		hi = region[i].insn.last > hi ? region[i].insn.last : hi;
	}
	*first = open ? 1 : lo;
	*last = open ? UINT64_MAX : hi;
	if (select->where) {
		uint64_t e0 = 1, e1 = UINT64_MAX;
		expr_bounds(select->where, &e0, &e1);
		lo = e0 > *first ? e0 : *first;
		hi = e1 < *last ? e1 : *last;
		if (lo <= hi) { /* else nothing can match: any bounds will do */
			*first = lo;
			*last = hi;
		}
	}
}

void cairn_select_bound(const struct cairn_select *select, struct cairn_reader *reader)
{
	size_t n, m;
	const struct select_range *range = ranges(select, &n);
	const struct select_region *region = others(select, &m);
	reader->last_insn = n ? range[n - 1].last : 0;
	reader->last_record = 0;
	for (size_t i = 0; i < m; i++) {
		uint64_t *last = region[i].has & SELECT_HAS_REC ? &reader->last_record : &reader->last_insn;
		uint64_t to = region[i].has & SELECT_HAS_REC    ? region[i].rec.last
		              : region[i].has & SELECT_HAS_INSN ? region[i].insn.last
		                                                : UINT64_MAX;
		*last = to > *last ? to : *last;
	}
}

int cairn_select_numbers(const struct cairn_select *select, size_t index, uint64_t *first,
                         uint64_t *last)
{
	size_t n;
	const struct select_range *range = ranges(select, &n);
	if (select->others.len || select->where)
		return CAIRN_E_STATE;
	if (!n && index == 0) { /* everything */
		*first = 1;
		*last = UINT64_MAX;
		return 1;
	}
	if (index >= n)
		return 0;
	*first = range[index].first;
	*last = range[index].last;
	return 1;
}

int cairn_select_needs_context(const struct cairn_select *select)
{
	size_t n;
	const struct select_region *region = others(select, &n);
	for (size_t i = 0; i < n; i++)
		if (select_region_has_ctx(&region[i]))
			return 1;
	return select->where && select->where->context;
}

int cairn_select_needs_records(const struct cairn_select *select)
{
	size_t n;
	const struct select_region *region = others(select, &n);
	for (size_t i = 0; i < n; i++)
		if (region[i].has & SELECT_HAS_REC)
			return 1;
	return select->where && select->where->records;
}

int cairn_select_records_ok(const struct cairn_select *select)
{
	size_t n;
	const struct select_region *region = others(select, &n);
	for (size_t i = 0; i < n; i++)
		if (region[i].has & ~(uint32_t)(SELECT_HAS_INSN | SELECT_HAS_REC))
			return 0;
	return !select->where;
}

int cairn_select_only_records(const struct cairn_select *select)
{
	size_t n;
	const struct select_region *region = others(select, &n);
	for (size_t i = 0; i < n; i++)
		if (region[i].has != SELECT_HAS_REC)
			return 0;
	return !select->ranges.len && !select->where;
}

uint32_t cairn_select_parts(const struct cairn_select *select)
{
	size_t n;
	const struct select_region *region = others(select, &n);
	uint32_t parts = select->where ? select->where->parts : 0;
	for (size_t i = 0; i < n; i++) {
		parts |= region[i].has & SELECT_HAS_REC ? CAIRN_PLACES : 0;
		parts |= region[i].has & SELECT_HAS_PC ? CAIRN_PC : 0;
		parts |= select_region_has_ctx(&region[i]) ? CAIRN_CONTEXT : 0;
	}
	return parts;
}

static bool within(const struct select_range *range, uint64_t value)
{
	return value >= range->first && value <= range->last;
}

static const uint16_t ctx_fields[SELECT_CTX_COUNT] = {
	[SELECT_CTX_HART] = F_HART, [SELECT_CTX_HW_TID] = F_HW_TID, [SELECT_CTX_PID] = F_PID,
	[SELECT_CTX_TID] = F_TID,   [SELECT_CTX_ASID] = F_ASID,     [SELECT_CTX_VMID] = F_VMID};

/* Does the context match? Fields that decide and are not known are added to `untold`. */
static bool ctx_matches(const struct select_region *region, const struct cairn_batch *batch,
                        const struct cairn_insn *in, uint64_t *untold)
{
	bool contexts = batch->have & CAIRN_CONTEXT && in->ctx < batch->n_ctxs;
	for (uint32_t f = 0; f < SELECT_CTX_COUNT; f++) {
		uint32_t v;
		if (!(region->has >> SELECT_HAS_CTX >> f & 1))
			continue;
		if (!contexts || !select_ctx_value(&batch->ctxs[in->ctx], (enum select_ctx_field)f, &v)) {
			*untold |= UINT64_C(1) << ctx_fields[f];
			return false;
		}
		if (v != region->ctx[f])
			return false;
	}
	return true;
}

/* Does the instruction lie in the symbol of that name in its own address space? */
static bool in_symbol(const struct select_region *region, const struct cairn_ctx *ctx, uint64_t pc)
{
	const struct cairn_symbol *sym = image_named_in(region->spaces, ctx, region->symbol);
	if (!sym)
		return false;
	return region->plus == UINT64_MAX ? pc >= sym->addr && pc <= image_symbol_last(sym)
	                                  : pc - sym->addr == region->plus;
}

static bool insn_matches(const struct select_region *region, const struct cairn_batch *batch,
                         uint32_t index, uint64_t *untold)
{
	const struct cairn_insn *in = &batch->insns[index];
	if (region->has & SELECT_HAS_INSN && !within(&region->insn, batch->n0 + index))
		return false;
	if (region->has & SELECT_HAS_REC &&
	    !(batch->have & CAIRN_PLACES && within(&region->rec, batch->rec0 + in->rec)))
		return false;
	if (region->has & SELECT_HAS_PC &&
	    (!(batch->have & CAIRN_PC) || in->flags & CAIRN_INSN_PC_UNKNOWN ||
	     !within(&region->pc, in->pc)))
		return false;
	if (region->spaces && !in_symbol(region, &batch->ctxs[in->ctx], in->pc))
		return false;
	return !select_region_has_ctx(region) || ctx_matches(region, batch, in, untold);
}

/* A transaction has a number and a place, but neither PC nor context. */
static bool xact_matches(const struct select_region *region, const struct cairn_batch *batch,
                         uint32_t index)
{
	if (region->has & ~(uint32_t)(SELECT_HAS_INSN | SELECT_HAS_REC))
		return false;
	if (region->has & SELECT_HAS_INSN && !within(&region->insn, batch->x0 + index))
		return false;
	return !(region->has & SELECT_HAS_REC) ||
	       (batch->have & CAIRN_PLACES &&
	        within(&region->rec, batch->rec0 + batch->xacts[index].rec));
}

/* Set keep of the rows n0 … n0+n-1 that lie in the number-only regions. */
static void keep_ranges(const struct cairn_select *select, uint64_t n0, uint32_t n, uint8_t *keep)
{
	size_t count;
	const struct select_range *range = ranges(select, &count);
	uint64_t end = n0 + (n - 1);
	for (size_t i = range_reaching(range, count, n0); i < count && range[i].first <= end; i++) {
		uint64_t a = range[i].first > n0 ? range[i].first : n0;
		uint64_t z = range[i].last < end ? range[i].last : end;
		memset(keep + (a - n0), 1, (size_t)(z - a + 1));
	}
}

static void keep_others(const struct cairn_select *select, const struct cairn_batch *batch,
                        uint32_t n, uint8_t *keep, struct select_untold *out)
{
	size_t count;
	const struct select_region *region = others(select, &count);
	bool xacts = batch->n_insns == 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t untold = 0;
		for (size_t k = 0; k < count && !keep[i]; k++)
			keep[i] = xacts ? xact_matches(&region[k], batch, i)
			                : insn_matches(&region[k], batch, i, &untold);
		out->judged += !select->where; /* else those that the expression judges */
		if (untold && !keep[i])
			select_note_untold(out, untold);
	}
}

/* ---- what was asked for and is not told ---- */

void select_note_untold(struct select_untold *untold, uint64_t fields)
{
	for (; fields; fields &= fields - 1)
		untold->fields[__builtin_ctzll(fields)]++;
}

static void add_untold(struct select_untold *sum, const struct select_untold *untold)
{
	uint64_t *to = (uint64_t *)(void *)sum;
	const uint64_t *from = (const uint64_t *)(const void *)untold;
	for (size_t i = 0; i < sizeof *untold / sizeof *to; i++)
		if (from[i])
			__atomic_fetch_add(&to[i], from[i], __ATOMIC_RELAXED);
}

/* The i-th field that was not known: 1; 0 past the last. */
static int untold(const struct cairn_select *select, size_t index, const char **what,
                  uint64_t *rows, uint64_t *judged)
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
	const struct select_untold *u = select->untold;
	uint32_t parts = select->where ? select->where->parts : 0;
	size_t n = 0;
	*judged = u->judged;
	*rows = u->judged;
	*what = "registers";
	if (parts & CAIRN_REGS && u->judged && !u->with_regs && n++ == index)
		return 1;
	*what = "accesses to memory";
	if (parts & CAIRN_MEMS && u->accessing && !u->with_mems && n++ == index)
		return 1;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		*what = words[k].what;
		*rows = u->fields[words[k].id];
		if (*rows && n++ == index)
			return 1;
	}
	return 0;
}

int cairn_select_note(const struct cairn_select *select, size_t index, char *text, size_t size)
{
	const char *what;
	uint64_t rows, judged;
	if (!untold(select, index, &what, &rows, &judged))
		return 0;
	if (rows >= judged)
		snprintf(text, size, "the trace records no %s here, and the selection depends on them",
		         what);
	else
		snprintf(text, size,
		         "%s, on which the selection depends, are unknown for %llu of %llu instructions",
		         what, (unsigned long long)rows, (unsigned long long)judged);
	return 1;
}

/* ---- judging ---- */

uint32_t cairn_select_batch(const struct cairn_select *select, const struct cairn_batch *batch,
                            uint8_t *keep)
{
	uint32_t n = batch->n_insns ? batch->n_insns : batch->n_xacts, kept = 0;
	if (n == 0)
		return 0;
	memset(keep, !any_region(select), n);
	if (cairn_select_all(select))
		return n;
	keep_ranges(select, batch->n_insns ? batch->n0 : batch->x0, n, keep);
	struct select_untold now = {0};
	if (select->others.len)
		keep_others(select, batch, n, keep, &now);
	if (select->where)
		expr_filter(select->where, batch, keep, &now);
	if (select->others.len || select->where)
		add_untold(select->untold, &now);
	for (uint32_t i = 0; i < n; i++)
		kept += keep[i];
	return kept;
}

int cairn_select_record(const struct cairn_select *select, const struct cairn_record *rec)
{
	size_t n, m;
	const struct select_range *range = ranges(select, &n);
	const struct select_region *region = others(select, &m);
	if (!any_region(select))
		return 1;
	size_t i = range_reaching(range, n, rec->insn);
	if (i < n && within(&range[i], rec->insn))
		return 1;
	for (i = 0; i < m; i++) {
		if (region[i].has & ~(uint32_t)(SELECT_HAS_INSN | SELECT_HAS_REC))
			continue;
		if ((!(region[i].has & SELECT_HAS_INSN) || within(&region[i].insn, rec->insn)) &&
		    (!(region[i].has & SELECT_HAS_REC) || within(&region[i].rec, rec->number)))
			return 1;
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole trace in some hundred columns, in one pass over it.
 *
 * The length of the trace is known only at its end. So everything is counted in bins, which hold
 * 64 instructions each at first; when there are more than 1024 bins, each two become one. Every
 * part does so alone, and join brings the part with the finer bins to the bins of the other. At
 * the end some bins make a column. What is kept: for each bin the classes,
 * modes and outcomes; for each bin and function (processor, process) how many
 * instructions; for each page of data the first instruction that touched it.
 *
 * With intervals a bin is an interval, and a column.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/run.h"
#include "isa/isa.h"

enum {
	FIRST_SHIFT = 6,
	MOST_BINS = 1024,
	PAGE_SHIFT = 12,
	HOT = 8,
	MODES = 12,
	MOST_COLUMNS = 512,
	MOST_INTERVALS = 1 << 20
};

/* The counters of a bin. */
struct bin {
	uint64_t classes[CAIRN_CLASS_COUNT], modes[MODES], instructions, executed, conditional, taken,
		events;
};
enum { BIN_WORDS = sizeof(struct bin) / 8 };

struct part {
	unsigned widened;      /* how often its bins became twice as wide */
	uint64_t first, last;  /* instructions, 0 none */
	struct base_map bins;  /* bin → struct bin */
	struct base_map funcs; /* bin, symbol or code page → instructions */
	struct base_map who;   /* bin, processor or process → instructions */
	struct base_map pages; /* page → its first instruction */
};

struct run {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	unsigned columns;
	uint64_t every; /* instructions of a bin; 0: as many as their number allows */
	bool has_mems;
};

static inline uint64_t bin_of(const struct run *run, const struct part *part, uint64_t n)
{
	return run->every ? (n - 1) / run->every : (n - 1) >> (FIRST_SHIFT + part->widened);
}

/* The first instruction of a bin. */
static inline uint64_t bin_first(const struct run *run, const struct part *part, uint64_t bin)
{
	return (run->every ? bin * run->every : bin << (FIRST_SHIFT + part->widened)) + 1;
}

/* ---- bins ---- */

/* Bins become `by` doublings wider. */
static int widen_map(struct base_map *map, unsigned by)
{
	struct base_map wide;
	int rc = 0;
	base_map_init(&wide, map->cairn, map->width);
	for (size_t i = 0; i < map->n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(map, i);
		uint64_t *to = base_map_at(&wide, row[0] >> by, row[1]);
		rc = to ? 0 : CAIRN_E_NOMEM;
		for (unsigned k = 0; k < map->width && to; k++)
			to[k] += row[2 + k];
	}
	base_map_free(map);
	*map = wide;
	return rc;
}

static int overview_widen(struct part *part, unsigned by)
{
	int rc = widen_map(&part->bins, by);
	if (rc >= 0)
		rc = widen_map(&part->funcs, by);
	if (rc >= 0)
		rc = widen_map(&part->who, by);
	part->widened += by;
	return rc;
}

/* ---- feeding ---- */

/* Processors and processes share a map: what kind a key is stands on top. */
enum { IS_HART = 1, IS_PID, IS_ASID };
#define WHO(kind, number) ((uint64_t)(kind) << 56 | (number))

static int take_who(struct part *part, uint64_t bin, const struct cairn_ctx *ctx, uint64_t n)
{
	uint64_t *at;
	if (ctx->known & CAIRN_CTX_HART) {
		at = base_map_at(&part->who, bin, WHO(IS_HART, ctx->hart));
		if (!at)
			return CAIRN_E_NOMEM;
		*at += n;
	}
	if (!(ctx->known & (CAIRN_CTX_PID | CAIRN_CTX_ASID)))
		return 0;
	bool pid = ctx->known & CAIRN_CTX_PID;
	at = base_map_at(&part->who, bin, pid ? WHO(IS_PID, ctx->pid) : WHO(IS_ASID, ctx->asid));
	if (!at)
		return CAIRN_E_NOMEM;
	*at += n;
	return 0;
}

/* The pages of an instruction's accesses. */
static int overview_take_pages(struct part *part, const struct cairn_batch *batch, uint32_t index)
{
	for (uint32_t k = batch->insns[index].mem0; k < batch->insns[index + 1].mem0; k++) {
		const struct cairn_mem *mem = &batch->mems[k];
		if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN || !analysis_is_access(mem))
			continue;
		uint64_t last = analysis_last_byte(mem->addr, mem->size) >> PAGE_SHIFT,
				 n = batch->n0 + index;
		for (uint64_t page = mem->addr >> PAGE_SHIFT; page <= last; page++) {
			uint64_t *first = base_map_at(&part->pages, page, 0);
			if (!first)
				return CAIRN_E_NOMEM;
			*first = *first && *first < n ? *first : n;
		}
	}
	return 0;
}

static void take_insn(struct bin *bin, const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *in = &batch->insns[index];
	const struct cairn_ctx *ctx = &batch->ctxs[in->ctx];
	bin->instructions++;
	bin->classes[in->cls < CAIRN_CLASS_COUNT ? in->cls : CAIRN_CLASS_UNKNOWN]++;
	if (ctx->known & CAIRN_CTX_PRIV && ctx->priv < MODES)
		bin->modes[ctx->priv]++;
	for (uint32_t e = in->ev0; e < in[1].ev0; e++)
		bin->events += batch->events[e].kind >= CAIRN_EV_EXCEPTION &&
		               batch->events[e].kind <= CAIRN_EV_SYSCALL;
	if (in->flags & CAIRN_INSN_NOT_EXECUTED)
		return;
	bin->executed++;
	if (in->traits & CAIRN_TRAIT_CONDITIONAL && in->traits & CAIRN_TRAIT_BRANCH &&
	    in->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN)) {
		bin->conditional++;
		bin->taken += (in->flags & CAIRN_INSN_TAKEN) != 0;
	}
}

/* Rows that lie in one bin and one context, as far as they do. */
static uint32_t same_bin(const struct run *run, const struct part *part,
                         const struct analysis_rows *rows, uint64_t bin, uint32_t index)
{
	uint64_t end = bin_first(run, part, bin + 1);
	uint32_t to = end - rows->batch->n0 < rows->to ? (uint32_t)(end - rows->batch->n0) : rows->to;
	uint16_t ctx = rows->batch->insns[index].ctx;
	while (index < to && rows->batch->insns[index].ctx == ctx)
		index++;
	return index;
}

/* Counts runs in one function together. */
static int take_functions(const struct run *run, struct part *part,
                          const struct analysis_rows *rows, uint32_t from, uint32_t to,
                          uint64_t bin)
{
	uint64_t lo = 1, hi = 0, key = 0, *at = NULL;
	uint16_t ctx = 0;
	for (uint32_t i = from; i < to; i++) {
		const struct cairn_insn *in = &rows->batch->insns[i];
		if ((rows->keep && !rows->keep[i]) || in->flags & CAIRN_INSN_PC_UNKNOWN)
			continue;
		if (!at || in->pc < lo || in->pc > hi || in->ctx != ctx) {
			const struct cairn_symbol *symbol =
				run->opts->image
					? cairn_image_symbol_in(run->opts->image, &rows->batch->ctxs[in->ctx], in->pc)
					: NULL;
			ctx = in->ctx;
			lo = symbol ? symbol->addr : in->pc >> PAGE_SHIFT << PAGE_SHIFT;
			hi = symbol ? symbol->addr + (symbol->size ? symbol->size - 1 : 0)
			            : lo + (1 << PAGE_SHIFT) - 1;
			hi = symbol || !run->opts->image ? hi : in->pc; /* a symbol may begin within the page */
			key = symbol ? (uintptr_t)symbol | 1 : lo;
			at = base_map_at(&part->funcs, bin, key);
			if (!at)
				return CAIRN_E_NOMEM;
		}
		++*at;
	}
	return 0;
}

static int overview_feed(void *user, void *part, const struct analysis_rows *rows)
{
	const struct run *run = user;
	struct part *p = part;
	for (uint32_t i = rows->from, to; i < rows->to; i = to) {
		uint64_t bin = bin_of(run, p, rows->batch->n0 + i), n = 0;
		to = same_bin(run, p, rows, bin, i);
		if (rows->keep && !memchr(rows->keep + i, 1, to - i))
			continue;
		struct bin *at = (void *)base_map_at(&p->bins, bin, 0);
		if (!at)
			return CAIRN_E_NOMEM;
		for (uint32_t k = i; k < to; k++) {
			if (rows->keep && !rows->keep[k])
				continue;
			take_insn(at, rows->batch, k);
			n++;
			if (rows->batch->insns[k].mem0 != rows->batch->insns[k + 1].mem0 &&
			    overview_take_pages(p, rows->batch, k) < 0)
				return CAIRN_E_NOMEM;
		}
		if (n && (take_who(p, bin, &rows->batch->ctxs[rows->batch->insns[i].ctx], n) < 0 ||
		          take_functions(run, p, rows, i, to, bin) < 0))
			return CAIRN_E_NOMEM;
		if (p->bins.n > MOST_BINS && !run->every && overview_widen(p, 1) < 0)
			return CAIRN_E_NOMEM;
		if (p->bins.n > MOST_INTERVALS)
			return base_fail(run->cairn, CAIRN_E_LIMIT,
			                 "more than %d columns: they should hold more "
			                 "instructions each (--every)",
			                 MOST_INTERVALS);
	}
	uint32_t from = rows->from, to = rows->to;
	while (rows->keep && from < to && !rows->keep[from])
		from++;
	while (rows->keep && from < to && !rows->keep[to - 1])
		to--;
	if (from == to)
		return 0;
	uint64_t first = rows->batch->n0 + from, last = rows->batch->n0 + to - 1;
	p->first = p->first && p->first < first ? p->first : first;
	p->last = p->last > last ? p->last : last;
	return 0;
}

static int overview_join(void *user, void *sum, void *part)
{
	struct part *left = sum, *right = part;
	(void)user;
	int rc = 0;
	if (left->widened < right->widened)
		rc = overview_widen(left, right->widened - left->widened);
	else if (right->widened < left->widened)
		rc = overview_widen(right, left->widened - right->widened);
	if (rc >= 0)
		rc = base_map_add(&left->bins, &right->bins);
	if (rc >= 0)
		rc = base_map_add(&left->funcs, &right->funcs);
	if (rc >= 0)
		rc = base_map_add(&left->who, &right->who);
	for (size_t i = 0; i < right->pages.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&right->pages, i);
		uint64_t *first = base_map_at(&left->pages, row[0], 0);
		rc = first ? 0 : CAIRN_E_NOMEM;
		if (first)
			*first = *first && *first < row[2] ? *first : row[2];
	}
	if (right->last) {
		left->first = left->first && left->first < right->first ? left->first : right->first;
		left->last = left->last > right->last ? left->last : right->last;
	}
	return rc;
}

/* ---- report ---- */

/* Columns of `width` bins each, the first one at bin `bin0`. */
struct frame {
	uint64_t bin0, width;
	unsigned n;
	const struct run *run;
	const struct part *part;
};

static struct frame frame_of(const struct run *run, struct part *part, int *rc)
{
	struct frame frame = {.run = run, .part = part};
	*rc = 0;
	if (!part->last)
		return frame;
	while (*rc >= 0 && !run->every &&
	       bin_of(run, part, part->last) - bin_of(run, part, part->first) >= MOST_BINS)
		*rc = overview_widen(part, 1);
	frame.bin0 = bin_of(run, part, part->first);
	uint64_t bins = bin_of(run, part, part->last) - frame.bin0 + 1;
	if (bins > MOST_INTERVALS)
		*rc = base_fail(run->cairn, CAIRN_E_LIMIT,
		                "more than %d columns: they should hold more instructions each (--every)",
		                MOST_INTERVALS);
	if (*rc < 0)
		return frame;
	frame.width = run->every ? 1 : (bins + run->columns - 1) / run->columns;
	frame.n = (unsigned)((bins + frame.width - 1) / frame.width);
	return frame;
}

static unsigned overview_column_of(const struct frame *frame, uint64_t bin)
{
	return (unsigned)((bin - frame->bin0) / frame->width);
}

static uint64_t overview_first_of(const struct frame *frame, unsigned column)
{
	uint64_t n = bin_first(frame->run, frame->part, frame->bin0 + column * frame->width);
	return n < frame->part->first ? frame->part->first : n;
}

static uint64_t last_of(const struct frame *frame, unsigned column)
{
	uint64_t n = bin_first(frame->run, frame->part, frame->bin0 + (column + 1) * frame->width) - 1;
	return n > frame->part->last ? frame->part->last : n;
}

/* Of a map of (bin, key): the key with the most instructions in each column, by `kind`
 * (0: any). Ties go to the smaller key. */
static int leaders(struct cairn *cairn, const struct frame *frame, const struct base_map *map,
                   uint64_t low, uint64_t high, uint64_t *key, uint64_t *count)
{
	struct base_map sum;
	int rc = 0;
	base_map_init(&sum, cairn, 1);
	for (size_t i = 0; i < map->n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(map, i);
		if (row[1] < low || row[1] > high)
			continue;
		unsigned column = overview_column_of(frame, row[0]);
		uint64_t *n = base_map_at(&sum, column, row[1]);
		if (!n) {
			rc = CAIRN_E_NOMEM;
			break;
		}
		*n += row[2];
	}
	for (size_t i = 0; i < sum.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&sum, i);
		uint64_t k = row[0];
		if (row[2] > count[k] || (row[2] == count[k] && row[1] < key[k])) {
			count[k] = row[2];
			key[k] = row[1];
		}
	}
	base_map_free(&sum);
	return rc;
}

static void put_column(const struct frame *frame, unsigned index, const struct bin *bin,
                       uint64_t new_pages, uint64_t pages, bool has_mems, struct cairn_cell *row)
{
	static const uint8_t groups[][4] = {
		{CAIRN_CLASS_INT, CAIRN_CLASS_NOP, 0, 0},
		{CAIRN_CLASS_MUL, CAIRN_CLASS_DIV, 0, 0},
		{CAIRN_CLASS_LOAD, 0, 0, 0},
		{CAIRN_CLASS_STORE, 0, 0, 0},
		{CAIRN_CLASS_BRANCH, CAIRN_CLASS_JUMP, CAIRN_CLASS_CALL, CAIRN_CLASS_RETURN},
		{CAIRN_CLASS_FP, CAIRN_CLASS_FPDIV, CAIRN_CLASS_VECTOR, 0}};
	uint64_t named = 0, mode = 0;
	cell_number(&row[0], overview_first_of(frame, index));
	cell_number(&row[1], last_of(frame, index));
	cell_number(&row[2], bin->instructions);
	for (unsigned g = 0; g < 6; g++) {
		uint64_t n = 0;
		for (unsigned k = 0; k < 4; k++)
			n += groups[g][k] ? bin->classes[groups[g][k]] : 0;
		named += n;
		cell_share(&row[3 + g], n, bin->instructions);
	}
	cell_share(&row[9], bin->instructions - named, bin->instructions);
	cell_share(&row[10], bin->taken, bin->conditional);
	cell_number(&row[11], bin->events);
	if (has_mems) {
		cell_number(&row[12], new_pages);
		cell_number(&row[13], pages);
	}
	for (unsigned k = 1; k < MODES; k++)
		mode = bin->modes[k] > bin->modes[mode] ? k : mode;
	cell_text(&row[14], bin->modes[mode] ? isa_priv_name((unsigned)mode) : NULL);
}

static int put_columns(struct run *run, const struct frame *frame, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		COUNT("first", "its first instruction"),
		COUNT("last", "its last instruction"),
		COUNT("instructions", "instructions in it"),
		REAL("int", 1, "integer instructions, in percent"),
		REAL("muldiv", 1, "multiplications and divisions, in percent"),
		REAL("load", 1, "loads, in percent"),
		REAL("store", 1, "stores, in percent"),
		REAL("branch", 1, "branches, in percent"),
		REAL("fp_vector", 1, "floating-point and vector instructions, in percent"),
		REAL("other", 1, "all others, in percent"),
		REAL("taken_percent", 1, "conditional branches that were taken, in percent"),
		COUNT("events", "events"),
		COUNT("new_pages", "pages that were first touched here"),
		COUNT("pages", "pages that were touched up to its end"),
		TEXT("mode", "privilege of most instructions"),
		COUNT("cpu", "processor of most instructions"),
		TEXT("process", "process of most instructions")};
	struct result_table *table = result_table(res, "columns", columns, 17);
	struct bin *bins = base_alloc(run->cairn, (frame->n + 1) * sizeof *bins);
	uint64_t *pages = base_alloc(run->cairn, (frame->n + 1) * sizeof *pages), so_far = 0;
	uint64_t *keys = base_alloc(run->cairn, 4 * (frame->n + 1) * sizeof *keys),
			 *process = keys + 2 * (frame->n + 1);
	int rc = bins && pages && keys ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < frame->part->bins.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&frame->part->bins, i);
		uint64_t *to = (void *)&bins[overview_column_of(frame, row[0])];
		for (unsigned k = 0; k < BIN_WORDS; k++)
			to[k] += row[2 + k];
	}
	for (size_t i = 0; i < frame->part->pages.n && rc >= 0; i++)
		pages[overview_column_of(
			frame, bin_of(run, frame->part, base_map_row(&frame->part->pages, i)[2]))]++;
	if (rc >= 0)
		rc = leaders(run->cairn, frame, &frame->part->who, WHO(IS_HART, 0), WHO(IS_PID, 0) - 1,
		             keys, keys + frame->n + 1);
	if (rc >= 0)
		rc = leaders(run->cairn, frame, &frame->part->who, WHO(IS_PID, 0), UINT64_MAX, process,
		             process + frame->n + 1);
	for (unsigned i = 0; i < frame->n && rc >= 0; i++) {
		struct cairn_cell *row = result_row(res, table);
		so_far += pages[i];
		put_column(frame, i, &bins[i], pages[i], so_far, run->has_mems, row);
		if (keys[i])
			cell_number(&row[15], keys[i] & 0xffff);
		if (process[i])
			cell_text(&row[16],
			          result_text(res, "%s %u", process[i] >> 56 == IS_PID ? "pid" : "asid",
			                      (unsigned)(uint32_t)process[i]));
	}
	base_free(run->cairn, bins);
	base_free(run->cairn, pages);
	base_free(run->cairn, keys);
	return rc;
}

struct hot {
	uint64_t key, count;
	const char *name;
};

static int overview_by_count(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static const char *hot_name(const struct run *run, uint64_t key, struct cairn_result *res)
{
	if (run->opts->image && key & 1)
		return ((const struct cairn_symbol *)(uintptr_t)(key - 1))->name;
	return result_text(res, "0x%llx", (unsigned long long)key);
}

/* The functions with the most instructions, and where they had them. */
static int overview_put_hot(struct run *run, const struct frame *frame, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("function", "the symbol"), COUNT("instructions", "instructions in it"),
		REAL("percent", 2, "part of all instructions, in percent")};
	static const struct cairn_column where[] = {
		TEXT("function", "the symbol"), COUNT("first", "its first instruction"),
		COUNT("last", "its last instruction"),
		REAL("percent", 1, "part of the column, in percent")};
	struct result_table *table = result_table(res, "functions", columns, 3);
	struct result_table *w = result_table(res, "where", where, 4);
	struct base_map sum, each;
	uint64_t all = 0;
	base_map_init(&sum, run->cairn, 1);
	base_map_init(&each, run->cairn, 1);
	int rc = 0;
	for (size_t i = 0; i < frame->part->funcs.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&frame->part->funcs, i);
		uint64_t *n = base_map_at(&sum, row[1], 0);
		uint64_t *m = base_map_at(&each, row[1], overview_column_of(frame, row[0]));
		rc = n && m ? 0 : CAIRN_E_NOMEM;
		if (rc < 0)
			break;
		*n += row[2];
		*m += row[2];
		all += row[2];
	}
	struct hot *hot = base_alloc(run->cairn, (sum.n + 1) * sizeof *hot);
	rc = hot ? rc : CAIRN_E_NOMEM;
	for (size_t i = 0; i < sum.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&sum, i);
		hot[i] = (struct hot){row[0], row[2], hot_name(run, row[0], res)};
	}
	if (sum.n && rc >= 0)
		qsort(hot, sum.n, sizeof *hot, overview_by_count);
	for (size_t i = 0; i < sum.n && i < HOT && rc >= 0; i++) {
		struct cairn_cell *row = result_row(res, table);
		cell_text(&row[0], hot[i].name);
		cell_number(&row[1], hot[i].count);
		cell_share(&row[2], hot[i].count, all);
		for (unsigned k = 0; k < frame->n; k++) {
			const uint64_t *n = base_map_find(&each, hot[i].key, k);
			uint64_t whole = last_of(frame, k) - overview_first_of(frame, k) + 1;
			if (!n)
				continue;
			row = result_row(res, w);
			cell_text(&row[0], hot[i].name);
			cell_number(&row[1], overview_first_of(frame, k));
			cell_number(&row[2], last_of(frame, k));
			cell_share(&row[3], *n, whole);
		}
	}
	base_free(run->cairn, hot);
	base_map_free(&sum);
	base_map_free(&each);
	return rc;
}

static int overview_report(void *user, void *sum, struct cairn_result *res)
{
	struct run *run = user;
	struct part *part = sum;
	int rc;
	struct frame frame = frame_of(run, part, &rc);
	struct bin all = {.instructions = 0};
	for (size_t i = 0; i < part->bins.n; i++) {
		const struct bin *bin = (const void *)(base_map_row(&part->bins, i) + 2);
		all.instructions += bin->instructions;
		all.conditional += bin->conditional;
		all.taken += bin->taken;
		all.events += bin->events;
	}
	const struct result_figure figures[] = {
		{COUNT("instructions", "instructions"), all.instructions},
		{COUNT("first", "first instruction"), part->first},
		{COUNT("last", "last instruction"), part->last},
		{COUNT("per_column", "instructions of a column"),
	     run->every ? run->every : frame.width << (FIRST_SHIFT + part->widened)},
		{COUNT("pages", "pages that were touched"), part->pages.n},
		{REAL("taken_percent", 1, "conditional branches that were taken, in percent"), 0},
		{COUNT("events", "events"), all.events}};
	struct cairn_cell *row = result_summary(res, figures, 7);
	cell_share(&row[5], all.taken, all.conditional);
	row[1].known = row[2].known = row[3].known = part->last != 0;
	row[4].known = run->has_mems;
	result_wrap(res, run->columns);
	if (rc >= 0)
		rc = put_columns(run, &frame, res);
	return rc < 0 ? rc : overview_put_hot(run, &frame, res);
}

static void overview_done(void *user)
{
	struct run *run = user;
	base_free(run->cairn, run);
}

int overview_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 unsigned columns, struct analysis_job *job)
{
	static const struct analysis_kind kind = {.name = "overview",
	                                          .order = ANALYSIS_COMMUTATIVE,
	                                          .parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS |
	                                                   CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS |
	                                                   CAIRN_MEMS,
	                                          .part = sizeof(struct part),
	                                          .maps = {{offsetof(struct part, bins), BIN_WORDS},
	                                                   {offsetof(struct part, funcs), 1},
	                                                   {offsetof(struct part, who), 1},
	                                                   {offsetof(struct part, pages), 1}},
	                                          .n_maps = 4,
	                                          .feed = overview_feed,
	                                          .join = overview_join,
	                                          .report = overview_report};
	struct run *run;
	int rc = analysis_job(reader, opts, &kind, sizeof *run, overview_done, job);
	if (rc < 0)
		return rc;
	run = job->user;
	*run = (struct run){.cairn = reader->cairn,
	                    .opts = &job->opts,
	                    .columns = columns ? columns : 64,
	                    .every = job->opts.every,
	                    .has_mems = cairn_reader_can(reader) & CAIRN_MEMS};
	job->opts.every = 0; /* columns are the series */
	if (run->columns > MOST_COLUMNS)
		return base_fail(reader->cairn, CAIRN_E_INVAL, "at most %d columns", MOST_COLUMNS);
	return 0;
}

int cairn_overview(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                   unsigned columns, struct cairn_result **out)
{
	struct analysis_job job;
	return analysis_do(reader, &job, overview_job(reader, opts, columns, &job), out);
}

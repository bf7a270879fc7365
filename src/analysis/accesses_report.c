/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: the report. Of lines, pages and instructions the thousand that were used most
 * are rows; figures cover all.
 */
#include <string.h>

#include "analysis/accesses.h"

enum { HOTTEST = 1000, REGULAR_PERCENT = 90, FEW = 100 };

/* ---- figures ---- */

struct footprint {
	uint64_t lines, pages, written;
	uint64_t lonely, read_shared, one_writer, many_writers; /* lines, by who touched them */
	uint64_t harts;
};

/* `each`: how many lines or pages one of the sample stands for. */
static struct footprint accesses_report_measure(const struct base_map *lines, uint64_t each,
                                                uint64_t pages)
{
	struct footprint footprint = {.lines = lines->n, .pages = pages};
	uint64_t harts = 0;
	for (size_t i = 0; i < lines->n; i++) {
		const struct mem_line *line = (const void *)(base_map_row(lines, i) + 2);
		uint64_t all = line->readers | line->writers;
		harts |= all;
		footprint.written += line->writes != 0;
		if (!(all & (all - 1)))
			footprint.lonely++;
		else if (!line->writers)
			footprint.read_shared++;
		else if (line->writers & (line->writers - 1))
			footprint.many_writers++;
		else
			footprint.one_writer++;
	}
	uint64_t *const counts[] = {&footprint.lines,      &footprint.written,
	                            &footprint.lonely,     &footprint.read_shared,
	                            &footprint.one_writer, &footprint.many_writers};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		*counts[i] *= each;
	footprint.harts = (unsigned)__builtin_popcountll(harts);
	return footprint;
}

/* Can the trace hold accesses, and does it, if there are instructions that make some? */
static bool tells_accesses(const struct mem_run *run, const struct mem_part *part)
{
	return run->has_accesses &&
	       (run->lines.n || part->count.reads + part->count.writes || !part->count.silent);
}

static void accesses_report_put_figures(const struct mem_run *run, const struct mem_part *part,
                                        const struct footprint *footprint, struct cairn_result *res)
{
	const struct mem_count *count = &part->count;
	bool series = run->opts->every;
	const struct result_figure figures[] = {
		{COUNT("instructions", "instructions that were looked at"), count->instructions},
		{COUNT("executed", "instructions that executed"), count->executed},
		{COUNT("with_access", "executed instructions with an access"), count->with_access},
		{COUNT("accesses", "accesses"), count->reads + count->writes},
		{COUNT("reads", "accesses that read"), count->reads},
		{COUNT("writes", "accesses that write"), count->writes},
		{COUNT("read_bytes", "bytes that were read"), count->read_bytes},
		{COUNT("written_bytes", "bytes that were written"), count->written_bytes},
		{COUNT("prefetches", "prefetches, which are not accesses"), count->prefetches},
		{COUNT("others", "accesses that are neither a read nor a write"),
	     count->others + count->fetches},
		{COUNT("address_unknown", "accesses without an address"), count->no_address},
		{COUNT("unaligned", "accesses that are not aligned to their size"), count->unaligned},
		{COUNT("cross_line", "accesses that span several lines"), count->cross_line},
		{COUNT("cross_page", "accesses that span several pages of 4 KiB"), count->cross_page},
		{COUNT("lines", "lines that were touched"), footprint->lines},
		{COUNT("pages", "pages that were touched"), footprint->pages},
		{COUNT("lines_written", "lines that were written"), footprint->written},
		{COUNT("new_lines", "lines that no earlier interval touched"),
	     series ? part->new_lines : footprint->lines},
		{COUNT("new_pages", "pages that no earlier interval touched"),
	     series ? part->new_pages : footprint->pages},
		{COUNT("lines_so_far", "lines that were touched up to here"),
	     series ? run->lines.n : footprint->lines},
		{COUNT("pages_so_far", "pages that were touched up to here"),
	     series ? run->seen_pages.n : footprint->pages}};
	enum { FIGURES = sizeof figures / sizeof *figures, FOOTPRINT = 14 };
	struct cairn_cell *row = result_summary(res, figures, FIGURES);
	/* A zero of an estimate only means that no sample was met. */
	bool no_zeros = run->estimate && count->reads + count->writes;
	for (size_t i = 2; i < FIGURES; i++)
		row[i].known =
			tells_accesses(run, part) && (i < FOOTPRINT || figures[i].number || !no_zeros);
}

static void put_sizes(const struct mem_part *part, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("kind", "read or write"), TEXT("size", "bytes of an access"),
		COUNT("aligned", "accesses that are aligned to it"),
		COUNT("unaligned", "accesses that are not aligned to it"),
		REAL("percent", 2, "part of all accesses, in percent")};
	struct result_table *table = result_table(res, "sizes", columns, 5);
	uint64_t all = part->count.reads + part->count.writes - part->count.no_address;
	for (unsigned w = 0; w < 2; w++)
		for (unsigned k = 0; k < MEM_SIZES; k++) {
			const uint64_t *n = part->count.sizes[w][k];
			if (!(n[0] + n[1]))
				continue;
			struct cairn_cell *row = result_row(res, table);
			cell_text(&row[0], w ? "write" : "read");
			cell_text(&row[1], k < MEM_SIZES - 1 ? result_text(res, "%u", 1u << k) : "other");
			cell_number(&row[2], n[0]);
			cell_number(&row[3], n[1]);
			cell_share(&row[4], n[0] + n[1], all);
		}
}

/* ---- histograms ---- */

static void accesses_report_put_range(struct cairn_cell *row, unsigned bucket)
{
	cell_number(&row[0], bucket ? (uint64_t)1 << (bucket - 1) : 0);
	cell_number(&row[1], bucket ? ((uint64_t)1 << bucket) - 1 : 0);
}

static void put_reuse(const struct mem_run *run, const struct mem_part *part,
                      struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		COUNT("lines_from",
	          "other lines touched since the last touch, at least; none: never touched before"),
		COUNT("lines_to", "and at most"), COUNT("accesses", "accesses with this distance"),
		REAL("percent", 2, "part of all, in percent"),
		REAL("cumulative", 2, "sum of percent up to this row")};
	if (!run->sample)
		return;
	struct result_table *table = result_table(res, "reuse", columns, 5);
	const struct mem_count *count = &part->count;
	uint64_t sum = 0;
	for (unsigned k = 0; k < MEM_BUCKETS; k++) {
		if (!count->reuse[k])
			continue;
		sum += count->reuse[k];
		struct cairn_cell *row = result_row(res, table);
		accesses_report_put_range(row, k);
		if (!k) /* no sampled line in between: how many others there were is not known */
			cell_number(&row[1], ((uint64_t)1 << (63 - __builtin_clzll(run->sample))) - 1);
		cell_number(&row[2], count->reuse[k] * run->sample);
		cell_share(&row[3], count->reuse[k], count->sampled);
		cell_share(&row[4], sum, count->sampled);
	}
	if (count->cold) { /* never touched before: no distance */
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[2], count->cold * run->sample);
		cell_share(&row[3], count->cold, count->sampled);
		cell_share(&row[4], sum + count->cold, count->sampled);
	}
	if (run->sample > 1)
		result_note(res, "%s are estimated from one line of %llu",
		            run->estimate ? "numbers of lines, and distances," : "distances",
		            (unsigned long long)run->sample);
	if (run->estimate && run->lines.n < FEW)
		result_note(res, "only %zu line%s sampled: so little is better counted exactly",
		            run->lines.n, run->lines.n == 1 ? " was" : "s were");
	if (run->estimate)
		result_note(res,
		            "what is used most, and strides, are estimated from %d instructions of %d; "
		            "the number of pages from one of %d",
		            MEM_STRETCH, MEM_STRETCH * MEM_STRETCHES, MEM_PAGE_SAMPLE);
}

static void accesses_report_put_distances(const struct mem_run *run, const struct mem_part *part,
                                          struct cairn_result *res)
{
	static const struct cairn_column from_stores[] = {
		COUNT("instructions_from", "instructions since the store, at least"),
		COUNT("instructions_to", "and at most"),
		COUNT("whole", "loads whose bytes one store wrote"),
		COUNT("in_part", "loads whose bytes it wrote in part"),
		REAL("percent", 2, "part of all loads, in percent")};
	static const struct cairn_column from_loads[] = {
		COUNT("instructions_from", "instructions since the load, at least"),
		COUNT("instructions_to", "and at most"), COUNT("loads", "loads"),
		REAL("percent", 2, "part of all loads, in percent")};
	struct result_table *table = result_table(res, "store_to_load", from_stores, 5);
	const struct mem_count *count = &part->count;
	uint64_t loads = count->not_forwarded, again = count->not_again,
			 each = run->sample > 1 ? run->sample : 1;
	for (unsigned k = 0; k < MEM_BUCKETS; k++) {
		loads += count->forward[k][0] + count->forward[k][1];
		again += count->again[k];
	}
	for (unsigned k = 0; k < MEM_BUCKETS; k++) {
		const uint64_t *n = count->forward[k];
		if (!(n[0] + n[1]))
			continue;
		struct cairn_cell *row = result_row(res, table);
		accesses_report_put_range(row, k);
		cell_number(&row[2], n[0] * each);
		cell_number(&row[3], n[1] * each);
		cell_share(&row[4], n[0] + n[1], loads);
	}
	table = result_table(res, "load_to_load", from_loads, 4);
	for (unsigned k = 0; k < MEM_BUCKETS; k++) {
		if (!count->again[k])
			continue;
		struct cairn_cell *row = result_row(res, table);
		accesses_report_put_range(row, k);
		cell_number(&row[2], count->again[k] * each);
		cell_share(&row[3], count->again[k], again);
	}
}

/* ---- caches and sharing ---- */

static void put_caches(const struct mem_run *run, const struct mem_part *part,
                       struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		COUNT("size", "bytes of the cache"),
		COUNT("ways", "ways of a set"),
		COUNT("line", "bytes of a line"),
		COUNT("accesses", "accesses to the cache"),
		COUNT("read_misses", "reads that missed"),
		COUNT("write_misses", "writes that missed"),
		REAL("miss_percent", 3, "misses of all accesses, in percent"),
		REAL("per_1000", 3, "misses per 1000 executed instructions")};
	if (!run->n_caches)
		return;
	struct result_table *table = result_table(res, "caches", columns, 8);
	for (unsigned k = 0; k < run->n_caches; k++) {
		uint64_t probes = part->probes[k][0] + part->probes[k][1];
		uint64_t misses = part->misses[k][0] + part->misses[k][1];
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[0], run->cache[k].size);
		cell_number(&row[1], run->cache[k].ways);
		cell_number(&row[2], run->cache[k].line);
		cell_number(&row[3], probes);
		cell_number(&row[4], part->misses[k][0]);
		cell_number(&row[5], part->misses[k][1]);
		cell_share(&row[6], misses, probes);
		cell_ratio(&row[7], 1000.0 * (double)misses, (double)part->count.executed);
	}
}

static void put_sharing(const struct footprint *footprint, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("lines_of", "who touched them"), COUNT("lines", "lines"),
		REAL("percent", 2, "part of all lines, in percent")};
	static const char *const names[] = {"one cpu", "several, all reading", "several, one writing",
	                                    "several writing"};
	const uint64_t counts[] = {footprint->lonely, footprint->read_shared, footprint->one_writer,
	                           footprint->many_writers};
	struct result_table *table = result_table(res, "sharing", columns, 3);
	if (footprint->harts < 2)
		return;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct cairn_cell *row = result_row(res, table);
		cell_text(&row[0], names[i]);
		cell_number(&row[1], counts[i]);
		cell_share(&row[2], counts[i], footprint->lines);
	}
}

/* ---- the hottest ---- */

static int by_use(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	/* reads and writes come first in every row */
	uint64_t n = x[2] + x[3], m = y[2] + y[3];
	if (n != m)
		return n < m ? 1 : -1;
	return (x[0] > y[0]) - (x[0] < y[0]);
}

/* What is used most comes from one stretch of this many. */
static uint64_t stretches(const struct mem_run *run)
{
	return run->estimate ? MEM_STRETCHES : 1;
}

static int accesses_report_put_hot(struct mem_run *run, const struct base_map *map,
                                   const char *name, unsigned shift, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		ADDRESS("address", "where it begins"), TEXT("symbol", "the symbol there"),
		COUNT("reads", "reads of it"), COUNT("writes", "writes to it"),
		COUNT("cpus", "processors that touched it")};
	struct result_table *table = result_table(res, name, columns, 5);
	size_t n;
	if (!result_keeps(res, table))
		return 0;
	const uint64_t **rows = base_map_first(map, HOTTEST, by_use, &n);
	if (!rows)
		return CAIRN_E_NOMEM;
	result_more(table, map->n - n);
	for (size_t i = 0; i < n; i++) {
		const struct mem_line *line = (const void *)(rows[i] + 2);
		uint64_t at = rows[i][0] << shift;
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[0], at);
		cell_text(&row[1], analysis_symbol(run->opts, at));
		cell_number(&row[2], line->reads * stretches(run));
		cell_number(&row[3], line->writes * stretches(run));
		cell_number(&row[4], (unsigned)__builtin_popcountll(line->readers | line->writers));
	}
	base_free(run->cairn, rows);
	return 0;
}

static const char *pattern_of(const struct stride_site *site)
{
	if (!site->strides)
		return NULL;
	if (100 * site->repeats < REGULAR_PERCENT * (site->strides - 1) ||
	    (site->strides > 1 && !site->repeats))
		return "irregular";
	return site->longest.stride ? "strided" : "constant";
}

static int put_sites(struct mem_run *run, const struct mem_part *part, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		ADDRESS("pc", "address of the instruction"),
		TEXT("function", "the symbol that covers it"),
		COUNT("reads", "reads"),
		COUNT("writes", "writes"),
		COUNT("bytes", "bytes accessed"),
		TEXT("pattern", "constant, strided or irregular"),
		SIGNED("stride", "bytes from one access to the next, as repeated most often in a row"),
		REAL("repeated_percent", 2, "strides that are like the one before, in percent")};
	struct result_table *table = result_table(res, "instructions", columns, 8);
	size_t n;
	if (!result_keeps(res, table))
		return 0;
	const uint64_t **rows = base_map_first(&part->sites, HOTTEST, by_use, &n);
	if (!rows)
		return CAIRN_E_NOMEM;
	result_more(table, part->sites.n - n);
	for (size_t i = 0; i < n; i++) {
		const struct stride_site *site = (const void *)(rows[i] + 2);
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[0], rows[i][0]);
		cell_text(&row[1], analysis_symbol(run->opts, rows[i][0]));
		cell_number(&row[2], site->reads * stretches(run));
		cell_number(&row[3], site->writes * stretches(run));
		cell_number(&row[4], site->bytes * stretches(run));
		cell_text(&row[5], pattern_of(site));
		if (site->longest.n > 1 || site->strides == 1)
			cell_number(&row[6], (uint64_t)site->longest.stride);
		if (site->strides > 1)
			cell_share(&row[7], site->repeats, site->strides - 1);
	}
	base_free(run->cairn, rows);
	return 0;
}

/* ---- all of it ---- */

static int gather_pages(const struct mem_run *run, const struct base_map *lines,
                        struct base_map *pages)
{
	for (size_t i = 0; i < lines->n; i++) {
		const uint64_t *row = base_map_row(lines, i);
		const struct mem_line *line = (const void *)(row + 2);
		struct mem_line *to = (void *)base_map_at(pages, (row[0] << run->line_shift) / MEM_PAGE, 0);
		if (!to)
			return CAIRN_E_NOMEM;
		to->reads += line->reads;
		to->writes += line->writes;
		to->readers |= line->readers;
		to->writers |= line->writers;
	}
	return 0;
}

static int accesses_report_put_all(struct mem_run *run, const struct mem_part *part,
                                   struct cairn_result *res)
{
	const struct base_map *lines = run->opts->every ? &part->lines
	                               : run->together  ? &run->tally.lines
	                                                : &run->lines;
	struct base_map pages;
	base_map_init(&pages, run->cairn, LINE_WORDS);
	int rc = gather_pages(run, lines, &pages);
	if (rc >= 0) {
		struct footprint footprint =
			run->estimate
				? accesses_report_measure(&run->lines, run->sample, run->pages.n * MEM_PAGE_SAMPLE)
				: accesses_report_measure(lines, 1, pages.n);
		accesses_report_put_figures(run, part, &footprint, res);
		put_sizes(part, res);
		put_sharing(&footprint, res);
		put_caches(run, part, res);
		put_reuse(run, part, res);
		accesses_report_put_distances(run, part, res);
		rc = accesses_report_put_hot(run, lines, "lines", run->line_shift, res);
	}
	if (rc >= 0)
		rc = accesses_report_put_hot(run, &pages, "pages", 12, res);
	if (rc >= 0)
		rc = put_sites(run, part, res);
	base_map_free(&pages);
	return rc;
}

int memory_report(void *user, void *sum, struct cairn_result *res)
{
	struct mem_run *run = user;
	const struct mem_part *part = sum;
	int rc = 0;
	if (run->only_reuse)
		put_reuse(run, part, res);
	else
		rc = accesses_report_put_all(run, part, res);
	if (!tells_accesses(run, part))
		result_note(res, "the trace does not record which memory was accessed");
	if (part->count.far && !run->only_reuse)
		result_note(res,
		            "processors from %d on are counted as one of those below: there may be more "
		            "sharing than is shown",
		            MEM_HARTS);
	if (part->count.no_address)
		result_note(res, "the trace does not record the address of some accesses");
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses on the page, each number by a walk over all of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "page.h"

static void check_memory_figures(char *page, const struct trace *trace, const struct touch *touch,
                                 size_t n)
{
	struct grid grid = grid_of(page, "memory", NULL);
	uint64_t with = 0, count[2] = {0}, bytes[2] = {0}, unaligned = 0, lines = 0, pages = 0;
	for (size_t i = 0; i < n; i++) {
		with += !i || touch[i].row != touch[i - 1].row;
		count[touch[i].write]++;
		bytes[touch[i].write] += touch[i].size;
		unaligned += touch[i].addr % touch[i].size != 0;
		lines += covers(&touch[i], touch[i].addr / LINE + 1, LINE);
		pages += covers(&touch[i], touch[i].addr / PAGE + 1, PAGE);
	}
	uint64_t n_lines = distinct(touch, n, LINE, false), n_pages = distinct(touch, n, PAGE, false);
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {{"instructions", trace->n},
	              {"executed", count_insns(trace, true)},
	              {"with access", with},
	              {"accesses", n},
	              {"reads", count[0]},
	              {"writes", count[1]},
	              {"read bytes", bytes[0]},
	              {"written bytes", bytes[1]},
	              {"prefetches", 0},
	              {"others", trace->n_mems - n},
	              {"address unknown", 0},
	              {"unaligned", unaligned},
	              {"cross line", lines},
	              {"cross page", pages},
	              {"lines", n_lines},
	              {"pages", n_pages},
	              {"lines written", distinct(touch, n, LINE, true)},
	              {"new lines", n_lines},
	              {"new pages", n_pages},
	              {"lines so far", n_lines},
	              {"pages so far", n_pages}};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		count_is(grid, counts[i].name, counts[i].n);
}

static void check_sizes(char *page, const struct touch *touch, size_t n)
{
	struct grid grid = grid_of(page, "memory", "Sizes");
	uint64_t all = 0;
	for (size_t row = 0; row < grid.rows; row++) {
		char kind[CELL], size[CELL];
		uint64_t aligned = 0, not_aligned = 0;
		take(grid, row, 0, kind);
		take(grid, row, 1, size);
		for (size_t i = 0; i < n; i++)
			if (touch[i].write == !strcmp(kind, "write") && touch[i].size == (uint32_t)atoi(size))
				*(touch[i].addr % touch[i].size ? &not_aligned : &aligned) += 1;
		number_is(grid, row, "aligned", aligned);
		number_is(grid, row, "unaligned", not_aligned);
		real_is(grid, row, "percent", share(aligned + not_aligned, n), 2);
		all += aligned + not_aligned;
	}
	assert_int_equal(all, n);
}

/* Every cache is a list of lines for each set of each hart, the last used one first. */
static void check_caches(char *page, const struct trace *trace, const struct touch *touch, size_t n)
{
	static const uint64_t sizes[][2] = {{32768, 8}, {1 << 20, 16}};
	struct grid grid = grid_of(page, "memory", "Reference caches");
	for (size_t row = 0; row < 2; row++) {
		uint64_t ways = sizes[row][1], sets = sizes[row][0] / ways / LINE, missed[2] = {0},
				 probes = 0;
		uint64_t *way = calloc(8 * sets * ways, sizeof *way);
		for (size_t i = 0; i < n; i++)
			for (uint64_t line = touch[i].addr / LINE; covers(&touch[i], line, LINE);
			     line++, probes++) {
				uint64_t *set =
							 way +
							 (hart_of(&trace->rows[touch[i].row]) % 8 * sets + line % sets) * ways,
						 k = 0;
				while (k < ways - 1 && set[k] != line + 1)
					k++;
				missed[touch[i].write] += set[k] != line + 1;
				memmove(set + 1, set, k * sizeof *set);
				set[0] = line + 1;
			}
		number_is(grid, row, "size", sizes[row][0]);
		number_is(grid, row, "ways", ways);
		number_is(grid, row, "line", LINE);
		number_is(grid, row, "accesses", probes);
		number_is(grid, row, "read misses", missed[0]);
		number_is(grid, row, "write misses", missed[1]);
		real_is(grid, row, "miss percent", share(missed[0] + missed[1], probes), 3);
		real_is(grid, row, "per 1000",
		        1000.0 * (double)(missed[0] + missed[1]) / (double)count_insns(trace, true), 3);
		free(way);
	}
}

/* Different lines since the last touch: those on a list in front of it. */
static void check_reuse(char *page, const struct touch *touch, size_t n)
{
	struct grid grid = grid_of(page, "memory", "Reuse distance in lines");
	uint64_t *list = calloc(4 * n + 4, sizeof *list),
			 *distance = calloc(4 * n + 4, sizeof *distance);
	uint64_t lines = 0, touches = 0, so_far = 0;
	for (size_t i = 0; i < n; i++)
		for (uint64_t line = touch[i].addr / LINE; covers(&touch[i], line, LINE); line++) {
			size_t k = 0;
			while (k < lines && list[k] != line)
				k++;
			distance[touches++] = k < lines ? k : UINT64_MAX;
			lines += k == lines;
			memmove(list + 1, list, k * sizeof *list);
			list[0] = line;
		}
	for (size_t row = 0; row < grid.rows; row++) {
		char from[CELL], to[CELL];
		uint64_t count = 0;
		take(grid, row, 0, from);
		take(grid, row, 1, to);
		bool cold = !strcmp(from, "–");
		for (size_t i = 0; i < touches; i++)
			count += cold ? distance[i] == UINT64_MAX
			              : distance[i] >= strtoull(from, NULL, 10) &&
			                    distance[i] <= strtoull(to, NULL, 10);
		so_far += count;
		number_is(grid, row, "accesses", count);
		real_is(grid, row, "percent", share(count, touches), 2);
		real_is(grid, row, "cumulative", share(so_far, touches), 2);
	}
	assert_int_equal(so_far, touches);
	free(list);
	free(distance);
}

/* Lines by who touched them. */
static void check_sharing(char *page, const struct trace *trace, const struct touch *touch,
                          size_t n)
{
	uint64_t count[4] = {0}, all = 0, harts = 0;
	for (size_t i = 0; i < n; i++)
		harts |= (uint64_t)1 << hart_of(&trace->rows[touch[i].row]);
	if (!(harts & (harts - 1)))
		return;
	struct grid grid = grid_of(page, "memory", "Sharing");
	for (size_t i = 0; i < n; i++)
		for (uint64_t line = touch[i].addr / LINE; covers(&touch[i], line, LINE); line++) {
			uint64_t who = 0, writers = 0;
			size_t first = SIZE_MAX;
			for (size_t k = 0; k < n; k++) {
				if (!covers(&touch[k], line, LINE))
					continue;
				first = first == SIZE_MAX ? k : first;
				who |= (uint64_t)1 << hart_of(&trace->rows[touch[k].row]);
				writers |= touch[k].write ? (uint64_t)1 << hart_of(&trace->rows[touch[k].row]) : 0;
			}
			if (first != i)
				continue;
			all++;
			count[!(who & (who - 1)) ? 0 : !writers ? 1 : !(writers & (writers - 1)) ? 2 : 3]++;
		}
	for (unsigned k = 0; k < 4; k++) {
		number_is(grid, k, "lines", count[k]);
		real_is(grid, k, "percent", share(count[k], all), 2);
	}
}

static void check_pages(char *page, const struct trace *trace, const struct touch *touch, size_t n)
{
	struct grid grid = grid_of(page, "memory", "Pages used most");
	shows_first(grid, distinct(touch, n, PAGE, false));
	for (size_t row = 0; row < grid.rows; row++) {
		char text[CELL];
		uint64_t touched[2] = {0}, harts = 0;
		take(grid, row, 0, text);
		uint64_t at = strtoull(text, NULL, 16);
		for (size_t i = 0; i < n; i++) /* each of its lines counts */
			for (uint64_t line = touch[i].addr / LINE; covers(&touch[i], line, LINE); line++)
				if (line * LINE / PAGE * PAGE == at) {
					touched[touch[i].write]++;
					harts |= (uint64_t)1 << hart_of(&trace->rows[touch[i].row]);
				}
		text_is(grid, row, "symbol", "–");
		number_is(grid, row, "reads", touched[0]);
		number_is(grid, row, "writes", touched[1]);
		number_is(grid, row, "cpus", (uint64_t)__builtin_popcountll(harts));
	}
}

static void check_sites(char *page, const struct trace *trace, const struct touch *touch, size_t n)
{
	struct grid grid = grid_of(page, "memory", "Instructions that access most");
	for (size_t row = 0; row < grid.rows; row++) {
		char text[CELL];
		uint64_t touched[2] = {0}, bytes = 0, strides = 0, repeats = 0, last = 0, run = 0,
				 longest = 0;
		int64_t before = 0, best = 0;
		take(grid, row, 0, text);
		uint64_t pc = strtoull(text, NULL, 16);
		for (size_t i = 0; i < n; i++) {
			if (trace->rows[touch[i].row].in.pc != pc)
				continue;
			int64_t stride = (int64_t)(touch[i].addr - last);
			if (touched[0] + touched[1]) {
				bool same = strides++ && stride == before;
				repeats += same;
				run = same ? run + 1 : 1;
				best = run > longest ? stride : best;
				longest = run > longest ? run : longest;
				before = stride;
			}
			last = touch[i].addr;
			touched[touch[i].write]++;
			bytes += touch[i].size;
		}
		bool regular = strides == 1 || (repeats && 100 * repeats >= 90 * (strides - 1));
		text_is(grid, row, "function", "–");
		number_is(grid, row, "reads", touched[0]);
		number_is(grid, row, "writes", touched[1]);
		number_is(grid, row, "bytes", bytes);
		text_is(grid, row, "pattern",
		        !strides   ? "–"
		        : !regular ? "irregular"
		        : best     ? "strided"
		                   : "constant");
		char want[CELL] = "–";
		if (longest > 1 || strides == 1)
			snprintf(want, sizeof want, "%lld", (long long)best);
		text_is(grid, row, "stride", want);
		real_is(grid, row, "repeated percent", strides > 1 ? share(repeats, strides - 1) : UNKNOWN,
		        2);
	}
}

void check_memory(char *page, const struct trace *trace)
{
	size_t n;
	struct touch *touch = accesses_of(trace, &n);
	check_memory_figures(page, trace, touch, n);
	check_sizes(page, touch, n);
	check_caches(page, trace, touch, n);
	check_reuse(page, touch, n);
	check_sharing(page, trace, touch, n);
	check_pages(page, trace, touch, n);
	check_sites(page, trace, touch, n);
	free(touch);
}

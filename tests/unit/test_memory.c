/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, against references that keep lists and search them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/reuse.h"
#include "analysis/rows.h"
#include "analysis/strides.h"
#include "analysis/tally.h"

enum { INSNS = 24000, WINDOW = 16384 };

static int memory(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  const void *arg, struct cairn_result **res)
{
	return cairn_memory(reader, opts, arg, res);
}

/* An access of the reference. */
struct access {
	uint64_t addr, n;
	uint32_t size;
	unsigned hart;
	bool write;
};

static struct access *accesses(const struct trace *trace, size_t *n)
{
	struct access *access = calloc(trace->n_mems + 1, sizeof *access);
	*n = 0;
	for (size_t i = 0; i < trace->n; i++)
		for (uint32_t k = 0; k < trace->rows[i].n_mems; k++) {
			const struct cairn_mem *mem = &trace->mems[trace->rows[i].mem0 + k];
			if (mem->initiator != CAIRN_BY_INSN || mem->flags & CAIRN_VALUE_ADDR_UNKNOWN ||
			    (mem->kind != CAIRN_MEM_READ && mem->kind != CAIRN_MEM_WRITE))
				continue;
			access[(*n)++] = (struct access){
				mem->addr, i + 1, mem->size < 65536 ? mem->size : 65536,
				trace->rows[i].ctx.known & CAIRN_CTX_HART ? trace->rows[i].ctx.hart : 0,
				mem->kind == CAIRN_MEM_WRITE};
		}
	return access;
}

static unsigned bucket(uint64_t n)
{
	unsigned k = 0;
	for (; n; n >>= 1)
		k++;
	return k;
}

/* ---- reuse ---- */

/* Lines in the order of their last touch, the last one first. */
static uint64_t list_touch(uint64_t *list, size_t *n, uint64_t line)
{
	size_t i = 0;
	while (i < *n && list[i] != line)
		i++;
	uint64_t distance = i < *n ? i : REUSE_COLD;
	if (i == *n)
		++*n;
	memmove(list + 1, list, i * sizeof *list);
	list[0] = line;
	return distance;
}

/* A line in an order of its own map. */
static uint64_t touch_line(struct reuse_order *order, uint64_t line)
{
	return reuse_touch(order, base_map_index(order->lines, base_map_at(order->lines, line, 0)));
}

static void distances_are_those_of_a_list(void **state)
{
	(void)state;
	enum { STEPS = 300000, LINES = 2000 };
	struct cairn *cairn = cairn_new(NULL);
	struct base_map map;
	struct reuse_order order;
	base_map_init(&map, cairn, 1);
	reuse_init(&order, &map, 0);
	uint64_t *list = calloc(LINES, sizeof *list), x = 5;
	size_t n = 0;
	for (unsigned i = 0; i < STEPS; i++) { /* more than the slots, so that they are compacted */
		x = x * 6364136223846793005u + 1442695040888963407u;
		/* mostly near, sometimes anywhere */
		uint64_t line = x >> 61 ? (i / 100 + (x >> 40) % 40) % LINES : (x >> 40) % LINES;
		assert_int_equal(touch_line(&order, line), list_touch(list, &n, line));
	}
	free(list);
	reuse_free(&order);
	base_map_free(&map);
	cairn_free(cairn);
}

static void many_lines_keep_their_order(void **state)
{
	(void)state;
	enum { LINES = 200000 };
	struct cairn *cairn = cairn_new(NULL);
	struct base_map map;
	struct reuse_order order;
	base_map_init(&map, cairn, 1);
	reuse_init(&order, &map, 0);
	for (uint64_t round = 0; round < 4; round++)
		for (uint64_t i = 0; i < LINES; i++)
			if (touch_line(&order, i * 64) != (round ? LINES - 1 : REUSE_COLD))
				fail_msg("round %u, line %u", (unsigned)round, (unsigned)i);
	for (uint64_t i = LINES; i-- > LINES - 1000;) /* backwards: as far as it has gone */
		assert_int_equal(touch_line(&order, i * 64), LINES - 1 - i);
	/* Who left is not counted, and comes back at the end. */
	size_t row = base_map_index(&map, base_map_find(&map, 0, 0));
	assert_int_equal(reuse_leave(&order, row), LINES - 1);
	assert_int_equal(reuse_leave(&order, row), REUSE_COLD);
	assert_int_equal(touch_line(&order, 64), LINES - 2);
	assert_int_equal(reuse_arrive(&order, row), 0);
	assert_int_equal(touch_line(&order, 64), 1);
	size_t at = 0, count = 0, last = SIZE_MAX;
	for (size_t next; (next = reuse_next(&order, &at)) != SIZE_MAX; count++)
		last = next;
	assert_int_equal(count, LINES);
	assert_int_equal(base_map_row(&map, last)[0], 64);
	reuse_clear(&order);
	at = 0;
	assert_true(reuse_next(&order, &at) == SIZE_MAX);
	reuse_free(&order);
	base_map_free(&map);
	cairn_free(cairn);
}

static void check_reuse(const struct cairn_result *res, const struct access *access, size_t n)
{
	uint64_t *list = calloc(n * 3 + 1, sizeof *list), counts[64] = {0}, cold = 0, got = 0;
	size_t lines = 0;
	for (size_t i = 0; i < n; i++)
		for (uint64_t line = access[i].addr / 64;
		     line <= (access[i].addr + access[i].size - !!access[i].size) / 64; line++) {
			uint64_t d = list_touch(list, &lines, line);
			if (d == REUSE_COLD)
				cold++;
			else
				counts[bucket(d)]++;
		}
	const struct cairn_table *table = table_of(res, "reuse");
	for (size_t i = 0; i < table->n_rows; i++) {
		bool known = cell_of(table, i, "lines_to")->known;
		uint64_t want = known ? counts[bucket(number_of(table, i, "lines_to"))] : cold;
		assert_int_equal(number_of(table, i, "accesses"), want);
		got += want;
	}
	for (unsigned k = 0; k < 64; k++)
		cold += counts[k];
	assert_int_equal(got, cold);
	assert_int_equal(number_of(table_of(res, "summary"), 0, "lines"), lines);
	free(list);
}

/* ---- forwarding ---- */

/* What wrote (read) each byte last: search backwards. */
static void check_forwarding(const struct cairn_result *res, const struct access *access, size_t n)
{
	uint64_t forward[64][2] = {{0}}, again[64] = {0};
	for (size_t i = 0; i < n; i++) {
		uint64_t newest = 0, oldest = UINT64_MAX, load = 0;
		if (access[i].write || !access[i].size)
			continue;
		for (uint64_t byte = access[i].addr; byte < access[i].addr + access[i].size; byte++) {
			uint64_t store = 0, read = 0;
			for (size_t k = i;
			     k-- > 0 && access[i].n - access[k].n < 2 * WINDOW && !(store && read);)
				if (byte - access[k].addr < access[k].size)
					*(access[k].write ? &store : &read) = (access[k].write ? store : read)
					                                          ? (access[k].write ? store : read)
					                                          : access[k].n;
			newest = store > newest ? store : newest;
			oldest = store < oldest ? store : oldest;
			load = read > load ? read : load;
		}
		if (newest && access[i].n - newest < WINDOW) {
			/* older than the window or never: in part all the same */
			forward[bucket(access[i].n - newest)][oldest != newest]++;
		}
		if (load && access[i].n - load < WINDOW)
			again[bucket(access[i].n - load)]++;
	}
	const struct cairn_table *table = table_of(res, "store_to_load");
	uint64_t sum[3] = {0};
	for (size_t i = 0; i < table->n_rows; i++) {
		unsigned k = bucket(number_of(table, i, "instructions_to"));
		assert_int_equal(number_of(table, i, "whole") + number_of(table, i, "in_part"),
		                 forward[k][0] + forward[k][1]);
		assert_int_equal(number_of(table, i, "whole"), forward[k][0]);
		sum[0] += forward[k][0] + forward[k][1];
	}
	table = table_of(res, "load_to_load");
	for (size_t i = 0; i < table->n_rows; i++) {
		unsigned k = bucket(number_of(table, i, "instructions_to"));
		assert_int_equal(number_of(table, i, "loads"), again[k]);
		sum[1] += again[k];
	}
	for (unsigned k = 0; k < 64; k++)
		sum[2] += forward[k][0] + forward[k][1] + again[k];
	assert_int_equal(sum[0] + sum[1], sum[2]);
}

/* ---- caches ---- */

/* Ways as a list with the time of their last use; the oldest goes. */
static uint64_t misses_of(const struct access *access, size_t n, uint64_t size, uint64_t ways,
                          uint64_t line)
{
	struct way {
		uint64_t tag, used;
	} * cache[4];
	uint64_t sets = size / ways / line, missed = 0, now = 0;
	for (unsigned h = 0; h < 4; h++)
		cache[h] = calloc(sets * ways, sizeof **cache);
	for (size_t i = 0; i < n; i++)
		for (uint64_t l = access[i].addr / line;
		     l <= (access[i].addr + access[i].size - !!access[i].size) / line; l++) {
			struct way *set = cache[access[i].hart % 4] + l % sets * ways, *oldest = set,
					   *hit = NULL;
			for (uint64_t k = 0; k < ways; k++) {
				if (set[k].used && set[k].tag == l)
					hit = &set[k];
				oldest = set[k].used < oldest->used ? &set[k] : oldest;
			}
			missed += !hit;
			hit = hit ? hit : oldest;
			*hit = (struct way){l, ++now};
		}
	for (unsigned h = 0; h < 4; h++)
		free(cache[h]);
	return missed;
}

static void numbers_are_those_of_the_references(void **state)
{
	(void)state;
	static const struct cairn_cache caches[] = {{1024, 1, 32}, {4096, 4, 64}, {3 * 4096, 3, 128}};
	struct cairn_memory_opts how = {.size = sizeof how, .caches = caches, .n_caches = 3};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		size_t n;
		trace_make(&trace, kind, kind == TRACE_RANDOM ? 3000 : INSNS);
		struct access *access = accesses(&trace, &n);
		struct cairn_result *res = analyse(&trace, memory, &how, 2, 0, NULL);
		const struct cairn_table *table = table_of(res, "summary");
		uint64_t reads = 0, bytes = 0;
		for (size_t i = 0; i < n; i++) {
			reads += !access[i].write;
			bytes += access[i].write ? 0 : access[i].size;
		}
		assert_int_equal(number_of(table, 0, "accesses"), n);
		assert_int_equal(number_of(table, 0, "reads"), reads);
		assert_int_equal(number_of(table, 0, "read_bytes"), bytes);
		if (kind != TRACE_RANDOM) { /* whose accesses are too large for lists */
			check_reuse(res, access, n);
			check_forwarding(res, access, n);
			for (unsigned k = 0; k < 3; k++)
				assert_int_equal(
					number_of(table_of(res, "caches"), k, "read_misses") +
						number_of(table_of(res, "caches"), k, "write_misses"),
					misses_of(access, n, caches[k].size, caches[k].ways, caches[k].line));
		}
		cairn_result_free(res);
		free(access);
		trace_free(&trace);
	}
}

static void strides_are_those_of_a_walk(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 120000); /* more than one part */
	struct cairn_result *res = analyse(&trace, memory, NULL, 2, 0, NULL);
	const struct cairn_table *table = table_of(res, "instructions");
	assert_true(table->n_rows > 50);
	for (size_t row = 0; row < table->n_rows; row += 7) {
		uint64_t pc = number_of(table, row, "pc"), count = 0, last = 0, repeats = 0;
		int64_t before = 0, longest = 0;
		unsigned run = 0, most = 0;
		for (size_t i = 0; i < trace.n; i++) {
			if (trace.rows[i].in.pc != pc)
				continue;
			for (uint32_t k = 0; k < trace.rows[i].n_mems; k++) {
				uint64_t at = trace.mems[trace.rows[i].mem0 + k].addr;
				int64_t stride = (int64_t)(at - last);
				if (count >= 2)
					repeats += stride == before;
				run = count >= 2 && stride == before ? run + 1 : 1;
				if (count && run > most) {
					most = run;
					longest = stride;
				}
				before = stride;
				last = at;
				count++;
			}
		}
		assert_int_equal(number_of(table, row, "reads") + number_of(table, row, "writes"), count);
		assert_int_equal(cell_of(table, row, "stride")->known, count == 2 || most > 1);
		if (count == 2 || most > 1)
			assert_int_equal((int64_t)number_of(table, row, "stride"), longest);
		if (count > 2)
			assert_true(fabs(real_of(table, row, "repeated_percent") -
			                 100.0 * (double)repeats / (double)(count - 2)) < 1e-9);
	}
	cairn_result_free(res);
	trace_free(&trace);
}

/* However a walk is cut in two, the halves put together are the whole. */
static void strides_of_parts_are_those_of_the_whole(void **state)
{
	(void)state;
	uint64_t addr[40], x = 11;
	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < 40; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			addr[i] = (i ? addr[i - 1] : 4096) + (x >> 62) % 2 * 8;
		}
		struct stride_site whole = {0};
		for (unsigned i = 0; i < 40; i++)
			stride_take(&whole, addr[i], 8, i % 3 == 0, 0);
		for (unsigned cut = 0; cut <= 40; cut++) {
			struct stride_site left = {0}, right = {0};
			for (unsigned i = 0; i < 40; i++)
				stride_take(i < cut ? &left : &right, addr[i], 8, i % 3 == 0, 0);
			stride_join(&left, &right);
			assert_memory_equal(&left, &whole, sizeof left);
		}
	}
}

static void threads_and_intervals_change_nothing(void **state)
{
	(void)state;
	static const struct cairn_cache l1 = {32768, 8, 64};
	struct cairn_memory_opts how = {.size = sizeof how, .caches = &l1, .n_caches = 1, .sample = 16};
	analyse_all_ways(memory, NULL, 150000);
	analyse_all_ways(memory, &how, 140000);
}

/* A column summed up over all rows with the same key, or over those without one. */
static uint64_t sum_of(const struct cairn_table *table, const char *key,
                       const struct cairn_cell *value, const char *column)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct cairn_cell *cell = cell_of(table, i, key);
		if (cell->known == value->known && (!cell->known || cell->v.number == value->v.number))
			sum += number_of(table, i, column);
	}
	return sum;
}

/* Intervals are parts that are joined: their distances reach over every seam. */
static void distances_of_intervals_are_those_of_the_whole(void **state)
{
	(void)state;
	static const struct {
		const char *table, *key, *columns[2];
	} sums[] = {{"reuse", "lines_to", {"accesses", NULL}},
	            {"store_to_load", "instructions_to", {"whole", "in_part"}},
	            {"load_to_load", "instructions_to", {"loads", NULL}}};
	static const uint64_t every[] = {300, 5000, 17000};
	static const struct cairn_memory_opts line = {.size = sizeof line, .line = 16};
	for (unsigned k = 0; k < 3 * 3; k++) {
		struct trace trace;
		trace_make(&trace, k % 3 == 2 ? TRACE_PLAIN : k % 3, 60000);
		struct cairn_result *all = analyse(&trace, memory, &line, 1, 0, NULL);
		struct cairn_result *parts = analyse(&trace, memory, &line, 3, every[k / 3], NULL);
		for (unsigned s = 0; s < 3; s++) {
			const struct cairn_table *left = table_of(all, sums[s].table),
									 *right = table_of(parts, sums[s].table);
			for (size_t i = 0; i < left->n_rows; i++)
				for (unsigned c = 0; c < 2 && sums[s].columns[c]; c++)
					assert_int_equal(number_of(left, i, sums[s].columns[c]),
					                 sum_of(right, sums[s].key, cell_of(left, i, sums[s].key),
					                        sums[s].columns[c]));
		}
		cairn_result_free(all);
		cairn_result_free(parts);
		trace_free(&trace);
	}
}

static void a_footprint_grows_to_the_whole(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 200000);
	struct cairn_result *all = analyse(&trace, memory, NULL, 2, 0, NULL);
	struct cairn_result *parts = analyse(&trace, memory, NULL, 2, 30000, NULL);
	const struct cairn_table *left = table_of(all, "summary"), *right = table_of(parts, "summary");
	uint64_t lines = 0, reads = 0, cold = 0;
	for (size_t i = 0; i < right->n_rows; i++) {
		lines += number_of(right, i, "new_lines");
		reads += number_of(right, i, "reads");
		assert_int_equal(number_of(right, i, "lines_so_far"), lines);
	}
	assert_int_equal(lines, number_of(left, 0, "lines"));
	assert_int_equal(reads, number_of(left, 0, "reads"));
	right = table_of(parts, "reuse");
	for (size_t i = 0; i < right->n_rows; i++)
		cold += cell_of(right, i, "lines_to")->known ? 0 : number_of(right, i, "accesses");
	assert_int_equal(cold, lines); /* distances reach over intervals */
	cairn_result_free(all);
	cairn_result_free(parts);
	trace_free(&trace);
}

/* Of a whole, an estimate from one line of eight is near. */
static void samples_estimate(void **state)
{
	(void)state;
	struct cairn_memory_opts how = {.size = sizeof how, .sample = 8};
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 400000);
	struct cairn_result *exact = analyse(&trace, memory, NULL, 2, 0, NULL);
	struct cairn_result *rough = analyse(&trace, memory, &how, 2, 0, NULL);
	const struct cairn_table *left = table_of(exact, "reuse"), *right = table_of(rough, "reuse");
	double worst = 0;
	for (size_t i = 0; i < left->n_rows; i++)
		for (size_t k = 0; k < right->n_rows; k++)
			if (number_of(left, i, "lines_to") == number_of(right, k, "lines_to") &&
			    number_of(left, i, "lines_to") >= 64) {
				double d = fabs(real_of(left, i, "cumulative") - real_of(right, k, "cumulative"));
				worst = d > worst ? d : worst;
			}
	assert_true(worst < 20);
	/* What lies nearer than samples do is one row. */
	assert_int_equal(number_of(right, 0, "lines_from"), 0);
	assert_int_equal(number_of(right, 0, "lines_to"), 7);
	assert_int_equal(number_of(right, 1, "lines_from"), 8);
	/* Loads that found their store, likewise. */
	uint64_t found[2] = {0};
	left = table_of(exact, "store_to_load");
	right = table_of(rough, "store_to_load");
	for (size_t i = 0; i < left->n_rows; i++)
		found[0] += number_of(left, i, "whole") + number_of(left, i, "in_part");
	for (size_t i = 0; i < right->n_rows; i++)
		found[1] += number_of(right, i, "whole") + number_of(right, i, "in_part");
	assert_true(found[1] > found[0] / 2 && found[1] < 2 * found[0]);
	assert_non_null(cairn_result_note(rough, 0));
	cairn_result_free(exact);
	cairn_result_free(rough);
	trace_free(&trace);
}

/* Where distances are sampled or not wanted, lines are counted by all threads together. */
static void all_but_distances_is_exact_in_samples(void **state)
{
	(void)state;
	static const char *const tables[] = {"summary", "sizes", "sharing",     "caches",
	                                     "lines",   "pages", "instructions"};
	static const char *const regions[] = {NULL, "20000..90000"};
	static const struct cairn_cache l1 = {4096, 2, 64};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, 5 * INSNS);
		for (unsigned i = 0; i < 7 * 8; i++) {
			struct cairn_memory_opts how = {.size = sizeof how,
			                                .line = i / 8 % 2 ? 16 : 0,
			                                .caches = &l1,
			                                .n_caches = 1};
			uint64_t every = i & 1 ? 7777 : 0;
			const char *region = regions[i / 2 % 2], *table = tables[i / 8];
			char *exact = analyse_text(&trace, memory, &how, 2, every, region, table);
			how.sample = 8;
			how.no_reuse = i / 4 % 2;
			char *rough = analyse_text(&trace, memory, &how, 1 + i % 3, every, region, table);
			if (strcmp(exact, rough) != 0)
				fail_msg("kind %u, case %u: %s", kind, i, table);
			free(exact);
			free(rough);
		}
		trace_free(&trace);
	}
}

/* Two threads' counts, given away whenever they like, are what a list of counters says. */
static void lines_counted_together_are_those_of_a_list(void **state)
{
	(void)state;
	enum { LINES = 40000, STEPS = 400000 };
	struct cairn *cairn = cairn_new(NULL);
	struct mem_line *want = calloc(LINES, sizeof *want);
	struct tally_near *near[2] = {calloc(1, sizeof **near), calloc(1, sizeof **near)};
	struct tally tally;
	uint64_t x = 3, touched = 0;
	tally_init(&tally, cairn);
	for (unsigned i = 0; i < STEPS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint64_t line = x >> 62 ? (x >> 40) % 50 : (x >> 40) % LINES, hart = x >> 30 & 3;
		bool write = x >> 29 & 1;
		hart = hart == 3 ? 63 + 64 * (x >> 28 & 1) : hart; /* one bit for both */
		*(write ? &want[line].writes : &want[line].reads) += 1;
		*(write ? &want[line].writers : &want[line].readers) |= (uint64_t)1 << hart % 64;
		/* The last line there is and the first hash like others. */
		assert_int_equal(tally_take(&tally, near[x >> 27 & 1], ~line, write, (unsigned)hart), 0);
		if (i % 100000 == 99999)
			assert_int_equal(tally_give_all(&tally, near[x >> 27 & 1]), 0);
	}
	for (unsigned k = 0; k < 2; k++)
		assert_int_equal(tally_give_all(&tally, near[k]), 0);
	for (uint64_t line = 0; line < LINES; line++) {
		const uint64_t *got = base_map_find(&tally.lines, ~line, 0);
		bool any = want[line].reads + want[line].writes;
		touched += any;
		assert_int_equal(got != NULL, any);
		if (any)
			assert_memory_equal(got, &want[line], sizeof *want);
	}
	assert_int_equal(tally.lines.n, touched);
	tally_free(&tally);
	free(near[0]);
	free(near[1]);
	free(want);
	cairn_free(cairn);
}

static void reuse_alone_is_that_of_all(void **state)
{
	(void)state;
	static const char *const regions[] = {NULL, "20000..90000"};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, 5 * INSNS);
		for (unsigned i = 0; i < 8; i++) {
			struct cairn_memory_opts how = {.size = sizeof how, .sample = i & 1 ? 8 : 1};
			uint64_t every = i & 2 ? 7777 : 0;
			char *all = analyse_text(&trace, memory, &how, 2, every, regions[i / 4], "reuse");
			how.only_reuse = 1;
			for (unsigned threads = 1; threads < 4; threads++) {
				char *alone =
					analyse_text(&trace, memory, &how, threads, every, regions[i / 4], "reuse");
				assert_string_equal(all, alone);
				free(alone);
			}
			free(all);
		}
		trace_free(&trace);
	}
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	static const struct cairn_cache bad[] = {
		{0, 1, 64},   {4096, 0, 64},       {4096, 4, 48},         {4096, 5, 64},
		{64, 1, 128}, {UINT64_MAX, 1, 64}, {4096, UINT64_MAX, 64}};
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 1000);
	for (size_t i = 0; i < sizeof bad / sizeof *bad + 2; i++) {
		struct cairn_memory_opts how = {.size = sizeof how};
		struct cairn_reader *reader;
		struct cairn_result *res;
		how.line = i == 7 ? 65 : i == 8 ? 8192 : 0;
		how.caches = &bad[i < 7 ? i : 0];
		how.n_caches = i < 7;
		assert_int_equal(cairn_open(trace.cairn, trace.path, NULL, &reader), 0);
		assert_int_equal(cairn_memory(reader, NULL, &how, &res), CAIRN_E_INVAL);
		assert_null(res);
		cairn_close(reader);
	}
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_a_list),
		cmocka_unit_test(many_lines_keep_their_order),
		cmocka_unit_test(numbers_are_those_of_the_references),
		cmocka_unit_test(strides_are_those_of_a_walk),
		cmocka_unit_test(strides_of_parts_are_those_of_the_whole),
		cmocka_unit_test(threads_and_intervals_change_nothing),
		cmocka_unit_test(distances_of_intervals_are_those_of_the_whole),
		cmocka_unit_test(a_footprint_grows_to_the_whole),
		cmocka_unit_test(samples_estimate),
		cmocka_unit_test(all_but_distances_is_exact_in_samples),
		cmocka_unit_test(lines_counted_together_are_those_of_a_list),
		cmocka_unit_test(reuse_alone_is_that_of_all),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};
	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}

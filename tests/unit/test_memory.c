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

static int memory(struct cairn_reader *r, const struct cairn_analysis_opts *o, const void *arg,
                  struct cairn_result **res)
{
	return cairn_memory(r, o, arg, res);
}

/* An access of the reference. */
struct access {
	uint64_t addr, n;
	uint32_t size;
	unsigned hart;
	bool write;
};

static struct access *accesses(const struct trace *t, size_t *n)
{
	struct access *a = calloc(t->n_mems + 1, sizeof *a);
	*n = 0;
	for (size_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->rows[i].n_mems; k++) {
			const struct cairn_mem *m = &t->mems[t->rows[i].mem0 + k];
			if (m->initiator != CAIRN_BY_INSN || m->flags & CAIRN_VALUE_ADDR_UNKNOWN ||
			    (m->kind != CAIRN_MEM_READ && m->kind != CAIRN_MEM_WRITE))
				continue;
			a[(*n)++] =
				(struct access){m->addr, i + 1, m->size < 65536 ? m->size : 65536,
			                    t->rows[i].ctx.known & CAIRN_CTX_HART ? t->rows[i].ctx.hart : 0,
			                    m->kind == CAIRN_MEM_WRITE};
		}
	return a;
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
static uint64_t touch_line(struct reuse_order *o, uint64_t line)
{
	return reuse_touch(o, base_map_index(o->lines, base_map_at(o->lines, line, 0)));
}

static void distances_are_those_of_a_list(void **state)
{
	(void)state;
	enum { STEPS = 300000, LINES = 2000 };
	struct cairn *c = cairn_new(NULL);
	struct base_map map;
	struct reuse_order r;
	base_map_init(&map, c, 1);
	reuse_init(&r, &map, 0);
	uint64_t *list = calloc(LINES, sizeof *list), x = 5;
	size_t n = 0;
	for (unsigned i = 0; i < STEPS; i++) { /* more than the slots, so that they are compacted */
		x = x * 6364136223846793005u + 1442695040888963407u;
		/* mostly near, sometimes anywhere */
		uint64_t line = x >> 61 ? (i / 100 + (x >> 40) % 40) % LINES : (x >> 40) % LINES;
		assert_int_equal(touch_line(&r, line), list_touch(list, &n, line));
	}
	free(list);
	reuse_free(&r);
	base_map_free(&map);
	cairn_free(c);
}

static void many_lines_keep_their_order(void **state)
{
	(void)state;
	enum { LINES = 200000 };
	struct cairn *c = cairn_new(NULL);
	struct base_map map;
	struct reuse_order r;
	base_map_init(&map, c, 1);
	reuse_init(&r, &map, 0);
	for (uint64_t round = 0; round < 4; round++)
		for (uint64_t i = 0; i < LINES; i++)
			if (touch_line(&r, i * 64) != (round ? LINES - 1 : REUSE_COLD))
				fail_msg("round %u, line %u", (unsigned)round, (unsigned)i);
	for (uint64_t i = LINES; i-- > LINES - 1000;) /* backwards: as far as it has gone */
		assert_int_equal(touch_line(&r, i * 64), LINES - 1 - i);
	/* Who left is not counted, and comes back at the end. */
	size_t row = base_map_index(&map, base_map_find(&map, 0, 0));
	assert_int_equal(reuse_leave(&r, row), LINES - 1);
	assert_int_equal(reuse_leave(&r, row), REUSE_COLD);
	assert_int_equal(touch_line(&r, 64), LINES - 2);
	assert_int_equal(reuse_arrive(&r, row), 0);
	assert_int_equal(touch_line(&r, 64), 1);
	size_t at = 0, count = 0, last = SIZE_MAX;
	for (size_t next; (next = reuse_next(&r, &at)) != SIZE_MAX; count++)
		last = next;
	assert_int_equal(count, LINES);
	assert_int_equal(base_map_row(&map, last)[0], 64);
	reuse_clear(&r);
	at = 0;
	assert_true(reuse_next(&r, &at) == SIZE_MAX);
	reuse_free(&r);
	base_map_free(&map);
	cairn_free(c);
}

static void check_reuse(const struct cairn_result *res, const struct access *a, size_t n)
{
	uint64_t *list = calloc(n * 3 + 1, sizeof *list), counts[64] = {0}, cold = 0, got = 0;
	size_t lines = 0;
	for (size_t i = 0; i < n; i++)
		for (uint64_t line = a[i].addr / 64; line <= (a[i].addr + a[i].size - !!a[i].size) / 64;
		     line++) {
			uint64_t d = list_touch(list, &lines, line);
			if (d == REUSE_COLD)
				cold++;
			else
				counts[bucket(d)]++;
		}
	const struct cairn_table *t = table_of(res, "reuse");
	for (size_t i = 0; i < t->n_rows; i++) {
		bool known = cell_of(t, i, "lines_to")->known;
		uint64_t want = known ? counts[bucket(number_of(t, i, "lines_to"))] : cold;
		assert_int_equal(number_of(t, i, "accesses"), want);
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
static void check_forwarding(const struct cairn_result *res, const struct access *a, size_t n)
{
	uint64_t forward[64][2] = {{0}}, again[64] = {0};
	for (size_t i = 0; i < n; i++) {
		uint64_t newest = 0, oldest = UINT64_MAX, load = 0;
		if (a[i].write || !a[i].size)
			continue;
		for (uint64_t byte = a[i].addr; byte < a[i].addr + a[i].size; byte++) {
			uint64_t store = 0, read = 0;
			for (size_t k = i; k-- > 0 && a[i].n - a[k].n < 2 * WINDOW && !(store && read);)
				if (byte - a[k].addr < a[k].size)
					*(a[k].write ? &store : &read) =
						(a[k].write ? store : read) ? (a[k].write ? store : read) : a[k].n;
			newest = store > newest ? store : newest;
			oldest = store < oldest ? store : oldest;
			load = read > load ? read : load;
		}
		if (newest && a[i].n - newest < WINDOW) {
			/* older than the window or never: in part all the same */
			forward[bucket(a[i].n - newest)][oldest != newest]++;
		}
		if (load && a[i].n - load < WINDOW)
			again[bucket(a[i].n - load)]++;
	}
	const struct cairn_table *t = table_of(res, "store_to_load");
	uint64_t sum[3] = {0};
	for (size_t i = 0; i < t->n_rows; i++) {
		unsigned k = bucket(number_of(t, i, "instructions_to"));
		assert_int_equal(number_of(t, i, "whole") + number_of(t, i, "in_part"),
		                 forward[k][0] + forward[k][1]);
		assert_int_equal(number_of(t, i, "whole"), forward[k][0]);
		sum[0] += forward[k][0] + forward[k][1];
	}
	t = table_of(res, "load_to_load");
	for (size_t i = 0; i < t->n_rows; i++) {
		unsigned k = bucket(number_of(t, i, "instructions_to"));
		assert_int_equal(number_of(t, i, "loads"), again[k]);
		sum[1] += again[k];
	}
	for (unsigned k = 0; k < 64; k++)
		sum[2] += forward[k][0] + forward[k][1] + again[k];
	assert_int_equal(sum[0] + sum[1], sum[2]);
}

/* ---- caches ---- */

/* Ways as a list with the time of their last use; the oldest goes. */
static uint64_t misses_of(const struct access *a, size_t n, uint64_t size, uint64_t ways,
                          uint64_t line)
{
	struct way {
		uint64_t tag, used;
	} * cache[4];
	uint64_t sets = size / ways / line, missed = 0, now = 0;
	for (unsigned h = 0; h < 4; h++)
		cache[h] = calloc(sets * ways, sizeof **cache);
	for (size_t i = 0; i < n; i++)
		for (uint64_t l = a[i].addr / line; l <= (a[i].addr + a[i].size - !!a[i].size) / line;
		     l++) {
			struct way *set = cache[a[i].hart % 4] + l % sets * ways, *oldest = set, *hit = NULL;
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
		struct trace t;
		size_t n;
		trace_make(&t, kind, kind == TRACE_RANDOM ? 3000 : INSNS);
		struct access *a = accesses(&t, &n);
		struct cairn_result *res = analyse(&t, memory, &how, 2, 0, NULL);
		const struct cairn_table *s = table_of(res, "summary");
		uint64_t reads = 0, bytes = 0;
		for (size_t i = 0; i < n; i++) {
			reads += !a[i].write;
			bytes += a[i].write ? 0 : a[i].size;
		}
		assert_int_equal(number_of(s, 0, "accesses"), n);
		assert_int_equal(number_of(s, 0, "reads"), reads);
		assert_int_equal(number_of(s, 0, "read_bytes"), bytes);
		if (kind != TRACE_RANDOM) { /* whose accesses are too large for lists */
			check_reuse(res, a, n);
			check_forwarding(res, a, n);
			for (unsigned k = 0; k < 3; k++)
				assert_int_equal(number_of(table_of(res, "caches"), k, "read_misses") +
				                     number_of(table_of(res, "caches"), k, "write_misses"),
				                 misses_of(a, n, caches[k].size, caches[k].ways, caches[k].line));
		}
		cairn_result_free(res);
		free(a);
		trace_free(&t);
	}
}

static void strides_are_those_of_a_walk(void **state)
{
	(void)state;
	struct trace t;
	trace_make(&t, TRACE_LEAN, 120000); /* more than one part */
	struct cairn_result *res = analyse(&t, memory, NULL, 2, 0, NULL);
	const struct cairn_table *s = table_of(res, "instructions");
	assert_true(s->n_rows > 50);
	for (size_t row = 0; row < s->n_rows; row += 7) {
		uint64_t pc = number_of(s, row, "pc"), count = 0, last = 0, repeats = 0;
		int64_t before = 0, longest = 0;
		unsigned run = 0, most = 0;
		for (size_t i = 0; i < t.n; i++) {
			if (t.rows[i].in.pc != pc)
				continue;
			for (uint32_t k = 0; k < t.rows[i].n_mems; k++) {
				uint64_t at = t.mems[t.rows[i].mem0 + k].addr;
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
		assert_int_equal(number_of(s, row, "reads") + number_of(s, row, "writes"), count);
		assert_int_equal(cell_of(s, row, "stride")->known, count == 2 || most > 1);
		if (count == 2 || most > 1)
			assert_int_equal((int64_t)number_of(s, row, "stride"), longest);
		if (count > 2)
			assert_true(fabs(real_of(s, row, "repeated_percent") -
			                 100.0 * (double)repeats / (double)(count - 2)) < 1e-9);
	}
	cairn_result_free(res);
	trace_free(&t);
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
			struct stride_site a = {0}, b = {0};
			for (unsigned i = 0; i < 40; i++)
				stride_take(i < cut ? &a : &b, addr[i], 8, i % 3 == 0, 0);
			stride_join(&a, &b);
			assert_memory_equal(&a, &whole, sizeof a);
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
static uint64_t sum_of(const struct cairn_table *t, const char *key, const struct cairn_cell *value,
                       const char *column)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cairn_cell *c = cell_of(t, i, key);
		if (c->known == value->known && (!c->known || c->v.number == value->v.number))
			sum += number_of(t, i, column);
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
		struct trace t;
		trace_make(&t, k % 3 == 2 ? TRACE_PLAIN : k % 3, 60000);
		struct cairn_result *all = analyse(&t, memory, &line, 1, 0, NULL);
		struct cairn_result *parts = analyse(&t, memory, &line, 3, every[k / 3], NULL);
		for (unsigned s = 0; s < 3; s++) {
			const struct cairn_table *a = table_of(all, sums[s].table),
									 *b = table_of(parts, sums[s].table);
			for (size_t i = 0; i < a->n_rows; i++)
				for (unsigned c = 0; c < 2 && sums[s].columns[c]; c++)
					assert_int_equal(
						number_of(a, i, sums[s].columns[c]),
						sum_of(b, sums[s].key, cell_of(a, i, sums[s].key), sums[s].columns[c]));
		}
		cairn_result_free(all);
		cairn_result_free(parts);
		trace_free(&t);
	}
}

static void a_footprint_grows_to_the_whole(void **state)
{
	(void)state;
	struct trace t;
	trace_make(&t, TRACE_LEAN, 200000);
	struct cairn_result *all = analyse(&t, memory, NULL, 2, 0, NULL);
	struct cairn_result *parts = analyse(&t, memory, NULL, 2, 30000, NULL);
	const struct cairn_table *a = table_of(all, "summary"), *b = table_of(parts, "summary");
	uint64_t lines = 0, reads = 0, cold = 0;
	for (size_t i = 0; i < b->n_rows; i++) {
		lines += number_of(b, i, "new_lines");
		reads += number_of(b, i, "reads");
		assert_int_equal(number_of(b, i, "lines_so_far"), lines);
	}
	assert_int_equal(lines, number_of(a, 0, "lines"));
	assert_int_equal(reads, number_of(a, 0, "reads"));
	b = table_of(parts, "reuse");
	for (size_t i = 0; i < b->n_rows; i++)
		cold += cell_of(b, i, "lines_to")->known ? 0 : number_of(b, i, "accesses");
	assert_int_equal(cold, lines); /* distances reach over intervals */
	cairn_result_free(all);
	cairn_result_free(parts);
	trace_free(&t);
}

/* Of a whole, an estimate from one line of eight is near. */
static void samples_estimate(void **state)
{
	(void)state;
	struct cairn_memory_opts how = {.size = sizeof how, .sample = 8};
	struct trace t;
	trace_make(&t, TRACE_LEAN, 400000);
	struct cairn_result *exact = analyse(&t, memory, NULL, 2, 0, NULL);
	struct cairn_result *rough = analyse(&t, memory, &how, 2, 0, NULL);
	const struct cairn_table *a = table_of(exact, "reuse"), *b = table_of(rough, "reuse");
	double worst = 0;
	for (size_t i = 0; i < a->n_rows; i++)
		for (size_t k = 0; k < b->n_rows; k++)
			if (number_of(a, i, "lines_to") == number_of(b, k, "lines_to") &&
			    number_of(a, i, "lines_to") >= 64) {
				double d = fabs(real_of(a, i, "cumulative") - real_of(b, k, "cumulative"));
				worst = d > worst ? d : worst;
			}
	assert_true(worst < 20);
	/* What lies nearer than samples do is one row. */
	assert_int_equal(number_of(b, 0, "lines_from"), 0);
	assert_int_equal(number_of(b, 0, "lines_to"), 7);
	assert_int_equal(number_of(b, 1, "lines_from"), 8);
	/* Loads that found their store, likewise. */
	uint64_t found[2] = {0};
	a = table_of(exact, "store_to_load");
	b = table_of(rough, "store_to_load");
	for (size_t i = 0; i < a->n_rows; i++)
		found[0] += number_of(a, i, "whole") + number_of(a, i, "in_part");
	for (size_t i = 0; i < b->n_rows; i++)
		found[1] += number_of(b, i, "whole") + number_of(b, i, "in_part");
	assert_true(found[1] > found[0] / 2 && found[1] < 2 * found[0]);
	assert_non_null(cairn_result_note(rough, 0));
	cairn_result_free(exact);
	cairn_result_free(rough);
	trace_free(&t);
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
		struct trace t;
		trace_make(&t, kind, 5 * INSNS);
		for (unsigned i = 0; i < 7 * 8; i++) {
			struct cairn_memory_opts how = {.size = sizeof how,
			                                .line = i / 8 % 2 ? 16 : 0,
			                                .caches = &l1,
			                                .n_caches = 1};
			uint64_t every = i & 1 ? 7777 : 0;
			const char *region = regions[i / 2 % 2], *table = tables[i / 8];
			char *exact = analyse_text(&t, memory, &how, 2, every, region, table);
			how.sample = 8;
			how.no_reuse = i / 4 % 2;
			char *rough = analyse_text(&t, memory, &how, 1 + i % 3, every, region, table);
			if (strcmp(exact, rough) != 0)
				fail_msg("kind %u, case %u: %s", kind, i, table);
			free(exact);
			free(rough);
		}
		trace_free(&t);
	}
}

/* Two threads' counts, given away whenever they like, are what a list of counters says. */
static void lines_counted_together_are_those_of_a_list(void **state)
{
	(void)state;
	enum { LINES = 40000, STEPS = 400000 };
	struct cairn *c = cairn_new(NULL);
	struct mem_line *want = calloc(LINES, sizeof *want);
	struct tally_near *near[2] = {calloc(1, sizeof **near), calloc(1, sizeof **near)};
	struct tally t;
	uint64_t x = 3, touched = 0;
	tally_init(&t, c);
	for (unsigned i = 0; i < STEPS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint64_t line = x >> 62 ? (x >> 40) % 50 : (x >> 40) % LINES, hart = x >> 30 & 3;
		bool write = x >> 29 & 1;
		hart = hart == 3 ? 63 + 64 * (x >> 28 & 1) : hart; /* one bit for both */
		*(write ? &want[line].writes : &want[line].reads) += 1;
		*(write ? &want[line].writers : &want[line].readers) |= (uint64_t)1 << hart % 64;
		/* The last line there is and the first hash like others. */
		assert_int_equal(tally_take(&t, near[x >> 27 & 1], ~line, write, (unsigned)hart), 0);
		if (i % 100000 == 99999)
			assert_int_equal(tally_give_all(&t, near[x >> 27 & 1]), 0);
	}
	for (unsigned k = 0; k < 2; k++)
		assert_int_equal(tally_give_all(&t, near[k]), 0);
	for (uint64_t line = 0; line < LINES; line++) {
		const uint64_t *got = base_map_find(&t.lines, ~line, 0);
		bool any = want[line].reads + want[line].writes;
		touched += any;
		assert_int_equal(got != NULL, any);
		if (any)
			assert_memory_equal(got, &want[line], sizeof *want);
	}
	assert_int_equal(t.lines.n, touched);
	tally_free(&t);
	free(near[0]);
	free(near[1]);
	free(want);
	cairn_free(c);
}

static void reuse_alone_is_that_of_all(void **state)
{
	(void)state;
	static const char *const regions[] = {NULL, "20000..90000"};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace t;
		trace_make(&t, kind, 5 * INSNS);
		for (unsigned i = 0; i < 8; i++) {
			struct cairn_memory_opts how = {.size = sizeof how, .sample = i & 1 ? 8 : 1};
			uint64_t every = i & 2 ? 7777 : 0;
			char *all = analyse_text(&t, memory, &how, 2, every, regions[i / 4], "reuse");
			how.only_reuse = 1;
			for (unsigned threads = 1; threads < 4; threads++) {
				char *alone =
					analyse_text(&t, memory, &how, threads, every, regions[i / 4], "reuse");
				assert_string_equal(all, alone);
				free(alone);
			}
			free(all);
		}
		trace_free(&t);
	}
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	static const struct cairn_cache bad[] = {
		{0, 1, 64},   {4096, 0, 64},       {4096, 4, 48},         {4096, 5, 64},
		{64, 1, 128}, {UINT64_MAX, 1, 64}, {4096, UINT64_MAX, 64}};
	struct trace t;
	trace_make(&t, TRACE_LEAN, 1000);
	for (size_t i = 0; i < sizeof bad / sizeof *bad + 2; i++) {
		struct cairn_memory_opts how = {.size = sizeof how};
		struct cairn_reader *r;
		struct cairn_result *res;
		how.line = i == 7 ? 65 : i == 8 ? 8192 : 0;
		how.caches = &bad[i < 7 ? i : 0];
		how.n_caches = i < 7;
		assert_int_equal(cairn_open(t.c, t.path, NULL, &r), 0);
		assert_int_equal(cairn_memory(r, NULL, &how, &res), CAIRN_E_INVAL);
		assert_null(res);
		cairn_close(r);
	}
	trace_free(&t);
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

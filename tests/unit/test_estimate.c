/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory estimated: what is exact is that of an exact run, and each estimate is what its
 * samples say, found by going through the whole trace, times what they stand for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/accesses.h"
#include "analysis/rows.h"

enum { INSNS = 700000, SAMPLE = 8 };

static int memory(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  const void *arg, struct cairn_result **res)
{
	return cairn_memory(reader, opts, arg, res);
}

static const struct cairn_memory_opts estimate = {.size = sizeof estimate,
                                                  .sample = SAMPLE,
                                                  .estimate = 1};
static const struct cairn_memory_opts sampled = {.size = sizeof sampled, .sample = SAMPLE};

static bool is_access(const struct cairn_mem *mem)
{
	return mem->initiator == CAIRN_BY_INSN && !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN) &&
	       !(mem->flags & CAIRN_VALUE_NOT_WRITTEN) &&
	       (mem->kind == CAIRN_MEM_READ || mem->kind == CAIRN_MEM_WRITE);
}

/* ---- what is exact, and what does not depend on the estimate ---- */

static void sums_sizes_and_distances_are_those_of_samples_alone(void **state)
{
	(void)state;
	static const char *const tables[] = {"sizes", "reuse", "store_to_load", "load_to_load"};
	static const char *const figures[] = {
		"instructions",    "executed",   "with_access",   "accesses",   "reads",
		"writes",          "read_bytes", "written_bytes", "prefetches", "others",
		"address_unknown", "unaligned",  "cross_line",    "cross_page"};
	static const char *const regions[] = {NULL, "20000..90000"};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, 120000);
		for (unsigned i = 0; i < 4; i++) {
			struct cairn_memory_opts rough = estimate, exact = sampled;
			rough.line = exact.line = i & 1 ? 8 : 0;
			for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
				char *a = analyse_text(&trace, memory, &rough, 1 + i, 0, regions[i / 2], tables[k]);
				char *b = analyse_text(&trace, memory, &exact, 2, 0, regions[i / 2], tables[k]);
				if (strcmp(a, b) != 0)
					fail_msg("kind %u, case %u: %s", kind, i, tables[k]);
				free(a);
				free(b);
			}
			struct cairn_result *a = analyse(&trace, memory, &rough, 2, 0, regions[i / 2]);
			struct cairn_result *b = analyse(&trace, memory, &exact, 2, 0, regions[i / 2]);
			for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
				assert_int_equal(number_of(table_of(a, "summary"), 0, figures[k]),
				                 number_of(table_of(b, "summary"), 0, figures[k]));
			cairn_result_free(a);
			cairn_result_free(b);
		}
		trace_free(&trace);
	}
}

/* The long way, which a selection or caches ask for, tells the same; and so do threads. */
static void both_ways_tell_the_same(void **state)
{
	(void)state;
	static const char *const tables[] = {"summary", "sizes",         "sharing",
	                                     "reuse",   "store_to_load", "load_to_load",
	                                     "lines",   "pages",         "instructions"};
	static const struct cairn_cache l1 = {4096, 2, 64};
	struct cairn_memory_opts slow = estimate;
	slow.caches = &l1;
	slow.n_caches = 1;
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, 200000);
		for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
			char *quick = analyse_text(&trace, memory, &estimate, 1, 0, NULL, tables[k]);
			for (unsigned i = 0; i < 4; i++) {
				char *other = analyse_text(&trace, memory, i == 1 ? &slow : &estimate, 1 + i, 0,
				                           i == 2 ? "1..999999" : NULL, tables[k]);
				if (strcmp(quick, other) != 0)
					fail_msg("kind %u, way %u: %s", kind, i, tables[k]);
				free(other);
			}
			free(quick);
		}
		char *a = analyse_text(&trace, memory, &slow, 2, 0, NULL, "caches");
		slow.estimate = 0;
		char *b = analyse_text(&trace, memory, &slow, 2, 0, NULL, "caches");
		slow.estimate = 1;
		assert_string_equal(a, b);
		free(a);
		free(b);
		trace_free(&trace);
	}
}

/* ---- footprint ---- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static size_t distinct(uint64_t *values, size_t n)
{
	size_t many = 0;
	qsort(values, n, sizeof *values, by_value);
	for (size_t i = 0; i < n; i++)
		many += !i || values[i] != values[i - 1];
	return many;
}

static void footprints_are_what_samples_stand_for(void **state)
{
	(void)state;
	const struct mem_run run = {.sampled_below = (UINT64_C(1) << 32) / SAMPLE};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, 100000);
		struct cairn_result *res = analyse(&trace, memory, &estimate, 2, 0, NULL);
		uint64_t *lines = calloc(4 * trace.n_mems + 4, sizeof *lines),
				 *written = calloc(4 * trace.n_mems + 4, sizeof *lines);
		uint64_t *pages = calloc(4 * trace.n_mems + 4, sizeof *pages);
		size_t n = 0, n_written = 0, n_pages = 0;
		for (size_t i = 0; i < trace.n_mems; i++) {
			const struct cairn_mem *mem = &trace.mems[i];
			uint64_t size = mem->size ? mem->size : 1;
			if (!is_access(mem) || size > 128)
				continue;
			for (uint64_t l = mem->addr / 64; l <= (mem->addr + size - 1) / 64; l++) {
				bool is = mem_sampled(&run, l);
				lines[n] = written[n_written] = l;
				n += is;
				n_written += is && mem->kind == CAIRN_MEM_WRITE;
			}
			for (uint64_t p = mem->addr / 4096; p <= (mem->addr + size - 1) / 4096; p++) {
				pages[n_pages] = p;
				n_pages += mem_page_sampled(p);
			}
		}
		const struct cairn_table *table = table_of(res, "summary");
		assert_int_equal(number_of(table, 0, "lines"), SAMPLE * distinct(lines, n));
		assert_int_equal(number_of(table, 0, "lines_written"),
		                 SAMPLE * distinct(written, n_written));
		assert_int_equal(number_of(table, 0, "pages"), MEM_PAGE_SAMPLE * distinct(pages, n_pages));
		assert_true(number_of(table, 0, "lines") > 0);
		cairn_result_free(res);
		free(lines);
		free(written);
		free(pages);
		trace_free(&trace);
	}
}

/* ---- what is used most ---- */

static void regions_of_stretches(char *text, size_t size, size_t insns)
{
	size_t at = 0;
	unsigned chosen = 0;
	for (size_t s = 0; s * MEM_STRETCH < insns; s++) {
		if (!mem_stretch_chosen(s))
			continue;
		chosen++;
		at += (size_t)snprintf(text + at, size - at, "%zu..%zu ", s * MEM_STRETCH + 1,
		                       (s + 1) * MEM_STRETCH);
	}
	assert_true(chosen >= 5 && at < size);
}

/* An exact run of the stretches alone has the same rows, less often. */
static void the_most_used_are_those_of_stretches(void **state)
{
	(void)state;
	static const char *const tables[] = {"lines", "pages", "instructions"};
	static const char *const columns[] = {"reads", "writes", "bytes"};
	char regions[4096];
	regions_of_stretches(regions, sizeof regions, INSNS);
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, INSNS);
		struct cairn_result *rough = analyse(&trace, memory, &estimate, 2, 0, NULL);
		struct cairn_result *exact = analyse(&trace, memory, &sampled, 2, 0, regions);
		for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
			const struct cairn_table *left = table_of(rough, tables[k]),
									 *right = table_of(exact, tables[k]);
			assert_true(left->n_rows > 0);
			assert_int_equal(left->n_rows, right->n_rows);
			for (size_t row = 0; row < left->n_rows; row++) {
				assert_int_equal(left->cells[row * left->n_columns].v.number,
				                 right->cells[row * right->n_columns].v.number);
				for (size_t i = 0; i < (k == 2 ? 3 : 2); i++)
					assert_int_equal(number_of(left, row, columns[i]),
					                 MEM_STRETCHES * number_of(right, row, columns[i]));
			}
		}
		cairn_result_free(rough);
		cairn_result_free(exact);
		trace_free(&trace);
	}
}

/* Strides are within stretches, one after another. */
static void strides_are_those_within_stretches(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, INSNS);
	struct cairn_result *res = analyse(&trace, memory, &estimate, 2, 0, NULL);
	const struct cairn_table *table = table_of(res, "instructions");
	for (size_t row = 0; row < table->n_rows; row += 5) {
		uint64_t pc = number_of(table, row, "pc"), last = 0, in = UINT64_MAX;
		uint64_t strides = 0, repeats = 0, run = 0, most = 0;
		int64_t before = 0, longest = 0;
		for (size_t i = 0; i < trace.n; i++) {
			uint64_t stretch = i / MEM_STRETCH;
			for (uint32_t k = 0; trace.rows[i].in.pc == pc && mem_stretch_chosen(stretch) &&
			                     k < trace.rows[i].n_mems;
			     k++) {
				uint64_t at = trace.mems[trace.rows[i].mem0 + k].addr;
				int64_t stride = (int64_t)(at - last);
				bool is = in == stretch;
				last = at;
				in = stretch;
				if (!is)
					continue;
				run = strides && stride == before ? run + 1 : 1;
				repeats += strides && stride == before;
				longest = run > most ? stride : longest;
				most = run > most ? run : most;
				before = stride;
				strides++;
			}
		}
		bool known = most > 1 || strides == 1;
		assert_int_equal(cell_of(table, row, "stride")->known, known);
		if (known)
			assert_int_equal((int64_t)number_of(table, row, "stride"), longest);
		if (strides > 1)
			assert_true(real_of(table, row, "repeated_percent") ==
			            100.0 * (double)repeats / (double)(strides - 1));
	}
	cairn_result_free(res);
	trace_free(&trace);
}

/* Joined at any two places, strides within stretches are those of the whole. */
static void strides_of_parts_within_stretches_are_those_of_the_whole(void **state)
{
	(void)state;
	uint64_t addr[30], in[30], x = 5;
	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < 30; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			addr[i] = (i ? addr[i - 1] : 4096) + (x >> 62) % 2 * 8;
			in[i] = (i ? in[i - 1] : 0) + ((x >> 40) % 5 ? 0 : 7);
		}
		struct stride_site whole = {0};
		for (unsigned i = 0; i < 30; i++)
			stride_take(&whole, addr[i], 8, i % 3 == 0, in[i]);
		for (unsigned cut = 0; cut <= 30 * 30; cut++) {
			struct stride_site part[3] = {{0}};
			for (unsigned i = 0; i < 30; i++)
				stride_take(&part[(i >= cut / 30) + (i >= cut / 30 && i >= cut % 30)], addr[i], 8,
				            i % 3 == 0, in[i]);
			stride_join(&part[1], &part[2]);
			stride_join(&part[0], &part[1]);
			assert_memory_equal(&part[0], &whole, sizeof whole);
		}
	}
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 1000);
	for (unsigned i = 0; i < 3; i++) {
		struct cairn_memory_opts how = estimate;
		struct cairn_analysis_opts opts = {.size = sizeof opts, .every = i == 0 ? 100 : 0};
		struct cairn_reader *reader;
		struct cairn_result *res;
		how.sample = i == 1 ? 1 : SAMPLE;
		how.no_reuse = i == 2;
		assert_int_equal(cairn_open(trace.cairn, trace.path, NULL, &reader), 0);
		assert_int_equal(cairn_memory(reader, &opts, &how, &res), CAIRN_E_INVAL);
		cairn_close(reader);
	}
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_sizes_and_distances_are_those_of_samples_alone),
		cmocka_unit_test(both_ways_tell_the_same),
		cmocka_unit_test(footprints_are_what_samples_stand_for),
		cmocka_unit_test(the_most_used_are_those_of_stretches),
		cmocka_unit_test(strides_are_those_within_stretches),
		cmocka_unit_test(strides_of_parts_within_stretches_are_those_of_the_whole),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};
	return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The overview: every column against a walk over its instructions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/rows.h"

enum { INSNS = 250000 };

static int overview(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    const void *arg, struct cairn_result **res)
{
	return cairn_overview(reader, opts, *(const unsigned *)arg, res);
}

/* Was the page touched before row `i`? Pages are few. */
struct pages {
	uint64_t *list;
	size_t n;
};

static bool touch(struct pages *pages, uint64_t page)
{
	for (size_t i = 0; i < pages->n; i++)
		if (pages->list[i] == page)
			return false;
	pages->list = realloc(pages->list, (pages->n + 1) * sizeof *pages->list);
	pages->list[pages->n++] = page;
	return true;
}

static void check_columns(const struct trace *trace, const struct cairn_result *res, unsigned most)
{
	const struct cairn_table *table = table_of(res, "columns");
	struct pages pages = {0};
	uint64_t next = 1;
	assert_true(table->n_rows > 0 && table->n_rows <= most);
	for (size_t i = 0; i < table->n_rows; i++) {
		uint64_t first = number_of(table, i, "first"), last = number_of(table, i, "last");
		uint64_t loads = 0, cond = 0, taken = 0, fresh = 0, traps = 0;
		assert_int_equal(first, next);
		next = last + 1;
		for (uint64_t n = first; n <= last; n++) {
			const struct row *row = &trace->rows[n - 1];
			loads += row->in.cls == CAIRN_CLASS_LOAD;
			if (row->in.traits & CAIRN_TRAIT_CONDITIONAL && row->in.traits & CAIRN_TRAIT_BRANCH &&
			    !(row->in.flags & CAIRN_INSN_NOT_EXECUTED)) {
				cond++;
				taken += (row->in.flags & CAIRN_INSN_TAKEN) != 0;
			}
			traps += row->trapped != 0;
			for (uint32_t k = 0; k < row->n_mems; k++)
				for (uint64_t at = 0, size = trace->mems[row->mem0 + k].size; at < size || !at;
				     at++)
					fresh += touch(&pages, (trace->mems[row->mem0 + k].addr + at) >> 12);
		}
		assert_int_equal(number_of(table, i, "instructions"), last - first + 1);
		assert_true(fabs(real_of(table, i, "load") -
		                 100.0 * (double)loads / (double)(last - first + 1)) < 1e-9);
		if (cond)
			assert_true(fabs(real_of(table, i, "taken_percent") -
			                 100.0 * (double)taken / (double)cond) < 1e-9);
		assert_int_equal(number_of(table, i, "new_pages"), fresh);
		assert_int_equal(number_of(table, i, "pages"), pages.n);
		assert_true(number_of(table, i, "events") >= traps);
	}
	assert_int_equal(next, trace->n + 1);
	free(pages.list);
}

static void columns_are_what_they_say(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 2; kind++)
		for (unsigned columns = 7; columns <= 512; columns = columns * 3 + 40) {
			struct trace trace;
			trace_make(&trace, kind, kind ? 3000 + columns : INSNS);
			struct cairn_result *res = analyse(&trace, overview, &columns, 3, 0, NULL);
			check_columns(&trace, res, columns);
			cairn_result_free(res);
			trace_free(&trace);
		}
}

/* Columns of so many instructions, and their strips in screens below each other. */
static void intervals_are_columns(void **state)
{
	(void)state;
	unsigned columns = 30;
	struct trace trace;
	trace_make(&trace, TRACE_FULL, INSNS);
	for (unsigned threads = 1; threads < 4; threads++) {
		struct cairn_result *res = analyse(&trace, overview, &columns, threads, 3001, NULL);
		const struct cairn_table *table = table_of(res, "columns");
		struct cairn_text *text = cairn_text_new(trace.cairn);
		size_t n, rulers = 0;
		assert_int_equal(table->n_rows, (INSNS + 3000) / 3001);
		for (size_t i = 0; i < table->n_rows; i++)
			assert_int_equal(number_of(table, i, "first"), 3001 * i + 1);
		check_columns(&trace, res, (unsigned)table->n_rows);
		assert_int_equal(cairn_overview_text(res, text), 0);
		const char *s = cairn_text_get(text, &n);
		for (size_t i = 0; i + 11 < n; i++)
			rulers += !memcmp(s + i, "instruction ", 12);
		assert_int_equal(rulers, (table->n_rows + columns - 1) / columns);
		cairn_text_free(text);
		cairn_result_free(res);
	}
	char *one = analyse_text(&trace, overview, &columns, 1, 3001, "20000..130000", NULL);
	char *more = analyse_text(&trace, overview, &columns, 5, 3001, "20000..130000", NULL);
	assert_string_equal(one, more);
	free(one);
	free(more);
	trace_free(&trace);
}

static void *missing_realloc(void *user, void *p, size_t n)
{
	bool *missing = user;
	if (n && *missing) {
		*missing = false;
		return NULL;
	}
	if (n)
		return realloc(p, n);
	free(p);
	return NULL;
}

/* A text has room for 4096 bytes at first: wherever they end among the strips, what cannot be had is
 * reported, though all that comes behind it could be written. */
static void check_lack(const struct trace *trace)
{
	enum { ROOM = 4096 };
	static const char filling[ROOM] = "";
	unsigned columns = 14;
	struct cairn_result *res = analyse(trace, overview, &columns, 1, trace->n / 20 + 1, NULL);
	bool missing = false;
	struct cairn_opts opts = {.size = sizeof opts,
	                          .realloc = missing_realloc,
	                          .alloc_user = &missing};
	struct cairn *cairn = cairn_new(&opts);
	struct cairn_text *text = cairn_text_new(cairn);
	size_t len;
	assert_int_equal(cairn_overview_text(res, text), 0);
	cairn_text_get(text, &len);
	assert_true(len > 500 && len < ROOM);
	for (size_t before = 1; before <= len; before++) {
		cairn_text_free(text);
		text = cairn_text_new(cairn);
		assert_int_equal(cairn_text_put(text, filling, ROOM - len + before), 0);
		missing = true;
		if (cairn_overview_text(res, text) != CAIRN_E_NOMEM || missing)
			fail_msg("%zu bytes before the end", before);
	}
	cairn_text_free(text);
	cairn_free(cairn);
	cairn_result_free(res);
}

static void no_piece_is_left_out_for_want_of_memory(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, 3000);
		check_lack(&trace);
		trace_free(&trace);
	}
}

static void hot_code_adds_up(void **state)
{
	(void)state;
	unsigned columns = 50;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, INSNS);
	struct cairn_result *res = analyse(&trace, overview, &columns, 2, 0, NULL);
	const struct cairn_table *table = table_of(res, "functions");
	assert_true(table->n_rows > 0 && table->n_rows <= 8);
	for (size_t i = 0; i < table->n_rows; i++) {
		uint64_t page = strtoull(text_of(table, i, "function"), NULL, 16), count = 0;
		for (size_t k = 0; k < trace.n; k++)
			count += trace.rows[k].in.pc >> 12 == page >> 12;
		assert_int_equal(count, number_of(table, i, "instructions"));
	}
	cairn_result_free(res);
	trace_free(&trace);
}

static void threads_and_regions_change_nothing(void **state)
{
	(void)state;
	static const char *const regions[] = {NULL, "20000..130000", "5..6"};
	unsigned columns = 60;
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, INSNS);
		for (unsigned i = 0; i < 3; i++) {
			char *one = analyse_text(&trace, overview, &columns, 1, 0, regions[i], NULL);
			for (unsigned threads = 2; threads <= 5; threads += 3) {
				char *more = analyse_text(&trace, overview, &columns, threads, 0, regions[i], NULL);
				if (strcmp(one, more) != 0)
					fail_msg("kind %u, region %u: %u threads differ", kind, i, threads);
				free(more);
			}
			free(one);
		}
		trace_free(&trace);
	}
}

static void check_width(const struct trace *trace, unsigned way)
{
	unsigned columns = 14 + 3 * way; /* of a terminal of 40 */
	struct cairn_result *res = analyse(trace, overview, &columns, 2, 0, NULL);
	struct cairn_text *text = cairn_text_new(trace->cairn);
	size_t n, lines = 0;
	assert_int_equal(cairn_overview_text(res, text), 0);
	const char *s = cairn_text_get(text, &n);
	for (const char *end; (end = memchr(s, '\n', n)); n -= (size_t)(end + 1 - s), s = end + 1) {
		size_t width = 0;
		for (const char *p = s; p < end; p++)
			width += (*p & 0xc0) != 0x80;
		if (lines) /* below the sentence: legends and the ruler's numbers, too */
			assert_true(width <= 26 + columns);
		lines++;
	}
	assert_true(lines > 10 && lines < 40);
	cairn_text_free(text);
	cairn_result_free(res);
}

static void strips_are_as_wide_as_asked(void **state)
{
	(void)state;
	for (unsigned kind = TRACE_FULL; kind <= TRACE_RANDOM; kind++) {
		struct trace trace;
		trace_make(&trace, kind, kind == TRACE_RANDOM ? 20000 : INSNS);
		for (unsigned way = 0; way < 60; way++)
			check_width(&trace, way);
		trace_free(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_what_they_say),
		cmocka_unit_test(intervals_are_columns),
		cmocka_unit_test(no_piece_is_left_out_for_want_of_memory),
		cmocka_unit_test(hot_code_adds_up),
		cmocka_unit_test(threads_and_regions_change_nothing),
		cmocka_unit_test(strips_are_as_wide_as_asked),
	};
	return cmocka_run_group_tests_name("overview", tests, NULL, NULL);
}

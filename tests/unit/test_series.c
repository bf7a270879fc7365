/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results in parts, of every analysis: intervals, and regions that were selected, add up to
 * the whole; and a table asked for alone has the rows that it has among all, while others
 * have none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/result.h"
#include "analysis/rows.h"
#include "cairn/analysis.h"

enum { INSNS = 60000, EVERY = 12501, PARTS = 5, FEW = 4000 }; /* all else is new at random: FEW */

typedef int whole_fn(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     struct cairn_result **res);

static int mix(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               struct cairn_result **res)
{
	return cairn_mix(reader, opts, "class mnemonic,size privilege", res);
}

static int branches(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    struct cairn_result **res)
{
	return cairn_branches(reader, opts, "all", res);
}

static int memory(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  struct cairn_result **res)
{
	static const struct cairn_cache cache = {4096, 2, 64};
	struct cairn_memory_opts memory_opts = {.size = sizeof memory_opts,
	                                        .caches = &cache,
	                                        .n_caches = 1};
	return cairn_memory(reader, opts, &memory_opts, res);
}

static int blocks(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                  struct cairn_result **res)
{
	return cairn_blocks(reader, opts, NULL, res);
}

static int overview(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    struct cairn_result **res)
{
	return cairn_overview(reader, opts, 50, res);
}

static int simpoints(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                     struct cairn_result **res)
{
	struct cairn_analysis_opts own = *opts;
	own.every = 5000;
	return cairn_simpoints(reader, &own, NULL, res);
}

static int call(struct cairn_reader *reader, const struct cairn_analysis_opts *opts, const void *fn,
                struct cairn_result **res)
{
	whole_fn *const *f = fn;
	return (*f)(reader, opts, res);
}

/* ---- sums ---- */

/* Columns that add up, of rows with the same key (two columns at most, none: the only row).
 * `anew`: also where each part begins without knowing what was before. */
static const struct sums {
	whole_fn *fn;
	const char *table, *key[2], *columns[12];
	bool anew;
} sums[] = {
	{mix, "class", {"class"}, {"count"}, true},
	{mix, "mnemonic,size", {"mnemonic", "size"}, {"count"}, true},
	{mix, "privilege", {"privilege"}, {"count"}, true},
	{branches,
     "summary",
     {NULL},
     {"instructions", "executed", "branches", "taken", "conditional", "conditional_taken",
      "outcome_unknown", "indirect", "calls", "returns"},
     true},
	{branches, "kinds", {"kind"}, {"executed"}, true},
	{branches, "branches", {"pc"}, {"executed"}, true},
	{branches,
     "branches",
     {"pc"},
     {"bimodal_missed", "gshare_missed", "tage_missed", "target_missed"},
     false},
	{branches, "predictors", {"predictor"}, {"predicted"}, true},
	{branches, "predictors", {"predictor"}, {"missed"}, false},
	{memory,
     "summary",
     {NULL},
     {"instructions", "executed", "with_access", "accesses", "reads", "writes", "read_bytes",
      "written_bytes", "unaligned", "cross_line", "cross_page"},
     true},
	{memory, "summary", {NULL}, {"new_lines", "new_pages"}, false},
	{memory, "sizes", {"kind", "size"}, {"aligned", "unaligned"}, true},
	{memory, "caches", {"size"}, {"accesses"}, true},
	{memory, "caches", {"size"}, {"read_misses", "write_misses"}, false},
	{memory, "reuse", {"lines_from"}, {"accesses"}, false},
	{memory, "store_to_load", {"instructions_from"}, {"whole", "in_part"}, false},
	{memory, "load_to_load", {"instructions_from"}, {"loads"}, false},
	{blocks, "summary", {NULL}, {"instructions"}, true},
	{blocks, "blocks", {"pc"}, {"executions", "instructions"}, false},
	{cairn_calls, "summary", {NULL}, {"instructions", "calls", "returns"}, false},
	{cairn_calls,
     "summary",
     {NULL},
     {"tail_calls", "frames_unwound", "returns_unmatched", "traps", "trap_returns",
      "stack_switches", "breaks", "beyond_depth"},
     false},
	{cairn_calls, "functions", {"address"}, {"calls", "self"}, false},
	{cairn_deps, "summary", {NULL}, {"executed", "registers_unknown", "sources"}, true},
	{overview, "summary", {NULL}, {"instructions", "events"}, true},
};

static bool same_cell(const struct cairn_cell *left, const struct cairn_cell *right, unsigned kind)
{
	if (left->known != right->known || !left->known)
		return left->known == right->known;
	return kind == CAIRN_CELL_TEXT ? !strcmp(left->v.text, right->v.text)
	                               : left->v.number == right->v.number;
}

static unsigned kind_of(const struct cairn_table *table, const char *column)
{
	size_t k = 0;
	while (strcmp(table->columns[k].name, column) != 0)
		k++;
	return table->columns[k].kind;
}

/* The sum of a column over rows of `t` that are as row `row` of `table` is. */
static uint64_t sum_of(const struct sums *s, const struct cairn_table *table, size_t row,
                       const struct cairn_table *t, const char *column)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		bool is = true;
		for (unsigned k = 0; k < 2 && s->key[k]; k++)
			is &= same_cell(cell_of(table, row, s->key[k]), cell_of(t, i, s->key[k]),
			                kind_of(table, s->key[k]));
		const struct cairn_cell *cell = cell_of(t, i, column);
		sum += is && cell->known ? cell->v.number : 0;
	}
	return sum;
}

/* Does the whole have what `parts` (tables of several results, or one series) have? */
static void add_up(const struct sums *s, const struct trace *trace,
                   struct cairn_result *const *parts, unsigned n, const char *how)
{
	struct cairn_result *whole = analyse(trace, call, &s->fn, 2, 0, NULL);
	const struct cairn_table *left = table_of(whole, s->table);
	for (unsigned k = 0; s->columns[k]; k++) {
		uint64_t all = 0, in_parts = 0;
		for (size_t row = 0; row < left->n_rows; row++) {
			const struct cairn_cell *cell = cell_of(left, row, s->columns[k]);
			uint64_t sum = 0, is = cell->known ? cell->v.number : 0;
			for (unsigned i = 0; i < n; i++)
				sum += sum_of(s, left, row, table_of(parts[i], s->table), s->columns[k]);
			if (sum != is)
				fail_msg("%s: %s, row %zu, %s: %llu in parts, %llu in all", how, s->table, row,
				         s->columns[k], (unsigned long long)sum, (unsigned long long)is);
			all += is;
		}
		for (unsigned i = 0; i < n; i++) { /* and no rows that the whole has not */
			const struct cairn_table *right = table_of(parts[i], s->table);
			for (size_t row = 0; row < right->n_rows; row++)
				in_parts += cell_of(right, row, s->columns[k])->known
				                ? number_of(right, row, s->columns[k])
				                : 0;
		}
		assert_int_equal(in_parts, all);
	}
	cairn_result_free(whole);
}

static void parts_add_up_to_the_whole(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < TRACE_KINDS - 1; kind++) {
		struct trace trace;
		trace_make(&trace, kind, kind == TRACE_RANDOM ? FEW : INSNS);
		unsigned every = (unsigned)trace.n / PARTS + 1;
		for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
			const struct sums *s = &sums[i];
			struct cairn_result *parts[PARTS];
			if (s->fn != overview) {
				parts[0] = analyse(&trace, call, &s->fn, 3, every, NULL);
				add_up(s, &trace, parts, 1, "intervals");
				cairn_result_free(parts[0]);
			}
			for (unsigned k = 0; k < PARTS && s->anew; k++) {
				char region[64];
				snprintf(region, sizeof region, "%u..%u", k * every + 1, (k + 1) * every);
				parts[k] = analyse(&trace, call, &s->fn, 2, 0, region);
			}
			if (s->anew)
				add_up(s, &trace, parts, PARTS, "regions");
			for (unsigned k = 0; k < PARTS && s->anew; k++)
				cairn_result_free(parts[k]);
		}
		trace_free(&trace);
	}
}

/* ---- one table ---- */

struct alone {
	whole_fn *fn;
	const char *table;
};

static int ask(struct cairn_reader *reader, const struct cairn_analysis_opts *opts, const void *arg,
               struct cairn_result **res)
{
	const struct alone *alone = arg;
	struct cairn_analysis_opts own = *opts;
	own.table = alone->table;
	return alone->fn(reader, &own, res);
}

static void a_table_alone_is_that_of_all(void **state)
{
	(void)state;
	static whole_fn *const all[] = {mix,         branches,   memory,   blocks,
	                                cairn_calls, cairn_deps, overview, simpoints};
	struct trace trace;
	trace_make(&trace, TRACE_FULL, INSNS);
	for (size_t i = 0; i < 2 * sizeof all / sizeof *all; i++) {
		struct alone one = {all[i / 2], NULL};
		uint64_t every = i & 1 ? EVERY : 0;
		struct cairn_result *whole = analyse(&trace, ask, &one, 2, every, NULL);
		const struct cairn_table *left, *right;
		for (size_t k = 0; (left = cairn_result_table(whole, k)); k++) {
			one.table = NULL;
			char *among = analyse_text(&trace, ask, &one, 2, every, NULL, left->name);
			one.table = left->name;
			char *alone = analyse_text(&trace, ask, &one, 3, every, NULL, left->name);
			struct cairn_result *res = analyse(&trace, ask, &one, 2, every, NULL);
			assert_string_equal(among, alone);
			for (size_t n = 0; (right = cairn_result_table(res, n)); n++)
				assert_int_equal(right->n_rows, n == k ? left->n_rows : 0);
			cairn_result_free(res);
			free(among);
			free(alone);
		}
		cairn_result_free(whole);
	}
	trace_free(&trace);
}

/* ---- written as it comes ---- */

struct pieces {
	char *text;
	size_t n;
	unsigned calls, fail_at; /* 0: never */
};

static int take(void *user, const void *data, size_t n)
{
	struct pieces *pieces = user;
	if (++pieces->calls == pieces->fail_at)
		return CAIRN_E_IO;
	pieces->text = realloc(pieces->text, pieces->n + n + 1);
	assert_non_null(pieces->text);
	memcpy(pieces->text + pieces->n, data, n);
	pieces->n += n;
	pieces->text[pieces->n] = '\0';
	return 0;
}

struct written {
	whole_fn *fn;
	struct cairn_series *series;
};

static int write_series(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                        const void *arg, struct cairn_result **res)
{
	const struct written *written = arg;
	struct cairn_analysis_opts own = *opts;
	own.interval = cairn_series_interval;
	own.user = written->series;
	return written->fn(reader, &own, res);
}

/* The result printed at the end, and printed while it is made: the same bytes. */
static void same_in_pieces(const struct trace *trace, whole_fn *fn, uint64_t every,
                           const struct cairn_print_opts *opts)
{
	struct cairn_result *whole = analyse(trace, call, &fn, 2, every, NULL);
	struct cairn_text *text = cairn_text_new(trace->cairn);
	struct pieces pieces = {.text = NULL};
	struct written written = {.fn = fn};
	size_t n;
	assert_int_equal(cairn_result_print(whole, opts, text), 0);
	assert_int_equal(cairn_series_new(trace->cairn, opts, "-", take, &pieces, &written.series), 0);
	struct cairn_result *res = analyse(trace, write_series, &written, 3, every, NULL);
	assert_int_equal(cairn_series_end(written.series, res), 0);
	const char *all = cairn_text_get(text, &n);
	assert_int_equal(pieces.n, n);
	if (n)
		assert_memory_equal(pieces.text, all, n);
	cairn_series_free(written.series);
	cairn_result_free(res);
	cairn_result_free(whole);
	cairn_text_free(text);
	free(pieces.text);
}

static void a_series_is_the_same_as_it_comes(void **state)
{
	(void)state;
	static whole_fn *const all[] = {mix,         branches,   memory,   blocks,
	                                cairn_calls, cairn_deps, overview, simpoints};
	struct trace trace;
	trace_make(&trace, TRACE_FULL, INSNS);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (unsigned form = CAIRN_FORM_TEXT; form <= CAIRN_FORM_CSV; form++) {
			struct cairn_print_opts opts = {.size = sizeof opts, .form = (uint8_t)form};
			same_in_pieces(&trace, all[i], EVERY, &opts);
			opts.top = 3;
			same_in_pieces(&trace, all[i], 1000, &opts);
			opts.table = all[i] == mix ? "class" : "summary";
			same_in_pieces(&trace, all[i], 1000, &opts);
			same_in_pieces(&trace, all[i], 0, &opts);
		}
	/* So many rows that a temporary file holds them. */
	for (unsigned form = CAIRN_FORM_TEXT; form <= CAIRN_FORM_CSV; form++) {
		struct cairn_print_opts opts = {.size = sizeof opts, .form = (uint8_t)form};
		same_in_pieces(&trace, mix, 2, &opts);
	}
	trace_free(&trace);
}

/* Every kind of cell, at its ends, through what keeps rows; and a table that comes late. */
static void kept_cells_are_what_they_were(void **state)
{
	(void)state;
	static const struct cairn_column columns[] = {{"text", CAIRN_CELL_TEXT, 0, NULL},
	                                              {"count", CAIRN_CELL_COUNT, 0, NULL},
	                                              {"at", CAIRN_CELL_ADDRESS, 0, NULL},
	                                              {"real", CAIRN_CELL_REAL, 3, NULL},
	                                              {"distance", CAIRN_CELL_SIGNED, 0, NULL}};
	static const uint64_t ends[] = {0, 1, 127, 128, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX};
	static const char *const names[] = {"first", "kept", "late"};
	enum { ENDS = sizeof ends / sizeof *ends, INTERVALS = 5 };
	struct cairn *cairn = cairn_new(NULL);
	for (unsigned form = CAIRN_FORM_TEXT; form <= CAIRN_FORM_CSV; form++) {
		struct cairn_print_opts opts = {.size = sizeof opts, .form = (uint8_t)form, .top = 30};
		struct cairn_result *whole = result_new(cairn, NULL), *res = result_new(cairn, NULL);
		struct cairn_text *text = cairn_text_new(cairn);
		struct pieces pieces = {.text = NULL};
		struct cairn_series *series = NULL;
		size_t n;
		assert_int_equal(cairn_series_new(cairn, &opts, "-", take, &pieces, &series), 0);
		for (unsigned at = 0; at < INTERVALS; at++) {
			struct cairn_result *const both[] = {whole, res};
			for (unsigned k = 0; k < 6; k++) {
				struct cairn_result *to = both[k / 3];
				result_interval(to, at * 10 + 1, at * 10 + 10);
				if (k % 3 == 2 && at < 2)
					continue;
				struct result_table *table = result_table(to, names[k % 3], columns, 5);
				for (unsigned i = 0; i < at * 10; i++) {
					struct cairn_cell *row = result_row(to, table);
					if (i % 5 != 1)
						cell_text(&row[0], result_text(to, "%.*s", (int)i, "a,\"b c\x1b\xff=d"));
					for (unsigned c = 1; c < 5; c++)
						if (i % 5 != c && c != 3)
							cell_number(&row[c], ends[(i + c) % ENDS]);
					cell_ratio(&row[3], i, at % 2 ? -3 : 0);
				}
			}
			assert_int_equal(cairn_series_interval(series, res), 1);
			result_forget(res);
		}
		result_note(whole, "said");
		result_note(res, "said");
		assert_int_equal(cairn_series_end(series, res), 0);
		assert_int_equal(cairn_result_print(whole, &opts, text), 0);
		const char *all = cairn_text_get(text, &n);
		assert_int_equal(pieces.n, n);
		assert_memory_equal(pieces.text, all, n);
		cairn_series_free(series);
		cairn_text_free(text);
		cairn_result_free(whole);
		cairn_result_free(res);
		free(pieces.text);
	}
	cairn_free(cairn);
}

/* An output that fails ends the analysis, and not only at its end. */
static void a_failing_output_ends_a_series(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_FULL, FEW);
	struct cairn_print_opts opts = {.size = sizeof opts, .form = CAIRN_FORM_JSON};
	struct pieces pieces = {.fail_at = 3};
	struct cairn_series *series;
	struct cairn_reader *reader;
	struct cairn_result *res = NULL;
	assert_int_equal(cairn_series_new(trace.cairn, &opts, "-", take, &pieces, &series), 0);
	struct cairn_analysis_opts how = {.size = sizeof how,
	                                  .every = 100,
	                                  .interval = cairn_series_interval,
	                                  .user = series};
	assert_int_equal(cairn_open(trace.cairn, trace.path, NULL, &reader), 0);
	assert_int_equal(mix(reader, &how, &res), CAIRN_E_IO);
	assert_null(res);
	assert_int_equal(pieces.calls, 3);
	cairn_close(reader);
	cairn_series_free(series);
	free(pieces.text);
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up_to_the_whole),
		cmocka_unit_test(a_table_alone_is_that_of_all),
		cmocka_unit_test(a_series_is_the_same_as_it_comes),
		cmocka_unit_test(kept_cells_are_what_they_were),
		cmocka_unit_test(a_failing_output_ends_a_series),
	};
	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}

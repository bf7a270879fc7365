/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report: every number on the page, against walks over the whole trace for each.
 *
 * A cell that was compared is crossed out on the page; in the end none may be left.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "analysis/page.h"
#include "analysis/watch.h"
#include "cairn/check.h"
#include "cairn/isa.h"

enum { INSNS = 3000 };

/* ---- the mix ---- */

typedef void key_fn(const struct cairn_insn *in, char text[CELL]);

static void class_key(const struct cairn_insn *in, char text[CELL])
{
	snprintf(text, CELL, "%s", cairn_class_name((enum cairn_class)in->cls));
}

static void size_key(const struct cairn_insn *in, char text[CELL])
{
	snprintf(text, CELL, "%u", in->size);
}

static void names_key(const struct cairn_insn *in, char text[CELL], bool extension)
{
	const char *name = NULL, *ext = NULL;
	cairn_isa_mnemonic((enum cairn_isa)in->isa, in->enc, in->size, &name, &ext);
	const char *which = extension ? ext : name;
	snprintf(text, CELL, "%s", which ? which : extension ? "–" : "");
}

static void mnemonic_key(const struct cairn_insn *in, char text[CELL])
{
	names_key(in, text, false);
}

static void extension_key(const struct cairn_insn *in, char text[CELL])
{
	names_key(in, text, true);
}

static void check_mix(char *page, const struct trace *trace, const char *caption,
                      const char *column, key_fn *key)
{
	struct grid grid = grid_of(page, "mix", caption);
	char mine[CELL], other[CELL], shown[CELL];
	size_t distinct = 0;
	uint64_t before = UINT64_MAX;
	for (size_t i = 0; i < trace->n; i++) { /* keys that were not there before */
		key(&trace->rows[i].in, mine);
		size_t k = 0;
		for (; k < i; k++) {
			key(&trace->rows[k].in, other);
			if (!strcmp(mine, other))
				break;
		}
		distinct += k == i;
	}
	shows_first(grid, distinct);
	for (size_t row = 0; row < grid.rows; row++) {
		uint64_t n = 0;
		take(grid, row, column_of(grid, column), shown);
		for (size_t i = 0; i < trace->n; i++) {
			key(&trace->rows[i].in, mine);
			n += !strcmp(mine, shown);
		}
		number_is(grid, row, "count", n);
		real_is(grid, row, "percent", share(n, trace->n), 2);
		assert_true(n > 0 && n <= before);
		before = n;
	}
}

/* ---- overview ---- */

enum { WIDTH = 64 }; /* instructions in a column: the least there is */

/* A strip: its highest value, and the line that its values make. */
static void strip_is(char *page, const char *name, const double *values, size_t n, int decimals)
{
	char text[CELL], tag[CELL], *end;
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = values[i] > most ? values[i] : most;
	struct grid grid = {.from = section_of(page, "overview", &end)};
	grid.end = end;
	snprintf(tag, sizeof tag, "<tr><th>%s</th>", name);
	char *at = strstr(grid.from, tag);
	if (!(most > 0)) {
		assert_true(!at || at > end);
		return;
	}
	spell(most, decimals, text);
	figure_is(grid, name, decimals < 0 ? "" : text);
	at = strstr(strstr(grid.from, tag), "d=\"M0 28");
	at += strlen("d=\"M0 28");
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof text, "V%.1fH%.1f", 28 * (1 - values[i] / most),
		         720.0 / (double)n * (double)(i + 1));
		if (strncmp(at, text, strlen(text)) != 0)
			fail_msg("%s, column %zu: %.12s on the page, %s by walking", name, i, at, text);
		at += strlen(text);
	}
	assert_int_equal(strncmp(at, "V28Z", 4), 0);
}

static unsigned group_of(enum cairn_class c)
{
	return c == CAIRN_CLASS_INT || c == CAIRN_CLASS_NOP   ? 0
	       : c == CAIRN_CLASS_MUL || c == CAIRN_CLASS_DIV ? 1
	       : c == CAIRN_CLASS_LOAD                        ? 2
	       : c == CAIRN_CLASS_STORE                       ? 3
	       : c == CAIRN_CLASS_BRANCH || c == CAIRN_CLASS_JUMP || c == CAIRN_CLASS_CALL ||
	               c == CAIRN_CLASS_RETURN
	           ? 4
	       : c == CAIRN_CLASS_FP || c == CAIRN_CLASS_FPDIV || c == CAIRN_CLASS_VECTOR ? 5
	                                                                                  : 6;
}

static void check_strips(char *page, const struct trace *trace)
{
	static const char *const names[] = {
		"int %",        "mul, div %", "load %",           "store %",      "branch %",
		"fp, vector %", "other %",    "branches taken %", "pages so far", "traps"};
	static double v[10][INSNS / WIDTH + 1];
	size_t columns = (trace->n + WIDTH - 1) / WIDTH, n;
	struct touch *touch = accesses_of(trace, &n);
	memset(v, 0, sizeof v);
	for (size_t c = 0; c < columns; c++) {
		size_t first = c * WIDTH, last = first + WIDTH < trace->n ? first + WIDTH : trace->n,
			   touched = 0;
		uint64_t count[7] = {0}, cond = 0, taken = 0;
		for (size_t i = first; i < last; i++) {
			const struct cairn_insn *in = &trace->rows[i].in;
			count[group_of((enum cairn_class)in->cls)]++;
			bool branch =
				in->traits & CAIRN_TRAIT_BRANCH && in->traits & CAIRN_TRAIT_CONDITIONAL && runs(in);
			cond += branch;
			taken += branch && goes(in);
			v[9][c] += trace->rows[i].trapped;
		}
		for (unsigned k = 0; k < 7; k++)
			v[k][c] = share(count[k], last - first);
		v[7][c] = cond ? share(taken, cond) : 0;
		while (touched < n && touch[touched].row < last)
			touched++;
		v[8][c] = (double)distinct(touch, touched, PAGE, false);
	}
	for (unsigned k = 0; k < 10; k++)
		strip_is(page, names[k], v[k], columns, k < 8);
	free(touch);
}

static void check_overview(char *page, const struct trace *trace)
{
	struct grid grid = grid_of(page, "overview", "Where most instructions are");
	size_t columns = (trace->n + WIDTH - 1) / WIDTH;
	uint64_t before = UINT64_MAX;
	assert_non_null(strstr(page, "<th>instructions 1 to 3000</th>"));
	check_strips(page, trace);
	for (size_t row = 0; row < grid.rows; row++) {
		double v[INSNS / WIDTH + 1] = {0};
		char text[CELL];
		uint64_t all = 0;
		take(grid, row, 0, text);
		uint64_t code = strtoull(text, NULL, 16);
		for (size_t i = 0; i < trace->n; i++) {
			bool there = trace->rows[i].in.pc / PAGE * PAGE == code;
			size_t c = i / WIDTH;
			all += there;
			v[c] += there;
		}
		for (size_t c = 0; c < columns; c++)
			v[c] = 100.0 * v[c] / (double)(c + 1 < columns ? WIDTH : trace->n - c * WIDTH);
		number_is(grid, row, "instructions", all);
		real_is(grid, row, "percent", share(all, trace->n), 2);
		strip_is(page, text, v, columns, 1);
		assert_true(all <= before);
		before = all;
	}
}

/* ---- calls, findings, facts ---- */

/* Of a program: calls and returns match, nothing else happens. */
static void check_calls(char *page, const struct trace *trace)
{
	static const char *const none[] = {"tail calls", "frames unwound", "returns unmatched",
	                                   "traps",      "trap returns",   "stack switches",
	                                   "breaks",     "beyond depth"};
	struct watched_function *list = calloc(WATCH_FUNCTIONS, sizeof *list);
	struct grid grid = grid_of(page, "calls", "Functions"), figures = grid_of(page, "calls", NULL);
	size_t n = watch_calls(trace, list);
	uint64_t calls = 0, returns = 0, depth = 1, deepest = 1;
	shows_first(grid, n);
	for (size_t row = 0; row < grid.rows; row++) {
		char text[CELL];
		take(grid, row, 1, text);
		text_is(grid, row, "function", text);
		const struct watched_function *function = watched_at(list, &n, strtoull(text, NULL, 16));
		number_is(grid, row, "calls", function->calls);
		number_is(grid, row, "self", function->self);
		real_is(grid, row, "self percent", share(function->self, trace->n), 2);
		number_is(grid, row, "total", function->total);
		real_is(grid, row, "total percent", share(function->total, trace->n), 2);
	}
	for (size_t i = 0; i < trace->n; i++) {
		bool call = trace->rows[i].in.traits & CAIRN_TRAIT_CALL && i + 1 < trace->n;
		bool back = !call && trace->rows[i].in.traits & CAIRN_TRAIT_RETURN;
		calls += call;
		returns += back;
		depth += (uint64_t)call - (uint64_t)back;
		deepest = depth > deepest ? depth : deepest;
	}
	count_is(figures, "instructions", trace->n);
	count_is(figures, "calls", calls);
	count_is(figures, "returns", returns);
	count_is(figures, "deepest", deepest);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		count_is(figures, none[i], 0);
	free(list);
}

struct found {
	struct grid grid;
	size_t n;
	uint64_t severe[8];
};

static int take_finding(void *user, const struct cairn_finding *finding)
{
	struct found *all = user;
	char insn[CELL] = "", text[CELL];
	if (finding->known & CAIRN_PLACE_INSN)
		snprintf(insn, sizeof insn, "%llu", (unsigned long long)finding->insn);
	text_is(all->grid, all->n, "rule", finding->rule->id);
	text_is(all->grid, all->n, "instruction", insn);
	take(all->grid, all->n, 0, text);
	assert_string_equal(text, cairn_severity_name((enum cairn_severity)finding->rule->severity));
	all->n++;
	return 0;
}

static int count_finding(void *user, const struct cairn_finding *finding)
{
	((struct found *)user)->severe[finding->rule->severity & 7]++;
	return 0;
}

static void find(const struct trace *trace, struct found *all, uint64_t most,
                 int (*finding)(void *, const struct cairn_finding *))
{
	struct cairn_check_opts opts = {.size = sizeof opts,
	                                .threads = 1,
	                                .most = most,
	                                .finding = finding,
	                                .user = all};
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1};
	struct cairn_reader *reader;
	assert_int_equal(cairn_open(trace->cairn, trace->path, &open, &reader), 0);
	assert_true(cairn_check(reader, &opts, &res) >= 0);
	cairn_close(reader);
}

/* The first of each rule stand there, in their order; all are counted. */
static void check_findings(char *page, const struct trace *trace)
{
	char *end, sum[CELL];
	struct found all = {.grid = {.from = section_of(page, "check", &end)}};
	all.grid.end = strstr(all.grid.from, "</table>");
	find(trace, &all, 10, take_finding);
	find(trace, &all, UINT64_MAX, count_finding);
	snprintf(
		sum, sizeof sum, "<p>%llu error%s, %llu warning%s, %llu note%s in the whole trace.</p>",
		(unsigned long long)all.severe[CAIRN_ERROR], all.severe[CAIRN_ERROR] == 1 ? "" : "s",
		(unsigned long long)all.severe[CAIRN_WARNING], all.severe[CAIRN_WARNING] == 1 ? "" : "s",
		(unsigned long long)all.severe[CAIRN_NOTE], all.severe[CAIRN_NOTE] == 1 ? "" : "s");
	assert_non_null(strstr(all.grid.end, sum));
	assert_null(nth(strstr(all.grid.from, "<tbody>"), "<tr>", all.n, all.grid.end));
}

static void check_facts(char *page, const struct trace *trace)
{
	struct grid grid = grid_of(page, "trace", NULL);
	struct stat st;
	char text[CELL];
	assert_int_equal(stat(trace->path, &st), 0);
	count_is(grid, "instructions", trace->n);
	count_is(grid, "size", (uint64_t)st.st_size);
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)trace->rows[0].in.pc);
	figure_is(grid, "first pc", text);
	figure_is(grid, "format", "STF");
}

/* ---- all of it ---- */

static char *page_of(const struct trace *trace, unsigned threads)
{
	struct cairn_report_opts opts = {.size = sizeof opts, .threads = threads};
	struct trace_file file = {0};
	if (cairn_report(trace->cairn, trace->path, &opts, trace_collect, &file) < 0)
		fail_msg("%s", cairn_error_text(trace->cairn));
	return file.text;
}

static void nothing_is_left(const char *page, const char *from)
{
	for (const char *at = strstr(page, from); (at = strstr(at, NUMBER)); at++)
		if (at[strlen(NUMBER)] != '<')
			fail_msg("not compared: %.80s", at);
}

/* What is the same of any trace; the page, to be freed. */
static char *check_most(struct trace *trace, unsigned kind)
{
	trace_make(trace, kind, INSNS);
	char *page = page_of(trace, 2), *again = page_of(trace, 1);
	assert_string_equal(page, again);
	free(again);
	check_facts(page, trace);
	check_overview(page, trace);
	check_mix(page, trace, "By class", "class", class_key);
	check_mix(page, trace, "By extension", "extension", extension_key);
	check_mix(page, trace, "By size", "size", size_key);
	check_branches(page, trace);
	check_memory(page, trace);
	return page;
}

static void all_numbers_of_a_program_are_those_of_walks(void **state)
{
	(void)state;
	struct trace trace;
	char *page = check_most(&trace, TRACE_FULL);
	check_mix(page, &trace, "By mnemonic", "mnemonic", mnemonic_key);
	check_calls(page, &trace);
	check_findings(page, &trace);
	nothing_is_left(page, "<h2");
	free(page);
	trace_free(&trace);
}

/* Anything may follow anything, on four harts: what calls are is for their own test. */
static void numbers_of_chaos_are_those_of_walks(void **state)
{
	(void)state;
	struct trace trace;
	free(check_most(&trace, TRACE_RANDOM));
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_numbers_of_a_program_are_those_of_walks),
		cmocka_unit_test(numbers_of_chaos_are_those_of_walks),
	};
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

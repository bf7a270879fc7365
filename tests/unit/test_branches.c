/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, against a reference that keeps every outcome; the predictors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/predict.h"
#include "analysis/rows.h"
#include "analysis/watch.h"

enum { INSNS = 230000 };

static int branches(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                    const void *arg, struct cairn_result **res)
{
	return cairn_branches(reader, opts, arg, res);
}

static void close_to(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(a)))
		fail_msg("%.12g is not %.12g", a, b);
}

static void compare_branch(const struct cairn_table *table, size_t row,
                           const struct watched *watched)
{
	bool cond = !strcmp(text_of(table, row, "kind"), "conditional");
	assert_int_equal(number_of(table, row, "executed"), watched->executed);
	close_to(real_of(table, row, "taken_percent"),
	         100.0 * (double)watched->taken / (double)watched->executed);
	if (watched->targets && watched->targets < 64)
		assert_int_equal(number_of(table, row, "targets"), watched->targets);
	if (!cond)
		return;
	assert_int_equal(number_of(table, row, "transitions"), watched->transitions);
	const char *cls = text_of(table, row, "class");
	assert_int_equal(!strcmp(cls, "always"), watched->taken == watched->executed);
	assert_int_equal(!strcmp(cls, "never"), watched->taken == 0);
	bool loop = false;
	for (unsigned way = 0; way < 2; way++)
		loop |= watched->runs[way] >= 3 && watched->shortest[way] == watched->longest[way] &&
		        watched->longest[way] > 1 && watched->longest[!way] == 1;
	assert_int_equal(!strcmp(cls, "loop"), loop);
	assert_int_equal(cell_of(table, row, "local_entropy")->known, watched->n_local != 0);
	if (watched->n_local)
		close_to(real_of(table, row, "local_entropy"), watched->local / (double)watched->n_local);
	if (watched->n_global)
		close_to(real_of(table, row, "global_entropy"),
		         watched->global / (double)watched->n_global);
}

static void branches_do_what_they_did(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, kind == TRACE_RANDOM ? 20000 : INSNS);
		uint32_t *order = calloc(trace.n, sizeof *order);
		size_t n = 0;
		for (size_t i = 0; i < trace.n; i++)
			if (trace.rows[i].in.traits & CAIRN_TRAIT_BRANCH &&
			    !(trace.rows[i].in.flags & CAIRN_INSN_NOT_EXECUTED))
				order[n++] = (uint32_t)i;
		/* Many spans, so that histories and runs are joined often. */
		struct cairn_result *res = analyse(&trace, branches, NULL, 3, 0, NULL);
		const struct cairn_table *all = table_of(res, "branches");
		uint64_t executed = 0;
		for (size_t i = 0; i < all->n_rows; i++) {
			if (i < 100 || i % 37 == 0) {
				struct watched watched = watch(&trace, order, n, number_of(all, i, "pc"));
				compare_branch(all, i, &watched);
			}
			executed += number_of(all, i, "executed");
		}
		assert_int_equal(executed, n);
		assert_int_equal(number_of(table_of(res, "summary"), 0, "branches"), n);
		cairn_result_free(res);
		free(order);
		trace_free(&trace);
	}
}

static void threads_and_intervals_change_nothing(void **state)
{
	(void)state;
	analyse_all_ways(branches, NULL, INSNS);
	analyse_all_ways(branches, "bimodal,gshare:1K,tage:8K", INSNS);
}

/* ---- predictors ---- */

static void counters_predict_as_the_textbook_says(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, INSNS);
	uint8_t table[2][4096];
	uint64_t history = 0, missed[2] = {0};
	memset(table, 2, sizeof table);
	for (size_t i = 0; i < trace.n; i++) {
		const struct cairn_insn *in = &trace.rows[i].in;
		if (!(in->traits & CAIRN_TRAIT_CONDITIONAL) || in->flags & CAIRN_INSN_NOT_EXECUTED)
			continue;
		bool taken = in->flags & CAIRN_INSN_TAKEN;
		for (unsigned k = 0; k < 2; k++) {
			uint8_t *two = &table[k][(in->pc / 2 ^ (k ? history : 0)) % 4096];
			missed[k] += (*two > 1) != taken;
			*two = (uint8_t)(taken ? *two + (*two < 3) : *two - (*two > 0));
		}
		history = history * 2 + taken;
	}
	struct cairn_result *res = analyse(&trace, branches, "bimodal:1K,gshare:1K", 2, 0, NULL);
	const struct cairn_table *p = table_of(res, "predictors");
	for (unsigned k = 0; k < 2; k++) {
		assert_int_equal(number_of(p, k, "bytes"), 1024);
		assert_int_equal(number_of(p, k, "missed"), missed[k]);
	}
	uint64_t sum = 0;
	const struct cairn_table *all = table_of(res, "branches");
	for (size_t i = 0; i < all->n_rows; i++)
		sum += number_of(all, i, "gshare_missed");
	assert_int_equal(sum, missed[1]);
	cairn_result_free(res);
	trace_free(&trace);
}

/* TAGE of 8 KiB as the paper draws it, every history folded anew from the list of all outcomes.
 * Of its sizes: an eighth for the base, the rest for six tables of entries of two bytes. */
enum { T_TABLES = 6, T_BASE = 12, T_INDEX = 9, T_TAG = 11 };
static struct tagged {
	int tag, counter, useful;
} tagged[T_TABLES][1 << T_INDEX];
static int t_base[1 << T_BASE];

static uint32_t folded(const uint8_t *past, size_t n, unsigned length, unsigned bits)
{
	uint32_t v = 0;
	for (unsigned age = 0; age < length && age < n; age++)
		v ^= (uint32_t)past[n - 1 - age] << age % bits;
	return v;
}

static void teach(int *counter, bool taken, int least, int most)
{
	*counter += taken ? *counter < most : -(*counter > least);
}

static bool is_new(const struct tagged *e)
{
	return e->useful == 0 && (e->counter == 0 || e->counter == -1);
}

static void take_entry(struct tagged **e, const int *tag, int from, bool taken, uint32_t *lots)
{
	*lots = *lots >> 1 ^ (*lots & 1 ? 0xd0000001u : 0);
	from += from < T_TABLES - 1 && *lots % 4 == 0;
	int i = from;
	while (i < T_TABLES && e[i]->useful)
		i++;
	if (i < T_TABLES)
		*e[i] = (struct tagged){tag[i], taken ? 0 : -1, 0};
	for (; i == T_TABLES && from < T_TABLES; from++)
		e[from]->useful--;
}

/* Was the branch behind `n` outcomes foreseen? */
static bool tage_step(uint64_t pc, const uint8_t *past, size_t n, bool taken, int *trust,
                      uint32_t *lots)
{
	static const unsigned length[T_TABLES] = {5, 9, 17, 33, 65, 129};
	struct tagged *e[T_TABLES];
	int tag[T_TABLES], first = -1, second = -1;
	uint64_t a = pc / 2;
	for (int i = 0; i < T_TABLES; i++) {
		uint64_t at = a ^ a >> (T_INDEX - i % T_INDEX) ^ folded(past, n, length[i], T_INDEX);
		tag[i] = (int)((a ^ folded(past, n, length[i], T_TAG) ^
		                (uint64_t)folded(past, n, length[i], T_TAG - 1) * 2) %
		               (1 << T_TAG)) |
		         1;
		e[i] = &tagged[i][at % (1 << T_INDEX)];
		if (e[i]->tag == tag[i]) {
			second = first;
			first = i;
		}
	}
	int *base = &t_base[a % (1 << T_BASE)];
	bool other = second >= 0 ? e[second]->counter >= 0 : *base >= 2;
	bool longest = first >= 0 ? e[first]->counter >= 0 : other;
	bool said = first >= 0 && is_new(e[first]) && *trust >= 0 ? other : longest;
	if (first < 0) {
		teach(base, taken, 0, 3);
	} else {
		if (is_new(e[first]) && longest != other)
			teach(trust, other == taken, -8, 7);
		if (longest != other)
			teach(&e[first]->useful, longest == taken, 0, 3);
		teach(&e[first]->counter, taken, -4, 3);
		if (e[first]->useful == 0 && second < 0)
			teach(base, taken, 0, 3);
	}
	if (said != taken && first < T_TABLES - 1)
		take_entry(e, tag, first + 1, taken, lots);
	return said == taken;
}

static void tage_is_that_of_histories_folded_anew(void **state)
{
	(void)state;
	enum { AGE = 1 << 18 }; /* branches until usefulness fades */
	for (unsigned kind = 0; kind < 3; kind++) {
		struct cairn *cairn = cairn_new(NULL);
		struct predict *predict = predict_new(cairn, PREDICT_TAGE, 8192);
		enum { MANY = AGE + 60000 };
		uint8_t *past = calloc(MANY, 1);
		uint64_t x = 88172645463325252u, wrong = 0;
		uint32_t lots = 1;
		int trust = 0;
		memset(tagged, 0, sizeof tagged);
		for (size_t i = 0; i < 1 << T_BASE; i++)
			t_base[i] = 2;
		for (size_t n = 0; n < MANY; n++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			/* loops in each other; what depends on what was before; chance */
			uint64_t pc = 0x10000 + (kind == 2 ? x >> 50 : n % 37) * 6;
			bool taken = kind == 0   ? n % 41 != 0 && n % 7 != 3
			             : kind == 1 ? n > 30 && past[n - 30] ^ past[n - 11] ^ (x >> 60 == 0)
			                         : x >> 40 & 1;
			bool right = tage_step(pc, past, n, taken, &trust, &lots);
			if (predict_branch(predict, pc, taken) != right)
				fail_msg("kind %u, branch %zu", kind, n);
			wrong += !right;
			past[n] = taken;
			for (size_t k = 0; (n + 1) % AGE == 0 && k < T_TABLES << T_INDEX; k++)
				tagged[k >> T_INDEX][k % (1 << T_INDEX)].useful /= 2;
		}
		assert_true(wrong > 0 && wrong < MANY);
		predict_free(cairn, predict);
		cairn_free(cairn);
		free(past);
	}
}

/* Of the last quarter of a long run, how many were missed? */
static unsigned late_misses(enum predict_kind kind, uint64_t bytes, unsigned period)
{
	enum { LONG = 40000 };
	struct cairn *cairn = cairn_new(NULL);
	struct predict *predict = predict_new(cairn, kind, bytes);
	unsigned missed = 0;
	for (unsigned i = 0; i < LONG; i++) {
		bool right = predict_branch(predict, 0x1000, i % period != 0);
		missed += i >= LONG / 4 * 3 && !right;
	}
	predict_free(cairn, predict);
	cairn_free(cairn);
	return missed;
}

static void tage_learns_what_needs_a_long_history(void **state)
{
	(void)state;
	/* A loop of 40: the exit shows only to who sees 39 outcomes back. */
	assert_int_equal(late_misses(PREDICT_BIMODAL, 4096, 40), 250);
	assert_true(late_misses(PREDICT_GSHARE, 4096, 40) >= 200);
	assert_int_equal(late_misses(PREDICT_TAGE, 65536, 40), 0);
	assert_int_equal(late_misses(PREDICT_TAGE, 65536, 100), 0);
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		assert_true(late_misses((enum predict_kind)k, 4096, 1000000) <= 1);
}

static void sizes_are_told_and_kept(void **state)
{
	(void)state;
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		for (uint64_t bytes = 64; bytes <= 1 << 20; bytes += bytes / 3) {
			uint64_t used = predict_bytes((enum predict_kind)k, bytes);
			assert_true(used > 0 && used <= bytes);
			assert_int_equal(
				predict_bytes((enum predict_kind)k, predict_default((enum predict_kind)k)) <=
					predict_default((enum predict_kind)k),
				1);
			if (bytes < 4096)
				assert_true(late_misses((enum predict_kind)k, bytes, 1000000) <= 1);
		}
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"oracle",
	                                  "tage:",
	                                  "tage:12",
	                                  "tage:1G",
	                                  "bimodal:4Kx",
	                                  "bimodal,,gshare",
	                                  "gshare:99999999999999999999"};
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 1000);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct cairn_reader *reader;
		struct cairn_result *res;
		assert_int_equal(cairn_open(trace.cairn, trace.path, NULL, &reader), 0);
		assert_int_equal(cairn_branches(reader, NULL, bad[i], &res), CAIRN_E_INVAL);
		cairn_close(reader);
	}
	trace_free(&trace);
}

/* ---- BT9 ---- */

/* Walk the graph: the branches, their outcomes and the instructions between must be
 * the trace's. */
static void bt9_walks_the_trace(void **state)
{
	(void)state;
	struct trace trace;
	struct cairn_reader *reader;
	struct trace_file file = {0};
	enum { MOST = 100000 };
	static uint64_t node[MOST], from[MOST], to[MOST], target[MOST], count[MOST];
	static char way[MOST];
	trace_make(&trace, TRACE_LEAN, 50000);
	assert_int_equal(cairn_open(trace.cairn, trace.path, NULL, &reader), 0);
	assert_int_equal(cairn_export_bt9(reader, NULL, trace_collect, &file), 0);
	cairn_close(reader);
	char *line = strtok(file.text, "\n");
	assert_string_equal(line, "BT9_SPA_TRACE_FORMAT");
	for (; line && strcmp(line, "BT9_EDGE_SEQUENCE"); line = strtok(NULL, "\n")) {
		unsigned long long id, a, b, c, d;
		char k;
		if (sscanf(line, "NODE %llu 0x%llx", &id, &a) == 2)
			node[id] = a;
		if (sscanf(line, "EDGE %llu %llu %llu %c 0x%llx - %llu", &id, &a, &b, &k, &c, &d) == 6) {
			from[id] = a;
			to[id] = b;
			way[id] = k;
			target[id] = c;
			count[id] = d;
		}
	}
	uint64_t at = 0, last = 0;
	while ((line = strtok(NULL, "\n")) && strcmp(line, "EOF")) {
		unsigned long e = strtoul(line, NULL, 10);
		assert_int_equal(from[e], last);
		last = to[e];
		if (at) {
			const struct cairn_insn *in = &trace.rows[at - 1].in;
			bool taken = in->flags & CAIRN_INSN_TAKEN;
			assert_int_equal(node[from[e]], in->pc);
			assert_int_equal(way[e], taken ? 'T' : 'N');
			assert_true(!taken || target[e] == in->target);
		}
		uint64_t next = at;
		do
			next++;
		while (next < trace.n && !(trace.rows[next - 1].in.traits & CAIRN_TRAIT_BRANCH));
		if (last) {
			assert_int_equal(count[e], next - at);
			assert_int_equal(node[last], trace.rows[next - 1].in.pc);
		} else {
			assert_int_equal(at + count[e], trace.n);
		}
		at = next;
	}
	assert_non_null(line);
	assert_int_equal(last, 0);
	free(file.text);
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_do_what_they_did),
		cmocka_unit_test(threads_and_intervals_change_nothing),
		cmocka_unit_test(counters_predict_as_the_textbook_says),
		cmocka_unit_test(tage_is_that_of_histories_folded_anew),
		cmocka_unit_test(tage_learns_what_needs_a_long_history),
		cmocka_unit_test(sizes_are_told_and_kept),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(bt9_walks_the_trace),
	};
	return cmocka_run_group_tests_name("branches", tests, NULL, NULL);
}

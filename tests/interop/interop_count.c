/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four ways to count a trace come to the same numbers: the formats' own scans, batches, the
 * analysis of branches and the totals of an index. In every given trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn/cairn.h"
#include "given.h"

enum { MOST = 2000000 }; /* instructions of a trace that is looked at */

static struct cairn *c;
static unsigned traces, wrong;
static uint64_t branches, taken; /* of the trace that is looked at */

static void compare(const char *path, const char *way, const char *what, uint64_t a, uint64_t b)
{
	if (a == b)
		return;
	wrong++;
	fprintf(stderr, "# %s: %s: scans count %llu, %s %llu\n", path, what, (unsigned long long)a, way,
	        (unsigned long long)b);
}

static bool open_trace(const char *path, struct cairn_reader **reader)
{
	struct cairn_open_opts opts = {.size = sizeof opts};
	return cairn_open(c, path, &opts, reader) >= 0;
}

/* Branches that ran: what the analysis looks at. Where the trace says nothing, what always branches
 * was taken. */
static void count_executed(const struct cairn_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		const struct cairn_insn *row = &batch->insns[i];
		bool ran = !(row->flags & CAIRN_INSN_NOT_EXECUTED) && row->traits & CAIRN_TRAIT_BRANCH;
		branches += ran;
		taken +=
			ran && (row->flags & CAIRN_INSN_TAKEN || (!(row->traits & CAIRN_TRAIT_CONDITIONAL) &&
		                                              !(row->flags & CAIRN_INSN_NOT_TAKEN)));
	}
}

static void compare_batches(const char *path, const struct cairn_tally *scanned)
{
	struct cairn_batch *batch = cairn_batch_new(c);
	struct cairn_tally told = {.size = sizeof told};
	struct cairn_reader *reader;
	int rc = 0;
	assert_non_null(batch);
	assert_true(open_trace(path, &reader));
	while ((rc = cairn_next(reader, batch)) > 0) {
		assert_int_equal(cairn_tally_batch(&told, batch, NULL), 0);
		count_executed(batch);
	}
	assert_true(rc >= 0);
	cairn_tally_end(&told);
	compare(path, "batches", "instructions", scanned->instructions, told.instructions);
	compare(path, "batches", "executed", scanned->executed, told.executed);
	compare(path, "batches", "missing", scanned->missing, told.missing);
	compare(path, "batches", "transactions", scanned->transactions, told.transactions);
	compare(path, "batches", "loads", scanned->loads, told.loads);
	compare(path, "batches", "stores", scanned->stores, told.stores);
	compare(path, "batches", "branches", scanned->branches, told.branches);
	compare(path, "batches", "branches taken", scanned->branches_taken, told.branches_taken);
	compare(path, "batches", "events", scanned->events, told.events);
	cairn_close(reader);
	cairn_batch_free(c, batch);
}

/* A figure of the first table's only row. */
static uint64_t figure(const struct cairn_table *table, const char *name)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (!strcmp(table->columns[i].name, name))
			return table->cells[i].v.number;
	fail_msg("no column %s", name);
	return 0;
}

static void compare_branches(const char *path, const struct cairn_tally *scanned)
{
	struct cairn_analysis_opts opts = {.size = sizeof opts};
	struct cairn_result *result = NULL;
	struct cairn_reader *reader;
	assert_true(open_trace(path, &reader));
	int rc = cairn_branches(reader, &opts, NULL, &result);
	if (rc >= 0) { /* a trace of transactions has none */
		const struct cairn_table *table = cairn_result_table(result, 0);
		compare(path, "branches", "instructions", scanned->instructions,
		        figure(table, "instructions"));
		compare(path, "branches", "executed", scanned->executed, figure(table, "executed"));
		compare(path, "branches", "branches that ran", branches, figure(table, "branches"));
		compare(path, "branches", "taken", taken, figure(table, "taken"));
	}
	cairn_result_free(result);
	cairn_close(reader);
}

static void compare_index(const char *path, const struct cairn_tally *scanned)
{
	char name[] = "/tmp/cairn-count-XXXXXX";
	int fd = mkstemp(name);
	struct cairn_index_opts opts = {.size = sizeof opts, .output = name};
	struct cairn_index *index = NULL;
	struct cairn_tally totals = {.size = sizeof totals}, sum = {.size = sizeof sum};
	assert_true(fd >= 0);
	close(fd);
	if (cairn_index_build(c, path, &opts, NULL) >= 0 &&
	    cairn_index_open(c, path, name, &index) >= 0) {
		struct cairn_index_span span = {.size = sizeof span};
		for (size_t i = 0; i < cairn_index_spans(index); i++) {
			assert_int_equal(cairn_index_span(index, i, &span), 0);
			sum.instructions += span.count;
			sum.executed += span.executed;
			sum.loads += span.loads;
			sum.stores += span.stores;
			sum.branches += span.branches;
			sum.branches_taken += span.branches_taken;
			sum.events += span.events;
		}
		if (cairn_index_totals(index, &totals) >= 0) {
			compare(path, "index", "instructions", scanned->instructions, totals.instructions);
			compare(path, "index", "executed", scanned->executed, totals.executed);
			compare(path, "index", "loads", scanned->loads, totals.loads);
			compare(path, "index", "stores", scanned->stores, totals.stores);
			compare(path, "index", "branches", scanned->branches, totals.branches);
			compare(path, "index", "taken", scanned->branches_taken, totals.branches_taken);
			compare(path, "index", "events", scanned->events, totals.events);
			compare(path, "spans", "loads", scanned->loads, sum.loads);
			compare(path, "spans", "stores", scanned->stores, sum.stores);
		}
		if (sum.instructions == scanned->instructions) { /* no transactions, no holes */
			compare(path, "spans", "executed", scanned->executed, sum.executed);
			compare(path, "spans", "branches", scanned->branches, sum.branches);
			compare(path, "spans", "taken", scanned->branches_taken, sum.branches_taken);
			compare(path, "spans", "events", scanned->events, sum.events);
		}
	}
	cairn_index_close(index);
	unlink(name);
}

static void one(const char *path)
{
	struct cairn_tally scanned = {.size = sizeof scanned};
	struct cairn_reader *reader;
	if (!open_trace(path, &reader))
		return;
	int rc = cairn_count(reader, 2, &scanned);
	cairn_close(reader);
	if (rc < 0 || scanned.instructions > MOST)
		return;
	traces++;
	branches = taken = 0;
	compare_batches(path, &scanned);
	compare_branches(path, &scanned);
	compare_index(path, &scanned);
}

static void all_ways_count_alike(void **state)
{
	(void)state;
	if (!given_traces(one)) {
		fprintf(stderr, "# no given traces\n");
		skip();
	}
	fprintf(stderr, "# %u traces\n", traces);
	assert_true(traces > 0);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_count_alike)};
	c = cairn_new(NULL);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	cairn_free(c);
	return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ETE trace against a record of the same run that a simulator made, instruction by
 * instruction: every instruction cairn delivers is the next one there. Trace On begins a
 * new piece, which may lie anywhere behind the one before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "cairn/cairn.h"

enum { MOST = 1 << 17 };

struct ran {
	uint64_t pc;
	uint32_t enc;
	bool begins; /* a piece */
};

/* Lines like "4 clk cpu0 IT (4) 10310008 d5033fdf O EL3h_s : ISB", later with a physical
 * address, 0009ef60:00001009ef60_NS; IS: its condition did not hold. */
static size_t read_record(const char *path, struct ran *to)
{
	char line[512];
	size_t n = 0;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (n < MOST && fgets(line, sizeof line, f)) {
		unsigned long long pc;
		unsigned enc;
		if (sscanf(line, "%*u clk cpu0 I%*1[TS] (%*u) %llx%*[^ ] %x", &pc, &enc) == 2 ||
		    sscanf(line, "%*u clk cpu0 I%*1[TS] (%*u) %llx %x", &pc, &enc) == 2)
			to[n++] = (struct ran){pc, enc, false};
	}
	fclose(f);
	return n;
}

static size_t read_trace(const char *path, struct ran *to)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	size_t n = 0;
	bool begins = false;
	int rc;
	if (cairn_open(cairn, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(cairn));
	while ((rc = cairn_next(reader, batch)) > 0)
		for (uint32_t i = 0; i <= batch->n_insns; i++) {
			for (uint32_t e = batch->insns[i].ev0; e < batch->insns[i + 1].ev0; e++)
				begins = begins || batch->events[e].kind == CAIRN_EV_TRACE_ON;
			if (i == batch->n_insns || n == MOST)
				continue;
			to[n++] = (struct ran){batch->insns[i].pc, batch->insns[i].enc, begins};
			begins = false;
		}
	assert_int_equal(rc, 0);
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
	return n;
}

static bool same(const struct ran *left, const struct ran *right, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (left[i].pc != right[i].pc || left[i].enc != right[i].enc)
			return false;
	return true;
}

static void test_the_simulator_ran_the_same(void **state)
{
	static struct ran record[MOST], ours[MOST];
	static const size_t pieces[] = {4437, 82, 627};
	const char *data = getenv("CAIRN_TEST_DATA");
	char path[1024], file[1100];
	(void)state;
	snprintf(path, sizeof path, "%s/ete/snapshots/002-ack_test_scr", data ? data : "");
	snprintf(file, sizeof file, "%s/test_TARMAC", path);
	if (!data || access(file, R_OK) != 0)
		skip();
	size_t n = read_record(file, record), m = read_trace(path, ours), at = 0, done = 0;
	assert_int_equal(m, 5146);
	for (unsigned p = 0; p < 3; p++) {
		size_t len = 1;
		while (done + len < m && !ours[done + len].begins)
			len++;
		assert_int_equal(len, pieces[p]);
		while (at + len <= n && !same(record + at, ours + done, len))
			at++;
		if (at + len > n)
			fail_msg("piece %u, instruction %zu: not in the record", p + 1, done + 1);
		at += len;
		done += len;
	}
	assert_int_equal(done, m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_simulator_ran_the_same)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

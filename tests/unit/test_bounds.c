/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of an analysis depends on what is distinct in a trace, not on how long it is: the
 * same program five times as long does not take more. Each analysis runs in a process of
 * its own, whose largest resident set is compared. (A word kept for each instruction would
 * be 64 MB more; what is allowed are pages of the file and spans that wait in line.) The
 * program goes on to touch new lines of memory, and those may take what they take.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../bench/generate.h"
#include "cairn/cairn.h"

enum { SHORT = 2000000, LONG = 10000000, SLACK_KIB = 40 << 10, LINE = 192 };

static const char *const verbs[] = {"mix",
                                    "branches",
                                    "branches, predictors",
                                    "memory",
                                    "memory, sampled",
                                    "blocks",
                                    "calls",
                                    "deps",
                                    "overview",
                                    "simpoints",
                                    "mix, a series",
                                    "memory, estimated",
                                    "memory, a series of one table",
                                    "branches, a series of one table",
                                    "deps, a series of one table"};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int run(struct cairn_reader *reader, unsigned which, struct cairn_result **res)
{
	struct cairn_analysis_opts opts = {.size = sizeof opts, .threads = 2};
	struct cairn_memory_opts sampled = {.size = sizeof sampled, .sample = 64};
	struct cairn_memory_opts estimate = {.size = sizeof estimate, .sample = 64, .estimate = 1};
	opts.every = which >= 9 && which != 11 ? 20000 : 0;
	opts.table = which >= 12 ? "summary" : NULL;
	switch (which) {
	case 1:
		return cairn_branches(reader, &opts, NULL, res);
	case 2:
		return cairn_branches(reader, &opts, "all", res);
	case 3:
	case 4:
		return cairn_memory(reader, &opts, which == 4 ? &sampled : NULL, res);
	case 5:
		return cairn_blocks(reader, &opts, NULL, res);
	case 6:
		return cairn_calls(reader, &opts, res);
	case 7:
		return cairn_deps(reader, &opts, res);
	case 8:
		return cairn_overview(reader, &opts, 0, res);
	case 9:
		return cairn_simpoints(reader, &opts, NULL, res);
	case 11:
		return cairn_memory(reader, &opts, &estimate, res);
	case 12:
		return cairn_memory(reader, &opts, NULL, res);
	case 13:
		return cairn_branches(reader, &opts, NULL, res);
	case 14:
		return cairn_deps(reader, &opts, res);
	default:
		return cairn_mix(reader, &opts, "class", res);
	}
}

/* KiB at most, in a process of its own; 0: it failed. */
static long peak(const char *path, unsigned which)
{
	struct rusage used;
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		struct cairn *cairn = cairn_new(NULL);
		struct cairn_reader *reader = NULL;
		struct cairn_result *res = NULL;
		int rc = cairn_open(cairn, path, NULL, &reader);
		_exit(rc < 0 || run(reader, which, &res) < 0 || !cairn_result_table(res, 0));
	}
	while (wait4(pid, &status, 0, &used) < 0)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? used.ru_maxrss : 0;
}

static uint64_t lines_of(const char *path)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	struct cairn_result *res = NULL;
	uint64_t lines = 0;
	assert_int_equal(cairn_open(cairn, path, NULL, &reader), 0);
	assert_true(run(reader, 4, &res) >= 0);
	const struct cairn_table *table = cairn_result_table(res, 0);
	for (size_t k = 0; k < table->n_columns; k++)
		if (!strcmp(table->columns[k].name, "lines"))
			lines = table->cells[k].v.number;
	cairn_result_free(res);
	cairn_close(reader);
	cairn_free(cairn);
	return lines;
}

/* A sanitizer keeps what is freed for a while, so that peaks say nothing. */
#ifdef __SANITIZE_ADDRESS__ /* gcc */
enum { SANITIZED = 1 };
#elif defined __has_feature /* clang */
enum { SANITIZED = __has_feature(address_sanitizer) };
#else
enum { SANITIZED = 0 };
#endif

static void length_takes_no_memory(void **state)
{
	if (SANITIZED)
		skip();
	static const unsigned length[2] = {SHORT, LONG};
	char stf[64], zstf[2][64];
	struct bench_made made;
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		snprintf(stf, sizeof stf, "/tmp/cairn-bounds-%d.stf", (int)getpid());
		snprintf(zstf[i], sizeof zstf[i], "/tmp/cairn-bounds-%u-%d.zstf", i, (int)getpid());
		assert_int_equal(bench_generate(BENCH_LEAN, length[i], stf, zstf[i], &made), 0);
		unlink(stf);
	}
	unsigned wrong = 0;
	long peaks[VERBS][2];
	for (unsigned which = 0; which < VERBS; which++)
		for (unsigned i = 0; i < 2; i++)
			peaks[which][i] = peak(zstf[i], which);
	long lines = (long)(lines_of(zstf[1]) - lines_of(zstf[0])) * LINE / 1024;
	assert_true(lines >= 0);
	for (unsigned which = 0; which < VERBS; which++) {
		long few = peaks[which][0], many = peaks[which][1];
		bool of_lines = which == 3 || which == 4 || which >= 11;
		print_message("%s: %ld and %ld KiB\n", verbs[which], few, many);
		wrong += !few || !many || many > few + SLACK_KIB + (of_lines ? lines : 0);
	}
	unlink(zstf[0]);
	unlink(zstf[1]);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(length_takes_no_memory)};
	return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timing. What is compared is run in turn, round after round, so that a machine
 * that is busy for a while is busy for all of them; medians and ratios are taken
 * over the rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "measure.h"

static double seconds_of(clockid_t id)
{
	struct timespec timespec;
	clock_gettime(id, &timespec);
	return (double)timespec.tv_sec + (double)timespec.tv_nsec * 1e-9;
}

static double now(enum bench_clock clock)
{
	struct rusage rusage;
	if (clock == BENCH_WALL)
		return seconds_of(CLOCK_MONOTONIC);
	getrusage(RUSAGE_CHILDREN, &rusage);
	return seconds_of(CLOCK_PROCESS_CPUTIME_ID) +
	       (double)(rusage.ru_utime.tv_sec + rusage.ru_stime.tv_sec) +
	       (double)(rusage.ru_utime.tv_usec + rusage.ru_stime.tv_usec) * 1e-6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const double *values, unsigned n)
{
	double v[BENCH_MAX_RUNS];
	memcpy(v, values, n * sizeof *v);
	qsort(v, n, sizeof *v, ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

int bench_time(struct bench_job *jobs, unsigned n, unsigned runs)
{
	for (unsigned round = 0; round <= runs; round++) {
		for (unsigned i = 0; i < n; i++) {
			double wall = now(BENCH_WALL), core = now(BENCH_CORE);
			if (jobs[i].run(jobs[i].arg) < 0)
				return -1;
			if (round == 0)
				continue;
			jobs[i].runs[BENCH_CORE][round - 1] = now(BENCH_CORE) - core;
			jobs[i].runs[BENCH_WALL][round - 1] = now(BENCH_WALL) - wall;
		}
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < BENCH_CLOCKS; c++)
			jobs[i].seconds[c] = median(jobs[i].runs[c], runs);
	return 0;
}

double bench_ratio(const struct bench_job *left, const struct bench_job *right, unsigned runs,
                   enum bench_clock clock)
{
	double v[BENCH_MAX_RUNS];
	for (unsigned i = 0; i < runs; i++)
		v[i] = left->runs[clock][i] / right->runs[clock][i];
	return median(v, runs);
}

/* ---- the table ---- */

void bench_head(void)
{
	printf("%-44s %9s %-12s %9s  %-22s %6s  %-9s %s\n", "row", "figure", "unit", "limit",
	       "which is", "ratio", "goal", "");
}

void bench_print(const struct bench_row *row)
{
	char limit[24] = "", ratio[24] = "", goal[24] = "";
	const char *met = "";
	if (row->limit) {
		snprintf(limit, sizeof limit, "%.1f", row->limit_figure);
		snprintf(ratio, sizeof ratio, "%.2f", row->ratio);
	}
	if (row->goal.value > 0) {
		double is = row->on_ratio ? row->ratio : row->figure;
		bool good = row->goal.at_most ? is <= row->goal.value : is >= row->goal.value;
		snprintf(goal, sizeof goal, "%s %g%s", row->goal.at_most ? "<=" : ">=", row->goal.value,
		         row->on_ratio ? " x" : "");
		met = good ? "met" : row->unjudged ? row->unjudged : "not met";
	}
	printf("%-44s %9.1f %-12s %9s  %-22s %6s  %-9s %s\n", row->name, row->figure, row->unit, limit,
	       row->limit ? row->limit : "", ratio, goal, met);
	fflush(stdout);
}

void bench_absent(const char *name, const char *why)
{
	printf("%-44s %9s %s\n", name, "-", why);
}

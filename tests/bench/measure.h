/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H
/*
 * Timing things against each other, and the table of results.
 */
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MAX_RUNS = 15 };

/* CORE: the time this process and its children had on cores, all threads together,
 * which other programs on the machine disturb little. WALL: by the clock. */
enum bench_clock { BENCH_CORE, BENCH_WALL, BENCH_CLOCKS };

/* One thing to be timed. `run` returns 0, or -1 after having said why. */
struct bench_job {
	int (*run)(void *arg);
	void *arg;
	double seconds[BENCH_CLOCKS]; /* medians */
	double runs[BENCH_CLOCKS][BENCH_MAX_RUNS];
};

/* Run the jobs `runs` times, one after another in each round, after a round that is
 * not timed. */
int bench_time(struct bench_job *jobs, unsigned n, unsigned runs);
/* Median over the rounds of a's time divided by b's. */
double bench_ratio(const struct bench_job *left, const struct bench_job *right, unsigned runs,
                   enum bench_clock clock);

/* A goal: at least (or at most) `value`. value 0: none. */
struct bench_goal {
	double value;
	bool at_most;
};

/* One row: a figure and its limit in the same unit, and how far it is from it (time
 * over the limit's time). `on_ratio`: the goal is for the ratio. limit NULL: none. */
struct bench_row {
	const char *name, *unit, *limit;
	double figure, limit_figure, ratio;
	struct bench_goal goal;
	bool on_ratio;
	const char *unjudged; /* why a goal missed here says nothing; NULL: it does */
};
void bench_head(void);
void bench_print(const struct bench_row *row);
/* Something that cannot be measured here. */
void bench_absent(const char *name, const char *why);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H
/*
 * One run of the benchmark.
 */
#include <stdbool.h>
#include <stdint.h>

#include "generate.h"
#include "measure.h"

struct bench_trace {
	const char *name;
	char stf[512], zstf[512];
	uint64_t zstf_bytes;
	struct bench_made made;
};

struct bench {
	const char *build; /* the build folder: the command is in it */
	char data[400];    /* where the traces are kept */
	uint64_t insns;
	unsigned runs;
	struct bench_trace trace[BENCH_KINDS];
	struct bench_trace text; /* a short lean one, for what prints */
};

/* Rows of the whole command, from starting it to its end. 0 or -1. */
int bench_command_rows(const struct bench *bench);
int bench_analysis_rows(const struct bench *bench);
/* Rows of writing. 0 or -1. */
int bench_write_rows(const struct bench *bench);
/* Rows of what makes traces of traces. */
int bench_change_rows(const struct bench *bench);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_ANALYSIS_ROWS_H
#define UNIT_ANALYSIS_ROWS_H
/*
 * What tests of analyses share: a generated trace, all of it in plain arrays for
 * references that are slow and obvious, and a result as text.
 */
#include "cairn/cairn.h"

struct row {
	struct cairn_insn in;
	struct cairn_ctx ctx;
	uint32_t mem0, n_mems; /* of its own accesses */
	uint32_t reg0, n_regs;
	int trapped; /* an exception, interrupt or system call stands at it */
};

struct trace {
	struct cairn *cairn;
	char path[512];
	size_t n, n_mems, n_regs;
	struct row *rows; /* number of rows[i] is i + 1 */
	struct cairn_mem *mems;
	struct cairn_reg *regs;
};

enum { TRACE_LEAN, TRACE_FULL, TRACE_RANDOM, TRACE_PLAIN, TRACE_KINDS };

/* Make a trace (TRACE_PLAIN: not compressed) and read it. Fails the test if it cannot. */
void trace_make(struct trace *trace, unsigned kind, unsigned insns);
/* Read a trace that is already there. */
void trace_read(struct trace *trace, const char *path);
void trace_free(struct trace *trace);

/* An analysis under test: called with fresh readers. */
typedef int analyse_fn(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                       const void *arg, struct cairn_result **res);
/* Its result in JSON (CSV of one table if `table`), to be freed. `region`: as for a command,
 * several apart by spaces; NULL: all. */
char *analyse_text(const struct trace *trace, analyse_fn *fn, const void *arg, unsigned threads,
                   uint64_t every, const char *region, const char *table);
struct cairn_result *analyse(const struct trace *trace, analyse_fn *fn, const void *arg,
                             unsigned threads, uint64_t every, const char *region);
/* The same text for 1, 2 and 5 threads, with and without intervals, raw and packed. */
void analyse_all_ways(analyse_fn *fn, const void *arg, unsigned insns);

/* What an exporter writes, as a text to be freed; `user` is one of these. */
struct trace_file {
	char *text;
	size_t n;
};
int trace_collect(void *user, const void *data, size_t n);

/* The table of that name; a cell of it. Fail the test when there is none. */
const struct cairn_table *table_of(const struct cairn_result *res, const char *name);
const struct cairn_cell *cell_of(const struct cairn_table *table, size_t row, const char *column);
uint64_t number_of(const struct cairn_table *table, size_t row, const char *column);
double real_of(const struct cairn_table *table, size_t row, const char *column);
const char *text_of(const struct cairn_table *table, size_t row, const char *column);

#endif

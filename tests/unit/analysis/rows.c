/* SPDX-License-Identifier: Apache-2.0 */
/* See rows.h. */
#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../bench/generate.h"

static void grow(void *p, size_t n, size_t size)
{
	void **at = p;
	if (n & (n - 1))
		return;
	*at = realloc(*at, (n ? 2 * n : 1) * size);
	assert_non_null(*at);
}

static void add_row(struct trace *trace, const struct cairn_batch *batch, uint32_t index)
{
	grow(&trace->rows, trace->n, sizeof *trace->rows);
	struct row *row = &trace->rows[trace->n++];
	*row = (struct row){.in = batch->insns[index],
	                    .ctx = batch->ctxs[batch->insns[index].ctx],
	                    .mem0 = (uint32_t)trace->n_mems,
	                    .reg0 = (uint32_t)trace->n_regs};
	for (uint32_t m = batch->insns[index].mem0; m < batch->insns[index + 1].mem0; m++) {
		grow(&trace->mems, trace->n_mems, sizeof *trace->mems);
		trace->mems[trace->n_mems++] = batch->mems[m];
		row->n_mems++;
	}
	for (uint32_t k = batch->insns[index].reg0; k < batch->insns[index + 1].reg0; k++) {
		grow(&trace->regs, trace->n_regs, sizeof *trace->regs);
		trace->regs[trace->n_regs++] = batch->regs[k];
		row->n_regs++;
	}
	for (uint32_t e = batch->insns[index].ev0; e < batch->insns[index + 1].ev0; e++)
		row->trapped |= batch->events[e].kind >= CAIRN_EV_EXCEPTION &&
		                batch->events[e].kind <= CAIRN_EV_SYSCALL;
}

void trace_read(struct trace *trace, const char *path)
{
	struct cairn_reader *reader;
	memset(trace, 0, sizeof *trace);
	trace->cairn = cairn_new(NULL);
	snprintf(trace->path, sizeof trace->path, "%s", path);
	if (cairn_open(trace->cairn, path, NULL, &reader) < 0)
		fail_msg("%s", cairn_error_text(trace->cairn));
	struct cairn_batch *batch = cairn_batch_new(trace->cairn);
	while (cairn_next(reader, batch) > 0)
		for (uint32_t i = 0; i < batch->n_insns; i++)
			add_row(trace, batch, i);
	cairn_batch_free(trace->cairn, batch);
	cairn_close(reader);
}

void trace_make(struct trace *trace, unsigned kind, unsigned insns)
{
	static const char *const names[] = {"lean", "full", "random", "plain"};
	char stf[64], zstf[64];
	struct bench_made made;
	snprintf(stf, sizeof stf, "/tmp/cairn-%s-%d.stf", names[kind], (int)getpid());
	snprintf(zstf, sizeof zstf, "/tmp/cairn-%s-%d.zstf", names[kind], (int)getpid());
	unsigned made_as = kind == TRACE_PLAIN ? TRACE_FULL : kind;
	assert_int_equal(bench_generate((enum bench_kind)made_as, insns, stf, zstf, &made), 0);
	unlink(kind == TRACE_PLAIN ? zstf : stf);
	trace_read(trace, kind == TRACE_PLAIN ? stf : zstf);
	assert_int_equal(trace->n, insns);
}

void trace_free(struct trace *trace)
{
	if (!strncmp(trace->path, "/tmp/cairn-", 11))
		unlink(trace->path);
	free(trace->rows);
	free(trace->mems);
	free(trace->regs);
	cairn_free(trace->cairn);
}

struct cairn_result *analyse(const struct trace *trace, analyse_fn *fn, const void *arg,
                             unsigned threads, uint64_t every, const char *region)
{
	struct cairn_reader *reader;
	struct cairn_result *res = NULL;
	struct cairn_select *select = cairn_select_new(trace->cairn, NULL);
	char one[64];
	for (int n; region && sscanf(region, "%63s%n", one, &n) == 1; region += n)
		assert_int_equal(cairn_select_region(select, one), 0);
	struct cairn_analysis_opts opts = {.size = sizeof opts,
	                                   .select = select,
	                                   .every = every,
	                                   .threads = threads};
	assert_int_equal(cairn_open(trace->cairn, trace->path, NULL, &reader), 0);
	if (fn(reader, &opts, arg, &res) < 0)
		fail_msg("%s", cairn_error_text(trace->cairn));
	cairn_close(reader);
	cairn_select_free(select);
	return res;
}

char *analyse_text(const struct trace *trace, analyse_fn *fn, const void *arg, unsigned threads,
                   uint64_t every, const char *region, const char *table)
{
	struct cairn_result *res = analyse(trace, fn, arg, threads, every, region);
	struct cairn_text *text = cairn_text_new(trace->cairn);
	struct cairn_print_opts opts = {.size = sizeof opts,
	                                .table = table,
	                                .form = table ? CAIRN_FORM_CSV : CAIRN_FORM_JSON};
	size_t n;
	assert_int_equal(cairn_result_print(res, &opts, text), 0);
	const char *s = cairn_text_get(text, &n);
	char *copy = calloc(1, n + 1); /* the text has no end of its own */
	assert_non_null(copy);
	memcpy(copy, s, n);
	cairn_text_free(text);
	cairn_result_free(res);
	return copy;
}

void analyse_all_ways(analyse_fn *fn, const void *arg, unsigned insns)
{
	static const uint64_t every[] = {0, 7777};
	static const char *const regions[] = {NULL, "20000..130000"};
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace trace;
		trace_make(&trace, kind, insns);
		for (unsigned i = 0; i < 4; i++) {
			char *one = analyse_text(&trace, fn, arg, 1, every[i & 1], regions[i / 2], NULL);
			for (unsigned threads = 2; threads <= 5; threads += 3) {
				char *more =
					analyse_text(&trace, fn, arg, threads, every[i & 1], regions[i / 2], NULL);
				if (strcmp(one, more) != 0)
					fail_msg("kind %u, case %u: %u threads differ from 1", kind, i, threads);
				free(more);
			}
			free(one);
		}
		trace_free(&trace);
	}
}

const struct cairn_table *table_of(const struct cairn_result *res, const char *name)
{
	const struct cairn_table *table = NULL;
	for (size_t i = 0; (table = cairn_result_table(res, i)) && strcmp(table->name, name); i++)
		;
	if (!table)
		fail_msg("no table %s", name);
	return table;
}

const struct cairn_cell *cell_of(const struct cairn_table *table, size_t row, const char *column)
{
	assert_true(row < table->n_rows);
	for (size_t k = 0; k < table->n_columns; k++)
		if (!strcmp(table->columns[k].name, column))
			return &table->cells[row * table->n_columns + k];
	fail_msg("no column %s in %s", column, table->name);
	return NULL;
}

uint64_t number_of(const struct cairn_table *table, size_t row, const char *column)
{
	return cell_of(table, row, column)->v.number;
}

double real_of(const struct cairn_table *table, size_t row, const char *column)
{
	return cell_of(table, row, column)->v.real;
}

const char *text_of(const struct cairn_table *table, size_t row, const char *column)
{
	return cell_of(table, row, column)->v.text;
}

int trace_collect(void *user, const void *data, size_t n)
{
	struct trace_file *file = user;
	file->text = realloc(file->text, file->n + n + 1);
	assert_non_null(file->text);
	memcpy(file->text + file->n, data, n);
	file->n += n;
	file->text[file->n] = 0;
	return 0;
}

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

static void add_row(struct trace *t, const struct cairn_batch *b, uint32_t i)
{
	grow(&t->rows, t->n, sizeof *t->rows);
	struct row *row = &t->rows[t->n++];
	*row = (struct row){.in = b->insns[i],
	                    .ctx = b->ctxs[b->insns[i].ctx],
	                    .mem0 = (uint32_t)t->n_mems,
	                    .reg0 = (uint32_t)t->n_regs};
	for (uint32_t m = b->insns[i].mem0; m < b->insns[i + 1].mem0; m++) {
		grow(&t->mems, t->n_mems, sizeof *t->mems);
		t->mems[t->n_mems++] = b->mems[m];
		row->n_mems++;
	}
	for (uint32_t k = b->insns[i].reg0; k < b->insns[i + 1].reg0; k++) {
		grow(&t->regs, t->n_regs, sizeof *t->regs);
		t->regs[t->n_regs++] = b->regs[k];
		row->n_regs++;
	}
	for (uint32_t e = b->insns[i].ev0; e < b->insns[i + 1].ev0; e++)
		row->trapped |=
			b->events[e].kind >= CAIRN_EV_EXCEPTION && b->events[e].kind <= CAIRN_EV_SYSCALL;
}

void trace_read(struct trace *t, const char *path)
{
	struct cairn_reader *r;
	memset(t, 0, sizeof *t);
	t->c = cairn_new(NULL);
	snprintf(t->path, sizeof t->path, "%s", path);
	if (cairn_open(t->c, path, NULL, &r) < 0)
		fail_msg("%s", cairn_error_text(t->c));
	struct cairn_batch *b = cairn_batch_new(t->c);
	while (cairn_next(r, b) > 0)
		for (uint32_t i = 0; i < b->n_insns; i++)
			add_row(t, b, i);
	cairn_batch_free(t->c, b);
	cairn_close(r);
}

void trace_make(struct trace *t, unsigned kind, unsigned insns)
{
	static const char *const names[] = {"lean", "full", "random", "plain"};
	char stf[64], zstf[64];
	struct bench_made made;
	snprintf(stf, sizeof stf, "/tmp/cairn-%s-%d.stf", names[kind], (int)getpid());
	snprintf(zstf, sizeof zstf, "/tmp/cairn-%s-%d.zstf", names[kind], (int)getpid());
	unsigned made_as = kind == TRACE_PLAIN ? TRACE_FULL : kind;
	assert_int_equal(bench_generate((enum bench_kind)made_as, insns, stf, zstf, &made), 0);
	unlink(kind == TRACE_PLAIN ? zstf : stf);
	trace_read(t, kind == TRACE_PLAIN ? stf : zstf);
	assert_int_equal(t->n, insns);
}

void trace_free(struct trace *t)
{
	if (!strncmp(t->path, "/tmp/cairn-", 11))
		unlink(t->path);
	free(t->rows);
	free(t->mems);
	free(t->regs);
	cairn_free(t->c);
}

struct cairn_result *analyse(const struct trace *t, analyse_fn *fn, const void *arg,
                             unsigned threads, uint64_t every, const char *region)
{
	struct cairn_reader *r;
	struct cairn_result *res = NULL;
	struct cairn_select *select = cairn_select_new(t->c, NULL);
	char one[64];
	for (int n; region && sscanf(region, "%63s%n", one, &n) == 1; region += n)
		assert_int_equal(cairn_select_region(select, one), 0);
	struct cairn_analysis_opts opts = {.size = sizeof opts,
	                                   .select = select,
	                                   .every = every,
	                                   .threads = threads};
	assert_int_equal(cairn_open(t->c, t->path, NULL, &r), 0);
	if (fn(r, &opts, arg, &res) < 0)
		fail_msg("%s", cairn_error_text(t->c));
	cairn_close(r);
	cairn_select_free(select);
	return res;
}

char *analyse_text(const struct trace *t, analyse_fn *fn, const void *arg, unsigned threads,
                   uint64_t every, const char *region, const char *table)
{
	struct cairn_result *res = analyse(t, fn, arg, threads, every, region);
	struct cairn_text *text = cairn_text_new(t->c);
	struct cairn_print_opts p = {.size = sizeof p,
	                             .table = table,
	                             .form = table ? CAIRN_FORM_CSV : CAIRN_FORM_JSON};
	size_t n;
	assert_int_equal(cairn_result_print(res, &p, text), 0);
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
		struct trace t;
		trace_make(&t, kind, insns);
		for (unsigned i = 0; i < 4; i++) {
			char *one = analyse_text(&t, fn, arg, 1, every[i & 1], regions[i / 2], NULL);
			for (unsigned threads = 2; threads <= 5; threads += 3) {
				char *more = analyse_text(&t, fn, arg, threads, every[i & 1], regions[i / 2], NULL);
				if (strcmp(one, more) != 0)
					fail_msg("kind %u, case %u: %u threads differ from 1", kind, i, threads);
				free(more);
			}
			free(one);
		}
		trace_free(&t);
	}
}

const struct cairn_table *table_of(const struct cairn_result *res, const char *name)
{
	const struct cairn_table *t = NULL;
	for (size_t i = 0; (t = cairn_result_table(res, i)) && strcmp(t->name, name); i++)
		;
	if (!t)
		fail_msg("no table %s", name);
	return t;
}

const struct cairn_cell *cell_of(const struct cairn_table *t, size_t row, const char *column)
{
	assert_true(row < t->n_rows);
	for (size_t k = 0; k < t->n_columns; k++)
		if (!strcmp(t->columns[k].name, column))
			return &t->cells[row * t->n_columns + k];
	fail_msg("no column %s in %s", column, t->name);
	return NULL;
}

uint64_t number_of(const struct cairn_table *t, size_t row, const char *column)
{
	return cell_of(t, row, column)->v.number;
}

double real_of(const struct cairn_table *t, size_t row, const char *column)
{
	return cell_of(t, row, column)->v.real;
}

const char *text_of(const struct cairn_table *t, size_t row, const char *column)
{
	return cell_of(t, row, column)->v.text;
}

int trace_collect(void *user, const void *data, size_t n)
{
	struct trace_file *f = user;
	f->text = realloc(f->text, f->n + n + 1);
	assert_non_null(f->text);
	memcpy(f->text + f->n, data, n);
	f->n += n;
	f->text[f->n] = 0;
	return 0;
}

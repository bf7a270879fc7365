/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an analysis found: tables of cells, and sentences.
 *
 * Texts are kept in blocks that never move, so a cell may point at one. A table
 * grows by doubling; when memory runs out the row asked for is a scratch row, and
 * the failure stays with the result.
 */
#include "analysis/result.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 32, BLOCK = 1 << 14 };

struct result_table {
	struct cairn_table t;
	struct result_table *next;
	struct cairn_column columns[MOST_COLUMNS];
	struct cairn_cell *cells;
	size_t cap; /* cells */
	char name[64];
};

struct block {
	struct block *next;
	size_t used, size;
	char text[];
};

struct note {
	struct note *next;
	char text[]; /* stays when the rows go */
};

struct cairn_result {
	struct cairn *c;
	char only[64]; /* the table whose rows are kept; "": all */
	struct result_table *first, **end;
	struct note *notes, **notes_end;
	struct block *blocks;
	bool series;
	uint64_t from, to; /* the interval */
	unsigned wrap;
	int status;
	struct result_table none; /* when there is no memory for one */
	struct cairn_cell scratch[MOST_COLUMNS];
};

struct cairn_result *result_new(struct cairn *c, const char *only)
{
	struct cairn_result *res = base_alloc(c, sizeof *res);
	if (!res)
		return NULL;
	res->c = c;
	snprintf(res->only, sizeof res->only, "%s", only ? only : "");
	res->end = &res->first;
	res->notes_end = &res->notes;
	return res;
}

static void free_texts(struct cairn_result *res)
{
	for (struct block *b = res->blocks, *next; b; b = next) {
		next = b->next;
		base_free(res->c, b);
	}
	res->blocks = NULL;
}

void cairn_result_free(struct cairn_result *res)
{
	if (!res)
		return;
	struct cairn *c = res->c;
	for (struct result_table *t = res->first, *next; t; t = next) {
		next = t->next;
		base_free(c, t->cells);
		base_free(c, t);
	}
	for (struct note *n = res->notes, *next; n; n = next) {
		next = n->next;
		base_free(c, n);
	}
	free_texts(res);
	base_free(c, res);
}

void result_wrap(struct cairn_result *res, unsigned columns)
{
	res->wrap = columns;
}

unsigned result_wrapped(const struct cairn_result *res)
{
	return res->wrap;
}

int result_status(const struct cairn_result *res)
{
	return res->status;
}

void result_interval(struct cairn_result *res, uint64_t first, uint64_t last)
{
	res->series = true;
	res->from = first;
	res->to = last;
}

uint64_t result_first(const struct cairn_result *res)
{
	return res->from;
}

uint64_t result_last(const struct cairn_result *res)
{
	return res->to;
}

/* ---- texts ---- */

/* Room for `n` bytes that stays where it is. */
static char *result_room(struct cairn_result *res, size_t n)
{
	struct block *b = res->blocks;
	if (!b || b->size - b->used < n) {
		size_t size = n > BLOCK ? n : BLOCK;
		b = base_alloc(res->c, sizeof *b + size);
		if (!b) {
			res->status = CAIRN_E_NOMEM;
			return NULL;
		}
		b->size = size;
		b->next = res->blocks;
		res->blocks = b;
	}
	char *p = b->text + b->used;
	b->used += n;
	return p;
}

const char *result_text(struct cairn_result *res, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *p = n < 0 ? NULL : result_room(res, (size_t)n + 1);
	if (p)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return p;
}

void result_note(struct cairn_result *res, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);
	struct note *n = len < 0 ? NULL : base_alloc(res->c, sizeof *n + (size_t)len + 1);
	if (n)
		vsnprintf(n->text, (size_t)len + 1, fmt, again);
	va_end(again);
	va_end(ap);
	for (const struct note *old = res->notes; old && n; old = old->next)
		if (!strcmp(old->text, n->text)) {
			base_free(res->c, n);
			return;
		}
	if (!n) {
		res->status = CAIRN_E_NOMEM;
		return;
	}
	*res->notes_end = n;
	res->notes_end = &n->next;
}

const char *cairn_result_note(const struct cairn_result *res, size_t i)
{
	const struct note *n = res->notes;
	for (; n && i; i--)
		n = n->next;
	return n ? n->text : NULL;
}

/* ---- tables ---- */

static const struct cairn_column interval_columns[2] = {{"first", CAIRN_CELL_COUNT, 0},
                                                        {"last", CAIRN_CELL_COUNT, 0}};

struct result_table *result_table(struct cairn_result *res, const char *name,
                                  const struct cairn_column *columns, size_t n_columns)
{
	struct result_table *t = res->first;
	while (t && strcmp(t->name, name) != 0)
		t = t->next;
	if (t)
		return t;
	t = base_alloc(res->c, sizeof *t);
	if (t) {
		*res->end = t;
		res->end = &t->next;
	} else {
		t = &res->none;
		res->status = CAIRN_E_NOMEM;
	}
	size_t at = 0;
	if (res->series) {
		memcpy(t->columns, interval_columns, sizeof interval_columns);
		at = 2;
	}
	memcpy(t->columns + at, columns, n_columns * sizeof *columns);
	snprintf(t->name, sizeof t->name, "%s", name);
	t->t = (struct cairn_table){.name = t->name,
	                            .n_columns = at + n_columns,
	                            .columns = t->columns,
	                            .series = res->series};
	return t;
}

struct result_table *result_figures(struct cairn_result *res, const char *name,
                                    const struct cairn_column *columns, size_t n_columns)
{
	struct result_table *t = result_table(res, name, columns, n_columns);
	t->t.single = 1;
	return t;
}

bool result_keeps(const struct cairn_result *res, const struct result_table *t)
{
	return !*res->only || !strcmp(res->only, t->name);
}

struct cairn_cell *result_row(struct cairn_result *res, struct result_table *t)
{
	size_t used = t->t.n_rows * t->t.n_columns;
	if (!result_keeps(res, t))
		return memset(res->scratch, 0, sizeof res->scratch);
	if (t != &res->none && t->cap - used < t->t.n_columns) {
		size_t cap = t->cap ? 2 * t->cap : 32u * t->t.n_columns;
		struct cairn_cell *p = base_realloc(res->c, t->cells, cap * sizeof *p);
		if (p) {
			t->cells = p;
			t->t.cells = p;
			t->cap = cap;
		}
	}
	bool fits = t->cap - used >= t->t.n_columns;
	if (!fits)
		res->status = CAIRN_E_NOMEM;
	struct cairn_cell *row = fits ? t->cells + used : res->scratch;
	memset(row, 0, t->t.n_columns * sizeof *row);
	t->t.n_rows += fits;
	if (!t->t.series)
		return row;
	cell_number(&row[0], res->from);
	cell_number(&row[1], res->to);
	return row + 2;
}

void result_more(struct result_table *t, uint64_t n)
{
	t->t.n_more += t->t.series ? 0 : n;
}

void result_no_rows(struct cairn_result *res)
{
	for (struct result_table *t = res->first; t; t = t->next)
		t->t.n_rows = 0;
}

void result_forget(struct cairn_result *res)
{
	result_no_rows(res);
	free_texts(res);
}

const struct cairn_table *cairn_result_table(const struct cairn_result *res, size_t i)
{
	const struct result_table *t = res->first;
	for (; t && i; i--)
		t = t->next;
	return t ? &t->t : NULL;
}

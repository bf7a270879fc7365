/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an analysis found: tables of cells, and sentences.
 *
 * Texts are kept in blocks that never move, so a cell may point at one. A table
 * grows by doubling; when memory runs out the row asked for is a scratch row, and
 * the failure stays with the result.
 */
#include "analysis/result.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 14 };

struct result_table {
	struct cairn_table table;
	struct result_table *next;
	struct cairn_column columns[RESULT_COLUMNS];
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
	struct cairn *cairn;
	char only[64]; /* the table whose rows are kept; "": all */
	struct result_table *first, **end;
	struct note *notes, **notes_end;
	struct block *blocks;
	bool series;
	uint64_t from, to; /* the interval */
	unsigned wrap;
	int status;
	struct result_table none; /* when there is no memory for one */
	struct cairn_cell scratch[RESULT_COLUMNS];
};

struct cairn_result *result_new(struct cairn *cairn, const char *only)
{
	struct cairn_result *res = base_alloc(cairn, sizeof *res);
	if (!res)
		return NULL;
	res->cairn = cairn;
	snprintf(res->only, sizeof res->only, "%s", only ? only : "");
	res->end = &res->first;
	res->notes_end = &res->notes;
	return res;
}

static void free_texts(struct cairn_result *res)
{
	for (struct block *block = res->blocks, *next; block; block = next) {
		next = block->next;
		base_free(res->cairn, block);
	}
	res->blocks = NULL;
}

void cairn_result_free(struct cairn_result *res)
{
	if (!res)
		return;
	struct cairn *cairn = res->cairn;
	for (struct result_table *table = res->first, *next; table; table = next) {
		next = table->next;
		base_free(cairn, table->cells);
		base_free(cairn, table);
	}
	for (struct note *note = res->notes, *next; note; note = next) {
		next = note->next;
		base_free(cairn, note);
	}
	free_texts(res);
	base_free(cairn, res);
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
	struct block *block = res->blocks;
	if (!block || block->size - block->used < n) {
		size_t size = n > BLOCK ? n : BLOCK;
		block = base_alloc(res->cairn, sizeof *block + size);
		if (!block) {
			res->status = CAIRN_E_NOMEM;
			return NULL;
		}
		block->size = size;
		block->next = res->blocks;
		res->blocks = block;
	}
	char *p = block->text + block->used;
	block->used += n;
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
	struct note *note = len < 0 ? NULL : base_alloc(res->cairn, sizeof *note + (size_t)len + 1);
	if (note)
		vsnprintf(note->text, (size_t)len + 1, fmt, again);
	va_end(again);
	va_end(ap);
	for (const struct note *old = res->notes; old && note; old = old->next)
		if (!strcmp(old->text, note->text)) {
			base_free(res->cairn, note);
			return;
		}
	if (!note) {
		res->status = CAIRN_E_NOMEM;
		return;
	}
	*res->notes_end = note;
	res->notes_end = &note->next;
}

const char *cairn_result_note(const struct cairn_result *res, size_t index)
{
	const struct note *note = res->notes;
	for (; note && index; index--)
		note = note->next;
	return note ? note->text : NULL;
}

void result_leave_notes(struct cairn_reader *reader, struct cairn_result *res)
{
	const char *note;
	for (size_t i = 0; res && (note = cairn_result_note(res, i)); i++)
		model_noted(reader, NULL, "%s", note);
	cairn_result_free(res);
}

/* ---- tables ---- */

static const struct cairn_column interval_columns[2] = {
	COUNT("first", "first instruction of the interval"),
	COUNT("last", "last instruction of the interval")};

struct result_table *result_table(struct cairn_result *res, const char *name,
                                  const struct cairn_column *columns, size_t n_columns)
{
	struct result_table *table = res->first;
	while (table && strcmp(table->name, name) != 0)
		table = table->next;
	if (table)
		return table;
	table = base_alloc(res->cairn, sizeof *table);
	if (table) {
		*res->end = table;
		res->end = &table->next;
	} else {
		table = &res->none;
		res->status = CAIRN_E_NOMEM;
	}
	size_t at = 0;
	if (res->series) {
		memcpy(table->columns, interval_columns, sizeof interval_columns);
		at = 2;
	}
	memcpy(table->columns + at, columns, n_columns * sizeof *columns);
	snprintf(table->name, sizeof table->name, "%s", name);
	table->table = (struct cairn_table){.name = table->name,
	                                    .n_columns = at + n_columns,
	                                    .columns = table->columns,
	                                    .series = res->series};
	return table;
}

struct cairn_cell *result_summary(struct cairn_result *res, const struct result_figure *figures,
                                  size_t n)
{
	struct cairn_column columns[RESULT_COLUMNS] = {{0}};
	for (size_t i = 0; i < n; i++)
		columns[i] = figures[i].column;
	struct result_table *table = result_table(res, "summary", columns, n);
	struct cairn_cell *row = result_row(res, table);
	table->table.single = 1;
	for (size_t i = 0; i < n; i++)
		if (columns[i].kind != CAIRN_CELL_REAL)
			cell_number(&row[i], figures[i].number);
	return row;
}

bool result_keeps(const struct cairn_result *res, const struct result_table *table)
{
	return !*res->only || !strcmp(res->only, table->name);
}

struct cairn_cell *result_row(struct cairn_result *res, struct result_table *table)
{
	size_t used = table->table.n_rows * table->table.n_columns;
	if (!result_keeps(res, table))
		return memset(res->scratch, 0, sizeof res->scratch);
	if (table != &res->none && table->cap - used < table->table.n_columns) {
		size_t cap = table->cap ? 2 * table->cap : 32u * table->table.n_columns;
		struct cairn_cell *cell = base_realloc(res->cairn, table->cells, cap * sizeof *cell);
		if (cell) {
			table->cells = cell;
			table->table.cells = cell;
			table->cap = cap;
		}
	}
	bool fits = table->cap - used >= table->table.n_columns;
	if (!fits)
		res->status = CAIRN_E_NOMEM;
	struct cairn_cell *row = fits ? table->cells + used : res->scratch;
	memset(row, 0, table->table.n_columns * sizeof *row);
	table->table.n_rows += fits;
	if (!table->table.series)
		return row;
	cell_number(&row[0], res->from);
	cell_number(&row[1], res->to);
	return row + 2;
}

void result_more(struct result_table *table, uint64_t n)
{
	table->table.n_more += table->table.series ? 0 : n;
}

void result_no_rows(struct cairn_result *res)
{
	for (struct result_table *table = res->first; table; table = table->next)
		table->table.n_rows = 0;
}

void result_forget(struct cairn_result *res)
{
	struct block *block = res->blocks;
	result_no_rows(res);
	if (!block)
		return;
	/* One stays for the texts of the next interval. */
	res->blocks = block->next;
	free_texts(res);
	block->used = 0;
	res->blocks = block;
}

const struct cairn_table *cairn_result_table(const struct cairn_result *res, size_t index)
{
	const struct result_table *table = res->first;
	for (; table && index; index--)
		table = table->next;
	return table ? &table->table : NULL;
}

int result_asked(const struct cairn_result *res, const char *name)
{
	char names[512] = "";
	size_t at = 0;
	for (const struct result_table *table = res->first; table; table = table->next) {
		if (!strcmp(table->name, name))
			return 0;
		if (at < sizeof names)
			at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "",
			                       table->name);
	}
	return base_fail(res->cairn, CAIRN_E_NOTFOUND, "there is no table '%s'; there is %s", name,
	                 names);
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H
/*
 * Tables in all forms: how a cell is spelt, and printing a table piece by piece, for rows that
 * are not all there at once.
 */
#include <stdbool.h>

#include "analysis/result.h"
#include "export/json.h"

enum { TABLE_CELL = 64 };

/* A cell that is known and no text; `exact` is for programs. Returns the length. */
size_t table_spell(char buf[TABLE_CELL], const struct cairn_column *col,
                   const struct cairn_cell *cell, bool exact);
/* Does it stand to the right of its place? */
bool table_is_number(const struct cairn_column *column);
/* The table of that name, NULL when there is none. */
const struct cairn_table *table_find(const struct cairn_result *res, const char *name);
/* Is it one of those that are asked for? */
bool table_is_shown(const struct cairn_print_opts *opts, const struct cairn_table *table);
/* How many of the rows of an interval. */
size_t table_shown(const struct cairn_print_opts *opts, const struct cairn_table *table,
                   size_t rows);

struct table_print {
	struct base_buf *out;
	struct cairn_print_opts opts;
	struct jout json;
	struct base_buf cell;         /* one, spelt */
	size_t begun;                 /* tables */
	size_t width[RESULT_COLUMNS]; /* of the columns of text, the names aside */
};

int table_print_new(struct table_print *print, const struct cairn_print_opts *opts,
                    struct base_buf *out);
void table_print_free(struct table_print *print);
/* CAIRN_E_NOTFOUND and a sentence if a table was asked for that the result has not. */
int table_asked(const struct table_print *print, const struct cairn_result *res);

int table_document(struct table_print *print);
/* A table: `begin`, `rows` for as many as there are at once, which may be none, and `end`. */
int table_begin(struct table_print *print, const struct cairn_table *table);
int table_rows(struct table_print *print, const struct cairn_table *table);
int table_end(struct table_print *print, const struct cairn_table *table);
/* All of that, for rows that are there; nothing of a table that people need not see. */
int table_whole(struct table_print *print, const struct cairn_table *table);
int table_document_end(struct table_print *print, const struct cairn_result *res);
/* As wide as these rows need it as text. */
int table_widen(struct table_print *print, const struct cairn_table *table, size_t *width);

#endif

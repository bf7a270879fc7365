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

/* Write a known cell that is not text; `exact` is for programs. Returns the length. */
size_t table_spell(char buf[TABLE_CELL], const struct cairn_column *col,
                   const struct cairn_cell *cell, bool exact);
/* Is it aligned to the right? */
bool table_is_number(const struct cairn_column *column);
/* The table of that name, NULL when there is none. */
const struct cairn_table *table_find(const struct cairn_result *res, const char *name);
/* Is it one of those that are asked for? */
bool table_is_shown(const struct cairn_print_opts *opts, const struct cairn_table *table);
/* How many rows of an interval to print. */
size_t table_shown(const struct cairn_print_opts *opts, const struct cairn_table *table,
                   size_t rows);

struct table_print {
	struct base_buf *out;
	struct cairn_print_opts opts;
	struct jout json;
	struct base_buf cell;         /* one, spelt */
	size_t begun;                 /* tables */
	size_t width[RESULT_COLUMNS]; /* of columns of text, except the names */
};

int table_print_new(struct table_print *print, const struct cairn_print_opts *opts,
                    struct base_buf *out);
void table_print_free(struct table_print *print);
/* CAIRN_E_NOTFOUND and a sentence if a table was asked for that the result does not have. */
int table_asked(const struct table_print *print, const struct cairn_result *res);

int table_document(struct table_print *print);
/* Print a table: `begin`, then `rows` for as many as there are at a time (maybe none), then `end`.
 *  */
int table_begin(struct table_print *print, const struct cairn_table *table);
int table_rows(struct table_print *print, const struct cairn_table *table);
int table_end(struct table_print *print, const struct cairn_table *table);
/* All three, for rows that are all there; prints nothing of a table that people need not see. */
int table_whole(struct table_print *print, const struct cairn_table *table);
int table_document_end(struct table_print *print, const struct cairn_result *res);
/* Make columns of text as wide as these rows need. */
int table_widen(struct table_print *print, const struct cairn_table *table, size_t *width);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as text for people, as JSON and as comma-separated values.
 *
 * Every cell is spelt by one function, so the forms agree; they differ in how much a
 * real is rounded (people get the column's decimals, programs nine digits), in what
 * stands for "not known" (-, null, nothing) and in what keeps a text harmless.
 */
#include <stdio.h>

#include "analysis/result.h"
#include "export/json.h"
#include "export/table.h"

bool table_is_number(const struct cairn_column *column)
{
	return column->kind != CAIRN_CELL_TEXT && column->kind != CAIRN_CELL_ADDRESS;
}

size_t table_spell(char buf[TABLE_CELL], const struct cairn_column *col,
                   const struct cairn_cell *cell, bool exact)
{
	if (col->kind == CAIRN_CELL_REAL && exact)
		return (size_t)snprintf(buf, TABLE_CELL, "%.9g", cell->v.real);
	if (col->kind == CAIRN_CELL_REAL)
		return (size_t)snprintf(buf, TABLE_CELL, "%.*f", col->decimals, cell->v.real);
	if (col->kind == CAIRN_CELL_SIGNED)
		return (size_t)snprintf(buf, TABLE_CELL, "%lld", (long long)cell->v.number);
	if (col->kind == CAIRN_CELL_ADDRESS)
		return (size_t)snprintf(buf, TABLE_CELL, "0x%llx", (unsigned long long)cell->v.number);
	return (size_t)snprintf(buf, TABLE_CELL, "%llu", (unsigned long long)cell->v.number);
}

const struct cairn_table *table_find(const struct cairn_result *res, const char *name)
{
	const struct cairn_table *table = NULL;
	for (size_t i = 0; (table = cairn_result_table(res, i)) && strcmp(table->name, name) != 0; i++)
		;
	return table;
}

static const struct cairn_cell *table_row_of(const struct cairn_table *table, size_t row)
{
	return table->cells + row * table->n_columns;
}

/* How many rows from `row` on belong to one interval; without a series, all. */
static size_t interval_rows(const struct cairn_table *table, size_t row)
{
	size_t n = 1;
	if (!table->series)
		return table->n_rows - row;
	while (row + n < table->n_rows &&
	       table_row_of(table, row + n)[0].v.number == table_row_of(table, row)[0].v.number)
		n++;
	return n;
}

size_t table_shown(const struct cairn_print_opts *opts, const struct cairn_table *table,
                   size_t rows)
{
	return opts->top && rows > opts->top && !table->single ? (size_t)opts->top : rows;
}

/* A list of figures is no table for people, and one object in JSON. */
static bool is_figures(const struct cairn_table *table)
{
	return table->single && !table->series && table->n_rows == 1;
}

/* ---- text ---- */

/* The cell as bytes for a terminal; grows `buf`. */
static int text_cell(struct base_buf *buf, const struct cairn_column *col,
                     const struct cairn_cell *cell)
{
	char number[TABLE_CELL];
	buf->len = 0;
	if (!cell->known)
		return base_buf_put(buf, "-", 1);
	if (col->kind != CAIRN_CELL_TEXT)
		return base_buf_put(buf, number, table_spell(number, col, cell, false));
	size_t n = strlen(cell->v.text);
	char *p = text_open(buf, 4 * n);
	if (!p)
		return CAIRN_E_NOMEM;
	text_close(buf, text_escape(p, cell->v.text, n, false));
	return 0;
}

static size_t table_width_of(const struct base_buf *buf)
{
	size_t n = 0;
	for (size_t i = 0; i < buf->len; i++)
		n += (buf->data[i] & 0xc0) != 0x80;
	return n;
}

static int table_put_padded(struct base_buf *out, const void *text, size_t n, size_t width,
                            size_t to, bool right, bool last)
{
	size_t pad = width < to ? to - width : 0;
	char *p = text_open(out, n + pad + 2);
	if (!p)
		return CAIRN_E_NOMEM;
	if (right)
		p = text_spaces(p, pad);
	p = text_put(p, text, n);
	if (!right && !last)
		p = text_spaces(p, pad);
	if (last)
		*p++ = '\n';
	else
		p = text_spaces(p, 2);
	text_close(out, p);
	return 0;
}

int table_widen(struct table_print *print, const struct cairn_table *table, size_t *width)
{
	for (size_t row = 0, n; row < table->n_rows; row += n) {
		n = interval_rows(table, row);
		for (size_t i = row; i < row + table_shown(&print->opts, table, n); i++)
			for (size_t k = 0; k < table->n_columns; k++) {
				const struct cairn_cell *cell = &table_row_of(table, i)[k];
				if (text_cell(&print->cell, &table->columns[k], cell) < 0)
					return CAIRN_E_NOMEM;
				size_t w = table_width_of(&print->cell);
				width[k] = w > width[k] ? w : width[k];
			}
	}
	return 0;
}

static int text_head(struct table_print *print, const struct cairn_table *table)
{
	int rc = 0;
	for (size_t k = 0; k < table->n_columns && rc >= 0; k++) {
		size_t n = strlen(table->columns[k].name);
		print->width[k] = n > print->width[k] ? n : print->width[k];
		rc = table_put_padded(print->out, table->columns[k].name, n, n, print->width[k],
		                      table_is_number(&table->columns[k]), k + 1 == table->n_columns);
	}
	return rc;
}

static int text_row(struct table_print *print, const struct cairn_table *table,
                    const struct cairn_cell *row)
{
	struct base_buf *cell = &print->cell;
	int rc = 0;
	for (size_t k = 0; k < table->n_columns && rc >= 0; k++) {
		rc = text_cell(cell, &table->columns[k], &row[k]);
		if (rc >= 0)
			rc = table_put_padded(print->out, cell->data, cell->len, table_width_of(cell),
			                      print->width[k], table_is_number(&table->columns[k]),
			                      k + 1 == table->n_columns);
	}
	return rc;
}

/* Figures: one a line. */
static int text_figures(struct table_print *print, const struct cairn_table *table)
{
	struct base_buf *cell = &print->cell;
	size_t name = 0, value = 0;
	int rc = 0;
	for (size_t k = 0; k < table->n_columns && rc >= 0; k++) {
		size_t n = strlen(table->columns[k].name);
		name = n > name ? n : name;
		rc = text_cell(cell, &table->columns[k], table_row_of(table, 0) + k);
		value = table_width_of(cell) > value ? table_width_of(cell) : value;
	}
	for (size_t k = 0; k < table->n_columns && rc >= 0; k++) {
		size_t n = strlen(table->columns[k].name);
		rc = table_put_padded(print->out, table->columns[k].name, n, n, name, false, false);
		if (rc >= 0)
			rc = text_cell(cell, &table->columns[k], table_row_of(table, 0) + k);
		if (rc >= 0)
			rc = table_put_padded(print->out, cell->data, cell->len, table_width_of(cell), value,
			                      table->columns[k].kind != CAIRN_CELL_TEXT, true);
	}
	return rc;
}

/* ---- JSON ---- */

static void json_row(struct jout *json, const struct cairn_table *table,
                     const struct cairn_cell *row)
{
	jout_object(json);
	for (size_t k = 0; k < table->n_columns; k++) {
		const struct cairn_column *col = &table->columns[k];
		char buf[TABLE_CELL];
		jout_key(json, col->name, strlen(col->name));
		if (!row[k].known)
			jout_null(json);
		else if (col->kind == CAIRN_CELL_TEXT)
			jout_text(json, row[k].v.text);
		else if (col->kind == CAIRN_CELL_ADDRESS)
			jout_hex(json, row[k].v.number, 1);
		else if (col->kind == CAIRN_CELL_REAL)
			jout_real(json, row[k].v.real);
		else
			jout_raw(json, buf, table_spell(buf, col, &row[k], true));
	}
	jout_object_end(json);
}

/* ---- comma-separated values (RFC 4180, lines end in \n) ---- */

/* Text of a trace is data: a spreadsheet would run a cell that begins as a formula does, so
 * an apostrophe comes first; and nothing in it controls the terminal it may be printed on. */
static int csv_text(struct base_buf *out, const char *text)
{
	size_t n = strlen(text);
	char *safe = base_alloc(out->cairn, 4 * n + TEXT_SLACK), *p = text_open(out, 8 * n + 4);
	if (!safe || !p) {
		base_free(out->cairn, safe);
		return CAIRN_E_NOMEM;
	}
	size_t len = (size_t)(text_escape(safe, text, n, false) - safe);
	bool quote = memchr(safe, ',', len) || memchr(safe, '"', len);
	if (quote)
		*p++ = '"';
	if (n && strchr("=+-@\t\r", *text))
		*p++ = '\'';
	for (size_t i = 0; i < len; i++) {
		if (safe[i] == '"')
			*p++ = '"';
		*p++ = safe[i];
	}
	if (quote)
		*p++ = '"';
	text_close(out, p);
	base_free(out->cairn, safe);
	return 0;
}

static int csv_row(struct table_print *print, const struct cairn_table *table,
                   const struct cairn_cell *row)
{
	int rc = 0;
	for (size_t k = 0; k < table->n_columns && rc >= 0; k++) {
		const struct cairn_column *col = &table->columns[k];
		char buf[TABLE_CELL];
		if (k)
			rc = base_buf_put(print->out, ",", 1);
		if (rc >= 0 && !row)
			rc = csv_text(print->out, col->name);
		else if (rc >= 0 && row[k].known && col->kind == CAIRN_CELL_TEXT)
			rc = csv_text(print->out, row[k].v.text);
		else if (rc >= 0 && row[k].known)
			rc = base_buf_put(print->out, buf, table_spell(buf, col, &row[k], true));
	}
	return rc < 0 ? rc : base_buf_put(print->out, "\n", 1);
}

/* ---- one table: its head, its rows interval by interval, its end ---- */

bool table_is_shown(const struct cairn_print_opts *opts, const struct cairn_table *table)
{
	return !opts->table || !strcmp(opts->table, table->name);
}

int table_begin(struct table_print *print, const struct cairn_table *table)
{
	if (print->opts.form == CAIRN_FORM_JSON) {
		jout_key(&print->json, table->name, strlen(table->name));
		if (!is_figures(table))
			jout_array(&print->json);
		return print->json.status;
	}
	int rc = print->begun++ ? base_buf_put(print->out, "\n", 1) : 0;
	if (rc >= 0 && print->opts.form == CAIRN_FORM_CSV)
		return print->opts.no_names ? 0 : csv_row(print, table, NULL);
	return rc < 0 || is_figures(table) ? rc : text_head(print, table);
}

static int table_put_row(struct table_print *print, const struct cairn_table *table,
                         const struct cairn_cell *row)
{
	if (print->opts.form == CAIRN_FORM_TEXT)
		return text_row(print, table, row);
	if (print->opts.form == CAIRN_FORM_CSV)
		return csv_row(print, table, row);
	json_row(&print->json, table, row);
	return print->json.status;
}

int table_rows(struct table_print *print, const struct cairn_table *table)
{
	bool text = print->opts.form == CAIRN_FORM_TEXT;
	int rc = 0;
	if (text && is_figures(table))
		return text_figures(print, table);
	for (size_t row = 0, n; row < table->n_rows && rc >= 0; row += n) {
		n = interval_rows(table, row);
		size_t shown = table_shown(&print->opts, table, n);
		for (size_t i = row; i < row + shown && rc >= 0; i++)
			rc = table_put_row(print, table, table_row_of(table, i));
		if (rc >= 0 && text && n - shown + table->n_more)
			rc = base_buf_printf(print->out, "… and %llu more\n",
			                     (unsigned long long)(n - shown + table->n_more));
	}
	return rc;
}

int table_end(struct table_print *print, const struct cairn_table *table)
{
	if (print->opts.form == CAIRN_FORM_JSON && !is_figures(table))
		jout_array_end(&print->json);
	return print->json.status;
}

int table_whole(struct table_print *print, const struct cairn_table *table)
{
	/* People need no empty tables. */
	if (!table->n_rows && print->opts.form == CAIRN_FORM_TEXT && !print->opts.table)
		return 0;
	memset(print->width, 0, sizeof print->width);
	int rc = print->opts.form == CAIRN_FORM_TEXT ? table_widen(print, table, print->width) : 0;
	if (rc >= 0)
		rc = table_begin(print, table);
	if (rc >= 0)
		rc = table_rows(print, table);
	return rc < 0 ? rc : table_end(print, table);
}

/* ---- all tables ---- */

int table_print_new(struct table_print *print, const struct cairn_print_opts *opts,
                    struct base_buf *out)
{
	*print = (struct table_print){.out = out};
	base_buf_init(&print->cell, out->cairn);
	jout_init(&print->json, out, true);
	if (opts->form > CAIRN_FORM_CSV)
		return base_fail(out->cairn, CAIRN_E_INVAL, "tables have no form %d", (int)opts->form);
	return base_options(out->cairn, &print->opts, sizeof print->opts, opts, "table options");
}

void table_print_free(struct table_print *print)
{
	base_buf_free(&print->cell);
}

int table_document(struct table_print *print)
{
	if (print->opts.form == CAIRN_FORM_JSON)
		jout_object(&print->json);
	return print->json.status;
}

int table_document_end(struct table_print *print, const struct cairn_result *res)
{
	struct jout *json = &print->json;
	if (print->opts.form != CAIRN_FORM_JSON)
		return 0;
	JSON_KEY(json, "notes");
	jout_array(json);
	for (size_t i = 0; cairn_result_note(res, i); i++)
		jout_text(json, cairn_result_note(res, i));
	jout_array_end(json);
	jout_object_end(json);
	jout_end(json);
	return json->status;
}

int table_asked(const struct table_print *print, const struct cairn_result *res)
{
	return print->opts.table ? result_asked(res, print->opts.table) : 0;
}

int cairn_result_print(const struct cairn_result *res, const struct cairn_print_opts *opts,
                       struct cairn_text *out)
{
	struct table_print print;
	const struct cairn_table *table;
	int rc = table_print_new(&print, opts, &out->buf);
	if (rc >= 0)
		rc = table_asked(&print, res);
	if (rc >= 0)
		rc = table_document(&print);
	for (size_t i = 0; rc >= 0 && (table = cairn_result_table(res, i)); i++)
		if (table_is_shown(&print.opts, table))
			rc = table_whole(&print, table);
	if (rc >= 0)
		rc = table_document_end(&print, res);
	table_print_free(&print);
	return rc;
}

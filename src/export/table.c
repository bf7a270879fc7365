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

struct print {
	struct base_buf *out;
	struct cairn_print_opts opts;
	const struct cairn_table *table;
};

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

/* How many rows from `row` on are one interval's, which is everything without series. */
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

static size_t shown_of(const struct print *print, size_t rows)
{
	return print->opts.top && rows > print->opts.top && !print->table->single
	           ? (size_t)print->opts.top
	           : rows;
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

/* Widths of the columns over the rows that will be shown. */
static int table_measure(const struct print *print, struct base_buf *cell, size_t *width)
{
	const struct cairn_table *table = print->table;
	for (size_t k = 0; k < table->n_columns; k++)
		width[k] = strlen(table->columns[k].name);
	for (size_t row = 0, n; row < table->n_rows; row += n) {
		n = interval_rows(table, row);
		for (size_t i = row; i < row + shown_of(print, n); i++)
			for (size_t k = 0; k < table->n_columns; k++) {
				if (text_cell(cell, &table->columns[k], &table_row_of(table, i)[k]) < 0)
					return CAIRN_E_NOMEM;
				size_t w = table_width_of(cell);
				width[k] = w > width[k] ? w : width[k];
			}
	}
	return 0;
}

static int text_table(const struct print *print, struct base_buf *cell, size_t *width)
{
	const struct cairn_table *table = print->table;
	int rc = table_measure(print, cell, width);
	for (size_t k = 0; k < table->n_columns && rc >= 0; k++)
		rc = table_put_padded(print->out, table->columns[k].name, strlen(table->columns[k].name),
		                      strlen(table->columns[k].name), width[k],
		                      table_is_number(&table->columns[k]), k + 1 == table->n_columns);
	for (size_t row = 0, n; row < table->n_rows && rc >= 0; row += n) {
		n = interval_rows(table, row);
		size_t shown = shown_of(print, n);
		for (size_t i = row; i < row + shown && rc >= 0; i++)
			for (size_t k = 0; k < table->n_columns && rc >= 0; k++) {
				rc = text_cell(cell, &table->columns[k], &table_row_of(table, i)[k]);
				if (rc >= 0)
					rc = table_put_padded(print->out, cell->data, cell->len, table_width_of(cell),
					                      width[k], table_is_number(&table->columns[k]),
					                      k + 1 == table->n_columns);
			}
		if (rc >= 0 && n - shown + table->n_more)
			rc = base_buf_printf(print->out, "… and %llu more\n",
			                     (unsigned long long)(n - shown + table->n_more));
	}
	return rc;
}

/* Figures: one a line. */
static int text_figures(const struct print *print, struct base_buf *cell)
{
	const struct cairn_table *table = print->table;
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

static int text_one(const struct print *print)
{
	struct base_buf cell;
	base_buf_init(&cell, print->out->cairn);
	size_t *width = base_alloc(print->out->cairn, (print->table->n_columns + 1) * sizeof *width);
	int rc = !width ? CAIRN_E_NOMEM
	         : print->table->single && !print->table->series && print->table->n_rows == 1
	             ? text_figures(print, &cell)
	             : text_table(print, &cell, width);
	base_free(print->out->cairn, width);
	base_buf_free(&cell);
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

static void json_table(struct jout *json, const struct print *print)
{
	const struct cairn_table *table = print->table;
	jout_key(json, table->name, strlen(table->name));
	if (table->single && !table->series && table->n_rows == 1) {
		json_row(json, table, table_row_of(table, 0));
		return;
	}
	jout_array(json);
	for (size_t row = 0, n; row < table->n_rows; row += n) {
		n = interval_rows(table, row);
		for (size_t i = row; i < row + shown_of(print, n); i++)
			json_row(json, table, table_row_of(table, i));
	}
	jout_array_end(json);
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

static int csv_row(const struct print *print, const struct cairn_cell *row)
{
	int rc = 0;
	for (size_t k = 0; k < print->table->n_columns && rc >= 0; k++) {
		const struct cairn_column *col = &print->table->columns[k];
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

static int csv_one(const struct print *print)
{
	int rc = print->opts.no_names ? 0 : csv_row(print, NULL);
	for (size_t row = 0, n; row < print->table->n_rows && rc >= 0; row += n) {
		n = interval_rows(print->table, row);
		for (size_t i = row; i < row + shown_of(print, n) && rc >= 0; i++)
			rc = csv_row(print, table_row_of(print->table, i));
	}
	return rc;
}

/* ---- all tables ---- */

static int no_such(const struct cairn_result *res, struct print *print)
{
	char names[512] = "";
	size_t at = 0;
	const struct cairn_table *table;
	for (size_t i = 0; (table = cairn_result_table(res, i)) && at < sizeof names; i++)
		at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", table->name);
	return base_fail(print->out->cairn, CAIRN_E_NOTFOUND, "there is no table '%s'; there is %s",
	                 print->opts.table, names);
}

int cairn_result_print(const struct cairn_result *res, const struct cairn_print_opts *opts,
                       struct cairn_text *out)
{
	struct print print = {.out = &out->buf};
	struct jout j;
	int rc = 0;
	size_t shown = 0;
	if (opts->size > sizeof print.opts || opts->form > CAIRN_FORM_CSV)
		return base_fail(out->buf.cairn, CAIRN_E_INVAL, "options of a newer library");
	memcpy(&print.opts, opts, opts->size);
	bool json = print.opts.form == CAIRN_FORM_JSON;
	jout_init(&j, &out->buf, true);
	if (json)
		jout_object(&j);
	for (size_t i = 0; (print.table = cairn_result_table(res, i)) && rc >= 0; i++) {
		if (print.opts.table && strcmp(print.opts.table, print.table->name) != 0)
			continue;
		if (!print.table->n_rows && print.opts.form == CAIRN_FORM_TEXT && !print.opts.table)
			continue; /* people need no empty tables */
		if (json)
			json_table(&j, &print);
		else if (shown)
			rc = base_buf_put(&out->buf, "\n", 1);
		if (rc >= 0 && !json)
			rc = print.opts.form == CAIRN_FORM_CSV ? csv_one(&print) : text_one(&print);
		shown++;
	}
	if (rc >= 0 && print.opts.table && !shown)
		return no_such(res, &print);
	if (!json || rc < 0)
		return rc;
	JSON_KEY(&j, "notes");
	jout_array(&j);
	for (size_t i = 0; cairn_result_note(res, i); i++)
		jout_text(&j, cairn_result_note(res, i));
	jout_array_end(&j);
	jout_object_end(&j);
	jout_end(&j);
	return j.status;
}

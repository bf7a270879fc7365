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
	const struct cairn_table *t;
};

bool table_is_number(const struct cairn_column *c)
{
	return c->kind != CAIRN_CELL_TEXT && c->kind != CAIRN_CELL_ADDRESS;
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
	const struct cairn_table *t = NULL;
	for (size_t i = 0; (t = cairn_result_table(res, i)) && strcmp(t->name, name) != 0; i++)
		;
	return t;
}

static const struct cairn_cell *table_row_of(const struct cairn_table *t, size_t row)
{
	return t->cells + row * t->n_columns;
}

/* How many rows from `row` on are one interval's, which is everything without series. */
static size_t interval_rows(const struct cairn_table *t, size_t row)
{
	size_t n = 1;
	if (!t->series)
		return t->n_rows - row;
	while (row + n < t->n_rows &&
	       table_row_of(t, row + n)[0].v.number == table_row_of(t, row)[0].v.number)
		n++;
	return n;
}

static size_t shown_of(const struct print *p, size_t rows)
{
	return p->opts.top && rows > p->opts.top && !p->t->single ? (size_t)p->opts.top : rows;
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

static size_t table_width_of(const struct base_buf *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->len; i++)
		n += (b->data[i] & 0xc0) != 0x80;
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
static int table_measure(const struct print *p, struct base_buf *cell, size_t *width)
{
	const struct cairn_table *t = p->t;
	for (size_t k = 0; k < t->n_columns; k++)
		width[k] = strlen(t->columns[k].name);
	for (size_t row = 0, n; row < t->n_rows; row += n) {
		n = interval_rows(t, row);
		for (size_t i = row; i < row + shown_of(p, n); i++)
			for (size_t k = 0; k < t->n_columns; k++) {
				if (text_cell(cell, &t->columns[k], &table_row_of(t, i)[k]) < 0)
					return CAIRN_E_NOMEM;
				size_t w = table_width_of(cell);
				width[k] = w > width[k] ? w : width[k];
			}
	}
	return 0;
}

static int text_table(const struct print *p, struct base_buf *cell, size_t *width)
{
	const struct cairn_table *t = p->t;
	int rc = table_measure(p, cell, width);
	for (size_t k = 0; k < t->n_columns && rc >= 0; k++)
		rc = table_put_padded(p->out, t->columns[k].name, strlen(t->columns[k].name),
		                      strlen(t->columns[k].name), width[k], table_is_number(&t->columns[k]),
		                      k + 1 == t->n_columns);
	for (size_t row = 0, n; row < t->n_rows && rc >= 0; row += n) {
		n = interval_rows(t, row);
		size_t shown = shown_of(p, n);
		for (size_t i = row; i < row + shown && rc >= 0; i++)
			for (size_t k = 0; k < t->n_columns && rc >= 0; k++) {
				rc = text_cell(cell, &t->columns[k], &table_row_of(t, i)[k]);
				if (rc >= 0)
					rc = table_put_padded(p->out, cell->data, cell->len, table_width_of(cell),
					                      width[k], table_is_number(&t->columns[k]),
					                      k + 1 == t->n_columns);
			}
		if (rc >= 0 && n - shown + t->n_more)
			rc = base_buf_printf(p->out, "… and %llu more\n",
			                     (unsigned long long)(n - shown + t->n_more));
	}
	return rc;
}

/* Figures: one a line. */
static int text_figures(const struct print *p, struct base_buf *cell)
{
	const struct cairn_table *t = p->t;
	size_t name = 0, value = 0;
	int rc = 0;
	for (size_t k = 0; k < t->n_columns && rc >= 0; k++) {
		size_t n = strlen(t->columns[k].name);
		name = n > name ? n : name;
		rc = text_cell(cell, &t->columns[k], table_row_of(t, 0) + k);
		value = table_width_of(cell) > value ? table_width_of(cell) : value;
	}
	for (size_t k = 0; k < t->n_columns && rc >= 0; k++) {
		size_t n = strlen(t->columns[k].name);
		rc = table_put_padded(p->out, t->columns[k].name, n, n, name, false, false);
		if (rc >= 0)
			rc = text_cell(cell, &t->columns[k], table_row_of(t, 0) + k);
		if (rc >= 0)
			rc = table_put_padded(p->out, cell->data, cell->len, table_width_of(cell), value,
			                      t->columns[k].kind != CAIRN_CELL_TEXT, true);
	}
	return rc;
}

static int text_one(const struct print *p)
{
	struct base_buf cell;
	base_buf_init(&cell, p->out->c);
	size_t *width = base_alloc(p->out->c, (p->t->n_columns + 1) * sizeof *width);
	int rc = !width                                               ? CAIRN_E_NOMEM
	         : p->t->single && !p->t->series && p->t->n_rows == 1 ? text_figures(p, &cell)
	                                                              : text_table(p, &cell, width);
	base_free(p->out->c, width);
	base_buf_free(&cell);
	return rc;
}

/* ---- JSON ---- */

static void json_row(struct jout *j, const struct cairn_table *t, const struct cairn_cell *row)
{
	jout_object(j);
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct cairn_column *col = &t->columns[k];
		char buf[TABLE_CELL];
		jout_key(j, col->name, strlen(col->name));
		if (!row[k].known)
			jout_null(j);
		else if (col->kind == CAIRN_CELL_TEXT)
			jout_text(j, row[k].v.text);
		else if (col->kind == CAIRN_CELL_ADDRESS)
			jout_hex(j, row[k].v.number, 1);
		else if (col->kind == CAIRN_CELL_REAL)
			jout_real(j, row[k].v.real);
		else
			jout_raw(j, buf, table_spell(buf, col, &row[k], true));
	}
	jout_object_end(j);
}

static void json_table(struct jout *j, const struct print *p)
{
	const struct cairn_table *t = p->t;
	jout_key(j, t->name, strlen(t->name));
	if (t->single && !t->series && t->n_rows == 1) {
		json_row(j, t, table_row_of(t, 0));
		return;
	}
	jout_array(j);
	for (size_t row = 0, n; row < t->n_rows; row += n) {
		n = interval_rows(t, row);
		for (size_t i = row; i < row + shown_of(p, n); i++)
			json_row(j, t, table_row_of(t, i));
	}
	jout_array_end(j);
}

/* ---- comma-separated values (RFC 4180, lines end in \n) ---- */

/* Text of a trace is data: a spreadsheet would run a cell that begins as a formula does, so
 * an apostrophe comes first; and nothing in it controls the terminal it may be printed on. */
static int csv_text(struct base_buf *out, const char *s)
{
	size_t n = strlen(s);
	char *safe = base_alloc(out->c, 4 * n + TEXT_SLACK), *p = text_open(out, 8 * n + 4);
	if (!safe || !p) {
		base_free(out->c, safe);
		return CAIRN_E_NOMEM;
	}
	size_t len = (size_t)(text_escape(safe, s, n, false) - safe);
	bool quote = memchr(safe, ',', len) || memchr(safe, '"', len);
	if (quote)
		*p++ = '"';
	if (n && strchr("=+-@\t\r", *s))
		*p++ = '\'';
	for (size_t i = 0; i < len; i++) {
		if (safe[i] == '"')
			*p++ = '"';
		*p++ = safe[i];
	}
	if (quote)
		*p++ = '"';
	text_close(out, p);
	base_free(out->c, safe);
	return 0;
}

static int csv_row(const struct print *p, const struct cairn_cell *row)
{
	int rc = 0;
	for (size_t k = 0; k < p->t->n_columns && rc >= 0; k++) {
		const struct cairn_column *col = &p->t->columns[k];
		char buf[TABLE_CELL];
		if (k)
			rc = base_buf_put(p->out, ",", 1);
		if (rc >= 0 && !row)
			rc = csv_text(p->out, col->name);
		else if (rc >= 0 && row[k].known && col->kind == CAIRN_CELL_TEXT)
			rc = csv_text(p->out, row[k].v.text);
		else if (rc >= 0 && row[k].known)
			rc = base_buf_put(p->out, buf, table_spell(buf, col, &row[k], true));
	}
	return rc < 0 ? rc : base_buf_put(p->out, "\n", 1);
}

static int csv_one(const struct print *p)
{
	int rc = p->opts.no_names ? 0 : csv_row(p, NULL);
	for (size_t row = 0, n; row < p->t->n_rows && rc >= 0; row += n) {
		n = interval_rows(p->t, row);
		for (size_t i = row; i < row + shown_of(p, n) && rc >= 0; i++)
			rc = csv_row(p, table_row_of(p->t, i));
	}
	return rc;
}

/* ---- all tables ---- */

static int no_such(const struct cairn_result *res, struct print *p)
{
	char names[512] = "";
	size_t at = 0;
	const struct cairn_table *t;
	for (size_t i = 0; (t = cairn_result_table(res, i)) && at < sizeof names; i++)
		at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", t->name);
	return base_fail(p->out->c, CAIRN_E_NOTFOUND, "there is no table '%s'; there is %s",
	                 p->opts.table, names);
}

int cairn_result_print(const struct cairn_result *res, const struct cairn_print_opts *opts,
                       struct cairn_text *out)
{
	struct print p = {.out = &out->buf};
	struct jout j;
	int rc = 0;
	size_t shown = 0;
	if (opts->size > sizeof p.opts || opts->form > CAIRN_FORM_CSV)
		return base_fail(out->buf.c, CAIRN_E_INVAL, "options of a newer library");
	memcpy(&p.opts, opts, opts->size);
	bool json = p.opts.form == CAIRN_FORM_JSON;
	jout_init(&j, &out->buf, true);
	if (json)
		jout_object(&j);
	for (size_t i = 0; (p.t = cairn_result_table(res, i)) && rc >= 0; i++) {
		if (p.opts.table && strcmp(p.opts.table, p.t->name) != 0)
			continue;
		if (!p.t->n_rows && p.opts.form == CAIRN_FORM_TEXT && !p.opts.table)
			continue; /* people need no empty tables */
		if (json)
			json_table(&j, &p);
		else if (shown)
			rc = base_buf_put(&out->buf, "\n", 1);
		if (rc >= 0 && !json)
			rc = p.opts.form == CAIRN_FORM_CSV ? csv_one(&p) : text_one(&p);
		shown++;
	}
	if (rc >= 0 && p.opts.table && !shown)
		return no_such(res, &p);
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

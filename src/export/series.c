/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Printing a result while it is made.
 *
 * The output holds one table after the other, each with the rows of all intervals. So the first
 * table is written at once, and the rows of the others are kept until it is complete: packed, and
 * beyond some size in a temporary file. As text all tables are kept, because the width of a
 * column is known only after its last row.
 */
#include "cairn/analysis.h"

#include <string.h>

#include "export/table.h"
#include "io/spill.h"

enum { KEEP = 1 << 20, PIECE = 1 << 16, VARINT = 10 };

/* Rows of a table that are kept. */
struct kept {
	const struct cairn_table *table; /* lives as long as the result */
	struct io_spill *rows;
	struct base_buf last; /* rows behind those, packed: a temporary file gets whole pieces */
	bool any;             /* are there any? */
	size_t width[RESULT_COLUMNS];
};

/* What stands before an interval's packed rows. */
struct packed {
	uint64_t bytes, rows, more; /* more: rows that are not shown */
};

struct cairn_series {
	struct cairn *cairn;
	const char *path;
	cairn_write_fn *write;
	void *user;
	struct table_print print;
	struct base_buf out;             /* not written yet */
	const struct cairn_table *first; /* written as it comes; NULL: none */
	struct kept *kept;
	size_t n_kept;
	const struct cairn_table *table; /* whose rows are being read back */
	struct base_buf rows, cells;     /* packed rows; those of one interval */
};

int cairn_series_new(struct cairn *cairn, const struct cairn_print_opts *opts, const char *path,
                     cairn_write_fn *write, void *user, struct cairn_series **out)
{
	struct cairn_series *series = base_alloc(cairn, sizeof *series);
	if (!series)
		return CAIRN_E_NOMEM;
	*series = (struct cairn_series){.cairn = cairn, .path = path, .write = write, .user = user};
	base_buf_init(&series->out, cairn);
	base_buf_init(&series->rows, cairn);
	base_buf_init(&series->cells, cairn);
	int rc = table_print_new(&series->print, opts, &series->out);
	if (rc < 0) {
		cairn_series_free(series);
		return rc;
	}
	*out = series;
	return 0;
}

static void kept_free(struct kept *kept)
{
	io_spill_free(kept->rows);
	base_buf_free(&kept->last);
}

void cairn_series_free(struct cairn_series *series)
{
	if (!series)
		return;
	for (size_t i = 0; i < series->n_kept; i++)
		kept_free(&series->kept[i]);
	base_free(series->cairn, series->kept);
	table_print_free(&series->print);
	base_buf_free(&series->out);
	base_buf_free(&series->rows);
	base_buf_free(&series->cells);
	base_free(series->cairn, series);
}

static int series_flush(struct cairn_series *series)
{
	int rc = series->out.len ? series->write(series->user, series->out.data, series->out.len) : 0;
	series->out.len = 0;
	return rc;
}

/* ---- packed rows: a bit for each cell that is known, then what these hold ---- */

static const uint8_t *get_varint(const uint8_t *p, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0;; shift += 7) {
		*value |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			return p;
	}
}

/* A difference with its sign in bit 0: small ones are then small numbers either way. */
static uint64_t sign_last(uint64_t distance)
{
	return distance << 1 ^ (distance >> 63 ? UINT64_MAX : 0);
}

static uint64_t sign_first(uint64_t value)
{
	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

static uint8_t *pack_cell(uint8_t *p, uint8_t kind, const struct cairn_cell *cell)
{
	if (kind == CAIRN_CELL_REAL)
		return (uint8_t *)memcpy(p, &cell->v.real, sizeof cell->v.real) + sizeof cell->v.real;
	if (kind == CAIRN_CELL_TEXT) {
		size_t n = strlen(cell->v.text) + 1; /* with its end */
		return (uint8_t *)memcpy(p, cell->v.text, n) + n;
	}
	return base_put_varint(p,
	                       kind == CAIRN_CELL_SIGNED ? sign_last(cell->v.number) : cell->v.number);
}

static const uint8_t *unpack_cell(const uint8_t *p, uint8_t kind, struct cairn_cell *cell)
{
	cell->known = 1;
	if (kind == CAIRN_CELL_REAL) {
		memcpy(&cell->v.real, p, sizeof cell->v.real);
		return p + sizeof cell->v.real;
	}
	if (kind == CAIRN_CELL_TEXT) {
		cell->v.text = (const char *)p;
		return p + strlen(cell->v.text) + 1;
	}
	p = get_varint(p, &cell->v.number);
	if (kind == CAIRN_CELL_SIGNED)
		cell->v.number = sign_first(cell->v.number);
	return p;
}

static int pack_row(struct base_buf *buf, const struct cairn_table *table,
                    const struct cairn_cell *row)
{
	size_t room = sizeof(uint32_t);
	uint32_t known = 0;
	for (size_t k = 0; k < table->n_columns; k++) {
		known |= (uint32_t)(row[k].known != 0) << k;
		if (row[k].known)
			room += table->columns[k].kind == CAIRN_CELL_TEXT ? strlen(row[k].v.text) + 1 : VARINT;
	}
	int rc = base_buf_reserve(buf, room);
	if (rc < 0)
		return rc;
	uint8_t *p = buf->data + buf->len;
	p = (uint8_t *)memcpy(p, &known, sizeof known) + sizeof known;
	for (size_t k = 0; k < table->n_columns; k++)
		if (row[k].known)
			p = pack_cell(p, table->columns[k].kind, &row[k]);
	buf->len = (size_t)(p - buf->data);
	return 0;
}

static const uint8_t *unpack_row(const uint8_t *p, const struct cairn_table *table,
                                 struct cairn_cell *row)
{
	uint32_t known;
	memcpy(&known, p, sizeof known);
	p += sizeof known;
	memset(row, 0, table->n_columns * sizeof *row);
	for (size_t k = 0; k < table->n_columns; k++)
		if (known >> k & 1)
			p = unpack_cell(p, table->columns[k].kind, &row[k]);
	return p;
}

/* ---- keeping ---- */

static struct kept *kept_of(const struct cairn_series *series, const struct cairn_table *table)
{
	for (size_t i = 0; i < series->n_kept; i++)
		if (series->kept[i].table == table)
			return &series->kept[i];
	return NULL;
}

static int kept_new(struct cairn_series *series, const struct cairn_table *table, struct kept **out)
{
	struct kept *kept = base_append(series->cairn, &series->kept, &series->n_kept, sizeof *kept);
	if (!kept)
		return CAIRN_E_NOMEM;
	kept->table = table;
	base_buf_init(&kept->last, series->cairn);
	int rc = io_spill_new(series->cairn, series->path, KEEP, &kept->rows);
	series->n_kept -= rc < 0;
	*out = kept;
	return rc;
}

/* The rows of an interval. */
static int keep(struct cairn_series *series, const struct cairn_table *table)
{
	struct kept *kept = kept_of(series, table);
	struct packed head = {.rows = table_shown(&series->print.opts, table, table->n_rows)};
	int rc = kept ? 0 : kept_new(series, table, &kept);
	if (rc < 0 || !table->n_rows)
		return rc;
	struct base_buf *buf = &kept->last;
	size_t at = buf->len;
	kept->any = true;
	if (series->print.opts.form == CAIRN_FORM_TEXT)
		rc = table_widen(&series->print, table, kept->width);
	if (rc >= 0)
		rc = base_buf_put(buf, &head, sizeof head);
	for (size_t i = 0; i < head.rows && rc >= 0; i++)
		rc = pack_row(buf, table, table->cells + i * table->n_columns);
	if (rc < 0)
		return rc;
	head.bytes = buf->len - at;
	head.more = table->n_rows - head.rows;
	memcpy(buf->data + at, &head, sizeof head);
	if (buf->len < PIECE)
		return 0;
	rc = io_spill_put(kept->rows, buf->data, buf->len);
	buf->len = 0;
	return rc;
}

int cairn_series_interval(void *user, const struct cairn_result *res)
{
	struct cairn_series *series = user;
	const struct cairn_table *table;
	bool keeps = series->print.opts.form == CAIRN_FORM_TEXT;
	int rc = 0;
	for (size_t i = 0; rc >= 0 && (table = cairn_result_table(res, i)); i++) {
		if (!table_is_shown(&series->print.opts, table))
			continue;
		if (!keeps && !series->first && !series->n_kept) {
			series->first = table;
			rc = table_document(&series->print);
			if (rc >= 0)
				rc = table_begin(&series->print, table);
		}
		if (rc >= 0)
			rc = table == series->first ? table_rows(&series->print, table) : keep(series, table);
	}
	if (rc >= 0)
		rc = series_flush(series);
	return rc < 0 ? rc : 1;
}

/* ---- the end ---- */

static int print_packed(struct cairn_series *series, const uint8_t *p, const struct packed *head)
{
	struct cairn_table now = *series->table;
	struct base_buf *cells = &series->cells;
	cells->len = 0;
	int rc = base_buf_reserve(cells, head->rows * now.n_columns * sizeof *now.cells);
	if (rc < 0)
		return rc;
	struct cairn_cell *cell = (void *)cells->data;
	for (size_t i = 0; i < head->rows; i++)
		p = unpack_row(p, &now, cell + i * now.n_columns);
	now.cells = cell;
	now.n_rows = (size_t)head->rows;
	now.n_more = head->more;
	rc = table_rows(&series->print, &now);
	return rc >= 0 && series->out.len >= PIECE ? series_flush(series) : rc;
}

/* A piece of packed rows: print the intervals that are complete. */
static int take_piece(void *user, const uint8_t *p, size_t n)
{
	struct cairn_series *series = user;
	struct base_buf *rows = &series->rows;
	struct packed head;
	size_t at = 0;
	int rc = base_buf_put(rows, p, n);
	while (rc >= 0 && rows->len - at >= sizeof head) {
		memcpy(&head, rows->data + at, sizeof head);
		if (rows->len - at < head.bytes)
			break;
		rc = print_packed(series, rows->data + at + sizeof head, &head);
		at += (size_t)head.bytes;
	}
	memmove(rows->data, rows->data + at, rows->len - at);
	rows->len -= at;
	return rc;
}

static int print_kept(struct cairn_series *series, const struct kept *kept)
{
	if (!kept->any)
		return table_whole(&series->print, kept->table);
	series->table = kept->table;
	series->rows.len = 0;
	memcpy(series->print.width, kept->width, sizeof kept->width);
	int rc = table_begin(&series->print, kept->table);
	if (rc >= 0)
		rc = io_spill_release(kept->rows, take_piece, series);
	if (rc >= 0 && kept->last.len)
		rc = take_piece(series, kept->last.data, kept->last.len);
	return rc < 0 ? rc : table_end(&series->print, kept->table);
}

static int print_rest(struct cairn_series *series, const struct cairn_table *table)
{
	const struct kept *kept = kept_of(series, table);
	int rc = table == series->first ? table_end(&series->print, table)
	         : kept                 ? print_kept(series, kept)
	                                : table_whole(&series->print, table);
	return rc < 0 ? rc : series_flush(series);
}

int cairn_series_end(struct cairn_series *series, const struct cairn_result *res)
{
	const struct cairn_table *table;
	int rc = table_asked(&series->print, res);
	if (rc >= 0 && !series->first)
		rc = table_document(&series->print);
	for (size_t i = 0; rc >= 0 && (table = cairn_result_table(res, i)); i++)
		if (table_is_shown(&series->print.opts, table))
			rc = print_rest(series, table);
	if (rc >= 0)
		rc = table_document_end(&series->print, res);
	return rc < 0 ? rc : series_flush(series);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathering differences into hunks, and handing each out with a few rows from
 * before and after it.
 *
 * A hunk ends where equal rows begin, but it is handed out only when enough of
 * these have gone by, or the next difference comes. A row is shown once: what stood
 * after one hunk does not stand before the next. However long a hunk is, only its
 * first rows are kept, so memory stays flat.
 */
#include <string.h>

#include "analysis/diff.h"

enum { DEFAULT_ROWS = 16 };

int diff_hunks_init(struct diff_hunks *d, struct cairn *c, const struct cairn_diff_opts *opts,
                    struct cairn_diff_sum *sum, struct diff_side *a, struct diff_side *b)
{
	uint32_t rows = opts->rows ? opts->rows : DEFAULT_ROWS;
	*d = (struct diff_hunks){.c = c, .opts = opts, .sum = sum, .a = a, .b = b, .xacts = a->xacts};
	d->before = base_alloc(c, (opts->context + 1) * sizeof *d->before);
	d->after = base_alloc(c, (opts->context + 1) * sizeof *d->after);
	d->rows_a = base_alloc(c, rows * sizeof *d->rows_a);
	d->rows_b = base_alloc(c, rows * sizeof *d->rows_b);
	return d->before && d->after && d->rows_a && d->rows_b ? 0 : CAIRN_E_NOMEM;
}

static void free_rows(struct diff_hunks *d, struct cairn_diff_row *rows, uint32_t *n)
{
	for (uint32_t i = 0; i < *n; i++)
		base_free(d->c, (void *)(uintptr_t)rows[i].batch);
	*n = 0;
}

static void empty(struct diff_hunks *d)
{
	free_rows(d, d->before, &d->h.n_before);
	free_rows(d, d->rows_a, &d->h.n_a);
	free_rows(d, d->rows_b, &d->h.n_b);
	free_rows(d, d->after, &d->h.n_after);
	d->open = d->trailing = false;
}

void diff_hunks_free(struct diff_hunks *d)
{
	if (d->before && d->after && d->rows_a && d->rows_b)
		empty(d);
	base_free(d->c, d->before);
	base_free(d->c, d->after);
	base_free(d->c, d->rows_a);
	base_free(d->c, d->rows_b);
}

static int keep_row(struct diff_hunks *d, struct cairn_diff_row *rows, uint32_t *n,
                    struct diff_row row, uint64_t a, uint64_t b, uint32_t fields)
{
	struct cairn_batch *copy = diff_copy_row(d->c, row);
	if (!copy)
		return CAIRN_E_NOMEM;
	rows[(*n)++] = (struct cairn_diff_row){.a = a, .b = b, .fields = fields, .batch = copy};
	return 0;
}

static uint64_t number_at(const struct diff_hunks *d, const struct diff_side *s, uint64_t ordinal)
{
	return diff_row_number(d->xacts, diff_side_row(s, ordinal));
}

/* Equal rows from `back` before the positions on. */
static int keep_equal(struct diff_hunks *d, struct cairn_diff_row *rows, uint32_t *n, uint64_t at_a,
                      uint64_t at_b)
{
	return keep_row(d, rows, n, diff_side_row(d->a, at_a), number_at(d, d->a, at_a),
	                number_at(d, d->b, at_b), 0);
}

static int hand_out(struct diff_hunks *d)
{
	struct cairn_diff_hunk *h = &d->h;
	int rc = 0;
	if (!d->open)
		return 0;
	h->before = d->before;
	h->a = d->rows_a;
	h->b = d->rows_b;
	h->after = d->after;
	d->spent = h->n_after;
	if (!d->silent && d->opts->hunk)
		rc = d->opts->hunk(d->opts->user, h);
	empty(d);
	return rc < 0 ? rc : 0;
}

static int diff_hunk_begin(struct diff_hunks *d, enum cairn_diff_kind kind)
{
	int rc = 0;
	d->sum->hunks++;
	d->open = true;
	d->silent = !d->opts->hunk || (d->opts->limit && d->sum->hunks > d->opts->limit);
	d->h = (struct cairn_diff_hunk){.number = d->sum->hunks,
	                                .kind = (uint8_t)kind,
	                                .a_first = diff_side_number(d->a),
	                                .b_first = diff_side_number(d->b)};
	uint64_t back = d->equal - d->spent;
	if (back > d->opts->context)
		back = d->opts->context;
	for (; back && !d->silent && rc >= 0; back--)
		rc = keep_equal(d, d->before, &d->h.n_before, d->a->pos - back, d->b->pos - back);
	d->equal = d->spent = 0;
	return rc;
}

/* Make sure a hunk of this kind is open for more. */
static int want_open(struct diff_hunks *d, enum cairn_diff_kind kind)
{
	int rc = 0;
	if (d->open && (d->trailing || d->h.kind != (uint8_t)kind))
		rc = hand_out(d);
	if (rc >= 0 && !d->open)
		rc = diff_hunk_begin(d, kind);
	return rc;
}

static uint32_t most_rows(const struct diff_hunks *d)
{
	return d->silent ? 0 : d->opts->rows ? d->opts->rows : DEFAULT_ROWS;
}

int diff_hunks_changed(struct diff_hunks *d, uint32_t fields)
{
	int rc = want_open(d, CAIRN_DIFF_CHANGED);
	struct cairn_diff_hunk *h = &d->h;
	if (rc >= 0 && h->n_a < most_rows(d)) {
		uint64_t a = number_at(d, d->a, d->a->pos), b = number_at(d, d->b, d->b->pos);
		rc = keep_row(d, d->rows_a, &h->n_a, diff_side_row(d->a, d->a->pos), a, b, fields);
		if (rc >= 0)
			rc = keep_row(d, d->rows_b, &h->n_b, diff_side_row(d->b, d->b->pos), a, b, fields);
	}
	h->fields |= fields;
	h->a_count++;
	h->b_count++;
	d->sum->changed++;
	return rc;
}

int diff_hunks_edit(struct diff_hunks *d, uint64_t da, uint64_t db, bool lost)
{
	int rc = want_open(d, CAIRN_DIFF_EDIT);
	struct cairn_diff_hunk *h = &d->h;
	for (uint64_t i = 0; i < da && h->n_a < most_rows(d) && rc >= 0; i++)
		rc = keep_row(d, d->rows_a, &h->n_a, diff_side_row(d->a, d->a->pos + i),
		              number_at(d, d->a, d->a->pos + i), 0, 0);
	for (uint64_t i = 0; i < db && h->n_b < most_rows(d) && rc >= 0; i++)
		rc = keep_row(d, d->rows_b, &h->n_b, diff_side_row(d->b, d->b->pos + i), 0,
		              number_at(d, d->b, d->b->pos + i), 0);
	h->lost |= lost;
	h->a_count += da;
	h->b_count += db;
	d->sum->only_a += da;
	d->sum->only_b += db;
	return rc;
}

int diff_hunks_equal(struct diff_hunks *d, uint64_t n)
{
	int rc = 0;
	d->sum->equal += n;
	d->equal += n;
	if (!d->open)
		return 0;
	d->trailing = true;
	uint32_t want = d->silent ? 0 : d->opts->context;
	for (uint64_t i = 0; i < n && d->h.n_after < want && rc >= 0; i++)
		rc = keep_equal(d, d->after, &d->h.n_after, d->a->pos + i, d->b->pos + i);
	return rc >= 0 && d->h.n_after >= want ? hand_out(d) : rc;
}

int diff_hunks_end(struct diff_hunks *d)
{
	return hand_out(d);
}

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

#include "analysis/diff.h"

enum { DEFAULT_ROWS = 16 };

int diff_hunks_init(struct diff_hunks *hunks, struct cairn *cairn,
                    const struct cairn_diff_opts *opts, struct cairn_diff_sum *sum,
                    struct diff_side *left, struct diff_side *right)
{
	uint32_t rows = opts->rows ? opts->rows : DEFAULT_ROWS;
	*hunks = (struct diff_hunks){.cairn = cairn,
	                             .opts = opts,
	                             .sum = sum,
	                             .side = left,
	                             .b = right,
	                             .xacts = left->xacts};
	hunks->before = base_alloc(cairn, (opts->context + 1) * sizeof *hunks->before);
	hunks->after = base_alloc(cairn, (opts->context + 1) * sizeof *hunks->after);
	hunks->rows_a = base_alloc(cairn, rows * sizeof *hunks->rows_a);
	hunks->rows_b = base_alloc(cairn, rows * sizeof *hunks->rows_b);
	return hunks->before && hunks->after && hunks->rows_a && hunks->rows_b ? 0 : CAIRN_E_NOMEM;
}

static void free_rows(struct diff_hunks *hunks, struct cairn_diff_row *rows, uint32_t *n)
{
	for (uint32_t i = 0; i < *n; i++)
		base_free(hunks->cairn, (void *)(uintptr_t)rows[i].batch);
	*n = 0;
}

static void empty(struct diff_hunks *hunks)
{
	free_rows(hunks, hunks->before, &hunks->hunk.n_before);
	free_rows(hunks, hunks->rows_a, &hunks->hunk.n_a);
	free_rows(hunks, hunks->rows_b, &hunks->hunk.n_b);
	free_rows(hunks, hunks->after, &hunks->hunk.n_after);
	hunks->open = hunks->trailing = false;
}

void diff_hunks_free(struct diff_hunks *hunks)
{
	if (hunks->before && hunks->after && hunks->rows_a && hunks->rows_b)
		empty(hunks);
	base_free(hunks->cairn, hunks->before);
	base_free(hunks->cairn, hunks->after);
	base_free(hunks->cairn, hunks->rows_a);
	base_free(hunks->cairn, hunks->rows_b);
}

static int keep_row(struct diff_hunks *hunks, struct cairn_diff_row *rows, uint32_t *n,
                    struct diff_row row, uint64_t left, uint64_t right, uint32_t fields)
{
	struct cairn_batch *copy = diff_copy_row(hunks->cairn, row);
	if (!copy)
		return CAIRN_E_NOMEM;
	rows[(*n)++] = (struct cairn_diff_row){.a = left, .b = right, .fields = fields, .batch = copy};
	return 0;
}

static uint64_t number_at(const struct diff_hunks *hunks, const struct diff_side *side,
                          uint64_t ordinal)
{
	return diff_row_number(hunks->xacts, diff_side_row(side, ordinal));
}

/* Keep equal rows, beginning `back` rows before the positions. */
static int keep_equal(struct diff_hunks *hunks, struct cairn_diff_row *rows, uint32_t *n,
                      uint64_t at_a, uint64_t at_b)
{
	return keep_row(hunks, rows, n, diff_side_row(hunks->side, at_a),
	                number_at(hunks, hunks->side, at_a), number_at(hunks, hunks->b, at_b), 0);
}

static int hand_out(struct diff_hunks *hunks)
{
	struct cairn_diff_hunk *hunk = &hunks->hunk;
	int rc = 0;
	if (!hunks->open)
		return 0;
	hunk->before = hunks->before;
	hunk->a = hunks->rows_a;
	hunk->b = hunks->rows_b;
	hunk->after = hunks->after;
	hunks->spent = hunk->n_after;
	if (!hunks->silent && hunks->opts->hunk)
		rc = hunks->opts->hunk(hunks->opts->user, hunk);
	empty(hunks);
	return rc < 0 ? rc : 0;
}

static int diff_hunk_begin(struct diff_hunks *hunks, enum cairn_diff_kind kind)
{
	int rc = 0;
	hunks->sum->hunks++;
	hunks->open = true;
	hunks->silent =
		!hunks->opts->hunk || (hunks->opts->limit && hunks->sum->hunks > hunks->opts->limit);
	hunks->hunk = (struct cairn_diff_hunk){.number = hunks->sum->hunks,
	                                       .kind = (uint8_t)kind,
	                                       .a_first = diff_side_number(hunks->side),
	                                       .b_first = diff_side_number(hunks->b)};
	uint64_t back = hunks->equal - hunks->spent;
	if (back > hunks->opts->context)
		back = hunks->opts->context;
	for (; back && !hunks->silent && rc >= 0; back--)
		rc = keep_equal(hunks, hunks->before, &hunks->hunk.n_before, hunks->side->pos - back,
		                hunks->b->pos - back);
	hunks->equal = hunks->spent = 0;
	return rc;
}

/* Make sure that a hunk of this kind is open. */
static int want_open(struct diff_hunks *hunks, enum cairn_diff_kind kind)
{
	int rc = 0;
	if (hunks->open && (hunks->trailing || hunks->hunk.kind != (uint8_t)kind))
		rc = hand_out(hunks);
	if (rc >= 0 && !hunks->open)
		rc = diff_hunk_begin(hunks, kind);
	return rc;
}

static uint32_t most_rows(const struct diff_hunks *hunks)
{
	return hunks->silent ? 0 : hunks->opts->rows ? hunks->opts->rows : DEFAULT_ROWS;
}

int diff_hunks_changed(struct diff_hunks *hunks, uint32_t fields)
{
	int rc = want_open(hunks, CAIRN_DIFF_CHANGED);
	struct cairn_diff_hunk *hunk = &hunks->hunk;
	if (rc >= 0 && hunk->n_a < most_rows(hunks)) {
		uint64_t a = number_at(hunks, hunks->side, hunks->side->pos),
				 b = number_at(hunks, hunks->b, hunks->b->pos);
		rc = keep_row(hunks, hunks->rows_a, &hunk->n_a,
		              diff_side_row(hunks->side, hunks->side->pos), a, b, fields);
		if (rc >= 0)
			rc = keep_row(hunks, hunks->rows_b, &hunk->n_b, diff_side_row(hunks->b, hunks->b->pos),
			              a, b, fields);
	}
	hunk->fields |= fields;
	hunk->a_count++;
	hunk->b_count++;
	hunks->sum->changed++;
	return rc;
}

int diff_hunks_edit(struct diff_hunks *hunks, uint64_t da, uint64_t db, bool lost)
{
	int rc = want_open(hunks, CAIRN_DIFF_EDIT);
	struct cairn_diff_hunk *hunk = &hunks->hunk;
	for (uint64_t i = 0; i < da && hunk->n_a < most_rows(hunks) && rc >= 0; i++)
		rc = keep_row(hunks, hunks->rows_a, &hunk->n_a,
		              diff_side_row(hunks->side, hunks->side->pos + i),
		              number_at(hunks, hunks->side, hunks->side->pos + i), 0, 0);
	for (uint64_t i = 0; i < db && hunk->n_b < most_rows(hunks) && rc >= 0; i++)
		rc = keep_row(hunks, hunks->rows_b, &hunk->n_b, diff_side_row(hunks->b, hunks->b->pos + i),
		              0, number_at(hunks, hunks->b, hunks->b->pos + i), 0);
	hunk->lost |= lost;
	hunk->a_count += da;
	hunk->b_count += db;
	hunks->sum->only_a += da;
	hunks->sum->only_b += db;
	return rc;
}

int diff_hunks_equal(struct diff_hunks *hunks, uint64_t n)
{
	int rc = 0;
	hunks->sum->equal += n;
	hunks->equal += n;
	if (!hunks->open)
		return 0;
	hunks->trailing = true;
	uint32_t want = hunks->silent ? 0 : hunks->opts->context;
	for (uint64_t i = 0; i < n && hunks->hunk.n_after < want && rc >= 0; i++)
		rc = keep_equal(hunks, hunks->after, &hunks->hunk.n_after, hunks->side->pos + i,
		                hunks->b->pos + i);
	return rc >= 0 && hunks->hunk.n_after >= want ? hand_out(hunks) : rc;
}

int diff_hunks_end(struct diff_hunks *hunks)
{
	return hand_out(hunks);
}

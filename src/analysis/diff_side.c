/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of the two traces of a comparison: its selected rows, in order, with some
 * behind the position and, where the traces part, many ahead of it.
 *
 * Batches come from the feed (diff_feed.c). Where all is alike rows are compared where they lie and nothing is
 * copied. What must stay longer than the ring allows is copied out (diff_copy):
 * then memory is bounded by the rows ahead, not by how few of them a batch holds.
 */
#include <string.h>

#include "analysis/diff.h"

/* ---- pieces ---- */

void diff_side_open(struct diff_side *side, struct cairn_reader *reader,
                    const struct cairn_select *select, uint64_t last, uint64_t keep, bool xacts)
{
	*side = (struct diff_side){.cairn = reader->cairn,
	                           .keep = keep,
	                           .xacts = xacts,
	                           .next = 1,
	                           .feed = {.reader = reader, .select = select, .last = last}};
}

static void diff_side_release(struct diff_side *side, struct diff_held *held)
{
	if (--held->refs)
		return;
	if (held->slot >= 0)
		diff_feed_give(&side->feed, (unsigned)held->slot);
	else
		base_free(side->cairn, held->batch);
	base_free(side->cairn, held);
}

void diff_side_close(struct diff_side *side)
{
	for (size_t i = side->base; i < side->n; i++)
		diff_side_release(side, side->pieces[i].held);
	base_free(side->cairn, side->pieces);
	diff_feed_free(&side->feed);
}

/* Copy out lent batches, the oldest first, until few are lent. */
static int unborrow(struct diff_side *side)
{
	unsigned lent = 0;
	for (size_t i = side->n; i-- > side->base;) {
		struct diff_held *held = side->pieces[i].held;
		if (held->slot < 0)
			break; /* and so are all before it */
		if (i + 1 < side->n && side->pieces[i + 1].held == held)
			continue;
		if (++lent <= DIFF_BORROWED)
			continue;
		struct cairn_batch *copy = diff_copy(side->cairn, held->batch);
		if (!copy)
			return CAIRN_E_NOMEM;
		diff_feed_give(&side->feed, (unsigned)held->slot);
		held->batch = copy;
		held->slot = -1;
	}
	return 0;
}

static int add_piece(struct diff_side *side, struct diff_held *held, uint32_t lo, uint32_t hi)
{
	if (base_grow(side->cairn, &side->pieces, &side->cap, side->n, sizeof *side->pieces, 16) < 0)
		return CAIRN_E_NOMEM;
	side->pieces[side->n++] =
		(struct diff_piece){.held = held, .lo = lo, .hi = hi, .at = side->end};
	side->end += hi - lo;
	held->refs++;
	return 0;
}

/* The rows of a batch that were selected, as runs. */
static int add_pieces(struct diff_side *side, struct diff_held *held, uint32_t rows,
                      const uint8_t *keep)
{
	int rc = 0;
	uint64_t last = side->feed.last, n0 = side->xacts ? held->batch->x0 : held->batch->n0;
	if (rows && n0 + rows - 1 > last)
		rows = (uint32_t)(last - n0 + 1);
	for (uint32_t lo = 0, hi; lo < rows && rc >= 0; lo = hi) {
		while (keep && lo < rows && !keep[lo])
			lo++;
		hi = keep ? lo : rows;
		while (hi < rows && keep[hi])
			hi++;
		if (hi > lo)
			rc = add_piece(side, held, lo, hi);
	}
	return rc;
}

/* One more batch: 1, 0 at the end, < 0. */
static int fetch(struct diff_side *side)
{
	unsigned slot = 0;
	int rc = unborrow(side);
	if (rc >= 0)
		rc = diff_feed_take(&side->feed, &slot);
	if (rc <= 0) {
		side->ended = side->ended || rc == 0;
		return rc;
	}
	struct diff_held *held = base_alloc(side->cairn, sizeof *held);
	if (!held) {
		diff_feed_give(&side->feed, slot);
		return CAIRN_E_NOMEM;
	}
	*held = (struct diff_held){.batch = side->feed.ring[slot].b, .refs = 1, .slot = (int)slot};
	uint32_t rows = side->xacts ? held->batch->n_xacts : held->batch->n_insns;
	rc = add_pieces(side, held, rows, side->feed.ring[slot].keep);
	if (rows)
		side->next = diff_row_number(side->xacts, (struct diff_row){held->batch, rows});
	diff_side_release(side, held);
	return rc < 0 ? rc : 1;
}

int64_t diff_side_ahead(struct diff_side *side, uint64_t n)
{
	while (side->end - side->pos < n && !side->ended) {
		int rc = fetch(side);
		if (rc < 0)
			return rc;
	}
	uint64_t have = side->end - side->pos;
	return (int64_t)(have < n ? have : n);
}

/* Let pieces go that lie further behind than what is to be kept. */
static void drop_behind(struct diff_side *side)
{
	uint64_t from = side->pos > side->keep ? side->pos - side->keep : 0;
	while (side->base < side->cur && side->pieces[side->base + 1].at <= from)
		diff_side_release(side, side->pieces[side->base++].held);
	if (side->base < 64 || side->base < side->n / 2)
		return;
	side->n -= side->base;
	side->cur -= side->base;
	memmove(side->pieces, side->pieces + side->base, side->n * sizeof *side->pieces);
	side->base = 0;
}

static uint64_t diff_side_piece_end(const struct diff_piece *piece)
{
	return piece->at + (piece->hi - piece->lo);
}

uint32_t diff_side_run(struct diff_side *side, struct diff_row *row)
{
	if (side->pos == side->end)
		return 0;
	size_t was = side->cur;
	while (diff_side_piece_end(&side->pieces[side->cur]) <= side->pos)
		side->cur++;
	if (side->cur != was)
		drop_behind(side);
	const struct diff_piece *piece = &side->pieces[side->cur];
	*row = (struct diff_row){piece->held->batch, piece->lo + (uint32_t)(side->pos - piece->at)};
	return piece->hi - row->i;
}

struct diff_row diff_side_row(const struct diff_side *side, uint64_t ordinal)
{
	size_t i = side->cur;
	while (i > side->base && side->pieces[i].at > ordinal)
		i--;
	while (diff_side_piece_end(&side->pieces[i]) <= ordinal)
		i++;
	const struct diff_piece *piece = &side->pieces[i];
	return (struct diff_row){piece->held->batch, piece->lo + (uint32_t)(ordinal - piece->at)};
}

void diff_side_advance(struct diff_side *side, uint64_t n)
{
	side->pos += n;
}

uint64_t diff_side_number(const struct diff_side *side)
{
	return side->pos == side->end ? side->next
	                              : diff_row_number(side->xacts, diff_side_row(side, side->pos));
}

void diff_side_keys(const struct diff_side *side, const struct diff_what *what, uint64_t n,
                    uint64_t *keys)
{
	size_t i = side->cur;
	for (uint64_t at = side->pos, k = 0; k < n; i++) {
		const struct diff_piece *piece = &side->pieces[i];
		if (diff_side_piece_end(piece) <= at)
			continue;
		struct diff_row row = {piece->held->batch, piece->lo + (uint32_t)(at - piece->at)};
		for (; row.i < piece->hi && k < n; row.i++, at++)
			keys[k++] = diff_key(what, row);
	}
}

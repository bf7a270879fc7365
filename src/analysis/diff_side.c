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

void diff_side_open(struct diff_side *s, struct cairn_reader *r, const struct cairn_select *select,
                    uint64_t last, uint64_t keep, bool xacts)
{
	*s = (struct diff_side){.c = r->c,
	                        .keep = keep,
	                        .xacts = xacts,
	                        .next = 1,
	                        .feed = {.r = r, .select = select, .last = last}};
}

static void diff_side_release(struct diff_side *s, struct diff_held *h)
{
	if (--h->refs)
		return;
	if (h->slot >= 0)
		diff_feed_give(&s->feed, (unsigned)h->slot);
	else
		base_free(s->c, h->b);
	base_free(s->c, h);
}

void diff_side_close(struct diff_side *s)
{
	for (size_t i = s->base; i < s->n; i++)
		diff_side_release(s, s->pieces[i].h);
	base_free(s->c, s->pieces);
	diff_feed_free(&s->feed);
}

/* Copy out lent batches, the oldest first, until few are lent. */
static int unborrow(struct diff_side *s)
{
	unsigned lent = 0;
	for (size_t i = s->n; i-- > s->base;) {
		struct diff_held *h = s->pieces[i].h;
		if (h->slot < 0)
			break; /* and so are all before it */
		if (i + 1 < s->n && s->pieces[i + 1].h == h)
			continue;
		if (++lent <= DIFF_BORROWED)
			continue;
		struct cairn_batch *copy = diff_copy(s->c, h->b);
		if (!copy)
			return CAIRN_E_NOMEM;
		diff_feed_give(&s->feed, (unsigned)h->slot);
		h->b = copy;
		h->slot = -1;
	}
	return 0;
}

static int add_piece(struct diff_side *s, struct diff_held *h, uint32_t lo, uint32_t hi)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct diff_piece *p = base_realloc(s->c, s->pieces, cap * sizeof *p);
		if (!p)
			return CAIRN_E_NOMEM;
		s->pieces = p;
		s->cap = cap;
	}
	s->pieces[s->n++] = (struct diff_piece){.h = h, .lo = lo, .hi = hi, .at = s->end};
	s->end += hi - lo;
	h->refs++;
	return 0;
}

/* The rows of a batch that were selected, as runs. */
static int add_pieces(struct diff_side *s, struct diff_held *h, uint32_t rows, const uint8_t *keep)
{
	int rc = 0;
	uint64_t last = s->feed.last, n0 = s->xacts ? h->b->x0 : h->b->n0;
	if (rows && n0 + rows - 1 > last)
		rows = (uint32_t)(last - n0 + 1);
	for (uint32_t lo = 0, hi; lo < rows && rc >= 0; lo = hi) {
		while (keep && lo < rows && !keep[lo])
			lo++;
		hi = keep ? lo : rows;
		while (hi < rows && keep[hi])
			hi++;
		if (hi > lo)
			rc = add_piece(s, h, lo, hi);
	}
	return rc;
}

/* One more batch: 1, 0 at the end, < 0. */
static int fetch(struct diff_side *s)
{
	unsigned slot = 0;
	int rc = unborrow(s);
	if (rc >= 0)
		rc = diff_feed_take(&s->feed, &slot);
	if (rc <= 0) {
		s->ended = s->ended || rc == 0;
		return rc;
	}
	struct diff_held *h = base_alloc(s->c, sizeof *h);
	if (!h) {
		diff_feed_give(&s->feed, slot);
		return CAIRN_E_NOMEM;
	}
	*h = (struct diff_held){.b = s->feed.ring[slot].b, .refs = 1, .slot = (int)slot};
	uint32_t rows = s->xacts ? h->b->n_xacts : h->b->n_insns;
	rc = add_pieces(s, h, rows, s->feed.ring[slot].keep);
	if (rows)
		s->next = diff_row_number(s->xacts, (struct diff_row){h->b, rows});
	diff_side_release(s, h);
	return rc < 0 ? rc : 1;
}

int64_t diff_side_ahead(struct diff_side *s, uint64_t n)
{
	while (s->end - s->pos < n && !s->ended) {
		int rc = fetch(s);
		if (rc < 0)
			return rc;
	}
	uint64_t have = s->end - s->pos;
	return (int64_t)(have < n ? have : n);
}

/* Let pieces go that lie further behind than what is to be kept. */
static void drop_behind(struct diff_side *s)
{
	uint64_t from = s->pos > s->keep ? s->pos - s->keep : 0;
	while (s->base < s->cur && s->pieces[s->base + 1].at <= from)
		diff_side_release(s, s->pieces[s->base++].h);
	if (s->base < 64 || s->base < s->n / 2)
		return;
	s->n -= s->base;
	s->cur -= s->base;
	memmove(s->pieces, s->pieces + s->base, s->n * sizeof *s->pieces);
	s->base = 0;
}

static uint64_t diff_side_piece_end(const struct diff_piece *p)
{
	return p->at + (p->hi - p->lo);
}

uint32_t diff_side_run(struct diff_side *s, struct diff_row *row)
{
	if (s->pos == s->end)
		return 0;
	size_t was = s->cur;
	while (diff_side_piece_end(&s->pieces[s->cur]) <= s->pos)
		s->cur++;
	if (s->cur != was)
		drop_behind(s);
	const struct diff_piece *p = &s->pieces[s->cur];
	*row = (struct diff_row){p->h->b, p->lo + (uint32_t)(s->pos - p->at)};
	return p->hi - row->i;
}

struct diff_row diff_side_row(const struct diff_side *s, uint64_t ordinal)
{
	size_t i = s->cur;
	while (i > s->base && s->pieces[i].at > ordinal)
		i--;
	while (diff_side_piece_end(&s->pieces[i]) <= ordinal)
		i++;
	const struct diff_piece *p = &s->pieces[i];
	return (struct diff_row){p->h->b, p->lo + (uint32_t)(ordinal - p->at)};
}

void diff_side_advance(struct diff_side *s, uint64_t n)
{
	s->pos += n;
}

uint64_t diff_side_number(const struct diff_side *s)
{
	return s->pos == s->end ? s->next : diff_row_number(s->xacts, diff_side_row(s, s->pos));
}

void diff_side_keys(const struct diff_side *s, const struct diff_what *w, uint64_t n,
                    uint64_t *keys)
{
	size_t i = s->cur;
	for (uint64_t at = s->pos, k = 0; k < n; i++) {
		const struct diff_piece *p = &s->pieces[i];
		if (diff_side_piece_end(p) <= at)
			continue;
		struct diff_row row = {p->h->b, p->lo + (uint32_t)(at - p->at)};
		for (; row.i < p->hi && k < n; row.i++, at++)
			keys[k++] = diff_key(w, row);
	}
}

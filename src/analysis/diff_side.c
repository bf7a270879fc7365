/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of the two traces of a comparison: its selected rows, in order, with some
 * behind the position and, where the traces part, many ahead of it.
 *
 * The feed hands out batches of a ring, filled ahead by a thread of its own if
 * there is one. Where all is alike rows are compared where they lie and nothing is
 * copied. What must stay longer than the ring allows is copied out (diff_copy):
 * then memory is bounded by the rows ahead, not by how few of them a batch holds.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/diff.h"

/* ---- the feed ---- */

/* Batches are made when they are first needed: short traces need few. */
static int fill_slot(struct diff_feed *f, unsigned slot)
{
	bool all = !f->select || cairn_select_all(f->select);
	if (!f->ring[slot].b)
		f->ring[slot].b = cairn_batch_new(f->r->c);
	if (!all && !f->ring[slot].keep)
		f->ring[slot].keep = base_alloc(f->r->c, CAIRN_CAP_INSNS + CAIRN_CAP_XACTS);
	return f->ring[slot].b && (all || f->ring[slot].keep) ? 0 : CAIRN_E_NOMEM;
}

static int feed_read(struct diff_feed *f, unsigned slot)
{
	int rc = fill_slot(f, slot);
	if (rc < 0)
		return rc;
	struct cairn_batch *b = f->ring[slot].b;
	rc = cairn_next(f->r, b);
	if (rc <= 0)
		return rc;
	if ((b->n_insns ? b->n0 : b->n_xacts ? b->x0 : 0) > f->last)
		return 0;
	if (f->ring[slot].keep)
		cairn_select_batch(f->select, b, f->ring[slot].keep);
	return rc;
}

static void feed_failed(struct diff_feed *f, int rc)
{
	f->ended = true;
	f->status = rc < 0 ? rc : 0;
	if (rc < 0)
		snprintf(f->error, sizeof f->error, "%s", cairn_error_text(f->r->c));
}

/* Slots come back in any order. */
static unsigned free_slot(const struct diff_feed *f)
{
	unsigned i = 0;
	while (i < DIFF_RING && f->ring[i].lent)
		i++;
	return i;
}

static void *feed_main(void *arg)
{
	struct diff_feed *f = arg;
	pthread_mutex_lock(&f->lock);
	for (;;) {
		unsigned slot = free_slot(f);
		while (!f->stop && slot == DIFF_RING) {
			pthread_cond_wait(&f->change, &f->lock);
			slot = free_slot(f);
		}
		if (f->stop)
			break;
		pthread_mutex_unlock(&f->lock);
		int rc = feed_read(f, slot);
		pthread_mutex_lock(&f->lock);
		if (rc <= 0) {
			feed_failed(f, rc);
			pthread_cond_signal(&f->change);
			break;
		}
		f->ring[slot].lent = true;
		f->ready[f->n_ready++] = slot;
		pthread_cond_signal(&f->change);
	}
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

static void feed_open(struct diff_feed *f, struct cairn_reader *r,
                      const struct cairn_select *select, uint64_t last, bool threaded)
{
	*f = (struct diff_feed){.r = r, .select = select, .last = last};
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->change, NULL);
	f->joinable = true;
	f->threaded = threaded && pthread_create(&f->thread, NULL, feed_main, f) == 0;
}

static void feed_close(struct diff_feed *f)
{
	if (!f->joinable)
		return;
	if (f->threaded) {
		pthread_mutex_lock(&f->lock);
		f->stop = true;
		pthread_cond_signal(&f->change);
		pthread_mutex_unlock(&f->lock);
		pthread_join(f->thread, NULL);
	}
	for (unsigned i = 0; i < DIFF_RING; i++) {
		cairn_batch_free(f->r->c, f->ring[i].b);
		base_free(f->r->c, f->ring[i].keep);
	}
	pthread_cond_destroy(&f->change);
	pthread_mutex_destroy(&f->lock);
}

static int feed_take_own(struct diff_feed *f, unsigned *slot)
{
	if (f->ended)
		return 0;
	*slot = free_slot(f);
	int rc = feed_read(f, *slot);
	if (rc <= 0)
		feed_failed(f, rc);
	else
		f->ring[*slot].lent = true;
	return rc;
}

/* The next batch: 1, 0, < 0. It is lent until feed_give. */
static int feed_take(struct diff_feed *f, unsigned *slot)
{
	if (!f->threaded)
		return feed_take_own(f, slot);
	pthread_mutex_lock(&f->lock);
	while (!f->ended && f->n_ready == 0)
		pthread_cond_wait(&f->change, &f->lock);
	int rc = f->n_ready ? 1 : f->status;
	if (f->n_ready) {
		*slot = f->ready[0];
		f->n_ready--;
		memmove(f->ready, f->ready + 1, f->n_ready * sizeof *f->ready);
	}
	pthread_mutex_unlock(&f->lock);
	if (rc < 0)
		base_fail(f->r->c, rc, "%s", f->error);
	return rc;
}

static void feed_give(struct diff_feed *f, unsigned slot)
{
	if (f->threaded)
		pthread_mutex_lock(&f->lock);
	f->ring[slot].lent = false;
	if (f->threaded) {
		pthread_cond_signal(&f->change);
		pthread_mutex_unlock(&f->lock);
	}
}

/* ---- pieces ---- */

void diff_side_open(struct diff_side *s, struct cairn_reader *r, const struct cairn_select *select,
                    uint64_t last, bool threaded, uint64_t keep, bool xacts)
{
	*s = (struct diff_side){.c = r->c, .keep = keep, .xacts = xacts, .next = 1};
	feed_open(&s->feed, r, select, last, threaded);
}

static void release(struct diff_side *s, struct diff_held *h)
{
	if (--h->refs)
		return;
	if (h->slot >= 0)
		feed_give(&s->feed, (unsigned)h->slot);
	else
		base_free(s->c, h->b);
	base_free(s->c, h);
}

void diff_side_close(struct diff_side *s)
{
	for (size_t i = s->base; i < s->n; i++)
		release(s, s->pieces[i].h);
	base_free(s->c, s->pieces);
	feed_close(&s->feed);
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
		feed_give(&s->feed, (unsigned)h->slot);
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
		rc = feed_take(&s->feed, &slot);
	if (rc <= 0) {
		s->ended = s->ended || rc == 0;
		return rc;
	}
	struct diff_held *h = base_alloc(s->c, sizeof *h);
	if (!h) {
		feed_give(&s->feed, slot);
		return CAIRN_E_NOMEM;
	}
	*h = (struct diff_held){.b = s->feed.ring[slot].b, .refs = 1, .slot = (int)slot};
	uint32_t rows = s->xacts ? h->b->n_xacts : h->b->n_insns;
	rc = add_pieces(s, h, rows, s->feed.ring[slot].keep);
	if (rows)
		s->next = diff_row_number(s->xacts, (struct diff_row){h->b, rows});
	release(s, h);
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
		release(s, s->pieces[s->base++].h);
	if (s->base < 64 || s->base < s->n / 2)
		return;
	s->n -= s->base;
	s->cur -= s->base;
	memmove(s->pieces, s->pieces + s->base, s->n * sizeof *s->pieces);
	s->base = 0;
}

static uint64_t piece_end(const struct diff_piece *p)
{
	return p->at + (p->hi - p->lo);
}

uint32_t diff_side_run(struct diff_side *s, struct diff_row *row)
{
	if (s->pos == s->end)
		return 0;
	size_t was = s->cur;
	while (piece_end(&s->pieces[s->cur]) <= s->pos)
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
	while (piece_end(&s->pieces[i]) <= ordinal)
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
		if (piece_end(p) <= at)
			continue;
		struct diff_row row = {p->h->b, p->lo + (uint32_t)(at - p->at)};
		for (; row.i < p->hi && k < n; row.i++, at++)
			keys[k++] = diff_key(w, row);
	}
}

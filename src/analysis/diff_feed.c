/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of two traces that are compared, read ahead.
 *
 * Each feed is a ring that one thread at a time fills in reading order. Which thread
 * is all the same: one that finds nothing to do reads for the feed with the fewest
 * batches ready, and so does the comparing one while it waits. So a packed trace
 * beside a raw one does not keep one thread waiting for the other.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/diff.h"

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

static int read_batch(struct diff_feed *f, unsigned slot)
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

/* Slots come back in any order. */
static unsigned free_slot(const struct diff_feed *f)
{
	unsigned i = 0;
	while (i < DIFF_RING && f->ring[i].lent)
		i++;
	return i;
}

static bool can_fill(const struct diff_feed *f)
{
	return !f->ended && !f->busy && free_slot(f) < DIFF_RING;
}

/* One more batch for a feed that can take it; the lock is held, but not while reading. */
static void diff_feed_fill(struct diff_pool *p, struct diff_feed *f)
{
	unsigned slot = free_slot(f);
	f->busy = true;
	pthread_mutex_unlock(&p->lock);
	int rc = read_batch(f, slot);
	pthread_mutex_lock(&p->lock);
	f->busy = false;
	if (rc > 0) {
		f->ring[slot].lent = true;
		f->ready[f->n_ready++] = slot;
	} else {
		f->ended = true;
		f->status = rc;
		if (rc < 0)
			snprintf(f->error, sizeof f->error, "%s", cairn_error_text(f->r->c));
	}
	pthread_cond_broadcast(&p->change);
}

/* The feed that needs a batch most. NULL: none can take one. */
static struct diff_feed *neediest(const struct diff_pool *p)
{
	struct diff_feed *a = can_fill(p->feed[0]) ? p->feed[0] : NULL;
	struct diff_feed *b = can_fill(p->feed[1]) ? p->feed[1] : NULL;
	return !a || (b && b->n_ready < a->n_ready) ? b : a;
}

static void *pool_main(void *arg)
{
	struct diff_pool *p = arg;
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct diff_feed *f = neediest(p);
		if (f)
			diff_feed_fill(p, f);
		else
			pthread_cond_wait(&p->change, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void diff_pool_open(struct diff_pool *p, struct diff_feed *a, struct diff_feed *b, unsigned threads)
{
	*p = (struct diff_pool){.feed = {a, b}, .open = true};
	a->pool = b->pool = p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->change, NULL);
	while (p->n_threads < 2 && p->n_threads + 1 < threads &&
	       pthread_create(&p->thread[p->n_threads], NULL, pool_main, p) == 0)
		p->n_threads++;
}

void diff_pool_stop(struct diff_pool *p)
{
	if (!p->open)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->change);
	pthread_mutex_unlock(&p->lock);
	while (p->n_threads)
		pthread_join(p->thread[--p->n_threads], NULL);
}

void diff_pool_close(struct diff_pool *p)
{
	if (!p->open)
		return;
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
	p->open = false;
}

void diff_feed_free(struct diff_feed *f)
{
	for (unsigned i = 0; f->r && i < DIFF_RING; i++) {
		cairn_batch_free(f->r->c, f->ring[i].b);
		base_free(f->r->c, f->ring[i].keep);
	}
}

int diff_feed_take(struct diff_feed *f, unsigned *slot)
{
	struct diff_pool *p = f->pool;
	pthread_mutex_lock(&p->lock);
	while (!f->ended && f->n_ready == 0) {
		/* With no other thread the other trace is read when its turn comes. */
		struct diff_feed *some = can_fill(f) ? f : p->n_threads ? neediest(p) : NULL;
		if (some)
			diff_feed_fill(p, some);
		else
			pthread_cond_wait(&p->change, &p->lock);
	}
	int rc = f->n_ready ? 1 : f->status;
	if (f->n_ready) {
		*slot = f->ready[0];
		f->n_ready--;
		memmove(f->ready, f->ready + 1, f->n_ready * sizeof *f->ready);
	}
	pthread_mutex_unlock(&p->lock);
	if (rc < 0)
		base_fail(f->r->c, rc, "%s", f->error);
	return rc;
}

void diff_feed_give(struct diff_feed *f, unsigned slot)
{
	pthread_mutex_lock(&f->pool->lock);
	f->ring[slot].lent = false;
	pthread_cond_broadcast(&f->pool->change);
	pthread_mutex_unlock(&f->pool->lock);
}

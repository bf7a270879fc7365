/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of two traces that are compared, read ahead.
 *
 * Each feed is a ring that one thread at a time fills in reading order. Any thread may do so: an
 * idle thread reads for the feed with the fewest batches ready, and so does the comparing thread
 * while it waits. So when one trace is compressed and the other is not, no thread stays idle.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/diff.h"

/* Batches are made when they are first needed: short traces need few. */
static int fill_slot(struct diff_feed *feed, unsigned slot)
{
	bool all = !feed->select || cairn_select_all(feed->select);
	if (!feed->ring[slot].b)
		feed->ring[slot].b = cairn_batch_new(feed->reader->cairn);
	if (!all && !feed->ring[slot].keep)
		feed->ring[slot].keep = base_alloc(feed->reader->cairn, CAIRN_CAP_INSNS + CAIRN_CAP_XACTS);
	return feed->ring[slot].b && (all || feed->ring[slot].keep) ? 0 : CAIRN_E_NOMEM;
}

static int read_batch(struct diff_feed *feed, unsigned slot)
{
	int rc = fill_slot(feed, slot);
	if (rc < 0)
		return rc;
	struct cairn_batch *batch = feed->ring[slot].b;
	rc = cairn_next(feed->reader, batch);
	if (rc <= 0)
		return rc;
	if ((batch->n_insns ? batch->n0 : batch->n_xacts ? batch->x0 : 0) > feed->last)
		return 0;
	if (feed->ring[slot].keep)
		cairn_select_batch(feed->select, batch, feed->ring[slot].keep);
	return rc;
}

/* Slots come back in any order. */
static unsigned free_slot(const struct diff_feed *feed)
{
	unsigned i = 0;
	while (i < DIFF_RING && feed->ring[i].lent)
		i++;
	return i;
}

static bool can_fill(const struct diff_feed *feed)
{
	return !feed->ended && !feed->busy && free_slot(feed) < DIFF_RING;
}

/* One more batch for a feed that can take it; the lock is held, but not while reading. */
static void diff_feed_fill(struct diff_pool *pool, struct diff_feed *feed)
{
	unsigned slot = free_slot(feed);
	feed->busy = true;
	pthread_mutex_unlock(&pool->lock);
	int rc = read_batch(feed, slot);
	pthread_mutex_lock(&pool->lock);
	feed->busy = false;
	if (rc > 0) {
		feed->ring[slot].lent = true;
		feed->ready[feed->n_ready++] = slot;
	} else {
		feed->ended = true;
		feed->status = rc;
		if (rc < 0)
			snprintf(feed->error, sizeof feed->error, "%s", cairn_error_text(feed->reader->cairn));
	}
	pthread_cond_broadcast(&pool->change);
}

/* The feed that needs a batch most. NULL: none can take one. */
static struct diff_feed *neediest(const struct diff_pool *pool)
{
	struct diff_feed *left = can_fill(pool->feed[0]) ? pool->feed[0] : NULL;
	struct diff_feed *right = can_fill(pool->feed[1]) ? pool->feed[1] : NULL;
	return !left || (right && right->n_ready < left->n_ready) ? right : left;
}

static void *pool_main(void *arg)
{
	struct diff_pool *pool = arg;
	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		struct diff_feed *feed = neediest(pool);
		if (feed)
			diff_feed_fill(pool, feed);
		else
			pthread_cond_wait(&pool->change, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

void diff_pool_open(struct diff_pool *pool, struct diff_feed *left, struct diff_feed *right,
                    unsigned threads)
{
	*pool = (struct diff_pool){.feed = {left, right}, .open = true};
	left->pool = right->pool = pool;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->change, NULL);
	while (pool->n_threads < 2 && pool->n_threads + 1 < threads &&
	       pthread_create(&pool->thread[pool->n_threads], NULL, pool_main, pool) == 0)
		pool->n_threads++;
}

void diff_pool_stop(struct diff_pool *pool)
{
	if (!pool->open)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->change);
	pthread_mutex_unlock(&pool->lock);
	while (pool->n_threads)
		pthread_join(pool->thread[--pool->n_threads], NULL);
}

void diff_pool_close(struct diff_pool *pool)
{
	if (!pool->open)
		return;
	pthread_cond_destroy(&pool->change);
	pthread_mutex_destroy(&pool->lock);
	pool->open = false;
}

void diff_feed_free(struct diff_feed *feed)
{
	for (unsigned i = 0; feed->reader && i < DIFF_RING; i++) {
		cairn_batch_free(feed->reader->cairn, feed->ring[i].b);
		base_free(feed->reader->cairn, feed->ring[i].keep);
	}
}

int diff_feed_take(struct diff_feed *feed, unsigned *slot)
{
	struct diff_pool *pool = feed->pool;
	pthread_mutex_lock(&pool->lock);
	while (!feed->ended && feed->n_ready == 0) {
		/* Without other threads, a trace is read only when its turn comes. */
		struct diff_feed *some = can_fill(feed) ? feed : pool->n_threads ? neediest(pool) : NULL;
		if (some)
			diff_feed_fill(pool, some);
		else
			pthread_cond_wait(&pool->change, &pool->lock);
	}
	int rc = feed->n_ready ? 1 : feed->status;
	if (feed->n_ready) {
		*slot = feed->ready[0];
		feed->n_ready--;
		memmove(feed->ready, feed->ready + 1, feed->n_ready * sizeof *feed->ready);
	}
	pthread_mutex_unlock(&pool->lock);
	if (rc < 0)
		base_fail(feed->reader->cairn, rc, "%s", feed->error);
	return rc;
}

void diff_feed_give(struct diff_feed *feed, unsigned slot)
{
	pthread_mutex_lock(&feed->pool->lock);
	feed->ring[slot].lent = false;
	pthread_cond_broadcast(&feed->pool->change);
	pthread_mutex_unlock(&feed->pool->lock);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine for formats whose spans have to be loaded, and that takes long (chunks to be
 * decompressed): threads look ahead instead of each taking a span from its beginning to
 * its end.
 *
 * A scan only serves to know a span's exit before it has been decoded, and costs a third
 * of that. So it is what a thread does last: first comes the span whose turn it is,
 * decoded without a scan if nobody had the time; while it is, no other can be sealed, and
 * the other threads load the spans to come. Only when the ring is full of these they scan,
 * the nearest first, so that the next ones can be sealed and decoded side by side. Where
 * feeding is light this saves nearly all scans. Where it takes longer than the others have
 * to load meanwhile, spans are scanned before their turn, so that every thread has work.
 *
 * The turn moves on when the exit is known. If a span fails, or ends before its last batch,
 * it never does; the run then ends when that span is folded.
 */
#include <string.h>
#include <time.h>

#include "model/run.h"

enum stage { NONE, BUSY, LOADED, SCANNED };

/* The slot that can be sealed now, NULL none. */
static struct slot *next_turn(struct run *u)
{
	struct slot *s = &u->slots[u->sealed % u->ring];
	return !u->turning && u->sealed < u->cut && s->stage >= LOADED ? s : NULL;
}

/* The first one that is only loaded. */
static struct slot *next_scan(struct run *u)
{
	for (uint64_t k = u->sealed; k < u->cut; k++) {
		struct slot *s = &u->slots[k % u->ring];
		if (s->stage == LOADED && s->status >= 0)
			return s;
	}
	return NULL;
}

static uint64_t ahead_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Follow a duration that varies. */
static void ahead_learn(uint64_t *usual, uint64_t begun)
{
	uint64_t took = ahead_now() - begun;
	*usual = *usual ? (3 * *usual + took) / 4 : took;
}

/* Would the others run out of work while a span is decoded that was not scanned? They can load
 * and scan what the ring holds, two spans for each thread. */
static bool is_heavy(const struct run *u)
{
	return u->feeding > 3 * u->loading;
}

/* All of these are called with the lock, which they release while they work. */

/* The exit of a span is known: the next one may be sealed. */
static void turn_over(struct run *u, const struct slot *s)
{
	memcpy(u->states, s->span.exit, u->r->state_size);
	pthread_mutex_lock(&u->lock);
	u->sealed++;
	u->turning = false;
	pthread_cond_broadcast(&u->change);
	pthread_mutex_unlock(&u->lock);
}

static void take_turn(struct worker *w, struct slot *s)
{
	struct run *u = w->run;
	struct cairn_reader *r = u->r;
	int rc = s->status;
	u->turning = true;
	s->stage = BUSY;
	pthread_mutex_unlock(&u->lock);
	s->span.worker = w->scratch;
	if (rc >= 0 && base_cancelled(r->c))
		rc = base_fail(r->c, CAIRN_E_CANCELLED, "cancelled");
	if (rc >= 0) {
		memcpy(s->span.entry, u->states, r->state_size);
		rc = r->format->seal(r, u->states, &s->span);
	}
	uint64_t begun = ahead_now();
	if (rc >= 0 && s->span.scanned)
		turn_over(u, s);
	if (rc >= 0)
		rc = run_feed(w, s);
	pthread_mutex_lock(&u->lock);
	ahead_learn(&u->feeding, begun);
	pthread_mutex_unlock(&u->lock);
	bool whole = rc == 0 && !run_stopped(u) && !(r->strict && s->span.damage.count);
	if (whole && !s->span.scanned)
		turn_over(u, s);
	run_finish(u, s, rc);
	pthread_mutex_lock(&u->lock);
}

static void take_scan(struct worker *w, struct slot *s)
{
	struct run *u = w->run;
	s->stage = BUSY;
	pthread_mutex_unlock(&u->lock);
	s->span.worker = w->scratch;
	s->span.scanned = true;
	int rc = u->r->format->scan(u->r, &s->span, NULL);
	pthread_mutex_lock(&u->lock);
	run_failed(u, s, rc);
	s->stage = SCANNED;
	pthread_cond_broadcast(&u->change);
}

static void take_new(struct worker *w)
{
	struct run *u = w->run;
	struct slot *s = &u->slots[u->cut % u->ring];
	u->taking = true;
	pthread_mutex_unlock(&u->lock);
	int rc = run_cut(u, s);
	pthread_mutex_lock(&u->lock);
	u->taking = false;
	u->ended = rc <= 0;
	s->have = rc > 0;
	run_failed(u, s, rc);
	s->stage = rc > 0 ? BUSY : LOADED;
	u->cut += rc != 0;
	pthread_cond_broadcast(&u->change);
	if (rc <= 0)
		return;
	pthread_mutex_unlock(&u->lock);
	uint64_t begun = ahead_now();
	s->span.worker = w->scratch;
	rc = u->r->format->load(u->r, &s->span);
	pthread_mutex_lock(&u->lock);
	ahead_learn(&u->loading, begun);
	run_failed(u, s, rc);
	s->stage = LOADED;
	pthread_cond_broadcast(&u->change);
}

void *run_ahead(void *worker)
{
	struct worker *w = worker;
	struct run *u = w->run;
	pthread_mutex_lock(&u->lock);
	while (!u->stop && !(u->ended && u->sealed == u->cut)) {
		struct slot *s = next_turn(u);
		if (s && s->stage == LOADED && s->status >= 0 && is_heavy(u))
			take_scan(w, s);
		else if (s)
			take_turn(w, s);
		else if (!u->ended && !u->taking && u->cut - u->folded < u->ring)
			take_new(w);
		else if ((s = next_scan(u)) != NULL)
			take_scan(w, s);
		else
			pthread_cond_wait(&u->change, &u->lock);
	}
	pthread_mutex_unlock(&u->lock);
	return NULL;
}

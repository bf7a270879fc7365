/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine for formats whose spans have to be loaded, which takes long (chunks to be
 * decompressed): threads look ahead instead of each taking a span from its beginning to its end.
 *
 * A scan only serves to know a span's exit before it has been decoded, and costs a third of
 * decoding. So it is done last. First comes the span whose turn it is, decoded without a scan if no
 * thread has scanned it. Meanwhile no other span can be sealed, and the other threads load the
 * spans to come. Only when the ring is full of these do they scan, the nearest first, so that the
 * next ones can be sealed and decoded side by side. Where feeding is light this saves nearly all
 * scans. Where it takes longer than the others have to load meanwhile, spans are scanned before
 * their turn, so that every thread has work.
 *
 * The turn moves on when the exit is known. If a span fails, or ends before its last batch, it
 * never does; the run then ends when that span is folded.
 */
#include <string.h>
#include <time.h>

#include "model/run.h"

enum stage { NONE, BUSY, LOADED, SCANNED };

/* The slot that can be sealed now, NULL none. */
static struct slot *next_turn(struct run *run)
{
	struct slot *slot = &run->slots[run->sealed % run->ring];
	return !run->turning && run->sealed < run->cut && slot->stage >= LOADED ? slot : NULL;
}

/* The first one that is only loaded. */
static struct slot *next_scan(struct run *run)
{
	for (uint64_t k = run->sealed; k < run->cut; k++) {
		struct slot *slot = &run->slots[k % run->ring];
		if (slot->stage == LOADED && slot->status >= 0)
			return slot;
	}
	return NULL;
}

static uint64_t ahead_now(void)
{
	struct timespec timespec;
	clock_gettime(CLOCK_MONOTONIC, &timespec);
	return (uint64_t)timespec.tv_sec * 1000000000u + (uint64_t)timespec.tv_nsec;
}

/* Follow a duration that varies. */
static void ahead_learn(uint64_t *usual, uint64_t begun)
{
	uint64_t took = ahead_now() - begun;
	*usual = *usual ? (3 * *usual + took) / 4 : took;
}

/* Would the others run out of work while a span is decoded that was not scanned? They can load
 * and scan what the ring holds, two spans for each thread. */
static bool is_heavy(const struct run *run)
{
	return run->feeding > 3 * run->loading;
}

/* All of these are called with the lock, which they release while they work. */

/* The exit of a span is known: the next one may be sealed. */
static void turn_over(struct run *run, const struct slot *slot)
{
	memcpy(run->states, slot->span.exit, run->reader->state_size);
	pthread_mutex_lock(&run->lock);
	run->sealed++;
	run->turning = false;
	pthread_cond_broadcast(&run->change);
	pthread_mutex_unlock(&run->lock);
}

static void take_turn(struct worker *worker, struct slot *slot)
{
	struct run *run = worker->run;
	struct cairn_reader *reader = run->reader;
	int rc = slot->status;
	run->turning = true;
	slot->stage = BUSY;
	pthread_mutex_unlock(&run->lock);
	slot->span.worker = worker->scratch;
	if (rc >= 0 && base_cancelled(reader->cairn))
		rc = base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled");
	if (rc >= 0) {
		memcpy(slot->span.entry, run->states, reader->state_size);
		rc = reader->format->seal(reader, run->states, &slot->span);
	}
	uint64_t begun = ahead_now();
	if (rc >= 0 && slot->span.scanned)
		turn_over(run, slot);
	if (rc >= 0)
		rc = run_feed(worker, slot);
	pthread_mutex_lock(&run->lock);
	ahead_learn(&run->feeding, begun);
	pthread_mutex_unlock(&run->lock);
	bool whole = rc == 0 && !run_stopped(run) && !(reader->strict && slot->span.damage.count);
	if (whole && !slot->span.scanned)
		turn_over(run, slot);
	run_finish(run, slot, rc);
	pthread_mutex_lock(&run->lock);
}

static void take_scan(struct worker *worker, struct slot *slot)
{
	struct run *run = worker->run;
	slot->stage = BUSY;
	pthread_mutex_unlock(&run->lock);
	slot->span.worker = worker->scratch;
	slot->span.scanned = true;
	int rc = run->reader->format->scan(run->reader, &slot->span, NULL);
	pthread_mutex_lock(&run->lock);
	run_failed(run, slot, rc);
	slot->stage = SCANNED;
	pthread_cond_broadcast(&run->change);
}

static void take_new(struct worker *worker)
{
	struct run *run = worker->run;
	struct slot *slot = &run->slots[run->cut % run->ring];
	run->taking = true;
	pthread_mutex_unlock(&run->lock);
	int rc = run_cut(run, slot);
	pthread_mutex_lock(&run->lock);
	run->taking = false;
	run->ended = rc <= 0;
	slot->have = rc > 0;
	run_failed(run, slot, rc);
	slot->stage = rc > 0 ? BUSY : LOADED;
	run->cut += rc != 0;
	pthread_cond_broadcast(&run->change);
	if (rc <= 0)
		return;
	pthread_mutex_unlock(&run->lock);
	uint64_t begun = ahead_now();
	slot->span.worker = worker->scratch;
	rc = run->reader->format->load(run->reader, &slot->span);
	pthread_mutex_lock(&run->lock);
	ahead_learn(&run->loading, begun);
	run_failed(run, slot, rc);
	slot->stage = LOADED;
	pthread_cond_broadcast(&run->change);
}

void *run_ahead(void *worker)
{
	struct worker *w = worker;
	struct run *run = w->run;
	pthread_mutex_lock(&run->lock);
	while (!run->stop && !(run->ended && run->sealed == run->cut)) {
		struct slot *slot = next_turn(run);
		if (slot && slot->stage == LOADED && slot->status >= 0 && is_heavy(run))
			take_scan(w, slot);
		else if (slot)
			take_turn(w, slot);
		else if (!run->ended && !run->taking && run->cut - run->folded < run->ring)
			take_new(w);
		else if ((slot = next_scan(run)) != NULL)
			take_scan(w, slot);
		else
			pthread_cond_wait(&run->change, &run->lock);
	}
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a reader into a writer. With two threads reading runs ahead of writing by at most a few
 * batches, so that a conversion takes as long as the slower of them; the output does not depend on
 * it. Memory is that of the ring.
 *
 * A thread that has to wait waits until the ring is half full, or half empty: waking a thread takes
 * the other one a tenth of the time that a batch does.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

enum { RING = 8 };

struct pump {
	struct cairn_reader *reader;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct cairn_batch *ring[RING];
	uint64_t read, written; /* batches; the ring holds those between */
	bool reader_waits, writer_waits;
	bool ended, stop; /* nothing more comes; nothing more is wanted */
	int rc;           /* how reading ended, and its sentence */
	char why[1536];
};

static void *reading(void *arg)
{
	struct pump *pump = arg;
	int rc = 1;
	while (rc > 0) {
		pthread_mutex_lock(&pump->lock);
		pump->reader_waits = pump->read - pump->written == RING;
		while (pump->reader_waits && !pump->stop)
			pthread_cond_wait(&pump->changed, &pump->lock);
		bool stop = pump->stop;
		struct cairn_batch *batch = pump->ring[pump->read % RING];
		pthread_mutex_unlock(&pump->lock);
		rc = stop ? 0 : cairn_next(pump->reader, batch);
		pthread_mutex_lock(&pump->lock);
		pump->read += rc > 0;
		pump->ended = rc <= 0;
		pump->rc = rc;
		if (rc < 0)
			snprintf(pump->why, sizeof pump->why, "%s", cairn_error_text(pump->reader->cairn));
		if (pump->writer_waits && (pump->ended || pump->read - pump->written >= RING / 2)) {
			pump->writer_waits = false;
			pthread_cond_signal(&pump->changed);
		}
		pthread_mutex_unlock(&pump->lock);
	}
	return NULL;
}

static uint64_t of_batch(const struct cairn_batch *batch)
{
	return batch->n_insns ? batch->n_insns : batch->n_xacts;
}

static int writing(struct pump *pump, struct cairn_writer *writer, uint64_t *done)
{
	int rc = 0;
	for (;;) {
		pthread_mutex_lock(&pump->lock);
		pump->writer_waits = pump->read == pump->written && !pump->ended;
		while (pump->writer_waits)
			pthread_cond_wait(&pump->changed, &pump->lock);
		bool more = pump->read != pump->written;
		pthread_mutex_unlock(&pump->lock);
		if (!more)
			break;
		const struct cairn_batch *batch = pump->ring[pump->written % RING];
		rc = cairn_put(writer, batch);
		*done += of_batch(batch);
		pthread_mutex_lock(&pump->lock);
		pump->written++;
		pump->stop = rc < 0;
		if (pump->reader_waits && (pump->stop || pump->read - pump->written <= RING / 2)) {
			pump->reader_waits = false;
			pthread_cond_signal(&pump->changed);
		}
		pthread_mutex_unlock(&pump->lock);
		if (rc < 0)
			break;
	}
	return rc;
}

static int one_thread(struct cairn_reader *reader, struct cairn_writer *writer,
                      struct cairn_batch *batch, uint64_t *done)
{
	int rc;
	while ((rc = cairn_next(reader, batch)) > 0) {
		rc = cairn_put(writer, batch);
		*done += of_batch(batch);
		if (rc < 0)
			break;
	}
	return rc;
}

/* A comment behind the last instruction: how much of the trace was derived. */
static int pump_tell_derived(const struct cairn_reader *reader, struct cairn_writer *writer,
                             struct cairn_batch *batch, uint64_t done)
{
	const struct cairn_derived *count = &reader->derivation->count;
	char text[256];
	int rc = model_lost(writer, reader->derivation->unmarked, 0, "that values are derived");
	if (rc < 0 ||
	    !(count->results || count->sources || count->addresses || count->loads || count->stores))
		return rc;
	int n = snprintf(
		text, sizeof text,
		"cairn: derived in all: %llu results, %llu source values, %llu addresses of accesses, "
		"%llu loaded and %llu stored values",
		(unsigned long long)count->results, (unsigned long long)count->sources,
		(unsigned long long)count->addresses, (unsigned long long)count->loads,
		(unsigned long long)count->stores);
	model_batch_clear(batch);
	batch->n0 = done + 1;
	batch->have = CAIRN_EVENTS;
	batch->ctxs[batch->n_ctxs++] = (struct cairn_ctx){0};
	struct cairn_event *event =
		model_batch_text_event(batch, CAIRN_EV_COMMENT, 0, text, n > 0 ? (size_t)n : 0);
	if (event)
		event->phase = CAIRN_AFTER;
	model_batch_close(batch, 0, 0, 0, 0);
	return cairn_put(writer, batch);
}

int model_pump(struct cairn_reader *r, struct cairn_writer *writer, unsigned threads,
               uint64_t *done)
{
	struct pump pump = {.reader = r};
	pthread_t reader;
	unsigned n = threads > 1 ? RING : 1;
	int rc = 0;
	for (unsigned i = 0; i < n && rc >= 0; i++)
		rc = (pump.ring[i] = cairn_batch_new(r->cairn)) ? 0 : CAIRN_E_NOMEM;
	pthread_mutex_init(&pump.lock, NULL);
	pthread_cond_init(&pump.changed, NULL);
	if (r->format->keep_all && strcmp(r->format->name, writer->format->name) == 0)
		r->format->keep_all(r);
	if (r->derivation)
		r->derivation->marks = writer->format->marks;
	if (rc >= 0)
		rc = cairn_writer_from(writer, r);
	if (rc >= 0 && (n == 1 || pthread_create(&reader, NULL, reading, &pump) != 0)) {
		rc = one_thread(r, writer, pump.ring[0], done);
	} else if (rc >= 0) {
		rc = writing(&pump, writer, done);
		pthread_join(reader, NULL);
		if (rc >= 0 && pump.rc < 0)
			rc = base_fail(r->cairn, pump.rc, "%s", pump.why);
	}
	if (rc >= 0 && r->derivation)
		rc = pump_tell_derived(r, writer, pump.ring[0], *done);
	pthread_cond_destroy(&pump.changed);
	pthread_mutex_destroy(&pump.lock);
	for (unsigned i = 0; i < n; i++)
		cairn_batch_free(r->cairn, pump.ring[i]);
	return rc < 0 ? rc : 0;
}

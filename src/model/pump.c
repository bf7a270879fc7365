/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a reader into a writer. With two threads reading runs ahead of writing by at most
 * a few batches, so that a conversion takes as long as the slower of them; what is written
 * does not depend on it. Memory is that of the ring.
 *
 * Who has to wait, waits until the ring is half full, or half empty: waking a thread takes
 * the other one a tenth of the time that a batch does.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

enum { RING = 8 };

struct pump {
	struct cairn_reader *r;
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
	struct pump *p = arg;
	int rc = 1;
	while (rc > 0) {
		pthread_mutex_lock(&p->lock);
		p->reader_waits = p->read - p->written == RING;
		while (p->reader_waits && !p->stop)
			pthread_cond_wait(&p->changed, &p->lock);
		bool stop = p->stop;
		struct cairn_batch *b = p->ring[p->read % RING];
		pthread_mutex_unlock(&p->lock);
		rc = stop ? 0 : cairn_next(p->r, b);
		pthread_mutex_lock(&p->lock);
		p->read += rc > 0;
		p->ended = rc <= 0;
		p->rc = rc;
		if (rc < 0)
			snprintf(p->why, sizeof p->why, "%s", cairn_error_text(p->r->c));
		if (p->writer_waits && (p->ended || p->read - p->written >= RING / 2)) {
			p->writer_waits = false;
			pthread_cond_signal(&p->changed);
		}
		pthread_mutex_unlock(&p->lock);
	}
	return NULL;
}

static uint64_t of_batch(const struct cairn_batch *b)
{
	return b->n_insns ? b->n_insns : b->n_xacts;
}

static int writing(struct pump *p, struct cairn_writer *w, uint64_t *done)
{
	int rc = 0;
	for (;;) {
		pthread_mutex_lock(&p->lock);
		p->writer_waits = p->read == p->written && !p->ended;
		while (p->writer_waits)
			pthread_cond_wait(&p->changed, &p->lock);
		bool more = p->read != p->written;
		pthread_mutex_unlock(&p->lock);
		if (!more)
			break;
		const struct cairn_batch *b = p->ring[p->written % RING];
		rc = cairn_put(w, b);
		*done += of_batch(b);
		pthread_mutex_lock(&p->lock);
		p->written++;
		p->stop = rc < 0;
		if (p->reader_waits && (p->stop || p->read - p->written <= RING / 2)) {
			p->reader_waits = false;
			pthread_cond_signal(&p->changed);
		}
		pthread_mutex_unlock(&p->lock);
		if (rc < 0)
			break;
	}
	return rc;
}

static int one_thread(struct cairn_reader *r, struct cairn_writer *w, struct cairn_batch *b,
                      uint64_t *done)
{
	int rc;
	while ((rc = cairn_next(r, b)) > 0) {
		rc = cairn_put(w, b);
		*done += of_batch(b);
		if (rc < 0)
			break;
	}
	return rc;
}

int model_pump(struct cairn_reader *r, struct cairn_writer *w, unsigned threads, uint64_t *done)
{
	struct pump p = {.r = r};
	pthread_t reader;
	unsigned n = threads > 1 ? RING : 1;
	int rc = 0;
	for (unsigned i = 0; i < n && rc >= 0; i++)
		rc = (p.ring[i] = cairn_batch_new(r->c)) ? 0 : CAIRN_E_NOMEM;
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.changed, NULL);
	if (r->format->keep_all && strcmp(r->format->name, w->format->name) == 0)
		r->format->keep_all(r);
	if (rc >= 0)
		rc = cairn_writer_from(w, r);
	if (rc >= 0 && (n == 1 || pthread_create(&reader, NULL, reading, &p) != 0)) {
		rc = one_thread(r, w, p.ring[0], done);
	} else if (rc >= 0) {
		rc = writing(&p, w, done);
		pthread_join(reader, NULL);
		if (rc >= 0 && p.rc < 0)
			rc = base_fail(r->c, p.rc, "%s", p.why);
	}
	pthread_cond_destroy(&p.changed);
	pthread_mutex_destroy(&p.lock);
	for (unsigned i = 0; i < n; i++)
		cairn_batch_free(r->c, p.ring[i]);
	return rc < 0 ? rc : 0;
}

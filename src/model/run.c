/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: spans of a trace worked on by several threads, with results that
 * never depend on how many.
 *
 *   cut ──► load ──► scan ──► seal ──► decode + feed ──► fold
 *   in order  (any thread)    in order   (any thread)      in order
 *
 * Cutting may read and decompress a stream, so it has a lock of its own and the
 * others go on meanwhile. Every thread takes the next span, does its parallel work, waits for its turn
 * to seal, goes on, and leaves the finished span in a ring. Whoever completes
 * the span that is next to fold, folds it and all finished ones behind it. The
 * thread with the lowest span never waits for a higher one, so there is always
 * progress; the ring's size bounds what is held.
 *
 * A reducer that produces text would hold a whole span of it; if it can flush,
 * the span at the head is emptied after every batch, and a span that holds too
 * much waits until it is the head.
 *
 * Where loading is a work of its own, threads look ahead instead (ahead.c).
 *
 * Whatever fails in a span ends the run when that span's turn to fold comes, so
 * everything before it is delivered.
 */
#include "model/run.h"

#include <stdio.h>
#include <string.h>

#include "model/index.h"

enum { MAX_THREADS = 64, RING = 2 * MAX_THREADS, HOLD_BYTES = 8 << 20 };

/* The sentence of a failure of this thread. A reducer that is not ours leaves none. */
static const char *sentence(struct run *u, int status, char buf[64])
{
	if (cairn_error_status(u->r->c) == status)
		return cairn_error_text(u->r->c);
	snprintf(buf, 64, "the analysis failed with status %d", status);
	return buf;
}

static bool is_head(struct run *u, uint64_t seq)
{
	return __atomic_load_n(&u->folded, __ATOMIC_ACQUIRE) == seq;
}

/* The run ends here: the first reason counts. */
static void run_end_run(struct run *u, int status)
{
	if (!u->stop) {
		char buf[64];
		__atomic_store_n(&u->stop, true, __ATOMIC_RELAXED);
		u->status = status;
		if (status < 0)
			snprintf(u->error, sizeof u->error, "%s", sentence(u, status, buf));
	}
	pthread_cond_broadcast(&u->change);
}

static int flush_or_wait(struct run *u, struct slot *s)
{
	const struct cairn_reducer *red = u->red;
	if (!red->flush)
		return 0;
	if (!is_head(u, s->span.seq)) {
		if (red->held(u->user, s->partial) < HOLD_BYTES)
			return 0;
		pthread_mutex_lock(&u->lock);
		while (!u->stop && u->folded != s->span.seq)
			pthread_cond_wait(&u->change, &u->lock);
		bool stop = u->stop;
		pthread_mutex_unlock(&u->lock);
		if (stop)
			return CAIRN_E_CANCELLED;
	}
	return red->flush(u->user, s->partial);
}

static uint64_t first_number(const struct cairn_batch *b)
{
	return b->n_insns == 0 && b->n_xacts ? b->x0 : b->n0;
}

/* Reading strictly, what follows damage is not delivered, wherever spans end. */
static bool run_enough(const struct run *u, const struct slot *s)
{
	return run_stopped(u) || (u->r->strict && s->span.damage.count);
}

/* Behind all that regions of records, and others beside them, can name? */
static bool is_past(const struct run *u, uint64_t insn, uint64_t record)
{
	return u->last_record && record > u->last_record && insn > u->last_insn;
}

static int feed_batches(struct worker *w, struct slot *s)
{
	struct run *u = w->run;
	bool again;
	for (;;) {
		if (base_cancelled(u->r->c))
			return base_fail(u->r->c, CAIRN_E_CANCELLED, "cancelled");
		int rc = u->r->format->decode(u->r, &s->span, w->batch);
		if (rc <= 0)
			return rc;
		if (first_number(w->batch) > u->last ||
		    ((w->batch->have & CAIRN_PLACES) && is_past(u, first_number(w->batch), w->batch->rec0)))
			return PAST_LAST;
		bool before = model_batch_is_before(u->r, w->batch);
		do {
			rc = before ? 0 : u->red->feed(u->user, s->partial, w->batch);
			again = rc == MODEL_FEED_AGAIN;
			if (rc >= 0)
				rc = flush_or_wait(u, s);
		} while (again && rc == 0);
		if (rc != 0)
			return rc < 0 ? rc : PAST_LAST;
		if (run_enough(u, s))
			return 0;
	}
}

static int feed_records(struct worker *w, struct slot *s)
{
	struct run *u = w->run;
	struct cairn_record rec;
	unsigned since = 0;
	for (;;) {
		int rc = u->r->format->record(u->r, &s->span, &rec);
		if (rc <= 0)
			return rc;
		if (rec.insn > u->last || is_past(u, rec.insn, rec.number))
			return PAST_LAST;
		rc = u->red->feed_record(u->user, s->partial, &rec);
		if (rc < 0)
			return rc;
		if (run_enough(u, s))
			return 0;
		if (++since < 1024)
			continue;
		since = 0;
		rc = base_cancelled(u->r->c) ? base_fail(u->r->c, CAIRN_E_CANCELLED, "cancelled")
		                             : flush_or_wait(u, s);
		if (rc != 0)
			return rc < 0 ? rc : PAST_LAST;
	}
}

/* Wait for the turn, then compose the entry state. */
static int run_seal(struct run *u, struct slot *s)
{
	pthread_mutex_lock(&u->lock);
	while (!u->stop && u->sealed != s->span.seq)
		pthread_cond_wait(&u->change, &u->lock);
	int rc = 0;
	bool go = !u->stop && s->status >= 0;
	pthread_mutex_unlock(&u->lock);
	/* Nobody else's turn comes before `sealed` moves on. */
	if (go)
		memcpy(s->span.entry, u->states, u->r->state_size);
	if (go)
		rc = u->r->format->seal(u->r, u->states, &s->span);
	if (go && rc >= 0 && s->span.scanned)
		memcpy(u->states, s->span.exit, u->r->state_size);
	pthread_mutex_lock(&u->lock);
	u->sealed++;
	pthread_cond_broadcast(&u->change);
	pthread_mutex_unlock(&u->lock);
	return rc;
}

/* What lies before the place sought is not wanted, but an input that is read once cannot be
 * asked later whether it was whole. */
static int look_through(struct worker *w, struct slot *s)
{
	const struct cairn_reader *r = w->run->r;
	const struct model_format *f = r->format;
	struct cairn_record rec;
	int rc = 1;
	while (rc > 0 && !run_stopped(w->run))
		rc = base_cancelled(r->c) ? base_fail(r->c, CAIRN_E_CANCELLED, "cancelled")
		     : w->batch           ? f->decode(w->run->r, &s->span, w->batch)
		                          : f->record(w->run->r, &s->span, &rec);
	return rc < 0 ? rc : 0;
}

int run_feed(struct worker *w, struct slot *s)
{
	struct run *u = w->run;
	if (run_stopped(u))
		return 0; /* and it may not have been sealed */
	if (s->span.n0 > u->last)
		return PAST_LAST;
	if (s->span.scanned && s->span.n1 <= u->r->skip_to) {
		memset(&s->tally, 0, sizeof s->tally);
		return u->red && !io_can_seek(u->r->io) ? look_through(w, s) : 0;
	}
	if (!u->red)
		return 0;
	if (u->red->begin) {
		int rc = u->red->begin(u->user, &s->partial);
		if (rc >= 0 && u->tell)
			rc = u->tell(u->user, s->partial, &s->span);
		if (rc != 0)
			return rc < 0 ? rc : 0;
	}
	return u->walk        ? u->walk(u->user, s->partial, &s->span)
	       : u->red->feed ? feed_batches(w, s)
	                      : feed_records(w, s);
}

/* The parallel work on one span, from load to the last feed. */
static int work_on(struct worker *w, struct slot *s)
{
	struct run *u = w->run;
	const struct model_format *f = u->r->format;
	int rc = s->status;
	if (rc >= 0 && base_cancelled(u->r->c))
		rc = base_fail(u->r->c, CAIRN_E_CANCELLED, "cancelled");
	if (rc >= 0 && f->load)
		rc = f->load(u->r, &s->span);
	if (rc >= 0 && (!u->red || !u->unscanned)) {
		s->span.scanned = true;
		s->span.counting = u->total != NULL;
		rc = f->scan(u->r, &s->span, u->total ? &s->tally : NULL);
	}
	s->status = rc;
	int sealed = run_seal(u, s);
	if (rc < 0 || sealed < 0)
		return rc < 0 ? rc : sealed;
	rc = run_feed(w, s);
	if (u->unscanned)
		memcpy(u->states, s->span.exit, u->r->state_size);
	return rc;
}

static void add_tally(struct cairn_tally *a, const struct cairn_tally *b)
{
	_Static_assert(sizeof *a % sizeof(uint64_t) == 0, "all members are counts");
	uint64_t x[sizeof *a / sizeof(uint64_t)], y[sizeof *a / sizeof(uint64_t)];
	memcpy(x, a, sizeof x);
	memcpy(y, b, sizeof y);
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		x[i] += y[i];
	memcpy(a, x, sizeof x);
}

/* Numbers that no instruction or transaction has: within the span, and before it. */
static void count_missing(struct run *u, const struct slot *s)
{
	uint64_t has = s->tally.instructions + s->tally.transactions, n0 = s->span.n0;
	uint64_t taken = s->span.n1 > n0 ? s->span.n1 - n0 : 0;
	u->total->missing += taken > has ? taken - has : 0;
	u->total->missing += u->next && n0 > u->next ? n0 - u->next : 0;
	u->next = n0 + taken;
}

/* Damage of a span before the place sought is told only if numbers up to the place are
 * missing behind it. */
static void run_take_damage(struct cairn_reader *r, struct model_span *span)
{
	bool before = r->skip_to && span->scanned && span->n1 <= r->skip_to && !io_can_seek(r->io);
	model_damage_move(r->c, span->n0 <= r->skip_to ? &r->passed : &r->damage, &r->near);
	/* Where a span that was not scanned ends is not known: the next one's beginning tells. */
	r->got_there = !before && r->skip_to;
	model_damage_move(r->c, before ? &r->near : &r->damage, &span->damage);
}

/* Fold one finished span; called with the lock released, one at a time. */
static int fold_one(struct run *u, struct slot *s)
{
	struct cairn_reader *r = u->r;
	run_take_damage(r, &s->span);
	int rc = 0;
	if (u->total)
		add_tally(u->total, &s->tally);
	if (u->total && s->status >= 0)
		count_missing(u, s);
	if (s->partial) {
		rc = u->red->fold(u->user, s->partial);
		s->partial = NULL;
	}
	if (rc == 0 && s->status < 0)
		rc = base_fail(r->c, s->status, "%s", s->error ? s->error : "out of memory");
	base_free(r->c, s->error);
	s->error = NULL;
	if (rc == 0 && model_strict(r) < 0)
		rc = CAIRN_E_DAMAGED;
	return rc;
}

static void fold_ready(struct run *u)
{
	if (u->folding)
		return;
	u->folding = true;
	for (;;) {
		struct slot *s = &u->slots[u->folded % u->ring];
		if (!s->done || u->stop)
			break;
		pthread_mutex_unlock(&u->lock);
		int rc = fold_one(u, s);
		if (s->have)
			u->r->format->drop(u->r, &s->span);
		pthread_mutex_lock(&u->lock);
		bool past = s->status == PAST_LAST;
		memset(s, 0, sizeof *s);
		__atomic_store_n(&u->folded, u->folded + 1, __ATOMIC_RELEASE);
		if (rc != 0 || past)
			run_end_run(u, rc < 0 ? rc : 0);
		pthread_cond_broadcast(&u->change);
	}
	u->folding = false;
}

int run_cut(struct run *u, struct slot *s)
{
	/* Who cuts is the only one who moves `cut`. */
	uint64_t at = u->cut % u->ring;
	s->span.seq = u->cut;
	s->span.exit = u->states + (2 * at + 1) * u->r->state_size;
	s->span.entry = s->span.exit + u->r->state_size;
	return u->r->format->cut(u->r, &s->span, u->alone);
}

void run_failed(struct run *u, struct slot *s, int status)
{
	char buf[64];
	s->status = status == PAST_LAST || status < 0 ? status : 0;
	if (status < 0 && !s->error)
		s->error = base_strdup(u->r->c, sentence(u, status, buf));
}

void run_finish(struct run *u, struct slot *s, int status)
{
	pthread_mutex_lock(&u->lock);
	run_failed(u, s, status);
	s->done = true;
	fold_ready(u);
	pthread_mutex_unlock(&u->lock);
}

/* Take the next span; NULL when there is none for this thread. */
static struct slot *run_take(struct worker *w)
{
	struct run *u = w->run;
	struct slot *s = NULL;
	pthread_mutex_lock(&u->cutting);
	pthread_mutex_lock(&u->lock);
	while (!u->stop && !u->ended && u->cut - u->folded >= u->ring)
		pthread_cond_wait(&u->change, &u->lock);
	bool go = !u->stop && !u->ended;
	pthread_mutex_unlock(&u->lock);
	if (!go)
		goto out;
	s = &u->slots[u->cut % u->ring];
	s->span.worker = w->scratch;
	int rc = run_cut(u, s);
	pthread_mutex_lock(&u->lock);
	u->ended = rc <= 0;
	if (rc != 0) {
		s->have = rc > 0;
		s->status = rc < 0 ? rc : 0; /* surfaces in this span's turn */
		u->cut++;
	} else {
		s = NULL;
	}
	pthread_mutex_unlock(&u->lock);
out:
	pthread_mutex_unlock(&u->cutting);
	return s;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct run *u = w->run;
	for (;;) {
		struct slot *s = run_take(w);
		if (!s)
			break;
		int rc = work_on(w, s);
		run_finish(u, s, rc);
	}
	return NULL;
}

static int worker_init(struct run *u, struct worker *w)
{
	w->run = u;
	if (u->red && u->red->feed) {
		w->batch = cairn_batch_new(u->r->c);
		if (!w->batch)
			return CAIRN_E_NOMEM;
	}
	return u->r->format->worker_new ? u->r->format->worker_new(u->r, &w->scratch) : 0;
}

static void worker_done(struct run *u, struct worker *w)
{
	cairn_batch_free(u->r->c, w->batch);
	if (w->scratch)
		u->r->format->worker_free(u->r, w->scratch);
}

/* Spans left behind by a run that ended early. */
static void drop_rest(struct run *u)
{
	for (; u->folded < u->cut; u->folded++) {
		struct slot *s = &u->slots[u->folded % u->ring];
		if (s->partial && u->red->drop)
			u->red->drop(u->user, s->partial);
		model_damage_free(u->r->c, &s->span.damage);
		base_free(u->r->c, s->error);
		if (s->have)
			u->r->format->drop(u->r, &s->span);
	}
}

static int run(struct run *u)
{
	struct cairn *c = u->r->c;
	struct worker workers[MAX_THREADS] = {{0}};
	pthread_t ids[MAX_THREADS];
	/* Loading is what may be done ahead; where spans shall be walked all alike, nothing is. */
	bool ahead = u->threads > 1 && u->red && u->red->feed && !u->walk && !u->tell &&
	             u->r->format->load && !model_must_scan(u->r);
	void *(*main)(void *) = ahead ? run_ahead : worker_main;
	unsigned started = 0;
	int rc = 0;

	u->ring = u->alone ? 1 : 2 * u->threads;
	u->slots = base_alloc(c, u->ring * sizeof *u->slots);
	u->states = base_alloc(c, (2 * (size_t)u->ring + 1) * u->r->state_size);
	if (!u->slots || !u->states) {
		base_free(c, u->slots);
		base_free(c, u->states);
		return CAIRN_E_NOMEM;
	}
	memcpy(u->states, u->r->before, u->r->state_size);
	u->last_record = u->r->last_record;
	u->last_insn = u->r->last_insn;
	u->r->last_record = u->r->last_insn = 0;
	/* A place in the middle is not the first span's: counting begins at 1. */
	u->cut = u->sealed = u->folded = u->r->jumped;
	pthread_mutex_init(&u->cutting, NULL);
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->change, NULL);
	for (unsigned i = 0; i < u->threads && rc >= 0; i++)
		rc = worker_init(u, &workers[i]);
	if (rc < 0)
		goto out;
	for (; started + 1 < u->threads; started++)
		if (pthread_create(&ids[started], NULL, main, &workers[started + 1]) != 0)
			break; /* fewer threads do the same work */
	main(&workers[0]);
	for (unsigned i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	rc = u->status;
	if (rc < 0)
		base_fail(c, rc, "%s", u->error);
	/* Cutting may have gone beyond what was delivered. */
	u->r->lost = u->stop;
out:
	drop_rest(u);
	for (unsigned i = 0; i < u->threads; i++)
		worker_done(u, &workers[i]);
	pthread_cond_destroy(&u->change);
	pthread_mutex_destroy(&u->lock);
	pthread_mutex_destroy(&u->cutting);
	base_free(c, u->states);
	base_free(c, u->slots);
	return rc;
}

static unsigned clamp_threads(const struct cairn_reader *r, unsigned threads)
{
	if (threads < 1 || !r->format->scan)
		return 1;
	return threads > MAX_THREADS ? MAX_THREADS : threads;
}

/* May a run begin where the reader stands? */
static int model_run_may_run(struct cairn_reader *r)
{
	if (r->have_span)
		return base_fail(r->c, CAIRN_E_STATE, "reading has begun: seek before running");
	return model_not_readable(r);
}

int cairn_run(struct cairn_reader *r, const struct cairn_reducer *red, void *user, uint64_t last,
              unsigned threads)
{
	struct cairn_reducer own = {0};
	int rc = model_run_may_run(r);
	if (rc < 0)
		return rc;
	if (red->size > sizeof own)
		return base_fail(r->c, CAIRN_E_INVAL, "a reducer of a newer library");
	memcpy(&own, red, red->size);
	if (!own.fold || !own.feed == !own.feed_record || !own.held != !own.flush)
		return base_fail(r->c, CAIRN_E_INVAL,
		                 "a reducer has fold, one of feed and feed_record, "
		                 "and held and flush or neither");
	if (own.feed_record && !r->format->record)
		return base_fail(r->c, CAIRN_E_UNSUPPORTED, "%s has no records to show", r->format->name);
	struct run u = {.r = r,
	                .red = &own,
	                .user = user,
	                .last = last,
	                .threads = clamp_threads(r, threads)};
	/* Records alone do not tell where their span ends (PC, context): that takes the scan. */
	bool walks = own.feed || !r->format->scan;
	u.alone = u.unscanned = u.threads == 1 && walks && !model_must_scan(r);
	r->started = true;
	return run(&u);
}

int model_run_spans(struct cairn_reader *r, const struct cairn_reducer *red, model_span_fn *tell,
                    model_span_fn *walk, bool leaves, void *user, unsigned threads)
{
	int rc = model_run_may_run(r);
	if (rc < 0)
		return rc;
	struct run u = {.r = r,
	                .red = red,
	                .tell = tell,
	                .walk = walk,
	                .user = user,
	                .last = UINT64_MAX,
	                .threads = clamp_threads(r, threads),
	                .alone = !r->format->scan};
	u.unscanned = u.alone || (u.threads == 1 && walk && leaves);
	r->started = true;
	return run(&u);
}

int cairn_count(struct cairn_reader *r, unsigned threads, struct cairn_tally *t)
{
	memset(t, 0, sizeof *t);
	int rc = model_run_may_run(r);
	if (rc < 0)
		return rc;
	if (r->index && !r->started && !r->skip_to && cairn_index_totals(r->index, t) >= 0)
		return 0;
	if (!r->format->scan)
		return base_fail(r->c, CAIRN_E_UNSUPPORTED, "%s traces are not counted by scanning",
		                 r->format->name);
	struct run u = {.r = r, .total = t, .last = UINT64_MAX, .threads = clamp_threads(r, threads)};
	u.alone = u.unscanned = u.threads == 1 && !model_must_scan(r);
	r->started = true;
	rc = run(&u);
	if (t->accesses == 0) {
		t->loads = t->class_loads;
		t->stores = t->class_stores;
	}
	return rc;
}

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

/* The sentence of this thread's failure. A reducer of the caller's may leave none. */
static const char *sentence(struct run *run, int status, char buf[64])
{
	if (cairn_error_status(run->reader->cairn) == status)
		return cairn_error_text(run->reader->cairn);
	if (status == CAIRN_E_NOMEM)
		return "out of memory";
	snprintf(buf, 64, "the analysis failed with status %d", status);
	return buf;
}

static bool is_head(struct run *run, uint64_t seq)
{
	return __atomic_load_n(&run->folded, __ATOMIC_ACQUIRE) == seq;
}

/* The run ends here: the first reason counts. */
static void run_end_run(struct run *run, int status)
{
	if (!run->stop) {
		char buf[64];
		__atomic_store_n(&run->stop, true, __ATOMIC_RELAXED);
		run->status = status;
		if (status < 0)
			snprintf(run->error, sizeof run->error, "%s", sentence(run, status, buf));
	}
	pthread_cond_broadcast(&run->change);
}

static int flush_or_wait(struct run *run, struct slot *slot)
{
	const struct cairn_reducer *red = run->red;
	if (!red->flush)
		return 0;
	if (!is_head(run, slot->span.seq)) {
		if (red->held(run->user, slot->partial) < HOLD_BYTES)
			return 0;
		pthread_mutex_lock(&run->lock);
		while (!run->stop && run->folded != slot->span.seq)
			pthread_cond_wait(&run->change, &run->lock);
		bool stop = run->stop;
		pthread_mutex_unlock(&run->lock);
		if (stop)
			return CAIRN_E_CANCELLED;
	}
	return red->flush(run->user, slot->partial);
}

static uint64_t first_number(const struct cairn_batch *batch)
{
	return batch->n_insns == 0 && batch->n_xacts ? batch->x0 : batch->n0;
}

/* When reading strictly, what follows damage is not delivered, wherever spans end. */
static bool run_enough(const struct run *run, const struct slot *slot)
{
	return run_stopped(run) || (run->reader->strict && slot->span.damage.count);
}

/* Is the number behind everything that regions of records, and others beside them, can name? */
static bool is_past(const struct run *run, uint64_t insn, uint64_t record)
{
	return run->last_record && record > run->last_record && insn > run->last_insn;
}

static int feed_batches(struct worker *worker, struct slot *slot)
{
	struct run *run = worker->run;
	bool again;
	for (;;) {
		if (base_cancelled(run->reader->cairn))
			return base_fail(run->reader->cairn, CAIRN_E_CANCELLED, "cancelled");
		int rc = model_decode(run->reader, &slot->span, worker->batch);
		if (rc <= 0)
			return rc;
		if (first_number(worker->batch) > run->last ||
		    ((worker->batch->have & CAIRN_PLACES) &&
		     is_past(run, first_number(worker->batch), worker->batch->rec0)))
			return PAST_LAST;
		bool before = model_batch_is_before(run->reader, worker->batch);
		do {
			rc = before ? 0 : run->red->feed(run->user, slot->partial, worker->batch);
			again = rc == MODEL_FEED_AGAIN;
			if (rc >= 0)
				rc = flush_or_wait(run, slot);
		} while (again && rc == 0);
		if (rc != 0)
			return rc < 0 ? rc : PAST_LAST;
		if (run_enough(run, slot))
			return 0;
	}
}

static int feed_records(struct worker *worker, struct slot *slot)
{
	struct run *run = worker->run;
	struct cairn_record rec;
	unsigned since = 0;
	for (;;) {
		int rc = run->reader->format->record(run->reader, &slot->span, &rec);
		if (rc <= 0)
			return rc;
		if (rec.insn > run->last || is_past(run, rec.insn, rec.number))
			return PAST_LAST;
		rc = run->red->feed_record(run->user, slot->partial, &rec);
		if (rc < 0)
			return rc;
		if (run_enough(run, slot))
			return 0;
		if (++since < 1024)
			continue;
		since = 0;
		rc = base_cancelled(run->reader->cairn)
		         ? base_fail(run->reader->cairn, CAIRN_E_CANCELLED, "cancelled")
		         : flush_or_wait(run, slot);
		if (rc != 0)
			return rc < 0 ? rc : PAST_LAST;
	}
}

/* Wait for the span's turn, then compose its entry state. */
static int run_seal(struct run *run, struct slot *slot)
{
	pthread_mutex_lock(&run->lock);
	while (!run->stop && run->sealed != slot->span.seq)
		pthread_cond_wait(&run->change, &run->lock);
	int rc = 0;
	bool go = !run->stop && slot->status >= 0;
	pthread_mutex_unlock(&run->lock);
	/* No other turn comes before `sealed` moves on. */
	if (go)
		memcpy(slot->span.entry, run->states, run->reader->state_size);
	if (go)
		rc = run->reader->format->seal(run->reader, run->states, &slot->span);
	if (go && rc >= 0 && slot->span.scanned)
		memcpy(run->states, slot->span.exit, run->reader->state_size);
	pthread_mutex_lock(&run->lock);
	run->sealed++;
	pthread_cond_broadcast(&run->change);
	pthread_mutex_unlock(&run->lock);
	return rc;
}

/* What lies before the place sought is not wanted, but an input that is read once cannot be asked
 * later whether it was whole. */
static int look_through(struct worker *worker, struct slot *slot)
{
	const struct cairn_reader *reader = worker->run->reader;
	const struct model_format *format = reader->format;
	struct cairn_record rec;
	int rc = 1;
	while (rc > 0 && !run_stopped(worker->run))
		rc = base_cancelled(reader->cairn)
		         ? base_fail(reader->cairn, CAIRN_E_CANCELLED, "cancelled")
		     : worker->batch ? model_decode(worker->run->reader, &slot->span, worker->batch)
		                     : format->record(worker->run->reader, &slot->span, &rec);
	return rc < 0 ? rc : 0;
}

int run_feed(struct worker *worker, struct slot *slot)
{
	struct run *run = worker->run;
	if (run_stopped(run))
		return 0; /* and it may not have been sealed */
	if (slot->span.n0 > run->last)
		return PAST_LAST;
	if (slot->span.scanned && slot->span.n1 <= run->reader->skip_to) {
		memset(&slot->tally, 0, sizeof slot->tally);
		return run->red && !io_can_seek(run->reader->io) ? look_through(worker, slot) : 0;
	}
	if (!run->red)
		return 0;
	if (run->red->begin) {
		int rc = run->red->begin(run->user, &slot->partial);
		if (rc >= 0 && run->tell)
			rc = run->tell(run->user, slot->partial, &slot->span);
		if (rc != 0)
			return rc < 0 ? rc : 0;
	}
	return run->walk        ? run->walk(run->user, slot->partial, &slot->span)
	       : run->red->feed ? feed_batches(worker, slot)
	                        : feed_records(worker, slot);
}

/* The parallel work on one span, from load to the last feed. */
static int work_on(struct worker *worker, struct slot *slot)
{
	struct run *run = worker->run;
	const struct model_format *format = run->reader->format;
	int rc = slot->status;
	if (rc >= 0 && base_cancelled(run->reader->cairn))
		rc = base_fail(run->reader->cairn, CAIRN_E_CANCELLED, "cancelled");
	if (rc >= 0 && format->load)
		rc = format->load(run->reader, &slot->span);
	if (rc >= 0 && (!run->red || !run->unscanned)) {
		slot->span.scanned = true;
		slot->span.counting = run->total != NULL;
		rc = format->scan(run->reader, &slot->span, run->total ? &slot->tally : NULL);
	}
	slot->status = rc;
	int sealed = run_seal(run, slot);
	if (rc < 0 || sealed < 0)
		return rc < 0 ? rc : sealed;
	rc = run_feed(worker, slot);
	if (run->unscanned)
		memcpy(run->states, slot->span.exit, run->reader->state_size);
	return rc;
}

/* Count numbers that no instruction or transaction has: within the span, and before it. */
static void count_missing(struct run *run, const struct slot *slot)
{
	uint64_t has = slot->tally.instructions + slot->tally.transactions, n0 = slot->span.n0;
	uint64_t taken = slot->span.n1 > n0 ? slot->span.n1 - n0 : 0;
	run->total->missing += taken > has ? taken - has : 0;
	run->total->missing += run->next && n0 > run->next ? n0 - run->next : 0;
	run->next = n0 + taken;
}

/* Damage of a span before the place sought is told only if numbers up to the place are
 * missing behind it. */
static void run_take_damage(struct cairn_reader *reader, struct model_span *span)
{
	bool before =
		reader->skip_to && span->scanned && span->n1 <= reader->skip_to && !io_can_seek(reader->io);
	model_damage_move(reader->cairn,
	                  span->n0 <= reader->skip_to ? &reader->passed : &reader->damage,
	                  &reader->near);
	/* The end of a span that was not scanned is not known: the next one's beginning shows it. */
	reader->got_there = !before && reader->skip_to;
	if (before)
		model_keep_overall(reader, span);
	else
		model_damage_move(reader->cairn, &reader->damage, &reader->overall);
	model_damage_move(reader->cairn, before ? &reader->near : &reader->damage, &span->damage);
}

/* Fold one finished span; called with the lock released, one at a time. */
static int fold_one(struct run *run, struct slot *slot)
{
	struct cairn_reader *reader = run->reader;
	run_take_damage(reader, &slot->span);
	int rc = 0;
	if (run->total)
		model_tally_add(run->total, &slot->tally);
	if (run->total && slot->status >= 0)
		count_missing(run, slot);
	if (slot->partial) {
		rc = run->red->fold(run->user, slot->partial);
		slot->partial = NULL;
	}
	if (rc == 0 && slot->status < 0)
		rc = base_fail(reader->cairn, slot->status, "%s",
		               slot->error ? slot->error : "out of memory");
	base_free(reader->cairn, slot->error);
	slot->error = NULL;
	if (rc == 0 && model_strict(reader) < 0)
		rc = CAIRN_E_DAMAGED;
	return rc;
}

static void fold_ready(struct run *run)
{
	if (run->folding)
		return;
	run->folding = true;
	for (;;) {
		struct slot *slot = &run->slots[run->folded % run->ring];
		if (!slot->done || run->stop)
			break;
		pthread_mutex_unlock(&run->lock);
		int rc = fold_one(run, slot);
		if (slot->have)
			run->reader->format->drop(run->reader, &slot->span);
		pthread_mutex_lock(&run->lock);
		bool past = slot->status == PAST_LAST;
		memset(slot, 0, sizeof *slot);
		__atomic_store_n(&run->folded, run->folded + 1, __ATOMIC_RELEASE);
		if (rc != 0 || past)
			run_end_run(run, rc < 0 ? rc : 0);
		pthread_cond_broadcast(&run->change);
	}
	run->folding = false;
}

int run_cut(struct run *run, struct slot *slot)
{
	/* Only the thread that cuts moves `cut`. */
	uint64_t at = run->cut % run->ring;
	slot->span.seq = run->cut;
	slot->span.exit = run->states + (2 * at + 1) * run->reader->state_size;
	slot->span.entry = slot->span.exit + run->reader->state_size;
	return model_cut(run->reader, &slot->span, run->alone);
}

void run_failed(struct run *run, struct slot *slot, int status)
{
	char buf[64];
	slot->status = status == PAST_LAST || status < 0 ? status : 0;
	if (status < 0 && !slot->error)
		slot->error = base_strdup(run->reader->cairn, sentence(run, status, buf));
}

void run_finish(struct run *run, struct slot *slot, int status)
{
	pthread_mutex_lock(&run->lock);
	run_failed(run, slot, status);
	slot->done = true;
	fold_ready(run);
	pthread_mutex_unlock(&run->lock);
}

/* Take the next span; NULL when there is none for this thread. */
static struct slot *run_take(struct worker *worker)
{
	struct run *run = worker->run;
	struct slot *slot = NULL;
	pthread_mutex_lock(&run->cutting);
	pthread_mutex_lock(&run->lock);
	while (!run->stop && !run->ended && run->cut - run->folded >= run->ring)
		pthread_cond_wait(&run->change, &run->lock);
	bool go = !run->stop && !run->ended;
	pthread_mutex_unlock(&run->lock);
	if (!go)
		goto out;
	slot = &run->slots[run->cut % run->ring];
	slot->span.worker = worker->scratch;
	int rc = run_cut(run, slot);
	pthread_mutex_lock(&run->lock);
	run->ended = rc <= 0;
	if (rc != 0) {
		slot->have = rc > 0;
		slot->status = rc < 0 ? rc : 0; /* surfaces in this span's turn */
		run->cut++;
	} else {
		slot = NULL;
	}
	pthread_mutex_unlock(&run->lock);
out:
	pthread_mutex_unlock(&run->cutting);
	return slot;
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct run *run = worker->run;
	for (;;) {
		struct slot *slot = run_take(worker);
		if (!slot)
			break;
		int rc = work_on(worker, slot);
		run_finish(run, slot, rc);
	}
	return NULL;
}

static int worker_init(struct run *run, struct worker *worker)
{
	worker->run = run;
	if (run->red && run->red->feed) {
		worker->batch = cairn_batch_new(run->reader->cairn);
		if (!worker->batch)
			return CAIRN_E_NOMEM;
	}
	return run->reader->format->worker_new
	           ? run->reader->format->worker_new(run->reader, &worker->scratch)
	           : 0;
}

static void worker_done(struct run *run, struct worker *worker)
{
	cairn_batch_free(run->reader->cairn, worker->batch);
	if (worker->scratch)
		run->reader->format->worker_free(run->reader, worker->scratch);
}

/* Spans left behind by a run that ended early. */
static void drop_rest(struct run *run)
{
	for (; run->folded < run->cut; run->folded++) {
		struct slot *slot = &run->slots[run->folded % run->ring];
		if (slot->partial && run->red->drop)
			run->red->drop(run->user, slot->partial);
		model_damage_free(run->reader->cairn, &slot->span.damage);
		base_free(run->reader->cairn, slot->error);
		if (slot->have)
			run->reader->format->drop(run->reader, &slot->span);
	}
}

static int run(struct run *u)
{
	struct cairn *cairn = u->reader->cairn;
	struct worker workers[MAX_THREADS] = {{0}};
	pthread_t ids[MAX_THREADS];
	/* Loading can be done ahead; not where all spans have to be walked alike. */
	bool ahead = u->threads > 1 && u->red && u->red->feed && !u->walk && !u->tell &&
	             u->reader->format->load && !model_must_scan(u->reader);
	void *(*main)(void *) = ahead ? run_ahead : worker_main;
	unsigned started = 0;
	int rc = 0;

	u->ring = u->alone ? 1 : 2 * u->threads;
	u->slots = base_alloc(cairn, u->ring * sizeof *u->slots);
	u->states = base_alloc(cairn, (2 * (size_t)u->ring + 1) * u->reader->state_size);
	if (!u->slots || !u->states) {
		base_free(cairn, u->slots);
		base_free(cairn, u->states);
		return CAIRN_E_NOMEM;
	}
	memcpy(u->states, u->reader->before, u->reader->state_size);
	u->last_record = u->reader->last_record;
	u->last_insn = u->reader->last_insn;
	u->reader->last_record = u->reader->last_insn = 0;
	/* A place in the middle is not the first span's: counting begins at 1. */
	u->cut = u->sealed = u->folded = u->reader->jumped;
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
		base_fail(cairn, rc, "%s", u->error);
	/* Cutting may have gone beyond what was delivered. */
	u->reader->lost = u->stop;
out:
	drop_rest(u);
	for (unsigned i = 0; i < u->threads; i++)
		worker_done(u, &workers[i]);
	pthread_cond_destroy(&u->change);
	pthread_mutex_destroy(&u->lock);
	pthread_mutex_destroy(&u->cutting);
	base_free(cairn, u->states);
	base_free(cairn, u->slots);
	return rc;
}

static unsigned clamp_threads(const struct cairn_reader *reader, unsigned threads)
{
	if (threads < 1 || !reader->format->scan || reader->derivation)
		return 1;
	return threads > MAX_THREADS ? MAX_THREADS : threads;
}

/* May a run begin where the reader stands? */
static int model_run_may_run(struct cairn_reader *reader)
{
	if (reader->have_span)
		return base_fail(reader->cairn, CAIRN_E_STATE, "reading has begun: seek before running");
	return model_not_readable(reader);
}

int cairn_run(struct cairn_reader *reader, const struct cairn_reducer *red, void *user,
              uint64_t last, unsigned threads)
{
	struct cairn_reducer own = {0};
	int rc = model_run_may_run(reader);
	if (rc < 0)
		return rc;
	if (red->size > sizeof own)
		return base_fail(reader->cairn, CAIRN_E_INVAL, "a reducer of a newer library");
	memcpy(&own, red, red->size);
	if (!own.fold || !own.feed == !own.feed_record || !own.held != !own.flush)
		return base_fail(reader->cairn, CAIRN_E_INVAL,
		                 "a reducer has fold, one of feed and feed_record, "
		                 "and held and flush or neither");
	if (own.feed_record && !reader->format->record)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED, "%s has no records to show",
		                 reader->format->name);
	struct run u = {.reader = reader,
	                .red = &own,
	                .user = user,
	                .last = last,
	                .threads = clamp_threads(reader, threads)};
	/* Records alone do not tell where their span ends (PC, context): that takes the scan. */
	bool walks = own.feed || !reader->format->scan;
	u.alone = u.unscanned = u.threads == 1 && walks && !model_must_scan(reader);
	reader->started = true;
	return run(&u);
}

int model_run_spans(struct cairn_reader *reader, const struct cairn_reducer *red,
                    model_span_fn *tell, model_span_fn *walk, bool leaves, void *user,
                    unsigned threads)
{
	int rc = model_run_may_run(reader);
	if (rc < 0)
		return rc;
	struct run u = {.reader = reader,
	                .red = red,
	                .tell = tell,
	                .walk = walk,
	                .user = user,
	                .last = UINT64_MAX,
	                .threads = clamp_threads(reader, threads),
	                .alone = !reader->format->scan};
	u.unscanned = u.alone || (u.threads == 1 && walk && leaves);
	reader->started = true;
	return run(&u);
}

/* ---- counting ---- */

/* Without a scan there is one thread: a partial is the sum itself. */
static int count_begin(void *user, void **partial)
{
	*partial = user;
	return 0;
}

static int count_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	(void)user;
	model_tally_batch(partial, batch, NULL);
	return 0;
}

static int count_fold(void *user, void *partial)
{
	(void)user;
	(void)partial;
	return 0;
}

static int count_batches(struct cairn_reader *reader, struct cairn_tally *tally)
{
	static const struct cairn_reducer reducer = {.size = sizeof reducer,
	                                             .begin = count_begin,
	                                             .feed = count_feed,
	                                             .fold = count_fold};
	uint32_t want = reader->want;
	cairn_reader_want(reader, CAIRN_EVERYTHING);
	int rc = cairn_run(reader, &reducer, tally, UINT64_MAX, 1);
	cairn_reader_want(reader, want);
	model_tally_end(tally);
	tally->records_unknown = 1;
	return rc;
}

static int count_all(struct cairn_reader *reader, unsigned threads, struct cairn_tally *tally)
{
	int rc = model_run_may_run(reader);
	if (rc < 0)
		return rc;
	if (reader->index && !reader->started && !reader->skip_to &&
	    cairn_index_totals(reader->index, tally) >= 0)
		return 0;
	if (!reader->format->scan)
		return count_batches(reader, tally);
	struct run u = {.reader = reader,
	                .total = tally,
	                .last = UINT64_MAX,
	                .threads = clamp_threads(reader, threads)};
	u.alone = u.unscanned = u.threads == 1 && !model_must_scan(reader);
	reader->started = true;
	rc = run(&u);
	model_tally_end(tally);
	return rc;
}

int cairn_count(struct cairn_reader *reader, unsigned threads, struct cairn_tally *tally)
{
	struct cairn_tally own = {.size = sizeof own};
	int rc = base_sized(reader->cairn, tally, "cairn_tally");
	if (rc < 0)
		return rc;
	rc = count_all(reader, threads, &own);
	base_give(tally, &own, sizeof own);
	return rc;
}

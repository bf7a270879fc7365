/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H
/*
 * Inside view of the engine: a run, its ring of spans, and the two ways its threads go
 * about them (run.c, ahead.c).
 */
#include <pthread.h>

#include "model/model.h"

/* What work_on returns when nothing behind this span is wanted. */
enum { PAST_LAST = 1 };

struct slot {
	struct model_span span;
	void *partial;
	int status;
	char *error; /* the sentence when status < 0 */
	bool done;
	bool have;     /* the span was cut and must be dropped */
	uint8_t stage; /* of those worked on ahead (ahead.c) */
	struct cairn_tally tally;
};

struct run {
	uint64_t last_record, last_insn; /* as of the reader */
	struct cairn_reader *reader;
	const struct cairn_reducer *red; /* NULL: only count, into `total` */
	model_span_fn *walk;             /* instead of feeding; may be NULL */
	void *user;
	struct cairn_tally *total;
	uint64_t next;       /* the number that follows its last one; 0: not known yet */
	model_span_fn *tell; /* may be NULL */
	uint64_t last;
	unsigned threads, ring;
	bool alone;
	bool unscanned; /* there is one thread, and what walks a span sets its exit */

	pthread_mutex_t cutting; /* (not ahead) taken before `lock` */
	pthread_mutex_t lock;
	pthread_cond_t change;
	uint64_t cut, sealed, folded; /* spans so far */
	bool ended, stop, folding;
	uint64_t loading, feeding; /* ahead: nanoseconds that a span usually takes */
	bool taking, turning;  /* ahead: a thread cuts; one seals, or decodes what was not scanned */
	int status;            /* what ended the run */
	char error[1536];      /* and its sentence, from whatever thread it came */
	unsigned char *states; /* of r->state_size bytes: before, then each slot's exit and entry */
	struct slot *slots;
};

/* What a thread brings along. */
struct worker {
	struct run *run;
	void *scratch; /* the format's */
	struct cairn_batch *batch;
};

/* Has the run ended early? */
static inline bool run_stopped(const struct run *run)
{
	return __atomic_load_n(&run->stop, __ATOMIC_RELAXED);
}

/* Cut the next span into its slot, which is free: 1, 0 at the end, < 0 (which is reported in the
 * span's turn). Called without the lock, by one thread at a time. */
int run_cut(struct run *run, struct slot *slot);
/* Do what is left to do with a sealed span, up to the last feed. */
int run_feed(struct worker *worker, struct slot *slot);
/* With the lock: note a span's status, and, if it is a failure of this thread, its sentence. */
void run_failed(struct run *run, struct slot *slot, int status);
/* Without it: a span has come to its end with that status; fold what can be folded. */
void run_finish(struct run *run, struct slot *slot, int status);
/* What a thread does with spans of a format that loads them: see ahead.c. */
void *run_ahead(void *worker);

#endif

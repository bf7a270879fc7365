/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_H
#define ANALYSIS_DIFF_H
/* What the files that compare two traces share. */
#include <pthread.h>

#include "cairn/diff.h"
#include "model/model.h"

/* ---- diff_row.c: are two rows alike? ---- */

struct diff_what {
	uint32_t fields; /* enum cairn_diff_field, those both traces can hold */
	bool xacts;      /* rows are transactions */
	bool by_pc;      /* the place is the PC, else the encoding */
};

struct diff_row {
	const struct cairn_batch *batch;
	uint32_t i;
};

/* How many of `n` rows from the first on are surely alike; the next may be, too. */
uint32_t diff_run(const struct diff_what *what, struct diff_row left, struct diff_row right,
                  uint32_t n);
/* The fields in which two rows differ. */
uint32_t diff_fields(const struct diff_what *what, struct diff_row left, struct diff_row right);
bool diff_same_place(const struct diff_what *what, struct diff_row left, struct diff_row right);
/* A number for the row's place. */
uint64_t diff_key(const struct diff_what *what, struct diff_row row);

/* ---- diff_copy.c ---- */

/* A copy that takes only the room it needs; freed with base_free. NULL: out of memory. */
struct cairn_batch *diff_copy(struct cairn *cairn, const struct cairn_batch *batch);
/* A batch that holds row `i` alone. */
struct cairn_batch *diff_copy_row(struct cairn *cairn, struct diff_row row);

/* ---- diff_feed.c: batches of both traces, read ahead ---- */

enum { DIFF_RING = 6, DIFF_BORROWED = 2 };

struct diff_feed {
	struct cairn_reader *reader;
	const struct cairn_select *select;
	uint64_t last;
	struct diff_pool *pool;
	struct {
		struct cairn_batch *b;
		bool lent;
		uint8_t *keep; /* NULL: all rows */
	} ring[DIFF_RING];
	unsigned ready[DIFF_RING], n_ready; /* slots in reading order */
	bool busy;                          /* a thread reads */
	bool ended;
	int status;
	char error[1536];
};

struct diff_pool {
	struct diff_feed *feed[2];
	pthread_t thread[2];
	unsigned n_threads;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool open, stop;
};

/* Start to read two feeds, with this many threads including the caller's. */
void diff_pool_open(struct diff_pool *pool, struct diff_feed *left, struct diff_feed *right,
                    unsigned threads);
/* Stop the threads before the sides are closed; the pool itself is closed after them. */
void diff_pool_stop(struct diff_pool *pool);
void diff_pool_close(struct diff_pool *pool);
void diff_feed_free(struct diff_feed *feed);
/* The next batch: 1, 0, < 0. It is lent until diff_feed_give. */
int diff_feed_take(struct diff_feed *feed, unsigned *slot);
void diff_feed_give(struct diff_feed *feed, unsigned slot);

/* ---- diff_side.c: one of the two traces ---- */

struct diff_held { /* a batch that pieces look into */
	struct cairn_batch *batch;
	unsigned refs;
	int slot; /* slot of the ring; -1: a copy of our own */
};

struct diff_piece {
	struct diff_held *held;
	uint32_t lo, hi;
	uint64_t at; /* ordinal of row lo among the rows of this side */
};

/* Rows have ordinals from 0: those selected, in trace order. */
struct diff_side {
	struct cairn *cairn;
	struct diff_feed feed;
	bool xacts;
	struct diff_piece *pieces; /* pieces[base … n); pos lies in pieces[cur] or behind it */
	size_t base, n, cap, cur;
	uint64_t pos;  /* the next row to compare */
	uint64_t end;  /* rows fetched so far */
	uint64_t keep; /* rows behind pos that stay */
	uint64_t next; /* number that follows the last one fetched */
	bool ended;
};

void diff_side_open(struct diff_side *side, struct cairn_reader *reader,
                    const struct cairn_select *select, uint64_t last, uint64_t keep, bool xacts);
void diff_side_close(struct diff_side *side);
/* Fetch until `n` rows lie ahead or the trace ends. Returns how many there are, or < 0. */
int64_t diff_side_ahead(struct diff_side *side, uint64_t n);
/* Rows at pos that lie in one batch; 0 only when none was fetched. */
uint32_t diff_side_run(struct diff_side *side, struct diff_row *row);
/* The row at an ordinal that has not been let go. */
struct diff_row diff_side_row(const struct diff_side *side, uint64_t ordinal);
void diff_side_advance(struct diff_side *side, uint64_t n);
/* The number of the row at pos, or the one that would come next. */
uint64_t diff_side_number(const struct diff_side *side);
static inline uint64_t diff_row_number(bool xacts, struct diff_row row)
{
	return (xacts ? row.batch->x0 : row.batch->n0) + row.i;
}
/* Keys of the next `n` rows, which lie ahead. */
void diff_side_keys(const struct diff_side *side, const struct diff_what *what, uint64_t n,
                    uint64_t *keys);

/* ---- diff_align.c ---- */

struct diff_align {
	struct cairn *cairn;
	uint32_t window;
	uint64_t *keys[2];
	size_t cap; /* keys each */
	struct diff_gram *table;
	size_t table_size;
	uint32_t generation;
};

void diff_align_free(struct diff_align *al);
/* How many rows of each side to leave out so that both go on alike. 0; 1 when nothing was found and
 * a whole window is given up; < 0. */
int diff_align(struct diff_align *al, const struct diff_what *what, struct diff_side *left,
               struct diff_side *right, uint64_t *da, uint64_t *db);

/* ---- diff_hunk.c ---- */

struct diff_hunks {
	struct cairn *cairn;
	const struct cairn_diff_opts *opts;
	struct cairn_diff_sum *sum;
	struct diff_side *side, *b;
	bool xacts;
	bool open;      /* h collects differences */
	bool trailing;  /* the hunk is complete except for rows after it */
	bool silent;    /* beyond the limit: the hunk is only counted */
	uint64_t equal; /* equal rows since the last hunk ended … */
	uint64_t spent; /* … of which this many were shown after it */
	struct cairn_diff_hunk hunk;
	struct cairn_diff_row *before, *rows_a, *rows_b, *after;
};

int diff_hunks_init(struct diff_hunks *hunks, struct cairn *cairn,
                    const struct cairn_diff_opts *opts, struct cairn_diff_sum *sum,
                    struct diff_side *left, struct diff_side *right);
void diff_hunks_free(struct diff_hunks *hunks);
/* Tell that the rows at both positions differ, or were left out, or are equal; called before the
 * sides advance. */
int diff_hunks_changed(struct diff_hunks *hunks, uint32_t fields);
int diff_hunks_edit(struct diff_hunks *hunks, uint64_t da, uint64_t db, bool lost);
int diff_hunks_equal(struct diff_hunks *hunks, uint64_t n);
int diff_hunks_end(struct diff_hunks *hunks);

#endif

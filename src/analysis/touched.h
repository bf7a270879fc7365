/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_TOUCHED_H
#define ANALYSIS_TOUCHED_H
/*
 * Which instruction stored, and which loaded, each byte of memory last, as far as that is
 * less than a window of instructions ago.
 *
 * A part of a trace keeps a table of its own. For a load of bytes that the part has not touched,
 * the table of all parts before it is looked up.
 */
#include "base/base.h"

enum { TOUCH_WINDOW = 16384, TOUCH_ROW = 8 };

struct touch_row;

struct touch_table {
	struct cairn *cairn;
	struct touch_row *rows; /* in the order they were made */
	uint32_t *slots;        /* number of a row + 1, 0: free; twice as many as rows */
	size_t n, cap;
	uint64_t first, last; /* numbers of the first and last instruction added */
	unsigned shift;
};

/* Who touched the bytes of an access last: instructions ago, or TOUCH_NEVER when it is
 * not known or not within the window. */
#define TOUCH_NEVER UINT32_MAX
struct touch_answer {
	uint32_t stored, loaded;
	bool whole;       /* one store wrote all bytes */
	bool knows_store; /* the last store of at least one byte is in this table, */
	bool knows_load;  /* and likewise the last load */
};

void touch_init(struct touch_table *table, struct cairn *cairn);
void touch_free(struct touch_table *table);
void touch_clear(struct touch_table *table);
/* Prefetch: the address will be touched soon, or very soon. */
void touch_expect(const struct touch_table *table, uint64_t later, uint64_t soon);
/* Note an access of instruction n, no earlier than those before. For a load, fill `answer` with the
 * last touches before it. >= 0 or CAIRN_E_NOMEM. */
int touch_store(struct touch_table *table, uint64_t n, uint64_t addr, uint64_t size);
int touch_load(struct touch_table *table, uint64_t n, uint64_t addr, uint64_t size,
               struct touch_answer *answer);
/* What touch_load would answer, without noting the load. */
void touch_ask(struct touch_table *table, uint64_t n, uint64_t addr, uint64_t size,
               struct touch_answer *answer);
/* Join `later`, which comes behind `table`; `later` is not usable afterwards. */
int touch_join(struct touch_table *table, struct touch_table *later);

#endif

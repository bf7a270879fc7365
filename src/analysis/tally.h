/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H
/*
 * Lines counted by all threads together, where their order does not matter.
 *
 * A thread counts in a small table of the lines it met last. A line that is pushed out goes to a
 * list, and a full list goes to the map that all threads share. So most accesses touch only a
 * table that stays in the cache, and no branch depends on the line.
 */
#include <pthread.h>

#include "base/map.h"

/* A line: the counters of its address. */
struct mem_line {
	uint64_t reads, writes;
	uint64_t readers, writers; /* bit hart % 64 */
};
enum { LINE_WORDS = sizeof(struct mem_line) / 8 };

struct tally {
	struct base_map lines; /* line → struct mem_line */
	pthread_mutex_t lock;
};

enum { TALLY_SHIFT = 14, TALLY_LIST = 2048, TALLY_COUNT = 29 };

/* What lines had from one hart each: TALLY_COUNT bits of reads, as many of writes, and the hart.
 * (Lines and counts are kept apart: of a pair the compiler makes one load, which has to wait for
 * both halves to be written.) */
struct tally_near {
	uint64_t taken; /* since everything was given away: no count may overflow */
	size_t n;
	uint64_t met[1 << TALLY_SHIFT], met_count[1 << TALLY_SHIFT];
	uint64_t list[TALLY_LIST], list_count[TALLY_LIST];
};

void tally_init(struct tally *tally, struct cairn *cairn);
void tally_free(struct tally *tally);
/* Add what waits in the list to the map; >= 0 or CAIRN_E_NOMEM. */
int tally_give(struct tally *tally, struct tally_near *near);
/* Add everything a thread has counted; >= 0 or CAIRN_E_NOMEM. */
int tally_give_all(struct tally *tally, struct tally_near *near);

/* Count an access; >= 0 or CAIRN_E_NOMEM. */
static inline int tally_take(struct tally *tally, struct tally_near *near, uint64_t line,
                             bool write, unsigned hart)
{
	uint64_t who = (uint64_t)(hart % 64) << 2 * TALLY_COUNT;
	size_t at = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TALLY_SHIFT));
	uint64_t old = near->met[at], count = near->met_count[at];
	bool same = old == line && (count ^ who) >> 2 * TALLY_COUNT == 0;
	near->list[near->n] = old;
	near->list_count[near->n] = count;
	near->n += !same;
	near->met[at] = line;
	near->met_count[at] = (same ? count : who) + ((uint64_t)1 << (write ? TALLY_COUNT : 0));
	return __builtin_expect(near->n == TALLY_LIST, 0) ? tally_give(tally, near) : 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_STRIDES_H
#define ANALYSIS_STRIDES_H
/*
 * Static instructions that access memory, and the strides between their accesses.
 *
 * A stride is the distance from an access to the next one of the same instruction. What is kept can
 * be joined for any two parts that follow each other, and the result is the same as if they had
 * been one part: the number of strides, how many are equal to the one before, and the longest run
 * of equal ones (the first of several).
 *
 * Where only stretches of a trace are looked at, there is no stride from one to the next.
 */
#include "base/map.h"

struct stride_run {
	int64_t stride;
	uint64_t n; /* strides */
};

/* The counters of a pc. */
struct stride_site {
	uint64_t reads, writes; /* first: the report sorts by them */
	uint64_t bytes;
	uint64_t first, last; /* addresses */
	uint64_t strides, repeats;
	struct stride_run head, tail, longest; /* head and tail are the same if there is one run */
	uint64_t first_in, last_in;            /* the stretches of its first and last access */
};
enum { STRIDE_WORDS = sizeof(struct stride_site) / 8 };

/* (Member by member: a copy of the whole run would wait for its halves to be written.) */
static inline void stride_next(struct stride_site *site, int64_t stride)
{
	bool same = site->tail.n && stride == site->tail.stride;
	uint64_t n = same ? site->tail.n + 1 : 1;
	site->repeats += same;
	site->tail.n = n;
	site->tail.stride = stride;
	if (n == ++site->strides) {
		site->head.n = n;
		site->head.stride = stride;
	}
	if (n > site->longest.n) {
		site->longest.n = n;
		site->longest.stride = stride;
	}
}

static inline void stride_take(struct stride_site *site, uint64_t addr, uint32_t size, bool write,
                               uint64_t stretch)
{
	if (!(site->reads + site->writes)) {
		site->first = addr;
		site->first_in = stretch;
	} else if (site->last_in == stretch) {
		stride_next(site, (int64_t)(addr - site->last));
	}
	site->last = addr;
	site->last_in = stretch;
	site->bytes += size;
	*(write ? &site->writes : &site->reads) += 1;
}

/* Join `later`, which comes behind everything in `site`. */
void stride_join(struct stride_site *site, const struct stride_site *stride_site);

#endif

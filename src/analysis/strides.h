/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_STRIDES_H
#define ANALYSIS_STRIDES_H
/*
 * Static instructions that access memory, and the strides between their accesses.
 *
 * A stride is the distance from an access to the next one of the same instruction. What
 * is kept of them can be put together for any two parts that follow each other, and is
 * then what it would have been if they had been one: how many there are, how many are
 * like the one before, and the longest run of equal ones, the first of several.
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
	struct stride_run head, tail, longest; /* head and tail are one if there is one run */
	uint64_t first_in, last_in;            /* the stretches of its first and last access */
};
enum { STRIDE_WORDS = sizeof(struct stride_site) / 8 };

/* (Member by member: a copy of the whole run would wait for its halves to be written.) */
static inline void stride_next(struct stride_site *s, int64_t stride)
{
	bool same = s->tail.n && stride == s->tail.stride;
	uint64_t n = same ? s->tail.n + 1 : 1;
	s->repeats += same;
	s->tail.n = n;
	s->tail.stride = stride;
	if (n == ++s->strides) {
		s->head.n = n;
		s->head.stride = stride;
	}
	if (n > s->longest.n) {
		s->longest.n = n;
		s->longest.stride = stride;
	}
}

static inline void stride_take(struct stride_site *s, uint64_t addr, uint32_t size, bool write,
                               uint64_t stretch)
{
	if (!(s->reads + s->writes)) {
		s->first = addr;
		s->first_in = stretch;
	} else if (s->last_in == stretch) {
		stride_next(s, (int64_t)(addr - s->last));
	}
	s->last = addr;
	s->last_in = stretch;
	s->bytes += size;
	*(write ? &s->writes : &s->reads) += 1;
}

/* Everything of `later` comes behind everything of `s`. */
void stride_join(struct stride_site *s, const struct stride_site *later);

#endif

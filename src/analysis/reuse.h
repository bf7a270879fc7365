/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_REUSE_H
#define ANALYSIS_REUSE_H
/*
 * How many different lines were touched since a line was touched last.
 *
 * An order lists rows of a map by the time of their last touch. Each part has an order of its own,
 * which is enough for lines that it touches again. For the first touches of a part, the order of
 * everything before it is used: the line is taken out there, which gives its distance, and is put
 * in again at the end of the part.
 */
#include "base/map.h"

#define REUSE_COLD UINT64_MAX
#define REUSE_FAILED (UINT64_MAX - 1) /* out of memory */

struct reuse_order {
	struct base_map *lines; /* whose rows these are */
	unsigned word;          /* counter of a row that holds its slot + 1; 0: none */
	uint64_t *marks;        /* a bit for each slot */
	uint8_t *in_word;       /* marks in each word */
	uint32_t *owner;        /* row of lines, for each slot */
	uint32_t *near, *far;   /* marks in each group of 64 and of 4096 words */
	size_t slots, now;
};

/* Nothing is allocated before the first touch. */
void reuse_init(struct reuse_order *order, struct base_map *lines, unsigned word);
void reuse_free(struct reuse_order *order);
/* Forget all slots, keep the memory; the rows are forgotten by who owns them. */
void reuse_clear(struct reuse_order *order);
/* Touch a row: its distance, or REUSE_COLD when it is not in the order. */
uint64_t reuse_touch(struct reuse_order *order, size_t row);
/* Take it out: its distance, or REUSE_COLD. */
uint64_t reuse_leave(struct reuse_order *order, size_t row);
/* Put it at the end, where it was not; >= 0 or CAIRN_E_NOMEM. */
int reuse_arrive(struct reuse_order *order, size_t row);
/* Rows in their order: the first at or behind slot *at, which moves behind it; SIZE_MAX at
 * the end. */
size_t reuse_next(const struct reuse_order *order, size_t *at);

#endif

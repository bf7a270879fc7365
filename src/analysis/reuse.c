/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse distances, exactly.
 *
 * Time is an array of slots, one for each touch. A slot is marked while it holds the last touch of
 * some line, so the reuse distance is the number of marks after the line's own. Marks are bits.
 * Each word of marks, each group of 64 words and each group of 4096 has a counter, so moving a
 * mark changes three counters; counting takes a few steps for near distances, which are most,
 * and some hundred for far ones. (A tree would take fewer steps for far distances and more for
 * near ones.)
 *
 * When all slots are used, the marked ones are moved together in order. There are then four slots
 * for each line, so this happens seldom, and memory depends only on the number of lines.
 */
#include "analysis/reuse.h"

#include <string.h>

enum { GROUP = 6, FAR = 12, FIRST_SLOTS = 1 << 18 }; /* shifts of words */

void reuse_init(struct reuse_order *order, struct base_map *lines, unsigned word)
{
	*order = (struct reuse_order){.lines = lines, .word = word};
}

static void reuse_release(struct reuse_order *order)
{
	base_free(order->lines->cairn, order->marks);
	base_free(order->lines->cairn, order->in_word);
	base_free(order->lines->cairn, order->owner);
	base_free(order->lines->cairn, order->near);
	base_free(order->lines->cairn, order->far);
}

void reuse_free(struct reuse_order *order)
{
	if (order->lines)
		reuse_release(order);
	reuse_init(order, order->lines, order->word);
}

void reuse_clear(struct reuse_order *order)
{
	size_t words = (order->now + 63) >> 6;
	if (!words)
		return;
	memset(order->marks, 0, words * sizeof *order->marks);
	memset(order->in_word, 0, words);
	memset(order->near, 0, ((words >> GROUP) + 1) * sizeof *order->near);
	memset(order->far, 0, ((words >> FAR) + 1) * sizeof *order->far);
	order->now = 0;
}

static bool reuse_allocate(struct reuse_order *order, size_t slots)
{
	struct cairn *cairn = order->lines->cairn;
	/* One group more than there is: clearing need not be careful at the end. */
	order->marks = base_alloc(cairn, slots / 8);
	order->in_word = base_alloc(cairn, slots >> 6);
	order->owner = base_realloc(cairn, NULL, slots * sizeof *order->owner);
	order->near = base_alloc(cairn, ((slots >> (6 + GROUP)) + 1) * sizeof *order->near);
	order->far = base_alloc(cairn, ((slots >> (6 + FAR)) + 1) * sizeof *order->far);
	order->slots = slots;
	order->now = 0;
	return order->marks && order->in_word && order->owner && order->near && order->far;
}

static inline uint64_t *reuse_slot_of(const struct reuse_order *order, size_t row)
{
	return &base_map_row(order->lines, row)[2 + order->word];
}

static inline void mark(struct reuse_order *order, size_t slot, uint32_t row)
{
	order->marks[slot >> 6] |= (uint64_t)1 << (slot & 63);
	order->in_word[slot >> 6]++;
	order->near[slot >> (6 + GROUP)]++;
	order->far[slot >> (6 + FAR)]++;
	order->owner[slot] = row;
	*reuse_slot_of(order, row) = slot + 1;
}

static inline void unmark(struct reuse_order *order, size_t slot)
{
	order->marks[slot >> 6] &= ~((uint64_t)1 << (slot & 63));
	order->in_word[slot >> 6]--;
	order->near[slot >> (6 + GROUP)]--;
	order->far[slot >> (6 + FAR)]--;
}

size_t reuse_next(const struct reuse_order *order, size_t *at)
{
	for (size_t w = *at >> 6; w << 6 < order->now; w++) {
		uint64_t bits = order->marks[w];
		if (w == *at >> 6)
			bits &= ~UINT64_C(0) << (*at & 63);
		if (!bits)
			continue;
		size_t slot = w << 6 | (unsigned)__builtin_ctzll(bits);
		*at = slot + 1;
		return order->owner[slot];
	}
	*at = order->now;
	return SIZE_MAX;
}

/* Move the marked slots together, into four for each line. */
static bool reuse_make_room(struct reuse_order *order)
{
	size_t slots = FIRST_SLOTS, at = 0, row;
	struct reuse_order old = *order;
	while (slots < 4 * order->lines->n)
		slots *= 2;
	if (!reuse_allocate(order, slots)) { /* it stays full: who goes on fails again */
		reuse_release(order);
		*order = old;
		return false;
	}
	while ((row = reuse_next(&old, &at)) != SIZE_MAX)
		mark(order, order->now++, (uint32_t)row);
	reuse_release(&old);
	return true;
}

/* __builtin_popcountll is a call where the processor may lack the instruction. */
static inline unsigned reuse_bits_of(uint64_t value)
{
	value -= value >> 1 & UINT64_C(0x5555555555555555);
	value = (value & UINT64_C(0x3333333333333333)) + (value >> 2 & UINT64_C(0x3333333333333333));
	value = (value + (value >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(value * UINT64_C(0x0101010101010101) >> 56);
}

/* Marks in the words of a group from its from-th on (64: none). All of it is added up, what
 * does not count masked: there are as many distances as words, so a loop to the end would be
 * guessed wrong each time. Words behind the last mark have none. */
static inline uint64_t count_words(const uint8_t *group, unsigned from)
{
	static const uint8_t behind[128] = {[64 ... 127] = 0xff};
	const uint64_t lanes = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t n = 0;
	for (unsigned k = 0; k < 64; k += 8) {
		uint64_t x, mask;
		memcpy(&x, group + k, sizeof x);
		memcpy(&mask, behind + 64 - from + k, sizeof mask);
		x &= mask;
		n += (x & lanes) + (x >> 8 & lanes);
	}
	return n * UINT64_C(0x0001000100010001) >> 48;
}

static inline uint64_t add_groups(const uint32_t *groups, size_t from, size_t to)
{
	uint64_t n = 0;
	for (; from < to; from++)
		n += groups[from];
	return n;
}

/* Marks behind a slot. */
static inline uint64_t marks_behind(const struct reuse_order *order, size_t slot)
{
	enum { IN_GROUP = (1 << GROUP) - 1, NEAR_IN_FAR = (1 << (FAR - GROUP)) - 1 };
	size_t w = slot >> 6, end = (order->now + 63) >> 6, stop = (w | IN_GROUP) + 1;
	uint64_t n = reuse_bits_of(order->marks[w] & ~UINT64_C(1) << (slot & 63));
	n += count_words(order->in_word + stop - IN_GROUP - 1, (unsigned)(w & IN_GROUP) + 1);
	if (end <= stop)
		return n;
	size_t near = stop >> GROUP, last = (end + IN_GROUP) >> GROUP;
	stop = (near + NEAR_IN_FAR) & ~(size_t)NEAR_IN_FAR;
	if (last <= stop)
		return n + add_groups(order->near, near, last);
	n += add_groups(order->near, near, stop);
	size_t far = stop >> (FAR - GROUP), far_end = (last + NEAR_IN_FAR) >> (FAR - GROUP);
	return n + add_groups(order->far, far, far_end);
}

static inline uint64_t analysis_reuse_leave(struct reuse_order *order, uint64_t *slot)
{
	if (!*slot)
		return REUSE_COLD;
	size_t mark = (size_t)*slot - 1;
	uint64_t distance = marks_behind(order, mark);
	unmark(order, mark);
	*slot = 0;
	return distance;
}

static inline int analysis_reuse_arrive(struct reuse_order *order, size_t row)
{
	if (order->now == order->slots && !reuse_make_room(order))
		return CAIRN_E_NOMEM;
	mark(order, order->now++, (uint32_t)row);
	return 0;
}

uint64_t reuse_leave(struct reuse_order *order, size_t row)
{
	return analysis_reuse_leave(order, reuse_slot_of(order, row));
}

int reuse_arrive(struct reuse_order *order, size_t row)
{
	return analysis_reuse_arrive(order, row);
}

uint64_t reuse_touch(struct reuse_order *order, size_t row)
{
	uint64_t distance = analysis_reuse_leave(order, reuse_slot_of(order, row));
	return analysis_reuse_arrive(order, row) < 0 ? REUSE_FAILED : distance;
}

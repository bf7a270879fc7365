/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse distances, exactly.
 *
 * Time is a row of slots, one a touch; a slot is marked while it holds the last touch of
 * some line. The distance is the number of marks behind the line's own. Marks are bits;
 * words have their count, and so have groups of 64 and of 4096 words, so that moving a
 * mark changes three counters, and counting takes a few steps for near distances, which
 * are the most, and some hundred for far ones. (A tree would do with fewer for far
 * distances and more for near ones.)
 *
 * When the slots are used up the marked ones are moved together, in order. There are
 * four slots for each line then, so that happens seldom, and memory depends on the
 * lines alone.
 */
#include "analysis/reuse.h"

#include <string.h>

enum { GROUP = 6, FAR = 12, FIRST_SLOTS = 1 << 18 }; /* shifts of words */

void reuse_init(struct reuse_order *o, struct base_map *lines, unsigned word)
{
	*o = (struct reuse_order){.lines = lines, .word = word};
}

static void reuse_release(struct reuse_order *o)
{
	base_free(o->lines->c, o->marks);
	base_free(o->lines->c, o->in_word);
	base_free(o->lines->c, o->owner);
	base_free(o->lines->c, o->near);
	base_free(o->lines->c, o->far);
}

void reuse_free(struct reuse_order *o)
{
	if (o->lines)
		reuse_release(o);
	reuse_init(o, o->lines, o->word);
}

void reuse_clear(struct reuse_order *o)
{
	size_t words = (o->now + 63) >> 6;
	if (!words)
		return;
	memset(o->marks, 0, words * sizeof *o->marks);
	memset(o->in_word, 0, words);
	memset(o->near, 0, ((words >> GROUP) + 1) * sizeof *o->near);
	memset(o->far, 0, ((words >> FAR) + 1) * sizeof *o->far);
	o->now = 0;
}

static bool reuse_allocate(struct reuse_order *o, size_t slots)
{
	struct cairn *c = o->lines->c;
	/* One group more than there is: clearing need not be careful at the end. */
	o->marks = base_alloc(c, slots / 8);
	o->in_word = base_alloc(c, slots >> 6);
	o->owner = base_realloc(c, NULL, slots * sizeof *o->owner);
	o->near = base_alloc(c, ((slots >> (6 + GROUP)) + 1) * sizeof *o->near);
	o->far = base_alloc(c, ((slots >> (6 + FAR)) + 1) * sizeof *o->far);
	o->slots = slots;
	o->now = 0;
	return o->marks && o->in_word && o->owner && o->near && o->far;
}

static inline uint64_t *reuse_slot_of(const struct reuse_order *o, size_t row)
{
	return &base_map_row(o->lines, row)[2 + o->word];
}

static inline void mark(struct reuse_order *o, size_t slot, uint32_t row)
{
	o->marks[slot >> 6] |= (uint64_t)1 << (slot & 63);
	o->in_word[slot >> 6]++;
	o->near[slot >> (6 + GROUP)]++;
	o->far[slot >> (6 + FAR)]++;
	o->owner[slot] = row;
	*reuse_slot_of(o, row) = slot + 1;
}

static inline void unmark(struct reuse_order *o, size_t slot)
{
	o->marks[slot >> 6] &= ~((uint64_t)1 << (slot & 63));
	o->in_word[slot >> 6]--;
	o->near[slot >> (6 + GROUP)]--;
	o->far[slot >> (6 + FAR)]--;
}

size_t reuse_next(const struct reuse_order *o, size_t *at)
{
	for (size_t w = *at >> 6; w << 6 < o->now; w++) {
		uint64_t bits = o->marks[w];
		if (w == *at >> 6)
			bits &= ~UINT64_C(0) << (*at & 63);
		if (!bits)
			continue;
		size_t slot = w << 6 | (unsigned)__builtin_ctzll(bits);
		*at = slot + 1;
		return o->owner[slot];
	}
	*at = o->now;
	return SIZE_MAX;
}

/* Move the marked slots together, into four for each line. */
static bool reuse_make_room(struct reuse_order *o)
{
	size_t slots = FIRST_SLOTS, at = 0, row;
	struct reuse_order old = *o;
	while (slots < 4 * o->lines->n)
		slots *= 2;
	bool ok = reuse_allocate(o, slots);
	while (ok && (row = reuse_next(&old, &at)) != SIZE_MAX)
		mark(o, o->now++, (uint32_t)row);
	reuse_release(&old);
	return ok;
}

/* __builtin_popcountll is a call where the processor may lack the instruction. */
static inline unsigned reuse_bits_of(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
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
static inline uint64_t marks_behind(const struct reuse_order *o, size_t slot)
{
	enum { IN_GROUP = (1 << GROUP) - 1, NEAR_IN_FAR = (1 << (FAR - GROUP)) - 1 };
	size_t w = slot >> 6, end = (o->now + 63) >> 6, stop = (w | IN_GROUP) + 1;
	uint64_t n = reuse_bits_of(o->marks[w] & ~UINT64_C(1) << (slot & 63));
	n += count_words(o->in_word + stop - IN_GROUP - 1, (unsigned)(w & IN_GROUP) + 1);
	if (end <= stop)
		return n;
	size_t near = stop >> GROUP, last = (end + IN_GROUP) >> GROUP;
	stop = (near + NEAR_IN_FAR) & ~(size_t)NEAR_IN_FAR;
	if (last <= stop)
		return n + add_groups(o->near, near, last);
	n += add_groups(o->near, near, stop);
	size_t far = stop >> (FAR - GROUP), far_end = (last + NEAR_IN_FAR) >> (FAR - GROUP);
	return n + add_groups(o->far, far, far_end);
}

static inline uint64_t analysis_reuse_leave(struct reuse_order *o, uint64_t *slot)
{
	if (!*slot)
		return REUSE_COLD;
	size_t mark = (size_t)*slot - 1;
	uint64_t distance = marks_behind(o, mark);
	unmark(o, mark);
	*slot = 0;
	return distance;
}

static inline int analysis_reuse_arrive(struct reuse_order *o, size_t row)
{
	if (o->now == o->slots && !reuse_make_room(o))
		return CAIRN_E_NOMEM;
	mark(o, o->now++, (uint32_t)row);
	return 0;
}

uint64_t reuse_leave(struct reuse_order *o, size_t row)
{
	return analysis_reuse_leave(o, reuse_slot_of(o, row));
}

int reuse_arrive(struct reuse_order *o, size_t row)
{
	return analysis_reuse_arrive(o, row);
}

uint64_t reuse_touch(struct reuse_order *o, size_t row)
{
	uint64_t distance = analysis_reuse_leave(o, reuse_slot_of(o, row));
	return analysis_reuse_arrive(o, row) < 0 ? REUSE_FAILED : distance;
}

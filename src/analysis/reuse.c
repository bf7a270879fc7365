/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse distances, exactly.
 *
 * Time is a row of slots, one a touch; a slot is marked while it holds the last touch of
 * some line. The distance is the number of marks behind the line's own. Marks are bits;
 * groups of 4096 and of 262144 have their count, so that moving a mark changes two
 * counters and counting takes at most some hundred steps near both ends and one for
 * each far group between. (A tree would do with fewer steps for far distances and more
 * for near ones, which are the most.)
 *
 * When the slots are used up the marked ones are moved together, in order. There are
 * four slots for each line then, so that happens seldom, and memory depends on the
 * lines alone.
 */
#include "analysis/reuse.h"

#include <string.h>

enum { GROUP = 6, FAR = 12, FIRST_SLOTS = 1 << 18 }; /* shifts of words */

struct reuse {
	struct cairn *c;
	struct base_map lines; /* line → slot */
	uint64_t *marks;       /* a bit for each slot */
	uint32_t *owner;       /* row of lines, for each slot */
	uint32_t *near, *far;  /* marks in each group of 64 and of 4096 words */
	size_t slots, now;
};

void reuse_free(struct reuse *r)
{
	if (!r)
		return;
	base_map_free(&r->lines);
	base_free(r->c, r->marks);
	base_free(r->c, r->owner);
	base_free(r->c, r->near);
	base_free(r->c, r->far);
	base_free(r->c, r);
}

static bool allocate(struct reuse *r, size_t slots)
{
	r->marks = base_alloc(r->c, slots / 8);
	r->owner = base_realloc(r->c, NULL, slots * sizeof *r->owner);
	r->near = base_alloc(r->c, (slots >> (6 + GROUP)) * sizeof *r->near);
	r->far = base_alloc(r->c, (slots >> (6 + FAR)) * sizeof *r->far);
	r->slots = slots;
	return r->marks && r->owner && r->near && r->far;
}

struct reuse *reuse_new(struct cairn *c)
{
	struct reuse *r = base_alloc(c, sizeof *r);
	if (!r)
		return NULL;
	r->c = c;
	base_map_init(&r->lines, c, 1);
	if (!allocate(r, FIRST_SLOTS)) {
		reuse_free(r);
		return NULL;
	}
	return r;
}

static void mark(struct reuse *r, size_t slot, uint32_t row)
{
	r->marks[slot >> 6] |= (uint64_t)1 << (slot & 63);
	r->near[slot >> (6 + GROUP)]++;
	r->far[slot >> (6 + FAR)]++;
	r->owner[slot] = row;
}

static void unmark(struct reuse *r, size_t slot)
{
	r->marks[slot >> 6] &= ~((uint64_t)1 << (slot & 63));
	r->near[slot >> (6 + GROUP)]--;
	r->far[slot >> (6 + FAR)]--;
}

/* Move the marked slots together, into four for each line. */
static bool compact(struct reuse *r)
{
	size_t slots = FIRST_SLOTS, to = 0;
	struct reuse old = *r;
	while (slots < 4 * r->lines.n)
		slots *= 2;
	bool ok = allocate(r, slots);
	for (size_t w = 0; w < old.now >> 6 && ok; w++)
		for (uint64_t bits = old.marks[w]; bits; bits &= bits - 1) {
			uint32_t row = old.owner[w << 6 | (unsigned)__builtin_ctzll(bits)];
			mark(r, to, row);
			base_map_row(&r->lines, row)[2] = to++;
		}
	r->now = to;
	base_free(r->c, old.marks);
	base_free(r->c, old.owner);
	base_free(r->c, old.near);
	base_free(r->c, old.far);
	return ok;
}

static uint64_t count_words(const struct reuse *r, size_t from, size_t to)
{
	uint64_t n = 0;
	for (; from < to; from++)
		n += (unsigned)__builtin_popcountll(r->marks[from]);
	return n;
}

/* Marks behind a slot. */
static uint64_t marks_behind(const struct reuse *r, size_t slot)
{
	enum { IN_GROUP = (1 << GROUP) - 1, IN_FAR = (1 << FAR) - 1 };
	size_t w = slot >> 6, end = (r->now + 63) >> 6;
	uint64_t n = (unsigned)__builtin_popcountll(r->marks[w] & ~UINT64_C(1) << (slot & 63));
	w++;
	size_t stop = (w + IN_GROUP) & ~(size_t)IN_GROUP;
	if (end <= stop)
		return n + count_words(r, w, end);
	n += count_words(r, w, stop);
	for (w = stop; w < end && w & IN_FAR; w += IN_GROUP + 1)
		n += r->near[w >> GROUP];
	for (; w + IN_FAR < end; w += IN_FAR + 1)
		n += r->far[w >> FAR];
	for (; w < end; w += IN_GROUP + 1)
		n += r->near[w >> GROUP];
	return n;
}

uint64_t reuse_touch(struct reuse *r, uint64_t line)
{
	if (r->now == r->slots && !compact(r))
		return REUSE_FAILED;
	size_t known = r->lines.n;
	uint64_t *slot = base_map_at(&r->lines, line, 0);
	uint64_t distance = REUSE_COLD;
	if (!slot)
		return REUSE_FAILED;
	if (r->lines.n == known) {
		distance = marks_behind(r, *slot);
		unmark(r, *slot);
	}
	*slot = r->now;
	mark(r, r->now++, (uint32_t)base_map_index(&r->lines, slot));
	return distance;
}

void reuse_expect(const struct reuse *r, uint64_t line, bool soon)
{
	if (soon)
		base_map_expect_row(&r->lines, line, 0);
	else
		base_map_expect(&r->lines, line, 0);
}

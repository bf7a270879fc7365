/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where do two traces that have parted go on alike? Wanted are the fewest rows
 * to leave out, da of A and db of B, so that several places in a row (a gram) are
 * the same afterwards.
 *
 * For a given da the best db is the first place in B where A's gram stands, so a
 * table of first places is all it takes: linear in the window. Windows grow from
 * a few rows to the whole one, and an anchor found in a window of w rows is the
 * best of all if it costs no more than w, for any beyond costs more. So it is the
 * distance of the anchor that costs time, not the window.
 *
 * A short gram would be met by accident in a loop, a long one would join
 * differences that lie apart: it is short near by, longer farther off. Behind the
 * end of a trace stand end marks, so that two tails that end together are an anchor.
 *
 * Comparing B with A gives the same anchor: ties in cost are broken by what is the
 * same for both, the distance of da and db and then the gram itself.
 */
#include <string.h>

#include "analysis/diff.h"

enum { FIRST_WINDOW = 32, NEAR_GRAM = 4, FAR_GRAM = 8 };

struct diff_gram {
	uint64_t hash;
	uint32_t at, generation;
};

struct best {
	uint64_t da, db, cost, slant, hash;
};

void diff_align_free(struct diff_align *al)
{
	base_free(al->cairn, al->keys[0]);
	base_free(al->cairn, al->keys[1]);
	base_free(al->cairn, al->table);
}

static int diff_align_make_room(struct diff_align *al, uint32_t word)
{
	size_t keys = (size_t)word + 2 * FAR_GRAM, size = 64;
	while (size < 2 * keys)
		size *= 2;
	if (al->cap < keys) {
		for (int i = 0; i < 2; i++) {
			uint64_t *p = base_realloc(al->cairn, al->keys[i], keys * sizeof *p);
			if (!p)
				return CAIRN_E_NOMEM;
			al->keys[i] = p;
		}
		al->cap = keys;
	}
	if (al->table_size < size) {
		base_free(al->cairn, al->table);
		al->table_size = 0;
		al->table = base_alloc(al->cairn, size * sizeof *al->table);
		if (!al->table)
			return CAIRN_E_NOMEM;
		al->table_size = size;
	}
	return 0;
}

static uint64_t gram(const uint64_t *keys, unsigned index)
{
	uint64_t h = index;
	for (unsigned i = 0; i < index; i++) {
		h = (h ^ keys[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h;
}

/* The slot of a hash: its own if it is there, or a free one. */
static struct diff_gram *diff_align_slot_of(struct diff_align *al, uint64_t hash, size_t mask)
{
	size_t i = (size_t)(hash >> 17) & mask;
	while (al->table[i].generation == al->generation && al->table[i].hash != hash)
		i = (i + 1) & mask;
	return &al->table[i];
}

static void diff_align_remember(struct diff_align *al, uint64_t n, unsigned index, size_t mask)
{
	if (++al->generation == 0) {
		memset(al->table, 0, al->table_size * sizeof *al->table);
		al->generation = 1;
	}
	for (uint64_t i = 0; i <= n; i++) {
		uint64_t hash = gram(al->keys[1] + i, index);
		struct diff_gram *g = diff_align_slot_of(al, hash, mask);
		if (g->generation != al->generation)
			*g = (struct diff_gram){hash, (uint32_t)i, al->generation};
	}
}

static bool better(const struct best *left, const struct best *right)
{
	if (left->cost != right->cost)
		return left->cost < right->cost;
	return left->slant != right->slant ? left->slant < right->slant : left->hash < right->hash;
}

/* The best anchor with da <= na and db <= nb. */
static bool diff_align_search(struct diff_align *al, uint64_t na, uint64_t nb, unsigned index,
                              struct best *best)
{
	size_t mask = 64;
	while (mask < 2 * (nb + 1))
		mask *= 2;
	mask--;
	diff_align_remember(al, nb, index, mask);
	*best = (struct best){.cost = UINT64_MAX};
	for (uint64_t da = 0; da <= na && da <= best->cost; da++) {
		uint64_t hash = gram(al->keys[0] + da, index);
		const struct diff_gram *g = diff_align_slot_of(al, hash, mask);
		if (g->generation != al->generation ||
		    memcmp(al->keys[0] + da, al->keys[1] + g->at, index * sizeof(uint64_t)) != 0)
			continue;
		struct best x = {.da = da, .db = g->at, .cost = da + g->at, .hash = hash};
		x.slant = da > x.db ? da - x.db : x.db - da;
		if (x.cost && better(&x, best))
			*best = x;
	}
	return best->cost != UINT64_MAX;
}

/* Fetch keys of the next w rows and one gram more, with end marks behind the trace's end. Returns
 * the number of rows, at most w. */
static int64_t diff_align_look_ahead(struct diff_side *side, const struct diff_what *what,
                                     uint32_t word, uint64_t *keys, bool *ends)
{
	int64_t n = diff_side_ahead(side, (uint64_t)word + FAR_GRAM);
	*ends = false;
	if (n < 0)
		return n;
	diff_side_keys(side, what, (uint64_t)n, keys);
	for (int64_t i = n; i < (int64_t)word + 2 * FAR_GRAM; i++)
		keys[i] = UINT64_MAX;
	*ends = n <= (int64_t)word;
	return n < (int64_t)word ? n : (int64_t)word;
}

int diff_align(struct diff_align *al, const struct diff_what *what, struct diff_side *left,
               struct diff_side *right, uint64_t *da, uint64_t *db)
{
	uint32_t w = al->window < FIRST_WINDOW ? al->window : FIRST_WINDOW;
	for (;; w = al->window / 4 < w ? al->window : 4 * w) {
		struct best best;
		bool a_ends, b_ends;
		int rc = diff_align_make_room(al, w);
		if (rc < 0)
			return rc;
		int64_t na = diff_align_look_ahead(left, what, w, al->keys[0], &a_ends);
		int64_t nb = diff_align_look_ahead(right, what, w, al->keys[1], &b_ends);
		if (na < 0 || nb < 0)
			return (int)(na < 0 ? na : nb);
		bool last = w == al->window || (a_ends && b_ends);
		bool found = diff_align_search(al, (uint64_t)na, (uint64_t)nb,
		                               w <= FIRST_WINDOW ? NEAR_GRAM : FAR_GRAM, &best);
		if (found && (last || best.cost <= w)) {
			*da = best.da;
			*db = best.db;
			return 0;
		}
		if (last) {
			*da = (uint64_t)na;
			*db = (uint64_t)nb;
			return 1;
		}
	}
}

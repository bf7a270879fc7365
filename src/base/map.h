/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MAP_H
#define BASE_MAP_H
/*
 * Counters by key: from two 64-bit numbers to a row of `width` words.
 *
 * Rows stand side by side in the order they were made, so that going through them is
 * fast and gives the same order every time; a table of row numbers finds them. A row
 * may move when another one is made: pointers live until the next base_map_at.
 */
#include "base/base.h"

struct base_map {
	struct cairn *cairn;
	uint64_t *rows;  /* of 2 + width words: the key, then the counters */
	uint32_t *slots; /* number of a row + 1; 0: free */
	size_t n, cap, n_slots;
	unsigned width, shift; /* shift: 64 - log2(n_slots) */
};

void base_map_init(struct base_map *map, struct cairn *cairn, unsigned width);
void base_map_free(struct base_map *map);
/* Forget all rows, keep the memory. */
void base_map_clear(struct base_map *map);
/* Add each counter of `from` to that of the same key; >= 0 or CAIRN_E_NOMEM. */
int base_map_add(struct base_map *to, const struct base_map *from);
/* All rows in the order of their keys, to be freed with base_free; NULL when out of memory. */
const uint64_t **base_map_sorted(const struct base_map *map);
/* The first `most` rows (fewer if there are not so many: *n) in the order of `compare`, which
 * gets pointers to pointers to rows; to be freed; NULL when out of memory. */
const uint64_t **base_map_first(const struct base_map *map, size_t most,
                                int (*compare)(const void *, const void *), size_t *n);
/* The slow half of base_map_at. */
uint64_t *base_map_make(struct base_map *map, uint64_t k0, uint64_t k1);

static inline size_t base_map_hash(const struct base_map *map, uint64_t k0, uint64_t k1)
{
	uint64_t h = (k0 ^ (k1 << 32 | k1 >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ k1 ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(h >> map->shift);
}

/* Row i, 0 … n-1: the key, then the counters. */
static inline uint64_t *base_map_row(const struct base_map *map, size_t index)
{
	return map->rows + index * (2 + map->width);
}

/* Number of the row whose counters these are. */
static inline size_t base_map_index(const struct base_map *map, const uint64_t *counters)
{
	return (size_t)(counters - 2 - map->rows) / (2 + map->width);
}

/* The counters of a key, NULL when it has none. */
static inline uint64_t *base_map_find(const struct base_map *map, uint64_t k0, uint64_t k1)
{
	if (!map->n)
		return NULL;
	for (size_t i = base_map_hash(map, k0, k1);; i = (i + 1) & (map->n_slots - 1)) {
		if (!map->slots[i])
			return NULL;
		uint64_t *row = base_map_row(map, map->slots[i] - 1);
		if (row[0] == k0 && row[1] == k1)
			return row + 2;
	}
}

/* For callers that know the next keys: first bring what finds a key's row into the cache, and some
 * time later the row itself. */
static inline void base_map_expect(const struct base_map *map, uint64_t k0, uint64_t k1)
{
	if (map->n)
		base_prefetch(&map->slots[base_map_hash(map, k0, k1)]);
}

static inline void base_map_expect_row(const struct base_map *map, uint64_t k0, uint64_t k1)
{
	uint32_t slot = map->n ? map->slots[base_map_hash(map, k0, k1)] : 0;
	if (slot)
		base_prefetch(base_map_row(map, slot - 1));
}

/* The counters of a key, made (all zero) when it has none; NULL when out of memory. */
static inline uint64_t *base_map_at(struct base_map *map, uint64_t k0, uint64_t k1)
{
	uint64_t *row = base_map_find(map, k0, k1);
	return __builtin_expect(row != NULL, 1) ? row : base_map_make(map, k0, k1);
}

#endif

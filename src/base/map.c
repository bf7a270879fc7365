/* SPDX-License-Identifier: Apache-2.0 */
/* Counters by key: the half of base/map.h that makes and frees rows. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 64 };

void base_map_init(struct base_map *map, struct cairn *cairn, unsigned width)
{
	*map = (struct base_map){.cairn = cairn, .width = width};
}

void base_map_free(struct base_map *map)
{
	base_free(map->cairn, map->rows);
	base_free(map->cairn, map->slots);
	base_map_init(map, map->cairn, map->width);
}

void base_map_clear(struct base_map *map)
{
	if (map->n)
		memset(map->slots, 0, map->n_slots * sizeof *map->slots);
	map->n = 0;
}

/* Twice the rows, and slots for them that are at most half full. */
static int map_grow(struct base_map *map)
{
	size_t cap = map->cap ? 2 * map->cap : FIRST_ROWS;
	if (cap > UINT32_MAX / 2)
		return base_fail(map->cairn, CAIRN_E_LIMIT, "more than %zu different keys to count",
		                 map->n);
	uint32_t *slots = base_alloc(map->cairn, 2 * cap * sizeof *slots);
	uint64_t *rows = base_realloc(map->cairn, map->rows, cap * (2 + map->width) * sizeof *rows);
	if (rows)
		map->rows = rows;
	if (!slots || !rows) {
		base_free(map->cairn, slots);
		return CAIRN_E_NOMEM;
	}
	base_free(map->cairn, map->slots);
	map->slots = slots;
	map->cap = cap;
	map->n_slots = 2 * cap;
	map->shift = 64 - (unsigned)__builtin_ctzll(map->n_slots);
	for (size_t i = 0; i < map->n; i++) {
		const uint64_t *row = base_map_row(map, i);
		size_t at = base_map_hash(map, row[0], row[1]);
		while (slots[at])
			at = (at + 1) & (map->n_slots - 1);
		slots[at] = (uint32_t)i + 1;
	}
	return 0;
}

uint64_t *base_map_make(struct base_map *map, uint64_t k0, uint64_t k1)
{
	if (map->n == map->cap && map_grow(map) < 0)
		return NULL;
	size_t at = base_map_hash(map, k0, k1);
	while (map->slots[at])
		at = (at + 1) & (map->n_slots - 1);
	uint64_t *row = base_map_row(map, map->n++);
	map->slots[at] = (uint32_t)map->n;
	row[0] = k0;
	row[1] = k1;
	memset(row + 2, 0, map->width * sizeof *row);
	return row + 2;
}

int base_map_add(struct base_map *to, const struct base_map *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const uint64_t *row = base_map_row(from, i);
		uint64_t *sum = base_map_at(to, row[0], row[1]);
		if (!sum)
			return CAIRN_E_NOMEM;
		for (unsigned k = 0; k < to->width; k++)
			sum[k] += row[2 + k];
	}
	return 0;
}

static int map_by_key(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;
	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return (x[1] > y[1]) - (x[1] < y[1]);
}

const uint64_t **base_map_sorted(const struct base_map *map)
{
	const uint64_t **rows = base_alloc(map->cairn, (map->n + 1) * sizeof *rows);
	for (size_t i = 0; i < map->n && rows; i++)
		rows[i] = base_map_row(map, i);
	if (rows && map->n)
		qsort(rows, map->n, sizeof *rows, map_by_key);
	return rows;
}

/* Let row `at` of a heap sink below all that come after it. */
static void sink(const uint64_t **heap, size_t n, size_t at,
                 int (*compare)(const void *, const void *))
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (compare(&heap[at], &heap[child]) >= 0)
			return;
		const uint64_t *row = heap[at];
		heap[at] = heap[child];
		heap[child] = row;
	}
}

const uint64_t **base_map_first(const struct base_map *map, size_t most,
                                int (*compare)(const void *, const void *), size_t *n)
{
	*n = map->n < most ? map->n : most;
	const uint64_t **heap = base_alloc(map->cairn, (*n + 1) * sizeof *heap);
	for (size_t i = 0; i < *n && heap; i++)
		heap[i] = base_map_row(map, i);
	for (size_t i = *n / 2; heap && i-- > 0;)
		sink(heap, *n, i, compare);
	for (size_t i = *n; *n && heap && i < map->n; i++) { /* the last of the first rows is on top */
		const uint64_t *row = base_map_row(map, i);
		if (compare(&row, &heap[0]) < 0) {
			heap[0] = row;
			sink(heap, *n, 0, compare);
		}
	}
	if (heap && *n)
		qsort(heap, *n, sizeof *heap, compare);
	return heap;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: reference models of caches. Sets of ways, of which the one used least recently
 * goes; every hart has its own.
 */
#include <string.h>

#include "analysis/accesses.h"

/* One set of ways, the most recently used first. */
static bool cache_touch(uint64_t *set, size_t ways, uint64_t tag)
{
	size_t k = 0;
	while (k < ways && set[k] != tag)
		k++;
	bool hit = k < ways;
	memmove(set + 1, set, (hit ? k : ways - 1) * sizeof *set);
	set[0] = tag;
	return hit;
}

static uint64_t *cache_of(struct mem_run *u, unsigned which, uint16_t hart)
{
	struct mem_cache_model *c = &u->cache[which];
	if (c->last_sets && c->last_hart == hart)
		return c->last_sets;
	uint64_t *at = base_map_at(&u->cache_state, hart, which);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(u->c, c->size / c->line * sizeof(uint64_t));
	c->last_sets = at ? (uint64_t *)(uintptr_t)*at : NULL;
	c->last_hart = hart;
	c->last_tag = 0;
	return c->last_sets;
}

int mem_caches_take(struct mem_run *u, struct mem_part *sum, const struct mem_step *a)
{
	for (unsigned k = 0; k < u->n_caches; k++) {
		struct mem_cache_model *c = &u->cache[k];
		uint64_t *sets = cache_of(u, k, a->hart), n = c->sets;
		if (!sets)
			return CAIRN_E_NOMEM;
		uint64_t first = a->addr >> c->shift,
				 lines = ((a->addr + (a->size ? a->size - 1 : 0)) >> c->shift) - first + 1;
		for (uint64_t i = 0; i < lines; i++) {
			uint64_t line = first + i;
			sum->probes[k][a->write]++;
			if (line + 1 == c->last_tag)
				continue;
			c->last_tag = line + 1;
			uint64_t set = n & (n - 1) ? line % n : line & (n - 1);
			/* tags begin at 1: an empty way holds 0 */
			sum->misses[k][a->write] +=
				!cache_touch(sets + set * c->ways, (size_t)c->ways, line + 1);
		}
	}
	return 0;
}

int mem_caches_add(struct mem_run *u, const struct cairn_cache *c)
{
	struct mem_cache_model *m = &u->cache[u->n_caches];
	*m = (struct mem_cache_model){.size = c->size, .ways = c->ways, .line = c->line};
	if (!m->line || m->line & (m->line - 1) || !m->ways || m->size > (uint64_t)1 << 32 ||
	    m->ways > m->size || m->line > m->size || m->size % (m->ways * m->line) || !m->size)
		return base_fail(u->c, CAIRN_E_INVAL,
		                 "a cache of %llu bytes, %llu ways and lines of %llu bytes "
		                 "cannot be: a line is a power of two, and sets of whole lines fill it",
		                 (unsigned long long)c->size, (unsigned long long)c->ways,
		                 (unsigned long long)c->line);
	m->sets = m->size / m->line / m->ways;
	m->shift = (unsigned)__builtin_ctzll(m->line);
	u->n_caches++;
	return 0;
}

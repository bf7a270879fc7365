/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: reference models of caches. A set has several ways and replaces the least recently
 * used one. Every hart has its own caches.
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

static uint64_t *cache_of(struct mem_run *run, unsigned which, uint16_t hart)
{
	struct mem_cache_model *model = &run->cache[which];
	if (model->last_sets && model->last_hart == hart)
		return model->last_sets;
	uint64_t *at = base_map_at(&run->cache_state, hart, which);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(run->cairn, model->size / model->line * sizeof(uint64_t));
	model->last_sets = at ? (uint64_t *)(uintptr_t)*at : NULL;
	model->last_hart = hart;
	model->last_tag = 0;
	return model->last_sets;
}

int mem_caches_take(struct mem_run *run, struct mem_part *sum, const struct mem_step *step)
{
	for (unsigned k = 0; k < run->n_caches; k++) {
		struct mem_cache_model *model = &run->cache[k];
		uint64_t *sets = cache_of(run, k, step->hart), n = model->sets;
		if (!sets)
			return CAIRN_E_NOMEM;
		uint64_t first = step->addr >> model->shift,
				 lines =
					 ((step->addr + (step->size ? step->size - 1 : 0)) >> model->shift) - first + 1;
		for (uint64_t i = 0; i < lines; i++) {
			uint64_t line = first + i;
			sum->probes[k][step->write]++;
			if (line + 1 == model->last_tag)
				continue;
			model->last_tag = line + 1;
			uint64_t set = n & (n - 1) ? line % n : line & (n - 1);
			/* tags begin at 1, so that 0 is an empty way */
			sum->misses[k][step->write] +=
				!cache_touch(sets + set * model->ways, (size_t)model->ways, line + 1);
		}
	}
	return 0;
}

int mem_caches_add(struct mem_run *run, const struct cairn_cache *cache)
{
	struct mem_cache_model *model = &run->cache[run->n_caches];
	*model =
		(struct mem_cache_model){.size = cache->size, .ways = cache->ways, .line = cache->line};
	if (!model->line || model->line & (model->line - 1) || !model->ways ||
	    model->size > (uint64_t)1 << 32 || model->ways > model->size || model->line > model->size ||
	    model->size % (model->ways * model->line) || !model->size)
		return base_fail(run->cairn, CAIRN_E_INVAL,
		                 "a cache of %llu bytes, %llu ways and lines of %llu bytes "
		                 "cannot be: a line is a power of two, and sets of whole lines fill it",
		                 (unsigned long long)cache->size, (unsigned long long)cache->ways,
		                 (unsigned long long)cache->line);
	model->sets = model->size / model->line / model->ways;
	model->shift = (unsigned)__builtin_ctzll(model->line);
	run->n_caches++;
	return 0;
}

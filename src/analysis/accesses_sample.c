/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: a part looks at samples of accesses.
 *
 * Sums and sizes count all accesses. What needs a table is estimated from samples: the number of
 * lines, sharing, distances and forwarding from one line of so many, and the number of pages from
 * one of MEM_PAGE_SAMPLE. The address decides what is in these samples, so that all touches of a
 * sampled line or page are seen. What is used most comes from one stretch of instructions in
 * MEM_STRETCHES.
 *
 * So most accesses are only counted, in the batch, without looking for their instruction. A loop
 * without branches marks the samples, and only these are gathered. Special accesses (prefetches,
 * unknown addresses) and options that judge each access (a selection, caches) take the slower
 * way in accesses_feed.c, with the same results.
 */
#include <string.h>

#include "analysis/accesses.h"

enum { ODD = 16, KEYS = 17 };

/* The result of a look at a batch's accesses: how many of each kind (write, log2 of size, or ODD:
 * not aligned, or of another size), and those to be looked at again. */
struct look {
	uint32_t count[2][KEYS]; /* used in turn: no addition waits for the last */
	uint16_t again[CAIRN_CAP_MEMS + 1];
};

/* ---- samples ---- */

static int accesses_sample_take_pages(struct mem_near *near, uint64_t addr, uint64_t size)
{
	uint64_t last = analysis_last_byte(addr, size) / MEM_PAGE;
	for (uint64_t page = addr / MEM_PAGE; page <= last; page++)
		if (mem_page_sampled(page) && !base_map_at(&near->pages, page, 0))
			return CAIRN_E_NOMEM;
	return 0;
}

/* The instruction that an access belongs to: the last one whose accesses do not begin behind it. */
static uint32_t owner_of(const struct analysis_rows *rows, uint32_t index)
{
	const struct cairn_insn *in = rows->batch->insns;
	size_t lo = rows->from + 1u, hi = rows->to;
	while (lo < hi)
		base_halve(&lo, &hi, in[base_half(lo, hi)].mem0 <= index);
	return (uint32_t)lo - 1;
}

static inline bool is_even(const struct mem_run *run, const struct cairn_mem *mem)
{
	return mem->size - 1 < 16 && !(mem->addr & (mem->size - 1)) && !(mem->size & (mem->size - 1)) &&
	       run->line_shift >= 4;
}

/* Look at accesses [first, end). Returns how many have to be looked at again; UINT32_MAX if some
 * are not plain. */
static uint32_t accesses_sample_look_at(const struct mem_run *run, const struct cairn_mem *mems,
                                        uint32_t first, uint32_t end, struct look *look)
{
	uint32_t n = 0, strange = 0;
	memset(look->count, 0, sizeof look->count);
	for (uint32_t k = first; k < end; k++) {
		const struct cairn_mem *mem = &mems[k];
		bool even = is_even(run, mem);
		unsigned write = mem->kind == CAIRN_MEM_WRITE;
		unsigned at = even ? write * 8 + (unsigned)__builtin_ctz(mem->size) : ODD;
		strange |= !analysis_is_access(mem) || (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN);
		look->count[k & 1][at]++;
		look->again[n] = (uint16_t)k;
		unsigned line = mem_sampled(run, mem->addr >> run->line_shift),
				 page = mem_page_sampled(mem->addr / MEM_PAGE);
		n += (unsigned)!even | line | page; /* without a branch */
	}
	return strange ? UINT32_MAX : n;
}

static void add_counts(struct mem_count *n, const struct look *look)
{
	for (unsigned at = 0; at < ODD; at++) {
		uint64_t count = (uint64_t)look->count[0][at] + look->count[1][at], bytes = count << at % 8;
		n->sizes[at / 8][at % 8][0] += count;
		*(at / 8 ? &n->writes : &n->reads) += count;
		*(at / 8 ? &n->written_bytes : &n->read_bytes) += bytes;
	}
}

/* Those that are samples, and those not yet counted. */
static int look_again(struct mem_run *run, struct mem_part *part, const struct analysis_rows *rows,
                      const struct look *look, uint32_t n)
{
	struct mem_access *access = part->near->gathered;
	size_t gathered = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_mem *mem = &rows->batch->mems[look->again[i]];
		if (!is_even(run, mem))
			mem_count_access(run, &part->count, mem);
		if (accesses_sample_take_pages(part->near, mem->addr, mem->size) < 0)
			return CAIRN_E_NOMEM;
		if (is_even(run, mem) && !mem_sampled(run, mem->addr >> run->line_shift))
			continue;
		access[gathered++] = mem_access_of(rows->batch, owner_of(rows, look->again[i]), mem);
		if (gathered < MEM_GATHERED)
			continue;
		if (mem_take_samples(run, part, access, gathered) < 0)
			return CAIRN_E_NOMEM;
		gathered = 0;
	}
	return mem_take_samples(run, part, access, gathered);
}

/* (Loads and stores without an access matter only where there is none at all.) */
static void accesses_sample_count_insns(struct mem_count *count, const struct analysis_rows *rows)
{
	const struct cairn_insn *in = rows->batch->insns;
	uint64_t executed = 0, with = 0;
	for (uint32_t i = rows->from; i < rows->to; i++) {
		executed += !(in[i].flags & CAIRN_INSN_NOT_EXECUTED);
		with += in[i].mem0 != in[i + 1].mem0;
	}
	for (uint32_t i = rows->from; i < rows->to && !with; i++)
		count->silent += !(in[i].flags & CAIRN_INSN_NOT_EXECUTED) &&
		                 in[i].traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
	count->instructions += rows->to - rows->from;
	count->executed += executed;
	count->with_access += with;
}

/* ---- the long way ---- */

static int take_gathered(void *user, struct mem_run *run, const struct mem_access *access, size_t n)
{
	struct mem_part *part = user;
	for (size_t i = 0; i < n; i++)
		if (accesses_sample_take_pages(part->near, access[i].addr, access[i].size) < 0)
			return CAIRN_E_NOMEM;
	int rc = mem_take_samples(run, part, access, n);
	return rc < 0 ? rc : mem_take_steps(run, part, access, n);
}

/* ---- stretches ---- */

static int take_stretch(void *user, struct mem_run *run, const struct mem_access *access, size_t n)
{
	struct mem_part *part = user;
	struct mem_near *near = part->near;
	near->tally->taken += n;
	for (size_t i = 0; i < n; i++) {
		uint64_t line = access[i].addr >> run->line_shift, last = mem_last_line(run, &access[i]);
		for (; line <= last; line++)
			if (tally_take(&run->tally, near->tally, line, access[i].write, access[i].hart) < 0)
				return CAIRN_E_NOMEM;
	}
	return mem_take_sites(near, access, n);
}

/* Feed the parts of rows that lie in chosen stretches. */
static int feed_stretches(struct mem_run *run, struct mem_part *mem_part,
                          const struct analysis_rows *rows)
{
	struct analysis_rows part = *rows;
	struct mem_count counted_already = {0};
	for (uint32_t i = rows->from; i < rows->to; i = part.to) {
		uint64_t n = rows->batch->n0 + i - 1, left = MEM_STRETCH - n % MEM_STRETCH;
		part.from = i;
		part.to = left < rows->to - i ? i + (uint32_t)left : rows->to;
		mem_part->near->stretch = n / MEM_STRETCH;
		if (mem_stretch_chosen(n / MEM_STRETCH) &&
		    mem_gather(run, mem_part->near, &counted_already, &part, take_stretch, mem_part) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

int mem_feed_samples(struct mem_run *run, struct mem_part *part, const struct analysis_rows *rows)
{
	const struct cairn_batch *batch = rows->batch;
	struct look look;
	uint32_t again = UINT32_MAX;
	if (!rows->keep && !run->n_caches)
		again = accesses_sample_look_at(run, batch->mems, batch->insns[rows->from].mem0,
		                                batch->insns[rows->to].mem0, &look);
	int rc = 0;
	if (again == UINT32_MAX) {
		rc = mem_gather(run, part->near, &part->count, rows, take_gathered, part);
	} else {
		accesses_sample_count_insns(&part->count, rows);
		add_counts(&part->count, &look);
		rc = look_again(run, part, rows, &look, again);
	}
	return rc < 0 ? rc : feed_stretches(run, part, rows);
}

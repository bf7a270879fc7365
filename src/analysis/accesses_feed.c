/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: a part looks at accesses.
 *
 * The work for one access is small, so mispredicted branches and cache misses cost most. First,
 * loops without branches gather a few hundred accesses. Then each table takes all of them in
 * turn, and prefetches its rows for the accesses ahead.
 *
 * When distances are sampled or not wanted, nothing depends on the order in which lines are
 * touched, so all threads count lines in one table (tally.h).
 */
#include "analysis/accesses.h"

#include <string.h>

enum { SOON = 6, LATER = 14 };

/* ---- lines ---- */

/* The distance of a line. A line that the part touches for the first time gets it when the part is
 * joined. */
static inline int take_reuse(const struct mem_run *run, struct mem_part *part, const uint64_t *row)
{
	uint64_t distance = reuse_touch(&part->near->order, base_map_index(&part->near->lines, row));
	if (distance == REUSE_FAILED)
		return CAIRN_E_NOMEM;
	if (distance != REUSE_COLD)
		mem_distance(run, &part->count, distance);
	return 0;
}

static int accesses_feed_take_line(const struct mem_run *run, struct mem_part *part, uint64_t line,
                                   const struct mem_access *access)
{
	uint64_t *row = base_map_at(&part->near->lines, line, 0);
	if (!row)
		return CAIRN_E_NOMEM;
	struct mem_line *l = (void *)row;
	*(access->write ? &l->writes : &l->reads) += 1;
	*(access->write ? &l->writers : &l->readers) |= (uint64_t)1 << access->hart % MEM_HARTS;
	return run->sample && mem_sampled(run, line) ? take_reuse(run, part, row) : 0;
}

static int take_lines(const struct mem_run *run, struct mem_part *part,
                      const struct mem_access *access, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i + LATER < n) {
			base_map_expect(&part->near->lines, access[i + LATER].addr >> run->line_shift, 0);
			base_map_expect_row(&part->near->lines, access[i + SOON].addr >> run->line_shift, 0);
		}
		uint64_t last = mem_last_line(run, &access[i]);
		for (uint64_t line = access[i].addr >> run->line_shift; line <= last; line++)
			if (accesses_feed_take_line(run, part, line, &access[i]) < 0)
				return CAIRN_E_NOMEM;
	}
	return 0;
}

/* The same where lines are counted together: the part itself keeps only those sampled. */
static int tally_lines(struct mem_run *run, struct mem_part *part, const struct mem_access *access,
                       size_t n)
{
	struct tally_near *near = part->near->tally;
	near->taken += n;
	for (size_t i = 0; i < n; i++) {
		uint64_t last = mem_last_line(run, &access[i]);
		for (uint64_t line = access[i].addr >> run->line_shift; line <= last; line++) {
			if (tally_take(&run->tally, near, line, access[i].write, access[i].hart) < 0)
				return CAIRN_E_NOMEM;
			if (__builtin_expect(!mem_sampled(run, line), 1))
				continue;
			const uint64_t *row = base_map_at(&part->near->lines, line, 0);
			if (!row || take_reuse(run, part, row) < 0)
				return CAIRN_E_NOMEM;
		}
	}
	return 0;
}

/* ---- instructions, and who touched the bytes ---- */

/* The row of an instruction. Code is dense, so the low bits of its address say where it was
 * looked up last better than a hash does. */
static inline uint64_t *site_of(struct mem_near *near, uint64_t pc)
{
	uint32_t *at = &near->site_at[pc / 2 % MEM_SITES];
	uint64_t *row = *at < near->sites.n ? base_map_row(&near->sites, *at) : NULL;
	if (__builtin_expect(row && row[0] == pc, 1))
		return row + 2;
	row = base_map_at(&near->sites, pc, 0);
	*at = row ? (uint32_t)base_map_index(&near->sites, row) : 0;
	return row;
}

int mem_take_sites(struct mem_near *near, const struct mem_access *access, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (__builtin_expect(access[i].pc == MEM_NO_PC, 0))
			continue;
		uint64_t *site = site_of(near, access[i].pc);
		if (!site)
			return CAIRN_E_NOMEM;
		stride_take((void *)site, access[i].addr, access[i].size, access[i].write, near->stretch);
	}
	return 0;
}

static int take_load(struct mem_part *part, const struct mem_access *load)
{
	struct mem_near *near = part->near;
	struct touch_answer answer;
	if (touch_load(&near->touched, load->n, load->addr, load->size, &answer) < 0)
		return CAIRN_E_NOMEM;
	if (!load->size)
		return 0;
	/* Is everything before the part out of the window by now? */
	bool late = load->n - near->touched.first >= TOUCH_WINDOW;
	struct mem_pending ask = {.addr = load->addr,
	                          .n = load->n,
	                          .size = load->size,
	                          .store = !late && !answer.knows_store,
	                          .load = !late && !answer.knows_load};
	if (!ask.store)
		mem_stored(&part->count, &answer);
	if (!ask.load)
		mem_loaded(&part->count, &answer);
	return ask.store || ask.load ? base_buf_put(&near->pending, &ask, sizeof ask) : 0;
}

/* Stores into sampled lines count, and so do loads whose bytes all lie in such lines. */
static inline bool touches_sampled(const struct mem_run *run, const struct mem_access *access)
{
	uint64_t line = access->addr >> run->line_shift, last = mem_last_line(run, access);
	for (; line < last; line++)
		if (mem_sampled(run, line) == access->write)
			return access->write;
	return line > last ? !access->write : mem_sampled(run, line);
}

static int take_touched(const struct mem_run *run, struct mem_part *part,
                        const struct mem_access *access, size_t n)
{
	struct touch_table *table = &part->near->touched;
	for (size_t i = 0; i < n; i++) {
		if (run->sample > 1 && __builtin_expect(!touches_sampled(run, &access[i]), 1))
			continue;
		if (run->sample <= 1 && i + LATER < n)
			touch_expect(table, access[i + LATER].addr, access[i + SOON].addr);
		int rc = access[i].write ? touch_store(table, access[i].n, access[i].addr, access[i].size)
		                         : take_load(part, &access[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mem_take_samples(struct mem_run *run, struct mem_part *part, const struct mem_access *access,
                     size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t last = mem_last_line(run, &access[i]);
		for (uint64_t line = access[i].addr >> run->line_shift; line <= last; line++)
			if (mem_sampled(run, line) && accesses_feed_take_line(run, part, line, &access[i]) < 0)
				return CAIRN_E_NOMEM;
	}
	part->near->kept += n;
	return take_touched(run, part, access, n);
}

int mem_take_steps(struct mem_run *run, struct mem_part *part, const struct mem_access *access,
                   size_t n)
{
	int rc = 0;
	for (size_t i = 0; i < n && run->n_caches && rc >= 0; i++) {
		struct mem_step step = {access[i].addr, access[i].size, access[i].hart, access[i].write, 0};
		rc = base_buf_put(&part->near->steps, &step, sizeof step);
	}
	return rc;
}

static int take_all(void *user, struct mem_run *run, const struct mem_access *access, size_t n)
{
	struct mem_part *part = user;
	part->near->kept += n;
	int rc = mem_take_sites(part->near, access, n);
	if (rc >= 0)
		rc = part->near->tally ? tally_lines(run, part, access, n)
		                       : take_lines(run, part, access, n);
	if (rc >= 0)
		rc = take_touched(run, part, access, n);
	return rc < 0 ? rc : mem_take_steps(run, part, access, n);
}

/* ---- gathering ---- */

/* Count instructions, and note at each access the last instruction whose accesses begin there; 0
 * at an instruction's further accesses. (Writing it for each instruction costs less than asking
 * which have any.) */
static void accesses_feed_count_insns(struct mem_count *count, const struct analysis_rows *rows,
                                      uint16_t *owner)
{
	const struct cairn_insn *in = rows->batch->insns;
	uint32_t first = in[rows->from].mem0;
	uint64_t kept = 0, executed = 0, silent = 0;
	memset(owner, 0, (in[rows->to].mem0 - first + 1u) * sizeof *owner);
	for (uint32_t i = rows->from; i < rows->to; i++) {
		bool keep = !rows->keep || rows->keep[i], ran = !(in[i].flags & CAIRN_INSN_NOT_EXECUTED);
		bool data = in[i].traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE);
		owner[in[i].mem0 - first] = (uint16_t)i;
		kept += keep;
		executed += keep & ran;
		silent += keep & ran & data & (in[i].mem0 == in[i + 1].mem0);
	}
	count->instructions += kept;
	count->executed += executed;
	count->silent += silent;
}

/* Count what is not an access of an instruction. */
static void count_other(struct mem_count *count, const struct cairn_mem *mem)
{
	bool other = mem->initiator != CAIRN_BY_INSN || mem->flags & CAIRN_VALUE_NOT_WRITTEN;
	*(other                             ? &count->others
	  : mem->kind == CAIRN_MEM_PREFETCH ? &count->prefetches
	  : mem->kind == CAIRN_MEM_FETCH    ? &count->fetches
	                                    : &count->others) += 1;
}

static void count_size(const struct mem_run *run, struct mem_count *count,
                       const struct cairn_mem *mem)
{
	bool write = mem->kind == CAIRN_MEM_WRITE;
	uint64_t size = mem->size, last = mem->addr + (size ? size - 1 : 0);
	bool power = size && !(size & (size - 1)), unaligned = power && mem->addr & (size - 1);
	unsigned at = power ? (unsigned)__builtin_ctzll(size) : MEM_SIZES - 1;
	at = at < MEM_SIZES - 1 ? at : MEM_SIZES - 1;
	count->sizes[write][at][unaligned]++;
	count->unaligned += unaligned;
	count->cross_line += mem->addr >> run->line_shift != last >> run->line_shift;
	count->cross_page += mem->addr / MEM_PAGE != last / MEM_PAGE;
}

bool mem_count_access(const struct mem_run *run, struct mem_count *count,
                      const struct cairn_mem *mem)
{
	bool write = mem->kind == CAIRN_MEM_WRITE;
	uint64_t size = mem->size;
	*(write ? &count->writes : &count->reads) += 1;
	*(write ? &count->written_bytes : &count->read_bytes) += size;
	if (!size)
		count->no_size++;
	if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN) {
		count->no_address++;
		return false;
	}
	/* An aligned access of up to eight bytes, as most are, crosses no line. */
	if (__builtin_expect(size - 1 < 16 && !(mem->addr & (size - 1)) && !(size & (size - 1)), 1) &&
	    run->line_shift >= 4)
		count->sizes[write][__builtin_ctzll(size)][0]++;
	else
		count_size(run, count, mem);
	return true;
}

/* Gather accesses [k, end) of a batch, from place `index` on; stops when enough are gathered. */
static uint32_t accesses_feed_gather(const struct mem_run *run, struct mem_near *near,
                                     struct mem_count *count, const struct analysis_rows *rows,
                                     uint32_t index, uint32_t *at, size_t *n)
{
	const struct cairn_batch *batch = rows->batch;
	uint32_t first = batch->insns[rows->from].mem0, end = batch->insns[rows->to].mem0;
	const uint16_t *owner = near->owner;
	struct mem_access *access = near->gathered;
	uint64_t with = 0;
	for (*n = 0; index < end && *n < MEM_GATHERED; index++) {
		const struct cairn_mem *mem = &batch->mems[index];
		uint32_t i = owner[index - first] > *at ? owner[index - first] : *at;
		*at = i;
		if (rows->keep && !rows->keep[i])
			continue;
		if (__builtin_expect(!analysis_is_access(mem), 0)) {
			count_other(count, mem);
			continue;
		}
		with += near->counted != batch->n0 + i;
		near->counted = batch->n0 + i;
		if (mem_count_access(run, count, mem))
			access[(*n)++] = mem_access_of(batch, i, mem);
	}
	count->with_access += with;
	return index;
}

int mem_gather(struct mem_run *run, struct mem_near *near, struct mem_count *count,
               const struct analysis_rows *rows, mem_take_fn *take, void *user)
{
	const struct cairn_insn *in = rows->batch->insns;
	uint32_t k = in[rows->from].mem0, end = in[rows->to].mem0, at = rows->from;
	accesses_feed_count_insns(count, rows, near->owner);
	while (k < end) {
		size_t gathered;
		k = accesses_feed_gather(run, near, count, rows, k, &at, &gathered);
		if (take(user, run, near->gathered, gathered) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

/* Only reuse distances are wanted: accesses [k, end) without the lines that have none. */
static int feed_reuse(const struct mem_run *run, struct mem_part *part,
                      const struct cairn_batch *batch, uint32_t index, uint32_t end)
{
	struct base_map *lines = &part->near->lines;
	for (; index < end; index++) {
		const struct cairn_mem *mem = &batch->mems[index];
		bool unknown = mem->flags & CAIRN_VALUE_ADDR_UNKNOWN;
		if (!analysis_is_access(mem))
			continue;
		part->count.no_address += unknown;
		if (run->sample == 1 && index + LATER < batch->n_mems) {
			base_map_expect(lines, batch->mems[index + LATER].addr >> run->line_shift, 0);
			base_map_expect_row(lines, batch->mems[index + SOON].addr >> run->line_shift, 0);
		}
		uint64_t last = analysis_last_byte(mem->addr, mem->size) >> run->line_shift;
		for (uint64_t line = mem->addr >> run->line_shift; line <= last && !unknown; line++) {
			if (!mem_sampled(run, line))
				continue;
			part->near->kept++;
			const uint64_t *row = base_map_at(lines, line, 0);
			if (!row || take_reuse(run, part, row) < 0)
				return CAIRN_E_NOMEM;
		}
	}
	return 0;
}

/* Few traces have such harts, and then few batches lack them. */
static void count_far(struct mem_count *count, const struct analysis_rows *rows)
{
	const struct cairn_batch *batch = rows->batch;
	bool any = false;
	for (uint32_t k = 0; k < batch->n_ctxs; k++)
		any |= batch->ctxs[k].known & CAIRN_CTX_HART && batch->ctxs[k].hart >= MEM_HARTS;
	for (uint32_t i = rows->from; i < rows->to && any; i++) {
		const struct cairn_ctx *ctx = &batch->ctxs[batch->insns[i].ctx];
		count->far += ctx->known & CAIRN_CTX_HART && ctx->hart >= MEM_HARTS &&
		              batch->insns[i].mem0 != batch->insns[i + 1].mem0 &&
		              (!rows->keep || rows->keep[i]);
	}
}

int mem_feed(struct mem_run *run, struct mem_part *part, const struct analysis_rows *rows)
{
	const struct cairn_batch *batch = rows->batch;
	count_far(&part->count, rows);
	if (run->only_reuse && !rows->keep)
		return feed_reuse(run, part, batch, batch->insns[rows->from].mem0,
		                  batch->insns[rows->to].mem0);
	for (uint32_t i = rows->from; i < rows->to && run->only_reuse; i++)
		if (rows->keep[i] &&
		    feed_reuse(run, part, batch, batch->insns[i].mem0, batch->insns[i + 1].mem0) < 0)
			return CAIRN_E_NOMEM;
	if (run->only_reuse)
		return 0;
	if ((run->estimate ? mem_feed_samples(run, part, rows)
	                   : mem_gather(run, part->near, &part->count, rows, take_all, part)) < 0)
		return CAIRN_E_NOMEM;
	if (part->near->tally && part->near->tally->taken >> (TALLY_COUNT - 1))
		return tally_give_all(&run->tally, part->near->tally);
	return 0;
}

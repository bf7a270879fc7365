/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an index remembers of a span, gathered batch by batch.
 *
 * Everything here may say "maybe" or "not known" too often, never too seldom: a
 * page set that grows too large becomes all pages, and after a gap nothing is known
 * of registers. What a slot tells of those is in state.c: a state by index must be the
 * state by reading. Walks are kept as they stand; index_build.c keeps the last ones.
 */
#include <string.h>

#include "analysis/index.h"

static size_t index_gather_spread(uint64_t key, size_t cap)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
}

/* ---- pages ---- */

void index_pages_free(struct index_pages *pages)
{
	base_free(pages->cairn, pages->rows);
	pages->rows = NULL;
	pages->cap = pages->n = 0;
}

static void all_pages(struct index_pages *pages)
{
	index_pages_free(pages);
	pages->any = true;
}

static int index_gather_put_page(struct index_pages *pages, uint64_t row)
{
	if (2 * pages->n >= pages->cap) {
		struct index_pages more = *pages;
		more.cap = pages->cap ? 2 * pages->cap : 256;
		more.n = 0;
		more.rows = base_alloc(pages->cairn, more.cap * sizeof *more.rows);
		if (!more.rows)
			return CAIRN_E_NOMEM;
		for (size_t i = 0; i < pages->cap; i++)
			if (pages->rows[i])
				index_gather_put_page(&more, pages->rows[i]);
		base_free(pages->cairn, pages->rows);
		*pages = more;
	}
	size_t i = index_gather_spread(row, pages->cap);
	while (pages->rows[i] && pages->rows[i] != row)
		i = (i + 1) & (pages->cap - 1);
	pages->n += pages->rows[i] == 0;
	pages->rows[i] = row;
	if (pages->n > INDEX_MOST_PAGES)
		all_pages(pages);
	return 0;
}

int index_pages_add(struct index_pages *pages, uint64_t addr, uint64_t size)
{
	enum { MOST = 4096 };
	uint64_t last = size && size - 1 <= UINT64_MAX - addr ? addr + size - 1 : addr;
	uint64_t page = addr >> pages->bits;
	last >>= pages->bits;
	if (pages->any || (pages->last == page + 1 && page == last))
		return 0;
	if (last - page >= MOST || (size && size - 1 > UINT64_MAX - addr)) {
		all_pages(pages);
		return 0;
	}
	int rc = 0;
	for (; page <= last && !pages->any && rc >= 0; page++)
		rc = index_gather_put_page(pages, page + 1);
	pages->last = last + 1;
	return rc;
}

int index_pages_join(struct index_pages *to, const struct index_pages *from)
{
	int rc = 0;
	if (from->any)
		all_pages(to);
	for (size_t i = 0; i < from->cap && !to->any && rc >= 0; i++)
		if (from->rows[i])
			rc = index_gather_put_page(to, from->rows[i]);
	to->last = 0;
	return rc;
}

/* ---- a part ---- */

struct index_part *index_part_new(struct cairn *cairn, struct isa_written_memo *memo,
                                  const struct model_format *format)
{
	struct index_part *part = base_alloc(cairn, sizeof *part);
	if (!part)
		return NULL;
	base_buf_init(&part->state, cairn);
	base_buf_init(&part->walks, cairn);
	part->regs.cairn = part->reads.cairn = part->writes.cairn = part->memory.cairn = cairn;
	part->regs.part = true;
	part->telling.memo = memo;
	part->telling.silent = format->silent;
	part->telling.switches = format->switches;
	part->reads.bits = INDEX_READ_BITS;
	part->writes.bits = INDEX_WRITE_BITS;
	part->record = part->offset = UINT64_MAX;
	return part;
}

static void free_memory(struct index_part *part)
{
	for (size_t i = 0; i < part->n_arrivals; i++)
		memory_free(&part->arrivals[i].memory);
	memory_free(&part->memory);
}

void index_part_free(struct cairn *cairn, struct index_part *part)
{
	if (!part)
		return;
	base_buf_free(&part->state);
	base_buf_free(&part->walks);
	regs_free(&part->regs);
	free_memory(part);
	base_free(cairn, part->arrivals);
	index_pages_free(&part->reads);
	index_pages_free(&part->writes);
	base_free(cairn, part);
}

static void index_gather_note_written(struct index_part *part, unsigned cls, unsigned num)
{
	unsigned bit = index_reg_bit(cls, num);
	part->mask[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* Which registers a slot writes, told or not, and what is known of any behind it. */
static int see_regs(struct index_part *part, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++)
		if (batch->regs[k].role == CAIRN_ROLE_DST || batch->regs[k].role == CAIRN_ROLE_UNKNOWN)
			index_gather_note_written(part, batch->regs[k].cls, batch->regs[k].num);
	if (model_slot_runs(batch, slot) &&
	    !(insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES))) {
		const struct isa_written *written = isa_written_get(
			part->telling.memo, (enum cairn_isa)(insn->isa | insn->variant), insn->enc, insn->size);
		for (unsigned k = 0; k < written->n; k++)
			for (unsigned n = 0; n < written->reg[k].count && written->reg[k].sure; n++)
				index_gather_note_written(part, written->reg[k].cls, written->reg[k].num + n);
	}
	int rc = state_slot_reads(batch, slot)
	             ? state_slot_regs(&part->regs, batch, slot, STATE_BEFORE, &part->telling)
	             : 0;
	return rc < 0 ? rc : state_slot_regs(&part->regs, batch, slot, STATE_WRITTEN, &part->telling);
}

static int see_pages(struct index_pages *pages, const struct cairn_mem *mem)
{
	bool va = !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN), pa = mem->flags & CAIRN_VALUE_PA;
	int rc = va ? index_pages_add(pages, mem->addr, mem->size) : 0;
	if (rc >= 0 && pa)
		rc = index_pages_add(pages, mem->pa, mem->size);
	if (!va && !pa)
		all_pages(pages);
	return rc;
}

static int index_gather_see_mem(struct index_part *part, const struct cairn_mem *mem)
{
	int rc = 0;
	if (mem->kind != CAIRN_MEM_WRITE)
		rc = see_pages(&part->reads, mem);
	if (rc >= 0 && (mem->kind == CAIRN_MEM_WRITE || mem->kind == CAIRN_MEM_UNKNOWN))
		rc = see_pages(&part->writes, mem);
	return rc;
}

/* ---- walks ---- */

/* A walk as it will stand in the index. */
static int see_walk(struct index_part *part, const struct cairn_batch *batch, uint32_t slot,
                    const struct cairn_event *event)
{
	static const struct cairn_ctx none;
	const struct cairn_insn *insn = &batch->insns[slot];
	uint8_t raw[INDEX_LEN_WALK] = {0}, arg[8];
	uint32_t n = event->args <= batch->n_bytes && event->len <= batch->n_bytes - event->args
	                 ? event->len / 8
	                 : 0;
	struct cairn_space space =
		cairn_space_of(insn->ctx < batch->n_ctxs ? &batch->ctxs[insn->ctx] : &none);
	index_put_WALK_va(raw, event->code);
	index_put_WALK_number(raw, batch->n0 + slot);
	index_put_space(raw + INDEX_SPACE_OF_WALK, &space);
	index_put_WALK_args(raw, n);
	int rc = base_buf_put(&part->walks, raw, sizeof raw);
	for (uint32_t k = 0; k < n && rc >= 0; k++) {
		base_put_le64(arg, cairn_event_arg(batch, event, k));
		rc = base_buf_put(&part->walks, arg, sizeof arg);
	}
	part->n_walks++;
	return rc;
}

static int see_events(struct index_part *part, const struct cairn_batch *batch, uint32_t slot)
{
	int rc = 0;
	for (uint32_t k = batch->insns[slot].ev0; k < batch->insns[slot + 1].ev0 && rc >= 0; k++)
		if (batch->events[k].kind == CAIRN_EV_PAGE_WALK)
			rc = see_walk(part, batch, slot, &batch->events[k]);
	return rc;
}

/* Where something is missing, what registers held is not known any more. */
static void see_loss(struct index_part *part, const struct cairn_batch *batch, uint32_t slot,
                     bool behind)
{
	if (!model_slot_lacks(batch, slot, behind))
		return;
	regs_lose(&part->regs);
	memory_clear(&part->memory);
	part->cleared = true;
}

/* ---- where harts go on ---- */

/* What is known of memory from here on is gathered anew. */
static int put_arrival(struct index_part *part, const struct cairn_batch *batch, uint32_t slot)
{
	struct cairn *cairn = part->memory.cairn;
	int rc = base_grow(cairn, &part->arrivals, &part->cap_arrivals, part->n_arrivals,
	                   sizeof *part->arrivals, 8);
	if (rc < 0)
		return rc;
	struct index_arrival *arrival = &part->arrivals[part->n_arrivals++];
	*arrival = (struct index_arrival){.pc = batch->insns[slot].pc,
	                                  .n = batch->n0 + slot,
	                                  .hart = model_slot_ctx(batch, slot)->hart,
	                                  .memory = part->memory};
	part->memory = (struct memory){.cairn = cairn,
	                               .max_bytes = arrival->memory.max_bytes,
	                               .remember = arrival->memory.remember};
	return 0;
}

static int see_arrival(struct index_part *part, const struct cairn_batch *batch, uint32_t slot)
{
	int arrival = state_arrive(&part->regs, batch, slot, &part->telling);
	if (arrival == MODEL_SWITCHES && !part->cleared)
		return put_arrival(part, batch, slot);
	if (arrival <= MODEL_GOES_ON)
		return arrival;
	memory_clear(&part->memory);
	return state_forget_hart(&part->regs, batch, slot);
}

/* Memory of one part may be no more than this; a part is some ten thousand instructions. */
enum { MOST_MEMORY = 128 << 20 };

void index_part_remember(struct index_part *part, bool big_endian)
{
	part->memory.remember = part->memory_is_told = true;
	part->memory.max_bytes = MOST_MEMORY;
	part->telling.big = big_endian;
}

static int see_memory(struct index_part *part, const struct cairn_batch *batch, uint32_t slot)
{
	int rc = state_slot_mems(&part->memory, batch, slot, false, &part->telling);
	if (rc >= 0)
		rc = state_slot_mems(&part->memory, batch, slot, true, &part->telling);
	if (rc != CAIRN_E_LIMIT)
		return rc;
	free_memory(part);
	part->memory_is_told = false;
	return 0;
}

int index_part_feed(struct index_part *part, const struct cairn_batch *batch)
{
	int rc = 0;
	if (!part->seen && (batch->have & CAIRN_PLACES)) {
		part->record = batch->rec0;
		part->offset = batch->off0;
	}
	part->seen = true;
	part->count += batch->n_insns ? batch->n_insns : batch->n_xacts;
	for (uint32_t slot = 0; slot <= batch->n_insns && rc >= 0; slot++) {
		const struct cairn_insn *insn = &batch->insns[slot];
		bool events = insn[0].ev0 != insn[1].ev0;
		if (events) {
			see_loss(part, batch, slot, false);
			rc = see_events(part, batch, slot);
		}
		if (rc >= 0)
			rc = see_arrival(part, batch, slot);
		if (rc >= 0)
			rc = see_regs(part, batch, slot);
		if (rc >= 0 && part->memory_is_told &&
		    (insn[0].mem0 != insn[1].mem0 || insn->traits & CAIRN_TRAIT_STORE))
			rc = see_memory(part, batch, slot);
		if (events)
			see_loss(part, batch, slot, true);
	}
	for (uint32_t k = 0; k < batch->n_mems && rc >= 0; k++)
		rc = index_gather_see_mem(part, &batch->mems[k]);
	model_tally_batch(&part->tally, batch, NULL);
	return rc;
}

int index_part_join(struct index_part *part, const struct index_part *next)
{
	part->count += next->count;
	for (size_t i = 0; i < INDEX_MASK; i++)
		part->mask[i] |= next->mask[i];
	model_tally_add(&part->tally, &next->tally);
	int rc = base_buf_put(&part->walks, next->walks.data, next->walks.len);
	part->n_walks += next->n_walks;
	if (rc >= 0)
		rc = index_pages_join(&part->reads, &next->reads);
	return rc < 0 ? rc : index_pages_join(&part->writes, &next->writes);
}

int index_part_apply(struct index_part *part, struct regs *regs)
{
	const struct isa_written_reg all = {.cls = ISA_ANY_CLASS, .count = ISA_ALL_NUMBERS};
	int rc = 0;
	for (size_t i = 0; i < part->n_arrivals && rc >= 0; i++) {
		struct index_arrival *arrival = &part->arrivals[i];
		arrival->resumes = regs_resumes(regs, arrival->hart, arrival->pc) > 0;
		if (!arrival->resumes)
			rc = regs_forget(regs, arrival->hart, &all, arrival->n);
	}
	if (part->cleared) {
		regs_clear(regs);
		regs->lost = false;
	}
	return rc < 0 ? rc : regs_apply(regs, &part->regs);
}

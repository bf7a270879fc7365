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

void index_pages_free(struct index_pages *s)
{
	base_free(s->c, s->rows);
	s->rows = NULL;
	s->cap = s->n = 0;
}

static void all_pages(struct index_pages *s)
{
	index_pages_free(s);
	s->any = true;
}

static int index_gather_put_page(struct index_pages *s, uint64_t row)
{
	if (2 * s->n >= s->cap) {
		struct index_pages more = *s;
		more.cap = s->cap ? 2 * s->cap : 256;
		more.n = 0;
		more.rows = base_alloc(s->c, more.cap * sizeof *more.rows);
		if (!more.rows)
			return CAIRN_E_NOMEM;
		for (size_t i = 0; i < s->cap; i++)
			if (s->rows[i])
				index_gather_put_page(&more, s->rows[i]);
		base_free(s->c, s->rows);
		*s = more;
	}
	size_t i = index_gather_spread(row, s->cap);
	while (s->rows[i] && s->rows[i] != row)
		i = (i + 1) & (s->cap - 1);
	s->n += s->rows[i] == 0;
	s->rows[i] = row;
	if (s->n > INDEX_MOST_PAGES)
		all_pages(s);
	return 0;
}

int index_pages_add(struct index_pages *s, uint64_t addr, uint64_t size)
{
	enum { MOST = 4096 };
	uint64_t last = size && size - 1 <= UINT64_MAX - addr ? addr + size - 1 : addr;
	uint64_t page = addr >> s->bits;
	last >>= s->bits;
	if (s->any || (s->last == page + 1 && page == last))
		return 0;
	if (last - page >= MOST || (size && size - 1 > UINT64_MAX - addr)) {
		all_pages(s);
		return 0;
	}
	int rc = 0;
	for (; page <= last && !s->any && rc >= 0; page++)
		rc = index_gather_put_page(s, page + 1);
	s->last = last + 1;
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

struct index_part *index_part_new(struct cairn *c, struct isa_written_memo *memo, bool silent)
{
	struct index_part *p = base_alloc(c, sizeof *p);
	if (!p)
		return NULL;
	base_buf_init(&p->state, c);
	base_buf_init(&p->walks, c);
	p->regs.c = p->reads.c = p->writes.c = p->memory.c = c;
	p->regs.part = true;
	p->telling.memo = memo;
	p->telling.silent = silent;
	p->reads.bits = INDEX_READ_BITS;
	p->writes.bits = INDEX_WRITE_BITS;
	p->record = p->offset = UINT64_MAX;
	return p;
}

void index_part_free(struct cairn *c, struct index_part *p)
{
	if (!p)
		return;
	base_buf_free(&p->state);
	base_buf_free(&p->walks);
	regs_free(&p->regs);
	memory_free(&p->memory);
	index_pages_free(&p->reads);
	index_pages_free(&p->writes);
	base_free(c, p);
}

static void index_gather_note_written(struct index_part *p, unsigned cls, unsigned num)
{
	unsigned bit = index_reg_bit(cls, num);
	p->mask[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* Which registers a slot writes, told or not, and what is known of any behind it. */
static int see_regs(struct index_part *p, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	for (uint32_t k = i->reg0; k < i[1].reg0; k++)
		if (b->regs[k].role == CAIRN_ROLE_DST || b->regs[k].role == CAIRN_ROLE_UNKNOWN)
			index_gather_note_written(p, b->regs[k].cls, b->regs[k].num);
	if (state_slot_runs(b, slot) && !(i->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES))) {
		const struct isa_written *w = isa_written_get(
			p->telling.memo, (enum cairn_isa)(i->isa | i->variant), i->enc, i->size);
		for (unsigned k = 0; k < w->n; k++)
			for (unsigned n = 0; n < w->reg[k].count && w->reg[k].sure; n++)
				index_gather_note_written(p, w->reg[k].cls, w->reg[k].num + n);
	}
	int rc = state_slot_reads(b, slot)
	             ? state_slot_regs(&p->regs, b, slot, STATE_BEFORE, &p->telling)
	             : 0;
	return rc < 0 ? rc : state_slot_regs(&p->regs, b, slot, STATE_WRITTEN, &p->telling);
}

static int see_pages(struct index_pages *s, const struct cairn_mem *m)
{
	bool va = !(m->flags & CAIRN_VALUE_ADDR_UNKNOWN), pa = m->flags & CAIRN_VALUE_PA;
	int rc = va ? index_pages_add(s, m->addr, m->size) : 0;
	if (rc >= 0 && pa)
		rc = index_pages_add(s, m->pa, m->size);
	if (!va && !pa)
		all_pages(s);
	return rc;
}

static int index_gather_see_mem(struct index_part *p, const struct cairn_mem *m)
{
	int rc = 0;
	if (m->kind != CAIRN_MEM_WRITE)
		rc = see_pages(&p->reads, m);
	if (rc >= 0 && (m->kind == CAIRN_MEM_WRITE || m->kind == CAIRN_MEM_UNKNOWN))
		rc = see_pages(&p->writes, m);
	return rc;
}

/* ---- walks ---- */

/* A walk as it will stand in the index. */
static int see_walk(struct index_part *p, const struct cairn_batch *b, uint32_t slot,
                    const struct cairn_event *e)
{
	static const struct cairn_ctx none;
	const struct cairn_insn *i = &b->insns[slot];
	uint8_t raw[INDEX_WALK] = {0};
	uint32_t n = e->args <= b->n_bytes && e->len <= b->n_bytes - e->args ? e->len / 8 : 0;
	struct cairn_space space = cairn_space_of(i->ctx < b->n_ctxs ? &b->ctxs[i->ctx] : &none);
	base_put_le64(raw + INDEX_WALK_VA, e->code);
	base_put_le64(raw + INDEX_WALK_NUMBER, b->n0 + slot);
	base_put_le32(raw + INDEX_WALK_KIND, space.kind);
	base_put_le32(raw + INDEX_WALK_ID, space.id);
	base_put_le32(raw + INDEX_WALK_VMID, space.vmid);
	base_put_le32(raw + INDEX_WALK_ARGS, n);
	int rc = base_buf_put(&p->walks, raw, sizeof raw);
	for (uint32_t k = 0; k < n && rc >= 0; k++) {
		base_put_le64(raw, cairn_event_arg(b, e, k));
		rc = base_buf_put(&p->walks, raw, 8);
	}
	p->n_walks++;
	return rc;
}

static int see_events(struct index_part *p, const struct cairn_batch *b, uint32_t slot)
{
	int rc = 0;
	for (uint32_t k = b->insns[slot].ev0; k < b->insns[slot + 1].ev0 && rc >= 0; k++)
		if (b->events[k].kind == CAIRN_EV_PAGE_WALK)
			rc = see_walk(p, b, slot, &b->events[k]);
	return rc;
}

/* Something is missing, instructions before a slot (GAP) or parts of it (DAMAGE): what
 * registers held is not known any more. */
static void see_loss(struct index_part *p, const struct cairn_batch *b, uint32_t slot,
                     enum cairn_event_kind kind)
{
	if (!state_slot_has(b, slot, kind))
		return;
	regs_clear(&p->regs);
	memory_clear(&p->memory);
	p->cleared = true;
}

/* Memory of one part may be no more than this; a part is some ten thousand instructions. */
enum { MOST_MEMORY = 128 << 20 };

void index_part_remember(struct index_part *p, bool big_endian)
{
	p->memory.remember = p->memory_is_told = true;
	p->memory.max_bytes = MOST_MEMORY;
	p->telling.big = big_endian;
}

static int see_memory(struct index_part *p, const struct cairn_batch *b, uint32_t slot)
{
	int rc = state_slot_mems(&p->memory, b, slot, false, &p->telling);
	if (rc >= 0)
		rc = state_slot_mems(&p->memory, b, slot, true, &p->telling);
	if (rc != CAIRN_E_LIMIT)
		return rc;
	memory_free(&p->memory);
	p->memory_is_told = false;
	return 0;
}

int index_part_feed(struct index_part *p, const struct cairn_batch *b)
{
	int rc = 0;
	if (!p->seen && (b->have & CAIRN_PLACES)) {
		p->record = b->rec0;
		p->offset = b->off0;
	}
	p->seen = true;
	p->count += b->n_insns ? b->n_insns : b->n_xacts;
	for (uint32_t slot = 0; slot <= b->n_insns && rc >= 0; slot++) {
		const struct cairn_insn *i = &b->insns[slot];
		bool events = i[0].ev0 != i[1].ev0;
		if (events) {
			see_loss(p, b, slot, CAIRN_EV_GAP);
			rc = see_events(p, b, slot);
		}
		if (rc >= 0)
			rc = see_regs(p, b, slot);
		if (rc >= 0 && p->memory_is_told &&
		    (i[0].mem0 != i[1].mem0 || i->traits & CAIRN_TRAIT_STORE ||
		     i->flags & CAIRN_INSN_DISCONTINUITY))
			rc = see_memory(p, b, slot);
		if (events)
			see_loss(p, b, slot, CAIRN_EV_DAMAGE);
	}
	for (uint32_t k = 0; k < b->n_mems && rc >= 0; k++)
		rc = index_gather_see_mem(p, &b->mems[k]);
	cairn_tally_batch(&p->tally, b, NULL);
	return rc;
}

int index_part_join(struct index_part *p, const struct index_part *next)
{
	p->count += next->count;
	for (size_t i = 0; i < INDEX_MASK; i++)
		p->mask[i] |= next->mask[i];
	cairn_tally_add(&p->tally, &next->tally);
	int rc = base_buf_put(&p->walks, next->walks.data, next->walks.len);
	p->n_walks += next->n_walks;
	if (rc >= 0)
		rc = index_pages_join(&p->reads, &next->reads);
	return rc < 0 ? rc : index_pages_join(&p->writes, &next->writes);
}

int index_part_apply(const struct index_part *p, struct regs *regs)
{
	if (p->cleared)
		regs_clear(regs);
	return regs_apply(regs, &p->regs);
}

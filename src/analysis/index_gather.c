/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an index remembers of a span, gathered batch by batch.
 *
 * Everything here may say "maybe" or "not known" too often, never too seldom: a
 * page set that grows too large becomes all pages, a register that is written
 * with a value nobody recorded becomes unknown, and after a gap all are.
 *
 * A register's value is known from being written, and also from being read or
 * told as state. Within an instruction what is read counts before what is written.
 */
#include <string.h>

#include "analysis/index.h"

static size_t spread(uint64_t key, size_t cap)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (cap - 1);
}

/* ---- registers ---- */

void index_regs_free(struct index_regs *m)
{
	base_free(m->c, m->rows);
	m->rows = NULL;
}

void index_regs_clear(struct index_regs *m)
{
	if (m->n)
		memset(m->rows, 0, m->cap * sizeof *m->rows);
	m->n = 0;
	m->full = false;
}

static struct index_reg *reg_slot(const struct index_regs *m, uint64_t key)
{
	size_t i = spread(key, m->cap);
	while (m->rows[i].key && m->rows[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->rows[i];
}

static int grow_regs(struct index_regs *m)
{
	struct index_regs more = {.c = m->c, .cap = m->cap ? 2 * m->cap : 256, .full = m->full};
	more.rows = base_alloc(m->c, more.cap * sizeof *more.rows);
	if (!more.rows)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->rows[i].key) {
			*reg_slot(&more, m->rows[i].key) = m->rows[i];
			more.n++;
		}
	base_free(m->c, m->rows);
	*m = more;
	return 0;
}

int index_regs_set(struct index_regs *m, uint64_t key, bool known, uint64_t value, uint8_t bits)
{
	if (2 * m->n >= m->cap) {
		int rc = grow_regs(m);
		if (rc < 0)
			return rc;
	}
	struct index_reg *row = reg_slot(m, key);
	if (!row->key && m->n == INDEX_MOST_REGS) {
		m->full = true;
		return 0;
	}
	m->n += row->key == 0;
	*row = (struct index_reg){.key = key, .value = value, .bits = bits, .known = known};
	return 0;
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

static int put_page(struct index_pages *s, uint64_t row)
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
				put_page(&more, s->rows[i]);
		base_free(s->c, s->rows);
		*s = more;
	}
	size_t i = spread(row, s->cap);
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
	enum { MOST = 64 };
	uint64_t last = size && size - 1 <= UINT64_MAX - addr ? addr + size - 1 : addr;
	uint64_t page = addr >> INDEX_PAGE_BITS;
	last >>= INDEX_PAGE_BITS;
	if (s->any || (s->last == page + 1 && page == last))
		return 0;
	if (last - page >= MOST || (size && size - 1 > UINT64_MAX - addr)) {
		all_pages(s);
		return 0;
	}
	int rc = 0;
	for (; page <= last && !s->any && rc >= 0; page++)
		rc = put_page(s, page + 1);
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
			rc = put_page(to, from->rows[i]);
	to->last = 0;
	return rc;
}

/* ---- a part ---- */

struct index_part *index_part_new(struct cairn *c)
{
	struct index_part *p = base_alloc(c, sizeof *p);
	if (!p)
		return NULL;
	base_buf_init(&p->state, c);
	p->regs.c = p->reads.c = p->writes.c = c;
	p->record = p->offset = UINT64_MAX;
	return p;
}

void index_part_free(struct cairn *c, struct index_part *p)
{
	if (!p)
		return;
	base_buf_free(&p->state);
	index_regs_free(&p->regs);
	index_pages_free(&p->reads);
	index_pages_free(&p->writes);
	base_free(c, p);
}

static int see_reg(struct index_part *p, uint16_t hart, const struct cairn_reg *r, bool executed)
{
	bool dst = r->role == CAIRN_ROLE_DST || r->role == CAIRN_ROLE_UNKNOWN;
	if (dst) {
		unsigned bit = index_reg_bit(r->cls, r->num);
		p->mask[bit / 64] |= (uint64_t)1 << bit % 64;
	}
	bool known = (r->flags & CAIRN_VALUE_KNOWN) && !(r->flags & CAIRN_VALUE_WIDE) && !r->lsb &&
	             r->bits <= 64;
	/* What an instruction that did not retire would have written is not there. */
	if (r->role == CAIRN_ROLE_READY || (!dst && !known))
		return 0;
	return index_regs_set(&p->regs, index_reg_key(hart, r->cls, r->num), known && (executed || !dst),
	                      r->value, (uint8_t)r->bits);
}

static int see_regs(struct index_part *p, const struct cairn_batch *b, uint32_t slot)
{
	const struct cairn_insn *i = &b->insns[slot];
	const struct cairn_ctx *x = i->ctx < b->n_ctxs ? &b->ctxs[i->ctx] : NULL;
	uint16_t hart = x && (x->known & CAIRN_CTX_HART) ? x->hart : CAIRN_INDEX_NO_HART;
	bool executed = !(i->flags & CAIRN_INSN_NOT_EXECUTED);
	int rc = 0;
	for (int written = 0; written < 2; written++)
		for (uint32_t k = i->reg0; k < i[1].reg0 && rc >= 0; k++) {
			const struct cairn_reg *r = &b->regs[k];
			bool dst = r->role == CAIRN_ROLE_DST || r->role == CAIRN_ROLE_UNKNOWN;
			if (dst == (written == 1))
				rc = see_reg(p, hart, r, executed);
		}
	return rc;
}

static int see_mem(struct index_part *p, const struct cairn_mem *m)
{
	int rc = 0;
	if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN) {
		if (m->kind != CAIRN_MEM_WRITE)
			all_pages(&p->reads);
		if (m->kind == CAIRN_MEM_WRITE || m->kind == CAIRN_MEM_UNKNOWN)
			all_pages(&p->writes);
		return 0;
	}
	if (m->kind != CAIRN_MEM_WRITE)
		rc = index_pages_add(&p->reads, m->addr, m->size);
	if (rc >= 0 && (m->kind == CAIRN_MEM_WRITE || m->kind == CAIRN_MEM_UNKNOWN))
		rc = index_pages_add(&p->writes, m->addr, m->size);
	return rc;
}

/* Something is missing, instructions before a slot (GAP) or parts of it (DAMAGE): what
 * registers held is not known any more. */
static void see_loss(struct index_part *p, const struct cairn_batch *b, uint32_t slot,
                     enum cairn_event_kind kind)
{
	for (uint32_t k = b->insns[slot].ev0; k < b->insns[slot + 1].ev0; k++)
		if (b->events[k].kind == kind) {
			index_regs_clear(&p->regs);
			p->cleared = true;
		}
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
		if (events)
			see_loss(p, b, slot, CAIRN_EV_GAP);
		if (i[0].reg0 != i[1].reg0)
			rc = see_regs(p, b, slot);
		if (events)
			see_loss(p, b, slot, CAIRN_EV_DAMAGE);
	}
	for (uint32_t k = 0; k < b->n_mems && rc >= 0; k++)
		rc = see_mem(p, &b->mems[k]);
	cairn_tally_batch(&p->tally, b, NULL);
	return rc;
}

int index_part_join(struct index_part *p, const struct index_part *next)
{
	p->count += next->count;
	for (size_t i = 0; i < INDEX_MASK; i++)
		p->mask[i] |= next->mask[i];
	cairn_tally_add(&p->tally, &next->tally);
	int rc = index_pages_join(&p->reads, &next->reads);
	return rc < 0 ? rc : index_pages_join(&p->writes, &next->writes);
}

int index_part_apply(const struct index_part *p, struct index_regs *regs)
{
	int rc = 0;
	if (p->cleared || p->regs.full)
		index_regs_clear(regs);
	for (size_t i = 0; i < p->regs.cap && rc >= 0; i++) {
		const struct index_reg *row = &p->regs.rows[i];
		if (row->key)
			rc = index_regs_set(regs, row->key, row->known, row->value, row->bits);
	}
	return rc;
}

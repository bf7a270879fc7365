/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of pages: the difference of physical and virtual addresses, told by
 * TLB records and by PAVADIFFs with the instruction behind them.
 *
 * Pages are 8 KiB; a larger TLB entry is kept under its own size and looked for when
 * the page itself is not known. Nothing is thrown out, and behind LIMIT no page is
 * added; so what is known does not depend on questions asked twice.
 */
#include "formats/rst/rules.h"

enum { FIRST = 256, LIMIT = 1 << 18, GLOBAL = 0x2000 };

void rst_pages_init(struct rst_pages *m, struct cairn *c)
{
	*m = (struct rst_pages){.c = c};
}

void rst_pages_free(struct rst_pages *m)
{
	base_free(m->c, m->key);
	base_free(m->c, m->diff);
	rst_pages_init(m, m->c);
}

/* Page, context, CPU, kind and size: they do not fit 64 bits, so the page's number is
 * mixed with the rest; two pages that meet would be taken for one. */
static uint64_t rules_pages_key_of(struct rst_page page, unsigned size)
{
	uint64_t rest =
		(uint64_t)page.context << 16 | (uint64_t)page.cpu << 4 | (page.data ? 4u : 0) | size;
	uint64_t key = (page.va >> (13 + 3 * size)) ^ rest * UINT64_C(0xd6e8feb86659fd93);
	return key ? key : 1;
}

static size_t rules_pages_find(const struct rst_pages *m, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (m->cap - 1);
	while (m->key[i] && m->key[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static int rules_pages_grow(struct rst_pages *m)
{
	struct rst_pages n = *m;
	n.cap = m->cap ? 2 * m->cap : FIRST;
	n.key = base_alloc(m->c, n.cap * sizeof *n.key);
	n.diff = base_alloc(m->c, n.cap * sizeof *n.diff);
	if (!n.key || !n.diff) {
		base_free(m->c, n.key);
		base_free(m->c, n.diff);
		return CAIRN_E_NOMEM;
	}
	for (size_t i = 0; i < m->cap; i++) {
		if (!m->key[i])
			continue;
		size_t k = rules_pages_find(&n, m->key[i]);
		n.key[k] = m->key[i];
		n.diff[k] = m->diff[i];
	}
	base_free(m->c, m->key);
	base_free(m->c, m->diff);
	*m = n;
	return 0;
}

static int rules_pages_put(struct rst_pages *m, uint64_t key, uint64_t diff)
{
	if (m->used * 3 >= m->cap * 2 && m->used < LIMIT) {
		int rc = rules_pages_grow(m);
		if (rc < 0)
			return rc;
	}
	size_t i = rules_pages_find(m, key);
	if (!m->key[i] && m->used == LIMIT)
		return 0;
	m->used += m->key[i] == 0;
	m->key[i] = key;
	m->diff[i] = diff;
	return 0;
}

int rst_pages_learn(struct rst_pages *m, struct rst_page page, uint64_t diff)
{
	return rules_pages_put(m, rules_pages_key_of(page, 0), diff);
}

static bool get(const struct rst_pages *m, uint64_t key, uint64_t *diff)
{
	size_t i = rules_pages_find(m, key);
	if (!m->key[i])
		return false;
	*diff = m->diff[i];
	return true;
}

bool rst_pages_know(const struct rst_pages *m, struct rst_page page, uint64_t *diff)
{
	if (!m->cap)
		return false;
	if (get(m, rules_pages_key_of(page, 0), diff))
		return true;
	for (unsigned global = 0; global <= m->globals; global++) {
		struct rst_page q = page;
		q.context = global ? GLOBAL : page.context;
		for (unsigned size = !global; size < 4; size++)
			if ((m->sizes >> size & 1) && get(m, rules_pages_key_of(q, size), diff))
				return true;
	}
	return false;
}

/* An entry of an UltraSPARC III, as the trace's are. */
int rst_pages_tlb(struct rst_pages *m, const uint8_t *p, unsigned cpu)
{
	uint64_t tag = base_be64(p + 8), tte = base_be64(p + 16);
	unsigned size = (unsigned)(tte >> 61) & 3;
	bool global = tte & 1;
	uint64_t span = ~((UINT64_C(1) << (13 + 3 * size)) - 1);
	struct rst_page page = {.va = tag & span,
	                        .cpu = cpu,
	                        .data = p[1] >> 6 & 1,
	                        .context = global ? GLOBAL : (unsigned)tag & 0x1fff};
	if ((p[1] >> 7) || !(tte >> 63))
		return 0;
	m->sizes |= (uint8_t)(1u << size);
	m->globals |= global;
	return rules_pages_put(m, rules_pages_key_of(page, size),
	                       (tte & UINT64_C(0x7ffffffe000) & span) - page.va);
}

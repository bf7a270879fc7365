/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of pages: the difference of physical and virtual addresses, told by
 * TLB records and by PAVADIFFs with the instruction behind them.
 *
 * Pages are 8 KiB; a larger TLB entry is kept under its own size and looked for when
 * the page itself is not known. Nothing is thrown out, and behind LIMIT no page is
 * added; so what is known does not depend on questions asked twice.
 */
#include "formats/rst/check/rules.h"

enum { FIRST = 256, LIMIT = 1 << 18, GLOBAL = 0x2000 };

void rst_pages_init(struct rst_pages *pages, struct cairn *cairn)
{
	*pages = (struct rst_pages){.cairn = cairn};
}

void rst_pages_free(struct rst_pages *pages)
{
	base_free(pages->cairn, pages->key);
	base_free(pages->cairn, pages->diff);
	rst_pages_init(pages, pages->cairn);
}

/* Page, context, CPU, kind and size do not fit into 64 bits, so the page's number is mixed with the
 * rest; two pages with the same key would be taken for one. */
static uint64_t rules_pages_key_of(struct rst_page page, unsigned size)
{
	uint64_t rest =
		(uint64_t)page.context << 16 | (uint64_t)page.cpu << 4 | (page.data ? 4u : 0) | size;
	uint64_t key = (page.va >> (13 + 3 * size)) ^ rest * UINT64_C(0xd6e8feb86659fd93);
	return key ? key : 1;
}

static size_t rules_pages_find(const struct rst_pages *pages, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (pages->cap - 1);
	while (pages->key[i] && pages->key[i] != key)
		i = (i + 1) & (pages->cap - 1);
	return i;
}

static int rules_pages_grow(struct rst_pages *pages)
{
	struct rst_pages n = *pages;
	n.cap = pages->cap ? 2 * pages->cap : FIRST;
	n.key = base_alloc(pages->cairn, n.cap * sizeof *n.key);
	n.diff = base_alloc(pages->cairn, n.cap * sizeof *n.diff);
	if (!n.key || !n.diff) {
		base_free(pages->cairn, n.key);
		base_free(pages->cairn, n.diff);
		return CAIRN_E_NOMEM;
	}
	for (size_t i = 0; i < pages->cap; i++) {
		if (!pages->key[i])
			continue;
		size_t k = rules_pages_find(&n, pages->key[i]);
		n.key[k] = pages->key[i];
		n.diff[k] = pages->diff[i];
	}
	base_free(pages->cairn, pages->key);
	base_free(pages->cairn, pages->diff);
	*pages = n;
	return 0;
}

static int rules_pages_put(struct rst_pages *pages, uint64_t key, uint64_t diff)
{
	if (pages->used * 3 >= pages->cap * 2 && pages->used < LIMIT) {
		int rc = rules_pages_grow(pages);
		if (rc < 0)
			return rc;
	}
	size_t i = rules_pages_find(pages, key);
	if (!pages->key[i] && pages->used == LIMIT)
		return 0;
	pages->used += pages->key[i] == 0;
	pages->key[i] = key;
	pages->diff[i] = diff;
	return 0;
}

int rst_pages_learn(struct rst_pages *pages, struct rst_page page, uint64_t diff)
{
	return rules_pages_put(pages, rules_pages_key_of(page, 0), diff);
}

static bool get(const struct rst_pages *pages, uint64_t key, uint64_t *diff)
{
	size_t i = rules_pages_find(pages, key);
	if (!pages->key[i])
		return false;
	*diff = pages->diff[i];
	return true;
}

bool rst_pages_know(const struct rst_pages *pages, struct rst_page page, uint64_t *diff)
{
	if (!pages->cap)
		return false;
	if (get(pages, rules_pages_key_of(page, 0), diff))
		return true;
	for (unsigned global = 0; global <= pages->globals; global++) {
		struct rst_page q = page;
		q.context = global ? GLOBAL : page.context;
		for (unsigned size = !global; size < 4; size++)
			if ((pages->sizes >> size & 1) && get(pages, rules_pages_key_of(q, size), diff))
				return true;
	}
	return false;
}

/* A TLB entry as an UltraSPARC III has it, which is what traces hold. */
int rst_pages_tlb(struct rst_pages *pages, const uint8_t *p, unsigned cpu)
{
	uint64_t tag = rst_TLB_tte_tag(p), tte = rst_TLB_tte_data(p);
	unsigned size = (unsigned)(tte >> 61) & 3;
	bool global = tte & 1;
	uint64_t span = ~((UINT64_C(1) << (13 + 3 * size)) - 1);
	struct rst_page page = {.va = tag & span,
	                        .cpu = cpu,
	                        .data = rst_TLB_tlb(p),
	                        .context = global ? GLOBAL : (unsigned)tag & 0x1fff};
	if (rst_TLB_op(p) || !(tte >> 63))
		return 0;
	pages->sizes |= (uint8_t)(1u << size);
	pages->globals |= global;
	return rules_pages_put(pages, rules_pages_key_of(page, size),
	                       (tte & UINT64_C(0x7ffffffe000) & span) - page.va);
}

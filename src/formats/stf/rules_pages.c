/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of page walks.
 *
 * A page is a number: its address by its size, the size's class, and the address
 * space mixed into the high bits. A global page (bit G of its leaf) is entered
 * without a space. A span keeps the pages it has walked and, in order, the accesses
 * to pages it has not; fold looks those up among the walks of the spans before.
 */
#include "base/bytes.h"
#include "formats/stf/rules.h"

enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_G = 32 };

/* Page sizes, their shifts, and how many PTEs lead to one: Sv39 or Sv32, and Sv48. */
static const struct {
	uint8_t shift, n39, n48;
	bool rv32;
} sizes[] = {
	{12, 3, 4, false}, {16, 3, 4, false}, {21, 2, 3, false}, {30, 1, 2, false},
	{12, 2, 2, true}, {22, 1, 1, true}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static uint64_t page_key(uint64_t addr, unsigned shift, uint64_t space)
{
	return ((addr >> shift) | (uint64_t)shift << 54) ^ (space * UINT64_C(0x9e3779b97f4a7c15) << 20);
}

/* What tells address spaces apart, as far as the trace tells them. */
static uint64_t space_of(const struct stf_walk *w)
{
	const struct cairn_ctx *c = &w->at.ctx;
	return w->cfg->new_ids ? c->pid : (uint64_t)c->asid << 32 | c->vmid;
}

/* ---- the walk record ---- */

static void judge_size(struct stf_walk *w, const uint8_t *p, struct stf_spot at, int *shift)
{
	uint32_t size = base_le32(p + 17);
	unsigned n = p[21];
	bool rv32 = w->at.isa == CAIRN_ISA_RV32;
	*shift = -1;
	for (unsigned i = 0; i < SIZES; i++) {
		if (sizes[i].rv32 != rv32 || size != 1u << sizes[i].shift)
			continue;
		*shift = sizes[i].shift;
		if (n != sizes[i].n39 && n != sizes[i].n48)
			FIND(w, WALK_DEPTH, at, "%u PTEs lead to a page of %u bytes", n, size);
		return;
	}
	FIND(w, WALK_SIZE, at, "no page of %s has %u bytes", rv32 ? "Sv32" : "Sv39 or Sv48", size);
}

static void judge_ptes(struct stf_walk *w, const uint8_t *p, struct stf_spot at)
{
	unsigned n = p[21];
	for (unsigned i = 0; i < n; i++) {
		uint64_t pte = base_le64(p + 30 + 16 * (size_t)i);
		bool leaf = pte & (PTE_R | PTE_X), valid = pte & PTE_V;
		if (i + 1 == n && (!leaf || !valid))
			FIND(w, WALK_LEAF, at, "the last PTE, 0x%llx, is %s", (unsigned long long)pte,
			     valid ? "a pointer" : "not valid");
		else if (i + 1 < n && (leaf || !valid)) {
			FIND(w, WALK_POINTER, at, "PTE %u, 0x%llx, is %s", i, (unsigned long long)pte,
			     valid ? "a leaf" : "not valid");
			return;
		}
	}
}

void stf_rule_page_walk(struct stf_walk *w, const uint8_t *p)
{
	struct stf_spot at = stf_here(w, p);
	uint64_t va = base_le64(p + 1), index = base_le64(p + 9);
	unsigned n = p[21];
	int shift;
	stf_see(w, SEEN_WALK, p);
	if (w->g.flags & G_MEM)
		FIND(w, WALK_ORDER, at, "PAGE_TABLE_WALK behind an access of its instruction");
	if (!(w->at.ctx.known & (CAIRN_CTX_PID | CAIRN_CTX_ASID)))
		FIND(w, WALK_SPACE, at, "no PROCESS_ID_EXT has told the address space");
	if (index >= w->at.n)
		FIND(w, WALK_INDEX, at, "the index is %llu, this instruction's is %llu",
		     (unsigned long long)index, (unsigned long long)w->at.n - 1);
	judge_size(w, p, at, &shift);
	judge_ptes(w, p, at);
	if (!w->pages || shift < 0 || n == 0)
		return;
	bool global = base_le64(p + 30 + 16 * (size_t)(n - 1)) & PTE_G;
	uint64_t key = page_key(va, (unsigned)shift, global ? 0 : space_of(w));
	if (check_set_add(&w->sp->walked, key) < 0)
		w->part->found.status = CAIRN_E_NOMEM;
}

/* ---- accesses ---- */

static bool is_walked(const struct check_set *set, uint64_t addr, uint64_t space)
{
	static const uint8_t shifts[] = {12, 16, 21, 22, 30};
	for (unsigned i = 0; i < sizeof shifts; i++)
		if (check_set_has(set, page_key(addr, shifts[i], space)) ||
		    (space && check_set_has(set, page_key(addr, shifts[i], 0))))
			return true;
	return false;
}

static void need_page(struct stf_walk *w, const uint8_t *p, uint64_t addr)
{
	uint64_t space = space_of(w), key = page_key(addr, 12, space);
	if (key == w->page_ok)
		return;
	w->page_ok = key;
	if (is_walked(&w->sp->walked, addr, space))
		return;
	int fresh = check_set_add(&w->sp->asked, key);
	if (fresh > 0) {
		struct stf_page page = {.space = space, .addr = addr,
		                        .at = stf_spot_place(w, stf_here(w, p))};
		fresh = base_buf_put(&w->sp->missing, &page, sizeof page);
	}
	if (fresh < 0)
		w->part->found.status = CAIRN_E_NOMEM;
}

void stf_rule_page_access(struct stf_walk *w, const uint8_t *p)
{
	uint64_t addr = base_le64(p + 1), last = addr + base_le16(p + 9);
	if ((w->at.ctx.known & CAIRN_CTX_PRIV) && w->at.ctx.priv == CAIRN_PRIV_MACHINE)
		return; /* addresses are not translated */
	need_page(w, p, addr);
	if (last > addr && (last - 1) >> 12 != addr >> 12)
		need_page(w, p, last - 1);
}

/* ---- fold ---- */

static int merge(struct check_set *to, const struct check_set *from)
{
	for (size_t i = 0; i < from->cap; i++)
		for (uint64_t bits = from->bits[i]; bits; bits &= bits - 1) {
			int rc = check_set_add(to, from->key[i] * 64 +
			                           (unsigned)__builtin_ctzll(bits));
			if (rc < 0)
				return rc;
		}
	return 0;
}

int stf_rules_fold_pages(struct stf_judge *j, struct stf_part *sp, struct check_part *p)
{
	const struct stf_page *page = (const void *)sp->missing.data;
	for (size_t n = sp->missing.len / sizeof *page; n; n--, page++) {
		if (is_walked(&j->walked, page->addr, page->space))
			continue;
		int fresh = check_set_add(&j->asked, page_key(page->addr, 12, page->space));
		if (fresh < 0)
			return fresh;
		if (fresh)
			check_add(p, STF_RULE_WALK_FIRST, &page->at, "the page of 0x%llx has not been "
			          "walked", (unsigned long long)page->addr);
	}
	return merge(&j->walked, &sp->walked);
}

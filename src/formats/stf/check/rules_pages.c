/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of page walks.
 *
 * A page is a number: its address by its size, the size's class, and the address
 * space. A global page (bit G of its leaf) is entered without a space. The walk over a
 * span leaves a row for each PAGE_TABLE_WALK, and one for each page of 4 KiB when it is
 * first read, written or fetched from since it was walked; fold goes through the rows in
 * trace order and keeps what is known of pages. Accesses are judged when their
 * instruction is complete: one that an exception stopped has reached no page.
 */
#include "base/bytes.h"
#include "formats/stf/check/rules.h"

enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_G = 32 };
enum { PAGE_SHIFT = 12 };

static uint64_t page_number(uint64_t addr, unsigned shift)
{
	return (addr >> shift) | (uint64_t)shift << 54;
}

/* What tells address spaces apart, as far as the trace has it. */
static uint64_t rules_pages_space_of(const struct stf_walk *walk)
{
	const struct cairn_ctx *ctx = &walk->at.now.ctx;
	return walk->cfg->new_ids ? ctx->pid : (uint64_t)ctx->asid << 32 | ctx->vmid;
}

static void leave_row(struct stf_walk *walk, const struct stf_page_row *row)
{
	int rc = base_buf_put(&walk->sp->page_rows, row, sizeof *row);
	if (rc < 0)
		walk->part->found.status = rc;
}

/* ---- the walk record ---- */

/* The row of stf_page_sizes, or < 0. */
static int rules_pages_judge_size(struct stf_walk *walk, const uint8_t *p, struct stf_spot at)
{
	uint32_t size = stf_PAGE_TABLE_WALK_page_size(p);
	unsigned n = stf_PAGE_TABLE_WALK_count(p);
	bool rv32 = walk->at.now.isa == CAIRN_ISA_RV32;
	int kind = stf_page_size(rv32, size, n);
	if (kind == STF_NO_PAGE_DEPTH)
		FIND(walk, WALK_DEPTH, at, "%u PTEs lead to a page of %u bytes", n, size);
	else if (kind < 0)
		FIND(walk, WALK_SIZE, at, "no page of %s has %u bytes", rv32 ? "Sv32" : "Sv39 or Sv48",
		     size);
	return kind;
}

/* Judge whether the PTEs are pointers down to a leaf. */
static bool judge_ptes(struct stf_walk *walk, const uint8_t *p, struct stf_spot at)
{
	unsigned n = stf_PAGE_TABLE_WALK_count(p);
	for (unsigned i = 0; i < n; i++) {
		uint64_t pte = stf_walk_entry(p, i);
		bool leaf = pte & (PTE_R | PTE_X), valid = pte & PTE_V;
		if (i + 1 == n && (!leaf || !valid)) {
			FIND(walk, WALK_LEAF, at, "the last PTE, 0x%llx, is %s", (unsigned long long)pte,
			     valid ? "a pointer" : "not valid");
			return false;
		}
		if (i + 1 < n && (leaf || !valid)) {
			FIND(walk, WALK_POINTER, at, "PTE %u, 0x%llx, is %s", i, (unsigned long long)pte,
			     valid ? "a leaf" : "not valid");
			return false;
		}
	}
	return n != 0;
}

/* Each PTE must be the one that the address selects in its table, to which the PTE before points.
 * The first table is that of satp, which is not in the trace. */
static void judge_tables(struct stf_walk *walk, const uint8_t *p, unsigned leaf_shift,
                         struct stf_spot at)
{
	bool rv32 = walk->at.now.isa == CAIRN_ISA_RV32;
	unsigned bits = rv32 ? 10 : 9, bytes = rv32 ? 4 : 8, n = stf_PAGE_TABLE_WALK_count(p);
	uint64_t va = stf_PAGE_TABLE_WALK_va(p), ppn_mask = rv32 ? 0x3fffff : UINT64_C(0xfffffffffff);
	for (unsigned i = 0; i < n; i++) {
		uint64_t addr = stf_walk_address(p, i);
		uint64_t before = i ? stf_walk_entry(p, i - 1) : 0;
		uint64_t index = va >> (leaf_shift + bits * (n - 1 - i)) & ((1u << bits) - 1);
		uint64_t table = (before >> 10 & ppn_mask) << PAGE_SHIFT;
		if (i && addr >> PAGE_SHIFT != table >> PAGE_SHIFT)
			FIND(walk, WALK_TABLE, at,
			     "PTE %u is at 0x%llx, but the PTE before points to the table "
			     "at 0x%llx",
			     i, (unsigned long long)addr, (unsigned long long)table);
		else if ((addr & ((1u << PAGE_SHIFT) - 1)) != index * bytes)
			FIND(walk, WALK_TABLE, at,
			     "PTE %u is at 0x%llx, entry %llu of its table; the address "
			     "selects entry %llu",
			     i, (unsigned long long)addr,
			     (unsigned long long)((addr & ((1u << PAGE_SHIFT) - 1)) / bytes),
			     (unsigned long long)index);
		else
			continue;
		return;
	}
}

/* Bits above those that the mode translates repeat the highest of these (Sv39, Sv48). */
static bool is_canonical(uint64_t va, unsigned bits)
{
	int64_t high = (int64_t)va >> (bits - 1);
	return high == 0 || high == -1;
}

static void judge_mapping(struct stf_walk *walk, const uint8_t *p, unsigned kind,
                          struct stf_spot at)
{
	unsigned n = stf_PAGE_TABLE_WALK_count(p), shift = stf_page_sizes[kind].shift;
	uint64_t va = stf_PAGE_TABLE_WALK_va(p), leaf = stf_walk_entry(p, n - 1);
	bool rv32 = stf_page_sizes[kind].rv32, napot = shift == 16;
	unsigned bits = n == stf_page_sizes[kind].n39 ? 39 : 48;
	if (rv32 ? va >> 32 != 0 && !is_canonical(va, 32) : !is_canonical(va, bits))
		FIND(walk, WALK_CANONICAL, at, "0x%llx is not an address of %s", (unsigned long long)va,
		     rv32         ? "Sv32"
		     : bits == 39 ? "Sv39"
		                  : "Sv48");
	if (!judge_ptes(walk, p, at))
		return;
	judge_tables(walk, p, napot ? PAGE_SHIFT : shift, at);
	uint64_t low = leaf >> 10 & ((UINT64_C(1) << (shift - PAGE_SHIFT)) - 1);
	if (!napot && low)
		FIND(walk, WALK_SUPERPAGE, at, "the leaf 0x%llx of a page of %u bytes points to 0x%llx",
		     (unsigned long long)leaf, 1u << shift,
		     (unsigned long long)((leaf >> 10 & UINT64_C(0xfffffffffff)) << PAGE_SHIFT));
}

void stf_rule_page_walk(struct stf_walk *walk, const uint8_t *p)
{
	struct stf_spot at = stf_here(walk, p);
	uint64_t va = stf_PAGE_TABLE_WALK_va(p), index = stf_PAGE_TABLE_WALK_first_access(p);
	unsigned n = stf_PAGE_TABLE_WALK_count(p);
	stf_see(walk, SEEN_WALK, p);
	if (walk->at.now.group & G_MEM)
		FIND(walk, WALK_ORDER, at, "PAGE_TABLE_WALK behind an access of its instruction");
	if (!(walk->at.now.ctx.known & (CAIRN_CTX_PID | CAIRN_CTX_ASID)))
		FIND(walk, WALK_SPACE, at, "no PROCESS_ID_EXT has told the address space");
	if (index >= walk->at.n)
		FIND(walk, WALK_INDEX, at, "the index is %llu, this instruction's is %llu",
		     (unsigned long long)index, (unsigned long long)walk->at.n - 1);
	int kind = rules_pages_judge_size(walk, p, at);
	if (kind < 0)
		return;
	judge_mapping(walk, p, (unsigned)kind, at);
	if (!walk->pages)
		return;
	unsigned shift = stf_page_sizes[kind].shift;
	uint64_t leaf = stf_walk_entry(p, n - 1);
	struct stf_page_row row = {.addr = va,
	                           .space = leaf & PTE_G ? 0 : rules_pages_space_of(walk),
	                           .leaf = leaf,
	                           .index = index,
	                           .n = walk->at.n - 1,
	                           .kind = STF_PAGE_WALK,
	                           .shift = (uint8_t)shift,
	                           .at = stf_spot_place(walk, at)};
	leave_row(walk, &row);
	/* Uses from now on are uses of the new mapping. */
	uint64_t *used =
		base_map_find(&walk->sp->used, page_number(va, PAGE_SHIFT), rules_pages_space_of(walk));
	if (shift != PAGE_SHIFT || row.space == 0)
		base_map_clear(&walk->sp->used);
	else if (used)
		*used = 0;
	walk->page_ok = walk->code_page = UINT64_MAX;
}

/* ---- uses of pages ---- */

static void use_page(struct stf_walk *walk, uint64_t addr, enum stf_page_kind kind,
                     struct stf_spot at)
{
	uint64_t space = rules_pages_space_of(walk);
	uint64_t *used = base_map_at(&walk->sp->used, page_number(addr, PAGE_SHIFT), space);
	if (!used) {
		walk->part->found.status = CAIRN_E_NOMEM;
		return;
	}
	if (*used >> kind & 1)
		return;
	*used |= 1u << kind;
	struct stf_page_row row = {.addr = addr,
	                           .space = space,
	                           .n = walk->at.n - 1,
	                           .kind = (uint8_t)kind,
	                           .at = stf_spot_place(walk, at)};
	leave_row(walk, &row);
}

/* Addresses are not translated in machine mode. */
static bool is_translated(const struct stf_walk *walk)
{
	return !(walk->at.now.ctx.known & CAIRN_CTX_PRIV) ||
	       walk->at.now.ctx.priv != CAIRN_PRIV_MACHINE;
}

/* The accesses noted of the group. */
static void use_noted(struct stf_walk *walk)
{
	struct stf_group *group = &walk->group;
	for (unsigned i = 0; i < group->n_uses; i++) {
		const struct stf_page_use *use = &group->use[i];
		uint64_t page = use->addr >> PAGE_SHIFT | (uint64_t)use->write << 63;
		if (page == walk->page_ok)
			continue;
		walk->page_ok = page;
		use_page(walk, use->addr, use->write ? STF_PAGE_WRITE : STF_PAGE_READ, use->at);
	}
	group->n_uses = 0;
}

static void note_use(struct stf_walk *walk, uint64_t addr, bool write, struct stf_spot at)
{
	struct stf_group *group = &walk->group;
	if (group->n_uses == GROUP_USES)
		use_noted(walk);
	group->use[group->n_uses++] = (struct stf_page_use){.addr = addr, .write = write, .at = at};
}

void stf_rule_page_access(struct stf_walk *walk, const uint8_t *p)
{
	uint64_t addr = stf_INST_MEM_ACCESS_address(p), last = addr + stf_INST_MEM_ACCESS_bytes(p);
	bool write = stf_INST_MEM_ACCESS_access(p) == 2;
	note_use(walk, addr, write, stf_here(walk, p));
	if (last > addr && (last - 1) >> PAGE_SHIFT != addr >> PAGE_SHIFT)
		note_use(walk, last - 1, write, stf_here(walk, p));
}

/* The instruction at p is complete. */
void stf_rule_pages_used(struct stf_walk *walk, const uint8_t *p)
{
	uint64_t pc = walk->at.now.pc;
	/* The mode of a group that begins anew comes behind its accesses. */
	if (!(walk->at.now.group & G_MEM) || (walk->at.now.group & G_ABORTED) || !is_translated(walk))
		walk->group.n_uses = 0;
	else
		use_noted(walk);
	if (pc >> PAGE_SHIFT == walk->code_page || !walk->at.now.pc_known || !is_translated(walk))
		return;
	walk->code_page = pc >> PAGE_SHIFT;
	use_page(walk, pc, STF_PAGE_FETCH, stf_here(walk, p));
}

/* ---- fold ---- */

/* What is kept of a walked page: its leaf, and which walk it was, from 1. Of each page around an
 * address that was used, in every size: the numbers of the instructions that first used it, from 1,
 * in the trace and since a walk to a page of its size. */
enum { WALKED_LEAF, WALKED_AS, WALKED_WORDS };
enum { USED_DATA, USED_FETCH, SINCE_DATA, SINCE_FETCH, USED_WORDS };

void stf_rules_init_pages(struct cairn *cairn, struct base_map *walked, struct base_map *used)
{
	base_map_init(walked, cairn, WALKED_WORDS);
	base_map_init(used, cairn, USED_WORDS);
}

/* The sizes that a page around an address may have. */
static const uint8_t page_shifts[] = {PAGE_SHIFT, 16, 21, 22, 30};

/* The leaf that a page was last walked to, in whatever size; false when it has not been walked. */
static bool leaf_of(const struct stf_judge *judge, uint64_t addr, uint64_t space, uint64_t *leaf)
{
	uint64_t last = 0;
	for (unsigned i = 0; i < sizeof page_shifts; i++) {
		for (unsigned global = 0; global < (space ? 2 : 1); global++) {
			const uint64_t *w = base_map_find(&judge->walked, page_number(addr, page_shifts[i]),
			                                  global ? 0 : space);
			if (!w || w[WALKED_AS] < last)
				continue;
			last = w[WALKED_AS];
			*leaf = w[WALKED_LEAF];
		}
	}
	return last != 0;
}

/* The index must be that of this instruction, or of the first use of the page in the trace or since
 * it was walked before. */
static void judge_index(const struct stf_page_row *row, const uint64_t *used,
                        struct check_part *part)
{
	if (row->index >= row->n)
		return;
	uint64_t first = 0;
	for (unsigned i = 0; used && i < USED_WORDS; i++) {
		if (used[i] == row->index + 1)
			return;
		if (used[i] && (!first || used[i] < first))
			first = used[i];
	}
	if (first)
		check_add(part, STF_RULE_WALK_ACCESS, &row->at,
		          "the index is %llu, but the page of 0x%llx was "
		          "first used at %llu",
		          (unsigned long long)row->index, (unsigned long long)row->addr,
		          (unsigned long long)first - 1);
	else
		check_add(part, STF_RULE_WALK_ACCESS, &row->at,
		          "the index is %llu, but nothing has used the "
		          "page of 0x%llx before %llu",
		          (unsigned long long)row->index, (unsigned long long)row->addr,
		          (unsigned long long)row->n);
}

static int fold_walk(struct stf_judge *judge, const struct stf_page_row *row,
                     struct check_part *part)
{
	uint64_t *walked = base_map_at(&judge->walked, page_number(row->addr, row->shift), row->space);
	if (!walked)
		return CAIRN_E_NOMEM;
	walked[WALKED_LEAF] = row->leaf;
	walked[WALKED_AS] = ++judge->n_walks;
	uint64_t *used = base_map_find(&judge->used, page_number(row->addr, row->shift), row->space);
	if (!(row->leaf & PTE_G))
		judge_index(row, used, part);
	if (used)
		used[SINCE_DATA] = used[SINCE_FETCH] = 0;
	return 0;
}

/* Keep the first use of each page that may be around the address. */
static int note_first_use(struct stf_judge *judge, const struct stf_page_row *row, bool *first)
{
	bool fetch = row->kind == STF_PAGE_FETCH;
	for (unsigned i = 0; i < sizeof page_shifts; i++) {
		uint64_t *used =
			base_map_at(&judge->used, page_number(row->addr, page_shifts[i]), row->space);
		if (!used)
			return CAIRN_E_NOMEM;
		if (page_shifts[i] == PAGE_SHIFT)
			*first = !used[USED_DATA];
		uint64_t *ever = &used[fetch ? USED_FETCH : USED_DATA],
				 *since = &used[fetch ? SINCE_FETCH : SINCE_DATA];
		*ever = *ever ? *ever : row->n + 1;
		*since = *since ? *since : row->n + 1;
	}
	return 0;
}

static int fold_use(struct stf_judge *judge, const struct stf_page_row *row,
                    struct check_part *part)
{
	uint64_t leaf;
	bool first = false;
	int rc = note_first_use(judge, row, &first);
	if (rc < 0 || row->kind == STF_PAGE_FETCH)
		return rc;
	if (!leaf_of(judge, row->addr, row->space, &leaf)) {
		if (first)
			check_add(part, STF_RULE_WALK_FIRST, &row->at, "the page of 0x%llx has not been walked",
			          (unsigned long long)row->addr);
	} else if (row->kind == STF_PAGE_WRITE && (leaf & PTE_V) && !(leaf & PTE_W)) {
		check_add(part, STF_RULE_WALK_WRITABLE, &row->at,
		          "a store to 0x%llx, whose page has the leaf "
		          "0x%llx, without W",
		          (unsigned long long)row->addr, (unsigned long long)leaf);
	}
	return 0;
}

int stf_rules_fold_pages(struct stf_judge *judge, struct stf_part *sp, struct check_part *part)
{
	const struct stf_page_row *row = (const void *)sp->page_rows.data;
	int rc = 0;
	for (size_t n = sp->page_rows.len / sizeof *row; n && rc >= 0; n--, row++)
		rc = row->kind == STF_PAGE_WALK ? fold_walk(judge, row, part) : fold_use(judge, row, part);
	return rc;
}

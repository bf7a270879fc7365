/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: which function or object covers an address, and where a name is.
 *
 * Tables in the wild overlap: aliases stand at one address, labels lie inside
 * functions, entry points share tails. This is resolved when a file is added: the address space is
 * cut at every place where the answer changes, and each piece keeps its symbol (or none). A look-up
 * is then a binary
 * search in an array of nothing but addresses: 100 000 symbols are 17 steps
 * through less than a megabyte. Consecutive addresses of a trace mostly stay
 * in one function, so a caller who keeps the last symbol and asks again only
 * when the address leaves it pays nothing; no hidden cache is kept here, since
 * many threads ask at once.
 *
 * An address belongs to the symbol that begins last before it and reaches it. Where several begin
 * together: the file added later, then global before
 * weak before local, function before object before label, a size given by the
 * file before none. A label without a size inside a function with one is a
 * branch target, not an answer; it is still found by name.
 *
 * The labels of each file stay in their own allocation, so a symbol handed out
 * stays valid while files are added.
 */
#include "image/image.h"

#include <stdlib.h>
#include <string.h>

struct block {
	struct block *next;
	struct image_label *labels;
	size_t n;
};

/* Everything derived from the labels; rebuilt as a whole. */
struct tables {
	uint64_t *starts; /* where each piece begins */
	const struct image_label **owners;
	const struct image_label **by_name;
	size_t n_pieces, n_names;
};

struct image_symbols {
	struct cairn *cairn;
	struct block *blocks;
	size_t n_labels;
	uint32_t n_files;
	struct tables tables;
};

struct image_symbols *image_symbols_new(struct cairn *cairn)
{
	struct image_symbols *symbols = base_alloc(cairn, sizeof *symbols);
	if (symbols)
		symbols->cairn = cairn;
	return symbols;
}

static void free_tables(struct cairn *cairn, struct tables *tables)
{
	base_free(cairn, tables->starts);
	base_free(cairn, tables->owners);
	base_free(cairn, tables->by_name);
	*tables = (struct tables){0};
}

void image_symbols_free(struct image_symbols *symbols)
{
	if (!symbols)
		return;
	for (struct block *block = symbols->blocks, *next; block; block = next) {
		next = block->next;
		base_free(symbols->cairn, block->labels);
		base_free(symbols->cairn, block);
	}
	free_tables(symbols->cairn, &symbols->tables);
	base_free(symbols->cairn, symbols);
}

/* ---- orders ---- */

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

/* The better name first; never equal, so that sorting is deterministic. */
static int by_worth(const struct image_label *left, const struct image_label *right)
{
	int r = COMPARE(right->file, left->file);
	r = r ? r : COMPARE(right->bind, left->bind);
	r = r ? r : COMPARE(right->type, left->type);
	r = r ? r : COMPARE(right->sized, left->sized);
	return r ? r : COMPARE(left->index, right->index);
}

static int symbols_by_address(const void *pa, const void *pb)
{
	const struct image_label *left = *(const struct image_label *const *)pa;
	const struct image_label *right = *(const struct image_label *const *)pb;
	int r = COMPARE(left->sym.addr, right->sym.addr);
	return r ? r : by_worth(left, right);
}

static int by_section(const void *pa, const void *pb)
{
	const struct image_label *left = pa, *right = pb;
	int r = COMPARE(left->section, right->section);
	r = r ? r : COMPARE(left->sym.addr, right->sym.addr);
	r = r ? r : COMPARE(right->sym.size, left->sym.size);
	return r ? r : COMPARE(left->index, right->index);
}

static int symbols_by_name(const void *pa, const void *pb)
{
	const struct image_label *left = *(const struct image_label *const *)pa;
	const struct image_label *right = *(const struct image_label *const *)pb;
	int r = strcmp(left->sym.name, right->sym.name);
	return r ? r : by_worth(left, right);
}

/* ---- completing one file ---- */

/* Give sizes to those without: that of an alias, else up to the next symbol of
 * the section, else up to its end. Sizes that would wrap are cut. */
static void symbols_complete(struct image_label *label, size_t n)
{
	qsort(label, n, sizeof *label, by_section);
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t addr = label[i].sym.addr;
		uint64_t size = label[i].sym.size; /* the largest at this place */
		for (next = i + 1; next < n; next++) {
			if (label[next].section != label[i].section || label[next].sym.addr != addr)
				break;
		}
		bool known = size || label[i].end == 0;
		if (!known && next < n && label[next].section == label[i].section)
			size = label[next].sym.addr - addr;
		if (!known && label[i].end > addr && (!size || size > label[i].end - addr))
			size = label[i].end - addr;
		else if (!known && label[i].end <= addr)
			size = 0;
		for (size_t k = i; k < next; k++) {
			label[k].sized = label[k].sym.size != 0;
			if (!label[k].sized)
				label[k].sym.size = size;
			if (label[k].sym.size > UINT64_MAX - addr)
				label[k].sym.size = UINT64_MAX - addr;
		}
	}
}

/* ---- cutting the address space ---- */

static uint64_t symbols_end_of(const struct image_label *label)
{
	return label->sym.addr + label->sym.size;
}

static void begin_piece(struct tables *tables, uint64_t start, const struct image_label *owner)
{
	if (tables->n_pieces && tables->starts[tables->n_pieces - 1] == start)
		tables->n_pieces--;
	tables->starts[tables->n_pieces] = start;
	tables->owners[tables->n_pieces++] = owner;
}

/* Close what ends at or before `upto`; the innermost symbol that is still open goes on. */
static size_t close_until(struct tables *tables, const struct image_label **stack, size_t depth,
                          uint64_t upto)
{
	while (depth && symbols_end_of(stack[depth - 1]) <= upto) {
		uint64_t end = symbols_end_of(stack[--depth]);
		while (depth && symbols_end_of(stack[depth - 1]) <= end)
			depth--;
		begin_piece(tables, end, depth ? stack[depth - 1] : NULL);
	}
	return depth;
}

/* May `label` answer, inside of `around` (or nothing)? */
static bool may_answer(const struct image_label *label, const struct image_label *around)
{
	if (label->sym.size == 0)
		return false;
	bool mere_label = label->type == IMAGE_LABEL && !label->sized;
	return !(mere_label && around && around->sized && around->type != IMAGE_LABEL);
}

/* Each symbol begins one piece and its end at most another one, so the tables
 * of 2 n entries hold them. `sorted` is by address and doubles as the stack:
 * never more are open than have been looked at. */
static void symbols_cut(struct tables *tables, const struct image_label **sorted, size_t n)
{
	size_t depth = 0;
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t addr = sorted[i]->sym.addr;
		depth = close_until(tables, sorted, depth, addr);
		const struct image_label *around = depth ? sorted[depth - 1] : NULL;
		const struct image_label *best = NULL;
		for (next = i; next < n && sorted[next]->sym.addr == addr; next++) {
			if (!best && may_answer(sorted[next], around))
				best = sorted[next];
		}
		if (best) {
			begin_piece(tables, addr, best);
			sorted[depth++] = best;
		}
	}
	close_until(tables, sorted, depth, UINT64_MAX);
}

static int symbols_build(struct image_symbols *symbols, struct tables *tables)
{
	int rc = CAIRN_E_NOMEM;
	size_t n = symbols->n_labels;
	*tables = (struct tables){0};
	const struct image_label **sorted = base_alloc(symbols->cairn, (n + 1) * sizeof *sorted);
	tables->by_name = base_alloc(symbols->cairn, (n + 1) * sizeof *tables->by_name);
	tables->starts = base_alloc(symbols->cairn, (2 * n + 1) * sizeof *tables->starts);
	tables->owners = base_alloc(symbols->cairn, (2 * n + 1) * sizeof *tables->owners);
	if (!sorted || !tables->by_name || !tables->starts || !tables->owners)
		goto out;
	for (const struct block *block = symbols->blocks; block; block = block->next) {
		for (size_t i = 0; i < block->n; i++)
			tables->by_name[tables->n_names++] = &block->labels[i];
	}
	memcpy(sorted, tables->by_name, n * sizeof *sorted);
	qsort(tables->by_name, n, sizeof *tables->by_name, symbols_by_name);
	qsort(sorted, n, sizeof *sorted, symbols_by_address);
	symbols_cut(tables, sorted, n);
	rc = 0;
out:
	base_free(symbols->cairn, sorted);
	if (rc < 0)
		free_tables(symbols->cairn, tables);
	return rc;
}

int image_symbols_add(struct image_symbols *symbols, struct image_label *labels, size_t n)
{
	if (n == 0) {
		base_free(symbols->cairn, labels);
		return 0;
	}
	struct block *block = base_alloc(symbols->cairn, sizeof *block);
	if (!block)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < n; i++) {
		labels[i].file = symbols->n_files;
		labels[i].index = (uint32_t)i;
	}
	symbols_complete(labels, n);
	*block = (struct block){symbols->blocks, labels, n};
	symbols->blocks = block;
	symbols->n_labels += n;
	struct tables tables;
	int rc = symbols_build(symbols, &tables);
	if (rc < 0) {
		symbols->blocks = block->next;
		symbols->n_labels -= n;
		base_free(symbols->cairn, block);
		return rc;
	}
	symbols->n_files++;
	free_tables(symbols->cairn, &symbols->tables);
	symbols->tables = tables;
	return 0;
}

/* ---- asking ---- */

/* The first piece that begins above an address. */
static size_t piece_above(const struct tables *tables, uint64_t addr)
{
	size_t lo = 0, hi = tables->n_pieces;
	while (lo < hi)
		base_halve(&lo, &hi, tables->starts[base_half(lo, hi)] <= addr);
	return lo;
}

void image_symbols_gap(const struct image_symbols *symbols, uint64_t addr, uint64_t *first,
                       uint64_t *last)
{
	size_t i = piece_above(&symbols->tables, addr);
	*first = i ? symbols->tables.starts[i - 1] : 0;
	*last = i < symbols->tables.n_pieces ? symbols->tables.starts[i] - 1 : UINT64_MAX;
}

const struct cairn_symbol *image_symbols_at(const struct image_symbols *symbols, uint64_t addr)
{
	const struct tables *tables = &symbols->tables;
	size_t lo = piece_above(tables, addr);
	return lo && tables->owners[lo - 1] ? &tables->owners[lo - 1]->sym : NULL;
}

const struct cairn_symbol *image_symbols_named(const struct image_symbols *symbols,
                                               const char *name, size_t n)
{
	const struct tables *tables = &symbols->tables;
	if (memchr(name, 0, n))
		return NULL;
	size_t lo = 0, hi = tables->n_names;
	while (lo < hi)
		base_halve(&lo, &hi, strncmp(tables->by_name[base_half(lo, hi)]->sym.name, name, n) < 0);
	if (lo == tables->n_names)
		return NULL;
	const struct cairn_symbol *sym = &tables->by_name[lo]->sym;
	return strncmp(sym->name, name, n) == 0 && sym->name[n] == 0 ? sym : NULL;
}

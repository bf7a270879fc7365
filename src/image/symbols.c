/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: which function or object covers an address, and where a name is.
 *
 * Tables in the wild overlap: aliases stand at one address, labels lie inside
 * functions, entry points share tails. All that is settled when a file is
 * added: the address space is cut at every place where the answer changes, and
 * for each piece the one answer is kept (or none). A look-up is then a binary
 * search in an array of nothing but addresses: 100 000 symbols are 17 steps
 * through less than a megabyte. Consecutive addresses of a trace mostly stay
 * in one function, so a caller who keeps the last symbol and asks again only
 * when the address leaves it pays nothing; no hidden cache is kept here, since
 * many threads ask at once.
 *
 * Who answers for an address: the symbol that begins last before it and reaches
 * it. Where several begin together: the file added later, then global before
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
	struct cairn *c;
	struct block *blocks;
	size_t n_labels;
	uint32_t n_files;
	struct tables t;
};

struct image_symbols *image_symbols_new(struct cairn *c)
{
	struct image_symbols *s = base_alloc(c, sizeof *s);
	if (s)
		s->c = c;
	return s;
}

static void free_tables(struct cairn *c, struct tables *t)
{
	base_free(c, t->starts);
	base_free(c, t->owners);
	base_free(c, t->by_name);
	*t = (struct tables){0};
}

void image_symbols_free(struct image_symbols *s)
{
	if (!s)
		return;
	for (struct block *b = s->blocks, *next; b; b = next) {
		next = b->next;
		base_free(s->c, b->labels);
		base_free(s->c, b);
	}
	free_tables(s->c, &s->t);
	base_free(s->c, s);
}

/* ---- orders ---- */

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

/* The better name first; never equal, so that sorting is deterministic. */
static int by_worth(const struct image_label *a, const struct image_label *b)
{
	int r = COMPARE(b->file, a->file);
	r = r ? r : COMPARE(b->bind, a->bind);
	r = r ? r : COMPARE(b->type, a->type);
	r = r ? r : COMPARE(b->sized, a->sized);
	return r ? r : COMPARE(a->index, b->index);
}

static int symbols_by_address(const void *pa, const void *pb)
{
	const struct image_label *a = *(const struct image_label *const *)pa;
	const struct image_label *b = *(const struct image_label *const *)pb;
	int r = COMPARE(a->sym.addr, b->sym.addr);
	return r ? r : by_worth(a, b);
}

static int by_section(const void *pa, const void *pb)
{
	const struct image_label *a = pa, *b = pb;
	int r = COMPARE(a->section, b->section);
	r = r ? r : COMPARE(a->sym.addr, b->sym.addr);
	r = r ? r : COMPARE(b->sym.size, a->sym.size);
	return r ? r : COMPARE(a->index, b->index);
}

static int symbols_by_name(const void *pa, const void *pb)
{
	const struct image_label *a = *(const struct image_label *const *)pa;
	const struct image_label *b = *(const struct image_label *const *)pb;
	int r = strcmp(a->sym.name, b->sym.name);
	return r ? r : by_worth(a, b);
}

/* ---- completing one file ---- */

/* Give sizes to those without: that of an alias, else up to the next symbol of
 * the section, else up to its end. Sizes that would wrap are cut. */
static void symbols_complete(struct image_label *l, size_t n)
{
	qsort(l, n, sizeof *l, by_section);
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t addr = l[i].sym.addr;
		uint64_t size = l[i].sym.size; /* the largest at this place */
		for (next = i + 1; next < n; next++) {
			if (l[next].section != l[i].section || l[next].sym.addr != addr)
				break;
		}
		bool known = size || l[i].end == 0;
		if (!known && next < n && l[next].section == l[i].section)
			size = l[next].sym.addr - addr;
		if (!known && l[i].end > addr && (!size || size > l[i].end - addr))
			size = l[i].end - addr;
		else if (!known && l[i].end <= addr)
			size = 0;
		for (size_t k = i; k < next; k++) {
			l[k].sized = l[k].sym.size != 0;
			if (!l[k].sized)
				l[k].sym.size = size;
			if (l[k].sym.size > UINT64_MAX - addr)
				l[k].sym.size = UINT64_MAX - addr;
		}
	}
}

/* ---- cutting the address space ---- */

static uint64_t symbols_end_of(const struct image_label *l)
{
	return l->sym.addr + l->sym.size;
}

static void begin_piece(struct tables *t, uint64_t start, const struct image_label *owner)
{
	if (t->n_pieces && t->starts[t->n_pieces - 1] == start)
		t->n_pieces--;
	t->starts[t->n_pieces] = start;
	t->owners[t->n_pieces++] = owner;
}

/* Close what ends at or before `upto`; what lies below it on the stack and is
 * still open takes over. */
static size_t close_until(struct tables *t, const struct image_label **stack, size_t depth,
                          uint64_t upto)
{
	while (depth && symbols_end_of(stack[depth - 1]) <= upto) {
		uint64_t end = symbols_end_of(stack[--depth]);
		while (depth && symbols_end_of(stack[depth - 1]) <= end)
			depth--;
		begin_piece(t, end, depth ? stack[depth - 1] : NULL);
	}
	return depth;
}

/* May `l` answer, inside of `around` (or nothing)? */
static bool may_answer(const struct image_label *l, const struct image_label *around)
{
	if (l->sym.size == 0)
		return false;
	bool mere_label = l->type == IMAGE_LABEL && !l->sized;
	return !(mere_label && around && around->sized && around->type != IMAGE_LABEL);
}

/* Each symbol begins one piece and its end at most another one, so the tables
 * of 2 n entries hold them. `sorted` is by address and doubles as the stack:
 * never more are open than have been looked at. */
static void symbols_cut(struct tables *t, const struct image_label **sorted, size_t n)
{
	size_t depth = 0;
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t addr = sorted[i]->sym.addr;
		depth = close_until(t, sorted, depth, addr);
		const struct image_label *around = depth ? sorted[depth - 1] : NULL;
		const struct image_label *best = NULL;
		for (next = i; next < n && sorted[next]->sym.addr == addr; next++) {
			if (!best && may_answer(sorted[next], around))
				best = sorted[next];
		}
		if (best) {
			begin_piece(t, addr, best);
			sorted[depth++] = best;
		}
	}
	close_until(t, sorted, depth, UINT64_MAX);
}

static int symbols_build(struct image_symbols *s, struct tables *t)
{
	int rc = CAIRN_E_NOMEM;
	size_t n = s->n_labels;
	*t = (struct tables){0};
	const struct image_label **sorted = base_alloc(s->c, (n + 1) * sizeof *sorted);
	t->by_name = base_alloc(s->c, (n + 1) * sizeof *t->by_name);
	t->starts = base_alloc(s->c, (2 * n + 1) * sizeof *t->starts);
	t->owners = base_alloc(s->c, (2 * n + 1) * sizeof *t->owners);
	if (!sorted || !t->by_name || !t->starts || !t->owners)
		goto out;
	for (const struct block *b = s->blocks; b; b = b->next) {
		for (size_t i = 0; i < b->n; i++)
			t->by_name[t->n_names++] = &b->labels[i];
	}
	memcpy(sorted, t->by_name, n * sizeof *sorted);
	qsort(t->by_name, n, sizeof *t->by_name, symbols_by_name);
	qsort(sorted, n, sizeof *sorted, symbols_by_address);
	symbols_cut(t, sorted, n);
	rc = 0;
out:
	base_free(s->c, sorted);
	if (rc < 0)
		free_tables(s->c, t);
	return rc;
}

int image_symbols_add(struct image_symbols *s, struct image_label *labels, size_t n)
{
	if (n == 0) {
		base_free(s->c, labels);
		return 0;
	}
	struct block *b = base_alloc(s->c, sizeof *b);
	if (!b)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < n; i++) {
		labels[i].file = s->n_files;
		labels[i].index = (uint32_t)i;
	}
	symbols_complete(labels, n);
	*b = (struct block){s->blocks, labels, n};
	s->blocks = b;
	s->n_labels += n;
	struct tables t;
	int rc = symbols_build(s, &t);
	if (rc < 0) {
		s->blocks = b->next;
		s->n_labels -= n;
		base_free(s->c, b);
		return rc;
	}
	s->n_files++;
	free_tables(s->c, &s->t);
	s->t = t;
	return 0;
}

/* ---- asking ---- */

/* The first piece that begins above an address. */
static size_t piece_above(const struct tables *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n_pieces;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->starts[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void image_symbols_gap(const struct image_symbols *s, uint64_t addr, uint64_t *first,
                       uint64_t *last)
{
	size_t i = piece_above(&s->t, addr);
	*first = i ? s->t.starts[i - 1] : 0;
	*last = i < s->t.n_pieces ? s->t.starts[i] - 1 : UINT64_MAX;
}

const struct cairn_symbol *image_symbols_at(const struct image_symbols *s, uint64_t addr)
{
	const struct tables *t = &s->t;
	size_t lo = piece_above(t, addr);
	return lo && t->owners[lo - 1] ? &t->owners[lo - 1]->sym : NULL;
}

const struct cairn_symbol *image_symbols_named(const struct image_symbols *s, const char *name,
                                               size_t n)
{
	const struct tables *t = &s->t;
	if (memchr(name, 0, n))
		return NULL;
	size_t lo = 0, hi = t->n_names;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strncmp(t->by_name[mid]->sym.name, name, n) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == t->n_names)
		return NULL;
	const struct cairn_symbol *sym = &t->by_name[lo]->sym;
	return strncmp(sym->name, name, n) == 0 && sym->name[n] == 0 ? sym : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a position-independent program was loaded, found from what ran. Every instruction
 * of the trace's beginning says: these bytes lay at this address. A few of them are looked
 * for in the file at all places with the same offset in a page, which gives candidates;
 * a candidate is believed when many addresses that it covers hold what the file holds, none
 * holds anything else, and no other candidate comes near. Otherwise the answer is a
 * sentence that asks for the address.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cairn/find.h"
#include "image/image.h"
#include "isa/isa.h"

enum {
	PAGE = 4096,
	SLOTS = 1 << 15,      /* of the table of addresses … */
	MOST = SLOTS / 2,     /* … and how many are taken */
	LOOK = 4 << 20,       /* instructions looked at */
	ANCHORS = 128, MOST_BASES = 4096,
	ENOUGH = 16           /* addresses that must fit */
};

struct sample {
	uint64_t pc;
	uint8_t bytes[4];
	uint8_t size; /* 0: free */
};

struct candidate {
	uint64_t by; /* the file's addresses are moved by it */
	unsigned fits;
};

struct guess {
	struct cairn *c;
	const struct cairn_image *im; /* at the file's own addresses */
	struct sample *table;
	unsigned n;
	struct candidate best, second;
};

/* ---- what ran ---- */

static void take(struct guess *g, const struct cairn_insn *i)
{
	struct sample s = {.pc = i->pc, .size = i->size};
	if ((i->flags & (CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) ||
	    (i->size != 2 && i->size != 4))
		return;
	size_t at = (size_t)(i->pc * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
	while (g->table[at].size && g->table[at].pc != i->pc)
		at = (at + 1) % SLOTS;
	if (g->table[at].size)
		return;
	base_put_le32(s.bytes, i->isa == CAIRN_ISA_SPARC ? __builtin_bswap32(i->enc) : i->enc);
	g->table[at] = s;
	g->n++;
}

static int sample(struct guess *g, const char *trace, const char *from)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = from, .no_index = 1};
	struct cairn_reader *r = NULL;
	struct cairn_batch *b = cairn_batch_new(g->c);
	int rc = b ? cairn_open(g->c, trace, &o, &r) : CAIRN_E_NOMEM;
	if (rc >= 0)
		cairn_reader_want(r, CAIRN_PC | CAIRN_ENC);
	while (rc >= 0 && g->n < MOST && (rc = cairn_next(r, b)) > 0) {
		for (uint32_t i = 0; i < b->n_insns && g->n < MOST; i++)
			take(g, &b->insns[i]);
		if (b->n0 > LOOK)
			break;
	}
	cairn_close(r);
	cairn_batch_free(g->c, b);
	return rc;
}

/* ---- where it fits ---- */

static bool seen_before(const struct candidate *c, unsigned n, uint64_t by)
{
	for (unsigned i = 0; i < n; i++)
		if (c[i].by == by)
			return true;
	return false;
}

/* How many samples hold what the file holds; 0 when one holds something else. */
static unsigned fits(const struct guess *g, uint64_t by)
{
	unsigned n = 0;
	for (size_t i = 0; i < SLOTS; i++) {
		const struct sample *s = &g->table[i];
		uint8_t bytes[4];
		if (!s->size || cairn_image_read(g->im, s->pc - by, bytes, s->size) < s->size)
			continue;
		if (memcmp(bytes, s->bytes, s->size) != 0)
			return 0;
		n++;
	}
	return n;
}

static void judge(struct guess *g, uint64_t by)
{
	struct candidate c = {by, fits(g, by)};
	if (c.fits > g->best.fits) {
		g->second = g->best;
		g->best = c;
	} else if (c.fits > g->second.fits) {
		g->second = c;
	}
}

/* All places of one piece of the file where the anchor may lie. */
static unsigned try_piece(struct guess *g, const struct sample *s, uint64_t addr, const uint8_t *p,
                          uint64_t n, struct candidate *bases, unsigned n_bases)
{
	uint64_t first = (s->pc - addr) % PAGE;
	for (uint64_t off = first; n >= s->size && off <= n - s->size; off += PAGE) {
		uint64_t by = s->pc - (addr + off);
		if (memcmp(p + off, s->bytes, s->size) != 0 || n_bases == MOST_BASES ||
		    seen_before(bases, n_bases, by))
			continue;
		bases[n_bases++].by = by;
		judge(g, by);
	}
	return n_bases;
}

static int search(struct guess *g)
{
	struct candidate *bases = base_alloc(g->c, MOST_BASES * sizeof *bases);
	unsigned n_bases = 0, anchors = 0, step = g->n > ANCHORS ? g->n / ANCHORS : 1, met = 0;
	if (!bases)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < SLOTS && anchors < ANCHORS; i++) {
		const struct sample *s = &g->table[i];
		uint64_t addr, n;
		const uint8_t *p;
		if (s->size != 4 || met++ % step)
			continue;
		anchors++;
		for (size_t k = 0; image_piece(g->im, k, &addr, &p, &n); k++)
			n_bases = try_piece(g, s, addr, p, n, bases, n_bases);
	}
	base_free(g->c, bases);
	return 0;
}

static int answer(struct guess *g, const char *path, uint64_t *base)
{
	uint64_t lowest = 0, n;
	const uint8_t *p;
	image_piece(g->im, 0, &lowest, &p, &n);
	/* Nothing to judge by, or too little, but nothing that speaks against the file's own. */
	if (g->n == 0 || (g->best.fits < ENOUGH && fits(g, 0)))
		return 0;
	if (g->best.fits < ENOUGH)
		return base_fail(g->c, CAIRN_E_NOTFOUND, "%s: is position-independent, and where it was "
		                 "loaded does not show from what the trace runs: name the address, "
		                 "--image %s@0xADDRESS", path, path);
	if (2 * g->second.fits >= g->best.fits)
		return base_fail(g->c, CAIRN_E_NOTFOUND, "%s: is position-independent, and fits what the "
		                 "trace runs at 0x%llx and at 0x%llx: name the address, --image "
		                 "%s@0xADDRESS", path, (unsigned long long)(lowest + g->best.by),
		                 (unsigned long long)(lowest + g->second.by), path);
	*base = lowest + g->best.by;
	return 1;
}

/* ---- the program that a trace names ---- */

/* The path that a comment "program: …" tells, beside the trace unless it is absolute; NULL:
 * none does. */
static char *named_program(struct cairn *c, const char *trace, const char *from)
{
	static const char key[] = "program: ";
	struct cairn_open_opts o = {.size = sizeof o, .from = from, .no_index = 1};
	struct cairn_reader *r = NULL;
	const struct cairn_info *info;
	struct base_buf path;
	const char *name = NULL, *slash = strrchr(trace, '/');
	base_buf_init(&path, c);
	int rc = cairn_open(c, trace, &o, &r);
	if (rc >= 0)
		rc = cairn_reader_info(r, &info);
	for (size_t i = 0; rc >= 0 && i < info->n && !name; i++)
		if (!strcmp(info->facts[i].key, "comments") && info->facts[i].text &&
		    !strncmp(info->facts[i].text, key, sizeof key - 1))
			name = info->facts[i].text + sizeof key - 1;
	if (name && *name)
		rc = base_buf_printf(&path, "%.*s%s", *name != '/' && slash ? (int)(slash + 1 - trace) : 0,
		                     trace, name);
	if (rc >= 0 && path.len)
		rc = base_buf_put(&path, "", 1);
	cairn_close(r);
	if (rc < 0)
		base_buf_free(&path);
	return (char *)path.data;
}

int cairn_image_recorded(struct cairn *c, const char *trace, const char *from, char *spec, size_t n)
{
	struct guess g = {.c = c};
	char *path = named_program(c, trace, from);
	struct cairn_image *im = path ? cairn_image_new(c) : NULL;
	uint64_t base = 0;
	int rc = im && cairn_image_add(im, path) >= 0;
	g.im = im;
	g.table = rc ? base_alloc(c, SLOTS * sizeof *g.table) : NULL;
	rc = g.table ? sample(&g, trace, from) : 0;
	if (g.table && rc >= 0 && image_moves(im))
		rc = search(&g) < 0 ? CAIRN_E_NOMEM : answer(&g, path, &base);
	else if (g.table && rc >= 0)
		rc = fits(&g, 0) >= ENOUGH; /* what ran is still what the file holds */
	if (rc > 0 && base)
		rc = snprintf(spec, n, "%s@0x%llx", path, (unsigned long long)base) < (int)n;
	else if (rc > 0)
		rc = snprintf(spec, n, "%s", path) < (int)n;
	base_free(c, g.table);
	base_free(c, path);
	cairn_image_free(im);
	return rc > 0;
}

int cairn_image_place(struct cairn *c, const char *path, const char *trace, const char *from,
                      uint64_t *base)
{
	struct guess g = {.c = c};
	struct cairn_image *im = cairn_image_new(c);
	int rc = im ? cairn_image_add(im, path) : CAIRN_E_NOMEM;
	if (rc >= 0 && !image_moves(im)) {
		cairn_image_free(im);
		return 0;
	}
	g.im = im;
	g.table = rc < 0 ? NULL : base_alloc(c, SLOTS * sizeof *g.table);
	if (rc >= 0 && !g.table)
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = sample(&g, trace, from);
	if (rc >= 0)
		rc = search(&g);
	if (rc >= 0)
		rc = answer(&g, path, base);
	base_free(c, g.table);
	cairn_image_free(im);
	return rc;
}

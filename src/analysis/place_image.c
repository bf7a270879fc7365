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
#include <unistd.h>

#include "base/bytes.h"
#include "cairn/find.h"
#include "image/image.h"
#include "isa/isa.h"
#include "model/model.h"

enum {
	PAGE = 4096,
	SLOTS = 1 << 15,        /* of the table of addresses … */
	MOST = SLOTS / 2,       /* … and how many are taken */
	LOOK = 4 << 20,         /* instructions looked at … */
	LOOK_BRIEFLY = 1 << 16, /* … at first */
	ANCHORS = 1024,
	PER_PAGE = 4,
	PAGES = 1024,
	MOST_BASES = 4096,
	WRITTEN = 16,
	ENOUGH = 16 /* addresses that must fit */
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
	uint64_t written[WRITTEN][2]; /* what lies there may change: SPARC's PLT */
	size_t n_written;
};

/* ---- what ran ---- */

static void place_image_take(struct guess *g, const struct cairn_insn *i)
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

static int sample(struct guess *g, const char *trace, const char *from, uint64_t look)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = from, .no_index = 1};
	struct cairn_reader *r = NULL;
	struct cairn_batch *b = cairn_batch_new(g->c);
	int rc = b ? cairn_open(g->c, trace, &o, &r) : CAIRN_E_NOMEM;
	if (rc >= 0)
		cairn_reader_want(r, CAIRN_PC | CAIRN_ENC);
	while (rc >= 0 && g->n < MOST && (rc = cairn_next(r, b)) > 0) {
		for (uint32_t i = 0; i < b->n_insns && g->n < MOST; i++)
			place_image_take(g, &b->insns[i]);
		if (b->n0 > look)
			break;
	}
	cairn_close(r);
	cairn_batch_free(g->c, b);
	return rc;
}

/* ---- where it fits ---- */

static bool place_image_seen_before(const struct candidate *c, unsigned n, uint64_t by)
{
	for (unsigned i = 0; i < n; i++)
		if (c[i].by == by)
			return true;
	return false;
}

static bool may_change(const struct guess *g, uint64_t addr)
{
	for (size_t i = 0; i < g->n_written; i++)
		if (addr >= g->written[i][0] && addr <= g->written[i][1])
			return true;
	return false;
}

/* How many samples hold what the file holds; 0 when one holds something else. */
static unsigned place_image_fits(const struct guess *g, uint64_t by)
{
	unsigned n = 0;
	for (size_t i = 0; i < SLOTS; i++) {
		const struct sample *s = &g->table[i];
		uint8_t bytes[4];
		if (!s->size || cairn_image_read(g->im, s->pc - by, bytes, s->size) < s->size ||
		    may_change(g, s->pc - by))
			continue;
		if (memcmp(bytes, s->bytes, s->size) != 0)
			return 0;
		n++;
	}
	return n;
}

static void place_image_judge(struct guess *g, uint64_t by)
{
	struct candidate c = {by, place_image_fits(g, by)};
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
		    place_image_seen_before(bases, n_bases, by))
			continue;
		bases[n_bases++].by = by;
		place_image_judge(g, by);
	}
	return n_bases;
}

static int place_image_search(struct guess *g)
{
	struct candidate *bases = base_alloc(g->c, MOST_BASES * sizeof *bases);
	unsigned n_bases = 0, anchors = 0;
	uint8_t met[PAGES] = {0};
	if (!bases)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < SLOTS && anchors < ANCHORS; i++) {
		const struct sample *s = &g->table[i];
		uint64_t addr, n;
		const uint8_t *p;
		/* Some of each page, so that a small program among large libraries has its share. */
		if (s->size != 4 || met[s->pc / PAGE % PAGES] == PER_PAGE)
			continue;
		met[s->pc / PAGE % PAGES]++;
		anchors++;
		for (size_t k = 0; image_piece(g->im, k, &addr, &p, &n); k++)
			n_bases = try_piece(g, s, addr, p, n, bases, n_bases);
	}
	base_free(g->c, bases);
	return 0;
}

static int place_image_answer(struct guess *g, const char *path, uint64_t *base)
{
	uint64_t lowest = 0, n;
	const uint8_t *p;
	image_piece(g->im, 0, &lowest, &p, &n);
	/* Nothing to judge by, or too little, but nothing that speaks against the file's own. */
	if (g->n == 0 || (g->best.fits < ENOUGH && place_image_fits(g, 0)))
		return 0;
	if (g->best.fits < ENOUGH)
		return base_fail(g->c, CAIRN_E_NOTFOUND,
		                 "%s: is position-independent, and where it was "
		                 "loaded does not show from what the trace runs: name the address, "
		                 "--image %s@0xADDRESS",
		                 path, path);
	if (2 * g->second.fits >= g->best.fits)
		return base_fail(g->c, CAIRN_E_NOTFOUND,
		                 "%s: is position-independent, and fits what the "
		                 "trace runs at 0x%llx and at 0x%llx: name the address, --image "
		                 "%s@0xADDRESS",
		                 path, (unsigned long long)(lowest + g->best.by),
		                 (unsigned long long)(lowest + g->second.by), path);
	*base = lowest + g->best.by;
	return 1;
}

/* ---- the program that a trace names ---- */

/* What the trace's comments tell of it; path NULL: nothing. */
struct named {
	char *path, *id;
};

static int take_comment(struct cairn *c, struct named *p, const char *text, size_t n)
{
	static const struct {
		const char *key;
		size_t n;
	} keys[] = {{"program: ", 9}, {"build-id: ", 10}};
	for (unsigned i = 0; i < 2; i++) {
		char **to = i ? &p->id : &p->path;
		if (*to || n <= keys[i].n || memcmp(text, keys[i].key, keys[i].n) != 0)
			continue;
		*to = base_alloc(c, n - keys[i].n + 1);
		if (!*to)
			return CAIRN_E_NOMEM;
		memcpy(*to, text + keys[i].n, n - keys[i].n);
	}
	return 0;
}

/* Comments stand in the header, or are the first of the events. */
static int look_for_comments(struct cairn *c, const char *trace, const char *from, struct named *p)
{
	struct cairn_open_opts o = {.size = sizeof o, .from = from, .no_index = 1};
	struct cairn_reader *r = NULL;
	struct cairn_batch *b = cairn_batch_new(c);
	const char *text;
	size_t n;
	int rc = b ? cairn_open(c, trace, &o, &r) : CAIRN_E_NOMEM;
	bool (*comment)(const struct cairn_reader *, size_t, const char **, size_t *) =
		rc >= 0 ? r->format->comment : NULL;
	for (size_t i = 0; rc >= 0 && comment && comment(r, i, &text, &n); i++)
		rc = take_comment(c, p, text, n);
	if (rc >= 0 && !p->path) {
		cairn_reader_want(r, CAIRN_PC | CAIRN_EVENTS | CAIRN_BYTES);
		rc = cairn_next(r, b);
	}
	for (uint32_t i = 0; rc >= 0 && i < b->n_events; i++) {
		const struct cairn_event *e = &b->events[i];
		if (e->kind == CAIRN_EV_COMMENT && e->args <= b->n_bytes && e->len <= b->n_bytes - e->args)
			rc = take_comment(c, p, (const char *)b->bytes + e->args, e->len);
	}
	cairn_close(r);
	cairn_batch_free(c, b);
	return rc;
}

/* The ways in which the path may be meant: as it is, from the trace's folder, from here, and
 * the name alone beside the trace, for both may have moved. */
static bool way(const char *trace, const char *path, unsigned i, char *out, size_t size)
{
	const char *slash = strrchr(trace, '/'), *name = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - trace) : 0, n;
	name = name ? name + 1 : path;
	if (i == 0)
		n = snprintf(out, size, "%.*s%s", *path == '/' ? 0 : folder, trace, path);
	else if (i == 1)
		n = snprintf(out, size, "%s", path);
	else
		n = snprintf(out, size, "%.*s%s", folder, trace, name);
	return n > 0 && (size_t)n < size;
}

/* Is it the program that ran, and where? < 0: it is not, or that does not show. */
static int judge_program(struct guess *g, const char *path, const char *id, const char *trace,
                         const char *from, uint64_t *base)
{
	char hex[129];
	bool moves = image_moves(g->im);
	if (id && (!cairn_image_build_id(g->im, hex, sizeof hex) || strcmp(hex, id) != 0))
		return -1;
	if (id && !moves)
		return 0;
	/* What a program does first is mostly its loader's. */
	for (uint64_t look = LOOK_BRIEFLY; look <= LOOK; look *= LOOK / LOOK_BRIEFLY) {
		memset(g->table, 0, SLOTS * sizeof *g->table);
		g->n = 0;
		g->best = g->second = (struct candidate){0};
		if (sample(g, trace, from, look) < 0)
			return -1;
		if (!moves)
			return place_image_fits(g, 0) >= ENOUGH ? 0 : -1; /* what ran is what the file holds */
		if (place_image_search(g) >= 0 && g->best.fits >= ENOUGH &&
		    place_image_answer(g, path, base) > 0)
			return 0;
	}
	return -1;
}

static int try_program(struct cairn *c, const char *path, const char *id, const char *trace,
                       const char *from, char *spec, size_t n)
{
	struct cairn_image *im = cairn_image_new(c);
	struct guess g = {.c = c, .im = im};
	uint64_t base = 0;
	int rc = im && image_is_program(path) ? cairn_image_add(im, path) : CAIRN_E_NOTFOUND;
	g.n_written = rc < 0 ? 0 : image_written(im, g.written, WRITTEN);
	g.table = rc < 0 ? NULL : base_alloc(c, SLOTS * sizeof *g.table);
	if (g.table)
		rc = judge_program(&g, path, id, trace, from, &base);
	if (g.table && rc >= 0 && base)
		rc = snprintf(spec, n, "%s@0x%llx", path, (unsigned long long)base) < (int)n;
	else if (g.table && rc >= 0)
		rc = snprintf(spec, n, "%s", path) < (int)n;
	base_free(c, g.table);
	cairn_image_free(im);
	return rc > 0;
}

int cairn_image_recorded(struct cairn *c, const char *trace, const char *from, char *spec, size_t n)
{
	struct named p = {NULL, NULL};
	char path[4096];
	int rc = look_for_comments(c, trace, from, &p);
	bool found = false;
	for (unsigned i = 0; rc >= 0 && p.path && i < 3 && !found; i++)
		found = way(trace, p.path, i, path, sizeof path) &&
		        try_program(c, path, p.id, trace, from, spec, n);
	base_free(c, p.path);
	base_free(c, p.id);
	return found;
}

static void place_image_match(const struct guess *g, struct cairn_image_match *out)
{
	*out = (struct cairn_image_match){0, 0, UINT64_MAX};
	for (size_t i = 0; i < SLOTS; i++) {
		const struct sample *s = &g->table[i];
		uint8_t bytes[4];
		if (!s->size || cairn_image_read(g->im, s->pc, bytes, s->size) < s->size ||
		    may_change(g, s->pc))
			continue;
		bool same = !memcmp(bytes, s->bytes, s->size);
		out->same += same;
		out->other += !same;
		out->first = !same && s->pc < out->first ? s->pc : out->first;
	}
}

int cairn_image_match(struct cairn *c, const struct cairn_image *image, const char *trace,
                      const char *from, struct cairn_image_match *out)
{
	struct guess g = {.c = c, .im = image, .table = base_alloc(c, SLOTS * sizeof *g.table)};
	int rc = g.table ? 0 : CAIRN_E_NOMEM;
	g.n_written = image_written(image, g.written, WRITTEN);
	*out = (struct cairn_image_match){0, 0, UINT64_MAX};
	for (uint64_t look = LOOK_BRIEFLY; rc >= 0 && look <= LOOK && !(out->same + out->other);
	     look *= LOOK / LOOK_BRIEFLY) {
		memset(g.table, 0, SLOTS * sizeof *g.table);
		g.n = 0;
		rc = sample(&g, trace, from, look);
		if (rc >= 0)
			place_image_match(&g, out);
	}
	base_free(c, g.table);
	return rc < 0 ? rc : 0;
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
	g.n_written = rc < 0 ? 0 : image_written(im, g.written, WRITTEN);
	g.table = rc < 0 ? NULL : base_alloc(c, SLOTS * sizeof *g.table);
	if (rc >= 0 && !g.table)
		rc = CAIRN_E_NOMEM;
	if (rc >= 0)
		rc = sample(&g, trace, from, LOOK);
	if (rc >= 0)
		rc = place_image_search(&g);
	if (rc >= 0)
		rc = place_image_answer(&g, path, base);
	base_free(c, g.table);
	cairn_image_free(im);
	return rc;
}

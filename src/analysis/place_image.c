/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where a position-independent program was loaded, from the instructions that ran. Each
 * instruction at the beginning of the trace gives bytes at an address. A few of them are looked
 * for in the file, at all places with the same offset in a page, which gives candidates. A
 * candidate is accepted when many of its addresses hold the file's bytes, none holds others, and
 * no other candidate comes near. Otherwise the answer is a sentence that asks for the address.
 */
#include <stdio.h>
#include <string.h>

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

/* What the trace's beginning ran, read as far as somebody asked. */
struct ran {
	struct cairn *cairn;
	struct cairn_reader *reader;
	struct cairn_batch *batch;
	bool fresh, ended;    /* fresh: nothing of the batch has been taken */
	struct sample *table; /* SLOTS */
	unsigned n;
};

struct guess {
	struct cairn *cairn;
	const struct cairn_image *im; /* at the file's own addresses */
	const struct ran *ran;
	struct candidate best, second;
	uint64_t written[WRITTEN][2]; /* what lies there may change: SPARC's PLT */
	size_t n_written;
};

/* ---- what ran ---- */

static void place_image_take(struct ran *ran, const struct cairn_insn *insn)
{
	struct sample sample = {.pc = insn->pc, .size = insn->size};
	if ((insn->flags & (CAIRN_INSN_PC_UNKNOWN | CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) ||
	    (insn->size != 2 && insn->size != 4))
		return;
	size_t at = (size_t)(insn->pc * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
	while (ran->table[at].size && ran->table[at].pc != insn->pc)
		at = (at + 1) % SLOTS;
	if (ran->table[at].size)
		return;
	base_put_le32(sample.bytes,
	              insn->isa == CAIRN_ISA_SPARC ? __builtin_bswap32(insn->enc) : insn->enc);
	ran->table[at] = sample;
	ran->n++;
}

static void ran_close(struct ran *ran)
{
	cairn_close(ran->reader);
	cairn_batch_free(ran->cairn, ran->batch);
	base_free(ran->cairn, ran->table);
}

/* Close it whatever comes back. `want`: parts of batches besides what ran. */
static int ran_open(struct cairn *cairn, const char *trace, const char *from, uint32_t want,
                    struct ran *ran)
{
	struct cairn_open_opts opts = {.size = sizeof opts, .from = from, .no_index = 1};
	*ran = (struct ran){.cairn = cairn,
	                    .batch = cairn_batch_new(cairn),
	                    .table = base_alloc(cairn, SLOTS * sizeof *ran->table)};
	if (!ran->batch || !ran->table)
		return CAIRN_E_NOMEM;
	int rc = cairn_open(cairn, trace, &opts, &ran->reader);
	if (rc >= 0)
		cairn_reader_want(ran->reader, CAIRN_PC | CAIRN_ENC | want);
	return rc;
}

static int ran_next(struct ran *ran)
{
	int rc = ran->ended ? 0 : cairn_next(ran->reader, ran->batch);
	ran->ended = rc <= 0;
	ran->fresh = rc > 0;
	return rc;
}

/* Take what ran up to instruction `look`, or as much as the table has room for. */
static int ran_sample(struct ran *ran, uint64_t look)
{
	const struct cairn_batch *batch = ran->batch;
	int rc = 0;
	while (ran->n < MOST && (ran->fresh || (batch->n0 <= look && (rc = ran_next(ran)) > 0))) {
		for (uint32_t i = 0; i < batch->n_insns && ran->n < MOST; i++)
			place_image_take(ran, &batch->insns[i]);
		ran->fresh = false;
	}
	return rc < 0 ? rc : 0;
}

/* ---- where it fits ---- */

static bool place_image_seen_before(const struct candidate *candidate, unsigned n, uint64_t by)
{
	for (unsigned i = 0; i < n; i++)
		if (candidate[i].by == by)
			return true;
	return false;
}

static bool may_change(const struct guess *guess, uint64_t addr)
{
	for (size_t i = 0; i < guess->n_written; i++)
		if (addr >= guess->written[i][0] && addr <= guess->written[i][1])
			return true;
	return false;
}

/* How many samples hold what the file holds; 0 when one holds something else. */
static unsigned place_image_fits(const struct guess *guess, uint64_t by)
{
	unsigned n = 0;
	for (size_t i = 0; i < SLOTS; i++) {
		const struct sample *sample = &guess->ran->table[i];
		uint8_t bytes[4];
		if (!sample->size ||
		    cairn_image_read(guess->im, sample->pc - by, bytes, sample->size) < sample->size ||
		    may_change(guess, sample->pc - by))
			continue;
		if (memcmp(bytes, sample->bytes, sample->size) != 0)
			return 0;
		n++;
	}
	return n;
}

static void place_image_judge(struct guess *guess, uint64_t by)
{
	struct candidate candidate = {by, place_image_fits(guess, by)};
	if (candidate.fits > guess->best.fits) {
		guess->second = guess->best;
		guess->best = candidate;
	} else if (candidate.fits > guess->second.fits) {
		guess->second = candidate;
	}
}

/* All places of one piece of the file where the anchor may lie. */
static unsigned try_piece(struct guess *guess, const struct sample *sample, uint64_t addr,
                          const uint8_t *p, uint64_t n, struct candidate *bases, unsigned n_bases)
{
	uint64_t first = (sample->pc - addr) % PAGE;
	for (uint64_t off = first; n >= sample->size && off <= n - sample->size; off += PAGE) {
		uint64_t by = sample->pc - (addr + off);
		if (memcmp(p + off, sample->bytes, sample->size) != 0 || n_bases == MOST_BASES ||
		    place_image_seen_before(bases, n_bases, by))
			continue;
		bases[n_bases++].by = by;
		place_image_judge(guess, by);
	}
	return n_bases;
}

static int place_image_search(struct guess *guess)
{
	struct candidate *bases = base_alloc(guess->cairn, MOST_BASES * sizeof *bases);
	unsigned n_bases = 0, anchors = 0;
	uint8_t met[PAGES] = {0};
	if (!bases)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < SLOTS && anchors < ANCHORS; i++) {
		const struct sample *sample = &guess->ran->table[i];
		uint64_t addr, n;
		const uint8_t *p;
		/* Some of each page, so that a small program among large libraries has its share. */
		if (sample->size != 4 || met[sample->pc / PAGE % PAGES] == PER_PAGE)
			continue;
		met[sample->pc / PAGE % PAGES]++;
		anchors++;
		for (size_t k = 0; image_piece(guess->im, k, &addr, &p, &n); k++)
			n_bases = try_piece(guess, sample, addr, p, n, bases, n_bases);
	}
	base_free(guess->cairn, bases);
	return 0;
}

static int place_image_answer(struct guess *guess, const char *path, uint64_t *base)
{
	uint64_t lowest = 0, n;
	const uint8_t *p;
	image_piece(guess->im, 0, &lowest, &p, &n);
	/* Nothing to judge by, or too little, but nothing that speaks against the file's own. */
	if (guess->ran->n == 0 || (guess->best.fits < ENOUGH && place_image_fits(guess, 0)))
		return 0;
	if (guess->best.fits < ENOUGH)
		return base_fail(guess->cairn, CAIRN_E_NOTFOUND,
		                 "%s: is position-independent, and where it was "
		                 "loaded does not show from what the trace runs: name the address, "
		                 "--image %s@0xADDRESS",
		                 path, path);
	if (2 * guess->second.fits >= guess->best.fits)
		return base_fail(guess->cairn, CAIRN_E_NOTFOUND,
		                 "%s: is position-independent, and fits what the "
		                 "trace runs at 0x%llx and at 0x%llx: name the address, --image "
		                 "%s@0xADDRESS",
		                 path, (unsigned long long)(lowest + guess->best.by),
		                 (unsigned long long)(lowest + guess->second.by), path);
	*base = lowest + guess->best.by;
	return 1;
}

/* ---- the program that a trace names ---- */

/* What the trace's comments tell of it; path NULL: nothing. */
struct named {
	char *path, *id;
};

static int take_comment(struct cairn *cairn, struct named *named, const char *text, size_t n)
{
	static const struct {
		const char *key;
		size_t n;
	} keys[] = {{"program: ", 9}, {"build-id: ", 10}};
	for (unsigned i = 0; i < 2; i++) {
		char **to = i ? &named->id : &named->path;
		if (*to || n <= keys[i].n || memcmp(text, keys[i].key, keys[i].n) != 0)
			continue;
		*to = base_alloc(cairn, n - keys[i].n + 1);
		if (!*to)
			return CAIRN_E_NOMEM;
		memcpy(*to, text + keys[i].n, n - keys[i].n);
	}
	return 0;
}

/* Comments stand in the header, or are the first of the events. */
static int look_for_comments(struct ran *ran, struct named *named)
{
	const struct cairn_reader *reader = ran->reader;
	const struct cairn_batch *batch = ran->batch;
	const char *text;
	size_t n;
	int rc = 0;
	for (size_t i = 0; rc >= 0 && reader->format->comment; i++) {
		if (!reader->format->comment(reader, i, &text, &n))
			break;
		rc = take_comment(ran->cairn, named, text, n);
	}
	if (rc >= 0 && !named->path)
		rc = ran_next(ran);
	for (uint32_t i = 0; rc >= 0 && ran->fresh && i < batch->n_events; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (event->kind == CAIRN_EV_COMMENT && event->args <= batch->n_bytes &&
		    event->len <= batch->n_bytes - event->args)
			rc = take_comment(ran->cairn, named, (const char *)batch->bytes + event->args,
			                  event->len);
	}
	return rc;
}

/* The ways in which the path may be meant: as it is, from the trace's folder, from here, and
 * the name alone beside the trace, for both may have moved. */
static bool way(const char *trace, const char *path, unsigned index, char *out, size_t size)
{
	const char *slash = strrchr(trace, '/'), *name = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - trace) : 0, n;
	name = name ? name + 1 : path;
	if (index == 0)
		n = snprintf(out, size, "%.*s%s", *path == '/' ? 0 : folder, trace, path);
	else if (index == 1)
		n = snprintf(out, size, "%s", path);
	else
		n = snprintf(out, size, "%.*s%s", folder, trace, name);
	return n > 0 && (size_t)n < size;
}

/* Is it the program that ran, and where? < 0: it is not, or that does not show. */
static int judge_program(struct guess *guess, struct ran *ran, const char *path, const char *id,
                         uint64_t *base)
{
	char hex[129];
	bool moves = image_moves(guess->im);
	if (id && (!cairn_image_build_id(guess->im, hex, sizeof hex) || strcmp(hex, id) != 0))
		return -1;
	if (id && !moves)
		return 0;
	/* What a program does first is mostly its loader's. */
	for (uint64_t look = LOOK_BRIEFLY; look <= LOOK; look *= LOOK / LOOK_BRIEFLY) {
		guess->best = guess->second = (struct candidate){0};
		if (ran_sample(ran, look) < 0)
			return -1;
		if (!moves)
			return place_image_fits(guess, 0) >= ENOUGH ? 0
			                                            : -1; /* what ran is what the file holds */
		if (place_image_search(guess) >= 0 && guess->best.fits >= ENOUGH &&
		    place_image_answer(guess, path, base) > 0)
			return 0;
	}
	return -1;
}

static int try_program(struct ran *ran, const char *path, const char *id, char *spec, size_t n)
{
	struct cairn_image *im = cairn_image_new(ran->cairn);
	struct guess guess = {.cairn = ran->cairn, .im = im, .ran = ran};
	uint64_t base = 0;
	int rc = im && image_is_program(path) ? cairn_image_add(im, path) : CAIRN_E_NOTFOUND;
	if (rc >= 0) {
		guess.n_written = image_written(im, guess.written, WRITTEN);
		rc = judge_program(&guess, ran, path, id, &base);
	}
	if (rc >= 0 && base)
		rc = snprintf(spec, n, "%s@0x%llx", path, (unsigned long long)base) < (int)n;
	else if (rc >= 0)
		rc = snprintf(spec, n, "%s", path) < (int)n;
	cairn_image_free(im);
	return rc > 0;
}

int cairn_image_recorded(struct cairn *cairn, const char *trace, const char *from, char *spec,
                         size_t n)
{
	struct named named = {NULL, NULL};
	struct ran ran;
	char path[4096];
	int rc = ran_open(cairn, trace, from, CAIRN_EVENTS | CAIRN_BYTES, &ran);
	if (rc >= 0)
		rc = look_for_comments(&ran, &named);
	bool found = false;
	for (unsigned i = 0; rc >= 0 && named.path && i < 3 && !found; i++)
		found = way(trace, named.path, i, path, sizeof path) &&
		        try_program(&ran, path, named.id, spec, n);
	ran_close(&ran);
	base_free(cairn, named.path);
	base_free(cairn, named.id);
	return found;
}

static void place_image_match(const struct guess *guess, struct cairn_image_match *out)
{
	*out = (struct cairn_image_match){.size = sizeof *out, .first = UINT64_MAX};
	for (size_t i = 0; i < SLOTS; i++) {
		const struct sample *sample = &guess->ran->table[i];
		uint8_t bytes[4];
		if (!sample->size ||
		    cairn_image_read(guess->im, sample->pc, bytes, sample->size) < sample->size ||
		    may_change(guess, sample->pc))
			continue;
		bool same = !memcmp(bytes, sample->bytes, sample->size);
		out->same += same;
		out->other += !same;
		out->first = !same && sample->pc < out->first ? sample->pc : out->first;
	}
}

int cairn_image_match(struct cairn *cairn, const struct cairn_image *image, const char *trace,
                      const char *from, struct cairn_image_match *out)
{
	if (base_sized(cairn, out, "cairn_image_match") < 0)
		return CAIRN_E_INVAL;
	struct ran ran;
	struct guess guess = {.cairn = cairn, .im = image, .ran = &ran};
	int rc = ran_open(cairn, trace, from, 0, &ran);
	guess.n_written = image_written(image, guess.written, WRITTEN);
	struct cairn_image_match own = {.size = sizeof own, .first = UINT64_MAX};
	for (uint64_t look = LOOK_BRIEFLY; rc >= 0 && look <= LOOK && !(own.same + own.other);
	     look *= LOOK / LOOK_BRIEFLY) {
		rc = ran_sample(&ran, look);
		if (rc >= 0)
			place_image_match(&guess, &own);
	}
	ran_close(&ran);
	base_give(out, &own, sizeof own);
	return rc < 0 ? rc : 0;
}

int cairn_image_place(struct cairn *cairn, const char *path, const char *trace, const char *from,
                      uint64_t *base)
{
	struct ran ran = {.cairn = cairn};
	struct cairn_image *im = cairn_image_new(cairn);
	struct guess guess = {.cairn = cairn, .im = im, .ran = &ran};
	int rc = im ? cairn_image_add(im, path) : CAIRN_E_NOMEM;
	if (rc >= 0 && !image_moves(im)) {
		cairn_image_free(im);
		return 0;
	}
	guess.n_written = rc < 0 ? 0 : image_written(im, guess.written, WRITTEN);
	if (rc >= 0)
		rc = ran_open(cairn, trace, from, 0, &ran);
	if (rc >= 0)
		rc = ran_sample(&ran, LOOK);
	if (rc >= 0)
		rc = place_image_search(&guess);
	if (rc >= 0)
		rc = place_image_answer(&guess, path, base);
	ran_close(&ran);
	cairn_image_free(im);
	return rc;
}

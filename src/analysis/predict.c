/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference branch predictors.
 *
 * bimodal: two-bit counters by address. gshare (McFarling 1993): the same by address
 * xor global history, as long as the index. TAGE (Seznec and Michaud 2006): a bimodal
 * base and six tables by address and geometrically longer histories, whose entries have
 * a tag, a three-bit counter and a two-bit usefulness; the longest match predicts, a
 * newcomer gives way to the next one while newcomers are not to be trusted; after a
 * misprediction one entry of a longer history is taken that nobody found useful.
 *
 * History holds the outcomes of conditional branches only. Addresses are halved, since
 * the shortest instructions are two bytes. Everything is deterministic: where the
 * paper draws lots, a shift register does.
 */
#include "analysis/predict.h"

#include <string.h>

enum { TABLES = 6, ENTRY_BYTES = 2, HISTORY = 256, TAG_BITS = 11, USEFUL_PERIOD = 1 << 18 };

static const unsigned lengths[TABLES] = {5, 9, 17, 33, 65, 129};

/* A history folded into few bits, kept up to date in constant time. */
struct folded {
	uint32_t value;
	unsigned bits, length;
};

struct entry {
	uint16_t tag;
	int8_t counter; /* -4 … 3: taken when not negative */
	uint8_t useful;
};

struct predict {
	enum predict_kind kind;
	unsigned base_bits, index_bits; /* log2 of entries */
	uint8_t *base;                  /* two-bit counters, a byte each */
	uint64_t history;               /* of gshare */
	struct entry *table[TABLES];
	struct folded index[TABLES], tag1[TABLES], tag2[TABLES];
	uint8_t past[HISTORY]; /* outcomes, a ring */
	unsigned at;
	int use_alternate;
	uint32_t lots;
	uint64_t branches;
};

static const struct {
	const char *name;
	uint64_t bytes;
} kinds[PREDICT_KINDS] = {{"bimodal", 4096}, {"gshare", 16384}, {"tage", 65536}};

const char *predict_name(enum predict_kind kind)
{
	return kinds[kind].name;
}

uint64_t predict_default(enum predict_kind kind)
{
	return kinds[kind].bytes;
}

static unsigned log2_of(uint64_t n)
{
	return n ? 63u - (unsigned)__builtin_clzll(n) : 0;
}

/* Entries of the base and of each table. TAGE gives the base an eighth. */
static void sizes(enum predict_kind kind, uint64_t bytes, unsigned *base, unsigned *index)
{
	uint64_t own = kind == PREDICT_TAGE ? bytes / 8 : bytes;
	*base = log2_of(own * 4);
	*index = kind == PREDICT_TAGE ? log2_of((bytes - own) / (TABLES * ENTRY_BYTES)) : 0;
}

uint64_t predict_bytes(enum predict_kind kind, uint64_t bytes)
{
	unsigned base, index;
	if (bytes < 64 || bytes > (uint64_t)1 << 26)
		return 0;
	sizes(kind, bytes, &base, &index);
	return ((uint64_t)1 << base) / 4 +
	       (kind == PREDICT_TAGE ? (uint64_t)TABLES * ENTRY_BYTES << index : 0);
}

struct predict *predict_new(struct cairn *c, enum predict_kind kind, uint64_t bytes)
{
	struct predict *p = base_alloc(c, sizeof *p);
	if (!p)
		return NULL;
	p->kind = kind;
	p->lots = 1;
	sizes(kind, bytes, &p->base_bits, &p->index_bits);
	p->base = base_alloc(c, (size_t)1 << p->base_bits);
	bool ok = p->base != NULL;
	if (ok)
		memset(p->base, 2, (size_t)1 << p->base_bits); /* weakly taken */
	for (unsigned i = 0; i < TABLES && kind == PREDICT_TAGE && ok; i++) {
		p->table[i] = base_alloc(c, sizeof(struct entry) << p->index_bits);
		p->index[i] = (struct folded){.bits = p->index_bits, .length = lengths[i]};
		p->tag1[i] = (struct folded){.bits = TAG_BITS, .length = lengths[i]};
		p->tag2[i] = (struct folded){.bits = TAG_BITS - 1, .length = lengths[i]};
		ok = p->table[i] != NULL;
	}
	if (!ok) {
		predict_free(c, p);
		p = NULL;
	}
	return p;
}

void predict_free(struct cairn *c, struct predict *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < TABLES; i++)
		base_free(c, p->table[i]);
	base_free(c, p->base);
	base_free(c, p);
}

static void predict_count(uint8_t *two, bool taken)
{
	if (taken && *two < 3)
		++*two;
	else if (!taken && *two > 0)
		--*two;
}

static uint32_t predict_bits_of(uint64_t v, unsigned bits)
{
	return (uint32_t)(v & (((uint64_t)1 << bits) - 1));
}

static bool predict_counters(struct predict *p, uint64_t pc, bool taken)
{
	uint64_t key = pc >> 1 ^ (p->kind == PREDICT_GSHARE ? p->history : 0);
	uint8_t *two = &p->base[predict_bits_of(key, p->base_bits)];
	bool right = (*two >= 2) == taken;
	predict_count(two, taken);
	p->history = p->history << 1 | taken;
	return right;
}

/* ---- TAGE ---- */

static void predict_fold(const struct predict *p, struct folded *f, bool taken)
{
	uint32_t out = p->past[(p->at - f->length) % HISTORY]; /* leaves the history */
	f->value = f->value << 1 | taken;
	f->value ^= out << f->length % f->bits;
	f->value ^= f->value >> f->bits;
	f->value = predict_bits_of(f->value, f->bits);
}

static void predict_remember(struct predict *p, bool taken)
{
	for (unsigned i = 0; i < TABLES; i++) {
		predict_fold(p, &p->index[i], taken);
		predict_fold(p, &p->tag1[i], taken);
		predict_fold(p, &p->tag2[i], taken);
	}
	p->past[p->at++ % HISTORY] = taken;
}

struct lookup {
	struct entry *hit[TABLES]; /* where the branch would be in each table */
	uint16_t tag[TABLES];
	uint8_t *base;
	int provider, alternate; /* tables; -1: the base */
	bool longest, other, final;
};

static void look_up(const struct predict *p, uint64_t pc, struct lookup *l)
{
	uint64_t a = pc >> 1;
	l->provider = l->alternate = -1;
	l->base = &p->base[predict_bits_of(a, p->base_bits)];
	for (int i = 0; i < TABLES; i++) {
		uint64_t index = a ^ a >> (p->index_bits - (unsigned)i % p->index_bits) ^ p->index[i].value;
		l->hit[i] = &p->table[i][predict_bits_of(index, p->index_bits)];
		/* 0 is no tag: an entry never used matches nothing */
		l->tag[i] =
			(uint16_t)(predict_bits_of(a ^ p->tag1[i].value ^ p->tag2[i].value << 1, TAG_BITS) | 1);
		if (l->hit[i]->tag != l->tag[i])
			continue;
		l->alternate = l->provider;
		l->provider = i;
	}
	l->other = l->alternate >= 0 ? l->hit[l->alternate]->counter >= 0 : *l->base >= 2;
	l->final = l->longest = l->other;
	if (l->provider < 0)
		return;
	const struct entry *e = l->hit[l->provider];
	l->longest = e->counter >= 0;
	bool newcomer = e->useful == 0 && (e->counter == 0 || e->counter == -1);
	l->final = newcomer && p->use_alternate >= 0 ? l->other : l->longest;
}

/* Take an entry of a longer history that nobody found useful. */
static void predict_allocate(struct predict *p, const struct lookup *l, bool taken)
{
	int from = l->provider + 1;
	p->lots = p->lots >> 1 ^ (p->lots & 1 ? 0xd0000001u : 0);
	if (from < TABLES - 1 && (p->lots & 3) == 0) /* not always the next one */
		from++;
	for (int i = from; i < TABLES; i++)
		if (l->hit[i]->useful == 0) {
			*l->hit[i] = (struct entry){.tag = l->tag[i], .counter = taken ? 0 : -1};
			return;
		}
	for (int i = from; i < TABLES; i++)
		l->hit[i]->useful--;
}

static void age(struct predict *p)
{
	for (unsigned i = 0; i < TABLES; i++)
		for (size_t k = 0; k < (size_t)1 << p->index_bits; k++)
			p->table[i][k].useful >>= 1;
}

static void predict_learn(struct predict *p, const struct lookup *l, bool taken)
{
	if (l->provider < 0) {
		predict_count(l->base, taken);
	} else {
		struct entry *e = l->hit[l->provider];
		bool newcomer = e->useful == 0 && (e->counter == 0 || e->counter == -1);
		if (newcomer && l->longest != l->other) {
			p->use_alternate += l->other == taken ? 1 : -1;
			p->use_alternate = p->use_alternate > 7    ? 7
			                   : p->use_alternate < -8 ? -8
			                                           : p->use_alternate;
		}
		if (l->longest != l->other) {
			if (l->longest == taken && e->useful < 3)
				e->useful++;
			else if (l->longest != taken && e->useful > 0)
				e->useful--;
		}
		if (taken && e->counter < 3)
			e->counter++;
		else if (!taken && e->counter > -4)
			e->counter--;
		/* The base goes on learning while the entry that answers is new. */
		if (e->useful == 0 && l->alternate < 0)
			predict_count(l->base, taken);
	}
	if (l->final != taken && l->provider < TABLES - 1)
		predict_allocate(p, l, taken);
	if (++p->branches % USEFUL_PERIOD == 0)
		age(p);
}

bool predict_branch(struct predict *p, uint64_t pc, bool taken)
{
	struct lookup l;
	if (p->kind != PREDICT_TAGE)
		return predict_counters(p, pc, taken);
	look_up(p, pc, &l);
	predict_learn(p, &l, taken);
	predict_remember(p, taken);
	return l.final == taken;
}

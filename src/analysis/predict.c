/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference branch predictors.
 *
 * bimodal: two-bit counters by address. gshare (McFarling 1993): the same by address
 * xor global history, as long as the index. TAGE (Seznec and Michaud 2006): a bimodal
 * base and six tables by address and geometrically longer histories, whose entries have
 * a tag, a three-bit counter and a two-bit usefulness. The longest match predicts; a new entry
 * is passed over for the next match while a counter says that new entries predict badly. After a
 * misprediction an entry with a longer history and usefulness 0 is replaced.
 *
 * The history holds the outcomes of conditional branches only. Addresses are halved, since the
 * shortest instructions have two bytes. Everything is deterministic: where the paper uses random
 * numbers, a shift register gives them.
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

struct predict *predict_new(struct cairn *cairn, enum predict_kind kind, uint64_t bytes)
{
	struct predict *predict = base_alloc(cairn, sizeof *predict);
	if (!predict)
		return NULL;
	predict->kind = kind;
	predict->lots = 1;
	sizes(kind, bytes, &predict->base_bits, &predict->index_bits);
	predict->base = base_alloc(cairn, (size_t)1 << predict->base_bits);
	bool ok = predict->base != NULL;
	if (ok)
		memset(predict->base, 2, (size_t)1 << predict->base_bits); /* weakly taken */
	for (unsigned i = 0; i < TABLES && kind == PREDICT_TAGE && ok; i++) {
		predict->table[i] = base_alloc(cairn, sizeof(struct entry) << predict->index_bits);
		predict->index[i] = (struct folded){.bits = predict->index_bits, .length = lengths[i]};
		predict->tag1[i] = (struct folded){.bits = TAG_BITS, .length = lengths[i]};
		predict->tag2[i] = (struct folded){.bits = TAG_BITS - 1, .length = lengths[i]};
		ok = predict->table[i] != NULL;
	}
	if (!ok) {
		predict_free(cairn, predict);
		predict = NULL;
	}
	return predict;
}

void predict_free(struct cairn *cairn, struct predict *predict)
{
	if (!predict)
		return;
	for (unsigned i = 0; i < TABLES; i++)
		base_free(cairn, predict->table[i]);
	base_free(cairn, predict->base);
	base_free(cairn, predict);
}

static void predict_count(uint8_t *two, bool taken)
{
	if (taken && *two < 3)
		++*two;
	else if (!taken && *two > 0)
		--*two;
}

static uint32_t predict_bits_of(uint64_t value, unsigned bits)
{
	return (uint32_t)(value & (((uint64_t)1 << bits) - 1));
}

static bool predict_counters(struct predict *predict, uint64_t pc, bool taken)
{
	uint64_t key = pc >> 1 ^ (predict->kind == PREDICT_GSHARE ? predict->history : 0);
	uint8_t *two = &predict->base[predict_bits_of(key, predict->base_bits)];
	bool right = (*two >= 2) == taken;
	predict_count(two, taken);
	predict->history = predict->history << 1 | taken;
	return right;
}

/* ---- TAGE ---- */

static void predict_fold(const struct predict *predict, struct folded *folded, bool taken)
{
	uint32_t out = predict->past[(predict->at - folded->length) % HISTORY]; /* leaves the history */
	folded->value = folded->value << 1 | taken;
	folded->value ^= out << folded->length % folded->bits;
	folded->value ^= folded->value >> folded->bits;
	folded->value = predict_bits_of(folded->value, folded->bits);
}

static void predict_remember(struct predict *predict, bool taken)
{
	for (unsigned i = 0; i < TABLES; i++) {
		predict_fold(predict, &predict->index[i], taken);
		predict_fold(predict, &predict->tag1[i], taken);
		predict_fold(predict, &predict->tag2[i], taken);
	}
	predict->past[predict->at++ % HISTORY] = taken;
}

struct lookup {
	struct entry *hit[TABLES]; /* where the branch would be in each table */
	uint16_t tag[TABLES];
	uint8_t *base;
	int provider, alternate; /* tables; -1: the base */
	bool longest, other, final;
};

static void look_up(const struct predict *predict, uint64_t pc, struct lookup *lookup)
{
	uint64_t a = pc >> 1;
	lookup->provider = lookup->alternate = -1;
	lookup->base = &predict->base[predict_bits_of(a, predict->base_bits)];
	for (int i = 0; i < TABLES; i++) {
		uint64_t index = a ^ a >> (predict->index_bits - (unsigned)i % predict->index_bits) ^
		                 predict->index[i].value;
		lookup->hit[i] = &predict->table[i][predict_bits_of(index, predict->index_bits)];
		/* 0 is no tag: an entry never used matches nothing */
		lookup->tag[i] =
			(uint16_t)(predict_bits_of(a ^ predict->tag1[i].value ^ predict->tag2[i].value << 1,
		                               TAG_BITS) |
		               1);
		if (lookup->hit[i]->tag != lookup->tag[i])
			continue;
		lookup->alternate = lookup->provider;
		lookup->provider = i;
	}
	lookup->other =
		lookup->alternate >= 0 ? lookup->hit[lookup->alternate]->counter >= 0 : *lookup->base >= 2;
	lookup->final = lookup->longest = lookup->other;
	if (lookup->provider < 0)
		return;
	const struct entry *entry = lookup->hit[lookup->provider];
	lookup->longest = entry->counter >= 0;
	bool newcomer = entry->useful == 0 && (entry->counter == 0 || entry->counter == -1);
	lookup->final = newcomer && predict->use_alternate >= 0 ? lookup->other : lookup->longest;
}

/* Take an entry of a longer history that nobody found useful. */
static void predict_allocate(struct predict *predict, const struct lookup *lookup, bool taken)
{
	int from = lookup->provider + 1;
	predict->lots = predict->lots >> 1 ^ (predict->lots & 1 ? 0xd0000001u : 0);
	if (from < TABLES - 1 && (predict->lots & 3) == 0) /* not always the next one */
		from++;
	for (int i = from; i < TABLES; i++)
		if (lookup->hit[i]->useful == 0) {
			*lookup->hit[i] = (struct entry){.tag = lookup->tag[i], .counter = taken ? 0 : -1};
			return;
		}
	for (int i = from; i < TABLES; i++)
		lookup->hit[i]->useful--;
}

static void age(struct predict *predict)
{
	for (unsigned i = 0; i < TABLES; i++)
		for (size_t k = 0; k < (size_t)1 << predict->index_bits; k++)
			predict->table[i][k].useful >>= 1;
}

static void predict_learn(struct predict *predict, const struct lookup *lookup, bool taken)
{
	if (lookup->provider < 0) {
		predict_count(lookup->base, taken);
	} else {
		struct entry *entry = lookup->hit[lookup->provider];
		bool newcomer = entry->useful == 0 && (entry->counter == 0 || entry->counter == -1);
		if (newcomer && lookup->longest != lookup->other) {
			predict->use_alternate += lookup->other == taken ? 1 : -1;
			predict->use_alternate = predict->use_alternate > 7    ? 7
			                         : predict->use_alternate < -8 ? -8
			                                                       : predict->use_alternate;
		}
		if (lookup->longest != lookup->other) {
			if (lookup->longest == taken && entry->useful < 3)
				entry->useful++;
			else if (lookup->longest != taken && entry->useful > 0)
				entry->useful--;
		}
		if (taken && entry->counter < 3)
			entry->counter++;
		else if (!taken && entry->counter > -4)
			entry->counter--;
		/* The base goes on learning while the entry that answers is new. */
		if (entry->useful == 0 && lookup->alternate < 0)
			predict_count(lookup->base, taken);
	}
	if (lookup->final != taken && lookup->provider < TABLES - 1)
		predict_allocate(predict, lookup, taken);
	if (++predict->branches % USEFUL_PERIOD == 0)
		age(predict);
}

bool predict_branch(struct predict *predict, uint64_t pc, bool taken)
{
	struct lookup lookup;
	if (predict->kind != PREDICT_TAGE)
		return predict_counters(predict, pc, taken);
	look_up(predict, pc, &lookup);
	predict_learn(predict, &lookup, taken);
	predict_remember(predict, taken);
	return lookup.final == taken;
}

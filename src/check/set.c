/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of 64-bit numbers: open addressing over blocks of 64 neighbours, a bit
 * each. Ids that count up and pages that lie together take a fraction of a byte.
 */
#include "check/check.h"

enum { FIRST = 64 };

void check_set_init(struct check_set *set, struct cairn *cairn)
{
	*set = (struct check_set){.cairn = cairn};
}

void check_set_free(struct check_set *set)
{
	base_free(set->cairn, set->key);
	base_free(set->cairn, set->bits);
	check_set_init(set, set->cairn);
}

/* The block's slot, or the free one where it would go. */
static size_t set_find(const struct check_set *set, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (set->cap - 1);
	while (set->bits[i] && set->key[i] != key)
		i = (i + 1) & (set->cap - 1);
	return i;
}

static int set_grow(struct check_set *set)
{
	struct check_set n = {.cairn = set->cairn,
	                      .used = set->used,
	                      .cap = set->cap ? 2 * set->cap : FIRST};
	n.key = base_alloc(set->cairn, n.cap * sizeof *n.key);
	n.bits = base_alloc(set->cairn, n.cap * sizeof *n.bits);
	if (!n.key || !n.bits) {
		base_free(set->cairn, n.key);
		base_free(set->cairn, n.bits);
		return CAIRN_E_NOMEM;
	}
	for (size_t i = 0; i < set->cap; i++) {
		if (!set->bits[i])
			continue;
		size_t j = set_find(&n, set->key[i]);
		n.key[j] = set->key[i];
		n.bits[j] = set->bits[i];
	}
	check_set_free(set);
	*set = n;
	return 0;
}

int check_set_add(struct check_set *set, uint64_t value)
{
	if (set->used * 3 >= set->cap * 2) {
		int rc = set_grow(set);
		if (rc < 0)
			return rc;
	}
	size_t i = set_find(set, value / 64);
	uint64_t bit = UINT64_C(1) << (value & 63);
	if (set->bits[i] & bit)
		return 0;
	set->used += set->bits[i] == 0;
	set->key[i] = value / 64;
	set->bits[i] |= bit;
	return 1;
}

bool check_set_has(const struct check_set *set, uint64_t value)
{
	if (!set->cap)
		return false;
	return set->bits[set_find(set, value / 64)] >> (value & 63) & 1;
}

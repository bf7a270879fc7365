/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of 64-bit numbers: open addressing over blocks of 64 neighbours, a bit
 * each. Ids that count up and pages that lie together take a fraction of a byte.
 */
#include "check/check.h"

enum { FIRST = 64 };

void check_set_init(struct check_set *s, struct cairn *c)
{
	*s = (struct check_set){.c = c};
}

void check_set_free(struct check_set *s)
{
	base_free(s->c, s->key);
	base_free(s->c, s->bits);
	check_set_init(s, s->c);
}

/* The block's slot, or the free one where it would go. */
static size_t set_find(const struct check_set *s, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (s->cap - 1);
	while (s->bits[i] && s->key[i] != key)
		i = (i + 1) & (s->cap - 1);
	return i;
}

static int set_grow(struct check_set *s)
{
	struct check_set n = {.c = s->c, .used = s->used, .cap = s->cap ? 2 * s->cap : FIRST};
	n.key = base_alloc(s->c, n.cap * sizeof *n.key);
	n.bits = base_alloc(s->c, n.cap * sizeof *n.bits);
	if (!n.key || !n.bits) {
		base_free(s->c, n.key);
		base_free(s->c, n.bits);
		return CAIRN_E_NOMEM;
	}
	for (size_t i = 0; i < s->cap; i++) {
		if (!s->bits[i])
			continue;
		size_t j = set_find(&n, s->key[i]);
		n.key[j] = s->key[i];
		n.bits[j] = s->bits[i];
	}
	check_set_free(s);
	*s = n;
	return 0;
}

int check_set_add(struct check_set *s, uint64_t v)
{
	if (s->used * 3 >= s->cap * 2) {
		int rc = set_grow(s);
		if (rc < 0)
			return rc;
	}
	size_t i = set_find(s, v / 64);
	uint64_t bit = UINT64_C(1) << (v & 63);
	if (s->bits[i] & bit)
		return 0;
	s->used += s->bits[i] == 0;
	s->key[i] = v / 64;
	s->bits[i] |= bit;
	return 1;
}

bool check_set_has(const struct check_set *s, uint64_t v)
{
	if (!s->cap)
		return false;
	return s->bits[set_find(s, v / 64)] >> (v & 63) & 1;
}

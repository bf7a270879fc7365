/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory as far as it is known: a table of pieces of 64 bytes by address space and
 * address. Small pieces, so that an access costs memory in proportion to itself, however
 * far from the others it lies; and a limit, for a trace may be larger than the machine.
 *
 * What becomes unknown and never was known takes no piece, unless it must be remembered
 * that it was told of (`set`): that is where older parts of the trace are asked later.
 * An access of more than 64 KiB without its contents (a DMA transfer) makes all unknown:
 * the time it takes must not be out of proportion, either.
 */
#include "analysis/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 };

void memory_free(struct memory *m)
{
	base_free(m->c, m->pieces);
	base_free(m->c, m->table);
	m->pieces = NULL;
	m->table = NULL;
	m->n = m->cap = m->cap_table = 0;
	memset(m->recent, 0, sizeof m->recent);
}

/* Freed, not emptied: what clearing costs was paid by what was put. */
void memory_clear(struct memory *m)
{
	memory_free(m);
	m->closed = true;
}

static size_t memory_hash_of(const struct cairn_space *s, uint64_t at)
{
	uint64_t h = (at ^ (uint64_t)s->kind << 62 ^ (uint64_t)s->vmid << 40) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ s->id) * 0xff51afd7ed558ccdu;
	return (size_t)(h ^ h >> 32);
}

static bool memory_same_space(const struct cairn_space *a, const struct cairn_space *b)
{
	return a->kind == b->kind && a->id == b->id && a->vmid == b->vmid;
}

/* Where in the table the piece is, or would be. */
static uint32_t *memory_place_of(const struct memory *m, const struct cairn_space *space,
                                 uint64_t at)
{
	for (size_t i = memory_hash_of(space, at);; i++) {
		uint32_t *t = &m->table[i & (m->cap_table - 1)];
		if (!*t)
			return t;
		const struct memory_piece *p = &m->pieces[*t - 1];
		if (p->at == at && memory_same_space(&p->space, space))
			return t;
	}
}

const struct memory_piece *memory_find(const struct memory *m, const struct cairn_space *space,
                                       uint64_t at)
{
	uint32_t *t = m->cap_table ? memory_place_of(m, space, at) : NULL;
	return t && *t ? &m->pieces[*t - 1] : NULL;
}

static int memory_grow(struct memory *m)
{
	size_t cap = m->cap ? 2 * m->cap : 256;
	if (m->cap * (sizeof *m->pieces + 2 * sizeof *m->table) >= m->max_bytes || cap > UINT32_MAX / 4)
		return base_fail(m->c, CAIRN_E_LIMIT, "the trace's memory takes more than %llu MiB",
		                 (unsigned long long)(m->max_bytes >> 20));
	struct memory_piece *p = base_realloc(m->c, m->pieces, cap * sizeof *p);
	if (!p)
		return CAIRN_E_NOMEM;
	m->pieces = p;
	m->cap = cap;
	uint32_t *t = base_alloc(m->c, 2 * cap * sizeof *t);
	if (!t)
		return CAIRN_E_NOMEM;
	base_free(m->c, m->table);
	m->table = t;
	m->cap_table = 2 * cap;
	for (size_t i = 0; i < m->n; i++)
		*memory_place_of(m, &p[i].space, p[i].at) = (uint32_t)i + 1;
	return 0;
}

static int piece_for(struct memory *m, const struct cairn_space *space, uint64_t at,
                     struct memory_piece **out)
{
	uint32_t *recent = &m->recent[at % MEMORY_RECENT];
	if (*recent && m->pieces[*recent - 1].at == at &&
	    memory_same_space(&m->pieces[*recent - 1].space, space)) {
		*out = &m->pieces[*recent - 1];
		return 0;
	}
	uint32_t *t = m->cap_table ? memory_place_of(m, space, at) : NULL;
	int rc = 0;
	if (!t || (!*t && m->n == m->cap)) {
		rc = memory_grow(m);
		if (rc < 0)
			return rc;
		t = memory_place_of(m, space, at);
	}
	if (!*t) {
		m->pieces[m->n] = (struct memory_piece){.space = *space, .at = at};
		*t = (uint32_t)++m->n;
	}
	*recent = *t;
	*out = &m->pieces[*t - 1];
	return 0;
}

static uint64_t mask_of(uint64_t from, uint64_t n)
{
	return (n >= PIECE ? UINT64_MAX : ((uint64_t)1 << n) - 1) << from;
}

int memory_put(struct memory *m, const struct cairn_space *space, uint64_t addr, uint64_t n,
               const uint8_t *bytes)
{
	while (n) {
		uint64_t from = addr % PIECE, k = PIECE - from < n ? PIECE - from : n;
		struct memory_piece *p;
		int rc = piece_for(m, space, addr / PIECE, &p);
		if (rc < 0)
			return rc;
		memcpy(p->bytes + from, bytes, (size_t)k);
		p->known |= mask_of(from, k);
		p->set |= mask_of(from, k);
		bytes += k;
		addr += k;
		n -= k;
	}
	return 0;
}

static void forget_piece(struct memory_piece *p, uint64_t from, uint64_t k)
{
	memset(p->bytes + from, 0, (size_t)k);
	p->known &= ~mask_of(from, k);
	p->set |= mask_of(from, k);
}

int memory_forget(struct memory *m, const struct cairn_space *space, uint64_t addr, uint64_t n)
{
	enum { MUCH = 1 << 16 };
	if (n > MUCH) {
		memory_clear(m);
		return 0;
	}
	while (n) {
		uint64_t from = addr % PIECE, k = PIECE - from < n ? PIECE - from : n;
		uint32_t *t = m->cap_table ? memory_place_of(m, space, addr / PIECE) : NULL;
		struct memory_piece *p = t && *t ? &m->pieces[*t - 1] : NULL;
		int rc = !p && m->remember ? piece_for(m, space, addr / PIECE, &p) : 0;
		if (rc < 0)
			return rc;
		if (p)
			forget_piece(p, from, k);
		addr += k;
		n -= k;
	}
	return 0;
}

static void memory_take_bytes(struct memory_piece *p, const struct memory_piece *from,
                              uint64_t mask)
{
	for (uint64_t left = mask; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		p->bytes[i] = from->bytes[i];
	}
	p->set |= mask;
	p->known = (p->known & ~mask) | (from->known & mask);
}

int memory_take(struct memory *m, const struct memory_piece *from, uint64_t mask)
{
	struct memory_piece *p;
	int rc = piece_for(m, &from->space, from->at, &p);
	if (rc >= 0)
		memory_take_bytes(p, from, mask);
	return rc;
}

int memory_fill(struct memory *m, const struct cairn_space *space, uint64_t addr, uint64_t n,
                const struct memory *from)
{
	const struct memory_piece *old = memory_find(from, space, addr / PIECE);
	const struct memory_piece *have = memory_find(m, space, addr / PIECE);
	uint64_t mask = mask_of(addr % PIECE, n) & (old ? old->set : 0) & ~(have ? have->set : 0);
	return mask ? memory_take(m, old, mask) : 0;
}

bool memory_all_set(const struct memory *m, const struct cairn_space *space, uint64_t addr,
                    uint64_t n)
{
	while (n && !m->closed) {
		uint64_t from = addr % PIECE, k = PIECE - from < n ? PIECE - from : n;
		const struct memory_piece *p = memory_find(m, space, addr / PIECE);
		if (mask_of(from, k) & ~(p ? p->set : 0))
			return false;
		addr += k;
		n -= k;
	}
	return true;
}

/* Bytes of a piece of which `p` tells something else than what is known: where one of both
 * is not known, that is 0 in it. */
static uint64_t differing(const struct memory_piece *p, const struct memory_piece *have)
{
	uint64_t mask = have ? p->known ^ have->known : p->known;
	if (have && memcmp(p->bytes, have->bytes, PIECE) != 0)
		for (unsigned i = 0; i < PIECE; i++)
			mask |= (uint64_t)(p->bytes[i] != have->bytes[i]) << i;
	return mask & p->set;
}

int memory_apply(struct memory *m, const struct memory *part, struct memory *changes)
{
	int rc = 0;
	if (part->closed) {
		memory_clear(m);
		memory_clear(changes);
	}
	for (size_t i = 0; i < part->n && rc >= 0; i++) {
		const struct memory_piece *p = &part->pieces[i];
		uint32_t *t = m->cap_table ? memory_place_of(m, &p->space, p->at) : NULL;
		struct memory_piece *have = t && *t ? &m->pieces[*t - 1] : NULL;
		uint64_t mask = differing(p, have);
		if (mask && have)
			memory_take_bytes(have, p, mask);
		else if (mask)
			rc = memory_take(m, p, mask);
		if (mask && rc >= 0)
			rc = memory_take(changes, p, mask);
	}
	return rc;
}

/* ---- all of it ---- */

static int memory_by_place(const void *a, const void *b)
{
	const struct memory_piece *x = *(const struct memory_piece *const *)a;
	const struct memory_piece *y = *(const struct memory_piece *const *)b;
	const struct cairn_space *s = &x->space, *t = &y->space;
	if (s->kind != t->kind)
		return s->kind < t->kind ? -1 : 1;
	if (s->vmid != t->vmid)
		return s->vmid < t->vmid ? -1 : 1;
	if (s->id != t->id)
		return s->id < t->id ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

size_t memory_known(const struct memory *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		n += m->pieces[i].known != 0;
	return n;
}

int memory_sorted(const struct memory *m, bool told, const struct memory_piece ***out, size_t *n)
{
	const struct memory_piece **order = base_alloc(m->c, (m->n + 1) * sizeof *order);
	*out = order;
	*n = 0;
	if (!order)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < m->n; i++)
		if (told ? m->pieces[i].set : m->pieces[i].known)
			order[(*n)++] = &m->pieces[i];
	qsort(order, *n, sizeof *order, memory_by_place);
	return 0;
}

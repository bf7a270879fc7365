/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The known contents of memory: a table of pieces of 64 bytes by address space and address. The
 * pieces are small so that scattered accesses do not use much memory. There is a limit, because
 * a trace may touch more memory than the machine has.
 *
 * Bytes that become unknown and never were known need no piece, unless `set` must record that
 * the trace has touched them: a later look into older parts of the trace must then not take the
 * older value. An access of more than 64 KiB without contents (a DMA transfer) makes everything
 * unknown, because marking each byte would take too long.
 */
#include "analysis/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 };

void memory_free(struct memory *memory)
{
	base_free(memory->cairn, memory->pieces);
	base_free(memory->cairn, memory->table);
	memory->pieces = NULL;
	memory->table = NULL;
	memory->n = memory->cap = memory->cap_table = 0;
	memset(memory->recent, 0, sizeof memory->recent);
}

/* Freed, not emptied: what clearing costs was paid by what was put. */
void memory_clear(struct memory *memory)
{
	memory_free(memory);
	memory->closed = true;
}

static uint8_t memory_spaces_of(const struct cairn_space *space)
{
	return space->kind == CAIRN_SPACE_PHYSICAL ? 0
	       : space->kind == CAIRN_SPACE_ONE    ? MEMORY_UNNAMED
	                                           : MEMORY_NAMED;
}

/* An access in a space of that kind comes. */
static void memory_meet(struct memory *memory, uint8_t spaces)
{
	if (spaces && memory->last && spaces != memory->last)
		memory_clear(memory);
	memory->last = spaces ? spaces : memory->last;
	memory->first = memory->first ? memory->first : spaces;
}

static size_t memory_hash_of(const struct cairn_space *space, uint64_t at)
{
	uint64_t h =
		(at ^ (uint64_t)space->kind << 62 ^ (uint64_t)space->vmid << 40) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ space->id) * 0xff51afd7ed558ccdu;
	return (size_t)(h ^ h >> 32);
}

static bool memory_same_space(const struct cairn_space *left, const struct cairn_space *right)
{
	return left->kind == right->kind && left->id == right->id && left->vmid == right->vmid;
}

/* Where in the table the piece is, or would be. */
static uint32_t *memory_place_of(const struct memory *memory, const struct cairn_space *space,
                                 uint64_t at)
{
	for (size_t i = memory_hash_of(space, at);; i++) {
		uint32_t *t = &memory->table[i & (memory->cap_table - 1)];
		if (!*t)
			return t;
		const struct memory_piece *piece = &memory->pieces[*t - 1];
		if (piece->at == at && memory_same_space(&piece->space, space))
			return t;
	}
}

const struct memory_piece *memory_find(const struct memory *memory, const struct cairn_space *space,
                                       uint64_t at)
{
	uint32_t *t = memory->cap_table ? memory_place_of(memory, space, at) : NULL;
	return t && *t ? &memory->pieces[*t - 1] : NULL;
}

static int memory_grow(struct memory *memory)
{
	size_t cap = memory->cap ? 2 * memory->cap : 256;
	if (memory->cap * (sizeof *memory->pieces + 2 * sizeof *memory->table) >= memory->max_bytes ||
	    cap > UINT32_MAX / 4)
		return base_fail(memory->cairn, CAIRN_E_LIMIT,
		                 "the trace's memory takes more than %llu MiB",
		                 (unsigned long long)(memory->max_bytes >> 20));
	struct memory_piece *piece = base_realloc(memory->cairn, memory->pieces, cap * sizeof *piece);
	if (!piece)
		return CAIRN_E_NOMEM;
	memory->pieces = piece;
	memory->cap = cap;
	uint32_t *t = base_alloc(memory->cairn, 2 * cap * sizeof *t);
	if (!t)
		return CAIRN_E_NOMEM;
	base_free(memory->cairn, memory->table);
	memory->table = t;
	memory->cap_table = 2 * cap;
	for (size_t i = 0; i < memory->n; i++)
		*memory_place_of(memory, &piece[i].space, piece[i].at) = (uint32_t)i + 1;
	return 0;
}

static int piece_for(struct memory *memory, const struct cairn_space *space, uint64_t at,
                     struct memory_piece **out)
{
	uint32_t *recent = &memory->recent[at % MEMORY_RECENT];
	memory_meet(memory, memory_spaces_of(space));
	if (*recent && memory->pieces[*recent - 1].at == at &&
	    memory_same_space(&memory->pieces[*recent - 1].space, space)) {
		*out = &memory->pieces[*recent - 1];
		return 0;
	}
	uint32_t *t = memory->cap_table ? memory_place_of(memory, space, at) : NULL;
	int rc = 0;
	if (!t || (!*t && memory->n == memory->cap)) {
		rc = memory_grow(memory);
		if (rc < 0)
			return rc;
		t = memory_place_of(memory, space, at);
	}
	if (!*t) {
		memory->pieces[memory->n] = (struct memory_piece){.space = *space, .at = at};
		*t = (uint32_t)++memory->n;
	}
	*recent = *t;
	*out = &memory->pieces[*t - 1];
	return 0;
}

static uint64_t mask_of(uint64_t from, uint64_t n)
{
	return (n >= PIECE ? UINT64_MAX : ((uint64_t)1 << n) - 1) << from;
}

int memory_put(struct memory *memory, const struct cairn_space *space, uint64_t addr, uint64_t n,
               const uint8_t *bytes, bool derived)
{
	while (n) {
		uint64_t from = addr % PIECE, k = PIECE - from < n ? PIECE - from : n;
		struct memory_piece *piece;
		int rc = piece_for(memory, space, addr / PIECE, &piece);
		if (rc < 0)
			return rc;
		memcpy(piece->bytes + from, bytes, (size_t)k);
		uint64_t mask = mask_of(from, k);
		piece->known |= mask;
		piece->set |= mask;
		piece->derived = (piece->derived & ~mask) | (derived ? mask : 0);
		bytes += k;
		addr += k;
		n -= k;
	}
	return 0;
}

static void forget_piece(struct memory_piece *piece, uint64_t from, uint64_t key)
{
	memset(piece->bytes + from, 0, (size_t)key);
	piece->known &= ~mask_of(from, key);
	piece->derived &= ~mask_of(from, key);
	piece->set |= mask_of(from, key);
}

int memory_forget(struct memory *memory, const struct cairn_space *space, uint64_t addr, uint64_t n)
{
	enum { MUCH = 1 << 16 };
	if (n > MUCH) {
		memory_clear(memory);
		return 0;
	}
	memory_meet(memory, memory_spaces_of(space));
	while (n) {
		uint64_t from = addr % PIECE, k = PIECE - from < n ? PIECE - from : n;
		uint32_t *t = memory->cap_table ? memory_place_of(memory, space, addr / PIECE) : NULL;
		struct memory_piece *piece = t && *t ? &memory->pieces[*t - 1] : NULL;
		int rc = !piece && memory->remember ? piece_for(memory, space, addr / PIECE, &piece) : 0;
		if (rc < 0)
			return rc;
		if (piece)
			forget_piece(piece, from, k);
		addr += k;
		n -= k;
	}
	return 0;
}

static void memory_take_bytes(struct memory_piece *piece, const struct memory_piece *from,
                              uint64_t mask)
{
	for (uint64_t left = mask; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		piece->bytes[i] = from->bytes[i];
	}
	piece->set |= mask;
	piece->known = (piece->known & ~mask) | (from->known & mask);
	piece->derived = (piece->derived & ~mask) | (from->derived & mask);
}

int memory_take(struct memory *memory, const struct memory_piece *from, uint64_t mask)
{
	struct memory_piece *piece;
	int rc = piece_for(memory, &from->space, from->at, &piece);
	if (rc >= 0)
		memory_take_bytes(piece, from, mask);
	return rc;
}

int memory_fill(struct memory *memory, const struct cairn_space *space, uint64_t addr, uint64_t n,
                const struct memory *from)
{
	const struct memory_piece *old = memory_find(from, space, addr / PIECE);
	const struct memory_piece *have = memory_find(memory, space, addr / PIECE);
	uint64_t mask = mask_of(addr % PIECE, n) & (old ? old->set : 0) & ~(have ? have->set : 0);
	uint8_t spaces = memory_spaces_of(space);
	bool other = spaces && memory->last && spaces != memory->last;
	return mask && !other ? memory_take(memory, old, mask) : 0;
}

bool memory_all_set(const struct memory *memory, const struct cairn_space *space, uint64_t addr,
                    uint64_t n)
{
	while (n && !memory->closed) {
		uint64_t from = addr % PIECE, k = PIECE - from < n ? PIECE - from : n;
		const struct memory_piece *piece = memory_find(memory, space, addr / PIECE);
		if (mask_of(from, k) & ~(piece ? piece->set : 0))
			return false;
		addr += k;
		n -= k;
	}
	return true;
}

/* Bytes of a piece of which `piece` tells something else than what is known: where one of both
 * is not known, that is 0 in it. */
static uint64_t differing(const struct memory_piece *piece, const struct memory_piece *have)
{
	uint64_t mask =
		have ? (piece->known ^ have->known) | (piece->derived ^ have->derived) : piece->known;
	if (have && memcmp(piece->bytes, have->bytes, PIECE) != 0)
		for (unsigned i = 0; i < PIECE; i++)
			mask |= (uint64_t)(piece->bytes[i] != have->bytes[i]) << i;
	return mask & piece->set;
}

int memory_apply(struct memory *memory, const struct memory *part, struct memory *changes)
{
	int rc = 0;
	if (part->closed || (part->first && memory->last && part->first != memory->last)) {
		memory_clear(memory);
		memory_clear(changes);
	}
	memory_meet(memory, part->last);
	for (size_t i = 0; i < part->n && rc >= 0; i++) {
		const struct memory_piece *piece = &part->pieces[i];
		uint32_t *t = memory->cap_table ? memory_place_of(memory, &piece->space, piece->at) : NULL;
		struct memory_piece *have = t && *t ? &memory->pieces[*t - 1] : NULL;
		uint64_t mask = differing(piece, have);
		if (mask && have)
			memory_take_bytes(have, piece, mask);
		else if (mask)
			rc = memory_take(memory, piece, mask);
		if (mask && rc >= 0)
			rc = memory_take(changes, piece, mask);
	}
	return rc;
}

/* ---- all of it ---- */

static int memory_by_place(const void *a, const void *b)
{
	const struct memory_piece *x = *(const struct memory_piece *const *)a;
	const struct memory_piece *y = *(const struct memory_piece *const *)b;
	const struct cairn_space *space = &x->space, *t = &y->space;
	if (space->kind != t->kind)
		return space->kind < t->kind ? -1 : 1;
	if (space->vmid != t->vmid)
		return space->vmid < t->vmid ? -1 : 1;
	if (space->id != t->id)
		return space->id < t->id ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

size_t memory_known(const struct memory *memory)
{
	size_t n = 0;
	for (size_t i = 0; i < memory->n; i++)
		n += memory->pieces[i].known != 0;
	return n;
}

int memory_sorted(const struct memory *memory, bool told, const struct memory_piece ***out,
                  size_t *n)
{
	const struct memory_piece **order = base_alloc(memory->cairn, (memory->n + 1) * sizeof *order);
	*out = order;
	*n = 0;
	if (!order)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < memory->n; i++)
		if (told ? memory->pieces[i].set : memory->pieces[i].known)
			order[(*n)++] = &memory->pieces[i];
	qsort(order, *n, sizeof *order, memory_by_place);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of which single bits are known: pieces of 4 KiB in a hash table, made when something
 * of them is first known. Forgetting all of it empties the table and keeps the pieces for later.
 * When the limit is reached what is new is not kept: it stays unknown.
 */
#include <string.h>

#include "exec/machine.h"

enum { PIECE = 4096, FIRST_SLOTS = 256 };

struct piece {
	uint64_t number; /* address / PIECE */
	struct piece *spare;
	uint8_t bytes[PIECE], known[PIECE];
};

struct exec_memory {
	struct cairn *cairn;
	struct piece **slots; /* open addressing; a power of two of them */
	uint64_t n_slots, used;
	struct piece *last;   /* the one asked for last */
	struct piece *spares; /* made and not used */
	uint64_t pieces, most;
	uint64_t changes; /* see exec_memory_changes */
};

struct exec_memory *exec_memory_new(struct cairn *cairn, uint64_t max_bytes)
{
	struct exec_memory *memory = base_alloc(cairn, sizeof *memory);
	if (!memory)
		return NULL;
	memory->cairn = cairn;
	memory->most = max_bytes / sizeof(struct piece);
	memory->n_slots = FIRST_SLOTS;
	memory->slots = base_alloc(cairn, memory->n_slots * sizeof(struct piece *));
	if (memory->slots)
		return memory;
	base_free(cairn, memory);
	return NULL;
}

void exec_memory_free(struct exec_memory *memory)
{
	if (!memory)
		return;
	exec_memory_forget(memory);
	while (memory->spares) {
		struct piece *piece = memory->spares;
		memory->spares = piece->spare;
		base_free(memory->cairn, piece);
	}
	base_free(memory->cairn, memory->slots);
	base_free(memory->cairn, memory);
}

uint64_t exec_memory_changes(const struct exec_memory *memory)
{
	return memory->changes;
}

void exec_memory_forget(struct exec_memory *memory)
{
	memory->changes++;
	for (uint64_t i = 0; i < memory->n_slots && memory->used; i++) {
		struct piece *piece = memory->slots[i];
		if (!piece)
			continue;
		piece->spare = memory->spares;
		memory->spares = piece;
		memory->slots[i] = NULL;
		memory->used--;
	}
	memory->last = NULL;
}

/* The slot of a piece, or the free one where it would be. */
static struct piece **memory_slot(const struct exec_memory *memory, uint64_t number)
{
	uint64_t i = number * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	for (;; i++) {
		struct piece **slot = &memory->slots[i & (memory->n_slots - 1)];
		if (!*slot || (*slot)->number == number)
			return slot;
	}
}

static struct piece *memory_find(struct exec_memory *memory, uint64_t number)
{
	if (memory->last && memory->last->number == number)
		return memory->last;
	struct piece *piece = *memory_slot(memory, number);
	if (piece)
		memory->last = piece;
	return piece;
}

static bool memory_grow(struct exec_memory *memory)
{
	struct piece **before = memory->slots;
	uint64_t n = memory->n_slots;
	struct piece **slots = base_alloc(memory->cairn, 2 * n * sizeof *slots);
	if (!slots)
		return false;
	memory->slots = slots;
	memory->n_slots = 2 * n;
	for (uint64_t i = 0; i < n; i++)
		if (before[i])
			*memory_slot(memory, before[i]->number) = before[i];
	base_free(memory->cairn, before);
	return true;
}

/* A piece of which nothing is known yet; NULL when there is no room. */
static struct piece *memory_add(struct exec_memory *memory, uint64_t number)
{
	struct piece *piece = memory->spares;
	if (memory->used >= memory->n_slots / 2 && !memory_grow(memory))
		return NULL;
	if (piece)
		memory->spares = piece->spare;
	else if (memory->pieces < memory->most &&
	         (piece = base_realloc(memory->cairn, NULL, sizeof *piece)))
		memory->pieces++;
	if (!piece)
		return NULL;
	piece->number = number;
	memset(piece->known, 0, sizeof piece->known);
	memset(piece->bytes, 0, sizeof piece->bytes);
	memory->used++;
	return memory->last = *memory_slot(memory, number) = piece;
}

void exec_memory_read(struct exec_memory *memory, uint64_t address, unsigned size, uint8_t *bytes,
                      uint8_t *known)
{
	while (size) {
		unsigned at = (unsigned)(address % PIECE), n = PIECE - at < size ? PIECE - at : size;
		const struct piece *piece = memory_find(memory, address / PIECE);
		if (piece) {
			memcpy(bytes, piece->bytes + at, n);
			memcpy(known, piece->known + at, n);
		} else {
			memset(bytes, 0, n);
			memset(known, 0, n);
		}
		bytes += n;
		known += n;
		address += n;
		size -= n;
	}
}

void exec_memory_write(struct exec_memory *memory, uint64_t address, unsigned size,
                       const uint8_t *bytes, const uint8_t *known)
{
	memory->changes++;
	while (size) {
		unsigned at = (unsigned)(address % PIECE), n = PIECE - at < size ? PIECE - at : size;
		struct piece *piece = memory_find(memory, address / PIECE);
		if (!piece)
			piece = memory_add(memory, address / PIECE);
		if (piece) {
			memcpy(piece->bytes + at, bytes, n);
			memcpy(piece->known + at, known, n);
		}
		bytes += n;
		known += n;
		address += n;
		size -= n;
	}
}

static struct exec_bits memory_number(const uint8_t *bytes, const uint8_t *known, unsigned size,
                                      bool big_endian)
{
	const struct exec_bits bits = {exec_number(bytes, size, big_endian),
	                               exec_number(known, size, big_endian)};
	return bits_zero_extend(bits, 8 * size);
}

struct exec_bits exec_memory_load(struct exec_memory *memory, uint64_t address, unsigned size,
                                  bool big_endian)
{
	unsigned at = (unsigned)(address % PIECE);
	if (at + size > PIECE) {
		uint8_t bytes[8], known[8];
		exec_memory_read(memory, address, size, bytes, known);
		return memory_number(bytes, known, size, big_endian);
	}
	const struct piece *piece = memory_find(memory, address / PIECE);
	return piece ? memory_number(piece->bytes + at, piece->known + at, size, big_endian)
	             : bits_zero_extend(bits_unknown(), 8 * size);
}

void exec_memory_store(struct exec_memory *memory, uint64_t address, unsigned size,
                       struct exec_bits bits, bool big_endian)
{
	unsigned at = (unsigned)(address % PIECE);
	struct piece *piece = at + size <= PIECE ? memory_find(memory, address / PIECE) : NULL;
	if (!piece) {
		uint8_t bytes[8], known[8];
		exec_put_number(bytes, size, bits.value, big_endian);
		exec_put_number(known, size, bits.known, big_endian);
		exec_memory_write(memory, address, size, bytes, known);
		return;
	}
	exec_put_number(piece->bytes + at, size, bits.value, big_endian);
	exec_put_number(piece->known + at, size, bits.known, big_endian);
}

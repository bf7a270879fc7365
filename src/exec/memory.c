/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of which single bits are known: pieces of 4 KiB in a hash table, made when something
 * of them is first known. Forgetting all of it empties the table and keeps the pieces for later.
 * When the limit is reached what is new is not kept: it stays unknown.
 */
#include <string.h>

#include "exec/memory.h"

enum { FIRST_SLOTS = 256 };

struct exec_memory *exec_memory_new(struct cairn *cairn, uint64_t max_bytes)
{
	struct exec_memory *memory = base_alloc(cairn, sizeof *memory);
	if (!memory)
		return NULL;
	memory->cairn = cairn;
	memory->most = max_bytes / sizeof(struct exec_piece);
	memory->n_slots = FIRST_SLOTS;
	memory->slots = base_alloc(cairn, memory->n_slots * sizeof(struct exec_piece *));
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
		struct exec_piece *piece = memory->spares;
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
		struct exec_piece *piece = memory->slots[i];
		if (!piece)
			continue;
		piece->spare = memory->spares;
		memory->spares = piece;
		memory->slots[i] = NULL;
		memory->used--;
	}
}

/* The slot of a piece, or the free one where it would be. */
static struct exec_piece **memory_slot(const struct exec_memory *memory, uint64_t number)
{
	for (uint64_t i = exec_memory_first(memory, number);; i = (i + 1) & (memory->n_slots - 1)) {
		struct exec_piece **slot = &memory->slots[i];
		if (!*slot || (*slot)->number == number)
			return slot;
	}
}

struct exec_piece *exec_memory_find(const struct exec_memory *memory, uint64_t number)
{
	return *memory_slot(memory, number);
}

static bool memory_grow(struct exec_memory *memory)
{
	struct exec_piece **before = memory->slots;
	uint64_t n = memory->n_slots;
	struct exec_piece **slots = base_alloc(memory->cairn, 2 * n * sizeof *slots);
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
static struct exec_piece *memory_add(struct exec_memory *memory, uint64_t number)
{
	struct exec_piece *piece = memory->spares;
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
	return *memory_slot(memory, number) = piece;
}

void exec_memory_read(struct exec_memory *memory, uint64_t address, unsigned size, uint8_t *bytes,
                      uint8_t *known)
{
	while (size) {
		unsigned at = (unsigned)(address % EXEC_PIECE),
				 n = EXEC_PIECE - at < size ? EXEC_PIECE - at : size;
		const struct exec_piece *piece = exec_memory_piece(memory, address);
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
		unsigned at = (unsigned)(address % EXEC_PIECE),
				 n = EXEC_PIECE - at < size ? EXEC_PIECE - at : size;
		struct exec_piece *piece = exec_memory_piece(memory, address);
		if (!piece)
			piece = memory_add(memory, address / EXEC_PIECE);
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

struct exec_bits exec_memory_load_across(struct exec_memory *memory, uint64_t address,
                                         unsigned size, bool big_endian)
{
	uint8_t bytes[8], known[8];
	exec_memory_read(memory, address, size, bytes, known);
	const struct exec_bits bits = {exec_number(bytes, size, big_endian),
	                               exec_number(known, size, big_endian)};
	return bits_zero_extend(bits, 8 * size);
}

void exec_memory_store_across(struct exec_memory *memory, uint64_t address, unsigned size,
                              struct exec_bits bits, bool big_endian)
{
	uint8_t bytes[8], known[8];
	exec_put_number(bytes, size, bits.value, big_endian);
	exec_put_number(known, size, bits.known, big_endian);
	exec_memory_write(memory, address, size, bytes, known);
}

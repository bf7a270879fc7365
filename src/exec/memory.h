/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H
/* Memory of a machine's own: pieces of 4 KiB in a hash table. */
#include "base/base.h"
#include "base/bytes.h"
#include "exec/bits.h"

/* Numbers of 1 to 8 bytes in memory. */
static inline uint64_t exec_number(const uint8_t *bytes, unsigned size, bool big_endian)
{
	if (size == 8)
		return big_endian ? base_be64(bytes) : base_le64(bytes);
	if (size == 4)
		return big_endian ? base_be32(bytes) : base_le32(bytes);
	if (size == 1)
		return *bytes;
	return big_endian ? base_be(bytes, size) : base_le(bytes, size);
}

static inline void exec_put_number(uint8_t *bytes, unsigned size, uint64_t value, bool big_endian)
{
	if (big_endian)
		value = __builtin_bswap64(value) >> (64 - 8 * size);
	if (size == 8)
		base_put_le64(bytes, value);
	else if (size == 4)
		base_put_le32(bytes, (uint32_t)value);
	else if (size == 1)
		*bytes = (uint8_t)value;
	else
		base_put_le(bytes, size, value);
}

enum { EXEC_PIECE = 4096 };

struct exec_piece {
	uint64_t number; /* address / EXEC_PIECE */
	struct exec_piece *spare;
	uint8_t bytes[EXEC_PIECE], known[EXEC_PIECE];
};

struct exec_memory {
	struct cairn *cairn;
	struct exec_piece **slots; /* open addressing; a power of two of them */
	uint64_t n_slots, used;
	struct exec_piece *spares; /* made and not used */
	uint64_t pieces, most;
	uint64_t changes; /* see exec_memory_changes */
};

struct exec_memory *exec_memory_new(struct cairn *cairn, uint64_t max_bytes);
void exec_memory_free(struct exec_memory *memory);
void exec_memory_forget(struct exec_memory *memory);
void exec_memory_read(struct exec_memory *memory, uint64_t address, unsigned size, uint8_t *bytes,
                      uint8_t *known);
void exec_memory_write(struct exec_memory *memory, uint64_t address, unsigned size,
                       const uint8_t *bytes, const uint8_t *known);

/* Counts whole writes, and when all was forgotten: what changes behind the back of an instruction that
 * is a part of a sequence changes it. */
uint64_t exec_memory_changes(const struct exec_memory *memory);

/* ---- numbers of 1 to 8 bytes, most of them in a piece that is there ---- */

/* Look for a piece; NULL: nothing of it is known. */
struct exec_piece *exec_memory_find(const struct exec_memory *memory, uint64_t number);
/* What any number needs. */
struct exec_bits exec_memory_load_across(struct exec_memory *memory, uint64_t address,
                                         unsigned size, bool big_endian);
void exec_memory_store_across(struct exec_memory *memory, uint64_t address, unsigned size,
                              struct exec_bits bits, bool big_endian);

/* The slot where a piece is, if no other took it. */
static inline uint64_t exec_memory_first(const struct exec_memory *memory, uint64_t number)
{
	return number * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (memory->n_slots - 1);
}

static inline struct exec_piece *exec_memory_piece(const struct exec_memory *memory,
                                                   uint64_t address)
{
	uint64_t number = address / EXEC_PIECE;
	struct exec_piece *piece = memory->slots[exec_memory_first(memory, number)];
	return !piece || piece->number == number ? piece : exec_memory_find(memory, number);
}

static inline struct exec_bits exec_memory_load(struct exec_memory *memory, uint64_t address,
                                                unsigned size, bool big_endian)
{
	unsigned at = (unsigned)(address % EXEC_PIECE), shift = 64 - 8 * size;
	const struct exec_piece *piece = exec_memory_piece(memory, address);
	if (at > EXEC_PIECE - 8 || !piece)
		return exec_memory_load_across(memory, address, size, big_endian);
	/* Eight bytes are read whatever the size, and cut: which it is can hardly be foreseen. */
	const uint8_t *bytes = &piece->bytes[at], *known = &piece->known[at];
	if (big_endian)
		return (struct exec_bits){base_be64(bytes) >> shift, ~(~base_be64(known) >> shift)};
	return bits_zero_extend((struct exec_bits){base_le64(bytes), base_le64(known)}, 8 * size);
}

static inline void exec_memory_store(struct exec_memory *memory, uint64_t address, unsigned size,
                                     struct exec_bits bits, bool big_endian)
{
	unsigned at = (unsigned)(address % EXEC_PIECE);
	struct exec_piece *piece = exec_memory_piece(memory, address);
	if (at + size > EXEC_PIECE || !piece) {
		exec_memory_store_across(memory, address, size, bits, big_endian);
		return;
	}
	exec_put_number(&piece->bytes[at], size, bits.value, big_endian);
	exec_put_number(&piece->known[at], size, bits.known, big_endian);
}

#endif

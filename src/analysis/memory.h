/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MEMORY_H
#define ANALYSIS_MEMORY_H
/* What is known of memory, in pieces of 64 bytes. */
#include "base/base.h"
#include "cairn/state.h"

/* A piece; bit i of a mask is byte i. `set`: told of, known or not; `derived`: known, and what said so last was
 * derived. */
struct memory_piece {
	struct cairn_space space;
	uint32_t pad;
	uint64_t at; /* address / 64 */
	uint64_t known, set, derived;
	uint8_t bytes[64]; /* 0 where not known */
};

enum { MEMORY_RECENT = 64 };
enum memory_spaces { MEMORY_NAMED = 1, MEMORY_UNNAMED = 2 };

struct memory {
	struct cairn *cairn;
	uint64_t max_bytes;
	bool remember; /* that something was told of what is not known: fills may follow */
	bool closed;   /* nothing older counts for any byte */
	/* Virtual addresses are in address spaces that the trace names, or in one it does not: that one
	 * may be any of the others, so what is known under the one is not any more when the other
	 * comes. enum memory_spaces of the first access, and of the last; 0 none. */
	uint8_t first, last;
	struct memory_piece *pieces;
	size_t n, cap;
	uint32_t *table; /* hash: index + 1 */
	size_t cap_table;
	uint32_t recent[MEMORY_RECENT]; /* pieces + 1 that were put lately, by their lowest bits */
};

void memory_free(struct memory *memory);
/* Nothing is known any more, and nothing older counts. */
void memory_clear(struct memory *memory);
/* Is there nothing to forget? Of one that remembers: nothing was told since it was cleared. */
static inline bool memory_is_blank(const struct memory *memory)
{
	return memory->n == 0 && (memory->closed || !memory->remember);
}
/* Bytes addr … addr + n - 1 (addresses wrap) are those of `bytes`, which the trace tells or which
 * are derived. CAIRN_E_LIMIT, CAIRN_E_NOMEM. */
int memory_put(struct memory *memory, const struct cairn_space *space, uint64_t addr, uint64_t n,
               const uint8_t *bytes, bool derived);
/* They are not known any more. */
int memory_forget(struct memory *memory, const struct cairn_space *space, uint64_t addr,
                  uint64_t n);
/* Give a piece of `n` bytes from `addr` (within 64 bytes of each other) what `from` tells of
 * it, where nothing was told yet. */
int memory_fill(struct memory *memory, const struct cairn_space *space, uint64_t addr, uint64_t n,
                const struct memory *from);
/* Has each of these bytes been told of? */
bool memory_all_set(const struct memory *memory, const struct cairn_space *space, uint64_t addr,
                    uint64_t n);
/* What `part` (which remembers) tells, after what `memory` knows. What is known differently
 * thereafter is noted in `changes` (which remembers, too). */
int memory_apply(struct memory *memory, const struct memory *part, struct memory *changes);
/* Pieces of which something is known (or, with `told`, was told), in the order of space and
 * address; free with base_free. CAIRN_E_NOMEM. */
int memory_sorted(const struct memory *memory, bool told, const struct memory_piece ***out,
                  size_t *n);
/* How many of them are known. */
size_t memory_known(const struct memory *memory);
const struct memory_piece *memory_find(const struct memory *memory, const struct cairn_space *space,
                                       uint64_t at);

/* ---- memory_pack.c: the memory of an index (docs/formats/index.md) ---- */

/* Of every piece what is known; or, of one that remembers, what was told. Appended. */
int memory_pack(const struct memory *memory, bool told, struct base_buf *out);
/* Add to `memory` what was packed. CAIRN_E_DAMAGED (without a sentence), CAIRN_E_LIMIT,
 * CAIRN_E_NOMEM. */
int memory_unpack(struct memory *memory, const uint8_t *p, size_t n);
/* Bits of `mask` of a piece are those of `from`. */
int memory_take(struct memory *memory, const struct memory_piece *from, uint64_t mask);

#endif

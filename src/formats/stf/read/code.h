/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STF_CODE_H
#define STF_CODE_H
/*
 * What an encoding makes of an instruction's row, kept in the row's own layout: the loop
 * of decoder.c copies it. Which branches are taken is the trace's matter and not in it.
 *
 * As in isa/memo.h an encoding may be in two places, which share a cache line, and the
 * newer displaces the older. A table serves one thread.
 */
#include <string.h>

#include "base/base.h"
#include "cairn/isa.h"
#include "cairn/trace.h"

enum { STF_CODE_BITS = 14 }; /* pairs: 16384 of 64 bytes */

struct stf_code {
	uint64_t key;    /* the encoding, its record's bytes and the set; 0: an empty place */
	uint64_t offset; /* of a direct branch: target - pc; else 0 */
	uint32_t enc, traits;
	uint32_t flags; /* of one that is not taken */
	uint8_t size, isa, cls, variant;
};
_Static_assert(sizeof(struct stf_code) == 32, "two share a cache line");
_Static_assert(offsetof(struct cairn_insn, traits) == offsetof(struct cairn_insn, enc) + 4 &&
                   offsetof(struct cairn_insn, variant) == offsetof(struct cairn_insn, size) + 3,
               "encoding and traits, size to variant are copied at once");

/* A key's part that is not the encoding. `size` is 2 or 4. */
static inline uint64_t stf_code_key(enum cairn_isa isa, unsigned size)
{
	return (uint64_t)size << 32 | (uint64_t)isa << 40;
}

static __attribute__((noinline, unused)) const struct stf_code *stf_code_miss(struct stf_code *pair,
                                                                              uint64_t key)
{
	struct cairn_op op;
	enum cairn_isa isa = (enum cairn_isa)(key >> 40);
	unsigned size = key >> 32 & 0xff;
	cairn_isa_decode(isa, (uint32_t)key, size, &op);
	bool branch = op.traits & CAIRN_TRAIT_BRANCH;
	bool direct = branch && !(op.traits & CAIRN_TRAIT_INDIRECT);
	bool maybe = branch && op.traits & CAIRN_TRAIT_CONDITIONAL;
	pair[1] = pair[0];
	pair[0] = (struct stf_code){.key = key,
	                            .offset = direct ? (uint64_t)op.offset : 0,
	                            .enc = (uint32_t)key,
	                            .traits = op.traits,
	                            .flags = (direct ? CAIRN_INSN_TARGET : 0u) |
	                                     (maybe ? CAIRN_INSN_NOT_TAKEN : 0u),
	                            .size = (uint8_t)size,
	                            .isa = op.isa,
	                            .cls = op.cls,
	                            .variant = op.variant};
	return pair;
}

static inline const struct stf_code *stf_code_get(struct stf_code *table, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	struct stf_code *pair = table + (hash >> (64 - STF_CODE_BITS) << 1);
	/* Which of the two it is cannot be predicted, so it is chosen without a branch. */
	struct stf_code *hit = pair + (pair[1].key == key);
	return __builtin_expect(hit->key == key, 1) ? hit : stf_code_miss(pair, key);
}

/* An empty table; free *block with base_free. NULL and CAIRN_E_NOMEM recorded when out of memory.
 *  */
static inline struct stf_code *stf_code_new(struct cairn *cairn, void **block)
{
	const uintptr_t line = 2 * sizeof(struct stf_code);
	*block = base_alloc(cairn, (sizeof(struct stf_code) << (STF_CODE_BITS + 1)) + line);
	return *block ? (struct stf_code *)(((uintptr_t)*block + line - 1) & ~(line - 1)) : NULL;
}

#endif

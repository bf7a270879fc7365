/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_MEMO_H
#define ISA_MEMO_H
/*
 * A memo of decoded encodings, for loops that decode every instruction of a
 * trace. Programs repeat a few thousand encodings, so nearly every look-up is a
 * multiply, a shift and two compares. A miss costs a mispredicted branch
 * before it costs a decode, so misses must be rare: the table is large (what of it
 * is not used stays out of the caches) and an encoding may be in two places, which
 * share a cache line. A new one displaces the older of the two.
 *
 * One memo serves one thread. The pointer isa_memo_get returns is valid until
 * the next call.
 */
#include "base/base.h"
#include "cairn/isa.h"

enum { ISA_MEMO_BITS = 15 }; /* 32768 slots of 32 bytes: 1 MiB */

/* The key is the question asked: encoding, instruction set and stated size. */
struct isa_memo_slot {
	uint64_t key;
	struct cairn_op op;
};

struct isa_memo {
	struct cairn *cairn;
	struct isa_memo_slot *slot; /* pairs, aligned to 64: one cache line a look-up */
};

static inline void isa_memo_free(struct isa_memo *memo)
{
	if (memo)
		base_free(memo->cairn, memo);
}

/* NULL and CAIRN_E_NOMEM recorded when there is no memory. */
static inline struct isa_memo *isa_memo_new(struct cairn *cairn)
{
	size_t n = (size_t)1 << ISA_MEMO_BITS;
	size_t align = 2 * sizeof(struct isa_memo_slot);
	struct isa_memo *memo = (struct isa_memo *)base_realloc(
		cairn, NULL, sizeof *memo + align + n * sizeof(struct isa_memo_slot));
	if (!memo)
		return NULL;
	memo->cairn = cairn;
	memo->slot = (struct isa_memo_slot *)(((uintptr_t)(memo + 1) + align - 1) & ~(align - 1));
	/* A key never has its top 16 bits set, so an empty slot never matches. */
	for (size_t i = 0; i < n; i++)
		memo->slot[i].key = UINT64_MAX;
	return memo;
}

/* `slot`: the pair. The first place is the newer one. */
static __attribute__((noinline, unused)) const struct cairn_op *isa_memo_miss(
	struct isa_memo_slot *slot, uint64_t key)
{
	slot[1] = slot[0];
	slot->key = key;
	cairn_isa_decode((enum cairn_isa)(key >> 32 & 0xff), (uint32_t)key, (unsigned)(key >> 40),
	                 &slot->op);
	return &slot->op;
}

/* The same answer as cairn_isa_decode. `isa` and `size` are below 256. */
static inline const struct cairn_op *isa_memo_get(struct isa_memo *memo, enum cairn_isa isa,
                                                  uint32_t enc, unsigned size)
{
	uint64_t key = enc | (uint64_t)(uint8_t)isa << 32 | (uint64_t)(uint8_t)size << 40;
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	struct isa_memo_slot *slot = &memo->slot[hash >> (65 - ISA_MEMO_BITS) << 1];
	/* Which of the two is not predictable: chosen without a branch. */
	struct isa_memo_slot *hit = slot + (slot[1].key == key);
	if (__builtin_expect(hit->key != key, 0))
		return isa_memo_miss(slot, key);
	return &hit->op;
}

/* A note that the owner of a memo may keep of an op in it: 0 where the op was met for the first
 * time (or again, after it was displaced). It lies in the op's padding. */
static inline uint8_t *isa_memo_note(const struct cairn_op *op)
{
	return &((struct cairn_op *)(uintptr_t)op)->pad[0];
}

#endif

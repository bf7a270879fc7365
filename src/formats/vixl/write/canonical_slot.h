/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_CANONICAL_SLOT_H
#define VIXL_CANONICAL_SLOT_H
/* The slot that is given another shape: what the files that do so share (canonical.c). */
#include <string.h>

#include "base/bytes.h"
#include "formats/vixl/write/canonical.h"
#include "formats/vixl/write/draw.h"
#include "isa/arm64.h"
#include "model/model.h"

enum { MOST_REGS = 1024, MOST_MEMS = 1024, BLOCK = 256, VECTOR_BYTES = 16, LONGEST = 256 };

struct vixl_canonical {
	struct cairn_batch *made;
	/* what registers were shown to hold: 31 is SP */
	uint64_t x[32];
	uint8_t v[32][LONGEST];
	bool x_known[32];
	uint16_t v_known[32]; /* by pieces of 16 bytes */
	unsigned vl;          /* bytes of the longest vector seen */
	/* the slot */
	const struct cairn_batch *batch;
	const struct cairn_insn *in;
	struct isa_arm64_access access;
	bool moves; /* it has accesses, as `a` tells */
	uint32_t n_regs, n_mems;
	const struct cairn_reg *regs;        /* those of the slot, or … */
	struct cairn_reg renamed[MOST_REGS]; /* … with vectors of SVE by the number of V, as in logs */
	uint8_t reg_used[MOST_REGS], mem_used[MOST_MEMS];
};

/* The bytes that were read or written, from the lowest address on. */
struct vixl_block {
	uint64_t lo;
	unsigned n;
	uint8_t kind;
	uint8_t value[BLOCK], known[BLOCK];
	const struct cairn_mem *row[BLOCK]; /* whose first byte it is */
};

static inline const struct cairn_reg *vixl_reg_at(const struct vixl_canonical *canonical,
                                                  uint32_t index)
{
	return &canonical->regs[index];
}

static inline const struct cairn_mem *vixl_mem_at(const struct vixl_canonical *canonical,
                                                  uint32_t index)
{
	return &canonical->batch->mems[canonical->in->mem0 + index];
}

/* Is it the instruction's own, done, at an address that is known? */
static inline bool vixl_is_plain(const struct cairn_mem *mem, uint8_t kind)
{
	return mem->kind == kind && mem->initiator == CAIRN_BY_INSN &&
	       !(mem->flags & (CAIRN_VALUE_NOT_WRITTEN | CAIRN_VALUE_ADDR_UNKNOWN));
}

/* A value's bytes, the least significant first; false: it is not known. */
bool vixl_bytes_of(const struct cairn_batch *batch, unsigned flags, uint64_t value, uint32_t bytes,
                   uint8_t *out, unsigned room);
/* All accesses of a kind as one block of `n` bytes without holes; false: they are none. */
bool vixl_gather(struct vixl_canonical *canonical, uint8_t kind, unsigned n,
                 struct vixl_block *block);
void vixl_use_block(struct vixl_canonical *canonical, uint8_t kind);
static inline bool vixl_all_known(const struct vixl_block *block, unsigned at, unsigned n)
{
	return !memchr(block->known + at, 0, n);
}

/* New rows of the made slot: a register's from bit `lsb` on; `size` bytes of a block as an
 * access of the register whose row is `reg` - 1. */
void vixl_put_piece(struct vixl_canonical *canonical, const struct cairn_reg *like, unsigned lsb,
                    const uint8_t *value, unsigned bytes);
void vixl_put_mem(struct vixl_canonical *canonical, const struct vixl_block *block, unsigned at,
                  unsigned size, uint32_t reg, unsigned lane);

/* canonical_lanes.c: the accesses of SVE. False: they do not fit, nothing was put. */
bool vixl_canonical_lanes(struct vixl_canonical *canonical);

#endif

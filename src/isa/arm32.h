/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_ARM32_H
#define ISA_ARM32_H
/*
 * Between the files of A32 and T32: what an op is filled with, and what the two sets
 * have in common.
 */
#include "isa/arm.h"

/* A load or store of `count` registers of `bytes` each. */
static inline void isa_arm32_move(struct cairn_op *op, bool load, unsigned bytes, unsigned count)
{
	isa_set(op, load ? CAIRN_CLASS_LOAD : CAIRN_CLASS_STORE,
	        load ? CAIRN_TRAIT_LOAD : CAIRN_TRAIT_STORE);
	op->mem_size = (uint16_t)bytes;
	op->mem_count = (uint8_t)count;
}

/* Load and store exclusive: `order` adds acquire or release. */
void isa_arm32_exclusive(struct cairn_op *op, bool load, unsigned bytes, unsigned count,
                         bool order);
/* Acquire and release without. */
void isa_arm32_ordered(struct cairn_op *op, bool load, unsigned bytes);
/* Class and traits of what changes the flow; false: it does not. What it loads is kept. */
bool isa_arm32_branch(struct cairn_op *op, const struct isa_arm_flow *flow);
/* The hint with this number. */
void isa_arm32_hint(struct cairn_op *op, unsigned number);
/* dsb, dmb, isb, sb, clrex by bits 7 to 4 of their encodings. */
void isa_arm32_barrier(struct cairn_op *op, unsigned which);
/* Coprocessor space, as A32 encodes it: floating point, SIMD, system registers. */
void isa_arm32_coprocessor(struct cairn_op *op, uint32_t encoding);
/* SIMD: data processing (A32's 1111 001x), loads and stores (1111 0100). */
void isa_arm32_simd(struct cairn_op *op, uint32_t encoding);
void isa_arm32_simd_memory(struct cairn_op *op, uint32_t encoding);

#endif

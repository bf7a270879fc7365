/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_ARM_H
#define ISA_ARM_H
/*
 * Arm: what a decoder that follows the flow needs beyond class and traits.
 *
 * An instruction trace (ETE, ETMv4, PTM) reports only a few instructions, the P0 instructions; the
 * decoder finds the others in the image. isa_arm_flow says which is which.
 *
 * The number of a 32-bit T32 instruction has its first halfword on top, so it is
 * above 0xffff, and a 16-bit one never is.
 */
#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

/* How much of the architecture a processor has, as far as the flow depends on it.
 * Ordered; each has what those before have. */
enum isa_arm_level {
	ISA_ARM_V7,
	ISA_ARM_V8,
	ISA_ARM_V8_3, /* branches that authenticate pointers */
	ISA_ARM_AA64  /* WFIT, WFET, TSTART, and whatever else is known */
};

enum isa_arm_kind {
	ISA_ARM_NONE = 0, /* goes on with the next instruction */
	ISA_ARM_DIRECT,
	ISA_ARM_INDIRECT,
	ISA_ARM_ISB,
	ISA_ARM_WFX,    /* WFI, WFE, WFIT, WFET: when the trace unit says it traces them */
	ISA_ARM_TSTART, /* begin of a transaction */
	ISA_ARM_MEMORY  /* a load or store, if the trace unit reports those; never from isa_arm_flow */
};

enum isa_arm_flow_flag {
	ISA_ARM_LINK = 1,        /* leaves a return address behind it */
	ISA_ARM_RETURN = 2,      /* by convention the return of a function */
	ISA_ARM_ERET = 4,        /* returns from an exception, or leaves the debugger's hold */
	ISA_ARM_CONDITIONAL = 8, /* may fall through by its own condition (not an IT's) */
	ISA_ARM_ALIGN = 16       /* the target is relative to pc with its low two bits clear */
};

struct isa_arm_flow {
	int64_t offset; /* direct: target - pc */
	uint8_t kind;   /* enum isa_arm_kind */
	uint8_t flags;  /* enum isa_arm_flow_flag */
	uint8_t size;   /* bytes of this instruction: 2 or 4 */
	uint8_t isa;    /* enum cairn_isa behind a direct branch; otherwise this one's own */
	uint8_t it;     /* an IT: how many instructions it makes conditional, 1 to 4 */
};

/* Bytes of the T32 instruction whose first halfword this is. */
static inline unsigned isa_arm_t32_size(uint32_t first)
{
	return (first & 0xf800) > 0xe000 ? 4 : 2;
}

/* The number of the instruction at `p`, of which `n` bytes can be read; *size is 0 when
 * they do not hold it. Instructions are little-endian in memory. */
uint32_t isa_arm_fetch(enum cairn_isa isa, const uint8_t *p, size_t n, unsigned *size);

/* What `enc` does to the flow. `wfx`: are waits traced? Sets other than A64, A32 and T32
 * have no flow. */
void isa_arm_flow(enum cairn_isa isa, uint32_t enc, enum isa_arm_level level, bool wfx,
                  struct isa_arm_flow *flow);

/* May `enc` change the flow? All of A64's flow lies in this range: for loops that pass over the
 * rest. */
static inline bool isa_arm_a64_may_flow(uint32_t enc)
{
	return (enc >> 26 & 7) == 5;
}

/* Where a direct branch at pc goes. */
static inline uint64_t isa_arm_target(const struct isa_arm_flow *flow, enum cairn_isa isa,
                                      uint64_t pc)
{
	uint64_t base = flow->flags & ISA_ARM_ALIGN ? pc & ~UINT64_C(3) : pc;
	uint64_t target = base + (uint64_t)flow->offset;
	return isa == CAIRN_ISA_A64 ? target : target & UINT32_MAX;
}

/* The parts of isa_arm_flow; `flow` is all zero except size and isa. */
void isa_arm64_flow(uint32_t encoding, enum isa_arm_level level, bool wfx,
                    struct isa_arm_flow *flow);
void isa_arm32_flow_a32(uint32_t encoding, bool wfx, struct isa_arm_flow *flow);
void isa_arm32_flow_t32(uint32_t encoding, bool wfx, struct isa_arm_flow *flow);

/* Types of exceptions as trace units number them, of the A profile; eight from 16 on are
 * IMPLEMENTATION DEFINED: "impl". NULL: reserved. */
const char *isa_arm_exception_name(uint64_t type);

#endif

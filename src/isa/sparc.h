/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_SPARC_H
#define ISA_SPARC_H
/*
 * SPARC V9 flow of control: what a trace with delay slots needs beyond class and
 * traits.
 */
#include <stdbool.h>
#include <stdint.h>

/* Delayed control transfers (DCTIs) come first and last to ISA_SPARC_RETURN. */
enum isa_sparc_flow {
	ISA_SPARC_NONE = 0,
	ISA_SPARC_COND,   /* conditional branch */
	ISA_SPARC_ALWAYS, /* ba, fba */
	ISA_SPARC_NEVER,  /* bn, fbn */
	ISA_SPARC_CALL,
	ISA_SPARC_JMPL,
	ISA_SPARC_RETURN, /* the instruction `return` */
	ISA_SPARC_DONE,
	ISA_SPARC_RETRY,
	ISA_SPARC_TCC /* a conditional or unconditional trap; tn is none */
};

enum isa_sparc_flow isa_sparc_flow(uint32_t encoding);

/* Fields of an encoding. */
static inline unsigned isa_sparc_rd(uint32_t enc)
{
	return enc >> 25 & 31;
}
static inline unsigned isa_sparc_op3(uint32_t enc)
{
	return enc >> 19 & 63;
}
static inline unsigned isa_sparc_rs1(uint32_t enc)
{
	return enc >> 14 & 31;
}
static inline unsigned isa_sparc_rs2(uint32_t enc)
{
	return enc & 31;
}
/* The second operand is a constant, not rs2. */
static inline bool isa_sparc_has_constant(uint32_t enc)
{
	return enc >> 13 & 1;
}

/* Do loads and stores of doubles in this address space move blocks of 64 bytes? */
static inline bool isa_sparc_is_block(unsigned asi)
{
	return (asi & 0xf6) == 0x16 || (asi & 0xf6) == 0x70 || (asi & 0xf6) == 0xf0 ||
	       (asi & 0xfe) == 0xe0;
}

/* Has it a delay slot? */
static inline bool isa_sparc_is_dcti(enum isa_sparc_flow flow)
{
	return flow >= ISA_SPARC_COND && flow <= ISA_SPARC_RETURN;
}

/* Is the annul bit of a branch set? The slot then does not run when a conditional
 * branch is not taken, and never behind an unconditional one. */
static inline bool isa_sparc_annuls(uint32_t enc, enum isa_sparc_flow flow, bool taken)
{
	return flow >= ISA_SPARC_COND && flow <= ISA_SPARC_NEVER && enc >> 29 & 1 &&
	       (flow != ISA_SPARC_COND || !taken);
}

/* A number below 256 for an encoding: where isa_sparc_decides, all encodings of that
 * number have the same class, traits and size of access. For loops that would
 * otherwise decode each instruction. */
enum {
	ISA_SPARC_K_ILLEGAL = 0x10,
	ISA_SPARC_K_NOP = 0x14,
	ISA_SPARC_K_CALL = 0x40,
	ISA_SPARC_K_COPY = 0x41,
	ISA_SPARC_K_OR = 0x82
};
static inline unsigned isa_sparc_key(uint32_t enc)
{
	unsigned op = enc >> 30, op2 = enc >> 22 & 7;
	if (op >= 2) {
		unsigned key = op << 6 | (enc >> 19 & 63);
		uint32_t right = enc >> 13 & 1 ? enc & 0x1fff : enc & 31;
		return key == ISA_SPARC_K_OR && (!(enc >> 14 & 31) || !right) ? ISA_SPARC_K_COPY : key;
	}
	if (op == 1)
		return ISA_SPARC_K_CALL;
	switch (op2) {
	case 1:
		if (enc >> 20 & 1)
			return ISA_SPARC_K_ILLEGAL;
		return op2 | ((enc >> 25 & 15) == 8 ? 8u : 0u);
	case 2:
	case 5:
	case 6:
		return op2 | ((enc >> 25 & 15) == 8 ? 8u : 0u);
	case 3:
		return !(enc >> 28 & 1) && enc >> 25 & 3 ? 3 : ISA_SPARC_K_ILLEGAL;
	case 4:
		return enc & 0x3e3fffff ? 4 : ISA_SPARC_K_NOP;
	default:
		return ISA_SPARC_K_ILLEGAL;
	}
}
/* If the key decides, an encoding that has it; else 0 (which is illegal). */
uint32_t isa_sparc_example(unsigned key);

/* Distance from the instruction to the target of a direct branch or call. */
int64_t isa_sparc_offset(uint32_t encoding);

/* Numbers of registers beyond their fields. INT 0 to 31 are the window in force (%g0
 * to %i7); ISA_SPARC_WIN + (window << 5 | number) one of a stated window, or, numbers
 * 0 to 7, of a set of globals (0 user, 1 interrupt, 2 MMU, 3 alternate). FP 0 to 31
 * are single, 32 to 63 double, 64 to 95 quad registers. CSR: the numbers of RDPR, those
 * of a trap level, then ancillary state (rd %asr) and MMU registers. */
enum {
	ISA_SPARC_WIN = 256,
	ISA_SPARC_TPC_TL = 64,
	ISA_SPARC_TNPC_TL = 72,
	ISA_SPARC_TSTATE_TL = 80,
	ISA_SPARC_TT_TL = 88,
	ISA_SPARC_ASR = 256,
	ISA_SPARC_MMU = 512,
	ISA_SPARC_TPC = 0,
	ISA_SPARC_TNPC = 1,
	ISA_SPARC_PSTATE = 6,
	ISA_SPARC_TL = 7,
	ISA_SPARC_TT = 3
};

/* Is it the instruction (wr, wrpr) that writes this control register or ancillary state? */
static inline bool isa_sparc_writes(uint32_t enc, unsigned csr)
{
	unsigned op3 = csr >= ISA_SPARC_ASR ? 0x30 : 0x32;
	return enc >> 30 == 2 && (enc >> 19 & 63) == op3 && (enc >> 25 & 31) == (csr & 31);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_ARM64_H
#define ISA_ARM64_H
/*
 * A64: what an instruction does to memory, register by register and element by element; what else
 * it writes; and the numbers of its registers.
 *
 * A trace holds addresses and values. Only the encoding says which part of which register went to
 * which address.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

/* Where the registers are that memory is exchanged with. */
enum isa_arm64_bank {
	ISA_ARM64_NO_BANK, /* tags, or bytes that are in no register */
	ISA_ARM64_X,       /* general; 31 is the zero register */
	ISA_ARM64_V,       /* SIMD and floating point */
	ISA_ARM64_Z,       /* the same ones as vectors of VL bits */
	ISA_ARM64_P,       /* predicates */
	ISA_ARM64_ZA,      /* a slice of the matrix; which one is in a register */
	ISA_ARM64_ZT       /* the look-up table */
};

enum isa_arm64_access_flag {
	ISA_ARM64_LOAD = 1 << 0,
	ISA_ARM64_STORE = 1 << 1,
	ISA_ARM64_ATOMIC = 1 << 2, /* reads, combines and writes */
	ISA_ARM64_EXCLUSIVE = 1 << 3,
	ISA_ARM64_ACQUIRE = 1 << 4,
	ISA_ARM64_RELEASE = 1 << 5,
	ISA_ARM64_SIGNED = 1 << 6,    /* elements are sign-extended to lanes */
	ISA_ARM64_REPLICATE = 1 << 7, /* what is loaded fills the register */
	ISA_ARM64_STRUCT = 1 << 8,    /* elements of the registers alternate in memory */
	ISA_ARM64_ONE_LANE = 1 << 9,  /* only lane `lane_index` of each register */
	ISA_ARM64_NONTEMPORAL = 1 << 10,
	ISA_ARM64_UNPRIVILEGED = 1 << 11,
	ISA_ARM64_VL = 1 << 12,     /* as many elements as VL has lanes */
	ISA_ARM64_IMM_VL = 1 << 13, /* imm counts what one register moves at this VL */
	ISA_ARM64_FIRST_FAULT = 1 << 14,
	ISA_ARM64_NON_FAULT = 1 << 15,
	ISA_ARM64_MOPS = 1 << 16,         /* copies or sets as many bytes as a register says */
	ISA_ARM64_TAG = 1 << 17,          /* allocation tags */
	ISA_ARM64_ZERO = 1 << 18,         /* stores zeros */
	ISA_ARM64_AUTHENTICATE = 1 << 19, /* the address is authenticated first */
	ISA_ARM64_PREFETCH = 1 << 20,     /* nothing is exchanged */
	ISA_ARM64_GATHER = 1 << 21        /* an address for each element */
};

/* How an atomic makes the new value. */
enum isa_arm64_combine {
	ISA_ARM64_NO_COMBINE,
	ISA_ARM64_ADD,
	ISA_ARM64_CLR,
	ISA_ARM64_EOR,
	ISA_ARM64_SET,
	ISA_ARM64_SMAX,
	ISA_ARM64_SMIN,
	ISA_ARM64_UMAX,
	ISA_ARM64_UMIN,
	ISA_ARM64_SWP,
	ISA_ARM64_CAS /* what the loaded registers held before is compared with memory */
};

enum isa_arm64_base { ISA_ARM64_BASE_X, ISA_ARM64_BASE_PC, ISA_ARM64_BASE_Z };
enum isa_arm64_index { ISA_ARM64_NO_INDEX, ISA_ARM64_INDEX_X, ISA_ARM64_INDEX_Z };
enum isa_arm64_extend { ISA_ARM64_LSL, ISA_ARM64_UXTW, ISA_ARM64_SXTW };
enum isa_arm64_writeback { ISA_ARM64_NO_WRITEBACK, ISA_ARM64_PRE, ISA_ARM64_POST };
enum { ISA_ARM64_NO_REG = 0xff };

struct isa_arm64_access {
	int64_t imm;     /* bytes added to the base; for a literal target - pc */
	uint32_t flags;  /* enum isa_arm64_access_flag */
	uint8_t bank;    /* enum isa_arm64_bank, of regs */
	uint8_t n_regs;  /* in order of memory: regs[0] at the lowest address */
	uint8_t regs[8]; /* take what is loaded (an atomic's: the old value) or give what is stored */
	uint8_t element; /* bytes of one element in memory; 0: the encoding does not say */
	uint8_t lane;    /* bytes an element has in the register; the rest of an X register or,
	                    of a load that is not of one lane, of a vector becomes zero */
	uint8_t
		elements; /* in one register; 0 with ISA_ARM64_VL, MOPS or when the encoding does not say */
	uint8_t lane_index;
	uint8_t base_kind, base;   /* register 31 is SP */
	uint8_t index_kind, index; /* of a post-index: what is added to the base afterwards */
	uint8_t extend, shift;
	uint8_t writeback;
	uint8_t status;    /* register that shows whether an exclusive store succeeded, or NO_REG */
	uint8_t predicate; /* 0 to 15 govern; NO_REG: none. Of pn8 to pn15 these numbers, too */
	uint8_t combine;   /* enum isa_arm64_combine */
	uint8_t n_operands, operands[2]; /* an atomic's other registers: what is combined, or stored */
	uint8_t count;                   /* MOPS: register with the number of bytes, or NO_REG */
};

/* False when `enc` does not access memory (or does not exist). Data cache operations that zero a
 * block are left out. */
bool isa_arm64_access(uint32_t encoding, struct isa_arm64_access *access);

/* The address of the access (of one element, given its lane of a vector base or index).
 * `base` and `index` are values of registers; PC's for a literal. `vl`: bytes of Z. */
uint64_t isa_arm64_address(const struct isa_arm64_access *access, uint64_t base, uint64_t index,
                           unsigned vl);
/* What the base register holds afterwards. */
uint64_t isa_arm64_base_after(const struct isa_arm64_access *access, uint64_t base, uint64_t index);
/* What an atomic leaves in memory where `old` was; `expected` matters to CAS only. Values
 * are of `element` bytes. */
uint64_t isa_arm64_combine(const struct isa_arm64_access *access, uint64_t old, uint64_t operand,
                           uint64_t expected);

/* What an instruction writes besides memory, if one register and the flags are all. */
struct isa_arm64_result {
	uint8_t bank; /* X or V, or NO_BANK when no register is written */
	uint8_t reg;
	uint8_t bytes; /* 4 or 8; of the register, the rest becomes zero */
	bool sp;       /* number 31 is SP, not the zero register */
	bool sets_nzcv, reads_nzcv;
};
/* Arithmetic on general registers, moves of system registers, links of calls, and comparisons of
 * floating point. False: not described here. */
bool isa_arm64_result(uint32_t encoding, struct isa_arm64_result *result);

/* Numbers of registers. INT: 0 to 30, SP, PC and the zero register. VECTOR: 0 to 31 are
 * v0 to v31, then z0 to z31, ZA and ZT0. FP: the parts d, s, h, b and q of the same ones,
 * 32 numbers each. PREDICATE: p0 to p15, FFR. FLAGS: NZCV. CSR: op0:op1:CRn:CRm:op2, 16
 * bits, as in bits 20 to 5 of MRS. */
enum {
	ISA_ARM64_SP = 31,
	ISA_ARM64_PC = 32,
	ISA_ARM64_XZR = 33,
	ISA_ARM64_Z0 = 32,
	ISA_ARM64_ZA_REG = 64,
	ISA_ARM64_ZT0_REG = 65,
	ISA_ARM64_D0 = 0,
	ISA_ARM64_S0 = 32,
	ISA_ARM64_H0 = 64,
	ISA_ARM64_B0 = 96,
	ISA_ARM64_Q0 = 128,
	ISA_ARM64_FFR = 16,
	ISA_ARM64_NZCV = 0xda10,
	ISA_ARM64_FPCR = 0xda20,
	ISA_ARM64_FPSR = 0xda21
};

/* ---- between the files of A64 ---- */

struct isa_arm64_sysreg {
	uint16_t num;
	const char *name;
};
struct isa_arm64_sysregs {
	const struct isa_arm64_sysreg *row;
	size_t n;
};
extern const struct isa_arm64_sysregs isa_arm64_sysregs;

/* Loads and stores of general and SIMD registers: bit 27 set, bit 25 clear. */
bool isa_arm64_plain_access(uint32_t encoding, struct isa_arm64_access *access);
/* Those of SVE and SME. */
bool isa_arm64_vector_access(uint32_t encoding, struct isa_arm64_access *access);

/* SIMD, floating point, SVE and SME without memory: class and traits, or false. */
bool isa_arm64_vector_class(uint32_t encoding, uint8_t *cls, uint32_t *traits);

/* Can N and imms be those of a logical immediate? That is a run of ones in elements of 2 to 64
 * bits. */
bool isa_arm64_bitmask(unsigned n, unsigned imms);

#endif

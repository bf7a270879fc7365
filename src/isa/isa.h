/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISA_ISA_H
#define ISA_ISA_H
/*
 * Inside view of the isa room: what each architecture's file offers to the
 * dispatch in isa.c.
 */
#include <stdbool.h>

#include "cairn/isa.h"

static inline void isa_set(struct cairn_op *op, unsigned cls, uint32_t traits)
{
	op->cls = (uint8_t)cls;
	op->traits = traits;
}

/* The lowest `bits` bits, sign-extended. */
static inline int64_t isa_sign(uint32_t value, unsigned bits)
{
	return (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

/* Decode a RISC-V encoding into an op whose isa, enc and size are already set
 * by the caller. Fills class, traits, offset, mem_size and mem_count. */
void isa_riscv_decode(struct cairn_op *op);
/* Bytes of the RISC-V instruction that starts with these low bits: 2, 4, 6 or 8.
 * The manual only reserves longer ones; they count as 4 so that a walk goes on. */
unsigned isa_riscv_length(uint32_t enc);

/* Registers in the list of cm.push, cm.pop and cm.popret: ra, s0 … */
unsigned isa_riscv_listed(uint32_t enc);
/* What rd, rs1, rs2 and rs3 of a scalar floating-point encoding hold: a float of 's', 'd',
 * 'h', 'q', an integer 'x'; 0: no operand. */
void isa_riscv_fp_kinds(uint32_t enc, char kinds[4]);
/* Whether Zfinx, Zdinx or Zhinx have such a one. */
bool isa_riscv_zfinx_has(uint32_t enc, bool rv32);

/* The variants of RV32 or RV64 that a description names. In features.c, which reads it for
 * the disassembler as well. */
unsigned isa_riscv_variants(enum cairn_isa isa, const char *isa_string);

/* Register names. A NULL result means: no such register in this class. */
const char *isa_riscv_reg_name(enum cairn_reg_class cls, unsigned num, char *buf);
const char *isa_riscv_reg_abi_name(enum cairn_reg_class cls, unsigned num, char *buf);
/* 0 or CAIRN_E_NOTFOUND; `name` is not terminated. */
int isa_riscv_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num);

/* The instruction's name in the manual and its extension; NULL where not known. */
void isa_riscv_name(const struct cairn_op *op, const char **name, const char **ext);

/* The registers of a legal instruction, added to an empty `operands`. */
void isa_riscv_operands(const struct cairn_op *op, struct cairn_operands *operands);

/* The same for SPARC V9. */
void isa_sparc_decode(struct cairn_op *op);
const char *isa_sparc_reg_name(enum cairn_reg_class cls, unsigned num, char *buf);
const char *isa_sparc_reg_abi_name(enum cairn_reg_class cls, unsigned num, char *buf);
int isa_sparc_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num);

/* 0, or CAIRN_E_UNSUPPORTED: too many to list (block transfers). */
int isa_sparc_operands(const struct cairn_op *op, struct cairn_operands *operands);

/* The same for Arm: A64 (arm64.h says more of it), A32 and T32. */
void isa_arm64_decode(struct cairn_op *op);
const char *isa_arm64_reg_name(enum cairn_reg_class cls, unsigned num, char *buf);
const char *isa_arm64_reg_abi_name(enum cairn_reg_class cls, unsigned num, char *buf);
/* 0, or CAIRN_E_UNSUPPORTED: not known, or not all of them. */
int isa_arm64_operands(uint32_t enc, struct cairn_operands *o);
int isa_arm64_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num);
void isa_arm32_decode_a32(struct cairn_op *op);
void isa_arm32_decode_t32(struct cairn_op *op);
const char *isa_arm32_reg_name(enum cairn_reg_class cls, unsigned num, char *buf);
int isa_arm32_reg_find(const char *name, size_t n, enum cairn_reg_class *cls, unsigned *num);

/* Does the encoding alone say which element of which register each access of the instruction
 * belongs to? Not where a predicate or a mask decides, or where nothing is known of it. */
bool isa_tells_elements(enum cairn_isa isa, uint32_t enc, unsigned size);

/* A compare-and-swap: it writes only where it finds what it expects. */
static inline bool isa_is_cas(const struct cairn_op *op)
{
	uint32_t e = op->enc;
	switch (op->isa) {
	case CAIRN_ISA_A64: /* CAS, CASP */
		return (e & 0x3fa07c00) == 0x08a07c00 || (e & 0xbfa07c00) == 0x08207c00;
	case CAIRN_ISA_SPARC: /* casa, casxa */
		return e >> 30 == 3 && (e >> 19 & 0x3d) == 0x3c;
	default: /* amocas */
		return (op->isa == CAIRN_ISA_RV32 || op->isa == CAIRN_ISA_RV64) && op->size == 4 &&
		       (e & 0x7f) == 0x2f && e >> 27 == 5;
	}
}

/* A level of privilege in words (enum cairn_priv), NULL where there is none. */
const char *isa_priv_name(unsigned priv);
/* Causes of RISC-V's exceptions as the public tools of STF name them; NULL: reserved, custom. */
const char *isa_riscv_exception_name(uint64_t cause);

#endif

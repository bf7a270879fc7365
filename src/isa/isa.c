/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry of the isa room: passes each question to the architecture it is about, and holds the
 * names of sets, classes and traits.
 *
 * Instruction sets without a decoder are not an error: their encodings get the
 * class "unknown" and their registers generic names, so that a trace of any
 * machine can be listed.
 */
#include "isa/isa.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "cairn/trace.h"
#include "isa/arm64.h"

static bool is_riscv(enum cairn_isa isa)
{
	return isa == CAIRN_ISA_RV32 || isa == CAIRN_ISA_RV64;
}

static bool is_arm32(enum cairn_isa isa)
{
	return isa == CAIRN_ISA_A32 || isa == CAIRN_ISA_T32;
}

/* Length of an instruction when the trace does not tell; 0: cannot be known. */
static unsigned usual_length(enum cairn_isa isa, uint32_t enc)
{
	switch (isa) {
	case CAIRN_ISA_RV32:
	case CAIRN_ISA_RV64:
		return isa_riscv_length(enc);
	case CAIRN_ISA_A64:
	case CAIRN_ISA_A32:
	case CAIRN_ISA_SPARC:
		return 4;
	case CAIRN_ISA_T32: /* the first halfword is on top */
		return enc > 0xffff ? 4 : 2;
	default:
		return 0;
	}
}

bool isa_tells_elements(enum cairn_isa isa, uint32_t enc, unsigned size)
{
	struct isa_arm64_access access;
	struct cairn_op op;
	if (isa == CAIRN_ISA_A64)
		return isa_arm64_access(enc, &access) && access.predicate == ISA_ARM64_NO_REG &&
		       access.bank != ISA_ARM64_ZA;
	cairn_isa_decode(isa, enc, size, &op);
	bool masked =
		is_riscv((enum cairn_isa)op.isa) && op.traits & CAIRN_TRAIT_VECTOR && !(enc >> 25 & 1);
	return op.traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE) && !masked;
}

/* Parts `isa` into the set and its variants. */
static unsigned take_variant(enum cairn_isa *isa)
{
	unsigned variant = *isa & CAIRN_ISA_VARIANTS;
	*isa = (enum cairn_isa)(*isa & ~(unsigned)CAIRN_ISA_VARIANTS);
	return is_riscv(*isa) ? variant : 0;
}

enum cairn_isa cairn_isa_of(enum cairn_isa isa, const char *isa_string)
{
	bool told = is_riscv(isa) && isa_string && *isa_string;
	return told ? (enum cairn_isa)(isa | isa_riscv_variants(isa, isa_string)) : isa;
}

void cairn_isa_decode(enum cairn_isa isa, uint32_t enc, unsigned size, struct cairn_op *op)
{
	unsigned variant = take_variant(&isa);
	if (size == 0)
		size = usual_length(isa, enc);
	*op = (struct cairn_op){
		.enc = size == 2 ? enc & 0xffff : enc,
		.size = (uint8_t)size,
		.isa = (uint8_t)isa,
		.variant = (uint8_t)variant,
	};
	if (is_riscv(isa))
		isa_riscv_decode(op);
	else if (isa == CAIRN_ISA_SPARC)
		isa_sparc_decode(op);
	else if (isa == CAIRN_ISA_A64)
		isa_arm64_decode(op);
	else if (isa == CAIRN_ISA_A32)
		isa_arm32_decode_a32(op);
	else if (isa == CAIRN_ISA_T32)
		isa_arm32_decode_t32(op);
}

uint64_t cairn_op_target(const struct cairn_op *op, uint64_t pc)
{
	uint64_t target = pc + (uint64_t)op->offset;
	enum cairn_isa isa = (enum cairn_isa)op->isa;
	if (isa == CAIRN_ISA_T32 && op->size == 4 && (op->enc & 0xf800d001) == 0xf000c000) /* blx */
		target &= ~UINT64_C(3);
	return isa == CAIRN_ISA_RV32 || is_arm32(isa) ? target & UINT32_MAX : target;
}

void cairn_isa_mnemonic(enum cairn_isa isa, uint32_t enc, unsigned size, const char **name,
                        const char **extension)
{
	struct cairn_op op;
	*name = *extension = NULL;
	cairn_isa_decode(isa, enc, size, &op);
	if (is_riscv((enum cairn_isa)op.isa))
		isa_riscv_name(&op, name, extension);
}

int cairn_isa_operands(enum cairn_isa isa, uint32_t enc, unsigned size,
                       struct cairn_operands *operands)
{
	struct cairn_op op;
	*operands = (struct cairn_operands){.n_src = 0};
	cairn_isa_decode(isa, enc, size, &op);
	isa = (enum cairn_isa)op.isa;
	if (!is_riscv(isa) && isa != CAIRN_ISA_A64 && isa != CAIRN_ISA_SPARC)
		return CAIRN_E_UNSUPPORTED;
	if (op.cls == CAIRN_CLASS_ILLEGAL || (op.size != 2 && op.size != 4))
		return CAIRN_E_NOTFOUND;
	int rc = 0;
	if (isa == CAIRN_ISA_A64)
		rc = isa_arm64_operands(enc, operands);
	else if (isa == CAIRN_ISA_SPARC)
		rc = isa_sparc_operands(&op, operands);
	else
		isa_riscv_operands(&op, operands);
	if (rc < 0)
		*operands = (struct cairn_operands){.n_src = 0};
	return rc;
}

/* ---- registers ---- */

/* Names for sets whose own are not known here: class letter and number. */
static const char *generic_name(enum cairn_reg_class cls, unsigned num, char *buf)
{
	static const char *const prefix[] = {"reg", "r", "f", "v", "csr0x", "pc", "p", "flags"};
	unsigned known = (unsigned)cls < sizeof prefix / sizeof *prefix ? (unsigned)cls : 0;
	if (known == CAIRN_REG_PC)
		return "pc";
	(void)snprintf(buf, 16, known == CAIRN_REG_CSR ? "%s%x" : "%s%u", prefix[known], num);
	return buf;
}

const char *cairn_reg_name(enum cairn_isa isa, enum cairn_reg_class cls, unsigned num, char *buf)
{
	const char *name = is_riscv(isa)            ? isa_riscv_reg_name(cls, num, buf)
	                   : isa == CAIRN_ISA_SPARC ? isa_sparc_reg_name(cls, num, buf)
	                   : isa == CAIRN_ISA_A64   ? isa_arm64_reg_name(cls, num, buf)
	                   : is_arm32(isa)          ? isa_arm32_reg_name(cls, num, buf)
	                                            : NULL;
	return name ? name : generic_name(cls, num, buf);
}

const char *cairn_reg_abi_name(enum cairn_isa isa, enum cairn_reg_class cls, unsigned num,
                               char *buf)
{
	const char *name = is_riscv(isa)            ? isa_riscv_reg_abi_name(cls, num, buf)
	                   : isa == CAIRN_ISA_SPARC ? isa_sparc_reg_abi_name(cls, num, buf)
	                   : isa == CAIRN_ISA_A64   ? isa_arm64_reg_abi_name(cls, num, buf)
	                                            : NULL;
	return name ? name : cairn_reg_name(isa, cls, num, buf);
}

int cairn_reg_find(enum cairn_isa isa, const char *name, size_t n, enum cairn_reg_class *cls,
                   unsigned *num)
{
	if (is_riscv(isa))
		return isa_riscv_reg_find(name, n, cls, num);
	if (isa == CAIRN_ISA_SPARC && isa_sparc_reg_find(name, n, cls, num) >= 0)
		return 0;
	if (isa == CAIRN_ISA_A64 && isa_arm64_reg_find(name, n, cls, num) >= 0)
		return 0;
	if (is_arm32(isa) && isa_arm32_reg_find(name, n, cls, num) >= 0)
		return 0;
	if (n == 2 && memcmp(name, "pc", 2) == 0) {
		*cls = CAIRN_REG_PC;
		*num = 0;
		return 0;
	}
	return CAIRN_E_NOTFOUND;
}

/* ---- names ---- */

const char *cairn_isa_name(enum cairn_isa isa)
{
	switch (isa) {
	case CAIRN_ISA_UNKNOWN:
		return "unknown";
	case CAIRN_ISA_RV32:
		return "rv32";
	case CAIRN_ISA_RV64:
		return "rv64";
	case CAIRN_ISA_A64:
		return "a64";
	case CAIRN_ISA_A32:
		return "a32";
	case CAIRN_ISA_T32:
		return "t32";
	case CAIRN_ISA_SPARC:
		return "sparc";
	case CAIRN_ISA_X86_64:
		return "x86-64";
	default:
		return NULL;
	}
}

const char *cairn_class_name(enum cairn_class cls)
{
	static const char *const names[CAIRN_CLASS_COUNT] = {
		[CAIRN_CLASS_UNKNOWN] = "unknown", [CAIRN_CLASS_ILLEGAL] = "illegal",
		[CAIRN_CLASS_NOP] = "nop",         [CAIRN_CLASS_INT] = "int",
		[CAIRN_CLASS_MUL] = "mul",         [CAIRN_CLASS_DIV] = "div",
		[CAIRN_CLASS_LOAD] = "load",       [CAIRN_CLASS_STORE] = "store",
		[CAIRN_CLASS_ATOMIC] = "atomic",   [CAIRN_CLASS_BRANCH] = "branch",
		[CAIRN_CLASS_JUMP] = "jump",       [CAIRN_CLASS_CALL] = "call",
		[CAIRN_CLASS_RETURN] = "return",   [CAIRN_CLASS_FP] = "fp",
		[CAIRN_CLASS_FPDIV] = "fpdiv",     [CAIRN_CLASS_VECTOR] = "vector",
		[CAIRN_CLASS_CRYPTO] = "crypto",   [CAIRN_CLASS_CSR] = "csr",
		[CAIRN_CLASS_FENCE] = "fence",     [CAIRN_CLASS_CACHE] = "cache",
		[CAIRN_CLASS_SYSTEM] = "system",
	};
	return (unsigned)cls < CAIRN_CLASS_COUNT ? names[cls] : NULL;
}

const char *cairn_trait_name(unsigned bit)
{
	static const char *const names[] = {
		"load",       "store",      "atomic",     "branch", "conditional", "indirect",   "call",
		"return",     "fp",         "vector",     "csr",    "fence",       "crypto",     "mul",
		"div",        "bitmanip",   "compressed", "hint",   "syscall",     "breakpoint", "xret",
		"privileged", "cache",      "prefetch",   "wait",   "acquire",     "release",    "lr",
		"sc",         "delay-slot", "move"};
	return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

const char *isa_priv_name(unsigned priv)
{
	static const char *const names[] = {[CAIRN_PRIV_USER] = "user",
	                                    [CAIRN_PRIV_SUPERVISOR] = "supervisor",
	                                    [CAIRN_PRIV_HYPERVISOR] = "hypervisor",
	                                    [CAIRN_PRIV_MACHINE] = "machine",
	                                    [CAIRN_PRIV_EL0] = "el0",
	                                    [CAIRN_PRIV_EL1] = "el1",
	                                    [CAIRN_PRIV_EL2] = "el2",
	                                    [CAIRN_PRIV_EL3] = "el3"};
	return priv < sizeof names / sizeof *names ? names[priv] : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_ISA_H
#define CAIRN_ISA_H
/*
 * What an instruction encoding means: length, class, traits, branch target,
 * register names and disassembly text, for every instruction set cairn knows.
 */
#include "cairn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Instruction sets (with their encoding mode). Values are frozen. */
enum cairn_isa {
	CAIRN_ISA_UNKNOWN = 0,
	CAIRN_ISA_RV32 = 1,
	CAIRN_ISA_RV64 = 2,
	CAIRN_ISA_A64 = 8,
	CAIRN_ISA_A32 = 9,
	CAIRN_ISA_T32 = 10,
	CAIRN_ISA_SPARC = 16, /* SPARC V9 */
	CAIRN_ISA_X86_64 = 24,
	CAIRN_ISA_LAST = 31
};

/* What a description of RISC-V decides about encodings that have several meanings. Where an
 * instruction is decoded they are or'ed to its set, as cairn_isa_of does. Frozen. */
enum cairn_isa_variant {
	CAIRN_ISA_NO_ZICFISS = 0x04, /* sspush, ssrdp and their kin are may-be-operations: mop.r … */
	CAIRN_ISA_ZCMP = 0x20,       /* Zcmp and Zcmt where Zcd has c.fsdsp: cm.push, cm.jt … */
	CAIRN_ISA_ZCLSD = 0x40,      /* RV32: Zclsd where Zcf has c.flw and its kin: c.ld, c.sdsp … */
	CAIRN_ISA_ZFINX = 0x80,      /* Zfinx, Zdinx and Zhinx: floating point in integer registers */
	CAIRN_ISA_VARIANTS = 0xe4
};
/* `isa` with the variants that a description chooses by the extensions it names ("rv64imac_zcmp")
 * and leaves out; one that contradicts another is not taken ("rv64gc_zcmp" has Zcd). The value is
 * for cairn_isa_decode and the functions like it. `isa_string` NULL: no variants. */
CAIRN_API enum cairn_isa cairn_isa_of(enum cairn_isa isa, const char *isa_string);

/* The one primary class of an instruction: over a trace the classes sum to
 * 100 %. A load of a floating-point or vector register is a LOAD; what kind of
 * data it moves is in the traits. */
enum cairn_class {
	CAIRN_CLASS_UNKNOWN = 0, /* the instruction set is not known */
	CAIRN_CLASS_ILLEGAL,     /* no such instruction in a known set */
	CAIRN_CLASS_NOP,         /* no-ops and hints without effect */
	CAIRN_CLASS_INT,         /* integer arithmetic, logic, moves, shifts */
	CAIRN_CLASS_MUL,
	CAIRN_CLASS_DIV, /* integer division and remainder */
	CAIRN_CLASS_LOAD,
	CAIRN_CLASS_STORE,
	CAIRN_CLASS_ATOMIC, /* read-modify-write, load-reserved, store-conditional */
	CAIRN_CLASS_BRANCH, /* conditional, direct */
	CAIRN_CLASS_JUMP,   /* unconditional, neither call nor return */
	CAIRN_CLASS_CALL,
	CAIRN_CLASS_RETURN, /* return from a function */
	CAIRN_CLASS_FP,     /* scalar floating point, except div and sqrt */
	CAIRN_CLASS_FPDIV,  /* scalar floating-point divide and square root */
	CAIRN_CLASS_VECTOR, /* vector arithmetic and configuration */
	CAIRN_CLASS_CRYPTO, /* scalar and vector cryptography */
	CAIRN_CLASS_CSR,    /* control and status register access */
	CAIRN_CLASS_FENCE,  /* memory and instruction fences */
	CAIRN_CLASS_CACHE,  /* cache management and prefetch */
	CAIRN_CLASS_SYSTEM, /* environment calls, trap returns, TLB, wait */
	CAIRN_CLASS_COUNT
};

/* Traits: any number may hold. */
enum cairn_trait {
	CAIRN_TRAIT_LOAD = 1u << 0,  /* reads memory (an atomic reads and writes) */
	CAIRN_TRAIT_STORE = 1u << 1, /* writes memory */
	CAIRN_TRAIT_ATOMIC = 1u << 2,
	CAIRN_TRAIT_BRANCH = 1u << 3, /* may change the flow: branches, jumps, calls, returns */
	CAIRN_TRAIT_CONDITIONAL = 1u << 4,
	CAIRN_TRAIT_INDIRECT = 1u << 5, /* target comes from a register */
	CAIRN_TRAIT_CALL = 1u << 6,     /* by the ABI's link-register hints */
	CAIRN_TRAIT_RETURN = 1u << 7,
	CAIRN_TRAIT_FP = 1u << 8,
	CAIRN_TRAIT_VECTOR = 1u << 9,
	CAIRN_TRAIT_CSR = 1u << 10,
	CAIRN_TRAIT_FENCE = 1u << 11,
	CAIRN_TRAIT_CRYPTO = 1u << 12,
	CAIRN_TRAIT_MUL = 1u << 13,
	CAIRN_TRAIT_DIV = 1u << 14,
	CAIRN_TRAIT_BITMANIP = 1u << 15,
	CAIRN_TRAIT_COMPRESSED = 1u << 16, /* shorter than the set's usual length */
	CAIRN_TRAIT_HINT = 1u << 17,
	CAIRN_TRAIT_SYSCALL = 1u << 18, /* always traps: ecall, svc, ta … */
	CAIRN_TRAIT_BREAKPOINT = 1u << 19,
	CAIRN_TRAIT_XRET = 1u << 20, /* returns from a trap: mret, sret, eret, done, retry */
	CAIRN_TRAIT_PRIVILEGED = 1u << 21,
	CAIRN_TRAIT_CACHE = 1u << 22,
	CAIRN_TRAIT_PREFETCH = 1u << 23,
	CAIRN_TRAIT_WAIT = 1u << 24, /* wfi, wfe, pause, wrs */
	CAIRN_TRAIT_ACQUIRE = 1u << 25,
	CAIRN_TRAIT_RELEASE = 1u << 26,
	CAIRN_TRAIT_RESERVED_LR = 1u << 27, /* load-reserved / load-exclusive */
	CAIRN_TRAIT_RESERVED_SC = 1u << 28, /* store-conditional / store-exclusive */
	CAIRN_TRAIT_DELAY_SLOT =
		1u << 29,               /* the next instruction runs before the branch takes effect */
	CAIRN_TRAIT_MOVE = 1u << 30 /* copies a register or constant */
};

/* One decoded encoding. 24 bytes. */
struct cairn_op {
	int64_t offset;    /* direct branch: target - pc of this instruction; else 0 */
	uint32_t enc;      /* the encoding decoded */
	uint32_t traits;   /* enum cairn_trait */
	uint16_t mem_size; /* bytes of one memory access if the encoding tells, else 0 */
	uint8_t mem_count; /* memory accesses of that size if the encoding tells, else 0 */
	uint8_t cls;       /* enum cairn_class */
	uint8_t size;      /* bytes of encoding: 2, 4 … */
	uint8_t isa;
	uint8_t variant; /* enum cairn_isa_variant it was decoded with */
	uint8_t pad[1];
};

/* Decode one encoding. `isa`: with variants or without. `enc` of a 32-bit T32 instruction has the
 * first halfword on top. `size` is the length that the trace gives (2 or 4), 0 when it gives none.
 * Never fails: an encoding that does not exist gets CAIRN_CLASS_ILLEGAL, an unknown instruction
 * set CAIRN_CLASS_UNKNOWN. */
CAIRN_API void cairn_isa_decode(enum cairn_isa isa, uint32_t enc, unsigned size,
                                struct cairn_op *op);

/* Where a direct branch at `pc` goes: pc + op->offset, within the addresses the set has. A
 * branch from T32 into A32 counts from pc with its low two bits clear. */
CAIRN_API uint64_t cairn_op_target(const struct cairn_op *op, uint64_t pc);

/* The manual's name of the instruction (no assembler alias: "addi", never "mv"), and the
 * extension it comes with ("i", "zba"). NULL where this is not known here: RISC-V has
 * all but the names of vector instructions, other sets nothing yet; the first word of
 * cairn_disasm_text is then the next best. */
CAIRN_API void cairn_isa_mnemonic(enum cairn_isa isa, uint32_t enc, unsigned size,
                                  const char **name, const char **extension);

/* Register classes. Values are frozen. */
enum cairn_reg_class {
	CAIRN_REG_UNKNOWN = 0,
	CAIRN_REG_INT = 1,
	CAIRN_REG_FP = 2,
	CAIRN_REG_VECTOR = 3,
	CAIRN_REG_CSR = 4, /* CSRs, system and ancillary registers */
	CAIRN_REG_PC = 5,
	CAIRN_REG_PREDICATE = 6,
	CAIRN_REG_FLAGS = 7 /* condition codes */
};

/* Name of a register as the instruction set's manual writes it ("x5", "f0",
 * "v31", "mstatus"; a CSR without a name is "csr0x7c0"). `buf` of at least 16
 * bytes is used when the name is not a constant. Never NULL. */
CAIRN_API const char *cairn_reg_name(enum cairn_isa isa, enum cairn_reg_class cls, unsigned num,
                                     char *buf);
/* ABI name ("t0", "ra", "fa0"); the same as cairn_reg_name where there is none. */
CAIRN_API const char *cairn_reg_abi_name(enum cairn_isa isa, enum cairn_reg_class cls, unsigned num,
                                         char *buf);
/* Find a register by either name; 0 and *cls, *num, or CAIRN_E_NOTFOUND. */
CAIRN_API int cairn_reg_find(enum cairn_isa isa, const char *name, size_t n,
                             enum cairn_reg_class *cls, unsigned *num);

/* The registers an instruction reads and writes, by its encoding. */
struct cairn_operand {
	uint16_t num;
	uint8_t cls; /* enum cairn_reg_class */
	uint8_t reserved;
};
/* All of them: sources and destinations. */
struct cairn_operands {
	uint8_t n_src, n_dst;
	struct cairn_operand src[16], dst[16]; /* cm.push and cm.pop have up to 14 and 15 */
};
/* Get the operands of an encoding. The zero register is none, and of vector groups of RISC-V the
 * first stands for all; of SPARC a register is one of its width, and the destination of save,
 * restore and return is of the window that comes. 0, or without a sentence CAIRN_E_UNSUPPORTED (a
 * set other than RISC-V, A64 and SPARC, A64's SIMD and floating point without memory, SPARC's block
 * transfers), CAIRN_E_NOTFOUND (no such instruction); then there are none. */
CAIRN_API int cairn_isa_operands(enum cairn_isa isa, uint32_t enc, unsigned size,
                                 struct cairn_operands *operands);

/* Names: "rv64", "a64" …; NULL when out of range. */
CAIRN_API const char *cairn_isa_name(enum cairn_isa isa);
/* "load", "branch" … */
CAIRN_API const char *cairn_class_name(enum cairn_class cls);
/* "call", "indirect" … of the trait 1 << bit. */
CAIRN_API const char *cairn_trait_name(unsigned bit);

/* ---- disassembly text ---- */

struct cairn_disasm;

/* What disassembles: "LLVM 14"; NULL when it was not found. */
CAIRN_API const char *cairn_disassembler(void);
/* Make a disassembler. `isa_string` is the trace's own description ("rv64gcv_zba")
 * or NULL; extensions the disassembler does not know are left out. One object
 * serves one thread. The work is done by LLVM, loaded when first needed.
 * Errors: CAIRN_E_UNSUPPORTED when LLVM is not installed (the sentence says what
 * to install) or the instruction set is not one of its; CAIRN_E_NOMEM. */
CAIRN_API int cairn_disasm_new(struct cairn *cairn, enum cairn_isa isa, const char *isa_string,
                               struct cairn_disasm **out);
/* Free a disassembler. */
CAIRN_API void cairn_disasm_free(struct cairn_disasm *disasm);
/* Text of one instruction at `pc`: mnemonic, one space, operands; relative branch
 * targets are given as absolute hexadecimal addresses. Returns the length and a
 * pointer valid until the next call, or "<unknown>" for what does not decode.
 * Memoised by encoding. */
CAIRN_API size_t cairn_disasm_text(struct cairn_disasm *disasm, uint64_t pc, uint32_t enc,
                                   unsigned size, const char **text);

#ifdef __cplusplus
}
#endif
#endif

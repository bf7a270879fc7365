/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: what an encoding is.
 *
 * Two tables, one for 32-bit and one for 16-bit encodings, say it all. A rule
 * is a mask and a match, sometimes a set of values for bits 31:26 (which turns
 * dozens of vector or atomic instructions into one rule), conditions the mask
 * cannot express, the class and traits, and what is left to look at in the
 * operands (link registers, hints, offsets). The first rule of a bucket that
 * fits wins, so special cases stand before their family; nothing fits means no
 * such instruction. Buckets follow the major opcode, vector arithmetic is split
 * once more by funct3: at most some thirty rules are tried. Loops that decode a
 * whole trace use isa/memo.h and come here a few thousand times.
 *
 * The set described is RV32/RV64 GCV with everything ratified (no RV32E). Where
 * extensions give the same bits different meanings the caller says which one has
 * them (enum cairn_isa_variant): Zcd or Zcmp and Zcmt, Zcf or Zclsd, F or Zfinx, Zicfiss or
 * may-be-operations.
 * What a variant excludes is no instruction then. Encodings in the custom spaces
 * are no instructions. Sources: the unprivileged and privileged ISA manuals (2025)
 * and the debug specification 1.0.
 *
 * Choices where the manual leaves room:
 * - Base integer computation with rd=x0 is a hint (chapter "HINT instructions"
 *   of RV32I, RV64I and C): class nop, trait hint. `addi x0,x0,0` and `c.nop`
 *   are nops without the trait. Computation of other extensions with rd=x0 is no
 *   hint and keeps its class. `pause` is a hint too, but it waits: class system.
 *   Prefetches are hints of class cache; `lpad` (auipc x0) is a nop and a hint.
 * - May-be-operations follow their meaning without Zicfiss (mop.r writes zero:
 *   int; c.mop does nothing: nop), except the code points of sspush, sspopchk
 *   and ssrdp, which have their Zicfiss meaning unless a description leaves that out.
 * - `fence` with reserved rd, rs1 or fm and `fence.i` with reserved fields are
 *   fences: the manual tells implementations to ignore those fields.
 * - CSR numbers are not judged: which exist depends on the hart. `unimp`
 *   (csrrw x0, cycle, x0) is a CSR access; the all-zero `c.unimp` is illegal.
 * - Constraints that depend on vtype (register groups, overlap with v0) are not
 *   part of the encoding and not judged.
 * - An atomic read-modify-write counts as one access. Trap returns have the
 *   trait xret, not branch.
 * - cm.popret is a return that loads. cm.jt and cm.jalt fetch their target from a
 *   table: that is a fetch, no load. cm.mvsa01 of one register twice is reserved,
 *   and decoded as the disassembler does.
 * - Traits mul and div hold for integer, floating-point and vector alike.
 */
#include <stdbool.h>
#include <stddef.h>

#include "isa/isa.h"

/* Conditions a mask cannot express; all that are named must hold. */
enum need {
	RV32 = 1 << 0,
	RV64 = 1 << 1,
	ROUND = 1 << 2,      /* funct3 is a rounding mode: 5 and 6 are reserved */
	EVEN = 1 << 4,       /* rd and rs2 name register pairs */
	GROUP = 1 << 5,      /* nf+1 registers in vd: 1, 2, 4 or 8, aligned */
	MOVE_GROUP = 1 << 6, /* likewise simm5+1 registers in vd and vs2 */
	SHAMT = 1 << 7,      /* bit 25 is shamt[5], which RV32 does not have */
	CSHAMT = 1 << 8,     /* the same in bit 12 of a compressed shift */
	F_REGS = 1 << 9,     /* not with Zfinx */
	ZCD = 1 << 10,       /* compressed doubles: without Zcmp, Zcmt and Zfinx */
	ZCF = 1 << 11,       /* compressed singles of RV32: without Zclsd and Zfinx */
	ZCMP = 1 << 12,      /* Zcmp and Zcmt */
	ZCLSD = 1 << 13,     /* RV32 with Zclsd */
	SHADOW = 1 << 14     /* Zicfiss */
};

/* What the operands add. */
enum look {
	PLAIN,
	RD0,    /* hint if rd is x0 */
	ADDI,   /* nop, hint, or move of a register or constant */
	FENCES, /* hint if a predecessor or successor set is empty */
	BRANCH_B,
	JAL_J,
	JALR_R,
	CBRANCH,
	CJUMP,
	CJR,
	CJALR,
	ORDER, /* aq and rl bits */
	CSRS,  /* privilege in the CSR number */
	SAME,  /* rs1 == rs2: a move */
	WIDTH, /* vector memory: element width in funct3 */
	XLEN,  /* accesses XLEN bits */
	STACK  /* likewise, for each register of a list */
};

struct rule {
	uint32_t mask, match;
	uint64_t set; /* values bits 31:26 may have; 0: any */
	uint32_t traits;
	uint16_t some; /* at least one of these bits is set; 0: no such demand */
	uint16_t need; /* enum need */
	uint8_t cls, look;
	uint8_t mem; /* bytes of a memory access */
};

/* The tables are to be read in columns. */
/* clang-format off */

/* ---- words for the tables ---- */

/* Fields in place. The opcode is chosen by the bucket, so no rule repeats it. */
#define F7(x) ((uint32_t)(x) << 25)
#define F3(x) ((uint32_t)(x) << 12)
#define R2(x) ((uint32_t)(x) << 20)
#define R1(x) ((uint32_t)(x) << 15)
#define RD(x) ((uint32_t)(x) << 7)
#define F5(x) ((uint32_t)(x) << 27)
#define FM(x) ((uint32_t)(x) << 25)
#define VM UINT32_C(0x02000000)
#define NF(x) ((uint32_t)(x) << 29)
#define MOP(x) ((uint32_t)(x) << 26)
/* Masks of the same fields. */
#define M7 F7(0x7f)
#define M3 F3(7)
#define M2 R2(31)
#define M1 R1(31)
#define MD RD(31)
#define M5 F5(31)
#define M6 UINT32_C(0xfc000000)
#define MMOP MOP(7) /* mew and mop */
#define MALL (M7 | M2 | M1 | M3 | MD)
/* Sets of values of bits 31:26: one, and from a to b. */
#define S(x) (UINT64_C(1) << (x))
#define SS(a, b) ((S(b) - S(a)) | S(b))
/* funct5 of an atomic sits in bits 31:27; both values of aq follow. */
#define A5(x) (UINT64_C(3) << (2 * (x)))

#define T(x) CAIRN_TRAIT_##x
#define C(x) .cls = CAIRN_CLASS_##x
#define LOADS(bytes) C(LOAD), .traits = T(LOAD), .mem = (bytes)
#define STORES(bytes) C(STORE), .traits = T(STORE), .mem = (bytes)
#define FLOADS(bytes) C(LOAD), .traits = T(LOAD) | T(FP), .mem = (bytes)
#define FSTORES(bytes) C(STORE), .traits = T(STORE) | T(FP), .mem = (bytes)
#define VLOADS C(LOAD), .traits = T(LOAD) | T(VECTOR)
#define VSTORES C(STORE), .traits = T(STORE) | T(VECTOR)
#define BITS C(INT), .traits = T(BITMANIP)
#define CRYPT C(CRYPTO), .traits = T(CRYPTO)
#define FPS C(FP), .traits = T(FP)
#define FMOVE C(FP), .traits = T(FP) | T(MOVE)
#define VEC C(VECTOR), .traits = T(VECTOR)
#define VBITS C(VECTOR), .traits = T(VECTOR) | T(BITMANIP)
#define VMUL C(VECTOR), .traits = T(VECTOR) | T(MUL)
#define VDIV C(VECTOR), .traits = T(VECTOR) | T(DIV)
#define VMOVE C(VECTOR), .traits = T(VECTOR) | T(MOVE)
#define VFP C(VECTOR), .traits = T(VECTOR) | T(FP)
#define VFMUL C(VECTOR), .traits = T(VECTOR) | T(FP) | T(MUL)
#define VFDIV C(VECTOR), .traits = T(VECTOR) | T(FP) | T(DIV)
#define VFMOVE C(VECTOR), .traits = T(VECTOR) | T(FP) | T(MOVE)
#define VCRYPT C(CRYPTO), .traits = T(CRYPTO) | T(VECTOR)
#define RMW(t, bytes) C(ATOMIC), .traits = T(ATOMIC) | (t), .look = ORDER, .mem = (bytes)
#define AMO(bytes) RMW(T(LOAD) | T(STORE), bytes)
#define LR(bytes) RMW(T(LOAD) | T(RESERVED_LR), bytes)
#define SC(bytes) RMW(T(STORE) | T(RESERVED_SC), bytes)
#define HINTS C(NOP), .traits = T(HINT)
#define PRIV(t) C(SYSTEM), .traits = T(PRIVILEGED) | (t)

/* ---- 32-bit encodings, by major opcode ---- */

static const struct rule op_load[] = {
	{M3, F3(3), LOADS(8), .need = RV64},           /* ld */
	{M3, F3(2), LOADS(4)},                         /* lw */
	{M3, F3(4), LOADS(1)},                         /* lbu */
	{M3, F3(0), LOADS(1)},                         /* lb */
	{M3, F3(5), LOADS(2)},                         /* lhu */
	{M3, F3(1), LOADS(2)},                         /* lh */
	{M3, F3(6), LOADS(4), .need = RV64},           /* lwu */
	{M3 | RD(1), F3(3), LOADS(8), .need = RV32},   /* Zilsd: ld into a pair */
};

static const struct rule op_store[] = {
	{M3, F3(3), STORES(8), .need = RV64},
	{M3, F3(2), STORES(4)},
	{M3, F3(0), STORES(1)},
	{M3, F3(1), STORES(2)},
	{M3 | R2(1), F3(3), STORES(8), .need = RV32},  /* Zilsd: sd of a pair */
};

static const struct rule op_load_fp[] = {
	{M3, F3(3), FLOADS(8), .need = F_REGS},
	{M3, F3(2), FLOADS(4), .need = F_REGS},
	{M3, F3(1), FLOADS(2), .need = F_REGS},
	{M3, F3(4), FLOADS(16), .need = F_REGS},
#define SCALAR_WIDTH(f3) {M3, F3(f3), C(ILLEGAL)}
	SCALAR_WIDTH(1), SCALAR_WIDTH(2), SCALAR_WIDTH(3), SCALAR_WIDTH(4),
	{MMOP | M2, MOP(0) | R2(0), VLOADS, .look = WIDTH},              /* vle, vlseg */
	{MMOP | M2, MOP(0) | R2(16), VLOADS, .look = WIDTH},             /* fault only first */
	{MMOP | M2 | VM, MOP(0) | R2(8) | VM, VLOADS, .look = WIDTH, .need = GROUP}, /* vl1re… */
	{M7 | M2 | M3, MOP(0) | R2(11) | VM, VLOADS, .mem = 1},          /* vlm */
	{MMOP, MOP(2), VLOADS, .look = WIDTH},                           /* strided */
	{M3 | MOP(5), F3(7) | MOP(1), C(ILLEGAL), .need = RV32},         /* 64-bit indices */
	{MOP(5), MOP(1), VLOADS},                                        /* indexed: data is SEW */
};

static const struct rule op_store_fp[] = {
	{M3, F3(3), FSTORES(8), .need = F_REGS},
	{M3, F3(2), FSTORES(4), .need = F_REGS},
	{M3, F3(1), FSTORES(2), .need = F_REGS},
	{M3, F3(4), FSTORES(16), .need = F_REGS},
	SCALAR_WIDTH(1), SCALAR_WIDTH(2), SCALAR_WIDTH(3), SCALAR_WIDTH(4),
	{MMOP | M2, MOP(0) | R2(0), VSTORES, .look = WIDTH},
	{MMOP | M2 | VM | M3, MOP(0) | R2(8) | VM, VSTORES, .mem = 1, .need = GROUP}, /* vs1r… */
	{M7 | M2 | M3, MOP(0) | R2(11) | VM, VSTORES, .mem = 1},         /* vsm */
	{MMOP, MOP(2), VSTORES, .look = WIDTH},
	{M3 | MOP(5), F3(7) | MOP(1), C(ILLEGAL), .need = RV32},
	{MOP(5), MOP(1), VSTORES},
};

static const struct rule op_misc_mem[] = {
	{MALL, F7(0) | R2(16), C(SYSTEM), .traits = T(WAIT) | T(HINT)},  /* pause */
	{M3, F3(0), C(FENCE), .traits = T(FENCE), .look = FENCES},
	{M3, F3(1), C(FENCE), .traits = T(FENCE)},                       /* fence.i */
	{M3 | M7 | M2 | MD, F3(2) | R2(4), C(CACHE), .traits = T(CACHE) | T(STORE)}, /* cbo.zero */
	{M3 | M7 | M2 | MD, F3(2) | R2(3), C(ILLEGAL)},
	{M3 | M7 | MD | R2(28), F3(2) | R2(0), C(CACHE), .traits = T(CACHE)}, /* inval … flush */
};

static const struct rule op_imm[] = {
	{M3, F3(0), C(INT), .look = ADDI},
	{M3, F3(7), C(INT), .look = RD0},                                /* andi */
	{M3 | MD | R2(30), F3(6) | R2(0), C(CACHE),
		.traits = T(CACHE) | T(PREFETCH) | T(HINT)},             /* prefetch.i, .r */
	{M3 | MD | M2, F3(6) | R2(3), C(CACHE),
		.traits = T(CACHE) | T(PREFETCH) | T(HINT)},             /* prefetch.w */
	{M3 | M6, F3(1) | F7(0x00), C(INT), .look = RD0, .need = SHAMT}, /* slli */
	{M3 | M6, F3(5) | F7(0x00), C(INT), .look = RD0, .need = SHAMT}, /* srli */
	{M3 | M6, F3(5) | F7(0x20), C(INT), .look = RD0, .need = SHAMT}, /* srai */
	{F3(5), F3(4), C(INT), .look = RD0},                             /* xori, ori */
	{F3(6), F3(2), C(INT), .look = RD0},                             /* slti, sltiu */
	{M3 | M7 | M2, F3(1) | F7(0x30) | R2(3), C(ILLEGAL)},
	{M3 | M7 | R2(28), F3(1) | F7(0x30) | R2(0), BITS},              /* clz, ctz, cpop */
	{M3 | M7 | R2(30), F3(1) | F7(0x30) | R2(4), BITS},              /* sext.b, sext.h */
	{M3 | M6, F3(5) | F7(0x30), BITS, .need = SHAMT},                /* rori */
	{M3 | M6, F3(1) | F7(0x14), BITS, .need = SHAMT},                /* bseti */
	{M3 | M6, F3(1) | F7(0x24), BITS, .need = SHAMT},                /* bclri */
	{M3 | M6, F3(5) | F7(0x24), BITS, .need = SHAMT},                /* bexti */
	{M3 | M6, F3(1) | F7(0x34), BITS, .need = SHAMT},                /* binvi */
	{M3 | M7 | M2, F3(5) | F7(0x14) | R2(7), BITS},                  /* orc.b */
	{M3 | M7 | M2, F3(5) | F7(0x34) | R2(7), BITS},                  /* brev8 */
	{M3 | M7 | M2, F3(5) | F7(0x34) | R2(24), BITS, .need = RV32},   /* rev8 */
	{M3 | M7 | M2, F3(5) | F7(0x35) | R2(24), BITS, .need = RV64},   /* rev8 */
	{M3 | M7 | M2, F3(1) | F7(0x04) | R2(15), BITS, .need = RV32},   /* zip */
	{M3 | M7 | M2, F3(5) | F7(0x04) | R2(15), BITS, .need = RV32},   /* unzip */
	{M3 | M7 | R2(28), F3(1) | F7(0x08) | R2(0), CRYPT},             /* sha256 */
	{M3 | M7 | R2(28), F3(1) | F7(0x08) | R2(4), CRYPT, .need = RV64}, /* sha512 */
	{M3 | M7 | R2(30), F3(1) | F7(0x08) | R2(8), CRYPT},             /* sm3p0, sm3p1 */
	{M3 | M7 | M2, F3(1) | F7(0x18) | R2(0), CRYPT, .need = RV64},   /* aes64im */
	{M3 | M7 | M2, F3(1) | F7(0x18) | R2(16 + 11), C(ILLEGAL)},      /* round numbers */
	{M3 | M7 | R2(28), F3(1) | F7(0x18) | R2(16 + 12), C(ILLEGAL)},  /*  end at 10 */
	{M3 | M7 | R2(16), F3(1) | F7(0x18) | R2(16), CRYPT, .need = RV64}, /* aes64ks1i */
};

static const struct rule op_upper[] = {
	{0, 0, C(INT), .traits = T(MOVE), .look = RD0},                  /* lui */
};

static const struct rule op_auipc[] = {
	{0, 0, C(INT), .look = RD0},
};

static const struct rule op_imm_32[] = {
	{M3, F3(0), C(INT), .look = RD0, .need = RV64},                  /* addiw */
	{M3 | M7, F3(1) | F7(0x00), C(INT), .look = RD0, .need = RV64},
	{M3 | M7, F3(5) | F7(0x00), C(INT), .look = RD0, .need = RV64},
	{M3 | M7, F3(5) | F7(0x20), C(INT), .look = RD0, .need = RV64},
	{M3 | M6, F3(1) | F7(0x04), BITS, .need = RV64},                 /* slli.uw */
	{M3 | M7, F3(5) | F7(0x30), BITS, .need = RV64},                 /* roriw */
	{M3 | M7 | R2(30), F3(1) | F7(0x30) | R2(0), BITS, .need = RV64},/* clzw, ctzw */
	{M3 | M7 | M2, F3(1) | F7(0x30) | R2(2), BITS, .need = RV64},    /* cpopw */
};

static const struct rule op_op[] = {
	{M7, F7(0x00), C(INT), .look = RD0},                             /* add … and */
	{M7 | F3(4), F7(0x01) | F3(0), C(MUL), .traits = T(MUL)},
	{M7 | F3(4), F7(0x01) | F3(4), C(DIV), .traits = T(DIV)},
	{M7 | M3, F7(0x20) | F3(0), C(INT), .look = RD0},                /* sub */
	{M7 | M3, F7(0x20) | F3(5), C(INT), .look = RD0},                /* sra */
	{M7 | M3, F7(0x20) | F3(4), BITS},                               /* xnor */
	{M7 | F3(6), F7(0x20) | F3(6), BITS},                            /* orn, andn */
	{M7 | M3, F7(0x10) | F3(2), BITS},                               /* sh1add */
	{M7 | F3(5), F7(0x10) | F3(4), BITS},                            /* sh2add, sh3add */
	{M7 | M3, F7(0x05) | F3(0), C(ILLEGAL)},
	{M7, F7(0x05), BITS},                                            /* clmul…, min … maxu */
	{M7 | F3(5), F7(0x07) | F3(5), C(INT)},                          /* czero.eqz, .nez */
	{M7 | M3, F7(0x04) | F3(4), BITS},                               /* pack */
	{M7 | M3, F7(0x04) | F3(7), BITS},                               /* packh */
	{M7 | M3, F7(0x14) | F3(1), BITS},                               /* bset */
	{M7 | M3, F7(0x24) | F3(1), BITS},                               /* bclr */
	{M7 | M3, F7(0x24) | F3(5), BITS},                               /* bext */
	{M7 | M3, F7(0x34) | F3(1), BITS},                               /* binv */
	{M7 | M3, F7(0x30) | F3(1), BITS},                               /* rol */
	{M7 | M3, F7(0x30) | F3(5), BITS},                               /* ror */
	{M7 | M3, F7(0x14) | F3(2), BITS},                               /* xperm4 */
	{M7 | M3, F7(0x14) | F3(4), BITS},                               /* xperm8 */
	{F7(0x19) | M3, F7(0x11), CRYPT, .need = RV32},                  /* aes32* */
	{F7(0x1d) | M3, F7(0x18), CRYPT},                                /* sm4ed, sm4ks */
	{F7(0x7d) | M3, F7(0x19), CRYPT, .need = RV64},                  /* aes64es, aes64esm */
	{F7(0x7d) | M3, F7(0x1d), CRYPT, .need = RV64},                  /* aes64ds, aes64dsm */
	{M7 | M3, F7(0x3f), CRYPT, .need = RV64},                        /* aes64ks2 */
	{F7(0x7c) | M3, F7(0x28), CRYPT, .need = RV32},                  /* sha512sum*r, sig*l */
	{F7(0x7e) | M3, F7(0x2e), CRYPT, .need = RV32},                  /* sha512sig*h */
};

static const struct rule op_op_32[] = {
	{M7 | M3, F7(0x00) | F3(0), C(INT), .look = RD0, .need = RV64},  /* addw */
	{M7 | M3, F7(0x20) | F3(0), C(INT), .look = RD0, .need = RV64},  /* subw */
	{M7 | M3, F7(0x00) | F3(1), C(INT), .look = RD0, .need = RV64},  /* sllw */
	{F7(0x5f) | M3, F7(0x00) | F3(5), C(INT), .look = RD0, .need = RV64}, /* srlw, sraw */
	{M7 | M3, F7(0x01) | F3(0), C(MUL), .traits = T(MUL), .need = RV64},
	{M7 | F3(4), F7(0x01) | F3(4), C(DIV), .traits = T(DIV), .need = RV64},
	{M7 | M3, F7(0x04) | F3(0), BITS, .need = RV64},                 /* add.uw */
	{M7 | M3, F7(0x04) | F3(4), BITS, .need = RV64},                 /* packw */
	{M7 | M3, F7(0x10) | F3(2), BITS, .need = RV64},                 /* sh1add.uw */
	{M7 | F3(5), F7(0x10) | F3(4), BITS, .need = RV64},              /* sh2add.uw, sh3add.uw */
	{M7 | M3, F7(0x30) | F3(1), BITS, .need = RV64},                 /* rolw */
	{M7 | M3, F7(0x30) | F3(5), BITS, .need = RV64},                 /* rorw */
};

static const struct rule op_amo[] = {
#define AMOS (A5(0x00) | A5(0x01) | A5(0x04) | A5(0x08) | A5(0x0c) | A5(0x10) | A5(0x14) | \
	      A5(0x18) | A5(0x1c) | A5(0x05))
	{M3, F3(2), .set = AMOS, AMO(4)},
	{M3, F3(3), .set = AMOS, AMO(8), .need = RV64},
	{M5 | M2 | M3, F5(2) | F3(2), LR(4)},
	{M5 | M2 | M3, F5(2) | F3(3), LR(8), .need = RV64},
	{M5 | M3, F5(3) | F3(2), SC(4)},
	{M5 | M3, F5(3) | F3(3), SC(8), .need = RV64},
	{M3, F3(0), .set = AMOS, AMO(1)},                                /* Zabha */
	{M3, F3(1), .set = AMOS, AMO(2)},
	{M5 | M3, F5(5) | F3(3), AMO(8), .need = RV32 | EVEN},           /* amocas.d */
	{M5 | M3, F5(5) | F3(4), AMO(16), .need = RV64 | EVEN},          /* amocas.q */
	{M5 | M3, F5(9) | F3(2), AMO(4)},                                /* ssamoswap */
	{M5 | M3, F5(9) | F3(3), AMO(8), .need = RV64},
	/* Zalasr: loads that acquire, stores that release */
#define AQ F5(0) | UINT32_C(0x04000000)
#define RL VM
#define ACQUIRES(f3, bytes) {M5 | AQ | M2 | M3, F5(6) | AQ | F3(f3), LOADS(bytes), .look = ORDER}
#define RELEASES(f3, bytes) {M5 | RL | MD | M3, F5(7) | RL | F3(f3), STORES(bytes), .look = ORDER}
	ACQUIRES(0, 1), ACQUIRES(1, 2), ACQUIRES(2, 4),
	RELEASES(0, 1), RELEASES(1, 2), RELEASES(2, 4),
	{M5 | AQ | M2 | M3, F5(6) | AQ | F3(3), LOADS(8), .look = ORDER, .need = RV64},
	{M5 | RL | MD | M3, F5(7) | RL | F3(3), STORES(8), .look = ORDER, .need = RV64},
};

static const struct rule op_branch[] = {
	{F3(6), F3(2), C(ILLEGAL)},
	{0, 0, C(BRANCH), .traits = T(BRANCH) | T(CONDITIONAL), .look = BRANCH_B},
};

static const struct rule op_jalr[] = {
	{M3, F3(0), C(JUMP), .traits = T(BRANCH) | T(INDIRECT), .look = JALR_R},
};

static const struct rule op_jal[] = {
	{0, 0, C(JUMP), .traits = T(BRANCH), .look = JAL_J},
};

static const struct rule op_fma[] = {
	{0, 0, C(FP), .traits = T(FP) | T(MUL), .need = ROUND},
};

static const struct rule op_fp[] = {
	{F5(30), F5(0), FPS, .need = ROUND},                       /* fadd, fsub */
	{M5, F5(2), C(FP), .traits = T(FP) | T(MUL), .need = ROUND},
	{M5, F5(3), C(FPDIV), .traits = T(FP) | T(DIV), .need = ROUND},
	{M5 | M3, F5(4) | F3(0), FPS, .look = SAME},        /* fsgnj, fmv */
	{M5 | M3, F5(4) | F3(3), C(ILLEGAL)},
	{M5 | F3(4), F5(4), FPS},                           /* fsgnjn, fsgnjx */
	{M5 | M3, F5(20) | F3(3), C(ILLEGAL)},
	{M5 | F3(4), F5(20), FPS},                          /* fle, flt, feq */
	{M5 | F3(6), F5(20) | F3(4), FPS},                  /* fleq, fltq */
	{M5 | F3(4), F5(5), FPS},                           /* fmin … fmaxm */
	{M5 | R2(30), F5(24) | R2(0), FPS, .need = ROUND},         /* fcvt.w.s … */
	{M5 | R2(30), F5(24) | R2(2), FPS, .need = ROUND | RV64},
	{M5 | R2(30), F5(26) | R2(0), FPS, .need = ROUND},         /* fcvt.s.w … */
	{M5 | R2(30), F5(26) | R2(2), FPS, .need = ROUND | RV64},
	{M7 | M2, F5(8) | FM(0) | R2(1), FPS, .need = ROUND},            /* fcvt.s.d */
	{M7 | M2, F5(8) | FM(1) | R2(0), FPS, .need = ROUND},            /* fcvt.d.s */
	{M7 | M2, F5(8) | FM(0) | R2(2), FPS, .need = ROUND},            /* fcvt.s.h */
	{M7 | M2, F5(8) | FM(1) | R2(2), FPS, .need = ROUND},            /* fcvt.d.h */
	{M7 | R2(30), F5(8) | FM(2) | R2(0), FPS, .need = ROUND},        /* fcvt.h.s, .h.d */
	{M5 | M2 | FM(2), F5(8) | FM(0) | R2(3), FPS, .need = ROUND},    /* fcvt.s.q, .d.q */
	{M7 | M2, F5(8) | FM(2) | R2(3), FPS, .need = ROUND},            /* fcvt.h.q */
	{M7 | M2, F5(8) | FM(3) | R2(2), FPS, .need = ROUND},            /* fcvt.q.h */
	{M7 | R2(30), F5(8) | FM(3) | R2(0), FPS, .need = ROUND},        /* fcvt.q.s, .q.d */
	{M7 | M2, F5(8) | FM(0) | R2(6), FPS, .need = ROUND},            /* fcvt.s.bf16 */
	{M7 | M2, F5(8) | FM(2) | R2(8), FPS, .need = ROUND},            /* fcvt.bf16.s */
	{M5 | R2(30), F5(8) | R2(4), FPS, .need = ROUND},          /* fround, froundnx */
	{M5 | M2, F5(11), C(FPDIV), .traits = T(FP), .need = ROUND}, /* fsqrt */
	{M7 | M2 | M3, F5(28) | FM(1), FMOVE, .need = RV64},             /* fmv.x.d */
	{M7 | M2 | M3, F5(30) | FM(1), FMOVE, .need = RV64},             /* fmv.d.x */
	{F5(29) | FM(1) | M2 | M3, F5(28), FMOVE},                       /* fmv.x.w … fmv.h.x */
	{M5 | M2 | M3, F5(28) | F3(1), FPS},                /* fclass */
	{M5 | M2 | M3, F5(30) | R2(1), FMOVE},              /* fli */
	{M7 | M2 | M3, F5(24) | FM(1) | R2(8) | F3(1), FPS},             /* fcvtmod.w.d */
	{M7 | M2 | M3, F5(28) | FM(1) | R2(1), FMOVE, .need = RV32},     /* fmvh.x.d */
	{M7 | M3, F5(22) | FM(1), FMOVE, .need = RV32},                  /* fmvp.d.x */
	{M7 | M2 | M3, F5(28) | FM(3) | R2(1), FMOVE, .need = RV64},     /* fmvh.x.q */
	{M7 | M3, F5(22) | FM(3), FMOVE, .need = RV64},                  /* fmvp.q.x */
};

static const struct rule op_system[] = {
	{F3(3), F3(1), C(CSR), .traits = T(CSR), .look = CSRS},          /* csrrw, csrrwi */
	{F3(2), F3(2), C(CSR), .traits = T(CSR), .look = CSRS},          /* csrrs … csrrci */
	{MALL, R2(0), C(SYSTEM), .traits = T(SYSCALL)},                  /* ecall */
	{MALL, R2(1), C(SYSTEM), .traits = T(BREAKPOINT)},               /* ebreak */
	{MALL, F7(0x18) | R2(2), PRIV(T(XRET))},                         /* mret */
	{MALL, F7(0x08) | R2(2), PRIV(T(XRET))},                         /* sret */
	{MALL, F7(0x38) | R2(2), PRIV(T(XRET))},                         /* mnret */
	{MALL, F7(0x3d) | R2(18), PRIV(T(XRET))},                        /* dret */
	{MALL, F7(0x08) | R2(5), PRIV(T(WAIT))},                         /* wfi */
	{MALL, F7(0x08) | R2(4), PRIV(0)},                               /* sctrclr */
	{MALL, R2(13), C(SYSTEM), .traits = T(WAIT)},                    /* wrs.nto */
	{MALL, R2(29), C(SYSTEM), .traits = T(WAIT)},                    /* wrs.sto */
	{M7 | M3 | MD, F7(0x09), PRIV(T(FENCE))},                        /* sfence.vma */
	{M7 | M3 | MD, F7(0x0b), PRIV(0)},                               /* sinval.vma */
	{M7 | R2(30) | M1 | M3 | MD, F7(0x0c), PRIV(T(FENCE))},          /* sfence.w.inval … */
	{M7 | M3 | MD, F7(0x11), PRIV(T(FENCE))},                        /* hfence.vvma */
	{M7 | M3 | MD, F7(0x31), PRIV(T(FENCE))},                        /* hfence.gvma */
	{M7 | M3 | MD, F7(0x13), PRIV(0)},                               /* hinval.vvma */
	{M7 | M3 | MD, F7(0x33), PRIV(0)},                               /* hinval.gvma */
#define HLV(bytes) C(LOAD), .traits = T(LOAD) | T(PRIVILEGED), .mem = (bytes)
#define HSV(bytes) C(STORE), .traits = T(STORE) | T(PRIVILEGED), .mem = (bytes)
	{M7 | R2(30) | M3, F7(0x30) | F3(4), HLV(1)},                    /* hlv.b, .bu */
	{M7 | R2(30) | M3, F7(0x32) | F3(4), HLV(2)},                    /* hlv.h, .hu */
	{M7 | M2 | M3, F7(0x32) | R2(3) | F3(4), HLV(2)},                /* hlvx.hu */
	{M7 | M2 | M3, F7(0x34) | R2(0) | F3(4), HLV(4)},                /* hlv.w */
	{M7 | M2 | M3, F7(0x34) | R2(3) | F3(4), HLV(4)},                /* hlvx.wu */
	{M7 | M2 | M3, F7(0x34) | R2(1) | F3(4), HLV(4), .need = RV64},  /* hlv.wu */
	{M7 | M2 | M3, F7(0x36) | R2(0) | F3(4), HLV(8), .need = RV64},  /* hlv.d */
	{M7 | M3 | MD, F7(0x31) | F3(4), HSV(1)},
	{M7 | M3 | MD, F7(0x33) | F3(4), HSV(2)},
	{M7 | M3 | MD, F7(0x35) | F3(4), HSV(4)},
	{M7 | M3 | MD, F7(0x37) | F3(4), HSV(8), .need = RV64},
	{MALL, F7(0x67) | R2(1) | F3(4), STORES(0), .look = XLEN, .need = SHADOW}, /* sspush x1 */
	{MALL, F7(0x67) | R2(5) | F3(4), STORES(0), .look = XLEN, .need = SHADOW}, /* sspush x5 */
	{MALL, F7(0x66) | R2(28) | R1(1) | F3(4), LOADS(0), .look = XLEN, .need = SHADOW}, /* sspopchk x1 */
	{MALL, F7(0x66) | R2(28) | R1(5) | F3(4), LOADS(0), .look = XLEN, .need = SHADOW}, /* sspopchk x5 */
	{MALL, F7(0x66) | R2(28) | F3(4), C(INT)},                       /* mop.r.28 x0, x0 */
	{M7 | M2 | M1 | M3, F7(0x66) | R2(28) | F3(4), C(CSR), .traits = T(CSR), .need = SHADOW}, /* ssrdp */
	{F7(0x59) | R2(28) | M3, F7(0x40) | R2(28) | F3(4), C(INT)},     /* mop.r */
	{F7(0x59) | M3, F7(0x41) | F3(4), C(INT)},                       /* mop.rr */
};

/* ---- vector arithmetic, by funct3; sets hold values of funct6 ---- */

#define V_ADC {VM, 0, .set = S(0x10) | S(0x12), VEC}, {0, 0, .set = S(0x11) | S(0x13), VEC}
#define V_MERGE {VM, 0, .set = S(0x17), VEC}, {VM | M2, VM, .set = S(0x17), VMOVE}

static const struct rule op_ivv[] = {
	{0, 0, VEC, .set = S(0x00) | S(0x02) | SS(0x04, 0x07) | SS(0x09, 0x0c) | S(0x0e) |
		SS(0x18, 0x1d) | SS(0x20, 0x23) | S(0x25) | SS(0x28, 0x31)},
	{0, 0, VMUL, .set = S(0x27)},                                    /* vsmul */
	{0, 0, VBITS, .set = S(0x01) | S(0x14) | S(0x15) | S(0x35)},     /* vandn vror vrol vwsll */
	V_ADC, V_MERGE,
};

static const struct rule op_ivx[] = {
	{0, 0, VEC, .set = S(0x00) | SS(0x02, 0x07) | SS(0x09, 0x0c) | SS(0x0e, 0x0f) |
		SS(0x18, 0x23) | S(0x25) | SS(0x28, 0x2f)},
	{0, 0, VMUL, .set = S(0x27)},
	{0, 0, VBITS, .set = S(0x01) | S(0x14) | S(0x15) | S(0x35)},
	V_ADC, V_MERGE,
};

static const struct rule op_ivi[] = {
	{0, 0, VEC, .set = S(0x00) | S(0x03) | SS(0x09, 0x0c) | SS(0x0e, 0x0f) | SS(0x18, 0x19) |
		SS(0x1c, 0x21) | S(0x25) | SS(0x28, 0x2f)},
	{VM, 0, VEC, .set = S(0x10)},                                    /* vadc */
	{0, 0, VEC, .set = S(0x11)},                                     /* vmadc */
	V_MERGE,
	{VM, VM, VMOVE, .set = S(0x27), .need = MOVE_GROUP},             /* vmv1r … vmv8r */
	{0, 0, VBITS, .set = S(0x14) | S(0x15) | S(0x35)},               /* vror (6-bit), vwsll */
};

static const struct rule op_fvv[] = {
	{0, 0, VFP, .set = SS(0x00, 0x0a) | SS(0x18, 0x19) | SS(0x1b, 0x1c) | SS(0x30, 0x34) |
		S(0x36)},
	{0, 0, VFMUL, .set = S(0x24) | SS(0x28, 0x2f) | S(0x38) | SS(0x3b, 0x3f)},
	{0, 0, VFDIV, .set = S(0x20)},
	{VM | M1, VM, VFMOVE, .set = S(0x10)},                           /* vfmv.f.s */
	{R1(28), R1(0), VFP, .set = S(0x12)},                            /* vfcvt */
	{R1(30), R1(6), VFP, .set = S(0x12)},                            /* vfcvt.rtz */
	{R1(24), R1(8), VFP, .set = S(0x12)},                            /* vfwcvt */
	{R1(24), R1(16), VFP, .set = S(0x12)},                           /* vfncvt */
	{M1, R1(29), VFP, .set = S(0x12)},                               /* vfncvtbf16 */
	{M1, R1(0), VFP, .set = S(0x13)},                                /* vfsqrt */
	{R1(30), R1(4), VFP, .set = S(0x13)},                            /* vfrsqrt7, vfrec7 */
	{M1, R1(16), VFP, .set = S(0x13)},                               /* vfclass */
};

static const struct rule op_fvf[] = {
	{0, 0, VFP, .set = S(0x00) | S(0x02) | S(0x04) | S(0x06) | SS(0x08, 0x0a) |
		SS(0x0e, 0x0f) | SS(0x18, 0x19) | SS(0x1b, 0x1d) | S(0x1f) | S(0x27) |
		S(0x30) | S(0x32) | S(0x34) | S(0x36)},
	{0, 0, VFMUL, .set = S(0x24) | SS(0x28, 0x2f) | S(0x38) | SS(0x3b, 0x3f)},
	{0, 0, VFDIV, .set = SS(0x20, 0x21)},
	{VM | M2, VM, VFMOVE, .set = S(0x10) | S(0x17)},                 /* vfmv.s.f, vfmv.v.f */
	{VM, 0, VFP, .set = S(0x17)},                                    /* vfmerge */
};

#define V_MULS (SS(0x24, 0x27) | S(0x29) | S(0x2b) | S(0x2d) | S(0x2f) | S(0x38) | \
		SS(0x3a, 0x3d) | S(0x3f))

static const struct rule op_mvv[] = {
	{0, 0, VEC, .set = SS(0x00, 0x0b) | SS(0x30, 0x37)},
	{0, 0, VMUL, .set = V_MULS},
	{0, 0, VDIV, .set = SS(0x20, 0x23)},
	{VM, VM, VEC, .set = SS(0x17, 0x18) | SS(0x1a, 0x1f)},           /* vcompress, mask logic */
	{VM, VM, VEC, .set = S(0x19), .look = SAME},                     /* vmand, vmmv */
	{VM | M1, VM, VMOVE, .set = S(0x10)},                            /* vmv.x.s */
	{R1(30), R1(16), VEC, .set = S(0x10)},                           /* vcpop, vfirst */
	{R1(30), R1(2), VEC, .set = S(0x12)},                            /* vzext, vsext .vf8 */
	{R1(28), R1(4), VEC, .set = S(0x12)},                            /*  .vf4, .vf2 */
	{R1(30), R1(8), VBITS, .set = S(0x12)},                          /* vbrev8, vrev8 */
	{M1, R1(10), VBITS, .set = S(0x12)},                             /* vbrev */
	{R1(30), R1(12), VBITS, .set = S(0x12)},                         /* vclz, vctz */
	{M1, R1(14), VBITS, .set = S(0x12)},                             /* vcpop.v */
	{M1, R1(1), VEC, .set = S(0x14)},                                /* vmsbf */
	{R1(30), R1(2), VEC, .set = S(0x14)},                            /* vmsof, vmsif */
	{M1, R1(16), VEC, .set = S(0x14)},                               /* viota */
	{M1 | M2, R1(17), VEC, .set = S(0x14)},                          /* vid */
	{0, 0, VBITS, .set = SS(0x0c, 0x0d)},                            /* vclmul, vclmulh */
};

static const struct rule op_mvx[] = {
	{0, 0, VEC, .set = SS(0x08, 0x0b) | SS(0x0e, 0x0f) | SS(0x30, 0x37)},
	{0, 0, VMUL, .set = V_MULS | S(0x3e)},
	{0, 0, VDIV, .set = SS(0x20, 0x23)},
	{VM | M2, VM, VMOVE, .set = S(0x10)},                            /* vmv.s.x */
	{0, 0, VBITS, .set = SS(0x0c, 0x0d)},
};

static const struct rule op_vset[] = {
	{UINT32_C(1) << 31, 0, VEC},                                     /* vsetvli */
	{NF(6), NF(6), VEC},                                             /* vsetivli */
	{M7, F7(0x40), VEC},                                             /* vsetvl */
};

static const struct rule op_vcrypto[] = {
	{VM | M3, VM | F3(2), VCRYPT, .set = SS(0x20, 0x22) | SS(0x2a, 0x2f)},
	{VM | M3 | R1(28), VM | F3(2), VCRYPT, .set = SS(0x28, 0x29)},   /* vaesdm … vaesef */
	{VM | M3 | M1, VM | F3(2) | R1(7), VCRYPT, .set = S(0x29)},      /* vaesz */
	{VM | M3 | M1, VM | F3(2) | R1(16), VCRYPT, .set = SS(0x28, 0x29)}, /* vsm4r */
	{VM | M3 | M1, VM | F3(2) | R1(17), VCRYPT, .set = S(0x28)},     /* vgmul */
};

/* ---- 16-bit encodings, by quadrant ---- */

#define C3(x) ((uint32_t)(x) << 13) /* funct3 */
#define CRD(x) ((uint32_t)(x) << 7) /* rd, rs1: bits 11:7 */
#define CR2(x) ((uint32_t)(x) << 2) /* rs2: bits 6:2 */
#define C12 UINT32_C(0x1000)
#define MC3 C3(7)
#define MCRD CRD(31)
#define MCR2 CR2(31)
#define CIMM (C12 | MCR2)           /* the 6-bit immediate */
#define C10(x) ((uint32_t)(x) << 10)
#define C5(x) ((uint32_t)(x) << 5)

static const struct rule quadrant0[] = {
	{MC3, C3(2), LOADS(4)},                                          /* c.lw */
	{MC3, C3(3), LOADS(8), .need = RV64},                            /* c.ld */
	{MC3, C3(6), STORES(4)},
	{MC3, C3(7), STORES(8), .need = RV64},
	{MC3, C3(0), C(INT), .some = 0x1fe0},                            /* c.addi4spn */
	{MC3, C3(1), FLOADS(8), .need = ZCD},
	{MC3, C3(5), FSTORES(8), .need = ZCD},
	{MC3, C3(3), FLOADS(4), .need = RV32 | ZCF},
	{MC3, C3(7), FSTORES(4), .need = RV32 | ZCF},
	{MC3 | CR2(1), C3(3), LOADS(8), .need = RV32 | ZCLSD},           /* c.ld of a pair */
	{MC3 | CR2(1), C3(7), STORES(8), .need = RV32 | ZCLSD},
	{MC3 | C10(7), C3(4) | C10(0), LOADS(1)},                        /* Zcb: c.lbu */
	{MC3 | C10(7), C3(4) | C10(1), LOADS(2)},                        /* c.lhu, c.lh */
	{MC3 | C10(7), C3(4) | C10(2), STORES(1)},
	{MC3 | C10(7) | C5(2), C3(4) | C10(3), STORES(2)},
};

static const struct rule quadrant1[] = {
	{MC3 | MCRD | CIMM, C3(0), C(NOP)},                              /* c.nop */
	{MC3 | CIMM, C3(0), HINTS},                                      /* c.addi rd, 0 */
	{MC3 | MCRD, C3(0), HINTS},                                      /* c.nop imm */
	{MC3, C3(0), C(INT)},                                            /* c.addi */
	{MC3, C3(6), C(BRANCH), .traits = T(BRANCH) | T(CONDITIONAL), .look = CBRANCH},
	{MC3, C3(7), C(BRANCH), .traits = T(BRANCH) | T(CONDITIONAL), .look = CBRANCH},
	{MC3, C3(5), C(JUMP), .traits = T(BRANCH), .look = CJUMP},
	{MC3 | MCRD, C3(2), HINTS},
	{MC3, C3(2), C(INT), .traits = T(MOVE)},                         /* c.li */
	{MC3, C3(1), C(INT), .some = 0x0f80, .need = RV64},              /* c.addiw */
	{MC3, C3(1), C(CALL), .traits = T(BRANCH) | T(CALL), .look = CJUMP, .need = RV32},
	{MC3 | MCRD | CIMM, C3(3) | CRD(1), STORES(0), .look = XLEN, .need = SHADOW}, /* c.sspush x1 */
	{MC3 | MCRD | CIMM, C3(3) | CRD(5), LOADS(0), .look = XLEN, .need = SHADOW}, /* c.sspopchk x5 */
	{MC3 | CRD(17) | CIMM, C3(3) | CRD(1), C(NOP)},                  /* c.mop */
	{MC3 | MCRD, C3(3), HINTS, .some = 0x107c},                      /* c.lui x0 */
	{MC3 | MCRD, C3(3) | CRD(2), C(INT), .some = 0x107c},            /* c.addi16sp */
	{MC3 | MCRD, C3(3) | CRD(2), C(ILLEGAL)},
	{MC3, C3(3), C(INT), .traits = T(MOVE), .some = 0x107c},         /* c.lui */
	{MC3 | C10(2) | CIMM, C3(4), HINTS},                             /* c.srli, c.srai by 0 */
	{MC3 | C10(2), C3(4), C(INT), .need = CSHAMT},
	{MC3 | C10(3), C3(4) | C10(2), C(INT)},                          /* c.andi */
	{MC3 | C10(7), C3(4) | C10(3), C(INT)},                          /* c.sub c.xor c.or c.and */
	{MC3 | C10(7) | C5(2), C3(4) | C10(7), C(INT), .need = RV64},    /* c.subw, c.addw */
	{MC3 | C10(7) | C5(3), C3(4) | C10(7) | C5(2), C(MUL), .traits = T(MUL)},
#define CUNARY (MC3 | C10(7) | MCR2), C3(4) | C10(7) | C5(3)
	{CUNARY | CR2(0), C(INT)},                                       /* c.zext.b */
	{CUNARY | CR2(5), C(INT)},                                       /* c.not */
	{CUNARY | CR2(4), BITS, .need = RV64},                           /* c.zext.w */
	{CUNARY | CR2(1), BITS},                                         /* c.sext.b */
	{CUNARY | CR2(2), BITS},                                         /* c.zext.h */
	{CUNARY | CR2(3), BITS},                                         /* c.sext.h */
};

static const struct rule quadrant2[] = {
	{MC3, C3(2), LOADS(4), .some = 0x0f80},                          /* c.lwsp */
	{MC3, C3(3), LOADS(8), .some = 0x0f80, .need = RV64},            /* c.ldsp */
	{MC3, C3(6), STORES(4)},
	{MC3, C3(7), STORES(8), .need = RV64},
	{MC3 | C12 | MCR2, C3(4), C(JUMP), .traits = T(BRANCH) | T(INDIRECT), .look = CJR,
		.some = 0x0f80},
	{MC3 | C12 | MCR2, C3(4), C(ILLEGAL)},                           /* c.jr x0 */
	{MC3 | C12 | MCR2 | MCRD, C3(4) | C12, C(SYSTEM), .traits = T(BREAKPOINT)},
	{MC3 | C12 | MCR2, C3(4) | C12, C(CALL), .traits = T(BRANCH) | T(INDIRECT), .look = CJALR},
	{MC3 | MCRD, C3(4), HINTS},                                      /* c.mv, c.add to x0, c.ntl */
	{MC3 | C12, C3(4), C(INT), .traits = T(MOVE)},                   /* c.mv */
	{MC3 | C12, C3(4) | C12, C(INT)},                                /* c.add */
	{MC3 | MCRD, C3(0), HINTS, .need = CSHAMT},                      /* c.slli x0 */
	{MC3 | CIMM, C3(0), HINTS},                                      /* c.slli by 0 */
	{MC3, C3(0), C(INT), .need = CSHAMT},
	{MC3, C3(1), FLOADS(8), .need = ZCD},
	{MC3, C3(5), FSTORES(8), .need = ZCD},
	{MC3, C3(3), FLOADS(4), .need = RV32 | ZCF},
	{MC3, C3(7), FSTORES(4), .need = RV32 | ZCF},
	{MC3 | CRD(1), C3(3), LOADS(8), .some = 0x0f80, .need = RV32 | ZCLSD}, /* c.ldsp */
	{MC3 | CR2(1), C3(7), STORES(8), .need = RV32 | ZCLSD},
#define LISTED(match) 0xff00, match, .some = 0x00c0, .look = STACK, .need = ZCMP /* rlist is 4 to 15 */
	{LISTED(0xb800), STORES(0)},                                     /* cm.push */
	{LISTED(0xba00), LOADS(0)},                                      /* cm.pop */
#define POPRET C(RETURN), .traits = T(LOAD) | T(BRANCH) | T(INDIRECT) | T(RETURN)
	{LISTED(0xbc00), POPRET},                                        /* cm.popretz */
	{LISTED(0xbe00), POPRET},
	{0xfc20, 0xac20, C(INT), .traits = T(MOVE), .need = ZCMP},       /* cm.mvsa01, cm.mva01s */
	{0xff80, 0xa000, C(JUMP), .traits = T(BRANCH) | T(INDIRECT), .need = ZCMP}, /* cm.jt */
	{0xfc00, 0xa000, C(CALL), .traits = T(BRANCH) | T(INDIRECT) | T(CALL), .need = ZCMP},
};

/* ---- the buckets ---- */

struct bucket {
	const struct rule *rules;
	size_t n;
};
#define B(t) {t, sizeof t / sizeof *t}

/* By bits 6:2 of the encoding. Empty: custom, reserved, or a longer instruction. */
static const struct bucket by_opcode[32] = {
	[0x00] = B(op_load),   [0x01] = B(op_load_fp),  [0x03] = B(op_misc_mem),
	[0x04] = B(op_imm),    [0x05] = B(op_auipc),    [0x06] = B(op_imm_32),
	[0x08] = B(op_store),  [0x09] = B(op_store_fp), [0x0b] = B(op_amo),
	[0x0c] = B(op_op),     [0x0d] = B(op_upper),    [0x0e] = B(op_op_32),
	[0x10] = B(op_fma),    [0x11] = B(op_fma),      [0x12] = B(op_fma),
	[0x13] = B(op_fma),    [0x14] = B(op_fp),       [0x18] = B(op_branch),
	[0x19] = B(op_jalr),   [0x1b] = B(op_jal),      [0x1c] = B(op_system),
	[0x1d] = B(op_vcrypto),
};

enum { OP_V = 0x15 };
static const struct bucket by_vector_funct3[8] = {
	B(op_ivv), B(op_fvv), B(op_mvv), B(op_ivi), B(op_ivx), B(op_fvf), B(op_mvx), B(op_vset),
};

static const struct bucket by_quadrant[3] = {B(quadrant0), B(quadrant1), B(quadrant2)};

/* clang-format on */

/* ---- reading the tables ---- */

static unsigned riscv_field(uint32_t enc, unsigned lsb, unsigned bits)
{
	return enc >> lsb & ((1u << bits) - 1);
}

static bool group_ok(unsigned n1, unsigned regs)
{
	bool power = n1 == 0 || n1 == 1 || n1 == 3 || n1 == 7;
	return power && (regs & n1) == 0;
}

static bool riscv_holds(unsigned need, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	unsigned rd = riscv_field(e, 7, 5), rs2 = riscv_field(e, 20, 5), variant = op->variant;
	if (need & (rv32 ? RV64 : RV32))
		return false;
	if ((need & (F_REGS | ZCD | ZCF)) && (variant & CAIRN_ISA_ZFINX))
		return false;
	if ((need & ZCD) && (variant & CAIRN_ISA_ZCMP))
		return false;
	if ((need & ZCF) && (variant & CAIRN_ISA_ZCLSD))
		return false;
	if ((need & ZCMP) && !(variant & CAIRN_ISA_ZCMP))
		return false;
	if ((need & ZCLSD) && !(variant & CAIRN_ISA_ZCLSD))
		return false;
	if ((need & SHADOW) && (variant & CAIRN_ISA_NO_ZICFISS))
		return false;
	if ((need & ROUND) && (riscv_field(e, 12, 3) == 5 || riscv_field(e, 12, 3) == 6))
		return false;
	if ((need & EVEN) && ((rd | rs2) & 1))
		return false;
	if ((need & GROUP) && !group_ok(riscv_field(e, 29, 3), rd))
		return false;
	if ((need & MOVE_GROUP) && !group_ok(riscv_field(e, 15, 5), rd | rs2))
		return false;
	if ((need & SHAMT) && rv32 && riscv_field(e, 25, 1))
		return false;
	return !((need & CSHAMT) && rv32 && riscv_field(e, 12, 1));
}

static const struct rule *riscv_find(const struct bucket *bucket, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	for (size_t i = 0; i < bucket->n; i++) {
		const struct rule *rule = &bucket->rules[i];
		if ((e & rule->mask) != rule->match)
			continue;
		if (rule->set && !(rule->set >> (e >> 26) & 1))
			continue;
		if (rule->some && !(e & rule->some))
			continue;
		if (rule->need && !riscv_holds(rule->need, op))
			continue;
		return rule;
	}
	return NULL;
}

/* ---- operands ---- */

static int64_t riscv_sign(uint32_t value, unsigned bits)
{
	uint32_t top = UINT32_C(1) << (bits - 1);
	return (int64_t)(value ^ top) - (int64_t)top;
}

static int64_t offset_b(uint32_t encoding)
{
	return riscv_sign(riscv_field(encoding, 31, 1) << 12 | riscv_field(encoding, 7, 1) << 11 |
	                      riscv_field(encoding, 25, 6) << 5 | riscv_field(encoding, 8, 4) << 1,
	                  13);
}

static int64_t offset_j(uint32_t encoding)
{
	return riscv_sign(riscv_field(encoding, 31, 1) << 20 | riscv_field(encoding, 12, 8) << 12 |
	                      riscv_field(encoding, 20, 1) << 11 | riscv_field(encoding, 21, 10) << 1,
	                  21);
}

static int64_t offset_cb(uint32_t encoding)
{
	return riscv_sign(riscv_field(encoding, 12, 1) << 8 | riscv_field(encoding, 5, 2) << 6 |
	                      riscv_field(encoding, 2, 1) << 5 | riscv_field(encoding, 10, 2) << 3 |
	                      riscv_field(encoding, 3, 2) << 1,
	                  9);
}

static int64_t offset_cj(uint32_t encoding)
{
	return riscv_sign(riscv_field(encoding, 12, 1) << 11 | riscv_field(encoding, 8, 1) << 10 |
	                      riscv_field(encoding, 9, 2) << 8 | riscv_field(encoding, 6, 1) << 7 |
	                      riscv_field(encoding, 7, 1) << 6 | riscv_field(encoding, 2, 1) << 5 |
	                      riscv_field(encoding, 11, 1) << 4 | riscv_field(encoding, 3, 3) << 1,
	                  12);
}

static void be_hint(struct cairn_op *op)
{
	op->cls = CAIRN_CLASS_NOP;
	op->traits = CAIRN_TRAIT_HINT;
}

/* The return-address-stack hints of the unprivileged manual, section "Unconditional
 * jumps": x1 and x5 are link registers; jalr between two different ones returns
 * and calls at once (coroutines), which counts as a call with both traits. */
static void link_hints(struct cairn_op *op, unsigned rd, unsigned rs1)
{
	bool push = rd == 1 || rd == 5;
	bool pop = (rs1 == 1 || rs1 == 5) && !(push && rd == rs1);
	op->cls = push ? CAIRN_CLASS_CALL : pop ? CAIRN_CLASS_RETURN : CAIRN_CLASS_JUMP;
	if (push)
		op->traits |= CAIRN_TRAIT_CALL;
	if (pop)
		op->traits |= CAIRN_TRAIT_RETURN;
}

static void look_at_addi(struct cairn_op *op)
{
	unsigned rd = riscv_field(op->enc, 7, 5), rs1 = riscv_field(op->enc, 15, 5),
			 imm = op->enc >> 20;
	if (rd == 0 && rs1 == 0 && imm == 0)
		op->cls = CAIRN_CLASS_NOP;
	else if (rd == 0)
		be_hint(op);
	else if (rs1 == 0 || imm == 0)
		op->traits |= CAIRN_TRAIT_MOVE;
}

static void look_at_fence(struct cairn_op *op)
{
	uint32_t e = op->enc;
	bool empty = riscv_field(e, 24, 4) == 0 || riscv_field(e, 20, 4) == 0;
	if (empty && riscv_field(e, 28, 4) == 0 &&
	    (riscv_field(e, 7, 5) == 0 || riscv_field(e, 15, 5) == 0))
		be_hint(op);
}

static void look_at_order(struct cairn_op *op)
{
	if (riscv_field(op->enc, 26, 1))
		op->traits |= CAIRN_TRAIT_ACQUIRE;
	if (riscv_field(op->enc, 25, 1))
		op->traits |= CAIRN_TRAIT_RELEASE;
}

static void riscv_look(struct cairn_op *op, enum look what)
{
	uint32_t e = op->enc;
	unsigned rd = riscv_field(e, 7, 5), rs1 = riscv_field(e, 15, 5);
	switch (what) {
	case PLAIN:
		break;
	case RD0:
		if (rd == 0)
			be_hint(op);
		break;
	case ADDI:
		look_at_addi(op);
		break;
	case FENCES:
		look_at_fence(op);
		break;
	case BRANCH_B:
		op->offset = offset_b(e);
		break;
	case JAL_J:
		op->offset = offset_j(e);
		link_hints(op, rd, 0);
		break;
	case JALR_R:
		link_hints(op, rd, rs1);
		break;
	case CBRANCH:
		op->offset = offset_cb(e);
		break;
	case CJUMP:
		op->offset = offset_cj(e);
		break;
	case CJR:
		link_hints(op, 0, rd);
		break;
	case CJALR:
		link_hints(op, 1, rd);
		break;
	case ORDER:
		look_at_order(op);
		break;
	case CSRS:
		if (riscv_field(e, 28, 2))
			op->traits |= CAIRN_TRAIT_PRIVILEGED;
		break;
	case SAME:
		if (rs1 == riscv_field(e, 20, 5))
			op->traits |= CAIRN_TRAIT_MOVE;
		break;
	case WIDTH:
		op->mem_size = (uint16_t)(riscv_field(e, 12, 3) ? 1u << (riscv_field(e, 12, 3) - 4) : 1);
		break;
	case XLEN:
		op->mem_size = op->isa == CAIRN_ISA_RV32 ? 4 : 8;
		break;
	case STACK:
		op->mem_size = op->isa == CAIRN_ISA_RV32 ? 4 : 8;
		op->mem_count = (uint8_t)isa_riscv_listed(e);
		break;
	}
}

unsigned isa_riscv_listed(uint32_t enc)
{
	unsigned rlist = riscv_field(enc, 4, 4);
	return rlist == 15 ? 13 : rlist - 3; /* s10 comes with s11 */
}

unsigned isa_riscv_length(uint32_t enc)
{
	if ((enc & 3) != 3)
		return 2;
	if ((enc & 0x3f) == 0x1f)
		return 6;
	if ((enc & 0x7f) == 0x3f)
		return 8;
	return 4;
}

void isa_riscv_decode(struct cairn_op *op)
{
	uint32_t e = op->enc;
	const struct bucket *bucket = NULL;
	if (op->size == 2 && (e & 3) != 3)
		bucket = &by_quadrant[e & 3];
	else if (op->size == 4 && (e & 3) == 3)
		bucket = riscv_field(e, 2, 5) == OP_V ? &by_vector_funct3[riscv_field(e, 12, 3)]
		                                      : &by_opcode[riscv_field(e, 2, 5)];
	const struct rule *rule = bucket ? riscv_find(bucket, op) : NULL;
	bool fp = (e & 0x73) == 0x43 || (e & 0x7f) == 0x53;
	if (fp && (op->variant & CAIRN_ISA_ZFINX) && op->size == 4 &&
	    !isa_riscv_zfinx_has(e, op->isa == CAIRN_ISA_RV32))
		rule = NULL;
	op->cls = rule ? rule->cls : CAIRN_CLASS_ILLEGAL;
	op->traits = op->size == 2 ? CAIRN_TRAIT_COMPRESSED : 0;
	if (!rule || rule->cls == CAIRN_CLASS_ILLEGAL)
		return;
	op->traits |= rule->traits;
	op->mem_size = rule->mem;
	riscv_look(op, (enum look)rule->look);
	if (op->mem_size && !op->mem_count && !(op->traits & CAIRN_TRAIT_VECTOR))
		op->mem_count = 1;
}

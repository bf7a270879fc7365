/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: what an encoding means.
 *
 * Three levels of fixed fields lead to an instruction: op (bits 31:30), then op2 of
 * branches and sethi or op3 of everything else, then opf of floating point and
 * VIS. Formats 2 and 3 are dispatched on dense tables indexed by those fields; a
 * row says class, traits and bytes of memory, and may name a function that looks
 * at what else decides.
 *
 * How the names are given:
 * - call and return follow the convention: call, and jmpl into %o7, are calls;
 *   jmpl from %i7 or %o7 with 8 or 12 (a struct's unimp skipped) into %g0, and the
 *   instruction `return`, are returns.
 * - ba is a jump; bn is conditional (on nothing) and never taken.
 * - Every delayed transfer has the delay-slot trait, also when its annul bit makes
 *   the slot not run: traces hold the annulled instruction.
 * - illtrap exists to be illegal and has that class.
 * - done and retry are returns from traps, not branches; so are traps (Tcc) no
 *   branches, as for other sets' system calls.
 *
 * Sources: The SPARC Architecture Manual, Version 9, appendix A and E; VIS 1 to 3 of
 * the UltraSPARC manuals.
 */
#include "isa/sparc.h"

#include "isa/isa.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

static inline unsigned f_opf(uint32_t encoding)
{
	return encoding >> 5 & 511;
}
static inline unsigned f_cond(uint32_t encoding)
{
	return encoding >> 25 & 15;
}

/* ---- flow ---- */

static enum isa_sparc_flow branch_flow(uint32_t encoding)
{
	unsigned cond = f_cond(encoding) & 7;
	switch (encoding >> 22 & 7) {
	case 1: /* BPcc */
	case 2: /* Bicc */
	case 5: /* FBPfcc */
	case 6: /* FBfcc */
		return cond ? ISA_SPARC_COND : f_cond(encoding) ? ISA_SPARC_ALWAYS : ISA_SPARC_NEVER;
	case 3: /* BPr; with bit 28 the set of 2011, which is not V9 */
		return (encoding >> 28 & 1) || (cond & 3) == 0 ? ISA_SPARC_NONE : ISA_SPARC_COND;
	default:
		return ISA_SPARC_NONE;
	}
}

enum isa_sparc_flow isa_sparc_flow(uint32_t encoding)
{
	switch (encoding >> 30) {
	case 0:
		return branch_flow(encoding);
	case 1:
		return ISA_SPARC_CALL;
	case 2:
		break;
	default:
		return ISA_SPARC_NONE;
	}
	switch (isa_sparc_op3(encoding)) {
	case 0x38:
		return ISA_SPARC_JMPL;
	case 0x39:
		return ISA_SPARC_RETURN;
	case 0x3a:
		return (f_cond(encoding) & 15) ? ISA_SPARC_TCC : ISA_SPARC_NONE;
	case 0x3e:
		return isa_sparc_rd(encoding) == 0   ? ISA_SPARC_DONE
		       : isa_sparc_rd(encoding) == 1 ? ISA_SPARC_RETRY
		                                     : ISA_SPARC_NONE;
	default:
		return ISA_SPARC_NONE;
	}
}

int64_t isa_sparc_offset(uint32_t encoding)
{
	if (encoding >> 30 == 1)
		return 4 * isa_sign(encoding & 0x3fffffff, 30);
	switch (encoding >> 22 & 7) {
	case 1:
	case 5:
		return 4 * isa_sign(encoding & 0x7ffff, 19);
	case 3:
		return 4 * isa_sign((encoding >> 20 & 3) << 14 | (encoding & 0x3fff), 16);
	default:
		return 4 * isa_sign(encoding & 0x3fffff, 22);
	}
}

/* ---- rows ---- */

static void illegal(struct cairn_op *op)
{
	isa_set(op, C(ILLEGAL), 0);
}

static void sparc_memory(struct cairn_op *op, unsigned cls, uint32_t traits, unsigned bytes)
{
	isa_set(op, cls, traits);
	op->mem_size = (uint16_t)bytes;
	op->mem_count = bytes != 0;
}

struct row {
	uint32_t traits;
	uint8_t cls; /* 0: there is no such instruction, or `look` decides */
	uint8_t mem;
	void (*look)(struct cairn_op *op, uint32_t encoding);
};

/* ---- format 2: branches and sethi ---- */

static void sparc_direct(struct cairn_op *op, uint32_t encoding)
{
	enum isa_sparc_flow f = branch_flow(encoding);
	uint32_t traits = T(BRANCH) | T(DELAY_SLOT);
	if (f == ISA_SPARC_ALWAYS)
		isa_set(op, C(JUMP), traits);
	else
		isa_set(op, C(BRANCH), traits | T(CONDITIONAL));
	op->offset = isa_sparc_offset(encoding);
}

static void format2(struct cairn_op *op, uint32_t encoding)
{
	unsigned cc = encoding >> 20 & 3;
	switch (encoding >> 22 & 7) {
	case 1:
		if (cc & 1) /* icc and xcc, not their neighbours */
			illegal(op);
		else
			sparc_direct(op, encoding);
		break;
	case 3:
		if (branch_flow(encoding) == ISA_SPARC_NONE)
			illegal(op);
		else
			sparc_direct(op, encoding);
		break;
	case 2:
	case 5:
	case 6:
		sparc_direct(op, encoding);
		break;
	case 4:
		if ((encoding & 0x3fffff) == 0 && isa_sparc_rd(encoding) == 0)
			isa_set(op, C(NOP), 0);
		else
			isa_set(op, C(INT), T(MOVE));
		break;
	default: /* illtrap; coprocessor branches of V8 */
		illegal(op);
		break;
	}
}

/* ---- format 3: arithmetic ---- */

/* or with %g0 or 0 on one side copies the other. */
static void look_or(struct cairn_op *op, uint32_t encoding)
{
	bool zero =
		isa_sparc_rs1(encoding) == 0 ||
		(isa_sparc_has_constant(encoding) ? (encoding & 0x1fff) == 0 : (encoding & 31) == 0);
	isa_set(op, C(INT), zero ? T(MOVE) : 0);
}

static void look_rd(struct cairn_op *op, uint32_t encoding)
{
	if (isa_sparc_rs1(encoding) == 15 && isa_sparc_rd(encoding) == 0) /* membar, stbar */
		isa_set(op, C(FENCE), T(FENCE));
	else
		isa_set(op, C(CSR), T(CSR));
}

static void look_wr(struct cairn_op *op, uint32_t encoding)
{
	if (isa_sparc_rd(encoding) == 15 && isa_sparc_rs1(encoding) == 0 &&
	    isa_sparc_has_constant(encoding)) /* sir */
		isa_set(op, C(SYSTEM), T(PRIVILEGED));
	else
		isa_set(op, C(CSR), T(CSR));
}

static void look_popc(struct cairn_op *op, uint32_t encoding)
{
	isa_set(op, isa_sparc_rs1(encoding) == 0 ? C(INT) : C(ILLEGAL),
	        isa_sparc_rs1(encoding) == 0 ? T(BITMANIP) : 0);
}

/* saved, restored, and the window instructions of UltraSPARC 2005. */
static void look_saved(struct cairn_op *op, uint32_t encoding)
{
	if (isa_sparc_rd(encoding) <= 5)
		isa_set(op, C(SYSTEM), T(PRIVILEGED));
}

static void look_movcc(struct cairn_op *op, uint32_t encoding)
{
	bool integer = encoding >> 18 & 1;
	if (!integer || !(encoding >> 11 & 1)) /* icc, xcc */
		isa_set(op, C(INT), 0);
}

static void look_movr(struct cairn_op *op, uint32_t encoding)
{
	if (encoding >> 10 & 3)
		isa_set(op, C(INT), 0);
}

static void look_jmpl(struct cairn_op *op, uint32_t encoding)
{
	uint32_t traits = T(BRANCH) | T(INDIRECT) | T(DELAY_SLOT);
	unsigned skip = encoding & 0x1fff;
	bool link = isa_sparc_rs1(encoding) == 31 || isa_sparc_rs1(encoding) == 15;
	if (isa_sparc_rd(encoding) == 15)
		isa_set(op, C(CALL), traits | T(CALL));
	else if (isa_sparc_rd(encoding) == 0 && link && isa_sparc_has_constant(encoding) &&
	         (skip == 8 || skip == 12))
		isa_set(op, C(RETURN), traits | T(RETURN));
	else
		isa_set(op, C(JUMP), traits);
}

static void look_tcc(struct cairn_op *op, uint32_t encoding)
{
	unsigned cond = f_cond(encoding);
	if (encoding >> 11 & 1 || encoding >> 29 & 1)
		return;
	if (cond == 0)
		isa_set(op, C(NOP), 0);
	else if (cond != 8)
		isa_set(op, C(SYSTEM), 0);
	else if (isa_sparc_has_constant(encoding) && isa_sparc_rs1(encoding) == 0 &&
	         (encoding & 127) == 1)
		isa_set(op, C(SYSTEM), T(BREAKPOINT));
	else
		isa_set(op, C(SYSTEM), T(SYSCALL));
}

static void look_done(struct cairn_op *op, uint32_t encoding)
{
	if (isa_sparc_rd(encoding) <= 1)
		isa_set(op, C(SYSTEM), T(XRET) | T(PRIVILEGED));
}

/* Format of the operands by opf's low bits is no matter for class and traits. */
static void look_fpop1(struct cairn_op *op, uint32_t encoding)
{
	/* Between formats; of VIS 3, negated and halved sums. */
	static const uint64_t plain[4] = {0, UINT64_C(0x0006006600060000), 0x111e, UINT64_C(0xe7bd0)};
	unsigned opf = f_opf(encoding), width = opf & 3;
	uint32_t fp = T(FP);
	switch (opf >> 2) {
	case 0x00: /* fmov */
		if (width)
			isa_set(op, C(FP), fp | T(MOVE));
		return;
	case 0x01: /* fneg */
	case 0x02: /* fabs */
	case 0x10: /* fadd */
	case 0x11: /* fsub */
		if (width)
			isa_set(op, C(FP), fp);
		return;
	case 0x12: /* fmul */
		if (width)
			isa_set(op, C(FP), fp | T(MUL));
		return;
	case 0x0a: /* fsqrt */
	case 0x13: /* fdiv */
		if (width)
			isa_set(op, C(FPDIV), fp | T(DIV));
		return;
	default:
		break;
	}
	switch (opf) {
	case 0x69: /* fsmuld */
	case 0x6e: /* fdmulq */
		isa_set(op, C(FP), fp | T(MUL));
		break;
	case 0x59:
	case 0x5a:
	case 0x79:
		isa_set(op, C(FP), fp | T(MUL));
		break;
	default:
		if (opf < 0x100 && plain[opf >> 6] >> (opf & 63) & 1)
			isa_set(op, C(FP), fp);
		break;
	}
}

static void look_fpop2(struct cairn_op *op, uint32_t encoding)
{
	unsigned opf = f_opf(encoding), low = opf & 63, cc = opf >> 6 & 7;
	if (opf >= 0x51 && opf <= 0x57 && opf != 0x54) /* fcmp, fcmpe */
		isa_set(op, C(FP), T(FP));
	else if (low >= 1 && low <= 3 && !(encoding >> 18 & 1) && cc != 5 && cc != 7) /* fmovcc */
		isa_set(op, C(FP), T(FP));
	else if ((opf & 31) >= 5 && (opf & 31) <= 7 && !(opf >> 8) && (opf >> 5 & 3) &&
	         !isa_sparc_has_constant(encoding)) /* fmovr */
		isa_set(op, C(FP), T(FP));
}

/* VIS 1 to 3: which of opf 0x00 to 0x7f exist. Edges, arrays and comparisons; products
 * and packing; then sums and logic. */
static const uint64_t vis_low[2] = {UINT64_C(0xefeaffffafdf0fff), UINT64_C(0xffffffffffff3955)};

static void look_vis(struct cairn_op *op, uint32_t encoding)
{
	unsigned opf = f_opf(encoding);
	switch (opf) {
	case 0x11: /* addxc */
	case 0x13: /* addxccc */
		isa_set(op, C(INT), 0);
		return;
	case 0x16:  /* umulxhi */
	case 0x115: /* xmulx */
	case 0x116: /* xmulxhi */
		isa_set(op, C(MUL), T(MUL));
		return;
	case 0x17: /* lzcnt */
		isa_set(op, C(INT), T(BITMANIP));
		return;
	case 0x80: /* shutdown */
		isa_set(op, C(SYSTEM), T(PRIVILEGED));
		return;
	case 0x81: /* siam */
		isa_set(op, C(FP), T(FP));
		return;
	case 0x110:
	case 0x111:
	case 0x113:
	case 0x118:
	case 0x119: /* between files */
		isa_set(op, C(FP), T(FP) | T(MOVE));
		return;
	case 0x120:
	case 0x122:
	case 0x128:
	case 0x12a: /* fpcmpu of bytes */
		isa_set(op, C(VECTOR), T(VECTOR));
		return;
	case 0x151:
	case 0x152: /* flcmp */
		isa_set(op, C(FP), T(FP));
		return;
	default:
		break;
	}
	if (opf < 0x80 && vis_low[opf / 64] >> (opf & 63) & 1)
		isa_set(op, C(VECTOR), T(VECTOR));
}

/* Fused multiply-add of UltraSPARC 2007 and SPARC64. */
static void look_impdep2(struct cairn_op *op, uint32_t encoding)
{
	unsigned size = encoding >> 5 & 3;
	if (size == 1 || size == 2)
		isa_set(op, C(FP), T(FP) | T(MUL));
}

#define ROW(cls, traits) \
	{ \
		traits, cls, 0, NULL \
	}
#define LOOK(f) \
	{ \
		0, 0, 0, f \
	}

static const struct row arithmetic[64] = {
	[0x00] = ROW(C(INT), 0), /* add */
	[0x01] = ROW(C(INT), 0),
	[0x02] = LOOK(look_or),
	[0x03] = ROW(C(INT), 0),
	[0x04] = ROW(C(INT), 0),
	[0x05] = ROW(C(INT), 0),
	[0x06] = ROW(C(INT), 0),
	[0x07] = ROW(C(INT), 0),
	[0x08] = ROW(C(INT), 0),      /* addc */
	[0x09] = ROW(C(MUL), T(MUL)), /* mulx */
	[0x0a] = ROW(C(MUL), T(MUL)), /* umul */
	[0x0b] = ROW(C(MUL), T(MUL)), /* smul */
	[0x0c] = ROW(C(INT), 0),      /* subc */
	[0x0d] = ROW(C(DIV), T(DIV)), /* udivx */
	[0x0e] = ROW(C(DIV), T(DIV)), /* udiv */
	[0x0f] = ROW(C(DIV), T(DIV)), /* sdiv */
	[0x10] = ROW(C(INT), 0),      /* the same, setting condition codes */
	[0x11] = ROW(C(INT), 0),
	[0x12] = ROW(C(INT), 0),
	[0x13] = ROW(C(INT), 0),
	[0x14] = ROW(C(INT), 0),
	[0x15] = ROW(C(INT), 0),
	[0x16] = ROW(C(INT), 0),
	[0x17] = ROW(C(INT), 0),
	[0x18] = ROW(C(INT), 0),
	[0x1a] = ROW(C(MUL), T(MUL)),
	[0x1b] = ROW(C(MUL), T(MUL)),
	[0x1c] = ROW(C(INT), 0),
	[0x1e] = ROW(C(DIV), T(DIV)),
	[0x1f] = ROW(C(DIV), T(DIV)),
	[0x20] = ROW(C(INT), 0), /* tagged sums */
	[0x21] = ROW(C(INT), 0),
	[0x22] = ROW(C(INT), 0),
	[0x23] = ROW(C(INT), 0),
	[0x24] = ROW(C(MUL), T(MUL)), /* mulscc: one step */
	[0x25] = ROW(C(INT), 0),      /* shifts */
	[0x26] = ROW(C(INT), 0),
	[0x27] = ROW(C(INT), 0),
	[0x28] = LOOK(look_rd),
	[0x29] = ROW(C(CSR), T(CSR) | T(PRIVILEGED)), /* rdhpr */
	[0x2a] = ROW(C(CSR), T(CSR) | T(PRIVILEGED)), /* rdpr */
	[0x2b] = ROW(C(SYSTEM), 0),                   /* flushw */
	[0x2c] = LOOK(look_movcc),
	[0x2d] = ROW(C(DIV), T(DIV)), /* sdivx */
	[0x2e] = LOOK(look_popc),
	[0x2f] = LOOK(look_movr),
	[0x30] = LOOK(look_wr),
	[0x31] = LOOK(look_saved),
	[0x32] = ROW(C(CSR), T(CSR) | T(PRIVILEGED)), /* wrpr */
	[0x33] = ROW(C(CSR), T(CSR) | T(PRIVILEGED)), /* wrhpr */
	[0x34] = LOOK(look_fpop1),
	[0x35] = LOOK(look_fpop2),
	[0x36] = LOOK(look_vis),
	[0x37] = LOOK(look_impdep2),
	[0x38] = LOOK(look_jmpl),
	[0x39] = ROW(C(RETURN), T(BRANCH) | T(INDIRECT) | T(RETURN) | T(DELAY_SLOT)),
	[0x3a] = LOOK(look_tcc),
	[0x3b] = ROW(C(FENCE), T(FENCE)), /* flush */
	[0x3c] = ROW(C(INT), 0),          /* save, restore */
	[0x3d] = ROW(C(INT), 0),
	[0x3e] = LOOK(look_done),
};

/* ---- format 3: memory ---- */

#define L(bytes) \
	{ \
		T(LOAD), C(LOAD), bytes, NULL \
	}
#define S(bytes) \
	{ \
		T(STORE), C(STORE), bytes, NULL \
	}
#define LF(bytes) \
	{ \
		T(LOAD) | T(FP), C(LOAD), bytes, NULL \
	}
#define SF(bytes) \
	{ \
		T(STORE) | T(FP), C(STORE), bytes, NULL \
	}
#define RMW(bytes) \
	{ \
		T(LOAD) | T(STORE) | T(ATOMIC), C(ATOMIC), bytes, NULL \
	}

/* 32 or 64 bits of the FP state register. */
static void look_fsr(struct cairn_op *op, uint32_t encoding)
{
	bool store = isa_sparc_op3(encoding) & 4;
	if (isa_sparc_rd(encoding) <= 1)
		sparc_memory(op, store ? C(STORE) : C(LOAD), (store ? T(STORE) : T(LOAD)) | T(FP),
		             isa_sparc_rd(encoding) ? 8 : 4);
}

/* What ldda, lddfa and their stores move depends on the ASI when it is stated. */
static void look_asi(struct cairn_op *op, uint32_t encoding)
{
	unsigned op3 = isa_sparc_op3(encoding), asi = encoding >> 5 & 0xff, bytes = 8;
	bool store = op3 & 4, fp = op3 & 0x20;
	if (!isa_sparc_has_constant(encoding) && fp) {
		if (isa_sparc_is_block(asi))
			bytes = 64;
		else if ((asi & 0xf6) == 0xd0)
			bytes = 1; /* short floats */
		else if ((asi & 0xf6) == 0xd2)
			bytes = 2;
	} else if (!isa_sparc_has_constant(encoding) && !store &&
	           (asi == 0x24 || asi == 0x2c || asi == 0x26 || asi == 0x2e || asi == 0x27 ||
	            asi == 0x2f || asi == 0x22 || asi == 0x2a || asi == 0x23 || asi == 0x2b)) {
		bytes = 16; /* quad atomic loads */
	}
	if (!fp && isa_sparc_rd(encoding) & 1) /* a pair begins with an even register */
		return;
	sparc_memory(op, store ? C(STORE) : C(LOAD), (store ? T(STORE) : T(LOAD)) | (fp ? T(FP) : 0),
	             bytes);
}

static void look_pair(struct cairn_op *op, uint32_t encoding)
{
	bool store = isa_sparc_op3(encoding) & 4;
	if (!(isa_sparc_rd(encoding) & 1))
		sparc_memory(op, store ? C(STORE) : C(LOAD), store ? T(STORE) : T(LOAD), 8);
}

/* Quad registers are every fourth: bit 0 of rd is bit 5 of the number. */
static void look_quad(struct cairn_op *op, uint32_t encoding)
{
	bool store = isa_sparc_op3(encoding) & 4;
	if (!(isa_sparc_rd(encoding) & 2))
		sparc_memory(op, store ? C(STORE) : C(LOAD), (store ? T(STORE) : T(LOAD)) | T(FP), 16);
}

static const struct row memories[64] = {
	[0x00] = L(4),
	[0x01] = L(1),
	[0x02] = L(2),
	[0x03] = LOOK(look_pair),
	[0x04] = S(4),
	[0x05] = S(1),
	[0x06] = S(2),
	[0x07] = LOOK(look_pair),
	[0x08] = L(4),
	[0x09] = L(1),
	[0x0a] = L(2),
	[0x0b] = L(8),
	[0x0d] = RMW(1),
	[0x0e] = S(8),
	[0x0f] = RMW(4),
	[0x10] = L(4),
	[0x11] = L(1),
	[0x12] = L(2),
	[0x13] = LOOK(look_asi),
	[0x14] = S(4),
	[0x15] = S(1),
	[0x16] = S(2),
	[0x17] = LOOK(look_asi),
	[0x18] = L(4),
	[0x19] = L(1),
	[0x1a] = L(2),
	[0x1b] = L(8),
	[0x1d] = RMW(1),
	[0x1e] = S(8),
	[0x1f] = RMW(4),
	[0x20] = LF(4),
	[0x21] = LOOK(look_fsr),
	[0x22] = LOOK(look_quad),
	[0x23] = LF(8),
	[0x24] = SF(4),
	[0x25] = LOOK(look_fsr),
	[0x26] = LOOK(look_quad),
	[0x27] = SF(8),
	[0x2d] = {T(CACHE) | T(PREFETCH) | T(HINT), C(CACHE), 0, NULL},
	[0x30] = LF(4),
	[0x32] = LOOK(look_quad),
	[0x33] = LOOK(look_asi),
	[0x34] = SF(4),
	[0x36] = LOOK(look_quad),
	[0x37] = LOOK(look_asi),
	[0x3c] = RMW(4),
	[0x3d] = {T(CACHE) | T(PREFETCH) | T(HINT), C(CACHE), 0, NULL},
	[0x3e] = RMW(8),
};

uint32_t isa_sparc_example(unsigned key)
{
	uint32_t op2 = key & 7;
	switch (key) {
	case 1:
	case 2:
	case 5:
	case 6:
	case 3:
		return op2 << 22 | 1u << 25;
	case 9:
	case 10:
	case 13:
	case 14:
		return op2 << 22 | 8u << 25;
	case 4:
		return op2 << 22 | 1u << 25;
	case ISA_SPARC_K_NOP:
		return op2 << 22;
	case ISA_SPARC_K_CALL:
		return 1u << 30;
	case ISA_SPARC_K_COPY:
		return 2u << 30 | 2u << 19;
	case ISA_SPARC_K_OR:
		return 2u << 30 | 2u << 19 | 1u << 14 | 1;
	default:
		break;
	}
	if (key >> 6 == 2 && !arithmetic[key & 63].look)
		return 2u << 30 | (key & 63) << 19;
	if (key >> 6 == 3 && !memories[key & 63].look)
		return 3u << 30 | (key & 63) << 19;
	return 0;
}

void isa_sparc_decode(struct cairn_op *op)
{
	uint32_t e = op->enc;
	illegal(op);
	op->size = 4;
	switch (e >> 30) {
	case 0:
		format2(op, e);
		return;
	case 1:
		isa_set(op, C(CALL), T(BRANCH) | T(CALL) | T(DELAY_SLOT));
		op->offset = isa_sparc_offset(e);
		return;
	default:
		break;
	}
	const struct row *row =
		e >> 30 == 2 ? &arithmetic[isa_sparc_op3(e)] : &memories[isa_sparc_op3(e)];
	if (row->look)
		row->look(op, e);
	else if (row->cls)
		sparc_memory(op, row->cls, row->traits, row->mem);
}

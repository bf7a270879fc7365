/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32: floating point, SIMD and coprocessors, as A32 encodes them. T32 has the same
 * instructions with a few bits elsewhere; arm32_t32.c moves these bits before it calls this file.
 *
 * Only the class is decided here. Combinations of types and sizes that do not exist are treated
 * like those that do.
 *
 * Source: Arm Architecture Reference Manual for A-profile, F4.1.
 */
#include "isa/arm32.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

#define set isa_set

static void vec(struct cairn_op *op, uint32_t traits)
{
	set(op, C(VECTOR), T(VECTOR) | traits);
}

/* ---- SIMD data processing ---- */

static void three_same(struct cairn_op *op, uint32_t encoding)
{
	unsigned opc = encoding >> 8 & 15;
	bool o1 = encoding >> 4 & 1, u = encoding >> 24 & 1;
	switch (opc) {
	case 9:
		vec(op, T(MUL));
		break;
	case 11: /* products, but vpadd */
		vec(op, !o1 || u ? T(MUL) : 0);
		break;
	case 12:
		if (!o1)
			set(op, C(CRYPTO), T(CRYPTO) | T(VECTOR));
		else
			vec(op, u ? T(MUL) : T(FP) | T(MUL));
		break;
	case 13: /* sums and products */
		vec(op, T(FP) | (o1 ? T(MUL) : 0u));
		break;
	case 14:
	case 15:
		vec(op, T(FP));
		break;
	default:
		vec(op, 0);
		break;
	}
}

/* One source: bits 17 to 16 and 10 to 7 say which. */
static void two_registers(struct cairn_op *op, uint32_t encoding)
{
	/* Those of floating point, and those that count or reverse bits. */
	static const uint64_t floats = UINT64_C(0x1f) << 0x18 | UINT64_C(3) << 0x1e |
	                               UINT64_C(0xffff) << 0x28 | UINT64_C(0x3f) << 0x3a,
						  bits = 0x707;
	unsigned which = (encoding >> 12 & 0x30) | (encoding >> 7 & 15);
	bool q = encoding >> 6 & 1;
	bool sha1h = which == 0x15, sha = which == 0x27;     /* sha1su1, sha256su0 */
	if (which == 6 || which == 7 || sha || (sha1h && q)) /* 6, 7: aes */
		set(op, C(CRYPTO), T(CRYPTO) | T(VECTOR));
	else if (!sha1h)
		vec(op, floats >> which & 1 ? T(FP) : bits >> which & 1 ? T(BITMANIP) : 0);
}

/* vmov, vmvn, vorr, vbic of a constant. */
static void constant(struct cairn_op *op, uint32_t encoding)
{
	unsigned cmode = encoding >> 8 & 15;
	bool logic = cmode < 12 && cmode & 1;
	if (logic)
		vec(op, 0);
	else
		vec(op, T(MOVE) | (cmode == 15 ? T(FP) : 0u));
}

void isa_arm32_simd(struct cairn_op *op, uint32_t encoding)
{
	unsigned opc = encoding >> 8 & 15, size = encoding >> 20 & 3;
	bool u = encoding >> 24 & 1;
	if (!(encoding >> 23 & 1)) {
		three_same(op, encoding);
	} else if (encoding >> 4 & 1) {
		if (!(encoding & 0x380080))
			constant(op, encoding);
		else
			vec(op, opc >= 12 ? T(FP) : 0); /* shifts; vcvt of fixed point */
	} else if (size == 3) {
		if (u && opc < 8)
			two_registers(op, encoding);
		else
			vec(op, u && (opc & 12) == 12 ? T(MOVE) : 0); /* vdup; vext, vtbl */
	} else if (encoding >> 6 & 1) {                       /* by scalar */
		vec(op, T(MUL) | (opc == 1 || opc == 5 || opc == 9 ? T(FP) : 0u));
	} else {
		vec(op, opc >= 8 ? T(MUL) : 0);
	}
}

/* ---- SIMD loads and stores ---- */

void isa_arm32_simd_memory(struct cairn_op *op, uint32_t encoding)
{
	/* registers of 8 bytes by type: vld4, vld1 of four, vld2 of four, vld3 … */
	static const uint8_t counts[16] = {4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2};
	bool load = encoding >> 21 & 1;
	unsigned bytes = 1u << (encoding >> 6 & 3), count;
	if (encoding >> 20 & 1)
		return;
	if (encoding >> 23 & 1) { /* one lane, or all of them alike */
		unsigned size = encoding >> 10 & 3;
		count = (encoding >> 8 & 3) + 1;
		if (size < 3)
			bytes = 1u << size;
		else if (!load)
			return;
		else if (bytes == 8) /* of vld4: 32 bits, better aligned */
			bytes = 4;
	} else {
		count = counts[encoding >> 8 & 15] * 8u / bytes;
	}
	if (!count)
		return;
	isa_arm32_move(op, load, bytes, count);
	op->traits |= T(VECTOR);
}

/* ---- floating point ---- */

static void fp_other(struct cairn_op *op, uint32_t encoding)
{
	unsigned opc2 = encoding >> 16 & 15, opc3 = encoding >> 6 & 3;
	if (!(opc3 & 1)) /* vmov of a constant */
		set(op, C(FP), T(FP) | T(MOVE));
	else if (opc2 == 0 && opc3 == 1) /* vmov */
		set(op, C(FP), T(FP) | T(MOVE));
	else if (opc2 == 1 && opc3 == 3)
		set(op, C(FPDIV), T(FP)); /* vsqrt */
	else
		set(op, C(FP), T(FP));
}

static void fp_arithmetic(struct cairn_op *op, uint32_t encoding)
{
	if (encoding >> 28 == 15) { /* vsel, vmaxnm, vcvta, vrinta; vmovx, vins */
		bool move = (encoding & 0x00bf0f50) == 0x00b00a40;
		set(op, C(FP), T(FP) | (move ? T(MOVE) : 0u));
		return;
	}
	switch ((encoding >> 21 & 4) | (encoding >> 20 & 3)) {
	case 3: /* vadd, vsub */
		set(op, C(FP), T(FP));
		break;
	case 4:
		if (!(encoding >> 6 & 1))
			set(op, C(FPDIV), T(FP) | T(DIV));
		break;
	case 7:
		fp_other(op, encoding);
		break;
	default:
		set(op, C(FP), T(FP) | T(MUL));
		break;
	}
}

/* Between general and other registers. */
static void fp_transfer(struct cairn_op *op, uint32_t encoding)
{
	unsigned cp = encoding >> 8 & 15, opc1 = encoding >> 21 & 7;
	if (cp == 11)
		vec(op, T(MOVE));
	else if (opc1 == 7) /* vmrs, vmsr */
		set(op, C(CSR), T(CSR) | T(FP));
	else if (opc1 == 0)
		set(op, C(FP), T(FP) | T(MOVE));
}

static void fp_memory(struct cairn_op *op, uint32_t encoding)
{
	unsigned cp = encoding >> 8 & 15, bytes = cp == 11 ? 8 : cp == 10 ? 4 : 2, imm = encoding & 255;
	bool load = encoding >> 20 & 1;
	if ((encoding & 0x01e00000) == 0x00400000) { /* vmov of two */
		set(op, C(FP), T(FP) | T(MOVE));
		return;
	}
	bool one = (encoding & 0x01200000) == 0x01000000;
	if (!(encoding & 0x01a00000) || (bytes == 2 && !one))
		return;
	isa_arm32_move(op, load, bytes, one ? 1 : bytes == 8 ? imm / 2 : imm);
	op->traits |= T(FP);
}

/* SIMD in the space of coprocessors 8, 12 and 13, of later years. */
static void later_simd(struct cairn_op *op, uint32_t encoding)
{
	bool indexed = encoding >> 25 & 1; /* or else of whole vectors */
	unsigned cp = encoding >> 8 & 15;
	if (cp == 13) /* dot products; bfdot, usdot, smmla … */
		vec(op,
		    T(MUL) | ((encoding & 0x02300010) == 0x00000000 || (encoding & 0x02b00010) == 0x02000000
		                  ? T(FP)
		                  : 0u));
	else if (cp == 12 && !indexed) /* products of matrices, of bfloat16 or integers */
		vec(op, T(MUL) | (encoding >> 20 & 3 ? 0u : T(FP)));
	else if (cp == 8 && !indexed && encoding >> 23 & 1 && !(encoding >> 21 & 1)) /* vcadd */
		vec(op, T(FP));
	else
		vec(op, T(FP) | T(MUL));
}

/* ---- coprocessors ---- */

/* Barriers that once were writes of CP15's c7. */
static bool old_barrier(struct cairn_op *op, uint32_t encoding)
{
	switch (encoding & 0x0fff0fff) {
	case 0x0e070f9a:
	case 0x0e070fba:
	case 0x0e070f95:
		set(op, C(FENCE), T(FENCE));
		return true;
	default:
		return false;
	}
}

void isa_arm32_coprocessor(struct cairn_op *op, uint32_t encoding)
{
	unsigned cp = encoding >> 8 & 15, op1 = encoding >> 20 & 63;
	bool arithmetic = encoding >> 25 & 1, later = encoding >> 28 == 15;
	if (later && (cp == 8 || cp == 12 || cp == 13)) {
		later_simd(op, encoding);
		return;
	}
	if (cp >= 9 && cp <= 11 && (arithmetic || !later)) {
		if (!arithmetic)
			fp_memory(op, encoding);
		else if (!(encoding >> 4 & 1))
			fp_arithmetic(op, encoding);
		else if (!later)
			fp_transfer(op, encoding);
		return;
	}
	if (cp < 14 || later)
		return;
	uint32_t privileged = cp == 15 ? T(PRIVILEGED) : 0;
	if (arithmetic && encoding >> 4 & 1) { /* mcr, mrc */
		if (cp != 15 || !old_barrier(op, encoding))
			set(op, C(CSR), T(CSR) | privileged);
	} else if (arithmetic) { /* cdp */
		set(op, C(SYSTEM), 0);
	} else if (op1 == 4 || op1 == 5) { /* mcrr, mrrc */
		set(op, C(CSR), T(CSR) | privileged);
	} else if (op1 > 1) { /* ldc, stc */
		isa_arm32_move(op, op1 & 1, 4, 0);
	}
}

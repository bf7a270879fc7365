/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32: floating point, SIMD and coprocessors, as A32 encodes them. T32 has the
 * same with a few bits elsewhere, and turns them over before it asks.
 *
 * What decides the class is decided here; combinations of types and sizes that do not
 * exist are not told apart from those that do.
 *
 * Source: Arm Architecture Reference Manual for A-profile, F4.1.
 */
#include "isa/arm32.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

#define set isa_arm32_set

static void vec(struct cairn_op *op, uint32_t traits)
{
	set(op, C(VECTOR), T(VECTOR) | traits);
}

/* ---- SIMD data processing ---- */

static void three_same(struct cairn_op *op, uint32_t e)
{
	unsigned opc = e >> 8 & 15;
	bool o1 = e >> 4 & 1, u = e >> 24 & 1;
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
static void two_registers(struct cairn_op *op, uint32_t e)
{
	unsigned which = (e >> 12 & 0x30) | (e >> 7 & 15);
	bool q = e >> 6 & 1;
	switch (which) {
	case 0x00:
	case 0x01:
	case 0x02:
	case 0x08:
	case 0x09:
	case 0x0a:
		vec(op, T(BITMANIP));
		break;
	case 0x06:
	case 0x07: /* aes */
		set(op, C(CRYPTO), T(CRYPTO) | T(VECTOR));
		break;
	case 0x15:
	case 0x27: /* sha1h; sha1su1, sha256su0 */
		if (which == 0x15 && !q)
			break;
		set(op, C(CRYPTO), T(CRYPTO) | T(VECTOR));
		break;
	case 0x18:
	case 0x19:
	case 0x1a:
	case 0x1b:
	case 0x1c:
	case 0x1e:
	case 0x1f: /* .f */
	case 0x28:
	case 0x29:
	case 0x2a:
	case 0x2b:
	case 0x2c:
	case 0x2d:
	case 0x2e:
	case 0x2f:
	case 0x30:
	case 0x31:
	case 0x32:
	case 0x33:
	case 0x34:
	case 0x35:
	case 0x36:
	case 0x37:
	case 0x3a:
	case 0x3b:
	case 0x3c:
	case 0x3d:
	case 0x3e:
	case 0x3f:
		vec(op, T(FP));
		break;
	default:
		vec(op, 0);
		break;
	}
}

/* vmov, vmvn, vorr, vbic of a constant. */
static void constant(struct cairn_op *op, uint32_t e)
{
	unsigned cmode = e >> 8 & 15;
	bool logic = cmode < 12 && cmode & 1;
	if (logic)
		vec(op, 0);
	else
		vec(op, T(MOVE) | (cmode == 15 ? T(FP) : 0u));
}

void isa_arm32_simd(struct cairn_op *op, uint32_t e)
{
	unsigned opc = e >> 8 & 15, size = e >> 20 & 3;
	bool u = e >> 24 & 1;
	if (!(e >> 23 & 1)) {
		three_same(op, e);
	} else if (e >> 4 & 1) {
		if (!(e & 0x380080))
			constant(op, e);
		else
			vec(op, opc >= 12 ? T(FP) : 0); /* shifts; vcvt of fixed point */
	} else if (size == 3) {
		if (u && opc < 8)
			two_registers(op, e);
		else
			vec(op, u && (opc & 12) == 12 ? T(MOVE) : 0); /* vdup; vext, vtbl */
	} else if (e >> 6 & 1) {                              /* by scalar */
		vec(op, T(MUL) | (opc == 1 || opc == 5 || opc == 9 ? T(FP) : 0u));
	} else {
		vec(op, opc >= 8 ? T(MUL) : 0);
	}
}

/* ---- SIMD loads and stores ---- */

void isa_arm32_simd_memory(struct cairn_op *op, uint32_t e)
{
	/* registers of 8 bytes by type: vld4, vld1 of four, vld2 of four, vld3 … */
	static const uint8_t counts[16] = {4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2};
	bool load = e >> 21 & 1;
	unsigned bytes = 1u << (e >> 6 & 3), count;
	if (e >> 20 & 1)
		return;
	if (e >> 23 & 1) { /* one lane, or all of them alike */
		unsigned size = e >> 10 & 3;
		count = (e >> 8 & 3) + 1;
		if (size < 3)
			bytes = 1u << size;
		else if (!load)
			return;
		else if (bytes == 8) /* of vld4: 32 bits, better aligned */
			bytes = 4;
	} else {
		count = counts[e >> 8 & 15] * 8u / bytes;
	}
	if (!count)
		return;
	isa_arm32_move(op, load, bytes, count);
	op->traits |= T(VECTOR);
}

/* ---- floating point ---- */

static void fp_other(struct cairn_op *op, uint32_t e)
{
	unsigned opc2 = e >> 16 & 15, opc3 = e >> 6 & 3;
	if (!(opc3 & 1)) /* vmov of a constant */
		set(op, C(FP), T(FP) | T(MOVE));
	else if (opc2 == 0 && opc3 == 1) /* vmov */
		set(op, C(FP), T(FP) | T(MOVE));
	else if (opc2 == 1 && opc3 == 3)
		set(op, C(FPDIV), T(FP)); /* vsqrt */
	else
		set(op, C(FP), T(FP));
}

static void fp_arithmetic(struct cairn_op *op, uint32_t e)
{
	if (e >> 28 == 15) { /* vsel, vmaxnm, vcvta, vrinta; vmovx, vins */
		bool move = (e & 0x00bf0f50) == 0x00b00a40;
		set(op, C(FP), T(FP) | (move ? T(MOVE) : 0u));
		return;
	}
	switch ((e >> 21 & 4) | (e >> 20 & 3)) {
	case 3: /* vadd, vsub */
		set(op, C(FP), T(FP));
		break;
	case 4:
		if (!(e >> 6 & 1))
			set(op, C(FPDIV), T(FP) | T(DIV));
		break;
	case 7:
		fp_other(op, e);
		break;
	default:
		set(op, C(FP), T(FP) | T(MUL));
		break;
	}
}

/* Between general and other registers. */
static void fp_transfer(struct cairn_op *op, uint32_t e)
{
	unsigned cp = e >> 8 & 15, opc1 = e >> 21 & 7;
	if (cp == 11)
		vec(op, T(MOVE));
	else if (opc1 == 7) /* vmrs, vmsr */
		set(op, C(CSR), T(CSR) | T(FP));
	else if (opc1 == 0)
		set(op, C(FP), T(FP) | T(MOVE));
}

static void fp_memory(struct cairn_op *op, uint32_t e)
{
	unsigned cp = e >> 8 & 15, bytes = cp == 11 ? 8 : cp == 10 ? 4 : 2, imm = e & 255;
	bool load = e >> 20 & 1;
	if ((e & 0x01e00000) == 0x00400000) { /* vmov of two */
		set(op, C(FP), T(FP) | T(MOVE));
		return;
	}
	bool one = (e & 0x01200000) == 0x01000000;
	if (!(e & 0x01a00000) || (bytes == 2 && !one))
		return;
	isa_arm32_move(op, load, bytes, one ? 1 : bytes == 8 ? imm / 2 : imm);
	op->traits |= T(FP);
}

/* SIMD in the space of coprocessors 8, 12 and 13, of later years. */
static void later_simd(struct cairn_op *op, uint32_t e)
{
	bool indexed = e >> 25 & 1; /* or else of whole vectors */
	unsigned cp = e >> 8 & 15;
	if (cp == 13) /* dot products; bfdot, usdot, smmla … */
		vec(op, T(MUL) | ((e & 0x02300010) == 0x00000000 || (e & 0x02b00010) == 0x02000000 ? T(FP)
		                                                                                   : 0u));
	else if (cp == 12 && !indexed) /* products of matrices, of bfloat16 or integers */
		vec(op, T(MUL) | (e >> 20 & 3 ? 0u : T(FP)));
	else if (cp == 8 && !indexed && e >> 23 & 1 && !(e >> 21 & 1)) /* vcadd */
		vec(op, T(FP));
	else
		vec(op, T(FP) | T(MUL));
}

/* ---- coprocessors ---- */

/* Barriers that once were writes of CP15's c7. */
static bool old_barrier(struct cairn_op *op, uint32_t e)
{
	switch (e & 0x0fff0fff) {
	case 0x0e070f9a:
	case 0x0e070fba:
	case 0x0e070f95:
		set(op, C(FENCE), T(FENCE));
		return true;
	default:
		return false;
	}
}

void isa_arm32_coprocessor(struct cairn_op *op, uint32_t e)
{
	unsigned cp = e >> 8 & 15, op1 = e >> 20 & 63;
	bool arithmetic = e >> 25 & 1, later = e >> 28 == 15;
	if (later && (cp == 8 || cp == 12 || cp == 13)) {
		later_simd(op, e);
		return;
	}
	if (cp >= 9 && cp <= 11 && (arithmetic || !later)) {
		if (!arithmetic)
			fp_memory(op, e);
		else if (!(e >> 4 & 1))
			fp_arithmetic(op, e);
		else if (!later)
			fp_transfer(op, e);
		return;
	}
	if (cp < 14 || later)
		return;
	uint32_t privileged = cp == 15 ? T(PRIVILEGED) : 0;
	if (arithmetic && e >> 4 & 1) { /* mcr, mrc */
		if (cp != 15 || !old_barrier(op, e))
			set(op, C(CSR), T(CSR) | privileged);
	} else if (arithmetic) { /* cdp */
		set(op, C(SYSTEM), 0);
	} else if (op1 == 4 || op1 == 5) { /* mcrr, mrrc */
		set(op, C(CSR), T(CSR) | privileged);
	} else if (op1 > 1) { /* ldc, stc */
		isa_arm32_move(op, op1 & 1, 4, 0);
	}
}

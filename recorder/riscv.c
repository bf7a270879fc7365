/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destinations and flow of RV64GC encodings (RISC-V unprivileged manual: "RV32/64G
 * Instruction Set Listings", "RVC Instruction Set Listings").
 *
 * A difference of register files would miss a write of the value that was there
 * before, so the destination comes from the encoding and the value from the
 * machine. An encoding outside RV64GC has no destination here; what it changed is
 * then recorded as state in front of the next instruction, which is still true.
 */
#include "recorder/riscv.h"

#include <string.h>

static uint32_t bits(uint32_t enc, unsigned hi, unsigned lo)
{
	return enc >> lo & ((1u << (hi - lo + 1)) - 1);
}

static int64_t sign(uint32_t v, unsigned width)
{
	return (int64_t)((uint64_t)v << (64 - width)) >> (64 - width);
}

/* OP-FP: comparisons, classifications, and moves and conversions to integers. */
static bool fp_to_int(uint32_t enc)
{
	switch (bits(enc, 31, 27)) {
	case 0x14: /* feq, flt, fle */
	case 0x18: /* fcvt.w.s … */
	case 0x1c: /* fmv.x, fclass */
		return true;
	default:
		return false;
	}
}

static void decode32(uint32_t enc, struct rv_op *op)
{
	uint8_t rd = (uint8_t)bits(enc, 11, 7);
	uint32_t width = bits(enc, 14, 12);
	switch (enc & 0x7f) {
	case 0x6f:
		op->int_dest = rd;
		op->flow = FLOW_JUMP;
		op->offset = sign(bits(enc, 31, 31) << 20 | bits(enc, 19, 12) << 12 |
		                  bits(enc, 20, 20) << 11 | bits(enc, 30, 21) << 1, 21);
		break;
	case 0x67:
		op->int_dest = rd;
		op->flow = FLOW_JUMP_REG;
		op->base = (uint8_t)bits(enc, 19, 15);
		op->offset = sign(bits(enc, 31, 20), 12);
		break;
	case 0x63:
		op->flow = FLOW_BRANCH;
		op->offset = sign(bits(enc, 31, 31) << 12 | bits(enc, 7, 7) << 11 |
		                  bits(enc, 30, 25) << 5 | bits(enc, 11, 8) << 1, 13);
		break;
	case 0x73:
		if (enc == 0x73)
			op->flow = FLOW_ECALL;
		else if (width != 0 && width != 4)
			op->int_dest = rd;
		break;
	case 0x2f:
		op->int_dest = rd;
		/* lr only reads, sc only writes */
		op->amo = bits(enc, 31, 27) != 2 && bits(enc, 31, 27) != 3;
		break;
	case 0x03: case 0x13: case 0x17: case 0x1b: case 0x33: case 0x37: case 0x3b:
		op->int_dest = rd;
		break;
	case 0x07: /* scalar loads; the other widths are vector loads */
		op->fp_dest = width >= 1 && width <= 4 ? (uint8_t)(rd + 1) : 0;
		break;
	case 0x43: case 0x47: case 0x4b: case 0x4f:
		op->fp_dest = (uint8_t)(rd + 1);
		break;
	case 0x53:
		if (fp_to_int(enc))
			op->int_dest = rd;
		else
			op->fp_dest = (uint8_t)(rd + 1);
		break;
	default:
		break;
	}
}

/* The 11-bit offset of c.j and the 8-bit one of c.beqz and c.bnez. */
static int64_t c_jump(uint32_t e)
{
	return sign(bits(e, 12, 12) << 11 | bits(e, 8, 8) << 10 | bits(e, 10, 9) << 8 |
	            bits(e, 6, 6) << 7 | bits(e, 7, 7) << 6 | bits(e, 2, 2) << 5 |
	            bits(e, 11, 11) << 4 | bits(e, 5, 3) << 1, 12);
}

static int64_t c_branch(uint32_t e)
{
	return sign(bits(e, 12, 12) << 8 | bits(e, 6, 5) << 6 | bits(e, 2, 2) << 5 |
	            bits(e, 11, 10) << 3 | bits(e, 4, 3) << 1, 9);
}

/* Quadrant 1, which holds most of the arithmetic. */
static void decode_c1(uint32_t enc, struct rv_op *op)
{
	switch (bits(enc, 15, 13)) {
	case 4:
		op->int_dest = (uint8_t)(8 + bits(enc, 9, 7));
		break;
	case 5:
		op->flow = FLOW_JUMP;
		op->offset = c_jump(enc);
		break;
	case 6: case 7:
		op->flow = FLOW_BRANCH;
		op->offset = c_branch(enc);
		break;
	default: /* c.addi, c.addiw, c.li, c.lui and c.addi16sp */
		op->int_dest = (uint8_t)bits(enc, 11, 7);
		break;
	}
}

static void decode_c2(uint32_t enc, struct rv_op *op)
{
	uint8_t rd = (uint8_t)bits(enc, 11, 7);
	switch (bits(enc, 15, 13)) {
	case 0: case 2: case 3:
		op->int_dest = rd;
		break;
	case 1:
		op->fp_dest = (uint8_t)(rd + 1);
		break;
	case 4:
		if (bits(enc, 6, 2) != 0) { /* c.mv, c.add */
			op->int_dest = rd;
		} else if (rd != 0) { /* c.jr, c.jalr; else c.ebreak */
			op->flow = FLOW_JUMP_REG;
			op->base = rd;
			op->int_dest = (uint8_t)bits(enc, 12, 12);
		}
		break;
	default:
		break;
	}
}

void rv_decode(uint32_t enc, unsigned size, struct rv_op *op)
{
	memset(op, 0, sizeof *op);
	if (size == 4) {
		decode32(enc, op);
	} else if ((enc & 3) == 0) {
		unsigned f3 = bits(enc, 15, 13);
		if (f3 == 1)
			op->fp_dest = (uint8_t)(8 + bits(enc, 4, 2) + 1);
		else if (f3 == 0 || f3 == 2 || f3 == 3)
			op->int_dest = (uint8_t)(8 + bits(enc, 4, 2));
	} else if ((enc & 3) == 1) {
		decode_c1(enc, op);
	} else {
		decode_c2(enc, op);
	}
}

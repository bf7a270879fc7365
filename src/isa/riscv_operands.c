/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: which registers an instruction reads and writes.
 *
 * Fields stand where the format of the encoding puts them (unprivileged manual, "RV32/64G
 * instruction listings" and "RVC instruction set listings"), so this follows major
 * opcodes, not instructions. x0 is no operand. Of vector groups the first register is
 * named. What is implied is told, too: sp of the compressed stack accesses, ra of
 * c.jalr. CSRs are operands by their number; that instructions set fflags or depend on
 * vtype is not told.
 */
#include <stdbool.h>

#include "isa/isa.h"
#include "isa/operands.h"

enum { X = CAIRN_REG_INT, F = CAIRN_REG_FP, V = CAIRN_REG_VECTOR };

/* OP-FP: some operands are integers, some instructions have one source. */
static void op_fp(struct cairn_operands *o, uint32_t e, unsigned rd, unsigned rs1, unsigned rs2)
{
	unsigned f5 = e >> 27;
	bool to_int = f5 == 0x18 || f5 == 0x1c || f5 == 0x14, from_int = f5 == 0x1a || f5 == 0x1e;
	bool one = f5 == 0x08 || f5 == 0x0b || f5 == 0x18 || f5 == 0x1a || f5 == 0x1c || f5 == 0x1e;
	if (f5 == 0x1e && rs2 == 1) { /* fli: no source at all */
		operand_written(o, F, rd);
		return;
	}
	operand_read(o, from_int ? X : F, rs1);
	if (!one)
		operand_read(o, F, rs2);
	operand_written(o, to_int ? X : F, rd);
}

static void vector_memory(struct cairn_operands *o, uint32_t e, unsigned rd, unsigned rs1,
	unsigned rs2, bool store)
{
	unsigned mop = e >> 26 & 3;
	operand_read(o, X, rs1);
	if (mop == 2)
		operand_read(o, X, rs2);
	else if (mop & 1)
		operand_read(o, V, rs2);
	if (store)
		operand_read(o, V, rd);
	else
		operand_written(o, V, rd);
}

static void op_vector(struct cairn_operands *o, uint32_t e, unsigned rd, unsigned rs1, unsigned rs2)
{
	unsigned f3 = e >> 12 & 7, f6 = e >> 26;
	if (f3 == 7) { /* vsetvl and its kin */
		if (e >> 30 != 3)
			operand_read(o, X, rs1);
		if (e >> 30 == 2)
			operand_read(o, X, rs2);
		operand_written(o, X, rd);
		return;
	}
	if (f3 == 0 || f3 == 1 || f3 == 2)
		operand_read(o, V, rs1);
	else if (f3 == 4 || f3 == 6)
		operand_read(o, X, rs1);
	else if (f3 == 5)
		operand_read(o, F, rs1);
	operand_read(o, V, rs2);
	/* vmv.x.s and vcpop, vfmv.f.s leave the vectors */
	operand_written(o, f6 == 0x10 && f3 == 2 ? X : f6 == 0x10 && f3 == 1 ? F : V, rd);
}

static void wide(struct cairn_operands *o, uint32_t e)
{
	unsigned rd = e >> 7 & 31, rs1 = e >> 15 & 31, rs2 = e >> 20 & 31, f3 = e >> 12 & 7;
	bool scalar_width = f3 >= 1 && f3 <= 4;
	switch (e & 0x7f) {
	case 0x37: case 0x17: case 0x6f:
		operand_written(o, X, rd);
		break;
	case 0x67: case 0x03: case 0x13: case 0x1b:
		operand_read(o, X, rs1);
		operand_written(o, X, rd);
		break;
	case 0x63: case 0x23:
		operand_read(o, X, rs1);
		operand_read(o, X, rs2);
		break;
	case 0x33: case 0x3b:
		operand_read(o, X, rs1);
		operand_read(o, X, rs2);
		operand_written(o, X, rd);
		break;
	case 0x2f:
		operand_read(o, X, rs1);
		if (e >> 27 != 2) /* lr has no second */
			operand_read(o, X, rs2);
		operand_written(o, X, rd);
		break;
	case 0x0f: /* cache blocks have an address */
		if (f3 == 2)
			operand_read(o, X, rs1);
		break;
	case 0x07:
		if (!scalar_width) {
			vector_memory(o, e, rd, rs1, rs2, false);
			break;
		}
		operand_read(o, X, rs1);
		operand_written(o, F, rd);
		break;
	case 0x27:
		if (!scalar_width) {
			vector_memory(o, e, rd, rs1, rs2, true);
			break;
		}
		operand_read(o, X, rs1);
		operand_read(o, F, rs2);
		break;
	case 0x43: case 0x47: case 0x4b: case 0x4f:
		operand_read(o, F, rs1);
		operand_read(o, F, rs2);
		operand_read(o, F, e >> 27);
		operand_written(o, F, rd);
		break;
	case 0x53:
		op_fp(o, e, rd, rs1, rs2);
		break;
	case 0x57: case 0x77:
		op_vector(o, e, rd, rs1, rs2);
		break;
	case 0x73:
		if (f3 & 3) {
			if (f3 < 4)
				operand_read(o, X, rs1);
			if ((f3 & 3) != 1 || rd) /* csrrw with rd=x0 does not read */
				operand_read(o, CAIRN_REG_CSR, e >> 20);
			if ((f3 & 3) == 1 || rs1) /* csrrs and csrrc with nothing do not write */
				operand_written(o, CAIRN_REG_CSR, e >> 20);
			operand_written(o, X, rd);
		} else if (f3 == 0 && (e >> 25 & 0xf) == 9) { /* sfence.vma and its kin */
			operand_read(o, X, rs1);
			operand_read(o, X, rs2);
		}
		break;
	default:
		break;
	}
}

static void narrow0(struct cairn_operands *o, uint32_t e, unsigned f3, bool rv32)
{
	unsigned a = 8 + (e >> 7 & 7), b = 8 + (e >> 2 & 7);
	bool fp = f3 == 1 || f3 == 5 || (rv32 && (f3 == 3 || f3 == 7));
	if (f3 == 0) { /* c.addi4spn */
		operand_read(o, X, 2);
		operand_written(o, X, b);
		return;
	}
	operand_read(o, X, a);
	bool store = f3 > 4 || (f3 == 4 && (e >> 11 & 1)); /* f3 4: bytes and halfwords */
	if (store)
		operand_read(o, fp ? F : X, b);
	else
		operand_written(o, fp ? F : X, b);
}

static void narrow1(struct cairn_operands *o, uint32_t e, unsigned f3, bool rv32)
{
	unsigned rd = e >> 7 & 31, a = 8 + (e >> 7 & 7), b = 8 + (e >> 2 & 7);
	switch (f3) {
	case 0: /* c.addi */
		operand_read(o, X, rd);
		operand_written(o, X, rd);
		break;
	case 1: /* c.addiw, c.jal */
		if (!rv32)
			operand_read(o, X, rd);
		operand_written(o, X, rv32 ? 1 : rd);
		break;
	case 2:
		operand_written(o, X, rd);
		break;
	case 3:
		if (rd == 2)
			operand_read(o, X, 2);
		operand_written(o, X, rd);
		break;
	case 4:
		operand_read(o, X, a);
		if ((e >> 10 & 3) == 3 && !((e >> 12 & 1) && (e >> 5 & 3) == 3)) /* not the unary ones */
			operand_read(o, X, b);
		operand_written(o, X, a);
		break;
	case 6: case 7:
		operand_read(o, X, a);
		break;
	default: /* c.j */
		break;
	}
}

static void narrow2(struct cairn_operands *o, uint32_t e, unsigned f3, bool rv32)
{
	unsigned rd = e >> 7 & 31, rs2 = e >> 2 & 31;
	bool fp = f3 == 1 || f3 == 5 || (rv32 && (f3 == 3 || f3 == 7)), bit12 = e >> 12 & 1;
	if (f3 == 0) { /* c.slli */
		operand_read(o, X, rd);
		operand_written(o, X, rd);
	} else if (f3 == 4) { /* c.jr, c.mv, c.jalr, c.add */
		if (!rs2) {
			operand_read(o, X, rd);
			if (bit12)
				operand_written(o, X, 1);
			return;
		}
		if (bit12)
			operand_read(o, X, rd);
		operand_read(o, X, rs2);
		operand_written(o, X, rd);
	} else {
		operand_read(o, X, 2);
		if (f3 > 4)
			operand_read(o, fp ? F : X, rs2);
		else
			operand_written(o, fp ? F : X, rd);
	}
}

void isa_riscv_operands(const struct cairn_op *op, struct cairn_operands *o)
{
	unsigned f3 = op->enc >> 13 & 7;
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	if (op->size == 4)
		wide(o, op->enc);
	else if ((op->enc & 3) == 0)
		narrow0(o, op->enc, f3, rv32);
	else if ((op->enc & 3) == 1)
		narrow1(o, op->enc, f3, rv32);
	else
		narrow2(o, op->enc, f3, rv32);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: which registers an instruction reads and writes.
 *
 * Fields stand where the format of the encoding puts them (unprivileged manual, "RV32/64G
 * instruction listings" and "RVC instruction set listings"), so this follows major
 * opcodes, not instructions. x0 is no operand. Of vector groups the first register is
 * named. Implied registers are named, too: sp of the compressed stack accesses, ra of c.jalr, the
 * second of a pair, the mask v0, a destination that is added to. CSRs are operands by their
 * number. It is not stated that instructions set fflags, depend on vtype or keep elements of a
 * destination.
 */
#include <stdbool.h>

#include "isa/isa.h"
#include "isa/operands.h"

enum { X = CAIRN_REG_INT, F = CAIRN_REG_FP, V = CAIRN_REG_VECTOR };

/* A pair of integer registers; x0 stands for both. */
static void riscv_operands_pair(struct cairn_operands *operands, unsigned num, bool write)
{
	for (unsigned k = 0; k < 2 && num; k++)
		(write ? operand_written : operand_read)(operands, X, num + k);
}

/* Scalar floating point, whose operands Zfinx has in integer registers. */
static void op_fp(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned regs[] = {e >> 7 & 31, e >> 15 & 31, e >> 20 & 31, e >> 27};
	bool inx = op->variant & CAIRN_ISA_ZFINX, pairs = inx && op->isa == CAIRN_ISA_RV32;
	char kinds[4];
	isa_riscv_fp_kinds(e, kinds);
	for (unsigned i = 0; i < 4; i++) {
		if (!kinds[i])
			continue;
		if (pairs && kinds[i] == 'd')
			riscv_operands_pair(operands, regs[i], i == 0);
		else
			(i ? operand_read : operand_written)(operands, inx || kinds[i] == 'x' ? X : F, regs[i]);
	}
}

static void vector_memory(struct cairn_operands *operands, uint32_t encoding, unsigned rd,
                          unsigned rs1, unsigned rs2, bool store)
{
	unsigned mop = encoding >> 26 & 3;
	operand_read(operands, X, rs1);
	if (mop == 2)
		operand_read(operands, X, rs2);
	else if (mop & 1)
		operand_read(operands, V, rs2);
	if (store)
		operand_read(operands, V, rd);
	else
		operand_written(operands, V, rd);
	if (!(encoding >> 25 & 1))
		operand_read(operands, V, 0); /* the mask */
}

/* Vector arithmetic whose rs1 field is a part of the opcode. */
static bool is_unary(unsigned f3, unsigned f6)
{
	return (f3 == 2 && (f6 == 0x10 || f6 == 0x12 || f6 == 0x14)) ||
	       (f3 == 1 && (f6 == 0x10 || f6 == 0x12 || f6 == 0x13));
}

/* Multiply-add: its destination is a source, too. */
static bool accumulates(unsigned f3, unsigned f6)
{
	bool fp = f3 == 1 || f3 == 5;
	if (fp)
		return (f6 >= 0x28 && f6 <= 0x2f) || f6 >= 0x3b;
	return (f3 == 2 || f3 == 6) && ((f6 >= 0x28 && f6 <= 0x2f && f6 & 1) || f6 >= 0x3c);
}

static void op_vector(struct cairn_operands *operands, uint32_t encoding, unsigned rd, unsigned rs1,
                      unsigned rs2)
{
	unsigned f3 = encoding >> 12 & 7, f6 = encoding >> 26;
	bool masked = !(encoding >> 25 & 1), to_scalar = f6 == 0x10 && (f3 == 1 || f3 == 2);
	bool splat = (f6 == 0x10 && f3 > 4) || (f6 == 0x17 && f3 != 2 && !masked); /* no vs2 */
	if (f3 == 7) { /* vsetvl and its kin */
		if (encoding >> 30 != 3)
			operand_read(operands, X, rs1);
		if (encoding >> 30 == 2)
			operand_read(operands, X, rs2);
		operand_written(operands, X, rd);
		return;
	}
	if (f3 < 3 && !is_unary(f3, f6))
		operand_read(operands, V, rs1);
	else if (f3 == 4 || f3 == 6)
		operand_read(operands, X, rs1);
	else if (f3 == 5)
		operand_read(operands, F, rs1);
	if (!splat && !(f3 == 2 && f6 == 0x14 && rs1 == 17)) /* nor vid.v */
		operand_read(operands, V, rs2);
	if (accumulates(f3, f6))
		operand_read(operands, V, rd);
	if (masked)
		operand_read(operands, V, 0);
	operand_written(operands, !to_scalar ? V : f3 == 2 ? X : F, rd);
}

static void vector_crypto(struct cairn_operands *operands, uint32_t encoding, unsigned rd,
                          unsigned rs1, unsigned rs2)
{
	unsigned f6 = encoding >> 26;
	bool constant = f6 == 0x21 || f6 == 0x22 || f6 == 0x2a || f6 == 0x2b; /* vsm4k, vaeskf, vsm3c */
	if (!constant && f6 != 0x28 && f6 != 0x29)
		operand_read(operands, V, rs1);
	operand_read(operands, V, rs2);
	if (f6 >= 0x28) /* all but vsm3me, vsm4k, vaeskf1 */
		operand_read(operands, V, rd);
	operand_written(operands, V, rd);
}

/* Atomics; compare-and-swap expects what rd holds, in pairs of registers where it is
 * wider than one. */
static void riscv_operands_atomic(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned rd = e >> 7 & 31, rs1 = e >> 15 & 31, rs2 = e >> 20 & 31, f5 = e >> 27;
	bool pairs = op->mem_size > (op->isa == CAIRN_ISA_RV32 ? 4 : 8);
	operand_read(operands, X, rs1);
	if (f5 != 2 && pairs) /* lr has no second */
		riscv_operands_pair(operands, rs2, false);
	else if (f5 != 2)
		operand_read(operands, X, rs2);
	if (f5 == 5 && pairs) {
		riscv_operands_pair(operands, rd, false);
		riscv_operands_pair(operands, rd, true);
		return;
	}
	if (f5 == 5)
		operand_read(operands, X, rd);
	operand_written(operands, X, rd);
}

/* Shadow stacks keep their pointer in a CSR. */
enum { SSP = 0x011, JVT = 0x017 };

static void shadow_stack(struct cairn_operands *operands, unsigned checked)
{
	operand_read(operands, X, checked);
	operand_read(operands, CAIRN_REG_CSR, SSP);
	operand_written(operands, CAIRN_REG_CSR, SSP);
}

static void system_operands(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned rd = e >> 7 & 31, rs1 = e >> 15 & 31, rs2 = e >> 20 & 31, f3 = e >> 12 & 7;
	if (f3 & 3) {
		if (f3 < 4)
			operand_read(operands, X, rs1);
		if ((f3 & 3) != 1 || rd) /* csrrw with rd=x0 does not read */
			operand_read(operands, CAIRN_REG_CSR, e >> 20);
		if ((f3 & 3) == 1 || rs1) /* csrrs and csrrc of nothing do not write */
			operand_written(operands, CAIRN_REG_CSR, e >> 20);
		operand_written(operands, X, rd);
	} else if (f3 == 0) { /* sfence.vma and its kin: the others have no registers */
		operand_read(operands, X, rs1);
		if (e >> 25 & 1 && !(op->traits & CAIRN_TRAIT_XRET))
			operand_read(operands, X, rs2);
	} else if (op->cls == CAIRN_CLASS_CSR) { /* ssrdp */
		operand_read(operands, CAIRN_REG_CSR, SSP);
		operand_written(operands, X, rd);
	} else if ((op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) &&
	           !(op->traits & CAIRN_TRAIT_PRIVILEGED)) { /* sspush, sspopchk */
		shadow_stack(operands, op->traits & CAIRN_TRAIT_STORE ? rs2 : rs1);
	} else { /* hlv, hsv; mop.r, mop.rr */
		operand_read(operands, X, rs1);
		if (op->traits & CAIRN_TRAIT_STORE || (!(op->traits & CAIRN_TRAIT_LOAD) && e >> 25 & 1))
			operand_read(operands, X, rs2);
		operand_written(operands, X, rd);
	}
}

static void riscv_operands_wide(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned rd = e >> 7 & 31, rs1 = e >> 15 & 31, rs2 = e >> 20 & 31, f3 = e >> 12 & 7;
	bool scalar_width = f3 >= 1 && f3 <= 4, pairs = op->isa == CAIRN_ISA_RV32 && f3 == 3;
	switch (e & 0x7f) {
	case 0x37:
	case 0x17:
	case 0x6f:
		operand_written(operands, X, rd);
		break;
	case 0x03:
		operand_read(operands, X, rs1);
		if (pairs) /* Zilsd */
			riscv_operands_pair(operands, rd, true);
		else
			operand_written(operands, X, rd);
		break;
	case 0x67:
	case 0x13:
	case 0x1b:
		operand_read(operands, X, rs1);
		operand_written(operands, X, rd);
		break;
	case 0x63:
	case 0x23:
		operand_read(operands, X, rs1);
		if (pairs && op->traits & CAIRN_TRAIT_STORE)
			riscv_operands_pair(operands, rs2, false);
		else
			operand_read(operands, X, rs2);
		break;
	case 0x33:
	case 0x3b:
		operand_read(operands, X, rs1);
		operand_read(operands, X, rs2);
		operand_written(operands, X, rd);
		break;
	case 0x2f:
		riscv_operands_atomic(operands, op);
		break;
	case 0x0f: /* cache blocks have an address */
		if (f3 == 2)
			operand_read(operands, X, rs1);
		break;
	case 0x07:
		if (!scalar_width) {
			vector_memory(operands, e, rd, rs1, rs2, false);
			break;
		}
		operand_read(operands, X, rs1);
		operand_written(operands, F, rd);
		break;
	case 0x27:
		if (!scalar_width) {
			vector_memory(operands, e, rd, rs1, rs2, true);
			break;
		}
		operand_read(operands, X, rs1);
		operand_read(operands, F, rs2);
		break;
	case 0x43:
	case 0x47:
	case 0x4b:
	case 0x4f:
	case 0x53:
		op_fp(operands, op);
		break;
	case 0x57:
		op_vector(operands, e, rd, rs1, rs2);
		break;
	case 0x77:
		vector_crypto(operands, e, rd, rs1, rs2);
		break;
	case 0x73:
		system_operands(operands, op);
		break;
	default:
		break;
	}
}

/* A register of a compressed access: floating point, or of integers a pair where the access
 * is wider than one. */
static void riscv_operands_moved(struct cairn_operands *operands, const struct cairn_op *op,
                                 unsigned num, bool write)
{
	if (op->mem_size == 8 && op->isa == CAIRN_ISA_RV32 && !(op->traits & CAIRN_TRAIT_FP))
		riscv_operands_pair(operands, num, write);
	else
		(write ? operand_written : operand_read)(operands, op->traits & CAIRN_TRAIT_FP ? F : X,
		                                         num);
}

static void narrow0(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned a = 8 + (e >> 7 & 7), b = 8 + (e >> 2 & 7);
	if (!(e >> 13 & 7)) { /* c.addi4spn */
		operand_read(operands, X, 2);
		operand_written(operands, X, b);
		return;
	}
	operand_read(operands, X, a);
	riscv_operands_moved(operands, op, b, op->traits & CAIRN_TRAIT_LOAD);
}

static void narrow1(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned rd = e >> 7 & 31, a = 8 + (e >> 7 & 7), b = 8 + (e >> 2 & 7);
	bool rv32 = op->isa == CAIRN_ISA_RV32;
	switch (e >> 13 & 7) {
	case 0: /* c.addi */
		operand_read(operands, X, rd);
		operand_written(operands, X, rd);
		break;
	case 1: /* c.addiw, c.jal */
		if (!rv32)
			operand_read(operands, X, rd);
		operand_written(operands, X, rv32 ? 1 : rd);
		break;
	case 2:
		operand_written(operands, X, rd);
		break;
	case 3:
		if (!(e & 0x107c)) { /* c.mop, of which two are c.sspush and c.sspopchk */
			if (op->mem_size)
				shadow_stack(operands, rd);
			break;
		}
		if (rd == 2)
			operand_read(operands, X, 2);
		operand_written(operands, X, rd);
		break;
	case 4:
		operand_read(operands, X, a);
		if ((e >> 10 & 3) == 3 && !((e >> 12 & 1) && (e >> 5 & 3) == 3)) /* not the unary ones */
			operand_read(operands, X, b);
		operand_written(operands, X, a);
		break;
	case 6:
	case 7:
		operand_read(operands, X, a);
		break;
	default: /* c.j */
		break;
	}
}

/* s0 … s11 by their number among the saved registers. */
static unsigned saved(unsigned n)
{
	return n < 2 ? 8 + n : 16 + n;
}

/* Zcmp and Zcmt. */
static void sequences(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	bool push = op->cls == CAIRN_CLASS_STORE;
	if (op->mem_count) { /* cm.push, cm.pop, cm.popret, cm.popretz */
		operand_read(operands, X, 2);
		for (unsigned i = 0; i < op->mem_count; i++)
			(push ? operand_read : operand_written)(operands, X, i ? saved(i - 1) : 1);
		operand_written(operands, X, 2);
		if ((e & 0xff00) == 0xbc00)
			operand_written(operands, X, 10);
	} else if (op->traits & CAIRN_TRAIT_MOVE) {
		bool to_a = e & 0x40;
		for (unsigned i = 0; i < 2; i++) {
			unsigned s = saved(i ? e >> 2 & 7 : e >> 7 & 7), a = 10 + i;
			operand_read(operands, X, to_a ? s : a);
			operand_written(operands, X, to_a ? a : s);
		}
	} else { /* cm.jt, cm.jalt */
		operand_read(operands, CAIRN_REG_CSR, JVT);
		if (op->traits & CAIRN_TRAIT_CALL)
			operand_written(operands, X, 1);
	}
}

/* c.jr, c.mv, c.jalr, c.add */
static void narrow_registers(struct cairn_operands *operands, uint32_t encoding)
{
	unsigned rd = encoding >> 7 & 31, rs2 = encoding >> 2 & 31;
	bool bit12 = encoding >> 12 & 1;
	if (!rs2) {
		operand_read(operands, X, rd);
		if (bit12 && rd) /* c.ebreak has none */
			operand_written(operands, X, 1);
		return;
	}
	if (bit12)
		operand_read(operands, X, rd);
	operand_read(operands, X, rs2);
	operand_written(operands, X, rd);
}

static void narrow2(struct cairn_operands *operands, const struct cairn_op *op)
{
	uint32_t e = op->enc;
	unsigned f3 = e >> 13 & 7, rd = e >> 7 & 31;
	if (f3 == 0) { /* c.slli */
		operand_read(operands, X, rd);
		operand_written(operands, X, rd);
	} else if (f3 == 4) {
		narrow_registers(operands, e);
	} else if (f3 == 5 && op->variant & CAIRN_ISA_ZCMP) {
		sequences(operands, op);
	} else {
		operand_read(operands, X, 2);
		riscv_operands_moved(operands, op, f3 > 4 ? e >> 2 & 31 : rd, f3 < 4);
	}
}

void isa_riscv_operands(const struct cairn_op *op, struct cairn_operands *operands)
{
	if (op->size == 4)
		riscv_operands_wide(operands, op);
	else if ((op->enc & 3) == 0)
		narrow0(operands, op);
	else if ((op->enc & 3) == 1)
		narrow1(operands, op);
	else
		narrow2(operands, op);
}

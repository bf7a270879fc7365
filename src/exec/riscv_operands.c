/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: how operands are encoded. One function for each form of the manual's instruction
 * formats (unprivileged ISA, "Instruction Formats" and "Compressed Instruction Formats").
 */
#include "exec/riscv.h"

/* Bits `high` to `low` of the encoding. */
static uint32_t field(const struct exec_op *op, unsigned high, unsigned low)
{
	return op->enc >> low & (UINT32_MAX >> (31 - (high - low)));
}

static int64_t sign_extended(uint32_t value, unsigned bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* ---- 32 bits ---- */

static void set_rd(struct exec_op *op)
{
	op->rd = riscv_target(field(op, 11, 7));
}

static void set_rs1(struct exec_op *op)
{
	op->rs1 = riscv_source(field(op, 19, 15));
}

static void set_rs2(struct exec_op *op)
{
	op->rs2 = riscv_source(field(op, 24, 20));
}

void riscv_form_none(struct exec_op *op)
{
	(void)op;
}

void riscv_form_r(struct exec_op *op)
{
	set_rd(op);
	set_rs1(op);
	set_rs2(op);
}

void riscv_form_i(struct exec_op *op)
{
	set_rd(op);
	set_rs1(op);
	op->imm = sign_extended(field(op, 31, 20), 12);
}

void riscv_form_shift(struct exec_op *op)
{
	riscv_form_i(op);
	op->imm = field(op, 25, 20);
}

void riscv_form_s(struct exec_op *op)
{
	set_rs1(op);
	set_rs2(op);
	op->imm = sign_extended(field(op, 31, 25) << 5 | field(op, 11, 7), 12);
}

void riscv_form_b(struct exec_op *op)
{
	set_rs1(op);
	set_rs2(op);
	op->imm = sign_extended(field(op, 31, 31) << 12 | field(op, 7, 7) << 11 |
	                            field(op, 30, 25) << 5 | field(op, 11, 8) << 1,
	                        13);
}

void riscv_form_u(struct exec_op *op)
{
	set_rd(op);
	op->imm = (int32_t)(op->enc & 0xfffff000);
}

void riscv_form_j(struct exec_op *op)
{
	set_rd(op);
	op->imm = sign_extended(field(op, 31, 31) << 20 | field(op, 19, 12) << 12 |
	                            field(op, 20, 20) << 11 | field(op, 30, 21) << 1,
	                        21);
}

/* The number of the register in `imm`; rs1 may be a constant, which `extra` says. */
void riscv_form_csr(struct exec_op *op)
{
	set_rd(op);
	set_rs1(op);
	op->imm = field(op, 31, 20);
}

/* ---- 16 bits ---- */

/* Registers of three bits are x8 to x15. */
static uint16_t low_register(const struct exec_op *op, unsigned low)
{
	return riscv_source(8 + field(op, low + 2, low));
}

static void set_rd_rs1(struct exec_op *op)
{
	set_rd(op);
	op->rs1 = riscv_source(field(op, 11, 7));
}

static void set_low_rd_rs1(struct exec_op *op)
{
	op->rd = op->rs1 = low_register(op, 7);
}

static int64_t imm6(const struct exec_op *op)
{
	return sign_extended(field(op, 12, 12) << 5 | field(op, 6, 2), 6);
}

void riscv_form_ci(struct exec_op *op)
{
	set_rd_rs1(op);
	op->imm = imm6(op);
}

void riscv_form_ci_li(struct exec_op *op)
{
	set_rd(op);
	op->imm = imm6(op);
}

void riscv_form_ci_lui(struct exec_op *op)
{
	set_rd(op);
	op->imm = imm6(op) * 4096;
}

void riscv_form_ci_sp(struct exec_op *op)
{
	op->rd = op->rs1 = riscv_source(2);
	op->imm = sign_extended(field(op, 12, 12) << 9 | field(op, 4, 3) << 7 | field(op, 5, 5) << 6 |
	                            field(op, 2, 2) << 5 | field(op, 6, 6) << 4,
	                        10);
}

void riscv_form_ciw(struct exec_op *op)
{
	op->rd = low_register(op, 2);
	op->rs1 = riscv_source(2);
	op->imm = field(op, 10, 7) << 6 | field(op, 12, 11) << 4 | field(op, 5, 5) << 3 |
	          field(op, 6, 6) << 2;
}

void riscv_form_cr(struct exec_op *op)
{
	set_rd_rs1(op);
	op->rs2 = riscv_source(field(op, 6, 2));
}

void riscv_form_cr_mv(struct exec_op *op)
{
	set_rd(op);
	op->rs2 = riscv_source(field(op, 6, 2));
}

void riscv_form_cr_jump(struct exec_op *op)
{
	op->rd = riscv_target(op->extra);
	op->rs1 = riscv_source(field(op, 11, 7));
}

void riscv_form_ca(struct exec_op *op)
{
	set_low_rd_rs1(op);
	op->rs2 = low_register(op, 2);
}

void riscv_form_cb_imm(struct exec_op *op)
{
	set_low_rd_rs1(op);
	op->imm = imm6(op);
}

void riscv_form_cb(struct exec_op *op)
{
	op->rs1 = low_register(op, 7);
	op->imm = sign_extended(field(op, 12, 12) << 8 | field(op, 6, 5) << 6 | field(op, 2, 2) << 5 |
	                            field(op, 11, 10) << 3 | field(op, 4, 3) << 1,
	                        9);
}

void riscv_form_cj(struct exec_op *op)
{
	op->rd = riscv_target(op->extra);
	op->imm =
		sign_extended(field(op, 12, 12) << 11 | field(op, 8, 8) << 10 | field(op, 10, 9) << 8 |
	                      field(op, 6, 6) << 7 | field(op, 7, 7) << 6 | field(op, 2, 2) << 5 |
	                      field(op, 11, 11) << 4 | field(op, 5, 3) << 1,
	                  12);
}

/* Offsets are scaled by the width of the access, so that more of them can be told: the bits
 * below it hold those above. */
static int64_t low_offset(const struct exec_op *op)
{
	uint32_t offset = field(op, 12, 10) << 3;
	return op->width == 8 ? offset | field(op, 6, 5) << 6
	                      : offset | field(op, 6, 6) << 2 | field(op, 5, 5) << 6;
}

void riscv_form_cl(struct exec_op *op)
{
	op->rs1 = low_register(op, 7);
	op->rd = low_register(op, 2);
	op->imm = low_offset(op);
}

void riscv_form_cs(struct exec_op *op)
{
	op->rs1 = low_register(op, 7);
	op->rs2 = low_register(op, 2);
	op->imm = low_offset(op);
}

void riscv_form_cl_sp(struct exec_op *op)
{
	set_rd(op);
	op->rs1 = riscv_source(2);
	op->imm = op->width == 8 ? field(op, 4, 2) << 6 | field(op, 12, 12) << 5 | field(op, 6, 5) << 3
	                         : field(op, 3, 2) << 6 | field(op, 12, 12) << 5 | field(op, 6, 4) << 2;
}

void riscv_form_cs_sp(struct exec_op *op)
{
	op->rs1 = riscv_source(2);
	op->rs2 = riscv_source(field(op, 6, 2));
	op->imm = op->width == 8 ? field(op, 9, 7) << 6 | field(op, 12, 10) << 3
	                         : field(op, 8, 7) << 6 | field(op, 12, 9) << 2;
}

static int64_t byte_offset(const struct exec_op *op)
{
	return op->width == 2 ? field(op, 5, 5) << 1 : field(op, 5, 5) << 1 | field(op, 6, 6);
}

void riscv_form_cl_byte(struct exec_op *op)
{
	op->rs1 = low_register(op, 7);
	op->rd = low_register(op, 2);
	op->imm = byte_offset(op);
}

void riscv_form_cs_byte(struct exec_op *op)
{
	op->rs1 = low_register(op, 7);
	op->rs2 = low_register(op, 2);
	op->imm = byte_offset(op);
}

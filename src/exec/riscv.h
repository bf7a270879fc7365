/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_RISCV_H
#define EXEC_RISCV_H
/*
 * RISC-V: where registers lie, and what the files of this set offer to each other.
 *
 * RV32 keeps its registers sign-extended in words of 64 bits: then addition, logic and
 * comparison are those of RV64, and what is not takes the handler of 32 bits that RV64's W
 * instructions take.
 */
#include "exec/machine.h"

enum {
	RISCV_X = 0,  /* x0 is not here: EXEC_ZERO, EXEC_NOWHERE */
	RISCV_F = 32, /* 64 bits, narrower values boxed */
	RISCV_FFLAGS = 64,
	RISCV_FRM,
	RISCV_JVT,
	RISCV_VSTART,
	RISCV_VXSAT,
	RISCV_VXRM,
	RISCV_VL,
	RISCV_VTYPE,
	/* Not registers: vl is what this one (a word) becomes, and where the instruction stands that
	 * said so. */
	RISCV_VL_TOLD,
	RISCV_VL_TOLD_AT,
	RISCV_V /* from here on, vector_bits / 64 words each */
};

/* A row of the tables: an instruction by the manual's name, how its operands are encoded, and what
 * runs it with registers of 64 and of 32 bits. */
struct riscv_row {
	const char *name;
	void (*operands)(struct exec_op *op);
	exec_handler *run[2];
	uint8_t width, extra;
};

extern const struct riscv_row riscv_integer_rows[], riscv_memory_rows[], riscv_control_rows[],
	riscv_float_rows[], riscv_crypto_rows[];

/* The word of integer register `number`, to be read and to be written. */
static inline uint16_t riscv_source(unsigned number)
{
	return (uint16_t)(number ? RISCV_X + number : EXEC_ZERO);
}

static inline uint16_t riscv_target(unsigned number)
{
	return (uint16_t)(number ? RISCV_X + number : EXEC_NOWHERE);
}

static inline bool riscv_is_narrow(const struct cairn_machine *machine)
{
	return ((unsigned)machine->isa & ~(unsigned)CAIRN_ISA_VARIANTS) == CAIRN_ISA_RV32;
}

/* Give an integer register its value, of 64 bits or sign-extended. */
static inline void riscv_put(struct cairn_machine *machine, unsigned word, struct exec_bits bits)
{
	exec_put(machine, word, CAIRN_REG_INT, word - RISCV_X, bits);
}

/* An address: RV32's have 32 bits. */
static inline struct exec_bits riscv_address(const struct cairn_machine *machine,
                                             struct exec_bits bits)
{
	return riscv_is_narrow(machine) ? bits_zero_extend(bits, 32) : bits;
}

/* Division by 0 gives all ones and leaves the dividend; the quotient that has no room, itself. */
static inline struct exec_bits riscv_divide(struct exec_bits a, struct exec_bits b, bool is_signed)
{
	if (bits_are_zero(b))
		return bits_known(UINT64_MAX);
	if (!bits_both(a, b))
		return bits_unknown();
	if (!is_signed)
		return bits_known(a.value / b.value);
	if (b.value == UINT64_MAX)
		return bits_known(0 - a.value);
	return bits_known((uint64_t)((int64_t)a.value / (int64_t)b.value));
}

static inline struct exec_bits riscv_remainder(struct exec_bits a, struct exec_bits b,
                                               bool is_signed)
{
	if (bits_are_zero(b))
		return a;
	if (!bits_both(a, b))
		return bits_unknown();
	if (!is_signed)
		return bits_known(a.value % b.value);
	if (b.value == UINT64_MAX)
		return bits_known(0);
	return bits_known((uint64_t)((int64_t)a.value % (int64_t)b.value));
}

/* A trace that tells this integer register behind the instruction tells vl. */
static inline void riscv_expect_vl(struct cairn_machine *machine, unsigned word)
{
	machine->word[RISCV_VL_TOLD] = bits_known(word);
	machine->word[RISCV_VL_TOLD_AT] = bits_known(machine->pc);
}

/* The bits of a number of a format ('h', 'b', 's', 'd') in a floating-point register, as far as they
 * are known; and a number as such a register has it. */
struct exec_bits riscv_unboxed(const struct cairn_machine *machine, unsigned word, unsigned width);
struct exec_bits riscv_boxed(struct exec_bits bits, unsigned width);

/* How operands are encoded: riscv_operands.c. Compressed forms first are those of the manual's
 * tables; the name says the registers and what the constant is. */
void riscv_form_r(struct exec_op *op);
void riscv_form_i(struct exec_op *op);
void riscv_form_shift(struct exec_op *op);
void riscv_form_s(struct exec_op *op);
void riscv_form_b(struct exec_op *op);
void riscv_form_u(struct exec_op *op);
void riscv_form_j(struct exec_op *op);
void riscv_form_csr(struct exec_op *op);
void riscv_form_none(struct exec_op *op);
void riscv_form_ci(struct exec_op *op);      /* rd, rd, imm6 */
void riscv_form_ci_li(struct exec_op *op);   /* rd, x0, imm6 */
void riscv_form_ci_lui(struct exec_op *op);  /* rd, imm6 << 12 */
void riscv_form_ci_sp(struct exec_op *op);   /* sp, sp, imm * 16 */
void riscv_form_ciw(struct exec_op *op);     /* rd', sp, imm * 4 */
void riscv_form_cr(struct exec_op *op);      /* rd, rd, rs2 */
void riscv_form_cr_mv(struct exec_op *op);   /* rd, x0, rs2 */
void riscv_form_cr_jump(struct exec_op *op); /* to rs1; link in `extra` */
void riscv_form_ca(struct exec_op *op);      /* rd', rd', rs2' */
void riscv_form_cb_imm(struct exec_op *op);  /* rd', rd', imm6 */
void riscv_form_cb(struct exec_op *op);      /* rs1', x0, offset */
void riscv_form_cj(struct exec_op *op);      /* offset; link in `extra` */
void riscv_form_cl(struct exec_op *op);      /* load rd', by `width` */
void riscv_form_cs(struct exec_op *op);      /* store rs2', by `width` */
void riscv_form_cl_sp(struct exec_op *op);   /* load rd from sp, by `width` */
void riscv_form_cs_sp(struct exec_op *op);   /* store rs2 to sp, by `width` */
void riscv_form_cl_byte(struct exec_op *op); /* Zcb: bytes and halves */
void riscv_form_cs_byte(struct exec_op *op);

#endif

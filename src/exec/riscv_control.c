/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: branches, jumps, registers of the machine that user code sees, fences and calls of the
 * system. Source: the unprivileged ISA manual (2025).
 */
#include "exec/riscv_vector.h"

/* ---- branches and jumps ---- */

static struct exec_bits from_pc(const struct cairn_machine *machine, int64_t offset)
{
	return riscv_address(machine, bits_known(machine->pc + (uint64_t)offset));
}

enum { EQUAL, LESS = 2, LESS_UNSIGNED = 3, NOT = 4 };

static void run_conditional(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = machine->word[op->rs1], b = machine->word[op->rs2], taken;
	switch (op->extra & 3) {
	case LESS:
		taken = bits_less_signed(a, b);
		break;
	case LESS_UNSIGNED:
		taken = bits_less(a, b);
		break;
	default:
		taken = bits_equal(a, b);
	}
	if (op->extra & NOT)
		taken = bits_xor(taken, bits_known(1));
	exec_branch(machine, taken, from_pc(machine, op->imm));
}

/* The address of the next instruction, as a register has it. */
static struct exec_bits link_address(const struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits link = bits_known(machine->pc + op->size);
	return riscv_is_narrow(machine) ? bits_sign_extend(link, 32) : link;
}

static void run_jump(struct cairn_machine *machine, const struct exec_op *op)
{
	exec_branch(machine, bits_truth(true, true), from_pc(machine, op->imm));
	riscv_put(machine, op->rd, link_address(machine, op));
}

static void run_jump_register(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to = bits_add(machine->word[op->rs1], bits_known((uint64_t)op->imm));
	to = bits_and(to, bits_known(~UINT64_C(1)));
	exec_branch(machine, bits_truth(true, true), riscv_address(machine, to));
	riscv_put(machine, op->rd, link_address(machine, op));
}

static void run_auipc(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits to = bits_known(machine->pc + (uint64_t)op->imm);
	riscv_put(machine, op->rd, riscv_is_narrow(machine) ? bits_sign_extend(to, 32) : to);
}

/* Zcmp: two of s0 to s7 from a0 and a1, and back. */
static unsigned saved_register(uint32_t number)
{
	return number < 2 ? 8 + number : 16 + number;
}

static void run_move_to_saved(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a0 = machine->word[RISCV_X + 10], a1 = machine->word[RISCV_X + 11];
	riscv_put(machine, RISCV_X + saved_register(op->enc >> 7 & 7), a0);
	riscv_put(machine, RISCV_X + saved_register(op->enc >> 2 & 7), a1);
}

static void run_move_from_saved(struct cairn_machine *machine, const struct exec_op *op)
{
	riscv_put(machine, RISCV_X + 10, machine->word[RISCV_X + saved_register(op->enc >> 7 & 7)]);
	riscv_put(machine, RISCV_X + 11, machine->word[RISCV_X + saved_register(op->enc >> 2 & 7)]);
}

/* Zcmt: the target stands in the table at jvt, which is fetched, not loaded; entries from 32 on are
 * calls. */
static void run_table_jump(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned index = op->enc >> 2 & 0xff, width = riscv_is_narrow(machine) ? 4 : 8;
	struct exec_bits base = bits_and(machine->word[RISCV_JVT], bits_known(~UINT64_C(63)));
	struct exec_bits at = riscv_address(machine, bits_add(base, bits_known(index * width)));
	struct exec_bits to = bits_all(at) ? exec_peek(machine, at.value, width) : bits_unknown();
	to = bits_and(to, bits_known(~UINT64_C(1)));
	exec_branch(machine, bits_truth(true, true), riscv_address(machine, to));
	if (index >= 32)
		riscv_put(machine, RISCV_X + 1, link_address(machine, op));
}

/* ---- registers of the machine ---- */

enum { FFLAGS = 1, FRM = 2, FCSR = 3, JVT = 0x17 };
enum { WRITE = 1, SET = 2, CLEAR = 3, CONSTANT = 4 }; /* riscv_row.extra: funct3 */

/* Read a CSR that is modelled: its words, and how many bits each has. */
static bool csr_read(const struct cairn_machine *machine, unsigned number, struct exec_bits *bits)
{
	struct exec_bits flags = machine->word[RISCV_FFLAGS], mode = machine->word[RISCV_FRM];
	switch (number) {
	case FFLAGS:
		*bits = flags;
		return true;
	case FRM:
		*bits = mode;
		return true;
	case FCSR:
		*bits = bits_or(bits_zero_extend(flags, 5), bits_left(mode, 5));
		return true;
	case JVT:
		*bits = machine->word[RISCV_JVT];
		return true;
	case RISCV_VSTART_CSR:
	case RISCV_VXSAT_CSR:
	case RISCV_VXRM_CSR:
		*bits = machine->word[RISCV_VSTART + number - RISCV_VSTART_CSR];
		return true;
	case RISCV_VCSR_CSR:
		*bits = bits_or(machine->word[RISCV_VXSAT], bits_left(machine->word[RISCV_VXRM], 1));
		return true;
	case RISCV_VL_CSR:
	case RISCV_VTYPE_CSR:
		*bits = machine->word[RISCV_VL + number - RISCV_VL_CSR];
		return true;
	case RISCV_VLENB_CSR:
		if (machine->vector_bits)
			*bits = bits_known(machine->vector_bits / 8);
		return true;
	default:
		return false;
	}
}

/* vstart has the bits that the number of an element needs. */
static void csr_write_vector(struct cairn_machine *machine, unsigned number, struct exec_bits bits)
{
	uint64_t indices = machine->vector_bits - 1;
	struct exec_bits start =
		machine->vector_bits ? bits_and(bits, bits_known(indices)) : bits_unknown();
	if (number == RISCV_VSTART_CSR)
		riscv_put_csr(machine, RISCV_VSTART, number, start);
	if (number == RISCV_VXSAT_CSR || number == RISCV_VCSR_CSR)
		riscv_put_csr(machine, RISCV_VXSAT, RISCV_VXSAT_CSR, bits_zero_extend(bits, 1));
	if (number == RISCV_VCSR_CSR)
		bits = bits_right(bits, 1);
	if (number == RISCV_VXRM_CSR || number == RISCV_VCSR_CSR)
		riscv_put_csr(machine, RISCV_VXRM, RISCV_VXRM_CSR, bits_zero_extend(bits, 2));
}

static void csr_write(struct cairn_machine *machine, unsigned number, struct exec_bits bits)
{
	if (number == FFLAGS || number == FCSR)
		exec_put(machine, RISCV_FFLAGS, CAIRN_REG_CSR, FFLAGS, bits_zero_extend(bits, 5));
	if (number == FCSR)
		bits = bits_right(bits, 5);
	if (number == FRM || number == FCSR)
		exec_put(machine, RISCV_FRM, CAIRN_REG_CSR, FRM, bits_zero_extend(bits, 3));
	if (number == JVT)
		exec_put(machine, RISCV_JVT, CAIRN_REG_CSR, JVT, bits);
	if (number >= RISCV_VSTART_CSR && number <= RISCV_VCSR_CSR)
		csr_write_vector(machine, number, bits);
}

static void run_csr(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned number = (unsigned)op->imm, how = op->extra & 3;
	struct exec_bits before = bits_unknown(), operand = machine->word[op->rs1];
	uint32_t named = op->enc >> 15 & 31;
	if (op->extra & CONSTANT)
		operand = bits_known(named);
	if (!csr_read(machine, number, &before))
		exec_undetermined(machine, "this register of the machine is not modelled");
	/* Setting and clearing nothing does not write. */
	if (how == WRITE)
		csr_write(machine, number, operand);
	else if (named)
		csr_write(machine, number,
		          how == SET ? bits_or(before, operand) : bits_and(before, bits_not(operand)));
	riscv_put(machine, op->rd, before);
	if (number == RISCV_VL_CSR)
		riscv_expect_vl(machine, op->rd);
}

/* ---- what changes no register ---- */

static void run_nothing(struct cairn_machine *machine, const struct exec_op *op)
{
	(void)machine;
	(void)op;
}

static void run_trap(struct cairn_machine *machine, const struct exec_op *op)
{
	(void)op;
	exec_stop(machine, CAIRN_STEP_TRAP, "the system is called");
}

/* May-be-operations without a meaning of their own give 0. */
static void run_zero(struct cairn_machine *machine, const struct exec_op *op)
{
	riscv_put(machine, op->rd, bits_known(0));
}

/* ---- the table ---- */

#define ROW(name, form, run, extra) \
	{ \
		name, riscv_form_##form, {run_##run, run_##run}, 0, extra \
	}
#define NARROW(name, form, run, extra) \
	{ \
		name, riscv_form_##form, {NULL, run_##run}, 0, extra \
	}

const struct riscv_row riscv_control_rows[] = {ROW("beq", b, conditional, EQUAL),
                                               ROW("bne", b, conditional, EQUAL | NOT),
                                               ROW("blt", b, conditional, LESS),
                                               ROW("bge", b, conditional, LESS | NOT),
                                               ROW("bltu", b, conditional, LESS_UNSIGNED),
                                               ROW("bgeu", b, conditional, LESS_UNSIGNED | NOT),
                                               ROW("jal", j, jump, 0),
                                               ROW("jalr", i, jump_register, 0),
                                               ROW("auipc", u, auipc, 0),
                                               ROW("c.beqz", cb, conditional, EQUAL),
                                               ROW("c.bnez", cb, conditional, EQUAL | NOT),
                                               ROW("c.j", cj, jump, 0),
                                               NARROW("c.jal", cj, jump, 1),
                                               ROW("c.jr", cr_jump, jump_register, 0),
                                               ROW("c.jalr", cr_jump, jump_register, 1),
                                               ROW("cm.mvsa01", none, move_to_saved, 0),
                                               ROW("cm.mva01s", none, move_from_saved, 0),
                                               ROW("cm.jt", none, table_jump, 0),
                                               ROW("cm.jalt", none, table_jump, 0),
                                               /* registers of the machine */
                                               ROW("csrrw", csr, csr, WRITE),
                                               ROW("csrrs", csr, csr, SET),
                                               ROW("csrrc", csr, csr, CLEAR),
                                               ROW("csrrwi", csr, csr, WRITE | CONSTANT),
                                               ROW("csrrsi", csr, csr, SET | CONSTANT),
                                               ROW("csrrci", csr, csr, CLEAR | CONSTANT),
                                               /* nothing that registers or memory show */
                                               ROW("fence", none, nothing, 0),
                                               ROW("fence.i", none, nothing, 0),
                                               ROW("pause", none, nothing, 0),
                                               ROW("c.nop", none, nothing, 0),
                                               ROW("c.mop", none, nothing, 0),
                                               ROW("lpad", none, nothing, 0),
                                               ROW("prefetch.i", none, nothing, 0),
                                               ROW("prefetch.r", none, nothing, 0),
                                               ROW("prefetch.w", none, nothing, 0),
                                               ROW("cbo.clean", none, nothing, 0),
                                               ROW("cbo.flush", none, nothing, 0),
                                               ROW("wrs.nto", none, nothing, 0),
                                               ROW("wrs.sto", none, nothing, 0),
                                               ROW("wfi", none, nothing, 0),
                                               ROW("mop.r", r, zero, 0),
                                               ROW("mop.rr", r, zero, 0),
                                               ROW("ecall", none, trap, 0),
                                               ROW("ebreak", none, trap, 0),
                                               ROW("c.ebreak", none, trap, 0),
                                               {NULL}};

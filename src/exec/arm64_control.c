/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: branches, system registers, hints, barriers and calls of the system. Source: Arm
 * Architecture Reference Manual for A-profile, C6.2.
 */
#include "exec/arm64.h"

#include "cairn/trace.h"

#define HANDLER(name) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op)

/* ---- branches ---- */

/* `imm`: where to, from here. */
static void form_branch(struct exec_op *op)
{
	op->imm = 4 * isa_sign(arm64_field(op, 25, 0), 26);
}

static void form_branch_19(struct exec_op *op)
{
	op->rs1 = arm64_source(arm64_field(op, 4, 0));
	op->imm = 4 * isa_sign(arm64_field(op, 23, 5), 19);
}

static void form_branch_9(struct exec_op *op)
{
	unsigned narrow = arm64_field(op, 15, 14); /* of registers: bytes, halfwords */
	op->rs1 = arm64_source(arm64_field(op, 4, 0));
	op->rs2 = arm64_source(arm64_field(op, 20, 16));
	op->imm = 4 * isa_sign(arm64_field(op, 13, 5), 9);
	op->extra = (uint8_t)arm64_field(op, 23, 21);
	op->width = op->enc >> 31 ? 64 : 32;
	if (!(op->enc >> 24 & 1) && narrow >= 2)
		op->width = narrow == 2 ? 8 : 16;
}

/* `width`: the bit that is tested. */
static void form_branch_14(struct exec_op *op)
{
	op->rs1 = arm64_source(arm64_field(op, 4, 0));
	op->imm = 4 * isa_sign(arm64_field(op, 18, 5), 14);
	op->width = (uint8_t)(arm64_field(op, 31, 31) << 5 | arm64_field(op, 23, 19));
}

static struct exec_bits from_pc(const struct cairn_machine *machine, const struct exec_op *op)
{
	return bits_known(machine->pc + (uint64_t)op->imm);
}

static struct exec_bits truth_is(struct exec_bits truth, bool wanted)
{
	return wanted ? truth : bits_xor(truth, bits_known(1));
}

static void put_link(struct cairn_machine *machine)
{
	arm64_put(machine, ARM64_X + 30, bits_known(machine->pc + 4));
}

HANDLER(branch)
{
	exec_branch(machine, bits_known(1), from_pc(machine, op));
}

HANDLER(branch_link)
{
	exec_branch(machine, bits_known(1), from_pc(machine, op));
	put_link(machine);
}

HANDLER(branch_if)
{
	exec_branch(machine, arm64_condition(machine, op->enc & 15), from_pc(machine, op));
}

/* cbz, cbnz, tbz, tbnz: bit 24 says which of two. */
static void branch_if_zero(struct cairn_machine *machine, const struct exec_op *op,
                           struct exec_bits tested)
{
	struct exec_bits zero = bits_equal(tested, bits_known(0));
	exec_branch(machine, truth_is(zero, !(op->enc >> 24 & 1)), from_pc(machine, op));
}

HANDLER(compare_branch_32)
{
	branch_if_zero(machine, op, bits_zero_extend(machine->word[op->rs1], 32));
}

HANDLER(compare_branch_64)
{
	branch_if_zero(machine, op, machine->word[op->rs1]);
}

/* cbgt and the like (FEAT_CMPBR): numbers of `width` bits; `extra` is the condition. */
enum { CB_GREATER, CB_SECOND, CB_HIGHER, CB_FOURTH, CB_EQUAL = 6, CB_NOT_EQUAL };

static void compare_and_branch(struct cairn_machine *machine, const struct exec_op *op,
                               struct exec_bits b, bool has_constant)
{
	struct exec_bits a = machine->word[op->rs1], holds;
	bool is_signed = op->extra < CB_HIGHER;
	unsigned bits = op->width;
	if (bits < 64) {
		a = is_signed ? bits_sign_extend(a, bits) : bits_zero_extend(a, bits);
		b = is_signed ? bits_sign_extend(b, bits) : bits_zero_extend(b, bits);
	}
	if (op->extra >= CB_EQUAL)
		holds = truth_is(bits_equal(a, b), op->extra == CB_EQUAL);
	else if (op->extra == CB_GREATER || op->extra == CB_HIGHER)
		holds = is_signed ? bits_less_signed(b, a) : bits_less(b, a);
	else /* less than a constant, or not less than a register */
		holds = truth_is(is_signed ? bits_less_signed(a, b) : bits_less(a, b), has_constant);
	exec_branch(machine, holds, from_pc(machine, op));
}

HANDLER(compare_registers)
{
	compare_and_branch(machine, op, machine->word[op->rs2], false);
}

HANDLER(compare_constant)
{
	compare_and_branch(machine, op, bits_known(arm64_field(op, 20, 15)), true);
}

HANDLER(test_branch)
{
	struct exec_bits bit = bits_and(bits_right(machine->word[op->rs1], op->width), bits_known(1));
	branch_if_zero(machine, op, bit);
}

/* br, blr, ret. */
HANDLER(branch_register)
{
	exec_branch(machine, bits_known(1), machine->word[op->rs1]);
	if (arm64_field(op, 22, 21) == 1)
		put_link(machine);
}

/* Branches with pointer authentication: the instruction ran on, so the signature was right and is
 * removed. The number of address bits is not known, but is 16 at least. */
HANDLER(branch_authenticated)
{
	struct exec_bits to = machine->word[op->rs1];
	if (arm64_field(op, 22, 21) == 2)
		to = machine->word[ARM64_X + 30];
	to.value &= 0xffff;
	to.known &= 0xffff;
	exec_branch(machine, bits_known(1), to);
	exec_undetermined(machine, "signatures of pointers are not determined");
	if (arm64_field(op, 22, 21) == 1)
		put_link(machine);
}

/* ---- system registers ---- */

/* `imm`: the number that batches have. */
static void form_system(struct exec_op *op)
{
	arm64_form_dnm(op);
	op->rs1 = arm64_source(arm64_field(op, 4, 0));
	op->imm = arm64_field(op, 20, 5);
	struct exec_place place = arm64_system_place((unsigned)op->imm);
	op->rs2 = place.words ? place.word : EXEC_NOWHERE;
	op->width = place.shift;
	/* A register that is not modelled may change what is: which SP is used, say. */
	if (!place.words && !(op->enc >> 21 & 1))
		op->run = NULL;
}

HANDLER(read_system)
{
	if (op->rs2 < EXEC_WORDS) {
		arm64_put(machine, op->rd, bits_left(machine->word[op->rs2], op->width));
		return;
	}
	arm64_put(machine, op->rd, bits_unknown());
	exec_undetermined(machine, "this system register is not modelled");
	/* RNDR, RNDRRS: Z tells whether there was a random number, the other flags are 0. */
	if ((op->enc & 0xffffffc0) == 0xd53b2400)
		arm64_put_flags(machine, (struct exec_bits){0, ~(uint64_t)ARM64_Z});
}

/* Bits that every machine keeps as written. It may ignore the others, or give them a meaning of its
 * own; if written as 0 they are 0. */
enum { FPCR_KEPT = 0x07c80000, FPSR_KEPT = 0x0800009f };

HANDLER(write_system)
{
	struct exec_bits bits = machine->word[op->rs1];
	uint64_t kept = op->rs2 == ARM64_FPCR ? FPCR_KEPT : op->rs2 == ARM64_FPSR ? FPSR_KEPT : 0;
	if (op->rs2 == ARM64_NZCV) {
		arm64_put_flags(machine, bits_right(bits, 28));
		return;
	}
	if (kept) {
		bits.known &= kept | ~bits.value;
		bits.value &= kept;
	}
	exec_put(machine, op->rs2, CAIRN_REG_CSR, (unsigned)op->imm, bits);
}

/* smstart, smstop, and msr of what says how long vectors are: that is not known from here on. */
HANDLER(change_vectors)
{
	struct isa_written written;
	isa_written(machine->isa, op->enc, op->size, &written);
	exec_forget_written(machine, &written);
	exec_set_vector_bits(machine, 0);
	exec_undetermined(machine, "the length of vectors may change");
}

/* ---- the flags as other machines have them ---- */

HANDLER(turn_carry)
{
	(void)op;
	arm64_put_flags(machine, bits_xor(machine->word[ARM64_NZCV], bits_known(ARM64_C)));
}

static struct exec_bits one_flag(const struct cairn_machine *machine, unsigned bit)
{
	return bits_and(bits_right(machine->word[ARM64_NZCV], bit), bits_known(1));
}

/* From Arm's flags of a floating-point comparison to the other kind (axflag), and back. */
HANDLER(axflag)
{
	struct exec_bits z = bits_or(one_flag(machine, 2), one_flag(machine, 0));
	struct exec_bits c = bits_and(one_flag(machine, 1), truth_is(one_flag(machine, 0), false));
	(void)op;
	arm64_put_flags(machine, bits_or(bits_left(z, 2), bits_left(c, 1)));
}

HANDLER(xaflag)
{
	struct exec_bits z = one_flag(machine, 2), c = one_flag(machine, 1);
	struct exec_bits n = bits_and(truth_is(c, false), truth_is(z, false));
	struct exec_bits v = bits_and(truth_is(c, false), z);
	(void)op;
	struct exec_bits high = bits_or(bits_left(n, 3), bits_left(bits_and(z, c), 2));
	arm64_put_flags(machine, bits_or(high, bits_or(bits_left(bits_or(c, z), 1), v)));
}

/* ---- what changes no register ---- */

HANDLER(nothing)
{
	(void)machine;
	(void)op;
}

HANDLER(trap)
{
	(void)op;
	exec_stop(machine, CAIRN_STEP_TRAP, "the system is called");
}

/* Hints are no-ops except those that sign or authenticate x30 or x17, or remove a signature. */
static void form_hint(struct exec_op *op)
{
	unsigned number = arm64_field(op, 11, 5);
	op->rd = number == 7 || (number >= 24 && number < 32)  ? ARM64_X + 30
	         : number >= 8 && number < 16 && !(number & 1) ? ARM64_X + 17
	         : number == 40                                ? ARM64_X + 16
	                                                       : EXEC_NOWHERE;
}

HANDLER(hint)
{
	if (op->rd >= EXEC_WORDS)
		return;
	struct exec_bits before = machine->word[op->rd];
	uint64_t kept =
		op->rd == ARM64_X + 16 ? 0 : 0xffff; /* chkfeat clears the bits of features that exist */
	arm64_put(machine, op->rd, (struct exec_bits){before.value & kept, before.known & kept});
	exec_undetermined(machine, "signatures of pointers are not determined");
}

/* Zero a block of memory. How large it is stands in DCZID_EL0. */
static void form_base(struct exec_op *op)
{
	op->rs1 = arm64_source(arm64_field(op, 4, 0));
}

enum { MOST_ZEROED = 2048, LEAST_ZEROED = 4 };

HANDLER(zero_block)
{
	struct exec_bits base = machine->word[op->rs1], block = machine->word[ARM64_DCZID];
	bool sized = (block.known & 15) == 15;
	unsigned size = sized ? (unsigned)LEAST_ZEROED << (block.value & 15) : (unsigned)LEAST_ZEROED;
	struct exec_bits at = bits_and(base, bits_known(~(uint64_t)(size - 1)));
	const struct cairn_step_told *told = exec_told(machine, CAIRN_MEM_WRITE, 0);
	if (told && told->address_known)
		base = bits_known(told->address);
	if (!sized)
		exec_undetermined(machine, "how much is zeroed is not known");
	if (size > MOST_ZEROED) {
		exec_stop(machine, CAIRN_STEP_NOT_MODELLED, "no such block");
		cairn_machine_forget_memory(machine);
		return;
	}
	/* Of one whose size is not known only the region is. */
	if (!sized)
		at = (struct exec_bits){base.value & ~(uint64_t)(MOST_ZEROED - 1),
		                        base.known & ~(uint64_t)(MOST_ZEROED - 1)};
	exec_log_access(machine, CAIRN_MEM_WRITE, at, size, NULL, !sized,
	                told && told->size == size ? told : NULL);
	if (!bits_all(base)) {
		cairn_machine_forget_memory(machine);
		return;
	}
	uint64_t least = base.value & ~(uint64_t)(size - 1);
	uint64_t first = base.value & ~(uint64_t)(MOST_ZEROED - 1);
	if (!sized)
		exec_zero_perhaps(machine, first, first + MOST_ZEROED);
	for (unsigned i = 0; i < size; i += 4)
		exec_poke(machine, least + i, 4, bits_known(0));
}

/* ---- the table ---- */

#define ROW(mask, match, form, run) \
	{ \
		mask, match, form, {run_##run, run_##run}, 0, 0 \
	}

const struct arm64_row arm64_control_rows[] = {
	ROW(0xfc000000, 0x14000000, form_branch, branch),
	ROW(0xfc000000, 0x94000000, form_branch, branch_link),
	ROW(0xff000000, 0x54000000, form_branch_19, branch_if), /* b.cond, bc.cond */
	ROW(0x7f000000, 0x74000000, form_branch_9, compare_registers),
	ROW(0x7f000000, 0x75000000, form_branch_9, compare_constant),
	{0x7e000000, 0x34000000, form_branch_19, {run_compare_branch_32, run_compare_branch_64}, 0, 0},
	ROW(0x7e000000, 0x36000000, form_branch_14, test_branch),
	ROW(0xff9ffc1f, 0xd61f0000, arm64_form_dnm, branch_register), /* br, blr, ret */
	ROW(0xfedff800, 0xd61f0800, arm64_form_dnm, branch_authenticated),
	ROW(0xfffffbff, 0xd65f0bff, arm64_form_none, branch_authenticated),
	/* system */
	ROW(0xfffff8ff, 0xd503407f, arm64_form_none, change_vectors), /* smstart, smstop */
	ROW(0xffffffe0, 0xd51b4240, arm64_form_none, change_vectors), /* SVCR */
	ROW(0xfff8ffe0, 0xd5181200, arm64_form_none, change_vectors), /* ZCR_ELx */
	ROW(0xfff8ffe0, 0xd51812c0, arm64_form_none, change_vectors), /* SMCR_ELx */
	ROW(0xfff00000, 0xd5100000, form_system, write_system),
	ROW(0xfff00000, 0xd5300000, form_system, read_system),
	ROW(0xffffffff, 0xd500401f, arm64_form_none, turn_carry),
	ROW(0xffffffff, 0xd500403f, arm64_form_none, xaflag),
	ROW(0xffffffff, 0xd500405f, arm64_form_none, axflag),
	ROW(0xfffff01f, 0xd503201f, form_hint, hint),
	ROW(0xfffff0ff, 0xd503305f, arm64_form_none, nothing), /* clrex */
	ROW(0xfffff09f, 0xd503309f, arm64_form_none, nothing), /* dsb, dmb */
	ROW(0xfffff0ff, 0xd50330df, arm64_form_none, nothing), /* isb */
	ROW(0xffffffff, 0xd50330ff, arm64_form_none, nothing), /* sb */
	ROW(0xffffffe0, 0xd50b7420, form_base, zero_block),
	ROW(0xffffffe0, 0xd50b7520, arm64_form_none, nothing), /* ic ivau */
	ROW(0xfffffee0, 0xd50b7a20, arm64_form_none, nothing), /* dc cvac, cvau */
	ROW(0xfffffee0, 0xd50b7c20, arm64_form_none, nothing), /* dc cvap, cvadp */
	ROW(0xffffffe0, 0xd50b7e20, arm64_form_none, nothing), /* dc civac */
	ROW(0xffe0001f, 0xd4000001, arm64_form_none, trap),    /* svc */
	ROW(0xffe0001f, 0xd4200000, arm64_form_none, trap),    /* brk */
	{0}};

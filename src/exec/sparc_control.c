/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: delayed transfers of control, traps, and what changes no register.
 */
#include "exec/sparc.h"

/* ---- where control goes ---- */

static struct exec_bits step_next(const struct cairn_machine *machine)
{
	return (struct exec_bits){machine->step.next, machine->step.next_known};
}

static struct exec_bits step_after(const struct cairn_machine *machine)
{
	return (struct exec_bits){machine->step.after, machine->step.after_known};
}

/* Control goes to the delay slot and then to the target or on; if the slot is annulled, straight to
 * what follows. */
static void delayed(struct cairn_machine *machine, struct exec_bits taken, struct exec_bits target,
                    struct exec_bits annuls)
{
	const struct exec_bits four = bits_known(4), slot = step_next(machine);
	struct exec_bits behind = bits_choose(taken, target, step_after(machine));
	struct exec_bits next = bits_choose(annuls, behind, slot);
	struct exec_bits after = bits_choose(annuls, bits_add(behind, four), behind);
	struct cairn_step *step = &machine->step;
	step->taken = taken.value & 1;
	step->taken_known = taken.known & 1;
	step->annuls = annuls.value & 1;
	step->annuls_known = annuls.known & 1;
	step->next = next.value;
	step->next_known = next.known;
	step->after = after.value;
	step->after_known = after.known;
	machine->word[SPARC_STRAIGHT].value = 0;
}

/* A branch. The annul bit matters if the branch is not taken, or has no condition. */
static void branch(struct cairn_machine *machine, const struct exec_op *op, struct exec_bits taken)
{
	bool can_annul = op->enc >> 29 & 1;
	bool conditional = isa_sparc_flow(op->enc) == ISA_SPARC_COND;
	struct exec_bits annuls = !can_annul    ? bits_truth(false, true)
	                          : conditional ? sparc_not(taken)
	                                        : bits_truth(true, true);
	delayed(machine, taken, bits_known(machine->pc + (uint64_t)op->imm), annuls);
}

static void run_branch(struct cairn_machine *machine, const struct exec_op *op)
{
	branch(machine, op, sparc_condition(machine, op->width, op->extra));
}

static void run_branch_register(struct cairn_machine *machine, const struct exec_op *op)
{
	branch(machine, op, sparc_register_condition(machine->word[op->rs1], op->extra));
}

static const struct exec_bits always = {1, UINT64_MAX}, never = {0, UINT64_MAX};

static void run_call(struct cairn_machine *machine, const struct exec_op *op)
{
	delayed(machine, always, bits_known(machine->pc + (uint64_t)op->imm), never);
	sparc_put(machine, SPARC_R + 15, bits_known(machine->pc));
}

/* False: the target is not aligned, which is a trap. */
static bool target_of(struct cairn_machine *machine, const struct exec_op *op,
                      struct exec_bits *target)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], sparc_second(machine, op));
	*target = sparc_address(machine, sum);
	return !sparc_is_misaligned(machine, *target, 4);
}

static void run_jmpl(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits target;
	if (!target_of(machine, op, &target))
		return;
	delayed(machine, always, target, never);
	sparc_put(machine, op->rd, bits_known(machine->pc));
}

static void run_return(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits target;
	if (target_of(machine, op, &target) && sparc_restore_window(machine))
		delayed(machine, always, target, never);
}

/* ---- traps and what changes nothing ---- */

static void run_tcc(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits traps = sparc_condition(machine, op->width, op->extra);
	if (traps.value & 1) {
		exec_stop(machine, CAIRN_STEP_TRAP, "the system is called");
	} else if (!(traps.known & 1)) {
		exec_undetermined(machine, "whether it traps is not determined");
		machine->step.next_known = machine->step.after_known = 0;
		machine->step.next = machine->step.after = 0;
	}
}

static void run_nothing(struct cairn_machine *machine, const struct exec_op *op)
{
	(void)machine;
	(void)op;
}

/* ---- how operands are encoded ---- */

/* Bicc, BPcc, FBfcc, FBPfcc, whose codes `width` says if the encoding does not. */
static void form_branch(struct exec_op *op)
{
	op->imm = isa_sparc_offset(op->enc);
	op->extra = op->enc >> 25 & 15;
}

static void form_branch_predicted(struct exec_op *op)
{
	form_branch(op);
	op->width |= op->enc >> 20 & 3;
}

static void form_branch_register(struct exec_op *op)
{
	form_branch(op);
	op->extra &= 7;
}

static void form_call(struct exec_op *op)
{
	op->imm = isa_sparc_offset(op->enc);
}

static void form_tcc(struct exec_op *op)
{
	op->extra = op->enc >> 25 & 15;
	op->width = (uint8_t)(SPARC_ICC | (op->enc >> 11 & 3));
}

/* ---- the tables ---- */

const struct sparc_row *sparc_control_row(uint32_t enc)
{
	static const struct sparc_row branches[8] = {
		[1] = {run_branch, form_branch_predicted, SPARC_ICC, 0},
		[2] = {run_branch, form_branch, SPARC_ICC, 0},
		[3] = {run_branch_register, form_branch_register, 0, 0},
		[5] = {run_branch, form_branch_predicted, 0, 0},
		[6] = {run_branch, form_branch, 0, 0},
	};
	static const struct sparc_row call = {run_call, form_call, 0, 0};
	static const struct sparc_row others[64] = {
		[0x28] = {run_nothing, NULL, 0, 0}, /* membar */
		[0x38] = {run_jmpl, NULL, 0, 0},    [0x39] = {run_return, NULL, 0, 0},
		[0x3a] = {run_tcc, form_tcc, 0, 0}, [0x3b] = {run_nothing, NULL, 0, 0}, /* flush */
	};
	static const struct sparc_row prefetch = {run_nothing, NULL, 0, 0};
	unsigned op3 = isa_sparc_op3(enc);
	switch (enc >> 30) {
	case 0:
		return &branches[enc >> 22 & 7];
	case 1:
		return &call;
	case 2:
		return others[op3].run ? &others[op3] : NULL;
	default:
		return op3 == 0x2d || op3 == 0x3d ? &prefetch : NULL;
	}
}

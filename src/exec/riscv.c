/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: where registers lie, and which row of which table runs an encoding. Rows are found by the
 * manual's name of the instruction, so that what decodes an encoding is one place: isa/riscv.c
 * and its mnemonics.
 */
#include "exec/riscv.h"

#include <string.h>

static struct exec_place riscv_place(const struct cairn_machine *machine, enum cairn_reg_class cls,
                                     unsigned num)
{
	bool narrow = riscv_is_narrow(machine);
	uint8_t size = narrow ? 4 : 8;
	switch (cls) {
	case CAIRN_REG_INT:
		if (num < 32)
			return (struct exec_place){riscv_source(num), 1, size, 0, narrow};
		break;
	case CAIRN_REG_FP:
		if (num < 32)
			return (struct exec_place){(uint16_t)(RISCV_F + num), 1, 8};
		break;
	case CAIRN_REG_CSR:
		if (num == 1 || num == 2)
			return (struct exec_place){(uint16_t)(RISCV_FFLAGS + num - 1), 1, 8};
		if (num == 0x17)
			return (struct exec_place){RISCV_JVT, 1, size, 0, narrow};
		break;
	default:
		break;
	}
	return (struct exec_place){0};
}

static const struct riscv_row *row_of(const char *name)
{
	static const struct riscv_row *const tables[] = {riscv_integer_rows, riscv_memory_rows,
	                                                 riscv_control_rows, riscv_float_rows};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct riscv_row *row = tables[i]; row->name; row++)
			if (!strcmp(row->name, name))
				return row;
	return NULL;
}

static bool riscv_translate(const struct cairn_machine *machine, const struct cairn_op *decoded,
                            struct exec_op *op)
{
	const char *name, *extension;
	cairn_isa_mnemonic(machine->isa, decoded->enc, decoded->size, &name, &extension);
	/* Zfinx keeps floating point in integer registers. */
	bool floats = decoded->traits & CAIRN_TRAIT_FP && decoded->variant & CAIRN_ISA_ZFINX;
	const struct riscv_row *row = name && !floats ? row_of(name) : NULL;
	exec_handler *run = row ? row->run[riscv_is_narrow(machine)] : NULL;
	if (!run)
		return false;
	op->run = run;
	op->width = row->width;
	op->extra = row->extra;
	row->operands(op);
	return true;
}

const struct exec_set exec_riscv = {.translate = riscv_translate, .place = riscv_place};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RISC-V: where registers lie, and which row of which table runs an encoding. Rows are found by the
 * manual's name of the instruction, so that what decodes an encoding is one place: isa/riscv.c
 * and its mnemonics.
 */
#include "exec/riscv_vector.h"

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
		if (num >= RISCV_VSTART_CSR && num <= RISCV_VXRM_CSR)
			return (struct exec_place){(uint16_t)(RISCV_VSTART + num - RISCV_VSTART_CSR), 1, size,
			                           0, narrow};
		if (num == RISCV_VL_CSR || num == RISCV_VTYPE_CSR)
			return (struct exec_place){(uint16_t)(RISCV_VL + num - RISCV_VL_CSR), 1, size, 0,
			                           narrow};
		break;
	case CAIRN_REG_VECTOR:
		if (num < 32) {
			unsigned words = riscv_vector_words(machine);
			return (struct exec_place){(uint16_t)(RISCV_V + num * words), (uint8_t)words,
			                           (uint8_t)(8 * words)};
		}
		break;
	default:
		break;
	}
	return (struct exec_place){0};
}

static const struct riscv_row *row_of(const char *name)
{
	static const struct riscv_row *const tables[] = {riscv_integer_rows, riscv_memory_rows,
	                                                 riscv_control_rows, riscv_float_rows,
	                                                 riscv_crypto_rows};
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
	if (decoded->traits & CAIRN_TRAIT_VECTOR) {
		const struct riscv_vector_row *vector = riscv_vector_row_of(op->enc);
		if (!vector || floats)
			return false;
		op->run = vector->run;
		op->row = vector;
		op->extra = vector->extra;
		op->rd = riscv_target(op->enc >> 7 & 31);
		return true;
	}
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

/* A trace may tell vl by the destination of a vsetvli that chose it, or of what read it. */
static void riscv_changed(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num)
{
	struct exec_bits *told = &machine->word[RISCV_VL_TOLD];
	if (cls != CAIRN_REG_INT || !num || told->value != riscv_source(num) ||
	    machine->word[RISCV_VL_TOLD_AT].value != machine->pc)
		return;
	struct exec_bits to = machine->word[riscv_source(num)], vl = machine->word[RISCV_VL];
	if (bits_all(to) && !((to.value ^ vl.value) & vl.known))
		machine->word[RISCV_VL] = to;
}

static unsigned riscv_vector_bits(unsigned told)
{
	bool power = told && !(told & (told - 1));
	return power && told >= 64 && told <= RISCV_MOST_VECTOR_BITS ? told : 0;
}

static struct exec_live riscv_live(const struct cairn_machine *machine)
{
	return (struct exec_live){.first = (uint16_t)(RISCV_V + 32 * riscv_vector_words(machine))};
}

const struct exec_set exec_riscv = {.live = riscv_live,
                                    .vector_bits = riscv_vector_bits,
                                    .translate = riscv_translate,
                                    .place = riscv_place,
                                    .changed = riscv_changed};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: where registers lie, and which row of which table runs an encoding. Rows are found by mask
 * and value among encodings that isa/arm64.c has found to exist; loads and stores by its
 * description of the access.
 */
#include "exec/arm64.h"

/* System registers that are modelled: user code writes the first four; the others it reads, and
 * they do not change. */
static const struct {
	uint16_t num, word;
} system_registers[] = {{ISA_ARM64_NZCV, ARM64_NZCV}, {ISA_ARM64_FPCR, ARM64_FPCR},
                        {ISA_ARM64_FPSR, ARM64_FPSR}, {0xde82, ARM64_TPIDR},
                        {0xde83, ARM64_TPIDRRO},      {0xd801, ARM64_CTR},
                        {0xd807, ARM64_DCZID}};

struct exec_place arm64_system_place(unsigned num)
{
	for (size_t i = 0; i < sizeof system_registers / sizeof *system_registers; i++)
		if (system_registers[i].num == num)
			return (struct exec_place){system_registers[i].word, 1, 8,
			                           num == ISA_ARM64_NZCV ? 28 : 0};
	return (struct exec_place){0};
}

static struct exec_place vector_place(unsigned num, uint8_t size)
{
	return (struct exec_place){(uint16_t)(ARM64_V + ARM64_VECTOR * (num & 31)), size > 8 ? 2 : 1,
	                           size};
}

static struct exec_place arm64_place(const struct cairn_machine *machine, enum cairn_reg_class cls,
                                     unsigned num)
{
	/* by the numbers 0 to 4 of FP registers: d, s, h, b, q */
	static const uint8_t sizes[] = {8, 4, 2, 1, 16};
	unsigned length = machine->vector_bits / 8;
	switch (cls) {
	case CAIRN_REG_INT:
		if (num <= ISA_ARM64_SP)
			return (struct exec_place){(uint16_t)(ARM64_X + num), 1, 8};
		if (num == ISA_ARM64_XZR)
			return (struct exec_place){EXEC_ZERO, 1, 8};
		break;
	case CAIRN_REG_FP:
		if (num < 32 * sizeof sizes)
			return vector_place(num, sizes[num / 32]);
		break;
	case CAIRN_REG_VECTOR:
		if (num < 32)
			return vector_place(num, 16);
		if (length && num < ISA_ARM64_Z0 + 32)
			return (struct exec_place){vector_place(num, 16).word, (uint8_t)(length / 8),
			                           (uint16_t)length};
		break;
	case CAIRN_REG_PREDICATE:
		if (length && num <= ISA_ARM64_FFR)
			return (struct exec_place){(uint16_t)(ARM64_P + ARM64_PREDICATE * num),
			                           (uint8_t)((length + 63) / 64), (uint8_t)(length / 8)};
		break;
	case CAIRN_REG_FLAGS:
		if (num == 0)
			return (struct exec_place){ARM64_NZCV, 1, 1};
		break;
	case CAIRN_REG_CSR:
		return arm64_system_place(num);
	default:
		break;
	}
	return (struct exec_place){0};
}

/* What is told of a vector register as Advanced SIMD has it says nothing of the rest, and what is
 * forgotten of it, of all. */
static void arm64_changed(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num)
{
	bool is_lower = (cls == CAIRN_REG_VECTOR && num < 32) || cls == CAIRN_REG_FP;
	for (unsigned i = 2; i < machine->vector_bits / 64 && is_lower; i++)
		machine->word[ARM64_V + ARM64_VECTOR * (num & 31) + i] = bits_unknown();
	if (machine->sequence.active && !is_lower)
		arm64_sequence_told(machine);
}

static bool translate_rows(const struct arm64_row *row, struct exec_op *op)
{
	for (; row->operands; row++)
		if ((op->enc & row->mask) == row->match) {
			op->run = row->run[op->enc >> 31];
			op->width = row->width;
			op->extra = row->extra;
			row->operands(op);
			return op->run != NULL;
		}
	return false;
}

/* Scalar floating point, and vectors and their scalars. */
static bool translate_numbers(struct exec_op *op)
{
	if ((op->enc & 0x5e000000) == 0x1e000000)
		return translate_rows(arm64_scalar_rows, op) ||
		       translate_rows(arm64_scalar_convert_rows, op);
	return translate_rows(arm64_vector_rows, op) || translate_rows(arm64_float_rows, op) ||
	       translate_rows(arm64_convert_rows, op) || translate_rows(arm64_permute_rows, op) ||
	       translate_rows(arm64_crypto_rows, op);
}

static bool arm64_translate(const struct cairn_machine *machine, const struct cairn_op *decoded,
                            struct exec_op *op)
{
	(void)machine;
	(void)decoded;
	switch (op->enc >> 25 & 15) {
	case 2:
		return translate_rows(arm64_sve_count_rows, op) || arm64_translate_sve(op);
	case 4:
	case 6:
	case 12:
	case 14:
		return arm64_translate_memory(op);
	case 5:
	case 8:
	case 9:
	case 13:
		return translate_rows(arm64_integer_rows, op);
	case 10:
	case 11:
		return translate_rows(arm64_control_rows, op);
	case 7:
	case 15:
		return translate_numbers(op);
	default:
		return false;
	}
}

static unsigned arm64_vector_bits(unsigned told)
{
	return told % 128 == 0 && told <= ARM64_MOST_VECTOR_BITS ? told : 0;
}

/* What Advanced SIMD has of a vector stays. */
static void arm64_vector_bits_changed(struct cairn_machine *machine)
{
	for (unsigned i = 0; i < 32 * ARM64_VECTOR; i++)
		if (i % ARM64_VECTOR > 1)
			machine->word[ARM64_V + i] = bits_unknown();
	for (unsigned i = ARM64_P; i < ARM64_ALL_WORDS; i++)
		machine->word[i] = bits_unknown();
}

/* Without SVE the lowest two words of each vector. */
static struct exec_live arm64_live(const struct cairn_machine *machine)
{
	if (machine->vector_bits)
		return (struct exec_live){.first = ARM64_ALL_WORDS};
	return (struct exec_live){ARM64_V, 32, ARM64_VECTOR, 2};
}

const struct exec_set exec_arm64 = {.live = arm64_live,
                                    .vector_bits = arm64_vector_bits,
                                    .vector_bits_changed = arm64_vector_bits_changed,
                                    .translate = arm64_translate,
                                    .changed = arm64_changed,
                                    .place = arm64_place};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE: what its files share, and which row runs an encoding.
 */
#include "exec/arm64_sve.h"

void sve_put(struct cairn_machine *machine, unsigned word, const struct sve_vector *vector)
{
	exec_put_words(machine, word, CAIRN_REG_VECTOR, ISA_ARM64_Z0 + (word - ARM64_V) / ARM64_VECTOR,
	               vector->word, machine->vector_bits / 64);
}

void sve_put_predicate(struct cairn_machine *machine, unsigned word,
                       const struct sve_predicate *predicate)
{
	unsigned bits = machine->vector_bits / 8;
	exec_put_words(machine, word, CAIRN_REG_PREDICATE, (word - ARM64_P) / ARM64_PREDICATE,
	               predicate->word, (bits + 63) / 64);
}

void sve_put_scalar(struct cairn_machine *machine, unsigned word, unsigned size,
                    struct exec_bits bits)
{
	struct exec_bits to[2] = {bits_zero_extend(bits, 8 * size), bits_known(0)};
	arm64_put_vector(machine, word, to);
}

void sve_test(struct cairn_machine *machine, const struct exec_bits *governing,
              const struct sve_predicate *predicate, unsigned size)
{
	struct exec_bits first = bits_known(0), last = bits_known(0), any = bits_known(0);
	struct exec_bits met = bits_known(0), one = bits_known(1);
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		unsigned at = i * size;
		struct exec_bits active =
			governing ? bits_and(bits_right(governing[at / 64], at % 64), one) : one;
		struct exec_bits holds = bits_and(bits_right(predicate->word[at / 64], at % 64), one);
		struct exec_bits both = bits_and(active, holds);
		first = bits_choose(bits_and(active, bits_xor(met, one)), holds, first);
		last = bits_choose(active, holds, last);
		any = bits_or(any, both);
		met = bits_or(met, active);
	}
	struct exec_bits flags = bits_left(bits_and(first, one), 3);
	flags = bits_or(flags, bits_left(bits_xor(any, one), 2));
	flags = bits_or(flags, bits_left(bits_xor(last, one), 1));
	arm64_put_flags(machine, flags);
}

static void run_without_length(struct cairn_machine *machine, const struct exec_op *op)
{
	struct isa_written written;
	isa_written(machine->isa, op->enc, op->size, &written);
	if (exec_told(machine, CAIRN_MEM_WRITE, 0))
		written.store = ISA_STORES_NOT; /* the trace's stores are made */
	exec_undetermined(machine, "the length of vectors is not known");
	exec_forget_written(machine, &written);
}

static void run_with_length(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	if (machine->vector_bits)
		row->run(machine, op);
	else
		run_without_length(machine, op);
}

static const struct sve_row *row_of(const struct sve_row *row, uint32_t enc)
{
	while (row->run && (enc & row->mask) != row->match)
		row++;
	return row->run ? row : NULL;
}

/* Floating point of elements of 8 bits has been given to bfloat16 (FEAT_SVE_B16B16). */
static bool is_bfloat(const struct sve_row *row, uint32_t enc)
{
	const uint32_t size = 3 << 22;
	return enc >> 25 == 0x32 && !(row->mask & size) && !(enc & size);
}

bool arm64_translate_sve(struct exec_op *op)
{
	static const struct sve_row *const tables[] = {
		arm64_sve_integer_rows,      arm64_sve_permute_rows, arm64_sve_predicate_rows,
		arm64_sve_count_vector_rows, arm64_sve_float_rows,   arm64_sve_convert_rows,
		arm64_sve_function_rows,     arm64_sve2_rows,        arm64_sve2_complex_rows,
		arm64_sve2_bits_rows,        arm64_sve2_float_rows,  arm64_sve_crypto_rows};
	const struct sve_row *row = op->enc >> 31 ? arm64_sve_memory(op->enc) : NULL;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && !row; i++)
		row = row_of(tables[i], op->enc);
	if (!row || is_bfloat(row, op->enc))
		return false;
	op->row = row;
	op->extra = row->extra;
	op->width = (uint8_t)sve_size(op);
	op->run = run_with_length;
	return true;
}

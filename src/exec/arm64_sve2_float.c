/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE2: floating point of neighbours, sums of products of numbers half as wide, bfloat16, matrices.
 */
#include "exec/arm64_sve_float.h"

/* `extra` of a row, beside what is the computation's. */
enum { OF_BFLOAT = 4 };

/* faddp …: neighbours of zdn at even places, and of zm at odd ones. */
static void run_pairs(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		unsigned word = sve_z(op, i & 1 ? 5 : 0);
		const struct exec_bits operands[2] = {sve_float_lane(&floats, word, i & ~1u),
		                                      sve_float_lane(&floats, word, i | 1)};
		arm64_set_lane(to.word, op->width, i,
		               sve_compute_one(&floats, op->width, sve_float_active(&floats, i), operands,
		                               2, sve_float_lane(&floats, sve_z(op, 0), i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* The second operands of numbers of 16 bits that make one of 32: by bit 15 each its own, else one of
 * each 128 bits. */
static unsigned second_index(const struct exec_op *op, unsigned i, unsigned *word)
{
	struct sve_chosen chosen = sve_choose(op, false);
	bool own = arm64_field(op, 15, 15);
	*word = own ? sve_z(op, 16) : chosen.word;
	return own ? 2 * i + arm64_field(op, 10, 10)
	           : i / 4 * 8 + (chosen.index << 1 | arm64_field(op, 11, 11));
}

/* fmlalb …, bfmlalb …: products of the bottom or the top elements, which are exact, are added. */
static void run_widening(struct cairn_machine *machine, const struct exec_op *op)
{
	struct float_env half;
	bool half_modes = arm64_float_modes(machine, 2, &half), bfloat = op->extra & OF_BFLOAT;
	struct sve_floats floats = sve_floats_begin(machine, op, 4);
	struct sve_vector to = {0};
	floats.modes &= bfloat || half_modes;
	for (unsigned i = 0; i < sve_elements(machine, 4); i++) {
		unsigned word, other = second_index(op, i, &word);
		struct exec_bits operands[3] = {
			arm64_lane(machine, sve_z(op, 5), 2, 2 * i + arm64_field(op, 10, 10)),
			arm64_lane(machine, word, 2, other), arm64_lane(machine, sve_z(op, 0), 4, i)};
		for (unsigned k = 0; k < 2; k++)
			if (bfloat)
				operands[k] = bits_left(operands[k], 16);
			else if (bits_all(operands[k]))
				operands[k].value = arm64_widened(operands[k].value, half.flush_inputs);
		arm64_set_lane(to.word, 4, i,
		               sve_compute_one(&floats, 4, bits_known(1), operands, 3, bits_unknown()));
	}
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

/* bfdot. Bit 15: the second operands are each their own, else one of each 128 bits. */
static void run_bfloat_dot(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_chosen chosen = sve_choose(op, false);
	bool own = arm64_field(op, 15, 15);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, 4); i++)
		arm64_set_lane(to.word, 4, i,
		               arm64_bfloat_dot(machine, arm64_lane(machine, sve_z(op, 0), 4, i),
		                                arm64_lane(machine, sve_z(op, 5), 4, i),
		                                arm64_lane(machine, own ? sve_z(op, 16) : chosen.word, 4,
		                                           own ? i : i / 4 * 4 + chosen.index)));
	sve_put(machine, sve_z(op, 0), &to);
}

/* bfmmla: of each 128 bits, matrices of two rows of four elements make one of two by two. */
static void run_bfloat_matrix(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, 4); i++) {
		struct exec_bits sum = arm64_lane(machine, sve_z(op, 0), 4, i);
		for (unsigned k = 0; k < 2; k++)
			sum = arm64_bfloat_dot(
				machine, sum, arm64_lane(machine, sve_z(op, 5), 4, (i & ~1u) + k),
				arm64_lane(machine, sve_z(op, 16), 4, (i & ~3u) + 2 * (i & 1) + k));
		arm64_set_lane(to.word, 4, i, sum);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* One element of a product of matrices of two by two, added to what is there: both products are
 * rounded, then their sum, then all. */
static uint64_t matrix_element(struct float_env *env, const struct float_format *format,
                               const uint64_t *number, const struct exec_op *op)
{
	uint64_t first = float_multiply(env, format, number[0], number[1]);
	uint64_t second = float_multiply(env, format, number[2], number[3]);
	(void)op;
	return float_add(env, format, number[4], float_add(env, format, first, second));
}

/* fmmla: four elements are a matrix; those that are no whole one become 0. */
static void run_matrix(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned n = sve_elements(machine, op->width) & ~3u;
	struct sve_floats floats = sve_floats_begin(machine, op, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < n; i++) {
		unsigned row = i & ~1u, column = (i & ~3u) + 2 * (i & 1);
		const struct exec_bits operands[5] = {sve_float_lane(&floats, sve_z(op, 5), row),
		                                      sve_float_lane(&floats, sve_z(op, 16), column),
		                                      sve_float_lane(&floats, sve_z(op, 5), row + 1),
		                                      sve_float_lane(&floats, sve_z(op, 16), column + 1),
		                                      sve_float_lane(&floats, sve_z(op, 0), i)};
		arm64_set_lane(
			to.word, op->width, i,
			sve_compute_one(&floats, op->width, bits_known(1), operands, 5, bits_unknown()));
	}
	for (unsigned i = n * op->width / 8; i < ARM64_VECTOR; i++)
		to.word[i] = bits_known(0);
	sve_put(machine, sve_z(op, 0), &to);
	sve_floats_end(&floats);
}

static arm64_compute *const compute_matrix_element = matrix_element;

#define ROW(mask, match, run, extra, compute) \
	{ \
		mask, match, run, NULL, extra, &compute, NULL \
	}
#define PAIRS(match, compute, extra) ROW(0xff3fe000, match, run_pairs, extra, compute)
#define WIDENING(match, extra) \
	ROW(0xffe0f800, (match) | 0x8000, run_widening, extra, arm64_fma), \
		ROW(0xffe0f000, (match) | 0x4000, run_widening, extra, arm64_fma)
#define OTHER(mask, match, run) \
	{ \
		mask, match, run, NULL, 0, NULL, NULL \
	}

const struct sve_row arm64_sve2_float_rows[] = {
	PAIRS(0x64108000, arm64_fadd, 0),
	PAIRS(0x64148000, arm64_minmax, MAXNM),
	PAIRS(0x64158000, arm64_minmax, MINNM),
	PAIRS(0x64168000, arm64_minmax, MAX),
	PAIRS(0x64178000, arm64_minmax, MIN),
	WIDENING(0x64a00000, 0),
	WIDENING(0x64a02000, MINUS_PRODUCT),
	WIDENING(0x64e00000, OF_BFLOAT),
	OTHER(0xffe0fc00, 0x64608000, run_bfloat_dot),
	OTHER(0xffe0fc00, 0x64604000, run_bfloat_dot),
	OTHER(0xffe0fc00, 0x6460e400, run_bfloat_matrix),
	ROW(0xffa0fc00, 0x64a0e400, run_matrix, 0, compute_matrix_element),
	{0}};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE2: complex numbers of integers, of which the real part is at an even place and the imaginary one
 * behind it; long sums with carries; and exclusive or of neighbours.
 */
#include "exec/arm64_lane.h"
#include "exec/arm64_sve.h"

static struct exec_bits signed_element(const struct cairn_machine *machine, unsigned word,
                                       unsigned size, unsigned index)
{
	return bits_sign_extend(arm64_lane(machine, word, size, index), 8 * size);
}

/* cadd, sqcadd: zm is turned by 90 degrees or, with bit 10, by 270. */
static void run_add(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	struct exec_op steps[2] = {*op, *op};
	bool three_quarters = arm64_field(op, 10, 10);
	struct sve_vector to = {0};
	steps[1].extra |= SUBTRACT;
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		bool imaginary = i & 1, subtracts = imaginary == three_quarters;
		struct arm64_lane lane = {.op = &steps[subtracts],
		                          .bits = 8u * op->width,
		                          .from = 8u * op->width};
		struct exec_bits a = signed_element(machine, sve_z(op, 0), op->width, i);
		struct exec_bits b = signed_element(machine, sve_z(op, 5), op->width, i ^ 1);
		arm64_set_lane(to.word, op->width, i, row->element(&lane, a, b, a));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* cmla, sqrdcmlah: the product is turned as often by 90 degrees as bits 11 and 10 say. Its second
 * factor lies beside the first or, `chosen`, is one of each 128 bits. */
static void multiply_add(struct cairn_machine *machine, const struct exec_op *op, unsigned size,
                         const struct sve_chosen *chosen)
{
	const struct sve_row *row = op->row;
	unsigned turns = arm64_field(op, 11, 10), odd = turns & 1, per_segment = 16 / size;
	unsigned second = chosen ? chosen->word : sve_z(op, 16);
	struct exec_op steps[2] = {*op, *op};
	struct sve_vector to = {0};
	steps[1].extra |= SUBTRACT;
	for (unsigned i = 0; i < sve_elements(machine, size); i++) {
		bool imaginary = i & 1, subtracts = imaginary ? turns >= 2 : turns == 1 || turns == 2;
		unsigned pair = chosen ? i / per_segment * per_segment + 2 * chosen->index : i & ~1u;
		struct arm64_lane lane = {.op = &steps[subtracts], .bits = 8 * size, .from = 8 * size};
		struct exec_bits made =
			row->element(&lane, signed_element(machine, sve_z(op, 5), size, (i & ~1u) + odd),
		                 signed_element(machine, second, size, pair + (imaginary != odd)),
		                 signed_element(machine, sve_z(op, 0), size, i));
		arm64_set_lane(to.word, size, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_multiply_add(struct cairn_machine *machine, const struct exec_op *op)
{
	multiply_add(machine, op, op->width, NULL);
}

static void run_multiply_add_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	bool is_word = arm64_field(op, 22, 22);
	struct sve_chosen chosen = sve_choose(op, is_word);
	multiply_add(machine, op, is_word ? 4 : 2, &chosen);
}

/* cdot: the real or the imaginary part of two products, in an element four times as wide. */
static void dot(struct cairn_machine *machine, const struct exec_op *op,
                const struct sve_chosen *chosen)
{
	unsigned turns = arm64_field(op, 11, 10), part = op->width / 4u, per_segment = 16u / op->width;
	unsigned second = chosen ? chosen->word : sve_z(op, 16), odd = turns & 1;
	bool subtracts = turns == 0 || turns == 3;
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		unsigned other = chosen ? i / per_segment * per_segment + chosen->index : i;
		struct exec_bits sum = arm64_lane(machine, sve_z(op, 0), op->width, i);
		for (unsigned k = 0; k < 4; k++) {
			struct exec_bits a = signed_element(machine, sve_z(op, 5), part, 4 * i + k);
			struct exec_bits b = signed_element(machine, second, part, 4 * other + (k ^ odd));
			struct exec_bits product = bits_multiply(a, b);
			sum = k & 1 && subtracts ? bits_sub(sum, product) : bits_add(sum, product);
		}
		arm64_set_lane(to.word, op->width, i, sum);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_dot(struct cairn_machine *machine, const struct exec_op *op)
{
	dot(machine, op, NULL);
}

static void run_dot_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_chosen chosen = sve_choose(op, op->width == 8);
	dot(machine, op, &chosen);
}

/* ---- carries ---- */

/* adclb …: of pairs of elements, the lower one of zda and, of zn, the one that bit 10 says; the carry
 * comes in from zm's upper one and goes out to zda's. Bit 23: zn is inverted. */
static void run_carry(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned size = arm64_field(op, 22, 22) ? 8 : 4, top = arm64_field(op, 10, 10);
	struct exec_bits one = bits_known(1);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, size); i += 2) {
		struct exec_bits a = arm64_lane(machine, sve_z(op, 0), size, i);
		struct exec_bits b = arm64_lane(machine, sve_z(op, 5), size, i + top);
		struct exec_bits in = bits_and(arm64_lane(machine, sve_z(op, 16), size, i + 1), one);
		if (arm64_field(op, 23, 23))
			b = bits_zero_extend(bits_not(b), 8 * size);
		struct exec_bits sum = bits_add(bits_add(a, b), in), carry = bits_right(sum, 32);
		if (size == 8) /* out of the topmost bit: two ones, or one and no one left */
			carry = bits_right(bits_or(bits_and(a, b), bits_and(bits_or(a, b), bits_not(sum))), 63);
		arm64_set_lane(to.word, size, i, sum);
		arm64_set_lane(to.word, size, i + 1, carry);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* eorbt, eortb: of zn's elements at even places and zm's at odd ones, or the other way round. */
static void run_exclusive(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned first = arm64_field(op, 10, 10);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		unsigned pair = i & ~1u;
		struct exec_bits made = arm64_lane(machine, sve_z(op, 0), op->width, i);
		if ((i & 1) == first)
			made = bits_xor(arm64_lane(machine, sve_z(op, 5), op->width, pair + first),
			                arm64_lane(machine, sve_z(op, 16), op->width, pair + !first));
		arm64_set_lane(to.word, op->width, i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

#define ROW(mask, match, run, value, extra) \
	{ \
		mask, match, run, NULL, extra, NULL, value \
	}

const struct sve_row arm64_sve2_complex_rows[] = {
	ROW(0xff3ff800, 0x4500d800, run_add, arm64_value_sum, 0),
	ROW(0xff3ff800, 0x4501d800, run_add, arm64_value_saturated_sum, 0),
	ROW(0xff20f000, 0x44002000, run_multiply_add, arm64_value_mul, ACCUMULATE),
	ROW(0xff20f000, 0x44003000, run_multiply_add, arm64_value_doubled_high, ROUND | ACCUMULATE),
	ROW(0xffa0f000, 0x44a06000, run_multiply_add_by_element, arm64_value_mul, ACCUMULATE),
	ROW(0xffa0f000, 0x44a07000, run_multiply_add_by_element, arm64_value_doubled_high,
        ROUND | ACCUMULATE),
	ROW(0xffa0f000, 0x44801000, run_dot, NULL, 0),
	ROW(0xffa0f000, 0x44a04000, run_dot_by_element, NULL, 0),
	ROW(0xff20f800, 0x4500d000, run_carry, NULL, 0),
	ROW(0xff20f800, 0x45009000, run_exclusive, NULL, 0),
	{0}};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SVE2: integers, element by element, by what Advanced SIMD makes of them (arm64_lane.h). Of elements
 * half as wide those with even numbers are the bottom, and those with odd numbers the top.
 *
 * What saturates leaves no flag here.
 */
#include "exec/arm64_lane.h"
#include "exec/arm64_sve.h"

static struct arm64_lane lane_of(const struct exec_op *op, unsigned size, unsigned from)
{
	return (struct arm64_lane){.op = op,
	                           .bits = 8 * size,
	                           .from = 8 * from,
	                           .is_unsigned = !(op->extra & SIGNED)};
}

static struct exec_bits element_at(const struct cairn_machine *machine,
                                   const struct arm64_lane *lane, unsigned word, unsigned size,
                                   unsigned index)
{
	return arm64_lane_extended(lane, arm64_lane(machine, word, size, index), 8 * size);
}

/* Results half as wide: the bottom ones leave 0 at the top, the top ones what is at the bottom. */
static struct sve_vector narrow_start(const struct cairn_machine *machine, const struct exec_op *op,
                                      bool top)
{
	struct sve_vector to;
	for (unsigned i = 0; i < ARM64_VECTOR; i++)
		to.word[i] = top ? machine->word[sve_z(op, 0) + i] : bits_known(0);
	return to;
}

/* ---- of zn, zm and zd ---- */

/* Where operands half as wide lie, and whether the second is one of each 128 bits. */
struct places {
	unsigned second; /* its register */
	bool first_top, second_top;
	bool indexed;
	unsigned index;
};

/* `width` is that of the wider elements. */
static void three(struct cairn_machine *machine, const struct exec_op *op,
                  const struct places *places)
{
	const struct sve_row *row = op->row;
	unsigned shape = op->extra & SHAPE, wide = op->width, half = wide / 2;
	unsigned size = shape == NARROW ? half : wide, first = shape == LONG ? half : wide;
	unsigned second = shape == LONG || shape == WIDE ? half : wide;
	struct arm64_lane lane = lane_of(op, size, first);
	struct sve_vector to = {0};
	if (shape == NARROW)
		to = narrow_start(machine, op, places->first_top);
	for (unsigned i = 0; i < sve_elements(machine, wide); i++) {
		unsigned at = shape == LONG ? 2 * i + places->first_top : i;
		unsigned other = second < wide ? 2 * i + places->second_top : i;
		if (places->indexed)
			other = i * wide / 16 * (16 / second) + places->index;
		struct exec_bits made =
			row->element(&lane, element_at(machine, &lane, sve_z(op, 5), first, at),
		                 element_at(machine, &lane, places->second, second, other),
		                 element_at(machine, &lane, sve_z(op, 0), wide, i));
		arm64_set_lane(to.word, size, shape == NARROW ? 2 * i + places->first_top : i, made);
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* Bit 10: the top, where operands are half as wide. */
static void run_three(struct cairn_machine *machine, const struct exec_op *op)
{
	bool top = arm64_field(op, 10, 10);
	three(machine, op,
	      &(struct places){.second = sve_z(op, 16), .first_top = top, .second_top = top});
}

static void run_bottom_top(struct cairn_machine *machine, const struct exec_op *op)
{
	three(machine, op, &(struct places){.second = sve_z(op, 16), .second_top = true});
}

static void run_top_bottom(struct cairn_machine *machine, const struct exec_op *op)
{
	three(machine, op, &(struct places){.second = sve_z(op, 16), .first_top = true});
}

/* Halfwords have one bit more of the number in bit 22. */
static void run_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op sized = *op;
	bool is_half = !arm64_field(op, 23, 23);
	struct sve_chosen chosen = sve_choose(op, op->width == 8);
	if (is_half) {
		sized.width = 2;
		chosen.index |= arm64_field(op, 22, 22) << 2;
	}
	three(machine, &sized,
	      &(struct places){.second = chosen.word, .indexed = true, .index = chosen.index});
}

static void run_long_by_element(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_chosen chosen = sve_choose(op, op->width == 8);
	three(machine, op,
	      &(struct places){.second = chosen.word,
	                       .first_top = arm64_field(op, 10, 10),
	                       .indexed = true,
	                       .index = chosen.index << 1 | arm64_field(op, 11, 11)});
}

/* pmullb, pmullt of 64 bits. */
static void run_polynomial(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned top = arm64_field(op, 10, 10);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, 16); i++)
		arm64_carryless(machine->word[sve_z(op, 5) + 2 * i + top],
		                machine->word[sve_z(op, 16) + 2 * i + top], &to.word[2 * i]);
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- where pg is active ---- */

/* zdn and zm; reversed: zm and zdn. */
static void merging(struct cairn_machine *machine, const struct exec_op *op, bool reversed)
{
	const struct sve_row *row = op->row;
	struct arm64_lane lane = lane_of(op, op->width, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = element_at(machine, &lane, sve_z(op, 0), op->width, i);
		struct exec_bits other = element_at(machine, &lane, sve_z(op, 5), op->width, i);
		struct exec_bits made =
			reversed ? row->element(&lane, other, old, old) : row->element(&lane, old, other, old);
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, made, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static void run_merging(struct cairn_machine *machine, const struct exec_op *op)
{
	merging(machine, op, false);
}

/* What has one operand is one of these. */
static void run_reversed(struct cairn_machine *machine, const struct exec_op *op)
{
	merging(machine, op, true);
}

/* Neighbours of zdn at even places, and of zm at odd ones. */
static void run_pairs(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	struct arm64_lane lane = lane_of(op, op->width, op->width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		unsigned word = sve_z(op, i & 1 ? 5 : 0);
		struct exec_bits old = element_at(machine, &lane, sve_z(op, 0), op->width, i);
		struct exec_bits made =
			row->element(&lane, element_at(machine, &lane, word, op->width, i & ~1u),
		                 element_at(machine, &lane, word, op->width, i | 1), old);
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, made, old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* sadalp, uadalp: neighbours half as wide are added to an element. */
static void run_pairs_long(struct cairn_machine *machine, const struct exec_op *op)
{
	unsigned half = op->width / 2u;
	struct arm64_lane lane = lane_of(op, op->width, half);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, op->width); i++) {
		struct exec_bits old = arm64_lane(machine, sve_z(op, 0), op->width, i);
		struct exec_bits sum = bits_add(element_at(machine, &lane, sve_z(op, 5), half, 2 * i),
		                                element_at(machine, &lane, sve_z(op, 5), half, 2 * i + 1));
		struct exec_bits active = sve_active(machine, sve_governing(op), op->width, i);
		arm64_set_lane(to.word, op->width, i, bits_choose(active, bits_add(old, sum), old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* urecpe, ursqrte. */
static void run_estimate(struct cairn_machine *machine, const struct exec_op *op)
{
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, 4); i++) {
		struct exec_bits active = sve_active(machine, sve_governing(op), 4, i);
		struct exec_bits made = arm64_integer_estimate(arm64_lane(machine, sve_z(op, 5), 4, i),
		                                               arm64_field(op, 16, 16));
		arm64_set_lane(to.word, 4, i,
		               bits_choose(active, made, arm64_lane(machine, sve_z(op, 0), 4, i)));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* ---- shifts by a constant ---- */

/* A copy of the step with the places of the shift in rs2. */
static struct exec_op shift_of(const struct exec_op *op, unsigned tsz_and_low, bool to_the_right)
{
	struct exec_op shift = *op;
	sve_take_places(&shift, tsz_and_low, to_the_right);
	shift.rs2 = (uint16_t)shift.imm;
	return shift;
}

static void run_shift_merging(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	bool to_the_left = arm64_field(op, 17, 17);
	struct exec_op shift =
		shift_of(op, arm64_field(op, 23, 22) << 5 | arm64_field(op, 9, 5), !to_the_left);
	struct arm64_lane lane = lane_of(&shift, shift.width, shift.width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, shift.width); i++) {
		struct exec_bits old = element_at(machine, &lane, sve_z(op, 0), shift.width, i);
		struct exec_bits active = sve_active(machine, sve_governing(op), shift.width, i);
		arm64_set_lane(to.word, shift.width, i,
		               bits_choose(active, row->element(&lane, old, old, old), old));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* Of zn, and of what zd has. Only sli goes to the left. */
static void run_shift(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	bool to_the_left = arm64_field(op, 15, 10) == 0x3d;
	struct exec_op shift =
		shift_of(op, arm64_field(op, 23, 22) << 5 | arm64_field(op, 20, 16), !to_the_left);
	struct arm64_lane lane = lane_of(&shift, shift.width, shift.width);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, shift.width); i++) {
		struct exec_bits a = element_at(machine, &lane, sve_z(op, 5), shift.width, i);
		struct exec_bits c = element_at(machine, &lane, sve_z(op, 0), shift.width, i);
		arm64_set_lane(to.word, shift.width, i, row->element(&lane, a, a, c));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

static unsigned short_places(const struct exec_op *op)
{
	return arm64_field(op, 22, 22) << 5 | arm64_field(op, 20, 16);
}

/* sshllb …: to elements twice as wide. */
static void run_shift_long(struct cairn_machine *machine, const struct exec_op *op)
{
	const struct sve_row *row = op->row;
	struct exec_op shift = shift_of(op, short_places(op), false);
	unsigned half = shift.width, wide = 2 * half;
	struct arm64_lane lane = lane_of(&shift, wide, half);
	struct sve_vector to = {0};
	for (unsigned i = 0; i < sve_elements(machine, wide); i++) {
		struct exec_bits a =
			element_at(machine, &lane, sve_z(op, 5), half, 2 * i + arm64_field(op, 10, 10));
		arm64_set_lane(to.word, wide, i, row->element(&lane, a, a, a));
	}
	sve_put(machine, sve_z(op, 0), &to);
}

/* To elements half as wide. */
static void narrow(struct cairn_machine *machine, const struct exec_op *shift)
{
	const struct sve_row *row = shift->row;
	unsigned half = shift->width, wide = 2 * half;
	bool top = arm64_field(shift, 10, 10);
	struct arm64_lane lane = lane_of(shift, half, wide);
	struct sve_vector to = narrow_start(machine, shift, top);
	for (unsigned i = 0; i < sve_elements(machine, wide); i++) {
		struct exec_bits a = element_at(machine, &lane, sve_z(shift, 5), wide, i);
		arm64_set_lane(to.word, half, 2 * i + top, row->element(&lane, a, a, a));
	}
	sve_put(machine, sve_z(shift, 0), &to);
}

static void run_shift_narrow(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op shift = shift_of(op, short_places(op), true);
	narrow(machine, &shift);
}

/* sqxtnb …: nothing is shifted. */
static void run_narrow(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_op shift = shift_of(op, short_places(op), true);
	shift.rs2 = 0;
	narrow(machine, &shift);
}

/* ---- the table ---- */

#define ROW(mask, match, run, value, extra) \
	{ \
		mask, match, run, NULL, extra, NULL, arm64_value_##value \
	}
#define THREE(match, value, extra) ROW(0xff20fc00, match, run_three, value, extra)
#define BOTTOM_AND_TOP(match, value, extra) ROW(0xff20f800, match, run_three, value, extra)
#define BY_ELEMENT(match, value, extra) ROW(0xff20fc00, match, run_by_element, value, extra)
#define LONG_BY_ELEMENT(match, value, extra) \
	ROW(0xffa0f000, match, run_long_by_element, value, LONG | (extra))
#define MERGING(match, value, extra) ROW(0xff3fe000, match, run_merging, value, extra)
#define REVERSED(match, value, extra) ROW(0xff3fe000, match, run_reversed, value, extra)
#define PAIRS(match, value, extra) ROW(0xff3fe000, match, run_pairs, value, extra)
#define SHIFT(match, value, extra) ROW(0xff20fc00, match, run_shift, value, extra)
#define SHIFT_MERGING(match, value, extra) ROW(0xff3fe000, match, run_shift_merging, value, extra)
#define SHIFT_NARROW(match, extra) ROW(0xffa0f800, match, run_shift_narrow, narrow, extra)
#define NARROWER(match, extra) ROW(0xffa7f800, match, run_narrow, narrow, extra)

const struct sve_row arm64_sve2_rows[] = {
	/* alike */
	THREE(0x04206000, mul, 0),
	ROW(0xffe0fc00, 0x04206400, run_three, pmul, 0),
	THREE(0x04207000, doubled_high, SIGNED),
	THREE(0x04207400, doubled_high, SIGNED | ROUND),
	THREE(0x44007000, doubled_high, SIGNED | ROUND | ACCUMULATE),
	THREE(0x44007400, doubled_high, SIGNED | ROUND | ACCUMULATE | SUBTRACT),
	THREE(0x4500f800, difference, SIGNED | ACCUMULATE),
	THREE(0x4500fc00, difference, ACCUMULATE),
	/* half as wide */
	BOTTOM_AND_TOP(0x45000000, sum, LONG | SIGNED),
	BOTTOM_AND_TOP(0x45000800, sum, LONG),
	BOTTOM_AND_TOP(0x45001000, sum, LONG | SIGNED | SUBTRACT),
	BOTTOM_AND_TOP(0x45001800, sum, LONG | SUBTRACT),
	BOTTOM_AND_TOP(0x45003000, difference, LONG | SIGNED),
	BOTTOM_AND_TOP(0x45003800, difference, LONG),
	BOTTOM_AND_TOP(0x45004000, sum, WIDE | SIGNED),
	BOTTOM_AND_TOP(0x45004800, sum, WIDE),
	BOTTOM_AND_TOP(0x45005000, sum, WIDE | SIGNED | SUBTRACT),
	BOTTOM_AND_TOP(0x45005800, sum, WIDE | SUBTRACT),
	BOTTOM_AND_TOP(0x45006000, doubled, LONG | SIGNED),
	ROW(0xff60f800, 0x45406800, run_three, pmul, LONG),
	ROW(0xffe0f800, 0x45006800, run_polynomial, pmul, 0),
	BOTTOM_AND_TOP(0x45007000, mul, LONG | SIGNED),
	BOTTOM_AND_TOP(0x45007800, mul, LONG),
	ROW(0xff20fc00, 0x45008000, run_bottom_top, sum, LONG | SIGNED),
	ROW(0xff20fc00, 0x45008800, run_bottom_top, sum, LONG | SIGNED | SUBTRACT),
	ROW(0xff20fc00, 0x45008c00, run_top_bottom, sum, LONG | SIGNED | SUBTRACT),
	BOTTOM_AND_TOP(0x4500c000, difference, LONG | SIGNED | ACCUMULATE),
	BOTTOM_AND_TOP(0x4500c800, difference, LONG | ACCUMULATE),
	BOTTOM_AND_TOP(0x44004000, mul, LONG | SIGNED | ACCUMULATE),
	BOTTOM_AND_TOP(0x44004800, mul, LONG | ACCUMULATE),
	BOTTOM_AND_TOP(0x44005000, mul, LONG | SIGNED | ACCUMULATE | SUBTRACT),
	BOTTOM_AND_TOP(0x44005800, mul, LONG | ACCUMULATE | SUBTRACT),
	BOTTOM_AND_TOP(0x44006000, doubled, LONG | SIGNED | ACCUMULATE),
	BOTTOM_AND_TOP(0x44006800, doubled, LONG | SIGNED | ACCUMULATE | SUBTRACT),
	ROW(0xff20fc00, 0x44000800, run_bottom_top, doubled, LONG | SIGNED | ACCUMULATE),
	ROW(0xff20fc00, 0x44000c00, run_bottom_top, doubled, LONG | SIGNED | ACCUMULATE | SUBTRACT),
	/* twice as wide */
	BOTTOM_AND_TOP(0x45206000, high, NARROW),
	BOTTOM_AND_TOP(0x45206800, high, NARROW | ROUND),
	BOTTOM_AND_TOP(0x45207000, high, NARROW | SUBTRACT),
	BOTTOM_AND_TOP(0x45207800, high, NARROW | SUBTRACT | ROUND),
	/* by one element */
	BY_ELEMENT(0x44200800, mul, ACCUMULATE),
	BY_ELEMENT(0x44200c00, mul, ACCUMULATE | SUBTRACT),
	BY_ELEMENT(0x44201000, doubled_high, SIGNED | ROUND | ACCUMULATE),
	BY_ELEMENT(0x44201400, doubled_high, SIGNED | ROUND | ACCUMULATE | SUBTRACT),
	BY_ELEMENT(0x4420f000, doubled_high, SIGNED),
	BY_ELEMENT(0x4420f400, doubled_high, SIGNED | ROUND),
	BY_ELEMENT(0x4420f800, mul, 0),
	LONG_BY_ELEMENT(0x44a02000, doubled, SIGNED | ACCUMULATE),
	LONG_BY_ELEMENT(0x44a03000, doubled, SIGNED | ACCUMULATE | SUBTRACT),
	LONG_BY_ELEMENT(0x44a08000, mul, SIGNED | ACCUMULATE),
	LONG_BY_ELEMENT(0x44a09000, mul, ACCUMULATE),
	LONG_BY_ELEMENT(0x44a0a000, mul, SIGNED | ACCUMULATE | SUBTRACT),
	LONG_BY_ELEMENT(0x44a0b000, mul, ACCUMULATE | SUBTRACT),
	LONG_BY_ELEMENT(0x44a0c000, mul, SIGNED),
	LONG_BY_ELEMENT(0x44a0d000, mul, 0),
	LONG_BY_ELEMENT(0x44a0e000, doubled, SIGNED),
	/* by a predicate */
	MERGING(0x44028000, shift_by_element, SIGNED | ROUND),
	MERGING(0x44038000, shift_by_element, ROUND),
	REVERSED(0x44068000, shift_by_element, SIGNED | ROUND),
	REVERSED(0x44078000, shift_by_element, ROUND),
	MERGING(0x44088000, shift_by_element, SIGNED | SATURATE),
	MERGING(0x44098000, shift_by_element, SATURATE),
	MERGING(0x440a8000, shift_by_element, SIGNED | ROUND | SATURATE),
	MERGING(0x440b8000, shift_by_element, ROUND | SATURATE),
	REVERSED(0x440c8000, shift_by_element, SIGNED | SATURATE),
	REVERSED(0x440d8000, shift_by_element, SATURATE),
	REVERSED(0x440e8000, shift_by_element, SIGNED | ROUND | SATURATE),
	REVERSED(0x440f8000, shift_by_element, ROUND | SATURATE),
	MERGING(0x44108000, half, SIGNED),
	MERGING(0x44118000, half, 0),
	MERGING(0x44128000, half, SIGNED | SUBTRACT),
	MERGING(0x44138000, half, SUBTRACT),
	MERGING(0x44148000, half, SIGNED | ROUND),
	MERGING(0x44158000, half, ROUND),
	REVERSED(0x44168000, half, SIGNED | SUBTRACT),
	REVERSED(0x44178000, half, SUBTRACT),
	MERGING(0x44188000, saturated_sum, SIGNED),
	MERGING(0x44198000, saturated_sum, 0),
	MERGING(0x441a8000, saturated_sum, SIGNED | SUBTRACT),
	MERGING(0x441b8000, saturated_sum, SUBTRACT),
	REVERSED(0x441c8000, other_sum, SIGNED),
	REVERSED(0x441d8000, other_sum, 0),
	REVERSED(0x441e8000, saturated_sum, SIGNED | SUBTRACT),
	REVERSED(0x441f8000, saturated_sum, SUBTRACT),
	REVERSED(0x4408a000, abs, SIGNED | SATURATE),
	REVERSED(0x4409a000, neg, SIGNED | SATURATE),
	ROW(0xff3fe000, 0x4404a000, run_pairs_long, sum, SIGNED),
	ROW(0xff3fe000, 0x4405a000, run_pairs_long, sum, 0),
	ROW(0xfffee000, 0x4480a000, run_estimate, sum, 0),
	PAIRS(0x4411a000, sum, 0),
	PAIRS(0x4414a000, max, SIGNED),
	PAIRS(0x4415a000, max, 0),
	PAIRS(0x4416a000, min, SIGNED),
	PAIRS(0x4417a000, min, 0),
	/* by a constant */
	SHIFT_MERGING(0x04068000, left, SIGNED | SATURATE),
	SHIFT_MERGING(0x04078000, left, SATURATE),
	SHIFT_MERGING(0x040c8000, right, SIGNED | ROUND),
	SHIFT_MERGING(0x040d8000, right, ROUND),
	SHIFT_MERGING(0x040f8000, left, SIGNED | SATURATE | TO_UNSIGNED),
	SHIFT(0x4500e000, right, SIGNED | ACCUMULATE),
	SHIFT(0x4500e400, right, ACCUMULATE),
	SHIFT(0x4500e800, right, SIGNED | ROUND | ACCUMULATE),
	SHIFT(0x4500ec00, right, ROUND | ACCUMULATE),
	SHIFT(0x4500f000, insert_right, 0),
	SHIFT(0x4500f400, insert_left, 0),
	ROW(0xffa0f800, 0x4500a000, run_shift_long, left, SIGNED),
	ROW(0xffa0f800, 0x4500a800, run_shift_long, left, 0),
	SHIFT_NARROW(0x45200000, SIGNED | SATURATE | TO_UNSIGNED),
	SHIFT_NARROW(0x45200800, SIGNED | ROUND | SATURATE | TO_UNSIGNED),
	SHIFT_NARROW(0x45201000, 0),
	SHIFT_NARROW(0x45201800, ROUND),
	SHIFT_NARROW(0x45202000, SIGNED | SATURATE),
	SHIFT_NARROW(0x45202800, SIGNED | ROUND | SATURATE),
	SHIFT_NARROW(0x45203000, SATURATE),
	SHIFT_NARROW(0x45203800, ROUND | SATURATE),
	NARROWER(0x45204000, SIGNED | SATURATE),
	NARROWER(0x45204800, SATURATE),
	NARROWER(0x45205000, SIGNED | SATURATE | TO_UNSIGNED),
	{0}};

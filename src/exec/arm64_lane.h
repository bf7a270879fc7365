/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_ARM64_LANE_H
#define EXEC_ARM64_LANE_H
/*
 * A64: what integer instructions of Advanced SIMD and of SVE2 make of one element: arm64_vector.c.
 */
#include "exec/arm64.h"

/* Bits of exec_op.extra. How wide operands are: all alike; half as wide, both or the second; twice as
 * wide. */
enum { SAME = 0, LONG = 2, WIDE = 4, NARROW = 6, SHAPE = 6 };
enum {
	SIGNED = 1, /* of Advanced SIMD: whatever bit 29 says */
	ROUND = 8,
	SATURATE = 16,
	TO_UNSIGNED = 32, /* signed elements saturate to unsigned ones */
	SUBTRACT = 64,
	ACCUMULATE = 128
};

/* The element being made. Shifts by a constant have the number of places in op->rs2. */
struct arm64_lane {
	const struct exec_op *op;
	unsigned bits; /* of the result */
	unsigned from; /* of the first operand */
	bool is_unsigned;
	bool saturated, perhaps; /* as far as it is known */
};

static inline struct exec_bits arm64_lane_extended(const struct arm64_lane *lane,
                                                   struct exec_bits bits, unsigned width)
{
	return lane->is_unsigned ? bits_zero_extend(bits, width) : bits_sign_extend(bits, width);
}

arm64_element arm64_value_sum, arm64_value_half, arm64_value_saturated_sum, arm64_value_high,
	arm64_value_other_sum, arm64_value_max, arm64_value_min, arm64_value_difference,
	arm64_value_abs, arm64_value_neg, arm64_value_mul, arm64_value_pmul, arm64_value_doubled_high,
	arm64_value_doubled, arm64_value_shift_by_register, arm64_value_shift_by_element,
	arm64_value_right, arm64_value_left, arm64_value_insert_right, arm64_value_insert_left,
	arm64_value_narrow;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_RISCV_FLOAT_H
#define EXEC_RISCV_FLOAT_H
/*
 * RISC-V: operations on floating-point numbers that scalars and elements of vectors have in common.
 * `extra` of the translated encoding says which one of several it is.
 */
#include "exec/float.h"
#include "exec/machine.h"

#define RISCV_COMPUTE(name) \
	static inline uint64_t compute_##name(struct float_env *env, \
	                                      const struct float_format *format, \
	                                      const uint64_t *number, const struct exec_op *op)
RISCV_COMPUTE(fadd)
{
	(void)op;
	return float_add(env, format, number[0], number[1]);
}
RISCV_COMPUTE(fsub)
{
	(void)op;
	return float_subtract(env, format, number[0], number[1]);
}
RISCV_COMPUTE(fmul)
{
	(void)op;
	return float_multiply(env, format, number[0], number[1]);
}
RISCV_COMPUTE(fdiv)
{
	(void)op;
	return float_divide(env, format, number[0], number[1]);
}
RISCV_COMPUTE(fsqrt)
{
	(void)op;
	return float_square_root(env, format, number[0]);
}

/* The signs of product and addend by `extra`: a NaN that comes out is canonical anyway. */
enum { NEGATE_PRODUCT = 1, NEGATE_ADDEND = 2 };

RISCV_COMPUTE(fma)
{
	uint64_t sign = float_sign_bit(format);
	return float_multiply_add(env, format, number[0] ^ (op->extra & NEGATE_PRODUCT ? sign : 0),
	                          number[1], number[2] ^ (op->extra & NEGATE_ADDEND ? sign : 0));
}

/* fmin, fmax: the number where the other is a NaN; fminm, fmaxm: the NaN. */
enum { GREATER = 1, NAN_WINS = 2 };

RISCV_COMPUTE(minmax)
{
	enum float_order order = float_compare(env, format, number[0], number[1], false);
	if (order == FLOAT_UNORDERED) {
		bool first = float_is_nan(format, number[0]), second = float_is_nan(format, number[1]);
		if (op->extra & NAN_WINS || (first && second))
			return float_default_nan(env, format);
		return first ? number[1] : number[0];
	}
	/* -0 is less than +0. */
	bool less = order == FLOAT_LESS || (order == FLOAT_EQUAL && number[0] & float_sign_bit(format));
	return number[less == ((op->extra & GREATER) != 0)];
}

/* Comparisons: which orders count, in bits, and whether quiet NaNs are invalid. */
enum { ORDER_LESS = 1, ORDER_EQUAL = 2, QUIET = 4 };

RISCV_COMPUTE(compare)
{
	enum float_order order = float_compare(env, format, number[0], number[1], !(op->extra & QUIET));
	return (order == FLOAT_LESS && op->extra & ORDER_LESS) ||
	       (order == FLOAT_EQUAL && op->extra & ORDER_EQUAL);
}

RISCV_COMPUTE(fclass)
{
	static const uint8_t bit_of[6] = {3, 2, 1, 0, 9, 8}; /* of negative numbers */
	(void)env;
	(void)op;
	enum float_class cls = float_classify(format, number[0]);
	bool negative = (number[0] & float_sign_bit(format)) != 0 || cls >= FLOAT_QUIET_NAN;
	return UINT64_C(1) << (negative ? bit_of[cls] : 7 - bit_of[cls]);
}

#endif

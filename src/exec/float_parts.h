/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_FLOAT_PARTS_H
#define EXEC_FLOAT_PARTS_H
/*
 * Inside view of floating-point arithmetic: numbers taken apart, which is what formats of 64 bits
 * (float.c) and the one of 128 (float_quad.c) have in common.
 */
#include "exec/float.h"
#include "exec/wide.h"

/* A finite number other than 0 (FLOAT_NORMAL, also of subnormal ones) is
 * significand / 2^127 * 2^exponent, and its topmost bit is 1. */
struct float_parts {
	enum float_class cls;
	bool sign;
	int exponent;
	struct wide significand;
};

struct float_parts float_unpack(struct float_env *env, const struct float_format *format,
                                uint64_t a);
/* Round a number that is no NaN into the format. */
uint64_t float_pack_parts(struct float_env *env, const struct float_format *format,
                          const struct float_parts *a);

/* Is it rounded away from 0? `least`: the lowest bit that is kept; `half`: the bit below it;
 * `rest`: anything below that. */
bool float_rounds_up(unsigned rounding, bool sign, bool least, bool half, bool rest);

/* The sum of numbers that are no NaN, exact, or jammed; false: infinity minus infinity. The
 * significands have at most 126 bits. */
bool float_add_parts(const struct float_env *env, struct float_parts a, struct float_parts b,
                     struct float_parts *sum);

/* As float_to_fixed and float_from_fixed, of numbers that are no NaN. */
uint64_t float_parts_to_integer(struct float_env *env, const struct float_parts *a, unsigned bits,
                                bool is_signed);
struct float_parts float_parts_of_integer(uint64_t value, bool is_signed);

#endif

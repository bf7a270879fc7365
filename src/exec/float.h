/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_FLOAT_H
#define EXEC_FLOAT_H
/*
 * Floating-point arithmetic as IEEE 754-2019 defines it, in integers: the same on every host.
 *
 * Numbers are the bits of a format, right-justified in 64 bits. What the standard leaves to an
 * architecture (which NaN comes out, when a result is tiny) stands in the environment.
 */
#include <stdbool.h>
#include <stdint.h>

struct float_format {
	uint8_t exponent_bits, fraction_bits;
};
extern const struct float_format float_half, float_bfloat, float_single, float_double;

/* The numbers are RISC-V's of frm. */
enum float_rounding {
	FLOAT_NEAREST_EVEN,
	FLOAT_TO_ZERO,
	FLOAT_DOWN,
	FLOAT_UP,
	FLOAT_NEAREST_AWAY,
	FLOAT_TO_ODD
};

/* The numbers are RISC-V's of fflags. */
enum float_flag {
	FLOAT_INEXACT = 1,
	FLOAT_UNDERFLOW = 2,
	FLOAT_OVERFLOW = 4,
	FLOAT_DIVIDE_BY_ZERO = 8,
	FLOAT_INVALID = 16,
	FLOAT_FLUSHED = 32 /* a subnormal operand was taken for 0: A64's IDC */
};

/* Which NaN comes out where an operand is one. */
enum float_nans {
	/* Always the default one: RISC-V, and A64 with FPCR.DN. */
	FLOAT_CANONICAL_NAN,
	/* The first signalling operand, else the first quiet one, made quiet. Of a multiply-add the
	 * addend is the first, and 0 * infinity plus a quiet NaN is the default NaN: A64. */
	FLOAT_FIRST_NAN,
	/* The same from the last operand on: SPARC V9. */
	FLOAT_LAST_NAN
};

struct float_env {
	uint8_t rounding;   /* enum float_rounding */
	uint8_t nans;       /* enum float_nans */
	bool tiny_before;   /* tininess is detected before rounding (A64), not after (RISC-V) */
	bool flush_inputs;  /* subnormal operands are 0 (A64's FPCR.FZ) */
	bool flush_results; /* what is tiny before it is rounded becomes 0 (A64's FPCR.FZ) */
	bool to_infinity;   /* overflow gives infinity in every rounding mode (A64's BFDOT) */
	bool full_nan;      /* the default NaN has all bits of its fraction set (SPARC V9) */
	uint8_t flags;      /* enum float_flag, or'ed to what is there */
};

enum float_class {
	FLOAT_ZERO,
	FLOAT_SUBNORMAL,
	FLOAT_NORMAL,
	FLOAT_INFINITE,
	FLOAT_QUIET_NAN,
	FLOAT_SIGNALLING_NAN
};
enum float_class float_classify(const struct float_format *format, uint64_t a);
static inline bool float_is_nan(const struct float_format *format, uint64_t a)
{
	return float_classify(format, a) >= FLOAT_QUIET_NAN;
}
uint64_t float_sign_bit(const struct float_format *format);
uint64_t float_default_nan(const struct float_env *env, const struct float_format *format);
/* Which NaN comes out of these operands, one of which is one; invalid for signalling ones. */
uint64_t float_nan_of(struct float_env *env, const struct float_format *format,
                      const uint64_t *operands, unsigned n);

uint64_t float_add(struct float_env *env, const struct float_format *format, uint64_t a,
                   uint64_t b);
uint64_t float_subtract(struct float_env *env, const struct float_format *format, uint64_t a,
                        uint64_t b);
uint64_t float_multiply(struct float_env *env, const struct float_format *format, uint64_t a,
                        uint64_t b);
uint64_t float_divide(struct float_env *env, const struct float_format *format, uint64_t a,
                      uint64_t b);
uint64_t float_square_root(struct float_env *env, const struct float_format *format, uint64_t a);
/* a * b + c, rounded once. 0 * infinity is invalid also where c is a quiet NaN. */
uint64_t float_multiply_add(struct float_env *env, const struct float_format *format, uint64_t a,
                            uint64_t b, uint64_t c);

/* To another format. */
uint64_t float_convert(struct float_env *env, const struct float_format *from,
                       const struct float_format *to, uint64_t a);
/* To a whole number in the same format; `exact`: inexact where it changes. */
uint64_t float_round(struct float_env *env, const struct float_format *format, uint64_t a,
                     bool exact);
/* To an integer of `bits` bits, 1 to 64, by the environment's rounding. What has no room becomes
 * the nearest that has, and is invalid; a NaN becomes `nan`. Sign-extended when signed. */
uint64_t float_to_integer(struct float_env *env, const struct float_format *format, uint64_t a,
                          unsigned bits, bool is_signed, uint64_t nan);
uint64_t float_from_integer(struct float_env *env, const struct float_format *format,
                            uint64_t value, bool is_signed);
/* Of a double the lowest 32 bits of its whole part, towards 0; invalid where it has no room in a
 * signed integer of as many: RISC-V's fcvtmod.w.d, A64's FJCVTZS. */
uint32_t float_to_word_modulo(struct float_env *env, uint64_t a);
/* To and from fixed point: the integer stands for as many 2^places-ths, 0 to 64. */
uint64_t float_to_fixed(struct float_env *env, const struct float_format *format, uint64_t a,
                        unsigned bits, bool is_signed, uint64_t nan, unsigned places);
uint64_t float_from_fixed(struct float_env *env, const struct float_format *format, uint64_t value,
                          bool is_signed, unsigned places);

/* (a * b + c) / 2^halvings, rounded once; the operands are no NaN, and there is no 0 * infinity. */
uint64_t float_multiply_add_halved(struct float_env *env, const struct float_format *format,
                                   uint64_t a, uint64_t b, uint64_t c, unsigned halvings);

enum float_order { FLOAT_LESS = -1, FLOAT_EQUAL = 0, FLOAT_GREATER = 1, FLOAT_UNORDERED = 2 };
/* `signalling`: quiet NaNs are invalid, too. */
enum float_order float_compare(struct float_env *env, const struct float_format *format, uint64_t a,
                               uint64_t b, bool signalling);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating point of 128 bits in integers.
 *
 * A significand of 113 bits leaves 15 of the 128 that parts have (float_parts.h), so that a jammed
 * one rounds right. Source: IEEE 754-2019, clauses 4 to 7.
 */
#include "exec/float_quad.h"

#include "exec/float_parts.h"

enum {
	BIAS = 16383,
	EXPONENTS = 0x7fff,
	PRECISION = 113,
	HIGH_FRACTION = 48, /* bits of the fraction in the upper word */
	DROPPED = 128 - PRECISION
};

#define SIGN (UINT64_C(1) << 63)
#define QUIET (UINT64_C(1) << (HIGH_FRACTION - 1))
#define FRACTION ((UINT64_C(1) << HIGH_FRACTION) - 1)

static unsigned exponent_of(struct wide a)
{
	return (unsigned)(a.high >> HIGH_FRACTION) & EXPONENTS;
}

static struct wide fraction_of(struct wide a)
{
	return (struct wide){a.high & FRACTION, a.low};
}

/* A number of its fields. */
static struct wide number_of(bool sign, unsigned exponent, struct wide fraction)
{
	fraction.high |= (sign ? SIGN : 0) | (uint64_t)exponent << HIGH_FRACTION;
	return fraction;
}

enum float_class quad_classify(struct wide a)
{
	bool fraction = !wide_is_zero(fraction_of(a));
	if (exponent_of(a) == 0)
		return fraction ? FLOAT_SUBNORMAL : FLOAT_ZERO;
	if (exponent_of(a) != EXPONENTS)
		return FLOAT_NORMAL;
	return !fraction ? FLOAT_INFINITE : a.high & QUIET ? FLOAT_QUIET_NAN : FLOAT_SIGNALLING_NAN;
}

/* ---- NaNs ---- */

struct wide quad_default_nan(const struct float_env *env)
{
	const struct wide fraction =
		env->full_nan ? (struct wide){FRACTION, UINT64_MAX} : (struct wide){QUIET, 0};
	return number_of(false, EXPONENTS, fraction);
}

static struct wide invalid(struct float_env *env)
{
	env->flags |= FLOAT_INVALID;
	return quad_default_nan(env);
}

static struct wide quieted(struct float_env *env, struct wide nan)
{
	if (quad_classify(nan) == FLOAT_SIGNALLING_NAN)
		env->flags |= FLOAT_INVALID;
	nan.high |= QUIET;
	return env->nans == FLOAT_CANONICAL_NAN ? quad_default_nan(env) : nan;
}

/* Which NaN comes out of two operands, one of which is one. */
static struct wide nan_of(struct float_env *env, struct wide a, struct wide b)
{
	bool last = env->nans == FLOAT_LAST_NAN;
	struct wide first = last ? b : a, second = last ? a : b;
	enum float_class cls = quad_classify(first), other = quad_classify(second);
	bool takes_second =
		cls < FLOAT_QUIET_NAN || (cls == FLOAT_QUIET_NAN && other == FLOAT_SIGNALLING_NAN);
	return quieted(env, takes_second ? second : first);
}

/* ---- apart and together ---- */

static struct float_parts unpack(struct wide a)
{
	struct float_parts parts = {.cls = quad_classify(a), .sign = a.high >> 63};
	struct wide fraction = fraction_of(a);
	int exponent = (int)exponent_of(a);
	if (parts.cls != FLOAT_NORMAL && parts.cls != FLOAT_SUBNORMAL)
		return parts;
	if (parts.cls == FLOAT_NORMAL)
		fraction.high |= FRACTION + 1;
	else
		exponent = 1;
	unsigned zeros = wide_leading_zeros(fraction);
	parts.cls = FLOAT_NORMAL;
	parts.significand = wide_left(fraction, zeros);
	parts.exponent = exponent - BIAS + DROPPED - (int)zeros;
	return parts;
}

/* The topmost bits of a significand, rounded; *inexact when anything was below. */
static struct wide rounded(unsigned rounding, bool sign, struct wide significand, bool *inexact)
{
	const struct wide kept = wide_right(significand, DROPPED);
	bool half = significand.low >> (DROPPED - 1) & 1;
	bool rest = wide_any_below(significand, DROPPED - 1);
	*inexact = half || rest;
	bool up = float_rounds_up(rounding, sign, kept.low & 1, half, rest);
	return wide_add(kept, (struct wide){0, up});
}

static struct wide overflow(struct float_env *env, bool sign)
{
	const struct wide greatest = {FRACTION, UINT64_MAX}, none = {0, 0};
	env->flags |= FLOAT_OVERFLOW | FLOAT_INEXACT;
	if (env->rounding == FLOAT_TO_ZERO || env->rounding == (sign ? FLOAT_UP : FLOAT_DOWN))
		return number_of(sign, EXPONENTS - 1, greatest);
	return number_of(sign, EXPONENTS, none);
}

static struct wide pack(struct float_env *env, const struct float_parts *a)
{
	const struct wide none = {0, 0};
	const int least = 1 - BIAS;
	int exponent = a->exponent;
	bool inexact, tiny = exponent < least;
	if (a->cls != FLOAT_NORMAL)
		return number_of(a->sign, a->cls == FLOAT_INFINITE ? EXPONENTS : 0, none);
	struct wide kept = rounded(env->rounding, a->sign, a->significand, &inexact);
	if (tiny) {
		/* If exponents had no bound, it might round to the least normal number. */
		if (!env->tiny_before && exponent == least - 1 && kept.high >> (HIGH_FRACTION + 1))
			tiny = false;
		kept = rounded(env->rounding, a->sign,
		               wide_jam(a->significand, (unsigned)(least - exponent)), &inexact);
		exponent = least;
		if (tiny && inexact)
			env->flags |= FLOAT_UNDERFLOW;
	}
	if (inexact)
		env->flags |= FLOAT_INEXACT;
	if (kept.high >> (HIGH_FRACTION + 1)) {
		kept = wide_right(kept, 1);
		exponent++;
	}
	if (exponent > BIAS)
		return overflow(env, a->sign);
	bool normal = kept.high >> HIGH_FRACTION;
	return number_of(a->sign, normal ? (unsigned)(exponent + BIAS) : 0, fraction_of(kept));
}

static bool any_nan(const struct float_parts *a, const struct float_parts *b)
{
	return a->cls >= FLOAT_QUIET_NAN || b->cls >= FLOAT_QUIET_NAN;
}

/* ---- arithmetic ---- */

static struct wide add_signed(struct float_env *env, struct wide a, struct wide b, bool negate)
{
	struct float_parts x = unpack(a), y = unpack(b), sum;
	if (any_nan(&x, &y))
		return nan_of(env, a, b);
	y.sign ^= negate;
	if (!float_add_parts(env, x, y, &sum))
		return invalid(env);
	return pack(env, &sum);
}

struct wide quad_add(struct float_env *env, struct wide a, struct wide b)
{
	return add_signed(env, a, b, false);
}

struct wide quad_subtract(struct float_env *env, struct wide a, struct wide b)
{
	return add_signed(env, a, b, true);
}

/* The upper half of a product of 256 bits, jammed. */
static struct wide high_product(struct wide a, struct wide b)
{
	struct wide low = wide_product(a.low, b.low), high = wide_product(a.high, b.high);
	struct wide crossed = wide_product(a.high, b.low), other = wide_product(a.low, b.high);
	struct wide middle =
		wide_add((struct wide){0, low.high},
	             wide_add((struct wide){0, crossed.low}, (struct wide){0, other.low}));
	high = wide_add(high, (struct wide){0, crossed.high});
	high = wide_add(high, (struct wide){0, other.high});
	high = wide_add(high, (struct wide){0, middle.high});
	high.low |= (middle.low | low.low) != 0;
	return high;
}

struct wide quad_multiply(struct float_env *env, struct wide a, struct wide b)
{
	struct float_parts x = unpack(a), y = unpack(b);
	struct float_parts product = {.cls = FLOAT_NORMAL, .sign = x.sign != y.sign};
	bool zero = x.cls == FLOAT_ZERO || y.cls == FLOAT_ZERO;
	bool infinite = x.cls == FLOAT_INFINITE || y.cls == FLOAT_INFINITE;
	if (any_nan(&x, &y))
		return nan_of(env, a, b);
	if (zero && infinite)
		return invalid(env);
	if (zero || infinite) {
		product.cls = zero ? FLOAT_ZERO : FLOAT_INFINITE;
		return pack(env, &product);
	}
	product.significand = high_product(x.significand, y.significand);
	unsigned zeros = wide_leading_zeros(product.significand);
	product.significand = wide_left(product.significand, zeros);
	product.exponent = x.exponent + y.exponent + 1 - (int)zeros;
	return pack(env, &product);
}

/* The quotient of finite numbers other than 0, bit by bit: 128 bits, the topmost of them set. */
static struct float_parts quotient_of(const struct float_parts *a, const struct float_parts *b)
{
	/* With a place above for twice the rest; no significand reaches down to the lost bit. */
	struct wide rest = wide_right(a->significand, 1), divisor = wide_right(b->significand, 1);
	struct float_parts made = {FLOAT_NORMAL, a->sign != b->sign, a->exponent - b->exponent, {0, 0}};
	if (wide_less(rest, divisor)) {
		rest = wide_left(rest, 1);
		made.exponent--;
	}
	for (unsigned i = 0; i < 128; i++) {
		bool bit = !wide_less(rest, divisor);
		made.significand = wide_left(made.significand, 1);
		made.significand.low |= bit;
		rest = wide_left(bit ? wide_sub(rest, divisor) : rest, 1);
	}
	made.significand.low |= !wide_is_zero(rest);
	return made;
}

struct wide quad_divide(struct float_env *env, struct wide a, struct wide b)
{
	struct float_parts x = unpack(a), y = unpack(b), made = {.sign = x.sign != y.sign};
	if (any_nan(&x, &y))
		return nan_of(env, a, b);
	if (x.cls == y.cls && (x.cls == FLOAT_ZERO || x.cls == FLOAT_INFINITE))
		return invalid(env);
	if (y.cls == FLOAT_ZERO && x.cls != FLOAT_INFINITE)
		env->flags |= FLOAT_DIVIDE_BY_ZERO;
	if (x.cls == FLOAT_INFINITE || y.cls == FLOAT_ZERO)
		made.cls = FLOAT_INFINITE;
	else if (x.cls == FLOAT_ZERO || y.cls == FLOAT_INFINITE)
		made.cls = FLOAT_ZERO;
	else
		made = quotient_of(&x, &y);
	return pack(env, &made);
}

struct wide quad_square_root(struct float_env *env, struct wide a)
{
	enum { BITS = PRECISION + 3 };
	struct float_parts x = unpack(a);
	if (x.cls >= FLOAT_QUIET_NAN)
		return quieted(env, a);
	if (x.cls == FLOAT_ZERO)
		return a;
	if (x.sign)
		return invalid(env);
	if (x.cls == FLOAT_INFINITE)
		return a;
	/* The root of a number between 1 and 4, a bit of it for each two of the number. */
	bool odd = x.exponent & 1;
	struct wide number = odd ? x.significand : wide_right(x.significand, 1);
	struct wide rest = {0, 0}, root = {0, 0};
	for (unsigned i = 0; i < BITS; i++) {
		rest = wide_left(rest, 2);
		rest.low |= number.high >> 62;
		number = wide_left(number, 2);
		struct wide square = wide_left(root, 2); /* (2 root + 1)^2 - (2 root)^2 */
		square.low |= 1;
		root = wide_left(root, 1);
		if (!wide_less(rest, square)) {
			rest = wide_sub(rest, square);
			root.low |= 1;
		}
	}
	x.exponent = (x.exponent - odd) / 2;
	x.significand = wide_left(root, 128 - BITS);
	x.significand.low |= !wide_is_zero(rest);
	return pack(env, &x);
}

/* ---- conversions ---- */

struct wide quad_from_narrow(struct float_env *env, const struct float_format *from, uint64_t a)
{
	struct float_parts x = float_unpack(env, from, a);
	if (x.cls < FLOAT_QUIET_NAN)
		return pack(env, &x);
	struct wide fraction = {a << (64 - from->fraction_bits), 0};
	return quieted(env, number_of(x.sign, EXPONENTS, wide_right(fraction, 64 - HIGH_FRACTION)));
}

uint64_t quad_to_narrow(struct float_env *env, const struct float_format *to, struct wide a)
{
	struct float_parts x = unpack(a);
	if (x.cls < FLOAT_QUIET_NAN)
		return float_pack_parts(env, to, &x);
	struct wide nan = quieted(env, a);
	uint64_t fraction = wide_left(nan, 64 - HIGH_FRACTION).high >> (64 - to->fraction_bits);
	uint64_t exponents = (UINT64_C(1) << to->exponent_bits) - 1;
	return (nan.high >> 63 ? float_sign_bit(to) : 0) | exponents << to->fraction_bits | fraction;
}

struct wide quad_from_integer(struct float_env *env, int64_t value)
{
	struct float_parts parts = float_parts_of_integer((uint64_t)value, true);
	return pack(env, &parts);
}

uint64_t quad_to_integer(struct float_env *env, struct wide a, unsigned bits, uint64_t nan)
{
	struct float_parts x = unpack(a);
	if (x.cls < FLOAT_QUIET_NAN)
		return float_parts_to_integer(env, &x, bits, true);
	env->flags |= FLOAT_INVALID;
	return nan;
}

/* ---- comparison ---- */

enum float_order quad_compare(struct float_env *env, struct wide a, struct wide b, bool signalling)
{
	enum float_class x = quad_classify(a), y = quad_classify(b);
	bool negative = a.high >> 63, other = b.high >> 63;
	if (x >= FLOAT_QUIET_NAN || y >= FLOAT_QUIET_NAN) {
		if (signalling || x == FLOAT_SIGNALLING_NAN || y == FLOAT_SIGNALLING_NAN)
			env->flags |= FLOAT_INVALID;
		return FLOAT_UNORDERED;
	}
	if (x == FLOAT_ZERO && y == FLOAT_ZERO)
		return FLOAT_EQUAL;
	if (negative != other)
		return negative ? FLOAT_LESS : FLOAT_GREATER;
	if (!wide_less(a, b) && !wide_less(b, a))
		return FLOAT_EQUAL;
	return wide_less(a, b) != negative ? FLOAT_LESS : FLOAT_GREATER;
}

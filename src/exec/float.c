/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point arithmetic in integers.
 *
 * A finite number other than 0 is taken apart into a sign, an exponent and a significand of 128
 * bits whose topmost bit is 1: value = significand / 2^127 * 2^exponent. An operation makes such
 * a number of such numbers, exactly, or with its lowest bit set where bits below it were lost
 * ("jammed": enough for every rounding), and float_pack rounds it into the format. Source: IEEE
 * 754-2019, clauses 4 to 7.
 */
#include "exec/float_parts.h"

const struct float_format float_half = {5, 10}, float_bfloat = {8, 7}, float_single = {8, 23},
						  float_double = {11, 52};

static int bias(const struct float_format *format)
{
	return (1 << (format->exponent_bits - 1)) - 1;
}

static uint64_t exponent_mask(const struct float_format *format)
{
	return (UINT64_C(1) << format->exponent_bits) - 1;
}

static uint64_t fraction_mask(const struct float_format *format)
{
	return (UINT64_C(1) << format->fraction_bits) - 1;
}

uint64_t float_sign_bit(const struct float_format *format)
{
	return UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
}

static uint64_t infinity(const struct float_format *format, bool sign)
{
	return (sign ? float_sign_bit(format) : 0) | exponent_mask(format) << format->fraction_bits;
}

static uint64_t zero(const struct float_format *format, bool sign)
{
	return sign ? float_sign_bit(format) : 0;
}

static uint64_t greatest(const struct float_format *format, bool sign)
{
	return infinity(format, sign) - 1;
}

static uint64_t quiet_bit(const struct float_format *format)
{
	return UINT64_C(1) << (format->fraction_bits - 1);
}

enum float_class float_classify(const struct float_format *format, uint64_t a)
{
	uint64_t exponent = a >> format->fraction_bits & exponent_mask(format);
	uint64_t fraction = a & fraction_mask(format);
	if (exponent == 0)
		return fraction ? FLOAT_SUBNORMAL : FLOAT_ZERO;
	if (exponent != exponent_mask(format))
		return FLOAT_NORMAL;
	if (fraction == 0)
		return FLOAT_INFINITE;
	return fraction & quiet_bit(format) ? FLOAT_QUIET_NAN : FLOAT_SIGNALLING_NAN;
}

/* ---- NaNs ---- */

uint64_t float_default_nan(const struct float_env *env, const struct float_format *format)
{
	if (env->full_nan)
		return infinity(format, false) | fraction_mask(format);
	return infinity(format, false) | quiet_bit(format);
}

static uint64_t invalid(struct float_env *env, const struct float_format *format)
{
	env->flags |= FLOAT_INVALID;
	return float_default_nan(env, format);
}

uint64_t float_nan_of(struct float_env *env, const struct float_format *format,
                      const uint64_t *operands, unsigned n)
{
	const uint64_t *quiet = 0, *signalling = 0;
	for (unsigned i = 0; i < n; i++) {
		const uint64_t *operand = &operands[env->nans == FLOAT_LAST_NAN ? n - 1 - i : i];
		enum float_class cls = float_classify(format, *operand);
		if (cls == FLOAT_SIGNALLING_NAN && !signalling)
			signalling = operand;
		if (cls == FLOAT_QUIET_NAN && !quiet)
			quiet = operand;
	}
	if (signalling)
		env->flags |= FLOAT_INVALID;
	if (env->nans == FLOAT_CANONICAL_NAN)
		return float_default_nan(env, format);
	return *(signalling ? signalling : quiet) | quiet_bit(format);
}

/* ---- apart and together ---- */

struct float_parts float_unpack(struct float_env *env, const struct float_format *format,
                                uint64_t a)
{
	struct float_parts parts = {.cls = float_classify(format, a),
	                            .sign = (a & float_sign_bit(format)) != 0};
	uint64_t fraction = a & fraction_mask(format);
	int exponent = (int)(a >> format->fraction_bits & exponent_mask(format));
	if (parts.cls == FLOAT_SUBNORMAL && env->flush_inputs) {
		parts.cls = FLOAT_ZERO;
		env->flags |= FLOAT_FLUSHED;
	}
	if (parts.cls != FLOAT_NORMAL && parts.cls != FLOAT_SUBNORMAL)
		return parts;
	if (parts.cls == FLOAT_NORMAL)
		fraction |= UINT64_C(1) << format->fraction_bits;
	else
		exponent = 1;
	parts.cls = FLOAT_NORMAL;
	unsigned zeros = (unsigned)__builtin_clzll(fraction);
	parts.significand.high = fraction << zeros;
	parts.exponent = exponent - bias(format) - (int)zeros + 63 - format->fraction_bits;
	return parts;
}

bool float_rounds_up(unsigned rounding, bool sign, bool least, bool half, bool rest)
{
	switch (rounding) {
	case FLOAT_NEAREST_EVEN:
		return half && (rest || least);
	case FLOAT_NEAREST_AWAY:
		return half;
	case FLOAT_DOWN:
		return sign && (half || rest);
	case FLOAT_UP:
		return !sign && (half || rest);
	default:
		return false;
	}
}

/* The topmost `bits` bits of a significand, at most 63, rounded; *inexact when anything was below. */
static uint64_t rounded(unsigned rounding, bool sign, struct wide significand, unsigned bits,
                        bool *inexact)
{
	uint64_t kept = significand.high >> (64 - bits);
	bool half = significand.high >> (63 - bits) & 1;
	bool rest = wide_any_below(significand, 127 - bits);
	*inexact = half || rest;
	if (rounding == FLOAT_TO_ODD && *inexact)
		return kept | 1;
	return kept + float_rounds_up(rounding, sign, kept & 1, half, rest);
}

static uint64_t overflow(struct float_env *env, const struct float_format *format, bool sign)
{
	env->flags |= FLOAT_OVERFLOW | FLOAT_INEXACT;
	bool to_greatest = env->rounding == FLOAT_TO_ZERO || env->rounding == FLOAT_TO_ODD ||
	                   env->rounding == (sign ? FLOAT_UP : FLOAT_DOWN);
	return to_greatest && !env->to_infinity ? greatest(format, sign) : infinity(format, sign);
}

/* Round a number that is not 0 into the format. */
static uint64_t pack(struct float_env *env, const struct float_format *format, bool sign,
                     int exponent, struct wide significand)
{
	unsigned precision = format->fraction_bits + 1u;
	int least = 1 - bias(format);
	bool inexact, tiny = exponent < least;
	uint64_t kept = rounded(env->rounding, sign, significand, precision, &inexact);
	if (tiny && env->flush_results) {
		env->flags |= FLOAT_UNDERFLOW;
		return zero(format, sign);
	}
	if (tiny) {
		/* If exponents had no bound, it might round to the least normal number. */
		if (!env->tiny_before && exponent == least - 1 && kept >> precision)
			tiny = false;
		significand = wide_jam(significand, (unsigned)(least - exponent));
		kept = rounded(env->rounding, sign, significand, precision, &inexact);
		exponent = least;
		if (tiny && inexact)
			env->flags |= FLOAT_UNDERFLOW;
	}
	if (inexact)
		env->flags |= FLOAT_INEXACT;
	if (kept >> precision) {
		kept >>= 1;
		exponent++;
	}
	if (exponent > bias(format))
		return overflow(env, format, sign);
	bool normal = kept >> format->fraction_bits;
	uint64_t biased = normal ? (uint64_t)(exponent + bias(format)) : 0;
	return zero(format, sign) | biased << format->fraction_bits | (kept & fraction_mask(format));
}

static bool any_nan(const struct float_parts *a, const struct float_parts *b)
{
	return a->cls >= FLOAT_QUIET_NAN || b->cls >= FLOAT_QUIET_NAN;
}

/* ---- sums ---- */

/* The sum of two finite numbers other than 0; one that is 0 has the sign that the rounding mode says. */
static struct float_parts sum_of(const struct float_env *env, struct float_parts a,
                                 struct float_parts b)
{
	struct float_parts made = {.cls = FLOAT_ZERO, .sign = env->rounding == FLOAT_DOWN};
	if (a.exponent < b.exponent ||
	    (a.exponent == b.exponent && wide_less(a.significand, b.significand))) {
		struct float_parts swap = a;
		a = b;
		b = swap;
	}
	int apart = a.exponent - b.exponent;
	/* A place above for the carry; no operand reaches down to the lost bit. */
	struct wide x = wide_jam(a.significand, 1);
	struct wide y = wide_jam(b.significand, apart > 200 ? 200 : (unsigned)apart + 1);
	struct wide sum = a.sign == b.sign ? wide_add(x, y) : wide_sub(x, y);
	if (wide_is_zero(sum))
		return made;
	unsigned zeros = wide_leading_zeros(sum);
	return (struct float_parts){FLOAT_NORMAL, a.sign, a.exponent + 1 - (int)zeros,
	                            wide_left(sum, zeros)};
}

bool float_add_parts(const struct float_env *env, struct float_parts a, struct float_parts b,
                     struct float_parts *sum)
{
	if (a.cls == FLOAT_INFINITE || b.cls == FLOAT_INFINITE) {
		*sum = a.cls == FLOAT_INFINITE ? a : b;
		return a.cls != b.cls || a.sign == b.sign;
	}
	if (a.cls == FLOAT_ZERO && b.cls == FLOAT_ZERO) {
		*sum = a;
		if (a.sign != b.sign)
			sum->sign = env->rounding == FLOAT_DOWN;
	} else {
		*sum = a.cls == FLOAT_ZERO ? b : b.cls == FLOAT_ZERO ? a : sum_of(env, a, b);
	}
	return true;
}

static uint64_t add_parts(struct float_env *env, const struct float_format *format,
                          struct float_parts a, struct float_parts b)
{
	struct float_parts sum;
	if (!float_add_parts(env, a, b, &sum))
		return invalid(env, format);
	return float_pack_parts(env, format, &sum);
}

static uint64_t add_signed(struct float_env *env, const struct float_format *format, uint64_t a,
                           uint64_t b, bool negate)
{
	struct float_parts x = float_unpack(env, format, a), y = float_unpack(env, format, b);
	const uint64_t operands[] = {a, b};
	if (any_nan(&x, &y))
		return float_nan_of(env, format, operands, 2);
	y.sign ^= negate;
	return add_parts(env, format, x, y);
}

uint64_t float_add(struct float_env *env, const struct float_format *format, uint64_t a, uint64_t b)
{
	return add_signed(env, format, a, b, false);
}

uint64_t float_subtract(struct float_env *env, const struct float_format *format, uint64_t a,
                        uint64_t b)
{
	return add_signed(env, format, a, b, true);
}

/* ---- products ---- */

/* The exact product of two finite numbers that are not 0: each has at most 64 bits. */
static struct float_parts product_of(const struct float_parts *a, const struct float_parts *b)
{
	struct float_parts product = {.cls = FLOAT_NORMAL, .sign = a->sign != b->sign};
	struct wide significand = wide_product(a->significand.high, b->significand.high);
	unsigned zeros = wide_leading_zeros(significand);
	product.significand = wide_left(significand, zeros);
	product.exponent = a->exponent + b->exponent + 1 - (int)zeros;
	return product;
}

/* The product of numbers that are no NaN; false: 0 times infinity. */
static bool multiply_parts(const struct float_parts *a, const struct float_parts *b,
                           struct float_parts *product)
{
	*product = (struct float_parts){.cls = FLOAT_ZERO, .sign = a->sign != b->sign};
	if (a->cls == FLOAT_INFINITE || b->cls == FLOAT_INFINITE) {
		product->cls = FLOAT_INFINITE;
		return a->cls != FLOAT_ZERO && b->cls != FLOAT_ZERO;
	}
	if (a->cls != FLOAT_ZERO && b->cls != FLOAT_ZERO)
		*product = product_of(a, b);
	return true;
}

uint64_t float_pack_parts(struct float_env *env, const struct float_format *format,
                          const struct float_parts *a)
{
	return a->cls == FLOAT_ZERO       ? zero(format, a->sign)
	       : a->cls == FLOAT_INFINITE ? infinity(format, a->sign)
	                                  : pack(env, format, a->sign, a->exponent, a->significand);
}

uint64_t float_multiply(struct float_env *env, const struct float_format *format, uint64_t a,
                        uint64_t b)
{
	struct float_parts x = float_unpack(env, format, a), y = float_unpack(env, format, b), product;
	const uint64_t operands[] = {a, b};
	if (any_nan(&x, &y))
		return float_nan_of(env, format, operands, 2);
	if (!multiply_parts(&x, &y, &product))
		return invalid(env, format);
	return float_pack_parts(env, format, &product);
}

uint64_t float_multiply_add(struct float_env *env, const struct float_format *format, uint64_t a,
                            uint64_t b, uint64_t c)
{
	struct float_parts x = float_unpack(env, format, a), y = float_unpack(env, format, b),
					   z = float_unpack(env, format, c);
	struct float_parts product;
	/* A64 looks at the addend first. */
	const uint64_t operands[] = {c, a, b};
	bool nans = any_nan(&x, &y);
	bool valid = nans || multiply_parts(&x, &y, &product);
	if (!valid && z.cls == FLOAT_QUIET_NAN) {
		env->flags |= FLOAT_INVALID;
		return env->nans == FLOAT_FIRST_NAN ? float_default_nan(env, format)
		                                    : float_nan_of(env, format, operands, 3);
	}
	if (nans || z.cls >= FLOAT_QUIET_NAN)
		return float_nan_of(env, format, operands, 3);
	if (!valid)
		return invalid(env, format);
	return add_parts(env, format, product, z);
}

uint64_t float_multiply_add_halved(struct float_env *env, const struct float_format *format,
                                   uint64_t a, uint64_t b, uint64_t c, unsigned halvings)
{
	struct float_parts x = float_unpack(env, format, a), y = float_unpack(env, format, b),
					   z = float_unpack(env, format, c);
	struct float_parts product;
	multiply_parts(&x, &y, &product);
	product.exponent -= (int)halvings;
	z.exponent -= (int)halvings;
	return add_parts(env, format, product, z);
}

uint64_t float_divide(struct float_env *env, const struct float_format *format, uint64_t a,
                      uint64_t b)
{
	struct float_parts x = float_unpack(env, format, a), y = float_unpack(env, format, b);
	const uint64_t operands[] = {a, b};
	bool sign = x.sign != y.sign;
	if (any_nan(&x, &y))
		return float_nan_of(env, format, operands, 2);
	if (x.cls == y.cls && (x.cls == FLOAT_ZERO || x.cls == FLOAT_INFINITE))
		return invalid(env, format);
	if (x.cls == FLOAT_INFINITE)
		return infinity(format, sign);
	if (x.cls == FLOAT_ZERO || y.cls == FLOAT_INFINITE)
		return zero(format, sign);
	if (y.cls == FLOAT_ZERO) {
		env->flags |= FLOAT_DIVIDE_BY_ZERO;
		return infinity(format, sign);
	}
	/* Both have their topmost bit set: the quotient is between 1/2 and 2, with 63 bits behind. */
	uint64_t rest;
	uint64_t quotient = wide_divide(wide_right(x.significand, 1), y.significand.high, &rest);
	unsigned zeros = (unsigned)__builtin_clzll(quotient);
	struct wide significand = {quotient << zeros, rest != 0};
	return pack(env, format, sign, x.exponent - y.exponent - (int)zeros, significand);
}

uint64_t float_square_root(struct float_env *env, const struct float_format *format, uint64_t a)
{
	struct float_parts x = float_unpack(env, format, a);
	if (x.cls >= FLOAT_QUIET_NAN)
		return float_nan_of(env, format, &a, 1);
	if (x.cls == FLOAT_ZERO)
		return zero(format, x.sign);
	if (x.sign)
		return invalid(env, format);
	if (x.cls == FLOAT_INFINITE)
		return infinity(format, false);
	/* The root of a number between 1 and 4, bit by bit: what is left is twice the root at most. */
	bool odd = x.exponent & 1;
	struct wide left = odd ? x.significand : wide_right(x.significand, 1);
	uint64_t root = 0;
	for (unsigned i = 64; i-- > 0;) {
		/* (root + bit)^2 - root^2 */
		struct wide square =
			wide_left((struct wide){root >> 63, root << 1 | (UINT64_C(1) << i)}, i);
		if (!wide_less(left, square)) {
			left = wide_sub(left, square);
			root |= UINT64_C(1) << i;
		}
	}
	const struct wide significand = {root, !wide_is_zero(left)};
	return pack(env, format, false, (x.exponent - odd) / 2, significand);
}

/* ---- conversions ---- */

uint64_t float_convert(struct float_env *env, const struct float_format *from,
                       const struct float_format *to, uint64_t a)
{
	struct float_parts x = float_unpack(env, from, a);
	if (x.cls < FLOAT_QUIET_NAN)
		return float_pack_parts(env, to, &x);
	if (x.cls == FLOAT_SIGNALLING_NAN)
		env->flags |= FLOAT_INVALID;
	if (env->nans == FLOAT_CANONICAL_NAN)
		return float_default_nan(env, to);
	/* The fraction's topmost bits. */
	uint64_t fraction = (a & fraction_mask(from)) << (64 - from->fraction_bits);
	return infinity(to, x.sign) | quiet_bit(to) | fraction >> (64 - to->fraction_bits);
}

/* Round a finite number to a whole one below 2^64 as far as it has room; true when it has. */
static bool whole_part(struct float_env *env, const struct float_parts *number, uint64_t *whole,
                       bool *inexact)
{
	*whole = 0;
	*inexact = false;
	if (number->cls == FLOAT_ZERO)
		return true;
	if (number->exponent > 63)
		return false;
	/* The number is scaled / 2^64. */
	struct wide scaled = wide_jam(number->significand, (unsigned)(63 - number->exponent));
	bool half = scaled.low >> 63, rest = scaled.low << 1 != 0;
	*whole = scaled.high;
	*inexact = half || rest;
	bool up = float_rounds_up(env->rounding, number->sign, *whole & 1, half, rest);
	if (env->rounding == FLOAT_TO_ODD && *inexact)
		*whole |= 1;
	*whole += up;
	return !(up && *whole == 0);
}

uint64_t float_round(struct float_env *env, const struct float_format *format, uint64_t a,
                     bool exact)
{
	struct float_parts x = float_unpack(env, format, a);
	uint64_t whole;
	bool inexact;
	if (x.cls >= FLOAT_QUIET_NAN)
		return float_nan_of(env, format, &a, 1);
	if (x.cls == FLOAT_ZERO)
		return zero(format, x.sign);
	if (x.cls == FLOAT_INFINITE || x.exponent >= format->fraction_bits)
		return a;
	whole_part(env, &x, &whole, &inexact);
	if (inexact && exact)
		env->flags |= FLOAT_INEXACT;
	if (!whole)
		return zero(format, x.sign);
	unsigned zeros = (unsigned)__builtin_clzll(whole);
	const struct wide significand = {whole << zeros, 0};
	return pack(env, format, x.sign, 63 - (int)zeros, significand);
}

uint64_t float_to_integer(struct float_env *env, const struct float_format *format, uint64_t a,
                          unsigned bits, bool is_signed, uint64_t nan)
{
	return float_to_fixed(env, format, a, bits, is_signed, nan, 0);
}

uint64_t float_parts_to_integer(struct float_env *env, const struct float_parts *a, unsigned bits,
                                bool is_signed)
{
	uint64_t most = UINT64_MAX >> (64 - bits + is_signed), whole;
	uint64_t least = is_signed ? most + 1 : 0; /* how far below 0 it may be */
	bool inexact;
	bool fits = a->cls != FLOAT_INFINITE && whole_part(env, a, &whole, &inexact);
	if (!fits || whole > (a->sign ? least : most)) {
		env->flags |= FLOAT_INVALID;
		return a->sign ? 0 - least : most;
	}
	if (inexact)
		env->flags |= FLOAT_INEXACT;
	return a->sign ? 0 - whole : whole;
}

uint64_t float_to_fixed(struct float_env *env, const struct float_format *format, uint64_t a,
                        unsigned bits, bool is_signed, uint64_t nan, unsigned places)
{
	struct float_parts x = float_unpack(env, format, a);
	if (x.cls >= FLOAT_QUIET_NAN) {
		env->flags |= FLOAT_INVALID;
		return nan;
	}
	x.exponent += (int)places;
	return float_parts_to_integer(env, &x, bits, is_signed);
}

uint64_t float_from_integer(struct float_env *env, const struct float_format *format,
                            uint64_t value, bool is_signed)
{
	return float_from_fixed(env, format, value, is_signed, 0);
}

struct float_parts float_parts_of_integer(uint64_t value, bool is_signed)
{
	bool sign = is_signed && (int64_t)value < 0;
	uint64_t magnitude = sign ? 0 - value : value;
	if (!magnitude)
		return (struct float_parts){.cls = FLOAT_ZERO};
	unsigned zeros = (unsigned)__builtin_clzll(magnitude);
	return (struct float_parts){FLOAT_NORMAL, sign, 63 - (int)zeros, {magnitude << zeros, 0}};
}

uint64_t float_from_fixed(struct float_env *env, const struct float_format *format, uint64_t value,
                          bool is_signed, unsigned places)
{
	struct float_parts parts = float_parts_of_integer(value, is_signed);
	parts.exponent -= (int)places;
	return float_pack_parts(env, format, &parts);
}

uint32_t float_to_word_modulo(struct float_env *env, uint64_t a)
{
	const struct float_format *format = &float_double;
	struct float_env towards_zero = *env;
	towards_zero.rounding = FLOAT_TO_ZERO;
	float_to_integer(&towards_zero, format, a, 32, true, 0);
	env->flags = towards_zero.flags;
	enum float_class cls = float_classify(format, a);
	int exponent = (int)(a >> 52 & 0x7ff) - bias(format);
	uint64_t fraction = (a & fraction_mask(format)) | UINT64_C(1) << 52;
	if (cls != FLOAT_NORMAL || exponent < 0 || exponent > 83)
		return 0;
	uint64_t whole = exponent > 52 ? fraction << (exponent - 52) : fraction >> (52 - exponent);
	return (uint32_t)(a >> 63 ? 0 - whole : whole);
}

/* ---- comparison ---- */

enum float_order float_compare(struct float_env *env, const struct float_format *format, uint64_t a,
                               uint64_t b, bool signalling)
{
	struct float_parts x = float_unpack(env, format, a), y = float_unpack(env, format, b);
	if (any_nan(&x, &y)) {
		if (signalling || x.cls == FLOAT_SIGNALLING_NAN || y.cls == FLOAT_SIGNALLING_NAN)
			env->flags |= FLOAT_INVALID;
		return FLOAT_UNORDERED;
	}
	if (x.cls == FLOAT_ZERO && y.cls == FLOAT_ZERO)
		return FLOAT_EQUAL;
	uint64_t sign = float_sign_bit(format);
	uint64_t left = x.cls == FLOAT_ZERO ? 0 : a, right = y.cls == FLOAT_ZERO ? 0 : b;
	if ((left ^ right) & sign)
		return left & sign ? FLOAT_LESS : FLOAT_GREATER;
	if (left == right)
		return FLOAT_EQUAL;
	return (left < right) != ((left & sign) != 0) ? FLOAT_LESS : FLOAT_GREATER;
}

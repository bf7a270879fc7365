/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_WIDE_H
#define EXEC_WIDE_H
/*
 * Unsigned numbers of 128 bits, for products, quotients and significands. Compilers for machines of
 * 32 bits have none; where there is one, products and quotients use it.
 */
#include <stdbool.h>
#include <stdint.h>

struct wide {
	uint64_t high, low;
};

static inline struct wide wide_left(struct wide a, unsigned n)
{
	if (n >= 64)
		return (struct wide){n < 128 ? a.low << (n - 64) : 0, 0};
	return n ? (struct wide){a.high << n | a.low >> (64 - n), a.low << n} : a;
}

static inline struct wide wide_right(struct wide a, unsigned n)
{
	if (n >= 64)
		return (struct wide){0, n < 128 ? a.high >> (n - 64) : 0};
	return n ? (struct wide){a.high >> n, a.low >> n | a.high << (64 - n)} : a;
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
	uint64_t low = a.low + b.low;
	return (struct wide){a.high + b.high + (low < a.low), low};
}

static inline struct wide wide_sub(struct wide a, struct wide b)
{
	return (struct wide){a.high - b.high - (a.low < b.low), a.low - b.low};
}

static inline bool wide_less(struct wide a, struct wide b)
{
	return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static inline bool wide_is_zero(struct wide a)
{
	return !(a.high | a.low);
}

/* Is any of the lowest n bits, up to 128, set? */
static inline bool wide_any_below(struct wide a, unsigned n)
{
	return !wide_is_zero(wide_left(a, 128 - n)) && n;
}

/* Shift right; what is lost leaves the lowest bit set. */
static inline struct wide wide_jam(struct wide a, unsigned n)
{
	struct wide shifted = wide_right(a, n);
	shifted.low |= wide_any_below(a, n < 128 ? n : 128);
	return shifted;
}

static inline unsigned wide_leading_zeros(struct wide a)
{
	return a.high ? (unsigned)__builtin_clzll(a.high) : 64 + (unsigned)__builtin_clzll(a.low);
}

static inline struct wide wide_product_by_halves(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
	return (struct wide){a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)low};
}

/* The quotient of a number whose upper half is less than the divisor; what is left to *rest. */
static inline uint64_t wide_divide_by_bits(struct wide a, uint64_t divisor, uint64_t *rest)
{
	uint64_t quotient = 0, left = a.high;
	for (int i = 63; i >= 0; i--) {
		bool above = left >> 63;
		left = left << 1 | (a.low >> i & 1);
		if (above || left >= divisor) {
			left -= divisor;
			quotient |= UINT64_C(1) << i;
		}
	}
	*rest = left;
	return quotient;
}

#ifdef __SIZEOF_INT128__
static inline struct wide wide_product(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;
	return (struct wide){(uint64_t)(product >> 64), (uint64_t)product};
}

static inline uint64_t wide_divide(struct wide a, uint64_t divisor, uint64_t *rest)
{
	unsigned __int128 dividend = (unsigned __int128)a.high << 64 | a.low;
	*rest = (uint64_t)(dividend % divisor);
	return (uint64_t)(dividend / divisor);
}
#else
static inline struct wide wide_product(uint64_t a, uint64_t b)
{
	return wide_product_by_halves(a, b);
}

static inline uint64_t wide_divide(struct wide a, uint64_t divisor, uint64_t *rest)
{
	return wide_divide_by_bits(a, divisor, rest);
}
#endif

/* The upper half of a product of signed numbers: as of unsigned ones, less what a sign adds to
 * them. */
static inline uint64_t wide_signed_high(uint64_t a, uint64_t b)
{
	return wide_product(a, b).high - (a >> 63 ? b : 0) - (b >> 63 ? a : 0);
}

/* The product without carries: of polynomials of bits. */
static inline struct wide wide_carryless(uint64_t a, uint64_t b)
{
	struct wide product = {0, 0};
	for (unsigned i = 0; i < 64; i++) {
		struct wide shifted = wide_left((struct wide){0, b >> i & 1 ? a : 0}, i);
		product.high ^= shifted.high;
		product.low ^= shifted.low;
	}
	return product;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_BITS_H
#define EXEC_BITS_H
/*
 * Arithmetic on 64-bit values of which not all bits are known.
 *
 * Always holds: a bit that is not known is 0 in `value`. Each function gives the bits that follow
 * from the known bits of its operands for every choice of the others. It may say "not known" where
 * more could be proved, never the reverse: tests/unit/test_exec.c tries all choices.
 */
#include <stdbool.h>
#include <stdint.h>

struct exec_bits {
	uint64_t value, known;
};

static inline struct exec_bits bits_known(uint64_t value)
{
	return (struct exec_bits){value, UINT64_MAX};
}

static inline struct exec_bits bits_unknown(void)
{
	return (struct exec_bits){0, 0};
}

/* A truth of which it may not be known whether it holds: 0 or 1. */
static inline struct exec_bits bits_truth(bool holds, bool known)
{
	return (struct exec_bits){known && holds, known ? UINT64_MAX : ~(uint64_t)1};
}

static inline bool bits_all(struct exec_bits a)
{
	return a.known == UINT64_MAX;
}

static inline bool bits_are_zero(struct exec_bits a)
{
	return bits_all(a) && a.value == 0;
}

static inline bool bits_both(struct exec_bits a, struct exec_bits b)
{
	return (a.known & b.known) == UINT64_MAX;
}

/* The least and the greatest value that it may have. */
static inline uint64_t bits_least(struct exec_bits a)
{
	return a.value;
}

static inline uint64_t bits_most(struct exec_bits a)
{
	return a.value | ~a.known;
}

static inline struct exec_bits bits_not(struct exec_bits a)
{
	return (struct exec_bits){~a.value & a.known, a.known};
}

static inline struct exec_bits bits_and(struct exec_bits a, struct exec_bits b)
{
	uint64_t zero = (a.known & ~a.value) | (b.known & ~b.value);
	return (struct exec_bits){a.value & b.value, (a.known & b.known) | zero};
}

static inline struct exec_bits bits_or(struct exec_bits a, struct exec_bits b)
{
	return (struct exec_bits){a.value | b.value, (a.known & b.known) | a.value | b.value};
}

static inline struct exec_bits bits_xor(struct exec_bits a, struct exec_bits b)
{
	uint64_t known = a.known & b.known;
	return (struct exec_bits){(a.value ^ b.value) & known, known};
}

/* a + b + carry. A bit of the sum is known where both operands' bits and the carry into it are;
 * a carry is known where it is the same for the least and the greatest operands. */
static inline struct exec_bits bits_add_carry(struct exec_bits a, struct exec_bits b, bool carry)
{
	uint64_t least = bits_least(a) + bits_least(b) + carry;
	if (bits_both(a, b))
		return bits_known(least);
	uint64_t most = bits_most(a) + bits_most(b) + carry;
	uint64_t carries_least = least ^ bits_least(a) ^ bits_least(b);
	uint64_t carries_most = most ^ bits_most(a) ^ bits_most(b);
	uint64_t known = a.known & b.known & ~(carries_least ^ carries_most);
	return (struct exec_bits){least & known, known};
}

static inline struct exec_bits bits_add(struct exec_bits a, struct exec_bits b)
{
	return bits_add_carry(a, b, false);
}

static inline struct exec_bits bits_sub(struct exec_bits a, struct exec_bits b)
{
	return bits_add_carry(a, bits_not(b), true);
}

/* The low `n` bits, 1 to 64, with zeros or with copies of the topmost of them above. */
static inline struct exec_bits bits_zero_extend(struct exec_bits a, unsigned n)
{
	uint64_t low = UINT64_MAX >> (64 - n);
	return (struct exec_bits){a.value & low, a.known | ~low};
}

static inline struct exec_bits bits_sign_extend(struct exec_bits a, unsigned n)
{
	unsigned shift = 64 - n;
	return (struct exec_bits){(uint64_t)((int64_t)(a.value << shift) >> shift),
	                          (uint64_t)((int64_t)(a.known << shift) >> shift)};
}

/* Shifts by a known number of places, 0 to 63. */
static inline struct exec_bits bits_left(struct exec_bits a, unsigned n)
{
	return (struct exec_bits){a.value << n, a.known << n | ~(UINT64_MAX << n)};
}

static inline struct exec_bits bits_right(struct exec_bits a, unsigned n)
{
	return (struct exec_bits){a.value >> n, a.known >> n | ~(UINT64_MAX >> n)};
}

static inline struct exec_bits bits_right_signed(struct exec_bits a, unsigned n)
{
	return (struct exec_bits){(uint64_t)((int64_t)a.value >> n), (uint64_t)((int64_t)a.known >> n)};
}

/* The number of places that a shift of `width` bits, a power of two, takes from its operand: -1 not
 * known. */
static inline int bits_places(struct exec_bits b, unsigned width)
{
	return (b.known & (width - 1)) == width - 1 ? (int)(b.value & (width - 1)) : -1;
}

/* Shifts by such an operand. 0 stays 0, however far it goes. */
static inline struct exec_bits bits_left_by(struct exec_bits a, struct exec_bits b, unsigned width)
{
	int n = bits_places(b, width);
	return n >= 0 ? bits_left(a, (unsigned)n) : bits_are_zero(a) ? a : bits_unknown();
}

static inline struct exec_bits bits_right_by(struct exec_bits a, struct exec_bits b, unsigned width)
{
	int n = bits_places(b, width);
	return n >= 0 ? bits_right(a, (unsigned)n) : bits_are_zero(a) ? a : bits_unknown();
}

static inline struct exec_bits bits_right_signed_by(struct exec_bits a, struct exec_bits b,
                                                    unsigned width)
{
	int n = bits_places(b, width);
	return n >= 0 ? bits_right_signed(a, (unsigned)n) : bits_are_zero(a) ? a : bits_unknown();
}

/* Truths of comparisons. */
static inline struct exec_bits bits_equal(struct exec_bits a, struct exec_bits b)
{
	bool differ = ((a.value ^ b.value) & a.known & b.known) != 0;
	return bits_truth(!differ, differ || bits_both(a, b));
}

static inline struct exec_bits bits_less(struct exec_bits a, struct exec_bits b)
{
	bool always = bits_most(a) < bits_least(b), never = bits_least(a) >= bits_most(b);
	return bits_truth(always, always || never);
}

static inline struct exec_bits bits_flip_sign(struct exec_bits a)
{
	return (struct exec_bits){(a.value ^ UINT64_C(1) << 63) & a.known, a.known};
}

static inline struct exec_bits bits_less_signed(struct exec_bits a, struct exec_bits b)
{
	return bits_less(bits_flip_sign(a), bits_flip_sign(b));
}

/* a where the truth holds, else b; where it is not known, what both agree on. */
static inline struct exec_bits bits_choose(struct exec_bits truth, struct exec_bits a,
                                           struct exec_bits b)
{
	if (truth.known & 1)
		return truth.value & 1 ? a : b;
	uint64_t known = a.known & b.known & ~(a.value ^ b.value);
	return (struct exec_bits){a.value & known, known};
}

/* Bit by bit: a where the bit of `which` is set, b elsewhere. */
static inline struct exec_bits bits_merge(struct exec_bits which, struct exec_bits a,
                                          struct exec_bits b)
{
	struct exec_bits made = bits_or(bits_and(which, a), bits_and(bits_not(which), b));
	uint64_t same = a.known & b.known & ~(a.value ^ b.value);
	return (struct exec_bits){made.value | (same & a.value), made.known | same};
}

/* How many zeros stand above the topmost one, of 64 bits; it has to be known, and all above it. */
static inline struct exec_bits bits_leading_zeros(struct exec_bits a)
{
	uint64_t most = bits_most(a), least = bits_least(a);
	unsigned n = most ? (unsigned)__builtin_clzll(most) : 64;
	return n == (least ? (unsigned)__builtin_clzll(least) : 64) ? bits_known(n) : bits_unknown();
}

/* How many bits are set; all have to be known. */
static inline struct exec_bits bits_count(struct exec_bits a)
{
	return bits_all(a) ? bits_known((uint64_t)__builtin_popcountll(a.value)) : bits_unknown();
}

static inline struct exec_bits bits_reverse_bytes(struct exec_bits a)
{
	return (struct exec_bits){__builtin_bswap64(a.value), __builtin_bswap64(a.known)};
}

/* The bits of each byte in the other order. */
static inline uint64_t bits_reversed_in_bytes(uint64_t value)
{
	value = (value & 0x5555555555555555) << 1 | (value >> 1 & 0x5555555555555555);
	value = (value & 0x3333333333333333) << 2 | (value >> 2 & 0x3333333333333333);
	return (value & 0x0f0f0f0f0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f0f0f0f0f);
}

static inline struct exec_bits bits_reverse_in_bytes(struct exec_bits a)
{
	return (struct exec_bits){bits_reversed_in_bytes(a.value), bits_reversed_in_bytes(a.known)};
}

/* The lowest bits of a product follow from as many lowest bits of the factors. */
static inline struct exec_bits bits_multiply(struct exec_bits a, struct exec_bits b)
{
	uint64_t product = a.value * b.value, unknown = ~(a.known & b.known);
	if (!unknown)
		return bits_known(product);
	if ((bits_all(a) && !a.value) || (bits_all(b) && !b.value))
		return bits_known(0);
	uint64_t known = (unknown & (0 - unknown)) - 1;
	return (struct exec_bits){product & known, known};
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXEC_CRYPTO_H
#define EXEC_CRYPTO_H
/*
 * What instructions for ciphers and hashes are made of, of several sets. Sources: FIPS 197 (AES),
 * FIPS 180-4 (SHA), GB/T 32907 (SM4), GB/T 32905 (SM3).
 */
#include <stdbool.h>
#include <stdint.h>

/* ---- words that turn ---- */

static inline uint32_t crypto_right(uint32_t a, unsigned n)
{
	return n % 32 ? a >> n % 32 | a << (32 - n % 32) : a;
}

static inline uint32_t crypto_left(uint32_t a, unsigned n)
{
	return crypto_right(a, 32 - n % 32);
}

static inline uint64_t crypto_right_64(uint64_t a, unsigned n)
{
	return a >> n | a << (64 - n);
}

static inline uint64_t crypto_choose(uint64_t which, uint64_t a, uint64_t b)
{
	return (which & a) | (~which & b);
}

static inline uint64_t crypto_majority(uint64_t a, uint64_t b, uint64_t c)
{
	return (a & b) | ((a | b) & c);
}

/* The sums of SHA-512 of three turns; the "sigmas" shift the last one, and those of SHA-256 have 32
 * bits. */
static inline uint64_t crypto_sum_512(uint64_t a, unsigned first, unsigned second, unsigned third)
{
	return crypto_right_64(a, first) ^ crypto_right_64(a, second) ^ crypto_right_64(a, third);
}

static inline uint64_t crypto_sigma_512(uint64_t a, unsigned first, unsigned second, unsigned down)
{
	return crypto_right_64(a, first) ^ crypto_right_64(a, second) ^ a >> down;
}

static inline uint32_t crypto_sum_256(uint32_t a, unsigned first, unsigned second, unsigned third)
{
	return crypto_right(a, first) ^ crypto_right(a, second) ^ crypto_right(a, third);
}

static inline uint32_t crypto_sigma_256(uint32_t a, unsigned first, unsigned second, unsigned down)
{
	return crypto_right(a, first) ^ crypto_right(a, second) ^ a >> down;
}

/* ---- AES and SM4: bytes as polynomials ---- */

/* A product modulo a polynomial, whose bits are given without x^8. */
static inline uint8_t crypto_product(uint8_t a, uint8_t b, uint8_t modulus)
{
	uint8_t product = 0;
	for (; b; b >>= 1) {
		product ^= b & 1 ? a : 0;
		a = (uint8_t)(a << 1 ^ (a >> 7 ? modulus : 0));
	}
	return product;
}

/* a^254: 0 has no inverse, and stays. */
static inline uint8_t crypto_inverse(uint8_t a, uint8_t modulus)
{
	uint8_t made = 1;
	for (unsigned i = 0; i < 7; i++) {
		a = crypto_product(a, a, modulus);
		made = crypto_product(made, a, modulus);
	}
	return made;
}

static inline uint8_t crypto_turned_byte(uint8_t a, unsigned left)
{
	return (uint8_t)(a << left | a >> (8 - left));
}

/* AES's polynomial is x^8 + x^4 + x^3 + x + 1. */
static inline uint8_t crypto_aes_product(uint8_t a, uint8_t b)
{
	return crypto_product(a, b, 0x1b);
}

static inline uint8_t crypto_aes_substitute(uint8_t a, bool backwards)
{
	if (backwards)
		return crypto_inverse((uint8_t)(crypto_turned_byte(a, 1) ^ crypto_turned_byte(a, 3) ^
		                                crypto_turned_byte(a, 6) ^ 5),
		                      0x1b);
	a = crypto_inverse(a, 0x1b);
	return (uint8_t)(a ^ crypto_turned_byte(a, 1) ^ crypto_turned_byte(a, 2) ^
	                 crypto_turned_byte(a, 3) ^ crypto_turned_byte(a, 4) ^ 0x63);
}

/* SM4's S-box: an inverse modulo x^8 + x^7 + x^6 + x^5 + x^4 + x^2 + 1 between two equal affine maps. */
static inline uint8_t crypto_sm4_affine(uint8_t a)
{
	uint8_t made = 0;
	for (unsigned i = 0; i < 8; i++)
		made |= (uint8_t)((__builtin_popcount(crypto_turned_byte(0xa7, i) & a) & 1) << i);
	return made ^ 0xd3;
}

static inline uint8_t crypto_sm4_substitute(uint8_t a)
{
	return crypto_sm4_affine(crypto_inverse(crypto_sm4_affine(a), 0xf5));
}

static inline uint32_t crypto_sm4_substitute_word(uint32_t a)
{
	uint32_t made = 0;
	for (unsigned i = 0; i < 32; i += 8)
		made |= (uint32_t)crypto_sm4_substitute((uint8_t)(a >> i)) << i;
	return made;
}

/* What SM4's substituted words are spread by, in rounds and in the key schedule. */
static inline uint32_t crypto_sm4_mix(uint32_t a)
{
	return a ^ crypto_left(a, 2) ^ crypto_left(a, 10) ^ crypto_left(a, 18) ^ crypto_left(a, 24);
}

static inline uint32_t crypto_sm4_key(uint32_t a)
{
	return a ^ crypto_left(a, 13) ^ crypto_left(a, 23);
}

static inline uint32_t crypto_aes_substitute_word(uint32_t a)
{
	uint32_t made = 0;
	for (unsigned i = 0; i < 32; i += 8)
		made |= (uint32_t)crypto_aes_substitute((uint8_t)(a >> i), false) << i;
	return made;
}

/* A column of AES's state, mixed; its first byte is the lowest. */
static inline uint32_t crypto_aes_mix(uint32_t a, bool backwards)
{
	static const uint8_t factors[2][4] = {{2, 3, 1, 1}, {14, 11, 13, 9}};
	uint32_t made = 0;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < 4; k++)
			made ^= (uint32_t)crypto_aes_product((uint8_t)(a >> 8 * ((i + k) & 3)),
			                                     factors[backwards][k])
			        << 8 * i;
	return made;
}

/* Rows turn by their number of columns, then all bytes are substituted: of four columns. */
static inline void crypto_aes_rows(uint32_t *made, const uint32_t *state, bool backwards)
{
	for (unsigned i = 0; i < 4; i++) {
		made[i] = 0;
		for (unsigned row = 0; row < 4; row++) {
			unsigned from = (backwards ? i - row : i + row) & 3;
			made[i] |= (uint32_t)crypto_aes_substitute((uint8_t)(state[from] >> 8 * row), backwards)
			           << 8 * row;
		}
	}
}

/* The constant of a round of AES's key schedule, from 0 on. */
static inline uint32_t crypto_aes_constant(unsigned round)
{
	uint8_t made = 1;
	while (round--)
		made = crypto_aes_product(made, 2);
	return made;
}

#endif

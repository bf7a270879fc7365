/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIXL_HEX_H
#define VIXL_HEX_H
/*
 * Hexadecimal digits and drawings, eight bytes at a time. A number counts only if it is spelt as
 * the simulator spells it, in lower case: what was read is turned back into digits and compared,
 * which also finds everything that is not a digit.
 */
#include <stdbool.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bytes.h"

/* These are the innermost loop. */
#define VIXL_INLINE __attribute__((always_inline))
#define VIXL_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Nibbles from digits, the most significant in the lowest byte; nonsense from anything else. */
static inline VIXL_INLINE uint64_t vixl_nibbles(uint64_t digits)
{
	return (digits & VIXL_EACH(0x0f)) + 9 * (digits >> 6 & VIXL_EACH(1));
}

/* 0 when the bytes are the digits of these nibbles. */
static inline VIXL_INLINE uint64_t vixl_no_digits(uint64_t digits, uint64_t nibbles)
{
	uint64_t letter = (nibbles + VIXL_EACH(6)) >> 4 & VIXL_EACH(1);
	uint64_t beyond = nibbles & VIXL_EACH(0xf0); /* g to o would come back as themselves */
	return ((nibbles + VIXL_EACH('0') + letter * ('a' - '9' - 1)) ^ digits) | beyond;
}

static inline VIXL_INLINE uint32_t vixl_pack(uint64_t nibbles)
{
	uint64_t v = __builtin_bswap64(nibbles);
	v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(v | v >> 16);
}

static inline VIXL_INLINE bool vixl_hex8(const char *p, uint32_t *out)
{
	uint64_t digits = base_le64((const uint8_t *)p), nibbles = vixl_nibbles(digits);
	*out = vixl_pack(nibbles);
	return !vixl_no_digits(digits, nibbles);
}

static inline VIXL_INLINE bool vixl_hex16(const char *p, uint64_t *out)
{
	uint64_t a = base_le64((const uint8_t *)p), b = base_le64((const uint8_t *)p + 8);
	uint64_t x = vixl_nibbles(a), y = vixl_nibbles(b);
	*out = (uint64_t)vixl_pack(x) << 32 | vixl_pack(y);
	return !(vixl_no_digits(a, x) | vixl_no_digits(b, y));
}

#ifdef __SSE2__
/* Sixteen bytes of all ones where a byte is no digit. */
static inline VIXL_INLINE __m128i vixl_not_digits(__m128i v)
{
	__m128i nine = _mm_sub_epi8(v, _mm_set1_epi8('0')), six = _mm_sub_epi8(v, _mm_set1_epi8('a'));
	__m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(nine, _mm_set1_epi8(9)), nine),
			letter = _mm_cmpeq_epi8(_mm_min_epu8(six, _mm_set1_epi8(5)), six);
	return _mm_cmpeq_epi8(_mm_or_si128(digit, letter), _mm_setzero_si128());
}

/* The fixed part of an instruction's line, but for its tabs. */
static inline VIXL_INLINE bool vixl_looks_like_insn(const char *p)
{
	enum { SPACES = 3 << 6, PC_TOO = 63 };
	__m128i pc = _mm_loadu_si128((const __m128i *)(const void *)(p + 2));
	__m128i rest = _mm_loadu_si128((const __m128i *)(const void *)(p + 12));
	unsigned spaces = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(rest, _mm_set1_epi8(' ')));
	unsigned hidden = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(pc, _mm_set1_epi8('~')));
	unsigned masked = hidden == 0xffff ? ~0u : 0;
	unsigned bad =
		((unsigned)_mm_movemask_epi8(vixl_not_digits(pc)) & ~masked) |
		((unsigned)_mm_movemask_epi8(vixl_not_digits(rest)) & ~(SPACES | (masked & PC_TOO)));
	return !(bad | ((spaces & SPACES) ^ SPACES) | (unsigned)(p[0] ^ '0') | (unsigned)(p[1] ^ 'x'));
}
#else
/* The fixed part of an instruction's line, but for its tabs. */
static inline VIXL_INLINE bool vixl_looks_like_insn(const char *p)
{
	const uint64_t hidden = UINT64_C(0x7e7e7e7e7e7e7e7e);
	uint64_t a = base_le64((const uint8_t *)p + 2), b = base_le64((const uint8_t *)p + 10),
			 c = base_le64((const uint8_t *)p + 20);
	uint64_t bad = vixl_no_digits(c, vixl_nibbles(c));
	if (a != hidden || b != hidden)
		bad |= vixl_no_digits(a, vixl_nibbles(a)) | vixl_no_digits(b, vixl_nibbles(b));
	unsigned ends = (unsigned)(p[0] ^ '0') | (unsigned)(p[1] ^ 'x') | (unsigned)(p[18] ^ ' ') |
	                (unsigned)(p[19] ^ ' ');
	return !(bad | ends);
}
#endif

/* 2, 4, 8 or 16 digits. */
static inline VIXL_INLINE bool vixl_hex_n(const char *p, unsigned digits, uint64_t *out)
{
	uint32_t v;
	char eight[8];
	bool good;
	if (digits == 16)
		return vixl_hex16(p, out);
	if (digits == 8) {
		good = vixl_hex8(p, &v);
		*out = v;
		return good;
	}
	memset(eight, '0', sizeof eight);
	if (digits == 4)
		memcpy(eight + 4, p, 4);
	else
		memcpy(eight + 6, p, 2);
	good = vixl_hex8(eight, &v);
	*out = v;
	return good;
}

/* 8 to 32 spaces. */
static inline VIXL_INLINE bool vixl_blanks(const char *p, unsigned n)
{
	uint64_t bad = 0;
	for (unsigned i = 0; i + 8 <= n; i += 8)
		bad |= base_le64((const uint8_t *)p + i) ^ VIXL_EACH(' ');
	return !(bad | (base_le64((const uint8_t *)p + n - 8) ^ VIXL_EACH(' ')));
}

/* Is it all spaces and bytes above 0x7f? *spaces: how many of the former. */
static inline VIXL_INLINE bool vixl_drawing(const char *p, size_t n, unsigned *spaces)
{
	uint64_t bad = 0;
	unsigned high = 0;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t x = base_le64((const uint8_t *)p + i);
		uint64_t top = x >> 7 & VIXL_EACH(1);
		high += (unsigned)(top * VIXL_EACH(1) >> 56);
		bad |= (x ^ VIXL_EACH(' ')) & ~(top * 0xff);
	}
	for (; i < n; i++) {
		unsigned char c = (unsigned char)p[i];
		high += c >> 7;
		bad |= c < 0x80 && c != ' ';
	}
	*spaces = (unsigned)n - high;
	return !bad;
}

#endif

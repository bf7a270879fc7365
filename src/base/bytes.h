/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H
/*
 * Unaligned access in a stated byte order: the only place that touches raw
 * file layouts. The compiler turns each of these into one load or store.
 */
#include <stdint.h>
#include <string.h>

static inline uint16_t base_le16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap16(v);
#endif
	return v;
}

static inline uint32_t base_le32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

static inline uint64_t base_le64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline uint16_t base_be16(const uint8_t *p)
{
	return __builtin_bswap16(base_le16(p));
}

static inline uint32_t base_be32(const uint8_t *p)
{
	return __builtin_bswap32(base_le32(p));
}

static inline uint64_t base_be64(const uint8_t *p)
{
	return __builtin_bswap64(base_le64(p));
}

static inline void base_put_le16(uint8_t *p, uint16_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap16(value);
#endif
	memcpy(p, &value, sizeof value);
}

static inline void base_put_le32(uint8_t *p, uint32_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap32(value);
#endif
	memcpy(p, &value, sizeof value);
}

static inline void base_put_le64(uint8_t *p, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	memcpy(p, &value, sizeof value);
}

static inline void base_put_be16(uint8_t *p, uint16_t value)
{
	base_put_le16(p, __builtin_bswap16(value));
}

static inline void base_put_be32(uint8_t *p, uint32_t value)
{
	base_put_le32(p, __builtin_bswap32(value));
}

static inline void base_put_be64(uint8_t *p, uint64_t value)
{
	base_put_le64(p, __builtin_bswap64(value));
}

/* Little-endian integer of 1 to 8 bytes. */
static inline uint64_t base_le(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* The same, big-endian. */
static inline uint64_t base_be(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static inline void base_put_le(uint8_t *p, unsigned n, uint64_t value)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

/* Write a number at `p`, seven bits a byte, the lowest first; all bytes but the last have their top
 * bit set. Returns where it ends. */
static inline uint8_t *base_put_varint(uint8_t *p, uint64_t value)
{
	for (; value >> 7; value >>= 7)
		*p++ = (uint8_t)(value | 0x80);
	*p++ = (uint8_t)value;
	return p;
}

/* One step of a hash over 64-bit words. */
static inline uint64_t base_hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H
/*
 * Numbers and names as text, straight into memory the caller has reserved.
 *
 * Each function writes at `p` and returns the end of what it wrote. To stay
 * free of branches some store whole words: up to TEXT_SLACK bytes after the
 * returned end may be scribbled over, so reserve that much more. Nothing is
 * terminated.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "base/bytes.h"

enum { TEXT_SLACK = 32 };

extern const char text_pairs[200]; /* "000102 … 99" */

/* Room for `n` bytes and the slack at the end of a buffer; NULL when there is none
 * to be had. Give back the end with text_close. */
static inline char *text_open(struct base_buf *buf, size_t n)
{
	if (buf->cap - buf->len < n + TEXT_SLACK && base_buf_reserve(buf, n + TEXT_SLACK) < 0)
		return NULL;
	return (char *)buf->data + buf->len;
}

static inline void text_close(struct base_buf *buf, const char *end)
{
	buf->len = (size_t)((const uint8_t *)end - buf->data);
}

/* The line ends at `end`: 0, for the caller to return. */
static inline int text_end_line(struct base_buf *buf, char *end)
{
	*end++ = '\n';
	text_close(buf, end);
	return 0;
}

static inline char *text_put(char *p, const char *text, size_t n)
{
	memcpy(p, text, n);
	return p + n;
}
/* The same for a short name, without a call. */
static inline char *text_name(char *p, const char *text, size_t n)
{
	if (n > 16)
		return text_put(p, text, n);
	if (n >= 8) {
		memcpy(p, text, 8);
		memcpy(p + n - 8, text + n - 8, 8);
	} else if (n >= 4) {
		memcpy(p, text, 4);
		memcpy(p + n - 4, text + n - 4, 4);
	} else if (n) {
		p[0] = text[0];
		p[n / 2] = text[n / 2];
		p[n - 1] = text[n - 1];
	}
	return p + n;
}
#define TEXT_LIT(p, lit) text_put(p, "" lit, sizeof lit - 1)

static inline char *text_spaces(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

/* Up to column `width` counted from `from`; at least `least` spaces. */
static inline char *text_pad(char *p, const char *from, size_t width, size_t least)
{
	size_t have = (size_t)(p - from);
	return text_spaces(p, have + least > width ? least : width - have);
}

/* Eight nibbles become eight digits, the most significant in the lowest byte. */
static inline uint64_t text_nibbles(uint32_t value)
{
	uint64_t x = value;
	x = (x | x << 16) & 0x0000ffff0000ffffu;
	x = (x | x << 8) & 0x00ff00ff00ff00ffu;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
	uint64_t letter = ((x + 0x0606060606060606u) >> 4) & 0x0101010101010101u;
	return __builtin_bswap64(x + 0x3030303030303030u + letter * ('a' - '9' - 1));
}

static inline char *text_hex4(char *p, uint32_t value)
{
	base_put_le32((uint8_t *)p, (uint32_t)(text_nibbles(value & 0xffff) >> 32));
	return p + 4;
}

static inline char *text_hex8(char *p, uint32_t value)
{
	base_put_le64((uint8_t *)p, text_nibbles(value));
	return p + 8;
}

static inline char *text_hex16(char *p, uint64_t value)
{
	text_hex8(p, (uint32_t)(value >> 32));
	text_hex8(p + 8, (uint32_t)value);
	return p + 16;
}

/* The lowest `digits` (1 to 16) digits. */
static inline char *text_hex(char *p, uint64_t value, unsigned digits)
{
	text_hex16(p, value << (4 * (16 - digits)));
	return p + digits;
}

static inline unsigned text_hex_digits(uint64_t value)
{
	return (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
}

/* "0x" and as many digits as it takes, at least `least`. */
static inline char *text_0x(char *p, uint64_t value, unsigned least)
{
	unsigned digits = text_hex_digits(value);
	p[0] = '0';
	p[1] = 'x';
	return text_hex(p + 2, value, digits < least ? least : digits);
}

static inline unsigned text_dec_digits(uint64_t value)
{
	unsigned n = 1;
	for (;; n += 4, value /= 10000) {
		if (value < 10)
			return n;
		if (value < 100)
			return n + 1;
		if (value < 1000)
			return n + 2;
		if (value < 10000)
			return n + 3;
	}
}

/* Right-justified in `digits` places, which must be enough; those to the left of
 * the number are not touched. */
static inline void text_dec_back(char *end, uint64_t value)
{
	for (; value >= 100; value /= 100) {
		end -= 2;
		memcpy(end, text_pairs + 2 * (value % 100), 2);
	}
	if (value >= 10)
		memcpy(end - 2, text_pairs + 2 * value, 2);
	else
		end[-1] = (char)('0' + value);
}

static inline char *text_dec(char *p, uint64_t value)
{
	p += text_dec_digits(value);
	text_dec_back(p, value);
	return p;
}

/* Right-justified in `width` columns (at most TEXT_SLACK), wider when it must be. */
static inline char *text_dec_pad(char *p, uint64_t value, unsigned width)
{
	unsigned digits = text_dec_digits(value);
	if (digits < width) {
		memset(p, ' ', width);
		digits = width;
	}
	p += digits;
	text_dec_back(p, value);
	return p;
}

/* Length of the well-formed UTF-8 character at s, 0 when there is none. */
size_t text_utf8(const char *text, size_t n);

/* The same for one that neither controls a terminal nor hides what is around it. */
size_t text_printable(const char *text, size_t n);

/* Make a text harmless for terminals and lines: control characters and bytes
 * that are not UTF-8 become \n, \t or \xNN, a backslash is doubled and, with
 * `quote`, so is `"` escaped. Needs 4 bytes of room for each of `n`. */
char *text_escape(char *p, const char *text, size_t n, bool quote);

/* Append at most `most` bytes of a text for XML and HTML ("main.."); what is not UTF-8, or a
 * control character, becomes ?. >= 0 or CAIRN_E_NOMEM. */
int text_xml(struct base_buf *buf, const char *text, size_t most);

/* Bytes in hex as they lie; and as one number, least significant byte first in
 * memory, without prefix. Both need 2 bytes of room for each of `n`. */
char *text_bytes(char *p, const uint8_t *bytes, size_t n);
char *text_wide(char *p, const uint8_t *bytes, size_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quick way to take a line apart: fixed columns, eight digits at a time, for the kinds that
 * make up nearly all of an uncoloured log of today's dialect. It gives the same result as the
 * table, or leaves the line to the table; tests compare the two.
 */
#include <string.h>

#include "formats/vixl/line/hex.h"
#include "formats/vixl/line/line.h"

/* 16 digits, or as many ~ where they are masked. */
static inline VIXL_INLINE bool quick_hex16(const char *p, uint64_t *out, uint8_t *masked,
                                           uint8_t bit)
{
	const uint64_t mask = VIXL_EACH('~');
	if (__builtin_expect(vixl_hex16(p, out), 1))
		return true;
	if (base_le64((const uint8_t *)p) != mask || base_le64((const uint8_t *)p + 8) != mask)
		return false;
	*out = 0;
	*masked |= bit;
	return true;
}

/* What may stand behind a value: an annotation, an arrow. */
static inline bool quick_tail(const char *p, const char *end, struct vixl_line *line)
{
	line->arrow = 0;
	line->fp = NULL;
	line->fp_len = 0;
	if (p == end)
		return true;
	if (end - p >= 22 && end[-18] == '0' && end[-17] == 'x') {
		if (end[-22] != ' ' || end[-19] != ' ' ||
		    !quick_hex16(end - 16, &line->addr, &line->masked, VIXL_MASKED_ADDR))
			return false;
		if (end[-21] == '<' && end[-20] == '-')
			line->arrow = '<';
		else if (end[-21] == '-' && end[-20] == '>')
			line->arrow = '>';
		else
			return false;
		end -= 22;
		if (p == end)
			return true;
	}
	if (end - p < 3 || p[0] != ' ' || p[1] != '(' || end[-1] != ')' ||
	    memchr(p, ')', (size_t)(end - p)) != end - 1 || memchr(p, '\033', (size_t)(end - p)))
		return false;
	line->fp = p + 2;
	line->fp_len = (uint32_t)(end - 1 - line->fp);
	return true;
}

/* Columns of a name: today; before 2019-11; and for some years of vectors then. */
enum { COLUMNS = 14, OLD_COLUMNS = 5, OLD_VECTOR_COLUMNS = 13 };

/* "x9", "x10", "lr", in the last three columns of the name; nothing before it. */
static inline VIXL_INLINE bool quick_name(const char *p, unsigned columns, struct vixl_line *line)
{
	const char *q = p + columns - 3;
	unsigned c = (unsigned char)q[0], d = (unsigned char)q[1], e = (unsigned char)q[2];
	unsigned num = e - '0';
	if (columns > OLD_COLUMNS ? !vixl_blanks(p, columns - 3) : p[0] != ' ' || p[1] != ' ')
		return false;
	line->special = VIXL_PLAIN;
	if (num > 9) {
		bool link = d == 'l' && e == 'r';
		if (c != ' ' || (!link && !(d == 's' && e == 'p')))
			return false;
		line->special = link ? VIXL_LR : VIXL_SP;
		line->letter = 'x';
		line->num = link ? 30 : 31;
		line->pad_name = (uint8_t)(columns - 2);
		return true;
	}
	if (c == ' ') {
		line->letter = (char)d;
		line->pad_name = (uint8_t)(columns - 2);
	} else {
		if (d - '1' > 8)
			return false;
		num += 10 * (d - '0');
		line->letter = (char)c;
		line->pad_name = (uint8_t)(columns - 3);
	}
	line->num = (uint16_t)num;
	return true;
}

/* "<127:0>" that ends at *e, which goes back to its beginning. */
static inline bool quick_range(const char *p, const char **e, struct vixl_line *line)
{
	unsigned v[2], k = 0;
	const char *q = *e - 1; /* the '>' */
	for (; k < 2; k++) {
		unsigned scale = 1;
		const char *last = q;
		v[k] = 0;
		for (q--; q > p && *q >= '0' && *q <= '9' && scale < 10000; q--, scale *= 10)
			v[k] += scale * (unsigned)(*q - '0');
		if (last - q < 2 || *q != (k ? '<' : ':') || (q[1] == '0' && last - q > 2))
			return false;
	}
	*e = q;
	line->lsb = (uint16_t)v[0];
	line->msb = (uint16_t)v[1];
	return v[0] <= v[1] && v[1] <= 2047;
}

/* A name and a range, which fill the columns up to `end`. */
static inline bool quick_part(const char *p, const char *end, struct vixl_line *line)
{
	if (!quick_range(p, &end, line) || end - p < 2)
		return false;
	unsigned num = (unsigned)(end[-1] - '0');
	const char *q = end - 2;
	if (num > 9)
		return false;
	if (q > p && *q >= '1' && *q <= '9')
		num += 10 * (unsigned)(*q-- - '0');
	line->letter = *q;
	line->special = VIXL_PLAIN;
	line->num = (uint16_t)num;
	line->pad_name = (uint8_t)(q - p);
	for (; q > p; q--)
		if (q[-1] != ' ')
			return false;
	return true;
}

/* The kind by letter; 0: what has to be looked at more closely. */
static inline unsigned quick_kind(const struct vixl_line *line, unsigned bits)
{
	switch (line->letter) {
	case 'x':
	case 'w':
		if (line->num > 30 && !line->special)
			return 0;
		if (line->ranged)
			return line->lsb || bits > vixl_whole_bits(line->letter) ? 0u : (unsigned)VIXL_XPART;
		return line->letter == 'x' ? VIXL_XREG : VIXL_WREG;
	case 'z':
		return line->ranged && bits == 128 && line->lsb % 128 == 0 && line->num <= 31
		           ? (unsigned)VIXL_ZREG
		           : 0u;
	case 'v':
	case 'd':
	case 's':
	case 'h':
	case 'b':
		if (line->num > 31 || (line->ranged && (line->lsb || bits > vixl_whole_bits(line->letter))))
			return 0;
		return line->ranged ? VIXL_VPART : VIXL_VREG;
	case 'p':
		return line->ranged && bits == 16 && line->lsb % 16 == 0 && line->num <= 15
		           ? (unsigned)VIXL_PREG
		           : 0u;
	default:
		return 0;
	}
}

/* "0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1" */
static inline bool quick_bits(const char *p, const char *end, struct vixl_line *line)
{
	const uint64_t zeros = UINT64_C(0x3020302030203020), ones = UINT64_C(0x0100010001000100);
	uint64_t bad = 0, v = 0;
	if (end - p < 34 || p[0] != '0' || p[1] != 'b')
		return false;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t x = base_le64((const uint8_t *)p + 2 + 8 * i) ^ zeros;
		bad |= x & ~ones;
		v = v << 4 | (x >> 5 & 8) | (x >> 22 & 4) | (x >> 39 & 2) | (x >> 56 & 1);
	}
	line->value[0] = v;
	line->pad_value = 0;
	line->bytes = 2;
	return !bad && quick_tail(p + 34, end, line);
}

static inline bool quick_value(const char *p, const char *end, unsigned bytes,
                               struct vixl_line *line)
{
	unsigned room = line->letter == 'x' || line->letter == 'w' ? 8 : 16, pad = 2 * (room - bytes);
	const char *v = p + pad + 2;
	if (bytes == 0 || bytes > room || (bytes & (bytes - 1)) ||
	    (size_t)(end - p) < pad + 2 + 2 * bytes || v[-2] != '0' || v[-1] != 'x' ||
	    (pad && !vixl_blanks(p, pad)))
		return false;
	line->pad_value = (uint8_t)pad;
	line->bytes = (uint8_t)bytes;
	line->value[1] = 0;
	if (bytes == 16) {
		if (!vixl_hex16(v, &line->value[1]) || !vixl_hex16(v + 16, &line->value[0]))
			return false;
	} else if (bytes == 8 ? !quick_hex16(v, &line->value[0], &line->masked, VIXL_MASKED_VALUE)
	                      : !vixl_hex_n(v, 2 * bytes, &line->value[0])) {
		return false;
	}
	return quick_tail(v + 2 * bytes, end, line);
}

static inline bool quick_register(const char *p, const char *end, struct vixl_line *line)
{
	line->ranged = p[15] == '>';
	if (line->ranged ? !quick_part(p + 2, p + 16, line) : !quick_name(p + 2, COLUMNS, line))
		return false;
	if (!line->ranged) {
		line->lsb = 0;
		line->msb = (uint16_t)(vixl_whole_bits(line->letter) - 1);
	}
	unsigned bits = (unsigned)line->msb - line->lsb + 1;
	line->pad_post = 0;
	line->kind = (uint8_t)quick_kind(line, bits);
	if (line->letter == 'p')
		return line->kind && quick_bits(p + 18, end, line);
	return line->kind && bits % 8 == 0 && quick_value(p + 18, end, bits / 8, line) &&
	       (line->ranged ? line->letter != 'w' : line->arrow != '>'); /* not today's */
}

/* A register of the dialect before 2019-11: an integer, or all of a vector. */
static bool quick_old(const char *p, const char *end, unsigned columns, struct vixl_line *line)
{
	if (!quick_name(p + 2, columns, line))
		return false;
	bool vector = line->letter == 'v', integer = line->letter == 'x' || line->letter == 'w';
	if (!vector && !(integer && columns == OLD_COLUMNS))
		return false;
	line->ranged = 0;
	line->lsb = 0;
	line->msb = (uint16_t)(vixl_whole_bits(line->letter) - 1);
	line->pad_post = 0;
	line->kind = (uint8_t)quick_kind(line, (unsigned)line->msb + 1);
	line->quick = 0; /* not today's */
	return line->kind && quick_value(p + columns + 4, end, (line->msb + 1u) / 8, line) &&
	       (!line->fp || vector);
}

static inline bool quick_access(const char *p, const char *end, struct vixl_line *line)
{
	const char *e = end - 22;
	unsigned digits_of, k = 0;
	if (end - p < 46)
		return false;
	for (const char *q = e;; k++) {
		const char *last = q;
		for (q--; q > p && *q != '\'' && *q != 'x'; q--)
			if (last - q > 16)
				return false;
		digits_of = (unsigned)(last - q - 1);
		if (k == 4 || digits_of == 0 || digits_of & (digits_of - 1) || digits_of == 1 ||
		    (k && digits_of != 2u * line->bytes) || !vixl_hex_n(q + 1, digits_of, &line->value[k]))
			return false;
		line->bytes = (uint8_t)(digits_of / 2);
		if (*q == 'x') {
			e = q - 1;
			break;
		}
	}
	line->n_values = (uint8_t)(k + 1);
	if (*e != '0' || e <= p + 1)
		return false;
	line->text = p + 1;
	line->text_len = (uint32_t)(e - p - 1);
	line->kind = VIXL_ACCESS;
	return vixl_drawing(line->text, line->text_len, &line->spaces) && line->spaces >= 20 &&
	       quick_tail(end - 22, end, line) && line->arrow;
}

/* "# NZCV: N:0 Z:1 C:1 V:0" */
static inline bool quick_flags(const char *p, struct vixl_line *line)
{
	unsigned n = (unsigned)p[10] - '0', z = (unsigned)p[14] - '0', c = (unsigned)p[18] - '0',
			 v = (unsigned)p[22] - '0';
	if (memcmp(p, "# NZCV: N:", 10) || memcmp(p + 11, " Z:", 3) || memcmp(p + 15, " C:", 3) ||
	    memcmp(p + 19, " V:", 3) || (n | z | c | v) > 1)
		return false;
	line->kind = VIXL_NZCV;
	line->arrow = 0;
	line->value[0] = n << 3 | z << 2 | c << 1 | v;
	return true;
}

/* A state line of the ordinary kinds, without colour. */
static inline VIXL_INLINE bool quick_state(const char *p, size_t n, struct vixl_line *line)
{
	const char *end = p + n;
	if (n < 22 || p[0] != '#' || p[1] != ' ' || n > VIXL_STATE_MAX)
		return false;
	if (p[16] == ':' && p[17] == ' ')
		return quick_register(p, end, line);
	if (p[2] == ' ' && p[16] == ' ' && quick_access(p, end, line))
		return true;
	if (n == 31 && !memcmp(p, "# Branch to 0x", 14) && p[30] == '.') {
		line->kind = VIXL_BRANCH;
		line->arrow = 0;
		return quick_hex16(p + 14, &line->addr, &line->masked, VIXL_MASKED_ADDR);
	}
	if (n == 23)
		return quick_flags(p, line);
	if (p[15] == ':' && p[16] == ' ')
		return quick_old(p, end, OLD_VECTOR_COLUMNS, line);
	return p[7] == ':' && p[8] == ' ' && n >= 27 && quick_old(p, end, OLD_COLUMNS, line);
}

static inline VIXL_INLINE void quick_begin(struct vixl_line *line)
{
	line->prefix = 0;
	line->coloured = 0;
	line->masked = 0;
	line->quick = 1;
}

/* A coloured line without its colour. */
static bool quick_coloured(const char *p, size_t n, struct vixl_line *line,
                           struct vixl_plain *plain)
{
	size_t k = vixl_bleach(p, n, plain->text, &line->coloured);
	uint8_t coloured = line->coloured;
	return k && coloured && quick_state(plain->text, k, line);
}

/* Is it an ordinary line of today's dialect? */
static inline VIXL_INLINE bool quick_parse(const char *p, size_t n, struct vixl_line *line,
                                           struct vixl_plain *plain)
{
	quick_begin(line);
	if (n >= VIXL_INSN_HEAD && p[0] == '0') {
		if (p[1] == 'x' && p[18] == ' ' && p[19] == ' ' && p[28] == '\t' && p[29] == '\t' &&
		    quick_hex16(p + 2, &line->addr, &line->masked, VIXL_MASKED_ADDR) &&
		    vixl_hex8(p + 20, &line->enc)) {
			line->kind = VIXL_INSN;
			line->arrow = 0;
			line->text = p + VIXL_INSN_HEAD;
			line->text_len = (uint32_t)(n - VIXL_INSN_HEAD);
			return true;
		}
	} else if (n > 2 && p[0] == '#' && p[1] == ' ') {
		return p[2] == '\033' || p[n - 1] == 'm' ? quick_coloured(p, n, line, plain)
		                                         : quick_state(p, n, line);
	}
	return false;
}

/* A log that came through another system may end its lines with two characters. */
void vixl_parse(const char *p, size_t n, struct vixl_line *line, struct vixl_plain *plain)
{
	bool returns = n && p[n - 1] == '\r';
	if (quick_parse(p, n - returns, line, plain))
		line->returns = returns;
	else
		vixl_parse_any(p, n, line, plain);
}

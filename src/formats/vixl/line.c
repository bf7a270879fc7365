/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a state trace, taken apart by the patterns of line.h.
 *
 * A coloured line is read without its colours. Whatever can vary without meaning (spaces) is kept, so that both dialects need one
 * table. A line that looks like a register's but names none that exists is UNKNOWN: its
 * value would otherwise silently be missing.
 */
#include "formats/vixl/line.h"

#include <stdio.h>
#include <string.h>

#include "formats/vixl/hex.h"

#define KIND_NAME(name, number, pattern) [VIXL_##name] = #name,
const char *const vixl_kind_names[VIXL_KIND_COUNT] = {VIXL_KINDS(KIND_NAME)};
#undef KIND_NAME

#define KIND_PATTERN(name, number, pattern) [VIXL_##name] = pattern,
const char *const vixl_patterns[VIXL_KIND_COUNT] = {VIXL_KINDS(KIND_PATTERN)};
#undef KIND_PATTERN

static const struct {
	char text[4];
	char letter;
	uint8_t special, num;
} specials[] = {{"lr", 'x', VIXL_LR, 30},   {"sp", 'x', VIXL_SP, 31},   {"xzr", 'x', VIXL_ZR, 31},
                {"wsp", 'w', VIXL_SP, 31},  {"wzr", 'w', VIXL_ZR, 31},  {"fp", 'x', VIXL_FP, 29},
                {"ip0", 'x', VIXL_IP0, 16}, {"ip1", 'x', VIXL_IP1, 17}, {"FFR", 'p', VIXL_FFR, 0}};
enum { SPECIALS = sizeof specials / sizeof *specials };

const char *const vixl_roundings[4] = {"Round to Nearest", "Round towards Plus Infinity",
                                       "Round towards Minus Infinity", "Round towards Zero"};

/* ---- names ---- */

static const char *line_number(const char *p, const char *end, unsigned most, unsigned *out)
{
	const char *from = p;
	unsigned v = 0;
	for (; p < end && *p >= '0' && *p <= '9' && p - from < 5; p++)
		v = v * 10 + (unsigned)(*p - '0');
	*out = v;
	/* A number is not written with zeros in front of it. */
	return p == from || (from[0] == '0' && p - from > 1) || v > most ? NULL : p;
}

static const char *bare_name(const char *p, const char *end, struct vixl_line *l)
{
	unsigned num;
	bool plain = end - p > 1 && p[1] >= '0' && p[1] <= '9';
	for (unsigned i = 0; i < SPECIALS && !plain; i++) {
		size_t n = strnlen(specials[i].text, sizeof specials[i].text);
		if ((size_t)(end - p) > n && !memcmp(p, specials[i].text, n) &&
		    (p[n] == ':' || p[n] == '<')) {
			l->letter = specials[i].letter;
			l->special = specials[i].special;
			l->num = specials[i].num;
			return p + n;
		}
	}
	if (p == end || !*p || !strchr("xwvzpdshbq", *p))
		return NULL;
	l->letter = *p;
	l->special = VIXL_PLAIN;
	p = line_number(p + 1, end, l->letter == 'p' ? 15 : strchr("xw", l->letter) ? 30 : 31, &num);
	l->num = (uint16_t)num;
	return p;
}

static const char *line_range(const char *p, const char *end, struct vixl_line *l)
{
	unsigned msb, lsb;
	p = line_number(p + 1, end, 2047, &msb);
	if (!p || p == end || *p != ':')
		return NULL;
	p = line_number(p + 1, end, 2047, &lsb);
	if (!p || p == end || *p != '>' || lsb > msb)
		return NULL;
	l->ranged = 1;
	l->msb = (uint16_t)msb;
	l->lsb = (uint16_t)lsb;
	return p + 1;
}

static const char *spaces(const char *p, const char *end, uint8_t *n)
{
	const char *from = p;
	while (p < end && *p == ' ')
		p++;
	*n = (uint8_t)(p - from);
	return p - from > 250 ? NULL : p;
}

static const char *name(const char *p, const char *end, struct vixl_line *l)
{
	p = spaces(p, end, &l->pad_name);
	p = p ? bare_name(p, end, l) : NULL;
	if (!p)
		return NULL;
	l->ranged = 0;
	l->lsb = 0;
	l->msb = (uint16_t)(vixl_whole_bits(l->letter) - 1);
	if (p < end && *p == '<')
		p = line_range(p, end, l);
	return p;
}

const char *vixl_reg_name(const struct vixl_line *l, char *buf)
{
	for (unsigned i = 0; i < SPECIALS && l->special; i++)
		if (specials[i].special == l->special && specials[i].letter == l->letter) {
			memcpy(buf, specials[i].text, 4);
			buf[sizeof specials[i].text - 1] = 0;
			return buf;
		}
	snprintf(buf, 8, "%c%u", l->letter, l->num % 100u);
	return buf;
}

/* ---- values ---- */

static unsigned count_digits(const char *p, const char *end, unsigned most)
{
	unsigned n = 0;
	while (p + n < end && n < most &&
	       ((p[n] >= '0' && p[n] <= '9') || (p[n] >= 'a' && p[n] <= 'f')))
		n++;
	return n;
}

static bool is_masked(const char *p, const char *end)
{
	return end - p >= 16 && !memcmp(p, "~~~~~~~~~~~~~~~~", 16);
}

static const char *line_address(const char *p, const char *end, uint64_t *out, uint8_t *masked,
                                uint8_t bit)
{
	*out = 0;
	if (end - p < 18 || p[0] != '0' || p[1] != 'x')
		return NULL;
	p += 2;
	if (is_masked(p, end))
		*masked |= bit;
	else if (!vixl_hex16(p, out))
		return NULL;
	return p + 16;
}

static const char *line_hex_value(const char *p, const char *end, struct vixl_line *l)
{
	if (is_masked(p, end)) {
		l->masked |= VIXL_MASKED_VALUE;
		l->bytes = 8;
		return p + 16;
	}
	unsigned n = count_digits(p, end, 33);
	if (n != 2 && n != 4 && n != 8 && n != 16 && n != 32)
		return NULL;
	l->bytes = (uint8_t)(n / 2);
	if (n == 32) {
		vixl_hex16(p, &l->value[1]);
		vixl_hex16(p + 16, &l->value[0]);
	} else {
		vixl_hex_n(p, n, &l->value[0]);
	}
	return p + n;
}

/* " 0 1 …", 16 of them. */
static const char *bits_value(const char *p, const char *end, struct vixl_line *l)
{
	if (end - p < 32)
		return NULL;
	for (unsigned i = 0; i < 16; i++, p += 2) {
		if (p[0] != ' ' || (p[1] & ~1) != '0')
			return NULL;
		l->value[0] = l->value[0] << 1 | (uint64_t)(p[1] & 1);
	}
	l->bytes = 2;
	return p;
}

static const char *line_value(const char *p, const char *end, struct vixl_line *l)
{
	l->value[0] = l->value[1] = 0;
	p = spaces(p, end, &l->pad_value);
	if (!p || end - p < 4 || p[0] != '0' || p[1] != (l->letter == 'p' ? 'b' : 'x'))
		return NULL;
	p = l->letter == 'p' ? bits_value(p + 2, end, l) : line_hex_value(p + 2, end, l);
	if (!p)
		return NULL;
	/* The old dialect fills up behind a lane: the space before what follows is not it. */
	const char *q = spaces(p, end, &l->pad_post);
	if (!q || q == end || l->pad_post < 2) {
		l->pad_post = 0;
		return p;
	}
	l->pad_post--;
	return q - 1;
}

static const char *annotation(const char *p, const char *end, struct vixl_line *l)
{
	l->fp = NULL;
	l->fp_len = 0;
	if (end - p < 3 || p[0] != ' ' || p[1] != '(')
		return p;
	const char *close = memchr(p, ')', (size_t)(end - p));
	if (!close)
		return NULL;
	l->fp = p + 2;
	l->fp_len = (uint32_t)(close - l->fp);
	return close + 1;
}

static const char *arrow(const char *p, const char *end, struct vixl_line *l)
{
	if (end - p < 4 || p[0] != ' ' || p[3] != ' ')
		return NULL;
	if (p[1] == '<' && p[2] == '-')
		l->arrow = '<';
	else if (p[1] == '-' && p[2] == '>')
		l->arrow = '>';
	else
		return NULL;
	return line_address(p + 4, end, &l->addr, &l->masked, VIXL_MASKED_ADDR);
}

static const char *drawing(const char *p, const char *end, struct vixl_line *l)
{
	const char *q = p;
	while (q < end && (*q == ' ' || (unsigned char)*q >= 0x80))
		q++;
	l->text = p;
	l->text_len = (uint32_t)(q - p);
	/* "# ", the name's columns, and a space before the value at the least */
	return vixl_drawing(p, (size_t)(q - p), &l->spaces) && l->spaces >= 20 ? q : NULL;
}

static const char *line_structure(const char *p, const char *end, struct vixl_line *l)
{
	unsigned k = 0, n = 0;
	uint64_t read[4] = {0};
	if (end - p < 4 || p[0] != '0' || p[1] != 'x')
		return NULL;
	for (p++; k == 0 || (p < end && *p == '\''); k++) {
		unsigned digits = count_digits(p + 1, end, 17);
		if (k == 4 || (k && digits != n) ||
		    (digits != 2 && digits != 4 && digits != 8 && digits != 16))
			return NULL;
		n = digits;
		vixl_hex_n(p + 1, n, &read[k]);
		p += 1 + n;
	}
	for (unsigned i = 0; i < k; i++)
		l->value[i] = read[k - 1 - i];
	l->n_values = (uint8_t)k;
	l->bytes = (uint8_t)(n / 2);
	return p;
}

static const char *line_digits(const char *p, const char *end, unsigned n, uint64_t *out)
{
	if ((size_t)(end - p) < n + 2 || p[0] != '0' || p[1] != 'x' || !vixl_hex_n(p + 2, n, out))
		return NULL;
	return p + 2 + n;
}

static const char *entry(const char *p, const char *end, struct vixl_line *l)
{
	unsigned n = count_digits(p, end, 9);
	l->index = 0;
	if (n == 0 || n > 8 || (n > 1 && p[0] == '0'))
		return NULL;
	for (unsigned i = 0; i < n; i++)
		l->index = l->index << 4 | (uint32_t)(p[i] <= '9' ? p[i] - '0' : p[i] - 'a' + 10);
	return p + n;
}

static const char *stack(const char *p, const char *end, struct vixl_line *l)
{
	uint64_t v;
	if (count_digits(p, end, 4) != 4)
		return NULL;
	vixl_hex_n(p, 4, &v);
	l->enc = (uint32_t)v;
	return p + 4;
}

static const char *rounding(const char *p, const char *end, const struct vixl_line *l)
{
	const char *is = vixl_roundings[l->value[0] & 3];
	size_t n = strlen(is);
	return (size_t)(end - p) >= n && !memcmp(p, is, n) ? p + n : NULL;
}

static const char *line_rest(const char *p, const char *end, struct vixl_line *l)
{
	l->text = p;
	l->text_len = (uint32_t)(end - p);
	return end;
}

static const char *one_bit(const char *p, const char *end, struct vixl_line *l)
{
	if (p == end || (*p & ~1) != '0')
		return NULL;
	l->value[0] = l->value[0] << 1 | (uint64_t)(*p & 1);
	return p + 1;
}

/* What one letter of a pattern stands for. */
static const char *line_take(char what, const char *p, const char *end, struct vixl_line *l)
{
	switch (what) {
	case 'a':
		return line_address(p, end, &l->addr, &l->masked, VIXL_MASKED_ADDR);
	case 's':
		return line_address(p, end, &l->source, &l->masked, VIXL_MASKED_SOURCE);
	case 'e':
		return end - p >= 8 && vixl_hex8(p, &l->enc) ? p + 8 : NULL;
	case 't':
		return line_rest(p, end, l);
	case 'N':
		return name(p, end, l);
	case 'V':
		return line_value(p, end, l);
	case 'F':
		return annotation(p, end, l);
	case 'M':
		return p == end ? p : arrow(p, end, l);
	case 'A':
	case 'h':
		return arrow(p, end, l);
	case 'd':
		return drawing(p, end, l);
	case 'v':
		return line_structure(p, end, l);
	case 'w':
		return line_digits(p, end, 16, l->value);
	case 'y':
		return line_digits(p, end, 2, l->value);
	case 'g':
		return stack(p, end, l);
	case 'i':
		return entry(p, end, l);
	case 'b':
		return one_bit(p, end, l);
	case 'r':
		return rounding(p, end, l);
	default:
		return p; /* a colour, which is gone */
	}
}

static bool line_match(unsigned kind, const char *p, const char *end, struct vixl_line *l)
{
	l->kind = (uint8_t)kind;
	l->arrow = 0;
	l->masked = 0;
	l->value[0] = 0;
	for (const char *t = vixl_patterns[kind]; *t; t++) {
		if (*t != '%') {
			if (p == end || *p++ != *t)
				return false;
			continue;
		}
		p = line_take(*++t, p, end, l);
		if (!p)
			return false;
	}
	return p == end;
}

/* Which register line it is; VIXL_UNKNOWN: the parts do not fit each other. */
static unsigned register_kind(const struct vixl_line *l)
{
	unsigned bits = (unsigned)l->msb - l->lsb + 1;
	bool lane = l->pad_post != 0; /* old: one lane of a register, where it lies in it */
	if (l->letter == 'p')
		return l->ranged && bits == 16 && l->lsb % 16 == 0 ? VIXL_PREG : VIXL_UNKNOWN;
	if (l->letter == 'z')
		return l->ranged && bits == 128 && l->lsb % 128 == 0 && l->bytes == 16 ? VIXL_ZREG
		                                                                       : VIXL_UNKNOWN;
	bool vector = l->letter != 'x' && l->letter != 'w';
	if (l->ranged) {
		if (l->lsb || bits != 8u * l->bytes || bits > vixl_whole_bits(l->letter))
			return VIXL_UNKNOWN;
		return vector ? (unsigned)VIXL_VPART : (unsigned)VIXL_XPART;
	}
	/* The old dialect stores less than the register under its whole name. */
	if (8u * l->bytes > vixl_whole_bits(l->letter) ||
	    (8u * l->bytes < vixl_whole_bits(l->letter) && !(l->letter == 'v' && l->arrow == '>')) ||
	    (lane && !(l->letter == 'v' && l->arrow == '>')))
		return VIXL_UNKNOWN;
	return vector ? VIXL_VREG : l->letter == 'x' ? VIXL_XREG : VIXL_WREG;
}

/* "#", spaces, a word, a colon, a number: a register that does not exist. */
static bool looks_like_register(const char *p, const char *end)
{
	const char *q = p + 1;
	while (q < end && *q == ' ')
		q++;
	const char *word = q;
	while (q < end && *q != ' ' && *q != ':' && (unsigned char)*q > ' ')
		q++;
	while (q < end && q > word && memchr(word, '<', (size_t)(q - word)) && *q == ':' &&
	       memchr(q, '>', (size_t)(end - q)) && q[1] >= '0' && q[1] <= '9')
		q = (const char *)memchr(q, '>', (size_t)(end - q)) + 1;
	if (q == word || end - q < 4 || q[0] != ':' || q[1] != ' ' || p[1] != ' ')
		return false;
	for (q++; q < end && *q == ' '; q++)
		;
	return end - q > 2 && q[0] == '0' && (q[1] == 'x' || q[1] == 'b');
}

/* A line that begins here, without colour. */
static bool state_line(const char *p, const char *end, struct vixl_line *l, bool whole)
{
	static const uint8_t others[] = {VIXL_ACCESS, VIXL_NZCV,     VIXL_BRANCH, VIXL_FPCR,
	                                 VIXL_GCS,    VIXL_TRANSFER, VIXL_WRITE64};
	if (p == end)
		return false;
	if (*p == ' ')
		return whole && line_match(VIXL_BARE, p, end, l);
	if (*p != '#')
		return false;
	if (line_match(VIXL_XREG, p, end, l)) {
		l->kind = (uint8_t)register_kind(l);
		return l->kind != VIXL_UNKNOWN;
	}
	for (unsigned i = 0; i < sizeof others; i++)
		if (line_match(others[i], p, end, l))
			return true;
	return whole && line_match(VIXL_BLANK, p, end, l);
}

/* ---- whole lines ---- */

/* The end of the escape sequence that begins at p, or NULL: it is none. */
static const char *line_escape(const char *p, const char *end)
{
	if (end - p < 3 || p[1] != '[')
		return NULL;
	for (p += 2; p < end && ((*p >= '0' && *p <= '9') || *p == ';');)
		p++;
	return p < end && *p == 'm' ? p + 1 : NULL;
}

/* Bytes up to an escape sequence; *k: how many there are in `out`. False: there is no room. */
static bool copy_plain(const char **from, const char *end, char *out, size_t *k)
{
	const char *p = *from;
	size_t n = *k;
	bool found = false;
#ifdef __SSE2__
	const __m128i esc = _mm_set1_epi8('\033');
	while (!found && end - p >= 16 && n + 16 <= VIXL_STATE_MAX) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned at = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, esc));
		_mm_storeu_si128((__m128i *)(void *)(out + n), v);
		found = at != 0;
		unsigned some = found ? (unsigned)__builtin_ctz(at) : 16;
		n += some;
		p += some;
	}
#endif
	while (!found && p < end && *p != '\033' && n < VIXL_STATE_MAX)
		out[n++] = *p++;
	*from = p;
	*k = n;
	return p == end || *p == '\033';
}

size_t vixl_bleach(const char *p, size_t n, char *out, uint8_t *coloured)
{
	const char *end = p + n;
	size_t k = 0;
	*coloured = 0;
	while (p < end) {
		const char *after = *p == '\033' ? line_escape(p, end) : NULL;
		if (after) {
			*coloured = 1;
			p = after;
		} else if (*p == '\033') { /* of no sequence */
			if (k == VIXL_STATE_MAX)
				return 0;
			out[k++] = *p++;
		} else if (!copy_plain(&p, end, out, &k)) {
			return 0;
		}
	}
	return k;
}

bool vixl_is_insn(const char *p, size_t n)
{
	uint64_t pc;
	uint32_t enc;
	return n >= VIXL_INSN_HEAD && p[0] == '0' && p[1] == 'x' && p[18] == ' ' && p[19] == ' ' &&
	       p[28] == '\t' && p[29] == '\t' && vixl_hex8(p + 20, &enc) &&
	       (vixl_hex16(p + 2, &pc) || is_masked(p + 2, p + 18));
}

const char *vixl_find_insn(const char *p, const char *end)
{
	for (const char *t = p; (t = memchr(t, '\t', (size_t)(end - t))); t++)
		if (t - p >= 28 && vixl_is_insn(t - 28, (size_t)(end - t) + 28))
			return t - 28;
	return NULL;
}

/* A state line that begins here, in colour or not. */
static bool state_at(const char *p, size_t n, struct vixl_line *l, struct vixl_plain *plain,
                     bool whole)
{
	l->coloured = 0;
	if (n == 0 || (p[0] != '#' && p[0] != ' ') || (!whole && p[0] == ' '))
		return false;
	if (n <= VIXL_STATE_MAX && !memchr(p, '\033', n))
		return state_line(p, p + n, l, whole);
	size_t k = vixl_bleach(p, n, plain->text, &l->coloured);
	return k && state_line(plain->text, plain->text + k, l, whole);
}

/* The line may begin behind what a program printed. */
static bool resynchronise(const char *p, size_t n, struct vixl_line *l, struct vixl_plain *plain)
{
	enum { TRIES = 64 };
	unsigned tries = 0;
	for (size_t i = 1; i + 2 < n && tries < TRIES; i++) {
		const char *q = memchr(p + i, '#', n - i);
		if (!q)
			break;
		i = (size_t)(q - p);
		if (i + 1 == n || q[1] != ' ')
			continue;
		tries++;
		if (state_at(q, n - i, l, plain, false)) {
			l->prefix = (uint32_t)i;
			return true;
		}
	}
	return false;
}

void vixl_parse_any(const char *p, size_t n, struct vixl_line *l, struct vixl_plain *plain)
{
	l->prefix = 0;
	l->quick = 0;
	l->returns = n && p[n - 1] == '\r';
	n -= l->returns;
	if (state_at(p, n, l, plain, true))
		return;
	l->coloured = 0;
	const char *insn = n ? vixl_find_insn(p, p + n) : NULL;
	if (insn) {
		line_match(VIXL_INSN, insn, p + n, l);
		l->prefix = (uint32_t)(insn - p);
		return;
	}
	if (resynchronise(p, n, l, plain))
		return;
	size_t k =
		n ? vixl_bleach(p, n < VIXL_STATE_MAX ? n : VIXL_STATE_MAX, plain->text, &l->coloured) : 0;
	bool unknown =
		k > 4 && plain->text[0] == '#' && looks_like_register(plain->text, plain->text + k);
	l->coloured = 0;
	line_match(unknown ? VIXL_UNKNOWN : VIXL_TEXT, p, p + n, l);
}

bool vixl_names_register(const char *p, size_t n)
{
	struct vixl_plain plain;
	struct vixl_line l;
	uint8_t coloured;
	size_t k = vixl_bleach(p, n < VIXL_STATE_MAX ? n : VIXL_STATE_MAX, plain.text, &coloured);
	const char *end = plain.text + k, *q = k > 2 ? name(plain.text + 2, end, &l) : NULL;
	return q && q < end && *q == ':';
}

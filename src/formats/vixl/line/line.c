/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a state trace, taken apart by the patterns of line.h.
 *
 * A coloured line is read without its colours. Whatever can vary without meaning (spaces) is kept, so that both dialects need one
 * table. A line that looks like a register's but names none that exists is UNKNOWN: its
 * value would otherwise silently be missing.
 */
#include "formats/vixl/line/line.h"

#include <stdio.h>
#include <string.h>

#include "formats/vixl/line/hex.h"

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

static const char *bare_name(const char *p, const char *end, struct vixl_line *line)
{
	unsigned num;
	bool plain = end - p > 1 && p[1] >= '0' && p[1] <= '9';
	for (unsigned i = 0; i < SPECIALS && !plain; i++) {
		size_t n = strnlen(specials[i].text, sizeof specials[i].text);
		if ((size_t)(end - p) > n && !memcmp(p, specials[i].text, n) &&
		    (p[n] == ':' || p[n] == '<')) {
			line->letter = specials[i].letter;
			line->special = specials[i].special;
			line->num = specials[i].num;
			return p + n;
		}
	}
	if (p == end || !*p || !strchr("xwvzpdshbq", *p))
		return NULL;
	line->letter = *p;
	line->special = VIXL_PLAIN;
	p = line_number(p + 1, end,
	                line->letter == 'p'          ? 15
	                : strchr("xw", line->letter) ? 30
	                                             : 31,
	                &num);
	line->num = (uint16_t)num;
	return p;
}

static const char *line_range(const char *p, const char *end, struct vixl_line *line)
{
	unsigned msb, lsb;
	p = line_number(p + 1, end, 2047, &msb);
	if (!p || p == end || *p != ':')
		return NULL;
	p = line_number(p + 1, end, 2047, &lsb);
	if (!p || p == end || *p != '>' || lsb > msb)
		return NULL;
	line->ranged = 1;
	line->msb = (uint16_t)msb;
	line->lsb = (uint16_t)lsb;
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

static const char *name(const char *p, const char *end, struct vixl_line *line)
{
	p = spaces(p, end, &line->pad_name);
	p = p ? bare_name(p, end, line) : NULL;
	if (!p)
		return NULL;
	line->ranged = 0;
	line->lsb = 0;
	line->msb = (uint16_t)(vixl_whole_bits(line->letter) - 1);
	if (p < end && *p == '<')
		p = line_range(p, end, line);
	return p;
}

const char *vixl_reg_name(const struct vixl_line *line, char *buf)
{
	for (unsigned i = 0; i < SPECIALS && line->special; i++)
		if (specials[i].special == line->special && specials[i].letter == line->letter) {
			memcpy(buf, specials[i].text, 4);
			buf[sizeof specials[i].text - 1] = 0;
			return buf;
		}
	snprintf(buf, 8, "%c%u", line->letter, line->num % 100u);
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

static const char *line_hex_value(const char *p, const char *end, struct vixl_line *line)
{
	if (is_masked(p, end)) {
		line->masked |= VIXL_MASKED_VALUE;
		line->bytes = 8;
		return p + 16;
	}
	unsigned n = count_digits(p, end, 33);
	if (n != 2 && n != 4 && n != 8 && n != 16 && n != 32)
		return NULL;
	line->bytes = (uint8_t)(n / 2);
	if (n == 32) {
		vixl_hex16(p, &line->value[1]);
		vixl_hex16(p + 16, &line->value[0]);
	} else {
		vixl_hex_n(p, n, &line->value[0]);
	}
	return p + n;
}

/* " 0 1 …", 16 of them. */
static const char *bits_value(const char *p, const char *end, struct vixl_line *line)
{
	if (end - p < 32)
		return NULL;
	for (unsigned i = 0; i < 16; i++, p += 2) {
		if (p[0] != ' ' || (p[1] & ~1) != '0')
			return NULL;
		line->value[0] = line->value[0] << 1 | (uint64_t)(p[1] & 1);
	}
	line->bytes = 2;
	return p;
}

static const char *line_value(const char *p, const char *end, struct vixl_line *line)
{
	line->value[0] = line->value[1] = 0;
	p = spaces(p, end, &line->pad_value);
	if (!p || end - p < 4 || p[0] != '0' || p[1] != (line->letter == 'p' ? 'b' : 'x'))
		return NULL;
	p = line->letter == 'p' ? bits_value(p + 2, end, line) : line_hex_value(p + 2, end, line);
	if (!p)
		return NULL;
	/* The old dialect fills up behind a lane: the space before what follows is not part of that. */
	const char *q = spaces(p, end, &line->pad_post);
	if (!q || q == end || line->pad_post < 2) {
		line->pad_post = 0;
		return p;
	}
	line->pad_post--;
	return q - 1;
}

static const char *annotation(const char *p, const char *end, struct vixl_line *line)
{
	line->fp = NULL;
	line->fp_len = 0;
	if (end - p < 3 || p[0] != ' ' || p[1] != '(')
		return p;
	const char *close = memchr(p, ')', (size_t)(end - p));
	if (!close)
		return NULL;
	line->fp = p + 2;
	line->fp_len = (uint32_t)(close - line->fp);
	return close + 1;
}

static const char *arrow(const char *p, const char *end, struct vixl_line *line)
{
	if (end - p < 4 || p[0] != ' ' || p[3] != ' ')
		return NULL;
	if (p[1] == '<' && p[2] == '-')
		line->arrow = '<';
	else if (p[1] == '-' && p[2] == '>')
		line->arrow = '>';
	else
		return NULL;
	return line_address(p + 4, end, &line->addr, &line->masked, VIXL_MASKED_ADDR);
}

static const char *drawing(const char *p, const char *end, struct vixl_line *line)
{
	const char *q = p;
	while (q < end && (*q == ' ' || (unsigned char)*q >= 0x80))
		q++;
	line->text = p;
	line->text_len = (uint32_t)(q - p);
	/* "# ", the name's columns, and a space before the value at the least */
	return vixl_drawing(p, (size_t)(q - p), &line->spaces) && line->spaces >= 20 ? q : NULL;
}

static const char *line_structure(const char *p, const char *end, struct vixl_line *line)
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
		line->value[i] = read[k - 1 - i];
	line->n_values = (uint8_t)k;
	line->bytes = (uint8_t)(n / 2);
	return p;
}

static const char *line_digits(const char *p, const char *end, unsigned n, uint64_t *out)
{
	if ((size_t)(end - p) < n + 2 || p[0] != '0' || p[1] != 'x' || !vixl_hex_n(p + 2, n, out))
		return NULL;
	return p + 2 + n;
}

static const char *entry(const char *p, const char *end, struct vixl_line *line)
{
	unsigned n = count_digits(p, end, 9);
	line->index = 0;
	if (n == 0 || n > 8 || (n > 1 && p[0] == '0'))
		return NULL;
	for (unsigned i = 0; i < n; i++)
		line->index = line->index << 4 | (uint32_t)(p[i] <= '9' ? p[i] - '0' : p[i] - 'a' + 10);
	return p + n;
}

static const char *stack(const char *p, const char *end, struct vixl_line *line)
{
	uint64_t v;
	if (count_digits(p, end, 4) != 4)
		return NULL;
	vixl_hex_n(p, 4, &v);
	line->enc = (uint32_t)v;
	return p + 4;
}

static const char *rounding(const char *p, const char *end, const struct vixl_line *line)
{
	const char *is = vixl_roundings[line->value[0] & 3];
	size_t n = strlen(is);
	return (size_t)(end - p) >= n && !memcmp(p, is, n) ? p + n : NULL;
}

static const char *line_rest(const char *p, const char *end, struct vixl_line *line)
{
	line->text = p;
	line->text_len = (uint32_t)(end - p);
	return end;
}

static const char *one_bit(const char *p, const char *end, struct vixl_line *line)
{
	if (p == end || (*p & ~1) != '0')
		return NULL;
	line->value[0] = line->value[0] << 1 | (uint64_t)(*p & 1);
	return p + 1;
}

/* Take what one letter of a pattern stands for. */
static const char *line_take(char what, const char *p, const char *end, struct vixl_line *line)
{
	switch (what) {
	case 'a':
		return line_address(p, end, &line->addr, &line->masked, VIXL_MASKED_ADDR);
	case 's':
		return line_address(p, end, &line->source, &line->masked, VIXL_MASKED_SOURCE);
	case 'e':
		return end - p >= 8 && vixl_hex8(p, &line->enc) ? p + 8 : NULL;
	case 't':
		return line_rest(p, end, line);
	case 'N':
		return name(p, end, line);
	case 'V':
		return line_value(p, end, line);
	case 'F':
		return annotation(p, end, line);
	case 'M':
		return p == end ? p : arrow(p, end, line);
	case 'A':
	case 'h':
		return arrow(p, end, line);
	case 'd':
		return drawing(p, end, line);
	case 'v':
		return line_structure(p, end, line);
	case 'w':
		return line_digits(p, end, 16, line->value);
	case 'y':
		return line_digits(p, end, 2, line->value);
	case 'g':
		return stack(p, end, line);
	case 'i':
		return entry(p, end, line);
	case 'b':
		return one_bit(p, end, line);
	case 'r':
		return rounding(p, end, line);
	default:
		return p; /* a colour, which is gone */
	}
}

static bool line_match(unsigned kind, const char *p, const char *end, struct vixl_line *line)
{
	line->kind = (uint8_t)kind;
	line->arrow = 0;
	line->masked = 0;
	line->value[0] = 0;
	for (const char *t = vixl_patterns[kind]; *t; t++) {
		if (*t != '%') {
			if (p == end || *p++ != *t)
				return false;
			continue;
		}
		p = line_take(*++t, p, end, line);
		if (!p)
			return false;
	}
	return p == end;
}

/* The kind of a register's line; VIXL_UNKNOWN: the parts do not fit together. */
static unsigned register_kind(const struct vixl_line *line)
{
	unsigned bits = (unsigned)line->msb - line->lsb + 1;
	bool lane = line->pad_post != 0; /* old: one lane of a register, where it lies in it */
	if (line->letter == 'p')
		return line->ranged && bits == 16 && line->lsb % 16 == 0 ? VIXL_PREG : VIXL_UNKNOWN;
	if (line->letter == 'z')
		return line->ranged && bits == 128 && line->lsb % 128 == 0 && line->bytes == 16
		           ? VIXL_ZREG
		           : VIXL_UNKNOWN;
	bool vector = line->letter != 'x' && line->letter != 'w';
	if (line->ranged) {
		if (line->lsb || bits != 8u * line->bytes || bits > vixl_whole_bits(line->letter))
			return VIXL_UNKNOWN;
		return vector ? (unsigned)VIXL_VPART : (unsigned)VIXL_XPART;
	}
	/* The old dialect stores less than the register under its whole name. */
	if (8u * line->bytes > vixl_whole_bits(line->letter) ||
	    (8u * line->bytes < vixl_whole_bits(line->letter) &&
	     !(line->letter == 'v' && line->arrow == '>')) ||
	    (lane && !(line->letter == 'v' && line->arrow == '>')))
		return VIXL_UNKNOWN;
	return vector ? VIXL_VREG : line->letter == 'x' ? VIXL_XREG : VIXL_WREG;
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

/* Take a line that begins here, without colour. */
static bool state_line(const char *p, const char *end, struct vixl_line *line, bool whole)
{
	static const uint8_t others[] = {VIXL_ACCESS, VIXL_NZCV,     VIXL_BRANCH, VIXL_FPCR,
	                                 VIXL_GCS,    VIXL_TRANSFER, VIXL_WRITE64};
	if (p == end)
		return false;
	if (*p == ' ')
		return whole && line_match(VIXL_BARE, p, end, line);
	if (*p != '#')
		return false;
	if (line_match(VIXL_XREG, p, end, line)) {
		line->kind = (uint8_t)register_kind(line);
		return line->kind != VIXL_UNKNOWN;
	}
	for (unsigned i = 0; i < sizeof others; i++)
		if (line_match(others[i], p, end, line))
			return true;
	return whole && line_match(VIXL_BLANK, p, end, line);
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

/* Take a state line that begins here, in colour or not. */
static bool state_at(const char *p, size_t n, struct vixl_line *line, struct vixl_plain *plain,
                     bool whole)
{
	line->coloured = 0;
	if (n == 0 || (p[0] != '#' && p[0] != ' ') || (!whole && p[0] == ' '))
		return false;
	if (n <= VIXL_STATE_MAX && !memchr(p, '\033', n))
		return state_line(p, p + n, line, whole);
	size_t k = vixl_bleach(p, n, plain->text, &line->coloured);
	return k && state_line(plain->text, plain->text + k, line, whole);
}

/* The line may begin behind what a program printed. */
static bool resynchronise(const char *p, size_t n, struct vixl_line *line, struct vixl_plain *plain)
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
		if (state_at(q, n - i, line, plain, false)) {
			line->prefix = (uint32_t)i;
			return true;
		}
	}
	return false;
}

void vixl_parse_any(const char *p, size_t n, struct vixl_line *line, struct vixl_plain *plain)
{
	line->prefix = 0;
	line->quick = 0;
	line->returns = n && p[n - 1] == '\r';
	n -= line->returns;
	if (state_at(p, n, line, plain, true))
		return;
	line->coloured = 0;
	const char *insn = n ? vixl_find_insn(p, p + n) : NULL;
	if (insn) {
		line_match(VIXL_INSN, insn, p + n, line);
		line->prefix = (uint32_t)(insn - p);
		return;
	}
	if (resynchronise(p, n, line, plain))
		return;
	size_t k =
		n ? vixl_bleach(p, n < VIXL_STATE_MAX ? n : VIXL_STATE_MAX, plain->text, &line->coloured)
		  : 0;
	bool unknown =
		k > 4 && plain->text[0] == '#' && looks_like_register(plain->text, plain->text + k);
	line->coloured = 0;
	line_match(unknown ? VIXL_UNKNOWN : VIXL_TEXT, p, p + n, line);
}

bool vixl_names_register(const char *p, size_t n)
{
	struct vixl_plain plain;
	struct vixl_line line;
	uint8_t coloured;
	size_t k = vixl_bleach(p, n < VIXL_STATE_MAX ? n : VIXL_STATE_MAX, plain.text, &coloured);
	const char *end = plain.text + k, *q = k > 2 ? name(plain.text + 2, end, &line) : NULL;
	return q && q < end && *q == ':';
}

bool vixl_is_today(const struct vixl_line *line)
{
	char buf[8], range_text[16] = "";
	if (!vixl_is_register(line->kind) || line->quick)
		return true;
	if (line->ranged)
		snprintf(range_text, sizeof range_text, "<%u:%u>", line->msb, line->lsb);
	size_t columns = line->pad_name + strlen(vixl_reg_name(line, buf)) + strlen(range_text);
	unsigned room = line->letter == 'x' || line->letter == 'w' ? 8 : 16;
	unsigned pad = line->letter == 'p' ? 0 : 2u * (room - line->bytes);
	bool whole = line->ranged || line->letter != 'v' || line->bytes == 16;
	bool stores = line->arrow == '>';
	return columns == 14 && line->pad_value == pad && line->pad_post == 0 && whole &&
	       (line->ranged ? line->letter != 'w' : !stores);
}

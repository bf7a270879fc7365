/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a state trace, taken apart and put together by the patterns of line.h.
 *
 * A coloured line is read without its colours and printed with those the simulator
 * uses; one that was coloured otherwise is still understood, but not printed the same.
 * Whatever can vary without meaning (spaces) is kept, so that both dialects need one
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
static const char *const patterns[VIXL_KIND_COUNT] = {VIXL_KINDS(KIND_PATTERN)};
#undef KIND_PATTERN

static const struct {
	char text[4];
	char letter;
	uint8_t special, num;
} specials[] = {{"lr", 'x', VIXL_LR, 30}, {"sp", 'x', VIXL_SP, 31}, {"xzr", 'x', VIXL_ZR, 31},
	{"wsp", 'w', VIXL_SP, 31}, {"wzr", 'w', VIXL_ZR, 31}, {"fp", 'x', VIXL_FP, 29},
	{"ip0", 'x', VIXL_IP0, 16}, {"ip1", 'x', VIXL_IP1, 17}, {"FFR", 'p', VIXL_FFR, 0}};
enum { SPECIALS = sizeof specials / sizeof *specials };

static const char *const roundings[4] = {"Round to Nearest", "Round towards Plus Infinity",
	"Round towards Minus Infinity", "Round towards Zero"};

/* ---- names ---- */

static unsigned whole_bits(char letter)
{
	switch (letter) {
	case 'w':
	case 's':
		return 32;
	case 'x':
	case 'd':
		return 64;
	case 'h':
		return 16;
	case 'b':
		return 8;
	default:
		return 128;
	}
}

static const char *number(const char *p, const char *end, unsigned most, unsigned *out)
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
	for (unsigned i = 0; i < SPECIALS; i++) {
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
	p = number(p + 1, end, l->letter == 'p' ? 15 : strchr("xw", l->letter) ? 30 : 31, &num);
	l->num = (uint16_t)num;
	return p;
}

static const char *range(const char *p, const char *end, struct vixl_line *l)
{
	unsigned msb, lsb;
	p = number(p + 1, end, 2047, &msb);
	if (!p || p == end || *p != ':')
		return NULL;
	p = number(p + 1, end, 2047, &lsb);
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
	l->msb = (uint16_t)(whole_bits(l->letter) - 1);
	if (p < end && *p == '<')
		p = range(p, end, l);
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

static const char *address(const char *p, const char *end, uint64_t *out, uint8_t *masked,
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

static const char *hex_value(const char *p, const char *end, struct vixl_line *l)
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

static const char *value(const char *p, const char *end, struct vixl_line *l)
{
	l->value[0] = l->value[1] = 0;
	p = spaces(p, end, &l->pad_value);
	if (!p || end - p < 4 || p[0] != '0' || p[1] != (l->letter == 'p' ? 'b' : 'x'))
		return NULL;
	p = l->letter == 'p' ? bits_value(p + 2, end, l) : hex_value(p + 2, end, l);
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
	return address(p + 4, end, &l->addr, &l->masked, VIXL_MASKED_ADDR);
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

static const char *structure(const char *p, const char *end, struct vixl_line *l)
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

static const char *digits(const char *p, const char *end, unsigned n, uint64_t *out)
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
	const char *is = roundings[l->value[0] & 3];
	size_t n = strlen(is);
	return (size_t)(end - p) >= n && !memcmp(p, is, n) ? p + n : NULL;
}

static const char *rest(const char *p, const char *end, struct vixl_line *l)
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
static const char *take(char what, const char *p, const char *end, struct vixl_line *l)
{
	switch (what) {
	case 'a':
		return address(p, end, &l->addr, &l->masked, VIXL_MASKED_ADDR);
	case 's':
		return address(p, end, &l->source, &l->masked, VIXL_MASKED_SOURCE);
	case 'e':
		return end - p >= 8 && vixl_hex8(p, &l->enc) ? p + 8 : NULL;
	case 't':
		return rest(p, end, l);
	case 'N':
		return name(p, end, l);
	case 'V':
		return value(p, end, l);
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
		return structure(p, end, l);
	case 'w':
		return digits(p, end, 16, l->value);
	case 'y':
		return digits(p, end, 2, l->value);
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

static bool match(unsigned kind, const char *p, const char *end, struct vixl_line *l)
{
	l->kind = (uint8_t)kind;
	l->arrow = 0;
	l->masked = 0;
	l->value[0] = 0;
	for (const char *t = patterns[kind]; *t; t++) {
		if (*t != '%') {
			if (p == end || *p++ != *t)
				return false;
			continue;
		}
		p = take(*++t, p, end, l);
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
		if (l->lsb || bits != 8u * l->bytes || bits > whole_bits(l->letter))
			return VIXL_UNKNOWN;
		return vector ? (unsigned)VIXL_VPART : (unsigned)VIXL_XPART;
	}
	/* The old dialect stores less than the register under its whole name. */
	if (8u * l->bytes > whole_bits(l->letter) ||
	    (8u * l->bytes < whole_bits(l->letter) && !(l->letter == 'v' && l->arrow == '>')) ||
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
	static const uint8_t others[] = {VIXL_ACCESS, VIXL_NZCV, VIXL_BRANCH, VIXL_FPCR, VIXL_GCS,
		VIXL_TRANSFER, VIXL_WRITE64};
	if (p == end)
		return false;
	if (*p == ' ')
		return whole && match(VIXL_BARE, p, end, l);
	if (*p != '#')
		return false;
	if (match(VIXL_XREG, p, end, l)) {
		l->kind = (uint8_t)register_kind(l);
		return l->kind != VIXL_UNKNOWN;
	}
	for (unsigned i = 0; i < sizeof others; i++)
		if (match(others[i], p, end, l))
			return true;
	return whole && match(VIXL_BLANK, p, end, l);
}

/* ---- whole lines ---- */

/* Without the escape sequences; 0: too long to be a state line. */
static size_t bleach(const char *p, size_t n, char *out, uint8_t *coloured)
{
	size_t k = 0;
	*coloured = 0;
	for (size_t i = 0; i < n;) {
		size_t e = i + 2;
		if (p[i] == '\033' && e < n && p[i + 1] == '[') {
			while (e < n && ((p[e] >= '0' && p[e] <= '9') || p[e] == ';'))
				e++;
			if (e < n && p[e] == 'm') {
				*coloured = 1;
				i = e + 1;
				continue;
			}
		}
		if (k == VIXL_STATE_MAX)
			return 0;
		out[k++] = p[i++];
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
	size_t k = bleach(p, n, plain->text, &l->coloured);
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
	if (state_at(p, n, l, plain, true))
		return;
	l->coloured = 0;
	const char *insn = n ? vixl_find_insn(p, p + n) : NULL;
	if (insn) {
		match(VIXL_INSN, insn, p + n, l);
		l->prefix = (uint32_t)(insn - p);
		return;
	}
	if (resynchronise(p, n, l, plain))
		return;
	size_t k = n ? bleach(p, n < VIXL_STATE_MAX ? n : VIXL_STATE_MAX, plain->text, &l->coloured)
	             : 0;
	bool unknown = k > 4 && plain->text[0] == '#' &&
	               looks_like_register(plain->text, plain->text + k);
	l->coloured = 0;
	match(unknown ? VIXL_UNKNOWN : VIXL_TEXT, p, p + n, l);
}

bool vixl_names_register(const char *p, size_t n)
{
	struct vixl_plain plain;
	struct vixl_line l;
	uint8_t coloured;
	size_t k = bleach(p, n < VIXL_STATE_MAX ? n : VIXL_STATE_MAX, plain.text, &coloured);
	const char *end = plain.text + k, *q = k > 2 ? name(plain.text + 2, end, &l) : NULL;
	return q && q < end && *q == ':';
}

/* ---- the quick way ---- */

/* What may stand behind a value: an annotation, an arrow. */
static inline bool quick_tail(const char *p, const char *end, struct vixl_line *l)
{
	l->arrow = 0;
	l->fp = NULL;
	l->fp_len = 0;
	if (p == end)
		return true;
	if (end - p >= 22 && end[-18] == '0' && end[-17] == 'x') {
		if (end[-22] != ' ' || end[-19] != ' ' || !vixl_hex16(end - 16, &l->addr))
			return false;
		if (end[-21] == '<' && end[-20] == '-')
			l->arrow = '<';
		else if (end[-21] == '-' && end[-20] == '>')
			l->arrow = '>';
		else
			return false;
		end -= 22;
		if (p == end)
			return true;
	}
	if (end - p < 3 || p[0] != ' ' || p[1] != '(' || end[-1] != ')' ||
	    memchr(p, ')', (size_t)(end - p)) != end - 1 || memchr(p, '\033', (size_t)(end - p)))
		return false;
	l->fp = p + 2;
	l->fp_len = (uint32_t)(end - 1 - l->fp);
	return true;
}

/* "x9", "x10", "lr", in the last three columns of the name; nothing before it. */
static inline bool quick_name(const char *p, struct vixl_line *l)
{
	unsigned c = (unsigned char)p[11], d = (unsigned char)p[12], e = (unsigned char)p[13];
	unsigned num = e - '0';
	if (!vixl_blanks(p, 11))
		return false;
	l->special = VIXL_PLAIN;
	if (num > 9) {
		bool link = d == 'l' && e == 'r';
		if (c != ' ' || (!link && !(d == 's' && e == 'p')))
			return false;
		l->special = link ? VIXL_LR : VIXL_SP;
		l->letter = 'x';
		l->num = link ? 30 : 31;
		l->pad_name = 12;
		return true;
	}
	if (c == ' ') {
		l->letter = (char)d;
		l->pad_name = 12;
	} else {
		if (d - '1' > 8)
			return false;
		num += 10 * (d - '0');
		l->letter = (char)c;
		l->pad_name = 11;
	}
	l->num = (uint16_t)num;
	return true;
}

/* "<127:0>" that ends at *e, which goes back to its beginning. */
static inline bool quick_range(const char *p, const char **e, struct vixl_line *l)
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
	l->lsb = (uint16_t)v[0];
	l->msb = (uint16_t)v[1];
	return v[0] <= v[1] && v[1] <= 2047;
}

/* A name and a range, which fill the columns up to `e`. */
static inline bool quick_part(const char *p, const char *e, struct vixl_line *l)
{
	if (!quick_range(p, &e, l) || e - p < 2)
		return false;
	unsigned num = (unsigned)(e[-1] - '0');
	const char *q = e - 2;
	if (num > 9)
		return false;
	if (q > p && *q >= '1' && *q <= '9')
		num += 10 * (unsigned)(*q-- - '0');
	l->letter = *q;
	l->special = VIXL_PLAIN;
	l->num = (uint16_t)num;
	l->pad_name = (uint8_t)(q - p);
	for (; q > p; q--)
		if (q[-1] != ' ')
			return false;
	return true;
}

/* The kind by letter; 0: what has to be looked at more closely. */
static inline unsigned quick_kind(const struct vixl_line *l, unsigned bits)
{
	switch (l->letter) {
	case 'x':
	case 'w':
		if (l->num > 30 && !l->special)
			return 0;
		if (l->ranged)
			return l->lsb || bits > whole_bits(l->letter) ? 0u : (unsigned)VIXL_XPART;
		return l->letter == 'x' ? VIXL_XREG : VIXL_WREG;
	case 'z':
		return l->ranged && bits == 128 && l->lsb % 128 == 0 && l->num <= 31 ? (unsigned)VIXL_ZREG
		                                                                     : 0u;
	case 'v':
	case 'd':
	case 's':
	case 'h':
	case 'b':
		if (l->num > 31 || (l->ranged && (l->lsb || bits > whole_bits(l->letter))))
			return 0;
		return l->ranged ? VIXL_VPART : VIXL_VREG;
	case 'p':
		return l->ranged && bits == 16 && l->lsb % 16 == 0 && l->num <= 15 ? (unsigned)VIXL_PREG
		                                                                   : 0u;
	default:
		return 0;
	}
}

/* "0b 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1" */
static inline bool quick_bits(const char *p, const char *end, struct vixl_line *l)
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
	l->value[0] = v;
	l->pad_value = 0;
	l->bytes = 2;
	return !bad && quick_tail(p + 34, end, l);
}

static inline bool quick_value(const char *p, const char *end, unsigned bytes, struct vixl_line *l)
{
	unsigned room = l->letter == 'x' || l->letter == 'w' ? 8 : 16, pad = 2 * (room - bytes);
	const char *v = p + pad + 2;
	if (bytes == 0 || bytes > room || (bytes & (bytes - 1)) ||
	    (size_t)(end - p) < pad + 2 + 2 * bytes || v[-2] != '0' || v[-1] != 'x' ||
	    (pad && !vixl_blanks(p, pad)))
		return false;
	l->pad_value = (uint8_t)pad;
	l->bytes = (uint8_t)bytes;
	l->value[1] = 0;
	if (bytes == 16) {
		if (!vixl_hex16(v, &l->value[1]) || !vixl_hex16(v + 16, &l->value[0]))
			return false;
	} else if (!vixl_hex_n(v, 2 * bytes, &l->value[0])) {
		return false;
	}
	return quick_tail(v + 2 * bytes, end, l);
}

static inline bool quick_register(const char *p, const char *end, struct vixl_line *l)
{
	l->ranged = p[15] == '>';
	if (l->ranged ? !quick_part(p + 2, p + 16, l) : !quick_name(p + 2, l))
		return false;
	if (!l->ranged) {
		l->lsb = 0;
		l->msb = (uint16_t)(whole_bits(l->letter) - 1);
	}
	unsigned bits = (unsigned)l->msb - l->lsb + 1;
	l->pad_post = 0;
	l->kind = (uint8_t)quick_kind(l, bits);
	if (l->letter == 'p')
		return l->kind && quick_bits(p + 18, end, l);
	return l->kind && bits % 8 == 0 && quick_value(p + 18, end, bits / 8, l) &&
	       (l->ranged ? l->letter != 'w' : l->arrow != '>'); /* not today's */
}

static inline bool quick_access(const char *p, const char *end, struct vixl_line *l)
{
	const char *e = end - 22;
	unsigned digits_of, k = 0;
	if (end - p < 46)
		return false;
	for (const char *q = e; ; k++) {
		const char *last = q;
		for (q--; q > p && *q != '\'' && *q != 'x'; q--)
			if (last - q > 16)
				return false;
		digits_of = (unsigned)(last - q - 1);
		if (k == 4 || digits_of == 0 || digits_of & (digits_of - 1) || digits_of == 1 ||
		    (k && digits_of != 2u * l->bytes) || !vixl_hex_n(q + 1, digits_of, &l->value[k]))
			return false;
		l->bytes = (uint8_t)(digits_of / 2);
		if (*q == 'x') {
			e = q - 1;
			break;
		}
	}
	l->n_values = (uint8_t)(k + 1);
	if (*e != '0' || e <= p + 1)
		return false;
	l->text = p + 1;
	l->text_len = (uint32_t)(e - p - 1);
	l->kind = VIXL_ACCESS;
	return vixl_drawing(l->text, l->text_len, &l->spaces) && l->spaces >= 20 &&
	       quick_tail(end - 22, end, l) && l->arrow;
}

/* "# NZCV: N:0 Z:1 C:1 V:0" */
static inline bool quick_flags(const char *p, struct vixl_line *l)
{
	unsigned n = (unsigned)p[10] - '0', z = (unsigned)p[14] - '0', c = (unsigned)p[18] - '0',
	         v = (unsigned)p[22] - '0';
	if (memcmp(p, "# NZCV: N:", 10) || memcmp(p + 11, " Z:", 3) || memcmp(p + 15, " C:", 3) ||
	    memcmp(p + 19, " V:", 3) || (n | z | c | v) > 1)
		return false;
	l->kind = VIXL_NZCV;
	l->arrow = 0;
	l->value[0] = n << 3 | z << 2 | c << 1 | v;
	return true;
}

void vixl_parse(const char *p, size_t n, struct vixl_line *l, struct vixl_plain *plain)
{
	const char *end = p + n;
	l->prefix = 0;
	l->coloured = 0;
	l->masked = 0;
	l->quick = 1;
	if (n >= VIXL_INSN_HEAD && p[0] == '0') {
		if (p[1] == 'x' && p[18] == ' ' && p[19] == ' ' && p[28] == '\t' && p[29] == '\t' &&
		    vixl_hex16(p + 2, &l->addr) & vixl_hex8(p + 20, &l->enc)) {
			l->kind = VIXL_INSN;
			l->arrow = 0;
			l->text = p + VIXL_INSN_HEAD;
			l->text_len = (uint32_t)(n - VIXL_INSN_HEAD);
			return;
		}
	} else if (n >= 22 && p[0] == '#' && p[1] == ' ' && n <= VIXL_STATE_MAX) {
		if (p[16] == ':' && p[17] == ' ') {
			if (quick_register(p, end, l))
				return;
		} else if (p[2] == ' ' && p[16] == ' ' && quick_access(p, end, l)) {
			return;
		} else if (n == 31 && !memcmp(p, "# Branch to 0x", 14) && p[30] == '.' &&
		           vixl_hex16(p + 14, &l->addr)) {
			l->kind = VIXL_BRANCH;
			l->arrow = 0;
			return;
		} else if (n == 23 && quick_flags(p, l)) {
			return;
		}
	}
	vixl_parse_any(p, n, l, plain);
}

/* ---- printing ---- */

static const char *colour_of(const struct vixl_line *l, char which)
{
	bool vector = l->kind >= VIXL_VREG && l->kind <= VIXL_ZREG;
	if (which == '3')
		return "\033[1;34m";
	if (which == '0')
		return "\033[0;m";
	if (l->kind == VIXL_BRANCH)
		return "\033[0;30m\033[43m";
	if (l->kind == VIXL_NZCV || l->kind == VIXL_FPCR || l->kind == VIXL_GCS)
		return which == '1' ? "\033[1;37m" : "\033[0;m";
	if (l->kind == VIXL_PREG)
		return which == '1' ? "\033[1;32m" : "\033[0;32m";
	if (vector)
		return which == '1' ? "\033[1;35m" : "\033[0;35m";
	return which == '1' ? "\033[1;36m" : "\033[0;36m";
}

static char *put(char *out, const char *s, size_t n)
{
	memcpy(out, s, n);
	return out + n;
}

static char *put_s(char *out, const char *s)
{
	return put(out, s, strlen(s));
}

static char *put_colour(const struct vixl_line *l, char which, char *out)
{
	return l->coloured ? put_s(out, colour_of(l, which)) : out;
}

static char *put_spaces(char *out, size_t n)
{
	memset(out, ' ', n);
	return out + n;
}

static char *put_hex(char *out, uint64_t v, unsigned digits_wanted)
{
	for (unsigned i = digits_wanted; i-- > 0; v >>= 4)
		out[i] = "0123456789abcdef"[v & 15];
	return out + digits_wanted;
}

static char *put_address(char *out, uint64_t v, bool masked)
{
	out = put_s(out, "0x");
	return masked ? put_s(out, "~~~~~~~~~~~~~~~~") : put_hex(out, v, 16);
}

static char *put_name(const struct vixl_line *l, char *out)
{
	char buf[8];
	out = put_s(put_spaces(out, l->pad_name), vixl_reg_name(l, buf));
	if (l->ranged)
		out += sprintf(out, "<%u:%u>", l->msb, l->lsb);
	return out;
}

static char *put_value(const struct vixl_line *l, char *out)
{
	out = put_spaces(out, l->pad_value);
	if (l->letter == 'p') {
		out = put_s(out, "0b");
		for (unsigned i = 16; i-- > 0;) {
			*out++ = ' ';
			*out++ = (char)('0' + (l->value[0] >> i & 1));
		}
	} else if (l->masked & VIXL_MASKED_VALUE) {
		out = put_address(out, 0, true);
	} else {
		out = put_s(out, "0x");
		if (l->bytes == 16)
			out = put_hex(out, l->value[1], 16);
		out = put_hex(out, l->value[0], l->bytes == 16 ? 16 : 2u * l->bytes);
	}
	return put_spaces(out, l->pad_post);
}

/* Each value in colour, but not the dots for lanes that were not touched. */
static char *put_annotation(const struct vixl_line *l, char *out)
{
	if (!l->fp)
		return out;
	out = put_s(out, " (");
	if (!l->coloured)
		return put_s(put(out, l->fp, l->fp_len), ")");
	const char *p = l->fp, *end = p + l->fp_len;
	for (;;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *e = comma ? comma : end;
		bool dots = e - p == 3 && !memcmp(p, "...", 3);
		out = dots ? out : put_colour(l, '2', out);
		out = put(out, p, (size_t)(e - p));
		out = dots ? out : put_colour(l, '0', out);
		if (!comma)
			break;
		out = put_s(out, ", ");
		p = comma + (comma + 1 < end && comma[1] == ' ' ? 2 : 1);
	}
	return put_s(out, ")");
}

static char *put_arrow(const struct vixl_line *l, bool colour, char *out)
{
	if (!l->arrow)
		return out;
	out = put_s(out, l->arrow == '<' ? " <- " : " -> ");
	out = colour ? put_colour(l, '3', out) : out;
	out = put_address(out, l->addr, l->masked & VIXL_MASKED_ADDR);
	return colour ? put_colour(l, '0', out) : out;
}

static char *put_structure(const struct vixl_line *l, char *out)
{
	out = put_s(out, "0x");
	for (unsigned i = l->n_values; i-- > 0;) {
		out = put_hex(out, l->value[i], 2u * l->bytes);
		if (i)
			*out++ = '\'';
	}
	return out;
}

/* `bit`: how many bits of a status register are yet to come. */
static char *give(char what, const struct vixl_line *l, char *out, unsigned *bit)
{
	switch (what) {
	case 'a':
		return put_address(out, l->addr, l->masked & VIXL_MASKED_ADDR);
	case 's':
		return put_address(out, l->source, l->masked & VIXL_MASKED_SOURCE);
	case 'e':
		return put_hex(out, l->enc, 8);
	case 't':
	case 'd':
		return put(out, l->text, l->text_len);
	case 'N':
		return put_name(l, out);
	case 'V':
		return put_value(l, out);
	case 'F':
		return put_annotation(l, out);
	case 'M':
	case 'A':
		return put_arrow(l, true, out);
	case 'h':
		return put_arrow(l, false, out);
	case 'v':
		return put_structure(l, out);
	case 'w':
		return put_address(out, l->value[0], false);
	case 'y':
		return put_hex(put_s(out, "0x"), l->value[0], 2);
	case 'g':
		return put_hex(out, l->enc, 4);
	case 'i':
		return out + sprintf(out, "%x", l->index);
	case 'b':
		*out = (char)('0' + (l->value[0] >> --*bit & 1));
		return out + 1;
	case 'r':
		return put_s(out, roundings[l->value[0] & 3]);
	default:
		return put_colour(l, what, out);
	}
}

size_t vixl_print(const struct vixl_line *l, char *out)
{
	char *from = out;
	unsigned bit = l->kind == VIXL_FPCR ? 5 : 4;
	for (const char *t = patterns[l->kind]; *t; t++) {
		if (*t == '%')
			out = give(*++t, l, out, &bit);
		else
			*out++ = *t;
	}
	return (size_t)(out - from);
}

bool vixl_is_today(const struct vixl_line *l)
{
	char buf[8], range_text[16] = "";
	if (!vixl_is_register(l->kind) || l->quick)
		return true;
	if (l->ranged)
		snprintf(range_text, sizeof range_text, "<%u:%u>", l->msb, l->lsb);
	size_t columns = l->pad_name + strlen(vixl_reg_name(l, buf)) + strlen(range_text);
	unsigned room = l->letter == 'x' || l->letter == 'w' ? 8 : 16;
	unsigned pad = l->letter == 'p' ? 0 : 2u * (room - l->bytes);
	bool whole = l->ranged || l->letter != 'v' || l->bytes == 16;
	bool stores = l->arrow == '>';
	return columns == 14 && l->pad_value == pad && l->pad_post == 0 && whole &&
	       (l->ranged ? l->letter != 'w' : !stores);
}

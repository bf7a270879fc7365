/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a state trace, printed by the patterns of line.h, in colour as the simulator
 * colours them. A line that was coloured otherwise is not printed the same.
 */
#include <stdio.h>
#include <string.h>

#include "formats/vixl/line.h"

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

static char *print_put(char *out, const char *s, size_t n)
{
	memcpy(out, s, n);
	return out + n;
}

static char *put_s(char *out, const char *s)
{
	return print_put(out, s, strlen(s));
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

static char *print_put_hex(char *out, uint64_t v, unsigned digits_wanted)
{
	for (unsigned i = digits_wanted; i-- > 0; v >>= 4)
		out[i] = "0123456789abcdef"[v & 15];
	return out + digits_wanted;
}

static char *print_put_address(char *out, uint64_t v, bool masked)
{
	out = put_s(out, "0x");
	return masked ? put_s(out, "~~~~~~~~~~~~~~~~") : print_put_hex(out, v, 16);
}

static char *print_put_name(const struct vixl_line *l, char *out)
{
	char buf[8];
	out = put_s(put_spaces(out, l->pad_name), vixl_reg_name(l, buf));
	if (l->ranged)
		out += sprintf(out, "<%u:%u>", l->msb, l->lsb);
	return out;
}

static char *print_put_value(const struct vixl_line *l, char *out)
{
	out = put_spaces(out, l->pad_value);
	if (l->letter == 'p') {
		out = put_s(out, "0b");
		for (unsigned i = 16; i-- > 0;) {
			*out++ = ' ';
			*out++ = (char)('0' + (l->value[0] >> i & 1));
		}
	} else if (l->masked & VIXL_MASKED_VALUE) {
		out = print_put_address(out, 0, true);
	} else {
		out = put_s(out, "0x");
		if (l->bytes == 16)
			out = print_put_hex(out, l->value[1], 16);
		out = print_put_hex(out, l->value[0], l->bytes == 16 ? 16 : 2u * l->bytes);
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
		return put_s(print_put(out, l->fp, l->fp_len), ")");
	const char *p = l->fp, *end = p + l->fp_len;
	for (;;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *e = comma ? comma : end;
		bool dots = e - p == 3 && !memcmp(p, "...", 3);
		out = dots ? out : put_colour(l, '2', out);
		out = print_put(out, p, (size_t)(e - p));
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
	out = print_put_address(out, l->addr, l->masked & VIXL_MASKED_ADDR);
	return colour ? put_colour(l, '0', out) : out;
}

static char *put_structure(const struct vixl_line *l, char *out)
{
	out = put_s(out, "0x");
	for (unsigned i = l->n_values; i-- > 0;) {
		out = print_put_hex(out, l->value[i], 2u * l->bytes);
		if (i)
			*out++ = '\'';
	}
	return out;
}

/* `bit`: how many bits of a status register are yet to come. */
static char *print_give(char what, const struct vixl_line *l, char *out, unsigned *bit)
{
	switch (what) {
	case 'a':
		return print_put_address(out, l->addr, l->masked & VIXL_MASKED_ADDR);
	case 's':
		return print_put_address(out, l->source, l->masked & VIXL_MASKED_SOURCE);
	case 'e':
		return print_put_hex(out, l->enc, 8);
	case 't':
	case 'd':
		return print_put(out, l->text, l->text_len);
	case 'N':
		return print_put_name(l, out);
	case 'V':
		return print_put_value(l, out);
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
		return print_put_address(out, l->value[0], false);
	case 'y':
		return print_put_hex(put_s(out, "0x"), l->value[0], 2);
	case 'g':
		return print_put_hex(out, l->enc, 4);
	case 'i':
		return out + sprintf(out, "%x", l->index);
	case 'b':
		*out = (char)('0' + (l->value[0] >> --*bit & 1));
		return out + 1;
	case 'r':
		return put_s(out, vixl_roundings[l->value[0] & 3]);
	default:
		return put_colour(l, what, out);
	}
}

size_t vixl_print(const struct vixl_line *l, char *out)
{
	char *from = out;
	unsigned bit = l->kind == VIXL_FPCR ? 5 : 4;
	for (const char *t = vixl_patterns[l->kind]; *t; t++) {
		if (*t == '%')
			out = print_give(*++t, l, out, &bit);
		else
			*out++ = *t;
	}
	if (l->returns)
		*out++ = '\r';
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

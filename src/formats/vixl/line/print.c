/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a state trace, printed by the patterns of line.h, in colour as the simulator
 * colours them. A line that was coloured otherwise is not printed the same.
 */
#include <stdio.h>
#include <string.h>

#include "formats/vixl/line/line.h"

static const char *colour_of(const struct vixl_line *line, char which)
{
	bool vector = line->kind >= VIXL_VREG && line->kind <= VIXL_ZREG;
	if (which == '3')
		return "\033[1;34m";
	if (which == '0')
		return "\033[0;m";
	if (line->kind == VIXL_BRANCH)
		return "\033[0;30m\033[43m";
	if (line->kind == VIXL_NZCV || line->kind == VIXL_FPCR || line->kind == VIXL_GCS)
		return which == '1' ? "\033[1;37m" : "\033[0;m";
	if (line->kind == VIXL_PREG)
		return which == '1' ? "\033[1;32m" : "\033[0;32m";
	if (vector)
		return which == '1' ? "\033[1;35m" : "\033[0;35m";
	return which == '1' ? "\033[1;36m" : "\033[0;36m";
}

static char *print_put(char *out, const char *text, size_t n)
{
	memcpy(out, text, n);
	return out + n;
}

static char *put_s(char *out, const char *text)
{
	return print_put(out, text, strlen(text));
}

static char *put_colour(const struct vixl_line *line, char which, char *out)
{
	return line->coloured ? put_s(out, colour_of(line, which)) : out;
}

static char *put_spaces(char *out, size_t n)
{
	memset(out, ' ', n);
	return out + n;
}

static char *print_put_hex(char *out, uint64_t value, unsigned digits_wanted)
{
	for (unsigned i = digits_wanted; i-- > 0; value >>= 4)
		out[i] = "0123456789abcdef"[value & 15];
	return out + digits_wanted;
}

static char *print_put_address(char *out, uint64_t value, bool masked)
{
	out = put_s(out, "0x");
	return masked ? put_s(out, "~~~~~~~~~~~~~~~~") : print_put_hex(out, value, 16);
}

static char *print_put_name(const struct vixl_line *line, char *out)
{
	char buf[8];
	out = put_s(put_spaces(out, line->pad_name), vixl_reg_name(line, buf));
	if (line->ranged)
		out += sprintf(out, "<%u:%u>", line->msb, line->lsb);
	return out;
}

static char *print_put_value(const struct vixl_line *line, char *out)
{
	out = put_spaces(out, line->pad_value);
	if (line->letter == 'p') {
		out = put_s(out, "0b");
		for (unsigned i = 16; i-- > 0;) {
			*out++ = ' ';
			*out++ = (char)('0' + (line->value[0] >> i & 1));
		}
	} else if (line->masked & VIXL_MASKED_VALUE) {
		out = print_put_address(out, 0, true);
	} else {
		out = put_s(out, "0x");
		if (line->bytes == 16)
			out = print_put_hex(out, line->value[1], 16);
		out = print_put_hex(out, line->value[0], line->bytes == 16 ? 16 : 2u * line->bytes);
	}
	return put_spaces(out, line->pad_post);
}

/* Each value in colour, but not the dots for lanes that were not touched. */
static char *put_annotation(const struct vixl_line *line, char *out)
{
	if (!line->fp)
		return out;
	out = put_s(out, " (");
	if (!line->coloured)
		return put_s(print_put(out, line->fp, line->fp_len), ")");
	const char *p = line->fp, *end = p + line->fp_len;
	for (;;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *e = comma ? comma : end;
		bool dots = e - p == 3 && !memcmp(p, "...", 3);
		out = dots ? out : put_colour(line, '2', out);
		out = print_put(out, p, (size_t)(e - p));
		out = dots ? out : put_colour(line, '0', out);
		if (!comma)
			break;
		out = put_s(out, ", ");
		p = comma + (comma + 1 < end && comma[1] == ' ' ? 2 : 1);
	}
	return put_s(out, ")");
}

static char *put_arrow(const struct vixl_line *line, bool colour, char *out)
{
	if (!line->arrow)
		return out;
	out = put_s(out, line->arrow == '<' ? " <- " : " -> ");
	out = colour ? put_colour(line, '3', out) : out;
	out = print_put_address(out, line->addr, line->masked & VIXL_MASKED_ADDR);
	return colour ? put_colour(line, '0', out) : out;
}

static char *put_structure(const struct vixl_line *line, char *out)
{
	out = put_s(out, "0x");
	for (unsigned i = line->n_values; i-- > 0;) {
		out = print_put_hex(out, line->value[i], 2u * line->bytes);
		if (i)
			*out++ = '\'';
	}
	return out;
}

/* `bit`: how many bits of a status register are yet to come. */
static char *print_give(char what, const struct vixl_line *line, char *out, unsigned *bit)
{
	switch (what) {
	case 'a':
		return print_put_address(out, line->addr, line->masked & VIXL_MASKED_ADDR);
	case 's':
		return print_put_address(out, line->source, line->masked & VIXL_MASKED_SOURCE);
	case 'e':
		return print_put_hex(out, line->enc, 8);
	case 't':
	case 'd':
		return print_put(out, line->text, line->text_len);
	case 'N':
		return print_put_name(line, out);
	case 'V':
		return print_put_value(line, out);
	case 'F':
		return put_annotation(line, out);
	case 'M':
	case 'A':
		return put_arrow(line, true, out);
	case 'h':
		return put_arrow(line, false, out);
	case 'v':
		return put_structure(line, out);
	case 'w':
		return print_put_address(out, line->value[0], false);
	case 'y':
		return print_put_hex(put_s(out, "0x"), line->value[0], 2);
	case 'g':
		return print_put_hex(out, line->enc, 4);
	case 'i':
		return out + sprintf(out, "%x", line->index);
	case 'b':
		*out = (char)('0' + (line->value[0] >> --*bit & 1));
		return out + 1;
	case 'r':
		return put_s(out, vixl_roundings[line->value[0] & 3]);
	default:
		return put_colour(line, what, out);
	}
}

size_t vixl_print(const struct vixl_line *line, char *out)
{
	char *from = out;
	unsigned bit = line->kind == VIXL_FPCR ? 5 : 4;
	for (const char *t = vixl_patterns[line->kind]; *t; t++) {
		if (*t == '%')
			out = print_give(*++t, line, out, &bit);
		else
			*out++ = *t;
	}
	if (line->returns)
		*out++ = '\r';
	return (size_t)(out - from);
}

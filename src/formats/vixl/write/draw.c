/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How today's simulator lays out what it prints, found out from what it printed.
 */
#include "formats/vixl/write/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 14 };

void vixl_line_decode(struct vixl_line *line)
{
	char name[8], range[16] = "";
	unsigned room = line->letter == 'x' || line->letter == 'w' ? 8 : 16;
	if (line->ranged)
		snprintf(range, sizeof range, "<%u:%u>", line->msb, line->lsb);
	size_t n = strlen(vixl_reg_name(line, name)) + strlen(range);
	line->pad_name = (uint8_t)(n < NAME_COLUMNS ? NAME_COLUMNS - n : 0);
	line->pad_value =
		(uint8_t)(line->letter == 'p' || line->bytes > room ? 0 : 2 * (room - line->bytes));
	line->pad_post = 0;
}

static char *draw_put(char *out, const char *text)
{
	size_t n = strlen(text);
	memcpy(out, text, n);
	return out + n;
}

size_t vixl_draw(char *out, unsigned cells, uint32_t marks, uint32_t below)
{
	char *p = out;
	bool begun = false;
	memset(p, ' ', 19);
	p += 19;
	for (unsigned i = cells; i-- > 0;) {
		bool mark = marks >> i & 1;
		p = draw_put(p, begun ? "\u2500" : " ");
		p = draw_put(p, mark             ? (begun ? "\u2568" : "\u2559")
		                : begun          ? "\u2500"
		                : below >> i & 1 ? "\u2551"
		                                 : " ");
		begun |= mark;
	}
	return (size_t)(draw_put(p, "\u2500 ") - out);
}

/* ---- floating point ---- */

static double half(uint64_t hash)
{
	unsigned e = hash >> 10 & 31;
	double f = (double)(hash & 1023), v;
	if (e == 31)
		v = f != 0 ? NAN : INFINITY;
	else
		v = e ? ldexp(1 + f / 1024, (int)e - 15) : ldexp(f / 1024, -14);
	return hash >> 15 & 1 ? -v : v;
}

static double draw_number(uint64_t bits, unsigned lane)
{
	float s;
	double d;
	uint32_t low = (uint32_t)bits;
	if (lane == 2)
		return half(bits & 0xffff);
	memcpy(&s, &low, sizeof s);
	memcpy(&d, &bits, sizeof d);
	return lane == 4 ? (double)s : d;
}

size_t vixl_fp_text(char *out, const uint64_t value[2], unsigned bytes, unsigned lane,
                    uint32_t touched)
{
	char *p = out;
	bool dots = false;
	for (unsigned at = bytes; at > 0;) {
		at -= lane;
		if (!(touched >> at & 1)) {
			if (!dots)
				p = draw_put(p, p == out ? "..." : ", ...");
			dots = true;
			continue;
		}
		dots = false;
		if (p != out)
			p = draw_put(p, ", ");
		double d = draw_number(value[at / 8] >> 8 * (at % 8), lane);
		if (isnan(d))
			p = draw_put(p, "nan");
		else if (isinf(d))
			p = draw_put(p, d < 0 ? "-inf" : "inf");
		else
			p += snprintf(p, 24, "%#.4g", d);
	}
	return (size_t)(p - out);
}

bool vixl_is_fp_result(uint32_t enc)
{
	unsigned op = enc >> 15 & 63;
	if ((enc & 0xff200c00) == 0x1e200800)
		return true; /* two operands */
	/* one operand: all but FMOV and conversions */
	return (enc & 0xff207c00) == 0x1e204000 && ((op >= 1 && op <= 3) || op >= 8);
}

bool vixl_moves_lanes(uint32_t enc)
{
	unsigned how = enc >> 13 & 7, type = enc >> 21 & 15, size = enc >> 23 & 3, op = enc >> 21 & 3;
	switch (enc >> 25) {
	case 0xa4 >> 1: /* contiguous loads: by type, structures always */
		return how >= 6 || type == 5 || type == 10 || type == 15;
	case 0x84 >> 1: /* gathers of words, of doublewords */
		return size == 2;
	case 0xc4 >> 1:
		return size == 3;
	case 0xe4 >> 1:
		if (how == 3 || (how == 7 && (enc >> 20 & 1)))
			return true; /* structures */
		if (how == 5)
			return size == (op == 3 ? 2 : 3);
		if (how == 4 || how == 6)
			return size == (op >= 2 ? 2 : 3);
		return size == op; /* contiguous: in memory and in the lane */
	default:
		return vixl_is_struct(enc);
	}
}

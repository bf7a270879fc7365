/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions: "cpu1,1000..2000" and the like, from text to one conjunction.
 *
 * A region has at most one constraint of each kind, whatever was written: parts of the same kind
 * are intersected while parsing. That keeps matching free of loops, and lets a region that can
 * match nothing be refused here, where the text is at hand, instead of silently selecting nothing.
 *
 * The spelling decides the unit: decimal numbers count instructions, numbers in hexadecimal are
 * addresses, a letter in front names anything else. A spelling that could mean two things
 * (0x1000+0x10) is refused, with both.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "image/image.h"
#include "model/select_internal.h"

/* ---- shared with the expression parser ---- */

static int digit_of(char ch, unsigned base)
{
	int d = ch >= '0' && ch <= '9'   ? ch - '0'
	        : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
	        : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
	                                 : 99;
	return d < (int)base ? d : -1;
}

static uint64_t suffix_of(char ch)
{
	switch (ch) {
	case 'k':
	case 'K':
		return 1000;
	case 'M':
		return 1000 * 1000;
	case 'G':
		return 1000 * 1000 * 1000;
	default:
		return 1;
	}
}

const char *select_number(const char **p, const char *end, uint64_t *values, bool *hex)
{
	static const char too_big[] = "a number does not fit in 64 bits";
	const char *s = *p;
	bool is_hex = end - s >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	unsigned base = is_hex ? 16 : 10;
	s += is_hex ? 2 : 0;
	if (hex)
		*hex = is_hex;
	if (s == end || digit_of(*s, base) < 0) {
		*p = s;
		return "a digit is missing";
	}
	uint64_t n = 0;
	for (; s < end; s++) {
		/* A separator stands between two digits. */
		if (*s == '_' && end - s >= 2 && s[-1] != '_' && digit_of(s[1], base) >= 0)
			continue;
		int d = digit_of(*s, base);
		if (d < 0)
			break;
		if (__builtin_mul_overflow(n, (uint64_t)base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)d, &n))
			return too_big;
	}
	if (!is_hex && s < end && suffix_of(*s) > 1) {
		if (__builtin_mul_overflow(n, suffix_of(*s), &n))
			return too_big;
		s++;
	}
	*p = s;
	*values = n;
	return NULL;
}

int cairn_number(const char *text, size_t n, uint64_t *out)
{
	const char *p = text;
	uint64_t value;
	bool hex;
	if (select_number(&p, text + n, &value, &hex) || p != text + n || hex)
		return CAIRN_E_INVAL;
	*out = value;
	return 0;
}

const char *select_quote(char *buf, size_t cap, const char *text, size_t n)
{
	size_t shown = n < cap ? n : cap - 4;
	/* Never end inside a multi-byte character. */
	while (shown < n && shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--;
	for (size_t i = 0; i < shown; i++)
		buf[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
	memcpy(buf + shown, shown < n ? "..." : "", shown < n ? 4 : 1);
	return buf;
}

int select_fail(struct cairn *cairn, int status, const char *what, const char *text, size_t at,
                const char *fmt, ...)
{
	enum { BEFORE = 60, SHOWN = 140 };
	char why[600], window[SHOWN + 1];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	size_t from = at > BEFORE ? at - BEFORE : 0;
	size_t n = strlen(text);
	if (n < SHOWN)
		from = 0;
	while (from < at && ((unsigned char)text[from] & 0xc0) == 0x80)
		from++;
	select_quote(window, sizeof window, text + from, n - from);
	return base_fail(cairn, status, "%s '%s%s', character %zu: %s", what, from ? "..." : "", window,
	                 at + 1, why);
}

int select_symbol(struct cairn *cairn, const struct cairn_image *image, const char *what,
                  const char *text, size_t at, const char *name, size_t n, uint64_t *first,
                  uint64_t *last)
{
	char q[80];
	if (n == 0)
		return select_fail(cairn, CAIRN_E_INVAL, what, text, at, "the name of a symbol is missing");
	select_quote(q, sizeof q, name, n);
	if (!image)
		return select_fail(cairn, CAIRN_E_INVAL, what, text, at,
		                   "'@%s' is a symbol, and there is no image to look it up in", q);
	const struct cairn_symbol *sym = cairn_image_symbol(image, name, n);
	if (!sym)
		return select_fail(cairn, CAIRN_E_NOTFOUND, what, text, at, "the image has no symbol '%s'",
		                   q);
	*first = sym->addr;
	*last = image_symbol_last(sym);
	return 0;
}

/* ---- one part of a region ---- */

struct region_parser {
	struct cairn *cairn;
	const struct cairn_image *image;
	const char *text, *p, *end;
	struct select_region *out;
};

static int fail_at(const struct region_parser *parser, const char *at, const char *why)
{
	return select_fail(parser->cairn, CAIRN_E_INVAL, "region", parser->text,
	                   (size_t)(at - parser->text), "%s", why);
}

static void skip_blanks(struct region_parser *parser)
{
	while (parser->p < parser->end && (*parser->p == ' ' || *parser->p == '\t'))
		parser->p++;
}

static bool region_take(struct region_parser *parser, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(parser->end - parser->p) < n || memcmp(parser->p, word, n) != 0)
		return false;
	parser->p += n;
	return true;
}

static bool region_is_digit(const struct region_parser *parser)
{
	return parser->p < parser->end && *parser->p >= '0' && *parser->p <= '9';
}

static int region_number(struct region_parser *parser, uint64_t *values, bool *hex)
{
	const char *why = select_number(&parser->p, parser->end, values, hex);
	return why ? fail_at(parser, parser->p, why) : 0;
}

/* Narrow one kind of constraint; the first of its kind is taken as it is. */
static int region_narrow(struct region_parser *parser, const char *at, uint32_t bit,
                         struct select_range *have, struct select_range add)
{
	if (parser->out->has & bit) {
		add.first = add.first > have->first ? add.first : have->first;
		add.last = add.last < have->last ? add.last : have->last;
		if (add.first > add.last)
			return fail_at(parser, at, "selects nothing together with what is before the comma");
	}
	*have = add;
	parser->out->has |= bit;
	return 0;
}

/* One number of a range of numbers: decimal, from 1. */
static int ordinal(struct region_parser *parser, bool rec, uint64_t *values)
{
	bool hex;
	const char *at = parser->p;
	int rc = region_number(parser, values, &hex);
	if (rc < 0)
		return rc;
	if (hex)
		return fail_at(parser, at,
		               "a number with 0x is an address; ranges of addresses are written "
		               "0x1000-0x1fff, ranges of instructions in decimal");
	if (*values == 0)
		return fail_at(parser, at,
		               rec ? "records are numbered from 1" : "instructions are numbered from 1");
	return 0;
}

/* 1000..2000, 1000.., ..2000, 1000+50, 1000; r in front of them counts records. */
static int part_numbers(struct region_parser *parser)
{
	const char *at = parser->p;
	struct select_range range = {1, UINT64_MAX};
	bool rec = *parser->p == 'r' || *parser->p == 'R';
	parser->p += rec ? 1 : 0;
	bool from = region_is_digit(parser);
	int rc = from ? ordinal(parser, rec, &range.first) : 0;
	if (rc < 0)
		return rc;
	if (region_take(parser, "..")) {
		const char *last = parser->p;
		if (parser->p < parser->end && (*parser->p == 'r' || *parser->p == 'R')) {
			if (from && !rec)
				return fail_at(parser, last, "begins with an instruction and ends with a record");
			rec = true;
			parser->p++;
		}
		bool to = region_is_digit(parser);
		if (!to && !from)
			return fail_at(parser, parser->p, "a range needs a beginning or an end");
		rc = to ? ordinal(parser, rec, &range.last) : 0;
		if (rc < 0)
			return rc;
		if (range.last < range.first)
			return fail_at(parser, last, "the range ends before it begins");
	} else if (region_take(parser, "+")) {
		const char *count = parser->p;
		uint64_t n;
		rc = region_number(parser, &n, NULL);
		if (rc < 0)
			return rc;
		if (n == 0)
			return fail_at(parser, count, "a range of no length selects nothing");
		if (__builtin_add_overflow(range.first, n - 1, &range.last))
			range.last = UINT64_MAX;
	} else {
		range.last = range.first;
	}
	if (parser->p < parser->end && *parser->p == '-')
		return fail_at(parser, parser->p, "ranges of numbers are written 1000..2000");
	return rec ? region_narrow(parser, at, SELECT_HAS_REC, &parser->out->rec, range)
	           : region_narrow(parser, at, SELECT_HAS_INSN, &parser->out->insn, range);
}

/* 0x80000000-0x80000fff, 0x80000000 */
static int part_addresses(struct region_parser *parser)
{
	const char *at = parser->p;
	struct select_range range;
	int rc = region_number(parser, &range.first, NULL);
	if (rc < 0)
		return rc;
	range.last = range.first;
	if (region_take(parser, "-")) {
		const char *last = parser->p;
		bool hex;
		rc = region_number(parser, &range.last, &hex);
		if (rc < 0)
			return rc;
		if (!hex)
			return fail_at(parser, last, "an address is written in hexadecimal, with 0x");
		if (range.last < range.first)
			return fail_at(parser, last, "the range ends before it begins");
	} else if (parser->p < parser->end && (*parser->p == '.' || *parser->p == '+')) {
		return fail_at(parser, parser->p, "ranges of addresses are written 0x1000-0x1fff");
	}
	return region_narrow(parser, at, SELECT_HAS_PC, &parser->out->pc, range);
}

/* Where address spaces have symbols of their own, the range is what all of that name cover, and
 * each instruction is asked for its own (select.c). */
static int in_spaces(struct region_parser *parser, const char *at, const char *name, size_t n,
                     uint64_t plus, struct select_range *range)
{
	const struct cairn_symbol *sym = cairn_image_symbol(parser->image, name, n);
	if (parser->out->spaces)
		return fail_at(parser, at, "a second symbol, and address spaces have symbols of their own");
	parser->out->spaces = parser->image;
	parser->out->symbol = sym->name;
	parser->out->plus = plus;
	image_named_extent(parser->image, sym->name, &range->first, &range->last);
	if (plus != UINT64_MAX)
		*range = (struct select_range){0, UINT64_MAX};
	return 0;
}

/* @main, @main+0x10, @"operator+(int, int)" */
static int part_symbol(struct region_parser *parser)
{
	const char *at = parser->p++, *name, *name_end;
	if (region_take(parser, "\"")) {
		name = parser->p;
		name_end = memchr(name, '"', (size_t)(parser->end - name));
		if (!name_end)
			return fail_at(parser, at, "the closing quote is missing");
		parser->p = name_end + 1;
	} else {
		name = parser->p;
		while (parser->p < parser->end && !strchr(",+ \t", *parser->p))
			parser->p++;
		name_end = parser->p;
	}
	struct select_range range;
	uint64_t plus = UINT64_MAX;
	int rc = select_symbol(parser->cairn, parser->image, "region", parser->text,
	                       (size_t)(at - parser->text), name, (size_t)(name_end - name),
	                       &range.first, &range.last);
	if (rc < 0)
		return rc;
	if (region_take(parser, "+")) {
		const char *offset = parser->p;
		uint64_t n;
		rc = region_number(parser, &n, NULL);
		if (rc < 0)
			return rc;
		if (__builtin_add_overflow(range.first, n, &range.first))
			return fail_at(parser, offset, "lies beyond the last address");
		range.last = range.first;
		plus = n;
	}
	if (cairn_image_has_spaces(parser->image))
		rc = in_spaces(parser, at, name, (size_t)(name_end - name), plus, &range);
	return rc < 0 ? rc : region_narrow(parser, at, SELECT_HAS_PC, &parser->out->pc, range);
}

static const struct {
	const char *word;
	enum select_ctx_field field;
	uint32_t max;
} ctx_words[] = {
	{"cpu", SELECT_CTX_HART, UINT16_MAX},     {"hart", SELECT_CTX_HART, UINT16_MAX},
	{"core", SELECT_CTX_HART, UINT16_MAX},    {"hw_tid", SELECT_CTX_HW_TID, UINT32_MAX},
	{"hwtid", SELECT_CTX_HW_TID, UINT32_MAX}, {"pid", SELECT_CTX_PID, UINT32_MAX},
	{"tid", SELECT_CTX_TID, UINT32_MAX},      {"asid", SELECT_CTX_ASID, UINT32_MAX},
	{"vmid", SELECT_CTX_VMID, UINT32_MAX},
};

/* cpu1, pid42 … */
static int part_context(struct region_parser *parser)
{
	static const char what[] = "is not a region; regions are 1000..2000, 1000+50, r100..r200, "
							   "@main, 0x1000-0x1fff, cpu1, pid42, tid7";
	const char *at = parser->p;
	size_t i = 0, n = sizeof ctx_words / sizeof ctx_words[0];
	while (i < n && !region_take(parser, ctx_words[i].word))
		i++;
	if (i == n)
		return fail_at(parser, at, what);
	if (!region_is_digit(parser)) {
		bool ends = parser->p == parser->end || *parser->p == ',';
		return fail_at(parser, ends ? parser->p : at, ends ? "the number is missing" : what);
	}
	uint64_t v;
	const char *num = parser->p;
	int rc = region_number(parser, &v, NULL);
	if (rc < 0)
		return rc;
	if (v > ctx_words[i].max)
		return fail_at(parser, num, "is larger than any trace can hold");
	uint32_t bit = 1u << (SELECT_HAS_CTX + ctx_words[i].field);
	if (parser->out->has & bit && parser->out->ctx[ctx_words[i].field] != v)
		return fail_at(parser, at, "selects nothing together with what is before the comma");
	parser->out->has |= bit;
	parser->out->ctx[ctx_words[i].field] = (uint32_t)v;
	return 0;
}

static int region_part(struct region_parser *parser)
{
	char ch = parser->p < parser->end ? *parser->p : '\0';
	char next = parser->end - parser->p > 1 ? parser->p[1] : '\0';
	if (ch == '\0' || ch == ',')
		return fail_at(parser, parser->p, "there is nothing here");
	if (ch == '@')
		return part_symbol(parser);
	if (ch == '0' && (next == 'x' || next == 'X'))
		return part_addresses(parser);
	if ((ch >= '0' && ch <= '9') || (ch == '.' && next == '.'))
		return part_numbers(parser);
	if ((ch == 'r' || ch == 'R') && ((next >= '0' && next <= '9') || next == '.'))
		return part_numbers(parser);
	return part_context(parser);
}

int select_parse_region(struct cairn *cairn, const struct cairn_image *image, const char *text,
                        struct select_region *out)
{
	struct region_parser parser = {.cairn = cairn,
	                               .image = image,
	                               .text = text,
	                               .p = text,
	                               .end = text + strlen(text),
	                               .out = out};
	*out = (struct select_region){0};
	skip_blanks(&parser);
	if (parser.p == parser.end)
		return fail_at(&parser, parser.p, "an empty region");
	for (;;) {
		skip_blanks(&parser);
		int rc = region_part(&parser);
		if (rc < 0)
			return rc;
		skip_blanks(&parser);
		if (parser.p == parser.end)
			return 0;
		if (!region_take(&parser, ","))
			return fail_at(&parser, parser.p, "does not belong to a region");
	}
}

/* ---- addresses alone ---- */

static int addresses_fail(struct cairn *cairn, const char *text, const char *at, const char *why)
{
	return select_fail(cairn, CAIRN_E_INVAL, "place", text, (size_t)(at - text), "%s", why);
}

int cairn_addresses(struct cairn *cairn, const char *text, const struct cairn_image *image,
                    uint64_t *first, uint64_t *last)
{
	const char *p = text, *end = text + strlen(text), *why;
	uint64_t v;
	if (*text == '@')
		return select_symbol(cairn, image, "place", text, 0, text + 1, strlen(text + 1), first,
		                     last);
	why = select_number(&p, end, first, NULL);
	*last = *first;
	if (why)
		return addresses_fail(cairn, text, p, why);
	if (p == end)
		return 0;
	char sign = *p;
	const char *at = ++p;
	if (sign != '+' && sign != '-')
		return addresses_fail(cairn, text, at - 1,
		                      "addresses are written 0x1000+8 or 0x1000-0x1007");
	why = select_number(&p, end, &v, NULL);
	if (why || p != end)
		return addresses_fail(cairn, text, p, why ? why : "does not belong to an address");
	if (sign == '+' && v == 0)
		return addresses_fail(cairn, text, at, "a range of no bytes");
	if (sign == '-' ? v < *first : v - 1 > UINT64_MAX - *first)
		return addresses_fail(cairn, text, at, "the range ends before it begins");
	*last = sign == '+' ? *first + (v - 1) : v;
	return 0;
}

bool select_ctx_value(const struct cairn_ctx *ctx, enum select_ctx_field field, uint32_t *values)
{
	switch (field) {
	case SELECT_CTX_HART:
		*values = ctx->hart;
		return ctx->known & CAIRN_CTX_HART;
	case SELECT_CTX_HW_TID:
		*values = ctx->hw_tid;
		return ctx->known & CAIRN_CTX_HW_TID;
	case SELECT_CTX_PID:
		*values = ctx->pid;
		return ctx->known & CAIRN_CTX_PID;
	case SELECT_CTX_TID:
		*values = ctx->tid;
		return ctx->known & CAIRN_CTX_TID;
	case SELECT_CTX_ASID:
		*values = ctx->asid;
		return ctx->known & CAIRN_CTX_ASID;
	case SELECT_CTX_VMID:
		*values = ctx->vmid;
		return ctx->known & CAIRN_CTX_VMID;
	default:
		return false;
	}
}

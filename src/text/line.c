/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of lines. Numbers are read up to the end of the line and never beyond; a number
 * that does not fit is none.
 */
#include <string.h>

#include "text/text.h"

const char *text_line_begin(const char *from, const char *p)
{
	const char *nl = p > from ? memrchr(from, '\n', (size_t)(p - from)) : NULL;
	return nl ? nl + 1 : from;
}

static int digit(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	letter |= 0x20;
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

unsigned text_hex(const char *p, const char *end, unsigned most, uint64_t *out)
{
	unsigned n = 0;
	*out = 0;
	for (int v; n < most && p + n < end && (v = digit(p[n])) >= 0; n++)
		*out = *out << 4 | (unsigned)v;
	return n;
}

const char *text_0x(const char *p, const char *end, uint64_t *out, unsigned *digits)
{
	*out = 0;
	*digits = 0;
	if (end - p < 3 || p[0] != '0' || p[1] != 'x')
		return NULL;
	p += 2;
	*digits = text_hex(p, end, 16, out);
	p += *digits;
	return *digits == 0 || (p < end && digit(*p) >= 0) ? NULL : p;
}

const char *text_dec(const char *p, const char *end, uint64_t *out)
{
	const char *from = p;
	*out = 0;
	for (; p < end && *p >= '0' && *p <= '9' && p - from < 19; p++)
		*out = *out * 10 + (unsigned)(*p - '0');
	return p == from || (p < end && *p >= '0' && *p <= '9') ? NULL : p;
}

const char *text_spaces(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

const char *text_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(end - p) >= n && !memcmp(p, word, n) ? p + n : NULL;
}

void text_bad(struct text_line *line, const char *why)
{
	line->kind = 1;
	line->role = TEXT_BAD;
	line->why = why;
}

void text_bad_insn(struct text_line *line, const char *why)
{
	text_bad(line, why);
	line->lost_insn = true;
}

void text_parse(const struct text_impl *im, const char *p, const char *end, const char *next,
                struct text_line *line)
{
	*line = (struct text_line){0};
	im->d->parse(im, p, (size_t)(end - p), line);
	bool zeros = memchr(p, 0, (size_t)(end - p)) != NULL;
	if (!zeros && (next[-1] == '\n' || next - p >= TEXT_LINE_MAX))
		return;
	*line = (struct text_line){.end = end};
	text_bad_insn(line, zeros ? "bytes of the line are zero" : "the log breaks off in this line");
}

/* Is it the encoding again, or a word for "not known"? Disassemblers put these where words should
 * be. */
static bool is_no_disassembly(const char *p, const char *end)
{
	static const char *const directives[] = {".byte ", ".short ", ".half ",  ".hword ", ".word ",
	                                         ".long ", ".2byte ", ".4byte ", ".inst ",  ".insn ",
	                                         "DCI ",   "DCD ",    "DCW ",    "OBJD-T: "};
	const char *q = text_word(p, end, "DASM(");
	uint64_t v;
	if (q) {
		q += text_word(q, end, "0x") ? 2 : 0;
		unsigned n = text_hex(q, end, 16, &v);
		return n && q + n + 1 == end && q[n] == ')';
	}
	for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
		if ((q = text_word(p, end, directives[i])) && q < end &&
		    (strchr("0123456789", *q) || directives[i][0] == 'O'))
			return true;
	return text_word(p, end, "unknown") == end || text_word(p, end, "<unknown>") == end;
}

void text_words(struct text_line *line, const char *p, const char *end)
{
	p = text_spaces(p, end);
	while (end > p && end[-1] == ' ')
		end--;
	line->text = p;
	line->text_len = is_no_disassembly(p, end) ? 0 : (uint32_t)(end - p);
}

bool text_try_rows(const struct text_impl *im, struct text_line *line, const char *why)
{
	struct text_row row;
	const char *at = line->rows;
	int rc;
	while ((rc = im->d->next_row(im, line, &at, &row)) > 0)
		continue;
	if (rc < 0)
		text_bad(line, why);
	return rc == 0;
}

size_t text_value(const char *digits, size_t n, uint8_t *out, size_t cap)
{
	size_t k = 0;
	size_t need = (n / 2 + 8) & ~(size_t)7; /* what a caller may look at */
	memset(out, 0, need < cap ? need : cap);
	for (size_t i = n; i-- > 0;) {
		int v = digit(digits[i]);
		if (v < 0)
			continue;
		if (k / 2 < cap)
			out[k / 2] |= (uint8_t)(v << (k & 1) * 4);
		k++;
	}
	return (k + 1) / 2;
}

int text_fits(const struct text_dialect *dialect, const uint8_t *head, size_t n)
{
	struct text_impl im = {.d = dialect};
	const char *p = (const char *)head, *end = p + (n < TEXT_HEAD ? n : (size_t)TEXT_HEAD);
	unsigned insns = 0, ours = 0, other = 0;
	while (p < end) {
		const char *e, *next = text_line_end(p, end, &e);
		struct text_line line = {0};
		if (next == end && n >= TEXT_HEAD && end[-1] != '\n')
			break; /* cut off by who looks */
		dialect->parse(&im, p, (size_t)(e - p), &line);
		insns += line.role == TEXT_INSN;
		ours += line.role > TEXT_BAD;
		other += line.role <= TEXT_BAD && e > p;
		p = next;
	}
	if (!insns || ours < other)
		return 0;
	return other ? 60 : 90;
}

int text_sure(const struct model_format *format, const uint8_t *head, size_t n)
{
	return text_fits(format->own, head, n);
}

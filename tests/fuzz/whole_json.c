/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 8259's grammar, and no more. */
#include "whole_json.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DEPTH = 64 };

struct cursor {
	const char *p, *end;
};

static void skip_space(struct cursor *c)
{
	while (c->p < c->end && memchr(" \t\r\n", *c->p, 4))
		c->p++;
}

static bool skip(struct cursor *c, char wanted)
{
	bool is = c->p < c->end && *c->p == wanted;
	c->p += is;
	return is;
}

static bool skip_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);
	bool is = (size_t)(c->end - c->p) >= n && memcmp(c->p, word, n) == 0;
	c->p += is ? n : 0;
	return is;
}

static bool skip_digits(struct cursor *c)
{
	const char *first = c->p;
	while (c->p < c->end && isdigit((unsigned char)*c->p))
		c->p++;
	return c->p > first;
}

static bool skip_number(struct cursor *c)
{
	skip(c, '-');
	if (!skip(c, '0') && !skip_digits(c))
		return false;
	if (skip(c, '.') && !skip_digits(c))
		return false;
	if (!skip(c, 'e') && !skip(c, 'E'))
		return true;
	if (!skip(c, '+'))
		skip(c, '-');
	return skip_digits(c);
}

/* One character of UTF-8, none of them longer than needed, no surrogate. */
static bool skip_character(struct cursor *c)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	uint8_t first = (uint8_t)*c->p++;
	unsigned more = first < 0x80       ? 0
	                : first >> 5 == 6  ? 1
	                : first >> 4 == 14 ? 2
	                : first >> 3 == 30 ? 3
	                                   : 4;
	uint32_t code = more ? first & (0x3fu >> more) : first;
	if (more == 4 || (size_t)(c->end - c->p) < more)
		return false;
	for (unsigned i = 0; i < more; i++) {
		if (((uint8_t)*c->p & 0xc0) != 0x80)
			return false;
		code = code << 6 | ((uint8_t)*c->p++ & 0x3f);
	}
	return code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static bool skip_string(struct cursor *c)
{
	if (!skip(c, '"'))
		return false;
	while (c->p < c->end && *c->p != '"') {
		if ((unsigned char)*c->p < 0x20)
			return false;
		if (!skip(c, '\\')) {
			if (!skip_character(c))
				return false;
		} else if (skip(c, 'u')) {
			for (int i = 0; i < 4; i++, c->p++)
				if (c->p >= c->end || !isxdigit((unsigned char)*c->p))
					return false;
		} else if (c->p >= c->end || !memchr("\"\\/bfnrt", *c->p, 8)) {
			return false;
		} else {
			c->p++;
		}
	}
	return skip(c, '"');
}

static bool skip_value(struct cursor *c, int depth);

static bool skip_members(struct cursor *c, bool named, char closing, int depth)
{
	skip_space(c);
	if (skip(c, closing))
		return true;
	do {
		skip_space(c);
		if (named && !skip_string(c))
			return false;
		skip_space(c);
		if ((named && !skip(c, ':')) || !skip_value(c, depth))
			return false;
		skip_space(c);
	} while (skip(c, ','));
	return skip(c, closing);
}

static bool skip_value(struct cursor *c, int depth)
{
	skip_space(c);
	if (c->p >= c->end || depth > DEPTH)
		return false;
	if (*c->p == '"')
		return skip_string(c);
	if (skip(c, '{'))
		return skip_members(c, true, '}', depth + 1);
	if (skip(c, '['))
		return skip_members(c, false, ']', depth + 1);
	return skip_word(c, "null") || skip_word(c, "true") || skip_word(c, "false") || skip_number(c);
}

const char *where_not_json(const char *text, size_t n)
{
	struct cursor c = {text, text + n};
	for (skip_space(&c); c.p < c.end; skip_space(&c))
		if (!skip_value(&c, 0))
			return c.p;
	return NULL;
}

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

static void skip_space(struct cursor *cursor)
{
	while (cursor->p < cursor->end && memchr(" \t\r\n", *cursor->p, 4))
		cursor->p++;
}

static bool skip(struct cursor *cursor, char wanted)
{
	bool is = cursor->p < cursor->end && *cursor->p == wanted;
	cursor->p += is;
	return is;
}

static bool skip_word(struct cursor *cursor, const char *word)
{
	size_t n = strlen(word);
	bool is = (size_t)(cursor->end - cursor->p) >= n && memcmp(cursor->p, word, n) == 0;
	cursor->p += is ? n : 0;
	return is;
}

static bool skip_digits(struct cursor *cursor)
{
	const char *first = cursor->p;
	while (cursor->p < cursor->end && isdigit((unsigned char)*cursor->p))
		cursor->p++;
	return cursor->p > first;
}

static bool skip_number(struct cursor *cursor)
{
	skip(cursor, '-');
	if (!skip(cursor, '0') && !skip_digits(cursor))
		return false;
	if (skip(cursor, '.') && !skip_digits(cursor))
		return false;
	if (!skip(cursor, 'e') && !skip(cursor, 'E'))
		return true;
	if (!skip(cursor, '+'))
		skip(cursor, '-');
	return skip_digits(cursor);
}

/* One character of UTF-8, none of them longer than needed, no surrogate. */
static bool skip_character(struct cursor *cursor)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	uint8_t first = (uint8_t)*cursor->p++;
	unsigned more = first < 0x80       ? 0
	                : first >> 5 == 6  ? 1
	                : first >> 4 == 14 ? 2
	                : first >> 3 == 30 ? 3
	                                   : 4;
	uint32_t code = more ? first & (0x3fu >> more) : first;
	if (more == 4 || (size_t)(cursor->end - cursor->p) < more)
		return false;
	for (unsigned i = 0; i < more; i++) {
		if (((uint8_t)*cursor->p & 0xc0) != 0x80)
			return false;
		code = code << 6 | ((uint8_t)*cursor->p++ & 0x3f);
	}
	return code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static bool skip_string(struct cursor *cursor)
{
	if (!skip(cursor, '"'))
		return false;
	while (cursor->p < cursor->end && *cursor->p != '"') {
		if ((unsigned char)*cursor->p < 0x20)
			return false;
		if (!skip(cursor, '\\')) {
			if (!skip_character(cursor))
				return false;
		} else if (skip(cursor, 'u')) {
			for (int i = 0; i < 4; i++, cursor->p++)
				if (cursor->p >= cursor->end || !isxdigit((unsigned char)*cursor->p))
					return false;
		} else if (cursor->p >= cursor->end || !memchr("\"\\/bfnrt", *cursor->p, 8)) {
			return false;
		} else {
			cursor->p++;
		}
	}
	return skip(cursor, '"');
}

static bool skip_value(struct cursor *cursor, int depth);

static bool skip_members(struct cursor *cursor, bool named, char closing, int depth)
{
	skip_space(cursor);
	if (skip(cursor, closing))
		return true;
	do {
		skip_space(cursor);
		if (named && !skip_string(cursor))
			return false;
		skip_space(cursor);
		if ((named && !skip(cursor, ':')) || !skip_value(cursor, depth))
			return false;
		skip_space(cursor);
	} while (skip(cursor, ','));
	return skip(cursor, closing);
}

static bool skip_value(struct cursor *cursor, int depth)
{
	skip_space(cursor);
	if (cursor->p >= cursor->end || depth > DEPTH)
		return false;
	if (*cursor->p == '"')
		return skip_string(cursor);
	if (skip(cursor, '{'))
		return skip_members(cursor, true, '}', depth + 1);
	if (skip(cursor, '['))
		return skip_members(cursor, false, ']', depth + 1);
	return skip_word(cursor, "null") || skip_word(cursor, "true") || skip_word(cursor, "false") ||
	       skip_number(cursor);
}

const char *where_not_json(const char *text, size_t n)
{
	struct cursor cursor = {text, text + n};
	for (skip_space(&cursor); cursor.p < cursor.end; skip_space(&cursor))
		if (!skip_value(&cursor, 0))
			return cursor.p;
	return NULL;
}

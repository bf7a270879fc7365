/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A streaming JSON writer. We only ever write JSON, line after line and fast, so
 * there is no tree: every call appends. What stands at each depth is one bit.
 *
 * Strings are made of what a trace holds. JSON must be UTF-8, so a byte that is
 * not becomes U+FFFD; whoever needs the bytes asks for jout_bytes.
 */
#include "export/json.h"

#include <stdio.h>

enum { MAX_DEPTH = 63 };

void jout_init(struct jout *j, struct base_buf *out, bool pretty)
{
	*j = (struct jout){.out = out, .pretty = pretty};
}

/* Room for a value of `n` bytes with the comma and indentation before it, those
 * already written; NULL when something failed. */
static char *json_begin(struct jout *j, size_t n)
{
	if (j->status < 0)
		return NULL;
	char *p = text_open(j->out, n + 4 + (j->pretty ? 2u * MAX_DEPTH : 0));
	if (!p) {
		j->status = CAIRN_E_NOMEM;
		return NULL;
	}
	if (j->after_key) {
		j->after_key = false;
		return p;
	}
	uint64_t bit = (uint64_t)1 << j->depth;
	if (j->depth) {
		if (j->more & bit)
			*p++ = ',';
		if (j->pretty) {
			*p++ = '\n';
			p = text_spaces(p, 2u * j->depth);
		}
	}
	j->more |= bit;
	return p;
}

static void open_level(struct jout *j, char bracket)
{
	char *p = json_begin(j, 1);
	if (!p)
		return;
	*p++ = bracket;
	text_close(j->out, p);
	if (j->depth == MAX_DEPTH) {
		j->status = CAIRN_E_LIMIT;
		return;
	}
	j->depth++;
	j->more &= ~((uint64_t)1 << j->depth);
}

static void close_level(struct jout *j, char bracket)
{
	if (j->status < 0)
		return;
	char *p = text_open(j->out, 2 + 2u * MAX_DEPTH);
	if (!p || j->depth == 0) {
		j->status = p ? CAIRN_E_STATE : CAIRN_E_NOMEM;
		return;
	}
	bool any = j->more >> j->depth & 1;
	j->depth--;
	if (j->pretty && any) {
		*p++ = '\n';
		p = text_spaces(p, 2u * j->depth);
	}
	*p++ = bracket;
	text_close(j->out, p);
}

void jout_object(struct jout *j)
{
	open_level(j, '{');
}

void jout_object_end(struct jout *j)
{
	close_level(j, '}');
}

void jout_array(struct jout *j)
{
	open_level(j, '[');
}

void jout_array_end(struct jout *j)
{
	close_level(j, ']');
}

void jout_end(struct jout *j)
{
	j->more = 0;
	j->depth = 0;
	if (j->status >= 0 && base_buf_put(j->out, "\n", 1) < 0)
		j->status = CAIRN_E_NOMEM;
}

static char *json_escape(char *p, const char *s, size_t n)
{
	*p++ = '"';
	for (size_t i = 0; i < n;) {
		unsigned char ch = (unsigned char)s[i];
		if (ch >= 0x20 && ch < 0x7f && ch != '"' && ch != '\\') {
			*p++ = (char)ch;
			i++;
			continue;
		}
		size_t len = text_utf8(s + i, n - i);
		if (ch == '"' || ch == '\\') {
			*p++ = '\\';
			*p++ = (char)ch;
		} else if (ch == '\n' || ch == '\t') {
			*p++ = '\\';
			*p++ = ch == '\n' ? 'n' : 't';
		} else if (ch < 0x20 || ch == 0x7f) {
			p = TEXT_LIT(p, "\\u");
			p = text_hex4(p, ch);
		} else if (len == 0) {
			p = TEXT_LIT(p, "\\ufffd");
		} else if (!text_printable(s + i, n - i)) {
			/* Of two or three bytes: below U+10000. */
			uint32_t first = len == 2 ? ch & 0x1fu : ch & 0x0fu;
			for (size_t k = 1; k < len; k++)
				first = first << 6 | ((unsigned char)s[i + k] & 0x3f);
			p = TEXT_LIT(p, "\\u");
			p = text_hex4(p, first);
		} else {
			p = text_put(p, s + i, len);
		}
		i += len ? len : 1;
	}
	*p++ = '"';
	return p;
}

void jout_key(struct jout *j, const char *key, size_t n)
{
	char *p = json_begin(j, 6 * n + 4);
	if (!p)
		return;
	p = json_escape(p, key, n);
	*p++ = ':';
	if (j->pretty)
		*p++ = ' ';
	text_close(j->out, p);
	j->after_key = true;
}

void jout_text_n(struct jout *j, const char *s, size_t n)
{
	if (!s) {
		jout_null(j);
		return;
	}
	char *p = json_begin(j, 6 * n + 2);
	if (p)
		text_close(j->out, json_escape(p, s, n));
}

void jout_text(struct jout *j, const char *s)
{
	jout_text_n(j, s, s ? strlen(s) : 0);
}

void jout_u64(struct jout *j, uint64_t v)
{
	char *p = json_begin(j, 20);
	if (p)
		text_close(j->out, text_dec(p, v));
}

void jout_real(struct jout *j, double v)
{
	char text[32];
	if (v != v || v - v != 0) {
		jout_null(j);
		return;
	}
	jout_raw(j, text, (size_t)snprintf(text, sizeof text, "%.9g", v));
}

void jout_hex(struct jout *j, uint64_t v, unsigned digits)
{
	char *p = json_begin(j, 20);
	if (!p)
		return;
	*p++ = '"';
	p = text_0x(p, v, digits);
	*p++ = '"';
	text_close(j->out, p);
}

void jout_wide(struct jout *j, const uint8_t *s, size_t n)
{
	char *p = json_begin(j, 2 * n + 4);
	if (!p)
		return;
	p = TEXT_LIT(p, "\"0x");
	p = text_wide(p, s, n);
	*p++ = '"';
	text_close(j->out, p);
}

void jout_bytes(struct jout *j, const uint8_t *s, size_t n)
{
	char *p = json_begin(j, 2 * n + 2);
	if (!p)
		return;
	*p++ = '"';
	p = text_bytes(p, s, n);
	*p++ = '"';
	text_close(j->out, p);
}

void jout_raw(struct jout *j, const char *s, size_t n)
{
	char *p = json_begin(j, n);
	if (p)
		text_close(j->out, text_put(p, s, n));
}

void jout_bool(struct jout *j, bool v)
{
	jout_raw(j, v ? "true" : "false", v ? 4 : 5);
}

void jout_null(struct jout *j)
{
	jout_raw(j, "null", 4);
}

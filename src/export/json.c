/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A streaming JSON writer. We only ever write JSON, line after line and fast, so
 * there is no tree: every call appends. What stands at each depth is one bit.
 *
 * Strings come from traces. JSON must be UTF-8, so a byte that is not becomes U+FFFD; jout_bytes
 * writes the bytes exactly.
 */
#include "export/json.h"

#include <stdio.h>

enum { MAX_DEPTH = 63 };

void jout_init(struct jout *json, struct base_buf *out, bool pretty)
{
	*json = (struct jout){.out = out, .pretty = pretty};
}

/* Room for a value of `n` bytes with the comma and indentation before it, those
 * already written; NULL when something failed. */
static char *json_begin(struct jout *json, size_t n)
{
	if (json->status < 0)
		return NULL;
	char *p = text_open(json->out, n + 4 + (json->pretty ? 2u * MAX_DEPTH : 0));
	if (!p) {
		json->status = CAIRN_E_NOMEM;
		return NULL;
	}
	if (json->after_key) {
		json->after_key = false;
		return p;
	}
	uint64_t bit = (uint64_t)1 << json->depth;
	if (json->depth) {
		if (json->more & bit)
			*p++ = ',';
		if (json->pretty) {
			*p++ = '\n';
			p = text_spaces(p, 2u * json->depth);
		}
	}
	json->more |= bit;
	return p;
}

static void open_level(struct jout *json, char bracket)
{
	char *p = json_begin(json, 1);
	if (!p)
		return;
	*p++ = bracket;
	text_close(json->out, p);
	if (json->depth == MAX_DEPTH) {
		json->status = CAIRN_E_LIMIT;
		return;
	}
	json->depth++;
	json->more &= ~((uint64_t)1 << json->depth);
}

static void close_level(struct jout *json, char bracket)
{
	if (json->status < 0)
		return;
	char *p = text_open(json->out, 2 + 2u * MAX_DEPTH);
	if (!p || json->depth == 0) {
		json->status = p ? CAIRN_E_STATE : CAIRN_E_NOMEM;
		return;
	}
	bool any = json->more >> json->depth & 1;
	json->depth--;
	if (json->pretty && any) {
		*p++ = '\n';
		p = text_spaces(p, 2u * json->depth);
	}
	*p++ = bracket;
	text_close(json->out, p);
}

void jout_object(struct jout *json)
{
	open_level(json, '{');
}

void jout_object_end(struct jout *json)
{
	close_level(json, '}');
}

void jout_array(struct jout *json)
{
	open_level(json, '[');
}

void jout_array_end(struct jout *json)
{
	close_level(json, ']');
}

void jout_end(struct jout *json)
{
	json->more = 0;
	json->depth = 0;
	if (json->status >= 0 && base_buf_put(json->out, "\n", 1) < 0)
		json->status = CAIRN_E_NOMEM;
}

static char *json_escape(char *p, const char *text, size_t n)
{
	*p++ = '"';
	for (size_t i = 0; i < n;) {
		unsigned char ch = (unsigned char)text[i];
		if (ch >= 0x20 && ch < 0x7f && ch != '"' && ch != '\\') {
			*p++ = (char)ch;
			i++;
			continue;
		}
		size_t len = text_utf8(text + i, n - i);
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
		} else if (!text_printable(text + i, n - i)) {
			/* Of two or three bytes: below U+10000. */
			uint32_t first = len == 2 ? ch & 0x1fu : ch & 0x0fu;
			for (size_t k = 1; k < len; k++)
				first = first << 6 | ((unsigned char)text[i + k] & 0x3f);
			p = TEXT_LIT(p, "\\u");
			p = text_hex4(p, first);
		} else {
			p = text_put(p, text + i, len);
		}
		i += len ? len : 1;
	}
	*p++ = '"';
	return p;
}

void jout_key(struct jout *json, const char *key, size_t n)
{
	char *p = json_begin(json, 6 * n + 4);
	if (!p)
		return;
	p = json_escape(p, key, n);
	*p++ = ':';
	if (json->pretty)
		*p++ = ' ';
	text_close(json->out, p);
	json->after_key = true;
}

void jout_text_n(struct jout *json, const char *text, size_t n)
{
	if (!text) {
		jout_null(json);
		return;
	}
	char *p = json_begin(json, 6 * n + 2);
	if (p)
		text_close(json->out, json_escape(p, text, n));
}

void jout_text(struct jout *json, const char *text)
{
	jout_text_n(json, text, text ? strlen(text) : 0);
}

void jout_u64(struct jout *json, uint64_t value)
{
	char *p = json_begin(json, 20);
	if (p)
		text_close(json->out, text_dec(p, value));
}

void jout_real(struct jout *json, double value)
{
	char text[32];
	if (value != value || value - value != 0) {
		jout_null(json);
		return;
	}
	jout_raw(json, text, (size_t)snprintf(text, sizeof text, "%.9g", value));
}

void jout_hex(struct jout *json, uint64_t value, unsigned digits)
{
	char *p = json_begin(json, 20);
	if (!p)
		return;
	*p++ = '"';
	p = text_0x(p, value, digits);
	*p++ = '"';
	text_close(json->out, p);
}

void jout_wide(struct jout *json, const uint8_t *bytes, size_t n)
{
	char *p = json_begin(json, 2 * n + 4);
	if (!p)
		return;
	p = TEXT_LIT(p, "\"0x");
	p = text_wide(p, bytes, n);
	*p++ = '"';
	text_close(json->out, p);
}

void jout_bytes(struct jout *json, const uint8_t *bytes, size_t n)
{
	char *p = json_begin(json, 2 * n + 2);
	if (!p)
		return;
	*p++ = '"';
	p = text_bytes(p, bytes, n);
	*p++ = '"';
	text_close(json->out, p);
}

void jout_raw(struct jout *json, const char *text, size_t n)
{
	char *p = json_begin(json, n);
	if (p)
		text_close(json->out, text_put(p, text, n));
}

void jout_bool(struct jout *json, bool value)
{
	jout_raw(json, value ? "true" : "false", value ? 4 : 5);
}

void jout_null(struct jout *json)
{
	jout_raw(json, "null", 4);
}

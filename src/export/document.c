/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing text, and JSON documents in it, for programs that print something of their own. The text
 * keeps its first failure, so that a caller need only check at the end.
 */
#include <string.h>

#include "cairn/export.h"
#include "export/json.h"
#include "io/io.h"

struct cairn_text *cairn_text_new(struct cairn *cairn)
{
	struct cairn_text *text = base_alloc(cairn, sizeof *text);
	if (text)
		base_buf_init(&text->buf, cairn);
	return text;
}

void cairn_text_free(struct cairn_text *text)
{
	if (!text)
		return;
	struct cairn *cairn = text->buf.cairn;
	base_buf_free(&text->buf);
	base_free(cairn, text);
}

void cairn_text_clear(struct cairn_text *text)
{
	text->buf.len = 0;
	text->json.status = 0;
}

const char *cairn_text_get(const struct cairn_text *text, size_t *n)
{
	*n = text->buf.len;
	return (const char *)text->buf.data;
}

static int text_keep_status(struct cairn_text *text, int rc)
{
	if (rc < 0)
		text->json.status = rc;
	return rc;
}

int cairn_text_put(struct cairn_text *text, const void *bytes, size_t n)
{
	return text->json.status < 0 ? text->json.status
	                             : text_keep_status(text, base_buf_put(&text->buf, bytes, n));
}

int cairn_text_printf(struct cairn_text *text, const char *fmt, ...)
{
	va_list ap;
	if (text->json.status < 0)
		return text->json.status;
	va_start(ap, fmt);
	int rc = base_buf_vprintf(&text->buf, fmt, ap);
	va_end(ap);
	return text_keep_status(text, rc);
}

int cairn_text_escape(struct cairn_text *text, const char *words)
{
	size_t n = strlen(words);
	char *p = text->json.status < 0 ? NULL : text_open(&text->buf, 4 * n);
	if (!p)
		return text->json.status < 0 ? text->json.status : text_keep_status(text, CAIRN_E_NOMEM);
	text_close(&text->buf, text_escape(p, words, n, false));
	return 0;
}

int cairn_text_write(struct cairn_text *text, struct cairn_sink *sink)
{
	int rc = text->json.status;
	if (rc >= 0 && text->buf.len)
		rc = cairn_sink_write(sink, text->buf.data, text->buf.len);
	cairn_text_clear(text);
	return rc;
}

size_t cairn_printable(const char *text, size_t n)
{
	return text_printable(text, n);
}

/* ---- JSON ---- */

void cairn_json_begin(struct cairn_text *text, int pretty)
{
	int status = text->json.status;
	jout_init(&text->json, &text->buf, pretty != 0);
	text->json.status = status;
	text->arrays = 0;
	jout_object(&text->json);
}

int cairn_json_end(struct cairn_text *text)
{
	jout_object_end(&text->json);
	jout_end(&text->json);
	return text->json.status;
}

static struct jout *json_at(struct cairn_text *text, const char *key)
{
	if (key)
		jout_key(&text->json, key, strlen(key));
	return &text->json;
}

void cairn_json_object(struct cairn_text *text, const char *key)
{
	jout_object(json_at(text, key));
	text->arrays &= ~((uint64_t)1 << text->json.depth);
}

void cairn_json_array(struct cairn_text *text, const char *key)
{
	jout_array(json_at(text, key));
	text->arrays |= (uint64_t)1 << text->json.depth;
}

void cairn_json_close(struct cairn_text *text)
{
	if (text->arrays >> text->json.depth & 1)
		jout_array_end(&text->json);
	else
		jout_object_end(&text->json);
}

void cairn_json_text(struct cairn_text *text, const char *key, const char *value)
{
	jout_text(json_at(text, key), value);
}

void cairn_json_number(struct cairn_text *text, const char *key, uint64_t value)
{
	jout_u64(json_at(text, key), value);
}

void cairn_json_bool(struct cairn_text *text, const char *key, int value)
{
	jout_bool(json_at(text, key), value != 0);
}

void cairn_json_null(struct cairn_text *text, const char *key)
{
	jout_null(json_at(text, key));
}

void cairn_json_raw(struct cairn_text *text, const char *key, const char *json, size_t n)
{
	jout_raw(json_at(text, key), json, n);
}

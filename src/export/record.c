/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records, one line each: number, byte offset, name, every field. The format has
 * already taken the record apart; this only spells it out, so it works for every
 * format. It is called for each record of a trace, hence the bare pointers.
 */
#include "export/json.h"

#include "cairn/export.h"

enum { NUMBER_WIDTH = 9, NAME_WIDTH = 18, LINE_HEAD = 128 };

struct cairn_text *cairn_text_new(struct cairn *c)
{
	struct cairn_text *t = base_alloc(c, sizeof *t);
	if (t)
		base_buf_init(&t->buf, c);
	return t;
}

void cairn_text_free(struct cairn_text *t)
{
	if (!t)
		return;
	struct cairn *c = t->buf.c;
	base_buf_free(&t->buf);
	base_free(c, t);
}

void cairn_text_clear(struct cairn_text *t)
{
	t->buf.len = 0;
}

const char *cairn_text_get(const struct cairn_text *t, size_t *n)
{
	*n = t->buf.len;
	return (const char *)t->buf.data;
}

static char *record_put_value(char *p, const struct cairn_field *f, size_t text)
{
	switch (f->kind) {
	case CAIRN_FIELD_HEX:
		return text_0x(p, f->value, f->width && f->width <= 8 ? 2u * f->width : 1);
	case CAIRN_FIELD_NAME:
		return text_name(p, f->text, text);
	case CAIRN_FIELD_TEXT:
		*p++ = '"';
		p = text_escape(p, f->text, text, true);
		*p++ = '"';
		return p;
	case CAIRN_FIELD_BYTES:
		return text_bytes(p, (const uint8_t *)f->text, text);
	case CAIRN_FIELD_WIDE:
		return text_wide(TEXT_LIT(p, "0x"), (const uint8_t *)f->text, text);
	default:
		return text_dec(p, f->value);
	}
}

static int text_line(struct base_buf *b, const struct cairn_record *rec)
{
	size_t name = strlen(rec->name);
	char *p = text_open(b, LINE_HEAD + name);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_dec_pad(p, rec->number, NUMBER_WIDTH);
	p = TEXT_LIT(p, "  ");
	p = text_0x(p, rec->offset, 8);
	p = TEXT_LIT(p, "  ");
	if (rec->n_fields)
		memset(p, ' ', NAME_WIDTH);
	text_name(p, rec->name, name);
	p += rec->n_fields && name < NAME_WIDTH ? NAME_WIDTH : name;
	for (unsigned i = 0; i < rec->n_fields; i++) {
		const struct cairn_field *f = &rec->fields[i];
		size_t key = f->name_len ? f->name_len : strlen(f->name);
		size_t text = f->kind < CAIRN_FIELD_NAME    ? 0
		              : f->kind == CAIRN_FIELD_NAME ? strlen(f->text)
		                                            : f->len;
		size_t need = key + 4 * text + 32;
		if ((size_t)(b->data + b->cap - (uint8_t *)p) < need + TEXT_SLACK) {
			text_close(b, p);
			p = text_open(b, need);
			if (!p)
				return CAIRN_E_NOMEM;
		}
		*p++ = ' ';
		p = text_name(p, f->name, key);
		*p++ = '=';
		p = record_put_value(p, f, text);
	}
	*p++ = '\n'; /* into the slack, if need be */
	text_close(b, p);
	return 0;
}

static void record_json_value(struct jout *j, const struct cairn_field *f)
{
	switch (f->kind) {
	case CAIRN_FIELD_HEX:
		jout_hex(j, f->value, f->width && f->width <= 8 ? 2u * f->width : 1);
		break;
	case CAIRN_FIELD_NAME:
		jout_text(j, f->text);
		break;
	case CAIRN_FIELD_TEXT:
		jout_text_n(j, f->text, f->len);
		break;
	case CAIRN_FIELD_BYTES:
		jout_bytes(j, (const uint8_t *)f->text, f->len);
		break;
	case CAIRN_FIELD_WIDE:
		jout_wide(j, (const uint8_t *)f->text, f->len);
		break;
	default:
		jout_u64(j, f->value);
		break;
	}
}

static int json_line(struct base_buf *b, const struct cairn_record *rec)
{
	struct jout j;
	jout_init(&j, b, false);
	jout_object(&j);
	JSON_KEY(&j, "record");
	jout_u64(&j, rec->number);
	JSON_KEY(&j, "offset");
	jout_u64(&j, rec->offset);
	JSON_KEY(&j, "name");
	jout_text(&j, rec->name);
	JSON_KEY(&j, "type");
	jout_u64(&j, rec->type);
	for (unsigned i = 0; i < rec->n_fields; i++) {
		jout_key(&j, rec->fields[i].name, strlen(rec->fields[i].name));
		record_json_value(&j, &rec->fields[i]);
	}
	jout_object_end(&j);
	jout_end(&j);
	return j.status;
}

int cairn_text_record(struct cairn_text *t, const struct cairn_record *rec, int json)
{
	return json ? json_line(&t->buf, rec) : text_line(&t->buf, rec);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records, one line each: number, byte offset, name, every field. The format has
 * already taken the record apart; this only spells it out, so it works for every
 * format. It is called for each record of a trace, hence the bare pointers.
 */
#include "export/json.h"

#include "cairn/export.h"

enum { NUMBER_WIDTH = 9, NAME_WIDTH = 18, LINE_HEAD = 128 };

static char *record_put_value(char *p, const struct cairn_field *field, size_t text)
{
	switch (field->kind) {
	case CAIRN_FIELD_HEX:
		return text_0x(p, field->value, field->width && field->width <= 8 ? 2u * field->width : 1);
	case CAIRN_FIELD_NAME:
		return text_name(p, field->text, text);
	case CAIRN_FIELD_TEXT:
		*p++ = '"';
		p = text_escape(p, field->text, text, true);
		*p++ = '"';
		return p;
	case CAIRN_FIELD_BYTES:
		return text_bytes(p, (const uint8_t *)field->text, text);
	case CAIRN_FIELD_WIDE:
		return text_wide(TEXT_LIT(p, "0x"), (const uint8_t *)field->text, text);
	default:
		return text_dec(p, field->value);
	}
}

static int text_line(struct base_buf *buf, const struct cairn_record *rec)
{
	size_t name = strlen(rec->name);
	char *p = text_open(buf, LINE_HEAD + name);
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
		const struct cairn_field *field = &rec->fields[i];
		size_t key = field->name_len ? field->name_len : strlen(field->name);
		size_t text = field->kind < CAIRN_FIELD_NAME    ? 0
		              : field->kind == CAIRN_FIELD_NAME ? strlen(field->text)
		                                                : field->len;
		size_t need = key + 4 * text + 32;
		if ((size_t)(buf->data + buf->cap - (uint8_t *)p) < need + TEXT_SLACK) {
			text_close(buf, p);
			p = text_open(buf, need);
			if (!p)
				return CAIRN_E_NOMEM;
		}
		*p++ = ' ';
		p = text_name(p, field->name, key);
		*p++ = '=';
		p = record_put_value(p, field, text);
	}
	*p++ = '\n'; /* into the slack, if need be */
	text_close(buf, p);
	return 0;
}

static void record_json_value(struct jout *json, const struct cairn_field *field)
{
	switch (field->kind) {
	case CAIRN_FIELD_HEX:
		jout_hex(json, field->value, field->width && field->width <= 8 ? 2u * field->width : 1);
		break;
	case CAIRN_FIELD_NAME:
		jout_text(json, field->text);
		break;
	case CAIRN_FIELD_TEXT:
		jout_text_n(json, field->text, field->len);
		break;
	case CAIRN_FIELD_BYTES:
		jout_bytes(json, (const uint8_t *)field->text, field->len);
		break;
	case CAIRN_FIELD_WIDE:
		jout_wide(json, (const uint8_t *)field->text, field->len);
		break;
	default:
		jout_u64(json, field->value);
		break;
	}
}

static int json_line(struct base_buf *buf, const struct cairn_record *rec)
{
	struct jout json;
	jout_init(&json, buf, false);
	jout_object(&json);
	JSON_PUT(&json, "record", u64, rec->number);
	JSON_PUT(&json, "offset", u64, rec->offset);
	JSON_PUT(&json, "name", text, rec->name);
	JSON_PUT(&json, "type", u64, rec->type);
	for (unsigned i = 0; i < rec->n_fields; i++) {
		jout_key(&json, rec->fields[i].name, strlen(rec->fields[i].name));
		record_json_value(&json, &rec->fields[i]);
	}
	jout_object_end(&json);
	jout_end(&json);
	return json.status;
}

int cairn_text_record(struct cairn_text *text, const struct cairn_record *rec, int json)
{
	return json ? json_line(&text->buf, rec) : text_line(&text->buf, rec);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines one by one, exactly, and what is told of a log without reading all of it.
 */
#include <stdio.h>
#include <string.h>

#include "text/text.h"

enum { WIDE = 8192 }; /* bytes of a record's values */

const char *text_record_name(const struct cairn_reader *reader, unsigned type)
{
	const struct text_impl *im = reader->impl;
	return type < im->d->n_kinds ? im->d->kinds[type] : NULL;
}

const char *text_event_name(const struct cairn_reader *reader, const struct cairn_event *event,
                            char *buf)
{
	const struct text_impl *im = reader->impl;
	(void)buf;
	if (event->kind == CAIRN_EV_COMMENT)
		return "TEXT";
	return im->d->event_name ? im->d->event_name(event) : NULL;
}

/* ---- fields ---- */

struct list {
	struct text_span *ss;
	unsigned n;
	size_t used; /* of ss->wide */
};

static struct cairn_field *text_records_add(struct list *list, const char *name, unsigned kind,
                                            uint64_t value, unsigned width)
{
	if (list->n == CAIRN_MAX_FIELDS)
		return NULL;
	struct cairn_field *field = &list->ss->fields[list->n++];
	*field = (struct cairn_field){.name = name,
	                              .value = value,
	                              .kind = (uint8_t)kind,
	                              .width = (uint8_t)width};
	return field;
}

static void text_records_add_text(struct list *list, const char *name, const char *text, size_t n)
{
	struct cairn_field *field = text_records_add(list, name, CAIRN_FIELD_TEXT, 0, 0);
	if (!field)
		return;
	field->text = text;
	field->len = (uint32_t)n;
}

static void add_value(struct list *list, const struct text_row *row)
{
	uint8_t *room = list->ss->wide + list->used;
	uint8_t small[8];
	size_t n = text_value(row->digits, row->n_digits, small, sizeof small);
	if (n <= 8) {
		uint64_t v = 0;
		for (unsigned i = 8; i-- > 0;)
			v = v << 8 | small[i];
		text_records_add(list, "value", CAIRN_FIELD_HEX, v, n ? (unsigned)n : 1);
		return;
	}
	if (n > WIDE - list->used)
		return;
	text_value(row->digits, row->n_digits, room, n);
	struct cairn_field *field = text_records_add(list, "value", CAIRN_FIELD_WIDE, 0, 0);
	if (!field)
		return;
	field->text = (const char *)room;
	field->len = (uint32_t)n;
	list->used += n;
}

static void add_row(struct list *list, const struct text_row *row)
{
	if (row->what == TEXT_ROW_MEM) {
		text_records_add(list, row->kind == CAIRN_MEM_READ ? "read" : "write", CAIRN_FIELD_HEX,
		                 row->addr, 8);
		if (row->has_pa)
			text_records_add(list, "pa", CAIRN_FIELD_HEX, row->pa, 8);
		if (row->size)
			text_records_add(list, "size", CAIRN_FIELD_DEC, row->size, 4);
	} else {
		text_records_add_text(list, row->what == TEXT_ROW_REG ? "reg" : "note", row->name,
		                      row->name_len);
	}
	if (row->digits)
		add_value(list, row);
}

static void text_records_fields_of(struct list *list, const struct text_impl *im,
                                   const struct text_line *line, const char *p, const char *end)
{
	struct text_row row;
	if (line->prefix)
		text_records_add_text(list, "before", p, line->prefix);
	if (line->role <= TEXT_BAD) {
		text_records_add_text(list, "text", p + line->prefix, (size_t)(end - p) - line->prefix);
		return;
	}
	if (line->has_hart)
		text_records_add(list, "hart", CAIRN_FIELD_DEC, line->hart, 2);
	if (line->role == TEXT_INSN) {
		if (line->has_priv)
			text_records_add(list, "priv", CAIRN_FIELD_DEC, line->priv, 1);
		text_records_add(list, "pc", CAIRN_FIELD_HEX, line->pc, 8);
		text_records_add(list, "enc", CAIRN_FIELD_HEX, line->enc, line->size ? line->size : 4u);
	} else if (line->has_pc) {
		text_records_add(list, "pc", CAIRN_FIELD_HEX, line->pc, 8);
	}
	if (line->text_len)
		text_records_add_text(list, line->role == TEXT_INSN ? "asm" : "name", line->text,
		                      line->text_len);
	if (line->role == TEXT_REPEATED)
		text_records_add(list, "times", CAIRN_FIELD_DEC, line->code, 8);
	if (line->role == TEXT_BRANCH || line->role == TEXT_ARGUMENT)
		text_records_add(list, line->role == TEXT_BRANCH ? "target" : "value", CAIRN_FIELD_HEX,
		                 line->target, 8);
	for (const char *at = line->rows; at && im->d->next_row(im, line, &at, &row) > 0;)
		add_row(list, &row);
}

static int text_records_finish(struct cairn_reader *reader, struct model_span *span)
{
	struct text_span *ss = span->priv;
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (ss->bytes.broken)
		model_damaged(reader, span, "byte 0x%llx, line %llu: %s",
		              (unsigned long long)(kit_offset_of(&ss->bytes, ss->bytes.window.end)),
		              (unsigned long long)ss->at.line, ss->bytes.why);
	if (!span->scanned)
		memcpy(span->exit, &ss->at, sizeof ss->at);
	return 0;
}

/* Does this line begin an instruction, or say more of the one before? */
static bool new_insn(struct text_span *ss, const struct text_line *line)
{
	bool again = text_says_again(&ss->open, line);
	ss->open = *line;
	ss->open.opens &= !again;
	return !again;
}

int text_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec)
{
	struct text_span *ss = span->priv;
	const struct text_impl *im = reader->impl;
	if (kit_left(&ss->bytes) == 0)
		return text_records_finish(reader, span);
	if (!ss->wide && !(ss->wide = base_alloc(reader->cairn, WIDE)))
		return CAIRN_E_NOMEM;
	const char *p = ss->bytes.window.p, *e, *next = text_line_end(p, ss->bytes.window.end, &e);
	struct text_line line = {0};
	struct list list = {ss, 0, 0};
	im->d->parse(im, p, (size_t)(e - p), &line);
	ss->at.n += line.role == TEXT_INSN && new_insn(ss, &line);
	uint64_t off = kit_offset(&ss->bytes);
	if (line.role == TEXT_BAD)
		model_damaged(reader, span, "byte 0x%llx, line %llu: %s", (unsigned long long)off,
		              (unsigned long long)ss->at.line, line.why);
	text_records_fields_of(&list, im, &line, p, e);
	*rec = (struct cairn_record){.number = ss->at.line,
	                             .offset = off,
	                             .data = (const uint8_t *)p,
	                             .size = (uint32_t)(next - p),
	                             .type = line.kind,
	                             .fields = ss->fields,
	                             .n_fields = (uint16_t)list.n,
	                             .name = im->d->kinds[line.kind],
	                             .insn = ss->at.n > 1 ? ss->at.n - 1 : 0};
	ss->at.line++;
	ss->at.off += (uint64_t)(next - p);
	ss->bytes.window.p = next;
	return 1;
}

/* ---- facts ---- */

static int records_fact(struct model_facts *facts, const struct text_look *look, const char *key,
                        uint64_t n)
{
	return look->whole ? model_fact_number(facts, key, n) : model_fact_unknown(facts, key);
}

static unsigned count_harts(const struct text_look *look)
{
	unsigned n = 0;
	for (uint64_t h = look->harts; h; h &= h - 1)
		n++;
	return n;
}

int text_info(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct text_impl *im = reader->impl;
	const struct text_look *look = &im->look;
	uint64_t stored = io_stored_size(reader->io);
	int rc = model_fact_text(facts, "format", "%s", reader->format->name);
	if (rc >= 0)
		rc = model_fact_unknown(facts, "version");
	if (rc >= 0)
		rc = model_fact_text(facts, "container", "none");
	if (rc >= 0)
		rc = model_fact_text(facts, "codec", "%s", io_codec(reader->io));
	if (rc >= 0)
		rc = look->isa
		         ? model_fact_text(facts, "isa", "%s", cairn_isa_name((enum cairn_isa)look->isa))
		         : model_fact_unknown(facts, "isa");
	if (rc >= 0)
		rc = model_fact_list(facts, "generators", "%s", im->d->generator);
	if (rc >= 0)
		rc = records_fact(facts, look, "harts", count_harts(look));
	if (rc >= 0)
		rc = records_fact(facts, look, "instructions", look->insns);
	if (rc >= 0)
		rc = records_fact(facts, look, "foreign_lines", look->foreign);
	if (rc >= 0)
		rc = records_fact(facts, look, "unknown_lines", look->bad);
	if (rc >= 0)
		rc = records_fact(facts, look, "records", look->lines);
	if (rc >= 0)
		rc = stored == IO_UNKNOWN ? model_fact_unknown(facts, "size")
		                          : model_fact_number(facts, "size", stored);
	return rc;
}

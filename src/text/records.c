/* SPDX-License-Identifier: Apache-2.0 */
/* Lines one by one, exactly, and what can be said of a log without reading all of it. */
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

struct cairn_field *text_add(struct text_fields *fields, const char *name, unsigned kind,
                             uint64_t value, unsigned width)
{
	struct cairn_field *field =
		fields->n < CAIRN_MAX_FIELDS ? &fields->ss->fields[fields->n++] : &fields->beyond;
	*field = (struct cairn_field){.name = name,
	                              .value = value,
	                              .kind = (uint8_t)kind,
	                              .width = (uint8_t)width};
	return field;
}

void text_add_text(struct text_fields *fields, const char *name, const char *text, size_t n)
{
	struct cairn_field *field = text_add(fields, name, CAIRN_FIELD_TEXT, 0, 0);
	field->text = text;
	field->len = (uint32_t)n;
}

void text_add_wide(struct text_fields *fields, const char *name, const uint8_t *value, size_t n)
{
	if (n > WIDE - fields->used)
		return;
	struct cairn_field *field = text_add(fields, name, CAIRN_FIELD_WIDE, 0, 0);
	field->text = (const char *)memmove(fields->ss->wide + fields->used, value, n);
	field->len = (uint32_t)n;
	fields->used += n;
}

static void add_value(struct text_fields *fields, const struct text_row *row)
{
	uint8_t small[8], *room = fields->ss->wide + fields->used;
	size_t n = text_value(row->digits, row->n_digits, small, sizeof small);
	if (n <= 8) {
		uint64_t v = 0;
		for (unsigned i = 8; i-- > 0;)
			v = v << 8 | small[i];
		text_add(fields, "value", CAIRN_FIELD_HEX, v, n ? (unsigned)n : 1);
		return;
	}
	if (n > WIDE - fields->used)
		return;
	text_value(row->digits, row->n_digits, room, n);
	text_add_wide(fields, "value", room, n);
}

static void add_row(struct text_fields *fields, const struct text_row *row)
{
	if (row->what == TEXT_ROW_MEM) {
		text_add(fields, row->kind == CAIRN_MEM_READ ? "read" : "write", CAIRN_FIELD_HEX, row->addr,
		         8);
		if (row->has_pa)
			text_add(fields, "pa", CAIRN_FIELD_HEX, row->pa, 8);
		if (row->size)
			text_add(fields, "size", CAIRN_FIELD_DEC, row->size, 4);
	} else {
		text_add_text(fields, row->what == TEXT_ROW_REG ? "reg" : "note", row->name, row->name_len);
	}
	if (row->digits)
		add_value(fields, row);
}

static void text_records_fields_of(struct text_fields *fields, const struct text_impl *im,
                                   const struct text_line *line, const char *p, const char *end)
{
	struct text_row row;
	if (line->prefix)
		text_add_text(fields, "before", p, line->prefix);
	if (line->role <= TEXT_BAD) {
		text_add_text(fields, "text", p + line->prefix, (size_t)(end - p) - line->prefix);
		return;
	}
	if (line->has_hart)
		text_add(fields, "hart", CAIRN_FIELD_DEC, line->hart, 2);
	if (line->role == TEXT_INSN) {
		if (line->has_priv)
			text_add(fields, "priv", CAIRN_FIELD_DEC, line->priv, 1);
		text_add(fields, "pc", CAIRN_FIELD_HEX, line->pc, 8);
		text_add(fields, "enc", CAIRN_FIELD_HEX, line->enc, line->size ? line->size : 4u);
	} else if (line->has_pc) {
		text_add(fields, "pc", CAIRN_FIELD_HEX, line->pc, 8);
	}
	if (line->text_len)
		text_add_text(fields, line->role == TEXT_INSN ? "asm" : "name", line->text, line->text_len);
	if (line->role == TEXT_REPEATED)
		text_add(fields, "times", CAIRN_FIELD_DEC, line->code, 8);
	if (line->role == TEXT_BRANCH || line->role == TEXT_ARGUMENT)
		text_add(fields, line->role == TEXT_BRANCH ? "target" : "value", CAIRN_FIELD_HEX,
		         line->target, 8);
	for (const char *at = line->rows; at && im->d->next_row(im, line, &at, &row) > 0;)
		add_row(fields, &row);
}

/* Does this line begin an instruction, or say more of the one before? */
static bool new_insn(struct text_rows_span *rows, const struct text_line *line)
{
	bool again = text_says_again(&rows->open, line);
	rows->open = *line;
	rows->open.opens &= !again;
	return !again;
}

void text_rows_record(const struct cairn_reader *reader, struct model_span *span, const char *p,
                      const char *next, struct text_fields *fields, struct text_taken *taken)
{
	const struct text_impl *im = reader->impl;
	const char *end;
	struct text_line line;
	text_line_end(p, next, &end);
	text_parse(im, p, end, next, &line);
	text_records_fields_of(fields, im, &line, p, end);
	taken->kind = line.kind;
	taken->insn = line.role == TEXT_INSN && new_insn(span->priv, &line);
	taken->why = line.role == TEXT_BAD ? line.why : NULL;
}

static int records_finish(struct cairn_reader *reader, struct model_span *span)
{
	struct text_span *ss = span->priv;
	if (ss->finished)
		return 0;
	/* Records alone do not tell the rest of the state. */
	text_finish(reader, span);
	if (ss->bytes.broken)
		text_damaged(reader, span, ss->at.off, ss->at.line, ss->bytes.why);
	return 0;
}

int text_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec)
{
	struct text_span *ss = span->priv;
	const struct text_impl *im = reader->impl;
	while (kit_left(&ss->bytes) == 0) {
		if (ss->finished || !ss->bytes.window.more)
			return records_finish(reader, span);
		int rc = kit_fill(reader, &ss->bytes);
		if (rc < 0)
			return rc;
	}
	if (!ss->wide && !(ss->wide = base_alloc(reader->cairn, WIDE)))
		return CAIRN_E_NOMEM;
	const char *p = ss->bytes.window.p, *e, *next = text_line_ends(p, ss->bytes.window.end, &e);
	struct text_fields fields = {.ss = ss};
	struct text_taken taken = {0};
	im->d->way->record(reader, span, p, next, &fields, &taken);
	ss->at.n += taken.insn;
	if (taken.why)
		text_damaged(reader, span, ss->at.off, ss->at.line, taken.why);
	*rec = (struct cairn_record){.number = ss->at.line,
	                             .offset = ss->at.off,
	                             .data = (const uint8_t *)p,
	                             .size = (uint32_t)(next - p),
	                             .type = (uint8_t)taken.kind,
	                             .fields = ss->fields,
	                             .n_fields = (uint16_t)fields.n,
	                             .name = im->d->kinds[taken.kind],
	                             .insn = ss->at.n > 1 ? ss->at.n - 1 : 0};
	ss->at.line++;
	ss->at.off += (uint64_t)(next - p);
	ss->bytes.window.p = next;
	return 1;
}

/* ---- facts ---- */

static unsigned count_harts(const struct text_look *look)
{
	unsigned n = 0;
	for (uint64_t h = look->harts; h; h &= h - 1)
		n++;
	return n;
}

void text_rows_facts(const struct text_impl *im, struct model_facts *facts)
{
	const struct text_look *look = &im->look;
	model_fact_known(facts, "harts", look->whole, count_harts(look));
	model_fact_known(facts, "instructions", look->whole, look->insns);
}

static int facts_of(const struct cairn_reader *reader, const struct text_impl *im,
                    struct model_facts *facts)
{
	const struct text_look *look = &im->look;
	model_fact_format(facts, reader, 0);
	if (im->d->kind)
		model_fact_text(facts, "kind", "%s", im->states_only ? "log of state" : "instructions");
	model_fact_packing(facts, reader, look->isa);
	model_fact_list(facts, "generators", "%s", im->d->generator);
	im->d->way->facts(im, facts);
	model_fact_known(facts, "foreign_lines", look->whole, look->foreign);
	model_fact_known(facts, "unknown_lines", look->whole, look->bad);
	model_fact_known(facts, "records", look->whole, look->lines);
	return model_fact_size(facts, io_stored_size(reader->io));
}

int text_info(struct cairn_reader *reader, struct model_facts *facts)
{
	const struct text_impl *im = reader->impl;
	const struct kit_source *source = &im->source;
	const char *p = (const char *)source->map;
	if (im->look.whole || !p || source->map_len > im->d->way->small)
		return facts_of(reader, im, facts);
	/* Decoding keeps to the first look. */
	struct text_impl *again = base_alloc(reader->cairn, im->d->way->impl_size);
	if (!again)
		return CAIRN_E_NOMEM;
	again->d = im->d;
	again->look.whole = true;
	im->d->way->look(again, p, p + source->map_len);
	int rc = facts_of(reader, again, facts);
	base_free(reader->cairn, again);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines one by one, exactly, and what is told of a log without reading all of it.
 */
#include <stdio.h>
#include <string.h>

#include "text/text.h"

enum { WIDE = 8192 }; /* bytes of a record's values */

const char *text_record_name(const struct cairn_reader *r, unsigned type)
{
	const struct text_impl *im = r->impl;
	return type < im->d->n_kinds ? im->d->kinds[type] : NULL;
}

const char *text_event_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf)
{
	const struct text_impl *im = r->impl;
	(void)buf;
	if (e->kind == CAIRN_EV_COMMENT)
		return "TEXT";
	return im->d->event_name ? im->d->event_name(e) : NULL;
}

/* ---- fields ---- */

struct list {
	struct text_span *ss;
	unsigned n;
	size_t used; /* of ss->wide */
};

static struct cairn_field *text_records_add(struct list *k, const char *name, unsigned kind,
                                            uint64_t value, unsigned width)
{
	if (k->n == CAIRN_MAX_FIELDS)
		return NULL;
	struct cairn_field *f = &k->ss->fields[k->n++];
	*f = (struct cairn_field){.name = name,
	                          .value = value,
	                          .kind = (uint8_t)kind,
	                          .width = (uint8_t)width};
	return f;
}

static void text_records_add_text(struct list *k, const char *name, const char *text, size_t n)
{
	struct cairn_field *f = text_records_add(k, name, CAIRN_FIELD_TEXT, 0, 0);
	if (!f)
		return;
	f->text = text;
	f->len = (uint32_t)n;
}

static void add_value(struct list *k, const struct text_row *row)
{
	uint8_t *room = k->ss->wide + k->used;
	uint8_t small[8];
	size_t n = text_value(row->digits, row->n_digits, small, sizeof small);
	if (n <= 8) {
		uint64_t v = 0;
		for (unsigned i = 8; i-- > 0;)
			v = v << 8 | small[i];
		text_records_add(k, "value", CAIRN_FIELD_HEX, v, n ? (unsigned)n : 1);
		return;
	}
	if (n > WIDE - k->used)
		return;
	text_value(row->digits, row->n_digits, room, n);
	struct cairn_field *f = text_records_add(k, "value", CAIRN_FIELD_WIDE, 0, 0);
	if (!f)
		return;
	f->text = (const char *)room;
	f->len = (uint32_t)n;
	k->used += n;
}

static void add_row(struct list *k, const struct text_row *row)
{
	if (row->what == TEXT_ROW_MEM) {
		text_records_add(k, row->kind == CAIRN_MEM_READ ? "read" : "write", CAIRN_FIELD_HEX,
		                 row->addr, 8);
		if (row->has_pa)
			text_records_add(k, "pa", CAIRN_FIELD_HEX, row->pa, 8);
		if (row->size)
			text_records_add(k, "size", CAIRN_FIELD_DEC, row->size, 4);
	} else {
		text_records_add_text(k, row->what == TEXT_ROW_REG ? "reg" : "note", row->name,
		                      row->name_len);
	}
	if (row->digits)
		add_value(k, row);
}

static void text_records_fields_of(struct list *k, const struct text_impl *im,
                                   const struct text_line *l, const char *p, const char *e)
{
	struct text_row row;
	if (l->prefix)
		text_records_add_text(k, "before", p, l->prefix);
	if (l->role <= TEXT_BAD) {
		text_records_add_text(k, "text", p + l->prefix, (size_t)(e - p) - l->prefix);
		return;
	}
	if (l->has_hart)
		text_records_add(k, "hart", CAIRN_FIELD_DEC, l->hart, 2);
	if (l->role == TEXT_INSN) {
		if (l->has_priv)
			text_records_add(k, "priv", CAIRN_FIELD_DEC, l->priv, 1);
		text_records_add(k, "pc", CAIRN_FIELD_HEX, l->pc, 8);
		text_records_add(k, "enc", CAIRN_FIELD_HEX, l->enc, l->size ? l->size : 4u);
	} else if (l->has_pc) {
		text_records_add(k, "pc", CAIRN_FIELD_HEX, l->pc, 8);
	}
	if (l->text_len)
		text_records_add_text(k, l->role == TEXT_INSN ? "asm" : "name", l->text, l->text_len);
	if (l->role == TEXT_REPEATED)
		text_records_add(k, "times", CAIRN_FIELD_DEC, l->code, 8);
	if (l->role == TEXT_BRANCH || l->role == TEXT_ARGUMENT)
		text_records_add(k, l->role == TEXT_BRANCH ? "target" : "value", CAIRN_FIELD_HEX, l->target,
		                 8);
	for (const char *at = l->rows; at && im->d->next_row(im, l, &at, &row) > 0;)
		add_row(k, &row);
}

static int text_records_finish(struct cairn_reader *r, struct model_span *s)
{
	struct text_span *ss = s->priv;
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (ss->broken)
		model_damaged(r, s, "byte 0x%llx, line %llu: %s",
		              (unsigned long long)(ss->begin + (uint64_t)(ss->end - ss->base)),
		              (unsigned long long)ss->at.line, ss->why);
	if (!s->scanned)
		memcpy(s->exit, &ss->at, sizeof ss->at);
	return 0;
}

/* Does this line begin an instruction, or say more of the one before? */
static bool new_insn(struct text_span *ss, const struct text_line *l)
{
	bool again = text_says_again(&ss->open, l);
	ss->open = *l;
	ss->open.opens &= !again;
	return !again;
}

int text_record(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec)
{
	struct text_span *ss = s->priv;
	const struct text_impl *im = r->impl;
	if (ss->p == ss->end)
		return text_records_finish(r, s);
	if (!ss->wide && !(ss->wide = base_alloc(r->c, WIDE)))
		return CAIRN_E_NOMEM;
	const char *p = ss->p, *e, *next = text_line_end(p, ss->end, &e);
	struct text_line l = {0};
	struct list k = {ss, 0, 0};
	im->d->parse(im, p, (size_t)(e - p), &l);
	ss->at.n += l.role == TEXT_INSN && new_insn(ss, &l);
	uint64_t off = ss->begin + (uint64_t)(p - ss->base);
	if (l.role == TEXT_BAD)
		model_damaged(r, s, "byte 0x%llx, line %llu: %s", (unsigned long long)off,
		              (unsigned long long)ss->at.line, l.why);
	text_records_fields_of(&k, im, &l, p, e);
	*rec = (struct cairn_record){.number = ss->at.line,
	                             .offset = off,
	                             .data = (const uint8_t *)p,
	                             .size = (uint32_t)(next - p),
	                             .type = l.kind,
	                             .fields = ss->fields,
	                             .n_fields = (uint16_t)k.n,
	                             .name = im->d->kinds[l.kind],
	                             .insn = ss->at.n > 1 ? ss->at.n - 1 : 0};
	ss->at.line++;
	ss->at.off += (uint64_t)(next - p);
	ss->p = next;
	return 1;
}

/* ---- facts ---- */

static int records_fact(struct model_facts *f, const struct text_look *k, const char *key,
                        uint64_t n)
{
	return k->whole ? model_fact_number(f, key, n) : model_fact_unknown(f, key);
}

static unsigned count_harts(const struct text_look *k)
{
	unsigned n = 0;
	for (uint64_t h = k->harts; h; h &= h - 1)
		n++;
	return n;
}

int text_info(struct cairn_reader *r, struct model_facts *f)
{
	const struct text_impl *im = r->impl;
	const struct text_look *k = &im->look;
	uint64_t stored = io_stored_size(r->io);
	int rc = model_fact_text(f, "format", "%s", r->format->name);
	if (rc >= 0)
		rc = model_fact_unknown(f, "version");
	if (rc >= 0)
		rc = model_fact_text(f, "container", "none");
	if (rc >= 0)
		rc = model_fact_text(f, "codec", "%s", io_codec(r->io));
	if (rc >= 0)
		rc = k->isa ? model_fact_text(f, "isa", "%s", cairn_isa_name((enum cairn_isa)k->isa))
		            : model_fact_unknown(f, "isa");
	if (rc >= 0)
		rc = model_fact_list(f, "generators", "%s", im->d->generator);
	if (rc >= 0)
		rc = records_fact(f, k, "harts", count_harts(k));
	if (rc >= 0)
		rc = records_fact(f, k, "instructions", k->insns);
	if (rc >= 0)
		rc = records_fact(f, k, "foreign_lines", k->foreign);
	if (rc >= 0)
		rc = records_fact(f, k, "unknown_lines", k->bad);
	if (rc >= 0)
		rc = records_fact(f, k, "records", k->lines);
	if (rc >= 0)
		rc = stored == IO_UNKNOWN ? model_fact_unknown(f, "size")
		                          : model_fact_number(f, "size", stored);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines one by one, exactly, and the words for what is in them.
 */
#include <stdio.h>
#include <string.h>

#include "formats/vixl/decoder.h"

void vixl_bad_text(char *buf, size_t size, uint64_t off, uint64_t line, unsigned kind)
{
	snprintf(buf, size, "byte 0x%llx, line %llu: %s", (unsigned long long)off,
	         (unsigned long long)line,
	         kind == VIXL_UNKNOWN ? "the line names a register that does not exist, or its value "
	                                "does not fit"
	                              : "an instruction in what began as a log of state");
}

const char *vixl_record_name(const struct cairn_reader *r, unsigned type)
{
	(void)r;
	return type < VIXL_KIND_COUNT ? vixl_kind_names[type] : NULL;
}

const char *vixl_event_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf)
{
	(void)r;
	(void)buf;
	if (e->kind == CAIRN_EV_FORMAT && e->code == VIXL_EV_GCS_PUSH)
		return "GCS_PUSH";
	if (e->kind == CAIRN_EV_FORMAT && e->code == VIXL_EV_GCS_POP)
		return "GCS_POP";
	return e->kind == CAIRN_EV_COMMENT ? "TEXT" : NULL;
}

/* ---- fields ---- */

struct list {
	struct vixl_span *ss;
	unsigned n;
};

static struct cairn_field *vixl_records_add(struct list *k, const char *name, unsigned kind,
                                            uint64_t value, unsigned width)
{
	struct cairn_field *f = &k->ss->fields[k->n++];
	*f = (struct cairn_field){.name = name,
	                          .value = value,
	                          .kind = (uint8_t)kind,
	                          .width = (uint8_t)width};
	return f;
}

static void vixl_records_add_text(struct list *k, const char *name, const char *text, size_t n)
{
	struct cairn_field *f = vixl_records_add(k, name, CAIRN_FIELD_TEXT, 0, 0);
	f->text = text;
	f->len = (uint32_t)n;
}

static void add_name(struct list *k, const char *name, const char *text)
{
	vixl_records_add(k, name, CAIRN_FIELD_NAME, 0, 0)->text = text;
}

static void records_add_address(struct list *k, const char *name, uint64_t value, bool masked)
{
	if (masked)
		add_name(k, name, "masked");
	else
		vixl_records_add(k, name, CAIRN_FIELD_HEX, value, 8);
}

static void records_add_register(struct list *k, const struct vixl_line *l)
{
	struct vixl_span *ss = k->ss;
	char buf[8];
	const char *is = vixl_reg_name(l, buf);
	if (l->ranged)
		snprintf(ss->name, sizeof ss->name, "%s<%u:%u>", is, l->msb, l->lsb);
	else
		snprintf(ss->name, sizeof ss->name, "%s", is);
	add_name(k, "reg", ss->name);
	if (l->masked & VIXL_MASKED_VALUE) {
		add_name(k, "value", "masked");
	} else if (l->bytes == 16) {
		base_put_le64(ss->wide, l->value[0]);
		base_put_le64(ss->wide + 8, l->value[1]);
		struct cairn_field *f = vixl_records_add(k, "value", CAIRN_FIELD_WIDE, 0, 16);
		f->text = (const char *)ss->wide;
		f->len = 16;
	} else {
		vixl_records_add(k, "value", CAIRN_FIELD_HEX, l->value[0], l->bytes);
	}
	if (l->fp)
		vixl_records_add_text(k, "fp", l->fp, l->fp_len);
}

static void add_bits(struct list *k, uint64_t v, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		vixl_records_add(k, names[i], CAIRN_FIELD_DEC, v >> (n - 1 - i) & 1, 1);
}

static void records_add_access(struct list *k, const struct vixl_line *l)
{
	static const char *const names[] = {"value", "value1", "value2", "value3"};
	for (unsigned i = 0; i < l->n_values; i++)
		vixl_records_add(k, names[i], CAIRN_FIELD_HEX, l->value[i], l->bytes);
}

static void add_arrow(struct list *k, const struct vixl_line *l)
{
	if (!l->arrow)
		return;
	add_name(k, "op", l->arrow == '<' ? "<-" : "->");
	records_add_address(k, "addr", l->addr, l->masked & VIXL_MASKED_ADDR);
}

static void vixl_records_fields_of(struct list *k, const struct vixl_line *l)
{
	static const char *const nzcv[] = {"n", "z", "c", "v"}, *const fpcr[] = {"ahp", "dn", "fz"};
	switch (l->kind) {
	case VIXL_INSN:
		records_add_address(k, "pc", l->addr, l->masked & VIXL_MASKED_ADDR);
		vixl_records_add(k, "enc", CAIRN_FIELD_HEX, l->enc, 4);
		vixl_records_add_text(k, "asm", l->text, l->text_len);
		return;
	case VIXL_TEXT:
	case VIXL_UNKNOWN:
		vixl_records_add_text(k, "text", l->text, l->text_len);
		return;
	case VIXL_BRANCH:
		records_add_address(k, "target", l->addr, l->masked & VIXL_MASKED_ADDR);
		return;
	case VIXL_NZCV:
		add_bits(k, l->value[0], nzcv, 4);
		return;
	case VIXL_FPCR:
		add_bits(k, l->value[0] >> 2, fpcr, 3);
		vixl_records_add(k, "rmode", CAIRN_FIELD_DEC, l->value[0] & 3, 1);
		return;
	case VIXL_GCS:
		vixl_records_add(k, "stack", CAIRN_FIELD_HEX, l->enc, 2);
		vixl_records_add(k, "index", CAIRN_FIELD_HEX, l->index, 0);
		break;
	case VIXL_TRANSFER:
		records_add_address(k, "addr", l->addr, l->masked & VIXL_MASKED_ADDR);
		vixl_records_add(k, "value", CAIRN_FIELD_HEX, l->value[0], 1);
		records_add_address(k, "source", l->source, l->masked & VIXL_MASKED_SOURCE);
		return;
	case VIXL_WRITE64:
		vixl_records_add(k, "value", CAIRN_FIELD_HEX, l->value[0], 8);
		break;
	case VIXL_ACCESS:
		records_add_access(k, l);
		break;
	default:
		if (vixl_is_register(l->kind))
			records_add_register(k, l);
		break;
	}
	add_arrow(k, l);
}

static int vixl_records_finish(struct cairn_reader *r, struct model_span *s)
{
	struct vixl_span *ss = s->priv;
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (ss->broken)
		model_damaged(r, s, "byte 0x%llx: %s", (unsigned long long)ss->at.off, ss->why);
	/* Records alone do not tell the rest of the state. */
	if (!s->scanned)
		memcpy(s->exit, &ss->at, sizeof ss->at);
	return 0;
}

int vixl_record(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec)
{
	struct vixl_span *ss = s->priv;
	while (ss->w.p == ss->w.end) {
		if (ss->finished || !ss->w.more)
			return vixl_records_finish(r, s);
		int rc = vixl_window_fill(r, s);
		if (rc < 0)
			return rc;
	}
	const char *p = ss->w.p, *e, *next = vixl_line_end(p, ss->w.end, &e);
	struct vixl_line l;
	struct list k = {ss, 0};
	vixl_parse(p, (size_t)(e - p), &l, &ss->plain);
	bool insn = l.kind == VIXL_INSN && !vixl_state_only(r->impl);
	ss->at.n += insn;
	if (l.prefix)
		vixl_records_add_text(&k, "before", p, l.prefix);
	vixl_records_fields_of(&k, &l);
	if (l.kind == VIXL_UNKNOWN || (l.kind == VIXL_INSN && !insn)) {
		char text[192];
		vixl_bad_text(text, sizeof text, ss->at.off, ss->at.line, l.kind);
		model_damaged(r, s, "%s", text);
	}
	*rec = (struct cairn_record){.number = ss->at.line,
	                             .offset = ss->at.off,
	                             .data = (const uint8_t *)p,
	                             .size = (uint32_t)(next - p),
	                             .type = l.kind,
	                             .fields = ss->fields,
	                             .n_fields = (uint16_t)k.n,
	                             .name = vixl_kind_names[l.kind],
	                             .insn = ss->at.n > 1 ? ss->at.n - 1 : 0};
	ss->at.line++;
	ss->at.off += (uint64_t)(next - p);
	ss->w.p = next;
	return 1;
}

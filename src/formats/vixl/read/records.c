/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines one by one, exactly, and the words for what is in them.
 */
#include <stdio.h>
#include <string.h>

#include "formats/vixl/read/decoder.h"

void vixl_bad_text(char *buf, size_t size, uint64_t off, uint64_t line, unsigned kind)
{
	snprintf(buf, size, "byte 0x%llx, line %llu: %s", (unsigned long long)off,
	         (unsigned long long)line,
	         kind == VIXL_UNKNOWN ? "the line names a register that does not exist, or its value "
	                                "does not fit"
	                              : "an instruction in what began as a log of state");
}

const char *vixl_record_name(const struct cairn_reader *reader, unsigned type)
{
	(void)reader;
	return type < VIXL_KIND_COUNT ? vixl_kind_names[type] : NULL;
}

const char *vixl_event_name(const struct cairn_reader *reader, const struct cairn_event *event,
                            char *buf)
{
	(void)reader;
	(void)buf;
	if (event->kind == CAIRN_EV_FORMAT && event->code == VIXL_EV_GCS_PUSH)
		return "GCS_PUSH";
	if (event->kind == CAIRN_EV_FORMAT && event->code == VIXL_EV_GCS_POP)
		return "GCS_POP";
	return event->kind == CAIRN_EV_COMMENT ? "TEXT" : NULL;
}

/* ---- fields ---- */

struct list {
	struct vixl_span *ss;
	unsigned n;
};

static struct cairn_field *vixl_records_add(struct list *list, const char *name, unsigned kind,
                                            uint64_t value, unsigned width)
{
	struct cairn_field *field = &list->ss->fields[list->n++];
	*field = (struct cairn_field){.name = name,
	                              .value = value,
	                              .kind = (uint8_t)kind,
	                              .width = (uint8_t)width};
	return field;
}

static void vixl_records_add_text(struct list *list, const char *name, const char *text, size_t n)
{
	struct cairn_field *field = vixl_records_add(list, name, CAIRN_FIELD_TEXT, 0, 0);
	field->text = text;
	field->len = (uint32_t)n;
}

static void add_name(struct list *list, const char *name, const char *text)
{
	vixl_records_add(list, name, CAIRN_FIELD_NAME, 0, 0)->text = text;
}

static void records_add_address(struct list *list, const char *name, uint64_t value, bool masked)
{
	if (masked)
		add_name(list, name, "masked");
	else
		vixl_records_add(list, name, CAIRN_FIELD_HEX, value, 8);
}

static void records_add_register(struct list *list, const struct vixl_line *line)
{
	struct vixl_span *ss = list->ss;
	char buf[8];
	const char *is = vixl_reg_name(line, buf);
	if (line->ranged)
		snprintf(ss->name, sizeof ss->name, "%s<%u:%u>", is, line->msb, line->lsb);
	else
		snprintf(ss->name, sizeof ss->name, "%s", is);
	add_name(list, "reg", ss->name);
	if (line->masked & VIXL_MASKED_VALUE) {
		add_name(list, "value", "masked");
	} else if (line->bytes == 16) {
		base_put_le64(ss->wide, line->value[0]);
		base_put_le64(ss->wide + 8, line->value[1]);
		struct cairn_field *field = vixl_records_add(list, "value", CAIRN_FIELD_WIDE, 0, 16);
		field->text = (const char *)ss->wide;
		field->len = 16;
	} else {
		vixl_records_add(list, "value", CAIRN_FIELD_HEX, line->value[0], line->bytes);
	}
	if (line->fp)
		vixl_records_add_text(list, "fp", line->fp, line->fp_len);
}

static void add_bits(struct list *list, uint64_t value, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		vixl_records_add(list, names[i], CAIRN_FIELD_DEC, value >> (n - 1 - i) & 1, 1);
}

static void records_add_access(struct list *list, const struct vixl_line *line)
{
	static const char *const names[] = {"value", "value1", "value2", "value3"};
	for (unsigned i = 0; i < line->n_values; i++)
		vixl_records_add(list, names[i], CAIRN_FIELD_HEX, line->value[i], line->bytes);
}

static void add_arrow(struct list *list, const struct vixl_line *line)
{
	if (!line->arrow)
		return;
	add_name(list, "op", line->arrow == '<' ? "<-" : "->");
	records_add_address(list, "addr", line->addr, line->masked & VIXL_MASKED_ADDR);
}

static void vixl_records_fields_of(struct list *list, const struct vixl_line *line)
{
	static const char *const nzcv[] = {"n", "z", "c", "v"}, *const fpcr[] = {"ahp", "dn", "fz"};
	switch (line->kind) {
	case VIXL_INSN:
		records_add_address(list, "pc", line->addr, line->masked & VIXL_MASKED_ADDR);
		vixl_records_add(list, "enc", CAIRN_FIELD_HEX, line->enc, 4);
		vixl_records_add_text(list, "asm", line->text, line->text_len);
		return;
	case VIXL_TEXT:
	case VIXL_UNKNOWN:
		vixl_records_add_text(list, "text", line->text, line->text_len);
		return;
	case VIXL_BRANCH:
		records_add_address(list, "target", line->addr, line->masked & VIXL_MASKED_ADDR);
		return;
	case VIXL_NZCV:
		add_bits(list, line->value[0], nzcv, 4);
		return;
	case VIXL_FPCR:
		add_bits(list, line->value[0] >> 2, fpcr, 3);
		vixl_records_add(list, "rmode", CAIRN_FIELD_DEC, line->value[0] & 3, 1);
		return;
	case VIXL_GCS:
		vixl_records_add(list, "stack", CAIRN_FIELD_HEX, line->enc, 2);
		vixl_records_add(list, "index", CAIRN_FIELD_HEX, line->index, 0);
		break;
	case VIXL_TRANSFER:
		records_add_address(list, "addr", line->addr, line->masked & VIXL_MASKED_ADDR);
		vixl_records_add(list, "value", CAIRN_FIELD_HEX, line->value[0], 1);
		records_add_address(list, "source", line->source, line->masked & VIXL_MASKED_SOURCE);
		return;
	case VIXL_WRITE64:
		vixl_records_add(list, "value", CAIRN_FIELD_HEX, line->value[0], 8);
		break;
	case VIXL_ACCESS:
		records_add_access(list, line);
		break;
	default:
		if (vixl_is_register(line->kind))
			records_add_register(list, line);
		break;
	}
	add_arrow(list, line);
}

static int vixl_records_finish(struct cairn_reader *reader, struct model_span *span)
{
	struct vixl_span *ss = span->priv;
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (ss->bytes.broken)
		model_damaged(reader, span, "byte 0x%llx: %s", (unsigned long long)ss->at.off,
		              ss->bytes.why);
	/* Records alone do not tell the rest of the state. */
	if (!span->scanned)
		memcpy(span->exit, &ss->at, sizeof ss->at);
	return 0;
}

int vixl_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec)
{
	struct vixl_span *ss = span->priv;
	while (kit_left(&ss->bytes) == 0) {
		if (ss->finished || !ss->bytes.window.more)
			return vixl_records_finish(reader, span);
		int rc = kit_fill(reader, &ss->bytes);
		if (rc < 0)
			return rc;
	}
	const char *p = ss->bytes.window.p, *e, *next = vixl_line_end(p, ss->bytes.window.end, &e);
	struct vixl_line line;
	struct list list = {ss, 0};
	vixl_parse(p, (size_t)(e - p), &line, &ss->plain);
	bool insn = line.kind == VIXL_INSN && !vixl_state_only(reader->impl);
	ss->at.n += insn;
	if (line.prefix)
		vixl_records_add_text(&list, "before", p, line.prefix);
	vixl_records_fields_of(&list, &line);
	if (line.kind == VIXL_UNKNOWN || (line.kind == VIXL_INSN && !insn)) {
		char text[192];
		vixl_bad_text(text, sizeof text, ss->at.off, ss->at.line, line.kind);
		model_damaged(reader, span, "%s", text);
	}
	*rec = (struct cairn_record){.number = ss->at.line,
	                             .offset = ss->at.off,
	                             .data = (const uint8_t *)p,
	                             .size = (uint32_t)(next - p),
	                             .type = line.kind,
	                             .fields = ss->fields,
	                             .n_fields = (uint16_t)list.n,
	                             .name = vixl_kind_names[line.kind],
	                             .insn = ss->at.n > 1 ? ss->at.n - 1 : 0};
	ss->at.line++;
	ss->at.off += (uint64_t)(next - p);
	ss->bytes.window.p = next;
	return 1;
}

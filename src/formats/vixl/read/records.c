/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines one by one, exactly, and the words for what is in them.
 */
#include <stdio.h>

#include "formats/vixl/read/decoder.h"

const char *vixl_bad_line(unsigned kind)
{
	return kind == VIXL_UNKNOWN ? "the line names a register that does not exist, or its value "
	                              "does not fit"
	                            : "an instruction in what began as a log of state";
}

const char *vixl_event_name(const struct cairn_event *event)
{
	if (event->kind != CAIRN_EV_FORMAT)
		return NULL;
	return event->code == VIXL_EV_GCS_PUSH  ? "GCS_PUSH"
	       : event->code == VIXL_EV_GCS_POP ? "GCS_POP"
	                                        : NULL;
}

/* ---- fields ---- */

static void add_name(struct text_fields *fields, const char *name, const char *text)
{
	text_add(fields, name, CAIRN_FIELD_NAME, 0, 0)->text = text;
}

static void records_add_address(struct text_fields *fields, const char *name, uint64_t value,
                                bool masked)
{
	if (masked)
		add_name(fields, name, "masked");
	else
		text_add(fields, name, CAIRN_FIELD_HEX, value, 8);
}

static void records_add_register(struct text_fields *fields, const struct vixl_line *line)
{
	struct vixl_span *ss = (struct vixl_span *)fields->ss;
	char buf[8];
	const char *is = vixl_reg_name(line, buf);
	if (line->ranged)
		snprintf(ss->name, sizeof ss->name, "%s<%u:%u>", is, line->msb, line->lsb);
	else
		snprintf(ss->name, sizeof ss->name, "%s", is);
	add_name(fields, "reg", ss->name);
	if (line->masked & VIXL_MASKED_VALUE) {
		add_name(fields, "value", "masked");
	} else if (line->bytes == 16) {
		uint8_t wide[16];
		base_put_le64(wide, line->value[0]);
		base_put_le64(wide + 8, line->value[1]);
		text_add_wide(fields, "value", wide, sizeof wide);
	} else {
		text_add(fields, "value", CAIRN_FIELD_HEX, line->value[0], line->bytes);
	}
	if (line->fp)
		text_add_text(fields, "fp", line->fp, line->fp_len);
}

static void add_bits(struct text_fields *fields, uint64_t value, const char *const *names,
                     unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		text_add(fields, names[i], CAIRN_FIELD_DEC, value >> (n - 1 - i) & 1, 1);
}

static void records_add_access(struct text_fields *fields, const struct vixl_line *line)
{
	static const char *const names[] = {"value", "value1", "value2", "value3"};
	for (unsigned i = 0; i < line->n_values; i++)
		text_add(fields, names[i], CAIRN_FIELD_HEX, line->value[i], line->bytes);
}

static void add_arrow(struct text_fields *fields, const struct vixl_line *line)
{
	if (!line->arrow)
		return;
	add_name(fields, "op", line->arrow == '<' ? "<-" : "->");
	records_add_address(fields, "addr", line->addr, line->masked & VIXL_MASKED_ADDR);
}

static void vixl_records_fields_of(struct text_fields *fields, const struct vixl_line *line)
{
	static const char *const nzcv[] = {"n", "z", "c", "v"}, *const fpcr[] = {"ahp", "dn", "fz"};
	switch (line->kind) {
	case VIXL_INSN:
		records_add_address(fields, "pc", line->addr, line->masked & VIXL_MASKED_ADDR);
		text_add(fields, "enc", CAIRN_FIELD_HEX, line->enc, 4);
		text_add_text(fields, "asm", line->text, line->text_len);
		return;
	case VIXL_TEXT:
	case VIXL_UNKNOWN:
		text_add_text(fields, "text", line->text, line->text_len);
		return;
	case VIXL_BRANCH:
		records_add_address(fields, "target", line->addr, line->masked & VIXL_MASKED_ADDR);
		return;
	case VIXL_NZCV:
		add_bits(fields, line->value[0], nzcv, 4);
		return;
	case VIXL_FPCR:
		add_bits(fields, line->value[0] >> 2, fpcr, 3);
		text_add(fields, "rmode", CAIRN_FIELD_DEC, line->value[0] & 3, 1);
		return;
	case VIXL_GCS:
		text_add(fields, "stack", CAIRN_FIELD_HEX, line->enc, 2);
		text_add(fields, "index", CAIRN_FIELD_HEX, line->index, 0);
		break;
	case VIXL_TRANSFER:
		records_add_address(fields, "addr", line->addr, line->masked & VIXL_MASKED_ADDR);
		text_add(fields, "value", CAIRN_FIELD_HEX, line->value[0], 1);
		records_add_address(fields, "source", line->source, line->masked & VIXL_MASKED_SOURCE);
		return;
	case VIXL_WRITE64:
		text_add(fields, "value", CAIRN_FIELD_HEX, line->value[0], 8);
		break;
	case VIXL_ACCESS:
		records_add_access(fields, line);
		break;
	default:
		if (vixl_is_register(line->kind))
			records_add_register(fields, line);
		break;
	}
	add_arrow(fields, line);
}

void vixl_record(const struct cairn_reader *reader, struct model_span *span, const char *p,
                 const char *next, struct text_fields *fields, struct text_taken *taken)
{
	struct vixl_span *ss = span->priv;
	struct vixl_line line;
	const char *end;
	text_line_ends(p, next, &end);
	vixl_parse(p, (size_t)(end - p), &line, &ss->plain);
	if (line.prefix)
		text_add_text(fields, "before", p, line.prefix);
	vixl_records_fields_of(fields, &line);
	taken->kind = line.kind;
	taken->insn = line.kind == VIXL_INSN && !vixl_state_only(reader->impl);
	if (line.kind == VIXL_UNKNOWN || (line.kind == VIXL_INSN && !taken->insn))
		taken->why = vixl_bad_line(line.kind);
}

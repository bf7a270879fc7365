/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: packets one by one, exactly; or, when asked for, the elements they mean.
 */
#include <stdio.h>
#include <string.h>

#include "formats/ete/format.h"

const char *ete_record_name(const struct cairn_reader *reader, unsigned type)
{
	const struct ete_impl *im = reader->impl;
	const char *name = im->elements ? cairn_ete_element_name(type) : cairn_ete_packet_name(type);
	return name ? name : "UNKNOWN";
}

const char *ete_event_name(const struct cairn_reader *reader, const struct cairn_event *event,
                           char *buf)
{
	const struct ete_impl *im = reader->impl;
	const struct cairn_ete_config *cfg = &im->programs[0].cfg;
	const char *name;
	switch (event->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		name = cairn_ete_exception_name(cfg, (unsigned)event->code);
		if (name && strcmp(name, "impl") != 0)
			return name;
		if (cfg->profile == 'M' && event->code >= 0x208 && event->code < 0x3f0)
			snprintf(buf, 32, "IRQ%u", (unsigned)event->code - 0x200);
		else
			snprintf(buf, 32, "EXCEPTION_0x%02x", (unsigned)event->code & 0xffff);
		return buf;
	case CAIRN_EV_MARKER: /* of the unit's event inputs; the packet and the element say the same */
		return cairn_ete_element_name(CAIRN_ETE_EVENT);
	case CAIRN_EV_FORMAT:
		return cairn_ete_element_name((unsigned)event->code);
	default:
		return NULL;
	}
}

/* Follow the program up to a packet, to know the number of the next instruction. */
static int follow_to(struct cairn_reader *reader, struct model_span *span, uint64_t pos)
{
	struct ete_span *sp = span->priv;
	int rc = 0;
	if (!sp->program || !sp->program->image || sp->followed)
		return 0;
	if (!sp->flow)
		rc = ete_span_flow(reader, span);
	while (rc >= 0) {
		if (!sp->fresh) {
			rc = cairn_ete_flow_next(sp->flow, &sp->rest);
			sp->followed = rc == 0;
			if (rc <= 0)
				break;
		}
		sp->fresh = sp->rest.offset >= pos;
		if (sp->fresh)
			return 0;
		sp->at->n += ete_numbers(&sp->rest);
	}
	return rc;
}

/* The span is at its end. */
static int ete_records_finish(struct cairn_reader *reader, struct model_span *span)
{
	struct ete_span *sp = span->priv;
	int rc = sp->finished ? 0 : follow_to(reader, span, UINT64_MAX);
	ete_span_leave(reader, span);
	return rc < 0 ? rc : 0;
}

static int next_element(struct cairn_reader *reader, struct model_span *span,
                        struct cairn_record *rec)
{
	struct ete_span *sp = span->priv;
	struct cairn_ete_elements_opts opts = {.size = sizeof opts, .transactions = CAIRN_ETE_KEEP};
	int rc = 0;
	if (!sp->elements) {
		rc = cairn_ete_elements_open(reader->cairn, &sp->program->cfg, &opts, sp->p, sp->n,
		                             sp->from, &sp->elements);
		if (rc >= 0 && !sp->leads)
			rc = cairn_ete_elements_sync_set(sp->elements, sp->begin);
		if (rc >= 0 && !sp->last)
			cairn_ete_elements_limit(sp->elements, sp->end);
	}
	if (rc >= 0)
		rc = cairn_ete_elements_next(sp->elements, &sp->element);
	if (rc <= 0)
		return rc;
	const struct cairn_ete_element *element = &sp->element;
	rc = follow_to(reader, span, element->offset);
	if (rc < 0)
		return rc;
	if (ete_is_damage(element)) {
		char text[448];
		ete_bad_text(sp, text, sizeof text, element->offset, sp->at->n, element->number,
		             element->value);
		model_damaged(reader, span, "%s", text);
	}
	rec->offset = ete_place(sp, element->offset);
	rec->name = ete_record_name(reader, element->kind);
	rec->type = element->kind;
	rec->n_fields = (uint16_t)cairn_ete_element_fields(element, sp->fields, sp->text);
	return 1;
}

static bool is_bad(const struct cairn_ete_packet *packet)
{
	return packet->type >= CAIRN_ETE_P_BAD && packet->type <= CAIRN_ETE_P_INCOMPLETE;
}

static int next_packet(struct cairn_reader *reader, struct model_span *span,
                       struct cairn_record *rec)
{
	struct ete_span *sp = span->priv;
	if (sp->at_buffer == sp->n_buffer) {
		int rc = ete_span_packets(reader, sp);
		if (rc <= 0)
			return rc;
	}
	const struct cairn_ete_packet *packet = &sp->buffer[sp->at_buffer++];
	int rc = follow_to(reader, span, packet->offset);
	if (rc < 0)
		return rc;
	rec->offset = ete_place(sp, packet->offset);
	if (is_bad(packet))
		model_damaged(reader, span, "byte 0x%llx, record %llu: %s (first byte 0x%02x)",
		              (unsigned long long)rec->offset, (unsigned long long)sp->at->rec,
		              cairn_ete_packet_title(packet->type), sp->p[packet->offset - sp->from]);
	rec->name = ete_record_name(reader, packet->type);
	rec->type = packet->type;
	rec->data = sp->p + (packet->offset - sp->from);
	rec->size = packet->size;
	rec->n_fields = (uint16_t)cairn_ete_packet_fields(packet, rec->data, sp->fields, sp->text);
	return 1;
}

int ete_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec)
{
	const struct ete_impl *im = reader->impl;
	struct ete_span *sp = span->priv;
	if (sp->finished)
		return ete_records_finish(reader, span);
	*rec = (struct cairn_record){.number = sp->at->rec, .fields = sp->fields};
	int rc = im->elements ? next_element(reader, span, rec) : next_packet(reader, span, rec);
	if (rc <= 0)
		return rc < 0 ? rc : ete_records_finish(reader, span);
	rec->insn = sp->program->image ? sp->at->n : 0;
	sp->at->rec++;
	return 1;
}

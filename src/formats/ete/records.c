/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: packets one by one, exactly; or, when asked for, the elements they mean.
 */
#include <stdio.h>
#include <string.h>

#include "formats/ete/format.h"

const char *ete_record_name(const struct cairn_reader *r, unsigned type)
{
	const struct ete_impl *im = r->impl;
	const char *name = im->elements ? cairn_ete_element_name(type) : cairn_ete_packet_name(type);
	return name ? name : "UNKNOWN";
}

const char *ete_event_name(const struct cairn_reader *r, const struct cairn_event *e, char *buf)
{
	const struct ete_impl *im = r->impl;
	const struct cairn_ete_config *cfg = &im->programs[0].cfg;
	const char *name;
	switch (e->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		name = cairn_ete_exception_name(cfg, (unsigned)e->code);
		if (name && strcmp(name, "impl") != 0)
			return name;
		if (cfg->profile == 'M' && e->code >= 0x208 && e->code < 0x3f0)
			snprintf(buf, 32, "IRQ%u", (unsigned)e->code - 0x200);
		else
			snprintf(buf, 32, "EXCEPTION_0x%02x", (unsigned)e->code & 0xffff);
		return buf;
	case CAIRN_EV_MARKER: /* of the unit's event inputs; the packet and the element say the same */
		return cairn_ete_element_name(CAIRN_ETE_EVENT);
	case CAIRN_EV_FORMAT:
		return cairn_ete_element_name((unsigned)e->code);
	default:
		return NULL;
	}
}

/* Follow the program up to a packet, to know the number of the next instruction. */
static int follow_to(struct cairn_reader *r, struct model_span *s, uint64_t pos)
{
	struct ete_span *sp = s->priv;
	int rc = 0;
	if (!sp->program || !sp->program->image || sp->followed)
		return 0;
	if (!sp->flow)
		rc = ete_span_flow(r, s);
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
static int ete_records_finish(struct cairn_reader *r, struct model_span *s)
{
	struct ete_span *sp = s->priv;
	int rc = sp->finished ? 0 : follow_to(r, s, UINT64_MAX);
	ete_span_leave(r, s);
	return rc < 0 ? rc : 0;
}

static int next_element(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec)
{
	struct ete_span *sp = s->priv;
	struct cairn_ete_elements_opts opts = {.size = sizeof opts, .transactions = CAIRN_ETE_KEEP};
	int rc = 0;
	if (!sp->elements) {
		rc = cairn_ete_elements_open(r->c, &sp->program->cfg, &opts, sp->p, sp->n, sp->from,
		                             &sp->elements);
		if (rc >= 0 && !sp->leads)
			rc = cairn_ete_elements_sync_set(sp->elements, sp->begin);
		if (rc >= 0 && !sp->last)
			cairn_ete_elements_limit(sp->elements, sp->end);
	}
	if (rc >= 0)
		rc = cairn_ete_elements_next(sp->elements, &sp->element);
	if (rc <= 0)
		return rc;
	const struct cairn_ete_element *e = &sp->element;
	rc = follow_to(r, s, e->offset);
	if (rc < 0)
		return rc;
	if (ete_is_damage(e)) {
		char text[448];
		ete_bad_text(sp, text, sizeof text, e->offset, sp->at->n, e->number, e->value);
		model_damaged(r, s, "%s", text);
	}
	rec->offset = ete_place(sp, e->offset);
	rec->name = ete_record_name(r, e->kind);
	rec->type = e->kind;
	rec->n_fields = (uint16_t)cairn_ete_element_fields(e, sp->fields, sp->text);
	return 1;
}

static bool is_bad(const struct cairn_ete_packet *p)
{
	return p->type >= CAIRN_ETE_P_BAD && p->type <= CAIRN_ETE_P_INCOMPLETE;
}

static int next_packet(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec)
{
	struct ete_span *sp = s->priv;
	if (sp->at_buffer == sp->n_buffer) {
		int rc = ete_span_packets(r, sp);
		if (rc <= 0)
			return rc;
	}
	const struct cairn_ete_packet *p = &sp->buffer[sp->at_buffer++];
	int rc = follow_to(r, s, p->offset);
	if (rc < 0)
		return rc;
	rec->offset = ete_place(sp, p->offset);
	if (is_bad(p))
		model_damaged(r, s, "byte 0x%llx, record %llu: %s (first byte 0x%02x)",
		              (unsigned long long)rec->offset, (unsigned long long)sp->at->rec,
		              cairn_ete_packet_title(p->type), sp->p[p->offset - sp->from]);
	rec->name = ete_record_name(r, p->type);
	rec->type = p->type;
	rec->data = sp->p + (p->offset - sp->from);
	rec->size = p->size;
	rec->n_fields = (uint16_t)cairn_ete_packet_fields(p, rec->data, sp->fields, sp->text);
	return 1;
}

int ete_record(struct cairn_reader *r, struct model_span *s, struct cairn_record *rec)
{
	const struct ete_impl *im = r->impl;
	struct ete_span *sp = s->priv;
	if (sp->finished)
		return ete_records_finish(r, s);
	*rec = (struct cairn_record){.number = sp->at->rec, .fields = sp->fields};
	int rc = im->elements ? next_element(r, s, rec) : next_packet(r, s, rec);
	if (rc <= 0)
		return rc < 0 ? rc : ete_records_finish(r, s);
	rec->insn = sp->program->image ? sp->at->n : 0;
	sp->at->rec++;
	return 1;
}

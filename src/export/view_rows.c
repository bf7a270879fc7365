/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines above and below an instruction: what was forced or damaged before
 * it, and its registers, memory accesses and events in the order the format
 * recorded them.
 *
 * FORCE_PC, damage and gaps stand above, at the first column, and are always
 * printed: without them the column of PCs cannot be understood. Everything else
 * is indented under the PC and printed when asked for. The first words are the
 * STF specification's own for a dump: FORCE_PC, EVT, PC.
 */
#include "export/view.h"

static bool has_own_line(const struct cairn_event *event)
{
	return view_is_place(event) || event->kind == CAIRN_EV_FORCE_PC;
}

const char *view_role_name(unsigned role)
{
	static const char *const names[] = {"reg", "state", "src", "dst", "ready"};
	return role < sizeof names / sizeof *names ? names[role] : names[0];
}

const char *view_mem_name(unsigned kind)
{
	static const char *const names[] = {"unknown", "read", "write", "prefetch", "fetch"};
	return kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

const char *view_initiator_name(unsigned initiator)
{
	static const char *const names[] = {"insn", "core", "gpu", "dma",
	                                    "pcie", "srio", "icn", "accel"};
	return initiator < sizeof names / sizeof *names ? names[initiator] : "other";
}

/* Text of an event, escaped; the room for it was reserved. */
static char *view_rows_put_text(char *p, const struct cairn_batch *batch,
                                const struct cairn_event *event)
{
	const uint8_t *s = view_payload(batch, event->args, event->len);
	return s ? text_escape(p, (const char *)s, event->len, false) : p;
}

static int above_line(struct cairn_view *view, const struct cairn_batch *batch,
                      const struct cairn_event *event)
{
	char *p = text_open(&view->buf, VIEW_ROW + 4 * (size_t)event->len);
	if (!p)
		return CAIRN_E_NOMEM;
	p = view_paint(view, p, view_is_place(event) ? VIEW_RED : VIEW_CYAN);
	if (event->kind == CAIRN_EV_FORCE_PC) {
		p = TEXT_LIT(p, "FORCE_PC ");
		p = text_hex16(p, event->target);
	} else if (event->kind == CAIRN_EV_DAMAGE) {
		p = view_rows_put_text(TEXT_LIT(p, "DAMAGE "), batch, event);
	} else {
		p = TEXT_LIT(p, "GAP ");
		if (event->code == UINT64_MAX)
			p = TEXT_LIT(p, "an unknown number of");
		else
			p = text_dec(p, event->code);
		p = TEXT_LIT(p, " instructions are missing");
		if (event->len)
			p = view_rows_put_text(TEXT_LIT(p, ": "), batch, event);
	}
	p = view_paint(view, p, VIEW_PLAIN);
	return text_end_line(&view->buf, p);
}

int view_events_before(struct cairn_view *view, const struct cairn_batch *batch,
                       struct view_slot slot, bool only_places)
{
	int rc = 0;
	for (uint32_t i = slot.ev; i < slot.ev_end && rc >= 0; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (view_is_place(event) ? event->phase == CAIRN_BEFORE
		                         : !only_places && event->kind == CAIRN_EV_FORCE_PC)
			rc = above_line(view, batch, event);
	}
	return rc;
}

int view_places_behind(struct cairn_view *view, const struct cairn_batch *batch,
                       struct view_slot slot)
{
	int rc = 0;
	for (uint32_t i = slot.ev; i < slot.ev_end && rc >= 0; i++)
		if (view_is_place(&batch->events[i]) && batch->events[i].phase != CAIRN_BEFORE)
			rc = above_line(view, batch, &batch->events[i]);
	return rc;
}

/* ---- values ---- */

/* Behind what the trace does not tell, or not wholly. */
static char *put_derived(char *p, unsigned flags)
{
	return flags & CAIRN_VALUE_DERIVED ? TEXT_LIT(p, " (derived)") : p;
}

static int reg_line(struct cairn_view *view, const struct cairn_batch *batch,
                    const struct cairn_reg *row, enum cairn_isa isa)
{
	char name[32];
	const char *reg = cairn_reg_abi_name(isa, row->cls, row->num, name);
	const char *role = view_role_name(row->role);
	size_t wide = row->flags & CAIRN_VALUE_WIDE ? ((size_t)row->bits + 7) / 8 : 0;
	const uint8_t *bytes = wide ? view_payload(batch, row->value, wide) : NULL;
	char *p = text_open(&view->buf, VIEW_ROW + (bytes ? 2 * wide : 0));
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, VIEW_INDENT);
	p = text_put(p, role, strlen(role));
	*p++ = ' ';
	p = text_put(p, reg, strlen(reg));
	if (row->lsb) {
		*p++ = '[';
		p = text_dec(p, (uint64_t)row->lsb + row->bits - 1);
		*p++ = ':';
		p = text_dec(p, row->lsb);
		*p++ = ']';
	}
	if (bytes) {
		p = text_wide(TEXT_LIT(p, " = 0x"), bytes, wide);
	} else if (row->flags & CAIRN_VALUE_KNOWN) {
		p = text_0x(TEXT_LIT(p, " = "), row->value, view_digits_of(row->bits));
	} else if (row->role != CAIRN_ROLE_READY) {
		p = TEXT_LIT(p, " = ?");
	}
	return text_end_line(&view->buf, put_derived(p, row->flags));
}

static const char *mem_word(unsigned kind)
{
	static const char *const words[] = {"MEM ?     ", "MEM READ  ", "MEM WRITE ", "MEM PREFETCH ",
	                                    "MEM FETCH "};
	return kind < sizeof words / sizeof *words ? words[kind] : words[0];
}

/* Is nothing known of an access but its value: neither address nor size? */
bool view_mem_is_bare(const struct cairn_mem *mem)
{
	return mem->flags & CAIRN_VALUE_ADDR_UNKNOWN && !mem->size;
}

static char *mem_extras(char *p, const struct cairn_mem *mem)
{
	if (mem->flags & CAIRN_VALUE_PA)
		p = text_0x(TEXT_LIT(p, " pa="), mem->pa, 1);
	if (mem->attr)
		p = text_0x(TEXT_LIT(p, " attr="), mem->attr, 1);
	if (mem->initiator) {
		const char *who = view_initiator_name(mem->initiator);
		p = text_put(TEXT_LIT(p, " by "), who, strlen(who));
		*p++ = ' ';
		p = view_mem_is_bare(mem) ? TEXT_LIT(p, "?") : text_dec(p, mem->unit);
	}
	if (mem->flags & CAIRN_VALUE_NOT_WRITTEN)
		p = TEXT_LIT(p, " not written");
	return p;
}

static int mem_line(struct cairn_view *view, const struct cairn_batch *batch,
                    const struct cairn_mem *mem)
{
	const char *word = mem_word(mem->kind);
	size_t wide = mem->flags & CAIRN_VALUE_WIDE ? 8 * (size_t)mem->words : 0;
	const uint8_t *bytes = wide ? view_payload(batch, mem->value, wide) : NULL;
	char *p = text_open(&view->buf, VIEW_ROW + (bytes ? 2 * wide : 0));
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, VIEW_INDENT);
	p = text_put(p, word, strlen(word));
	p = mem->flags & CAIRN_VALUE_ADDR_UNKNOWN ? TEXT_LIT(p, "?") : text_0x(p, mem->addr, 16);
	*p++ = ' ';
	p = view_mem_is_bare(mem) ? TEXT_LIT(p, "?") : text_dec(p, mem->size);
	if (bytes)
		p = text_wide(TEXT_LIT(p, " = 0x"), bytes,
		              mem->size && mem->size < wide ? mem->size : wide);
	else if (mem->flags & CAIRN_VALUE_KNOWN)
		p = text_0x(TEXT_LIT(p, " = "), mem->value, view_digits_of(8 * (uint64_t)mem->size));
	p = mem_extras(p, mem);
	return text_end_line(&view->buf, put_derived(p, mem->flags));
}

/* ---- events ---- */

static char *view_rows_put_args(char *p, const struct cairn_batch *batch,
                                const struct cairn_event *event)
{
	const uint8_t *s = view_payload(batch, event->args, event->len);
	if (!s)
		return p;
	if (event->flags & CAIRN_EVF_BYTES) {
		*p++ = ' ';
		return text_bytes(p, s, event->len);
	}
	for (uint32_t i = 0; i < event->len / 8; i++) {
		*p++ = ' ';
		p = text_0x(p, cairn_event_arg(batch, event, i), 1);
	}
	return p;
}

static char *put_page_walk(char *p, const struct cairn_batch *batch,
                           const struct cairn_event *event)
{
	uint32_t n = view_payload(batch, event->args, event->len) ? event->len / 8 : 0;
	p = text_0x(TEXT_LIT(p, " va="), event->code, 16);
	if (n < 2)
		return p;
	p = text_0x(TEXT_LIT(p, " page="), cairn_event_arg(batch, event, 1), 1);
	p = text_dec(TEXT_LIT(p, " first_access="), cairn_event_arg(batch, event, 0));
	for (uint32_t i = 2; i + 1 < n; i += 2) {
		*p++ = '\n';
		p = text_spaces(p, VIEW_INDENT + 2);
		p = text_0x(TEXT_LIT(p, "PTE pa="), cairn_event_arg(batch, event, i), 16);
		p = text_0x(TEXT_LIT(p, " pte="), cairn_event_arg(batch, event, i + 1), 16);
	}
	return p;
}

/* A trap, with or without its metadata, and whatever only the format names. */
static char *view_rows_put_event(char *p, const struct cairn_batch *batch,
                                 const struct cairn_event *event, const char *name)
{
	p = text_put(TEXT_LIT(p, "EVT "), name, strlen(name));
	if (event->len)
		p = view_rows_put_args(p, batch, event);
	else if (event->kind == CAIRN_EV_MODE ? event->code != UINT64_MAX : event->kind >= CAIRN_EV_TLB)
		p = text_0x(TEXT_LIT(p, " "), event->code, 1);
	if (event->flags & CAIRN_EVF_TARGET)
		p = text_hex16(TEXT_LIT(p, " PC "), event->target);
	return p;
}

static int view_rows_event_line(struct cairn_view *view, const struct cairn_batch *batch,
                                const struct cairn_event *event)
{
	char buf[32];
	if (has_own_line(event) || event->kind == CAIRN_EV_CONTEXT)
		return 0; /* printed already */
	const char *name = cairn_event_name(view->opts.reader, event, buf);
	/* An argument of 8 bytes needs up to 19 columns, a PTE of 16 up to 60. */
	char *p = text_open(&view->buf, VIEW_ROW + strlen(name) + 5 * (size_t)event->len);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, VIEW_INDENT);
	if (event->kind == CAIRN_EV_COMMENT) {
		p = view_rows_put_text(TEXT_LIT(p, "COMMENT "), batch, event);
	} else if (event->kind == CAIRN_EV_PAGE_WALK) {
		p = put_page_walk(text_put(p, name, strlen(name)), batch, event);
	} else if (event->kind == CAIRN_EV_MICRO_OP) {
		p = text_put(p, name, strlen(name));
		p = text_0x(TEXT_LIT(p, " "), event->code, 8);
		if (event->len >= 8 && view_payload(batch, event->args, event->len))
			p = text_dec(TEXT_LIT(p, " size="), cairn_event_arg(batch, event, 0));
	} else if (event->kind == CAIRN_EV_MODE_ISA) {
		const char *isa = cairn_isa_name(event->code <= CAIRN_ISA_LAST ? (enum cairn_isa)event->code
		                                                               : CAIRN_ISA_UNKNOWN);
		p = text_put(p, name, strlen(name));
		if (isa)
			p = text_put(TEXT_LIT(p, " "), isa, strlen(isa));
	} else {
		p = view_rows_put_event(p, batch, event, name);
	}
	return text_end_line(&view->buf, p);
}

/* The three lists are each in recorded order; `seq` puts them together. */
int view_children(struct cairn_view *view, const struct cairn_batch *batch, struct view_slot slot,
                  enum cairn_isa isa)
{
	int rc = 0;
	if (!(view->opts.show & CAIRN_VIEW_REGS))
		slot.reg = slot.reg_end;
	if (!(view->opts.show & CAIRN_VIEW_MEMS))
		slot.mem = slot.mem_end;
	if (!(view->opts.show & CAIRN_VIEW_EVENTS))
		slot.ev = slot.ev_end;
	while (rc >= 0) {
		uint32_t reg = slot.reg < slot.reg_end ? batch->regs[slot.reg].seq : UINT32_MAX;
		uint32_t mem = slot.mem < slot.mem_end ? batch->mems[slot.mem].seq : UINT32_MAX;
		uint32_t ev = slot.ev < slot.ev_end ? batch->events[slot.ev].seq : UINT32_MAX;
		if (reg == UINT32_MAX && mem == UINT32_MAX && ev == UINT32_MAX)
			break;
		if (reg <= mem && reg <= ev)
			rc = reg_line(view, batch, &batch->regs[slot.reg++], isa);
		else if (mem <= ev)
			rc = mem_line(view, batch, &batch->mems[slot.mem++]);
		else
			rc = view_rows_event_line(view, batch, &batch->events[slot.ev++]);
	}
	return rc;
}

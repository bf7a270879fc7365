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

static bool stands_above(const struct cairn_event *e)
{
	return view_is_place(e) || e->kind == CAIRN_EV_FORCE_PC;
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
static char *view_rows_put_text(char *p, const struct cairn_batch *b, const struct cairn_event *e)
{
	const uint8_t *s = view_payload(b, e->args, e->len);
	return s ? text_escape(p, (const char *)s, e->len, false) : p;
}

static int above_line(struct cairn_view *v, const struct cairn_batch *b,
                      const struct cairn_event *e)
{
	char *p = text_open(&v->buf, VIEW_ROW + 4 * (size_t)e->len);
	if (!p)
		return CAIRN_E_NOMEM;
	p = view_paint(v, p, view_is_place(e) ? VIEW_RED : VIEW_CYAN);
	if (e->kind == CAIRN_EV_FORCE_PC) {
		p = TEXT_LIT(p, "FORCE_PC ");
		p = text_hex16(p, e->target);
	} else if (e->kind == CAIRN_EV_DAMAGE) {
		p = view_rows_put_text(TEXT_LIT(p, "DAMAGE "), b, e);
	} else {
		p = TEXT_LIT(p, "GAP ");
		if (e->code == UINT64_MAX)
			p = TEXT_LIT(p, "an unknown number of");
		else
			p = text_dec(p, e->code);
		p = TEXT_LIT(p, " instructions are missing");
		if (e->len)
			p = view_rows_put_text(TEXT_LIT(p, ": "), b, e);
	}
	p = view_paint(v, p, VIEW_PLAIN);
	*p++ = '\n';
	text_close(&v->buf, p);
	return 0;
}

int view_events_before(struct cairn_view *v, const struct cairn_batch *b, struct view_slot s)
{
	int rc = 0;
	for (uint32_t i = s.ev; i < s.ev_end && rc >= 0; i++)
		if (stands_above(&b->events[i]))
			rc = above_line(v, b, &b->events[i]);
	return rc;
}

int view_places(struct cairn_view *v, const struct cairn_batch *b, struct view_slot s)
{
	int rc = 0;
	for (uint32_t i = s.ev; i < s.ev_end && rc >= 0; i++)
		if (view_is_place(&b->events[i]))
			rc = above_line(v, b, &b->events[i]);
	return rc;
}

/* ---- values ---- */

/* Digits of a value of `bits` bits that sits in a row. */
static unsigned view_rows_digits_of(uint64_t bits)
{
	return bits == 0 || bits > 64 ? 16 : (unsigned)((bits + 3) / 4);
}

static int reg_line(struct cairn_view *v, const struct cairn_batch *b, const struct cairn_reg *r,
                    enum cairn_isa isa)
{
	char name[32];
	const char *reg = cairn_reg_abi_name(isa, r->cls, r->num, name);
	const char *role = view_role_name(r->role);
	size_t wide = r->flags & CAIRN_VALUE_WIDE ? ((size_t)r->bits + 7) / 8 : 0;
	const uint8_t *bytes = wide ? view_payload(b, r->value, wide) : NULL;
	char *p = text_open(&v->buf, VIEW_ROW + (bytes ? 2 * wide : 0));
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, VIEW_INDENT);
	p = text_put(p, role, strlen(role));
	*p++ = ' ';
	p = text_put(p, reg, strlen(reg));
	if (r->lsb) {
		*p++ = '[';
		p = text_dec(p, (uint64_t)r->lsb + r->bits - 1);
		*p++ = ':';
		p = text_dec(p, r->lsb);
		*p++ = ']';
	}
	if (bytes) {
		p = text_wide(TEXT_LIT(p, " = 0x"), bytes, wide);
	} else if (r->flags & CAIRN_VALUE_KNOWN) {
		p = text_0x(TEXT_LIT(p, " = "), r->value, view_rows_digits_of(r->bits));
	} else if (r->role != CAIRN_ROLE_READY) {
		p = TEXT_LIT(p, " = ?");
	}
	*p++ = '\n';
	text_close(&v->buf, p);
	return 0;
}

static const char *mem_word(unsigned kind)
{
	static const char *const words[] = {"MEM ?     ", "MEM READ  ", "MEM WRITE ", "MEM PREFETCH ",
	                                    "MEM FETCH "};
	return kind < sizeof words / sizeof *words ? words[kind] : words[0];
}

/* A value that was moved, but nothing tells where and by how much. */
bool view_mem_is_bare(const struct cairn_mem *m)
{
	return m->flags & CAIRN_VALUE_ADDR_UNKNOWN && !m->size;
}

static char *mem_extras(char *p, const struct cairn_mem *m)
{
	if (m->flags & CAIRN_VALUE_PA)
		p = text_0x(TEXT_LIT(p, " pa="), m->pa, 1);
	if (m->attr)
		p = text_0x(TEXT_LIT(p, " attr="), m->attr, 1);
	if (m->initiator) {
		const char *who = view_initiator_name(m->initiator);
		p = text_put(TEXT_LIT(p, " by "), who, strlen(who));
		*p++ = ' ';
		p = view_mem_is_bare(m) ? TEXT_LIT(p, "?") : text_dec(p, m->unit);
	}
	if (m->flags & CAIRN_VALUE_NOT_WRITTEN)
		p = TEXT_LIT(p, " not written");
	return p;
}

static int mem_line(struct cairn_view *v, const struct cairn_batch *b, const struct cairn_mem *m)
{
	const char *word = mem_word(m->kind);
	size_t wide = m->flags & CAIRN_VALUE_WIDE ? 8 * (size_t)m->words : 0;
	const uint8_t *bytes = wide ? view_payload(b, m->value, wide) : NULL;
	char *p = text_open(&v->buf, VIEW_ROW + (bytes ? 2 * wide : 0));
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, VIEW_INDENT);
	p = text_put(p, word, strlen(word));
	p = m->flags & CAIRN_VALUE_ADDR_UNKNOWN ? TEXT_LIT(p, "?") : text_0x(p, m->addr, 16);
	*p++ = ' ';
	p = view_mem_is_bare(m) ? TEXT_LIT(p, "?") : text_dec(p, m->size);
	if (bytes)
		p = text_wide(TEXT_LIT(p, " = 0x"), bytes, m->size && m->size < wide ? m->size : wide);
	else if (m->flags & CAIRN_VALUE_KNOWN)
		p = text_0x(TEXT_LIT(p, " = "), m->value, view_rows_digits_of(8 * (uint64_t)m->size));
	p = mem_extras(p, m);
	*p++ = '\n';
	text_close(&v->buf, p);
	return 0;
}

/* ---- events ---- */

static char *view_rows_put_args(char *p, const struct cairn_batch *b, const struct cairn_event *e)
{
	const uint8_t *s = view_payload(b, e->args, e->len);
	if (!s)
		return p;
	if (e->flags & CAIRN_EVF_BYTES) {
		*p++ = ' ';
		return text_bytes(p, s, e->len);
	}
	for (uint32_t i = 0; i < e->len / 8; i++) {
		*p++ = ' ';
		p = text_0x(p, cairn_event_arg(b, e, i), 1);
	}
	return p;
}

static char *put_page_walk(char *p, const struct cairn_batch *b, const struct cairn_event *e)
{
	uint32_t n = view_payload(b, e->args, e->len) ? e->len / 8 : 0;
	p = text_0x(TEXT_LIT(p, " va="), e->code, 16);
	if (n < 2)
		return p;
	p = text_0x(TEXT_LIT(p, " page="), cairn_event_arg(b, e, 1), 1);
	p = text_dec(TEXT_LIT(p, " first_access="), cairn_event_arg(b, e, 0));
	for (uint32_t i = 2; i + 1 < n; i += 2) {
		*p++ = '\n';
		p = text_spaces(p, VIEW_INDENT + 2);
		p = text_0x(TEXT_LIT(p, "PTE pa="), cairn_event_arg(b, e, i), 16);
		p = text_0x(TEXT_LIT(p, " pte="), cairn_event_arg(b, e, i + 1), 16);
	}
	return p;
}

/* A trap, with or without its metadata, and whatever only the format names. */
static char *view_rows_put_event(char *p, const struct cairn_batch *b, const struct cairn_event *e,
                                 const char *name)
{
	p = text_put(TEXT_LIT(p, "EVT "), name, strlen(name));
	if (e->len)
		p = view_rows_put_args(p, b, e);
	else if (e->kind == CAIRN_EV_MODE ? e->code != UINT64_MAX : e->kind >= CAIRN_EV_TLB)
		p = text_0x(TEXT_LIT(p, " "), e->code, 1);
	if (e->flags & CAIRN_EVF_TARGET)
		p = text_hex16(TEXT_LIT(p, " PC "), e->target);
	return p;
}

static int view_rows_event_line(struct cairn_view *v, const struct cairn_batch *b,
                                const struct cairn_event *e)
{
	char buf[32];
	if (stands_above(e) || e->kind == CAIRN_EV_CONTEXT)
		return 0; /* printed already */
	const char *name = cairn_event_name(v->opts.reader, e, buf);
	/* An argument of 8 bytes needs up to 19 columns, a PTE of 16 up to 60. */
	char *p = text_open(&v->buf, VIEW_ROW + strlen(name) + 5 * (size_t)e->len);
	if (!p)
		return CAIRN_E_NOMEM;
	p = text_spaces(p, VIEW_INDENT);
	if (e->kind == CAIRN_EV_COMMENT) {
		p = view_rows_put_text(TEXT_LIT(p, "COMMENT "), b, e);
	} else if (e->kind == CAIRN_EV_PAGE_WALK) {
		p = put_page_walk(text_put(p, name, strlen(name)), b, e);
	} else if (e->kind == CAIRN_EV_MICRO_OP) {
		p = text_put(p, name, strlen(name));
		p = text_0x(TEXT_LIT(p, " "), e->code, 8);
		if (e->len >= 8 && view_payload(b, e->args, e->len))
			p = text_dec(TEXT_LIT(p, " size="), cairn_event_arg(b, e, 0));
	} else if (e->kind == CAIRN_EV_MODE_ISA) {
		const char *isa =
			cairn_isa_name(e->code <= CAIRN_ISA_LAST ? (enum cairn_isa)e->code : CAIRN_ISA_UNKNOWN);
		p = text_put(p, name, strlen(name));
		if (isa)
			p = text_put(TEXT_LIT(p, " "), isa, strlen(isa));
	} else {
		p = view_rows_put_event(p, b, e, name);
	}
	*p++ = '\n';
	text_close(&v->buf, p);
	return 0;
}

/* The three lists are each in recorded order; `seq` puts them together. */
int view_children(struct cairn_view *v, const struct cairn_batch *b, struct view_slot s,
                  enum cairn_isa isa)
{
	int rc = 0;
	if (!(v->opts.show & CAIRN_VIEW_REGS))
		s.reg = s.reg_end;
	if (!(v->opts.show & CAIRN_VIEW_MEMS))
		s.mem = s.mem_end;
	if (!(v->opts.show & CAIRN_VIEW_EVENTS))
		s.ev = s.ev_end;
	while (rc >= 0) {
		uint32_t reg = s.reg < s.reg_end ? b->regs[s.reg].seq : UINT32_MAX;
		uint32_t mem = s.mem < s.mem_end ? b->mems[s.mem].seq : UINT32_MAX;
		uint32_t ev = s.ev < s.ev_end ? b->events[s.ev].seq : UINT32_MAX;
		if (reg == UINT32_MAX && mem == UINT32_MAX && ev == UINT32_MAX)
			break;
		if (reg <= mem && reg <= ev)
			rc = reg_line(v, b, &b->regs[s.reg++], isa);
		else if (mem <= ev)
			rc = mem_line(v, b, &b->mems[s.mem++]);
		else
			rc = view_rows_event_line(v, b, &b->events[s.ev++]);
	}
	return rc;
}

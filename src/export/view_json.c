/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view as JSON lines, one instruction each, always with the same keys.
 *
 * Null means the trace does not tell; an empty list means it tells that there is
 * nothing. What belongs to no instruction (damage at the end, state without
 * instructions) is a line whose `n` is null.
 */
#include "export/view.h"
#include "isa/isa.h"

static void put_if(struct jout *j, bool known, uint64_t value)
{
	if (known)
		jout_u64(j, value);
	else
		jout_null(j);
}

static void ctx_members(struct jout *j, const struct cairn_ctx *x)
{
	jout_object(j);
	JSON_KEY(j, "cpu");
	put_if(j, x->known & CAIRN_CTX_HART, x->hart);
	JSON_KEY(j, "hw_tid");
	put_if(j, x->known & CAIRN_CTX_HW_TID, x->hw_tid);
	JSON_KEY(j, "pid");
	put_if(j, x->known & CAIRN_CTX_PID, x->pid);
	JSON_KEY(j, "tid");
	put_if(j, x->known & CAIRN_CTX_TID, x->tid);
	JSON_KEY(j, "asid");
	put_if(j, x->known & CAIRN_CTX_ASID, x->asid);
	JSON_KEY(j, "vmid");
	put_if(j, x->known & CAIRN_CTX_VMID, x->vmid);
	JSON_KEY(j, "ctxid");
	if (x->known & CAIRN_CTX_CTXID)
		jout_hex(j, x->ctxid, 1);
	else
		jout_null(j);
	JSON_KEY(j, "priv");
	jout_text(j, x->known & CAIRN_CTX_PRIV ? isa_priv_name(x->priv) : NULL);
	JSON_KEY(j, "security");
	jout_text(j, x->known & CAIRN_CTX_SECURITY ? view_security_name(x->security) : NULL);
	jout_object_end(j);
}

/* Contexts repeat for thousands of lines: the text is kept. */
static void put_ctx(struct cairn_view *v, struct jout *j, const struct cairn_ctx *x)
{
	if (x->known == 0) {
		jout_null(j);
		return;
	}
	if (!v->ctx_json || memcmp(x, &v->ctx_json_of, sizeof *x) != 0) {
		struct base_buf b;
		struct jout own;
		base_buf_init(&b, v->c);
		jout_init(&own, &b, false);
		ctx_members(&own, x);
		if (own.status < 0) {
			base_buf_free(&b);
			j->status = own.status;
			return;
		}
		base_free(v->c, v->ctx_json);
		v->ctx_json = (char *)b.data;
		v->ctx_json_len = b.len;
		v->ctx_json_of = *x;
	}
	jout_raw(j, v->ctx_json, v->ctx_json_len);
}

static unsigned view_json_digits_of(uint64_t bits)
{
	return bits == 0 || bits > 64 ? 16 : (unsigned)((bits + 3) / 4);
}

/* `bytes`: width of the value in the payload when it is wide. */
static void view_json_put_value(struct jout *j, const struct cairn_batch *b, uint8_t flags,
                                uint64_t value, uint64_t bits, size_t bytes)
{
	const uint8_t *wide = flags & CAIRN_VALUE_WIDE ? view_payload(b, value, bytes) : NULL;
	if (wide)
		jout_wide(j, wide, bytes);
	else if ((flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)) == CAIRN_VALUE_KNOWN)
		jout_hex(j, value, view_json_digits_of(bits));
	else
		jout_null(j);
}

static void view_json_put_regs(struct jout *j, const struct cairn_batch *b, struct view_slot s,
                               enum cairn_isa isa)
{
	char buf[32];
	jout_array(j);
	for (uint32_t i = s.reg; i < s.reg_end; i++) {
		const struct cairn_reg *r = &b->regs[i];
		jout_object(j);
		JSON_KEY(j, "name");
		jout_text(j, cairn_reg_name(isa, r->cls, r->num, buf));
		JSON_KEY(j, "role");
		jout_text(j, r->role ? view_role_name(r->role) : NULL);
		JSON_KEY(j, "value");
		view_json_put_value(j, b, r->flags, r->value, r->bits, ((size_t)r->bits + 7) / 8);
		if (r->lsb) {
			JSON_KEY(j, "lsb");
			jout_u64(j, r->lsb);
		}
		jout_object_end(j);
	}
	jout_array_end(j);
}

static void view_json_put_mems(struct jout *j, const struct cairn_batch *b, struct view_slot s)
{
	jout_array(j);
	for (uint32_t i = s.mem; i < s.mem_end; i++) {
		const struct cairn_mem *m = &b->mems[i];
		size_t recorded = 8 * (size_t)m->words;
		bool bare = view_mem_is_bare(m);
		jout_object(j);
		JSON_KEY(j, "kind");
		jout_text(j, m->kind ? view_mem_name(m->kind) : NULL);
		JSON_KEY(j, "addr");
		if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN)
			jout_null(j);
		else
			jout_hex(j, m->addr, 16);
		JSON_KEY(j, "pa");
		if (m->flags & CAIRN_VALUE_PA)
			jout_hex(j, m->pa, 16);
		else
			jout_null(j);
		JSON_KEY(j, "size");
		if (bare)
			jout_null(j);
		else
			jout_u64(j, m->size);
		JSON_KEY(j, "value");
		view_json_put_value(j, b, m->flags, m->value, 8 * (uint64_t)m->size,
		                    m->size && m->size < recorded ? m->size : recorded);
		if (m->initiator) {
			JSON_KEY(j, "by");
			jout_text(j, view_initiator_name(m->initiator));
			JSON_KEY(j, "unit");
			if (bare)
				jout_null(j);
			else
				jout_u64(j, m->unit);
		}
		if (m->attr) {
			JSON_KEY(j, "attr");
			jout_hex(j, m->attr, 1);
		}
		jout_object_end(j);
	}
	jout_array_end(j);
}

/* Text is one argument, a run of bytes is one argument in hex, else 64 bits each. */
static void view_json_put_args(struct jout *j, const struct cairn_batch *b,
                               const struct cairn_event *e)
{
	const uint8_t *s = view_payload(b, e->args, e->len);
	jout_array(j);
	if (s && (e->flags & CAIRN_EVF_BYTES)) {
		if (e->kind == CAIRN_EV_COMMENT || view_is_place(e))
			jout_text_n(j, (const char *)s, e->len);
		else
			jout_bytes(j, s, e->len);
	} else if (s) {
		for (uint32_t i = 0; i < e->len / 8; i++)
			jout_hex(j, cairn_event_arg(b, e, i), 1);
	}
	jout_array_end(j);
}

static void view_json_put_events(struct cairn_view *v, struct jout *j, const struct cairn_batch *b,
                                 struct view_slot s)
{
	static const char *const phases[] = {"before", "on", "after"};
	char buf[32];
	jout_array(j);
	for (uint32_t i = s.ev; i < s.ev_end; i++) {
		const struct cairn_event *e = &b->events[i];
		bool may_lack = e->kind == CAIRN_EV_GAP || e->kind == CAIRN_EV_MODE;
		jout_object(j);
		JSON_KEY(j, "name");
		jout_text(j, cairn_event_name(v->opts.reader, e, buf));
		JSON_KEY(j, "phase");
		jout_text(j, e->phase < 3 ? phases[e->phase] : NULL);
		JSON_KEY(j, "code");
		if (e->kind == CAIRN_EV_COMMENT || e->kind == CAIRN_EV_FORCE_PC ||
		    (may_lack && e->code == UINT64_MAX))
			jout_null(j);
		else
			jout_hex(j, e->code, 1);
		JSON_KEY(j, "target");
		if (e->flags & CAIRN_EVF_TARGET)
			jout_hex(j, e->target, 16);
		else
			jout_null(j);
		JSON_KEY(j, "args");
		view_json_put_args(j, b, e);
		jout_object_end(j);
	}
	jout_array_end(j);
}

static void view_json_put_flags(struct jout *j, uint32_t flags)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {{CAIRN_INSN_ANNULLED, "annulled"},
	             {CAIRN_INSN_ABORTED, "aborted"},
	             {CAIRN_INSN_DISCARDED, "discarded"},
	             {CAIRN_INSN_DISCONTINUITY, "forced"},
	             {CAIRN_INSN_INFERRED, "inferred"}};
	jout_array(j);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (flags & names[i].bit)
			jout_text(j, names[i].name);
	jout_array_end(j);
}

static void view_json_put_encoding(struct jout *j, const struct cairn_batch *b,
                                   const struct cairn_insn *i)
{
	const uint8_t *bytes;
	JSON_KEY(j, "encoding");
	if (!(i->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)))
		jout_hex(j, i->enc, i->size == 2 ? 4 : 8);
	else if ((i->flags & CAIRN_INSN_ENC_BYTES) && (bytes = view_payload(b, i->enc, i->size)))
		jout_bytes(j, bytes, i->size);
	else
		jout_null(j);
	JSON_KEY(j, "size");
	put_if(j, i->size != 0, i->size);
	JSON_KEY(j, "isa");
	jout_text(j, i->isa ? cairn_isa_name(i->isa) : NULL);
}

/* An instruction that cannot branch was not taken; what is not decoded is unknown. */
static void put_taken(struct jout *j, const struct cairn_insn *i)
{
	JSON_KEY(j, "taken");
	if (i->flags & CAIRN_INSN_TAKEN)
		jout_bool(j, true);
	else if ((i->flags & CAIRN_INSN_NOT_TAKEN) ||
	         (i->cls > CAIRN_CLASS_ILLEGAL && !(i->traits & CAIRN_TRAIT_BRANCH)))
		jout_bool(j, false);
	else
		jout_null(j);
	JSON_KEY(j, "target");
	if (i->flags & CAIRN_INSN_TARGET)
		jout_hex(j, i->target, 16);
	else
		jout_null(j);
}

static void view_json_put_insn(struct cairn_view *v, struct jout *j, const struct cairn_batch *b,
                               const struct cairn_insn *i, uint64_t n)
{
	const char *text = NULL;
	size_t len = 0;
	JSON_KEY(j, "n");
	jout_u64(j, n);
	JSON_KEY(j, "pc");
	if (i->flags & CAIRN_INSN_PC_UNKNOWN)
		jout_null(j);
	else
		jout_hex(j, i->pc, 16);
	if (v->symbols) {
		const struct cairn_symbol *s =
			i->flags & CAIRN_INSN_PC_UNKNOWN ? NULL : view_symbol(v, b, i);
		JSON_KEY(j, "symbol");
		jout_text(j, s ? s->name : NULL);
	}
	if (v->opts.lines) {
		struct cairn_line line = {0};
		bool known = view_line(v, i, &line);
		JSON_KEY(j, "file");
		jout_text(j, known ? line.file : NULL);
		JSON_KEY(j, "line");
		if (known)
			jout_u64(j, line.line);
		else
			jout_null(j);
	}
	view_json_put_encoding(j, b, i);
	JSON_KEY(j, "asm");
	if (v->opts.disasm)
		len = view_words(v, b, (uint32_t)(i - b->insns), &text);
	jout_text_n(j, len ? text : NULL, len);
	JSON_KEY(j, "class");
	jout_text(j, i->cls ? cairn_class_name(i->cls) : NULL);
	JSON_KEY(j, "flags");
	view_json_put_flags(j, i->flags);
	put_taken(j, i);
	JSON_KEY(j, "context");
	if (i->ctx < b->n_ctxs)
		put_ctx(v, j, &b->ctxs[i->ctx]);
	else
		jout_null(j);
	v->lines++;
}

/* The keys of a line without an instruction. */
static void put_no_insn(struct jout *j)
{
	static const char nothing[] =
		"\"n\":null,\"pc\":null,\"encoding\":null,\"size\":null,\"isa\":null,\"asm\":null,"
		"\"class\":null,\"flags\":[],\"taken\":null,\"target\":null,\"context\":null";
	jout_raw(j, nothing, sizeof nothing - 1);
}

static int view_json_put_rows(struct cairn_view *v, struct jout *j, const struct cairn_batch *b,
                              struct view_slot s, enum cairn_isa isa)
{
	JSON_KEY(j, "regs");
	if (b->have & CAIRN_REGS)
		view_json_put_regs(j, b, s, isa);
	else
		jout_null(j);
	JSON_KEY(j, "mems");
	if (b->have & CAIRN_MEMS)
		view_json_put_mems(j, b, s);
	else
		jout_null(j);
	JSON_KEY(j, "events");
	view_json_put_events(v, j, b, s);
	jout_object_end(j);
	jout_end(j);
	return j->status;
}

int view_json_rows(struct cairn_view *v, const struct cairn_batch *b, struct view_slot s,
                   uint64_t record, enum cairn_isa isa)
{
	struct jout j;
	jout_init(&j, &v->buf, false);
	jout_object(&j);
	JSON_KEY(&j, "record");
	jout_u64(&j, record);
	put_no_insn(&j);
	return view_json_put_rows(v, &j, b, s, isa);
}

int view_json_slot(struct cairn_view *v, const struct cairn_batch *b, uint32_t i, uint64_t n)
{
	struct jout j;
	enum cairn_isa isa = b->insns[n || i == 0 ? i : i - 1].isa;
	jout_init(&j, &v->buf, false);
	jout_object(&j);
	if (n)
		view_json_put_insn(v, &j, b, &b->insns[i], n);
	else
		put_no_insn(&j);
	return view_json_put_rows(v, &j, b, view_slot_of(b, i), isa);
}

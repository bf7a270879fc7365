/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A view as JSON lines, one instruction each, always with the same keys.
 *
 * null means that the trace does not say; an empty list means that it says there is nothing. What
 * belongs to no instruction (damage at the end, state without instructions) is a line whose `n` is
 * null.
 */
#include "export/view.h"
#include "isa/isa.h"

static void ctx_members(struct jout *json, const struct cairn_ctx *ctx)
{
	jout_object(json);
	JSON_PUT(json, "cpu", u64_if, ctx->known & CAIRN_CTX_HART, ctx->hart);
	JSON_PUT(json, "hw_tid", u64_if, ctx->known & CAIRN_CTX_HW_TID, ctx->hw_tid);
	JSON_PUT(json, "pid", u64_if, ctx->known & CAIRN_CTX_PID, ctx->pid);
	JSON_PUT(json, "tid", u64_if, ctx->known & CAIRN_CTX_TID, ctx->tid);
	JSON_PUT(json, "asid", u64_if, ctx->known & CAIRN_CTX_ASID, ctx->asid);
	JSON_PUT(json, "vmid", u64_if, ctx->known & CAIRN_CTX_VMID, ctx->vmid);
	JSON_PUT(json, "ctxid", hex_if, ctx->known & CAIRN_CTX_CTXID, ctx->ctxid, 1);
	JSON_PUT(json, "priv", text, ctx->known & CAIRN_CTX_PRIV ? isa_priv_name(ctx->priv) : NULL);
	JSON_PUT(json, "security", text,
	         ctx->known & CAIRN_CTX_SECURITY ? view_security_name(ctx->security) : NULL);
	jout_object_end(json);
}

/* Contexts repeat for thousands of lines: the text is kept. */
static void put_ctx(struct cairn_view *view, struct jout *json, const struct cairn_ctx *ctx)
{
	if (ctx->known == 0) {
		jout_null(json);
		return;
	}
	if (!view->ctx_json || memcmp(ctx, &view->ctx_json_of, sizeof *ctx) != 0) {
		struct base_buf buf;
		struct jout own;
		base_buf_init(&buf, view->cairn);
		jout_init(&own, &buf, false);
		ctx_members(&own, ctx);
		if (own.status < 0) {
			base_buf_free(&buf);
			json->status = own.status;
			return;
		}
		base_free(view->cairn, view->ctx_json);
		view->ctx_json = (char *)buf.data;
		view->ctx_json_len = buf.len;
		view->ctx_json_of = *ctx;
	}
	jout_raw(json, view->ctx_json, view->ctx_json_len);
}

/* `bytes`: width of the value in the payload when it is wide. */
static void view_json_put_value(struct jout *json, const struct cairn_batch *batch, uint8_t flags,
                                uint64_t value, uint64_t bits, size_t bytes)
{
	const uint8_t *wide = flags & CAIRN_VALUE_WIDE ? view_payload(batch, value, bytes) : NULL;
	if (wide)
		jout_wide(json, wide, bytes);
	else if ((flags & (CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE)) == CAIRN_VALUE_KNOWN)
		jout_hex(json, value, view_digits_of(bits));
	else
		jout_null(json);
}

static void put_derived(struct jout *json, uint8_t flags)
{
	if (!(flags & CAIRN_VALUE_DERIVED))
		return;
	JSON_KEY(json, "derived");
	jout_bool(json, true);
}

static void view_json_put_regs(struct jout *json, const struct cairn_batch *batch,
                               struct view_slot slot, enum cairn_isa isa)
{
	char buf[32];
	jout_array(json);
	for (uint32_t i = slot.reg; i < slot.reg_end; i++) {
		const struct cairn_reg *reg = &batch->regs[i];
		jout_object(json);
		JSON_PUT(json, "name", text, cairn_reg_name(isa, reg->cls, reg->num, buf));
		JSON_PUT(json, "role", text, reg->role ? view_role_name(reg->role) : NULL);
		JSON_KEY(json, "value");
		view_json_put_value(json, batch, reg->flags, reg->value, reg->bits,
		                    ((size_t)reg->bits + 7) / 8);
		if (reg->lsb)
			JSON_PUT(json, "lsb", u64, reg->lsb);
		put_derived(json, reg->flags);
		jout_object_end(json);
	}
	jout_array_end(json);
}

static void view_json_put_mems(struct jout *json, const struct cairn_batch *batch,
                               struct view_slot slot)
{
	jout_array(json);
	for (uint32_t i = slot.mem; i < slot.mem_end; i++) {
		const struct cairn_mem *mem = &batch->mems[i];
		size_t recorded = 8 * (size_t)mem->words;
		bool bare = view_mem_is_bare(mem);
		jout_object(json);
		JSON_PUT(json, "kind", text, mem->kind ? view_mem_name(mem->kind) : NULL);
		JSON_PUT(json, "addr", hex_if, !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN), mem->addr, 16);
		JSON_PUT(json, "pa", hex_if, mem->flags & CAIRN_VALUE_PA, mem->pa, 16);
		JSON_PUT(json, "size", u64_if, !bare, mem->size);
		JSON_KEY(json, "value");
		view_json_put_value(json, batch, mem->flags, mem->value, 8 * (uint64_t)mem->size,
		                    mem->size && mem->size < recorded ? mem->size : recorded);
		if (mem->initiator) {
			JSON_PUT(json, "by", text, view_initiator_name(mem->initiator));
			JSON_PUT(json, "unit", u64_if, !bare, mem->unit);
		}
		if (mem->attr)
			JSON_PUT(json, "attr", hex, mem->attr, 1);
		put_derived(json, mem->flags);
		jout_object_end(json);
	}
	jout_array_end(json);
}

/* Text is one argument, a run of bytes is one argument in hex, else 64 bits each. */
static void view_json_put_args(struct jout *json, const struct cairn_batch *batch,
                               const struct cairn_event *event)
{
	const uint8_t *s = view_payload(batch, event->args, event->len);
	jout_array(json);
	if (s && (event->flags & CAIRN_EVF_BYTES)) {
		if (event->kind == CAIRN_EV_COMMENT || view_is_place(event))
			jout_text_n(json, (const char *)s, event->len);
		else
			jout_bytes(json, s, event->len);
	} else if (s) {
		for (uint32_t i = 0; i < event->len / 8; i++)
			jout_hex(json, cairn_event_arg(batch, event, i), 1);
	}
	jout_array_end(json);
}

static void view_json_put_events(struct cairn_view *view, struct jout *json,
                                 const struct cairn_batch *batch, struct view_slot slot)
{
	static const char *const phases[] = {"before", "on", "after"};
	char buf[32];
	jout_array(json);
	for (uint32_t i = slot.ev; i < slot.ev_end; i++) {
		const struct cairn_event *event = &batch->events[i];
		bool may_lack = event->kind == CAIRN_EV_GAP || event->kind == CAIRN_EV_MODE;
		jout_object(json);
		JSON_PUT(json, "name", text, cairn_event_name(view->opts.reader, event, buf));
		JSON_PUT(json, "phase", text, event->phase < 3 ? phases[event->phase] : NULL);
		JSON_KEY(json, "code");
		if (event->kind == CAIRN_EV_COMMENT || event->kind == CAIRN_EV_FORCE_PC ||
		    (may_lack && event->code == UINT64_MAX))
			jout_null(json);
		else
			jout_hex(json, event->code, 1);
		JSON_PUT(json, "target", hex_if, event->flags & CAIRN_EVF_TARGET, event->target, 16);
		JSON_KEY(json, "args");
		view_json_put_args(json, batch, event);
		jout_object_end(json);
	}
	jout_array_end(json);
}

static void view_json_put_flags(struct jout *json, uint32_t flags)
{
	jout_array(json);
	for (size_t i = 0; i < VIEW_FLAGS; i++)
		if (flags & view_flags[i].bit)
			jout_text(json, view_flags[i].word);
	jout_array_end(json);
}

static void view_json_put_encoding(struct jout *json, const struct cairn_batch *batch,
                                   const struct cairn_insn *insn)
{
	const uint8_t *bytes;
	JSON_KEY(json, "encoding");
	if (!(insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)))
		jout_hex(json, insn->enc, insn->size == 2 ? 4 : 8);
	else if ((insn->flags & CAIRN_INSN_ENC_BYTES) &&
	         (bytes = view_payload(batch, insn->enc, insn->size)))
		jout_bytes(json, bytes, insn->size);
	else
		jout_null(json);
	JSON_PUT(json, "size", u64_if, insn->size != 0, insn->size);
	JSON_PUT(json, "isa", text, insn->isa ? cairn_isa_name(insn->isa) : NULL);
}

/* An instruction that cannot branch was not taken; of one that is not decoded this is unknown. */
static void put_taken(struct jout *json, const struct cairn_insn *insn)
{
	JSON_KEY(json, "taken");
	if (insn->flags & CAIRN_INSN_TAKEN)
		jout_bool(json, true);
	else if ((insn->flags & CAIRN_INSN_NOT_TAKEN) ||
	         (insn->cls > CAIRN_CLASS_ILLEGAL && !(insn->traits & CAIRN_TRAIT_BRANCH)))
		jout_bool(json, false);
	else
		jout_null(json);
	JSON_PUT(json, "target", hex_if, insn->flags & CAIRN_INSN_TARGET, insn->target, 16);
}

static void view_json_put_insn(struct cairn_view *view, struct jout *json,
                               const struct cairn_batch *batch, const struct cairn_insn *insn,
                               uint64_t n)
{
	const char *text = NULL;
	size_t len = 0;
	JSON_PUT(json, "n", u64, n);
	JSON_PUT(json, "pc", hex_if, !(insn->flags & CAIRN_INSN_PC_UNKNOWN), insn->pc, 16);
	if (view->symbols) {
		const struct cairn_symbol *symbol =
			insn->flags & CAIRN_INSN_PC_UNKNOWN ? NULL : view_symbol(view, batch, insn);
		JSON_PUT(json, "symbol", text, symbol ? symbol->name : NULL);
	}
	if (view->opts.lines) {
		struct cairn_line line = {0};
		bool known = view_line(view, insn, &line);
		JSON_PUT(json, "file", text, known ? line.file : NULL);
		JSON_PUT(json, "line", u64_if, known, line.line);
	}
	view_json_put_encoding(json, batch, insn);
	JSON_KEY(json, "asm");
	if (view->opts.disasm)
		len = view_words(view, batch, (uint32_t)(insn - batch->insns), &text);
	jout_text_n(json, len ? text : NULL, len);
	JSON_PUT(json, "class", text, insn->cls ? cairn_class_name(insn->cls) : NULL);
	JSON_KEY(json, "flags");
	view_json_put_flags(json, insn->flags);
	put_taken(json, insn);
	JSON_KEY(json, "context");
	if (insn->ctx < batch->n_ctxs)
		put_ctx(view, json, &batch->ctxs[insn->ctx]);
	else
		jout_null(json);
	view->lines++;
}

/* The keys of a line without an instruction. */
static void put_no_insn(struct jout *json)
{
	static const char nothing[] =
		"\"n\":null,\"pc\":null,\"encoding\":null,\"size\":null,\"isa\":null,\"asm\":null,"
		"\"class\":null,\"flags\":[],\"taken\":null,\"target\":null,\"context\":null";
	jout_raw(json, nothing, sizeof nothing - 1);
}

static int view_json_put_rows(struct cairn_view *view, struct jout *json,
                              const struct cairn_batch *batch, struct view_slot slot,
                              enum cairn_isa isa)
{
	JSON_KEY(json, "regs");
	if (batch->have & CAIRN_REGS)
		view_json_put_regs(json, batch, slot, isa);
	else
		jout_null(json);
	JSON_KEY(json, "mems");
	if (batch->have & CAIRN_MEMS)
		view_json_put_mems(json, batch, slot);
	else
		jout_null(json);
	JSON_KEY(json, "events");
	view_json_put_events(view, json, batch, slot);
	jout_object_end(json);
	jout_end(json);
	return json->status;
}

int view_json_rows(struct cairn_view *view, const struct cairn_batch *batch, struct view_slot slot,
                   uint64_t record, enum cairn_isa isa)
{
	struct jout json;
	jout_init(&json, &view->buf, false);
	jout_object(&json);
	JSON_PUT(&json, "record", u64, record);
	put_no_insn(&json);
	return view_json_put_rows(view, &json, batch, slot, isa);
}

int view_json_slot(struct cairn_view *view, const struct cairn_batch *batch, uint32_t index,
                   uint64_t n)
{
	struct jout json;
	enum cairn_isa isa = batch->insns[n || index == 0 ? index : index - 1].isa;
	jout_init(&json, &view->buf, false);
	jout_object(&json);
	if (n)
		view_json_put_insn(view, &json, batch, &batch->insns[index], n);
	else
		put_no_insn(&json);
	return view_json_put_rows(view, &json, batch, view_slot_of(batch, index), isa);
}

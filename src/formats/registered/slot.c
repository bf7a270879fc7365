/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a format of the program's own gives for a slot. Nothing that comes from there is trusted:
 * what no format of the library would give is refused, so that analyses and writers need not cope
 * with it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "formats/registered/registered.h"
#include "isa/isa.h"

static const struct registered_impl *impl_of(const struct cairn_slot *slot)
{
	return slot->input->reader->impl;
}

/* May a row come? `part`: the parts that the format must have announced for it. */
static int slot_takes(struct cairn_slot *slot, uint32_t part, bool good, const char *what)
{
	struct cairn_input *input = slot->input;
	if (input->failed)
		return input->failed;
	if (part & ~input->reader->can)
		return cairn_input_fail(input, CAIRN_E_INVAL, "%s gives %s, which its `parts` do not have",
		                        input->reader->format->name, what);
	if (!good)
		return cairn_input_fail(input, CAIRN_E_INVAL, "%s gives %s of a kind that does not exist",
		                        input->reader->format->name, what);
	if (!slot->any)
		slot->first = input->at;
	slot->any = true;
	input->within = false;
	return 1;
}

int cairn_slot_insn(struct cairn_slot *slot, const struct cairn_insn *insn, const void *bytes)
{
	enum {
		TOLD = (CAIRN_INSN_INFERRED << 1) - 1,
		OUTCOME = CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN
	};
	struct cairn_batch *batch = slot->batch;
	bool is_long = insn->flags & CAIRN_INSN_ENC_BYTES;
	uint8_t isa = insn->isa ? insn->isa : slot->input->reader->isa;
	int rc = slot_takes(slot, 0,
	                    !(insn->flags & ~(uint32_t)TOLD) && (insn->flags & OUTCOME) != OUTCOME &&
	                        (!isa || cairn_isa_name((enum cairn_isa)isa)) &&
	                        !(insn->variant & ~CAIRN_ISA_VARIANTS) &&
	                        (is_long ? bytes && insn->size : insn->size <= 4),
	                    "an instruction");
	if (rc >= 0 && batch->n_insns)
		rc = cairn_input_fail(slot->input, CAIRN_E_STATE, "a slot has one instruction");
	if (rc < 0)
		return rc;
	struct cairn_insn *row = &batch->insns[batch->n_insns];
	*row = *insn;
	row->isa = isa;
	row->cls = 0;
	row->traits = 0;
	slot->op = (struct cairn_op){0};
	slot->insn = slot->input->at;
	if (is_long) {
		uint32_t at = kit_payload(&slot->rows, insn->size);
		row->enc = at == UINT32_MAX ? 0 : at;
		if (at == UINT32_MAX)
			row->flags ^= CAIRN_INSN_ENC_BYTES | CAIRN_INSN_ENC_UNKNOWN;
		else
			memcpy(batch->bytes + at, bytes, insn->size);
	} else if (!(insn->flags & CAIRN_INSN_ENC_UNKNOWN)) {
		slot->op = *isa_memo_get(impl_of(slot)->memo, (enum cairn_isa)(isa | insn->variant),
		                         insn->enc, insn->size);
		row->cls = slot->op.cls;
		row->traits = slot->op.traits;
		row->size = insn->size ? insn->size : slot->op.size;
	}
	batch->n_insns++;
	return 1;
}

int cairn_slot_context(struct cairn_slot *slot, const struct cairn_ctx *ctx)
{
	enum { TOLD = (CAIRN_CTX_CTXID << 1) - 1 };
	bool good = !(ctx->known & ~(uint32_t)TOLD) && ctx->security <= 3 &&
	            (!(ctx->known & CAIRN_CTX_PRIV) || isa_priv_name(ctx->priv));
	bool any = slot->any;
	int rc = slot_takes(slot, 0, good, "a context");
	slot->any = any; /* it is no row */
	if (rc >= 0)
		slot->ctx = *ctx;
	memset(slot->ctx.pad, 0, sizeof slot->ctx.pad);
	return rc;
}

int cairn_slot_asm(struct cairn_slot *slot, const char *text, size_t n)
{
	int rc = slot_takes(slot, CAIRN_ASM, true, "words of an instruction");
	struct cairn_batch *batch = slot->batch;
	uint32_t at =
		rc >= 0 && slot->rows.want & CAIRN_ASM && n ? kit_payload(&slot->rows, n) : UINT32_MAX;
	if (at == UINT32_MAX)
		return rc;
	memcpy(batch->bytes + at, text, n);
	batch->asms[0] = (struct cairn_asm){at, (uint32_t)n};
	return rc;
}

int cairn_slot_reg(struct cairn_slot *slot, const struct cairn_reg *reg, const void *wide)
{
	enum { TOLD = CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE | CAIRN_VALUE_ZEROES };
	bool known = reg->flags & CAIRN_VALUE_KNOWN, is_wide = known && reg->bits > 64;
	bool good = reg->cls <= CAIRN_REG_FLAGS && reg->role <= CAIRN_ROLE_READY &&
	            !(reg->flags & ~TOLD) && (!is_wide || wide);
	int rc =
		slot_takes(slot, CAIRN_REGS | (known ? (uint32_t)CAIRN_REG_VALUES : 0), good, "a register");
	struct cairn_reg *row = rc < 0 ? NULL : kit_reg(&slot->rows);
	if (!row)
		return rc;
	*row = (struct cairn_reg){.value = known && !is_wide ? reg->value : 0,
	                          .bits = reg->bits,
	                          .num = reg->num,
	                          .lsb = reg->lsb,
	                          .seq = row->seq,
	                          .cls = reg->cls,
	                          .role = reg->role,
	                          .flags = reg->flags & CAIRN_VALUE_ZEROES};
	if (is_wide)
		kit_value(&slot->rows, wide, (reg->bits + 7ull) / 8, &row->value, &row->flags);
	else
		row->flags |= known ? CAIRN_VALUE_KNOWN : 0;
	if (reg->bits && reg->bits < 64)
		row->value &= (UINT64_C(1) << reg->bits) - 1;
	return rc;
}

int cairn_slot_mem(struct cairn_slot *slot, const struct cairn_mem *mem, const void *wide)
{
	enum {
		STAY = CAIRN_VALUE_PA | CAIRN_VALUE_ADDR_UNKNOWN | CAIRN_VALUE_NOT_WRITTEN,
		TOLD = STAY | CAIRN_VALUE_KNOWN | CAIRN_VALUE_WIDE
	};
	bool known = mem->flags & CAIRN_VALUE_KNOWN && mem->size, is_wide = known && mem->size > 8;
	bool good = mem->kind <= CAIRN_MEM_FETCH && !(mem->flags & ~TOLD) && (!is_wide || wide) &&
	            (mem->initiator <= CAIRN_BY_ACCEL || mem->initiator == CAIRN_BY_OTHER);
	int rc =
		slot_takes(slot, CAIRN_MEMS | (known ? (uint32_t)CAIRN_MEM_VALUES : 0), good, "an access");
	struct cairn_mem *row = rc < 0 ? NULL : kit_mem(&slot->rows);
	uint64_t words = (mem->size + 7ull) / 8;
	if (!row)
		return rc;
	uint16_t seq = row->seq;
	*row = *mem;
	row->seq = seq;
	row->reg = mem->reg <= slot->batch->n_regs ? mem->reg : 0; /* a row that nobody wants */
	row->flags &= STAY;
	row->words = known && words <= UINT16_MAX ? (uint16_t)words : 0;
	row->value = known && !is_wide ? mem->value : 0;
	memset(row->pad, 0, sizeof row->pad);
	if (words > UINT16_MAX)
		slot->rows.dropped += known;
	else if (is_wide)
		kit_value(&slot->rows, wide, mem->size, &row->value, &row->flags);
	else
		row->flags |= known ? CAIRN_VALUE_KNOWN : 0;
	if (!is_wide && mem->size && mem->size < 8)
		row->value &= (UINT64_C(1) << 8 * mem->size) - 1;
	return rc;
}

/* The least number of arguments of an event of this kind; -1: there is no such kind, or formats may
 * not give it. */
static int slot_least_args(unsigned kind)
{
	switch (kind) {
	case CAIRN_EV_NONE:
	case CAIRN_EV_DAMAGE:
	case CAIRN_EV_CONTEXT:
		return -1;
	case CAIRN_EV_PAGE_WALK:
		return 2;
	case CAIRN_EV_MICRO_OP:
		return 1;
	case CAIRN_EV_FORMAT:
		return 0;
	default:
		return kind <= CAIRN_EV_COMMENT ||
		               (kind >= CAIRN_EV_EXCEPTION && kind <= CAIRN_EV_MODE_ISA) ||
		               (kind >= CAIRN_EV_PAGE_WALK && kind <= CAIRN_EV_SNOOP) ||
		               (kind >= CAIRN_EV_MICRO_OP && kind <= CAIRN_EV_ATOM)
		           ? 0
		           : -1;
	}
}

int cairn_slot_event(struct cairn_slot *slot, const struct cairn_event *event, const void *payload,
                     size_t n)
{
	enum { TOLD = CAIRN_EVF_TARGET | CAIRN_EVF_BYTES | CAIRN_EVF_RECORD };
	int least = slot_least_args(event->kind);
	bool text = event->flags & CAIRN_EVF_BYTES, walk = event->kind == CAIRN_EV_PAGE_WALK;
	bool good = least >= 0 && event->phase <= CAIRN_AFTER && !(event->flags & ~TOLD) &&
	            (!n || payload) &&
	            (text ? !least : n % (walk ? 16 : 8) == 0 && n / 8 >= (size_t)least);
	int rc = slot_takes(slot, CAIRN_EVENTS, good, "an event");
	if (rc < 0)
		return rc;
	if (kit_is_trap(event->kind) || event->kind == CAIRN_EV_GAP ||
	    event->kind == CAIRN_EV_FORCE_PC || event->kind == CAIRN_EV_TRACE_ON)
		*(event->phase == CAIRN_BEFORE ? &slot->broken_before : &slot->broken_after) = true;
	struct cairn_event *row = kit_event(&slot->rows, event->kind, event->phase);
	uint32_t at = row && n ? kit_payload(&slot->rows, n) : 0;
	slot->batch->n_events -= at == UINT32_MAX;
	if (!row || at == UINT32_MAX)
		return rc;
	row->code = event->code;
	row->target = event->target;
	row->flags = event->flags;
	row->args = at;
	row->len = (uint32_t)n;
	if (n)
		memcpy(slot->batch->bytes + at, payload, n);
	return rc;
}

int cairn_slot_damage(struct cairn_slot *slot, uint64_t lost, const char *fmt, ...)
{
	char why[320], text[384];
	int rc = slot_takes(slot, 0, true, "damage");
	if (rc < 0)
		return rc;
	const struct registered_place at = slot->input->at;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	snprintf(text, sizeof text, "byte 0x%llx, record %llu: %s", (unsigned long long)at.off,
	         (unsigned long long)at.record, why);
	model_damaged(slot->input->reader, slot->span, "%s", text);
	struct cairn_event *event =
		kit_text(&slot->rows, CAIRN_EV_DAMAGE, slot->batch->n_insns ? CAIRN_AFTER : CAIRN_BEFORE,
	             text, strlen(text));
	if (event) {
		event->code = at.off;
		event->target = lost;
	}
	*(slot->batch->n_insns ? &slot->broken_after : &slot->broken_before) = true;
	return rc;
}

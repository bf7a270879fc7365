/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions, the running half: one compiled program against the rows of a
 * batch.
 *
 * The program sets one accumulator, the truth of what was evaluated last; && and
 * || are jumps over what need not be looked at. Numbers live on a small stack
 * whose depth the compiler has checked. A number may be unknown, and an unknown
 * number satisfies no comparison, not even !=. It may also be too wide for 64
 * bits (a vector register): then it is larger than any number one can write.
 *
 * Rows of accesses, registers and events are visited by OP_GROUP, which runs the
 * ops after it once for each row until one holds. Groups do not nest, so the
 * time for a batch is bounded by the program's length times the batch's rows.
 */
#include <string.h>

#include "base/bytes.h"
#include "model/select_internal.h"

enum state { UNKNOWN, KNOWN, WIDE };

struct num {
	uint64_t v; /* of a wide number: its lowest 64 bits */
	enum state state;
};

/* What a program looks at: one instruction or one transaction, and within a
 * group one row of its children. */
struct row {
	const struct cairn_batch *batch;
	const struct cairn_insn *in;
	const struct cairn_xact *xact;
	const struct cairn_ctx *ctx;
	const struct cairn_mem *mem;
	const struct cairn_reg *reg;
	const struct cairn_event *ev;
	uint64_t n;
	uint64_t *untold; /* a bit for each field that was asked for and is not known */
};

static struct num num_if(bool known, uint64_t value)
{
	return (struct num){value, known ? KNOWN : UNKNOWN};
}

/* A value of a register or memory row; `bytes` is how long it is when wide. */
static struct num expr_eval_value_of(const struct cairn_batch *batch, uint8_t flags, uint64_t value,
                                     uint64_t bytes)
{
	if (!(flags & CAIRN_VALUE_WIDE) || !(flags & CAIRN_VALUE_KNOWN))
		return num_if(flags & CAIRN_VALUE_KNOWN, value);
	if (value > batch->n_bytes || bytes > batch->n_bytes - value || bytes == 0)
		return num_if(false, 0);
	const uint8_t *p = batch->bytes + value;
	struct num out = num_if(true, base_le(p, bytes < 8 ? (unsigned)bytes : 8));
	for (uint64_t i = 8; i < bytes && out.state == KNOWN; i++)
		out.state = p[i] ? WIDE : KNOWN;
	return out;
}

static struct num insn_field(const struct row *row, const struct expr_ins *op)
{
	const struct cairn_insn *in = row->in;
	if (!in)
		return num_if(false, 0);
	uint32_t f = in->flags;
	switch (op->field) {
	case F_PC:
		return num_if(row->batch->have & CAIRN_PC && !(f & CAIRN_INSN_PC_UNKNOWN), in->pc);
	case F_ENC:
		return num_if(!(f & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) &&
		                  row->batch->have & CAIRN_ENC,
		              in->enc);
	case F_ISA:
		return num_if(in->isa != CAIRN_ISA_UNKNOWN, in->isa);
	case F_CLASS:
		return num_if(row->batch->have & CAIRN_CLASS, in->cls);
	case F_TARGET:
		return num_if(f & CAIRN_INSN_TARGET, in->target);
	case F_TAKEN:
		return num_if(f & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN), (f & CAIRN_INSN_TAKEN) != 0);
	case F_EXECUTED:
		return num_if(true, !(f & CAIRN_INSN_NOT_EXECUTED));
	case F_ANNULLED:
		return num_if(true, (f & CAIRN_INSN_ANNULLED) != 0);
	case F_ABORTED:
		return num_if(true, (f & CAIRN_INSN_ABORTED) != 0);
	case F_DISCARDED:
		return num_if(true, (f & CAIRN_INSN_DISCARDED) != 0);
	case F_DISCONTINUITY:
		return num_if(true, (f & CAIRN_INSN_DISCONTINUITY) != 0);
	case F_TRAIT: /* without the class it is not known what an instruction is not */
		return num_if(in->traits >> op->arg & 1 ||
		                  (row->batch->have & CAIRN_CLASS && in->cls != CAIRN_CLASS_UNKNOWN),
		              in->traits >> op->arg & 1);
	default:
		return num_if(false, 0);
	}
}

static struct num ctx_field(const struct row *row, uint16_t id)
{
	const struct cairn_ctx *ctx = row->ctx;
	if (!ctx)
		return num_if(false, 0);
	switch (id) {
	case F_PRIV:
		return num_if(ctx->known & CAIRN_CTX_PRIV, ctx->priv);
	case F_SECURITY:
		return num_if(ctx->known & CAIRN_CTX_SECURITY, ctx->security);
	case F_HART:
		return num_if(ctx->known & CAIRN_CTX_HART, ctx->hart);
	case F_HW_TID:
		return num_if(ctx->known & CAIRN_CTX_HW_TID, ctx->hw_tid);
	case F_PID:
		return num_if(ctx->known & CAIRN_CTX_PID, ctx->pid);
	case F_TID:
		return num_if(ctx->known & CAIRN_CTX_TID, ctx->tid);
	case F_ASID:
		return num_if(ctx->known & CAIRN_CTX_ASID, ctx->asid);
	case F_VMID:
		return num_if(ctx->known & CAIRN_CTX_VMID, ctx->vmid);
	default:
		return num_if(ctx->known & CAIRN_CTX_CTXID, ctx->ctxid);
	}
}

static struct num xact_field(const struct row *row, uint16_t id)
{
	const struct cairn_xact *xact = row->xact;
	if (!xact)
		return num_if(false, 0);
	bool op = xact->known & CAIRN_XACT_OP;
	switch (id) {
	case F_ID:
		return num_if(true, xact->id);
	case F_DELTA:
		return num_if(true, xact->delta);
	case F_CHANNEL:
		return num_if(true, xact->channel);
	case F_CLOCK:
		return num_if(true, xact->clock);
	case F_CODE:
		return num_if(op, xact->code);
	case F_PARAM:
		return num_if(op, xact->param);
	case F_SIZE:
		return num_if(op, xact->size);
	case F_SOURCE:
		return num_if(op, xact->source);
	case F_SINK:
		return num_if(xact->known & CAIRN_XACT_SINK, xact->sink);
	default:
		return num_if(xact->known & CAIRN_XACT_ADDRESS, xact->address);
	}
}

static struct num mem_field(const struct row *row, uint16_t id)
{
	const struct cairn_mem *mem = row->mem;
	switch (id) {
	case F_ADDR:
		return num_if(!(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN), mem->addr);
	case F_PA:
		return num_if(mem->flags & CAIRN_VALUE_PA, mem->pa);
	case F_MSIZE:
		return num_if(true, mem->size);
	case F_MVALUE:
		return expr_eval_value_of(row->batch, mem->flags, mem->value,
		                          mem->words ? 8u * mem->words : mem->size);
	case F_READ:
		return num_if(true, mem->kind == CAIRN_MEM_READ);
	case F_WRITE:
		return num_if(true, mem->kind == CAIRN_MEM_WRITE);
	case F_MKIND:
		return num_if(true, mem->kind);
	case F_BY:
		return num_if(true, mem->initiator);
	case F_UNIT:
		return num_if(true, mem->unit);
	case F_LANE:
		return num_if(true, mem->lane);
	default:
		return num_if(true, mem->attr);
	}
}

static struct num reg_field(const struct row *row, uint16_t id)
{
	const struct cairn_reg *reg = row->reg;
	switch (id) {
	case F_RNUM:
		return num_if(true, reg->num);
	case F_RCLASS:
		return num_if(true, reg->cls);
	case F_ROLE:
		return num_if(true, reg->role);
	case F_RVALUE:
		return expr_eval_value_of(row->batch, reg->flags, reg->value,
		                          ((uint64_t)reg->bits + 7) / 8);
	case F_BITS:
		return num_if(reg->bits != 0, reg->bits);
	default:
		return num_if(true, reg->lsb);
	}
}

/* The payload of an event, NULL when it lies outside the batch. */
static const uint8_t *expr_eval_payload(const struct row *row)
{
	const struct cairn_event *event = row->ev;
	bool inside =
		event->args <= row->batch->n_bytes && event->len <= row->batch->n_bytes - event->args;
	return inside && event->len ? row->batch->bytes + event->args : NULL;
}

static struct num event_field(const struct row *row, const struct expr_ins *op)
{
	const struct cairn_event *event = row->ev;
	uint64_t v = 0;
	const uint8_t *p;
	uint32_t n_args = event->flags & CAIRN_EVF_BYTES ? 0 : event->len / 8;
	switch (op->field) {
	case F_EKIND:
		return num_if(true, event->kind);
	case F_EIS:
		return num_if(true, event->kind == op->arg);
	case F_ECODE:
		return num_if(true, event->code);
	case F_ETARGET:
		return num_if(event->flags & CAIRN_EVF_TARGET, event->target);
	case F_PHASE:
		return num_if(true, event->phase);
	case F_NARGS:
		return num_if(true, n_args);
	default: /* F_EARG */
		p = op->arg < n_args ? expr_eval_payload(row) : NULL;
		if (p)
			memcpy(&v, p + (size_t)op->arg * 8, 8); /* host order: see struct cairn_event */
		return num_if(p, v);
	}
}

static struct num told_field(const struct row *row, const struct expr_ins *op)
{
	uint16_t id = op->field;
	bool places = row->batch->have & CAIRN_PLACES;
	if (id == F_N)
		return num_if(true, row->n);
	if (id == F_RECORD)
		return num_if(places, row->batch->rec0 + (row->in ? row->in->rec : row->xact->rec));
	if (id == F_OFFSET)
		return num_if(places, row->batch->off0 + (row->in ? row->in->off : row->xact->off));
	if (id == F_SIZE && row->in)
		return num_if(row->in->size != 0, row->in->size);
	if (id == F_SIZE || (id >= F_ID && id <= F_CLOCK))
		return xact_field(row, id);
	if (id <= F_TRAIT)
		return insn_field(row, op);
	if (id <= F_CTXID)
		return ctx_field(row, id);
	if (id <= F_ATTR)
		return mem_field(row, id);
	return id <= F_RNAME ? reg_field(row, id) : event_field(row, op);
}

/* If this is not known, does the trace leave something out, or is there nothing to know? A jump
 * that was not taken has no target. */
static bool is_missing(const struct row *row, uint16_t id)
{
	if (id >= F_PRIV && id <= F_CTXID)
		return true;
	switch (id) {
	case F_TARGET:
		return row->in && row->in->traits & CAIRN_TRAIT_BRANCH &&
		       !(row->in->flags & CAIRN_INSN_NOT_TAKEN);
	case F_TAKEN:
		return row->in && row->in->traits & CAIRN_TRAIT_BRANCH;
	case F_PC:
	case F_ENC:
	case F_ISA:
	case F_CLASS:
	case F_TRAIT:
	case F_RECORD:
	case F_OFFSET:
	case F_ADDR:
	case F_PA:
	case F_MVALUE:
	case F_RVALUE:
		return true;
	default:
		return false;
	}
}

static __attribute__((noinline, cold)) void note_untold(const struct row *row, uint16_t id)
{
	if (is_missing(row, id))
		*row->untold |= UINT64_C(1) << id;
}

static struct num expr_eval_field(const struct row *row, const struct expr_ins *op)
{
	struct num out = told_field(row, op);
	if (__builtin_expect(out.state == UNKNOWN, 0))
		note_untold(row, op->field);
	return out;
}

/* ---- operators ---- */

static bool expr_eval_compare(uint8_t cmp, struct num left, struct num right)
{
	if (left.state != KNOWN || right.state != KNOWN) {
		if (left.state == UNKNOWN || right.state == UNKNOWN || left.state == right.state)
			return false;
		/* One is wider than 64 bits and so larger than the other. */
		left = (struct num){left.state == WIDE, KNOWN};
		right = (struct num){!left.v, KNOWN};
	}
	switch (cmp) {
	case CMP_EQ:
		return left.v == right.v;
	case CMP_NE:
		return left.v != right.v;
	case CMP_LT:
		return left.v < right.v;
	case CMP_LE:
		return left.v <= right.v;
	case CMP_GT:
		return left.v > right.v;
	default:
		return left.v >= right.v;
	}
}

static struct num expr_eval_arithmetic(uint8_t op, struct num left, struct num right)
{
	if (left.state == UNKNOWN || right.state == UNKNOWN)
		return num_if(false, 0);
	if (op == OP_AND) /* a mask of 64 bits makes a wide number narrow */
		return (struct num){left.v & right.v,
		                    left.state == WIDE && right.state == WIDE ? UNKNOWN : KNOWN};
	return num_if(left.state == KNOWN && right.state == KNOWN,
	              op == OP_ADD ? left.v + right.v : left.v - right.v);
}

static bool truth(struct num num)
{
	return num.state == WIDE || (num.state == KNOWN && num.v != 0);
}

static bool in_ranges(const struct expr *expr, const struct expr_ins *op, struct num num)
{
	const struct select_range *range = (const struct select_range *)(const void *)expr->ranges.data;
	for (uint32_t i = 0; i < op->imm && num.state == KNOWN; i++)
		if (num.v >= range[op->arg + i].first && num.v <= range[op->arg + i].last)
			return true;
	return false;
}

/* The text of a field, NULL when unknown. */
static const char *text_of(const struct expr *expr, const struct row *row, uint16_t id, size_t *n)
{
	if (id == F_ETEXT) {
		const uint8_t *p = row->ev->flags & CAIRN_EVF_BYTES ? expr_eval_payload(row) : NULL;
		*n = row->ev->len;
		return (const char *)p;
	}
	struct expr_ins pc = {.field = F_PC};
	struct num at = insn_field(row, &pc);
	const struct cairn_ctx *ctx =
		row->in && row->in->ctx < row->batch->n_ctxs ? &row->batch->ctxs[row->in->ctx] : NULL;
	const struct cairn_symbol *sym =
		at.state == KNOWN && expr->image ? cairn_image_symbol_in(expr->image, ctx, at.v) : NULL;
	*n = sym ? strlen(sym->name) : 0;
	return sym ? sym->name : NULL;
}

static bool text_op(const struct expr *expr, const struct row *row, const struct expr_ins *op)
{
	size_t n;
	const char *s = text_of(expr, row, op->field, &n);
	if (!s)
		return false;
	if (op->op == OP_TEXT_FIND)
		return expr_match_find(expr->matches[op->arg], s, n);
	const struct expr_str *want = (const struct expr_str *)(const void *)expr->strs.data + op->arg;
	bool same = n == want->len && memcmp(s, expr->text + want->off, n) == 0;
	return same == (op->cmp == CMP_EQ);
}

/* Is a register row one of the named ones, as the row's instruction set names them? */
static bool one_of(const struct expr *expr, const struct expr_ins *op, uint8_t isa,
                   const struct cairn_reg *reg)
{
	const struct expr_reg *expr_reg =
		(const struct expr_reg *)(const void *)expr->regs.data + op->arg;
	for (uint32_t i = 0; i < op->imm && isa <= CAIRN_ISA_LAST; i++)
		if (expr_reg[i].known >> isa & 1 && expr_reg[i].cls[isa] == reg->cls &&
		    expr_reg[i].num[isa] == reg->num)
			return true;
	return false;
}

static bool name_op(const struct expr *expr, const struct row *row, const struct expr_ins *op)
{
	char buf[32];
	if (op->op == OP_NAME_IN)
		return one_of(expr, op, row->in->isa, row->reg) == (op->cmp == CMP_EQ);
	enum cairn_isa isa = (enum cairn_isa)row->in->isa;
	enum cairn_reg_class cls = (enum cairn_reg_class)row->reg->cls;
	const char *s = cairn_reg_abi_name(isa, cls, row->reg->num, buf);
	if (expr_match_find(expr->matches[op->arg], s, strlen(s)))
		return true;
	s = cairn_reg_name(isa, cls, row->reg->num, buf);
	return expr_match_find(expr->matches[op->arg], s, strlen(s));
}

static bool any_reg(const struct expr *expr, const struct row *row, const struct expr_ins *op)
{
	if (!row->in || !(row->batch->have & CAIRN_REGS))
		return false;
	for (uint32_t i = row->in[0].reg0; i < row->in[1].reg0; i++)
		if (row->batch->regs[i].role == op->field &&
		    one_of(expr, op, row->in->isa, &row->batch->regs[i]))
			return true;
	return false;
}

static bool any_event(const struct row *row)
{
	if (!row->in || !(row->batch->have & CAIRN_EVENTS))
		return false;
	for (uint32_t i = row->in[0].ev0; i < row->in[1].ev0; i++) {
		switch (row->batch->events[i].kind) {
		case CAIRN_EV_EXCEPTION:
		case CAIRN_EV_INTERRUPT:
		case CAIRN_EV_SYSCALL:
		case CAIRN_EV_MODE:
			return true;
		default:
			break;
		}
	}
	return false;
}

/* ---- programs ---- */

static bool expr_eval_run(const struct expr *expr, uint32_t at, uint32_t end,
                          const struct row *row);

/* Does the body at [at, end) hold for some row of the scope? */
static bool group(const struct expr *expr, uint8_t scope, uint32_t at, uint32_t end,
                  const struct row *outer)
{
	struct row row = *outer;
	const struct cairn_batch *batch = row.batch;
	uint32_t i, last;
	if (!row.in)
		return false;
	switch (scope) {
	case EXPR_MEM:
		last = batch->have & CAIRN_MEMS ? row.in[1].mem0 : 0;
		for (i = row.in->mem0; i < last; i++) {
			row.mem = &batch->mems[i];
			if (expr_eval_run(expr, at, end, &row))
				return true;
		}
		return false;
	case EXPR_REG:
		last = batch->have & CAIRN_REGS ? row.in[1].reg0 : 0;
		for (i = row.in->reg0; i < last; i++) {
			row.reg = &batch->regs[i];
			if (expr_eval_run(expr, at, end, &row))
				return true;
		}
		return false;
	default:
		last = batch->have & CAIRN_EVENTS ? row.in[1].ev0 : 0;
		for (i = row.in->ev0; i < last; i++) {
			row.ev = &batch->events[i];
			if (expr_eval_run(expr, at, end, &row))
				return true;
		}
		return false;
	}
}

/* Conditions that take nothing from the stack. */
static bool condition(const struct expr *expr, const struct row *row, const struct expr_ins *op)
{
	switch (op->op) {
	case OP_CMP_FC:
		return expr_eval_compare(op->cmp, expr_eval_field(row, op), num_if(true, op->imm));
	case OP_TRUTH_F:
		return truth(expr_eval_field(row, op));
	case OP_TEXT_EQ:
	case OP_TEXT_FIND:
		return text_op(expr, row, op);
	case OP_NAME_IN:
	case OP_NAME_FIND:
		return name_op(expr, row, op);
	case OP_ANY_REG:
		return any_reg(expr, row, op);
	default:
		return any_event(row);
	}
}

/* Conditions on the number on top of the stack. */
static bool expr_eval_judge(const struct expr *expr, const struct expr_ins *op, struct num num)
{
	switch (op->op) {
	case OP_TRUTH:
		return truth(num);
	case OP_KNOWN:
		return num.state != UNKNOWN;
	case OP_SET:
		return num.state == KNOWN && num.v < 64 && op->imm >> num.v & 1;
	default:
		return in_ranges(expr, op, num);
	}
}

static bool expr_eval_run(const struct expr *expr, uint32_t at, uint32_t end, const struct row *row)
{
	const struct expr_ins *code = expr_code(expr);
	struct num st[EXPR_MAX_STACK];
	unsigned sp = 0;
	bool acc = false;
	while (at < end) {
		const struct expr_ins *op = &code[at++];
		switch (op->op) {
		case OP_CONST:
			st[sp++] = num_if(true, op->imm);
			break;
		case OP_FIELD: /* known(…) asks what is known, and reports nothing itself */
			st[sp++] = at < end && code[at].op == OP_KNOWN ? told_field(row, op)
			                                               : expr_eval_field(row, op);
			break;
		case OP_ADD:
		case OP_SUB:
		case OP_AND:
			sp--;
			st[sp - 1] = expr_eval_arithmetic(op->op, st[sp - 1], st[sp]);
			break;
		case OP_CMP:
			sp -= 2;
			acc = expr_eval_compare(op->cmp, st[sp], st[sp + 1]);
			break;
		case OP_TRUTH:
		case OP_KNOWN:
		case OP_SET:
		case OP_IN:
			acc = expr_eval_judge(expr, op, st[--sp]);
			break;
		case OP_NOT:
			acc = !acc;
			break;
		case OP_JF:
			at += acc ? 0 : op->arg;
			break;
		case OP_JT:
			at += acc ? op->arg : 0;
			break;
		case OP_GROUP:
			acc = group(expr, op->cmp, at, at + op->arg, row);
			at += op->arg;
			break;
		default:
			acc = condition(expr, row, op);
			break;
		}
	}
	return acc;
}

static bool negates(const struct expr *expr)
{
	for (uint32_t i = 0; i < expr->n_code; i++)
		if (expr_code(expr)[i].op == OP_NOT)
			return true;
	return false;
}

/* Note what the rows have at all, if registers or accesses are asked for. */
static void expr_eval_see(const struct row *row, struct select_untold *out)
{
	if (!row->in)
		return;
	out->with_regs += row->batch->have & CAIRN_REGS && row->in[1].reg0 != row->in[0].reg0;
	out->with_mems += row->batch->have & CAIRN_MEMS && row->in[1].mem0 != row->in[0].mem0;
	out->accessing += (row->in->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) != 0;
}

void expr_filter(const struct expr *expr, const struct cairn_batch *batch, uint8_t *keep,
                 struct select_untold *out)
{
	uint64_t untold;
	bool always = negates(expr), rows = expr->parts & (CAIRN_REGS | CAIRN_MEMS);
	bool insns = batch->n_insns != 0;
	uint32_t n = insns ? batch->n_insns : batch->n_xacts;
	bool contexts = batch->have & CAIRN_CONTEXT;
	struct row row = {.batch = batch, .untold = &untold};
	for (uint32_t i = 0; i < n; i++) {
		if (!keep[i])
			continue;
		untold = 0;
		out->judged++;
		row.n = (insns ? batch->n0 : batch->x0) + i;
		if (insns) {
			row.in = &batch->insns[i];
			row.ctx = contexts && row.in->ctx < batch->n_ctxs ? &batch->ctxs[row.in->ctx] : NULL;
		} else {
			row.xact = &batch->xacts[i];
		}
		keep[i] = expr_eval_run(expr, 0, expr->n_code, &row);
		if (rows)
			expr_eval_see(&row, out);
		if (__builtin_expect(untold && (always || !keep[i]), 0))
			select_note_untold(out, untold);
	}
}

/* ---- bounds ---- */

static void tighten(const struct expr_ins *op, uint64_t *first, uint64_t *last)
{
	uint64_t lo = 1, hi = UINT64_MAX, v = op->imm;
	if (op->cmp == CMP_EQ || op->cmp == CMP_GE)
		lo = v;
	if (op->cmp == CMP_EQ || op->cmp == CMP_LE)
		hi = v;
	if (op->cmp == CMP_GT)
		lo = v == UINT64_MAX ? v : v + 1;
	if (op->cmp == CMP_LT)
		hi = v ? v - 1 : 0;
	*first = lo > *first ? lo : *first;
	*last = hi < *last ? hi : *last;
}

/* A term of the outermost && is a run of ops between jumps to the program's end.
 * Where such a term is one comparison of n with a constant it bounds the whole.
 * After a jump to the end on true, what follows need not hold. */
void expr_bounds(const struct expr *expr, uint64_t *first, uint64_t *last)
{
	const struct expr_ins *code = expr_code(expr);
	uint32_t n = expr->n_code, begin = 0;
	for (uint32_t i = 0; i <= n; i++) {
		bool to_end = i < n && i + 1 + code[i].arg == n;
		if (to_end && code[i].op == OP_JT)
			return;
		if (i < n && !(to_end && code[i].op == OP_JF))
			continue;
		const struct expr_ins *op = &code[begin];
		if (i == begin + 1 && op->op == OP_CMP_FC && op->field == F_N)
			tighten(op, first, last);
		begin = i + 1;
	}
}

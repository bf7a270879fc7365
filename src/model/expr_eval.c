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
	const struct cairn_batch *b;
	const struct cairn_insn *in;
	const struct cairn_xact *x;
	const struct cairn_ctx *ctx;
	const struct cairn_mem *m;
	const struct cairn_reg *r;
	const struct cairn_event *ev;
	uint64_t n;
	uint64_t *untold; /* bit for each field that was asked for and is not told */
};

static struct num num_if(bool known, uint64_t v)
{
	return (struct num){v, known ? KNOWN : UNKNOWN};
}

/* A value of a register or memory row; `bytes` is how long it is when wide. */
static struct num expr_eval_value_of(const struct cairn_batch *b, uint8_t flags, uint64_t v,
                                     uint64_t bytes)
{
	if (!(flags & CAIRN_VALUE_WIDE) || !(flags & CAIRN_VALUE_KNOWN))
		return num_if(flags & CAIRN_VALUE_KNOWN, v);
	if (v > b->n_bytes || bytes > b->n_bytes - v || bytes == 0)
		return num_if(false, 0);
	const uint8_t *p = b->bytes + v;
	struct num out = num_if(true, base_le(p, bytes < 8 ? (unsigned)bytes : 8));
	for (uint64_t i = 8; i < bytes && out.state == KNOWN; i++)
		out.state = p[i] ? WIDE : KNOWN;
	return out;
}

static struct num insn_field(const struct row *r, const struct expr_ins *op)
{
	const struct cairn_insn *in = r->in;
	if (!in)
		return num_if(false, 0);
	uint32_t f = in->flags;
	switch (op->field) {
	case F_PC:
		return num_if(r->b->have & CAIRN_PC && !(f & CAIRN_INSN_PC_UNKNOWN), in->pc);
	case F_ENC:
		return num_if(!(f & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) &&
		                  r->b->have & CAIRN_ENC,
		              in->enc);
	case F_ISA:
		return num_if(in->isa != CAIRN_ISA_UNKNOWN, in->isa);
	case F_CLASS:
		return num_if(r->b->have & CAIRN_CLASS, in->cls);
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
	case F_TRAIT: /* without the class nothing is said about what an instruction is not */
		return num_if(in->traits >> op->arg & 1 ||
		                  (r->b->have & CAIRN_CLASS && in->cls != CAIRN_CLASS_UNKNOWN),
		              in->traits >> op->arg & 1);
	default:
		return num_if(false, 0);
	}
}

static struct num ctx_field(const struct row *r, uint16_t id)
{
	const struct cairn_ctx *c = r->ctx;
	if (!c)
		return num_if(false, 0);
	switch (id) {
	case F_PRIV:
		return num_if(c->known & CAIRN_CTX_PRIV, c->priv);
	case F_SECURITY:
		return num_if(c->known & CAIRN_CTX_SECURITY, c->security);
	case F_HART:
		return num_if(c->known & CAIRN_CTX_HART, c->hart);
	case F_HW_TID:
		return num_if(c->known & CAIRN_CTX_HW_TID, c->hw_tid);
	case F_PID:
		return num_if(c->known & CAIRN_CTX_PID, c->pid);
	case F_TID:
		return num_if(c->known & CAIRN_CTX_TID, c->tid);
	case F_ASID:
		return num_if(c->known & CAIRN_CTX_ASID, c->asid);
	case F_VMID:
		return num_if(c->known & CAIRN_CTX_VMID, c->vmid);
	default:
		return num_if(c->known & CAIRN_CTX_CTXID, c->ctxid);
	}
}

static struct num xact_field(const struct row *r, uint16_t id)
{
	const struct cairn_xact *x = r->x;
	if (!x)
		return num_if(false, 0);
	bool op = x->known & CAIRN_XACT_OP;
	switch (id) {
	case F_ID:
		return num_if(true, x->id);
	case F_DELTA:
		return num_if(true, x->delta);
	case F_CHANNEL:
		return num_if(true, x->channel);
	case F_CLOCK:
		return num_if(true, x->clock);
	case F_CODE:
		return num_if(op, x->code);
	case F_PARAM:
		return num_if(op, x->param);
	case F_SIZE:
		return num_if(op, x->size);
	case F_SOURCE:
		return num_if(op, x->source);
	case F_SINK:
		return num_if(x->known & CAIRN_XACT_SINK, x->sink);
	default:
		return num_if(x->known & CAIRN_XACT_ADDRESS, x->address);
	}
}

static struct num mem_field(const struct row *r, uint16_t id)
{
	const struct cairn_mem *m = r->m;
	switch (id) {
	case F_ADDR:
		return num_if(!(m->flags & CAIRN_VALUE_ADDR_UNKNOWN), m->addr);
	case F_PA:
		return num_if(m->flags & CAIRN_VALUE_PA, m->pa);
	case F_MSIZE:
		return num_if(true, m->size);
	case F_MVALUE:
		return expr_eval_value_of(r->b, m->flags, m->value, m->words ? 8u * m->words : m->size);
	case F_READ:
		return num_if(true, m->kind == CAIRN_MEM_READ);
	case F_WRITE:
		return num_if(true, m->kind == CAIRN_MEM_WRITE);
	case F_MKIND:
		return num_if(true, m->kind);
	case F_BY:
		return num_if(true, m->initiator);
	case F_UNIT:
		return num_if(true, m->unit);
	case F_LANE:
		return num_if(true, m->lane);
	default:
		return num_if(true, m->attr);
	}
}

static struct num reg_field(const struct row *r, uint16_t id)
{
	const struct cairn_reg *g = r->r;
	switch (id) {
	case F_RNUM:
		return num_if(true, g->num);
	case F_RCLASS:
		return num_if(true, g->cls);
	case F_ROLE:
		return num_if(true, g->role);
	case F_RVALUE:
		return expr_eval_value_of(r->b, g->flags, g->value, ((uint64_t)g->bits + 7) / 8);
	case F_BITS:
		return num_if(g->bits != 0, g->bits);
	default:
		return num_if(true, g->lsb);
	}
}

/* The payload of an event, NULL when it lies outside the batch. */
static const uint8_t *expr_eval_payload(const struct row *r)
{
	const struct cairn_event *e = r->ev;
	bool inside = e->args <= r->b->n_bytes && e->len <= r->b->n_bytes - e->args;
	return inside && e->len ? r->b->bytes + e->args : NULL;
}

static struct num event_field(const struct row *r, const struct expr_ins *op)
{
	const struct cairn_event *e = r->ev;
	uint64_t v = 0;
	const uint8_t *p;
	uint32_t n_args = e->flags & CAIRN_EVF_BYTES ? 0 : e->len / 8;
	switch (op->field) {
	case F_EKIND:
		return num_if(true, e->kind);
	case F_EIS:
		return num_if(true, e->kind == op->arg);
	case F_ECODE:
		return num_if(true, e->code);
	case F_ETARGET:
		return num_if(e->flags & CAIRN_EVF_TARGET, e->target);
	case F_PHASE:
		return num_if(true, e->phase);
	case F_NARGS:
		return num_if(true, n_args);
	default: /* F_EARG */
		p = op->arg < n_args ? expr_eval_payload(r) : NULL;
		if (p)
			memcpy(&v, p + (size_t)op->arg * 8, 8); /* host order: see struct cairn_event */
		return num_if(p, v);
	}
}

static struct num told_field(const struct row *r, const struct expr_ins *op)
{
	uint16_t id = op->field;
	bool places = r->b->have & CAIRN_PLACES;
	if (id == F_N)
		return num_if(true, r->n);
	if (id == F_RECORD)
		return num_if(places, r->b->rec0 + (r->in ? r->in->rec : r->x->rec));
	if (id == F_OFFSET)
		return num_if(places, r->b->off0 + (r->in ? r->in->off : r->x->off));
	if (id == F_SIZE && r->in)
		return num_if(r->in->size != 0, r->in->size);
	if (id == F_SIZE || (id >= F_ID && id <= F_CLOCK))
		return xact_field(r, id);
	if (id <= F_TRAIT)
		return insn_field(r, op);
	if (id <= F_CTXID)
		return ctx_field(r, id);
	if (id <= F_ATTR)
		return mem_field(r, id);
	return id <= F_RNAME ? reg_field(r, id) : event_field(r, op);
}

/* Does a trace that does not tell this leave something out, or is there nothing to tell? A
 * jump that was not taken has no target. */
static bool is_missing(const struct row *r, uint16_t id)
{
	if (id >= F_PRIV && id <= F_CTXID)
		return true;
	switch (id) {
	case F_TARGET:
		return r->in && r->in->traits & CAIRN_TRAIT_BRANCH &&
		       !(r->in->flags & CAIRN_INSN_NOT_TAKEN);
	case F_TAKEN:
		return r->in && r->in->traits & CAIRN_TRAIT_BRANCH;
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

static __attribute__((noinline, cold)) void note_untold(const struct row *r, uint16_t id)
{
	if (is_missing(r, id))
		*r->untold |= UINT64_C(1) << id;
}

static struct num expr_eval_field(const struct row *r, const struct expr_ins *op)
{
	struct num out = told_field(r, op);
	if (__builtin_expect(out.state == UNKNOWN, 0))
		note_untold(r, op->field);
	return out;
}

/* ---- operators ---- */

static bool expr_eval_compare(uint8_t cmp, struct num a, struct num b)
{
	if (a.state != KNOWN || b.state != KNOWN) {
		if (a.state == UNKNOWN || b.state == UNKNOWN || a.state == b.state)
			return false;
		/* One is wider than 64 bits and so larger than the other. */
		a = (struct num){a.state == WIDE, KNOWN};
		b = (struct num){!a.v, KNOWN};
	}
	switch (cmp) {
	case CMP_EQ:
		return a.v == b.v;
	case CMP_NE:
		return a.v != b.v;
	case CMP_LT:
		return a.v < b.v;
	case CMP_LE:
		return a.v <= b.v;
	case CMP_GT:
		return a.v > b.v;
	default:
		return a.v >= b.v;
	}
}

static struct num expr_eval_arithmetic(uint8_t op, struct num a, struct num b)
{
	if (a.state == UNKNOWN || b.state == UNKNOWN)
		return num_if(false, 0);
	if (op == OP_AND) /* a mask of 64 bits makes a wide number narrow */
		return (struct num){a.v & b.v, a.state == WIDE && b.state == WIDE ? UNKNOWN : KNOWN};
	return num_if(a.state == KNOWN && b.state == KNOWN, op == OP_ADD ? a.v + b.v : a.v - b.v);
}

static bool truth(struct num a)
{
	return a.state == WIDE || (a.state == KNOWN && a.v != 0);
}

static bool in_ranges(const struct expr *e, const struct expr_ins *op, struct num a)
{
	const struct select_range *r = (const struct select_range *)(const void *)e->ranges.data;
	for (uint32_t i = 0; i < op->imm && a.state == KNOWN; i++)
		if (a.v >= r[op->arg + i].first && a.v <= r[op->arg + i].last)
			return true;
	return false;
}

/* The text of a field, NULL when unknown. */
static const char *text_of(const struct expr *e, const struct row *r, uint16_t id, size_t *n)
{
	if (id == F_ETEXT) {
		const uint8_t *p = r->ev->flags & CAIRN_EVF_BYTES ? expr_eval_payload(r) : NULL;
		*n = r->ev->len;
		return (const char *)p;
	}
	struct expr_ins pc = {.field = F_PC};
	struct num at = insn_field(r, &pc);
	const struct cairn_ctx *ctx =
		r->in && r->in->ctx < r->b->n_ctxs ? &r->b->ctxs[r->in->ctx] : NULL;
	const struct cairn_symbol *sym =
		at.state == KNOWN && e->image ? cairn_image_symbol_in(e->image, ctx, at.v) : NULL;
	*n = sym ? strlen(sym->name) : 0;
	return sym ? sym->name : NULL;
}

static bool text_op(const struct expr *e, const struct row *r, const struct expr_ins *op)
{
	size_t n;
	const char *s = text_of(e, r, op->field, &n);
	if (!s)
		return false;
	if (op->op == OP_TEXT_FIND)
		return expr_match_find(e->matches[op->arg], s, n);
	const struct expr_str *want = (const struct expr_str *)(const void *)e->strs.data + op->arg;
	bool same = n == want->len && memcmp(s, e->text + want->off, n) == 0;
	return same == (op->cmp == CMP_EQ);
}

/* Is a register row one of the named ones, as the row's instruction set names them? */
static bool one_of(const struct expr *e, const struct expr_ins *op, uint8_t isa,
                   const struct cairn_reg *g)
{
	const struct expr_reg *r = (const struct expr_reg *)(const void *)e->regs.data + op->arg;
	for (uint32_t i = 0; i < op->imm && isa <= CAIRN_ISA_LAST; i++)
		if (r[i].known >> isa & 1 && r[i].cls[isa] == g->cls && r[i].num[isa] == g->num)
			return true;
	return false;
}

static bool name_op(const struct expr *e, const struct row *r, const struct expr_ins *op)
{
	char buf[32];
	if (op->op == OP_NAME_IN)
		return one_of(e, op, r->in->isa, r->r) == (op->cmp == CMP_EQ);
	enum cairn_isa isa = (enum cairn_isa)r->in->isa;
	enum cairn_reg_class cls = (enum cairn_reg_class)r->r->cls;
	const char *s = cairn_reg_abi_name(isa, cls, r->r->num, buf);
	if (expr_match_find(e->matches[op->arg], s, strlen(s)))
		return true;
	s = cairn_reg_name(isa, cls, r->r->num, buf);
	return expr_match_find(e->matches[op->arg], s, strlen(s));
}

static bool any_reg(const struct expr *e, const struct row *r, const struct expr_ins *op)
{
	if (!r->in || !(r->b->have & CAIRN_REGS))
		return false;
	for (uint32_t i = r->in[0].reg0; i < r->in[1].reg0; i++)
		if (r->b->regs[i].role == op->field && one_of(e, op, r->in->isa, &r->b->regs[i]))
			return true;
	return false;
}

static bool any_event(const struct row *r)
{
	if (!r->in || !(r->b->have & CAIRN_EVENTS))
		return false;
	for (uint32_t i = r->in[0].ev0; i < r->in[1].ev0; i++) {
		switch (r->b->events[i].kind) {
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

static bool expr_eval_run(const struct expr *e, uint32_t at, uint32_t end, const struct row *r);

/* Does the body at [at, end) hold for some row of the scope? */
static bool group(const struct expr *e, uint8_t scope, uint32_t at, uint32_t end,
                  const struct row *outer)
{
	struct row r = *outer;
	const struct cairn_batch *b = r.b;
	uint32_t i, last;
	if (!r.in)
		return false;
	switch (scope) {
	case EXPR_MEM:
		last = b->have & CAIRN_MEMS ? r.in[1].mem0 : 0;
		for (i = r.in->mem0; i < last; i++) {
			r.m = &b->mems[i];
			if (expr_eval_run(e, at, end, &r))
				return true;
		}
		return false;
	case EXPR_REG:
		last = b->have & CAIRN_REGS ? r.in[1].reg0 : 0;
		for (i = r.in->reg0; i < last; i++) {
			r.r = &b->regs[i];
			if (expr_eval_run(e, at, end, &r))
				return true;
		}
		return false;
	default:
		last = b->have & CAIRN_EVENTS ? r.in[1].ev0 : 0;
		for (i = r.in->ev0; i < last; i++) {
			r.ev = &b->events[i];
			if (expr_eval_run(e, at, end, &r))
				return true;
		}
		return false;
	}
}

/* Conditions that take nothing from the stack. */
static bool condition(const struct expr *e, const struct row *r, const struct expr_ins *op)
{
	switch (op->op) {
	case OP_CMP_FC:
		return expr_eval_compare(op->cmp, expr_eval_field(r, op), num_if(true, op->imm));
	case OP_TRUTH_F:
		return truth(expr_eval_field(r, op));
	case OP_TEXT_EQ:
	case OP_TEXT_FIND:
		return text_op(e, r, op);
	case OP_NAME_IN:
	case OP_NAME_FIND:
		return name_op(e, r, op);
	case OP_ANY_REG:
		return any_reg(e, r, op);
	default:
		return any_event(r);
	}
}

/* Conditions on the number on top of the stack. */
static bool expr_eval_judge(const struct expr *e, const struct expr_ins *op, struct num a)
{
	switch (op->op) {
	case OP_TRUTH:
		return truth(a);
	case OP_KNOWN:
		return a.state != UNKNOWN;
	case OP_SET:
		return a.state == KNOWN && a.v < 64 && op->imm >> a.v & 1;
	default:
		return in_ranges(e, op, a);
	}
}

static bool expr_eval_run(const struct expr *e, uint32_t at, uint32_t end, const struct row *r)
{
	const struct expr_ins *code = expr_code(e);
	struct num st[EXPR_MAX_STACK];
	unsigned sp = 0;
	bool acc = false;
	while (at < end) {
		const struct expr_ins *op = &code[at++];
		switch (op->op) {
		case OP_CONST:
			st[sp++] = num_if(true, op->imm);
			break;
		case OP_FIELD: /* known(…) asks what is told, and says it itself */
			st[sp++] =
				at < end && code[at].op == OP_KNOWN ? told_field(r, op) : expr_eval_field(r, op);
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
			acc = expr_eval_judge(e, op, st[--sp]);
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
			acc = group(e, op->cmp, at, at + op->arg, r);
			at += op->arg;
			break;
		default:
			acc = condition(e, r, op);
			break;
		}
	}
	return acc;
}

static bool negates(const struct expr *e)
{
	for (uint32_t i = 0; i < e->n_code; i++)
		if (expr_code(e)[i].op == OP_NOT)
			return true;
	return false;
}

/* What the rows told at all, where registers or accesses are asked for. */
static void expr_eval_see(const struct row *r, struct select_untold *out)
{
	if (!r->in)
		return;
	out->with_regs += r->b->have & CAIRN_REGS && r->in[1].reg0 != r->in[0].reg0;
	out->with_mems += r->b->have & CAIRN_MEMS && r->in[1].mem0 != r->in[0].mem0;
	out->accessing += (r->in->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) != 0;
}

void expr_filter(const struct expr *e, const struct cairn_batch *b, uint8_t *keep,
                 struct select_untold *out)
{
	uint64_t untold;
	bool always = negates(e), rows = e->parts & (CAIRN_REGS | CAIRN_MEMS);
	bool insns = b->n_insns != 0;
	uint32_t n = insns ? b->n_insns : b->n_xacts;
	bool contexts = b->have & CAIRN_CONTEXT;
	struct row r = {.b = b, .untold = &untold};
	for (uint32_t i = 0; i < n; i++) {
		if (!keep[i])
			continue;
		untold = 0;
		out->judged++;
		r.n = (insns ? b->n0 : b->x0) + i;
		if (insns) {
			r.in = &b->insns[i];
			r.ctx = contexts && r.in->ctx < b->n_ctxs ? &b->ctxs[r.in->ctx] : NULL;
		} else {
			r.x = &b->xacts[i];
		}
		keep[i] = expr_eval_run(e, 0, e->n_code, &r);
		if (rows)
			expr_eval_see(&r, out);
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
void expr_bounds(const struct expr *e, uint64_t *first, uint64_t *last)
{
	const struct expr_ins *code = expr_code(e);
	uint32_t n = e->n_code, begin = 0;
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

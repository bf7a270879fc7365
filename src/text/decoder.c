/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: lines into batches.
 *
 * An instruction's slot holds the rows of its line and of those below it; what comes
 * before the first instruction of a span belongs to that one. Where a branch went is told
 * by the next line of the same hart that begins an instruction, within TEXT_LOOK bytes
 * and OTHERS_MAX instructions: limits by place, so that it does not matter how the log is cut or read.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "isa/arm64.h"
#include "text/text.h"

enum {
	VALUE_MAX = 8192,
	PART_MAX = 64
};                         /* bytes of the longest register, of a divided access's part */
enum { OTHERS_MAX = 256 }; /* instructions of other harts a branch looks beyond */

struct text_decoder {
	struct cairn_reader *r;
	const struct text_impl *im;
	struct text_worker *w;
	struct model_span *s;
	struct text_span *ss;
	struct cairn_batch *b;
	struct cairn_tally *t;
	bool scanning;
	uint32_t want, reg0, mem0, ev0;
	uint16_t seq;
	uint64_t dropped;
	/* the slot's instruction */
	struct cairn_insn *cur; /* NULL: none yet */
	struct text_line line;
	struct cairn_op op;
	const char *from; /* where its line begins */
	uint32_t n_ctxs;  /* before it */
	bool said_again;  /* by the second line of two */
	bool trapped, branched;
	uint64_t went;
	uint32_t later; /* where an event's argument goes that is still to come, + 1; 0 nowhere */
};

/* ---- damage ---- */

static void damage(struct text_decoder *u, const char *p, size_t n, const char *why)
{
	struct text_span *ss = u->ss;
	uint64_t off = ss->begin + (uint64_t)(p - ss->base);
	if (!u->scanning) {
		model_damage_event(u->r, u->s, u->b, u->seq++, off, n, "byte 0x%llx, line %llu: %s",
		                   (unsigned long long)off, (unsigned long long)ss->at.line, why);
		return;
	}
	if (!ss->bad)
		ss->bad = base_alloc(u->r->c, MODEL_DAMAGE_KEPT * sizeof *ss->bad);
	if (ss->bad && ss->n_bad < MODEL_DAMAGE_KEPT)
		ss->bad[ss->n_bad] = (struct text_bad){ss->at.line, off, why};
	ss->n_bad++;
}

/* ---- rows ---- */

static void decoder_comment(struct text_decoder *u, const char *p, size_t n)
{
	if (!(u->want & CAIRN_EVENTS))
		return;
	struct cairn_event *e = model_batch_text_event(u->b, CAIRN_EV_COMMENT, u->seq++, p, n);
	if (e)
		e->phase = u->cur ? CAIRN_AFTER : CAIRN_BEFORE;
	else
		u->dropped++;
}

/* n bytes of value as a row has them; false: no room. */
static bool decoder_value(struct text_decoder *u, const uint8_t *bytes, size_t n, uint64_t *v,
                          uint8_t *flags)
{
	*flags |= CAIRN_VALUE_KNOWN;
	if (n <= 8) {
		*v = base_le64(bytes);
		return true;
	}
	uint32_t at = model_batch_bytes(u->b, n);
	if (at == UINT32_MAX) {
		*flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
		u->dropped++;
		return false;
	}
	memcpy(u->b->bytes + at, bytes, (n + 7) / 8 * 8);
	*flags |= CAIRN_VALUE_WIDE;
	*v = at;
	return true;
}

static void text_decoder_reg_row(struct text_decoder *u, const struct text_row *in)
{
	struct cairn_batch *b = u->b;
	uint8_t bytes[VALUE_MAX];
	bool sp = in->sp_of && u->cur && u->line.has_priv && u->line.priv == in->sp_of;
	if (in->no_name && !sp) {
		decoder_comment(u, in->name, (size_t)(in->digits + in->n_digits - in->name));
		return;
	}
	if (!(u->want & CAIRN_REGS))
		return;
	if (b->n_regs == CAIRN_CAP_REGS) {
		u->dropped++;
		return;
	}
	struct cairn_reg *row = &b->regs[b->n_regs++];
	size_t n = text_value(in->digits, in->n_digits, bytes, sizeof bytes);
	*row = (struct cairn_reg){.num = in->num,
	                          .cls = in->cls,
	                          .seq = u->seq++,
	                          .bits = in->bits ? in->bits : 8 * (uint32_t)n,
	                          .flags = in->zeroes ? (uint8_t)CAIRN_VALUE_ZEROES : (uint8_t)0,
	                          .role = in->role ? in->role
	                                  : u->cur ? (uint8_t)CAIRN_ROLE_DST
	                                           : (uint8_t)CAIRN_ROLE_STATE};
	if (sp) {
		row->cls = CAIRN_REG_INT;
		row->num = ISA_ARM64_SP;
	}
	decoder_value(u, bytes, n < sizeof bytes ? n : sizeof bytes, &row->value, &row->flags);
	if (!(row->flags & CAIRN_VALUE_WIDE))
		row->value = row->value >> in->shift;
}

static void text_decoder_mem_row(struct text_decoder *u, const struct text_row *in)
{
	struct cairn_batch *b = u->b;
	uint8_t bytes[VALUE_MAX];
	if (!(u->want & CAIRN_MEMS))
		return;
	uint32_t said = u->cur ? u->op.mem_size : 0;
	uint32_t size = in->size ? in->size : said;
	bool split = in->split && said && said <= PART_MAX && said < size && size % said == 0;
	uint32_t piece = split ? said : size;
	size_t n = in->digits ? text_value(in->digits, in->n_digits, bytes, sizeof bytes) : 0;
	for (uint32_t at = 0; at == 0 || at < size; at += piece) {
		if (b->n_mems == CAIRN_CAP_MEMS) {
			u->dropped++;
			return;
		}
		struct cairn_mem *m = &b->mems[b->n_mems++];
		*m = (struct cairn_mem){.addr = in->addr + at,
		                        .size = piece,
		                        .kind = in->kind,
		                        .seq = u->seq++};
		if (in->has_pa) {
			m->pa = in->pa + at;
			m->flags = CAIRN_VALUE_PA;
		}
		if (n == size && n && at + piece <= sizeof bytes) {
			uint8_t part[PART_MAX] = {0};
			if (split)
				memcpy(part, bytes + at, piece);
			m->words = (uint16_t)((piece + 7) / 8);
			decoder_value(u, split ? part : bytes, piece, &m->value, &m->flags);
		}
		if (piece == 0)
			break;
	}
}

static void text_decoder_rows(struct text_decoder *u, const struct text_line *l)
{
	struct text_row row;
	const char *at = l->rows;
	while (at && u->im->d->next_row(u->im, l, &at, &row) > 0) {
		if (row.what == TEXT_ROW_REG)
			text_decoder_reg_row(u, &row);
		else if (row.what == TEXT_ROW_MEM)
			text_decoder_mem_row(u, &row);
	}
}

/* ---- events ---- */

static struct cairn_event *text_decoder_event(struct text_decoder *u, uint8_t kind)
{
	struct cairn_batch *b = u->b;
	if (!(u->want & CAIRN_EVENTS))
		return NULL;
	if (b->n_events == CAIRN_CAP_EVENTS) {
		u->dropped++;
		return NULL;
	}
	struct cairn_event *e = &b->events[b->n_events++];
	*e = (struct cairn_event){.kind = kind,
	                          .seq = u->seq++,
	                          .phase = u->cur ? CAIRN_AFTER : CAIRN_BEFORE};
	return e;
}

static bool is_trap(const struct cairn_event *e)
{
	return e->kind == CAIRN_EV_EXCEPTION || e->kind == CAIRN_EV_INTERRUPT ||
	       e->kind == CAIRN_EV_SYSCALL || e->kind == CAIRN_EV_FORMAT; /* a reset */
}

/* The slot's last event, if it is a trap. */
static struct cairn_event *last_trap(struct text_decoder *u)
{
	struct cairn_batch *b = u->b;
	struct cairn_event *e = b->n_events > u->ev0 ? &b->events[b->n_events - 1] : NULL;
	return e && is_trap(e) ? e : NULL;
}

/* The arguments of an event; returns where an ARGUMENT line puts its own, or 0. */
static uint32_t decoder_arguments(struct text_decoder *u, const struct text_line *l,
                                  struct cairn_event *e, bool stopped)
{
	uint32_t later = 0, n = (uint32_t)strlen(l->args), at = model_batch_bytes(u->b, 8 * n);
	if (at == UINT32_MAX) {
		u->dropped++;
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = l->args[i] == 'p'               ? l->pc
		             : l->args[i] == 'e' && stopped  ? u->line.enc
		             : l->args[i] != 'i' || !stopped ? 0
		             : u->line.isa == CAIRN_ISA_RV32 ? 1
		                                             : 2;
		memcpy(u->b->bytes + at + 8 * i, &v, sizeof v);
		later = l->args[i] == 'v' ? at + 8 * i + 1 : later;
	}
	e->args = at;
	e->len = 8 * n;
	return later;
}

static void decoder_event_line(struct text_decoder *u, const struct text_line *l)
{
	bool stopped =
		u->cur && l->has_pc && l->pc == u->line.pc && l->hart == u->line.hart && !u->said_again;
	struct cairn_event *e = text_decoder_event(u, l->event);
	if (e) {
		e->code = l->code;
		e->target = l->target;
		e->flags = l->has_target ? (uint8_t)CAIRN_EVF_TARGET : (uint8_t)0;
	}
	u->later = e && l->args ? decoder_arguments(u, l, e, stopped) : 0;
	if (l->code == UINT64_MAX) /* its name has no number */
		decoder_comment(u, l->text, l->text_len);
	/* A call into the environment does what it is for. */
	if (stopped && !(u->op.traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT)))
		u->cur->flags |= CAIRN_INSN_ABORTED;
	if (stopped && e)
		e->phase = CAIRN_ON;
	u->trapped |= u->cur != NULL;
	text_decoder_rows(u, l);
}

static void decoder_argument(struct text_decoder *u, const struct text_line *l)
{
	if (u->later)
		memcpy(u->b->bytes + u->later - 1, &l->target, sizeof l->target);
	u->later = 0;
}

static void repeated(struct text_decoder *u, const struct text_line *l)
{
	static const char why[] = "the log counts repetitions instead of showing them";
	if (!u->cur || u->said_again || l->code < 2 || !(u->want & CAIRN_EVENTS))
		return;
	struct cairn_event *e =
		model_batch_text_event(u->b, CAIRN_EV_GAP, u->seq++, why, sizeof why - 1);
	if (!e)
		return;
	e->code = l->code - 1;
	e->phase = CAIRN_AFTER;
}

static void text_decoder_branch_line(struct text_decoder *u, const struct text_line *l)
{
	struct cairn_event *e = last_trap(u);
	if (!e && u->cur && !u->trapped && u->op.traits & CAIRN_TRAIT_BRANCH) {
		u->branched = true;
		u->went = l->target;
		return;
	}
	if (!e && !u->trapped)
		e = text_decoder_event(u, CAIRN_EV_BRANCH);
	if (e) {
		e->target = l->target;
		e->flags |= CAIRN_EVF_TARGET;
	}
}

/* ---- where the flow goes ---- */

/* The PC of the next instruction of the slot's hart; p: the next line. */
static bool following(const struct text_decoder *u, const char *p, uint64_t *pc)
{
	const struct text_span *ss = u->ss;
	bool short_of = ss->see - u->from > TEXT_LOOK;
	const char *limit = short_of ? u->from + TEXT_LOOK : ss->see;
	for (unsigned others = 0; p < limit && others < OTHERS_MAX;) {
		struct text_line l = {0};
		const char *e, *next = text_line_end(p, limit, &e);
		if (next == limit && limit[-1] != '\n' && (short_of || !ss->see_all))
			return false;
		u->im->d->parse(u->im, p, (size_t)(e - p), &l);
		if (l.role == TEXT_INSN && l.hart == u->line.hart) {
			*pc = l.pc;
			return true;
		}
		others += l.role == TEXT_INSN;
		p = next;
	}
	return false;
}

static bool decoder_direct(const struct cairn_op *op)
{
	return (op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_INDIRECT)) == CAIRN_TRAIT_BRANCH;
}

/* Taken or not, and where to; `next` NULL: not known. */
static void decoder_outcome(struct text_decoder *u, const uint64_t *next)
{
	struct cairn_insn *row = u->cur;
	uint64_t behind = row->pc + row->size;
	if (!(u->op.traits & CAIRN_TRAIT_BRANCH) || row->flags & CAIRN_INSN_ABORTED)
		return;
	if (decoder_direct(&u->op)) {
		row->target = cairn_op_target(&u->op, row->pc);
		row->flags |= CAIRN_INSN_TARGET;
	}
	if (u->branched) {
		row->target = u->went;
		row->flags |= CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
		return;
	}
	if (u->line.failed) {
		row->flags |= CAIRN_INSN_NOT_TAKEN;
		return;
	}
	const uint64_t *after = u->trapped ? NULL : next;
	if (u->op.traits & CAIRN_TRAIT_CONDITIONAL) {
		bool told = after && decoder_direct(&u->op) && row->target != behind;
		if (told && *after == row->target)
			row->flags |= CAIRN_INSN_TAKEN;
		else if (told && *after == behind)
			row->flags |= CAIRN_INSN_NOT_TAKEN;
		return;
	}
	row->flags |= CAIRN_INSN_TAKEN;
	if (!decoder_direct(&u->op) && after) {
		row->target = *after;
		row->flags |= CAIRN_INSN_TARGET;
	}
}

/* Where its hart goes on, for the next instruction to be compared with. */
static void decoder_follow(struct text_decoder *u)
{
	const struct cairn_insn *row = u->cur;
	struct text_state *at = &u->ss->at;
	uint64_t bit = UINT64_C(1) << (u->line.hart % TEXT_HARTS);
	bool known =
		row->size && !u->trapped &&
		!(u->op.traits & (CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT));
	uint64_t next = row->pc + row->size;
	if (u->line.hart >= TEXT_HARTS)
		return;
	if (u->op.traits & CAIRN_TRAIT_BRANCH && !(row->flags & CAIRN_INSN_NOT_TAKEN)) {
		known &= (row->flags & CAIRN_INSN_TAKEN) && (row->flags & CAIRN_INSN_TARGET);
		next = row->target;
	}
	for (uint32_t i = u->ev0; known && i < u->b->n_events; i++)
		known = u->b->events[i].kind != CAIRN_EV_GAP;
	u->ss->touched |= bit;
	at->known = known ? at->known | bit : at->known & ~bit;
	at->next[u->line.hart] = known ? next : 0;
}

/* ---- slots ---- */

/* What a load of one scalar register read is in that register, extended. */
static void decoder_loaded(struct text_decoder *u)
{
	struct cairn_batch *b = u->b;
	const struct cairn_reg *reg = NULL;
	struct cairn_mem *mem = NULL;
	if (!(u->op.traits & CAIRN_TRAIT_LOAD) || u->op.traits & CAIRN_TRAIT_RESERVED_SC)
		return;
	for (uint32_t i = u->reg0; i < b->n_regs; i++)
		if (b->regs[i].cls == CAIRN_REG_INT || b->regs[i].cls == CAIRN_REG_FP) {
			if (reg)
				return;
			reg = &b->regs[i];
		}
	for (uint32_t i = u->mem0; i < b->n_mems; i++)
		if (b->mems[i].kind == CAIRN_MEM_READ) {
			if (mem)
				return;
			mem = &b->mems[i];
		}
	if (!reg || !mem || mem->size == 0 || mem->size > 8 || mem->flags & CAIRN_VALUE_KNOWN ||
	    reg->flags & CAIRN_VALUE_WIDE || reg->bits < 8 * mem->size)
		return;
	mem->value = reg->value & (UINT64_MAX >> (64 - 8 * mem->size));
	mem->words = 1;
	mem->flags |= CAIRN_VALUE_KNOWN;
}

static void text_decoder_report_dropped(struct text_decoder *u, const char *p)
{
	if (u->dropped)
		damage(u, p, 0, "an instruction has more rows than fit; some are left out");
	u->dropped = 0;
}

/* The slot of `cur` has all that belongs to it; p: the next line. */
static void text_decoder_end_slot(struct text_decoder *u, const char *p)
{
	struct cairn_batch *b = u->b;
	uint64_t pc;
	bool ask = u->trapped || u->op.traits & CAIRN_TRAIT_BRANCH;
	bool known = ask && following(u, p, &pc);
	decoder_outcome(u, known ? &pc : NULL);
	for (uint32_t i = u->ev0; known && i < b->n_events; i++)
		if (b->events[i].phase != CAIRN_BEFORE && is_trap(&b->events[i]) &&
		    !(b->events[i].flags & CAIRN_EVF_TARGET)) {
			b->events[i].target = pc;
			b->events[i].flags |= CAIRN_EVF_TARGET;
		}
	decoder_follow(u);
	if (u->im->d->loads_fill)
		decoder_loaded(u);
	text_decoder_report_dropped(u, p);
	u->cur = NULL;
	u->reg0 = b->n_regs;
	u->mem0 = b->n_mems;
	u->ev0 = b->n_events;
	u->seq = 0;
	u->trapped = u->branched = u->said_again = false;
	u->later = 0;
}

static uint16_t text_decoder_context(struct text_decoder *u, const struct text_line *l)
{
	struct cairn_batch *b = u->b;
	struct cairn_ctx c = {.hart = l->hart,
	                      .priv = l->priv,
	                      .security = l->security,
	                      .known = (l->has_hart ? (uint32_t)CAIRN_CTX_HART : 0) |
	                               (l->has_priv ? (uint32_t)CAIRN_CTX_PRIV : 0) |
	                               (l->has_security ? (uint32_t)CAIRN_CTX_SECURITY : 0)};
	if (b->n_ctxs == 0 || (b->n_insns == 0 && !u->cur))
		b->n_ctxs = 0;
	for (uint32_t i = b->n_ctxs; i-- > 0;)
		if (!memcmp(&b->ctxs[i], &c, sizeof c))
			return (uint16_t)i;
	b->ctxs[b->n_ctxs] = c;
	return (uint16_t)b->n_ctxs++;
}

static void text_decoder_asm_text(struct text_decoder *u, const struct text_line *l)
{
	struct cairn_batch *b = u->b;
	struct cairn_asm *a = &b->asms[b->n_insns];
	*a = (struct cairn_asm){0};
	if (!l->text_len || !(u->want & CAIRN_ASM))
		return;
	uint32_t at = model_batch_bytes(b, l->text_len);
	if (at == UINT32_MAX) {
		u->dropped++;
		return;
	}
	memcpy(b->bytes + at, l->text, l->text_len);
	*a = (struct cairn_asm){at, l->text_len};
}

static void text_decoder_instruction(struct text_decoder *u, const struct text_line *l,
                                     const char *p)
{
	struct cairn_batch *b = u->b;
	const struct text_state *at = &u->ss->at;
	uint64_t off = u->ss->begin + (uint64_t)(p - u->ss->base) + l->prefix;
	uint32_t flags = 0;
	u->op = *isa_memo_get(u->w->memo, (enum cairn_isa)l->isa, l->enc, l->size);
	if (l->hart < TEXT_HARTS && at->known >> l->hart & 1 && at->next[l->hart] != l->pc)
		flags |= CAIRN_INSN_DISCONTINUITY;
	text_decoder_asm_text(u, l);
	u->n_ctxs = b->n_insns ? b->n_ctxs : 0;
	uint16_t ctx = text_decoder_context(u, l);
	struct cairn_insn *row = &b->insns[b->n_insns++];
	*row = (struct cairn_insn){.pc = l->pc,
	                           .enc = l->enc,
	                           .traits = u->op.traits,
	                           .flags = flags,
	                           .rec = (uint32_t)(at->line - b->rec0),
	                           .off = (uint32_t)(off - b->off0),
	                           .ctx = ctx,
	                           .reg0 = (uint16_t)u->reg0,
	                           .mem0 = (uint16_t)u->mem0,
	                           .ev0 = (uint16_t)u->ev0,
	                           .size = l->size,
	                           .isa = l->isa,
	                           .cls = u->op.cls};
	u->cur = row;
	u->line = *l;
	u->from = p;
	u->ss->at.n++;
}

/* A second line about the same instruction knows more of who runs. */
static void decoder_say_again(struct text_decoder *u, const struct text_line *l)
{
	u->said_again = true;
	if (u->b->n_ctxs > u->n_ctxs) /* its own context: nobody else has it */
		u->b->n_ctxs = u->n_ctxs;
	u->cur->ctx = text_decoder_context(u, l);
	text_decoder_rows(u, l);
}

static bool same_insn(const struct text_decoder *u, const struct text_line *l)
{
	return u->cur && !u->said_again && text_says_again(&u->line, l);
}

/* ---- the walk ---- */

static void text_decoder_other_line(struct text_decoder *u, const struct text_line *l,
                                    const char *p, size_t n)
{
	bool strange = l->role == TEXT_ROWS && u->cur && l->has_hart && u->line.has_hart &&
	               l->hart != u->line.hart;
	switch (l->role) {
	case TEXT_FOREIGN:
		if (n)
			decoder_comment(u, p, n);
		return;
	case TEXT_BAD:
		damage(u, p, n, l->why);
		return;
	case TEXT_ROWS:
		if (strange)
			damage(u, p, n, "the line is of another core than the instruction before it");
		else
			text_decoder_rows(u, l);
		return;
	case TEXT_EVENT:
		decoder_event_line(u, l);
		return;
	case TEXT_ARGUMENT:
		decoder_argument(u, l);
		return;
	case TEXT_REPEATED:
		repeated(u, l);
		return;
	case TEXT_BRANCH:
		text_decoder_branch_line(u, l);
		return;
	default:
		return;
	}
}

/* One line; false: it waits for the next batch. */
static bool text_decoder_line(struct text_decoder *u, const char *p, const char *e)
{
	struct text_line l = {0};
	u->im->d->parse(u->im, p, (size_t)(e - p), &l);
	bool begins = l.role == TEXT_INSN && !same_insn(u, &l);
	if (begins && u->cur)
		text_decoder_end_slot(u, p);
	if (!u->cur && model_batch_full(u->b))
		return false;
	if (l.prefix)
		decoder_comment(u, p, l.prefix);
	if (begins) {
		text_decoder_instruction(u, &l, p);
		text_decoder_rows(u, &l);
	} else if (l.role == TEXT_INSN) {
		decoder_say_again(u, &l);
	} else {
		text_decoder_other_line(u, &l, p, (size_t)(e - p));
	}
	if (u->t)
		u->t->by_record[l.kind]++;
	return true;
}

static void text_decoder_walk(struct text_decoder *u)
{
	struct text_span *ss = u->ss;
	while (ss->p < ss->end) {
		const char *e, *next = text_line_end(ss->p, ss->end, &e);
		if (!text_decoder_line(u, ss->p, e))
			return;
		ss->at.line++;
		ss->at.off += (uint64_t)(next - ss->p);
		ss->p = next;
	}
	if (u->cur)
		text_decoder_end_slot(u, ss->end);
	else
		text_decoder_report_dropped(u, ss->end);
	if (ss->broken)
		damage(u, ss->end, 0, ss->why);
	ss->finished = true;
}

int text_fill(struct cairn_reader *r, struct model_span *s, struct cairn_batch *b,
              struct cairn_tally *t, bool scanning)
{
	struct text_span *ss = s->priv;
	struct text_decoder u = {.r = r,
	                         .im = r->impl,
	                         .w = s->worker,
	                         .s = s,
	                         .ss = ss,
	                         .b = b,
	                         .t = t,
	                         .scanning = scanning,
	                         .want = scanning ? ~0u : r->want};
	model_batch_clear(b);
	b->n0 = ss->at.n;
	b->x0 = 1;
	b->rec0 = ss->at.line;
	b->off0 = ss->begin + (uint64_t)(ss->p - ss->base);
	b->have = r->can & r->want;
	b->ctxs[b->n_ctxs++] = (struct cairn_ctx){0};
	text_decoder_walk(&u);
	uint16_t last = b->n_insns ? b->insns[b->n_insns - 1].ctx : 0;
	model_batch_close(b, u.reg0, u.mem0, u.ev0, last);
	b->insns[b->n_insns].isa = b->n_insns ? b->insns[b->n_insns - 1].isa : u.im->look.isa;
	return !model_batch_empty(b);
}

int text_decode(struct cairn_reader *r, struct model_span *s, struct cairn_batch *b)
{
	struct text_span *ss = s->priv;
	if (ss->finished)
		return 0;
	int rc = text_fill(r, s, b, NULL, false);
	if (ss->finished && !s->scanned)
		memcpy(s->exit, &ss->at, sizeof ss->at);
	return rc;
}

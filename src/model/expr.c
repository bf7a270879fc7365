/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions, the compiling half: text to a program for expr_eval.c.
 *
 *   or      := and { || and }
 *   and     := not { && not }
 *   not     := { ! } compare
 *   compare := bits [ (== != < <= > >=) bits | =~ pattern | in set ]
 *   bits    := sum { & sum }
 *   sum     := primary { (+ -) primary }
 *   primary := number | @symbol | - primary | ( or ) | field | true | false | event
 *            | mem(or) | reg(or) | event(or) | reads(names) | writes(names) | known(bits)
 *
 * Unlike C's, & binds tighter than the comparisons, so that enc & 0x7f == 0x33
 * is what it looks like, and ! looser: !class==load negates the comparison.
 *
 * Code is emitted while parsing, in postfix order. A value on its way is a
 * struct val that remembers where its code began, which is enough to fuse
 * "field, constant, compare" into one op and to wrap a comparison that names a
 * field of memory accesses into a group of its own: "some access satisfies it".
 * Only numbers are open when either happens, so no jump is ever moved.
 *
 * Nesting, code and stack are bounded here; the running half checks nothing.
 */
#include <string.h>

#include "model/expr_parse.h"

/* ---- names ---- */

static int parse_or(struct parser *p, struct val *v);

int expr_reg_find(struct expr_reg *out, const char *s, size_t n)
{
	*out = (struct expr_reg){0};
	for (unsigned isa = 0; isa <= CAIRN_ISA_LAST; isa++) {
		enum cairn_reg_class cls;
		unsigned num;
		if (cairn_reg_find((enum cairn_isa)isa, s, n, &cls, &num) < 0 || num > UINT16_MAX)
			continue;
		out->known |= 1u << isa;
		out->cls[isa] = (uint8_t)cls;
		out->num[isa] = (uint16_t)num;
	}
	if (!out->known && n > 1 && *s == '%')
		return expr_reg_find(out, s + 1, n - 1);
	return out->known ? 0 : CAIRN_E_NOTFOUND;
}

static int unknown_word(struct parser *p, const struct token *t)
{
	static const char *const groups[] = {"", "mem", "reg", "event"};
	static const char *const things[] = {"", "memory accesses", "registers", "events"};
	char q[48], near[160];
	struct expr_field f;
	struct expr_reg reg;
	select_quote(q, sizeof q, t->s, t->n);
	bool elsewhere = expr_field_anywhere(t->s, t->n, &f);
	if (elsewhere && p->scope == EXPR_ROW)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
		                   "'%s' is asked of %s: write %s(... %s ...)", q, things[f.scope],
		                   groups[f.scope], q);
	if (elsewhere)
		return select_fail(
			p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
			"'%s' is asked of %s, this group is about %s: write them apart, joined by "
			"&&",
			q, things[f.scope], things[p->scope]);
	if (expr_reg_find(&reg, t->s, t->n) == 0)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
		                   "'%s' is a register: write reads(%s), writes(%s) or "
		                   "reg(name==%s && value==...)",
		                   q, q, q, q);
	return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at, "unknown field '%s'%s", q,
	                   expr_near_field(t->s, t->n, p->scope, near, sizeof near));
}

static int expr_parse_field(struct parser *p, const struct token *t, struct val *v)
{
	struct expr_field f;
	if (!expr_field_find(t->s, t->n, p->scope, &f))
		return unknown_word(p, t);
	p->e->parts |= f.parts;
	p->e->context |= (f.parts & CAIRN_CONTEXT) != 0;
	p->e->records |= f.id == F_RECORD || f.id == F_OFFSET;
	v->type = (enum expr_type)f.type;
	v->en = (enum expr_enum)f.en;
	v->field = f.id;
	v->mem = f.scope == EXPR_MEM && p->scope == EXPR_ROW;
	v->name = f.name;
	if (f.type == EXPR_TEXT || f.type == EXPR_REGNAME)
		return 0;
	return expr_push(p, (struct expr_ins){.op = OP_FIELD, .field = f.id, .arg = f.arg});
}

/* Append the register named by the token; it is the next one of regs. */
int expr_add_reg(struct parser *p)
{
	struct expr_reg reg;
	char q[48];
	if (p->tok.type != TOK_WORD && p->tok.type != TOK_STRING)
		return expr_fail_at(p, p->tok.at, "the name of a register is expected here");
	if (expr_reg_find(&reg, p->tok.s, p->tok.n) < 0)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, p->tok.at,
		                   "no instruction set has a register '%s'",
		                   select_quote(q, sizeof q, p->tok.s, p->tok.n));
	if (p->e->regs.len / sizeof reg >= EXPR_MAX_REGS)
		return expr_fail_at(p, p->tok.at, "too many registers are named");
	int rc = base_buf_put(&p->e->regs, &reg, sizeof reg);
	return rc < 0 ? rc : expr_next(p);
}

uint32_t expr_n_regs(const struct parser *p)
{
	return (uint32_t)(p->e->regs.len / sizeof(struct expr_reg));
}

/* ---- calls ---- */

static int refuse_inside_group(struct parser *p, size_t at)
{
	return p->scope == EXPR_ROW
	           ? 0
	           : expr_fail_at(p, at, "groups do not nest: write them apart, joined by &&");
}

static int call_group(struct parser *p, enum expr_scope scope, struct val *v)
{
	static const uint32_t parts[] = {0, CAIRN_MEMS, CAIRN_REGS, CAIRN_EVENTS};
	uint32_t at = p->e->n_code;
	int rc = expr_emit(p, (struct expr_ins){.op = OP_GROUP, .cmp = (uint8_t)scope});
	if (rc < 0)
		return rc;
	p->scope = scope;
	p->e->parts |= parts[scope];
	rc = parse_or(p, v);
	if (rc >= 0)
		rc = expr_need_condition(p, v);
	p->scope = EXPR_ROW;
	if (rc < 0)
		return rc;
	expr_code_of(p)[at].arg = p->e->n_code - at - 1;
	return 0;
}

static int call_regs(struct parser *p, enum cairn_reg_role role)
{
	uint32_t first = expr_n_regs(p);
	for (;;) {
		int rc = expr_add_reg(p);
		if (rc < 0)
			return rc;
		if (p->tok.type != TOK_COMMA)
			break;
		rc = expr_next(p);
		if (rc < 0)
			return rc;
	}
	p->e->parts |= CAIRN_REGS | CAIRN_ENC;
	return expr_emit(p, (struct expr_ins){.op = OP_ANY_REG,
	                                      .field = (uint16_t)role,
	                                      .arg = first,
	                                      .imm = expr_n_regs(p) - first});
}

static int call_known(struct parser *p, struct val *v)
{
	int rc = expr_parse_bits(p, v);
	if (rc < 0)
		return rc;
	if (v->type == EXPR_COND || v->type == EXPR_TEXT || v->type == EXPR_REGNAME)
		return expr_fail_at(p, v->at, "known(...) asks about a field that has a value");
	rc = expr_emit(p, (struct expr_ins){.op = OP_KNOWN});
	return rc < 0 ? rc : expr_close(p, v);
}

/* name(…), the opening parenthesis being the token. */
static int parse_call(struct parser *p, const struct token *t, struct val *v)
{
	static const char *const names[] = {"mem", "reg", "event", "reads", "writes", "known"};
	char q[48], near[160];
	size_t which = 0, n = sizeof names / sizeof names[0];
	while (which < n && !expr_same(names[which], t->s, t->n))
		which++;
	if (which == n)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
		                   "'%s' takes no parentheses%s", select_quote(q, sizeof q, t->s, t->n),
		                   expr_near_field(t->s, t->n, p->scope, near, sizeof near));
	int rc = which == 5 ? 0 : refuse_inside_group(p, t->at);
	if (rc < 0)
		return rc;
	if (++p->depth > EXPR_MAX_DEPTH)
		return expr_fail_at(p, t->at, "the expression is nested too deeply");
	rc = expr_next(p);
	if (rc < 0)
		return rc;
	if (which < 3)
		rc = call_group(p, (enum expr_scope)(EXPR_MEM + which), v);
	else if (which < 5)
		rc = call_regs(p, which == 3 ? CAIRN_ROLE_SRC : CAIRN_ROLE_DST);
	else
		rc = call_known(p, v);
	if (rc < 0)
		return rc;
	p->depth--;
	*v = (struct val){.type = EXPR_COND, .start = v->start, .at = t->at};
	return expr_expect(p, TOK_RP, "a closing parenthesis is expected here");
}

static int expr_parse_word(struct parser *p, struct val *v)
{
	struct token t = p->tok;
	int rc = expr_next(p);
	if (rc < 0)
		return rc;
	if (p->tok.type == TOK_LP)
		return parse_call(p, &t, v);
	bool yes = expr_same("true", t.s, t.n);
	if (yes || expr_same("false", t.s, t.n)) {
		v->type = EXPR_BOOL;
		return expr_push(p, (struct expr_ins){.op = OP_CONST, .imm = yes});
	}
	if (expr_same("event", t.s, t.n)) {
		rc = refuse_inside_group(p, t.at);
		v->type = EXPR_COND;
		p->e->parts |= CAIRN_EVENTS;
		return rc < 0 ? rc : expr_emit(p, (struct expr_ins){.op = OP_ANY_EVENT});
	}
	return expr_parse_field(p, &t, v);
}

/* ---- numbers ---- */

static int parse_primary(struct parser *p, struct val *v);

static int parse_symbol(struct parser *p, struct val *v)
{
	uint64_t first, last;
	int rc = select_symbol(p->c, p->e->image, "expression", p->text, p->tok.at, p->tok.s, p->tok.n,
	                       &first, &last);
	if (rc < 0)
		return rc;
	v->type = EXPR_NUM;
	rc = expr_push(p, (struct expr_ins){.op = OP_CONST, .imm = first});
	return rc < 0 ? rc : expr_next(p);
}

static int parse_parens(struct parser *p, struct val *v)
{
	if (++p->depth > EXPR_MAX_DEPTH)
		return expr_fail_at(p, p->tok.at, "the expression is nested too deeply");
	int rc = expr_next(p);
	if (rc >= 0)
		rc = parse_or(p, v);
	p->depth--;
	return rc < 0 ? rc : expr_expect(p, TOK_RP, "a closing parenthesis is expected here");
}

static int parse_negative(struct parser *p, struct val *v)
{
	struct val inner;
	if (++p->depth > EXPR_MAX_DEPTH)
		return expr_fail_at(p, p->tok.at, "the expression is nested too deeply");
	int rc = expr_push(p, (struct expr_ins){.op = OP_CONST});
	if (rc >= 0)
		rc = expr_next(p);
	if (rc >= 0)
		rc = parse_primary(p, &inner);
	if (rc >= 0)
		rc = expr_need_number(p, &inner);
	p->depth--;
	if (rc < 0)
		return rc;
	v->type = EXPR_NUM;
	v->mem = inner.mem;
	return expr_arithmetic(p, OP_SUB);
}

static int parse_primary(struct parser *p, struct val *v)
{
	*v = (struct val){.start = p->e->n_code, .at = p->tok.at};
	int rc;
	switch (p->tok.type) {
	case TOK_NUM:
		v->type = EXPR_NUM;
		rc = expr_push(p, (struct expr_ins){.op = OP_CONST, .imm = p->tok.num});
		return rc < 0 ? rc : expr_next(p);
	case TOK_SYMBOL:
		return parse_symbol(p, v);
	case TOK_LP:
		return parse_parens(p, v);
	case TOK_MINUS:
		return parse_negative(p, v);
	case TOK_WORD:
		return expr_parse_word(p, v);
	case TOK_END:
		return expr_fail_at(p, p->tok.at, "the expression ends where a value is expected");
	default:
		return expr_fail_at(p, p->tok.at, "a value is expected here");
	}
}

/* The right operand of + - &: parse it and join it with the left one. */
static int expr_join(struct parser *p, struct val *v, enum expr_opcode op,
                     int (*operand)(struct parser *, struct val *))
{
	struct val right;
	int rc = expr_need_number(p, v);
	if (rc >= 0)
		rc = expr_next(p);
	if (rc >= 0)
		rc = operand(p, &right);
	if (rc >= 0)
		rc = expr_need_number(p, &right);
	if (rc < 0)
		return rc;
	v->type = op == OP_AND ? EXPR_BITS : EXPR_NUM;
	v->mem |= right.mem;
	v->name = NULL;
	return expr_arithmetic(p, op);
}

static int parse_sum(struct parser *p, struct val *v)
{
	int rc = parse_primary(p, v);
	while (rc >= 0 && (p->tok.type == TOK_PLUS || p->tok.type == TOK_MINUS))
		rc = expr_join(p, v, p->tok.type == TOK_PLUS ? OP_ADD : OP_SUB, parse_primary);
	return rc;
}

int expr_parse_bits(struct parser *p, struct val *v)
{
	int rc = parse_sum(p, v);
	while (rc >= 0 && p->tok.type == TOK_BITS)
		rc = expr_join(p, v, OP_AND, parse_sum);
	return rc;
}

/* ---- conditions ---- */

static int parse_not(struct parser *p, struct val *v)
{
	bool negate = false, any = false;
	int rc = 0;
	while (rc >= 0 && p->tok.type == TOK_NOT) {
		negate = !negate;
		any = true;
		rc = expr_next(p);
	}
	if (rc >= 0)
		rc = expr_parse_compare(p, v);
	if (rc >= 0 && any)
		rc = expr_need_condition(p, v);
	return rc < 0 || !negate ? rc : expr_emit(p, (struct expr_ins){.op = OP_NOT});
}

/* A chain of && or ||: each operand but the last is followed by a jump over the
 * rest. Until the end is known the jumps are a list, linked through arg. */
static int parse_chain(struct parser *p, struct val *v, enum tok op, enum expr_opcode jump,
                       int (*operand)(struct parser *, struct val *))
{
	uint32_t list = UINT32_MAX;
	int rc = operand(p, v);
	while (rc >= 0 && p->tok.type == op) {
		struct val right;
		rc = expr_need_condition(p, v);
		if (rc >= 0)
			rc = expr_emit(p, (struct expr_ins){.op = (uint8_t)jump, .arg = list});
		list = p->e->n_code - 1;
		if (rc >= 0)
			rc = expr_next(p);
		if (rc >= 0)
			rc = operand(p, &right);
		if (rc >= 0)
			rc = expr_need_condition(p, &right);
	}
	while (rc >= 0 && list != UINT32_MAX) {
		struct expr_ins *ins = expr_code_of(p) + list;
		uint32_t before = ins->arg;
		ins->arg = p->e->n_code - list - 1;
		list = before;
	}
	return rc;
}

static int parse_and(struct parser *p, struct val *v)
{
	return parse_chain(p, v, TOK_AND, OP_JF, parse_not);
}

static int parse_or(struct parser *p, struct val *v)
{
	return parse_chain(p, v, TOK_OR, OP_JT, parse_and);
}

/* ---- the whole ---- */

int expr_new(struct cairn *c, const struct cairn_image *image, const char *text, struct expr **out)
{
	size_t n = strlen(text);
	if (n > EXPR_MAX_TEXT)
		return base_fail(c, CAIRN_E_INVAL, "an expression of %zu bytes is too long", n);
	struct expr *e = base_alloc(c, sizeof *e);
	if (!e)
		return CAIRN_E_NOMEM;
	int rc = CAIRN_E_NOMEM;
	e->c = c;
	e->image = image;
	base_buf_init(&e->code, c);
	base_buf_init(&e->ranges, c);
	base_buf_init(&e->strs, c);
	base_buf_init(&e->regs, c);
	e->text = base_strdup(c, text);
	if (!e->text)
		goto out;
	struct parser p = {.c = c, .e = e, .text = e->text, .p = e->text, .end = e->text + n};
	struct val v;
	rc = expr_next(&p);
	if (rc >= 0 && p.tok.type == TOK_END)
		rc = expr_fail_at(&p, p.tok.at, "an empty expression");
	if (rc >= 0)
		rc = parse_or(&p, &v);
	if (rc >= 0)
		rc = expr_need_condition(&p, &v);
	if (rc >= 0)
		rc = expr_expect(&p, TOK_END, "&& or || or the end is expected here");
	if (rc >= 0)
		*out = e;
out:
	if (rc < 0)
		expr_free(e);
	return rc;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	for (uint32_t i = 0; i < e->n_matches; i++)
		expr_match_free(e->c, e->matches[i]);
	base_buf_free(&e->code);
	base_buf_free(&e->ranges);
	base_buf_free(&e->strs);
	base_buf_free(&e->regs);
	base_free(e->c, e->text);
	base_free(e->c, e);
}

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

#include "model/select_internal.h"

enum tok {
	TOK_END,
	TOK_NUM,
	TOK_WORD,
	TOK_STRING,
	TOK_SYMBOL,
	TOK_OR,
	TOK_AND,
	TOK_NOT,
	TOK_EQ,
	TOK_NE,
	TOK_LT,
	TOK_LE,
	TOK_GT,
	TOK_GE,
	TOK_MATCH,
	TOK_IN,
	TOK_BITS,
	TOK_PLUS,
	TOK_MINUS,
	TOK_LP,
	TOK_RP,
	TOK_COMMA,
	TOK_DOTS
};

struct token {
	enum tok type;
	size_t at;     /* where it begins in the text */
	const char *s; /* a word, a string's or symbol's inside */
	size_t n;
	uint64_t num;
};

struct parser {
	struct cairn *c;
	struct expr *e;
	const char *text, *p, *end;
	struct token tok; /* the one to be looked at */
	enum expr_scope scope;
	unsigned depth, sp;
};

struct val {
	enum expr_type type;
	enum expr_enum en;
	bool mem;       /* names a field of memory accesses outside mem(…) */
	uint16_t field; /* of a text */
	uint32_t start; /* where its code begins */
	size_t at;      /* and its text */
	const char *name;
};

static int fail_at(const struct parser *p, size_t at, const char *why)
{
	return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, at, "%s", why);
}

/* ---- words ---- */

static bool is_word(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
	       ch == '_';
}

static bool is_symbol(char ch)
{
	return is_word(ch) || ch == '.' || ch == '$' || ch == ':' || ch == '@';
}

/* "…" or '…', without its quotes. */
static int lex_string(struct parser *p, enum tok type)
{
	const char *close = memchr(p->p + 1, *p->p, (size_t)(p->end - p->p - 1));
	if (!close)
		return fail_at(p, (size_t)(p->p - p->text), "the closing quote is missing");
	p->tok.type = type;
	p->tok.s = p->p + 1;
	p->tok.n = (size_t)(close - p->tok.s);
	p->p = close + 1;
	return 0;
}

static int lex_symbol(struct parser *p)
{
	p->p++;
	if (p->p < p->end && (*p->p == '"' || *p->p == '\''))
		return lex_string(p, TOK_SYMBOL);
	p->tok.type = TOK_SYMBOL;
	p->tok.s = p->p;
	while (p->p < p->end && is_symbol(*p->p))
		p->p++;
	p->tok.n = (size_t)(p->p - p->tok.s);
	return 0;
}

static int lex_number(struct parser *p)
{
	const char *why = select_number(&p->p, p->end, &p->tok.num, NULL);
	if (!why && p->p < p->end && is_word(*p->p))
		why = "does not belong to a number";
	p->tok.type = TOK_NUM;
	return why ? fail_at(p, (size_t)(p->p - p->text), why) : 0;
}

static void lex_word(struct parser *p)
{
	static const struct {
		const char *word;
		enum tok type;
	} reserved[] = {{"in", TOK_IN}, {"and", TOK_AND}, {"or", TOK_OR}, {"not", TOK_NOT}};
	p->tok.type = TOK_WORD;
	p->tok.s = p->p++;
	while (p->p < p->end && is_word(*p->p))
		p->p++;
	p->tok.n = (size_t)(p->p - p->tok.s);
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
		if (expr_same(reserved[i].word, p->tok.s, p->tok.n))
			p->tok.type = reserved[i].type;
}

static int lex_operator(struct parser *p)
{
	static const struct {
		char text[3];
		enum tok type;
	} ops[] = {/* longer ones first */
		{"||", TOK_OR}, {"&&", TOK_AND}, {"==", TOK_EQ}, {"!=", TOK_NE}, {"<=", TOK_LE},
		{">=", TOK_GE}, {"=~", TOK_MATCH}, {"..", TOK_DOTS}, {"<", TOK_LT}, {">", TOK_GT},
		{"!", TOK_NOT}, {"&", TOK_BITS}, {"+", TOK_PLUS}, {"-", TOK_MINUS}, {"(", TOK_LP},
		{")", TOK_RP}, {",", TOK_COMMA}};
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
		size_t n = strlen(ops[i].text);
		if ((size_t)(p->end - p->p) >= n && memcmp(p->p, ops[i].text, n) == 0) {
			p->tok.type = ops[i].type;
			p->p += n;
			return 0;
		}
	}
	return fail_at(p, p->tok.at,
		*p->p == '='   ? "write == to compare"
		: *p->p == '|' ? "write || for 'or'"
			       : "this character means nothing here");
}

/* Move to the next token. */
static int next(struct parser *p)
{
	while (p->p < p->end && strchr(" \t\r\n", *p->p))
		p->p++;
	p->tok = (struct token){.type = TOK_END, .at = (size_t)(p->p - p->text)};
	if (p->p == p->end)
		return 0;
	char ch = *p->p;
	if (ch >= '0' && ch <= '9')
		return lex_number(p);
	if (ch == '"' || ch == '\'')
		return lex_string(p, TOK_STRING);
	if (ch == '@')
		return lex_symbol(p);
	/* SPARC registers are written %g1. */
	if (is_word(ch) || (ch == '%' && p->end - p->p > 1 && is_word(p->p[1]))) {
		lex_word(p);
		return 0;
	}
	return lex_operator(p);
}

/* Take one token of this type; `why` is the sentence if it is another. */
static int expect(struct parser *p, enum tok type, const char *why)
{
	return p->tok.type == type ? next(p) : fail_at(p, p->tok.at, why);
}

/* ---- code ---- */

static struct expr_ins *code(struct parser *p)
{
	return (void *)p->e->code.data;
}

static int emit(struct parser *p, struct expr_ins ins)
{
	if (p->e->n_code >= EXPR_MAX_CODE)
		return fail_at(p, p->tok.at, "the expression is too long");
	int rc = base_buf_put(&p->e->code, &ins, sizeof ins);
	p->e->n_code += rc >= 0;
	return rc;
}

/* Emit an op that leaves one more number on the stack. */
static int emit_push(struct parser *p, struct expr_ins ins)
{
	if (p->sp >= EXPR_MAX_STACK)
		return fail_at(p, p->tok.at, "the arithmetic is nested too deeply");
	p->sp++;
	return emit(p, ins);
}

static void drop_code(struct parser *p, uint32_t n)
{
	p->e->n_code = n;
	p->e->code.len = n * sizeof(struct expr_ins);
}

static bool single(struct parser *p, uint32_t start, uint32_t end, enum expr_opcode op)
{
	return end == start + 1 && code(p)[start].op == op;
}

/* Put what was emitted since `start` into a group over memory accesses. */
static int wrap_mem(struct parser *p, uint32_t start)
{
	uint32_t n = p->e->n_code - start;
	int rc = emit(p, (struct expr_ins){0});
	if (rc < 0)
		return rc;
	struct expr_ins *at = code(p) + start;
	memmove(at + 1, at, n * sizeof *at);
	*at = (struct expr_ins){.op = OP_GROUP, .cmp = EXPR_MEM, .arg = n};
	return 0;
}

/* The number in `v` has been judged by the op just emitted. */
static int close_condition(struct parser *p, struct val *v)
{
	v->type = EXPR_COND;
	p->sp--;
	return v->mem ? wrap_mem(p, v->start) : 0;
}

static int emit_arithmetic(struct parser *p, enum expr_opcode op)
{
	uint32_t n = p->e->n_code;
	struct expr_ins *ins = code(p);
	p->sp--;
	if (n < 2 || ins[n - 1].op != OP_CONST || ins[n - 2].op != OP_CONST)
		return emit(p, (struct expr_ins){.op = (uint8_t)op});
	/* A constant's code is one op, so these two are the operands. */
	uint64_t b = ins[n - 1].imm, *a = &ins[n - 2].imm;
	*a = op == OP_ADD ? *a + b : op == OP_SUB ? *a - b : *a & b;
	drop_code(p, n - 1);
	return 0;
}

static bool is_number(enum expr_type t)
{
	return t == EXPR_NUM || t == EXPR_BITS;
}

static int need_number(struct parser *p, const struct val *v)
{
	return is_number(v->type) ? 0 : fail_at(p, v->at, "a number is expected here");
}

/* Make a condition of what was parsed. */
static int need_condition(struct parser *p, struct val *v)
{
	if (v->type == EXPR_COND)
		return 0;
	if (v->type == EXPR_BOOL || v->type == EXPR_BITS) {
		int rc = 0;
		if (single(p, v->start, p->e->n_code, OP_FIELD))
			code(p)[v->start].op = OP_TRUTH_F;
		else
			rc = emit(p, (struct expr_ins){.op = OP_TRUTH});
		return rc < 0 ? rc : close_condition(p, v);
	}
	if (v->name && v->type != EXPR_NUM)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, v->at,
			"'%s' has many values: compare it, as in %s==NAME", v->name, v->name);
	if (v->name)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, v->at,
			"'%s' is a number: compare it, as in %s==0x10, or ask known(%s)", v->name,
			v->name, v->name);
	return fail_at(p, v->at, "a number alone is no condition");
}

/* ---- names ---- */

static int parse_or(struct parser *p, struct val *v);
static int parse_bits(struct parser *p, struct val *v);

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
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
			"'%s' is asked of %s, this group is about %s: write them apart, joined by "
			"&&",
			q, things[f.scope], things[p->scope]);
	if (expr_reg_find(&reg, t->s, t->n) == 0)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
			"'%s' is a register: write reads(%s), writes(%s) or "
			"reg(name==%s && value==...)",
			q, q, q, q);
	return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, t->at,
		"unknown field '%s'%s", q,
		expr_near_field(t->s, t->n, p->scope, near, sizeof near));
}

static int parse_field(struct parser *p, const struct token *t, struct val *v)
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
	return emit_push(p, (struct expr_ins){.op = OP_FIELD, .field = f.id, .arg = f.arg});
}

/* Append the register named by the token; it is the next one of regs. */
static int add_reg(struct parser *p)
{
	struct expr_reg reg;
	char q[48];
	if (p->tok.type != TOK_WORD && p->tok.type != TOK_STRING)
		return fail_at(p, p->tok.at, "the name of a register is expected here");
	if (expr_reg_find(&reg, p->tok.s, p->tok.n) < 0)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, p->tok.at,
			"no instruction set has a register '%s'",
			select_quote(q, sizeof q, p->tok.s, p->tok.n));
	if (p->e->regs.len / sizeof reg >= EXPR_MAX_REGS)
		return fail_at(p, p->tok.at, "too many registers are named");
	int rc = base_buf_put(&p->e->regs, &reg, sizeof reg);
	return rc < 0 ? rc : next(p);
}

static uint32_t n_regs(const struct parser *p)
{
	return (uint32_t)(p->e->regs.len / sizeof(struct expr_reg));
}

/* ---- calls ---- */

static int refuse_inside_group(struct parser *p, size_t at)
{
	return p->scope == EXPR_ROW
		       ? 0
		       : fail_at(p, at, "groups do not nest: write them apart, joined by &&");
}

static int call_group(struct parser *p, enum expr_scope scope, struct val *v)
{
	static const uint32_t parts[] = {0, CAIRN_MEMS, CAIRN_REGS, CAIRN_EVENTS};
	uint32_t at = p->e->n_code;
	int rc = emit(p, (struct expr_ins){.op = OP_GROUP, .cmp = (uint8_t)scope});
	if (rc < 0)
		return rc;
	p->scope = scope;
	p->e->parts |= parts[scope];
	rc = parse_or(p, v);
	if (rc >= 0)
		rc = need_condition(p, v);
	p->scope = EXPR_ROW;
	if (rc < 0)
		return rc;
	code(p)[at].arg = p->e->n_code - at - 1;
	return 0;
}

static int call_regs(struct parser *p, enum cairn_reg_role role)
{
	uint32_t first = n_regs(p);
	for (;;) {
		int rc = add_reg(p);
		if (rc < 0)
			return rc;
		if (p->tok.type != TOK_COMMA)
			break;
		rc = next(p);
		if (rc < 0)
			return rc;
	}
	p->e->parts |= CAIRN_REGS | CAIRN_ENC;
	return emit(p, (struct expr_ins){.op = OP_ANY_REG,
			       .field = (uint16_t)role,
			       .arg = first,
			       .imm = n_regs(p) - first});
}

static int call_known(struct parser *p, struct val *v)
{
	int rc = parse_bits(p, v);
	if (rc < 0)
		return rc;
	if (v->type == EXPR_COND || v->type == EXPR_TEXT || v->type == EXPR_REGNAME)
		return fail_at(p, v->at, "known(...) asks about a field that has a value");
	rc = emit(p, (struct expr_ins){.op = OP_KNOWN});
	return rc < 0 ? rc : close_condition(p, v);
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
		return fail_at(p, t->at, "the expression is nested too deeply");
	rc = next(p);
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
	return expect(p, TOK_RP, "a closing parenthesis is expected here");
}

static int parse_word(struct parser *p, struct val *v)
{
	struct token t = p->tok;
	int rc = next(p);
	if (rc < 0)
		return rc;
	if (p->tok.type == TOK_LP)
		return parse_call(p, &t, v);
	bool yes = expr_same("true", t.s, t.n);
	if (yes || expr_same("false", t.s, t.n)) {
		v->type = EXPR_BOOL;
		return emit_push(p, (struct expr_ins){.op = OP_CONST, .imm = yes});
	}
	if (expr_same("event", t.s, t.n)) {
		rc = refuse_inside_group(p, t.at);
		v->type = EXPR_COND;
		p->e->parts |= CAIRN_EVENTS;
		return rc < 0 ? rc : emit(p, (struct expr_ins){.op = OP_ANY_EVENT});
	}
	return parse_field(p, &t, v);
}

/* ---- numbers ---- */

static int parse_primary(struct parser *p, struct val *v);

static int parse_symbol(struct parser *p, struct val *v)
{
	uint64_t first, last;
	int rc = select_symbol(p->c, p->e->image, "expression", p->text, p->tok.at, p->tok.s,
		p->tok.n, &first, &last);
	if (rc < 0)
		return rc;
	v->type = EXPR_NUM;
	rc = emit_push(p, (struct expr_ins){.op = OP_CONST, .imm = first});
	return rc < 0 ? rc : next(p);
}

static int parse_parens(struct parser *p, struct val *v)
{
	if (++p->depth > EXPR_MAX_DEPTH)
		return fail_at(p, p->tok.at, "the expression is nested too deeply");
	int rc = next(p);
	if (rc >= 0)
		rc = parse_or(p, v);
	p->depth--;
	return rc < 0 ? rc : expect(p, TOK_RP, "a closing parenthesis is expected here");
}

static int parse_negative(struct parser *p, struct val *v)
{
	struct val inner;
	if (++p->depth > EXPR_MAX_DEPTH)
		return fail_at(p, p->tok.at, "the expression is nested too deeply");
	int rc = emit_push(p, (struct expr_ins){.op = OP_CONST});
	if (rc >= 0)
		rc = next(p);
	if (rc >= 0)
		rc = parse_primary(p, &inner);
	if (rc >= 0)
		rc = need_number(p, &inner);
	p->depth--;
	if (rc < 0)
		return rc;
	v->type = EXPR_NUM;
	v->mem = inner.mem;
	return emit_arithmetic(p, OP_SUB);
}

static int parse_primary(struct parser *p, struct val *v)
{
	*v = (struct val){.start = p->e->n_code, .at = p->tok.at};
	int rc;
	switch (p->tok.type) {
	case TOK_NUM:
		v->type = EXPR_NUM;
		rc = emit_push(p, (struct expr_ins){.op = OP_CONST, .imm = p->tok.num});
		return rc < 0 ? rc : next(p);
	case TOK_SYMBOL:
		return parse_symbol(p, v);
	case TOK_LP:
		return parse_parens(p, v);
	case TOK_MINUS:
		return parse_negative(p, v);
	case TOK_WORD:
		return parse_word(p, v);
	case TOK_END:
		return fail_at(p, p->tok.at, "the expression ends where a value is expected");
	default:
		return fail_at(p, p->tok.at, "a value is expected here");
	}
}

/* The right operand of + - &: parse it and join it with the left one. */
static int join(struct parser *p, struct val *v, enum expr_opcode op,
	int (*operand)(struct parser *, struct val *))
{
	struct val right;
	int rc = need_number(p, v);
	if (rc >= 0)
		rc = next(p);
	if (rc >= 0)
		rc = operand(p, &right);
	if (rc >= 0)
		rc = need_number(p, &right);
	if (rc < 0)
		return rc;
	v->type = op == OP_AND ? EXPR_BITS : EXPR_NUM;
	v->mem |= right.mem;
	v->name = NULL;
	return emit_arithmetic(p, op);
}

static int parse_sum(struct parser *p, struct val *v)
{
	int rc = parse_primary(p, v);
	while (rc >= 0 && (p->tok.type == TOK_PLUS || p->tok.type == TOK_MINUS))
		rc = join(p, v, p->tok.type == TOK_PLUS ? OP_ADD : OP_SUB, parse_primary);
	return rc;
}

static int parse_bits(struct parser *p, struct val *v)
{
	int rc = parse_sum(p, v);
	while (rc >= 0 && p->tok.type == TOK_BITS)
		rc = join(p, v, OP_AND, parse_sum);
	return rc;
}

/* ---- comparisons ---- */

/* A name or number of an enum; its value. */
static int parse_enum_value(struct parser *p, enum expr_enum en, uint64_t *value)
{
	char q[48], near[160];
	if (p->tok.type == TOK_NUM) {
		*value = p->tok.num;
		return next(p);
	}
	if (p->tok.type != TOK_WORD && p->tok.type != TOK_STRING)
		return fail_at(p, p->tok.at, "a name is expected here");
	int found = expr_enum_value(en, p->tok.s, p->tok.n);
	if (found < 0)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, p->tok.at,
			"unknown name '%s'%s", select_quote(q, sizeof q, p->tok.s, p->tok.n),
			expr_near_enum(en, p->tok.s, p->tok.n, near, sizeof near));
	*value = (uint64_t)found;
	return next(p);
}

/* 0x1000-0x1fff, 1000..2000, 1000.., ..2000, 5, @main, @main+0x10 */
static int parse_range(struct parser *p, struct select_range *r)
{
	int rc = 0;
	*r = (struct select_range){0, UINT64_MAX};
	if (p->tok.type == TOK_SYMBOL) {
		rc = select_symbol(p->c, p->e->image, "expression", p->text, p->tok.at, p->tok.s,
			p->tok.n, &r->first, &r->last);
		if (rc >= 0)
			rc = next(p);
		if (rc < 0 || p->tok.type != TOK_PLUS)
			return rc;
		rc = next(p);
		if (rc >= 0 && p->tok.type != TOK_NUM)
			return fail_at(p, p->tok.at, "a number is expected here");
		r->last = r->first += p->tok.num;
		return rc < 0 ? rc : next(p);
	}
	bool from = p->tok.type == TOK_NUM;
	if (!from && p->tok.type != TOK_DOTS)
		return fail_at(
			p, p->tok.at, "a range is expected here: @main, 0x1000-0x1fff, 1000..2000");
	if (from) {
		r->first = r->last = p->tok.num;
		rc = next(p);
		if (rc < 0 || (p->tok.type != TOK_DOTS && p->tok.type != TOK_MINUS))
			return rc;
	}
	bool may_be_open = from && p->tok.type == TOK_DOTS;
	rc = next(p);
	if (rc < 0)
		return rc;
	if (p->tok.type != TOK_NUM) {
		r->last = UINT64_MAX;
		return may_be_open ? 0
				   : fail_at(p, p->tok.at, "the end of the range is expected here");
	}
	r->last = p->tok.num;
	if (r->last < r->first)
		return fail_at(p, p->tok.at, "the range ends before it begins");
	return next(p);
}

/* One member of the set on the right of `in`. */
static int parse_member(struct parser *p, const struct val *v, uint64_t *mask)
{
	struct select_range range;
	uint64_t value;
	size_t at = p->tok.at;
	int rc;
	switch (v->type) {
	case EXPR_ENUM:
		rc = parse_enum_value(p, v->en, &value);
		if (rc >= 0 && value >= 64)
			return fail_at(p, at, "no name has a number this large");
		*mask |= rc >= 0 ? UINT64_C(1) << value : 0;
		return rc;
	case EXPR_REGNAME:
		return add_reg(p);
	default:
		rc = parse_range(p, &range);
		return rc < 0 ? rc : base_buf_put(&p->e->ranges, &range, sizeof range);
	}
}

static int parse_in(struct parser *p, struct val *v)
{
	uint64_t mask = 0;
	uint32_t ranges = (uint32_t)(p->e->ranges.len / sizeof(struct select_range));
	uint32_t regs = n_regs(p);
	bool list = p->tok.type == TOK_LP;
	if (v->type == EXPR_TEXT)
		return fail_at(p, v->at, "text is compared with == or =~");
	int rc = list ? next(p) : 0;
	if (rc >= 0)
		rc = parse_member(p, v, &mask);
	while (rc >= 0 && list && p->tok.type == TOK_COMMA) {
		rc = next(p);
		if (rc >= 0)
			rc = parse_member(p, v, &mask);
	}
	if (rc >= 0 && list)
		rc = expect(p, TOK_RP, "a comma or a closing parenthesis is expected here");
	if (rc < 0)
		return rc;
	if (v->type == EXPR_REGNAME) {
		v->type = EXPR_COND;
		return emit(p, (struct expr_ins){.op = OP_NAME_IN,
				       .cmp = CMP_EQ,
				       .arg = regs,
				       .imm = n_regs(p) - regs});
	}
	if (v->type == EXPR_ENUM)
		rc = emit(p, (struct expr_ins){.op = OP_SET, .imm = mask});
	else
		rc = emit(
			p, (struct expr_ins){.op = OP_IN,
				   .arg = ranges,
				   .imm = p->e->ranges.len / sizeof(struct select_range) - ranges});
	return rc < 0 ? rc : close_condition(p, v);
}

/* All values of the enum whose names contain the pattern. */
static uint64_t matching_names(enum expr_enum en, const struct expr_match *m)
{
	uint64_t mask = 0;
	unsigned value;
	const char *s;
	for (unsigned i = 0; (s = expr_enum_name(en, i, &value)) != NULL; i++)
		mask |= expr_match_find(m, s, strlen(s)) ? UINT64_C(1) << value : 0;
	return mask;
}

static int parse_match(struct parser *p, struct val *v)
{
	struct expr *e = p->e;
	const char *why;
	if (v->type != EXPR_ENUM && v->type != EXPR_TEXT && v->type != EXPR_REGNAME)
		return fail_at(p, v->at, "=~ asks for names and text, this is a number");
	if (p->tok.type != TOK_STRING && p->tok.type != TOK_WORD)
		return fail_at(p, p->tok.at, "a pattern is expected here, best in quotes");
	if (e->n_matches == EXPR_MAX_MATCHES)
		return fail_at(p, p->tok.at, "too many patterns in one expression");
	struct expr_match *m = expr_match_new(p->c, p->tok.s, p->tok.n, &why);
	if (!m)
		return why ? fail_at(p, p->tok.at, why) : CAIRN_E_NOMEM;
	struct expr_ins ins = {.field = v->field, .arg = e->n_matches};
	enum expr_type type = v->type;
	if (type == EXPR_ENUM) {
		ins = (struct expr_ins){.op = OP_SET, .imm = matching_names(v->en, m)};
		expr_match_free(p->c, m);
	} else {
		e->matches[e->n_matches++] = m;
		ins.op = type == EXPR_TEXT ? OP_TEXT_FIND : OP_NAME_FIND;
		v->type = EXPR_COND;
	}
	int rc = emit(p, ins);
	if (rc >= 0 && type == EXPR_ENUM)
		rc = close_condition(p, v);
	return rc < 0 ? rc : next(p);
}

/* name==a0, symbol=="main": nothing lies on the stack. */
static int parse_text_compare(struct parser *p, struct val *v, enum expr_cmp cmp)
{
	struct expr *e = p->e;
	if (cmp != CMP_EQ && cmp != CMP_NE)
		return fail_at(p, v->at, "names and text are compared with ==, != or =~");
	struct expr_ins ins = {.field = v->field, .cmp = (uint8_t)cmp};
	int rc;
	if (v->type == EXPR_REGNAME) {
		ins.op = OP_NAME_IN;
		ins.arg = n_regs(p);
		ins.imm = 1;
		rc = add_reg(p);
	} else {
		if (p->tok.type != TOK_STRING && p->tok.type != TOK_WORD)
			return fail_at(p, p->tok.at, "text is expected here, best in quotes");
		struct expr_str s = {(uint32_t)(p->tok.s - p->text), (uint32_t)p->tok.n};
		ins.op = OP_TEXT_EQ;
		ins.arg = (uint32_t)(e->strs.len / sizeof s);
		rc = base_buf_put(&e->strs, &s, sizeof s);
		if (rc >= 0)
			rc = next(p);
	}
	v->type = EXPR_COND;
	return rc < 0 ? rc : emit(p, ins);
}

static int emit_compare(struct parser *p, struct val *a, const struct val *b, enum expr_cmp cmp)
{
	static const uint8_t mirrored[] = {CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE};
	uint32_t n = p->e->n_code;
	struct expr_ins *x = code(p) + a->start;
	int rc = 0;
	if (single(p, a->start, b->start, OP_FIELD) && single(p, b->start, n, OP_CONST)) {
		x[0].op = OP_CMP_FC;
		x[0].cmp = (uint8_t)cmp;
		x[0].imm = x[1].imm;
		drop_code(p, n - 1);
	} else if (single(p, a->start, b->start, OP_CONST) && single(p, b->start, n, OP_FIELD)) {
		uint64_t imm = x[0].imm;
		x[0] = x[1];
		x[0].op = OP_CMP_FC;
		x[0].cmp = mirrored[cmp];
		x[0].imm = imm;
		drop_code(p, n - 1);
	} else {
		rc = emit(p, (struct expr_ins){.op = OP_CMP, .cmp = (uint8_t)cmp});
	}
	p->sp--;
	a->mem |= b->mem;
	return rc < 0 ? rc : close_condition(p, a);
}

static int parse_number_compare(struct parser *p, struct val *v, enum expr_cmp cmp)
{
	struct val right = {.type = EXPR_NUM, .start = p->e->n_code, .at = p->tok.at};
	uint64_t value;
	int rc;
	if (v->type == EXPR_ENUM && (p->tok.type == TOK_WORD || p->tok.type == TOK_STRING)) {
		rc = parse_enum_value(p, v->en, &value);
		if (rc >= 0)
			rc = emit_push(p, (struct expr_ins){.op = OP_CONST, .imm = value});
	} else {
		rc = parse_bits(p, &right);
	}
	if (rc < 0)
		return rc;
	if (!is_number(right.type) && right.type != EXPR_BOOL)
		return right.type == EXPR_COND
			       ? fail_at(p, right.at, "a condition cannot be compared")
			       : fail_at(p, right.at,
					 "write the field first and its name after: class==load");
	return emit_compare(p, v, &right, cmp);
}

static bool is_compare(enum tok t)
{
	return t >= TOK_EQ && t <= TOK_IN;
}

static int parse_compare(struct parser *p, struct val *v)
{
	int rc = parse_bits(p, v);
	enum tok op = p->tok.type;
	if (rc < 0 || !is_compare(op))
		return rc;
	if (v->type == EXPR_COND)
		return fail_at(p, p->tok.at, "a condition cannot be compared");
	rc = next(p);
	if (rc < 0)
		return rc;
	if (op == TOK_IN)
		rc = parse_in(p, v);
	else if (op == TOK_MATCH)
		rc = parse_match(p, v);
	else if (v->type == EXPR_TEXT || v->type == EXPR_REGNAME)
		rc = parse_text_compare(p, v, (enum expr_cmp)(op - TOK_EQ));
	else
		rc = parse_number_compare(p, v, (enum expr_cmp)(op - TOK_EQ));
	if (rc >= 0 && is_compare(p->tok.type))
		return fail_at(p, p->tok.at, "comparisons do not chain: write 1<n && n<5");
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
		rc = next(p);
	}
	if (rc >= 0)
		rc = parse_compare(p, v);
	if (rc >= 0 && any)
		rc = need_condition(p, v);
	return rc < 0 || !negate ? rc : emit(p, (struct expr_ins){.op = OP_NOT});
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
		rc = need_condition(p, v);
		if (rc >= 0)
			rc = emit(p, (struct expr_ins){.op = (uint8_t)jump, .arg = list});
		list = p->e->n_code - 1;
		if (rc >= 0)
			rc = next(p);
		if (rc >= 0)
			rc = operand(p, &right);
		if (rc >= 0)
			rc = need_condition(p, &right);
	}
	while (rc >= 0 && list != UINT32_MAX) {
		struct expr_ins *ins = code(p) + list;
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
	rc = next(&p);
	if (rc >= 0 && p.tok.type == TOK_END)
		rc = fail_at(&p, p.tok.at, "an empty expression");
	if (rc >= 0)
		rc = parse_or(&p, &v);
	if (rc >= 0)
		rc = need_condition(&p, &v);
	if (rc >= 0)
		rc = expect(&p, TOK_END, "&& or || or the end is expected here");
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

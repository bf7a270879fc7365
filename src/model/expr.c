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

static int parse_or(struct parser *parser, struct val *val);

int expr_reg_find(struct expr_reg *out, const char *text, size_t n)
{
	*out = (struct expr_reg){0};
	for (unsigned isa = 0; isa <= CAIRN_ISA_LAST; isa++) {
		enum cairn_reg_class cls;
		unsigned num;
		if (cairn_reg_find((enum cairn_isa)isa, text, n, &cls, &num) < 0 || num > UINT16_MAX)
			continue;
		out->known |= 1u << isa;
		out->cls[isa] = (uint8_t)cls;
		out->num[isa] = (uint16_t)num;
	}
	if (!out->known && n > 1 && *text == '%')
		return expr_reg_find(out, text + 1, n - 1);
	return out->known ? 0 : CAIRN_E_NOTFOUND;
}

static int unknown_word(struct parser *parser, const struct token *token)
{
	static const char *const groups[] = {"", "mem", "reg", "event"};
	static const char *const things[] = {"", "memory accesses", "registers", "events"};
	char q[48], near[160];
	struct expr_field field;
	struct expr_reg reg;
	select_quote(q, sizeof q, token->s, token->n);
	bool elsewhere = expr_field_anywhere(token->s, token->n, &field);
	if (elsewhere && parser->scope == EXPR_ROW)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, token->at,
		                   "'%s' is asked of %s: write %s(... %s ...)", q, things[field.scope],
		                   groups[field.scope], q);
	if (elsewhere)
		return select_fail(
			parser->cairn, CAIRN_E_INVAL, "expression", parser->text, token->at,
			"'%s' is asked of %s, this group is about %s: write them apart, joined by "
			"&&",
			q, things[field.scope], things[parser->scope]);
	if (expr_reg_find(&reg, token->s, token->n) == 0)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, token->at,
		                   "'%s' is a register: write reads(%s), writes(%s) or "
		                   "reg(name==%s && value==...)",
		                   q, q, q, q);
	return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, token->at,
	                   "unknown field '%s'%s", q,
	                   expr_near_field(token->s, token->n, parser->scope, near, sizeof near));
}

static int expr_parse_field(struct parser *parser, const struct token *token, struct val *val)
{
	struct expr_field field;
	if (!expr_field_find(token->s, token->n, parser->scope, &field))
		return unknown_word(parser, token);
	parser->expr->parts |= field.parts;
	parser->expr->context |= (field.parts & CAIRN_CONTEXT) != 0;
	parser->expr->records |= field.id == F_RECORD || field.id == F_OFFSET;
	val->type = (enum expr_type)field.type;
	val->en = (enum expr_enum)field.en;
	val->field = field.id;
	val->mem = field.scope == EXPR_MEM && parser->scope == EXPR_ROW;
	val->name = field.name;
	if (field.type == EXPR_TEXT || field.type == EXPR_REGNAME)
		return 0;
	return expr_push(parser,
	                 (struct expr_ins){.op = OP_FIELD, .field = field.id, .arg = field.arg});
}

/* Append the register that the token names as the next one of regs. */
int expr_add_reg(struct parser *parser)
{
	struct expr_reg reg;
	char q[48];
	if (parser->tok.type != TOK_WORD && parser->tok.type != TOK_STRING)
		return expr_fail_at(parser, parser->tok.at, "the name of a register is expected here");
	if (expr_reg_find(&reg, parser->tok.s, parser->tok.n) < 0)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, parser->tok.at,
		                   "no instruction set has a register '%s'",
		                   select_quote(q, sizeof q, parser->tok.s, parser->tok.n));
	if (parser->expr->regs.len / sizeof reg >= EXPR_MAX_REGS)
		return expr_fail_at(parser, parser->tok.at, "too many registers are named");
	int rc = base_buf_put(&parser->expr->regs, &reg, sizeof reg);
	return rc < 0 ? rc : expr_next(parser);
}

uint32_t expr_n_regs(const struct parser *parser)
{
	return (uint32_t)(parser->expr->regs.len / sizeof(struct expr_reg));
}

/* ---- calls ---- */

static int refuse_inside_group(struct parser *parser, size_t at)
{
	return parser->scope == EXPR_ROW
	           ? 0
	           : expr_fail_at(parser, at, "groups do not nest: write them apart, joined by &&");
}

static int call_group(struct parser *parser, enum expr_scope scope, struct val *val)
{
	static const uint32_t parts[] = {0, CAIRN_MEMS, CAIRN_REGS, CAIRN_EVENTS};
	uint32_t at = parser->expr->n_code;
	int rc = expr_emit(parser, (struct expr_ins){.op = OP_GROUP, .cmp = (uint8_t)scope});
	if (rc < 0)
		return rc;
	parser->scope = scope;
	parser->expr->parts |= parts[scope];
	rc = parse_or(parser, val);
	if (rc >= 0)
		rc = expr_need_condition(parser, val);
	parser->scope = EXPR_ROW;
	if (rc < 0)
		return rc;
	expr_code_of(parser)[at].arg = parser->expr->n_code - at - 1;
	return 0;
}

static int call_regs(struct parser *parser, enum cairn_reg_role role)
{
	uint32_t first = expr_n_regs(parser);
	for (;;) {
		int rc = expr_add_reg(parser);
		if (rc < 0)
			return rc;
		if (parser->tok.type != TOK_COMMA)
			break;
		rc = expr_next(parser);
		if (rc < 0)
			return rc;
	}
	parser->expr->parts |= CAIRN_REGS | CAIRN_ENC;
	return expr_emit(parser, (struct expr_ins){.op = OP_ANY_REG,
	                                           .field = (uint16_t)role,
	                                           .arg = first,
	                                           .imm = expr_n_regs(parser) - first});
}

static int call_known(struct parser *parser, struct val *val)
{
	int rc = expr_parse_bits(parser, val);
	if (rc < 0)
		return rc;
	if (val->type == EXPR_COND || val->type == EXPR_TEXT || val->type == EXPR_REGNAME)
		return expr_fail_at(parser, val->at, "known(...) asks about a field that has a value");
	rc = expr_emit(parser, (struct expr_ins){.op = OP_KNOWN});
	return rc < 0 ? rc : expr_close(parser, val);
}

/* name(…); the token is the opening parenthesis. */
static int parse_call(struct parser *parser, const struct token *token, struct val *val)
{
	static const char *const names[] = {"mem", "reg", "event", "reads", "writes", "known"};
	char q[48], near[160];
	size_t which = 0, n = sizeof names / sizeof names[0];
	while (which < n && !expr_same(names[which], token->s, token->n))
		which++;
	if (which == n)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, token->at,
		                   "'%s' takes no parentheses%s",
		                   select_quote(q, sizeof q, token->s, token->n),
		                   expr_near_field(token->s, token->n, parser->scope, near, sizeof near));
	int rc = which == 5 ? 0 : refuse_inside_group(parser, token->at);
	if (rc < 0)
		return rc;
	if (++parser->depth > EXPR_MAX_DEPTH)
		return expr_fail_at(parser, token->at, "the expression is nested too deeply");
	rc = expr_next(parser);
	if (rc < 0)
		return rc;
	if (which < 3)
		rc = call_group(parser, (enum expr_scope)(EXPR_MEM + which), val);
	else if (which < 5)
		rc = call_regs(parser, which == 3 ? CAIRN_ROLE_SRC : CAIRN_ROLE_DST);
	else
		rc = call_known(parser, val);
	if (rc < 0)
		return rc;
	parser->depth--;
	*val = (struct val){.type = EXPR_COND, .start = val->start, .at = token->at};
	return expr_expect(parser, TOK_RP, "a closing parenthesis is expected here");
}

static int expr_parse_word(struct parser *parser, struct val *val)
{
	struct token token = parser->tok;
	int rc = expr_next(parser);
	if (rc < 0)
		return rc;
	if (parser->tok.type == TOK_LP)
		return parse_call(parser, &token, val);
	bool yes = expr_same("true", token.s, token.n);
	if (yes || expr_same("false", token.s, token.n)) {
		val->type = EXPR_BOOL;
		return expr_push(parser, (struct expr_ins){.op = OP_CONST, .imm = yes});
	}
	if (expr_same("event", token.s, token.n)) {
		rc = refuse_inside_group(parser, token.at);
		val->type = EXPR_COND;
		parser->expr->parts |= CAIRN_EVENTS;
		return rc < 0 ? rc : expr_emit(parser, (struct expr_ins){.op = OP_ANY_EVENT});
	}
	return expr_parse_field(parser, &token, val);
}

/* ---- numbers ---- */

static int parse_primary(struct parser *parser, struct val *val);

static int parse_symbol(struct parser *parser, struct val *val)
{
	uint64_t first, last;
	int rc = select_symbol(parser->cairn, parser->expr->image, "expression", parser->text,
	                       parser->tok.at, parser->tok.s, parser->tok.n, &first, &last);
	if (rc < 0)
		return rc;
	val->type = EXPR_NUM;
	rc = expr_push(parser, (struct expr_ins){.op = OP_CONST, .imm = first});
	return rc < 0 ? rc : expr_next(parser);
}

static int parse_parens(struct parser *parser, struct val *val)
{
	if (++parser->depth > EXPR_MAX_DEPTH)
		return expr_fail_at(parser, parser->tok.at, "the expression is nested too deeply");
	int rc = expr_next(parser);
	if (rc >= 0)
		rc = parse_or(parser, val);
	parser->depth--;
	return rc < 0 ? rc : expr_expect(parser, TOK_RP, "a closing parenthesis is expected here");
}

static int parse_negative(struct parser *parser, struct val *val)
{
	struct val inner;
	if (++parser->depth > EXPR_MAX_DEPTH)
		return expr_fail_at(parser, parser->tok.at, "the expression is nested too deeply");
	int rc = expr_push(parser, (struct expr_ins){.op = OP_CONST});
	if (rc >= 0)
		rc = expr_next(parser);
	if (rc >= 0)
		rc = parse_primary(parser, &inner);
	if (rc >= 0)
		rc = expr_need_number(parser, &inner);
	parser->depth--;
	if (rc < 0)
		return rc;
	val->type = EXPR_NUM;
	val->mem = inner.mem;
	return expr_arithmetic(parser, OP_SUB);
}

static int parse_primary(struct parser *parser, struct val *val)
{
	*val = (struct val){.start = parser->expr->n_code, .at = parser->tok.at};
	int rc;
	switch (parser->tok.type) {
	case TOK_NUM:
		val->type = EXPR_NUM;
		rc = expr_push(parser, (struct expr_ins){.op = OP_CONST, .imm = parser->tok.num});
		return rc < 0 ? rc : expr_next(parser);
	case TOK_SYMBOL:
		return parse_symbol(parser, val);
	case TOK_LP:
		return parse_parens(parser, val);
	case TOK_MINUS:
		return parse_negative(parser, val);
	case TOK_WORD:
		return expr_parse_word(parser, val);
	case TOK_END:
		return expr_fail_at(parser, parser->tok.at,
		                    "the expression ends where a value is expected");
	default:
		return expr_fail_at(parser, parser->tok.at, "a value is expected here");
	}
}

/* The right operand of + - &: parse it and join it with the left one. */
static int expr_join(struct parser *parser, struct val *val, enum expr_opcode op,
                     int (*operand)(struct parser *, struct val *))
{
	struct val right;
	int rc = expr_need_number(parser, val);
	if (rc >= 0)
		rc = expr_next(parser);
	if (rc >= 0)
		rc = operand(parser, &right);
	if (rc >= 0)
		rc = expr_need_number(parser, &right);
	if (rc < 0)
		return rc;
	val->type = op == OP_AND ? EXPR_BITS : EXPR_NUM;
	val->mem |= right.mem;
	val->name = NULL;
	return expr_arithmetic(parser, op);
}

static int parse_sum(struct parser *parser, struct val *val)
{
	int rc = parse_primary(parser, val);
	while (rc >= 0 && (parser->tok.type == TOK_PLUS || parser->tok.type == TOK_MINUS))
		rc = expr_join(parser, val, parser->tok.type == TOK_PLUS ? OP_ADD : OP_SUB, parse_primary);
	return rc;
}

int expr_parse_bits(struct parser *parser, struct val *val)
{
	int rc = parse_sum(parser, val);
	while (rc >= 0 && parser->tok.type == TOK_BITS)
		rc = expr_join(parser, val, OP_AND, parse_sum);
	return rc;
}

/* ---- conditions ---- */

static int parse_not(struct parser *parser, struct val *val)
{
	bool negate = false, any = false;
	int rc = 0;
	while (rc >= 0 && parser->tok.type == TOK_NOT) {
		negate = !negate;
		any = true;
		rc = expr_next(parser);
	}
	if (rc >= 0)
		rc = expr_parse_compare(parser, val);
	if (rc >= 0 && any)
		rc = expr_need_condition(parser, val);
	return rc < 0 || !negate ? rc : expr_emit(parser, (struct expr_ins){.op = OP_NOT});
}

/* A chain of && or ||: each operand but the last is followed by a jump over the
 * rest. Until the end is known the jumps are a list, linked through arg. */
static int parse_chain(struct parser *parser, struct val *val, enum tok op, enum expr_opcode jump,
                       int (*operand)(struct parser *, struct val *))
{
	uint32_t list = UINT32_MAX;
	int rc = operand(parser, val);
	while (rc >= 0 && parser->tok.type == op) {
		struct val right;
		rc = expr_need_condition(parser, val);
		if (rc >= 0)
			rc = expr_emit(parser, (struct expr_ins){.op = (uint8_t)jump, .arg = list});
		list = parser->expr->n_code - 1;
		if (rc >= 0)
			rc = expr_next(parser);
		if (rc >= 0)
			rc = operand(parser, &right);
		if (rc >= 0)
			rc = expr_need_condition(parser, &right);
	}
	while (rc >= 0 && list != UINT32_MAX) {
		struct expr_ins *ins = expr_code_of(parser) + list;
		uint32_t before = ins->arg;
		ins->arg = parser->expr->n_code - list - 1;
		list = before;
	}
	return rc;
}

static int parse_and(struct parser *parser, struct val *val)
{
	return parse_chain(parser, val, TOK_AND, OP_JF, parse_not);
}

static int parse_or(struct parser *parser, struct val *val)
{
	return parse_chain(parser, val, TOK_OR, OP_JT, parse_and);
}

/* ---- the whole ---- */

int expr_new(struct cairn *cairn, const struct cairn_image *image, const char *text,
             struct expr **out)
{
	size_t n = strlen(text);
	if (n > EXPR_MAX_TEXT)
		return base_fail(cairn, CAIRN_E_INVAL, "an expression of %zu bytes is too long", n);
	struct expr *expr = base_alloc(cairn, sizeof *expr);
	if (!expr)
		return CAIRN_E_NOMEM;
	int rc = CAIRN_E_NOMEM;
	expr->cairn = cairn;
	expr->image = image;
	base_buf_init(&expr->code, cairn);
	base_buf_init(&expr->ranges, cairn);
	base_buf_init(&expr->strs, cairn);
	base_buf_init(&expr->regs, cairn);
	expr->text = base_strdup(cairn, text);
	if (!expr->text)
		goto out;
	struct parser parser = {.cairn = cairn,
	                        .expr = expr,
	                        .text = expr->text,
	                        .p = expr->text,
	                        .end = expr->text + n};
	struct val val;
	rc = expr_next(&parser);
	if (rc >= 0 && parser.tok.type == TOK_END)
		rc = expr_fail_at(&parser, parser.tok.at, "an empty expression");
	if (rc >= 0)
		rc = parse_or(&parser, &val);
	if (rc >= 0)
		rc = expr_need_condition(&parser, &val);
	if (rc >= 0)
		rc = expr_expect(&parser, TOK_END, "&& or || or the end is expected here");
	if (rc >= 0)
		*out = expr;
out:
	if (rc < 0)
		expr_free(expr);
	return rc;
}

void expr_free(struct expr *expr)
{
	if (!expr)
		return;
	for (uint32_t i = 0; i < expr->n_matches; i++)
		expr_match_free(expr->cairn, expr->matches[i]);
	base_buf_free(&expr->code);
	base_buf_free(&expr->ranges);
	base_buf_free(&expr->strs);
	base_buf_free(&expr->regs);
	base_free(expr->cairn, expr->text);
	base_free(expr->cairn, expr);
}

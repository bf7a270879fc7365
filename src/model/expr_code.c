/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: the code that is emitted while parsing. */
#include <string.h>

#include "model/expr_parse.h"

struct expr_ins *expr_code_of(struct parser *parser)
{
	return (void *)parser->expr->code.data;
}

int expr_emit(struct parser *parser, struct expr_ins ins)
{
	if (parser->expr->n_code >= EXPR_MAX_CODE)
		return expr_fail_at(parser, parser->tok.at, "the expression is too long");
	int rc = base_buf_put(&parser->expr->code, &ins, sizeof ins);
	parser->expr->n_code += rc >= 0;
	return rc;
}

/* Emit an op that leaves one more number on the stack. */
int expr_push(struct parser *parser, struct expr_ins ins)
{
	if (parser->sp >= EXPR_MAX_STACK)
		return expr_fail_at(parser, parser->tok.at, "the arithmetic is nested too deeply");
	parser->sp++;
	return expr_emit(parser, ins);
}

void expr_drop_code(struct parser *parser, uint32_t n)
{
	parser->expr->n_code = n;
	parser->expr->code.len = n * sizeof(struct expr_ins);
}

bool expr_is_single(struct parser *parser, uint32_t start, uint32_t end, enum expr_opcode op)
{
	return end == start + 1 && expr_code_of(parser)[start].op == op;
}

/* Put what was emitted since `start` into a group over memory accesses. */
int expr_wrap_mem(struct parser *parser, uint32_t start)
{
	uint32_t n = parser->expr->n_code - start;
	int rc = expr_emit(parser, (struct expr_ins){0});
	if (rc < 0)
		return rc;
	struct expr_ins *at = expr_code_of(parser) + start;
	memmove(at + 1, at, n * sizeof *at);
	*at = (struct expr_ins){.op = OP_GROUP, .cmp = EXPR_MEM, .arg = n};
	return 0;
}

/* The number in `val` has been judged by the op just emitted. */
int expr_close(struct parser *parser, struct val *val)
{
	val->type = EXPR_COND;
	parser->sp--;
	return val->mem ? expr_wrap_mem(parser, val->start) : 0;
}

int expr_arithmetic(struct parser *parser, enum expr_opcode op)
{
	uint32_t n = parser->expr->n_code;
	struct expr_ins *ins = expr_code_of(parser);
	parser->sp--;
	if (n < 2 || ins[n - 1].op != OP_CONST || ins[n - 2].op != OP_CONST)
		return expr_emit(parser, (struct expr_ins){.op = (uint8_t)op});
	/* A constant's code is one op, so these two are the operands. */
	uint64_t b = ins[n - 1].imm, *a = &ins[n - 2].imm;
	*a = op == OP_ADD ? *a + b : op == OP_SUB ? *a - b : *a & b;
	expr_drop_code(parser, n - 1);
	return 0;
}

bool expr_is_number(enum expr_type type)
{
	return type == EXPR_NUM || type == EXPR_BITS;
}

int expr_need_number(struct parser *parser, const struct val *val)
{
	return expr_is_number(val->type) ? 0
	                                 : expr_fail_at(parser, val->at, "a number is expected here");
}

/* Make a condition of what was parsed. */
int expr_need_condition(struct parser *parser, struct val *val)
{
	if (val->type == EXPR_COND)
		return 0;
	if (val->type == EXPR_BOOL || val->type == EXPR_BITS) {
		int rc = 0;
		if (expr_is_single(parser, val->start, parser->expr->n_code, OP_FIELD))
			expr_code_of(parser)[val->start].op = OP_TRUTH_F;
		else
			rc = expr_emit(parser, (struct expr_ins){.op = OP_TRUTH});
		return rc < 0 ? rc : expr_close(parser, val);
	}
	if (val->name && val->type != EXPR_NUM)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, val->at,
		                   "'%s' has many values: compare it, as in %s==NAME", val->name,
		                   val->name);
	if (val->name)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, val->at,
		                   "'%s' is a number: compare it, as in %s==0x10, or ask known(%s)",
		                   val->name, val->name, val->name);
	return expr_fail_at(parser, val->at, "a number alone is not a condition");
}

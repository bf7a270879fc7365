/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: the code that is emitted while parsing. */
#include <string.h>

#include "model/expr_parse.h"

struct expr_ins *expr_code_of(struct parser *p)
{
	return (void *)p->e->code.data;
}

int expr_emit(struct parser *p, struct expr_ins ins)
{
	if (p->e->n_code >= EXPR_MAX_CODE)
		return expr_fail_at(p, p->tok.at, "the expression is too long");
	int rc = base_buf_put(&p->e->code, &ins, sizeof ins);
	p->e->n_code += rc >= 0;
	return rc;
}

/* Emit an op that leaves one more number on the stack. */
int expr_push(struct parser *p, struct expr_ins ins)
{
	if (p->sp >= EXPR_MAX_STACK)
		return expr_fail_at(p, p->tok.at, "the arithmetic is nested too deeply");
	p->sp++;
	return expr_emit(p, ins);
}

void expr_drop_code(struct parser *p, uint32_t n)
{
	p->e->n_code = n;
	p->e->code.len = n * sizeof(struct expr_ins);
}

bool expr_is_single(struct parser *p, uint32_t start, uint32_t end, enum expr_opcode op)
{
	return end == start + 1 && expr_code_of(p)[start].op == op;
}

/* Put what was emitted since `start` into a group over memory accesses. */
int expr_wrap_mem(struct parser *p, uint32_t start)
{
	uint32_t n = p->e->n_code - start;
	int rc = expr_emit(p, (struct expr_ins){0});
	if (rc < 0)
		return rc;
	struct expr_ins *at = expr_code_of(p) + start;
	memmove(at + 1, at, n * sizeof *at);
	*at = (struct expr_ins){.op = OP_GROUP, .cmp = EXPR_MEM, .arg = n};
	return 0;
}

/* The number in `v` has been judged by the op just emitted. */
int expr_close(struct parser *p, struct val *v)
{
	v->type = EXPR_COND;
	p->sp--;
	return v->mem ? expr_wrap_mem(p, v->start) : 0;
}

int expr_arithmetic(struct parser *p, enum expr_opcode op)
{
	uint32_t n = p->e->n_code;
	struct expr_ins *ins = expr_code_of(p);
	p->sp--;
	if (n < 2 || ins[n - 1].op != OP_CONST || ins[n - 2].op != OP_CONST)
		return expr_emit(p, (struct expr_ins){.op = (uint8_t)op});
	/* A constant's code is one op, so these two are the operands. */
	uint64_t b = ins[n - 1].imm, *a = &ins[n - 2].imm;
	*a = op == OP_ADD ? *a + b : op == OP_SUB ? *a - b : *a & b;
	expr_drop_code(p, n - 1);
	return 0;
}

bool expr_is_number(enum expr_type t)
{
	return t == EXPR_NUM || t == EXPR_BITS;
}

int expr_need_number(struct parser *p, const struct val *v)
{
	return expr_is_number(v->type) ? 0 : expr_fail_at(p, v->at, "a number is expected here");
}

/* Make a condition of what was parsed. */
int expr_need_condition(struct parser *p, struct val *v)
{
	if (v->type == EXPR_COND)
		return 0;
	if (v->type == EXPR_BOOL || v->type == EXPR_BITS) {
		int rc = 0;
		if (expr_is_single(p, v->start, p->e->n_code, OP_FIELD))
			expr_code_of(p)[v->start].op = OP_TRUTH_F;
		else
			rc = expr_emit(p, (struct expr_ins){.op = OP_TRUTH});
		return rc < 0 ? rc : expr_close(p, v);
	}
	if (v->name && v->type != EXPR_NUM)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, v->at,
		                   "'%s' has many values: compare it, as in %s==NAME", v->name, v->name);
	if (v->name)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, v->at,
		                   "'%s' is a number: compare it, as in %s==0x10, or ask known(%s)",
		                   v->name, v->name, v->name);
	return expr_fail_at(p, v->at, "a number alone is no condition");
}

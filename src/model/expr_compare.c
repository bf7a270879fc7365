/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: comparisons, ranges, sets and patterns. */
#include <string.h>

#include "model/expr_parse.h"

/* A name or number of an enum; its value. */
static int parse_enum_value(struct parser *p, enum expr_enum en, uint64_t *value)
{
	char q[48], near[160];
	if (p->tok.type == TOK_NUM) {
		*value = p->tok.num;
		return expr_next(p);
	}
	if (p->tok.type != TOK_WORD && p->tok.type != TOK_STRING)
		return expr_fail_at(p, p->tok.at, "a name is expected here");
	int found = expr_enum_value(en, p->tok.s, p->tok.n);
	if (found < 0)
		return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, p->tok.at,
		                   "unknown name '%s'%s", select_quote(q, sizeof q, p->tok.s, p->tok.n),
		                   expr_near_enum(en, p->tok.s, p->tok.n, near, sizeof near));
	*value = (uint64_t)found;
	return expr_next(p);
}

/* 0x1000-0x1fff, 1000..2000, 1000.., ..2000, 5, @main, @main+0x10 */
static int expr_compare_parse_range(struct parser *p, struct select_range *r)
{
	int rc = 0;
	*r = (struct select_range){0, UINT64_MAX};
	if (p->tok.type == TOK_SYMBOL) {
		rc = select_symbol(p->c, p->e->image, "expression", p->text, p->tok.at, p->tok.s, p->tok.n,
		                   &r->first, &r->last);
		if (rc >= 0)
			rc = expr_next(p);
		if (rc < 0 || p->tok.type != TOK_PLUS)
			return rc;
		rc = expr_next(p);
		if (rc >= 0 && p->tok.type != TOK_NUM)
			return expr_fail_at(p, p->tok.at, "a number is expected here");
		r->last = r->first += p->tok.num;
		return rc < 0 ? rc : expr_next(p);
	}
	bool from = p->tok.type == TOK_NUM;
	if (!from && p->tok.type != TOK_DOTS)
		return expr_fail_at(p, p->tok.at,
		                    "a range is expected here: @main, 0x1000-0x1fff, 1000..2000");
	if (from) {
		r->first = r->last = p->tok.num;
		rc = expr_next(p);
		if (rc < 0 || (p->tok.type != TOK_DOTS && p->tok.type != TOK_MINUS))
			return rc;
	}
	bool may_be_open = from && p->tok.type == TOK_DOTS;
	rc = expr_next(p);
	if (rc < 0)
		return rc;
	if (p->tok.type != TOK_NUM) {
		r->last = UINT64_MAX;
		return may_be_open ? 0
		                   : expr_fail_at(p, p->tok.at, "the end of the range is expected here");
	}
	r->last = p->tok.num;
	if (r->last < r->first)
		return expr_fail_at(p, p->tok.at, "the range ends before it begins");
	return expr_next(p);
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
			return expr_fail_at(p, at, "no name has a number this large");
		*mask |= rc >= 0 ? UINT64_C(1) << value : 0;
		return rc;
	case EXPR_REGNAME:
		return expr_add_reg(p);
	default:
		rc = expr_compare_parse_range(p, &range);
		return rc < 0 ? rc : base_buf_put(&p->e->ranges, &range, sizeof range);
	}
}

static int parse_in(struct parser *p, struct val *v)
{
	uint64_t mask = 0;
	uint32_t ranges = (uint32_t)(p->e->ranges.len / sizeof(struct select_range));
	uint32_t regs = expr_n_regs(p);
	bool list = p->tok.type == TOK_LP;
	if (v->type == EXPR_TEXT)
		return expr_fail_at(p, v->at, "text is compared with == or =~");
	int rc = list ? expr_next(p) : 0;
	if (rc >= 0)
		rc = parse_member(p, v, &mask);
	while (rc >= 0 && list && p->tok.type == TOK_COMMA) {
		rc = expr_next(p);
		if (rc >= 0)
			rc = parse_member(p, v, &mask);
	}
	if (rc >= 0 && list)
		rc = expr_expect(p, TOK_RP, "a comma or a closing parenthesis is expected here");
	if (rc < 0)
		return rc;
	if (v->type == EXPR_REGNAME) {
		v->type = EXPR_COND;
		return expr_emit(p, (struct expr_ins){.op = OP_NAME_IN,
		                                      .cmp = CMP_EQ,
		                                      .arg = regs,
		                                      .imm = expr_n_regs(p) - regs});
	}
	if (v->type == EXPR_ENUM)
		rc = expr_emit(p, (struct expr_ins){.op = OP_SET, .imm = mask});
	else
		rc = expr_emit(
			p, (struct expr_ins){.op = OP_IN,
		                         .arg = ranges,
		                         .imm = p->e->ranges.len / sizeof(struct select_range) - ranges});
	return rc < 0 ? rc : expr_close(p, v);
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
		return expr_fail_at(p, v->at, "=~ asks for names and text, this is a number");
	if (p->tok.type != TOK_STRING && p->tok.type != TOK_WORD)
		return expr_fail_at(p, p->tok.at, "a pattern is expected here, best in quotes");
	if (e->n_matches == EXPR_MAX_MATCHES)
		return expr_fail_at(p, p->tok.at, "too many patterns in one expression");
	struct expr_match *m = expr_match_new(p->c, p->tok.s, p->tok.n, &why);
	if (!m)
		return why ? expr_fail_at(p, p->tok.at, why) : CAIRN_E_NOMEM;
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
	int rc = expr_emit(p, ins);
	if (rc >= 0 && type == EXPR_ENUM)
		rc = expr_close(p, v);
	return rc < 0 ? rc : expr_next(p);
}

/* name==a0, symbol=="main": nothing lies on the stack. */
static int parse_text_compare(struct parser *p, struct val *v, enum expr_cmp cmp)
{
	struct expr *e = p->e;
	if (cmp != CMP_EQ && cmp != CMP_NE)
		return expr_fail_at(p, v->at, "names and text are compared with ==, != or =~");
	struct expr_ins ins = {.field = v->field, .cmp = (uint8_t)cmp};
	int rc;
	if (v->type == EXPR_REGNAME) {
		ins.op = OP_NAME_IN;
		ins.arg = expr_n_regs(p);
		ins.imm = 1;
		rc = expr_add_reg(p);
	} else {
		if (p->tok.type != TOK_STRING && p->tok.type != TOK_WORD)
			return expr_fail_at(p, p->tok.at, "text is expected here, best in quotes");
		struct expr_str s = {(uint32_t)(p->tok.s - p->text), (uint32_t)p->tok.n};
		ins.op = OP_TEXT_EQ;
		ins.arg = (uint32_t)(e->strs.len / sizeof s);
		rc = base_buf_put(&e->strs, &s, sizeof s);
		if (rc >= 0)
			rc = expr_next(p);
	}
	v->type = EXPR_COND;
	return rc < 0 ? rc : expr_emit(p, ins);
}

static int emit_compare(struct parser *p, struct val *a, const struct val *b, enum expr_cmp cmp)
{
	static const uint8_t mirrored[] = {CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE};
	uint32_t n = p->e->n_code;
	struct expr_ins *x = expr_code_of(p) + a->start;
	int rc = 0;
	if (expr_is_single(p, a->start, b->start, OP_FIELD) &&
	    expr_is_single(p, b->start, n, OP_CONST)) {
		x[0].op = OP_CMP_FC;
		x[0].cmp = (uint8_t)cmp;
		x[0].imm = x[1].imm;
		expr_drop_code(p, n - 1);
	} else if (expr_is_single(p, a->start, b->start, OP_CONST) &&
	           expr_is_single(p, b->start, n, OP_FIELD)) {
		uint64_t imm = x[0].imm;
		x[0] = x[1];
		x[0].op = OP_CMP_FC;
		x[0].cmp = mirrored[cmp];
		x[0].imm = imm;
		expr_drop_code(p, n - 1);
	} else {
		rc = expr_emit(p, (struct expr_ins){.op = OP_CMP, .cmp = (uint8_t)cmp});
	}
	p->sp--;
	a->mem |= b->mem;
	return rc < 0 ? rc : expr_close(p, a);
}

static int parse_number_compare(struct parser *p, struct val *v, enum expr_cmp cmp)
{
	struct val right = {.type = EXPR_NUM, .start = p->e->n_code, .at = p->tok.at};
	uint64_t value;
	int rc;
	if (v->type == EXPR_ENUM && (p->tok.type == TOK_WORD || p->tok.type == TOK_STRING)) {
		rc = parse_enum_value(p, v->en, &value);
		if (rc >= 0)
			rc = expr_push(p, (struct expr_ins){.op = OP_CONST, .imm = value});
	} else {
		rc = expr_parse_bits(p, &right);
	}
	if (rc < 0)
		return rc;
	if (!expr_is_number(right.type) && right.type != EXPR_BOOL)
		return right.type == EXPR_COND
		           ? expr_fail_at(p, right.at, "a condition cannot be compared")
		           : expr_fail_at(p, right.at,
		                          "write the field first and its name after: class==load");
	return emit_compare(p, v, &right, cmp);
}

static bool is_compare(enum tok t)
{
	return t >= TOK_EQ && t <= TOK_IN;
}

int expr_parse_compare(struct parser *p, struct val *v)
{
	int rc = expr_parse_bits(p, v);
	enum tok op = p->tok.type;
	if (rc < 0 || !is_compare(op))
		return rc;
	if (v->type == EXPR_COND)
		return expr_fail_at(p, p->tok.at, "a condition cannot be compared");
	rc = expr_next(p);
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
		return expr_fail_at(p, p->tok.at, "comparisons do not chain: write 1<n && n<5");
	return rc;
}

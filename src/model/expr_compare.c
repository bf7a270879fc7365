/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: comparisons, ranges, sets and patterns. */
#include <string.h>

#include "model/expr_parse.h"

/* A name or number of an enum; its value. */
static int parse_enum_value(struct parser *parser, enum expr_enum en, uint64_t *value)
{
	char q[48], near[160];
	if (parser->tok.type == TOK_NUM) {
		*value = parser->tok.num;
		return expr_next(parser);
	}
	if (parser->tok.type != TOK_WORD && parser->tok.type != TOK_STRING)
		return expr_fail_at(parser, parser->tok.at, "a name is expected here");
	int found = expr_enum_value(en, parser->tok.s, parser->tok.n);
	if (found < 0)
		return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, parser->tok.at,
		                   "unknown name '%s'%s",
		                   select_quote(q, sizeof q, parser->tok.s, parser->tok.n),
		                   expr_near_enum(en, parser->tok.s, parser->tok.n, near, sizeof near));
	*value = (uint64_t)found;
	return expr_next(parser);
}

/* 0x1000-0x1fff, 1000..2000, 1000.., ..2000, 5, @main, @main+0x10 */
static int expr_compare_parse_range(struct parser *parser, struct select_range *range)
{
	int rc = 0;
	*range = (struct select_range){0, UINT64_MAX};
	if (parser->tok.type == TOK_SYMBOL) {
		rc = select_symbol(parser->cairn, parser->expr->image, "expression", parser->text,
		                   parser->tok.at, parser->tok.s, parser->tok.n, &range->first,
		                   &range->last);
		if (rc >= 0)
			rc = expr_next(parser);
		if (rc < 0 || parser->tok.type != TOK_PLUS)
			return rc;
		rc = expr_next(parser);
		if (rc >= 0 && parser->tok.type != TOK_NUM)
			return expr_fail_at(parser, parser->tok.at, "a number is expected here");
		range->last = range->first += parser->tok.num;
		return rc < 0 ? rc : expr_next(parser);
	}
	bool from = parser->tok.type == TOK_NUM;
	if (!from && parser->tok.type != TOK_DOTS)
		return expr_fail_at(parser, parser->tok.at,
		                    "a range is expected here: @main, 0x1000-0x1fff, 1000..2000");
	if (from) {
		range->first = range->last = parser->tok.num;
		rc = expr_next(parser);
		if (rc < 0 || (parser->tok.type != TOK_DOTS && parser->tok.type != TOK_MINUS))
			return rc;
	}
	bool may_be_open = from && parser->tok.type == TOK_DOTS;
	rc = expr_next(parser);
	if (rc < 0)
		return rc;
	if (parser->tok.type != TOK_NUM) {
		range->last = UINT64_MAX;
		return may_be_open
		           ? 0
		           : expr_fail_at(parser, parser->tok.at, "the end of the range is expected here");
	}
	range->last = parser->tok.num;
	if (range->last < range->first)
		return expr_fail_at(parser, parser->tok.at, "the range ends before it begins");
	return expr_next(parser);
}

/* One member of the set on the right of `in`. */
static int parse_member(struct parser *parser, const struct val *val, uint64_t *mask)
{
	struct select_range range;
	uint64_t value;
	size_t at = parser->tok.at;
	int rc;
	switch (val->type) {
	case EXPR_ENUM:
		rc = parse_enum_value(parser, val->en, &value);
		if (rc >= 0 && value >= 64)
			return expr_fail_at(parser, at, "no name has a number this large");
		*mask |= rc >= 0 ? UINT64_C(1) << value : 0;
		return rc;
	case EXPR_REGNAME:
		return expr_add_reg(parser);
	default:
		rc = expr_compare_parse_range(parser, &range);
		return rc < 0 ? rc : base_buf_put(&parser->expr->ranges, &range, sizeof range);
	}
}

static int parse_in(struct parser *parser, struct val *val)
{
	uint64_t mask = 0;
	uint32_t ranges = (uint32_t)(parser->expr->ranges.len / sizeof(struct select_range));
	uint32_t regs = expr_n_regs(parser);
	bool list = parser->tok.type == TOK_LP;
	if (val->type == EXPR_TEXT)
		return expr_fail_at(parser, val->at, "text is compared with == or =~");
	int rc = list ? expr_next(parser) : 0;
	if (rc >= 0)
		rc = parse_member(parser, val, &mask);
	while (rc >= 0 && list && parser->tok.type == TOK_COMMA) {
		rc = expr_next(parser);
		if (rc >= 0)
			rc = parse_member(parser, val, &mask);
	}
	if (rc >= 0 && list)
		rc = expr_expect(parser, TOK_RP, "a comma or a closing parenthesis is expected here");
	if (rc < 0)
		return rc;
	if (val->type == EXPR_REGNAME) {
		val->type = EXPR_COND;
		return expr_emit(parser, (struct expr_ins){.op = OP_NAME_IN,
		                                           .cmp = CMP_EQ,
		                                           .arg = regs,
		                                           .imm = expr_n_regs(parser) - regs});
	}
	if (val->type == EXPR_ENUM)
		rc = expr_emit(parser, (struct expr_ins){.op = OP_SET, .imm = mask});
	else
		rc = expr_emit(parser,
		               (struct expr_ins){
						   .op = OP_IN,
						   .arg = ranges,
						   .imm = parser->expr->ranges.len / sizeof(struct select_range) - ranges});
	return rc < 0 ? rc : expr_close(parser, val);
}

/* All values of the enum whose names contain the pattern. */
static uint64_t matching_names(enum expr_enum en, const struct expr_match *match)
{
	uint64_t mask = 0;
	unsigned value;
	const char *s;
	for (unsigned i = 0; (s = expr_enum_name(en, i, &value)) != NULL; i++)
		mask |= expr_match_find(match, s, strlen(s)) ? UINT64_C(1) << value : 0;
	return mask;
}

static int parse_match(struct parser *parser, struct val *val)
{
	struct expr *expr = parser->expr;
	const char *why;
	if (val->type != EXPR_ENUM && val->type != EXPR_TEXT && val->type != EXPR_REGNAME)
		return expr_fail_at(parser, val->at, "=~ asks for names and text, this is a number");
	if (parser->tok.type != TOK_STRING && parser->tok.type != TOK_WORD)
		return expr_fail_at(parser, parser->tok.at, "a pattern is expected here, best in quotes");
	if (expr->n_matches == EXPR_MAX_MATCHES)
		return expr_fail_at(parser, parser->tok.at, "too many patterns in one expression");
	struct expr_match *match = expr_match_new(parser->cairn, parser->tok.s, parser->tok.n, &why);
	if (!match)
		return why ? expr_fail_at(parser, parser->tok.at, why) : CAIRN_E_NOMEM;
	struct expr_ins ins = {.field = val->field, .arg = expr->n_matches};
	enum expr_type type = val->type;
	if (type == EXPR_ENUM) {
		ins = (struct expr_ins){.op = OP_SET, .imm = matching_names(val->en, match)};
		expr_match_free(parser->cairn, match);
	} else {
		expr->matches[expr->n_matches++] = match;
		ins.op = type == EXPR_TEXT ? OP_TEXT_FIND : OP_NAME_FIND;
		val->type = EXPR_COND;
	}
	int rc = expr_emit(parser, ins);
	if (rc >= 0 && type == EXPR_ENUM)
		rc = expr_close(parser, val);
	return rc < 0 ? rc : expr_next(parser);
}

/* name==a0, symbol=="main": nothing lies on the stack. */
static int parse_text_compare(struct parser *parser, struct val *val, enum expr_cmp cmp)
{
	struct expr *expr = parser->expr;
	if (cmp != CMP_EQ && cmp != CMP_NE)
		return expr_fail_at(parser, val->at, "names and text are compared with ==, != or =~");
	struct expr_ins ins = {.field = val->field, .cmp = (uint8_t)cmp};
	int rc;
	if (val->type == EXPR_REGNAME) {
		ins.op = OP_NAME_IN;
		ins.arg = expr_n_regs(parser);
		ins.imm = 1;
		rc = expr_add_reg(parser);
	} else {
		if (parser->tok.type != TOK_STRING && parser->tok.type != TOK_WORD)
			return expr_fail_at(parser, parser->tok.at, "text is expected here, best in quotes");
		struct expr_str str = {(uint32_t)(parser->tok.s - parser->text), (uint32_t)parser->tok.n};
		ins.op = OP_TEXT_EQ;
		ins.arg = (uint32_t)(expr->strs.len / sizeof str);
		rc = base_buf_put(&expr->strs, &str, sizeof str);
		if (rc >= 0)
			rc = expr_next(parser);
	}
	val->type = EXPR_COND;
	return rc < 0 ? rc : expr_emit(parser, ins);
}

static int emit_compare(struct parser *parser, struct val *left, const struct val *right,
                        enum expr_cmp cmp)
{
	static const uint8_t mirrored[] = {CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE};
	uint32_t n = parser->expr->n_code;
	struct expr_ins *ins = expr_code_of(parser) + left->start;
	int rc = 0;
	if (expr_is_single(parser, left->start, right->start, OP_FIELD) &&
	    expr_is_single(parser, right->start, n, OP_CONST)) {
		ins[0].op = OP_CMP_FC;
		ins[0].cmp = (uint8_t)cmp;
		ins[0].imm = ins[1].imm;
		expr_drop_code(parser, n - 1);
	} else if (expr_is_single(parser, left->start, right->start, OP_CONST) &&
	           expr_is_single(parser, right->start, n, OP_FIELD)) {
		uint64_t imm = ins[0].imm;
		ins[0] = ins[1];
		ins[0].op = OP_CMP_FC;
		ins[0].cmp = mirrored[cmp];
		ins[0].imm = imm;
		expr_drop_code(parser, n - 1);
	} else {
		rc = expr_emit(parser, (struct expr_ins){.op = OP_CMP, .cmp = (uint8_t)cmp});
	}
	parser->sp--;
	left->mem |= right->mem;
	return rc < 0 ? rc : expr_close(parser, left);
}

static int parse_number_compare(struct parser *parser, struct val *val, enum expr_cmp cmp)
{
	struct val right = {.type = EXPR_NUM, .start = parser->expr->n_code, .at = parser->tok.at};
	uint64_t value;
	int rc;
	if (val->type == EXPR_ENUM &&
	    (parser->tok.type == TOK_WORD || parser->tok.type == TOK_STRING)) {
		rc = parse_enum_value(parser, val->en, &value);
		if (rc >= 0)
			rc = expr_push(parser, (struct expr_ins){.op = OP_CONST, .imm = value});
	} else {
		rc = expr_parse_bits(parser, &right);
	}
	if (rc < 0)
		return rc;
	if (!expr_is_number(right.type) && right.type != EXPR_BOOL)
		return right.type == EXPR_COND
		           ? expr_fail_at(parser, right.at, "a condition cannot be compared")
		           : expr_fail_at(parser, right.at,
		                          "write the field first and its name after: class==load");
	return emit_compare(parser, val, &right, cmp);
}

static bool is_compare(enum tok token)
{
	return token >= TOK_EQ && token <= TOK_IN;
}

int expr_parse_compare(struct parser *parser, struct val *val)
{
	int rc = expr_parse_bits(parser, val);
	enum tok op = parser->tok.type;
	if (rc < 0 || !is_compare(op))
		return rc;
	if (val->type == EXPR_COND)
		return expr_fail_at(parser, parser->tok.at, "a condition cannot be compared");
	rc = expr_next(parser);
	if (rc < 0)
		return rc;
	if (op == TOK_IN)
		rc = parse_in(parser, val);
	else if (op == TOK_MATCH)
		rc = parse_match(parser, val);
	else if (val->type == EXPR_TEXT || val->type == EXPR_REGNAME)
		rc = parse_text_compare(parser, val, (enum expr_cmp)(op - TOK_EQ));
	else
		rc = parse_number_compare(parser, val, (enum expr_cmp)(op - TOK_EQ));
	if (rc >= 0 && is_compare(parser->tok.type))
		return expr_fail_at(parser, parser->tok.at, "comparisons do not chain: write 1<n && n<5");
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_EXPR_PARSE_H
#define MODEL_EXPR_PARSE_H
/*
 * Inside view of the compiling half of expressions: what its files share (expr.c has the
 * grammar, expr_lex.c the words, expr_code.c the code, expr_compare.c comparisons).
 */
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
	struct cairn *cairn;
	struct expr *expr;
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

/* ---- expr_lex.c ---- */

/* Fail with a sentence about a place of the text. */
int expr_fail_at(const struct parser *parser, size_t at, const char *why);
/* Move to the next token. */
int expr_next(struct parser *parser);
/* Take one token of this type; `why` is the sentence if it is another. */
int expr_expect(struct parser *parser, enum tok type, const char *why);

/* ---- expr_code.c ---- */

struct expr_ins *expr_code_of(struct parser *parser);
int expr_emit(struct parser *parser, struct expr_ins ins);
/* Emit an op that leaves one more number on the stack. */
int expr_push(struct parser *parser, struct expr_ins ins);
void expr_drop_code(struct parser *parser, uint32_t n);
/* Is the code from start to end one such op? */
bool expr_is_single(struct parser *parser, uint32_t start, uint32_t end, enum expr_opcode op);
/* Put what was emitted since `start` into a group over memory accesses. */
int expr_wrap_mem(struct parser *parser, uint32_t start);
/* The number in `val` has been judged by the op just emitted. */
int expr_close(struct parser *parser, struct val *val);
int expr_arithmetic(struct parser *parser, enum expr_opcode op);
bool expr_is_number(enum expr_type type);
int expr_need_number(struct parser *parser, const struct val *val);
/* Make a condition of what was parsed. */
int expr_need_condition(struct parser *parser, struct val *val);

/* ---- expr.c ---- */

int expr_parse_bits(struct parser *parser, struct val *val);
/* The name at hand joins the list of registers; how many are in it. */
int expr_add_reg(struct parser *parser);
uint32_t expr_n_regs(const struct parser *parser);

/* ---- expr_compare.c ---- */

int expr_parse_compare(struct parser *parser, struct val *val);

#endif

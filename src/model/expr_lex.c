/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: the words of the text. */
#include <string.h>

#include "model/expr_parse.h"

int expr_fail_at(const struct parser *p, size_t at, const char *why)
{
	return select_fail(p->c, CAIRN_E_INVAL, "expression", p->text, at, "%s", why);
}

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
		return expr_fail_at(p, (size_t)(p->p - p->text), "the closing quote is missing");
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
	return why ? expr_fail_at(p, (size_t)(p->p - p->text), why) : 0;
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
	           {"||", TOK_OR},  {"&&", TOK_AND},  {"==", TOK_EQ},    {"!=", TOK_NE},
	           {"<=", TOK_LE},  {">=", TOK_GE},   {"=~", TOK_MATCH}, {"..", TOK_DOTS},
	           {"<", TOK_LT},   {">", TOK_GT},    {"!", TOK_NOT},    {"&", TOK_BITS},
	           {"+", TOK_PLUS}, {"-", TOK_MINUS}, {"(", TOK_LP},     {")", TOK_RP},
	           {",", TOK_COMMA}};
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
		size_t n = strlen(ops[i].text);
		if ((size_t)(p->end - p->p) >= n && memcmp(p->p, ops[i].text, n) == 0) {
			p->tok.type = ops[i].type;
			p->p += n;
			return 0;
		}
	}
	return expr_fail_at(p, p->tok.at,
	                    *p->p == '='   ? "write == to compare"
	                    : *p->p == '|' ? "write || for 'or'"
	                                   : "this character means nothing here");
}

/* Move to the next token. */
int expr_next(struct parser *p)
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
int expr_expect(struct parser *p, enum tok type, const char *why)
{
	return p->tok.type == type ? expr_next(p) : expr_fail_at(p, p->tok.at, why);
}

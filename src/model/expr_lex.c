/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: the words of the text. */
#include <string.h>

#include "model/expr_parse.h"

int expr_fail_at(const struct parser *parser, size_t at, const char *why)
{
	return select_fail(parser->cairn, CAIRN_E_INVAL, "expression", parser->text, at, "%s", why);
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
static int lex_string(struct parser *parser, enum tok type)
{
	const char *close = memchr(parser->p + 1, *parser->p, (size_t)(parser->end - parser->p - 1));
	if (!close)
		return expr_fail_at(parser, (size_t)(parser->p - parser->text),
		                    "the closing quote is missing");
	parser->tok.type = type;
	parser->tok.s = parser->p + 1;
	parser->tok.n = (size_t)(close - parser->tok.s);
	parser->p = close + 1;
	return 0;
}

static int lex_symbol(struct parser *parser)
{
	parser->p++;
	if (parser->p < parser->end && (*parser->p == '"' || *parser->p == '\''))
		return lex_string(parser, TOK_SYMBOL);
	parser->tok.type = TOK_SYMBOL;
	parser->tok.s = parser->p;
	while (parser->p < parser->end && is_symbol(*parser->p))
		parser->p++;
	parser->tok.n = (size_t)(parser->p - parser->tok.s);
	return 0;
}

static int lex_number(struct parser *parser)
{
	const char *why = select_number(&parser->p, parser->end, &parser->tok.num, NULL);
	if (!why && parser->p < parser->end && is_word(*parser->p))
		why = "does not belong to a number";
	parser->tok.type = TOK_NUM;
	return why ? expr_fail_at(parser, (size_t)(parser->p - parser->text), why) : 0;
}

static void lex_word(struct parser *parser)
{
	static const struct {
		const char *word;
		enum tok type;
	} reserved[] = {{"in", TOK_IN}, {"and", TOK_AND}, {"or", TOK_OR}, {"not", TOK_NOT}};
	parser->tok.type = TOK_WORD;
	parser->tok.s = parser->p++;
	while (parser->p < parser->end && is_word(*parser->p))
		parser->p++;
	parser->tok.n = (size_t)(parser->p - parser->tok.s);
	for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
		if (expr_same(reserved[i].word, parser->tok.s, parser->tok.n))
			parser->tok.type = reserved[i].type;
}

static int lex_operator(struct parser *parser)
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
		if ((size_t)(parser->end - parser->p) >= n && memcmp(parser->p, ops[i].text, n) == 0) {
			parser->tok.type = ops[i].type;
			parser->p += n;
			return 0;
		}
	}
	return expr_fail_at(parser, parser->tok.at,
	                    *parser->p == '='   ? "write == to compare"
	                    : *parser->p == '|' ? "write || for 'or'"
	                                        : "this character means nothing here");
}

/* Move to the next token. */
int expr_next(struct parser *parser)
{
	while (parser->p < parser->end && strchr(" \t\r\n", *parser->p))
		parser->p++;
	parser->tok = (struct token){.type = TOK_END, .at = (size_t)(parser->p - parser->text)};
	if (parser->p == parser->end)
		return 0;
	char ch = *parser->p;
	if (ch >= '0' && ch <= '9')
		return lex_number(parser);
	if (ch == '"' || ch == '\'')
		return lex_string(parser, TOK_STRING);
	if (ch == '@')
		return lex_symbol(parser);
	/* SPARC registers are written %g1. */
	if (is_word(ch) || (ch == '%' && parser->end - parser->p > 1 && is_word(parser->p[1]))) {
		lex_word(parser);
		return 0;
	}
	return lex_operator(parser);
}

/* Take one token of this type; `why` is the sentence if it is another. */
int expr_expect(struct parser *parser, enum tok type, const char *why)
{
	return parser->tok.type == type ? expr_next(parser) : expr_fail_at(parser, parser->tok.at, why);
}

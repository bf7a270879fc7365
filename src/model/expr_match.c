/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns, the right side of =~: a small regular language that cannot be made
 * slow. Alternatives (|) of sequences of characters, '.', [sets], each with an
 * optional *, + or ?; ^ and $ anchor. There are no groups and no counts.
 *
 * A sequence of up to 62 items is an automaton whose states fit in one word:
 * bit i says "the items before i are matched". One step per character of the
 * text, whatever the pattern; nothing is allocated and nothing is remembered
 * between calls, which the C library's regular expressions promise neither of.
 */
#include <string.h>

#include "model/select_internal.h"

enum { MAX_ITEMS = 62, MAX_ALTS = 32 };

struct alternative {
	uint64_t step[256]; /* items that accept this character */
	uint64_t loop;      /* items that may match again: * and + */
	uint64_t skip;      /* items that may be left out: * and ? */
	unsigned n;
	bool at_start, at_end;
};

struct expr_match {
	unsigned n;
	struct alternative alts[];
};

/* [a-z_] and [^…]; returns past the closing bracket, NULL when malformed. */
static const char *read_set(const char *p, const char *end, bool in[256])
{
	bool negate = p < end && *p == '^';
	const char *first = p += negate;
	memset(in, 0, 256 * sizeof *in);
	for (; p < end && (*p != ']' || p == first); p++) {
		unsigned lo = (unsigned char)*p, hi = lo;
		if (end - p > 2 && p[1] == '-' && p[2] != ']') {
			hi = (unsigned char)p[2];
			p += 2;
		}
		for (unsigned ch = lo; ch <= hi; ch++)
			in[ch] = true;
	}
	for (unsigned ch = 0; ch < 256; ch++)
		in[ch] = in[ch] != negate;
	return p < end ? p + 1 : NULL;
}

/* One item without its repetition. */
static const char *read_item(const char *p, const char *end, bool in[256], const char **why)
{
	memset(in, *p == '.', 256 * sizeof *in);
	switch (*p) {
	case '.':
		return p + 1;
	case '[':
		p = read_set(p + 1, end, in);
		*why = p ? NULL : "the pattern's [ is not closed";
		return p;
	case '*':
	case '+':
	case '?':
		*why = "the pattern repeats nothing";
		return NULL;
	case '(':
	case ')':
	case '{':
	case '}':
		*why = "patterns have no groups and no counts; \\ makes the character plain";
		return NULL;
	case '\\':
		if (++p == end) {
			*why = "the pattern ends after \\";
			return NULL;
		}
		break;
	default:
		break;
	}
	in[(unsigned char)*p] = true;
	return p + 1;
}

static const char *read_alternative(struct alternative *alternative, const char *p, const char *end,
                                    const char **why)
{
	bool in[256];
	if (p < end && *p == '^') {
		alternative->at_start = true;
		p++;
	}
	while (p < end && *p != '|') {
		if (*p == '$' && (p + 1 == end || p[1] == '|')) {
			alternative->at_end = true;
			p++;
			break;
		}
		if (alternative->n == MAX_ITEMS) {
			*why = "the pattern is longer than 62 characters";
			return NULL;
		}
		p = read_item(p, end, in, why);
		if (!p)
			return NULL;
		uint64_t bit = UINT64_C(1) << alternative->n++;
		for (unsigned ch = 0; ch < 256; ch++)
			alternative->step[ch] |= in[ch] ? bit : 0;
		if (p < end && (*p == '*' || *p == '+' || *p == '?')) {
			alternative->loop |= *p != '?' ? bit : 0;
			alternative->skip |= *p != '+' ? bit : 0;
			p++;
		}
	}
	return p;
}

struct expr_match *expr_match_new(struct cairn *cairn, const char *text, size_t n, const char **why)
{
	const char *end = text + n;
	size_t alts = 1;
	*why = NULL;
	/* An upper bound: some of these may be escaped or in a set. */
	for (const char *p = text; p < end; p++)
		alts += *p == '|';
	if (alts > MAX_ALTS) {
		*why = "the pattern has too many alternatives";
		return NULL;
	}
	struct expr_match *match = base_alloc(cairn, sizeof *match + alts * sizeof match->alts[0]);
	if (!match)
		return NULL;
	for (;;) {
		text = read_alternative(&match->alts[match->n++], text, end, why);
		if (!text)
			break;
		if (text == end)
			return match;
		text++; /* the bar */
	}
	expr_match_free(cairn, match);
	return NULL;
}

void expr_match_free(struct cairn *cairn, struct expr_match *match)
{
	base_free(cairn, match);
}

/* Add the states reached by leaving items out. */
static uint64_t expr_match_settle(const struct alternative *alternative, uint64_t states)
{
	for (;;) {
		uint64_t more = states | (states & alternative->skip) << 1;
		if (more == states)
			return states;
		states = more;
	}
}

static bool find_one(const struct alternative *alternative, const char *text, size_t n)
{
	uint64_t done = UINT64_C(1) << alternative->n, start = expr_match_settle(alternative, 1),
			 states = start;
	for (size_t i = 0; i < n; i++) {
		if (!alternative->at_end && states & done)
			return true;
		uint64_t moved = states & alternative->step[(unsigned char)text[i]];
		states = expr_match_settle(alternative, moved << 1 | (moved & alternative->loop));
		states |= alternative->at_start ? 0 : start;
		if (!states)
			return false;
	}
	return states & done;
}

bool expr_match_find(const struct expr_match *match, const char *text, size_t n)
{
	for (unsigned i = 0; i < match->n; i++)
		if (find_one(&match->alts[i], text, n))
			return true;
	return false;
}

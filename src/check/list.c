/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of findings. A rule that a trace breaks at every instruction must cost
 * little after its first few: beyond `most` it is only counted, and no sentence
 * is made.
 */
#include "check/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 1u << 30 }; /* rows hold 32-bit places in the text */

void check_list_init(struct check_list *l, struct cairn *c, uint64_t most)
{
	memset(l, 0, sizeof *l);
	base_buf_init(&l->rows, c);
	base_buf_init(&l->text, c);
	l->most = most;
}

void check_list_free(struct check_list *l)
{
	base_buf_free(&l->rows);
	base_buf_free(&l->text);
}

void check_list_clear(struct check_list *l)
{
	l->rows.len = l->text.len = 0;
	memset(l->count, 0, sizeof l->count);
	memset(l->kept, 0, sizeof l->kept);
}

size_t check_list_size(const struct check_list *l)
{
	return l->rows.len / sizeof(struct check_row);
}

const struct check_row *check_list_row(const struct check_list *l, size_t i)
{
	return (const struct check_row *)(const void *)l->rows.data + i;
}

const char *check_list_text(const struct check_list *l, const struct check_row *row)
{
	return (const char *)l->text.data + row->text;
}

static bool wanted(struct check_list *l, unsigned rule)
{
	l->count[rule]++;
	return l->kept[rule] < l->most && l->status >= 0 && l->text.len < TEXT_LIMIT;
}

static void keep(struct check_list *l, unsigned rule, const struct check_place *at,
                 const char *text, size_t n)
{
	struct check_row row = {.at = *at, .text = (uint32_t)l->text.len, .len = (uint32_t)n,
	                        .rule = rule};
	int rc = base_buf_put(&l->rows, &row, sizeof row);
	if (rc >= 0)
		rc = base_buf_put(&l->text, text, n);
	if (rc >= 0)
		rc = base_buf_put(&l->text, "", 1);
	if (rc < 0)
		l->status = rc;
	l->kept[rule]++;
}

void check_list_put(struct check_list *l, unsigned rule, const struct check_place *at,
                    const char *text, size_t n)
{
	if (wanted(l, rule))
		keep(l, rule, at, text, n);
}

static void print(struct check_list *l, unsigned rule, const struct check_place *at,
                  const char *fmt, va_list ap)
{
	char text[512];
	if (!wanted(l, rule))
		return;
	int n = vsnprintf(text, sizeof text, fmt, ap);
	keep(l, rule, at, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void check_add(struct check_part *p, unsigned rule, const struct check_place *at, const char *fmt,
               ...)
{
	va_list ap;
	va_start(ap, fmt);
	print(&p->found, rule, at, fmt, ap);
	va_end(ap);
}

void check_hold(struct check_part *p, unsigned condition, unsigned rule,
                const struct check_place *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print(&p->held[condition], rule, at, fmt, ap);
	va_end(ap);
}

void check_list_move(struct check_list *to, struct check_list *from)
{
	uint64_t extra[CAIRN_MAX_RULES];
	for (size_t i = 0; i < CAIRN_MAX_RULES; i++)
		extra[i] = from->count[i] - from->kept[i];
	for (size_t i = 0; i < check_list_size(from); i++) {
		const struct check_row *row = check_list_row(from, i);
		check_list_put(to, row->rule, &row->at, check_list_text(from, row), row->len);
	}
	for (size_t i = 0; i < CAIRN_MAX_RULES; i++)
		to->count[i] += extra[i];
	if (from->status < 0)
		to->status = from->status;
	check_list_clear(from);
}

/* Rows were put in order, and their texts too: that order breaks ties. */
static int compare(const void *a, const void *b)
{
	const struct check_row *x = a, *y = b;
	if (x->at.part != y->at.part)
		return x->at.part < y->at.part ? -1 : 1;
	bool px = x->at.known & CAIRN_PLACE_OFFSET, py = y->at.known & CAIRN_PLACE_OFFSET;
	if (px != py)
		return px ? 1 : -1; /* what concerns the whole file comes first */
	if (px && x->at.offset != y->at.offset)
		return x->at.offset < y->at.offset ? -1 : 1;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->text < y->text ? -1 : x->text > y->text;
}

void check_list_sort(struct check_list *l)
{
	if (l->rows.len)
		qsort(l->rows.data, check_list_size(l), sizeof(struct check_row), compare);
}

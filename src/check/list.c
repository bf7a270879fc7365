/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of findings. A rule that a trace breaks at every instruction must cost
 * little after its first few: what comes behind the first `most` is only counted, and no
 * sentence is made.
 *
 * Findings are not made in the order of their places, and which are made first depends
 * on where spans end. So up to twice as many are kept; then the first half stays, and its
 * last place bars what comes behind it.
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
	memset(l->barred, 0, sizeof l->barred);
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

/* ---- order ---- */

static struct check_key list_key_of(const struct check_place *at)
{
	bool has = at->known & CAIRN_PLACE_OFFSET;
	return (struct check_key){.part = at->part,
	                          .has_offset = has,
	                          .offset = has ? at->offset : 0,
	                          .line = at->line};
}

static int compare_keys(const struct check_key *x, const struct check_key *y)
{
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->has_offset != y->has_offset)
		return x->has_offset ? 1 : -1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->line == y->line ? 0 : x->line < y->line ? -1 : 1;
}

struct sorted {
	struct check_key key;
	struct check_row row;
	const char *text;
};

static int list_compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	int c = compare_keys(&x->key, &y->key);
	if (c == 0 && x->row.rule != y->row.rule)
		c = x->row.rule < y->row.rule ? -1 : 1;
	return c ? c : strcmp(x->text, y->text);
}

/* The rows in order, to be freed; NULL without memory. */
static struct sorted *sorted_rows(struct check_list *l)
{
	size_t n = check_list_size(l);
	struct sorted *s = base_alloc(l->rows.c, (n ? n : 1) * sizeof *s);
	for (size_t i = 0; i < n && s; i++) {
		const struct check_row *row = check_list_row(l, i);
		s[i] = (struct sorted){list_key_of(&row->at), *row, check_list_text(l, row)};
	}
	if (s)
		qsort(s, n, sizeof *s, list_compare);
	else
		l->status = CAIRN_E_NOMEM;
	return s;
}

void check_list_sort(struct check_list *l)
{
	size_t n = check_list_size(l);
	struct sorted *s = n ? sorted_rows(l) : NULL;
	struct check_row *rows = (void *)l->rows.data;
	for (size_t i = 0; i < n && s; i++)
		rows[i] = s[i].row;
	base_free(l->rows.c, s);
}

/* Of each rule that has more than `most`, those behind the first `most` go. */
void check_list_trim(struct check_list *l)
{
	size_t n = check_list_size(l);
	struct sorted *s = sorted_rows(l);
	struct base_buf text;
	base_buf_init(&text, l->text.c);
	if (!s)
		return;
	l->rows.len = 0;
	memset(l->kept, 0, sizeof l->kept);
	for (size_t i = 0; i < n && l->status >= 0; i++) {
		unsigned rule = s[i].row.rule;
		if (l->kept[rule] == l->most)
			continue;
		s[i].row.text = (uint32_t)text.len;
		int rc = base_buf_put(&text, s[i].text, s[i].row.len + 1u);
		if (rc >= 0)
			rc = base_buf_put(&l->rows, &s[i].row, sizeof s[i].row);
		if (rc < 0)
			l->status = rc;
		if (++l->kept[rule] == l->most) {
			l->barred[rule] = true;
			l->bar[rule] = s[i].key;
		}
	}
	base_free(l->rows.c, s);
	base_buf_free(&l->text);
	l->text = text;
}

/* ---- findings ---- */

static bool wanted(struct check_list *l, unsigned rule, const struct check_place *at)
{
	l->count[rule]++;
	if (l->status < 0 || l->text.len >= TEXT_LIMIT || l->most == 0)
		return false;
	struct check_key key = list_key_of(at);
	return !l->barred[rule] || compare_keys(&key, &l->bar[rule]) <= 0;
}

static void list_keep(struct check_list *l, unsigned rule, const struct check_place *at,
                      const char *text, size_t n)
{
	struct check_row row = {.at = *at,
	                        .text = (uint32_t)l->text.len,
	                        .len = (uint32_t)n,
	                        .rule = rule};
	int rc = base_buf_put(&l->rows, &row, sizeof row);
	if (rc >= 0)
		rc = base_buf_put(&l->text, text, n);
	if (rc >= 0)
		rc = base_buf_put(&l->text, "", 1);
	if (rc < 0)
		l->status = rc;
	if (++l->kept[rule] / 2 >= l->most)
		check_list_trim(l);
}

void check_list_put(struct check_list *l, unsigned rule, const struct check_place *at,
                    const char *text, size_t n)
{
	if (wanted(l, rule, at))
		list_keep(l, rule, at, text, n);
}

static void print(struct check_list *l, unsigned rule, const struct check_place *at,
                  const char *fmt, va_list ap)
{
	char text[512];
	if (!wanted(l, rule, at))
		return;
	int n = vsnprintf(text, sizeof text, fmt, ap);
	list_keep(l, rule, at, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
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

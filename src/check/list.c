/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of findings. A trace may break a rule at every instruction, which must not cost much: after
 * the first `most` findings the others are only counted, without a sentence.
 *
 * Findings are not made in the order of their places, and their order depends on where spans end.
 * So up to twice as many are kept. Then the half with the first places stays, and findings behind
 * its last place are only counted.
 */
#include "check/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 1u << 30 }; /* rows hold 32-bit places in the text */

void check_list_init(struct check_list *list, struct cairn *cairn, uint64_t most)
{
	memset(list, 0, sizeof *list);
	base_buf_init(&list->rows, cairn);
	base_buf_init(&list->text, cairn);
	list->most = most;
}

void check_list_free(struct check_list *list)
{
	base_buf_free(&list->rows);
	base_buf_free(&list->text);
}

void check_list_clear(struct check_list *list)
{
	list->rows.len = list->text.len = 0;
	memset(list->count, 0, sizeof list->count);
	memset(list->kept, 0, sizeof list->kept);
	memset(list->barred, 0, sizeof list->barred);
}

size_t check_list_size(const struct check_list *list)
{
	return list->rows.len / sizeof(struct check_row);
}

const struct check_row *check_list_row(const struct check_list *list, size_t index)
{
	return (const struct check_row *)(const void *)list->rows.data + index;
}

const char *check_list_text(const struct check_list *list, const struct check_row *row)
{
	return (const char *)list->text.data + row->text;
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

static int compare_keys(const struct check_key *left, const struct check_key *right)
{
	if (left->part != right->part)
		return left->part < right->part ? -1 : 1;
	if (left->has_offset != right->has_offset)
		return left->has_offset ? 1 : -1;
	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return left->line == right->line ? 0 : left->line < right->line ? -1 : 1;
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

/* The rows in order, to be freed; NULL when out of memory. */
static struct sorted *sorted_rows(struct check_list *list)
{
	size_t n = check_list_size(list);
	struct sorted *sorted = base_alloc(list->rows.cairn, (n ? n : 1) * sizeof *sorted);
	for (size_t i = 0; i < n && sorted; i++) {
		const struct check_row *row = check_list_row(list, i);
		sorted[i] = (struct sorted){list_key_of(&row->at), *row, check_list_text(list, row)};
	}
	if (sorted)
		qsort(sorted, n, sizeof *sorted, list_compare);
	else
		list->status = CAIRN_E_NOMEM;
	return sorted;
}

void check_list_sort(struct check_list *list)
{
	size_t n = check_list_size(list);
	struct sorted *sorted = n ? sorted_rows(list) : NULL;
	struct check_row *rows = (void *)list->rows.data;
	for (size_t i = 0; i < n && sorted; i++)
		rows[i] = sorted[i].row;
	base_free(list->rows.cairn, sorted);
}

/* Of each rule keep only the first `most`. */
void check_list_trim(struct check_list *list)
{
	size_t n = check_list_size(list);
	struct sorted *sorted = sorted_rows(list);
	struct base_buf text;
	base_buf_init(&text, list->text.cairn);
	if (!sorted)
		return;
	list->rows.len = 0;
	memset(list->kept, 0, sizeof list->kept);
	for (size_t i = 0; i < n && list->status >= 0; i++) {
		unsigned rule = sorted[i].row.rule;
		if (list->kept[rule] == list->most)
			continue;
		sorted[i].row.text = (uint32_t)text.len;
		int rc = base_buf_put(&text, sorted[i].text, sorted[i].row.len + 1u);
		if (rc >= 0)
			rc = base_buf_put(&list->rows, &sorted[i].row, sizeof sorted[i].row);
		if (rc < 0)
			list->status = rc;
		if (++list->kept[rule] == list->most) {
			list->barred[rule] = true;
			list->bar[rule] = sorted[i].key;
		}
	}
	base_free(list->rows.cairn, sorted);
	base_buf_free(&list->text);
	list->text = text;
}

/* ---- findings ---- */

static bool wanted(struct check_list *list, unsigned rule, const struct check_place *at)
{
	list->count[rule]++;
	if (list->status < 0 || list->text.len >= TEXT_LIMIT || list->most == 0)
		return false;
	struct check_key key = list_key_of(at);
	return !list->barred[rule] || compare_keys(&key, &list->bar[rule]) <= 0;
}

static void list_keep(struct check_list *list, unsigned rule, const struct check_place *at,
                      const char *text, size_t n)
{
	struct check_row row = {.at = *at,
	                        .text = (uint32_t)list->text.len,
	                        .len = (uint32_t)n,
	                        .rule = rule};
	int rc = base_buf_put(&list->rows, &row, sizeof row);
	if (rc >= 0)
		rc = base_buf_put(&list->text, text, n);
	if (rc >= 0)
		rc = base_buf_put(&list->text, "", 1);
	if (rc < 0)
		list->status = rc;
	if (++list->kept[rule] / 2 >= list->most)
		check_list_trim(list);
}

void check_list_put(struct check_list *list, unsigned rule, const struct check_place *at,
                    const char *text, size_t n)
{
	if (wanted(list, rule, at))
		list_keep(list, rule, at, text, n);
}

static void print(struct check_list *list, unsigned rule, const struct check_place *at,
                  const char *fmt, va_list ap)
{
	char text[512];
	if (!wanted(list, rule, at))
		return;
	int n = vsnprintf(text, sizeof text, fmt, ap);
	list_keep(list, rule, at, text,
	          n < 0                     ? 0
	          : (size_t)n < sizeof text ? (size_t)n
	                                    : sizeof text - 1);
}

void check_add(struct check_part *part, unsigned rule, const struct check_place *at,
               const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print(&part->found, rule, at, fmt, ap);
	va_end(ap);
}

void check_hold(struct check_part *part, unsigned condition, unsigned rule,
                const struct check_place *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	print(&part->held[condition], rule, at, fmt, ap);
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

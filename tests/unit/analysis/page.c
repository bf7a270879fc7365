/* SPDX-License-Identifier: Apache-2.0 */
/* See page.h. */
#include "page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *section_of(char *page, const char *id, char **end)
{
	char tag[64];
	snprintf(tag, sizeof tag, "<h2 id=\"%s\">", id);
	char *at = strstr(page, tag);
	assert_non_null(at);
	*end = strstr(at + 1, "<h2 ") ? strstr(at + 1, "<h2 ") : at + strlen(at);
	return at;
}

struct grid grid_of(char *page, const char *id, const char *caption)
{
	char tag[128], *end;
	struct grid grid = {.from = section_of(page, id, &end)};
	snprintf(tag, sizeof tag, "<caption>%s</caption>", caption);
	grid.from = strstr(grid.from, caption ? tag : "<table><tbody>");
	if (!grid.from || grid.from > end)
		fail_msg("no table %s in %s", caption ? caption : "of figures", id);
	grid.end = strstr(grid.from, "</table>");
	for (char *p = strstr(grid.from, "<tbody>"); (p = strstr(p + 1, "<tr>")) && p < grid.end;)
		grid.rows++;
	return grid;
}

char *nth(char *at, const char *tag, size_t n, const char *end)
{
	for (at = strstr(at, tag); n && at; n--)
		at = strstr(at + 1, tag);
	return at && at < end ? at : NULL;
}

/* The text of a cell, which is crossed out if it is a number's. */
void take(struct grid grid, size_t row, size_t column, char out[CELL])
{
	char *at = nth(strstr(grid.from, "<tbody>"), "<tr>", row, grid.end);
	at = at ? nth(at, "<td", column, grid.end) : NULL;
	assert_non_null(at);
	char *text = strchr(at, '>') + 1, *close = strstr(text, "</td>");
	snprintf(out, CELL, "%.*s", (int)(close - text), text);
	if (!strncmp(at, NUMBER, strlen(NUMBER)) || !strncmp(at, "<td class=\"_\">", strlen(NUMBER)))
		at[strlen("<td class=\"")] = '_';
}

size_t column_of(struct grid grid, const char *name)
{
	size_t k = 0;
	for (char *p = grid.from; (p = strstr(p, "<th")) && p < grid.end; p++) {
		if (!strncmp(p, "<thead", 6))
			continue;
		char *text = strchr(p, '>') + 1;
		if (!strncmp(text, name, strlen(name)) && text[strlen(name)] == '<')
			return k;
		k++;
	}
	fail_msg("no column %s", name);
	return 0;
}

void text_is(struct grid grid, size_t row, const char *column, const char *want)
{
	char got[CELL];
	take(grid, row, column_of(grid, column), got);
	if (strcmp(got, want) != 0)
		fail_msg("row %zu, %s: %s on the page, %s by walking", row, column, got, want);
}

void number_is(struct grid grid, size_t row, const char *column, uint64_t want)
{
	char text[CELL];
	snprintf(text, sizeof text, "%llu", (unsigned long long)want);
	text_is(grid, row, column, text);
}

void spell(double x, int decimals, char text[CELL])
{
	if (isnan(x))
		strcpy(text, "–");
	else
		snprintf(text, CELL, "%.*f", decimals, x);
}

/* Sums of logarithms may differ in what is cut off. */
void real_is(struct grid grid, size_t row, const char *column, double want, int decimals)
{
	char text[CELL], got[CELL];
	spell(want, decimals, text);
	take(grid, row, column_of(grid, column), got);
	if (isnan(want) ? strcmp(got, text) != 0
	                : fabs(atof(got) - want) > 0.5000001 * pow(10, -decimals))
		fail_msg("row %zu, %s: %s on the page, %s by walking", row, column, got, text);
}

double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : UNKNOWN;
}

/* A figure: the name stands before it. */
void figure_is(struct grid grid, const char *name, const char *want)
{
	char tag[128];
	snprintf(tag, sizeof tag, "<tr><th>%s</th>", name);
	char *at = strstr(grid.from, tag);
	if (!at || at > grid.end)
		fail_msg("no figure %s", name);
	char *text = strchr(at + strlen(tag), '>') + 1;
	if (strncmp(text, want, strlen(want)) != 0 || text[strlen(want)] != '<')
		fail_msg("%s: %.20s on the page, %s by walking", name, text, want);
	char *cell = at + strlen(tag);
	if (!strncmp(cell, NUMBER, strlen(NUMBER)))
		cell[strlen("<td class=\"")] = '_';
}

void count_is(struct grid grid, const char *name, uint64_t want)
{
	char text[CELL];
	snprintf(text, sizeof text, "%llu", (unsigned long long)want);
	figure_is(grid, name, text);
}

/* Rows are the first ones of so many, and the page says how many more there are. */
void shows_first(struct grid grid, size_t all)
{
	char more[64];
	snprintf(more, sizeof more, "… and %zu more<", all - SHOWN);
	assert_int_equal(grid.rows, all < SHOWN ? all : SHOWN);
	bool told = !strncmp(grid.end, "</table>\n<p class=\"note\">… and", 30);
	assert_int_equal(told, all > SHOWN);
	if (told)
		assert_non_null(strstr(grid.end, more));
}

bool runs(const struct cairn_insn *in)
{
	return !(in->flags & CAIRN_INSN_NOT_EXECUTED);
}

bool goes(const struct cairn_insn *in)
{
	return in->flags & CAIRN_INSN_TAKEN || !(in->traits & CAIRN_TRAIT_CONDITIONAL);
}

unsigned hart_of(const struct row *row)
{
	return row->ctx.known & CAIRN_CTX_HART ? row->ctx.hart : 0;
}

uint64_t count_insns(const struct trace *trace, bool executed)
{
	uint64_t n = 0;
	for (size_t i = 0; i < trace->n; i++)
		n += !executed || runs(&trace->rows[i].in);
	return n;
}

struct touch *accesses_of(const struct trace *trace, size_t *n)
{
	struct touch *touch = calloc(trace->n_mems + 1, sizeof *touch);
	*n = 0;
	for (size_t i = 0; i < trace->n; i++)
		for (uint32_t k = 0; k < trace->rows[i].n_mems; k++) {
			const struct cairn_mem *mem = &trace->mems[trace->rows[i].mem0 + k];
			if (mem->initiator == CAIRN_BY_INSN &&
			    (mem->kind == CAIRN_MEM_READ || mem->kind == CAIRN_MEM_WRITE))
				touch[(*n)++] =
					(struct touch){mem->addr, mem->size, i, mem->kind == CAIRN_MEM_WRITE};
		}
	return touch;
}

bool covers(const struct touch *touch, uint64_t unit, uint64_t size)
{
	return touch->addr / size <= unit && unit <= (touch->addr + touch->size - 1) / size;
}

/* How many lines or pages there are: those no access before covers. Written ones, if asked. */
uint64_t distinct(const struct touch *touch, size_t n, uint64_t size, bool written)
{
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++)
		for (uint64_t u = touch[i].addr / size; covers(&touch[i], u, size); u++) {
			size_t k = 0;
			while (k < i && !(covers(&touch[k], u, size) && (!written || touch[k].write)))
				k++;
			all += k == i && (!written || touch[i].write);
		}
	return all;
}

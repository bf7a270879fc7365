/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An overview as strips for a terminal: a line for each thing that changes over the
 * trace, one character a column, and below them the numbers of instructions to look at
 * more closely.
 */
#include <stdio.h>

#include "analysis/result.h"
#include "export/table.h"
#include "export/text.h"

enum { NAME = 16, FIGURE = 8, HEAD = NAME + FIGURE + 2, TICK = 16 };

static const char *const levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct strips {
	struct base_buf *out;
	const struct cairn_table *columns, *functions, *where, *sum;
	size_t from, to; /* columns of this screen */
	size_t room;     /* columns there is room for */
};

static size_t column_named(const struct cairn_table *table, const char *name)
{
	size_t k = 0;
	while (k < table->n_columns && strcmp(table->columns[k].name, name) != 0)
		k++;
	return k;
}

static const struct cairn_cell *cell(const struct cairn_table *table, size_t row, size_t index)
{
	return &table->cells[row * table->n_columns + index];
}

/* The name, harmless and cut to its place, and a figure. */
static int strips_head(const struct strips *strips, const char *name, const char *figure)
{
	char safe[4 * 64 + 1];
	size_t n = strlen(name);
	char *end = text_escape(safe, name, n < 64 ? n : 64, false);
	int bytes = 0, width = 0;
	for (const char *p = safe; p < end && width < NAME; width++) {
		size_t len = text_utf8(p, (size_t)(end - p));
		p += len ? len : 1;
		bytes = (int)(p - safe);
	}
	return base_buf_printf(strips->out, "%.*s%*s%*s  ", bytes, safe, NAME - width, "", FIGURE,
	                       figure);
}

static double strips_value_of(const struct cairn_column *col, const struct cairn_cell *cell)
{
	return !cell->known ? -1 : col->kind == CAIRN_CELL_REAL ? cell->v.real : (double)cell->v.number;
}

static int bar(const struct strips *strips, double value, double most)
{
	int level = value < 0 ? 0 : most > 0 ? (int)(value / most * 8 + 0.5) : 0;
	level = value > 0 && level == 0 ? 1 : level > 8 ? 8 : level;
	return base_buf_printf(strips->out, "%s", levels[level]);
}

/* A column of numbers; the figure is that of the summary, else the column's mean by
 * instructions, or its last value. */
static int strip(const struct strips *strips, const char *name, const char *column, bool percent)
{
	const struct cairn_table *table = strips->columns;
	size_t k = column_named(table, column), weight = column_named(table, "instructions");
	double most = 0, sum = 0, all = 0, last = 0;
	bool any = false;
	for (size_t i = 0; i < table->n_rows; i++) {
		double v = strips_value_of(&table->columns[k], cell(table, i, k)),
			   w = (double)cell(table, i, weight)->v.number;
		if (v < 0)
			continue;
		any = true;
		most = v > most ? v : most;
		sum += v * w;
		all += w;
		last = v;
	}
	if (!any || most == 0)
		return 0;
	char figure[32];
	size_t whole = column_named(strips->sum, column);
	bool told = whole < strips->sum->n_columns && cell(strips->sum, 0, whole)->known;
	if (told && percent)
		snprintf(figure, sizeof figure, "%.1f%%", cell(strips->sum, 0, whole)->v.real);
	else if (told)
		snprintf(figure, sizeof figure, "%llu",
		         (unsigned long long)cell(strips->sum, 0, whole)->v.number);
	else if (percent)
		snprintf(figure, sizeof figure, "%.1f%%", all > 0 ? sum / all : 0);
	else
		snprintf(figure, sizeof figure, "%.0f", last);
	int rc = strips_head(strips, name, figure);
	/* Small percentages would look flat on the whole scale. */
	for (size_t i = strips->from; i < strips->to && rc >= 0; i++)
		rc = bar(strips, strips_value_of(&table->columns[k], cell(table, i, k)), most);
	return rc < 0 ? rc : base_buf_put(strips->out, "\n", 1);
}

/* A column of names: a letter for each, told in the line below when there are several. */
static int letters(const struct strips *strips, const char *name, const char *column)
{
	const struct cairn_table *t = strips->columns;
	size_t k = column_named(t, column);
	const char *seen[26];
	size_t n = 0;
	char figure[24];
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cairn_cell *c = cell(t, i, k);
		size_t at = 0;
		while (c->known && at < n && strcmp(seen[at], c->v.text) != 0)
			at++;
		if (c->known && at == n && n < 26)
			seen[n++] = c->v.text;
	}
	if (!n)
		return 0;
	figure[0] = 0;
	if (n > 1)
		snprintf(figure, sizeof figure, "%zu", n);
	int rc = strips_head(strips, n > 1 ? name : seen[0], figure);
	for (size_t i = strips->from; i < strips->to && rc >= 0; i++) {
		const struct cairn_cell *c = cell(t, i, k);
		size_t at = 0;
		while (c->known && at < n && strcmp(seen[at], c->v.text) != 0)
			at++;
		char letter = !c->known ? ' ' : at < n ? (char)('a' + at) : '+';
		rc = base_buf_put(strips->out, &letter, 1);
	}
	size_t at = strips->room;
	for (size_t i = 0; i < n && n > 1 && rc >= 0; i++) {
		size_t width = strlen(seen[i]) + 4; /* names are of ASCII */
		bool fits = at + width <= strips->room;
		rc = base_buf_printf(strips->out, "%s%*s%c %s",
		                     !i     ? "\n"
		                     : fits ? ", "
		                            : ",\n",
		                     fits ? 0 : HEAD, "", (int)('a' + i), seen[i]);
		at = fits ? at + width : width;
	}
	return rc < 0 ? rc : base_buf_put(strips->out, "\n", 1);
}

/* Processors, when there are several: the last digit of the one that ran most. */
static int processors(const struct strips *strips)
{
	const struct cairn_table *table = strips->columns;
	size_t k = column_named(table, "cpu");
	bool several = false;
	for (size_t i = 1; i < table->n_rows; i++)
		several |= cell(table, i, k)->v.number != cell(table, 0, k)->v.number;
	int rc = several ? strips_head(strips, "cpu", "") : 0;
	for (size_t i = strips->from; i < strips->to && several && rc >= 0; i++)
		rc = base_buf_printf(strips->out, "%u", (unsigned)(cell(table, i, k)->v.number % 10));
	return rc < 0 || !several ? rc : base_buf_put(strips->out, "\n", 1);
}

static int functions(const struct strips *strips)
{
	const struct cairn_table *table = strips->functions, *w = strips->where, *t = strips->columns;
	int rc = 0;
	size_t at = 0;
	for (size_t i = 0; i < table->n_rows && rc >= 0; i++) {
		char figure[24];
		snprintf(figure, sizeof figure, "%.1f%%", cell(table, i, 2)->v.real);
		rc = strips_head(strips, cell(table, i, 0)->v.text, figure);
		for (size_t k = 0; k < t->n_rows && rc >= 0; k++) {
			bool here = at < w->n_rows &&
			            !strcmp(cell(w, at, 0)->v.text, cell(table, i, 0)->v.text) &&
			            cell(w, at, 1)->v.number == cell(t, k, 0)->v.number;
			if (k >= strips->from && k < strips->to)
				rc = bar(strips, here ? cell(w, at, 3)->v.real : 0, 100);
			at += here;
		}
		if (rc >= 0)
			rc = base_buf_put(strips->out, "\n", 1);
	}
	return rc;
}

/* Every sixteenth column is marked and its first instruction named, where that fits. */
static int ruler(const struct strips *strips)
{
	const struct cairn_table *t = strips->columns;
	int rc = base_buf_printf(strips->out, "%*s", HEAD, "");
	for (size_t i = strips->from; i < strips->to && rc >= 0; i++)
		rc = base_buf_printf(strips->out, "%s", (i - strips->from) % TICK ? "·" : "|");
	if (rc >= 0)
		rc = base_buf_printf(strips->out, "\n%-*s", HEAD, "instruction");
	for (size_t i = strips->from; i < strips->to && rc >= 0; i += TICK) {
		char number[24];
		size_t n = (size_t)snprintf(number, sizeof number, "%llu",
		                            (unsigned long long)cell(t, i, 0)->v.number);
		if (i == strips->from || i - strips->from + n <= strips->room)
			rc = base_buf_printf(strips->out, "%-*s", TICK, number);
	}
	while (rc >= 0 && strips->out->data[strips->out->len - 1] == ' ')
		strips->out->len--;
	return rc < 0 ? rc : base_buf_put(strips->out, "\n", 1);
}

static int screen(const struct strips *strips)
{
	static const struct {
		const char *name, *column;
	} shares[] = {{"int", "int"},     {"mul, div", "muldiv"}, {"load", "load"},
	              {"store", "store"}, {"branch", "branch"},   {"fp, vector", "fp_vector"},
	              {"other", "other"}};
	int rc = ruler(strips);
	for (size_t i = 0; i < sizeof shares / sizeof *shares && rc >= 0; i++)
		rc = strip(strips, shares[i].name, shares[i].column, true);
	if (rc >= 0)
		rc = strip(strips, "branches taken", "taken_percent", true);
	if (rc >= 0)
		rc = strip(strips, "pages so far", "pages", false);
	if (rc >= 0)
		rc = strip(strips, "traps", "events", false);
	if (rc >= 0)
		rc = letters(strips, "mode", "mode");
	if (rc >= 0)
		rc = processors(strips);
	if (rc >= 0)
		rc = letters(strips, "process", "process");
	return rc < 0 ? rc : functions(strips);
}

int cairn_overview_text(const struct cairn_result *res, struct cairn_text *out)
{
	struct strips strips = {&out->buf,
	                        table_find(res, "columns"),
	                        table_find(res, "functions"),
	                        table_find(res, "where"),
	                        table_find(res, "summary"),
	                        0,
	                        0,
	                        0};
	const struct cairn_table *sum = strips.sum;
	if (!strips.columns || !strips.functions || !strips.where || !sum || !sum->cells)
		return base_fail(out->buf.cairn, CAIRN_E_INVAL, "not the result of an overview");
	int rc = base_buf_printf(strips.out, "%llu instructions",
	                         (unsigned long long)cell(sum, 0, 0)->v.number);
	if (rc >= 0 && cell(sum, 0, 3)->known)
		rc = base_buf_printf(strips.out, ", %llu in a column",
		                     (unsigned long long)cell(sum, 0, 3)->v.number);
	if (rc >= 0)
		rc = base_buf_put(strips.out, "\n", 1);
	unsigned wrap = result_wrapped(res);
	strips.room = wrap ? wrap : strips.columns->n_rows;
	while (strips.to < strips.columns->n_rows && rc >= 0) {
		if (strips.to)
			rc = base_buf_put(strips.out, "\n", 1);
		strips.from = strips.to;
		strips.to = wrap && strips.columns->n_rows - strips.from > wrap ? strips.from + wrap
		                                                                : strips.columns->n_rows;
		if (rc >= 0)
			rc = screen(&strips);
	}
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: the tree summed up, and its tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls.h"

const char *call_name(const struct call_run *u, uint32_t func, char *buf)
{
	const struct call_func *f = (const struct call_func *)(const void *)u->funcs.data + func;
	if (f->symbol)
		return f->symbol->name;
	snprintf(buf, 20, "0x%" PRIx64, f->addr);
	return buf;
}

/* ---- the tree ---- */

struct child { /* a node on its way to its place */
	struct call_line line;
	uint32_t parent;
	uint64_t order;
};

static const struct call_node *nodes_of(const struct call_run *u)
{
	return (const void *)u->nodes.data;
}

/* By parent, then by what is largest; ties by function, which comes in trace order. */
static int by_parent(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->line.total != y->line.total)
		return x->line.total < y->line.total ? 1 : -1;
	return (x->line.func > y->line.func) - (x->line.func < y->line.func);
}

/* Depth first, with a list of what is to be visited instead of recursion. */
static int lay_out(struct call_run *u, const struct child *children, size_t n, struct call_tree *t)
{
	size_t all = u->nodes.len / sizeof(struct call_node);
	uint32_t *first = base_alloc(u->c, (all + 1) * sizeof *first);
	uint32_t *todo = base_alloc(u->c, (n + 1) * sizeof *todo);
	size_t waiting = 0;
	int rc = first && todo ? 0 : CAIRN_E_NOMEM;
	for (size_t i = n; i-- > 0 && rc >= 0;)
		first[children[i].parent] = (uint32_t)i + 1;
	uint32_t at = 0;
	while (rc >= 0) {
		/* The children of `at` wait, the largest on top. */
		size_t from = first[at], to = from;
		while (from && to <= n && children[to - 1].parent == at)
			to++;
		for (size_t i = to; from && i-- > from;)
			todo[waiting++] = (uint32_t)i - 1;
		if (!waiting)
			break;
		t->lines[t->n] = children[todo[--waiting]].line;
		at = t->lines[t->n++].node;
	}
	base_free(u->c, first);
	base_free(u->c, todo);
	return rc;
}

int call_tree_new(struct call_run *u, const struct call_sum *sum, struct call_tree *t)
{
	const struct call_node *nodes = nodes_of(u);
	size_t all = u->nodes.len / sizeof *nodes, n = 0;
	struct call_line *lines = base_alloc(u->c, all * sizeof *lines);
	struct child *children = base_alloc(u->c, (all + 1) * sizeof *children);
	*t = (struct call_tree){.lines = base_alloc(u->c, (all + 1) * sizeof *t->lines)};
	int rc = lines && children && t->lines ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < sum->nodes.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&sum->nodes, i);
		lines[row[0]].self = lines[row[0]].total = row[2];
		lines[row[0]].calls = row[3];
	}
	/* A node is made after its parent. */
	for (size_t i = all; i-- > 1 && rc >= 0;)
		lines[nodes[i].parent].total += lines[i].total;
	for (size_t i = 1; i < all && rc >= 0; i++) {
		if (!lines[i].total && !lines[i].calls)
			continue;
		lines[i].node = (uint32_t)i;
		lines[i].func = nodes[i].func;
		lines[i].depth = nodes[i].depth;
		children[n++] = (struct child){.line = lines[i], .parent = nodes[i].parent};
	}
	if (rc >= 0) {
		t->lines[t->n++] = lines[0];
		if (n)
			qsort(children, n, sizeof *children, by_parent);
		rc = lay_out(u, children, n, t);
	}
	base_free(u->c, lines);
	base_free(u->c, children);
	if (rc < 0)
		call_tree_free(u, t);
	return rc;
}

void call_tree_free(struct call_run *u, struct call_tree *t)
{
	base_free(u->c, t->lines);
	t->lines = NULL;
	t->n = 0;
}

/* ---- tables ---- */

struct function {
	uint32_t func;
	uint64_t self, total, calls, open; /* open: depth of its outermost frame, while in it */
};

static int by_self(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->func > y->func) - (x->func < y->func);
}

/* A function's total counts each instruction once, however often it is on the stack. */
static void calls_report_add_up(const struct call_tree *t, struct function *f, uint32_t *path)
{
	size_t depth = 0;
	for (size_t i = 1; i < t->n; i++) {
		const struct call_line *l = &t->lines[i];
		for (; depth >= l->depth; depth--) /* leave what is not above this one */
			if (f[path[depth]].open == depth)
				f[path[depth]].open = 0;
		depth = l->depth;
		path[depth] = l->func;
		f[l->func].self += l->self;
		f[l->func].calls += l->calls;
		if (f[l->func].open)
			continue;
		f[l->func].open = depth;
		f[l->func].total += l->total;
	}
}

static int put_functions(struct call_run *u, const struct call_tree *t, uint64_t whole,
                         struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		{"function", CAIRN_CELL_TEXT, 0},     {"address", CAIRN_CELL_ADDRESS, 0},
		{"calls", CAIRN_CELL_COUNT, 0},       {"self", CAIRN_CELL_COUNT, 0},
		{"self_percent", CAIRN_CELL_REAL, 2}, {"total", CAIRN_CELL_COUNT, 0},
		{"total_percent", CAIRN_CELL_REAL, 2}};
	struct result_table *out = result_table(res, "functions", columns, 7);
	size_t n = u->func_index.n, deepest = 0;
	if (!result_keeps(res, out))
		return 0;
	for (size_t i = 0; i < t->n; i++)
		deepest = t->lines[i].depth > deepest ? t->lines[i].depth : deepest;
	struct function *f = base_alloc(u->c, (n + 1) * sizeof *f);
	uint32_t *path = base_alloc(u->c, (deepest + 2) * sizeof *path);
	int rc = f && path ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++)
		f[i].func = (uint32_t)i;
	if (rc >= 0)
		calls_report_add_up(t, f, path);
	if (rc >= 0 && n)
		qsort(f, n, sizeof *f, by_self);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct call_func *is =
			(const struct call_func *)(const void *)u->funcs.data + f[i].func;
		char name[20];
		if (!f[i].total && !f[i].calls)
			continue;
		struct cairn_cell *row = result_row(res, out);
		cell_text(&row[0], result_text(res, "%s", call_name(u, f[i].func, name)));
		cell_number(&row[1], is->addr);
		cell_number(&row[2], f[i].calls);
		cell_number(&row[3], f[i].self);
		cell_share(&row[4], f[i].self, whole);
		cell_number(&row[5], f[i].total);
		cell_share(&row[6], f[i].total, whole);
	}
	base_free(u->c, f);
	base_free(u->c, path);
	return rc;
}

static void put_tree(const struct call_run *u, const struct call_tree *t, uint64_t whole,
                     struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		{"depth", CAIRN_CELL_COUNT, 0},  {"calls", CAIRN_CELL_COUNT, 0},
		{"self", CAIRN_CELL_COUNT, 0},   {"total", CAIRN_CELL_COUNT, 0},
		{"percent", CAIRN_CELL_REAL, 2}, {"path", CAIRN_CELL_TEXT, 0}};
	enum { INDENTED = 40 };
	struct result_table *out = result_table(res, "tree", columns, 6);
	for (size_t i = 1; i < t->n && result_keeps(res, out); i++) {
		const struct call_line *l = &t->lines[i];
		int indent = l->depth - 1 < INDENTED ? 2 * (int)(l->depth - 1) : 2 * INDENTED;
		char name[20];
		struct cairn_cell *row = result_row(res, out);
		cell_number(&row[0], l->depth);
		cell_number(&row[1], l->calls);
		cell_number(&row[2], l->self);
		cell_number(&row[3], l->total);
		cell_share(&row[4], l->total, whole);
		cell_text(&row[5], result_text(res, "%*s%s", indent, "", call_name(u, l->func, name)));
	}
}

int calls_tables(struct call_run *u, const struct call_sum *sum, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		{"instructions", CAIRN_CELL_COUNT, 0},   {"calls", CAIRN_CELL_COUNT, 0},
		{"returns", CAIRN_CELL_COUNT, 0},        {"tail_calls", CAIRN_CELL_COUNT, 0},
		{"frames_unwound", CAIRN_CELL_COUNT, 0}, {"returns_unmatched", CAIRN_CELL_COUNT, 0},
		{"traps", CAIRN_CELL_COUNT, 0},          {"trap_returns", CAIRN_CELL_COUNT, 0},
		{"stack_switches", CAIRN_CELL_COUNT, 0}, {"breaks", CAIRN_CELL_COUNT, 0},
		{"deepest", CAIRN_CELL_COUNT, 0},        {"beyond_depth", CAIRN_CELL_COUNT, 0}};
	const uint64_t *counts = (const void *)&sum->count;
	struct call_tree t;
	struct cairn_cell *row = result_row(res, result_figures(res, "summary", columns, 12));
	_Static_assert(sizeof sum->count == 12 * sizeof *counts, "a column for each");
	for (size_t i = 0; i < 12; i++)
		cell_number(&row[i], counts[i]);
	int rc = call_tree_new(u, sum, &t);
	if (rc < 0)
		return rc;
	rc = put_functions(u, &t, sum->count.instructions, res);
	if (rc >= 0)
		put_tree(u, &t, sum->count.instructions, res);
	if (!u->opts->image)
		result_note(res, "without symbols (--image) a function is the address that was called");
	call_tree_free(u, &t);
	return rc;
}

int cairn_calls(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                struct cairn_result **out)
{
	struct call_run u = {.report = calls_tables};
	struct analysis_job job;
	return analysis_do(r, &job, calls_job(r, opts, &u, &job), out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: the tree summed up, and its tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/calls.h"

const char *call_name(const struct call_run *run, uint32_t func, char *buf)
{
	const struct call_func *f = (const struct call_func *)(const void *)run->funcs.data + func;
	if (f->symbol)
		return f->symbol->name;
	if (f->addr == CALLS_NOWHERE)
		return "?";
	snprintf(buf, 20, "0x%" PRIx64, f->addr);
	return buf;
}

/* ---- the tree ---- */

struct child { /* a node on its way to its place */
	struct call_line line;
	uint32_t parent;
	uint64_t order;
};

static const struct call_node *nodes_of(const struct call_run *run)
{
	return (const void *)run->nodes.data;
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

/* Lay out depth first, with a list of nodes to visit instead of recursion. */
static int lay_out(struct call_run *run, const struct child *children, size_t n,
                   struct call_tree *tree)
{
	size_t all = run->nodes.len / sizeof(struct call_node);
	uint32_t *first = base_alloc(run->cairn, (all + 1) * sizeof *first);
	uint32_t *todo = base_alloc(run->cairn, (n + 1) * sizeof *todo);
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
		tree->lines[tree->n] = children[todo[--waiting]].line;
		at = tree->lines[tree->n++].node;
	}
	base_free(run->cairn, first);
	base_free(run->cairn, todo);
	return rc;
}

int call_tree_new(struct call_run *run, const struct call_sum *sum, struct call_tree *tree)
{
	const struct call_node *nodes = nodes_of(run);
	size_t all = run->nodes.len / sizeof *nodes, n = 0;
	struct call_line *lines = base_alloc(run->cairn, all * sizeof *lines);
	struct child *children = base_alloc(run->cairn, (all + 1) * sizeof *children);
	*tree = (struct call_tree){.lines = base_alloc(run->cairn, (all + 1) * sizeof *tree->lines)};
	int rc = lines && children && tree->lines ? 0 : CAIRN_E_NOMEM;
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
		tree->lines[tree->n++] = lines[0];
		if (n)
			qsort(children, n, sizeof *children, by_parent);
		rc = lay_out(run, children, n, tree);
	}
	base_free(run->cairn, lines);
	base_free(run->cairn, children);
	if (rc < 0)
		call_tree_free(run, tree);
	return rc;
}

void call_tree_free(struct call_run *run, struct call_tree *tree)
{
	base_free(run->cairn, tree->lines);
	tree->lines = NULL;
	tree->n = 0;
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
static void calls_report_add_up(const struct call_tree *tree, struct function *function,
                                uint32_t *path)
{
	size_t depth = 0;
	for (size_t i = 1; i < tree->n; i++) {
		const struct call_line *line = &tree->lines[i];
		for (; depth >= line->depth; depth--) /* leave frames that are not above this one */
			if (function[path[depth]].open == depth)
				function[path[depth]].open = 0;
		depth = line->depth;
		path[depth] = line->func;
		function[line->func].self += line->self;
		function[line->func].calls += line->calls;
		if (function[line->func].open)
			continue;
		function[line->func].open = depth;
		function[line->func].total += line->total;
	}
}

static int put_functions(struct call_run *run, const struct call_tree *tree, uint64_t whole,
                         struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("function", "the function; ? where the address is unknown"),
		ADDRESS("address", "where it begins"),
		COUNT("calls", "how often it was called"),
		COUNT("self", "instructions in it"),
		REAL("self_percent", 2, "part of all instructions, in percent"),
		COUNT("total", "instructions in it and in what it called"),
		REAL("total_percent", 2, "part of all instructions, in percent")};
	struct result_table *out = result_table(res, "functions", columns, 7);
	size_t n = run->func_index.n, deepest = 0;
	if (!result_keeps(res, out))
		return 0;
	for (size_t i = 0; i < tree->n; i++)
		deepest = tree->lines[i].depth > deepest ? tree->lines[i].depth : deepest;
	struct function *function = base_alloc(run->cairn, (n + 1) * sizeof *function);
	uint32_t *path = base_alloc(run->cairn, (deepest + 2) * sizeof *path);
	int rc = function && path ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++)
		function[i].func = (uint32_t)i;
	if (rc >= 0)
		calls_report_add_up(tree, function, path);
	if (rc >= 0 && n)
		qsort(function, n, sizeof *function, by_self);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct call_func *is =
			(const struct call_func *)(const void *)run->funcs.data + function[i].func;
		char name[20];
		if (!function[i].total && !function[i].calls)
			continue;
		struct cairn_cell *row = result_row(res, out);
		cell_text(&row[0], result_text(res, "%s", call_name(run, function[i].func, name)));
		if (is->addr != CALLS_NOWHERE)
			cell_number(&row[1], is->addr);
		cell_number(&row[2], function[i].calls);
		cell_number(&row[3], function[i].self);
		cell_share(&row[4], function[i].self, whole);
		cell_number(&row[5], function[i].total);
		cell_share(&row[6], function[i].total, whole);
	}
	base_free(run->cairn, function);
	base_free(run->cairn, path);
	return rc;
}

static void put_tree(const struct call_run *run, const struct call_tree *tree, uint64_t whole,
                     struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		COUNT("depth", "length of the path"),
		COUNT("calls", "how often this path was called"),
		COUNT("self", "instructions at the end of this path"),
		COUNT("total", "instructions on this path and below it"),
		REAL("percent", 2, "part of all instructions, in percent"),
		TEXT("path", "the function, indented by its depth")};
	enum { INDENTED = 40 };
	struct result_table *out = result_table(res, "tree", columns, 6);
	for (size_t i = 1; i < tree->n && result_keeps(res, out); i++) {
		const struct call_line *line = &tree->lines[i];
		int indent = line->depth - 1 < INDENTED ? 2 * (int)(line->depth - 1) : 2 * INDENTED;
		char name[20];
		struct cairn_cell *row = result_row(res, out);
		cell_number(&row[0], line->depth);
		cell_number(&row[1], line->calls);
		cell_number(&row[2], line->self);
		cell_number(&row[3], line->total);
		cell_share(&row[4], line->total, whole);
		cell_text(&row[5], result_text(res, "%*s%s", indent, "", call_name(run, line->func, name)));
	}
}

int calls_tables(struct call_run *run, const struct call_sum *sum, struct cairn_result *res)
{
	const struct call_count *count = &sum->count;
	const struct result_figure figures[] = {
		{COUNT("instructions", "instructions that executed"), count->instructions},
		{COUNT("calls", "calls"), count->calls},
		{COUNT("returns", "returns"), count->returns},
		{COUNT("tail_calls", "jumps to another function"), count->tail_calls},
		{COUNT("frames_unwound", "frames that a return left out"), count->unwound},
		{COUNT("returns_unmatched", "returns that no call matches"), count->unmatched},
		{COUNT("traps", "traps and interrupts"), count->traps},
		{COUNT("trap_returns", "returns from them"), count->trap_returns},
		{COUNT("stack_switches", "changes to another stack"), count->switches},
		{COUNT("breaks", "places where instructions are missing"), count->breaks},
		{COUNT("deepest", "most frames at once"), count->deepest},
		{COUNT("beyond_depth", "calls that were deeper than is kept"), count->too_deep}};
	struct call_tree tree;
	result_summary(res, figures, sizeof figures / sizeof *figures);
	int rc = call_tree_new(run, sum, &tree);
	if (rc < 0)
		return rc;
	rc = put_functions(run, &tree, sum->count.instructions, res);
	if (rc >= 0)
		put_tree(run, &tree, sum->count.instructions, res);
	if (!run->opts->image)
		result_note(res, "without symbols (--image) a function is the address that was called");
	call_tree_free(run, &tree);
	return rc;
}

int cairn_calls(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                struct cairn_result **out)
{
	struct call_run run = {.report = calls_tables};
	struct analysis_job job;
	return analysis_do(reader, &job, calls_job(reader, opts, &run, &job), out);
}

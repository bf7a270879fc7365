/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CALLS_H
#define ANALYSIS_CALLS_H
/*
 * The call tree, which calls.c makes and calls_report.c and export print.
 */
#include "analysis/run.h"

/* Stands for the address of all instructions whose address is not known. They are one function. */
#define CALLS_NOWHERE UINT64_MAX

struct call_node {
	uint32_t parent; /* node; the root is node 0, its own parent and no function */
	uint32_t func;
	uint32_t depth;
};

struct call_func {
	const struct cairn_symbol *symbol; /* NULL: known by its address alone */
	uint64_t addr;
};

/* All counts of an interval except those of nodes. */
struct call_count {
	uint64_t instructions, calls, returns, tail_calls, unwound, unmatched, traps, trap_returns,
		switches, breaks, deepest, too_deep;
};

struct call_sum {
	struct call_count count;
	struct base_map nodes; /* node → instructions of its own, calls */
};

struct call_run {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	struct base_buf nodes;      /* struct call_node */
	struct base_map index;      /* parent and function → node */
	struct base_buf funcs;      /* struct call_func */
	struct base_map func_index; /* address and symbol → number */
	unsigned view;              /* of the image, at the step that is being joined */
	struct base_map harts;      /* hart → pointer to its state */
	uint64_t now;               /* instructions joined */
	/* What to do with an interval, and with frames as they come and go (may be NULL). */
	int (*report)(struct call_run *run, const struct call_sum *sum, struct cairn_result *res);
	int (*step)(struct call_run *run, uint64_t hart, bool begins, uint32_t func, uint64_t n);
	void *user;
};

/* Make a job of it. `run`, with its last three members filled, must live until the job is done. */
int calls_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
              struct call_run *run, struct analysis_job *job);
/* Put the tables of cairn_calls: a report as above. */
int calls_tables(struct call_run *run, const struct call_sum *sum, struct cairn_result *res);

/* The tree of an interval with everything summed up: children of a node stand side by
 * side, those with the most instructions first. */
struct call_tree {
	size_t n;
	struct call_line {
		uint32_t node, func, depth;
		uint64_t self, total, calls;
	} * lines; /* depth first; line 0 is the root */
};
int call_tree_new(struct call_run *run, const struct call_sum *sum, struct call_tree *tree);
void call_tree_free(struct call_run *run, struct call_tree *tree);
/* "main", "?" for CALLS_NOWHERE, or "0x80001234" in `buf` (at least 20 bytes). */
const char *call_name(const struct call_run *run, uint32_t func, char *buf);

#endif

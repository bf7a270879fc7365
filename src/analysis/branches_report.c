/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches: the report.
 *
 * Entropy is the uncertainty of an outcome, in bits, given the branch's own last eight outcomes
 * (local) or the last eight outcomes of all conditional branches of the hart (global). Only
 * outcomes with a whole history count. Counts are integers; entropies are summed up in the order of addresses, so
 * they are the same for every number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/branches.h"

/* Limits of the classes: fractions of outcomes, bits. */
#define BIASED 0.98
#define FORESEEN 0.1
enum { TRIPS_AT_LEAST = 3 };

struct line {
	uint64_t pc;
	const struct branch *branch;
	double local, global;       /* entropies summed up over … */
	uint64_t n_local, n_global; /* … so many outcomes */
	uint64_t targets;
	uint8_t cls;
};

enum { ALWAYS, NEVER, BIASED_WAY, LOOP, REPEATING, CORRELATED, HARD, UNKNOWN, CLASSES };
static const char *const class_names[CLASSES] = {"always",    "never",      "biased", "loop",
                                                 "repeating", "correlated", "hard",   "unknown"};

static const char *branches_report_kind_of(const struct branch *branch)
{
	bool indirect = branch->traits & CAIRN_TRAIT_INDIRECT;
	if (branch->traits & CAIRN_TRAIT_CONDITIONAL)
		return "conditional";
	/* A coroutine's switch is both: it counts as a call. */
	if (branch->traits & CAIRN_TRAIT_CALL)
		return indirect ? "indirect call" : "call";
	if (branch->traits & CAIRN_TRAIT_RETURN)
		return "return";
	return indirect ? "indirect jump" : "jump";
}

static double entropy(uint64_t taken, uint64_t not_taken)
{
	double n = (double)(taken + not_taken), p = (double)taken / n, q = (double)not_taken / n;
	return taken && not_taken ? -(p * log2(p) + q * log2(q)) : 0;
}

/* Sum up a map of histories: lines are in the order of addresses. */
static int sum_histories(struct cairn *cairn, const struct base_map *map, struct line *lines,
                         size_t n, bool global)
{
	const uint64_t **rows = base_map_sorted(map);
	if (!rows)
		return CAIRN_E_NOMEM;
	size_t at = 0;
	for (size_t i = 0; i < map->n; i++) {
		while (at < n && lines[at].pc != rows[i][0])
			at++;
		if (at == n)
			break;
		uint64_t seen = rows[i][2] + rows[i][3];
		double bits = (double)seen * entropy(rows[i][2], rows[i][3]);
		*(global ? &lines[at].global : &lines[at].local) += bits;
		*(global ? &lines[at].n_global : &lines[at].n_local) += seen;
	}
	base_free(cairn, rows);
	return 0;
}

static void count_targets(const struct base_map *map, struct line *lines, size_t n,
                          const uint64_t **rows)
{
	size_t at = 0;
	for (size_t i = 0; i < map->n; i++) {
		while (at < n && lines[at].pc != rows[i][0])
			at++;
		if (at < n)
			lines[at].targets++;
	}
}

/* A loop's branch goes one way a fixed number of times, then the other way once. */
static uint64_t trip_of(const struct branch *branch)
{
	for (unsigned way = 0; way < 2; way++) {
		const struct branch_runs *stay = &branch->runs[way], *leave = &branch->runs[!way];
		if (stay->n >= TRIPS_AT_LEAST && stay->shortest == stay->longest && stay->longest > 1 &&
		    leave->longest == 1)
			return stay->longest + 1;
	}
	return 0;
}

static uint8_t branches_report_class_of(const struct line *line)
{
	const struct branch *branch = line->branch;
	uint64_t known = branch->executed - branch->unknown, not_taken = known - branch->taken;
	double most = (double)(branch->taken > not_taken ? branch->taken : not_taken);
	if (!known)
		return UNKNOWN;
	if (!not_taken || !branch->taken)
		return not_taken ? NEVER : ALWAYS;
	if (trip_of(branch))
		return LOOP;
	if (most >= BIASED * (double)known)
		return BIASED_WAY;
	if (line->n_local && line->local < FORESEEN * (double)line->n_local)
		return REPEATING;
	return line->n_global && line->global < FORESEEN * (double)line->n_global ? CORRELATED : HARD;
}

static int by_executed(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->branch->executed != y->branch->executed)
		return x->branch->executed < y->branch->executed ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

/* ---- tables ---- */

struct total {
	uint64_t branches, conditional, taken, unknown, calls, returns, indirect, transitions;
	uint64_t misses[PREDICT_KINDS], target_misses;
	uint64_t outcomes, taken_known, n_local, n_global;
	double bias, local, global;
};

static struct total branches_report_add_up(const struct line *lines, size_t n)
{
	struct total total = {0};
	for (size_t i = 0; i < n; i++) {
		const struct branch *branch = lines[i].branch;
		total.branches += branch->executed;
		total.taken += branch->taken;
		total.calls += branch->traits & CAIRN_TRAIT_CALL ? branch->taken : 0;
		total.returns += branch->traits & CAIRN_TRAIT_RETURN ? branch->taken : 0;
		total.indirect += branch->traits & CAIRN_TRAIT_INDIRECT ? branch->executed : 0;
		total.target_misses += branch->target_misses;
		if (!(branch->traits & CAIRN_TRAIT_CONDITIONAL))
			continue;
		uint64_t known = branch->executed - branch->unknown;
		total.conditional += branch->executed;
		total.unknown += branch->unknown;
		total.outcomes += known;
		total.taken_known += branch->taken;
		total.transitions += branch->transitions;
		total.bias += (double)known * entropy(branch->taken, known - branch->taken);
		total.local += lines[i].local;
		total.global += lines[i].global;
		total.n_local += lines[i].n_local;
		total.n_global += lines[i].n_global;
		for (unsigned k = 0; k < PREDICT_KINDS; k++)
			total.misses[k] += branch->misses[k];
	}
	return total;
}

static void put_summary(const struct branch_part *part, const struct total *total, size_t n,
                        struct cairn_result *res)
{
	int64_t high = 0, low = 0;
	for (size_t i = 0; i < part->harts.n; i++) {
		const struct branch_hart *hart = (const void *)(base_map_row(&part->harts, i) + 2);
		high = hart->highest > high ? hart->highest : high;
		low = hart->lowest < low ? hart->lowest : low;
	}
	const struct result_figure figures[] = {
		{COUNT("instructions", "instructions that were looked at"), part->instructions},
		{COUNT("executed", "instructions that executed"), part->executed},
		{COUNT("branches", "branches that executed"), total->branches},
		{COUNT("static_branches", "their different addresses"), n},
		{COUNT("taken", "branches that were taken"), total->taken},
		{COUNT("conditional", "conditional branches"), total->conditional},
		{COUNT("conditional_taken", "conditional branches that were taken"), total->taken_known},
		{COUNT("outcome_unknown", "conditional branches whose outcome is unknown"), total->unknown},
		{COUNT("transitions", "conditional branches that went another way than the time before"),
	     total->transitions},
		{COUNT("indirect", "indirect jumps, calls and returns"), total->indirect},
		{COUNT("calls", "calls"), total->calls},
		{COUNT("returns", "returns"), total->returns},
		{SIGNED("deepest_call", "deepest nesting of calls, from where the trace began"),
	     (uint64_t)high},
		{SIGNED("returns_below_start", "how far returns went below where the trace began"),
	     (uint64_t)-low},
		{REAL("bias_entropy", 4, "bits an outcome, if only the bias is known"), 0},
		{REAL("local_entropy", 4, "bits an outcome, if its last 8 outcomes are known"), 0},
		{REAL("global_entropy", 4,
	          "bits an outcome, if the last 8 outcomes of the processor are known"),
	     0}};
	struct cairn_cell *row = result_summary(res, figures, sizeof figures / sizeof *figures);
	cell_ratio(&row[14], total->bias, (double)total->outcomes);
	cell_ratio(&row[15], total->local, (double)total->n_local);
	cell_ratio(&row[16], total->global, (double)total->n_global);
}

static void put_predictors(const struct branch_run *run, const struct branch_part *part,
                           const struct total *total, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("predictor", "the predictor; targets: that of targets"),
		COUNT("bytes", "its size"),
		COUNT("predicted", "outcomes (targets) that it predicted"),
		COUNT("missed", "predictions that were wrong"),
		REAL("missed_percent", 3, "wrong predictions, in percent"),
		REAL("per_1000", 3, "wrong predictions per 1000 executed instructions")};
	if (!run->predicts)
		return;
	struct result_table *out = result_table(res, "predictors", columns, 6);
	for (unsigned k = 0; k <= PREDICT_KINDS; k++) {
		bool targets = k == PREDICT_KINDS;
		if (!targets && !run->bytes[k])
			continue;
		uint64_t missed = targets ? total->target_misses : total->misses[k];
		uint64_t predicted = targets ? total->indirect : total->outcomes;
		struct cairn_cell *row = result_row(res, out);
		cell_text(&row[0], targets ? "targets" : predict_name((enum predict_kind)k));
		cell_number(&row[1], targets ? 8 * (BRANCH_STACK + BRANCH_TARGETS) : run->bytes[k]);
		cell_number(&row[2], predicted);
		cell_number(&row[3], missed);
		cell_share(&row[4], missed, predicted);
		cell_ratio(&row[5], 1000.0 * (double)missed, (double)part->executed);
	}
}

/* Static and dynamic counts by class of behaviour and by kind. */
static void put_groups(const struct line *lines, size_t n, const struct total *total,
                       struct cairn_result *res, bool kinds)
{
	static const char *const kind_names[] = {"conditional", "jump",          "indirect jump",
	                                         "call",        "indirect call", "return"};
	static const struct cairn_column by_class[] = {
		TEXT("class", "how they behave"), COUNT("static", "different addresses"),
		COUNT("executed", "how often they executed"), REAL("percent", 2, "part of all, in percent"),
		REAL("taken_percent", 2, "how often they were taken, in percent")};
	static const struct cairn_column by_kind[] = {
		TEXT("kind", "conditional, jump, call and so on"), COUNT("static", "different addresses"),
		COUNT("executed", "how often they executed"), REAL("percent", 2, "part of all, in percent"),
		REAL("taken_percent", 2, "how often they were taken, in percent")};
	struct result_table *out =
		kinds ? result_table(res, "kinds", by_kind, 5) : result_table(res, "classes", by_class, 5);
	size_t groups = kinds ? sizeof kind_names / sizeof *kind_names : CLASSES;
	for (size_t g = 0; g < groups; g++) {
		uint64_t fixed = 0, executed = 0, taken = 0, known = 0;
		for (size_t i = 0; i < n; i++) {
			const struct branch *branch = lines[i].branch;
			bool conditional = branch->traits & CAIRN_TRAIT_CONDITIONAL;
			if (kinds ? strcmp(branches_report_kind_of(branch), kind_names[g]) != 0
			          : !conditional || lines[i].cls != g)
				continue;
			fixed++;
			executed += branch->executed;
			taken += branch->taken;
			known += branch->executed - branch->unknown;
		}
		if (!fixed)
			continue;
		struct cairn_cell *row = result_row(res, out);
		cell_text(&row[0], kinds ? kind_names[g] : class_names[g]);
		cell_number(&row[1], fixed);
		cell_number(&row[2], executed);
		cell_share(&row[3], executed, kinds ? total->branches : total->conditional);
		cell_share(&row[4], taken, known);
	}
}

static void branches_report_put_branch(const struct branch_run *run, const struct line *line,
                                       struct cairn_cell *row)
{
	const struct branch *branch = line->branch;
	bool conditional = branch->traits & CAIRN_TRAIT_CONDITIONAL;
	if (line->pc != BRANCH_NO_PC) {
		cell_number(&row[0], line->pc);
		cell_text(&row[1], analysis_symbol(run->opts, line->pc));
	}
	cell_text(&row[2], branches_report_kind_of(branch));
	cell_number(&row[3], branch->executed);
	cell_share(&row[4], branch->taken, branch->executed - branch->unknown);
	if (line->targets || branch->target)
		cell_number(&row[5], line->targets ? line->targets : 1);
	unsigned at = 11;
	if (conditional) {
		cell_number(&row[6], branch->transitions);
		cell_text(&row[7], class_names[line->cls]);
		if (line->cls == LOOP)
			cell_number(&row[8], trip_of(branch));
		if (line->n_local)
			cell_real(&row[9], line->local / (double)line->n_local);
		if (line->n_global)
			cell_real(&row[10], line->global / (double)line->n_global);
	}
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		if (run->bytes[k] && conditional)
			cell_number(&row[at++], branch->misses[k]);
		else if (run->bytes[k])
			at++;
	if (run->predicts && branch->traits & CAIRN_TRAIT_INDIRECT)
		cell_number(&row[at], branch->target_misses);
}

static void put_branches(const struct branch_run *run, const struct line *lines, size_t n,
                         struct cairn_result *res)
{
	static const char *const missed[] = {"bimodal_missed", "gshare_missed", "tage_missed"};
	struct cairn_column columns[12 + PREDICT_KINDS] = {
		ADDRESS("pc", "its address"),
		TEXT("function", "the symbol that covers it"),
		TEXT("kind", "conditional, jump, call and so on"),
		COUNT("executed", "how often it executed"),
		REAL("taken_percent", 2, "how often it was taken, in percent"),
		COUNT("targets", "different targets"),
		COUNT("transitions", "how often it went another way than the time before"),
		TEXT("class", "how it behaves"),
		COUNT("trip", "of a loop: its constant number of rounds"),
		REAL("local_entropy", 3, "bits an outcome, if its last 8 outcomes are known"),
		REAL("global_entropy", 3,
	         "bits an outcome, if the last 8 outcomes of the processor are known")};
	size_t n_columns = 11;
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		if (run->bytes[k])
			columns[n_columns++] =
				(struct cairn_column)COUNT(missed[k], "outcomes that it predicted wrong");
	if (run->predicts)
		columns[n_columns++] =
			(struct cairn_column)COUNT("target_missed", "targets that were predicted wrong");
	struct result_table *out = result_table(res, "branches", columns, n_columns);
	for (size_t i = 0; i < n; i++)
		branches_report_put_branch(run, &lines[i], result_row(res, out));
}

int branches_report(void *user, void *sum, struct cairn_result *res)
{
	struct branch_run *run = user;
	struct branch_part *part = sum;
	size_t n = part->branches.n;
	const struct branch_counts *counts = branches_counts(run, part);
	if (!counts)
		return CAIRN_E_NOMEM;
	const uint64_t **rows = base_map_sorted(&part->branches),
				   **targets = base_map_sorted(&counts->targets);
	struct line *lines = base_alloc(run->cairn, (n + 1) * sizeof *lines);
	int rc = rows && targets && lines ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++)
		lines[i] = (struct line){.pc = rows[i][0], .branch = (const void *)(rows[i] + 2)};
	if (rc >= 0)
		rc = sum_histories(run->cairn, &counts->local, lines, n, false);
	if (rc >= 0)
		rc = sum_histories(run->cairn, &counts->global, lines, n, true);
	if (rc >= 0) {
		struct total total = branches_report_add_up(lines, n);
		count_targets(&counts->targets, lines, n, targets);
		for (size_t i = 0; i < n; i++)
			lines[i].cls = branches_report_class_of(&lines[i]);
		put_summary(part, &total, n, res);
		put_predictors(run, part, &total, res);
		put_groups(lines, n, &total, res, true);
		put_groups(lines, n, &total, res, false);
		if (n)
			qsort(lines, n, sizeof *lines, by_executed);
		put_branches(run, lines, n, res);
		if (total.unknown)
			result_note(res, "the trace does not record which way some branches went");
		if (part->unplaced)
			result_note(res, "of some branches the address is not known: they are one row");
	}
	base_free(run->cairn, lines);
	base_free(run->cairn, rows);
	base_free(run->cairn, targets);
	return rc;
}

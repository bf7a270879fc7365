/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches: the report.
 *
 * Entropy is what is left to guess, in bits, when one knows the past: of a branch's own
 * last eight outcomes (local), or of the last eight outcomes of all conditional
 * branches of the hart (global). It is taken over the outcomes that had a whole
 * history. Counts are integers; entropies are summed up in the order of addresses, so
 * they are the same for every number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/branches.h"

/* What makes a class; fractions of outcomes, bits. */
#define BIASED 0.98
#define FORESEEN 0.1
enum { TRIPS_AT_LEAST = 3 };

struct line {
	uint64_t pc;
	const struct branch *b;
	double local, global;       /* entropies summed up over … */
	uint64_t n_local, n_global; /* … so many outcomes */
	uint64_t targets;
	uint8_t cls;
};

enum { ALWAYS, NEVER, BIASED_WAY, LOOP, REPEATING, CORRELATED, HARD, UNKNOWN, CLASSES };
static const char *const class_names[CLASSES] = {"always",    "never",      "biased", "loop",
                                                 "repeating", "correlated", "hard",   "unknown"};

static const char *branches_report_kind_of(const struct branch *b)
{
	bool indirect = b->traits & CAIRN_TRAIT_INDIRECT;
	if (b->traits & CAIRN_TRAIT_CONDITIONAL)
		return "conditional";
	/* A coroutine's switch is both: it counts as a call. */
	if (b->traits & CAIRN_TRAIT_CALL)
		return indirect ? "indirect call" : "call";
	if (b->traits & CAIRN_TRAIT_RETURN)
		return "return";
	return indirect ? "indirect jump" : "jump";
}

static double entropy(uint64_t a, uint64_t b)
{
	double n = (double)(a + b), p = (double)a / n, q = (double)b / n;
	return a && b ? -(p * log2(p) + q * log2(q)) : 0;
}

/* Sum up a map of histories: lines are in the order of addresses. */
static int sum_histories(struct cairn *c, const struct base_map *m, struct line *lines, size_t n,
                         bool global)
{
	const uint64_t **rows = base_map_sorted(m);
	if (!rows)
		return CAIRN_E_NOMEM;
	size_t at = 0;
	for (size_t i = 0; i < m->n; i++) {
		while (at < n && lines[at].pc != rows[i][0])
			at++;
		if (at == n)
			break;
		uint64_t seen = rows[i][2] + rows[i][3];
		double bits = (double)seen * entropy(rows[i][2], rows[i][3]);
		*(global ? &lines[at].global : &lines[at].local) += bits;
		*(global ? &lines[at].n_global : &lines[at].n_local) += seen;
	}
	base_free(c, rows);
	return 0;
}

static void count_targets(const struct base_map *m, struct line *lines, size_t n,
                          const uint64_t **rows)
{
	size_t at = 0;
	for (size_t i = 0; i < m->n; i++) {
		while (at < n && lines[at].pc != rows[i][0])
			at++;
		if (at < n)
			lines[at].targets++;
	}
}

/* A loop's branch: one way so many times, then the other way once, always alike. */
static uint64_t trip_of(const struct branch *b)
{
	for (unsigned way = 0; way < 2; way++) {
		const struct branch_runs *stay = &b->runs[way], *leave = &b->runs[!way];
		if (stay->n >= TRIPS_AT_LEAST && stay->shortest == stay->longest && stay->longest > 1 &&
		    leave->longest == 1)
			return stay->longest + 1;
	}
	return 0;
}

static uint8_t branches_report_class_of(const struct line *l)
{
	const struct branch *b = l->b;
	uint64_t known = b->executed - b->unknown, not_taken = known - b->taken;
	double most = (double)(b->taken > not_taken ? b->taken : not_taken);
	if (!known)
		return UNKNOWN;
	if (!not_taken || !b->taken)
		return not_taken ? NEVER : ALWAYS;
	if (trip_of(b))
		return LOOP;
	if (most >= BIASED * (double)known)
		return BIASED_WAY;
	if (l->n_local && l->local < FORESEEN * (double)l->n_local)
		return REPEATING;
	return l->n_global && l->global < FORESEEN * (double)l->n_global ? CORRELATED : HARD;
}

static int by_executed(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->b->executed != y->b->executed)
		return x->b->executed < y->b->executed ? 1 : -1;
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
	struct total t = {0};
	for (size_t i = 0; i < n; i++) {
		const struct branch *b = lines[i].b;
		t.branches += b->executed;
		t.taken += b->taken;
		t.calls += b->traits & CAIRN_TRAIT_CALL ? b->taken : 0;
		t.returns += b->traits & CAIRN_TRAIT_RETURN ? b->taken : 0;
		t.indirect += b->traits & CAIRN_TRAIT_INDIRECT ? b->executed : 0;
		t.target_misses += b->target_misses;
		if (!(b->traits & CAIRN_TRAIT_CONDITIONAL))
			continue;
		uint64_t known = b->executed - b->unknown;
		t.conditional += b->executed;
		t.unknown += b->unknown;
		t.outcomes += known;
		t.taken_known += b->taken;
		t.transitions += b->transitions;
		t.bias += (double)known * entropy(b->taken, known - b->taken);
		t.local += lines[i].local;
		t.global += lines[i].global;
		t.n_local += lines[i].n_local;
		t.n_global += lines[i].n_global;
		for (unsigned k = 0; k < PREDICT_KINDS; k++)
			t.misses[k] += b->misses[k];
	}
	return t;
}

static void put_summary(const struct branch_part *p, const struct total *t, size_t n,
                        struct cairn_result *res)
{
	static const struct cairn_column columns[] = {{"instructions", CAIRN_CELL_COUNT, 0},
	                                              {"executed", CAIRN_CELL_COUNT, 0},
	                                              {"branches", CAIRN_CELL_COUNT, 0},
	                                              {"static_branches", CAIRN_CELL_COUNT, 0},
	                                              {"taken", CAIRN_CELL_COUNT, 0},
	                                              {"conditional", CAIRN_CELL_COUNT, 0},
	                                              {"conditional_taken", CAIRN_CELL_COUNT, 0},
	                                              {"outcome_unknown", CAIRN_CELL_COUNT, 0},
	                                              {"transitions", CAIRN_CELL_COUNT, 0},
	                                              {"indirect", CAIRN_CELL_COUNT, 0},
	                                              {"calls", CAIRN_CELL_COUNT, 0},
	                                              {"returns", CAIRN_CELL_COUNT, 0},
	                                              {"deepest_call", CAIRN_CELL_SIGNED, 0},
	                                              {"returns_below_start", CAIRN_CELL_SIGNED, 0},
	                                              {"bias_entropy", CAIRN_CELL_REAL, 4},
	                                              {"local_entropy", CAIRN_CELL_REAL, 4},
	                                              {"global_entropy", CAIRN_CELL_REAL, 4}};
	struct result_table *out = result_figures(res, "summary", columns, 17);
	struct cairn_cell *row = result_row(res, out);
	int64_t high = 0, low = 0;
	for (size_t i = 0; i < p->harts.n; i++) {
		const struct branch_hart *h = (const void *)(base_map_row(&p->harts, i) + 2);
		high = h->highest > high ? h->highest : high;
		low = h->lowest < low ? h->lowest : low;
	}
	const uint64_t counts[] = {p->instructions, p->executed,    t->branches,    n,
	                           t->taken,        t->conditional, t->taken_known, t->unknown,
	                           t->transitions,  t->indirect,    t->calls,       t->returns,
	                           (uint64_t)high,  (uint64_t)-low};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		cell_number(&row[i], counts[i]);
	cell_ratio(&row[14], t->bias, (double)t->outcomes);
	cell_ratio(&row[15], t->local, (double)t->n_local);
	cell_ratio(&row[16], t->global, (double)t->n_global);
}

static void put_predictors(const struct branch_run *u, const struct branch_part *p,
                           const struct total *t, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		{"predictor", CAIRN_CELL_TEXT, 0},      {"bytes", CAIRN_CELL_COUNT, 0},
		{"predicted", CAIRN_CELL_COUNT, 0},     {"missed", CAIRN_CELL_COUNT, 0},
		{"missed_percent", CAIRN_CELL_REAL, 3}, {"per_1000", CAIRN_CELL_REAL, 3}};
	if (!u->predicts)
		return;
	struct result_table *out = result_table(res, "predictors", columns, 6);
	for (unsigned k = 0; k <= PREDICT_KINDS; k++) {
		bool targets = k == PREDICT_KINDS;
		if (!targets && !u->bytes[k])
			continue;
		uint64_t missed = targets ? t->target_misses : t->misses[k];
		uint64_t predicted = targets ? t->indirect : t->outcomes;
		struct cairn_cell *row = result_row(res, out);
		cell_text(&row[0], targets ? "targets" : predict_name((enum predict_kind)k));
		cell_number(&row[1], targets ? 8 * (BRANCH_STACK + BRANCH_TARGETS) : u->bytes[k]);
		cell_number(&row[2], predicted);
		cell_number(&row[3], missed);
		cell_share(&row[4], missed, predicted);
		cell_ratio(&row[5], 1000.0 * (double)missed, (double)p->executed);
	}
}

/* Static and dynamic counts by class of behaviour and by kind. */
static void put_groups(const struct line *lines, size_t n, const struct total *t,
                       struct cairn_result *res, bool kinds)
{
	static const char *const kind_names[] = {"conditional", "jump",          "indirect jump",
	                                         "call",        "indirect call", "return"};
	static const struct cairn_column by_class[] = {{"class", CAIRN_CELL_TEXT, 0},
	                                               {"static", CAIRN_CELL_COUNT, 0},
	                                               {"executed", CAIRN_CELL_COUNT, 0},
	                                               {"percent", CAIRN_CELL_REAL, 2},
	                                               {"taken_percent", CAIRN_CELL_REAL, 2}};
	static const struct cairn_column by_kind[] = {{"kind", CAIRN_CELL_TEXT, 0},
	                                              {"static", CAIRN_CELL_COUNT, 0},
	                                              {"executed", CAIRN_CELL_COUNT, 0},
	                                              {"percent", CAIRN_CELL_REAL, 2},
	                                              {"taken_percent", CAIRN_CELL_REAL, 2}};
	struct result_table *out =
		kinds ? result_table(res, "kinds", by_kind, 5) : result_table(res, "classes", by_class, 5);
	size_t groups = kinds ? sizeof kind_names / sizeof *kind_names : CLASSES;
	for (size_t g = 0; g < groups; g++) {
		uint64_t fixed = 0, executed = 0, taken = 0, known = 0;
		for (size_t i = 0; i < n; i++) {
			const struct branch *b = lines[i].b;
			bool conditional = b->traits & CAIRN_TRAIT_CONDITIONAL;
			if (kinds ? strcmp(branches_report_kind_of(b), kind_names[g]) != 0
			          : !conditional || lines[i].cls != g)
				continue;
			fixed++;
			executed += b->executed;
			taken += b->taken;
			known += b->executed - b->unknown;
		}
		if (!fixed)
			continue;
		struct cairn_cell *row = result_row(res, out);
		cell_text(&row[0], kinds ? kind_names[g] : class_names[g]);
		cell_number(&row[1], fixed);
		cell_number(&row[2], executed);
		cell_share(&row[3], executed, kinds ? t->branches : t->conditional);
		cell_share(&row[4], taken, known);
	}
}

static void branches_report_put_branch(const struct branch_run *u, const struct line *l,
                                       struct cairn_cell *row)
{
	const struct branch *b = l->b;
	bool conditional = b->traits & CAIRN_TRAIT_CONDITIONAL;
	cell_number(&row[0], l->pc);
	cell_text(&row[1], analysis_symbol(u->opts, l->pc));
	cell_text(&row[2], branches_report_kind_of(b));
	cell_number(&row[3], b->executed);
	cell_share(&row[4], b->taken, b->executed - b->unknown);
	if (l->targets || b->target)
		cell_number(&row[5], l->targets ? l->targets : 1);
	unsigned at = 11;
	if (conditional) {
		cell_number(&row[6], b->transitions);
		cell_text(&row[7], class_names[l->cls]);
		if (l->cls == LOOP)
			cell_number(&row[8], trip_of(b));
		if (l->n_local)
			cell_real(&row[9], l->local / (double)l->n_local);
		if (l->n_global)
			cell_real(&row[10], l->global / (double)l->n_global);
	}
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		if (u->bytes[k] && conditional)
			cell_number(&row[at++], b->misses[k]);
		else if (u->bytes[k])
			at++;
	if (u->predicts && b->traits & CAIRN_TRAIT_INDIRECT)
		cell_number(&row[at], b->target_misses);
}

static void put_branches(const struct branch_run *u, const struct line *lines, size_t n,
                         struct cairn_result *res)
{
	static const char *const missed[] = {"bimodal_missed", "gshare_missed", "tage_missed"};
	struct cairn_column columns[12 + PREDICT_KINDS] = {
		{"pc", CAIRN_CELL_ADDRESS, 0},         {"function", CAIRN_CELL_TEXT, 0},
		{"kind", CAIRN_CELL_TEXT, 0},          {"executed", CAIRN_CELL_COUNT, 0},
		{"taken_percent", CAIRN_CELL_REAL, 2}, {"targets", CAIRN_CELL_COUNT, 0},
		{"transitions", CAIRN_CELL_COUNT, 0},  {"class", CAIRN_CELL_TEXT, 0},
		{"trip", CAIRN_CELL_COUNT, 0},         {"local_entropy", CAIRN_CELL_REAL, 3},
		{"global_entropy", CAIRN_CELL_REAL, 3}};
	size_t n_columns = 11;
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		if (u->bytes[k])
			columns[n_columns++] = (struct cairn_column){missed[k], CAIRN_CELL_COUNT, 0};
	if (u->predicts)
		columns[n_columns++] = (struct cairn_column){"target_missed", CAIRN_CELL_COUNT, 0};
	struct result_table *out = result_table(res, "branches", columns, n_columns);
	for (size_t i = 0; i < n; i++)
		branches_report_put_branch(u, &lines[i], result_row(res, out));
}

int branches_report(void *user, void *sum, struct cairn_result *res)
{
	struct branch_run *u = user;
	struct branch_part *p = sum;
	size_t n = p->branches.n;
	const struct branch_counts *counts = branches_counts(u, p);
	if (!counts)
		return CAIRN_E_NOMEM;
	const uint64_t **rows = base_map_sorted(&p->branches),
				   **targets = base_map_sorted(&counts->targets);
	struct line *lines = base_alloc(u->c, (n + 1) * sizeof *lines);
	int rc = rows && targets && lines ? 0 : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++)
		lines[i] = (struct line){.pc = rows[i][0], .b = (const void *)(rows[i] + 2)};
	if (rc >= 0)
		rc = sum_histories(u->c, &counts->local, lines, n, false);
	if (rc >= 0)
		rc = sum_histories(u->c, &counts->global, lines, n, true);
	if (rc >= 0) {
		struct total t = branches_report_add_up(lines, n);
		count_targets(&counts->targets, lines, n, targets);
		for (size_t i = 0; i < n; i++)
			lines[i].cls = branches_report_class_of(&lines[i]);
		put_summary(p, &t, n, res);
		put_predictors(u, p, &t, res);
		put_groups(lines, n, &t, res, true);
		put_groups(lines, n, &t, res, false);
		if (n)
			qsort(lines, n, sizeof *lines, by_executed);
		put_branches(u, lines, n, res);
		if (t.unknown)
			result_note(res, "the trace does not tell which way some branches went");
	}
	base_free(u->c, lines);
	base_free(u->c, rows);
	base_free(u->c, targets);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Branches on the page, each by a walk over all of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/predict.h"
#include "page.h"
#include "watch.h"

struct branch_walk {
	uint32_t *order; /* rows of branches that ran */
	size_t n, n_pcs;
	uint64_t *pcs; /* of them, each once */
	const struct cairn_insn **first;
	uint64_t (*missed)[4]; /* of each pc: by each predictor, and targets */
};

static size_t index_of(const struct branch_walk *walk, uint64_t pc)
{
	size_t k = 0;
	while (k < walk->n_pcs && walk->pcs[k] != pc)
		k++;
	return k;
}

/* One hart's branches, one after the other. (The predictors themselves have their own test.) */
static void foresee(const struct trace *trace, struct branch_walk *walk, unsigned hart)
{
	struct predict *predict[PREDICT_KINDS];
	uint64_t stack[16] = {0}, *last = calloc(4096, sizeof *last);
	unsigned top = 0;
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		predict[k] =
			predict_new(trace->cairn, (enum predict_kind)k, predict_default((enum predict_kind)k));
	for (size_t i = 0; i < walk->n; i++) {
		const struct row *row = &trace->rows[walk->order[i]];
		const struct cairn_insn *in = &row->in;
		uint64_t *missed = walk->missed[index_of(walk, in->pc)];
		if (hart_of(row) != hart)
			continue;
		for (unsigned k = 0; k < PREDICT_KINDS && in->traits & CAIRN_TRAIT_CONDITIONAL; k++)
			missed[k] += !predict_branch(predict[k], in->pc, goes(in));
		if (in->traits & CAIRN_TRAIT_INDIRECT && goes(in) && in->traits & CAIRN_TRAIT_RETURN) {
			missed[3] += stack[top-- % 16] != in->target;
		} else if (in->traits & CAIRN_TRAIT_INDIRECT && goes(in)) {
			missed[3] += last[in->pc / 2 % 4096] != in->target;
			last[in->pc / 2 % 4096] = in->target;
		}
		if (in->traits & CAIRN_TRAIT_CALL && goes(in))
			stack[++top % 16] = in->pc + in->size;
	}
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		predict_free(trace->cairn, predict[k]);
	free(last);
}

static struct branch_walk walk_branches(const struct trace *trace)
{
	struct branch_walk walk = {.order = calloc(trace->n, sizeof *walk.order),
	                           .pcs = calloc(trace->n, sizeof *walk.pcs),
	                           .first = calloc(trace->n, sizeof *walk.first),
	                           .missed = calloc(trace->n, sizeof *walk.missed)};
	for (size_t i = 0; i < trace->n; i++) {
		const struct cairn_insn *in = &trace->rows[i].in;
		if (!(in->traits & CAIRN_TRAIT_BRANCH) || !runs(in))
			continue;
		walk.order[walk.n++] = (uint32_t)i;
		size_t k = index_of(&walk, in->pc);
		walk.pcs[k] = in->pc;
		walk.first[k] = k == walk.n_pcs ? in : walk.first[k];
		walk.n_pcs += k == walk.n_pcs;
	}
	for (unsigned hart = 0; hart < 8; hart++)
		foresee(trace, &walk, hart);
	return walk;
}

static const char *kind_name(uint32_t traits)
{
	bool indirect = traits & CAIRN_TRAIT_INDIRECT;
	return traits & CAIRN_TRAIT_CONDITIONAL ? "conditional"
	       : traits & CAIRN_TRAIT_CALL      ? (indirect ? "indirect call" : "call")
	       : traits & CAIRN_TRAIT_RETURN    ? "return"
	                                        : (indirect ? "indirect jump" : "jump");
}

static uint64_t trip(const struct watched *watched)
{
	for (unsigned way = 0; way < 2; way++)
		if (watched->runs[way] >= 3 && watched->shortest[way] == watched->longest[way] &&
		    watched->longest[way] > 1 && watched->longest[!way] == 1)
			return watched->longest[way] + 1;
	return 0;
}

static const char *class_name(const struct watched *watched)
{
	uint64_t most = watched->taken > watched->executed / 2 ? watched->taken
	                                                       : watched->executed - watched->taken;
	return watched->taken == watched->executed                                      ? "always"
	       : !watched->taken                                                        ? "never"
	       : trip(watched)                                                          ? "loop"
	       : (double)most >= 0.98 * (double)watched->executed                       ? "biased"
	       : watched->n_local && watched->local < 0.1 * (double)watched->n_local    ? "repeating"
	       : watched->n_global && watched->global < 0.1 * (double)watched->n_global ? "correlated"
	                                                                                : "hard";
}

/* Depth of calls less returns of a hart: the highest and lowest it came to. */
static void balance(const struct trace *trace, int64_t *high, int64_t *low)
{
	*high = *low = 0;
	for (unsigned hart = 0; hart < 8; hart++) {
		int64_t depth = 0;
		for (size_t i = 0; i < trace->n; i++) {
			const struct cairn_insn *in = &trace->rows[i].in;
			if (hart_of(&trace->rows[i]) != hart || !runs(in) ||
			    !(in->traits & CAIRN_TRAIT_BRANCH) || !goes(in))
				continue;
			depth +=
				(in->traits & CAIRN_TRAIT_CALL ? 1 : 0) - (in->traits & CAIRN_TRAIT_RETURN ? 1 : 0);
			*high = depth > *high ? depth : *high;
			*low = depth < *low ? depth : *low;
		}
	}
}

static double bias_of(const struct watched *watched)
{
	double n = (double)watched->executed, a = (double)watched->taken / n, b = 1 - a;
	return a > 0 && b > 0 ? -n * (a * log2(a) + b * log2(b)) : 0;
}

static void check_branch_figures(char *page, const struct trace *trace,
                                 const struct branch_walk *walk)
{
	struct grid grid = grid_of(page, "branches", NULL);
	uint64_t taken = 0, cond = 0, cond_taken = 0, transitions = 0, indirect = 0, calls = 0,
			 returns = 0;
	uint64_t n_local = 0, n_global = 0;
	double bias = 0, local = 0, global = 0;
	int64_t high, low;
	for (size_t i = 0; i < walk->n; i++) {
		const struct cairn_insn *in = &trace->rows[walk->order[i]].in;
		taken += goes(in);
		cond += (in->traits & CAIRN_TRAIT_CONDITIONAL) != 0;
		cond_taken += in->traits & CAIRN_TRAIT_CONDITIONAL && goes(in);
		indirect += (in->traits & CAIRN_TRAIT_INDIRECT) != 0;
		calls += in->traits & CAIRN_TRAIT_CALL && goes(in);
		returns += in->traits & CAIRN_TRAIT_RETURN && goes(in);
	}
	for (size_t k = 0; k < walk->n_pcs; k++) {
		struct watched watched = watch(trace, walk->order, walk->n, walk->pcs[k]);
		if (!(walk->first[k]->traits & CAIRN_TRAIT_CONDITIONAL))
			continue;
		transitions += watched.transitions;
		bias += bias_of(&watched);
		local += watched.local;
		global += watched.global;
		n_local += watched.n_local;
		n_global += watched.n_global;
	}
	balance(trace, &high, &low);
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {{"instructions", trace->n},
	              {"executed", count_insns(trace, true)},
	              {"branches", walk->n},
	              {"static branches", walk->n_pcs},
	              {"taken", taken},
	              {"conditional", cond},
	              {"conditional taken", cond_taken},
	              {"outcome unknown", 0},
	              {"transitions", transitions},
	              {"indirect", indirect},
	              {"calls", calls},
	              {"returns", returns},
	              {"deepest call", (uint64_t)high},
	              {"returns below start", (uint64_t)-low}};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		count_is(grid, counts[i].name, counts[i].n);
	const double reals[] = {cond ? bias / (double)cond : UNKNOWN,
	                        n_local ? local / (double)n_local : UNKNOWN,
	                        n_global ? global / (double)n_global : UNKNOWN};
	static const char *const names[] = {"bias entropy", "local entropy", "global entropy"};
	for (unsigned i = 0; i < 3; i++) {
		char text[CELL];
		spell(reals[i], 4, text);
		figure_is(grid, names[i], text);
	}
}

static void check_predictors(char *page, const struct trace *trace, const struct branch_walk *walk)
{
	struct grid grid = grid_of(page, "branches", "Reference predictors");
	uint64_t executed = count_insns(trace, true), missed[4] = {0}, predicted[2] = {0};
	for (size_t k = 0; k < walk->n_pcs; k++)
		for (unsigned m = 0; m < 4; m++)
			missed[m] += walk->missed[k][m];
	for (size_t i = 0; i < walk->n; i++) {
		predicted[0] += (trace->rows[walk->order[i]].in.traits & CAIRN_TRAIT_CONDITIONAL) != 0;
		predicted[1] += (trace->rows[walk->order[i]].in.traits & CAIRN_TRAIT_INDIRECT) != 0;
	}
	assert_int_equal(grid.rows, 4);
	for (unsigned m = 0; m < 4; m++) {
		text_is(grid, m, "predictor", m == 3 ? "targets" : predict_name((enum predict_kind)m));
		number_is(grid, m, "bytes",
		          m == 3
		              ? 8 * (16 + 4096)
		              : predict_bytes((enum predict_kind)m, predict_default((enum predict_kind)m)));
		number_is(grid, m, "predicted", predicted[m == 3]);
		number_is(grid, m, "missed", missed[m]);
		real_is(grid, m, "missed percent", share(missed[m], predicted[m == 3]), 3);
		real_is(grid, m, "per 1000", 1000.0 * (double)missed[m] / (double)executed, 3);
	}
}

/* Kinds of all branches, or classes of conditional ones. */
static void check_groups(char *page, const struct trace *trace, const struct branch_walk *walk,
                         bool kinds)
{
	struct grid grid = grid_of(page, "branches", kinds ? "Kinds" : "Conditional branches");
	uint64_t all = 0, whole = 0;
	for (size_t i = 0; i < walk->n; i++)
		whole += kinds || trace->rows[walk->order[i]].in.traits & CAIRN_TRAIT_CONDITIONAL;
	for (size_t row = 0; row < grid.rows; row++) {
		char name[CELL];
		uint64_t pcs = 0, executed = 0, taken = 0;
		take(grid, row, 0, name);
		for (size_t k = 0; k < walk->n_pcs; k++) {
			struct watched watched = watch(trace, walk->order, walk->n, walk->pcs[k]);
			if (!kinds && !(walk->first[k]->traits & CAIRN_TRAIT_CONDITIONAL))
				continue;
			if (strcmp(name, kinds ? kind_name(walk->first[k]->traits) : class_name(&watched)) != 0)
				continue;
			pcs++;
			executed += watched.executed;
			taken += watched.taken;
		}
		number_is(grid, row, "static", pcs);
		number_is(grid, row, "executed", executed);
		real_is(grid, row, "percent", share(executed, whole), 2);
		real_is(grid, row, "taken percent", share(taken, executed), 2);
		all += executed;
	}
	assert_int_equal(all, whole);
}

static void check_branch_rows(char *page, const struct trace *trace, const struct branch_walk *walk)
{
	struct grid grid = grid_of(page, "branches", "Most executed");
	uint64_t before = UINT64_MAX;
	shows_first(grid, walk->n_pcs);
	for (size_t row = 0; row < grid.rows; row++) {
		char pc[CELL];
		take(grid, row, 0, pc);
		size_t k = index_of(walk, strtoull(pc, NULL, 16));
		struct watched watched = watch(trace, walk->order, walk->n, walk->pcs[k]);
		bool cond = walk->first[k]->traits & CAIRN_TRAIT_CONDITIONAL;
		text_is(grid, row, "function", "–");
		text_is(grid, row, "kind", kind_name(walk->first[k]->traits));
		number_is(grid, row, "executed", watched.executed);
		real_is(grid, row, "taken percent", share(watched.taken, watched.executed), 2);
		number_is(grid, row, "targets", watched.targets ? watched.targets : 1);
		real_is(grid, row, "transitions", cond ? (double)watched.transitions : UNKNOWN, 0);
		text_is(grid, row, "class", cond ? class_name(&watched) : "–");
		real_is(grid, row, "trip",
		        cond && !strcmp(class_name(&watched), "loop") ? (double)trip(&watched) : UNKNOWN,
		        0);
		real_is(grid, row, "local entropy",
		        cond && watched.n_local ? watched.local / (double)watched.n_local : UNKNOWN, 3);
		real_is(grid, row, "global entropy",
		        cond && watched.n_global ? watched.global / (double)watched.n_global : UNKNOWN, 3);
		static const char *const names[] = {"bimodal missed", "gshare missed", "tage missed",
		                                    "target missed"};
		for (unsigned m = 0; m < 4; m++) {
			bool told = m == 3 ? walk->first[k]->traits & CAIRN_TRAIT_INDIRECT : cond;
			real_is(grid, row, names[m], told ? (double)walk->missed[k][m] : UNKNOWN, 0);
		}
		assert_true(watched.executed <= before);
		before = watched.executed;
	}
}

void check_branches(char *page, const struct trace *trace)
{
	struct branch_walk walk = walk_branches(trace);
	check_branch_figures(page, trace, &walk);
	check_predictors(page, trace, &walk);
	check_groups(page, trace, &walk, true);
	check_groups(page, trace, &walk, false);
	check_branch_rows(page, trace, &walk);
	free(walk.order);
	free(walk.pcs);
	free(walk.first);
	free(walk.missed);
}

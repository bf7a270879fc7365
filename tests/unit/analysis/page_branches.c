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

static size_t index_of(const struct branch_walk *w, uint64_t pc)
{
	size_t k = 0;
	while (k < w->n_pcs && w->pcs[k] != pc)
		k++;
	return k;
}

/* One hart's branches, one after the other. (The predictors themselves have their own test.) */
static void foresee(const struct trace *t, struct branch_walk *w, unsigned hart)
{
	struct predict *p[PREDICT_KINDS];
	uint64_t stack[16] = {0}, *last = calloc(4096, sizeof *last);
	unsigned top = 0;
	for (unsigned k = 0; k < PREDICT_KINDS; k++)
		p[k] = predict_new(t->c, (enum predict_kind)k, predict_default((enum predict_kind)k));
	for (size_t i = 0; i < w->n; i++) {
		const struct row *row = &t->rows[w->order[i]];
		const struct cairn_insn *in = &row->in;
		uint64_t *missed = w->missed[index_of(w, in->pc)];
		if (hart_of(row) != hart)
			continue;
		for (unsigned k = 0; k < PREDICT_KINDS && in->traits & CAIRN_TRAIT_CONDITIONAL; k++)
			missed[k] += !predict_branch(p[k], in->pc, goes(in));
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
		predict_free(t->c, p[k]);
	free(last);
}

static struct branch_walk walk_branches(const struct trace *t)
{
	struct branch_walk w = {.order = calloc(t->n, sizeof *w.order),
	                        .pcs = calloc(t->n, sizeof *w.pcs),
	                        .first = calloc(t->n, sizeof *w.first),
	                        .missed = calloc(t->n, sizeof *w.missed)};
	for (size_t i = 0; i < t->n; i++) {
		const struct cairn_insn *in = &t->rows[i].in;
		if (!(in->traits & CAIRN_TRAIT_BRANCH) || !runs(in))
			continue;
		w.order[w.n++] = (uint32_t)i;
		size_t k = index_of(&w, in->pc);
		w.pcs[k] = in->pc;
		w.first[k] = k == w.n_pcs ? in : w.first[k];
		w.n_pcs += k == w.n_pcs;
	}
	for (unsigned hart = 0; hart < 8; hart++)
		foresee(t, &w, hart);
	return w;
}

static const char *kind_name(uint32_t traits)
{
	bool indirect = traits & CAIRN_TRAIT_INDIRECT;
	return traits & CAIRN_TRAIT_CONDITIONAL ? "conditional"
	       : traits & CAIRN_TRAIT_CALL      ? (indirect ? "indirect call" : "call")
	       : traits & CAIRN_TRAIT_RETURN    ? "return"
	                                        : (indirect ? "indirect jump" : "jump");
}

static uint64_t trip(const struct watched *s)
{
	for (unsigned way = 0; way < 2; way++)
		if (s->runs[way] >= 3 && s->shortest[way] == s->longest[way] && s->longest[way] > 1 &&
		    s->longest[!way] == 1)
			return s->longest[way] + 1;
	return 0;
}

static const char *class_name(const struct watched *s)
{
	uint64_t most = s->taken > s->executed / 2 ? s->taken : s->executed - s->taken;
	return s->taken == s->executed                                ? "always"
	       : !s->taken                                            ? "never"
	       : trip(s)                                              ? "loop"
	       : (double)most >= 0.98 * (double)s->executed           ? "biased"
	       : s->n_local && s->local < 0.1 * (double)s->n_local    ? "repeating"
	       : s->n_global && s->global < 0.1 * (double)s->n_global ? "correlated"
	                                                              : "hard";
}

/* Depth of calls less returns of a hart: the highest and lowest it came to. */
static void balance(const struct trace *t, int64_t *high, int64_t *low)
{
	*high = *low = 0;
	for (unsigned hart = 0; hart < 8; hart++) {
		int64_t depth = 0;
		for (size_t i = 0; i < t->n; i++) {
			const struct cairn_insn *in = &t->rows[i].in;
			if (hart_of(&t->rows[i]) != hart || !runs(in) || !(in->traits & CAIRN_TRAIT_BRANCH) ||
			    !goes(in))
				continue;
			depth +=
				(in->traits & CAIRN_TRAIT_CALL ? 1 : 0) - (in->traits & CAIRN_TRAIT_RETURN ? 1 : 0);
			*high = depth > *high ? depth : *high;
			*low = depth < *low ? depth : *low;
		}
	}
}

static double bias_of(const struct watched *s)
{
	double n = (double)s->executed, a = (double)s->taken / n, b = 1 - a;
	return a > 0 && b > 0 ? -n * (a * log2(a) + b * log2(b)) : 0;
}

static void check_branch_figures(char *page, const struct trace *t, const struct branch_walk *w)
{
	struct grid g = grid_of(page, "branches", NULL);
	uint64_t taken = 0, cond = 0, cond_taken = 0, transitions = 0, indirect = 0, calls = 0,
			 returns = 0;
	uint64_t n_local = 0, n_global = 0;
	double bias = 0, local = 0, global = 0;
	int64_t high, low;
	for (size_t i = 0; i < w->n; i++) {
		const struct cairn_insn *in = &t->rows[w->order[i]].in;
		taken += goes(in);
		cond += (in->traits & CAIRN_TRAIT_CONDITIONAL) != 0;
		cond_taken += in->traits & CAIRN_TRAIT_CONDITIONAL && goes(in);
		indirect += (in->traits & CAIRN_TRAIT_INDIRECT) != 0;
		calls += in->traits & CAIRN_TRAIT_CALL && goes(in);
		returns += in->traits & CAIRN_TRAIT_RETURN && goes(in);
	}
	for (size_t k = 0; k < w->n_pcs; k++) {
		struct watched s = watch(t, w->order, w->n, w->pcs[k]);
		if (!(w->first[k]->traits & CAIRN_TRAIT_CONDITIONAL))
			continue;
		transitions += s.transitions;
		bias += bias_of(&s);
		local += s.local;
		global += s.global;
		n_local += s.n_local;
		n_global += s.n_global;
	}
	balance(t, &high, &low);
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {{"instructions", t->n},
	              {"executed", count_insns(t, true)},
	              {"branches", w->n},
	              {"static branches", w->n_pcs},
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
		count_is(g, counts[i].name, counts[i].n);
	const double reals[] = {cond ? bias / (double)cond : UNKNOWN,
	                        n_local ? local / (double)n_local : UNKNOWN,
	                        n_global ? global / (double)n_global : UNKNOWN};
	static const char *const names[] = {"bias entropy", "local entropy", "global entropy"};
	for (unsigned i = 0; i < 3; i++) {
		char text[CELL];
		spell(reals[i], 4, text);
		figure_is(g, names[i], text);
	}
}

static void check_predictors(char *page, const struct trace *t, const struct branch_walk *w)
{
	struct grid g = grid_of(page, "branches", "Reference predictors");
	uint64_t executed = count_insns(t, true), missed[4] = {0}, predicted[2] = {0};
	for (size_t k = 0; k < w->n_pcs; k++)
		for (unsigned m = 0; m < 4; m++)
			missed[m] += w->missed[k][m];
	for (size_t i = 0; i < w->n; i++) {
		predicted[0] += (t->rows[w->order[i]].in.traits & CAIRN_TRAIT_CONDITIONAL) != 0;
		predicted[1] += (t->rows[w->order[i]].in.traits & CAIRN_TRAIT_INDIRECT) != 0;
	}
	assert_int_equal(g.rows, 4);
	for (unsigned m = 0; m < 4; m++) {
		text_is(g, m, "predictor", m == 3 ? "targets" : predict_name((enum predict_kind)m));
		number_is(g, m, "bytes",
		          m == 3
		              ? 8 * (16 + 4096)
		              : predict_bytes((enum predict_kind)m, predict_default((enum predict_kind)m)));
		number_is(g, m, "predicted", predicted[m == 3]);
		number_is(g, m, "missed", missed[m]);
		real_is(g, m, "missed percent", share(missed[m], predicted[m == 3]), 3);
		real_is(g, m, "per 1000", 1000.0 * (double)missed[m] / (double)executed, 3);
	}
}

/* Kinds of all branches, or classes of conditional ones. */
static void check_groups(char *page, const struct trace *t, const struct branch_walk *w, bool kinds)
{
	struct grid g = grid_of(page, "branches", kinds ? "Kinds" : "Conditional branches");
	uint64_t all = 0, whole = 0;
	for (size_t i = 0; i < w->n; i++)
		whole += kinds || t->rows[w->order[i]].in.traits & CAIRN_TRAIT_CONDITIONAL;
	for (size_t row = 0; row < g.rows; row++) {
		char name[CELL];
		uint64_t pcs = 0, executed = 0, taken = 0;
		take(g, row, 0, name);
		for (size_t k = 0; k < w->n_pcs; k++) {
			struct watched s = watch(t, w->order, w->n, w->pcs[k]);
			if (!kinds && !(w->first[k]->traits & CAIRN_TRAIT_CONDITIONAL))
				continue;
			if (strcmp(name, kinds ? kind_name(w->first[k]->traits) : class_name(&s)) != 0)
				continue;
			pcs++;
			executed += s.executed;
			taken += s.taken;
		}
		number_is(g, row, "static", pcs);
		number_is(g, row, "executed", executed);
		real_is(g, row, "percent", share(executed, whole), 2);
		real_is(g, row, "taken percent", share(taken, executed), 2);
		all += executed;
	}
	assert_int_equal(all, whole);
}

static void check_branch_rows(char *page, const struct trace *t, const struct branch_walk *w)
{
	struct grid g = grid_of(page, "branches", "Most executed");
	uint64_t before = UINT64_MAX;
	shows_first(g, w->n_pcs);
	for (size_t row = 0; row < g.rows; row++) {
		char pc[CELL];
		take(g, row, 0, pc);
		size_t k = index_of(w, strtoull(pc, NULL, 16));
		struct watched s = watch(t, w->order, w->n, w->pcs[k]);
		bool cond = w->first[k]->traits & CAIRN_TRAIT_CONDITIONAL;
		text_is(g, row, "function", "–");
		text_is(g, row, "kind", kind_name(w->first[k]->traits));
		number_is(g, row, "executed", s.executed);
		real_is(g, row, "taken percent", share(s.taken, s.executed), 2);
		number_is(g, row, "targets", s.targets ? s.targets : 1);
		real_is(g, row, "transitions", cond ? (double)s.transitions : UNKNOWN, 0);
		text_is(g, row, "class", cond ? class_name(&s) : "–");
		real_is(g, row, "trip",
		        cond && !strcmp(class_name(&s), "loop") ? (double)trip(&s) : UNKNOWN, 0);
		real_is(g, row, "local entropy", cond && s.n_local ? s.local / (double)s.n_local : UNKNOWN,
		        3);
		real_is(g, row, "global entropy",
		        cond && s.n_global ? s.global / (double)s.n_global : UNKNOWN, 3);
		static const char *const names[] = {"bimodal missed", "gshare missed", "tage missed",
		                                    "target missed"};
		for (unsigned m = 0; m < 4; m++) {
			bool told = m == 3 ? w->first[k]->traits & CAIRN_TRAIT_INDIRECT : cond;
			real_is(g, row, names[m], told ? (double)w->missed[k][m] : UNKNOWN, 0);
		}
		assert_true(s.executed <= before);
		before = s.executed;
	}
}

void check_branches(char *page, const struct trace *t)
{
	struct branch_walk w = walk_branches(t);
	check_branch_figures(page, t, &w);
	check_predictors(page, t, &w);
	check_groups(page, t, &w, true);
	check_groups(page, t, &w, false);
	check_branch_rows(page, t, &w);
	free(w.order);
	free(w.pcs);
	free(w.first);
	free(w.missed);
}

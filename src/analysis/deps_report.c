/* SPDX-License-Identifier: Apache-2.0 */
/* Dependences: the tables. */
#include <stdlib.h>
#include <string.h>

#include "analysis/deps.h"

static const char *const fusion_names[FUSIONS] = {"lui, addi",   "auipc, addi",
                                                  "auipc, load", "auipc, jalr",
                                                  "slli, srli",  "slli, add",
                                                  "add, load",   "compare, branch on zero",
                                                  "load pair",   "store pair",
                                                  "adrp, add",   "adrp, load",
                                                  "movz, movk",  "compare, branch on flags",
                                                  "sethi, or",   "sethi, load"};

static void put_windows(const struct deps_part *part, bool none, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		COUNT("window", "instructions that are seen at once; none: all"),
		COUNT("steps", "steps that they take"), REAL("ilp", 2, "instructions in a step")};
	struct result_table *table = result_table(res, "ilp", columns, 3);
	for (unsigned w = 0; w < DEPS_WINDOWS && !none; w++) {
		uint64_t longest = 0;
		for (size_t i = 0; i < part->states.n; i++) {
			const struct deps_hart *hart =
				(const void *)(uintptr_t)base_map_row(&part->states, i)[2];
			longest = hart->end[w] > longest ? hart->end[w] : longest;
		}
		struct cairn_cell *row = result_row(res, table);
		if (deps_windows[w])
			cell_number(&row[0], deps_windows[w]);
		cell_number(&row[1], longest);
		cell_ratio(&row[2], (double)part->instructions, (double)longest);
	}
}

static void deps_report_put_distances(const struct deps_part *part, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		COUNT("instructions_from", "instructions since the result was made, at least"),
		COUNT("instructions_to", "and at most"),
		COUNT("int", "integer registers that were read"),
		COUNT("fp", "floating-point registers that were read"),
		COUNT("vector", "vector registers that were read"),
		REAL("percent", 2, "part of all reads, in percent"),
		REAL("cumulative", 2, "sum of percent up to this row")};
	struct result_table *table = result_table(res, "distances", columns, 7);
	uint64_t all = 0, sum = 0;
	for (unsigned k = 0; k < DEPS_BUCKETS; k++)
		all += part->distance[0][k] + part->distance[1][k] + part->distance[2][k];
	for (unsigned k = 0; k < DEPS_BUCKETS; k++) {
		uint64_t n = part->distance[0][k] + part->distance[1][k] + part->distance[2][k];
		if (!n)
			continue;
		sum += n;
		struct cairn_cell *row = result_row(res, table);
		cell_number(&row[0], k ? (uint64_t)1 << (k - 1) : 0);
		cell_number(&row[1], k ? ((uint64_t)1 << k) - 1 : 0);
		for (unsigned cls = 0; cls < 3; cls++)
			cell_number(&row[2 + cls], part->distance[cls][k]);
		cell_share(&row[5], n, all);
		cell_share(&row[6], sum, all);
	}
}

struct pair {
	const char *first, *second;
	bool depends;
	uint64_t count;
};

static int deps_report_by_count(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	int d = strcmp(x->first, y->first);
	d = d ? d : strcmp(x->second, y->second);
	return d ? d : (int)x->depends - (int)y->depends;
}

/* Other threads may be adding names. */
static const char *deps_report_name_of(struct deps_run *run, uint64_t number)
{
	pthread_mutex_lock(&run->lock);
	const char *name = (const char *)(uintptr_t)base_map_row(&run->names, (size_t)number)[0];
	pthread_mutex_unlock(&run->lock);
	return name;
}

static int put_pairs(struct deps_run *run, const struct deps_part *part, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("first", "the first instruction"), TEXT("second", "the next one"),
		TEXT("dependent", "yes: the second reads what the first wrote"),
		COUNT("count", "how often"), REAL("percent", 2, "part of all pairs, in percent")};
	size_t n = part->pairs.n;
	struct pair *pairs = base_alloc(run->cairn, (n + 1) * sizeof *pairs);
	struct result_table *table = result_table(res, "pairs", columns, 5);
	if (!pairs)
		return CAIRN_E_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *row = base_map_row(&part->pairs, i);
		pairs[i] = (struct pair){deps_report_name_of(run, row[0] >> 32),
		                         deps_report_name_of(run, row[0] & UINT32_MAX), row[1], row[2]};
	}
	if (n)
		qsort(pairs, n, sizeof *pairs, deps_report_by_count);
	for (size_t i = 0; i < n; i++) {
		struct cairn_cell *row = result_row(res, table);
		cell_text(&row[0], pairs[i].first);
		cell_text(&row[1], pairs[i].second);
		cell_text(&row[2], pairs[i].depends ? "yes" : "no");
		cell_number(&row[3], pairs[i].count);
		cell_share(&row[4], pairs[i].count, part->instructions);
	}
	base_free(run->cairn, pairs);
	return 0;
}

static void put_fusions(const struct deps_part *part, struct cairn_result *res)
{
	static const struct cairn_column columns[] = {
		TEXT("candidate", "what could be one operation"), COUNT("count", "how often"),
		REAL("percent", 2, "part of all executed instructions, in percent")};
	struct result_table *table = result_table(res, "fusion", columns, 3);
	for (unsigned k = 0; k < FUSIONS; k++) {
		if (!part->fusions[k])
			continue;
		struct cairn_cell *row = result_row(res, table);
		cell_text(&row[0], fusion_names[k]);
		cell_number(&row[1], part->fusions[k]);
		cell_share(&row[2], part->fusions[k], part->instructions);
	}
}

int deps_report(void *user, void *sum, struct cairn_result *res)
{
	struct deps_run *run = user;
	struct deps_part *part = sum;
	int rc = 0;
	for (struct deps_memo *memo = run->opts->every ? NULL : run->rest; memo && rc >= 0;
	     memo = memo->next) {
		rc = base_map_add(&part->pairs, &memo->pairs);
		base_map_clear(&memo->pairs);
	}
	if (rc < 0)
		return rc;
	uint64_t sources = part->initial;
	for (unsigned k = 0; k < DEPS_BUCKETS; k++)
		sources += part->distance[0][k] + part->distance[1][k] + part->distance[2][k];
	const struct result_figure figures[] = {
		{COUNT("executed", "instructions that executed"), part->instructions},
		{COUNT("registers_unknown", "instructions whose registers are unknown"), part->unknown},
		{COUNT("sources", "registers that were read"), sources},
		{COUNT("sources_from_before", "registers that were last written before the trace began"),
	     part->initial}};
	struct cairn_cell *row = result_summary(res, figures, 4);
	bool none = part->instructions && part->unknown == part->instructions;
	if (none) { /* nothing would depend on anything */
		row[2].known = row[3].known = 0;
		result_note(
			res,
			"registers are known neither from the trace nor from the encodings, so there are no distances and no parallelism");
	} else if (part->unknown) {
		result_note(res,
		            "of %.1f %% of the instructions the registers are not known: parallelism is "
		            "too high",
		            100 * (double)part->unknown / (double)part->instructions);
	}
	put_windows(part, none, res);
	deps_report_put_distances(part, res);
	put_fusions(part, res);
	return put_pairs(run, part, res);
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_BRANCHES_H
#define ANALYSIS_BRANCHES_H
/*
 * What is kept of branches while they are counted, and handed from the counting
 * (branches.c) to the report (branches_report.c).
 */
#include <pthread.h>

#include "analysis/predict.h"
#include "analysis/run.h"

enum { BRANCH_HISTORY = 8, BRANCH_STACK = 16, BRANCH_TARGETS = 4096 };
/* Cells of a busy branch: how often it was not taken and taken behind each history, its own
 * histories first, then its hart's. */
enum { BRANCH_OWN = 0, BRANCH_ALL = 2 << BRANCH_HISTORY, BRANCH_CELLS = 2 * BRANCH_ALL };

/* Of one outcome: its complete runs, which the other outcome began and ended. */
struct branch_runs {
	uint64_t n, shortest, longest;
};

/* Counters of one static branch, by its address. All words, so that parts can be copied as words.
 *  */
struct branch {
	uint64_t executed, taken, unknown, transitions;
	uint64_t target;             /* of the last that told one */
	struct branch_runs runs[2];  /* of not taken, of taken */
	uint64_t head_run, tail_run; /* the first and the last run; the same one without transitions */
	uint64_t misses[PREDICT_KINDS], target_misses;
	uint32_t enc, traits;
	uint8_t isa, size, cls;
	uint8_t head, n_head; /* the first outcomes, the first of all in bit 0 */
	uint8_t tail, n_tail; /* the last ones, the last of all in bit 0 */
	uint8_t pad;
	uint32_t busy; /* of a part: its row of cells + 1; 0: none */
	uint32_t pad2;
};
enum { BRANCH_WORDS = sizeof(struct branch) / 8 };

/* Of one hart: the branches at the beginning and the end of a part. */
struct branch_hart {
	uint64_t
		head_pc[BRANCH_HISTORY]; /* conditional branches whose history begins before the part */
	uint8_t head, n_head, tail, n_tail, pad[4];
	int64_t balance, highest, lowest; /* calls less returns */
};
enum { BRANCH_HART_WORDS = sizeof(struct branch_hart) / 8 };

/* Counts that can be added in any order. Without intervals they are not joined part by part: they
 * go from part to part, and are added up at the end. */
struct branch_counts {
	struct branch_counts *next; /* among those at rest */
	struct base_map local;      /* pc, last outcomes of the same branch → not taken, taken */
	struct base_map global;     /* pc, last outcomes of the hart → not taken, taken */
	struct base_map targets;    /* pc, target of an indirect branch → count */
	/* `local` and `global` of branches that run often are counted in cells first, which need no
	 * search and less memory; not with intervals. */
	struct base_map busy; /* pc → row of cells */
	uint32_t *cells;      /* rows of BRANCH_CELLS */
	size_t n_rows;        /* that there is room for */
};

struct branch_part {
	uint64_t instructions, executed;
	uint64_t unplaced;            /* branches whose address is not known */
	struct base_map branches;     /* pc → struct branch */
	struct base_map harts;        /* hart → struct branch_hart */
	struct branch_counts *counts; /* NULL until fed, and when joined */
	struct base_buf stream;       /* for predictors: struct branch_step */
};

struct branch_step {
	uint64_t pc, target;
	uint32_t hart;
	uint8_t cond, taken, known, kind; /* kind: 1 call, 2 return, 4 indirect */
	uint64_t back;                    /* where a call returns to */
};

/* The predictors of one hart. */
struct branch_machine {
	struct predict *predict[PREDICT_KINDS];
	uint64_t stack[BRANCH_STACK];
	unsigned top;
	uint64_t last_target[BRANCH_TARGETS];
};

/* All branches whose address is not known are one. */
#define BRANCH_NO_PC UINT64_MAX
static inline uint64_t branch_pc(const struct cairn_insn *in)
{
	return in->flags & CAIRN_INSN_PC_UNKNOWN ? BRANCH_NO_PC : in->pc;
}

struct branch_run {
	struct cairn *cairn;
	const struct cairn_analysis_opts *opts;
	uint64_t bytes[PREDICT_KINDS]; /* 0: not wanted */
	bool predicts;
	pthread_mutex_t lock; /* of `rest` */
	struct branch_counts *rest;
	struct base_map machines; /* hart → pointer to struct branch_machine */
};

/* Give counts to a part when it needs them; false when out of memory. */
bool branch_have_counts(struct branch_run *run, struct branch_part *part);
/* Put counts aside for another part to go on with. */
void branch_counts_rest(struct branch_run *run, struct branch_counts *counts);
void branch_counts_free(struct branch_run *run, struct branch_counts *counts);
/* Add `from`, and empty it; >= 0 or CAIRN_E_NOMEM. */
int branch_counts_add(struct branch_counts *to, struct branch_counts *from);
/* Give cells to a branch that ran often, if there are any left: their row + 1, or 0. It keeps them.
 *  */
uint32_t branch_busy_row(struct branch_counts *counts, uint64_t pc);
/* Count in a map: n times taken, or not taken, behind a history; >= 0 or CAIRN_E_NOMEM. */
int branch_count_history(struct base_map *map, uint64_t pc, uint8_t history, uint64_t taken,
                         uint64_t n);
/* Add all counts that were put aside to a part's; NULL when out of memory. */
struct branch_counts *branches_counts(struct branch_run *run, struct branch_part *part);
int branches_report(void *user, void *sum, struct cairn_result *res);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_EXECUTE_H
#define CHECK_EXECUTE_H
/* Judging by execution, for the engine: the rules exec.* of every format. */
#include <pthread.h>

#include "check/list.h"
#include "lockstep/lockstep.h"

/* What execution found in all spans so far. */
struct check_execution {
	struct cairn *cairn;
	struct lockstep_told told;
	uint64_t most;
	uint64_t hart; /* as lockstep_hart */
	/* Findings by the kinds of values that were believed in a span. If a later span shows that a
	 * kind is wrong, findings that rest on it are worthless. */
	struct check_found {
		uint32_t believed;
		struct check_list list; /* rows have the group instead of the rule */
		struct lockstep_group groups[LOCKSTEP_GROUPS];
	} found[8];
	unsigned n_found;
	uint32_t distrusted; /* in any span */
	struct lockstep_counts counts;
	/* Lockstep machines of spans that are done: their translated encodings serve the next spans. */
	pthread_mutex_t lock;
	struct check_executed *spare;
};

/* Of one span. */
struct check_executed {
	struct lockstep *lockstep;
	struct check_list found;
	uint32_t part;
	struct check_executed *next; /* of the spare ones */
};

void check_execution_init(struct check_execution *execution, struct cairn *cairn, uint64_t most);
void check_execution_free(struct check_execution *execution);
/* What must be known of a trace before its spans are executed. CAIRN_E_NOMEM. */
int check_execution_start(struct check_execution *execution, struct cairn_reader *reader);

int check_executed_new(struct check_execution *execution, uint32_t part,
                       struct check_executed **out);
/* Leave it to another span. */
void check_executed_free(struct check_execution *execution, struct check_executed *executed);
int check_executed_feed(struct check_executed *executed, const struct cairn_batch *batch);
/* In trace order. */
int check_execution_fold(struct check_execution *execution, struct check_executed *executed);
/* Judge the whole: rules are counted from `first` on. */
void check_execution_end(struct check_execution *execution, unsigned first,
                         struct check_part *part);

#endif

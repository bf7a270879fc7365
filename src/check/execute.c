/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging by execution: each span of a trace is executed by machines that know nothing at its
 * beginning, so that the result does not depend on threads.
 *
 * Differences are held until the whole trace has been seen. Where a trace is wrong about all values
 * of a kind, one finding says so instead of one for each. Contents that were read are judged only
 * where a single hart ran: others may have written them.
 */
#include "check/execute.h"

#include <inttypes.h>
#include <string.h>

#include "model/slot.h"

const struct cairn_rule check_execution_rules[] = {CHECK_EXECUTION_RULES};

enum { FOUND = sizeof((struct check_execution *)0)->found / sizeof(struct check_found) };

void check_execution_init(struct check_execution *execution, struct cairn *cairn, uint64_t most)
{
	memset(execution, 0, sizeof *execution);
	execution->cairn = cairn;
	execution->most = most;
	pthread_mutex_init(&execution->lock, NULL);
	for (unsigned i = 0; i < FOUND; i++)
		check_list_init(&execution->found[i].list, cairn, most);
}

int check_execution_start(struct check_execution *execution, struct cairn_reader *reader)
{
	return execution->told.isa_string ? CAIRN_E_STATE : lockstep_told(reader, &execution->told);
}

/* ---- spans ---- */

static struct check_place place_of(const struct lockstep_difference *difference, uint32_t part)
{
	const struct cairn_batch *batch = difference->batch;
	const struct cairn_insn *insn = &batch->insns[difference->slot];
	const struct cairn_ctx *ctx = model_slot_ctx(batch, difference->slot);
	struct check_place place = {.insn = batch->n0 + difference->slot,
	                            .part = part,
	                            .cpu = ctx->hart,
	                            .known = CAIRN_PLACE_INSN};
	if (ctx->known & CAIRN_CTX_HART)
		place.known |= CAIRN_PLACE_CPU;
	if (!(batch->have & CAIRN_PLACES))
		return place;
	place.offset = batch->off0 + insn->off;
	place.known |= CAIRN_PLACE_OFFSET;
	if (batch->have & CAIRN_ROW_PLACES)
		place.line = batch->rec0 + insn->rec;
	else
		place.record = batch->rec0 + insn->rec;
	place.known |= batch->have & CAIRN_ROW_PLACES ? CAIRN_PLACE_LINE : CAIRN_PLACE_RECORD;
	return place;
}

static int executed_differs(void *user, const struct lockstep_difference *difference)
{
	struct check_executed *executed = user;
	const struct check_place place = place_of(difference, executed->part);
	check_list_put(&executed->found, difference->group, &place, difference->text,
	               strlen(difference->text));
	return executed->found.status;
}

static void executed_restart(void *user)
{
	struct check_executed *executed = user;
	check_list_clear(&executed->found);
}

static struct check_executed *executed_spare(struct check_execution *execution)
{
	pthread_mutex_lock(&execution->lock);
	struct check_executed *executed = execution->spare;
	if (executed)
		execution->spare = executed->next;
	pthread_mutex_unlock(&execution->lock);
	if (executed)
		lockstep_reset(executed->lockstep, executed);
	return executed;
}

static void executed_destroy(struct check_execution *execution, struct check_executed *executed)
{
	lockstep_free(executed->lockstep);
	check_list_free(&executed->found);
	base_free(execution->cairn, executed);
}

static struct check_executed *executed_make(struct check_execution *execution)
{
	struct check_executed *executed = base_alloc(execution->cairn, sizeof *executed);
	if (!executed)
		return NULL;
	const struct lockstep_opts opts = {.isa_string = execution->told.isa_string,
	                                   .vector_bits = execution->told.vector_bits,
	                                   .differs = executed_differs,
	                                   .restart = executed_restart,
	                                   .user = executed,
	                                   .most_texts = execution->most};
	check_list_init(&executed->found, execution->cairn, execution->most);
	if (lockstep_new(execution->cairn, &opts, &executed->lockstep) >= 0)
		return executed;
	executed_destroy(execution, executed);
	return NULL;
}

int check_executed_new(struct check_execution *execution, uint32_t part,
                       struct check_executed **out)
{
	*out = executed_spare(execution);
	if (!*out && !(*out = executed_make(execution)))
		return CAIRN_E_NOMEM;
	(*out)->part = part;
	return 0;
}

void check_executed_free(struct check_execution *execution, struct check_executed *executed)
{
	if (!executed)
		return;
	check_list_clear(&executed->found);
	pthread_mutex_lock(&execution->lock);
	executed->next = execution->spare;
	execution->spare = executed;
	pthread_mutex_unlock(&execution->lock);
}

int check_executed_feed(struct check_executed *executed, const struct cairn_batch *batch)
{
	return lockstep_batch(executed->lockstep, batch);
}

/* Where to keep findings of spans that believed these kinds of values. */
static struct check_found *found_for(struct check_execution *execution, uint32_t believed)
{
	for (unsigned i = 0; i < execution->n_found; i++)
		if (execution->found[i].believed == believed)
			return &execution->found[i];
	struct check_found *found =
		&execution->found[execution->n_found < FOUND ? execution->n_found++ : FOUND - 1];
	found->believed |= believed;
	return found;
}

static void groups_add(struct lockstep_group *to, const struct lockstep_group *from)
{
	for (unsigned i = 0; i < LOCKSTEP_GROUPS; i++) {
		to[i].compared += from[i].compared;
		to[i].differ += from[i].differ;
	}
}

int check_execution_fold(struct check_execution *execution, struct check_executed *executed)
{
	struct check_found *found = found_for(execution, lockstep_believed(executed->lockstep));
	const struct lockstep_counts *counts = lockstep_counts(executed->lockstep);
	uint64_t hart = lockstep_hart(executed->lockstep);
	execution->distrusted |= lockstep_distrusted(executed->lockstep);
	execution->counts.executed += counts->executed;
	execution->counts.not_modelled += counts->not_modelled;
	execution->counts.values += counts->values;
	execution->counts.determined += counts->determined;
	groups_add(found->groups, lockstep_groups(executed->lockstep));
	if (hart && execution->hart && hart != execution->hart)
		hart = UINT64_MAX;
	if (hart)
		execution->hart = hart;
	check_list_move(&found->list, &executed->found);
	return found->list.status;
}

void check_execution_free(struct check_execution *execution)
{
	for (unsigned i = 0; i < FOUND; i++)
		check_list_free(&execution->found[i].list);
	base_free(execution->cairn, execution->told.isa_string);
	while (execution->spare) {
		struct check_executed *executed = execution->spare;
		execution->spare = executed->next;
		executed_destroy(execution, executed);
	}
	pthread_mutex_destroy(&execution->lock);
}

/* ---- the whole ---- */

static const char *const compared_names[LOCKSTEP_KINDS] = {
	[LOCKSTEP_SOURCE] = "values of source registers",
	[LOCKSTEP_REGISTER] = "results in registers",
	[LOCKSTEP_FLAGS] = "condition codes",
	[LOCKSTEP_ADDRESS] = "addresses of accesses",
	[LOCKSTEP_LOAD] = "contents read",
	[LOCKSTEP_STORE] = "contents written",
	[LOCKSTEP_BRANCH] = "outcomes of branches",
	[LOCKSTEP_TARGET] = "targets of branches",
	[LOCKSTEP_NEXT] = "addresses of next instructions",
};

static const char *const class_names[LOCKSTEP_CLASSES] = {
	[CAIRN_REG_INT] = " (integer)",          [CAIRN_REG_FP] = " (floating point)",
	[CAIRN_REG_VECTOR] = " (vectors)",       [CAIRN_REG_CSR] = " (system registers)",
	[CAIRN_REG_PREDICATE] = " (predicates)",
};

static bool is_judged(const struct check_execution *execution, unsigned group)
{
	return group / LOCKSTEP_CLASSES != LOCKSTEP_LOAD || execution->hart != UINT64_MAX;
}

static void say_unreliable(const struct lockstep_group *g, unsigned group, unsigned rule,
                           struct check_part *part)
{
	const struct check_place nowhere = {.part = part->part};
	const char *cls = class_names[group % LOCKSTEP_CLASSES];
	check_add(part, rule, &nowhere,
	          "%s%s differ from what the instructions make in %" PRIu64 " of %" PRIu64
	          " comparisons: the trace's generator records something else, so that these are not "
	          "listed one by one",
	          compared_names[group / LOCKSTEP_CLASSES], cls ? cls : "", g->differ, g->compared);
}

/* Findings of one kind of spans. */
static void put_found(const struct check_execution *execution, struct check_found *found,
                      const struct lockstep_group *groups, unsigned first, struct check_part *part)
{
	struct check_list *list = &found->list;
	check_list_sort(list);
	for (size_t i = 0; i < check_list_size(list); i++) {
		const struct check_row *row = check_list_row(list, i);
		if (is_judged(execution, row->rule) && !lockstep_is_unreliable(&groups[row->rule]))
			check_list_put(&part->found, first + row->rule / LOCKSTEP_CLASSES, &row->at,
			               check_list_text(list, row), row->len);
	}
	for (unsigned i = 0; i < LOCKSTEP_GROUPS; i++) /* all were counted, but not all were kept */
		if (is_judged(execution, i) && !lockstep_is_unreliable(&groups[i]))
			part->found.count[first + i / LOCKSTEP_CLASSES] += list->count[i] - list->kept[i];
}

void check_execution_end(struct check_execution *execution, unsigned first, struct check_part *part)
{
	struct lockstep_group groups[LOCKSTEP_GROUPS] = {{0}};
	for (unsigned i = 0; i < execution->n_found; i++)
		if (!(execution->found[i].believed & execution->distrusted))
			groups_add(groups, execution->found[i].groups);
	for (unsigned i = 0; i < execution->n_found; i++) {
		if (!(execution->found[i].believed & execution->distrusted))
			put_found(execution, &execution->found[i], groups, first, part);
		if (execution->found[i].list.status < 0)
			part->found.status = execution->found[i].list.status;
	}
	for (unsigned i = 0; i < LOCKSTEP_GROUPS; i++)
		if (is_judged(execution, i) && lockstep_is_unreliable(&groups[i]))
			say_unreliable(&groups[i], i, first + i / LOCKSTEP_CLASSES, part);
}

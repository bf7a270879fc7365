/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rule engine: runs a format's rules over the spans of a trace and delivers
 * what they find.
 *
 * Findings are the same for every number of threads because the spans are: also
 * one thread reads the trace cut into spans. With a limit a rule, the first
 * findings of each in trace order are held and delivered sorted at the end, so the
 * order does not depend on how the trace is packed, either. Without one they are
 * delivered as the spans are folded, for there may be any number of them.
 *
 * Damage that the reader reports (in a container's index or a chunk) becomes a finding; the walk
 * of a format reports what it cannot read itself, with the place.
 */
#include <string.h>

#include "check/execute.h"

enum { DEFAULT_MOST = 100, HELD_MOST = 10000 };

struct cairn_checking {
	struct cairn *cairn;
	struct cairn_reader *reader; /* of the part being read, or the last one */
	const struct check_rules *rules;
	struct cairn_check_opts opts;
	struct cairn_check_result own, *result; /* kept here, and given to the caller as it grows */
	uint32_t parts;                         /* so far */
	bool begun;                             /* `start` was called */
	int failed;
	void *state;
	struct check_list held[CHECK_CONDITIONS]; /* of conditions not yet met */
	uint32_t met;
	struct check_list all; /* with a limit */
	bool streams;
	uint64_t damage;                  /* reader's damage already told */
	const struct cairn_reducer *also; /* fed in the same pass, NULL none … */
	void *also_user;
	uint64_t first, last;             /* … with what is in here */
	struct check_execution execution; /* where opts.execute is set */
};

/* Of formats without rules of their own only what is executed is judged. */
enum { BARE_INPUT_COMPLETE };
static const struct cairn_rule bare_rules[] = {
	{"input.complete", "execution", "nothing is damaged or breaks off", CAIRN_ERROR},
	CHECK_EXECUTION_RULES};
static const struct check_rules bare = {.rules = bare_rules, .n = 1, .damage = BARE_INPUT_COMPLETE};

static size_t check_n_rules(const struct cairn_checking *checking)
{
	return checking->rules->n + (checking->opts.execute ? CHECK_EXECUTION_COUNT : 0);
}

/* ---- parts ---- */

static struct check_part *check_part_new(struct cairn_checking *checking)
{
	struct cairn *cairn = checking->reader->cairn;
	struct check_part *part = base_alloc(cairn, sizeof *part);
	if (!part)
		return NULL;
	part->cairn = cairn;
	part->part = checking->parts - 1;
	check_list_init(&part->found, cairn, checking->opts.most);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&part->held[i], cairn, checking->opts.most);
	return part;
}

/* Free a part in which the rules keep nothing. */
static void bare_free(struct check_part *part)
{
	if (!part)
		return;
	check_list_free(&part->found);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_free(&part->held[i]);
	base_free(part->cairn, part);
}

static void check_part_free(struct cairn_checking *checking, struct check_part *part)
{
	if (checking->rules->drop)
		checking->rules->drop(checking->reader, part);
	bare_free(part);
}

/* ---- delivering ---- */

static int deliver(struct cairn_checking *checking, const struct check_list *list)
{
	for (size_t i = 0; i < check_list_size(list) && checking->opts.finding; i++) {
		const struct check_row *row = check_list_row(list, i);
		const struct check_place *at = &row->at;
		struct cairn_finding finding = {.rule = &checking->rules->rules[row->rule],
		                                .message = check_list_text(list, row),
		                                .record = at->record,
		                                .offset = at->offset,
		                                .insn = at->insn,
		                                .line = at->line,
		                                .chunk = at->chunk,
		                                .cpu = at->cpu,
		                                .known = at->known,
		                                .part = at->part};
		int rc = checking->opts.finding(checking->opts.user, &finding);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static void check_count(struct cairn_checking *checking, const struct check_list *list)
{
	struct cairn_check_result *res = &checking->own;
	const struct lockstep_counts *counts = &checking->execution.counts;
	res->executed = counts->executed;
	res->not_modelled = counts->not_modelled;
	res->values = counts->values;
	res->determined = counts->determined;
	for (size_t i = 0; i < check_n_rules(checking); i++) {
		uint64_t n = list->count[i];
		res->by_rule[i] += n;
		if (checking->rules->rules[i].severity == CAIRN_ERROR)
			res->errors += n;
		else if (checking->rules->rules[i].severity == CAIRN_WARNING)
			res->warnings += n;
		else
			res->notes += n;
	}
	base_give(checking->result, res, sizeof *res);
}

static void add_damage(struct cairn_checking *checking, struct check_part *part,
                       const struct model_damage *damage, uint64_t from)
{
	const struct check_place nowhere = {.part = part->part};
	for (; from < damage->count; from++)
		check_add(part, checking->rules->damage, &nowhere, "%s",
		          from < damage->kept ? damage->text[from] : "more damage than is listed");
}

/* Take what the reader reported since the last span. */
static void check_take_damage(struct cairn_checking *checking, struct check_part *part)
{
	add_damage(checking, part, &checking->reader->damage, checking->damage);
	checking->damage = checking->reader->damage.count;
}

static void take_held(struct cairn_checking *checking, struct check_part *part)
{
	checking->met |= part->met;
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++) {
		check_list_move(&checking->held[i], &part->held[i]);
		if (checking->met >> i & 1)
			check_list_move(&part->found, &checking->held[i]);
		if (checking->held[i].status < 0)
			part->found.status = checking->held[i].status;
	}
}

/* A part is complete: count it, deliver it or add it to the rest. */
static int take_part(struct cairn_checking *checking, struct check_part *part)
{
	check_take_damage(checking, part);
	take_held(checking, part);
	check_count(checking, &part->found);
	int rc = part->found.status;
	if (rc >= 0 && checking->streams) {
		check_list_sort(&part->found);
		rc = deliver(checking, &part->found);
		check_list_clear(&part->found);
	} else if (rc >= 0) {
		check_list_move(&checking->all, &part->found);
		rc = checking->all.status;
	}
	return rc;
}

/* ---- the reducer ---- */

static int on_begin(void *user, void **partial)
{
	struct cairn_checking *checking = user;
	struct check_part *part = check_part_new(checking);
	if (!part)
		return CAIRN_E_NOMEM;
	int rc = checking->rules->begin
	             ? checking->rules->begin(checking->reader, checking->state, part)
	             : 0;
	if (rc >= 0 && checking->also && checking->also->begin)
		rc = checking->also->begin(checking->also_user, &part->also);
	if (rc >= 0 && checking->opts.execute)
		rc = check_executed_new(&checking->execution, part->part, &part->executed);
	if (rc < 0)
		check_part_free(checking, part);
	else
		*partial = part;
	return rc;
}

static int on_span(void *user, void *partial, struct model_span *span)
{
	struct cairn_checking *checking = user;
	return checking->rules->span
	           ? checking->rules->span(checking->reader, checking->state, span, partial)
	           : 0;
}

/* The same before the span is decoded, which reports its damage once more: a check reports only
 * what came until here. */
static int on_span_first(void *user, void *partial, struct model_span *span)
{
	struct cairn_checking *checking = user;
	span->again = true;
	int rc = on_span(user, partial, span);
	add_damage(checking, partial, &span->damage, 0);
	if (rc < 0 || !checking->also)
		return rc;
	return span->n0 > checking->last || (checking->first > 1 && span->n1 <= checking->first);
}

static int on_feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct cairn_checking *checking = user;
	struct check_part *part = partial;
	int rc = part->executed ? check_executed_feed(part->executed, batch) : 0;
	return rc >= 0 && checking->also ? checking->also->feed(checking->also_user, part->also, batch)
	                                 : rc;
}

static size_t on_held(void *user, const void *partial)
{
	const struct cairn_checking *checking = user;
	return checking->also->held(checking->also_user, ((const struct check_part *)partial)->also);
}

static int on_flush(void *user, void *partial)
{
	struct cairn_checking *checking = user;
	return checking->also->flush(checking->also_user, ((struct check_part *)partial)->also);
}

static void on_drop(void *user, void *partial)
{
	struct cairn_checking *checking = user;
	struct check_part *part = partial;
	if (part->also && checking->also->drop)
		checking->also->drop(checking->also_user, part->also);
	check_executed_free(&checking->execution, part->executed);
	check_part_free(checking, part);
}

static int on_fold(void *user, void *partial)
{
	struct cairn_checking *checking = user;
	struct check_part *part = partial;
	int rc =
		checking->rules->fold ? checking->rules->fold(checking->reader, checking->state, part) : 0;
	if (checking->also || part->executed)
		checking->damage = checking->reader->damage.count;
	if (rc >= 0)
		rc = take_part(checking, part);
	if (rc >= 0 && part->executed)
		rc = check_execution_fold(&checking->execution, part->executed);
	if (rc >= 0 && checking->also) {
		rc = checking->also->fold(checking->also_user, part->also);
		part->also = NULL;
	}
	on_drop(checking, part);
	return rc;
}

/* Judge what comes before the first span, or behind the last one. No span fills this part, so
 * `begin` and `drop` do not see it. */
static int judge_whole(struct cairn_checking *checking, bool first)
{
	const struct check_rules *rules = checking->rules;
	struct check_part *part = check_part_new(checking);
	int rc = part ? 0 : CAIRN_E_NOMEM;
	if (rc >= 0 && first && rules->start)
		rc = rules->start(checking->reader, &checking->state, part);
	else if (rc >= 0 && !first && rules->end)
		rc = rules->end(checking->reader, checking->state, part);
	if (rc >= 0 && !first && checking->opts.execute)
		check_execution_end(&checking->execution, (unsigned)rules->n, part);
	if (rc >= 0)
		rc = take_part(checking, part);
	bare_free(part);
	return rc;
}

static int check_check_run(struct cairn_checking *checking)
{
	const struct check_rules *rules = checking->rules;
	struct cairn_reducer red = {.size = sizeof red,
	                            .begin = on_begin,
	                            .fold = on_fold,
	                            .drop = on_drop};
	unsigned threads = checking->opts.threads ? checking->opts.threads : 1;
	int rc = checking->begun ? rules->join(checking->reader, checking->state)
	                         : judge_whole(checking, true);
	checking->begun = true;
	if (rc >= 0 && checking->opts.execute)
		rc = check_execution_start(&checking->execution, checking->reader);
	if (rc < 0)
		return rc;
	if (!checking->also && !checking->opts.execute)
		return model_run_spans(checking->reader, &red, NULL, on_span, rules->leaves, checking,
		                       threads);
	red.feed = on_feed;
	red.held = checking->also && checking->also->held ? on_held : NULL;
	red.flush = checking->also && checking->also->flush ? on_flush : NULL;
	return model_run_spans(checking->reader, &red, on_span_first, NULL, false, checking, threads);
}

/* Nothing of the file can be read: then that is the finding. */
static int judge_broken(struct cairn_checking *checking)
{
	const struct check_place nowhere = {.part = checking->parts - 1};
	const char *why = checking->reader->why, *name = io_name(checking->reader->io);
	size_t n = strlen(name);
	if (!strncmp(why, name, n) && !strncmp(why + n, ": ", 2))
		why += n + 2;
	struct check_part *part = check_part_new(checking);
	if (!part)
		return CAIRN_E_NOMEM;
	check_add(part, checking->rules->damage, &nowhere, "%s", why);
	int rc = take_part(checking, part);
	bare_free(part);
	return rc;
}

int cairn_check_begin(struct cairn *cairn, const struct cairn_check_opts *opts,
                      struct cairn_check_result *result, struct cairn_checking **out)
{
	const struct cairn_check_result none = {0};
	*out = NULL;
	if (base_sized(cairn, result, "cairn_check_result") < 0)
		return CAIRN_E_INVAL;
	base_give(result, &none, sizeof none);
	struct cairn_checking *checking = base_alloc(cairn, sizeof *checking);
	if (!checking)
		return CAIRN_E_NOMEM;
	int rc = base_options(cairn, &checking->opts, sizeof checking->opts, opts, "check options");
	if (rc < 0) {
		base_free(cairn, checking);
		return rc;
	}
	checking->cairn = cairn;
	checking->result = result;
	checking->opts.most = checking->opts.most ? checking->opts.most : DEFAULT_MOST;
	checking->streams = checking->opts.most == UINT64_MAX;
	check_list_init(&checking->all, cairn, checking->opts.most);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_init(&checking->held[i], cairn,
		                checking->streams ? HELD_MOST : checking->opts.most);
	check_execution_init(&checking->execution, cairn,
	                     checking->streams ? HELD_MOST : checking->opts.most);
	*out = checking;
	return 0;
}

static const struct check_rules *check_rules_of(const struct cairn_reader *reader)
{
	return reader->format->rules ? reader->format->rules : &bare;
}

int check_may(const struct cairn_checking *checking, const struct cairn_reader *reader)
{
	if (!reader->format->rules && !checking->opts.execute)
		return base_fail(checking->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: there are no rules for %s traces", io_name(reader->io),
		                 reader->format->name);
	if (checking->parts && (check_rules_of(reader) != checking->rules || !checking->rules->join ||
	                        !cairn_reader_is_part(reader)))
		return base_fail(checking->cairn, CAIRN_E_INVAL, "%s: does not continue the trace before",
		                 io_name(reader->io));
	return 0;
}

int cairn_check_part(struct cairn_checking *checking, struct cairn_reader *reader)
{
	int rc = checking->failed;
	if (rc >= 0)
		rc = check_may(checking, reader);
	if (rc < 0)
		return rc;
	checking->reader = reader;
	checking->rules = check_rules_of(reader);
	checking->own.rules = checking->rules->rules;
	checking->own.n_rules = check_n_rules(checking);
	base_give(checking->result, &checking->own, sizeof checking->own);
	checking->parts++;
	checking->damage = 0;
	rc = reader->broken < 0 ? judge_broken(checking) : check_check_run(checking);
	checking->failed = rc < 0 ? rc : 0;
	return checking->failed;
}

int check_feeding(struct cairn_checking *checking, struct cairn_reader *reader,
                  const struct cairn_reducer *red, void *user, uint64_t first, uint64_t last)
{
	checking->also = red;
	checking->also_user = user;
	checking->first = first;
	checking->last = last;
	int rc = cairn_check_part(checking, reader);
	checking->also = NULL;
	return rc;
}

int cairn_check_end(struct cairn_checking *checking)
{
	if (!checking)
		return 0;
	int rc = checking->failed;
	if (rc >= 0 && checking->begun)
		rc = judge_whole(checking, false);
	if (rc >= 0 && !checking->streams) {
		check_list_trim(&checking->all);
		check_list_sort(&checking->all);
		rc = checking->all.status < 0 ? checking->all.status : deliver(checking, &checking->all);
	}
	if (checking->rules && checking->rules->state_free)
		checking->rules->state_free(checking->reader, checking->state);
	check_list_free(&checking->all);
	for (unsigned i = 0; i < CHECK_CONDITIONS; i++)
		check_list_free(&checking->held[i]);
	check_execution_free(&checking->execution);
	base_free(checking->cairn, checking);
	return rc < 0 ? rc : 0;
}

int cairn_check(struct cairn_reader *reader, const struct cairn_check_opts *opts,
                struct cairn_check_result *result)
{
	struct cairn_checking *checking;
	int rc = cairn_check_begin(reader->cairn, opts, result, &checking);
	if (rc < 0)
		return rc;
	rc = cairn_check_part(checking, reader);
	int last = cairn_check_end(checking);
	return rc < 0 ? rc : last;
}

const char *cairn_severity_name(enum cairn_severity severity)
{
	return severity == CAIRN_ERROR ? "error" : severity == CAIRN_WARNING ? "warning" : "note";
}

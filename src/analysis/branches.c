/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches: what each did, and how well it can be predicted.
 *
 * Parts are counted in parallel. An outcome is counted under the outcomes before it (its
 * history). A part keeps its first outcomes, whose history is incomplete, and join completes
 * it from the end of the part before. Runs of equal outcomes that cross two parts are joined in
 * the same way. Each interval starts with an empty history.
 *
 * The states of predictors cannot be joined. For them a part only records what branches did, and
 * the predictors run while parts are joined. They keep their state from interval to interval.
 *
 * Branches that did not execute are not counted. Branches whose outcome the trace does not hold
 * are counted, but do not enter the history.
 */
#include "analysis/branches.h"

#include <string.h>

/* ---- parts ---- */

static void branches_end(void *user, void *part)
{
	branch_counts_free(user, ((struct branch_part *)part)->counts);
}

static struct branch *branch_at(struct branch_part *part, uint64_t pc)
{
	return (struct branch *)(void *)base_map_at(&part->branches, pc, 0);
}

/* ---- one outcome ---- */

/* Count an outcome behind a history of the branch's own or of its hart (`kind`). */
static inline int count_outcome(struct branch_counts *counts, const struct branch *branch,
                                uint64_t pc, unsigned kind, uint8_t history, bool taken)
{
	struct base_map *map = kind == BRANCH_OWN ? &counts->local : &counts->global;
	if (!branch->busy)
		return branch_count_history(map, pc, history, taken, 1);
	uint32_t *cell =
		counts->cells + (size_t)(branch->busy - 1) * BRANCH_CELLS + kind + 2 * history + taken;
	if (++*cell)
		return 0;
	return branch_count_history(map, pc, history, taken, UINT64_C(1) << 32); /* it has come round */
}

static void branches_end_run(struct branch_runs *runs, uint64_t length)
{
	runs->shortest = runs->n && runs->shortest < length ? runs->shortest : length;
	runs->longest = runs->longest > length ? runs->longest : length;
	runs->n++;
}

/* The outcome in the branch's own history. */
static int local_outcome(struct branch_part *part, struct branch *branch, uint64_t pc, bool taken)
{
	uint64_t seen = branch->executed - branch->unknown; /* this one included */
	bool last = branch->tail & 1;
	if (seen > 1 && last != taken) {
		if (branch->transitions)
			branches_end_run(&branch->runs[last], branch->tail_run);
		else
			branch->head_run = branch->tail_run;
		branch->transitions++;
		branch->tail_run = 0;
	}
	branch->tail_run++;
	if (!branch->transitions)
		branch->head_run = branch->tail_run;
	int rc = 0;
	if (branch->n_tail == BRANCH_HISTORY)
		rc = count_outcome(part->counts, branch, pc, BRANCH_OWN, branch->tail, taken);
	else
		branch->n_tail++;
	if (branch->n_head < BRANCH_HISTORY)
		branch->head |= (uint8_t)(taken << branch->n_head++);
	branch->tail = (uint8_t)(branch->tail << 1 | taken);
	return rc;
}

/* And in its hart's. */
static int global_outcome(struct branch_part *part, struct branch_hart *hart,
                          const struct branch *branch, uint64_t pc, bool taken)
{
	int rc = 0;
	if (hart->n_tail == BRANCH_HISTORY)
		rc = count_outcome(part->counts, branch, pc, BRANCH_ALL, hart->tail, taken);
	else
		hart->n_tail++;
	if (hart->n_head < BRANCH_HISTORY) {
		hart->head_pc[hart->n_head] = pc;
		hart->head |= (uint8_t)(taken << hart->n_head++);
	}
	hart->tail = (uint8_t)(hart->tail << 1 | taken);
	return rc;
}

static void balance(struct branch_hart *hart, int64_t by)
{
	hart->balance += by;
	hart->highest = hart->balance > hart->highest ? hart->balance : hart->highest;
	hart->lowest = hart->balance < hart->lowest ? hart->balance : hart->lowest;
}

static int branches_take_step(struct branch_part *part, const struct cairn_insn *in, uint64_t hart,
                              bool known)
{
	unsigned delay = in->traits & CAIRN_TRAIT_DELAY_SLOT ? in->size : 0;
	struct branch_step step = {.pc = branch_pc(in),
	                           .target = in->target,
	                           .hart = (uint32_t)hart,
	                           .cond = (in->traits & CAIRN_TRAIT_CONDITIONAL) != 0,
	                           .taken = (in->flags & CAIRN_INSN_TAKEN) != 0,
	                           .known = known,
	                           .back = in->pc + in->size + delay};
	step.kind =
		(uint8_t)((in->traits & CAIRN_TRAIT_CALL ? 1 : 0) |
	              (in->traits & CAIRN_TRAIT_RETURN ? 2 : 0) |
	              (in->traits & CAIRN_TRAIT_INDIRECT && in->flags & CAIRN_INSN_TARGET ? 4 : 0));
	return base_buf_put(&part->stream, &step, sizeof step);
}

static int feed_branch(struct branch_run *run, struct branch_part *part, struct branch *branch,
                       const struct cairn_insn *in, uint64_t hart, struct branch_hart *history)
{
	enum { OFTEN = 16 };
	bool conditional = in->traits & CAIRN_TRAIT_CONDITIONAL;
	bool taken = in->flags & CAIRN_INSN_TAKEN, not_taken = in->flags & CAIRN_INSN_NOT_TAKEN;
	/* An always branch was taken, unless the trace says that it was not. */
	bool known = taken || not_taken || !conditional;
	int rc = 0;
	taken |= !conditional && !not_taken;
	if (++branch->executed == OFTEN && !branch->busy && !run->opts->every)
		branch->busy = branch_busy_row(part->counts, branch_pc(in));
	branch->taken += known && taken;
	branch->unknown += !known;
	branch->enc = in->enc;
	branch->traits = in->traits;
	branch->isa = in->isa;
	branch->size = in->size;
	branch->cls = in->cls;
	if (in->flags & CAIRN_INSN_TARGET)
		branch->target = in->target;
	if (known)
		rc = local_outcome(part, branch, branch_pc(in), taken);
	if (rc >= 0 && known && conditional)
		rc = global_outcome(part, history, branch, branch_pc(in), taken);
	if (taken && in->traits & (CAIRN_TRAIT_CALL | CAIRN_TRAIT_RETURN))
		balance(history, (in->traits & CAIRN_TRAIT_CALL ? 1 : 0) -
		                     (in->traits & CAIRN_TRAIT_RETURN ? 1 : 0));
	if (rc >= 0 && taken && in->traits & CAIRN_TRAIT_INDIRECT && in->flags & CAIRN_INSN_TARGET) {
		uint64_t *n = base_map_at(&part->counts->targets, branch_pc(in), in->target);
		rc = n ? 0 : CAIRN_E_NOMEM;
		if (n)
			++*n;
	}
	return rc >= 0 && run->predicts ? branches_take_step(part, in, hart, known) : rc;
}

/* Find the rows that are executed branches. Which ones are cannot be predicted, so the loop has no
 * branches of its own. */
static unsigned find_branches(struct branch_part *part, const struct analysis_rows *rows,
                              uint16_t *which)
{
	unsigned n = 0, kept = 0, executed = 0, unplaced = 0;
	for (uint32_t i = rows->from; i < rows->to; i++) {
		const struct cairn_insn *in = &rows->batch->insns[i];
		bool is = !rows->keep || rows->keep[i];
		bool ran = is & !(in->flags & CAIRN_INSN_NOT_EXECUTED);
		kept += is;
		executed += ran;
		which[n] = (uint16_t)i;
		bool branch = ran & (in->traits / CAIRN_TRAIT_BRANCH & 1);
		n += branch;
		unplaced += branch & (in->flags / CAIRN_INSN_PC_UNKNOWN & 1);
	}
	part->instructions += kept;
	part->executed += executed;
	part->unplaced += unplaced;
	return n;
}

/* Find the counters of the branches; a new one may be known to be busy. */
static int find_rows(struct branch_part *part, const struct cairn_batch *batch,
                     const uint16_t *which, unsigned n, uint32_t *rows)
{
	enum { LATER = 4 };
	for (unsigned k = 0; k < n; k++) {
		uint64_t pc = branch_pc(&batch->insns[which[k]]);
		size_t known = part->branches.n;
		if (k + LATER < n)
			base_map_expect(&part->branches, branch_pc(&batch->insns[which[k + LATER]]), 0);
		uint64_t *row = base_map_at(&part->branches, pc, 0);
		if (!row)
			return CAIRN_E_NOMEM;
		rows[k] = (uint32_t)base_map_index(&part->branches, row);
		if (part->branches.n == known)
			continue;
		const uint64_t *busy = base_map_find(&part->counts->busy, pc, 0);
		((struct branch *)(void *)row)->busy =
			busy ? (uint32_t)base_map_index(&part->counts->busy, busy) + 1 : 0;
	}
	return 0;
}

static struct branch *branch_of(const struct branch_part *part, uint32_t row)
{
	return (void *)(base_map_row(&part->branches, row) + 2);
}

/* Prefetch what a branch will count into, if nothing comes in between. */
static inline void expect_cells(const struct branch_counts *counts, const struct branch *branch)
{
	if (branch->busy)
		__builtin_prefetch(
			counts->cells + (size_t)(branch->busy - 1) * BRANCH_CELLS + 2 * branch->tail, 1);
}

static inline void expect_next(const struct branch_counts *counts, const struct branch *branch,
                               const struct branch_hart *hart)
{
	if (branch->busy)
		__builtin_prefetch(counts->cells + (size_t)(branch->busy - 1) * BRANCH_CELLS + BRANCH_ALL +
		                       2 * hart->tail,
		                   1);
}

static int branches_feed(void *user, void *part, const struct analysis_rows *piece)
{
	enum { SOON = 3 };
	struct branch_part *p = part;
	const struct cairn_batch *batch = piece->batch;
	uint16_t which[CAIRN_CAP_INSNS + 1];
	uint32_t rows[CAIRN_CAP_INSNS];
	struct branch_hart *h = NULL;
	uint64_t hart = 0;
	if (!branch_have_counts(user, p))
		return CAIRN_E_NOMEM;
	unsigned n = find_branches(p, piece, which);
	int rc = find_rows(p, batch, which, n, rows);
	for (unsigned k = 0; k < n && rc >= 0; k++) {
		const struct cairn_insn *in = &batch->insns[which[k]];
		const struct cairn_ctx *ctx = &batch->ctxs[in->ctx];
		if (k + SOON < n)
			expect_cells(p->counts, branch_of(p, rows[k + SOON]));
		uint64_t now = ctx->known & CAIRN_CTX_HART ? ctx->hart : 0;
		if (!h || now != hart) {
			hart = now;
			h = (void *)base_map_at(&p->harts, hart, 0);
			if (!h)
				return CAIRN_E_NOMEM;
		}
		rc = feed_branch(user, p, branch_of(p, rows[k]), in, hart, h);
		if (k + 1 < n)
			expect_next(p->counts, branch_of(p, rows[k + 1]), h);
	}
	return rc;
}

/* ---- joining ---- */

/* Outcomes of the later part get the history at the end of the earlier one. */
static int replay_local(struct branch_part *to, const struct branch *before,
                        const struct branch *after, uint64_t pc)
{
	uint8_t tail = before->tail;
	unsigned n = before->n_tail;
	for (unsigned i = 0; i < after->n_head; i++) {
		bool taken = after->head >> i & 1;
		if (n == BRANCH_HISTORY && branch_count_history(&to->counts->local, pc, tail, taken, 1) < 0)
			return CAIRN_E_NOMEM;
		n += n < BRANCH_HISTORY;
		tail = (uint8_t)(tail << 1 | taken);
	}
	return 0;
}

static uint8_t join_bits(uint8_t left, uint8_t n_a, uint8_t right, uint8_t n_b, bool late,
                         uint8_t *n)
{
	*n = (uint8_t)(n_a + n_b < BRANCH_HISTORY ? n_a + n_b : BRANCH_HISTORY);
	/* late: the last outcome is in bit 0; else the first is */
	return (uint8_t)(late ? (unsigned)left << n_b | right : left | (unsigned)right << n_a);
}

/* Join the runs at the border of two parts. */
static void join_runs(struct branch *left, const struct branch *right)
{
	bool last = left->tail & 1, next = right->head & 1;
	uint64_t tail = left->tail_run, head = right->head_run;
	for (unsigned k = 0; k < 2; k++) {
		const struct branch_runs *from = &right->runs[k];
		struct branch_runs *to = &left->runs[k];
		if (!from->n)
			continue;
		to->shortest = to->n && to->shortest < from->shortest ? to->shortest : from->shortest;
		to->longest = to->longest > from->longest ? to->longest : from->longest;
		to->n += from->n;
	}
	if (last == next) { /* one run */
		head += tail;
		if (!left->transitions)
			left->head_run = head;
		else if (right->transitions)
			branches_end_run(&left->runs[last], head);
	} else {
		if (left->transitions)
			branches_end_run(&left->runs[last], tail);
		if (right->transitions)
			branches_end_run(&left->runs[next], head);
		left->transitions++;
	}
	left->tail_run = right->transitions ? right->tail_run : head;
	left->transitions += right->transitions;
}

static int join_branch(struct branch_part *to, struct branch *left, const struct branch *right,
                       uint64_t pc)
{
	if (!left->executed) {
		*left = *right;
		return 0;
	}
	int rc = replay_local(to, left, right, pc);
	if (right->n_tail && left->n_tail) {
		join_runs(left, right);
	} else if (right->n_tail) { /* nothing was known before */
		memcpy(left->runs, right->runs, sizeof left->runs);
		left->head_run = right->head_run;
		left->tail_run = right->tail_run;
		left->transitions = right->transitions;
	}
	left->head =
		join_bits(left->head, left->n_head, right->head, right->n_head, false, &left->n_head);
	left->tail =
		join_bits(left->tail, left->n_tail, right->tail, right->n_tail, true, &left->n_tail);
	left->executed += right->executed;
	left->taken += right->taken;
	left->unknown += right->unknown;
	left->target = right->target ? right->target : left->target;
	left->enc = right->enc;
	left->traits = right->traits;
	left->isa = right->isa;
	left->size = right->size;
	left->cls = right->cls;
	return rc;
}

static int join_hart(struct branch_part *to, struct branch_hart *left,
                     const struct branch_hart *right)
{
	static const struct branch any = {.busy = 0};
	for (unsigned i = 0; i < right->n_head; i++)
		if (global_outcome(to, left, &any, right->head_pc[i], right->head >> i & 1) < 0)
			return CAIRN_E_NOMEM;
	/* Outcomes behind the head had a whole history; the end of the later part is the end of both.
	 *  */
	if (right->n_head == BRANCH_HISTORY)
		left->tail = right->tail;
	int64_t high = left->balance + right->highest, low = left->balance + right->lowest;
	left->highest = high > left->highest ? high : left->highest;
	left->lowest = low < left->lowest ? low : left->lowest;
	left->balance += right->balance;
	return 0;
}

/* ---- predictors ---- */

static struct branch_machine *machine_of(struct branch_run *run, uint64_t hart)
{
	uint64_t *at = base_map_at(&run->machines, hart, 0);
	if (!at)
		return NULL;
	if (*at)
		return (void *)(uintptr_t)*at;
	struct branch_machine *machine = base_alloc(run->cairn, sizeof *machine);
	*at = (uintptr_t)machine;
	for (unsigned k = 0; k < PREDICT_KINDS && machine; k++)
		if (run->bytes[k] &&
		    !(machine->predict[k] = predict_new(run->cairn, (enum predict_kind)k, run->bytes[k])))
			return NULL;
	return machine;
}

static void machines_free(struct branch_run *run)
{
	for (size_t i = 0; i < run->machines.n; i++) {
		struct branch_machine *machine = (void *)(uintptr_t)base_map_row(&run->machines, i)[2];
		for (unsigned k = 0; k < PREDICT_KINDS && machine; k++)
			predict_free(run->cairn, machine->predict[k]);
		base_free(run->cairn, machine);
	}
	base_map_free(&run->machines);
}

/* Was the target predicted: of a return by the stack, of others by where they went last? */
static bool foresee_target(struct branch_machine *machine, const struct branch_step *step)
{
	if (step->kind & 2) {
		uint64_t top = machine->stack[machine->top % BRANCH_STACK];
		machine->top--;
		return top == step->target;
	}
	uint64_t *last = &machine->last_target[(step->pc >> 1) % BRANCH_TARGETS];
	bool right = *last == step->target;
	*last = step->target;
	return right;
}

static int predict_all(struct branch_run *run, struct branch_part *sum,
                       const struct base_buf *stream)
{
	const struct branch_step *step = (const void *)stream->data;
	size_t n = stream->len / sizeof *step;
	for (size_t i = 0; i < n; i++, step++) {
		struct branch_machine *machine = machine_of(run, step->hart);
		struct branch *branch = branch_at(sum, step->pc);
		if (!machine || !branch)
			return CAIRN_E_NOMEM;
		for (unsigned k = 0; k < PREDICT_KINDS && step->cond && step->known; k++)
			if (machine->predict[k] && !predict_branch(machine->predict[k], step->pc, step->taken))
				branch->misses[k]++;
		if (step->kind & 4 && step->taken)
			branch->target_misses += !foresee_target(machine, step);
		if (step->kind & 1 && step->taken)
			machine->stack[++machine->top % BRANCH_STACK] = step->back;
	}
	return 0;
}

static int branches_join(void *user, void *sum, void *part)
{
	struct branch_run *run = user;
	struct branch_part *left = sum, *right = part;
	int rc = branch_have_counts(run, left) ? 0 : CAIRN_E_NOMEM;
	left->instructions += right->instructions;
	left->executed += right->executed;
	left->unplaced += right->unplaced;
	for (size_t i = 0; i < right->branches.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&right->branches, i);
		struct branch *to = branch_at(left, row[0]);
		rc = to ? join_branch(left, to, (const void *)(row + 2), row[0]) : CAIRN_E_NOMEM;
	}
	if (right->counts && run->opts->every && rc >= 0)
		rc = branch_counts_add(left->counts, right->counts);
	if (right->counts)
		branch_counts_rest(run, right->counts);
	right->counts = NULL;
	for (size_t i = 0; i < right->harts.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&right->harts, i);
		struct branch_hart *to = (void *)base_map_at(&left->harts, row[0], 0);
		rc = to ? join_hart(left, to, (const void *)(row + 2)) : CAIRN_E_NOMEM;
	}
	if (rc >= 0)
		rc = predict_all(run, left, &right->stream);
	return rc;
}

/* ---- what is asked for ---- */

static int parse_one(struct branch_run *run, const char *word, size_t n)
{
	size_t name = strcspn(word, ":,");
	uint64_t bytes = 0;
	for (unsigned k = 0; k < PREDICT_KINDS; k++) {
		bool all = name == 3 && !strncmp(word, "all", 3);
		if (!all && (strlen(predict_name((enum predict_kind)k)) != name ||
		             strncmp(word, predict_name((enum predict_kind)k), name) != 0))
			continue;
		bytes = predict_default((enum predict_kind)k);
		if (name < n) {
			bytes = 0;
			size_t i = name + 1;
			for (; i < n && word[i] >= '0' && word[i] <= '9' && bytes < UINT32_MAX; i++)
				bytes = 10 * bytes + (uint64_t)(word[i] - '0');
			if (i < n && (word[i] == 'K' || word[i] == 'k' || word[i] == 'M')) {
				bytes <<= word[i] == 'M' ? 20 : 10;
				i++;
			}
			bytes = i == n ? bytes : 0;
		}
		run->bytes[k] = predict_bytes((enum predict_kind)k, bytes);
		if (!run->bytes[k])
			return base_fail(run->cairn, CAIRN_E_INVAL,
			                 "the size of a predictor is 64 bytes to 64M, not '%.*s'", (int)n,
			                 word);
		run->predicts = true;
	}
	return bytes ? 0
	             : base_fail(run->cairn, CAIRN_E_INVAL,
	                         "predictors are bimodal, gshare, tage or all, "
	                         "each may be followed by :BYTES; '%.*s' is none",
	                         (int)n, word);
}

static void branches_done(void *user)
{
	struct branch_run *run = user;
	for (struct branch_counts *counts; (counts = run->rest) != NULL;) {
		run->rest = counts->next;
		branch_counts_free(run, counts);
	}
	pthread_mutex_destroy(&run->lock);
	machines_free(run);
	base_free(run->cairn, run);
}

int branches_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 const char *predictors, struct analysis_job *job)
{
	static const struct analysis_kind kind = {
		.name = "branches",
		.order = ANALYSIS_BOUNDARY,
		.parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS,
		.part = sizeof(struct branch_part),
		.maps = {{offsetof(struct branch_part, branches), BRANCH_WORDS},
	             {offsetof(struct branch_part, harts), BRANCH_HART_WORDS}},
		.n_maps = 2,
		.stream = offsetof(struct branch_part, stream),
		.feed = branches_feed,
		.join = branches_join,
		.report = branches_report,
		.end = branches_end};
	struct branch_run *run;
	int rc = analysis_job(reader, opts, &kind, sizeof *run, branches_done, job);
	if (rc < 0)
		return rc;
	run = job->user;
	run->cairn = reader->cairn;
	run->opts = &job->opts;
	base_map_init(&run->machines, reader->cairn, 1);
	pthread_mutex_init(&run->lock, NULL);
	while (rc >= 0 && predictors && *predictors) {
		size_t n = strcspn(predictors, ",");
		rc = parse_one(run, predictors, n);
		predictors += n + (predictors[n] == ',');
	}
	if (run->predicts)
		job->kind.order = ANALYSIS_SEQUENTIAL;
	return rc;
}

int cairn_branches(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                   const char *predictors, struct cairn_result **out)
{
	struct analysis_job job;
	return analysis_do(reader, &job, branches_job(reader, opts, predictors, &job), out);
}

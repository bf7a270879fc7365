/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Branches: what each did, and how well it can be foreseen.
 *
 * Counting is done in parallel. What a branch does next depends on what it did before,
 * so a part keeps the outcomes that came too early to have their whole history, and
 * join gives them the history at the end of the part before. Runs of equal outcomes
 * are joined at the seam in the same way. With intervals every history begins anew.
 *
 * Predictors cannot be joined. For them feeding only writes down what branches did, and
 * they run while parts are joined; they carry on from interval to interval.
 *
 * Branches that did not execute are not counted; branches whose outcome the trace does
 * not tell are, but have no part in history.
 */
#include "analysis/branches.h"

#include <stdio.h>
#include <string.h>

/* ---- parts ---- */

static int branches_begin(void *user, void *part)
{
	struct branch_run *u = user;
	struct branch_part *p = part;
	base_map_init(&p->branches, u->c, BRANCH_WORDS);
	base_map_init(&p->harts, u->c, BRANCH_HART_WORDS);
	base_buf_init(&p->stream, u->c);
	return 0;
}

static void branches_end(void *user, void *part)
{
	struct branch_run *u = user;
	struct branch_part *p = part;
	branch_counts_free(u, p->counts);
	base_map_free(&p->branches);
	base_map_free(&p->harts);
	base_buf_free(&p->stream);
}

static size_t branches_held(const void *part)
{
	return ((const struct branch_part *)part)->stream.len;
}

static struct branch *branch_at(struct branch_part *p, uint64_t pc)
{
	return (struct branch *)(void *)base_map_at(&p->branches, pc, 0);
}

/* ---- one outcome ---- */

/* Count what followed a history of the branch's own or of its hart (`kind`). */
static inline int count_outcome(struct branch_counts *n, const struct branch *b, uint64_t pc,
                                unsigned kind, uint8_t history, bool taken)
{
	struct base_map *m = kind == BRANCH_OWN ? &n->local : &n->global;
	if (!b->busy)
		return branch_count_history(m, pc, history, taken, 1);
	uint32_t *cell = n->cells + (size_t)(b->busy - 1) * BRANCH_CELLS + kind + 2 * history + taken;
	if (++*cell)
		return 0;
	return branch_count_history(m, pc, history, taken, UINT64_C(1) << 32); /* it has come round */
}

static void branches_end_run(struct branch_runs *r, uint64_t length)
{
	r->shortest = r->n && r->shortest < length ? r->shortest : length;
	r->longest = r->longest > length ? r->longest : length;
	r->n++;
}

/* The outcome in the branch's own history. */
static int local_outcome(struct branch_part *p, struct branch *b, uint64_t pc, bool taken)
{
	uint64_t seen = b->executed - b->unknown; /* this one included */
	bool last = b->tail & 1;
	if (seen > 1 && last != taken) {
		if (b->transitions)
			branches_end_run(&b->runs[last], b->tail_run);
		else
			b->head_run = b->tail_run;
		b->transitions++;
		b->tail_run = 0;
	}
	b->tail_run++;
	if (!b->transitions)
		b->head_run = b->tail_run;
	int rc = 0;
	if (b->n_tail == BRANCH_HISTORY)
		rc = count_outcome(p->counts, b, pc, BRANCH_OWN, b->tail, taken);
	else
		b->n_tail++;
	if (b->n_head < BRANCH_HISTORY)
		b->head |= (uint8_t)(taken << b->n_head++);
	b->tail = (uint8_t)(b->tail << 1 | taken);
	return rc;
}

/* And in its hart's. */
static int global_outcome(struct branch_part *p, struct branch_hart *h, const struct branch *b,
                          uint64_t pc, bool taken)
{
	int rc = 0;
	if (h->n_tail == BRANCH_HISTORY)
		rc = count_outcome(p->counts, b, pc, BRANCH_ALL, h->tail, taken);
	else
		h->n_tail++;
	if (h->n_head < BRANCH_HISTORY) {
		h->head_pc[h->n_head] = pc;
		h->head |= (uint8_t)(taken << h->n_head++);
	}
	h->tail = (uint8_t)(h->tail << 1 | taken);
	return rc;
}

static void balance(struct branch_hart *h, int64_t by)
{
	h->balance += by;
	h->highest = h->balance > h->highest ? h->balance : h->highest;
	h->lowest = h->balance < h->lowest ? h->balance : h->lowest;
}

static int branches_take_step(struct branch_part *p, const struct cairn_insn *in, uint64_t hart,
                              bool known)
{
	unsigned delay = in->traits & CAIRN_TRAIT_DELAY_SLOT ? in->size : 0;
	struct branch_step s = {.pc = in->pc,
	                        .target = in->target,
	                        .hart = (uint32_t)hart,
	                        .cond = (in->traits & CAIRN_TRAIT_CONDITIONAL) != 0,
	                        .taken = (in->flags & CAIRN_INSN_TAKEN) != 0,
	                        .known = known,
	                        .back = in->pc + in->size + delay};
	s.kind =
		(uint8_t)((in->traits & CAIRN_TRAIT_CALL ? 1 : 0) |
	              (in->traits & CAIRN_TRAIT_RETURN ? 2 : 0) |
	              (in->traits & CAIRN_TRAIT_INDIRECT && in->flags & CAIRN_INSN_TARGET ? 4 : 0));
	return base_buf_put(&p->stream, &s, sizeof s);
}

static int feed_branch(struct branch_run *u, struct branch_part *p, struct branch *b,
                       const struct cairn_insn *in, uint64_t hart, struct branch_hart *h)
{
	enum { OFTEN = 16 };
	bool conditional = in->traits & CAIRN_TRAIT_CONDITIONAL;
	bool taken = in->flags & CAIRN_INSN_TAKEN, not_taken = in->flags & CAIRN_INSN_NOT_TAKEN;
	bool known = taken || not_taken || !conditional;
	int rc = 0;
	taken |= !conditional;
	if (++b->executed == OFTEN && !b->busy && !u->opts->every)
		b->busy = branch_busy_row(p->counts, in->pc);
	b->taken += known && taken;
	b->unknown += !known;
	b->enc = in->enc;
	b->traits = in->traits;
	b->isa = in->isa;
	b->size = in->size;
	b->cls = in->cls;
	if (in->flags & CAIRN_INSN_TARGET)
		b->target = in->target;
	if (known)
		rc = local_outcome(p, b, in->pc, taken);
	if (rc >= 0 && known && conditional)
		rc = global_outcome(p, h, b, in->pc, taken);
	if (taken && in->traits & (CAIRN_TRAIT_CALL | CAIRN_TRAIT_RETURN))
		balance(h, (in->traits & CAIRN_TRAIT_CALL ? 1 : 0) -
		               (in->traits & CAIRN_TRAIT_RETURN ? 1 : 0));
	if (rc >= 0 && taken && in->traits & CAIRN_TRAIT_INDIRECT && in->flags & CAIRN_INSN_TARGET) {
		uint64_t *n = base_map_at(&p->counts->targets, in->pc, in->target);
		rc = n ? 0 : CAIRN_E_NOMEM;
		if (n)
			++*n;
	}
	return rc >= 0 && u->predicts ? branches_take_step(p, in, hart, known) : rc;
}

/* The rows that are branches and executed; which rows are cannot be predicted, so that is told
 * without branches. */
static unsigned find_branches(struct branch_part *p, const struct analysis_rows *r, uint16_t *which)
{
	unsigned n = 0, kept = 0, executed = 0;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct cairn_insn *in = &r->b->insns[i];
		bool is = !r->keep || r->keep[i];
		bool ran = is & !(in->flags & CAIRN_INSN_NOT_EXECUTED);
		kept += is;
		executed += ran;
		which[n] = (uint16_t)i;
		n += ran & (in->traits / CAIRN_TRAIT_BRANCH & 1);
	}
	p->instructions += kept;
	p->executed += executed;
	return n;
}

/* The rows of the branches; a new one may be known to be busy. */
static int find_rows(struct branch_part *p, const struct cairn_batch *b, const uint16_t *which,
                     unsigned n, uint32_t *rows)
{
	enum { LATER = 4 };
	for (unsigned k = 0; k < n; k++) {
		uint64_t pc = b->insns[which[k]].pc;
		size_t known = p->branches.n;
		if (k + LATER < n)
			base_map_expect(&p->branches, b->insns[which[k + LATER]].pc, 0);
		uint64_t *row = base_map_at(&p->branches, pc, 0);
		if (!row)
			return CAIRN_E_NOMEM;
		rows[k] = (uint32_t)base_map_index(&p->branches, row);
		if (p->branches.n == known)
			continue;
		const uint64_t *busy = base_map_find(&p->counts->busy, pc, 0);
		((struct branch *)(void *)row)->busy =
			busy ? (uint32_t)base_map_index(&p->counts->busy, busy) + 1 : 0;
	}
	return 0;
}

static struct branch *branch_of(const struct branch_part *p, uint32_t row)
{
	return (void *)(base_map_row(&p->branches, row) + 2);
}

/* What a branch will count into, if nothing comes in between. */
static inline void expect_cells(const struct branch_counts *n, const struct branch *b)
{
	if (b->busy)
		__builtin_prefetch(n->cells + (size_t)(b->busy - 1) * BRANCH_CELLS + 2 * b->tail, 1);
}

static inline void expect_next(const struct branch_counts *n, const struct branch *b,
                               const struct branch_hart *h)
{
	if (b->busy)
		__builtin_prefetch(
			n->cells + (size_t)(b->busy - 1) * BRANCH_CELLS + BRANCH_ALL + 2 * h->tail, 1);
}

static int branches_feed(void *user, void *part, const struct analysis_rows *r)
{
	enum { SOON = 3 };
	struct branch_part *p = part;
	const struct cairn_batch *b = r->b;
	uint16_t which[CAIRN_CAP_INSNS + 1];
	uint32_t rows[CAIRN_CAP_INSNS];
	struct branch_hart *h = NULL;
	uint64_t hart = 0;
	if (!branch_have_counts(user, p))
		return CAIRN_E_NOMEM;
	unsigned n = find_branches(p, r, which);
	int rc = find_rows(p, b, which, n, rows);
	for (unsigned k = 0; k < n && rc >= 0; k++) {
		const struct cairn_insn *in = &b->insns[which[k]];
		const struct cairn_ctx *ctx = &b->ctxs[in->ctx];
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

static uint8_t join_bits(uint8_t a, uint8_t n_a, uint8_t b, uint8_t n_b, bool late, uint8_t *n)
{
	*n = (uint8_t)(n_a + n_b < BRANCH_HISTORY ? n_a + n_b : BRANCH_HISTORY);
	/* late: the last outcome is in bit 0; else the first is */
	return (uint8_t)(late ? (unsigned)a << n_b | b : a | (unsigned)b << n_a);
}

/* The runs on both sides of the seam. */
static void join_runs(struct branch *a, const struct branch *b)
{
	bool last = a->tail & 1, next = b->head & 1;
	uint64_t tail = a->tail_run, head = b->head_run;
	for (unsigned k = 0; k < 2; k++) {
		const struct branch_runs *from = &b->runs[k];
		struct branch_runs *to = &a->runs[k];
		if (!from->n)
			continue;
		to->shortest = to->n && to->shortest < from->shortest ? to->shortest : from->shortest;
		to->longest = to->longest > from->longest ? to->longest : from->longest;
		to->n += from->n;
	}
	if (last == next) { /* one run */
		head += tail;
		if (!a->transitions)
			a->head_run = head;
		else if (b->transitions)
			branches_end_run(&a->runs[last], head);
	} else {
		if (a->transitions)
			branches_end_run(&a->runs[last], tail);
		if (b->transitions)
			branches_end_run(&a->runs[next], head);
		a->transitions++;
	}
	a->tail_run = b->transitions ? b->tail_run : head;
	a->transitions += b->transitions;
}

static int join_branch(struct branch_part *to, struct branch *a, const struct branch *b,
                       uint64_t pc)
{
	if (!a->executed) {
		*a = *b;
		return 0;
	}
	int rc = replay_local(to, a, b, pc);
	if (b->n_tail && a->n_tail) {
		join_runs(a, b);
	} else if (b->n_tail) { /* nothing was known before */
		memcpy(a->runs, b->runs, sizeof a->runs);
		a->head_run = b->head_run;
		a->tail_run = b->tail_run;
		a->transitions = b->transitions;
	}
	a->head = join_bits(a->head, a->n_head, b->head, b->n_head, false, &a->n_head);
	a->tail = join_bits(a->tail, a->n_tail, b->tail, b->n_tail, true, &a->n_tail);
	a->executed += b->executed;
	a->taken += b->taken;
	a->unknown += b->unknown;
	a->target = b->target ? b->target : a->target;
	a->enc = b->enc;
	a->traits = b->traits;
	a->isa = b->isa;
	a->size = b->size;
	a->cls = b->cls;
	return rc;
}

static int join_hart(struct branch_part *to, struct branch_hart *a, const struct branch_hart *b)
{
	static const struct branch any = {.busy = 0};
	for (unsigned i = 0; i < b->n_head; i++)
		if (global_outcome(to, a, &any, b->head_pc[i], b->head >> i & 1) < 0)
			return CAIRN_E_NOMEM;
	/* What followed the head had its history; its end is the end of both. */
	if (b->n_head == BRANCH_HISTORY)
		a->tail = b->tail;
	int64_t high = a->balance + b->highest, low = a->balance + b->lowest;
	a->highest = high > a->highest ? high : a->highest;
	a->lowest = low < a->lowest ? low : a->lowest;
	a->balance += b->balance;
	return 0;
}

/* ---- predictors ---- */

static struct branch_machine *machine_of(struct branch_run *u, uint64_t hart)
{
	uint64_t *at = base_map_at(&u->machines, hart, 0);
	if (!at)
		return NULL;
	if (*at)
		return (void *)(uintptr_t)*at;
	struct branch_machine *m = base_alloc(u->c, sizeof *m);
	*at = (uintptr_t)m;
	for (unsigned k = 0; k < PREDICT_KINDS && m; k++)
		if (u->bytes[k] && !(m->p[k] = predict_new(u->c, (enum predict_kind)k, u->bytes[k])))
			return NULL;
	return m;
}

static void machines_free(struct branch_run *u)
{
	for (size_t i = 0; i < u->machines.n; i++) {
		struct branch_machine *m = (void *)(uintptr_t)base_map_row(&u->machines, i)[2];
		for (unsigned k = 0; k < PREDICT_KINDS && m; k++)
			predict_free(u->c, m->p[k]);
		base_free(u->c, m);
	}
	base_map_free(&u->machines);
}

/* Was the target foreseen: a return by the stack, others by where they went last? */
static bool foresee_target(struct branch_machine *m, const struct branch_step *s)
{
	if (s->kind & 2) {
		uint64_t top = m->stack[m->top % BRANCH_STACK];
		m->top--;
		return top == s->target;
	}
	uint64_t *last = &m->last_target[(s->pc >> 1) % BRANCH_TARGETS];
	bool right = *last == s->target;
	*last = s->target;
	return right;
}

static int predict_all(struct branch_run *u, struct branch_part *sum, const struct base_buf *stream)
{
	const struct branch_step *s = (const void *)stream->data;
	size_t n = stream->len / sizeof *s;
	for (size_t i = 0; i < n; i++, s++) {
		struct branch_machine *m = machine_of(u, s->hart);
		struct branch *b = branch_at(sum, s->pc);
		if (!m || !b)
			return CAIRN_E_NOMEM;
		for (unsigned k = 0; k < PREDICT_KINDS && s->cond && s->known; k++)
			if (m->p[k] && !predict_branch(m->p[k], s->pc, s->taken))
				b->misses[k]++;
		if (s->kind & 4 && s->taken)
			b->target_misses += !foresee_target(m, s);
		if (s->kind & 1 && s->taken)
			m->stack[++m->top % BRANCH_STACK] = s->back;
	}
	return 0;
}

static int branches_join(void *user, void *sum, void *part)
{
	struct branch_run *u = user;
	struct branch_part *a = sum, *b = part;
	int rc = branch_have_counts(u, a) ? 0 : CAIRN_E_NOMEM;
	a->instructions += b->instructions;
	a->executed += b->executed;
	for (size_t i = 0; i < b->branches.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&b->branches, i);
		struct branch *to = branch_at(a, row[0]);
		rc = to ? join_branch(a, to, (const void *)(row + 2), row[0]) : CAIRN_E_NOMEM;
	}
	if (b->counts && u->opts->every && rc >= 0)
		rc = branch_counts_add(a->counts, b->counts);
	if (b->counts)
		branch_counts_rest(u, b->counts);
	b->counts = NULL;
	for (size_t i = 0; i < b->harts.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&b->harts, i);
		struct branch_hart *to = (void *)base_map_at(&a->harts, row[0], 0);
		rc = to ? join_hart(a, to, (const void *)(row + 2)) : CAIRN_E_NOMEM;
	}
	if (rc >= 0)
		rc = predict_all(u, a, &b->stream);
	base_map_clear(&b->branches);
	base_map_clear(&b->harts);
	b->stream.len = 0;
	b->instructions = b->executed = 0;
	return rc;
}

/* ---- what is asked for ---- */

static int parse_one(struct branch_run *u, const char *word, size_t n)
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
		u->bytes[k] = predict_bytes((enum predict_kind)k, bytes);
		if (!u->bytes[k])
			return base_fail(u->c, CAIRN_E_INVAL,
			                 "the size of a predictor is 64 bytes to 64M, "
			                 "not '%.*s'",
			                 (int)n, word);
		u->predicts = true;
	}
	return bytes ? 0
	             : base_fail(u->c, CAIRN_E_INVAL,
	                         "predictors are bimodal, gshare, tage or all, "
	                         "each may be followed by :BYTES; '%.*s' is none",
	                         (int)n, word);
}

static void branches_done(void *user)
{
	struct branch_run *u = user;
	for (struct branch_counts *n; (n = u->rest) != NULL;) {
		u->rest = n->next;
		branch_counts_free(u, n);
	}
	pthread_mutex_destroy(&u->lock);
	machines_free(u);
	base_free(u->c, u);
}

int branches_job(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                 const char *predictors, struct analysis_job *job)
{
	static const struct analysis_kind kind = {.name = "branches",
	                                          .order = ANALYSIS_BOUNDARY,
	                                          .parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS |
	                                                   CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS,
	                                          .part = sizeof(struct branch_part),
	                                          .begin = branches_begin,
	                                          .feed = branches_feed,
	                                          .join = branches_join,
	                                          .report = branches_report,
	                                          .end = branches_end,
	                                          .held = branches_held};
	struct branch_run *u;
	int rc = analysis_job(r, opts, &kind, sizeof *u, branches_done, job);
	if (rc < 0)
		return rc;
	u = job->user;
	u->c = r->c;
	u->opts = &job->opts;
	base_map_init(&u->machines, r->c, 1);
	pthread_mutex_init(&u->lock, NULL);
	while (rc >= 0 && predictors && *predictors) {
		size_t n = strcspn(predictors, ",");
		rc = parse_one(u, predictors, n);
		predictors += n + (predictors[n] == ',');
	}
	if (u->predicts)
		job->kind.order = ANALYSIS_SEQUENTIAL;
	return rc;
}

int cairn_branches(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
                   const char *predictors, struct cairn_result **out)
{
	struct analysis_job job;
	return analysis_do(r, &job, branches_job(r, opts, predictors, &job), out);
}

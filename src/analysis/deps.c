/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependences between instructions, through registers.
 *
 * Distances: how many instructions ago a source was written. Ideal parallelism: every
 * instruction takes one step and may begin when its sources are written; with a window of W,
 * instruction i begins only when instruction i-W and all before it are done, as in a reorder
 * buffer. All branches are predicted, and memory carries no dependence: these are limits of the
 * program, not of a machine. Pairs: which instruction directly follows which, and which pairs a
 * machine could fuse.
 *
 * Registers come from the encoding where the set's operands are known, else from what
 * the trace recorded. SPARC's windows move with save and restore; traps, which write %cwp, are
 * not followed. A part turns each instruction into a few numbers and remembers those of each
 * encoding in a memo, which the next part reuses. Only join depends on the order. Each interval
 * starts without a past.
 */
#include <string.h>

#include "analysis/deps.h"

const uint32_t deps_windows[DEPS_WINDOWS] = {8, 16, 32, 64, 128, 256, 1024, 0};

/* ---- memos ---- */

static struct deps_memo *memo_take(struct deps_run *run)
{
	pthread_mutex_lock(&run->lock);
	struct deps_memo *memo = run->rest;
	run->rest = memo ? memo->next : NULL;
	pthread_mutex_unlock(&run->lock);
	if (memo || !(memo = base_alloc(run->cairn, sizeof *memo)))
		return memo;
	base_map_init(&memo->ops, run->cairn, DEPS_OP_WORDS);
	base_map_init(&memo->pairs, run->cairn, 1);
	return memo;
}

static void memo_rest(struct deps_run *run, struct deps_memo *memo)
{
	if (!memo)
		return;
	pthread_mutex_lock(&run->lock);
	memo->next = run->rest;
	run->rest = memo;
	pthread_mutex_unlock(&run->lock);
}

static void memos_free(struct deps_run *run)
{
	for (struct deps_memo *memo; (memo = run->rest) != NULL;) {
		run->rest = memo->next;
		base_map_free(&memo->ops);
		base_map_free(&memo->pairs);
		base_free(run->cairn, memo);
	}
}

/* ---- parts ---- */

static void deps_end(void *user, void *part)
{
	struct deps_run *run = user;
	struct deps_part *p = part;
	for (size_t i = 0; i < p->states.n; i++) {
		struct deps_hart *hart = (void *)(uintptr_t)base_map_row(&p->states, i)[2];
		if (hart)
			base_free(run->cairn, hart->below);
		base_free(run->cairn, hart);
	}
	memo_rest(run, p->memo);
}

/* ---- pairs ---- */

static bool deps_reads(const struct deps_op *op, uint8_t reg)
{
	return reg && memchr(op->src, reg, DEPS_SRCS) != NULL;
}

/* The kind of pair that two instructions make, FUSIONS when none. */
static unsigned fusion_of(const struct deps_last *left, const struct deps_last *right)
{
	uint8_t d = left->op.dst[0];
	bool same = d && right->op.dst[0] == d, uses = deps_reads(&right->op, d);
	switch ((enum deps_kind)left->op.kind) {
	case LUI:
		return right->op.kind == ADDI && uses && same ? FUSE_LUI_ADDI : FUSIONS;
	case AUIPC:
		return !uses                                           ? FUSIONS
		       : right->op.kind == JALR                        ? FUSE_AUIPC_JALR
		       : right->op.kind == LOAD && right->op.base == d ? FUSE_AUIPC_LOAD
		       : right->op.kind == ADDI && same                ? FUSE_AUIPC_ADDI
		                                                       : FUSIONS;
	case SLLI:
		return !uses || !same           ? FUSIONS
		       : right->op.kind == SRLI ? FUSE_SHIFT_PAIR
		       : right->op.kind == ADD  ? FUSE_SHIFT_ADD
		                                : FUSIONS;
	case ADD:
		return right->op.kind == LOAD && right->op.base == d && same ? FUSE_INDEXED_LOAD : FUSIONS;
	case COMPARE:
		return right->op.kind == ZERO_BRANCH && uses ? FUSE_COMPARE_BRANCH : FUSIONS;
	case ADRP:
		return right->op.kind == LOAD && right->op.base == d ? FUSE_ADRP_LOAD
		       : right->op.kind == ADD_IMM && uses && same   ? FUSE_ADRP_ADD
		                                                     : FUSIONS;
	case MOVZ:
	case MOVK:
		return right->op.kind == MOVK && same ? FUSE_MOV_MOVK : FUSIONS;
	case SETHI:
		return right->op.kind == LOAD && right->op.base == d ? FUSE_SETHI_LOAD
		       : right->op.kind == OR_IMM && uses && same    ? FUSE_SETHI_OR
		                                                     : FUSIONS;
	case SETS_FLAGS:
		return right->op.kind == FLAG_BRANCH ? FUSE_FLAGS_BRANCH : FUSIONS;
	case LOAD:
	case STORE:
		if (right->op.kind != left->op.kind || !left->size || left->size != right->size ||
		    left->op.base != right->op.base ||
		    (right->addr != left->addr + left->size && right->addr + right->size != left->addr))
			return FUSIONS;
		/* the first load must not change the second one's address */
		return left->op.kind == STORE ? FUSE_STORE_PAIR
		       : d == right->op.base  ? FUSIONS
		                              : FUSE_LOAD_PAIR;
	default:
		return FUSIONS;
	}
}

static int take_pair(struct base_map *pairs, uint64_t *fusions, const struct deps_last *left,
                     const struct deps_last *right)
{
	bool depends = false;
	for (unsigned k = 0; k < DEPS_DSTS && left->op.dst[k]; k++)
		depends = depends || deps_reads(&right->op, left->op.dst[k]);
	uint64_t *n = base_map_at(pairs, left->op.name << 32 | right->op.name, depends);
	unsigned f = fusion_of(left, right);
	if (!n)
		return CAIRN_E_NOMEM;
	++*n;
	if (f < FUSIONS)
		fusions[f]++;
	return 0;
}

/* ---- feeding ---- */

static int feed_one(struct deps_run *run, struct deps_part *part, const struct cairn_batch *batch,
                    uint32_t index)
{
	const struct cairn_insn *in = &batch->insns[index];
	const struct cairn_ctx *ctx = &batch->ctxs[in->ctx];
	uint64_t hart = ctx->known & CAIRN_CTX_HART ? ctx->hart : 0;
	size_t known = part->memo->ops.n;
	bool has = !(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	uint64_t key = (has ? in->enc : in->cls) | (uint64_t)(in->isa | in->variant) << 32 |
	               (uint64_t)in->size << 40;
	struct deps_op *at = (void *)base_map_at(&part->memo->ops, key, !has);
	if (!at || (part->memo->ops.n != known && deps_op_fill(run, in, at) < 0))
		return CAIRN_E_NOMEM;
	struct deps_last now = {.next = in->pc + in->size, .valid = 1, .op = *at};
	if (!at->told && !deps_op_rows(batch, index, &now.op))
		part->unknown++;
	if (in[1].mem0 == in->mem0 + 1) {
		now.addr = batch->mems[in->mem0].addr;
		now.size = batch->mems[in->mem0].size;
	}
	struct deps_step step = {.hart = (uint16_t)hart,
	                         .joined = now.op.joined,
	                         .window = now.op.window};
	memcpy(step.src, now.op.src, sizeof step.src);
	memcpy(step.dst, now.op.dst, sizeof step.dst);
	part->instructions++;
	struct deps_last *before = (void *)base_map_at(&part->harts, hart, 0);
	if (!before || base_buf_put(&part->stream, &step, sizeof step) < 0)
		return CAIRN_E_NOMEM;
	int rc = 0;
	if (!before->valid) {
		now.op.name = at->name;
		struct deps_last *first = (void *)base_map_at(&part->firsts, hart, 0);
		if (!first)
			return CAIRN_E_NOMEM;
		*first = now;
		first->next = in->pc; /* here: its own address */
	} else if (before->next == in->pc) {
		rc = take_pair(&part->memo->pairs, part->fusions, before, &now);
	}
	*before = now;
	return rc;
}

static int deps_feed(void *user, void *part, const struct analysis_rows *rows)
{
	struct deps_run *run = user;
	struct deps_part *p = part;
	if (!p->memo && !(p->memo = memo_take(run)))
		return CAIRN_E_NOMEM;
	for (uint32_t i = rows->from; i < rows->to; i++) {
		if (rows->batch->insns[i].flags & CAIRN_INSN_NOT_EXECUTED || (rows->keep && !rows->keep[i]))
			continue;
		if (feed_one(run, p, rows->batch, i) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

/* ---- joining ---- */

static struct deps_hart *state_of(struct deps_run *run, struct deps_part *sum, uint64_t hart)
{
	uint64_t *at = base_map_at(&sum->states, hart, 0);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(run->cairn, sizeof(struct deps_hart));
	return at ? (struct deps_hart *)(uintptr_t)*at : NULL;
}

static unsigned bucket(uint64_t n)
{
	return n ? 64u - (unsigned)__builtin_clzll(n) : 0;
}

static void take_distances(struct deps_part *sum, const struct deps_hart *hart,
                           const struct deps_step *step)
{
	for (unsigned k = 0; k < DEPS_SRCS && step->src[k]; k++) {
		uint8_t r = step->src[k];
		uint64_t written = hart->written[r];
		while (k + 1 < DEPS_SRCS &&
		       step->joined >> (k + 1) & 1) { /* who wrote one of its halves last */
			uint64_t half = hart->written[step->src[++k]];
			written = half > written ? half : written;
		}
		unsigned cls = r >= DEPS_VECTOR && r < DEPS_OTHER ? 2 : r >= DEPS_FP && r < DEPS_VECTOR;
		if (written)
			sum->distance[cls][bucket(hart->n - written)]++;
		else
			sum->initial++; /* its value is from before */
	}
}

/* The step in which it can begin: when its sources are written, and what a window before it is
 * done. */
static uint64_t begin_of(const struct deps_hart *hart, const struct deps_step *step, unsigned width)
{
	uint64_t begin = 0, size = deps_windows[width];
	for (unsigned k = 0; k < DEPS_SRCS && step->src[k]; k++)
		begin = hart->ready[width][step->src[k]] > begin ? hart->ready[width][step->src[k]] : begin;
	if (size && hart->n > size && hart->done[width][(hart->n - size) % DEPS_LARGEST] > begin)
		begin = hart->done[width][(hart->n - size) % DEPS_LARGEST];
	return begin + 1;
}

/* ---- windows of registers ---- */

/* Of %o, %l, %i, eight each. */
enum { OUTS = DEPS_INT + 8, LOCALS = OUTS + 8, INS = LOCALS + 8, EIGHT = 8 * sizeof(uint64_t) };

static void save_regs(uint64_t *regs, uint64_t *below)
{
	memcpy(below, regs + LOCALS, 2 * EIGHT);
	memcpy(regs + INS, regs + OUTS, EIGHT);
	memset(regs + OUTS, 0, 2 * EIGHT); /* what they hold nobody has written */
}

static void restore_regs(uint64_t *regs, const uint64_t *below)
{
	memcpy(regs + OUTS, regs + INS, EIGHT);
	if (below)
		memcpy(regs + LOCALS, below, 2 * EIGHT);
	else
		memset(regs + LOCALS, 0, 2 * EIGHT);
}

/* Another window comes into force: the outs of the one before are the ins of the next. */
static int deps_turn_window(struct deps_run *run, struct deps_hart *hart, bool next)
{
	if (!hart->below && !(hart->below = base_alloc(run->cairn, DEPS_DEPTH * sizeof *hart->below)))
		return CAIRN_E_NOMEM;
	if (next) {
		struct deps_window *to = &hart->below[hart->top++ % DEPS_DEPTH];
		hart->depth += hart->depth < DEPS_DEPTH;
		save_regs(hart->written, to->written);
		for (unsigned w = 0; w < DEPS_WINDOWS; w++)
			save_regs(hart->ready[w], to->ready[w]);
		return 0;
	}
	struct deps_window *from = hart->depth ? &hart->below[--hart->top % DEPS_DEPTH] : NULL;
	hart->depth -= hart->depth > 0;
	restore_regs(hart->written, from ? from->written : NULL);
	for (unsigned w = 0; w < DEPS_WINDOWS; w++)
		restore_regs(hart->ready[w], from ? from->ready[w] : NULL);
	return 0;
}

static int deps_take_step(struct deps_run *run, struct deps_part *sum, const struct deps_step *step)
{
	struct deps_hart *hart = state_of(run, sum, step->hart);
	uint64_t done[DEPS_WINDOWS];
	if (!hart)
		return CAIRN_E_NOMEM;
	hart->n++;
	take_distances(sum, hart, step);
	for (unsigned w = 0; w < DEPS_WINDOWS; w++)
		done[w] = begin_of(hart, step, w);
	if (step->window && deps_turn_window(run, hart, step->window > 0) < 0)
		return CAIRN_E_NOMEM;
	for (unsigned k = 0; k < DEPS_DSTS && step->dst[k]; k++) {
		hart->written[step->dst[k]] = hart->n;
		for (unsigned w = 0; w < DEPS_WINDOWS; w++)
			hart->ready[w][step->dst[k]] = done[w];
	}
	for (unsigned w = 0; w < DEPS_WINDOWS; w++) {
		hart->end[w] = done[w] > hart->end[w] ? done[w] : hart->end[w];
		hart->done[w][hart->n % DEPS_LARGEST] = hart->end[w];
	}
	return 0;
}

static int deps_join(void *user, void *sum, void *part)
{
	struct deps_run *run = user;
	struct deps_part *a = sum, *p = part;
	const struct deps_step *step = (const void *)p->stream.data;
	int rc = 0;
	for (size_t left = p->stream.len / sizeof *step; left && rc >= 0; left--, step++)
		rc = deps_take_step(run, a, step);
	/* The pair at the border of two parts. */
	for (size_t i = 0; i < p->firsts.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&p->firsts, i);
		const struct deps_last *first = (const void *)(row + 2);
		struct deps_last *before = (void *)base_map_at(&a->seam, row[0], 0);
		if (!before)
			return CAIRN_E_NOMEM;
		if (before->valid && before->next == first->next)
			rc = take_pair(&a->pairs, a->fusions, before, first);
		const uint64_t *end_row = base_map_find(&p->harts, row[0], 0);
		memcpy(before, end_row, sizeof *before);
	}
	if (rc >= 0 && p->memo && run->opts->every) {
		rc = base_map_add(&a->pairs, &p->memo->pairs);
		base_map_clear(&p->memo->pairs);
	}
	for (unsigned k = 0; k < FUSIONS; k++)
		a->fusions[k] += p->fusions[k];
	a->instructions += p->instructions;
	a->unknown += p->unknown;
	return rc;
}

static void deps_done(void *user)
{
	struct deps_run *run = user;
	memos_free(run);
	pthread_mutex_destroy(&run->lock);
	base_map_free(&run->names);
	base_free(run->cairn, run);
}

int cairn_deps(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
               struct cairn_result **out)
{
	static const struct analysis_kind kind = {
		.name = "deps",
		.order = ANALYSIS_SEQUENTIAL,
		.parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_CONTEXT | CAIRN_REGS | CAIRN_MEMS,
		.part = sizeof(struct deps_part),
		.maps = {{offsetof(struct deps_part, harts), DEPS_LAST_WORDS},
	             {offsetof(struct deps_part, firsts), DEPS_LAST_WORDS},
	             {offsetof(struct deps_part, states), 1},
	             {offsetof(struct deps_part, seam), DEPS_LAST_WORDS},
	             {offsetof(struct deps_part, pairs), 1}},
		.n_maps = 5,
		.stream = offsetof(struct deps_part, stream),
		.feed = deps_feed,
		.join = deps_join,
		.report = deps_report,
		.end = deps_end};
	struct analysis_job job;
	int rc = analysis_job(reader, opts, &kind, sizeof(struct deps_run), deps_done, &job);
	struct deps_run *run = rc < 0 ? NULL : job.user;
	if (run) {
		run->cairn = reader->cairn;
		run->opts = &job.opts;
		base_map_init(&run->names, reader->cairn, 0);
		pthread_mutex_init(&run->lock, NULL);
	}
	return analysis_do(reader, &job, rc, out);
}

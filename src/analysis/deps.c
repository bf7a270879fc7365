/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependences between instructions, through registers.
 *
 * Distances: how many instructions ago a source was written. Ideal parallelism: every
 * instruction takes one step and may begin when its sources are there; a window of W
 * lets instruction i begin only when instruction i-W and all before it are done, as a
 * reorder buffer would. Branches are foreseen, memory carries no dependence. So these
 * are limits of the program, not of a machine. Pairs: what stands directly behind what,
 * and which pairs a machine could fuse.
 *
 * Registers come from the encoding where the set's operands are known, else from what
 * the trace recorded. SPARC's windows turn with save and restore; those of traps, which
 * write %cwp, are not followed. Feeding turns each instruction into a few numbers, with what
 * follows from an encoding kept in memos that go from part to part; the order matters
 * only to join. Every interval begins anew.
 */
#include <string.h>

#include "analysis/deps.h"

const uint32_t deps_windows[DEPS_WINDOWS] = {8, 16, 32, 64, 128, 256, 1024, 0};

/* ---- memos ---- */

static struct deps_memo *memo_take(struct deps_run *u)
{
	pthread_mutex_lock(&u->lock);
	struct deps_memo *m = u->rest;
	u->rest = m ? m->next : NULL;
	pthread_mutex_unlock(&u->lock);
	if (m || !(m = base_alloc(u->c, sizeof *m)))
		return m;
	base_map_init(&m->ops, u->c, DEPS_OP_WORDS);
	base_map_init(&m->pairs, u->c, 1);
	return m;
}

static void memo_rest(struct deps_run *u, struct deps_memo *m)
{
	if (!m)
		return;
	pthread_mutex_lock(&u->lock);
	m->next = u->rest;
	u->rest = m;
	pthread_mutex_unlock(&u->lock);
}

static void memos_free(struct deps_run *u)
{
	for (struct deps_memo *m; (m = u->rest) != NULL;) {
		u->rest = m->next;
		base_map_free(&m->ops);
		base_map_free(&m->pairs);
		base_free(u->c, m);
	}
}

/* ---- parts ---- */

static int deps_begin(void *user, void *part)
{
	struct deps_run *u = user;
	struct deps_part *p = part;
	base_buf_init(&p->stream, u->c);
	base_map_init(&p->harts, u->c, DEPS_LAST_WORDS);
	base_map_init(&p->firsts, u->c, DEPS_LAST_WORDS);
	base_map_init(&p->states, u->c, 1);
	base_map_init(&p->seam, u->c, DEPS_LAST_WORDS);
	base_map_init(&p->pairs, u->c, 1);
	return 0;
}

static void deps_end(void *user, void *part)
{
	struct deps_run *u = user;
	struct deps_part *p = part;
	for (size_t i = 0; i < p->states.n; i++) {
		struct deps_hart *h = (void *)(uintptr_t)base_map_row(&p->states, i)[2];
		if (h)
			base_free(u->c, h->below);
		base_free(u->c, h);
	}
	memo_rest(u, p->memo);
	base_buf_free(&p->stream);
	base_map_free(&p->harts);
	base_map_free(&p->firsts);
	base_map_free(&p->states);
	base_map_free(&p->seam);
	base_map_free(&p->pairs);
}

static size_t deps_held(const void *part)
{
	return ((const struct deps_part *)part)->stream.len;
}

/* ---- pairs ---- */

static bool deps_reads(const struct deps_op *op, uint8_t reg)
{
	return reg && memchr(op->src, reg, DEPS_SRCS) != NULL;
}

/* The pair two instructions make, FUSIONS when none. */
static unsigned fusion_of(const struct deps_last *a, const struct deps_last *b)
{
	uint8_t d = a->op.dst[0];
	bool same = d && b->op.dst[0] == d, uses = deps_reads(&b->op, d);
	switch ((enum deps_kind)a->op.kind) {
	case LUI:
		return b->op.kind == ADDI && uses && same ? FUSE_LUI_ADDI : FUSIONS;
	case AUIPC:
		return !uses                                   ? FUSIONS
		       : b->op.kind == JALR                    ? FUSE_AUIPC_JALR
		       : b->op.kind == LOAD && b->op.base == d ? FUSE_AUIPC_LOAD
		       : b->op.kind == ADDI && same            ? FUSE_AUIPC_ADDI
		                                               : FUSIONS;
	case SLLI:
		return !uses || !same       ? FUSIONS
		       : b->op.kind == SRLI ? FUSE_SHIFT_PAIR
		       : b->op.kind == ADD  ? FUSE_SHIFT_ADD
		                            : FUSIONS;
	case ADD:
		return b->op.kind == LOAD && b->op.base == d && same ? FUSE_INDEXED_LOAD : FUSIONS;
	case COMPARE:
		return b->op.kind == ZERO_BRANCH && uses ? FUSE_COMPARE_BRANCH : FUSIONS;
	case ADRP:
		return b->op.kind == LOAD && b->op.base == d   ? FUSE_ADRP_LOAD
		       : b->op.kind == ADD_IMM && uses && same ? FUSE_ADRP_ADD
		                                               : FUSIONS;
	case MOVZ:
	case MOVK:
		return b->op.kind == MOVK && same ? FUSE_MOV_MOVK : FUSIONS;
	case SETHI:
		return b->op.kind == LOAD && b->op.base == d  ? FUSE_SETHI_LOAD
		       : b->op.kind == OR_IMM && uses && same ? FUSE_SETHI_OR
		                                              : FUSIONS;
	case SETS_FLAGS:
		return b->op.kind == FLAG_BRANCH ? FUSE_FLAGS_BRANCH : FUSIONS;
	case LOAD:
	case STORE:
		if (b->op.kind != a->op.kind || !a->size || a->size != b->size ||
		    a->op.base != b->op.base ||
		    (b->addr != a->addr + a->size && b->addr + b->size != a->addr))
			return FUSIONS;
		/* the first load must not change the second one's address */
		return a->op.kind == STORE ? FUSE_STORE_PAIR : d == b->op.base ? FUSIONS : FUSE_LOAD_PAIR;
	default:
		return FUSIONS;
	}
}

static int take_pair(struct base_map *pairs, uint64_t *fusions, const struct deps_last *a,
                     const struct deps_last *b)
{
	bool depends = false;
	for (unsigned k = 0; k < DEPS_DSTS && a->op.dst[k]; k++)
		depends = depends || deps_reads(&b->op, a->op.dst[k]);
	uint64_t *n = base_map_at(pairs, a->op.name << 32 | b->op.name, depends);
	unsigned f = fusion_of(a, b);
	if (!n)
		return CAIRN_E_NOMEM;
	++*n;
	if (f < FUSIONS)
		fusions[f]++;
	return 0;
}

/* ---- feeding ---- */

static int feed_one(struct deps_run *u, struct deps_part *p, const struct cairn_batch *b,
                    uint32_t i)
{
	const struct cairn_insn *in = &b->insns[i];
	const struct cairn_ctx *x = &b->ctxs[in->ctx];
	uint64_t hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
	size_t known = p->memo->ops.n;
	bool has = !(in->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES));
	uint64_t key = (has ? in->enc : in->cls) | (uint64_t)(in->isa | in->variant) << 32 |
	               (uint64_t)in->size << 40;
	struct deps_op *at = (void *)base_map_at(&p->memo->ops, key, !has);
	if (!at || (p->memo->ops.n != known && deps_op_fill(u, in, at) < 0))
		return CAIRN_E_NOMEM;
	struct deps_last now = {.next = in->pc + in->size, .valid = 1, .op = *at};
	if (!at->told && !deps_op_rows(b, i, &now.op))
		p->unknown++;
	if (in[1].mem0 == in->mem0 + 1) {
		now.addr = b->mems[in->mem0].addr;
		now.size = b->mems[in->mem0].size;
	}
	struct deps_step s = {.hart = (uint16_t)hart, .joined = now.op.joined, .window = now.op.window};
	memcpy(s.src, now.op.src, sizeof s.src);
	memcpy(s.dst, now.op.dst, sizeof s.dst);
	p->instructions++;
	struct deps_last *before = (void *)base_map_at(&p->harts, hart, 0);
	if (!before || base_buf_put(&p->stream, &s, sizeof s) < 0)
		return CAIRN_E_NOMEM;
	int rc = 0;
	if (!before->valid) {
		now.op.name = at->name;
		struct deps_last *first = (void *)base_map_at(&p->firsts, hart, 0);
		if (!first)
			return CAIRN_E_NOMEM;
		*first = now;
		first->next = in->pc; /* here: its own address */
	} else if (before->next == in->pc) {
		rc = take_pair(&p->memo->pairs, p->fusions, before, &now);
	}
	*before = now;
	return rc;
}

static int deps_feed(void *user, void *part, const struct analysis_rows *r)
{
	struct deps_run *u = user;
	struct deps_part *p = part;
	if (!p->memo && !(p->memo = memo_take(u)))
		return CAIRN_E_NOMEM;
	for (uint32_t i = r->from; i < r->to; i++) {
		if (r->b->insns[i].flags & CAIRN_INSN_NOT_EXECUTED || (r->keep && !r->keep[i]))
			continue;
		if (feed_one(u, p, r->b, i) < 0)
			return CAIRN_E_NOMEM;
	}
	return 0;
}

/* ---- joining ---- */

static struct deps_hart *state_of(struct deps_run *u, struct deps_part *sum, uint64_t hart)
{
	uint64_t *at = base_map_at(&sum->states, hart, 0);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(u->c, sizeof(struct deps_hart));
	return at ? (struct deps_hart *)(uintptr_t)*at : NULL;
}

static unsigned bucket(uint64_t n)
{
	return n ? 64u - (unsigned)__builtin_clzll(n) : 0;
}

static void take_distances(struct deps_part *sum, const struct deps_hart *h,
                           const struct deps_step *s)
{
	for (unsigned k = 0; k < DEPS_SRCS && s->src[k]; k++) {
		uint8_t r = s->src[k];
		uint64_t written = h->written[r];
		while (k + 1 < DEPS_SRCS && s->joined >> (k + 1) & 1) { /* who wrote a part of it last */
			uint64_t half = h->written[s->src[++k]];
			written = half > written ? half : written;
		}
		unsigned cls = r >= DEPS_VECTOR && r < DEPS_OTHER ? 2 : r >= DEPS_FP && r < DEPS_VECTOR;
		if (written)
			sum->distance[cls][bucket(h->n - written)]++;
		else
			sum->initial++; /* its value is from before */
	}
}

/* When it begins, by its sources, and by what a window before it is done. */
static uint64_t begin_of(const struct deps_hart *h, const struct deps_step *s, unsigned w)
{
	uint64_t begin = 0, size = deps_windows[w];
	for (unsigned k = 0; k < DEPS_SRCS && s->src[k]; k++)
		begin = h->ready[w][s->src[k]] > begin ? h->ready[w][s->src[k]] : begin;
	if (size && h->n > size && h->done[w][(h->n - size) % DEPS_LARGEST] > begin)
		begin = h->done[w][(h->n - size) % DEPS_LARGEST];
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

/* Another window comes in force: the outs of the one before are the ins of the next. */
static int deps_turn_window(struct deps_run *u, struct deps_hart *h, bool next)
{
	if (!h->below && !(h->below = base_alloc(u->c, DEPS_DEPTH * sizeof *h->below)))
		return CAIRN_E_NOMEM;
	if (next) {
		struct deps_window *to = &h->below[h->top++ % DEPS_DEPTH];
		h->depth += h->depth < DEPS_DEPTH;
		save_regs(h->written, to->written);
		for (unsigned w = 0; w < DEPS_WINDOWS; w++)
			save_regs(h->ready[w], to->ready[w]);
		return 0;
	}
	struct deps_window *from = h->depth ? &h->below[--h->top % DEPS_DEPTH] : NULL;
	h->depth -= h->depth > 0;
	restore_regs(h->written, from ? from->written : NULL);
	for (unsigned w = 0; w < DEPS_WINDOWS; w++)
		restore_regs(h->ready[w], from ? from->ready[w] : NULL);
	return 0;
}

static int deps_take_step(struct deps_run *u, struct deps_part *sum, const struct deps_step *s)
{
	struct deps_hart *h = state_of(u, sum, s->hart);
	uint64_t done[DEPS_WINDOWS];
	if (!h)
		return CAIRN_E_NOMEM;
	h->n++;
	take_distances(sum, h, s);
	for (unsigned w = 0; w < DEPS_WINDOWS; w++)
		done[w] = begin_of(h, s, w);
	if (s->window && deps_turn_window(u, h, s->window > 0) < 0)
		return CAIRN_E_NOMEM;
	for (unsigned k = 0; k < DEPS_DSTS && s->dst[k]; k++) {
		h->written[s->dst[k]] = h->n;
		for (unsigned w = 0; w < DEPS_WINDOWS; w++)
			h->ready[w][s->dst[k]] = done[w];
	}
	for (unsigned w = 0; w < DEPS_WINDOWS; w++) {
		h->end[w] = done[w] > h->end[w] ? done[w] : h->end[w];
		h->done[w][h->n % DEPS_LARGEST] = h->end[w];
	}
	return 0;
}

static int deps_join(void *user, void *sum, void *part)
{
	struct deps_run *u = user;
	struct deps_part *a = sum, *p = part;
	const struct deps_step *s = (const void *)p->stream.data;
	int rc = 0;
	for (size_t left = p->stream.len / sizeof *s; left && rc >= 0; left--, s++)
		rc = deps_take_step(u, a, s);
	/* The pair on both sides of the seam. */
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
	if (rc >= 0 && p->memo && u->opts->every) {
		rc = base_map_add(&a->pairs, &p->memo->pairs);
		base_map_clear(&p->memo->pairs);
	}
	memo_rest(u, p->memo);
	p->memo = NULL;
	for (unsigned k = 0; k < FUSIONS; k++)
		a->fusions[k] += p->fusions[k];
	memset(p->fusions, 0, sizeof p->fusions);
	a->instructions += p->instructions;
	a->unknown += p->unknown;
	p->instructions = p->unknown = 0;
	p->stream.len = 0;
	base_map_clear(&p->harts);
	base_map_clear(&p->firsts);
	return rc;
}

static void deps_done(void *user)
{
	struct deps_run *u = user;
	memos_free(u);
	pthread_mutex_destroy(&u->lock);
	base_map_free(&u->names);
	base_free(u->c, u);
}

int cairn_deps(struct cairn_reader *r, const struct cairn_analysis_opts *opts,
               struct cairn_result **out)
{
	static const struct analysis_kind kind = {.name = "deps",
	                                          .order = ANALYSIS_SEQUENTIAL,
	                                          .parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS |
	                                                   CAIRN_CONTEXT | CAIRN_REGS | CAIRN_MEMS,
	                                          .part = sizeof(struct deps_part),
	                                          .begin = deps_begin,
	                                          .feed = deps_feed,
	                                          .join = deps_join,
	                                          .report = deps_report,
	                                          .end = deps_end,
	                                          .held = deps_held};
	struct analysis_job job;
	int rc = analysis_job(r, opts, &kind, sizeof(struct deps_run), deps_done, &job);
	struct deps_run *u = rc < 0 ? NULL : job.user;
	if (u) {
		u->c = r->c;
		u->opts = &job.opts;
		base_map_init(&u->names, r->c, 0);
		pthread_mutex_init(&u->lock, NULL);
	}
	return analysis_do(r, &job, rc, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: who called whom, and how many instructions that took.
 *
 * Feeding looks for the places where the function may change (a call, a return, a trap,
 * a jump out of a symbol, a break in the flow) and writes down how one arrived there
 * and how many instructions followed; join keeps the stacks.
 *
 * A return belongs to the frame whose return address it goes to. If that is not the
 * top one, those above are thrown away (longjmp, exceptions of languages). If no frame
 * of the stack has it but the top of another stack does, that stack goes on
 * (coroutines, threads of a kernel); if none does, the flow is on a stack that was not
 * seen before. A trap puts a frame on the stack, and leaving it goes to where it came
 * from, or to another stack that a trap interrupted. A jump to another function's
 * beginning is a tail call: it takes the place of the frame on top. Each of these is
 * counted.
 *
 * With symbols a function is a symbol; where there are none, the address that was called
 * (or jumped to from a symbol). What a stub calls in a library without symbols has the
 * stub's name.
 */
#include "analysis/calls.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 1024, MOST_NODES = 1 << 22, MOST_STACKS = 256 };

enum arrival { GOES_ON, STARTS, CALLED, RETURNED, JUMPED, TRAPPED, TRAP_RETURNED, BROKE };

struct call_step {
	uint64_t pc, back; /* where the flow arrived; where a call or trap returns to */
	uint64_t n;        /* instructions from there to the next step */
	uint32_t hart;
	uint16_t view; /* of the image: whose symbols are seen */
	uint8_t how;   /* enum arrival */
	uint8_t pad;
};

/* A hart's flow behind an instruction. */
struct flow {
	uint64_t next, back;  /* the address behind; see call_step */
	uint64_t lo, hi;      /* of the symbol it is in; lo > hi: none */
	uint64_t step;        /* its last one in the stream, + 1 */
	uint16_t view;        /* of the image, where it is now */
	uint8_t why, delayed; /* how one arrives at what comes next, or at what comes then */
	uint8_t pad[4];
};
enum { FLOW_WORDS = sizeof(struct flow) / 8 };

struct call_part {
	struct call_sum sum; /* of a sum; a part that is fed has steps only */
	struct base_buf steps;
	struct base_map flows; /* hart → struct flow */
};

struct frame {
	uint64_t back;
	uint32_t node;
	bool trap;
};

struct stack {
	struct frame *frames;
	size_t n, cap;
	uint64_t beyond; /* frames deeper than are kept */
};

struct hart {
	struct stack at;
	struct stack others[MOST_STACKS]; /* suspended, the last one last */
	unsigned n_others;
	uint64_t next, back;
	uint8_t why, delayed;
};

/* ---- parts ---- */

static int calls_begin(void *user, void *part)
{
	struct call_run *u = user;
	struct call_part *p = part;
	base_map_init(&p->sum.nodes, u->c, 2);
	base_buf_init(&p->steps, u->c);
	base_map_init(&p->flows, u->c, FLOW_WORDS);
	return 0;
}

static void calls_end(void *user, void *part)
{
	struct call_part *p = part;
	(void)user;
	base_map_free(&p->sum.nodes);
	base_buf_free(&p->steps);
	base_map_free(&p->flows);
}

static size_t calls_held(const void *part)
{
	return ((const struct call_part *)part)->steps.len;
}

/* ---- feeding ---- */

static int put_step(struct call_part *p, struct flow *f, uint64_t hart, uint64_t pc, uint8_t how)
{
	struct call_step s = {.pc = pc,
	                      .back = f->back,
	                      .hart = (uint32_t)hart,
	                      .view = f->view,
	                      .how = how};
	int rc = base_buf_put(&p->steps, &s, sizeof s);
	f->step = p->steps.len / sizeof s;
	return rc;
}

static void enter_symbol(const struct call_run *u, struct flow *f, uint64_t pc)
{
	const struct cairn_symbol *s = image_symbol_view(u->opts->image, f->view, pc);
	if (!s) {
		image_gap(u->opts->image, f->view, pc, &f->lo, &f->hi);
		return;
	}
	f->lo = s->addr;
	f->hi = s->addr + (s->size ? s->size - 1 : 0);
}

/* How does one arrive at what comes after this instruction? */
static void calls_leave(struct flow *f, const struct cairn_insn *in)
{
	bool conditional = in->traits & CAIRN_TRAIT_CONDITIONAL;
	bool taken = in->flags & CAIRN_INSN_TAKEN || !conditional;
	uint8_t why = f->delayed;
	unsigned slot = in->traits & CAIRN_TRAIT_DELAY_SLOT ? in->size : 0;
	f->delayed = GOES_ON;
	f->next = in->pc + in->size;
	if (in->flags & CAIRN_INSN_ABORTED) {
		why = TRAPPED;
		f->back = in->pc;
	} else if (in->flags & CAIRN_INSN_NOT_EXECUTED) {
		/* an annulled slot */
	} else if (in->traits & CAIRN_TRAIT_XRET) {
		why = TRAP_RETURNED;
	} else if (in->traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT)) {
		why = TRAPPED;
		f->back = in->pc + in->size;
	} else if (in->traits & CAIRN_TRAIT_BRANCH && taken) {
		uint8_t goes = in->traits & CAIRN_TRAIT_CALL     ? CALLED
		               : in->traits & CAIRN_TRAIT_RETURN ? RETURNED
		                                                 : JUMPED;
		f->back = goes == CALLED ? in->pc + in->size + slot : f->back;
		*(slot ? &f->delayed : &why) = goes;
	}
	f->why = why;
}

/* The flow is at an instruction: does a step begin here? */
static int calls_arrive(const struct call_run *u, struct call_part *p, struct flow *f,
                        uint64_t hart, const struct cairn_insn *in)
{
	uint8_t how = f->why;
	bool symbols = u->opts->image, elsewhere = symbols && (in->pc < f->lo || in->pc > f->hi);
	if (how == TRAPPED && in->pc == f->back)
		how = GOES_ON; /* what the trap did is not in the trace */
	else if (how == GOES_ON && (in->pc != f->next || in->flags & CAIRN_INSN_DISCONTINUITY))
		how = BROKE;
	if (!f->step)
		how = STARTS;
	else if (how == GOES_ON || how == JUMPED)
		how = elsewhere ? JUMPED : GOES_ON;
	if (elsewhere)
		enter_symbol(u, f, in->pc);
	return how == GOES_ON ? 0 : put_step(p, f, hart, in->pc, how);
}

static int calls_feed(void *user, void *part, const struct analysis_rows *r)
{
	const struct call_run *u = user;
	struct call_part *p = part;
	const struct cairn_batch *b = r->b;
	struct flow *f = NULL;
	uint64_t hart = 0;
	uint32_t ctx = UINT32_MAX;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct cairn_insn *in = &b->insns[i];
		if (r->keep && !r->keep[i])
			continue;
		if (in->ctx != ctx) {
			const struct cairn_ctx *x = &b->ctxs[ctx = in->ctx];
			size_t known = p->flows.n;
			hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
			f = (void *)base_map_at(&p->flows, hart, 0);
			if (!f)
				return CAIRN_E_NOMEM;
			if (p->flows.n != known) { /* without symbols one is never elsewhere */
				f->lo = u->opts->image ? 1 : 0;
				f->hi = u->opts->image ? 0 : UINT64_MAX;
			}
			uint16_t view = u->opts->image ? (uint16_t)image_view_of_ctx(u->opts->image, x) : 0;
			if (view != f->view) { /* the same addresses are of another program */
				f->view = view;
				f->lo = 1;
				f->hi = 0;
			}
		}
		if (f->why || !f->step || in->pc != f->next || in->pc < f->lo || in->pc > f->hi)
			if (calls_arrive(u, p, f, hart, in) < 0)
				return CAIRN_E_NOMEM;
		((struct call_step *)(void *)p->steps.data)[f->step - 1].n++;
		if (f->delayed || in->flags & CAIRN_INSN_NOT_EXECUTED ||
		    in->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL |
		                  CAIRN_TRAIT_BREAKPOINT)) {
			calls_leave(f, in);
		} else {
			f->why = GOES_ON;
			f->next = in->pc + in->size;
		}
	}
	return 0;
}

/* ---- functions and nodes ---- */

/* What the address space of the step that is being joined has there. */
static const struct cairn_symbol *symbol_now(const struct call_run *run, uint64_t pc)
{
	return run->opts->image ? image_symbol_view(run->opts->image, run->view, pc) : NULL;
}

static int64_t func_of(struct call_run *u, uint64_t pc)
{
	const struct cairn_symbol *s = symbol_now(u, pc);
	struct call_func f = {s, s ? s->addr : pc};
	size_t known = u->func_index.n;
	uint64_t *at = base_map_at(&u->func_index, f.addr, (uintptr_t)s);
	if (!at || (u->func_index.n != known && base_buf_put(&u->funcs, &f, sizeof f) < 0))
		return CAIRN_E_NOMEM;
	return (int64_t)base_map_index(&u->func_index, at);
}

static struct call_node *node_at(const struct call_run *u, uint32_t i)
{
	return (struct call_node *)(void *)u->nodes.data + i;
}

/* The child of a node; the node itself when there are too many. < 0 without memory. */
static int64_t child_of(struct call_run *u, struct call_sum *sum, uint32_t parent, uint32_t func)
{
	uint32_t depth = parent ? node_at(u, parent)->depth + 1 : 1;
	uint64_t *at = base_map_find(&u->index, (uint64_t)parent << 32 | func, 0);
	if (at)
		return (int64_t)*at;
	size_t n = u->nodes.len / sizeof(struct call_node);
	if (depth > MOST_DEPTH || n == MOST_NODES) {
		sum->count.too_deep++;
		return parent;
	}
	struct call_node node = {.parent = parent, .func = func, .depth = depth};
	at = base_map_at(&u->index, (uint64_t)parent << 32 | func, 0);
	if (!at || base_buf_put(&u->nodes, &node, sizeof node) < 0)
		return CAIRN_E_NOMEM;
	*at = n;
	return (int64_t)n;
}

/* ---- stacks ---- */

static int calls_told(struct call_run *u, uint64_t hart, bool begins, uint32_t node)
{
	if (!u->step || !node)
		return 0;
	return u->step(u, hart, begins, node_at(u, node)->func, u->now);
}

static uint32_t top_node(const struct stack *s)
{
	return s->n ? s->frames[s->n - 1].node : 0;
}

static int calls_push(struct call_run *u, struct call_sum *sum, uint64_t id, struct stack *s,
                      uint64_t pc, uint64_t back, bool trap, bool counts)
{
	int64_t func = func_of(u, pc);
	int64_t node = func < 0 ? func : child_of(u, sum, top_node(s), (uint32_t)func);
	if (node < 0)
		return (int)node;
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 64;
		struct frame *more =
			cap > (size_t)1 << 24 ? NULL : base_realloc(u->c, s->frames, cap * sizeof *more);
		if (!more)
			return base_fail(u->c, CAIRN_E_LIMIT, "calls nest deeper than %zu", s->n);
		s->frames = more;
		s->cap = cap;
	}
	s->frames[s->n++] = (struct frame){.back = back, .node = (uint32_t)node, .trap = trap};
	sum->count.deepest = s->n > sum->count.deepest ? s->n : sum->count.deepest;
	uint64_t *at = counts ? base_map_at(&sum->nodes, (uint64_t)node, 0) : NULL;
	if (counts && !at)
		return CAIRN_E_NOMEM;
	if (at)
		at[1]++;
	return calls_told(u, id, true, (uint32_t)node);
}

static int calls_pop(struct call_run *u, uint64_t id, struct stack *s)
{
	uint32_t node = top_node(s);
	s->n--;
	return calls_told(u, id, false, node);
}

/* Frames leave and enter the timeline with their stack. */
static int report_all(struct call_run *u, uint64_t id, const struct stack *s, bool begins)
{
	int rc = 0;
	for (size_t i = 0; i < s->n && rc >= 0 && u->step; i++)
		rc = calls_told(u, id, begins, s->frames[begins ? i : s->n - 1 - i].node);
	return rc;
}

/* Put the stack aside; what is now at h->at is empty. */
static int suspend(struct call_run *u, struct call_sum *sum, uint64_t id, struct hart *h)
{
	sum->count.switches++;
	int rc = report_all(u, id, &h->at, false);
	if (h->n_others == MOST_STACKS) { /* the oldest is forgotten */
		base_free(u->c, h->others[0].frames);
		memmove(h->others, h->others + 1, (MOST_STACKS - 1) * sizeof *h->others);
		h->n_others--;
	}
	h->others[h->n_others++] = h->at;
	h->at = (struct stack){0};
	return rc;
}

/* The youngest suspended stack whose top, a trap's or not, goes back to an address: it
 * becomes the hart's, and what it was is put aside. 1 when there is one. */
static int calls_resume(struct call_run *u, struct call_sum *sum, uint64_t id, struct hart *h,
                        uint64_t pc, bool trap)
{
	for (unsigned i = h->n_others; i-- > 0;) {
		struct stack s = h->others[i];
		if (!s.n || s.frames[s.n - 1].back != pc || s.frames[s.n - 1].trap != trap)
			continue;
		memmove(&h->others[i], &h->others[i + 1], (h->n_others - i - 1) * sizeof s);
		h->n_others--;
		int rc = suspend(u, sum, id, h);
		h->at = s;
		return rc < 0 ? rc : report_all(u, id, &h->at, true) < 0 ? CAIRN_E_NOMEM : 1;
	}
	return 0;
}

/* The flow is somewhere no stack led to. */
static int fresh_stack(struct call_run *u, struct call_sum *sum, uint64_t id, struct hart *h,
                       uint64_t pc)
{
	int rc = h->at.n ? suspend(u, sum, id, h) : 0;
	return rc < 0 ? rc : calls_push(u, sum, id, &h->at, pc, 0, false, false);
}

/* A return, or the end of a trap, that goes to `pc`. */
static int go_back(struct call_run *u, struct call_sum *sum, uint64_t id, struct hart *h,
                   uint64_t pc, bool trap)
{
	struct stack *s = &h->at;
	size_t at = s->n;
	*(trap ? &sum->count.trap_returns : &sum->count.returns) += 1;
	/* A return does not leave a trap. */
	while (at > 0 && !(s->frames[at - 1].back == pc && s->frames[at - 1].trap == trap))
		at = !trap && s->frames[at - 1].trap ? 0 : at - 1;
	int rc = 0;
	if (at > 0) {
		if (!trap)
			sum->count.unwound += s->n - at;
		while (s->n >= at && rc >= 0)
			rc = calls_pop(u, id, s);
		if (rc >= 0 && s->n == 0) /* back in what called before the trace began */
			rc = calls_push(u, sum, id, s, pc, 0, false, false);
		return rc;
	}
	rc = calls_resume(u, sum, id, h, pc, trap);
	if (rc > 0)
		return calls_pop(u, id, &h->at) < 0 ? CAIRN_E_NOMEM
		       : h->at.n                    ? 0
		                                    : calls_push(u, sum, id, &h->at, pc, 0, false, false);
	if (rc < 0)
		return rc;
	sum->count.unmatched++;
	/* The bottom frame was there before the trace: it returns to its caller. */
	if (s->n == 1) {
		rc = calls_pop(u, id, s);
		return rc < 0 ? rc : calls_push(u, sum, id, s, pc, 0, false, false);
	}
	return fresh_stack(u, sum, id, h, pc);
}

static const struct call_func *func_at(const struct call_run *u, uint32_t i)
{
	return (const struct call_func *)(const void *)u->funcs.data + i;
}

/* A stub of the linkage table goes on to the library's function, at first by way of the
 * loader: all of it is the function that the stub is named for. */
static bool is_stub(const struct cairn_symbol *s)
{
	size_t n = strlen(s->name);
	return n > 4 && !memcmp(s->name + n - 4, "@plt", 4);
}

/* A jump into another function takes the place of the frame on top. */
static int calls_jump(struct call_run *u, struct call_sum *sum, uint64_t id, struct hart *h,
                      uint64_t pc)
{
	struct stack *s = &h->at;
	const struct cairn_symbol *sym = symbol_now(u, pc);
	const struct call_func *top = s->n ? func_at(u, node_at(u, top_node(s))->func) : NULL;
	bool enters = sym ? sym->addr == pc : top && top->symbol;
	if (!sym && top && (!top->symbol || is_stub(top->symbol)))
		return 0; /* which function that is cannot be known, or the stub's name is the best one */
	int64_t func = func_of(u, pc);
	if (func < 0)
		return (int)func;
	if (!s->n || (uint32_t)func == node_at(u, top_node(s))->func)
		return s->n ? 0 : calls_push(u, sum, id, s, pc, 0, false, false);
	struct frame old = s->frames[s->n - 1];
	sum->count.tail_calls += enters;
	int rc = calls_pop(u, id, s);
	return rc < 0 ? rc : calls_push(u, sum, id, s, pc, old.back, old.trap, enters);
}

static int arrived(struct call_run *u, struct call_sum *sum, uint64_t id, struct hart *h,
                   const struct call_step *s, uint8_t how, uint64_t back)
{
	switch ((enum arrival)how) {
	case CALLED:
		sum->count.calls++;
		return calls_push(u, sum, id, &h->at, s->pc, back, false, true);
	case RETURNED:
		return go_back(u, sum, id, h, s->pc, false);
	case TRAPPED:
		sum->count.traps++;
		return calls_push(u, sum, id, &h->at, s->pc, back, true, true);
	case TRAP_RETURNED:
		return go_back(u, sum, id, h, s->pc, true);
	case BROKE:
		sum->count.breaks++;
		return calls_jump(u, sum, id, h, s->pc);
	default:
		return calls_jump(u, sum, id, h, s->pc);
	}
}

/* ---- joining ---- */

static struct hart *calls_hart_of(struct call_run *u, uint64_t id)
{
	uint64_t *at = base_map_at(&u->harts, id, 0);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(u->c, sizeof(struct hart));
	return at ? (struct hart *)(uintptr_t)*at : NULL;
}

static void harts_free(struct call_run *u)
{
	for (size_t i = 0; i < u->harts.n; i++) {
		struct hart *h = (struct hart *)(uintptr_t)base_map_row(&u->harts, i)[2];
		for (unsigned k = 0; h && k < h->n_others; k++)
			base_free(u->c, h->others[k].frames);
		if (h)
			base_free(u->c, h->at.frames);
		base_free(u->c, h);
	}
	base_map_free(&u->harts);
}

/* A part begins here: how did one arrive, seen from the part before? */
static uint8_t how_started(const struct hart *h, const struct call_step *s)
{
	uint8_t why = h->why;
	if (!h->at.n)
		return JUMPED; /* the hart's first instruction */
	if (why == TRAPPED && s->pc == h->back)
		why = GOES_ON;
	else if (why == GOES_ON && s->pc != h->next)
		why = BROKE;
	return why == GOES_ON ? JUMPED : why;
}

static int join_steps(struct call_run *u, struct call_sum *sum, const struct call_part *p)
{
	const struct call_step *s = (const void *)p->steps.data;
	int rc = 0;
	for (size_t left = p->steps.len / sizeof *s; left && rc >= 0; left--, s++) {
		struct hart *h = calls_hart_of(u, s->hart);
		if (!h)
			return CAIRN_E_NOMEM;
		uint8_t how = s->how;
		uint64_t back = s->back;
		if (how == STARTS) {
			how = how_started(h, s);
			back = h->back;
		} else if (how == BROKE && h->delayed) { /* the slot was a part's first instruction */
			how = h->delayed;
			back = h->back;
		}
		h->delayed = s->how == STARTS && s->n == 1 ? h->delayed : GOES_ON;
		u->view = s->view;
		rc = arrived(u, sum, s->hart, h, s, how, back);
		uint64_t *self = rc < 0 ? NULL : base_map_at(&sum->nodes, top_node(&h->at), 0);
		if (!self)
			return rc < 0 ? rc : CAIRN_E_NOMEM;
		self[0] += s->n;
		sum->count.instructions += s->n;
		u->now += s->n;
	}
	return rc;
}

static int calls_join(void *user, void *sum, void *part)
{
	struct call_run *u = user;
	struct call_part *p = part;
	int rc = join_steps(u, &((struct call_part *)sum)->sum, p);
	for (size_t i = 0; i < p->flows.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&p->flows, i);
		const struct flow *f = (const void *)(row + 2);
		struct hart *h = calls_hart_of(u, row[0]);
		if (!h)
			return CAIRN_E_NOMEM;
		h->next = f->next;
		h->back = f->back;
		h->why = f->why;
		h->delayed = f->delayed;
	}
	p->steps.len = 0;
	base_map_clear(&p->flows);
	return rc;
}

static int calls_report(void *user, void *sum, struct cairn_result *res)
{
	struct call_run *u = user;
	return u->report(u, &((struct call_part *)sum)->sum, res);
}

static void calls_done(void *user)
{
	struct call_run *u = user;
	base_buf_free(&u->nodes);
	base_buf_free(&u->funcs);
	base_map_free(&u->index);
	base_map_free(&u->func_index);
	harts_free(u);
}

int calls_job(struct cairn_reader *r, const struct cairn_analysis_opts *opts, struct call_run *u,
              struct analysis_job *job)
{
	static const struct analysis_kind kind = {.name = "calls",
	                                          .order = ANALYSIS_SEQUENTIAL,
	                                          .parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS |
	                                                   CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS,
	                                          .part = sizeof(struct call_part),
	                                          .begin = calls_begin,
	                                          .feed = calls_feed,
	                                          .join = calls_join,
	                                          .report = calls_report,
	                                          .end = calls_end,
	                                          .held = calls_held};
	const struct call_node root = {0};
	*job = (struct analysis_job){.kind = kind, .user = u, .done = calls_done};
	u->c = r->c;
	u->opts = &job->opts;
	base_buf_init(&u->nodes, r->c);
	base_buf_init(&u->funcs, r->c);
	base_map_init(&u->index, r->c, 1);
	base_map_init(&u->func_index, r->c, 0);
	base_map_init(&u->harts, r->c, 1);
	int rc = analysis_opts(r, opts, &job->opts);
	return rc < 0 ? rc : base_buf_put(&u->nodes, &root, sizeof root);
}

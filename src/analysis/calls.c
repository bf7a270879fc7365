/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: who called whom, and how many instructions that took.
 *
 * A part looks for the places where the function may change (a call, a return, a trap, a jump
 * out of a symbol, a break in the flow), and records how each was reached and how many
 * instructions followed. Join keeps the stacks.
 *
 * A return belongs to the frame whose return address it goes to. Frames above that one are
 * dropped (longjmp, exceptions of a language). If no frame of the stack has the address but the
 * top of another stack has it, the flow continues on that stack (coroutines, threads of a
 * kernel); otherwise it is on a new stack. A trap pushes a frame; leaving it returns to the
 * interrupted place, or to another stack that a trap has interrupted. A jump to the beginning of
 * another function is a tail call and replaces the top frame. Each of these is counted.
 *
 * A function is a symbol. Without symbols it is the address that was called (or jumped to from a
 * symbol). A function that a stub calls in a library without symbols gets the stub's name.
 */
#include "analysis/calls.h"
#include "image/image.h"

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
	uint8_t why, delayed; /* how the flow gets to the next instruction, or to the one behind that */
	uint8_t pad[4];
};
enum { FLOW_WORDS = sizeof(struct flow) / 8 };

struct call_part {
	struct call_sum sum; /* of a sum; a part that is fed has steps only */
	struct base_buf steps;
	struct base_map flows; /* hart → struct flow */
	uint32_t unplaced;     /* CAIRN_INSN_PC_UNKNOWN: the address of some instruction is not known */
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

/* ---- feeding ---- */

static int put_step(struct call_part *part, struct flow *flow, uint64_t hart, uint64_t pc,
                    uint8_t how)
{
	struct call_step step = {.pc = pc,
	                         .back = flow->back,
	                         .hart = (uint32_t)hart,
	                         .view = flow->view,
	                         .how = how};
	int rc = base_buf_put(&part->steps, &step, sizeof step);
	flow->step = part->steps.len / sizeof step;
	return rc;
}

static void enter_symbol(const struct call_run *run, struct flow *flow, uint64_t pc)
{
	if (pc == CALLS_NOWHERE) {
		flow->lo = flow->hi = pc;
		return;
	}
	const struct cairn_symbol *symbol = image_symbol_view(run->opts->image, flow->view, pc);
	if (!symbol) {
		image_gap(run->opts->image, flow->view, pc, &flow->lo, &flow->hi);
		return;
	}
	flow->lo = symbol->addr;
	flow->hi = symbol->addr + (symbol->size ? symbol->size - 1 : 0);
}

static uint64_t calls_pc(const struct cairn_insn *in)
{
	return in->flags & CAIRN_INSN_PC_UNKNOWN ? CALLS_NOWHERE : in->pc;
}

static uint64_t calls_behind(const struct cairn_insn *in)
{
	return in->flags & CAIRN_INSN_PC_UNKNOWN ? CALLS_NOWHERE : in->pc + in->size;
}

/* How does the flow get to what follows this instruction? */
static void calls_leave(struct flow *flow, const struct cairn_insn *in)
{
	bool conditional = in->traits & CAIRN_TRAIT_CONDITIONAL;
	bool taken = in->flags & CAIRN_INSN_TAKEN || !conditional;
	uint8_t why = flow->delayed;
	unsigned slot = in->traits & CAIRN_TRAIT_DELAY_SLOT ? in->size : 0;
	flow->delayed = GOES_ON;
	flow->next = calls_behind(in);
	if (in->flags & CAIRN_INSN_ABORTED) {
		why = TRAPPED;
		flow->back = calls_pc(in);
	} else if (in->flags & CAIRN_INSN_NOT_EXECUTED) {
		/* an annulled slot */
	} else if (in->traits & CAIRN_TRAIT_XRET) {
		why = TRAP_RETURNED;
	} else if (in->traits & (CAIRN_TRAIT_SYSCALL | CAIRN_TRAIT_BREAKPOINT)) {
		why = TRAPPED;
		flow->back = flow->next;
	} else if (in->traits & CAIRN_TRAIT_BRANCH && taken) {
		uint8_t goes = in->traits & CAIRN_TRAIT_CALL     ? CALLED
		               : in->traits & CAIRN_TRAIT_RETURN ? RETURNED
		                                                 : JUMPED;
		if (goes == CALLED)
			flow->back = flow->next == CALLS_NOWHERE ? CALLS_NOWHERE : flow->next + slot;
		*(slot ? &flow->delayed : &why) = goes;
	}
	flow->why = why;
}

/* The flow is at an instruction: does a step begin here? */
static int calls_arrive(const struct call_run *run, struct call_part *part, struct flow *flow,
                        uint64_t hart, const struct cairn_insn *in)
{
	uint64_t pc = calls_pc(in);
	uint8_t how = flow->why;
	bool symbols = run->opts->image, elsewhere = symbols && (pc < flow->lo || pc > flow->hi);
	if (how == TRAPPED && pc == flow->back)
		how = GOES_ON; /* what the trap did is not in the trace */
	else if (how == GOES_ON && (pc != flow->next || in->flags & CAIRN_INSN_DISCONTINUITY))
		how = BROKE;
	if (!flow->step)
		how = STARTS;
	else if (how == GOES_ON || how == JUMPED)
		how = elsewhere ? JUMPED : GOES_ON;
	if (elsewhere)
		enter_symbol(run, flow, pc);
	return how == GOES_ON ? 0 : put_step(part, flow, hart, pc, how);
}

static int calls_feed(void *user, void *part, const struct analysis_rows *rows)
{
	const struct call_run *run = user;
	struct call_part *p = part;
	const struct cairn_batch *batch = rows->batch;
	struct flow *flow = NULL;
	uint64_t hart = 0;
	uint32_t ctx = UINT32_MAX;
	for (uint32_t i = rows->from; i < rows->to; i++) {
		const struct cairn_insn *in = &batch->insns[i];
		if (rows->keep && !rows->keep[i])
			continue;
		p->unplaced |= in->flags & CAIRN_INSN_PC_UNKNOWN;
		if (in->ctx != ctx) {
			const struct cairn_ctx *x = &batch->ctxs[ctx = in->ctx];
			size_t known = p->flows.n;
			hart = x->known & CAIRN_CTX_HART ? x->hart : 0;
			flow = (void *)base_map_at(&p->flows, hart, 0);
			if (!flow)
				return CAIRN_E_NOMEM;
			if (p->flows.n != known) { /* without symbols one is never elsewhere */
				flow->lo = run->opts->image ? 1 : 0;
				flow->hi = run->opts->image ? 0 : UINT64_MAX;
			}
			uint16_t view = run->opts->image ? (uint16_t)image_view_of_ctx(run->opts->image, x) : 0;
			if (view != flow->view) { /* the same addresses belong to another program */
				flow->view = view;
				flow->lo = 1;
				flow->hi = 0;
			}
		}
		if (flow->why || !flow->step || in->pc != flow->next || in->pc < flow->lo ||
		    in->pc > flow->hi)
			if (calls_arrive(run, p, flow, hart, in) < 0)
				return CAIRN_E_NOMEM;
		((struct call_step *)(void *)p->steps.data)[flow->step - 1].n++;
		if (flow->delayed || in->flags & CAIRN_INSN_NOT_EXECUTED ||
		    in->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET | CAIRN_TRAIT_SYSCALL |
		                  CAIRN_TRAIT_BREAKPOINT)) {
			calls_leave(flow, in);
		} else {
			flow->why = GOES_ON;
			flow->next = calls_behind(in);
		}
	}
	return 0;
}

/* ---- functions and nodes ---- */

/* The symbol at an address, in the address space of the step that is being joined. */
static const struct cairn_symbol *symbol_now(const struct call_run *run, uint64_t pc)
{
	return run->opts->image && pc != CALLS_NOWHERE
	           ? image_symbol_view(run->opts->image, run->view, pc)
	           : NULL;
}

static int64_t func_of(struct call_run *run, uint64_t pc)
{
	const struct cairn_symbol *symbol = symbol_now(run, pc);
	struct call_func func = {symbol, symbol ? symbol->addr : pc};
	size_t known = run->func_index.n;
	uint64_t *at = base_map_at(&run->func_index, func.addr, (uintptr_t)symbol);
	if (!at || (run->func_index.n != known && base_buf_put(&run->funcs, &func, sizeof func) < 0))
		return CAIRN_E_NOMEM;
	return (int64_t)base_map_index(&run->func_index, at);
}

static struct call_node *node_at(const struct call_run *run, uint32_t index)
{
	return (struct call_node *)(void *)run->nodes.data + index;
}

/* The child of a node; the node itself when there are too many. < 0 without memory. */
static int64_t child_of(struct call_run *run, struct call_sum *sum, uint32_t parent, uint32_t func)
{
	uint32_t depth = parent ? node_at(run, parent)->depth + 1 : 1;
	uint64_t *at = base_map_find(&run->index, (uint64_t)parent << 32 | func, 0);
	if (at)
		return (int64_t)*at;
	size_t n = run->nodes.len / sizeof(struct call_node);
	if (depth > MOST_DEPTH || n == MOST_NODES) {
		sum->count.too_deep++;
		return parent;
	}
	struct call_node node = {.parent = parent, .func = func, .depth = depth};
	at = base_map_at(&run->index, (uint64_t)parent << 32 | func, 0);
	if (!at || base_buf_put(&run->nodes, &node, sizeof node) < 0)
		return CAIRN_E_NOMEM;
	*at = n;
	return (int64_t)n;
}

/* ---- stacks ---- */

static int calls_told(struct call_run *run, uint64_t hart, bool begins, uint32_t node)
{
	if (!run->step || !node)
		return 0;
	return run->step(run, hart, begins, node_at(run, node)->func, run->now);
}

static uint32_t top_node(const struct stack *stack)
{
	return stack->n ? stack->frames[stack->n - 1].node : 0;
}

static int calls_push(struct call_run *run, struct call_sum *sum, uint64_t id, struct stack *stack,
                      uint64_t pc, uint64_t back, bool trap, bool counts)
{
	int64_t func = func_of(run, pc);
	int64_t node = func < 0 ? func : child_of(run, sum, top_node(stack), (uint32_t)func);
	if (node < 0)
		return (int)node;
	if (stack->n == stack->cap) {
		size_t cap = stack->cap ? 2 * stack->cap : 64;
		if (cap > (size_t)1 << 24)
			return base_fail(run->cairn, CAIRN_E_LIMIT, "calls nest deeper than %zu", stack->n);
		struct frame *more = base_realloc(run->cairn, stack->frames, cap * sizeof *more);
		if (!more)
			return CAIRN_E_NOMEM;
		stack->frames = more;
		stack->cap = cap;
	}
	stack->frames[stack->n++] = (struct frame){.back = back, .node = (uint32_t)node, .trap = trap};
	sum->count.deepest = stack->n > sum->count.deepest ? stack->n : sum->count.deepest;
	uint64_t *at = counts ? base_map_at(&sum->nodes, (uint64_t)node, 0) : NULL;
	if (counts && !at)
		return CAIRN_E_NOMEM;
	if (at)
		at[1]++;
	return calls_told(run, id, true, (uint32_t)node);
}

static int calls_pop(struct call_run *run, uint64_t id, struct stack *stack)
{
	uint32_t node = top_node(stack);
	stack->n--;
	return calls_told(run, id, false, node);
}

/* Frames leave and enter the timeline with their stack. */
static int report_all(struct call_run *run, uint64_t id, const struct stack *stack, bool begins)
{
	int rc = 0;
	for (size_t i = 0; i < stack->n && rc >= 0 && run->step; i++)
		rc = calls_told(run, id, begins, stack->frames[begins ? i : stack->n - 1 - i].node);
	return rc;
}

/* Put the stack aside; the one at h->at is empty then. */
static int suspend(struct call_run *run, struct call_sum *sum, uint64_t id, struct hart *hart)
{
	sum->count.switches++;
	int rc = report_all(run, id, &hart->at, false);
	if (hart->n_others == MOST_STACKS) { /* the oldest is forgotten */
		base_free(run->cairn, hart->others[0].frames);
		memmove(hart->others, hart->others + 1, (MOST_STACKS - 1) * sizeof *hart->others);
		hart->n_others--;
	}
	hart->others[hart->n_others++] = hart->at;
	hart->at = (struct stack){0};
	return rc;
}

/* Find the youngest suspended stack whose top (a trap's or not) returns to an address, make it the
 * hart's, and put the present one aside. 1 when there is one. */
static int calls_resume(struct call_run *run, struct call_sum *sum, uint64_t id, struct hart *hart,
                        uint64_t pc, bool trap)
{
	for (unsigned i = hart->n_others; i-- > 0;) {
		struct stack stack = hart->others[i];
		if (!stack.n || stack.frames[stack.n - 1].back != pc ||
		    stack.frames[stack.n - 1].trap != trap)
			continue;
		memmove(&hart->others[i], &hart->others[i + 1], (hart->n_others - i - 1) * sizeof stack);
		hart->n_others--;
		int rc = suspend(run, sum, id, hart);
		hart->at = stack;
		return rc < 0 ? rc : report_all(run, id, &hart->at, true) < 0 ? CAIRN_E_NOMEM : 1;
	}
	return 0;
}

/* The flow is at a place to which no stack led. */
static int fresh_stack(struct call_run *run, struct call_sum *sum, uint64_t id, struct hart *hart,
                       uint64_t pc)
{
	int rc = hart->at.n ? suspend(run, sum, id, hart) : 0;
	return rc < 0 ? rc : calls_push(run, sum, id, &hart->at, pc, 0, false, false);
}

/* A return, or the end of a trap, that goes to `pc`. */
static int go_back(struct call_run *run, struct call_sum *sum, uint64_t id, struct hart *hart,
                   uint64_t pc, bool trap)
{
	struct stack *stack = &hart->at;
	size_t at = stack->n;
	*(trap ? &sum->count.trap_returns : &sum->count.returns) += 1;
	/* A return does not leave a trap. */
	while (at > 0 && !(stack->frames[at - 1].back == pc && stack->frames[at - 1].trap == trap))
		at = !trap && stack->frames[at - 1].trap ? 0 : at - 1;
	int rc = 0;
	if (at > 0) {
		if (!trap)
			sum->count.unwound += stack->n - at;
		while (stack->n >= at && rc >= 0)
			rc = calls_pop(run, id, stack);
		if (rc >= 0 && stack->n == 0) /* back in the caller of where the trace began */
			rc = calls_push(run, sum, id, stack, pc, 0, false, false);
		return rc;
	}
	rc = calls_resume(run, sum, id, hart, pc, trap);
	if (rc > 0)
		return calls_pop(run, id, &hart->at) < 0 ? CAIRN_E_NOMEM
		       : hart->at.n                      ? 0
		                    : calls_push(run, sum, id, &hart->at, pc, 0, false, false);
	if (rc < 0)
		return rc;
	sum->count.unmatched++;
	/* The bottom frame was there before the trace: it returns to its caller. */
	if (stack->n == 1) {
		rc = calls_pop(run, id, stack);
		return rc < 0 ? rc : calls_push(run, sum, id, stack, pc, 0, false, false);
	}
	return fresh_stack(run, sum, id, hart, pc);
}

static const struct call_func *func_at(const struct call_run *run, uint32_t index)
{
	return (const struct call_func *)(const void *)run->funcs.data + index;
}

/* A stub of the linkage table goes on to the library's function, at first through the loader. All
 * of that counts as the function that the stub is named for. */
static bool is_stub(const struct cairn_symbol *symbol)
{
	size_t n = strlen(symbol->name);
	return n > 4 && !memcmp(symbol->name + n - 4, "@plt", 4);
}

/* A jump into another function replaces the frame on top. */
static int calls_jump(struct call_run *run, struct call_sum *sum, uint64_t id, struct hart *hart,
                      uint64_t pc)
{
	struct stack *stack = &hart->at;
	const struct cairn_symbol *sym = symbol_now(run, pc);
	const struct call_func *top =
		stack->n ? func_at(run, node_at(run, top_node(stack))->func) : NULL;
	bool enters = sym ? sym->addr == pc : top && top->symbol && pc != CALLS_NOWHERE;
	bool found = top && top->addr == CALLS_NOWHERE && pc != CALLS_NOWHERE;
	if (!sym && top && !found && (!top->symbol || is_stub(top->symbol)))
		return 0; /* the function cannot be known, or the stub's name is the best there is */
	int64_t func = func_of(run, pc);
	if (func < 0)
		return (int)func;
	if (!stack->n || (uint32_t)func == node_at(run, top_node(stack))->func)
		return stack->n ? 0 : calls_push(run, sum, id, stack, pc, 0, false, false);
	struct frame old = stack->frames[stack->n - 1];
	sum->count.tail_calls += enters;
	int rc = calls_pop(run, id, stack);
	return rc < 0 ? rc : calls_push(run, sum, id, stack, pc, old.back, old.trap, enters);
}

static int arrived(struct call_run *run, struct call_sum *sum, uint64_t id, struct hart *hart,
                   const struct call_step *step, uint8_t how, uint64_t back)
{
	switch ((enum arrival)how) {
	case CALLED:
		sum->count.calls++;
		return calls_push(run, sum, id, &hart->at, step->pc, back, false, true);
	case RETURNED:
		return go_back(run, sum, id, hart, step->pc, false);
	case TRAPPED:
		sum->count.traps++;
		return calls_push(run, sum, id, &hart->at, step->pc, back, true, true);
	case TRAP_RETURNED:
		return go_back(run, sum, id, hart, step->pc, true);
	case BROKE:
		sum->count.breaks++;
		return calls_jump(run, sum, id, hart, step->pc);
	default:
		return calls_jump(run, sum, id, hart, step->pc);
	}
}

/* ---- joining ---- */

static struct hart *calls_hart_of(struct call_run *run, uint64_t id)
{
	uint64_t *at = base_map_at(&run->harts, id, 0);
	if (at && !*at)
		*at = (uintptr_t)base_alloc(run->cairn, sizeof(struct hart));
	return at ? (struct hart *)(uintptr_t)*at : NULL;
}

static void harts_free(struct call_run *run)
{
	for (size_t i = 0; i < run->harts.n; i++) {
		struct hart *hart = (struct hart *)(uintptr_t)base_map_row(&run->harts, i)[2];
		for (unsigned k = 0; hart && k < hart->n_others; k++)
			base_free(run->cairn, hart->others[k].frames);
		if (hart)
			base_free(run->cairn, hart->at.frames);
		base_free(run->cairn, hart);
	}
	base_map_free(&run->harts);
}

/* A part begins here: how did the flow get here, seen from the part before? */
static uint8_t how_started(const struct hart *hart, const struct call_step *step)
{
	uint8_t why = hart->why;
	if (!hart->at.n)
		return JUMPED; /* the hart's first instruction */
	if (why == TRAPPED && step->pc == hart->back)
		why = GOES_ON;
	else if (why == GOES_ON && step->pc != hart->next)
		why = BROKE;
	return why == GOES_ON ? JUMPED : why;
}

static int join_steps(struct call_run *run, struct call_sum *sum, const struct call_part *part)
{
	const struct call_step *step = (const void *)part->steps.data;
	int rc = 0;
	for (size_t left = part->steps.len / sizeof *step; left && rc >= 0; left--, step++) {
		struct hart *hart = calls_hart_of(run, step->hart);
		if (!hart)
			return CAIRN_E_NOMEM;
		uint8_t how = step->how;
		uint64_t back = step->back;
		if (how == STARTS) {
			how = how_started(hart, step);
			back = hart->back;
		} else if (how == BROKE &&
		           hart->delayed) { /* the delay slot was the first instruction of a part */
			how = hart->delayed;
			back = hart->back;
		}
		hart->delayed = step->how == STARTS && step->n == 1 ? hart->delayed : GOES_ON;
		run->view = step->view;
		rc = arrived(run, sum, step->hart, hart, step, how, back);
		uint64_t *self = rc < 0 ? NULL : base_map_at(&sum->nodes, top_node(&hart->at), 0);
		if (!self)
			return rc < 0 ? rc : CAIRN_E_NOMEM;
		self[0] += step->n;
		sum->count.instructions += step->n;
		run->now += step->n;
	}
	return rc;
}

static int calls_join(void *user, void *sum, void *part)
{
	struct call_run *run = user;
	struct call_part *p = part;
	int rc = join_steps(run, &((struct call_part *)sum)->sum, p);
	for (size_t i = 0; i < p->flows.n && rc >= 0; i++) {
		const uint64_t *row = base_map_row(&p->flows, i);
		const struct flow *flow = (const void *)(row + 2);
		struct hart *hart = calls_hart_of(run, row[0]);
		if (!hart)
			return CAIRN_E_NOMEM;
		hart->next = flow->next;
		hart->back = flow->back;
		hart->why = flow->why;
		hart->delayed = flow->delayed;
	}
	((struct call_part *)sum)->unplaced |= p->unplaced;
	return rc;
}

static int calls_report(void *user, void *sum, struct cairn_result *res)
{
	struct call_run *run = user;
	const struct call_part *part = sum;
	if (part->unplaced)
		result_note(res,
		            "of some instructions the address is not known: a function of which no address "
		            "is known is \"?\"");
	return run->report(run, &part->sum, res);
}

static void calls_done(void *user)
{
	struct call_run *run = user;
	base_buf_free(&run->nodes);
	base_buf_free(&run->funcs);
	base_map_free(&run->index);
	base_map_free(&run->func_index);
	harts_free(run);
}

int calls_job(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
              struct call_run *run, struct analysis_job *job)
{
	static const struct analysis_kind kind = {
		.name = "calls",
		.order = ANALYSIS_SEQUENTIAL,
		.parts = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS,
		.part = sizeof(struct call_part),
		.maps = {{offsetof(struct call_part, sum.nodes), 2},
	             {offsetof(struct call_part, flows), FLOW_WORDS}},
		.n_maps = 2,
		.stream = offsetof(struct call_part, steps),
		.feed = calls_feed,
		.join = calls_join,
		.report = calls_report};
	const struct call_node root = {0};
	*job = (struct analysis_job){.kind = kind, .user = run, .done = calls_done};
	run->cairn = reader->cairn;
	run->opts = &job->opts;
	base_buf_init(&run->nodes, reader->cairn);
	base_buf_init(&run->funcs, reader->cairn);
	base_map_init(&run->index, reader->cairn, 1);
	base_map_init(&run->func_index, reader->cairn, 0);
	base_map_init(&run->harts, reader->cairn, 1);
	int rc = analysis_opts(reader, opts, &job->opts);
	return rc < 0 ? rc : base_buf_put(&run->nodes, &root, sizeof root);
}

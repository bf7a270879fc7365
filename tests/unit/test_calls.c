/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, against a stack walked instruction by instruction, and hand-made flows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/rows.h"
#include "analysis/watch.h"

enum { INSNS = 230000 };

static int calls(struct cairn_reader *reader, const struct cairn_analysis_opts *opts,
                 const void *arg, struct cairn_result **res)
{
	struct cairn_analysis_opts own = *opts;
	own.image = arg;
	return cairn_calls(reader, &own, res);
}

static void functions_are_those_of_a_stack(void **state)
{
	(void)state;
	struct watched_function *list = calloc(WATCH_FUNCTIONS, sizeof *list);
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, INSNS);
	size_t n = watch_calls(&trace, list);
	struct cairn_result *res = analyse(&trace, calls, NULL, 3, 0, NULL);
	const struct cairn_table *table = table_of(res, "functions"), *tree = table_of(res, "tree");
	uint64_t self = 0;
	assert_int_equal(table->n_rows, n);
	for (size_t i = 0; i < n; i++) {
		struct watched_function *function = watched_at(list, &n, number_of(table, i, "address"));
		assert_int_equal(number_of(table, i, "self"), function->self);
		assert_int_equal(number_of(table, i, "total"), function->total);
		assert_int_equal(number_of(table, i, "calls"), function->calls);
	}
	for (size_t i = 0; i < tree->n_rows; i++)
		self += number_of(tree, i, "self");
	assert_int_equal(self, INSNS);
	assert_int_equal(number_of(tree, 0, "total"), INSNS);
	assert_int_equal(number_of(table_of(res, "summary"), 0, "returns_unmatched"), 0);
	cairn_result_free(res);
	free(list);
	trace_free(&trace);
}

static void threads_and_intervals_change_nothing(void **state)
{
	(void)state;
	analyse_all_ways(calls, NULL, INSNS);
}

/* ---- hand-made flows, in the functions of the sample program ---- */

enum { NOP = 0x13, CALL = 0xef, RET = 0x8067, JUMP = 0x6f, ECALL = 0x73, MRET = 0x30200073 };

struct flow {
	const char *function;
	unsigned offset;
	uint32_t enc;
};

static const struct cairn_image *image_of(struct cairn *cairn)
{
	const char *examples = getenv("EXAMPLES");
	char path[512];
	struct cairn_image *im = cairn_image_new(cairn);
	snprintf(path, sizeof path, "%s/sort.elf", examples ? examples : "examples");
	if (cairn_image_add(im, path) < 0) {
		cairn_image_free(im);
		return NULL;
	}
	return im;
}

static void write_flow(struct cairn *cairn, const struct cairn_image *im, const struct flow *flow,
                       size_t n, const char *path)
{
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_writer *writer;
	assert_int_equal(cairn_create(cairn, path, NULL, &writer), 0);
	memset(batch->insns, 0, (n + 2) * sizeof *batch->insns);
	memset(batch->ctxs, 0, sizeof *batch->ctxs);
	batch->n0 = 1;
	batch->n_insns = (uint32_t)n;
	batch->n_ctxs = 1;
	batch->have = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET;
	for (size_t i = 0; i < n; i++) {
		const struct cairn_symbol *symbol =
			cairn_image_symbol(im, flow[i].function, strlen(flow[i].function));
		struct cairn_op op;
		assert_non_null(symbol);
		cairn_isa_decode(CAIRN_ISA_RV64, flow[i].enc, 4, &op);
		batch->insns[i] = (struct cairn_insn){.pc = symbol->addr + flow[i].offset,
		                                      .enc = flow[i].enc,
		                                      .size = 4,
		                                      .isa = CAIRN_ISA_RV64,
		                                      .cls = op.cls,
		                                      .traits = op.traits};
	}
	for (size_t i = 0; i + 1 < n; i++)
		if (batch->insns[i + 1].pc != batch->insns[i].pc + 4 && batch->insns[i].enc != NOP) {
			batch->insns[i].target = batch->insns[i + 1].pc;
			batch->insns[i].flags = CAIRN_INSN_TAKEN | CAIRN_INSN_TARGET;
		}
	assert_int_equal(cairn_put(writer, batch), 0);
	assert_int_equal(cairn_finish(writer, NULL), 0);
	cairn_batch_free(cairn, batch);
}

struct expected {
	const char *function;
	uint64_t self, total, calls;
};

static void check_flow(const struct flow *flow, size_t n, const struct expected *expected,
                       size_t n_e, const char *figure, uint64_t value)
{
	struct cairn *cairn = cairn_new(NULL);
	const struct cairn_image *im = image_of(cairn);
	struct trace trace;
	char path[64];
	if (!im) {
		cairn_free(cairn);
		skip();
	}
	snprintf(path, sizeof path, "/tmp/cairn-flow-%d.stf", (int)getpid());
	write_flow(cairn, im, flow, n, path);
	trace_read(&trace, path);
	assert_int_equal(trace.n, n);
	struct cairn_result *res = analyse(&trace, calls, im, 1, 0, NULL);
	const struct cairn_table *all = table_of(res, "functions");
	assert_int_equal(number_of(table_of(res, "summary"), 0, figure), value);
	for (size_t i = 0; i < n_e; i++) {
		size_t k = 0;
		while (k < all->n_rows && strcmp(text_of(all, k, "function"), expected[i].function) != 0)
			k++;
		if (k == all->n_rows || number_of(all, k, "self") != expected[i].self ||
		    number_of(all, k, "total") != expected[i].total ||
		    number_of(all, k, "calls") != expected[i].calls)
			fail_msg("%s: %s is %d, %d, %d", figure, expected[i].function,
			         k == all->n_rows ? -1 : (int)number_of(all, k, "self"),
			         k == all->n_rows ? -1 : (int)number_of(all, k, "total"),
			         k == all->n_rows ? -1 : (int)number_of(all, k, "calls"));
	}
	cairn_result_free(res);
	trace_free(&trace);
	cairn_image_free((struct cairn_image *)(uintptr_t)im);
	cairn_free(cairn);
	unlink(path);
}
#define CHECK(flow, expected, figure, value) \
	check_flow(flow, sizeof(flow) / sizeof *(flow), expected, \
	           sizeof(expected) / sizeof *(expected), figure, value)

static void a_tail_call_takes_the_place_of_its_caller(void **state)
{
	(void)state;
	/* start calls fill, which jumps to mean, which returns to start */
	static const struct flow flow[] = {{"start", 0, NOP}, {"start", 4, CALL}, {"fill", 0, NOP},
	                                   {"fill", 4, JUMP}, {"mean", 0, NOP},   {"mean", 4, RET},
	                                   {"start", 8, NOP}};
	static const struct expected expected[] = {{"start", 3, 7, 0},
	                                           {"fill", 2, 2, 1},
	                                           {"mean", 2, 2, 1}};
	CHECK(flow, expected, "tail_calls", 1);
}

static void a_long_jump_unwinds(void **state)
{
	(void)state;
	/* start calls fill calls mean, which returns to start at once */
	static const struct flow flow[] = {{"start", 0, CALL}, {"fill", 0, CALL}, {"mean", 0, NOP},
	                                   {"mean", 4, RET},   {"start", 4, NOP}, {"start", 8, NOP}};
	static const struct expected expected[] = {{"start", 3, 6, 0},
	                                           {"fill", 1, 3, 1},
	                                           {"mean", 2, 2, 1}};
	CHECK(flow, expected, "frames_unwound", 1);
}

static void a_trap_is_a_frame(void **state)
{
	(void)state;
	static const struct flow flow[] = {{"start", 0, CALL}, {"fill", 0, ECALL}, {"mean", 0, NOP},
	                                   {"mean", 4, MRET},  {"fill", 4, RET},   {"start", 4, NOP}};
	static const struct expected expected[] = {{"start", 2, 6, 0},
	                                           {"fill", 2, 4, 1},
	                                           {"mean", 2, 2, 1}};
	CHECK(flow, expected, "trap_returns", 1);
}

static void stacks_take_turns(void **state)
{
	(void)state;
	/* start calls mean, which returns to nowhere known: fill, on a stack of its own, which
	 * calls mean, which returns to start; and once more back to fill. */
	static const struct flow flow[] = {{"start", 0, CALL},   {"mean", 0, RET}, {"fill", 0x10, NOP},
	                                   {"fill", 0x14, CALL}, {"mean", 0, RET}, {"start", 4, NOP},
	                                   {"start", 8, CALL},   {"mean", 0, RET}, {"fill", 0x18, NOP}};
	static const struct expected expected[] = {{"start", 3, 5, 0},
	                                           {"fill", 3, 4, 0},
	                                           {"mean", 3, 3, 3}};
	CHECK(flow, expected, "stack_switches", 3);
}

static void returning_below_the_start_is_known(void **state)
{
	(void)state;
	static const struct flow flow[] = {{"mean", 0, NOP},
	                                   {"mean", 4, RET},
	                                   {"fill", 8, NOP},
	                                   {"fill", 12, RET},
	                                   {"start", 16, NOP}};
	static const struct expected expected[] = {{"mean", 2, 2, 0},
	                                           {"fill", 2, 2, 0},
	                                           {"start", 1, 1, 0}};
	CHECK(flow, expected, "returns_unmatched", 2);
}

/* ---- random flows, against stacks that are searched ---- */

enum { FLOW = 1000, STACKS = 256 };

struct ref_frame {
	uint64_t back;
	const struct cairn_symbol *func;
	bool trap;
};

struct ref_stack {
	struct ref_frame frame[FLOW + 1];
	size_t n;
};

struct ref {
	const struct cairn_image *im;
	struct ref_stack
		*stack; /* s[0] is the flow's, those behind it are put aside, the last one last */
	size_t n;
	const struct cairn_symbol *seen[64];
	uint64_t self[64], total[64], calls[64]; /* of seen */
	size_t n_seen;
	uint64_t calls_made, returns, tails, unwound, unmatched, traps, trap_returns, switches, breaks,
		deepest;
};

static size_t ref_func(struct ref *ref, const struct cairn_symbol *symbol)
{
	size_t i = 0;
	while (i < ref->n_seen && ref->seen[i] != symbol)
		i++;
	ref->seen[i] = symbol;
	ref->n_seen += i == ref->n_seen;
	assert_true(i < 64);
	return i;
}

static void ref_push(struct ref *ref, uint64_t pc, uint64_t back, bool trap, bool counts)
{
	const struct cairn_symbol *symbol = cairn_image_symbol_at(ref->im, pc);
	ref->stack->frame[ref->stack->n++] = (struct ref_frame){back, symbol, trap};
	ref->deepest = ref->stack->n > ref->deepest ? ref->stack->n : ref->deepest;
	ref->calls[ref_func(ref, symbol)] += counts;
}

static void ref_aside(struct ref *ref)
{
	ref->switches++;
	if (ref->n == STACKS + 1) {
		memmove(&ref->stack[1], &ref->stack[2], (STACKS - 1) * sizeof *ref->stack);
		ref->n--;
	}
	ref->stack[ref->n++] = ref->stack[0];
	ref->stack->n = 0;
}

static void ref_return(struct ref *ref, uint64_t pc, bool trap)
{
	struct ref_stack *stack = ref->stack;
	*(trap ? &ref->trap_returns : &ref->returns) += 1;
	for (size_t at = stack->n;
	     at-- > 0 && (trap || at + 1 == stack->n || !stack->frame[at + 1].trap);) {
		if (stack->frame[at].back != pc || stack->frame[at].trap != trap)
			continue;
		ref->unwound += trap ? 0 : stack->n - at - 1;
		stack->n = at;
		if (!at)
			ref_push(ref, pc, 0, false, false);
		return;
	}
	for (size_t k = ref->n; k-- > 1;) {
		const struct ref_frame *top = &stack[k].frame[stack[k].n - 1];
		if (!stack[k].n || top->back != pc || top->trap != trap)
			continue;
		struct ref_stack *other = malloc(sizeof *other);
		assert_non_null(other);
		*other = stack[k];
		memmove(&stack[k], &stack[k + 1], (ref->n - k - 1) * sizeof *stack);
		ref->n--;
		ref_aside(ref);
		*stack = *other;
		free(other);
		if (--stack->n == 0)
			ref_push(ref, pc, 0, false, false);
		return;
	}
	ref->unmatched++;
	if (stack->n == 1)
		stack->n = 0;
	else if (stack->n)
		ref_aside(ref);
	ref_push(ref, pc, 0, false, false);
}

static void ref_jump(struct ref *ref, uint64_t pc)
{
	const struct cairn_symbol *to = cairn_image_symbol_at(ref->im, pc);
	struct ref_stack *stack = ref->stack;
	struct ref_frame top = stack->n ? stack->frame[stack->n - 1] : (struct ref_frame){0};
	if (stack->n && top.func == to)
		return;
	ref->tails += stack->n && to->addr == pc;
	stack->n -= stack->n != 0;
	ref_push(ref, pc, top.back, top.trap, stack->n + 1 && top.func && to->addr == pc);
}

/* The instruction at `pc` has run, behind `before` (NULL: none). */
static void ref_step(struct ref *ref, const struct cairn_insn *before, uint64_t pc)
{
	uint32_t enc = before ? before->enc : NOP;
	uint64_t fall = before ? before->pc + 4 : pc;
	bool marked[64] = {false};
	if (enc == CALL) {
		ref->calls_made++;
		ref_push(ref, pc, fall, false, true);
	} else if (enc == RET || enc == MRET) {
		ref_return(ref, pc, enc == MRET);
	} else if (enc == ECALL && pc != fall) {
		ref->traps++;
		ref_push(ref, pc, fall, true, true);
	} else {
		ref->breaks += enc == NOP && pc != fall;
		ref_jump(ref, pc);
	}
	for (size_t i = 0; i < ref->stack->n; i++)
		marked[ref_func(ref, ref->stack->frame[i].func)] = true;
	ref->self[ref_func(ref, ref->stack->frame[ref->stack->n - 1].func)]++;
	for (size_t i = 0; i < ref->n_seen; i++)
		ref->total[i] += marked[i];
}

static uint64_t draw(uint64_t *x, uint64_t n)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % n;
}

/* Calls, jumps, traps and ways back, to where one came from or to anywhere. */
static void make_flow(uint64_t seed, struct flow *flow)
{
	static const char *const names[] = {"start", "fill", "mean", "merge_sort"};
	struct flow back[FLOW];
	size_t n_back = 0;
	struct flow at = {"start", 0, NOP};
	for (size_t i = 0; i < FLOW; i++) {
		static const uint32_t kinds[] = {CALL, CALL, CALL, RET, RET, RET, JUMP, ECALL, MRET, NOP};
		uint64_t kind = draw(&seed, 24);
		struct flow to = {names[draw(&seed, 4)], 4 * (unsigned)draw(&seed, 3), NOP};
		at.enc = kind < 10 ? kinds[kind] : NOP;
		flow[i] = at;
		struct flow next = {at.function, at.offset + 4, NOP};
		if (at.enc == CALL || at.enc == ECALL)
			back[n_back++] = next;
		if ((at.enc == RET || at.enc == MRET) && n_back && draw(&seed, 8)) {
			size_t deep = draw(&seed, 4) ? 0 : draw(&seed, 5);
			to = back[n_back - 1 - (deep < n_back ? deep : 0)];
			n_back -= draw(&seed, 4) ? (deep < n_back ? deep + 1 : 1) : 0;
		}
		bool stays = (at.enc == NOP && (kind != 9)) || (at.enc == ECALL && !draw(&seed, 6));
		bool same = !strcmp(to.function, next.function) && to.offset == next.offset;
		if (same)
			to.offset += 4; /* no way that looks like going on */
		at = stays ? next : to;
		if (at.offset > 40)
			at.offset = 8;
	}
}

static void random_flows_are_those_of_stacks_searched(void **state)
{
	static const char *const figures[] = {
		"calls", "returns",      "tail_calls",     "frames_unwound", "returns_unmatched",
		"traps", "trap_returns", "stack_switches", "breaks",         "deepest"};
	struct cairn *cairn = cairn_new(NULL);
	const struct cairn_image *im = image_of(cairn);
	uint64_t sums[10] = {0};
	char path[64];
	(void)state;
	if (!im) {
		cairn_free(cairn);
		skip();
	}
	snprintf(path, sizeof path, "/tmp/cairn-flows-%d.stf", (int)getpid());
	for (uint64_t seed = 1; seed <= 60; seed++) {
		static struct flow flow[FLOW];
		struct ref ref = {.im = im, .stack = calloc(STACKS + 2, sizeof *ref.stack), .n = 1};
		struct trace trace;
		assert_non_null(ref.stack);
		make_flow(seed, flow);
		write_flow(cairn, im, flow, FLOW, path);
		trace_read(&trace, path);
		for (size_t i = 0; i < trace.n; i++)
			ref_step(&ref, i ? &trace.rows[i - 1].in : NULL, trace.rows[i].in.pc);
		const uint64_t want[] = {ref.calls_made, ref.returns, ref.tails,        ref.unwound,
		                         ref.unmatched,  ref.traps,   ref.trap_returns, ref.switches,
		                         ref.breaks,     ref.deepest};
		struct cairn_result *res = analyse(&trace, calls, im, 1, 0, NULL);
		const struct cairn_table *all = table_of(res, "functions");
		for (size_t k = 0; k < 10; k++) {
			sums[k] += want[k];
			if (number_of(table_of(res, "summary"), 0, figures[k]) != want[k])
				fail_msg("seed %d: %s is %d, not %d", (int)seed, figures[k],
				         (int)number_of(table_of(res, "summary"), 0, figures[k]), (int)want[k]);
		}
		for (size_t row = 0; row < all->n_rows; row++) {
			size_t k = 0;
			while (k < ref.n_seen && strcmp(ref.seen[k]->name, text_of(all, row, "function")) != 0)
				k++;
			assert_true(k < ref.n_seen);
			assert_int_equal(number_of(all, row, "self"), ref.self[k]);
			assert_int_equal(number_of(all, row, "total"), ref.total[k]);
			assert_int_equal(number_of(all, row, "calls"), ref.calls[k]);
		}
		cairn_result_free(res);
		trace_free(&trace);
		free(ref.stack);
	}
	for (size_t k = 0; k < 10; k++)
		assert_true(sums[k] > 100); /* each of them happens */
	unlink(path);
	cairn_image_free((struct cairn_image *)(uintptr_t)im);
	cairn_free(cairn);
}

/* ---- pictures ---- */

static struct trace_file picture(const struct trace *trace, enum cairn_calls_form form)
{
	struct trace_file file = {0};
	struct cairn_reader *reader;
	assert_int_equal(cairn_open(trace->cairn, trace->path, NULL, &reader), 0);
	assert_int_equal(cairn_export_calls(reader, NULL, form, trace_collect, &file), 0);
	cairn_close(reader);
	return file;
}

static void pictures_hold_every_instruction(void **state)
{
	(void)state;
	struct trace trace;
	trace_make(&trace, TRACE_LEAN, 50000);
	struct trace_file file = picture(&trace, CAIRN_CALLS_FOLDED);
	uint64_t sum = 0;
	for (char *line = strtok(file.text, "\n"); line; line = strtok(NULL, "\n"))
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	assert_int_equal(sum, trace.n);
	free(file.text);
	file = picture(&trace, CAIRN_CALLS_TIMELINE);
	int64_t depth = 0;
	uint64_t last = 0;
	for (char *p = file.text; (p = strstr(p, "\"ph\":\"")); p++) {
		depth += p[6] == 'B' ? 1 : -1;
		assert_true(depth >= 0);
		uint64_t ts = strtoull(strstr(p, "\"ts\":") + 5, NULL, 10);
		assert_true(ts >= last && ts <= trace.n);
		last = ts;
	}
	free(file.text);
	file = picture(&trace, CAIRN_CALLS_FLAME);
	assert_non_null(strstr(file.text, "</svg>"));
	assert_non_null(strstr(file.text, "50000 instructions"));
	assert_null(strstr(file.text, "http://www.w3.org/1999/xlink"));
	free(file.text);
	trace_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_a_stack),
		cmocka_unit_test(threads_and_intervals_change_nothing),
		cmocka_unit_test(a_tail_call_takes_the_place_of_its_caller),
		cmocka_unit_test(a_long_jump_unwinds),
		cmocka_unit_test(a_trap_is_a_frame),
		cmocka_unit_test(stacks_take_turns),
		cmocka_unit_test(returning_below_the_start_is_known),
		cmocka_unit_test(random_flows_are_those_of_stacks_searched),
		cmocka_unit_test(pictures_hold_every_instruction),
	};
	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}

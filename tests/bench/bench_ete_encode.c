/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding ETE, beside copying the instructions that are put.
 *
 *   bench_ete_encode BUILD
 *
 * BENCH_RUNS and BENCH_QUICK as for bench_stf. The program is 512 functions of a loop
 * each, called one after another (as in bench_ete_flow): five instructions for each P0
 * element, a return for every 60. `plain` tells returns by address, `stack` by the return
 * stack, `speculative` commits a few elements at a time and takes back a third of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/cairn.h"
#include "measure.h"

enum { FUNCTIONS = 512, AT_ONCE = 1024 };

struct work {
	struct cairn *cairn;
	struct cairn_ete_insn *in, *copy;
	size_t n, cap;
	struct cairn_ete_tracer_opts opts;
	uint64_t bytes;
};

static void add(struct work *work, uint64_t pc, uint32_t enc, bool taken)
{
	if (work->n < work->cap)
		work->in[work->n++] =
			(struct cairn_ete_insn){.pc = pc, .enc = enc, .isa = CAIRN_ISA_A64, .taken = taken};
}

static void make(struct work *work)
{
	enum { ADD = 0x91000400, LOOP = 0x54000001 | (-4 & 0x7ffff) << 5, RET = 0xd65f03c0 };
	for (uint64_t k = 0; work->n < work->cap; k++) {
		uint64_t f = 0x410000 + 96 * (k % FUNCTIONS), call = 0x400000 + 4 * (k % FUNCTIONS);
		add(work, call, 0x94000000 | (uint32_t)((f - call) / 4), true);
		for (unsigned turn = 0; turn < 10; turn++) {
			for (unsigned i = 0; i < 4; i++)
				add(work, f + 4 * i, ADD, false);
			add(work, f + 16, LOOP, turn < 9);
		}
		for (unsigned i = 5; i < 12; i++)
			add(work, f + 4 * i, ADD, false);
		add(work, f + 48, RET, true);
	}
}

static int run_copy(void *arg)
{
	struct work *work = arg;
	memcpy(work->copy, work->in, work->n * sizeof *work->in);
	return 0;
}

static int run_encode(void *arg)
{
	struct work *work = arg;
	struct cairn_ete_tracer *tracer;
	const uint8_t *p;
	size_t n = 0;
	int rc = cairn_ete_tracer_open(work->cairn, &work->opts, &tracer);
	work->bytes = 0;
	for (size_t i = 0; i < work->n && rc >= 0; i += n) {
		size_t taken;
		n = work->n - i < AT_ONCE ? work->n - i : AT_ONCE;
		rc = cairn_ete_tracer_insns(tracer, work->in + i, n);
		cairn_ete_tracer_take(tracer, &p, &taken);
		work->bytes += taken;
	}
	if (rc >= 0)
		rc = cairn_ete_tracer_finish(tracer);
	cairn_ete_tracer_close(tracer);
	return rc;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

int main(void)
{
	static const struct {
		const char *name;
		struct cairn_ete_tracer_opts o;
		double goal;
	} ways[] = {{"plain", {0}, 20},
	            {"stack", {.return_stack = 1, .sync_bytes = 4096}, 20},
	            {"speculative", {.maxspec = 32, .commit_every = 8, .noise = 333}, 0}};
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 7);
	struct work work = {.cairn = cairn_new(NULL), .cap = quick ? 1 << 20 : 1 << 23};
	work.in = malloc(work.cap * sizeof *work.in);
	work.copy = malloc(work.cap * sizeof *work.in);
	if (!work.cairn || !work.in || !work.copy)
		return 1;
	if (runs > BENCH_MAX_RUNS)
		runs = BENCH_MAX_RUNS;
	make(&work);
	bench_head();
	for (unsigned k = 0; k < sizeof ways / sizeof *ways; k++) {
		struct bench_job job[] = {{.run = run_copy, .arg = &work},
		                          {.run = run_encode, .arg = &work}};
		double amount = (double)work.n * 1e-6;
		char name[96];
		work.opts = ways[k].o;
		work.opts.size = sizeof work.opts;
		if (bench_time(job, 2, runs) < 0)
			return 1;
		snprintf(name, sizeof name, "encode, %s (%.3f bits an instruction)", ways[k].name,
		         8 * (double)work.bytes / (double)work.n);
		bench_print(&(struct bench_row){.name = name,
		                                .unit = "M insns/s",
		                                .limit = "copying",
		                                .figure = amount / job[1].seconds[BENCH_CORE],
		                                .limit_figure = amount / job[0].seconds[BENCH_CORE],
		                                .ratio = bench_ratio(&job[1], &job[0], runs, BENCH_CORE),
		                                .goal = {ways[k].goal, false}});
	}
	free(work.in);
	free(work.copy);
	cairn_free(work.cairn);
	return 0;
}

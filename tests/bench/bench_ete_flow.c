/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following ETE: elements to ranges to instructions and batches, beside reading the elements
 * alone; one instruction after another, beside the ranges that they are of.
 *
 *   bench_ete_flow BUILD
 *
 * BENCH_INSNS, BENCH_RUNS, BENCH_DATA and BENCH_QUICK as for bench_stf. The program is
 * 512 functions of a loop each, called one after another; returns are told by address,
 * so there is an address for every few atoms, as in traces of real programs, and a
 * range is about five instructions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "formats/ete/write/write.h"
#include "measure.h"
#include "opencsd.h"

enum { FUNCTIONS = 512, FUNCTION = 24, HEAD = 4, BODY = 4, MAIN = 2 * FUNCTIONS + 1 };
static const uint64_t BASE = 0x400000;

struct trace {
	char path[512], framed[512], code[512];
	uint8_t words[4 * (MAIN + 1 + FUNCTIONS * FUNCTION)]; /* the program */
	uint8_t *bytes;
	size_t n, cap;
	uint64_t insns, ranges;
	uint32_t atoms;
	unsigned n_atoms;
	uint64_t last; /* address told last */
};

/* ---- the program: main calls each function; a function is a loop and a return ---- */

static uint64_t function_at(unsigned index)
{
	return BASE + 4 * (uint64_t)(MAIN + 1 + index * FUNCTION);
}

static int make_code(struct trace *t)
{
	static uint32_t code[MAIN + 1 + FUNCTIONS * FUNCTION];
	for (unsigned i = 0; i < sizeof code / sizeof *code; i++)
		code[i] = 0x91000400; /* add x0, x0, #1 */
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		uint64_t pc = BASE + 4 * (uint64_t)(2 * i + 1);
		code[2 * i + 1] = 0x94000000 | (uint32_t)((function_at(i) - pc) / 4 & 0x3ffffff);
		unsigned f = MAIN + 1 + i * FUNCTION;
		code[f + 1] = 0xf9400021;                /* ldr x1, [x1] */
		code[f + HEAD + BODY - 1] = 0x54000001 | /* b.ne to the loop's begin */
		                            (uint32_t)(-(BODY - 1) & 0x7ffff) << 5;
		code[f + FUNCTION - 1] = 0xd65f03c0; /* ret */
	}
	code[MAIN] = 0x14000000 | (uint32_t)(-MAIN & 0x3ffffff);
	FILE *f = fopen(t->code, "wb");
	if (!f)
		return -1;
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		base_put_le32(t->words + 4 * i, code[i]);
	fwrite(t->words, sizeof t->words, 1, f);
	return fclose(f);
}

/* ---- the trace ---- */

static void put(struct trace *trace, const void *p, size_t n)
{
	if (trace->n + n > trace->cap) {
		trace->cap = trace->cap * 2 + 4096;
		trace->bytes = realloc(trace->bytes, trace->cap);
		if (!trace->bytes)
			abort();
	}
	memcpy(trace->bytes + trace->n, p, n);
	trace->n += n;
}

static void byte(struct trace *trace, unsigned b)
{
	uint8_t x = (uint8_t)b;
	put(trace, &x, 1);
}

/* Put atoms out in the largest packets; all, or what leaves no more than `keep`. */
static void flush(struct trace *trace, unsigned keep)
{
	while (trace->n_atoms > keep) {
		unsigned run = 0, used = 1;
		while (run < trace->n_atoms && trace->atoms >> run & 1)
			run++;
		if (run >= 3 && run < 24 && run + 1 <= trace->n_atoms) {
			byte(trace, 0xe0 + run - 3); /* E … E N */
			used = run + 1;
		} else if (run >= 4) {
			used = run > 24 ? 24 : run;
			byte(trace, 0xc0 + used - 4);
		} else if (trace->n_atoms >= 3) {
			byte(trace, 0xf8 | (trace->atoms & 7));
			used = 3;
		} else {
			byte(trace, 0xf6 | (trace->atoms & 1));
		}
		trace->atoms >>= used;
		trace->n_atoms -= used;
	}
}

static void atom(struct trace *trace, unsigned e, unsigned insns)
{
	trace->atoms |= e << trace->n_atoms++;
	trace->insns += insns;
	trace->ranges++;
	if (trace->n_atoms == 28)
		flush(trace, 4);
}

static void address(struct trace *trace, uint64_t a)
{
	flush(trace, 0);
	byte(trace, 0x95);
	if ((trace->last ^ a) >> 9) {
		byte(trace, 0x80 | (a >> 2 & 127));
		byte(trace, a >> 9 & 255);
	} else {
		byte(trace, a >> 2 & 127);
	}
	trace->last = a;
}

static void make_trace(struct trace *t, uint64_t insns)
{
	static const uint8_t begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4};
	uint32_t seed = 1;
	while (t->insns < insns) {
		uint8_t where[10] = {0x85, 0, BASE >> 9 & 127, BASE >> 16 & 255, 0, 0, 0, 0, 0, 0x31};
		put(t, begin, t->n ? sizeof begin - 1 : sizeof begin); /* Trace On only once */
		put(t, where, sizeof where);
		t->last = BASE;
		for (unsigned i = 0; i < FUNCTIONS * 16; i++) {
			unsigned f = i % FUNCTIONS;
			atom(t, 1, 2); /* one instruction, bl */
			seed = seed * 1664525 + 1013904223;
			unsigned rounds = 1 + (seed >> 28);
			for (unsigned k = 0; k < rounds; k++)
				atom(t, k + 1 < rounds, k ? BODY : HEAD + BODY);
			atom(t, 1, FUNCTION - HEAD - BODY);
			address(t, BASE + 4 * (uint64_t)(2 * f + 2));
			if (f == FUNCTIONS - 1)
				atom(t, 1, 2);
		}
		flush(t, 0);
	}
}

static int make(struct trace *trace, uint64_t insns)
{
	make_trace(trace, insns);
	FILE *f = fopen(trace->path, "wb");
	if (!f || make_code(trace) != 0)
		return -1;
	fwrite(trace->bytes, trace->n, 1, f);
	return fclose(f);
}

/* ---- the jobs ---- */

struct work {
	const struct trace *trace;
	uint64_t insns, ranges;
};

static int run_elements(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_ete_config cfg;
	struct cairn_ete_elements *in;
	static struct cairn_ete_element element[256];
	int64_t n;
	cairn_ete_config_init(&cfg);
	if (cairn_ete_elements_open(cairn, &cfg, NULL, work->trace->bytes, work->trace->n, 0, &in) < 0)
		return -1;
	work->ranges = 0;
	while ((n = cairn_ete_elements_fill(in, element, 256)) > 0)
		for (int64_t i = 0; i < n; i++)
			work->ranges += element[i].n_atoms;
	work->insns = work->trace->insns;
	cairn_ete_elements_close(in);
	cairn_free(cairn);
	return 0;
}

static struct cairn_image *program(struct cairn *cairn, const struct trace *trace)
{
	struct cairn_image *im = cairn_image_new(cairn);
	char spec[600];
	snprintf(spec, sizeof spec, "%s@0x%llx", trace->code, (unsigned long long)BASE);
	if (cairn_image_add(im, spec) < 0)
		fprintf(stderr, "bench: %s\n", cairn_error_text(cairn));
	return im;
}

static int run_flow(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_ete_config cfg;
	struct cairn_image *im = program(cairn, work->trace);
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = im};
	struct cairn_ete_flow *flow;
	struct cairn_ete_step step;
	cairn_ete_config_init(&cfg);
	if (cairn_ete_flow_open(cairn, &cfg, &opts, work->trace->bytes, work->trace->n, 0, &flow) < 0)
		return -1;
	work->insns = work->ranges = 0;
	while (cairn_ete_flow_next(flow, &step) > 0)
		if (step.kind == CAIRN_ETE_STEP_RANGE) {
			work->insns += step.n;
			work->ranges++;
		}
	cairn_ete_flow_close(flow);
	cairn_image_free(im);
	cairn_free(cairn);
	return 0;
}

/* The layer above: instructions one by one. */
static int run_insns(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_ete_config cfg;
	struct cairn_image *im = program(cairn, work->trace);
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = im};
	struct cairn_ete_insns *insns;
	struct cairn_ete_ran ran;
	cairn_ete_config_init(&cfg);
	if (cairn_ete_insns_open(cairn, &cfg, &opts, work->trace->bytes, work->trace->n, 0, &insns) < 0)
		return -1;
	work->insns = work->ranges = 0;
	while (cairn_ete_insns_next(insns, &ran) > 0)
		if (ran.size) {
			work->insns++;
			work->ranges += (ran.flags & (CAIRN_ETE_R_TAKEN | CAIRN_ETE_R_NOT_TAKEN)) != 0;
		}
	cairn_ete_insns_close(insns);
	cairn_image_free(im);
	cairn_free(cairn);
	return 0;
}

static int run_batches(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_image *im = program(cairn, work->trace);
	struct cairn_open_opts opts = {.size = sizeof opts, .image = im, .no_index = 1};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	int rc = cairn_open(cairn, work->trace->path, &opts, &reader);
	if (rc < 0) {
		fprintf(stderr, "bench: %s\n", cairn_error_text(cairn));
		return -1;
	}
	work->insns = 0;
	while ((rc = cairn_next(reader, batch)) > 0)
		work->insns += batch->n_insns;
	work->ranges = work->trace->ranges;
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_image_free(im);
	cairn_free(cairn);
	return rc;
}

static int count(struct work *work, const char *path)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_image *im = program(cairn, work->trace);
	struct cairn_open_opts opts = {.size = sizeof opts, .image = im, .no_index = 1};
	struct cairn_tally tally = {.size = sizeof tally};
	struct cairn_reader *reader;
	int rc = cairn_open(cairn, path, &opts, &reader);
	if (rc >= 0)
		rc = cairn_count(reader, 1, &tally);
	work->insns = rc < 0 ? 0 : tally.instructions;
	work->ranges = work->trace->ranges;
	cairn_close(reader);
	cairn_image_free(im);
	cairn_free(cairn);
	return rc;
}

static int run_count(void *arg)
{
	struct work *work = arg;
	return count(work, work->trace->path);
}

static int run_framed(void *arg)
{
	struct work *work = arg;
	return count(work, work->trace->framed);
}

/* The same stream in frames: what is read then is copied into a lane, and again into spans. */
static int make_framed(const struct trace *trace)
{
	struct cairn *cairn = cairn_new(NULL);
	struct ete_formatter formatter = {.id = -1};
	FILE *out = fopen(trace->framed, "wb");
	base_buf_init(&formatter.out, cairn);
	if (base_buf_reserve(&formatter.out, trace->n / 13 * 16 + 64) >= 0) {
		ete_format_bytes(&formatter, ETE_FIRST_ID, trace->bytes, trace->n);
		ete_format_end(&formatter);
	}
	bool ok = out && formatter.out.len &&
	          fwrite(formatter.out.data, 1, formatter.out.len, out) == formatter.out.len;
	ok = out && !fclose(out) && ok;
	base_buf_free(&formatter.out);
	cairn_free(cairn);
	return ok ? 0 : -1;
}

static int run_opencsd(void *arg)
{
	struct work *work = arg;
	return bench_opencsd(work->trace->bytes, work->trace->n, BASE, work->trace->words,
	                     sizeof work->trace->words, &work->insns, &work->ranges);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

static void row(const char *name, const char *unit, uint64_t amount, const struct bench_job *job,
                const struct bench_job *limit, const char *limit_name, unsigned runs, double goal)
{
	double m = (double)amount * 1e-6;
	bench_print(&(struct bench_row){.name = name,
	                                .unit = unit,
	                                .limit = limit_name,
	                                .figure = m / job->seconds[BENCH_CORE],
	                                .limit_figure = m / limit->seconds[BENCH_CORE],
	                                .ratio = bench_ratio(job, limit, runs, BENCH_CORE),
	                                .goal = {goal, false}});
}

int main(int argc, char **argv)
{
	enum { ELEMENTS, FLOW, INSNS, BATCHES, COUNT, FRAMED, OPENCSD, ALL };
	static int (*const runs_of[ALL])(void *) = {run_elements, run_flow,   run_insns,  run_batches,
	                                            run_count,    run_framed, run_opencsd};
	static const char lone[] = "elements alone";
#ifdef HAVE_OPENCSD
	const unsigned jobs = ALL;
#else
	const unsigned jobs = OPENCSD;
#endif
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5);
	const char *data = getenv("BENCH_DATA"), *build = argc > 1 ? argv[1] : "build-release";
	static struct trace trace;
	struct bench_job job[ALL];
	struct work work[ALL];
	char folder[400];
	if (runs > BENCH_MAX_RUNS)
		runs = BENCH_MAX_RUNS;
	snprintf(folder, sizeof folder, "%s%s", data ? data : build, data ? "" : "/bench-data");
	(void)mkdir(folder, 0777);
	snprintf(trace.path, sizeof trace.path, "%s/loops.ete", folder);
	snprintf(trace.code, sizeof trace.code, "%s/loops.bin", folder);
	snprintf(trace.framed, sizeof trace.framed, "%s/loops.frames", folder);
	if (make(&trace, setting("BENCH_INSNS", quick ? 5000000 : 50000000)) != 0 ||
	    make_framed(&trace) != 0) {
		fprintf(stderr, "bench: %s: %s\n", trace.path, strerror(errno));
		return 1;
	}
	for (unsigned i = 0; i < jobs; i++) {
		work[i] = (struct work){.trace = &trace};
		job[i] = (struct bench_job){.run = runs_of[i], .arg = &work[i]};
	}
	if (bench_time(job, jobs, runs) < 0)
		return 1;
	for (unsigned i = 0; i < jobs; i++)
		if (work[i].insns != trace.insns || work[i].ranges != trace.ranges) {
			fprintf(stderr, "bench: job %u: %llu instructions in %llu ranges, not %llu in %llu\n",
			        i, (unsigned long long)work[i].insns, (unsigned long long)work[i].ranges,
			        (unsigned long long)trace.insns, (unsigned long long)trace.ranges);
			return 1;
		}
	printf("ETE: %.0f M instructions, %.0f M ranges, %.1f MB\n\n", (double)trace.insns * 1e-6,
	       (double)trace.ranges * 1e-6, (double)trace.n * 1e-6);
	bench_head();
	const struct bench_job *const alone = &job[ELEMENTS];
	row("loops.ete: ranges", "M ranges/s", trace.ranges, &job[FLOW], alone, lone, runs, 25);
	row("loops.ete: ranges", "M insn/s", trace.insns, &job[FLOW], alone, lone, runs, 100);
	row("loops.ete: one by one", "M insn/s", trace.insns, &job[INSNS], &job[FLOW], "ranges", runs,
	    0);
	row("loops.ete: batches, every array", "M insn/s", trace.insns, &job[BATCHES], alone, lone,
	    runs, 50);
	row("loops.ete: count", "M insn/s", trace.insns, &job[COUNT], alone, lone, runs, 0);
	row("loops.frames: count", "M insn/s", trace.insns, &job[FRAMED], alone, lone, runs, 0);
	if (jobs == ALL) {
		row("OpenCSD: full decode", "M ranges/s", trace.ranges, &job[OPENCSD], alone, lone, runs,
		    0);
		row("OpenCSD: full decode", "M insn/s", trace.insns, &job[OPENCSD], alone, lone, runs, 0);
	} else {
		bench_absent("OpenCSD: full decode", "libopencsd-dev is not installed");
	}
	free(trace.bytes);
	return 0;
}

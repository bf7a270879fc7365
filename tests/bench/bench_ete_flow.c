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
#include "formats/ete/write.h"
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

static uint64_t function_at(unsigned i)
{
	return BASE + 4 * (uint64_t)(MAIN + 1 + i * FUNCTION);
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

static void put(struct trace *t, const void *p, size_t n)
{
	if (t->n + n > t->cap) {
		t->cap = t->cap * 2 + 4096;
		t->bytes = realloc(t->bytes, t->cap);
		if (!t->bytes)
			abort();
	}
	memcpy(t->bytes + t->n, p, n);
	t->n += n;
}

static void byte(struct trace *t, unsigned b)
{
	uint8_t x = (uint8_t)b;
	put(t, &x, 1);
}

/* Put atoms out in the largest packets; all, or what leaves no more than `keep`. */
static void flush(struct trace *t, unsigned keep)
{
	while (t->n_atoms > keep) {
		unsigned run = 0, used = 1;
		while (run < t->n_atoms && t->atoms >> run & 1)
			run++;
		if (run >= 3 && run < 24 && run + 1 <= t->n_atoms) {
			byte(t, 0xe0 + run - 3); /* E … E N */
			used = run + 1;
		} else if (run >= 4) {
			used = run > 24 ? 24 : run;
			byte(t, 0xc0 + used - 4);
		} else if (t->n_atoms >= 3) {
			byte(t, 0xf8 | (t->atoms & 7));
			used = 3;
		} else {
			byte(t, 0xf6 | (t->atoms & 1));
		}
		t->atoms >>= used;
		t->n_atoms -= used;
	}
}

static void atom(struct trace *t, unsigned e, unsigned insns)
{
	t->atoms |= e << t->n_atoms++;
	t->insns += insns;
	t->ranges++;
	if (t->n_atoms == 28)
		flush(t, 4);
}

static void address(struct trace *t, uint64_t a)
{
	flush(t, 0);
	byte(t, 0x95);
	if ((t->last ^ a) >> 9) {
		byte(t, 0x80 | (a >> 2 & 127));
		byte(t, a >> 9 & 255);
	} else {
		byte(t, a >> 2 & 127);
	}
	t->last = a;
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

static int make(struct trace *t, uint64_t insns)
{
	make_trace(t, insns);
	FILE *f = fopen(t->path, "wb");
	if (!f || make_code(t) != 0)
		return -1;
	fwrite(t->bytes, t->n, 1, f);
	return fclose(f);
}

/* ---- the jobs ---- */

struct work {
	const struct trace *t;
	uint64_t insns, ranges;
};

static int run_elements(void *arg)
{
	struct work *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_ete_config cfg;
	struct cairn_ete_elements *in;
	static struct cairn_ete_element e[256];
	int64_t n;
	cairn_ete_config_init(&cfg);
	if (cairn_ete_elements_open(c, &cfg, NULL, w->t->bytes, w->t->n, 0, &in) < 0)
		return -1;
	w->ranges = 0;
	while ((n = cairn_ete_elements_fill(in, e, 256)) > 0)
		for (int64_t i = 0; i < n; i++)
			w->ranges += e[i].n_atoms;
	w->insns = w->t->insns;
	cairn_ete_elements_close(in);
	cairn_free(c);
	return 0;
}

static struct cairn_image *program(struct cairn *c, const struct trace *t)
{
	struct cairn_image *im = cairn_image_new(c);
	char spec[600];
	snprintf(spec, sizeof spec, "%s@0x%llx", t->code, (unsigned long long)BASE);
	if (cairn_image_add(im, spec) < 0)
		fprintf(stderr, "bench: %s\n", cairn_error_text(c));
	return im;
}

static int run_flow(void *arg)
{
	struct work *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_ete_config cfg;
	struct cairn_image *im = program(c, w->t);
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = im};
	struct cairn_ete_flow *f;
	struct cairn_ete_step s;
	cairn_ete_config_init(&cfg);
	if (cairn_ete_flow_open(c, &cfg, &opts, w->t->bytes, w->t->n, 0, &f) < 0)
		return -1;
	w->insns = w->ranges = 0;
	while (cairn_ete_flow_next(f, &s) > 0)
		if (s.kind == CAIRN_ETE_STEP_RANGE) {
			w->insns += s.n;
			w->ranges++;
		}
	cairn_ete_flow_close(f);
	cairn_image_free(im);
	cairn_free(c);
	return 0;
}

/* The layer above: instructions one by one. */
static int run_insns(void *arg)
{
	struct work *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_ete_config cfg;
	struct cairn_image *im = program(c, w->t);
	struct cairn_ete_flow_opts opts = {.size = sizeof opts, .image = im};
	struct cairn_ete_insns *d;
	struct cairn_ete_ran ran;
	cairn_ete_config_init(&cfg);
	if (cairn_ete_insns_open(c, &cfg, &opts, w->t->bytes, w->t->n, 0, &d) < 0)
		return -1;
	w->insns = w->ranges = 0;
	while (cairn_ete_insns_next(d, &ran) > 0)
		if (ran.size) {
			w->insns++;
			w->ranges += (ran.flags & (CAIRN_ETE_R_TAKEN | CAIRN_ETE_R_NOT_TAKEN)) != 0;
		}
	cairn_ete_insns_close(d);
	cairn_image_free(im);
	cairn_free(c);
	return 0;
}

static int run_batches(void *arg)
{
	struct work *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_image *im = program(c, w->t);
	struct cairn_open_opts opts = {.size = sizeof opts, .image = im, .no_index = 1};
	struct cairn_batch *b = cairn_batch_new(c);
	struct cairn_reader *r;
	int rc = cairn_open(c, w->t->path, &opts, &r);
	if (rc < 0) {
		fprintf(stderr, "bench: %s\n", cairn_error_text(c));
		return -1;
	}
	w->insns = 0;
	while ((rc = cairn_next(r, b)) > 0)
		w->insns += b->n_insns;
	w->ranges = w->t->ranges;
	cairn_close(r);
	cairn_batch_free(c, b);
	cairn_image_free(im);
	cairn_free(c);
	return rc;
}

static int count(struct work *w, const char *path)
{
	struct cairn *c = cairn_new(NULL);
	struct cairn_image *im = program(c, w->t);
	struct cairn_open_opts opts = {.size = sizeof opts, .image = im, .no_index = 1};
	struct cairn_tally t;
	struct cairn_reader *r;
	int rc = cairn_open(c, path, &opts, &r);
	if (rc >= 0)
		rc = cairn_count(r, 1, &t);
	w->insns = rc < 0 ? 0 : t.instructions;
	w->ranges = w->t->ranges;
	cairn_close(r);
	cairn_image_free(im);
	cairn_free(c);
	return rc;
}

static int run_count(void *arg)
{
	struct work *w = arg;
	return count(w, w->t->path);
}

static int run_framed(void *arg)
{
	struct work *w = arg;
	return count(w, w->t->framed);
}

/* The same stream in frames: what is read then is copied into a lane, and again into spans. */
static int make_framed(const struct trace *t)
{
	struct cairn *c = cairn_new(NULL);
	struct ete_formatter f = {.id = -1};
	FILE *out = fopen(t->framed, "wb");
	base_buf_init(&f.out, c);
	if (base_buf_reserve(&f.out, t->n / 13 * 16 + 64) >= 0) {
		ete_format_bytes(&f, ETE_FIRST_ID, t->bytes, t->n);
		ete_format_end(&f);
	}
	bool ok = out && f.out.len && fwrite(f.out.data, 1, f.out.len, out) == f.out.len;
	ok = out && !fclose(out) && ok;
	base_buf_free(&f.out);
	cairn_free(c);
	return ok ? 0 : -1;
}

static int run_opencsd(void *arg)
{
	struct work *w = arg;
	return bench_opencsd(w->t->bytes, w->t->n, BASE, w->t->words, sizeof w->t->words, &w->insns,
	                     &w->ranges);
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
	static struct trace t;
	struct bench_job job[ALL];
	struct work w[ALL];
	char folder[400];
	if (runs > BENCH_MAX_RUNS)
		runs = BENCH_MAX_RUNS;
	snprintf(folder, sizeof folder, "%s%s", data ? data : build, data ? "" : "/bench-data");
	(void)mkdir(folder, 0777);
	snprintf(t.path, sizeof t.path, "%s/loops.ete", folder);
	snprintf(t.code, sizeof t.code, "%s/loops.bin", folder);
	snprintf(t.framed, sizeof t.framed, "%s/loops.frames", folder);
	if (make(&t, setting("BENCH_INSNS", quick ? 5000000 : 50000000)) != 0 || make_framed(&t) != 0) {
		fprintf(stderr, "bench: %s: %s\n", t.path, strerror(errno));
		return 1;
	}
	for (unsigned i = 0; i < jobs; i++) {
		w[i] = (struct work){.t = &t};
		job[i] = (struct bench_job){.run = runs_of[i], .arg = &w[i]};
	}
	if (bench_time(job, jobs, runs) < 0)
		return 1;
	for (unsigned i = 0; i < jobs; i++)
		if (w[i].insns != t.insns || w[i].ranges != t.ranges) {
			fprintf(stderr, "bench: job %u: %llu instructions in %llu ranges, not %llu in %llu\n",
			        i, (unsigned long long)w[i].insns, (unsigned long long)w[i].ranges,
			        (unsigned long long)t.insns, (unsigned long long)t.ranges);
			return 1;
		}
	printf("ETE: %.0f M instructions, %.0f M ranges, %.1f MB\n\n", (double)t.insns * 1e-6,
	       (double)t.ranges * 1e-6, (double)t.n * 1e-6);
	bench_head();
	const struct bench_job *const alone = &job[ELEMENTS];
	row("loops.ete: ranges", "M ranges/s", t.ranges, &job[FLOW], alone, lone, runs, 25);
	row("loops.ete: ranges", "M insn/s", t.insns, &job[FLOW], alone, lone, runs, 100);
	row("loops.ete: one by one", "M insn/s", t.insns, &job[INSNS], &job[FLOW], "ranges", runs, 0);
	row("loops.ete: batches, every array", "M insn/s", t.insns, &job[BATCHES], alone, lone, runs,
	    50);
	row("loops.ete: count", "M insn/s", t.insns, &job[COUNT], alone, lone, runs, 0);
	row("loops.frames: count", "M insn/s", t.insns, &job[FRAMED], alone, lone, runs, 0);
	if (jobs == ALL) {
		row("OpenCSD: full decode", "M ranges/s", t.ranges, &job[OPENCSD], alone, lone, runs, 0);
		row("OpenCSD: full decode", "M insn/s", t.insns, &job[OPENCSD], alone, lone, runs, 0);
	} else {
		bench_absent("OpenCSD: full decode", "libopencsd-dev is not installed");
	}
	free(t.bytes);
	return 0;
}

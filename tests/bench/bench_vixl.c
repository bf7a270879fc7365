/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading VIXL state traces, beside the least work that anything of the kind must do.
 *
 *   bench_vixl BUILD [LOG…]
 *
 * BENCH_RUNS, BENCH_DATA and BENCH_QUICK as for bench_stf; BENCH_BYTES is the size of the
 * logs. They are made by repeating a log with other values each time: those named, or
 * real ones from CAIRN_TEST_DATA, or a small loop that is in here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "cairn/cairn.h"
#include "formats/vixl/vixl.h"
#include "io/io.h"
#include "limits.h"
#include "measure.h"

static const char loop[] =
	"0x00007f826cec9014  f8408424\t\tldr x4, [x1], #8\n"
	"#             x4: 0x312a231c150e0700 <- 0x00007f826c83d000\n"
	"#             x1: 0x00007f826c83d008\n"
	"0x00007f826cec9018  8b840c63\t\tadd x3, x3, x4, asr #3\n"
	"#             x3: 0x0625446382a1c0e0\n"
	"0x00007f826cec901c  4a040065\t\teor w5, w3, w4\n"
	"#             w5:         0x97afc7e0\n"
	"0x00007f826cec9020  b9040025\t\tstr w5, [x1, #1024]\n"
	"#       x5<31:0>:         0x97afc7e0 -> 0x00007f826c83d408\n"
	"0x00007f826cec9024  39400c27\t\tldrb w7, [x1, #3]\n"
	"#             w7:         0x0000004d\n"
	"#                                  \xe2\x95\x99\xe2\x94\x80 0x4d <- 0x00007f826c83d00b\n"
	"0x00007f826cec9030  f1000442\t\tsubs x2, x2, #0x1 (1)\n"
	"# NZCV: N:0 Z:0 C:1 V:0\n"
	"#             x2: 0x000000000000000f\n"
	"0x00007f826cec9034  54ffff01\t\tb.ne #-0x20 (addr 0x7f826cec9014)\n"
	"# Branch to 0x00007f826cec9014.\n";

struct trace {
	char path[512], name[64];
	uint64_t insns, bytes, lines;
};

/* ---- making logs ---- */

/* The template, one line after another; again and again until it is large enough. */
static int repeat(struct trace *trace, const char *p, size_t n, uint64_t bytes)
{
	static struct vixl_plain plain;
	static char out[VIXL_LINE_MAX + VIXL_STATE_MAX + 1];
	FILE *f = fopen(trace->path, "wb");
	if (!f)
		return -1;
	trace->insns = trace->bytes = trace->lines = 0;
	for (uint64_t round = 0; trace->bytes < bytes; round++) {
		const char *end = p + n;
		for (const char *q = p; q < end;) {
			const char *e, *next = text_line_ends(q, end, &e);
			struct vixl_line line;
			vixl_parse(q, (size_t)(e - q), &line, &plain);
			if (vixl_is_register(line.kind) || line.kind == VIXL_ACCESS)
				line.value[0] += round * 0x9e3779b1u;
			memcpy(out, q, line.prefix);
			size_t k = line.prefix + vixl_print(&line, out + line.prefix);
			out[k++] = '\n';
			trace->insns += line.kind == VIXL_INSN;
			trace->bytes += fwrite(out, 1, k, f);
			trace->lines++;
			q = next;
		}
	}
	return fclose(f);
}

static int make(struct cairn *cairn, struct trace *trace, const char *from, uint64_t bytes)
{
	struct base_buf buf;
	struct io_source *io;
	int64_t n = 0;
	if (!from)
		return repeat(trace, loop, sizeof loop - 1, bytes);
	base_buf_init(&buf, cairn);
	if (io_open(cairn, from, &io) < 0)
		return -1;
	do {
		if (base_buf_reserve(&buf, 1 << 20) < 0)
			break;
		n = io_read(io, buf.data + buf.len, 1 << 20);
		buf.len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	io_close(io);
	int rc = n < 0 ? -1 : repeat(trace, (const char *)buf.data, buf.len, bytes);
	base_buf_free(&buf);
	return rc;
}

/* ---- jobs ---- */

struct work {
	const struct trace *trace;
	unsigned threads;
	uint64_t seen;
};

static int said(struct cairn *cairn)
{
	fprintf(stderr, "bench: %s\n", cairn_error_text(cairn));
	cairn_free(cairn);
	return -1;
}

static int run_newlines(void *arg)
{
	struct work *work = arg;
	return bench_newlines(work->trace->path, &work->seen);
}

static int feed(void *user, void *partial, const struct cairn_batch *batch)
{
	struct work *work = user;
	(void)partial;
	__atomic_fetch_add(&work->seen, batch->n_insns, __ATOMIC_RELAXED);
	return 0;
}

static int fold(void *user, void *partial)
{
	(void)user;
	(void)partial;
	return 0;
}

static int begin(void *user, void **partial)
{
	*partial = user;
	return 0;
}

static int run_read(void *arg)
{
	static const struct cairn_reducer red = {.size = sizeof red,
	                                         .begin = begin,
	                                         .feed = feed,
	                                         .fold = fold};
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	if (cairn_open(cairn, work->trace->path, NULL, &reader) < 0)
		return said(cairn);
	work->seen = 0;
	int rc = cairn_run(reader, &red, work, UINT64_MAX, work->threads);
	cairn_close(reader);
	if (rc < 0)
		return said(cairn);
	cairn_free(cairn);
	return 0;
}

static int run_count(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	if (cairn_open(cairn, work->trace->path, NULL, &reader) < 0)
		return said(cairn);
	int rc = cairn_count(reader, work->threads, &tally);
	work->seen = tally.instructions;
	cairn_close(reader);
	if (rc < 0)
		return said(cairn);
	cairn_free(cairn);
	return 0;
}

/* ---- rows ---- */

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

enum { LINES, READ, COUNT, READ_2, COUNT_2, JOBS };

static void row(const struct trace *trace, const char *what, const struct bench_job *job,
                const struct bench_job *limit, const char *which, unsigned runs,
                enum bench_clock clock, struct bench_goal goal, bool on_ratio)
{
	char name[128];
	double mb = (double)trace->bytes * 1e-6;
	snprintf(name, sizeof name, "%s: %s", trace->name, what);
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "MB/s",
	                                .limit = which,
	                                .figure = mb / job->seconds[clock],
	                                .limit_figure = mb / limit->seconds[clock],
	                                .ratio = bench_ratio(job, limit, runs, clock),
	                                .goal = goal,
	                                .on_ratio = on_ratio});
}

static int measure(const struct trace *trace, unsigned runs)
{
	static int (*const runs_of[JOBS])(void *) = {run_newlines, run_read, run_count, run_read,
	                                             run_count};
	struct bench_job job[JOBS];
	struct work work[JOBS];
	for (unsigned i = 0; i < JOBS; i++) {
		work[i] = (struct work){.trace = trace, .threads = i >= READ_2 ? 2 : 1};
		job[i] = (struct bench_job){.run = runs_of[i], .arg = &work[i]};
	}
	if (bench_time(job, JOBS, runs) < 0)
		return -1;
	for (unsigned i = READ; i < JOBS; i++)
		if (work[i].seen != trace->insns) {
			fprintf(stderr, "bench: %llu instructions, not %llu\n",
			        (unsigned long long)work[i].seen, (unsigned long long)trace->insns);
			return -1;
		}
	row(trace, "batches, every array", &job[READ], &job[LINES], "newlines", runs, BENCH_CORE,
	    (struct bench_goal){500, false}, false);
	row(trace, "count", &job[COUNT], &job[LINES], "newlines", runs, BENCH_CORE,
	    (struct bench_goal){900, false}, false);
	/* What two threads do more than one decides how much they can gain: 1.8 times. */
	row(trace, "batches, 2 threads, all work", &job[READ_2], &job[READ], "1 thread", runs,
	    BENCH_CORE, (struct bench_goal){1.11, true}, true);
	row(trace, "batches, 2 threads", &job[READ_2], &job[READ], "1 thread", runs, BENCH_WALL,
	    (struct bench_goal){0.556, true}, true);
	row(trace, "count, 2 threads, all work", &job[COUNT_2], &job[COUNT], "1 thread", runs,
	    BENCH_CORE, (struct bench_goal){1.11, true}, true);
	row(trace, "count, 2 threads", &job[COUNT_2], &job[COUNT], "1 thread", runs, BENCH_WALL,
	    (struct bench_goal){0.556, true}, true);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const real[] = {"generated/int-vl128-logall.txt",
	                                   "generated/neon-vl128-logall.txt",
	                                   "generated/sve-vl256-logall.txt", "reference/log-all-colour",
	                                   "older/log-all.v1.13-2016-05"};
	enum { REAL = sizeof real / sizeof *real };
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5);
	const char *data = getenv("BENCH_DATA"), *test = getenv("CAIRN_TEST_DATA");
	const char *build = argc > 1 ? argv[1] : "build-release";
	uint64_t bytes = setting("BENCH_BYTES", quick ? 100000000 : 500000000);
	unsigned n = argc > 2 ? (unsigned)argc - 2 : test ? (unsigned)REAL : 1;
	struct cairn *cairn = cairn_new(NULL);
	char folder[400];
	runs = runs > BENCH_MAX_RUNS ? (unsigned)BENCH_MAX_RUNS : runs;
	snprintf(folder, sizeof folder, "%s%s", data ? data : build, data ? "" : "/bench-data");
	(void)mkdir(folder, 0777);
	for (unsigned i = 0; i < n; i++) {
		char from[512] = "";
		struct trace trace = {.name = "loop"};
		if (argc > 2)
			snprintf(from, sizeof from, "%s", argv[i + 2]);
		else if (test)
			snprintf(from, sizeof from, "%s/vixl/%s", test, real[i]);
		if (*from) {
			const char *slash = strrchr(from, '/');
			snprintf(trace.name, sizeof trace.name, "%.63s", slash ? slash + 1 : from);
		}
		snprintf(trace.path, sizeof trace.path, "%s/bench.vixl", folder);
		if (make(cairn, &trace, *from ? from : NULL, bytes) != 0) {
			fprintf(stderr, "bench: %s: %s\n", trace.path, strerror(errno));
			return 1;
		}
		printf("\nVIXL: %.0f MB, %.1f M instructions, %.1f lines each\n\n",
		       (double)trace.bytes * 1e-6, (double)trace.insns * 1e-6,
		       (double)trace.lines / (double)trace.insns);
		bench_head();
		if (measure(&trace, runs) < 0)
			return 1;
		if (!setting("BENCH_KEEP", 0))
			remove(trace.path);
	}
	cairn_free(cairn);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading RST and writing it, beside the least work that anything of the kind must do.
 *
 *   bench_rst BUILD
 *
 * BENCH_INSNS, BENCH_RUNS, BENCH_DATA and BENCH_QUICK as for bench_stf. The trace is
 * a loop nest with calls, loads and stores on two CPUs, with a difference of
 * addresses now and then and a trap every few thousand instructions; so it is about
 * as regular as the traces of simulators are.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "cairn/cairn.h"
#include "limits.h"
#include "measure.h"

enum { SIZE = CAIRN_RST_SIZE, BODY = 24 };

struct trace {
	char path[512];
	uint64_t insns, records;
};

/* ---- the trace ---- */

struct making {
	FILE *f;
	uint64_t records;
};

static void record(struct making *making, unsigned type, uint32_t word, uint32_t enc, uint64_t a,
                   uint64_t b)
{
	uint8_t p[SIZE];
	uint64_t head = (uint64_t)type << 56 | (uint64_t)word << 32 | enc;
	const uint64_t words[3] = {head, a, b};
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 8; k++)
			p[8 * i + k] = (uint8_t)(words[i] >> (56 - 8 * k));
	making->records += fwrite(p, SIZE, 1, making->f) == 1;
}

/* One round of the loop on a CPU: 24 instructions, a branch back to the first. */
static void round_of(struct making *making, uint32_t cpu, uint64_t index)
{
	static const uint32_t code[BODY] = {0xc25a2008, 0x82006001, 0xc2722008, 0x80a26001, 0x92026001,
	                                    0x9410000a, 0xd65aa000, 0x9602e008, 0xd672a000, 0x01000000,
	                                    0x8d3b2003, 0x9a0b600f, 0x03000404, 0x82106123, 0xc4186000,
	                                    0x88010002, 0xc8386000, 0x8a100004, 0x90022008, 0x80a22100,
	                                    0xda4a0000, 0x9a036001, 0x12bfffea, 0x01000000};
	uint64_t pc = 0x100000 + 0x1000 * (index / 4096 % 64);
	for (unsigned k = 0; k < BODY; k++) {
		bool memory = code[k] >> 30 == 3, branch = k == BODY - 2;
		uint32_t bits = memory ? 0x40 : branch ? 0x44 : 0;
		uint64_t ea = memory ? 0x400000 + (index * 8 + 64 * k) % 0x100000 : branch ? pc : 0;
		record(making, CAIRN_RST_INSTR, bits << 16 | cpu << 10, code[k], pc + 4 * k, ea);
	}
}

static int make(struct trace *trace)
{
	struct making making = {.f = fopen(trace->path, "wb")};
	if (!making.f)
		return -1;
	record(&making, CAIRN_RST_RSTHEADER, 0x020d25, 0x52535420, UINT64_C(0x4865616465722076),
	       UINT64_C(0x322e313300000000));
	record(&making, CAIRN_RST_TRACEINFO, 0x020001, 0, 0, 0);
	for (uint64_t n = 0, i = 0; n < trace->insns; n += BODY, i++) {
		uint32_t cpu = (uint32_t)(i / 100 % 2);
		if (i % 4 == 0)
			record(&making, CAIRN_RST_PAVADIFF, (0x80u | cpu) << 16, 0x02a502a5, 0x400000,
			       0x800000 + 0x10000 * (i % 64));
		if (i % 200 == 199) {
			record(&making, CAIRN_RST_TRAP, 0x800000 | cpu << 10 | 0x4e, 0x00120000, 0x100000,
			       0x100004);
			record(&making, CAIRN_RST_REGVAL, cpu << 16 | 0x0105, 0x0e000000, i, 0);
		}
		round_of(&making, cpu, i);
	}
	trace->insns = (trace->insns + BODY - 1) / BODY * BODY;
	trace->records = making.records;
	return fclose(making.f);
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

static int run_touch(void *arg)
{
	return bench_touch(((struct work *)arg)->trace->path);
}

static int run_read(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	int rc;
	if (cairn_open(cairn, work->trace->path, NULL, &reader) < 0)
		return said(cairn);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	work->seen = 0;
	while ((rc = cairn_next(reader, batch)) == 1)
		work->seen += batch->n_insns;
	cairn_batch_free(cairn, batch);
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

/* Into nothing: another packing, the last tenth as a trace of its own, and batches. */
static int run_change(struct work *work, const char *to, bool slice)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	struct cairn_changed done = {.size = sizeof done};
	struct cairn_output out = {.size = sizeof out,
	                           .path = "/dev/null",
	                           .to = to,
	                           .threads = work->threads};
	const struct cairn_range tail = {work->trace->insns / 10 * 9 + 1, UINT64_MAX};
	struct cairn_slice_opts opts = {.size = sizeof opts, .ranges = &tail, .n_ranges = 1};
	if (cairn_open(cairn, work->trace->path, NULL, &reader) < 0)
		return said(cairn);
	int rc = slice ? cairn_slice(reader, &opts, &out, &done) : cairn_convert(reader, &out, &done);
	work->seen = done.instructions + (slice ? tail.first - 1 : 0);
	cairn_changed_free(cairn, &done);
	cairn_close(reader);
	if (rc < 0)
		return said(cairn);
	cairn_free(cairn);
	return 0;
}

static int run_stf(void *arg)
{
	return run_change(arg, "stf", false);
}

/* On two threads a conversion should take what the slower of reading and writing takes
 * alone: writing is what one thread needs beyond reading. */
static void convert_row(double insns, const struct bench_job *one, const struct bench_job *two,
                        const struct bench_job *read)
{
	double reading = read->seconds[BENCH_CORE], writing = one->seconds[BENCH_CORE] - reading;
	double slower = reading > writing ? reading : writing;
	bool busy = read->seconds[BENCH_WALL] > 1.1 * reading;
	bench_print(&(struct bench_row){.name = "loop.rst: convert to STF, 2 threads",
	                                .unit = "M insn/s",
	                                .figure = insns / two->seconds[BENCH_WALL],
	                                .limit = reading > writing ? "reading alone" : "writing alone",
	                                .limit_figure = insns / slower,
	                                .ratio = two->seconds[BENCH_WALL] / slower,
	                                .goal = {1.2, true},
	                                .on_ratio = true,
	                                .unjudged = busy ? "cores busy" : NULL});
}

static int run_check(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_open_opts open = {.size = sizeof open, .lenient = 1, .no_index = 1};
	struct cairn_check_opts opts = {.size = sizeof opts, .threads = work->threads};
	struct cairn_check_result res = {.size = sizeof res};
	struct cairn_reader *reader;
	if (cairn_open(cairn, work->trace->path, &open, &reader) < 0)
		return said(cairn);
	int rc = cairn_check(reader, &opts, &res);
	work->seen = rc < 0 ? 0 : work->trace->insns;
	cairn_close(reader);
	if (rc < 0)
		return said(cairn);
	cairn_free(cairn);
	return 0;
}

static int run_copy(void *arg)
{
	return run_change(arg, "rst:raw", false);
}

static int run_zip(void *arg)
{
	return run_change(arg, "rst:rstzip", false);
}

static int run_slice(void *arg)
{
	return run_change(arg, "rst:raw", true);
}

static int run_down(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	struct cairn_writer *out;
	struct cairn_create_opts opts = {.size = sizeof opts, .to = "rst"};
	int rc;
	if (cairn_open(cairn, work->trace->path, NULL, &reader) < 0 ||
	    cairn_create(cairn, "/dev/null", &opts, &out) < 0)
		return said(cairn);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	work->seen = 0;
	rc = cairn_writer_from(out, reader);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) == 1) {
		work->seen += batch->n_insns;
		rc = cairn_put(out, batch);
	}
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
	if (rc < 0 || cairn_finish(out, NULL) < 0)
		return said(cairn);
	cairn_free(cairn);
	return 0;
}

/* A histogram of record types: what a scan must at least do. */
static int run_histogram(void *arg)
{
	struct work *work = arg;
	uint64_t by[256] = {0};
	static uint8_t buf[SIZE << 12];
	FILE *f = fopen(work->trace->path, "rb");
	if (!f)
		return -1;
	for (size_t n; (n = fread(buf, SIZE, 1 << 12, f)) > 0;)
		for (size_t i = 0; i < n; i++)
			by[buf[i * SIZE]]++;
	fclose(f);
	work->seen = by[CAIRN_RST_INSTR];
	return 0;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);
	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

static void row(const char *name, const char *unit, double amount, const struct bench_job *job,
                const struct bench_job *limit, const char *which, unsigned runs, double goal)
{
	bench_print(&(struct bench_row){.name = name,
	                                .unit = unit,
	                                .limit = which,
	                                .figure = amount / job->seconds[BENCH_CORE],
	                                .limit_figure = amount / limit->seconds[BENCH_CORE],
	                                .ratio = bench_ratio(job, limit, runs, BENCH_CORE),
	                                .goal = {goal, false}});
}

int main(int argc, char **argv)
{
	enum {
		TOUCH,
		HISTOGRAM,
		READ,
		COUNT,
		COPY,
		ZIP,
		SLICE,
		DOWN,
		STF,
		STF_2,
		CHECK,
		CHECK_2,
		JOBS
	};
	static int (*const runs_of[JOBS])(void *) = {run_touch, run_histogram, run_read,  run_count,
	                                             run_copy,  run_zip,       run_slice, run_down,
	                                             run_stf,   run_stf,       run_check, run_check};
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5);
	const char *data = getenv("BENCH_DATA"), *build = argc > 1 ? argv[1] : "build-release";
	struct trace trace = {.insns = setting("BENCH_INSNS", quick ? 5000000 : 50000000)};
	struct bench_job job[JOBS];
	struct work work[JOBS];
	char folder[400];
	if (runs > BENCH_MAX_RUNS)
		runs = BENCH_MAX_RUNS;
	snprintf(folder, sizeof folder, "%s%s", data ? data : build, data ? "" : "/bench-data");
	(void)mkdir(folder, 0777);
	snprintf(trace.path, sizeof trace.path, "%s/loop.rst", folder);
	if (make(&trace) != 0) {
		fprintf(stderr, "bench: %s: %s\n", trace.path, strerror(errno));
		return 1;
	}
	for (unsigned i = 0; i < JOBS; i++) {
		work[i] = (struct work){.trace = &trace, .threads = i == CHECK_2 || i == STF_2 ? 2 : 1};
		job[i] = (struct bench_job){.run = runs_of[i], .arg = &work[i]};
	}
	if (bench_time(job, JOBS, runs) < 0)
		return 1;
	for (unsigned i = HISTOGRAM; i < JOBS; i++)
		if (work[i].seen != trace.insns) {
			fprintf(stderr, "bench: %llu instructions, not %llu\n",
			        (unsigned long long)work[i].seen, (unsigned long long)trace.insns);
			return 1;
		}
	printf("RST: %.0f M instructions, %.2f records each\n\n", (double)trace.insns * 1e-6,
	       (double)trace.records / (double)trace.insns);
	bench_head();
	double insns = (double)trace.insns * 1e-6, records = (double)trace.records * 1e-6;
	row("loop.rst: batches, every array", "M insn/s", insns, &job[READ], &job[TOUCH],
	    "touch memory", runs, 80);
	row("loop.rst: batches, every array", "M insn/s", insns, &job[READ], &job[HISTOGRAM],
	    "histogram by read", runs, 0);
	/* Either will do: so many records, or half as fast as touching them. */
	bool half = bench_ratio(&job[COUNT], &job[TOUCH], runs, BENCH_CORE) <= 2;
	row("loop.rst: count", "M records/s", records, &job[COUNT], &job[TOUCH], "touch memory", runs,
	    half ? 0 : 150);
	row("loop.rst: convert, raw", "M records/s", records, &job[COPY], &job[TOUCH], "touch memory",
	    runs, 0);
	row("loop.rst: convert to rstzip 3", "M records/s", records, &job[ZIP], &job[TOUCH],
	    "touch memory", runs, 0);
	row("loop.rst: slice of the last tenth", "M insn/s", insns, &job[SLICE], &job[TOUCH],
	    "touch memory", runs, 0);
	row("loop.rst: written from batches", "M insn/s", insns, &job[DOWN], &job[READ], "reading them",
	    runs, 0);
	convert_row(insns, &job[STF], &job[STF_2], &job[READ]);
	row("loop.rst: check", "M records/s", records, &job[CHECK], &job[TOUCH], "touch memory", runs,
	    15);
	bench_print(
		&(struct bench_row){.name = "loop.rst: check, 2 threads",
	                        .unit = "M records/s",
	                        .limit = "one thread",
	                        .figure = records / job[CHECK_2].seconds[BENCH_WALL],
	                        .limit_figure = records / job[CHECK].seconds[BENCH_WALL],
	                        .ratio = bench_ratio(&job[CHECK_2], &job[CHECK], runs, BENCH_WALL)});
	return 0;
}

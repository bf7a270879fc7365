/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make bench: how fast STF is read, beside what the machine can do at all.
 *
 *   bench_stf BUILD
 *
 * Traces are made once, in BUILD/bench-data or $BENCH_DATA. BENCH_INSNS changes
 * their length (100 million instructions), BENCH_RUNS the number of rounds (5);
 * BENCH_QUICK=1 is short and rough. docs/performance.md explains the rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bench.h"
#include "cairn/cairn.h"
#include "limits.h"

static const char *const names[BENCH_KINDS] = {"lean", "full", "random"};

/* ---- the traces ---- */

static void path_of(const struct bench *bench, const char *name, const char *suffix, char *buf,
                    size_t size)
{
	snprintf(buf, size, "%s/%s-%llu.%s", bench->data, name, (unsigned long long)bench->insns,
	         suffix);
}

/* What a trace holds is kept beside it; there only when it was made completely. */
static bool remembered(const char *note, struct bench_made *made)
{
	FILE *f = fopen(note, "rb");
	bool good = f && fread(made, sizeof *made, 1, f) == 1;
	if (f)
		fclose(f);
	return good;
}

static int remember(const char *note, const struct bench_made *made)
{
	FILE *f = fopen(note, "wb");
	bool good = f && fwrite(made, sizeof *made, 1, f) == 1;
	if (f && fclose(f) != 0)
		good = false;
	return good ? 0 : -1;
}

static int prepare_trace(struct bench *bench, enum bench_kind kind, const char *name,
                         uint64_t insns, struct bench_trace *trace)
{
	char note[sizeof trace->stf];
	trace->name = name;
	path_of(bench, name, "stf", trace->stf, sizeof trace->stf);
	path_of(bench, name, "zstf", trace->zstf, sizeof trace->zstf);
	path_of(bench, name, "made", note, sizeof note);
	if (!remembered(note, &trace->made)) {
		fprintf(stderr, "making the %s trace, %llu instructions …\n", name,
		        (unsigned long long)insns);
		if (bench_generate(kind, insns, trace->stf, trace->zstf, &trace->made) < 0 ||
		    remember(note, &trace->made) < 0) {
			fprintf(stderr, "bench: %s: %s\n", trace->stf, strerror(errno));
			return -1;
		}
	}
	struct stat st;
	trace->zstf_bytes = stat(trace->zstf, &st) == 0 ? (uint64_t)st.st_size : 0;
	return 0;
}

static int prepare(struct bench *bench)
{
	enum { PER_INSN = 120 }; /* bytes of all the files together, and to spare */
	struct statvfs fs;
	if (mkdir(bench->data, 0777) < 0 && errno != EEXIST) {
		fprintf(stderr, "bench: %s: %s\n", bench->data, strerror(errno));
		return -1;
	}
	if (statvfs(bench->data, &fs) == 0) {
		uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize / PER_INSN;
		if (room < bench->insns) {
			bench->insns = room;
			fprintf(stderr, "bench: room for only %llu instructions in %s\n",
			        (unsigned long long)room, bench->data);
		}
	}
	for (unsigned i = 0; i < BENCH_KINDS; i++)
		if (prepare_trace(bench, (enum bench_kind)i, names[i], bench->insns, &bench->trace[i]) < 0)
			return -1;
	/* Text is many times larger, and slower. */
	uint64_t few = bench->insns / 20 < 1000000 ? 1000000 : bench->insns / 20;
	return prepare_trace(bench, BENCH_LEAN, "lean-text", few, &bench->text);
}

/* ---- what is measured ---- */

struct work {
	const struct bench_trace *trace;
	const char *path;
	unsigned threads;
	uint64_t insns; /* seen; checked against what was made */
};

static int failed(struct cairn *cairn, const char *path)
{
	fprintf(stderr, "bench: %s: %s\n", path, cairn_error_text(cairn));
	return -1;
}

static int run_read(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader;
	uint64_t n = 0;
	int rc = cairn_open(cairn, work->path, NULL, &reader);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) == 1)
		n += batch->n_insns;
	work->insns = n;
	rc = rc < 0 ? failed(cairn, work->path) : 0;
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
	return rc;
}

static int run_count(void *arg)
{
	struct work *work = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader;
	struct cairn_tally tally = {.size = sizeof tally};
	int rc = cairn_open(cairn, work->path, NULL, &reader);
	if (rc >= 0)
		rc = cairn_count(reader, work->threads, &tally);
	work->insns = tally.instructions;
	rc = rc < 0 ? failed(cairn, work->path) : 0;
	cairn_close(reader);
	cairn_free(cairn);
	return rc;
}

static int run_touch(void *arg)
{
	struct work *work = arg;
	work->insns = work->trace->made.insns;
	return bench_touch(work->path);
}

static int run_copy(void *arg)
{
	struct work *work = arg;
	work->insns = work->trace->made.insns;
	return bench_copy(work->path);
}

static int run_walk(void *arg)
{
	struct work *work = arg;
	return bench_bare_walk(work->path, &work->insns);
}

static int run_flat(void *arg)
{
	struct work *work = arg;
	return bench_flat_arrays(work->path, &work->insns);
}

static int run_chunks(void *arg)
{
	struct work *work = arg;
	return bench_bare_chunks(work->path, work->threads, 1, &work->insns);
}

static int run_unzstd(void *arg)
{
	struct work *work = arg;
	int rc = bench_bare_chunks(work->path, work->threads, 0, &work->insns);
	work->insns = work->trace->made.insns;
	return rc;
}

/* Everything must have seen the whole trace, or it measured something else. */
static int check_seen(const struct work *work, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (work[i].insns != work[i].trace->made.insns) {
			fprintf(stderr, "bench: %s: %llu instructions seen, %llu were made\n", work[i].path,
			        (unsigned long long)work[i].insns,
			        (unsigned long long)work[i].trace->made.insns);
			return -1;
		}
	return 0;
}

/* ---- rows ---- */

/* `amount` per second of a core: of the job, and of its limit. */
static void rate(const struct bench *bench, const char *name, const char *unit, double amount,
                 const struct bench_job *job, const struct bench_job *limit, const char *which,
                 double at_least)
{
	bench_print(&(struct bench_row){.name = name,
	                                .unit = unit,
	                                .limit = which,
	                                .figure = amount / job->seconds[BENCH_CORE],
	                                .limit_figure = amount / limit->seconds[BENCH_CORE],
	                                .ratio = bench_ratio(job, limit, bench->runs, BENCH_CORE),
	                                .goal = {at_least, false}});
}

static int raw_rows(const struct bench *bench, enum bench_kind kind, double goal)
{
	enum { TOUCH, COPY, WALK, FLAT, READ, COUNT, JOBS };
	static int (*const runs[JOBS])(void *) = {run_touch, run_copy, run_walk,
	                                          run_flat,  run_read, run_count};
	const struct bench_trace *trace = &bench->trace[kind];
	struct bench_job job[JOBS];
	struct work work[JOBS];
	char name[64];
	for (unsigned i = 0; i < JOBS; i++) {
		work[i] = (struct work){.trace = trace, .path = trace->stf, .threads = 1};
		job[i] = (struct bench_job){.run = runs[i], .arg = &work[i]};
	}
	if (bench_time(job, JOBS, bench->runs) < 0 || check_seen(work, JOBS) < 0)
		return -1;
	double insns = (double)trace->made.insns * 1e-6, records = (double)trace->made.records * 1e-6;
	double bytes = (double)trace->made.bytes * 1e-9;
	snprintf(name, sizeof name, "%s.stf: batches, every array", trace->name);
	rate(bench, name, "M insn/s", insns, &job[READ], &job[TOUCH], "touch memory", goal);
	rate(bench, name, "M insn/s", insns, &job[READ], &job[COPY], "memcpy", 0);
	rate(bench, name, "M insn/s", insns, &job[READ], &job[WALK], "bare walk", 0);
	rate(bench, name, "M insn/s", insns, &job[READ], &job[FLAT], "plain flat arrays", 0);
	snprintf(name, sizeof name, "%s.stf: count", trace->name);
	/* Either will do. */
	double per_second = records / job[COUNT].seconds[BENCH_CORE];
	double gigabytes = bytes / job[COUNT].seconds[BENCH_CORE];
	bool by_bytes = per_second < 250 && gigabytes >= 3;
	rate(bench, name, "M records/s", records, &job[COUNT], &job[WALK], "bare walk",
	     by_bytes || kind == BENCH_RANDOM ? 0 : 250);
	rate(bench, name, "GB/s", bytes, &job[COUNT], &job[TOUCH], "touch memory", by_bytes ? 3 : 0);
	return 0;
}

static int chunk_rows(const struct bench *bench, enum bench_kind kind)
{
	enum { UNZSTD, COUNT1, BARE1, COUNT2, BARE2, JOBS };
	static int (*const runs[JOBS])(void *) = {run_unzstd, run_count, run_chunks, run_count,
	                                          run_chunks};
	const struct bench_trace *trace = &bench->trace[kind];
	struct bench_job job[JOBS];
	struct work work[JOBS];
	char name[64];
	for (unsigned i = 0; i < JOBS; i++) {
		work[i] =
			(struct work){.trace = trace, .path = trace->zstf, .threads = i >= COUNT2 ? 2 : 1};
		job[i] = (struct bench_job){.run = runs[i], .arg = &work[i]};
	}
	if (bench_time(job, JOBS, bench->runs) < 0 || check_seen(work, JOBS) < 0)
		return -1;
	double insns = (double)trace->made.insns * 1e-6;
	bool judged = kind != BENCH_RANDOM;
	double speedup = bench_ratio(&job[COUNT1], &job[COUNT2], bench->runs, BENCH_WALL);
	double bare = bench_ratio(&job[BARE1], &job[BARE2], bench->runs, BENCH_WALL);
	/* When not even that is faster with two, others have the cores. */
	const char *busy = bare < 1.8 ? "cores busy" : NULL;
	snprintf(name, sizeof name, "%s.zstf: count, 1 thread", trace->name);
	rate(bench, name, "M insn/s", insns, &job[COUNT1], &job[UNZSTD], "zstd alone", 0);
	for (unsigned i = COUNT1; i <= COUNT2; i += COUNT2 - COUNT1) {
		for (unsigned c = BENCH_CLOCKS; c--;) {
			snprintf(name, sizeof name, "%s.zstf: count, %u thread%s%s", trace->name,
			         work[i].threads, work[i].threads > 1 ? "s" : "",
			         c == BENCH_CORE ? ", a core's work" : "");
			bench_print(&(struct bench_row){
				.name = name,
				.unit = "M insn/s",
				.figure = insns / job[i].seconds[c],
				.limit = "zstd + bare walk",
				.limit_figure = insns / job[i + 1].seconds[c],
				.ratio = bench_ratio(&job[i], &job[i + 1], bench->runs, (enum bench_clock)c),
				.goal = {judged && c == BENCH_WALL ? 1.3 : 0, true},
				.on_ratio = true,
				.unjudged = busy});
		}
	}
	snprintf(name, sizeof name, "%s.zstf: 2 threads over 1", trace->name);
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "x",
	                                .figure = speedup,
	                                .limit = "zstd + bare walk",
	                                .limit_figure = bare,
	                                .ratio = bare / speedup,
	                                .goal = {judged ? 1.8 : 0, false},
	                                .unjudged = busy});
	return 0;
}

static void describe(const struct bench_trace *trace)
{
	double n = (double)trace->made.insns;
	printf("%-10s %6.1f M instructions, %.2f records and %.1f bytes each, %.2f GB raw, %.2f GB "
	       ".zstf\n",
	       trace->name, n * 1e-6, (double)trace->made.records / n, (double)trace->made.bytes / n,
	       (double)trace->made.bytes * 1e-9, (double)trace->zstf_bytes * 1e-9);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t v = text ? strtoull(text, NULL, 0) : 0;
	return v ? v : otherwise;
}

static int all_raw_rows(const struct bench *bench)
{
	return raw_rows(bench, BENCH_LEAN, 100) < 0 || raw_rows(bench, BENCH_FULL, 50) < 0
	           ? -1
	           : raw_rows(bench, BENCH_RANDOM, 0);
}

static int all_chunk_rows(const struct bench *bench)
{
	for (unsigned kind = 0; kind < BENCH_KINDS; kind++)
		if (chunk_rows(bench, (enum bench_kind)kind) < 0)
			return -1;
	return 0;
}

/* Groups of rows; BENCH_ROWS names those to run, e.g. "chunks commands". */
static const struct group {
	const char *name;
	int (*run)(const struct bench *bench);
} groups[] = {
	{"raw", all_raw_rows},
	{"write", bench_write_rows},
	{"chunks", all_chunk_rows},
	{"change", bench_change_rows},
	{"commands", bench_command_rows},
	{"analysis", bench_analysis_rows},
};

static bool wanted(const struct group *group)
{
	const char *only = getenv("BENCH_ROWS");
	return !only || strstr(only, group->name);
}

int main(int argc, char **argv)
{
	bool quick = setting("BENCH_QUICK", 0) != 0;
	struct bench bench = {.build = argc > 1 ? argv[1] : "build-release",
	                      .insns = setting("BENCH_INSNS", quick ? 5000000 : 100000000),
	                      .runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5)};
	if (bench.runs > BENCH_MAX_RUNS)
		bench.runs = BENCH_MAX_RUNS;
	if (bench.insns < 1000000)
		bench.insns = 1000000;
	const char *data = getenv("BENCH_DATA");
	snprintf(bench.data, sizeof bench.data, "%s%s", data ? data : bench.build,
	         data ? "" : "/bench-data");
	if (prepare(&bench) < 0)
		return 1;
	for (unsigned i = 0; i < BENCH_KINDS; i++)
		describe(&bench.trace[i]);
	printf(
		"\nMedians of %u rounds on %ld cores. ratio: time over the limit's time in the same "
		"round.\nRows of one thread: time on its core; with threads or in ms: time on the wall; a "
		"core's work:\nthe time of all threads added up.\n\n",
		bench.runs, sysconf(_SC_NPROCESSORS_ONLN));
	bench_head();
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (wanted(&groups[i]) && groups[i].run(&bench) < 0)
			return 1;
	return 0;
}

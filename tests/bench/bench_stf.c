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

static void path_of(const struct bench *k, const char *name, const char *suffix, char *buf,
                    size_t size)
{
	snprintf(buf, size, "%s/%s-%llu.%s", k->data, name, (unsigned long long)k->insns, suffix);
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

static int prepare_trace(struct bench *k, enum bench_kind kind, const char *name, uint64_t insns,
                         struct bench_trace *t)
{
	char note[sizeof t->stf];
	t->name = name;
	path_of(k, name, "stf", t->stf, sizeof t->stf);
	path_of(k, name, "zstf", t->zstf, sizeof t->zstf);
	path_of(k, name, "made", note, sizeof note);
	if (!remembered(note, &t->made)) {
		fprintf(stderr, "making the %s trace, %llu instructions …\n", name,
		        (unsigned long long)insns);
		if (bench_generate(kind, insns, t->stf, t->zstf, &t->made) < 0 ||
		    remember(note, &t->made) < 0) {
			fprintf(stderr, "bench: %s: %s\n", t->stf, strerror(errno));
			return -1;
		}
	}
	struct stat st;
	t->zstf_bytes = stat(t->zstf, &st) == 0 ? (uint64_t)st.st_size : 0;
	return 0;
}

static int prepare(struct bench *k)
{
	enum { PER_INSN = 120 }; /* bytes of all the files together, and to spare */
	struct statvfs fs;
	if (mkdir(k->data, 0777) < 0 && errno != EEXIST) {
		fprintf(stderr, "bench: %s: %s\n", k->data, strerror(errno));
		return -1;
	}
	if (statvfs(k->data, &fs) == 0) {
		uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize / PER_INSN;
		if (room < k->insns) {
			k->insns = room;
			fprintf(stderr, "bench: room for only %llu instructions in %s\n",
			        (unsigned long long)room, k->data);
		}
	}
	for (unsigned i = 0; i < BENCH_KINDS; i++)
		if (prepare_trace(k, (enum bench_kind)i, names[i], k->insns, &k->trace[i]) < 0)
			return -1;
	/* Text is many times larger, and slower. */
	uint64_t few = k->insns / 20 < 1000000 ? 1000000 : k->insns / 20;
	return prepare_trace(k, BENCH_LEAN, "lean-text", few, &k->text);
}

/* ---- what is measured ---- */

struct work {
	const struct bench_trace *t;
	const char *path;
	unsigned threads;
	uint64_t insns; /* seen; checked against what was made */
};

static int failed(struct cairn *c, const char *path)
{
	fprintf(stderr, "bench: %s: %s\n", path, cairn_error_text(c));
	return -1;
}

static int run_read(void *arg)
{
	struct work *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_batch *b = cairn_batch_new(c);
	struct cairn_reader *r;
	uint64_t n = 0;
	int rc = cairn_open(c, w->path, NULL, &r);
	while (rc >= 0 && (rc = cairn_next(r, b)) == 1)
		n += b->n_insns;
	w->insns = n;
	rc = rc < 0 ? failed(c, w->path) : 0;
	cairn_close(r);
	cairn_batch_free(c, b);
	cairn_free(c);
	return rc;
}

static int run_count(void *arg)
{
	struct work *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r;
	struct cairn_tally t = {0};
	int rc = cairn_open(c, w->path, NULL, &r);
	if (rc >= 0)
		rc = cairn_count(r, w->threads, &t);
	w->insns = t.instructions;
	rc = rc < 0 ? failed(c, w->path) : 0;
	cairn_close(r);
	cairn_free(c);
	return rc;
}

static int run_touch(void *arg)
{
	struct work *w = arg;
	w->insns = w->t->made.insns;
	return bench_touch(w->path);
}

static int run_copy(void *arg)
{
	struct work *w = arg;
	w->insns = w->t->made.insns;
	return bench_copy(w->path);
}

static int run_walk(void *arg)
{
	struct work *w = arg;
	return bench_bare_walk(w->path, &w->insns);
}

static int run_flat(void *arg)
{
	struct work *w = arg;
	return bench_flat_arrays(w->path, &w->insns);
}

static int run_chunks(void *arg)
{
	struct work *w = arg;
	return bench_bare_chunks(w->path, w->threads, 1, &w->insns);
}

static int run_unzstd(void *arg)
{
	struct work *w = arg;
	int rc = bench_bare_chunks(w->path, w->threads, 0, &w->insns);
	w->insns = w->t->made.insns;
	return rc;
}

/* Everything must have seen the whole trace, or it measured something else. */
static int check_seen(const struct work *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (w[i].insns != w[i].t->made.insns) {
			fprintf(stderr, "bench: %s: %llu instructions seen, %llu were made\n", w[i].path,
			        (unsigned long long)w[i].insns, (unsigned long long)w[i].t->made.insns);
			return -1;
		}
	return 0;
}

/* ---- rows ---- */

/* `amount` per second of a core: of the job, and of its limit. */
static void rate(const struct bench *k, const char *name, const char *unit, double amount,
                 const struct bench_job *job, const struct bench_job *limit, const char *which,
                 double at_least)
{
	bench_print(&(struct bench_row){.name = name,
	                                .unit = unit,
	                                .limit = which,
	                                .figure = amount / job->seconds[BENCH_CORE],
	                                .limit_figure = amount / limit->seconds[BENCH_CORE],
	                                .ratio = bench_ratio(job, limit, k->runs, BENCH_CORE),
	                                .goal = {at_least, false}});
}

static int raw_rows(const struct bench *k, enum bench_kind kind, double goal)
{
	enum { TOUCH, COPY, WALK, FLAT, READ, COUNT, JOBS };
	static int (*const runs[JOBS])(void *) = {run_touch, run_copy, run_walk,
	                                          run_flat,  run_read, run_count};
	const struct bench_trace *t = &k->trace[kind];
	struct bench_job job[JOBS];
	struct work w[JOBS];
	char name[64];
	for (unsigned i = 0; i < JOBS; i++) {
		w[i] = (struct work){.t = t, .path = t->stf, .threads = 1};
		job[i] = (struct bench_job){.run = runs[i], .arg = &w[i]};
	}
	if (bench_time(job, JOBS, k->runs) < 0 || check_seen(w, JOBS) < 0)
		return -1;
	double insns = (double)t->made.insns * 1e-6, records = (double)t->made.records * 1e-6;
	double bytes = (double)t->made.bytes * 1e-9;
	snprintf(name, sizeof name, "%s.stf: batches, every array", t->name);
	rate(k, name, "M insn/s", insns, &job[READ], &job[TOUCH], "touch memory", goal);
	rate(k, name, "M insn/s", insns, &job[READ], &job[COPY], "memcpy", 0);
	rate(k, name, "M insn/s", insns, &job[READ], &job[WALK], "bare walk", 0);
	rate(k, name, "M insn/s", insns, &job[READ], &job[FLAT], "plain flat arrays", 0);
	snprintf(name, sizeof name, "%s.stf: count", t->name);
	/* Either will do. */
	double per_second = records / job[COUNT].seconds[BENCH_CORE];
	double gigabytes = bytes / job[COUNT].seconds[BENCH_CORE];
	bool by_bytes = per_second < 250 && gigabytes >= 3;
	rate(k, name, "M records/s", records, &job[COUNT], &job[WALK], "bare walk",
	     by_bytes || kind == BENCH_RANDOM ? 0 : 250);
	rate(k, name, "GB/s", bytes, &job[COUNT], &job[TOUCH], "touch memory", by_bytes ? 3 : 0);
	return 0;
}

static int chunk_rows(const struct bench *k, enum bench_kind kind)
{
	enum { UNZSTD, COUNT1, BARE1, COUNT2, BARE2, JOBS };
	static int (*const runs[JOBS])(void *) = {run_unzstd, run_count, run_chunks, run_count,
	                                          run_chunks};
	const struct bench_trace *t = &k->trace[kind];
	struct bench_job job[JOBS];
	struct work w[JOBS];
	char name[64];
	for (unsigned i = 0; i < JOBS; i++) {
		w[i] = (struct work){.t = t, .path = t->zstf, .threads = i >= COUNT2 ? 2 : 1};
		job[i] = (struct bench_job){.run = runs[i], .arg = &w[i]};
	}
	if (bench_time(job, JOBS, k->runs) < 0 || check_seen(w, JOBS) < 0)
		return -1;
	double insns = (double)t->made.insns * 1e-6;
	bool judged = kind != BENCH_RANDOM;
	double speedup = bench_ratio(&job[COUNT1], &job[COUNT2], k->runs, BENCH_WALL);
	double bare = bench_ratio(&job[BARE1], &job[BARE2], k->runs, BENCH_WALL);
	/* When not even that is faster with two, others have the cores. */
	const char *busy = bare < 1.8 ? "cores busy" : NULL;
	snprintf(name, sizeof name, "%s.zstf: count, 1 thread", t->name);
	rate(k, name, "M insn/s", insns, &job[COUNT1], &job[UNZSTD], "zstd alone", 0);
	for (unsigned i = COUNT1; i <= COUNT2; i += COUNT2 - COUNT1) {
		for (unsigned c = BENCH_CLOCKS; c--;) {
			snprintf(name, sizeof name, "%s.zstf: count, %u thread%s%s", t->name, w[i].threads,
			         w[i].threads > 1 ? "s" : "", c == BENCH_CORE ? ", a core's work" : "");
			bench_print(&(struct bench_row){
				.name = name,
				.unit = "M insn/s",
				.figure = insns / job[i].seconds[c],
				.limit = "zstd + bare walk",
				.limit_figure = insns / job[i + 1].seconds[c],
				.ratio = bench_ratio(&job[i], &job[i + 1], k->runs, (enum bench_clock)c),
				.goal = {judged && c == BENCH_WALL ? 1.3 : 0, true},
				.on_ratio = true,
				.unjudged = busy});
		}
	}
	snprintf(name, sizeof name, "%s.zstf: 2 threads over 1", t->name);
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

static void describe(const struct bench_trace *t)
{
	double n = (double)t->made.insns;
	printf("%-10s %6.1f M instructions, %.2f records and %.1f bytes each, %.2f GB raw, %.2f GB "
	       ".zstf\n",
	       t->name, n * 1e-6, (double)t->made.records / n, (double)t->made.bytes / n,
	       (double)t->made.bytes * 1e-9, (double)t->zstf_bytes * 1e-9);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t v = text ? strtoull(text, NULL, 0) : 0;
	return v ? v : otherwise;
}

static int all_raw_rows(const struct bench *k)
{
	return raw_rows(k, BENCH_LEAN, 100) < 0 || raw_rows(k, BENCH_FULL, 50) < 0
	           ? -1
	           : raw_rows(k, BENCH_RANDOM, 0);
}

static int all_chunk_rows(const struct bench *k)
{
	for (unsigned kind = 0; kind < BENCH_KINDS; kind++)
		if (chunk_rows(k, (enum bench_kind)kind) < 0)
			return -1;
	return 0;
}

/* Groups of rows; BENCH_ROWS names those to run, e.g. "chunks commands". */
static const struct group {
	const char *name;
	int (*run)(const struct bench *k);
} groups[] = {
	{"raw", all_raw_rows},
	{"write", bench_write_rows},
	{"chunks", all_chunk_rows},
	{"change", bench_change_rows},
	{"commands", bench_command_rows},
	{"analysis", bench_analysis_rows},
};

static bool wanted(const struct group *g)
{
	const char *only = getenv("BENCH_ROWS");
	return !only || strstr(only, g->name);
}

int main(int argc, char **argv)
{
	bool quick = setting("BENCH_QUICK", 0) != 0;
	struct bench k = {.build = argc > 1 ? argv[1] : "build-release",
	                  .insns = setting("BENCH_INSNS", quick ? 5000000 : 100000000),
	                  .runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5)};
	if (k.runs > BENCH_MAX_RUNS)
		k.runs = BENCH_MAX_RUNS;
	if (k.insns < 1000000)
		k.insns = 1000000;
	const char *data = getenv("BENCH_DATA");
	snprintf(k.data, sizeof k.data, "%s%s", data ? data : k.build, data ? "" : "/bench-data");
	if (prepare(&k) < 0)
		return 1;
	for (unsigned i = 0; i < BENCH_KINDS; i++)
		describe(&k.trace[i]);
	printf(
		"\nMedians of %u rounds on %ld cores. ratio: time over the limit's time in the same "
		"round.\nRows of one thread: time on its core; with threads or in ms: time on the wall; a "
		"core's work:\nthe time of all threads added up.\n\n",
		k.runs, sysconf(_SC_NPROCESSORS_ONLN));
	bench_head();
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (wanted(&groups[i]) && groups[i].run(&k) < 0)
			return 1;
	return 0;
}

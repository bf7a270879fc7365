/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executing traces: the examples that tell registers and memory, again and again.
 *
 *   bench_execute BUILD
 *
 * Lockstep takes batches that lie in memory, on one core, beside machines that step through the same
 * instructions and compare nothing. `check --execute` reads a file on two threads, beside `check`, and
 * a reader that derives reads it beside one that does not.
 * BENCH_RUNS, BENCH_DATA, BENCH_QUICK and BENCH_INSNS as for bench_stf.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn/cairn.h"
#include "lockstep/lockstep.h"
#include "loops.h"
#include "measure.h"

enum { THREADS = 2, BATCHES = 64 };

struct job {
	const char *example;
	const struct bench_loop *loop; /* instead of an example; NULL: none */
	struct cairn *cairn;
	struct cairn_batch *batch[BATCHES];
	unsigned n;
	uint64_t held, insns; /* in the batches; to be executed */
	uint64_t differ;
	char path[512]; /* the example as many times */
};

static int said(const struct cairn *cairn, const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, cairn_error_text(cairn));
	return -1;
}

static int hold(struct job *job, struct cairn_reader *reader)
{
	int rc = 1;
	while (rc > 0 && job->n < BATCHES) {
		struct cairn_batch *batch = cairn_batch_new(job->cairn);
		rc = batch ? cairn_next(reader, batch) : CAIRN_E_NOMEM;
		if (rc <= 0) {
			cairn_batch_free(job->cairn, batch);
			break;
		}
		job->batch[job->n++] = batch;
		job->held += batch->n_insns;
	}
	return rc;
}

/* The batches again and again, as a trace. */
static int repeat(struct job *job, const struct cairn_reader *reader)
{
	struct cairn_create_opts opts = {.size = sizeof opts, .threads = THREADS};
	struct cairn_writer *writer;
	uint64_t n = 1;
	int rc = cairn_create(job->cairn, job->path, &opts, &writer);
	if (rc >= 0)
		rc = cairn_writer_from(writer, reader);
	while (rc >= 0 && n < job->insns)
		for (unsigned i = 0; i < job->n && rc >= 0; i++) {
			job->batch[i]->n0 = n;
			rc = cairn_put(writer, job->batch[i]);
			n += job->batch[i]->n_insns;
		}
	if (rc < 0) {
		cairn_discard(writer);
		return rc;
	}
	job->insns = n - 1;
	return cairn_finish(writer, NULL);
}

static int differs(void *user, const struct lockstep_difference *difference)
{
	(void)difference;
	((struct job *)user)->differ++;
	return 0;
}

static int run_lockstep(void *arg)
{
	struct job *job = arg;
	const struct lockstep_opts opts = {.differs = differs,
	                                   .user = job,
	                                   .vector_bits = job->loop ? job->loop->vector_bits : 0};
	struct lockstep *lockstep;
	int rc = lockstep_new(job->cairn, &opts, &lockstep);
	for (uint64_t n = 0; rc >= 0 && n < job->insns; n += job->held) {
		lockstep_reset(lockstep, job);
		for (unsigned i = 0; i < job->n && rc >= 0; i++)
			rc = lockstep_batch(lockstep, job->batch[i]);
	}
	lockstep_free(lockstep);
	return rc < 0 ? said(job->cairn, "lockstep") : 0;
}

static int run_steps(void *arg)
{
	struct job *job = arg;
	struct cairn_machine *machine = NULL;
	const struct cairn_insn *first = job->batch[0]->insns;
	int rc = cairn_machine_new(job->cairn, (enum cairn_isa)(first->isa | first->variant), NULL,
	                           &machine);
	for (uint64_t n = 0; rc >= 0 && n < job->insns; n += job->held)
		for (unsigned i = 0; i < job->n; i++)
			for (uint32_t k = 0; k < job->batch[i]->n_insns; k++) {
				const struct cairn_insn *insn = &job->batch[i]->insns[k];
				cairn_machine_step(machine, insn->pc, insn->enc, insn->size, NULL, 0);
			}
	cairn_machine_free(machine);
	return rc < 0 ? said(job->cairn, "steps") : 0;
}

static int check(struct job *job, int execute)
{
	static struct cairn_check_result result;
	const struct cairn_check_opts opts = {.size = sizeof opts,
	                                      .threads = THREADS,
	                                      .execute = execute};
	struct cairn_reader *reader;
	result.size = sizeof result;
	int rc = cairn_open(job->cairn, job->path, NULL, &reader);
	rc = rc < 0 ? rc : cairn_check(reader, &opts, &result);
	cairn_close(reader);
	return rc < 0 ? said(job->cairn, job->path) : 0;
}

static int read_all(struct job *job, int derive)
{
	const struct cairn_open_opts opts = {.size = sizeof opts, .derive = derive};
	struct cairn_batch *batch = cairn_batch_new(job->cairn);
	struct cairn_reader *reader = NULL;
	int rc = batch ? cairn_open(job->cairn, job->path, &opts, &reader) : CAIRN_E_NOMEM;
	if (rc >= 0)
		do
			rc = cairn_next(reader, batch);
		while (rc > 0);
	cairn_close(reader);
	cairn_batch_free(job->cairn, batch);
	return rc < 0 ? said(job->cairn, job->path) : 0;
}

static int run_read(void *arg)
{
	return read_all(arg, 0);
}

static int run_derive(void *arg)
{
	return read_all(arg, 1);
}

static int run_check(void *arg)
{
	return check(arg, 0);
}

static int run_check_execute(void *arg)
{
	return check(arg, 1);
}

static void row(const char *name, const char *what, double insns, const struct bench_job *job,
                const struct bench_job *limit, const char *limit_name, enum bench_clock clock,
                double goal)
{
	char text[80];
	snprintf(text, sizeof text, "%s, %s", what, name);
	bench_print(&(struct bench_row){.name = text,
	                                .unit = "M insn/s",
	                                .figure = insns * 1e-6 / job->seconds[clock],
	                                .limit = limit_name,
	                                .limit_figure = insns * 1e-6 / limit->seconds[clock],
	                                .ratio = job->seconds[clock] / limit->seconds[clock],
	                                .goal = {goal, false}});
}

static int measure(struct job *job, const char *name, unsigned runs)
{
	struct bench_job jobs[] = {
		{.run = run_lockstep, .arg = job},      {.run = run_steps, .arg = job},
		{.run = run_check_execute, .arg = job}, {.run = run_check, .arg = job},
		{.run = run_derive, .arg = job},        {.run = run_read, .arg = job}};
	if (bench_time(jobs, 6, runs) < 0)
		return -1;
	if (job->differ) {
		fprintf(stderr, "bench: %s does not agree with its instructions\n", job->example);
		return -1;
	}
	double insns = (double)job->insns;
	row(name, "lockstep, 1 thread", insns, &jobs[0], &jobs[1], "steps alone", BENCH_CORE, 40);
	row(name, "check --execute, 2 threads", insns, &jobs[2], &jobs[3], "check", BENCH_WALL, 40);
	row(name, "reading with --derive", insns, &jobs[4], &jobs[5], "reading", BENCH_CORE, 0);
	return 0;
}

static int close_job(struct job *job, struct cairn_reader *reader, int rc)
{
	remove(job->path);
	cairn_close(reader);
	for (unsigned i = 0; i < job->n; i++)
		cairn_batch_free(job->cairn, job->batch[i]);
	cairn_free(job->cairn);
	return rc;
}

static int one_example(struct job *job, const char *name, const char *folder, const char *ending,
                       unsigned runs)
{
	char from[512];
	struct cairn_reader *reader;
	job->cairn = cairn_new(NULL);
	snprintf(from, sizeof from, EXAMPLES "/%s", job->example);
	snprintf(job->path, sizeof job->path, "%s/execute.%s", folder, ending);
	int rc = cairn_open(job->cairn, from, NULL, &reader);
	rc = rc < 0 ? rc : hold(job, reader);
	rc = rc < 0 ? rc : repeat(job, reader);
	rc = rc < 0 ? said(job->cairn, from) : measure(job, name, runs);
	return close_job(job, reader, rc);
}

/* ---- loops of floating point and of vectors, of which the examples have few or none ---- */

static int run_loop(void *arg)
{
	struct job *job = arg;
	struct cairn_machine *machine = NULL;
	uint64_t pc = 0;
	int rc = bench_loop_new(job->loop, job->cairn, &machine);
	for (uint64_t n = 0; rc >= 0 && n < job->insns; n++)
		job->differ += !bench_loop_step(job->loop, machine, &pc);
	cairn_machine_free(machine);
	return rc < 0 ? said(job->cairn, job->loop->name) : 0;
}

static int measure_loop(struct job *job, unsigned runs, double goal)
{
	struct bench_job jobs[] = {{.run = run_lockstep, .arg = job}, {.run = run_loop, .arg = job}};
	if (bench_time(jobs, 2, runs) < 0)
		return -1;
	if (job->differ) {
		fprintf(stderr, "bench: %s are not determined\n", job->loop->name);
		return -1;
	}
	row(job->loop->name, "lockstep, 1 thread", (double)job->insns, &jobs[0], &jobs[1],
	    "steps alone", BENCH_CORE, goal);
	return 0;
}

static int one_loop(const struct bench_loop *loop, const char *folder, unsigned runs,
                    uint64_t insns, double goal)
{
	struct job job = {.cairn = cairn_new(NULL), .loop = loop};
	struct cairn_reader *reader = NULL;
	snprintf(job.path, sizeof job.path, "%s/execute-loop.stf", folder);
	int rc = bench_loop_write(loop, job.cairn, job.path);
	rc = rc < 0 ? rc : cairn_open(job.cairn, job.path, NULL, &reader);
	rc = rc < 0 ? rc : hold(&job, reader);
	job.insns = insns;
	rc = rc < 0 ? said(job.cairn, loop->name) : measure_loop(&job, runs, goal);
	return close_job(&job, reader, rc);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);
	return v && *v ? strtoull(v, NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name, *example, *ending;
	} examples[] = {{"RISC-V", "sort.zstf", "zstf"}, {"A64", "sort-a64.vixl.xz", "vixl"}};
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5);
	uint64_t insns = setting("BENCH_INSNS", quick ? 500000 : 10000000);
	const char *data = getenv("BENCH_DATA"), *build = argc > 1 ? argv[1] : "build-release";
	char folder[400];
	runs = runs > BENCH_MAX_RUNS ? (unsigned)BENCH_MAX_RUNS : runs;
	snprintf(folder, sizeof folder, "%s%s", data ? data : build, data ? "" : "/bench-data");
	(void)mkdir(folder, 0777);
	bench_head();
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		struct job job = {.example = examples[i].example, .insns = insns};
		if (one_example(&job, examples[i].name, folder, examples[i].ending, runs) < 0)
			return 1;
	}
	return one_loop(&bench_float_loop, folder, runs, insns, 20) < 0 ||
	       one_loop(&bench_vector_loop, folder, runs, insns, 10) < 0;
}

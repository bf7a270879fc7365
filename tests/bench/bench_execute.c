/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executing traces: the examples that tell registers and memory, again and again.
 *
 *   bench_execute BUILD
 *
 * Lockstep takes batches that lie in memory, on one core, beside machines that step through the same
 * instructions and compare nothing; vectors are steps alone. `check --execute` reads a file on two threads, beside `check`.
 * BENCH_RUNS, BENCH_DATA, BENCH_QUICK and BENCH_INSNS as for bench_stf.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn/cairn.h"
#include "lockstep/lockstep.h"
#include "measure.h"

enum { THREADS = 2, BATCHES = 64 };

struct job {
	const char *example;
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
	const struct lockstep_opts opts = {.differs = differs, .user = job};
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
	struct bench_job jobs[] = {{.run = run_lockstep, .arg = job},
	                           {.run = run_steps, .arg = job},
	                           {.run = run_check_execute, .arg = job},
	                           {.run = run_check, .arg = job}};
	if (bench_time(jobs, 4, runs) < 0)
		return -1;
	if (job->differ) {
		fprintf(stderr, "bench: %s does not agree with its instructions\n", job->example);
		return -1;
	}
	double insns = (double)job->insns;
	row(name, "lockstep, 1 thread", insns, &jobs[0], &jobs[1], "steps alone", BENCH_CORE, 40);
	row(name, "check --execute, 2 threads", insns, &jobs[2], &jobs[3], "check", BENCH_WALL, 40);
	return 0;
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
	remove(job->path);
	cairn_close(reader);
	for (unsigned i = 0; i < job->n; i++)
		cairn_batch_free(job->cairn, job->batch[i]);
	cairn_free(job->cairn);
	return rc;
}

/* ---- vectors, of which no example has any: a loop over two arrays of numbers ---- */

static const uint32_t vector_loop[] = {
	0x0d0572d7, /* vsetvli t0, a0, e32, m1, ta, ma */
	0x0205e407, /* vle32.v v8, (a1) */
	0x02066487, /* vle32.v v9, (a2) */
	0xb28554d7, /* vfmacc.vf v9, fa0, v8 */
	0x020664a7, /* vse32.v v9, (a2) */
	0x02848557, /* vadd.vv v10, v8, v9 */
	0x62a40057, /* vmseq.vv v0, v10, v8 */
	0x02a5a5d7, /* vredsum.vs v11, v10, v11 */
	0x00229313, /* slli t1, t0, 2 */
	0x006585b3, /* add a1, a1, t1 */
	0x00660633, /* add a2, a2, t1 */
	0x40550533, /* sub a0, a0, t0 */
	0xfc0518e3, /* bnez a0, the first */
};

static void set_register(struct cairn_machine *machine, enum cairn_reg_class cls, unsigned num,
                         uint64_t value)
{
	uint8_t bytes[8];
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	cairn_machine_set(machine, cls, num, 8, bytes, NULL);
}

static int run_vectors(void *arg)
{
	enum { CODE = 0x1000, FIRST = 0x10000, SECOND = 0x20000, ELEMENTS = 4096 };
	struct job *job = arg;
	const struct cairn_machine_opts opts = {.size = sizeof opts, .vector_bits = 128};
	struct cairn_machine *machine = NULL;
	const uint8_t numbers[64] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40};
	int rc = cairn_machine_new(job->cairn, CAIRN_ISA_RV64, &opts, &machine);
	uint64_t pc = CODE + sizeof vector_loop; /* behind it, from where it begins anew */
	if (rc < 0)
		return said(job->cairn, "vectors");
	for (unsigned i = 0; i < 4 * ELEMENTS; i += 64) {
		cairn_machine_write(machine, FIRST + i, 64, numbers, NULL);
		cairn_machine_write(machine, SECOND + i, 64, numbers, NULL);
	}
	set_register(machine, CAIRN_REG_FP, 10, 0xffffffff3f000000); /* fa0: 0.5 */
	set_register(machine, CAIRN_REG_CSR, 2, 0);                  /* frm */
	for (uint64_t n = 0; n < job->insns; n++) {
		if (pc == CODE + sizeof vector_loop) {
			set_register(machine, CAIRN_REG_INT, 10, ELEMENTS);
			set_register(machine, CAIRN_REG_INT, 11, FIRST);
			set_register(machine, CAIRN_REG_INT, 12, SECOND);
			pc = CODE;
		}
		const struct cairn_step *step =
			cairn_machine_step(machine, pc, vector_loop[(pc - CODE) / 4], 4, NULL, 0);
		job->differ += step->reason != NULL || step->next_known != UINT64_MAX;
		pc = step->next;
	}
	cairn_machine_free(machine);
	return 0;
}

static int measure_vectors(unsigned runs, uint64_t insns)
{
	struct job job = {.cairn = cairn_new(NULL), .insns = insns};
	struct bench_job jobs[] = {{.run = run_vectors, .arg = &job}};
	int rc = bench_time(jobs, 1, runs);
	if (rc >= 0 && job.differ) {
		fprintf(stderr, "bench: vectors are not determined\n");
		rc = -1;
	}
	if (rc >= 0)
		bench_print(
			&(struct bench_row){.name = "steps, vectors of 128 bits",
		                        .unit = "M insn/s",
		                        .figure = (double)insns * 1e-6 / jobs[0].seconds[BENCH_CORE],
		                        .goal = {10, false}});
	cairn_free(job.cairn);
	return rc;
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
	return measure_vectors(runs, insns) < 0;
}

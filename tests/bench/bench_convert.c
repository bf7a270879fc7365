/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions beside the slower of their halves: reading the source alone, and writing
 * alone what was read, from batches in memory. (What all cores spent on it is shown beside
 * both halves together: it is no goal, for handing over costs something.)
 *
 *   bench_convert BUILD
 *
 * BENCH_RUNS, BENCH_DATA and BENCH_QUICK as for bench_stf; BENCH_INSNS is the length. The
 * sources are the examples, again and again; Tarmac's is printed here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cairn/cairn.h"
#include "measure.h"

enum { THREADS = 2, BATCHES = 64 };

/* A trace's batches in memory, all of them. */
struct held {
	struct cairn *cairn;
	struct cairn_reader *reader; /* the writer asks whose they are */
	struct cairn_batch *batch[BATCHES];
	unsigned n;
	uint64_t insns;
};

struct pair {
	const char *from, *to; /* formats */
	char path[512];
	struct held *held; /* of the beginning of path */
	uint64_t insns;
};

static int said(const struct cairn *cairn, const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, cairn_error_text(cairn));
	return -1;
}

/* ---- the sources ---- */

static int hold(struct held *held, const char *path, uint64_t most)
{
	int rc = cairn_open(held->cairn, path, NULL, &held->reader);
	while (rc >= 0 && held->n < BATCHES && held->insns < most) {
		held->batch[held->n] = cairn_batch_new(held->cairn);
		rc = held->batch[held->n] ? cairn_next(held->reader, held->batch[held->n]) : CAIRN_E_NOMEM;
		if (rc <= 0)
			break;
		held->insns += held->batch[held->n++]->n_insns;
	}
	return rc < 0 ? said(held->cairn, path) : 0;
}

/* The batches again and again, numbered on. */
static int put_all(struct held *held, const char *path, const char *to, uint64_t insns)
{
	struct cairn_create_opts opts = {.size = sizeof opts, .to = to, .threads = THREADS};
	struct cairn_writer *writer = NULL;
	struct cairn_ledger *lost = NULL;
	uint64_t n = 1;
	int rc = cairn_create(held->cairn, path, &opts, &writer);
	if (rc >= 0)
		rc = cairn_writer_from(writer, held->reader);
	while (rc >= 0 && n < insns)
		for (unsigned i = 0; i < held->n && rc >= 0; i++) {
			held->batch[i]->n0 = n;
			rc = cairn_put(writer, held->batch[i]);
			n += held->batch[i]->n_insns;
		}
	if (rc >= 0)
		rc = cairn_finish(writer, &lost);
	else
		cairn_discard(writer);
	cairn_ledger_free(held->cairn, lost);
	return rc < 0 ? said(held->cairn, path) : 0;
}

/* As Fast Models print it: each instruction with the registers and accesses it has. */
static int print_tarmac(const struct held *held, const char *path, uint64_t insns)
{
	FILE *f = fopen(path, "w");
	uint64_t n = 0;
	if (!f)
		return -1;
	while (n < insns)
		for (unsigned k = 0; k < held->n; k++)
			for (uint32_t i = 0; i < held->batch[k]->n_insns; i++) {
				const struct cairn_batch *batch = held->batch[k];
				const struct cairn_insn *in = &batch->insns[i];
				n++;
				fprintf(f, "%" PRIu64 " clk IT (%" PRIu64 ") %016" PRIx64 " %08x O EL0t_n : X\n", n,
				        n, in->pc, in->enc);
				for (uint32_t m = in->mem0; m < in[1].mem0; m++)
					if (batch->mems[m].size == 8 && !(batch->mems[m].flags & CAIRN_VALUE_WIDE))
						fprintf(f, "%" PRIu64 " clk M%c8 %016" PRIx64 " %08x_%08x\n", n,
						        batch->mems[m].kind == CAIRN_MEM_WRITE ? 'W' : 'R',
						        batch->mems[m].addr, (unsigned)(batch->mems[m].value >> 32),
						        (unsigned)batch->mems[m].value);
				for (uint32_t r = in->reg0; r < in[1].reg0; r++)
					if (batch->regs[r].cls == CAIRN_REG_INT && batch->regs[r].num < 31 &&
					    batch->regs[r].role == CAIRN_ROLE_DST)
						fprintf(f, "%" PRIu64 " clk R X%u %016" PRIx64 "\n", n, batch->regs[r].num,
						        batch->regs[r].value);
			}
	return fclose(f);
}

/* ---- jobs ---- */

static int run_read(void *arg)
{
	const struct pair *pair = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_batch *batch = cairn_batch_new(cairn);
	struct cairn_reader *reader = NULL;
	int rc = cairn_open(cairn, pair->path, NULL, &reader);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0)
		;
	rc = rc < 0 ? said(cairn, pair->path) : 0;
	cairn_batch_free(cairn, batch);
	cairn_close(reader);
	cairn_free(cairn);
	return rc;
}

static int run_write(void *arg)
{
	const struct pair *pair = arg;
	return put_all(pair->held, "/dev/null", pair->to, pair->insns);
}

static int run_convert(void *arg)
{
	const struct pair *pair = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	struct cairn_output out = {.size = sizeof out,
	                           .path = "/dev/null",
	                           .to = pair->to,
	                           .threads = THREADS};
	int rc = cairn_open(cairn, pair->path, NULL, &reader);
	if (rc >= 0)
		rc = cairn_convert(reader, &out, NULL);
	rc = rc < 0 ? said(cairn, pair->path) : 0;
	cairn_close(reader);
	cairn_free(cairn);
	return rc;
}

static int measure(struct pair *pair, unsigned runs)
{
	struct bench_job job[] = {{.run = run_read, .arg = pair},
	                          {.run = run_write, .arg = pair},
	                          {.run = run_convert, .arg = pair}};
	struct held held = {.cairn = cairn_new(NULL)};
	char name[80];
	pair->held = &held;
	int rc = hold(&held, pair->path, UINT64_MAX);
	rc = rc < 0 ? rc : bench_time(job, 3, runs);
	if (rc == 0) {
		double read = job[0].seconds[BENCH_CORE], write = job[1].seconds[BENCH_CORE];
		double slower = read > write ? read : write, both = job[2].seconds[BENCH_WALL];
		double insns = (double)pair->insns * 1e-6;
		bool busy = job[0].seconds[BENCH_WALL] > 1.1 * read;
		snprintf(name, sizeof name, "%s to %s, 2 threads", pair->from, pair->to);
		bench_print(&(struct bench_row){.name = name,
		                                .unit = "M insn/s",
		                                .figure = insns / both,
		                                .limit = read > write ? "reading alone" : "writing alone",
		                                .limit_figure = insns / slower,
		                                .ratio = both / slower,
		                                .goal = {1.2, true},
		                                .on_ratio = true,
		                                .unjudged = busy ? "cores busy" : NULL});
		snprintf(name, sizeof name, "%s to %s, all cores' time", pair->from, pair->to);
		bench_print(&(struct bench_row){.name = name,
		                                .unit = "M insn/s",
		                                .figure = insns / job[2].seconds[BENCH_CORE],
		                                .limit = "reading and writing",
		                                .limit_figure = insns / (read + write),
		                                .ratio = job[2].seconds[BENCH_CORE] / (read + write),
		                                .on_ratio = true});
	}
	for (unsigned i = 0; i < held.n; i++)
		cairn_batch_free(held.cairn, held.batch[i]);
	cairn_close(held.reader);
	cairn_free(held.cairn);
	return rc;
}

static int one_pair(struct pair *pair, const char *example, const char *folder, unsigned runs)
{
	struct held held = {.cairn = cairn_new(NULL)};
	char from[512], command[600];
	bool tarmac = !strcmp(pair->from, "Tarmac"), ete = !strcmp(pair->from, "ETE");
	snprintf(from, sizeof from, EXAMPLES "/%s", example);
	snprintf(pair->path, sizeof pair->path, "%s/pair.%s", folder,
	         tarmac                        ? "tarmac"
	         : ete                         ? "snapshot"
	         : !strcmp(pair->from, "VIXL") ? "vixl"
	         : !strcmp(pair->from, "RST")  ? "rst"
	                                       : "stf");
	snprintf(command, sizeof command, "rm -rf '%s'", pair->path);
	int rc = system(command) ? -1 : hold(&held, from, UINT64_MAX);
	if (rc >= 0)
		rc = tarmac ? print_tarmac(&held, pair->path, pair->insns)
		            : put_all(&held, pair->path, NULL, pair->insns);
	for (unsigned i = 0; i < held.n; i++)
		cairn_batch_free(held.cairn, held.batch[i]);
	cairn_close(held.reader);
	cairn_free(held.cairn);
	rc = rc < 0 ? rc : measure(pair, runs);
	return system(command) ? -1 : rc;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);
	return v && *v ? strtoull(v, NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *from, *to, *example;
	} pairs[] = {{"STF", "VIXL", "sort-a64.vixl.xz"},  {"VIXL", "STF", "sort-a64.vixl.xz"},
	             {"RST", "STF", "sort-v9.rst.xz"},     {"STF", "RST", "sort-v9.rst.xz"},
	             {"ETE", "STF", "sort-a64.snapshot"},  {"STF", "ETE", "sort-a64.vixl.xz"},
	             {"VIXL", "ETE", "sort-a64.vixl.xz"},  {"ETE", "VIXL", "sort-a64.snapshot"},
	             {"Tarmac", "STF", "sort-a64.vixl.xz"}};
	bool quick = setting("BENCH_QUICK", 0) != 0;
	unsigned runs = (unsigned)setting("BENCH_RUNS", quick ? 3 : 5);
	uint64_t insns = setting("BENCH_INSNS", quick ? 500000 : 3000000);
	const char *data = getenv("BENCH_DATA"), *build = argc > 1 ? argv[1] : "build-release";
	char folder[400];
	runs = runs > BENCH_MAX_RUNS ? (unsigned)BENCH_MAX_RUNS : runs;
	snprintf(folder, sizeof folder, "%s%s", data ? data : build, data ? "" : "/bench-data");
	(void)mkdir(folder, 0777);
	bench_head();
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct pair pair = {.from = pairs[i].from, .to = pairs[i].to, .insns = insns};
		if (one_pair(&pair, pairs[i].example, folder, runs) < 0)
			return 1;
	}
	return 0;
}

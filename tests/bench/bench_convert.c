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
	struct cairn *c;
	struct cairn_reader *r; /* the writer asks whose they are */
	struct cairn_batch *b[BATCHES];
	unsigned n;
	uint64_t insns;
};

struct pair {
	const char *from, *to; /* formats */
	char path[512];
	struct held *held; /* of the beginning of path */
	uint64_t insns;
};

static int said(const struct cairn *c, const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, cairn_error_text(c));
	return -1;
}

/* ---- the sources ---- */

static int hold(struct held *h, const char *path, uint64_t most)
{
	int rc = cairn_open(h->c, path, NULL, &h->r);
	while (rc >= 0 && h->n < BATCHES && h->insns < most) {
		h->b[h->n] = cairn_batch_new(h->c);
		rc = h->b[h->n] ? cairn_next(h->r, h->b[h->n]) : CAIRN_E_NOMEM;
		if (rc <= 0)
			break;
		h->insns += h->b[h->n++]->n_insns;
	}
	return rc < 0 ? said(h->c, path) : 0;
}

/* The batches again and again, numbered on. */
static int put_all(struct held *h, const char *path, const char *to, uint64_t insns)
{
	struct cairn_create_opts o = {.size = sizeof o, .to = to, .threads = THREADS};
	struct cairn_writer *w = NULL;
	struct cairn_ledger *lost = NULL;
	uint64_t n = 1;
	int rc = cairn_create(h->c, path, &o, &w);
	if (rc >= 0)
		rc = cairn_writer_from(w, h->r);
	while (rc >= 0 && n < insns)
		for (unsigned i = 0; i < h->n && rc >= 0; i++) {
			h->b[i]->n0 = n;
			rc = cairn_put(w, h->b[i]);
			n += h->b[i]->n_insns;
		}
	if (rc >= 0)
		rc = cairn_finish(w, &lost);
	else
		cairn_discard(w);
	cairn_ledger_free(h->c, lost);
	return rc < 0 ? said(h->c, path) : 0;
}

/* As Fast Models print it: each instruction with the registers and accesses it has. */
static int print_tarmac(const struct held *h, const char *path, uint64_t insns)
{
	FILE *f = fopen(path, "w");
	uint64_t n = 0;
	if (!f)
		return -1;
	while (n < insns)
		for (unsigned k = 0; k < h->n; k++)
			for (uint32_t i = 0; i < h->b[k]->n_insns; i++) {
				const struct cairn_batch *b = h->b[k];
				const struct cairn_insn *in = &b->insns[i];
				n++;
				fprintf(f, "%" PRIu64 " clk IT (%" PRIu64 ") %016" PRIx64 " %08x O EL0t_n : X\n", n,
				        n, in->pc, in->enc);
				for (uint32_t m = in->mem0; m < in[1].mem0; m++)
					if (b->mems[m].size == 8 && !(b->mems[m].flags & CAIRN_VALUE_WIDE))
						fprintf(f, "%" PRIu64 " clk M%c8 %016" PRIx64 " %08x_%08x\n", n,
						        b->mems[m].kind == CAIRN_MEM_WRITE ? 'W' : 'R', b->mems[m].addr,
						        (unsigned)(b->mems[m].value >> 32), (unsigned)b->mems[m].value);
				for (uint32_t r = in->reg0; r < in[1].reg0; r++)
					if (b->regs[r].cls == CAIRN_REG_INT && b->regs[r].num < 31 &&
					    b->regs[r].role == CAIRN_ROLE_DST)
						fprintf(f, "%" PRIu64 " clk R X%u %016" PRIx64 "\n", n, b->regs[r].num,
						        b->regs[r].value);
			}
	return fclose(f);
}

/* ---- jobs ---- */

static int run_read(void *arg)
{
	const struct pair *p = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_batch *b = cairn_batch_new(c);
	struct cairn_reader *r = NULL;
	int rc = cairn_open(c, p->path, NULL, &r);
	while (rc >= 0 && (rc = cairn_next(r, b)) > 0)
		;
	rc = rc < 0 ? said(c, p->path) : 0;
	cairn_batch_free(c, b);
	cairn_close(r);
	cairn_free(c);
	return rc;
}

static int run_write(void *arg)
{
	const struct pair *p = arg;
	return put_all(p->held, "/dev/null", p->to, p->insns);
}

static int run_convert(void *arg)
{
	const struct pair *p = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r = NULL;
	struct cairn_output out = {.size = sizeof out,
	                           .path = "/dev/null",
	                           .to = p->to,
	                           .threads = THREADS};
	int rc = cairn_open(c, p->path, NULL, &r);
	if (rc >= 0)
		rc = cairn_convert(r, &out, NULL);
	rc = rc < 0 ? said(c, p->path) : 0;
	cairn_close(r);
	cairn_free(c);
	return rc;
}

static int measure(struct pair *p, unsigned runs)
{
	struct bench_job job[] = {{.run = run_read, .arg = p},
	                          {.run = run_write, .arg = p},
	                          {.run = run_convert, .arg = p}};
	struct held h = {.c = cairn_new(NULL)};
	char name[80];
	p->held = &h;
	int rc = hold(&h, p->path, UINT64_MAX);
	rc = rc < 0 ? rc : bench_time(job, 3, runs);
	if (rc == 0) {
		double read = job[0].seconds[BENCH_CORE], write = job[1].seconds[BENCH_CORE];
		double slower = read > write ? read : write, both = job[2].seconds[BENCH_WALL];
		double insns = (double)p->insns * 1e-6;
		bool busy = job[0].seconds[BENCH_WALL] > 1.1 * read;
		snprintf(name, sizeof name, "%s to %s, 2 threads", p->from, p->to);
		bench_print(&(struct bench_row){.name = name,
		                                .unit = "M insn/s",
		                                .figure = insns / both,
		                                .limit = read > write ? "reading alone" : "writing alone",
		                                .limit_figure = insns / slower,
		                                .ratio = both / slower,
		                                .goal = {1.2, true},
		                                .on_ratio = true,
		                                .unjudged = busy ? "cores busy" : NULL});
		snprintf(name, sizeof name, "%s to %s, all cores' time", p->from, p->to);
		bench_print(&(struct bench_row){.name = name,
		                                .unit = "M insn/s",
		                                .figure = insns / job[2].seconds[BENCH_CORE],
		                                .limit = "reading and writing",
		                                .limit_figure = insns / (read + write),
		                                .ratio = job[2].seconds[BENCH_CORE] / (read + write),
		                                .on_ratio = true});
	}
	for (unsigned i = 0; i < h.n; i++)
		cairn_batch_free(h.c, h.b[i]);
	cairn_close(h.r);
	cairn_free(h.c);
	return rc;
}

static int one_pair(struct pair *p, const char *example, const char *folder, unsigned runs)
{
	struct held h = {.c = cairn_new(NULL)};
	char from[512], command[600];
	bool tarmac = !strcmp(p->from, "Tarmac"), ete = !strcmp(p->from, "ETE");
	snprintf(from, sizeof from, EXAMPLES "/%s", example);
	snprintf(p->path, sizeof p->path, "%s/pair.%s", folder,
	         tarmac                     ? "tarmac"
	         : ete                      ? "snapshot"
	         : !strcmp(p->from, "VIXL") ? "vixl"
	         : !strcmp(p->from, "RST")  ? "rst"
	                                    : "stf");
	snprintf(command, sizeof command, "rm -rf '%s'", p->path);
	int rc = system(command) ? -1 : hold(&h, from, UINT64_MAX);
	if (rc >= 0)
		rc = tarmac ? print_tarmac(&h, p->path, p->insns) : put_all(&h, p->path, NULL, p->insns);
	for (unsigned i = 0; i < h.n; i++)
		cairn_batch_free(h.c, h.b[i]);
	cairn_close(h.r);
	cairn_free(h.c);
	rc = rc < 0 ? rc : measure(p, runs);
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
		struct pair p = {.from = pairs[i].from, .to = pairs[i].to, .insns = insns};
		if (one_pair(&p, pairs[i].example, folder, runs) < 0)
			return 1;
	}
	return 0;
}

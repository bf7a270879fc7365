/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making traces of traces: convert beside compressing the same bytes in pieces that
 * are already cut, with the same level and as many threads; a small slice out of
 * the middle of a large indexed trace; and a part for each of many harts, beside copying
 * their trace once.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "bench.h"
#include "cairn/cairn.h"

enum { THREADS = 2, LEVEL = 3, HEAD = 20, ROW = 24 };

struct change {
	const struct bench_trace *t;
	char out[512];
	uint64_t first, last;
};

static int failed(struct cairn *c, const char *path)
{
	fprintf(stderr, "bench: %s: %s\n", path, cairn_error_text(c));
	return -1;
}

static int run_convert(void *arg)
{
	struct change *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r = NULL;
	struct cairn_output out = {.size = sizeof out, .path = w->out, .threads = THREADS};
	int rc = cairn_open(c, w->t->stf, NULL, &r);
	if (rc >= 0)
		rc = cairn_convert(r, &out, NULL);
	rc = rc < 0 ? failed(c, w->t->stf) : 0;
	cairn_close(r);
	cairn_free(c);
	return rc;
}

static int run_slice(void *arg)
{
	struct change *w = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r = NULL;
	struct cairn_range range = {w->first, w->last};
	struct cairn_slice_opts o = {.size = sizeof o, .ranges = &range, .n_ranges = 1};
	struct cairn_output out = {.size = sizeof out, .path = w->out, .threads = THREADS};
	int rc = cairn_open(c, w->t->zstf, NULL, &r);
	if (rc >= 0)
		rc = cairn_slice(r, &o, &out, NULL);
	rc = rc < 0 ? failed(c, w->t->zstf) : 0;
	cairn_close(r);
	cairn_free(c);
	return rc;
}

/* ---- the limit ---- */

struct mapped {
	const uint8_t *p;
	size_t n;
};

static struct mapped map(const char *path)
{
	struct mapped m = {0};
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED)
			m = (struct mapped){p, (size_t)st.st_size};
	}
	if (fd >= 0)
		close(fd);
	return m;
}

struct pieces {
	struct mapped stf;
	const uint8_t *rows; /* of the container's index: the cuts */
	uint64_t n, next, failed;
	uint64_t *start;
	int fd; /* >= 0: where they are written, too */
	uint64_t written;
};

static void *squeeze(void *arg)
{
	struct pieces *w = arg;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	void *out = NULL;
	size_t cap = 0;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	for (;;) {
		uint64_t i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);
		if (i >= w->n)
			break;
		size_t n = (size_t)base_le64(w->rows + ROW * i + 16), need = ZSTD_compressBound(n);
		if (need > cap)
			out = realloc(out, cap = need);
		size_t z = out ? ZSTD_compress2(zstd, out, cap, w->stf.p + w->start[i], n) : (size_t)-1;
		bool good = !ZSTD_isError(z);
		if (good && w->fd >= 0) {
			uint64_t at = __atomic_fetch_add(&w->written, z, __ATOMIC_RELAXED);
			good = pwrite(w->fd, out, z, (off_t)at) == (ssize_t)z;
		}
		if (!good)
			__atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
	}
	free(out);
	ZSTD_freeCCtx(zstd);
	return NULL;
}

static int pieces(const struct change *w, int fd)
{
	struct mapped z = map(w->t->zstf);
	struct pieces p = {.stf = map(w->t->stf), .fd = fd};
	pthread_t other;
	uint64_t at = 0;
	if (!z.p || !p.stf.p)
		return -1;
	const uint8_t *index = z.p + base_le64(z.p + 12);
	p.n = base_le64(index);
	p.rows = index + 8;
	p.start = calloc(p.n, sizeof *p.start);
	for (uint64_t i = 0; i < p.n; i++) {
		p.start[i] = at;
		at += base_le64(p.rows + ROW * i + 16);
	}
	int rc = pthread_create(&other, NULL, squeeze, &p);
	squeeze(&p);
	if (rc == 0)
		pthread_join(other, NULL);
	free(p.start);
	munmap((void *)(uintptr_t)z.p, z.n);
	munmap((void *)(uintptr_t)p.stf.p, p.stf.n);
	return p.failed ? -1 : 0;
}

static int run_pieces(void *arg)
{
	return pieces(arg, -1);
}

static int run_pieces_written(void *arg)
{
	const struct change *w = arg;
	unlink(w->out); /* what is there already would have to be cleared first */
	int fd = open(w->out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		return -1;
	int rc = pieces(w, fd);
	close(fd);
	return rc;
}

/* ---- rows ---- */

static int convert_row(const struct bench *k, const struct bench_trace *t, const char *name)
{
	struct change w = {.t = t};
	snprintf(w.out, sizeof w.out, "%s/convert.zstf", k->data);
	struct bench_job job[] = {{.run = run_convert, .arg = &w},
	                          {.run = run_pieces, .arg = &w},
	                          {.run = run_pieces_written, .arg = &w}};
	int rc = bench_time(job, 3, k->runs);
	unlink(w.out);
	if (rc < 0)
		return -1;
	double insns = (double)t->made.insns * 1e-6;
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = insns / job[0].seconds[BENCH_CORE],
	                                .limit = "compressing pieces",
	                                .limit_figure = insns / job[1].seconds[BENCH_CORE],
	                                .ratio = bench_ratio(&job[0], &job[1], k->runs, BENCH_CORE),
	                                .goal = {1.25, true},
	                                .on_ratio = true});
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = insns / job[0].seconds[BENCH_CORE],
	                                .limit = "… and writing them",
	                                .limit_figure = insns / job[2].seconds[BENCH_CORE],
	                                .ratio = bench_ratio(&job[0], &job[2], k->runs, BENCH_CORE)});
	return 0;
}

static int slice_row(const struct bench *k, const struct bench_trace *t, const char *name)
{
	struct change w = {.t = t, .first = t->made.insns / 2};
	struct cairn *c = cairn_new(NULL);
	struct cairn_index_opts o = {.size = sizeof o, .threads = THREADS};
	char index[544];
	w.last = w.first + t->made.insns / 100;
	snprintf(w.out, sizeof w.out, "%s/slice.zstf", k->data);
	snprintf(index, sizeof index, "%s.cai", t->zstf);
	int rc = cairn_index_build(c, t->zstf, &o, NULL) < 0 ? failed(c, t->zstf) : 0;
	cairn_free(c);
	struct bench_job job[] = {{.run = run_slice, .arg = &w}};
	if (rc == 0)
		rc = bench_time(job, 1, k->runs);
	unlink(w.out);
	unlink(index);
	if (rc == 0)
		bench_print(&(struct bench_row){.name = name,
		                                .unit = "ms",
		                                .figure = job[0].seconds[BENCH_CORE] * 1e3,
		                                .goal = {500, true}});
	return rc;
}

/* ---- a part for each hart ---- */

enum { HARTS = 1024, TURNS = 4, TURN = 50 };

struct harts {
	char stf[512], parts[512], copy[512];
};

/* Each hart runs some instructions, and comes again when all have run. */
static int make_harts(const char *path)
{
	struct cairn *c = cairn_new(NULL);
	struct cairn_stf_writer *w = NULL;
	int rc = cairn_stf_create(c, path, NULL, &w);
	if (rc >= 0)
		rc = cairn_stf_begin(w, NULL);
	for (uint32_t n = 0; n < HARTS * TURNS * TURN && rc >= 0; n++) {
		uint32_t hart = n / TURN % HARTS, turn = n / TURN / HARTS;
		struct cairn_ctx ctx = {.known = CAIRN_CTX_HW_TID | CAIRN_CTX_PID | CAIRN_CTX_TID,
		                        .hw_tid = hart,
		                        .pid = hart,
		                        .tid = hart};
		struct cairn_reg reg = {.value = n,
		                        .bits = 64,
		                        .num = (uint16_t)(n % 31 + 1),
		                        .cls = CAIRN_REG_INT,
		                        .role = CAIRN_ROLE_DST,
		                        .flags = CAIRN_VALUE_KNOWN};
		struct cairn_stf_insn in = {.pc = 0x10000 + 0x1000 * (uint64_t)hart +
		                                  4 * (turn * TURN + n % TURN),
		                            .enc = 0x13 | (n % 31 + 1) << 7,
		                            .size = 4,
		                            .isa = CAIRN_ISA_RV64,
		                            .ctx = &ctx,
		                            .regs = &reg,
		                            .n_regs = 1};
		rc = cairn_stf_put(w, &in);
	}
	if (rc >= 0)
		rc = cairn_stf_finish(w);
	else if (w)
		cairn_stf_abort(w);
	rc = rc < 0 ? failed(c, path) : 0;
	cairn_free(c);
	return rc;
}

/* All of the trace to one output, or to one for each hart. */
static int change_harts(const struct harts *h, bool split)
{
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r = NULL;
	struct cairn_range all = {1, UINT64_MAX};
	struct cairn_slice_opts whole = {.size = sizeof whole, .ranges = &all, .n_ranges = 1};
	struct cairn_split_opts by_cpu = {.size = sizeof by_cpu, .by = CAIRN_SPLIT_CPU};
	struct cairn_output out = {.size = sizeof out, .path = split ? h->parts : h->copy};
	int rc = cairn_open(c, h->stf, NULL, &r);
	if (rc >= 0)
		rc = split ? cairn_split(r, &by_cpu, &out, NULL) : cairn_slice(r, &whole, &out, NULL);
	rc = rc < 0 ? failed(c, h->stf) : 0;
	cairn_close(r);
	cairn_free(c);
	return rc;
}

static int run_split(void *arg)
{
	return change_harts(arg, true);
}

static int run_copy(void *arg)
{
	return change_harts(arg, false);
}

static int split_row(const struct bench *k)
{
	struct harts h;
	snprintf(h.stf, sizeof h.stf, "%s/harts.stf", k->data);
	snprintf(h.parts, sizeof h.parts, "%s/hart-%%s.stf", k->data);
	snprintf(h.copy, sizeof h.copy, "%s/harts-copy.stf", k->data);
	struct bench_job job[] = {{.run = run_split, .arg = &h}, {.run = run_copy, .arg = &h}};
	int rc = make_harts(h.stf);
	if (rc == 0)
		rc = bench_time(job, 2, k->runs);
	for (unsigned i = 0; i < HARTS; i++) {
		char part[544];
		snprintf(part, sizeof part, "%s/hart-%u.stf", k->data, i);
		unlink(part);
	}
	unlink(h.stf);
	unlink(h.copy);
	if (rc == 0)
		bench_print(
			&(struct bench_row){.name = "split .stf by cpu, 1024 harts",
		                        .unit = "ms",
		                        .figure = job[0].seconds[BENCH_CORE] * 1e3,
		                        .limit = "one slice of all",
		                        .limit_figure = job[1].seconds[BENCH_CORE] * 1e3,
		                        .ratio = bench_ratio(&job[0], &job[1], k->runs, BENCH_CORE)});
	return rc;
}

int bench_change_rows(const struct bench *k)
{
	if (convert_row(k, &k->trace[BENCH_LEAN], "convert lean .stf -> .zstf, 2 threads") < 0 ||
	    convert_row(k, &k->trace[BENCH_FULL], "convert full .stf -> .zstf, 2 threads") < 0 ||
	    slice_row(k, &k->trace[BENCH_LEAN], "slice 1 % of lean .zstf, indexed") < 0 ||
	    slice_row(k, &k->trace[BENCH_FULL], "slice 1 % of full .zstf, indexed") < 0 ||
	    split_row(k) < 0)
		return -1;
	return 0;
}

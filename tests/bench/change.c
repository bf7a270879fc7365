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
	const struct bench_trace *trace;
	char out[512];
	uint64_t first, last;
};

static int failed(struct cairn *cairn, const char *path)
{
	fprintf(stderr, "bench: %s: %s\n", path, cairn_error_text(cairn));
	return -1;
}

static int run_convert(void *arg)
{
	struct change *change = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	struct cairn_output out = {.size = sizeof out, .path = change->out, .threads = THREADS};
	int rc = cairn_open(cairn, change->trace->stf, NULL, &reader);
	if (rc >= 0)
		rc = cairn_convert(reader, &out, NULL);
	rc = rc < 0 ? failed(cairn, change->trace->stf) : 0;
	cairn_close(reader);
	cairn_free(cairn);
	return rc;
}

static int run_slice(void *arg)
{
	struct change *change = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	struct cairn_range range = {change->first, change->last};
	struct cairn_slice_opts opts = {.size = sizeof opts, .ranges = &range, .n_ranges = 1};
	struct cairn_output out = {.size = sizeof out, .path = change->out, .threads = THREADS};
	int rc = cairn_open(cairn, change->trace->zstf, NULL, &reader);
	if (rc >= 0)
		rc = cairn_slice(reader, &opts, &out, NULL);
	rc = rc < 0 ? failed(cairn, change->trace->zstf) : 0;
	cairn_close(reader);
	cairn_free(cairn);
	return rc;
}

/* ---- the limit ---- */

struct mapped {
	const uint8_t *p;
	size_t n;
};

static struct mapped map(const char *path)
{
	struct mapped mapped = {0};
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED)
			mapped = (struct mapped){p, (size_t)st.st_size};
	}
	if (fd >= 0)
		close(fd);
	return mapped;
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
	struct pieces *pieces = arg;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	void *out = NULL;
	size_t cap = 0;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	for (;;) {
		uint64_t i = __atomic_fetch_add(&pieces->next, 1, __ATOMIC_RELAXED);
		if (i >= pieces->n)
			break;
		size_t n = (size_t)base_le64(pieces->rows + ROW * i + 16), need = ZSTD_compressBound(n);
		if (need > cap)
			out = realloc(out, cap = need);
		size_t z =
			out ? ZSTD_compress2(zstd, out, cap, pieces->stf.p + pieces->start[i], n) : (size_t)-1;
		bool good = !ZSTD_isError(z);
		if (good && pieces->fd >= 0) {
			uint64_t at = __atomic_fetch_add(&pieces->written, z, __ATOMIC_RELAXED);
			good = pwrite(pieces->fd, out, z, (off_t)at) == (ssize_t)z;
		}
		if (!good)
			__atomic_store_n(&pieces->failed, 1, __ATOMIC_RELAXED);
	}
	free(out);
	ZSTD_freeCCtx(zstd);
	return NULL;
}

static int pieces(const struct change *change, int fd)
{
	struct mapped mapped = map(change->trace->zstf);
	struct pieces p = {.stf = map(change->trace->stf), .fd = fd};
	pthread_t other;
	uint64_t at = 0;
	if (!mapped.p || !p.stf.p)
		return -1;
	const uint8_t *index = mapped.p + base_le64(mapped.p + 12);
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
	munmap((void *)(uintptr_t)mapped.p, mapped.n);
	munmap((void *)(uintptr_t)p.stf.p, p.stf.n);
	return p.failed ? -1 : 0;
}

static int run_pieces(void *arg)
{
	return pieces(arg, -1);
}

static int run_pieces_written(void *arg)
{
	const struct change *change = arg;
	unlink(change->out); /* what is there already would have to be cleared first */
	int fd = open(change->out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0)
		return -1;
	int rc = pieces(change, fd);
	close(fd);
	return rc;
}

/* ---- rows ---- */

static int convert_row(const struct bench *bench, const struct bench_trace *trace, const char *name)
{
	struct change change = {.trace = trace};
	snprintf(change.out, sizeof change.out, "%s/convert.zstf", bench->data);
	struct bench_job job[] = {{.run = run_convert, .arg = &change},
	                          {.run = run_pieces, .arg = &change},
	                          {.run = run_pieces_written, .arg = &change}};
	int rc = bench_time(job, 3, bench->runs);
	unlink(change.out);
	if (rc < 0)
		return -1;
	double insns = (double)trace->made.insns * 1e-6;
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = insns / job[0].seconds[BENCH_CORE],
	                                .limit = "compressing pieces",
	                                .limit_figure = insns / job[1].seconds[BENCH_CORE],
	                                .ratio = bench_ratio(&job[0], &job[1], bench->runs, BENCH_CORE),
	                                .goal = {1.25, true},
	                                .on_ratio = true});
	bench_print(
		&(struct bench_row){.name = name,
	                        .unit = "M insn/s",
	                        .figure = insns / job[0].seconds[BENCH_CORE],
	                        .limit = "… and writing them",
	                        .limit_figure = insns / job[2].seconds[BENCH_CORE],
	                        .ratio = bench_ratio(&job[0], &job[2], bench->runs, BENCH_CORE)});
	return 0;
}

static int slice_row(const struct bench *bench, const struct bench_trace *trace, const char *name)
{
	struct change change = {.trace = trace, .first = trace->made.insns / 2};
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_index_opts opts = {.size = sizeof opts, .threads = THREADS};
	char index[544];
	change.last = change.first + trace->made.insns / 100;
	snprintf(change.out, sizeof change.out, "%s/slice.zstf", bench->data);
	snprintf(index, sizeof index, "%s.cai", trace->zstf);
	int rc =
		cairn_index_build(cairn, trace->zstf, &opts, NULL) < 0 ? failed(cairn, trace->zstf) : 0;
	cairn_free(cairn);
	struct bench_job job[] = {{.run = run_slice, .arg = &change}};
	if (rc == 0)
		rc = bench_time(job, 1, bench->runs);
	unlink(change.out);
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
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_stf_writer *writer = NULL;
	int rc = cairn_stf_create(cairn, path, NULL, &writer);
	if (rc >= 0)
		rc = cairn_stf_begin(writer, NULL);
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
		rc = cairn_stf_put(writer, &in);
	}
	if (rc >= 0)
		rc = cairn_stf_finish(writer);
	else if (writer)
		cairn_stf_abort(writer);
	rc = rc < 0 ? failed(cairn, path) : 0;
	cairn_free(cairn);
	return rc;
}

/* All of the trace to one output, or to one for each hart. */
static int change_harts(const struct harts *harts, bool split)
{
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	struct cairn_range all = {1, UINT64_MAX};
	struct cairn_slice_opts whole = {.size = sizeof whole, .ranges = &all, .n_ranges = 1};
	struct cairn_split_opts by_cpu = {.size = sizeof by_cpu, .by = CAIRN_SPLIT_CPU};
	struct cairn_output out = {.size = sizeof out, .path = split ? harts->parts : harts->copy};
	int rc = cairn_open(cairn, harts->stf, NULL, &reader);
	if (rc >= 0)
		rc = split ? cairn_split(reader, &by_cpu, &out, NULL)
		           : cairn_slice(reader, &whole, &out, NULL);
	rc = rc < 0 ? failed(cairn, harts->stf) : 0;
	cairn_close(reader);
	cairn_free(cairn);
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

static int split_row(const struct bench *bench)
{
	struct harts harts;
	snprintf(harts.stf, sizeof harts.stf, "%s/harts.stf", bench->data);
	snprintf(harts.parts, sizeof harts.parts, "%s/hart-%%s.stf", bench->data);
	snprintf(harts.copy, sizeof harts.copy, "%s/harts-copy.stf", bench->data);
	struct bench_job job[] = {{.run = run_split, .arg = &harts}, {.run = run_copy, .arg = &harts}};
	int rc = make_harts(harts.stf);
	if (rc == 0)
		rc = bench_time(job, 2, bench->runs);
	for (unsigned i = 0; i < HARTS; i++) {
		char part[544];
		snprintf(part, sizeof part, "%s/hart-%u.stf", bench->data, i);
		unlink(part);
	}
	unlink(harts.stf);
	unlink(harts.copy);
	if (rc == 0)
		bench_print(
			&(struct bench_row){.name = "split .stf by cpu, 1024 harts",
		                        .unit = "ms",
		                        .figure = job[0].seconds[BENCH_CORE] * 1e3,
		                        .limit = "one slice of all",
		                        .limit_figure = job[1].seconds[BENCH_CORE] * 1e3,
		                        .ratio = bench_ratio(&job[0], &job[1], bench->runs, BENCH_CORE)});
	return rc;
}

int bench_change_rows(const struct bench *bench)
{
	if (convert_row(bench, &bench->trace[BENCH_LEAN], "convert lean .stf -> .zstf, 2 threads") <
	        0 ||
	    convert_row(bench, &bench->trace[BENCH_FULL], "convert full .stf -> .zstf, 2 threads") <
	        0 ||
	    slice_row(bench, &bench->trace[BENCH_LEAN], "slice 1 % of lean .zstf, indexed") < 0 ||
	    slice_row(bench, &bench->trace[BENCH_FULL], "slice 1 % of full .zstf, indexed") < 0 ||
	    split_row(bench) < 0)
		return -1;
	return 0;
}

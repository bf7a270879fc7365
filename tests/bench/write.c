/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for writing. The limit is compressing ready-cut pieces of the same bytes: the
 * chunks that the .zstf beside the raw trace has, cut beforehand, each compressed by
 * the zstd library with the same level and threads, and written one after another.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bytes.h"
#include "bench.h"
#include "cairn/cairn.h"

enum { LEVEL = 3, MOST_THREADS = 8 };

struct map {
	const uint8_t *p;
	size_t n;
};

struct job {
	const struct bench_trace *trace;
	char out[512];
	unsigned threads;
};

static int map_file(const char *path, struct map *map)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		return -1;
	}
	map->n = (size_t)st.st_size;
	map->p = mmap(NULL, map->n, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return map->p == MAP_FAILED ? -1 : 0;
}

/* ---- the limit ---- */

struct pieces {
	struct map raw, zstf;
	const uint8_t *index;
	uint64_t count, next, written, *start;
	FILE *out;
	pthread_mutex_t lock;
	pthread_cond_t turn;
	int failed;
};

static void *compress_pieces(void *arg)
{
	struct pieces *pieces = arg;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	uint8_t *buf = NULL;
	size_t cap = 0;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	for (;;) {
		uint64_t i = __atomic_fetch_add(&pieces->next, 1, __ATOMIC_RELAXED);
		if (i >= pieces->count)
			break;
		size_t n = pieces->start[i + 1] - pieces->start[i], bound = ZSTD_compressBound(n);
		if (bound > cap) {
			free(buf);
			buf = malloc(cap = bound);
		}
		size_t got = ZSTD_compress2(zstd, buf, cap, pieces->raw.p + pieces->start[i], n);
		pthread_mutex_lock(&pieces->lock);
		while (pieces->written != i)
			pthread_cond_wait(&pieces->turn, &pieces->lock);
		pieces->failed |= ZSTD_isError(got) || fwrite(buf, 1, got, pieces->out) != got;
		pieces->written++;
		pthread_cond_broadcast(&pieces->turn);
		pthread_mutex_unlock(&pieces->lock);
	}
	free(buf);
	ZSTD_freeCCtx(zstd);
	return NULL;
}

static int open_pieces(const struct bench_trace *trace, struct pieces *pieces)
{
	if (map_file(trace->stf, &pieces->raw) < 0 || map_file(trace->zstf, &pieces->zstf) < 0)
		return -1;
	uint64_t end = base_le64(pieces->zstf.p + 12);
	pieces->index = pieces->zstf.p + end + 8;
	pieces->count = base_le64(pieces->zstf.p + end);
	pieces->start = calloc(pieces->count + 1, sizeof *pieces->start);
	for (uint64_t i = 0; i < pieces->count; i++)
		pieces->start[i + 1] = pieces->start[i] + base_le64(pieces->index + 24 * i + 16);
	return pieces->start[pieces->count] == pieces->raw.n ? 0 : -1;
}

static int run_pieces(void *arg)
{
	const struct job *job = arg;
	struct pieces pieces = {.lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};
	pthread_t threads[MOST_THREADS];
	unsigned n = 0;
	if (open_pieces(job->trace, &pieces) < 0) {
		fprintf(stderr, "bench: the chunks of %s are not the bytes of %s\n", job->trace->zstf,
		        job->trace->stf);
		return -1;
	}
	pieces.out = fopen(job->out, "wb");
	while (pieces.out && n < job->threads && n < MOST_THREADS &&
	       pthread_create(&threads[n], NULL, compress_pieces, &pieces) == 0)
		n++;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pieces.failed |= !pieces.out || fclose(pieces.out) != 0;
	free(pieces.start);
	munmap((void *)(uintptr_t)pieces.raw.p, pieces.raw.n);
	munmap((void *)(uintptr_t)pieces.zstf.p, pieces.zstf.n);
	return pieces.failed ? -1 : 0;
}

/* ---- ours ---- */

static int say(struct cairn *cairn, int rc)
{
	if (rc < 0)
		fprintf(stderr, "bench: %s\n", cairn_error_text(cairn));
	return rc < 0 ? -1 : 0;
}

static int run_records(void *arg)
{
	const struct job *job = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_stf_writer *writer = NULL;
	struct cairn_stf_write_opts opts = {.size = sizeof opts,
	                                    .threads = job->threads,
	                                    .level = LEVEL};
	struct map map;
	if (map_file(job->trace->stf, &map) < 0)
		return -1;
	int rc = cairn_stf_create(cairn, job->out, &opts, &writer);
	if (rc >= 0 && cairn_stf_put_records(writer, map.p, map.n) != (int64_t)map.n)
		rc = -1;
	rc = rc < 0 ? (cairn_stf_abort(writer), rc) : cairn_stf_finish(writer);
	munmap((void *)(uintptr_t)map.p, map.n);
	rc = say(cairn, rc);
	cairn_free(cairn);
	return rc;
}

static int run_batches(void *arg)
{
	const struct job *job = arg;
	struct cairn *cairn = cairn_new(NULL);
	struct cairn_reader *reader = NULL;
	struct cairn_writer *writer = NULL;
	struct cairn_create_opts opts = {.size = sizeof opts, .threads = job->threads, .level = LEVEL};
	struct cairn_batch *batch = cairn_batch_new(cairn);
	int rc = cairn_open(cairn, job->trace->stf, NULL, &reader);
	if (rc >= 0)
		rc = cairn_create(cairn, job->out, &opts, &writer);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) == 1)
		rc = cairn_put(writer, batch);
	if (rc >= 0)
		rc = cairn_finish(writer, NULL);
	else
		cairn_discard(writer);
	rc = say(cairn, rc);
	if (reader)
		cairn_close(reader);
	cairn_batch_free(cairn, batch);
	cairn_free(cairn);
	return rc;
}

static void print_row(const struct bench *bench, const struct bench_trace *trace, const char *what,
                      const struct bench_job *job, const struct bench_job *limit,
                      enum bench_clock clock)
{
	char name[64];
	double insns = (double)trace->made.insns * 1e-6;
	snprintf(name, sizeof name, "%s.zstf: write, %s%s", trace->name, what,
	         clock == BENCH_CORE ? ", a core's work" : "");
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = insns / job->seconds[clock],
	                                .limit = "compressing pieces",
	                                .limit_figure = insns / limit->seconds[clock],
	                                .ratio = bench_ratio(job, limit, bench->runs, clock),
	                                .on_ratio = true});
}

int bench_write_rows(const struct bench *bench)
{
	enum { PIECES, RECORDS, BATCHES, JOBS };
	static int (*const runs[JOBS])(void *) = {run_pieces, run_records, run_batches};
	static const char *const names[JOBS] = {NULL, "records", "batches"};
	for (unsigned kind = BENCH_LEAN; kind <= BENCH_FULL; kind++) {
		const struct bench_trace *trace = &bench->trace[kind];
		struct bench_job job[JOBS];
		struct job work[JOBS];
		for (unsigned i = 0; i < JOBS; i++) {
			work[i] = (struct job){.trace = trace, .threads = 2};
			snprintf(work[i].out, sizeof work[i].out, "%s/written.zstf", bench->data);
			job[i] = (struct bench_job){.run = runs[i], .arg = &work[i]};
		}
		if (bench_time(job, JOBS, bench->runs) < 0)
			return -1;
		unlink(work[0].out);
		for (unsigned i = RECORDS; i < JOBS; i++)
			for (unsigned c = BENCH_CLOCKS; c--;)
				print_row(bench, trace, names[i], &job[i], &job[PIECES], (enum bench_clock)c);
	}
	return 0;
}

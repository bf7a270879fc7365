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
	const struct bench_trace *t;
	char out[512];
	unsigned threads;
};

static int map_file(const char *path, struct map *m)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(path);
		return -1;
	}
	m->n = (size_t)st.st_size;
	m->p = mmap(NULL, m->n, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return m->p == MAP_FAILED ? -1 : 0;
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
	struct pieces *k = arg;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	uint8_t *buf = NULL;
	size_t cap = 0;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	for (;;) {
		uint64_t i = __atomic_fetch_add(&k->next, 1, __ATOMIC_RELAXED);
		if (i >= k->count)
			break;
		size_t n = k->start[i + 1] - k->start[i], bound = ZSTD_compressBound(n);
		if (bound > cap) {
			free(buf);
			buf = malloc(cap = bound);
		}
		size_t got = ZSTD_compress2(zstd, buf, cap, k->raw.p + k->start[i], n);
		pthread_mutex_lock(&k->lock);
		while (k->written != i)
			pthread_cond_wait(&k->turn, &k->lock);
		k->failed |= ZSTD_isError(got) || fwrite(buf, 1, got, k->out) != got;
		k->written++;
		pthread_cond_broadcast(&k->turn);
		pthread_mutex_unlock(&k->lock);
	}
	free(buf);
	ZSTD_freeCCtx(zstd);
	return NULL;
}

static int open_pieces(const struct bench_trace *t, struct pieces *k)
{
	if (map_file(t->stf, &k->raw) < 0 || map_file(t->zstf, &k->zstf) < 0)
		return -1;
	uint64_t end = base_le64(k->zstf.p + 12);
	k->index = k->zstf.p + end + 8;
	k->count = base_le64(k->zstf.p + end);
	k->start = calloc(k->count + 1, sizeof *k->start);
	for (uint64_t i = 0; i < k->count; i++)
		k->start[i + 1] = k->start[i] + base_le64(k->index + 24 * i + 16);
	return k->start[k->count] == k->raw.n ? 0 : -1;
}

static int run_pieces(void *arg)
{
	const struct job *j = arg;
	struct pieces k = {.lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};
	pthread_t threads[MOST_THREADS];
	unsigned n = 0;
	if (open_pieces(j->t, &k) < 0) {
		fprintf(stderr, "bench: the chunks of %s are not the bytes of %s\n", j->t->zstf, j->t->stf);
		return -1;
	}
	k.out = fopen(j->out, "wb");
	while (k.out && n < j->threads && n < MOST_THREADS &&
	       pthread_create(&threads[n], NULL, compress_pieces, &k) == 0)
		n++;
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	k.failed |= !k.out || fclose(k.out) != 0;
	free(k.start);
	munmap((void *)(uintptr_t)k.raw.p, k.raw.n);
	munmap((void *)(uintptr_t)k.zstf.p, k.zstf.n);
	return k.failed ? -1 : 0;
}

/* ---- ours ---- */

static int say(struct cairn *c, int rc)
{
	if (rc < 0)
		fprintf(stderr, "bench: %s\n", cairn_error_text(c));
	return rc < 0 ? -1 : 0;
}

static int run_records(void *arg)
{
	const struct job *j = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_stf_writer *w = NULL;
	struct cairn_stf_write_opts o = {.size = sizeof o, .threads = j->threads, .level = LEVEL};
	struct map m;
	if (map_file(j->t->stf, &m) < 0)
		return -1;
	int rc = cairn_stf_create(c, j->out, &o, &w);
	if (rc >= 0 && cairn_stf_put_records(w, m.p, m.n) != (int64_t)m.n)
		rc = -1;
	rc = rc < 0 ? (cairn_stf_abort(w), rc) : cairn_stf_finish(w);
	munmap((void *)(uintptr_t)m.p, m.n);
	rc = say(c, rc);
	cairn_free(c);
	return rc;
}

static int run_batches(void *arg)
{
	const struct job *j = arg;
	struct cairn *c = cairn_new(NULL);
	struct cairn_reader *r = NULL;
	struct cairn_writer *w = NULL;
	struct cairn_create_opts o = {.size = sizeof o, .threads = j->threads, .level = LEVEL};
	struct cairn_batch *b = cairn_batch_new(c);
	int rc = cairn_open(c, j->t->stf, NULL, &r);
	if (rc >= 0)
		rc = cairn_create(c, j->out, &o, &w);
	while (rc >= 0 && (rc = cairn_next(r, b)) == 1)
		rc = cairn_put(w, b);
	if (rc >= 0)
		rc = cairn_finish(w, NULL);
	else
		cairn_discard(w);
	rc = say(c, rc);
	if (r)
		cairn_close(r);
	cairn_batch_free(c, b);
	cairn_free(c);
	return rc;
}

static void print_row(const struct bench *k, const struct bench_trace *t, const char *what,
                      const struct bench_job *job, const struct bench_job *limit,
                      enum bench_clock clock)
{
	char name[64];
	double insns = (double)t->made.insns * 1e-6;
	snprintf(name, sizeof name, "%s.zstf: write, %s%s", t->name, what,
	         clock == BENCH_CORE ? ", a core's work" : "");
	bench_print(&(struct bench_row){.name = name,
	                                .unit = "M insn/s",
	                                .figure = insns / job->seconds[clock],
	                                .limit = "compressing pieces",
	                                .limit_figure = insns / limit->seconds[clock],
	                                .ratio = bench_ratio(job, limit, k->runs, clock),
	                                .on_ratio = true});
}

int bench_write_rows(const struct bench *k)
{
	enum { PIECES, RECORDS, BATCHES, JOBS };
	static int (*const runs[JOBS])(void *) = {run_pieces, run_records, run_batches};
	static const char *const names[JOBS] = {NULL, "records", "batches"};
	for (unsigned kind = BENCH_LEAN; kind <= BENCH_FULL; kind++) {
		const struct bench_trace *t = &k->trace[kind];
		struct bench_job job[JOBS];
		struct job work[JOBS];
		for (unsigned i = 0; i < JOBS; i++) {
			work[i] = (struct job){.t = t, .threads = 2};
			snprintf(work[i].out, sizeof work[i].out, "%s/written.zstf", k->data);
			job[i] = (struct bench_job){.run = runs[i], .arg = &work[i]};
		}
		if (bench_time(job, JOBS, k->runs) < 0)
			return -1;
		unlink(work[0].out);
		for (unsigned i = RECORDS; i < JOBS; i++)
			for (unsigned c = BENCH_CLOCKS; c--;)
				print_row(k, t, names[i], &job[i], &job[PIECES], (enum bench_clock)c);
	}
	return 0;
}

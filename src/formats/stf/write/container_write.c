/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .zstf container, writing: magic, markers per chunk, pointer to the index, chunks (one zstd
 * frame each, back to back), index.
 *
 * Chunks are compressed by worker threads and written by the caller's thread in the order they
 * came, so the bytes do not depend on the number of threads.
 *
 * A killed writer must leave a file that opens. The index has to stand right behind the last chunk,
 * where the next chunk must go. So the bytes that would overwrite the index in the file are held
 * back, and what comes behind them is written. Once a second the bytes held back, a new index and
 * the pointer to it are written together (commit). Between two such moments the file has an index
 * of whole chunks, with bytes behind it that are in no index yet. Writing the index after each
 * chunk would cost time in the square of the trace's length; holding back whole chunks would cost a
 * second copy of memory that has gone cold.
 *
 * Frames are made here and not by the zstd codec, because today's readers were only ever given
 * frames without content size and checksum.
 *
 * The header of a trace says what is in it, which is known at its end. So that it can be corrected
 * in place, the first chunk's frame begins with blocks that hold the header as it is (RFC 8878,
 * "Raw_Block"), followed by the blocks of the rest. A raw block changes nothing of the decoder's
 * state except the window, so the blocks of a frame made of the rest alone can follow it.
 */
#include "formats/stf/write/container_write.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "formats/stf/record/container.h"

enum { THREADS_MAX = 64, ZSTF_LEVEL = 3 };

enum job_state { JOB_FREE, JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct job {
	struct base_buf raw, frame;
	const uint8_t *from; /* what to compress: `raw`, or where the caller keeps it */
	size_t len;
	uint64_t pc;
	size_t plain;       /* bytes at its begin to be stored as they are */
	size_t plain_block; /* … in blocks of this size */
	enum job_state state;
	int status;
	char why[512];
};

struct stf_chunks {
	struct cairn *cairn;
	struct cairn_sink *sink;
	ZSTD_CCtx *zstd; /* without worker threads */
	int level;
	int status;       /* the first failure; every later call returns it */
	struct job *jobs; /* a ring: oldest first */
	size_t n_jobs, oldest, used;
	pthread_t threads[THREADS_MAX];
	unsigned n_threads;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	bool quit;
	struct base_buf index; /* room for the count, then the entries */
	uint64_t start, over;  /* the index in the file: its place and length */
	struct base_buf held;  /* what will replace it */
	uint64_t end;          /* where the next frame goes */
	struct timespec last;  /* when the index was last written */
	size_t plain_block;    /* of the first chunk, once it is compressed */
	uint64_t patch_at;     /* a correction of the first chunk to be made … */
	uint8_t patch[8];
	size_t patch_len; /* … with the next commit */
};

enum { BLOCK_HEAD = 3, BLOCK_MAX = 128 << 10 };

/* The largest block of a frame with this window descriptor (RFC 8878, 3.1.1.1.2). */
static size_t largest_block(uint8_t window)
{
	uint64_t base = (uint64_t)1 << (10 + (window >> 3));
	uint64_t size = base + base / 8 * (window & 7);
	return size < BLOCK_MAX ? (size_t)size : BLOCK_MAX;
}

/* Put blocks of raw bytes in front of the frame's own. */
static int prepend_plain(struct job *job)
{
	struct base_buf *buf = &job->frame;
	if (buf->len < STF_LEN_FRAME || stf_FRAME_descriptor(buf->data) != 0)
		return CAIRN_E_STATE; /* not the frame we asked for */
	size_t block = largest_block(stf_FRAME_window(buf->data)), n = (job->plain + block - 1) / block;
	size_t more = job->plain + n * BLOCK_HEAD;
	int rc = base_buf_reserve(buf, more);
	if (rc < 0)
		return rc;
	memmove(buf->data + STF_LEN_FRAME + more, buf->data + STF_LEN_FRAME, buf->len - STF_LEN_FRAME);
	buf->len += more;
	uint8_t *to = buf->data + STF_LEN_FRAME;
	for (size_t at = 0; at < job->plain; at += block) {
		size_t len = job->plain - at < block ? job->plain - at : block;
		base_put_le(to, BLOCK_HEAD, len << 3); /* not the last one; type 0: raw */
		memcpy(to + BLOCK_HEAD, job->from + at, len);
		to += BLOCK_HEAD + len;
	}
	job->plain_block = block;
	return 0;
}

static int compress_with(ZSTD_CCtx *zstd, int level, struct job *job)
{
	if (!zstd)
		return CAIRN_E_NOMEM;
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 0);
	job->frame.len = 0;
	size_t rest = job->len - job->plain;
	int rc = base_buf_reserve(&job->frame, ZSTD_compressBound(rest));
	if (rc < 0)
		return rc;
	size_t n = ZSTD_compress2(zstd, job->frame.data, job->frame.cap, job->from + job->plain, rest);
	if (ZSTD_isError(n)) {
		snprintf(job->why, sizeof job->why, "zstd: %s", ZSTD_getErrorName(n));
		return CAIRN_E_STATE;
	}
	job->frame.len = n;
	return job->plain ? prepend_plain(job) : 0;
}

static void compress(struct stf_chunks *ch, ZSTD_CCtx *zstd, struct job *job)
{
	snprintf(job->why, sizeof job->why, "out of memory");
	job->status = compress_with(zstd, ch->level, job);
}

/* The oldest job that no thread works on, NULL if there is none; the lock is held. */
static struct job *next_job(struct stf_chunks *ch)
{
	for (size_t i = 0; i < ch->used; i++) {
		struct job *job = &ch->jobs[(ch->oldest + i) % ch->n_jobs];
		if (job->state == JOB_WAITING)
			return job;
	}
	return NULL;
}

static void *worker(void *arg)
{
	struct stf_chunks *ch = arg;
	ZSTD_CCtx *zstd = ZSTD_createCCtx(); /* a failure is the first job's */
	pthread_mutex_lock(&ch->lock);
	while (!ch->quit) {
		struct job *job = next_job(ch);
		if (!job) {
			pthread_cond_wait(&ch->work, &ch->lock);
			continue;
		}
		job->state = JOB_RUNNING;
		pthread_mutex_unlock(&ch->lock);
		compress(ch, zstd, job);
		pthread_mutex_lock(&ch->lock);
		job->state = JOB_DONE;
		pthread_cond_signal(&ch->done);
	}
	pthread_mutex_unlock(&ch->lock);
	ZSTD_freeCCtx(zstd);
	return NULL;
}

static void stop_threads(struct stf_chunks *ch)
{
	pthread_mutex_lock(&ch->lock);
	ch->quit = true;
	pthread_cond_broadcast(&ch->work);
	pthread_mutex_unlock(&ch->lock);
	for (unsigned i = 0; i < ch->n_threads; i++)
		pthread_join(ch->threads[i], NULL);
	ch->n_threads = 0;
}

static void free_chunks(struct stf_chunks *ch)
{
	stop_threads(ch);
	for (size_t i = 0; i < ch->n_jobs; i++) {
		base_buf_free(&ch->jobs[i].raw);
		base_buf_free(&ch->jobs[i].frame);
	}
	base_free(ch->cairn, ch->jobs);
	ZSTD_freeCCtx(ch->zstd);
	base_buf_free(&ch->index);
	base_buf_free(&ch->held);
	pthread_cond_destroy(&ch->work);
	pthread_cond_destroy(&ch->done);
	pthread_mutex_destroy(&ch->lock);
	base_free(ch->cairn, ch);
}

static size_t chunks_of(const struct stf_chunks *ch)
{
	return (ch->index.len - STF_LEN_INDEX) / STF_LEN_CHUNK;
}

/* The first chunk is in the file: change bytes of its header, between which block heads stand. */
static int container_write_correct(struct stf_chunks *ch)
{
	int rc = 0;
	for (size_t i = 0; i < ch->patch_len && rc >= 0; i++) {
		uint64_t at = ch->patch_at + i;
		uint64_t place =
			STF_LEN_CONTAINER + STF_LEN_FRAME + at + BLOCK_HEAD * (at / ch->plain_block + 1);
		rc = io_sink_pwrite(ch->sink, place, ch->patch + i, 1);
	}
	ch->patch_len = 0;
	return rc;
}

/* Put the next bytes of the file: those where the index still stands are held back. */
static int container_write_put_behind(struct stf_chunks *ch, const uint8_t *p, size_t n)
{
	size_t room = (size_t)ch->over - ch->held.len, hold = n < room ? n : room;
	int rc = base_buf_put(&ch->held, p, hold);
	return rc < 0 ? rc : cairn_sink_write(ch->sink, p + hold, n - hold);
}

/*
 * Write a new index behind the last frame, then what was held back over the old one, then the
 * pointer: only between two small writes is the file without one. The new index is always longer
 * than the old one.
 */
static int container_write_commit(struct stf_chunks *ch)
{
	uint8_t pointer[8];
	stf_put_INDEX_chunks(ch->index.data, chunks_of(ch));
	int rc = container_write_put_behind(ch, ch->index.data, ch->index.len);
	if (rc >= 0)
		rc = io_sink_flush(ch->sink);
	if (rc >= 0 && ch->held.len)
		rc = io_sink_pwrite(ch->sink, ch->start, ch->held.data, ch->held.len);
	base_put_le64(pointer, ch->end);
	if (rc >= 0)
		rc = io_sink_pwrite(ch->sink, offsetof(struct stf_layout_CONTAINER, index), pointer,
		                    sizeof pointer);
	if (rc >= 0 && ch->plain_block)
		rc = container_write_correct(ch);
	if (rc < 0)
		return rc;
	ch->held.len = 0;
	ch->start = ch->end;
	ch->over = ch->index.len;
	clock_gettime(CLOCK_MONOTONIC, &ch->last);
	return rc;
}

static bool second_passed(const struct stf_chunks *ch)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - ch->last.tv_sec) * 1000 + (now.tv_nsec - ch->last.tv_nsec) / 1000000 >=
	       1000;
}

/* Take the oldest job when it has finished: its frame is the next in the file. */
static int container_write_collect(struct stf_chunks *ch, struct job *job)
{
	if (job->status < 0)
		return base_fail(ch->cairn, job->status, "chunk %zu: %s", chunks_of(ch), job->why);
	uint8_t row[STF_LEN_CHUNK];
	stf_put_CHUNK_frame(row, ch->end);
	stf_put_CHUNK_pc(row, job->pc);
	stf_put_CHUNK_size(row, job->len);
	int rc = base_buf_put(&ch->index, row, sizeof row);
	if (rc >= 0)
		rc = container_write_put_behind(ch, job->frame.data, job->frame.len);
	if (rc < 0)
		return rc;
	ch->end += job->frame.len;
	if (job->plain)
		ch->plain_block = job->plain_block;
	pthread_mutex_lock(&ch->lock);
	job->state = JOB_FREE;
	ch->oldest = (ch->oldest + 1) % ch->n_jobs;
	ch->used--;
	pthread_mutex_unlock(&ch->lock);
	return second_passed(ch) ? container_write_commit(ch) : 0;
}

/* Collect finished jobs, waiting until at most `keep` are left. */
static int drain(struct stf_chunks *ch, size_t keep)
{
	int rc = 0;
	while (rc >= 0 && ch->used) {
		struct job *job = &ch->jobs[ch->oldest];
		pthread_mutex_lock(&ch->lock);
		while (job->state != JOB_DONE && ch->used > keep)
			pthread_cond_wait(&ch->done, &ch->lock);
		bool done = job->state == JOB_DONE;
		pthread_mutex_unlock(&ch->lock);
		if (!done)
			break;
		rc = container_write_collect(ch, job);
	}
	return rc;
}

static void start_threads(struct stf_chunks *ch, unsigned threads)
{
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	/* One thread compresses in the caller; with too few threads it is only slower. */
	for (unsigned i = 0; threads > 1 && i < threads; i++) {
		if (pthread_create(&ch->threads[i], NULL, worker, ch) != 0)
			break;
		ch->n_threads++;
	}
}

/* On failure the sink remains the caller's. */
static int chunks_begin(struct cairn *cairn, struct cairn_sink *sink, int level, uint64_t markers,
                        unsigned threads, struct stf_chunks **out)
{
	struct stf_chunks *ch = base_alloc(cairn, sizeof *ch);
	if (!ch)
		return CAIRN_E_NOMEM;
	ch->cairn = cairn;
	ch->level = level ? level : ZSTF_LEVEL;
	ch->start = ch->end = STF_LEN_CONTAINER;
	ch->over = 8;
	pthread_mutex_init(&ch->lock, NULL);
	pthread_cond_init(&ch->work, NULL);
	pthread_cond_init(&ch->done, NULL);
	base_buf_init(&ch->index, cairn);
	base_buf_init(&ch->held, cairn);
	clock_gettime(CLOCK_MONOTONIC, &ch->last);
	size_t n_jobs = threads > 1 ? (threads < THREADS_MAX ? threads : THREADS_MAX) + 2 : 1;
	ch->jobs = base_alloc(cairn, n_jobs * sizeof *ch->jobs);
	int rc = ch->jobs ? 0 : CAIRN_E_NOMEM;
	if (rc < 0)
		goto out;
	ch->n_jobs = n_jobs;
	for (size_t i = 0; i < n_jobs; i++) {
		base_buf_init(&ch->jobs[i].raw, cairn);
		base_buf_init(&ch->jobs[i].frame, cairn);
	}
	rc = base_buf_put(&ch->index, (const uint8_t[STF_LEN_INDEX]){0}, STF_LEN_INDEX);
	if (rc < 0)
		goto out;
	/* Without any chunk the index is empty and stands right behind. */
	uint8_t head[STF_LEN_CONTAINER + STF_LEN_INDEX] = "ZSTF";
	stf_put_CONTAINER_markers(head, markers);
	stf_put_CONTAINER_index(head, STF_LEN_CONTAINER);
	rc = cairn_sink_write(sink, head, sizeof head);
	if (rc < 0)
		goto out;
	ch->sink = sink;
	start_threads(ch, threads);
	if (!ch->n_threads)
		ch->zstd = ZSTD_createCCtx();
	*out = ch;
	return 0;
out:
	free_chunks(ch);
	return rc;
}

int stf_chunks_open(struct cairn *cairn, const char *path, int level, uint64_t markers,
                    unsigned threads, struct stf_chunks **out)
{
	struct cairn_sink *sink = NULL;
	int rc = io_sink_open(cairn, path, NULL, INT_MIN, 1, &sink);
	if (rc < 0)
		return rc;
	if (io_sink_seekable(sink))
		rc = chunks_begin(cairn, sink, level, markers, threads, out);
	else
		rc = base_fail(cairn, CAIRN_E_STATE,
		               "%s: a .zstf needs a seekable file: write to a file, or use --to stf "
		               "--codec zstd",
		               strcmp(path, "-") == 0 ? "standard output" : path);
	if (rc < 0)
		cairn_sink_discard(sink);
	return rc;
}

/* Make a job for the next chunk, with room for it; NULL when something has failed. */
static struct job *new_job(struct stf_chunks *ch, uint64_t pc, size_t plain)
{
	if (ch->status >= 0)
		ch->status = drain(ch, ch->n_jobs - 1);
	if (ch->status < 0)
		return NULL;
	struct job *job = &ch->jobs[(ch->oldest + ch->used) % ch->n_jobs];
	job->pc = pc;
	job->plain = plain;
	return job;
}

static int start_job(struct stf_chunks *ch, struct job *job, const uint8_t *from, size_t len)
{
	job->from = from;
	job->len = len;
	if (!ch->n_threads)
		compress(ch, ch->zstd, job);
	pthread_mutex_lock(&ch->lock);
	ch->used++;
	job->state = ch->n_threads ? JOB_WAITING : JOB_DONE;
	pthread_cond_signal(&ch->work);
	pthread_mutex_unlock(&ch->lock);
	if (!ch->n_threads)
		ch->status = drain(ch, 0);
	return ch->status;
}

int stf_chunks_put(struct stf_chunks *ch, struct base_buf *raw, size_t cut, uint64_t pc,
                   size_t plain)
{
	struct job *job = new_job(ch, pc, plain);
	if (!job)
		return ch->status;
	struct base_buf empty = job->raw;
	job->raw = *raw;
	*raw = empty;
	raw->len = 0;
	ch->status = base_buf_put(raw, job->raw.data + cut, job->raw.len - cut);
	return ch->status < 0 ? ch->status : start_job(ch, job, job->raw.data, cut);
}

int stf_chunks_put_kept(struct stf_chunks *ch, const uint8_t *p, size_t n, uint64_t pc)
{
	struct job *job = new_job(ch, pc, 0);
	return job ? start_job(ch, job, p, n) : ch->status;
}

int stf_chunks_patch(struct stf_chunks *ch, uint64_t at, const void *p, size_t n)
{
	if (n > sizeof ch->patch)
		return base_fail(ch->cairn, CAIRN_E_STATE, "a correction of %zu bytes is too long", n);
	ch->patch_at = at;
	ch->patch_len = n;
	memcpy(ch->patch, p, n);
	return 0;
}

int stf_chunks_finish(struct stf_chunks *ch)
{
	int rc = ch->status;
	if (rc >= 0)
		rc = drain(ch, 0);
	if (rc >= 0)
		rc = container_write_commit(ch);
	if (rc < 0) {
		stf_chunks_abort(ch);
		return rc;
	}
	struct cairn_sink *sink = ch->sink;
	free_chunks(ch);
	return cairn_sink_finish(sink);
}

void stf_chunks_abort(struct stf_chunks *ch)
{
	struct cairn_sink *sink = ch->sink;
	/* A file that is kept has no index, but its frames follow one another. */
	if (io_keeping(ch->cairn)) {
		io_sink_pwrite(sink, ch->start, ch->held.data, ch->held.len);
		if (ch->plain_block)
			container_write_correct(ch);
	}
	free_chunks(ch);
	cairn_sink_discard(sink);
}

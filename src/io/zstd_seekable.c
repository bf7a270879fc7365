/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seekable zstd: ordinary frames of bounded size, and at the end of the file a
 * skippable frame that lists how long each of them is, compressed and decoded
 * (the "Zstandard Seekable Format" 0.1.0 of zstd's contrib directory). Any zstd
 * reads it; who knows the table can begin at any frame.
 *
 *   skippable header   u32 0x184D2A5E, u32 length of what follows
 *   per frame          u32 compressed size, u32 decoded size [, u32 checksum]
 *   footer             u32 frames, u8 descriptor (bit 7: checksums), u32 0x8F92EAB1
 *
 * The table is believed only when it accounts for every byte of the file before
 * it; otherwise the file is plain zstd, which it also is. A frame that then turns
 * out to hold something else than listed is damage, found when it is read.
 *
 * Reading is thread-safe: every read borrows a cursor (a decoder and where it
 * stands) from a small pool, preferring one that stands just before the wanted
 * place, so that each thread reading onward decodes every frame once.
 */
#include "io/codecs.h"

#include <pthread.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"

enum {
	SEEK_MAGIC = 0x184d2a5e,
	SEEK_FOOTER = 9,
	SEEK_CHECKSUMS = 0x80,
	SEEK_RESERVED = 0x7c,
	SEEK_MAX_FRAMES = 0x8000000,
	SEEK_MAX_DECODED = 1 << 30, /* of one frame; both maxima are the format's */
	SEEK_FRAME = 1 << 20,       /* what our own frames hold */
	SEEK_SKIP = 128 << 10,      /* a cursor's scratch buffer */
	SEEK_IDLE = 16              /* cursors kept for later */
};
#define SEEK_FOOTER_MAGIC 0x8f92eab1u

struct frame_end { /* where a frame ends; it begins where the one before ends */
	uint64_t in, out;
};

struct cursor {
	struct cursor *next;
	ZSTD_DCtx *d;
	size_t frame;     /* SIZE_MAX: in none */
	uint64_t in, out; /* where in the frame it stands */
	bool ended;       /* the frame's end was seen, its checksum is right */
	uint8_t skip[SEEK_SKIP];
};

struct io_zstd_seek {
	struct cairn *cairn;
	const uint8_t *map;
	struct frame_end *ends;
	size_t n;
	pthread_mutex_t lock;
	struct cursor *idle;
	unsigned n_idle;
};

/* ---- the table ---- */

struct table {
	const uint8_t *entries;
	size_t n, entry;
	uint64_t frames_len; /* the bytes before the table */
};

static bool zstd_seekable_find_table(const uint8_t *map, size_t len, struct table *table)
{
	if (len < 8 + SEEK_FOOTER)
		return false;
	const uint8_t *foot = map + len - SEEK_FOOTER;
	if (base_le32(foot + 5) != SEEK_FOOTER_MAGIC || (foot[4] & SEEK_RESERVED))
		return false;
	table->n = base_le32(foot);
	table->entry = foot[4] & SEEK_CHECKSUMS ? 12 : 8;
	if (table->n == 0 || table->n > SEEK_MAX_FRAMES ||
	    table->n > (len - 8 - SEEK_FOOTER) / table->entry)
		return false;
	size_t body = table->n * table->entry + SEEK_FOOTER;
	const uint8_t *head = map + len - body - 8;
	if (base_le32(head) != SEEK_MAGIC || base_le32(head + 4) != body)
		return false;
	table->entries = head + 8;
	table->frames_len = (uint64_t)(head - map);
	return true;
}

/* Sum the entries up; false when they do not account for the file. */
static bool sum_table(const struct table *table, struct frame_end *ends)
{
	struct frame_end at = {0, 0};
	for (size_t i = 0; i < table->n; i++) {
		const uint8_t *e = table->entries + i * table->entry;
		uint32_t in = base_le32(e), out = base_le32(e + 4);
		if (in == 0 || out > SEEK_MAX_DECODED || in > table->frames_len - at.in)
			return false;
		at.in += in;
		at.out += out;
		ends[i] = at;
	}
	return at.in == table->frames_len;
}

int io_zstd_seek_open(struct cairn *cairn, const uint8_t *map, size_t n, struct io_zstd_seek **out)
{
	struct table table;
	if (!zstd_seekable_find_table(map, n, &table))
		return 0;
	struct io_zstd_seek *seek = base_alloc(cairn, sizeof *seek);
	if (!seek)
		return CAIRN_E_NOMEM;
	seek->cairn = cairn;
	seek->map = map;
	seek->n = table.n;
	pthread_mutex_init(&seek->lock, NULL);
	int rc = CAIRN_E_NOMEM;
	seek->ends = base_realloc(cairn, NULL,
	                          table.n * sizeof *seek->ends); /* the file holds 8 bytes for each */
	if (!seek->ends)
		goto fail;
	rc = 0;
	if (!sum_table(&table, seek->ends))
		goto fail;
	*out = seek;
	return 1;
fail:
	io_zstd_seek_close(seek);
	return rc;
}

uint64_t io_zstd_seek_size(const struct io_zstd_seek *seek)
{
	return seek->ends[seek->n - 1].out;
}

/* ---- cursors ---- */

static void cursor_free(struct io_zstd_seek *seek, struct cursor *cursor)
{
	ZSTD_freeDCtx(cursor->d);
	base_free(seek->cairn, cursor);
}

void io_zstd_seek_close(struct io_zstd_seek *seek)
{
	if (!seek)
		return;
	for (struct cursor *cursor = seek->idle, *next; cursor; cursor = next) {
		next = cursor->next;
		cursor_free(seek, cursor);
	}
	pthread_mutex_destroy(&seek->lock);
	base_free(seek->cairn, seek->ends);
	base_free(seek->cairn, seek);
}

static struct cursor *cursor_new(struct io_zstd_seek *seek)
{
	struct cursor *cursor = base_realloc(seek->cairn, NULL, sizeof *cursor);
	if (!cursor)
		return NULL;
	cursor->next = NULL;
	cursor->frame = SIZE_MAX;
	cursor->in = cursor->out = 0;
	cursor->ended = false;
	cursor->d = ZSTD_createDCtx();
	if (!cursor->d) {
		base_free(seek->cairn, cursor);
		base_fail(seek->cairn, CAIRN_E_NOMEM, "out of memory for a zstd decoder");
		return NULL;
	}
	ZSTD_DCtx_setParameter(cursor->d, ZSTD_d_windowLogMax, IO_ZSTD_WINDOW_LOG);
	return cursor;
}

/* A cursor for reading `frame` from `out` on: the one that stands nearest before
 * it, or any. */
static struct cursor *cursor_take(struct io_zstd_seek *seek, size_t frame, uint64_t out)
{
	pthread_mutex_lock(&seek->lock);
	struct cursor **best = &seek->idle;
	for (struct cursor **cursor = &seek->idle; *cursor; cursor = &(*cursor)->next) {
		bool fits = (*cursor)->frame == frame && (*cursor)->out <= out;
		bool before = (*best)->frame == frame && (*best)->out <= out;
		if (fits && (!before || (*cursor)->out > (*best)->out))
			best = cursor;
	}
	struct cursor *k = *best;
	if (k) {
		*best = k->next;
		seek->n_idle--;
	}
	pthread_mutex_unlock(&seek->lock);
	return k ? k : cursor_new(seek);
}

static void cursor_give_back(struct io_zstd_seek *seek, struct cursor *cursor)
{
	pthread_mutex_lock(&seek->lock);
	bool keep = seek->n_idle < SEEK_IDLE;
	if (keep) {
		cursor->next = seek->idle;
		seek->idle = cursor;
		seek->n_idle++;
	}
	pthread_mutex_unlock(&seek->lock);
	if (!keep)
		cursor_free(seek, cursor);
}

/* ---- reading ---- */

static struct frame_end frame_start(const struct io_zstd_seek *seek, size_t f)
{
	return f ? seek->ends[f - 1] : (struct frame_end){0, 0};
}

static int frame_fail(struct io_zstd_seek *seek, size_t f, int status, const char *why)
{
	return base_fail(seek->cairn, status,
	                 "zstd: frame %zu at byte %llu of the compressed input: %s", f,
	                 (unsigned long long)frame_start(seek, f).in, io_codec_why(status, why));
}

static int frame_differs(struct io_zstd_seek *seek, size_t f)
{
	return frame_fail(seek, f, CAIRN_E_DAMAGED, "it is not what the seek table lists");
}

/* Decode on, at most `n` bytes to `buf`. Count, 0 at the end of the frame, or a
 * status. */
static int64_t cursor_decode(struct io_zstd_seek *seek, struct cursor *cursor, uint8_t *buf,
                             size_t n)
{
	struct frame_end left = frame_start(seek, cursor->frame), right = seek->ends[cursor->frame];
	ZSTD_inBuffer in = {seek->map + left.in, (size_t)(right.in - left.in), (size_t)cursor->in};
	ZSTD_outBuffer out = {buf, n, 0};
	while (out.pos == 0) {
		size_t before = in.pos;
		size_t rc = ZSTD_decompressStream(cursor->d, &out, &in);
		const char *why;
		if (ZSTD_isError(rc)) {
			int status = io_zstd_status(rc, &why);
			return frame_fail(seek, cursor->frame, status, why);
		}
		if (rc == 0 && in.pos != in.size)
			return frame_differs(seek, cursor->frame);
		cursor->ended = rc == 0;
		if (cursor->ended)
			break;
		if (out.pos == 0 && in.pos == before)
			return frame_differs(seek, cursor->frame);
	}
	cursor->in = in.pos;
	cursor->out += out.pos;
	return (int64_t)out.pos;
}

/* Once all that the table promises is out, the frame must be over (its checksum
 * is looked at only then). */
static int cursor_end(struct io_zstd_seek *seek, struct cursor *cursor)
{
	struct frame_end left = frame_start(seek, cursor->frame), right = seek->ends[cursor->frame];
	uint8_t more;
	if (cursor->out != right.out - left.out || cursor->ended)
		return 0;
	int64_t got = cursor_decode(seek, cursor, &more, 1);
	return got > 0 ? frame_differs(seek, cursor->frame) : (int)got;
}

/* Read within frame `f` from `at` on; `n` bytes are there if the table is true. */
static int read_frame(struct io_zstd_seek *seek, size_t f, uint64_t at, uint8_t *buf, size_t n)
{
	struct cursor *cursor = cursor_take(seek, f, at);
	if (!cursor)
		return CAIRN_E_NOMEM;
	if (cursor->frame != f || cursor->out > at) {
		ZSTD_DCtx_reset(cursor->d, ZSTD_reset_session_only);
		cursor->frame = f;
		cursor->in = cursor->out = 0;
		cursor->ended = false;
	}
	int rc = 0;
	uint64_t end = at + n;
	while (rc >= 0 && cursor->out < end) {
		uint64_t skip = cursor->out < at ? at - cursor->out : 0;
		uint8_t *to = skip ? cursor->skip : buf + (cursor->out - at);
		uint64_t room = skip ? (skip < SEEK_SKIP ? skip : SEEK_SKIP) : end - cursor->out;
		int64_t got = cursor_decode(seek, cursor, to, (size_t)room);
		rc = got == 0 ? frame_differs(seek, f) : got < 0 ? (int)got : 0;
	}
	if (rc >= 0)
		rc = cursor_end(seek, cursor);
	if (rc < 0)
		cursor->frame = SIZE_MAX;
	cursor_give_back(seek, cursor);
	return rc;
}

int64_t io_zstd_seek_read(struct io_zstd_seek *seek, uint64_t off, uint8_t *buf, size_t n)
{
	uint64_t size = io_zstd_seek_size(seek);
	if (off >= size || n == 0)
		return 0;
	if (n > size - off)
		n = (size_t)(size - off);
	size_t lo = 0, hi = seek->n - 1; /* the first frame that ends after `off` */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (seek->ends[mid].out > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	size_t done = 0;
	for (size_t f = lo; done < n; f++) {
		uint64_t room = seek->ends[f].out - (off + done);
		size_t part = room < n - done ? (size_t)room : n - done;
		if (part == 0) /* a frame that holds nothing */
			continue;
		uint64_t at = off + done - frame_start(seek, f).out;
		int rc = read_frame(seek, f, at, buf + done, part);
		if (rc < 0) /* what came before is good; the next call says what is wrong */
			return done ? (int64_t)done : rc;
		done += part;
	}
	return (int64_t)done;
}

/* ---- writing ---- */

struct seek_enc {
	struct cairn *cairn;
	ZSTD_CCtx *e;
	struct base_buf table; /* entries, then the whole skippable frame */
	size_t in_frame, frame_len;
	size_t put; /* of the finished table */
	bool ending, tabled;
};

static void seek_enc_close(void *state)
{
	struct seek_enc *encoder = state;
	ZSTD_freeCCtx(encoder->e);
	base_buf_free(&encoder->table);
	base_free(encoder->cairn, encoder);
}

static int seek_enc_reset(void *state)
{
	struct seek_enc *encoder = state;
	ZSTD_CCtx_reset(encoder->e, ZSTD_reset_session_only);
	encoder->in_frame = encoder->frame_len = encoder->put = 0;
	encoder->ending = encoder->tabled = false;
	encoder->table.len = 8; /* room for the skippable header */
	return 0;
}

static int seek_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	(void)threads; /* frames this small give worker threads nothing to share */
	struct seek_enc *encoder = base_alloc(cairn, sizeof *encoder);
	if (!encoder)
		return CAIRN_E_NOMEM;
	encoder->cairn = cairn;
	base_buf_init(&encoder->table, cairn);
	encoder->e = ZSTD_createCCtx();
	if (!encoder->e || base_buf_reserve(&encoder->table, 8) < 0) {
		seek_enc_close(encoder);
		return CAIRN_E_NOMEM;
	}
	ZSTD_CCtx_setParameter(encoder->e, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(encoder->e, ZSTD_c_checksumFlag, 1);
	seek_enc_reset(encoder);
	*state = encoder;
	return 0;
}

static int put_entry(struct seek_enc *encoder, const char **why)
{
	if (encoder->table.len >= 8 + (size_t)SEEK_MAX_FRAMES * 8) {
		*why = "the seekable format has no more frames";
		return CAIRN_E_LIMIT;
	}
	uint8_t e[8];
	base_put_le32(e, (uint32_t)encoder->frame_len);
	base_put_le32(e + 4, (uint32_t)encoder->in_frame);
	encoder->in_frame = encoder->frame_len = 0;
	encoder->ending = false;
	return base_buf_put(&encoder->table, e, sizeof e);
}

static int put_footer(struct seek_enc *encoder)
{
	uint8_t foot[SEEK_FOOTER] = {0};
	base_put_le32(foot, (uint32_t)((encoder->table.len - 8) / 8));
	base_put_le32(foot + 5, SEEK_FOOTER_MAGIC);
	int rc = base_buf_put(&encoder->table, foot, sizeof foot);
	if (rc < 0)
		return rc;
	base_put_le32(encoder->table.data, SEEK_MAGIC);
	base_put_le32(encoder->table.data + 4, (uint32_t)(encoder->table.len - 8));
	encoder->tabled = true;
	return 0;
}

/* One call of the library within the current frame. 1 when the frame has ended. */
static int frame_step(struct seek_enc *encoder, struct cairn_codec_io *io, const char **why)
{
	size_t room = SEEK_FRAME - encoder->in_frame;
	ZSTD_inBuffer in = {io->in, encoder->ending ? 0 : io->in_len < room ? io->in_len : room, 0};
	ZSTD_outBuffer out = {io->out, io->out_len, 0};
	size_t rc =
		ZSTD_compressStream2(encoder->e, &out, &in, encoder->ending ? ZSTD_e_end : ZSTD_e_continue);
	if (ZSTD_isError(rc)) {
		int status = io_zstd_status(rc, why);
		return status == CAIRN_E_DAMAGED ? CAIRN_E_STATE : status;
	}
	io->in += in.pos;
	io->in_len -= in.pos;
	io->out += out.pos;
	io->out_len -= out.pos;
	encoder->in_frame += in.pos;
	encoder->frame_len += out.pos;
	return encoder->ending && rc == 0;
}

static int seek_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct seek_enc *encoder = state;
	while (!encoder->tabled) {
		/* An empty input still gets one frame, so that it begins as zstd. */
		bool last = finish && !io->in_len && (encoder->in_frame || encoder->table.len == 8);
		if (encoder->in_frame == SEEK_FRAME || last)
			encoder->ending = true;
		if (finish && !io->in_len && !encoder->ending) {
			if (put_footer(encoder) < 0)
				return CAIRN_E_NOMEM;
			break;
		}
		if (!io->out_len || (!io->in_len && !encoder->ending))
			return 0;
		int rc = frame_step(encoder, io, why);
		if (rc == 1)
			rc = put_entry(encoder, why);
		if (rc < 0)
			return rc;
	}
	size_t n = encoder->table.len - encoder->put;
	if (n > io->out_len)
		n = io->out_len;
	memcpy(io->out, encoder->table.data + encoder->put, n);
	encoder->put += n;
	io->out += n;
	io->out_len -= n;
	return encoder->put == encoder->table.len;
}

/* Reading is plain zstd's, found by its probe: this one only writes. */
const struct cairn_codec io_codec_zstd_seekable = {
	.size = sizeof(struct cairn_codec),
	.name = "zstd-seekable",
	.level_min = 1,
	.level_max = 22,
	.level_default = 3,
	.enc_open = seek_enc_open,
	.encode = seek_encode,
	.enc_reset = seek_enc_reset,
	.enc_close = seek_enc_close,
};

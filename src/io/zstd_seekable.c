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
	struct cairn *c;
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

static bool zstd_seekable_find_table(const uint8_t *map, size_t len, struct table *t)
{
	if (len < 8 + SEEK_FOOTER)
		return false;
	const uint8_t *foot = map + len - SEEK_FOOTER;
	if (base_le32(foot + 5) != SEEK_FOOTER_MAGIC || (foot[4] & SEEK_RESERVED))
		return false;
	t->n = base_le32(foot);
	t->entry = foot[4] & SEEK_CHECKSUMS ? 12 : 8;
	if (t->n == 0 || t->n > SEEK_MAX_FRAMES || t->n > (len - 8 - SEEK_FOOTER) / t->entry)
		return false;
	size_t body = t->n * t->entry + SEEK_FOOTER;
	const uint8_t *head = map + len - body - 8;
	if (base_le32(head) != SEEK_MAGIC || base_le32(head + 4) != body)
		return false;
	t->entries = head + 8;
	t->frames_len = (uint64_t)(head - map);
	return true;
}

/* Sum the entries up; false when they do not account for the file. */
static bool sum_table(const struct table *t, struct frame_end *ends)
{
	struct frame_end at = {0, 0};
	for (size_t i = 0; i < t->n; i++) {
		const uint8_t *e = t->entries + i * t->entry;
		uint32_t in = base_le32(e), out = base_le32(e + 4);
		if (in == 0 || out > SEEK_MAX_DECODED || in > t->frames_len - at.in)
			return false;
		at.in += in;
		at.out += out;
		ends[i] = at;
	}
	return at.in == t->frames_len;
}

int io_zstd_seek_open(struct cairn *c, const uint8_t *map, size_t n, struct io_zstd_seek **out)
{
	struct table t;
	if (!zstd_seekable_find_table(map, n, &t))
		return 0;
	struct io_zstd_seek *z = base_alloc(c, sizeof *z);
	if (!z)
		return CAIRN_E_NOMEM;
	z->c = c;
	z->map = map;
	z->n = t.n;
	pthread_mutex_init(&z->lock, NULL);
	int rc = CAIRN_E_NOMEM;
	z->ends = base_realloc(c, NULL, t.n * sizeof *z->ends); /* the file holds 8 bytes for each */
	if (!z->ends)
		goto fail;
	rc = 0;
	if (!sum_table(&t, z->ends))
		goto fail;
	*out = z;
	return 1;
fail:
	io_zstd_seek_close(z);
	return rc;
}

uint64_t io_zstd_seek_size(const struct io_zstd_seek *z)
{
	return z->ends[z->n - 1].out;
}

/* ---- cursors ---- */

static void cursor_free(struct io_zstd_seek *z, struct cursor *k)
{
	ZSTD_freeDCtx(k->d);
	base_free(z->c, k);
}

void io_zstd_seek_close(struct io_zstd_seek *z)
{
	if (!z)
		return;
	for (struct cursor *k = z->idle, *next; k; k = next) {
		next = k->next;
		cursor_free(z, k);
	}
	pthread_mutex_destroy(&z->lock);
	base_free(z->c, z->ends);
	base_free(z->c, z);
}

static struct cursor *cursor_new(struct io_zstd_seek *z)
{
	struct cursor *k = base_realloc(z->c, NULL, sizeof *k);
	if (!k)
		return NULL;
	k->next = NULL;
	k->frame = SIZE_MAX;
	k->in = k->out = 0;
	k->ended = false;
	k->d = ZSTD_createDCtx();
	if (!k->d) {
		base_free(z->c, k);
		base_fail(z->c, CAIRN_E_NOMEM, "out of memory for a zstd decoder");
		return NULL;
	}
	ZSTD_DCtx_setParameter(k->d, ZSTD_d_windowLogMax, IO_ZSTD_WINDOW_LOG);
	return k;
}

/* A cursor for reading `frame` from `out` on: the one that stands nearest before
 * it, or any. */
static struct cursor *cursor_take(struct io_zstd_seek *z, size_t frame, uint64_t out)
{
	pthread_mutex_lock(&z->lock);
	struct cursor **best = &z->idle;
	for (struct cursor **p = &z->idle; *p; p = &(*p)->next) {
		bool fits = (*p)->frame == frame && (*p)->out <= out;
		bool before = (*best)->frame == frame && (*best)->out <= out;
		if (fits && (!before || (*p)->out > (*best)->out))
			best = p;
	}
	struct cursor *k = *best;
	if (k) {
		*best = k->next;
		z->n_idle--;
	}
	pthread_mutex_unlock(&z->lock);
	return k ? k : cursor_new(z);
}

static void cursor_give_back(struct io_zstd_seek *z, struct cursor *k)
{
	pthread_mutex_lock(&z->lock);
	bool keep = z->n_idle < SEEK_IDLE;
	if (keep) {
		k->next = z->idle;
		z->idle = k;
		z->n_idle++;
	}
	pthread_mutex_unlock(&z->lock);
	if (!keep)
		cursor_free(z, k);
}

/* ---- reading ---- */

static struct frame_end frame_start(const struct io_zstd_seek *z, size_t f)
{
	return f ? z->ends[f - 1] : (struct frame_end){0, 0};
}

static int frame_fail(struct io_zstd_seek *z, size_t f, int status, const char *why)
{
	return base_fail(z->c, status, "zstd: frame %zu at byte %llu of the compressed input: %s", f,
	                 (unsigned long long)frame_start(z, f).in, io_codec_why(status, why));
}

static int frame_differs(struct io_zstd_seek *z, size_t f)
{
	return frame_fail(z, f, CAIRN_E_DAMAGED, "it is not what the seek table lists");
}

/* Decode on, at most `n` bytes to `buf`. Count, 0 at the end of the frame, or a
 * status. */
static int64_t cursor_decode(struct io_zstd_seek *z, struct cursor *k, uint8_t *buf, size_t n)
{
	struct frame_end a = frame_start(z, k->frame), b = z->ends[k->frame];
	ZSTD_inBuffer in = {z->map + a.in, (size_t)(b.in - a.in), (size_t)k->in};
	ZSTD_outBuffer out = {buf, n, 0};
	while (out.pos == 0) {
		size_t before = in.pos;
		size_t rc = ZSTD_decompressStream(k->d, &out, &in);
		const char *why;
		if (ZSTD_isError(rc)) {
			int status = io_zstd_status(rc, &why);
			return frame_fail(z, k->frame, status, why);
		}
		if (rc == 0 && in.pos != in.size)
			return frame_differs(z, k->frame);
		k->ended = rc == 0;
		if (k->ended)
			break;
		if (out.pos == 0 && in.pos == before)
			return frame_differs(z, k->frame);
	}
	k->in = in.pos;
	k->out += out.pos;
	return (int64_t)out.pos;
}

/* Once all that the table promises is out, the frame must be over (its checksum
 * is looked at only then). */
static int cursor_end(struct io_zstd_seek *z, struct cursor *k)
{
	struct frame_end a = frame_start(z, k->frame), b = z->ends[k->frame];
	uint8_t more;
	if (k->out != b.out - a.out || k->ended)
		return 0;
	int64_t got = cursor_decode(z, k, &more, 1);
	return got > 0 ? frame_differs(z, k->frame) : (int)got;
}

/* Read within frame `f` from `at` on; `n` bytes are there if the table is true. */
static int read_frame(struct io_zstd_seek *z, size_t f, uint64_t at, uint8_t *buf, size_t n)
{
	struct cursor *k = cursor_take(z, f, at);
	if (!k)
		return CAIRN_E_NOMEM;
	if (k->frame != f || k->out > at) {
		ZSTD_DCtx_reset(k->d, ZSTD_reset_session_only);
		k->frame = f;
		k->in = k->out = 0;
		k->ended = false;
	}
	int rc = 0;
	uint64_t end = at + n;
	while (rc >= 0 && k->out < end) {
		uint64_t skip = k->out < at ? at - k->out : 0;
		uint8_t *to = skip ? k->skip : buf + (k->out - at);
		uint64_t room = skip ? (skip < SEEK_SKIP ? skip : SEEK_SKIP) : end - k->out;
		int64_t got = cursor_decode(z, k, to, (size_t)room);
		rc = got == 0 ? frame_differs(z, f) : got < 0 ? (int)got : 0;
	}
	if (rc >= 0)
		rc = cursor_end(z, k);
	if (rc < 0)
		k->frame = SIZE_MAX;
	cursor_give_back(z, k);
	return rc;
}

int64_t io_zstd_seek_read(struct io_zstd_seek *z, uint64_t off, uint8_t *buf, size_t n)
{
	uint64_t size = io_zstd_seek_size(z);
	if (off >= size || n == 0)
		return 0;
	if (n > size - off)
		n = (size_t)(size - off);
	size_t lo = 0, hi = z->n - 1; /* the first frame that ends after `off` */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (z->ends[mid].out > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	size_t done = 0;
	for (size_t f = lo; done < n; f++) {
		uint64_t room = z->ends[f].out - (off + done);
		size_t part = room < n - done ? (size_t)room : n - done;
		if (part == 0) /* a frame that holds nothing */
			continue;
		uint64_t at = off + done - frame_start(z, f).out;
		int rc = read_frame(z, f, at, buf + done, part);
		if (rc < 0) /* what came before is good; the next call says what is wrong */
			return done ? (int64_t)done : rc;
		done += part;
	}
	return (int64_t)done;
}

/* ---- writing ---- */

struct seek_enc {
	struct cairn *c;
	ZSTD_CCtx *e;
	struct base_buf table; /* entries, then the whole skippable frame */
	size_t in_frame, frame_len;
	size_t put; /* of the finished table */
	bool ending, tabled;
};

static void seek_enc_close(void *state)
{
	struct seek_enc *s = state;
	ZSTD_freeCCtx(s->e);
	base_buf_free(&s->table);
	base_free(s->c, s);
}

static int seek_enc_reset(void *state)
{
	struct seek_enc *s = state;
	ZSTD_CCtx_reset(s->e, ZSTD_reset_session_only);
	s->in_frame = s->frame_len = s->put = 0;
	s->ending = s->tabled = false;
	s->table.len = 8; /* room for the skippable header */
	return 0;
}

static int seek_enc_open(struct cairn *c, int level, unsigned threads, void **state)
{
	(void)threads; /* frames this small give worker threads nothing to share */
	struct seek_enc *s = base_alloc(c, sizeof *s);
	if (!s)
		return CAIRN_E_NOMEM;
	s->c = c;
	base_buf_init(&s->table, c);
	s->e = ZSTD_createCCtx();
	if (!s->e || base_buf_reserve(&s->table, 8) < 0) {
		seek_enc_close(s);
		return CAIRN_E_NOMEM;
	}
	ZSTD_CCtx_setParameter(s->e, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(s->e, ZSTD_c_checksumFlag, 1);
	seek_enc_reset(s);
	*state = s;
	return 0;
}

static int put_entry(struct seek_enc *s, const char **why)
{
	if (s->table.len >= 8 + (size_t)SEEK_MAX_FRAMES * 8) {
		*why = "the seekable format has no more frames";
		return CAIRN_E_LIMIT;
	}
	uint8_t e[8];
	base_put_le32(e, (uint32_t)s->frame_len);
	base_put_le32(e + 4, (uint32_t)s->in_frame);
	s->in_frame = s->frame_len = 0;
	s->ending = false;
	return base_buf_put(&s->table, e, sizeof e);
}

static int put_footer(struct seek_enc *s)
{
	uint8_t foot[SEEK_FOOTER] = {0};
	base_put_le32(foot, (uint32_t)((s->table.len - 8) / 8));
	base_put_le32(foot + 5, SEEK_FOOTER_MAGIC);
	int rc = base_buf_put(&s->table, foot, sizeof foot);
	if (rc < 0)
		return rc;
	base_put_le32(s->table.data, SEEK_MAGIC);
	base_put_le32(s->table.data + 4, (uint32_t)(s->table.len - 8));
	s->tabled = true;
	return 0;
}

/* One call of the library within the current frame. 1 when the frame has ended. */
static int frame_step(struct seek_enc *s, struct cairn_codec_io *io, const char **why)
{
	size_t room = SEEK_FRAME - s->in_frame;
	ZSTD_inBuffer in = {io->in, s->ending ? 0 : io->in_len < room ? io->in_len : room, 0};
	ZSTD_outBuffer out = {io->out, io->out_len, 0};
	size_t rc = ZSTD_compressStream2(s->e, &out, &in, s->ending ? ZSTD_e_end : ZSTD_e_continue);
	if (ZSTD_isError(rc)) {
		int status = io_zstd_status(rc, why);
		return status == CAIRN_E_DAMAGED ? CAIRN_E_STATE : status;
	}
	io->in += in.pos;
	io->in_len -= in.pos;
	io->out += out.pos;
	io->out_len -= out.pos;
	s->in_frame += in.pos;
	s->frame_len += out.pos;
	return s->ending && rc == 0;
}

static int seek_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct seek_enc *s = state;
	while (!s->tabled) {
		/* An empty input still gets one frame, so that it begins as zstd. */
		bool last = finish && !io->in_len && (s->in_frame || s->table.len == 8);
		if (s->in_frame == SEEK_FRAME || last)
			s->ending = true;
		if (finish && !io->in_len && !s->ending) {
			if (put_footer(s) < 0)
				return CAIRN_E_NOMEM;
			break;
		}
		if (!io->out_len || (!io->in_len && !s->ending))
			return 0;
		int rc = frame_step(s, io, why);
		if (rc == 1)
			rc = put_entry(s, why);
		if (rc < 0)
			return rc;
	}
	size_t n = s->table.len - s->put;
	if (n > io->out_len)
		n = io->out_len;
	memcpy(io->out, s->table.data + s->put, n);
	s->put += n;
	io->out += n;
	io->out_len -= n;
	return s->put == s->table.len;
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip (RFC 1952) by zlib. One decode call ends at a member's end; the caller
 * resets for the next, so bgzip files and concatenated members are plain inputs.
 * Output carries no time and no name: the same input gives the same bytes.
 */
#include "io/codecs.h"

#include <zlib.h>

enum { GZIP_WRAP = 16 + MAX_WBITS }; /* window bits that ask zlib for a gzip wrapper */

struct gzip {
	struct cairn *cairn;
	z_stream z;
	int flush;        /* how inflate is called */
	unsigned trailer; /* of a member begun inside: bytes of its end that zlib will not take … */
	bool ended;       /* … because it then decodes only what is within */
};

static voidpf gzip_alloc(voidpf opaque, uInt items, uInt size)
{
	return io_alloc_items(opaque, items, size);
}

static void gzip_free(voidpf opaque, voidpf p)
{
	io_free_item(opaque, p);
}

static struct gzip *gzip_new(struct cairn *cairn)
{
	struct gzip *gzip = base_alloc(cairn, sizeof *gzip);
	if (!gzip)
		return NULL;
	gzip->cairn = cairn;
	gzip->z.zalloc = gzip_alloc;
	gzip->z.zfree = gzip_free;
	gzip->z.opaque = cairn;
	gzip->flush = Z_NO_FLUSH;
	return gzip;
}

static int gzip_probe(const uint8_t *head, size_t n)
{
	static const uint8_t magic[] = {0x1f, 0x8b, 8};
	int score = io_magic(head, n, magic, sizeof magic);
	if (score && n > 3 && (head[3] & 0xe0)) /* reserved flags */
		return 0;
	return score;
}

/* zlib counts in unsigned int: give it no more than that at once. */
static void gzip_lend(z_stream *stream, const struct cairn_codec_io *io)
{
	size_t most = 1u << 30;
	stream->next_in = (z_const Bytef *)(uintptr_t)io->in;
	stream->avail_in = (uInt)(io->in_len < most ? io->in_len : most);
	stream->next_out = io->out;
	stream->avail_out = (uInt)(io->out_len < most ? io->out_len : most);
}

static void gzip_settle(const z_stream *stream, struct cairn_codec_io *io)
{
	io_codec_move(io, (size_t)(stream->next_in - io->in), (size_t)(stream->next_out - io->out));
}

static int gzip_status(const z_stream *stream, int rc, const char **why)
{
	switch (rc) {
	case Z_STREAM_END:
		return 1;
	case Z_OK:
	case Z_BUF_ERROR: /* nothing could be done just now */
		return 0;
	case Z_MEM_ERROR:
		return CAIRN_E_NOMEM;
	case Z_NEED_DICT:
		*why = "it needs a preset dictionary";
		return CAIRN_E_UNSUPPORTED;
	default:
		*why = stream->msg ? stream->msg : "invalid data";
		return CAIRN_E_DAMAGED;
	}
}

static int gzip_dec_open(struct cairn *cairn, void **state)
{
	struct gzip *gzip = gzip_new(cairn);
	if (!gzip)
		return CAIRN_E_NOMEM;
	if (inflateInit2(&gzip->z, GZIP_WRAP) != Z_OK) {
		base_free(cairn, gzip);
		return CAIRN_E_NOMEM;
	}
	*state = gzip;
	return 0;
}

/* Take the member's end: its checksum is of bytes before the place where decoding began. */
static int gzip_skip_end(struct gzip *gzip, struct cairn_codec_io *io)
{
	size_t n = io->in_len < gzip->trailer ? io->in_len : gzip->trailer;
	io_codec_move(io, n, 0);
	gzip->trailer -= (unsigned)n;
	return gzip->trailer == 0;
}

static int gzip_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct gzip *gzip = state;
	if (gzip->ended)
		return gzip_skip_end(gzip, io);
	gzip_lend(&gzip->z, io);
	int rc = inflate(&gzip->z, gzip->flush);
	gzip_settle(&gzip->z, io);
	rc = gzip_status(&gzip->z, rc, why);
	gzip->ended = rc > 0 && gzip->trailer;
	return gzip->ended ? 0 : rc;
}

static int gzip_dec_reset(void *state)
{
	struct gzip *gzip = state;
	gzip->trailer = 0;
	gzip->ended = false;
	return inflateReset2(&gzip->z, GZIP_WRAP) == Z_OK ? 0 : CAIRN_E_STATE;
}

static void gzip_dec_close(void *state)
{
	struct gzip *gzip = state;
	inflateEnd(&gzip->z);
	base_free(gzip->cairn, gzip);
}

/* ---- beginning again inside a member ---- */

static void gzip_watch(void *state)
{
	struct gzip *gzip = state;
	gzip->flush = Z_BLOCK;
}

/* At the end of a block that is not the last one, and not inside of the bytes after it. */
static bool gzip_mark(void *state, unsigned *bits, uint8_t *data, size_t *n)
{
	enum { BLOCK_ENDS = 128, LAST = 64, BITS = 7 };
	struct gzip *gzip = state;
	uInt len = 0;
	if (gzip->ended || !(gzip->z.data_type & BLOCK_ENDS) || (gzip->z.data_type & LAST) ||
	    inflateGetDictionary(&gzip->z, data, &len) != Z_OK || len == 0)
		return false;
	*bits = (unsigned)gzip->z.data_type & BITS;
	*n = len;
	return true;
}

static int gzip_resume(struct cairn *cairn, unsigned bits, uint8_t last, const uint8_t *data,
                       size_t n, void **state)
{
	enum { TRAILER = 8 };
	struct gzip *gzip = gzip_new(cairn);
	if (!gzip)
		return CAIRN_E_NOMEM;
	gzip->trailer = TRAILER;
	int rc = inflateInit2(&gzip->z, -MAX_WBITS);
	if (rc == Z_OK && bits)
		rc = inflatePrime(&gzip->z, (int)bits, last >> (8 - bits));
	if (rc == Z_OK)
		rc = inflateSetDictionary(&gzip->z, data, (uInt)n);
	if (rc == Z_OK) {
		*state = gzip;
		return 0;
	}
	inflateEnd(&gzip->z);
	base_free(cairn, gzip);
	return rc == Z_MEM_ERROR ? CAIRN_E_NOMEM : CAIRN_E_DAMAGED;
}

const struct io_restart io_gzip_restart = {.watch = gzip_watch,
                                           .mark = gzip_mark,
                                           .resume = gzip_resume};

static int gzip_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	(void)threads;
	struct gzip *gzip = gzip_new(cairn);
	if (!gzip)
		return CAIRN_E_NOMEM;
	if (deflateInit2(&gzip->z, level, Z_DEFLATED, GZIP_WRAP, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		base_free(cairn, gzip);
		return CAIRN_E_NOMEM;
	}
	*state = gzip;
	return 0;
}

static int gzip_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct gzip *gzip = state;
	gzip_lend(&gzip->z, io);
	bool last = finish && gzip->z.avail_in == io->in_len;
	int rc = deflate(&gzip->z, last ? Z_FINISH : Z_NO_FLUSH);
	gzip_settle(&gzip->z, io);
	return gzip_status(&gzip->z, rc, why);
}

static int gzip_enc_reset(void *state)
{
	struct gzip *gzip = state;
	return deflateReset(&gzip->z) == Z_OK ? 0 : CAIRN_E_STATE;
}

static void gzip_enc_close(void *state)
{
	struct gzip *gzip = state;
	deflateEnd(&gzip->z);
	base_free(gzip->cairn, gzip);
}

const struct cairn_codec io_codec_gzip = {
	.size = sizeof(struct cairn_codec),
	.name = "gzip",
	.suffix = ".gz",
	.level_min = 0,
	.level_max = 9,
	.level_default = 6,
	.probe = gzip_probe,
	.dec_open = gzip_dec_open,
	.decode = gzip_decode,
	.dec_reset = gzip_dec_reset,
	.dec_close = gzip_dec_close,
	.enc_open = gzip_enc_open,
	.encode = gzip_encode,
	.enc_reset = gzip_enc_reset,
	.enc_close = gzip_enc_close,
};

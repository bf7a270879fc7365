/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seekable zstd: ordinary frames of bounded size, and at the end of the file a
 * skippable frame that lists how long each of them is, compressed and decoded
 * (the "Zstandard Seekable Format" 0.1.0 of zstd's contrib directory). Any zstd
 * reads it; a reader that knows the table can begin at any frame.
 *
 *   skippable header   u32 0x184D2A5E, u32 length of what follows
 *   per frame          u32 compressed size, u32 decoded size [, u32 checksum]
 *   footer             u32 frames, u8 descriptor (bit 7: checksums), u32 0x8F92EAB1
 *
 * The table is believed only when it accounts for every byte of the file before
 * it; otherwise the file is plain zstd, which it also is. Reading does not use it:
 * frames are found by their own headers (restart.c).
 */
#include "io/codecs.h"

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
	SEEK_FRAME = 1 << 20        /* what our own frames hold */
};
#define SEEK_FOOTER_MAGIC 0x8f92eab1u

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

bool io_zstd_is_seekable(const uint8_t *map, size_t n)
{
	struct table table;
	uint64_t at = 0;
	if (!zstd_seekable_find_table(map, n, &table))
		return false;
	for (size_t i = 0; i < table.n; i++) {
		const uint8_t *entry = table.entries + i * table.entry;
		uint32_t in = base_le32(entry);
		if (in == 0 || base_le32(entry + 4) > SEEK_MAX_DECODED || in > table.frames_len - at)
			return false;
		at += in;
	}
	return at == table.frames_len;
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

/* Make one call of the library within the current frame. 1 when the frame has ended. */
static int frame_step(struct seek_enc *encoder, struct cairn_codec_io *io, const char **why)
{
	size_t room = SEEK_FRAME - encoder->in_frame;
	struct cairn_codec_io before = *io;
	int64_t left =
		io_zstd_compress(encoder->e, io, encoder->ending ? 0 : room, encoder->ending, why);
	encoder->in_frame += before.in_len - io->in_len;
	encoder->frame_len += before.out_len - io->out_len;
	return left < 0 ? (int)left : encoder->ending && left == 0;
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
	io_codec_move(io, 0, n);
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

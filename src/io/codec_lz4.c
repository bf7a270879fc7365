/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lz4 frames by liblz4. Decoding takes just what the library asks for next, so
 * that an error is found within the block it is in. Encoding goes through a
 * staging buffer, for the library wants room for its worst case in one piece.
 */
#include "io/codecs.h"

#ifdef HAVE_LZ4
#include <lz4frame.h>
#include <string.h>

enum { LZ4_HEADER_START = 7, LZ4_PIECE = 256 << 10 };

struct lz4_dec {
	struct cairn *cairn;
	LZ4F_dctx *d;
	size_t next; /* how much input the library wants */
};

struct lz4_enc {
	struct cairn *cairn;
	LZ4F_cctx *e;
	LZ4F_preferences_t prefs;
	uint8_t *stage;
	size_t cap, pos, len;
	enum { LZ4_BEGIN, LZ4_BODY, LZ4_DONE } phase;
};

static int lz4_probe(const uint8_t *head, size_t n)
{
	static const uint8_t magic[4] = {0x04, 0x22, 0x4d, 0x18};
	return io_magic_after_skippable(head, n, magic);
}

/* The library's names for its errors are "ERROR_somethingWrong". */
static int lz4_status(size_t code, const char **why)
{
	const char *name = LZ4F_getErrorName(code);
	*why = strncmp(name, "ERROR_", 6) == 0 ? name + 6 : name;
	return strcmp(*why, "allocation_failed") == 0 ? CAIRN_E_NOMEM : CAIRN_E_DAMAGED;
}

static int lz4_dec_open(struct cairn *cairn, void **state)
{
	struct lz4_dec *dec = base_alloc(cairn, sizeof *dec);
	if (!dec)
		return CAIRN_E_NOMEM;
	dec->cairn = cairn;
	dec->next = LZ4_HEADER_START;
	if (LZ4F_isError(LZ4F_createDecompressionContext(&dec->d, LZ4F_VERSION))) {
		base_free(cairn, dec);
		return CAIRN_E_NOMEM;
	}
	*state = dec;
	return 0;
}

static int lz4_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct lz4_dec *dec = state;
	size_t in = io->in_len < dec->next ? io->in_len : dec->next, out = io->out_len;
	size_t rc = LZ4F_decompress(dec->d, io->out, &out, io->in, &in, NULL);
	if (LZ4F_isError(rc))
		return lz4_status(rc, why);
	io_codec_move(io, in, out);
	dec->next = rc;
	return rc == 0;
}

static int lz4_dec_reset(void *state)
{
	struct lz4_dec *dec = state;
	LZ4F_resetDecompressionContext(dec->d);
	dec->next = LZ4_HEADER_START;
	return 0;
}

static void lz4_dec_close(void *state)
{
	struct lz4_dec *dec = state;
	LZ4F_freeDecompressionContext(dec->d);
	base_free(dec->cairn, dec);
}

static void lz4_enc_close(void *state)
{
	struct lz4_enc *encoder = state;
	LZ4F_freeCompressionContext(encoder->e);
	base_free(encoder->cairn, encoder->stage);
	base_free(encoder->cairn, encoder);
}

static int lz4_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	(void)threads;
	struct lz4_enc *encoder = base_alloc(cairn, sizeof *encoder);
	if (!encoder)
		return CAIRN_E_NOMEM;
	encoder->cairn = cairn;
	encoder->prefs.frameInfo.blockSizeID = LZ4F_max1MB;
	encoder->prefs.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
	encoder->prefs.compressionLevel = level;
	encoder->cap = LZ4F_compressBound(LZ4_PIECE, &encoder->prefs) + LZ4F_HEADER_SIZE_MAX;
	encoder->stage = base_realloc(cairn, NULL, encoder->cap);
	if (!encoder->stage || LZ4F_isError(LZ4F_createCompressionContext(&encoder->e, LZ4F_VERSION))) {
		encoder->e = NULL;
		lz4_enc_close(encoder);
		return CAIRN_E_NOMEM;
	}
	*state = encoder;
	return 0;
}

/* Refill the empty staging buffer with the next thing to put out. */
static size_t lz4_stage(struct lz4_enc *encoder, struct cairn_codec_io *io, int finish)
{
	if (encoder->phase == LZ4_BEGIN) {
		encoder->phase = LZ4_BODY;
		return LZ4F_compressBegin(encoder->e, encoder->stage, encoder->cap, &encoder->prefs);
	}
	if (io->in_len) {
		size_t n = io->in_len < LZ4_PIECE ? io->in_len : LZ4_PIECE;
		const uint8_t *in = io->in;
		io_codec_move(io, n, 0);
		return LZ4F_compressUpdate(encoder->e, encoder->stage, encoder->cap, in, n, NULL);
	}
	if (!finish || encoder->phase == LZ4_DONE)
		return 0;
	encoder->phase = LZ4_DONE;
	return LZ4F_compressEnd(encoder->e, encoder->stage, encoder->cap, NULL);
}

static int lz4_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct lz4_enc *encoder = state;
	for (;;) {
		size_t n = encoder->len - encoder->pos;
		if (n > io->out_len)
			n = io->out_len;
		if (n)
			memcpy(io->out, encoder->stage + encoder->pos, n);
		encoder->pos += n;
		io_codec_move(io, 0, n);
		if (encoder->pos < encoder->len)
			return 0;
		if (encoder->phase == LZ4_DONE)
			return 1;
		if (encoder->phase == LZ4_BODY && !io->in_len && !finish)
			return 0;
		encoder->pos = encoder->len = 0;
		size_t rc = lz4_stage(encoder, io, finish);
		if (LZ4F_isError(rc)) {
			lz4_status(rc, why);
			return CAIRN_E_STATE;
		}
		encoder->len = rc;
	}
}

static int lz4_enc_reset(void *state)
{
	struct lz4_enc *encoder = state; /* compressBegin starts the library afresh */
	encoder->pos = encoder->len = 0;
	encoder->phase = LZ4_BEGIN;
	return 0;
}

const struct cairn_codec io_codec_lz4 = {
	.size = sizeof(struct cairn_codec),
	.name = "lz4",
	.suffix = ".lz4",
	.level_min = 1,
	.level_max = 12,
	.level_default = 1,
	.probe = lz4_probe,
	.dec_open = lz4_dec_open,
	.decode = lz4_decode,
	.dec_reset = lz4_dec_reset,
	.dec_close = lz4_dec_close,
	.enc_open = lz4_enc_open,
	.encode = lz4_encode,
	.enc_reset = lz4_enc_reset,
	.enc_close = lz4_enc_close,
};
#endif

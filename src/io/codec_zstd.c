/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zstd by libzstd. A frame's window is memory the decoder must hold: up to
 * 128 MiB is given, as the zstd command does, more is refused with a sentence.
 * Decoding takes just what the library asks for next (a block and the header
 * after it), which costs nothing and places an error within its block.
 */
#include "io/codecs.h"

#include <zstd.h>
#include <zstd_errors.h>

enum { ZSTD_HEADER_START = 5 };

struct zstd_dec {
	struct cairn *cairn;
	ZSTD_DCtx *d;
	size_t next; /* how much input the library wants */
};

struct zstd_enc {
	struct cairn *cairn;
	ZSTD_CCtx *e;
};

int io_zstd_status(size_t code, const char **why)
{
	*why = ZSTD_getErrorName(code);
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		*why = NULL;
		return CAIRN_E_NOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		*why = "its window is larger than the 128 MiB that are accepted";
		return CAIRN_E_LIMIT;
	case ZSTD_error_dictionary_wrong:
		*why = "it needs a dictionary";
		return CAIRN_E_UNSUPPORTED;
	case ZSTD_error_version_unsupported:
	case ZSTD_error_frameParameter_unsupported:
		return CAIRN_E_UNSUPPORTED;
	case ZSTD_error_dstSize_tooSmall:
		/* How corruption shows depends on the room that earlier frames left in the decoder; the
		 * message must not. */
		*why = ZSTD_getErrorString(ZSTD_error_corruption_detected);
		return CAIRN_E_DAMAGED;
	default:
		return CAIRN_E_DAMAGED;
	}
}

static int zstd_probe(const uint8_t *head, size_t n)
{
	static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
	return io_magic_after_skippable(head, n, magic);
}

static int zstd_dec_open(struct cairn *cairn, void **state)
{
	struct zstd_dec *dec = base_alloc(cairn, sizeof *dec);
	if (!dec)
		return CAIRN_E_NOMEM;
	dec->cairn = cairn;
	dec->next = ZSTD_HEADER_START;
	dec->d = ZSTD_createDCtx();
	if (!dec->d) {
		base_free(cairn, dec);
		return CAIRN_E_NOMEM;
	}
	ZSTD_DCtx_setParameter(dec->d, ZSTD_d_windowLogMax, IO_ZSTD_WINDOW_LOG);
	*state = dec;
	return 0;
}

static int zstd_decode(void *state, struct cairn_codec_io *io, const char **why)
{
	struct zstd_dec *dec = state;
	ZSTD_inBuffer in = {io->in, io->in_len < dec->next ? io->in_len : dec->next, 0};
	ZSTD_outBuffer out = {io->out, io->out_len, 0};
	size_t rc = ZSTD_decompressStream(dec->d, &out, &in);
	if (ZSTD_isError(rc))
		return io_zstd_status(rc, why);
	io_codec_move(io, in.pos, out.pos);
	dec->next = rc;
	return rc == 0;
}

static int zstd_dec_reset(void *state)
{
	struct zstd_dec *dec = state;
	ZSTD_DCtx_reset(dec->d, ZSTD_reset_session_only);
	dec->next = ZSTD_HEADER_START;
	return 0;
}

static void zstd_dec_close(void *state)
{
	struct zstd_dec *dec = state;
	ZSTD_freeDCtx(dec->d);
	base_free(dec->cairn, dec);
}

static int zstd_enc_open(struct cairn *cairn, int level, unsigned threads, void **state)
{
	struct zstd_enc *enc = base_alloc(cairn, sizeof *enc);
	if (!enc)
		return CAIRN_E_NOMEM;
	enc->cairn = cairn;
	enc->e = ZSTD_createCCtx();
	if (!enc->e) {
		base_free(cairn, enc);
		return CAIRN_E_NOMEM;
	}
	ZSTD_CCtx_setParameter(enc->e, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(enc->e, ZSTD_c_checksumFlag, 1);
	/* A library built without threads refuses this and stays single. */
	if (threads > 1)
		ZSTD_CCtx_setParameter(enc->e, ZSTD_c_nbWorkers, threads < 256 ? (int)threads : 256);
	*state = enc;
	return 0;
}

int64_t io_zstd_compress(ZSTD_CCtx *encoder, struct cairn_codec_io *io, size_t most, bool end,
                         const char **why)
{
	ZSTD_inBuffer in = {io->in, io->in_len < most ? io->in_len : most, 0};
	ZSTD_outBuffer out = {io->out, io->out_len, 0};
	size_t left = ZSTD_compressStream2(encoder, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
	if (ZSTD_isError(left)) {
		int status = io_zstd_status(left, why);
		return status == CAIRN_E_DAMAGED ? CAIRN_E_STATE : status;
	}
	io_codec_move(io, in.pos, out.pos);
	return (int64_t)left;
}

static int zstd_encode(void *state, struct cairn_codec_io *io, int finish, const char **why)
{
	struct zstd_enc *enc = state;
	int64_t left = io_zstd_compress(enc->e, io, io->in_len, finish, why);
	return left < 0 ? (int)left : finish && left == 0;
}

static int zstd_enc_reset(void *state)
{
	struct zstd_enc *enc = state;
	ZSTD_CCtx_reset(enc->e, ZSTD_reset_session_only);
	return 0;
}

static void zstd_enc_close(void *state)
{
	struct zstd_enc *enc = state;
	ZSTD_freeCCtx(enc->e);
	base_free(enc->cairn, enc);
}

const struct cairn_codec io_codec_zstd = {
	.size = sizeof(struct cairn_codec),
	.name = "zstd",
	.suffix = ".zst",
	.level_min = 1,
	.level_max = 22,
	.level_default = 3,
	.probe = zstd_probe,
	.dec_open = zstd_dec_open,
	.decode = zstd_decode,
	.dec_reset = zstd_dec_reset,
	.dec_close = zstd_dec_close,
	.enc_open = zstd_enc_open,
	.encode = zstd_encode,
	.enc_reset = zstd_enc_reset,
	.enc_close = zstd_enc_close,
};

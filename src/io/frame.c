/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole streams in memory, for containers whose chunks are compressed one by one.
 *
 * zstd has a fast way. The outline of a frame (its header and the three bytes
 * before each block) bounds what can come out, so the output is reserved once and
 * decoded into directly, in one call and without a window to copy from. The header need not give
 * the content size, which is missing in .zstf chunks. When the fast way fails, the general one
 * decodes piece by piece, delivers what precedes the damage, and knows where it is.
 *
 * A header alone never makes us reserve memory: a block decodes to at most 128 KiB, and the
 * caller's limit holds for everything.
 */
#include "io/codecs.h"
#include "io/io.h"

#include <zstd.h>

#include "base/bytes.h"

enum { ZSTD_BLOCK_MAX = 128 << 10, FRAME_STEP = 64 << 10, FRAME_STALLS = 64 };

struct io_frame_decoder {
	struct cairn *cairn;
	const struct cairn_codec *codec;
	void *state;     /* opened when first needed */
	ZSTD_DCtx *fast; /* zstd only */
};

struct io_frame_encoder {
	struct cairn *cairn;
	const struct cairn_codec *codec;
	void *state;
	int level;
};

/* ---- the outline of a zstd frame (RFC 8878, section 3.1.1) ---- */

static int skippable_outline(const uint8_t *in, size_t n, struct io_zstd_frame *frame)
{
	if (n < 8)
		return 0;
	uint64_t len = 8 + (uint64_t)base_le32(in + 4);
	if (len > n)
		return 0;
	*frame = (struct io_zstd_frame){.length = (size_t)len};
	return 1;
}

/* Length of the frame header, 0 when `n` is too short. */
static size_t header_outline(const uint8_t *in, size_t n, struct io_zstd_frame *frame)
{
	static const uint8_t id_len[4] = {0, 1, 2, 4}, size_len[4] = {0, 2, 4, 8};
	if (n < 5)
		return 0;
	bool single = in[4] & 0x20;
	unsigned size_bytes = single && in[4] < 0x40 ? 1 : size_len[in[4] >> 6];
	size_t at = 5 + (single ? 0u : 1u) + id_len[in[4] & 3];
	if (n < at + size_bytes)
		return 0;
	frame->content = UINT64_MAX;
	if (size_bytes) /* two bytes count from 256 */
		frame->content = base_le(in + at, size_bytes) + (size_bytes == 2 ? 256 : 0);
	return at + size_bytes;
}

/* Are these at most four bytes the beginning of either magic? */
static bool begins_frame(const uint8_t *in, size_t n)
{
	static const uint8_t magic[2][4] = {{0x28, 0xb5, 0x2f, 0xfd}, {0x50, 0x2a, 0x4d, 0x18}};
	bool frame = true, skippable = true;
	for (size_t i = 0; i < n && i < 4; i++) {
		frame &= in[i] == magic[0][i];
		skippable &= (i ? in[i] : in[i] & 0xf0) == magic[1][i];
	}
	return frame || skippable;
}

int io_zstd_outline(const uint8_t *in, size_t n, struct io_zstd_frame *frame)
{
	frame->length = 0;
	if (!begins_frame(in, n))
		return CAIRN_E_DAMAGED;
	if (n >= 4 && io_is_skippable(base_le32(in)))
		return skippable_outline(in, n, frame);
	if (n > 4 && (in[4] & 8)) /* the reserved bit */
		return CAIRN_E_DAMAGED;
	size_t at = header_outline(in, n, frame);
	if (at == 0)
		return 0;
	frame->bound = 0;
	for (bool last = false; !last;) {
		frame->length = at;
		if (n - at < 3)
			return 0;
		uint32_t head = (uint32_t)base_le(in + at, 3), size = head >> 3;
		unsigned type = head >> 1 & 3; /* 0 raw, 1 one byte repeated, 2 compressed */
		if (type == 3 || size > ZSTD_BLOCK_MAX)
			return CAIRN_E_DAMAGED;
		frame->bound += type == 2 ? ZSTD_BLOCK_MAX : size;
		at += 3;
		size_t body = type == 1 ? 1 : size;
		if (n - at < body)
			return 0;
		at += body;
		last = head & 1;
	}
	size_t sum = in[4] & 4 ? 4 : 0;
	if (n - at < sum)
		return 0;
	frame->length = at + sum;
	return 1;
}

int64_t io_zstd_frame_length(const uint8_t *in, size_t n, size_t *followed)
{
	struct io_zstd_frame frame;
	int rc = io_zstd_outline(in, n, &frame);
	if (followed)
		*followed = frame.length;
	return rc == 1 ? (int64_t)frame.length : rc;
}

/* ---- decoding ---- */

int io_frame_decoder_new(struct cairn *cairn, const struct cairn_codec *codec,
                         struct io_frame_decoder **out)
{
	if (codec == &io_codec_zstd_seekable)
		codec = &io_codec_zstd;
	if (!codec->dec_open)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED, "%s cannot be read", codec->name);
	struct io_frame_decoder *decoder = base_alloc(cairn, sizeof *decoder);
	if (!decoder)
		return CAIRN_E_NOMEM;
	decoder->cairn = cairn;
	decoder->codec = codec;
	if (codec == &io_codec_zstd) {
		decoder->fast = ZSTD_createDCtx();
		if (!decoder->fast) {
			base_free(cairn, decoder);
			return base_fail(cairn, CAIRN_E_NOMEM, "out of memory for a zstd decoder");
		}
	}
	*out = decoder;
	return 0;
}

void io_frame_decoder_free(struct io_frame_decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->state)
		decoder->codec->dec_close(decoder->state);
	ZSTD_freeDCtx(decoder->fast);
	base_free(decoder->cairn, decoder);
}

/* 1 when done, 0 when the general way has to take over, or CAIRN_E_NOMEM. */
static int decode_fast(struct io_frame_decoder *decoder, const uint8_t *in, size_t n, size_t hint,
                       size_t limit, struct base_buf *out, size_t *used)
{
	struct io_zstd_frame frame;
	if (io_zstd_outline(in, n, &frame) != 1)
		return 0;
	size_t most = frame.bound < limit ? (size_t)frame.bound : limit;
	if (frame.content != UINT64_MAX && frame.content < most)
		most = (size_t)frame.content;
	size_t room = frame.content == UINT64_MAX && hint && hint < most ? hint : most;
	for (;;) {
		int rc = base_buf_reserve(out, room ? room : 1);
		if (rc < 0)
			return rc;
		size_t got =
			ZSTD_decompressDCtx(decoder->fast, out->data + out->len, room, in, frame.length);
		if (!ZSTD_isError(got)) {
			out->len += got;
			*used = frame.length;
			return 1;
		}
		if (room == most)
			return 0;
		room = most; /* the hint was wrong */
	}
}

static int decoder_ready(struct io_frame_decoder *decoder)
{
	int rc = 0;
	if (decoder->state && decoder->codec->dec_reset) {
		rc = decoder->codec->dec_reset(decoder->state);
	} else {
		if (decoder->state)
			decoder->codec->dec_close(decoder->state);
		decoder->state = NULL;
		rc = decoder->codec->dec_open(decoder->cairn, &decoder->state);
	}
	if (rc < 0)
		return base_fail(decoder->cairn, rc, "%s: %s", decoder->codec->name,
		                 io_codec_why(rc, "the decoder cannot be started"));
	return 0;
}

static int decode_failed(struct io_frame_decoder *decoder, size_t at, int status, const char *why)
{
	return base_fail(decoder->cairn, status, "%s: byte %zu of the compressed input: %s",
	                 decoder->codec->name, at, io_codec_why(status, why));
}

/* Room for the next step: what is reserved, more when that is little, at most
 * what the limit leaves. */
static int step_room(struct base_buf *out, size_t begun, size_t limit, size_t *room)
{
	size_t left = limit - (out->len - begun);
	size_t want = left < FRAME_STEP ? left : FRAME_STEP;
	int rc = want ? base_buf_reserve(out, want) : 0;
	size_t have = out->cap - out->len;
	*room = have < left ? have : left;
	return rc;
}

static int decode_general(struct io_frame_decoder *decoder, const uint8_t *in, size_t n,
                          size_t limit, struct base_buf *out, size_t *used)
{
	struct cairn_codec_io io = {.in = in, .in_len = n};
	size_t begun = out->len;
	int rc = decoder_ready(decoder), stalls = 0;
	while (rc == 0) {
		size_t room, before = io.in_len;
		uint8_t beyond;
		const char *why = NULL;
		if (base_cancelled(decoder->cairn))
			return base_fail(decoder->cairn, CAIRN_E_CANCELLED, "cancelled");
		rc = step_room(out, begun, limit, &room);
		if (rc < 0)
			return rc;
		/* With the limit reached the stream may still be about to end. */
		io.out = room ? out->data + out->len : &beyond;
		io.out_len = room ? room : 1;
		size_t given = io.out_len;
		rc = decoder->codec->decode(decoder->state, &io, &why);
		size_t got = given - io.out_len;
		if (got && !room)
			return base_fail(decoder->cairn, CAIRN_E_LIMIT,
			                 "%s: more than %zu bytes come out of one stream", decoder->codec->name,
			                 limit);
		out->len += got;
		if (rc < 0)
			return decode_failed(decoder, n - io.in_len, rc, why);
		if (rc == 0 && !got && io.in_len == before) {
			if (!io.in_len)
				return decode_failed(decoder, n, CAIRN_E_TRUNCATED, NULL);
			if (++stalls > FRAME_STALLS)
				return decode_failed(decoder, n - io.in_len, CAIRN_E_STATE, NULL);
		}
	}
	*used = n - io.in_len;
	return rc < 0 ? rc : 0;
}

int io_frame_decode(struct io_frame_decoder *decoder, const uint8_t *in, size_t n, size_t hint,
                    size_t limit, struct base_buf *out, size_t *used)
{
	size_t ignored;
	if (!used)
		used = &ignored;
	*used = 0;
	int rc = decoder->fast ? decode_fast(decoder, in, n, hint, limit, out, used) : 0;
	if (rc)
		return rc < 0 ? rc : 0;
	if (!decoder->fast && hint) { /* believe a hint as far as usual ratios go */
		size_t room = hint < limit ? hint : limit, most = n < SIZE_MAX / 32 ? n * 32 : n;
		rc = base_buf_reserve(out, room < most ? room : most);
		if (rc < 0)
			return rc;
	}
	return decode_general(decoder, in, n, limit, out, used);
}

int io_decode_frame(struct cairn *cairn, const struct cairn_codec *codec, const uint8_t *in,
                    size_t n, size_t hint, size_t limit, struct base_buf *out, size_t *used)
{
	struct io_frame_decoder *decoder = NULL;
	int rc = io_frame_decoder_new(cairn, codec, &decoder);
	if (rc < 0)
		return rc;
	rc = io_frame_decode(decoder, in, n, hint, limit, out, used);
	io_frame_decoder_free(decoder);
	return rc;
}

/* ---- encoding ---- */

int io_frame_encoder_new(struct cairn *cairn, const struct cairn_codec *codec, int level,
                         struct io_frame_encoder **out)
{
	if (!codec->enc_open)
		return base_fail(cairn, CAIRN_E_UNSUPPORTED, "%s cannot be written", codec->name);
	int rc = io_codec_level(cairn, codec, level, &level);
	if (rc < 0)
		return rc;
	struct io_frame_encoder *encoder = base_alloc(cairn, sizeof *encoder);
	if (!encoder)
		return CAIRN_E_NOMEM;
	encoder->cairn = cairn;
	encoder->codec = codec;
	encoder->level = level;
	*out = encoder;
	return 0;
}

void io_frame_encoder_free(struct io_frame_encoder *encoder)
{
	if (!encoder)
		return;
	if (encoder->state)
		encoder->codec->enc_close(encoder->state);
	base_free(encoder->cairn, encoder);
}

static int encoder_ready(struct io_frame_encoder *encoder)
{
	int rc = 0;
	if (encoder->state && encoder->codec->enc_reset) {
		rc = encoder->codec->enc_reset(encoder->state);
	} else {
		if (encoder->state)
			encoder->codec->enc_close(encoder->state);
		encoder->state = NULL;
		rc = encoder->codec->enc_open(encoder->cairn, encoder->level, 1, &encoder->state);
	}
	if (rc < 0)
		return base_fail(encoder->cairn, rc, "%s: the encoder cannot be started",
		                 encoder->codec->name);
	return 0;
}

int io_frame_encode(struct io_frame_encoder *encoder, const void *in, size_t n,
                    struct base_buf *out)
{
	struct cairn_codec_io io = {.in = in, .in_len = n};
	int rc = encoder_ready(encoder), stalls = 0;
	/* Room for data that does not compress: zstd then works in one pass and
	 * writes the content size. */
	size_t room = n + n / 128 + FRAME_STEP;
	while (rc == 0) {
		const char *why = NULL;
		size_t before = io.in_len;
		rc = base_buf_reserve(out, room);
		if (rc < 0)
			return rc;
		io.out = out->data + out->len;
		io.out_len = out->cap - out->len;
		size_t given = io.out_len;
		rc = encoder->codec->encode(encoder->state, &io, 1, &why);
		out->len += given - io.out_len;
		bool stuck = given == io.out_len && before == io.in_len;
		if (rc == 0 && stuck && ++stalls > FRAME_STALLS)
			rc = CAIRN_E_STATE;
		if (rc < 0)
			return base_fail(encoder->cairn, rc, "%s: %s", encoder->codec->name,
			                 io_codec_why(rc, why));
		room = FRAME_STEP;
	}
	return rc < 0 ? rc : 0;
}

int io_encode_frame(struct cairn *cairn, const struct cairn_codec *codec, int level, const void *in,
                    size_t n, struct base_buf *out)
{
	struct io_frame_encoder *encoder = NULL;
	int rc = io_frame_encoder_new(cairn, codec, level, &encoder);
	if (rc < 0)
		return rc;
	rc = io_frame_encode(encoder, in, n, out);
	io_frame_encoder_free(encoder);
	return rc;
}

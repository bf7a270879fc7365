/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_IO_H
#define CAIRN_IO_H
/*
 * Codecs: how bytes are compressed around a trace. A codec knows nothing about
 * formats. Which one a file uses is found by its first bytes, never its name.
 * Built in: gzip, xz, zstd (plain and seekable), bzip2, lz4. A library user adds
 * others by listing them in cairn_opts.codecs (STF specification, "What is NOT
 * Standardized": the API shall be extensible with compression formats).
 */
#include "cairn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step's buffers: the codec takes from `in`, puts to `out`, and advances
 * the pointers and counts by what it used. */
struct cairn_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

struct cairn_codec {
	size_t size;       /* sizeof(struct cairn_codec) */
	const char *name;  /* "gzip" */
	const char *suffix;/* ".gz": used only to choose a codec for an output name */
	int level_min, level_max, level_default;

	/* Do these first bytes (up to 64, fewer at the end of input) begin this
	 * codec's stream? 0 no … 100 certain. */
	int (*probe)(const uint8_t *head, size_t n);

	/* Decoding. decode returns 1 when one complete stream (member, frame) has
	 * ended, 0 when it wants more input or output room, < 0 a cairn_status when
	 * the input is damaged (*why then says what, a static sentence). After 1 the
	 * caller opens again if bytes remain: concatenated streams are one input. */
	int (*dec_open)(struct cairn *c, void **state);
	int (*decode)(void *state, struct cairn_codec_io *io, const char **why);
	void (*dec_close)(void *state);

	/* Encoding; all three NULL when the codec cannot write. encode returns 1
	 * when `finish` was asked and the stream is complete, 0 when it wants to be
	 * called again, < 0 a cairn_status. */
	int (*enc_open)(struct cairn *c, int level, void **state);
	int (*encode)(void *state, struct cairn_codec_io *io, int finish, const char **why);
	void (*enc_close)(void *state);
};

/* Find a codec of the context (its own first, then the built-in ones) by name;
 * NULL when there is none. */
CAIRN_API const struct cairn_codec *cairn_codec_find(const struct cairn *c, const char *name);

#ifdef __cplusplus
}
#endif
#endif

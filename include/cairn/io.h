/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAIRN_IO_H
#define CAIRN_IO_H
/*
 * Codecs: how bytes are compressed around a trace. A codec knows nothing about
 * formats. Which one a file uses is found by its first bytes, never its name.
 * Built in: zstd (plain and seekable), gzip, xz, bzip2, lz4. A library user adds
 * others by listing them in cairn_opts.codecs (STF specification, "What is NOT
 * Standardized": the API shall be extensible with compression formats).
 *
 * Outputs: a file has its name only when it is complete.
 */
#include "cairn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the next bytes of an input: up to `n`, their number, 0 at the end, < 0 a
 * cairn_status. */
typedef int64_t cairn_read_fn(void *user, void *buf, size_t n);

/* One step's buffers: the codec takes from `in`, puts to `out`, and advances
 * the pointers and counts by what it used. */
struct cairn_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

struct cairn_codec {
	size_t size;        /* sizeof(struct cairn_codec) */
	const char *name;   /* "gzip" */
	const char *suffix; /* ".gz": used only to choose a codec for an output name */
	int level_min, level_max, level_default;

	/* Do these first bytes (up to 64, fewer at the end of input) begin this
	 * codec's stream? 0 no … 100 certain. */
	int (*probe)(const uint8_t *head, size_t n);

	/* Decoding. decode returns 1 when one complete stream (member, frame) has
	 * ended, 0 when it wants more input or output room, < 0 a cairn_status when
	 * the input is damaged (*why then says what, a static sentence). It is called
	 * with in_len 0 only when the input has ended: a codec whose streams have no
	 * end mark returns 1 then, others 0 when they have nothing left to put out.
	 * After 1 the caller resets if bytes remain: concatenated streams are one
	 * input. dec_reset makes ready for the next stream; NULL: dec_close and
	 * dec_open do that. */
	int (*dec_open)(struct cairn *cairn, void **state);
	int (*decode)(void *state, struct cairn_codec_io *io, const char **why);
	int (*dec_reset)(void *state);
	void (*dec_close)(void *state);

	/* Encoding; all NULL when the codec cannot write. `threads` > 1 allows that
	 * many worker threads. encode returns 1 when `finish` was asked and the stream
	 * is complete, 0 when it wants to be called again, < 0 a cairn_status. With
	 * `finish`, `in` is the last of the input. enc_reset may be NULL like
	 * dec_reset. */
	int (*enc_open)(struct cairn *cairn, int level, unsigned threads, void **state);
	int (*encode)(void *state, struct cairn_codec_io *io, int finish, const char **why);
	int (*enc_reset)(void *state);
	void (*enc_close)(void *state);
};

/* Find a codec of the context (its own first, then the built-in ones) by name;
 * NULL when there is none. */
CAIRN_API const struct cairn_codec *cairn_codec_find(const struct cairn *cairn, const char *name);
/* The codec that an output's name asks for by its suffix ("x.stf.gz"); NULL when
 * it asks for none. Never used for reading. */
CAIRN_API const struct cairn_codec *cairn_codec_for_name(const struct cairn *cairn,
                                                         const char *path);
/* The i-th codec of the context, in the order of cairn_codec_find; NULL past the
 * last. */
CAIRN_API const struct cairn_codec *cairn_codec_at(const struct cairn *cairn, size_t index);

/* ---- outputs ---- */

struct cairn_sink;

/* Begin an output. "-" is standard output; what is there and no plain file (a device, a FIFO) is
 * written as it comes. Any other path gets its file with cairn_sink_finish, in place of one that
 * is there; until then the bytes lie beside it (cairn_remove_temporaries). A file that this
 * context reads at this moment is refused. Every error of a sink names its path and stays.
 * Errors: CAIRN_E_INVAL, CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_PIPE, CAIRN_E_NOMEM. */
CAIRN_API int cairn_sink_open(struct cairn *cairn, const char *path, struct cairn_sink **out);
CAIRN_API int cairn_sink_write(struct cairn_sink *sink, const void *data, size_t n);
/* Close, and give the file its name. The sink is gone whatever is returned. */
CAIRN_API int cairn_sink_finish(struct cairn_sink *sink);
/* Close, and leave nothing. NULL is fine. */
CAIRN_API void cairn_sink_discard(struct cairn_sink *sink);
/* Is the output `out` the same file as the input `in`, by whatever names ("-": standard output,
 * standard input)? 1 or 0. */
CAIRN_API int cairn_same_file(const char *out, const char *in);

/* For the handler of a signal that ends the process: remove what is written and not complete
 * yet. Outputs lie under names of their own, NAME.xxxxxxxx.tmp, beside where they will be;
 * without this call they stay behind. May be called in a handler, more than once and by
 * several threads; afterwards no output can be begun or completed, of any context. It
 * removes what this process has made, not what its parent has. */
CAIRN_API void cairn_remove_temporaries(void);
/* For a handler of SIGBUS: the name of the file that the library has mapped at this address,
 * which must have become shorter; NULL: none is mapped there. */
CAIRN_API const char *cairn_mapped_file(const void *addr);

#ifdef __cplusplus
}
#endif
#endif

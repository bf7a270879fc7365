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

/* Reads the next bytes of an input, at most `n`, into `buf`. Returns how many they are, 0 at the
 * end, < 0: a cairn_status. */
typedef int64_t cairn_read_fn(void *user, void *buf, size_t n);

/* One step's buffers: the codec takes from `in`, puts to `out`, and advances
 * the pointers and counts by what it used. */
struct cairn_codec_io {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

/* A codec. A caller's own must outlive the context that lists it; its functions may be called
 * from any thread, for one state by one thread at a time. */
struct cairn_codec {
	size_t size;        /* sizeof(struct cairn_codec) */
	const char *name;   /* "gzip" */
	const char *suffix; /* ".gz": used only to choose a codec for an output name */
	int level_min, level_max, level_default; /* of compression, in the codec's own scale */

	/* Do these first bytes (up to 64, fewer at the end of input) begin this
	 * codec's stream? 0 no … 100 certain. */
	int (*probe)(const uint8_t *head, size_t n);

	/* Decoding. dec_open makes a state, which dec_close frees. decode returns 1 when one complete
	 * stream (member, frame) has ended, 0 when it wants more input or output room, < 0 a
	 * cairn_status when the input is damaged (*why then says what, a static sentence). It is called
	 * with in_len 0 only when the input has ended: a codec whose streams have no end mark returns 1
	 * then, others 0 when they have nothing left to put out. After 1 the caller resets if bytes
	 * remain: concatenated streams are one input. dec_reset makes ready for the next stream; NULL:
	 * dec_close and dec_open do that. */
	int (*dec_open)(struct cairn *cairn, void **state);
	int (*decode)(void *state, struct cairn_codec_io *io, const char **why);
	int (*dec_reset)(void *state);
	void (*dec_close)(void *state);

	/* Encoding; all NULL when the codec cannot write. enc_open makes a state, which enc_close
	 * frees. `threads` > 1 allows that
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

/* Begin an output. "-" is standard output. A path that names a device or a FIFO is written
 * directly. At any other path the file appears with cairn_sink_finish and replaces one of that
 * name; until then the bytes are in a temporary file beside it (cairn_remove_temporaries). A file
 * that this context is reading is refused. Every error of a sink names its path, and later calls
 * return it again.
 * Errors: CAIRN_E_INVAL, CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_PIPE, CAIRN_E_NOMEM. */
CAIRN_API int cairn_sink_open(struct cairn *cairn, const char *path, struct cairn_sink **out);
/* Append `n` bytes. Errors: CAIRN_E_IO, CAIRN_E_PIPE, CAIRN_E_NOMEM. */
CAIRN_API int cairn_sink_write(struct cairn_sink *sink, const void *data, size_t n);
/* Close, and give the file its name. Frees the sink, on failure too; there is no file then.
 * Errors: the first of cairn_sink_write, CAIRN_E_IO, CAIRN_E_PIPE. */
CAIRN_API int cairn_sink_finish(struct cairn_sink *sink);
/* Close, and leave no file. Frees the sink. NULL is fine. */
CAIRN_API void cairn_sink_discard(struct cairn_sink *sink);
/* Several outputs, all or none: what is completed until cairn_outputs_end gets its name there,
 * or, without `keep`, or when the process ends before, is removed. Not to be forgotten before
 * cairn_free. Errors: CAIRN_E_NOMEM; of the end CAIRN_E_IO and CAIRN_E_STATE (nothing was begun). */
CAIRN_API int cairn_outputs_begin(struct cairn *cairn);
CAIRN_API int cairn_outputs_end(struct cairn *cairn, int keep);
/* Is the output `out` the same file as the input `in`, by whatever names ("-": standard output,
 * standard input)? 1 or 0. */
CAIRN_API int cairn_same_file(const char *out, const char *in);

/* Remove the temporary files of outputs that are not complete yet, NAME.xxxxxxxx.tmp beside each
 * output: for the handler of a signal that ends the process, which would leave them behind. May
 * be called in a handler, more than once and by several threads. Afterwards no output of any
 * context can be begun or completed. Files that the parent process has made stay. */
CAIRN_API void cairn_remove_temporaries(void);
/* The name of the file that the library has mapped at an address, NULL when none is: for a
 * handler of SIGBUS, where it is the file that has become shorter. */
CAIRN_API const char *cairn_mapped_file(const void *addr);

#ifdef __cplusplus
}
#endif
#endif

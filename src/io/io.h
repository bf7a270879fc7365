/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_IO_H
#define IO_IO_H
/*
 * Byte sources and sinks. A source is opened from a path, "-" or memory; its
 * codecs are recognised by magic and peeled, nested if need be, so that what is
 * read is the format's own bytes. A plain file is mapped and read without a copy.
 */
#include "base/base.h"
#include "cairn/io.h"

#define IO_UNKNOWN UINT64_MAX

struct io_source;

/* Open a path, or standard input when the path is "-". A directory, a missing
 * file and an empty name fail with a sentence. The name given is what errors
 * say. Nested codecs are peeled (at most 8 deep).
 * Errors: CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_NOMEM, CAIRN_E_DAMAGED. */
int io_open(struct cairn *c, const char *path, struct io_source **out);
/* The same over memory the caller keeps until io_close. */
int io_open_memory(struct cairn *c, const void *data, size_t n, struct io_source **out);
void io_close(struct io_source *s);

/* Show the next bytes without taking them: at least `want` (<= 64 KiB) unless
 * the input ends sooner. >= 0 or a status; *p is valid until the next call. */
int io_peek(struct io_source *s, size_t want, const uint8_t **p, size_t *n);
/* Take up to `n` bytes. Returns the count, 0 only at the end of input, or a
 * status. Damage: everything before it is delivered first; then the call fails
 * with the codec, the offset in its compressed bytes and what is wrong. */
int64_t io_read(struct io_source *s, void *buf, size_t n);
/* Position of the next io_read in decoded bytes. */
uint64_t io_tell(const struct io_source *s);

/* The whole of an uncompressed file or memory, or NULL when it is compressed or
 * a pipe. Valid until io_close. Not affected by io_read's position. */
const uint8_t *io_map(const struct io_source *s, size_t *n);
/* Ask the kernel to drop the pages of the map before `upto` (keeps the resident
 * set flat when walking a huge map). Harmless on other sources. */
void io_done(struct io_source *s, uint64_t upto);

/* Can io_pread be used (mapped, or seekable zstd)? */
bool io_seekable(const struct io_source *s);
/* Read at an offset of the decoded bytes; thread-safe. Count or status. */
int64_t io_pread(struct io_source *s, uint64_t off, void *buf, size_t n);

/* Decoded size if known without reading it all, else IO_UNKNOWN. */
uint64_t io_size(const struct io_source *s);
/* Size of the file as stored, or IO_UNKNOWN for a pipe. */
uint64_t io_stored_size(const struct io_source *s);
/* How much of io_stored_size has been consumed so far (progress bars). */
uint64_t io_stored_tell(const struct io_source *s);
/* "none", "gzip", "gzip+xz" (outermost first). */
const char *io_codec(const struct io_source *s);
const char *io_name(const struct io_source *s);

/* ---- sinks ---- */

struct io_sink;

/* Create an output. "-" is standard output. Otherwise bytes go to PATH.part,
 * renamed to PATH by io_sink_finish; io_sink_abort removes the .part.
 * `codec` NULL: none. level INT_MIN: the codec's default. `threads` > 1 may
 * compress on worker threads where the codec can. */
int io_sink_open(struct cairn *c, const char *path, const struct cairn_codec *codec, int level,
                 int threads, struct io_sink **out);
int io_sink_write(struct io_sink *s, const void *data, size_t n);
/* Overwrite bytes written earlier (container headers). Only for files without a
 * codec: otherwise CAIRN_E_STATE. */
int io_sink_pwrite(struct io_sink *s, uint64_t off, const void *data, size_t n);
bool io_sink_seekable(const struct io_sink *s);
uint64_t io_sink_tell(const struct io_sink *s);
/* Push what is buffered to the operating system (a killed writer leaves it in
 * the .part). */
int io_sink_flush(struct io_sink *s);
/* Close and commit; the sink is gone whatever is returned. */
int io_sink_finish(struct io_sink *s);
/* Close and discard; NULL is fine. */
void io_sink_abort(struct io_sink *s);

/* ---- whole frames, for containers ---- */

/* Decode one complete stream held in memory into a growing buffer of at most
 * `limit` bytes. *used is how much of `in` the stream took. CAIRN_E_LIMIT when
 * more would come out than `limit`; on damage what came before it is in `out`. */
int io_decode_frame(struct cairn *c, const struct cairn_codec *codec, const uint8_t *in,
                    size_t n, size_t limit, struct base_buf *out, size_t *used);
/* Encode `n` bytes as one complete stream, appended to `out`. */
int io_encode_frame(struct cairn *c, const struct cairn_codec *codec, int level,
                    const void *in, size_t n, struct base_buf *out);
/* Length of the zstd frame (or skippable frame) that begins at `in`, found by
 * walking block headers; 0 when it does not end within `n`, < 0 when it is no
 * frame. */
int64_t io_zstd_frame_length(const uint8_t *in, size_t n);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_IO_H
#define IO_IO_H
/*
 * Byte sources and sinks. A source is opened from a path, "-" or memory; its
 * codecs are recognised by magic and peeled, nested if need be, so that what is
 * read is the format's own bytes. A plain file is mapped and read without a copy.
 */
#include <sys/stat.h>

#include "base/base.h"
#include "cairn/io.h"

#define IO_UNKNOWN UINT64_MAX

struct io_source;

/* Open a path, or standard input when the path is "-". A directory, a missing
 * file and an empty name fail with a sentence that begins with the name. Nested
 * codecs are peeled (at most 8 deep).
 * Errors: CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_NOMEM, CAIRN_E_LIMIT (nested
 * deeper), CAIRN_E_CANCELLED. */
int io_open(struct cairn *cairn, const char *path, struct io_source **out);
/* The same for a path that others chose: it may not be a pipe or a device, which would wait. */
int io_open_regular(struct cairn *cairn, const char *path, struct io_source **out);
/* Does a path that names something lie outside the folder ("": this one), whatever links are
 * on its way? */
bool io_lies_outside(const char *folder, const char *path);
/* The same over memory the caller keeps until io_close. */
int io_open_memory(struct cairn *cairn, const void *data, size_t n, struct io_source **out);
/* The same over what `read` gives. */
int io_open_stream(struct cairn *cairn, const char *name, cairn_read_fn *read, void *user,
                   struct io_source **out);
void io_close(struct io_source *source);

/* Show the next bytes without taking them: `want` of them (<= 64 KiB) unless
 * the input ends sooner. >= 0 or a status; *p is valid until the next call. */
int io_peek(struct io_source *source, size_t want, const uint8_t **p, size_t *n);
/* Take up to `n` bytes. Returns the count, 0 only at the end of input, or a
 * status. Damage: everything before it is delivered first; then the call fails,
 * now and ever after, with the codec, the offset in its compressed bytes and what
 * is wrong (not the file's name: the caller puts its own places in between).
 * Errors: CAIRN_E_DAMAGED, CAIRN_E_TRUNCATED, CAIRN_E_LIMIT and
 * CAIRN_E_UNSUPPORTED (codec parameters), CAIRN_E_IO, CAIRN_E_NOMEM,
 * CAIRN_E_CANCELLED. */
int64_t io_read(struct io_source *source, void *buf, size_t n);
/* Position of the next io_read in decoded bytes. */
uint64_t io_tell(const struct io_source *source);

/* The whole of an uncompressed file or memory, or NULL when it is compressed or
 * a pipe. Valid until io_close. Not affected by io_read's position. */
const uint8_t *io_map(const struct io_source *source, size_t *n);
/* Ask the kernel to drop the pages of the map before `upto` (keeps the resident
 * set flat when walking a huge map). Harmless on other sources. */
void io_done(struct io_source *source, uint64_t upto);

/* Read at an offset of what io_map has, without mapping pages around it; thread-safe. Count or
 * status. */
int64_t io_pread(struct io_source *source, uint64_t off, void *buf, size_t n);

/* ---- beginning again (restart.c) ---- */

/* Can io_seek be used? Only of a file or memory; a pipe is read once. */
bool io_can_seek(const struct io_source *source);
/* Let the next io_read begin at an offset of the decoded bytes, or at the end: decoding begins at
 * the nearest mark before it, else at the beginning, unless reading on is nearer. Errors:
 * CAIRN_E_STATE (a pipe), CAIRN_E_DAMAGED (marks that cannot be), those of io_read. */
int io_seek(struct io_source *source, uint64_t off);
/* From now on, note places at which decoding can begin, at least `step` decoded bytes apart. Does
 * nothing where there are none: what is not compressed needs none, and within nested codecs, or a
 * pipe, there can be none. */
int io_mark(struct io_source *source, uint64_t step);
/* Having read to the end: the most decoded bytes between two places where decoding can
 * begin, or one and the end; 0 when nothing is compressed. */
uint64_t io_marks_reach(const struct io_source *source);
/* The noted places as bytes (docs/formats/index.md), appended; nothing when there are none. And
 * back, for io_seek. Impossible bytes: CAIRN_E_DAMAGED, without a sentence. */
int io_marks_put(const struct io_source *source, struct base_buf *out);
int io_marks_get(struct io_source *source, const uint8_t *p, size_t n);

/* Size of the file as stored, or IO_UNKNOWN for a pipe. */
uint64_t io_stored_size(const struct io_source *source);
/* How much of io_stored_size has been consumed so far, by io_read or as told with
 * io_done (progress bars). */
uint64_t io_stored_tell(const struct io_source *source);
/* "none", "gzip", "gzip+xz" (outermost first), "zstd-seekable" where a seek table ends it. */
const char *io_codec(const struct io_source *source);
const char *io_name(const struct io_source *source);

/* ---- sinks ---- */

/* As cairn_sink_open. A symbolic link stays and what it points to is written, whether that is there
 * or not.
 * `codec` NULL: none. level INT_MIN: the codec's default. `threads` > 1 may
 * compress on worker threads where the codec can.
 * Errors: CAIRN_E_INVAL (level), CAIRN_E_UNSUPPORTED (a codec that only reads),
 * CAIRN_E_NOTFOUND, CAIRN_E_IO, CAIRN_E_PIPE, CAIRN_E_NOMEM. */
int io_sink_open(struct cairn *cairn, const char *path, const struct cairn_codec *codec, int level,
                 int threads, struct cairn_sink **out);
/* Overwrite bytes written earlier (container headers). Only where
 * io_sink_seekable: otherwise CAIRN_E_STATE. Beyond what was written:
 * CAIRN_E_INVAL. In the file of a sink that has failed, too, where it is kept (io_keeping). */
int io_sink_pwrite(struct cairn_sink *sink, uint64_t off, const void *data, size_t n);
bool io_sink_seekable(const struct cairn_sink *sink);
/* Bytes given to cairn_sink_write so far. */
uint64_t io_sink_tell(const struct cairn_sink *sink);
/* Push what is buffered to the operating system (a killed writer leaves it in
 * the temporary file). What a codec still holds back stays with it. */
int io_sink_flush(struct cairn_sink *sink);

/* ---- what is not complete (temporary.c) ---- */

/* Make a file, open for reading and writing, or a folder, of a new name beside `target`. */
struct io_temp;
int io_temp_file(struct cairn *cairn, const char *target, struct io_temp **out, int *fd);
int io_temp_folder(struct cairn *cairn, const char *target, struct io_temp **out);
const char *io_temp_path(const struct io_temp *temp);
/* Hand out what was held back: `first`, which is empty then, and n bytes of a file, in pieces as
 * long as `first`, or of `piece` bytes. Each piece leaves the file before the one before it is
 * handed out, so that an output on the same disk has room. */
typedef int io_give_fn(void *user, const uint8_t *p, size_t n);
int io_pour(struct cairn *cairn, struct base_buf *first, int fd, uint64_t n, size_t piece,
            io_give_fn *give, void *user);
/* Give the file or folder its name; `temp` is gone whatever is returned. An existing target is
 * replaced. */
int io_temp_commit(struct cairn *cairn, struct io_temp *temp, const char *target);
/* Remove it, a folder with its files; NULL is fine. */
void io_temp_remove(struct io_temp *temp);
/* Does this path lie in a folder that is not complete yet? */
bool io_temp_within(const char *path);

/* Several outputs, all or none: what is committed after io_hold_begin waits for io_hold_end, which
 * gives all their names, leaves that to an outer hold, or removes them. */
struct io_hold {
	struct io_temp *last;
	struct io_hold *outer;
};
void io_hold_begin(struct cairn *cairn, struct io_hold *hold);
int io_hold_end(struct cairn *cairn, struct io_hold *hold, bool commit);

/* An output that the system refuses to take (a full disk): between io_keep_begin and io_keep_end
 * nothing of it is removed; it is put aside here instead. */
struct io_keep {
	struct io_temp *temp; /* NULL: there was nothing */
	char *path;           /* its name: NAME.damaged beside its target, or NAME.damaged-2 … */
	bool refused;         /* the system has refused it */
};
void io_keep_begin(struct cairn *cairn, struct io_keep *keep);
/* Is it so now: has an output failed for that reason, and shall it be kept? */
bool io_keeping(struct cairn *cairn);
/* io_temp_remove, or put it aside instead; what was put aside before is removed, since this is
 * better. In a folder that is not complete it gets its name: the folder is put aside. */
void io_keep_or_remove(struct cairn *cairn, struct io_temp *temp, const char *target);
/* Give what was put aside its name, or remove it. */
int io_keep_end(struct cairn *cairn, struct io_keep *keep, bool commit);

/* ---- what is read (inputs.c) ---- */

/* Note that an open file is being read, until io_input_drop; *out is NULL for what is not a plain
 * file. */
struct io_input;
int io_input_note(struct cairn *cairn, int fd, struct io_input **out);
void io_input_drop(struct cairn *cairn, struct io_input *in);
/* It is mapped: `name` and `fd` stay until io_input_drop. */
void io_input_mapped(struct io_input *in, const char *name, int fd, size_t length);
/* When something was read to its end, and before an output gets its name: are all mapped files as long as
 * when they were opened? The rest of the last page of one that somebody made shorter reads as zeros.
 * CAIRN_E_STATE with a sentence. */
int io_check_inputs(struct cairn *cairn);
/* Is this file being read? */
bool io_is_input(struct cairn *cairn, const struct stat *st);
/* The bytes of an open file: mapped, or read if the context wants no maps; *n may then be
 * less than `size`. To be undone by io_file_unmap. */
int io_file_map(struct cairn *cairn, const char *name, int fd, size_t size, const uint8_t **p,
                size_t *n);
void io_file_unmap(struct cairn *cairn, const uint8_t *p, size_t n);

/* ---- whole frames, for containers ---- */

/* What to say of a codec that failed: its reason, or what the status means; without memory, that. */
const char *io_codec_why(int status, const char *why);

/* Decodes one complete stream after another, each held in memory, without a new
 * context for each. One object serves one thread. */
struct io_frame_decoder;
int io_frame_decoder_new(struct cairn *cairn, const struct cairn_codec *codec,
                         struct io_frame_decoder **out);
void io_frame_decoder_free(struct io_frame_decoder *decoder);
/* Decode the stream that begins at `in` and append what it holds, at most `limit`
 * bytes, to `out`. `hint` is how much will probably come out (0: no idea): a right
 * one saves growing. *used (may be NULL) is how much of `in` the stream took.
 * CAIRN_E_LIMIT when more would come out than `limit`, CAIRN_E_TRUNCATED when the
 * stream does not end within `n`, CAIRN_E_DAMAGED …; in each case what came before
 * is in `out`. */
int io_frame_decode(struct io_frame_decoder *decoder, const uint8_t *in, size_t n, size_t hint,
                    size_t limit, struct base_buf *out, size_t *used);
/* The same, once. */
int io_decode_frame(struct cairn *cairn, const struct cairn_codec *codec, const uint8_t *in,
                    size_t n, size_t hint, size_t limit, struct base_buf *out, size_t *used);

/* Encodes one complete stream after another. One object serves one thread; `level`
 * INT_MIN is the codec's default. */
struct io_frame_encoder;
int io_frame_encoder_new(struct cairn *cairn, const struct cairn_codec *codec, int level,
                         struct io_frame_encoder **out);
void io_frame_encoder_free(struct io_frame_encoder *encoder);
/* Encode `n` bytes as one complete stream, appended to `out`. */
int io_frame_encode(struct io_frame_encoder *encoder, const void *in, size_t n,
                    struct base_buf *out);
/* The same, once. */
int io_encode_frame(struct cairn *cairn, const struct cairn_codec *codec, int level, const void *in,
                    size_t n, struct base_buf *out);

/* Length of the zstd frame (or skippable frame) that begins at `in`, found by
 * walking block headers; 0 when it does not end within `n`, < 0 when it is no
 * frame (CAIRN_E_DAMAGED, without a sentence). `followed`, unless NULL: how many bytes
 * were followed to find that it is none. */
int64_t io_zstd_frame_length(const uint8_t *in, size_t n, size_t *followed);

#endif

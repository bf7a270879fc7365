/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_CODECS_H
#define IO_CODECS_H
/*
 * What the files of this room share about codecs.
 */
#include "base/base.h"
#include "cairn/io.h"
#include "config.h"

enum { IO_HEAD = 64 }; /* bytes a probe is shown */

extern const struct cairn_codec io_codec_zstd, io_codec_zstd_seekable, io_codec_gzip, io_codec_xz;
#ifdef HAVE_BZIP2
extern const struct cairn_codec io_codec_bzip2;
#endif
#ifdef HAVE_LZ4
extern const struct cairn_codec io_codec_lz4;
#endif

/* The codec whose stream these bytes begin, or NULL. */
const struct cairn_codec *io_codec_probe(const struct cairn *cairn, const uint8_t *head, size_t n);
/* May zero bytes follow a stream of this codec, and in units of how many? 0: no. */
unsigned io_codec_padding(const struct cairn_codec *codec);
/* A level as the codec takes it; INT_MIN becomes the default. Out of range:
 * CAIRN_E_INVAL with a sentence. */
int io_codec_level(struct cairn *cairn, const struct cairn_codec *codec, int level, int *out);

/* Count bytes taken from the input, and bytes put out. */
static inline void io_codec_move(struct cairn_codec_io *io, size_t in, size_t out)
{
	io->in += in;
	io->in_len -= in;
	io->out += out;
	io->out_len -= out;
}

/* How well `head` begins with `magic`, as a probe answers: 100 in full, less for
 * an input so short that it ends inside the magic, else 0. */
int io_magic(const uint8_t *head, size_t n, const void *magic, size_t len);
/* Skippable frames (zstd and lz4 share them) may come before the real magic. */
int io_magic_after_skippable(const uint8_t *head, size_t n, const uint8_t magic[4]);
bool io_is_skippable(uint32_t magic);

/* Allocation in the shape zlib, bzip2 and liblzma ask for; `opaque` is the
 * context. The sizes they multiply are checked. */
void *io_alloc_items(void *opaque, size_t items, size_t size);
void io_free_item(void *opaque, void *p);

/* zstd's errors, in one place for all who call it. */
int io_zstd_status(size_t code, const char **why);
/* Compress up to `most` bytes of the input, and end the frame if `end`. Returns how much of it is
 * still to be put out, or a status. */
struct ZSTD_CCtx_s;
int64_t io_zstd_compress(struct ZSTD_CCtx_s *encoder, struct cairn_codec_io *io, size_t most,
                         bool end, const char **why);
enum { IO_ZSTD_WINDOW_LOG = 27 }; /* 128 MiB: the largest window accepted */

/* What a codec can do inside a stream; at a stream's beginning every codec can begin. */
enum { IO_MARK_DATA = 32 << 10 }; /* bytes that a place takes at most */
struct io_source;
struct io_restart {
	/* Note all places, before reading, from the file's own tables; or, while reading: */
	int (*list)(struct io_source *source, uint64_t step);
	/* let decode return wherever decoding can begin again, for the rest of the stream; */
	void (*watch)(void *state);
	/* is here such a place? What it takes to begin: bits of the last byte taken that are not
	 * decoded yet, and up to IO_MARK_DATA bytes. */
	bool (*mark)(void *state, unsigned *bits, uint8_t *data, size_t *n);
	/* Make a decoder that goes on there; decode then ends with the stream. */
	int (*resume)(struct cairn *cairn, unsigned bits, uint8_t last, const uint8_t *data, size_t n,
	              void **state);
};
/* NULL: only where streams begin. */
const struct io_restart *io_codec_restart(const struct cairn_codec *codec);
extern const struct io_restart io_gzip_restart, io_xz_restart;
/* An xz decoder that begins at a block of a stream whose blocks are checked so. */
int io_xz_open_blocks(struct cairn *cairn, unsigned check, void **state);

/* A zstd frame's outline, from its headers alone. */
struct io_zstd_frame {
	size_t length;    /* bytes from magic to checksum; of no whole frame: how far it was
	                   * followed */
	uint64_t content; /* as the header says, or UINT64_MAX */
	uint64_t bound;   /* the blocks cannot hold more than this */
};
/* 1 and *f; 0 when the frame does not end within `n`; CAIRN_E_DAMAGED when it is
 * no frame. */
int io_zstd_outline(const uint8_t *in, size_t n, struct io_zstd_frame *frame);

/* Does this file end in a seek table that accounts for all of it? */
bool io_zstd_is_seekable(const uint8_t *map, size_t n);

#endif

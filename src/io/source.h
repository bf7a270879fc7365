/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H
/*
 * Inside of a source: a stack of layers. Layer 0 is the bytes as stored, each
 * layer above decodes the one below; the top one is what io_read reads.
 */
#include <stdatomic.h>

#include "base/record.h"
#include "io/codecs.h"
#include "io/io.h"

enum {
	IO_DEPTH = 8,          /* codecs around one another */
	IO_BUFFER = 256 << 10, /* of a layer */
	IO_PEEK = 64 << 10,    /* most that can be shown */
	IO_MAP_MIN = 64 << 10, /* smaller files are read */
	IO_DROP_STEP = 8 << 20 /* pages are given back in steps of this */
};

struct io_layer {
	const struct cairn_codec *codec; /* NULL in layer 0 */
	void *state;
	bool in_stream; /* `state` is within a stream, not between two */
	bool begun;     /* there was a stream before */
	int status;     /* 0 going on, 1 at the end, < 0 failed: for good */
	uint8_t *buf;   /* decoded and not yet taken: buf[pos] … buf[len - 1] */
	size_t pos, len;
	uint64_t taken; /* bytes that went to the layer above, or the caller */
	uint64_t held;  /* bytes that the codec has taken since it last gave some. Damage is told where
	                 * they begin, so the place is the same whatever pieces the input comes in. */
};

/* A mark as an index keeps it; the data of all follows them (restart.c). */
#define IO_FIELDS_MARK(F, A, ...) \
	F(__VA_ARGS__, in, 8, "place in the stored bytes") \
	F(__VA_ARGS__, out, 8, "place in the decoded ones") \
	F(__VA_ARGS__, bits, 4, \
	  "how many bits (the upper ones) of the byte before that place are still to be decoded") \
	F(__VA_ARGS__, length, 4, "length of its data")
BASE_RECORD(io, IO, MARK)

/* Where decoding can begin again (restart.c). */
struct io_marks {
	struct base_buf rows, data;
	uint64_t *at;        /* given back: offsets in `data` */
	size_t n;            /* given back: how many */
	uint64_t step, last; /* being noted, step apart; 0: not */
};

struct io_source {
	struct cairn *cairn;
	char *name;
	struct base_buf codecs; /* "gzip+xz" */
	int fd;                 /* -1: none */
	bool close_fd;
	struct io_input *input; /* that we read this file; NULL: it is none */
	cairn_read_fn *read;    /* instead of fd; NULL none */
	void *user;             /* its */
	/* All stored bytes at once, or not (then they come by read): */
	bool whole, mapped, owned;
	uint8_t *map;
	size_t map_len;
	uint64_t stored; /* size as stored, or IO_UNKNOWN */
	struct io_layer layers[IO_DEPTH + 1];
	unsigned top;
	char *why; /* the sentence of the first layer that failed */
	struct io_marks marks;
	_Atomic uint64_t done; /* io_done's mark; pages before it are given back */
};

/* Show the next bytes of a layer, at least `want` unless it ends or fails before; *n says how many.
 * 0, or the layer's status when none are left. */
int io_layer_show(struct io_source *source, unsigned index, size_t want, const uint8_t **p,
                  size_t *n);
void io_layer_take(struct io_source *source, unsigned index, size_t n);
/* Take up to `n` bytes: the count, 0 at the end, or a status. */
int64_t io_layer_read(struct io_source *source, unsigned index, uint8_t *buf, size_t n);
void io_layer_close(struct io_source *source, unsigned index);
/* Say again why a layer failed. */
int io_layer_complain(struct io_source *source, int status);
/* Note the place where layer 1 stands, between two calls of its codec, if it is far enough from the
 * last and decoding can begin there. */
int io_mark_here(struct io_source *source, bool begins);
int io_marks_add(struct io_source *source, uint64_t in, uint64_t out, unsigned bits,
                 const void *data, size_t n);
void io_marks_free(struct cairn *cairn, struct io_marks *marks);
/* Give the mapped pages before `upto` back. */
void io_source_drop(struct io_source *source, uint64_t upto);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KIT_SPANS_H
#define KIT_SPANS_H
/*
 * One source of spans for formats that are cut by their bytes.
 *
 * A file that can be mapped is mapped, and spans lie in it. The bytes of another source pend until
 * it is known where a span ends, and are handed to it. Several threads get pieces that end at
 * borders, which the format finds. A single thread gets all that is left as one span, whose window
 * grows or moves on; it need not look for a border.
 */
#include "model/stream.h"

/* The bytes of a span that can be read now. */
struct kit_window {
	const void *p, *end; /* not yet consumed */
	const void *base;    /* the byte whose offset in the trace is `abs` of the span */
	const void *back;    /* bytes of the trace before p can be looked at from here on */
	bool more;           /* kit_fill may bring more */
};

struct kit_source;
struct kit_bytes {
	struct kit_source *source; /* it was cut from */
	struct kit_window window;
	struct base_buf buf; /* of a stream */
	const void *map_end; /* of a mapped span */
	const void *see;     /* up to here bytes behind the span can be looked at */
	uint64_t abs;        /* offset of the window's base in the trace */
	uint64_t begin;      /* of the span */
	bool mapped;
	bool alone;   /* it is all that is left, and is read by one thread in order */
	bool see_all; /* the trace ends at `see` */
	bool last;    /* nothing follows it */
	bool broken;  /* the input breaks off behind the window: `why` */
	char why[320];
};

enum { KIT_UNCUT = -1 };

struct kit_source_rules {
	size_t piece;  /* bytes of a span for several threads, unless the source says otherwise */
	size_t window; /* bytes of a map that one thread sees at a time; 0: it gets pieces, too */
	size_t read;   /* bytes of a stream that one thread reads at a time */
	size_t look;   /* bytes behind a piece that can be seen, if there are as many */
	size_t back;   /* bytes before a window that can be seen, if there were as many */
	size_t behind; /* pages of the map this far behind a piece are let go */
	/* Where a piece ends that begins at p: behind at most `want` of the `have` bytes that are
	 * there. 0: at none of them. KIT_UNCUT: nothing behind p can be cut. */
	int64_t (*border)(struct cairn_reader *reader, const void *p, size_t want, size_t have);
	/* How many of `n` bytes a window may have, 0: none; NULL: any number. */
	size_t (*whole)(const void *p, size_t n);
};

/* Where spans come from: a part of the reader's impl. */
struct kit_source {
	const struct kit_source_rules *rules;
	const uint8_t *map; /* the whole file; NULL: it is a stream */
	size_t map_len, at; /* where the next span begins in it */
	size_t piece;
	size_t head;     /* bytes at the beginning that one window has to hold */
	uint64_t behind; /* bytes of the map behind one thread's window that are still needed */
	struct model_stream in;
	/* Let a stream be read on from this byte; NULL: the reader's own source. */
	int (*restart)(struct cairn_reader *reader, void *self, uint64_t place);
	bool begun;  /* a span was cut */
	bool handed; /* one thread has got all that is left of the stream */
};

/* Call it before anything else, also if opening fails, so that the source can be closed. */
void kit_source_init(struct cairn *cairn, struct kit_source *source,
                     const struct kit_source_rules *rules);
/* Find out where the bytes are; `may_map`: they are the file's own. */
void kit_source_open(struct cairn_reader *reader, struct kit_source *source, bool may_map);
void kit_source_close(struct kit_source *source);
/* The trace's first bytes, `want` if there are as many. *all: they are the whole trace. A stream
 * that breaks off is no error here. CAIRN_E_NOMEM, CAIRN_E_CANCELLED. */
int kit_source_head(struct cairn_reader *reader, struct kit_source *source, size_t want,
                    const void **p, size_t *n, bool *all);
/* The next span: 1, 0 at the end, or a status. `bytes` is zero except `buf`, which is initialised.
 *  */
int kit_cut(struct cairn_reader *reader, struct kit_source *source, struct kit_bytes *bytes,
            bool alone);
/* Get more bytes behind those not consumed; the window moves. 1, 0 at the end, or a status. */
int kit_fill(struct cairn_reader *reader, struct kit_bytes *bytes);
/* The next span begins at byte `where` of the trace. */
int kit_source_restart(struct cairn_reader *reader, struct kit_source *source, uint64_t where);

/* Bytes of the window that are not consumed. */
static inline size_t kit_left(const struct kit_bytes *bytes)
{
	return (size_t)((const uint8_t *)bytes->window.end - (const uint8_t *)bytes->window.p);
}

/* Offset in the trace of a byte near the window. */
static inline uint64_t kit_offset_of(const struct kit_bytes *bytes, const void *p)
{
	return bytes->abs + (uint64_t)((const uint8_t *)p - (const uint8_t *)bytes->window.base);
}

static inline uint64_t kit_offset(const struct kit_bytes *bytes)
{
	return kit_offset_of(bytes, bytes->window.p);
}

static inline void kit_skip(struct kit_bytes *bytes, size_t n)
{
	bytes->window.p = (const uint8_t *)bytes->window.p + n;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_STREAM_H
#define MODEL_STREAM_H
/*
 * A source that is not mapped, on its way into spans: bytes are read, pend until it is
 * known where a span ends, and are handed to it. A span gets its bytes together with all
 * that pends behind them, which it may look at; those pend on for the next span, with as
 * many of what went before as somebody wants to look back at.
 */
#include "model/model.h"

struct model_stream {
	/* NULL: the reader's own source. As io_read. */
	int64_t (*read)(struct cairn_reader *r, void *self, void *buf, size_t n);
	void *self;
	struct base_buf buf; /* `behind` bytes of spans before, then what pends */
	size_t behind;
	uint64_t at; /* offset in the trace of what pends */
	bool eof;
	int broken; /* the status that ended it, and the sentence */
	char why[320];
};

static inline const uint8_t *model_stream_data(const struct model_stream *s)
{
	return s->buf.data + s->behind;
}

static inline size_t model_stream_len(const struct model_stream *s)
{
	return s->buf.len - s->behind;
}

/* Read on until `want` bytes pend, the input ends, or it breaks off (`broken`). */
int model_stream_fill(struct cairn_reader *r, struct model_stream *s, size_t want);
/* Hand `n` of the pending bytes over: `to` (whose memory is used again) becomes what s->buf
 * was, and the `n` bytes begin at the place returned. At most `keep` bytes stay `behind`.
 * NULL: out of memory. */
const uint8_t *model_stream_take(struct model_stream *s, struct base_buf *to, size_t n,
                                 size_t keep);
/* Did it break off, and has all before that been handed over? True once; `why` has room for
 * s->why. */
bool model_stream_broke(struct model_stream *s, char *why);
/* What is read next is this byte of the trace. */
static inline void model_stream_restart(struct model_stream *s, uint64_t at)
{
	s->buf.len = s->behind = 0;
	s->eof = false;
	s->broken = 0;
	s->at = at;
}

#endif

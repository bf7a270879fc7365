/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_STREAM_H
#define MODEL_STREAM_H
/*
 * A source that is not mapped, on its way into spans: bytes are read, pend until it is known where
 * a span ends, and are handed to it. A span gets its bytes together with all that pend behind them,
 * which it may look at. Those pend on for the next span, with as many of the bytes before as may be
 * looked back at.
 */
#include "model/model.h"

struct model_stream {
	/* NULL: the reader's own source. As io_read. */
	int64_t (*read)(struct cairn_reader *reader, void *self, void *buf, size_t n);
	void *self;
	struct base_buf buf; /* `behind` bytes of spans before, then what pends */
	size_t behind;
	uint64_t at; /* offset in the trace of what pends */
	bool eof;
	int broken; /* the status that ended it, and the sentence */
	char why[320];
};

static inline const uint8_t *model_stream_data(const struct model_stream *stream)
{
	return stream->buf.data + stream->behind;
}

static inline size_t model_stream_len(const struct model_stream *stream)
{
	return stream->buf.len - stream->behind;
}

/* Read on until `want` bytes pend, the input ends, or it breaks off (`broken`). */
int model_stream_fill(struct cairn_reader *reader, struct model_stream *stream, size_t want);
/* Hand over `n` of the pending bytes: `to` (whose memory is used again) becomes what stream->buf
 * was, and the `n` bytes begin at the place returned. At most `keep` bytes stay `behind`. NULL: out
 * of memory. */
const uint8_t *model_stream_take(struct model_stream *stream, struct base_buf *to, size_t n,
                                 size_t keep);
/* Did it break off, and has everything before that been handed over? True once; `why` has room for
 * stream->why. */
bool model_stream_broke(struct model_stream *stream, char *why);
/* The next byte read is this one of the trace. */
static inline void model_stream_restart(struct model_stream *stream, uint64_t at)
{
	stream->buf.len = stream->behind = 0;
	stream->eof = false;
	stream->broken = 0;
	stream->at = at;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a source that is not mapped, between reading and spans: see stream.h. */
#include "model/stream.h"

#include <stdio.h>
#include <string.h>

int model_stream_fill(struct cairn_reader *reader, struct model_stream *stream, size_t want)
{
	while (model_stream_len(stream) < want && !stream->eof) {
		size_t more = want - model_stream_len(stream);
		int rc = base_buf_reserve(&stream->buf, more);
		if (rc < 0)
			return rc;
		uint8_t *to = stream->buf.data + stream->buf.len;
		int64_t n = stream->read ? stream->read(reader, stream->self, to, more)
		                         : io_read(reader->io, to, more);
		if (n == CAIRN_E_NOMEM || n == CAIRN_E_CANCELLED)
			return (int)n;
		if (n < 0) {
			stream->broken = (int)n;
			snprintf(stream->why, sizeof stream->why, "%s", cairn_error_text(reader->cairn));
		}
		stream->eof = n <= 0;
		stream->buf.len += n > 0 ? (size_t)n : 0;
	}
	__atomic_store_n(&reader->done, io_stored_tell(reader->io), __ATOMIC_RELAXED);
	return 0;
}

const uint8_t *model_stream_take(struct model_stream *stream, struct base_buf *to, size_t n,
                                 size_t keep)
{
	struct base_buf old = *to;
	size_t from = stream->behind, stop = from + n;
	*to = stream->buf;
	stream->buf = old;
	stream->buf.len = 0;
	keep = stop < keep ? stop : keep;
	stream->behind = keep;
	stream->at += n;
	if (base_buf_reserve(&stream->buf, to->len - stop + keep + 1) < 0)
		return NULL;
	if (to->len)
		base_buf_put(&stream->buf, to->data + stop - keep, to->len - stop + keep);
	/* Even nothing has a place. */
	return to->data ? to->data + from : stream->buf.data;
}

bool model_stream_broke(struct model_stream *stream, char *why)
{
	if (!stream->eof || !stream->broken || model_stream_len(stream))
		return false;
	memcpy(why, stream->why, sizeof stream->why);
	stream->broken = 0;
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a source that is not mapped, between reading and spans: see stream.h. */
#include "model/stream.h"

#include <stdio.h>
#include <string.h>

int model_stream_fill(struct cairn_reader *r, struct model_stream *s, size_t want)
{
	while (model_stream_len(s) < want && !s->eof) {
		size_t more = want - model_stream_len(s);
		int rc = base_buf_reserve(&s->buf, more);
		if (rc < 0)
			return rc;
		uint8_t *to = s->buf.data + s->buf.len;
		int64_t n = s->read ? s->read(r, s->self, to, more) : io_read(r->io, to, more);
		if (n == CAIRN_E_NOMEM || n == CAIRN_E_CANCELLED)
			return (int)n;
		if (n < 0) {
			s->broken = (int)n;
			snprintf(s->why, sizeof s->why, "%s", cairn_error_text(r->c));
		}
		s->eof = n <= 0;
		s->buf.len += n > 0 ? (size_t)n : 0;
	}
	__atomic_store_n(&r->done, io_stored_tell(r->io), __ATOMIC_RELAXED);
	return 0;
}

const uint8_t *model_stream_take(struct model_stream *s, struct base_buf *to, size_t n, size_t keep)
{
	struct base_buf old = *to;
	size_t from = s->behind, stop = from + n;
	*to = s->buf;
	s->buf = old;
	s->buf.len = 0;
	keep = stop < keep ? stop : keep;
	s->behind = keep;
	s->at += n;
	if (base_buf_reserve(&s->buf, to->len - stop + keep + 1) < 0)
		return NULL;
	if (to->len)
		base_buf_put(&s->buf, to->data + stop - keep, to->len - stop + keep);
	/* Of nothing there is a place, too. */
	return to->data ? to->data + from : s->buf.data;
}

bool model_stream_broke(struct model_stream *s, char *why)
{
	if (!s->eof || !s->broken || model_stream_len(s))
		return false;
	memcpy(why, s->why, sizeof s->why);
	s->broken = 0;
	return true;
}

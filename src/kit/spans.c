/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a trace on their way into spans: see spans.h. */
#include "kit/spans.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "io/io.h"

enum { GROW = 4 }; /* if no border is near, look for one this many times as far */

/* ---- opening ---- */

void kit_source_init(struct cairn *cairn, struct kit_source *source,
                     const struct kit_source_rules *rules)
{
	source->rules = rules;
	source->piece = rules->piece;
	base_buf_init(&source->in.buf, cairn);
}

void kit_source_open(struct cairn_reader *reader, struct kit_source *source, bool may_map)
{
	source->map = may_map ? io_map(reader->io, &source->map_len) : NULL;
	reader->total = source->map ? source->map_len : io_stored_size(reader->io);
	if (reader->total == IO_UNKNOWN)
		reader->total = 0;
}

void kit_source_close(struct kit_source *source)
{
	base_buf_free(&source->in.buf);
}

int kit_source_head(struct cairn_reader *reader, struct kit_source *source, size_t want,
                    const void **p, size_t *n, bool *all)
{
	if (!source->map) {
		int rc = model_stream_fill(reader, &source->in, want);
		*p = model_stream_data(&source->in);
		*n = model_stream_len(&source->in);
		*all = source->in.eof;
		return rc;
	}
	*p = source->map;
	*n = source->map_len < want ? source->map_len : want;
	*all = *n == source->map_len;
	return 0;
}

/* ---- cutting ---- */

/* How many of `n` bytes at p a window holds; `end`: the span ends behind them. */
static size_t window_of(const struct kit_source *source, const void *p, size_t n, bool end)
{
	return end || !source->rules->whole ? n : source->rules->whole(p, n);
}

/* The window of a mapped span that one thread reads: grows by this many bytes. */
static size_t map_step(const struct kit_source *source, const void *p, size_t left)
{
	size_t most = source->rules->window;
	return left <= most ? left : window_of(source, p, most, false);
}

static size_t piece_of_map(struct cairn_reader *reader, const struct kit_source *source)
{
	const uint8_t *p = source->map + source->at;
	size_t left = source->map_len - source->at, head = source->at ? 0 : source->head;
	for (size_t want = source->piece + head; want < left; want *= GROW) {
		int64_t n = source->rules->border(reader, p, want, left);
		if (n)
			return n > 0 ? (size_t)n : left;
	}
	return left;
}

static int cut_map(struct cairn_reader *reader, struct kit_source *source, struct kit_bytes *bytes)
{
	const uint8_t *p = source->map + source->at;
	size_t left = source->map_len - source->at, head = source->at ? 0 : source->head;
	if (left == 0)
		return 0;
	size_t n = bytes->alone ? left : piece_of_map(reader, source), first = n;
	if (bytes->alone)
		first = head < n ? head + map_step(source, p + head, n - head) : n;
	bytes->mapped = bytes->see_all = true;
	bytes->begin = bytes->abs = source->at;
	bytes->map_end = p + n;
	bytes->see = p + left;
	bytes->window = (struct kit_window){.p = p,
	                                    .base = p,
	                                    .end = p + first,
	                                    .back = source->map,
	                                    .more = first < n};
	source->at += n;
	bytes->last = source->at == source->map_len;
	if (!bytes->alone) {
		__atomic_store_n(&reader->done, source->at, __ATOMIC_RELAXED);
		if (source->at > source->rules->behind)
			io_done(reader->io, source->at - source->rules->behind);
	}
	return 1;
}

/* Find how many of the pending bytes the next piece has. */
static int piece_of_stream(struct cairn_reader *reader, struct kit_source *source, size_t *n)
{
	struct model_stream *in = &source->in;
	size_t head = source->begun ? 0 : source->head;
	int64_t cut = 0;
	for (size_t want = source->piece + head; cut == 0; want *= GROW) {
		int rc = model_stream_fill(reader, in, want + source->rules->look);
		size_t have = model_stream_len(in);
		if (rc < 0)
			return rc;
		if (in->eof && have <= want) {
			cut = (int64_t)have;
			break;
		}
		cut = source->rules->border(reader, model_stream_data(in), want, have);
		if (cut == 0 && have > base_max_hold(reader->cairn))
			return base_fail(reader->cairn, CAIRN_E_LIMIT,
			                 "%s: %zu bytes without an instruction are more than is held in memory",
			                 io_name(reader->io), have);
	}
	in->eof |= cut < 0;
	*n = cut < 0 ? model_stream_len(in) : (size_t)cut;
	return 0;
}

static int cut_stream(struct cairn_reader *reader, struct kit_source *source,
                      struct kit_bytes *bytes)
{
	struct model_stream *in = &source->in;
	size_t n = model_stream_len(in);
	int rc = bytes->alone ? 0 : piece_of_stream(reader, source, &n);
	if (rc < 0)
		return rc;
	if (bytes->alone ? source->handed || (n == 0 && in->eof && !in->broken) : n == 0 && !in->broken)
		return 0;
	bytes->begin = bytes->abs = in->at;
	const uint8_t *p = model_stream_take(in, &bytes->buf, n, source->rules->back);
	if (!p)
		return CAIRN_E_NOMEM;
	source->handed = bytes->alone;
	bytes->broken = model_stream_broke(in, bytes->why);
	bytes->see = p + n + (bytes->alone ? 0 : model_stream_len(in));
	bytes->see_all = in->eof;
	bytes->last = bytes->alone || (in->eof && model_stream_len(in) == 0);
	size_t first = window_of(source, p, n, !bytes->alone || in->eof);
	bytes->window = (struct kit_window){.p = p,
	                                    .base = p,
	                                    .end = p + first,
	                                    .back = bytes->buf.data ? bytes->buf.data : p,
	                                    .more = bytes->alone && !in->eof};
	return 1;
}

int kit_cut(struct cairn_reader *reader, struct kit_source *source, struct kit_bytes *bytes,
            bool alone)
{
	bytes->source = source;
	bytes->alone = alone && source->rules->window;
	int rc = source->map ? cut_map(reader, source, bytes) : cut_stream(reader, source, bytes);
	source->begun = true;
	return rc;
}

/* ---- one thread's window ---- */

/* The window of a map grows in place; what is behind it need not stay in memory. */
static int fill_map(struct cairn_reader *reader, struct kit_bytes *bytes)
{
	const struct kit_source *source = bytes->source;
	struct kit_window *window = &bytes->window;
	const uint8_t *end = window->end;
	size_t left = (size_t)((const uint8_t *)bytes->map_end - end);
	uint64_t at = (uint64_t)((const uint8_t *)window->p - source->map);
	window->end = end + map_step(source, end, left);
	window->more = window->end < bytes->map_end;
	__atomic_store_n(&reader->done, at, __ATOMIC_RELAXED);
	if (at > source->behind)
		io_done(reader->io, at - source->behind);
	return 1;
}

/* Read up to `most` bytes behind those of the span. */
static int read_on(struct cairn_reader *reader, struct kit_bytes *bytes, size_t most)
{
	struct model_stream *in = &bytes->source->in;
	uint8_t *to = bytes->buf.data + bytes->buf.len;
	int64_t n = in->eof    ? 0
	            : in->read ? in->read(reader, in->self, to, most)
	                       : io_read(reader->io, to, most);
	if (n == CAIRN_E_NOMEM || n == CAIRN_E_CANCELLED)
		return (int)n;
	if (n < 0 || (n == 0 && in->broken)) {
		bytes->broken = true;
		snprintf(bytes->why, sizeof bytes->why, "%s",
		         n < 0 ? cairn_error_text(reader->cairn) : in->why);
		in->broken = 0;
	}
	in->eof = n <= 0;
	bytes->window.more = !in->eof;
	bytes->buf.len += n > 0 ? (size_t)n : 0;
	return 0;
}

/* Keep what is not consumed, and what may be looked back at, and read more behind it. */
static int fill_stream(struct cairn_reader *reader, struct kit_bytes *bytes)
{
	const struct kit_source *source = bytes->source;
	struct kit_window *window = &bytes->window;
	struct base_buf *buf = &bytes->buf;
	size_t at = buf->data ? (size_t)((const uint8_t *)window->p - buf->data) : 0;
	size_t kept = buf->len - at, shown = kit_left(bytes);
	size_t back = at < source->rules->back ? at : source->rules->back, room = source->rules->read;
	if (kept > base_max_hold(reader->cairn))
		return base_fail(reader->cairn, CAIRN_E_LIMIT,
		                 "%s: a record of more than %zu bytes is larger "
		                 "than what is held in memory",
		                 io_name(reader->io), kept);
	room = kept > room ? kept : room;
	bytes->abs = kit_offset(bytes);
	if (buf->data)
		memmove(buf->data, buf->data + at - back, back + kept);
	buf->len = back + kept;
	int rc = base_buf_reserve(buf, room);
	window->back = buf->data;
	window->base = window->p = buf->data + back;
	window->end = buf->data + back + shown; /* whole again whatever fails */
	/* With bytes to look back at, fill the whole window, because each move copies them. */
	size_t least = source->rules->back ? buf->len + room : buf->len + 1;
	while (rc >= 0 && window->more && buf->len < least)
		rc = read_on(reader, bytes, back + kept + room - buf->len);
	__atomic_store_n(&reader->done, io_stored_tell(reader->io), __ATOMIC_RELAXED);
	if (rc < 0)
		return rc;
	window->end = buf->data + back + window_of(source, window->p, buf->len - back, !window->more);
	return kit_left(bytes) > shown;
}

int kit_fill(struct cairn_reader *reader, struct kit_bytes *bytes)
{
	int rc = 0;
	/* A stretch in which no window can end takes several. */
	while (rc == 0 && bytes->window.more)
		rc = bytes->mapped ? fill_map(reader, bytes) : fill_stream(reader, bytes);
	return rc;
}

int kit_source_restart(struct cairn_reader *reader, struct kit_source *source, uint64_t where)
{
	source->at = (size_t)where;
	if (where == 0 && !source->begun)
		return 0;
	source->begun = where != 0;
	source->handed = false;
	if (source->map)
		return 0;
	model_stream_restart(&source->in, where);
	return source->restart ? source->restart(reader, source->in.self, where)
	                       : io_seek(reader->io, where);
}

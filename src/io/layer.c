/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers of a source. Every layer answers the same two questions, "show what
 * comes next" and "take it"; a decoding layer asks them of the one below.
 *
 * Invariants: a codec is called without input only when the layer below is at its
 * end (or failed), so a codec may take that as the end. What was decoded before
 * damage is delivered before the damage is. Memory is one buffer per layer,
 * whatever the sizes and ratios of the input.
 */
#include "io/source.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LAYER_STALLS = 4, READ_MOST = 1 << 30 };

/* ---- failing for good ---- */

int io_layer_complain(struct io_source *s, int status)
{
	return base_fail(s->c, status, "%s", s->why ? s->why : "out of memory");
}

/* Keep the sentence just recorded: it is needed again on every later call. */
static void layer_remember(struct io_source *s, unsigned i, int status)
{
	s->layers[i].status = status;
	if (!s->why)
		s->why = base_strdup(s->c, cairn_error_text(s->c));
}

static void layer_fail(struct io_source *s, unsigned i, int status, const char *why)
{
	const struct io_layer *below = &s->layers[i - 1];
	unsigned long long at = below->taken;
	const char *name = s->layers[i].codec->name;
	if (i == 1)
		base_fail(s->c, status, "%s: byte %llu of the compressed input: %s", name, at,
		          io_codec_why(status, why));
	else
		base_fail(s->c, status, "%s inside %s: byte %llu of the compressed input: %s", name,
		          below->codec->name, at, io_codec_why(status, why));
	layer_remember(s, i, status);
}

/* ---- layer 0: the stored bytes ---- */

void io_source_drop(struct io_source *s, uint64_t upto)
{
	if (upto > s->map_len)
		upto = s->map_len;
	uint64_t from = atomic_load_explicit(&s->done, memory_order_relaxed);
	if (upto < from + IO_DROP_STEP)
		return;
	if (!atomic_compare_exchange_strong(&s->done, &from, upto))
		return; /* another thread is at it */
	if (!s->mapped)
		return;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	from -= from % page;
	upto -= upto % page;
	/* The pages stay in the file cache: who looks again just faults them in. */
	if (upto > from)
		madvise(s->map + from, (size_t)(upto - from), MADV_DONTNEED);
}

static int64_t read_stored(struct io_source *s, uint8_t *buf, size_t n)
{
	struct io_layer *l = &s->layers[0];
	if (l->status || s->whole)
		return l->status < 0 ? l->status : 0;
	if (n > READ_MOST)
		n = READ_MOST;
	for (;;) {
		if (base_cancelled(s->c))
			return base_fail(s->c, CAIRN_E_CANCELLED, "cancelled");
		int64_t got = s->read ? s->read(s->user, buf, n) : read(s->fd, buf, n);
		if (got > 0)
			return got;
		if (got == 0) {
			l->status = 1;
			return 0;
		}
		if (s->read) {
			int status = base_fail(s->c, (int)got, "reading at byte %llu",
			                       (unsigned long long)(l->taken + (l->len - l->pos)));
			layer_remember(s, 0, status);
			return status;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {.fd = s->fd, .events = POLLIN};
			poll(&p, 1, -1);
		} else if (errno != EINTR) {
			int status = base_fail_errno(s->c, errno, "reading at byte %llu",
			                             (unsigned long long)(l->taken + (l->len - l->pos)));
			layer_remember(s, 0, status);
			return status;
		}
	}
}

/* ---- decoding layers ---- */

/* Skip the zero bytes that may follow a stream. 1 when other bytes follow, 0 at
 * the end, or a status. */
static int skip_padding(struct io_source *s, unsigned i)
{
	unsigned unit = io_codec_padding(s->layers[i].codec);
	uint64_t zeros = 0;
	const uint8_t *p;
	size_t n;
	for (;;) {
		if (base_cancelled(s->c))
			return base_fail(s->c, CAIRN_E_CANCELLED, "cancelled");
		int rc = io_layer_show(s, i - 1, IO_HEAD, &p, &n);
		if (rc < 0)
			return rc;
		size_t k = 0;
		while (unit && k < n && p[k] == 0)
			k++;
		io_layer_take(s, i - 1, k);
		zeros += k;
		if (k == n && n)
			continue;
		if (unit > 1 && zeros % unit) {
			layer_fail(s, i, CAIRN_E_DAMAGED,
			           "the padding after a stream is not a multiple of four bytes");
			return CAIRN_E_DAMAGED;
		}
		return n ? 1 : 0;
	}
}

/* Make ready for the next stream of this layer. 1, 0 when there is none, or a
 * status. */
static int next_stream(struct io_source *s, unsigned i)
{
	struct io_layer *l = &s->layers[i];
	if (l->begun) {
		int rc = skip_padding(s, i);
		if (rc <= 0)
			return rc;
		const uint8_t *p;
		size_t n;
		rc = io_layer_show(s, i - 1, IO_HEAD, &p, &n);
		if (rc < 0)
			return rc;
		if (l->codec->probe(p, n < IO_HEAD ? n : IO_HEAD) <= 0) {
			layer_fail(s, i, CAIRN_E_DAMAGED,
			           "something else follows the end of the compressed stream");
			return CAIRN_E_DAMAGED;
		}
	}
	int rc = 0;
	if (l->state && l->codec->dec_reset) {
		rc = l->codec->dec_reset(l->state);
	} else {
		io_layer_close(s, i);
		rc = l->codec->dec_open(s->c, &l->state);
	}
	if (rc < 0) {
		layer_fail(s, i, rc, "the decoder cannot be started");
		return rc;
	}
	l->begun = l->in_stream = true;
	return 1;
}

/* The codec neither took nor gave anything. 0 to try again. */
static int stalled(struct io_source *s, unsigned i, size_t avail, int below, unsigned *stalls)
{
	if (avail) {
		if (++*stalls < LAYER_STALLS)
			return 0;
		layer_fail(s, i, CAIRN_E_STATE, "the codec takes no input");
		return CAIRN_E_STATE;
	}
	if (below < 0) { /* what is below has already said why */
		s->layers[i].status = below;
		return below;
	}
	layer_fail(s, i, CAIRN_E_TRUNCATED, NULL);
	return CAIRN_E_TRUNCATED;
}

/* One call of the codec. 0 to go on, or a status. */
static int decode_step(struct io_source *s, unsigned i, struct cairn_codec_io *io, unsigned *stalls)
{
	struct io_layer *l = &s->layers[i];
	size_t avail = 0, room = io->out_len;
	int below = io_layer_show(s, i - 1, 1, &io->in, &avail);
	if (below == CAIRN_E_CANCELLED)
		return below;
	io->in_len = avail;
	const char *why = NULL;
	int rc = l->codec->decode(l->state, io, &why);
	io_layer_take(s, i - 1, avail - io->in_len);
	if (rc < 0) {
		/* Without input from a failed layer the codec may complain of that. */
		if (!avail && below < 0)
			l->status = below;
		else
			layer_fail(s, i, rc, why);
		return l->status;
	}
	if (rc > 0) {
		l->in_stream = false;
		return 0;
	}
	if (avail == io->in_len && room == io->out_len)
		return stalled(s, i, avail, below, stalls);
	*stalls = 0;
	return 0;
}

static int64_t decode(struct io_source *s, unsigned i, uint8_t *buf, size_t n)
{
	struct io_layer *l = &s->layers[i];
	struct cairn_codec_io io = {.out = buf, .out_len = n};
	unsigned stalls = 0;
	while (l->status == 0 && io.out_len == n) {
		int rc = 0;
		if (base_cancelled(s->c))
			return base_fail(s->c, CAIRN_E_CANCELLED, "cancelled");
		if (!l->in_stream) {
			rc = next_stream(s, i);
			if (rc == 0)
				l->status = 1;
			else if (rc < 0 && rc != CAIRN_E_CANCELLED)
				l->status = rc;
		}
		if (l->in_stream && i == 1 && s->marks.step)
			l->status = rc = io_mark_here(s, rc == 1);
		if (l->in_stream && rc >= 0)
			rc = decode_step(s, i, &io, &stalls);
		if (rc == CAIRN_E_CANCELLED && io.out_len == n)
			return rc;
	}
	if (io.out_len < n)
		return (int64_t)(n - io.out_len);
	return l->status < 0 ? l->status : 0;
}

/* ---- the two questions ---- */

static int64_t produce(struct io_source *s, unsigned i, uint8_t *buf, size_t n)
{
	return i ? decode(s, i, buf, n) : read_stored(s, buf, n);
}

int io_layer_show(struct io_source *s, unsigned i, size_t want, const uint8_t **p, size_t *n)
{
	struct io_layer *l = &s->layers[i];
	*n = 0;
	if (i == 0 && s->whole) {
		*p = s->map_len ? s->map + l->taken : (const uint8_t *)"";
		*n = s->map_len - (size_t)l->taken;
		return 0;
	}
	*p = (const uint8_t *)"";
	if (!l->buf) {
		l->buf = base_realloc(s->c, NULL, IO_BUFFER);
		if (!l->buf)
			return CAIRN_E_NOMEM;
	}
	int64_t got = 1;
	while (l->len - l->pos < want && got > 0) {
		if (l->pos == l->len || IO_BUFFER - l->pos < want) {
			memmove(l->buf, l->buf + l->pos, l->len - l->pos);
			l->len -= l->pos;
			l->pos = 0;
		}
		got = produce(s, i, l->buf + l->len, IO_BUFFER - l->len);
		if (got > 0)
			l->len += (size_t)got;
	}
	*p = l->buf + l->pos;
	*n = l->len - l->pos;
	return *n || got >= 0 ? 0 : (int)got;
}

void io_layer_take(struct io_source *s, unsigned i, size_t n)
{
	struct io_layer *l = &s->layers[i];
	l->taken += n;
	if (i || !s->whole)
		l->pos += n;
	else
		io_source_drop(s, l->taken);
}

int64_t io_layer_read(struct io_source *s, unsigned i, uint8_t *buf, size_t n)
{
	struct io_layer *l = &s->layers[i];
	bool direct = l->pos == l->len && n >= IO_PEEK && (i || !s->whole);
	if (direct) { /* as much as a buffer: decode to where it is wanted */
		int64_t got = produce(s, i, buf, n);
		if (got > 0)
			l->taken += (uint64_t)got;
		return got;
	}
	const uint8_t *p;
	size_t have;
	int rc = io_layer_show(s, i, 1, &p, &have);
	if (rc < 0)
		return rc;
	if (n > have)
		n = have;
	if (n)
		memcpy(buf, p, n);
	io_layer_take(s, i, n);
	return (int64_t)n;
}

void io_layer_close(struct io_source *s, unsigned i)
{
	struct io_layer *l = &s->layers[i];
	if (l->state)
		l->codec->dec_close(l->state);
	l->state = NULL;
}

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

int io_layer_complain(struct io_source *source, int status)
{
	return base_fail(source->cairn, status, "%s", source->why ? source->why : "out of memory");
}

/* Keep the sentence just recorded: it is needed again on every later call. */
static void layer_remember(struct io_source *source, unsigned index, int status)
{
	source->layers[index].status = status;
	if (!source->why)
		source->why = base_strdup(source->cairn, cairn_error_text(source->cairn));
}

static int layer_fail(struct io_source *source, unsigned index, int status, const char *why)
{
	const struct io_layer *below = &source->layers[index - 1];
	unsigned long long at = below->taken - source->layers[index].held;
	const char *name = source->layers[index].codec->name;
	if (index == 1)
		base_fail(source->cairn, status, "%s: byte %llu of the compressed input: %s", name, at,
		          io_codec_why(status, why));
	else
		base_fail(source->cairn, status, "%s inside %s: byte %llu of the compressed input: %s",
		          name, below->codec->name, at, io_codec_why(status, why));
	layer_remember(source, index, status);
	return status;
}

/* ---- layer 0: the stored bytes ---- */

void io_source_drop(struct io_source *source, uint64_t upto)
{
	if (upto > source->map_len)
		upto = source->map_len;
	uint64_t from = atomic_load_explicit(&source->done, memory_order_relaxed);
	if (upto < from + IO_DROP_STEP)
		return;
	if (!atomic_compare_exchange_strong(&source->done, &from, upto))
		return; /* another thread is at it */
	if (!source->mapped)
		return;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	from -= from % page;
	upto -= upto % page;
	/* The pages stay in the file cache: reading them again is cheap. */
	if (upto > from)
		madvise(source->map + from, (size_t)(upto - from), MADV_DONTNEED);
}

static int64_t read_stored(struct io_source *source, uint8_t *buf, size_t n)
{
	struct io_layer *layer = &source->layers[0];
	if (layer->status || source->whole)
		return layer->status < 0 ? layer->status : 0;
	if (n > READ_MOST)
		n = READ_MOST;
	for (;;) {
		if (base_cancelled(source->cairn))
			return base_fail(source->cairn, CAIRN_E_CANCELLED, "cancelled");
		int64_t got = source->read ? source->read(source->user, buf, n) : read(source->fd, buf, n);
		if (got > 0)
			return got;
		if (got == 0) {
			layer->status = 1;
			return 0;
		}
		if (!source->read && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd pollfd = {.fd = source->fd, .events = POLLIN};
			poll(&pollfd, 1, -1);
		} else if (source->read || errno != EINTR) {
			unsigned long long at = layer->taken + (layer->len - layer->pos);
			int status = source->read
			                 ? base_fail(source->cairn, (int)got, "reading at byte %llu", at)
			                 : base_fail_errno(source->cairn, errno, "reading at byte %llu", at);
			layer_remember(source, 0, status);
			return status;
		}
	}
}

/* ---- decoding layers ---- */

/* Skip the zero bytes that may follow a stream. 1 when other bytes follow, 0 at
 * the end, or a status. */
static int skip_padding(struct io_source *source, unsigned index)
{
	unsigned unit = io_codec_padding(source->layers[index].codec);
	uint64_t zeros = 0;
	const uint8_t *p;
	size_t n;
	for (;;) {
		if (base_cancelled(source->cairn))
			return base_fail(source->cairn, CAIRN_E_CANCELLED, "cancelled");
		int rc = io_layer_show(source, index - 1, IO_HEAD, &p, &n);
		if (rc < 0)
			return rc;
		size_t k = 0;
		while (unit && k < n && p[k] == 0)
			k++;
		io_layer_take(source, index - 1, k);
		zeros += k;
		if (k == n && n)
			continue;
		if (unit > 1 && zeros % unit)
			return layer_fail(source, index, CAIRN_E_DAMAGED,
			                  "the padding after a stream is not a multiple of four bytes");
		return n ? 1 : 0;
	}
}

/* Make ready for the next stream of this layer. 1, 0 when there is none, or a
 * status. */
static int next_stream(struct io_source *source, unsigned index)
{
	struct io_layer *layer = &source->layers[index];
	if (layer->begun) {
		int rc = skip_padding(source, index);
		if (rc <= 0)
			return rc;
		const uint8_t *p;
		size_t n;
		rc = io_layer_show(source, index - 1, IO_HEAD, &p, &n);
		if (rc < 0)
			return rc;
		if (layer->codec->probe(p, n < IO_HEAD ? n : IO_HEAD) <= 0)
			return layer_fail(source, index, CAIRN_E_DAMAGED,
			                  "something else follows the end of the compressed stream");
	}
	int rc = 0;
	if (layer->state && layer->codec->dec_reset) {
		rc = layer->codec->dec_reset(layer->state);
	} else {
		io_layer_close(source, index);
		rc = layer->codec->dec_open(source->cairn, &layer->state);
	}
	if (rc < 0)
		return layer_fail(source, index, rc, "the decoder cannot be started");
	layer->begun = layer->in_stream = true;
	return 1;
}

/* The codec neither took nor gave anything. 0 to try again. */
static int stalled(struct io_source *source, unsigned index, size_t avail, int below,
                   unsigned *stalls)
{
	if (avail) {
		if (++*stalls < LAYER_STALLS)
			return 0;
		return layer_fail(source, index, CAIRN_E_STATE, "the codec takes no input");
	}
	if (below < 0) { /* what is below has already said why */
		source->layers[index].status = below;
		return below;
	}
	source->layers[index].held = 0; /* it ends where the input does */
	return layer_fail(source, index, CAIRN_E_TRUNCATED, NULL);
}

/* One call of the codec. 0 to go on, or a status. */
static int decode_step(struct io_source *source, unsigned index, struct cairn_codec_io *io,
                       unsigned *stalls)
{
	struct io_layer *layer = &source->layers[index];
	size_t avail = 0, room = io->out_len;
	int below = io_layer_show(source, index - 1, 1, &io->in, &avail);
	if (below == CAIRN_E_CANCELLED)
		return below;
	io->in_len = avail;
	const char *why = NULL;
	int rc = layer->codec->decode(layer->state, io, &why);
	io_layer_take(source, index - 1, avail - io->in_len);
	layer->held = io->out_len < room ? 0 : layer->held + avail - io->in_len;
	if (rc < 0) {
		/* Without input from a failed layer, the codec may complain about that. */
		if (!avail && below < 0)
			layer->status = below;
		else
			layer_fail(source, index, rc, why);
		return layer->status;
	}
	if (rc > 0) {
		layer->in_stream = false;
		layer->held = 0;
		return 0;
	}
	if (avail == io->in_len && room == io->out_len)
		return stalled(source, index, avail, below, stalls);
	*stalls = 0;
	return 0;
}

static int64_t decode(struct io_source *source, unsigned index, uint8_t *buf, size_t n)
{
	struct io_layer *layer = &source->layers[index];
	struct cairn_codec_io io = {.out = buf, .out_len = n};
	unsigned stalls = 0;
	while (layer->status == 0 && io.out_len == n) {
		int rc = 0;
		if (base_cancelled(source->cairn))
			return base_fail(source->cairn, CAIRN_E_CANCELLED, "cancelled");
		if (!layer->in_stream) {
			rc = next_stream(source, index);
			if (rc == 0)
				layer->status = 1;
			else if (rc < 0 && rc != CAIRN_E_CANCELLED)
				layer->status = rc;
		}
		if (layer->in_stream && index == 1 && source->marks.step)
			layer->status = rc = io_mark_here(source, rc == 1);
		if (layer->in_stream && rc >= 0)
			rc = decode_step(source, index, &io, &stalls);
		if (rc == CAIRN_E_CANCELLED && io.out_len == n)
			return rc;
	}
	if (io.out_len < n)
		return (int64_t)(n - io.out_len);
	return layer->status < 0 ? layer->status : 0;
}

/* ---- the two questions ---- */

static int64_t produce(struct io_source *source, unsigned index, uint8_t *buf, size_t n)
{
	return index ? decode(source, index, buf, n) : read_stored(source, buf, n);
}

int io_layer_show(struct io_source *source, unsigned index, size_t want, const uint8_t **p,
                  size_t *n)
{
	struct io_layer *layer = &source->layers[index];
	*n = 0;
	if (index == 0 && source->whole) {
		*p = source->map_len ? source->map + layer->taken : (const uint8_t *)"";
		*n = source->map_len - (size_t)layer->taken;
		return 0;
	}
	*p = (const uint8_t *)"";
	if (!layer->buf) {
		layer->buf = base_realloc(source->cairn, NULL, IO_BUFFER);
		if (!layer->buf)
			return CAIRN_E_NOMEM;
	}
	int64_t got = 1;
	while (layer->len - layer->pos < want && got > 0) {
		if (layer->pos == layer->len || IO_BUFFER - layer->pos < want) {
			memmove(layer->buf, layer->buf + layer->pos, layer->len - layer->pos);
			layer->len -= layer->pos;
			layer->pos = 0;
		}
		got = produce(source, index, layer->buf + layer->len, IO_BUFFER - layer->len);
		if (got > 0)
			layer->len += (size_t)got;
	}
	*p = layer->buf + layer->pos;
	*n = layer->len - layer->pos;
	return *n || got >= 0 ? 0 : (int)got;
}

void io_layer_take(struct io_source *source, unsigned index, size_t n)
{
	struct io_layer *layer = &source->layers[index];
	layer->taken += n;
	if (index || !source->whole)
		layer->pos += n;
	else
		io_source_drop(source, layer->taken);
}

int64_t io_layer_read(struct io_source *source, unsigned index, uint8_t *buf, size_t n)
{
	struct io_layer *layer = &source->layers[index];
	bool direct = layer->pos == layer->len && n >= IO_PEEK && (index || !source->whole);
	if (direct) { /* as much as a buffer: decode to where it is wanted */
		int64_t got = produce(source, index, buf, n);
		if (got > 0)
			layer->taken += (uint64_t)got;
		return got;
	}
	const uint8_t *p;
	size_t have;
	int rc = io_layer_show(source, index, 1, &p, &have);
	if (rc < 0)
		return rc;
	if (n > have)
		n = have;
	if (n)
		memcpy(buf, p, n);
	io_layer_take(source, index, n);
	return (int64_t)n;
}

void io_layer_close(struct io_source *source, unsigned index)
{
	struct io_layer *layer = &source->layers[index];
	if (layer->state)
		layer->codec->dec_close(layer->state);
	layer->state = NULL;
}

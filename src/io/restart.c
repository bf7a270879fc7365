/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning again in the middle of a compressed file. While a source is read it marks places of its
 * decoded bytes, some way apart, at which a decoder can be started: the beginning of a stream (a
 * gzip member, a zstd frame …) needs nothing, an inner place needs what the codec says (gzip: the
 * 32 KiB before it; xz: how its blocks are checked). An index keeps the marks, so that one can jump
 * in a compressed trace.
 *
 * Marks are of the outermost codec only, and only of a source whose stored bytes are all at hand.
 * Marks from an index may be wrong: then what is decoded is not the trace, which shows as damage;
 * nothing worse happens.
 *
 * As bytes: nothing when there are none; else u64 number of marks; the marks in ascending order;
 * then the data of all.
 */
#include <string.h>

#include "io/source.h"

/* The count before them. */
enum { COUNT = 8 };

static const uint8_t *mark_at(const struct io_marks *marks, size_t index)
{
	return marks->rows.data + IO_LEN_MARK * index;
}

static size_t marks_noted(const struct io_marks *marks)
{
	return marks->rows.len / IO_LEN_MARK;
}

void io_marks_free(struct cairn *cairn, struct io_marks *marks)
{
	base_buf_free(&marks->rows);
	base_buf_free(&marks->data);
	base_free(cairn, marks->at);
	marks->at = NULL;
	marks->n = 0;
}

int io_marks_add(struct io_source *source, uint64_t in, uint64_t out, unsigned bits,
                 const void *data, size_t n)
{
	struct io_marks *marks = &source->marks;
	uint8_t row[IO_LEN_MARK];
	io_put_MARK_in(row, in);
	io_put_MARK_out(row, out);
	io_put_MARK_bits(row, bits);
	io_put_MARK_length(row, (uint32_t)n);
	int rc = base_buf_put(&marks->rows, row, sizeof row);
	if (rc >= 0)
		rc = base_buf_put(&marks->data, data, n);
	if (rc < 0)
		return rc;
	marks->last = out;
	return 0;
}

/* ---- while reading ---- */

static struct io_layer *marked_layer(struct io_source *source)
{
	return source->whole && source->top == 1 ? &source->layers[1] : NULL;
}

int io_mark(struct io_source *source, uint64_t step)
{
	struct io_layer *layer = marked_layer(source);
	if (!layer)
		return 0;
	io_marks_free(source->cairn, &source->marks);
	source->marks.last = 0;
	source->marks.step = step;
	const struct io_restart *restart = io_codec_restart(layer->codec);
	if (restart && restart->list)
		return restart->list(source, step);
	if (restart && restart->watch && layer->in_stream)
		restart->watch(layer->state);
	return 0;
}

int io_mark_here(struct io_source *source, bool begins)
{
	struct io_layer *layer = &source->layers[1];
	const struct io_restart *restart = io_codec_restart(layer->codec);
	uint64_t in = source->layers[0].taken, out = layer->taken + (layer->len - layer->pos);
	uint8_t data[IO_MARK_DATA];
	size_t n = 0;
	unsigned bits = 0;
	if (restart && restart->list)
		return 0;
	if (begins && restart && restart->watch)
		restart->watch(layer->state);
	if (out < source->marks.last + source->marks.step ||
	    (!begins && !(restart && restart->mark && restart->mark(layer->state, &bits, data, &n))))
		return 0;
	struct base_buf packed;
	base_buf_init(&packed, source->cairn);
	int rc = n ? io_encode_frame(source->cairn, &io_codec_zstd, 3, data, n, &packed) : 0;
	if (rc >= 0)
		rc = io_marks_add(source, in, out, bits, packed.data, packed.len);
	base_buf_free(&packed);
	return rc;
}

uint64_t io_marks_reach(const struct io_source *source)
{
	const struct io_layer *layer = &source->layers[source->top];
	uint64_t end = layer->taken + (layer->len - layer->pos), most = 0, last = 0;
	for (size_t i = 0; source->top == 1 && i < marks_noted(&source->marks); i++) {
		uint64_t out = io_MARK_out(mark_at(&source->marks, i));
		most = out - last > most ? out - last : most;
		last = out;
	}
	if (source->top == 0)
		return 0;
	return end > last && end - last > most ? end - last : most;
}

int io_marks_put(const struct io_source *source, struct base_buf *out)
{
	uint8_t count[COUNT];
	if (source->marks.rows.len == 0)
		return 0;
	base_put_le64(count, marks_noted(&source->marks));
	int rc = base_buf_put(out, count, sizeof count);
	if (rc >= 0)
		rc = base_buf_put(out, source->marks.rows.data, source->marks.rows.len);
	return rc < 0 ? rc : base_buf_put(out, source->marks.data.data, source->marks.data.len);
}

/* ---- given back ---- */

int io_marks_get(struct io_source *source, const uint8_t *p, size_t n)
{
	struct io_marks *marks = &source->marks;
	uint64_t count = n < COUNT ? 0 : base_le64(p), at = 0, in = 0, out = 0;
	bool good = n >= COUNT && count <= (n - COUNT) / IO_LEN_MARK;
	io_marks_free(source->cairn, marks);
	if (n == 0)
		return 0;
	if (!marked_layer(source))
		return good && count == 0 ? 0 : CAIRN_E_DAMAGED;
	int rc = good ? base_buf_put(&marks->rows, p + COUNT, IO_LEN_MARK * (size_t)count) : 0;
	if (rc >= 0 && good && count)
		marks->at = base_alloc(source->cairn, (size_t)count * sizeof *marks->at);
	if (rc < 0 || (good && count && !marks->at)) {
		io_marks_free(source->cairn, marks);
		return CAIRN_E_NOMEM;
	}
	size_t rest = good ? n - COUNT - IO_LEN_MARK * (size_t)count : 0;
	for (marks->n = 0; good && marks->n < count; marks->n++) {
		const uint8_t *mark = mark_at(marks, marks->n);
		marks->at[marks->n] = at;
		at += io_MARK_length(mark);
		good = io_MARK_in(mark) > in && io_MARK_out(mark) > out &&
		       io_MARK_in(mark) < source->map_len && io_MARK_bits(mark) < 8 && at <= rest;
		in = io_MARK_in(mark);
		out = io_MARK_out(mark);
	}
	good = good && at == rest;
	if (good)
		rc = base_buf_put(&marks->data, p + n - rest, rest);
	if (!good || rc < 0)
		io_marks_free(source->cairn, marks);
	return good ? rc : CAIRN_E_DAMAGED;
}

/* ---- going there ---- */

bool io_can_seek(const struct io_source *source)
{
	return source->whole;
}

static void begin_again(struct io_source *source)
{
	for (unsigned i = 0; i <= source->top; i++) {
		struct io_layer *layer = &source->layers[i];
		io_layer_close(source, i);
		layer->in_stream = layer->begun = false;
		layer->status = 0;
		layer->pos = layer->len = 0;
		layer->taken = layer->held = 0;
	}
	base_free(source->cairn, source->why);
	source->why = NULL;
	atomic_store(&source->done, 0);
}

/* Start the decoder of the outermost codec at a mark. */
static int restart_resume(struct io_source *source, size_t index)
{
	struct io_layer *layer = &source->layers[1];
	const struct io_restart *codec = io_codec_restart(layer->codec);
	const uint8_t *mark = mark_at(&source->marks, index);
	uint64_t in = io_MARK_in(mark);
	struct base_buf data;
	int rc = 0;
	base_buf_init(&data, source->cairn);
	source->layers[0].taken = in;
	layer->taken = io_MARK_out(mark);
	layer->begun = true;
	if (io_MARK_length(mark)) {
		rc = !codec || !codec->resume
		         ? CAIRN_E_DAMAGED
		         : io_decode_frame(source->cairn, &io_codec_zstd,
		                           source->marks.data.data + source->marks.at[index],
		                           io_MARK_length(mark), IO_MARK_DATA, IO_MARK_DATA, &data, NULL);
		if (rc >= 0)
			rc = codec->resume(source->cairn, io_MARK_bits(mark), source->map[in - 1], data.data,
			                   data.len, &layer->state);
		layer->in_stream = rc >= 0;
	}
	base_buf_free(&data);
	return rc < 0 ? base_fail(source->cairn, rc,
	                          "%s: decoding cannot begin at byte %llu, as its index says",
	                          source->name, (unsigned long long)in)
	              : 0;
}

int io_seek(struct io_source *source, uint64_t off)
{
	uint8_t skip[4096];
	struct io_layer *top = &source->layers[source->top];
	size_t lo = 0, hi = source->marks.n;
	if (!source->whole)
		return base_fail(source->cairn, CAIRN_E_STATE, "%s: a stream cannot be read again",
		                 source->name);
	while (lo < hi) /* how many marks are not behind it */
		base_halve(&lo, &hi, io_MARK_out(mark_at(&source->marks, base_half(lo, hi))) <= off);
	uint64_t from = lo ? io_MARK_out(mark_at(&source->marks, lo - 1)) : 0;
	int rc = 0;
	if (off < top->taken || from > top->taken || top->status < 0) {
		begin_again(source);
		rc = lo ? restart_resume(source, lo - 1) : 0;
	}
	if (source->top == 0 && rc >= 0)
		top->taken = off < source->map_len ? off : source->map_len;
	while (rc >= 0 && top->taken < off) {
		uint64_t left = off - top->taken;
		int64_t n = io_read(source, skip, left < sizeof skip ? (size_t)left : sizeof skip);
		rc = n < 0 ? (int)n : 0;
		if (n == 0)
			break;
	}
	return rc;
}

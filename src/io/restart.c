/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning again in the middle of what is compressed. While a source is read it marks
 * places of its decoded bytes, some way apart, at which a decoder can be started: the
 * beginning of a stream (a gzip member, a zstd frame …) takes nothing, an inner place
 * takes what the codec says (gzip: the 32 KiB before it; xz: how its blocks are checked).
 * Kept in an index, the marks make a compressed trace one that can be jumped in.
 *
 * Marks are of the outermost codec alone, and only of a source whose stored bytes are
 * there whole. Whoever gives marks back may be lying: then what is decoded is not the
 * trace, which shows as damage; nothing worse.
 *
 * As bytes: nothing when there are none; else u64 number of marks; of each, in ascending order, u64 place in the stored
 * bytes, u64 place in the decoded ones, u32 bits of the byte before that are still to be
 * decoded, u32 bytes of data; then the data of all.
 */
#include <string.h>

#include "base/bytes.h"
#include "io/source.h"

enum { MARK = 24 };

struct mark {
	uint64_t in, out;
	uint32_t bits, len;
	uint64_t data; /* offset of its data */
};

static struct mark mark_at(const struct io_marks *marks, size_t index)
{
	const uint8_t *p = marks->rows.data + MARK * index;
	return (struct mark){.in = base_le64(p),
	                     .out = base_le64(p + 8),
	                     .bits = base_le32(p + 16),
	                     .len = base_le32(p + 20),
	                     .data = index < marks->n ? marks->at[index] : 0};
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
	uint8_t row[MARK];
	base_put_le64(row, in);
	base_put_le64(row + 8, out);
	base_put_le32(row + 16, bits);
	base_put_le32(row + 20, (uint32_t)n);
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
	for (size_t i = 0; source->top == 1 && i < source->marks.rows.len / MARK; i++) {
		uint64_t out = base_le64(source->marks.rows.data + MARK * i + 8);
		most = out - last > most ? out - last : most;
		last = out;
	}
	if (source->top == 0)
		return 0;
	return end > last && end - last > most ? end - last : most;
}

int io_marks_put(const struct io_source *source, struct base_buf *out)
{
	uint8_t count[8];
	if (source->marks.rows.len == 0)
		return 0;
	base_put_le64(count, source->marks.rows.len / MARK);
	int rc = base_buf_put(out, count, sizeof count);
	if (rc >= 0)
		rc = base_buf_put(out, source->marks.rows.data, source->marks.rows.len);
	return rc < 0 ? rc : base_buf_put(out, source->marks.data.data, source->marks.data.len);
}

/* ---- given back ---- */

int io_marks_get(struct io_source *source, const uint8_t *p, size_t n)
{
	struct io_marks *marks = &source->marks;
	uint64_t count = n < 8 ? 0 : base_le64(p), at = 0;
	struct mark before = {0};
	bool good = n >= 8 && count <= (n - 8) / MARK;
	io_marks_free(source->cairn, marks);
	if (n == 0)
		return 0;
	if (!marked_layer(source))
		return good && count == 0 ? 0 : CAIRN_E_DAMAGED;
	int rc = good ? base_buf_put(&marks->rows, p + 8, MARK * (size_t)count) : 0;
	if (rc >= 0 && good && count)
		marks->at = base_alloc(source->cairn, (size_t)count * sizeof *marks->at);
	if (rc < 0 || (good && count && !marks->at)) {
		io_marks_free(source->cairn, marks);
		return CAIRN_E_NOMEM;
	}
	size_t rest = good ? n - 8 - MARK * (size_t)count : 0;
	for (marks->n = 0; good && marks->n < count;) {
		marks->at[marks->n++] = at;
		struct mark mark = mark_at(marks, marks->n - 1);
		at += mark.len;
		good = mark.in > before.in && mark.out > before.out && mark.in < source->map_len &&
		       mark.bits < 8 && at <= rest;
		before = mark;
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
		layer->taken = 0;
	}
	base_free(source->cairn, source->why);
	source->why = NULL;
	atomic_store(&source->done, 0);
}

/* Start the decoder of the outermost codec at a mark. */
static int restart_resume(struct io_source *source, const struct mark *mark)
{
	struct io_layer *layer = &source->layers[1];
	const struct io_restart *codec = io_codec_restart(layer->codec);
	struct base_buf data;
	int rc = 0;
	base_buf_init(&data, source->cairn);
	source->layers[0].taken = mark->in;
	layer->taken = mark->out;
	layer->begun = true;
	if (mark->len) {
		rc = !codec || !codec->resume
		         ? CAIRN_E_DAMAGED
		         : io_decode_frame(source->cairn, &io_codec_zstd,
		                           source->marks.data.data + mark->data, mark->len, IO_MARK_DATA,
		                           IO_MARK_DATA, &data, NULL);
		if (rc >= 0)
			rc = codec->resume(source->cairn, mark->bits, source->map[mark->in - 1], data.data,
			                   data.len, &layer->state);
		layer->in_stream = rc >= 0;
	}
	base_buf_free(&data);
	return rc < 0 ? base_fail(source->cairn, rc,
	                          "%s: decoding cannot begin at byte %llu, as its index says",
	                          source->name, (unsigned long long)mark->in)
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
	while (lo < hi) { /* how many marks are not behind it */
		size_t mid = lo + (hi - lo) / 2;
		if (mark_at(&source->marks, mid).out <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	struct mark mark = lo ? mark_at(&source->marks, lo - 1) : (struct mark){0};
	int rc = 0;
	if (off < top->taken || mark.out > top->taken || top->status < 0) {
		begin_again(source);
		rc = lo ? restart_resume(source, &mark) : 0;
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

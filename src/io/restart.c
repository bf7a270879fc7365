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

static struct mark mark_at(const struct io_marks *m, size_t i)
{
	const uint8_t *p = m->rows.data + MARK * i;
	return (struct mark){.in = base_le64(p),
	                     .out = base_le64(p + 8),
	                     .bits = base_le32(p + 16),
	                     .len = base_le32(p + 20),
	                     .data = i < m->n ? m->at[i] : 0};
}

void io_marks_free(struct cairn *c, struct io_marks *m)
{
	base_buf_free(&m->rows);
	base_buf_free(&m->data);
	base_free(c, m->at);
	m->at = NULL;
	m->n = 0;
}

int io_marks_add(struct io_source *s, uint64_t in, uint64_t out, unsigned bits, const void *data,
                 size_t n)
{
	struct io_marks *m = &s->marks;
	uint8_t row[MARK];
	base_put_le64(row, in);
	base_put_le64(row + 8, out);
	base_put_le32(row + 16, bits);
	base_put_le32(row + 20, (uint32_t)n);
	int rc = base_buf_put(&m->rows, row, sizeof row);
	if (rc >= 0)
		rc = base_buf_put(&m->data, data, n);
	if (rc < 0)
		return rc;
	m->last = out;
	return 0;
}

/* ---- while reading ---- */

static struct io_layer *marked_layer(struct io_source *s)
{
	return s->whole && s->top == 1 ? &s->layers[1] : NULL;
}

int io_mark(struct io_source *s, uint64_t step)
{
	struct io_layer *l = marked_layer(s);
	if (!l)
		return 0;
	io_marks_free(s->c, &s->marks);
	s->marks.last = 0;
	s->marks.step = step;
	const struct io_restart *k = io_codec_restart(l->codec);
	if (k && k->list)
		return k->list(s, step);
	if (k && k->watch && l->in_stream)
		k->watch(l->state);
	return 0;
}

int io_mark_here(struct io_source *s, bool begins)
{
	struct io_layer *l = &s->layers[1];
	const struct io_restart *k = io_codec_restart(l->codec);
	uint64_t in = s->layers[0].taken, out = l->taken + (l->len - l->pos);
	uint8_t data[IO_MARK_DATA];
	size_t n = 0;
	unsigned bits = 0;
	if (k && k->list)
		return 0;
	if (begins && k && k->watch)
		k->watch(l->state);
	if (out < s->marks.last + s->marks.step ||
	    (!begins && !(k && k->mark && k->mark(l->state, &bits, data, &n))))
		return 0;
	struct base_buf packed;
	base_buf_init(&packed, s->c);
	int rc = n ? io_encode_frame(s->c, &io_codec_zstd, 3, data, n, &packed) : 0;
	if (rc >= 0)
		rc = io_marks_add(s, in, out, bits, packed.data, packed.len);
	base_buf_free(&packed);
	return rc;
}

uint64_t io_marks_reach(const struct io_source *s)
{
	const struct io_layer *l = &s->layers[s->top];
	uint64_t end = l->taken + (l->len - l->pos), most = 0, last = 0;
	for (size_t i = 0; s->top == 1 && i < s->marks.rows.len / MARK; i++) {
		uint64_t out = base_le64(s->marks.rows.data + MARK * i + 8);
		most = out - last > most ? out - last : most;
		last = out;
	}
	if (s->top == 0)
		return 0;
	return end > last && end - last > most ? end - last : most;
}

int io_marks_put(const struct io_source *s, struct base_buf *out)
{
	uint8_t count[8];
	if (s->marks.rows.len == 0)
		return 0;
	base_put_le64(count, s->marks.rows.len / MARK);
	int rc = base_buf_put(out, count, sizeof count);
	if (rc >= 0)
		rc = base_buf_put(out, s->marks.rows.data, s->marks.rows.len);
	return rc < 0 ? rc : base_buf_put(out, s->marks.data.data, s->marks.data.len);
}

/* ---- given back ---- */

int io_marks_get(struct io_source *s, const uint8_t *p, size_t n)
{
	struct io_marks *m = &s->marks;
	uint64_t count = n < 8 ? 0 : base_le64(p), at = 0;
	struct mark before = {0};
	bool good = n >= 8 && count <= (n - 8) / MARK;
	io_marks_free(s->c, m);
	if (n == 0)
		return 0;
	if (!marked_layer(s))
		return good && count == 0 ? 0 : CAIRN_E_DAMAGED;
	int rc = good ? base_buf_put(&m->rows, p + 8, MARK * (size_t)count) : 0;
	if (rc >= 0 && good && count)
		m->at = base_alloc(s->c, (size_t)count * sizeof *m->at);
	if (rc < 0 || (good && count && !m->at)) {
		io_marks_free(s->c, m);
		return CAIRN_E_NOMEM;
	}
	size_t rest = good ? n - 8 - MARK * (size_t)count : 0;
	for (m->n = 0; good && m->n < count;) {
		m->at[m->n++] = at;
		struct mark k = mark_at(m, m->n - 1);
		at += k.len;
		good =
			k.in > before.in && k.out > before.out && k.in < s->map_len && k.bits < 8 && at <= rest;
		before = k;
	}
	good = good && at == rest;
	if (good)
		rc = base_buf_put(&m->data, p + n - rest, rest);
	if (!good || rc < 0)
		io_marks_free(s->c, m);
	return good ? rc : CAIRN_E_DAMAGED;
}

/* ---- going there ---- */

bool io_can_seek(const struct io_source *s)
{
	return s->whole;
}

static void begin_again(struct io_source *s)
{
	for (unsigned i = 0; i <= s->top; i++) {
		struct io_layer *l = &s->layers[i];
		io_layer_close(s, i);
		l->in_stream = l->begun = false;
		l->status = 0;
		l->pos = l->len = 0;
		l->taken = 0;
	}
	base_free(s->c, s->why);
	s->why = NULL;
	atomic_store(&s->done, 0);
}

/* Start the decoder of the outermost codec at a mark. */
static int restart_resume(struct io_source *s, const struct mark *k)
{
	struct io_layer *l = &s->layers[1];
	const struct io_restart *codec = io_codec_restart(l->codec);
	struct base_buf data;
	int rc = 0;
	base_buf_init(&data, s->c);
	s->layers[0].taken = k->in;
	l->taken = k->out;
	l->begun = true;
	if (k->len) {
		rc = !codec || !codec->resume
		         ? CAIRN_E_DAMAGED
		         : io_decode_frame(s->c, &io_codec_zstd, s->marks.data.data + k->data, k->len,
		                           IO_MARK_DATA, IO_MARK_DATA, &data, NULL);
		if (rc >= 0)
			rc = codec->resume(s->c, k->bits, s->map[k->in - 1], data.data, data.len, &l->state);
		l->in_stream = rc >= 0;
	}
	base_buf_free(&data);
	return rc < 0 ? base_fail(s->c, rc, "%s: decoding cannot begin at byte %llu, as its index says",
	                          s->name, (unsigned long long)k->in)
	              : 0;
}

int io_seek(struct io_source *s, uint64_t off)
{
	uint8_t skip[4096];
	struct io_layer *top = &s->layers[s->top];
	size_t lo = 0, hi = s->marks.n;
	if (!s->whole)
		return base_fail(s->c, CAIRN_E_STATE, "%s: a stream cannot be read again", s->name);
	while (lo < hi) { /* how many marks are not behind it */
		size_t mid = lo + (hi - lo) / 2;
		if (mark_at(&s->marks, mid).out <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	struct mark k = lo ? mark_at(&s->marks, lo - 1) : (struct mark){0};
	int rc = 0;
	if (off < top->taken || k.out > top->taken || top->status < 0) {
		begin_again(s);
		rc = lo ? restart_resume(s, &k) : 0;
	}
	if (s->top == 0 && rc >= 0)
		top->taken = off < s->map_len ? off : s->map_len;
	while (rc >= 0 && top->taken < off) {
		uint64_t left = off - top->taken;
		int64_t n = io_read(s, skip, left < sizeof skip ? (size_t)left : sizeof skip);
		rc = n < 0 ? (int)n : 0;
		if (n == 0)
			break;
	}
	return rc;
}

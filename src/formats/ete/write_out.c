/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the streams of several harts go: each into a file of its own in a snapshot, or all
 * into CoreSight frames (frames.c tells how those are read). In a plain file without
 * frames there is room for one hart only.
 */
#include <string.h>

#include "formats/ete/write.h"

/* ---- frames ---- */

enum { LAST = 15 }; /* bytes of a frame before the one with the lowest bits */

static void write_out_end_frame(struct ete_formatter *f)
{
	base_buf_put(&f->out, f->frame, sizeof f->frame); /* there is room: format_bytes */
	memset(f->frame, 0, sizeof f->frame);
	f->n = 0;
}

/* An ID stands at even places. At an odd one the byte before it makes room: it comes behind
 * the ID, which then holds from the byte after it on. */
static void change_id(struct ete_formatter *f, int id)
{
	uint8_t name = (uint8_t)(id << 1 | 1);
	unsigned slot = f->n / 2, bit = 1u << slot;
	if (f->n % 2) {
		uint8_t old = (uint8_t)(f->frame[f->n - 1] | (f->frame[LAST] >> slot & 1));
		f->frame[f->n - 1] = name;
		f->frame[LAST] |= (uint8_t)bit;
		f->frame[f->n] = old;
	} else {
		f->frame[f->n] = name;
	}
	f->id = id;
	if (++f->n == LAST)
		write_out_end_frame(f);
}

void ete_format_bytes(struct ete_formatter *f, int id, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (f->id != id)
			change_id(f, id);
		if (f->n % 2) {
			f->frame[f->n] = p[i];
		} else {
			f->frame[f->n] = p[i] & 0xfe;
			f->frame[LAST] |= (uint8_t)((p[i] & 1) << f->n / 2);
		}
		if (++f->n == LAST)
			write_out_end_frame(f);
	}
}

void ete_format_end(struct ete_formatter *f)
{
	if (!f->n)
		return;
	change_id(f, 0); /* bytes of nobody */
	if (f->n)
		write_out_end_frame(f);
}

/* ---- harts ---- */

/* Identifiers are told if the first batch knows any. */
static void decide_ids(struct ete_out *o, const struct cairn_batch *b)
{
	if (!o->ids_open || !b)
		return;
	for (uint32_t i = 0; i < b->n_ctxs; i++) {
		unsigned ids = b->ctxs[i].known & CAIRN_CTX_VMID    ? 2
		               : b->ctxs[i].known & CAIRN_CTX_CTXID ? 1
		                                                    : 0;
		o->opts.ids = (uint8_t)(o->opts.ids > ids ? o->opts.ids : ids);
	}
	o->ids_open = false;
}

static int add_stream(struct ete_out *out, struct ete_writer *stream)
{
	struct ete_stream *p = base_realloc(out->c, out->streams, (out->n_streams + 1) * sizeof *p);
	size_t hart = 0;
	if (!p)
		return CAIRN_E_NOMEM;
	while (out->harts[hart] != stream)
		hart++;
	out->streams = p;
	p += out->n_streams++;
	p->hart = hart;
	cairn_ete_tracer_config(stream->tracer, &p->cfg);
	return out->folder && !out->framed ? ete_folder_stream(out, out->n_streams - 1, &stream->sink)
	                                   : 0;
}

int ete_out_stream(struct ete_out *out, struct ete_writer *stream, unsigned unit,
                   const struct cairn_batch *batch, uint32_t i)
{
	stream->opts = out->opts;
	if (stream->same)
		ete_write_follow(out, stream, unit, batch, i);
	int rc = cairn_ete_tracer_open(out->c, &stream->opts, &stream->tracer);
	return rc < 0 ? rc : add_stream(out, stream);
}

static int add_hart(struct ete_out *o, unsigned hart, const struct cairn_batch *b, uint32_t i)
{
	struct ete_writer *d = base_alloc(o->c, sizeof *d);
	struct ete_writer **p = base_realloc(o->c, o->harts, (o->n_harts + 1) * sizeof *p);
	o->harts = p ? p : o->harts;
	if (!d || !p) {
		base_free(o->c, d);
		return CAIRN_E_NOMEM;
	}
	decide_ids(o, b);
	o->now = p[o->n_harts++] = d;
	d->c = o->c;
	d->same = o->same;
	d->hart = (uint16_t)hart;
	return ete_out_stream(o, d, ETE_ANY_UNIT, b, i);
}

int ete_out_select(struct cairn_writer *w, unsigned hart, const struct cairn_batch *b, uint32_t i)
{
	struct ete_out *o = w->impl;
	size_t most = o->framed || o->folder ? ETE_MOST_HARTS : 1;
	for (size_t k = 0; k < o->n_harts; k++)
		if (o->harts[k]->hart == hart) {
			o->now = o->harts[k];
			return 0;
		}
	o->now = NULL;
	return o->n_harts < most ? add_hart(o, hart, b, i) : 0;
}

int ete_out_flush(struct cairn_writer *w, struct ete_writer *d)
{
	struct ete_out *o = w->impl;
	struct ete_formatter *f = &o->formatter;
	const uint8_t *p;
	size_t n, id = 0;
	cairn_ete_tracer_take(d->tracer, &p, &n);
	if (!n)
		return 0;
	if (!o->framed)
		return io_sink_write(d->sink ? d->sink : w->sink, p, n);
	while (o->harts[id] != d)
		id++;
	/* 14 bytes a frame at the worst, and the one begun */
	int rc = base_buf_reserve(&f->out, n / 13 * 16 + 64);
	if (rc < 0)
		return rc;
	ete_format_bytes(f, ETE_FIRST_ID + (int)id, p, n);
	rc = io_sink_write(w->sink, f->out.data, f->out.len);
	f->out.len = 0;
	return rc;
}

int ete_out_finish(struct cairn_writer *w)
{
	struct ete_out *o = w->impl;
	struct ete_formatter *f = &o->formatter;
	int rc = 0;
	if (o->framed) {
		rc = base_buf_reserve(&f->out, 64);
		if (rc >= 0) {
			ete_format_end(f);
			rc = io_sink_write(w->sink, f->out.data, f->out.len);
		}
	}
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++)
		if (o->harts[i]->sink) {
			rc = io_sink_finish(o->harts[i]->sink);
			o->harts[i]->sink = NULL;
		}
	if (rc < 0 || !o->folder)
		return rc;
	if (w->sink)
		rc = io_sink_finish(w->sink);
	w->sink = NULL;
	return rc < 0 ? rc : ete_folder_finish(o);
}

void ete_out_free(struct ete_out *o)
{
	for (size_t i = 0; i < o->n_harts; i++)
		io_sink_abort(o->harts[i]->sink);
	ete_folder_abort(o);
	for (size_t i = 0; i < o->n_harts; i++) {
		ete_program_free(o->harts[i]);
		cairn_ete_tracer_close(o->harts[i]->tracer);
		base_free(o->c, o->harts[i]);
	}
	base_free(o->c, o->harts);
	base_free(o->c, o->streams);
	base_free(o->c, o->description);
	base_buf_free(&o->formatter.out);
	base_free(o->c, o);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the streams of several harts go: each into a file of its own in a snapshot, or all
 * into CoreSight frames (frames.c tells how those are read). In a plain file without
 * frames there is room for one hart only.
 */
#include <string.h>

#include "formats/ete/write/write.h"

/* ---- frames ---- */

enum { LAST = 15 }; /* bytes of a frame before the one that holds the lowest bits */

static void write_out_end_frame(struct ete_formatter *formatter)
{
	base_buf_put(&formatter->out, formatter->frame,
	             sizeof formatter->frame); /* there is room: format_bytes */
	memset(formatter->frame, 0, sizeof formatter->frame);
	formatter->n = 0;
}

/* An ID stands at even places. At an odd place the byte before makes room: it moves behind the ID,
 * which then holds from the byte after it on. */
static void change_id(struct ete_formatter *formatter, int id)
{
	uint8_t name = (uint8_t)(id << 1 | 1);
	unsigned slot = formatter->n / 2, bit = 1u << slot;
	if (formatter->n % 2) {
		uint8_t old =
			(uint8_t)(formatter->frame[formatter->n - 1] | (formatter->frame[LAST] >> slot & 1));
		formatter->frame[formatter->n - 1] = name;
		formatter->frame[LAST] |= (uint8_t)bit;
		formatter->frame[formatter->n] = old;
	} else {
		formatter->frame[formatter->n] = name;
	}
	formatter->id = id;
	if (++formatter->n == LAST)
		write_out_end_frame(formatter);
}

void ete_format_bytes(struct ete_formatter *formatter, int id, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (formatter->id != id)
			change_id(formatter, id);
		if (formatter->n % 2) {
			formatter->frame[formatter->n] = p[i];
		} else {
			formatter->frame[formatter->n] = p[i] & 0xfe;
			formatter->frame[LAST] |= (uint8_t)((p[i] & 1) << formatter->n / 2);
		}
		if (++formatter->n == LAST)
			write_out_end_frame(formatter);
	}
}

void ete_format_end(struct ete_formatter *formatter)
{
	if (!formatter->n)
		return;
	change_id(formatter, 0); /* bytes of nobody */
	if (formatter->n)
		write_out_end_frame(formatter);
}

/* ---- harts ---- */

/* Identifiers are written if the first batch has any. */
static void decide_ids(struct ete_out *out, const struct cairn_batch *batch)
{
	if (!out->ids_open || !batch)
		return;
	for (uint32_t i = 0; i < batch->n_ctxs; i++) {
		unsigned ids = batch->ctxs[i].known & CAIRN_CTX_VMID    ? 2
		               : batch->ctxs[i].known & CAIRN_CTX_CTXID ? 1
		                                                        : 0;
		out->opts.ids = (uint8_t)(out->opts.ids > ids ? out->opts.ids : ids);
	}
	out->ids_open = false;
}

static int add_stream(struct ete_out *out, struct ete_writer *stream)
{
	struct ete_stream *last = base_append(out->cairn, &out->streams, &out->n_streams, sizeof *last);
	if (!last)
		return CAIRN_E_NOMEM;
	while (out->harts[last->hart] != stream)
		last->hart++;
	cairn_ete_tracer_config(stream->tracer, &last->cfg);
	return out->folder && !out->framed ? ete_folder_stream(out, out->n_streams - 1, &stream->sink)
	                                   : 0;
}

int ete_out_stream(struct ete_out *out, struct ete_writer *stream, unsigned unit,
                   const struct cairn_batch *batch, uint32_t index)
{
	stream->opts = out->opts;
	if (stream->same)
		ete_write_follow(out, stream, unit, batch, index);
	int rc = cairn_ete_tracer_open(out->cairn, &stream->opts, &stream->tracer);
	return rc < 0 ? rc : add_stream(out, stream);
}

static int add_hart(struct ete_out *out, unsigned hart, const struct cairn_batch *batch,
                    uint32_t index)
{
	struct ete_writer *writer = base_alloc(out->cairn, sizeof *writer), **last;
	last = writer ? base_append(out->cairn, &out->harts, &out->n_harts, sizeof *last) : NULL;
	if (!last) {
		base_free(out->cairn, writer);
		return CAIRN_E_NOMEM;
	}
	decide_ids(out, batch);
	out->now = *last = writer;
	writer->cairn = out->cairn;
	writer->same = out->same;
	writer->hart = (uint16_t)hart;
	return ete_out_stream(out, writer, ETE_ANY_UNIT, batch, index);
}

int ete_out_select(struct cairn_writer *writer, unsigned hart, const struct cairn_batch *batch,
                   uint32_t index)
{
	struct ete_out *out = writer->impl;
	size_t most = out->framed || out->folder ? ETE_MOST_HARTS : 1;
	for (size_t k = 0; k < out->n_harts; k++)
		if (out->harts[k]->hart == hart) {
			out->now = out->harts[k];
			return 0;
		}
	out->now = NULL;
	return out->n_harts < most ? add_hart(out, hart, batch, index) : 0;
}

int ete_out_flush(struct cairn_writer *writer, struct ete_writer *stream)
{
	struct ete_out *out = writer->impl;
	struct ete_formatter *formatter = &out->formatter;
	const uint8_t *p;
	size_t n, id = 0;
	cairn_ete_tracer_take(stream->tracer, &p, &n);
	if (!n)
		return 0;
	if (!out->framed)
		return cairn_sink_write(stream->sink ? stream->sink : writer->sink, p, n);
	while (out->harts[id] != stream)
		id++;
	/* 14 bytes a frame at the worst, and the one begun */
	int rc = base_buf_reserve(&formatter->out, n / 13 * 16 + 64);
	if (rc < 0)
		return rc;
	ete_format_bytes(formatter, ETE_FIRST_ID + (int)id, p, n);
	rc = cairn_sink_write(writer->sink, formatter->out.data, formatter->out.len);
	formatter->out.len = 0;
	return rc;
}

int ete_out_finish(struct cairn_writer *writer)
{
	struct ete_out *out = writer->impl;
	struct ete_formatter *formatter = &out->formatter;
	int rc = 0;
	if (out->framed) {
		rc = base_buf_reserve(&formatter->out, 64);
		if (rc >= 0) {
			ete_format_end(formatter);
			rc = cairn_sink_write(writer->sink, formatter->out.data, formatter->out.len);
		}
	}
	for (size_t i = 0; i < out->n_harts && rc >= 0; i++)
		if (out->harts[i]->sink) {
			rc = cairn_sink_finish(out->harts[i]->sink);
			out->harts[i]->sink = NULL;
		}
	if (rc < 0 || !out->folder)
		return rc;
	if (writer->sink)
		rc = cairn_sink_finish(writer->sink);
	writer->sink = NULL;
	return rc < 0 ? rc : ete_folder_finish(out);
}

void ete_out_free(struct ete_out *out)
{
	for (size_t i = 0; i < out->n_harts; i++)
		cairn_sink_discard(out->harts[i]->sink);
	ete_folder_abort(out);
	for (size_t i = 0; i < out->n_harts; i++) {
		ete_program_free(out->harts[i]);
		cairn_ete_tracer_close(out->harts[i]->tracer);
		base_free(out->cairn, out->harts[i]);
	}
	base_free(out->cairn, out->harts);
	base_free(out->cairn, out->streams);
	base_free(out->cairn, out->description);
	base_buf_free(&out->formatter.out);
	base_free(out->cairn, out);
}

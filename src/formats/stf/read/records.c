/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records one by one, exactly; and the walk over markers that finds where a
 * stream may be cut and how many instructions a small trace has.
 */
#include <string.h>

#include "base/bytes.h"
#include "formats/stf/stf.h"

size_t stf_last_marker(const struct cairn_stf_config *cfg, const uint8_t *p, const uint8_t *end,
                       uint64_t markers, uint64_t *left, bool *stuck)
{
	const uint8_t *begin = p, *last = p;
	bool damaged = false;
	while (p < end) {
		int64_t len = stf_length(cfg, p, (size_t)(end - p));
		if (len <= 0) {
			damaged = len < 0;
			break;
		}
		bool marker = stf_is_marker(*p);
		p += len;
		if (marker) {
			last = p;
			if (--markers == 0)
				break;
		}
	}
	if (left)
		*left = markers;
	if (stuck)
		*stuck = damaged;
	return (size_t)(last - begin);
}

/* The span has no more records: report damage, leave the exit state. */
static int stf_records_finish(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	if (ss->finished)
		return 0;
	ss->finished = true;
	if (ss->stopped || kit_left(&ss->bytes) > 0) {
		stf_damage_at(reader, span);
		ss->at.damaged = 1;
	}
	ss->at.off = kit_offset(&ss->bytes);
	/* Records alone do not show PCs and contexts; the scan does, if there was one. */
	if (!span->scanned) {
		ss->at.now.pc_known = 0;
		ss->at.now.group = 0;
		memcpy(span->exit, &ss->at, sizeof ss->at);
	}
	return 0;
}

int stf_record(struct cairn_reader *reader, struct model_span *span, struct cairn_record *rec)
{
	const struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	struct stf_state *at = &ss->at;
	int64_t len;
	for (;;) {
		len = ss->finished || kit_left(&ss->bytes) == 0
		          ? 0
		          : cairn_stf_record_length(&im->header.cfg, ss->bytes.window.p,
		                                    kit_left(&ss->bytes));
		if (len > 0)
			break;
		if (len < 0 || ss->finished)
			return stf_records_finish(reader, span);
		int rc = stf_window_fill(reader, span);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return stf_records_finish(reader, span);
	}
	const uint8_t *p = ss->bytes.window.p;
	const struct stf_type *type = stf_type(*p);
	uint64_t off = kit_offset_of(&ss->bytes, p);
	bool in_header = ss->header && off < im->header.size;
	*rec = (struct cairn_record){.number = at->rec,
	                             .offset = off,
	                             .name = type->name,
	                             .data = p,
	                             .size = (uint32_t)len,
	                             .type = *p,
	                             .fields = ss->fields,
	                             .insn = in_header          ? 0
	                                     : ss->transactions ? at->x
	                                                        : at->n};
	rec->n_fields = (uint16_t)stf_fields_of(&im->header.cfg, p, (size_t)len, ss->fields);
	kit_skip(&ss->bytes, (size_t)len);
	at->rec++;
	if (type->flags & STF_MARKER) {
		at->n += !ss->transactions;
		at->x += ss->transactions;
		at->now.begun = 1;
	}
	return 1;
}

/* Count the markers of a span's first window; false when it has more or is damaged. */
static bool records_count_window(struct cairn_reader *reader, const struct stf_span *ss,
                                 uint64_t *n)
{
	const struct stf_impl *im = reader->impl;
	const uint8_t *p = ss->bytes.window.p + (ss->header ? stf_header_bytes(ss, &im->header) : 0);
	uint64_t left;
	size_t used =
		stf_last_marker(&im->header.cfg, p, ss->bytes.window.end, UINT64_MAX, &left, NULL);
	*n = UINT64_MAX - left;
	return p + used == ss->bytes.window.end && !ss->bytes.window.more && !ss->bytes.broken;
}

bool stf_total(struct cairn_reader *reader, uint64_t *total)
{
	enum { SMALL = 8 << 20 }; /* a raw file of this size is walked in milliseconds */
	const struct stf_impl *im = reader->impl;
	struct model_span span = {0};
	struct stf_span ss = {0};
	void *worker = NULL;
	bool known = false;

	if (!im->source.map || (im->zstf && !im->indexed) || (!im->zstf && im->source.map_len > SMALL))
		return false;
	base_buf_init(&ss.bytes.buf, reader->cairn);
	span.priv = &ss;
	if (reader->format->worker_new(reader, &worker) < 0)
		return false;
	span.worker = worker;
	if (im->zstf) {
		const struct stf_chunk *last = &im->chunks[im->n_chunks - 1];
		ss.comp = im->source.map + last->off;
		ss.comp_len = (size_t)last->len;
		ss.size_hint = last->size;
		ss.header = im->n_chunks == 1;
		known = stf_container_load(reader, &span) >= 0 && records_count_window(reader, &ss, total);
		*total += (im->n_chunks - 1) * im->per_chunk;
	} else {
		ss.header = true;
		ss.bytes.window.p = im->source.map;
		ss.bytes.window.end = im->source.map + im->source.map_len;
		known = records_count_window(reader, &ss, total);
	}
	stf_container_drop(reader, &ss);
	base_buf_free(&ss.bytes.buf);
	reader->format->worker_free(reader, worker);
	return known;
}

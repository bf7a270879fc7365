/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes come from: opening, and cutting a trace into spans.
 *
 * A mapped raw file read by one thread is one span whose window grows: no copy, no
 * walk before the walk. For several threads it is cut after a marker every
 * megabyte or so; the cut must walk, for records have no lengths of their own.
 * A stream (pipe, compressed file) is one growing window for one thread, or
 * copied out in pieces that end with a marker. A .zstf is cut by its chunks
 * (container.c).
 */
#include <stdio.h>
#include <string.h>

#include "formats/stf/change/change.h"
#include "formats/stf/check/rules.h"
#include "formats/stf/read/code.h"
#include "kit/options.h"

enum {
	PIECE = 1 << 20, /* bytes of a raw span for several threads */
	PIECE_MARKERS = 16384,
	STREAM_WINDOW = 1 << 20, /* bytes read at a time from a stream */
	MAP_WINDOW = 8 << 20,    /* bytes of a map looked at before older pages are let go */
	BEHIND = 16 << 20,       /* with several threads: pages this far behind are let go */
	HEADER_STEP = 1 << 16,
	HEADER_LIMIT = 1 << 24 /* a header is far smaller; a huge comment is refused */
};

/* ---- damage and places ---- */

void stf_stop(struct cairn_reader *reader, struct stf_span *ss)
{
	ss->stopped = true;
	snprintf(ss->why, sizeof ss->why, "%s", cairn_error_text(reader->cairn));
}

void stf_place(const struct stf_span *ss, char *buf, size_t size)
{
	const char *kind = ss->transactions ? "transaction" : "instruction";
	uint64_t off = ss->abs + (uint64_t)(ss->window.p - ss->window.base);
	uint64_t n = ss->transactions ? ss->at.x : ss->at.n;
	/* Of a chunk the place in it, which who jumps there knows like who comes from before. */
	if (ss->kind == STF_SPAN_CHUNK)
		snprintf(buf, size, "chunk %llu: byte 0x%llx of it, %s %llu", (unsigned long long)ss->chunk,
		         (unsigned long long)(off - ss->start), kind, (unsigned long long)n);
	else
		snprintf(buf, size, "byte 0x%llx, record %llu, %s %llu", (unsigned long long)off,
		         (unsigned long long)ss->at.rec, kind, (unsigned long long)n);
}

/* Does an EVENT without metadata end right before p, as ids of 32 bits have it? Read so,
 * one of 64 bits leaves the zeros of its upper half standing there. */
static bool half_an_event(const struct cairn_stf_config *cfg, const uint8_t *base, const uint8_t *p)
{
	enum { NARROW = STF_LEN_EVENT - 4 };
	return cfg->event_bits == 32 && *p == 0 && p - base >= NARROW &&
	       p[-NARROW] == CAIRN_STF_EVENT && p[-1] == 0;
}

/* Why the record at the window's p cannot be read. */
static void reason(const struct cairn_stf_config *cfg, const struct stf_window *window, char *buf,
                   size_t size)
{
	const uint8_t *p = window->p, *end = window->end;
	const struct stf_type *type = stf_type(*p);
	size_t left = (size_t)(end - p);
	if (!type && half_an_event(cfg, window->base, p))
		snprintf(buf, size,
		         "no record has descriptor 0x00, and it follows an EVENT: ids of 32 "
		         "bits are implausible; try --from stf:events=64");
	else if (!type)
		snprintf(buf, size, "no record has descriptor 0x%02x", *p);
	else if (cairn_stf_record_length(cfg, p, left) == 0)
		snprintf(buf, size, "the input ends inside %s: %zu byte%s of it %s there", type->name, left,
		         left == 1 ? "" : "s", left == 1 ? "is" : "are");
	else if (*p == CAIRN_STF_INST_REG)
		snprintf(buf, size, "INST_REG of a vector register, but the header has no VLEN_CONFIG");
	else if (*p == CAIRN_STF_TRANSACTION && !cfg->protocol)
		snprintf(buf, size, "TRANSACTION, but the header has no PROTOCOL_ID");
	else if (*p == CAIRN_STF_TRANSACTION)
		snprintf(buf, size, "TRANSACTION with metadata, a channel or a protocol that is not known");
	else
		snprintf(buf, size, "%s says it is longer than 4 GiB", type->name);
}

const char *stf_damage_at(struct cairn_reader *reader, struct model_span *span)
{
	const struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	char place[128], why[320];
	stf_place(ss, place, sizeof place);
	if (ss->stopped)
		snprintf(why, sizeof why, "%s", ss->why);
	else
		reason(&im->header.cfg, &ss->window, why, sizeof why);
	snprintf(ss->sentence, sizeof ss->sentence, "%s: %s", place, why);
	if (!(ss->header && im->header_told))
		model_damaged(reader, span, "%s", ss->sentence);
	return ss->sentence;
}

void stf_odd_event(struct cairn_reader *reader, struct model_span *span, const char *place,
                   uint64_t id)
{
	const struct stf_impl *im = reader->impl;
	unsigned bits = im->header.cfg.event_bits;
	model_damaged(reader, span,
	              "%s: EVENT id 0x%llx is implausible with ids of %u bits; try --from "
	              "stf:events=%u",
	              place, (unsigned long long)id, bits, bits == 64 ? 32 : 64);
}

/* ---- opening ---- */

/* Read on until `want` bytes are pending, the input ends, or it breaks off. */
int stf_read_pending(struct cairn_reader *reader, size_t want)
{
	struct stf_impl *im = reader->impl;
	while (im->pending.len < want && !im->eof) {
		int rc = base_buf_reserve(&im->pending, want - im->pending.len);
		if (rc < 0)
			return rc;
		int64_t n = im->rest ? stf_container_read_rest(im, want - im->pending.len)
		                     : io_read(reader->io, im->pending.data + im->pending.len,
		                               want - im->pending.len);
		if (n < 0) {
			if (n == CAIRN_E_NOMEM || n == CAIRN_E_CANCELLED)
				return (int)n;
			im->broken = (int)n;
			snprintf(im->why, sizeof im->why, "%s", cairn_error_text(reader->cairn));
		}
		im->eof = n <= 0;
		im->pending.len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int read_raw_header(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	size_t want = HEADER_STEP;
	for (;;) {
		const uint8_t *p = im->map;
		size_t n = im->map_len < want ? im->map_len : want;
		bool all = im->map && n == im->map_len;
		if (!p) {
			int rc = stf_read_pending(reader, want);
			if (rc < 0)
				return rc;
			p = im->pending.data;
			n = im->pending.len;
			all = im->eof;
		}
		int rc = stf_header_parse(reader->cairn, &im->opt, p, n, all, &im->header);
		if (rc > 0)
			return base_buf_put(&im->head, p, im->header.size);
		if (rc < 0)
			return base_wrap(reader->cairn, "%s", io_name(reader->io));
		if (want >= HEADER_LIMIT)
			return base_fail(reader->cairn, CAIRN_E_LIMIT, "%s: the header is larger than %d MiB",
			                 io_name(reader->io), HEADER_LIMIT >> 20);
		want *= 4;
	}
}

static uint32_t abilities(const struct stf_header *header)
{
	if (header->cfg.protocol)
		return CAIRN_XACTS | CAIRN_EVENTS | CAIRN_BYTES | CAIRN_PLACES;
	uint32_t can = CAIRN_EVERYTHING & ~(uint32_t)CAIRN_XACTS;
	return stf_isa(&header->cfg, header->cfg.iem) == CAIRN_ISA_UNKNOWN
	           ? can & ~(uint32_t)CAIRN_CLASS
	           : can;
}

/* Ask the first records how all are to be understood: the same ones however the bytes come. */
static int find_reading(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	const uint8_t *p = im->zstf ? im->head.data : im->map;
	size_t at = im->header.size, n = im->zstf ? im->head.len : im->map_len;
	if (!im->zstf && !im->map) {
		int rc = stf_read_pending(reader, at + STF_SURVEY);
		if (rc < 0)
			return rc;
		p = im->pending.data;
		n = im->pending.len;
	}
	if (n < at)
		n = at;
	stf_reading_find(im, p + at, n - at < STF_SURVEY ? n - at : STF_SURVEY);
	return 0;
}

int stf_open(struct cairn_reader *reader, const char *options)
{
	const uint8_t *head;
	size_t n;
	struct stf_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	base_buf_init(&im->head, reader->cairn);
	base_buf_init(&im->pending, reader->cairn);
	base_buf_init(&im->seen, reader->cairn);
	base_buf_init(&im->tail, reader->cairn);
	int rc = kit_options_parse(reader->cairn, &stf_reading_options, options, &im->opt, NULL);
	if (rc < 0)
		return rc;
	im->opt.lenient = reader->lenient;
	rc = io_peek(reader->io, 4, &head, &n);
	if (rc < 0 && n == 0)
		return base_wrap(reader->cairn, "%s", io_name(reader->io));
	im->map = io_map(reader->io, &im->map_len);
	im->zstf = n >= 4 && !memcmp(head, "ZSTF", 4);
	reader->total = im->map ? im->map_len : io_stored_size(reader->io);
	if (reader->total == IO_UNKNOWN)
		reader->total = 0;
	rc = im->zstf ? stf_container_open(reader) : read_raw_header(reader);
	if (rc >= 0)
		rc = find_reading(reader);
	if (rc >= 0 && im->trouble[0]) {
		struct model_span none = {0};
		model_damaged(reader, &none, "%s", im->trouble);
		model_damage_move(reader->cairn, &reader->damage, &none.damage);
	}
	if (rc >= 0) {
		reader->can = abilities(&im->header);
		im->isa_guess = (uint8_t)stf_isa(&im->header.cfg, im->header.cfg.iem);
		reader->isa = im->header.cfg.protocol ? CAIRN_ISA_UNKNOWN : im->isa_guess;
	}
	return rc;
}

void stf_close(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	if (!im)
		return;
	base_buf_free(&im->head);
	base_buf_free(&im->pending);
	base_buf_free(&im->seen);
	base_buf_free(&im->tail);
	base_free(reader->cairn, im->chunks);
	stf_container_free_rest(reader);
	base_free(reader->cairn, im);
}

/* ---- cutting ---- */

/* The end of a piece: after the last marker of about a megabyte, or all that is
 * left when there is no marker to cut after. */
static size_t stf_source_piece_of_map(const struct stf_impl *im, size_t header)
{
	const uint8_t *p = im->map + im->at;
	size_t left = im->map_len - im->at;
	bool stuck = false;
	for (size_t want = PIECE + header; want < left && !stuck; want *= 8) {
		size_t n =
			stf_last_marker(&im->header.cfg, p + header, p + want, PIECE_MARKERS, NULL, &stuck);
		if (n)
			return header + n;
	}
	return left;
}

static int stf_source_cut_map(struct cairn_reader *reader, struct stf_span *ss, bool alone)
{
	struct stf_impl *im = reader->impl;
	if (im->at == im->map_len)
		return 0;
	size_t header = ss->header ? im->header.size : 0;
	size_t n = alone ? im->map_len - im->at : stf_source_piece_of_map(im, header);
	ss->kind = STF_SPAN_MAP;
	ss->window.base = ss->window.p = im->map + im->at;
	ss->map_end = ss->window.p + n;
	ss->window.end = ss->window.p + (n > header + MAP_WINDOW ? header + MAP_WINDOW : n);
	ss->window.more = ss->window.end < ss->map_end;
	im->at += n;
	if (!alone) {
		__atomic_store_n(&reader->done, im->at, __ATOMIC_RELAXED);
		if (im->at > BEHIND)
			io_done(reader->io, im->at - BEHIND);
	}
	return 1;
}

/* The window of a map grows in place; what is behind it need not stay in memory. */
static int stf_source_fill_map(struct cairn_reader *reader, struct stf_span *ss)
{
	const struct stf_impl *im = reader->impl;
	size_t left = (size_t)(ss->map_end - ss->window.end);
	uint64_t at = (uint64_t)(ss->window.p - im->map);
	ss->window.end += left > MAP_WINDOW ? MAP_WINDOW : left;
	ss->window.more = ss->window.end < ss->map_end;
	__atomic_store_n(&reader->done, at, __ATOMIC_RELAXED);
	if (at > im->behind)
		io_done(reader->io, at - im->behind);
	return 1;
}

/* One window for one thread: filled as it is used up. */
static int cut_stream_alone(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	/* One span is all: what is left of the stream lies behind a damaged record. */
	if (im->at || (im->eof && im->pending.len == 0 && !im->broken))
		return 0;
	ss->kind = STF_SPAN_STREAM;
	ss->buf = im->pending;
	base_buf_init(&im->pending, reader->cairn);
	ss->window.base = ss->window.p = ss->buf.data;
	ss->window.end = ss->buf.data + ss->buf.len;
	ss->window.more = true;
	im->at = 1;
	return 1;
}

static int cut_stream_piece(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	size_t header = ss->header ? im->header.size : 0, n = 0;
	bool stuck = false;
	for (size_t want = PIECE + header; n == 0; want *= 4) {
		int rc = stf_read_pending(reader, want);
		if (rc < 0)
			return rc;
		if (im->eof)
			break;
		n = stf_last_marker(&im->header.cfg, im->pending.data + header,
		                    im->pending.data + im->pending.len, UINT64_MAX, NULL, &stuck);
		n += n ? header : 0;
		if (n == 0 && stuck)
			im->eof = true; /* nothing behind a damaged record can be read */
		else if (n == 0 && im->pending.len > base_max_hold(reader->cairn))
			return base_fail(reader->cairn, CAIRN_E_LIMIT,
			                 "%s: %zu bytes without an instruction are "
			                 "more than is held in memory",
			                 io_name(reader->io), im->pending.len);
		if (im->eof)
			break;
	}
	if (im->eof)
		n = im->pending.len;
	if (n == 0 && !im->broken)
		return 0;
	ss->kind = STF_SPAN_STREAM;
	ss->buf = im->pending;
	base_buf_init(&im->pending, reader->cairn);
	int rc = base_buf_put(&im->pending, ss->buf.data + n, ss->buf.len - n);
	if (rc < 0)
		return rc;
	ss->window.base = ss->window.p = ss->buf.data;
	ss->window.end = ss->buf.data + n;
	if (im->eof && im->broken) {
		ss->stop_at_end = true;
		snprintf(ss->why, sizeof ss->why, "%s", im->why);
		im->broken = 0;
	}
	__atomic_store_n(&reader->done, io_stored_tell(reader->io), __ATOMIC_RELAXED);
	return 1;
}

int stf_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct stf_impl *im = reader->impl;
	struct stf_span *ss = base_alloc(reader->cairn, sizeof *ss);
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->buf, reader->cairn);
	base_buf_init(&ss->comp_buf, reader->cairn);
	ss->transactions = im->header.cfg.protocol != 0;
	span->priv = ss;
	int rc;
	if (im->zstf) {
		rc = stf_container_cut(reader, ss);
	} else {
		ss->header = !im->begun;
		rc = im->map ? stf_source_cut_map(reader, ss, alone)
		     : alone ? cut_stream_alone(reader, ss)
		             : cut_stream_piece(reader, ss);
	}
	im->begun = true;
	if (rc <= 0)
		stf_drop(reader, span);
	return rc;
}

int stf_load(struct cairn_reader *reader, struct model_span *span)
{
	const struct stf_span *ss = span->priv;
	return ss->kind == STF_SPAN_CHUNK ? stf_container_load(reader, span) : 0;
}

void stf_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	if (!ss)
		return;
	stf_container_drop(reader, ss);
	base_buf_free(&ss->buf);
	base_buf_free(&ss->comp_buf);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

/* ---- windows ---- */

/* Keep the unconsumed bytes, read more behind them. */
static int stf_source_fill_stream(struct cairn_reader *reader, struct stf_span *ss)
{
	struct stf_impl *im = reader->impl;
	size_t kept = (size_t)(ss->window.end - ss->window.p);
	if (kept > base_max_hold(reader->cairn))
		return base_fail(reader->cairn, CAIRN_E_LIMIT,
		                 "%s: a record of more than %zu bytes is larger "
		                 "than what is held in memory",
		                 io_name(reader->io), kept);
	ss->abs += (uint64_t)(ss->window.p - ss->window.base);
	memmove(ss->buf.data, ss->window.p, kept);
	ss->buf.len = kept;
	int rc = base_buf_reserve(&ss->buf, kept > STREAM_WINDOW ? kept : STREAM_WINDOW);
	ss->window.base = ss->window.p = ss->buf.data; /* whole again whatever fails */
	ss->window.end = ss->buf.data + kept;
	if (rc < 0)
		return rc;
	int64_t n = im->eof ? 0 : io_read(reader->io, ss->buf.data + kept, ss->buf.cap - kept);
	if (n == CAIRN_E_NOMEM || n == CAIRN_E_CANCELLED)
		return (int)n;
	if (n < 0)
		stf_stop(reader, ss);
	else if (n == 0 && im->broken) {
		ss->stopped = true;
		snprintf(ss->why, sizeof ss->why, "%s", im->why);
	}
	if (n <= 0) {
		im->eof = true;
		im->broken = 0;
		ss->window.more = false;
	}
	ss->buf.len += n > 0 ? (size_t)n : 0;
	ss->window.end = ss->buf.data + ss->buf.len;
	__atomic_store_n(&reader->done, io_stored_tell(reader->io), __ATOMIC_RELAXED);
	return n > 0;
}

int stf_window_fill(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	if (ss->stop_at_end)
		ss->stopped = true;
	if (!ss->window.more)
		return 0;
	return ss->kind == STF_SPAN_MAP     ? stf_source_fill_map(reader, ss)
	       : ss->kind == STF_SPAN_CHUNK ? stf_container_fill(reader, ss)
	                                    : stf_source_fill_stream(reader, ss);
}

void stf_span_mark(struct stf_span *ss)
{
	ss->first = ss->window;
	ss->passed = 0;
	ss->refilled = false;
}

int stf_span_more(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	uint64_t before = ss->abs;
	bool moves = ss->window.more; /* even when nothing comes */
	int rc = stf_window_fill(reader, span);
	ss->passed += ss->abs - before;
	ss->refilled |= moves;
	return rc;
}

int stf_span_rewind(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	if (!ss->refilled || ss->kind == STF_SPAN_MAP)
		ss->window = ss->first;
	ss->abs -= ss->passed;
	if (!ss->refilled)
		return 0;
	ss->stopped = false;
	return ss->kind == STF_SPAN_CHUNK ? stf_container_load(reader, span) : 0;
}

/* ---- seeking ---- */

int stf_restart(struct cairn_reader *reader, uint64_t place)
{
	struct stf_impl *im = reader->impl;
	int rc = io_seek(reader->io, place);
	im->pending.len = 0;
	im->eof = false;
	im->broken = 0;
	im->at = 0;
	return rc;
}

int stf_seek(struct cairn_reader *reader, uint64_t n)
{
	struct stf_impl *im = reader->impl;
	if (im->zstf && im->chunks) {
		uint64_t chunk = (n - 1) / im->per_chunk;
		if (chunk >= im->n_chunks)
			return base_fail(reader->cairn, CAIRN_E_NOTFOUND,
			                 "%s: number %llu is past the end of the trace", io_name(reader->io),
			                 (unsigned long long)n);
		im->next_chunk = im->first_chunk = chunk;
		stf_container_forget(im);
		reader->reached = true;
		return 0;
	}
	if (!im->map && im->begun) {
		if (im->zstf || !io_can_seek(reader->io))
			return base_fail(reader->cairn, CAIRN_E_STATE, "%s: a stream cannot be read again",
			                 io_name(reader->io));
		int rc = stf_restart(reader, 0);
		if (rc >= 0)
			rc = stf_read_pending(reader, im->header.size);
		if (rc < 0)
			return rc;
	}
	im->at = 0;
	im->begun = false;
	return 0;
}

int stf_probe(const uint8_t *head, size_t n)
{
	if (n >= 4 && (!memcmp(head, "\001STF", 4) || !memcmp(head, "ZSTF", 4)))
		return 100;
	return 0;
}

int stf_worker_new(struct cairn_reader *reader, void **out)
{
	struct stf_worker *worker = base_alloc(reader->cairn, sizeof *worker);
	if (!worker)
		return CAIRN_E_NOMEM;
	*out = worker;
	return 0;
}

int stf_need_code(struct cairn *cairn, struct stf_worker *worker)
{
	if (!worker->code)
		worker->code = stf_code_new(cairn, &worker->code_block);
	return worker->code ? 0 : CAIRN_E_NOMEM;
}

int stf_need_memo(struct cairn *cairn, struct stf_worker *worker)
{
	if (!worker->memo)
		worker->memo = isa_memo_new(cairn);
	return worker->memo ? 0 : CAIRN_E_NOMEM;
}

void stf_worker_free(struct cairn_reader *reader, void *worker)
{
	struct stf_worker *w = worker;
	isa_memo_free(w->memo);
	io_frame_decoder_free(w->frames);
	base_free(reader->cairn, w->code_block);
	base_free(reader->cairn, w->sorts);
	base_free(reader->cairn, w);
}

const char *stf_record_name(const struct cairn_reader *reader, unsigned type)
{
	(void)reader;
	const struct stf_type *t = stf_type(type);
	return t ? t->name : NULL;
}

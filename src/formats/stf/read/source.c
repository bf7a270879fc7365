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

void stf_place(const struct stf_span *ss, char *buf, size_t size)
{
	const char *kind = ss->transactions ? "transaction" : "instruction";
	uint64_t off = kit_offset(&ss->bytes);
	uint64_t n = ss->transactions ? ss->at.x : ss->at.n;
	/* In a chunk, give the place within it: a reader that jumped there knows it as one that came
	 * from before does. */
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
	const uint8_t *before = p - base < STF_LEN_EVENT ? NULL : p - stf_event_length(32, 0);
	return cfg->event_bits == 32 && *p == 0 && before && *before == CAIRN_STF_EVENT &&
	       stf_event_count(before, 32) == 0;
}

/* Say why the record at the window's p cannot be read; true: where it ends is not known. */
static bool reason(const struct cairn_stf_config *cfg, const struct kit_window *window, char *buf,
                   size_t size)
{
	const uint8_t *p = window->p, *end = window->end;
	const struct stf_type *type = stf_type(*p);
	size_t left = (size_t)(end - p);
	bool lost = true;
	if (!type && half_an_event(cfg, window->base, p))
		snprintf(buf, size,
		         "no record has descriptor 0x00, and it follows an EVENT: ids of 32 "
		         "bits are implausible; try --from stf:events=64");
	else if (!type)
		snprintf(buf, size, "no record has descriptor 0x%02x", *p);
	else if (!(lost = cairn_stf_record_length(cfg, p, left) != 0))
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
	return lost;
}

const char *stf_damage_at(struct cairn_reader *reader, struct model_span *span)
{
	const struct stf_impl *im = reader->impl;
	struct stf_span *ss = span->priv;
	char place[128], why[320];
	stf_place(ss, place, sizeof place);
	bool lost = false;
	if (ss->stopped)
		snprintf(why, sizeof why, "%s", ss->bytes.why);
	else
		lost = reason(&im->header.cfg, &ss->bytes.window, why, sizeof why);
	snprintf(ss->sentence, sizeof ss->sentence, "%s: %s%s", place, why,
	         !lost      ? ""
	         : im->zstf ? "; the rest of its chunk cannot be read"
	                    : "; what follows cannot be read");
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

/* ---- where to cut ---- */

/* As in struct kit_source_rules: behind the last marker. */
static int64_t source_border(struct cairn_reader *reader, const void *begin, size_t want,
                             size_t have)
{
	const struct stf_impl *im = reader->impl;
	const uint8_t *p = begin;
	size_t header = im->source.begun ? 0 : im->header.size;
	bool stuck = false;
	(void)have;
	size_t n = stf_last_marker(&im->header.cfg, p + header, p + want,
	                           im->source.map ? PIECE_MARKERS : UINT64_MAX, NULL, &stuck);
	return n ? (int64_t)(header + n) : stuck ? KIT_UNCUT : 0;
}

static const struct kit_source_rules source_rules = {.piece = PIECE,
                                                     .window = MAP_WINDOW,
                                                     .read = STREAM_WINDOW,
                                                     .behind = BEHIND,
                                                     .border = source_border};

/* ---- opening ---- */

static int read_raw_header(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	const void *p;
	size_t n;
	bool all;
	for (size_t want = HEADER_STEP;; want *= 4) {
		int rc = kit_source_head(reader, &im->source, want, &p, &n, &all);
		if (rc < 0)
			return rc;
		rc = stf_header_parse(reader->cairn, &im->opt, p, n, all, &im->header);
		if (rc > 0)
			return base_buf_put(&im->head, p, im->header.size);
		if (rc < 0)
			return base_wrap(reader->cairn, "%s", io_name(reader->io));
		if (want >= HEADER_LIMIT)
			return base_fail(reader->cairn, CAIRN_E_LIMIT, "%s: the header is larger than %d MiB",
			                 io_name(reader->io), HEADER_LIMIT >> 20);
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

/* Find by the first records how all are to be understood; the same records whichever way the bytes
 * come. */
static int find_reading(struct cairn_reader *reader)
{
	struct stf_impl *im = reader->impl;
	size_t at = im->header.size, n = im->head.len;
	const void *p = im->head.data;
	bool all = im->zstf, open = true;
	int rc = 0;
	for (size_t most = all ? STF_SURVEY_MOST : STF_SURVEY; open; most *= 4) {
		if (!im->zstf)
			rc = kit_source_head(reader, &im->source, at + most, &p, &n, &all);
		if (rc < 0)
			return rc;
		if (n < at)
			n = at;
		stf_reading_find(im, (const uint8_t *)p + at, n - at < most ? n - at : most);
		open = !all && most < STF_SURVEY_MOST && stf_reading_open(im);
	}
	im->source.head = at;
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
	kit_source_init(reader->cairn, &im->source, &source_rules);
	stf_container_init(reader);
	int rc = kit_options_parse(reader->cairn, &stf_reading_options, options, &im->opt, NULL);
	if (rc < 0)
		return rc;
	im->opt.lenient = reader->lenient;
	rc = io_peek(reader->io, 4, &head, &n);
	if (rc < 0 && n == 0)
		return base_wrap(reader->cairn, "%s", io_name(reader->io));
	im->zstf = n >= 4 && !memcmp(head, "ZSTF", 4);
	kit_source_open(reader, &im->source, true);
	rc = im->zstf ? stf_container_open(reader) : read_raw_header(reader);
	if (rc >= 0)
		rc = find_reading(reader);
	if (rc >= 0 && im->trouble[0]) {
		struct model_span none = {0};
		model_damaged(reader, &none, "%s", im->trouble);
		model_damage_move(reader->cairn, &reader->damage, &none.damage);
	}
	/* Reading on meets no record that shows it; `check` has a rule for it. */
	if (rc >= 0 && im->header.cut && !im->opt.lenient)
		stf_header_breaks_off(reader);
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
	kit_source_close(&im->source);
	stf_container_close(reader);
	base_free(reader->cairn, im);
}

/* ---- cutting ---- */

int stf_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct stf_impl *im = reader->impl;
	struct stf_span *ss = base_alloc(reader->cairn, sizeof *ss);
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->bytes.buf, reader->cairn);
	base_buf_init(&ss->comp_buf, reader->cairn);
	ss->transactions = im->header.cfg.protocol != 0;
	span->priv = ss;
	ss->header = !im->source.begun;
	int rc =
		im->zstf ? stf_container_cut(reader, ss) : kit_cut(reader, &im->source, &ss->bytes, alone);
	im->source.begun = true;
	ss->bytes.abs = 0;
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
	base_buf_free(&ss->bytes.buf);
	base_buf_free(&ss->comp_buf);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

/* ---- windows ---- */

int stf_window_fill(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	int rc = !ss->bytes.window.more       ? 0
	         : ss->kind == STF_SPAN_CHUNK ? stf_container_fill(reader, ss)
	                                      : kit_fill(reader, &ss->bytes);
	if (rc == 0)
		ss->stopped |= ss->bytes.broken;
	return rc;
}

void stf_span_mark(struct stf_span *ss)
{
	ss->first = ss->bytes.window;
	ss->passed = 0;
	ss->refilled = false;
}

int stf_span_more(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	uint64_t before = ss->bytes.abs;
	bool moves = ss->bytes.window.more; /* even when nothing comes */
	int rc = stf_window_fill(reader, span);
	ss->passed += ss->bytes.abs - before;
	ss->refilled |= moves;
	return rc;
}

int stf_span_rewind(struct cairn_reader *reader, struct model_span *span)
{
	struct stf_span *ss = span->priv;
	if (!ss->refilled || ss->bytes.mapped)
		ss->bytes.window = ss->first;
	ss->bytes.abs -= ss->passed;
	if (!ss->refilled)
		return 0;
	ss->stopped = false;
	return ss->kind == STF_SPAN_CHUNK ? stf_container_load(reader, span) : 0;
}

/* ---- seeking ---- */

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
	if (!im->source.map && im->source.begun && (im->zstf || !io_can_seek(reader->io)))
		return base_fail(reader->cairn, CAIRN_E_STATE, "%s: a stream cannot be read again",
		                 io_name(reader->io));
	int rc = kit_source_restart(reader, &im->source, 0);
	if (rc >= 0 && !im->source.map && !im->zstf)
		rc = model_stream_fill(reader, &im->source.in, im->header.size);
	return rc;
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

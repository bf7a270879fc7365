/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a log and cutting it into spans.
 *
 * A plain file is mapped and spans lie in it; of other sources a span gets its bytes and
 * TEXT_LOOK more, which stay pending for the next one. A cut lies before the line of an
 * instruction, but not before one that says more of the instruction before it; where
 * there is none for long, at any line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/options.h"
#include "text/log.h"
#include "text/text.h"

enum {
	PIECE = 1 << 20,
	HEAD = 1 << 18,
	FAR = 1 << 24, /* a span without an instruction's line is no longer */
	BEHIND = 256 << 20,
	BACK = 1 << 17 /* lines between the two that tell of one instruction */
};

static void source_parse(const struct text_impl *im, const char *p, const char *end,
                         struct text_line *line)
{
	const char *e;
	text_line_end(p, end, &e);
	*line = (struct text_line){0};
	im->d->parse(im, p, (size_t)(e - p), line);
}

/* ---- opening ---- */

static void source_look_at(struct text_impl *im, const char *p, const char *end)
{
	struct text_look *look = &im->look;
	struct text_line line, open = {0};
	if (im->d->look)
		im->d->look(im, p, end);
	while (p < end) {
		const char *e, *next = text_line_end(p, end, &e);
		source_parse(im, p, end, &line);
		look->lines++;
		look->foreign += line.role == TEXT_FOREIGN;
		look->bad += line.role == TEXT_BAD;
		if (line.role == TEXT_INSN) {
			bool again = text_says_again(&open, &line);
			look->insns += !again;
			open = line;
			open.opens &= !again;
			look->isa = look->isa ? look->isa : line.isa;
			look->harts |= line.has_hart && line.hart < 64 ? UINT64_C(1) << line.hart : 0;
		}
		p = next;
	}
}

static int text_source_look_at_head(struct cairn_reader *reader)
{
	struct text_impl *im = reader->impl;
	const char *p = im->map;
	size_t n = im->map_len;
	if (!p) {
		int rc = model_stream_fill(reader, &im->in, HEAD);
		if (rc < 0)
			return rc;
		p = (const char *)model_stream_data(&im->in);
		n = model_stream_len(&im->in);
	}
	im->look.whole = im->map ? n <= HEAD : im->in.eof;
	if (n > HEAD || !im->look.whole) {
		size_t most = n > HEAD ? (size_t)HEAD : n;
		n = (size_t)(log_line_begin(p, p + most) - p);
	}
	if (n)
		source_look_at(im, p, p + n);
	return 0;
}

int text_open(struct cairn_reader *reader, const struct text_dialect *dialect, const char *options)
{
	struct text_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	im->d = dialect;
	base_buf_init(&im->in.buf, reader->cairn);
	im->piece = PIECE;
	int rc = kit_options_parse(reader->cairn, dialect->options, options, im, NULL);
	im->isa_given = im->isa != 0;
	if (rc < 0)
		return rc;
	im->map = (const char *)io_map(reader->io, &im->map_len);
	reader->total = im->map ? im->map_len : io_stored_size(reader->io);
	if (reader->total == IO_UNKNOWN)
		reader->total = 0;
	_Static_assert(sizeof(struct text_state) <= MODEL_STATE, "a state fits");
	reader->can = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_REGS |
	              CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_EVENTS | CAIRN_BYTES | CAIRN_PLACES |
	              dialect->can;
	rc = text_source_look_at_head(reader);
	reader->isa = im->isa ? im->isa : im->look.isa;
	return rc;
}

void text_close(struct cairn_reader *reader)
{
	struct text_impl *im = reader->impl;
	if (!im)
		return;
	base_buf_free(&im->in.buf);
	base_free(reader->cairn, im);
	reader->impl = NULL;
}

/* ---- where a span may begin ---- */

/* The line at p begins an instruction; is it not the other half of the one before? */
static bool source_begins(const struct text_impl *im, const char *from, const char *p,
                          const struct text_line *line)
{
	struct text_line before;
	if (!line->joins)
		return true;
	for (const char *q = p; q > from && p - q < BACK;) {
		q = log_line_begin(from, q - 1);
		source_parse(im, q, p, &before);
		if (before.role == TEXT_INSN)
			return !text_says_again(&before, line);
	}
	return false;
}

/* What comes before the first instruction is its own: a span holds one. */
static bool holds_insn(const struct text_impl *im, const char *p, const char *end)
{
	struct text_line line;
	while (p < end) {
		const char *e;
		source_parse(im, p, end, &line);
		if (line.role == TEXT_INSN)
			return true;
		p = text_line_end(p, end, &e);
	}
	return false;
}

static const char *text_source_last_cut(const struct text_impl *im, const char *from,
                                        const char *want, const char *end)
{
	struct text_line line;
	for (const char *p = want; p > from;) {
		p = log_line_begin(from, p - 1);
		if (p == from)
			break;
		source_parse(im, p, end, &line);
		if (line.role == TEXT_INSN && source_begins(im, from, p, &line))
			return holds_insn(im, from, p) ? p : NULL;
	}
	return NULL;
}

/* Where the piece ends that begins at p; `last`: the trace ends at `end`. NULL: ask again
 * with more bytes. */
static const char *source_piece_end(const struct text_impl *im, const char *p, const char *end,
                                    bool last)
{
	for (size_t want = im->piece;; want *= 4) {
		if (!last && want + TEXT_LINE_MAX >= (size_t)(end - p))
			return NULL;
		if (want >= (size_t)(end - p))
			return end;
		const char *cut = text_source_last_cut(im, p, p + want, end);
		if (cut)
			return cut;
		if (want < FAR)
			continue;
		cut = log_line_begin(p, p + want);
		return cut > p ? cut : p + want / TEXT_LINE_MAX * TEXT_LINE_MAX;
	}
}

/* ---- cutting ---- */

static int text_source_cut_map(struct cairn_reader *reader, struct text_span *ss)
{
	struct text_impl *im = reader->impl;
	const char *p = im->map + im->at, *end = im->map + im->map_len;
	if (p == end)
		return 0;
	ss->begin = im->at;
	ss->base = ss->p = p;
	ss->end = source_piece_end(im, p, end, true);
	ss->see = end;
	ss->see_all = true;
	im->at = (size_t)(ss->end - im->map);
	__atomic_store_n(&reader->done, im->at, __ATOMIC_RELAXED);
	if (im->at > BEHIND)
		io_done(reader->io, im->at - BEHIND);
	return 1;
}

static int text_source_cut_stream(struct cairn_reader *reader, struct text_span *ss)
{
	struct text_impl *im = reader->impl;
	struct model_stream *in = &im->in;
	const char *stop = NULL, *p = NULL;
	for (size_t want = im->piece + TEXT_LOOK + TEXT_LINE_MAX; !stop; want *= 2) {
		int rc = model_stream_fill(reader, in, want);
		if (rc < 0)
			return rc;
		p = (const char *)model_stream_data(in);
		const char *end = p + model_stream_len(in);
		if (p == end)
			break;
		stop = source_piece_end(im, p, end, in->eof);
		if (stop && !in->eof && end - stop < TEXT_LOOK)
			stop = NULL;
	}
	if (!stop && !in->broken)
		return 0;
	size_t n = stop ? (size_t)(stop - p) : 0;
	ss->begin = in->at;
	ss->base = ss->p = (const char *)model_stream_take(in, &ss->buf, n, 0);
	if (!ss->p)
		return CAIRN_E_NOMEM;
	ss->end = ss->p + n;
	ss->see = ss->p + n + model_stream_len(in);
	ss->see_all = in->eof;
	ss->broken = model_stream_broke(in, ss->why);
	return 1;
}

int text_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct text_impl *im = reader->impl;
	struct text_span *ss = base_alloc(reader->cairn, sizeof *ss);
	(void)alone;
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->buf, reader->cairn);
	span->priv = ss;
	int rc = im->map ? text_source_cut_map(reader, ss) : text_source_cut_stream(reader, ss);
	im->begun = true;
	if (rc <= 0)
		text_drop(reader, span);
	return rc;
}

void text_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct text_span *ss = span->priv;
	if (!ss)
		return;
	base_buf_free(&ss->buf);
	base_free(reader->cairn, ss->bad);
	base_free(reader->cairn, ss->wide);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

/* ---- places ---- */

/* Read on from byte `where` of the log. */
static int text_source_restart(struct cairn_reader *reader, uint64_t where)
{
	struct text_impl *im = reader->impl;
	im->at = (size_t)where;
	return im->map ? 0 : log_restart(reader, &im->in, &im->begun, where);
}

int text_seek(struct cairn_reader *reader, uint64_t n)
{
	(void)n;
	return text_source_restart(reader, 0);
}

uint64_t text_place(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct text_span *ss = span->priv;
	return io_can_seek(reader->io) ? ss->begin : 0;
}

int text_jump(struct cairn_reader *reader, uint64_t where)
{
	const struct text_impl *im = reader->impl;
	int rc = log_may_jump(reader, im->map, im->map_len, where);
	return rc < 0 ? rc : text_source_restart(reader, where);
}

int text_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	(void)reader;
	return log_words_put(state, sizeof(struct text_state), out);
}

int text_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	struct text_state at;
	int rc = log_words_get(reader, p, n, &at, sizeof at);
	if (rc < 0)
		return rc;
	if (at.n == 0 || at.line == 0 || at.known >> TEXT_HARTS)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "a state of a log makes no sense");
	memcpy(state, &at, sizeof at);
	return 0;
}

/* ---- workers ---- */

int text_worker_new(struct cairn_reader *reader, void **out)
{
	struct text_worker *worker = base_alloc(reader->cairn, sizeof *worker);
	if (!worker)
		return CAIRN_E_NOMEM;
	worker->memo = isa_memo_new(reader->cairn);
	worker->scratch = worker->memo ? cairn_batch_new(reader->cairn) : NULL;
	if (!worker->scratch) {
		text_worker_free(reader, worker);
		return CAIRN_E_NOMEM;
	}
	*out = worker;
	return 0;
}

void text_worker_free(struct cairn_reader *reader, void *worker)
{
	struct text_worker *w = worker;
	isa_memo_free(w->memo);
	cairn_batch_free(reader->cairn, w->scratch);
	base_free(reader->cairn, w);
}

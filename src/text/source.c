/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a log, cutting it into spans, and its places.
 *
 * By rows a cut lies before the line of an instruction, but not before one that says more of the
 * instruction before it; where there is none for long, at any line. A span gets its bytes, and
 * TEXT_LOOK more can be seen.
 */
#include <string.h>

#include "base/bytes.h"
#include "io/io.h"
#include "kit/options.h"
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
	const char *e, *next = text_line_end(p, end, &e);
	text_parse(im, p, e, next, line);
}

/* ---- where a span may begin ---- */

/* Does the line at p begin an instruction, rather than being the other half of the one before? */
static bool source_begins(const struct text_impl *im, const char *from, const char *p,
                          const struct text_line *line)
{
	struct text_line before;
	if (!line->joins)
		return true;
	for (const char *q = p; q > from && p - q < BACK;) {
		q = text_line_begin(from, q - 1);
		source_parse(im, q, p, &before);
		if (before.role == TEXT_INSN)
			return !text_says_again(&before, line);
	}
	return false;
}

/* What comes before the first instruction belongs to it, so a span must hold one. */
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
		p = text_line_begin(from, p - 1);
		if (p == from)
			break;
		source_parse(im, p, end, &line);
		if (line.role == TEXT_INSN && source_begins(im, from, p, &line))
			return holds_insn(im, from, p) ? p : NULL;
	}
	return NULL;
}

/* As struct kit_source_rules has it. A piece without an instruction ends at any line. */
static int64_t source_border(struct cairn_reader *reader, const void *begin, size_t want,
                             size_t have)
{
	const char *p = begin;
	const char *cut = text_source_last_cut(reader->impl, p, p + want, p + have);
	if (cut || want < FAR)
		return cut ? cut - p : 0;
	cut = text_line_begin(p, p + want);
	return cut > p ? cut - p : (int64_t)(want / TEXT_LINE_MAX * TEXT_LINE_MAX);
}

static const struct kit_source_rules source_rules = {.piece = PIECE,
                                                     .look = TEXT_LOOK + TEXT_LINE_MAX,
                                                     .behind = BEHIND,
                                                     .border = source_border};

/* ---- opening ---- */

static void rows_look(struct text_impl *im, const char *p, const char *end)
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
	const void *head;
	size_t n;
	int rc = kit_source_head(reader, &im->source, im->d->way->head, &head, &n, &im->look.whole);
	const char *p = head;
	if (rc >= 0 && !im->look.whole)
		n = (size_t)(text_line_begin(p, p + n) - p);
	if (rc >= 0 && n)
		im->d->way->look(im, p, p + n);
	return rc;
}

int text_open(struct cairn_reader *reader, const char *options)
{
	const struct text_dialect *dialect = reader->format->own;
	struct text_impl *im = base_alloc(reader->cairn, dialect->way->impl_size);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	im->d = dialect;
	kit_source_init(reader->cairn, &im->source, dialect->way->source);
	int rc = kit_options_parse(reader->cairn, reader->format->options, options, im, NULL);
	im->isa_given = im->isa != 0;
	if (rc < 0)
		return rc;
	kit_source_open(reader, &im->source, true);
	_Static_assert(sizeof(struct text_place) + sizeof(struct kit_flow) <= MODEL_STATE,
	               "a state fits");
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
	kit_source_close(&im->source);
	base_free(reader->cairn, im);
	reader->impl = NULL;
}

/* ---- cutting ---- */

int text_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct text_impl *im = reader->impl;
	struct text_span *ss = base_alloc(reader->cairn, im->d->way->span_size);
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->bytes.buf, reader->cairn);
	span->priv = ss;
	int rc = kit_cut(reader, &im->source, &ss->bytes, alone);
	if (rc <= 0)
		text_drop(reader, span);
	else if (im->d->way->cut)
		im->d->way->cut(ss);
	return rc;
}

void text_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct text_span *ss = span->priv;
	if (!ss)
		return;
	base_buf_free(&ss->bytes.buf);
	base_free(reader->cairn, ss->bad);
	base_free(reader->cairn, ss->wide);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

/* ---- places ---- */

int text_seek(struct cairn_reader *reader, uint64_t n)
{
	struct text_impl *im = reader->impl;
	if (n > 1 && im->states_only)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: a log of state has no instructions; its "
		                 "lines are numbered: r%llu",
		                 io_name(reader->io), (unsigned long long)n);
	return kit_source_restart(reader, &im->source, 0);
}

uint64_t text_place(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct text_span *ss = span->priv;
	return io_can_seek(reader->io) && !ss->bytes.alone ? ss->bytes.begin : 0;
}

int text_jump(struct cairn_reader *reader, uint64_t where)
{
	struct text_impl *im = reader->impl;
	const uint8_t *map = im->source.map;
	if (where == 0 || (map && (where >= im->source.map_len || map[where - 1] != '\n')))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "no span of the log begins at byte %llu",
		                 (unsigned long long)where);
	return kit_source_restart(reader, &im->source, where);
}

/* A state is words, which mean the same everywhere. */
static size_t state_size(const struct cairn_reader *reader)
{
	const struct text_impl *im = reader->impl;
	return sizeof(struct text_place) + im->d->way->flow_size;
}

int text_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	size_t size = state_size(reader);
	int rc = base_buf_reserve(out, size);
	for (size_t i = 0; i < size && rc >= 0; i += 8) {
		uint64_t word;
		memcpy(&word, (const uint8_t *)state + i, sizeof word);
		base_put_le64(out->data + out->len, word);
		out->len += sizeof word;
	}
	return rc;
}

int text_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	const struct text_impl *im = reader->impl;
	uint64_t words[MODEL_STATE / 8];
	struct text_place at;
	if (n != state_size(reader))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "a state of %s has %zu bytes, not %zu",
		                 reader->format->name, state_size(reader), n);
	for (size_t i = 0; i < n / 8; i++)
		words[i] = base_le64(p + 8 * i);
	memcpy(&at, words, sizeof at);
	if (at.n == 0 || at.line == 0 || !im->d->way->possible(words + sizeof at / 8))
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "a state of %s makes no sense",
		                 reader->format->name);
	memcpy(state, words, n);
	return 0;
}

/* ---- workers ---- */

int text_worker_new(struct cairn_reader *reader, void **out)
{
	const struct text_impl *im = reader->impl;
	struct text_worker *worker = base_alloc(reader->cairn, im->d->way->worker_size);
	if (!worker)
		return CAIRN_E_NOMEM;
	worker->memo = isa_memo_new(reader->cairn);
	bool scratch = worker->memo && im->d->way == &text_by_rows;
	worker->scratch = scratch ? cairn_batch_new(reader->cairn) : NULL;
	if (!worker->memo || (scratch && !worker->scratch)) {
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

/* ---- by rows ---- */

static void rows_join(const struct text_span *ss, const void *learnt, void *flow)
{
	const struct text_rows_span *rows = (const struct text_rows_span *)ss;
	const struct kit_flow *own = learnt;
	struct kit_flow *out = flow;
	out->known = (out->known & ~rows->touched) | (own->known & rows->touched);
	for (unsigned h = 0; h < KIT_HARTS; h++)
		if (rows->touched >> h & 1)
			out->next[h] = own->next[h];
}

static bool rows_possible(const void *flow)
{
	const struct kit_flow *of = flow;
	return of->known >> KIT_HARTS == 0;
}

const struct text_way text_by_rows = {.impl_size = sizeof(struct text_impl),
                                      .span_size = sizeof(struct text_rows_span),
                                      .worker_size = sizeof(struct text_worker),
                                      .flow_at = offsetof(struct text_rows_span, flow),
                                      .flow_size = sizeof(struct kit_flow),
                                      .head = HEAD,
                                      .source = &source_rules,
                                      .look = rows_look,
                                      .scan = text_rows_scan,
                                      .join = rows_join,
                                      .possible = rows_possible,
                                      .decode = text_rows_decode,
                                      .record = text_rows_record,
                                      .facts = text_rows_facts};

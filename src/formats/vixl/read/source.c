/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a log and cutting it into spans.
 *
 * A plain file is mapped: one thread reads it as one span, several get pieces of about a
 * megabyte. Other sources are read on and handed over in windows. Cuts lie where an
 * instruction's line begins: an instruction and all that belongs to it stay together.
 * What comes after the end of a run belongs to the instruction that follows, so there
 * the cut lies behind that end. A log without instructions is cut where no group of
 * lines (registers, then accesses to what they hold) is divided.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vixl/line/hex.h"
#include "formats/vixl/vixl.h"
#include "kit/options.h"
#include "text/log.h"

enum {
	PIECE = 1 << 20,
	WINDOW = 4 << 20,
	HEAD = 1 << 20,
	BEHIND = 16 << 20,           /* pages of the map this far behind are not needed again */
	RUN_BLOCK = 1 << 17,         /* the lines before a run's first instruction are fewer bytes */
	HISTORY = 2 * VIXL_REG_REACH /* an instruction's lines are in one window with it, or two */
};

static const char run_end[] = " to 0x0000000000000000.";

/* The beginning of the line that holds p, or begins there. */
/* ---- opening ---- */

static const struct kit_option reading[] = {
	{"piece", "BYTES", "how much one thread works on at a time", KIT_NUMBER,
     KIT_AT(struct vixl_impl, piece), .least = 1, .most = 1u << 30},
};
const struct kit_options vixl_reading_options = {"vixl", "reading VIXL", reading, 1};

static int vixl_source_look_at_head(struct cairn_reader *reader)
{
	struct vixl_impl *im = reader->impl;
	const char *p = im->map;
	size_t n = im->map_len, whole = n;
	if (!p) {
		int rc = model_stream_fill(reader, &im->in, HEAD);
		if (rc < 0)
			return rc;
		p = (const char *)model_stream_data(&im->in);
		n = model_stream_len(&im->in);
		whole = im->in.eof ? n : SIZE_MAX;
	}
	im->look.whole = whole <= HEAD;
	n = n > HEAD ? (size_t)(log_line_begin(p, p + HEAD) - p) : n;
	if (n)
		vixl_look(p, n, &im->look);
	if (im->map && !im->look.whole && !im->look.insns)
		im->look.insns = vixl_find_insn(p, p + im->map_len) != NULL;
	if (im->map && !im->look.whole && !im->look.states)
		im->look.states = memmem(p, im->map_len, "\n# ", 3) != NULL;
	return 0;
}

int vixl_open(struct cairn_reader *reader, const char *options)
{
	struct vixl_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	base_buf_init(&im->in.buf, reader->cairn);
	im->piece = PIECE;
	int rc = kit_options_parse(reader->cairn, &vixl_reading_options, options, im, NULL);
	if (rc < 0)
		return rc;
	im->map = (const char *)io_map(reader->io, &im->map_len);
	reader->total = im->map ? im->map_len : io_stored_size(reader->io);
	if (reader->total == IO_UNKNOWN)
		reader->total = 0;
	rc = vixl_source_look_at_head(reader);
	if (rc < 0)
		return rc;
	bool maybe = !im->look.whole && !im->map; /* there may be some further on */
	reader->can = CAIRN_EVENTS | CAIRN_BYTES | CAIRN_PLACES;
	reader->isa = CAIRN_ISA_A64;
	if (im->look.insns)
		reader->can |= CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_ASM;
	else
		reader->can |= CAIRN_ROW_PLACES;
	if (im->look.states || maybe)
		reader->can |= CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES;
	return 0;
}

void vixl_close(struct cairn_reader *reader)
{
	struct vixl_impl *im = reader->impl;
	if (!im)
		return;
	base_buf_free(&im->in.buf);
	base_free(reader->cairn, im);
}

/* ---- where to cut ---- */

/* Does this line end a run? */
static bool ends_run(const char *p, const char *end)
{
	struct vixl_plain plain;
	struct vixl_line line;
	const char *e;
	if (vixl_is_elsewhere(p, (size_t)(end - p)))
		return true;
	if (!memmem(p, (size_t)(end - p), run_end, sizeof run_end - 1))
		return false;
	vixl_line_end(p, end, &e);
	vixl_parse(p, (size_t)(e - p), &line, &plain);
	return line.kind == VIXL_BRANCH && line.addr == 0 && !line.masked;
}

/* p begins an instruction's line. A span may begin there when another instruction comes
 * before it: behind the end of that one's run, if it has ended, or at p. NULL: not here. */
static const char *source_begin_at(const char *from, const char *p)
{
	const char *cut = p;
	for (const char *q = p; q > from && p - q < RUN_BLOCK;) {
		const char *line = log_line_begin(from, q - 1);
		if (vixl_find_insn(line, q))
			return cut;
		if (ends_run(line, q))
			cut = q;
		q = line;
	}
	return NULL;
}

static const char *cut_at_insn(const char *from, const char *want, const char *end)
{
	for (const char *p = want; p > from;) {
		p = log_line_begin(from, p - 1);
		const char *cut =
			p > from && vixl_is_insn(p, (size_t)(end - p)) ? source_begin_at(from, p) : NULL;
		if (cut)
			return cut;
	}
	return NULL;
}

/* Not in a group: registers with the accesses that follow, or the same register twice. */
bool vixl_may_begin(const char *from, const char *p, const char *end)
{
	enum { NEAR = 8 };
	struct vixl_plain room, *plain = &room;
	struct vixl_line line, before;
	const char *e, *next = vixl_line_end(p, end, &e);
	unsigned registers = 0;
	vixl_parse(p, (size_t)(e - p), &line, plain);
	if (!vixl_is_register(line.kind) && line.kind != VIXL_NZCV && line.kind != VIXL_FPCR &&
	    line.kind != VIXL_BRANCH && line.kind != VIXL_GCS)
		return false;
	const char *last = log_line_begin(from, p - 1);
	vixl_parse(last, (size_t)(p - 1 - last), &before, plain);
	if (line.kind == VIXL_WREG && before.kind == VIXL_XREG && line.num == before.num)
		return false;
	if (line.kind == VIXL_PREG && before.kind == VIXL_PREG)
		return false;
	for (unsigned i = 0; i < NEAR; i++) {
		if (line.kind == VIXL_ACCESS)
			return registers >= line.n_values;
		if (line.kind == VIXL_BLANK)
			return false;
		if (!vixl_is_register(line.kind) || line.arrow || next == end)
			return true;
		registers++;
		p = next;
		next = vixl_line_end(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &line, plain);
	}
	return true;
}

static const char *cut_at_state(const char *from, const char *want, const char *end)
{
	for (const char *p = want; p > from;) {
		p = log_line_begin(from, p - 1);
		if (p > from && vixl_may_begin(from, p, end))
			return p;
	}
	return NULL;
}

/* The last place within [from, want) where a span may end; NULL: there is none. `end`
 * bounds what may be looked at. */
static const char *vixl_source_last_cut(const struct vixl_impl *im, const char *from,
                                        const char *want, const char *end)
{
	return vixl_state_only(im) ? cut_at_state(from, want, end) : cut_at_insn(from, want, end);
}

/* ---- cutting ---- */

/* The next span's first line, for who has to know where the flow went. */
static void peek(struct vixl_span *ss, const char *p, const char *end)
{
	ss->peeked = end - p >= VIXL_INSN_HEAD && vixl_is_insn(p, (size_t)(end - p)) &&
	             vixl_hex16(p + 2, &ss->peek);
}

/* Windows of a map end where a line does. */
static const char *window_end(const char *p, const char *end)
{
	if (end - p <= WINDOW)
		return end;
	const char *nl = memchr(p + WINDOW, '\n', (size_t)(end - p - WINDOW));
	return nl ? nl + 1 : end;
}

static int vixl_source_cut_map(struct cairn_reader *reader, struct vixl_span *ss, bool alone)
{
	struct vixl_impl *im = reader->impl;
	const char *p = im->map + im->at, *end = im->map + im->map_len, *stop = end;
	if (p == end)
		return 0;
	for (size_t want = im->piece; !alone && want < (size_t)(end - p); want *= 8) {
		const char *cut = vixl_source_last_cut(im, p, p + want, end);
		if (cut) {
			stop = cut;
			break;
		}
	}
	ss->mapped = true;
	ss->begin = ss->abs = im->at;
	ss->window.base = ss->window.p = p;
	ss->window.back = im->map;
	ss->map_end = stop;
	ss->window.end = alone ? window_end(p, stop) : stop;
	ss->window.more = ss->window.end < stop;
	peek(ss, stop, end);
	im->at = (size_t)(stop - im->map);
	if (!alone) {
		__atomic_store_n(&reader->done, im->at, __ATOMIC_RELAXED);
		if (im->at > BEHIND)
			io_done(reader->io, im->at - BEHIND);
	}
	return 1;
}

/* How much of the pending bytes is the next span's. */
static int piece_of_stream(struct cairn_reader *reader, bool alone, size_t *n)
{
	struct vixl_impl *im = reader->impl;
	struct model_stream *in = &im->in;
	*n = 0;
	for (size_t want = alone ? (size_t)WINDOW : im->piece; *n == 0; want *= 4) {
		int rc = model_stream_fill(reader, in, want);
		if (rc < 0)
			return rc;
		size_t len = model_stream_len(in);
		const char *p = (const char *)model_stream_data(in), *end = p + len;
		if (in->eof) {
			*n = len;
			break;
		}
		const char *cut = alone ? log_line_begin(p, end) : vixl_source_last_cut(im, p, end, end);
		if (cut && cut > p)
			*n = (size_t)(cut - p);
		else if (alone && len > VIXL_LINE_MAX)
			*n = len / VIXL_LINE_MAX * VIXL_LINE_MAX;
		if (*n == 0 && len > base_max_hold(reader->cairn))
			return base_fail(reader->cairn, CAIRN_E_LIMIT,
			                 "%s: %zu bytes without an instruction are more "
			                 "than is held in memory",
			                 io_name(reader->io), len);
	}
	return 0;
}

/* `n` bytes become the span's window. */
static int take_window(struct cairn_reader *reader, struct vixl_span *ss, size_t n)
{
	struct vixl_impl *im = reader->impl;
	struct model_stream *in = &im->in;
	ss->abs = in->at;
	const uint8_t *p = model_stream_take(in, &ss->buf, n, HISTORY);
	if (!p)
		return CAIRN_E_NOMEM;
	ss->window.base = ss->window.p = (const char *)p;
	ss->window.back = (const char *)(ss->buf.data ? ss->buf.data : p);
	ss->window.end = ss->window.p + n;
	ss->window.more = ss->alone && !(in->eof && model_stream_len(in) == 0);
	ss->broken = model_stream_broke(in, ss->why);
	return 0;
}

static int vixl_source_cut_stream(struct cairn_reader *reader, struct vixl_span *ss, bool alone)
{
	struct vixl_impl *im = reader->impl;
	size_t n;
	int rc = piece_of_stream(reader, alone, &n);
	if (rc < 0)
		return rc;
	if (n == 0 && !im->in.broken)
		return 0;
	rc = take_window(reader, ss, n);
	if (rc < 0)
		return rc;
	ss->begin = ss->abs;
	const char *p = (const char *)model_stream_data(&im->in);
	if (model_stream_len(&im->in))
		peek(ss, p, p + model_stream_len(&im->in));
	return 1;
}

int vixl_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct vixl_impl *im = reader->impl;
	struct vixl_span *ss = base_alloc(reader->cairn, sizeof *ss);
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->buf, reader->cairn);
	ss->alone = alone;
	span->priv = ss;
	int rc = im->map ? vixl_source_cut_map(reader, ss, alone)
	                 : vixl_source_cut_stream(reader, ss, alone);
	im->begun = true;
	if (rc <= 0)
		vixl_drop(reader, span);
	return rc;
}

void vixl_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct vixl_span *ss = span->priv;
	if (!ss)
		return;
	base_buf_free(&ss->buf);
	base_free(reader->cairn, ss->bad);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

/* ---- windows ---- */

static int vixl_source_fill_map(struct cairn_reader *reader, struct vixl_span *ss)
{
	const struct vixl_impl *im = reader->impl;
	uint64_t at = (uint64_t)(ss->window.p - im->map);
	ss->window.end = window_end(ss->window.p, ss->map_end);
	ss->window.more = ss->window.end < ss->map_end;
	__atomic_store_n(&reader->done, at, __ATOMIC_RELAXED);
	if (at > WINDOW)
		io_done(reader->io, at - WINDOW);
	return 1;
}

/* The window is used up; what follows is pending. */
static int vixl_source_fill_stream(struct cairn_reader *reader, struct vixl_span *ss)
{
	size_t n;
	int rc = piece_of_stream(reader, true, &n);
	if (rc >= 0)
		rc = take_window(reader, ss, n);
	return rc < 0 ? rc : n > 0;
}

int vixl_window_fill(struct cairn_reader *reader, struct model_span *span)
{
	struct vixl_span *ss = span->priv;
	if (!ss->window.more)
		return 0;
	return ss->mapped ? vixl_source_fill_map(reader, ss) : vixl_source_fill_stream(reader, ss);
}

/* ---- places ---- */

/* Read on from byte `where` of the log. */
static int vixl_source_restart(struct cairn_reader *reader, uint64_t where)
{
	struct vixl_impl *im = reader->impl;
	im->at = (size_t)where;
	return im->map ? 0 : log_restart(reader, &im->in, &im->begun, where);
}

int vixl_seek(struct cairn_reader *reader, uint64_t n)
{
	struct vixl_impl *im = reader->impl;
	if (n > 1 && vixl_state_only(im))
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: a log of state has no instructions; its "
		                 "lines are numbered: r%llu",
		                 io_name(reader->io), (unsigned long long)n);
	return vixl_source_restart(reader, 0);
}

uint64_t vixl_place(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct vixl_span *ss = span->priv;
	return io_can_seek(reader->io) && !ss->alone ? ss->begin : 0;
}

int vixl_jump(struct cairn_reader *reader, uint64_t where)
{
	const struct vixl_impl *im = reader->impl;
	int rc = log_may_jump(reader, im->map, im->map_len, where);
	return rc < 0 ? rc : vixl_source_restart(reader, where);
}

int vixl_state_put(const struct cairn_reader *reader, const void *state, struct base_buf *out)
{
	(void)reader;
	return log_words_put(state, sizeof(struct vixl_state), out);
}

int vixl_state_get(const struct cairn_reader *reader, const uint8_t *p, size_t n, void *state)
{
	struct vixl_state at;
	int rc = log_words_get(reader, p, n, &at, sizeof at);
	if (rc < 0)
		return rc;
	if (at.n == 0 || at.line == 0 || at.flags > 15)
		return base_fail(reader->cairn, CAIRN_E_DAMAGED, "a state of VIXL makes no sense");
	memcpy(state, &at, sizeof at);
	return 0;
}

/* ---- workers ---- */

int vixl_worker_new(struct cairn_reader *reader, void **out)
{
	struct vixl_worker *worker = base_alloc(reader->cairn, sizeof *worker);
	if (!worker)
		return CAIRN_E_NOMEM;
	worker->memo = isa_memo_new(reader->cairn);
	if (!worker->memo) {
		base_free(reader->cairn, worker);
		return CAIRN_E_NOMEM;
	}
	*out = worker;
	return 0;
}

void vixl_worker_free(struct cairn_reader *reader, void *worker)
{
	struct vixl_worker *w = worker;
	isa_memo_free(w->memo);
	base_free(reader->cairn, w);
}

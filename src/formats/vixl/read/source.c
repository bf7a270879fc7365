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

static int64_t source_border(struct cairn_reader *reader, const void *begin, size_t want,
                             size_t have)
{
	const char *p = begin;
	const char *cut = vixl_state_only(reader->impl) ? cut_at_state(p, p + want, p + have)
	                                                : cut_at_insn(p, p + want, p + have);
	return cut ? cut - p : 0;
}

/* Windows end where a line does, which is taken as several if it is very long. */
static size_t whole_lines(const void *begin, size_t n)
{
	const char *p = begin;
	size_t whole = (size_t)(log_line_begin(p, p + n) - p);
	return whole || n <= VIXL_LINE_MAX ? whole : n / VIXL_LINE_MAX * VIXL_LINE_MAX;
}

static const struct kit_source_rules source_rules = {.piece = PIECE,
                                                     .window = WINDOW,
                                                     .read = WINDOW,
                                                     .back = HISTORY,
                                                     .behind = BEHIND,
                                                     .border = source_border,
                                                     .whole = whole_lines};

/* ---- opening ---- */

static const struct kit_option reading[] = {
	{"piece", "BYTES", "how much one thread works on at a time", KIT_NUMBER,
     KIT_AT(struct vixl_impl, source.piece), .least = 1, .most = 1u << 30},
};
const struct kit_options vixl_reading_options = {"vixl", "reading VIXL", reading, 1};

static int vixl_source_look_at_head(struct cairn_reader *reader)
{
	struct vixl_impl *im = reader->impl;
	const struct kit_source *source = &im->source;
	const void *head;
	size_t n;
	int rc = kit_source_head(reader, &im->source, HEAD, &head, &n, &im->look.whole);
	const char *p = head;
	if (rc >= 0 && !im->look.whole)
		n = (size_t)(log_line_begin(p, p + n) - p);
	if (rc >= 0 && n)
		vixl_look(p, n, &im->look);
	if (source->map && !im->look.whole && !im->look.insns)
		im->look.insns = vixl_find_insn(p, p + source->map_len) != NULL;
	if (source->map && !im->look.whole && !im->look.states)
		im->look.states = memmem(p, source->map_len, "\n# ", 3) != NULL;
	return rc;
}

int vixl_open(struct cairn_reader *reader, const char *options)
{
	struct vixl_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	kit_source_init(reader->cairn, &im->source, &source_rules);
	im->source.behind = WINDOW;
	int rc = kit_options_parse(reader->cairn, &vixl_reading_options, options, im, NULL);
	if (rc < 0)
		return rc;
	kit_source_open(reader, &im->source, true);
	rc = vixl_source_look_at_head(reader);
	if (rc < 0)
		return rc;
	bool maybe = !im->look.whole && !im->source.map; /* there may be some further on */
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
	kit_source_close(&im->source);
	base_free(reader->cairn, im);
}

/* ---- cutting ---- */

int vixl_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct vixl_impl *im = reader->impl;
	struct vixl_span *ss = base_alloc(reader->cairn, sizeof *ss);
	if (!ss)
		return CAIRN_E_NOMEM;
	base_buf_init(&ss->bytes.buf, reader->cairn);
	span->priv = ss;
	int rc = kit_cut(reader, &im->source, &ss->bytes, alone);
	if (rc <= 0) {
		vixl_drop(reader, span);
		return rc;
	}
	/* The next span's first line tells where the flow went. */
	const char *p = ss->bytes.mapped ? ss->bytes.map_end : ss->bytes.window.end;
	const char *see = ss->bytes.see;
	ss->peeked = see - p >= VIXL_INSN_HEAD && vixl_is_insn(p, (size_t)(see - p)) &&
	             vixl_hex16(p + 2, &ss->peek);
	return rc;
}

void vixl_drop(struct cairn_reader *reader, struct model_span *span)
{
	struct vixl_span *ss = span->priv;
	if (!ss)
		return;
	base_buf_free(&ss->bytes.buf);
	base_free(reader->cairn, ss->bad);
	base_free(reader->cairn, ss);
	span->priv = NULL;
}

/* ---- places ---- */

int vixl_seek(struct cairn_reader *reader, uint64_t n)
{
	struct vixl_impl *im = reader->impl;
	if (n > 1 && vixl_state_only(im))
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: a log of state has no instructions; its "
		                 "lines are numbered: r%llu",
		                 io_name(reader->io), (unsigned long long)n);
	return kit_source_restart(reader, &im->source, 0);
}

uint64_t vixl_place(const struct cairn_reader *reader, const struct model_span *span)
{
	const struct vixl_span *ss = span->priv;
	return io_can_seek(reader->io) && !ss->bytes.alone ? ss->bytes.begin : 0;
}

int vixl_jump(struct cairn_reader *reader, uint64_t where)
{
	struct vixl_impl *im = reader->impl;
	int rc = log_may_jump(reader, &im->source, where);
	return rc < 0 ? rc : kit_source_restart(reader, &im->source, where);
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

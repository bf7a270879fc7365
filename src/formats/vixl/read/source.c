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
#include <string.h>

#include "formats/vixl/line/hex.h"
#include "formats/vixl/vixl.h"
#include "kit/options.h"

enum {
	PIECE = 1 << 20,
	WINDOW = 4 << 20,
	HEAD = 1 << 20,
	BEHIND = 16 << 20,   /* pages of the map this far behind are not needed again */
	RUN_BLOCK = 1 << 17, /* the lines before a run's first instruction are fewer bytes */
	SMALL = 32 << 20,
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
	text_line_ends(p, end, &e);
	vixl_parse(p, (size_t)(e - p), &line, &plain);
	return line.kind == VIXL_BRANCH && line.addr == 0 && !line.masked;
}

/* p begins an instruction's line. A span may begin there when another instruction comes
 * before it: behind the end of that one's run, if it has ended, or at p. NULL: not here. */
static const char *source_begin_at(const char *from, const char *p)
{
	const char *cut = p;
	for (const char *q = p; q > from && p - q < RUN_BLOCK;) {
		const char *line = text_line_begin(from, q - 1);
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
		p = text_line_begin(from, p - 1);
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
	const char *e, *next = text_line_ends(p, end, &e);
	unsigned registers = 0;
	vixl_parse(p, (size_t)(e - p), &line, plain);
	if (!vixl_is_register(line.kind) && line.kind != VIXL_NZCV && line.kind != VIXL_FPCR &&
	    line.kind != VIXL_BRANCH && line.kind != VIXL_GCS)
		return false;
	const char *last = text_line_begin(from, p - 1);
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
		next = text_line_ends(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &line, plain);
	}
	return true;
}

static const char *cut_at_state(const char *from, const char *want, const char *end)
{
	for (const char *p = want; p > from;) {
		p = text_line_begin(from, p - 1);
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
	size_t whole = (size_t)(text_line_begin(p, p + n) - p);
	return whole || n <= TEXT_LINE_MAX ? whole : n / TEXT_LINE_MAX * TEXT_LINE_MAX;
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
	{"piece", "BYTES", "what a thread works on at a time", KIT_NUMBER,
     KIT_AT(struct vixl_impl, text.source.piece), .least = 1, .most = 1u << 30},
};
const struct kit_options vixl_reading_options = {"vixl", "reading VIXL", reading, 1};

/* What the beginning of a file does not show, the rest may. */
static void look_further(struct vixl_impl *im)
{
	const struct kit_source *source = &im->text.source;
	const char *p = (const char *)source->map;
	if (!p || im->text.look.whole)
		return;
	im->text.states_only = im->text.states_only && !vixl_find_insn(p, p + source->map_len);
	im->look.states = im->look.states || memmem(p, source->map_len, "\n# ", 3);
}

static void source_peek(struct text_span *ss)
{
	/* The next span's first line shows where the flow went. */
	struct vixl_span *of = (struct vixl_span *)ss;
	const char *p = ss->bytes.mapped ? ss->bytes.map_end : ss->bytes.window.end;
	const char *see = ss->bytes.see;
	of->followed = see - p >= VIXL_INSN_HEAD && vixl_is_insn(p, (size_t)(see - p));
	of->peeked = of->followed && vixl_hex16(p + 2, &of->peek);
}

static void source_join(const struct text_span *ss, const void *learnt, void *flow)
{
	const struct vixl_span *of = (const struct vixl_span *)ss;
	if (of->learnt)
		memcpy(flow, learnt, sizeof of->onward);
}

static bool source_possible(const void *flow)
{
	const struct vixl_onward *onward = flow;
	return onward->flags <= 15;
}

static const struct text_way way = {.impl_size = sizeof(struct vixl_impl),
                                    .span_size = sizeof(struct vixl_span),
                                    .worker_size = sizeof(struct vixl_worker),
                                    .flow_at = offsetof(struct vixl_span, onward),
                                    .flow_size = sizeof(struct vixl_onward),
                                    .head = HEAD,
                                    .small = SMALL,
                                    .source = &source_rules,
                                    .look = vixl_look,
                                    .cut = source_peek,
                                    .scan = vixl_scan,
                                    .join = source_join,
                                    .possible = source_possible,
                                    .decode = vixl_decode,
                                    .record = vixl_record,
                                    .facts = vixl_facts};

const struct text_dialect vixl_dialect = {.way = &way,
                                          .generator = "VIXL AArch64 simulator",
                                          .kinds = vixl_kind_names,
                                          .n_kinds = VIXL_KIND_COUNT,
                                          .kind = true,
                                          .event_name = vixl_event_name};

int vixl_open(struct cairn_reader *reader, const char *options)
{
	int rc = text_open(reader, options);
	struct vixl_impl *im = reader->impl;
	if (rc < 0)
		return rc;
	im->text.source.behind = WINDOW;
	vixl_look(&im->text, NULL, NULL); /* nothing: for a log that is empty */
	look_further(im);
	bool maybe = !im->text.look.whole && !im->text.source.map; /* some may come further on */
	reader->can = CAIRN_EVENTS | CAIRN_BYTES | CAIRN_PLACES;
	reader->isa = CAIRN_ISA_A64;
	if (vixl_state_only(im))
		reader->can |= CAIRN_ROW_PLACES;
	else
		reader->can |= CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_ASM;
	if (im->look.states || maybe)
		reader->can |= CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scanning: what a span does to the state, and counting.
 *
 * For the state alone the number of instructions and lines is enough, and what became of
 * the last instruction. So the walk hops over tabs, which the simulator prints in
 * instruction lines only, and counts newlines; that takes a small part of the time
 * decoding takes. A span
 * that might hold a line too long to be kept in one piece is walked line by line.
 *
 * Counting parses every line. Both see an instruction wherever vixl_parse sees one.
 */
#include <string.h>

#include "formats/vixl/line/hex.h"
#include "formats/vixl/vixl.h"

enum { BLOCK = TEXT_LINE_MAX / 2, READS = 1u << CAIRN_MEM_READ, WRITES = 1u << CAIRN_MEM_WRITE };

/* ---- lines ---- */

/* What a walk over whole lines learns. */
struct hop {
	uint64_t insns, lines;
	const char *last; /* where the last instruction's fixed part begins, or NULL */
};

/* Two tabs at t: do they stand behind the fixed part of an instruction's line? Only the first in a
 * line counts. */
static inline VIXL_INLINE void at_tabs(struct hop *hop, const char *p, const char *text,
                                       const char *end)
{
	const char *q = text - 28;
	if (text - p < 28 || !(vixl_looks_like_insn(q) || vixl_is_insn(q, (size_t)(end - q))))
		return;
	if ((q == p || q[-1] != '\n') && hop->last &&
	    !memchr(hop->last, '\n', (size_t)(text - hop->last)))
		return;
	hop->last = q;
	hop->insns++;
}

/* `n` bytes at q, of the lines that begin at p. */
static void hop_bytes(struct hop *hop, const char *p, const char *q, size_t n, const char *end)
{
	for (; n; n--, q++) {
		hop->lines += *q == '\n';
		if (*q == '\t' && end - q > 1 && q[1] == '\t')
			at_tabs(hop, p, q, end);
	}
}

#ifdef __SSE2__
enum { GROUP = 63 }; /* blocks whose newlines a byte can count, four times */

/* One block of 64 bytes, its newlines added to *sum: where pairs of tabs begin, but for those
 * behind a tab, so that there are no more than 32. */
static inline VIXL_INLINE uint64_t hop_block(const char *q, const char *end, __m128i *sum)
{
	const __m128i nl = _mm_set1_epi8('\n'), tab = _mm_set1_epi8('\t');
	uint64_t tabs = 0;
	__builtin_prefetch(q + TEXT_AHEAD);
	for (unsigned k = 0; k < 4; k++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)q + k);
		*sum = _mm_sub_epi8(*sum, _mm_cmpeq_epi8(v, nl));
		tabs |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, tab)) << 16 * k;
	}
	uint64_t next = end - q > 64 && q[64] == '\t';
	return tabs & (tabs >> 1 | next << 63) & ~(tabs << 1);
}

/* Places are gathered first and looked at afterwards, so that neither loop has unpredictable
 * branches. Returns how many bytes were taken. */
static size_t hop_blocks(struct hop *hop, const char *p, const char *q, size_t n, const char *end)
{
	const __m128i zero = _mm_setzero_si128();
	const char *places[GROUP * 32 + 1];
	size_t took = 0;
	while (n - took >= 64) {
		__m128i sum = zero;
		size_t most = (n - took) / 64 < GROUP ? (n - took) / 64 : (size_t)GROUP, k = 0;
		for (size_t i = 0; i < most; i++, took += 64) {
			uint64_t pairs = hop_block(q + took, end, &sum);
			places[k] = q + took + __builtin_ctzll(pairs | UINT64_C(1) << 63);
			k += pairs != 0;
			for (pairs &= pairs - !!pairs; __builtin_expect(pairs != 0, 0); pairs &= pairs - 1)
				places[k++] = q + took + __builtin_ctzll(pairs);
		}
		for (size_t i = 0; i < k; i++)
			at_tabs(hop, p, places[i], end);
		__m128i words = _mm_sad_epu8(sum, zero);
		hop->lines += (uint64_t)_mm_cvtsi128_si32(words) +
		              (uint64_t)_mm_cvtsi128_si32(_mm_unpackhi_epi64(words, words));
	}
	return took;
}
#else
static size_t hop_blocks(struct hop *h, const char *p, const char *q, size_t n, const char *end)
{
	(void)h, (void)p, (void)q, (void)n, (void)end;
	return 0;
}
#endif

/* Walk whole lines; false: one may be too long. */
static bool hop_over(struct hop *hop, const char *p, const char *end)
{
	*hop = (struct hop){0};
	for (const char *q = p; q < end; q += BLOCK) {
		size_t n = end - q < BLOCK ? (size_t)(end - q) : (size_t)BLOCK;
		uint64_t before = hop->lines;
		size_t took = hop_blocks(hop, p, q, n, end);
		hop_bytes(hop, p, q + took, n - took, end);
		if (hop->lines == before && n == BLOCK)
			return false;
	}
	hop->lines += end > p && end[-1] != '\n';
	return true;
}

uint64_t vixl_count_insns(const char *p, const char *end)
{
	uint64_t n = 0;
	struct hop hop;
	if (hop_over(&hop, p, end))
		return hop.insns;
	for (const char *q; (q = vixl_find_insn(p, end)); n++) {
		const char *nl = memchr(q, '\n', (size_t)(end - q));
		p = nl ? nl + 1 : end;
	}
	return n;
}

/* ---- the last instruction ---- */

/* What followed the instruction whose line begins at `insn` (prefix apart) until `end`,
 * where no other begins. */
static void last_flow(struct cairn_reader *reader, struct model_span *span, const char *insn,
                      const char *end)
{
	const struct vixl_impl *im = reader->impl;
	struct vixl_span *ss = span->priv;
	struct vixl_worker *worker = span->worker;
	struct vixl_flow flow = {0};
	struct vixl_line line;
	for (const char *p = insn; p < end;) {
		const char *e, *next = text_line_ends(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &line, &worker->plain);
		if (line.kind == VIXL_INSN) {
			flow = (struct vixl_flow){.pc = line.addr, .enc = line.enc, .pc_known = !line.masked};
		} else if (line.kind == VIXL_BRANCH) {
			vixl_flow_branch(&flow, &line);
		} else if (line.kind == VIXL_TEXT) {
			flow.elsewhere |= vixl_is_elsewhere(p, (size_t)(e - p));
		}
		p = next;
	}
	ss->learnt = true;
	ss->onward.flags =
		vixl_follow(&flow, isa_memo_get(worker->text.memo, CAIRN_ISA_A64, flow.enc, 4),
	                im->look.log & VIXL_LOG_BRANCH, &ss->onward.next);
}

static const char *step_lines(struct text_span *ss, struct vixl_worker *worker, const char *end,
                              bool insns)
{
	const char *last = NULL;
	struct vixl_line line;
	for (const char *p = ss->bytes.window.p; p < end;) {
		const char *e, *next = text_line_ends(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &line, &worker->plain);
		ss->lines++;
		if (line.kind == VIXL_INSN && insns) {
			ss->insns++;
			last = p;
		}
		p = next;
	}
	return last;
}

static void scan_learn(struct cairn_reader *reader, struct model_span *span)
{
	struct text_span *ss = span->priv;
	const char *end = ss->bytes.window.end, *last;
	bool insns = !vixl_state_only(reader->impl);
	struct hop hop;
	if (hop_over(&hop, ss->bytes.window.p, end)) {
		ss->lines += hop.lines;
		ss->insns += insns ? hop.insns : 0;
		last = insns ? hop.last : NULL;
	} else {
		last = step_lines(ss, span->worker, end, insns);
	}
	if (last)
		last_flow(reader, span, last, end);
	ss->length += kit_left(&ss->bytes);
	ss->bytes.window.p = end;
}

/* ---- counting ---- */

struct counter {
	struct cairn_reader *reader;
	struct model_span *span;
	struct vixl_span *ss;
	struct text_span *lines; /* the same */
	struct vixl_worker *worker;
	struct cairn_tally *tally;
	struct vixl_flow flow;
	struct cairn_op op;
	unsigned kinds; /* of the accesses of this instruction */
	bool open, logged, states_only;
};

static void scan_end_insn(struct counter *counter, const uint64_t *next)
{
	struct cairn_tally *tally = counter->tally;
	uint64_t target;
	if (!counter->open)
		return;
	tally->accesses += counter->kinds != 0; /* those that are shown */
	counter->kinds |= vixl_implied(counter->flow.enc);
	tally->loads += (counter->kinds & READS) != 0;
	tally->stores += (counter->kinds & WRITES) != 0;
	if (counter->op.traits & CAIRN_TRAIT_BRANCH) {
		uint32_t flags = vixl_outcome(&counter->flow, &counter->op, counter->logged, next, &target);
		tally->branches++;
		tally->branches_taken += (flags & CAIRN_INSN_TAKEN) != 0;
		tally->outcomes_unknown += model_outcome_unknown(counter->op.traits, flags);
	}
	counter->ss->learnt = true;
	counter->ss->onward.flags =
		vixl_follow(&counter->flow, &counter->op, counter->logged, &counter->ss->onward.next);
	counter->open = false;
	counter->kinds = 0;
}

static inline void scan_begin_insn(struct counter *counter, const struct vixl_line *line)
{
	bool known = !(line->masked & VIXL_MASKED_ADDR);
	scan_end_insn(counter, known ? &line->addr : NULL);
	counter->flow = (struct vixl_flow){.pc = line->addr, .enc = line->enc, .pc_known = known};
	counter->op = *isa_memo_get(counter->worker->text.memo, CAIRN_ISA_A64, line->enc, 4);
	counter->open = true;
	counter->lines->insns++;
	counter->tally->class_loads += (counter->op.traits & CAIRN_TRAIT_LOAD) != 0;
	counter->tally->class_stores += (counter->op.traits & CAIRN_TRAIT_STORE) != 0;
}

static int note_bad_line(struct counter *counter, unsigned kind, uint64_t off)
{
	return text_note_bad(counter->reader, counter->lines, counter->lines->lines, off,
	                     vixl_bad_line(kind));
}

static int count_line(struct counter *counter, const struct vixl_line *line, const char *p,
                      size_t n)
{
	uint64_t off = kit_offset_of(&counter->lines->bytes, p);
	counter->tally->by_record[line->kind]++;
	switch (line->kind) {
	case VIXL_INSN:
		if (counter->states_only)
			return note_bad_line(counter, line->kind, off);
		scan_begin_insn(counter, line);
		return 0;
	case VIXL_BRANCH:
		vixl_flow_branch(&counter->flow, line);
		if (!line->masked && line->addr == 0)
			scan_end_insn(counter, NULL); /* the run has ended: what follows is the next one's */
		return 0;
	case VIXL_TEXT:
		if (!counter->open || !vixl_is_elsewhere(p, n))
			return 0;
		counter->flow.elsewhere = true;
		scan_end_insn(counter, NULL);
		return 0;
	case VIXL_GCS:
		counter->tally->events++;
		return 0;
	case VIXL_UNKNOWN:
		return note_bad_line(counter, line->kind, off);
	case VIXL_TRANSFER:
		counter->kinds |= (unsigned)READS | WRITES;
		return 0;
	case VIXL_XREG:
	case VIXL_WREG:
		counter->flow.rows |= line->arrow != '>';
		break;
	default:
		break;
	}
	counter->kinds |= line->arrow == '<'   ? (unsigned)READS
	                  : line->arrow == '>' ? (unsigned)WRITES
	                                       : 0;
	return 0;
}

static int scan_count_window(struct counter *counter)
{
	struct text_span *ss = counter->lines;
	const char *p = ss->bytes.window.p, *const end = ss->bytes.window.end;
	struct vixl_line line;
	int rc = 0;
	while (p < end && rc >= 0) {
		const char *e, *next = text_line_ends(p, end, &e);
		__builtin_prefetch(p + TEXT_AHEAD);
		vixl_parse(p, (size_t)(e - p), &line, &counter->worker->plain);
		rc = count_line(counter, &line, p, (size_t)(e - p));
		ss->lines++;
		p = next;
	}
	ss->length += kit_offset_of(&ss->bytes, p) - kit_offset(&ss->bytes);
	ss->bytes.window.p = p;
	return rc;
}

static int close_count(struct counter *counter)
{
	struct text_span *ss = counter->lines;
	struct cairn_tally *tally = counter->tally;
	counter->flow.last = !counter->ss->followed;
	scan_end_insn(counter, counter->ss->peeked ? &counter->ss->peek : NULL);
	tally->instructions = tally->executed = ss->insns;
	tally->records = ss->lines;
	return ss->bytes.broken ? text_note_bad(counter->reader, ss, ss->lines,
	                                        ss->bytes.begin + ss->length, ss->bytes.why)
	                        : 0;
}

int vixl_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	const struct vixl_impl *im = reader->impl;
	struct text_span *ss = span->priv;
	struct counter counter = {.reader = reader,
	                          .span = span,
	                          .ss = span->priv,
	                          .lines = ss,
	                          .worker = span->worker,
	                          .tally = tally,
	                          .logged = (im->look.log & VIXL_LOG_BRANCH) != 0,
	                          .states_only = vixl_state_only(im)};
	for (;;) {
		int rc = 0;
		if (tally)
			rc = scan_count_window(&counter);
		else
			scan_learn(reader, span);
		if (rc >= 0 && ss->bytes.window.more)
			rc = kit_fill(reader, &ss->bytes);
		else if (rc >= 0)
			break;
		if (rc < 0)
			return rc;
	}
	return tally ? close_count(&counter) : 0;
}

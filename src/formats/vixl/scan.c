/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan and seal: what a span does to the state, and counting.
 *
 * For the state alone the number of instructions and lines is enough, and what became of
 * the last instruction. So the walk hops over tabs, which the simulator prints in
 * instruction lines only, and counts newlines; that takes a small part of the time
 * decoding takes. A span
 * that might hold a line too long to be kept in one piece is walked line by line.
 *
 * Counting parses every line. Both see an instruction wherever vixl_parse sees one.
 */
#include <stdio.h>
#include <string.h>

#include "formats/vixl/hex.h"
#include "formats/vixl/vixl.h"

enum { BLOCK = VIXL_LINE_MAX / 2, READS = 1u << CAIRN_MEM_READ, WRITES = 1u << CAIRN_MEM_WRITE };

/* So many bytes ahead memory is asked for: what a processor does by itself ends with a page,
 * and a scan is the first to touch a span. Half the time of a scan, a tenth of a count. */
enum { AHEAD = 4096 };

/* ---- lines ---- */

/* What a walk over whole lines learns. */
struct hop {
	uint64_t insns, lines;
	const char *last; /* where the last instruction's fixed part begins, or NULL */
};

/* Two tabs at t: do they stand behind an instruction's fixed part? In one line only the
 * first instruction counts. */
static inline VIXL_INLINE void at_tabs(struct hop *h, const char *p, const char *t, const char *end)
{
	const char *q = t - 28;
	if (t - p < 28 || !(vixl_looks_like_insn(q) || vixl_is_insn(q, (size_t)(end - q))))
		return;
	if ((q == p || q[-1] != '\n') && h->last && !memchr(h->last, '\n', (size_t)(t - h->last)))
		return;
	h->last = q;
	h->insns++;
}

/* `n` bytes at q, of the lines that begin at p. */
static void hop_bytes(struct hop *h, const char *p, const char *q, size_t n, const char *end)
{
	for (; n; n--, q++) {
		h->lines += *q == '\n';
		if (*q == '\t' && end - q > 1 && q[1] == '\t')
			at_tabs(h, p, q, end);
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
	__builtin_prefetch(q + AHEAD);
	for (unsigned k = 0; k < 4; k++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)q + k);
		*sum = _mm_sub_epi8(*sum, _mm_cmpeq_epi8(v, nl));
		tabs |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, tab)) << 16 * k;
	}
	uint64_t next = end - q > 64 && q[64] == '\t';
	return tabs & (tabs >> 1 | next << 63) & ~(tabs << 1);
}

/* Places are gathered first and looked at afterwards, so that neither loop has branches
 * that cannot be foretold. Returns how many bytes were taken. */
static size_t hop_blocks(struct hop *h, const char *p, const char *q, size_t n, const char *end)
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
			at_tabs(h, p, places[i], end);
		__m128i words = _mm_sad_epu8(sum, zero);
		h->lines += (uint64_t)_mm_cvtsi128_si32(words) +
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
static bool hop_over(struct hop *h, const char *p, const char *end)
{
	*h = (struct hop){0};
	for (const char *q = p; q < end; q += BLOCK) {
		size_t n = end - q < BLOCK ? (size_t)(end - q) : (size_t)BLOCK;
		uint64_t before = h->lines;
		size_t took = hop_blocks(h, p, q, n, end);
		hop_bytes(h, p, q + took, n - took, end);
		if (h->lines == before && n == BLOCK)
			return false;
	}
	h->lines += end > p && end[-1] != '\n';
	return true;
}

uint64_t vixl_count_insns(const char *p, const char *end)
{
	uint64_t n = 0;
	struct hop h;
	if (hop_over(&h, p, end))
		return h.insns;
	for (const char *q; (q = vixl_find_insn(p, end)); n++) {
		const char *nl = memchr(q, '\n', (size_t)(end - q));
		p = nl ? nl + 1 : end;
	}
	return n;
}

/* ---- the last instruction ---- */

/* What followed the instruction whose line begins at `insn` (prefix apart) until `end`,
 * where no other begins. */
static void last_flow(struct cairn_reader *r, struct model_span *s, const char *insn,
                      const char *end)
{
	const struct vixl_impl *im = r->impl;
	struct vixl_span *ss = s->priv;
	struct vixl_worker *w = s->worker;
	struct vixl_flow f = {0};
	struct vixl_line l;
	for (const char *p = insn; p < end;) {
		const char *e, *next = vixl_line_end(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &l, &w->plain);
		if (l.kind == VIXL_INSN) {
			f = (struct vixl_flow){.pc = l.addr, .enc = l.enc, .pc_known = !l.masked};
		} else if (l.kind == VIXL_BRANCH) {
			f.branched = true;
			f.target = l.addr;
			f.target_known = !l.masked;
		} else if (l.kind == VIXL_TEXT) {
			f.elsewhere |= vixl_is_elsewhere(p, (size_t)(e - p));
		}
		p = next;
	}
	ss->flow = true;
	ss->flags = vixl_follow(&f, isa_memo_get(w->memo, CAIRN_ISA_A64, f.enc, 4),
	                        im->look.log & VIXL_LOG_BRANCH, &ss->next);
}

static const char *step_lines(struct vixl_span *ss, struct vixl_worker *w, const char *end,
                              bool insns)
{
	const char *last = NULL;
	struct vixl_line l;
	for (const char *p = ss->w.p; p < end;) {
		const char *e, *next = vixl_line_end(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &l, &w->plain);
		ss->lines++;
		if (l.kind == VIXL_INSN && insns) {
			ss->insns++;
			last = p;
		}
		p = next;
	}
	return last;
}

static void scan_learn(struct cairn_reader *r, struct model_span *s)
{
	struct vixl_span *ss = s->priv;
	const char *end = ss->w.end, *last;
	bool insns = !vixl_state_only(r->impl);
	struct hop h;
	if (hop_over(&h, ss->w.p, end)) {
		ss->lines += h.lines;
		ss->insns += insns ? h.insns : 0;
		last = insns ? h.last : NULL;
	} else {
		last = step_lines(ss, s->worker, end, insns);
	}
	if (last)
		last_flow(r, s, last, end);
	ss->bytes += (uint64_t)(end - ss->w.p);
	ss->w.p = end;
}

/* ---- counting ---- */

struct counter {
	struct cairn_reader *r;
	struct model_span *s;
	struct vixl_span *ss;
	struct vixl_worker *w;
	struct cairn_tally *t;
	struct vixl_flow f;
	struct cairn_op op;
	unsigned kinds; /* of the accesses of this instruction */
	bool open, logged, states_only;
};

static void scan_end_insn(struct counter *k, const uint64_t *next)
{
	struct cairn_tally *t = k->t;
	uint64_t target;
	if (!k->open)
		return;
	k->kinds |= vixl_implied(k->f.enc);
	t->accesses += k->kinds != 0;
	t->loads += (k->kinds & READS) != 0;
	t->stores += (k->kinds & WRITES) != 0;
	if (k->op.traits & CAIRN_TRAIT_BRANCH) {
		t->branches++;
		t->branches_taken +=
			(vixl_outcome(&k->f, &k->op, k->logged, next, &target) & CAIRN_INSN_TAKEN) != 0;
	}
	k->ss->flow = true;
	k->ss->flags = vixl_follow(&k->f, &k->op, k->logged, &k->ss->next);
	k->open = false;
	k->kinds = 0;
}

static inline void scan_begin_insn(struct counter *k, const struct vixl_line *l)
{
	bool known = !(l->masked & VIXL_MASKED_ADDR);
	scan_end_insn(k, known ? &l->addr : NULL);
	k->f = (struct vixl_flow){.pc = l->addr, .enc = l->enc, .pc_known = known};
	k->op = *isa_memo_get(k->w->memo, CAIRN_ISA_A64, l->enc, 4);
	k->open = true;
	k->ss->insns++;
	k->t->class_loads += (k->op.traits & CAIRN_TRAIT_LOAD) != 0;
	k->t->class_stores += (k->op.traits & CAIRN_TRAIT_STORE) != 0;
}

static int vixl_scan_note_bad(struct counter *k, unsigned kind, uint64_t off)
{
	struct vixl_span *ss = k->ss;
	if (!ss->bad)
		ss->bad = base_alloc(k->r->c, MODEL_DAMAGE_KEPT * sizeof *ss->bad);
	if (!ss->bad)
		return CAIRN_E_NOMEM;
	if (ss->n_bad < MODEL_DAMAGE_KEPT)
		ss->bad[ss->n_bad] = (struct vixl_bad){ss->lines, off, (uint8_t)kind};
	ss->n_bad++;
	return 0;
}

static int count_line(struct counter *k, const struct vixl_line *l, const char *p, size_t n)
{
	uint64_t off = k->ss->abs + (uint64_t)(p - k->ss->w.base);
	k->t->by_record[l->kind]++;
	switch (l->kind) {
	case VIXL_INSN:
		if (k->states_only)
			return vixl_scan_note_bad(k, l->kind, off);
		scan_begin_insn(k, l);
		return 0;
	case VIXL_BRANCH:
		k->f.branched = true;
		k->f.target = l->addr;
		k->f.target_known = !l->masked;
		if (!l->masked && l->addr == 0)
			scan_end_insn(k, NULL); /* the run has ended: what follows is the next one's */
		return 0;
	case VIXL_TEXT:
		if (!k->open || !vixl_is_elsewhere(p, n))
			return 0;
		k->f.elsewhere = true;
		scan_end_insn(k, NULL);
		return 0;
	case VIXL_GCS:
		k->t->events++;
		return 0;
	case VIXL_UNKNOWN:
		return vixl_scan_note_bad(k, l->kind, off);
	case VIXL_TRANSFER:
		k->kinds |= (unsigned)READS | WRITES;
		return 0;
	case VIXL_XREG:
	case VIXL_WREG:
		k->f.rows |= l->arrow != '>';
		break;
	default:
		break;
	}
	k->kinds |= l->arrow == '<' ? (unsigned)READS : l->arrow == '>' ? (unsigned)WRITES : 0;
	return 0;
}

static int scan_count_window(struct counter *k)
{
	struct vixl_span *ss = k->ss;
	const char *p = ss->w.p, *const end = ss->w.end;
	struct vixl_line l;
	int rc = 0;
	while (p < end && rc >= 0) {
		const char *e, *next = vixl_line_end(p, end, &e);
		__builtin_prefetch(p + AHEAD);
		vixl_parse(p, (size_t)(e - p), &l, &k->w->plain);
		rc = count_line(k, &l, p, (size_t)(e - p));
		ss->lines++;
		p = next;
	}
	ss->bytes += (uint64_t)(p - ss->w.p);
	ss->w.p = p;
	return rc;
}

static void close_count(struct counter *k)
{
	struct vixl_span *ss = k->ss;
	struct cairn_tally *t = k->t;
	scan_end_insn(k, ss->peeked ? &ss->peek : NULL);
	t->instructions = t->executed = ss->insns;
	t->records = ss->lines;
}

int vixl_scan(struct cairn_reader *r, struct model_span *s, struct cairn_tally *t)
{
	const struct vixl_impl *im = r->impl;
	struct vixl_span *ss = s->priv;
	struct counter k = {.r = r,
	                    .s = s,
	                    .ss = ss,
	                    .w = s->worker,
	                    .t = t,
	                    .logged = (im->look.log & VIXL_LOG_BRANCH) != 0,
	                    .states_only = vixl_state_only(im)};
	ss->first = ss->w;
	for (;;) {
		int rc = 0;
		if (t)
			rc = scan_count_window(&k);
		else
			scan_learn(r, s);
		if (rc >= 0 && ss->w.more)
			rc = vixl_window_fill(r, s);
		else if (rc >= 0)
			break;
		if (rc < 0)
			return rc;
	}
	if (t)
		close_count(&k);
	else
		ss->w = ss->first; /* one window: not alone */
	return 0;
}

/* ---- sealing ---- */

/* Damage met while counting, now that its number is known. */
static void vixl_scan_report_bad(struct cairn_reader *r, struct model_span *s)
{
	struct vixl_span *ss = s->priv;
	char text[192];
	for (uint64_t i = 0; i < ss->n_bad; i++) {
		if (i >= MODEL_DAMAGE_KEPT) {
			s->damage.count += ss->n_bad - i;
			break;
		}
		vixl_bad_text(text, sizeof text, ss->bad[i].off, ss->at.line + ss->bad[i].line,
		              ss->bad[i].kind);
		model_damaged(r, s, "%s", text);
	}
	if (ss->broken)
		model_damaged(r, s, "byte 0x%llx: %s", (unsigned long long)(ss->begin + ss->bytes),
		              ss->why);
}

int vixl_seal(struct cairn_reader *r, const void *before, struct model_span *s)
{
	struct vixl_span *ss = s->priv;
	if (s->seq == 0)
		ss->at = (struct vixl_state){.n = 1, .line = 1};
	else
		memcpy(&ss->at, before, sizeof ss->at);
	s->n0 = ss->at.n;
	if (!s->scanned)
		return 0;
	struct vixl_state out = ss->at;
	out.n += ss->insns;
	out.line += ss->lines;
	out.off += ss->bytes;
	if (ss->flow) {
		out.next = ss->next;
		out.flags = ss->flags;
	}
	memcpy(s->exit, &out, sizeof out);
	s->n1 = out.n;
	if (s->counting)
		vixl_scan_report_bad(r, s);
	return 0;
}

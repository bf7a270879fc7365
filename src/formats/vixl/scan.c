/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan and seal: what a span does to the state, and counting.
 *
 * For the state alone the number of instructions and lines is enough, and what became of
 * the last instruction. So the walk hops over tabs, which stand in instruction lines
 * only, and counts newlines; that takes a small part of the time decoding takes. A span
 * that might hold a line too long to be kept in one piece is walked line by line.
 *
 * Counting parses every line. Both see an instruction wherever vixl_parse sees one.
 */
#include <stdio.h>
#include <string.h>

#include "formats/vixl/vixl.h"

enum { BLOCK = VIXL_LINE_MAX / 2, READS = 1u << CAIRN_MEM_READ, WRITES = 1u << CAIRN_MEM_WRITE };

/* ---- lines ---- */

static uint64_t newlines(const char *p, size_t n)
{
	uint64_t sum = 0;
	while (n) {
		unsigned char part[32] = {0};
		size_t rounds = n / 32 < 255 ? n / 32 : 255, i = 0;
		for (; i < rounds; i++, p += 32)
			for (unsigned k = 0; k < 32; k++)
				part[k] = (unsigned char)(part[k] + (p[k] == '\n'));
		n -= rounds * 32;
		for (unsigned k = 0; k < 32; k++)
			sum += part[k];
		for (; rounds == 0 && n; n--)
			sum += *p++ == '\n';
	}
	return sum;
}

/* Lines of whole lines; false: one may be too long. */
static bool count_lines(const char *p, const char *end, uint64_t *lines)
{
	for (const char *q = p; q < end; q += BLOCK) {
		size_t n = end - q < BLOCK ? (size_t)(end - q) : (size_t)BLOCK;
		uint64_t k = newlines(q, n);
		if (k == 0 && n == BLOCK)
			return false;
		*lines += k;
	}
	if (end > p && end[-1] != '\n')
		++*lines;
	return true;
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
		}
		p = next;
	}
	ss->flow = true;
	ss->flags = vixl_follow(&f, isa_memo_get(w->memo, CAIRN_ISA_A64, f.enc, 4),
	                        im->look.log & VIXL_LOG_BRANCH, &ss->next);
}

/* One window without long lines. The last instruction's place, or NULL. */
static const char *hop(struct vixl_span *ss, const char *end)
{
	const char *last = NULL, *p = ss->w.p;
	for (const char *q; (q = vixl_find_insn(p, end));) {
		/* A line of state never holds a tab, so this line is an instruction's. */
		const char *nl = memchr(q, '\n', (size_t)(end - q));
		ss->insns++;
		last = q;
		p = nl ? nl + 1 : end;
	}
	return last;
}

uint64_t vixl_count_insns(const char *p, const char *end)
{
	struct vixl_span ss = {.w = {.p = p, .end = end}};
	hop(&ss, end);
	return ss.insns;
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

static void learn(struct cairn_reader *r, struct model_span *s)
{
	struct vixl_span *ss = s->priv;
	const char *end = ss->w.end, *last;
	uint64_t lines = 0;
	if (count_lines(ss->w.p, end, &lines)) {
		ss->lines += lines;
		last = vixl_state_only(r->impl) ? NULL : hop(ss, end);
	} else {
		last = step_lines(ss, s->worker, end, !vixl_state_only(r->impl));
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

static void end_insn(struct counter *k, const uint64_t *next)
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
		t->branches_taken += (vixl_outcome(&k->f, &k->op, k->logged, next, &target) &
		                      CAIRN_INSN_TAKEN) != 0;
	}
	k->ss->flow = true;
	k->ss->flags = vixl_follow(&k->f, &k->op, k->logged, &k->ss->next);
	k->open = false;
	k->kinds = 0;
}

static inline void begin_insn(struct counter *k, const struct vixl_line *l)
{
	bool known = !(l->masked & VIXL_MASKED_ADDR);
	end_insn(k, known ? &l->addr : NULL);
	k->f = (struct vixl_flow){.pc = l->addr, .enc = l->enc, .pc_known = known};
	k->op = *isa_memo_get(k->w->memo, CAIRN_ISA_A64, l->enc, 4);
	k->open = true;
	k->ss->insns++;
	k->t->class_loads += (k->op.traits & CAIRN_TRAIT_LOAD) != 0;
	k->t->class_stores += (k->op.traits & CAIRN_TRAIT_STORE) != 0;
}

static int note_bad(struct counter *k, unsigned kind, uint64_t off)
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

static int count_line(struct counter *k, const struct vixl_line *l, uint64_t off)
{
	k->t->by_record[l->kind]++;
	switch (l->kind) {
	case VIXL_INSN:
		if (k->states_only)
			return note_bad(k, l->kind, off);
		begin_insn(k, l);
		return 0;
	case VIXL_BRANCH:
		k->f.branched = true;
		k->f.target = l->addr;
		k->f.target_known = !l->masked;
		if (!l->masked && l->addr == 0)
			end_insn(k, NULL); /* the run has ended: what follows is the next one's */
		return 0;
	case VIXL_GCS:
		k->t->events++;
		return 0;
	case VIXL_UNKNOWN:
		return note_bad(k, l->kind, off);
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

static int count_window(struct counter *k)
{
	struct vixl_span *ss = k->ss;
	const char *p = ss->w.p, *const end = ss->w.end;
	struct vixl_line l;
	int rc = 0;
	while (p < end && rc >= 0) {
		const char *e, *next = vixl_line_end(p, end, &e);
		vixl_parse(p, (size_t)(e - p), &l, &k->w->plain);
		rc = count_line(k, &l, ss->abs + (uint64_t)(p - ss->w.base));
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
	end_insn(k, ss->peeked ? &ss->peek : NULL);
	t->instructions = t->executed = ss->insns;
	t->records = ss->lines;
}

int vixl_scan(struct cairn_reader *r, struct model_span *s, struct cairn_tally *t)
{
	const struct vixl_impl *im = r->impl;
	struct vixl_span *ss = s->priv;
	struct counter k = {.r = r, .s = s, .ss = ss, .w = s->worker, .t = t,
	                    .logged = (im->look.log & VIXL_LOG_BRANCH) != 0,
                    .states_only = vixl_state_only(im)};
	ss->first = ss->w;
	for (;;) {
		int rc = 0;
		if (t)
			rc = count_window(&k);
		else
			learn(r, s);
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
static void tell_bad(struct cairn_reader *r, struct model_span *s)
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
		tell_bad(r, s);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a trace that was cut and joined again what it was? Each instruction is written
 * down as its core (PC, encoding, flags, who runs) and its rows. Where two pieces meet,
 * the joined trace may say more: forced PCs, and what was known there.
 */
#include "same.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void same_free(struct same_trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].text);
	free(t->rows);
	*t = (struct same_trace){0};
}

struct line {
	uint16_t seq;
	char text[224];
};

static int by_seq(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static uint64_t sum(const uint8_t *p, size_t n)
{
	uint64_t h = 1469598103934665603u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 1099511628211u;
	return h;
}

static void put_reg(struct line *l, const struct cairn_batch *b, const struct cairn_reg *r)
{
	uint64_t v = r->value;
	if (r->flags & CAIRN_VALUE_WIDE)
		v = sum(b->bytes + r->value, r->bits / 8);
	l->seq = r->seq;
	snprintf(l->text, sizeof l->text, "%s %u.%u=%llx/%u/%u\n",
	         r->role == CAIRN_ROLE_STATE ? "+state" : "reg", r->cls, r->num, (unsigned long long)v,
	         r->bits, r->role);
}

static void put_mem(struct line *l, const struct cairn_batch *b, const struct cairn_mem *m)
{
	uint64_t v = m->value;
	if (m->flags & CAIRN_VALUE_WIDE)
		v = sum(b->bytes + m->value, 8u * m->words);
	l->seq = m->seq;
	snprintf(l->text, sizeof l->text, "mem %u %llx+%u=%llx a%x i%u.%u f%x\n", m->kind,
	         (unsigned long long)m->addr, m->size, (unsigned long long)v, m->attr, m->initiator,
	         m->unit, m->flags);
}

static void put_event(struct line *l, const struct cairn_batch *b, const struct cairn_event *e)
{
	const char *kind = e->kind == CAIRN_EV_FORCE_PC    ? "+force"
	                   : e->kind == CAIRN_EV_PAGE_WALK ? "+walk"
	                   : e->kind == CAIRN_EV_MODE      ? "+mode"
	                   : e->kind == CAIRN_EV_MODE_ISA  ? "+isa"
	                                                   : "event";
	/* Where a page was first used counts from each trace's own beginning. */
	size_t skip = e->kind == CAIRN_EV_PAGE_WALK && e->len >= 8 ? 8 : 0;
	l->seq = e->seq;
	/* Where the mode is not known, a change is taken to hold at once. */
	snprintf(l->text, sizeof l->text, "%s %u p%u %llx t%llx %llx\n", kind, e->kind,
	         e->kind == CAIRN_EV_MODE ? 0u : e->phase, (unsigned long long)e->code,
	         (unsigned long long)e->target,
	         (unsigned long long)sum(b->bytes + e->args + skip, e->len - skip));
}

static char *rows_of(const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *a = &b->insns[i], *z = a + 1;
	size_t n =
		(size_t)(z->reg0 - a->reg0) + (size_t)(z->mem0 - a->mem0) + (size_t)(z->ev0 - a->ev0);
	struct line *l = calloc(n + 1, sizeof *l);
	size_t k = 0;
	for (uint32_t r = a->reg0; r < z->reg0; r++)
		put_reg(&l[k++], b, &b->regs[r]);
	for (uint32_t m = a->mem0; m < z->mem0; m++)
		put_mem(&l[k++], b, &b->mems[m]);
	for (uint32_t e = a->ev0; e < z->ev0; e++)
		put_event(&l[k++], b, &b->events[e]);
	qsort(l, n, sizeof *l, by_seq);
	char *text = malloc(n * sizeof l->text + 1), *p = text;
	*p = 0;
	for (size_t j = 0; j < n; j++)
		p = stpcpy(p, l[j].text);
	free(l);
	return text;
}

static void take(struct same_trace *t, const struct cairn_batch *b)
{
	for (uint32_t i = 0; i < b->n_insns; i++) {
		if (t->n == t->cap) {
			t->cap = t->cap ? 2 * t->cap : 1024;
			t->rows = realloc(t->rows, t->cap * sizeof *t->rows);
		}
		const struct cairn_insn *in = &b->insns[i];
		t->rows[t->n++] = (struct same_row){.pc = in->pc,
		                                    .target = in->target,
		                                    .enc = in->enc,
		                                    .flags = in->flags,
		                                    .isa = in->isa,
		                                    .size = in->size,
		                                    .ctx = b->ctxs[in->ctx],
		                                    .text = rows_of(b, i)};
	}
}

int same_read(struct cairn *c, const char *path, struct same_trace *t)
{
	struct cairn_reader *r = NULL;
	struct cairn_batch *b = cairn_batch_new(c);
	*t = (struct same_trace){0};
	int rc = cairn_open(c, path, NULL, &r);
	while (rc >= 0 && (rc = cairn_next(r, b)) > 0)
		take(t, b);
	if (rc >= 0 && cairn_damage_count(r))
		rc = CAIRN_E_DAMAGED;
	cairn_close(r);
	cairn_batch_free(c, b);
	return rc;
}

static size_t line_length(const char *s)
{
	return strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n');
}

/* Every row of `a` is in `b`, in order; what more is there may be there at a seam. States
 * and walks may come later: when another hart runs, when a page is used. */
static bool rows_match(const char *a, const char *b, bool seam)
{
	while (*b) {
		size_t n = line_length(b);
		bool later = !strncmp(b, "+state", 6) || !strncmp(b, "+walk", 5);
		if (*a && !strncmp(a, b, n))
			a += n;
		else if (seam ? *b != '+' : !later)
			return false;
		b += n;
	}
	return *a == 0;
}

static bool ctx_matches(const struct cairn_ctx *a, const struct cairn_ctx *b)
{
	if ((a->known & b->known) != a->known)
		return false;
	return (!(a->known & CAIRN_CTX_PRIV) || a->priv == b->priv) &&
	       (!(a->known & CAIRN_CTX_PID) || a->pid == b->pid) &&
	       (!(a->known & CAIRN_CTX_TID) || a->tid == b->tid) &&
	       (!(a->known & CAIRN_CTX_ASID) || a->asid == b->asid) &&
	       (!(a->known & CAIRN_CTX_HW_TID) || a->hw_tid == b->hw_tid);
}

const char *same_differ(const struct same_row *a, const struct same_row *b, bool seam)
{
	static char text[4096];
	uint32_t mask = seam ? ~(uint32_t)CAIRN_INSN_DISCONTINUITY : UINT32_MAX;
	const char *what = NULL;
	if (a->pc != b->pc)
		what = "PC";
	else if (a->enc != b->enc || a->size != b->size || a->isa != b->isa)
		what = "encoding";
	else if ((a->flags ^ b->flags) & mask)
		what = "flags";
	else if (a->target != b->target)
		what = "target";
	else if (!ctx_matches(&a->ctx, &b->ctx))
		what = "context";
	else if (!rows_match(a->text, b->text, seam))
		what = "rows";
	if (!what)
		return NULL;
	snprintf(
		text, sizeof text,
		"%s: pc %llx/%llx enc %x/%x isa %u/%u flags %x/%x priv %u/%u known %x/%x\n%.1800s--\n%.1800s",
		what, (unsigned long long)a->pc, (unsigned long long)b->pc, a->enc, b->enc, a->isa, b->isa,
		a->flags, b->flags, a->ctx.priv, b->ctx.priv, a->ctx.known, b->ctx.known, a->text, b->text);
	return text;
}

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

void same_free(struct same_trace *trace)
{
	for (size_t i = 0; i < trace->n; i++)
		free(trace->rows[i].text);
	free(trace->rows);
	*trace = (struct same_trace){0};
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

static void put_reg(struct line *line, const struct cairn_batch *batch, const struct cairn_reg *reg)
{
	uint64_t v = reg->value;
	if (reg->flags & CAIRN_VALUE_WIDE)
		v = sum(batch->bytes + reg->value, reg->bits / 8);
	line->seq = reg->seq;
	snprintf(line->text, sizeof line->text, "%s %u.%u=%llx/%u/%u\n",
	         reg->role == CAIRN_ROLE_STATE ? "+state" : "reg", reg->cls, reg->num,
	         (unsigned long long)v, reg->bits, reg->role);
}

static void put_mem(struct line *line, const struct cairn_batch *batch, const struct cairn_mem *mem)
{
	uint64_t v = mem->value;
	if (mem->flags & CAIRN_VALUE_WIDE)
		v = sum(batch->bytes + mem->value, 8u * mem->words);
	line->seq = mem->seq;
	snprintf(line->text, sizeof line->text, "mem %u %llx+%u=%llx a%x i%u.%u f%x\n", mem->kind,
	         (unsigned long long)mem->addr, mem->size, (unsigned long long)v, mem->attr,
	         mem->initiator, mem->unit, mem->flags);
}

static void put_event(struct line *line, const struct cairn_batch *batch,
                      const struct cairn_event *event)
{
	const char *kind = event->kind == CAIRN_EV_FORCE_PC    ? "+force"
	                   : event->kind == CAIRN_EV_PAGE_WALK ? "+walk"
	                   : event->kind == CAIRN_EV_MODE      ? "+mode"
	                   : event->kind == CAIRN_EV_MODE_ISA  ? "+isa"
	                                                       : "event";
	/* Where a page was first used counts from each trace's own beginning. */
	size_t skip = event->kind == CAIRN_EV_PAGE_WALK && event->len >= 8 ? 8 : 0;
	line->seq = event->seq;
	/* Where the mode is not known, a change is taken to hold at once. */
	snprintf(line->text, sizeof line->text, "%s %u p%u %llx t%llx %llx\n", kind, event->kind,
	         event->kind == CAIRN_EV_MODE ? 0u : event->phase, (unsigned long long)event->code,
	         (unsigned long long)event->target,
	         (unsigned long long)sum(batch->bytes + event->args + skip, event->len - skip));
}

static char *rows_of(const struct cairn_batch *batch, uint32_t index)
{
	const struct cairn_insn *insn = &batch->insns[index], *z = insn + 1;
	size_t n = (size_t)(z->reg0 - insn->reg0) + (size_t)(z->mem0 - insn->mem0) +
	           (size_t)(z->ev0 - insn->ev0);
	struct line *line = calloc(n + 1, sizeof *line);
	size_t k = 0;
	for (uint32_t r = insn->reg0; r < z->reg0; r++)
		put_reg(&line[k++], batch, &batch->regs[r]);
	for (uint32_t m = insn->mem0; m < z->mem0; m++)
		put_mem(&line[k++], batch, &batch->mems[m]);
	for (uint32_t e = insn->ev0; e < z->ev0; e++)
		put_event(&line[k++], batch, &batch->events[e]);
	qsort(line, n, sizeof *line, by_seq);
	char *text = malloc(n * sizeof line->text + 1), *p = text;
	*p = 0;
	for (size_t j = 0; j < n; j++)
		p = stpcpy(p, line[j].text);
	free(line);
	return text;
}

static void take(struct same_trace *trace, const struct cairn_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_insns; i++) {
		if (trace->n == trace->cap) {
			trace->cap = trace->cap ? 2 * trace->cap : 1024;
			trace->rows = realloc(trace->rows, trace->cap * sizeof *trace->rows);
		}
		const struct cairn_insn *in = &batch->insns[i];
		trace->rows[trace->n++] = (struct same_row){.pc = in->pc,
		                                            .target = in->target,
		                                            .enc = in->enc,
		                                            .flags = in->flags,
		                                            .isa = in->isa,
		                                            .size = in->size,
		                                            .ctx = batch->ctxs[in->ctx],
		                                            .text = rows_of(batch, i)};
	}
}

int same_read(struct cairn *cairn, const char *path, struct same_trace *trace)
{
	struct cairn_reader *reader = NULL;
	struct cairn_batch *batch = cairn_batch_new(cairn);
	*trace = (struct same_trace){0};
	int rc = cairn_open(cairn, path, NULL, &reader);
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0)
		take(trace, batch);
	if (rc >= 0 && cairn_damage_count(reader))
		rc = CAIRN_E_DAMAGED;
	cairn_close(reader);
	cairn_batch_free(cairn, batch);
	return rc;
}

static size_t line_length(const char *text)
{
	return strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
}

/* Every row of `a` is in `b`, in order; what more is there may be there at a splice. States
 * and walks may come later: when another hart runs, when a page is used. */
static bool rows_match(const char *a, const char *b, bool splice)
{
	while (*b) {
		size_t n = line_length(b);
		bool later = !strncmp(b, "+state", 6) || !strncmp(b, "+walk", 5);
		if (*a && !strncmp(a, b, n))
			a += n;
		else if (splice ? *b != '+' : !later)
			return false;
		b += n;
	}
	return *a == 0;
}

static bool ctx_matches(const struct cairn_ctx *left, const struct cairn_ctx *right)
{
	if ((left->known & right->known) != left->known)
		return false;
	return (!(left->known & CAIRN_CTX_PRIV) || left->priv == right->priv) &&
	       (!(left->known & CAIRN_CTX_PID) || left->pid == right->pid) &&
	       (!(left->known & CAIRN_CTX_TID) || left->tid == right->tid) &&
	       (!(left->known & CAIRN_CTX_ASID) || left->asid == right->asid) &&
	       (!(left->known & CAIRN_CTX_HW_TID) || left->hw_tid == right->hw_tid);
}

const char *same_differ(const struct same_row *left, const struct same_row *right, bool splice)
{
	static char text[4096];
	uint32_t mask = splice ? ~(uint32_t)CAIRN_INSN_DISCONTINUITY : UINT32_MAX;
	const char *what = NULL;
	if (left->pc != right->pc)
		what = "PC";
	else if (left->enc != right->enc || left->size != right->size || left->isa != right->isa)
		what = "encoding";
	else if ((left->flags ^ right->flags) & mask)
		what = "flags";
	else if (left->target != right->target)
		what = "target";
	else if (!ctx_matches(&left->ctx, &right->ctx))
		what = "context";
	else if (!rows_match(left->text, right->text, splice))
		what = "rows";
	if (!what)
		return NULL;
	snprintf(
		text, sizeof text,
		"%s: pc %llx/%llx enc %x/%x isa %u/%u flags %x/%x priv %u/%u known %x/%x\n%.1800s--\n%.1800s",
		what, (unsigned long long)left->pc, (unsigned long long)right->pc, left->enc, right->enc,
		left->isa, right->isa, left->flags, right->flags, left->ctx.priv, right->ctx.priv,
		left->ctx.known, right->ctx.known, left->text, right->text);
	return text;
}

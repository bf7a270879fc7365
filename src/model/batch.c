/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch: one allocation, carved into the arrays. The untouched tail of an
 * array costs address space only, so the capacities can be generous.
 */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct cairn_insn) == 48, "row size is frozen");
_Static_assert(sizeof(struct cairn_reg) == 24, "row size is frozen");
_Static_assert(sizeof(struct cairn_mem) == 48, "row size is frozen");
_Static_assert(sizeof(struct cairn_event) == 32, "row size is frozen");
_Static_assert(sizeof(struct cairn_xact) == 96, "row size is frozen");
_Static_assert(sizeof(struct cairn_ctx) == 40, "row size is frozen");
_Static_assert(sizeof(struct cairn_asm) == 8, "row size is frozen");

enum { BYTES_FOR_TEXT = 4096 }; /* kept free to tell damage */

struct cairn_batch *cairn_batch_new(struct cairn *cairn)
{
	enum { ALIGN = 64 };
	const size_t sizes[] = {
		sizeof(struct cairn_batch),
		(CAIRN_CAP_INSNS + 2) * sizeof(struct cairn_insn),
		CAIRN_CAP_REGS * sizeof(struct cairn_reg),
		CAIRN_CAP_MEMS * sizeof(struct cairn_mem),
		CAIRN_CAP_EVENTS * sizeof(struct cairn_event),
		CAIRN_CAP_XACTS * sizeof(struct cairn_xact),
		CAIRN_CAP_CTXS * sizeof(struct cairn_ctx),
		CAIRN_CAP_BYTES,
		(CAIRN_CAP_INSNS + 2) * sizeof(struct cairn_asm),
	};
	enum { PARTS = sizeof sizes / sizeof *sizes };
	size_t at[PARTS], total = 0;
	for (size_t i = 0; i < PARTS; i++) {
		at[i] = total;
		total += (sizes[i] + ALIGN - 1) / ALIGN * ALIGN;
	}
	uint8_t *p = base_realloc(cairn, NULL, total);
	if (!p)
		return NULL;
	struct cairn_batch *batch = (struct cairn_batch *)(void *)p;
	memset(batch, 0, sizeof *batch);
	batch->insns = (struct cairn_insn *)(void *)(p + at[1]);
	batch->regs = (struct cairn_reg *)(void *)(p + at[2]);
	batch->mems = (struct cairn_mem *)(void *)(p + at[3]);
	batch->events = (struct cairn_event *)(void *)(p + at[4]);
	batch->xacts = (struct cairn_xact *)(void *)(p + at[5]);
	batch->ctxs = (struct cairn_ctx *)(void *)(p + at[6]);
	batch->bytes = p + at[7];
	batch->asms = (struct cairn_asm *)(void *)(p + at[8]);
	model_batch_clear(batch);
	return batch;
}

void cairn_batch_free(struct cairn *cairn, struct cairn_batch *batch)
{
	base_free(cairn, batch);
}

uint64_t cairn_event_arg(const struct cairn_batch *batch, const struct cairn_event *event,
                         unsigned index)
{
	uint64_t v;
	memcpy(&v, batch->bytes + event->args + 8 * (size_t)index, sizeof v);
	return v;
}

void model_batch_clear(struct cairn_batch *batch)
{
	batch->n0 = batch->x0 = batch->rec0 = batch->off0 = 0;
	batch->have = 0;
	batch->n_insns = batch->n_regs = batch->n_mems = batch->n_events = batch->n_xacts =
		batch->n_ctxs = batch->n_bytes = 0;
	memset(batch->insns, 0, 2 * sizeof *batch->insns);
}

bool model_batch_full(const struct cairn_batch *batch)
{
	return batch->n_insns == CAIRN_CAP_INSNS || batch->n_xacts == CAIRN_CAP_XACTS ||
	       batch->n_regs > CAIRN_CAP_REGS / 2 || batch->n_mems > CAIRN_CAP_MEMS / 2 ||
	       batch->n_events > CAIRN_CAP_EVENTS / 2 || batch->n_ctxs > CAIRN_CAP_CTXS / 2 ||
	       batch->n_bytes > CAIRN_CAP_BYTES / 2;
}

bool model_batch_empty(const struct cairn_batch *batch)
{
	return !(batch->n_insns || batch->n_xacts || batch->n_regs || batch->n_mems || batch->n_events);
}

void model_batch_close(struct cairn_batch *batch, uint32_t reg0, uint32_t mem0, uint32_t ev0,
                       uint16_t ctx)
{
	struct cairn_insn *row = &batch->insns[batch->n_insns];
	memset(row, 0, 2 * sizeof *row);
	row[0].reg0 = (uint16_t)reg0;
	row[0].mem0 = (uint16_t)mem0;
	row[0].ev0 = (uint16_t)ev0;
	row[0].ctx = ctx;
	row[1].reg0 = (uint16_t)batch->n_regs;
	row[1].mem0 = (uint16_t)batch->n_mems;
	row[1].ev0 = (uint16_t)batch->n_events;
}

static uint32_t batch_take_bytes(struct cairn_batch *batch, size_t n, size_t cap)
{
	if (batch->n_bytes > cap || n > cap - batch->n_bytes)
		return UINT32_MAX;
	uint32_t at = batch->n_bytes;
	uint32_t next = (at + (uint32_t)n + 7) & ~(uint32_t)7;
	batch->n_bytes = next > CAIRN_CAP_BYTES ? (uint32_t)CAIRN_CAP_BYTES : next;
	return at;
}

uint32_t model_batch_bytes(struct cairn_batch *batch, size_t n)
{
	return batch_take_bytes(batch, n, CAIRN_CAP_BYTES - BYTES_FOR_TEXT);
}

struct cairn_event *model_batch_text_event(struct cairn_batch *batch, uint8_t kind, uint16_t seq,
                                           const char *text, size_t n)
{
	if (batch->n_events == CAIRN_CAP_EVENTS)
		return NULL;
	uint32_t at = batch_take_bytes(batch, n, CAIRN_CAP_BYTES);
	if (at == UINT32_MAX)
		return NULL;
	if (n)
		memcpy(batch->bytes + at, text, n);
	struct cairn_event *event = &batch->events[batch->n_events++];
	*event = (struct cairn_event){.args = at,
	                              .len = (uint32_t)n,
	                              .seq = seq,
	                              .kind = kind,
	                              .flags = CAIRN_EVF_BYTES};
	return event;
}

void model_damage_event(struct cairn_reader *reader, struct model_span *span,
                        struct cairn_batch *batch, uint16_t seq, enum cairn_phase phase,
                        uint64_t off, uint64_t lost, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	model_damaged(reader, span, "%s", text);
	struct cairn_event *event =
		model_batch_text_event(batch, CAIRN_EV_DAMAGE, seq, text, strlen(text));
	if (event) {
		event->phase = (uint8_t)phase;
		event->code = off;
		event->target = lost;
	}
}

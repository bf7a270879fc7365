/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a slot on their way into a batch: see rows.h. */
#include "kit/rows.h"

#include <stdio.h>

struct cairn_event *kit_event(struct kit_rows *rows, uint8_t kind, uint8_t phase)
{
	struct cairn_batch *batch = rows->batch;
	if (!(rows->want & CAIRN_EVENTS))
		return NULL;
	if (batch->n_events >= rows->most.events) {
		rows->dropped++;
		return NULL;
	}
	struct cairn_event *event = &batch->events[batch->n_events++];
	*event = (struct cairn_event){.kind = kind, .phase = phase, .seq = rows->seq++};
	return event;
}

uint32_t kit_payload(struct kit_rows *rows, size_t n)
{
	uint32_t at = rows->batch->n_bytes + n <= rows->most.bytes ? model_batch_bytes(rows->batch, n)
	                                                           : UINT32_MAX;
	rows->dropped += at == UINT32_MAX && n;
	return at;
}

struct cairn_event *kit_text(struct kit_rows *rows, uint8_t kind, uint8_t phase, const char *text,
                             size_t n)
{
	struct cairn_event *event = kit_event(rows, kind, phase);
	uint32_t at = event ? kit_payload(rows, n) : UINT32_MAX;
	if (at == UINT32_MAX) {
		rows->batch->n_events -= event != NULL;
		return NULL;
	}
	if (n)
		memcpy(rows->batch->bytes + at, text, n);
	event->args = at;
	event->len = (uint32_t)n;
	event->flags = CAIRN_EVF_BYTES;
	return event;
}

void kit_args(struct kit_rows *rows, struct cairn_event *event, const uint64_t *args, size_t n)
{
	uint32_t at = event && n ? kit_payload(rows, n * sizeof *args) : UINT32_MAX;
	if (at == UINT32_MAX)
		return;
	memcpy(rows->batch->bytes + at, args, n * sizeof *args);
	event->args = at;
	event->len = (uint32_t)(n * sizeof *args);
}

void kit_value(struct kit_rows *rows, const void *bytes, size_t n, uint64_t *value, uint8_t *flags)
{
	*flags |= CAIRN_VALUE_KNOWN;
	if (n <= 8) {
		*value = base_le(bytes, (unsigned)n);
		return;
	}
	size_t words = (n + 7) / 8;
	uint32_t at = kit_payload(rows, 8 * words);
	if (at == UINT32_MAX) {
		*flags &= (uint8_t)~CAIRN_VALUE_KNOWN;
		return;
	}
	memset(rows->batch->bytes + at + 8 * (words - 1), 0, 8);
	memcpy(rows->batch->bytes + at, bytes, n);
	*flags |= CAIRN_VALUE_WIDE;
	*value = at;
}

void kit_asm(struct kit_rows *rows, const char *text, size_t n)
{
	struct cairn_batch *batch = rows->batch;
	struct cairn_asm *words = &batch->asms[batch->n_insns];
	*words = (struct cairn_asm){0};
	uint32_t at = rows->want & CAIRN_ASM && n ? kit_payload(rows, n) : UINT32_MAX;
	if (at == UINT32_MAX)
		return;
	memcpy(batch->bytes + at, text, n);
	*words = (struct cairn_asm){at, (uint32_t)n};
}

uint16_t kit_context(struct kit_rows *rows, const struct cairn_ctx *ctx)
{
	struct cairn_batch *batch = rows->batch;
	if (batch->n_ctxs == CAIRN_CAP_CTXS) {
		batch->n_ctxs--;
		rows->dropped++;
	}
	batch->ctxs[batch->n_ctxs] = *ctx;
	return (uint16_t)batch->n_ctxs++;
}

bool kit_dropped(struct kit_rows *rows, char *text, size_t size, const char *place)
{
	uint64_t n = rows->dropped;
	rows->dropped = 0;
	if (n)
		snprintf(text, size, "%s: the instruction has %llu more values than a batch holds", place,
		         (unsigned long long)n);
	return n != 0;
}

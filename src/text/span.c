/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a span, whatever the way of its dialect: its state, which goes on to the next
 * one, and damage with its place.
 */
#include <string.h>

#include "text/text.h"

static const struct text_way *way_of(const struct cairn_reader *reader)
{
	const struct text_impl *im = reader->impl;
	return im->d->way;
}

static void *flow_of(const struct cairn_reader *reader, struct text_span *ss)
{
	return (uint8_t *)ss + way_of(reader)->flow_at;
}

/* ---- states ---- */

int text_scan(struct cairn_reader *reader, struct model_span *span, struct cairn_tally *tally)
{
	struct text_span *ss = span->priv;
	const struct kit_window from = ss->bytes.window;
	int rc = way_of(reader)->scan(reader, span, tally);
	if (!ss->bytes.alone) /* it had one window */
		ss->bytes.window = from;
	ss->finished = false;
	return rc;
}

int text_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	const struct text_way *way = way_of(reader);
	struct text_span *ss = span->priv;
	struct text_place out = {.n = 1, .line = 1};
	uint8_t learnt[MODEL_STATE], *flow = flow_of(reader, ss);
	memcpy(learnt, flow, way->flow_size);
	memset(flow, 0, way->flow_size);
	if (span->seq != 0) {
		memcpy(&out, before, sizeof out);
		memcpy(flow, (const uint8_t *)before + sizeof out, way->flow_size);
	}
	ss->at = out;
	span->n0 = out.n;
	if (!span->scanned)
		return 0;
	out.n += ss->insns;
	out.line += ss->lines;
	out.off += ss->length;
	memcpy(span->exit, &out, sizeof out);
	memcpy(span->exit + sizeof out, flow, way->flow_size);
	way->join(ss, learnt, span->exit + sizeof out);
	span->n1 = out.n;
	for (uint64_t i = 0; span->counting && i < ss->n_bad && i < MODEL_DAMAGE_KEPT; i++)
		text_damaged(reader, span, ss->bad[i].off, ss->at.line + ss->bad[i].line, ss->bad[i].why);
	if (span->counting && ss->n_bad > MODEL_DAMAGE_KEPT)
		span->damage.count += ss->n_bad - MODEL_DAMAGE_KEPT;
	return 0;
}

void text_finish(const struct cairn_reader *reader, struct model_span *span)
{
	struct text_span *ss = span->priv;
	ss->finished = true;
	if (span->scanned)
		return;
	memcpy(span->exit, &ss->at, sizeof ss->at);
	memcpy(span->exit + sizeof ss->at, flow_of(reader, ss), way_of(reader)->flow_size);
}

/* ---- batches ---- */

int text_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	const struct text_span *ss = span->priv;
	return ss->finished ? 0 : way_of(reader)->decode(reader, span, batch);
}

void text_batch_begin(const struct text_span *ss, struct cairn_batch *batch, uint32_t have)
{
	model_batch_clear(batch);
	batch->n0 = ss->at.n;
	batch->x0 = 1;
	batch->rec0 = ss->at.line;
	batch->off0 = ss->at.off;
	batch->have = have;
	batch->ctxs[batch->n_ctxs++] = (struct cairn_ctx){0};
}

/* ---- damage ---- */

#define PLACE "byte 0x%llx, line %llu: %s"

int text_note_bad(struct cairn_reader *reader, struct text_span *ss, uint64_t line, uint64_t off,
                  const char *why)
{
	if (!ss->bad)
		ss->bad = base_alloc(reader->cairn, MODEL_DAMAGE_KEPT * sizeof *ss->bad);
	if (!ss->bad)
		return CAIRN_E_NOMEM;
	if (ss->n_bad < MODEL_DAMAGE_KEPT)
		ss->bad[ss->n_bad] = (struct text_bad){line, off, why};
	ss->n_bad++;
	return 0;
}

void text_damaged(struct cairn_reader *reader, struct model_span *span, uint64_t off, uint64_t line,
                  const char *why)
{
	model_damaged(reader, span, PLACE, (unsigned long long)off, (unsigned long long)line, why);
}

void text_damage_event(struct cairn_reader *reader, struct model_span *span, struct kit_rows *rows,
                       enum cairn_phase phase, uint64_t off, size_t n, const char *why)
{
	const struct text_span *ss = span->priv;
	model_damage_event(reader, span, rows->batch, rows->seq++, phase, off, n, PLACE,
	                   (unsigned long long)off, (unsigned long long)ss->at.line, why);
}

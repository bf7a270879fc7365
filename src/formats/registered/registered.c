/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a trace of a format of the program's own, slot after slot: see registered.h. */
#include "formats/registered/registered.h"

#include <stdio.h>

enum { ANY = CAIRN_REGS | CAIRN_REG_VALUES | CAIRN_MEMS | CAIRN_MEM_VALUES | CAIRN_ASM };

/* One thread reads all of it, and never looks for a border. */
static const struct kit_source_rules source_rules = {.window = 1 << 20, .read = 1 << 16};

/* ---- opening ---- */

/* Let the format begin: the trace stands at its first byte. */
static int registered_start(struct registered_impl *im)
{
	struct cairn_input *input = &im->input;
	struct base_buf buf = input->bytes.buf;
	buf.len = 0;
	input->bytes = (struct kit_bytes){.buf = buf};
	input->at = (struct registered_place){0};
	input->failed = 0;
	im->begun = im->ended = im->holds = im->follows = false;
	im->n = 1;
	im->flow = (struct kit_flow){0};
	im->slot.ctx = (struct cairn_ctx){0};
	int rc = kit_cut(input->reader, &input->source, &input->bytes, true);
	if (rc < 0)
		return rc;
	input->opening = true;
	rc = im->given->open(im->given->user, input, im->options, &im->state);
	input->opening = false;
	im->open = rc >= 0;
	if (rc >= 0)
		rc = input->failed;
	if (rc < 0)
		registered_failed(input, rc, false);
	return rc < 0 ? base_fail(input->reader->cairn, input->failed, "%s", input->why) : 0;
}

static int registered_open(struct cairn_reader *reader, const char *options)
{
	struct registered_impl *im = base_alloc(reader->cairn, sizeof *im);
	if (!im)
		return CAIRN_E_NOMEM;
	reader->impl = im;
	im->given = reader->format->own;
	im->input.reader = reader;
	im->slot.input = &im->input;
	kit_source_init(reader->cairn, &im->input.source, &source_rules);
	base_buf_init(&im->input.bytes.buf, reader->cairn);
	base_buf_init(&im->input.comments, reader->cairn);
	if (*options && !(im->given->flags & CAIRN_FORMAT_OPTIONS))
		return base_fail(reader->cairn, CAIRN_E_INVAL,
		                 "reading %s takes no options, and '%s' is one", reader->format->name,
		                 options);
	im->options = base_strdup(reader->cairn, options);
	im->memo = isa_memo_new(reader->cairn);
	im->slot.batch = cairn_batch_new(reader->cairn);
	if (!im->options || !im->memo || !im->slot.batch)
		return CAIRN_E_NOMEM;
	kit_source_open(reader, &im->input.source, true);
	reader->can = CAIRN_PC | CAIRN_ENC | CAIRN_CLASS | CAIRN_TARGET | CAIRN_CONTEXT | CAIRN_EVENTS |
	              CAIRN_BYTES | CAIRN_PLACES | im->given->parts;
	return registered_start(im);
}

static void registered_close_state(struct registered_impl *im)
{
	if (im->open && im->given->close)
		im->given->close(im->state);
	im->open = false;
}

static void registered_close(struct cairn_reader *reader)
{
	struct registered_impl *im = reader->impl;
	if (!im)
		return;
	registered_close_state(im);
	kit_source_close(&im->input.source);
	base_buf_free(&im->input.bytes.buf);
	base_buf_free(&im->input.comments);
	isa_memo_free(im->memo);
	cairn_batch_free(reader->cairn, im->slot.batch);
	base_free(reader->cairn, im->options);
	base_free(reader->cairn, im);
}

static int registered_seek(struct cairn_reader *reader, uint64_t n)
{
	struct registered_impl *im = reader->impl;
	(void)n; /* reading on from the start gets there */
	if (!im->begun && im->open)
		return 0;
	registered_close_state(im);
	im->input.again = true;
	int rc = kit_source_restart(reader, &im->input.source, 0);
	if (rc >= 0)
		rc = registered_start(im);
	return rc < 0 ? registered_failed(&im->input, rc, true) : 0;
}

/* ---- slots ---- */

/* Bytes that no slot took at the end are damage. */
static void registered_end(struct registered_impl *im)
{
	struct kit_bytes *bytes = &im->input.bytes;
	im->ended = true;
	im->input.at.off = kit_offset(bytes);
	if (bytes->broken)
		cairn_slot_damage(&im->slot, 0, "%s", bytes->why);
	bytes->broken = false;
}

/* Have the format fill the next slot: 1, 0 at the end, or a status. */
static int registered_take(struct registered_impl *im)
{
	struct cairn_slot *slot = &im->slot;
	struct cairn_input *input = &im->input;
	struct cairn *cairn = input->reader->cairn;
	slot->any = slot->broken_before = slot->broken_after = false;
	slot->rows = (struct kit_rows){.batch = slot->batch, .want = input->reader->want};
	slot->batch->asms[0] = (struct cairn_asm){0};
	model_batch_clear(slot->batch);
	kit_rows_next(&slot->rows, false);
	while (!slot->any && !im->ended && !input->failed) {
		uint64_t off = kit_offset(&input->bytes);
		if (base_cancelled(cairn))
			return base_fail(cairn, CAIRN_E_CANCELLED, "cancelled");
		input->within = false;
		int rc = im->given->next(im->state, input, slot);
		if (rc < 0)
			registered_failed(input, rc, false);
		else if (rc == 0 && !input->failed)
			registered_end(im);
		else if (!slot->any && off == kit_offset(&input->bytes))
			cairn_input_fail(input, CAIRN_E_INVAL, "%s gives nothing and does not read on",
			                 input->reader->format->name);
	}
	if (input->failed)
		return base_fail(cairn, input->failed, "%s", input->why);
	if (slot->rows.dropped)
		cairn_slot_damage(slot, 0, "the instruction has %llu more values than a batch holds",
		                  (unsigned long long)slot->rows.dropped);
	return slot->any;
}

/* ---- batches ---- */

static unsigned hart_of(const struct cairn_ctx *ctx)
{
	return ctx->known & CAIRN_CTX_HART ? ctx->hart : 0;
}

/* Settle the instruction before the slot: it is followed by the slot's or (NULL) by none that shows
 * where it went. */
static void registered_settle(struct registered_impl *im, struct cairn_batch *batch,
                              const struct cairn_slot *slot)
{
	if (!im->follows)
		return;
	struct cairn_insn *row = &batch->insns[batch->n_insns - 1];
	const struct cairn_insn *next = slot ? slot->batch->insns : NULL;
	unsigned hart = hart_of(&batch->ctxs[row->ctx]);
	im->broken |= slot && slot->broken_before;
	bool told = slot && slot->batch->n_insns && !im->broken && hart_of(&slot->ctx) == hart &&
	            !(next->flags & CAIRN_INSN_PC_UNKNOWN);
	kit_outcome(row, &im->op, told ? &next->pc : NULL);
	kit_follow(&im->flow, hart, row, &im->op, im->broken);
	im->follows = false;
}

static uint16_t context_row(struct kit_rows *rows, const struct cairn_ctx *ctx)
{
	for (uint32_t i = rows->batch->n_ctxs; i-- > 0;)
		if (!memcmp(&rows->batch->ctxs[i], ctx, sizeof *ctx))
			return (uint16_t)i;
	return kit_context(rows, ctx);
}

static void append_rows(struct registered_impl *im, struct cairn_batch *batch)
{
	const struct cairn_batch *add = im->slot.batch;
	uint32_t reg0 = batch->n_regs, bytes0 = batch->n_bytes;
	for (uint32_t i = 0; i < add->n_regs; i++) {
		struct cairn_reg *row = &batch->regs[batch->n_regs++];
		*row = add->regs[i];
		row->value += row->flags & CAIRN_VALUE_WIDE ? bytes0 : 0;
		row->seq = (uint16_t)(row->seq + im->n_rows);
	}
	for (uint32_t i = 0; i < add->n_mems; i++) {
		struct cairn_mem *row = &batch->mems[batch->n_mems++];
		*row = add->mems[i];
		row->value += row->flags & CAIRN_VALUE_WIDE ? bytes0 : 0;
		row->reg = row->reg ? (uint16_t)(row->reg + reg0) : (uint16_t)0;
		row->seq = (uint16_t)(row->seq + im->n_rows);
	}
	for (uint32_t i = 0; i < add->n_events; i++) {
		struct cairn_event *row = &batch->events[batch->n_events++];
		*row = add->events[i];
		row->args += row->len ? bytes0 : 0;
		row->seq = (uint16_t)(row->seq + im->n_rows);
	}
	if (add->n_bytes)
		memcpy(batch->bytes + bytes0, add->bytes, add->n_bytes);
	batch->n_bytes += add->n_bytes;
	im->n_rows += im->slot.rows.seq;
}

/* Put the slot's instruction into the batch. */
static void append_insn(struct registered_impl *im, struct cairn_batch *batch, uint32_t bytes0)
{
	const struct cairn_slot *slot = &im->slot;
	const struct cairn_asm *words = &slot->batch->asms[0];
	struct cairn_insn *row = &batch->insns[batch->n_insns];
	bool flow = im->given->flags & CAIRN_FORMAT_TELLS_FLOW;
	batch->asms[batch->n_insns++] =
		(struct cairn_asm){words->text + (words->len ? bytes0 : 0), words->len};
	*row = slot->batch->insns[0];
	row->enc += row->flags & CAIRN_INSN_ENC_BYTES ? bytes0 : 0;
	row->rec = (uint32_t)(slot->insn.record - batch->rec0);
	row->off = (uint32_t)(slot->insn.off - batch->off0);
	row->ctx = im->ctx;
	row->reg0 = (uint16_t)im->reg0;
	row->mem0 = (uint16_t)im->mem0;
	row->ev0 = (uint16_t)im->ev0;
	if (flow && !slot->broken_before && !(row->flags & CAIRN_INSN_PC_UNKNOWN) &&
	    kit_jumped(&im->flow, hart_of(&slot->ctx), row->pc))
		row->flags |= CAIRN_INSN_DISCONTINUITY;
	im->op = slot->op;
	im->follows = flow;
	im->broken = slot->broken_after;
	im->n++;
}

/* Does the slot fit behind what the batch has? */
static bool registered_fits(const struct registered_impl *im, const struct cairn_batch *batch)
{
	const struct cairn_slot *slot = &im->slot;
	bool same = !memcmp(&batch->ctxs[im->ctx], &slot->ctx, sizeof slot->ctx);
	return !model_batch_full(batch) && batch->n_bytes + slot->batch->n_bytes <= CAIRN_CAP_BYTES &&
	       slot->insn.off - batch->off0 <= UINT32_MAX &&
	       slot->insn.record - batch->rec0 <= UINT32_MAX &&
	       (im->n_rows == 0 || (same && !slot->batch->n_insns));
}

/* Put the slot into the batch; false: it waits for the next batch. */
static bool registered_append(struct registered_impl *im, struct cairn_batch *batch)
{
	struct cairn_slot *slot = &im->slot;
	struct kit_rows rows = {.batch = batch};
	if (!slot->batch->n_insns)
		slot->insn = slot->first;
	registered_settle(im, batch, slot);
	if (batch->n_ctxs && !registered_fits(im, batch))
		return false;
	if (batch->n_ctxs == 0) {
		batch->rec0 = slot->first.record;
		batch->off0 = slot->first.off;
	}
	uint32_t bytes0 = batch->n_bytes;
	im->ctx = context_row(&rows, &slot->ctx);
	append_rows(im, batch);
	if (slot->batch->n_insns) {
		append_insn(im, batch, bytes0);
		im->reg0 = batch->n_regs;
		im->mem0 = batch->n_mems;
		im->ev0 = batch->n_events;
		im->n_rows = 0;
	}
	return true;
}

static int registered_decode(struct cairn_reader *reader, struct model_span *span,
                             struct cairn_batch *batch)
{
	struct registered_impl *im = reader->impl;
	int rc = 1;
	model_batch_clear(batch);
	batch->n0 = im->n;
	batch->x0 = 1;
	batch->have = reader->can & reader->want;
	im->reg0 = im->mem0 = im->ev0 = im->n_rows = im->ctx = 0;
	im->slot.span = span;
	while (rc > 0) {
		if (!im->holds)
			rc = registered_take(im);
		im->holds = rc > 0 && !registered_append(im, batch);
		if (im->holds)
			break;
	}
	registered_settle(im, batch, NULL);
	if (batch->n_ctxs == 0)
		batch->ctxs[batch->n_ctxs++] = im->slot.ctx;
	model_batch_close(batch, im->reg0, im->mem0, im->ev0, im->ctx);
	batch->insns[batch->n_insns].isa =
		batch->n_insns ? batch->insns[batch->n_insns - 1].isa : reader->isa;
	/* What was read before a failure is delivered before it. */
	return !model_batch_empty(batch) ? 1 : rc;
}

/* ---- the span: all of the trace ---- */

static int registered_cut(struct cairn_reader *reader, struct model_span *span, bool alone)
{
	struct registered_impl *im = reader->impl;
	bool first = !im->begun;
	(void)span, (void)alone;
	im->begun = true;
	return first;
}

static int registered_seal(struct cairn_reader *reader, const void *before, struct model_span *span)
{
	const struct registered_impl *im = reader->impl;
	(void)before;
	span->n0 = im->n;
	return 0;
}

static void registered_drop(struct cairn_reader *reader, struct model_span *span)
{
	(void)reader, (void)span;
}

/* ---- what is told of it ---- */

static bool registered_comment(const struct cairn_reader *reader, size_t index, const char **text,
                               size_t *n)
{
	const struct registered_impl *im = reader->impl;
	const struct base_buf *all = &im->input.comments;
	for (size_t at = 0; at < all->len; at += sizeof *n + *n) {
		memcpy(n, all->data + at, sizeof *n);
		*text = (const char *)all->data + at + sizeof *n;
		if (index-- == 0)
			return true;
	}
	return false;
}

static int registered_info(struct cairn_reader *reader, struct model_facts *facts)
{
	const char *text;
	size_t n;
	model_fact_format(facts, reader, 0);
	model_fact_packing(facts, reader, reader->isa);
	for (size_t i = 0; registered_comment(reader, i, &text, &n); i++)
		model_fact_list(facts, "comments", "%.*s", (int)n, text);
	model_fact_unknown(facts, "instructions");
	return model_fact_size(facts, io_stored_size(reader->io));
}

static const char *registered_event_name(const struct cairn_reader *reader,
                                         const struct cairn_event *event, char *buf)
{
	const struct registered_impl *im = reader->impl;
	(void)buf;
	return im->given->event_name ? im->given->event_name(im->given->user, event) : NULL;
}

/* ---- the format ---- */

static int registered_sure(const struct model_format *format, const uint8_t *head, size_t n)
{
	const struct cairn_format *given = format->own;
	int sure = given->probe(given->user, head, n);
	return sure > 100 ? 100 : sure;
}

int registered_init(struct cairn *cairn, const struct cairn_format *given, struct registered *out)
{
	if (!given || given->size > sizeof *given ||
	    given->size < offsetof(struct cairn_format, event_name))
		return base_fail(cairn, CAIRN_E_INVAL, "a format of a newer library, or of unknown size");
	base_take(&out->given, given, sizeof *given);
	given = &out->given;
	if (!given->name || !*given->name || strchr(given->name, ':'))
		return base_fail(cairn, CAIRN_E_INVAL, "a format needs a name, without a colon");
	if (!given->probe || !given->open || !given->next || given->parts & ~(uint32_t)ANY)
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "the format '%s' lacks a function, or has parts that it cannot give",
		                 given->name);
	out->format = (struct model_format){
		.name = given->name,
		.big_endian = given->flags & CAIRN_FORMAT_BIG_ENDIAN,
		.silent = given->flags & CAIRN_FORMAT_TELLS_CHANGES,
		.own = given,
		.sure = registered_sure,
		.open = registered_open,
		.close = registered_close,
		.info = registered_info,
		.comment = registered_comment,
		.event_name = registered_event_name,
		.cut = registered_cut,
		.seal = registered_seal,
		.decode = registered_decode,
		.drop = registered_drop,
		.seek = registered_seek,
	};
	return 0;
}

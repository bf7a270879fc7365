/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces, or parts of them, through batches into a writer: where records cannot be copied, because
 * the output is of another format, or because the trace's own format has no way to cut its records.
 * A slice then says who runs and where each range begins, because rows have that. What registers
 * held before is known to an index and to `cairn view --state`, but not to a batch; the notes say
 * so.
 */
#include "model/through.h"

#include <string.h>

#include "io/io.h"

struct through {
	struct cairn_writer *writer;
	struct cairn_batch *batch;
	bool have;                         /* `batch` may hold more of what is wanted */
	const struct cairn_reader *reader; /* whose `batch` is … */
	uint64_t next;                     /* … and the first number in it that was not given */
	struct cairn_changed *done;
	struct cairn_insn *insns; /* of a part of a batch */
};

/* Rows [from, to) of the batch, and what stands behind the last if that ends it, as a batch that
 * shares its arrays. No slot is given twice: where its accesses name registers' rows they are
 * changed. */
static struct cairn_batch part_of(struct through *through, uint32_t from, uint32_t to, uint64_t n0)
{
	const struct cairn_batch *batch = through->batch;
	struct cairn_batch q = *batch;
	const struct cairn_insn *insn = &batch->insns[from],
							*z = &batch->insns[to == batch->n_insns ? to + 1 : to];
	q.n0 = n0;
	q.n_insns = to - from;
	q.insns = through->insns;
	q.regs += insn->reg0;
	q.mems += insn->mem0;
	q.events += insn->ev0;
	q.asms = q.asms ? q.asms + from : NULL;
	q.n_regs = (uint32_t)(z->reg0 - insn->reg0);
	q.n_mems = (uint32_t)(z->mem0 - insn->mem0);
	q.n_events = (uint32_t)(z->ev0 - insn->ev0);
	for (uint32_t i = 0; i < q.n_mems; i++)
		if (q.mems[i].reg)
			q.mems[i].reg = (uint16_t)(q.mems[i].reg - insn->reg0);
	memcpy(q.insns, insn, (q.n_insns + 2) * sizeof *insn);
	for (uint32_t i = 0; i < q.n_insns + 2; i++) {
		bool behind = i == q.n_insns && to < batch->n_insns;
		struct cairn_insn *row = &q.insns[i];
		if (i > q.n_insns || behind) {
			row->reg0 = z->reg0;
			row->mem0 = z->mem0;
			row->ev0 = z->ev0;
		}
		row->reg0 = (uint16_t)(row->reg0 - insn->reg0);
		row->mem0 = (uint16_t)(row->mem0 - insn->mem0);
		row->ev0 = (uint16_t)(row->ev0 - insn->ev0);
	}
	return q;
}

/* 1; 0 when the trace ends before the range does; < 0. */
static int through_put_range(struct through *through, struct cairn_reader *reader,
                             const struct cairn_range *range)
{
	struct cairn_batch *batch = through->batch;
	for (;;) {
		int rc = through->have ? 1 : cairn_next(reader, batch);
		if (!through->have && rc > 0)
			through->next = batch->n0;
		through->have = rc > 0;
		through->reader = reader;
		if (rc <= 0)
			return rc;
		uint64_t end = batch->n0 + batch->n_insns;
		if (batch->n0 > range->last)
			return 1;
		if (end > range->first || (batch->n_insns == 0 && batch->n0 >= range->first)) {
			uint32_t from = range->first > batch->n0 ? (uint32_t)(range->first - batch->n0) : 0;
			uint32_t to =
				range->last < end ? (uint32_t)(range->last - batch->n0 + 1) : batch->n_insns;
			if (to > batch->n_insns)
				to = batch->n_insns;
			struct cairn_batch q = part_of(through, from, to, through->done->instructions + 1);
			rc = cairn_put(through->writer, &q);
			through->done->instructions += q.n_insns;
			through->next = batch->n0 + to;
		}
		through->have = rc >= 0 && range->last < end - 1;
		if (rc < 0 || range->last < end)
			return rc < 0 ? rc : 1;
	}
}

static const struct cairn_range through_all = {1, UINT64_MAX};

/* From here on lines are read in order to be written: those of a range, or of a slice. */
static void through_judge_drawing(const struct through *through, struct cairn_reader *reader,
                                  const struct cairn_range *range,
                                  const struct cairn_slice_opts *slice)
{
	struct model_drawing *drawing = &reader->drawing;
	*drawing = (struct model_drawing){.now = *range, .coloured = through->writer->coloured};
	drawing->after.opts = slice;
	if (slice && !model_range_next(&drawing->after, &drawing->now))
		drawing->now.last = 0;
}

/* They have been. */
static int through_lose_drawing(const struct through *through, struct cairn_reader *reader)
{
	const struct model_drawing drawing = reader->drawing;
	reader->drawing = (struct model_drawing){0};
	return model_lost(through->writer, drawing.count, drawing.first, model_lost_drawing);
}

/* Go to a range, unless reading on gets there: 1, 0 past the end. */
static int through_go(struct through *through, struct cairn_reader *reader,
                      const struct cairn_range *range)
{
	if (reader->started && (!through->have || range->first >= through->batch->n0) &&
	    !cairn_reader_jumps(reader))
		return 1;
	if (!reader->started && range->first == 1)
		return 1;
	through->have = false;
	int rc = model_seek(reader, range->first, through->batch);
	through->have = rc > 0;
	return rc;
}

static int put_slice(struct through *through, struct cairn_reader *reader,
                     const struct cairn_slice_opts *opts)
{
	struct model_ranges ranges = {.opts = opts};
	struct cairn_range range;
	int rc = 1;
	through_judge_drawing(through, reader, &through_all, opts);
	while (rc > 0 && model_range_next(&ranges, &range)) {
		rc = through_go(through, reader, &range);
		if (rc > 0)
			rc = through_put_range(through, reader, &range);
		if (rc >= 0 && range.first > 1 && through->done->instructions)
			rc = model_ledger_add(reader->cairn, through->done->notes,
			                      "the registers at the beginning of a range are unknown", 1,
			                      range.first) < 0
			         ? CAIRN_E_NOMEM
			         : rc;
	}
	if (rc >= 0 && through->done->instructions == 0 && opts->n_ranges)
		return model_fail_empty(reader);
	return rc < 0 ? rc : through_lose_drawing(through, reader);
}

/* The same for a range of a part. A source that is read once is only read on, and the batch in
 * which the range before ended may hold the beginning of this one. */
static int through_go_part(struct through *through, struct cairn_reader *reader,
                           const struct cairn_range *range)
{
	const struct cairn_batch *batch = through->batch;
	bool again = reader->started && !io_can_seek(reader->io);
	through->have = false;
	if (again && (through->reader != reader || range->first < through->next))
		return base_fail(reader->cairn, CAIRN_E_STATE, "%s: a stream cannot be read again",
		                 io_name(reader->io));
	if (again && range->first < batch->n0 + batch->n_insns) {
		through->have = true;
		return 1;
	}
	if (!reader->started && range->first == 1)
		return 1;
	int rc = model_seek(reader, range->first, through->batch);
	through->have = rc > 0;
	through->next = batch->n0;
	return rc;
}

static int through_put_part(struct through *through, const struct cairn_merge_part *part)
{
	const struct cairn_range *ranges = part->n_ranges ? part->ranges : &through_all;
	int rc = 1;
	for (size_t i = 0; i < (part->n_ranges ? part->n_ranges : 1) && rc >= 0; i++) {
		through_judge_drawing(through, part->reader, &ranges[i], NULL);
		rc = through_go_part(through, part->reader, &ranges[i]);
		if (rc > 0)
			rc = through_put_range(through, part->reader, &ranges[i]);
		if (rc >= 0)
			rc = through_lose_drawing(through, part->reader);
	}
	return rc;
}

int through_writer(const struct cairn_reader *reader, const struct cairn_output *out,
                   const struct model_writer_format **format, const char **options)
{
	*format = NULL;
	*options = "";
	if (reader->writer_for)
		*format = reader->writer_for(reader->cairn, out->path, out->to, options);
	if (!*format && reader->writer_for && !out->to)
		*format = reader->writer_for(reader->cairn, out->path, reader->format->name, options);
	if (*format)
		return 0;
	if (out->to)
		return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
		                 "no format that is written is called '%s'", out->to);
	return base_fail(reader->cairn, CAIRN_E_UNSUPPORTED,
	                 "%s: %s is only read: ask for a format that is "
	                 "written (-o NAME%s, or --to)",
	                 out->path, reader->format->name, reader->jumping ? reader->jumping : "");
}

int through_batches(const struct cairn_merge_part *parts, size_t n,
                    const struct cairn_slice_opts *slice, const struct model_writer_format *format,
                    const char *options, const struct cairn_output *out, struct cairn_changed *done)
{
	struct cairn *cairn = parts[0].reader->cairn;
	struct cairn_create_opts opts = model_create_opts(out);
	struct through through = {.done = done};
	struct cairn_ledger *lost = NULL;
	int rc = model_writer_new(cairn, format, out->path, options, &opts, &through.writer);
	if (rc < 0)
		return rc;
	through.batch = cairn_batch_new(cairn);
	through.insns = base_alloc(cairn, (CAIRN_CAP_INSNS + 2) * sizeof *through.insns);
	rc = through.batch && through.insns ? 0 : CAIRN_E_NOMEM;
	bool whole = !slice && n == 1 && !parts[0].n_ranges;
	if (whole)
		through_judge_drawing(&through, parts[0].reader, &through_all, NULL);
	if (rc >= 0)
		rc = whole ? model_pump(parts[0].reader, through.writer, out->threads, &done->instructions)
		           : cairn_writer_from(through.writer, parts[0].reader);
	if (whole && rc >= 0)
		rc = through_lose_drawing(&through, parts[0].reader);
	if (slice && rc >= 0)
		rc = put_slice(&through, parts[0].reader, slice);
	else if (!whole)
		for (size_t i = 0; i < n && rc >= 0; i++) {
			rc = model_writer_joins(through.writer, parts[0].reader, parts[i].reader);
			if (rc >= 0)
				rc = through_put_part(&through, &parts[i]);
		}
	if (!slice && !whole && rc >= 0 && done->instructions == 0)
		rc = model_fail_empty_parts(parts, n);
	cairn_batch_free(cairn, through.batch);
	base_free(cairn, through.insns);
	if (rc < 0) {
		cairn_discard(through.writer);
		return rc;
	}
	struct cairn_ledger *notes = NULL;
	rc = model_writer_end(through.writer, &lost, &notes);
	cairn_ledger_free(cairn, done->lost);
	done->lost = lost;
	if (rc >= 0)
		rc = model_ledger_join(cairn, done->notes, notes);
	cairn_ledger_free(cairn, notes);
	return rc;
}

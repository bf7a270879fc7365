/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of ETE traces, and several one after another, as ETE.
 *
 * The meaning of a packet depends on the packets before it, so no part of a stream can be copied:
 * the instructions that ran are encoded again (write.c), which needs the program. Each part begins
 * with a synchronisation of its own, and a Trace On stands between two parts that did not follow
 * each other. The ledger lists what of the packets is lost.
 */
#include "cairn/index.h"
#include "formats/ete/format.h"
#include "formats/ete/write/write.h"

static int need_program(const struct cairn_reader *reader, const char *verb)
{
	if (reader->can & CAIRN_PC)
		return 0;
	return base_fail(
		reader->cairn, CAIRN_E_UNSUPPORTED,
		"%s: to %s an ETE trace, what ran is encoded again, and that is unknown without its program (--image)",
		io_name(reader->io), verb);
}

static int slice_open_writer(struct cairn_reader *reader, const struct cairn_output *out,
                             struct cairn_writer **writer)
{
	struct cairn_create_opts opts = model_create_opts(out);
	const char *options = "";
	if (reader->writer_for)
		(void)reader->writer_for(reader->cairn, out->path, out->to, &options);
	int rc = model_writer_new(reader->cairn, &ete_writer_format, out->path, options, &opts, writer);
	if (rc < 0)
		return rc;
	((struct ete_out *)(*writer)->impl)->pieces = true;
	return cairn_writer_from(*writer, reader);
}

static int close_writer(struct cairn *cairn, struct cairn_writer *writer,
                        struct cairn_changed *done, int rc)
{
	struct cairn_ledger *lost = NULL;
	if (rc < 0) {
		cairn_discard(writer);
		return rc;
	}
	rc = cairn_finish(writer, &lost);
	if (rc >= 0) /* a split has several ledgers */
		rc = model_ledger_join(cairn, done->lost, lost);
	cairn_ledger_free(cairn, lost);
	return rc;
}

/* The batch's part of a range. */
static int ete_slice_put_part(struct cairn_writer *writer, const struct cairn_batch *batch,
                              const struct cairn_range *range, struct cairn_changed *done)
{
	uint64_t end = batch->n0 + batch->n_insns; /* number behind it */
	uint32_t from = range->first > batch->n0 ? (uint32_t)(range->first - batch->n0) : 0;
	uint32_t to = range->last < end ? (uint32_t)(range->last - batch->n0) + 1 : batch->n_insns + 1;
	if (range->first > end || range->last < batch->n0)
		return 0;
	done->instructions += (to < batch->n_insns ? to : batch->n_insns) - from;
	writer->begun = true;
	return ete_write_slots(writer, batch, from, to);
}

/* A trace that is read once, for ranges in its order. */
struct source {
	struct cairn_reader *reader;
	struct cairn_batch *batch, *other;
	bool have; /* `batch` is where reading stands */
};

static int source_open(struct source *source, struct cairn_reader *reader)
{
	*source = (struct source){.reader = reader,
	                          .batch = cairn_batch_new(reader->cairn),
	                          .other = cairn_batch_new(reader->cairn)};
	return source->batch && source->other ? 0 : CAIRN_E_NOMEM;
}

static void source_close(struct source *source)
{
	if (!source->reader)
		return;
	cairn_batch_free(source->reader->cairn, source->batch);
	cairn_batch_free(source->reader->cairn, source->other);
}

static uint64_t batch_end(const struct cairn_batch *batch)
{
	return batch->n0 + batch->n_insns;
}

static int source_next(struct source *source)
{
	int rc = cairn_next(source->reader, source->batch);
	source->have = rc > 0;
	return rc;
}

/* Go to the batch that holds this instruction or ends before it: 1, 0 when there is none, < 0. */
static int source_reach(struct source *source, uint64_t n)
{
	enum { FAR = 1 << 20 };
	bool back = source->have && n < source->batch->n0;
	bool far =
		source->have && cairn_reader_jumps(source->reader) && n > batch_end(source->batch) + FAR;
	int rc = 1;
	if (!source->have || back || far) {
		/* What belongs to it may stand behind the instruction before. */
		rc = model_seek(source->reader, n > 1 ? n - 1 : 1, source->batch);
		source->have = rc > 0;
	}
	while (rc > 0 && batch_end(source->batch) < n)
		rc = source_next(source);
	return rc;
}

/* Append a range. 1, 0 when the trace ended before it did, < 0. */
static int ete_slice_put_range(struct source *source, struct cairn_writer *writer,
                               const struct cairn_range *range, struct cairn_changed *done)
{
	int rc = source_reach(source, range->first);
	if (rc > 0 && batch_end(source->batch) == range->first) {
		struct cairn_batch *before = source->batch;
		source->batch = source->other;
		source->other = before;
		rc = source_next(source);
		if (rc > 0)
			rc = ete_write_break(writer);
		if (rc >= 0 && source->have)
			rc = ete_slice_put_part(writer, before, range, done);
	} else if (rc > 0) {
		rc = ete_write_break(writer);
	}
	if (rc < 0 || !source->have)
		return rc;
	rc = ete_slice_put_part(writer, source->batch, range, done);
	while (rc >= 0 && range->last >= batch_end(source->batch) && (rc = source_next(source)) > 0)
		rc = ete_slice_put_part(writer, source->batch, range, done);
	return rc < 0 ? rc : source->have;
}

static int ete_slice(struct cairn_reader *reader, const struct cairn_slice_opts *opts,
                     const struct cairn_output *out, struct cairn_changed *done)
{
	struct model_ranges ranges = {.opts = opts};
	struct cairn_range range;
	struct cairn_writer *writer = NULL;
	struct source source = {.reader = NULL};
	int rc = need_program(reader, "slice");
	done->instructions = 0;
	if (rc >= 0)
		rc = source_open(&source, reader);
	if (rc >= 0)
		rc = slice_open_writer(reader, out, &writer);
	for (int more = 1; rc >= 0 && more > 0 && model_range_next(&ranges, &range);)
		rc = more = ete_slice_put_range(&source, writer, &range, done);
	source_close(&source);
	if (rc >= 0 && done->instructions == 0 && opts->n_ranges)
		rc = model_fail_empty(reader);
	return writer ? close_writer(reader->cairn, writer, done, rc) : rc;
}

static int ete_slices(struct cairn_reader *reader, struct model_part *parts, size_t n)
{
	struct cairn *cairn = reader->cairn;
	size_t n_ranges;
	struct source source = {.reader = NULL};
	struct cairn_writer **writers = base_alloc(cairn, n * sizeof *writers);
	struct model_part_range *ranges = model_part_ranges(cairn, parts, n, &n_ranges);
	int rc = need_program(reader, "split");
	if (rc >= 0)
		rc = writers && ranges ? source_open(&source, reader) : CAIRN_E_NOMEM;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = slice_open_writer(reader, &parts[i].out, &writers[i]);
	for (size_t i = 0; i < n_ranges && rc >= 0; i++)
		rc = ete_slice_put_range(&source, writers[ranges[i].part], &ranges[i].range,
		                         &parts[ranges[i].part].done);
	source_close(&source);
	for (size_t i = 0; writers && i < n; i++)
		if (writers[i])
			rc = close_writer(cairn, writers[i], &parts[i].done, rc);
	base_free(cairn, writers);
	base_free(cairn, ranges);
	return rc;
}

static int ete_merge(const struct cairn_merge_part *parts, size_t n, const struct cairn_output *out,
                     struct cairn_changed *done)
{
	static const struct cairn_range all = {1, UINT64_MAX};
	struct cairn *cairn = parts[0].reader->cairn;
	struct cairn_writer *writer = NULL;
	int rc = 0;
	for (size_t i = 0; i < n && rc >= 0; i++)
		rc = need_program(parts[i].reader, "merge");
	if (rc >= 0)
		rc = slice_open_writer(parts[0].reader, out, &writer);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		const struct cairn_merge_part *part = &parts[i];
		struct source source;
		rc = source_open(&source, part->reader);
		if (rc >= 0)
			rc = model_writer_joins(writer, parts[0].reader, part->reader);
		for (size_t k = 0; k < (part->n_ranges ? part->n_ranges : 1) && rc >= 0; k++)
			rc = ete_slice_put_range(&source, writer, part->n_ranges ? &part->ranges[k] : &all,
			                         done);
		source_close(&source);
	}
	if (rc >= 0 && done->instructions == 0)
		rc = model_fail_empty_parts(parts, n);
	return writer ? close_writer(cairn, writer, done, rc) : rc;
}

/* ---- parts of so many instructions ---- */

struct parts {
	struct cairn_reader *reader;
	const struct model_split *split;
	const struct cairn_output *out;
	struct cairn_changed *done;
	struct cairn_writer *writer; /* of the part begun */
	uint64_t part, n;            /* its number, and instructions in it */
};

static int slice_open_part(struct parts *parts)
{
	struct cairn_output to = *parts->out;
	parts->n = 0;
	int rc = parts->split->name(parts->split->user, ++parts->part, &to.path);
	return rc < 0 ? rc : slice_open_writer(parts->reader, &to, &parts->writer);
}

static int close_part(struct parts *parts, int rc)
{
	struct cairn_writer *writer = parts->writer;
	parts->writer = NULL;
	rc = close_writer(parts->reader->cairn, writer, parts->done, rc);
	return rc < 0 ? rc : parts->split->made(parts->split->user, parts->n);
}

static int put_batch(struct parts *parts, const struct cairn_batch *batch)
{
	uint32_t at = 0;
	int rc = 0;
	while (at < batch->n_insns && rc >= 0) {
		uint64_t room = parts->split->every - (parts->writer ? parts->n : 0);
		uint32_t left = batch->n_insns - at, n = left < room ? left : (uint32_t)room;
		rc = parts->writer ? 0 : slice_open_part(parts);
		if (rc < 0)
			break;
		parts->writer->begun = true;
		rc = ete_write_slots(parts->writer, batch, at, at + n);
		at += n;
		parts->n += n;
		parts->done->instructions += n;
		if (rc >= 0 && parts->n == parts->split->every)
			rc = close_part(parts, rc);
	}
	/* what belongs to no instruction goes with what is before it */
	return rc >= 0 && parts->writer
	           ? ete_write_slots(parts->writer, batch, batch->n_insns, batch->n_insns + 1)
	           : rc;
}

static int ete_split(struct cairn_reader *reader, const struct model_split *split,
                     const struct cairn_output *out, struct cairn_changed *done)
{
	struct parts parts = {.reader = reader, .split = split, .out = out, .done = done};
	int rc = need_program(reader, "split");
	struct cairn_batch *batch = rc < 0 ? NULL : cairn_batch_new(reader->cairn);
	rc = rc < 0 || batch ? rc : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0)
		rc = put_batch(&parts, batch);
	cairn_batch_free(reader->cairn, batch);
	if (parts.writer)
		rc = close_part(&parts, rc);
	if (rc >= 0 && !parts.part)
		rc = base_fail(reader->cairn, CAIRN_E_NOTFOUND, "%s: the trace is empty",
		               io_name(reader->io));
	return rc;
}

const struct model_change ete_change = {.slice = ete_slice,
                                        .slices = ete_slices,
                                        .merge = ete_merge,
                                        .split = ete_split};

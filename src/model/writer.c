/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a trace: batches in, a file out, or none.
 *
 * The first error stays, so a caller who only looks at the result of finish still learns it.
 * Nothing half done is ever left behind: unless finish succeeds, format and sink are aborted. What
 * a format cannot carry is entered in the ledger; in a lossless writer the first entry is an error
 * like any other.
 */
#include "model/model.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void writer_free(struct cairn_writer *writer)
{
	writer->format->abort(writer);
	cairn_sink_discard(writer->sink);
	cairn_ledger_free(writer->cairn, writer->ledger);
	cairn_ledger_free(writer->cairn, writer->notes);
	base_free(writer->cairn, writer->path);
	base_free(writer->cairn, writer->source);
	base_free(writer->cairn, writer);
}

int model_writer_new(struct cairn *cairn, const struct model_writer_format *format,
                     const char *path, const char *options, const struct cairn_create_opts *opts,
                     struct cairn_writer **out)
{
	*out = NULL;
	if (opts && opts->size > sizeof *opts)
		return base_fail(cairn, CAIRN_E_INVAL, "create options of a newer library");
	struct cairn_writer *writer = base_alloc(cairn, sizeof *writer);
	if (!writer)
		return CAIRN_E_NOMEM;
	writer->cairn = cairn;
	writer->format = format;
	if (opts)
		memcpy(&writer->opts, opts, opts->size);
	writer->path = base_strdup(cairn, path);
	writer->ledger = writer->path ? model_ledger_new(cairn) : NULL;
	int rc = writer->ledger ? format->open(writer, options) : CAIRN_E_NOMEM;
	if (rc < 0) {
		writer_free(writer);
		return rc;
	}
	writer->opts.to = writer->opts.codec = NULL;
	*out = writer;
	return 0;
}

int model_writer_sink(struct cairn_writer *writer)
{
	const char *name = writer->opts.codec;
	const struct cairn_codec *codec = NULL;
	if (!name)
		codec = cairn_codec_for_name(writer->cairn, writer->path);
	else if (strcmp(name, "none") != 0 && !(codec = cairn_codec_find(writer->cairn, name)))
		return base_fail(writer->cairn, CAIRN_E_INVAL, "no codec is called '%s'", name);
	return io_sink_open(writer->cairn, writer->path, codec,
	                    writer->opts.level ? writer->opts.level : INT_MIN,
	                    (int)(writer->opts.threads ? writer->opts.threads : 1), &writer->sink);
}

/* "instruction 7 (record 9, byte 0x40 of t.log)": as much of it as is known. */
static void report_place(const struct cairn_writer *writer, uint64_t n, char *out, size_t size)
{
	const struct cairn_batch *batch = writer->now;
	bool xacts = batch && batch->n_insns == 0 && batch->n_xacts;
	uint64_t i = batch ? n - (xacts ? batch->x0 : batch->n0) : 0;
	int at = snprintf(out, size, "%s %llu", xacts ? "transaction" : "instruction",
	                  (unsigned long long)n);
	if (!batch || !(batch->have & CAIRN_PLACES) || i >= (xacts ? batch->n_xacts : batch->n_insns))
		return;
	uint32_t rec = xacts ? batch->xacts[i].rec : batch->insns[i].rec;
	uint32_t off = xacts ? batch->xacts[i].off : batch->insns[i].off;
	snprintf(out + at, size - (size_t)at, " (record %llu, byte 0x%llx%s%s)",
	         (unsigned long long)(batch->rec0 + rec), (unsigned long long)(batch->off0 + off),
	         writer->source ? " of " : "", writer->source ? writer->source : "");
}

int model_lost(struct cairn_writer *writer, uint64_t count, uint64_t n, const char *what)
{
	char place[512];
	if (count == 0)
		return 0;
	int rc = model_ledger_add(writer->cairn, writer->ledger, what, count, n);
	if (rc < 0 || !writer->opts.lossless)
		return rc;
	report_place(writer, n, place, sizeof place);
	return base_fail(writer->cairn, CAIRN_E_LOSS, "%s: %s%s%s cannot carry %s", writer->path,
	                 n ? place : "", n ? ": " : "", writer->format->name, what);
}

int model_note(struct cairn_writer *writer, uint64_t count, uint64_t n, const char *what)
{
	if (!writer->notes && !(writer->notes = model_ledger_new(writer->cairn)))
		return CAIRN_E_NOMEM;
	return model_ledger_add(writer->cairn, writer->notes, what, count, n);
}

int model_refuse_set(struct cairn_writer *writer, const struct cairn_insn *row, uint64_t n,
                     const char *holds)
{
	const char *name = cairn_isa_name((enum cairn_isa)row->isa);
	if (row->isa == CAIRN_ISA_UNKNOWN)
		return base_fail(writer->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: %s holds %s, and the trace does not say "
		                 "of what set its instructions are (instruction %llu)",
		                 writer->path, writer->format->name, holds, (unsigned long long)n);
	if (row->flags & CAIRN_INSN_ENC_BYTES)
		return base_fail(writer->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: %s holds %s: none of %s (instruction %llu)", writer->path,
		                 writer->format->name, holds, name ? name : "this set",
		                 (unsigned long long)n);
	return base_fail(writer->cairn, CAIRN_E_UNSUPPORTED,
	                 "%s: %s holds %s: as one of them, %s's encoding "
	                 "0x%x (instruction %llu) would mean something else",
	                 writer->path, writer->format->name, holds, name ? name : "this set", row->enc,
	                 (unsigned long long)n);
}

int cairn_writer_from(struct cairn_writer *writer, const struct cairn_reader *reader)
{
	if (writer->begun)
		return base_fail(writer->cairn, CAIRN_E_STATE, "%s: something was written before",
		                 writer->path);
	base_free(writer->cairn, writer->source);
	writer->source = reader->io ? base_strdup(writer->cairn, io_name(reader->io)) : NULL;
	writer->isa = reader->isa;
	int rc = writer->format->from ? writer->format->from(writer, reader) : 0;
	const char *text;
	size_t n;
	for (size_t i = 0;
	     rc >= 0 && reader->format->comment && reader->format->comment(reader, i, &text, &n); i++)
		rc = writer->format->comment ? writer->format->comment(writer, text, n)
		                             : model_lost(writer, 1, 0, model_lost_event(CAIRN_EV_COMMENT));
	return rc;
}

static bool has_comment(const struct cairn_reader *reader, const char *text, size_t n)
{
	const char *other;
	size_t length;
	for (size_t i = 0;
	     reader->format->comment && reader->format->comment(reader, i, &other, &length); i++)
		if (length == n && !memcmp(other, text, n))
			return true;
	return false;
}

int model_writer_joins(struct cairn_writer *writer, const struct cairn_reader *first,
                       const struct cairn_reader *reader)
{
	const char *text;
	size_t n;
	int rc = 0;
	for (size_t i = 0;
	     rc >= 0 && reader->format->comment && reader->format->comment(reader, i, &text, &n); i++)
		if (!has_comment(first, text, n))
			rc = model_lost(writer, 1, 0, model_lost_event(CAIRN_EV_COMMENT));
	return rc;
}

int cairn_put(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	writer->begun = true;
	if (!writer->failed) {
		writer->now = batch;
		writer->any |= batch->n_insns != 0;
		int rc = writer->format->put(writer, batch);
		writer->failed = rc < 0 ? rc : 0;
		writer->now = NULL;
	}
	return writer->failed;
}

/* Without instructions only the source says of which set they would be. */
static int judge_set(struct cairn_writer *writer)
{
	const struct model_writer_format *format = writer->format;
	if (writer->any || !writer->isa || !format->sets || format->sets >> writer->isa & 1)
		return 0;
	return base_fail(writer->cairn, CAIRN_E_UNSUPPORTED, "%s: %s has no place for a trace of %s",
	                 writer->path, format->name, cairn_isa_name((enum cairn_isa)writer->isa));
}

int cairn_finish(struct cairn_writer *writer, struct cairn_ledger **ledger)
{
	return model_writer_end(writer, ledger, NULL);
}

int model_writer_end(struct cairn_writer *writer, struct cairn_ledger **ledger,
                     struct cairn_ledger **notes)
{
	int rc = writer->failed < 0 ? writer->failed : judge_set(writer);
	if (rc >= 0)
		rc = writer->format->finish(writer);
	if (rc >= 0 && writer->sink) {
		rc = cairn_sink_finish(writer->sink);
		writer->sink = NULL;
	}
	if (ledger) {
		*ledger = writer->ledger;
		writer->ledger = NULL;
	}
	if (notes) {
		*notes = writer->notes;
		writer->notes = NULL;
	}
	writer_free(writer);
	return rc < 0 ? rc : 0;
}

void cairn_discard(struct cairn_writer *writer)
{
	if (writer)
		writer_free(writer);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a trace: batches in, a file out, or none.
 *
 * The first error stays, so that a caller who looks only at finish still learns
 * it. Nothing is ever left behind half done: unless finish succeeds, format and
 * sink are aborted. What a format cannot carry is entered in the ledger; in a
 * lossless writer the first entry is an error like any other.
 */
#include "model/model.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void writer_free(struct cairn_writer *w)
{
	w->format->abort(w);
	io_sink_abort(w->sink);
	cairn_ledger_free(w->c, w->ledger);
	cairn_ledger_free(w->c, w->notes);
	base_free(w->c, w->path);
	base_free(w->c, w->source);
	base_free(w->c, w);
}

int model_writer_new(struct cairn *c, const struct model_writer_format *f, const char *path,
                     const char *options, const struct cairn_create_opts *opts,
                     struct cairn_writer **out)
{
	*out = NULL;
	if (opts && opts->size > sizeof *opts)
		return base_fail(c, CAIRN_E_INVAL, "create options of a newer library");
	struct cairn_writer *w = base_alloc(c, sizeof *w);
	if (!w)
		return CAIRN_E_NOMEM;
	w->c = c;
	w->format = f;
	if (opts)
		memcpy(&w->opts, opts, opts->size);
	w->path = base_strdup(c, path);
	w->ledger = w->path ? model_ledger_new(c) : NULL;
	int rc = w->ledger ? f->open(w, options) : CAIRN_E_NOMEM;
	if (rc < 0) {
		writer_free(w);
		return rc;
	}
	w->opts.to = w->opts.codec = NULL;
	*out = w;
	return 0;
}

int model_writer_sink(struct cairn_writer *w)
{
	const char *name = w->opts.codec;
	const struct cairn_codec *codec = NULL;
	if (!name)
		codec = cairn_codec_for_name(w->c, w->path);
	else if (strcmp(name, "none") != 0 && !(codec = cairn_codec_find(w->c, name)))
		return base_fail(w->c, CAIRN_E_INVAL, "no codec is called '%s'", name);
	return io_sink_open(w->c, w->path, codec, w->opts.level ? w->opts.level : INT_MIN,
	                    (int)(w->opts.threads ? w->opts.threads : 1), &w->sink);
}

/* "instruction 7 (record 9, byte 0x40 of t.log)": as much of it as is known. */
static void report_place(const struct cairn_writer *w, uint64_t n, char *out, size_t size)
{
	const struct cairn_batch *b = w->now;
	bool xacts = b && b->n_insns == 0 && b->n_xacts;
	uint64_t i = b ? n - (xacts ? b->x0 : b->n0) : 0;
	int at = snprintf(out, size, "%s %llu", xacts ? "transaction" : "instruction",
	                  (unsigned long long)n);
	if (!b || !(b->have & CAIRN_PLACES) || i >= (xacts ? b->n_xacts : b->n_insns))
		return;
	uint32_t rec = xacts ? b->xacts[i].rec : b->insns[i].rec;
	uint32_t off = xacts ? b->xacts[i].off : b->insns[i].off;
	snprintf(out + at, size - (size_t)at, " (record %llu, byte 0x%llx%s%s)",
	         (unsigned long long)(b->rec0 + rec), (unsigned long long)(b->off0 + off),
	         w->source ? " of " : "", w->source ? w->source : "");
}

int model_lost(struct cairn_writer *w, uint64_t count, uint64_t n, const char *what)
{
	char place[512];
	if (count == 0)
		return 0;
	int rc = model_ledger_add(w->c, w->ledger, what, count, n);
	if (rc < 0 || !w->opts.lossless)
		return rc;
	report_place(w, n, place, sizeof place);
	return base_fail(w->c, CAIRN_E_LOSS, "%s: %s%s%s cannot carry %s", w->path, n ? place : "",
	                 n ? ": " : "", w->format->name, what);
}

int model_note(struct cairn_writer *w, uint64_t count, uint64_t n, const char *what)
{
	if (!w->notes && !(w->notes = model_ledger_new(w->c)))
		return CAIRN_E_NOMEM;
	return model_ledger_add(w->c, w->notes, what, count, n);
}

int model_refuse_set(struct cairn_writer *w, const struct cairn_insn *row, uint64_t n,
                     const char *holds)
{
	const char *name = cairn_isa_name((enum cairn_isa)row->isa);
	if (row->isa == CAIRN_ISA_UNKNOWN)
		return base_fail(w->c, CAIRN_E_UNSUPPORTED,
		                 "%s: %s holds %s, and the trace does not say "
		                 "of what set its instructions are (instruction %llu)",
		                 w->path, w->format->name, holds, (unsigned long long)n);
	if (row->flags & CAIRN_INSN_ENC_BYTES)
		return base_fail(w->c, CAIRN_E_UNSUPPORTED,
		                 "%s: %s holds %s: none of %s (instruction %llu)", w->path, w->format->name,
		                 holds, name ? name : "this set", (unsigned long long)n);
	return base_fail(w->c, CAIRN_E_UNSUPPORTED,
	                 "%s: %s holds %s: as one of them, %s's encoding "
	                 "0x%x (instruction %llu) would mean something else",
	                 w->path, w->format->name, holds, name ? name : "this set", row->enc,
	                 (unsigned long long)n);
}

int cairn_writer_from(struct cairn_writer *w, const struct cairn_reader *r)
{
	if (w->begun)
		return base_fail(w->c, CAIRN_E_STATE, "%s: something was written before", w->path);
	base_free(w->c, w->source);
	w->source = r->io ? base_strdup(w->c, io_name(r->io)) : NULL;
	w->isa = r->isa;
	int rc = w->format->from ? w->format->from(w, r) : 0;
	const char *text;
	size_t n;
	for (size_t i = 0; rc >= 0 && r->format->comment && r->format->comment(r, i, &text, &n); i++)
		rc = w->format->comment ? w->format->comment(w, text, n)
		                        : model_lost(w, 1, 0, model_lost_event(CAIRN_EV_COMMENT));
	return rc;
}

int cairn_put(struct cairn_writer *w, const struct cairn_batch *b)
{
	w->begun = true;
	if (!w->failed) {
		w->now = b;
		w->any |= b->n_insns != 0;
		int rc = w->format->put(w, b);
		w->failed = rc < 0 ? rc : 0;
		w->now = NULL;
	}
	return w->failed;
}

/* Without instructions the source alone says of which set they would be. */
static int judge_set(struct cairn_writer *w)
{
	const struct model_writer_format *f = w->format;
	if (w->any || !w->isa || !f->sets || f->sets >> w->isa & 1)
		return 0;
	return base_fail(w->c, CAIRN_E_UNSUPPORTED, "%s: %s has no place for a trace of %s", w->path,
	                 f->name, cairn_isa_name((enum cairn_isa)w->isa));
}

int cairn_finish(struct cairn_writer *w, struct cairn_ledger **ledger)
{
	return model_writer_end(w, ledger, NULL);
}

int model_writer_end(struct cairn_writer *w, struct cairn_ledger **ledger,
                     struct cairn_ledger **notes)
{
	int rc = w->failed < 0 ? w->failed : judge_set(w);
	if (rc >= 0)
		rc = w->format->finish(w);
	if (rc >= 0 && w->sink) {
		rc = io_sink_finish(w->sink);
		w->sink = NULL;
	}
	if (ledger) {
		*ledger = w->ledger;
		w->ledger = NULL;
	}
	if (notes) {
		*notes = w->notes;
		w->notes = NULL;
	}
	writer_free(w);
	return rc < 0 ? rc : 0;
}

void cairn_discard(struct cairn_writer *w)
{
	if (w)
		writer_free(w);
}

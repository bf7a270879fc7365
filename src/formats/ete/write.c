/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down: batches, of any format, into an ETE stream of one trace unit for each hart.
 *
 * The output is a stream's bytes, or several in frames, or, where the name asks for a
 * snapshot ("…/" or "….snapshot"), a directory with the registers, the streams and the
 * program: the bytes of the instructions that ran. An instruction whose bytes are not those
 * that ran at its address before could not be decoded, so it is not put; the ledger tells.
 *
 * A row waits until the next one is known: some formats do not say whether a branch was
 * taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cairn/ete_encode.h"
#include "formats/ete/format.h"
#include "formats/ete/table.h"
#include "formats/ete/tracer.h"
#include "formats/ete/write.h"
#include "kit/options.h"

/* ---- options ---- */

#define OPTION(member) \
	.at = offsetof(struct ete_out, opts.member), .size = sizeof((struct ete_out *)0)->opts.member
static const struct kit_option writing[] = {
	{"maxspec", "N", "P0 elements that may be open", KIT_NUMBER, OPTION(maxspec), .most = 1 << 14},
	{"commit", "N", "an explicit Commit after so many", KIT_NUMBER, OPTION(commit_every),
     .most = UINT32_MAX},
	{"sync", "BYTES", "synchronise anew after so many", KIT_NUMBER, OPTION(sync_bytes),
     .most = UINT32_MAX},
	{"threshold", "N", "of cycle counts", KIT_NUMBER, OPTION(threshold), .most = 4095},
	{"q", "N", "every so manyth P0 element is a Q element", KIT_NUMBER, OPTION(q_every),
     .most = UINT32_MAX},
	{"source", "N", "every so manyth taken branch is told by its address", KIT_NUMBER,
     OPTION(source_every), .most = UINT32_MAX},
	{"noise", "N", "of 1000 atoms so many are followed by wrong ones, corrected", KIT_NUMBER,
     OPTION(noise), .most = 1000},
	{"seed", "N", "of that choice", KIT_NUMBER, OPTION(seed), .most = UINT32_MAX},
	{"stack", "0|1", "return stack", KIT_NUMBER, OPTION(return_stack), .most = 1},
	{"cycles", "0|1", "cycle counts", KIT_NUMBER, OPTION(cycles), .most = 1},
	{"commopt", "0|1", "cycle counts carry no commits", KIT_NUMBER, OPTION(commit_opt), .most = 1},
	{"timestamps", "0|1|2", "timestamps; 2: with markers", KIT_NUMBER, OPTION(timestamps),
     .most = 2},
	{"ids", "0|1|2", "context identifiers; 2: virtual ones, too", KIT_NUMBER, OPTION(ids),
     .most = 2},
	{"waits", "0|1", "WFI and WFE are P0 instructions", KIT_NUMBER, OPTION(waits), .most = 1},
	{"commtrans", "0|1", "a Transaction Start is no P0 element", KIT_NUMBER, OPTION(start_not_p0),
     .most = 1},
	{"atoms", "N", "atom packets up to this format", KIT_NUMBER, OPTION(atoms), .most = 6},
	{"addresses", "0|1|2", "0 the shortest, 1 no matches, 2 whole ones", KIT_NUMBER,
     OPTION(addresses), .most = 2},
	{"apart", "0|1", "contexts in packets of their own", KIT_NUMBER, OPTION(contexts_apart),
     .most = 1},
	{"uncounted", "0|1", "Q elements tell no count", KIT_NUMBER, OPTION(q_uncounted), .most = 1},
	{"drop", "0|1", "do not tell instructions behind the last P0 element", KIT_NUMBER,
     OPTION(drop_ends), .most = 1},
	{"frames", "0|1", "in CoreSight frames", KIT_NUMBER, KIT_AT(struct ete_out, framed), .most = 1},
};
const struct kit_options ete_writing_options = {"ete", "writing ETE", writing,
                                                sizeof writing / sizeof *writing};

static bool is_given(const struct ete_out *o, size_t at)
{
	for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
		if (writing[i].at == at)
			return o->given >> i & 1;
	return false;
}

static int write_open(struct cairn_writer *w, const char *options)
{
	struct ete_out *o = base_alloc(w->c, sizeof *o);
	int rc = 0;
	if (!o)
		return CAIRN_E_NOMEM;
	w->impl = o;
	o->c = w->c;
	o->formatter.id = -1;
	base_buf_init(&o->formatter.out, w->c);
	o->opts = (struct cairn_ete_tracer_opts){.size = sizeof o->opts,
	                                         .timestamps = 1,
	                                         .sync_bytes = 1 << 14};
	o->folder = ete_names_snapshot(w->path);
	if (o->folder)
		o->opts.cycles = o->opts.return_stack = 1;
	rc = kit_options_parse(w->c, &ete_writing_options, options, o, &o->given);
	o->ids_open = o->folder && !is_given(o, offsetof(struct ete_out, opts.ids));
	struct cairn_ete_tracer *t = NULL;
	if (rc >= 0) /* to refuse what it refuses */
		rc = cairn_ete_tracer_open(w->c, &o->opts, &t);
	cairn_ete_tracer_close(t);
	if (rc >= 0 && o->folder)
		rc = ete_folder_open(o, w->path);
	if (rc >= 0 && o->folder && o->framed)
		rc = ete_folder_stream(o, 0, &w->sink);
	return rc < 0 || o->folder ? rc : model_writer_sink(w);
}

static int write_from(struct cairn_writer *w, const struct cairn_reader *r)
{
	struct ete_out *o = w->impl;
	o->same = r && r->format == &ete_format;
	o->from = o->same ? r->impl : NULL;
	return 0;
}

/* ---- like the trace unit it comes from ---- */

static bool is_start(const struct cairn_event *event)
{
	return event->kind == CAIRN_EV_FORMAT && event->code == CAIRN_ETE_NO_SYNC;
}

/* Does the stream that begins in slot `i` begin with a Trace On? */
static bool begins_traced(const struct cairn_batch *b, uint32_t i)
{
	uint32_t k = b ? b->insns[i].ev0 : 0;
	for (uint32_t at = k; b && at < b->insns[i + 1].ev0; at++)
		k = is_start(&b->events[at]) ? at + 1 : k;
	for (; b && i <= b->n_insns; i++) {
		for (; k < b->insns[i + 1].ev0; k++)
			if (b->events[k].kind != CAIRN_EV_CONTEXT && b->events[k].kind != CAIRN_EV_GAP)
				return b->events[k].kind == CAIRN_EV_TRACE_ON;
		if (i < b->n_insns)
			return false;
	}
	return true;
}

/* The trace unit, or the hart's first one that wrote anything. */
static const struct ete_program *source_of(const struct ete_impl *im, unsigned unit, unsigned hart)
{
	const struct ete_program *first = NULL;
	if (!im || unit < im->n_programs)
		return im ? &im->programs[unit] : NULL;
	for (size_t i = 0; i < im->n_programs; i++) {
		const struct ete_program *p = &im->programs[i];
		if (p->hart == hart && __atomic_load_n(&p->told, __ATOMIC_RELAXED))
			return p;
		if (p->hart == hart && !first)
			first = p;
	}
	return first ? first : im->n_programs ? im->programs : NULL;
}

void ete_write_follow(const struct ete_out *o, struct ete_writer *d, unsigned unit,
                      const struct cairn_batch *b, uint32_t i)
{
#define OPEN(field) !is_given(o, offsetof(struct ete_out, opts.field))
	struct cairn_ete_tracer_opts *t = &d->opts;
	const struct ete_program *from = source_of(o->from, unit, d->hart);
	if (!from)
		return;
	const struct cairn_ete_config *cfg = &from->cfg;
	uint32_t told = __atomic_load_n(&from->told, __ATOMIC_RELAXED);
	bool marked = cfg->idr0 >> 23 & 1;
	d->count_far = cfg->idr8 != 0;
	d->m_profile = cfg->profile == 'M';
	t->no_start = !o->pieces && !begins_traced(b, i);
	if (o->folder) { /* which tells the registers that it is to be read with */
		if (OPEN(timestamps) && marked)
			t->timestamps = 2;
		if (OPEN(cycles))
			t->cycles = cfg->configr >> 4 & 1;
		if (OPEN(threshold))
			t->threshold = told & ETE_TOLD_THRESHOLD;
		if (!d->m_profile)
			t->info = (uint8_t)(told >> ETE_TOLD_INFO &
			                    ~(uint32_t)(CAIRN_ETE_INFO_CC | CAIRN_ETE_INFO_TRANSACTION));
		if (OPEN(commit_opt))
			t->commit_opt = cfg->idr0 >> 29 & 1;
		if (OPEN(return_stack))
			t->return_stack = ete_stacked(cfg);
		if (OPEN(waits))
			t->waits = (uint8_t)(cfg->idr2 >> 31);
		if (OPEN(ids))
			t->ids = cfg->configr >> 7 & 1 || t->ids > 1 ? 2 : t->ids | (cfg->configr >> 6 & 1);
		t->own_q = !t->q_every && (cfg->idr0 >> 15 & 3);
	}
	t->own_markers = marked && t->timestamps > 1;
#undef OPEN
}

/* In a snapshot they are its description: one line, in which a comment must not begin. */
static int write_comment(struct cairn_writer *w, const char *text, size_t n)
{
	struct ete_out *o = w->impl;
	size_t old = o->description ? strlen(o->description) : 0, at = old;
	if (!o->folder)
		return model_lost(w, 1, 0, model_lost_event(CAIRN_EV_COMMENT));
	char *more = base_realloc(w->c, o->description, old + n + sizeof ETE_JOINT);
	if (!more)
		return CAIRN_E_NOMEM;
	if (old) {
		memcpy(more + old, ETE_JOINT, sizeof ETE_JOINT - 1);
		at += sizeof ETE_JOINT - 1;
	}
	memcpy(more + at, text, n);
	more[at + n] = 0;
	for (char *p = more + at; p < more + at + n; p++)
		if ((unsigned char)*p < ' ' || *p == ';' || *p == '#')
			*p = ' ';
	o->description = more;
	return 0;
}

static void write_abort(struct cairn_writer *w)
{
	struct ete_out *o = w->impl;
	if (!o)
		return;
	io_sink_abort(w->sink); /* before its folder goes */
	w->sink = NULL;
	ete_out_free(o);
	w->impl = NULL;
}

/* ---- rows ---- */

static struct ete_writer *write_now(const struct cairn_writer *w)
{
	return ((const struct ete_out *)w->impl)->now;
}

static int write_lose(struct cairn_writer *w, uint64_t n, const char *what)
{
	return model_lost(w, 1, n, what);
}

/* Where the next one is (`told`: somebody says so) tells whether the branch was taken, if
 * anything does. An atom says one or the other: not taken, then. */
static int write_settle(struct cairn_writer *w, struct ete_writer *d, uint64_t pc, bool told)
{
	struct cairn_op op;
	d->row.taken = pc != d->next;
	if (!d->maybe || (told && !d->row.taken))
		return 0;
	cairn_isa_decode(d->row.isa, d->row.enc, (unsigned)(d->next - d->row.pc), &op);
	if (told && (op.traits & CAIRN_TRAIT_INDIRECT || pc == cairn_op_target(&op, d->row.pc)))
		return 0;
	d->row.taken = false;
	return write_lose(w, d->n, model_lost_outcome);
}

/* The row that waits; `pc`: where the next one is, or, not `told`, would be. */
static int put_held(struct cairn_writer *w, struct ete_writer *d, uint64_t pc, bool told)
{
	if (!d->held)
		return 0;
	int rc = d->unsure && !d->row.untold ? write_settle(w, d, pc, told) : 0;
	if (rc < 0)
		return rc;
	if (d->row.taken && !d->target_known)
		d->where = pc;
	d->held = false;
	if (d->row.untold)
		d->row.taken = false;
	d->untold = d->row.taken && d->target_known;
	return cairn_ete_tracer_insns(d->tracer, &d->row, 1);
}

static int report_target(struct cairn_writer *w, struct ete_writer *d)
{
	if (!d->untold)
		return 0;
	d->untold = false;
	if (d->row.isa == CAIRN_ISA_A64 && !(d->where & 3))
		return cairn_ete_tracer_target(d->tracer, d->where, CAIRN_ISA_A64);
	return d->indirect ? write_lose(w, d->n, "where A32 and T32 branches went that nothing follows")
	                   : 0;
}

/* Nothing follows the row at once: put it, and where it went. */
static int put_last(struct cairn_writer *w, struct ete_writer *d)
{
	int rc = put_held(w, d, d->where, false);
	return rc < 0 ? rc : report_target(w, d);
}

/* `anyhow`: though nothing ran since the last one. */
static int write_stop(struct cairn_writer *w, unsigned what, bool anyhow)
{
	struct ete_writer *d = write_now(w);
	int rc = put_last(w, d);
	if (rc < 0 || (!d->any && !anyhow)) /* as every stream begins */
		return rc;
	d->any = what == CAIRN_ETE_BREAK_RESET;
	d->in_transaction &= what < CAIRN_ETE_BREAK_OVERFLOW || what > CAIRN_ETE_BREAK_DISCARD;
	return cairn_ete_tracer_break(d->tracer, what);
}

static int write_trace_on(struct cairn_writer *w, const struct cairn_event *e)
{
	static const uint8_t breaks[] = {CAIRN_ETE_BREAK_FILTER, CAIRN_ETE_BREAK_OVERFLOW,
	                                 CAIRN_ETE_BREAK_DISCARD};
	struct ete_writer *d = write_now(w);
	const struct ete_out *o = w->impl;
	bool told = d->same && d->stopped && e->code; /* with the Overflow */
	d->stopped = false;
	if (told)
		return 0;
	bool first = !d->on_seen && !d->opts.no_start; /* the stream's own */
	d->on_seen = true;
	return write_stop(w, breaks[e->code < 3 ? e->code : 0], d->same && !o->pieces && !first);
}

/* The type of an exception: of Arm's own, other formats keep the number. */
static unsigned type_of(const struct ete_writer *d, const struct cairn_event *e)
{
	static const uint8_t types[] =
		{[CAIRN_EV_EXCEPTION] = 3, [CAIRN_EV_INTERRUPT] = 14, [CAIRN_EV_SYSCALL] = 2};
	enum {
		INTERRUPTS = 1u << 1 | 1u << 4 | 1u << 14 | 1u << 15,
		EXCEPTIONS = 1u << 3 | 1u << 6 | 1u << 7 | 1u << 10 | 1u << 11 | 1u << 12
	};
	unsigned known = e->kind == CAIRN_EV_INTERRUPT ? INTERRUPTS : EXCEPTIONS;
	if (d->same && !d->m_profile)
		return (unsigned)e->code;
	bool own = e->code < 16
	               ? known >> e->code & 1
	               : e->code <= UINT32_MAX && ete_is_implementation_defined((unsigned)e->code);
	return !d->m_profile && e->kind != CAIRN_EV_SYSCALL && own ? (unsigned)e->code : types[e->kind];
}

static int write_exception(struct cairn_writer *w, const struct cairn_batch *b,
                           const struct cairn_event *e, uint64_t n)
{
	struct ete_writer *d = write_now(w);
	/* The preferred return address. From other formats an exception with one argument has it
	 * there; the one argument of a system call is its number. */
	bool has = (d->same ? e->len >= 8 : e->len == 8 && e->kind != CAIRN_EV_SYSCALL) &&
	           !(e->flags & CAIRN_EVF_BYTES);
	bool reset = d->same ? !has : e->kind == CAIRN_EV_INTERRUPT && e->code == ETE_TYPE_PE_RESET;
	if (reset)
		return write_stop(w, CAIRN_ETE_BREAK_RESET, true);
	uint64_t at = has ? cairn_event_arg(b, e, 0) : d->where;
	int rc = put_held(w, d, at, has);
	if (rc >= 0 && d->indirect)
		rc = report_target(w, d);
	d->untold = false;
	if (!d->any && !has)
		return rc; /* before anything ran */
	unsigned isa = d->isa;
	if (isa != CAIRN_ISA_A64 && (at >> 32 || (isa == CAIRN_ISA_A32 && at & 3)))
		isa = at & 3 && !(at >> 32) ? CAIRN_ISA_T32 : CAIRN_ISA_A64;
	if (isa == CAIRN_ISA_A64 && at & 3 && !(at & 1) &&
	    !(at >> 32)) /* an exception return leads there */
		isa = CAIRN_ISA_T32;
	if (at & (isa == CAIRN_ISA_T32 ? 1 : 3))
		return rc < 0 ? rc : write_lose(w, n, "exceptions from an address that cannot be");
	if (d->same && (!e->code || e->code == ETE_TYPE_TRANSACTION_FAILURE || e->code >> 10))
		return rc < 0 ? rc : write_lose(w, n, "exceptions of an unknown type");
	d->any = true;
	if (rc >= 0 && !has && e->len)
		rc = write_lose(w, n, "arguments of events");
	if (rc >= 0 && d->m_profile)
		rc = write_lose(w, n, "types of the M profile's exceptions");
	if (rc >= 0)
		rc = cairn_ete_tracer_exception(d->tracer, type_of(d, e), at, isa ? isa : CAIRN_ISA_A64);
	return rc;
}

/* A transaction ended, or begins where the trace told of it otherwise. */
static int transaction(struct cairn_writer *w, unsigned what, uint64_t n)
{
	struct ete_writer *d = write_now(w);
	struct cairn_ete_tracer_stats st;
	bool was = d->in_transaction;
	cairn_ete_tracer_stats(d->tracer, &st);
	d->in_transaction = what == CAIRN_ETE_BEGIN;
	int rc = cairn_ete_tracer_transaction(d->tracer, what);
	if (d->in_transaction)
		d->opened_at = st.bytes;
	else if (rc >= 0 && what == CAIRN_ETE_FAILED && was &&
	         st.bytes - d->opened_at > CAIRN_ETE_WINDOW)
		rc = write_lose(w, n, "what became of transactions of more than 256 KiB");
	return rc;
}

/* Instructions whose way a Q element does not tell. */
static int q_element(struct cairn_writer *w, const struct cairn_event *e, uint64_t n)
{
	struct ete_writer *d = write_now(w);
	int rc = put_last(w, d);
	if (rc < 0)
		return rc;
	unsigned isa = d->isa ? d->isa : CAIRN_ISA_A64;
	uint32_t count = e->code <= UINT32_MAX ? (uint32_t)e->code : 0;
	bool can = d->opts.own_q && d->any && !(e->target & (isa == CAIRN_ISA_T32 ? 1 : 3)) &&
	           (isa == CAIRN_ISA_A64 || e->target <= UINT32_MAX) &&
	           (d->tracer->known || d->tracer->waiting);
	if (!can) {
		rc = write_lose(w, n, "how many instructions are missing (Q elements)");
		return rc < 0 ? rc : write_stop(w, CAIRN_ETE_BREAK_FILTER, false);
	}
	d->where = e->target;
	return cairn_ete_tracer_q(d->tracer, count, e->target, isa);
}

static bool begins_with(const struct cairn_batch *b, const struct cairn_event *e, const char *text)
{
	return e->len >= strlen(text) && !memcmp(b->bytes + e->args, text, strlen(text));
}

static int overflow(struct cairn_writer *w, const struct cairn_event *e, uint64_t n, bool over)
{
	struct ete_writer *d = write_now(w);
	int rc = e->target ? write_lose(w, n, "how many branches were lost at an overflow") : 0;
	d->stopped = d->on_seen = true;
	return rc < 0 ? rc
	              : write_stop(w, over ? CAIRN_ETE_BREAK_OVERFLOW : CAIRN_ETE_BREAK_DISCARD, true);
}

static int write_time_event(struct cairn_writer *w, const struct cairn_batch *b,
                            const struct cairn_event *e, uint64_t n)
{
	struct ete_writer *d = write_now(w);
	bool counted = d->same && e->len >= 8;
	int rc = counted && d->opts.timestamps && !d->opts.cycles
	             ? write_lose(w, n, "cycle counts (cycles=1 keeps them)")
	             : 0;
	if (rc < 0 || !d->opts.timestamps)
		return rc < 0 ? rc : write_lose(w, n, "timestamps (timestamps=1 keeps them)");
	return counted ? cairn_ete_tracer_time_cycles(d->tracer, e->code,
	                                              (uint32_t)cairn_event_arg(b, e, 0))
	               : cairn_ete_tracer_time(d->tracer, e->code);
}

static int write_cycles(struct cairn_writer *w, const struct cairn_event *e, uint64_t n, bool known)
{
	enum { MOST = (1 << 20) - 1 };
	struct ete_writer *d = write_now(w);
	int rc = 0;
	if (!d->opts.cycles || e->code > UINT32_MAX)
		return write_lose(w, n, "cycle counts (cycles=1 keeps them)");
	if (d->same && d->count_far)
		rc = write_lose(w, n,
		                "which branch a cycle count comes with, of a trace unit that speculates");
	if (rc >= 0 && d->same && known && e->code > MOST)
		rc = write_lose(w, n, "that cycle counts above 1048575 are one (they are told in pieces)");
	if (rc < 0)
		return rc;
	return known ? cairn_ete_tracer_cycles(d->tracer, (uint32_t)e->code)
	             : cairn_ete_tracer_cycles_unknown(d->tracer);
}

/* End the stream, and tell what its bytes do not. */
static int finish_stream(struct cairn_writer *writer, struct ete_writer *stream)
{
	struct cairn_ete_tracer_stats st;
	int rc = put_last(writer, stream);
	if (rc >= 0)
		rc = cairn_ete_tracer_finish(stream->tracer);
	if (rc >= 0)
		rc = ete_out_flush(writer, stream);
	cairn_ete_tracer_stats(stream->tracer, &st);
	if (rc >= 0 && stream->same && !((const struct ete_out *)writer->impl)->pieces)
		rc = model_lost(writer, st.ends, 0,
		                "ends of runs that no branch ended (an exception of type 0x10 takes their "
		                "place)");
	return rc < 0 ? rc : model_lost(writer, st.lost, 0, "instructions that no packet tells");
}

/* Another buffer of the capture begins: what comes need not follow. In a snapshot it gets a
 * stream of its own, too. */
static int new_stream(struct cairn_writer *writer, const struct cairn_batch *batch,
                      const struct cairn_event *event, uint32_t i)
{
	struct ete_out *o = writer->impl;
	struct ete_writer *d = o->now;
	if (o->pieces && !d->any)
		return 0;
	if (!o->folder || o->framed || o->pieces) {
		int rc =
			o->pieces ? 0 : write_lose(writer, batch->n0 + i, "where buffers of the capture begin");
		return rc < 0 ? rc : write_stop(writer, CAIRN_ETE_BREAK_FILTER, false);
	}
	int rc = finish_stream(writer, d);
	if (rc >= 0 && d->sink)
		rc = io_sink_finish(d->sink);
	d->sink = NULL;
	if (rc < 0)
		return rc;
	cairn_ete_tracer_close(d->tracer);
	d->tracer = NULL;
	d->any = d->on_seen = d->stopped = d->in_transaction = d->ctx_put = d->untold = false;
	return ete_out_stream(
		o, d, event->target < ETE_ANY_UNIT ? (unsigned)event->target : ETE_ANY_UNIT, batch, i);
}

/* Execution was somewhere, and nothing ran there. */
static int lone_address(struct ete_writer *stream, uint64_t address)
{
	unsigned isa = stream->isa && stream->isa != CAIRN_ISA_A64 && !(address >> 32) ? stream->isa
	                                                                               : CAIRN_ISA_A64;
	if (isa != CAIRN_ISA_T32 && address & 2)
		isa = CAIRN_ISA_T32;
	return cairn_ete_tracer_address(stream->tracer, address, isa);
}

/* Events that only ETE names. */
static int own_event(struct cairn_writer *w, const struct cairn_batch *b,
                     const struct cairn_event *e, uint64_t n)
{
	struct ete_writer *d = write_now(w);
	int rc = put_held(w, d, d->where, false);
	if (rc < 0)
		return rc;
	switch (e->code) {
	case CAIRN_ETE_INSTRUMENTATION:
		return e->len < 16
		           ? 0
		           : cairn_ete_tracer_instrumentation(d->tracer, (unsigned)cairn_event_arg(b, e, 0),
		                                              cairn_event_arg(b, e, 1));
	case CAIRN_ETE_TRANSACTION_START:
		return transaction(w, CAIRN_ETE_BEGIN, n);
	case CAIRN_ETE_TRANSACTION_COMMIT:
		return transaction(w, CAIRN_ETE_COMMITTED, n);
	case CAIRN_ETE_TRANSACTION_FAILED:
		return transaction(w, CAIRN_ETE_FAILED, n);
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		return transaction(w, CAIRN_ETE_UNTOLD, n);
	case CAIRN_ETE_SOURCE: /* another way to tell the same */
		return 0;
	case CAIRN_ETE_MARKER:
		return d->opts.own_markers
		           ? cairn_ete_tracer_marker(d->tracer)
		           : write_lose(w, n, "Timestamp Markers (timestamps=2 keeps them)");
	case CAIRN_ETE_TIMESTAMP: /* one that is not known: 0 */
		return write_time_event(w, b, &(struct cairn_event){.args = e->args, .len = e->len}, n);
	case CAIRN_ETE_CYCLES:
		return write_cycles(w, e, n, false);
	case CAIRN_ETE_ADDRESS:
		return lone_address(d, e->target);
	case CAIRN_ETE_FUNCTION_RETURN:
		return write_lose(w, n, "returns that packets of the M profile tell");
	default:
		return write_lose(w, n, "conditional and data trace of ETMv4");
	}
}

static int write_context(struct cairn_writer *w, const struct cairn_ctx *x, uint64_t n)
{
	struct ete_writer *d = write_now(w);
	struct cairn_ete_who who = {.el = 1, .security = 1};
	if (d->ctx_put && !memcmp(x, &d->ctx, sizeof *x))
		return 0;
	uint32_t gone = x->known & (CAIRN_CTX_PID | CAIRN_CTX_TID | CAIRN_CTX_ASID | CAIRN_CTX_HW_TID);
	gone |= d->opts.ids < 1 ? x->known & CAIRN_CTX_CTXID : 0;
	gone |= d->opts.ids < 2 ? x->known & CAIRN_CTX_VMID : 0;
	int rc = gone ? write_lose(w, n, "process, thread and context identifiers") : 0;
	d->ctx = *x;
	d->ctx_put = true;
	if (x->known & CAIRN_CTX_PRIV && x->priv >= CAIRN_PRIV_EL0)
		who.el = (uint8_t)(x->priv - CAIRN_PRIV_EL0) & 3;
	if (x->known & CAIRN_CTX_SECURITY)
		who.security = x->security & 3;
	who.ctxid = x->known & CAIRN_CTX_CTXID ? (uint32_t)x->ctxid : 0;
	who.vmid = x->known & CAIRN_CTX_VMID ? x->vmid : 0;
	who.unknown =
		(uint8_t)((x->known & CAIRN_CTX_CTXID ? 0 : 1) | (x->known & CAIRN_CTX_VMID ? 0 : 2));
	return rc < 0 ? rc : cairn_ete_tracer_context(d->tracer, &who);
}

/* Who executes from here on, where ETE said so: before what else comes. */
static int context_event(struct cairn_writer *writer, const struct cairn_batch *batch,
                         const struct cairn_event *event, uint32_t i)
{
	struct ete_writer *d = write_now(writer);
	int rc = d->same && event->code < batch->n_ctxs ? put_held(writer, d, d->where, false) : 1;
	if (rc)
		return rc < 0 ? rc : 0;
	rc = write_context(writer, &batch->ctxs[event->code], batch->n0 + i);
	if (rc >= 0 && i < batch->n_insns && !d->tracer->run)
		d->tracer->who.aarch64 = batch->insns[i].isa == CAIRN_ISA_A64;
	return rc;
}

static int write_event(struct cairn_writer *w, const struct cairn_batch *b,
                       const struct cairn_event *e, uint32_t i)
{
	struct ete_writer *d = write_now(w);
	uint64_t n = b->n0 + i;
	int rc = 0;
	switch (e->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		return write_exception(w, b, e, n);
	case CAIRN_EV_CONTEXT:
		return context_event(w, b, e, i);
	case CAIRN_EV_MODE:
	case CAIRN_EV_MODE_ISA:
	case CAIRN_EV_TRAP_RETURN:
	case CAIRN_EV_FORCE_PC:
		return 0; /* rows, flow and the encoding tell them */
	case CAIRN_EV_TRACE_ON:
		return write_trace_on(w, e);
	case CAIRN_EV_GAP:
		if (d->same && e->flags & CAIRN_EVF_TARGET)
			return q_element(w, e, n);
		if (d->same &&
		    (begins_with(b, e, ETE_OVERFLOW_TEXT) || begins_with(b, e, ETE_DISCARD_TEXT)))
			return overflow(w, e, n, begins_with(b, e, ETE_OVERFLOW_TEXT));
		rc = write_lose(w, n, "why instructions are missing");
		return rc < 0 ? rc : write_stop(w, CAIRN_ETE_BREAK_FILTER, false);
	case CAIRN_EV_DAMAGE:
		rc = write_lose(w, n, model_lost_event(e->kind));
		return rc < 0 ? rc : write_stop(w, CAIRN_ETE_BREAK_FILTER, false);
	default:
		break;
	}
	if (d->same && is_start(e))
		return new_stream(w, b, e, i);
	if (e->kind == CAIRN_EV_FORMAT && d->same)
		return own_event(w, b, e, n);
	rc = put_held(w, d, d->where, false);
	if (rc < 0)
		return rc;
	switch (e->kind) {
	case CAIRN_EV_TIMESTAMP:
		return write_time_event(w, b, e, n);
	case CAIRN_EV_CYCLES:
		return write_cycles(w, e, n, true);
	case CAIRN_EV_MARKER:
		return d->same && e->code && e->code < 16
		           ? cairn_ete_tracer_event(d->tracer, (unsigned)e->code)
		           : write_lose(w, n, "markers");
	default:
		return write_lose(w, n, model_lost_event(e->kind));
	}
}

static bool is_arm(unsigned isa)
{
	return isa == CAIRN_ISA_A64 || isa == CAIRN_ISA_A32 || isa == CAIRN_ISA_T32;
}

/* Why an instruction cannot be told; NULL when it can. */
static const char *write_unfit(const struct cairn_insn *row, uint32_t have, bool same)
{
	if (row->flags & (CAIRN_INSN_ANNULLED | CAIRN_INSN_ABORTED | (same ? 0 : CAIRN_INSN_DISCARDED)))
		return "instructions that did not execute";
	if (row->flags & CAIRN_INSN_PC_UNKNOWN || !(have & CAIRN_PC))
		return "instructions without a PC";
	if (row->flags & CAIRN_INSN_ENC_UNKNOWN || !(have & CAIRN_ENC))
		return "instructions without an encoding";
	if (!is_arm(row->isa) || row->flags & CAIRN_INSN_ENC_BYTES)
		return "instructions of other sets than Arm's";
	if (row->pc & (row->isa == CAIRN_ISA_T32 ? 1 : 3) ||
	    (row->isa != CAIRN_ISA_A64 && row->pc >> 32))
		return "instructions at an address that cannot be";
	return NULL;
}

static int write_put_insn(struct cairn_writer *w, const struct cairn_batch *b, uint32_t i)
{
	struct ete_writer *d = write_now(w);
	const struct cairn_insn *row = &b->insns[i];
	const char *why = write_unfit(row, b->have, d->same);
	const struct cairn_ctx *x = row->ctx < b->n_ctxs ? &b->ctxs[row->ctx] : NULL;
	int rc = 0;
	if (row->flags & CAIRN_INSN_INFERRED && !d->same)
		rc = write_lose(w, b->n0 + i, model_lost_inferred);
	if (!why && rc >= 0) {
		rc = ete_program_add(d, row->pc, row->enc, row->isa);
		why = rc > 0 ? "instructions where others ran before" : NULL;
	}
	if (rc < 0)
		return rc;
	if (why) {
		rc = put_held(w, d, row->pc, true);
		return rc < 0 ? rc : write_lose(w, b->n0 + i, why);
	}
	rc = put_held(w, d, row->pc, true);
	if (rc >= 0 && d->indirect && d->where != row->pc) /* the next address would be taken for it */
		rc = report_target(w, d);
	d->untold = false;
	if (rc >= 0 && x)
		rc = write_context(w, x, b->n0 + i);
	bool t16 = row->isa == CAIRN_ISA_T32 && row->enc <= 0xffff;
	if (rc >= 0 && d->same && row->flags & CAIRN_INSN_DISCARDED && !d->in_transaction)
		rc = transaction(w, CAIRN_ETE_BEGIN, b->n0 + i); /* the Trace Info told of it */
	d->row = (struct cairn_ete_insn){.pc = row->pc,
	                                 .enc = row->enc,
	                                 .isa = row->isa,
	                                 .untold = d->same && row->flags & CAIRN_INSN_INFERRED,
	                                 .taken = !!(row->flags & CAIRN_INSN_TAKEN)};
	d->next = row->pc + (t16 ? 2 : 4);
	d->unsure = !(row->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN));
	d->maybe = row->traits & CAIRN_TRAIT_BRANCH && row->traits & CAIRN_TRAIT_CONDITIONAL;
	d->indirect = row->traits & CAIRN_TRAIT_INDIRECT;
	d->n = b->n0 + i;
	d->target_known = !d->row.taken || row->flags & CAIRN_INSN_TARGET;
	d->where = d->row.taken && row->flags & CAIRN_INSN_TARGET ? row->target : d->next;
	d->isa = row->isa;
	d->held = d->any = true;
	return rc;
}

static int write_put_events(struct cairn_writer *w, const struct cairn_batch *b, uint32_t i,
                            bool before)
{
	int rc = 0;
	for (uint32_t k = b->insns[i].ev0; k < b->insns[i + 1].ev0 && rc >= 0; k++)
		if ((b->events[k].phase == CAIRN_BEFORE) == before)
			rc = write_event(w, b, &b->events[k], i);
	return rc;
}

/* A slot; of a hart that cannot be written only what is lost is told. */
static int write_put_slot(struct cairn_writer *w, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *row = &b->insns[i];
	const struct cairn_ctx *x = row->ctx < b->n_ctxs ? &b->ctxs[row->ctx] : NULL;
	struct ete_writer *d = write_now(w);
	int rc = 0;
	bool is = i < b->n_insns;
	if (!d || (x && x->known & CAIRN_CTX_HART && x->hart != d->hart))
		rc = ete_out_select(w, x && x->known & CAIRN_CTX_HART ? x->hart : 0, b, i);
	d = write_now(w);
	if (rc < 0)
		return rc;
	if (!d)
		return is ? write_lose(
						w, b->n0 + i,
						((struct ete_out *)w->impl)->framed
							? "instructions of more than 96 harts"
							: "instructions of other harts than the first (frames=1, or a snapshot, keeps them)")
		          : 0;
	if (d->held && is && !write_unfit(row, b->have, d->same) && d->unsure && row[1].ev0 > row->ev0)
		rc = put_held(w, d, row->pc, true);
	if (rc >= 0)
		rc = write_put_events(w, b, i, true);
	if (rc >= 0 && is)
		rc = write_put_insn(w, b, i);
	return rc < 0 ? rc : write_put_events(w, b, i, false);
}

int ete_write_slots(struct cairn_writer *w, const struct cairn_batch *b, uint32_t from, uint32_t to)
{
	const struct ete_out *o = w->impl;
	int rc = 0;
	for (uint32_t i = from; i < to && rc >= 0; i++)
		rc = write_put_slot(w, b, i);
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++)
		rc = ete_out_flush(w, o->harts[i]);
	return rc;
}

/* The first instruction that has a register, an access. */
static uint64_t first_reg(const struct cairn_batch *b)
{
	uint32_t i = 0;
	while (i < b->n_insns && b->insns[i + 1].reg0 == 0)
		i++;
	return b->n0 + i;
}

static uint64_t first_mem(const struct cairn_batch *b)
{
	uint32_t i = 0;
	while (i < b->n_insns && b->insns[i + 1].mem0 == 0)
		i++;
	return b->n0 + i;
}

static int write_put(struct cairn_writer *w, const struct cairn_batch *b)
{
	struct ete_out *o = w->impl;
	if (b->n_insns && !o->looked && !is_arm(b->insns[0].isa))
		return model_refuse_set(w, &b->insns[0], b->n0, "Arm instructions");
	o->looked |= b->n_insns != 0;
	o->states |= b->n_regs || b->n_mems;
	int rc = model_lost(w, b->n_xacts, b->x0, "transactions");
	if (rc >= 0)
		rc = model_lost(w, b->n_regs, b->n_regs ? first_reg(b) : 0, "register values");
	if (rc >= 0)
		rc = model_lost(w, b->n_mems, b->n_mems ? first_mem(b) : 0, "memory accesses");
	return rc < 0 ? rc : ete_write_slots(w, b, 0, b->n_insns + 1);
}

int ete_write_break(struct cairn_writer *w)
{
	struct ete_out *o = w->impl;
	struct ete_writer *was = o->now;
	int rc = 0;
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++) {
		o->now = o->harts[i];
		rc = write_stop(w, CAIRN_ETE_BREAK_FILTER, false);
		o->now->any = o->now->ctx_put = false;
	}
	o->now = was;
	return rc;
}

/* What stands beside a stream, and has no place in a file of its bytes. */
static int lose_surroundings(struct cairn_writer *w)
{
	const struct ete_out *o = w->impl;
	struct cairn_ete_config cfg;
	char text[256];
	size_t pages = 0;
	for (size_t i = 0; i < o->n_harts; i++)
		pages += o->harts[i]->n_pages;
	int rc = model_lost(w, pages != 0, 0, "the program (a snapshot keeps it; else --image)");
	if (rc < 0 || !o->n_harts)
		return rc;
	cairn_ete_tracer_config(o->harts[0]->tracer, &cfg);
	snprintf(text, sizeof text,
	         "the registers (a snapshot keeps them; else --ete "
	         "trcconfigr=0x%x,trcidr0=0x%x,trcidr2=0x%x,trcidr8=0x%x,trcdevarch=0x%x)",
	         cfg.configr, cfg.idr0, cfg.idr2, cfg.idr8, cfg.devarch);
	return model_lost(w, 1, 0, text);
}

static int write_finish(struct cairn_writer *w)
{
	struct ete_out *o = w->impl;
	if (o->states && !o->looked)
		return base_fail(
			w->c, CAIRN_E_UNSUPPORTED,
			"%s: the trace holds states of registers and "
			"memory and no instruction; ETE tells which instructions ran, and nothing else",
			w->path);
	int rc = o->n_harts ? 0 : ete_out_select(w, 0, NULL, 0); /* an empty stream is one, too */
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++)
		rc = finish_stream(w, o->harts[i]);
	if (rc >= 0)
		rc = ete_out_finish(w);
	return rc < 0 || o->folder ? rc : lose_surroundings(w);
}

static const char *const suffixes[] = {".ete", ".snapshot", ".snapshot/", NULL};

const struct model_writer_format ete_writer_format = {
	.options = &ete_writing_options,
	.name = "ETE",
	.suffixes = suffixes,
	.sets = 1u << CAIRN_ISA_A64 | 1u << CAIRN_ISA_A32 | 1u << CAIRN_ISA_T32,
	.open = write_open,
	.from = write_from,
	.comment = write_comment,
	.put = write_put,
	.finish = write_finish,
	.abort = write_abort,
};

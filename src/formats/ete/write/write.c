/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing ETE: batches of any format become an ETE stream for each hart, as a trace unit of its
 * own would write it.
 *
 * The output is the bytes of one stream, or several streams in frames. Where its name asks for a
 * snapshot ("…/" or "….snapshot") it is a directory with the registers, the streams and the
 * program, which is made of the bytes of the instructions that ran. An instruction is left out,
 * and counted in the ledger, if other bytes ran at its address before: nobody could decode it.
 *
 * A row is written when the next one is known, since some formats do not say whether a branch was
 * taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/ete_encode.h"
#include "formats/ete/format.h"
#include "formats/ete/stream/table.h"
#include "formats/ete/write/tracer.h"
#include "formats/ete/write/write.h"
#include "kit/options.h"

/* ---- options ---- */

#define OPTION(member) \
	.at = offsetof(struct ete_out, opts.member), .size = sizeof((struct ete_out *)0)->opts.member
static const struct kit_option writing[] = {
	{"maxspec", "N", "at most N P0 elements are speculative", KIT_NUMBER, OPTION(maxspec),
     .most = 1 << 14},
	{"commit", "N", "an explicit Commit after N P0 elements", KIT_NUMBER, OPTION(commit_every),
     .most = UINT32_MAX},
	{"sync", "BYTES", "synchronise again after this many bytes", KIT_NUMBER, OPTION(sync_bytes),
     .most = UINT32_MAX},
	{"threshold", "N", "the threshold of cycle counts", KIT_NUMBER, OPTION(threshold),
     .most = 4095},
	{"q", "N", "every N-th P0 element is a Q element", KIT_NUMBER, OPTION(q_every),
     .most = UINT32_MAX},
	{"source", "N", "every N-th taken branch has a Source Address element", KIT_NUMBER,
     OPTION(source_every), .most = UINT32_MAX},
	{"noise", "N", "of 1000 atoms, N are followed by wrong ones that are cancelled", KIT_NUMBER,
     OPTION(noise), .most = 1000},
	{"seed", "N", "the seed of the choice that noise makes", KIT_NUMBER, OPTION(seed),
     .most = UINT32_MAX},
	{"stack", "0|1", "use the return stack", KIT_NUMBER, OPTION(return_stack), .most = 1},
	{"cycles", "0|1", "write cycle counts", KIT_NUMBER, OPTION(cycles), .most = 1},
	{"commopt", "0|1", "cycle counts carry no commits", KIT_NUMBER, OPTION(commit_opt), .most = 1},
	{"timestamps", "0|1|2", "write timestamps; 2: also timestamp markers", KIT_NUMBER,
     OPTION(timestamps), .most = 2},
	{"ids", "0|1|2", "write context IDs; 2: also VMIDs", KIT_NUMBER, OPTION(ids), .most = 2},
	{"waits", "0|1", "WFI and WFE are P0 instructions", KIT_NUMBER, OPTION(waits), .most = 1},
	{"commtrans", "0|1", "a Transaction Start is no P0 element", KIT_NUMBER, OPTION(start_not_p0),
     .most = 1},
	{"atoms", "N", "use atom packets up to this format", KIT_NUMBER, OPTION(atoms), .most = 6},
	{"addresses", "0|1|2", "0: the shortest packets; 1: no address matches; 2: whole addresses",
     KIT_NUMBER, OPTION(addresses), .most = 2},
	{"apart", "0|1", "write contexts in packets of their own", KIT_NUMBER, OPTION(contexts_apart),
     .most = 1},
	{"uncounted", "0|1", "Q elements have no count", KIT_NUMBER, OPTION(q_uncounted), .most = 1},
	{"drop", "0|1", "leave out the instructions behind the last P0 element", KIT_NUMBER,
     OPTION(drop_ends), .most = 1},
	{"frames", "0|1", "write CoreSight frames", KIT_NUMBER, KIT_AT(struct ete_out, framed),
     .most = 1},
};
const struct kit_options ete_writing_options = {"ete", "writing ETE", writing,
                                                sizeof writing / sizeof *writing};

static bool is_given(const struct ete_out *out, size_t at)
{
	for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
		if (writing[i].at == at)
			return out->given >> i & 1;
	return false;
}

static int write_open(struct cairn_writer *writer, const char *options)
{
	struct ete_out *out = base_alloc(writer->cairn, sizeof *out);
	int rc = 0;
	if (!out)
		return CAIRN_E_NOMEM;
	writer->impl = out;
	out->cairn = writer->cairn;
	out->formatter.id = -1;
	base_buf_init(&out->formatter.out, writer->cairn);
	out->opts = (struct cairn_ete_tracer_opts){.size = sizeof out->opts,
	                                           .timestamps = 1,
	                                           .sync_bytes = 1 << 14};
	out->folder = ete_names_snapshot(writer->path);
	if (out->folder)
		out->opts.cycles = out->opts.return_stack = 1;
	rc = kit_options_parse(writer->cairn, &ete_writing_options, options, out, &out->given);
	/* Only a trace unit that speculates may leave its Transaction Start out of the P0 elements
	 * (ete.config.transactions). */
	if (out->opts.start_not_p0 && !is_given(out, offsetof(struct ete_out, opts.maxspec)))
		out->opts.maxspec = 1;
	out->ids_open = out->folder && !is_given(out, offsetof(struct ete_out, opts.ids));
	struct cairn_ete_tracer *tracer = NULL;
	if (rc >= 0) /* to refuse what it refuses */
		rc = cairn_ete_tracer_open(writer->cairn, &out->opts, &tracer);
	cairn_ete_tracer_close(tracer);
	if (rc >= 0 && out->folder)
		rc = ete_folder_open(out, writer->path);
	if (rc >= 0 && out->folder && out->framed)
		rc = ete_folder_stream(out, 0, &writer->sink);
	return rc < 0 || out->folder ? rc : model_writer_sink(writer);
}

static int write_from(struct cairn_writer *writer, const struct cairn_reader *reader)
{
	struct ete_out *out = writer->impl;
	out->same = model_is_own(reader, &ete_writer_format);
	out->from = out->same ? reader->impl : NULL;
	return 0;
}

/* ---- like the trace unit it comes from ---- */

static bool is_start(const struct cairn_event *event)
{
	return event->kind == CAIRN_EV_FORMAT && event->code == CAIRN_ETE_NO_SYNC;
}

/* Does the stream that begins in slot `index` begin with a Trace On? */
static bool begins_traced(const struct cairn_batch *batch, uint32_t index)
{
	uint32_t k = batch ? batch->insns[index].ev0 : 0;
	for (uint32_t at = k; batch && at < batch->insns[index + 1].ev0; at++)
		k = is_start(&batch->events[at]) ? at + 1 : k;
	for (; batch && index <= batch->n_insns; index++) {
		for (; k < batch->insns[index + 1].ev0; k++)
			if (batch->events[k].kind != CAIRN_EV_CONTEXT && batch->events[k].kind != CAIRN_EV_GAP)
				return batch->events[k].kind == CAIRN_EV_TRACE_ON;
		if (index < batch->n_insns)
			return false;
	}
	return true;
}

/* The trace unit, or the first one of the hart that wrote anything. */
static const struct ete_program *source_of(const struct ete_impl *im, unsigned unit, unsigned hart)
{
	const struct ete_program *first = NULL;
	if (!im || unit < im->n_programs)
		return im ? &im->programs[unit] : NULL;
	for (size_t i = 0; i < im->n_programs; i++) {
		const struct ete_program *program = &im->programs[i];
		if (program->hart == hart && __atomic_load_n(&program->told, __ATOMIC_RELAXED))
			return program;
		if (program->hart == hart && !first)
			first = program;
	}
	return first ? first : im->n_programs ? im->programs : NULL;
}

void ete_write_follow(const struct ete_out *out, struct ete_writer *writer, unsigned unit,
                      const struct cairn_batch *batch, uint32_t index)
{
#define OPEN(field) !is_given(out, offsetof(struct ete_out, opts.field))
	struct cairn_ete_tracer_opts *tracer_opts = &writer->opts;
	const struct ete_program *from = source_of(out->from, unit, writer->hart);
	if (!from)
		return;
	const struct cairn_ete_config *cfg = &from->cfg;
	uint32_t told = __atomic_load_n(&from->told, __ATOMIC_RELAXED);
	bool marked = cfg->idr0 >> 23 & 1;
	writer->count_far = cfg->idr8 != 0;
	writer->m_profile = cfg->profile == 'M';
	tracer_opts->no_start = !out->pieces && !begins_traced(batch, index);
	if (out->folder) { /* which holds the registers that it is to be read with */
		if (OPEN(timestamps) && marked)
			tracer_opts->timestamps = 2;
		if (OPEN(cycles))
			tracer_opts->cycles = cfg->configr >> 4 & 1;
		if (OPEN(threshold))
			tracer_opts->threshold = told & ETE_TOLD_THRESHOLD;
		if (!writer->m_profile)
			tracer_opts->info =
				(uint8_t)(told >> ETE_TOLD_INFO &
			              ~(uint32_t)(CAIRN_ETE_INFO_CC | CAIRN_ETE_INFO_TRANSACTION));
		if (OPEN(commit_opt))
			tracer_opts->commit_opt = cfg->idr0 >> 29 & 1;
		if (OPEN(return_stack))
			tracer_opts->return_stack = ete_stacked(cfg);
		if (OPEN(waits))
			tracer_opts->waits = (uint8_t)(cfg->idr2 >> 31);
		if (OPEN(ids))
			tracer_opts->ids = cfg->configr >> 7 & 1 || tracer_opts->ids > 1
			                       ? 2
			                       : tracer_opts->ids | (cfg->configr >> 6 & 1);
		tracer_opts->own_q = !tracer_opts->q_every && (cfg->idr0 >> 15 & 3);
	}
	tracer_opts->own_markers = marked && tracer_opts->timestamps > 1;
#undef OPEN
}

/* In a snapshot comments are its description: one line, without what would begin a comment there.
 *  */
static int write_comment(struct cairn_writer *writer, const char *text, size_t n)
{
	struct ete_out *out = writer->impl;
	size_t old = out->description ? strlen(out->description) : 0, at = old;
	if (!out->folder)
		return model_lost(writer, 1, 0, model_lost_event(CAIRN_EV_COMMENT));
	char *more = base_realloc(writer->cairn, out->description, old + n + sizeof ETE_JOINT);
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
	out->description = more;
	return 0;
}

static void write_abort(struct cairn_writer *writer)
{
	struct ete_out *out = writer->impl;
	if (!out)
		return;
	cairn_sink_discard(writer->sink); /* before its folder goes */
	writer->sink = NULL;
	ete_out_free(out);
	writer->impl = NULL;
}

/* ---- rows ---- */

static struct ete_writer *write_now(const struct cairn_writer *writer)
{
	return ((const struct ete_out *)writer->impl)->now;
}

static int write_lose(struct cairn_writer *writer, uint64_t n, const char *what)
{
	return model_lost(writer, 1, n, what);
}

/* Find out by the place of the next instruction (`told`: somebody gives it) whether the branch was
 * taken. An atom must say one or the other; if nothing shows it, not taken. */
static int write_settle(struct cairn_writer *writer, struct ete_writer *stream, uint64_t pc,
                        bool told)
{
	struct cairn_op op;
	stream->row.taken = pc != stream->next;
	if (!stream->maybe || (told && !stream->row.taken))
		return 0;
	cairn_isa_decode(stream->row.isa, stream->row.enc, (unsigned)(stream->next - stream->row.pc),
	                 &op);
	if (told && (op.traits & CAIRN_TRAIT_INDIRECT || pc == cairn_op_target(&op, stream->row.pc)))
		return 0;
	stream->row.taken = false;
	return write_lose(writer, stream->n, model_lost_outcome);
}

/* Put the row that waits; `pc`: where the next one is or, not `told`, would be. */
static int put_held(struct cairn_writer *writer, struct ete_writer *stream, uint64_t pc, bool told)
{
	if (!stream->held)
		return 0;
	int rc = stream->unsure && !stream->row.untold ? write_settle(writer, stream, pc, told) : 0;
	if (rc < 0)
		return rc;
	if (stream->row.taken && !stream->target_known)
		stream->where = pc;
	stream->held = false;
	if (stream->row.untold)
		stream->row.taken = false;
	stream->untold = stream->row.taken && stream->target_known;
	return cairn_ete_tracer_insns(stream->tracer, &stream->row, 1);
}

static int report_target(struct cairn_writer *writer, struct ete_writer *stream)
{
	if (!stream->untold)
		return 0;
	stream->untold = false;
	if (stream->row.isa == CAIRN_ISA_A64 && !(stream->where & 3))
		return cairn_ete_tracer_target(stream->tracer, stream->where, CAIRN_ISA_A64);
	return stream->indirect ? write_lose(writer, stream->n,
	                                     "where A32 and T32 branches went that nothing follows")
	                        : 0;
}

/* Nothing follows the row at once: put it, and where it went. */
static int put_last(struct cairn_writer *writer, struct ete_writer *stream)
{
	int rc = put_held(writer, stream, stream->where, false);
	return rc < 0 ? rc : report_target(writer, stream);
}

/* `anyhow`: even if nothing has run since the last one. */
static int write_stop(struct cairn_writer *writer, unsigned what, bool anyhow)
{
	struct ete_writer *stream = write_now(writer);
	int rc = put_last(writer, stream);
	if (rc < 0 || (!stream->any && !anyhow)) /* as every stream begins */
		return rc;
	stream->any = what == CAIRN_ETE_BREAK_RESET;
	stream->in_transaction &= what < CAIRN_ETE_BREAK_OVERFLOW || what > CAIRN_ETE_BREAK_DISCARD;
	return cairn_ete_tracer_break(stream->tracer, what);
}

static int write_trace_on(struct cairn_writer *writer, const struct cairn_event *event)
{
	static const uint8_t breaks[] = {CAIRN_ETE_BREAK_FILTER, CAIRN_ETE_BREAK_OVERFLOW,
	                                 CAIRN_ETE_BREAK_DISCARD};
	struct ete_writer *stream = write_now(writer);
	const struct ete_out *out = writer->impl;
	bool told = stream->same && stream->stopped && event->code; /* with the Overflow */
	stream->stopped = false;
	if (told)
		return 0;
	bool first = !stream->on_seen && !stream->opts.no_start; /* the stream's own */
	stream->on_seen = true;
	return write_stop(writer, breaks[event->code < 3 ? event->code : 0],
	                  stream->same && !out->pieces && !first);
}

/* The type of an exception: Arm's number for its own, the other format's number for others. */
static unsigned type_of(const struct ete_writer *writer, const struct cairn_event *event)
{
	static const uint8_t types[] =
		{[CAIRN_EV_EXCEPTION] = 3, [CAIRN_EV_INTERRUPT] = 14, [CAIRN_EV_SYSCALL] = 2};
	enum {
		INTERRUPTS = 1u << 1 | 1u << 4 | 1u << 14 | 1u << 15,
		EXCEPTIONS = 1u << 3 | 1u << 6 | 1u << 7 | 1u << 10 | 1u << 11 | 1u << 12
	};
	unsigned known = event->kind == CAIRN_EV_INTERRUPT ? INTERRUPTS : EXCEPTIONS;
	if (writer->same && !writer->m_profile)
		return (unsigned)event->code;
	bool own = event->code < 16 ? known >> event->code & 1
	                            : event->code <= UINT32_MAX &&
	                                  ete_is_implementation_defined((unsigned)event->code);
	return !writer->m_profile && event->kind != CAIRN_EV_SYSCALL && own ? (unsigned)event->code
	                                                                    : types[event->kind];
}

static int write_exception(struct cairn_writer *writer, const struct cairn_batch *batch,
                           const struct cairn_event *event, uint64_t n)
{
	struct ete_writer *stream = write_now(writer);
	/* The preferred return address. From other formats an exception with one argument has it
	 * there. That of a system call is its number, unless its instruction is missing. */
	bool number = event->kind == CAIRN_EV_SYSCALL && event->phase != CAIRN_BEFORE;
	bool has = (stream->same ? event->len >= 8 : event->len == 8 && !number) &&
	           !(event->flags & CAIRN_EVF_BYTES);
	bool reset =
		stream->same ? !has : event->kind == CAIRN_EV_INTERRUPT && event->code == ETE_TYPE_PE_RESET;
	if (reset)
		return write_stop(writer, CAIRN_ETE_BREAK_RESET, true);
	uint64_t at = has ? cairn_event_arg(batch, event, 0) : stream->where;
	int rc = put_held(writer, stream, at, has);
	if (rc >= 0 && stream->indirect)
		rc = report_target(writer, stream);
	stream->untold = false;
	if (!stream->any && !has)
		return rc; /* before anything ran */
	unsigned isa = stream->isa;
	if (isa != CAIRN_ISA_A64 && (at >> 32 || (isa == CAIRN_ISA_A32 && at & 3)))
		isa = at & 3 && !(at >> 32) ? CAIRN_ISA_T32 : CAIRN_ISA_A64;
	if (isa == CAIRN_ISA_A64 && at & 3 && !(at & 1) &&
	    !(at >> 32)) /* an exception return leads there */
		isa = CAIRN_ISA_T32;
	if (at & (isa == CAIRN_ISA_T32 ? 1 : 3))
		return rc < 0 ? rc : write_lose(writer, n, "exceptions from an address that cannot be");
	if (stream->same &&
	    (!event->code || event->code == ETE_TYPE_TRANSACTION_FAILURE || event->code >> 10))
		return rc < 0 ? rc : write_lose(writer, n, "exceptions of an unknown type");
	stream->any = true;
	bool back = event->len == 8 && !(event->flags & CAIRN_EVF_BYTES) &&
	            cairn_event_arg(batch, event, 0) == at; /* a reader gives it that argument */
	if (rc >= 0 && !has && event->len && !back)
		rc = write_lose(writer, n, "arguments of events");
	if (rc >= 0 && stream->m_profile)
		rc = write_lose(writer, n, "types of the M profile's exceptions");
	if (rc >= 0)
		rc = cairn_ete_tracer_exception(stream->tracer, type_of(stream, event), at,
		                                isa ? isa : CAIRN_ISA_A64);
	return rc;
}

/* A transaction ended, or began where the trace said so in another way. */
static int transaction(struct cairn_writer *writer, struct ete_writer *stream, unsigned what,
                       uint64_t n)
{
	struct cairn_ete_tracer_stats st = {.size = sizeof st};
	bool was = stream->in_transaction;
	cairn_ete_tracer_stats(stream->tracer, &st);
	stream->in_transaction = what == CAIRN_ETE_BEGIN;
	stream->discarded = false;
	int rc = cairn_ete_tracer_transaction(stream->tracer, what);
	if (stream->in_transaction)
		stream->opened_at = st.bytes;
	else if (rc >= 0 && what == CAIRN_ETE_FAILED && was &&
	         st.bytes - stream->opened_at > CAIRN_ETE_WINDOW)
		rc = write_lose(writer, n, "the outcome of transactions of more than 256 KiB");
	return rc;
}

/* An instruction that was thrown away: its transaction may have begun before the part, or the Trace Info
 * told of it. */
static int begin_discarded(struct cairn_writer *writer, struct ete_writer *stream, bool discarded,
                           uint64_t n)
{
	int rc = discarded && stream->same && !stream->in_transaction
	             ? transaction(writer, stream, CAIRN_ETE_BEGIN, n)
	             : 0;
	stream->discarded = discarded;
	return rc;
}

/* A part, or the stream, ends within a transaction: say that it failed, or before another part that its
 * outcome is not told. */
static int leave_transaction(struct cairn_writer *writer, struct ete_writer *stream, bool last)
{
	if (!stream->in_transaction || (last && !stream->discarded))
		return 0;
	return transaction(writer, stream, stream->discarded ? CAIRN_ETE_FAILED : CAIRN_ETE_UNTOLD,
	                   stream->n);
}

/* The end of a transaction. Of one that began before the part it is left out: where instructions of it
 * were written, that is a loss. */
static int end_transaction(struct cairn_writer *writer, struct ete_writer *stream, unsigned what,
                           uint64_t n)
{
	const struct ete_out *out = writer->impl;
	if (!out->pieces || stream->in_transaction)
		return transaction(writer, stream, what, n);
	return stream->any ? write_lose(writer, n, "ends of transactions that began before the part")
	                   : 0;
}

/* Write instructions whose way a Q element does not give. */
static int q_element(struct cairn_writer *writer, const struct cairn_event *event, uint64_t n)
{
	struct ete_writer *stream = write_now(writer);
	int rc = put_last(writer, stream);
	if (rc < 0)
		return rc;
	unsigned isa = stream->isa ? stream->isa : CAIRN_ISA_A64;
	uint32_t count = event->code <= UINT32_MAX ? (uint32_t)event->code : 0;
	bool can = stream->opts.own_q && stream->any &&
	           !(event->target & (isa == CAIRN_ISA_T32 ? 1 : 3)) &&
	           (isa == CAIRN_ISA_A64 || event->target <= UINT32_MAX) &&
	           (stream->tracer->known || stream->tracer->waiting);
	if (!can) {
		rc = write_lose(writer, n, "how many instructions are missing (Q elements)");
		return rc < 0 ? rc : write_stop(writer, CAIRN_ETE_BREAK_FILTER, false);
	}
	stream->where = event->target;
	return cairn_ete_tracer_q(stream->tracer, count, event->target, isa);
}

static bool begins_with(const struct cairn_batch *batch, const struct cairn_event *event,
                        const char *text)
{
	return event->len >= strlen(text) && !memcmp(batch->bytes + event->args, text, strlen(text));
}

static int overflow(struct cairn_writer *writer, const struct cairn_event *event, uint64_t n,
                    bool over)
{
	struct ete_writer *stream = write_now(writer);
	int rc =
		event->target ? write_lose(writer, n, "how many branches were lost at an overflow") : 0;
	stream->stopped = stream->on_seen = true;
	return rc < 0 ? rc
	              : write_stop(writer, over ? CAIRN_ETE_BREAK_OVERFLOW : CAIRN_ETE_BREAK_DISCARD,
	                           true);
}

static int write_time_event(struct cairn_writer *writer, const struct cairn_batch *batch,
                            const struct cairn_event *event, uint64_t n)
{
	struct ete_writer *stream = write_now(writer);
	bool counted = stream->same && event->len >= 8;
	int rc = counted && stream->opts.timestamps && !stream->opts.cycles
	             ? write_lose(writer, n, "cycle counts (cycles=1 keeps them)")
	             : 0;
	if (rc < 0 || !stream->opts.timestamps)
		return rc < 0 ? rc : write_lose(writer, n, "timestamps (timestamps=1 keeps them)");
	return counted ? cairn_ete_tracer_time_cycles(stream->tracer, event->code,
	                                              (uint32_t)cairn_event_arg(batch, event, 0))
	               : cairn_ete_tracer_time(stream->tracer, event->code);
}

static int write_cycles(struct cairn_writer *writer, const struct cairn_event *event, uint64_t n,
                        bool known)
{
	enum { MOST = (1 << 20) - 1 };
	struct ete_writer *stream = write_now(writer);
	int rc = 0;
	if (!stream->opts.cycles || event->code > UINT32_MAX)
		return write_lose(writer, n, "cycle counts (cycles=1 keeps them)");
	if (stream->same && stream->count_far)
		rc = write_lose(writer, n,
		                "which branch a cycle count comes with, of a trace unit that speculates");
	if (rc >= 0 && stream->same && known && event->code > MOST)
		rc = write_lose(writer, n,
		                "that cycle counts above 1048575 are one (they are told in pieces)");
	if (rc < 0)
		return rc;
	return known ? cairn_ete_tracer_cycles(stream->tracer, (uint32_t)event->code)
	             : cairn_ete_tracer_cycles_unknown(stream->tracer);
}

/* End the stream, and count what its bytes do not hold. */
static int finish_stream(struct cairn_writer *writer, struct ete_writer *stream)
{
	struct cairn_ete_tracer_stats st = {.size = sizeof st};
	int rc = put_last(writer, stream);
	if (rc >= 0)
		rc = leave_transaction(writer, stream, true);
	if (rc >= 0)
		rc = cairn_ete_tracer_finish(stream->tracer);
	if (rc >= 0)
		rc = ete_out_flush(writer, stream);
	cairn_ete_tracer_stats(stream->tracer, &st);
	if (rc >= 0 && !stream->n_pages)
		rc = model_lost(
			writer, stream->lone, 0,
			"that nothing ran at an address (without a program, of which nothing ran, it "
			"reads as a branch)");
	if (rc >= 0 && !((const struct ete_out *)writer->impl)->pieces)
		rc = model_lost(writer, st.ends, 0,
		                "ends of runs that no branch ended (an exception of type 0x10 takes their "
		                "place)");
	return rc < 0 ? rc : model_lost(writer, st.lost, 0, "instructions that no packet can carry");
}

/* Another buffer of the capture begins: what comes need not continue it. In a snapshot it also gets
 * a stream of its own. */
static int new_stream(struct cairn_writer *writer, const struct cairn_batch *batch,
                      const struct cairn_event *event, uint32_t index)
{
	struct ete_out *out = writer->impl;
	struct ete_writer *stream = out->now;
	if (out->pieces && !stream->any)
		return 0;
	if (!out->folder || out->framed || out->pieces) {
		int rc = out->pieces
		             ? 0
		             : write_lose(writer, batch->n0 + index, "where buffers of the capture begin");
		return rc < 0 ? rc : write_stop(writer, CAIRN_ETE_BREAK_FILTER, false);
	}
	int rc = finish_stream(writer, stream);
	if (rc >= 0 && stream->sink)
		rc = cairn_sink_finish(stream->sink);
	stream->sink = NULL;
	if (rc < 0)
		return rc;
	cairn_ete_tracer_close(stream->tracer);
	stream->tracer = NULL;
	stream->any = stream->on_seen = stream->stopped = stream->in_transaction = stream->ctx_put =
		stream->untold = false;
	return ete_out_stream(out, stream,
	                      event->target < ETE_ANY_UNIT ? (unsigned)event->target : ETE_ANY_UNIT,
	                      batch, index);
}

/* Execution was somewhere, but nothing ran there. */
static int lone_address(struct ete_writer *stream, uint64_t address)
{
	unsigned isa = stream->isa && stream->isa != CAIRN_ISA_A64 && !(address >> 32) ? stream->isa
	                                                                               : CAIRN_ISA_A64;
	if (isa != CAIRN_ISA_T32 && address & 2)
		isa = CAIRN_ISA_T32;
	return cairn_ete_tracer_address(stream->tracer, address, isa);
}

/* Events that only ETE names. */
static int own_event(struct cairn_writer *writer, const struct cairn_batch *batch,
                     const struct cairn_event *event, uint64_t n)
{
	struct ete_writer *stream = write_now(writer);
	/* What comes behind a failed transaction does not follow its last instruction. */
	int rc = event->code == CAIRN_ETE_TRANSACTION_FAILED
	             ? put_last(writer, stream)
	             : put_held(writer, stream, stream->where, false);
	if (rc < 0)
		return rc;
	switch (event->code) {
	case CAIRN_ETE_INSTRUMENTATION:
		return event->len < 16
		           ? 0
		           : cairn_ete_tracer_instrumentation(stream->tracer,
		                                              (unsigned)cairn_event_arg(batch, event, 0),
		                                              cairn_event_arg(batch, event, 1));
	case CAIRN_ETE_TRANSACTION_START:
		return transaction(writer, stream, CAIRN_ETE_BEGIN, n);
	case CAIRN_ETE_TRANSACTION_COMMIT:
		return end_transaction(writer, stream, CAIRN_ETE_COMMITTED, n);
	case CAIRN_ETE_TRANSACTION_FAILED:
		return end_transaction(writer, stream, CAIRN_ETE_FAILED, n);
	case CAIRN_ETE_TRANSACTION_UNKNOWN:
		return end_transaction(writer, stream, CAIRN_ETE_UNTOLD, n);
	case CAIRN_ETE_SOURCE: /* another way to tell the same */
		return 0;
	case CAIRN_ETE_MARKER:
		return stream->opts.own_markers
		           ? cairn_ete_tracer_marker(stream->tracer)
		           : write_lose(writer, n, "Timestamp Markers (timestamps=2 keeps them)");
	case CAIRN_ETE_TIMESTAMP: /* one that is not known: 0 */
		return write_time_event(writer, batch,
		                        &(struct cairn_event){.args = event->args, .len = event->len}, n);
	case CAIRN_ETE_CYCLES:
		return write_cycles(writer, event, n, false);
	case CAIRN_ETE_ADDRESS:
		stream->lone++;
		return lone_address(stream, event->target);
	case CAIRN_ETE_FUNCTION_RETURN:
		return write_lose(writer, n, "returns in packets of the M profile");
	default:
		return write_lose(writer, n, "conditional and data trace of ETMv4");
	}
}

static int write_context(struct cairn_writer *writer, const struct cairn_ctx *ctx, uint64_t n)
{
	struct ete_writer *stream = write_now(writer);
	struct cairn_ete_who who = {.el = 1, .security = 1};
	if (stream->ctx_put && !memcmp(ctx, &stream->ctx, sizeof *ctx))
		return 0;
	uint32_t kept = CAIRN_CTX_HART | CAIRN_CTX_PRIV | CAIRN_CTX_SECURITY |
	                (stream->opts.ids < 1 ? 0 : CAIRN_CTX_CTXID) |
	                (stream->opts.ids < 2 ? 0 : CAIRN_CTX_VMID);
	int rc = model_lose_context(writer, &stream->ctx, ctx, kept, n);
	if (rc >= 0 && !(ctx->known & CAIRN_CTX_PRIV))
		rc = model_note(writer, 1, n, "EL1, where the trace records no exception level");
	stream->ctx_put = true;
	if (ctx->known & CAIRN_CTX_PRIV && ctx->priv >= CAIRN_PRIV_EL0)
		who.el = (uint8_t)(ctx->priv - CAIRN_PRIV_EL0) & 3;
	if (ctx->known & CAIRN_CTX_SECURITY)
		who.security = ctx->security & 3;
	who.ctxid = ctx->known & CAIRN_CTX_CTXID ? (uint32_t)ctx->ctxid : 0;
	who.vmid = ctx->known & CAIRN_CTX_VMID ? ctx->vmid : 0;
	who.unknown =
		(uint8_t)((ctx->known & CAIRN_CTX_CTXID ? 0 : 1) | (ctx->known & CAIRN_CTX_VMID ? 0 : 2));
	return rc < 0 ? rc : cairn_ete_tracer_context(stream->tracer, &who);
}

/* Who executes from here on, where ETE said so: before anything else that comes. */
static int context_event(struct cairn_writer *writer, const struct cairn_batch *batch,
                         const struct cairn_event *event, uint32_t index)
{
	struct ete_writer *stream = write_now(writer);
	int rc = stream->same && event->code < batch->n_ctxs
	             ? put_held(writer, stream, stream->where, false)
	             : 1;
	if (rc)
		return rc < 0 ? rc : 0;
	rc = write_context(writer, &batch->ctxs[event->code], batch->n0 + index);
	if (rc >= 0 && index < batch->n_insns && !stream->tracer->run)
		stream->tracer->who.aarch64 = batch->insns[index].isa == CAIRN_ISA_A64;
	return rc;
}

static int write_event(struct cairn_writer *writer, const struct cairn_batch *batch,
                       const struct cairn_event *event, uint32_t index)
{
	struct ete_writer *stream = write_now(writer);
	uint64_t n = batch->n0 + index;
	int rc = 0;
	switch (event->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		return write_exception(writer, batch, event, n);
	case CAIRN_EV_CONTEXT:
		return context_event(writer, batch, event, index);
	case CAIRN_EV_MODE:
	case CAIRN_EV_MODE_ISA:
	case CAIRN_EV_TRAP_RETURN:
	case CAIRN_EV_FORCE_PC:
		return 0; /* rows, flow and the encoding hold these already */
	case CAIRN_EV_TRACE_ON:
		return write_trace_on(writer, event);
	case CAIRN_EV_GAP:
		if (stream->same && event->flags & CAIRN_EVF_TARGET)
			return q_element(writer, event, n);
		if (stream->same && (begins_with(batch, event, ETE_OVERFLOW_TEXT) ||
		                     begins_with(batch, event, ETE_DISCARD_TEXT)))
			return overflow(writer, event, n, begins_with(batch, event, ETE_OVERFLOW_TEXT));
		rc = write_lose(writer, n, "why instructions are missing");
		return rc < 0 ? rc : write_stop(writer, CAIRN_ETE_BREAK_FILTER, false);
	case CAIRN_EV_DAMAGE:
		rc = write_lose(writer, n, model_lost_event(event->kind));
		return rc < 0 ? rc : write_stop(writer, CAIRN_ETE_BREAK_FILTER, false);
	default:
		break;
	}
	if (stream->same && is_start(event))
		return new_stream(writer, batch, event, index);
	if (event->kind == CAIRN_EV_FORMAT && stream->same)
		return own_event(writer, batch, event, n);
	rc = put_held(writer, stream, stream->where, false);
	if (rc < 0)
		return rc;
	switch (event->kind) {
	case CAIRN_EV_TIMESTAMP:
		return write_time_event(writer, batch, event, n);
	case CAIRN_EV_CYCLES:
		return write_cycles(writer, event, n, true);
	case CAIRN_EV_MARKER:
		return stream->same && event->code && event->code < 16
		           ? cairn_ete_tracer_event(stream->tracer, (unsigned)event->code)
		           : write_lose(writer, n, "markers");
	default:
		return write_lose(writer, n, model_lost_event(event->kind));
	}
}

static bool is_arm(unsigned isa)
{
	return isa == CAIRN_ISA_A64 || isa == CAIRN_ISA_A32 || isa == CAIRN_ISA_T32;
}

/* Why an instruction cannot be written; NULL when it can. */
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

static int write_put_insn(struct cairn_writer *writer, const struct cairn_batch *batch,
                          uint32_t index)
{
	struct ete_writer *stream = write_now(writer);
	const struct cairn_insn *row = &batch->insns[index];
	const char *why = write_unfit(row, batch->have, stream->same);
	const struct cairn_ctx *ctx = row->ctx < batch->n_ctxs ? &batch->ctxs[row->ctx] : NULL;
	int rc = 0;
	if (row->flags & CAIRN_INSN_INFERRED && !stream->same)
		rc = write_lose(writer, batch->n0 + index, model_lost_inferred);
	if (!why && rc >= 0) {
		rc = ete_program_add(stream, row->pc, row->enc, row->isa);
		why = rc > 0 ? "instructions where others ran before" : NULL;
	}
	if (rc < 0)
		return rc;
	if (why) {
		rc = put_held(writer, stream, row->pc, true);
		return rc < 0 ? rc : write_lose(writer, batch->n0 + index, why);
	}
	rc = put_held(writer, stream, row->pc, true);
	if (rc >= 0 && stream->indirect &&
	    stream->where != row->pc) /* the next address would be taken for its target */
		rc = report_target(writer, stream);
	stream->untold = false;
	if (rc >= 0 && ctx)
		rc = write_context(writer, ctx, batch->n0 + index);
	bool t16 = row->isa == CAIRN_ISA_T32 && row->enc <= 0xffff;
	if (rc >= 0)
		rc = begin_discarded(writer, stream, row->flags & CAIRN_INSN_DISCARDED, batch->n0 + index);
	stream->row =
		(struct cairn_ete_insn){.pc = row->pc,
	                            .enc = row->enc,
	                            .isa = row->isa,
	                            .untold = stream->same && row->flags & CAIRN_INSN_INFERRED,
	                            .taken = !!(row->flags & CAIRN_INSN_TAKEN)};
	stream->next = row->pc + (t16 ? 2 : 4);
	stream->unsure = !(row->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN));
	stream->maybe = row->traits & CAIRN_TRAIT_BRANCH && row->traits & CAIRN_TRAIT_CONDITIONAL;
	stream->indirect = row->traits & (CAIRN_TRAIT_INDIRECT | CAIRN_TRAIT_XRET);
	stream->n = batch->n0 + index;
	stream->target_known = !stream->row.taken || row->flags & CAIRN_INSN_TARGET;
	stream->where =
		stream->row.taken && row->flags & CAIRN_INSN_TARGET ? row->target : stream->next;
	stream->isa = row->isa;
	stream->held = stream->any = true;
	return rc;
}

static int write_put_events(struct cairn_writer *writer, const struct cairn_batch *batch,
                            uint32_t index, bool before)
{
	int rc = 0;
	for (uint32_t k = batch->insns[index].ev0; k < batch->insns[index + 1].ev0 && rc >= 0; k++)
		if ((batch->events[k].phase == CAIRN_BEFORE) == before)
			rc = write_event(writer, batch, &batch->events[k], index);
	return rc;
}

/* Write a slot; if the hart cannot be written, only count what is lost. */
static int write_put_slot(struct cairn_writer *writer, const struct cairn_batch *batch,
                          uint32_t index)
{
	const struct cairn_insn *row = &batch->insns[index];
	const struct cairn_ctx *ctx = row->ctx < batch->n_ctxs ? &batch->ctxs[row->ctx] : NULL;
	struct ete_writer *stream = write_now(writer);
	int rc = 0;
	bool is = index < batch->n_insns;
	if (!stream || (ctx && ctx->known & CAIRN_CTX_HART && ctx->hart != stream->hart))
		rc = ete_out_select(writer, ctx && ctx->known & CAIRN_CTX_HART ? ctx->hart : 0, batch,
		                    index);
	stream = write_now(writer);
	if (rc < 0)
		return rc;
	if (!stream)
		return is ? write_lose(
						writer, batch->n0 + index,
						((struct ete_out *)writer->impl)->framed
							? "instructions of more than 96 harts"
							: "instructions of other harts than the first (frames=1, or a snapshot, keeps them)")
		          : 0;
	if (stream->held && is && !write_unfit(row, batch->have, stream->same) && stream->unsure &&
	    row[1].ev0 > row->ev0)
		rc = put_held(writer, stream, row->pc, true);
	if (rc >= 0)
		rc = write_put_events(writer, batch, index, true);
	if (rc >= 0 && is)
		rc = write_put_insn(writer, batch, index);
	return rc < 0 ? rc : write_put_events(writer, batch, index, false);
}

int ete_write_slots(struct cairn_writer *writer, const struct cairn_batch *batch, uint32_t from,
                    uint32_t to)
{
	const struct ete_out *out = writer->impl;
	int rc = 0;
	for (uint32_t i = from; i < to && rc >= 0; i++)
		rc = write_put_slot(writer, batch, i);
	for (size_t i = 0; i < out->n_harts && rc >= 0; i++)
		rc = ete_out_flush(writer, out->harts[i]);
	return rc;
}

/* The first instruction that has a register, or an access. */
static uint64_t first_with(const struct cairn_batch *batch, bool reg)
{
	uint32_t i = 0;
	while (i < batch->n_insns && (reg ? batch->insns[i + 1].reg0 : batch->insns[i + 1].mem0) == 0)
		i++;
	return batch->n0 + i;
}

static int write_put(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct ete_out *out = writer->impl;
	if (batch->n_insns && !out->looked && !is_arm(batch->insns[0].isa))
		return model_refuse_set(writer, &batch->insns[0], batch->n0, "Arm instructions");
	out->looked |= batch->n_insns != 0;
	out->states |= batch->n_regs || batch->n_mems;
	int rc = model_lost(writer, batch->n_xacts, batch->x0, "transactions");
	if (rc >= 0)
		rc = model_lost(writer, batch->n_regs, first_with(batch, true), "register values");
	if (rc >= 0)
		rc = model_lost(writer, batch->n_mems, first_with(batch, false), "memory accesses");
	return rc < 0 ? rc : ete_write_slots(writer, batch, 0, batch->n_insns + 1);
}

int ete_write_break(struct cairn_writer *writer)
{
	struct ete_out *out = writer->impl;
	struct ete_writer *was = out->now;
	int rc = 0;
	for (size_t i = 0; i < out->n_harts && rc >= 0; i++) {
		out->now = out->harts[i];
		rc = put_last(writer, out->now);
		if (rc >= 0)
			rc = leave_transaction(writer, out->now, false);
		if (rc >= 0)
			rc = write_stop(writer, CAIRN_ETE_BREAK_FILTER, false);
		out->now->any = out->now->ctx_put = false;
	}
	out->now = was;
	return rc;
}

/* Count what stands beside a stream and has no place in a file of its bytes. */
static int lose_surroundings(struct cairn_writer *writer)
{
	const struct ete_out *out = writer->impl;
	struct cairn_ete_config cfg;
	char text[256];
	size_t pages = 0;
	for (size_t i = 0; i < out->n_harts; i++)
		pages += out->harts[i]->n_pages;
	int rc = model_lost(writer, pages != 0, 0, "the program (a snapshot keeps it; else --image)");
	if (rc < 0 || !out->n_harts)
		return rc;
	cairn_ete_tracer_config(out->harts[0]->tracer, &cfg);
	snprintf(text, sizeof text,
	         "the registers (a snapshot keeps them; else --ete "
	         "trcconfigr=0x%x,trcidr0=0x%x,trcidr2=0x%x,trcidr8=0x%x,trcdevarch=0x%x)",
	         cfg.configr, cfg.idr0, cfg.idr2, cfg.idr8, cfg.devarch);
	return model_lost(writer, 1, 0, text);
}

static int write_finish(struct cairn_writer *writer)
{
	struct ete_out *out = writer->impl;
	if (out->states && !out->looked)
		return base_fail(
			writer->cairn, CAIRN_E_UNSUPPORTED,
			"%s: the trace holds states of registers and "
			"memory and no instruction; ETE records which instructions ran, and nothing else",
			writer->path);
	int rc =
		out->n_harts ? 0 : ete_out_select(writer, 0, NULL, 0); /* an empty stream is one, too */
	for (size_t i = 0; i < out->n_harts && rc >= 0; i++)
		rc = finish_stream(writer, out->harts[i]);
	if (rc >= 0)
		rc = ete_out_finish(writer);
	return rc < 0 || out->folder ? rc : lose_surroundings(writer);
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

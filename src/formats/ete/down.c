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
#include "formats/ete/down.h"
#include "formats/ete/format.h"
#include "formats/ete/table.h"

/* ---- options ---- */

#define KEY(name, field, most)                                                                     \
	{name, offsetof(struct cairn_ete_tracer_opts, field),                                      \
	 sizeof((struct cairn_ete_tracer_opts *)0)->field, most}
static const struct key {
	const char *name;
	size_t at, size;
	uint64_t most;
} keys[] = {
	KEY("maxspec", maxspec, 1 << 14), KEY("commit", commit_every, UINT32_MAX),
	KEY("sync", sync_bytes, UINT32_MAX), KEY("threshold", threshold, 4095),
	KEY("q", q_every, UINT32_MAX), KEY("source", source_every, UINT32_MAX),
	KEY("noise", noise, 1000), KEY("seed", seed, UINT32_MAX), KEY("stack", return_stack, 1),
	KEY("cycles", cycles, 1), KEY("commopt", commit_opt, 1), KEY("timestamps", timestamps, 2),
	KEY("ids", ids, 2), KEY("waits", waits, 1), KEY("commtrans", start_not_p0, 1),
	KEY("atoms", atoms, 6), KEY("addresses", addresses, 2), KEY("apart", contexts_apart, 1),
	KEY("uncounted", q_uncounted, 1), KEY("drop", drop_ends, 1),
};

static int one_option(struct cairn *c, struct ete_out *d, const char *text, size_t n)
{
	static const char frames[] = "frames=";
	const char *bit = text + sizeof frames - 1;
	if (n == sizeof frames && !memcmp(text, frames, n - 1) && (*bit == '0' || *bit == '1')) {
		d->framed = *bit == '1';
		return 0;
	}
	const char *eq = memchr(text, '=', n);
	for (size_t i = 0; eq && i < sizeof keys / sizeof *keys; i++) {
		const struct key *k = &keys[i];
		if (strlen(k->name) != (size_t)(eq - text) || memcmp(k->name, text, (size_t)(eq - text)))
			continue;
		char *end;
		unsigned long long v = strtoull(eq + 1, &end, 0);
		if (eq[1] < '0' || eq[1] > '9' || end != text + n || v > k->most)
			return base_fail(c, CAIRN_E_INVAL, "ete:%.*s: a number up to %llu is expected", (int)n,
			                 text, (unsigned long long)k->most);
		if (k->size == 1)
			*((uint8_t *)&d->opts + k->at) = (uint8_t)v;
		else if (k->size == 4)
			memcpy((uint8_t *)&d->opts + k->at, &(uint32_t){(uint32_t)v}, 4);
		else
			memcpy((uint8_t *)&d->opts + k->at, &(uint64_t){v}, 8);
		return 0;
	}
	return base_fail(c, CAIRN_E_INVAL,
		"writing ETE has no option '%.*s'; it has maxspec, commit, sync, threshold, q, source, noise, "
		"seed, stack, cycles, commopt, timestamps, ids, waits, commtrans, atoms, addresses, apart, "
		"uncounted, drop, frames (=NUMBER)", (int)n, text);
}

static int down_open(struct cairn_writer *w, const char *options)
{
	struct ete_out *o = base_alloc(w->c, sizeof *o);
	int rc = 0;
	if (!o)
		return CAIRN_E_NOMEM;
	w->impl = o;
	o->c = w->c;
	o->formatter.id = -1;
	base_buf_init(&o->formatter.out, w->c);
	o->opts = (struct cairn_ete_tracer_opts){.size = sizeof o->opts, .timestamps = 1,
		.sync_bytes = 1 << 14};
	o->folder = ete_names_snapshot(w->path);
	if (o->folder)
		o->opts.cycles = o->opts.return_stack = 1;
	o->ids_open = o->folder && !strstr(options, "ids=");
	while (*options && rc >= 0) {
		size_t n = strcspn(options, ",");
		rc = n ? one_option(w->c, o, options, n) : 0;
		options += n + (options[n] == ',');
	}
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

static int down_from(struct cairn_writer *w, const struct cairn_reader *r)
{
	((struct ete_out *)w->impl)->same = r && r->format == &ete_format;
	return 0;
}

/* In a snapshot they are its description: one line, in which a comment must not begin. */
static int down_comment(struct cairn_writer *w, const char *text, size_t n)
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

static void down_abort(struct cairn_writer *w)
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

static struct ete_down *now(const struct cairn_writer *w)
{
	return ((const struct ete_out *)w->impl)->now;
}

static int lose(struct cairn_writer *w, uint64_t n, const char *what)
{
	return model_lost(w, 1, n, what);
}

/* Where the next one is (`told`: somebody says so) tells whether the branch was taken, if
 * anything does. An atom says one or the other: not taken, then. */
static int settle(struct cairn_writer *w, struct ete_down *d, uint64_t pc, bool told)
{
	struct cairn_op op;
	d->row.taken = pc != d->next;
	if (!d->maybe || (told && !d->row.taken))
		return 0;
	cairn_isa_decode(d->row.isa, d->row.enc, (unsigned)(d->next - d->row.pc), &op);
	if (told && (op.traits & CAIRN_TRAIT_INDIRECT || pc == cairn_op_target(&op, d->row.pc)))
		return 0;
	d->row.taken = false;
	return lose(w, d->n, model_lost_outcome);
}

/* The row that waits; `pc`: where the next one is, or, not `told`, would be. */
static int put_held(struct cairn_writer *w, struct ete_down *d, uint64_t pc, bool told)
{
	if (!d->held)
		return 0;
	int rc = d->unsure ? settle(w, d, pc, told) : 0;
	if (rc < 0)
		return rc;
	if (d->row.taken && !d->target_known)
		d->where = pc;
	d->held = false;
	d->untold = d->row.taken && d->target_known && d->row.isa == CAIRN_ISA_A64 && !(d->where & 3);
	return cairn_ete_tracer_insns(d->tracer, &d->row, 1);
}

static int tell_target(struct ete_down *d)
{
	if (!d->untold)
		return 0;
	d->untold = false;
	return cairn_ete_tracer_target(d->tracer, d->where, CAIRN_ISA_A64);
}

/* Nothing follows the row at once: put it, and where it went. */
static int put_last(struct cairn_writer *w, struct ete_down *d)
{
	int rc = put_held(w, d, d->where, false);
	return rc < 0 ? rc : tell_target(d);
}

static int stop(struct cairn_writer *w, unsigned what)
{
	struct ete_down *d = now(w);
	int rc = put_last(w, d);
	if (rc < 0 || !d->any) /* as every stream begins */
		return rc;
	d->any = what == CAIRN_ETE_BREAK_RESET;
	return cairn_ete_tracer_break(d->tracer, what);
}

static int exception(struct cairn_writer *w, const struct cairn_batch *b,
                     const struct cairn_event *e, uint64_t n)
{
	struct ete_down *d = now(w);
	static const uint8_t types[] = {[CAIRN_EV_EXCEPTION] = 3, [CAIRN_EV_INTERRUPT] = 14,
		[CAIRN_EV_SYSCALL] = 2};
	bool has = d->same && e->len >= 8 && !(e->flags & CAIRN_EVF_BYTES);
	if (d->same && !has) {
		d->any = true;
		return stop(w, CAIRN_ETE_BREAK_RESET);
	}
	uint64_t at = has ? cairn_event_arg(b, e, 0) : d->where;
	int rc = put_held(w, d, at, has);
	if (rc >= 0 && d->indirect)
		rc = tell_target(d);
	d->untold = false;
	if (!d->any && !has)
		return rc; /* before anything ran */
	unsigned isa = d->isa;
	if (isa != CAIRN_ISA_A64 && (at >> 32 || (isa == CAIRN_ISA_A32 && at & 3)))
		isa = at & 3 && !(at >> 32) ? CAIRN_ISA_T32 : CAIRN_ISA_A64;
	if (at & (isa == CAIRN_ISA_T32 ? 1 : 3))
		return rc < 0 ? rc : lose(w, n, "exceptions from an address that cannot be");
	if (d->same && (!e->code || e->code == ETE_TYPE_TRANSACTION_FAILURE || e->code >> 10))
		return rc < 0 ? rc : lose(w, n, "exceptions of an unknown type");
	d->any = true;
	if (rc >= 0 && !d->same && e->len)
		rc = lose(w, n, "arguments of events");
	if (rc >= 0)
		rc = cairn_ete_tracer_exception(d->tracer, d->same ? (unsigned)e->code : types[e->kind], at,
		                                isa ? isa : CAIRN_ISA_A64);
	return rc;
}

/* Events that only ETE names. */
static int own_event(struct cairn_writer *w, const struct cairn_batch *b,
                     const struct cairn_event *e, uint64_t n)
{
	struct ete_down *d = now(w);
	int rc = put_held(w, d, d->where, false);
	if (rc < 0)
		return rc;
	switch (e->code) {
	case CAIRN_ETE_INSTRUMENTATION:
		return e->len < 16 ? 0 : cairn_ete_tracer_instrumentation(d->tracer,
			(unsigned)cairn_event_arg(b, e, 0), cairn_event_arg(b, e, 1));
	case CAIRN_ETE_TRANSACTION_START:
		return cairn_ete_tracer_transaction(d->tracer, CAIRN_ETE_BEGIN);
	case CAIRN_ETE_TRANSACTION_COMMIT:
		return cairn_ete_tracer_transaction(d->tracer, CAIRN_ETE_COMMITTED);
	case CAIRN_ETE_TRANSACTION_FAILED:
		return cairn_ete_tracer_transaction(d->tracer, CAIRN_ETE_FAILED);
	case CAIRN_ETE_SOURCE: /* another way to tell the same */
	case CAIRN_ETE_MARKER:
		return 0;
	case CAIRN_ETE_CYCLES:
		return lose(w, n, "cycle counts that are not known");
	default:
		return lose(w, n, "transactions whose outcome is not known");
	}
}

static int event(struct cairn_writer *w, const struct cairn_batch *b, const struct cairn_event *e,
                 uint64_t n)
{
	static const uint8_t breaks[] = {CAIRN_ETE_BREAK_FILTER, CAIRN_ETE_BREAK_OVERFLOW,
		CAIRN_ETE_BREAK_DISCARD};
	struct ete_down *d = now(w);
	int rc = 0;
	switch (e->kind) {
	case CAIRN_EV_EXCEPTION:
	case CAIRN_EV_INTERRUPT:
	case CAIRN_EV_SYSCALL:
		return exception(w, b, e, n);
	case CAIRN_EV_CONTEXT:
	case CAIRN_EV_MODE:
	case CAIRN_EV_MODE_ISA:
	case CAIRN_EV_TRAP_RETURN:
	case CAIRN_EV_FORCE_PC:
		return 0; /* rows, flow and the encoding tell them */
	case CAIRN_EV_TRACE_ON:
		return stop(w, breaks[e->code < 3 ? e->code : 0]);
	case CAIRN_EV_GAP:
		rc = lose(w, n, "why instructions are missing");
		return rc < 0 ? rc : stop(w, CAIRN_ETE_BREAK_FILTER);
	case CAIRN_EV_DAMAGE:
		rc = lose(w, n, model_lost_event(e->kind));
		return rc < 0 ? rc : stop(w, CAIRN_ETE_BREAK_FILTER);
	default:
		break;
	}
	if (e->kind == CAIRN_EV_FORMAT && d->same)
		return own_event(w, b, e, n);
	rc = put_held(w, d, d->where, false);
	if (rc < 0)
		return rc;
	switch (e->kind) {
	case CAIRN_EV_TIMESTAMP:
		return d->opts.timestamps ? cairn_ete_tracer_time(d->tracer, e->code)
		                          : lose(w, n, "timestamps (timestamps=1 keeps them)");
	case CAIRN_EV_CYCLES:
		return d->opts.cycles && e->code <= UINT32_MAX
			? cairn_ete_tracer_cycles(d->tracer, (uint32_t)e->code)
			: lose(w, n, "cycle counts (cycles=1 keeps them)");
	case CAIRN_EV_MARKER:
		return d->same && e->code && e->code < 16
			? cairn_ete_tracer_event(d->tracer, (unsigned)e->code) : lose(w, n, "markers");
	default:
		return lose(w, n, model_lost_event(e->kind));
	}
}

static int context(struct cairn_writer *w, const struct cairn_ctx *x, uint64_t n)
{
	struct ete_down *d = now(w);
	struct cairn_ete_who who = {.el = 1, .security = 1};
	if (d->ctx_put && !memcmp(x, &d->ctx, sizeof *x))
		return 0;
	uint32_t gone = x->known & (CAIRN_CTX_PID | CAIRN_CTX_TID | CAIRN_CTX_ASID | CAIRN_CTX_HW_TID);
	gone |= d->opts.ids < 1 ? x->known & CAIRN_CTX_CTXID : 0;
	gone |= d->opts.ids < 2 ? x->known & CAIRN_CTX_VMID : 0;
	int rc = gone ? lose(w, n, "process, thread and context identifiers") : 0;
	d->ctx = *x;
	d->ctx_put = true;
	if (x->known & CAIRN_CTX_PRIV && x->priv >= CAIRN_PRIV_EL0)
		who.el = (uint8_t)(x->priv - CAIRN_PRIV_EL0) & 3;
	if (x->known & CAIRN_CTX_SECURITY)
		who.security = x->security & 3;
	who.ctxid = x->known & CAIRN_CTX_CTXID ? (uint32_t)x->ctxid : 0;
	who.vmid = x->known & CAIRN_CTX_VMID ? x->vmid : 0;
	return rc < 0 ? rc : cairn_ete_tracer_context(d->tracer, &who);
}

static bool is_arm(unsigned isa)
{
	return isa == CAIRN_ISA_A64 || isa == CAIRN_ISA_A32 || isa == CAIRN_ISA_T32;
}

/* Why an instruction cannot be told; NULL when it can. */
static const char *unfit(const struct cairn_insn *row, uint32_t have, bool same)
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

static int put_insn(struct cairn_writer *w, const struct cairn_batch *b, uint32_t i)
{
	struct ete_down *d = now(w);
	const struct cairn_insn *row = &b->insns[i];
	const char *why = unfit(row, b->have, d->same);
	const struct cairn_ctx *x = row->ctx < b->n_ctxs ? &b->ctxs[row->ctx] : NULL;
	int rc = 0;
	if (!why) {
		rc = ete_program_add(d, row->pc, row->enc, row->isa);
		why = rc > 0 ? "instructions where others ran before" : NULL;
	}
	if (rc < 0)
		return rc;
	if (why) {
		rc = put_held(w, d, row->pc, true);
		return rc < 0 ? rc : lose(w, b->n0 + i, why);
	}
	rc = put_held(w, d, row->pc, true);
	if (rc >= 0 && d->indirect && d->where != row->pc) /* the next address would be taken for it */
		rc = tell_target(d);
	d->untold = false;
	if (rc >= 0 && x)
		rc = context(w, x, b->n0 + i);
	bool t16 = row->isa == CAIRN_ISA_T32 && row->enc <= 0xffff;
	d->row = (struct cairn_ete_insn){.pc = row->pc, .enc = row->enc, .isa = row->isa,
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

static int put_events(struct cairn_writer *w, const struct cairn_batch *b, uint32_t i, bool before)
{
	int rc = 0;
	bool same = ((const struct ete_out *)w->impl)->same;
	uint32_t end = b->insns[i + 1].ev0;
	for (uint32_t k = b->insns[i].ev0; k < end && rc >= 0; k++)
		if (same && b->events[k].kind == CAIRN_EV_GAP && k + 1 < end &&
		    b->events[k + 1].kind == CAIRN_EV_TRACE_ON)
			continue; /* of the overflow that is told next */
		else if ((b->events[k].phase == CAIRN_BEFORE) == before)
			rc = event(w, b, &b->events[k], b->n0 + i);
	return rc;
}

/* A slot; of a hart that cannot be written only what is lost is told. */
static int put_slot(struct cairn_writer *w, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *row = &b->insns[i];
	const struct cairn_ctx *x = row->ctx < b->n_ctxs ? &b->ctxs[row->ctx] : NULL;
	struct ete_down *d = now(w);
	int rc = 0;
	bool is = i < b->n_insns;
	if (!d || (x && x->known & CAIRN_CTX_HART && x->hart != d->hart))
		rc = ete_out_select(w, x && x->known & CAIRN_CTX_HART ? x->hart : 0, b);
	d = now(w);
	if (rc < 0)
		return rc;
	if (!d)
		return is ? lose(w, b->n0 + i, ((struct ete_out *)w->impl)->framed
			? "instructions of more than 96 harts"
			: "instructions of other harts than the first (frames=1, or a snapshot, keeps them)")
			: 0;
	if (d->held && is && !unfit(row, b->have, d->same) && d->unsure && row[1].ev0 > row->ev0)
		rc = put_held(w, d, row->pc, true);
	if (rc >= 0)
		rc = put_events(w, b, i, true);
	if (rc >= 0 && is)
		rc = put_insn(w, b, i);
	return rc < 0 ? rc : put_events(w, b, i, false);
}

int ete_down_slots(struct cairn_writer *w, const struct cairn_batch *b, uint32_t from, uint32_t to)
{
	const struct ete_out *o = w->impl;
	int rc = 0;
	for (uint32_t i = from; i < to && rc >= 0; i++)
		rc = put_slot(w, b, i);
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

static int down_put(struct cairn_writer *w, const struct cairn_batch *b)
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
	return rc < 0 ? rc : ete_down_slots(w, b, 0, b->n_insns + 1);
}

int ete_down_break(struct cairn_writer *w)
{
	struct ete_out *o = w->impl;
	struct ete_down *was = o->now;
	int rc = 0;
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++) {
		o->now = o->harts[i];
		rc = stop(w, CAIRN_ETE_BREAK_FILTER);
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
	snprintf(text, sizeof text, "the registers (a snapshot keeps them; else --ete "
		"trcconfigr=0x%x,trcidr0=0x%x,trcidr2=0x%x,trcidr8=0x%x,trcdevarch=0x%x)", cfg.configr,
		cfg.idr0, cfg.idr2, cfg.idr8, cfg.devarch);
	return model_lost(w, 1, 0, text);
}

static int finish_hart(struct cairn_writer *w, struct ete_down *d)
{
	struct cairn_ete_tracer_stats st;
	int rc = put_last(w, d);
	if (rc >= 0)
		rc = cairn_ete_tracer_finish(d->tracer);
	if (rc >= 0)
		rc = ete_out_flush(w, d);
	cairn_ete_tracer_stats(d->tracer, &st);
	return rc < 0 ? rc : model_lost(w, st.lost, 0, "instructions that no packet tells");
}

static int down_finish(struct cairn_writer *w)
{
	struct ete_out *o = w->impl;
	if (o->states && !o->looked)
		return base_fail(w->c, CAIRN_E_UNSUPPORTED, "%s: the trace holds states of registers and "
			"memory and no instruction; ETE tells which instructions ran, and nothing else",
			w->path);
	int rc = o->n_harts ? 0 : ete_out_select(w, 0, NULL); /* an empty stream is one, too */
	for (size_t i = 0; i < o->n_harts && rc >= 0; i++)
		rc = finish_hart(w, o->harts[i]);
	if (rc >= 0)
		rc = ete_out_finish(w);
	return rc < 0 || o->folder ? rc : lose_surroundings(w);
}

static const char *const suffixes[] = {".ete", ".snapshot", ".snapshot/", NULL};

const struct model_writer_format ete_writer_format = {
	.name = "ETE", .suffixes = suffixes,
	.sets = 1u << CAIRN_ISA_A64 | 1u << CAIRN_ISA_A32 | 1u << CAIRN_ISA_T32, .open = down_open, .from = down_from, .comment = down_comment,
	.put = down_put,
	.finish = down_finish, .abort = down_abort,
};

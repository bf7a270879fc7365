/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace unit in software: instructions in, an ETE stream out.
 *
 * It keeps what the follower of the bytes (flow.c) will know: where it stands, its return
 * stack, whether it waits for an address. Whatever that would find out by itself is not
 * put; everything else is, in time. So what is decoded is what was put, whatever the
 * options.
 *
 * A run is the instructions since the last P0 element. It is told by the P0 element that
 * ends it. One that none ends (a jump, the end) is told by a Q element, if these are used,
 * or by an exception that did not happen; see docs/formats/ete-encode.md.
 */
#include "formats/ete/tracer.h"

#include <string.h>

enum { LONGEST_RUN = ETE_CODE_FAR / 2, CC_BITS = 20, MOST_SPECULATION = 1 << 14 };

/* ---- what a decoder knows ---- */

static void tracer_push(struct cairn_ete_tracer *t, uint64_t addr, unsigned isa)
{
	if (!t->o.return_stack)
		return;
	t->top = (t->top + 1) % ETE_STACK;
	t->stack[t->top].addr = addr;
	t->stack[t->top].isa = (uint8_t)isa;
	t->depth += t->depth < ETE_STACK;
}

static bool on_top(const struct cairn_ete_tracer *t, uint64_t addr, unsigned isa)
{
	return t->depth && t->stack[t->top].addr == addr && t->stack[t->top].isa == isa;
}

static void tracer_pop(struct cairn_ete_tracer *t)
{
	t->depth--;
	t->top = (t->top + ETE_STACK - 1) % ETE_STACK;
}

static void forget_place(struct cairn_ete_tracer *t)
{
	t->known = t->waiting = t->untold = false;
	t->run = 0;
}

static bool same_level(const struct cairn_ete_who *a, const struct cairn_ete_who *b)
{
	return a->el == b->el && a->security == b->security && a->aarch64 == b->aarch64;
}

static bool who_is_told(const struct cairn_ete_tracer *t)
{
	return t->who_told && same_level(&t->who, &t->told) && t->who.unknown == t->told.unknown &&
	       (t->o.ids < 1 || t->who.ctxid == t->told.ctxid) &&
	       (t->o.ids < 2 || t->who.vmid == t->told.vmid);
}

/* ---- synchronisation ---- */

static void tracer_trace_info(struct cairn_ete_tracer *t)
{
	struct cairn_ete_packet p = {
		.type = CAIRN_ETE_P_TRACE_INFO,
		.sections = CAIRN_ETE_INFO,
		.info = (uint8_t)(t->o.info | (t->o.cycles ? CAIRN_ETE_INFO_CC : 0) |
	                      (t->in_transaction ? CAIRN_ETE_INFO_TRANSACTION : 0)),
		.value = t->open,
		.cycles = t->o.threshold};
	p.sections |= t->o.maxspec ? CAIRN_ETE_SPEC : 0;
	p.sections |= t->o.cycles ? CAIRN_ETE_CYCT : 0;
	ete_put(t, &p);
	t->known = t->waiting = t->who_told = t->addressed = t->unasked = false;
	t->depth = 0;
}

static void synchronise(struct cairn_ete_tracer *t)
{
	ete_put_atoms(t);
	ete_put_type(t, CAIRN_ETE_P_ASYNC);
	tracer_trace_info(t);
	t->sync_at = t->o.sync_bytes ? t->bytes + t->o.sync_bytes : UINT64_MAX;
}

/* Something is going to be put. */
static int tracer_begin(struct cairn_ete_tracer *t)
{
	if (t->ended && !t->failed)
		t->failed = base_fail(t->c, CAIRN_E_STATE, "the trace unit has finished");
	if (t->failed || t->begun)
		return t->failed;
	t->begun = true;
	synchronise(t);
	if (!t->o.no_start)
		ete_put_type(t, CAIRN_ETE_P_TRACE_ON);
	return t->failed;
}

/* ---- where execution is ---- */

static void tracer_put_exception(struct cairn_ete_tracer *t, unsigned type, uint64_t address,
                                 unsigned isa, bool also_target)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_EXCEPTION,
	                             .number = (uint16_t)type,
	                             .info = also_target ? 2 : 1,
	                             .flags = type > 31 ? CAIRN_ETE_P_LONG_FORM : 0};
	ete_put_atoms(t);
	ete_put(t, &p);
	ete_put_address(t, CAIRN_ETE_P_ADDR_MATCH, address, isa, 0);
	ete_opened(t);
}

/* Where it is. What was told of that before, or the stack knows, is no mistake that this
 * address corrects: an exception that did not happen stands between. */
static void tracer_put_place(struct cairn_ete_tracer *t, uint64_t pc, unsigned isa, bool who)
{
	if (t->addressed || t->unasked) {
		tracer_put_exception(t, CAIRN_ETE_TRACER_EXCEPTION, t->told_at, t->told_isa, t->unasked);
		t->stats.ends++;
	}
	if (who)
		ete_put_where(t, pc, isa, false);
	else
		ete_put_address(t, CAIRN_ETE_P_ADDR_MATCH, pc, isa, 0);
	t->addressed = true;
	t->told_at = pc;
	t->told_isa = (uint8_t)isa;
}

/* Something else than an instruction is going to be told: who executes comes before it. Of A64
 * only, for alone it would make A32 of T32. */
static void report_who(struct cairn_ete_tracer *tracer)
{
	if (tracer->who_due && !tracer->run && tracer->who.aarch64 && !who_is_told(tracer)) {
		ete_put_atoms(tracer);
		tracer->n_past = 0;
		ete_put_where(tracer, 0, CAIRN_ISA_A64, true);
	}
	tracer->who_due &= tracer->run != 0;
}

/* A run begins at pc: make sure that it is known, and who runs. */
static void tracer_locate(struct cairn_ete_tracer *t, uint64_t pc, unsigned isa)
{
	bool there = t->known && t->here == pc && t->here_isa == isa;
	t->who.aarch64 = isa == CAIRN_ISA_A64;
	t->who_due = false;
	bool told = who_is_told(t);
	if (t->bytes >= t->sync_at) {
		synchronise(t);
		there = told = false;
	}
	t->popped = told && !there && t->waiting && on_top(t, pc, isa);
	if (t->popped) {
		tracer_pop(t);
		there = true;
	} else if (!told || !there) {
		ete_put_atoms(t);
		t->n_past = told ? t->n_past : 0;
		t->stats.jumps += t->known && !there;
		if (!told && there && isa == CAIRN_ISA_A64) /* alone it would make A32 of T32 */
			ete_put_where(t, pc, isa, true);
		else
			tracer_put_place(t, pc, isa, !told);
	}
	t->waiting = false;
	t->known = true;
	t->here = pc;
	t->here_isa = (uint8_t)isa;
	t->isa = (uint8_t)isa;
	t->next = pc;
}

/* A Q element of `count` instructions (0: it does not say), which goes on at `to`. */
static void put_q(struct cairn_ete_tracer *t, uint32_t count, uint64_t to, unsigned isa)
{
	ete_put_atoms(t);
	if (count) {
		ete_put_address(t, CAIRN_ETE_P_Q_MATCH, to, isa, count);
	} else {
		ete_put_type(t, CAIRN_ETE_P_Q);
		ete_put_address(t, CAIRN_ETE_P_ADDR_MATCH, to, isa, 0);
		t->stats.lost += t->run;
	}
	ete_opened(t);
	t->q = 0;
	t->untold = false;
	t->run = 0;
	t->known = true;
	t->here = to;
	t->here_isa = (uint8_t)isa;
}

/* No P0 element ends the run. */
static void tracer_end_run(struct cairn_ete_tracer *t)
{
	if (!t->run)
		return;
	bool wraps = t->next < t->here; /* round the address space: no address ends it */
	if ((t->o.q_every || t->o.own_q) && !wraps && !t->untold) {
		put_q(t, t->o.q_uncounted ? 0 : t->run, t->next, t->isa);
		return;
	}
	if (wraps || (t->o.drop_ends && t->run < LONGEST_RUN)) {
		t->stats.lost += t->run;
		if (t->popped) { /* nothing has asked the stack yet */
			t->top = (t->top + 1) % ETE_STACK;
			t->depth++;
			t->unasked = true;
			t->told_at = t->here;
			t->told_isa = t->here_isa;
		}
	} else {
		tracer_put_exception(t, CAIRN_ETE_TRACER_EXCEPTION, t->next, t->isa, false);
		t->stats.ends++;
	}
	forget_place(t);
}

/* ---- instructions ---- */

/* Does a Q element say the same as an atom: the decoder takes the outcome from where it
 * goes on. */
static bool q_can(const struct cairn_ete_tracer *t, const struct isa_arm_flow *f, bool taken,
                  uint64_t target)
{
	if (f->kind == ISA_ARM_INDIRECT && taken)
		return false;
	if (f->kind != ISA_ARM_DIRECT && f->kind != ISA_ARM_INDIRECT)
		return true;
	return taken ? target != t->next : f->flags & ISA_ARM_CONDITIONAL;
}

/* What an atom (or a source address) that says so leads to. */
static void tracer_outcome(struct cairn_ete_tracer *t, const struct isa_arm_flow *f, bool taken,
                           uint64_t target)
{
	if (taken && (f->flags & ISA_ARM_LINK))
		tracer_push(t, t->next, t->isa);
	t->waiting = taken && f->kind == ISA_ARM_INDIRECT;
	t->known = !t->waiting;
	t->here = taken ? target : t->next;
	t->here_isa = taken ? f->isa : t->isa;
	t->run = 0;
}

/* Remember the run that an atom ends. */
static void tracer_remember(struct cairn_ete_tracer *t, const struct isa_arm_flow *f, bool e,
                            uint64_t target)
{
	bool branch = f->kind == ISA_ARM_DIRECT || f->kind == ISA_ARM_INDIRECT, taken = branch && e;
	t->past[t->n_past++ % ETE_PAST] =
		(struct ete_past){.from = t->here,
	                      .isa = t->here_isa,
	                      .e = e,
	                      .event = ete_is_event(f->kind, f->flags),
	                      .told = taken && f->kind == ISA_ARM_INDIRECT,
	                      .to = taken ? target : t->next,
	                      .to_isa = taken ? f->isa : t->isa};
}

static void put_source(struct cairn_ete_tracer *t, uint64_t pc)
{
	t->n_atoms -= t->straight;
	t->atoms &= (1u << t->n_atoms) - 1;
	ete_put_atoms(t);
	ete_put_address(t, CAIRN_ETE_P_SRC_MATCH, pc, t->isa, 0);
	ete_opened(t);
	t->source = 0;
}

static void tracer_p0(struct cairn_ete_tracer *t, const struct cairn_ete_insn *in,
                      const struct isa_arm_flow *f)
{
	bool branch = f->kind == ISA_ARM_DIRECT || f->kind == ISA_ARM_INDIRECT;
	bool taken = branch && in->taken, e = taken || !branch;
	uint64_t target = f->kind == ISA_ARM_DIRECT ? isa_arm_target(f, t->isa, in->pc) : t->next;
	if (t->o.q_every && ++t->q >= t->o.q_every && q_can(t, f, taken, target)) {
		put_q(t, t->o.q_uncounted ? 0 : t->run, taken ? target : t->next, taken ? f->isa : t->isa);
		return;
	}
	if (taken && t->o.source_every && ++t->source >= t->o.source_every) {
		put_source(t, in->pc);
		tracer_outcome(t, f, taken, target);
		return;
	}
	ete_put_atom(t, e);
	t->straight = taken ? 0 : t->straight + 1;
	if (t->o.noise) {
		tracer_remember(t, f, e, target);
		if (ete_roll(t, 1000) < t->o.noise && !ete_is_event(f->kind, f->flags))
			ete_put_noise(t);
	}
	tracer_outcome(t, f, taken, target);
}

static unsigned tracer_size_of(const struct cairn_ete_insn *in)
{
	return in->isa == CAIRN_ISA_T32 && in->enc <= 0xffff ? 2 : 4;
}

static int tracer_refuse(struct cairn_ete_tracer *t, const struct cairn_ete_insn *in)
{
	unsigned size = tracer_size_of(in);
	bool arm = in->isa == CAIRN_ISA_A64 || in->isa == CAIRN_ISA_A32 || in->isa == CAIRN_ISA_T32;
	t->failed =
		arm ? base_fail(t->c, CAIRN_E_INVAL, "instruction %llu: 0x%llx is not an address of one",
	                    (unsigned long long)t->stats.instructions + 1, (unsigned long long)in->pc)
			: base_fail(t->c, CAIRN_E_INVAL,
	                    "instruction %llu of %u bytes is not of A64, A32 or T32",
	                    (unsigned long long)t->stats.instructions + 1, size);
	return t->failed;
}

static bool is_sound(const struct cairn_ete_insn *in)
{
	if (in->isa == CAIRN_ISA_A64)
		return !(in->pc & 3);
	if (in->pc >> 32)
		return false;
	return in->isa == CAIRN_ISA_A32 ? !(in->pc & 3) : in->isa == CAIRN_ISA_T32 && !(in->pc & 1);
}

static inline void tracer_one(struct cairn_ete_tracer *t, const struct cairn_ete_insn *in)
{
	struct isa_arm_flow f = {0};
	if (t->run && (in->pc != t->next || in->isa != t->isa || t->run == LONGEST_RUN ||
	               (t->untold && !in->untold)))
		tracer_end_run(t);
	if (!t->run)
		tracer_locate(t, in->pc, in->isa);
	t->run++;
	t->next += tracer_size_of(in);
	if (in->isa == CAIRN_ISA_A64 && !isa_arm_a64_may_flow(in->enc))
		return;
	isa_arm_flow(in->isa, in->enc, ISA_ARM_AA64, t->o.waits, &f);
	if (f.kind != ISA_ARM_NONE && in->untold)
		t->untold = true;
	else if (f.kind != ISA_ARM_NONE)
		tracer_p0(t, in, &f);
}

int cairn_ete_tracer_insns(struct cairn_ete_tracer *t, const struct cairn_ete_insn *in, size_t n)
{
	if (tracer_begin(t) < 0)
		return t->failed;
	for (size_t i = 0; i < n && !t->failed; i++) {
		if (!is_sound(&in[i]))
			return tracer_refuse(t, &in[i]);
		tracer_one(t, &in[i]);
		t->stats.instructions++;
	}
	return t->failed;
}

/* ---- what happens besides ---- */

int cairn_ete_tracer_context(struct cairn_ete_tracer *t, const struct cairn_ete_who *who)
{
	struct cairn_ete_who w = *who;
	if (tracer_begin(t) < 0)
		return t->failed;
	if (w.el > 3 || w.security > 3)
		return t->failed = base_fail(t->c, CAIRN_E_INVAL, "EL%u, security %u: there is no such",
		                             w.el, w.security);
	w.aarch64 = t->who.aarch64; /* the instruction set says */
	if (!same_level(&w, &t->who))
		tracer_end_run(t);
	report_who(t); /* of one before */
	t->who = w;
	t->who_due = true;
	return t->failed;
}

int cairn_ete_tracer_exception(struct cairn_ete_tracer *t, unsigned type, uint64_t address,
                               unsigned isa)
{
	bool also = false;
	if (tracer_begin(t) < 0)
		return t->failed;
	if (type == ETE_TYPE_PE_RESET || type == ETE_TYPE_TRANSACTION_FAILURE || type >= 1u << 10)
		return t->failed = base_fail(t->c, CAIRN_E_INVAL, "no exception has type %u", type);
	struct cairn_ete_insn at = {.pc = address, .isa = (uint8_t)isa};
	if (!is_sound(&at))
		return tracer_refuse(t, &at);
	if (t->run && (address != t->next || isa != t->isa)) {
		t->stats.moved++;
		tracer_end_run(t);
	}
	/* One that returns to before where execution stands: nothing is walked, so nothing need be told. */
	bool behind = t->known && address < t->here && isa == t->here_isa && who_is_told(t) &&
	              t->bytes < t->sync_at;
	if (!t->run && !behind) {
		also = t->waiting && !on_top(t, address, isa) && t->who.aarch64 == (isa == CAIRN_ISA_A64) &&
		       who_is_told(t) && t->bytes < t->sync_at;
		if (!also)
			tracer_locate(t, address, isa);
	}
	tracer_put_exception(t, type, address, isa, also);
	forget_place(t);
	return t->failed;
}

int cairn_ete_tracer_target(struct cairn_ete_tracer *t, uint64_t address, unsigned isa)
{
	struct cairn_ete_insn at = {.pc = address, .isa = (uint8_t)isa};
	if (tracer_begin(t) < 0 || !t->waiting || t->run)
		return t->failed;
	if (!is_sound(&at))
		return tracer_refuse(t, &at);
	ete_put_atoms(t);
	tracer_put_place(t, address, isa, false);
	t->waiting = false;
	t->known = true;
	t->here = address;
	t->here_isa = (uint8_t)isa;
	return t->failed;
}

/* What is put tells a place: it must be one, and ends the run of instructions before it. */
static int tracer_begin_at(struct cairn_ete_tracer *tracer, uint64_t address, unsigned isa)
{
	struct cairn_ete_insn at = {.pc = address, .isa = (uint8_t)isa};
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (!is_sound(&at))
		return tracer_refuse(tracer, &at);
	tracer_end_run(tracer);
	return 0;
}

int cairn_ete_tracer_address(struct cairn_ete_tracer *tracer, uint64_t address, unsigned isa)
{
	if (tracer_begin_at(tracer, address, isa) < 0)
		return tracer->failed;
	if (tracer->addressed && tracer->told_at == address && tracer->told_isa == isa)
		return tracer->failed;
	ete_put_atoms(tracer);
	tracer->who.aarch64 = isa == CAIRN_ISA_A64;
	tracer_put_place(tracer, address, isa, !who_is_told(tracer));
	tracer->n_past = 0;
	tracer->waiting = tracer->who_due = false;
	tracer->known = true;
	tracer->here = address;
	tracer->here_isa = (uint8_t)isa;
	return tracer->failed;
}

/* That a transaction failed is believed when something behind it shows that tracing went on
 * (RNMWFJ): a context does. */
static void show_failure(struct cairn_ete_tracer *t)
{
	if (!t->failing)
		return;
	ete_put_where(t, 0, CAIRN_ISA_A64, true);
	t->who_told = false;
}

/* The trace unit stopped: what is needed to go on. */
static void go_on(struct cairn_ete_tracer *t, unsigned what)
{
	show_failure(t);
	if (what == CAIRN_ETE_BREAK_OVERFLOW || what == CAIRN_ETE_BREAK_DISCARD) {
		ete_commit_all(t);
		ete_put_type(t,
		             what == CAIRN_ETE_BREAK_OVERFLOW ? CAIRN_ETE_P_OVERFLOW : CAIRN_ETE_P_DISCARD);
		t->in_transaction = false;
		tracer_trace_info(t);
	}
	ete_put_type(t, CAIRN_ETE_P_TRACE_ON);
}

int cairn_ete_tracer_break(struct cairn_ete_tracer *t, unsigned what)
{
	if (tracer_begin(t) < 0)
		return t->failed;
	if (what < CAIRN_ETE_BREAK_FILTER || what > CAIRN_ETE_BREAK_RESET)
		return t->failed = base_fail(t->c, CAIRN_E_INVAL, "no break of kind %u", what);
	if (what == CAIRN_ETE_BREAK_RESET) {
		t->stats.lost += t->run;
		t->run = 0;
		report_who(t);
		ete_put_atoms(t);
		ete_put_type(t, CAIRN_ETE_P_PE_RESET);
		ete_opened(t);
		t->who_told = false;
	} else {
		tracer_end_run(t);
		report_who(t);
		ete_put_atoms(t);
		go_on(t, what);
	}
	t->depth = 0;
	t->addressed = t->unasked = false;
	forget_place(t);
	return t->failed;
}

int cairn_ete_tracer_transaction(struct cairn_ete_tracer *t, unsigned what)
{
	static const uint8_t types[] = {0, CAIRN_ETE_P_TRANSACTION_START,
	                                CAIRN_ETE_P_TRANSACTION_COMMIT, CAIRN_ETE_P_TRANSACTION_FAILURE,
	                                CAIRN_ETE_P_TRANSACTION_FAILURE};
	if (tracer_begin(t) < 0)
		return t->failed;
	if (what < CAIRN_ETE_BEGIN || what > CAIRN_ETE_UNTOLD)
		return t->failed = base_fail(t->c, CAIRN_E_INVAL, "no transaction step %u", what);
	tracer_end_run(t);
	report_who(t);
	ete_put_atoms(t);
	show_failure(t); /* of one before */
	ete_put_type(t, types[what]);
	t->failing = what == CAIRN_ETE_FAILED;
	t->in_transaction = what == CAIRN_ETE_BEGIN;
	t->addressed = false;
	if (what == CAIRN_ETE_BEGIN && !t->o.start_not_p0)
		ete_opened(t);
	if (what >= CAIRN_ETE_FAILED) { /* what was called in it is forgotten, or not */
		t->depth = 0;
		forget_place(t);
	}
	return t->failed;
}

/* A cycle count, with what it can commit; not `known`: how many is not. */
static void put_cycles(struct cairn_ete_tracer *t, uint32_t cycles, bool known)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_CCNT_F1,
	                             .cycles = cycles,
	                             .flags =
	                                 known ? CAIRN_ETE_P_HAS_CYCLES
	                                       : CAIRN_ETE_P_HAS_CYCLES | CAIRN_ETE_P_CYCLES_UNKNOWN};
	uint32_t c = known ? cycles - t->o.threshold : UINT32_MAX;
	uint64_t n = t->open;
	bool commits = !t->o.commit_opt;
	if (n && commits && t->o.noise)
		n = 1 + ete_roll(t, (uint32_t)n);
	p.count = commits ? (uint32_t)n : 0;
	if (c < 4 && (!commits || (n && n <= 4)))
		p.type = CAIRN_ETE_P_CCNT_F3;
	else if (c < 16 && (!commits || (n && n <= 16)))
		p.type = CAIRN_ETE_P_CCNT_F2;
	else if (c < 16 && n && n + 15 >= t->o.maxspec && n <= t->o.maxspec) {
		p.type = CAIRN_ETE_P_CCNT_F2;
		p.number = 1;
	}
	ete_put(t, &p);
	t->open -= p.count;
	if (!t->open)
		t->since_commit = 0;
}

int cairn_ete_tracer_cycles(struct cairn_ete_tracer *t, uint32_t cycles)
{
	const uint32_t most = t->o.threshold + (1u << CC_BITS) - 1;
	uint64_t left = (uint64_t)t->cycles + cycles;
	if (tracer_begin(t) < 0 || !t->o.cycles)
		return t->failed;
	if (left < t->o.threshold) {
		t->cycles = (uint32_t)left;
		return t->failed;
	}
	report_who(t);
	ete_put_atoms(t);
	do {
		uint32_t now = left < most ? (uint32_t)left : most;
		put_cycles(t, now, true);
		left -= now;
	} while (left >= t->o.threshold && left && !t->failed);
	t->cycles = (uint32_t)left;
	return t->failed;
}

int cairn_ete_tracer_cycles_unknown(struct cairn_ete_tracer *t)
{
	if (tracer_begin(t) < 0 || !t->o.cycles)
		return t->failed;
	report_who(t);
	ete_put_atoms(t);
	put_cycles(t, 0, false);
	t->cycles = 0;
	return t->failed;
}

static int tracer_put_time(struct cairn_ete_tracer *t, uint64_t time, bool counted, uint32_t cycles)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_TIMESTAMP, .value = time};
	if (tracer_begin(t) < 0 || !t->o.timestamps)
		return t->failed;
	report_who(t);
	ete_put_atoms(t);
	if (t->o.timestamps > 1 && !t->o.own_markers)
		ete_put_type(t, CAIRN_ETE_P_TS_MARKER);
	if (t->o.cycles && counted) {
		p.flags = CAIRN_ETE_P_HAS_CYCLES;
		p.cycles = cycles;
	}
	ete_put(t, &p);
	return t->failed;
}

int cairn_ete_tracer_time(struct cairn_ete_tracer *t, uint64_t time)
{
	return tracer_put_time(t, time, t->cycles != 0, t->cycles);
}

int cairn_ete_tracer_time_cycles(struct cairn_ete_tracer *t, uint64_t time, uint32_t cycles)
{
	return tracer_put_time(t, time, true, cycles);
}

int cairn_ete_tracer_marker(struct cairn_ete_tracer *t)
{
	if (tracer_begin(t) < 0 || t->o.timestamps < 2 || !t->o.own_markers)
		return t->failed;
	report_who(t);
	ete_put_atoms(t);
	ete_put_type(t, CAIRN_ETE_P_TS_MARKER);
	return t->failed;
}

int cairn_ete_tracer_q(struct cairn_ete_tracer *t, uint32_t count, uint64_t address, unsigned isa)
{
	if (tracer_begin_at(t, address, isa) < 0)
		return t->failed;
	report_who(t);
	if (!t->o.own_q || (!t->known && !t->waiting) || (t->waiting && !who_is_told(t)))
		return base_fail(t->c, CAIRN_E_STATE,
		                 "it is not known where the instructions of a Q element "
		                 "begin");
	if (t->known)
		tracer_locate(t, t->here, t->here_isa);
	else if (t->depth) /* the decoder asks it */
		tracer_pop(t);
	t->waiting = false;
	put_q(t, count, address, isa);
	return t->failed;
}

int cairn_ete_tracer_event(struct cairn_ete_tracer *t, unsigned events)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_EVENT, .number = (uint16_t)events};
	if (tracer_begin(t) < 0)
		return t->failed;
	if (!events || events > 15)
		return t->failed =
		           base_fail(t->c, CAIRN_E_INVAL, "events are a map of four, not 0x%x", events);
	report_who(t);
	ete_put_atoms(t);
	ete_put(t, &p);
	return t->failed;
}

int cairn_ete_tracer_instrumentation(struct cairn_ete_tracer *t, unsigned el, uint64_t payload)
{
	struct cairn_ete_packet p = {.type = CAIRN_ETE_P_INSTRUMENTATION,
	                             .number = (uint16_t)el,
	                             .value = payload};
	if (tracer_begin(t) < 0)
		return t->failed;
	if (el > 3)
		return t->failed = base_fail(t->c, CAIRN_E_INVAL, "there is no EL%u", el);
	report_who(t);
	ete_put_atoms(t);
	ete_put(t, &p);
	return t->failed;
}

int cairn_ete_tracer_finish(struct cairn_ete_tracer *t)
{
	if (tracer_begin(t) < 0)
		return t->failed;
	tracer_end_run(t);
	report_who(t);
	ete_put_atoms(t);
	show_failure(t);
	ete_commit_all(t);
	t->ended = true;
	return t->failed;
}

/* ---- opening ---- */

static void configure(struct cairn_ete_tracer *t)
{
	const struct cairn_ete_tracer_opts *o = &t->o;
	struct cairn_ete_config *cfg = &t->cfg;
	cairn_ete_config_init(cfg);
	cfg->devarch = 0x47735a13; /* version 1.3 */
	cfg->traceidr = 0x10;
	cfg->configr = 1u | (o->cycles ? 1u << 4 : 0) | (o->ids ? 1u << 6 : 0) |
	               (o->ids > 1 ? 1u << 7 : 0) | (o->timestamps ? 1u << 11 : 0) |
	               (o->return_stack ? 1u << 12 : 0) | (o->q_every || o->own_q ? 3u << 13 : 0);
	cfg->idr0 = 1u | 1u << 7 | 1u << 9 | 3u << 10 | (o->q_every || o->own_q ? 1u << 15 : 0) |
	            (o->timestamps > 1 ? 1u << 23 : 0) | 8u << 24 | (o->commit_opt ? 1u << 29 : 0) |
	            (o->start_not_p0 ? 1u << 30 : 0);
	cfg->idr2 = 8u | 4u << 5 | 4u << 10 | (CC_BITS - 12u) << 25 | (o->waits ? 1u << 31 : 0);
	cfg->idr8 = o->maxspec;
}

static int tracer_check(struct cairn *c, const struct cairn_ete_tracer_opts *o)
{
	if (o->maxspec > MOST_SPECULATION)
		return base_fail(c, CAIRN_E_INVAL, "a speculation depth of at most %d", MOST_SPECULATION);
	if (o->noise && (!o->maxspec || o->noise > 1000))
		return base_fail(c, CAIRN_E_INVAL, "noise needs a speculation depth, and is at most 1000");
	if (o->threshold >= 1u << 12)
		return base_fail(c, CAIRN_E_INVAL, "a threshold of cycle counts is below 4096");
	if (o->timestamps > 2 || o->ids > 2 || o->atoms > 6 || o->addresses > 2)
		return base_fail(c, CAIRN_E_INVAL, "an option of the trace unit has no such value");
	return 0;
}

int cairn_ete_tracer_open(struct cairn *c, const struct cairn_ete_tracer_opts *opts,
                          struct cairn_ete_tracer **out)
{
	struct cairn_ete_tracer_opts own = {0};
	*out = NULL;
	if (opts && opts->size > sizeof own)
		return base_fail(c, CAIRN_E_INVAL, "tracer options of a newer library");
	if (opts)
		memcpy(&own, opts, opts->size);
	int rc = tracer_check(c, &own);
	struct cairn_ete_tracer *t = rc < 0 ? NULL : base_alloc(c, sizeof *t);
	if (!t)
		return rc < 0 ? rc : CAIRN_E_NOMEM;
	t->c = c;
	t->o = own;
	if (!own.cycles)
		t->o.threshold = 0;
	t->random = own.seed * 2 + 1;
	t->who = (struct cairn_ete_who){.el = 1, .security = 1, .aarch64 = 1};
	t->commit_at = CAIRN_ETE_WINDOW / 4;
	base_buf_init(&t->out, c);
	configure(t);
	rc = cairn_ete_encoder_open(c, &t->cfg, &t->enc);
	if (rc < 0) {
		cairn_ete_tracer_close(t);
		return rc;
	}
	*out = t;
	return 0;
}

void cairn_ete_tracer_close(struct cairn_ete_tracer *t)
{
	if (!t)
		return;
	cairn_ete_encoder_close(t->enc);
	base_buf_free(&t->out);
	base_free(t->c, t);
}

void cairn_ete_tracer_config(const struct cairn_ete_tracer *t, struct cairn_ete_config *cfg)
{
	*cfg = t->cfg;
}

void cairn_ete_tracer_take(struct cairn_ete_tracer *t, const uint8_t **bytes, size_t *n)
{
	t->out.len -= t->taken;
	if (t->taken && t->out.len)
		memmove(t->out.data, t->out.data + t->taken, t->out.len);
	*bytes = t->out.data;
	*n = t->taken = t->out.len;
}

void cairn_ete_tracer_stats(const struct cairn_ete_tracer *t, struct cairn_ete_tracer_stats *stats)
{
	*stats = t->stats;
	stats->bytes = t->bytes;
}

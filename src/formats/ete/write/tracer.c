/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace unit in software: instructions in, an ETE stream out.
 *
 * It keeps the state that a decoder of the bytes (flow.c) will have: its place in the program, its
 * return stack, whether it waits for an address. The stream gets exactly what the decoder cannot
 * find out by itself, before it is needed, so that decoding gives back all that was put in,
 * whatever the options.
 *
 * A run is the instructions since the last P0 element. The P0 element that ends a run implies all
 * its instructions. A run without such an end (a jump, the end of the trace) takes a Q element, if
 * these are used, or an exception that is canceled; see docs/formats/ete-encode.md.
 */
#include "formats/ete/write/tracer.h"

#include <string.h>

enum { LONGEST_RUN = ETE_CODE_FAR / 2, CC_BITS = 20, MOST_SPECULATION = 1 << 14 };

/* ---- what a decoder knows ---- */

static void tracer_push(struct cairn_ete_tracer *tracer, uint64_t addr, unsigned isa)
{
	if (!tracer->opts.return_stack)
		return;
	tracer->top = (tracer->top + 1) % ETE_STACK;
	tracer->stack[tracer->top].addr = addr;
	tracer->stack[tracer->top].isa = (uint8_t)isa;
	tracer->depth += tracer->depth < ETE_STACK;
}

static bool on_top(const struct cairn_ete_tracer *tracer, uint64_t addr, unsigned isa)
{
	return tracer->depth && tracer->stack[tracer->top].addr == addr &&
	       tracer->stack[tracer->top].isa == isa;
}

static void tracer_pop(struct cairn_ete_tracer *tracer)
{
	tracer->depth--;
	tracer->top = (tracer->top + ETE_STACK - 1) % ETE_STACK;
}

static void forget_place(struct cairn_ete_tracer *tracer)
{
	tracer->known = tracer->waiting = tracer->untold = false;
	tracer->run = 0;
}

static bool same_level(const struct cairn_ete_who *left, const struct cairn_ete_who *right)
{
	return left->el == right->el && left->security == right->security &&
	       left->aarch64 == right->aarch64;
}

static bool who_is_told(const struct cairn_ete_tracer *tracer)
{
	return tracer->who_told && same_level(&tracer->who, &tracer->told) &&
	       tracer->who.unknown == tracer->told.unknown &&
	       (tracer->opts.ids < 1 || tracer->who.ctxid == tracer->told.ctxid) &&
	       (tracer->opts.ids < 2 || tracer->who.vmid == tracer->told.vmid);
}

/* ---- synchronisation ---- */

static void tracer_trace_info(struct cairn_ete_tracer *tracer)
{
	struct cairn_ete_packet packet = {
		.type = CAIRN_ETE_P_TRACE_INFO,
		.sections = CAIRN_ETE_INFO,
		.info = (uint8_t)(tracer->opts.info | (tracer->opts.cycles ? CAIRN_ETE_INFO_CC : 0) |
	                      (tracer->in_transaction ? CAIRN_ETE_INFO_TRANSACTION : 0)),
		.value = tracer->open,
		.cycles = tracer->opts.threshold};
	packet.sections |= tracer->opts.maxspec ? CAIRN_ETE_SPEC : 0;
	packet.sections |= tracer->opts.cycles ? CAIRN_ETE_CYCT : 0;
	ete_put(tracer, &packet);
	tracer->known = tracer->waiting = tracer->who_told = tracer->addressed = tracer->unasked =
		false;
	tracer->depth = 0;
}

static void synchronise(struct cairn_ete_tracer *tracer)
{
	ete_put_atoms(tracer);
	ete_put_type(tracer, CAIRN_ETE_P_ASYNC);
	tracer_trace_info(tracer);
	tracer->sync_at =
		tracer->opts.sync_bytes ? tracer->bytes + tracer->opts.sync_bytes : UINT64_MAX;
}

/* Something is going to be put. */
static int tracer_begin(struct cairn_ete_tracer *tracer)
{
	if (tracer->ended && !tracer->failed)
		tracer->failed = base_fail(tracer->cairn, CAIRN_E_STATE, "the trace unit has finished");
	if (tracer->failed || tracer->begun)
		return tracer->failed;
	tracer->begun = true;
	synchronise(tracer);
	if (!tracer->opts.no_start)
		ete_put_type(tracer, CAIRN_ETE_P_TRACE_ON);
	return tracer->failed;
}

/* ---- where execution is ---- */

static void tracer_put_exception(struct cairn_ete_tracer *tracer, unsigned type, uint64_t address,
                                 unsigned isa, bool also_target)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_EXCEPTION,
	                                  .number = (uint16_t)type,
	                                  .info = also_target ? 2 : 1,
	                                  .flags = type > 31 ? CAIRN_ETE_P_LONG_FORM : 0};
	ete_put_atoms(tracer);
	ete_put(tracer, &packet);
	ete_put_address(tracer, CAIRN_ETE_P_ADDR_MATCH, address, isa, 0);
	ete_opened(tracer);
}

/* Give the place. An address given before, or on the return stack, was not wrong, so this one must
 * not look like its correction: an exception that did not happen stands between. */
static void tracer_put_place(struct cairn_ete_tracer *tracer, uint64_t pc, unsigned isa, bool who)
{
	if (tracer->addressed || tracer->unasked) {
		tracer_put_exception(tracer, CAIRN_ETE_TRACER_EXCEPTION, tracer->told_at, tracer->told_isa,
		                     tracer->unasked);
		tracer->stats.ends++;
	}
	if (who)
		ete_put_where(tracer, pc, isa, false);
	else
		ete_put_address(tracer, CAIRN_ETE_P_ADDR_MATCH, pc, isa, 0);
	tracer->addressed = true;
	tracer->told_at = pc;
	tracer->told_isa = (uint8_t)isa;
}

/* Something other than an instruction comes next: give who executes first. Only for A64, since
 * alone it would turn T32 into A32. */
static void report_who(struct cairn_ete_tracer *tracer)
{
	if (tracer->who_due && !tracer->run && tracer->who.aarch64 && !who_is_told(tracer)) {
		ete_put_atoms(tracer);
		tracer->n_past = 0;
		ete_put_where(tracer, 0, CAIRN_ISA_A64, true);
	}
	tracer->who_due &= tracer->run != 0;
}

/* A run begins at pc: make sure that the decoder knows this, and who runs. */
static void tracer_locate(struct cairn_ete_tracer *tracer, uint64_t pc, unsigned isa)
{
	bool there = tracer->known && tracer->here == pc && tracer->here_isa == isa;
	tracer->who.aarch64 = isa == CAIRN_ISA_A64;
	tracer->who_due = false;
	bool told = who_is_told(tracer);
	if (tracer->bytes >= tracer->sync_at) {
		synchronise(tracer);
		there = told = false;
	}
	tracer->popped = told && !there && tracer->waiting && on_top(tracer, pc, isa);
	if (tracer->popped) {
		tracer_pop(tracer);
		there = true;
	} else if (!told || !there) {
		ete_put_atoms(tracer);
		tracer->n_past = told ? tracer->n_past : 0;
		tracer->stats.jumps += tracer->known && !there;
		if (!told && there && isa == CAIRN_ISA_A64) /* alone it would turn T32 into A32 */
			ete_put_where(tracer, pc, isa, true);
		else
			tracer_put_place(tracer, pc, isa, !told);
	}
	tracer->waiting = false;
	tracer->known = true;
	tracer->here = pc;
	tracer->here_isa = (uint8_t)isa;
	tracer->isa = (uint8_t)isa;
	tracer->next = pc;
}

/* Put a Q element of `count` instructions (0: it does not say), which goes on at `to`. */
static void put_q(struct cairn_ete_tracer *tracer, uint32_t count, uint64_t to, unsigned isa)
{
	ete_put_atoms(tracer);
	if (count) {
		ete_put_address(tracer, CAIRN_ETE_P_Q_MATCH, to, isa, count);
	} else {
		ete_put_type(tracer, CAIRN_ETE_P_Q);
		ete_put_address(tracer, CAIRN_ETE_P_ADDR_MATCH, to, isa, 0);
		tracer->stats.lost += tracer->run;
	}
	ete_opened(tracer);
	tracer->q = 0;
	tracer->untold = false;
	tracer->run = 0;
	tracer->known = true;
	tracer->here = to;
	tracer->here_isa = (uint8_t)isa;
}

/* No P0 element ends the run. */
static void tracer_end_run(struct cairn_ete_tracer *tracer)
{
	if (!tracer->run)
		return;
	bool wraps = tracer->next <
	             tracer->here; /* it goes around the end of the address space: no address ends it */
	if ((tracer->opts.q_every || tracer->opts.own_q) && !wraps && !tracer->untold) {
		put_q(tracer, tracer->opts.q_uncounted ? 0 : tracer->run, tracer->next, tracer->isa);
		return;
	}
	if (wraps || (tracer->opts.drop_ends && tracer->run < LONGEST_RUN)) {
		tracer->stats.lost += tracer->run;
		if (tracer->popped) { /* nothing has asked the stack yet */
			tracer->top = (tracer->top + 1) % ETE_STACK;
			tracer->depth++;
			tracer->unasked = true;
			tracer->told_at = tracer->here;
			tracer->told_isa = tracer->here_isa;
		}
	} else {
		tracer_put_exception(tracer, CAIRN_ETE_TRACER_EXCEPTION, tracer->next, tracer->isa, false);
		tracer->stats.ends++;
	}
	forget_place(tracer);
}

/* ---- instructions ---- */

/* Does a Q element do as well as an atom, because the decoder can take the outcome from where it
 * goes on? */
static bool q_can(const struct cairn_ete_tracer *tracer, const struct isa_arm_flow *flow,
                  bool taken, uint64_t target)
{
	if (flow->kind == ISA_ARM_INDIRECT && taken)
		return false;
	if (flow->kind != ISA_ARM_DIRECT && flow->kind != ISA_ARM_INDIRECT)
		return true;
	return taken ? target != tracer->next : flow->flags & ISA_ARM_CONDITIONAL;
}

/* Follow what an atom (or a source address) with this outcome leads to. */
static void tracer_outcome(struct cairn_ete_tracer *tracer, const struct isa_arm_flow *flow,
                           bool taken, uint64_t target)
{
	if (taken && (flow->flags & ISA_ARM_LINK))
		tracer_push(tracer, tracer->next, tracer->isa);
	tracer->waiting = taken && flow->kind == ISA_ARM_INDIRECT;
	tracer->known = !tracer->waiting;
	tracer->here = taken ? target : tracer->next;
	tracer->here_isa = taken ? flow->isa : tracer->isa;
	tracer->run = 0;
}

/* Remember the run that an atom ends. */
static void tracer_remember(struct cairn_ete_tracer *tracer, const struct isa_arm_flow *flow,
                            bool executed, uint64_t target)
{
	bool branch = flow->kind == ISA_ARM_DIRECT || flow->kind == ISA_ARM_INDIRECT,
		 taken = branch && executed;
	tracer->past[tracer->n_past++ % ETE_PAST] =
		(struct ete_past){.from = tracer->here,
	                      .isa = tracer->here_isa,
	                      .e = executed,
	                      .event = ete_is_event(flow->kind, flow->flags),
	                      .told = taken && flow->kind == ISA_ARM_INDIRECT,
	                      .to = taken ? target : tracer->next,
	                      .to_isa = taken ? flow->isa : tracer->isa};
}

static void put_source(struct cairn_ete_tracer *tracer, uint64_t pc)
{
	tracer->n_atoms -= tracer->straight;
	tracer->atoms &= (1u << tracer->n_atoms) - 1;
	ete_put_atoms(tracer);
	ete_put_address(tracer, CAIRN_ETE_P_SRC_MATCH, pc, tracer->isa, 0);
	ete_opened(tracer);
	tracer->source = 0;
}

static void tracer_p0(struct cairn_ete_tracer *tracer, const struct cairn_ete_insn *in,
                      const struct isa_arm_flow *flow)
{
	bool branch = flow->kind == ISA_ARM_DIRECT || flow->kind == ISA_ARM_INDIRECT;
	bool taken = branch && in->taken, e = taken || !branch;
	uint64_t target =
		flow->kind == ISA_ARM_DIRECT ? isa_arm_target(flow, tracer->isa, in->pc) : tracer->next;
	if (tracer->opts.q_every && ++tracer->q >= tracer->opts.q_every &&
	    q_can(tracer, flow, taken, target)) {
		put_q(tracer, tracer->opts.q_uncounted ? 0 : tracer->run, taken ? target : tracer->next,
		      taken ? flow->isa : tracer->isa);
		return;
	}
	if (taken && tracer->opts.source_every && ++tracer->source >= tracer->opts.source_every) {
		put_source(tracer, in->pc);
		tracer_outcome(tracer, flow, taken, target);
		return;
	}
	ete_put_atom(tracer, e);
	tracer->straight = taken ? 0 : tracer->straight + 1;
	if (tracer->opts.noise) {
		tracer_remember(tracer, flow, e, target);
		if (ete_roll(tracer, 1000) < tracer->opts.noise && !ete_is_event(flow->kind, flow->flags))
			ete_put_noise(tracer);
	}
	tracer_outcome(tracer, flow, taken, target);
}

static unsigned tracer_size_of(const struct cairn_ete_insn *in)
{
	return in->isa == CAIRN_ISA_T32 && in->enc <= 0xffff ? 2 : 4;
}

static int tracer_refuse(struct cairn_ete_tracer *tracer, const struct cairn_ete_insn *in)
{
	unsigned size = tracer_size_of(in);
	bool arm = in->isa == CAIRN_ISA_A64 || in->isa == CAIRN_ISA_A32 || in->isa == CAIRN_ISA_T32;
	tracer->failed = arm ? base_fail(tracer->cairn, CAIRN_E_INVAL,
	                                 "instruction %llu: 0x%llx is not an address of one",
	                                 (unsigned long long)tracer->stats.instructions + 1,
	                                 (unsigned long long)in->pc)
	                     : base_fail(tracer->cairn, CAIRN_E_INVAL,
	                                 "instruction %llu of %u bytes is not of A64, A32 or T32",
	                                 (unsigned long long)tracer->stats.instructions + 1, size);
	return tracer->failed;
}

static bool is_sound(const struct cairn_ete_insn *in)
{
	if (in->isa == CAIRN_ISA_A64)
		return !(in->pc & 3);
	if (in->pc >> 32)
		return false;
	return in->isa == CAIRN_ISA_A32 ? !(in->pc & 3) : in->isa == CAIRN_ISA_T32 && !(in->pc & 1);
}

static inline void tracer_one(struct cairn_ete_tracer *tracer, const struct cairn_ete_insn *in)
{
	struct isa_arm_flow flow = {0};
	if (tracer->run && (in->pc != tracer->next || in->isa != tracer->isa ||
	                    tracer->run == LONGEST_RUN || (tracer->untold && !in->untold)))
		tracer_end_run(tracer);
	if (!tracer->run)
		tracer_locate(tracer, in->pc, in->isa);
	tracer->run++;
	tracer->next += tracer_size_of(in);
	if (in->isa == CAIRN_ISA_A64 && !isa_arm_a64_may_flow(in->enc))
		return;
	isa_arm_flow(in->isa, in->enc, ISA_ARM_AA64, tracer->opts.waits, &flow);
	if (flow.kind != ISA_ARM_NONE && in->untold)
		tracer->untold = true;
	else if (flow.kind != ISA_ARM_NONE)
		tracer_p0(tracer, in, &flow);
}

int cairn_ete_tracer_insns(struct cairn_ete_tracer *tracer, const struct cairn_ete_insn *in,
                           size_t n)
{
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	for (size_t i = 0; i < n && !tracer->failed; i++) {
		if (!is_sound(&in[i]))
			return tracer_refuse(tracer, &in[i]);
		tracer_one(tracer, &in[i]);
		tracer->stats.instructions++;
	}
	return tracer->failed;
}

/* ---- what happens besides ---- */

int cairn_ete_tracer_context(struct cairn_ete_tracer *tracer, const struct cairn_ete_who *who)
{
	struct cairn_ete_who w = *who;
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (w.el > 3 || w.security > 3)
		return tracer->failed = base_fail(tracer->cairn, CAIRN_E_INVAL,
		                                  "EL%u, security %u: there is no such", w.el, w.security);
	w.aarch64 = tracer->who.aarch64; /* the instruction set says */
	if (!same_level(&w, &tracer->who))
		tracer_end_run(tracer);
	report_who(tracer); /* of one before */
	tracer->who = w;
	tracer->who_due = true;
	return tracer->failed;
}

int cairn_ete_tracer_exception(struct cairn_ete_tracer *tracer, unsigned type, uint64_t address,
                               unsigned isa)
{
	bool also = false;
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (type == ETE_TYPE_PE_RESET || type == ETE_TYPE_TRANSACTION_FAILURE || type >= 1u << 10)
		return tracer->failed =
		           base_fail(tracer->cairn, CAIRN_E_INVAL, "no exception has type %u", type);
	struct cairn_ete_insn at = {.pc = address, .isa = (uint8_t)isa};
	if (!is_sound(&at))
		return tracer_refuse(tracer, &at);
	if (tracer->run && (address != tracer->next || isa != tracer->isa)) {
		tracer->stats.moved++;
		tracer_end_run(tracer);
	}
	/* A return address before where execution stands: nothing is walked, so nothing need be given.
	 *  */
	bool behind = tracer->known && address < tracer->here && isa == tracer->here_isa &&
	              who_is_told(tracer) && tracer->bytes < tracer->sync_at;
	if (!tracer->run && !behind) {
		also = tracer->waiting && !on_top(tracer, address, isa) &&
		       tracer->who.aarch64 == (isa == CAIRN_ISA_A64) && who_is_told(tracer) &&
		       tracer->bytes < tracer->sync_at;
		if (!also)
			tracer_locate(tracer, address, isa);
	}
	tracer_put_exception(tracer, type, address, isa, also);
	forget_place(tracer);
	return tracer->failed;
}

int cairn_ete_tracer_target(struct cairn_ete_tracer *tracer, uint64_t address, unsigned isa)
{
	struct cairn_ete_insn at = {.pc = address, .isa = (uint8_t)isa};
	if (tracer_begin(tracer) < 0 || !tracer->waiting || tracer->run)
		return tracer->failed;
	if (!is_sound(&at))
		return tracer_refuse(tracer, &at);
	ete_put_atoms(tracer);
	tracer_put_place(tracer, address, isa, false);
	tracer->waiting = false;
	tracer->known = true;
	tracer->here = address;
	tracer->here_isa = (uint8_t)isa;
	return tracer->failed;
}

/* What is put gives a place: it must be one where execution can be, and it ends the run before it.
 *  */
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

/* A failed transaction is believed when something behind it shows that tracing went on (RNMWFJ); a
 * context does. */
static void show_failure(struct cairn_ete_tracer *tracer)
{
	if (!tracer->failing)
		return;
	ete_put_where(tracer, 0, CAIRN_ISA_A64, true);
	tracer->who_told = false;
}

/* The trace unit stopped: put what is needed to go on. */
static void go_on(struct cairn_ete_tracer *tracer, unsigned what)
{
	show_failure(tracer);
	if (what == CAIRN_ETE_BREAK_OVERFLOW || what == CAIRN_ETE_BREAK_DISCARD) {
		ete_commit_all(tracer);
		ete_put_type(tracer,
		             what == CAIRN_ETE_BREAK_OVERFLOW ? CAIRN_ETE_P_OVERFLOW : CAIRN_ETE_P_DISCARD);
		tracer->in_transaction = false;
		tracer_trace_info(tracer);
	}
	ete_put_type(tracer, CAIRN_ETE_P_TRACE_ON);
}

int cairn_ete_tracer_break(struct cairn_ete_tracer *tracer, unsigned what)
{
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (what < CAIRN_ETE_BREAK_FILTER || what > CAIRN_ETE_BREAK_RESET)
		return tracer->failed =
		           base_fail(tracer->cairn, CAIRN_E_INVAL, "no break of kind %u", what);
	if (what == CAIRN_ETE_BREAK_RESET) {
		tracer->stats.lost += tracer->run;
		tracer->run = 0;
		report_who(tracer);
		ete_put_atoms(tracer);
		ete_put_type(tracer, CAIRN_ETE_P_PE_RESET);
		ete_opened(tracer);
		tracer->who_told = false;
	} else {
		tracer_end_run(tracer);
		report_who(tracer);
		ete_put_atoms(tracer);
		go_on(tracer, what);
	}
	tracer->depth = 0;
	tracer->addressed = tracer->unasked = false;
	forget_place(tracer);
	return tracer->failed;
}

int cairn_ete_tracer_transaction(struct cairn_ete_tracer *tracer, unsigned what)
{
	static const uint8_t types[] = {0, CAIRN_ETE_P_TRANSACTION_START,
	                                CAIRN_ETE_P_TRANSACTION_COMMIT, CAIRN_ETE_P_TRANSACTION_FAILURE,
	                                CAIRN_ETE_P_TRANSACTION_FAILURE};
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (what < CAIRN_ETE_BEGIN || what > CAIRN_ETE_UNTOLD)
		return tracer->failed =
		           base_fail(tracer->cairn, CAIRN_E_INVAL, "no transaction step %u", what);
	tracer_end_run(tracer);
	report_who(tracer);
	ete_put_atoms(tracer);
	show_failure(tracer); /* of one before */
	ete_put_type(tracer, types[what]);
	tracer->failing = what == CAIRN_ETE_FAILED;
	tracer->in_transaction = what == CAIRN_ETE_BEGIN;
	tracer->addressed = false;
	if (what == CAIRN_ETE_BEGIN && !tracer->opts.start_not_p0)
		ete_opened(tracer);
	if (what >= CAIRN_ETE_FAILED) { /* calls made within it are forgotten, or not */
		tracer->depth = 0;
		forget_place(tracer);
	}
	return tracer->failed;
}

/* Put a cycle count, with what it can commit; not `known`: the count is not known. */
static void put_cycles(struct cairn_ete_tracer *tracer, uint32_t cycles, bool known)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_CCNT_F1,
	                                  .cycles = cycles,
	                                  .flags = known ? CAIRN_ETE_P_HAS_CYCLES
	                                                 : CAIRN_ETE_P_HAS_CYCLES |
	                                                       CAIRN_ETE_P_CYCLES_UNKNOWN};
	uint32_t c = known ? cycles - tracer->opts.threshold : UINT32_MAX;
	uint64_t n = tracer->open;
	bool commits = !tracer->opts.commit_opt;
	if (n && commits && tracer->opts.noise)
		n = 1 + ete_roll(tracer, (uint32_t)n);
	packet.count = commits ? (uint32_t)n : 0;
	if (c < 4 && (!commits || (n && n <= 4)))
		packet.type = CAIRN_ETE_P_CCNT_F3;
	else if (c < 16 && (!commits || (n && n <= 16)))
		packet.type = CAIRN_ETE_P_CCNT_F2;
	else if (c < 16 && n && n + 15 >= tracer->opts.maxspec && n <= tracer->opts.maxspec) {
		packet.type = CAIRN_ETE_P_CCNT_F2;
		packet.number = 1;
	}
	ete_put(tracer, &packet);
	tracer->open -= packet.count;
	if (!tracer->open)
		tracer->since_commit = 0;
}

int cairn_ete_tracer_cycles(struct cairn_ete_tracer *tracer, uint32_t cycles)
{
	const uint32_t most = tracer->opts.threshold + (1u << CC_BITS) - 1;
	uint64_t left = (uint64_t)tracer->cycles + cycles;
	if (tracer_begin(tracer) < 0 || !tracer->opts.cycles)
		return tracer->failed;
	if (left < tracer->opts.threshold) {
		tracer->cycles = (uint32_t)left;
		return tracer->failed;
	}
	report_who(tracer);
	ete_put_atoms(tracer);
	do {
		uint32_t now = left < most ? (uint32_t)left : most;
		put_cycles(tracer, now, true);
		left -= now;
	} while (left >= tracer->opts.threshold && left && !tracer->failed);
	tracer->cycles = (uint32_t)left;
	return tracer->failed;
}

int cairn_ete_tracer_cycles_unknown(struct cairn_ete_tracer *tracer)
{
	if (tracer_begin(tracer) < 0 || !tracer->opts.cycles)
		return tracer->failed;
	report_who(tracer);
	ete_put_atoms(tracer);
	put_cycles(tracer, 0, false);
	tracer->cycles = 0;
	return tracer->failed;
}

static int tracer_put_time(struct cairn_ete_tracer *tracer, uint64_t time, bool counted,
                           uint32_t cycles)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_TIMESTAMP, .value = time};
	if (tracer_begin(tracer) < 0 || !tracer->opts.timestamps)
		return tracer->failed;
	report_who(tracer);
	ete_put_atoms(tracer);
	if (tracer->opts.timestamps > 1 && !tracer->opts.own_markers)
		ete_put_type(tracer, CAIRN_ETE_P_TS_MARKER);
	if (tracer->opts.cycles && counted) {
		packet.flags = CAIRN_ETE_P_HAS_CYCLES;
		packet.cycles = cycles;
	}
	ete_put(tracer, &packet);
	return tracer->failed;
}

int cairn_ete_tracer_time(struct cairn_ete_tracer *tracer, uint64_t time)
{
	return tracer_put_time(tracer, time, tracer->cycles != 0, tracer->cycles);
}

int cairn_ete_tracer_time_cycles(struct cairn_ete_tracer *tracer, uint64_t time, uint32_t cycles)
{
	return tracer_put_time(tracer, time, true, cycles);
}

int cairn_ete_tracer_marker(struct cairn_ete_tracer *tracer)
{
	if (tracer_begin(tracer) < 0 || tracer->opts.timestamps < 2 || !tracer->opts.own_markers)
		return tracer->failed;
	report_who(tracer);
	ete_put_atoms(tracer);
	ete_put_type(tracer, CAIRN_ETE_P_TS_MARKER);
	return tracer->failed;
}

int cairn_ete_tracer_q(struct cairn_ete_tracer *tracer, uint32_t count, uint64_t address,
                       unsigned isa)
{
	if (tracer_begin_at(tracer, address, isa) < 0)
		return tracer->failed;
	report_who(tracer);
	if (!tracer->opts.own_q || (!tracer->known && !tracer->waiting) ||
	    (tracer->waiting && !who_is_told(tracer)))
		return base_fail(tracer->cairn, CAIRN_E_STATE,
		                 "it is not known where the instructions of a Q element begin");
	if (tracer->known)
		tracer_locate(tracer, tracer->here, tracer->here_isa);
	else if (tracer->depth) /* the decoder asks it */
		tracer_pop(tracer);
	tracer->waiting = false;
	put_q(tracer, count, address, isa);
	return tracer->failed;
}

int cairn_ete_tracer_event(struct cairn_ete_tracer *tracer, unsigned events)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_EVENT, .number = (uint16_t)events};
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (!events || events > 15)
		return tracer->failed = base_fail(tracer->cairn, CAIRN_E_INVAL,
		                                  "events are a map of four, not 0x%x", events);
	report_who(tracer);
	ete_put_atoms(tracer);
	ete_put(tracer, &packet);
	return tracer->failed;
}

int cairn_ete_tracer_instrumentation(struct cairn_ete_tracer *tracer, unsigned el, uint64_t payload)
{
	struct cairn_ete_packet packet = {.type = CAIRN_ETE_P_INSTRUMENTATION,
	                                  .number = (uint16_t)el,
	                                  .value = payload};
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	if (el > 3)
		return tracer->failed = base_fail(tracer->cairn, CAIRN_E_INVAL, "there is no EL%u", el);
	report_who(tracer);
	ete_put_atoms(tracer);
	ete_put(tracer, &packet);
	return tracer->failed;
}

int cairn_ete_tracer_finish(struct cairn_ete_tracer *tracer)
{
	if (tracer_begin(tracer) < 0)
		return tracer->failed;
	tracer_end_run(tracer);
	report_who(tracer);
	ete_put_atoms(tracer);
	show_failure(tracer);
	ete_commit_all(tracer);
	tracer->ended = true;
	return tracer->failed;
}

/* ---- opening ---- */

static void configure(struct cairn_ete_tracer *tracer)
{
	const struct cairn_ete_tracer_opts *opts = &tracer->opts;
	struct cairn_ete_config *cfg = &tracer->cfg;
	cairn_ete_config_init(cfg);
	cfg->devarch = 0x47735a13; /* version 1.3 */
	cfg->traceidr = 0x10;
	cfg->configr = 1u | (opts->cycles ? 1u << 4 : 0) | (opts->ids ? 1u << 6 : 0) |
	               (opts->ids > 1 ? 1u << 7 : 0) | (opts->timestamps ? 1u << 11 : 0) |
	               (opts->return_stack ? 1u << 12 : 0) |
	               (opts->q_every || opts->own_q ? 3u << 13 : 0);
	cfg->idr0 = 1u | 1u << 7 | 1u << 9 | 3u << 10 | (opts->q_every || opts->own_q ? 1u << 15 : 0) |
	            (opts->timestamps > 1 ? 1u << 23 : 0) | 8u << 24 |
	            (opts->commit_opt ? 1u << 29 : 0) | (opts->start_not_p0 ? 1u << 30 : 0);
	cfg->idr2 = 8u | 4u << 5 | 4u << 10 | (CC_BITS - 12u) << 25 | (opts->waits ? 1u << 31 : 0);
	cfg->idr8 = opts->maxspec;
}

static int tracer_check(struct cairn *cairn, const struct cairn_ete_tracer_opts *opts)
{
	if (opts->maxspec > MOST_SPECULATION)
		return base_fail(cairn, CAIRN_E_INVAL, "a speculation depth of at most %d",
		                 MOST_SPECULATION);
	if (opts->noise && (!opts->maxspec || opts->noise > 1000))
		return base_fail(cairn, CAIRN_E_INVAL,
		                 "noise needs a speculation depth, and is at most 1000");
	if (opts->threshold >= 1u << 12)
		return base_fail(cairn, CAIRN_E_INVAL, "a threshold of cycle counts is below 4096");
	if (opts->timestamps > 2 || opts->ids > 2 || opts->atoms > 6 || opts->addresses > 2)
		return base_fail(cairn, CAIRN_E_INVAL, "an option of the trace unit has no such value");
	return 0;
}

int cairn_ete_tracer_open(struct cairn *cairn, const struct cairn_ete_tracer_opts *opts,
                          struct cairn_ete_tracer **out)
{
	struct cairn_ete_tracer_opts own = {0};
	*out = NULL;
	int rc = base_options(cairn, &own, sizeof own, opts, "tracer options");
	if (rc >= 0)
		rc = tracer_check(cairn, &own);
	struct cairn_ete_tracer *tracer = rc < 0 ? NULL : base_alloc(cairn, sizeof *tracer);
	if (!tracer)
		return rc < 0 ? rc : CAIRN_E_NOMEM;
	tracer->cairn = cairn;
	tracer->opts = own;
	if (!own.cycles)
		tracer->opts.threshold = 0;
	tracer->random = own.seed * 2 + 1;
	tracer->who = (struct cairn_ete_who){.el = 1, .security = 1, .aarch64 = 1};
	tracer->commit_at = CAIRN_ETE_WINDOW / 4;
	base_buf_init(&tracer->out, cairn);
	configure(tracer);
	rc = cairn_ete_encoder_open(cairn, &tracer->cfg, &tracer->enc);
	if (rc < 0) {
		cairn_ete_tracer_close(tracer);
		return rc;
	}
	*out = tracer;
	return 0;
}

void cairn_ete_tracer_close(struct cairn_ete_tracer *tracer)
{
	if (!tracer)
		return;
	cairn_ete_encoder_close(tracer->enc);
	base_buf_free(&tracer->out);
	base_free(tracer->cairn, tracer);
}

void cairn_ete_tracer_config(const struct cairn_ete_tracer *tracer, struct cairn_ete_config *cfg)
{
	*cfg = tracer->cfg;
}

void cairn_ete_tracer_take(struct cairn_ete_tracer *tracer, const uint8_t **bytes, size_t *n)
{
	tracer->out.len -= tracer->taken;
	if (tracer->taken && tracer->out.len)
		memmove(tracer->out.data, tracer->out.data + tracer->taken, tracer->out.len);
	*bytes = tracer->out.data;
	*n = tracer->taken = tracer->out.len;
}

int cairn_ete_tracer_stats(const struct cairn_ete_tracer *tracer,
                           struct cairn_ete_tracer_stats *stats)
{
	struct cairn_ete_tracer_stats own = tracer->stats;
	own.bytes = tracer->bytes;
	base_give(stats, &own, sizeof own);
	return base_sized(tracer->cairn, stats, "cairn_ete_tracer_stats");
}

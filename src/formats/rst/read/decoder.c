/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Up: RST records into batches.
 *
 * An INSTR makes a row. Into its slot go, in this order, what belonged to no CPU since
 * the INSTR before it, what waited for its CPU, its fetch where a PAVADIFF came, its
 * accesses, and what follows it at once: registers after it, values, the TRAPEXIT.
 *
 * - bt says a transfer was taken, ea_va where to; for branches not taken and where
 *   ea is missing, the target comes from the encoding. Instructions behind a
 *   transfer are its delay slot; an says the slot was annulled.
 * - tr with a synchronous TRAP of the same PC before it says the instruction was
 *   stopped: it is aborted, and its bt means nothing. A trap instruction (Tcc) is not
 *   stopped by its own trap. All other tr are first instructions of handlers.
 * - Where an instruction is not where its CPU's flow would have gone, there is a
 *   discontinuity: traps, and holes.
 * - A batch ends behind an instruction and what follows it, or after LOOSE records
 *   that no instruction claimed, or where a long stretch without instructions may be cut
 *   (rst.h). All depend on the trace alone.
 */
#include <string.h>

#include "formats/rst/rst.h"
#include "isa/sparc.h"

enum { SIZE = CAIRN_RST_SIZE, LOOSE = 1024 };

enum stop { STOP_FULL, STOP_WINDOW };

/* ---- contexts ---- */

/* The row of a CPU's context at this privilege (0 to 2, as enum cairn_priv). */
static uint16_t rst_decoder_context(struct rst_decoder *decoder, unsigned cpu, unsigned priv)
{
	struct rst_worker *worker = decoder->worker;
	const struct rst_cpu *c = &decoder->at->cpus[cpu];
	if (worker->ctx[cpu].generation != worker->generation) {
		worker->ctx[cpu].generation = worker->generation;
		for (unsigned i = 0; i < 3; i++)
			worker->ctx[cpu].row[i] = RST_NONE;
	}
	uint16_t *row = &worker->ctx[cpu].row[priv];
	if (*row != RST_NONE)
		return *row;
	struct cairn_ctx ctx = {.known = CAIRN_CTX_HART | CAIRN_CTX_PRIV,
	                        .hart = (uint16_t)cpu,
	                        .priv = (uint8_t)priv};
	if (c->flags & RST_C_ASID) {
		ctx.known |= CAIRN_CTX_ASID;
		ctx.asid = c->asid;
	}
	if (c->flags & RST_C_PID) {
		ctx.known |= CAIRN_CTX_PID;
		ctx.pid = c->pid;
	}
	if (c->flags & RST_C_TID) { /* a thread's number, or its %g7 */
		ctx.known |= c->tid >> 32 ? CAIRN_CTX_CTXID : CAIRN_CTX_TID;
		ctx.ctxid = c->tid >> 32 ? c->tid : 0;
		ctx.tid = c->tid >> 32 ? 0 : (uint32_t)c->tid;
	}
	return *row = kit_context(&decoder->rows, &ctx);
}

static void context_changed(struct rst_decoder *decoder, unsigned cpu)
{
	decoder->worker->ctx[cpu].generation = decoder->worker->generation - 1;
}

static void decoder_note(struct rst_decoder *decoder, const uint8_t *p, unsigned cpu)
{
	struct rst_cpu *c = &decoder->at->cpus[cpu];
	uint16_t asid = c->asid, known = c->flags & RST_C_ASID;
	rst_note(c, p);
	if (c->asid != asid || (c->flags & RST_C_ASID) != known)
		context_changed(decoder, cpu);
}

static void decoder_apply_pending(struct rst_decoder *decoder, unsigned cpu)
{
	rst_ids_of_cpu(&decoder->at->cpus[cpu], &decoder->at->ids);
	decoder->at->ids.told = 0;
	context_changed(decoder, cpu);
}

/* ---- instructions ---- */

/* The records that waited, but values; those find their accesses later. Returns
 * whether the instruction was stopped by a trap. */
static bool take_waiting(struct rst_decoder *decoder, const uint8_t *p, unsigned cpu)
{
	struct rst_state *at = decoder->at;
	uint64_t pc = rst_INSTR_pc_va(p);
	bool stopped = false;
	for (uint16_t i = at->cpus[cpu].first; i != RST_NONE; i = at->waiting[i].next) {
		const uint8_t *q = at->waiting[i].rec;
		enum cairn_phase phase = CAIRN_BEFORE;
		if (q[0] == CAIRN_RST_MEMVAL)
			continue;
		if (q[0] == CAIRN_RST_TRAP) {
			bool here = !rst_TRAP_async(q) && rst_TRAP_pc(q) == pc;
			stopped = here && rst_trap_stops(q) && rst_INSTR_tr(p);
			phase = here ? CAIRN_ON : CAIRN_BEFORE;
		}
		rst_attach(decoder, q, phase, rst_INSTR_instr(p));
	}
	return stopped;
}

static void take_values(struct rst_decoder *decoder, unsigned cpu)
{
	struct rst_state *at = decoder->at;
	while (at->cpus[cpu].first != RST_NONE) {
		const uint8_t *q = at->waiting[at->cpus[cpu].first].rec;
		if (q[0] == CAIRN_RST_MEMVAL)
			rst_memval(decoder, q, CAIRN_MEM_UNKNOWN);
		rst_waited(at, cpu);
	}
}

static inline void decoder_access_row(struct rst_decoder *decoder, uint8_t kind, uint64_t ea,
                                      uint64_t pa, uint32_t size, uint8_t flags)
{
	struct cairn_mem *mem = kit_mem(&decoder->rows);
	if (!mem)
		return;
	mem->addr = ea;
	mem->pa = pa;
	mem->size = size;
	mem->kind = kind;
	mem->flags = flags;
}

/* Where a PAVADIFF or PHYSADDR stands before an instruction, its fetch is a row. */
static void decoder_fetch_row(struct rst_decoder *decoder, const struct rst_cpu *cpu, uint64_t pc)
{
	uint64_t pa = cpu->flags & RST_C_PC_PA ? cpu->pc_pa : pc + cpu->pc_diff;
	decoder_access_row(decoder, CAIRN_MEM_FETCH, pc, pa, 4, CAIRN_VALUE_PA);
}

/* An atomic reads and writes. */
static inline void decoder_access_rows(struct rst_decoder *decoder, const struct rst_cpu *cpu,
                                       const struct cairn_op *op, uint64_t ea, bool stopped)
{
	uint64_t pa = 0;
	uint8_t flags = stopped ? CAIRN_VALUE_NOT_WRITTEN : 0;
	if (!(decoder->rows.want & CAIRN_MEMS))
		return;
	if (cpu->flags & (RST_C_EA_DIFF | RST_C_EA_PA)) {
		pa = cpu->flags & RST_C_EA_PA ? cpu->ea_pa : ea + cpu->ea_diff;
		flags |= CAIRN_VALUE_PA;
	}
	if (op->traits & CAIRN_TRAIT_LOAD)
		decoder_access_row(decoder, CAIRN_MEM_READ, ea, pa, op->mem_size, flags);
	if (op->traits & CAIRN_TRAIT_STORE)
		decoder_access_row(decoder, CAIRN_MEM_WRITE, ea, pa, op->mem_size, flags);
	if (op->traits & CAIRN_TRAIT_PREFETCH)
		decoder_access_row(decoder, CAIRN_MEM_PREFETCH, ea, pa, 0, flags);
}

/* Flags and target of a control transfer that was not stopped. */
static inline uint32_t transfer(const uint8_t *p, const struct cairn_op *op, bool ea_known,
                                uint64_t *target)
{
	bool taken = rst_INSTR_bt(p);
	uint32_t flags = taken ? CAIRN_INSN_TAKEN : 0;
	if (taken && ea_known) {
		*target = rst_INSTR_ea_va(p);
		flags |= CAIRN_INSN_TARGET;
	} else if ((op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_INDIRECT)) == CAIRN_TRAIT_BRANCH) {
		*target = rst_INSTR_pc_va(p) + (uint64_t)isa_sparc_offset(rst_INSTR_instr(p));
		flags |= CAIRN_INSN_TARGET;
	}
	if (!taken && (op->traits & CAIRN_TRAIT_CONDITIONAL))
		flags |= CAIRN_INSN_NOT_TAKEN;
	return flags;
}

static inline void rst_decoder_instruction(struct rst_decoder *decoder, const uint8_t *p)
{
	struct rst_state *at = decoder->at;
	struct cairn_batch *batch = decoder->rows.batch;
	unsigned cpu = rst_instr_cpu(p, decoder->im->wide), bits = rst_INSTR_flags(p);
	struct rst_cpu *c = &at->cpus[cpu];
	uint32_t enc = rst_INSTR_instr(p), flags = 0;
	uint64_t pc = rst_INSTR_pc_va(p), target = 0;
	const struct cairn_op *op = rst_op(decoder->worker, enc);
	bool stopped = false;
	bool ea_known = (bits & RST_I_EA_VALID) && !rst_bad_address(rst_INSTR_ea_va(p));

	if (__builtin_expect(at->ids.told, 0))
		decoder_apply_pending(decoder, cpu);
	if (__builtin_expect(decoder->in_string, 0))
		rst_end_string(decoder);
	if (__builtin_expect(c->first != RST_NONE, 0))
		stopped = take_waiting(decoder, p, cpu);
	if (__builtin_expect(c->flags & (RST_C_FETCHED | RST_C_PC_PA), 0))
		decoder_fetch_row(decoder, c, pc);
	if (__builtin_expect((c->flags & RST_C_NPC) && c->npc != pc, 0))
		flags |= CAIRN_INSN_DISCONTINUITY;
	if (__builtin_expect(rst_bad_address(pc), 0))
		flags |= CAIRN_INSN_PC_UNKNOWN;
	if (bits & RST_I_AN)
		flags |= CAIRN_INSN_ANNULLED;
	else if (stopped)
		flags |= CAIRN_INSN_ABORTED;
	else if (op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET))
		flags |= transfer(p, op, ea_known, &target);
	if (ea_known && !(bits & RST_I_AN) &&
	    (op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_PREFETCH)))
		decoder_access_rows(decoder, c, op, rst_INSTR_ea_va(p), stopped);
	if (__builtin_expect(c->first != RST_NONE, 0))
		take_values(decoder, cpu);
	unsigned priv = decoder->im->wide && (bits & RST_I_HPRIV) ? CAIRN_PRIV_HYPERVISOR
	                : bits & RST_I_PR                         ? CAIRN_PRIV_SUPERVISOR
	                                                          : CAIRN_PRIV_USER;
	uint32_t rec = (uint32_t)(at->rec - batch->rec0);
	decoder->ctx = rst_decoder_context(decoder, cpu, priv);
	struct cairn_insn *row = &batch->insns[batch->n_insns++];
	row->pc = pc;
	row->target = target;
	row->enc = enc;
	row->traits = op->traits;
	row->flags = flags;
	row->rec = rec;
	row->off = rec * SIZE;
	row->ctx = decoder->ctx;
	row->reg0 = (uint16_t)decoder->rows.reg0;
	row->mem0 = (uint16_t)decoder->rows.mem0;
	row->ev0 = (uint16_t)decoder->rows.ev0;
	row->size = 4;
	row->isa = CAIRN_ISA_SPARC;
	row->cls = op->cls;
	row->variant = 0;
	rst_step(c, p);
	at->n++;
	decoder->last = (int)cpu;
}

/* The slot has taken what belongs to it. */
static inline bool rst_decoder_end_slot(struct rst_decoder *decoder)
{
	if (__builtin_expect(decoder->rows.dropped != 0, 0))
		rst_tell_dropped(decoder);
	if (__builtin_expect(decoder->half, 0))
		rst_drop_half(decoder);
	kit_rows_next(&decoder->rows, false);
	return model_batch_full(decoder->rows.batch);
}

/* ---- other records ---- */

static void decoder_unknown(struct rst_decoder *decoder, const uint8_t *p)
{
	char text[128];
	const struct rst_state *at = decoder->at;
	uint64_t off = kit_offset_of(&decoder->ss->bytes, p);
	rst_bad_text(text, sizeof text, off, at->rec, at->n, p[0]);
	model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
	                   CAIRN_BEFORE, off, SIZE, "%s", text);
	if (p - SIZE == decoder->lost) /* nothing came since */
		return;
	rst_lose(decoder->at);
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		context_changed(decoder, i);
}

/* Records that no instruction of theirs came for. */
static void decoder_give_up(struct rst_decoder *decoder, const struct rst_waiting *waiting)
{
	unsigned cpu = waiting->cpu;
	rst_end_string(decoder);
	rst_attach(decoder, waiting->rec, CAIRN_BEFORE, 0);
	rst_waited(decoder->at, cpu);
	decoder->n_loose++;
}

/* One more record of a kind that waits comes: which are too old now? */
static void tick(struct rst_decoder *decoder)
{
	const struct rst_waiting *waiting;
	while ((waiting = rst_overdue(decoder->at, decoder->at->tick)))
		decoder_give_up(decoder, waiting);
}

/* A record that is no INSTR. */
static void decoder_other(struct rst_decoder *decoder, const uint8_t *p)
{
	struct rst_state *at = decoder->at;
	unsigned type = p[0];
	int cpu = rst_waits(type) ? rst_cpu_of(p, decoder->im->wide) : -1;
	decoder->n_loose++;
	if (type != CAIRN_RST_STRCONT && type != CAIRN_RST_STRDESC)
		rst_end_string(decoder);
	if (cpu >= 0) {
		if (type == CAIRN_RST_TRAP || type == CAIRN_RST_REGVAL)
			decoder_note(decoder, p, (unsigned)cpu);
		tick(decoder);
		if (!rst_is_orphan(at, p, (unsigned)cpu))
			rst_wait(at, p, (unsigned)cpu, at->tick);
		at->tick++;
	} else if (type == CAIRN_RST_PAVADIFF || type == CAIRN_RST_PHYSADDR) {
		decoder_note(decoder, p, (unsigned)rst_cpu_of(p, decoder->im->wide));
	} else if (!cairn_rst_type_name(type)) {
		decoder_unknown(decoder, p);
		decoder->lost = p;
	} else {
		rst_loose(decoder, p);
		if (type == CAIRN_RST_THREAD || type == CAIRN_RST_PROCESS)
			rst_ids_take(&at->ids, p);
	}
}

static enum stop rst_decoder_walk(struct rst_decoder *decoder)
{
	const uint8_t *p = decoder->ss->bytes.window.p, *const end = decoder->ss->bytes.window.end;
	struct rst_state *at = decoder->at;
	enum stop why = STOP_WINDOW;
	bool open = decoder->last >= 0; /* an instruction's slot, which may take followers */

	for (; end - p >= SIZE; p += SIZE, at->rec++) {
		bool cut = p[0] != CAIRN_RST_INSTR && rst_grid_cut(at->rec, at->instr) &&
		           at->rec > decoder->rows.batch->rec0;
		if (open) {
			if (__builtin_expect(
					rst_follows(p) && rst_cpu_of(p, decoder->im->wide) == decoder->last, 0) &&
			    !cut) {
				rst_attach(decoder, p, CAIRN_AFTER,
				           decoder->rows.batch->insns[decoder->rows.batch->n_insns - 1].enc);
				tick(decoder);
				at->tick++;
				continue;
			}
			open = false;
			decoder->last = -1;
			decoder->n_loose = 0;
			if (__builtin_expect(rst_decoder_end_slot(decoder), 0)) {
				why = STOP_FULL;
				break;
			}
		}
		if (__builtin_expect(p[0] == CAIRN_RST_INSTR && decoder->n_loose < LOOSE, 1)) {
			rst_decoder_instruction(decoder, p);
			open = true;
			/* at->rec is this one's, the loop counts it. */
			p = rst_run(decoder, p + SIZE, end) - SIZE;
			at->instr = at->rec;
		} else if (decoder->n_loose < LOOSE && !cut) {
			decoder_other(decoder, p);
		} else {
			why = STOP_FULL;
			break;
		}
	}
	decoder->ss->bytes.window.p = p;
	return why;
}

/* ---- a batch ---- */

/* The trace is over: what still waits belongs to no instruction. */
static void decoder_finish(struct rst_decoder *decoder)
{
	struct rst_span *ss = decoder->ss;
	struct rst_state *at = decoder->at;
	char text[448];
	if (decoder->last >= 0)
		rst_decoder_end_slot(decoder);
	decoder->last = -1;
	while (ss->bytes.last && at->n_waiting)
		decoder_give_up(decoder, &at->waiting[at->oldest]);
	rst_end_string(decoder);
	if (rst_end_text(ss, text, sizeof text, at->rec, at->n))
		model_damage_event(decoder->reader, decoder->span, decoder->rows.batch, decoder->rows.seq++,
		                   CAIRN_BEFORE, kit_offset(&ss->bytes), kit_left(&ss->bytes), "%s", text);
	ss->finished = true;
}

static int rst_decoder_fill(struct rst_decoder *decoder)
{
	for (;;) {
		if (rst_decoder_walk(decoder) == STOP_FULL)
			return 0;
		if (!decoder->ss->bytes.window.more)
			break;
		int rc = kit_fill(decoder->reader, &decoder->ss->bytes);
		if (rc < 0)
			return rc;
	}
	decoder_finish(decoder);
	return 0;
}

int rst_decode(struct cairn_reader *reader, struct model_span *span, struct cairn_batch *batch)
{
	struct rst_span *ss = span->priv;
	struct rst_state *at = ss->at;
	struct rst_worker *worker = span->worker;
	if (ss->finished)
		return 0;
	model_batch_clear(batch);
	batch->n0 = at->n;
	batch->x0 = 1;
	batch->rec0 = at->rec;
	batch->off0 = (at->rec - 1) * SIZE;
	batch->have = reader->can & reader->want;
	worker->generation += 2; /* one less means: changed */
	struct rst_decoder decoder = {.reader = reader,
	                              .im = reader->impl,
	                              .worker = worker,
	                              .span = span,
	                              .ss = ss,
	                              .at = at,
	                              .rows = {.batch = batch, .want = reader->want | CAIRN_EVENTS},
	                              .last = -1};
	kit_rows_next(&decoder.rows, false);
	int rc = rst_decoder_fill(&decoder);
	if (rc < 0)
		return rc;
	rst_end_string(&decoder);
	rst_tell_dropped(&decoder);
	if (batch->n_ctxs == 0)
		batch->ctxs[batch->n_ctxs++] = (struct cairn_ctx){0};
	model_batch_close(batch, decoder.rows.reg0, decoder.rows.mem0, decoder.rows.ev0, decoder.ctx);
	batch->insns[batch->n_insns].isa =
		CAIRN_ISA_SPARC; /* what names the registers of the last slot */
	if (!ss->finished)
		return 1;
	if (!span->scanned)
		memcpy(span->exit, at, sizeof *at);
	return !model_batch_empty(batch);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down: batches into an RST trace.
 *
 * RST means SPARC: nothing in a record says otherwise, so an instruction of another set
 * is refused. Batches that RST itself was read into (cairn_writer_from) carry the
 * beginning the specification asks for as events, which become the records they were.
 * For all others what RST wants besides is made (encoder_made.c). How many CPUs there are is
 * known at the end, and put into the third record then.
 *
 * A difference between physical and virtual addresses is a PAVADIFF where it, or the
 * context, changes. What an instruction does is in its INSTR as clause 7(a) wants it:
 * bt, tr and an, ea_va of accesses and transfers.
 */
#include "formats/rst/write/encoder.h"
#include "isa/isa.h"

#include <time.h>

enum { SIZE = CAIRN_RST_SIZE, FLUSH = 1 << 18, INFO2_AT = 2 };

/* ---- opening ---- */

static int rst_encoder_open(struct cairn_writer *writer, const char *options)
{
	struct rst_encoder *encoder = base_alloc(writer->cairn, sizeof *encoder);
	if (!encoder)
		return CAIRN_E_NOMEM;
	writer->impl = encoder;
	encoder->writer = writer;
	encoder->version = RST_NEWEST;
	encoder->created = (uint64_t)time(NULL);
	base_buf_init(&encoder->out, writer->cairn);
	base_buf_init(&encoder->notes, writer->cairn);
	int rc = rst_output_choose(writer->cairn, writer->path, options, writer->opts.codec,
	                           writer->opts.level, &encoder->packing);
	encoder->packing.lossy |= writer->opts.lossy != 0;
	if (rc >= 0 && encoder->packing.version)
		encoder->version = encoder->packing.version;
	if (rc >= 0 && encoder->version < RST_VERSION(2, 6))
		rc = base_fail(writer->cairn, CAIRN_E_UNSUPPORTED,
		               "%s: RST is written from version 2.06 on, not %u.%02u", writer->path,
		               encoder->version >> 8, encoder->version & 255);
	if (rc >= 0 && !(encoder->memo = isa_memo_new(writer->cairn)))
		rc = CAIRN_E_NOMEM;
	return rc;
}

static void rst_encoder_abort(struct cairn_writer *writer)
{
	struct rst_encoder *encoder = writer->impl;
	if (!encoder)
		return;
	rst_pack_abort(encoder->pk);
	isa_memo_free(encoder->memo);
	rst_made_free(encoder);
	base_buf_free(&encoder->out);
	base_buf_free(&encoder->notes);
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		base_free(writer->cairn, encoder->cpus[i]);
	base_free(writer->cairn, encoder);
	writer->impl = NULL;
}

static int rst_encoder_from(struct cairn_writer *writer, const struct cairn_reader *reader)
{
	struct rst_encoder *encoder = writer->impl;
	encoder->own = model_is_own(reader, &rst_writer_format);
	if (!encoder->own)
		return 0;
	const struct rst_impl *im = reader->impl;
	if (encoder->packing.version && im->version && encoder->packing.version != im->version)
		return base_fail(writer->cairn, CAIRN_E_UNSUPPORTED,
		                 "%s: another version is cairn edit's matter", writer->path);
	encoder->version = im->version ? im->version : encoder->version;
	return 0;
}

static int rst_encoder_comment(struct cairn_writer *writer, const char *text, size_t n)
{
	struct base_buf *buf = &((struct rst_encoder *)writer->impl)->notes;
	int rc = base_buf_put(buf, text, strnlen(text, n));
	return rc < 0 ? rc : base_buf_put(buf, "", 1);
}

/* ---- the beginning ---- */

static bool encoder_has_header(const struct cairn_batch *batch)
{
	for (uint32_t i = 0; i < batch->n_events; i++)
		if (batch->events[i].kind == CAIRN_EV_FORMAT &&
		    batch->events[i].code == CAIRN_RST_RSTHEADER)
			return true;
	return false;
}

static int rst_encoder_begin(struct rst_encoder *encoder, const struct cairn_batch *batch)
{
	struct cairn_writer *writer = encoder->writer;
	int rc = rst_pack_open(writer->cairn, writer->path, &encoder->packing,
	                       writer->opts.threads ? writer->opts.threads : 1,
	                       encoder->own ? RST_HOLD_NOTHING : RST_HOLD_INSERT, &encoder->pk);
	encoder->begun = true;
	if (rc < 0)
		return rc;
	if (!encoder->own)
		return rst_made_beginning(encoder, batch);
	uint8_t *p = encoder_has_header(batch) ? NULL : rst_encode_record(encoder);
	if (p)
		rst_make_header(p, encoder->version);
	return 0;
}

static int begin_cpu(struct rst_encoder *encoder, const struct rst_slot *slot)
{
	struct rst_encoder_cpu *cpu = base_alloc(encoder->writer->cairn, sizeof *cpu);
	if (!cpu)
		return CAIRN_E_NOMEM;
	encoder->cpus[slot->cpu] = cpu;
	encoder->n_cpus++;
	encoder->max_cpu = slot->cpu > encoder->max_cpu ? slot->cpu : encoder->max_cpu;
	return encoder->own ? 0 : rst_made_cpu(encoder, cpu, slot);
}

/* ---- who runs ---- */

/* What of a context has no record. */
static int rst_encoder_lose_context(struct rst_encoder *encoder, const struct cairn_ctx *ctx)
{
	const uint32_t both = CAIRN_CTX_HW_TID | CAIRN_CTX_HART;
	bool cpu = (ctx->known & both) == both && ctx->hw_tid == ctx->hart; /* its number says it */
	uint32_t gone = CAIRN_CTX_SECURITY | CAIRN_CTX_VMID | (cpu ? 0 : CAIRN_CTX_HW_TID);
	if (!memcmp(ctx, &encoder->lost_ctx, sizeof *ctx))
		return 0;
	int rc = model_lose_context(encoder->writer, &encoder->lost_ctx, ctx, ~gone, encoder->n);
	if (rc >= 0 && ctx->known & CAIRN_CTX_ASID && ctx->asid > 0xffff)
		rc = rst_encode_lost(encoder, 1, "address space ids above 65535");
	if (rc >= 0 && ctx->known & CAIRN_CTX_PRIV && ctx->priv > CAIRN_PRIV_HYPERVISOR)
		rc = rst_encode_lost(encoder, 1, "privileges that SPARC does not have");
	return rc;
}

/* PROCESS and THREAD where they change. RST's own come as events. */
static int encoder_put_ids(struct rst_encoder *encoder, struct rst_encoder_cpu *cpu,
                           const struct cairn_ctx *ctx)
{
	bool wide = ctx->known & CAIRN_CTX_CTXID;
	uint64_t tid = wide ? ctx->ctxid : ctx->tid;
	uint8_t p[SIZE];
	int rc = 0;
	if (encoder->own)
		return 0;
	if (ctx->known & CAIRN_CTX_PID && !(cpu->has_pid && cpu->pid == ctx->pid)) {
		rst_make_process(p, cpu->has_pid ? cpu->pid : 0, ctx->pid, ctx->asid & 0xffff);
		rc = rst_encode_put(encoder, p);
		cpu->pid = ctx->pid;
		cpu->has_pid = true;
	}
	if (ctx->known & (CAIRN_CTX_TID | CAIRN_CTX_CTXID) && !(cpu->has_tid && cpu->tid == tid)) {
		rst_make_thread(p, (uint16_t)ctx->asid, tid);
		rc = rc < 0 ? rc : rst_encode_put(encoder, p);
		cpu->tid = tid;
		cpu->has_tid = true;
	}
	return rc;
}

/* ---- instructions ---- */

/* What an INSTR says, gathered from the row and its accesses. */
struct said {
	const struct cairn_mem *fetch, *access;
	unsigned bits; /* enum rst_instr_bit */
	uint64_t ea;
};

/* Accesses of one instruction that its one ea_va cannot tell. */
static bool told_by_ea(const struct cairn_mem *mem, const struct said *said)
{
	return !said->access || (mem->addr == said->access->addr && mem->size == said->access->size);
}

/* What of an access of another format has no place. */
static int encoder_lose_parts(struct rst_encoder *encoder, const struct cairn_insn *in,
                              const struct cairn_mem *mem)
{
	int rc = mem->attr ? rst_encode_lost(encoder, 1, "attributes of accesses") : 0;
	if (rc >= 0 && (mem->lane || mem->reg) &&
	    !(in && isa_tells_elements((enum cairn_isa)in->isa, in->enc, in->size)))
		rc = rst_encode_lost(encoder, 1, model_lost_elements);
	if (rc >= 0 && mem->flags & CAIRN_VALUE_NOT_WRITTEN)
		rc = rst_encode_lost(encoder, 1, "accesses that did not happen");
	return rc;
}

static int look_at_mems(struct rst_encoder *encoder, const struct rst_slot *slot, struct said *out)
{
	int rc = 0;
	for (uint32_t i = slot->mem; i < slot->mem1 && rc >= 0; i++) {
		const struct cairn_mem *mem = &slot->batch->mems[i];
		if (mem->initiator != CAIRN_BY_INSN)
			continue;
		rc = encoder->own ? 0 : encoder_lose_parts(encoder, slot->insn, mem);
		if (rc < 0 || (!encoder->own && mem->flags & CAIRN_VALUE_NOT_WRITTEN))
			continue;
		if (mem->kind == CAIRN_MEM_FETCH) {
			out->fetch = out->fetch ? out->fetch : mem;
		} else if (mem->flags & CAIRN_VALUE_ADDR_UNKNOWN || mem->kind == CAIRN_MEM_UNKNOWN) {
			if (!(mem->flags & CAIRN_VALUE_KNOWN))
				rc = rst_encode_lost(encoder, 1, "accesses at unknown virtual addresses");
		} else if (told_by_ea(mem, out)) {
			out->access = out->access ? out->access : mem;
		} else if (!(mem->flags & CAIRN_VALUE_KNOWN)) {
			rc = rst_encode_lost(encoder, 1, "further accesses of an instruction");
		}
	}
	return rc;
}

/* Did a trap stop the instruction, or is it the first of a handler? */
static bool is_tr(const struct rst_slot *slot)
{
	const struct cairn_batch *batch = slot->batch;
	if (slot->insn->flags & CAIRN_INSN_ABORTED)
		return true;
	for (uint32_t i = slot->ev; i < slot->ev1; i++) {
		const struct cairn_event *event = &batch->events[i];
		bool trap = event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT ||
		            event->kind == CAIRN_EV_SYSCALL;
		/* A synchronous trap that did not stop it came without tr; a trap instruction's
		 * own does not stop it. */
		if (trap &&
		    (event->phase != CAIRN_ON || event->kind != CAIRN_EV_EXCEPTION || event->code >= 0x100))
			return true;
	}
	return false;
}

static void say_transfer(const struct rst_slot *slot, const struct cairn_op *op, struct said *out)
{
	const struct cairn_insn *row = slot->insn;
	if (row->flags & CAIRN_INSN_TAKEN) {
		out->bits |= RST_I_BT;
		out->ea = row->target;
		out->bits |= row->flags & CAIRN_INSN_TARGET ? (unsigned)RST_I_EA_VALID : 0u;
	} else if (row->flags & CAIRN_INSN_NOT_TAKEN || isa_sparc_flow(op->enc) == ISA_SPARC_NEVER) {
		out->ea = row->pc + 8;
		out->bits |= RST_I_EA_VALID;
	} else if (op->traits & CAIRN_TRAIT_XRET) {
		out->bits |= RST_I_BT; /* where to is known when its CPU's next one comes */
	}
	/* Not said at all: what the encoding does not leave open. */
	enum isa_sparc_flow flow = isa_sparc_flow(op->enc);
	if (slot->own || !isa_sparc_is_dcti(flow) || out->bits & RST_I_EA_VALID)
		return;
	out->bits |= RST_I_EA_VALID | (flow > ISA_SPARC_COND ? (unsigned)RST_I_BT : 0u);
	out->ea = out->bits & RST_I_BT && flow < ISA_SPARC_JMPL
	              ? row->pc + (uint64_t)isa_sparc_offset(op->enc)
	              : RST_NO_EA;
}

/* It was stopped by a trap (clause 7(a)): bt is 1, and so is ea_valid, but for a miss in a
 * DTLB. */
static void say_stopped(const struct rst_slot *slot, const struct cairn_op *op, struct said *out)
{
	bool memory = op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_PREFETCH);
	out->bits |= RST_I_BT;
	if (slot->own) {
		out->bits |= memory ? 0u : (unsigned)RST_I_EA_VALID;
	} else if (slot->misses) {
		out->bits &= ~(unsigned)RST_I_EA_VALID;
	} else {
		out->ea = memory && !out->access ? RST_NO_EA : out->ea;
		out->bits |= RST_I_EA_VALID;
	}
}

static void say_what_ran(const struct rst_slot *slot, const struct cairn_op *op, struct said *out)
{
	const struct cairn_insn *row = slot->insn;
	bool trapped = slot->trapped && is_tr(slot);
	if (trapped)
		out->bits |= RST_I_TR;
	if (row->flags & CAIRN_INSN_ANNULLED) {
		out->bits |= RST_I_AN;
		return;
	}
	if (out->access) {
		out->ea = out->access->addr;
		out->bits |= RST_I_EA_VALID;
	}
	if (row->flags & CAIRN_INSN_ABORTED) {
		say_stopped(slot, op, out);
	} else if (op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET)) {
		say_transfer(slot, op, out);
	} else if (isa_sparc_flow(op->enc) == ISA_SPARC_TCC) {
		/* Taken when it has its own trap. */
		out->bits |= RST_I_EA_VALID | (trapped ? (unsigned)RST_I_BT : 0u);
		out->ea = row->pc + 8;
	}
}

/* A PAVADIFF where the difference or the context is not what was told, or one was there. */
static int put_difference(struct rst_encoder *encoder, struct rst_slot *slot,
                          const struct cairn_ctx *x, const struct said *said)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	const struct cairn_mem *mem = said->fetch, *a = said->access;
	bool knows_pc = mem && mem->flags & CAIRN_VALUE_PA;
	bool knows_ea = a && a->flags & CAIRN_VALUE_PA && said->bits & RST_I_EA_VALID;
	uint64_t pc_diff = knows_pc ? mem->pa - slot->insn->pc : cpu->flow.pc_diff;
	uint64_t ea_diff = knows_ea ? a->pa - a->addr : cpu->flow.ea_diff;
	bool has_asid = x->known & CAIRN_CTX_ASID || !encoder->own;
	uint16_t asid = rst_made_asid(cpu, x);
	bool ctx = has_asid && (!cpu->has_diff || cpu->asid != asid);
	bool ea = knows_ea && !(cpu->has_ea_diff && cpu->flow.ea_diff == ea_diff);
	if (!knows_pc && !cpu->has_diff && encoder->own) /* no difference is known at all */
		return ea ? rst_encode_lost(encoder, 1,
		                            "physical addresses of data where that of the PC is not known")
		          : 0;
	if (!knows_pc && !ctx && !ea && !cpu->owes_diff && (cpu->has_diff || encoder->own))
		return 0;
	int rc = cpu->has_diff || knows_pc ? 0 : rst_made_diff(encoder);
	uint8_t p[SIZE];
	cpu->owes_diff = false;
	cpu->asid = has_asid ? asid : cpu->asid;
	/* The d context changes with ea_valid only (clause 3(c)); it is taken to be the other's. */
	if (knows_ea || !cpu->has_diff)
		cpu->dctx = cpu->asid;
	rst_make_pavadiff(p, slot->cpu, cpu->asid, pc_diff, knows_ea, cpu->dctx, ea_diff);
	rst_note(&cpu->flow, p);
	cpu->has_diff = true;
	cpu->has_ea_diff |= knows_ea;
	return rc < 0 ? rc : rst_encode_put(encoder, p);
}

/* Why an instruction cannot be one of RST's; NULL when it can. */
static const char *rst_encoder_unfit(const struct cairn_insn *row, uint32_t have)
{
	if (row->flags & CAIRN_INSN_DISCARDED)
		return "instructions whose transaction was thrown away";
	if (row->flags & CAIRN_INSN_ENC_UNKNOWN || !(have & CAIRN_ENC))
		return "instructions without an encoding";
	if (row->flags & CAIRN_INSN_ENC_BYTES || row->size != 4)
		return "instructions of other than 4 bytes";
	return NULL;
}

static int put_instr(struct rst_encoder *encoder, struct rst_slot *slot,
                     const struct cairn_ctx *ctx, struct said *said)
{
	const struct cairn_insn *row = slot->insn;
	uint64_t pc = row->pc;
	uint8_t *p = rst_encode_record(encoder);
	if (!p)
		return CAIRN_E_NOMEM;
	if (row->flags & CAIRN_INSN_PC_UNKNOWN && !rst_bad_address(pc))
		pc = RST_NO_PC;
	if (ctx->known & CAIRN_CTX_PRIV && ctx->priv == CAIRN_PRIV_SUPERVISOR)
		said->bits |= RST_I_PR;
	else if (ctx->known & CAIRN_CTX_PRIV && ctx->priv != CAIRN_PRIV_USER)
		said->bits |= rst_is_wide(encoder->version) ? (unsigned)RST_I_HPRIV : (unsigned)RST_I_PR;
	rst_make_instr(p, slot->cpu, said->bits, row->enc, pc,
	               said->bits & RST_I_EA_VALID ? said->ea : 0);
	rst_step(&slot->encoder_cpu->flow, p);
	if (!encoder->own)
		rst_made_note(encoder, slot, p);
	return 0;
}

static bool leaves(const struct rst_slot *slot)
{
	enum isa_sparc_flow f = isa_sparc_flow(slot->insn->enc);
	return (f == ISA_SPARC_DONE || f == ISA_SPARC_RETRY) &&
	       !(slot->insn->flags & CAIRN_INSN_NOT_EXECUTED);
}

/* The records of an instruction, in their order. */
static int encoder_put_slot(struct rst_encoder *encoder, struct rst_slot *slot,
                            const struct cairn_ctx *ctx, const struct cairn_op *op)
{
	struct said said = {0};
	bool rows = slot->reg < slot->reg1 || slot->ev < slot->ev1 || slot->mem < slot->mem1;
	int rc = encoder_put_ids(encoder, slot->encoder_cpu, ctx);
	if (rc >= 0 && rows)
		rc = look_at_mems(encoder, slot, &said);
	slot->knows_diff = said.fetch && said.fetch->flags & CAIRN_VALUE_PA;
	slot->pc_diff = slot->knows_diff ? said.fetch->pa - slot->insn->pc : 0;
	slot->access = said.access;
	if (rc >= 0 && rows)
		rc = rst_encode_before(encoder, slot);
	say_what_ran(slot, op, &said);
	if (rc >= 0 && !encoder->own)
		rc = rst_made_address(encoder, slot, &said.bits, &said.ea);
	if (rc >= 0 && leaves(slot) && !encoder->own)
		rc = rst_made_leaving(encoder, slot);
	if (rc >= 0)
		rc = put_difference(encoder, slot, ctx, &said);
	if (rc >= 0)
		rc = put_instr(encoder, slot, ctx, &said);
	if (rc >= 0 && leaves(slot) && slot->encoder_cpu->tl)
		slot->encoder_cpu->tl--;
	return rc < 0 || !rows ? rc : rst_encode_after(encoder, slot);
}

/* An instruction that cannot be one, and what belongs to it. */
static int rst_encoder_leave_out(struct rst_encoder *encoder, const struct rst_slot *slot,
                                 const char *why)
{
	int rc = rst_encode_lost(encoder, 1, why);
	if (rc >= 0)
		rc = rst_encode_lost(encoder, (uint64_t)(slot->reg1 - slot->reg) + (slot->mem1 - slot->mem),
		                     model_lost_rows);
	for (uint32_t i = slot->ev; i < slot->ev1 && rc >= 0; i++)
		rc = rst_encode_lost(encoder, 1, model_lost_event(slot->batch->events[i].kind));
	return rc;
}

/* The rows of an instruction, or of none. */
static struct rst_slot encoder_slot_of(const struct rst_encoder *encoder,
                                       const struct cairn_batch *batch, uint32_t index)
{
	static const struct cairn_ctx nobody;
	const struct cairn_insn *row = &batch->insns[index];
	const struct cairn_ctx *ctx = row->ctx < batch->n_ctxs ? &batch->ctxs[row->ctx] : &nobody;
	return (struct rst_slot){.batch = batch,
	                         .reg = row->reg0,
	                         .reg1 = row[1].reg0,
	                         .mem = row->mem0,
	                         .mem1 = row[1].mem0,
	                         .ev = row->ev0,
	                         .ev1 = row[1].ev0,
	                         .ctx = ctx,
	                         .cpu = ctx->known & CAIRN_CTX_HART ? ctx->hart : 0,
	                         .own = encoder->own};
}

static int rst_encoder_put_insn(struct rst_encoder *encoder, const struct cairn_batch *batch,
                                uint32_t index)
{
	const struct cairn_insn *row = &batch->insns[index];
	struct rst_slot slot = encoder_slot_of(encoder, batch, index);
	const struct cairn_ctx *ctx = slot.ctx;
	slot.insn = row;
	encoder->n = batch->n0 + index;
	if (row->isa != CAIRN_ISA_SPARC)
		return model_refuse_set(encoder->writer, row, encoder->n, "SPARC instructions");
	const char *why = rst_encoder_unfit(row, batch->have);
	if (!why && slot.cpu >= (rst_is_wide(encoder->version) ? RST_MAX_CPUS : 64u))
		why = "instructions of CPUs whose number RST cannot hold";
	if (why)
		return rst_encoder_leave_out(encoder, &slot, why);
	const struct cairn_op *op = isa_memo_get(encoder->memo, CAIRN_ISA_SPARC, row->enc, 4);
	int rc = encoder->cpus[slot.cpu] ? 0 : begin_cpu(encoder, &slot);
	if (rc < 0)
		return rc;
	slot.encoder_cpu = encoder->cpus[slot.cpu];
	rc = encoder->own ? 0 : rst_made_between(encoder, &slot);
	if (rc >= 0 && !encoder->own && ctx->known & CAIRN_CTX_PRIV && ctx->priv == CAIRN_PRIV_USER &&
	    slot.encoder_cpu->tl)
		rc = rst_made_return(encoder, &slot);
	if (rc < 0)
		return rc;
	rc = rst_encoder_lose_context(encoder, ctx);
	if (rc >= 0 && !encoder->own && isa_sparc_flow(row->enc) == ISA_SPARC_COND &&
	    !(row->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN | CAIRN_INSN_NOT_EXECUTED)))
		rc = rst_encode_lost(encoder, 1, model_lost_outcome);
	return rc < 0 ? rc : encoder_put_slot(encoder, &slot, ctx, op);
}

/* ---- batches ---- */

/* What is ready; what waits for the next instruction of its CPU stays, if that is not far. */
static int rst_encoder_flush(struct rst_encoder *encoder, bool all)
{
	size_t n = rst_made_ready(encoder, all || encoder->out.len > 8 * FLUSH);
	int rc = rst_pack_put(encoder->pk, encoder->out.data, n / SIZE);
	memmove(encoder->out.data, encoder->out.data + n, encoder->out.len - n);
	encoder->out.len -= n;
	return rc;
}

/* Rows of no instruction: before the next one's. */
static int encoder_put_rest(struct rst_encoder *encoder, const struct cairn_batch *batch)
{
	struct rst_slot slot = encoder_slot_of(encoder, batch, batch->n_insns);
	slot.cpu = slot.cpu < RST_MAX_CPUS ? slot.cpu : 0;
	encoder->n = batch->n0 + batch->n_insns;
	if (slot.reg == slot.reg1 && slot.mem == slot.mem1 && slot.ev == slot.ev1)
		return 0;
	int rc = encoder->cpus[slot.cpu] ? 0 : begin_cpu(encoder, &slot);
	slot.encoder_cpu = encoder->cpus[slot.cpu];
	if (rc >= 0 && !encoder->own)
		rc = rst_made_between(encoder, &slot);
	return rc < 0 ? rc : rst_encode_before(encoder, &slot);
}

static int rst_encoder_put(struct cairn_writer *writer, const struct cairn_batch *batch)
{
	struct rst_encoder *encoder = writer->impl;
	int rc = 0;
	if (!encoder->begun && !batch->n_insns && !batch->n_xacts && !batch->n_regs && !batch->n_mems &&
	    !batch->n_events)
		return 0;
	if (batch->n_insns && !encoder->looked &&
	    batch->insns[0].isa != CAIRN_ISA_SPARC) /* before there are any */
		return model_refuse_set(writer, &batch->insns[0], batch->n0, "SPARC instructions");
	encoder->looked |= batch->n_insns != 0;
	if (!encoder->begun)
		rc = rst_encoder_begin(encoder, batch);
	for (uint32_t i = 0; i < batch->n_insns && rc >= 0; i++) {
		rc = rst_encoder_put_insn(encoder, batch, i);
		encoder->told_comments = false;
		if (rc >= 0 && encoder->out.len >= FLUSH)
			rc = rst_encoder_flush(encoder, false);
	}
	if (rc >= 0)
		rc = encoder_put_rest(encoder, batch);
	if (rc >= 0 && batch->n_xacts)
		rc = model_lost(writer, batch->n_xacts, batch->x0, "transactions");
	return rc;
}

static int rst_encoder_finish(struct cairn_writer *writer)
{
	struct rst_encoder *encoder = writer->impl;
	static const struct cairn_batch nothing;
	int rc = encoder->begun ? 0 : rst_encoder_begin(encoder, &nothing);
	if (rc >= 0)
		rc = rst_encoder_flush(encoder, true);
	if (rc >= 0 && !encoder->own) {
		uint8_t p[SIZE];
		rst_make_info2(p, encoder->max_cpu, encoder->n_cpus ? encoder->n_cpus : 1, encoder->created,
		               encoder->created);
		rc = rst_pack_again(encoder->pk, INFO2_AT, p);
	}
	if (rc < 0)
		return rc;
	rc = rst_pack_finish(encoder->pk, writer->ledger);
	encoder->pk = NULL;
	return rc;
}

static const char *const suffixes[] = {".rst", ".rz3", NULL};

const struct model_writer_format rst_writer_format = {
	.options = &rst_writing_options,
	.name = "RST",
	.marks = MODEL_MARKS_BEFORE,
	.suffixes = suffixes,
	.sets = 1u << CAIRN_ISA_SPARC,
	.open = rst_encoder_open,
	.from = rst_encoder_from,
	.comment = rst_encoder_comment,
	.put = rst_encoder_put,
	.finish = rst_encoder_finish,
	.abort = rst_encoder_abort,
};

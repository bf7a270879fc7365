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
#include "formats/rst/encoder.h"
#include "isa/isa.h"

enum { SIZE = CAIRN_RST_SIZE, FLUSH = 1 << 18, INFO2_AT = 2 };

/* ---- opening ---- */

static int rst_encoder_open(struct cairn_writer *w, const char *options)
{
	struct rst_encoder *d = base_alloc(w->c, sizeof *d);
	if (!d)
		return CAIRN_E_NOMEM;
	w->impl = d;
	d->w = w;
	d->version = RST_NEWEST;
	d->created = (uint64_t)time(NULL);
	base_buf_init(&d->out, w->c);
	base_buf_init(&d->notes, w->c);
	int rc = rst_output_choose(w->c, w->path, options, w->opts.codec, w->opts.level, &d->packing);
	d->packing.lossy |= w->opts.lossy != 0;
	if (rc >= 0 && d->packing.version)
		d->version = d->packing.version;
	if (rc >= 0 && d->version < RST_VERSION(2, 6))
		rc = base_fail(w->c, CAIRN_E_UNSUPPORTED,
		               "%s: RST is written from version 2.06 on, not "
		               "%u.%02u",
		               w->path, d->version >> 8, d->version & 255);
	if (rc >= 0 && !(d->memo = isa_memo_new(w->c)))
		rc = CAIRN_E_NOMEM;
	return rc;
}

static void rst_encoder_abort(struct cairn_writer *w)
{
	struct rst_encoder *d = w->impl;
	if (!d)
		return;
	rst_pack_abort(d->pk);
	isa_memo_free(d->memo);
	rst_made_free(d);
	base_buf_free(&d->out);
	base_buf_free(&d->notes);
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		base_free(w->c, d->cpus[i]);
	base_free(w->c, d);
	w->impl = NULL;
}

static int rst_encoder_from(struct cairn_writer *w, const struct cairn_reader *r)
{
	struct rst_encoder *d = w->impl;
	d->own = r->format == &rst_format;
	if (!d->own)
		return 0;
	const struct rst_impl *im = r->impl;
	if (d->packing.version && im->version && d->packing.version != im->version)
		return base_fail(w->c, CAIRN_E_UNSUPPORTED, "%s: another version is cairn edit's matter",
		                 w->path);
	d->version = im->version ? im->version : d->version;
	return 0;
}

static int rst_encoder_comment(struct cairn_writer *w, const char *text, size_t n)
{
	struct base_buf *b = &((struct rst_encoder *)w->impl)->notes;
	int rc = base_buf_put(b, text, strnlen(text, n));
	return rc < 0 ? rc : base_buf_put(b, "", 1);
}

/* ---- the beginning ---- */

static bool encoder_has_header(const struct cairn_batch *b)
{
	for (uint32_t i = 0; i < b->n_events; i++)
		if (b->events[i].kind == CAIRN_EV_FORMAT && b->events[i].code == CAIRN_RST_RSTHEADER)
			return true;
	return false;
}

static int rst_encoder_begin(struct rst_encoder *d, const struct cairn_batch *b)
{
	struct cairn_writer *w = d->w;
	int rc = rst_pack_open(w->c, w->path, &d->packing, w->opts.threads ? w->opts.threads : 1,
	                       d->own ? RST_HOLD_NOTHING : RST_HOLD_INSERT, &d->pk);
	d->begun = true;
	if (rc < 0)
		return rc;
	if (!d->own)
		return rst_made_beginning(d, b);
	uint8_t *p = encoder_has_header(b) ? NULL : rst_encode_record(d);
	if (p)
		rst_make_header(p, d->version);
	return 0;
}

static int begin_cpu(struct rst_encoder *d, const struct rst_slot *s)
{
	struct rst_encoder_cpu *c = base_alloc(d->w->c, sizeof *c);
	if (!c)
		return CAIRN_E_NOMEM;
	d->cpus[s->cpu] = c;
	d->n_cpus++;
	d->max_cpu = s->cpu > d->max_cpu ? s->cpu : d->max_cpu;
	return d->own ? 0 : rst_made_cpu(d, c, s);
}

/* ---- who runs ---- */

/* What of a context has no record; counted where it changes. */
static int rst_encoder_lose_context(struct rst_encoder *d, const struct cairn_ctx *x)
{
	static const struct {
		uint32_t bit;
		const char *what;
	} rows[] = {{CAIRN_CTX_SECURITY, "security states"},
	            {CAIRN_CTX_VMID, "virtual machine ids"},
	            {CAIRN_CTX_HW_TID, "hardware thread ids"}};
	if (!memcmp(x, &d->lost_ctx, sizeof *x))
		return 0;
	d->lost_ctx = *x;
	int rc = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows && rc >= 0; i++)
		if (x->known & rows[i].bit &&
		    !(rows[i].bit == CAIRN_CTX_HW_TID && x->known & CAIRN_CTX_HART &&
		      x->hw_tid == x->hart)) /* the CPU's number says it */
			rc = rst_encode_lost(d, 1, rows[i].what);
	if (rc >= 0 && x->known & CAIRN_CTX_ASID && x->asid > 0xffff)
		rc = rst_encode_lost(d, 1, "address space ids above 65535");
	if (rc >= 0 && x->known & CAIRN_CTX_PRIV && x->priv > CAIRN_PRIV_HYPERVISOR)
		rc = rst_encode_lost(d, 1, "privileges that SPARC does not have");
	return rc;
}

/* PROCESS and THREAD where they change. RST's own come as events. */
static int encoder_put_ids(struct rst_encoder *d, struct rst_encoder_cpu *c,
                           const struct cairn_ctx *x)
{
	bool wide = x->known & CAIRN_CTX_CTXID;
	uint64_t tid = wide ? x->ctxid : x->tid;
	uint8_t *p;
	if (d->own)
		return 0;
	if (x->known & CAIRN_CTX_PID && !(c->has_pid && c->pid == x->pid)) {
		if (!(p = rst_encode_record(d)))
			return CAIRN_E_NOMEM;
		rst_make_process(p, c->has_pid ? c->pid : 0, x->pid, x->asid & 0xffff);
		c->pid = x->pid;
		c->has_pid = true;
	}
	if (x->known & (CAIRN_CTX_TID | CAIRN_CTX_CTXID) && !(c->has_tid && c->tid == tid)) {
		if (!(p = rst_encode_record(d)))
			return CAIRN_E_NOMEM;
		rst_make_thread(p, (uint16_t)x->asid, tid);
		c->tid = tid;
		c->has_tid = true;
	}
	return 0;
}

/* ---- instructions ---- */

/* What an INSTR says, gathered from the row and its accesses. */
struct said {
	const struct cairn_mem *fetch, *access;
	unsigned bits; /* enum rst_instr_bit */
	uint64_t ea;
};

/* Accesses of one instruction that its one ea_va cannot tell. */
static bool told_by_ea(const struct cairn_mem *m, const struct said *s)
{
	return !s->access || (m->addr == s->access->addr && m->size == s->access->size);
}

/* What of an access of another format has no place. */
static int encoder_lose_parts(struct rst_encoder *d, const struct cairn_insn *in,
                              const struct cairn_mem *m)
{
	int rc = m->attr ? rst_encode_lost(d, 1, "attributes of accesses") : 0;
	if (rc >= 0 && (m->lane || m->reg) &&
	    !(in && isa_tells_elements((enum cairn_isa)in->isa, in->enc, in->size)))
		rc = rst_encode_lost(d, 1, model_lost_elements);
	if (rc >= 0 && m->flags & CAIRN_VALUE_NOT_WRITTEN)
		rc = rst_encode_lost(d, 1, "accesses that did not happen");
	return rc;
}

static int look_at_mems(struct rst_encoder *d, const struct rst_slot *s, struct said *out)
{
	int rc = 0;
	for (uint32_t i = s->mem; i < s->mem1 && rc >= 0; i++) {
		const struct cairn_mem *m = &s->b->mems[i];
		if (m->initiator != CAIRN_BY_INSN)
			continue;
		rc = d->own ? 0 : encoder_lose_parts(d, s->insn, m);
		if (rc < 0 || (!d->own && m->flags & CAIRN_VALUE_NOT_WRITTEN))
			continue;
		if (m->kind == CAIRN_MEM_FETCH) {
			out->fetch = out->fetch ? out->fetch : m;
		} else if (m->flags & CAIRN_VALUE_ADDR_UNKNOWN || m->kind == CAIRN_MEM_UNKNOWN) {
			if (!(m->flags & CAIRN_VALUE_KNOWN))
				rc = rst_encode_lost(d, 1, "accesses at unknown virtual addresses");
		} else if (told_by_ea(m, out)) {
			out->access = out->access ? out->access : m;
		} else if (!(m->flags & CAIRN_VALUE_KNOWN)) {
			rc = rst_encode_lost(d, 1, "further accesses of an instruction");
		}
	}
	return rc;
}

/* Did a trap stop the instruction, or is it the first of a handler? */
static bool is_tr(const struct rst_slot *s)
{
	const struct cairn_batch *b = s->b;
	if (s->insn->flags & CAIRN_INSN_ABORTED)
		return true;
	for (uint32_t i = s->ev; i < s->ev1; i++) {
		const struct cairn_event *e = &b->events[i];
		bool trap = e->kind == CAIRN_EV_EXCEPTION || e->kind == CAIRN_EV_INTERRUPT ||
		            e->kind == CAIRN_EV_SYSCALL;
		/* A synchronous trap that did not stop it came without tr; a trap instruction's
		 * own does not stop it. */
		if (trap && (e->phase != CAIRN_ON || e->kind != CAIRN_EV_EXCEPTION || e->code >= 0x100))
			return true;
	}
	return false;
}

static void say_transfer(const struct rst_slot *s, const struct cairn_op *op, struct said *out)
{
	const struct cairn_insn *row = s->insn;
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
	if (s->own || !isa_sparc_is_dcti(flow) || out->bits & RST_I_EA_VALID)
		return;
	out->bits |= RST_I_EA_VALID | (flow > ISA_SPARC_COND ? (unsigned)RST_I_BT : 0u);
	out->ea = out->bits & RST_I_BT && flow < ISA_SPARC_JMPL
	              ? row->pc + (uint64_t)isa_sparc_offset(op->enc)
	              : RST_NO_EA;
}

/* It was stopped by a trap (clause 7(a)): bt is 1, and so is ea_valid, but for a miss in a
 * DTLB. */
static void say_stopped(const struct rst_slot *s, const struct cairn_op *op, struct said *out)
{
	bool memory = op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE | CAIRN_TRAIT_PREFETCH);
	out->bits |= RST_I_BT;
	if (s->own) {
		out->bits |= memory ? 0u : (unsigned)RST_I_EA_VALID;
	} else if (s->misses) {
		out->bits &= ~(unsigned)RST_I_EA_VALID;
	} else {
		out->ea = memory && !out->access ? RST_NO_EA : out->ea;
		out->bits |= RST_I_EA_VALID;
	}
}

static void say_what_ran(const struct rst_slot *s, const struct cairn_op *op, struct said *out)
{
	const struct cairn_insn *row = s->insn;
	bool trapped = s->trapped && is_tr(s);
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
		say_stopped(s, op, out);
	} else if (op->traits & (CAIRN_TRAIT_BRANCH | CAIRN_TRAIT_XRET)) {
		say_transfer(s, op, out);
	} else if (isa_sparc_flow(op->enc) == ISA_SPARC_TCC) {
		/* Taken when it has its own trap. */
		out->bits |= RST_I_EA_VALID | (trapped ? (unsigned)RST_I_BT : 0u);
		out->ea = row->pc + 8;
	}
}

/* A PAVADIFF where the difference or the context is not what was told, or one was there. */
static int put_difference(struct rst_encoder *d, struct rst_slot *s, const struct cairn_ctx *x,
                          const struct said *said)
{
	struct rst_encoder_cpu *c = s->c;
	const struct cairn_mem *f = said->fetch, *a = said->access;
	bool knows_pc = f && f->flags & CAIRN_VALUE_PA;
	bool knows_ea = a && a->flags & CAIRN_VALUE_PA && said->bits & RST_I_EA_VALID;
	uint64_t pc_diff = knows_pc ? f->pa - s->insn->pc : c->flow.pc_diff;
	uint64_t ea_diff = knows_ea ? a->pa - a->addr : c->flow.ea_diff;
	bool has_asid = x->known & CAIRN_CTX_ASID || !d->own;
	uint16_t asid = rst_made_asid(c, x);
	bool ctx = has_asid && (!c->has_diff || c->asid != asid);
	bool ea = knows_ea && !(c->has_ea_diff && c->flow.ea_diff == ea_diff);
	if (!knows_pc && !c->has_diff && d->own) /* no difference is known at all */
		return ea ? rst_encode_lost(d, 1,
		                            "physical addresses of data where that of the PC is not "
		                            "known")
		          : 0;
	if (!knows_pc && !ctx && !ea && !c->owes_diff && (c->has_diff || d->own))
		return 0;
	int rc = c->has_diff || knows_pc ? 0 : rst_made_diff(d);
	uint8_t *p = rc < 0 ? NULL : rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	c->owes_diff = false;
	c->asid = has_asid ? asid : c->asid;
	/* The d context changes with ea_valid only (clause 3(c)); it is taken to be the other's. */
	if (knows_ea || !c->has_diff)
		c->dctx = c->asid;
	rst_make_pavadiff(p, s->cpu, c->asid, pc_diff, knows_ea, c->dctx, ea_diff);
	rst_note(&c->flow, p);
	c->has_diff = true;
	c->has_ea_diff |= knows_ea;
	return 0;
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

static int put_instr(struct rst_encoder *d, struct rst_slot *s, const struct cairn_ctx *x,
                     struct said *said)
{
	const struct cairn_insn *row = s->insn;
	uint64_t pc = row->pc;
	uint8_t *p = rst_encode_record(d);
	if (!p)
		return CAIRN_E_NOMEM;
	if (row->flags & CAIRN_INSN_PC_UNKNOWN && !rst_bad_address(pc))
		pc = RST_NO_PC;
	if (x->known & CAIRN_CTX_PRIV && x->priv == CAIRN_PRIV_SUPERVISOR)
		said->bits |= RST_I_PR;
	else if (x->known & CAIRN_CTX_PRIV && x->priv != CAIRN_PRIV_USER)
		said->bits |= rst_is_wide(d->version) ? (unsigned)RST_I_HPRIV : (unsigned)RST_I_PR;
	rst_make_instr(p, s->cpu, said->bits, row->enc, pc, said->bits & RST_I_EA_VALID ? said->ea : 0);
	rst_step(&s->c->flow, p);
	if (!d->own)
		rst_made_note(d, s, p);
	return 0;
}

static bool leaves(const struct rst_slot *s)
{
	enum isa_sparc_flow f = isa_sparc_flow(s->insn->enc);
	return (f == ISA_SPARC_DONE || f == ISA_SPARC_RETRY) &&
	       !(s->insn->flags & CAIRN_INSN_NOT_EXECUTED);
}

/* The records of an instruction, in their order. */
static int encoder_put_slot(struct rst_encoder *d, struct rst_slot *s, const struct cairn_ctx *x,
                            const struct cairn_op *op)
{
	struct said said = {0};
	bool rows = s->reg < s->reg1 || s->ev < s->ev1 || s->mem < s->mem1;
	int rc = encoder_put_ids(d, s->c, x);
	if (rc >= 0 && rows)
		rc = look_at_mems(d, s, &said);
	s->knows_diff = said.fetch && said.fetch->flags & CAIRN_VALUE_PA;
	s->pc_diff = s->knows_diff ? said.fetch->pa - s->insn->pc : 0;
	s->access = said.access;
	if (rc >= 0 && rows)
		rc = rst_encode_before(d, s);
	say_what_ran(s, op, &said);
	if (rc >= 0 && !d->own)
		rc = rst_made_address(d, s, &said.bits, &said.ea);
	if (rc >= 0 && leaves(s) && !d->own)
		rc = rst_made_leaving(d, s);
	if (rc >= 0)
		rc = put_difference(d, s, x, &said);
	if (rc >= 0)
		rc = put_instr(d, s, x, &said);
	if (rc >= 0 && leaves(s) && s->c->tl)
		s->c->tl--;
	return rc < 0 || !rows ? rc : rst_encode_after(d, s);
}

/* An instruction that cannot be one, and what belongs to it. */
static int rst_encoder_leave_out(struct rst_encoder *d, const struct rst_slot *s, const char *why)
{
	int rc = rst_encode_lost(d, 1, why);
	if (rc >= 0)
		rc = rst_encode_lost(d, (uint64_t)(s->reg1 - s->reg) + (s->mem1 - s->mem), model_lost_rows);
	for (uint32_t i = s->ev; i < s->ev1 && rc >= 0; i++)
		rc = rst_encode_lost(d, 1, model_lost_event(s->b->events[i].kind));
	return rc;
}

static int rst_encoder_put_insn(struct rst_encoder *d, const struct cairn_batch *b, uint32_t i)
{
	const struct cairn_insn *row = &b->insns[i];
	static const struct cairn_ctx nobody;
	const struct cairn_ctx *x = row->ctx < b->n_ctxs ? &b->ctxs[row->ctx] : &nobody;
	struct rst_slot s = {.b = b,
	                     .reg = row->reg0,
	                     .reg1 = row[1].reg0,
	                     .mem = row->mem0,
	                     .mem1 = row[1].mem0,
	                     .ev = row->ev0,
	                     .ev1 = row[1].ev0,
	                     .insn = row,
	                     .x = x,
	                     .cpu = x->known & CAIRN_CTX_HART ? x->hart : 0,
	                     .own = d->own};
	d->n = b->n0 + i;
	if (row->isa != CAIRN_ISA_SPARC)
		return model_refuse_set(d->w, row, d->n, "SPARC instructions");
	const char *why = rst_encoder_unfit(row, b->have);
	if (!why && s.cpu >= (rst_is_wide(d->version) ? RST_MAX_CPUS : 64u))
		why = "instructions of CPUs whose number RST cannot hold";
	if (why)
		return rst_encoder_leave_out(d, &s, why);
	const struct cairn_op *op = isa_memo_get(d->memo, CAIRN_ISA_SPARC, row->enc, 4);
	int rc = d->cpus[s.cpu] ? 0 : begin_cpu(d, &s);
	if (rc < 0)
		return rc;
	s.c = d->cpus[s.cpu];
	rc = d->own ? 0 : rst_made_between(d, &s);
	if (rc >= 0 && !d->own && x->known & CAIRN_CTX_PRIV && x->priv == CAIRN_PRIV_USER && s.c->tl)
		rc = rst_made_return(d, &s);
	if (rc < 0)
		return rc;
	rc = rst_encoder_lose_context(d, x);
	if (rc >= 0 && !d->own && isa_sparc_flow(row->enc) == ISA_SPARC_COND &&
	    !(row->flags & (CAIRN_INSN_TAKEN | CAIRN_INSN_NOT_TAKEN | CAIRN_INSN_NOT_EXECUTED)))
		rc = rst_encode_lost(d, 1, model_lost_outcome);
	return rc < 0 ? rc : encoder_put_slot(d, &s, x, op);
}

/* ---- batches ---- */

/* What is ready; what waits for the next instruction of its CPU stays, if that is not far. */
static int rst_encoder_flush(struct rst_encoder *d, bool all)
{
	size_t n = rst_made_ready(d, all || d->out.len > 8 * FLUSH);
	int rc = rst_pack_put(d->pk, d->out.data, n / SIZE);
	memmove(d->out.data, d->out.data + n, d->out.len - n);
	d->out.len -= n;
	return rc;
}

/* Rows of no instruction: before the next one's. */
static int encoder_put_rest(struct rst_encoder *d, const struct cairn_batch *b)
{
	const struct cairn_insn *row = &b->insns[b->n_insns];
	static const struct cairn_ctx nobody;
	const struct cairn_ctx *x = row->ctx < b->n_ctxs ? &b->ctxs[row->ctx] : &nobody;
	struct rst_slot s = {.b = b,
	                     .reg = row->reg0,
	                     .reg1 = row[1].reg0,
	                     .mem = row->mem0,
	                     .mem1 = row[1].mem0,
	                     .ev = row->ev0,
	                     .ev1 = row[1].ev0,
	                     .x = x,
	                     .own = d->own,
	                     .cpu = x->known & CAIRN_CTX_HART && x->hart < RST_MAX_CPUS ? x->hart : 0};
	d->n = b->n0 + b->n_insns;
	if (s.reg == s.reg1 && s.mem == s.mem1 && s.ev == s.ev1)
		return 0;
	int rc = d->cpus[s.cpu] ? 0 : begin_cpu(d, &s);
	s.c = d->cpus[s.cpu];
	if (rc >= 0 && !d->own)
		rc = rst_made_between(d, &s);
	return rc < 0 ? rc : rst_encode_before(d, &s);
}

static int rst_encoder_put(struct cairn_writer *w, const struct cairn_batch *b)
{
	struct rst_encoder *d = w->impl;
	int rc = 0;
	if (!d->begun && !b->n_insns && !b->n_xacts && !b->n_regs && !b->n_mems && !b->n_events)
		return 0;
	if (b->n_insns && !d->looked && b->insns[0].isa != CAIRN_ISA_SPARC) /* before there are any */
		return model_refuse_set(w, &b->insns[0], b->n0, "SPARC instructions");
	d->looked |= b->n_insns != 0;
	if (!d->begun)
		rc = rst_encoder_begin(d, b);
	for (uint32_t i = 0; i < b->n_insns && rc >= 0; i++) {
		rc = rst_encoder_put_insn(d, b, i);
		d->told_comments = false;
		if (rc >= 0 && d->out.len >= FLUSH)
			rc = rst_encoder_flush(d, false);
	}
	if (rc >= 0)
		rc = encoder_put_rest(d, b);
	if (rc >= 0 && b->n_xacts)
		rc = model_lost(w, b->n_xacts, b->x0, "transactions");
	return rc;
}

static int rst_encoder_finish(struct cairn_writer *w)
{
	struct rst_encoder *d = w->impl;
	static const struct cairn_batch nothing;
	int rc = d->begun ? 0 : rst_encoder_begin(d, &nothing);
	if (rc >= 0)
		rc = rst_encoder_flush(d, true);
	if (rc >= 0 && !d->own) {
		uint8_t p[SIZE];
		rst_make_info2(p, d->max_cpu, d->n_cpus ? d->n_cpus : 1, d->created, d->created);
		rc = rst_pack_again(d->pk, INFO2_AT, p);
	}
	if (rc < 0)
		return rc;
	rc = rst_pack_finish(d->pk, w->ledger);
	d->pk = NULL;
	return rc;
}

static const char *const suffixes[] = {".rst", ".rz3", NULL};

const struct model_writer_format rst_writer_format = {
	.options = &rst_writing_options,
	.name = "RST",
	.suffixes = suffixes,
	.sets = 1u << CAIRN_ISA_SPARC,
	.open = rst_encoder_open,
	.from = rst_encoder_from,
	.comment = rst_encoder_comment,
	.put = rst_encoder_put,
	.finish = rst_encoder_finish,
	.abort = rst_encoder_abort,
};

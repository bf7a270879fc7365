/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Down from other formats: what RST wants, and batches of others do not have.
 *
 * - A beginning (clause 2): header, TRACEINFO, the strings that describe the machine, and for
 *   each CPU before its first instruction its TLBs, empty, PREG, and a PAVADIFF. The PREG has
 *   what the CPU's next rows tell of it, else what a program has. Where no physical address is
 *   known, PA is VA.
 * - Annulled instructions (clause 3(b)): formats without delay slots leave them out. Where
 *   one has to be is certain from the branch; its encoding is the one last seen there, or 0.
 * - Addresses (clause 7(a)): where an access or a transfer has none, the number that stood
 *   for that with tracers of the time.
 * - done and retry (clause 4(f)): the PREG before them, and where they went, which their
 *   CPU's next instruction tells. Until it comes the record stays in memory.
 * - A trap level (clause 4(b)): who begins in a handler without saying so is seen by the
 *   return from it. The level is put right just before.
 *
 * All that is made agrees with what the batches tell: their rows come first. What stands for
 * something unknown is said by a string where it first does.
 */
#include "formats/rst/check/rules.h"
#include "formats/rst/write/encoder.h"

#include <stdio.h>

enum { SIZE = CAIRN_RST_SIZE, ASI_PRIMARY = 0x82, WORDS = 1 << 15, MOST_ENTRIES = 8192 };

struct rst_word {
	uint64_t pc, space;
	uint32_t enc;
	bool known;
};

/* ---- the beginning ---- */

/* The comment before the first instruction that begins with this. */
static bool says(const struct cairn_batch *batch, const char *key, char *text, size_t size)
{
	size_t n = strlen(key);
	uint32_t end = batch->n_insns ? batch->insns[1].ev0 : batch->n_events;
	for (uint32_t i = 0; i < end; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (event->kind != CAIRN_EV_COMMENT || event->args > batch->n_bytes || event->len < n ||
		    event->len > batch->n_bytes - event->args ||
		    memcmp(batch->bytes + event->args, key, n) != 0)
			continue;
		snprintf(text, size, "%.*s", (int)(event->len < size ? event->len : size - 1),
		         (const char *)batch->bytes + event->args);
		return true;
	}
	return false;
}

static int encoder_made_put_text(struct rst_encoder *encoder, const char *text)
{
	return rst_encode_string(encoder, text, strlen(text));
}

/* Those before the first instruction; its slot will not tell them again. */
static int put_comments(struct rst_encoder *encoder, const struct cairn_batch *batch)
{
	uint32_t end = batch->n_insns ? batch->insns[1].ev0 : batch->n_events;
	int rc = 0;
	encoder->told_comments = batch->n_insns > 0;
	for (uint32_t i = 0; i < end && rc >= 0 && encoder->told_comments; i++) {
		const struct cairn_event *event = &batch->events[i];
		if (event->kind == CAIRN_EV_COMMENT && event->args <= batch->n_bytes &&
		    event->len <= batch->n_bytes - event->args)
			rc = rst_encode_string(encoder, (const char *)batch->bytes + event->args, event->len);
	}
	return rc;
}

int rst_made_beginning(struct rst_encoder *encoder, const struct cairn_batch *batch)
{
	char text[128] = "mmutype=none iTLB=1, dTLB=1", other[64];
	uint8_t first[3 * SIZE];
	rst_make_header(first, encoder->version);
	rst_make_level(first + SIZE, 1, encoder->created);
	rst_make_info2(first + (size_t)2 * SIZE, 0, 1, encoder->created, encoder->created);
	int rc = base_buf_put(&encoder->out, first, sizeof first);
	if (rc >= 0 && !says(batch, "mmutype=", text, sizeof text))
		rc = encoder_made_put_text(encoder, text);
	if (rc >= 0)
		rc = put_comments(encoder, batch);
	if (!rst_parse_mmutype(text, &encoder->mmu) || encoder->mmu.entries > MOST_ENTRIES)
		rst_parse_mmutype("mmutype=none iTLB=1, dTLB=1", &encoder->mmu);
	if (rc >= 0 && !says(batch, "cputype=", other, sizeof other)) {
		snprintf(other, sizeof other, "cputype=%s", encoder->packing.cputype);
		rc = encoder_made_put_text(encoder, other);
	}
	if (rc >= 0 && !says(batch, "nwins=", other, sizeof other)) {
		snprintf(other, sizeof other, "nwins=%u", encoder->packing.nwins);
		rc = encoder_made_put_text(encoder, other);
	}
	for (size_t at = 0, n; rc >= 0 && at < encoder->notes.len; at += n + 1) {
		n = strlen((const char *)encoder->notes.data + at);
		rc = rst_encode_string(encoder, (const char *)encoder->notes.data + at, n);
	}
	rst_kinds(encoder->kind);
	encoder->words =
		rc < 0 ? NULL : base_alloc(encoder->writer->cairn, WORDS * sizeof *encoder->words);
	return rc < 0 || encoder->words ? rc : CAIRN_E_NOMEM;
}

void rst_made_free(struct rst_encoder *encoder)
{
	base_free(encoder->writer->cairn, encoder->words);
}

/* Empty TLBs; those of all CPUs stand before the first instruction (clause 2(g)), as long as the
 * beginning can be added to. */
static int put_tlbs(struct rst_encoder *encoder, unsigned cpu)
{
	size_t from = encoder->out.len;
	for (unsigned which = 0; which < 2; which++)
		for (unsigned no = 0; no < encoder->mmu.n[which]; no++)
			for (unsigned i = 0; i < encoder->mmu.size[which][no]; i++) {
				uint8_t *p = rst_encode_record(encoder);
				if (!p)
					return CAIRN_E_NOMEM;
				p[0] = CAIRN_RST_TLB;
				rst_put_TLB_op(p, 1);
				rst_put_TLB_tlb(p, which);
				rst_put_TLB_tlb_no(p, no);
				rst_put_TLB_tlb_index(p, i);
				rst_put_TLB_cpuid(p, cpu);
			}
	size_t n = (encoder->out.len - from) / SIZE;
	if (encoder->n_cpus == 1) {
		int rc = rst_pack_put(encoder->pk, encoder->out.data, encoder->out.len / SIZE);
		encoder->tlb_at = rst_pack_records(encoder->pk);
		encoder->out.len = 0;
		return rc;
	}
	int rc = rst_pack_insert(encoder->pk, encoder->tlb_at, encoder->out.data + from, n);
	if (rc > 0) {
		encoder->tlb_at += n;
		encoder->out.len = from;
	}
	return rc < 0 ? rc : 0;
}

/* Does the slot tell what a PREG would? */
static bool has_preg(const struct rst_slot *slot)
{
	for (uint32_t i = slot->reg; i < slot->reg1; i++)
		if (rst_is_preg(&slot->batch->regs[i], slot->reg1 - i))
			return true;
	return false;
}

static int encoder_made_put_preg(struct rst_encoder *encoder, const struct rst_slot *slot,
                                 uint16_t pstate, unsigned tl, unsigned tt)
{
	uint8_t p[SIZE];
	rst_make_preg(p, &(struct rst_preg){.cpu = (uint16_t)slot->cpu,
	                                    .pstate = pstate,
	                                    .asi = ASI_PRIMARY,
	                                    .tl = (uint8_t)tl,
	                                    .tt = (uint8_t)tt,
	                                    .primary = encoder->cpus[slot->cpu]->prim});
	return rst_encode_put(encoder, p);
}

enum { PRIMARY = 1, SECONDARY = 2, ASI = 4, PSTATE = 8 }; /* of a PREG */

/* What a register held before an instruction, if a PREG has it: which part that is, 0: none. */
static unsigned preg_part(const struct cairn_reg *reg)
{
	if (reg->cls != CAIRN_REG_CSR || reg->role != CAIRN_ROLE_STATE ||
	    reg->flags != CAIRN_VALUE_KNOWN || reg->value > 0xffff)
		return 0;
	return reg->num == ISA_SPARC_MMU + 8                         ? PRIMARY
	       : reg->num == ISA_SPARC_MMU + 16                      ? SECONDARY
	       : reg->num == ISA_SPARC_ASR + 3 && reg->value < 0x100 ? ASI
	       : reg->num == ISA_SPARC_PSTATE                        ? PSTATE
	                                                             : 0;
}

static void preg_put(struct rst_preg *preg, unsigned part, uint64_t value)
{
	if (part == PRIMARY)
		preg->primary = (uint16_t)value;
	else if (part == SECONDARY)
		preg->secondary = (uint16_t)value;
	else if (part == ASI)
		preg->asi = (uint8_t)value;
	else if (part == PSTATE && !((preg->pstate ^ value) & PSTATE_PRIV)) /* as the CPU runs */
		preg->pstate = (uint16_t)value;
}

/* What the CPU's next rows tell held before them, too, for all that is known. Traps, done and retry
 * change PSTATE and ASI, but no context. */
static void foresee(const struct rst_slot *first, struct rst_preg *preg)
{
	const struct cairn_batch *batch = first->batch;
	const struct cairn_insn *insn = first->insn;
	unsigned open = PRIMARY | SECONDARY | ASI | PSTATE;
	for (; insn && open && insn < batch->insns + batch->n_insns; insn++) {
		const struct cairn_ctx *ctx = insn->ctx < batch->n_ctxs ? &batch->ctxs[insn->ctx] : NULL;
		if ((ctx && ctx->known & CAIRN_CTX_HART ? ctx->hart : 0) != first->cpu)
			continue;
		for (uint32_t i = insn[0].reg0; i < insn[1].reg0; i++) {
			unsigned part = preg_part(&batch->regs[i]) & open;
			preg_put(preg, part, batch->regs[i].value);
			open &= ~part;
		}
		for (uint32_t i = insn[0].ev0; i < insn[1].ev0; i++) {
			const struct cairn_event *event = &batch->events[i];
			if (!rst_is_told_trap(first, event))
				continue;
			uint64_t pstate = cairn_event_arg(batch, event, 4);
			if (insn == first->insn && event->phase == CAIRN_BEFORE)
				preg->pstate = (uint16_t)pstate; /* the CPU runs otherwise since the trap */
			else
				preg_put(preg, open & PSTATE, pstate);
			open &= PRIMARY | SECONDARY;
		}
		if (insn->traits & CAIRN_TRAIT_XRET)
			open &= PRIMARY | SECONDARY;
	}
}

int rst_made_cpu(struct rst_encoder *encoder, struct rst_encoder_cpu *cpu,
                 const struct rst_slot *slot)
{
	const struct cairn_ctx *ctx = slot->ctx;
	bool privileged = ctx->known & CAIRN_CTX_PRIV && ctx->priv, told = has_preg(slot);
	struct rst_preg preg = {.cpu = (uint16_t)slot->cpu,
	                        .pstate =
	                            (uint16_t)(PSTATE_IE | PSTATE_PEF | (privileged ? PSTATE_PRIV : 0)),
	                        .asi = ASI_PRIMARY,
	                        .primary = ctx->known & CAIRN_CTX_ASID ? (uint16_t)ctx->asid : 0};
	if (!told)
		foresee(slot, &preg);
	cpu->pstate = preg.pstate;
	cpu->prim = preg.primary;
	int rc = put_tlbs(encoder, slot->cpu);
	if (rc < 0 || told)
		return rc;
	uint64_t n = slot->batch->n0 +
	             (slot->insn ? (uint64_t)(slot->insn - slot->batch->insns) : slot->batch->n_insns);
	rc = encoder->own ? 0
	                  : model_note(encoder->writer, 1, n,
	                               "trap level 0, PSTATE and ASI as of a program, where the trace "
	                               "does not tell them (PREG)");
	uint8_t p[SIZE];
	rst_make_preg(p, &preg);
	return rc < 0 ? rc : rst_encode_put(encoder, p);
}

/* In the trace, and to who converts. */
static int say_once(struct rst_encoder *encoder, bool *said, const char *text)
{
	if (*said)
		return 0;
	*said = true;
	int rc = model_note(encoder->writer, 1, 0, text + strlen("cairn: "));
	return rc < 0 ? rc : encoder_made_put_text(encoder, text);
}

int rst_made_diff(struct rst_encoder *encoder)
{
	return encoder->own ? 0
	                    : say_once(encoder, &encoder->told_diff,
	                               "cairn: physical addresses are not known: PAVADIFF has PA = VA");
}

/* By what the batches tell; else as SPARC does it: that of the nucleus in a trap, else the
 * primary one. */
uint16_t rst_made_asid(const struct rst_encoder_cpu *cpu, const struct cairn_ctx *ctx)
{
	return ctx->known & CAIRN_CTX_ASID ? (uint16_t)ctx->asid : cpu->tl ? 0 : cpu->prim;
}

/* ---- between two instructions of a CPU ---- */

static uint64_t encoder_made_space_of(const struct rst_slot *slot)
{
	const struct cairn_ctx *ctx = slot->ctx;
	return (uint64_t)(ctx->known & CAIRN_CTX_PID ? ctx->pid : 0) << 32 |
	       (ctx->known & CAIRN_CTX_ASID ? ctx->asid : 0);
}

static struct rst_word *word_at(struct rst_encoder *encoder, uint64_t pc)
{
	return &encoder->words[(pc >> 2 ^ pc >> 17) % WORDS];
}

/* Where an open INSTR went. */
static void encoder_made_close_open(struct rst_encoder *encoder, struct rst_encoder_cpu *cpu,
                                    uint64_t to)
{
	uint8_t *p = encoder->out.data + cpu->open_at;
	rst_put_INSTR_ea_valid(p, 1);
	rst_put_INSTR_ea_va(p, to);
	if (cpu->first_at) { /* so that is what TPC and TNPC were */
		bool retry = isa_sparc_flow(rst_INSTR_instr(p)) == ISA_SPARC_RETRY;
		p -= cpu->first_at;
		rst_put_REGVAL_value0(p, retry ? to : to - 4);
		rst_put_REGVAL_value1(p, retry ? to + 4 : to);
		cpu->first_at = 0;
	}
	cpu->flow.npc = to;
	cpu->flow.flags |= RST_C_NPC;
	cpu->open = false;
	encoder->n_open--;
}

/* The annulled instruction that the branch before asks for. */
static int put_annulled(struct rst_encoder *encoder, struct rst_slot *slot)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	uint64_t pc = cpu->flow.pc + 4;
	const struct rst_word *word = word_at(encoder, pc);
	bool known = word->known && word->pc == pc && word->space == encoder_made_space_of(slot);
	int rc = known ? 0
	               : say_once(encoder, &encoder->told_words,
	                          "cairn: 0 stands for encodings of annulled "
	                          "instructions that are not known");
	uint8_t p[SIZE];
	rst_make_instr(p, slot->cpu, RST_I_AN | cpu->mode, known ? word->enc : 0, pc, 0);
	rst_step(&cpu->flow, p);
	return rc < 0 ? rc : rst_encode_put(encoder, p);
}

/* The slot's trap that came before its instruction, if it has one. */
static const struct cairn_event *trap_before(const struct rst_slot *slot)
{
	for (uint32_t i = slot->ev; i < slot->ev1; i++) {
		const struct cairn_event *event = &slot->batch->events[i];
		bool trap = event->kind == CAIRN_EV_EXCEPTION || event->kind == CAIRN_EV_INTERRUPT;
		if (trap && (!slot->insn || event->phase == CAIRN_BEFORE))
			return event;
	}
	return NULL;
}

int rst_made_between(struct rst_encoder *encoder, struct rst_slot *slot)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	const struct cairn_event *trap = cpu->open || cpu->owes_slot ? trap_before(slot) : NULL;
	if (!slot->insn && !trap)
		return 0;
	if (cpu->open && !trap)
		encoder_made_close_open(encoder, cpu, slot->insn->pc);
	else if (cpu->open && rst_is_told_trap(slot, trap))
		encoder_made_close_open(encoder, cpu, cairn_event_arg(slot->batch, trap, 6));
	else if (cpu->open && cpu->flow.flags & RST_C_NPC) /* as its trap was entered */
		encoder_made_close_open(encoder, cpu, cpu->flow.npc);
	if (!cpu->owes_slot)
		return 0;
	cpu->owes_slot = false;
	if (!trap && slot->insn->flags & CAIRN_INSN_ANNULLED && slot->insn->pc == cpu->flow.pc + 4)
		return 0;
	return put_annulled(encoder, slot);
}

/* A program goes on behind a trap whose handler the trace does not have. Where that is not
 * where it was stopped (a signal's handler returns), a PREG says that it left the level. */
int rst_made_return(struct rst_encoder *encoder, const struct rst_slot *slot)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	const struct rst_saved *saved = &cpu->levels[0];
	cpu->tl = 0;
	cpu->pstate = saved->pstate;
	if (slot->insn->pc == saved->pc || slot->insn->pc == saved->npc)
		return 0;
	return encoder_made_put_preg(encoder, slot, saved->pstate, 0, 0);
}

int rst_made_address(struct rst_encoder *encoder, const struct rst_slot *slot, unsigned *bits,
                     uint64_t *ea)
{
	bool ran = !(slot->insn->flags & CAIRN_INSN_NOT_EXECUTED);
	if (ran && !(*bits & RST_I_EA_VALID) &&
	    encoder->kind[isa_sparc_key(slot->insn->enc)] == RST_KIND_MEM) {
		*bits |= RST_I_EA_VALID;
		*ea = RST_NO_EA;
	}
	return !(*bits & RST_I_EA_VALID) || *ea != RST_NO_EA
	           ? 0
	           : say_once(encoder, &encoder->told_eas,
	                      "cairn: 0x31415921 stands for addresses that are not known");
}

/* ---- behind an instruction ---- */

static bool is_leaving(enum isa_sparc_flow flow)
{
	return flow == ISA_SPARC_DONE || flow == ISA_SPARC_RETRY;
}

void rst_made_note(struct rst_encoder *encoder, const struct rst_slot *slot, const uint8_t *p)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	uint32_t enc = rst_INSTR_instr(p);
	enum isa_sparc_flow flow = isa_sparc_flow(enc);
	uint64_t pc = rst_INSTR_pc_va(p);
	bool stopped = slot->insn->flags & CAIRN_INSN_NOT_EXECUTED;
	*word_at(encoder, pc) = (struct rst_word){.pc = pc,
	                                          .space = encoder_made_space_of(slot),
	                                          .enc = enc,
	                                          .known = true};
	cpu->mode = rst_INSTR_flags(p) & (RST_I_PR | RST_I_HPRIV);
	cpu->owes_slot = !stopped && isa_sparc_annuls(enc, flow, rst_INSTR_bt(p));
	if (stopped || !is_leaving(flow) || rst_INSTR_ea_valid(p))
		return;
	const struct rst_saved *saved = cpu->tl ? &cpu->levels[cpu->tl - 1] : NULL;
	cpu->open = true;
	cpu->open_at = encoder->out.len - SIZE;
	cpu->first_at = cpu->first_at ? encoder->out.len - cpu->first_at : 0;
	encoder->n_open++;
	if (saved && saved->pc != RST_NO_PC) {
		cpu->flow.npc = flow == ISA_SPARC_RETRY ? saved->pc : saved->npc;
		cpu->flow.flags |= RST_C_NPC;
	}
}

/* A CPU has not told that it is at this level. */
int rst_made_level(struct rst_encoder *encoder, struct rst_slot *slot, unsigned tl)
{
	bool leaves = slot->insn && is_leaving(isa_sparc_flow(slot->insn->enc)) &&
	              !(slot->insn->flags & CAIRN_INSN_NOT_EXECUTED);
	if (!leaves || tl == slot->encoder_cpu->tl || tl == 0 || tl >= RST_SAVED_LEVELS)
		return 0;
	uint8_t p[SIZE];
	rst_make_regval(p, slot->cpu, false, RST_R_PRIV, ISA_SPARC_TL, tl);
	int rc = rst_encode_put(encoder, p);
	if (!(slot->encoder_cpu->flow.flags & RST_C_NPC)) { /* nothing has run (clause 2(f)) */
		rst_make_regval(p, slot->cpu, false, RST_R_PRIV, ISA_SPARC_TPC, RST_NO_PC);
		rst_put_reg(p, 1, RST_R_PRIV, ISA_SPARC_TNPC, RST_NO_PC);
		rc = rc < 0 ? rc : rst_encode_put(encoder, p);
		slot->encoder_cpu->first_at = encoder->out.len;
	}
	slot->encoder_cpu->tl = (uint8_t)tl;
	slot->encoder_cpu->levels[tl - 1] =
		(struct rst_saved){.pc = RST_NO_PC,
	                       .npc = RST_NO_PC,
	                       .pstate = (uint16_t)(slot->encoder_cpu->pstate & ~PSTATE_PRIV)};
	return rc;
}

int rst_made_leaving(struct rst_encoder *encoder, struct rst_slot *slot)
{
	struct rst_encoder_cpu *cpu = slot->encoder_cpu;
	int rc = cpu->tl ? 0 : rst_made_level(encoder, slot, 1);
	const struct rst_saved *saved = &cpu->levels[cpu->tl ? cpu->tl - 1 : 0];
	if (rc < 0 || slot->has_preg)
		return rc;
	cpu->pstate = saved->pstate;
	return encoder_made_put_preg(encoder, slot, saved->pstate, cpu->tl, saved->tt);
}

/* ---- on the way out ---- */

size_t rst_made_ready(struct rst_encoder *encoder, bool all)
{
	size_t n = encoder->out.len;
	if (encoder->own || !encoder->n_open)
		return n;
	for (unsigned i = 0; i < RST_MAX_CPUS; i++) {
		struct rst_encoder_cpu *cpu = encoder->cpus[i];
		if (cpu && cpu->open && all) /* as its trap was entered, if that is known */
			encoder_made_close_open(encoder, cpu,
			                        cpu->flow.flags & RST_C_NPC ? cpu->flow.npc : RST_NO_EA);
		else if (cpu && cpu->open && cpu->open_at - cpu->first_at < n)
			n = cpu->open_at - cpu->first_at;
	}
	for (unsigned i = 0; i < RST_MAX_CPUS; i++)
		if (encoder->cpus[i] && encoder->cpus[i]->open)
			encoder->cpus[i]->open_at -= n;
	return n;
}

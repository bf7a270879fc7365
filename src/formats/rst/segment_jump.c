/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With an index, a range of a trace is reached without reading all that is before it. The
 * state of a place has the differences of addresses, who runs and what waits; the registers
 * that the index holds give PREG. What neither has, TLBs and registers that were written
 * since they were told, is read from the look-back.
 */
#include "cairn/index.h"
#include "formats/rst/remake.h"

enum { LOOK_BACK = 1000000, FAR_ENOUGH = 2048 };

/* What the state of a place tells of the CPUs. */
static int take_state(struct rst_segment *pc, const struct rst_state *at)
{
	int rc = 0;
	for (unsigned i = 0; i < RST_MAX_CPUS && rc >= 0; i++) {
		const struct rst_cpu *c = &at->cpus[i];
		if (!(c->flags & (RST_C_PC_DIFF | RST_C_PID | RST_C_TID | RST_C_TARGET | RST_C_XRET)))
			continue;
		struct rst_carried_cpu *k = rst_carried_cpu(pc->known, i);
		if (!k)
			return CAIRN_E_NOMEM;
		k->pc_diff = c->pc_diff;
		k->ea_diff = c->ea_diff;
		k->ictx = k->dctx = c->asid;
		k->has_pc = c->flags & RST_C_PC_DIFF;
		k->has_ea = c->flags & RST_C_EA_DIFF;
		k->has_thread = c->flags & RST_C_TID;
		k->has_process = c->flags & RST_C_PID;
		if (c->flags & RST_C_TARGET) {
			k->slot = c->pc + 4;
			k->npc = c->target;
		} else {
			k->slot = c->resume_pc;
			k->npc = c->resume_npc;
		}
		k->has_slot = c->flags & RST_C_TARGET ||
		              (c->flags & (RST_C_XRET | RST_C_RESUME)) == (RST_C_XRET | RST_C_RESUME);
		rst_make_thread(k->thread, c->asid, c->tid);
		rst_make_process(k->process, 0, c->pid, c->asid);
		pc->hole[i] = 1;
	}
	for (unsigned i = 0, n = at->n_waiting; i < n && rc >= 0; i++) {
		const struct rst_waiting *w = &at->waiting[(at->oldest + i) % RST_WAIT];
		if (w->cpu != RST_NONE)
			rc = rst_segment_await(pc, w->rec, w->cpu);
	}
	return rc;
}

/* PREG and registers as the index has them. */
static int segment_jump_take_index(struct rst_segment *pc, const struct cairn_index *x, size_t i)
{
	size_t n = cairn_index_regs(x, i, NULL, 0);
	struct cairn_state_reg *regs = base_alloc(pc->m->c, (n ? n : 1) * sizeof *regs);
	if (!regs)
		return CAIRN_E_NOMEM;
	n = cairn_index_regs(x, i, regs, n);
	int rc = 0;
	for (size_t j = 0; j < n && rc >= 0; j++) {
		const struct cairn_state_reg *r = &regs[j];
		if (r->hart >= RST_MAX_CPUS || r->cls != CAIRN_REG_CSR || !r->whole)
			continue; /* what was told once may no longer be so: see carried.c */
		struct rst_carried_cpu *c = rst_carried_cpu(pc->known, r->hart);
		if (!c) {
			rc = CAIRN_E_NOMEM;
		} else if (r->num == ISA_SPARC_TL && r->value <= RST_CARRIED_LEVELS) {
			c->tl = (uint8_t)r->value;
			c->has_preg = true;
		} else if (r->num == ISA_SPARC_TT) {
			c->tt = (uint8_t)r->value;
		} else if (r->num == ISA_SPARC_PSTATE) {
			c->pstate = c->after = (uint16_t)r->value;
		} else if (r->num == ISA_SPARC_ASR + 3) {
			c->asi = (uint8_t)r->value;
		} else if (r->num == ISA_SPARC_MMU + 8) {
			rst_put_be16(c->contexts, (uint16_t)r->value);
			rst_put_be16(c->contexts + 4, (uint16_t)r->value);
		} else if (r->num == ISA_SPARC_MMU + 16) {
			rst_put_be16(c->contexts + 2, (uint16_t)r->value);
			rst_put_be16(c->contexts + 6, (uint16_t)r->value);
		}
	}
	base_free(pc->m->c, regs);
	return rc;
}

/* The entries that TLBs had at the beginning, into what is known behind a jump. */
static int keep_tlb(struct rst_segment *pc, const struct rst_carried *old)
{
	int rc = 0;
	for (size_t i = 0; i < old->n_tlb && rc >= 0; i++)
		rc = rst_carried_take(pc->known, old->tlb[i].rec, false);
	return rc;
}

/* Do TLBs change behind the first instruction? */
static bool tlb_changes(const struct cairn_index *x, const struct rst_carried *known)
{
	struct cairn_tally t;
	return cairn_index_totals(x, &t) < 0 || t.by_record[CAIRN_RST_TLB] != known->n_tlb;
}

/* Leave what is known and go to a span of the index, whose entry state is known. */
static int jump_to(struct rst_segment *pc, const struct cairn_index *x, size_t i, uint64_t n)
{
	const uint8_t *p;
	size_t records;
	struct rst_carried *old = pc->known;
	pc->known = NULL;
	int rc = rst_segment_again(pc);
	if (rc >= 0)
		rc = rst_cursor_seek(&pc->k, n);
	if (rc >= 0)
		rc = rst_cursor_next(&pc->k, &p, &records);
	if (rc > 0)
		rc = take_state(pc, pc->k.at);
	if (rc >= 0)
		rc = segment_jump_take_index(pc, x, i);
	if (rc >= 0)
		rc = keep_tlb(pc, old);
	rst_carried_free(old);
	return rc;
}

/* With an index, to where what is needed begins to be told, if that is worth it. TLBs are
 * not in the index: where they change, only a stated look-back jumps. */
int rst_segment_jump(struct rst_segment *pc, uint64_t first)
{
	const struct cairn_index *x = cairn_reader_jumps(pc->r) ? cairn_reader_index(pc->r) : NULL;
	uint64_t look = pc->look_back ? pc->look_back : LOOK_BACK;
	struct cairn_index_span span;
	if (!x || look == UINT64_MAX || first <= look)
		return 0;
	int64_t i = cairn_index_find(x, first - look);
	while (i >= 0 && cairn_index_span(x, (size_t)i, &span) >= 0 && !span.jumps)
		i--;
	if (i <= 0 || span.first <= pc->k.n + FAR_ENOUGH)
		return 0;
	int rc = rst_segment_leave(pc);
	bool changes = tlb_changes(x, pc->known);
	if (rc < 0 || (changes && !pc->look_back))
		return rc;
	rc = jump_to(pc, x, (size_t)i, span.first);
	if (rc < 0)
		return rc;
	return rst_remake_note(
		pc->m,
		changes ? "TLB entries and registers are known from the "
				  "look-back only (--look-back all: from the beginning)"
				: "registers are known from the look-back only (--look-back all: from "
				  "the beginning)",
		1, first);
}

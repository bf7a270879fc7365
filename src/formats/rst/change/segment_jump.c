/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With an index, a range of a trace is reached without reading all that is before it. The
 * state of a place has the differences of addresses, who runs and what waits; the registers
 * that the index holds give PREG. What neither has, TLBs and registers that were written
 * since they were told, is read from the look-back.
 */
#include "cairn/index.h"
#include "formats/rst/change/remake.h"

enum { LOOK_BACK = 1000000, FAR_ENOUGH = 2048 };

/* Take what the state of a place says of the CPUs. */
static int take_state(struct rst_segment *segment, const struct rst_state *at)
{
	int rc = 0;
	for (unsigned i = 0; i < RST_MAX_CPUS && rc >= 0; i++) {
		const struct rst_cpu *cpu = &at->cpus[i];
		if (!(cpu->flags & (RST_C_PC_DIFF | RST_C_PID | RST_C_TID | RST_C_TARGET | RST_C_XRET)))
			continue;
		struct rst_carried_cpu *carried_cpu = rst_carried_cpu(segment->carried, i);
		if (!carried_cpu)
			return CAIRN_E_NOMEM;
		carried_cpu->pc_diff = cpu->pc_diff;
		carried_cpu->ea_diff = cpu->ea_diff;
		carried_cpu->ictx = carried_cpu->dctx = cpu->asid;
		carried_cpu->has_pc = cpu->flags & RST_C_PC_DIFF;
		carried_cpu->has_ea = cpu->flags & RST_C_EA_DIFF;
		if (cpu->flags & RST_C_TARGET) {
			carried_cpu->slot = cpu->pc + 4;
			carried_cpu->npc = cpu->target;
		} else {
			carried_cpu->slot = cpu->resume_pc;
			carried_cpu->npc = cpu->resume_npc;
		}
		carried_cpu->has_slot =
			cpu->flags & RST_C_TARGET ||
			(cpu->flags & (RST_C_XRET | RST_C_RESUME)) == (RST_C_XRET | RST_C_RESUME);
		struct rst_carried_id *id = carried_cpu->id;
		id[RST_CARRIED_THREAD].has = cpu->flags & RST_C_TID;
		id[RST_CARRIED_PROCESS].has = cpu->flags & RST_C_PID;
		rst_make_thread(id[RST_CARRIED_THREAD].rec, cpu->asid, cpu->tid);
		rst_make_process(id[RST_CARRIED_PROCESS].rec, 0, cpu->pid, cpu->asid);
		segment->hole[i] = 1;
	}
	for (unsigned i = 0, n = at->n_waiting; i < n && rc >= 0; i++) {
		const struct rst_waiting *waiting = &at->waiting[(at->oldest + i) % RST_WAIT];
		if (waiting->cpu != RST_NONE)
			rc = rst_segment_await(segment, waiting->rec, waiting->cpu);
	}
	return rc;
}

/* PREG and registers as the index has them. */
static int segment_jump_take_index(struct rst_segment *segment, const struct cairn_index *index,
                                   size_t span)
{
	size_t n = cairn_index_regs(index, span, NULL, 0);
	struct cairn_state_reg *regs = base_alloc(segment->remake->cairn, (n ? n : 1) * sizeof *regs);
	if (!regs)
		return CAIRN_E_NOMEM;
	n = cairn_index_regs(index, span, regs, n);
	int rc = 0;
	for (size_t j = 0; j < n && rc >= 0; j++) {
		const struct cairn_state_reg *reg = &regs[j];
		if (reg->hart >= RST_MAX_CPUS || reg->cls != CAIRN_REG_CSR || !reg->whole)
			continue; /* this may no longer be true: see carried.c */
		struct rst_carried_cpu *cpu = rst_carried_cpu(segment->carried, reg->hart);
		if (!cpu) {
			rc = CAIRN_E_NOMEM;
		} else if (reg->num == ISA_SPARC_TL && reg->value <= RST_CARRIED_LEVELS) {
			cpu->tl = (uint8_t)reg->value;
			cpu->has_preg = true;
		} else if (reg->num == ISA_SPARC_TT) {
			cpu->tt = (uint8_t)reg->value;
		} else if (reg->num == ISA_SPARC_PSTATE) {
			cpu->pstate = cpu->after = (uint16_t)reg->value;
		} else if (reg->num == ISA_SPARC_ASR + 3) {
			cpu->asi = (uint8_t)reg->value;
		} else if (reg->num == ISA_SPARC_MMU + 8) {
			rst_put_PREG_primary(cpu->preg, (uint16_t)reg->value);
		} else if (reg->num == ISA_SPARC_MMU + 16) {
			rst_put_PREG_secondary(cpu->preg, (uint16_t)reg->value);
		}
	}
	base_free(segment->remake->cairn, regs);
	return rc;
}

/* Add the entries that TLBs had at the beginning to what is known behind a jump. */
static int keep_tlb(struct rst_segment *segment, const struct rst_carried *old)
{
	int rc = 0;
	for (size_t i = 0; i < old->n_tlb && rc >= 0; i++)
		rc = rst_carried_take(segment->carried, old->tlb[i].rec, false);
	return rc;
}

/* Do TLBs change behind the first instruction? */
static bool tlb_changes(const struct cairn_index *index, const struct rst_carried *known)
{
	struct cairn_tally tally = {.size = sizeof tally};
	return cairn_index_totals(index, &tally) < 0 || tally.by_record[CAIRN_RST_TLB] != known->n_tlb;
}

/* Leave what is known, and go to a span of the index, whose entry state is known. */
static int jump_to(struct rst_segment *segment, const struct cairn_index *index, size_t span,
                   uint64_t n)
{
	const uint8_t *p;
	size_t records;
	struct rst_carried *old = segment->carried;
	segment->carried = NULL;
	int rc = rst_segment_again(segment);
	if (rc >= 0)
		rc = rst_cursor_seek(&segment->cursor, n);
	if (rc >= 0)
		rc = rst_cursor_next(&segment->cursor, &p, &records);
	if (rc > 0)
		rc = take_state(segment, segment->cursor.at);
	if (rc >= 0)
		rc = segment_jump_take_index(segment, index, span);
	if (rc >= 0)
		rc = keep_tlb(segment, old);
	rst_carried_free(old);
	return rc;
}

/* With an index, go to the place from which on everything needed is in the trace, if that is worth
 * it. TLBs are not in the index: if they change, only a stated look-back jumps. */
int rst_segment_jump(struct rst_segment *segment, uint64_t first)
{
	const struct cairn_index *index =
		cairn_reader_jumps(segment->reader) ? cairn_reader_index(segment->reader) : NULL;
	uint64_t look = segment->look_back ? segment->look_back : LOOK_BACK;
	struct cairn_index_span span = {.size = sizeof span};
	if (!index || look == UINT64_MAX || first <= look)
		return 0;
	int64_t i = cairn_index_find(index, first - look);
	while (i >= 0 && cairn_index_span(index, (size_t)i, &span) >= 0 && !span.jumps)
		i--;
	if (i <= 0 || span.first <= segment->cursor.n + FAR_ENOUGH)
		return 0;
	int rc = rst_segment_leave(segment);
	bool changes = tlb_changes(index, segment->carried);
	if (rc < 0 || (changes && !segment->look_back))
		return rc;
	rc = jump_to(segment, index, (size_t)i, span.first);
	if (rc < 0)
		return rc;
	return rst_remake_note(
		segment->remake,
		changes ? "TLB entries and registers are known from the "
				  "look-back only (--look-back all: from the beginning)"
				: "registers are known from the look-back only (--look-back all: from "
				  "the beginning)",
		1, first);
}

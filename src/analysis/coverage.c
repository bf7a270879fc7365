/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much a trace tells of the registers and accesses of its instructions. A register state is stepped
 * along the trace and asked before and after each instruction.
 */
#include "analysis/run.h"
#include "analysis/state.h"

struct coverage {
	struct cairn_state *state;
	bool derives; /* what follows counts, too; else only what the trace tells */
	struct cairn_coverage count;
};

static void coverage_add(struct cairn_share *share, bool known)
{
	share->of++;
	share->known += known;
}

/* Count an instruction's operands by what the state knows of them now. */
static void coverage_ask(struct coverage *coverage, const struct cairn_ctx *ctx,
                         const struct cairn_operand *operand, unsigned n,
                         struct cairn_share *shares)
{
	enum { CLASSES = sizeof coverage->count.read / sizeof *coverage->count.read };
	uint16_t hart = ctx->known & CAIRN_CTX_HART ? ctx->hart : CAIRN_NO_HART;
	for (unsigned i = 0; i < n; i++) {
		struct cairn_state_reg reg;
		bool any = cairn_state_reg(coverage->state, hart, (enum cairn_reg_class)operand[i].cls,
		                           operand[i].num, &reg) > 0;
		if (operand[i].cls < CLASSES)
			coverage_add(&shares[operand[i].cls],
			             any && reg.whole && (coverage->derives || !reg.derived));
	}
}

static void coverage_accesses(struct coverage *coverage, const struct cairn_batch *batch,
                              uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	bool any = false;
	for (uint32_t i = insn->mem0; i < insn[1].mem0; i++) {
		const struct cairn_mem *mem = &batch->mems[i];
		if (mem->initiator != CAIRN_BY_INSN ||
		    (mem->kind != CAIRN_MEM_READ && mem->kind != CAIRN_MEM_WRITE))
			continue;
		bool counts = coverage->derives || !(mem->flags & CAIRN_VALUE_DERIVED);
		any = true;
		coverage_add(&coverage->count.addresses,
		             counts && !(mem->flags & CAIRN_VALUE_ADDR_UNKNOWN));
		coverage_add(&coverage->count.contents, counts && mem->flags & CAIRN_VALUE_KNOWN);
	}
	if (!any && insn->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)) {
		coverage_add(&coverage->count.addresses, false);
		coverage_add(&coverage->count.contents, false);
	}
}

static int coverage_slot(struct coverage *coverage, const struct cairn_batch *batch, uint32_t slot)
{
	const struct cairn_insn *insn = &batch->insns[slot];
	struct cairn_operands operands = {0};
	if (!model_slot_runs(batch, slot))
		return cairn_state_step(coverage->state, batch, slot, slot + 1);
	bool encoded = !(insn->flags & (CAIRN_INSN_ENC_UNKNOWN | CAIRN_INSN_ENC_BYTES)) &&
	               cairn_isa_operands((enum cairn_isa)(insn->isa | insn->variant), insn->enc,
	                                  insn->size, &operands) >= 0;
	coverage->count.instructions++;
	coverage->count.without_operands += !encoded;
	int rc = cairn_state_peek(coverage->state, batch, slot);
	if (encoded)
		coverage_ask(coverage, model_slot_ctx(batch, slot), operands.src, operands.n_src,
		             coverage->count.read);
	if (rc >= 0)
		rc = cairn_state_step(coverage->state, batch, slot, slot + 1);
	if (encoded)
		coverage_ask(coverage, model_slot_ctx(batch, slot), operands.dst, operands.n_dst,
		             coverage->count.written);
	coverage_accesses(coverage, batch, slot);
	return rc;
}

int cairn_state_coverage(struct cairn_reader *reader, struct cairn_coverage *out)
{
	static const struct cairn_state_opts opts = {.size = sizeof opts, .memory = CAIRN_STATE_NONE};
	struct coverage coverage = {.derives = reader->derivation != NULL,
	                            .count.size = sizeof coverage.count};
	int rc = base_sized(reader->cairn, out, "cairn_coverage");
	if (rc >= 0)
		rc = analysis_refuse_xacts(reader);
	if (rc >= 0)
		rc = cairn_state_new(reader->cairn, &opts, &coverage.state);
	if (rc < 0)
		return rc;
	struct cairn_batch *batch = cairn_batch_new(reader->cairn);
	coverage.state->telling.silent = reader->format->silent;
	coverage.state->telling.switches = reader->format->switches;
	cairn_reader_want(reader, cairn_state_parts(coverage.state) | CAIRN_MEMS | CAIRN_MEM_VALUES);
	rc = batch ? 0 : CAIRN_E_NOMEM;
	while (rc >= 0 && (rc = cairn_next(reader, batch)) > 0) {
		for (uint32_t slot = 0; slot < batch->n_insns && rc >= 0; slot++)
			rc = coverage_slot(&coverage, batch, slot);
		if (rc >= 0) /* what belongs to no instruction */
			rc = cairn_state_step(coverage.state, batch, batch->n_insns, batch->n_insns + 1);
	}
	cairn_batch_free(reader->cairn, batch);
	cairn_state_free(coverage.state);
	if (rc >= 0)
		base_give(out, &coverage.count, sizeof coverage.count);
	return rc;
}

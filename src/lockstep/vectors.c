/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long vectors are: no encoding tells, so the trace does. RISC-V's are as long as the first one
 * that is told; SVE's may change, by a system call or by its streaming mode.
 */
#include "isa/arm64.h"
#include "lockstep/walk.h"

unsigned lockstep_told_bits(const struct cairn_batch *batch, const struct cairn_insn *insn,
                            const struct cairn_reg *reg)
{
	unsigned end = 0;
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		const struct cairn_reg *piece = &batch->regs[k];
		if (piece->cls == reg->cls && piece->num == reg->num && piece->role == reg->role &&
		    piece->lsb == end)
			end += piece->bits;
	}
	return end;
}

enum { ADVANCED_SIMD_BITS = 128 };

/* Vectors reach at least as far as a row does; 0: it tells nothing of that. A predicate has a bit for each
 * of their bytes. */
static unsigned row_end(const struct cairn_reg *reg)
{
	unsigned end = reg->lsb + reg->bits;
	if (reg->cls == CAIRN_REG_PREDICATE && reg->num <= ISA_ARM64_FFR)
		return 8 * end;
	return reg->cls == CAIRN_REG_VECTOR && end > ADVANCED_SIMD_BITS ? end : 0;
}

/* The length by a report of the whole state, in which many registers reach equally far; 0: there is
 * none. A single register may be told in part. */
static unsigned reported_bits(const struct cairn_batch *batch, const struct cairn_insn *insn)
{
	enum { MANY = 16 };
	unsigned most = 0, n = 0;
	for (uint32_t k = insn->reg0; k < insn[1].reg0; k++) {
		unsigned end = row_end(&batch->regs[k]);
		n = end > most ? 1 : n + (end == most);
		most = end > most ? end : most;
	}
	return n >= MANY ? most : 0;
}

static void learn_sve(struct lockstep *lockstep, const struct cairn_insn *insn,
                      struct cairn_reg *reg)
{
	struct cairn_machine *machine = lockstep->hart->machine;
	unsigned known = machine->vector_bits, end = row_end(reg), bits = known;
	bool is_whole = reg->cls == CAIRN_REG_VECTOR && reg->num >= ISA_ARM64_Z0 && !reg->lsb;
	bool begins =
		reg->cls == CAIRN_REG_PREDICATE && !reg->num && !reg->lsb && reg->role == CAIRN_ROLE_STATE;
	if (lockstep->opts.vector_bits) {
		bits = known; /* by the header; rows may have been cut to what has room beside it */
	} else if (is_whole) {
		bits = reg->bits;
	} else if (end > known || begins) {
		unsigned reported = reported_bits(lockstep->batch, insn);
		bits = reported ? reported : end > known ? 0 : known;
	}
	if (bits != known)
		exec_set_vector_bits(machine, bits);
	if (machine->vector_bits && reg->cls == CAIRN_REG_VECTOR && reg->num < ISA_ARM64_Z0 &&
	    (reg->lsb || lockstep_told_bits(lockstep->batch, insn, reg) > ADVANCED_SIMD_BITS))
		reg->num = (uint16_t)(reg->num + ISA_ARM64_Z0);
}

void lockstep_take_vector(struct lockstep *lockstep, struct cairn_reg *reg)
{
	const struct cairn_insn *insn = &lockstep->batch->insns[lockstep->slot];
	struct cairn_machine *machine = lockstep->hart->machine;
	if (reg->flags & CAIRN_VALUE_ZEROES)
		return;
	if (machine->set == &exec_arm64)
		learn_sve(lockstep, insn, reg);
	else if (machine->set == &exec_riscv && reg->cls == CAIRN_REG_VECTOR && !reg->lsb)
		exec_set_vector_bits(machine, reg->bits);
}

unsigned lockstep_header_bits(const struct lockstep *lockstep, enum cairn_isa isa)
{
	unsigned bits = lockstep->opts.vector_bits;
	return lockstep_set(isa) == CAIRN_ISA_A64 && bits <= ADVANCED_SIMD_BITS ? 0 : bits;
}

/* Of the calls of Linux only prctl sets the length. */
void lockstep_forget_vectors(const struct lockstep *lockstep, struct hart *hart, bool by_call)
{
	enum { LINUX_PRCTL = 167 };
	struct cairn_machine *machine = hart->machine;
	if (!machine || machine->set != &exec_arm64)
		return;
	const struct exec_bits *x8 = &machine->word[machine->plain[CAIRN_REG_INT][8].word];
	bool keeps = by_call && bits_all(*x8) && x8->value != LINUX_PRCTL;
	unsigned bits = by_call ? 0 : lockstep_header_bits(lockstep, hart->isa);
	if (!keeps && bits != machine->vector_bits)
		exec_set_vector_bits(machine, bits);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which registers an encoding writes. The stream only says what changed. Writing a value that was
 * there before changes nothing, so such writes have to come from the encoding.
 */
#include "formats/capture/capture.h"
#include "isa/arm64.h"
#include "isa/sparc.h"
#include "isa/written.h"

static void dests_add(struct capture_dests *dests, unsigned num, unsigned bytes)
{
	if (dests->n < CAPTURE_DESTS && num < CAPTURE_REGS && !capture_is_dest(dests, num))
		dests->dest[dests->n++] =
			(struct capture_dest){.num = (uint8_t)num, .bytes = (uint8_t)bytes};
}

/* ---- what controls the machine ---- */

uint16_t capture_csr(enum cairn_isa isa, unsigned num)
{
	static const uint16_t riscv[] = {1, 2, 8, 9, 10, 0xc20, 0xc21},
						  arm64[] = {ISA_ARM64_FPSR, ISA_ARM64_FPCR},
						  sparc[] = {ISA_SPARC_ASR + 8, ISA_SPARC_ASR + 6, ISA_SPARC_ASR + 3};
	unsigned i = num - CAPTURE_CONTROL;
	if (isa == CAIRN_ISA_A64)
		return i < sizeof arm64 / sizeof *arm64 ? arm64[i] : CAPTURE_NO_CSR;
	if (isa == CAIRN_ISA_SPARC)
		return i < sizeof sparc / sizeof *sparc ? sparc[i] : CAPTURE_NO_CSR;
	return i < sizeof riscv / sizeof *riscv ? riscv[i] : CAPTURE_NO_CSR;
}

/* What an instruction names of it, or may write besides: who follows the trace does not know it any
 * more if it is not told. But of SPARC's FPRS, which any change of a register may set, only changes
 * are. */
static void dests_controls(const struct cairn_op *op, struct capture_dests *dests)
{
	struct isa_written written;
	isa_written((enum cairn_isa)(op->isa | op->variant), op->enc, op->size, &written);
	for (unsigned k = 0; k < written.n; k++)
		for (unsigned num = CAPTURE_CONTROL; num < CAPTURE_VECTOR; num++) {
			unsigned csr = capture_csr((enum cairn_isa)op->isa, num);
			const struct isa_written_reg *reg = &written.reg[k];
			bool rare = op->isa == CAIRN_ISA_SPARC && num == CAPTURE_FPRS && !reg->sure;
			if (reg->cls == CAIRN_REG_CSR && csr >= reg->num && csr - reg->num < reg->count &&
			    csr != CAPTURE_NO_CSR && !rare)
				dests_add(dests, num, 8);
		}
}

/* ---- RISC-V ---- */

static void dests_riscv(const struct cairn_op *op, struct capture_dests *dests)
{
	struct cairn_operands operands;
	if (cairn_isa_operands((enum cairn_isa)(op->isa | op->variant), op->enc, op->size, &operands) <
	    0)
		return;
	for (unsigned i = 0; i < operands.n_dst; i++)
		if (operands.dst[i].cls == CAIRN_REG_INT && operands.dst[i].num)
			dests_add(dests, operands.dst[i].num, op->isa == CAIRN_ISA_RV32 ? 4 : 8);
		else if (operands.dst[i].cls == CAIRN_REG_FP)
			dests_add(dests, CAPTURE_FP + operands.dst[i].num, 8);
		else if (operands.dst[i].cls == CAIRN_REG_VECTOR)
			dests_add(dests, CAPTURE_VECTOR + operands.dst[i].num, 8);
}

/* ---- A64 ---- */

static void dests_general(struct capture_dests *dests, unsigned reg, bool sp, unsigned bytes)
{
	if (reg != 31 || sp)
		dests_add(dests, reg, bytes);
}

static void arm64_memory(const struct isa_arm64_access *access, struct capture_dests *dests)
{
	unsigned bytes = access->lane > 4 ? 8 : 4;
	for (unsigned i = 0; i < access->n_regs && access->flags & (ISA_ARM64_LOAD | ISA_ARM64_ATOMIC);
	     i++)
		if (access->bank == ISA_ARM64_X)
			dests_general(dests, access->regs[i], false, bytes);
		else if (access->bank == ISA_ARM64_V)
			dests_add(dests, CAPTURE_FP + access->regs[i], 16);
	if (access->status != ISA_ARM64_NO_REG)
		dests_general(dests, access->status, false, 4);
	if (access->writeback && access->base_kind == ISA_ARM64_BASE_X)
		dests_general(dests, access->base, true, 8);
}

/* What SVE writes: vectors, predicates, flags, and what it counts into. */
static void dests_sve(const struct cairn_op *op, struct capture_dests *dests)
{
	struct isa_written written;
	isa_written(CAIRN_ISA_A64, op->enc, 4, &written);
	for (unsigned k = 0; k < written.n; k++)
		for (unsigned i = 0; i < written.reg[k].count && dests->n < CAPTURE_DESTS; i++) {
			unsigned num = written.reg[k].num + i;
			if (written.reg[k].cls == CAIRN_REG_VECTOR && num >= ISA_ARM64_Z0)
				dests_add(dests, CAPTURE_FP + (num - ISA_ARM64_Z0) % 32, 16);
			else if (written.reg[k].cls == CAIRN_REG_PREDICATE)
				dests_add(dests, CAPTURE_PREDICATE + num, 8);
			else if (written.reg[k].cls == CAIRN_REG_FLAGS)
				dests_add(dests, CAPTURE_FLAGS, 8);
			else if (written.reg[k].cls == CAIRN_REG_INT && num <= ISA_ARM64_SP)
				dests_general(dests, num, num == ISA_ARM64_SP, 8);
		}
}

static void dests_arm64(const struct cairn_op *op, struct capture_dests *dests)
{
	struct isa_arm64_access access;
	struct isa_arm64_result result = {0};
	dests->all = true;
	if ((op->enc >> 25 & 15) == 2) {
		dests_sve(op, dests);
	} else if (isa_arm64_access(op->enc, &access)) {
		arm64_memory(&access, dests);
	} else if (isa_arm64_result(op->enc, &result)) {
		if (result.bank == ISA_ARM64_X)
			dests_general(dests, result.reg, result.sp, result.bytes);
		else if (result.bank == ISA_ARM64_V)
			dests_add(dests, CAPTURE_FP + result.reg, 16);
		if (result.sets_nzcv)
			dests_add(dests, CAPTURE_FLAGS, 8);
	} else if ((op->enc >> 25 & 7) == 7 && op->cls != CAIRN_CLASS_ILLEGAL) {
		dests_add(dests, CAPTURE_FP + (op->enc & 31), 16); /* vectors and scalars in them */
	}
}

/* ---- SPARC ---- */

/* A single is half of a register of the stream, a quad is two. */
static void sparc_float(unsigned num, struct capture_dests *dests)
{
	if (num < 32 && dests->n < CAPTURE_DESTS)
		dests->dest[dests->n++] = (struct capture_dest){.num = (uint8_t)(CAPTURE_FP + num / 2),
		                                                .bytes = 4,
		                                                .half = num & 1 ? 2 : 1};
	else if (num >= 32)
		dests_add(dests, num < 64 ? CAPTURE_FP + num - 32 : CAPTURE_FP + (num - 64) / 2, 8);
	if (num >= 64)
		dests_add(dests, CAPTURE_FP + (num - 64) / 2 + 1, 8);
}

/* What VIS and the like write differs by implementation; %y comes last. */
static void dests_sparc(const struct cairn_op *op, struct capture_dests *dests)
{
	unsigned op3 = op->enc >> 30 == 2 ? op->enc >> 19 & 63 : 0, rd = op->enc >> 25 & 31;
	unsigned block = ((rd & 1) << 5 | (rd & 30)) / 2; /* a multiple of 8, or illegal */
	struct cairn_operands operands;
	bool y = false;
	dests->all = true;
	dests->window = op3 == 0x3c || op3 == 0x3d || op3 == 0x39; /* save, restore, return */
	if (op->cls == CAIRN_CLASS_LOAD && op->mem_size > 16 && block % 8 == 0)
		for (unsigned i = 0; i < 8; i++)
			dests_add(dests, CAPTURE_FP + block + i, 8);
	if (op3 == 0x36 || op3 == 0x37 ||
	    cairn_isa_operands(CAIRN_ISA_SPARC, op->enc, 4, &operands) < 0)
		return;
	for (unsigned i = 0; i < operands.n_dst; i++) {
		const struct cairn_operand *operand = &operands.dst[i];
		if (operand->cls == CAIRN_REG_INT)
			dests_add(dests, operand->num, 8);
		else if (operand->cls == CAIRN_REG_FP)
			sparc_float(operand->num, dests);
		else if (operand->cls == CAIRN_REG_FLAGS && operand->num == 0)
			dests_add(dests, CAPTURE_FLAGS, 8);
		else if (operand->cls == CAIRN_REG_FLAGS && dests->n < CAPTURE_DESTS)
			dests->dest[dests->n++] =
				(struct capture_dest){.num = CAPTURE_FSR, .bytes = 8, .codes = true};
		y |= operand->cls == CAIRN_REG_CSR && operand->num == ISA_SPARC_ASR;
	}
	if (y)
		dests_add(dests, CAPTURE_Y, 8);
}

void capture_dests(const struct cairn_op *op, struct capture_dests *out)
{
	*out = (struct capture_dests){0};
	if (op->isa == CAIRN_ISA_RV32 || op->isa == CAIRN_ISA_RV64)
		dests_riscv(op, out);
	else if (op->isa == CAIRN_ISA_A64)
		dests_arm64(op, out);
	else if (op->isa == CAIRN_ISA_SPARC)
		dests_sparc(op, out);
	dests_controls(op, out);
}

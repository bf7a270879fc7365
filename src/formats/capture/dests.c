/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which registers an encoding writes. The stream tells what changed; a write of the
 * value that was there before changes nothing, so it has to come from the encoding.
 */
#include "formats/capture/capture.h"
#include "isa/arm64.h"
#include "isa/sparc.h"

static void dests_add(struct capture_dests *dests, unsigned num, unsigned bytes)
{
	if (dests->n < CAPTURE_DESTS && num < CAPTURE_REGS && !capture_is_dest(dests, num))
		dests->dest[dests->n++] =
			(struct capture_dest){.num = (uint8_t)num, .bytes = (uint8_t)bytes};
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

static void dests_arm64(const struct cairn_op *op, struct capture_dests *dests)
{
	struct isa_arm64_access access;
	struct isa_arm64_result result = {0};
	dests->all = true;
	if (isa_arm64_access(op->enc, &access)) {
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

/* Number `n` of a field that names a double or quad, by its odd bit. */
static void dests_sparc_float(struct capture_dests *dests, unsigned field, unsigned bytes)
{
	unsigned n = bytes == 4 ? field : (field & 30) | (field & 1) << 5;
	if (bytes == 4 && dests->n < CAPTURE_DESTS)
		dests->dest[dests->n++] = (struct capture_dest){.num = (uint8_t)(CAPTURE_FP + n / 2),
		                                                .bytes = 4,
		                                                .half = n & 1 ? 2 : 1};
	for (unsigned i = 0; bytes > 4 && i < bytes / 8; i++)
		dests_add(dests, CAPTURE_FP + n / 2 + i, 8);
}

/* FPop1: by the type of the result, which its last bits say, but for conversions. */
static void sparc_fpop(uint32_t encoding, struct capture_dests *dests)
{
	static const uint8_t sizes[4] = {0, 4, 8, 16};
	unsigned opf = encoding >> 5 & 0x1ff, rd = encoding >> 25 & 31;
	if (opf >= 0xc4) /* fitos … fqtoi: the result's type is above */
		dests_sparc_float(dests, rd, sizes[opf >> 2 & 3] ? sizes[opf >> 2 & 3] : 4);
	else if (opf >= 0x81 && opf <= 0x88) /* fstox … fxtod */
		dests_sparc_float(dests, rd, opf == 0x84 ? 4 : 8);
	else if (opf == 0x8c)
		dests_sparc_float(dests, rd, 16);
	else if (opf == 0x69 || opf == 0x6e) /* fsmuld, fdmulq */
		dests_sparc_float(dests, rd, opf == 0x69 ? 8 : 16);
	else
		dests_sparc_float(dests, rd, sizes[opf & 3]);
}

static void sparc_arithmetic(uint32_t encoding, struct capture_dests *dests)
{
	unsigned op3 = encoding >> 19 & 63, rd = encoding >> 25 & 31;
	if (op3 == 0x34) {
		sparc_fpop(encoding, dests);
	} else if (op3 == 0x35) { /* moves on a condition, and comparisons */
		static const uint8_t sizes[4] = {0, 4, 8, 16};
		if ((encoding >> 5 & 0x1f8) != 0x50)
			dests_sparc_float(dests, rd, sizes[encoding >> 5 & 3]);
	} else if (op3 == 0x30) { /* wr: %y, %ccr */
		if (rd == 0 || rd == 2)
			dests_add(dests, rd ? CAPTURE_FLAGS : CAPTURE_Y, 8);
	} else if (op3 == 0x36 || op3 == 0x37) { /* what each implementation likes */
		return;
	} else if (op3 != 0x31 && op3 != 0x32 && op3 != 0x33 && op3 != 0x39 && op3 != 0x3a &&
	           op3 != 0x3b && op3 != 0x3e) {
		dests->window = op3 == 0x3c || op3 == 0x3d;
		if (rd)
			dests_add(dests, rd, 8);
		if ((op3 >> 4 == 1 && op3 != 0x1d && op3 != 0x19) || (op3 >= 0x20 && op3 <= 0x24))
			dests_add(dests, CAPTURE_FLAGS, 8);
		if ((op3 & ~16u) == 10 || (op3 & ~16u) == 11 || op3 == 0x24)
			dests_add(dests, CAPTURE_Y, 8);
	} else {
		dests->window = op3 == 0x39; /* return */
	}
}

static void sparc_load(uint32_t encoding, struct capture_dests *dests)
{
	unsigned op3 = encoding >> 19 & 63, rd = encoding >> 25 & 31, low = op3 & 15;
	bool store = (low >= 4 && low <= 7) || low == 14;
	if (op3 == 0x20 || op3 == 0x30) {
		dests_sparc_float(dests, rd, 4);
	} else if (op3 == 0x22 || op3 == 0x32) {
		dests_sparc_float(dests, rd, 16);
	} else if (op3 == 0x23 || op3 == 0x33) {
		dests_sparc_float(dests, rd, 8);
	} else if (op3 == 0x3c || op3 == 0x3e || (op3 < 0x20 && !store)) {
		if (rd)
			dests_add(dests, rd, 8);
		if (low == 3 && op3 < 0x20)
			dests_add(dests, rd | 1, 8); /* ldd, ldda */
	}
}

static void dests_sparc(const struct cairn_op *op, struct capture_dests *dests)
{
	uint32_t e = op->enc;
	dests->all = true;
	if (op->cls == CAIRN_CLASS_ILLEGAL)
		return;
	if (e >> 30 == 1)
		dests_add(dests, 15, 8);
	else if (e >> 30 == 0 && (e >> 22 & 7) == 4 && e >> 25 & 31)
		dests_add(dests, e >> 25 & 31, 8);
	else if (e >> 30 == 2)
		sparc_arithmetic(e, dests);
	else if (e >> 30 == 3)
		sparc_load(e, dests);
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
}

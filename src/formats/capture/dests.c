/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which registers an encoding writes. The stream tells what changed; a write of the
 * value that was there before changes nothing, so it has to come from the encoding.
 */
#include "formats/capture/capture.h"
#include "isa/arm64.h"
#include "isa/sparc.h"

static void dests_add(struct capture_dests *d, unsigned num, unsigned bytes)
{
	if (d->n < CAPTURE_DESTS && num < CAPTURE_REGS && !capture_is_dest(d, num))
		d->d[d->n++] = (struct capture_dest){.num = (uint8_t)num, .bytes = (uint8_t)bytes};
}

/* ---- RISC-V ---- */

static void dests_riscv(const struct cairn_op *op, struct capture_dests *d)
{
	struct cairn_operands o;
	if (cairn_isa_operands((enum cairn_isa)(op->isa | op->variant), op->enc, op->size, &o) < 0)
		return;
	for (unsigned i = 0; i < o.n_dst; i++)
		if (o.dst[i].cls == CAIRN_REG_INT && o.dst[i].num)
			dests_add(d, o.dst[i].num, op->isa == CAIRN_ISA_RV32 ? 4 : 8);
		else if (o.dst[i].cls == CAIRN_REG_FP)
			dests_add(d, CAPTURE_FP + o.dst[i].num, 8);
}

/* ---- A64 ---- */

static void dests_general(struct capture_dests *d, unsigned reg, bool sp, unsigned bytes)
{
	if (reg != 31 || sp)
		dests_add(d, reg, bytes);
}

static void arm64_memory(const struct isa_arm64_access *a, struct capture_dests *d)
{
	unsigned bytes = a->lane > 4 ? 8 : 4;
	for (unsigned i = 0; i < a->n_regs && a->flags & (ISA_ARM64_LOAD | ISA_ARM64_ATOMIC); i++)
		if (a->bank == ISA_ARM64_X)
			dests_general(d, a->regs[i], false, bytes);
		else if (a->bank == ISA_ARM64_V)
			dests_add(d, CAPTURE_FP + a->regs[i], 16);
	if (a->status != ISA_ARM64_NO_REG)
		dests_general(d, a->status, false, 4);
	if (a->writeback && a->base_kind == ISA_ARM64_BASE_X)
		dests_general(d, a->base, true, 8);
}

static void dests_arm64(const struct cairn_op *op, struct capture_dests *d)
{
	struct isa_arm64_access a;
	struct isa_arm64_result r = {0};
	d->all = true;
	if (isa_arm64_access(op->enc, &a)) {
		arm64_memory(&a, d);
	} else if (isa_arm64_result(op->enc, &r)) {
		if (r.bank == ISA_ARM64_X)
			dests_general(d, r.reg, r.sp, r.bytes);
		else if (r.bank == ISA_ARM64_V)
			dests_add(d, CAPTURE_FP + r.reg, 16);
		if (r.sets_nzcv)
			dests_add(d, CAPTURE_FLAGS, 8);
	} else if ((op->enc >> 25 & 7) == 7 && op->cls != CAIRN_CLASS_ILLEGAL) {
		dests_add(d, CAPTURE_FP + (op->enc & 31), 16); /* vectors and scalars in them */
	}
}

/* ---- SPARC ---- */

/* Number `n` of a field that names a double or quad, by its odd bit. */
static void dests_sparc_float(struct capture_dests *d, unsigned field, unsigned bytes)
{
	unsigned n = bytes == 4 ? field : (field & 30) | (field & 1) << 5;
	if (bytes == 4 && d->n < CAPTURE_DESTS)
		d->d[d->n++] = (struct capture_dest){.num = (uint8_t)(CAPTURE_FP + n / 2),
		                                     .bytes = 4,
		                                     .half = n & 1 ? 2 : 1};
	for (unsigned i = 0; bytes > 4 && i < bytes / 8; i++)
		dests_add(d, CAPTURE_FP + n / 2 + i, 8);
}

/* FPop1: by the type of the result, which its last bits say, but for conversions. */
static void sparc_fpop(uint32_t e, struct capture_dests *d)
{
	static const uint8_t sizes[4] = {0, 4, 8, 16};
	unsigned opf = e >> 5 & 0x1ff, rd = e >> 25 & 31;
	if (opf >= 0xc4) /* fitos … fqtoi: the result's type is above */
		dests_sparc_float(d, rd, sizes[opf >> 2 & 3] ? sizes[opf >> 2 & 3] : 4);
	else if (opf >= 0x81 && opf <= 0x88) /* fstox … fxtod */
		dests_sparc_float(d, rd, opf == 0x84 ? 4 : 8);
	else if (opf == 0x8c)
		dests_sparc_float(d, rd, 16);
	else if (opf == 0x69 || opf == 0x6e) /* fsmuld, fdmulq */
		dests_sparc_float(d, rd, opf == 0x69 ? 8 : 16);
	else
		dests_sparc_float(d, rd, sizes[opf & 3]);
}

static void sparc_arithmetic(uint32_t e, struct capture_dests *d)
{
	unsigned op3 = e >> 19 & 63, rd = e >> 25 & 31;
	if (op3 == 0x34) {
		sparc_fpop(e, d);
	} else if (op3 == 0x35) { /* moves on a condition, and comparisons */
		static const uint8_t sizes[4] = {0, 4, 8, 16};
		if ((e >> 5 & 0x1f8) != 0x50)
			dests_sparc_float(d, rd, sizes[e >> 5 & 3]);
	} else if (op3 == 0x30) { /* wr: %y, %ccr */
		if (rd == 0 || rd == 2)
			dests_add(d, rd ? CAPTURE_FLAGS : CAPTURE_Y, 8);
	} else if (op3 == 0x36 || op3 == 0x37) { /* what each implementation likes */
		return;
	} else if (op3 != 0x31 && op3 != 0x32 && op3 != 0x33 && op3 != 0x39 && op3 != 0x3a &&
	           op3 != 0x3b && op3 != 0x3e) {
		d->window = op3 == 0x3c || op3 == 0x3d;
		if (rd)
			dests_add(d, rd, 8);
		if ((op3 >> 4 == 1 && op3 != 0x1d && op3 != 0x19) || (op3 >= 0x20 && op3 <= 0x24))
			dests_add(d, CAPTURE_FLAGS, 8);
		if ((op3 & ~16u) == 10 || (op3 & ~16u) == 11 || op3 == 0x24)
			dests_add(d, CAPTURE_Y, 8);
	} else {
		d->window = op3 == 0x39; /* return */
	}
}

static void sparc_load(uint32_t e, struct capture_dests *d)
{
	unsigned op3 = e >> 19 & 63, rd = e >> 25 & 31, low = op3 & 15;
	bool store = (low >= 4 && low <= 7) || low == 14;
	if (op3 == 0x20 || op3 == 0x30) {
		dests_sparc_float(d, rd, 4);
	} else if (op3 == 0x22 || op3 == 0x32) {
		dests_sparc_float(d, rd, 16);
	} else if (op3 == 0x23 || op3 == 0x33) {
		dests_sparc_float(d, rd, 8);
	} else if (op3 == 0x3c || op3 == 0x3e || (op3 < 0x20 && !store)) {
		if (rd)
			dests_add(d, rd, 8);
		if (low == 3 && op3 < 0x20)
			dests_add(d, rd | 1, 8); /* ldd, ldda */
	}
}

static void dests_sparc(const struct cairn_op *op, struct capture_dests *d)
{
	uint32_t e = op->enc;
	d->all = true;
	if (op->cls == CAIRN_CLASS_ILLEGAL)
		return;
	if (e >> 30 == 1)
		dests_add(d, 15, 8);
	else if (e >> 30 == 0 && (e >> 22 & 7) == 4 && e >> 25 & 31)
		dests_add(d, e >> 25 & 31, 8);
	else if (e >> 30 == 2)
		sparc_arithmetic(e, d);
	else if (e >> 30 == 3)
		sparc_load(e, d);
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

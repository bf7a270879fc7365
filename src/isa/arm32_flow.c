/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32: which instructions change the flow, or are told by an instruction
 * trace though they do not; and the door to all three sets.
 *
 * PC is a general register here, so loads and arithmetic can branch. Of encodings that
 * the manual calls unpredictable those are branches that write PC in every description
 * of them; comparisons that name PC as result do not write it.
 *
 * By convention a return is what compilers emit for it: bx lr, mov pc, lr, pop {pc}.
 * Writing PC with the S bit, RFE and ERET return from an exception.
 *
 * Sources: Arm Architecture Reference Manual for A-profile, F3 and F4; for loops of
 * low overhead (LE, WLS and relatives) the one for v8-M.
 */
#include "isa/arm.h"

#include "base/bytes.h"

static void arm32_flow_direct(struct isa_arm_flow *f, int flags, int64_t offset)
{
	f->kind = ISA_ARM_DIRECT;
	f->flags = (uint8_t)flags;
	f->offset = offset;
}

static bool arm32_flow_indirect(struct isa_arm_flow *f, int flags)
{
	f->kind = ISA_ARM_INDIRECT;
	f->flags |= (uint8_t)flags;
	return true;
}

/* ---- A32 ---- */

/* Arithmetic whose result is PC. */
static bool computes_pc(uint32_t e)
{
	bool compares = (e & 0x01800000) == 0x01000000; /* and, without S, other instructions */
	bool other = (e & 0x02000090) == 0x00000090;    /* products, extra loads */
	return (e & 0x0c00f000) == 0x0000f000 && !compares && !other;
}

static bool a32_indirect(uint32_t e, struct isa_arm_flow *f)
{
	uint32_t plain = e & 0x0fffffff;
	bool s = e >> 20 & 1;
	if ((e & 0x0ff000f0) == 0x01200010) /* bx */
		return arm32_flow_indirect(f, (e & 15) == 14 ? ISA_ARM_RETURN : 0);
	if ((e & 0x0ff000f0) == 0x01200030) /* blx */
		return arm32_flow_indirect(f, ISA_ARM_LINK);
	if ((e & 0x0ff000f0) == 0x01200020) /* bxj */
		return arm32_flow_indirect(f, 0);
	if (plain == 0x0160006e) /* eret */
		return arm32_flow_indirect(f, ISA_ARM_ERET);
	if ((e & 0x0e108000) == 0x08108000) { /* ldm with pc */
		bool pop = (e & 0x0fff0000) == 0x08bd0000;
		return arm32_flow_indirect(f, e >> 22 & 1 ? ISA_ARM_ERET : pop ? ISA_ARM_RETURN : 0);
	}
	if ((e & 0x0e50f000) == 0x0410f000) /* ldr pc, offset */
		return arm32_flow_indirect(f, (e & 0x0fff0fff) == 0x049d0004 ? ISA_ARM_RETURN : 0);
	if ((e & 0x0e50f010) == 0x0610f000) /* ldr pc, register */
		return arm32_flow_indirect(f, 0);
	if (computes_pc(e))
		return arm32_flow_indirect(f, s ? ISA_ARM_ERET : plain == 0x01a0f00e ? ISA_ARM_RETURN : 0);
	return false;
}

static bool a32_isb(uint32_t e)
{
	return (e & 0xfffffff0) == 0xf57ff060 ||
	       (e >> 28 != 15 && (e & 0x0fff0fff) == 0x0e070f95); /* by CP15 */
}

void isa_arm32_flow_a32(uint32_t e, bool wfx, struct isa_arm_flow *f)
{
	unsigned cond = e >> 28;
	int64_t words = isa_arm_sign(e & 0xffffff, 24);
	if (cond == 15) {
		if ((e & 0x0e000000) == 0x0a000000) { /* blx */
			arm32_flow_direct(f, ISA_ARM_LINK, 8 + 4 * words + (e >> 23 & 2));
			f->isa = CAIRN_ISA_T32;
		} else if ((e & 0x0e500000) == 0x08100000) { /* rfe */
			arm32_flow_indirect(f, ISA_ARM_ERET);
		} else if (a32_isb(e)) {
			f->kind = ISA_ARM_ISB;
		}
		return;
	}
	f->flags = cond < 14 ? ISA_ARM_CONDITIONAL : 0;
	if ((e & 0x0e000000) == 0x0a000000)
		arm32_flow_direct(f, f->flags | (e >> 24 & 1 ? ISA_ARM_LINK : 0), 8 + 4 * words);
	else if (a32_indirect(e, f))
		return;
	else if (a32_isb(e))
		f->kind = ISA_ARM_ISB;
	else if (wfx && (e & 0x0ffffffe) == 0x0320f002)
		f->kind = ISA_ARM_WFX;
	else
		f->flags = 0;
}

/* ---- T32 ---- */

static void t32_short(uint32_t e, bool wfx, struct isa_arm_flow *f)
{
	unsigned rm = e >> 3 & 15;
	if ((e & 0xf000) == 0xd000 && (e & 0x0e00) != 0x0e00) /* b<cond> */
		arm32_flow_direct(f, ISA_ARM_CONDITIONAL, 4 + 2 * isa_arm_sign(e & 0xff, 8));
	else if ((e & 0xf800) == 0xe000) /* b */
		arm32_flow_direct(f, 0, 4 + 2 * isa_arm_sign(e & 0x7ff, 11));
	else if ((e & 0xf500) == 0xb100) /* cbz, cbnz: forward only */
		arm32_flow_direct(f, ISA_ARM_CONDITIONAL, 4 + (int64_t)((e >> 3 & 0x40) | (e >> 2 & 0x3e)));
	else if ((e & 0xff80) == 0x4700) /* bx */
		arm32_flow_indirect(f, rm == 14 ? ISA_ARM_RETURN : 0);
	else if ((e & 0xff80) == 0x4780) /* blx */
		arm32_flow_indirect(f, ISA_ARM_LINK);
	else if ((e & 0xff87) == 0x4687) /* mov pc */
		arm32_flow_indirect(f, rm == 14 ? ISA_ARM_RETURN : 0);
	else if ((e & 0xff87) == 0x4487) /* add pc */
		arm32_flow_indirect(f, 0);
	else if ((e & 0xff00) == 0xbd00) /* pop {pc} */
		arm32_flow_indirect(f, ISA_ARM_RETURN);
	else if (wfx && (e & 0xffef) == 0xbf20)
		f->kind = ISA_ARM_WFX;
	else if ((e & 0xff00) == 0xbf00 && e & 15)
		f->it = (uint8_t)(4 - __builtin_ctz(e & 15));
}

/* The longest distances: S:I1:I2:imm10:imm11, where I is J turned over unless S is set. */
static int64_t far(uint32_t e)
{
	uint32_t s = e >> 26 & 1, i1 = (e >> 13 & 1) ^ !s, i2 = (e >> 11 & 1) ^ !s;
	return 2 *
	       isa_arm_sign(s << 23 | i1 << 22 | i2 << 21 | (e >> 16 & 0x3ff) << 11 | (e & 0x7ff), 24);
}

/* Loops of low overhead: the way back, and the way around. */
static bool t32_loop(uint32_t e, struct isa_arm_flow *f)
{
	int64_t distance = (int64_t)((e & 0x7fe) << 1 | (e >> 10 & 2));
	if ((e & 0xf800f001) != 0xf000c001)
		return false;
	unsigned op = e >> 20 & 127;
	if ((e >> 16 & 15) == 15 && op <= 2) /* le, letp */
		arm32_flow_direct(f, ISA_ARM_CONDITIONAL, 4 - distance);
	else if ((e >> 16 & 15) != 15 && op <= 4) /* wlstp, wls */
		arm32_flow_direct(f, ISA_ARM_CONDITIONAL, 4 + distance);
	else
		return false;
	return true;
}

static bool t32_direct(uint32_t e, struct isa_arm_flow *f)
{
	if ((e & 0xf800d000) == 0xf0008000 && (e >> 23 & 7) != 7) { /* b<cond> */
		uint32_t v = (e >> 26 & 1) << 19 | (e >> 11 & 1) << 18 | (e >> 13 & 1) << 17 |
		             (e >> 16 & 0x3f) << 11 | (e & 0x7ff);
		arm32_flow_direct(f, ISA_ARM_CONDITIONAL, 4 + 2 * isa_arm_sign(v, 20));
		return true;
	}
	if ((e & 0xf8009000) == 0xf0009000) { /* b, bl */
		arm32_flow_direct(f, e >> 14 & 1 ? ISA_ARM_LINK : 0, 4 + far(e));
		return true;
	}
	if ((e & 0xf800d001) == 0xf000c000) { /* blx */
		arm32_flow_direct(f, ISA_ARM_LINK | ISA_ARM_ALIGN, 4 + far(e));
		f->isa = CAIRN_ISA_A32;
		return true;
	}
	return t32_loop(e, f);
}

static bool t32_indirect(uint32_t e, struct isa_arm_flow *f)
{
	if ((e & 0xfff0ffe0) == 0xe8d0f000) /* tbb, tbh */
		return arm32_flow_indirect(f, 0);
	if ((e & 0xffd00000) == 0xe8100000 || (e & 0xffd00000) == 0xe9900000) /* rfe */
		return arm32_flow_indirect(f, ISA_ARM_ERET);
	if ((e & 0xfe508000) == 0xe8108000) /* ldm with pc */
		return arm32_flow_indirect(f, (e & 0xffff0000) == 0xe8bd0000 ? ISA_ARM_RETURN : 0);
	if ((e & 0xfff0d000) == 0xf3d08000) /* subs pc, lr; eret */
		return arm32_flow_indirect(f, ISA_ARM_ERET);
	if ((e & 0xfff0d000) == 0xf3c08000) /* bxj */
		return arm32_flow_indirect(f, 0);
	if ((e & 0xfff0f800) == 0xf850f800) /* ldr pc, offset */
		return arm32_flow_indirect(f, (e & 0xffff0fff) == 0xf85d0b04 ? ISA_ARM_RETURN : 0);
	if ((e & 0xfff0f000) == 0xf8d0f000 || (e & 0xff7ff000) == 0xf85ff000 ||
	    (e & 0xfff0ffc0) == 0xf850f000)
		return arm32_flow_indirect(f, 0);
	return false;
}

void isa_arm32_flow_t32(uint32_t e, bool wfx, struct isa_arm_flow *f)
{
	if (f->size == 2)
		t32_short(e, wfx, f);
	else if (t32_direct(e, f) || t32_indirect(e, f))
		return;
	else if ((e & 0xfff0fff0) == 0xf3b08f60 || (e & 0xffff0fff) == 0xee070f95)
		f->kind = ISA_ARM_ISB;
	else if (wfx && (e & 0xfffffffe) == 0xf3af8002)
		f->kind = ISA_ARM_WFX;
}

/* ---- all ---- */

void isa_arm_flow(enum cairn_isa isa, uint32_t enc, enum isa_arm_level level, bool wfx,
                  struct isa_arm_flow *f)
{
	*f = (struct isa_arm_flow){.size = 4, .isa = (uint8_t)isa};
	if (isa == CAIRN_ISA_A64) {
		isa_arm64_flow(enc, level, wfx, f);
	} else if (isa == CAIRN_ISA_A32) {
		isa_arm32_flow_a32(enc, wfx, f);
	} else if (isa == CAIRN_ISA_T32) {
		f->size = enc > 0xffff ? 4 : 2;
		isa_arm32_flow_t32(enc, wfx, f);
	}
}

uint32_t isa_arm_fetch(enum cairn_isa isa, const uint8_t *p, size_t n, unsigned *size)
{
	*size = isa == CAIRN_ISA_T32 ? 2 : 4;
	if (isa == CAIRN_ISA_T32 && n >= 2)
		*size = isa_arm_t32_size(base_le16(p));
	if (n < *size) {
		*size = 0;
		return 0;
	}
	if (isa != CAIRN_ISA_T32)
		return base_le32(p);
	uint32_t first = base_le16(p);
	return *size == 2 ? first : first << 16 | base_le16(p + 2);
}

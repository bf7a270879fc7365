/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 and T32: which instructions change the flow, or are reported by an instruction trace although
 * they do not; and isa_arm_flow for all three sets.
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

static void arm32_flow_direct(struct isa_arm_flow *flow, int flags, int64_t offset)
{
	flow->kind = ISA_ARM_DIRECT;
	flow->flags = (uint8_t)flags;
	flow->offset = offset;
}

static bool arm32_flow_indirect(struct isa_arm_flow *flow, int flags)
{
	flow->kind = ISA_ARM_INDIRECT;
	flow->flags |= (uint8_t)flags;
	return true;
}

/* ---- A32 ---- */

/* Arithmetic whose result is PC. */
static bool computes_pc(uint32_t encoding)
{
	bool compares = (encoding & 0x01800000) == 0x01000000; /* and, without S, other instructions */
	bool other = (encoding & 0x02000090) == 0x00000090;    /* products, extra loads */
	return (encoding & 0x0c00f000) == 0x0000f000 && !compares && !other;
}

static bool a32_indirect(uint32_t encoding, struct isa_arm_flow *flow)
{
	uint32_t plain = encoding & 0x0fffffff;
	bool s = encoding >> 20 & 1;
	if ((encoding & 0x0ff000f0) == 0x01200010) /* bx */
		return arm32_flow_indirect(flow, (encoding & 15) == 14 ? ISA_ARM_RETURN : 0);
	if ((encoding & 0x0ff000f0) == 0x01200030) /* blx */
		return arm32_flow_indirect(flow, ISA_ARM_LINK);
	if ((encoding & 0x0ff000f0) == 0x01200020) /* bxj */
		return arm32_flow_indirect(flow, 0);
	if (plain == 0x0160006e) /* eret */
		return arm32_flow_indirect(flow, ISA_ARM_ERET);
	if ((encoding & 0x0e108000) == 0x08108000) { /* ldm with pc */
		bool pop = (encoding & 0x0fff0000) == 0x08bd0000;
		return arm32_flow_indirect(flow, encoding >> 22 & 1 ? ISA_ARM_ERET
		                                 : pop              ? ISA_ARM_RETURN
		                                                    : 0);
	}
	if ((encoding & 0x0e50f000) == 0x0410f000) /* ldr pc, offset */
		return arm32_flow_indirect(flow,
		                           (encoding & 0x0fff0fff) == 0x049d0004 ? ISA_ARM_RETURN : 0);
	if ((encoding & 0x0e50f010) == 0x0610f000) /* ldr pc, register */
		return arm32_flow_indirect(flow, 0);
	if (computes_pc(encoding))
		return arm32_flow_indirect(flow, s                     ? ISA_ARM_ERET
		                                 : plain == 0x01a0f00e ? ISA_ARM_RETURN
		                                                       : 0);
	return false;
}

static bool a32_isb(uint32_t encoding)
{
	return (encoding & 0xfffffff0) == 0xf57ff060 ||
	       (encoding >> 28 != 15 && (encoding & 0x0fff0fff) == 0x0e070f95); /* by CP15 */
}

void isa_arm32_flow_a32(uint32_t encoding, bool wfx, struct isa_arm_flow *flow)
{
	unsigned cond = encoding >> 28;
	int64_t words = isa_sign(encoding & 0xffffff, 24);
	if (cond == 15) {
		if ((encoding & 0x0e000000) == 0x0a000000) { /* blx */
			arm32_flow_direct(flow, ISA_ARM_LINK, 8 + 4 * words + (encoding >> 23 & 2));
			flow->isa = CAIRN_ISA_T32;
		} else if ((encoding & 0x0e500000) == 0x08100000) { /* rfe */
			arm32_flow_indirect(flow, ISA_ARM_ERET);
		} else if (a32_isb(encoding)) {
			flow->kind = ISA_ARM_ISB;
		}
		return;
	}
	flow->flags = cond < 14 ? ISA_ARM_CONDITIONAL : 0;
	if ((encoding & 0x0e000000) == 0x0a000000)
		arm32_flow_direct(flow, flow->flags | (encoding >> 24 & 1 ? ISA_ARM_LINK : 0),
		                  8 + 4 * words);
	else if (a32_indirect(encoding, flow))
		return;
	else if (a32_isb(encoding))
		flow->kind = ISA_ARM_ISB;
	else if (wfx && (encoding & 0x0ffffffe) == 0x0320f002)
		flow->kind = ISA_ARM_WFX;
	else
		flow->flags = 0;
}

/* ---- T32 ---- */

static void t32_short(uint32_t encoding, bool wfx, struct isa_arm_flow *flow)
{
	unsigned rm = encoding >> 3 & 15;
	if ((encoding & 0xf000) == 0xd000 && (encoding & 0x0e00) != 0x0e00) /* b<cond> */
		arm32_flow_direct(flow, ISA_ARM_CONDITIONAL, 4 + 2 * isa_sign(encoding & 0xff, 8));
	else if ((encoding & 0xf800) == 0xe000) /* b */
		arm32_flow_direct(flow, 0, 4 + 2 * isa_sign(encoding & 0x7ff, 11));
	else if ((encoding & 0xf500) == 0xb100) /* cbz, cbnz: forward only */
		arm32_flow_direct(flow, ISA_ARM_CONDITIONAL,
		                  4 + (int64_t)((encoding >> 3 & 0x40) | (encoding >> 2 & 0x3e)));
	else if ((encoding & 0xff80) == 0x4700) /* bx */
		arm32_flow_indirect(flow, rm == 14 ? ISA_ARM_RETURN : 0);
	else if ((encoding & 0xff80) == 0x4780) /* blx */
		arm32_flow_indirect(flow, ISA_ARM_LINK);
	else if ((encoding & 0xff87) == 0x4687) /* mov pc */
		arm32_flow_indirect(flow, rm == 14 ? ISA_ARM_RETURN : 0);
	else if ((encoding & 0xff87) == 0x4487) /* add pc */
		arm32_flow_indirect(flow, 0);
	else if ((encoding & 0xff00) == 0xbd00) /* pop {pc} */
		arm32_flow_indirect(flow, ISA_ARM_RETURN);
	else if (wfx && (encoding & 0xffef) == 0xbf20)
		flow->kind = ISA_ARM_WFX;
	else if ((encoding & 0xff00) == 0xbf00 && encoding & 15)
		flow->it = (uint8_t)(4 - __builtin_ctz(encoding & 15));
}

/* The longest distances: S:I1:I2:imm10:imm11, where I is J turned over unless S is set. */
static int64_t far(uint32_t encoding)
{
	uint32_t s = encoding >> 26 & 1, i1 = (encoding >> 13 & 1) ^ !s, i2 = (encoding >> 11 & 1) ^ !s;
	return 2 * isa_sign(s << 23 | i1 << 22 | i2 << 21 | (encoding >> 16 & 0x3ff) << 11 |
	                        (encoding & 0x7ff),
	                    24);
}

/* Loops of low overhead: the way back, and the way around. */
static bool t32_loop(uint32_t encoding, struct isa_arm_flow *flow)
{
	int64_t distance = (int64_t)((encoding & 0x7fe) << 1 | (encoding >> 10 & 2));
	if ((encoding & 0xf800f001) != 0xf000c001)
		return false;
	unsigned op = encoding >> 20 & 127;
	if ((encoding >> 16 & 15) == 15 && op <= 2) /* le, letp */
		arm32_flow_direct(flow, ISA_ARM_CONDITIONAL, 4 - distance);
	else if ((encoding >> 16 & 15) != 15 && op <= 4) /* wlstp, wls */
		arm32_flow_direct(flow, ISA_ARM_CONDITIONAL, 4 + distance);
	else
		return false;
	return true;
}

static bool t32_direct(uint32_t encoding, struct isa_arm_flow *flow)
{
	if ((encoding & 0xf800d000) == 0xf0008000 && (encoding >> 23 & 7) != 7) { /* b<cond> */
		uint32_t v = (encoding >> 26 & 1) << 19 | (encoding >> 11 & 1) << 18 |
		             (encoding >> 13 & 1) << 17 | (encoding >> 16 & 0x3f) << 11 |
		             (encoding & 0x7ff);
		arm32_flow_direct(flow, ISA_ARM_CONDITIONAL, 4 + 2 * isa_sign(v, 20));
		return true;
	}
	if ((encoding & 0xf8009000) == 0xf0009000) { /* b, bl */
		arm32_flow_direct(flow, encoding >> 14 & 1 ? ISA_ARM_LINK : 0, 4 + far(encoding));
		return true;
	}
	if ((encoding & 0xf800d001) == 0xf000c000) { /* blx */
		arm32_flow_direct(flow, ISA_ARM_LINK | ISA_ARM_ALIGN, 4 + far(encoding));
		flow->isa = CAIRN_ISA_A32;
		return true;
	}
	return t32_loop(encoding, flow);
}

static bool t32_indirect(uint32_t encoding, struct isa_arm_flow *flow)
{
	if ((encoding & 0xfff0ffe0) == 0xe8d0f000) /* tbb, tbh */
		return arm32_flow_indirect(flow, 0);
	if ((encoding & 0xffd00000) == 0xe8100000 || (encoding & 0xffd00000) == 0xe9900000) /* rfe */
		return arm32_flow_indirect(flow, ISA_ARM_ERET);
	if ((encoding & 0xfe508000) == 0xe8108000) /* ldm with pc */
		return arm32_flow_indirect(flow,
		                           (encoding & 0xffff0000) == 0xe8bd0000 ? ISA_ARM_RETURN : 0);
	if ((encoding & 0xfff0d000) == 0xf3d08000) /* subs pc, lr; eret */
		return arm32_flow_indirect(flow, ISA_ARM_ERET);
	if ((encoding & 0xfff0d000) == 0xf3c08000) /* bxj */
		return arm32_flow_indirect(flow, 0);
	if ((encoding & 0xfff0f800) == 0xf850f800) /* ldr pc, offset */
		return arm32_flow_indirect(flow,
		                           (encoding & 0xffff0fff) == 0xf85d0b04 ? ISA_ARM_RETURN : 0);
	if ((encoding & 0xfff0f000) == 0xf8d0f000 || (encoding & 0xff7ff000) == 0xf85ff000 ||
	    (encoding & 0xfff0ffc0) == 0xf850f000)
		return arm32_flow_indirect(flow, 0);
	return false;
}

void isa_arm32_flow_t32(uint32_t encoding, bool wfx, struct isa_arm_flow *flow)
{
	if (flow->size == 2)
		t32_short(encoding, wfx, flow);
	else if (t32_direct(encoding, flow) || t32_indirect(encoding, flow))
		return;
	else if ((encoding & 0xfff0fff0) == 0xf3b08f60 || (encoding & 0xffff0fff) == 0xee070f95)
		flow->kind = ISA_ARM_ISB;
	else if (wfx && (encoding & 0xfffffffe) == 0xf3af8002)
		flow->kind = ISA_ARM_WFX;
}

/* ---- all ---- */

void isa_arm_flow(enum cairn_isa isa, uint32_t enc, enum isa_arm_level level, bool wfx,
                  struct isa_arm_flow *flow)
{
	*flow = (struct isa_arm_flow){.size = 4, .isa = (uint8_t)isa};
	if (isa == CAIRN_ISA_A64) {
		isa_arm64_flow(enc, level, wfx, flow);
	} else if (isa == CAIRN_ISA_A32) {
		isa_arm32_flow_a32(enc, wfx, flow);
	} else if (isa == CAIRN_ISA_T32) {
		flow->size = enc > 0xffff ? 4 : 2;
		isa_arm32_flow_t32(enc, wfx, flow);
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

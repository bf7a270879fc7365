/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which instructions change the flow, or are reported by an instruction trace although they do
 * not.
 *
 * Both are small sets with fixed bits, so this is a handful of masks, the most frequent first. Everything lies where bits 28 to 26 are 101. SVC, HVC, SMC,
 * BRK, HLT and DCPS are not here: traces show the exception they take.
 *
 * Sources: Arm Architecture Reference Manual for A-profile, C4.1 (Branches, Exception
 * Generating and System instructions) and D4 (P0 elements); FEAT_PAuth_LR, FEAT_CMPBR,
 * FEAT_HBC and FEAT_TME.
 */
#include "isa/arm.h"

static void arm64_flow_direct(struct isa_arm_flow *flow, int flags, int64_t words)
{
	flow->kind = ISA_ARM_DIRECT;
	flow->flags = (uint8_t)flags;
	flow->offset = 4 * words;
}

static void arm64_flow_indirect(struct isa_arm_flow *flow, int flags)
{
	flow->kind = ISA_ARM_INDIRECT;
	flow->flags = (uint8_t)flags;
}

/* Compare and branch (FEAT_CMPBR): registers, bytes and halfwords, or an immediate. */
static bool compare_branch(uint32_t encoding)
{
	unsigned cc = encoding >> 21 & 7, how = encoding >> 14 & 3;
	if ((encoding & 0x7e000000) != 0x74000000 || cc == 4 || cc == 5)
		return false;
	if (encoding >> 24 & 1)
		return !(how & 1);
	return encoding >> 31 ? how == 0 : how != 1;
}

static bool direct_branch(uint32_t encoding, struct isa_arm_flow *flow)
{
	if ((encoding & 0x7c000000) == 0x14000000) /* b, bl */
		arm64_flow_direct(flow, encoding >> 31 ? ISA_ARM_LINK : 0,
		                  isa_sign(encoding & 0x3ffffff, 26));
	else if ((encoding & 0xff000000) == 0x54000000) /* b.cond, bc.cond */
		arm64_flow_direct(flow, (encoding & 14) == 14 ? 0 : ISA_ARM_CONDITIONAL,
		                  isa_sign(encoding >> 5 & 0x7ffff, 19));
	else if ((encoding & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		arm64_flow_direct(flow, ISA_ARM_CONDITIONAL, isa_sign(encoding >> 5 & 0x7ffff, 19));
	else if ((encoding & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		arm64_flow_direct(flow, ISA_ARM_CONDITIONAL, isa_sign(encoding >> 5 & 0x3fff, 14));
	else if (compare_branch(encoding))
		arm64_flow_direct(flow, ISA_ARM_CONDITIONAL, isa_sign(encoding >> 5 & 0x1ff, 9));
	else
		return false;
	return true;
}

/* Those that authenticate an address, or return by one that was. */
static bool arm64_flow_authenticated(uint32_t encoding, struct isa_arm_flow *flow)
{
	int link = encoding >> 21 & 1 ? ISA_ARM_LINK : 0;
	if ((encoding & 0xffdff800) == 0xd71f0800 || (encoding & 0xffdff81f) == 0xd61f081f)
		arm64_flow_indirect(flow, link);
	else if ((encoding & 0xfffffbff) == 0xd69f0bff) /* eretaa, eretab */
		arm64_flow_indirect(flow, ISA_ARM_ERET);
	else if ((encoding & 0xfffffbe0) == 0xd65f0be0) /* retaa, retab, retaasppcr */
		arm64_flow_indirect(flow, ISA_ARM_RETURN);
	else if ((encoding & 0xffc0001f) == 0x5500001f) /* retaasppc */
		arm64_flow_indirect(flow, ISA_ARM_RETURN);
	else
		return false;
	return true;
}

static bool indirect_branch(uint32_t encoding, enum isa_arm_level level, struct isa_arm_flow *flow)
{
	if ((encoding & 0xfffffc1f) == 0xd65f0000)
		arm64_flow_indirect(flow, ISA_ARM_RETURN);
	else if ((encoding & 0xffdffc1f) == 0xd61f0000) /* br, blr */
		arm64_flow_indirect(flow, encoding >> 21 & 1 ? ISA_ARM_LINK : 0);
	else if (encoding == 0xd69f03e0 || (encoding & 0xfffffbff) == 0xd6ff03e0) /* eret, texit */
		arm64_flow_indirect(flow, ISA_ARM_ERET);
	else
		return level >= ISA_ARM_V8_3 && arm64_flow_authenticated(encoding, flow);
	return true;
}

void isa_arm64_flow(uint32_t encoding, enum isa_arm_level level, bool wfx,
                    struct isa_arm_flow *flow)
{
	if (!isa_arm_a64_may_flow(encoding) || direct_branch(encoding, flow) ||
	    indirect_branch(encoding, level, flow))
		return;
	bool wait = (encoding & 0xffffffdf) == 0xd503205f ||
	            (level >= ISA_ARM_AA64 && (encoding & 0xffffffc0) == 0xd5031000);
	if ((encoding & 0xfffff0ff) == 0xd50330df)
		flow->kind = ISA_ARM_ISB;
	else if (wait && wfx)
		flow->kind = ISA_ARM_WFX;
	else if (level >= ISA_ARM_AA64 && (encoding & 0xffffffe0) == 0xd5233060)
		flow->kind = ISA_ARM_TSTART;
}

/* ---- exceptions ---- */

const char *isa_arm_exception_name(uint64_t type)
{
	static const char *const names[16] = {"PE_RESET",     "DEBUG_HALT", "CALL",       "TRAP",
	                                      "SYSTEM_ERROR", NULL,         "INST_DEBUG", "DATA_DEBUG",
	                                      NULL,           NULL,         "ALIGNMENT",  "INST_FAULT",
	                                      "DATA_FAULT",   NULL,         "IRQ",        "FIQ"};
	if (type < 16)
		return names[type];
	return type < 24 ? "impl" : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which instructions change the flow, or are told by an instruction trace
 * though they do not.
 *
 * Both are small sets with fixed bits, so this is a handful of masks, ordered by how
 * often programs have them. Everything lies where bits 28 to 26 are 101. SVC, HVC, SMC,
 * BRK, HLT and DCPS are not here: traces show the exception they take.
 *
 * Sources: Arm Architecture Reference Manual for A-profile, C4.1 (Branches, Exception
 * Generating and System instructions) and D4 (P0 elements); FEAT_PAuth_LR, FEAT_CMPBR,
 * FEAT_HBC and FEAT_TME.
 */
#include "isa/arm.h"

static void arm64_flow_direct(struct isa_arm_flow *f, int flags, int64_t words)
{
	f->kind = ISA_ARM_DIRECT;
	f->flags = (uint8_t)flags;
	f->offset = 4 * words;
}

static void arm64_flow_indirect(struct isa_arm_flow *f, int flags)
{
	f->kind = ISA_ARM_INDIRECT;
	f->flags = (uint8_t)flags;
}

/* Compare and branch (FEAT_CMPBR): registers, bytes and halfwords, or an immediate. */
static bool compare_branch(uint32_t e)
{
	unsigned cc = e >> 21 & 7, how = e >> 14 & 3;
	if ((e & 0x7e000000) != 0x74000000 || cc == 4 || cc == 5)
		return false;
	if (e >> 24 & 1)
		return !(how & 1);
	return e >> 31 ? how == 0 : how != 1;
}

static bool direct_branch(uint32_t e, struct isa_arm_flow *f)
{
	if ((e & 0x7c000000) == 0x14000000) /* b, bl */
		arm64_flow_direct(f, e >> 31 ? ISA_ARM_LINK : 0, isa_arm_sign(e & 0x3ffffff, 26));
	else if ((e & 0xff000000) == 0x54000000) /* b.cond, bc.cond */
		arm64_flow_direct(f, (e & 14) == 14 ? 0 : ISA_ARM_CONDITIONAL,
		                  isa_arm_sign(e >> 5 & 0x7ffff, 19));
	else if ((e & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		arm64_flow_direct(f, ISA_ARM_CONDITIONAL, isa_arm_sign(e >> 5 & 0x7ffff, 19));
	else if ((e & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		arm64_flow_direct(f, ISA_ARM_CONDITIONAL, isa_arm_sign(e >> 5 & 0x3fff, 14));
	else if (compare_branch(e))
		arm64_flow_direct(f, ISA_ARM_CONDITIONAL, isa_arm_sign(e >> 5 & 0x1ff, 9));
	else
		return false;
	return true;
}

/* Those that authenticate an address, or return by one that was. */
static bool arm64_flow_authenticated(uint32_t e, struct isa_arm_flow *f)
{
	int link = e >> 21 & 1 ? ISA_ARM_LINK : 0;
	if ((e & 0xffdff800) == 0xd71f0800 || (e & 0xffdff81f) == 0xd61f081f)
		arm64_flow_indirect(f, link);
	else if ((e & 0xfffffbff) == 0xd69f0bff) /* eretaa, eretab */
		arm64_flow_indirect(f, ISA_ARM_ERET);
	else if ((e & 0xfffffbe0) == 0xd65f0be0) /* retaa, retab, retaasppcr */
		arm64_flow_indirect(f, ISA_ARM_RETURN);
	else if ((e & 0xffc0001f) == 0x5500001f) /* retaasppc */
		arm64_flow_indirect(f, ISA_ARM_RETURN);
	else
		return false;
	return true;
}

static bool indirect_branch(uint32_t e, enum isa_arm_level level, struct isa_arm_flow *f)
{
	if ((e & 0xfffffc1f) == 0xd65f0000)
		arm64_flow_indirect(f, ISA_ARM_RETURN);
	else if ((e & 0xffdffc1f) == 0xd61f0000) /* br, blr */
		arm64_flow_indirect(f, e >> 21 & 1 ? ISA_ARM_LINK : 0);
	else if (e == 0xd69f03e0 || (e & 0xfffffbff) == 0xd6ff03e0) /* eret, texit */
		arm64_flow_indirect(f, ISA_ARM_ERET);
	else
		return level >= ISA_ARM_V8_3 && arm64_flow_authenticated(e, f);
	return true;
}

void isa_arm64_flow(uint32_t e, enum isa_arm_level level, bool wfx, struct isa_arm_flow *f)
{
	if (!isa_arm_a64_may_flow(e) || direct_branch(e, f) || indirect_branch(e, level, f))
		return;
	bool wait =
		(e & 0xffffffdf) == 0xd503205f || (level >= ISA_ARM_AA64 && (e & 0xffffffc0) == 0xd5031000);
	if ((e & 0xfffff0ff) == 0xd50330df)
		f->kind = ISA_ARM_ISB;
	else if (wait && wfx)
		f->kind = ISA_ARM_WFX;
	else if (level >= ISA_ARM_AA64 && (e & 0xffffffe0) == 0xd5233060)
		f->kind = ISA_ARM_TSTART;
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

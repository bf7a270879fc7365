/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which register an instruction writes, and what it does to the flags.
 *
 * For instructions with one result in a general register, and scalar floating-point instructions
 * that use flags or general registers. The results of loads come from the access (arm64.h).
 * Vectors are left out, because their results take too many forms.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1.
 */
#include "isa/arm64.h"

#include "isa/arm.h"
#include "isa/isa.h"

static bool arm64_result_general(struct isa_arm64_result *result, unsigned reg, bool wide)
{
	result->bank = ISA_ARM64_X;
	result->reg = (uint8_t)reg;
	result->bytes = wide ? 8 : 4;
	return true;
}

static bool arm64_result_immediate(uint32_t encoding, struct isa_arm64_result *result)
{
	bool wide = encoding >> 31, s = encoding >> 29 & 1;
	switch (encoding >> 23 & 7) {
	case 0:
	case 1: /* adr, adrp */
		return arm64_result_general(result, encoding & 31, true);
	case 2: /* add, sub */
		result->sets_nzcv = s;
		result->sp = !s;
		break;
	case 3: /* addg, subg; the others are smax and relatives */
		result->sp = !(encoding >> 22 & 1);
		break;
	case 4:
		result->sets_nzcv = (encoding >> 29 & 3) == 3;
		result->sp = !result->sets_nzcv;
		break;
	case 7:
		if ((encoding & 0xffc0001f) == 0xf380001f) /* autiasppc, autibsppc */
			return arm64_result_general(result, 30, true);
		break;
	default:
		break;
	}
	return arm64_result_general(result, encoding & 31, wide);
}

static bool arm64_result_registers(uint32_t encoding, struct isa_arm64_result *result)
{
	bool wide = encoding >> 31, s = encoding >> 29 & 1;
	if (!(encoding >> 28 & 1)) {
		bool sum = encoding >> 24 & 1;
		result->sets_nzcv = sum ? s : (encoding >> 29 & 3) == 3;
		result->sp = sum && encoding >> 21 & 1 && !s;
		return arm64_result_general(result, encoding & 31, wide);
	}
	switch (encoding >> 21 & 15) {
	case 0:
		result->reads_nzcv = !(encoding >> 10 & 63);
		result->sets_nzcv = s;
		result->sp = (encoding >> 13 & 7) == 1;                         /* addpt, subpt */
		if ((encoding >> 10 & 15) == 1 || (encoding >> 10 & 15) == 2) { /* rmif, setf8, setf16 */
			result->sp = false;
			return true;
		}
		return arm64_result_general(result, encoding & 31, wide);
	case 2: /* ccmn, ccmp */
		result->sets_nzcv = result->reads_nzcv = true;
		return true;
	case 4: /* csel */
		result->reads_nzcv = true;
		return arm64_result_general(result, encoding & 31, wide);
	case 6:
		if (!(encoding >> 30 & 1)) {
			result->sets_nzcv = s;                          /* subps */
			result->sp = (encoding >> 10 & 63) == 4;        /* irg */
			wide = wide && (encoding >> 13 & 7) != 2;       /* crc32 has 32 bits */
		} else if ((encoding & 0xffff8000) == 0xdac18000) { /* FEAT_PAuth_LR: of x30 */
			return arm64_result_general(result, 30, true);
		}
		return arm64_result_general(result, encoding & 31, wide);
	default: /* three sources */
		return arm64_result_general(result, encoding & 31, wide);
	}
}

/* Hints that sign or authenticate: x30, or x17 by x16; chkfeat x16. */
static bool arm64_result_hint(unsigned number, struct isa_arm64_result *result)
{
	if (number == 7 || (number >= 24 && number < 32))
		return arm64_result_general(result, 30, true);
	if (number >= 8 && number < 16 && !(number & 1))
		return arm64_result_general(result, 17, true);
	return number != 40 || arm64_result_general(result, 16, true);
}

static bool arm64_result_control(uint32_t encoding, struct isa_arm64_result *result)
{
	struct isa_arm_flow flow = {0};
	isa_arm64_flow(encoding, ISA_ARM_AA64, true, &flow);
	if (flow.kind == ISA_ARM_DIRECT || flow.kind == ISA_ARM_INDIRECT) {
		result->reads_nzcv = encoding >> 24 == 0x54 && (encoding & 14) != 14;
		return !(flow.flags & ISA_ARM_LINK) || arm64_result_general(result, 30, true);
	}
	if ((encoding & 0xfffff01f) == 0xd503201f)
		return arm64_result_hint(encoding >> 5 & 127, result);
	if ((encoding & 0xffffff1f) == 0xd500401f &&
	    (encoding >> 5 & 7) < 3) { /* cfinv, xaflag, axflag */
		result->sets_nzcv = result->reads_nzcv = true;
		return true;
	}
	if (encoding >> 22 != 0x354)
		return encoding >> 24 == 0xd4;
	bool read = encoding >> 21 & 1;
	bool nzcv = (encoding >> 5 & 0xffff) == ISA_ARM64_NZCV;
	result->reads_nzcv = nzcv && read;
	result->sets_nzcv = nzcv && !read;
	return !read || arm64_result_general(result, encoding & 31, true);
}

/* Scalar floating point and what moves between it and general registers. */
static bool scalar(uint32_t encoding, struct isa_arm64_result *result)
{
	bool wide = encoding >> 31;
	unsigned op = encoding >> 16 & 7;
	if ((encoding & 0xbfe0ec00) == 0x0e002c00) /* smov, umov */
		return arm64_result_general(result, encoding & 31, encoding >> 30 & 1);
	if ((encoding & 0x5f000000) != 0x1e000000)
		return false;
	if (!(encoding >> 21 & 1)) /* fixed point */
		return op == 0 || op == 1 ? arm64_result_general(result, encoding & 31, wide) : false;
	switch (encoding >> 10 & 3) {
	case 1: /* fccmp */
		result->sets_nzcv = result->reads_nzcv = true;
		return true;
	case 3: /* fcsel */
		result->reads_nzcv = true;
		result->bank = ISA_ARM64_V;
		result->reg = encoding & 31;
		return true;
	case 0:
		if ((encoding & 0xfc00) == 0x2000) { /* fcmp */
			result->sets_nzcv = true;
			return true;
		}
		if (encoding & 0xfc00 || op == 2 || op == 3 || op == 7)
			return false;
		result->sets_nzcv = (encoding & 0xfffffc00) == 0x1e7e0000; /* fjcvtzs */
		return arm64_result_general(result, encoding & 31, wide);
	default:
		return false;
	}
}

bool isa_arm64_result(uint32_t encoding, struct isa_arm64_result *result)
{
	struct cairn_op op = {.enc = encoding, .size = 4, .isa = CAIRN_ISA_A64};
	*result = (struct isa_arm64_result){0};
	isa_arm64_decode(&op);
	if (op.cls == CAIRN_CLASS_ILLEGAL)
		return false;
	switch (encoding >> 25 & 15) {
	case 5:
	case 13:
		return arm64_result_registers(encoding, result);
	case 7:
	case 15:
		return scalar(encoding, result);
	case 8:
	case 9:
		return arm64_result_immediate(encoding, result);
	case 10:
	case 11:
		return arm64_result_control(encoding, result);
	default:
		return false;
	}
}

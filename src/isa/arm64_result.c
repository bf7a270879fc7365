/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which register an instruction writes, and what it does to the flags.
 *
 * For what has one result in a general register, and the scalar instructions of floating
 * point that have to do with flags or general registers. Loads are told by the access
 * (arm64.h), vectors not at all: their results are too many things.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1.
 */
#include "isa/arm64.h"

#include "isa/arm.h"
#include "isa/isa.h"

static bool arm64_result_general(struct isa_arm64_result *r, unsigned reg, bool wide)
{
	r->bank = ISA_ARM64_X;
	r->reg = (uint8_t)reg;
	r->bytes = wide ? 8 : 4;
	return true;
}

static bool arm64_result_immediate(uint32_t e, struct isa_arm64_result *r)
{
	bool wide = e >> 31, s = e >> 29 & 1;
	switch (e >> 23 & 7) {
	case 0:
	case 1: /* adr, adrp */
		return arm64_result_general(r, e & 31, true);
	case 2: /* add, sub */
		r->sets_nzcv = s;
		r->sp = !s;
		break;
	case 3: /* addg, subg; the others are smax and relatives */
		r->sp = !(e >> 22 & 1);
		break;
	case 4:
		r->sets_nzcv = (e >> 29 & 3) == 3;
		r->sp = !r->sets_nzcv;
		break;
	case 7:
		if ((e & 0xffc0001f) == 0xf380001f) /* autiasppc, autibsppc */
			return arm64_result_general(r, 30, true);
		break;
	default:
		break;
	}
	return arm64_result_general(r, e & 31, wide);
}

static bool arm64_result_registers(uint32_t e, struct isa_arm64_result *r)
{
	bool wide = e >> 31, s = e >> 29 & 1;
	if (!(e >> 28 & 1)) {
		bool sum = e >> 24 & 1;
		r->sets_nzcv = sum ? s : (e >> 29 & 3) == 3;
		r->sp = sum && e >> 21 & 1 && !s;
		return arm64_result_general(r, e & 31, wide);
	}
	switch (e >> 21 & 15) {
	case 0:
		r->reads_nzcv = !(e >> 10 & 63);
		r->sets_nzcv = s;
		r->sp = (e >> 13 & 7) == 1;                       /* addpt, subpt */
		if ((e >> 10 & 15) == 1 || (e >> 10 & 15) == 2) { /* rmif, setf8, setf16 */
			r->sp = false;
			return true;
		}
		return arm64_result_general(r, e & 31, wide);
	case 2: /* ccmn, ccmp */
		r->sets_nzcv = r->reads_nzcv = true;
		return true;
	case 4: /* csel */
		r->reads_nzcv = true;
		return arm64_result_general(r, e & 31, wide);
	case 6:
		if (!(e >> 30 & 1)) {
			r->sets_nzcv = s;                        /* subps */
			r->sp = (e >> 10 & 63) == 4;             /* irg */
			wide = wide && (e >> 13 & 7) != 2;       /* crc32 has 32 bits */
		} else if ((e & 0xffff8000) == 0xdac18000) { /* FEAT_PAuth_LR: of x30 */
			return arm64_result_general(r, 30, true);
		}
		return arm64_result_general(r, e & 31, wide);
	default: /* three sources */
		return arm64_result_general(r, e & 31, wide);
	}
}

/* Hints that sign or authenticate: x30, or x17 by x16; chkfeat x16. */
static bool arm64_result_hint(unsigned number, struct isa_arm64_result *r)
{
	if (number == 7 || (number >= 24 && number < 32))
		return arm64_result_general(r, 30, true);
	if (number >= 8 && number < 16 && !(number & 1))
		return arm64_result_general(r, 17, true);
	return number != 40 || arm64_result_general(r, 16, true);
}

static bool arm64_result_control(uint32_t e, struct isa_arm64_result *r)
{
	struct isa_arm_flow f = {0};
	isa_arm64_flow(e, ISA_ARM_AA64, true, &f);
	if (f.kind == ISA_ARM_DIRECT || f.kind == ISA_ARM_INDIRECT) {
		r->reads_nzcv = e >> 24 == 0x54 && (e & 14) != 14;
		return !(f.flags & ISA_ARM_LINK) || arm64_result_general(r, 30, true);
	}
	if ((e & 0xfffff01f) == 0xd503201f)
		return arm64_result_hint(e >> 5 & 127, r);
	if ((e & 0xffffff1f) == 0xd500401f && (e >> 5 & 7) < 3) { /* cfinv, xaflag, axflag */
		r->sets_nzcv = r->reads_nzcv = true;
		return true;
	}
	if (e >> 22 != 0x354)
		return e >> 24 == 0xd4;
	bool read = e >> 21 & 1;
	bool nzcv = (e >> 5 & 0xffff) == ISA_ARM64_NZCV;
	r->reads_nzcv = nzcv && read;
	r->sets_nzcv = nzcv && !read;
	return !read || arm64_result_general(r, e & 31, true);
}

/* Scalar floating point and what moves between it and general registers. */
static bool scalar(uint32_t e, struct isa_arm64_result *r)
{
	bool wide = e >> 31;
	unsigned op = e >> 16 & 7;
	if ((e & 0xbfe0ec00) == 0x0e002c00) /* smov, umov */
		return arm64_result_general(r, e & 31, e >> 30 & 1);
	if ((e & 0x5f000000) != 0x1e000000)
		return false;
	if (!(e >> 21 & 1)) /* fixed point */
		return op == 0 || op == 1 ? arm64_result_general(r, e & 31, wide) : false;
	switch (e >> 10 & 3) {
	case 1: /* fccmp */
		r->sets_nzcv = r->reads_nzcv = true;
		return true;
	case 3: /* fcsel */
		r->reads_nzcv = true;
		r->bank = ISA_ARM64_V;
		r->reg = e & 31;
		return true;
	case 0:
		if ((e & 0xfc00) == 0x2000) { /* fcmp */
			r->sets_nzcv = true;
			return true;
		}
		if (e & 0xfc00 || op == 2 || op == 3 || op == 7)
			return false;
		r->sets_nzcv = (e & 0xfffffc00) == 0x1e7e0000; /* fjcvtzs */
		return arm64_result_general(r, e & 31, wide);
	default:
		return false;
	}
}

bool isa_arm64_result(uint32_t e, struct isa_arm64_result *r)
{
	struct cairn_op op = {.enc = e, .size = 4, .isa = CAIRN_ISA_A64};
	*r = (struct isa_arm64_result){0};
	isa_arm64_decode(&op);
	if (op.cls == CAIRN_CLASS_ILLEGAL)
		return false;
	switch (e >> 25 & 15) {
	case 5:
	case 13:
		return arm64_result_registers(e, r);
	case 7:
	case 15:
		return scalar(e, r);
	case 8:
	case 9:
		return arm64_result_immediate(e, r);
	case 10:
	case 11:
		return arm64_result_control(e, r);
	default:
		return false;
	}
}

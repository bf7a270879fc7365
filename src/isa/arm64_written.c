/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which registers an instruction leaves changed.
 *
 * arm64_memory.c has the registers of accesses and arm64_result.c the results in general registers.
 * This file has SIMD, SVE and SME, whose destination is nearly always in the lowest bits: a
 * vector, a predicate or a general register, by the group of the encoding. An encoding that this
 * file does not know may change every register.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1, D1.3 (exceptions).
 */
#include "base/base.h"
#include "isa/arm64.h"
#include "isa/written.h"

enum {
	X = CAIRN_REG_INT,
	V = CAIRN_REG_VECTOR,
	P = CAIRN_REG_PREDICATE,
	CSR = CAIRN_REG_CSR,
	FLAGS = CAIRN_REG_FLAGS,
	SP = ISA_ARM64_SP
};

static void arm64_written_changes(struct isa_written *written, unsigned cls, unsigned num,
                                  unsigned count)
{
	isa_written_add(written, cls, num, count, false);
}

/* Number 31 is SP or, as a destination, nothing. */
static void arm64_written_general(struct isa_written *written, unsigned reg, bool sp)
{
	if (reg != 31 || sp)
		isa_written_add(written, X, reg, 1, true);
}

static void vector(struct isa_written *written, unsigned reg)
{
	isa_written_add(written, V, reg, 1, true); /* z is an alias */
}

static void predicate(struct isa_written *written, unsigned reg)
{
	isa_written_add(written, P, reg & 15, 1, true);
}

static void flags(struct isa_written *written)
{
	isa_written_add(written, FLAGS, 0, 1, true);
	arm64_written_changes(written, CSR, ISA_ARM64_NZCV, 1);
}

/* ---- loads and stores ---- */

static void banked(struct isa_written *written, unsigned bank, unsigned reg)
{
	if (bank == ISA_ARM64_X)
		arm64_written_general(written, reg, false);
	else if (bank == ISA_ARM64_V || bank == ISA_ARM64_Z)
		vector(written, reg);
	else if (bank == ISA_ARM64_P)
		predicate(written, reg);
	else if (bank == ISA_ARM64_ZA || bank == ISA_ARM64_ZT)
		arm64_written_changes(written, V,
		                      bank == ISA_ARM64_ZA ? ISA_ARM64_ZA_REG : ISA_ARM64_ZT0_REG, 1);
}

static void arm64_written_memory(const struct cairn_op *op, const struct isa_arm64_access *access,
                                 struct isa_written *written)
{
	uint32_t e = op->enc;
	bool tags = access->flags & ISA_ARM64_TAG,
		 loads = access->flags & (ISA_ARM64_LOAD | ISA_ARM64_ATOMIC);
	for (unsigned i = 0; i < access->n_regs && loads && !(access->flags & ISA_ARM64_PREFETCH); i++)
		banked(written, access->bank, access->regs[i]);
	if (tags && ((e & 0xffe00c00) == 0xd9600000 || (e & 0xfffffc00) == 0xd9e00000)) /* ldg, ldgm */
		arm64_written_general(written, e & 31, false);
	if (access->status != ISA_ARM64_NO_REG)
		arm64_written_general(written, access->status, false);
	if (access->writeback != ISA_ARM64_NO_WRITEBACK && access->base_kind == ISA_ARM64_BASE_X)
		arm64_written_general(written, access->base, true);
	if (access->flags & ISA_ARM64_MOPS) { /* size, source where it copies, destination */
		arm64_written_general(written, e & 31, false);
		arm64_written_general(written, e >> 5 & 31, false);
		if (!(access->flags & ISA_ARM64_ZERO) && access->flags & ISA_ARM64_LOAD)
			arm64_written_general(written, e >> 16 & 31, false);
		if (!(e >> ((e >> 22 & 3) == 3 ? 14 : 22) &
		      3)) /* the first of the three: the others go by them */
			flags(written);
	}
	if (access->flags & (ISA_ARM64_FIRST_FAULT | ISA_ARM64_NON_FAULT))
		isa_written_add(written, P, ISA_ARM64_FFR, 1, true);
	bool by_condition = access->predicate != ISA_ARM64_NO_REG ||
	                    access->status != ISA_ARM64_NO_REG || access->combine == ISA_ARM64_CAS ||
	                    access->flags & (ISA_ARM64_MOPS | ISA_ARM64_GATHER);
	bool data = !tags || access->n_regs || access->flags & ISA_ARM64_ZERO; /* stgp, setgp: both */
	if (op->traits & CAIRN_TRAIT_STORE && data)
		written->store =
			by_condition || op->traits & CAIRN_TRAIT_VECTOR ? ISA_STORES_MAYBE : ISA_STORES;
	else if (op->traits & CAIRN_TRAIT_STORE)
		written->store = ISA_STORES_TAGS;
}

/* ---- system ---- */

/* Where the bits of PSTATE are told, and what an exception writes, of each level. */
static void arm64_written_pstate(struct isa_written *written)
{
	arm64_written_changes(written, CSR, 0xc210, 12); /* SPSel, CurrentEL, PAN, UAO … */
	arm64_written_changes(written, CSR, 0xda11, 7);  /* DAIF, SVCR, DIT, SSBS, TCO */
	arm64_written_changes(written, X, SP, 1);        /* another one, by the level */
}

void isa_arm64_event_written(enum cairn_event_kind kind, struct isa_written *written)
{
	static const uint16_t levels[] = {0xc000, 0xe000, 0xe800, 0xf000};
	arm64_written_pstate(written);
	if (kind == CAIRN_EV_TRAP_RETURN) {
		arm64_written_changes(written, FLAGS, 0, 1);
		arm64_written_changes(written, CSR, ISA_ARM64_NZCV, 1);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		arm64_written_changes(written, CSR, levels[i] | 0x200, 2); /* SPSR, ELR */
		arm64_written_changes(written, CSR, levels[i] | 0x290, 1); /* ESR */
		arm64_written_changes(written, CSR, levels[i] | 0x300, 5); /* FAR, HPFAR */
	}
}

/* Calls of a system leave a result in x0, of firmware in x0 to x17; Linux keeps of the
 * vectors what SIMD has. */
static void call(uint32_t encoding, struct isa_written *written)
{
	isa_arm64_event_written(CAIRN_EV_SYSCALL, written);
	arm64_written_changes(written, X, 0, (encoding & 31) == 1 ? 1 : 18);
	arm64_written_changes(written, V, ISA_ARM64_Z0, 34);
	arm64_written_changes(written, P, 0, 17);
}

static void system_instruction(const struct cairn_op *op, struct isa_written *written)
{
	uint32_t e = op->enc;
	unsigned rt = e & 31;
	if (op->traits & CAIRN_TRAIT_SYSCALL)
		call(e, written);
	if (op->traits & CAIRN_TRAIT_BREAKPOINT || (e & 0xffe0001f) == 0xd4400000)
		arm64_written_changes(written, X, 0,
		                      1); /* brk, hlt: a debugger answers there (semihosting) */
	if (op->traits & CAIRN_TRAIT_XRET)
		isa_arm64_event_written(CAIRN_EV_TRAP_RETURN, written);
	if ((e & 0xfff00000) == 0xd5100000) /* msr */
		isa_written_add(written, CSR, e >> 5 & 0xffff, 1, true);
	else if ((e & 0xfff8f01f) == 0xd500401f)
		arm64_written_pstate(written);
	if ((e & 0xfffff0ff) == 0xd503407f || (e & 0xfffff81f) == 0xd503401f) { /* smstart, smstop */
		arm64_written_changes(written, V, 0, 66);
		arm64_written_changes(written, P, 0, 17);
	}
	if ((e & 0xffffffc0) == 0xd53b2400) /* mrs of RNDR, RNDRRS */
		flags(written);
	if ((e & 0xfff80000) == 0xd5280000) /* sysl */
		arm64_written_general(written, rt, false);
	if ((e & 0xfff00000) == 0xd5700000) { /* mrrs: a pair */
		arm64_written_general(written, rt, false);
		arm64_written_general(written, rt + 1, false);
	}
	if ((e & 0xfff00000) == 0xd5500000) /* msrr */
		isa_written_add(written, CSR, e >> 5 & 0xffff, 1, true);
	if ((e & 0xfff8ff00) == 0xd5087800 || (e & 0xfff8ff00) == 0xd5087900) /* at */
		arm64_written_changes(written, CSR, 0xc3a0, 1);
	if ((e & 0xfffff8e0) == 0xd5233060) /* tstart, ttest */
		arm64_written_general(written, rt, false);
	if ((e & 0xffffffe0) == 0xd50b7420) /* dc zva */
		written->store = ISA_STORES;
}

/* ---- vectors ---- */

static void sve_counts(uint32_t encoding, struct isa_written *written)
{
	if ((encoding & 0xff20f000) == 0x04205000) /* addvl, addpl, rdvl */
		arm64_written_general(written, encoding & 31, true);
	else if ((encoding & 0xff20f800) == 0x0420e000 ||
	         (encoding & 0xff20f000) == 0x0420f000) /* cntb, incb, sqincb */
		arm64_written_general(written, encoding & 31, false);
	else
		vector(written, encoding & 31);
}

static void sve_permute(uint32_t encoding, struct isa_written *written)
{
	unsigned what = encoding >> 13 & 7;
	if ((encoding & 0xff3ee000) == 0x0520a000 ||
	    (encoding & 0xff3ee000) == 0x0530a000) /* lasta, clasta */
		arm64_written_general(written, encoding & 31, false);
	else if ((encoding & 0xff39fc10) == 0x05283800) /* pmov */
		predicate(written, encoding);
	else if (encoding >> 21 & 1 && what == 2)
		predicate(written, encoding);
	else
		vector(written, encoding & 31);
}

/* Predicates as counters, and pairs. */
static void arm64_written_counters(uint32_t encoding, struct isa_written *written)
{
	bool extends = (encoding >> 12 & 15) == 7 && !(encoding >> 11 & 1); /* pext */
	bool pair = extends || (encoding >> 12 & 1 && (encoding >> 12 & 15) != 7);
	if (pair) {
		predicate(written, extends ? encoding : encoding & 14);
		predicate(written, (extends ? encoding : encoding & 14) + 1);
	} else {
		predicate(written, 8 + (encoding & 7));
	}
}

static void sve_predicates(uint32_t encoding, struct isa_written *written)
{
	bool upper = encoding >> 21 & 1;
	unsigned what = encoding >> 14 & 3;
	if (upper && what == 3) { /* wide immediates */
		vector(written, encoding & 31);
	} else if (upper && what == 2) {
		if (!(encoding >> 19 & 1)) /* cntp, firstp, lastp */
			arm64_written_general(written, encoding & 31, false);
		else if (encoding >> 12 & 1) /* wrffr, setffr */
			isa_written_add(written, P, ISA_ARM64_FFR, 1, true);
		else if (encoding >> 11 & 1) /* incp of a general register */
			arm64_written_general(written, encoding & 31, false);
		else
			vector(written, encoding & 31);
	} else if ((encoding & 0xffa0fc1f) == 0x25a02000 ||
	           (encoding & 0xffa0fc1f) == 0x25a02010) { /* ctermeq */
		flags(written);
	} else if ((encoding & 0xfffffe1f) == 0x2550c000 ||
	           (encoding & 0xffffc21f) == 0x2550c000) { /* ptest */
		flags(written);
	} else {
		bool logical = !upper && (what & 1) && (what == 1 || !(encoding >> 20 & 1));
		bool silent =
			(logical && !(encoding >> 22 & 1)) || (encoding & 0xff3ffc10) == 0x2518e000 ||
			(encoding & 0xfffff800) == 0x2519f000 || (encoding & 0xfffffe00) == 0x2518f000 ||
			(upper && what == 1 && !(encoding >> 13 & 1) && !(encoding >> 4 & 1)); /* psel */
		if (upper && what == 1 && encoding >> 4 & 1)
			arm64_written_counters(encoding, written);
		else
			predicate(written, encoding);
		if (!silent)
			flags(written);
	}
}

static void sve(uint32_t encoding, struct isa_written *written)
{
	switch (encoding >> 24) {
	case 0x04:
		if (encoding >> 21 & 1)
			sve_counts(encoding, written);
		else
			vector(written, encoding & 31);
		break;
	case 0x05:
		sve_permute(encoding, written);
		break;
	case 0x24: /* comparisons */
		predicate(written, encoding);
		flags(written);
		break;
	case 0x25:
		sve_predicates(encoding, written);
		break;
	case 0x45:
		if ((encoding & 0xff20e000) == 0x45208000) { /* match */
			predicate(written, encoding);
			flags(written);
		} else {
			vector(written, encoding & 31);
		}
		break;
	case 0x65:
		if (!(encoding >> 21 & 1) &&
		    (encoding >> 14 & 1 || (encoding & 0xff38e000) == 0x65102000)) /* fcmgt … */
			predicate(written, encoding);
		else
			vector(written, encoding & 31);
		break;
	default:
		vector(written, encoding & 31);
		break;
	}
	arm64_written_changes(written, CSR, ISA_ARM64_FPSR, 1);
}

/* Matrices, and groups of vectors in step with them. */
static void sme(struct isa_written *written)
{
	arm64_written_changes(written, V, 0, 66);
	arm64_written_changes(written, CSR, ISA_ARM64_FPSR, 1);
}

static void beyond_results(const struct cairn_op *op, struct isa_written *written)
{
	uint32_t e = op->enc;
	switch (e >> 25 & 15) {
	case 0:
		sme(written);
		break;
	case 2:
		sve(e, written);
		break;
	case 7:
	case 15:
		vector(written, e & 31);
		break;
	case 10:
	case 11:
		break;
	default: /* dc zva is no access here */
		written->told = op->cls != CAIRN_CLASS_UNKNOWN && !(op->traits & CAIRN_TRAIT_LOAD);
		break;
	}
}

void isa_arm64_written(const struct cairn_op *op, struct isa_written *written)
{
	struct isa_arm64_access access;
	struct isa_arm64_result result = {.bank = ISA_ARM64_NO_BANK};
	uint32_t e = op->enc;
	unsigned group = e >> 25 & 15;
	if (isa_arm64_access(e, &access)) {
		arm64_written_memory(op, &access, written);
		return;
	}
	if (isa_arm64_result(e, &result)) {
		if (result.bank == ISA_ARM64_X)
			arm64_written_general(written, result.reg, result.sp);
		else if (result.bank == ISA_ARM64_V)
			vector(written, result.reg);
		if (result.sets_nzcv)
			flags(written);
	} else {
		beyond_results(op, written);
	}
	if ((group & 7) == 7 && !(op->traits & CAIRN_TRAIT_MOVE))
		arm64_written_changes(written, CSR, ISA_ARM64_FPSR, 1);
	if (group >> 1 == 5)
		system_instruction(op, written);
}

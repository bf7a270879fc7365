/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which registers an instruction leaves changed.
 *
 * Accesses are told by arm64_memory.c and results in general registers by arm64_result.c.
 * What is left are SIMD, SVE and SME, whose destination stands in the lowest bits nearly
 * always: a vector, a predicate, or a general register, by where the encoding lies. An
 * encoding of which this is not told here leaves anything changed.
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

static void arm64_written_changes(struct isa_written *w, unsigned cls, unsigned num, unsigned count)
{
	isa_written_add(w, cls, num, count, false);
}

/* Number 31 is SP or, as a destination, nothing. */
static void arm64_written_general(struct isa_written *w, unsigned reg, bool sp)
{
	if (reg != 31 || sp)
		isa_written_add(w, X, reg, 1, true);
}

static void vector(struct isa_written *w, unsigned reg)
{
	isa_written_add(w, V, reg, 1, true); /* z is an alias */
}

static void predicate(struct isa_written *w, unsigned reg)
{
	isa_written_add(w, P, reg & 15, 1, true);
}

static void flags(struct isa_written *w)
{
	isa_written_add(w, FLAGS, 0, 1, true);
	arm64_written_changes(w, CSR, ISA_ARM64_NZCV, 1);
}

/* ---- loads and stores ---- */

static void banked(struct isa_written *w, unsigned bank, unsigned reg)
{
	if (bank == ISA_ARM64_X)
		arm64_written_general(w, reg, false);
	else if (bank == ISA_ARM64_V || bank == ISA_ARM64_Z)
		vector(w, reg);
	else if (bank == ISA_ARM64_P)
		predicate(w, reg);
	else if (bank == ISA_ARM64_ZA || bank == ISA_ARM64_ZT)
		arm64_written_changes(w, V, bank == ISA_ARM64_ZA ? ISA_ARM64_ZA_REG : ISA_ARM64_ZT0_REG, 1);
}

static void arm64_written_memory(const struct cairn_op *op, const struct isa_arm64_access *a,
                                 struct isa_written *w)
{
	uint32_t e = op->enc;
	bool tags = a->flags & ISA_ARM64_TAG, loads = a->flags & (ISA_ARM64_LOAD | ISA_ARM64_ATOMIC);
	for (unsigned i = 0; i < a->n_regs && loads && !(a->flags & ISA_ARM64_PREFETCH); i++)
		banked(w, a->bank, a->regs[i]);
	if (tags && ((e & 0xffe00c00) == 0xd9600000 || (e & 0xfffffc00) == 0xd9e00000)) /* ldg, ldgm */
		arm64_written_general(w, e & 31, false);
	if (a->status != ISA_ARM64_NO_REG)
		arm64_written_general(w, a->status, false);
	if (a->writeback != ISA_ARM64_NO_WRITEBACK && a->base_kind == ISA_ARM64_BASE_X)
		arm64_written_general(w, a->base, true);
	if (a->flags & ISA_ARM64_MOPS) { /* size, source where it copies, destination */
		arm64_written_general(w, e & 31, false);
		arm64_written_general(w, e >> 5 & 31, false);
		if (!(a->flags & ISA_ARM64_ZERO) && a->flags & ISA_ARM64_LOAD)
			arm64_written_general(w, e >> 16 & 31, false);
		if (!(e >> ((e >> 22 & 3) == 3 ? 14 : 22) &
		      3)) /* the first of the three: the others go by them */
			flags(w);
	}
	if (a->flags & (ISA_ARM64_FIRST_FAULT | ISA_ARM64_NON_FAULT))
		isa_written_add(w, P, ISA_ARM64_FFR, 1, true);
	bool by_condition = a->predicate != ISA_ARM64_NO_REG || a->status != ISA_ARM64_NO_REG ||
	                    a->combine == ISA_ARM64_CAS ||
	                    a->flags & (ISA_ARM64_MOPS | ISA_ARM64_GATHER);
	bool data = !tags || a->flags & ISA_ARM64_ZERO;
	if (op->traits & CAIRN_TRAIT_STORE && data)
		w->store = by_condition || op->traits & CAIRN_TRAIT_VECTOR ? ISA_STORES_MAYBE : ISA_STORES;
	else if (op->traits & CAIRN_TRAIT_STORE)
		w->store = ISA_STORES_TAGS;
}

/* ---- system ---- */

/* Where the bits of PSTATE are told, and what an exception writes, of each level. */
static void arm64_written_pstate(struct isa_written *w)
{
	arm64_written_changes(w, CSR, 0xc210, 12); /* SPSel, CurrentEL, PAN, UAO … */
	arm64_written_changes(w, CSR, 0xda11, 7);  /* DAIF, SVCR, DIT, SSBS, TCO */
	arm64_written_changes(w, X, SP, 1);        /* another one, by the level */
}

void isa_arm64_event_written(enum cairn_event_kind kind, struct isa_written *w)
{
	static const uint16_t levels[] = {0xc000, 0xe000, 0xe800, 0xf000};
	arm64_written_pstate(w);
	if (kind == CAIRN_EV_TRAP_RETURN) {
		arm64_written_changes(w, FLAGS, 0, 1);
		arm64_written_changes(w, CSR, ISA_ARM64_NZCV, 1);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		arm64_written_changes(w, CSR, levels[i] | 0x200, 2); /* SPSR, ELR */
		arm64_written_changes(w, CSR, levels[i] | 0x290, 1); /* ESR */
		arm64_written_changes(w, CSR, levels[i] | 0x300, 5); /* FAR, HPFAR */
	}
}

/* Calls of a system leave a result in x0, of firmware in x0 to x17; Linux keeps of the
 * vectors what SIMD has. */
static void call(uint32_t e, struct isa_written *w)
{
	isa_arm64_event_written(CAIRN_EV_SYSCALL, w);
	arm64_written_changes(w, X, 0, (e & 31) == 1 ? 1 : 18);
	arm64_written_changes(w, V, ISA_ARM64_Z0, 34);
	arm64_written_changes(w, P, 0, 17);
}

static void system_instruction(const struct cairn_op *op, struct isa_written *w)
{
	uint32_t e = op->enc;
	unsigned rt = e & 31;
	if (op->traits & CAIRN_TRAIT_SYSCALL)
		call(e, w);
	if (op->traits & CAIRN_TRAIT_BREAKPOINT || (e & 0xffe0001f) == 0xd4400000)
		arm64_written_changes(w, X, 0, 1); /* brk, hlt: a debugger answers there (semihosting) */
	if (op->traits & CAIRN_TRAIT_XRET)
		isa_arm64_event_written(CAIRN_EV_TRAP_RETURN, w);
	if ((e & 0xfff00000) == 0xd5100000) /* msr */
		isa_written_add(w, CSR, e >> 5 & 0xffff, 1, true);
	else if ((e & 0xfff8f01f) == 0xd500401f)
		arm64_written_pstate(w);
	if ((e & 0xfffff0ff) == 0xd503407f || (e & 0xfffff81f) == 0xd503401f) { /* smstart, smstop */
		arm64_written_changes(w, V, 0, 66);
		arm64_written_changes(w, P, 0, 17);
	}
	if ((e & 0xfff80000) == 0xd5280000) /* sysl */
		arm64_written_general(w, rt, false);
	if ((e & 0xfff00000) == 0xd5700000) { /* mrrs: a pair */
		arm64_written_general(w, rt, false);
		arm64_written_general(w, rt + 1, false);
	}
	if ((e & 0xfff00000) == 0xd5500000) /* msrr */
		isa_written_add(w, CSR, e >> 5 & 0xffff, 1, true);
	if ((e & 0xfff8ff00) == 0xd5087800 || (e & 0xfff8ff00) == 0xd5087900) /* at */
		arm64_written_changes(w, CSR, 0xc3a0, 1);
	if ((e & 0xfffff8e0) == 0xd5233060) /* tstart, ttest */
		arm64_written_general(w, rt, false);
	if ((e & 0xffffffe0) == 0xd50b7420) /* dc zva */
		w->store = ISA_STORES;
}

/* ---- vectors ---- */

static void sve_counts(uint32_t e, struct isa_written *w)
{
	if ((e & 0xff20f000) == 0x04205000) /* addvl, addpl, rdvl */
		arm64_written_general(w, e & 31, true);
	else if ((e & 0xff20f800) == 0x0420e000 ||
	         (e & 0xff20f000) == 0x0420f000) /* cntb, incb, sqincb */
		arm64_written_general(w, e & 31, false);
	else
		vector(w, e & 31);
}

static void sve_permute(uint32_t e, struct isa_written *w)
{
	unsigned what = e >> 13 & 7;
	if ((e & 0xff3ee000) == 0x0520a000 || (e & 0xff3ee000) == 0x0530a000) /* lasta, clasta */
		arm64_written_general(w, e & 31, false);
	else if ((e & 0xff39fc10) == 0x05283800) /* pmov */
		predicate(w, e);
	else if (e >> 21 & 1 && what == 2)
		predicate(w, e);
	else
		vector(w, e & 31);
}

/* Predicates as counters, and pairs. */
static void arm64_written_counters(uint32_t e, struct isa_written *w)
{
	bool extends = (e >> 12 & 15) == 7 && !(e >> 11 & 1); /* pext */
	bool pair = extends || (e >> 12 & 1 && (e >> 12 & 15) != 7);
	if (pair) {
		predicate(w, extends ? e : e & 14);
		predicate(w, (extends ? e : e & 14) + 1);
	} else {
		predicate(w, 8 + (e & 7));
	}
}

static void sve_predicates(uint32_t e, struct isa_written *w)
{
	bool upper = e >> 21 & 1;
	unsigned what = e >> 14 & 3;
	if (upper && what == 3) { /* wide immediates */
		vector(w, e & 31);
	} else if (upper && what == 2) {
		if (!(e >> 19 & 1)) /* cntp, firstp, lastp */
			arm64_written_general(w, e & 31, false);
		else if (e >> 12 & 1) /* wrffr, setffr */
			isa_written_add(w, P, ISA_ARM64_FFR, 1, true);
		else if (e >> 11 & 1) /* incp of a general register */
			arm64_written_general(w, e & 31, false);
		else
			vector(w, e & 31);
	} else if ((e & 0xffa0fc1f) == 0x25a02000 || (e & 0xffa0fc1f) == 0x25a02010) { /* ctermeq */
		flags(w);
	} else if ((e & 0xfffffe1f) == 0x2550c000 || (e & 0xffffc21f) == 0x2550c000) { /* ptest */
		flags(w);
	} else {
		bool logical = !upper && (what & 1) && (what == 1 || !(e >> 20 & 1));
		bool silent = (logical && !(e >> 22 & 1)) || (e & 0xff3ffc10) == 0x2518e000 ||
		              (e & 0xfffff800) == 0x2519f000 || (e & 0xfffffe00) == 0x2518f000 ||
		              (upper && what == 1 && !(e >> 13 & 1) && !(e >> 4 & 1)); /* psel */
		if (upper && what == 1 && e >> 4 & 1)
			arm64_written_counters(e, w);
		else
			predicate(w, e);
		if (!silent)
			flags(w);
	}
}

static void sve(uint32_t e, struct isa_written *w)
{
	switch (e >> 24) {
	case 0x04:
		if (e >> 21 & 1)
			sve_counts(e, w);
		else
			vector(w, e & 31);
		break;
	case 0x05:
		sve_permute(e, w);
		break;
	case 0x24: /* comparisons */
		predicate(w, e);
		flags(w);
		break;
	case 0x25:
		sve_predicates(e, w);
		break;
	case 0x45:
		if ((e & 0xff20e000) == 0x45208000) { /* match */
			predicate(w, e);
			flags(w);
		} else {
			vector(w, e & 31);
		}
		break;
	case 0x65:
		if (!(e >> 21 & 1) && (e >> 14 & 1 || (e & 0xff38e000) == 0x65102000)) /* fcmgt … */
			predicate(w, e);
		else
			vector(w, e & 31);
		break;
	default:
		vector(w, e & 31);
		break;
	}
	arm64_written_changes(w, CSR, ISA_ARM64_FPSR, 1);
}

/* Matrices, and groups of vectors in step with them. */
static void sme(struct isa_written *w)
{
	arm64_written_changes(w, V, 0, 66);
	arm64_written_changes(w, CSR, ISA_ARM64_FPSR, 1);
}

static void beyond_results(const struct cairn_op *op, struct isa_written *w)
{
	uint32_t e = op->enc;
	switch (e >> 25 & 15) {
	case 0:
		sme(w);
		break;
	case 2:
		sve(e, w);
		break;
	case 7:
	case 15:
		vector(w, e & 31);
		break;
	case 10:
	case 11:
		break;
	default: /* dc zva is no access here */
		w->told = op->cls != CAIRN_CLASS_UNKNOWN && !(op->traits & CAIRN_TRAIT_LOAD);
		break;
	}
}

void isa_arm64_written(const struct cairn_op *op, struct isa_written *w)
{
	struct isa_arm64_access a;
	struct isa_arm64_result r = {.bank = ISA_ARM64_NO_BANK};
	uint32_t e = op->enc;
	unsigned group = e >> 25 & 15;
	if (isa_arm64_access(e, &a)) {
		arm64_written_memory(op, &a, w);
		return;
	}
	if (isa_arm64_result(e, &r)) {
		if (r.bank == ISA_ARM64_X)
			arm64_written_general(w, r.reg, r.sp);
		else if (r.bank == ISA_ARM64_V)
			vector(w, r.reg);
		if (r.sets_nzcv)
			flags(w);
	} else {
		beyond_results(op, w);
	}
	if ((group & 7) == 7 && !(op->traits & CAIRN_TRAIT_MOVE))
		arm64_written_changes(w, CSR, ISA_ARM64_FPSR, 1);
	if (group >> 1 == 5)
		system_instruction(op, w);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: what an encoding means.
 *
 * Bits 28 to 25 choose the group. Integer arithmetic and system instructions are decided
 * here, field by field, as the manual's tables are; memory in arm64_memory.c and
 * arm64_sve.c, whose description of the access also gives class and traits; the flow in
 * arm64_flow.c; SIMD, floating point, SVE and SME by a table of masks (arm64_rows.c),
 * as there the fields are too many to follow.
 *
 * How the names are given:
 * - bl, blr and their authenticating forms are calls, ret and its forms returns,
 *   whatever register they name; b.al and b.nv are jumps.
 * - eret is a return from a trap, not a branch, as for other sets; svc, hvc and smc are
 *   system calls, brk and hlt breakpoints. udf exists to be illegal and has that class.
 * - Signing and authenticating a pointer is integer arithmetic; bti and what else is
 *   only a hint are no-ops.
 * - csel and relatives are arithmetic. movz, movn, orr with the zero register and add of
 *   zero to or from SP are moves.
 * - A system register is privileged unless its op1 is EL0's.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1.
 */
#include "isa/arm64.h"

#include "isa/arm.h"
#include "isa/isa.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

static void arm64_set(struct cairn_op *op, unsigned cls, uint32_t traits)
{
	op->cls = (uint8_t)cls;
	op->traits = traits;
}

static void exists_if(struct cairn_op *op, bool exists, unsigned cls, uint32_t traits)
{
	if (exists)
		arm64_set(op, cls, traits);
}

/* ---- immediates ---- */

bool isa_arm64_bitmask(unsigned n, unsigned imms)
{
	unsigned combined = n << 6 | (~imms & 63);
	if (combined < 2)
		return false;
	unsigned levels = (1u << (31 - __builtin_clz(combined))) - 1;
	return (imms & levels) != levels;
}

static void add_immediate(struct cairn_op *op, uint32_t e)
{
	bool sp = (e & 31) == 31 || (e >> 5 & 31) == 31;
	bool mov = sp && !(e & 0x607ffc00);
	arm64_set(op, C(INT), mov ? T(MOVE) : 0);
}

/* addg, subg, and the minima and maxima of FEAT_CSSC. */
static void add_tag(struct cairn_op *op, uint32_t e)
{
	if (e >> 22 & 1)
		exists_if(op, !(e & 0x60300000), C(INT), 0);
	else
		exists_if(op, (e >> 31) && !(e >> 29 & 1) && !(e & 0xc000), C(INT), 0);
}

static void logical_immediate(struct cairn_op *op, uint32_t e)
{
	bool mov = (e & 0x60000000) == 0x20000000 && (e >> 5 & 31) == 31;
	unsigned n = e >> 22 & 1;
	exists_if(op, n <= e >> 31 && isa_arm64_bitmask(n, e >> 10 & 63), C(INT), mov ? T(MOVE) : 0);
}

static void bitfield(struct cairn_op *op, uint32_t e)
{
	bool sf = e >> 31, n = e >> 22 & 1;
	exists_if(op, (e >> 29 & 3) != 3 && n == sf && (sf || !(e & 0x208000)), C(INT), 0);
}

static void extract(struct cairn_op *op, uint32_t e)
{
	bool sf = e >> 31, n = e >> 22 & 1;
	if ((e & 0xffc0001f) == 0xf380001f) /* autiasppc, autibsppc */
		arm64_set(op, C(INT), 0);
	else
		exists_if(op, !(e & 0x60200000) && n == sf && (sf || !(e & 0x8000)), C(INT), 0);
}

static void arm64_immediate(struct cairn_op *op, uint32_t e)
{
	unsigned opc = e >> 29 & 3;
	switch (e >> 23 & 7) {
	case 0:
	case 1: /* adr, adrp */
		arm64_set(op, C(INT), 0);
		break;
	case 2:
		add_immediate(op, e);
		break;
	case 3:
		add_tag(op, e);
		break;
	case 4:
		logical_immediate(op, e);
		break;
	case 5: /* movn, movz, movk */
		exists_if(op, opc != 1 && (e >> 31 || !(e >> 22 & 1)), C(INT), opc != 3 ? T(MOVE) : 0);
		break;
	case 6:
		bitfield(op, e);
		break;
	default:
		extract(op, e);
		break;
	}
}

/* ---- registers ---- */

static void two_sources(struct cairn_op *op, uint32_t e)
{
	bool sf = e >> 31;
	unsigned opcode = e >> 10 & 63;
	if (e >> 29 & 1) { /* subps */
		exists_if(op, sf && !opcode, C(INT), 0);
		return;
	}
	switch (opcode) {
	case 2:
	case 3:
		arm64_set(op, C(DIV), T(DIV));
		break;
	case 8:
	case 9:
	case 10:
	case 11: /* shifts */
	case 24:
	case 25:
	case 26:
	case 27: /* smax, umax, smin, umin */
		arm64_set(op, C(INT), 0);
		break;
	case 0:
	case 4:
	case 5:
	case 12: /* subp, irg, gmi, pacga */
		exists_if(op, sf, C(INT), 0);
		break;
	case 16:
	case 17:
	case 18:
	case 19:
	case 20:
	case 21:
	case 22:
	case 23: /* crc32 */
		exists_if(op, sf == ((opcode & 3) == 3), C(INT), 0);
		break;
	default:
		break;
	}
}

/* Signing and authenticating, in and out of the forms of FEAT_PAuth_LR. */
static bool signs(uint32_t e)
{
	unsigned opcode = e >> 10 & 63, rn = e >> 5 & 31, rd = e & 31;
	if (opcode < 8)
		return true;
	if (opcode < 18)
		return rn == 31;
	if (opcode == 36 || opcode == 37) /* autiasppcr */
		return rd == 30;
	bool lr = opcode == 32 || opcode == 33 || opcode == 34 || opcode == 35 || opcode == 40 ||
	          opcode == 41 || opcode == 46 || opcode == 47;
	return lr && rn == 31 && rd == 30;
}

static void one_source(struct cairn_op *op, uint32_t e)
{
	bool sf = e >> 31;
	unsigned opcode = e >> 10 & 63;
	if (e >> 29 & 1)
		return;
	if ((e >> 16 & 31) == 1)
		exists_if(op, sf && signs(e), C(INT), 0);
	else if (!(e >> 16 & 31) && opcode <= 8 && (sf || opcode != 3)) /* 8: abs */
		arm64_set(op, C(INT), opcode == 8 ? 0 : T(BITMANIP));
}

static void three_sources(struct cairn_op *op, uint32_t e)
{
	bool sf = e >> 31, o0 = e >> 15 & 1;
	unsigned op31 = e >> 21 & 7;
	/* by op31: madd, smaddl, smulh, maddpt, umaddl, umulh */
	bool wide = op31 == 1 || op31 == 3 || op31 == 5, high = op31 == 2 || op31 == 6;
	bool exists = !(e & 0x60000000) && (op31 == 0 || (sf && (wide || (high && !o0))));
	exists_if(op, exists, C(MUL), T(MUL));
}

static void with_carry(struct cairn_op *op, uint32_t e)
{
	unsigned low = e >> 10 & 63;
	if (low == 0) /* adc, sbc */
		arm64_set(op, C(INT), 0);
	else if (low >> 3 == 1) /* addpt, subpt */
		exists_if(op, (e & 0xa0000000) == 0x80000000, C(INT), 0);
	else if ((low & 31) == 1) /* rmif */
		exists_if(op, (e & 0xe0000010) == 0xa0000000, C(INT), 0);
	else /* setf8, setf16 */
		exists_if(op, (e & 0xffffbc1f) == 0x3a00080d, C(INT), 0);
}

/* add and and, with a shifted or extended register. */
static void arm64_shifted(struct cairn_op *op, uint32_t e)
{
	bool sf = e >> 31, sum = e >> 24 & 1;
	if (sum && e >> 21 & 1) {
		exists_if(op, !(e & 0xc00000) && (e >> 10 & 7) <= 4, C(INT), 0);
		return;
	}
	bool mov = !sum && (e & 0x60e0fc00) == 0x20000000 && (e >> 5 & 31) == 31;
	exists_if(op, (sf || !(e & 0x8000)) && !(sum && (e >> 22 & 3) == 3), C(INT), mov ? T(MOVE) : 0);
}

static void arm64_registers(struct cairn_op *op, uint32_t e)
{
	bool s = e >> 29 & 1;
	if (!(e >> 28 & 1)) {
		arm64_shifted(op, e);
		return;
	}
	switch (e >> 21 & 15) {
	case 0:
		with_carry(op, e);
		break;
	case 2: /* ccmn, ccmp */
		exists_if(op, s && !(e & 0x410), C(INT), 0);
		break;
	case 4: /* csel */
		exists_if(op, !s && !(e & 0x800), C(INT), 0);
		break;
	case 6:
		if (e >> 30 & 1)
			one_source(op, e);
		else
			two_sources(op, e);
		break;
	case 8:
	case 9:
	case 10:
	case 11:
	case 12:
	case 13:
	case 14:
	case 15:
		three_sources(op, e);
		break;
	default:
		break;
	}
}

/* ---- system ---- */

static void arm64_exception(struct cairn_op *op, uint32_t e)
{
	switch (e & 0xffe0001f) {
	case 0xd4000001: /* svc */
		arm64_set(op, C(SYSTEM), T(SYSCALL));
		break;
	case 0xd4000002: /* hvc */
	case 0xd4000003: /* smc */
		arm64_set(op, C(SYSTEM), T(SYSCALL) | T(PRIVILEGED));
		break;
	case 0xd4200000: /* brk */
	case 0xd4400000: /* hlt */
		arm64_set(op, C(SYSTEM), T(BREAKPOINT));
		break;
	case 0xd4600000: /* tcancel */
		arm64_set(op, C(SYSTEM), 0);
		break;
	case 0xd4a00001:
	case 0xd4a00002:
	case 0xd4a00003: /* dcps */
		arm64_set(op, C(SYSTEM), T(PRIVILEGED));
		break;
	default:
		break;
	}
}

static void arm64_hint(struct cairn_op *op, unsigned number)
{
	switch (number) {
	case 0:
		arm64_set(op, C(NOP), 0);
		break;
	case 2:
	case 3: /* wfe, wfi */
		arm64_set(op, C(SYSTEM), T(WAIT) | T(HINT));
		break;
	case 4:
	case 5:
	case 22: /* sev, sevl, clrbhb */
		arm64_set(op, C(SYSTEM), T(HINT));
		break;
	case 7:
	case 8:
	case 10:
	case 12:
	case 14: /* xpaclri, pacia1716 … */
	case 24:
	case 25:
	case 26:
	case 27:
	case 28:
	case 29:
	case 30:
	case 31: /* paciaz … autibsp */
	case 40: /* chkfeat */
		arm64_set(op, C(INT), T(HINT));
		break;
	case 16:
	case 17:
	case 18:
	case 19:
	case 20: /* esb, psb, tsb, gcsb, csdb */
		arm64_set(op, C(FENCE), T(FENCE) | T(HINT));
		break;
	default: /* yield, dgh, bti, pacm, and those without a meaning */
		arm64_set(op, C(NOP), T(HINT));
		break;
	}
}

static void arm64_barrier(struct cairn_op *op, uint32_t e)
{
	unsigned crm = e >> 8 & 15;
	if ((e & 31) != 31)
		return;
	switch (e >> 5 & 7) {
	case 1: /* dsb nxs */
		exists_if(op, (crm & 3) == 2, C(FENCE), T(FENCE));
		break;
	case 2: /* clrex */
		arm64_set(op, C(SYSTEM), 0);
		break;
	case 3: /* tcommit */
		exists_if(op, crm == 0, C(SYSTEM), 0);
		break;
	case 4:
	case 5:
	case 6: /* dsb, dmb, isb */
		arm64_set(op, C(FENCE), T(FENCE));
		break;
	case 7: /* sb */
		exists_if(op, crm == 0, C(FENCE), T(FENCE));
		break;
	default:
		break;
	}
}

/* msr of a field of PSTATE, and the flags turned over. */
static void arm64_pstate(struct cairn_op *op, uint32_t e)
{
	unsigned op1 = e >> 16 & 7, op2 = e >> 5 & 7, crm = e >> 8 & 15;
	if ((e & 31) != 31)
		return;
	if (op1 == 0 && op2 <= 2) /* cfinv, xaflag, axflag */
		exists_if(op, crm == 0, C(INT), 0);
	else if (op1 == 0 && op2 <= 5)
		arm64_set(op, C(CSR), T(CSR) | T(PRIVILEGED));
	else if (op1 == 1 && op2 == 0)
		exists_if(op, crm < 4, C(CSR), T(CSR) | T(PRIVILEGED));
	else if (op1 == 3 && op2 == 3) /* smstart, smstop */
		exists_if(op, crm >= 2 && crm < 8, C(CSR), T(CSR));
	else if (op1 == 3 && op2 && op2 != 5)
		arm64_set(op, C(CSR), T(CSR));
}

/* sys and sysl: caches, translation, the control stack. */
static void operation(struct cairn_op *op, uint32_t e)
{
	unsigned op1 = e >> 16 & 7, crn = e >> 12 & 15, crm = e >> 8 & 15, op2 = e >> 5 & 7;
	uint32_t privileged = op1 == 3 ? 0 : T(PRIVILEGED);
	bool result = e >> 21 & 1;
	arm64_set(op, C(SYSTEM), privileged);
	if (crn == 8 || crn == 9) { /* tlbi */
		arm64_set(op, C(SYSTEM), T(FENCE) | privileged);
	} else if (crn == 7 && crm == 7) { /* control stack */
		bool push = !result && (op2 == 0 || op2 == 4), pop = result || op2 == 5 || op2 == 6;
		if (op2 == 2)
			push = pop = true;
		if ((op1 == 3 && op2 < 4) || (op1 == 0 && op2 >= 4 && op2 < 7))
			arm64_set(op, C(SYSTEM), privileged | (push ? T(STORE) : 0u) | (pop ? T(LOAD) : 0u));
	} else if (crn == 7 && crm != 2 && crm != 3 && crm != 8 && crm != 9 && !result) { /* dc, ic */
		bool zero = crm == 4 && op1 == 3 && (op2 == 1 || op2 == 4);
		arm64_set(op, C(CACHE), T(CACHE) | (zero ? T(STORE) : 0u) | privileged);
	}
}

static void arm64_system(struct cairn_op *op, uint32_t e)
{
	unsigned op1 = e >> 16 & 7, crn = e >> 12 & 15, crm = e >> 8 & 15, op2 = e >> 5 & 7;
	bool result = e >> 21 & 1;
	if (e >> 19 & 2) { /* msr, mrs */
		arm64_set(op, C(CSR), T(CSR) | (op1 == 3 ? 0 : T(PRIVILEGED)));
		return;
	}
	if (e >> 19 & 1) {
		operation(op, e);
		return;
	}
	if (result) { /* tstart, ttest */
		exists_if(op, op1 == 3 && crn == 3 && op2 == 3 && crm < 2, C(SYSTEM), 0);
	} else if (crn == 4) {
		arm64_pstate(op, e);
	} else if (op1 == 3) {
		if (crn == 1) /* wfet, wfit */
			exists_if(op, crm == 0 && op2 < 2, C(SYSTEM), T(WAIT));
		else if (crn == 2 && (e & 31) == 31)
			arm64_hint(op, crm << 3 | op2);
		else if (crn == 3)
			arm64_barrier(op, e);
	}
}

/* msrr, mrrs, sysp: 128 bits in a pair of registers. */
static void system_pair(struct cairn_op *op, uint32_t e)
{
	uint32_t privileged = (e >> 16 & 7) == 3 ? 0 : T(PRIVILEGED);
	bool pair = !(e & 1);
	if (e >> 20 & 1)
		exists_if(op, pair, C(CSR), T(CSR) | privileged);
	else if (!(e >> 21 & 1) && e >> 19 & 1)
		exists_if(op, pair || (e & 31) == 31, C(SYSTEM), privileged | T(FENCE));
}

/* ---- flow ---- */

static bool arm64_branch(struct cairn_op *op, uint32_t e)
{
	struct isa_arm_flow f = {0};
	isa_arm64_flow(e, ISA_ARM_AA64, true, &f);
	uint32_t traits = T(BRANCH);
	op->offset = f.offset;
	if (f.kind != ISA_ARM_DIRECT && f.kind != ISA_ARM_INDIRECT)
		return false;
	if (f.kind == ISA_ARM_INDIRECT)
		traits |= T(INDIRECT);
	if (f.flags & ISA_ARM_ERET)
		arm64_set(op, C(SYSTEM), T(XRET) | T(PRIVILEGED));
	else if (f.flags & ISA_ARM_RETURN)
		arm64_set(op, C(RETURN), traits | T(RETURN));
	else if (f.flags & ISA_ARM_LINK)
		arm64_set(op, C(CALL), traits | T(CALL));
	else if (f.flags & ISA_ARM_CONDITIONAL)
		arm64_set(op, C(BRANCH), traits | T(CONDITIONAL));
	else
		arm64_set(op, C(JUMP), traits);
	return true;
}

static void flow_or_system(struct cairn_op *op, uint32_t e)
{
	if (arm64_branch(op, e))
		return;
	if (e >> 24 == 0xd4)
		arm64_exception(op, e);
	else if (e >> 22 == 0x354)
		arm64_system(op, e);
	else if (e >> 22 == 0x355)
		system_pair(op, e);
	else if (e == 0xd6bf03e0) /* drps */
		arm64_set(op, C(SYSTEM), T(XRET) | T(PRIVILEGED));
}

/* ---- memory ---- */

static unsigned memory_class(const struct isa_arm64_access *a, uint32_t *traits)
{
	static const uint32_t names[][2] = {
		{ISA_ARM64_LOAD, T(LOAD)},       {ISA_ARM64_STORE, T(STORE)},
		{ISA_ARM64_ATOMIC, T(ATOMIC)},   {ISA_ARM64_EXCLUSIVE, T(ATOMIC)},
		{ISA_ARM64_ACQUIRE, T(ACQUIRE)}, {ISA_ARM64_RELEASE, T(RELEASE)},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		*traits |= a->flags & names[i][0] ? names[i][1] : 0;
	bool store = a->flags & ISA_ARM64_STORE;
	if (a->flags & ISA_ARM64_EXCLUSIVE)
		*traits |= store ? T(RESERVED_SC) : T(RESERVED_LR);
	if (*traits & T(ATOMIC))
		return C(ATOMIC);
	return store ? C(STORE) : C(LOAD);
}

static void isa_arm64_memory(struct cairn_op *op, const struct isa_arm64_access *a)
{
	uint32_t traits = 0;
	if (a->flags & ISA_ARM64_PREFETCH) {
		arm64_set(op, C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT));
		return;
	}
	unsigned cls = memory_class(a, &traits), count = a->elements * (a->n_regs ? a->n_regs : 1u);
	if (a->bank == ISA_ARM64_V) {
		bool scalar = a->elements == 1 && a->element >= 2 && a->element <= 8 &&
		              !(a->flags & (ISA_ARM64_REPLICATE | ISA_ARM64_ONE_LANE | ISA_ARM64_STRUCT)) &&
		              (op->enc & 0x3a000000) != 0x08000000;
		traits |= scalar ? T(FP) : T(VECTOR);
	} else if (a->bank >= ISA_ARM64_Z) {
		traits |= T(VECTOR);
	}
	arm64_set(op, cls, traits);
	op->mem_size = a->flags & ISA_ARM64_MOPS ? 0 : a->element;
	op->mem_count = (uint8_t)count;
}

bool isa_arm64_access(uint32_t e, struct isa_arm64_access *a)
{
	*a = (struct isa_arm64_access){.status = ISA_ARM64_NO_REG,
	                               .predicate = ISA_ARM64_NO_REG,
	                               .count = ISA_ARM64_NO_REG};
	if ((e & 0x0a000000) == 0x08000000)
		return isa_arm64_plain_access(e, a);
	return isa_arm64_vector_access(e, a);
}

/* ---- all ---- */

static void vectors(struct cairn_op *op, uint32_t e)
{
	if (!isa_arm64_vector_class(e, &op->cls, &op->traits))
		return;
	if ((e & 0xbfe0fc00) == 0x0ea01c00 && (e >> 16 & 31) == (e >> 5 & 31)) /* mov of vectors */
		op->traits |= T(MOVE);
}

void isa_arm64_decode(struct cairn_op *op)
{
	uint32_t e = op->enc;
	struct isa_arm64_access a;
	arm64_set(op, C(ILLEGAL), 0);
	if (op->size != 4)
		return;
	switch (e >> 25 & 15) {
	case 0:
		if (!(e >> 31))
			break;
		/* fall through */
	case 2:
	case 4:
	case 6:
	case 12:
	case 14:
		if (isa_arm64_access(e, &a))
			isa_arm64_memory(op, &a);
		else
			vectors(op, e);
		break;
	case 5:
	case 13:
		arm64_registers(op, e);
		break;
	case 7:
	case 15:
		vectors(op, e);
		break;
	case 8:
	case 9:
		arm64_immediate(op, e);
		break;
	case 10:
	case 11:
		flow_or_system(op, e);
		break;
	default:
		break;
	}
}

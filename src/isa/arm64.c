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
#include "isa/arm32.h"
#include "isa/isa.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

static void exists_if(struct cairn_op *op, bool exists, unsigned cls, uint32_t traits)
{
	if (exists)
		isa_set(op, cls, traits);
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

static void add_immediate(struct cairn_op *op, uint32_t encoding)
{
	bool sp = (encoding & 31) == 31 || (encoding >> 5 & 31) == 31;
	bool mov = sp && !(encoding & 0x607ffc00);
	isa_set(op, C(INT), mov ? T(MOVE) : 0);
}

/* addg, subg, and the minima and maxima of FEAT_CSSC. */
static void add_tag(struct cairn_op *op, uint32_t encoding)
{
	if (encoding >> 22 & 1)
		exists_if(op, !(encoding & 0x60300000), C(INT), 0);
	else
		exists_if(op, (encoding >> 31) && !(encoding >> 29 & 1) && !(encoding & 0xc000), C(INT), 0);
}

static void logical_immediate(struct cairn_op *op, uint32_t encoding)
{
	bool mov = (encoding & 0x60000000) == 0x20000000 && (encoding >> 5 & 31) == 31;
	unsigned n = encoding >> 22 & 1;
	exists_if(op, n <= encoding >> 31 && isa_arm64_bitmask(n, encoding >> 10 & 63), C(INT),
	          mov ? T(MOVE) : 0);
}

static void bitfield(struct cairn_op *op, uint32_t encoding)
{
	bool sf = encoding >> 31, n = encoding >> 22 & 1;
	exists_if(op, (encoding >> 29 & 3) != 3 && n == sf && (sf || !(encoding & 0x208000)), C(INT),
	          0);
}

static void extract(struct cairn_op *op, uint32_t encoding)
{
	bool sf = encoding >> 31, n = encoding >> 22 & 1;
	if ((encoding & 0xffc0001f) == 0xf380001f) /* autiasppc, autibsppc */
		isa_set(op, C(INT), 0);
	else
		exists_if(op, !(encoding & 0x60200000) && n == sf && (sf || !(encoding & 0x8000)), C(INT),
		          0);
}

static void arm64_immediate(struct cairn_op *op, uint32_t encoding)
{
	unsigned opc = encoding >> 29 & 3;
	switch (encoding >> 23 & 7) {
	case 0:
	case 1: /* adr, adrp */
		isa_set(op, C(INT), 0);
		break;
	case 2:
		add_immediate(op, encoding);
		break;
	case 3:
		add_tag(op, encoding);
		break;
	case 4:
		logical_immediate(op, encoding);
		break;
	case 5: /* movn, movz, movk */
		exists_if(op, opc != 1 && (encoding >> 31 || !(encoding >> 22 & 1)), C(INT),
		          opc != 3 ? T(MOVE) : 0);
		break;
	case 6:
		bitfield(op, encoding);
		break;
	default:
		extract(op, encoding);
		break;
	}
}

/* ---- registers ---- */

static void two_sources(struct cairn_op *op, uint32_t encoding)
{
	bool sf = encoding >> 31;
	unsigned opcode = encoding >> 10 & 63;
	if (encoding >> 29 & 1) { /* subps */
		exists_if(op, sf && !opcode, C(INT), 0);
		return;
	}
	if (opcode >> 1 == 1)
		isa_set(op, C(DIV), T(DIV));
	else if (opcode >> 2 == 2 || opcode >> 2 == 6) /* shifts; smax, umax, smin, umin */
		isa_set(op, C(INT), 0);
	else if (opcode >> 3 == 2) /* crc32 */
		exists_if(op, sf == ((opcode & 3) == 3), C(INT), 0);
	else if (opcode == 0 || opcode >> 1 == 2 || opcode == 12) /* subp, irg, gmi, pacga */
		exists_if(op, sf, C(INT), 0);
}

/* Signing and authenticating, in and out of the forms of FEAT_PAuth_LR. */
static bool signs(uint32_t encoding)
{
	unsigned opcode = encoding >> 10 & 63, rn = encoding >> 5 & 31, rd = encoding & 31;
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

static void one_source(struct cairn_op *op, uint32_t encoding)
{
	bool sf = encoding >> 31;
	unsigned opcode = encoding >> 10 & 63;
	if (encoding >> 29 & 1)
		return;
	if ((encoding >> 16 & 31) == 1)
		exists_if(op, sf && signs(encoding), C(INT), 0);
	else if (!(encoding >> 16 & 31) && opcode <= 8 && (sf || opcode != 3)) /* 8: abs */
		isa_set(op, C(INT), opcode == 8 ? 0 : T(BITMANIP));
}

static void three_sources(struct cairn_op *op, uint32_t encoding)
{
	bool sf = encoding >> 31, o0 = encoding >> 15 & 1;
	unsigned op31 = encoding >> 21 & 7;
	/* by op31: madd, smaddl, smulh, maddpt, umaddl, umulh */
	bool wide = op31 == 1 || op31 == 3 || op31 == 5, high = op31 == 2 || op31 == 6;
	bool exists = !(encoding & 0x60000000) && (op31 == 0 || (sf && (wide || (high && !o0))));
	exists_if(op, exists, C(MUL), T(MUL));
}

static void with_carry(struct cairn_op *op, uint32_t encoding)
{
	unsigned low = encoding >> 10 & 63;
	if (low == 0) /* adc, sbc */
		isa_set(op, C(INT), 0);
	else if (low >> 3 == 1) /* addpt, subpt */
		exists_if(op, (encoding & 0xa0000000) == 0x80000000, C(INT), 0);
	else if ((low & 31) == 1) /* rmif */
		exists_if(op, (encoding & 0xe0000010) == 0xa0000000, C(INT), 0);
	else /* setf8, setf16 */
		exists_if(op, (encoding & 0xffffbc1f) == 0x3a00080d, C(INT), 0);
}

/* add and and, with a shifted or extended register. */
static void arm64_shifted(struct cairn_op *op, uint32_t encoding)
{
	bool sf = encoding >> 31, sum = encoding >> 24 & 1;
	if (sum && encoding >> 21 & 1) {
		exists_if(op, !(encoding & 0xc00000) && (encoding >> 10 & 7) <= 4, C(INT), 0);
		return;
	}
	bool mov = !sum && (encoding & 0x60e0fc00) == 0x20000000 && (encoding >> 5 & 31) == 31;
	exists_if(op, (sf || !(encoding & 0x8000)) && !(sum && (encoding >> 22 & 3) == 3), C(INT),
	          mov ? T(MOVE) : 0);
}

static void arm64_registers(struct cairn_op *op, uint32_t encoding)
{
	bool s = encoding >> 29 & 1;
	if (!(encoding >> 28 & 1)) {
		arm64_shifted(op, encoding);
		return;
	}
	switch (encoding >> 21 & 15) {
	case 0:
		with_carry(op, encoding);
		break;
	case 2: /* ccmn, ccmp */
		exists_if(op, s && !(encoding & 0x410), C(INT), 0);
		break;
	case 4: /* csel */
		exists_if(op, !s && !(encoding & 0x800), C(INT), 0);
		break;
	case 6:
		if (encoding >> 30 & 1)
			one_source(op, encoding);
		else
			two_sources(op, encoding);
		break;
	default:
		if (encoding >> 24 & 1)
			three_sources(op, encoding);
		break;
	}
}

/* ---- system ---- */

static void arm64_exception(struct cairn_op *op, uint32_t encoding)
{
	switch (encoding & 0xffe0001f) {
	case 0xd4000001: /* svc */
		isa_set(op, C(SYSTEM), T(SYSCALL));
		break;
	case 0xd4000002: /* hvc */
	case 0xd4000003: /* smc */
		isa_set(op, C(SYSTEM), T(SYSCALL) | T(PRIVILEGED));
		break;
	case 0xd4200000: /* brk */
	case 0xd4400000: /* hlt */
		isa_set(op, C(SYSTEM), T(BREAKPOINT));
		break;
	case 0xd4600000: /* tcancel */
		isa_set(op, C(SYSTEM), 0);
		break;
	case 0xd4a00001:
	case 0xd4a00002:
	case 0xd4a00003: /* dcps */
		isa_set(op, C(SYSTEM), T(PRIVILEGED));
		break;
	default:
		break;
	}
}

/* Those of AArch32, and more. */
static void arm64_hint(struct cairn_op *op, unsigned number)
{
	/* xpaclri, pacia1716 …, paciaz … autibsp, chkfeat */
	const uint64_t pointers = UINT64_C(1) << 7 | 1 << 8 | 1 << 10 | 1 << 12 | 1 << 14 |
	                          UINT64_C(0xff) << 24 | UINT64_C(1) << 40;
	if (number < 64 && pointers >> number & 1)
		isa_set(op, C(INT), T(HINT));
	else if (number == 17 || number == 19) /* psb, gcsb */
		isa_set(op, C(FENCE), T(FENCE) | T(HINT));
	else
		isa_arm32_hint(op, number);
}

static void arm64_barrier(struct cairn_op *op, uint32_t encoding)
{
	unsigned crm = encoding >> 8 & 15;
	if ((encoding & 31) != 31)
		return;
	switch (encoding >> 5 & 7) {
	case 1: /* dsb nxs */
		exists_if(op, (crm & 3) == 2, C(FENCE), T(FENCE));
		break;
	case 2: /* clrex */
		isa_set(op, C(SYSTEM), 0);
		break;
	case 3: /* tcommit */
		exists_if(op, crm == 0, C(SYSTEM), 0);
		break;
	case 4:
	case 5:
	case 6: /* dsb, dmb, isb */
		isa_set(op, C(FENCE), T(FENCE));
		break;
	case 7: /* sb */
		exists_if(op, crm == 0, C(FENCE), T(FENCE));
		break;
	default:
		break;
	}
}

/* msr of a field of PSTATE, and the flags turned over. */
static void arm64_pstate(struct cairn_op *op, uint32_t encoding)
{
	unsigned op1 = encoding >> 16 & 7, op2 = encoding >> 5 & 7, crm = encoding >> 8 & 15;
	if ((encoding & 31) != 31)
		return;
	if (op1 == 0 && op2 <= 2) /* cfinv, xaflag, axflag */
		exists_if(op, crm == 0, C(INT), 0);
	else if (op1 == 0 && op2 <= 5)
		isa_set(op, C(CSR), T(CSR) | T(PRIVILEGED));
	else if (op1 == 1 && op2 == 0)
		exists_if(op, crm < 4, C(CSR), T(CSR) | T(PRIVILEGED));
	else if (op1 == 3 && op2 == 3) /* smstart, smstop */
		exists_if(op, crm >= 2 && crm < 8, C(CSR), T(CSR));
	else if (op1 == 3 && op2 && op2 != 5)
		isa_set(op, C(CSR), T(CSR));
}

/* sys and sysl: caches, translation, the control stack. */
static void operation(struct cairn_op *op, uint32_t encoding)
{
	unsigned op1 = encoding >> 16 & 7, crn = encoding >> 12 & 15, crm = encoding >> 8 & 15,
			 op2 = encoding >> 5 & 7;
	uint32_t privileged = op1 == 3 ? 0 : T(PRIVILEGED);
	bool result = encoding >> 21 & 1;
	isa_set(op, C(SYSTEM), privileged);
	if (crn == 8 || crn == 9) { /* tlbi */
		isa_set(op, C(SYSTEM), T(FENCE) | privileged);
	} else if (crn == 7 && crm == 7) { /* control stack */
		bool push = !result && (op2 == 0 || op2 == 4), pop = result || op2 == 5 || op2 == 6;
		if (op2 == 2)
			push = pop = true;
		if ((op1 == 3 && op2 < 4) || (op1 == 0 && op2 >= 4 && op2 < 7))
			isa_set(op, C(SYSTEM), privileged | (push ? T(STORE) : 0u) | (pop ? T(LOAD) : 0u));
	} else if (crn == 7 && crm != 2 && crm != 3 && crm != 8 && crm != 9 && !result) { /* dc, ic */
		bool zero = crm == 4 && op1 == 3 && (op2 == 1 || op2 == 4);
		isa_set(op, C(CACHE), T(CACHE) | (zero ? T(STORE) : 0u) | privileged);
	}
}

static void arm64_system(struct cairn_op *op, uint32_t encoding)
{
	unsigned op1 = encoding >> 16 & 7, crn = encoding >> 12 & 15, crm = encoding >> 8 & 15,
			 op2 = encoding >> 5 & 7;
	bool result = encoding >> 21 & 1;
	if (encoding >> 19 & 2) { /* msr, mrs */
		isa_set(op, C(CSR), T(CSR) | (op1 == 3 ? 0 : T(PRIVILEGED)));
		return;
	}
	if (encoding >> 19 & 1) {
		operation(op, encoding);
		return;
	}
	if (result) { /* tstart, ttest */
		exists_if(op, op1 == 3 && crn == 3 && op2 == 3 && crm < 2, C(SYSTEM), 0);
	} else if (crn == 4) {
		arm64_pstate(op, encoding);
	} else if (op1 == 3) {
		if (crn == 1) /* wfet, wfit */
			exists_if(op, crm == 0 && op2 < 2, C(SYSTEM), T(WAIT));
		else if (crn == 2 && (encoding & 31) == 31)
			arm64_hint(op, crm << 3 | op2);
		else if (crn == 3)
			arm64_barrier(op, encoding);
	}
}

/* msrr, mrrs, sysp: 128 bits in a pair of registers. */
static void system_pair(struct cairn_op *op, uint32_t encoding)
{
	uint32_t privileged = (encoding >> 16 & 7) == 3 ? 0 : T(PRIVILEGED);
	bool pair = !(encoding & 1);
	if (encoding >> 20 & 1)
		exists_if(op, pair, C(CSR), T(CSR) | privileged);
	else if (!(encoding >> 21 & 1) && encoding >> 19 & 1)
		exists_if(op, pair || (encoding & 31) == 31, C(SYSTEM), privileged | T(FENCE));
}

/* ---- flow ---- */

static bool arm64_branch(struct cairn_op *op, uint32_t encoding)
{
	struct isa_arm_flow flow = {0};
	isa_arm64_flow(encoding, ISA_ARM_AA64, true, &flow);
	uint32_t traits = T(BRANCH);
	op->offset = flow.offset;
	if (flow.kind != ISA_ARM_DIRECT && flow.kind != ISA_ARM_INDIRECT)
		return false;
	if (flow.kind == ISA_ARM_INDIRECT)
		traits |= T(INDIRECT);
	if (flow.flags & ISA_ARM_ERET)
		isa_set(op, C(SYSTEM), T(XRET) | T(PRIVILEGED));
	else if (flow.flags & ISA_ARM_RETURN)
		isa_set(op, C(RETURN), traits | T(RETURN));
	else if (flow.flags & ISA_ARM_LINK)
		isa_set(op, C(CALL), traits | T(CALL));
	else if (flow.flags & ISA_ARM_CONDITIONAL)
		isa_set(op, C(BRANCH), traits | T(CONDITIONAL));
	else
		isa_set(op, C(JUMP), traits);
	return true;
}

static void flow_or_system(struct cairn_op *op, uint32_t encoding)
{
	if (arm64_branch(op, encoding))
		return;
	if (encoding >> 24 == 0xd4)
		arm64_exception(op, encoding);
	else if (encoding >> 22 == 0x354)
		arm64_system(op, encoding);
	else if (encoding >> 22 == 0x355)
		system_pair(op, encoding);
	else if (encoding == 0xd6bf03e0) /* drps */
		isa_set(op, C(SYSTEM), T(XRET) | T(PRIVILEGED));
}

/* ---- memory ---- */

static unsigned memory_class(const struct isa_arm64_access *access, uint32_t *traits)
{
	static const uint32_t names[][2] = {
		{ISA_ARM64_LOAD, T(LOAD)},       {ISA_ARM64_STORE, T(STORE)},
		{ISA_ARM64_ATOMIC, T(ATOMIC)},   {ISA_ARM64_EXCLUSIVE, T(ATOMIC)},
		{ISA_ARM64_ACQUIRE, T(ACQUIRE)}, {ISA_ARM64_RELEASE, T(RELEASE)},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		*traits |= access->flags & names[i][0] ? names[i][1] : 0;
	bool store = access->flags & ISA_ARM64_STORE;
	if (access->flags & ISA_ARM64_EXCLUSIVE)
		*traits |= store ? T(RESERVED_SC) : T(RESERVED_LR);
	if (*traits & T(ATOMIC))
		return C(ATOMIC);
	return store ? C(STORE) : C(LOAD);
}

static void isa_arm64_memory(struct cairn_op *op, const struct isa_arm64_access *access)
{
	uint32_t traits = 0;
	if (access->flags & ISA_ARM64_PREFETCH) {
		isa_set(op, C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT));
		return;
	}
	unsigned cls = memory_class(access, &traits),
			 count = access->elements * (access->n_regs ? access->n_regs : 1u);
	if (access->bank == ISA_ARM64_V) {
		bool scalar =
			access->elements == 1 && access->element >= 2 && access->element <= 8 &&
			!(access->flags & (ISA_ARM64_REPLICATE | ISA_ARM64_ONE_LANE | ISA_ARM64_STRUCT)) &&
			(op->enc & 0x3a000000) != 0x08000000;
		traits |= scalar ? T(FP) : T(VECTOR);
	} else if (access->bank >= ISA_ARM64_Z) {
		traits |= T(VECTOR);
	}
	isa_set(op, cls, traits);
	op->mem_size = access->flags & ISA_ARM64_MOPS ? 0 : access->element;
	op->mem_count = (uint8_t)count;
}

bool isa_arm64_access(uint32_t encoding, struct isa_arm64_access *access)
{
	*access = (struct isa_arm64_access){.status = ISA_ARM64_NO_REG,
	                                    .predicate = ISA_ARM64_NO_REG,
	                                    .count = ISA_ARM64_NO_REG};
	if ((encoding & 0x0a000000) == 0x08000000)
		return isa_arm64_plain_access(encoding, access);
	return isa_arm64_vector_access(encoding, access);
}

/* ---- all ---- */

static void vectors(struct cairn_op *op, uint32_t encoding)
{
	if (!isa_arm64_vector_class(encoding, &op->cls, &op->traits))
		return;
	if ((encoding & 0xbfe0fc00) == 0x0ea01c00 &&
	    (encoding >> 16 & 31) == (encoding >> 5 & 31)) /* mov of vectors */
		op->traits |= T(MOVE);
}

void isa_arm64_decode(struct cairn_op *op)
{
	uint32_t e = op->enc;
	struct isa_arm64_access access;
	isa_set(op, C(ILLEGAL), 0);
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
		if (isa_arm64_access(e, &access))
			isa_arm64_memory(op, &access);
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32: what an encoding means.
 *
 * Bits 31 to 25 choose the group. What the manual calls unpredictable is named for what
 * it would do if it were not.
 *
 * How the names are given: what writes PC is a branch, whatever else it is, and what it
 * loads is said in the traits: pop {pc} is a return that loads. Returns from exceptions
 * are not branches, as for other sets. A condition makes a branch conditional, and is
 * not told of other instructions. Arithmetic on bytes and halfwords of general registers
 * is integer arithmetic.
 *
 * Source: Arm Architecture Reference Manual for A-profile, F4.1.
 */
#include "isa/arm32.h"

#include "isa/isa.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

#define set isa_set

/* ---- with T32 ---- */

void isa_arm32_exclusive(struct cairn_op *op, bool load, unsigned bytes, unsigned count, bool order)
{
	isa_arm32_move(op, load, bytes, count);
	op->cls = C(ATOMIC);
	op->traits |= T(ATOMIC) | (load ? T(RESERVED_LR) : T(RESERVED_SC));
	op->traits |= !order ? 0u : load ? T(ACQUIRE) : T(RELEASE);
}

void isa_arm32_ordered(struct cairn_op *op, bool load, unsigned bytes)
{
	isa_arm32_move(op, load, bytes, 1);
	op->traits |= load ? T(ACQUIRE) : T(RELEASE);
}

bool isa_arm32_branch(struct cairn_op *op, const struct isa_arm_flow *flow)
{
	uint32_t traits = T(BRANCH) | (op->traits & (T(LOAD) | T(COMPRESSED)));
	op->offset = flow->offset;
	if (flow->kind != ISA_ARM_DIRECT && flow->kind != ISA_ARM_INDIRECT)
		return false;
	traits |= flow->kind == ISA_ARM_INDIRECT ? T(INDIRECT) : 0;
	traits |= flow->flags & ISA_ARM_CONDITIONAL ? T(CONDITIONAL) : 0;
	if (flow->flags & ISA_ARM_ERET)
		set(op, C(SYSTEM), T(XRET) | T(PRIVILEGED) | (op->traits & (T(LOAD) | T(COMPRESSED))));
	else if (flow->flags & ISA_ARM_RETURN)
		set(op, C(RETURN), traits | T(RETURN));
	else if (flow->flags & ISA_ARM_LINK)
		set(op, C(CALL), traits | T(CALL));
	else if (flow->kind == ISA_ARM_DIRECT && traits & T(CONDITIONAL))
		set(op, C(BRANCH), traits);
	else
		set(op, C(JUMP), traits);
	return true;
}

void isa_arm32_hint(struct cairn_op *op, unsigned number)
{
	switch (number) {
	case 0:
		set(op, C(NOP), 0);
		break;
	case 2:
	case 3: /* wfe, wfi */
		set(op, C(SYSTEM), T(WAIT) | T(HINT));
		break;
	case 4:
	case 5:
	case 22: /* sev, sevl, clrbhb */
		set(op, C(SYSTEM), T(HINT));
		break;
	case 16:
	case 18:
	case 20: /* esb, tsb, csdb */
		set(op, C(FENCE), T(FENCE) | T(HINT));
		break;
	default:
		set(op, C(NOP), T(HINT));
		break;
	}
}

void isa_arm32_barrier(struct cairn_op *op, unsigned which)
{
	if (which == 1) /* clrex */
		set(op, C(SYSTEM), 0);
	else if (which >= 4 && which <= 7)
		set(op, C(FENCE), T(FENCE));
}

/* ---- arithmetic ---- */

static void miscellaneous(struct cairn_op *op, uint32_t encoding)
{
	unsigned op0 = encoding >> 21 & 3;
	static const uint32_t exceptions[4] = {T(BREAKPOINT), T(BREAKPOINT), T(SYSCALL) | T(PRIVILEGED),
	                                       T(SYSCALL) | T(PRIVILEGED)};
	switch (encoding >> 4 & 15) {
	case 0: /* mrs, msr */
		set(op, C(CSR), T(CSR) | (encoding >> 22 & 1 || encoding >> 9 & 1 ? T(PRIVILEGED) : 0u));
		break;
	case 1:
		if (op0 == 3)
			set(op, C(INT), T(BITMANIP)); /* clz */
		break;
	case 4: /* crc32 */
	case 5: /* qadd, qsub */
		set(op, C(INT), 0);
		break;
	case 7: /* hlt, bkpt, hvc, smc */
		set(op, C(SYSTEM), exceptions[op0]);
		break;
	case 8:
	case 10:
	case 12:
	case 14:
		set(op, C(MUL), T(MUL));
		break;
	default:
		break;
	}
}

static void arm32_registers(struct cairn_op *op, uint32_t encoding)
{
	bool by_register = encoding >> 4 & 1;
	if ((encoding & 0x01900000) == 0x01000000 && (!by_register || !(encoding >> 7 & 1))) {
		miscellaneous(op, encoding);
		return;
	}
	set(op, C(INT), (encoding & 0x01e00ff0) == 0x01a00000 ? T(MOVE) : 0);
}

/* swp, exclusives, acquire and release. */
static void synchronising(struct cairn_op *op, uint32_t encoding)
{
	bool load = encoding >> 20 & 1, order = !(encoding >> 8 & 1);
	unsigned size = encoding >> 21 & 3;
	static const uint8_t bytes[4] = {4, 4, 1, 2};
	if (!(encoding >> 23 & 1)) {
		isa_arm32_move(op, true, encoding >> 22 & 1 ? 1 : 4, 1);
		set(op, C(ATOMIC), T(ATOMIC) | T(LOAD) | T(STORE));
	} else if (encoding >> 9 & 1) {
		isa_arm32_exclusive(op, load, bytes[size], size == 1 ? 2 : 1, order);
	} else if (size != 1 && order) {
		isa_arm32_ordered(op, load, bytes[size]);
	}
}

/* Halfwords, signed bytes, pairs. */
static void extra_memory(struct cairn_op *op, uint32_t encoding)
{
	unsigned what = encoding >> 5 & 3;
	bool load = encoding >> 20 & 1;
	if (what == 1)
		isa_arm32_move(op, load, 2, 1);
	else if (load)
		isa_arm32_move(op, true, what == 2 ? 1 : 2, 1);
	else
		isa_arm32_move(op, what == 2, 4, 2); /* ldrd, strd */
}

static void arm32_immediate(struct cairn_op *op, uint32_t encoding)
{
	unsigned opcode = encoding >> 21 & 15;
	if ((encoding & 0x01900000) == 0x01000000) {
		if (!(encoding >> 21 & 1)) /* movw, movt */
			set(op, C(INT), encoding >> 22 & 1 ? 0 : T(MOVE));
		else if ((encoding & 0x0fff0000) == 0x03200000)
			isa_arm32_hint(op, encoding & 255);
		else /* msr */
			set(op, C(CSR),
			    T(CSR) | (encoding >> 22 & 1 || encoding >> 16 & 7 ? T(PRIVILEGED) : 0u));
		return;
	}
	set(op, C(INT), opcode == 13 ? T(MOVE) : 0);
}

static void media(struct cairn_op *op, uint32_t encoding)
{
	unsigned op1 = encoding >> 20 & 31, op2 = encoding >> 5 & 7;
	if (op1 == 31 && op2 == 7) /* udf */
		return;
	if (op1 == 17 || op1 == 19)
		set(op, op2 ? C(ILLEGAL) : C(DIV), op2 ? 0 : T(DIV));
	else if (op1 >> 3 == 2)
		set(op, C(MUL), T(MUL));
	else
		/* rev, rev16, rbit, revsh */
		set(op, C(INT), (op1 == 11 || op1 == 15) && (op2 & 3) == 1 ? T(BITMANIP) : 0);
}

/* ---- without a condition ---- */

static void unconditional(struct cairn_op *op, uint32_t encoding)
{
	if ((encoding & 0x0e000000) == 0x02000000) {
		isa_arm32_simd(op, encoding);
	} else if ((encoding & 0x0f100000) == 0x04000000) {
		isa_arm32_simd_memory(op, encoding);
	} else if ((encoding & 0x0ff00000) == 0x05700000) {
		isa_arm32_barrier(op, encoding >> 4 & 15);
	} else if ((encoding & 0x0d300000) == 0x05100000 || (encoding & 0x0d700000) == 0x04500000) {
		set(op, C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT)); /* pld, pldw, pli */
	} else if ((encoding & 0x0ff00020) == 0x01000000) {      /* cps, setend */
		set(op, C(SYSTEM), encoding >> 16 & 1 ? 0 : T(PRIVILEGED));
	} else if ((encoding & 0x0ff000f0) == 0x01100000) { /* setpan */
		set(op, C(SYSTEM), T(PRIVILEGED));
	} else if ((encoding & 0x0e500000) == 0x08400000) { /* srs */
		isa_arm32_move(op, false, 4, 2);
		op->traits |= T(PRIVILEGED);
	} else if ((encoding & 0x0e500000) == 0x08100000) { /* rfe */
		isa_arm32_move(op, true, 4, 2);
	} else if ((encoding & 0x0f000000) >= 0x0c000000 && (encoding & 0x0f000000) < 0x0f000000) {
		isa_arm32_coprocessor(op, encoding);
	}
}

static void arm32_conditional(struct cairn_op *op, uint32_t encoding)
{
	bool load = encoding >> 20 & 1;
	switch (encoding >> 25 & 7) {
	case 0:
		if ((encoding & 0x90) != 0x90)
			arm32_registers(op, encoding);
		else if (encoding >> 5 & 3)
			extra_memory(op, encoding);
		else if (encoding >> 24 & 1)
			synchronising(op, encoding);
		else if (((encoding >> 20) & 0xf) != 5 && ((encoding >> 20) & 0xf) != 7)
			set(op, C(MUL), T(MUL));
		break;
	case 1:
		arm32_immediate(op, encoding);
		break;
	case 3:
		if (encoding >> 4 & 1) {
			media(op, encoding);
			break;
		}
		/* fall through */
	case 2:
		isa_arm32_move(op, load, encoding >> 22 & 1 ? 1 : 4, 1);
		break;
	case 4: /* with the S bit, of another mode */
		isa_arm32_move(op, load, 4, (unsigned)__builtin_popcount(encoding & 0xffff));
		op->traits |= encoding >> 22 & 1 ? T(PRIVILEGED) : 0;
		break;
	case 6:
		isa_arm32_coprocessor(op, encoding);
		break;
	case 7:
		if (encoding >> 24 & 1)
			set(op, C(SYSTEM), T(SYSCALL));
		else
			isa_arm32_coprocessor(op, encoding);
		break;
	default:
		break;
	}
}

void isa_arm32_decode_a32(struct cairn_op *op)
{
	uint32_t e = op->enc;
	struct isa_arm_flow flow;
	set(op, C(ILLEGAL), 0);
	if (op->size != 4)
		return;
	isa_arm_flow(CAIRN_ISA_A32, e, ISA_ARM_AA64, true, &flow);
	if (e >> 28 == 15)
		unconditional(op, e);
	else
		arm32_conditional(op, e);
	(void)isa_arm32_branch(op, &flow);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * T32: what an encoding means. The names are given as in arm32.c.
 *
 * 16-bit instructions are chosen by their top six or eight bits; 32-bit ones, the first
 * halfword on top, by bits 28 to 20 and 15. SIMD and coprocessors are A32's with a few
 * bits elsewhere.
 *
 * Source: Arm Architecture Reference Manual for A-profile, F3.1.
 */
#include "isa/arm32.h"

#include "isa/isa.h"

#define T(x) CAIRN_TRAIT_##x
#define C(x) CAIRN_CLASS_##x

#define set isa_set

/* ---- 16 bits ---- */

static void short_register_offset(struct cairn_op *op, uint32_t encoding)
{
	static const struct {
		bool load;
		uint8_t bytes;
	} rows[8] = {{false, 4}, {false, 2}, {false, 1}, {true, 1},
	             {true, 4},  {true, 2},  {true, 1},  {true, 2}};
	isa_arm32_move(op, rows[encoding >> 9 & 7].load, rows[encoding >> 9 & 7].bytes, 1);
}

static void short_miscellaneous(struct cairn_op *op, uint32_t encoding)
{
	unsigned list = (unsigned)__builtin_popcount(encoding & 0x1ff);
	switch (encoding >> 8 & 15) {
	case 0: /* add, sub of sp */
	case 2: /* extensions */
		set(op, C(INT), 0);
		break;
	case 4:
	case 5:
	case 12:
	case 13: /* push, pop */
		isa_arm32_move(op, encoding >> 11 & 1, 4, list);
		break;
	case 6: /* setpan, setend, cps */
		if ((encoding & 0xfff7) == 0xb650)
			set(op, C(SYSTEM), 0);
		else if ((encoding & 0xfff7) == 0xb610 || ((encoding & 0xffe8) == 0xb660))
			set(op, C(SYSTEM), T(PRIVILEGED));
		break;
	case 10:
		if ((encoding >> 6 & 3) == 2)
			set(op, C(SYSTEM), T(BREAKPOINT)); /* hlt */
		else
			set(op, C(INT), T(BITMANIP));
		break;
	case 14:
		set(op, C(SYSTEM), T(BREAKPOINT));
		break;
	case 15:
		if (encoding & 15)
			set(op, C(INT), 0); /* it */
		else
			isa_arm32_hint(op, encoding >> 4 & 15);
		break;
	default: /* cbz is a branch */
		break;
	}
}

static void short_arithmetic(struct cairn_op *op, uint32_t encoding)
{
	bool mov = !(encoding >> 6) || (encoding & 0xf800) == 0x2000 || (encoding & 0xff00) == 0x4600;
	if ((encoding & 0xffc0) == 0x4340)
		set(op, C(MUL), T(MUL));
	else
		set(op, C(INT), mov ? T(MOVE) : 0);
}

static void short_one(struct cairn_op *op, uint32_t encoding)
{
	bool load = encoding >> 11 & 1;
	switch (encoding >> 12) {
	case 4:
		if (encoding & 0x800)
			isa_arm32_move(op, true, 4, 1); /* literal */
		else
			short_arithmetic(op, encoding);
		break;
	case 5:
		short_register_offset(op, encoding);
		break;
	case 6:
	case 9:
		isa_arm32_move(op, load, 4, 1);
		break;
	case 7:
		isa_arm32_move(op, load, 1, 1);
		break;
	case 8:
		isa_arm32_move(op, load, 2, 1);
		break;
	case 10: /* adr, add to sp */
		set(op, C(INT), 0);
		break;
	case 11:
		short_miscellaneous(op, encoding);
		break;
	case 12:
		isa_arm32_move(op, load, 4, (unsigned)__builtin_popcount(encoding & 255));
		break;
	case 13:
		if ((encoding & 0x0f00) == 0x0f00)
			set(op, C(SYSTEM), T(SYSCALL));
		break;
	default:
		if (encoding < 0x4000)
			short_arithmetic(op, encoding);
		break;
	}
	op->traits |= op->cls != C(ILLEGAL) ? T(COMPRESSED) : 0;
}

/* ---- 32 bits: memory ---- */

static void multiple(struct cairn_op *op, uint32_t encoding)
{
	unsigned how = encoding >> 23 & 3;
	bool load = encoding >> 20 & 1, state = how == 0 || how == 3; /* rfe, srs */
	isa_arm32_move(op, load, 4, state ? 2 : (unsigned)__builtin_popcount(encoding & 0xffff));
	op->traits |= state && !load ? T(PRIVILEGED) : 0;
}

/* Pairs, exclusives, acquire and release, tables of branches. */
static void dual(struct cairn_op *op, uint32_t encoding)
{
	bool load = encoding >> 20 & 1;
	unsigned op3 = encoding >> 4 & 15;
	static const uint8_t bytes[4] = {1, 2, 4, 4};
	if (encoding >> 24 & 1 || encoding >> 21 & 1) { /* ldrd, strd */
		isa_arm32_move(op, load, 4, 2);
	} else if (!(encoding >> 23 & 1)) {
		isa_arm32_exclusive(op, load, 4, 1, false);
	} else if (op3 >> 2 == 0) { /* tbb, tbh */
		if (op3 < 2)
			isa_arm32_move(op, true, op3 + 1, 1);
	} else if (op3 >> 2 == 2) {
		if (op3 < 11)
			isa_arm32_ordered(op, load, bytes[op3 & 3]);
	} else if (op3 != 6) {
		isa_arm32_exclusive(op, load, bytes[op3 & 3], (op3 & 3) == 3 ? 2 : 1, op3 >> 2 == 3);
	}
}

static void single(struct cairn_op *op, uint32_t encoding)
{
	unsigned size = encoding >> 21 & 3, rt = encoding >> 12 & 15, rn = encoding >> 16 & 15;
	bool load = encoding >> 20 & 1, is_signed = encoding >> 24 & 1,
		 moves = rn != 15 && !(encoding >> 23 & 1) && encoding >> 8 & 1 && encoding >> 11 & 1;
	bool user = rn != 15 && !(encoding >> 23 & 1) && (encoding >> 8 & 15) == 14;
	bool post = rn != 15 && !(encoding >> 23 & 1) && (encoding >> 8 & 15) == 9;
	if (size == 3 || (is_signed && (!load || size == 2)) || (!load && rn == 15))
		return;
	/* without an offset: a register, whose bits must be clear, or eight bits */
	if (rn != 15 && !(encoding >> 23 & 1) && !(encoding >> 11 & 1) && encoding & 0x7c0)
		return;
	if (rn != 15 && (encoding & 0x00800f00) == 0x00000800)
		return;
	if (load && rt == 15 && size < 2 && !moves && !user && !post) { /* pld, pldw, pli */
		set(op, C(CACHE), T(CACHE) | T(PREFETCH) | T(HINT));
		return;
	}
	isa_arm32_move(op, load, 1u << size, 1);
}

/* ---- 32 bits: arithmetic ---- */

/* Of and, bic, orr, orn, eor, add, adc, sbc, sub, rsb: bits by number; 6 is pkh. */
static const uint32_t opcodes = 0x6d1f;

static void arm32_t32_shifted(struct cairn_op *op, uint32_t encoding)
{
	if (!((opcodes | 1u << 6) >> (encoding >> 21 & 15) & 1))
		return;
	bool mov = (encoding & 0xffeff0f0) == 0xea4f0000;
	set(op, C(INT), mov ? T(MOVE) : 0);
}

static void arm32_t32_immediate(struct cairn_op *op, uint32_t encoding)
{
	/* add, movw, sub, movt, saturation, bit fields */
	static const uint32_t plain = 0x15551411;
	unsigned opcode = encoding >> 21 & 15, rn = encoding >> 16 & 15;
	if (encoding >> 25 & 1)
		set(op, plain >> (encoding >> 20 & 31) & 1 ? C(INT) : C(ILLEGAL),
		    (encoding & 0xfbf08000) == 0xf2400000 ? T(MOVE) : 0);
	else if (opcodes >> opcode & 1)
		set(op, C(INT), opcode == 2 && rn == 15 ? T(MOVE) : 0);
}

static void arm32_t32_registers(struct cairn_op *op, uint32_t encoding)
{
	unsigned op1 = encoding >> 20 & 15, op2 = encoding >> 4 & 15;
	if ((encoding & 0xf000) != 0xf000)
		return;
	/* rev, rev16, rbit, revsh; clz */
	bool bits = (op1 == 9 && op2 >> 2 == 2) || (op1 == 11 && op2 == 8);
	set(op, C(INT), bits ? T(BITMANIP) : 0);
}

static void products(struct cairn_op *op, uint32_t encoding)
{
	/* which of op2 there are, by op1 */
	static const uint16_t exist[16] = {3, 15,     3, 3,      3,      3,      3,    1,
	                                   1, 0x8000, 1, 0x8000, 0x3f01, 0x3000, 0x41, 0};
	unsigned op1 = encoding >> 20 & 15, op2 = encoding >> 4 & 15;
	if (!(exist[op1] >> op2 & 1))
		return;
	if (op1 == 7) /* usad8 */
		set(op, C(INT), 0);
	else if ((op1 == 9 || op1 == 11) && op2 == 15)
		set(op, C(DIV), T(DIV));
	else
		set(op, C(MUL), T(MUL));
}

/* ---- 32 bits: control ---- */

static void arm32_t32_control(struct cairn_op *op, uint32_t encoding)
{
	switch (encoding >> 20 & 127) {
	case 0x38:
	case 0x39: /* msr */
		set(op, C(CSR),
		    T(CSR) |
		        (encoding >> 20 & 1 || encoding & 0x320 || encoding >> 8 & 7 ? T(PRIVILEGED) : 0u));
		break;
	case 0x3a:
		if (encoding >> 8 & 7)
			set(op, C(SYSTEM), T(PRIVILEGED)); /* cps */
		else
			isa_arm32_hint(op, encoding & 255);
		break;
	case 0x3b:
		isa_arm32_barrier(op, (encoding >> 4 & 15) == 2 ? 1 : encoding >> 4 & 15);
		break;
	case 0x3e:
	case 0x3f: /* mrs */
		set(op, C(CSR), T(CSR) | (encoding >> 20 & 1 || encoding >> 5 & 1 ? T(PRIVILEGED) : 0u));
		break;
	case 0x78: /* dcps */
		if ((encoding & 0xf000) == 0x8000)
			set(op, C(SYSTEM), T(PRIVILEGED));
		break;
	case 0x7e:
	case 0x7f: /* hvc, smc; udf */
		if ((encoding & 0xf000) == 0x8000)
			set(op, C(SYSTEM), T(SYSCALL) | T(PRIVILEGED));
		break;
	default:
		break;
	}
}

static void long_one(struct cairn_op *op, uint32_t encoding)
{
	unsigned top = encoding >> 24;
	if (top == 0xef || top == 0xff) /* bit 28 is A32's bit 24 */
		isa_arm32_simd(op, 0xf2000000 | (encoding >> 4 & 0x01000000) | (encoding & 0xffffff));
	else if (top == 0xf9 && !(encoding >> 20 & 1))
		isa_arm32_simd_memory(op, 0xf4000000 | (encoding & 0xffffff));
	else if (top >= 0xfc || (top >= 0xec && top < 0xef))
		isa_arm32_coprocessor(op, encoding);
	else if (top < 0xea)
		encoding >> 22 & 1 ? dual(op, encoding) : multiple(op, encoding);
	else if (top < 0xec)
		arm32_t32_shifted(op, encoding);
	else if (top < 0xf8)
		encoding >> 15 & 1 ? arm32_t32_control(op, encoding) : arm32_t32_immediate(op, encoding);
	else if (top < 0xfa)
		single(op, encoding);
	else if (top == 0xfa)
		arm32_t32_registers(op, encoding);
	else
		products(op, encoding);
}

void isa_arm32_decode_t32(struct cairn_op *op)
{
	uint32_t e = op->enc;
	struct isa_arm_flow flow;
	set(op, C(ILLEGAL), 0);
	unsigned size = e > 0xffff ? isa_arm_t32_size(e >> 16) : isa_arm_t32_size(e);
	if (op->size != size || (size == 4 && e <= 0xffff))
		return;
	isa_arm_flow(CAIRN_ISA_T32, e, ISA_ARM_AA64, true, &flow);
	if (size == 2)
		short_one(op, e);
	else
		long_one(op, e);
	if (size == 2 && flow.kind != ISA_ARM_NONE)
		op->traits |= T(COMPRESSED);
	(void)isa_arm32_branch(op, &flow);
}

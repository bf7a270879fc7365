/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an access moved, by the registers.
 *
 * QEMU before 9.2 does not report it, so the recorder looks at memory after the access, where
 * another thread may have written since. A register that was loaded, or that was stored, has no
 * such doubt. What an atomic stored follows from what it loaded and from its operand before it ran.
 * A64's plain loads and stores are in decoder.c, which puts their registers, too; here are its
 * atomics, and all of RISC-V and SPARC.
 */
#include "formats/capture/decoder.h"
#include "isa/arm64.h"

/* ---- which registers ---- */

static uint8_t moved_general(unsigned reg)
{
	return (uint8_t)(reg ? reg : CAPTURE_ZERO);
}

static uint8_t a64(unsigned reg)
{
	return (uint8_t)(reg == 31 ? CAPTURE_ZERO : reg);
}

static void riscv_short(uint32_t encoding, bool wide, struct capture_move *move)
{
	unsigned f3 = encoding >> 13 & 7;
	bool sp = (encoding & 3) == 2, store = f3 > 4;
	bool fp = (f3 & 3) == 1 || ((f3 & 3) == 3 && !wide);
	unsigned reg = !sp ? 8 + (encoding >> 2 & 7) : store ? encoding >> 2 & 31 : encoding >> 7 & 31;
	if ((encoding & 3) == 1 || !(f3 & 3))
		return;
	move->reg = fp ? (uint8_t)(CAPTURE_FP + reg) : moved_general(reg);
}

static void riscv_atomic(uint32_t encoding, struct capture_move *move)
{
	static const struct {
		uint8_t funct5, combine;
	} all[] = {{0, ISA_ARM64_ADD},   {1, ISA_ARM64_SWP},   {4, ISA_ARM64_EOR},
	           {8, ISA_ARM64_SET},   {16, ISA_ARM64_SMIN}, {20, ISA_ARM64_SMAX},
	           {24, ISA_ARM64_UMIN}, {28, ISA_ARM64_UMAX}, {12, ISA_ARM64_CLR},
	           {5, ISA_ARM64_CAS}};
	unsigned funct5 = encoding >> 27;
	if (funct5 == 3) { /* sc: a store; its destination says whether it stored */
		move->reg = moved_general(encoding >> 20 & 31);
		return;
	}
	move->reg = moved_general(encoding >> 7 & 31);
	move->data = moved_general(encoding >> 20 & 31);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].funct5 == funct5)
			move->combine = all[i].combine;
	move->inverted = funct5 == 12; /* and: bits that are not in the operand go */
	move->compare = move->combine == ISA_ARM64_CAS ? move->reg : CAPTURE_NO_REG;
}

static void moved_riscv(const struct cairn_op *op, struct capture_move *move)
{
	uint32_t e = op->enc;
	unsigned f3 = e >> 12 & 7;
	bool scalar = f3 >= 1 && f3 <= 3;
	if (op->size == 2)
		riscv_short(e, op->isa == CAIRN_ISA_RV64, move);
	else if ((e & 0x7f) == 0x03)
		move->reg = moved_general(e >> 7 & 31);
	else if ((e & 0x7f) == 0x07 && scalar)
		move->reg = (uint8_t)(CAPTURE_FP + (e >> 7 & 31));
	else if ((e & 0x7f) == 0x23)
		move->reg = moved_general(e >> 20 & 31);
	else if ((e & 0x7f) == 0x27 && scalar)
		move->reg = (uint8_t)(CAPTURE_FP + (e >> 20 & 31));
	else if ((e & 0x7f) == 0x2f)
		riscv_atomic(e, move);
}

static void moved_arm64(const struct cairn_op *op, struct capture_move *move)
{
	struct isa_arm64_access access;
	if (!isa_arm64_access(op->enc, &access) || !(access.flags & ISA_ARM64_ATOMIC) ||
	    access.n_regs != 1 || access.n_operands != 1)
		return;
	move->reg = a64(access.regs[0]);
	move->data = a64(access.operands[0]);
	move->combine = access.combine;
	move->compare = access.combine == ISA_ARM64_CAS ? move->reg : CAPTURE_NO_REG;
}

/* Not for other address spaces: those may be little endian, or hold blocks. */
static void moved_sparc(const struct cairn_op *op, struct capture_move *move)
{
	uint32_t e = op->enc, op3 = e >> 19 & 63;
	unsigned rd = e >> 25 & 31;
	bool here = !(e & 1 << 13) && ((e >> 5 & 0xff) == 0x80 || (e >> 5 & 0xff) == 0x82);
	if (e >> 30 != 3)
		return;
	if (op3 == 0x3c || op3 == 0x3e) { /* cas, casx */
		if (!here)
			return;
		move->reg = move->data = moved_general(rd);
		move->compare = moved_general(e & 31);
		move->combine = ISA_ARM64_CAS;
	} else if (op3 == 0x0d || op3 == 0x0f) { /* ldstub, swap */
		move->reg = moved_general(rd);
		move->data = op3 == 0x0d ? (uint8_t)CAPTURE_ONES : move->reg;
		move->combine = ISA_ARM64_SWP;
	} else if (op3 == 0x20 || op3 == 0x24) { /* singles */
		move->reg = (uint8_t)(CAPTURE_FP + rd / 2);
		move->half = rd & 1 ? 2 : 1;
	} else if (op3 == 0x23 || op3 == 0x27) { /* doubles */
		move->reg = (uint8_t)(CAPTURE_FP + ((rd & 30) | (rd & 1) << 5) / 2);
	} else if (op3 < 0x10) {
		move->pair = op3 == 3 || op3 == 7;
		move->reg = move->pair ? (uint8_t)(rd & 30) : moved_general(rd);
	}
}

void capture_move(const struct cairn_op *op, struct capture_move *move)
{
	*move = (struct capture_move){.reg = CAPTURE_NO_REG,
	                              .data = CAPTURE_NO_REG,
	                              .compare = CAPTURE_NO_REG};
	if (!(op->traits & (CAIRN_TRAIT_LOAD | CAIRN_TRAIT_STORE)))
		return;
	if (op->isa == CAIRN_ISA_A64)
		moved_arm64(op, move);
	else if (op->isa == CAIRN_ISA_SPARC)
		moved_sparc(op, move);
	else
		moved_riscv(op, move);
}

/* ---- what they hold ---- */

static bool moved_holds(const struct decoder *decoder, unsigned reg, uint64_t *values)
{
	*values = reg == CAPTURE_ONES  ? UINT64_MAX
	          : reg < CAPTURE_REGS ? *capture_value(decoder->im, decoder->thread, reg)
	                               : 0;
	return reg < CAPTURE_REGS
	           ? decoder->thread->has[reg] || (reg == 0 && decoder->im->isa != CAIRN_ISA_A64)
	           : reg != CAPTURE_NO_REG;
}

/* All that was moved, as memory has it. */
static bool moved_whole(const struct decoder *decoder, const struct capture_move *move,
                        uint64_t *values)
{
	uint64_t low = 0;
	if (!(decoder->im->flags & CAPTURE_REGISTERS) || !moved_holds(decoder, move->reg, values) ||
	    (move->pair && !moved_holds(decoder, move->reg | 1u, &low)))
		return false;
	if (move->pair)
		*values = *values << 32 | (low & UINT32_MAX);
	*values >>= move->half == 1 ? 32 : 0;
	return true;
}

static uint64_t moved_cut(uint64_t value, unsigned size)
{
	return value & (UINT64_MAX >> (64 - 8 * size));
}

void capture_give(const struct decoder *decoder, const struct capture_insn *in,
                  struct capture_given *given)
{
	const struct capture_move *move = &in->move;
	bool regs = decoder->im->flags & CAPTURE_REGISTERS;
	given->has_data = move->combine ? regs && moved_holds(decoder, move->data, &given->data)
	                                : moved_whole(decoder, move, &given->data);
	given->data = move->inverted ? ~given->data : given->data;
	given->has_compare = regs && moved_holds(decoder, move->compare, &given->compare);
}

bool capture_loaded(const struct decoder *decoder, const struct capture_insn *in, unsigned size,
                    uint64_t *values)
{
	const struct capture_move *move = &in->move;
	if (move->reg >= CAPTURE_REGS || size > 8 || capture_hidden(decoder, move->reg) ||
	    (move->pair && capture_hidden(decoder, move->reg | 1u)) ||
	    !moved_whole(decoder, move, values))
		return false;
	*values = moved_cut(*values, size);
	return true;
}

bool capture_stored(const struct capture_insn *in, const struct capture_given *given, unsigned size,
                    const uint64_t *old, uint64_t *values)
{
	struct isa_arm64_access access = {.combine = in->move.combine, .element = (uint8_t)size};
	if (!given->has_data || size > 8)
		return false;
	*values = moved_cut(given->data, size);
	if (!access.combine || access.combine == ISA_ARM64_SWP)
		return true;
	if (!old || (access.combine == ISA_ARM64_CAS && !given->has_compare))
		return false;
	*values = isa_arm64_combine(&access, *old, given->data, given->compare);
	return true;
}

bool capture_refused(const struct capture_insn *in, const struct capture_given *given,
                     unsigned size, const uint64_t *old)
{
	return in->move.combine == ISA_ARM64_CAS && given->has_compare && old && size <= 8 &&
	       moved_cut(*old, size) != moved_cut(given->compare, size);
}

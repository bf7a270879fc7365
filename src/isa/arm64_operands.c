/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which registers an instruction reads and writes.
 *
 * Accesses are told by arm64_memory.c and results by arm64_result.c; what is left are the
 * sources of arithmetic on general registers and of branches, which stand in the same
 * places of nearly all encodings. SIMD and floating point without memory are not told.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1.
 */
#include "isa/arm64.h"
#include "isa/isa.h"

enum { MOST_SRC = 6, MOST_DST = 4, ZERO = 31 };

static bool put(struct cairn_operand *list, uint8_t *n, unsigned most, unsigned cls, unsigned num)
{
	if (*n == most)
		return false;
	list[(*n)++] = (struct cairn_operand){(uint16_t)num, (uint8_t)cls};
	return true;
}

static bool reads(struct cairn_operands *o, unsigned cls, unsigned num)
{
	for (unsigned k = 0; k < o->n_src; k++)
		if (o->src[k].cls == cls && o->src[k].num == num)
			return true;
	return put(o->src, &o->n_src, MOST_SRC, cls, num);
}

static bool writes(struct cairn_operands *o, unsigned cls, unsigned num)
{
	return put(o->dst, &o->n_dst, MOST_DST, cls, num);
}

/* General register 31 is the zero register, and no operand, or SP. */
static bool reads_x(struct cairn_operands *o, unsigned num, bool sp)
{
	return (num == ZERO && !sp) || reads(o, CAIRN_REG_INT, num);
}

static bool reads_flags(struct cairn_operands *o)
{
	return reads(o, CAIRN_REG_FLAGS, 0);
}

/* ---- loads and stores ---- */

static bool of_bank(struct cairn_operands *o, unsigned bank, unsigned num, bool write)
{
	unsigned cls = CAIRN_REG_INT;
	if (bank == ISA_ARM64_X && num == ZERO)
		return true;
	if (bank == ISA_ARM64_V || bank == ISA_ARM64_Z)
		cls = CAIRN_REG_VECTOR;
	else if (bank == ISA_ARM64_P)
		cls = CAIRN_REG_PREDICATE;
	else if (bank != ISA_ARM64_X)
		return false; /* ZA and the look-up table */
	return write ? writes(o, cls, num) : reads(o, cls, num);
}

static bool access(const struct isa_arm64_access *a, struct cairn_operands *o)
{
	bool told = true, load = a->flags & ISA_ARM64_LOAD;
	/* The base comes first, so that who asks finds it. */
	if (a->flags & (ISA_ARM64_MOPS | ISA_ARM64_TAG))
		return false;
	if (a->base_kind == ISA_ARM64_BASE_X)
		told = told && reads_x(o, a->base, true);
	else if (a->base_kind == ISA_ARM64_BASE_Z)
		told = told && reads(o, CAIRN_REG_VECTOR, a->base);
	for (unsigned k = 0; k < a->n_regs && !(a->flags & ISA_ARM64_PREFETCH); k++) {
		told = told && of_bank(o, a->bank, a->regs[k], load);
		/* What is compared with memory, or keeps its other lanes, is read as well. */
		if (load && (a->combine == ISA_ARM64_CAS || a->flags & ISA_ARM64_ONE_LANE))
			told = told && of_bank(o, a->bank, a->regs[k], false);
	}
	for (unsigned k = 0; k < a->n_operands; k++)
		told = told && of_bank(o, ISA_ARM64_X, a->operands[k], false);
	if (a->index_kind == ISA_ARM64_INDEX_X)
		told = told && reads_x(o, a->index, false);
	else if (a->index_kind == ISA_ARM64_INDEX_Z)
		told = told && reads(o, CAIRN_REG_VECTOR, a->index);
	if (a->predicate != ISA_ARM64_NO_REG)
		told = told && reads(o, CAIRN_REG_PREDICATE, a->predicate);
	if (a->writeback != ISA_ARM64_NO_WRITEBACK)
		told = told && writes(o, CAIRN_REG_INT, a->base);
	if (a->status != ISA_ARM64_NO_REG && a->status != ZERO)
		told = told && writes(o, CAIRN_REG_INT, a->status);
	return told;
}

/* ---- arithmetic ---- */

static bool immediate(uint32_t e, struct cairn_operands *o)
{
	unsigned rd = e & 31, rn = e >> 5 & 31, rm = e >> 16 & 31, opc = e >> 29 & 3;
	switch (e >> 23 & 7) {
	case 0: case 1:
		return true;
	case 2: case 3:
		return reads_x(o, rn, true);
	case 4:
		return reads_x(o, rn, false);
	case 5: /* movk keeps the rest */
		return opc != 3 || reads_x(o, rd, false);
	case 6: /* and so does bfm */
		return reads_x(o, rn, false) && (opc != 1 || reads_x(o, rd, false));
	default:
		return opc == 0 && reads_x(o, rn, false) && reads_x(o, rm, false);
	}
}

static bool registers(uint32_t e, struct cairn_operands *o)
{
	unsigned rd = e & 31, rn = e >> 5 & 31, rm = e >> 16 & 31, ra = e >> 10 & 31;
	if (!(e >> 28 & 1)) { /* an extended operand goes with SP */
		bool extended = e >> 24 & 1 && e >> 21 & 1;
		return reads_x(o, rn, extended) && reads_x(o, rm, false);
	}
	switch (e >> 21 & 15) {
	case 0: /* adc, sbc; rmif, setf */
		if (e >> 10 & 31)
			return reads_x(o, rn, false) && reads_flags(o);
		return reads_x(o, rn, false) && reads_x(o, rm, false) && reads_flags(o);
	case 2: /* conditional compare: with a register, or an immediate */
		return reads_x(o, rn, false) && (e >> 11 & 1 || reads_x(o, rm, false)) && reads_flags(o);
	case 4:
		return reads_x(o, rn, false) && reads_x(o, rm, false) && reads_flags(o);
	case 6:
		if (!(e >> 30 & 1)) {
			/* Of subp and the tags the registers may be SP; pacga's second one, too. */
			unsigned op = e >> 10 & 63;
			return reads_x(o, rn, op == 0 || op == 4 || op == 5) && reads_x(o, rm, op == 0 || op == 12);
		}
		if (rm == 1) /* pointer authentication: changes its register, by a modifier */
			return reads_x(o, rd, false) && (e >> 13 & 1 || reads_x(o, rn, true));
		return reads_x(o, rn, false);
	default:
		return e >> 24 & 1 && reads_x(o, rn, false) && reads_x(o, rm, false) && reads_x(o, ra, false);
	}
}

/* ---- branches ---- */

static bool branch(uint32_t e, struct cairn_operands *o)
{
	unsigned rt = e & 31, rn = e >> 5 & 31;
	switch (e >> 25) {
	case 0x1a: case 0x5a: /* cbz, cbnz */
	case 0x1b: case 0x5b: /* tbz, tbnz */
		return reads_x(o, rt, false);
	case 0x2a: /* b.cond */
		return !(e >> 24 & 1) && reads_flags(o);
	default:
		break;
	}
	if ((e & 0x7c000000) == 0x14000000) /* b, bl */
		return true;
	if ((e & 0xff9f0000) == 0xd61f0000) /* br, blr, ret; with authentication a modifier */
		return reads_x(o, rn, false) && (!(e >> 24 & 1) || !(e >> 11 & 1) || reads_x(o, rt, true));
	if ((e & 0xfffff01f) == 0xd503201f) /* hints: those that authenticate change x30 or x17 */
		return (e >> 5 & 127) < 6;
	if ((e & 0xfff00000) == 0xd5300000) /* mrs */
		return true;
	return (e & 0xfff00000) == 0xd5100000 && reads_x(o, rt, false);
}

static bool operands(uint32_t e, struct cairn_operands *o)
{
	struct isa_arm64_access a;
	struct isa_arm64_result r = {.bank = ISA_ARM64_NO_BANK};
	if (isa_arm64_access(e, &a))
		return access(&a, o);
	unsigned group = e >> 25 & 15;
	bool told = group >> 1 == 4 ? immediate(e, o) : group >> 1 == 5 ? branch(e, o)
	            : (group & 7) == 5 && registers(e, o);
	if (!told)
		return false;
	if (!isa_arm64_result(e, &r)) /* b, ret: nothing is written */
		return group >> 1 == 5;
	if (r.bank == ISA_ARM64_X && (r.reg != ZERO || r.sp))
		told = writes(o, CAIRN_REG_INT, r.reg);
	if (r.reads_nzcv)
		told = told && reads_flags(o);
	return told && (!r.sets_nzcv || writes(o, CAIRN_REG_FLAGS, 0));
}

int isa_arm64_operands(uint32_t enc, struct cairn_operands *o)
{
	return operands(enc, o) ? 0 : CAIRN_E_UNSUPPORTED;
}

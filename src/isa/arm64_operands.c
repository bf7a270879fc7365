/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which registers an instruction reads and writes.
 *
 * Accesses are told by arm64_memory.c and results by arm64_result.c; what is left are the
 * sources of arithmetic on general registers, of branches and of system instructions, which
 * stand in the same places of nearly all encodings. SIMD and floating point without memory
 * are not told, nor what calls a system or a debugger; system registers are no operands.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4.1.
 */
#include "isa/arm64.h"
#include "isa/isa.h"

enum {
	ZERO = 31,
	LINK = 30,
	MOST = sizeof((struct cairn_operands *)0)->src / sizeof(struct cairn_operand)
};

static bool arm64_operands_put(struct cairn_operand *list, uint8_t *n, unsigned cls, unsigned num)
{
	if (*n == MOST)
		return false;
	list[(*n)++] = (struct cairn_operand){(uint16_t)num, (uint8_t)cls};
	return true;
}

static bool arm64_operands_reads(struct cairn_operands *o, unsigned cls, unsigned num)
{
	for (unsigned k = 0; k < o->n_src; k++)
		if (o->src[k].cls == cls && o->src[k].num == num)
			return true;
	return arm64_operands_put(o->src, &o->n_src, cls, num);
}

static bool arm64_operands_writes(struct cairn_operands *o, unsigned cls, unsigned num)
{
	return arm64_operands_put(o->dst, &o->n_dst, cls, num);
}

/* General register 31 is the zero register, and no operand, or SP. */
static bool reads_x(struct cairn_operands *o, unsigned num, bool sp)
{
	return (num == ZERO && !sp) || arm64_operands_reads(o, CAIRN_REG_INT, num);
}

static bool writes_x(struct cairn_operands *operands, unsigned num, bool sp)
{
	return (num == ZERO && !sp) || arm64_operands_writes(operands, CAIRN_REG_INT, num);
}

static bool changes_x(struct cairn_operands *operands, unsigned num)
{
	return reads_x(operands, num, false) && writes_x(operands, num, false);
}

static bool reads_flags(struct cairn_operands *o)
{
	return arm64_operands_reads(o, CAIRN_REG_FLAGS, 0);
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
	return write ? arm64_operands_writes(o, cls, num) : arm64_operands_reads(o, cls, num);
}

/* Copies and sets move their registers on as they go; the first of the three leaves the
 * flags that the others go by. */
static bool memory_operation(uint32_t enc, struct cairn_operands *operands)
{
	bool sets = (enc >> 22 & 3) == 3;
	unsigned rd = enc & 31, rn = enc >> 5 & 31, rs = enc >> 16 & 31,
			 stage = enc >> (sets ? 14 : 22) & 3;
	return changes_x(operands, rd) &&
	       (sets ? reads_x(operands, rs, false) : changes_x(operands, rs)) &&
	       changes_x(operands, rn) &&
	       (stage ? reads_flags(operands) : arm64_operands_writes(operands, CAIRN_REG_FLAGS, 0));
}

/* Of allocation tags: the register's tag is stored, or what is loaded becomes a part of it. */
static bool arm64_operands_tags(uint32_t enc, const struct isa_arm64_access *memory,
                                struct cairn_operands *operands)
{
	unsigned rt = enc & 31;
	bool told = reads_x(operands, memory->base, true);
	if ((enc & 0xfe000000) == 0x68000000) /* stgp: a pair is stored */
		told = told && reads_x(operands, rt, false) && reads_x(operands, enc >> 10 & 31, false);
	else if ((enc & 0xff600c00) == 0xd9600000 && enc >> 23 & 1) /* ldgm */
		told = told && writes_x(operands, rt, false);
	else if ((enc & 0xffe00c00) == 0xd9600000) /* ldg keeps the address */
		told = told && changes_x(operands, rt);
	else /* of whole blocks number 31 is no SP */
		told = told && reads_x(operands, rt, enc >> 10 & 3);
	return told && (memory->writeback == ISA_ARM64_NO_WRITEBACK ||
	                arm64_operands_writes(operands, CAIRN_REG_INT, memory->base));
}

static bool arm64_operands_access(uint32_t e, const struct isa_arm64_access *a,
                                  struct cairn_operands *o)
{
	bool told = true, load = a->flags & ISA_ARM64_LOAD;
	/* The base comes first, so that who asks finds it. */
	if (a->flags & ISA_ARM64_MOPS)
		return memory_operation(e, o);
	if (a->flags & ISA_ARM64_TAG)
		return arm64_operands_tags(e, a, o);
	if (a->base_kind == ISA_ARM64_BASE_X)
		told = told && reads_x(o, a->base, true);
	else if (a->base_kind == ISA_ARM64_BASE_Z)
		told = told && arm64_operands_reads(o, CAIRN_REG_VECTOR, a->base);
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
		told = told && arm64_operands_reads(o, CAIRN_REG_VECTOR, a->index);
	if (a->predicate != ISA_ARM64_NO_REG)
		told = told && arm64_operands_reads(o, CAIRN_REG_PREDICATE, a->predicate);
	if (a->writeback != ISA_ARM64_NO_WRITEBACK)
		told = told && arm64_operands_writes(o, CAIRN_REG_INT, a->base);
	if (a->status != ISA_ARM64_NO_REG && a->status != ZERO)
		told = told && arm64_operands_writes(o, CAIRN_REG_INT, a->status);
	return told;
}

/* ---- arithmetic ---- */

static bool arm64_operands_immediate(uint32_t e, struct cairn_operands *o)
{
	unsigned rd = e & 31, rn = e >> 5 & 31, rm = e >> 16 & 31, opc = e >> 29 & 3;
	switch (e >> 23 & 7) {
	case 0:
	case 1:
		return true;
	case 2:
		return reads_x(o, rn, true);
	case 3: /* of addg and subg; the others are smax and relatives */
		return reads_x(o, rn, !(e >> 22 & 1));
	case 4:
		return reads_x(o, rn, false);
	case 5: /* movk keeps the rest */
		return opc != 3 || reads_x(o, rd, false);
	case 6: /* and so does bfm */
		return reads_x(o, rn, false) && (opc != 1 || reads_x(o, rd, false));
	default:
		if (opc == 3) /* autiasppc */
			return reads_x(o, LINK, false) && reads_x(o, ISA_ARM64_SP, true);
		return opc == 0 && reads_x(o, rn, false) && reads_x(o, rm, false);
	}
}

/* Pointer authentication changes its register, by a modifier. */
static bool authenticates(uint32_t enc, struct cairn_operands *operands)
{
	unsigned rd = enc & 31, rn = enc >> 5 & 31, opcode = enc >> 10 & 63;
	if (opcode < 32)
		return reads_x(operands, rd, false) && (opcode >= 8 || reads_x(operands, rn, true));
	/* x30 by SP and where the instruction is, or what a register says that is; x17 by x16, x15 */
	if (opcode == 34 || opcode == 35 || opcode == 46 || opcode == 47)
		return reads_x(operands, 17, false) && reads_x(operands, 16, false) &&
		       reads_x(operands, 15, false);
	return reads_x(operands, LINK, false) && reads_x(operands, ISA_ARM64_SP, true) &&
	       (opcode < 36 || opcode > 37 || reads_x(operands, rn, false));
}

static bool arm64_operands_registers(uint32_t e, struct cairn_operands *o)
{
	unsigned rn = e >> 5 & 31, rm = e >> 16 & 31, ra = e >> 10 & 31;
	if (!(e >> 28 & 1)) { /* an extended operand goes with SP */
		bool extended = e >> 24 & 1 && e >> 21 & 1;
		return reads_x(o, rn, extended) && reads_x(o, rm, false);
	}
	switch (e >> 21 & 15) {
	case 0: /* adc, sbc; addpt, subpt; rmif, setf */
		if ((e >> 13 & 7) == 1)
			return reads_x(o, rn, true) && reads_x(o, rm, false);
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
			return reads_x(o, rn, op == 0 || op == 4 || op == 5) &&
			       reads_x(o, rm, op == 0 || op == 12);
		}
		if (rm == 1)
			return authenticates(e, o);
		return reads_x(o, rn, false);
	default: /* smulh and umulh add nothing */
		return e >> 24 & 1 && reads_x(o, rn, false) && reads_x(o, rm, false) &&
		       ((e >> 21 & 3) == 2 || reads_x(o, ra, false));
	}
}

/* ---- branches and system instructions ---- */

/* br, blr, ret: with authentication by a modifier, of ret by SP and what a register says. */
static bool arm64_operands_indirect(uint32_t enc, struct cairn_operands *operands)
{
	unsigned rt = enc & 31, rn = enc >> 5 & 31;
	bool returns = (enc >> 21 & 3) == 2, signed_too = enc >> 11 & 1;
	if (returns && signed_too)
		return reads_x(operands, LINK, false) && reads_x(operands, ISA_ARM64_SP, true) &&
		       reads_x(operands, rt, false);
	return reads_x(operands, rn, false) && (!(enc >> 24 & 1) || reads_x(operands, rt, true));
}

/* Those that sign or authenticate: x30, by SP or by zero, or x17 by x16. */
static bool arm64_operands_hint(unsigned number, struct cairn_operands *operands)
{
	if (number == 7) /* xpaclri */
		return reads_x(operands, LINK, false);
	if (number >= 24 && number < 32)
		return reads_x(operands, LINK, false) &&
		       (!(number & 1) || reads_x(operands, ISA_ARM64_SP, true));
	if (number >= 8 && number < 16 && !(number & 1))
		return reads_x(operands, 17, false) && reads_x(operands, 16, false);
	return number != 40 || reads_x(operands, 16, false); /* chkfeat */
}

static bool arm64_operands_system(uint32_t enc, struct cairn_operands *operands)
{
	unsigned rt = enc & 31;
	bool pair = enc >> 22 & 1, result = enc >> 21 & 1;
	if ((enc & 0xfffff01f) == 0xd503201f)
		return arm64_operands_hint(enc >> 5 & 127, operands);
	if ((enc & 0xffffffc0) == 0xd5031000) /* wfet, wfit */
		return reads_x(operands, rt, false);
	if (!(enc >> 19 & 3)) /* barriers, msr of a field; the result of tstart */
		return result || rt == ZERO;
	if (result && pair) /* mrrs */
		return writes_x(operands, rt, false) && writes_x(operands, rt + 1, false);
	/* msr, sys and relatives read; what mrs and sysl write is the result */
	return result ||
	       (reads_x(operands, rt, false) && (!pair || reads_x(operands, rt + (rt != ZERO), false)));
}

static bool arm64_operands_branch(uint32_t e, struct cairn_operands *o)
{
	switch (e >> 25) {
	case 0x1a:
	case 0x5a: /* cbz, cbnz */
	case 0x1b:
	case 0x5b: /* tbz, tbnz */
		return reads_x(o, e & 31, false);
	case 0x3a:
	case 0x7a: /* compare and branch */
		return reads_x(o, e & 31, false) && (e >> 24 & 1 || reads_x(o, e >> 16 & 31, false));
	case 0x2a: /* b.cond, of which al and nv always hold; retaasppc */
		if (e >> 24 & 1)
			return reads_x(o, LINK, false) && reads_x(o, ISA_ARM64_SP, true);
		return (e & 14) == 14 || reads_flags(o);
	default:
		break;
	}
	if ((e & 0x7c000000) == 0x14000000) /* b, bl */
		return true;
	if ((e & 0xfe9f0000) == 0xd61f0000)
		return arm64_operands_indirect(e, o);
	return e >> 23 == 0x1aa && arm64_operands_system(e, o);
}

static bool operands(uint32_t e, struct cairn_operands *o)
{
	struct isa_arm64_access a;
	struct isa_arm64_result r = {.bank = ISA_ARM64_NO_BANK};
	if (isa_arm64_access(e, &a))
		return arm64_operands_access(e, &a, o);
	unsigned group = e >> 25 & 15;
	bool told = group >> 1 == 4   ? arm64_operands_immediate(e, o)
	            : group >> 1 == 5 ? arm64_operands_branch(e, o)
	                              : (group & 7) == 5 && arm64_operands_registers(e, o);
	if (!told)
		return false;
	if (!isa_arm64_result(e, &r)) /* b, ret: nothing is written */
		return group >> 1 == 5;
	if (r.bank == ISA_ARM64_X && (r.reg != ZERO || r.sp))
		told = arm64_operands_writes(o, CAIRN_REG_INT, r.reg);
	if (r.reads_nzcv)
		told = told && reads_flags(o);
	return told && (!r.sets_nzcv || arm64_operands_writes(o, CAIRN_REG_FLAGS, 0));
}

int isa_arm64_operands(uint32_t enc, struct cairn_operands *o)
{
	return operands(enc, o) ? 0 : CAIRN_E_UNSUPPORTED;
}

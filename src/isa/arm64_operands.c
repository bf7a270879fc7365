/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64: which registers an instruction reads and writes.
 *
 * arm64_memory.c has the registers of accesses and arm64_result.c the results. This file has the
 * sources of arithmetic on general registers, of branches and of system instructions, which are
 * in the same fields of nearly all encodings. It does not have SIMD and floating point without
 * memory, and what a system call or a debugger reads; system registers are no operands.
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

static bool arm64_operands_reads(struct cairn_operands *operands, unsigned cls, unsigned num)
{
	for (unsigned k = 0; k < operands->n_src; k++)
		if (operands->src[k].cls == cls && operands->src[k].num == num)
			return true;
	return arm64_operands_put(operands->src, &operands->n_src, cls, num);
}

static bool arm64_operands_writes(struct cairn_operands *operands, unsigned cls, unsigned num)
{
	return arm64_operands_put(operands->dst, &operands->n_dst, cls, num);
}

/* General register 31 is the zero register, and no operand, or SP. */
static bool reads_x(struct cairn_operands *operands, unsigned num, bool sp)
{
	return (num == ZERO && !sp) || arm64_operands_reads(operands, CAIRN_REG_INT, num);
}

static bool writes_x(struct cairn_operands *operands, unsigned num, bool sp)
{
	return (num == ZERO && !sp) || arm64_operands_writes(operands, CAIRN_REG_INT, num);
}

static bool changes_x(struct cairn_operands *operands, unsigned num)
{
	return reads_x(operands, num, false) && writes_x(operands, num, false);
}

static bool reads_flags(struct cairn_operands *operands)
{
	return arm64_operands_reads(operands, CAIRN_REG_FLAGS, 0);
}

/* ---- loads and stores ---- */

static bool of_bank(struct cairn_operands *operands, unsigned bank, unsigned num, bool write)
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
	return write ? arm64_operands_writes(operands, cls, num)
	             : arm64_operands_reads(operands, cls, num);
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

static bool arm64_operands_access(uint32_t encoding, const struct isa_arm64_access *access,
                                  struct cairn_operands *operands)
{
	bool told = true, load = access->flags & ISA_ARM64_LOAD;
	/* The base comes first, so that callers find it. */
	if (access->flags & ISA_ARM64_MOPS)
		return memory_operation(encoding, operands);
	if (access->flags & ISA_ARM64_TAG)
		return arm64_operands_tags(encoding, access, operands);
	if (access->base_kind == ISA_ARM64_BASE_X)
		told = told && reads_x(operands, access->base, true);
	else if (access->base_kind == ISA_ARM64_BASE_Z)
		told = told && arm64_operands_reads(operands, CAIRN_REG_VECTOR, access->base);
	for (unsigned k = 0; k < access->n_regs && !(access->flags & ISA_ARM64_PREFETCH); k++) {
		told = told && of_bank(operands, access->bank, access->regs[k], load);
		/* What is compared with memory, or keeps its other lanes, is read as well. */
		if (load && (access->combine == ISA_ARM64_CAS || access->flags & ISA_ARM64_ONE_LANE))
			told = told && of_bank(operands, access->bank, access->regs[k], false);
	}
	for (unsigned k = 0; k < access->n_operands; k++)
		told = told && of_bank(operands, ISA_ARM64_X, access->operands[k], false);
	if (access->index_kind == ISA_ARM64_INDEX_X)
		told = told && reads_x(operands, access->index, false);
	else if (access->index_kind == ISA_ARM64_INDEX_Z)
		told = told && arm64_operands_reads(operands, CAIRN_REG_VECTOR, access->index);
	if (access->predicate != ISA_ARM64_NO_REG)
		told = told && arm64_operands_reads(operands, CAIRN_REG_PREDICATE, access->predicate);
	if (access->writeback != ISA_ARM64_NO_WRITEBACK)
		told = told && arm64_operands_writes(operands, CAIRN_REG_INT, access->base);
	if (access->status != ISA_ARM64_NO_REG && access->status != ZERO)
		told = told && arm64_operands_writes(operands, CAIRN_REG_INT, access->status);
	return told;
}

/* ---- arithmetic ---- */

static bool arm64_operands_immediate(uint32_t encoding, struct cairn_operands *operands)
{
	unsigned rd = encoding & 31, rn = encoding >> 5 & 31, rm = encoding >> 16 & 31,
			 opc = encoding >> 29 & 3;
	switch (encoding >> 23 & 7) {
	case 0:
	case 1:
		return true;
	case 2:
		return reads_x(operands, rn, true);
	case 3: /* of addg and subg; the others are smax and relatives */
		return reads_x(operands, rn, !(encoding >> 22 & 1));
	case 4:
		return reads_x(operands, rn, false);
	case 5: /* movk keeps the rest */
		return opc != 3 || reads_x(operands, rd, false);
	case 6: /* and so does bfm */
		return reads_x(operands, rn, false) && (opc != 1 || reads_x(operands, rd, false));
	default:
		if (opc == 3) /* autiasppc */
			return reads_x(operands, LINK, false) && reads_x(operands, ISA_ARM64_SP, true);
		return opc == 0 && reads_x(operands, rn, false) && reads_x(operands, rm, false);
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

static bool arm64_operands_registers(uint32_t encoding, struct cairn_operands *operands)
{
	unsigned rn = encoding >> 5 & 31, rm = encoding >> 16 & 31, ra = encoding >> 10 & 31;
	if (!(encoding >> 28 & 1)) { /* an extended operand goes with SP */
		bool extended = encoding >> 24 & 1 && encoding >> 21 & 1;
		return reads_x(operands, rn, extended) && reads_x(operands, rm, false);
	}
	switch (encoding >> 21 & 15) {
	case 0: /* adc, sbc; addpt, subpt; rmif, setf */
		if ((encoding >> 13 & 7) == 1)
			return reads_x(operands, rn, true) && reads_x(operands, rm, false);
		if (encoding >> 10 & 31)
			return reads_x(operands, rn, false) && reads_flags(operands);
		return reads_x(operands, rn, false) && reads_x(operands, rm, false) &&
		       reads_flags(operands);
	case 2: /* conditional compare: with a register, or an immediate */
		return reads_x(operands, rn, false) &&
		       (encoding >> 11 & 1 || reads_x(operands, rm, false)) && reads_flags(operands);
	case 4:
		return reads_x(operands, rn, false) && reads_x(operands, rm, false) &&
		       reads_flags(operands);
	case 6:
		if (!(encoding >> 30 & 1)) {
			/* Of subp and the tags the registers may be SP; pacga's second one, too. */
			unsigned op = encoding >> 10 & 63;
			return reads_x(operands, rn, op == 0 || op == 4 || op == 5) &&
			       reads_x(operands, rm, op == 0 || op == 12);
		}
		if (rm == 1)
			return authenticates(encoding, operands);
		return reads_x(operands, rn, false);
	default: /* smulh and umulh add nothing */
		return encoding >> 24 & 1 && reads_x(operands, rn, false) && reads_x(operands, rm, false) &&
		       ((encoding >> 21 & 3) == 2 || reads_x(operands, ra, false));
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

static bool arm64_operands_branch(uint32_t encoding, struct cairn_operands *operands)
{
	switch (encoding >> 25) {
	case 0x1a:
	case 0x5a: /* cbz, cbnz */
	case 0x1b:
	case 0x5b: /* tbz, tbnz */
		return reads_x(operands, encoding & 31, false);
	case 0x3a:
	case 0x7a: /* compare and branch */
		return reads_x(operands, encoding & 31, false) &&
		       (encoding >> 24 & 1 || reads_x(operands, encoding >> 16 & 31, false));
	case 0x2a: /* b.cond, of which al and nv always hold; retaasppc */
		if (encoding >> 24 & 1)
			return reads_x(operands, LINK, false) && reads_x(operands, ISA_ARM64_SP, true);
		return (encoding & 14) == 14 || reads_flags(operands);
	default:
		break;
	}
	if ((encoding & 0x7c000000) == 0x14000000) /* b, bl */
		return true;
	if ((encoding & 0xfe9f0000) == 0xd61f0000)
		return arm64_operands_indirect(encoding, operands);
	return encoding >> 23 == 0x1aa && arm64_operands_system(encoding, operands);
}

static bool operands(uint32_t encoding, struct cairn_operands *list)
{
	struct isa_arm64_access access;
	struct isa_arm64_result result = {.bank = ISA_ARM64_NO_BANK};
	if (isa_arm64_access(encoding, &access))
		return arm64_operands_access(encoding, &access, list);
	unsigned group = encoding >> 25 & 15;
	bool told = group >> 1 == 4   ? arm64_operands_immediate(encoding, list)
	            : group >> 1 == 5 ? arm64_operands_branch(encoding, list)
	                              : (group & 7) == 5 && arm64_operands_registers(encoding, list);
	if (!told)
		return false;
	if (!isa_arm64_result(encoding, &result)) /* b, ret: nothing is written */
		return group >> 1 == 5;
	if (result.bank == ISA_ARM64_X && (result.reg != ZERO || result.sp))
		told = arm64_operands_writes(list, CAIRN_REG_INT, result.reg);
	if (result.reads_nzcv)
		told = told && reads_flags(list);
	return told && (!result.sets_nzcv || arm64_operands_writes(list, CAIRN_REG_FLAGS, 0));
}

int isa_arm64_operands(uint32_t enc, struct cairn_operands *o)
{
	return operands(enc, o) ? 0 : CAIRN_E_UNSUPPORTED;
}

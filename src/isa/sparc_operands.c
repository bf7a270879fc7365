/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: which registers an instruction reads and writes.
 *
 * Integer registers are named as they are in force where they are read and written: the destination
 * of save, restore and return belongs to the window that comes, their sources to the one that goes.
 * %g0 is not an operand. Implied registers are named, too: %o7 of call, the condition codes, %y of
 * the 32-bit products and quotients; but not %asi, %fsr and %gsr where they only govern what an
 * instruction does.
 *
 * Of floating point and VIS a row says what stands in rs1, rs2 and rd: x a general register, s, d,
 * q one of 4, 8, 16 bytes, c condition codes, - none.
 *
 * Sources: The SPARC Architecture Manual, Version 9, appendix A; VIS 1 to 3 of the UltraSPARC
 * manuals.
 */
#include <stddef.h>

#include "base/base.h"
#include "isa/isa.h"
#include "isa/operands.h"
#include "isa/sparc.h"

enum { X = CAIRN_REG_INT, F = CAIRN_REG_FP, CSR = CAIRN_REG_CSR, FLAGS = CAIRN_REG_FLAGS };
enum { CCR = 0, FCC = 1, Y = ISA_SPARC_ASR, FSR = ISA_SPARC_ASR + 8, LINK = 15 };

/* The number of a floating-point register of a width: bit 0 of wide ones is their bit 5. */
static unsigned fp(char width, unsigned field)
{
	unsigned wide = (field & 1) << 5 | (field & 30);
	return width == 's' ? field : width == 'd' ? 32 + wide / 2 : 64 + (wide & ~3u);
}

static void sparc_operands_reads(struct cairn_operands *operands, char kind, unsigned field)
{
	if (kind == 'x')
		operand_read(operands, X, field);
	else if (kind != '-')
		operand_read(operands, F, fp(kind, field));
}

static void sparc_operands_writes(struct cairn_operands *operands, char kind, unsigned field)
{
	if (kind == 'x')
		operand_written(operands, X, field);
	else if (kind == 'c')
		operand_written(operands, FLAGS, FCC);
	else if (kind != '-')
		operand_written(operands, F, fp(kind, field));
}

static void fields(struct cairn_operands *operands, uint32_t encoding, const char *kinds)
{
	sparc_operands_reads(operands, kinds[0], isa_sparc_rs1(encoding));
	sparc_operands_reads(operands, kinds[1], isa_sparc_rs2(encoding));
	sparc_operands_writes(operands, kinds[2], isa_sparc_rd(encoding));
}

/* rs1, and rs2 where there is no constant. */
static void both(struct cairn_operands *operands, uint32_t encoding)
{
	operand_read(operands, X, isa_sparc_rs1(encoding));
	if (!(encoding >> 13 & 1))
		operand_read(operands, X, isa_sparc_rs2(encoding));
}

/* The register of rd and wr. */
static struct cairn_operand state(unsigned number)
{
	if (number == 2)
		return (struct cairn_operand){CCR, FLAGS};
	/* %gsr, and others without a number here, have theirs behind the first ones */
	unsigned at = number < 7 ? number : number == 19 ? 9 : 7;
	return (struct cairn_operand){(uint16_t)(ISA_SPARC_ASR + at), CSR};
}

/* ---- floating point and VIS ---- */

struct row {
	uint16_t opf;
	char kinds[4];
};

static const struct row fpop1[] = {
	{0x69, "ssd"}, {0x6e, "ddq"}, {0x81, "-sd"}, {0x82, "-dd"}, {0x83, "-qd"}, {0x84, "-ds"},
	{0x88, "-dd"}, {0x8c, "-dq"}, {0xc4, "-ss"}, {0xc6, "-ds"}, {0xc7, "-qs"}, {0xc8, "-sd"},
	{0xc9, "-sd"}, {0xcb, "-qd"}, {0xcc, "-sq"}, {0xcd, "-sq"}, {0xce, "-dq"}, {0xd1, "-ss"},
	{0xd2, "-ds"}, {0xd3, "-qs"}, {0x51, "sss"}, {0x52, "ddd"}, {0x59, "sss"}, {0x5a, "ddd"},
	{0x61, "sss"}, {0x62, "ddd"}, {0x65, "sss"}, {0x66, "ddd"}, {0x71, "sss"}, {0x72, "ddd"},
	{0x79, "ssd"}};

/* Instructions of VIS that differ from the rest of their range in `vis`. */
static const struct row odd[] = {
	{0x17, "-xx"},  {0x1b, "-x-"},  {0x1d, "-x-"},  {0x1f, "-x-"},  {0x31, "sdd"},  {0x33, "ssd"},
	{0x35, "ssd"},  {0x38, "ssd"},  {0x39, "ssd"},  {0x3b, "-ds"},  {0x3d, "-ds"},  {0x3f, "ddx"},
	{0x4b, "ssd"},  {0x4d, "-sd"},  {0x60, "--d"},  {0x61, "--s"},  {0x66, "-dd"},  {0x67, "-ss"},
	{0x6a, "d-d"},  {0x6b, "s-s"},  {0x74, "d-d"},  {0x75, "s-s"},  {0x78, "-dd"},  {0x79, "-ss"},
	{0x7e, "--d"},  {0x7f, "--s"},  {0x80, "---"},  {0x81, "---"},  {0x110, "-dx"}, {0x111, "-sx"},
	{0x113, "-sx"}, {0x115, "xxx"}, {0x116, "xxx"}, {0x118, "-xd"}, {0x119, "-xs"}, {0x120, "ddx"},
	{0x122, "ddx"}, {0x128, "ddx"}, {0x12a, "ddx"}, {0x151, "ssc"}, {0x152, "ddc"}};

static const char *sparc_operands_find(const struct row *rows, size_t n, unsigned opf)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].opf == opf)
			return rows[i].kinds;
	return NULL;
}

static void fpop1_operands(struct cairn_operands *operands, uint32_t encoding)
{
	static const char one[4][4] = {"---", "-ss", "-dd", "-qq"},
					  two[4][4] = {"---", "sss", "ddd", "qqq"};
	unsigned opf = encoding >> 5 & 511, width = opf & 3;
	const char *kinds = sparc_operands_find(fpop1, sizeof fpop1 / sizeof *fpop1, opf);
	fields(operands, encoding, kinds ? kinds : opf < 0x40 ? one[width] : two[width]);
}

/* Comparisons, and moves on condition: what is there before stays if it does not hold. */
static void fpop2_operands(struct cairn_operands *operands, uint32_t encoding)
{
	static const char widths[] = "-sdq";
	unsigned opf = encoding >> 5 & 511, cc = opf >> 6 & 7;
	char width = widths[opf & 3];
	if (opf >= 0x51 && opf <= 0x57) {
		fields(operands, encoding, width == 's' ? "ssc" : width == 'd' ? "ddc" : "qqc");
		return;
	}
	if ((opf & 63) <= 3)
		operand_read(operands, FLAGS, cc >= 4 ? CCR : FCC);
	else
		operand_read(operands, X, isa_sparc_rs1(encoding));
	sparc_operands_reads(operands, width, isa_sparc_rs2(encoding));
	sparc_operands_reads(operands, width, isa_sparc_rd(encoding));
	sparc_operands_writes(operands, width, isa_sparc_rd(encoding));
}

static void vis_operands(struct cairn_operands *operands, uint32_t encoding)
{
	unsigned opf = encoding >> 5 & 511;
	const char *kinds = sparc_operands_find(odd, sizeof odd / sizeof *odd, opf);
	if (!kinds)
		kinds = opf < 0x20               ? "xxx"
		        : opf < 0x30             ? (opf & 1 ? "ddd" : "ddx")
		        : opf >= 0x50 && opf & 1 ? "sss"
		                                 : "ddd";
	fields(operands, encoding, kinds);
	if (opf == 0x11 || opf == 0x13) /* with carry */
		operand_read(operands, FLAGS, CCR);
	if (opf == 0x13 || (opf < 0x0c && !(opf & 1))) /* edges that compare */
		operand_written(operands, FLAGS, CCR);
	if (opf == 0x3e) /* pdist adds to what is there */
		operand_read(operands, F, fp('d', isa_sparc_rd(encoding)));
}

static void fused(struct cairn_operands *operands, uint32_t encoding)
{
	char width = encoding >> 5 & 1 ? 's' : 'd';
	sparc_operands_reads(operands, width, isa_sparc_rs1(encoding));
	sparc_operands_reads(operands, width, isa_sparc_rs2(encoding));
	sparc_operands_reads(operands, width, encoding >> 9 & 31);
	sparc_operands_writes(operands, width, isa_sparc_rd(encoding));
}

/* ---- format 3 ---- */

static void sparc_operands_arithmetic(struct cairn_operands *operands, uint32_t encoding,
                                      unsigned op3)
{
	unsigned base = op3 & 15;
	bool product = base == 10 || base == 11, quotient = base == 14 || base == 15;
	both(operands, encoding);
	operand_written(operands, X, isa_sparc_rd(encoding));
	if (op3 == 0x24) { /* mulscc */
		operand_read(operands, FLAGS, CCR);
		operand_read(operands, CSR, Y);
		operand_written(operands, FLAGS, CCR);
		operand_written(operands, CSR, Y);
	} else if (op3 < 0x20) {
		if (base == 8 || base == 12)
			operand_read(operands, FLAGS, CCR);
		if (quotient)
			operand_read(operands, CSR, Y);
		if (product)
			operand_written(operands, CSR, Y);
	}
	if (op3 >= 0x10 && op3 < 0x24)
		operand_written(operands, FLAGS, CCR);
}

static void to_and_from_state(struct cairn_operands *operands, uint32_t encoding, unsigned op3)
{
	struct cairn_operand operand;
	switch (op3) {
	case 0x28:
		if (isa_sparc_rs1(encoding) == LINK && !isa_sparc_rd(encoding)) /* membar */
			return;
		operand = state(isa_sparc_rs1(encoding));
		operand_read(operands, operand.cls, operand.num);
		break;
	case 0x2a:
		operand_read(operands, CSR, isa_sparc_rs1(encoding));
		break;
	case 0x30:
		if (isa_sparc_rd(encoding) == LINK && !isa_sparc_rs1(encoding) &&
		    encoding >> 13 & 1) /* sir */
			return;
		both(operands, encoding);
		operand = state(isa_sparc_rd(encoding));
		operand_written(operands, operand.cls, operand.num);
		return;
	case 0x32:
	case 0x33: /* the hypervisor's registers have no numbers here */
		both(operands, encoding);
		if (op3 == 0x32)
			operand_written(operands, CSR, isa_sparc_rd(encoding));
		return;
	default:
		break;
	}
	operand_written(operands, X, isa_sparc_rd(encoding));
}

static void on_condition(struct cairn_operands *operands, uint32_t encoding, bool by_register)
{
	if (by_register)
		operand_read(operands, X, isa_sparc_rs1(encoding));
	else
		operand_read(operands, FLAGS, encoding >> 18 & 1 ? CCR : FCC);
	if (!(encoding >> 13 & 1))
		operand_read(operands, X, isa_sparc_rs2(encoding));
	operand_read(operands, X, isa_sparc_rd(encoding));
	operand_written(operands, X, isa_sparc_rd(encoding));
}

static void format3(struct cairn_operands *operands, uint32_t encoding)
{
	unsigned op3 = encoding >> 19 & 63;
	switch (op3) {
	case 0x28:
	case 0x29:
	case 0x2a:
	case 0x30:
	case 0x32:
	case 0x33:
		to_and_from_state(operands, encoding, op3);
		break;
	case 0x2b:
	case 0x31:
	case 0x3e: /* flushw, saved, done: of no register by name */
		break;
	case 0x2c:
	case 0x2f:
		on_condition(operands, encoding, op3 == 0x2f);
		break;
	case 0x2e: /* popc */
		if (!(encoding >> 13 & 1))
			operand_read(operands, X, isa_sparc_rs2(encoding));
		operand_written(operands, X, isa_sparc_rd(encoding));
		break;
	case 0x34:
		fpop1_operands(operands, encoding);
		break;
	case 0x35:
		fpop2_operands(operands, encoding);
		break;
	case 0x36:
		vis_operands(operands, encoding);
		break;
	case 0x37:
		fused(operands, encoding);
		break;
	case 0x39:
	case 0x3b: /* return, flush */
		both(operands, encoding);
		break;
	case 0x3a: /* a trap if the condition holds */
		both(operands, encoding);
		if (encoding >> 25 & 7)
			operand_read(operands, FLAGS, CCR);
		break;
	default:
		sparc_operands_arithmetic(operands, encoding, op3);
		break;
	}
}

/* ---- memory ---- */

static int sparc_operands_access(struct cairn_operands *operands, uint32_t encoding,
                                 const struct cairn_op *op)
{
	unsigned op3 = encoding >> 19 & 63;
	bool compares = op3 == 0x3c || op3 == 0x3e, pair = (op3 & 15) == 3 || (op3 & 15) == 7;
	bool store = op->cls == CAIRN_CLASS_STORE, swap = (op3 & 0x2f) == 0x0f;
	if (op->mem_size > 16)
		return CAIRN_E_UNSUPPORTED; /* blocks: eight registers */
	operand_read(operands, X, isa_sparc_rs1(encoding));
	if (compares || !(encoding >> 13 & 1))
		operand_read(operands, X, isa_sparc_rs2(encoding));
	if (op->cls == CAIRN_CLASS_CACHE) /* rd says what to prefetch for */
		return 0;
	if (op3 >= 0x20 && !compares) {
		static const char widths[4] = {'s', 0, 'q', 'd'};
		char width = widths[op3 & 3];
		if (!width && store)
			operand_read(operands, CSR, FSR);
		else if (!width)
			operand_written(operands, CSR, FSR);
		else if (store)
			sparc_operands_reads(operands, width, isa_sparc_rd(encoding));
		else
			sparc_operands_writes(operands, width, isa_sparc_rd(encoding));
		if (!width && !store)
			operand_written(operands, FLAGS, FCC);
		return 0;
	}
	for (unsigned k = 0; k <= pair; k++) {
		if (store || swap || compares)
			operand_read(operands, X, isa_sparc_rd(encoding) + k);
		if (!store)
			operand_written(operands, X, isa_sparc_rd(encoding) + k);
	}
	return 0;
}

int isa_sparc_operands(const struct cairn_op *op, struct cairn_operands *operands)
{
	uint32_t e = op->enc;
	bool conditional = op->traits & CAIRN_TRAIT_CONDITIONAL && e >> 25 & 7;
	switch (e >> 30) {
	case 0:
		switch (e >> 22 & 7) {
		case 3:
			operand_read(operands, X, isa_sparc_rs1(e));
			break;
		case 4:
			operand_written(operands, X, isa_sparc_rd(e));
			break;
		default: /* on integer, or floating-point, conditions */
			if (conditional)
				operand_read(operands, FLAGS, e >> 24 & 1 ? FCC : CCR);
			break;
		}
		return 0;
	case 1:
		operand_written(operands, X, LINK);
		return 0;
	case 2:
		format3(operands, e);
		return 0;
	default:
		return sparc_operands_access(operands, e, op);
	}
}

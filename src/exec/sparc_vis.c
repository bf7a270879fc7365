/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: VIS 1 and 2. Lanes are parts of a double register, the most significant first in memory;
 * an operation on them knows what follows lane by lane. Source: JPS1, appendix A.
 */
#include "exec/sparc_vis.h"

/* ---- logic and sums: of doubles, or of singles ---- */

enum { SINGLE = 's', DOUBLE = 'd' }; /* sparc_row.width */

static struct exec_bits read_width(const struct cairn_machine *machine, const struct exec_op *op,
                                   unsigned field)
{
	return op->width == SINGLE ? sparc_single(machine, field) : sparc_double(machine, field);
}

static void put_width(struct cairn_machine *machine, const struct exec_op *op,
                      struct exec_bits bits)
{
	if (op->width == SINGLE)
		sparc_put_single(machine, isa_sparc_rd(op->enc), bits);
	else
		sparc_put_double(machine, isa_sparc_rd(op->enc), bits);
}

/* `extra` is bits 4:1 of opf. */
static struct exec_bits logic_of(unsigned which, struct exec_bits a, struct exec_bits b)
{
	static const uint8_t truth_of[16] = {/* by bits a, b: 00, 01, 10, 11 in bits 0 to 3 */
	                                     0x0, 0x1, 0x4, 0x5, 0x2, 0x3, 0x6, 0x7,
	                                     0x8, 0x9, 0xc, 0xd, 0xa, 0xb, 0xe, 0xf};
	unsigned truth = truth_of[which];
	struct exec_bits made = bits_known(0);
	if (truth == 0x3 || truth == 0xc) /* one operand alone */
		return truth == 0xc ? a : bits_not(a);
	if (truth == 0x5 || truth == 0xa)
		return truth == 0xa ? b : bits_not(b);
	if (truth == 0xf)
		return bits_known(UINT64_MAX);
	if (truth == 0x6 || truth == 0x9)
		return truth == 0x6 ? bits_xor(a, b) : bits_not(bits_xor(a, b));
	for (unsigned i = 0; i < 4; i++) {
		struct exec_bits term = bits_and(i & 2 ? a : bits_not(a), i & 1 ? b : bits_not(b));
		made = truth >> i & 1 ? bits_or(made, term) : made;
	}
	return made;
}

static void run_logic(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = read_width(machine, op, isa_sparc_rs1(op->enc));
	struct exec_bits b = read_width(machine, op, isa_sparc_rs2(op->enc));
	if (sparc_has_float(machine))
		put_width(machine, op, logic_of(op->extra, a, b));
}

enum { WORDS = 1, SUBTRACT = 2 }; /* bits 2:1 of opf */

static void run_sum(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = read_width(machine, op, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = read_width(machine, op, isa_sparc_rs2(op->enc));
	unsigned bits = op->extra & WORDS ? 32 : 16;
	for (unsigned i = 0; i < (op->width == SINGLE ? 32 : 64) / bits; i++) {
		struct exec_bits x = sparc_plain_lane(a, i, bits), y = sparc_plain_lane(b, i, bits);
		made =
			sparc_with_lane(made, i, bits, op->extra & SUBTRACT ? bits_sub(x, y) : bits_add(x, y));
	}
	if (sparc_has_float(machine))
		put_width(machine, op, made);
}

/* ---- comparisons: a bit for each lane, in an integer register ---- */

enum { LESS_OR_EQUAL = 0, NOT_EQUAL = 1, GREATER = 4, EQUAL = 5, COMPARE_WORDS = 2 };

static void run_compare(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	unsigned bits = op->extra & COMPARE_WORDS ? 32 : 16;
	bool equal = op->extra & 1, inverted = !(op->extra & 4);
	for (unsigned i = 0; i < 64 / bits; i++) {
		struct exec_bits x = sparc_lane(a, i, bits), y = sparc_lane(b, i, bits);
		struct exec_bits truth = equal ? bits_equal(x, y) : bits_less_signed(y, x);
		made = sparc_with_lane(made, i, 1, inverted ? sparc_not(truth) : truth);
	}
	if (sparc_has_float(machine))
		sparc_put(machine, op->rd, made);
}

/* ---- products of bytes and halfwords ---- */

/* Rounded to nearest, without the lowest eight bits. */
static struct exec_bits rounded(struct exec_bits product)
{
	return bits_right_signed(bits_add(product, bits_known(0x80)), 8);
}

static void run_mul8x16(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_single(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 4; i++)
		made = sparc_with_lane(
			made, i, 16, rounded(bits_multiply(sparc_plain_lane(a, i, 8), sparc_lane(b, i, 16))));
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

/* All by the upper or the lower (`extra`: 1, 0) half of a single. */
static void run_mul8x16a(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_single(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits by = sparc_lane(sparc_single(machine, isa_sparc_rs2(op->enc)), op->extra, 16);
	for (unsigned i = 0; i < 4; i++)
		made = sparc_with_lane(made, i, 16, rounded(bits_multiply(sparc_plain_lane(a, i, 8), by)));
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

/* The upper bytes of the first operand's halfwords, which are signed. */
static void run_mul8sux16(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 4; i++)
		made = sparc_with_lane(
			made, i, 16, rounded(bits_multiply(sparc_lane(a, 2 * i + 1, 8), sparc_lane(b, i, 16))));
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

/* The lower bytes, which are not signed; the product counts less, and 16 bits of it are left out. */
static void run_mul8ulx16(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 4; i++) {
		struct exec_bits product =
			bits_multiply(sparc_plain_lane(a, 2 * i, 8), sparc_lane(b, i, 16));
		product = bits_right_signed(bits_add(product, bits_known(0x8000)), 16);
		made = sparc_with_lane(made, i, 16, product);
	}
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

/* All of the product of two halfwords of singles: by the upper bytes, signed, 8 bits higher (`extra`:
 * 1), or by the lower ones, not signed (0). */
static void run_muld8x16(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_single(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_single(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 2; i++) {
		struct exec_bits by =
			op->extra ? sparc_lane(a, 2 * i + 1, 8) : sparc_plain_lane(a, 2 * i, 8);
		struct exec_bits product = bits_multiply(by, sparc_lane(b, i, 16));
		made = sparc_with_lane(made, i, 32, op->extra ? bits_left(product, 8) : product);
	}
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

/* ---- packing ---- */

/* A signed number without its lowest `drop` bits, within bounds. */
static struct exec_bits clipped(struct exec_bits value, unsigned scale, unsigned drop,
                                int64_t least, int64_t most)
{
	if (!bits_all(value))
		return bits_unknown();
	int64_t number = (int64_t)(value.value << scale) >> drop;
	return bits_known((uint64_t)(number < least ? least : number > most ? most : number));
}

/* GSR.scale; -1: not known. */
static int scale_of(const struct cairn_machine *machine, unsigned mask)
{
	struct exec_bits scale = bits_right(machine->word[SPARC_GSR], 3);
	return (scale.known & mask) == mask ? (int)(scale.value & mask) : -1;
}

static struct exec_bits packed(const struct cairn_machine *machine, const struct exec_op *op)
{
	enum { PACK32 = 0x3a, PACK16 = 0x3b };
	unsigned opf = op->enc >> 5 & 511, n = opf == PACK16 ? 4 : 2, from = 64 / n;
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc)), made = bits_known(0);
	int scale = scale_of(machine, opf == PACK16 ? 15 : 31);
	for (unsigned i = 0; i < n; i++) {
		struct exec_bits value = scale < 0 ? bits_unknown() : sparc_lane(b, i, from);
		unsigned by = scale < 0 ? 0 : (unsigned)scale;
		if (opf == PACK16)
			made = sparc_with_lane(made, i, 8, clipped(value, by, 7, 0, 255));
		else if (opf == PACK32)
			made =
				sparc_with_lane(made, i, 32, bits_zero_extend(clipped(value, by, 23, 0, 255), 8));
		else
			made = sparc_with_lane(made, i, 16, clipped(value, by, 16, INT16_MIN, INT16_MAX));
	}
	return made;
}

static void run_pack_single(struct cairn_machine *machine, const struct exec_op *op)
{
	if (sparc_has_float(machine))
		sparc_put_single(machine, isa_sparc_rd(op->enc), packed(machine, op));
}

/* A byte is put below the first operand's words. */
static void run_pack32(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = packed(machine, op);
	for (unsigned i = 0; i < 2; i++)
		made = sparc_with_lane(made, i, 32, bits_left(sparc_plain_lane(a, i, 32), 8));
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

static void run_expand(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits b = sparc_single(machine, isa_sparc_rs2(op->enc)), made = bits_known(0);
	for (unsigned i = 0; i < 4; i++)
		made = sparc_with_lane(made, i, 16, bits_left(sparc_plain_lane(b, i, 8), 4));
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

static void run_merge(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_single(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_single(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 4; i++) {
		made = sparc_with_lane(made, 2 * i + 1, 8, sparc_plain_lane(a, i, 8));
		made = sparc_with_lane(made, 2 * i, 8, sparc_plain_lane(b, i, 8));
	}
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

static void run_pdist(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = sparc_double(machine, isa_sparc_rd(op->enc));
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc));
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 8; i++) {
		struct exec_bits x = sparc_plain_lane(a, i, 8), y = sparc_plain_lane(b, i, 8);
		struct exec_bits apart = bits_choose(bits_less(x, y), bits_sub(y, x), bits_sub(x, y));
		sum = bits_add(sum, apart);
	}
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), sum);
}

/* ---- what GSR says ---- */

void sparc_put_gsr(struct cairn_machine *machine, unsigned low, unsigned bits,
                   struct exec_bits value)
{
	uint64_t mask = (UINT64_MAX >> (64 - bits)) << low;
	struct exec_bits kept = bits_and(machine->word[SPARC_GSR], bits_known(~mask));
	sparc_put_state(machine, SPARC_GSR, 9,
	                sparc_with_lane(kept, 0, 64, bits_left(bits_zero_extend(value, bits), low)));
}

/* alignaddr; `extra`: for little-endian data. */
static void run_alignaddr(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], machine->word[op->rs2]);
	sparc_put_gsr(machine, 0, 3, op->extra ? bits_sub(bits_known(0), sum) : sum);
	sparc_put(machine, op->rd, bits_and(sum, bits_known(~UINT64_C(7))));
}

static void run_bmask(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits sum = bits_add(machine->word[op->rs1], machine->word[op->rs2]);
	sparc_put_gsr(machine, 32, 32, sum);
	sparc_put(machine, op->rd, sum);
}

/* siam: whether GSR has a rounding mode, and which. */
static void run_siam(struct cairn_machine *machine, const struct exec_op *op)
{
	if (sparc_has_float(machine))
		sparc_put_gsr(machine, 25, 3, bits_known(op->enc & 7));
}

/* Byte `index` of both operands one behind the other, 0 the most significant of the first. */
static struct exec_bits byte_of(struct exec_bits a, struct exec_bits b, unsigned index)
{
	return index < 8 ? sparc_plain_lane(a, 7 - index, 8) : sparc_plain_lane(b, 15 - index, 8);
}

static void run_faligndata(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc)),
					 gsr = machine->word[SPARC_GSR];
	for (unsigned i = 0; i < 8; i++)
		made = sparc_with_lane(made, 7 - i, 8, byte_of(a, b, (unsigned)(gsr.value & 7) + i));
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc),
		                 (gsr.known & 7) == 7 ? made : bits_unknown());
}

static void run_bshuffle(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 8; i++) {
		struct exec_bits which = sparc_plain_lane(machine->word[SPARC_GSR], 8 + i, 4);
		struct exec_bits byte = byte_of(a, b, (unsigned)which.value);
		made = sparc_with_lane(made, i, 8, bits_all(which) ? byte : bits_unknown());
	}
	if (sparc_has_float(machine))
		sparc_put_double(machine, isa_sparc_rd(op->enc), made);
}

/* ---- edges and arrays ---- */

enum { EDGE_LITTLE = 1, EDGE_PLAIN = 2 }; /* sparc_row.extra; width: lanes */

static void run_edge(struct cairn_machine *machine, const struct exec_op *op)
{
	enum { AM = 3 };
	struct exec_bits a = machine->word[op->rs1], b = machine->word[op->rs2];
	unsigned lanes = op->width, last = lanes - 1, places = 3 - (unsigned)__builtin_ctz(lanes);
	uint64_t all = (1u << lanes) - 1, from = a.value >> places & last,
			 to = b.value >> places & last;
	struct exec_bits x = bits_right(a, 3), y = bits_right(b, 3);
	struct exec_bits same =
		bits_choose(sparc_bit(machine->word[SPARC_PSTATE], AM),
	                bits_equal(bits_zero_extend(x, 29), bits_zero_extend(y, 29)), bits_equal(x, y));
	bool little = op->extra & EDGE_LITTLE;
	struct exec_bits left = bits_known(little ? all << from & all : all >> from);
	struct exec_bits right = bits_known(little ? all >> (last - to) : all << (last - to) & all);
	if ((a.known >> places & last) != last)
		left = bits_zero_extend(bits_unknown(), lanes);
	if ((b.known >> places & last) != last)
		right = bits_zero_extend(bits_unknown(), lanes);
	if (!(op->extra & EDGE_PLAIN))
		sparc_put_difference_codes(machine, a, b);
	sparc_put(machine, op->rd, bits_choose(same, bits_and(left, right), left));
}

/* Coordinates in a blocked array to an address. What a size above 5 makes is undefined. */
static void run_array(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = machine->word[op->rs1], size = machine->word[op->rs2];
	struct exec_bits made = bits_unknown();
	if (bits_all(size) && size.value <= 5) {
		unsigned n = (unsigned)size.value;
		const struct {
			uint8_t from, bits, to;
		} fields[] = {{11, 2, 0},
		              {33, 2, 2},
		              {55, 1, 4},
		              {13, 4, 5},
		              {35, 4, 9},
		              {56, 4, 13},
		              {17, (uint8_t)n, 17},
		              {39, (uint8_t)n, (uint8_t)(17 + n)},
		              {60, 4, (uint8_t)(17 + 2 * n)}};
		made = bits_known(0);
		for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
			if (fields[i].bits)
				made = bits_or(made, bits_left(sparc_plain_lane(bits_right(a, fields[i].from), 0,
				                                                fields[i].bits),
				                               fields[i].to));
		made = bits_left(made, op->extra);
	}
	sparc_put(machine, op->rd, made);
}

/* Which operation, and singles where opf is odd. */
static void form_lanes(struct exec_op *op)
{
	unsigned opf = op->enc >> 5 & 511;
	op->width = opf & 1 ? SINGLE : DOUBLE;
	op->extra = (uint8_t)(opf >> 1 & (opf >= 0x60 ? 15 : 3));
}

/* ---- the table: by opf ---- */

#define EDGE(opf, lanes) \
	[opf] = {run_edge, NULL, lanes, 0}, [(opf) + 1] = {run_edge, NULL, lanes, EDGE_PLAIN}, \
	[(opf) + 2] = {run_edge, NULL, lanes, EDGE_LITTLE}, \
	[(opf) + 3] = {run_edge, NULL, lanes, EDGE_LITTLE | EDGE_PLAIN}

const struct sparc_row *sparc_vis_row(uint32_t enc)
{
	static const struct sparc_row rows[0x82] = {
		EDGE(0x00, 8),
		EDGE(0x04, 4),
		EDGE(0x08, 2),
		[0x10] = {run_array, NULL, 0, 0},
		[0x12] = {run_array, NULL, 0, 1},
		[0x14] = {run_array, NULL, 0, 2},
		[0x18] = {run_alignaddr, NULL, 0, 0},
		[0x19] = {run_bmask, NULL, 0, 0},
		[0x1a] = {run_alignaddr, NULL, 0, 1},
		[0x20] = {run_compare, NULL, 0, LESS_OR_EQUAL},
		[0x22] = {run_compare, NULL, 0, NOT_EQUAL},
		[0x24] = {run_compare, NULL, 0, LESS_OR_EQUAL | COMPARE_WORDS},
		[0x26] = {run_compare, NULL, 0, NOT_EQUAL | COMPARE_WORDS},
		[0x28] = {run_compare, NULL, 0, GREATER},
		[0x2a] = {run_compare, NULL, 0, EQUAL},
		[0x2c] = {run_compare, NULL, 0, GREATER | COMPARE_WORDS},
		[0x2e] = {run_compare, NULL, 0, EQUAL | COMPARE_WORDS},
		[0x31] = {run_mul8x16, NULL, 0, 0},
		[0x33] = {run_mul8x16a, NULL, 0, 1},
		[0x35] = {run_mul8x16a, NULL, 0, 0},
		[0x36] = {run_mul8sux16, NULL, 0, 0},
		[0x37] = {run_mul8ulx16, NULL, 0, 0},
		[0x38] = {run_muld8x16, NULL, 0, 1},
		[0x39] = {run_muld8x16, NULL, 0, 0},
		[0x3a] = {run_pack32, NULL, 0, 0},
		[0x3b] = {run_pack_single, NULL, 0, 0},
		[0x3d] = {run_pack_single, NULL, 0, 0},
		[0x3e] = {run_pdist, NULL, 0, 0},
		[0x48] = {run_faligndata, NULL, 0, 0},
		[0x4b] = {run_merge, NULL, 0, 0},
		[0x4c] = {run_bshuffle, NULL, 0, 0},
		[0x4d] = {run_expand, NULL, 0, 0},
		[0x81] = {run_siam, NULL, 0, 0},
	};
	static const struct sparc_row logic = {run_logic, form_lanes, 0, 0};
	static const struct sparc_row sums = {run_sum, form_lanes, 0, 0};
	unsigned opf = enc >> 5 & 511;
	if (enc >> 30 != 2 || isa_sparc_op3(enc) != 0x36)
		return NULL;
	if (opf >= 0x50 && opf < 0x58)
		return &sums;
	if (opf >= 0x60 && opf < 0x80)
		return &logic;
	return opf < sizeof rows / sizeof *rows && rows[opf].run ? &rows[opf] : NULL;
}

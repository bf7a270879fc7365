/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPARC V9: VIS 3. Source: Oracle SPARC Architecture 2011, chapter 7. Its sums and products of
 * floating point are in sparc_fused.c, its sums with carry in sparc_integer.c.
 */
#include "exec/sparc_float.h"
#include "exec/sparc_vis.h"
#include "exec/wide.h"

/* ---- integer registers ---- */

static void run_umulxhi(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = machine->word[op->rs1], b = machine->word[op->rs2];
	struct exec_bits made = bits_known(wide_product(a.value, b.value).high);
	if (!bits_both(a, b))
		made = bits_are_zero(a) || bits_are_zero(b) ? bits_known(0) : bits_unknown();
	sparc_put(machine, op->rd, made);
}

/* Of products without carries each bit is a sum of products of bits: known as far as those are.
 * `extra`: the upper half. */
static void run_xmulx(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = machine->word[op->rs1], b = machine->word[op->rs2];
	struct wide made = wide_carryless(a.value, b.value);
	/* What may be 1 and is not known, times what may be 1, may be 1. */
	uint64_t most_a = bits_most(a), most_b = bits_most(b);
	struct wide doubt = {0, 0};
	for (unsigned i = 0; i < 64 && !bits_both(a, b); i++) {
		uint64_t by = (~a.known >> i & 1 ? most_b : 0) | (most_a >> i & 1 ? ~b.known : 0);
		struct wide shifted = wide_left((struct wide){0, by}, i);
		doubt.high |= shifted.high;
		doubt.low |= shifted.low;
	}
	uint64_t value = op->extra ? made.high : made.low, unknown = op->extra ? doubt.high : doubt.low;
	sparc_put(machine, op->rd, (struct exec_bits){value & ~unknown, ~unknown});
}

static void run_lzcnt(struct cairn_machine *machine, const struct exec_op *op)
{
	sparc_put(machine, op->rd, bits_leading_zeros(machine->word[op->rs2]));
}

/* A mask for bshuffle: where a lane's bit is 1 the lane is the first operand's, else the second's.
 * `width`: bytes of a lane. */
static void run_cmask(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits lanes = machine->word[op->rs2], mask = bits_known(0);
	for (unsigned byte = 0; byte < 8; byte++) {
		struct exec_bits second = sparc_not(sparc_bit(lanes, byte / op->width));
		struct exec_bits from = bits_or(bits_known(7 - byte), bits_left(second, 3));
		mask = sparc_with_lane(mask, byte, 4, from);
	}
	sparc_put_gsr(machine, 32, 32, mask);
}

/* ---- between the files ---- */

/* `extra`: the single is signed. */
static void run_move_out(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits bits = sparc_read_kind(machine, op->width, op->enc & 31);
	if (sparc_has_float(machine))
		sparc_put(machine, op->rd, op->extra ? bits_sign_extend(bits, 32) : bits);
}

static void run_move_in(struct cairn_machine *machine, const struct exec_op *op)
{
	if (sparc_has_float(machine))
		sparc_put_kind(machine, op->width, isa_sparc_rd(op->enc), machine->word[op->rs2]);
}

/* ---- lanes ---- */

static void put_lanes(struct cairn_machine *machine, const struct exec_op *op,
                      struct exec_bits made)
{
	if (sparc_has_float(machine))
		sparc_put_kind(machine, op->width, isa_sparc_rd(op->enc), made);
}

/* What becomes of two lanes of `bits` bits, which are sign-extended. */
typedef struct exec_bits lane_function(struct exec_bits a, struct exec_bits b, unsigned bits);

static inline __attribute__((always_inline)) void lanes(struct cairn_machine *machine,
                                                        const struct exec_op *op,
                                                        lane_function *function)
{
	struct exec_bits a = sparc_read_kind(machine, op->width, isa_sparc_rs1(op->enc));
	struct exec_bits b = sparc_read_kind(machine, op->width, isa_sparc_rs2(op->enc));
	struct exec_bits made = bits_known(0);
	unsigned bits = op->extra, room = op->width == SPARC_SINGLE ? 32 : 64;
	for (unsigned i = 0; i < room / bits; i++)
		made = sparc_with_lane(made, i, bits,
		                       function(sparc_lane(a, i, bits), sparc_lane(b, i, bits), bits));
	put_lanes(machine, op, made);
}

#define LANES(name) \
	static void run_##name(struct cairn_machine *machine, const struct exec_op *op) \
	{ \
		lanes(machine, op, name); \
	}

/* The nearest number of `bits` bits. */
static struct exec_bits saturated(struct exec_bits value, unsigned bits)
{
	int64_t most = (int64_t)(UINT64_MAX >> (65 - bits)), number = (int64_t)value.value;
	if (!bits_all(value))
		return bits_unknown();
	return bits_known((uint64_t)(number > most ? most : number < -most - 1 ? -most - 1 : number));
}

static struct exec_bits shift_left(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	return bits_left_by(a, b, bits);
}
static struct exec_bits shift_right(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	return bits_right_by(bits_zero_extend(a, bits), b, bits);
}
static struct exec_bits shift_left_saturated(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	return saturated(bits_left_by(a, b, bits), bits);
}
static struct exec_bits shift_right_signed(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	return bits_right_signed_by(a, b, bits);
}
static struct exec_bits add(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	(void)bits;
	return bits_add(a, b);
}
static struct exec_bits subtract(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	(void)bits;
	return bits_sub(a, b);
}
static struct exec_bits add_saturated(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	return saturated(bits_add(a, b), bits);
}
static struct exec_bits subtract_saturated(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	return saturated(bits_sub(a, b), bits);
}
/* Rounded up. */
static struct exec_bits mean(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	(void)bits;
	return bits_right_signed(bits_add_carry(a, b, true), 1);
}
/* The carry is added again. */
static struct exec_bits checksum(struct exec_bits a, struct exec_bits b, unsigned bits)
{
	struct exec_bits sum = bits_add(bits_zero_extend(a, bits), bits_zero_extend(b, bits));
	return bits_add(sum, bits_right(sum, bits));
}
LANES(shift_left)
LANES(shift_right)
LANES(shift_left_saturated)
LANES(shift_right_signed)
LANES(add)
LANES(subtract)
LANES(add_saturated)
LANES(subtract_saturated)
LANES(mean)
LANES(checksum)

/* ---- comparisons and distances: into general registers ---- */

enum { LESS_OR_EQUAL, NOT_EQUAL, GREATER, EQUAL };

static void run_compare_bytes(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), made = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	bool equal = op->extra == EQUAL || op->extra == NOT_EQUAL;
	bool inverted = op->extra == LESS_OR_EQUAL || op->extra == NOT_EQUAL;
	for (unsigned i = 0; i < 8; i++) {
		struct exec_bits x = sparc_plain_lane(a, i, 8), y = sparc_plain_lane(b, i, 8);
		struct exec_bits truth = equal ? bits_equal(x, y) : bits_less(y, x);
		made = sparc_with_lane(made, i, 1, inverted ? sparc_not(truth) : truth);
	}
	if (sparc_has_float(machine))
		sparc_put(machine, op->rd, made);
}

static void run_pdistn(struct cairn_machine *machine, const struct exec_op *op)
{
	struct exec_bits a = sparc_double(machine, isa_sparc_rs1(op->enc)), sum = bits_known(0);
	struct exec_bits b = sparc_double(machine, isa_sparc_rs2(op->enc));
	for (unsigned i = 0; i < 8; i++) {
		struct exec_bits x = sparc_plain_lane(a, i, 8), y = sparc_plain_lane(b, i, 8);
		sum = bits_add(sum, bits_choose(bits_less(x, y), bits_sub(y, x), bits_sub(x, y)));
	}
	if (sparc_has_float(machine))
		sparc_put(machine, op->rd, sum);
}

/* Which of two numbers is taken for the least, or the greatest: is the first less, -0 less than 0,
 * and which is no number. It raises nothing, and leaves the rest of FSR alone. */
static void run_compare_order(struct cairn_machine *machine, const struct exec_op *op)
{
	enum { NOT_LESS, LESS, FIRST_IS_NAN, SECOND_IS_NAN };
	const struct float_format *format = sparc_format_of(op->width);
	struct exec_bits a = sparc_read_kind(machine, op->width, isa_sparc_rs1(op->enc));
	struct exec_bits b = sparc_read_kind(machine, op->width, isa_sparc_rs2(op->enc));
	struct exec_bits codes = bits_unknown();
	struct float_env env = {0};
	if (!sparc_has_float(machine))
		return;
	if (bits_both(a, b)) {
		enum float_order order = float_compare(&env, format, a.value, b.value, false);
		uint64_t sign = float_sign_bit(format);
		bool zeros = order == FLOAT_EQUAL && a.value & sign && !(b.value & sign);
		codes = bits_known(float_is_nan(format, b.value)  ? SECOND_IS_NAN
		                   : order == FLOAT_UNORDERED     ? FIRST_IS_NAN
		                   : order == FLOAT_LESS || zeros ? LESS
		                                                  : NOT_LESS);
	} else if (bits_all(b) && float_is_nan(format, b.value)) {
		codes = bits_known(SECOND_IS_NAN);
	}
	sparc_put_codes(machine, isa_sparc_rd(op->enc) & 3, codes);
}

/* Bit 13, where other instructions say that the second operand is a constant, is one of opf. */
static void form_registers(struct exec_op *op)
{
	op->rs2 = sparc_source(op->enc & 31);
}

/* ---- the table: by opf ---- */

#define SUMS(opf, run) \
	{opf, {run, NULL, SPARC_DOUBLE, 16}}, {(opf) + 1, {run, NULL, SPARC_SINGLE, 16}}, \
		{(opf) + 2, {run, NULL, SPARC_DOUBLE, 32}}, \
	{ \
		(opf) + 3, \
		{ \
			run, NULL, SPARC_SINGLE, 32 \
		} \
	}

const struct sparc_row *sparc_vis3_row(uint32_t enc)
{
	enum { D = SPARC_DOUBLE, S = SPARC_SINGLE };
	static const struct {
		uint16_t opf;
		struct sparc_row row;
	} all[] = {
		{0x16, {run_umulxhi, NULL, 0, 0}},
		{0x17, {run_lzcnt, NULL, 0, 0}},
		{0x1b, {run_cmask, NULL, 1, 0}},
		{0x1d, {run_cmask, NULL, 2, 0}},
		{0x1f, {run_cmask, NULL, 4, 0}},
		{0x21, {run_shift_left, NULL, D, 16}},
		{0x23, {run_shift_right, NULL, D, 16}},
		{0x25, {run_shift_left, NULL, D, 32}},
		{0x27, {run_shift_right, NULL, D, 32}},
		{0x29, {run_shift_left_saturated, NULL, D, 16}},
		{0x2b, {run_shift_right_signed, NULL, D, 16}},
		{0x2d, {run_shift_left_saturated, NULL, D, 32}},
		{0x2f, {run_shift_right_signed, NULL, D, 32}},
		{0x3f, {run_pdistn, NULL, 0, 0}},
		{0x40, {run_mean, NULL, D, 16}},
		{0x42, {run_add, NULL, D, 64}},
		{0x44, {run_checksum, NULL, D, 16}},
		{0x46, {run_subtract, NULL, D, 64}},
		SUMS(0x58, run_add_saturated),
		SUMS(0x5c, run_subtract_saturated),
		{0x110, {run_move_out, NULL, D, 0}},
		{0x111, {run_move_out, NULL, S, 0}},
		{0x113, {run_move_out, NULL, S, 1}},
		{0x115, {run_xmulx, form_registers, 0, 0}},
		{0x116, {run_xmulx, form_registers, 0, 1}},
		{0x118, {run_move_in, form_registers, D, 0}},
		{0x119, {run_move_in, form_registers, S, 0}},
		{0x120, {run_compare_bytes, NULL, 0, LESS_OR_EQUAL}},
		{0x122, {run_compare_bytes, NULL, 0, NOT_EQUAL}},
		{0x128, {run_compare_bytes, NULL, 0, GREATER}},
		{0x12a, {run_compare_bytes, NULL, 0, EQUAL}},
		{0x151, {run_compare_order, NULL, S, 0}},
		{0x152, {run_compare_order, NULL, D, 0}},
	};
	if (enc >> 30 != 2 || isa_sparc_op3(enc) != 0x36)
		return NULL;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].opf == (enc >> 5 & 511))
			return &all[i].row;
	return NULL;
}
